"""The bootstrap of FEATURES 10: sentences drawn with replacement, paired, two-sided p, percentile intervals."""

import random
import struct
from collections.abc import Sequence

import pytest
from tests.unit.test_evaluate import conllu

from dynarc import _core
from dynarc.errors import ConfigError, EvaluationError
from dynarc.evaluation import Scores, compare, evaluate, intervals

GOLD_LABEL, WRONG_LABEL = "root", "wrong"


def one_word_sentences(right: Sequence[bool]) -> Scores:
    """A system that has the label right in some sentences of one word: its LAS is the share of them."""
    gold = conllu(*["a 0 root"] * len(right))
    return evaluate(gold, conllu(*(f"a 0 {GOLD_LABEL if r else WRONG_LABEL}" for r in right)))


class SplitMix:
    """The engine's random numbers once more (base/rng.hpp)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        return ((self.next() >> 32) * bound) >> 32


def literal(first: Sequence[Scores], second: Sequence[Scores], draws: int, seed: int) -> tuple[list[float], int]:
    """The sorted differences of LAS in all draws, and the flips, as the module's docstring defines them."""

    def las(scores: Scores, sentences: Sequence[int]) -> float:
        rows = [scores.per_sentence[i] for i in sentences]
        correct, total = sum(r.correct for r in rows), sum(r.words + r.system_words for r in rows)
        return 100 * (2 * correct / total)

    n = first[0].sentences
    everything = range(n)
    whole = [sum(las(scores, everything) for scores in side) / len(side) for side in (first, second)]
    observed = whole[0] - whole[1]
    seeds, differences, flips = SplitMix(seed), [], 0
    for _ in range(draws):
        rng = SplitMix(seeds.next())
        sentences = [rng.below(n) for _ in everything]
        means = []
        for side in (first, second):
            drawn = [side[rng.below(len(side))] for _ in side]
            means.append(sum(las(scores, sentences) for scores in drawn) / len(side))
        difference = means[0] - means[1]
        differences.append(difference)
        flips += difference < 1e-9 if observed > 0 else difference > -1e-9
    return sorted(differences), flips


def systems(number: int, seed: int, words: int = 4) -> list[Scores]:
    """Scores of systems that are wrong here and there, against one gold standard with sentences of several lengths."""
    rng = random.Random(0)
    sizes = [rng.randint(1, words) for _ in range(15)]
    gold = ["; ".join("a 0 x" for _ in range(size)) for size in sizes]
    rng = random.Random(seed)
    outputs = [["; ".join(f"a 0 {rng.choice('xxxy')}" for _ in range(size)) for size in sizes] for _ in range(number)]
    return [evaluate(conllu(*gold), conllu(*output)) for output in outputs]


@pytest.mark.parametrize(("first", "second"), [(1, 1), (3, 2), (1, 4)])
def test_same_as_the_literal_definition(first: int, second: int) -> None:
    a, b = systems(first, 1), systems(second, 2)
    differences, flips = literal(a, b, 400, 7)
    found = compare(a, b, draws=400, seed=7).differences["LAS"]
    assert found.flips == flips
    assert 0 < flips < 400
    assert found.p == min(1, 2 * flips / 400)
    assert (found.interval.lower, found.interval.upper) == pytest.approx((differences[9], differences[390]), abs=1e-9)


def test_always_better() -> None:
    """Wherever the sentences are drawn, the difference is the same."""
    good, bad = one_word_sentences([True] * 20), one_word_sentences([False] * 20)
    comparison = compare(good, bad, draws=100)
    las = comparison.differences["LAS"]
    assert (las.first, las.second, las.difference) == (100, 0, 100)
    assert (las.flips, las.p) == (0, 0)
    assert (las.interval.lower, las.interval.upper) == (100, 100)
    assert (las.first_interval.lower, las.second_interval.upper) == (100, 0)
    assert comparison.differences["UAS"].p == 1
    assert not comparison.over_seeds


def test_no_difference() -> None:
    """Nothing was observed, so p is 1: also where the two are right in different sentences."""
    first, second = one_word_sentences([True, False] * 10), one_word_sentences([False, True] * 10)
    for other in (first, second):
        las = compare(first, other, draws=100).differences["LAS"]
        assert (las.difference, las.p, las.flips) == (0, 1, 100)
    assert las.interval.lower < 0 < las.interval.upper


def test_one_sentence_in_many_is_no_evidence() -> None:
    """Drawn or not: in about 1/e of the draws the one sentence is missing, and the difference is 0, a flip."""
    first, second = one_word_sentences([True] * 50), one_word_sentences([True] * 49 + [False])
    las = compare(first, second, draws=20_000).differences["LAS"]
    assert las.p == pytest.approx(2 * (1 - 1 / 50) ** 50, abs=0.02)


