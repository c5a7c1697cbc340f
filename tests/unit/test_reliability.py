"""Figures of calibration: by hand, by brute force, and what must hold of any."""

import math
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynarc.errors import ConfigError
from dynarc.published import GOLDBERG_2013, LANGUAGES
from dynarc.reliability import (
    CLIP,
    Bin,
    CalibrationReport,
    Kept,
    Outcomes,
    action_bins,
    brier,
    calibration_error,
    coverage,
    equal_bins,
    error_auc,
    figures,
    keep_right,
    keep_share,
    largest_gap,
    log_loss,
)

T, F = True, False
#        two bins:        0.2 F   0.4 T   |   0.6 T   0.8 F   0.8 T   1.0 T
SIX = Outcomes([0.8, 0.2, 1.0, 0.4, 0.8, 0.6], [F, F, T, T, T, T])

probs = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.9, 1.0]), st.floats(0.0, 1.0))
some = st.lists(st.tuples(probs, st.booleans()), min_size=1, max_size=60)


def of(pairs: list[tuple[float, bool]]) -> Outcomes:
    return Outcomes([p for p, _ in pairs], [right for _, right in pairs])


def test_bins_by_hand() -> None:
    low, high = equal_bins(SIX, 2)
    assert (low.low, low.high, low.items, low.right) == (0.0, 0.5, 2, 1)
    assert (high.low, high.high, high.items, high.right) == (0.5, 1.0, 4, 3)
    assert low.said == pytest.approx(0.3)
    assert high.said == pytest.approx(0.8)
    assert low.gap == pytest.approx(0.2)
    assert high.gap == pytest.approx(-0.05)


def test_figures_by_hand() -> None:
    assert calibration_error(equal_bins(SIX, 2)) == pytest.approx((2 * 0.2 + 4 * 0.05) / 6)
    # 0.2^2 + 0.8^2 wrong; 0^2, 0.6^2, 0.2^2, 0.4^2 right
    assert brier(SIX) == pytest.approx((0.04 + 0.64 + 0 + 0.36 + 0.04 + 0.16) / 6)
    losses = [-math.log(x) for x in (0.2, 0.8, 1 - CLIP, 0.4, 0.8, 0.6)]
    assert log_loss(SIX) == pytest.approx(sum(losses) / 6)
    # 0.2 is below all four right ones; 0.8 is above 0.4 and 0.6, equal to 0.8, below 1.0
    assert error_auc(SIX) == pytest.approx((4 + 1 + 0.5) / 8)
    found = figures(SIX)
    assert found.items == 6
    assert found.accuracy == pytest.approx(4 / 6)
    assert found.said == pytest.approx(3.8 / 6)
    # Of 15 bins, each probability has one of its own: 0.2 F, 0.4 T, 0.6 T, {0.8 F, 0.8 T}, 1.0 T
    assert found.ece == pytest.approx((0.2 + 0.6 + 0.4 + 2 * 0.3 + 0.0) / 6)
    assert found.mce == pytest.approx(0.6)


def test_edges_belong_to_the_bin_above() -> None:
    """Also where tenths and fifteenths are not exact; 1 belongs to the last."""
    for number in (2, 3, 10, 15):
        edges = [place / number for place in range(number)]
        assert [b.items for b in equal_bins(Outcomes([*edges, 1.0], [T] * (number + 1)), number)] == [
            *[1] * (number - 1),
            2,
        ]
    tenths = Outcomes([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0], [T] * 11)
    assert [(b.low, b.items) for b in action_bins(tenths)] == [(place / 10, 1) for place in range(11)]


def test_the_last_bin_of_actions_is_for_what_is_one() -> None:
    nearly = Outcomes([0.9, 0.9995, 1 - 1e-9, 1 - 1e-15, 1.0], [T, T, F, T, T])
    assert [(b.low, b.high, b.items, b.right) for b in action_bins(nearly) if b.items] == [
        (0.9, 1.0, 3, 2),
        (1.0, 1.0, 2, 2),
    ]
    assert [b.items for b in action_bins(nearly, digits=3) if b.items] == [1, 4]


