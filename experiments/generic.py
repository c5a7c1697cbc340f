"""Generic oracles on real data: constituency parsing and noun-phrase chunks on the WSJ sample, with and without exploration.

    python -m experiments.generic            trains what is not finished yet, prints the tables
    python -m experiments.generic --write    also writes docs/results/generic.md and .json
    python -m experiments.generic --cached   trains nothing: shows, or writes, what there is

Finished runs are kept in build/experiments and never repeated. The epoch is chosen on dev; test is scored once, at the end.
"""

import argparse
import datetime
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import mean
from typing import Any

from benchmarks.oracles import ROOT, machine
from experiments.data import MissingTreebankError, folder
from experiments.pages import FOLDER
from experiments.runs import Cache, Result
from experiments.tables import difference, figure, grid, signed, spread

from dynarc import ErrorExploration, NoExploration, generic
from dynarc.generic.bracketing import f_score
from dynarc.generic.penn import Bracketed, noun_chunks, read_penn

SAMPLE = "ptb_sample_mrg"
PARTS = {"train": (0, 160), "dev": (160, 180), "test": (180, 199)}  # files, FEATURES 10
SEEDS = (1, 2, 3)
EPOCHS = 6
VERSION = 1  # part of the name of a run: to be raised when earlier results are no longer true

EXPLORE = generic.Config(explore=ErrorExploration(1, 0.9), epochs=EPOCHS, keep_oracles=True)
VARIANTS = {
    "static": generic.Config(oracle="static", epochs=EPOCHS),
    "no exploration": generic.Config(explore=NoExploration(), epochs=EPOCHS, keep_oracles=True),
    "exploration": EXPLORE,
    "DAgger": generic.Config(method="dagger", rounds=4, epochs=2, keep_oracles=True),
}


@dataclass(frozen=True, slots=True)
class Run:
    task: str  # brackets, chunks or pcfg
    variant: str
    seed: int
    closing: float = 0.5

    @property
    def key(self) -> str:
        config = {"grammar": 2} if self.task == "pcfg" else VARIANTS[self.variant].to_dict()
        known = {"generic": VERSION, "task": self.task, "closing": self.closing, "config": config, "seed": self.seed}
        return hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()

    def __str__(self) -> str:
        closing = f" closing={self.closing:g}" if self.task == "brackets" else ""
        return f"{self.task} {self.variant}{closing} seed={self.seed}"


MAIN, OTHERS = ("static", "exploration"), ("no exploration", "DAgger")
RUNS = [
    Run("pcfg", "floor", 0),
    *(Run(task, variant, seed) for task in ("brackets", "chunks") for seed in SEEDS for variant in MAIN),
    *(Run(task, variant, seed) for task in ("chunks", "brackets") for seed in SEEDS for variant in OTHERS),
    *(Run("brackets", "exploration", seed, closing) for closing in (0.0, 1.0) for seed in SEEDS),
]


@cache
def part(name: str) -> list[Bracketed]:
    files = sorted((folder() / SAMPLE).glob("wsj_*.mrg"))
    if len(files) != 199:
        raise MissingTreebankError(
            f"there are {len(files)} of the 199 files of the WSJ sample in {folder() / SAMPLE}: "
            "set DYNARC_TREEBANKS to the folder that has it"
        )
    chosen = files[slice(*PARTS[name])]
    return [one for file in chosen for one in read_penn(file.read_text(encoding="latin-1"), path=str(file))]


def examples(task: str, name: str) -> list[tuple[Any, Any]]:
    if task == "chunks":
        return [(one.words, noun_chunks(one)) for one in part(name)]
    return [(one.words, one.actions) for one in part(name)]


