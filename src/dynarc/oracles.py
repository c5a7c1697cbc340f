"""Oracles: what the best next transitions are, given a gold tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dynarc.errors import ConfigError, IllegalTransition, NonProjectiveError, OracleError, TreeError
from dynarc.transition import MOVE_NUMBER, MOVES, Transition
from dynarc.tree import UNKNOWN, Tree

if TYPE_CHECKING:
    from dynarc import _core
    from dynarc.systems import State, System

Kind = Literal["dynamic", "nondeterministic", "static"]
Nonprojective = Literal["exact", "formula", "error"]
Method = Literal["auto", "formula", "table", "search"]
Reduce = Literal["must", "can"]
Price = int | float
# One price per word, a price per gold label, or a function of the tree and the word.
Weights = Sequence[Price] | Mapping[str, Price] | Callable[[Tree, int], Price]

KINDS: tuple[Kind, ...] = ("dynamic", "nondeterministic", "static")
NONPROJECTIVE: tuple[Nonprojective, ...] = ("exact", "formula", "error")
METHODS: tuple[Method, ...] = ("auto", "formula", "table", "search")
REDUCE: tuple[Reduce, ...] = ("must", "can")

# Prices with a fraction are counted in millionths, so that sums stay exact.
FRACTION_UNIT = 1_000_000
# Sums over a sentence must fit the engine's 64 bits.
MAX_PRICE = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices as the engine counts them: whole numbers of 1/unit."""

    unit: int
    arcs: list[int]
    labels: list[int]

    @classmethod
    def of(cls, tree: Tree, label_cost: Price, weights: Weights | None) -> Prices:
        per_word = [_weight(weights, tree, word) for word in range(1, len(tree) + 1)]
        for price in (label_cost, *per_word):
            if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price <= MAX_PRICE:
                raise ConfigError(f"{price!r} is not a price: prices are numbers from 0 to {MAX_PRICE:,}", "arc_weight")
        unit = 1 if all(isinstance(price, int) for price in (label_cost, *per_word)) else FRACTION_UNIT
        return cls(
            unit,
            [round(price * unit) for price in per_word],
            [round(price * label_cost * unit) for price in per_word],
        )

    def value(self, cost: int) -> Price:
        """A cost of the engine in the caller's terms: int where all prices are."""
        return cost if self.unit == 1 else cost / self.unit


def _weight(weights: Weights | None, tree: Tree, word: int) -> Price:
    if weights is None:
        return 1
    if isinstance(weights, Mapping):
        label = None if tree.deprels is None else tree.deprels[word - 1]
        return 1 if label is None else weights.get(label, 1)
    if callable(weights):
        return weights(tree, word)
    if len(weights) != len(tree):
        raise ConfigError(f"there are {len(weights)} arc weights for {len(tree)} words", "arc_weight")
    return weights[word - 1]


class OracleFactory:
    """An oracle without its gold tree yet.

    `kind`           dynamic: defined everywhere, with costs; nondeterministic: the transitions from which the gold tree
                     can still be reached; static: one canonical transition. The last two are undefined once the gold
                     tree (the canonical sequence) is lost: OracleError, unless `strict` is False, which applies their
                     rules literally.
    `nonprojective`  what a dynamic oracle does with gold that its formula is not exact for: search (exact), use the
                     formula (approximate), or raise NonProjectiveError.
    `method`         auto, or one way by name: formula (arc-eager, arc-hybrid, easy-first, covington, arc-hybrid-swap),
                     table (arc-standard: cubic; attardi: Algorithm 1), search (all, exact).
    `reduce`         static arc-eager only: REDUCE when it must, or as soon as it can.
    `label_cost`     price of a right head with a wrong label; a wrong head costs 1.
    `arc_weight`     price of each arc instead of 1: one per word, a mapping from labels, or a function (tree, word).
    `limit`          how many states one search may visit; where it gives up, OracleError says so.
    """

    def __init__(
        self,
        system: System,
        *,
        kind: Kind,
        nonprojective: Nonprojective,
        method: Method,
        strict: bool,
        reduce: Reduce,
        label_cost: Price,
        arc_weight: Weights | None,
        limit: int | None,
    ) -> None:
        for key, value, allowed in (
            ("kind", kind, KINDS),
            ("nonprojective", nonprojective, NONPROJECTIVE),
            ("method", method, METHODS),
            ("reduce", reduce, REDUCE),
        ):
            if value not in allowed:
                raise ConfigError(f"{key}={value!r} is unknown", key, allowed)
        if limit is not None and limit < 1:
            raise ConfigError(f"limit={limit!r} leaves nothing to search", "limit")
        self.system = system
        self.kind = kind
        self.nonprojective = nonprojective
        self.method = method
        self.strict = strict
        self.reduce = reduce
        self.label_cost = label_cost
        self.arc_weight = arc_weight
        self.limit = limit

    def bind(self, tree: Tree, *, strict: bool | None = None) -> BoundOracle:
        """The oracle for one gold tree, which it never changes. `strict` overrides the factory's."""
        if not isinstance(tree, Tree):
            raise TreeError(f"an oracle is bound to a dynarc.Tree, not to {type(tree).__name__}")
        strict = self.strict if strict is None else strict
        if self.kind == "static":
            return StaticOracle(self, tree, strict)
        if self.kind == "nondeterministic":
            return NondeterministicOracle(self, tree, strict)
        return DynamicOracle(self, tree)

    def __repr__(self) -> str:
        return f"{self.system!r}.oracle({self.kind!r})"


