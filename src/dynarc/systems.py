"""Transition systems and their states. The rules themselves live in the engine, one file per system."""

import functools
from collections.abc import Hashable, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from dynarc import _core
from dynarc.errors import ConfigError, IllegalTransition, TreeError
from dynarc.oracles import BoundOracle, Kind, Method, Nonprojective, OracleFactory, Price, Reduce, Weights
from dynarc.transition import MOVE_NUMBER, MOVES, Transition
from dynarc.tree import UNKNOWN, Tree

ROOT_PLACES = ("first", "last")
HEADLESS = ("forest", "attach")


def systems() -> tuple[str, ...]:
    """The names of all transition systems."""
    return tuple(_core.system_names())


def system(
    name: str,
    *,
    root: Literal["first", "last"] | None = None,
    headless: Literal["forest", "attach"] = "forest",
    single_root: bool = False,
    labels: Sequence[str] | None = None,
) -> "System":
    """The transition system of that name.

    `root` is where ROOT stands (default: last for arc-eager, arc-hybrid and arc-hybrid-swap, else first);
    `headless` what becomes of words without a head (arc-eager with ROOT first, covington): they count as wrong or
    are attached to ROOT; `single_root` allows ROOT one child only. With `labels`, states list every labelled
    transition as legal and no other label is accepted; without, moves are listed bare and take any label.

    >>> state = system("arc-eager").initial(2)
    >>> state.legal()
    [Transition(move='SHIFT', label=None, node=None)]
    """
    if name not in systems():
        raise ConfigError(f"unknown transition system {name!r}", "system", systems())
    if root is not None and root not in ROOT_PLACES:
        raise ConfigError(f"root={root!r} is not a place for ROOT", "root", ROOT_PLACES)
    if headless not in HEADLESS:
        raise ConfigError(f"headless={headless!r} is unknown", "headless", HEADLESS)
    if not isinstance(single_root, bool):
        raise ConfigError(f"single_root={single_root!r} is neither True nor False", "single_root", ("True", "False"))
    if isinstance(labels, str):
        raise ConfigError("labels must be a list of labels, not one string", "labels")
    root_last = _core.default_root_last(name) if root is None else root == "last"
    return _system(name, root_last, headless, single_root, None if labels is None else tuple(labels))


@functools.cache
def _system(name: str, root_last: bool, headless: str, single_root: bool, labels: tuple[str, ...] | None) -> "System":
    """One object for the same system with the same options, so that states and oracles go together."""
    return System(
        _core.System.make(name, root_last, headless == "attach", single_root),
        root="last" if root_last else "first",
        headless=headless,
        single_root=single_root,
        labels=labels,
    )


class LabelTable:
    """Labels and the numbers the engine knows them by. Closed if the labels were given, else it grows."""

    def __init__(self, labels: Sequence[str] | None) -> None:
        self.closed = labels is not None
        self.names: list[str] = list(dict.fromkeys(labels or ()))
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def number(self, label: str | None) -> int | None:
        """The number of a label, or None if the table is closed and does not have it."""
        if label is None:
            return UNKNOWN
        if label not in self._numbers and not self.closed:
            self._numbers[label] = len(self.names)
            self.names.append(label)
        return self._numbers.get(label)

    def name(self, number: int) -> str | None:
        return None if number == UNKNOWN else self.names[number]