class Remembering(generic.Bracketing):
    """Keeps its oracles, for the runs that follow in the same process. About 2 GB for the training part."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._kept: dict[tuple[Any, Any], generic.Oracle] = {}

    def oracle(self, x: Any, y: Any) -> generic.Oracle:
        if (x, y) not in self._kept:
            self._kept[x, y] = super().oracle(x, y)
        return self._kept[x, y].copy()


@lru_cache(maxsize=1)
def task_of(task: str, closing: float) -> generic.Task:
    if task == "chunks":
        return generic.Chunking(["NP"])
    labels = sorted({action[:-1] for one in part("train") for action in one.actions if action.endswith("(")})
    return Remembering(labels, closing=closing, single=True)


def perform(run: Run) -> Result:
    started = time.process_time()
    scores: dict[str, float] = {}
    rounds: list[dict[str, Any]] = []
    if run.task == "pcfg":
        from experiments.pcfg import Grammar

        grammar = Grammar(part("train"))
        for name in ("dev", "test"):
            golds = [one.actions for one in part(name)]
            scores[name] = f_score([grammar.parse(one.words) for one in part(name)], golds)
    else:
        config = generic.Config.from_dict({**VARIANTS[run.variant].to_dict(), "seed": run.seed})
        predictor = generic.train(
            task_of(run.task, run.closing),
            examples(run.task, "train"),
            dev=examples(run.task, "dev"),
            config=config,
            progress=_say,
        )
        rounds = predictor.info["rounds"]
        scores = {name: predictor.score(examples(run.task, name)) for name in ("dev", "test")}
    return {
        "scores": scores,
        "rounds": rounds,
        "seconds": time.process_time() - started,
        "made": {**machine(), "time": datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds")},
    }


def _say(one: generic.Round) -> None:
    print(one, flush=True)


class Found:
    """Figures of runs, None where one is missing."""

    def __init__(self, kept: Cache) -> None:
        self._found = {run: kept.get(run) for run in RUNS}  # type: ignore[arg-type]

    def scores(self, task: str, variant: str, name: str, closing: float = 0.5) -> list[float] | None:
        """Of the seeds that are finished."""
        runs = [run for run in RUNS if (run.task, run.variant, run.closing) == (task, variant, closing)]
        found = [result["scores"][name] for run in runs if (result := self._found[run]) is not None]
        return found or None

    def mean(self, *cell: Any) -> float | None:
        values = self.scores(*cell)
        return None if values is None else mean(values)

    def figures(self) -> dict[str, Result]:
        return {str(run): result for run, result in self._found.items() if result is not None}

    def missing(self) -> list[Run]:
        return [run for run, result in self._found.items() if result is None]

    def errors(self, variant: str, task: str = "brackets") -> str:
        """How many of the predictions of the last epoch were wrong, and followed."""
        last = [
            result["rounds"][-1]
            for run in RUNS
            if (run.task, run.variant, run.closing) == (task, variant, 0.5) and (result := self._found[run])
        ]
        if not last:
            return "-"
        return f"{mean(100 * one['updates'] / max(1, one['states']) for one in last):.1f} %"


def page(found: Found) -> str:
    made = [result["made"] for result in found.figures().values()]
    how = ", ".join(
        f"{name}: {' and '.join(sorted({one[name] for one in made}))}"
        for name in ("date", "commit", "machine", "python")
    )
    lines = [
        "# Generic oracles on the WSJ sample",
        "",
        f"Made by `python -m experiments.generic --write`. {how}.",
        "",
        ABOUT,
        "",
    ]
    if missing := found.missing():
        lines += [f"Not performed yet: {'; '.join(map(str, missing))}.", ""]
    lines += ["## Constituency parsing", "", *_table(found, "brackets"), "", *_closing(found), ""]
    lines += ["## Noun-phrase chunks", "", *_table(found, "chunks"), "", CHUNKS, "", "## Data", ""]
    sizes = [[name, f"{len(part(name)):,}", f"{sum(len(one.words) for one in part(name)):,}"] for name in PARTS]
    return "\n".join([*lines, *grid(["part", "sentences", "words"], sizes)]) + "\n"


def _table(found: Found, task: str) -> list[str]:
    rows: list[Sequence[str]] = []
    if task == "brackets":
        rows.append(
            ["PCFG (floor)", *(figure(found.mean("pcfg", "floor", name)) for name in ("dev", "test")), "", "", ""]
        )
    static = found.mean(task, "static", "test")
    for variant in VARIANTS:
        dev, test = (found.mean(task, variant, name) for name in ("dev", "test"))
        if test is None:
            continue
        gain = "" if variant == "static" else signed(difference(test, static))
        rows.append(
            [
                variant,
                figure(dev),
                figure(test),
                spread(found.scores(task, variant, "test")),
                gain,
                found.errors(variant, task),
            ]
        )
    head = ["trained with", "F1 dev", "F1 test", "seeds, test", "against static", "wrong in training"]
    return grid(head, rows)


def _closing(found: Found) -> list[str]:
    rows = []
    for closing in (0.0, 0.5, 1.0):
        dev, test = (found.mean("brackets", "exploration", name, closing) for name in ("dev", "test"))
        if test is not None:
            rows.append([f"{closing:g}", figure(dev), figure(test)])
    if len(rows) < 2:
        return []
    return [
        "What a closing bracket too many or missing costs, with exploration:",
        "",
        *grid(["price", "F1 dev", "F1 test"], rows),
    ]


ABOUT = f"""The preparation of trees is that of `dynarc.generic.penn`: empty elements and function tags removed, chains of brackets over
the same words collapsed into one label (split again for scoring), gold tags given with the words. Files 1-160 are train, 161-180
dev, 181-199 test. F1 is that of labelled brackets over all sentences: (label, first word, last word) as a multiset, the
root included, punctuation not removed, so figures are not those of evalb. Tables are means of the seeds shown.

Every model is a perceptron with the features of the task, {EPOCHS} epochs, of which the best on dev is kept (DAgger: 4 rounds of 2
passes over all that was gathered). *static* learns the gold sequence alone. *no exploration* learns from the oracle's set of best
actions but never leaves a best path. *exploration* follows its own errors with probability 0.9 from the second epoch on.
*DAgger* is the algorithm of the paper. The oracle is construction 2 over the quadratic automaton; what may be done is exact.
*Wrong in training* is the share of wrong predictions in the last epoch, or last pass over what was gathered. The floor is an
unlexicalised PCFG with relative frequencies, estimated on the same trees (`experiments/pcfg.py`)."""

CHUNKS = """Chunks are the noun phrases that have no other in them. The loss counts whole chunks, missed and wrong."""


def main(given: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.generic", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write docs/results/generic.md and .json")
    parser.add_argument("--cached", action="store_true", help="perform nothing: show what there is")
    chosen = parser.parse_args(given)
    kept = Cache()
    try:
        for run in [] if chosen.cached else Found(kept).missing():
            print(run, flush=True)
            result = perform(run)
            kept.put(run, result)  # type: ignore[arg-type]
            print(
                {name: round(score, 2) for name, score in result["scores"].items()},
                f"{result['seconds']:.0f} s",
                flush=True,
            )
        found = Found(kept)
        print(page(found))
    except MissingTreebankError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if chosen.write:
        (FOLDER / "generic.md").write_text(page(found), encoding="utf-8")
        (FOLDER / "generic.json").write_text(json.dumps(found.figures(), indent=1) + "\n", encoding="utf-8")
        print("wrote", (FOLDER / "generic.md").relative_to(ROOT))
    return int(bool(found.missing()))


if __name__ == "__main__":
    sys.exit(main())
