"""What both terminal styles are made of: the characters of lines, the colours, and lines of cells."""

from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from dynarc.draw.layout import Arc
from dynarc.draw.model import Drawing


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of lines. `far` is the line of an arc that is not projective."""

    line: str = "─"
    far: str = "╌"
    edge: str = "┄"
    up: str = "│"
    right_top: str = "╭"
    right_mid: str = "├"
    right_end: str = "╰"
    left_top: str = "╮"
    left_mid: str = "┤"
    left_end: str = "╯"
    fork_down: str = "┬"
    fork_up: str = "┴"
    fork_both: str = "┼"
    to_word: str = "▶"
    down: str = "▼"
    cycle: str = "↻"
    wrong: str = "✗"
    gold: str = "✓"
    differs: str = "≠"
    doubtful: str = "?"


BOXES = Glyphs()
ASCII = Glyphs("-", "~", ":", "|", ".", "+", "`", ".", "+", "'", "+", "+", "+", ">", "v", "@", "!", "=", "!=")

STYLES = {
    "right": "",
    "crossing": "magenta",
    "wrong": "bold red",
    "gold": "green",
    "label": "yellow",
    "doubtful": "bold yellow",
    "unsure": "dim",
}


def style_of(drawing: Drawing, arc: Arc) -> str:
    mark, sure = drawing.mark(arc.word), drawing.probability(arc.word)
    if arc.gold:
        return STYLES["gold"]
    if mark and mark.wrong == "head":
        return STYLES["wrong"]
    if arc.word in drawing.doubtful:
        return STYLES["doubtful"]
    if arc.crossing:
        return STYLES["crossing"]
    return STYLES["unsure"] if sure is not None and sure < 0.5 else STYLES["right"]


class Line:
    """A line of cells that is written here and there."""

    def __init__(self) -> None:
        self.cells: dict[int, tuple[str, str]] = {}

    def put(self, place: int, text: str, style: str = "") -> None:
        if text:
            self.cells[place] = (text, style)
            # The first cell holds the text whole: cut into characters, it might be wider or narrower.
            self.cells.update(dict.fromkeys(range(place + 1, place + cell_len(text)), ("", "")))

    def text(self) -> Text:
        line = Text()
        for place in range(max(self.cells, default=-1) + 1):
            line.append(*self.cells.get(place, (" ", "")))
        line.rstrip()
        return line
