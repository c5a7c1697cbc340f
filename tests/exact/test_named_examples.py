"""The worked examples that ORACLES.md and FEATURES.md give by name, each as a configuration one can read.

The printed formulas of the papers get most of them wrong; what is expected here was found by brute force.
"""

from dataclasses import dataclass
from typing import Any

import pytest

import dynarc
from dynarc import OracleError, System, Transition, Tree
from dynarc.oracles import BoundOracle, Kind, Method

EAGER_LAST = dynarc.system("arc-eager", root="last")
EAGER_FIRST = dynarc.system("arc-eager", root="first")
HYBRID_FIRST = dynarc.system("arc-hybrid", root="first")
STANDARD_FIRST = dynarc.system("arc-standard", root="first")
EASY_FIRST = dynarc.system("easy-first")
ATTARDI_FIRST = dynarc.system("attardi", root="first")

NO_ARCS: dict[int, int] = {}


@dataclass(frozen=True)
class Example:
    """A configuration with the arcs built so far (word: head), a gold tree, and what must hold of them."""

    name: str
    system: System
    stack: list[int]
    buffer: list[int]
    built: dict[int, int]
    gold: list[int]
    costs: str | None = None  # "SHIFT 1, LEFT 0": every legal transition with its cost
    loss: int | None = None  # of the state: wrong arcs built so far, and F, the loss still to come

    def state(self) -> dynarc.State:
        heads = [self.built.get(word) for word in range(1, len(self.gold) + 1)]
        return self.system.state(self.stack, self.buffer, heads)

    @property
    def wrong_arcs_built(self) -> int:
        return sum(self.gold[word - 1] != head for word, head in self.built.items())


FORMULAS = [  # ORACLES 1.2, 2 and 3
    Example("E1", EAGER_LAST, [1], [2, 0], NO_ARCS, [0, 1], "SHIFT 1, RIGHT 0, LEFT 2"),
    Example("E2", EAGER_LAST, [1], [2, 0], NO_ARCS, [2, 0], "SHIFT 1, RIGHT 2, LEFT 0"),
    Example("E3", EAGER_FIRST, [0, 1], [2], NO_ARCS, [0, 1], "SHIFT 1, RIGHT 0, LEFT 1", loss=1),
    Example("E4", EAGER_FIRST, [0, 1], [2], {1: 0}, [2, 0], "SHIFT 1, RIGHT 1, REDUCE 0", loss=1),
    Example(
        "E5",
        EAGER_FIRST,
        [0, 2, 3],
        [4, 5, 6],
        {2: 0, 1: 2},
        [2, 0, 2, 5, 2, 2],
        "SHIFT 0, RIGHT 1, LEFT 0",
        loss=1,
    ),
    Example(
        "E6",
        EAGER_FIRST,
        [0, 2, 3],
        [5, 6],
        {2: 0, 1: 2, 4: 5},
        [2, 0, 2, 5, 2, 2],
        "SHIFT 1, RIGHT 1, LEFT 0",
        loss=1,
    ),
    Example("H1", HYBRID_FIRST, [0, 1], [2, 3, 4], NO_ARCS, [2, 0, 2, 3], "SHIFT 2, LEFT 0, RIGHT 1"),
    Example("H2", HYBRID_FIRST, [0, 1, 2], [3, 4], NO_ARCS, [2, 0, 2, 3], "SHIFT 0, LEFT 1, RIGHT 1", loss=2),
    Example(
        "F1",
        EASY_FIRST,
        [0, 1, 2, 3],
        [],
        NO_ARCS,
        [2, 0, 2],
        "LEFT@2 0, LEFT@3 3, RIGHT@0 1, RIGHT@1 3, RIGHT@2 0",
    ),
]

A4_HEADS = {x: [0, 1, 2, 5, 2, x, 5, 1] for x in (2, 5, 4)}
A5_GOLD = [4, 1, 0, 3, 0]
REDUCING = [  # ORACLES 4 and 5.3, where the loss is F plus the wrong arcs built
    Example("arc-standard", STANDARD_FIRST, [0, 1, 2, 3], [], NO_ARCS, [2, 3, 0], "LEFT 0, RIGHT 1", loss=1),
    Example("A1: F=1", ATTARDI_FIRST, [0], [2, 3], {1: 0}, [2, 0, 1], loss=1 + 1),
    Example("A2: F=1", ATTARDI_FIRST, [0, 1, 2, 4], [5, 6], {3: 2}, [5, 0, 0, 5, 0, 1], loss=1 + 1),
    Example("A3: F=1", ATTARDI_FIRST, [0], [2, 3, 4], {1: 0}, [0, 0, 1, 2], loss=0 + 1),
    Example(
        "A4, x=2: F=1",
        ATTARDI_FIRST,
        [0, 1, 2, 3, 4],
        [5, 6, 7, 8],
        NO_ARCS,
        A4_HEADS[2],
        "SHIFT 0, LEFT 0, RIGHT 0, LEFT2 3, RIGHT2 0",
        loss=1,
    ),
    Example("A4, x=5: F=0", ATTARDI_FIRST, [0, 1, 2, 3, 4], [5, 6, 7, 8], NO_ARCS, A4_HEADS[5], loss=0),
    Example("A4, x=4: F=0", ATTARDI_FIRST, [0, 1, 2, 3, 4], [5, 6, 7, 8], NO_ARCS, A4_HEADS[4], loss=0),
    Example(
        "A5: F=1",
        ATTARDI_FIRST,
        [0, 1, 2, 3],
        [4, 5],
        NO_ARCS,
        A5_GOLD,
        "SHIFT 0, LEFT 0, RIGHT 1, LEFT2 1, RIGHT2 1",
        loss=1,
    ),
]


