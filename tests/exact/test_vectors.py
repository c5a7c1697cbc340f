"""The brute-force vectors of ORACLES.md: 912 configurations with their loss and the cost of every legal move.

The file is not part of the repository; it is looked for beside the folder of treebanks. ORACLES 11 has its format.
"""

import json
import os
from pathlib import Path
from typing import NotRequired, TypedDict

import pytest

import dynarc
from dynarc import State, System, Transition, Tree

REPOSITORY = Path(__file__).resolve().parents[2]

SYSTEMS: dict[str, System] = {
    "eager_root_last": dynarc.system("arc-eager", root="last"),
    "eager_root_first_forest": dynarc.system("arc-eager", root="first", headless="forest"),
    "eager_root_first_attach_root": dynarc.system("arc-eager", root="first", headless="attach"),
    "eager_root_last_single_root": dynarc.system("arc-eager", root="last", single_root=True),
    "eager_root_last_nonprojective_gold": dynarc.system("arc-eager", root="last"),
    "hybrid_root_first": dynarc.system("arc-hybrid", root="first"),
    "hybrid_root_last": dynarc.system("arc-hybrid", root="last"),
    "easy_first": dynarc.system("easy-first"),
    "standard_root_first": dynarc.system("arc-standard", root="first"),
    "standard_root_last": dynarc.system("arc-standard", root="last"),
    "attardi_root_first": dynarc.system("attardi", root="first"),
    "attardi_root_last": dynarc.system("attardi", root="last"),
    "covington": dynarc.system("covington"),
}
CASES_PER_SYSTEM = {name: 48 if name == "covington" else 72 for name in SYSTEMS}

MOVES = {
    "SH": "SHIFT",
    "LA": "LEFT",
    "RA": "RIGHT",
    "RE": "REDUCE",
    "LA2": "LEFT2",
    "RA2": "RIGHT2",
    "NA": "NOARC",
}


class Case(TypedDict):
    """One vector. Heads are indexed 0..n, with -1 for ROOT's own and for none."""

    system: str
    gold: list[int]
    heads: list[int]
    loss: int
    costs: dict[str, int]
    stack: NotRequired[list[int]]
    buffer: NotRequired[list[int]]
    i: NotRequired[int]
    j: NotRequired[int]


@pytest.fixture(scope="module")
def vectors() -> list[Case]:
    treebanks = os.environ.get("DYNARC_TREEBANKS", REPOSITORY.parent / "shared" / "treebanks")
    path = Path(treebanks).parent / "vectors.json"
    if not path.is_file():
        pytest.skip(f"there is no {path}: it stands beside the folder that DYNARC_TREEBANKS names")
    cases: list[Case] = json.loads(path.read_text(encoding="utf-8"))
    return cases


def state_of(ts: System, case: Case) -> State:
    heads = [None if head == -1 else head for head in case["heads"][1:]]
    if ts.name == "covington":
        return ts.state(heads=heads, i=case["i"], j=case["j"])
    return ts.state(case["stack"], case["buffer"], heads)


def transition_of(ts: System, state: State, name: str) -> Transition:
    """Easy-first writes Lk and Rk with k the place of the head in the list; we write the head itself."""
    if ts.name == "easy-first":
        return Transition("LEFT" if name[0] == "L" else "RIGHT", node=state.stack[int(name[1:])])
    return Transition(MOVES[name])


def test_the_file_is_whole(vectors: list[Case]) -> None:
    assert len(vectors) == 912
    counts = {name: sum(case["system"] == name for case in vectors) for name in SYSTEMS}
    assert counts == CASES_PER_SYSTEM


@pytest.mark.parametrize("name", SYSTEMS)
def test_loss_and_costs(vectors: list[Case], name: str) -> None:
    """The listed transitions are exactly the legal ones, and their costs and the loss are the listed ones."""
    ts = SYSTEMS[name]
    cases = [case for case in vectors if case["system"] == name]
    for case in cases:
        state = state_of(ts, case)
        oracle = ts.oracle("dynamic").bind(Tree(case["gold"][1:]))
        expected = {transition_of(ts, state, written): cost for written, cost in case["costs"].items()}
        assert oracle.exact, case
        assert set(state.legal()) == set(expected), case
        assert oracle.costs(state) == expected, case
        assert {t: oracle.cost(state, t) for t in expected} == expected, case
        assert oracle.loss(state) == case["loss"], case
    assert len(cases) == CASES_PER_SYSTEM[name]


def test_non_projective_vectors_are_not_projective(vectors: list[Case]) -> None:
    """They are the ones that the formula alone would get wrong (ORACLES 1.7), so they must be what they say."""
    golds = [Tree(case["gold"][1:]) for case in vectors if case["system"] == "eager_root_last_nonprojective_gold"]
    assert not any(gold.is_projective for gold in golds)