def test_largest_gap() -> None:
    bins = [Bin(0.4, 0.5, 900, 900, 400.0), Bin(0.5, 0.6, 300, 150, 165.0), Bin(0.6, 0.7, 299, 0, 190.0)]
    bins += [Bin(0.9, 1.0, 400, 398, 380.0)]
    assert largest_gap(bins) is bins[1]
    assert largest_gap(bins, low=0.6) is bins[3]
    assert largest_gap(bins, low=0.4) is bins[0]
    assert largest_gap(bins, items=1000) is None


def test_log_loss_is_clipped() -> None:
    assert log_loss(Outcomes([1.0], [F])) == pytest.approx(-math.log(CLIP))
    assert log_loss(Outcomes([0.0], [T])) == pytest.approx(-math.log(CLIP))
    assert log_loss(Outcomes([1.0], [F]), clip=0.25) == pytest.approx(math.log(4))


def test_what_is_kept_by_hand() -> None:
    assert keep_share(SIX, 0.1) == Kept(1.0, 1, 1, 6)
    # Half would be 1.0 and two more, but both 0.8 come together.
    assert keep_share(SIX, 0.3) == keep_share(SIX, 0.5) == Kept(0.8, 3, 2, 6)
    assert keep_share(SIX, 0.51) == Kept(0.6, 4, 3, 6)
    assert keep_share(SIX, 1.0) == Kept(0.2, 6, 4, 6)
    assert keep_right(SIX, 1.0) == Kept(1.0, 1, 1, 6)
    assert keep_right(SIX, 0.75) == Kept(0.4, 5, 4, 6)
    assert keep_right(SIX, 0.81) == Kept(1.0, 1, 1, 6)
    assert keep_right(SIX, 0.0) == keep_share(SIX, 1.0)
    assert keep_right(Outcomes([0.9, 0.5], [F, T]), 0.6) is None
    kept = keep_share(SIX, 0.5)
    assert (kept.share, kept.accuracy, kept.error_rate) == (0.5, 2 / 3, 1 / 3)
    assert [k.items for k in coverage(SIX)] == [1, 3, 4, 5, 6]
    assert [k.items for k in coverage(SIX, points=2)] == [3, 6]


@pytest.mark.parametrize(("target", "items"), [(0.99, 100), (0.995, 200), (0.95, 20), (0.7, 10), (0.29, 100)])
def test_exactly_enough_is_enough(target: float, items: int) -> None:
    """Whatever floating point makes of the target."""
    right = round(target * items)
    found = keep_right(Outcomes([0.5] * items, [T] * right + [F] * (items - right)), target)
    assert found is not None
    assert found.items == items
    assert keep_right(Outcomes([0.5] * items, [T] * (right - 1) + [F] * (items - right + 1)), target) is None


def test_all_right_or_all_wrong() -> None:
    assert error_auc(Outcomes([0.4, 0.9], [T, T])) is None
    assert error_auc(Outcomes([0.4], [F])) is None
    assert figures(Outcomes([1.0, 1.0], [T, T])).ece == 0.0


def test_what_cannot_be_judged() -> None:
    for bad in (-0.1, 1.0001, math.nan, math.inf):
        with pytest.raises(ConfigError, match="is no probability"):
            Outcomes([0.5, bad], [T, F])
    with pytest.raises(ConfigError, match="2 probabilities cannot go with 1 outcomes"):
        Outcomes([0.5, 0.6], [T])
    with pytest.raises(ConfigError, match="nothing to judge"):
        Outcomes([], [])
    with pytest.raises(ConfigError, match="0 bins"):
        equal_bins(SIX, 0)
    for wrong in (-0.1, 1.1, math.nan):
        with pytest.raises(ConfigError, match="no share"):
            keep_share(SIX, wrong)
        with pytest.raises(ConfigError, match="no share"):
            keep_right(SIX, wrong)


# What must hold of any outcomes.


@given(some, st.randoms(use_true_random=False))
def test_order_does_not_matter(pairs: list[tuple[float, bool]], rng: random.Random) -> None:
    """To the last bit."""
    mixed = pairs[:]
    rng.shuffle(mixed)
    first, second = of(pairs), of(mixed)
    assert figures(first) == figures(second)
    assert equal_bins(first) == equal_bins(second)
    assert coverage(first) == coverage(second)


