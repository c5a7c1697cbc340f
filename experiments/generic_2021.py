"""`generic-2021`: generic oracles for constituency parsing, chunks and simplification; with and without exploration."""

import functools
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from statistics import mean
from typing import Any

from benchmarks.generic import Setting, fastest
from experiments import data
from experiments.data import MissingTreebankError, folder
from experiments.pictures import Panel, forest
from experiments.runs import made_now
from experiments.sentences import Counts, packed
from experiments.tables import SIGNIFICANCE, Cell, Cells, Choice, Compared, Results, Table, figure, grid, spread, told
from experiments.work import Result, Work

from dynarc import ErrorExploration, NoExploration, Sentence, generic
from dynarc.generic.bracketing import CLOSE, SHIFT, spans
from dynarc.generic.chunking import chunks
from dynarc.generic.penn import Bracketed, noun_chunks, read_penn
from dynarc.generic.words import form

SAMPLE = "ptb_sample_mrg"
PARTS = {"train": (0, 160), "dev": (160, 180), "test": (180, 199)}  # files, FEATURES 10
EPOCHS = 6
VERSION = 1  # part of the name of a run: to be raised when earlier results are no longer true

VARIANTS = {
    "static": generic.Config(oracle="static", epochs=EPOCHS),
    "no exploration": generic.Config(explore=NoExploration(), epochs=EPOCHS, keep_oracles=True),
    "exploration": generic.Config(explore=ErrorExploration(1, 0.9), epochs=EPOCHS, keep_oracles=True),
    "DAgger": generic.Config(method="dagger", rounds=4, epochs=2, keep_oracles=True),
}
TASKS = {"brackets": "Constituency parsing", "chunks": "Noun-phrase chunks", "simplification": "Simplification"}
# Brackets whose words a shorter text can do without.
LEFT_OUT = ("PP", "ADVP", "PRN", "SBAR")
CLOSINGS = (0.0, 0.5, 1.0)


@cache
def part(sample: str, name: str) -> list[Bracketed]:
    """A part of the WSJ sample; or trees of brackets that are made of the treebank that comes with the package."""
    if sample == "english":
        return [one for s in data.read("english", name)[:60] if (one := _bracketed(s))]  # type: ignore[arg-type]
    files = sorted((folder() / sample).glob("wsj_*.mrg"))
    if len(files) != 199:
        raise MissingTreebankError(
            f"there are {len(files)} of the 199 files of the WSJ sample in {folder() / sample}: "
            "name the folder that has it with --data or DYNARC_TREEBANKS"
        )
    chosen = files[slice(*PARTS[name])]
    return [one for file in chosen for one in read_penn(file.read_text(encoding="latin-1"), path=str(file))]


def _bracketed(sentence: Sentence) -> Bracketed | None:
    """A bracket for every word that has dependents, over all that depends on it."""
    if not sentence.tree.is_projective:
        return None
    names = {"NOUN": "NP", "PROPN": "NP", "PRON": "NP", "ADV": "ADVP", "ADP": "PP"}
    below: dict[int, list[int]] = {}
    for word, head in enumerate(sentence.heads, start=1):
        below.setdefault(head or 0, []).append(word)

    def actions(word: int) -> list[str]:
        inner = [a for w in sorted([word, *below.get(word, [])]) for a in ([SHIFT] if w == word else actions(w))]
        name = names.get(sentence.upos[word - 1], "S")
        return [f"{name}(", *inner, CLOSE] if word in below else inner

    roots = below[0]
    return Bracketed(
        tuple(zip(sentence.forms, sentence.upos, strict=True)),
        tuple(actions(roots[0])) if len(roots) == 1 and roots[0] in below else ("S(", *[SHIFT] * len(sentence), CLOSE),
    )


def shortened(one: Bracketed) -> list[tuple[str, str]]:
    """The words that are in none of the brackets that can be left out; all of them, if none were left.

    >>> (one,) = read_penn("(S (NP (NN man)) (VP (VBZ sees) (NP (NN sea)) (PP (IN on) (NP (NN deck)))))")
    >>> [word for word, _ in shortened(one)]
    ['man', 'sees', 'sea']
    """
    kept, inside, words = [], [False], iter(one.words)
    for action in one.actions:
        if action == SHIFT:
            word = next(words)
            kept += [] if inside[-1] else [word]
        elif action == CLOSE:
            inside.pop()
        else:
            inside.append(inside[-1] or bool(set(action[:-1].split("+")) & set(LEFT_OUT)))
    return kept or list(one.words)


