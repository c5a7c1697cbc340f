"""Derivations: a system derives exactly the trees it says it can, and the sequence replays to the tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import (
    EVERY_SYSTEM,
    derivable_trees,
    labelled_trees,
    partial_trees,
    projective_trees,
    stable,
    trees,
)

from dynarc import NonProjectiveError, OracleError, System, Tree, TreeError
from dynarc.oracles import Reduce

EAGER = [ts for ts in EVERY_SYSTEM if ts.name == "arc-eager"]


def replay(ts: System, tree: Tree, *, reduce: Reduce = "must") -> None:
    state = ts.initial(len(tree))
    for t in ts.derivation(tree, reduce=reduce):
        state.apply(t)
    assert state.is_final
    assert tuple(state.heads) == tree.heads
    assert tuple(state.labels) == (tree.deprels or (None,) * len(tree))


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(tree=labelled_trees(st.one_of(trees(12), projective_trees())))
@stable()
def test_exactly_the_trees_that_can_be_derived(ts: System, tree: Tree) -> None:
    """FEATURES 7 and 8.1: which trees those are, and that everything else is refused with a reason."""
    one_root = not ts.single_root or len(tree.roots) == 1
    if ts.name != "attardi":
        assert ts.can_derive(tree) == (one_root and (tree.is_projective or not ts.projective))
    elif tree.is_projective or not one_root:
        assert ts.can_derive(tree) == one_root
    if ts.can_derive(tree):
        replay(ts, tree)
        return
    with pytest.raises(TreeError) as refused:
        ts.derivation(tree)
    if ts.projective and not tree.is_projective:
        assert isinstance(refused.value, NonProjectiveError)
    for kind in ("static", "nondeterministic"):
        with pytest.raises(TreeError):
            ts.oracle(kind).bind(tree)


@pytest.mark.parametrize("ts", EAGER, ids=System.describe)
@given(data=st.data())
@stable(30)
def test_reduce_as_soon_as_possible(ts: System, data: st.DataObject) -> None:
    """FEATURES 7: the other canonical arc-eager sequence ends in the same tree, in as many steps."""
    tree = data.draw(derivable_trees(ts))
    replay(ts, tree, reduce="can")
    if ts.root == "last":  # ORACLES 1.1: always 2n transitions
        assert len(ts.derivation(tree, reduce="can")) == len(ts.derivation(tree)) == 2 * len(tree)


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(data=st.data())
@stable(30)
def test_static_and_nondeterministic_oracles_follow_it(ts: System, data: st.DataObject) -> None:
    """On the gold path each names one right transition, or all of them (FEATURES 7)."""
    tree = data.draw(derivable_trees(ts, 12))
    static, free = ts.oracle("static").bind(tree), ts.oracle("nondeterministic").bind(tree)
    state = ts.initial(len(tree))
    for t in ts.derivation(tree):
        assert static.optimal(state) == [t]
        assert t in free.optimal(state)
        state.apply(t)
    assert static.optimal(state) == free.optimal(state) == []


@pytest.mark.parametrize("ts", [ts for ts in EVERY_SYSTEM if ts.name != "arc-hybrid-swap"], ids=System.describe)
@given(data=st.data())
@stable(20)
def test_nondeterministic_is_whatever_keeps_the_tree(ts: System, data: st.DataObject) -> None:
    """FEATURES 7: {t : gold is still reachable from t(c)}, undefined where it is not."""
    tree = data.draw(derivable_trees(ts, 6))
    free = ts.oracle("nondeterministic").bind(tree)
    truth = ts.oracle("dynamic", method="search").bind(tree)
    state = ts.initial(len(tree))
    while not state.is_final:
        kept = [t for t in state.legal() if truth.cost(state, t) == 0]
        assert free.optimal(state) == kept
        for t in set(state.legal()) - set(kept):
            lost = state.copy()
            lost.apply(t)
            if free.exact:  # covington with a single root may think it still has the tree
                with pytest.raises(OracleError, match="undefined here"):
                    free.optimal(lost)
        state.apply(data.draw(st.sampled_from(kept)))
    assert tuple(state.output) == tree.heads


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(data=st.data())
@stable(30)
def test_parts_of_derivable_trees_can_be_derived(ts: System, data: st.DataObject) -> None:
    assert ts.can_derive(data.draw(partial_trees(derivable_trees(ts, 8))))


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(part=partial_trees(trees(4)))
@stable(40)
def test_partial_trees_are_derivable_if_some_completion_is(ts: System, part: Tree) -> None:
    """By the definition, trying every completion. DESIGN 5: an unknown head can be anything."""

    def completions(heads: tuple[int | None, ...]) -> list[Tree]:
        if None not in heads:
            try:
                return [Tree(heads)]
            except TreeError:
                return []
        at = heads.index(None)
        return [tree for head in range(len(heads) + 1) for tree in completions((*heads[:at], head, *heads[at + 1 :]))]

    assert ts.can_derive(part) == any(map(ts.can_derive, completions(part.heads)))
