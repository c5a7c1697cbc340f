"""How far probabilities can be trusted: reliability by bins, errors of calibration, and what one keeps of the surest.

Everything here is about `Outcomes`: probabilities that were given beforehand, and whether what they were given to was
right. The order of the items never matters, and equal probabilities are always kept or left together.
"""

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import compress, islice, pairwise
from operator import ne, not_

from dynarc.errors import ConfigError

BINS = 15
# Where probabilities are cut off for the log loss: one that is said to be impossible, and happens, costs 13.8.
CLIP = 1e-6
# To how many digits a probability must be 1 for the last bin of `action_bins`. The paper does not say. For Swedish its
# bin has 493 items, one for each sentence, and its bin 0.9 has 14k: few digits would have put far more into it.
ONE = 12
# The shares of items kept, and of right ones among them, that reports show.
SHARES = (0.5, 0.8, 0.9)
TARGETS = (0.95, 0.99, 0.995)


@dataclass(frozen=True, repr=False)
class Outcomes:
    """Probabilities and, for each, whether it came true. At least one; from 0 to 1.

    >>> Outcomes([0.9, 0.6, 0.6], [True, False, True])
    <Outcomes: 2 of 3 right>
    """

    probs: Sequence[float]
    right: Sequence[bool]

    def __post_init__(self) -> None:
        if len(self.probs) != len(self.right):
            raise ConfigError(f"{len(self.probs)} probabilities cannot go with {len(self.right)} outcomes")
        if not len(self.probs):
            raise ConfigError("there is nothing to judge: no probabilities were given")
        if (bad := next((p for p in self.probs if not 0.0 <= p <= 1.0), None)) is not None:
            raise ConfigError(f"{bad} is no probability: it must be from 0 to 1")

    def __len__(self) -> int:
        return len(self.probs)

    def __repr__(self) -> str:
        return f"<Outcomes: {len(self.rows[0]):,} of {len(self):,} right>"

    @cached_property
    def rows(self) -> tuple[list[float], list[float]]:
        """The probabilities of what was right, and of what was wrong, each in rising order."""
        return sorted(compress(self.probs, self.right)), sorted(compress(self.probs, map(not_, self.right)))

    @cached_property
    def levels(self) -> tuple[list[float], list[int], list[int]]:
        """The probabilities that occur, falling; how many items have that much or more; how many of those are right."""
        right, wrong = self.rows
        every = sorted([*right, *wrong], reverse=True)
        kept = [*compress(range(1, len(every)), map(ne, every, islice(every, 1, None))), len(every)]
        probs = [every[number - 1] for number in kept]
        return probs, kept, [len(right) - bisect_left(right, p) for p in probs]


# Bins.


@dataclass(frozen=True, slots=True)
class Bin:
    """The items with a probability from `low` to below `high`; in the last bin also those of `high` itself."""

    low: float
    high: float
    items: int
    right: int
    total: float  # of the probabilities

    @property
    def said(self) -> float:
        """The mean probability; of no items, the middle of the bin."""
        return self.total / self.items if self.items else (self.low + self.high) / 2

    @property
    def accuracy(self) -> float:
        """The share that was right."""
        return self.right / self.items if self.items else 0.0

    @property
    def gap(self) -> float:
        """By how much more was right than was said; below 0, the probabilities were too high."""
        return self.accuracy - self.said if self.items else 0.0


def equal_bins(outcomes: Outcomes, number: int = BINS) -> list[Bin]:
    """Bins of equal width from 0 to 1, also those without items.

    >>> [(b.items, b.right) for b in equal_bins(Outcomes([0.2, 0.5, 1.0], [False, True, True]), 2)]
    [(1, 0), (2, 2)]
    """
    if number < 1:
        raise ConfigError(f"there cannot be {number} bins")
    return _bins(outcomes, [place / number for place in range(number)])


def action_bins(outcomes: Outcomes, digits: int = ONE) -> list[Bin]:
    """The bins of Goldberg 2013, Table 4: tenths, and one for what is 1 to so many digits.

    >>> [b.low for b in action_bins(Outcomes([0.31, 1.0], [True, True])) if b.items]
    [0.3, 1.0]
    """
    almost = 1 - 0.5 * 10.0**-digits
    bins = _bins(outcomes, [*(place / 10 for place in range(10)), almost])
    return [*bins[:9], _named(bins[9], 0.9, 1.0), _named(bins[10], 1.0, 1.0)]


def _named(b: Bin, low: float, high: float) -> Bin:
    return Bin(low, high, b.items, b.right, b.total)


def _bins(outcomes: Outcomes, edges: Sequence[float]) -> list[Bin]:
    right, wrong = outcomes.rows
    cuts = [[*(bisect_left(row, edge) for edge in edges), len(row)] for row in (right, wrong)]
    found = []
    for place, (low, high) in enumerate(pairwise([*edges, 1.0])):
        (a, b), (c, d) = ((cut[place], cut[place + 1]) for cut in cuts)
        # One exact sum: it is the same in whatever order the items came.
        found.append(Bin(low, high, b - a + d - c, b - a, math.fsum([*right[a:b], *wrong[c:d]])))
    return found


def largest_gap(bins: Sequence[Bin], *, low: float = 0.5, items: int = 300) -> Bin | None:
    """Of the bins from `low` up that have enough items, the one whose share of right items is furthest from said."""
    return max((b for b in bins if b.low >= low and b.items >= items), key=lambda b: abs(b.gap), default=None)


# Figures.


def calibration_error(bins: Sequence[Bin]) -> float:
    """The expected calibration error: the mean distance of right and said over all items, each by its bin."""
    return math.fsum(b.items * abs(b.gap) for b in bins) / sum(b.items for b in bins)