class BoundOracle(ABC):
    """An oracle that knows its gold tree."""

    def __init__(self, factory: OracleFactory, tree: Tree) -> None:
        self.system = factory.system
        self.tree = tree
        self.reduce_when_possible = factory.reduce == "can"

    @property
    def exact(self) -> bool:
        """The answers are right wherever the oracle is defined."""
        return True

    @property
    def note(self) -> str:
        """Where the oracle is not exact: how far off it is."""
        return ""

    @abstractmethod
    def optimal(self, state: State) -> list[Transition]:
        """The transitions to take; none if the state is final."""

    def derivation(self) -> list[Transition]:
        """The canonical sequence that ends in the gold tree."""
        steps = self.system.core.derivation(self._plain_gold(), self.reduce_when_possible)
        if steps is None:
            raise self._underivable()
        return [self.system.from_engine(step) for step in steps]

    def costs(self, state: State) -> dict[Transition, Price]:
        raise self._no_costs()

    def cost(self, state: State, transition: Transition | str) -> Price:
        raise self._no_costs()

    def loss(self, state: State) -> Price:
        raise self._no_costs()

    def _require_own(self, state: State) -> None:
        if state.system is not self.system:
            raise OracleError(f"this state belongs to {state.system!r}, the oracle to {self.system!r}")

    def _no_costs(self) -> OracleError:
        return OracleError('only dynamic oracles have costs; use ts.oracle("dynamic")')

    def _plain_gold(self) -> _core.Gold:
        return self.system.gold(self.tree)

    def _underivable(self) -> TreeError:
        """Why the system has no derivation of the gold tree."""
        name = self.system.name
        if self.system.projective:
            try:
                self.tree.require_projective(f"{name} derives projective trees only")
            except NonProjectiveError as error:
                return error
        where = "" if self.tree.sent_id is None else f"sentence {self.tree.sent_id}: "
        if self.system.single_root and len(self.tree.roots) != 1:
            return TreeError(
                f"{where}ROOT has {len(self.tree.roots)} children, but the system allows one; use single_root=False"
            )
        return TreeError(f"{where}{name} cannot derive this tree; arc-hybrid-swap and covington derive every tree")


class DynamicOracle(BoundOracle):
    """Costs of every legal transition and the loss of every state: how many gold arcs must still be missed.

    >>> from dynarc import Tree, system
    >>> ts = system("arc-eager")
    >>> state = ts.state(stack=[1], buffer=[2, 0], heads=[None, None])
    >>> oracle = ts.oracle("dynamic").bind(Tree([0, 1]))
    >>> {str(t): cost for t, cost in oracle.costs(state).items()}
    {'SHIFT': 1, 'LEFT': 2, 'RIGHT': 0}
    """

    def __init__(self, factory: OracleFactory, tree: Tree) -> None:
        super().__init__(factory, tree)
        if factory.nonprojective == "error" and self.system.projective:
            tree.require_projective(f"{self.system.name} derives projective trees only")
        self._prices = Prices.of(tree, factory.label_cost, factory.arc_weight)
        self._gold = self.system.gold(tree, self._prices.arcs, self._prices.labels)
        self._core = self.system.core.oracle(
            self._gold, factory.method, factory.nonprojective == "formula", factory.limit or 0
        )

    @property
    def exact(self) -> bool:
        return self._core.exact

    @property
    def note(self) -> str:
        return self._core.note

    def costs(self, state: State) -> dict[Transition, Price]:
        """The exact cost of every legal transition: by how much it raises the loss."""
        self._require_own(state)
        costs: dict[Transition, Price] = {}
        for move, node, cost in self._core.costs(state._core):
            for t in self.system.labelled(state, move, node):
                costs[t] = self._prices.value(cost + self._label_cost(state, t))
        return costs

    def costs_of(self, state: State, transitions: Iterable[Transition]) -> dict[Transition, Price]:
        """The costs of some legal transitions, labelled or not. Each move is priced once, whatever its labels."""
        self._require_own(state)
        moves = {(move, node): cost for move, node, cost in self._core.costs(state._core)}
        costs: dict[Transition, Price] = {}
        for t in transitions:
            cost = moves.get((MOVE_NUMBER[t.move], UNKNOWN if t.node is None else t.node))
            if cost is None:
                raise IllegalTransition(f"{t} is not legal here, so it has no cost")
            costs[t] = self._prices.value(cost + self._label_cost(state, t))
        return costs

    def cost(self, state: State, transition: Transition | str) -> Price:
        self._require_own(state)
        t = Transition.parse(transition) if isinstance(transition, str) else transition
        if not state.is_legal(t):
            raise IllegalTransition(f"{t} is not legal here, so it has no cost")
        label = self.system.label_number(t.label, 0)
        return self._prices.value(
            self._core.cost(state._core, MOVE_NUMBER[t.move], UNKNOWN if t.node is None else t.node, label)
        )

    def loss(self, state: State) -> Price:
        """The least price of the gold arcs that every derivation from here must miss."""
        self._require_own(state)
        return self._prices.value(self._core.loss(state._core))

    def optimal(self, state: State) -> list[Transition]:
        """The legal transitions of least cost."""
        costs = self.costs(state)
        least = min(costs.values(), default=0)
        return [t for t, cost in costs.items() if cost == least]

    def _label_cost(self, state: State, t: Transition) -> int:
        if t.label is None:
            return 0
        head, dependent = state.arc(t) or (UNKNOWN, UNKNOWN)
        return self._gold.label_cost(head, dependent, self.system.label_number(t.label, dependent))


