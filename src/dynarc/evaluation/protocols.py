"""The rules by which words are scored. A figure without its protocol says nothing: they differ by several points."""

from dataclasses import dataclass

from dynarc.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Protocol:
    """Which words are scored, when labels are equal, and what is refused.

    >>> print(PROTOCOLS["full"])
    full: all words, whole labels, any roots
    """

    name: str
    words: str  # which gold words are scored
    labels: str  # when two labels are equal
    roots: str  # sentences without exactly one root
    text: str  # what must be the same on both sides

    @property
    def same_words(self) -> bool:
        return self.name != "ud"

    def label(self, deprel: str) -> str:
        """What is compared of a label.

        >>> PROTOCOLS["ud"].label("nsubj:pass"), PROTOCOLS["full"].label("nsubj:pass")
        ('nsubj', 'nsubj:pass')
        """
        return deprel if self.same_words else deprel.partition(":")[0]

    @property
    def rules(self) -> str:
        return f"{self.words}, {self.labels}, {self.roots}"

    def __str__(self) -> str:
        return f"{self.name}: {self.rules}"


_SAME = "the same words in the same sentences"

PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "ud",
            "all words, aligned by the text",
            "labels without subtypes",
            "one root per sentence needed",
            "the same characters but for spaces",
        ),
        Protocol("full", "all words", "whole labels", "any roots", _SAME),
        Protocol("nopunct", "words whose gold label is not punct or p", "whole labels", "any roots", _SAME),
        Protocol("conll", "words that are not all punctuation (Unicode P*)", "whole labels", "any roots", _SAME),
        Protocol("ptb", "words whose gold tag is not `` '' , . or :", "whole labels", "any roots", _SAME),
    )
}


def protocol_of(name: str) -> Protocol:
    """The protocol of that name, or a ConfigError that lists the names."""
    if name not in PROTOCOLS:
        raise ConfigError(f"unknown protocol {name!r}", "protocol", PROTOCOLS)
    return PROTOCOLS[name]