def test_exchanged_sides_mirror() -> None:
    a, b = systems(2, 5)
    there, back = compare(a, b, draws=999), compare(b, a, draws=999)
    for metric, x in there.differences.items():
        y = back.differences[metric]
        assert (x.p, x.flips, x.difference) == (y.p, y.flips, -y.difference)
        assert (x.interval.lower, x.interval.upper) == (-y.interval.upper, -y.interval.lower)
        assert (x.first_interval, x.second_interval) == (y.second_interval, y.first_interval)


def test_seeds() -> None:
    a, b = systems(2, 6)
    assert compare(a, b, draws=500, seed=3) == compare(a, b, draws=500, seed=3)
    assert compare(a, b, draws=500, seed=3).differences != compare(a, b, draws=500, seed=4).differences
    assert compare(a, b, draws=500, seed=-1).seed == -1


def test_drawing_systems_too_widens_the_interval() -> None:
    """Systems that differ much from each other: sentences alone would promise too much."""
    always = [one_word_sentences([True] * 30), one_word_sentences([False] * 30)]
    fixed = one_word_sentences([True] * 30)
    comparison = compare(always, fixed, draws=400)
    assert comparison.over_seeds
    las = comparison.differences["LAS"]
    assert (las.first, las.difference) == (50, -50)
    assert (las.interval.lower, las.interval.upper) == (-100, 0)


def test_intervals_cover_the_truth() -> None:
    """A system right in 80 % of all sentences there are: about 95 of 100 intervals from samples hold 80."""
    rng = random.Random(11)
    held = 0
    for _ in range(150):
        found = intervals(one_word_sentences([rng.random() < 0.8 for _ in range(150)]), draws=600, metrics=["LAS"])
        held += found["LAS"].lower <= 80 <= found["LAS"].upper
    assert 132 <= held <= 149


def test_p_is_small_by_chance_no_more_often_than_it_should_be() -> None:
    """Two systems equally good: p < 0.05 in about 5 of 100 samples."""
    rng = random.Random(12)
    small = 0
    for _ in range(150):
        a, b = (one_word_sentences([rng.random() < 0.7 for _ in range(120)]) for _ in range(2))
        small += compare(a, b, draws=500, metrics=["LAS"]).differences["LAS"].p < 0.05
    assert 1 <= small <= 17


def test_raw_text_is_drawn_by_gold_sentence() -> None:
    """Each sentence goes with the words that the system has in it, so a draw of one sentence is that sentence's F1."""
    gold = conllu("ab 0 root", "cd 0 root")
    system = conllu("ab 0 root; c 1 dep; d 1 dep")
    scores = evaluate(gold, system, "ud")
    assert [tuple(row)[:3] for row in scores.per_sentence] == [(1, 1, 1), (1, 2, 0)]
    found = intervals(scores, draws=200)
    # (100 % of 1 + 1), (1 of 2 gold and 3 system), (0 of 1 + 2)
    assert (found["UAS"].lower, found["UAS"].upper) == (0, 100)
    assert found["Sentences"].upper == 0
    assert compare(scores, evaluate(gold, gold, "ud"), draws=200).differences["Words"].difference == pytest.approx(-60)


def test_large_counts_do_not_overflow() -> None:
    table = struct.pack("6i", 5 * 10**8, 10**9, 10**9, 5 * 10**8, 10**9, 10**9)
    [(first, _, _, interval, _, _, _)] = _core.bootstrap([table], [], 1, [0], 10, 1, 95.0)
    assert (first, interval) == (50, (50, 50))


def test_what_cannot_be_compared() -> None:
    scores = one_word_sentences([True, False])
    gold = conllu("a 0 root", "a 0 root")
    with pytest.raises(ConfigError, match="was scored by protocol full, <system> by nopunct"):
        compare(scores, evaluate(gold, gold, "nopunct"))
    with pytest.raises(EvaluationError, match="was not scored against the same gold standard"):
        compare(scores, one_word_sentences([True] * 3))
    with pytest.raises(ConfigError, match="unknown metric 'MLAS': metric must be one of UAS, LAS, "):
        compare(scores, scores, metrics=["MLAS"])
    with pytest.raises(ConfigError, match="0 draws are none"):
        compare(scores, scores, draws=0)
    with pytest.raises(ConfigError, match="0 draws are none"):
        intervals(scores, draws=0)
    with pytest.raises(ConfigError, match="not between 0 and 100"):
        intervals(scores, level=100)
    with pytest.raises(ConfigError, match="no scores"):
        intervals([])
    with pytest.raises(ConfigError, match="no scores"):
        compare(scores, [])


@pytest.mark.parametrize(
    ("first", "second", "chosen", "message"),
    [
        ([], [], [0], "nothing to draw from"),
        ([b"\0" * 12], [], [1], "no such metric"),
        ([b"\0" * 12], [b"\0" * 24], [0], "different sizes"),
        ([b""], [], [0], "different sizes"),
    ],
)
def test_the_engine_checks_what_it_is_given(
    first: list[bytes], second: list[bytes], chosen: list[int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        _core.bootstrap(first, second, 1, chosen, 10, 1, 95.0)