class State:
    """A configuration of a transition system, moved by `apply` and `undo`.

    >>> state = system("arc-hybrid").initial(["They", "ate", "pizza"])
    >>> state.apply("SHIFT")
    >>> state
    [They] [ate pizza ROOT]
    >>> state.apply(Transition("LEFT", "nsubj"))
    >>> state.heads, state.labels
    ([2, None, None], ['nsubj', None, None])
    """

    __slots__ = ("_core", "forms", "system")
    __hash__ = None  # type: ignore[assignment]  # it moves

    def __init__(self, system: "System", core: _core.State, forms: tuple[str, ...] | None) -> None:
        self.system = system
        self._core = core
        self.forms = forms

    @property
    def stack(self) -> list[int]:
        """Nodes on the stack, bottom first (easy-first: the list; covington: list 1)."""
        return self._core.stack

    @property
    def buffer(self) -> list[int]:
        """Nodes in the buffer, front first."""
        return self._core.buffer

    @property
    def heads(self) -> list[int | None]:
        """The head given to each word so far, None where there is none."""
        return [None if head == UNKNOWN else head for head in self._core.heads]

    @property
    def labels(self) -> list[str | None]:
        """The label of each word's arc so far."""
        return [self.system.label_table.name(label) for label in self._core.labels]

    @property
    def history(self) -> list[Transition]:
        """The transitions taken since the first state, or since `system.state(...)` built this one."""
        return [self.system.from_engine(step) for step in self._core.history]

    @property
    def i(self) -> int | None:
        """covington: the last node of list 1, -1 if it is empty."""
        return self._core.pair[0] if self.system.name == "covington" else None

    @property
    def j(self) -> int | None:
        """covington: the front of the buffer."""
        return self._core.pair[1] if self.system.name == "covington" else None

    @property
    def is_final(self) -> bool:
        return self._core.is_final

    @property
    def output(self) -> list[int | None]:
        """The heads a parser would output if it stopped here: headless words treated as the options say."""
        return [None if head == UNKNOWN else head for head in self._core.finish()]

    def legal(self) -> list[Transition]:
        """Every legal transition, with every label if the system has a closed set of labels."""
        return [t for move, node in self._core.legal() for t in self.system.labelled(self, move, node)]

    def is_legal(self, transition: Transition | str) -> bool:
        t = _transition(transition)
        node = UNKNOWN if t.node is None else t.node
        if not self._core.is_legal(MOVE_NUMBER[t.move], node):
            return False
        if t.label is None:
            return True
        labels = self.system.label_table
        return self.arc(t) is not None and not (labels.closed and labels.number(t.label) is None)

    def arc(self, transition: Transition | str) -> tuple[int, int] | None:
        """The (head, dependent) that a legal transition would build, None if it builds no arc."""
        t = _transition(transition)
        return self._core.arc(MOVE_NUMBER[t.move], UNKNOWN if t.node is None else t.node)

    def apply(self, transition: Transition | str) -> None:
        """Takes a transition, given as such or as text. Raises IllegalTransition and stays as it is if it cannot."""
        t = _transition(transition)
        label = self.system.label_table.number(t.label)
        if label is None:
            known = ", ".join(self.system.label_table.names)
            raise IllegalTransition(f"{t} is not legal here: the system's labels are {known}")
        node = UNKNOWN if t.node is None else t.node
        if t.label is not None and self._core.is_legal(MOVE_NUMBER[t.move], node) and self.arc(t) is None:
            raise IllegalTransition(f"{t} is not legal: {t.move} builds no arc, so it takes no label")
        self._core.apply(MOVE_NUMBER[t.move], node, label)

    def undo(self) -> None:
        """Takes back the last transition."""
        self._core.undo()

    def copy(self) -> "State":
        return State(self.system, self._core.copy(), self.forms)

    def key(self) -> Hashable:
        """Equal for states that are the same configuration with the same labels, however they were reached."""
        core = self._core
        return (core.pair, *map(tuple, (core.stack, core.buffer, core.heads, core.labels)))

    def identical(self, other: "State") -> bool:
        """The same in every respect, history included."""
        return self._core.identical(other._core)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and self.system is other.system and self.key() == other.key()

    def word(self, node: int) -> str:
        """A node as it is shown: ROOT, the form if forms are known, else the number."""
        if node == 0:
            return "ROOT"
        return str(node) if self.forms is None else self.forms[node - 1]

    def __repr__(self) -> str:
        def show(nodes: Sequence[int]) -> str:
            return "[" + " ".join(map(self.word, nodes)) + "]"

        if self.system.name == "easy-first":
            return show(self.stack)
        if self.system.name == "covington":
            i, j = self._core.pair
            passed = " ".join(map(self.word, range(i + 1, j)))
            return f"{show(self.stack)} ({passed}) {show(self.buffer)}"
        return f"{show(self.stack)} {show(self.buffer)}"


