"""What a generic oracle costs: preparation and steps of bracketing, by length and number of labels; OpenFst beside it.

    python -m benchmarks.generic            prints the tables
    python -m benchmarks.generic --write    also writes docs/results/generic-speed.md and .json

Times are of the processor, the best of several runs; one random tree per row. OpenFst is that of `pynini`, if it is
installed (pip install pynini).
"""

import argparse
import itertools
import json
import math
import random
import time
from collections.abc import Callable, Iterable
from typing import Any

from benchmarks.oracles import ROOT, SEED, Report, machine

from dynarc.generic import END, Automaton, Bracketing, Oracle, ReferenceOracle
from dynarc.generic.bracketing import CLOSE, SHIFT

LENGTHS, LABELS = (10, 20, 40, 80), (5, 26, 60)
GOALS = {"words": 40, "labels": 26, "preparation ms": 150, "step µs": 50}


def random_tree(words: int, labels: list[str], rng: random.Random) -> list[str]:
    """Brackets with two to four children."""

    def bracket(size: int) -> list[str]:
        cuts = [0, *sorted(rng.sample(range(1, size), rng.randint(1, min(3, size - 1)))), size]
        parts = [[SHIFT] if b - a == 1 else bracket(b - a) for a, b in itertools.pairwise(cuts)]
        return [f"{rng.choice(labels)}(", *(action for part in parts for action in part), CLOSE]

    return bracket(words)


def fastest(call: Callable[..., Any], *given: Any, runs: int = 5) -> float:
    """Milliseconds."""
    best = math.inf
    for _ in range(runs):
        start = time.process_time()
        call(*given)
        best = min(best, time.process_time() - start)
    return 1000 * best


class Setting:
    """A sentence, its tree, and actions of which every tenth is a random one."""

    def __init__(self, words: int, labels: int) -> None:
        rng = random.Random(SEED)
        names = [f"L{number}" for number in range(labels)]
        self.x, self.gold = ["w"] * words, random_tree(words, names, rng)
        self.task = Bracketing(names)
        self.automata = self.task.constraints(self.x), self.task.loss(self.x, self.gold), self.gold
        oracle, state = Oracle(*self.automata), self.task.start(self.x)
        self.reached = 0
        while not state.is_final:
            costs = oracle.costs()
            legal = state.legal()
            action = rng.choice(legal) if rng.random() < 0.1 else min(legal, key=costs.__getitem__)
            oracle.advance(action)
            state.apply(action)
            self.reached = max(self.reached, oracle.reached)
        self.actions = state.actions

    def from_nothing(self) -> Oracle:
        return Oracle(self.task.constraints(self.x), self.task.loss(self.x, self.gold), self.gold)

    def step(self) -> float:
        """Microseconds for all costs in a state, and to go on."""
        oracle = Oracle(*self.automata)

        def walk() -> None:
            walked = oracle.copy()
            for action in self.actions:
                walked.costs()
                walked.advance(action)

        return 1000 * fastest(walk) / len(self.actions)


def sizes() -> Iterable[list[Any]]:
    for labels in LABELS:
        for words in LENGTHS:
            setting = Setting(words, labels)
            setting.task.oracle(setting.x, setting.gold)  # what is the same for all trees of a length is kept
            yield [
                words,
                labels,
                len(setting.gold),
                Oracle(*setting.automata).states,
                fastest(setting.from_nothing),
                fastest(Oracle, *setting.automata),
                fastest(setting.task.oracle, setting.x, setting.gold),
                setting.step(),
                setting.reached,
            ]


def constructions() -> Iterable[list[Any]]:
    for words, labels in ((5, 3), (10, 3), (20, 3)):
        setting = Setting(words, labels)
        reference = ReferenceOracle(*setting.automata)
        oracle = Oracle(*setting.automata)
        slow = fastest(reference.costs, runs=1)
        fast = 1000 * fastest(oracle.costs)
        yield [words, labels, slow, fast, f"{1000 * slow / fast:,.0f}"]


