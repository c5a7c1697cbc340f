"""Checking oracles against brute force: for our systems in the engine, for any other class here in Python.

Both know a system by its legal transitions and what they do, and nothing of any cost.
"""

import itertools
import os
import time
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict, cast

from dynarc import _core
from dynarc.errors import ConfigError, OracleError, TreeError
from dynarc.oracles import Method
from dynarc.systems import State, StateLike, System, TransitionSystem, system
from dynarc.transition import Transition
from dynarc.tree import UNKNOWN, Tree

Golds = Literal["all", "projective", "derivable"]
GOLDS: tuple[Golds, ...] = ("all", "projective", "derivable")


class _Found(TypedDict):
    heads: list[int]
    labels: list[int]
    prices: list[int]
    derivation: list[tuple[int, int, int]]
    transition: tuple[int, int, int] | None
    expected: int
    got: int


@dataclass(frozen=True, slots=True)
class CounterExample:
    """A state where the oracle is wrong: about `transition`, or about the loss of the state if that is None."""

    tree: Tree
    derivation: tuple[Any, ...]
    state: str
    transition: Any
    expected: float
    got: float
    weights: tuple[float, ...] = ()

    def __str__(self) -> str:
        way = " ".join(map(str, self.derivation)) or "(the first state)"
        gold = " ".join(f"{word}<-{head}" for word, head in enumerate(self.tree.heads, start=1) if head is not None)
        what = "loss of the state" if self.transition is None else f"cost of {self.transition}"
        lines = [f"gold         {gold}"]
        if set(self.weights) - {1}:
            lines.append(f"weights      {' '.join(f'{w:g}' for w in self.weights)}")
        lines += [
            f"derivation   {way}",
            f"state        {self.state}",
            f"{what}: brute force says {self.expected:g}, the oracle {self.got:g}",
        ]
        return "\n".join(lines)


@dataclass(slots=True)
class CheckRow:
    """What was compared for sentences of one length."""

    words: int
    golds: int = 0
    states: int = 0  # pairs of gold tree and state
    costs: int = 0  # of transitions
    wrong_losses: int = 0
    wrong_costs: int = 0
    wrong_sets: int = 0  # sets of least cost with a transition that is not optimal
    incomplete_sets: int = 0  # sets of least cost that lack an optimal transition
    no_free_move: int = 0  # states where no transition costs 0 by the oracle
    unknown: int = 0  # states where the oracle gave up
    exact: bool = True  # what the oracle says of itself
    seconds: float = 0.0
    sampled: bool = False

    @property
    def mismatches(self) -> int:
        return self.wrong_losses + self.wrong_costs + self.unknown


@dataclass(slots=True)
class CheckReport:
    """The outcome of `check_oracle`, one row per sentence length."""

    system: str
    rows: list[CheckRow] = field(default_factory=list)
    counterexample: CounterExample | None = None

    def _sum(self, name: str) -> int:
        return sum(getattr(row, name) for row in self.rows)

    @property
    def golds(self) -> int:
        return self._sum("golds")

    @property
    def states(self) -> int:
        return self._sum("states")

    @property
    def costs(self) -> int:
        return self._sum("costs")

    @property
    def mismatches(self) -> int:
        return self._sum("mismatches")

    @property
    def wrong_costs(self) -> int:
        return self._sum("wrong_costs")

    @property
    def wrong_sets(self) -> int:
        return self._sum("wrong_sets")

    @property
    def exact(self) -> bool:
        """The oracle says of itself that it is exact, for every gold tree it was bound to."""
        return all(row.exact for row in self.rows)

    @property
    def ok(self) -> bool:
        """Nothing differs from brute force."""
        return self.mismatches == 0

    def __str__(self) -> str:
        head = f"{self.system}: {self.golds:,} gold trees, {self.states:,} states, {self.costs:,} costs, "
        text = head + (f"{self.mismatches:,} mismatches" if self.mismatches else "no mismatch")
        return text if self.counterexample is None else f"{text}\n{self.counterexample}"


