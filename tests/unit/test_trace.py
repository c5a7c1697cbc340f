"""Derivations step by step: what a step holds, what the policies choose, how the outcome is judged."""

import random

import pytest

import dynarc
from dynarc import IllegalTransition, OracleError, System, Transition, Tree
from dynarc.trace import Step, attachments, erring, given, gold_label, optimal, ruled, trace
from dynarc.verify import every_system

FORMS = ["Mum", "fed", "us", "hot", "soup", "."]
TREE = Tree([2, 0, 2, 5, 2, 2], ["nsubj", "root", "iobj", "amod", "obj", "punct"])
CROSSING = Tree([2, 3, 0, 3, 6, 2], ["det", "nsubj", "root", "advmod", "case", "nmod"])


def test_a_step_holds_the_states_around_it() -> None:
    ts = dynarc.system("arc-eager", root="first")
    start = ts.initial(FORMS)
    steps = list(trace(start, ts.oracle("dynamic").bind(TREE), given(ts.derivation(TREE))))
    assert repr(start) == "[ROOT] [Mum fed us hot soup .]"
    assert [step.number for step in steps] == list(range(1, 11))
    assert repr(steps[3].state) == repr(steps[2].after) == "[ROOT fed] [us hot soup .]"
    assert steps[3].chosen == Transition("RIGHT", "iobj")
    assert [(str(t), cost) for t, cost in steps[3].others] == [("SHIFT", 1), ("REDUCE", 3)]
    assert set(steps[3].legal) == {Transition("SHIFT"), Transition("RIGHT"), Transition("REDUCE")}
    assert {step.cost for step in steps} == {step.loss for step in steps} == {0}
    assert steps[-1].after.is_final


@pytest.mark.parametrize("tree", [TREE, CROSSING, Tree([2, 0, None, 5, None, 2])], ids=["projective", "not", "partial"])
@pytest.mark.parametrize("ts", list(every_system()), ids=System.describe)
def test_the_best_moves_lose_what_must_be_lost(ts: System, tree: Tree) -> None:
    # Where the formula is not exact its costs do not add up, so the search prices the moves.
    oracle = ts.oracle("dynamic", method="search").bind(tree)
    start = ts.initial(len(tree))
    *_, last = trace(start, oracle, optimal(tree))
    assert last.loss == oracle.loss(start)
    wrong = [a for a in attachments(last.after, tree) if a.verdict not in ("right", "gold unknown")]
    assert len(wrong) == last.loss


@pytest.mark.parametrize("name", dynarc.systems())
def test_costs_add_up_to_the_loss_whatever_is_done(name: str) -> None:
    ts = dynarc.system(name)
    oracle = ts.oracle("dynamic", method="search").bind(CROSSING)
    for seed in range(5):
        start = ts.initial(len(CROSSING))
        steps = list(trace(start, oracle, erring(CROSSING, random.Random(seed), 0.5)))
        assert steps[-1].loss == oracle.loss(start) + sum(step.cost or 0 for step in steps)


def chosen(steps: list[Step]) -> list[str]:
    return [str(step.chosen) for step in steps]


def test_seeds_make_random_moves_repeatable() -> None:
    ts = dynarc.system("arc-hybrid")
    oracle = ts.oracle("dynamic").bind(TREE)

    def walk(seed: int, errors: float) -> list[str]:
        return chosen(list(trace(ts.initial(6), oracle, erring(TREE, random.Random(seed), errors))))

    assert walk(1, 1) == walk(1, 1)
    assert len({tuple(walk(seed, 1)) for seed in range(10)}) > 1
    for seed in range(10):
        assert not any(step.cost for step in trace(ts.initial(6), oracle, erring(TREE, random.Random(seed), 0)))


def test_optimal_takes_the_first_or_any() -> None:
    ts = dynarc.system("arc-eager", root="first")
    oracle = ts.oracle("dynamic").bind(TREE)
    ways = {tuple(chosen(list(trace(ts.initial(6), oracle, optimal(TREE, random.Random(s)))))) for s in range(20)}
    first = tuple(chosen(list(trace(ts.initial(6), oracle, optimal(TREE)))))
    assert first in ways
    assert len(ways) > 1


def test_static_rules_off_their_path_lose_more() -> None:
    """The example of Goldberg & Nivre 2012, section 2.2: from [ROOT 2 3] [4 5 6] three arcs instead of one."""
    ts = dynarc.system("arc-eager", root="first")
    lost = ts.state(stack=[0, 2, 3], buffer=[4, 5, 6], heads=[2, 0, None, None, None, None])
    oracle, static = ts.oracle("dynamic").bind(TREE), ts.oracle("static")
    with pytest.raises(OracleError, match="undefined here"):
        list(trace(lost, oracle, ruled(static.bind(TREE))))
    *_, literal = trace(lost, oracle, ruled(static.bind(TREE, strict=False)))
    *_, best = trace(lost, oracle, optimal(TREE))
    assert (literal.loss, best.loss) == (3, 1)


def test_numbers_go_on_where_a_derivation_was_left() -> None:
    ts = dynarc.system("arc-standard")
    state = ts.initial(6)
    state.apply("SHIFT")
    assert next(trace(state, ts.oracle("dynamic").bind(TREE), optimal(TREE))).number == 2


def test_given_moves_may_stop_early_but_must_be_legal() -> None:
    ts = dynarc.system("arc-eager")
    oracle = ts.oracle("dynamic").bind(TREE)
    steps = list(trace(ts.initial(FORMS), oracle, given(["SHIFT", Transition("LEFT", "obj")])))
    assert chosen(steps) == ["SHIFT", "LEFT(obj)"]
    assert [step.cost for step in steps] == [0, 1]
    with pytest.raises(IllegalTransition, match=r"transition 2, from \[Mum\] .*: REDUCE is not legal here"):
        list(trace(ts.initial(FORMS), oracle, given(["SHIFT", "REDUCE"])))


def test_gold_label_is_for_gold_arcs() -> None:
    ts = dynarc.system("arc-eager")
    state = ts.initial(FORMS)
    state.apply("SHIFT")
    assert gold_label(state, Transition("LEFT"), TREE) == Transition("LEFT", "nsubj")
    assert gold_label(state, Transition("LEFT", "obj"), TREE) == Transition("LEFT", "obj")
    assert gold_label(state, Transition("RIGHT"), TREE) == Transition("RIGHT")
    assert gold_label(state, Transition("SHIFT"), TREE) == Transition("SHIFT")
    assert gold_label(state, Transition("LEFT"), Tree(TREE.heads)) == Transition("LEFT")


def test_attachments() -> None:
    ts = dynarc.system("arc-eager", root="first", headless="attach")
    tree = Tree([2, 0, 1, None], ["nsubj", "root", "obj", None])
    state = ts.initial(["a", "b", "c", "d"])
    for move in ("SHIFT", "LEFT(obj)", "SHIFT"):
        state.apply(move)
    assert [a.verdict for a in attachments(state, tree)] == [
        "wrong label",
        "no head yet",
        "no head yet",
        "gold unknown",
    ]
    for move in ("SHIFT", "SHIFT"):
        state.apply(move)
    found = attachments(state, tree)
    assert [a.verdict for a in found] == ["wrong label", "right", "wrong head", "gold unknown"]
    assert [a.head for a in found] == [2, 0, 0, 0]
    assert found[2].form == "c"
