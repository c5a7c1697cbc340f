"""A run: a parser trained on a treebank, and how well it parses another part of it."""

import datetime
import functools
import resource
import time
from collections import defaultdict
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from benchmarks.oracles import machine
from experiments import data
from experiments.sentences import Counts, counts_of, packed
from experiments.work import Result, Work

import dynarc
from dynarc import TrainConfig, Tree, Treebank, _core
from dynarc.bench import peak_memory
from dynarc.confidence import calibration_of, judge, report, sure_trees
from dynarc.features import resolve
from dynarc.parser import Parser
from dynarc.reliability import Outcomes, action_bins, figures, keep_right, keep_share
from dynarc.train import Epoch

# Part of what a run is called: to be raised by hand when a change of the learner makes earlier results untrue.
ENGINE = 1
# The same for what makes probabilities, and for learners of which only one has changed.
CALIBRATION = 2
LEARNERS: dict[str, int] = {}

Printed = Literal["", "2012", "2013"]


@dataclass(frozen=True, slots=True)
class Run(Work):
    """Everything that decides what a run finds.

    The parser is that of the last epoch: the scored part has no say in which one is kept. Runs that are `timed` have the
    machine for themselves; `rounds` is how often dev and test are parsed to time that. `without` is a genre, which is
    left out of the training data, and nothing else is scored. With `folds` the training part is cross-validated.
    `printed` are the cost formulas as a paper prints them.
    """

    treebank: str
    config: TrainConfig
    split: data.Part = "dev"
    protocol: Literal["full", "nopunct"] = "full"
    columns: frozenset[str] = data.ALL_COLUMNS
    timed: bool = False
    rounds: int = 0
    calibrated: bool = False  # also finds out what the probabilities are worth
    bins: bool = False  # also counts how often the likeliest move is right, by its probability
    tags: Literal["gold", "predicted"] = "gold"
    without: str = ""
    folds: int = 0
    printed: Printed = ""

    def __post_init__(self) -> None:
        if unknown := self.columns - data.ALL_COLUMNS:
            raise ValueError(f"no columns to be seen or hidden: {', '.join(sorted(unknown))}")
        if self.config.tag not in self.columns:
            raise ValueError(f"the parser's tags are in {self.config.tag.upper()}, which is hidden")

    @property
    def seed(self) -> int:
        return self.config.seed

    def to_dict(self) -> dict[str, Any]:
        return {
            "treebank": self.treebank,
            "config": _decisive(self.config),
            "split": self.split,
            "protocol": self.protocol,
            "columns": sorted(self.columns),
            "timed": self.timed,
            "rounds": self.rounds,
            **({"calibrated": CALIBRATION} if self.calibrated else {}),
            **{name: getattr(self, name) for name in _LATER_HERE if getattr(self, name) != getattr(_USUAL, name)},
        }

    def known_by(self) -> dict[str, Any]:
        version = LEARNERS.get(self.config.learner)
        return {"engine": ENGINE, **self.to_dict(), **({} if version is None else {"learner": version})}

    def quick(self) -> "Run":
        small = replace(self.config, epochs=1, average_seeds=1, tag="upos")
        # An engine with other formulas takes minutes to build.
        other = replace(self, treebank="english", config=small, timed=False, printed="")
        return replace(other, rounds=min(self.rounds, 1), folds=min(self.folds, 2))

    def estimate(self) -> float:
        return _seconds(self)

    def summary(self, result: Result) -> str:
        return f"UAS {result['scores']['uas']:.2f} LAS {result['scores']['las']:.2f}"

    def __str__(self) -> str:
        config = self.config
        features = config.features if isinstance(config.features, str) else f"{len(config.features)} templates"
        more = [f"{name}={getattr(self, name)}" for name in ("without", "printed", "folds") if getattr(self, name)]
        explore = "" if config.oracle == "static" else f"{config.policy} "
        return " ".join(
            [f"{self.treebank} {config.system} {config.oracle} {explore}{features} {config.learner}",
             f"{config.nonprojective} epochs={config.epochs} seed={config.seed}", *more]
        )  # fmt: skip

    def perform(self) -> Result:
        if self.printed:
            from experiments.printed import perform_elsewhere

            return perform_elsewhere(self)
        return perform(self)


# What came later is left out of a key where it has its usual value, so that older results stay known.
_LATER = ("alpha", "rho", "l1", "normalize", "least_gradient")
_LATER_HERE = ("bins", "tags", "without", "folds", "printed")
_USUAL = Run("", TrainConfig())


