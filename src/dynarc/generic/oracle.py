"""Dynamic oracles for any left-to-right task (Teichmann and Venant), by two constructions that agree.

A task is described by three automata: `constraints` reads the admissible sequences of actions (and may write something
else, such as the words they stand for), `loss` turns them, at a price, into others, and `gold` accepts what is right.
The least weight of a path through all three is the loss that can still be had.
"""

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn, Protocol, Self, runtime_checkable

from dynarc import _core
from dynarc.errors import AutomatonError, IllegalTransition, OracleError
from dynarc.generic.automaton import Automaton, Symbols, sequence

END = "</s>"  # the action of stopping: scored like any other

# Costs are differences of sums of weights, which need not be exact.
EQUAL = 1e-9


@runtime_checkable
class AnyOracle(Protocol):
    """What training needs of an oracle: it goes along with the actions taken."""

    def costs(self) -> dict[str, float]: ...
    def advance(self, action: str, /) -> None: ...
    def copy(self) -> Self: ...


class _Prepared:
    """The automata of an oracle: constraints, the loss composed with what is right, and what that weighs at least."""

    def __init__(self, constraints: Automaton, loss: Automaton, gold: Automaton | Sequence[str], strict: bool) -> None:
        self.constraints = constraints
        self.gold = gold if isinstance(gold, Automaton) else sequence(gold, loss.symbols)
        for name, automaton in (("constraints", constraints), ("loss", loss), ("gold", self.gold)):
            if automaton.start < 0:
                raise AutomatonError(f"{name}: the automaton has no states, so it accepts nothing")
            if END in automaton.symbols and END in automaton.alphabet("input") | automaton.alphabet("output"):
                raise AutomatonError(f"{name}: the symbol {END} is reserved for stopping: use final states instead")
        self.rest = loss.compose(self.gold)
        if self.rest.start < 0:
            self.explain()
        self.least = -math.inf
        if strict:
            self.least = 0.0 if self.gold is not gold else self.gold.core.shortest_path()[0]

    def explain(self) -> NoReturn:
        """Why no admissible sequence has a finite loss."""
        if self.constraints.is_empty:
            raise AutomatonError("constraints: no sequence is admissible: no path leads from the start to an end")
        if self.gold.is_empty:
            raise AutomatonError("gold: no sequence is accepted, so there is nothing to aim at")
        if self.rest.start < 0:
            raise OracleError("the gold sequence is nothing that `loss` can write: do they have the same symbols?")
        raise OracleError("no admissible sequence has a finite loss: does `loss` read what `constraints` write?")

    def check(self, loss: float) -> None:
        """The least loss of all must be that of the gold sequences themselves."""
        if math.isinf(loss):
            self.explain()
        if math.isfinite(self.least) and loss > self.least + EQUAL:
            raise OracleError(
                f"no gold sequence is admissible: the best that is has loss {loss:g}. Check the gold sequence against "
                "the constraints, or say strict=False to aim at the best there is"
            )


