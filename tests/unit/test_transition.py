"""Transitions: how they are written, read, compared and kept."""

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from dynarc import IllegalTransition, Transition
from dynarc.transition import MOVES

WRITTEN = [
    (Transition("SHIFT"), "SHIFT"),
    (Transition("LEFT", "nsubj"), "LEFT(nsubj)"),
    (Transition("RIGHT", node=3), "RIGHT@3"),
    (Transition("RIGHT", "obj", 3), "RIGHT@3(obj)"),
    (Transition("LEFT", "nsubj:pass", 0), "LEFT@0(nsubj:pass)"),
    (Transition("LEFT2"), "LEFT2"),
    (Transition("RIGHT2", "a b"), "RIGHT2(a b)"),
    (Transition("LEFT", "(odd)"), "LEFT((odd))"),
]


def test_moves() -> None:
    """DESIGN 3."""
    assert MOVES == ("SHIFT", "LEFT", "RIGHT", "REDUCE", "LEFT2", "RIGHT2", "NOARC", "SWAP")


@pytest.mark.parametrize(("t", "text"), WRITTEN, ids=[text for _, text in WRITTEN])
def test_str_and_parse_are_inverse(t: Transition, text: str) -> None:
    assert str(t) == text
    assert Transition.parse(text) == t
    assert Transition.parse(f"  {text}\n") == t


def test_fields() -> None:
    """DESIGN 3: Transition(move, label, node), label and node being optional."""
    t = Transition(move="LEFT", label=None)
    assert (t.move, t.label, t.node) == ("LEFT", None, None)
    assert Transition("LEFT", "obj", 2) == Transition(node=2, label="obj", move="LEFT")


def test_equality_hash_and_order() -> None:
    assert len({Transition("LEFT"), Transition("LEFT"), Transition("LEFT", "a"), Transition("LEFT", node=1)}) == 3
    moves = [Transition("SHIFT"), Transition("LEFT", "b"), Transition("LEFT", "a"), Transition("RIGHT")]
    assert [str(t) for t in sorted(moves)] == ["LEFT(a)", "LEFT(b)", "RIGHT", "SHIFT"]


@pytest.mark.parametrize("t", [t for t, _ in WRITTEN], ids=str)
def test_pickle_and_copy(t: Transition) -> None:
    for back in (pickle.loads(pickle.dumps(t)), copy.copy(t), copy.deepcopy(t)):
        assert back == t
        assert hash(back) == hash(t)


def test_it_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Transition("LEFT").label = "a"  # type: ignore[misc]


@pytest.mark.parametrize("move", ["JUMP", "left", "", "LEFT3"])
def test_unknown_moves_are_refused_with_the_known_ones(move: str) -> None:
    with pytest.raises(IllegalTransition, match="unknown move") as refused:
        Transition(move)
    assert all(known in str(refused.value) for known in MOVES)


@pytest.mark.parametrize("node", [-1, 2**31, 10**30])
def test_what_cannot_be_a_node(node: int) -> None:
    with pytest.raises(IllegalTransition, match="is not a node"):
        Transition("LEFT", node=node)


@pytest.mark.parametrize("text", ["", "shift", "LEFT(", "LEFT()", "LEFT@(a)", "LEFT@-1", "LEFT (a)", "LEFT(a)@3", "?"])
def test_what_cannot_be_parsed(text: str) -> None:
    with pytest.raises(IllegalTransition, match="is not a transition; write SHIFT"):
        Transition.parse(text)


def test_parse_knows_the_moves() -> None:
    with pytest.raises(IllegalTransition, match="unknown move 'JUMP'"):
        Transition.parse("JUMP(a)")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_every_pickle_protocol_with_slots(protocol: int) -> None:
    t: Any = Transition("LEFT", "a", 1)
    assert pickle.loads(pickle.dumps(t, protocol)) == t
