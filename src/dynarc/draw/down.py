"""A tree for a terminal, down the page: a line for each word, the arcs at its left."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from dynarc.draw.boxes import ASCII, BOXES, STYLES, Glyphs, Line, style_of
from dynarc.draw.layout import Arc, crossing_words, cut_words
from dynarc.draw.model import Drawing
from dynarc.draw.text import clip, pad, visible

# A form is not cut to less than this.
LEAST_FORM = 8


def vertical(drawing: Drawing, *, width: int | None = None, ascii: bool = False) -> list[Text]:  # noqa: A002
    """The sentence down the page: number, tree, form, tag, head and label of each word on a line of its own.

    All dependents of a word hang on one line, and an arrow leads to each. A line that begins at the left edge
    comes from ROOT; one that begins with ↻ closes a cycle, its head being further down the tree. Lines that
    cross do not touch: the upright one is drawn whole. Forms are cut to fit into the `width`.

    >>> drawing = Drawing(("She", "likes", "tea"), (2, 0, 2), ("nsubj", "root", "obj"))
    >>> print(*vertical(drawing), sep="\\n")
    1  ╭─▶ She    2  nsubj
    2 ─┼─▶ likes  0  root
    3  ╰─▶ tea    2  obj
    """
    glyphs = ASCII if ascii else BOXES
    drawing = drawing.mapped(lambda text: visible(text, ascii=ascii))
    lines = _lines(drawing, glyphs)
    tree = _Tree(drawing, [line.word for line in lines], glyphs)
    columns = [list(column) for column in zip(*(line.cells for line in lines), strict=True)]
    for i, column in enumerate(columns):
        widest = max(map(cell_len, column))
        if i == _FORM and width is not None:
            widths = [max(map(cell_len, other)) for j, other in enumerate(columns) if j != _FORM]
            others = sum(width + 2 for width in widths if width)
            widest = min(widest, max(LEAST_FORM, width - tree.width - others))
        columns[i] = [pad(clip(cell, widest, ascii=ascii), widest, right=i in (_NUMBER, _HEAD)) for cell in column]
    drawn = []
    for i, (line, cells) in enumerate(zip(lines, zip(*columns, strict=True), strict=True)):
        text = Text.assemble((cells[_NUMBER], "dim"), " ", tree.line(i))
        for j in range(_FORM, len(cells)):
            # With nothing in a column there is no column.
            if cells[j]:
                text.append(" " if j == _FORM else "  ")
                text.append(cells[j], line.styles[j])
        text.rstrip()
        drawn.append(text)
    return drawn


_NUMBER, _FORM, _TAG, _HEAD, _LABEL, _SURE, _GOLD = range(7)


@dataclass(frozen=True, slots=True)
class _Line:
    """A word, or with word 0 a multiword token or an empty node, which have no place in the tree."""

    word: int
    cells: tuple[str, ...]
    styles: tuple[str, ...]


def _lines(drawing: Drawing, glyphs: Glyphs) -> list[_Line]:
    crossing = crossing_words(drawing.heads)
    apart = ("dim", "italic", "", "", "", "", "")

    def empty(word: int) -> list[_Line]:
        return [
            _Line(0, (f"{before}.{minor}", f"[{form}]", "", "", "", "", ""), apart)
            for before, minor, form in sorted(drawing.empty)
            if before == word
        ]

    lines = empty(0)
    for word, (form, head, label) in enumerate(
        zip(drawing.forms, drawing.heads, drawing.deprels, strict=True), start=1
    ):
        for first, last, token in drawing.ranges:
            if first == word:
                lines.append(_Line(0, (f"{first}-{last}", token, "", "", "", "", ""), apart))
        tag = drawing.tags[word - 1] if drawing.tags else ""
        sure, mark = drawing.probability(word), drawing.mark(word)
        gold = ""
        if mark:
            label_of_gold = "" if mark.label is None else f" {mark.label}"
            gold = (
                f"{glyphs.wrong} gold {mark.head}{label_of_gold}"
                if mark.wrong == "head"
                else f"{glyphs.differs} gold{label_of_gold}"
            )
        style = style_of(drawing, Arc(head or 0, word, crossing=word in crossing))
        name = style or (STYLES["label"] if mark else "cyan")
        cells = (
            str(word),
            form,
            tag,
            "_" if head is None else str(head),
            label or "_",
            ("" if sure is None else f"{sure:.2f}") + (glyphs.doubtful if word in drawing.doubtful else ""),
            gold,
        )
        lines.append(_Line(word, cells, ("dim", "bold", "dim", style, name, style or "dim", "green")))
        lines += empty(word)
    return lines


class _Tree:
    """The lines at the left. Every word with dependents has an upright line, right of the one that it hangs on."""

    def __init__(self, drawing: Drawing, words: Sequence[int], glyphs: Glyphs) -> None:
        self.drawing = drawing
        self.words = words
        self.glyphs = glyphs
        self.crossing = crossing_words(drawing.heads)
        self.cut = cut_words(drawing.heads)
        self.row = {word: i for i, word in enumerate(words) if word}
        self.reach = self._reaches()  # of the upright line of each head: first and last row
        self.column = self._columns()
        self.width = 2 * (max(self.column.values(), default=-1) + 1) + 2

    def line(self, i: int) -> Text:
        glyphs, word = self.glyphs, self.words[i]
        line = Line()
        for head, (top, end) in self.reach.items():
            if top < i < end:
                line.put(self._place(head), glyphs.up)
        if word:
            self._word(line, i, word)
        text = line.text()
        text.append(" " * (self.width - text.cell_len))
        return text

    def _word(self, line: Line, i: int, word: int) -> None:
        glyphs, head = self.glyphs, self.drawing.heads[word - 1]
        style = style_of(self.drawing, Arc(head or 0, word, crossing=word in self.crossing))
        hangs = bool(head) and word not in self.cut
        own = self._place(word) if word in self.reach else self.width
        start = self._place(head) if head and hangs else 0 if head is not None else own
        for place in range(start, self.width - 1):
            if place not in line.cells:
                line.put(place, glyphs.far if word in self.crossing else glyphs.line, style)
        if head is not None:
            line.put(self.width - 1, glyphs.to_word, style)
        elif own < self.width:
            line.put(self.width - 1, glyphs.line)
        if word in self.cut:
            line.put(0, glyphs.cycle, style)
        if head and hangs:
            top, end = self.reach[head]
            line.put(start, glyphs.right_top if i == top else glyphs.right_end if i == end else glyphs.right_mid, style)
        if own < self.width:
            top, end = self.reach[word]
            if start < own:
                fork = glyphs.fork_down if i == top else glyphs.fork_up if i == end else glyphs.fork_both
            else:
                fork = glyphs.right_top if i == top else glyphs.right_end if i == end else glyphs.right_mid
            line.put(own, fork, style)

    def _place(self, head: int) -> int:
        return 2 * self.column[head] + 1

    def _reaches(self) -> dict[int, tuple[int, int]]:
        reach: dict[int, tuple[int, int]] = {}
        for word, head in enumerate(self.drawing.heads, start=1):
            if head and word not in self.cut:
                top, end = reach.get(head, (self.row[head], self.row[head]))
                reach[head] = min(top, self.row[word]), max(end, self.row[word])
        return reach

    def _columns(self) -> dict[int, int]:
        """For each head the first column right of its own head's that is free for all its rows."""
        children: dict[int, list[int]] = {}
        todo = []
        for word, head in enumerate(self.drawing.heads, start=1):
            if head and word not in self.cut:
                children.setdefault(head, []).append(word)
            else:
                todo.append((word, 0))
        columns: dict[int, int] = {}
        taken: list[list[tuple[int, int]]] = []
        for word, column in todo:  # it grows while it is read: heads come before their dependents
            if word not in self.reach:
                continue
            top, end = self.reach[word]
            while column < len(taken) and any(top <= e and t <= end for t, e in taken[column]):
                column += 1
            if column == len(taken):
                taken.append([])
            taken[column].append((top, end))
            columns[word] = column
            todo += [(child, column + 1) for child in children[word]]
        return columns