def examples(sample: str, task: str, name: str) -> list[tuple[Any, Any]]:
    if task == "chunks":
        return [(one.words, noun_chunks(one)) for one in part(sample, name)]
    if task == "simplification":
        return [(one.words, [shortened(one)]) for one in part(sample, name)]
    return [(one.words, one.actions) for one in part(sample, name)]


class Remembering(generic.Bracketing):
    """Keeps its oracles, for the runs that follow in the same process. About 2 GB for the training part."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self._kept: dict[tuple[Any, Any], generic.Oracle] = {}

    def oracle(self, x: Any, y: Any) -> generic.Oracle:
        if (x, y) not in self._kept:
            self._kept[x, y] = super().oracle(x, y)
        return self._kept[x, y].copy()


class Shortening(generic.Simplification):
    """Of words with their tags."""

    def features(self, state: Any) -> dict[str, str | None]:
        values: dict[str, Any] = super().features(state)
        return {**values, "out-1": form(values["out-1"])}


@lru_cache(maxsize=1)
def task_of(sample: str, task: str, closing: float) -> generic.Task:
    if task == "chunks":
        return generic.Chunking(["NP"])
    if task == "simplification":
        return Shortening({})
    labels = sorted({action[:-1] for one in part(sample, "train") for action in one.actions if action.endswith("(")})
    return Remembering(labels, closing=closing, single=True)


def counted(task: str, outputs: Iterable[Any], golds: Iterable[Any]) -> Counts:
    """What gold has, what was found, and how much of it is right, of every sentence."""
    rows = []
    for out, gold in zip(outputs, golds, strict=True):
        if task == "chunks":
            ours, theirs = Counter(set(chunks(out))), Counter(set(chunks(gold)))
        elif task == "simplification":
            ours, theirs = Counter(out), Counter(gold[0])
        else:
            ours, theirs = Counter(spans(out)), Counter(spans(gold))
        rows.append((theirs.total(), ours.total(), (ours & theirs).total()))
    return rows


def f1(counts: Counts) -> float:
    """
    >>> f1([(4, 4, 3), (0, 0, 0)])
    75.0
    """
    gold, found, right = (sum(row[place] for row in counts) for place in range(3))
    return 200 * right / max(1, gold + found)


@dataclass(frozen=True, slots=True)
class GenericRun(Work):
    task: str  # of TASKS, or pcfg
    variant: str
    run_seed: int
    closing: float = 0.5
    sample: str = SAMPLE
    epochs: int = EPOCHS

    @property
    def folder(self) -> str:
        return self.sample

    @property
    def seed(self) -> int:
        return self.run_seed

    @property
    def config(self) -> generic.Config:
        small = {} if self.epochs == EPOCHS else {"epochs": self.epochs, "rounds": 2}
        return generic.Config.from_dict({**VARIANTS[self.variant].to_dict(), **small})

    def known_by(self) -> dict[str, Any]:
        config = {"grammar": 2} if self.task == "pcfg" else self.config.to_dict()
        other = {} if self.sample == SAMPLE else {"sample": self.sample}
        return {
            "generic": VERSION,
            "task": self.task,
            "closing": self.closing,
            "config": config,
            "seed": self.seed,
            **other,
        }

    def quick(self) -> "GenericRun":
        return replace(self, sample="english", epochs=1)

    def estimate(self) -> float:
        """By what it took with three thousand sentences."""
        if self.sample != SAMPLE:
            return 1.0
        times = {"static": 0.3, "DAgger": 1.5}.get(self.variant, 1.0)
        return {"brackets": 500.0, "chunks": 60.0, "simplification": 200.0, "pcfg": 250.0}[self.task] * times

    def summary(self, result: Result) -> str:
        return f"F1 {result['scores']['dev']:.2f} dev {result['scores']['test']:.2f} test"

    def __str__(self) -> str:
        closing = f" closing={self.closing:g}" if self.task == "brackets" else ""
        return f"{self.sample} {self.task} {self.variant}{closing} seed={self.seed}"

    def perform(self) -> Result:
        started = time.process_time()
        rounds: list[dict[str, Any]] = []
        pairs = {name: examples(self.sample, self.task, name) for name in ("dev", "test")}
        if self.task == "pcfg":
            from experiments.pcfg import Grammar

            predict: Any = functools.partial(_parsed, Grammar(part(self.sample, "train")))
        else:
            config = generic.Config.from_dict({**self.config.to_dict(), "seed": self.seed})
            task = task_of(self.sample, self.task, self.closing)
            train = examples(self.sample, self.task, "train")
            predictor = generic.train(task, train, dev=pairs["dev"], config=config)
            rounds, predict = predictor.info["rounds"], predictor.predict
        found = {
            name: counted(self.task, predict([x for x, _ in some]), [y for _, y in some])
            for name, some in pairs.items()
        }
        return {
            "generic": self.known_by(),
            "made": made_now(),
            "scores": {name: f1(counts) for name, counts in found.items()},
            "sentences": {name: packed(counts) for name, counts in found.items()},
            "rounds": rounds,
            "seconds": time.process_time() - started,
        }


def _parsed(grammar: Any, sentences: Sequence[Any]) -> list[tuple[str, ...]]:
    return [grammar.parse(words) for words in sentences]


@dataclass(frozen=True, slots=True)
class Constructions(Work):
    """All costs in the first state of a bracketing oracle, by both constructions of the paper."""

    words: int
    labels: int = 3
    timed: bool = True

    @property
    def folder(self) -> str:
        return "trees"

    def known_by(self) -> dict[str, Any]:
        return {"constructions": 1, "words": self.words, "labels": self.labels}

    def quick(self) -> "Constructions":
        return replace(self, words=5, timed=False)

    def estimate(self) -> float:
        return 5.0

    def summary(self, result: Result) -> str:
        return f"{result['construction 1']:.3f} ms, {1000 * result['construction 2']:.1f} µs"

    def __str__(self) -> str:
        return f"trees constructions words={self.words} labels={self.labels}"

    def perform(self) -> Result:
        started = time.process_time()
        setting = Setting(self.words, self.labels)
        first, second = generic.ReferenceOracle(*setting.automata), generic.Oracle(*setting.automata)
        if first.costs() != second.costs():
            raise ArithmeticError(f"the constructions disagree at {self.words} words")
        return {
            "constructions": self.known_by(),
            "made": made_now(),
            "preparation": fastest(generic.Oracle, *setting.automata, runs=3),
            "construction 1": fastest(first.costs),
            "construction 2": min(fastest(second.costs, runs=50), 1e9),
            "seconds": time.process_time() - started,
        }


LENGTHS = (5, 10, 20)


def plan(choice: Choice) -> Cells:
    cells: Cells = {("pcfg", "floor", 0): GenericRun("pcfg", "floor", 0)}
    for task in TASKS:
        for variant in VARIANTS:
            for seed in choice.seeds:
                cells[task, variant, seed] = GenericRun(task, variant, seed)
    for closing in CLOSINGS:
        for seed in choice.seeds:
            cells["brackets", closing, seed] = GenericRun("brackets", "exploration", seed, closing)
    for words in LENGTHS:
        cells["constructions", words] = Constructions(words)
    return cells


def _cells(task: str, variant: object, choice: Choice) -> list[Cell]:
    return [(task, variant, seed) for seed in choice.seeds]


def gains(choice: Choice, results: Results) -> dict[str, dict[str, Compared | None]]:
    """Of every variant over static, F1 on test."""
    return {
        task: {
            variant: results.compared(_cells(task, "static", choice), _cells(task, variant, choice), "test")
            for variant in VARIANTS
            if variant != "static"
        }
        for task in TASKS
    }


def render(choice: Choice, results: Results) -> list[str]:
    found = gains(choice, results)
    lines: list[str] = []
    for task, title in TASKS.items():
        rows = []
        if task == "brackets":
            floor: list[Cell] = [("pcfg", "floor", 0)]
            rows.append(
                ["PCFG (floor)", *(results.shown(floor, "scores", name) for name in ("dev", "test")), "", "", ""]
            )
        for variant in VARIANTS:
            cells = _cells(task, variant, choice)
            rows.append(
                [variant, *(results.shown(cells, "scores", name) for name in ("dev", "test")),
                 "" if variant == "static" else told(found[task][variant]), spread(results.figures(cells, "scores", "test")),
                 _wrong(results, cells)]
            )  # fmt: skip
        header = ["trained with", "F1 dev", "F1 test", "over static", "seeds, test", "wrong in training"]
        lines += [f"## {title}", "", *grid(header, rows), "", *_closing(task, choice, results)]
    return [*lines, SIGNIFICANCE, "", *_constructions(results), *_sizes(choice)]


def _wrong(results: Results, cells: list[Cell]) -> str:
    """How many of the predictions of the last epoch were wrong."""
    last = [one["rounds"][-1] for cell in cells if (one := results[cell]) is not None and one["rounds"]]
    return f"{mean(100 * one['updates'] / max(1, one['states']) for one in last):.1f} %" if last else "-"


def _closing(task: str, choice: Choice, results: Results) -> list[str]:
    if task != "brackets":
        return []
    rows = [
        [f"{closing:g}", *(results.shown(_cells(task, closing, choice), "scores", name) for name in ("dev", "test"))]
        for closing in CLOSINGS
    ]
    about = "What a closing bracket too many or missing costs, with exploration:"
    return [about, "", *grid(["price", "F1 dev", "F1 test"], rows), ""]


def _constructions(results: Results) -> list[str]:
    rows = []
    for words in LENGTHS:
        found = results["constructions", words]
        if found is None:
            rows.append([str(words), *["-"] * 4])
            continue
        one, two = found["construction 1"], found["construction 2"]
        rows.append(
            [str(words), f"{one:.2f}", f"{1000 * two:.2f}", figure(one / two, 0), f"{found['preparation']:.2f}"]
        )
    header = ["words", "construction 1, ms", "construction 2, µs", "times", "construction 2 prepared, ms"]
    return [
        "## Both constructions", "",
        ("Brackets with 3 labels: all costs in the first state, which agree; and what construction 2 takes once for a sentence. "
        "More lengths and labels: generic-speed.md."), "",
        *grid(header, rows), "",
    ]  # fmt: skip


def _sizes(choice: Choice) -> list[str]:
    if SAMPLE not in choice.treebanks or not (folder() / SAMPLE).is_dir():
        return []
    rows = [
        [name, f"{len(part(SAMPLE, name)):,}", f"{sum(len(one.words) for one in part(SAMPLE, name)):,}"]
        for name in PARTS
    ]
    return ["## Data", "", *grid(["part", "sentences", "words"], rows), ""]


def picture(choice: Choice, results: Results) -> str:
    return forest(
        [Panel(f"{TASKS[task]}: over static, F1 on test", of_one) for task, of_one in gains(choice, results).items()]
    )


GENERIC_2021 = Table(
    "generic-2021",
    "Generic oracles (Teichmann and Venant)",
    f"""The paper has no experiments; these are ours, on the sample of the Wall Street Journal that NLTK distributes. The preparation of
