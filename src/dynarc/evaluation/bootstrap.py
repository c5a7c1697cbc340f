"""Whether a difference means anything: the paired bootstrap over sentences, and over systems where there are several.

In each draw as many sentences as there are in the gold standard are drawn from it with replacement, the same for
every system. Where a side has several systems (seeds of one parser, say), as many as it has are drawn from them with
replacement too, and their figures averaged. The difference of the two sides is computed anew in each draw.

`p`, two-sided, is twice the share of draws in which the difference does not have the sign of the one observed (0 counts
as a flip), and at most 1; it is 1 if none was observed. `flips` is the number of those draws. If it is 0, all that can
be said is that p is below 2 / draws. Intervals are percentile intervals: from the 2.5 % smallest to the 2.5 % largest
figure among the draws, by nearest rank. With protocol `ud`, words, tokens and sentences that only the system has are
drawn with the gold sentence in which they begin.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dynarc import _core
from dynarc.errors import ConfigError, EvaluationError
from dynarc.evaluation.protocols import Protocol
from dynarc.evaluation.scores import TREE_METRICS, Scores

DRAWS = 10_000
SEED = 1
LEVEL = 95.0


@dataclass(frozen=True, slots=True)
class Interval:
    """Where a figure lies in all but a few draws; in percent."""

    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric of two sides, in percent, with what the draws say of it."""

    metric: str
    first: float
    second: float
    difference: float
    p: float
    flips: int
    first_interval: Interval
    second_interval: Interval
    interval: Interval


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`."""

    protocol: Protocol
    first: tuple[str, ...]
    second: tuple[str, ...]
    draws: int
    seed: int
    level: float
    differences: Mapping[str, Difference]

    @property
    def over_seeds(self) -> bool:
        """Systems were drawn too, not only sentences."""
        return len(self.first) > 1 or len(self.second) > 1


def compare(
    first: Scores | Sequence[Scores],
    second: Scores | Sequence[Scores],
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = LEVEL,
    metrics: Sequence[str] | None = None,
) -> Comparison:
    """Compares systems by the paired bootstrap described above: one with one, or several with several.

    All must have been evaluated against the same gold standard by the same protocol. `metrics` are names from
    `Scores.counts`; by default those of trees, with protocol `ud` also Words, Sentences, MLAS and BLEX.
    """
    sides = _side(first), _side(second)
    chosen = _check((*sides[0], *sides[1]), draws, level, metrics)
    found = _draw(sides[0], sides[1], chosen, draws, seed, level)
    differences = {}
    for metric, (a, b, difference, a_interval, b_interval, interval, flips) in zip(chosen, found, strict=True):
        differences[metric] = Difference(
            metric=metric,
            first=a,
            second=b,
            difference=difference,
            p=min(1.0, 2 * flips / draws),
            flips=flips,
            first_interval=Interval(*a_interval),
            second_interval=Interval(*b_interval),
            interval=Interval(*interval),
        )
    names = [tuple(scores.system for scores in side) for side in sides]
    return Comparison(sides[0][0].protocol, names[0], names[1], draws, seed, level, differences)


def intervals(
    scores: Scores | Sequence[Scores],
    *,
    draws: int = DRAWS,
    seed: int = SEED,
    level: float = LEVEL,
    metrics: Sequence[str] | None = None,
) -> dict[str, Interval]:
    """The confidence interval of each metric of one system, or of the mean of several. See `compare`."""
    side = _side(scores)
    chosen = _check(side, draws, level, metrics)
    found = _draw(side, (), chosen, draws, seed, level)
    return {metric: Interval(*values[3]) for metric, values in zip(chosen, found, strict=True)}


def _side(scores: Scores | Sequence[Scores]) -> tuple[Scores, ...]:
    side = (scores,) if isinstance(scores, Scores) else tuple(scores)
    if not side:
        raise ConfigError("there are no scores to compare")
    return side


def _draw(
    first: Sequence[Scores], second: Sequence[Scores], metrics: Sequence[str], draws: int, seed: int, level: float
) -> Sequence[tuple[float, float, float, tuple[float, float], tuple[float, float], tuple[float, float], int]]:
    columns = first[0].metrics
    return _core.bootstrap(
        [scores.table for scores in first],
        [scores.table for scores in second],
        len(columns),
        [columns.index(metric) for metric in metrics],
        draws,
        seed % 2**64,
        level,
    )


def default_metrics(scores: Scores) -> tuple[str, ...]:
    """What is drawn unless something else is asked for."""
    return TREE_METRICS if scores.protocol.same_words else (*TREE_METRICS, "Words", "Sentences", "MLAS", "BLEX")


def _check(all_scores: Sequence[Scores], draws: int, level: float, metrics: Sequence[str] | None) -> tuple[str, ...]:
    """The metrics to draw, if the scores can be compared at all."""
    if draws < 1:
        raise ConfigError(f"{draws} draws are none: the bootstrap needs one or more", "draws")
    if not 0 < level < 100:
        raise ConfigError(f"a level of {level} is not between 0 and 100 percent", "level")
    head = all_scores[0]
    for scores in all_scores[1:]:
        if scores.protocol != head.protocol:
            raise ConfigError(
                f"{head.system} was scored by protocol {head.protocol.name}, {scores.system} by {scores.protocol.name}"
            )
        if _gold_words(scores) != _gold_words(head):
            raise EvaluationError(
                scores.system, None, f"was not scored against the same gold standard as {head.system}"
            )
    chosen = default_metrics(head) if metrics is None else tuple(metrics)
    for metric in chosen:
        if any(metric not in scores.counts for scores in all_scores):
            raise ConfigError(f"unknown metric {metric!r}", "metric", head.counts)
    return chosen


def _gold_words(scores: Scores) -> list[int]:
    """The number of scored words in each gold sentence."""
    return memoryview(scores.table).cast("i")[1 :: 3 * len(scores.metrics)].tolist()
