"""Two ways to the same number: searches against tables and formulas, on sentences too long for brute force."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.property.strategies import (
    EXACT,
    attardi_trees,
    derivable_trees,
    near_gold_walk,
    projective_trees,
    random_walk,
    seeds,
    stable,
    trees,
)

import dynarc
from dynarc import State, System, Tree
from dynarc.oracles import BoundOracle
from dynarc.verify import every_system

ATTARDI = [ts for ts in every_system(("attardi",)) if not ts.single_root]  # the table does not know one root
STANDARD = list(every_system(("arc-standard",)))
FORMULA = [ts for ts in EXACT if ts.name not in ("attardi", "arc-standard")]


def assert_same(state: State, one: BoundOracle, other: BoundOracle) -> None:
    assert one.loss(state) == other.loss(state)
    assert one.costs(state) == other.costs(state)


@pytest.mark.parametrize("ts", ATTARDI, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(40)
def test_attardi_search_equals_table(ts: System, data: st.DataObject, seed: int) -> None:
    """ORACLES 5.3 (Algorithm 1, corrected) and 5.4 (search) on derivable trees, near the gold path."""
    gold = data.draw(attardi_trees(ts, 12))
    search, table = (ts.oracle("dynamic", method=m).bind(gold) for m in ("search", "table"))
    for state in near_gold_walk(ts.initial(len(gold)), search, seed, errors=0.15):
        assert_same(state, search, table)


@pytest.mark.parametrize("ts", ATTARDI, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(25)
def test_attardi_search_equals_table_anywhere(ts: System, data: st.DataObject, seed: int) -> None:
    """The same far from it."""
    gold = data.draw(attardi_trees(ts, 9))
    search, table = (ts.oracle("dynamic", method=m).bind(gold) for m in ("search", "table"))
    for state in random_walk(ts.initial(len(gold)), seed):
        assert_same(state, search, table)


@pytest.mark.parametrize("ts", STANDARD, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(40)
def test_arc_standard_search_equals_table(ts: System, data: st.DataObject, seed: int) -> None:
    """ORACLES 4 (the cubic table) and 5.4 without s2 (search) on projective trees."""
    gold = data.draw(projective_trees(20, one_root=ts.single_root))
    search, table = (ts.oracle("dynamic", method=m).bind(gold) for m in ("search", "table"))
    for state in near_gold_walk(ts.initial(len(gold)), search, seed, errors=0.3):
        assert_same(state, search, table)


@pytest.mark.parametrize("ts", FORMULA, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(25)
def test_formula_equals_search(ts: System, data: st.DataObject, seed: int) -> None:
    """ORACLES 1-3, 6, FEATURES 8.1: where a formula is exact the search finds the same, on longer sentences too."""
    gold = data.draw(derivable_trees(ts, 5 if ts.name == "covington" else 14))
    formula, search = (ts.oracle("dynamic", method=m).bind(gold) for m in ("formula", "search"))
    assert formula.exact
    for state in near_gold_walk(ts.initial(len(gold)), formula, seed, errors=0.3):
        assert_same(state, formula, search)


@pytest.mark.parametrize("root", ["first", "last"])
@given(gold=trees(10), seed=seeds())
@stable(30)
def test_attardi_takes_underivable_gold(root: str, gold: Tree, seed: int) -> None:
    """ORACLES 5.3, point 7: the search has no limit of that kind, and its loss is what must be missed."""
    ts = dynarc.system("attardi", root="first" if root == "first" else "last")
    oracle = ts.oracle("dynamic").bind(gold)
    start = oracle.loss(ts.initial(len(gold)))
    assert (start == 0) == ts.can_derive(gold)
    assume(len(gold) > 3)
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed, errors=0):
        assert oracle.loss(state) == start
    assert sum(head != want for head, want in zip(state.heads, gold.heads, strict=True)) == start
