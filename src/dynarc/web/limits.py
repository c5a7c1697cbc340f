"""How much a server takes on: sizes of requests, lengths of sentences, how many at once, and for how long."""

from dataclasses import dataclass

from dynarc.errors import DynarcError
from dynarc.treebank import Treebank

MEGABYTE = 1 << 20
# A body of JSON is kept whole, others are not: those may be as large as `Limits.body`.
MOST_JSON = 4 * MEGABYTE


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a server says no.

    `body` bytes of a request, `words` of a sentence, `requests` in progress at a time, `seconds` for an answer (of a
    stream, for each part of it), `files` that the page keeps in memory.
    """

    body: int = 64 * MEGABYTE
    words: int = 1000
    requests: int = 64
    seconds: float = 60.0
    files: int = 8

    @property
    def json(self) -> int:
        return min(self.body, MOST_JSON)


class TooLargeError(DynarcError):
    """Raised when a request asks for more than the server takes on."""


def check_words(treebank: Treebank, limits: Limits) -> Treebank:
    """Raises TooLargeError if a sentence has more words than the limit; gives the treebank back."""
    for number, sentence in enumerate(treebank, start=1):
        if len(sentence) > limits.words:
            name = sentence.sent_id or f"{number} of this part"
            raise TooLargeError(
                f"sentence {name} has {len(sentence):,} words, but this server takes {limits.words:,}: cut it, or "
                f"start the server with --max-words {len(sentence)}"
            )
    return treebank