def check(example: Example, method: Method) -> None:
    state = example.state()
    oracle = example.system.oracle("dynamic", method=method).bind(Tree(example.gold))
    assert oracle.exact
    if example.loss is not None:
        assert oracle.loss(state) == example.loss
    if example.costs is not None:
        written = dict(part.split() for part in example.costs.split(", "))
        assert {str(t): str(cost) for t, cost in oracle.costs(state).items()} == written


def named(examples: list[Example]) -> dict[str, Any]:
    return {"argvalues": examples, "ids": [example.name for example in examples]}


@pytest.mark.parametrize("example", **named(FORMULAS))
@pytest.mark.parametrize("method", ["auto", "formula", "search"])
def test_formula(example: Example, method: Method) -> None:
    """E1 to E6, H1, H2 and F1 (ORACLES 1.2, 2, 3)."""
    check(example, method)


@pytest.mark.parametrize("example", **named(REDUCING))
@pytest.mark.parametrize("method", ["auto", "search", "table"])
def test_reducing(example: Example, method: Method) -> None:
    """The example of ORACLES 4 and A1 to A5 of 5.3, by the search and by the corrected table."""
    check(example, method)


@pytest.mark.parametrize("example", **named([e for e in REDUCING if e.built]))
def test_future_loss_does_not_depend_on_what_was_built(example: Example) -> None:
    """ORACLES 5.1: loss = wrong arcs built + F(stack, buffer). Words that are gone may hang from anything."""
    assert example.loss is not None
    future = example.loss - example.wrong_arcs_built
    oracle = ATTARDI_FIRST.oracle("dynamic").bind(Tree(example.gold))
    for word in example.built:
        for head in (node for node in range(len(example.gold) + 1) if node != word):
            built = {**example.built, word: head}
            other = Example(example.name, example.system, example.stack, example.buffer, built, example.gold)
            assert oracle.loss(other.state()) == future + other.wrong_arcs_built


def test_a5_static_sequence() -> None:
    """ORACLES 5.3, A5: the derivation of the tree, LEFT before LEFT2."""
    expected = "SHIFT SHIFT SHIFT RIGHT SHIFT SHIFT LEFT2 RIGHT RIGHT SHIFT RIGHT"
    assert " ".join(map(str, ATTARDI_FIRST.derivation(Tree(A5_GOLD)))) == expected


def test_arc_standard_is_not_decomposable() -> None:
    """ORACLES 4: from [0 1 2 3] | [] each gold arc can be reached alone, yet one must be lost."""
    state = STANDARD_FIRST.state([0, 1, 2, 3], [], [None] * 3)
    gold = [2, 3, 0]
    for word, head in enumerate(gold, start=1):
        alone = Tree([head if w == word else None for w in (1, 2, 3)])
        assert STANDARD_FIRST.oracle("dynamic").bind(alone).loss(state) == 0
    assert STANDARD_FIRST.oracle("dynamic").bind(Tree(gold)).loss(state) == 1


class TestStaticOracleAfterAnError:
    """FEATURES 7, the example of Goldberg & Nivre 2012, 2.2: [0 2 3] | [4 5 6] with 0->2 and 2->1 built."""

    gold = Tree([2, 0, 2, 5, 2, 2])

    @staticmethod
    def start() -> dynarc.State:
        return EAGER_FIRST.state([0, 2, 3], [4, 5, 6], [2, 0, None, None, None, None])

    def arcs_lost_by_following(self, oracle: BoundOracle) -> int:
        state = self.start()
        while not state.is_final:
            state.apply(oracle.optimal(state)[0])
        return sum(head != gold for head, gold in zip(state.heads, self.gold.heads, strict=True))

    @pytest.mark.parametrize("kind", ["static", "nondeterministic"])
    def test_it_is_undefined(self, kind: Kind) -> None:
        oracle = EAGER_FIRST.oracle(kind).bind(self.gold)
        with pytest.raises(OracleError, match="undefined here"):
            oracle.optimal(self.start())

    def test_its_rules_taken_literally_lose_three_arcs(self) -> None:
        oracle = EAGER_FIRST.oracle("static", strict=False).bind(self.gold)
        assert self.arcs_lost_by_following(oracle) == 3

    def test_the_dynamic_oracle_loses_one(self) -> None:
        oracle = EAGER_FIRST.oracle("dynamic").bind(self.gold)
        assert oracle.loss(self.start()) == 1
        assert self.arcs_lost_by_following(oracle) == 1
        assert Transition("LEFT") in oracle.optimal(self.start())