def check_oracle(
    ts: System | TransitionSystem | type[TransitionSystem] | str,
    max_words: int = 4,
    *,
    golds: Golds | None = None,
    method: Method = "auto",
    nonprojective: Literal["exact", "formula"] = "exact",
    partial: bool = False,
    labels: int = 0,
    label_cost: float = 1,
    weights: int = 0,
    samples: int = 0,
    min_words: int = 1,
    seed: int = 1,
    threads: int | None = None,
    native: bool = True,
) -> CheckReport:
    """Compares the dynamic oracle of a system with brute force: every gold tree, every reachable state, every cost.

    `ts` is a system of ours (or its name), or an object or class of one's own that follows `TransitionSystem`.
    Lengths run from `min_words` to `max_words`. The other options are for our systems: which gold trees (`all`,
    `projective`, `derivable`; for a class of one's own the default is what its `projective` says), which `method`,
    also trees with unknown heads (`partial`), a number of `labels` with a `label_cost` that halves or less make
    exact (0, 0.5, 1), arc weights drawn from 0..`weights`, and `samples` random trees instead of all. `native=False`
    runs our systems through the Python brute force too.

    >>> check_oracle("arc-hybrid", max_words=3).mismatches
    0
    """
    if isinstance(ts, str):
        ts = system(ts)
    if isinstance(ts, type):
        ts = ts()
    if min_words < 1 or max_words < min_words:
        raise ConfigError(f"there is nothing to check from {min_words} to {max_words} words", "max_words")
    if golds is not None and golds not in GOLDS:
        raise ConfigError(f"golds={golds!r} is unknown", "golds", GOLDS)
    if not isinstance(ts, System) or not native:
        if golds == "derivable" or partial or labels or weights or samples:
            raise ConfigError("a class of one's own is checked with whole, unlabelled gold trees, all or projective")
        return _check_in_python(ts, min_words, max_words, golds)
    report = CheckReport(ts.describe())
    # Label prices are parts of the price of an arc, in whole units.
    unit = 1 if float(label_cost).is_integer() else 1_000_000
    for words in range(min_words, max_words + 1):
        start = time.perf_counter()
        result = _core.check(
            *ts.core_options,
            words,
            golds or "all",
            method,
            nonprojective == "formula",
            partial,
            labels,
            round(label_cost * unit),
            unit,
            weights,
            samples,
            seed,
            os.cpu_count() or 1 if threads is None else threads,
        )
        found = cast("_Found | None", result.pop("first"))
        row = CheckRow(words, **result, sampled=samples > 0, seconds=time.perf_counter() - start)
        report.rows.append(row)
        if found is not None and report.counterexample is None:
            report.counterexample = _counterexample(ts, found, unit)
    return report


def _counterexample(ts: System, found: _Found, unit: int) -> CounterExample:
    def transition(step: tuple[int, int, int]) -> Transition:
        move, node, label = step
        bare = ts.from_engine((move, node, UNKNOWN))
        return bare if label == UNKNOWN else Transition(bare.move, f"label{label}", bare.node)

    heads = [None if head == UNKNOWN else head for head in found["heads"]]
    labels = [None if label == UNKNOWN else f"label{label}" for label in found["labels"]]
    derivation = tuple(map(transition, found["derivation"]))
    # The engine's labels are none of the system's own.
    free = System(ts.core, root=ts.root, headless=ts.headless, single_root=ts.single_root, labels=None)
    state = free.initial(len(heads))
    for t in derivation:
        state.apply(t)
    return CounterExample(
        Tree(heads, labels if any(labels) else None),
        derivation,
        repr(state),
        None if found["transition"] is None else transition(found["transition"]),
        found["expected"] / unit,
        found["got"] / unit,
        tuple(price / unit for price in found["prices"]),
    )


@dataclass(frozen=True, slots=True)
class DecompositionReport:
    """Is a set of gold arcs always reachable together when each is alone? `broken` counts states where not."""

    system: str
    words: int
    states: int
    broken: int
    counterexample: CounterExample | None

    @property
    def decomposable(self) -> bool:
        return self.broken == 0


def check_decomposition(
    ts: System | str, max_words: int = 4, *, golds: Golds | None = None
) -> list[DecompositionReport]:
    """Tests arc decomposition exhaustively, one report per length, up to the first length that breaks it.

    `golds` defaults to the trees that the system derives.
    """
    ts = system(ts) if isinstance(ts, str) else ts
    reports = []
    for words in range(1, max_words + 1):
        result = _core.check_decomposition(*ts.core_options, words, golds or "derivable")
        found = cast("_Found | None", result["first"])
        example = None if found is None else _counterexample(ts, found, 1)
        reports.append(DecompositionReport(ts.describe(), words, result["states"], result["broken"], example))
        if result["broken"]:
            break
    return reports


