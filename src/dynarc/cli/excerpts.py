"""Sentences on one line with some of their words marked, for terminals and pages."""

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.text import Text

from dynarc.draw import html
from dynarc.draw.text import in_order, visible
from dynarc.sentence import Sentence

# Words around a marked one: as many as there is room for.
CONTEXTS = (1000, 20, 14, 10, 7, 5, 3, 2)


class Piece(NamedTuple):
    """A stretch of text. A marked word comes alone, with what there is to say of it."""

    text: str
    note: str | None = None


def excerpt(sentence: Sentence, notes: Mapping[int, str], *, width: int | None = None) -> list[Piece]:
    """The sentence, or as much of it around the words that have notes as fits the width."""
    forms = [visible(form) for form in sentence.forms]
    glued = [misc == "SpaceAfter=No" or "SpaceAfter=No" in misc.split("|") for misc in sentence.misc]
    for context in CONTEXTS:
        shown = [any(abs(i - word) <= context for word in notes) for i in range(1, len(forms) + 1)]
        pieces = _pieces(forms, glued, shown, notes)
        if width is None or sum(cell_len(p.text) + (cell_len(p.note) + 4 if p.note else 0) for p in pieces) <= width:
            break
    return pieces


def _pieces(
    forms: Sequence[str], glued: Sequence[bool], shown: Sequence[bool], notes: Mapping[int, str]
) -> list[Piece]:
    pieces: list[Piece] = []
    text = ""
    for i, form in enumerate(forms):
        if not shown[i]:
            if i == 0 or shown[i - 1]:
                text += "… "
            continue
        if i + 1 in notes:
            pieces += [Piece(text), Piece(form, notes[i + 1])]
            text = ""
        else:
            text += form
        text += "" if glued[i] else " "
    pieces.append(Piece(text.rstrip() if text.strip() else ""))
    return [piece for piece in pieces if piece.text or piece.note is not None]


def as_text(pieces: Collection[Piece]) -> Text:
    """For terminals and files: `They ate pizza [with](case>mark) anchovies`."""
    line = Text()
    for piece in pieces:
        if piece.note is None:
            line.append(in_order(piece.text))
        else:
            line.append(f"[{in_order(piece.text)}]", "bold")
            line.append(f"({visible(piece.note)})", "yellow")
    return line


def as_html(pieces: Collection[Piece]) -> html.Html:
    parts: list[object] = []
    for piece in pieces:
        if piece.note is None:
            parts.append(piece.text)
        else:
            parts += [html.Html("<mark>"), piece.text, html.Html("<small>"), piece.note, html.Html("</small></mark>")]
    return html.join(*parts)


def title(sentence: Sentence, number: int) -> str:
    """Where a sentence is, for those who want to look there."""
    name = "" if sentence.sent_id is None else f" {sentence.sent_id}"
    return f"{sentence.path}:{sentence.line}{name}" if sentence.line else f"sentence {number}{name}"


def note(gold: Sentence, system: Sentence, word: int) -> str:
    """What is wrong with a word: `nmod>obl, head ate>with`; what is right is said once."""
    labels = [sentence.deprels[word - 1] or "_" for sentence in (gold, system)]
    heads = [sentence.heads[word - 1] for sentence in (gold, system)]
    text = labels[0] if labels[0] == labels[1] else ">".join(labels)
    if heads[0] == heads[1]:
        return text
    names = ["_" if head is None else gold.forms[head - 1] if head else "ROOT" for head in heads]
    if names[0] == names[1]:  # two words of one form
        names = [f"{name} {head}" for name, head in zip(names, heads, strict=True)]
    return f"{text}, head {'>'.join(names)}"


def words(sentence: Sentence, most: int = 20) -> str:
    """The beginning of a sentence."""
    text = " ".join(sentence.forms[:most])
    return f"{text} …" if len(sentence) > most else text
