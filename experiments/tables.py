"""What a table is: the work that it needs, by name, and a page that is made of what was found."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Any

from experiments import sentences
from experiments.data import TREEBANKS
from experiments.sentences import METRICS, Gain, gain, unpacked
from experiments.work import Result, Work

from dynarc import ErrorExploration, TrainConfig

Cell = tuple[Hashable, ...]  # what the table calls a piece of work: treebank, row, seed and the like
Cells = dict[Cell, Work]
Row = Sequence[str]

EXPLORING = ErrorExploration(1, 0.9)
FOLDS = 10
BASE = TrainConfig(nonprojective="drop", keep="last")


@dataclass(frozen=True, slots=True)
class Choice:
    """What the caller chose of a table: treebanks and seeds; parts of a cross-validation; draws of the bootstrap."""

    treebanks: tuple[str, ...]
    seeds: tuple[int, ...]
    folds: int = FOLDS
    draws: int = sentences.DRAWS


@dataclass(frozen=True, slots=True)
class Compared:
    """Two rows over the seeds that both have: by how much the second is better, and whether that means anything."""

    difference: float
    seeds: int
    gain: Gain | None  # None where the counts of sentences were not kept

    def __str__(self) -> str:
        return signed(self.difference) + ("" if self.gain is None else self.gain.mark)


class Results:
    """What was found, by the names of the cells. Figures are of what is finished, None if nothing is."""

    def __init__(self, found: Mapping[Cell, Result | None], draws: int = sentences.DRAWS) -> None:
        self._found = found
        self._draws = draws

    def __getitem__(self, cell: Cell) -> Result | None:
        return self._found.get(cell)

    def figures(self, cells: Iterable[Cell], *path: str) -> list[float] | None:
        """One figure of some cells: `figures(cells, "scores", "las")`."""
        values = [value for cell in cells if (value := self._figure(cell, path)) is not None]
        return values or None

    def _figure(self, cell: Cell, path: Sequence[str]) -> float | None:
        value: Any = self._found.get(cell)
        for name in path:
            value = None if value is None else value.get(name)
        return None if value is None else float(value)

    def mean(self, cells: Iterable[Cell], *path: str) -> float | None:
        values = self.figures(cells, *path)
        return None if values is None else mean(values)

    def shown(self, cells: Sequence[Cell], *path: str, digits: int = 2) -> str:
        """The mean, and over how many of the cells it is, if not over all."""
        values = self.figures(cells, *path) or []
        few = f" ({len(values)})" if 0 < len(values) < len(cells) else ""
        return figure(mean(values) if values else None, digits) + few

    def compared(self, first: Sequence[Cell], second: Sequence[Cell], metric: str = "las") -> Compared | None:
        """The second row against the first, seed by seed."""
        path = ("scores", metric)
        pairs = [
            (a, b)
            for a, b in zip(first, second, strict=True)
            if self._figure(a, path) is not None and self._figure(b, path) is not None
        ]
        if not pairs:
            return None
        sides = [[self._found[pair[side]] for pair in pairs] for side in (0, 1)]
        means = [mean(one["scores"][metric] for one in side if one is not None) for side in sides]
        counts = [[text for one in side if (text := _sentences(one, metric)) is not None] for side in sides]
        tested = None
        if all(len(side) == len(pairs) for side in counts):
            first_counts, second_counts = ([unpacked(text) for text in side] for side in counts)
            tested = gain(first_counts, second_counts, metric if metric in METRICS else "f1", draws=self._draws)
        return Compared(means[1] - means[0], len(pairs), tested)


def _sentences(result: Result | None, metric: str) -> str | None:
    """The counts of sentences; of the part of the data that the metric is called after, where there are several."""
    found = None if result is None else result.get("sentences")
    known = found.get(metric) if isinstance(found, dict) else found
    return known if isinstance(known, str) else None


Plan = Callable[[Choice], Cells]
Render = Callable[[Choice, Results], list[str]]
Picture = Callable[[Choice, Results], str]


@dataclass(frozen=True, slots=True)
class Table:
    """A page of docs/results: `plan` says what to find out, `render` what to write of it, `about` how it is to be read,
    `picture` what to draw."""

    name: str
    title: str
    about: str
    plan: Plan
    render: Render
    treebanks: tuple[str, ...] = TREEBANKS
    seeds: tuple[int, ...] = (1, 2, 3)
    picture: Picture | None = None
    note: str = ""  # what came out, in words that no program finds


SIGNIFICANCE = (
    "Differences are over the seeds that both sides have. One star: p < 0.05, two: p < 0.01, by the paired bootstrap over "
    "sentences and seeds (10,000 draws)."
)


def grid(header: Row, rows: Iterable[Row]) -> list[str]:
    """A table in Markdown."""
    return ["| " + " | ".join(row) + " |" for row in (header, ["---"] * len(header), *rows)]


def figure(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def signed(value: float | None, digits: int = 2) -> str:
    return "-" if value is None else f"{value:+.{digits}f}"


def told(compared: Compared | None) -> str:
    return "-" if compared is None else str(compared)


def verdict(name: str, found: Mapping[str, Compared | None]) -> str:
    """One sentence on a row of differences: how many are above 0, how many surely so, and the mean."""
    known = [one for one in found.values() if one is not None]
    if not known:
        return f"{name}: nothing is finished yet."
    above = sum(one.difference > 0 for one in known)
    tested = [one.gain for one in known if one.gain is not None]
    surely, surely_below = (sum(g.p < 0.05 and (g.difference > 0) == up for g in tested) for up in (True, False))
    text = f"{name}: above on {above} of {len(known)} treebanks, mean {mean(one.difference for one in known):+.2f}"
    if tested:
        text += f"; significantly (p < 0.05) above on {surely} and below on {surely_below} of {len(tested)} tested"
    return text + "."


def goal_met(words: str, found: Mapping[str, Compared | None]) -> str:
    """What is said of a goal, and that it is not the last word, where treebanks are missing.

    >>> goal_met("met", {"a": None}), goal_met("missed by 0.10", {})
    (', met so far', ', missed by 0.10')
    """
    return f", {words}{' so far' if None in found.values() else ''}" if words else ""


def mean_gain(found: Mapping[str, Compared | None]) -> float | None:
    return average(None if one is None else one.difference for one in found.values())


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
    """The mean of those that are known."""
    known = [value for value in values if value is not None]
    return mean(known) if known else None


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