class NondeterministicOracle(BoundOracle):
    """Every transition from which the gold tree can still be reached (Goldberg & Nivre 2013, section 4.1)."""

    def __init__(self, factory: OracleFactory, tree: Tree, strict: bool) -> None:
        super().__init__(factory, tree)
        self._strict = strict
        if strict and not self.system.can_derive(tree):
            raise self._underivable()
        # Whether the gold tree can be reached does not depend on what its arcs are worth.
        plain = self.system.oracle(nonprojective=factory.nonprojective, method=factory.method, limit=factory.limit)
        self._dynamic = DynamicOracle(plain, tree)

    @property
    def exact(self) -> bool:
        return self._dynamic.exact

    @property
    def note(self) -> str:
        return self._dynamic.note

    def optimal(self, state: State) -> list[Transition]:
        if self._strict and self._dynamic.loss(state) > 0:
            raise OracleError(
                f"undefined here: the gold tree can no longer be reached from {state!r}; "
                "use the dynamic oracle, or strict=False"
            )
        free = [t for t, cost in self._dynamic.costs(state).items() if cost == 0 and self._builds_gold(state, t)]
        if not free and not state.is_final:
            raise OracleError(f"undefined here: no transition from {state!r} is right by the rules")
        return free

    def _builds_gold(self, state: State, t: Transition) -> bool:
        arc = state.arc(t)
        return arc is None or self.tree.heads[arc[1] - 1] in (arc[0], None)


class StaticOracle(BoundOracle):
    """The canonical derivation of the gold tree, one transition a state."""

    def __init__(self, factory: OracleFactory, tree: Tree, strict: bool) -> None:
        super().__init__(factory, tree)
        if tree.is_partial:
            raise OracleError("a static oracle needs every head; a dynamic one takes partial trees")
        self._strict = strict
        self._gold = self._plain_gold()
        if strict:
            self.derivation()  # raises if there is none

    @property
    def exact(self) -> bool:
        return False

    @property
    def note(self) -> str:
        return "a static oracle knows one derivation: it has no answer off it, and no other optimal transition on it"

    def optimal(self, state: State) -> list[Transition]:
        self._require_own(state)
        if state.is_final:
            return []
        if self._strict and not self.system.core.on_derivation(state._core, self._gold, self.reduce_when_possible):
            raise OracleError(
                f"undefined here: {state!r} is not on the canonical derivation of the gold tree; "
                "use the dynamic oracle, or strict=False"
            )
        step = self.system.core.static_transition(state._core, self._gold, self.reduce_when_possible)
        if step is None:
            raise OracleError(f"undefined here: no rule applies to {state!r}")
        t = self.system.from_engine(step)
        if self.system.label_table.closed and t.label is None and state.arc(t) is not None:
            # Off the gold path a rule may build an arc that has no gold label: any label is as good.
            return [Transition(t.move, label, t.node) for label in self.system.label_table.names]
        return [t]


__all__ = [
    "METHODS",
    "MOVES",
    "BoundOracle",
    "DynamicOracle",
    "Kind",
    "Method",
    "NondeterministicOracle",
    "Nonprojective",
    "OracleFactory",
    "Price",
    "Prices",
    "Reduce",
    "StaticOracle",
    "Weights",
]
