"""How sure a parser is of each arc: probabilities that come true as often as they say.

What a parser knew when it built an arc (`_core.Evidence`) is turned into the probability that the arc is right by a map
that was fitted on sentences whose trees are known. Several kinds of map are tried; the one with the least log loss on
sentences it was not fitted on is taken.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from dynarc import _core
from dynarc.decisions import as_learned
from dynarc.errors import ConfigError, ModelFormatError, TreeError
from dynarc.model_file import parsed_json
from dynarc.sentence import Sure
from dynarc.tree import UNKNOWN
from dynarc.treebank import Treebank

if TYPE_CHECKING:
    from dynarc.parser import Parser
    from dynarc.reliability import CalibrationReport

FOLDS = 5
# Derivations that are sampled of each sentence; half as many cost a hundredth of the log loss on dev sets. None with
# easy-first, where a state has as many choices as there are words left, and a tree as many derivations as orders.
SAMPLES = 16
MOST_SAMPLES = 1_000
# States that decide how sharp probabilities are, and words that maps are fitted on: more take longer and change little.
SHARPNESS_STATES = 8_000
MOST_WORDS = 40_000

# Names of columns of evidence, and whether each label and tag counts by itself; then whether a line follows.
# Other parsers, and sentences that maps are not for, may be right more or less often: by how much is fitted too.
_ELSEWHERE = ("elsewhere", "elsewhere_arc")
_OWN = ("arc", *_ELSEWHERE)
_EVERY = tuple(_core.evidence_columns())
_TREE = ("path", "worst", "length")


class Kind(NamedTuple):
    """A kind of map: which columns of evidence it sees, whether labels and tags, whether a line of its own follows."""

    columns: tuple[str, ...]
    kinds: bool = False
    line: bool = False


KINDS = {
    "own transition": Kind(_OWN),
    "own transition, line": Kind(_OWN, line=True),
    "evidence but labels and tags": Kind(_EVERY),
    "evidence but labels and tags, line": Kind(_EVERY, line=True),
    "all evidence": Kind(_EVERY, kinds=True),
    "all evidence, line": Kind(_EVERY, kinds=True, line=True),
}
TRANSITION_KINDS = {name: kind for name, kind in KINDS.items() if name.startswith("own")}
TREE_KINDS = {"words": Kind(_TREE), "words, line": Kind(_TREE, line=True)}


@dataclass(frozen=True, slots=True)
class Fitted:
    """A map, and why it was taken: the log loss of every kind on sentences it was not fitted on.

    Labels and tags are known by their names: another parser of the same treebank may have other numbers for them.
    """

    kind: str
    losses: Mapping[str, float]
    bias: float
    columns: Mapping[str, float]
    deprels: Mapping[str, float] = field(default_factory=dict)
    tags: Mapping[str, float] = field(default_factory=dict)
    head_tags: Mapping[str, float] = field(default_factory=dict)
    line: tuple[tuple[float, float], ...] = ()

    @classmethod
    def of(cls, found: _core.ProbabilityMap, kind: str, losses: Mapping[str, float], names: "Names") -> Self:
        return cls(
            kind,
            losses,
            found.bias,
            _by_name(_EVERY, found.columns),
            _by_name(names.deprels, found.deprels),
            _by_name(names.tags, found.tags),
            _by_name(names.tags, found.head_tags),
            tuple(zip(found.knots, found.values, strict=True)),
        )

    def map(self, names: "Names") -> _core.ProbabilityMap:
        return _core.ProbabilityMap(
            self.bias,
            [self.columns.get(name, 0.0) for name in _EVERY],
            [self.deprels.get(name, 0.0) for name in names.deprels],
            [self.tags.get(name, 0.0) for name in names.tags],
            [self.head_tags.get(name, 0.0) for name in names.tags],
            [knot for knot, _ in self.line],
            [value for _, value in self.line],
        )

    def to_dict(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Of a model file, where anything may stand."""
        line = tuple((float(knot), float(value)) for knot, value in values["line"])
        checked: dict[str, Any] = {
            name: {str(key): float(weight) for key, weight in values[name].items()}
            for name in ("losses", "columns", "deprels", "tags", "head_tags")
            if name in values
        }
        checked |= {"kind": str(values["kind"]), "bias": float(values["bias"]), "line": line}
        return cls(**(values | checked))


