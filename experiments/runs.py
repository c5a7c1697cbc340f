"""A run: a parser trained on a treebank, and how well it parses another part of it. Runs are kept and never repeated."""

import datetime
import hashlib
import json
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from benchmarks.oracles import ROOT, machine
from experiments import data

import dynarc
from dynarc import TrainConfig, Tree, Treebank, _core
from dynarc.bench import peak_memory
from dynarc.confidence import calibration_of, report, sure_trees
from dynarc.parser import Parser
from dynarc.reliability import action_bins, figures, keep_right, keep_share
from dynarc.train import Epoch

# Part of what a run is called: to be raised by hand when a change of the learner makes earlier results untrue.
ENGINE = 1
# The same for what makes probabilities.
CALIBRATION = 2

FOLDER = ROOT / "build" / "experiments"

Result = dict[str, Any]
Perform = Callable[["Run"], Result]


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that decides what a run finds.

    The parser is that of the last epoch: the scored part has no say in which one is kept. Runs that are `timed` have the
    machine for themselves; `rounds` is how often dev and test are parsed to time that.
    """

    treebank: str
    config: TrainConfig
    split: Literal["dev", "test"] = "dev"
    protocol: Literal["full", "nopunct"] = "full"
    columns: frozenset[str] = data.ALL_COLUMNS
    timed: bool = False
    rounds: int = 0
    calibrated: bool = False  # also finds out what the probabilities are worth

    def __post_init__(self) -> None:
        if unknown := self.columns - data.ALL_COLUMNS:
            raise ValueError(f"no columns to be seen or hidden: {', '.join(sorted(unknown))}")
        if self.config.tag not in self.columns:
            raise ValueError(f"the parser's tags are in {self.config.tag.upper()}, which is hidden")

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
        }

    @property
    def key(self) -> str:
        """The same for the same run, and for no other."""
        text = json.dumps({"engine": ENGINE, **self.to_dict()}, sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def __str__(self) -> str:
        config = self.config
        features = config.features if isinstance(config.features, str) else f"{len(config.features)} templates"
        return (
            f"{self.treebank} {config.system} {config.oracle} {features} {config.nonprojective} "
            f"epochs={config.epochs} seed={config.seed}"
        )


# Options that came later: left out of a key where they have their usual value, so that older results stay known.
_LATER = ("alpha", "rho", "l1", "normalize", "least_gradient")


def _decisive(config: TrainConfig) -> dict[str, Any]:
    usual = TrainConfig().to_dict()
    return {n: v for n, v in config.to_dict().items() if n not in _LATER or v != usual.get(n)}


def perform(run: Run) -> Result:
    """Trains, parses, evaluates, on one thread. Training takes as long as it does with calibration, if that is asked for."""
    epochs: list[Epoch] = []
    train = data.read(run.treebank, "train", run.columns)
    started = time.process_time()
    dev = data.read(run.treebank, "dev", run.columns) if run.calibrated else None
    parser = dynarc.train(
        train, dev=dev, config=run.config, progress=epochs.append, threads=1, calibrate=run.calibrated
    )
    if len(epochs) < run.config.epochs:
        raise KeyboardInterrupt  # training makes a parser of what there is; a run is whole or nothing
    trained = time.process_time()
    usage, peak = resource.getrusage(resource.RUSAGE_SELF), peak_memory()
    given = data.read(run.treebank, run.split, run.columns)
    before = time.process_time()
    parsed = parser.parse(given, threads=1)
    after = time.process_time()
    gold = data.read(run.treebank, run.split)
    scores = dynarc.evaluate(gold, parsed, run.protocol)
    return {
        "run": run.to_dict(),
        "engine": ENGINE,
        "made": {**machine(), "time": datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds")},
        "scores": {"uas": scores.uas, "las": scores.las, "words": scores.words, "sentences": len(gold)},
        "crossing": crossing(gold, parsed),
        "epochs": [{name: value for name, value in asdict(e).items() if name not in ("uas", "las")} for e in epochs],
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
        "parsing_rates": parsing_rates(run, parser) if run.rounds else None,
        "confidence": confidence(run, parser) if run.calibrated else None,
    }


def confidence(run: Run, parser: Parser) -> dict[str, Any]:
    """What the probabilities of a parser are worth on the scored part, and how fast they are found."""
    calibration = calibration_of(parser)
    scored = data.read(run.treebank, run.split)
    found = report(parser, scored, 1)
    start = time.process_time()
    sure_trees(parser, scored.document(), 1)
    rate = scored.words / (time.process_time() - start)
    kinds = {"raw": found.transitions, "fitted": found.fitted_transitions or found.transitions}
    return {
        "kinds": {name: getattr(calibration, name).kind for name in ("transitions", "arcs", "labels", "trees")},
        "losses": {name: dict(getattr(calibration, name).losses) for name in ("arcs", "labels")},
        "sharpness": calibration.sharpness,
        "fitted_on": calibration.words,
        "rate": rate,
        "figures": {name: asdict(figures(outcomes)) for name, outcomes in found.each()},
        "surest": {name: keep_share(outcomes, 0.8).error_rate for name, outcomes in found.each()},
        "for_99": {name: kept.share if (kept := keep_right(o, 0.99)) else 0.0 for name, o in found.each()},
        "bins": {
            name: [{"low": b.low, "items": b.items, "right": b.right, "said": b.said} for b in action_bins(outcomes)]
            for name, outcomes in kinds.items()
        },
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
    parts: tuple[data.Part, ...] = ("train", "dev", "test")
    treebanks = {part: data.read(run.treebank, part, run.columns) for part in parts}
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


class Cache:
    """Results of finished runs, one JSON file each."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder

    def path(self, run: Run) -> Path:
        return self.folder / f"{run.key}.json"

    def get(self, run: Run) -> Result | None:
        try:
            found: Result = json.loads(self.path(run).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return found

    def put(self, run: Run, result: Result) -> None:
        """Writes the result, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=self.folder, prefix=".", suffix=".part", delete=False, encoding="utf-8"
        ) as out:
            name = Path(out.name)
            try:
                json.dump(result, out, ensure_ascii=False, indent=1)
                out.close()
                name.replace(self.path(run))
            except BaseException:
                name.unlink(missing_ok=True)
                raise

    def drop(self, run: Run) -> None:
        self.path(run).unlink(missing_ok=True)

    def obtain(self, run: Run, perform: Perform = perform) -> Result:
        """What is kept of the run; performs it first if nothing is."""
        found = self.get(run)
        if found is None:
            found = perform(run)
            self.put(run, found)
        return found
