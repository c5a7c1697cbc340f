"""What a table is: the runs that it needs, by name, and a page that is made of their results."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from statistics import mean, stdev
from typing import Any

from experiments.data import TREEBANKS
from experiments.runs import Result, Run

from dynarc import TrainConfig
from dynarc.config import ErrorExploration

Cell = tuple[Hashable, ...]  # what the table calls a run: treebank, row, seed and the like
Cells = dict[Cell, Run]
Row = Sequence[str]

EXPLORING = ErrorExploration(1, 0.9)
BASE = TrainConfig(nonprojective="drop", keep="last")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the caller chose of a table: treebanks and seeds."""

    treebanks: tuple[str, ...]
    seeds: tuple[int, ...]


class Results:
    """Results by the names of their runs. What is not there yet is None in every figure."""

    def __init__(self, found: Mapping[Cell, Result | None]) -> None:
        self._found = found

    def __getitem__(self, cell: Cell) -> Result | None:
        return self._found.get(cell)

    def figures(self, cells: Iterable[Cell], *path: str) -> list[float] | None:
        """One figure of some runs, if all are there: `figures(cells, "scores", "las")`."""
        values = []
        for cell in cells:
            value: Any = self._found.get(cell)
            for name in path:
                value = None if value is None else value.get(name)
            if value is None:
                return None
            values.append(float(value))
        return values or None

    def mean(self, cells: Iterable[Cell], *path: str) -> float | None:
        values = self.figures(cells, *path)
        return None if values is None else mean(values)


Plan = Callable[[Choice], Cells]
Render = Callable[[Choice, Results], list[str]]


@dataclass(frozen=True, slots=True)
class Table:
    """A page of docs/results: `plan` says what to run, `render` what to write of it, `about` how it is to be read."""

    name: str
    title: str
    about: str
    plan: Plan
    render: Render
    treebanks: tuple[str, ...] = TREEBANKS
    seeds: tuple[int, ...] = (1, 2, 3)


def with_options(config: TrainConfig, **options: Any) -> TrainConfig | None:
    """The configuration with these options, or None if this version does not know all of them."""
    if not set(options) <= {field.name for field in fields(TrainConfig)}:
        return None
    return TrainConfig.from_dict({**config.to_dict(), **options})


def grid(header: Row, rows: Iterable[Row]) -> list[str]:
    """A table in Markdown."""
    return ["| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows)]


def figure(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:+.{digits}f}"


def spread(values: Sequence[float] | None) -> str:
    """Every value, and how far they lie apart.

    >>> spread([85.0, 85.5])
    '85.00 85.50 (sd 0.35)'
    """
    if values is None:
        return "-"
    each = " ".join(f"{value:.2f}" for value in values)
    return f"{each} (sd {stdev(values):.2f})" if len(values) > 1 else each


def difference(a: float | None, b: float | None) -> float | None:
    """a - b."""
    return None if a is None or b is None else a - b


def average(values: Iterable[float | None]) -> float | None:
    """The mean of all, None if one of them is."""
    known = list(values)
    if not known or any(value is None for value in known):
        return None
    return mean(value for value in known if value is not None)


def at_least(value: float | None, goal: float | None, digits: int = 2) -> str:
    """
    >>> at_least(85.2, 85.0), at_least(84.9, 85.0), at_least(84.9, None)
    ('met', 'missed by 0.10', '')
    """
    if value is None or goal is None:
        return ""
    return "met" if round(value, digits) >= goal else f"missed by {goal - value:.{digits}f}"


def at_most(value: float | None, goal: float, digits: int = 2) -> str:
    if value is None:
        return ""
    return "met" if round(value, digits) <= goal else f"missed by {value - goal:.{digits}f}"


def within(value: float | None, goal: float, margin: float) -> str:
    """
    >>> within(79.0, 79.4, 0.6), within(78.0, 79.4, 0.6), within(81.0, 79.4, 0.6)
    ('met', '1.40 below', '1.60 above')
    """
    if value is None:
        return ""
    off = value - goal
    if round(abs(off), 2) <= margin:
        return "met"
    return f"{abs(off):.2f} {'above' if off > 0 else 'below'}"
