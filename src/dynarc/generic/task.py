"""What a task is: what may be done, what is right, and what can be seen while doing it.

`Task` describes these by automata, and gets its oracle from them. `TransitionTask` describes them by states that know
their legal transitions, and gets its oracle by search. Either can be trained (`dynarc.generic.train`) and checked
against brute force (`dynarc.generic.check_oracle`).
"""

import heapq
import itertools
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, Self

from dynarc import _core
from dynarc.errors import AutomatonError, ConfigError, IllegalTransition, OracleError
from dynarc.generic.automaton import Automaton
from dynarc.generic.oracle import END, EQUAL, AnyOracle, Oracle

# What is seen in a state: texts or, if the task has templates, named values (None: there is nothing to see).
Seen = Sequence[str | None] | Mapping[str, str | None]


class TaskState(Protocol):
    """Where one is while a sequence of actions is made. Of a class of one's own, `legal`, `apply` and `is_final` are
    what prediction needs; `copy` and `key` are for the search."""

    @property
    def is_final(self) -> bool: ...
    def legal(self) -> Sequence[str]: ...
    def apply(self, action: str, /) -> None: ...
    def copy(self) -> Self: ...
    def key(self) -> Hashable:
        """Equal for states after which the same can be done at the same loss."""
        ...


class AnyTask:
    """What training, prediction and checks need of a task."""

    actions: tuple[str, ...] = ()  # all that there are; stopping is not one of them
    templates: tuple[str, ...] = ()  # conjunctions of named values, as in "word+tag"; if there are any, see `features`
    metric: ClassVar[str] = "accuracy"

    def start(self, x: Any) -> Any:
        raise NotImplementedError

    def oracle(self, x: Any, y: Any) -> AnyOracle:
        raise NotImplementedError

    def features(self, state: Any) -> Seen:
        """What is seen in a state: texts, or values by name if the task has templates."""
        raise NotImplementedError

    def output(self, state: Any) -> Any:
        """What a sequence of actions means."""
        return tuple(action for action in state.actions if action != END)

    def derivation(self, x: Any, y: Any) -> Sequence[str] | None:
        """The one sequence that a static oracle knows; None: always the first of the actions that cost nothing."""
        return None

    def loss_of(self, state: Any, y: Any) -> float:
        """The loss of a final state, by definition: what oracles are checked against."""
        raise NotImplementedError

    def score(self, outputs: Sequence[Any], golds: Sequence[Any]) -> float:
        """How good outputs are, in percent; by default the share of those that are right as a whole."""
        return 100 * sum(map(self.is_right, outputs, golds)) / max(1, len(golds))

    def is_right(self, output: Any, y: Any) -> bool:
        return bool(output == y)

    def options(self) -> dict[str, Any]:
        """What the task was made with, as JSON can hold it: a saved model makes it anew from that."""
        return {}


class Task(AnyTask):
    """A task described by automata.

    A class of one's own says what `constraints`, `loss` and `gold` are, what its `features` see, and perhaps what a
    sequence means (`output`) and what it really costs (`loss_of`, for checks). `dynarc.generic.tagging` is the shortest
    example.
    """

    def constraints(self, x: Any) -> Automaton:
        """Reads the admissible sequences of actions for an input."""
        raise NotImplementedError

    strict: ClassVar[bool] = True  # gold sequences are admissible; if not, the nearest that is counts as right

    def loss(self, x: Any, y: Any) -> Automaton:
        """Turns what `constraints` write into what `gold` accepts; the weight is what the difference costs."""
        raise NotImplementedError

    def gold(self, x: Any, y: Any) -> Automaton | Sequence[str]:
        """The right sequence of actions (of what `constraints` write), or an automaton of several."""
        raise NotImplementedError

    def start(self, x: Any) -> Any:
        return Prefix(x, self.constraints(x))

    def oracle(self, x: Any, y: Any) -> AnyOracle:
        return Oracle(self.constraints(x), self.loss(x, y), self.gold(x, y), strict=self.strict)


class Prefix:
    """The actions taken so far for the input `x`; what may follow is known from an automaton."""

    def __init__(self, x: Any, constraints: Automaton) -> None:
        self.x = x
        self.actions: list[str] = []
        self._symbols = constraints.symbols
        try:
            self._walk = _core.OracleWalk(_core.OracleMachine(constraints.core.projected(False)))
        except AutomatonError:
            raise AutomatonError(f"no sequence of actions is admissible for {x!r}") from None

    @property
    def is_final(self) -> bool:
        return self._walk.stopped

    def legal(self) -> list[str]:
        name = self._symbols.name
        return [END if number < 0 else name(number) for number, _ in self._walk.values()]  # type: ignore[misc]

    def apply(self, action: str) -> None:
        number = -1 if action == END else self._symbols.find(action)
        if number is None or not self._walk.advance(number):
            raise IllegalTransition(f"{action!r} is not admissible here; possible are {', '.join(self.legal())}")
        self.actions.append(action)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.actions = list(self.actions)
        twin._walk = self._walk.copy()
        return twin

    def key(self) -> Hashable:
        return tuple(self.actions)

    def __repr__(self) -> str:
        return " ".join(self.actions) or "(nothing)"


