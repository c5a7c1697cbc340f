"""Training: from treebanks to a parser."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from dynarc import _core
from dynarc.checkpoint import Checkpoint
from dynarc.confidence import Calibration, Judgement, fitted, judge_new, usual_samples
from dynarc.config import AUTO, AmbiguityExploration, ErrorExploration, Exploration, Sampling, TrainConfig
from dynarc.conllu import read_conllu
from dynarc.errors import ConfigError, TreeError
from dynarc.evaluation import evaluate
from dynarc.features import filled_columns, guide_templates, resolve
from dynarc.files import Source
from dynarc.fitting import fitted as system_fitted
from dynarc.parser import Parser, cores, model_spec
from dynarc.prepare import Prepared, PreparedTree, prepare, rest_labels
from dynarc.provenance import provenance
from dynarc.sentence import Sentence
from dynarc.treebank import Treebank

# Of the first of two passes: trees of sentences that a parser has learned from would be too good.
FIRST_FOLDS = 5
# What all features of a state together may change by an update of adagrad-rda, if alpha is left out.
STEPS = 36
# With a smaller dev, or none, parsers of halves of the sentences are judged as well for calibration: by so many words
# each. The halves are made of so many pieces, so that what belongs together mostly stays so.
ENOUGH_WORDS = 20_000
HALF_WORDS = 15_000
PIECES = 20

Guide = tuple[list[int], list[int]]  # heads and labels of the first pass


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch did. Scores are on dev, None without one."""

    number: int
    states: int
    updates: int
    explored: int
    off_path: int
    skipped: int
    words: int
    seconds: float
    uas: float | None
    las: float | None

    @property
    def score(self) -> float:
        return -1.0 if self.las is None else self.las


Progress = Callable[[Epoch], None]


def train(
    treebanks: Treebank | Source | Sequence[Treebank],
    *,
    dev: Treebank | Source | None = None,
    config: TrainConfig | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    start: Parser | str | os.PathLike[str] | None = None,
    threads: int = 0,
    calibrate: bool = True,
) -> Parser:
    """Trains a parser. With `dev`, keeps the weights of the epoch that is best on it by LAS (`keep="last"` does not).

    `progress` is called after every epoch, `notice` before what takes long besides. Ctrl-C ends training; what was
    learned up to then is the parser. `checkpoint` is a file that is written after every epoch: if it is there already,
    training goes on from it, and the parser will be the same, byte for byte, as if it had never stopped. `start` is a
    parser, or its model file, that learns on: with its system, features and labels, to which new ones are added.
    `threads` is how many cores to use, 0 for all, where there is more than one parser to train; the result does not
    depend on it. `calibrate` lets the parser know how sure it is (`Parser.parse(confidence=True)`): that is found out
    on dev and, without one or if it has fewer than 20,000 words, by two more parsers, each of which learns from half of
    the sentences and is judged by the other half; they take a second core, or twice the time. Trees do not depend on
    it.
    """
    before = Parser.load(start) if isinstance(start, str | os.PathLike) else start
    config = config or (before.config if before is not None else TrainConfig())
    treebank = _treebank(treebanks)
    config = _continued(config, before) if before is not None else system_fitted(config, treebank)
    held_out = None if dev is None else _treebank(dev)
    if held_out is not None and all(head is None for sentence in held_out for head in sentence.heads):
        raise TreeError(f"{held_out.path}: none of its {len(held_out)} sentences has a head to score on")
    workers = threads or cores()
    store = None if checkpoint is None else Checkpoint.open(checkpoint, config, treebank, held_out, before)
    prepared = prepare(treebank, config, before)
    if notice is not None:
        for line in prepared.remarks():
            notice(line)
    templates = resolve(config.features, config.system, filled_columns(treebank))
    if config.passes == 1 and (guided := [template for template in templates if "guide" in template]):
        raise ConfigError(f"the template {guided[0]!r} asks for the tree of an earlier pass: use passes=2", "features")
    first: Parser | None = None
    guides: list[Guide] = []
    if before is not None and before.first is not None:
        first, templates = before.first, before.templates
        guides = _guides_by(before, prepared, workers)
    elif config.passes == 2:
        first, guides = _first_pass(prepared, config, templates, workers, notice, store)
        templates += tuple(t for t in guide_templates(config.system) if t not in templates)
    run = _Run(prepared, config, templates, first, guides, workers, before)
    halves: _Halves | None = None
    if calibrate and (held_out is None or held_out.words < ENOUGH_WORDS):
        halves = _Halves(treebank, config, before, workers)
    epochs: list[Epoch] = []
    best: Parser | None = None
    if store is not None and store.has_epochs:
        epochs = [Epoch(**values) for values in store.epochs]
        if (model := store.best(run.spec)) is not None:
            best = run.parser(model)
        run.restore(store.states())
    try:
        for number in range(len(epochs) + 1, config.epochs + 1):
            epoch, parser = run.epoch(number, held_out)
            if parser is not None and (config.keep == "last" or all(epoch.score > e.score for e in epochs)):
                best = parser
            epochs.append(epoch)
            if store is not None:
                store.save([values_of(e) for e in epochs], None if best is None else best.model, run.states())
            if progress is not None:
                progress(epoch)
    except KeyboardInterrupt:
        if halves is not None:
            halves.stop()
        if not epochs:
            raise
    except BaseException:
        if halves is not None:
            halves.stop()
        raise
    if best is None:  # no dev: the weights as they are now, made into a model only here
        best = run.parser()
    parser = replace(best.stored(), info=_info(treebank, held_out, prepared, epochs, config))
    return replace(parser, calibration=_calibration(parser, held_out, halves, workers)) if calibrate else parser


