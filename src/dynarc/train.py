"""Training: from treebanks to a parser."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dynarc import _core
from dynarc.audit import cycles
from dynarc.config import AmbiguityExploration, ErrorExploration, Exploration, TrainConfig
from dynarc.conllu import read_conllu
from dynarc.errors import ConfigError, TreeError
from dynarc.evaluation import evaluate
from dynarc.features import filled_columns, resolve
from dynarc.files import Source
from dynarc.parser import PLAIN, Labels, Parser, model_spec
from dynarc.projective import Encoding, LiftedTree, Mark, projectivize
from dynarc.provenance import provenance
from dynarc.systems import System
from dynarc.tree import UNKNOWN, Tree
from dynarc.treebank import Treebank

# Below this share of sentences, non-projective ones are not worth the classes that lifting them makes (FEATURES 6).
_WORTH_LIFTING = 0.01


@dataclass(frozen=True, slots=True)
class Epoch:
    """What one epoch did. Scores are on dev, None without one."""

    number: int
    states: int
    updates: int
    explored: int
    skipped: int
    words: int
    seconds: float
    uas: float | None
    las: float | None

    @property
    def score(self) -> float:
        return -1.0 if self.las is None else self.las


@dataclass(slots=True)
class Prepared:
    """Sentences made ready: trees with the labels that are learned, and what was done to them."""

    document: _core.Document
    ts: System
    single_root: bool
    encoding: Encoding | None
    labels: Labels
    trees: list[tuple[int, list[int], list[int]]]
    counts: Counter[str] = field(default_factory=Counter)


Progress = Callable[[Epoch], None]


def train(
    treebanks: Treebank | Source | Sequence[Treebank],
    *,
    dev: Treebank | Source | None = None,
    config: TrainConfig | None = None,
    progress: Progress | None = None,
) -> Parser:
    """Trains a parser. With `dev`, keeps the weights of the epoch that is best on it by LAS (`keep="last"` does not).

    `progress` is called after every epoch. Ctrl-C ends training; what was learned up to then is the parser.
    """
    config = config or TrainConfig()
    treebank = _treebank(treebanks)
    held_out = None if dev is None else _treebank(dev)
    if held_out is not None and all(head is None for sentence in held_out for head in sentence.heads):
        raise TreeError(f"{held_out.path}: none of its {len(held_out)} sentences has a head to score on")
    prepared = prepare(treebank, config)
    templates = resolve(config.features, config.system, filled_columns(treebank))
    training = _training(prepared, config, templates)
    best: Callable[[], Parser] | None = None  # a model is made only of epochs that are kept
    epochs: list[Epoch] = []
    try:
        for parser, epoch in _epochs(training, prepared, config, templates, held_out):
            if held_out is None or config.keep == "last" or all(epoch.score > earlier.score for earlier in epochs):
                best = parser
            epochs.append(epoch)
            if progress is not None:
                progress(epoch)
    except KeyboardInterrupt:
        if best is None:
            raise
    assert best is not None
    return replace(best().stored(), info=_info(treebank, held_out, prepared, epochs, config))


def _epochs(
    training: _core.Training,
    prepared: Prepared,
    config: TrainConfig,
    templates: tuple[str, ...],
    dev: Treebank | None,
) -> Iterator[tuple[Callable[[], Parser], Epoch]]:
    """Runs the epochs; after each, what makes a parser of the weights there are then, and what the epoch did."""

    def parser() -> Parser:
        model = training.model()
        return Parser(model, config, prepared.labels, prepared.single_root, templates, prepared.encoding)

    for number in range(1, config.epochs + 1):
        start = time.perf_counter()
        report = training.epoch()
        seconds = time.perf_counter() - start
        current, uas, las = parser, None, None
        if dev is not None:
            now = parser()
            current = _always(now)
            scores = evaluate(dev, now.parse(dev))
            uas, las = scores.uas, scores.las
        yield (
            current,
            Epoch(
                number,
                report.states,
                report.updates,
                report.explored,
                report.skipped,
                report.words,
                seconds,
                uas,
                las,
            ),
        )


def _always(parser: Parser) -> Callable[[], Parser]:
    return lambda: parser


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


def prepare(treebank: Treebank, config: TrainConfig) -> Prepared:
    """The trees to learn from, and how many sentences were dropped, lifted or partial."""
    counts: Counter[str] = Counter(sentences=len(treebank))
    usable: list[tuple[int, Tree]] = []
    for number, sentence in enumerate(treebank):
        heads = sentence.heads
        if cycles(heads):
            counts["cyclic, dropped"] += 1
        elif None in heads and config.oracle == "static":
            counts["partial, dropped: the static oracle needs whole trees"] += 1
        else:
            counts["partial"] += None in heads
            usable.append((number, Tree(heads, sentence.deprels, sent_id=sentence.sent_id)))
    if not usable:
        raise TreeError(f"{treebank.path}: none of its {len(treebank)} sentences has a tree to learn from")
    single = config.single_root is True
    if config.single_root == "auto":
        rootable = config.system != "arc-eager" or config.root != "first"
        single = rootable and all(len(tree.roots) == 1 for _, tree in usable)
    ts = config.transition_system(single_root=single)
    kept, encoding = _derivable(usable, ts, config, counts)
    if not kept:
        raise TreeError(f"{treebank.path}: no sentence is left to learn from: {dict(counts)}")
    labels, numbered = _numbered(kept, config)
    return Prepared(treebank.document(), ts, single, encoding, labels, numbered, counts)


_Marked = tuple[int, tuple[int | None, ...], list[tuple[str | None, Mark]]]


def _derivable(
    usable: list[tuple[int, Tree]], ts: System, config: TrainConfig, counts: Counter[str]
) -> tuple[list[_Marked], Encoding | None]:
    """The trees as they are to be learned: lifted where the system cannot derive them, or dropped."""
    crossing = {number for number, tree in usable if not tree.is_projective}
    choice = config.nonprojective
    if not ts.projective:
        choice = "drop" if choice == "auto" else choice
        if config.oracle == "dynamic":
            crossing = set()
        else:
            crossing = {number for number, tree in usable if number in crossing and not ts.can_derive(tree)}
    elif choice == "auto":
        choice = "drop" if len(crossing) < _WORTH_LIFTING * len(usable) else "head+path"
    encoding: Encoding | None = None
    if choice != "drop" and crossing:
        encoding = "baseline" if choice == "projectivize" else choice
    kept: list[_Marked] = []
    for number, tree in usable:
        if number not in crossing:
            deprels = tree.deprels or (None,) * len(tree)
            kept.append((number, tree.heads, [(deprel, PLAIN) for deprel in deprels]))
        elif encoding is None or tree.is_partial:
            counts["not derivable, dropped"] += 1
        else:
            lifted: LiftedTree = projectivize(tree, encoding)
            counts["lifted"] += 1
            assert lifted.deprels is not None
            kept.append((number, lifted.heads, list(zip(lifted.deprels, lifted.marks, strict=True))))
    return kept, encoding


def _numbered(kept: list[_Marked], config: TrainConfig) -> tuple[Labels, list[tuple[int, list[int], list[int]]]]:
    """Labels with numbers, and the trees with those."""
    seen = Counter(label for _, _, labels in kept for label in labels)
    # Rare marks are not learned: the arc keeps its label and loses them.
    rare = {label for label, n in seen.items() if label[1] != PLAIN and n < config.pseudo_min_count}
    of_words: Counter[tuple[str, Mark]] = Counter()
    of_root: Counter[tuple[str, Mark]] = Counter()
    trees: list[tuple[int, list[int], list[tuple[str, Mark] | None]]] = []
    for number, heads, labels in kept:
        chosen: list[tuple[str, Mark] | None] = []
        for head, label in zip(heads, labels, strict=True):
            name, mark = label
            known = None if name is None or not config.labels else (name, PLAIN if label in rare else mark)
            chosen.append(known)
            if known is not None and head is not None:
                (of_root if head == 0 else of_words)[known] += 1
        trees.append((number, [UNKNOWN if head is None else head for head in heads], chosen))

    def ordered(some: Iterable[tuple[str, Mark]]) -> list[tuple[str, Mark]]:
        return sorted(some, key=lambda label: (-of_words[label] - of_root[label], label[0], str(label[1])))

    only_words, both, only_root = (
        ordered(of_words.keys() - of_root.keys()),
        ordered(of_words.keys() & of_root.keys()),
        ordered(of_root.keys() - of_words.keys()),
    )
    names = tuple(only_words + both + only_root)
    place = {name: number for number, name in enumerate(names)}
    plain = [name for name in (*only_words, *both) if name[1] == PLAIN]
    other = place.get(("dep", PLAIN), place[plain[0]] if plain else -1)
    labels_ = Labels(names, len(only_words) + len(both), len(only_words), other)
    if names and (not of_words or not of_root):
        # One-word sentences only, or trees without roots: every label may stand anywhere.
        labels_ = Labels(names, len(names), 0, max(other, 0))
    numbered = [
        (number, heads, [UNKNOWN if label is None else place[label] for label in chosen])
        for number, heads, chosen in trees
    ]
    return labels_, numbered


def _training(prepared: Prepared, config: TrainConfig, templates: tuple[str, ...]) -> _core.Training:
    return _core.Training(
        model_spec(config, prepared.single_root, templates, prepared.labels),
        prepared.document,
        prepared.trees,
        config.min_count,
        _learn_options(config, config.policy),
    )


def _learn_options(config: TrainConfig, explore: Exploration) -> _core.LearnOptions:
    if config.oracle == "nondeterministic" and isinstance(explore, ErrorExploration):
        raise ConfigError(
            "the non-deterministic oracle is undefined after errors: use oracle='dynamic' to explore them"
        )
    error = explore if isinstance(explore, ErrorExploration) else ErrorExploration(0, 0.0)
    random = isinstance(explore, AmbiguityExploration) or error.otherwise == "random"
    return _core.LearnOptions(
        config.oracle == "static",
        config.learner == "passive-aggressive",
        random,
        error.k,
        error.p,
        config.reduce == "can",
        config.aggressiveness,
        config.cost_sensitive,
        config.max_loss,
        1,
        config.seed,
    )