class TransitionTask(AnyTask):
    """A task described by states that know what may be done: bring your own transition system.

    A class of one's own says what the `initial` state for an input is, what its `features` see, and what a final state
    costs (`loss_of`). States need `legal`, `apply`, `is_final`, `copy` and `key`; see `TaskState`. The oracle searches,
    so it is exact and for small or forgiving systems only. It is fast where `loss_so_far` says, of any state, a loss
    that is certain already: it must never fall, and be that of `loss_of` in final states.
    """

    search_limit: int = 100_000  # states that are looked at for one answer

    def initial(self, x: Any) -> Any:
        raise NotImplementedError

    def start(self, x: Any) -> Any:
        return self.initial(x)

    def loss_so_far(self, state: Any, y: Any) -> float:
        return self.loss_of(state, y) if state.is_final else 0.0

    def output(self, state: Any) -> Any:
        return state

    def oracle(self, x: Any, y: Any) -> "SearchOracle":
        return SearchOracle(self, self.initial(x), y)


class SearchOracle:
    """Exact costs from `legal`, `apply` and the loss alone: states are looked at in the order of the loss that is
    certain, so the first final one that is met has the least. What was found is remembered for all on the way."""

    def __init__(self, task: TransitionTask, state: Any, y: Any) -> None:
        self.task = task
        self.state = state.copy()
        self.y = y
        self._known: dict[Hashable, float] = {}

    @property
    def loss(self) -> float:
        """The least loss that can still be had."""
        return self._least(self.state)

    def costs(self) -> dict[str, float]:
        if self.state.is_final:
            return {}
        values = {action: self._least(after) for action, after in _successors(self.state)}
        if not values:
            raise OracleError(f"nothing is legal in {self.state!r}, which is not final: a dead end")
        least = min(values.values())
        return {action: value - least for action, value in values.items()}

    def optimal(self) -> list[str]:
        return [action for action, cost in self.costs().items() if cost <= EQUAL]

    def advance(self, action: str) -> None:
        if action not in self.state.legal():
            raise IllegalTransition(f"{action!r} is not legal here; legal are {', '.join(self.state.legal())}")
        self.state.apply(action)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.state = self.state.copy()
        return twin

    def _least(self, state: Any) -> float:
        key = state.key()
        if key in self._known:
            return self._known[key]
        order = itertools.count()
        before: dict[Hashable, Hashable] = {key: key}
        heap = [(self.task.loss_so_far(state, self.y), next(order), state, key)]
        while heap:
            loss, _, now, at = heapq.heappop(heap)
            if now.is_final or at in self._known:
                # Everything on the way here can reach this loss, and none of it a lesser one: it would have come first.
                while True:
                    self._known[at] = min(self._known.get(at, loss), loss)
                    if at == key:
                        return self._known[key]
                    at = before[at]
            for _, after in _successors(now):
                there = after.key()
                if there in before:
                    continue
                before[there] = at
                known = self._known.get(there)
                bound = self.task.loss_so_far(after, self.y) if known is None else known
                heapq.heappush(heap, (max(loss, bound), next(order), after, there))
            if len(before) > self.task.search_limit:
                raise OracleError(
                    f"more than {self.task.search_limit:,} states were looked at for one answer: make keys of states "
                    "equal that do not differ in what may follow, or raise search_limit"
                )
        raise OracleError(f"no final state can be reached from {state!r}")


def _successors(state: Any) -> Iterator[tuple[str, Any]]:
    if not state.is_final:
        for action in state.legal():
            after = state.copy()
            after.apply(action)
            yield action, after


@dataclass(frozen=True, slots=True)
class TaskReport:
    """What `check_oracle` compared."""

    inputs: int
    states: int
    costs: int
    mismatches: int
    counterexample: str | None

    @property
    def ok(self) -> bool:
        return self.mismatches == 0

    def __str__(self) -> str:
        text = f"{self.inputs:,} inputs, {self.states:,} states, {self.costs:,} costs, "
        text += f"{self.mismatches:,} mismatches" if self.mismatches else "no mismatch"
        return text if self.counterexample is None else f"{text}\n{self.counterexample}"


def check_oracle(task: AnyTask, examples: Iterable[tuple[Any, Any]], *, limit: int = 1_000_000) -> TaskReport:
    """Compares the oracle of a task with brute force: every state that can be reached from every input, every cost.

    Brute force knows `legal`, `apply` and `loss_of`, and nothing of automata or of a search. Examples must be small:
    more than `limit` states are a ConfigError.
    """
    inputs = states = costs = mismatches = 0
    example = None
    for x, y in examples:
        inputs += 1
        known: dict[Hashable, float] = {}
        todo = [(task.start(x), task.oracle(x, y), "")]
        while todo:
            state, oracle, way = todo.pop()
            states += 1
            if states > limit:
                raise ConfigError(f"more than {limit:,} states: check shorter inputs")
            if state.is_final:
                continue
            expected = {}
            for action, after in _successors(state):
                expected[action] = _by_force(task, after, y, known)
                branch = oracle.copy()
                branch.advance(action)
                todo.append((after, branch, f"{way} {action}"))
            if not expected:
                raise OracleError(f"a dead end: nothing is legal after {way or 'nothing'}")
            best = min(expected.values())
            got = oracle.costs()
            costs += len(expected)
            for action, value in expected.items():
                if action not in got or abs(got[action] - (value - best)) > EQUAL:
                    mismatches += 1
                    example = example or (
                        f"input {x!r}, gold {y!r}, after {way.strip() or 'nothing'}: {action} costs {value - best:g} "
                        f"by brute force, {got.get(action, 'nothing')} by the oracle"
                    )
    return TaskReport(inputs, states, costs, mismatches, example)


def _by_force(task: AnyTask, state: Any, y: Any, known: dict[Hashable, float]) -> float:
    """The least loss of all that can follow. States with the same key are looked at once."""
    key = state.key()
    if key not in known:
        known[key] = (
            task.loss_of(state, y)
            if state.is_final
            else min((_by_force(task, after, y, known) for _, after in _successors(state)), default=float("inf"))
        )
    return known[key]