def brier(outcomes: Outcomes) -> float:
    """The mean squared distance of probabilities from what came true: 0 is perfect, a coin has 0.25."""
    right, wrong = outcomes.rows
    return math.fsum([*((1 - p) ** 2 for p in right), *(p * p for p in wrong)]) / len(outcomes)


def log_loss(outcomes: Outcomes, clip: float = CLIP) -> float:
    """The mean of -log of what was said of the truth, in nats. Probabilities are first moved into [clip, 1 - clip].

    >>> round(log_loss(Outcomes([0.5], [True])), 4)
    0.6931
    """
    right, wrong = outcomes.rows
    gains = (math.log(min(max(p, clip), 1 - clip)) for p in right)
    losses = (math.log1p(-min(max(p, clip), 1 - clip)) for p in wrong)
    return -math.fsum([*gains, *losses]) / len(outcomes)


def error_auc(outcomes: Outcomes) -> float | None:
    """How often a wrong item has a lower probability than a right one, ties counting half: the area under the curve of
    finding errors by low probability. None if all are right or all wrong."""
    right, wrong = outcomes.rows
    if not right or not wrong:
        return None
    _, kept, kept_right = outcomes.levels
    doubled = above = above_wrong = 0  # pairs in which the right one is surer count twice, ties once
    for items, rights in zip(kept, kept_right, strict=True):
        wrongs = items - rights
        doubled += (wrongs - above_wrong) * (above + rights)
        above, above_wrong = rights, wrongs
    return doubled / (2 * len(right) * len(wrong))


@dataclass(frozen=True, slots=True)
class Figures:
    """What a report says of some outcomes; shares and errors are from 0 to 1."""

    items: int
    accuracy: float
    said: float  # the mean probability
    ece: float  # expected calibration error, 15 bins of equal width
    mce: float  # of those bins the largest distance of right and said
    brier: float
    log_loss: float
    auc: float | None


def figures(outcomes: Outcomes) -> Figures:
    bins = equal_bins(outcomes)
    return Figures(
        items=len(outcomes),
        accuracy=len(outcomes.rows[0]) / len(outcomes),
        said=math.fsum(b.total for b in bins) / len(outcomes),
        ece=calibration_error(bins),
        mce=max(abs(b.gap) for b in bins),
        brier=brier(outcomes),
        log_loss=log_loss(outcomes),
        auc=error_auc(outcomes),
    )


# Coverage against precision.


@dataclass(frozen=True, slots=True)
class Kept:
    """All items of `threshold` and more, the surest, out of `of` items."""

    threshold: float
    items: int
    right: int
    of: int

    @property
    def share(self) -> float:
        return self.items / self.of

    @property
    def accuracy(self) -> float:
        return self.right / self.items

    @property
    def error_rate(self) -> float:
        return (self.items - self.right) / self.items


def keep_share(outcomes: Outcomes, share: float) -> Kept:
    """The surest items, as few as make up at least this share of all.

    >>> keep_share(Outcomes([0.9, 0.8, 0.8, 0.1], [True, True, False, False]), 0.5)
    Kept(threshold=0.8, items=3, right=2, of=4)
    """
    wanted = _exact(share) * len(outcomes)
    _, kept, _ = outcomes.levels
    return _kept(outcomes, min(bisect_left(kept, wanted), len(kept) - 1))


def keep_right(outcomes: Outcomes, target: float) -> Kept | None:
    """The surest items, as many as can be of which at least this share is right; None if not even the surest are.

    >>> keep_right(Outcomes([0.9, 0.8, 0.7, 0.1], [True, False, True, False]), 0.6)
    Kept(threshold=0.7, items=3, right=2, of=4)
    """
    wanted = _exact(target)
    top, bottom = wanted.numerator, wanted.denominator
    _, kept, right = outcomes.levels
    for place in range(len(kept) - 1, -1, -1):
        if right[place] * bottom >= top * kept[place]:
            return _kept(outcomes, place)
    return None


def coverage(outcomes: Outcomes, points: int = 200) -> list[Kept]:
    """What is kept from the surest to all, in about so many steps; the last one is all."""
    _, kept, _ = outcomes.levels
    places = {bisect_left(kept, len(outcomes) * step / points) for step in range(1, points)}
    return [_kept(outcomes, place) for place in sorted({*places, len(kept) - 1})]


def _kept(outcomes: Outcomes, place: int) -> Kept:
    probs, kept, right = outcomes.levels
    return Kept(probs[place], kept[place], right[place], len(outcomes))


def _exact(share: float) -> Fraction:
    """0.99 as it is meant: no rounding decides whether 99 of 100 are enough."""
    if not 0.0 <= share <= 1.0:
        raise ConfigError(f"{share} is no share: it must be from 0 to 1")
    return Fraction(share).limit_denominator(1_000_000)


# Reports.


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """What `dynarc calibrate` shows of a model on a treebank.

    An action is right if the dynamic oracle has it among the best in the state the parser is in; an arc if its head
    is, a label if head and label are, a tree if all its arcs are. `notes` are sentences on how it was measured.
    """

    model: str
    data: str
    sentences: int
    words: int
    transitions: Outcomes  # the best action's softmax, as it comes from the scores
    fitted_transitions: Outcomes | None  # the same after the fitted map
    arcs: Outcomes
    labels: Outcomes
    trees: Outcomes | None = None
    notes: tuple[str, ...] = ()

    def each(self) -> Iterator[tuple[str, Outcomes]]:
        """What is judged word by word or tree by tree, by name."""
        yield "arcs", self.arcs
        yield "labels", self.labels
        if self.trees is not None:
            yield "trees", self.trees
