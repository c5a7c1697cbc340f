"""A sentence on its way through a transition system, wherever somebody leads it: what is legal there, how probable it
is, what it costs, and the best tree that can still be reached."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dynarc import _core
from dynarc.decisions import as_learned
from dynarc.errors import ConfigError, IllegalTransition, OracleError, TreeError
from dynarc.oracles import DynamicOracle, Price
from dynarc.projective import projectivize
from dynarc.systems import State, System
from dynarc.trace import gold_label
from dynarc.transition import MOVE_NUMBER, MOVES, Transition
from dynarc.tree import UNKNOWN, Tree
from dynarc.treebank import Treebank

if TYPE_CHECKING:
    from dynarc.parser import Parser
    from dynarc.sentence import Sentence

# States that one search for exact costs may visit: what takes longer is no longer interactive.
LIMIT = 20_000

Head = tuple[int | None, str | None]


@dataclass(frozen=True, slots=True)
class Option:
    """A legal transition. `arc` is the (head, dependent) it builds; probability and score are those of a parser."""

    transition: Transition
    arc: tuple[int, int] | None
    prob: float | None = None
    cost: Price | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """Where a derivation has come to, and where it can go.

    `loss` is how many gold arcs can no longer be had, `best` the head and label of each word in a tree that misses no
    more than these. `ahead` is how it goes on to the end: as the parser would, or at least cost.
    """

    state: State
    options: tuple[Option, ...]
    loss: Price | None
    best: tuple[Head, ...] | None
    ahead: tuple[Transition, ...]


class Player:
    """Leads a sentence through a transition system: that of a parser, or any, without probabilities.

    >>> from dynarc import Sentence, system
    >>> sentence = Sentence(["They", "ate", "pizza"], heads=[2, 0, 2], deprels=["nsubj", "root", "obj"])
    >>> player = Player(sentence, system("arc-eager"), gold=sentence.tree)
    >>> here = player.position(["SHIFT"])
    >>> here.state, [(str(o.transition), o.cost) for o in here.options]
    ([They] [ate pizza ROOT], [('SHIFT', 1), ('LEFT(nsubj)', 0), ('RIGHT', 2)])
    >>> wrong = player.position(["SHIFT", "RIGHT"])
    >>> wrong.loss, wrong.best
    (2, ((0, None), (1, None), (2, 'obj')))
    """

    def __init__(
        self,
        sentence: "Sentence",
        ts: System | None = None,
        *,
        parser: "Parser | None" = None,
        gold: Tree | None = None,
        limit: int = LIMIT,
    ) -> None:
        if parser is not None:
            if parser.config.direction == "right-to-left":
                raise ConfigError("a parser that goes from right to left cannot be followed step by step", "direction")
            ts = parser.config.transition_system(single_root=parser.single_root)
            sentence = parser.tagged(Treebank([sentence]), 1)[0]
        if ts is None:
            raise ConfigError("a player needs a transition system or a parser")
        if gold is not None and len(gold) != len(sentence):
            raise TreeError(f"the sentence has {len(sentence)} words, but its gold tree {len(gold)}")
        self.parser = parser
        self.forms = tuple(sentence.forms)
        self.system = ts.fresh()
        self.note = ""
        self.gold = gold if gold is None or parser is None else as_learned(parser, gold)
        self._document = Treebank([sentence]).document()
        self._names = [] if parser is None else [name + str(mark) for name, mark in parser.labels.names]
        self._numbers = {name: number for number, name in enumerate(self._names)}
        self._limit = limit
        self._oracle: DynamicOracle | None = None
        if self.gold is not None:
            self._bind(self.gold)

    @property
    def exact(self) -> bool:
        """Costs are the truth."""
        return self._oracle is not None and self._oracle.exact

    def position(self, history: Sequence[Transition | str] = (), *, follow_oracle: bool = False) -> Position:
        """Where these transitions lead. IllegalTransition, saying which, if one of them cannot be taken."""
        try:
            return self._position(history, follow_oracle)
        except OracleError:
            self._lift()
            return self._position(history, follow_oracle)

    def _position(self, history: Sequence[Transition | str], follow_oracle: bool) -> Position:
        taken = [Transition.parse(t) if isinstance(t, str) else t for t in history]
        steps = None
        if self.parser is not None:
            steps = _core.Steps(self.parser.model, self._document, 0)
            taken = [self._transition(step) for step in steps.follow([self._engine(t) for t in taken])]
        state = self.system.initial(self.forms)
        for number, t in enumerate(taken, start=1):
            try:
                state.apply(t)
            except IllegalTransition as error:
                raise IllegalTransition(f"transition {number}: {error}") from None
        options = self._options(state, steps)
        best = self._completed(state)
        if steps is not None and not (follow_oracle and best is not None):
            ahead = [self._transition(step) for step in steps.rest()]
        else:
            ahead = [] if best is None else best.history[len(taken) :]
        tree = None if best is None else tuple(zip(best.output, best.labels, strict=True))
        loss = None if self._oracle is None else self._oracle.loss(state)
        return Position(state, tuple(options), loss, tree, tuple(ahead))

    def derivation(self, *, follow_oracle: bool = False) -> list[Position]:
        """All positions from the first to the last, as the parser goes, or at least cost."""
        way = self.position(follow_oracle=follow_oracle).ahead
        return [self.position(way[:number], follow_oracle=follow_oracle) for number in range(len(way) + 1)]

    def losses(self, transitions: Sequence[Transition | str]) -> list[Price]:
        """The loss before the first of these transitions and after each: where it rises, a mistake was made."""
        if self._oracle is None:
            return []
        state = self.system.initial(self.forms)
        found = [self._oracle.loss(state)]
        for t in transitions:
            state.apply(t)
            found.append(self._oracle.loss(state))
        return found

    def _bind(self, tree: Tree) -> None:
        self.gold = tree
        bound = self.system.oracle("dynamic", limit=self._limit).bind(tree)
        assert isinstance(bound, DynamicOracle)
        self._oracle = bound
        self.note = "" if bound.exact else f"Costs are approximate: {bound.note}."

    def _lift(self) -> None:
        """Where the search for exact costs gives up: the crossing arcs of gold are lifted until none cross."""
        assert self.gold is not None
        if self.gold.is_partial or self.gold.is_projective:
            raise OracleError(
                f"exact costs of this sentence are out of reach in {self.system.name}: it is too long; "
                "arc-eager and arc-hybrid have no such limit"
            )
        lifted = projectivize(self.gold, "baseline")
        self._bind(Tree(lifted.heads, lifted.deprels, sent_id=self.gold.sent_id))
        self.note = (
            f"To find exact costs for these crossing arcs would take too long in {self.system.name}: costs are those "
            "for the tree in which they are lifted until none cross."
        )

    def _options(self, state: State, steps: _core.Steps | None) -> list[Option]:
        if steps is None:
            legal = [t if self.gold is None else gold_label(state, t, self.gold) for t in state.legal()]
            probs: list[float | None] = [None] * len(legal)
        else:
            offers, _ = steps.offers()
            legal = [self._transition((move, node, label)) for move, node, label, *_ in offers]
            probs = [math.exp(log) for *_, log in offers]
        costs = {} if self._oracle is None or state.is_final else self._oracle.costs_of(state, legal)
        return [Option(t, state.arc(t), p, costs.get(t)) for t, p in zip(legal, probs, strict=True)]

    def _completed(self, state: State) -> State | None:
        """At least cost to the end."""
        if self._oracle is None or self.gold is None:
            return None
        state = state.copy()
        while not state.is_final:
            state.apply(gold_label(state, self._oracle.optimal(state)[0], self.gold))
        return state

    def _engine(self, t: Transition) -> tuple[int, int, int]:
        label = UNKNOWN if t.label is None else self._numbers.get(t.label, len(self._names))
        return MOVE_NUMBER[t.move], UNKNOWN if t.node is None else t.node, label

    def _transition(self, step: tuple[int, int, int]) -> Transition:
        move, node, label = step
        return Transition(
            MOVES[move], None if label == UNKNOWN else self._names[label], None if node == UNKNOWN else node
        )