def _calibration(parser: Parser, dev: Treebank | None, halves: "_Halves | None", workers: int) -> Calibration | None:
    judged, places, samples = [], [], usual_samples(parser.config.system)
    try:
        if dev is not None:
            judged.append(judge_new(parser, dev, samples, workers))
            places.append(dev.path)
        if halves is not None and (others := halves.judged()):
            judged += [replace(one, elsewhere=dev is not None) for one in others]
            places.append(f"halves of {halves.path}, each parsed by what the other teaches")
        return fitted(" and ".join(places), judged, samples) if judged else None
    except KeyboardInterrupt:  # the parser is there already
        if halves is not None:
            halves.stop()
        return None


class _Halves:
    """Two parsers that learn from half of the sentences each, and what the other half says of them."""

    def __init__(self, treebank: Treebank, config: TrainConfig, start: Parser | None, workers: int) -> None:
        self.path = treebank.path
        self._stopped = False
        self._pool: ThreadPoolExecutor | None = None
        parts: tuple[list[Sentence], list[Sentence]] = ([], [])
        for i, sentence in enumerate(treebank):
            parts[i * PIECES // len(treebank) % 2].append(sentence)

        def judged(half: int) -> Judgement | None:
            learned, other = Treebank(parts[half]), Treebank(parts[1 - half])
            try:
                parser = train(
                    learned, config=config, progress=self._go_on, start=start, threads=workers, calibrate=False
                )
                return judge_new(parser, other, usual_samples(config.system), 1, most_words=HALF_WORDS)
            except (_StoppedError, TreeError):  # also if too few sentences have trees
                return None

        self._work: Callable[[], list[Judgement | None]] = lambda: [judged(half) for half in (0, 1)]
        if len(treebank) < PIECES:
            self._work = list
        elif workers > 1:
            self._pool = ThreadPoolExecutor(1)
            self._work = self._pool.submit(self._work).result

    def _go_on(self, _: Epoch) -> None:
        if self._stopped:
            raise _StoppedError

    def stop(self) -> None:
        self._stopped = True
        if self._pool is None:
            self._work = list

    def judged(self) -> list[Judgement]:
        try:
            return [one for one in self._work() if one is not None]
        except KeyboardInterrupt:  # the parser is there already
            self._stopped = True
            return []
        finally:
            if self._pool is not None:
                self._pool.shutdown()


class _StoppedError(Exception):
    """The other parsers are not wanted any more."""


def values_of(epoch: Epoch) -> dict[str, Any]:
    return {name: getattr(epoch, name) for name in Epoch.__slots__}


class _Run:
    """The training of one parser, or of several whose weights are averaged."""

    def __init__(
        self,
        prepared: Prepared,
        config: TrainConfig,
        templates: tuple[str, ...],
        first: Parser | None,
        guides: Sequence[Guide],
        workers: int,
        before: Parser | None,
    ) -> None:
        self.prepared, self.config, self.templates, self.first = prepared, config, templates, first
        self.workers = min(workers, config.average_seeds)
        self.spec = model_spec(config, prepared.single_root, templates, prepared.labels)
        self.trainings = [
            _training(prepared, replace(config, seed=seed), templates, guides=guides, before=before)
            for seed in config.seeds
        ]

    def epoch(self, number: int, dev: Treebank | None) -> tuple[Epoch, Parser | None]:
        """What one more epoch did; with dev, also the parser that was scored."""
        start = time.perf_counter()
        if self.workers == 1:
            reports = [training.epoch() for training in self.trainings]
        else:
            with ThreadPoolExecutor(self.workers) as pool:
                reports = list(pool.map(_core.Training.epoch, self.trainings))
        seconds = time.perf_counter() - start
        parser, uas, las = None, None, None
        if dev is not None:
            parser = self.parser()
            scores = evaluate(dev, parser.parse(dev))
            uas, las = scores.uas, scores.las
        states, updates, explored, off_path, skipped, words = (
            sum(getattr(report, what) for report in reports)
            for what in ("states", "updates", "explored", "off_path", "skipped", "words")
        )
        return Epoch(number, states, updates, explored, off_path, skipped, words, seconds, uas, las), parser

    def parser(self, model: _core.Model | None = None) -> Parser:
        """The parser of the weights there are now, or of a model that this run has made before."""
        prepared = self.prepared
        if model is None:
            model = self.trainings[0].model(self.trainings[1:])
        return Parser(
            model,
            self.config,
            prepared.labels,
            prepared.single_root,
            self.templates,
            prepared.encoding,
            first=self.first,
        )

    def states(self) -> list[bytes]:
        return [training.state() for training in self.trainings]

    def restore(self, states: list[bytes]) -> None:
        for training, state in zip(self.trainings, states, strict=True):
            training.restore(state)


def _continued(config: TrainConfig, before: Parser) -> TrainConfig:
    """The configuration of a parser that learns on. What decides how features and classes look cannot change."""
    if config.system == AUTO:
        config = replace(config, system=before.config.system)
    same = ("system", "tag", "root", "valency_cap", "labels", "direction", "passes")
    for name in same:
        was, now = getattr(before.config, name), getattr(config, name)
        if was != now:
            raise ConfigError(f"{name} is {now!r}, but the parser that is to learn on has {was!r}", name)
    if config.features not in (before.config.features, "default", before.templates):
        raise ConfigError("a parser that learns on keeps its features: leave them out", "features")
    own = tuple(t for t in before.templates if before.first is None or t not in guide_templates(config.system))
    single_root: Any = "mend" if before.labels.roots else before.single_root
    return replace(config, features=own, single_root=single_root, classes=before.config.classes)


def _guides_by(before: Parser, prepared: Prepared, workers: int) -> list[Guide]:
    """What the first pass of a parser that learns on finds; it has not seen these sentences, or long ago."""
    assert before.first is not None
    now = prepared.labels.numbers_of(before.first.labels)
    found = before.first.model.parse(prepared.document, 0, prepared.document.sentences, workers)
    return [(found[i][0], [now[label] if label >= 0 else label for label in found[i][1]]) for i, _, _ in prepared.trees]


def _first_pass(
    prepared: Prepared,
    config: TrainConfig,
    templates: tuple[str, ...],
    workers: int,
    notice: Callable[[str], None] | None,
    store: Checkpoint | None,
) -> tuple[Parser, list[Guide]]:
    """The parser that goes over sentences first, in the other direction, and what it finds in the training sentences:
    each is parsed by a parser that has not learned from it."""
    other: Any = "left-to-right" if config.direction == "right-to-left" else "right-to-left"
    earlier = replace(config, direction=other, passes=1, average_seeds=1, epochs=config.first_epochs)
    rest = rest_labels(prepared.sides, prepared.ts, earlier, len(prepared.labels.names))
    labels = replace(prepared.labels, rest=rest)

    def parser(model: _core.Model) -> Parser:
        return Parser(model, earlier, labels, prepared.single_root, templates, prepared.encoding)

    if store is not None and store.has_first_pass:
        spec = model_spec(earlier, prepared.single_root, templates, labels)
        return parser(store.first(spec)), store.guides()
    trees = prepared.trees
    own = replace(prepared, labels=labels)
    folds = min(FIRST_FOLDS, len(trees))
    bounds = [len(trees) * fold // folds for fold in range(folds + 1)]
    if notice is not None:
        notice(f"first pass: {folds + 1} parsers, {earlier.epochs} epochs each, {other}")

    def learned(left_out: range) -> _core.Model:
        inside = [i for i in range(len(trees)) if i not in left_out]
        training = _training(own, earlier, templates, inside or range(len(trees)), ())
        for _ in range(earlier.epochs):
            training.epoch()
        return training.model()

    parts = [range(first, last) for first, last in pairwise(bounds)]
    with ThreadPoolExecutor(min(workers, folds + 1)) as pool:
        *models, whole = pool.map(learned, [*parts, range(0)])
    guides: list[Guide] = []
    for model, part in zip(models, parts, strict=True):
        first, last = trees[part[0]][0], trees[part[-1]][0] + 1
        found = model.parse(prepared.document, first, last, workers)
        guides += [found[trees[i][0] - first] for i in part]
    result = parser(whole)
    if store is not None:
        store.save_first_pass(result.model, guides)
    return result, guides


def _info(
    treebank: Treebank, dev: Treebank | None, prepared: Prepared, epochs: list[Epoch], config: TrainConfig
) -> dict[str, Any]:
    chosen = epochs[-1] if config.keep == "last" else max(epochs, key=lambda epoch: epoch.score)
    return {
        "data": {**provenance(treebank), "dev": None if dev is None else provenance(dev)},
        "prepared": dict(prepared.counts),
        "epochs": len(epochs),
        "dev": None if chosen.las is None else {"epoch": chosen.number, "uas": chosen.uas, "las": chosen.las},
    }


def _treebank(source: Treebank | Source | Sequence[Treebank]) -> Treebank:
    if isinstance(source, Treebank):
        return source
    if isinstance(source, list | tuple):
        return Treebank.joined(source)
    return read_conllu(source, check_trees=False)  # type: ignore[arg-type]


def _training(
    prepared: Prepared,
    config: TrainConfig,
    templates: tuple[str, ...],
    which: Sequence[int] | None = None,
    guides: Sequence[Guide] = (),
    before: Parser | None = None,
) -> _core.Training:
    """A run over some of the trees, or all; of a parser that learns on, if there is one `before`."""
    chosen = range(len(prepared.trees)) if which is None else which
    trees: list[PreparedTree] = [prepared.trees[i] for i in chosen]
    return _core.Training(
        model_spec(config, prepared.single_root, templates, prepared.labels),
        prepared.document,
        trees,
        config.min_count,
        _learn_options(config, prepared, trees, len(templates)),
        [guides[i] for i in chosen] if guides else [],
        [prepared.prices[i] for i in chosen] if prepared.prices else [],
        None if before is None else before.model,
        [] if before is None else prepared.labels.numbers_of(before.labels),
    )


def _learn_options(
    config: TrainConfig, prepared: Prepared, trees: Sequence[PreparedTree], templates: int
) -> _core.LearnOptions:
    explore: Exploration = config.policy
    if config.oracle == "nondeterministic" and isinstance(explore, ErrorExploration | Sampling):
        raise ConfigError(
            "the non-deterministic oracle is undefined after errors: use oracle='dynamic' to explore them"
        )
    error = ErrorExploration(0, 0.0)
    if isinstance(explore, ErrorExploration):
        error = explore
    elif isinstance(explore, Sampling):
        error = ErrorExploration(explore.k, 1.0)
    words = sum(len(heads) for _, heads, _ in trees)
    return _core.LearnOptions(
        fixed=config.oracle == "static",
        learner=config.learner,
        random_best=isinstance(explore, AmbiguityExploration) or error.otherwise == "random",
        after_epoch=error.k,
        probability=error.p,
        reduce_when_possible=config.reduce == "can",
        aggressiveness=config.aggressiveness,
        cost_sensitive=config.cost_sensitive,
        max_loss=config.max_loss,
        price_unit=prepared.price_unit,
        seed=config.seed,
        sample=isinstance(explore, Sampling),
        alpha=STEPS / max(1, templates) if config.alpha is None else config.alpha,
        rho=config.rho,
        l1=1 / (20 * words) if config.l1 is None else config.l1,
        legal_only=config.normalize == "legal",
        least_gradient=config.least_gradient,
        canonical=config.target == "canonical",
    )