def to_openfst(automaton: Automaton, pynini: Any) -> Any:
    fst = pynini.Fst()
    fst.add_states(len(automaton))
    fst.set_start(automaton.start)
    for state in range(len(automaton)):
        for read, written, weight, target in automaton.core.arcs(state):
            fst.add_arc(state, pynini.Arc(read, written, weight, target))
        if (final := automaton.final(state)) is not None:
            fst.set_final(state, final)
    return fst


def beside_openfst() -> Iterable[list[Any]]:
    try:
        import pynini
    except ImportError:
        return

    def distances(automaton: Automaton) -> list[float]:
        return automaton.shortest_distance(reverse=True)

    def their_distances(fst: Any) -> Any:
        return pynini.shortestdistance(fst, reverse=True)

    for words, labels in ((20, 5), (20, 26), (40, 5), (40, 26)):
        setting = Setting(words, labels)
        constraints, loss, gold = setting.automata
        rest = Oracle(constraints, loss, gold).rest
        theirs = to_openfst(constraints, pynini).arcsort("olabel"), to_openfst(rest, pynini).arcsort("ilabel")
        composed, ours = pynini.compose(*theirs), constraints.compose(rest)
        least = float(str(their_distances(composed)[composed.start()]))
        if least != distances(ours)[ours.start]:
            raise SystemExit("OpenFst and we do not agree")
        yield [
            words,
            labels,
            ours.arc_count,
            fastest(constraints.compose, rest),
            fastest(pynini.compose, *theirs),
            fastest(distances, ours),
            fastest(their_distances, composed),
            fastest(Oracle, *setting.automata),
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/results/generic-speed.md and .json")
    arguments = parser.parse_args()
    report = Report()
    report.section(
        "bracketing",
        "Bracketing, construction 2",
        "Milliseconds to prepare the oracle of a sentence: from nothing (automata built in Python, composed, distances "
        "found), from automata that are there, and as the task does it, with the labels that are not in the tree as one. "
        "Microseconds for one step: the costs of all actions, as a dictionary, and going on. "
        f"Wanted at {GOALS['words']} words and {GOALS['labels']} labels: at most {GOALS['preparation ms']} ms and "
        f"{GOALS['step µs']} µs. *Reached* is the most states of the composed machine that a prefix led to.",
        [
            "words",
            "labels",
            "gold",
            "states",
            "from nothing ms",
            "from automata ms",
            "by the task ms",
            "step µs",
            "reached",
        ],
        sizes(),
    )
    report.section(
        "constructions",
        "Both constructions",
        f"All costs in the first state: by construction 1, in milliseconds, and by construction 2, in microseconds ({END} is "
        "one of the actions).",
        ["words", "labels", "construction 1 ms", "construction 2 µs", "times"],
        constructions(),
    )
    report.section(
        "openfst",
        "OpenFst beside it",
        "Milliseconds for the composition of constraints with loss and gold, and for the distances to the end; the last "
        "column is all that our oracle does, which joins symbols that are read alike before it composes. Distances are "
        "compared.",
        ["words", "labels", "arcs", "compose, ours", "OpenFst", "distances, ours", "OpenFst ", "our oracle"],
        beside_openfst(),
    )
    if arguments.write:
        made = machine()
        how = ", ".join(f"{name}: {value}" for name, value in made.items())
        head = ["# What a generic oracle costs", "", f"Made by `python -m benchmarks.generic --write`. {how}.", ""]
        folder = ROOT / "docs" / "results"
        (folder / "generic-speed.md").write_text("\n".join([*head, *report.text]).rstrip() + "\n", encoding="utf-8")
        data = json.dumps({**made, **report.data}, indent=1, ensure_ascii=False) + "\n"
        (folder / "generic-speed.json").write_text(data, encoding="utf-8")


if __name__ == "__main__":
    main()