def _decisive(config: TrainConfig) -> dict[str, Any]:
    usual = TrainConfig().to_dict()
    return {n: v for n, v in config.to_dict().items() if n not in _LATER or v != usual.get(n)}


# Seconds for a word, an epoch and a template, to start a process, and how much more than arc-eager the systems and
# learners take, the dynamic oracles of some once more. Guesses: they order the runs, and what runs took corrects them.
_UNIT = 1e-7
_START = 1.0
_SYSTEMS = {"easy-first": 3.0, "covington": 2.5, "attardi": 1.5, "arc-standard": 1.5, "arc-hybrid-swap": 1.5}
_DYNAMIC = {"covington": 4.0, "attardi": 1.8, "arc-standard": 1.8}
_RDA = 3.0


@functools.cache
def _seconds(run: Run) -> float:
    config = run.config
    columns = data.ALL_COLUMNS & {"xpos", "feats", "lemma"} & run.columns
    templates = len(resolve(config.features, config.system, columns))
    words = data.size(run.treebank, "train")[1]
    times = config.average_seeds * (1 if config.passes == 1 else 4) * max(1, run.folds) * (2 if run.calibrated else 1)
    more = _SYSTEMS.get(config.system, 1.0) * (_DYNAMIC.get(config.system, 1.0) if config.oracle == "dynamic" else 1.0)
    more *= _RDA if config.learner == "adagrad-rda" else 1.0
    return _START + _UNIT * words * config.epochs * templates * more * times


def perform(run: Run) -> Result:
    """Trains, parses, evaluates, on one thread. Training takes as long as it does with calibration, if that is asked for."""
    train = data.for_training(run.treebank, run.columns, run.tags, run.without)
    given = data.for_scoring(run.treebank, run.split, run.columns, run.tags, run.without)
    gold = data.for_scoring(run.treebank, run.split, data.ALL_COLUMNS, "gold", run.without)
    if run.folds:
        return _folded(run, train)
    epochs: list[Epoch] = []
    started = time.process_time()
    dev = data.read(run.treebank, "dev", run.columns) if run.calibrated else None
    parser = dynarc.train(
        train, dev=dev, config=run.config, progress=epochs.append, threads=1, calibrate=run.calibrated
    )
    if len(epochs) < run.config.epochs:
        raise KeyboardInterrupt  # training makes a parser of what there is; a run is whole or nothing
    trained = time.process_time()
    usage, peak = resource.getrusage(resource.RUSAGE_SELF), peak_memory()
    before = time.process_time()
    parsed = parser.parse(given, threads=1)
    after = time.process_time()
    result = {
        **_found(run, gold, parsed),
        "epochs": summed(epochs),
        "prepared": dict(parser.info.get("prepared", {})),
        "model": {
            "classes": parser.model.classes,
            "features": parser.model.features,
            "weights": parser.model.weights,
            "templates": len(parser.templates),
        },
        "seconds": {
            "training": trained - started,
            "process": usage.ru_utime + usage.ru_stime,  # all that came before is in it: starting, importing, reading
            "parsing": after - before,
        },
        "peak_memory": peak,
    }
    if run.rounds:
        result["parsing_rates"] = parsing_rates(run, parser)
    if run.calibrated:
        result["confidence"] = confidence(run, parser)
    if run.bins:
        evidence = judge(parser, given, 0, 1).evidence
        result["bins"] = _bins(Outcomes(evidence.states.probabilities(), evidence.right))
    return result


def _folded(run: Run, train: Treebank) -> Result:
    started = time.process_time()
    found = dynarc.cross_validate(train, folds=run.folds, config=run.config)
    seconds = time.process_time() - started
    return {**_found(run, train, found.parsed), "seconds": {"training": seconds, "process": seconds}}


def _found(run: Run, gold: Treebank, parsed: Treebank) -> Result:
    scores = dynarc.evaluate(gold, parsed, run.protocol)
    counts = counts_of(scores)
    return {
        "run": run.to_dict(),
        "engine": ENGINE,
        "made": made_now(),
        "scores": {"uas": scores.uas, "las": scores.las, "words": scores.words, "sentences": len(gold)},
        "sentences": packed(counts),
        **({"genres": by_genre(gold, counts)} if run.treebank in data.GENRES else {}),
        "crossing": crossing(gold, parsed),
    }


