"""Where output goes and what it looks like: aligned columns, colours on terminals only, JSON."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from typing import TypeVar

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dynarc.draw.boxes import ASCII, BOXES

T = TypeVar("T")

GAP = "  "
# A file or a pipe has no width. Wide enough for any line of ours, narrow enough to be read.
PIPE_WIDTH = 160

BLOCKS = " ▏▎▍▌▋▊▉█"
BAR = 25  # characters that 100 take

Cell = str | Text


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise  # the BrokenPipeError that is being handled: the application knows how to end


def stdout() -> Console:
    """For results."""
    return _Console(highlight=False, emoji=False, markup=False)


def stderr() -> Console:
    """For everything else."""
    return _Console(stderr=True, highlight=False, emoji=False, markup=False)


def line_width(console: Console) -> int:
    return console.width if console.is_terminal else PIPE_WIDTH


def has_boxes() -> bool:
    """Whether standard output can show the lines that drawings are made of."""
    try:
        "".join(getattr(BOXES, name) for name in BOXES.__slots__).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def has_blocks() -> bool:
    """Whether standard output can show the blocks that bars are made of."""
    try:
        (BLOCKS + BOXES.up).encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def bar(figure: float, blocks: bool = True, mark: float | None = None) -> str:
    """A figure of 0 to 100 as a bar, to an eighth of a character; if there is a mark, an upright line stands there.

    >>> bar(50.5), bar(20.0, blocks=False), bar(12.0, mark=22.0)
    ('████████████▋', '#####', '███  │')
    """
    eighths = round(8 * BAR * min(max(figure, 0.0), 100.0) / 100)
    text = BLOCKS[8] * (eighths // 8) + (BLOCKS[eighths % 8] if eighths % 8 else "")
    if not blocks:
        text = "#" * round(eighths / 8)
    if mark is None:
        return text
    place = min(int(BAR * min(max(mark, 0.0), 100.0) / 100), BAR - 1)
    return text[:place].ljust(place) + (BOXES.up if blocks else ASCII.up) + text[place + 1 :]


def write(console: Console, *lines: Cell) -> None:
    """Prints lines as they are: whoever wants them to fit has made them fit."""
    for line in lines:
        console.print(line, soft_wrap=True)


def write_paragraph(console: Console, text: Cell) -> None:
    """Prints running text, wrapped where people read it."""
    width = min(line_width(console), 100)
    for line in Text.styled(text).wrap(console, width) if isinstance(text, str) else text.wrap(console, width):
        line.rstrip()
        write(console, line)


def write_json(document: object) -> None:
    unicode = (sys.stdout.encoding or "ascii").lower().startswith("utf")
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=not unicode) + "\n")


def fail(message: str, status: int) -> int:
    """Says on one line what is wrong. Gives the status back."""
    text = Text.assemble(("dynarc: error: ", "bold red"), " ".join(message.split()))
    write(stderr(), text)
    return status


@contextmanager
def waiting(console: Console, what: str) -> Iterator[Callable[[str], None]]:
    """Shows on a terminal that something is being done. Yields a function that says what is done now."""
    if not console.is_terminal:
        yield lambda what: None
        return
    with console.status(Text(what, style="dim")) as status:
        yield lambda what: status.update(Text(what, style="dim"))


def interruptible(work: Callable[[], T]) -> T:
    """The result of `work`, done in a thread of its own: Ctrl-C is heard even while the engine computes."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # result() raises it again
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    while not wait([future], timeout=0.5).done:
        pass
    return future.result()


@dataclass(frozen=True, slots=True)
class Column:
    title: str
    right: bool = False
    width: int = 0

    def pad(self, cell: Cell) -> Text:
        text = cell.copy() if isinstance(cell, Text) else Text(cell)
        blank = " " * max(0, max(self.width, cell_len(self.title)) - text.cell_len)
        return Text.assemble(blank, text) if self.right else Text.assemble(text, blank)


class Columns:
    """A table without lines, so that it reads the same on a terminal and in a file."""

    def __init__(self, columns: Sequence[Column], indent: str = "") -> None:
        self.columns = columns
        self.indent = indent

    @classmethod
    def fitted(cls, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], indent: str = "") -> "Columns":
        """Columns as wide as what will be in them."""
        widths = (max((_len(row[i]) for row in rows), default=0) for i in range(len(columns)))
        return cls([Column(c.title, c.right, width) for c, width in zip(columns, widths, strict=True)], indent)

    def header(self) -> Text:
        line = self.row([column.title for column in self.columns])
        line.stylize("dim")
        return line

    def row(self, cells: Iterable[Cell], style: str = "") -> Text:
        padded = [column.pad(cell) for column, cell in zip(self.columns, cells, strict=True)]
        line = Text.assemble(self.indent, Text(GAP).join(padded))
        line.rstrip()
        line.stylize(style)
        return line


def _len(cell: Cell) -> int:
    return cell.cell_len if isinstance(cell, Text) else cell_len(cell)


def count(number: int, noun: str, several: str | None = None) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {several or noun + 's'}"


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f}%" if whole else "-"