class Names(NamedTuple):
    """What the numbers of a parser's labels and tags mean."""

    deprels: Sequence[str]
    tags: Sequence[str]

    @classmethod
    def of(cls, parser: "Parser") -> Self:
        tags = parser.model.texts[_core.attribute_names().index("tag")]
        return cls(
            [name + str(mark) for name, mark in parser.labels.names],
            [f"<{number}>" for number in range(_core.first_value)] + tags,
        )


def _by_name(names: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    return {name: value for name, value in zip(names, values, strict=False) if value != 0}


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns the evidence of a parser into probabilities. It was fitted on so many `words` of `data`.

    `samples` derivations of a sentence are part of the evidence.
    """

    data: str
    words: int
    samples: int
    sharpness: float
    transitions: Fitted
    arcs: Fitted
    labels: Fitted
    trees: Fitted

    def to_json(self) -> str:
        maps = {name: getattr(self, name).to_dict() for name in _MAPS}
        numbers = {name: getattr(self, name) for name in ("data", "words", "samples", "sharpness")}
        return json.dumps({**numbers, **maps})

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            values = parsed_json(text)
            maps = {name: Fitted.from_dict(values[name]) for name in _MAPS}
            samples = int(values.get("samples", 0))  # models of earlier versions have none
            if not 0 <= samples <= _MOST_SAMPLES:
                raise ValueError(f"{samples} samples")
            return cls(str(values["data"]), int(values["words"]), samples, float(values["sharpness"]), **maps)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelFormatError(f"its calibration is not one of this version of dynarc: {error!r}") from None


_MOST_SAMPLES = 10_000
_MAPS = ("transitions", "arcs", "labels", "trees")


def sure_trees(
    parser: "Parser", document: _core.Document, threads: int
) -> list[tuple[list[int], list[str | None], Sure]]:
    """The parser's trees of a document, with how sure it is of them."""
    calibration = calibration_of(parser)
    names = Names.of(parser)
    arcs, labels, trees = (getattr(calibration, name).map(names) for name in ("arcs", "labels", "trees"))
    found = _core.sure(parser.model, arcs, labels, document, calibration.samples, threads)
    evidence = _core.tree_evidence([of_labels for _, _, _, of_labels in found])
    whole = evidence.apply(trees, list(range(len(found))))
    out = []
    for (heads, numbers, of_arcs, of_labels), tree_prob in zip(found, whole, strict=True):
        final, deprels = parser.finished(heads, numbers)
        out.append((final, deprels, Sure(of_arcs, of_labels, tree_prob)))
    return out


def calibration_of(parser: "Parser") -> Calibration:
    if parser.calibration is None:
        raise ConfigError(
            "the model does not know how sure it is: calibrate it on sentences that it has not learned from, "
            "as in dynarc calibrate MODEL dev.conllu --fit NEW_MODEL"
        )
    return parser.calibration


def report(parser: "Parser", treebank: Treebank, threads: int = 0) -> "CalibrationReport":
    """How far the probabilities of a parser can be trusted on a treebank with gold trees."""
    from dynarc.parser import cores
    from dynarc.reliability import CalibrationReport, Outcomes

    calibration = calibration_of(parser)
    names = Names.of(parser)
    judged = judge(parser, treebank, calibration.samples, threads or cores())
    if not judged.words:
        raise TreeError(f"{treebank.path}: no word has a head to judge by")

    def outcomes(which: str, evidence: _core.Evidence, rows: list[int], right: Sequence[bool]) -> Outcomes:
        return Outcomes(evidence.apply(getattr(calibration, which).map(names), rows), right)

    evidence = judged.evidence
    states = list(range(len(evidence.states)))
    arcs = outcomes("arcs", evidence.words, judged.words, judged.arcs)
    labels = outcomes("labels", evidence.words, judged.words, judged.labels)
    labels = Outcomes([min(p, q) for p, q in zip(labels.probs, arcs.probs, strict=True)], labels.right)
    of_trees, right = _by_tree(judged, labels.probs)
    trees = outcomes("trees", _core.tree_evidence(of_trees), list(range(len(right))), right)
    notes = [f"Fitted on {calibration.words:,} words of {calibration.data}."]
    if parser.config.learner != "adagrad-rda":
        notes.append(
            "Raw probabilities of transitions are a softmax of the scores times "
            f"{calibration.sharpness:.4g}, which was fitted as well: this learner's scores have no scale of their own."
        )
    return CalibrationReport(
        "",
        treebank.path,
        len(treebank),
        len(judged.words),
        Outcomes(evidence.states.probabilities(), evidence.right),
        outcomes("transitions", evidence.states, states, evidence.right),
        arcs,
        labels,
        trees,
        tuple(notes),
    )


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came true on sentences with known trees: evidence, and for each row whether it was right."""

    names: Names
    sharpness: float
    evidence: _core.Judged
    words: list[int]  # rows of words with a known head
    arcs: list[bool]  # whether the head is right
    labels: list[bool]  # and the label
    sentence: list[int]  # to which each row of words belongs
    elsewhere: bool = False  # another parser than the one that maps are for, and sentences of another kind


def judge(parser: "Parser", treebank: Treebank, samples: int, threads: int) -> Judgement:
    """Parses a treebank and compares it with the trees that are in it."""
    document = treebank.document()
    found = _core.judged(parser.model, document, gold_trees(parser, treebank), samples, threads)
    labelled = bool(parser.labels.names)
    words: list[int] = []
    arcs: list[bool] = []
    labels: list[bool] = []
    of_sentence: list[int] = []
    row = 0
    for number, (sentence, (heads, numbers)) in enumerate(zip(treebank, found.trees, strict=True)):
        final, names = parser.finished(heads, numbers)
        for gold, deprel, head, name in zip(sentence.heads, sentence.deprels, final, names, strict=True):
            if gold is not None:
                words.append(row)
                arcs.append(gold == head)
                labels.append(gold == head and (not labelled or deprel == name))
                of_sentence.append(number)
            row += 1
    return Judgement(Names.of(parser), parser.model.sharpness, found, words, arcs, labels, of_sentence)


def gold_trees(parser: "Parser", treebank: Treebank) -> list[tuple[list[int], list[int]]]:
    """Heads and labels by their numbers, lifted as the parser's training data were."""
    number = {name + str(mark): i for i, (name, mark) in enumerate(parser.labels.names)}
    out = []
    for sentence in treebank:
        tree = as_learned(parser, sentence.tree)
        labels = [UNKNOWN] * len(tree) if tree.deprels is None else [number.get(str(d), UNKNOWN) for d in tree.deprels]
        out.append(([UNKNOWN if head is None else head for head in tree.heads], labels))
    return out


def usual_samples(system: str) -> int:
    return 0 if system == "easy-first" else SAMPLES


def calibrate(parser: "Parser", treebank: Treebank, threads: int = 1, *, samples: int | None = None) -> Calibration:
    """Fits the maps on a treebank that the parser has not learned from. Sets the sharpness of its model."""
    if samples is None:
        samples = usual_samples(parser.config.system)
    if not 0 <= samples <= MOST_SAMPLES:
        raise ConfigError(f"samples is {samples}, but must be between 0 and {MOST_SAMPLES}", "samples")
    return fitted(treebank.path, [judge_new(parser, treebank, samples, threads)], samples)


def judge_new(
    parser: "Parser", treebank: Treebank, samples: int, threads: int, *, most_words: int = MOST_WORDS
) -> Judgement:
    """As `judge`, for what the parser has not learned from: probabilities are as sharp as suits these trees best."""
    path = treebank.path
    treebank = _at_most(treebank, most_words)
    sharpness = 1.0
    if parser.config.learner != "adagrad-rda":  # whose scores are log-odds already
        gold = gold_trees(parser, treebank)
        sharpness = _core.likeliest_sharpness(parser.model, treebank.document(), gold, SHARPNESS_STATES)
    parser.model.sharpness = sharpness
    judged = judge(parser, treebank, samples, threads)
    if not judged.words:
        raise TreeError(f"{path}: no word has a head, so there is nothing to calibrate on")
    return judged


def fitted(data: str, judgements: Sequence[Judgement], samples: int) -> Calibration:
    """The maps under which all that came true is likeliest; probabilities are as sharp as in the first of these."""
    judged = _pooled(judgements)
    evidence, names = judged.evidence, judged.names
    states = list(range(len(evidence.states)))
    folds = [number * FOLDS // (judged.sentence[-1] + 1) for number in judged.sentence]
    transitions = _best(evidence.states, states, evidence.right, _blocks(len(states)), TRANSITION_KINDS, names)
    arcs = _best(evidence.words, judged.words, judged.arcs, folds, KINDS, names)
    labels = _best(evidence.words, judged.words, judged.labels, folds, KINDS, names)
    # Probabilities of trees are made of those of words that the maps were not fitted on.
    kind = KINDS[labels.kind]
    outside = _outside(evidence.words, judged.words, judged.labels, folds, kind)[kind.line]
    of_trees, right = _by_tree(judged, outside)
    rows = list(range(len(right)))
    trees = _best(_core.tree_evidence(of_trees), rows, right, _blocks(len(rows)), TREE_KINDS, names)
    return Calibration(data, len(judged.words), samples, judged.sharpness, transitions, arcs, labels, trees)


def _pooled(judgements: Sequence[Judgement]) -> Judgement:
    """All in one, with the names of the first: what has none among those is of no kind."""
    first = judgements[0]
    if len(judgements) == 1:
        return first
    evidence = _core.Judged()
    words: list[int] = []
    arcs: list[bool] = []
    labels: list[bool] = []
    sentence: list[int] = []
    for one in judgements:
        row, number = len(evidence.words), sentence[-1] + 1 if sentence else 0
        words += [row + word for word in one.words]
        sentence += [number + of for of in one.sentence]
        arcs += one.arcs
        labels += one.labels
        deprels, tags = map(_numbers, one.names, first.names)
        evidence.extend(one.evidence, deprels, tags, one.elsewhere)
    return Judgement(first.names, first.sharpness, evidence, words, arcs, labels, sentence)


def _numbers(names: Sequence[str], among: Sequence[str]) -> list[int]:
    places = {name: place for place, name in enumerate(among)}
    return [places.get(name, -1) for name in names]


def _by_tree(judged: Judgement, probabilities: Sequence[float]) -> tuple[list[list[float]], list[bool]]:
    """The probabilities of each sentence's words, and whether all of them are right."""
    words: dict[int, list[float]] = {}
    right: dict[int, bool] = {}
    for number, p, is_right in zip(judged.sentence, probabilities, judged.labels, strict=True):
        words.setdefault(number, []).append(p)
        right[number] = right.get(number, True) and is_right
    return list(words.values()), list(right.values())


def _at_most(treebank: Treebank, words: int) -> Treebank:
    """Evenly spread sentences with about so many words."""
    if treebank.words <= words:
        return treebank
    step = treebank.words / words
    chosen = sorted({int(i * step) for i in range(int(len(treebank) / step))})
    return Treebank([treebank[i] for i in chosen])


def _blocks(rows: int) -> list[int]:
    return [row * FOLDS // max(1, rows) for row in range(rows)]


def _best(
    evidence: _core.Evidence,
    rows: list[int],
    right: Sequence[bool],
    folds: list[int],
    kinds: Mapping[str, Kind],
    names: Names,
) -> Fitted:
    from dynarc.reliability import Outcomes, log_loss

    if not rows:  # as of sentences of one word: nothing was ever to be decided
        return Fitted("none", {}, 0.0, {"arc": 1.0})
    losses = {}
    for kind in dict.fromkeys(kind._replace(line=False) for kind in kinds.values()):
        for line, outside in enumerate(_outside(evidence, rows, right, folds, kind)):
            losses[kind._replace(line=bool(line))] = log_loss(Outcomes(outside, right))
    by_name = {name: losses[kind] for name, kind in kinds.items()}
    chosen = min(kinds, key=lambda name: by_name[name])
    return Fitted.of(_fit(evidence, rows, right, kinds[chosen]), chosen, by_name, names)


def _fit(evidence: _core.Evidence, rows: Sequence[int], right: Sequence[bool], kind: Kind) -> _core.ProbabilityMap:
    columns = sum(1 << _EVERY.index(name) for name in kind.columns)
    return evidence.fit(rows, right, columns, kind.kinds, kind.line)


def _outside(
    evidence: _core.Evidence, rows: list[int], right: Sequence[bool], folds: list[int], kind: Kind
) -> tuple[list[float], list[float]]:
    """The probability of each row by a map that was fitted on the other folds, without a line and with one."""
    bent = [0.5] * len(rows)
    straight = bent.copy()
    for fold in sorted(set(folds)):
        inside = [i for i, f in enumerate(folds) if f != fold]
        apart = [i for i, f in enumerate(folds) if f == fold]
        if not inside:
            continue
        fitted = _fit(evidence, [rows[i] for i in inside], [right[i] for i in inside], kind._replace(line=True))
        for out, by in ((straight, fitted.without_line()), (bent, fitted)):
            for i, p in zip(apart, evidence.apply(by, [rows[i] for i in apart]), strict=True):
                out[i] = p
    return straight, bent