class Oracle:
    """The oracle by construction 2: all ways are composed once; a step then takes microseconds.

    `gold` is a sequence of actions, or an automaton for several (see `golds`). `strict=False` allows a gold sequence
    that is not admissible: the best of what is then costs 0. `determinize` is a number of states: if a deterministic
    automaton of all losses has no more than these, steps have one state to go on from; if it has more, all goes on as
    without (`oracle.deterministic` says which). `alike` says which actions a symbol of the automata stands for, where
    several are treated alike: one arc for all of them makes small automata.

    >>> from dynarc.generic import Automaton
    >>> tags, hamming = Automaton(), Automaton()
    >>> _ = tags.add_states(3), hamming.add_state(final=0), tags.set_final(2)
    >>> for tag in "NV":
    ...     tags.add_arc(0, tag, 1), tags.add_arc(1, tag, 2)
    ...     for other in "NV":
    ...         hamming.add_arc(0, tag, 0, output=other, weight=tag != other)
    (None, None)
    (None, None)
    >>> oracle = Oracle(tags, hamming, ["N", "V"])
    >>> oracle.advance("V")
    >>> oracle.costs(), oracle.loss
    ({'N': 1.0, 'V': 0.0}, 1.0)
    """

    def __init__(
        self,
        constraints: Automaton,
        loss: Automaton,
        gold: Automaton | Sequence[str],
        *,
        strict: bool = True,
        determinize: int | None = None,
        alike: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        automata = _Prepared(constraints, loss, gold, strict)
        self.constraints = automata.constraints
        self.rest = automata.rest
        self.actions: list[str] = []
        symbols = constraints.symbols
        ours, theirs = constraints.core, self.rest.core
        if self.rest.symbols is not symbols:
            symbols = Symbols(symbols)
            theirs = theirs.relabelled([0, *(symbols.add(name) for name in self.rest.symbols)])
        self._names: Sequence[Sequence[str]] | Symbols = symbols
        self._numbers: Mapping[str, int] | Symbols = symbols
        if alike is not None:
            self._names = [(), *(tuple(alike.get(name, (name,))) for name in symbols), (END,)]  # -1 is stopping
            self._numbers = {action: number for number, actions in enumerate(self._names[:-1]) for action in actions}
        self._alike = alike
        try:
            machine = _core.OracleMachine(ours, theirs)
        except AutomatonError as problem:
            if "finite loss" not in str(problem):
                raise
            automata.explain()
        self.deterministic = False
        if determinize is not None:
            losses = ours.compose(theirs).projected(False).determinized(determinize)
            if losses is not None:
                machine = _core.OracleMachine(losses)
                self.deterministic = True
        self._machine = machine
        self._walk = _core.OracleWalk(machine)
        automata.check(self._walk.loss)

    @property
    def loss(self) -> float:
        """The least loss that can still be had, or that was had if the end is reached."""
        return self._walk.loss

    @property
    def finished(self) -> bool:
        return self._walk.stopped

    @property
    def states(self) -> int:
        """Of the composed machine."""
        return self._machine.states

    @property
    def reached(self) -> int:
        """In how many states of the composed machine the actions so far may be."""
        return self._walk.size

    def values(self) -> dict[str, float]:
        """Of every admissible action, stopping included, the least loss that can be had after it."""
        names = self._names
        if isinstance(names, Symbols):
            name = names.name
            return {END if number < 0 else name(number): value for number, value in self._walk.values()}  # type: ignore[misc]
        return {action: value for number, value in self._walk.values() for action in names[number]}

    def costs(self) -> dict[str, float]:
        """By how much each admissible action raises the loss; some action costs 0, unless all is over."""
        least = self._walk.loss
        return {action: value - least for action, value in self.values().items()}

    def optimal(self) -> list[str]:
        """The actions that cost nothing."""
        return [action for action, cost in self.costs().items() if cost <= EQUAL]

    def advance(self, action: str) -> None:
        """Takes an action. Raises IllegalTransition, and stays, if it is not admissible."""
        numbers = self._numbers
        number = -1 if action == END else numbers.find(action) if isinstance(numbers, Symbols) else numbers.get(action)
        if number is None or not self._walk.advance(number):
            _refuse(action, self.values(), number is None or not (number < 0 or self._machine.has_symbol(number)))
        self.actions.append(action)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.actions = list(self.actions)
        twin._walk = self._walk.copy()
        return twin

    def value(self, language: Automaton) -> float:
        """The least loss of all admissible sequences that an acceptor accepts, infinite if there is none.

        What is decided so far need not be a prefix: any regular language will do, for example all sequences that have
        certain brackets at certain words. What the oracle has advanced over does not matter here.
        """
        if self._alike is not None:
            symbols = Automaton()
            symbols.add_state(final=0)
            for symbol, actions in self._alike.items():
                for action in actions:
                    symbols.add_arc(0, action, 0, output=symbol)
            language = language.compose(symbols)
        return _least(language, self.constraints, self.rest)

    def __repr__(self) -> str:
        return f"Oracle(after {' '.join(self.actions) or 'nothing'}: loss {self.loss:g})"


class ReferenceOracle:
    """The oracle by construction 1, which computes everything anew for every action: slow, but hard to get wrong."""

    def __init__(
        self, constraints: Automaton, loss: Automaton, gold: Automaton | Sequence[str], *, strict: bool = True
    ) -> None:
        automata = _Prepared(constraints, loss, gold, strict)
        self.constraints = automata.constraints
        self.rest = automata.rest
        self.actions: list[str] = []
        self.finished = False
        self._alphabet = sorted(constraints.alphabet())
        automata.check(self.loss)

    @property
    def loss(self) -> float:
        if self.finished:
            return _least(sequence(self.actions), self.constraints, self.rest)
        return min(self.values().values(), default=math.inf)

    def values(self) -> dict[str, float]:
        if self.finished:
            return {}
        found = {a: _least(self._beginning(a), self.constraints, self.rest) for a in self._alphabet}
        found[END] = _least(sequence(self.actions), self.constraints, self.rest)
        return {action: value for action, value in found.items() if not math.isinf(value)}

    def _beginning(self, action: str) -> Automaton:
        """The sequences that begin with what was done and this action."""
        automaton = sequence([*self.actions, action])
        automaton.add_arcs(len(automaton) - 1, self._alphabet, len(automaton) - 1)
        return automaton

    def costs(self) -> dict[str, float]:
        values = self.values()
        least = min(values.values(), default=math.inf)
        return {action: value - least for action, value in values.items()}

    def optimal(self) -> list[str]:
        return [action for action, cost in self.costs().items() if cost <= EQUAL]

    def advance(self, action: str) -> None:
        if action not in (values := self.values()):
            _refuse(action, values, action not in (END, *self._alphabet))
        if action == END:
            self.finished = True
        else:
            self.actions.append(action)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.actions = list(self.actions)
        return twin


def _least(language: Automaton, constraints: Automaton, rest: Automaton) -> float:
    if language.start < 0:
        return math.inf
    admissible = language.compose(constraints)
    if admissible.start < 0:
        return math.inf
    if rest.core.arc_count and min(arc.weight for arc in rest.arcs()) < 0:
        return admissible.compose(rest).core.shortest_path()[0]
    return admissible.compose_lazily(rest).least_weight()


def _refuse(action: Hashable, values: dict[str, float], foreign: bool) -> None:
    if not values:
        raise IllegalTransition(f"{action!r} is not possible: the end was reached before")
    possible = ", ".join(sorted(values)[:12]) + (", ..." if len(values) > 12 else "")
    why = "is not in the alphabet of the constraints" if foreign else "is not admissible here"
    raise IllegalTransition(f"the action {action!r} {why}; possible are {possible}")


@dataclass(frozen=True, slots=True)
class LossCounterExample:
    """After `prefix`, the loss transducer finds nothing better than `chosen`; the true loss prefers `better`."""

    gold: tuple[str, ...]
    prefix: tuple[str, ...]
    chosen: tuple[str, ...]
    better: tuple[str, ...]
    weights: tuple[float, float]  # by the transducer, of chosen and better
    losses: tuple[float, float]  # by the true loss

    def __str__(self) -> str:
        def line(actions: tuple[str, ...], i: int) -> str:
            return f"{' '.join(actions)}  (transducer {self.weights[i]:g}, loss {self.losses[i]:g})"

        return "\n".join(
            [
                f"gold    {' '.join(self.gold)}",
                f"prefix  {' '.join(self.prefix) or '(nothing)'}",
                f"chosen  {line(self.chosen, 0)}",
                f"better  {line(self.better, 1)}",
            ]
        )


@dataclass(frozen=True, slots=True)
class LossReport:
    """What `check_loss` found."""

    golds: int
    pairs: int  # of a sequence and a gold one
    blind: int  # pairs with weight 0 whose loss is not 0
    prefixes: int  # pairs of a prefix and a gold sequence
    wrong: int  # of these, where some lightest completion is not a best one
    counterexample: LossCounterExample | None

    @property
    def ok(self) -> bool:
        return self.wrong == 0

    def __str__(self) -> str:
        text = (
            f"{self.golds:,} gold sequences, {self.prefixes:,} prefixes: {self.wrong:,} have a lightest completion "
            f"that is not a best one; {self.blind:,} of {self.pairs:,} pairs have weight 0 but a loss"
        )
        return text if self.counterexample is None else f"{text}\n{self.counterexample}"


class TrueLoss(Protocol):
    """The loss of a sequence of actions when another is right."""

    def __call__(self, actions: tuple[str, ...], gold: tuple[str, ...], /) -> float: ...


def check_loss(
    transducer: Automaton,
    loss: TrueLoss,
    sequences: Sequence[Sequence[str]] | None = None,
    *,
    golds: Sequence[Sequence[str]] | None = None,
    max_length: int = 3,
) -> LossReport:
    """Looks for small counter-examples to what makes an oracle exact: that after any prefix, the sequences which the
    transducer finds lightest are best by the true loss, too (Teichmann and Venant, Definition 8).

    `sequences` are all admissible ones for some small input, such as `generic.enumerate_sequences` gives; if left out,
    everything that the transducer reads, up to `max_length` actions. `golds` are those to be aimed at, all if left out.
    Pairs that the transducer does not relate are passed over.

    >>> hamming = Automaton()
    >>> _ = hamming.add_state(final=0)
    >>> for a, b in ("aa", "ab", "ba", "bb"):
    ...     hamming.add_arc(0, a, 0, output=b, weight=a != b)
    >>> check_loss(hamming, lambda one, gold: sum(a != b for a, b in zip(one, gold))).ok
    True
    """
    if sequences is None:
        alphabet = sorted(transducer.alphabet())
        lengths = range(max_length + 1)
        sequences = [one for length in lengths for one in itertools.product(alphabet, repeat=length)]
    every = [tuple(one) for one in sequences]
    targets = every if golds is None else [tuple(one) for one in golds]
    completions: dict[tuple[str, ...], list[int]] = {}
    for number, one in enumerate(every):
        for end in range(len(one) + 1):
            completions.setdefault(one[:end], []).append(number)
    pairs = blind = prefixes = wrong = 0
    example: LossCounterExample | None = None
    for gold in targets:
        into_gold = transducer.compose(sequence(gold, transducer.symbols))
        weights = [math.inf if into_gold.start < 0 else into_gold.weight(one) for one in every]
        losses = [math.inf if math.isinf(w) else loss(one, gold) for one, w in zip(every, weights, strict=True)]
        pairs += sum(map(math.isfinite, weights))
        blind += sum(weight <= EQUAL < lost for weight, lost in zip(weights, losses, strict=True))
        for prefix, numbers in completions.items():
            least = min(weights[i] for i in numbers)
            if math.isinf(least):
                continue
            prefixes += 1
            best = min(numbers, key=lambda i: losses[i])
            worst = max((i for i in numbers if weights[i] <= least + EQUAL), key=lambda i: losses[i])
            if losses[worst] > losses[best] + EQUAL:
                wrong += 1
                if example is None or len(prefix) + len(gold) < len(example.prefix) + len(example.gold):
                    of_both = (worst, best)
                    example = LossCounterExample(
                        gold,
                        prefix,
                        every[worst],
                        every[best],
                        (weights[of_both[0]], weights[of_both[1]]),
                        (losses[of_both[0]], losses[of_both[1]]),
                    )
    return LossReport(len(targets), pairs, blind, prefixes, wrong, example)


def enumerate_sequences(automaton: Automaton, *, limit: int = 1_000_000) -> list[tuple[str, ...]]:
    """All sequences that an automaton reads, each once. Raises AutomatonError if there are more than the limit."""
    trimmed = automaton.trim()
    if trimmed.start < 0:
        return []
    found: dict[tuple[str, ...], None] = {}
    seen: set[tuple[int, tuple[str, ...]]] = {(trimmed.start, ())}
    todo: list[tuple[int, tuple[str, ...]]] = [(trimmed.start, ())]
    while todo:
        state, done = todo.pop()
        if trimmed.final(state) is not None:
            found[done] = None
        for arc in reversed(trimmed.arcs(state)):
            after = (arc.target, done if arc.input is None else (*done, arc.input))
            if after not in seen:
                seen.add(after)
                todo.append(after)
        if len(found) > limit or len(seen) > 20 * limit:
            raise AutomatonError(f"there are more than {limit:,} sequences, perhaps endlessly many")
    return list(found)
