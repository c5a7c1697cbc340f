"""Prices: labels, arc weights, whole numbers and fractions (FEATURES 9.4, ORACLES 0)."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import (
    EXACT,
    LABELS,
    derivable_trees,
    labelled_trees,
    near_gold_walk,
    seeds,
    stable,
    with_label,
)

import dynarc
from dynarc import System, Transition, Tree


@pytest.mark.parametrize("ts", EXACT, ids=System.describe)
@pytest.mark.parametrize("label_cost", [0, 0.5, 1, 3])
@given(data=st.data(), seed=seeds())
@stable(10)
def test_a_label_is_priced_on_gold_arcs_only(ts: System, label_cost: float, data: st.DataObject, seed: int) -> None:
    """ORACLES 0: unlabelled cost, plus the price of a label if the arc is gold and the label is another."""
    gold = data.draw(labelled_trees(derivable_trees(ts, 12)))
    assert gold.deprels is not None
    oracle = ts.oracle("dynamic", label_cost=label_cost).bind(gold)
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed):
        for t, cost in oracle.costs(state).items():
            arc = state.arc(t)
            if arc is None:
                continue
            head, word = arc
            for label in LABELS:
                wrong = gold.heads[word - 1] == head and gold.deprels[word - 1] not in (label, None)
                priced = oracle.cost(state, Transition(t.move, label, t.node))
                assert priced == cost + (label_cost if wrong else 0)


@pytest.mark.parametrize("ts", EXACT, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(20)
def test_the_loss_counts_wrong_labels(ts: System, data: st.DataObject, seed: int) -> None:
    """The cost of a labelled transition is by how much it raises the loss, labels included."""
    gold = data.draw(labelled_trees(derivable_trees(ts, 12)))
    oracle = ts.oracle("dynamic").bind(gold)
    rng = random.Random(seed)
    state = ts.initial(len(gold))
    while not state.is_final:
        t = with_label(state, rng.choice(oracle.optimal(state)), rng)
        before, cost = oracle.loss(state), oracle.cost(state, t)
        state.apply(t)
        assert oracle.loss(state) == before + cost


@given(data=st.data(), seed=seeds())
@stable(20)
def test_a_closed_set_of_labels_is_priced_label_by_label(data: st.DataObject, seed: int) -> None:
    """With labels given, every labelled transition is legal and has its own cost (DESIGN 3)."""
    ts = dynarc.system("arc-eager", labels=LABELS)
    gold = data.draw(labelled_trees(derivable_trees(ts, 10)))
    oracle = ts.oracle("dynamic").bind(gold)
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed):
        costs = oracle.costs(state)
        assert list(costs) == state.legal()
        for t, cost in costs.items():
            assert (t.label is None) == (state.arc(t) is None)
            assert oracle.cost(state, t) == cost
        assert min(costs.values(), default=0) == 0


@pytest.mark.parametrize("ts", EXACT, ids=System.describe)
@pytest.mark.parametrize("weight", [2, 0.5, 0])
@given(data=st.data(), seed=seeds())
@stable(10)
def test_one_weight_for_all_scales_costs(ts: System, weight: float, data: st.DataObject, seed: int) -> None:
    """FEATURES 9.4: whole prices give int, others float; the price of a label scales with its arc."""
    gold = data.draw(labelled_trees(derivable_trees(ts, 12)))
    plain = ts.oracle("dynamic").bind(gold)
    given_as = [
        ts.oracle("dynamic", arc_weight=[weight] * len(gold)).bind(gold),
        ts.oracle("dynamic", arc_weight=lambda tree, word: weight).bind(gold),
    ]
    rng = random.Random(seed)
    for state in near_gold_walk(ts.initial(len(gold)), plain, seed):
        assert type(plain.loss(state)) is int
        for oracle in given_as:
            assert oracle.exact
            assert type(oracle.loss(state)) is type(weight)
            assert oracle.loss(state) == weight * plain.loss(state)
            costs = oracle.costs(state)
            assert all(type(cost) is type(weight) for cost in costs.values())
            assert costs == {t: weight * cost for t, cost in plain.costs(state).items()}
            for t in [with_label(state, t, rng) for t in state.legal()]:
                assert oracle.cost(state, t) == weight * plain.cost(state, t)


@pytest.mark.parametrize("ts", [ts for ts in EXACT if not ts.single_root], ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(20)
def test_weights_by_word_and_by_label(ts: System, data: st.DataObject, seed: int) -> None:
    """Whatever the weights: cost is the growth of the loss, and the loss of a finished tree is what it misses."""
    gold = data.draw(labelled_trees(derivable_trees(ts, 10)))
    assert gold.deprels is not None
    by_label = {"a": 0, "b": 3}
    weights = [by_label.get(label or "", 1) for label in gold.deprels]
    oracle = ts.oracle("dynamic", arc_weight=weights).bind(gold)
    mapped = ts.oracle("dynamic", arc_weight=by_label).bind(gold)
    for state in near_gold_walk(ts.initial(len(gold)), oracle, seed):
        loss, costs = oracle.loss(state), oracle.costs(state)
        assert (mapped.loss(state), mapped.costs(state)) == (loss, costs)
        assert min(costs.values(), default=0) == 0
        for t, cost in costs.items():
            after = state.copy()
            after.apply(t)
            assert cost == oracle.loss(after) - loss
    missed = sum(weight for weight, head, want in zip(weights, state.output, gold.heads, strict=True) if head != want)
    assert loss == missed


def test_types_and_sums_are_exact() -> None:
    """FEATURES 9.4: int when all prices are ints, else float; fractions do not drift."""
    ts = dynarc.system("arc-eager", root="first")
    gold = Tree([0] * 10)
    state = ts.initial(10)
    for _ in range(10):
        state.apply("SHIFT")
    assert ts.oracle("dynamic", arc_weight=[0.1] * 10).bind(gold).loss(state) == 1.0
    assert type(ts.oracle("dynamic", arc_weight=[3] * 10).bind(gold).loss(state)) is int
    assert type(ts.oracle("dynamic", arc_weight=[3] * 9 + [3.0]).bind(gold).loss(state)) is float
    assert type(ts.oracle("dynamic", label_cost=0.5).bind(gold).loss(state)) is float
