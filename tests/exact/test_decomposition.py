"""Arc decomposition (Goldberg & Nivre 2013): can gold arcs that are each reachable be reached together?"""

import pytest

import dynarc
from dynarc import System, check_decomposition
from dynarc.verify import every_system

DECOMPOSABLE = [ts for ts in every_system(("arc-eager", "arc-hybrid", "easy-first")) if not ts.single_root]
NOT_DECOMPOSABLE = [ts for ts in every_system(("arc-standard", "attardi")) if not ts.single_root]


@pytest.mark.parametrize("ts", DECOMPOSABLE, ids=System.describe)
def test_decomposable(ts: System) -> None:
    """The systems whose costs are sums over arcs (ORACLES 1-3), on every tree they derive."""
    reports = check_decomposition(ts, 4)
    assert [report.words for report in reports] == [1, 2, 3, 4]
    for report in reports:
        assert report.states > 0
        assert report.decomposable, report.counterexample
        assert report.counterexample is None


@pytest.mark.parametrize("ts", NOT_DECOMPOSABLE, ids=System.describe)
def test_not_decomposable(ts: System) -> None:
    """ORACLES 4 and 5: their losses need a table or a search. The counter-example must be one."""
    last = check_decomposition(ts, 4)[-1]
    assert last.words <= 3
    assert not last.decomposable
    example = last.counterexample
    assert example is not None
    state = ts.initial(len(example.tree))
    for t in example.derivation:
        state.apply(t)
    assert repr(state) == example.state
    assert ts.oracle("dynamic").bind(example.tree).loss(state) == example.expected > example.got


@pytest.mark.parametrize("root", ["first", "last"])
def test_smallest_arc_standard_example_has_a_stack_of_three(root: str) -> None:
    """Two nodes can be joined either way; with three the middle one is in the way (ORACLES 4)."""
    ts = dynarc.system("arc-standard", root="first" if root == "first" else "last")
    example = check_decomposition(ts)[-1].counterexample
    assert example is not None
    state = ts.initial(len(example.tree))
    for t in example.derivation:
        state.apply(t)
    assert len(state.stack) == 3


def test_non_projective_gold_breaks_every_projective_system() -> None:
    """Crossing arcs exclude each other (ORACLES 1.7): decomposition is about derivable gold."""
    for ts in DECOMPOSABLE:
        assert not check_decomposition(ts, 4, golds="all")[-1].decomposable
