"""What defines an exact dynamic oracle (ORACLES 0), on trees of up to 30 words, along walks with random moves."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import (
    EXACT,
    derivable_trees,
    near_gold_walk,
    partial_trees,
    projective_trees,
    random_walk,
    seeds,
    stable,
    trees,
    wrong_arcs,
)

from dynarc import System, Tree

# One root and unknown heads together are beyond the formulas; the search that answers then wants short sentences.
PARTIAL_WORDS = {True: 8, False: 20}


@pytest.mark.parametrize("ts", EXACT, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable()
def test_cost_is_the_growth_of_the_loss(ts: System, data: st.DataObject, seed: int) -> None:
    """cost(t; c) = loss(t(c)) - loss(c) >= 0 for every legal t, and some legal t costs 0 (ORACLES 0)."""
    gold = data.draw(derivable_trees(ts))
    oracle = ts.oracle("dynamic").bind(gold)
    assert oracle.exact
    assert oracle.loss(ts.initial(len(gold))) == 0
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed):
        loss, costs = oracle.loss(state), oracle.costs(state)
        assert list(costs) == state.legal()
        if state.is_final:
            assert loss == wrong_arcs(state.output, gold)
            continue
        assert min(costs.values()) == 0
        assert oracle.optimal(state) == [t for t, cost in costs.items() if cost == 0]
        for t, cost in costs.items():
            after = state.copy()
            after.apply(t)
            assert oracle.cost(state, t) == cost == oracle.loss(after) - loss


@pytest.mark.parametrize("ts", EXACT, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable()
def test_least_cost_moves_lose_what_the_loss_says(ts: System, data: st.DataObject, seed: int) -> None:
    """From any state, optimal moves end with exactly loss(state) wrong arcs (ORACLES 0, STYLE 5)."""
    gold = data.draw(derivable_trees(ts))
    oracle = ts.oracle("dynamic").bind(gold)
    rng = random.Random(seed)
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed, errors=0.3):
        if rng.random() < 0.8:
            continue
        end = state.copy()
        while not end.is_final:
            end.apply(rng.choice(oracle.optimal(end)))
        assert wrong_arcs(end.output, gold) == oracle.loss(state)


@pytest.mark.parametrize("ts", [ts for ts in EXACT if ts.name != "attardi"], ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(30)
def test_blind_walks_too(ts: System, data: st.DataObject, seed: int) -> None:
    """Far from the gold tree nothing changes. (Attardi's search may give up there: FEATURES 8.5.)"""
    gold = data.draw(derivable_trees(ts, 15))
    oracle = ts.oracle("dynamic").bind(gold)
    before = 0
    for state in random_walk(ts.initial(len(gold)), seed):
        assert oracle.loss(state) >= before
        before = int(oracle.loss(state))
        assert min(oracle.costs(state).values(), default=0) == 0
    assert before == wrong_arcs(state.output, gold)


@pytest.mark.parametrize("ts", EXACT, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(40)
def test_unknown_heads_are_never_lost(ts: System, data: st.DataObject, seed: int) -> None:
    """DESIGN 5: the loss counts known heads only, and is still exact."""
    gold = data.draw(partial_trees(derivable_trees(ts, PARTIAL_WORDS[ts.single_root])))
    known = sum(head is not None for head in gold.heads)
    oracle = ts.oracle("dynamic").bind(gold)
    assert oracle.exact
    assert ts.can_derive(gold)
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed):
        loss, costs = oracle.loss(state), oracle.costs(state)
        assert 0 <= loss <= known
        for t, cost in costs.items():
            after = state.copy()
            after.apply(t)
            assert cost == oracle.loss(after) - loss
    assert loss == wrong_arcs(state.output, gold)


@pytest.mark.parametrize("ts", EXACT, ids=System.describe)
@given(words=st.integers(1, 20), seed=seeds())
@stable(20)
def test_nothing_known_nothing_lost(ts: System, words: int, seed: int) -> None:
    """With every head unknown every transition costs 0."""
    oracle = ts.oracle("dynamic").bind(Tree([None] * words))
    for state in random_walk(ts.initial(words), seed):
        assert oracle.loss(state) == 0
        assert set(oracle.costs(state).values()) <= {0}


@pytest.mark.parametrize("ts", [ts for ts in EXACT if ts.projective and not ts.single_root], ids=System.describe)
@given(gold=trees(12), seed=seeds())
@stable()
def test_non_projective_gold(ts: System, gold: Tree, seed: int) -> None:
    """ORACLES 1.7, FEATURES 8.2: the search is exact for any gold, so following it loses loss(start), no more."""
    oracle = ts.oracle("dynamic").bind(gold)
    assert oracle.exact
    assert (oracle.loss(ts.initial(len(gold))) == 0) == gold.is_projective
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed, errors=0.1):
        assert min(oracle.costs(state).values(), default=0) == 0
    state = ts.initial(len(gold))
    start = oracle.loss(state)
    rng = random.Random(seed)
    while not state.is_final:
        state.apply(rng.choice(oracle.optimal(state)))
    assert wrong_arcs(state.output, gold) == start


@pytest.mark.parametrize("ts", [ts for ts in EXACT if ts.single_root], ids=System.describe)
@given(gold=projective_trees(8), seed=seeds())
@stable(30)
def test_several_roots_where_one_is_allowed(ts: System, gold: Tree, seed: int) -> None:
    """Gold that the single-root rule excludes (FEATURES 8.1) is answered exactly too, by search."""
    oracle = ts.oracle("dynamic").bind(gold)
    assert oracle.exact
    start = oracle.loss(ts.initial(len(gold)))
    assert start >= len(gold.roots) - 1
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed, errors=0.0):
        assert oracle.loss(state) == start
    assert wrong_arcs(state.output, gold) == start
