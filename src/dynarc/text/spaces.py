"""The text that a treebank is of: its tokens and the spaces between them, as MISC has them."""

import re

from dynarc.sentence import Sentence, Token
from dynarc.treebank import Treebank

_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_MEANING = {"0": "\0", "s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}


def raw_text(treebank: Treebank) -> str:
    """The text of a treebank: tokens and the spaces around them (`SpaceAfter=No`, `SpacesAfter`, `SpacesBefore`).

    What a tokenizer was given is what this gives back. Between paragraphs (`# newpar`, `# newdoc`) whose spaces are not
    known there is a blank line.

    >>> a = Sentence(["No", "!"], misc=["SpaceAfter=No", "_"])
    >>> raw_text(Treebank([a, Sentence(["Yes"], misc=["SpacesAfter=\\\\n"])]))
    'No! Yes\\n'
    """
    parts: list[str] = []
    known = False  # what follows the last token is written there
    for sentence in treebank:
        if parts and not known and _starts_paragraph(sentence):
            parts[-1] = "\n\n"
        for token in surface(sentence):
            before, after = spaces(token.misc)
            known = after is not None
            parts += [before, token.form, " " if after is None else after]
    if parts and not known:
        parts[-1] = "\n"
    return "".join(parts)


def surface(sentence: Sentence) -> list[Token]:
    """The tokens as they stand in the text: multiword tokens whole."""
    found: list[Token] = []
    covered = 0
    for token in sentence.tokens:
        if token.is_word:
            if int(token.id) > covered:
                found.append(token)
        elif "-" in token.id:
            covered = int(token.id.partition("-")[2])
            found.append(token)
    return found


def spaces(misc: str) -> tuple[str, str | None]:
    """What stands before and after a token; None where nothing is said of it, which means a space or a new line."""
    before, after = "", None
    for entry in misc.split("|"):
        key, _, value = entry.partition("=")
        if key == "SpaceAfter" and value == "No":
            after = ""
        elif key == "SpacesAfter":
            after = _unescaped(value)
        elif key == "SpacesBefore":
            before = _unescaped(value)
    return before, after


def _unescaped(text: str) -> str:
    def meant(found: re.Match[str]) -> str:
        # Some treebanks, English EWT among them, have \u00A0.
        return chr(int(found[1][1:], 16)) if len(found[1]) > 1 else _MEANING.get(found[1], found[0])

    return _ESCAPE.sub(meant, text)


def _starts_paragraph(sentence: Sentence) -> bool:
    return any(line.lstrip("# \t").startswith(("newpar", "newdoc")) for line in sentence.comments)