trees is that of `dynarc.generic.penn`: empty elements and function tags removed, chains of brackets over the same words collapsed into
one label (split again for scoring), gold tags given with the words. Files 1-160 are train, 161-180 dev, 181-199 test.

*Constituency parsing*: F1 of labelled brackets over all sentences: (label, first word, last word) as a multiset, the root included,
punctuation not removed, so figures are not those of evalb. *Chunks* are the noun phrases that have no other in them; the loss
counts whole chunks, missed and wrong. *Simplification*: there is no corpus of simplified text here, so the short text is made of the tree: the
words outside of {", ".join(LEFT_OUT)}; the loss is the edit distance, F1 that of the words of the text. It shows what the oracle does, not how
well texts are simplified.

Every model is a perceptron with the features of the task, {EPOCHS} epochs, of which the best on dev is kept (DAgger: 4 rounds of 2
passes over all that was gathered). *static* learns the gold sequence alone. *no exploration* learns from the oracle's set of best
actions but never leaves a best path. *exploration* follows its own errors with probability 0.9 from the second epoch on.
*DAgger* is the algorithm of the paper. The oracle is construction 2 over the quadratic automaton; what may be done is exact.
*Wrong in training* is the share of wrong predictions in the last epoch, or last pass over what was gathered. The floor is an
unlexicalised PCFG with relative frequencies, estimated on the same trees (`experiments/pcfg.py`).""",
    plan,
    render,
    (SAMPLE,),
    picture=picture,
)