# Brute force in Python.


def all_trees(words: int, *, projective: bool = False) -> Iterator[Tree]:
    """Every tree of that many words."""
    for heads in itertools.product(range(words + 1), repeat=words):
        try:
            tree = Tree(heads)
        except TreeError:
            continue
        if not projective or tree.is_projective:
            yield tree


def reachable_states(ts: System | TransitionSystem, words: int) -> Iterator[tuple[StateLike, tuple[Any, ...]]]:
    """Every state that can be reached, each once, with a derivation of it."""
    start = cast(StateLike, ts.initial(words))
    seen = {start.key()}
    todo: list[tuple[StateLike, tuple[Any, ...]]] = [(start, ())]
    while todo:
        state, way = todo.pop()
        yield state, way
        if state.is_final:
            continue
        for t in state.legal():
            after = state.copy()
            after.apply(t)
            if after.key() not in seen:
                seen.add(after.key())
                todo.append((after, (*way, t)))


class BruteForce:
    """True losses and costs by trying everything that can follow."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._known: dict[Hashable, int] = {}

    def loss(self, state: StateLike) -> int:
        key = state.key()
        if key not in self._known:
            if state.is_final:
                heads = state.output if isinstance(state, State) else state.heads
                self._known[key] = sum(
                    gold is not None and head != gold for head, gold in zip(heads, self.tree.heads, strict=True)
                )
            else:
                self._known[key] = min(self.loss(after) for _, after in self._successors(state))
        return self._known[key]

    def costs(self, state: StateLike) -> dict[Any, int]:
        return {t: self.loss(after) - self.loss(state) for t, after in self._successors(state)}

    @staticmethod
    def _successors(state: StateLike) -> Iterator[tuple[Any, StateLike]]:
        if state.is_final:
            return
        for t in state.legal():
            after = state.copy()
            after.apply(t)
            yield t, after


def _check_in_python(ts: System | TransitionSystem, min_words: int, max_words: int, golds: Golds | None) -> CheckReport:
    ours = isinstance(ts, System)
    name = ts.describe() if isinstance(ts, System) else type(ts).__name__
    projective = golds == "projective" or (golds is None and not ours and ts.projective)
    report = CheckReport(name)
    for words in range(min_words, max_words + 1):
        start = time.perf_counter()
        row = CheckRow(words)
        states = list(reachable_states(ts, words))
        dead = next(((state, way) for state, way in states if not state.is_final and not state.legal()), None)
        if dead is not None:
            raise OracleError(f"{name} has a dead end: nothing is legal after {' '.join(map(str, dead[1]))}")
        for tree in all_trees(words, projective=projective):
            row.golds += 1
            oracle, truth = ts.oracle("dynamic").bind(tree), BruteForce(tree)
            row.exact = row.exact and getattr(oracle, "exact", True)
            for state, way in states:
                _compare(row, report, oracle, truth, tree, state, way)
        row.seconds = time.perf_counter() - start
        report.rows.append(row)
    return report


def _compare(
    row: CheckRow,
    report: CheckReport,
    oracle: Any,
    truth: BruteForce,
    tree: Tree,
    state: StateLike,
    way: tuple[Any, ...],
) -> None:
    def wrong(transition: Any, expected: float, got: float) -> None:
        if report.counterexample is None:
            report.counterexample = CounterExample(tree, way, repr(state), transition, expected, got)

    row.states += 1
    if (got := oracle.loss(state)) != truth.loss(state):
        row.wrong_losses += 1
        wrong(None, truth.loss(state), got)
    if state.is_final:
        return
    expected, costs = truth.costs(state), oracle.costs(state)
    if set(expected) != set(costs):
        raise OracleError(f"costs() must price exactly the legal transitions of {state!r}")
    row.costs += len(costs)
    for t, cost in costs.items():
        if cost != expected[t]:
            row.wrong_costs += 1
            wrong(t, expected[t], cost)
    least = min(costs.values())
    row.wrong_sets += any(cost == least and expected[t] > 0 for t, cost in costs.items())
    row.incomplete_sets += any(cost > least and expected[t] == 0 for t, cost in costs.items())
    row.no_free_move += least > 0