def made_now() -> dict[str, str]:
    """When, where and with what."""
    return {**machine(), "time": datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds")}


def summed(epochs: list[Epoch]) -> dict[str, dict[str, int]]:
    """The first epoch, and those after it."""
    names = ("states", "updates", "explored", "skipped")
    parts = {"first": epochs[:1], "later": epochs[1:]}
    return {part: {name: sum(getattr(epoch, name) for epoch in some) for name in names} for part, some in parts.items()}


def by_genre(gold: Treebank, counts: Counts) -> dict[str, list[int]]:
    """Words, right heads and right labels of every genre."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for sentence, row in zip(gold, counts, strict=True):
        genre = sums[data.genre(sentence)]
        for place, number in enumerate(row):
            genre[place] += number
    return dict(sorted(sums.items()))


def _bins(outcomes: Outcomes) -> list[dict[str, float]]:
    return [{"low": b.low, "items": b.items, "right": b.right, "said": b.said} for b in action_bins(outcomes)]


def confidence(run: Run, parser: Parser) -> dict[str, Any]:
    """What the probabilities of a parser are worth on the scored part, and how fast they are found."""
    calibration = calibration_of(parser)
    scored = data.read(run.treebank, run.split)
    found = report(parser, scored, 1)
    start = time.process_time()
    sure_trees(parser, scored.document(), 1)
    rate = scored.words / (time.process_time() - start)
    return {
        "kinds": {name: getattr(calibration, name).kind for name in ("transitions", "arcs", "labels", "trees")},
        "losses": {name: dict(getattr(calibration, name).losses) for name in ("arcs", "labels")},
        "sharpness": calibration.sharpness,
        "fitted_on": calibration.words,
        "rate": rate,
        "figures": {name: asdict(figures(outcomes)) for name, outcomes in found.each()},
        "surest": {name: keep_share(outcomes, 0.8).error_rate for name, outcomes in found.each()},
        "for_99": {name: kept.share if (kept := keep_right(o, 0.99)) else 0.0 for name, o in found.each()},
        "bins": {"raw": _bins(found.transitions), "fitted": _bins(found.fitted_transitions or found.transitions)},
    }


def crossing(gold: Treebank, parsed: Treebank) -> dict[str, int]:
    """The non-projective arcs of gold: how many, with the right head, with label too; and those of the parser."""
    counts = dict.fromkeys(("gold", "heads", "labelled", "parsed", "parsed_heads"), 0)
    for wanted, found in zip(gold, parsed, strict=True):
        heads, labels = list(wanted.heads), list(wanted.deprels)
        their_heads, their_labels = list(found.heads), list(found.deprels)
        if None not in heads:
            for _, word in Tree(heads).nonprojective_arcs:
                right = their_heads[word - 1] == heads[word - 1]
                counts["gold"] += 1
                counts["heads"] += right
                counts["labelled"] += right and their_labels[word - 1] == labels[word - 1]
        for _, word in Tree(their_heads).nonprojective_arcs:
            counts["parsed"] += 1
            counts["parsed_heads"] += their_heads[word - 1] == heads[word - 1]
    return counts


def parsing_rates(run: Run, parser: Parser) -> dict[str, float]:
    """Words per second of one thread, the fastest of some passes: the engine alone, documents read before.

    `compact`: over dev and test. `folded`: over test, after train and dev, so of text that the parser has not seen
    before, when what it keeps has grown. `again`: over dev and test, which it has seen.
    """
    treebanks = {part: data.read(run.treebank, part, run.columns) for part in data.PARTS}
    documents = {part: treebank.document() for part, treebank in treebanks.items()}

    def rate(model: _core.Model, layout: str, *parts: data.Part) -> float:
        start = time.thread_time()
        for part in parts:
            model.parsed(documents[part], 1, parser.labels.texts, layout)
        return sum(treebanks[part].words for part in parts) / (time.thread_time() - start)

    best = dict.fromkeys(("compact", "folded", "again"), 0.0)
    for _ in range(run.rounds):
        model = parser.stored().model  # one that has kept nothing yet
        rate(model, "folded", "train", "dev")
        figures = {
            "folded": rate(model, "folded", "test"),
            "again": rate(model, "folded", "dev", "test"),
            "compact": rate(model, "compact", "dev", "test"),
        }
        best = {name: max(best[name], figures[name]) for name in best}
    return best
