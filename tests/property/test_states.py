"""States: taking a transition back, copying, and refusing what is not legal (DESIGN 3)."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import EVERY_SYSTEM, random_walk, seeds, stable, with_label

from dynarc import IllegalTransition, State, System, Transition, Tree
from dynarc.transition import MOVES


def snapshot(state: State) -> tuple[object, ...]:
    """All that a caller can see."""
    return (
        state.key(),
        state.stack,
        state.buffer,
        state.heads,
        state.labels,
        state.history,
        state.i,
        state.j,
        state.is_final,
        state.output,
        state.legal(),
        repr(state),
    )


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(words=st.integers(1, 30), seed=seeds())
@stable()
def test_undo_restores_every_state(ts: System, words: int, seed: int) -> None:
    """Step by step, all the way back to the start."""
    state = ts.initial(words)
    stops = [(stop.copy(), snapshot(stop)) for stop in random_walk(state, seed)]
    assert state.is_final
    for before, seen in reversed(stops[:-1]):
        state.undo()
        assert state.identical(before)
        assert state == before
        assert snapshot(state) == seen
    assert state.identical(ts.initial(words))
    with pytest.raises(IllegalTransition, match="nothing to undo"):
        state.undo()
    assert state.identical(ts.initial(words))


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(words=st.integers(1, 20), seed=seeds())
@stable()
def test_undo_and_go_on_elsewhere(ts: System, words: int, seed: int) -> None:
    """A step back and a step elsewhere is as good as never having taken the first, whatever undo left behind."""
    rng = random.Random(seed)
    state = ts.initial(words)
    while not state.is_final:
        for _ in range(rng.randrange(3)):
            detour = 0
            while not state.is_final and detour < 4:
                state.apply(with_label(state, rng.choice(state.legal()), rng))
                detour += 1
            for _ in range(detour):
                state.undo()
        state.apply(with_label(state, rng.choice(state.legal()), rng))
        straight = ts.initial(words)
        for t in state.history:
            straight.apply(t)
        assert state.identical(straight)
        assert snapshot(state) == snapshot(straight)


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(words=st.integers(1, 20), seed=seeds())
@stable(30)
def test_copies_are_independent(ts: System, words: int, seed: int) -> None:
    rng = random.Random(seed)
    for state in random_walk(ts.initial(words), seed):
        if state.is_final or rng.random() < 0.7:
            continue
        twin, seen = state.copy(), snapshot(state)
        assert twin.identical(state)
        twin.apply(with_label(twin, rng.choice(twin.legal()), rng))
        assert snapshot(state) == seen
        assert not twin.identical(state)
        twin.undo()
        assert twin.identical(state)
        while twin.history:
            twin.undo()
        assert snapshot(state) == seen


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(words=st.integers(1, 6), seed=seeds())
@stable(12)
def test_illegal_transitions_change_nothing(ts: System, words: int, seed: int) -> None:
    nodes = [None, 0, 1, words, words + 1]
    everything = [Transition(move, None, node) for move in MOVES for node in nodes]
    for state in random_walk(ts.initial(words), seed):
        before, seen, legal = state.copy(), snapshot(state), set(state.legal())
        for t in everything:
            assert state.is_legal(t) == (t in legal)
            if t in legal:
                continue
            with pytest.raises(IllegalTransition, match="is not legal here"):
                state.apply(t)
            with pytest.raises(IllegalTransition):
                state.arc(t)
        assert state.identical(before)
        assert snapshot(state) == seen


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(words=st.integers(1, 20), seed=seeds())
@stable(30)
def test_every_reached_state_can_be_given_by_hand(ts: System, words: int, seed: int) -> None:
    """`ts.state` accepts what the system itself reaches, and goes on from there in the same way."""
    for state in random_walk(ts.initial(words), seed):
        if ts.name == "covington":
            given_by_hand = ts.state(heads=state.heads, labels=state.labels, i=state.i, j=state.j)
        else:
            given_by_hand = ts.state(state.stack, state.buffer, state.heads, state.labels)
        assert given_by_hand == state
        assert given_by_hand.legal() == state.legal()
        assert given_by_hand.is_final == state.is_final
        assert given_by_hand.history == []


@pytest.mark.parametrize("ts", EVERY_SYSTEM, ids=System.describe)
@given(words=st.integers(1, 30), seed=seeds())
@stable(30)
def test_every_output_is_a_forest_of_one_head_each(ts: System, words: int, seed: int) -> None:
    """DESIGN 5: no cycle; every word has a head unless the convention is "forest"; one root if one is asked for."""
    *_, end = random_walk(ts.initial(words), seed)
    output = Tree(end.output)  # raises if there is a cycle
    if ts.headless == "attach" or ts.single_root or ts.name not in ("arc-eager", "covington") or ts.root == "last":
        assert not output.is_partial
    if ts.single_root:
        assert len(output.roots) == 1
    if ts.projective:
        assert output.is_projective
