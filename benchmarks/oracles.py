"""What an oracle call costs: time per step by system and length, Attardi's tiers, and the worst cases found.

    make bench                                       prints the tables
    .venv/bin/python benchmarks/oracles.py --write   also writes docs/results/oracle-speed.md and .json

Walks follow the oracle with 10 % random moves, so that most states lie after errors, as in training. Times are the best
of several runs of the same walks; machines are noisy, so compare figures of one run only.
"""

import argparse
import datetime
import itertools
import json
import os
import platform
import random
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import dynarc
from dynarc import _core
from dynarc.verify import every_system

ROOT = Path(__file__).resolve().parent.parent
TREEBANKS = Path(os.environ.get("DYNARC_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
LENGTHS = (10, 20, 40, 80)
ERRORS = 0.1
SEED = 1

Heads = list[int]


def walks(
    ts: dynarc.System,
    golds: list[Heads],
    *,
    runs: int = 5,
    shifted: float = 0.0,
    limit: int = 0,
    errors: float = ERRORS,
) -> dict[str, Any]:
    """The fastest of several timings of the same walks, with and without the oracle each by itself."""
    timings = [_core.time_walks(*ts.core_options, golds, errors, shifted, SEED, 1, limit) for _ in range(runs)]
    best = min(timings, key=lambda timing: float(timing["oracle_seconds"] + timing["apply_seconds"]))
    bare = min(float(timing["apply_seconds"]) for timing in timings)
    return {**best, "oracle_seconds": best["oracle_seconds"] + best["apply_seconds"] - bare}


def derivable(ts: dynarc.System, words: int, count: int, *, nonprojective: bool = False) -> list[Heads]:
    """Random trees that the system can build; with `nonprojective` only those with crossing arcs."""
    found: list[Heads] = []
    seed = SEED
    while len(found) < count:
        heads = _core.random_derivable_tree(ts.name, ts.root == "last", ts.single_root, words, seed)
        seed += 1
        if not nonprojective or _core.crossing_arcs(heads) is not None:
            found.append(heads)
    return found


def spread(microseconds: list[float]) -> tuple[float, float, float]:
    """Mean, 99th percentile and maximum."""
    ordered = sorted(microseconds)
    return sum(ordered) / len(ordered), ordered[len(ordered) * 99 // 100], ordered[-1]


class Report:
    """Tables as they come, kept for the file."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.data: dict[str, Any] = {}

    def section(self, key: str, title: str, note: str, head: list[str], rows: Iterable[list[Any]]) -> None:
        lines = [f"## {title}", "", note, "", "| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
        kept = []
        print("\n".join(lines), flush=True)
        for row in rows:
            kept.append(row)
            lines.append("| " + " | ".join(f"{x:.3g}" if isinstance(x, float) else str(x) for x in row) + " |")
            print(lines[-1], flush=True)
        print()
        self.text += [*lines, ""]
        self.data[key] = {"columns": head, "rows": kept}


def by_length(count: int) -> Iterable[list[Any]]:
    for ts in every_system():
        row: list[Any] = [ts.describe()]
        per_cost = 0.0
        for words in LENGTHS:
            timing = walks(ts, derivable(ts, words, count))
            row.append(1e6 * timing["oracle_seconds"] / timing["steps"])
            per_cost = 1e6 * timing["oracle_seconds"] / timing["evaluations"]
        yield [*row, "" if ts.name in ("arc-standard", "attardi") else per_cost]


def attardi_lengths(ts: dynarc.System, count: int) -> Iterable[list[Any]]:
    for words in (10, 20, 30, 40, 60, 80):
        timing = walks(ts, derivable(ts, words, count, nonprojective=True))
        depth, rest = timing["depth"], timing["reduced_buffer"]
        yield [
            words,
            timing["steps"],
            *spread(timing["microseconds"]),
            sum(depth) / len(depth),
            max(depth),
            sum(rest) / len(rest),
            max(rest),
        ]


def attardi_sizes(ts: dynarc.System, count: int, size: str) -> Iterable[list[Any]]:
    """Time against the size of the stack or of the reduced buffer, at 60 words."""
    timing = walks(ts, derivable(ts, 60, count, nonprojective=True))
    edges = (0, 2, 4, 6, 8, 11, 16, 21, 31, 1000)
    for low, high in itertools.pairwise(edges):
        chosen = [t for t, k in zip(timing["microseconds"], timing[size], strict=True) if low <= k < high]
        if chosen:
            yield [f"{low}-{high - 1}" if high < 1000 else f"{low} up", len(chosen), *spread(chosen)]


def attardi_worst(ts: dynarc.System, count: int) -> Iterable[list[Any]]:
    for words in (20, 40, 60):
        golds = derivable(ts, words, count, nonprojective=True)
        for shifted in (0.25, 0.5, 0.75):
            timing = walks(ts, golds, runs=1, shifted=shifted)
            tiers = (timing["searched"], timing["tabled"], timing["skipped"])
            yield [words, f"{shifted:.0%}", *spread(timing["microseconds"]), *tiers]


def real_sentences(ts: dynarc.System) -> Iterable[list[Any]]:
    for name in ("cs_cltt", "la_perseus", "nl_lassysmall", "eu_bdt"):
        path = TREEBANKS / name / "train.conllu"
        if not path.exists():
            continue
        golds = [[h for h in s.heads if h is not None] for s in dynarc.read_conllu(path)]
        for label, chosen in (("all", golds), ("longest", [max(golds, key=len)])):
            timing = walks(ts, chosen, runs=1)
            tiers = (timing["searched"], timing["tabled"], timing["skipped"])
            yield [name, label, max(map(len, chosen)), timing["steps"], *spread(timing["microseconds"]), *tiers]


def search_and_table(count: int) -> Iterable[list[Any]]:
    """One loss by the search and by the polynomial algorithm, at the same states, each with a fresh oracle."""
    for name in ("arc-standard", "attardi"):
        ts = dynarc.system(name)
        for words in (10, 20, 30, 40) if name == "arc-standard" else (6, 10, 14):
            rng = random.Random(SEED)
            times: dict[str, list[float]] = {"search": [], "table": []}
            for heads in derivable(ts, words, count):
                state = ts.initial(words)
                for _ in range(rng.randrange(words)):
                    state.apply(rng.choice(state.legal()))
                for method, taken in times.items():
                    oracle = ts.oracle("dynamic", method=method).bind(dynarc.Tree(heads))  # type: ignore[arg-type]
                    start = time.perf_counter()
                    oracle.loss(state)
                    taken.append(1e6 * (time.perf_counter() - start))
            search, table = (sum(times[method]) / count for method in ("search", "table"))
            yield [name, words, search, max(times["search"]), table, max(times["table"]), f"{table / search:.1f}x"]


def nonprojective_gold(count: int) -> Iterable[list[Any]]:
    """A loss of projective systems for non-projective gold, by the exact search, at states after random moves."""
    source = dynarc.system("attardi")
    for name in ("arc-eager", "arc-hybrid", "easy-first"):
        ts = dynarc.system(name)
        for words in (10, 20, 30):
            rng = random.Random(SEED)
            taken: list[float] = []
            gave_up = 0
            for heads in derivable(source, words, count, nonprojective=True):
                state = ts.initial(words)
                for _ in range(rng.randrange(words)):
                    state.apply(rng.choice(state.legal()))
                oracle = ts.oracle("dynamic", limit=100_000).bind(dynarc.Tree(heads))
                start = time.perf_counter()
                try:
                    oracle.loss(state)
                except dynarc.OracleError:
                    gave_up += 1
                taken.append(1e3 * (time.perf_counter() - start))
            yield [name, words, *spread(taken), gave_up]


def machine() -> dict[str, str]:
    def told(*command: str) -> str:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
        return done.stdout.strip()

    cpuinfo = Path("/proc/cpuinfo")
    model = platform.processor()
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    return {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "commit": told("git", "rev-parse", "--short", "HEAD"),
        "machine": f"{model}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "seed": str(SEED),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/results/oracle-speed.md and .json")
    parser.add_argument("--quick", action="store_true", help="a tenth of the trees")
    arguments = parser.parse_args()
    count = 20 if arguments.quick else 200
    report, attardi = Report(), dynarc.system("attardi")
    three = ["mean µs", "99 % µs", "max µs"]
    tiers = ["searched", "by table", "skipped"]
    sections: list[tuple[str, str, str, list[str], Callable[[], Iterable[list[Any]]]]] = [
        (
            "lengths",
            "Oracle time per step",
            (
                "Microseconds per transition taken, for the costs of all legal moves and the bookkeeping "
                "(arc-standard, attardi: for the whole set of optimal moves), random derivable trees, 10 % random "
                "moves. Last column: per single cost at 80 words."
            ),
            ["system", *(f"n={n}" for n in LENGTHS), "per cost"],
            lambda: by_length(count),
        ),
        (
            "attardi",
            "Attardi, whole optimal set of a step",
            "Random derivable non-projective trees, 10 % random moves, ROOT first, a fresh oracle for each tree.",
            ["words", "steps", *three, "mean stack", "max stack", "mean reduced buffer", "max reduced buffer"],
            lambda: attardi_lengths(attardi, count),
        ),
        (
            "attardi_stack",
            "Attardi against the size of the stack, 60 words",
            "The same walks.",
            ["stack", "steps", *three],
            lambda: attardi_sizes(attardi, count, "depth"),
        ),
        (
            "attardi_buffer",
            "Attardi against the size of the reduced buffer, 60 words",
            "The same walks; the reduced buffer is that of Algorithm 1, stage 1.",
            ["reduced buffer", "steps", *three],
            lambda: attardi_sizes(attardi, count, "reduced_buffer"),
        ),
        (
            "attardi_real",
            "Attardi on real training sentences",
            "Gold trees of treebanks, derivable or not, 10 % random moves; the longest sentence also by itself.",
            ["treebank", "sentences", "longest", "steps", *three, *tiers],
            lambda: real_sentences(attardi),
        ),
        (
            "attardi_worst",
            "Attardi at its worst: words shifted blindly first",
            (
                "A share of the words is shifted with nothing attached, as an untrained model may do, then as above. "
                "Past its limit the search hands over to Algorithm 1 (derivable gold, within a budget), and past that "
                "the state is skipped and counted."
            ),
            ["words", "shifted", *three, *tiers],
            lambda: attardi_worst(attardi, count // 4),
        ),
        (
            "search_table",
            "Search against the polynomial algorithms",
            (
                "One loss at a state after random moves, with a fresh oracle each: the cubic table of arc-standard, "
                "Algorithm 1 of Gómez-Rodríguez, Sartorio & Satta for attardi (a long tail: seconds from 20 words on). "
                "Called from Python."
            ),
            ["system", "words", "search µs", "max", "table µs", "max", "ratio"],
            lambda: search_and_table(count),
        ),
        (
            "nonprojective",
            "Exact search for non-projective gold",
            (
                "One loss, in milliseconds, at a state after random moves, gold trees as for Attardi, at most 100 000 "
                "states visited. Called from Python."
            ),
            ["system", "words", "mean ms", "99 % ms", "max ms", "gave up"],
            lambda: nonprojective_gold(count),
        ),
    ]
    for key, title, note, head, rows in sections:
        report.section(key, title, note, head, rows())
    if arguments.write:
        about = machine()
        folder = ROOT / "docs" / "results"
        folder.mkdir(parents=True, exist_ok=True)
        intro = [
            "# What an oracle call costs",
            "",
            "Made by `python benchmarks/oracles.py --write`. " + ", ".join(f"{k}: {v}" for k, v in about.items()) + ".",
            "",
        ]
        (folder / "oracle-speed.md").write_text("\n".join([*intro, *report.text]), encoding="utf-8")
        (folder / "oracle-speed.json").write_text(
            json.dumps({**about, **report.data}, indent=1) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