def _transition(given: Transition | str) -> Transition:
    if isinstance(given, Transition):
        return given
    if isinstance(given, str):
        return Transition.parse(given)
    raise IllegalTransition(f"{given!r} is neither a Transition nor the text of one")


class System:
    """A transition system with its options. Obtained from `dynarc.system`; has no state of its own."""

    def __init__(
        self,
        core: _core.System,
        *,
        root: str,
        headless: str,
        single_root: bool,
        labels: Sequence[str] | None,
    ) -> None:
        self._core = core
        self.root = root
        self.headless = headless
        self.single_root = single_root
        self.label_table = LabelTable(labels)

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def projective(self) -> bool:
        """It derives projective trees only."""
        return self._core.projective

    @property
    def moves(self) -> tuple[str, ...]:
        return tuple(MOVES[move] for move in self._core.moves)

    @property
    def labels(self) -> tuple[str, ...] | None:
        """The closed set of labels, None if any label may be used."""
        return tuple(self.label_table.names) if self.label_table.closed else None

    def initial(self, words: int | Sequence[str]) -> State:
        """The first state of a sentence, given its number of words or its forms (which then are shown)."""
        if isinstance(words, int):
            return State(self, self._core.initial(words), None)
        if isinstance(words, str) or not isinstance(words, Sequence):
            raise TreeError(f"give the number of words or a list of forms, not {words!r}")
        return State(self, self._core.initial(len(words)), tuple(words))

    def state(
        self,
        stack: Sequence[int] | None = None,
        buffer: Sequence[int] | None = None,
        heads: Sequence[int | None] = (),
        labels: Sequence[str | None] | None = None,
        *,
        i: int | None = None,
        j: int | None = None,
        forms: Sequence[str] | None = None,
    ) -> State:
        """Any configuration, checked for consistency; covington takes i and j instead of stack and buffer.

        >>> system("arc-eager").state(stack=[1], buffer=[2, 3, 0], heads=[None, None, None])
        [1] [2 3 ROOT]
        """
        tree = Tree(heads, labels)
        numbers = [self.label_number(label, word) for word, label in enumerate(labels or [None] * len(tree), start=1)]
        if forms is not None and len(forms) != len(tree):
            raise TreeError(f"there are {len(tree)} heads but {len(forms)} forms")
        if self.name == "covington":
            if i is None or j is None or stack is not None or buffer is not None:
                raise TreeError("a covington state is given by i=, j= and heads=, not by stack and buffer")
        elif i is not None or j is not None:
            raise TreeError(f"i and j are for covington; a state of {self.name} is given by its stack and buffer")
        elif stack is None or (buffer is None and self.name != "easy-first"):
            raise TreeError(f"a state of {self.name} needs its stack and buffer")
        for node in (*(stack or ()), *(buffer or ())):
            if not isinstance(node, int) or not 0 <= node <= len(tree):
                raise TreeError(f"{node!r} is not a node: nodes are 0 (ROOT) to {len(tree)}")
        core = self._core.state(
            stack or (),
            buffer or (),
            tree.engine_heads,
            numbers,
            UNKNOWN if i is None else i,
            UNKNOWN if j is None else j,
        )
        return State(self, core, None if forms is None else tuple(forms))

    def oracle(
        self,
        kind: Kind = "dynamic",
        *,
        nonprojective: Nonprojective = "exact",
        method: Method = "auto",
        strict: bool = True,
        reduce: Reduce = "must",
        label_cost: Price = 1,
        arc_weight: Weights | None = None,
        limit: int | None = None,
    ) -> OracleFactory:
        """An oracle of this system, to be bound to a gold tree: `ts.oracle("dynamic").bind(tree)`.

        See `OracleFactory` for the options.
        """
        return OracleFactory(
            self,
            kind=kind,
            nonprojective=nonprojective,
            method=method,
            strict=strict,
            reduce=reduce,
            label_cost=label_cost,
            arc_weight=arc_weight,
            limit=limit,
        )

    def can_derive(self, tree: Tree) -> bool:
        """Some derivation ends in exactly this tree."""
        if tree.is_partial:
            if self.single_root and len(tree.roots) > 1:
                return False
            return self.oracle("dynamic").bind(tree).loss(self.initial(len(tree))) == 0
        return self._core.derivation(self.gold(tree), False) is not None

    def derivation(self, tree: Tree, *, reduce: Reduce = "must") -> list[Transition]:
        """The static oracle's sequence for a tree. Raises if the system cannot derive it.

        >>> [str(t) for t in system("arc-standard").derivation(Tree([2, 0]))]
        ['SHIFT', 'SHIFT', 'SHIFT', 'LEFT', 'RIGHT']
        """
        return self.oracle("static", reduce=reduce).bind(tree).derivation()

    def __repr__(self) -> str:
        return f"System({self.describe()})"

    def describe(self) -> str:
        """Name and options in one line."""
        parts = [self.name]
        if self.name in ("arc-eager", "arc-hybrid", "arc-standard", "attardi"):
            parts.append(f"root={self.root}")
        if self.headless != "forest":
            parts.append(f"headless={self.headless}")
        if self.single_root:
            parts.append("single root")
        return " ".join(parts)

    def fresh(self) -> "System":
        """The same system with a table of labels of its own: what others call their labels does not fill this one."""
        return System(
            self._core, root=self.root, headless=self.headless, single_root=self.single_root, labels=self.labels
        )

    # What oracles, checks and commands need of the engine.

    @property
    def core(self) -> _core.System:
        return self._core

    @property
    def core_options(self) -> tuple[str, bool, bool, bool]:
        """Name and options as the engine's checks take them."""
        return self.name, self.root == "last", self.headless == "attach", self.single_root

    def label_number(self, label: str | None, word: int) -> int:
        number = self.label_table.number(label)
        if number is None:
            raise TreeError(f"word {word} has label {label!r}, which is not among the system's labels")
        return number

    def gold(
        self, tree: Tree, prices: Sequence[int] | None = None, label_prices: Sequence[int] | None = None
    ) -> _core.Gold:
        labels = [self.label_number(label, word) for word, label in enumerate(tree.deprels or (), start=1)]
        return _core.Gold(
            tree.engine_heads,
            labels or [UNKNOWN] * len(tree),
            [1] * len(tree) if prices is None else prices,
            [1] * len(tree) if label_prices is None else label_prices,
        )

    def from_engine(self, step: tuple[int, int, int]) -> Transition:
        move, node, label = step
        return Transition(MOVES[move], self.label_table.name(label), None if node == UNKNOWN else node)

    def labelled(self, state: State, move: int, node: int) -> list[Transition]:
        """The transitions of one legal move: one for each label if the labels are closed and it builds an arc."""
        where = None if node == UNKNOWN else node
        if self.label_table.closed and self.label_table.names and state._core.arc(move, node) is not None:
            return [Transition(MOVES[move], label, where) for label in self.label_table.names]
        return [Transition(MOVES[move], None, where)]


@runtime_checkable
class StateLike(Protocol):
    """What a state must offer to be checked against brute force. `dynarc.systems.State` does."""

    @property
    def is_final(self) -> bool: ...
    @property
    def heads(self) -> Sequence[int | None]:
        """One entry per word, None where there is no head yet."""
        ...

    def legal(self) -> Sequence[Any]:
        """Every legal transition; any hashable object will do."""
        ...

    def apply(self, transition: Any, /) -> None: ...
    def copy(self) -> "StateLike": ...
    def key(self) -> Hashable:
        """Equal only for states that are alike in all that matters for what can follow and what has been built."""
        ...


@runtime_checkable
class TransitionSystem(Protocol):
    """The small protocol that a system of one's own implements to be checked by `dynarc.check_oracle`."""

    @property
    def projective(self) -> bool:
        """Its oracle is exact for projective gold trees only."""
        ...

    def initial(self, words: int, /) -> StateLike: ...
    def oracle(self, kind: Literal["dynamic"], /) -> Any:
        """An object whose bind(tree) has costs(state) -> dict and loss(state) -> number."""
        ...


__all__ = ["BoundOracle", "LabelTable", "State", "StateLike", "System", "TransitionSystem", "system", "systems"]
