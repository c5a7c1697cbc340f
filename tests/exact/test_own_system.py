"""`check_oracle` on a class of one's own: an arc-hybrid written in plain Python against the protocol (DESIGN 3)."""

from collections.abc import Hashable
from typing import ClassVar

import pytest

import dynarc
from dynarc import ConfigError, OracleError, TransitionSystem, Tree, check_oracle


class HybridState:
    """Arc-hybrid with ROOT last: stack [], buffer [1..n 0] to stack [], buffer [0] (ORACLES 2)."""

    def __init__(self, words: int) -> None:
        self.stack: list[int] = []
        self.buffer = [*range(1, words + 1), 0]
        self.heads: list[int | None] = [None] * words

    @property
    def is_final(self) -> bool:
        return not self.stack and self.buffer == [0]

    def legal(self) -> list[str]:
        moves = ["SHIFT"] if self.buffer[0] != 0 else []
        if self.stack:
            moves.append("LEFT")
        if len(self.stack) > 1:
            moves.append("RIGHT")
        return moves

    def apply(self, transition: str, /) -> None:
        if transition == "SHIFT":
            self.stack.append(self.buffer.pop(0))
            return
        word = self.stack.pop()
        self.heads[word - 1] = self.buffer[0] if transition == "LEFT" else self.stack[-1]

    def copy(self) -> "HybridState":
        twin = HybridState(len(self.heads))
        twin.stack, twin.buffer, twin.heads = list(self.stack), list(self.buffer), list(self.heads)
        return twin

    def key(self) -> Hashable:
        return tuple(self.stack), tuple(self.buffer), tuple(self.heads)

    def __repr__(self) -> str:
        return f"{self.stack} {self.buffer}"


class HybridOracle:
    """The costs of ORACLES 2, counted by the definition rather than kept up to date."""

    forgets_second = False  # drops [gold[s0] = s1] from LEFT, a mistake found in a public implementation (STYLE 2)

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    def head(self, word: int) -> int | None:
        return self.tree.heads[word - 1] if word else None

    def cost(self, state: HybridState, transition: str) -> int:
        stack, buffer = state.stack, state.buffer
        if transition == "SHIFT":
            front = buffer[0]
            lost = [word for word in stack if self.head(word) == front]
            return len(lost) + (self.head(front) in stack[:-1])
        top = stack[-1]
        lost = [word for word in buffer if self.head(word) == top]
        if transition == "RIGHT":
            return len(lost) + (self.head(top) in buffer)
        second = [] if self.forgets_second else stack[-2:-1]
        return len(lost) + (self.head(top) in second + buffer[1:])

    def costs(self, state: HybridState) -> dict[str, int]:
        return {t: self.cost(state, t) for t in state.legal()}

    def loss(self, state: HybridState) -> int:
        """A built arc is right or wrong; a word in the buffer needs its head there or on the stack; a word on the
        stack needs it in the buffer or just below."""
        below = dict(zip(state.stack[1:], state.stack, strict=False))
        lost = 0
        for word, (built, gold) in enumerate(zip(state.heads, self.tree.heads, strict=True), start=1):
            if built is not None:
                lost += built != gold
            elif word in state.buffer:
                lost += gold not in state.stack + state.buffer
            else:
                lost += gold not in state.buffer and gold != below.get(word)
        return lost


class ForgetfulOracle(HybridOracle):
    forgets_second = True


class Hybrid:
    """The system as `check_oracle` takes it."""

    projective = True
    oracle_class: ClassVar[type[HybridOracle]] = HybridOracle

    def initial(self, words: int, /) -> HybridState:
        return HybridState(words)

    def oracle(self, kind: str, /) -> "Hybrid":
        assert kind == "dynamic"
        return self

    def bind(self, tree: Tree) -> HybridOracle:
        return self.oracle_class(tree)


class ForgetfulHybrid(Hybrid):
    oracle_class = ForgetfulOracle


class DeadEnd(Hybrid):
    """Forbids LEFT onto ROOT, so that the last words can never be attached."""

    class State(HybridState):
        def legal(self) -> list[str]:
            return [] if self.buffer[0] == 0 else super().legal()

        def copy(self) -> HybridState:
            twin = DeadEnd.State(len(self.heads))
            twin.stack, twin.buffer, twin.heads = list(self.stack), list(self.buffer), list(self.heads)
            return twin

    def initial(self, words: int, /) -> HybridState:
        return DeadEnd.State(words)


def test_it_follows_the_protocol() -> None:
    assert isinstance(Hybrid(), TransitionSystem)
    assert isinstance(dynarc.system("arc-hybrid"), TransitionSystem)


@pytest.mark.parametrize("given", [Hybrid, Hybrid()], ids=["class", "object"])
def test_a_right_oracle_has_no_mismatch(given: Hybrid | type[Hybrid]) -> None:
    report = check_oracle(given, 4)
    assert report.ok, report
    assert report.exact
    assert report.system == "Hybrid"
    assert report.counterexample is None
    assert "no mismatch" in str(report)


def test_it_is_compared_with_the_same_states_as_ours() -> None:
    """Same system, same gold trees: as many states and costs as the engine finds."""
    own, ours = check_oracle(Hybrid, 4), check_oracle("arc-hybrid", 4, golds="projective")
    assert [(r.golds, r.states, r.costs) for r in own.rows] == [(r.golds, r.states, r.costs) for r in ours.rows]


def test_a_dropped_term_gives_a_counterexample() -> None:
    report = check_oracle(ForgetfulHybrid, 3)
    assert not report.ok
    assert report.wrong_sets > 0  # a wrong action would be called optimal
    example = report.counterexample
    assert example is not None
    assert example.transition == "LEFT"
    assert example.got < example.expected
    state = HybridState(len(example.tree))
    for t in example.derivation:
        assert t in state.legal()
        state.apply(t)
    assert repr(state) == example.state
    assert HybridOracle(example.tree).cost(state, "LEFT") == example.expected
    assert ForgetfulOracle(example.tree).cost(state, "LEFT") == example.got
    shown = str(report)
    assert "mismatches" in shown
    assert f"state        {example.state}" in shown
    assert f"brute force says {example.expected:g}, the oracle {example.got:g}" in shown


def test_non_projective_gold_on_demand() -> None:
    """ORACLES 1.7: outside projective gold the formula is wrong, and `golds` can ask for that."""
    assert not check_oracle(Hybrid, 4, golds="all").ok


def test_dead_ends_are_named() -> None:
    with pytest.raises(OracleError, match="DeadEnd has a dead end: nothing is legal after SHIFT"):
        check_oracle(DeadEnd, 3)


def test_costs_must_price_the_legal_transitions() -> None:
    class SilentOracle(HybridOracle):
        def costs(self, state: HybridState) -> dict[str, int]:
            return {}

    class Silent(Hybrid):
        oracle_class = SilentOracle

    with pytest.raises(OracleError, match="price exactly the legal transitions"):
        check_oracle(Silent, 2)


@pytest.mark.parametrize(
    "options", [{"golds": "derivable"}, {"partial": True}, {"labels": 2}, {"weights": 3}, {"samples": 5}]
)
def test_options_of_the_engine_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match="class of one's own"):
        check_oracle(Hybrid, 3, **options)  # type: ignore[arg-type]