@given(some, st.integers(1, 20))
def test_bins_hold_everything_once(pairs: list[tuple[float, bool]], number: int) -> None:
    for bins in (equal_bins(of(pairs), number), action_bins(of(pairs))):
        assert sum(b.items for b in bins) == len(pairs)
        assert sum(b.right for b in bins) == sum(right for _, right in pairs)
        assert math.fsum(b.total for b in bins) == pytest.approx(math.fsum(p for p, _ in pairs))
        for place, b in enumerate(bins):
            inside = [right for p, right in pairs if b.low <= p and (p < b.high or place == len(bins) - 1)]
            if bins[place].high < 1.0:
                assert (b.items, b.right) == (len(inside), sum(inside))
            if b.items:
                assert b.low - 1e-9 <= b.said <= b.high + 1e-9


@given(some)
def test_against_plain_definitions(pairs: list[tuple[float, bool]]) -> None:
    found = figures(of(pairs))
    items = len(pairs)
    assert found.brier == pytest.approx(sum((p - right) ** 2 for p, right in pairs) / items)
    inside = [(min(max(p, CLIP), 1 - CLIP), right) for p, right in pairs]
    assert found.log_loss == pytest.approx(-sum(math.log(p if right else 1 - p) for p, right in inside) / items)
    rights, wrongs = ([p for p, right in pairs if right is kind] for kind in (True, False))
    if rights and wrongs:
        won = sum((r > w) + 0.5 * (r == w) for r, w in product(rights, wrongs))
        assert found.auc == pytest.approx(won / (len(rights) * len(wrongs)))
    assert 0.0 <= found.ece <= found.mce <= 1.0
    assert found.ece >= abs(found.accuracy - found.said) - 1e-12


@given(some, st.floats(0.0, 1.0).map(lambda share: round(share, 3)))
def test_equal_probabilities_stay_together(pairs: list[tuple[float, bool]], share: float) -> None:
    outcomes = of(pairs)
    everything = [
        Kept(t, len(above), sum(above), len(pairs))
        for t in sorted({p for p, _ in pairs}, reverse=True)
        for above in [[right for p, right in pairs if p >= t]]
    ]
    assert keep_share(outcomes, share) == next(k for k in everything if k.items >= share * len(pairs) - 1e-9)
    enough = [k for k in everything if k.accuracy >= share - 1e-12]
    assert keep_right(outcomes, share) == (enough[-1] if enough else None)
    curve = coverage(outcomes)
    assert [k for k in everything if k in curve] == curve
    assert curve[-1] == everything[-1]
    assert coverage(outcomes, points=10_000) == everything


def test_what_is_calibrated_has_no_error_and_what_is_not_has_its() -> None:
    rng = random.Random(5)
    said = [rng.betavariate(3, 0.6) for _ in range(100_000)]
    good = Outcomes(said, [rng.random() < p for p in said])
    assert figures(good).ece < 0.005
    bold = Outcomes([min(1.0, p + 0.1) for p in said], good.right)
    assert figures(bold).ece == pytest.approx(figures(bold).said - figures(bold).accuracy, abs=0.01)
    assert figures(bold).ece > 0.05
    assert figures(bold).brier > figures(good).brier
    assert figures(bold).log_loss > figures(good).log_loss


def test_a_report_names_what_it_judges() -> None:
    report = CalibrationReport("m", "d", 1, 6, SIX, None, SIX, SIX)
    assert [name for name, _ in report.each()] == ["arcs", "labels"]
    whole = CalibrationReport("m", "d", 1, 6, SIX, SIX, SIX, SIX, trees=Outcomes([0.5], [T]))
    assert [name for name, _ in whole.each()] == ["arcs", "labels", "trees"]


def test_what_was_published() -> None:
    assert set(GOLDBERG_2013) == set(LANGUAGES)
    for bins in GOLDBERG_2013.values():
        assert [b.low for b in bins] == [place / 10 for place in range(1, 11)]
        assert all(0 <= b.right <= 100 for b in bins)
    assert [(b.items, b.right) for b in GOLDBERG_2013["sv"][-2:]] == [(14000, 96), (493, 100)]
