"""How many words of each sentence were right, as a short text; and what such counts say of a difference."""

import base64
import sys
import zlib
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dynarc import _core
from dynarc.evaluation import Scores

METRICS = ("uas", "las", "f1")
DRAWS = 10_000
_MASK = 0xFFFF  # more may be found than there is

# Of a sentence: words that were scored, right heads, right heads and labels. Where not only words are scored: how many gold
# has, how many were found, how many of those are right.
Counts = list[tuple[int, int, int]]


def counts_of(scores: Scores) -> Counts:
    return [(one.words, one.heads, one.correct) for one in scores.per_sentence]


def packed(counts: Counts) -> str:
    """The words of all sentences, then the wrong heads, then what is wrong with its label: 16 bits each, compressed.

    >>> unpacked(packed([(300, 250, 240), (1, 0, 0)]))
    [(300, 250, 240), (1, 0, 0)]
    """
    rows = [[words for words, _, _ in counts], [w - h for w, h, _ in counts], [w - c for w, _, c in counts]]
    numbers = array("H", [number & _MASK for row in rows for number in row])
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(zlib.compress(numbers.tobytes(), 9)).decode()


def unpacked(text: str) -> Counts:
    numbers = array("H", zlib.decompress(base64.b64decode(text)))
    if sys.byteorder == "big":
        numbers.byteswap()
    size = len(numbers) // 3
    words, heads, labels = numbers[:size], numbers[size : 2 * size], numbers[2 * size :]
    return [(w, (w - h) & _MASK, (w - c) & _MASK) for w, h, c in zip(words, heads, labels, strict=True)]


@dataclass(frozen=True, slots=True)
class Gain:
    """How much better the second side is, in percent points, with the interval of 95 % of the draws, and p."""

    difference: float
    lower: float
    upper: float
    p: float

    @property
    def mark(self) -> str:
        """
        >>> Gain(1.0, 0.5, 1.5, 0.0004).mark, Gain(1.0, 0.1, 1.5, 0.03).mark, Gain(0.1, -0.5, 1.5, 0.4).mark
        ('**', '*', '')
        """
        return "**" if self.p < 0.01 else "*" if self.p < 0.05 else ""


def gain(first: Sequence[Counts], second: Sequence[Counts], metric: str, *, draws: int = DRAWS) -> Gain | None:
    """The paired bootstrap over sentences, and over seeds where there are several (`dynarc.evaluation.bootstrap`).

    None if a side has none, or if they were not scored on the same words.
    """
    sides = [*first, *second]
    if not first or not second or len({tuple(words for words, _, _ in one) for one in sides}) > 1:
        return None
    tables = [_table(one) for one in sides]
    (found,) = _core.bootstrap(
        tables[len(first) :], tables[: len(first)], len(METRICS), [METRICS.index(metric)], draws, 1, 95.0
    )
    _, _, difference, _, _, interval, flips = found
    return Gain(difference, *interval, min(1.0, 2 * flips / draws))


def _table(counts: Counts) -> bytes:
    """Correct, gold and system of each metric, as the engine has them."""
    rows: Iterable[int] = (
        number
        for words, second, correct in counts
        for number in (second, words, words, correct, words, words, correct, words, second)
    )
    return array("i", rows).tobytes()
