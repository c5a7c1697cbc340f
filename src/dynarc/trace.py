"""Derivations step by step, with what every legal transition would have cost."""

import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from dynarc.errors import IllegalTransition
from dynarc.oracles import BoundOracle, Price
from dynarc.systems import State
from dynarc.transition import Transition
from dynarc.tree import Tree

# What to do next in a state, given the costs of all that is legal there; None stops the derivation.
Policy = Callable[[State, Mapping[Transition, Price]], Transition | None]

Verdict = Literal["right", "wrong head", "wrong label", "no head yet", "gold unknown"]


@dataclass(frozen=True, slots=True)
class Step:
    """One transition. The states are copies, so a step stays true when the derivation goes on."""

    number: int  # 1 is the first transition of the derivation, wherever the trace begins
    state: State  # before the transition
    costs: dict[Transition, Price] | None  # of everything legal in that state; None where gold is not known
    chosen: Transition
    cost: Price | None
    after: State
    loss: Price | None  # of the state after it
    scores: dict[Transition, float] | None = None  # of everything legal, where a parser chose
    probs: dict[Transition, float] | None = None  # the same as probabilities, which add up to 1

    @property
    def legal(self) -> list[Transition]:
        return list(self.scores or self.costs or ())

    @property
    def others(self) -> list[tuple[Transition, Price]]:
        """The legal moves that were not taken, cheapest first."""
        taken = (self.chosen.move, self.chosen.node)
        rest = [(t, cost) for t, cost in (self.costs or {}).items() if (t.move, t.node) != taken]
        return sorted(rest, key=lambda pair: pair[1])

    @property
    def rivals(self) -> list[tuple[Transition, float]]:
        """The transitions that were not taken, as the parser ranked them."""
        rest = [(t, score) for t, score in (self.scores or {}).items() if t != self.chosen]
        return sorted(rest, key=lambda pair: -pair[1])


def trace(start: State, oracle: BoundOracle, choose: Policy) -> Iterator[Step]:
    """The derivation from `start` that `choose` makes, priced by a dynamic oracle, up to a final state.

    >>> from dynarc import system
    >>> ts, tree = system("arc-eager"), Tree([2, 0])
    >>> steps = list(trace(ts.initial(["They", "eat"]), ts.oracle("dynamic").bind(tree), optimal(tree)))
    >>> [(str(step.chosen), step.after) for step in steps[:2]]
    [('SHIFT', [They] [eat ROOT]), ('LEFT', [] [eat ROOT])]
    >>> [(str(t), cost) for t, cost in steps[1].others]
    [('SHIFT', 1), ('RIGHT', 2)]
    """
    state, number = start.copy(), len(start.history)
    while not state.is_final:
        costs = oracle.costs(state)
        chosen = choose(state, costs)
        if chosen is None:
            return
        number += 1
        after = state.copy()
        try:
            after.apply(chosen)
        except IllegalTransition as error:
            raise IllegalTransition(f"transition {number}, from {state!r}: {error}") from None
        yield Step(number, state, costs, chosen, oracle.cost(state, chosen), after, oracle.loss(after))
        state = after


def given(transitions: Iterable[Transition | str]) -> Policy:
    """Follows a sequence, to its end or that of the derivation."""
    left = iter(transitions)

    def choose(state: State, costs: Mapping[Transition, Price]) -> Transition | None:
        t = next(left, None)
        return Transition.parse(t) if isinstance(t, str) else t

    return choose


def optimal(tree: Tree, rng: random.Random | None = None) -> Policy:
    """Takes a transition of least cost: the first one, or any of them if there is an `rng`."""

    def choose(state: State, costs: Mapping[Transition, Price]) -> Transition:
        least = min(costs.values())
        best = [t for t, cost in costs.items() if cost == least]
        return gold_label(state, best[0] if rng is None else rng.choice(best), tree)

    return choose


def erring(tree: Tree, rng: random.Random, errors: float = 1.0) -> Policy:
    """Takes any legal transition with probability `errors`, right or wrong; else one of least cost."""
    best = optimal(tree, rng)

    def choose(state: State, costs: Mapping[Transition, Price]) -> Transition | None:
        if rng.random() < errors:
            return gold_label(state, rng.choice(list(costs)), tree)
        return best(state, costs)

    return choose


def ruled(oracle: BoundOracle) -> Policy:
    """Asks an oracle without costs: a static one bound with strict=False goes on where it is not defined."""

    def choose(state: State, costs: Mapping[Transition, Price]) -> Transition:
        return oracle.optimal(state)[0]

    return choose


def gold_label(state: State, transition: Transition, tree: Tree) -> Transition:
    """The transition with the label of the gold arc that it builds; as it is if the arc is not gold."""
    arc = state.arc(transition)
    if transition.label is not None or tree.deprels is None or arc is None or tree.heads[arc[1] - 1] != arc[0]:
        return transition
    return Transition(transition.move, tree.deprels[arc[1] - 1], transition.node)


@dataclass(frozen=True, slots=True)
class Attachment:
    """One word of a derivation's outcome against gold."""

    word: int
    form: str
    gold_head: int | None
    gold_label: str | None
    head: int | None
    label: str | None
    verdict: Verdict


def attachments(state: State, tree: Tree) -> list[Attachment]:
    """What has been built for each word. In a final state headless words are treated as the system says."""
    heads = state.output if state.is_final else state.heads
    labels = state.labels
    found = []
    for word, (gold, head, label) in enumerate(zip(tree.heads, heads, labels, strict=True), start=1):
        wanted = None if tree.deprels is None else tree.deprels[word - 1]
        verdict: Verdict = "right"
        if gold is None:
            verdict = "gold unknown"
        elif head is None and not state.is_final:
            verdict = "no head yet"
        elif head != gold:
            verdict = "wrong head"
        elif None not in (wanted, label) and label != wanted:
            verdict = "wrong label"
        found.append(Attachment(word, state.word(word), gold, wanted, head, label, verdict))
    return found
