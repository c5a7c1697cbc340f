"""Weighted automata and transducers: weights add up along a path, and of several paths the lightest counts."""

import math
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dynarc import _core
from dynarc.errors import AutomatonError

EPSILON = None  # the empty symbol: an arc with it reads, or writes, nothing
NO_WEIGHT = math.inf  # of what is not accepted


class Symbols:
    """Names of symbols and the numbers the engine knows them by. Number 0 is the empty symbol."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names: list[str | None] = [EPSILON]
        self._numbers: dict[str | None, int] = {EPSILON: 0}
        for name in names:
            self.add(name)

    def add(self, name: str | None) -> int:
        """The number of a symbol, which is added if it is new."""
        number = self._numbers.get(name)
        if number is None:
            if not isinstance(name, str) or not name:
                raise AutomatonError(f"{name!r} is not a symbol: symbols are texts, None is the empty one")
            number = self._numbers[name] = len(self._names)
            self._names.append(name)
        return number

    def find(self, name: Hashable) -> int | None:
        """The number of a symbol, None if there is no such symbol."""
        return self._numbers.get(name)  # type: ignore[call-overload, no-any-return]

    def name(self, number: int) -> str | None:
        return self._names[number]

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._names if name is not None)

    def __len__(self) -> int:
        return len(self._names) - 1

    def __contains__(self, name: Hashable) -> bool:
        return name in self._numbers


@dataclass(frozen=True, slots=True)
class Arc:
    """From `source` to `target`: reads `input`, writes `output` (None: nothing), adds `weight`."""

    source: int
    input: str | None
    output: str | None
    weight: float
    target: int

    def __str__(self) -> str:
        return f"{self.source} -> {self.target}  {arc_text(self.input, self.output, self.weight)}"


@dataclass(frozen=True, slots=True)
class Path:
    """A way from the start to an end: what it reads, what it writes, and its weight."""

    weight: float
    input: tuple[str, ...]
    output: tuple[str, ...]


def arc_text(read: str | None, written: str | None, weight: float) -> str:
    """An arc as drawings show it: `a`, `a:b`, `a:ε/0.5`."""
    text = (read or "ε") if read == written else f"{read or 'ε'}:{written or 'ε'}"
    return text if weight == 0 else f"{text}/{weight:g}"


class Automaton:
    """A weighted automaton; a transducer if some arc writes another symbol than it reads.

    States are numbers from 0, symbols are texts. Operations return new automata. Automata that share a `Symbols` table
    need not be renamed when they are combined.

    >>> a = Automaton()
    >>> start, end = a.add_state(), a.add_state(final=0)
    >>> a.add_arc(start, "keep", end)
    >>> a.add_arc(start, "drop", end, output=None, weight=1)
    >>> a
    Transducer(2 states, 2 arcs)
    >>> a.shortest_path()
    Path(weight=0.0, input=('keep',), output=('keep',))
    """

    def __init__(self, symbols: Symbols | None = None, core: _core.Automaton | None = None) -> None:
        self.symbols = Symbols() if symbols is None else symbols
        self.core = _core.Automaton() if core is None else core

    # Building.

    def add_state(self, *, final: float | None = None) -> int:
        """A new state, an end of weight `final` if that is given. The first one is the start unless another is set."""
        state = self.core.add_state()
        if state == 0 and self.core.start < 0:
            self.core.set_start(0)
        if final is not None:
            self.core.set_final(state, final)
        return state

    def add_states(self, count: int) -> range:
        """So many new states."""
        first = self.core.states
        self.core.add_states(count)
        if first == 0 and count and self.core.start < 0:
            self.core.set_start(0)
        return range(first, first + count)

    def add_arc(
        self, source: int, symbol: str | None, target: int, *, output: str | None = "", weight: float = 0
    ) -> None:
        """An arc that reads a symbol and writes `output`, the same symbol unless it is given; None is the empty one."""
        read = self.symbols.add(symbol)
        written = read if output == "" else self.symbols.add(output)
        self.core.add_arc(source, read, written, weight, target)

    def add_arcs(self, source: int, symbols: Iterable[str], target: int, *, weight: float = 0) -> None:
        """An arc for each of the symbols."""
        self.core.add_arcs(source, [self.symbols.add(symbol) for symbol in symbols], weight, target)

    def set_final(self, state: int, weight: float = 0) -> None:
        """Lets paths end in a state, at this weight; an infinite one takes that back."""
        self.core.set_final(state, weight)

    @property
    def start(self) -> int:
        """The start state, -1 if there is none."""
        return self.core.start

    @start.setter
    def start(self, state: int) -> None:
        self.core.set_start(state)

    # Looking.

    def __len__(self) -> int:
        """The number of states."""
        return self.core.states

    def __bool__(self) -> bool:
        return True

    @property
    def arc_count(self) -> int:
        return self.core.arc_count

    def arcs(self, state: int | None = None) -> list[Arc]:
        """The arcs of a state, or of all."""
        name = self.symbols.name
        states = range(len(self)) if state is None else (state,)
        return [Arc(s, name(i), name(o), w, t) for s in states for i, o, w, t in self.core.arcs(s)]

    def final(self, state: int) -> float | None:
        """The weight of ending in a state, None if nothing ends there."""
        weight = self.core.final_weight(state)
        return None if weight == NO_WEIGHT else weight

    @property
    def finals(self) -> dict[int, float]:
        return {s: weight for s in range(len(self)) if (weight := self.final(s)) is not None}

    @property
    def is_acceptor(self) -> bool:
        """Every arc writes what it reads."""
        return self.core.is_acceptor

    @property
    def is_empty(self) -> bool:
        """It accepts nothing."""
        return self.start < 0 or self.core.trimmed().states == 0

    def alphabet(self, side: Literal["input", "output"] = "input") -> set[str]:
        """The symbols that some arc reads, or writes."""
        return {symbol for arc in self.arcs() if (symbol := getattr(arc, side)) is not None}

    def __repr__(self) -> str:
        kind = "Automaton" if self.is_acceptor else "Transducer"
        return f"{kind}({len(self)} states, {self.arc_count} arcs)"

    # Weights of paths.

    def shortest_distance(self, *, reverse: bool = False) -> list[float]:
        """Of every state the least weight of a path from the start to it or, reversed, from it to an end.

        Raises AutomatonError if a cycle makes paths ever lighter.
        """
        return self.core.shortest_distance(reverse)

    def shortest_path(self) -> Path:
        """The lightest path. Raises AutomatonError if nothing is accepted."""
        found = self.core.shortest_path() if len(self) else (NO_WEIGHT, [])
        return _path(self.symbols, *found)

    def weight(self, sequence: Sequence[str]) -> float:
        """The least weight of reading a sequence, infinite if it is not accepted.

        >>> sequence("a b".split()).weight(["a", "b"])
        0.0
        """
        if any(symbol not in self.symbols for symbol in sequence):
            return NO_WEIGHT
        read = self._read(sequence)
        return NO_WEIGHT if read.start < 0 else read.core.shortest_path()[0]

    def transduce(self, sequence: Sequence[str]) -> Path:
        """The lightest way of reading a sequence."""
        return self._read(sequence).shortest_path()

    def _read(self, given: Sequence[str]) -> "Automaton":
        return sequence(given, self.symbols).compose(self)

    # New automata.

    def compose(self, other: "Automaton") -> "Automaton":
        """What this one writes, the other reads. Without the states that lead nowhere."""
        symbols, ours, theirs = _common(self, other)
        return Automaton(symbols, ours.compose(theirs))

    __matmul__ = compose

    def compose_lazily(self, other: "Automaton") -> "LazyComposition":
        """The same, but made state by state as someone walks over it."""
        symbols, ours, theirs = _common(self, other)
        return LazyComposition(symbols, _core.LazyComposition(ours, theirs))

    def intersect(self, other: "Automaton") -> "Automaton":
        """What both accept, weights added. Both must be acceptors."""
        for automaton in (self, other):
            if not automaton.is_acceptor:
                raise AutomatonError("only acceptors can be intersected: compose transducers, or project them first")
        return self.compose(other)

    __and__ = intersect

    def __or__(self, other: "Automaton") -> "Automaton":
        return union([self, other])

    def project(self, side: Literal["input", "output"]) -> "Automaton":
        """What is read, or written, alone."""
        if side not in ("input", "output"):
            raise AutomatonError(f"there is no side {side!r}: project to 'input' or to 'output'")
        return Automaton(self.symbols, self.core.projected(side == "output"))

    def invert(self) -> "Automaton":
        """Reads what this one writes, and the other way round."""
        return Automaton(self.symbols, self.core.inverted())

    def trim(self) -> "Automaton":
        """Without the states that are on no path from the start to an end."""
        return Automaton(self.symbols, self.core.trimmed())

    def remove_epsilons(self) -> "Automaton":
        """The same weights without arcs that neither read nor write."""
        return Automaton(self.symbols, self.core.without_epsilons())

    def determinize(self, *, limit: int = 100_000) -> "Automaton":
        """An acceptor with the same weights that never has two ways to go.

        There may be none, or a very large one: AutomatonError beyond `limit` states.
        """
        made = self.core.determinized(limit)
        if made is None:
            raise AutomatonError(
                f"the deterministic automaton has more than {limit:,} states, or is endless: "
                "raise the limit, or use the automaton as it is"
            )
        return Automaton(self.symbols, made)

    def copy(self) -> "Automaton":
        return Automaton(self.symbols, self.core.copy())

    # Files and pictures.

    def to_text(self) -> str:
        """In AT&T's text format; see `dynarc.generic.text`."""
        from dynarc.generic.text import to_text

        return to_text(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        from dynarc.generic.text import write_text

        write_text(self, path)

    def to_dot(self, *, title: str = "") -> str:
        """For Graphviz."""
        from dynarc.generic.draw import to_dot

        return to_dot(self, title=title)

    def to_svg(self, *, title: str = "") -> str:
        """A picture that stands alone."""
        from dynarc.generic.draw import to_svg

        return to_svg(self, title=title)

    def _repr_svg_(self) -> str:
        return self.to_svg()


class LazyComposition:
    """A composition that is made state by state. `core` counts states as they are met; the start is 0."""

    start = 0

    def __init__(self, symbols: Symbols, core: _core.LazyComposition) -> None:
        self.symbols = symbols
        self.core = core

    def __len__(self) -> int:
        """The number of states that have been met so far."""
        return self.core.states

    def __bool__(self) -> bool:
        return True

    def arcs(self, state: int) -> list[Arc]:
        name = self.symbols.name
        return [Arc(state, name(i), name(o), w, t) for i, o, w, t in self.core.arcs(state)]

    def final(self, state: int) -> float | None:
        weight = self.core.final_weight(state)
        return None if weight == NO_WEIGHT else weight

    def pair(self, state: int) -> tuple[int, int]:
        """The states of the two automata that a state stands for."""
        return self.core.pair(state)

    def shortest_path(self) -> Path:
        """The lightest path, found without making more states than needed."""
        return _path(self.symbols, *self.core.shortest_path())

    def least_weight(self) -> float:
        """That of the lightest path, infinite if there is none."""
        return self.core.shortest_path()[0]


def _path(symbols: Symbols, weight: float, arcs: Sequence[tuple[int, int, float, int]]) -> Path:
    if weight == NO_WEIGHT:
        raise AutomatonError("the automaton accepts nothing, so there is no lightest path")
    read = tuple(name for arc in arcs if (name := symbols.name(arc[0])) is not None)
    written = tuple(name for arc in arcs if (name := symbols.name(arc[1])) is not None)
    return Path(weight, read, written)


def _common(one: Automaton, other: Automaton) -> tuple[Symbols, _core.Automaton, _core.Automaton]:
    """Both with the same numbers for symbols."""
    if one.symbols is other.symbols:
        return one.symbols, one.core, other.core
    symbols = Symbols(one.symbols)
    return symbols, one.core, other.core.relabelled([0, *(symbols.add(name) for name in other.symbols)])


def sequence(symbols: Sequence[str], table: Symbols | None = None) -> Automaton:
    """The automaton that accepts one sequence.

    >>> sequence(["S(", "SHIFT", ")"])
    Automaton(4 states, 3 arcs)
    """
    if isinstance(symbols, str):
        raise AutomatonError(f"a sequence is a list of symbols, not one text: {symbols!r}.split(), perhaps?")
    automaton = Automaton(table)
    states = automaton.add_states(len(symbols) + 1)
    for state, symbol in enumerate(symbols):
        automaton.add_arc(state, symbol, state + 1)
    automaton.set_final(states[-1])
    return automaton


def union(automata: Iterable[Automaton], weights: Iterable[float] | None = None) -> Automaton:
    """Accepts what one of them accepts, at the least weight; `weights` are added to those of each.

    >>> golds = union([sequence(["a"]), sequence(["b"])], weights=[0, 0.5])
    >>> golds.weight(["b"])
    0.5
    """
    parts = list(automata)
    added = [0.0] * len(parts) if weights is None else [float(weight) for weight in weights]
    if not parts:
        raise AutomatonError("a union needs at least one automaton")
    if len(added) != len(parts):
        raise AutomatonError(f"there are {len(parts)} automata but {len(added)} weights")
    symbols = parts[0].symbols
    if any(part.symbols is not symbols for part in parts):
        symbols = Symbols(symbols)
    cores = [
        part.core
        if part.symbols is parts[0].symbols
        else part.core.relabelled([0, *(symbols.add(name) for name in part.symbols)])
        for part in parts
    ]
    return Automaton(symbols, _core.Automaton.union_of(cores, added))


def golds(sequences: Iterable[Sequence[str]] | Mapping[tuple[str, ...], float]) -> Automaton:
    """Several gold sequences, perhaps each with a weight: what it costs to have that one rather than another."""
    weights = list(sequences.values()) if isinstance(sequences, Mapping) else None
    table = Symbols()
    return union([sequence(one, table) for one in sequences], weights)
