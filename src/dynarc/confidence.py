"""How sure a parser is of each arc: probabilities that come true as often as they say.

What a parser knew when it built an arc (`_core.Evidence`) is turned into the probability that the arc is right by a map
that was fitted on sentences whose trees are known. Several kinds of map are tried; the one with the least log loss on
sentences it was not fitted on is taken.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from dynarc import _core
from dynarc.decisions import as_learned
from dynarc.errors import ModelFormatError, TreeError
from dynarc.tree import UNKNOWN
from dynarc.treebank import Treebank

if TYPE_CHECKING:
    from dynarc.parser import Parser

FOLDS = 5
# States that decide how sharp probabilities are, and words that maps are fitted on: more take longer and change little.
SHARPNESS_STATES = 8_000
MOST_WORDS = 60_000

# Names of columns of evidence, and whether each label and tag counts by itself; then whether a line follows.
_OWN = ("arc",)
_EVERY = _core.evidence_columns
_TREE = ("path", "worst", "length")


class Kind(NamedTuple):
    """A kind of map: which columns of evidence it sees, whether labels and tags, whether it ends in a line of its own."""

    columns: tuple[str, ...]
    kinds: bool = False
    line: bool = False


KINDS = {
    "own transition": Kind(_OWN),
    "own transition, line": Kind(_OWN, line=True),
    "all evidence": Kind(_EVERY, kinds=True),
    "all evidence, line": Kind(_EVERY, kinds=True, line=True),
}
TRANSITION_KINDS = {name: kind for name, kind in KINDS.items() if name.startswith("own")}
TREE_KINDS = {"words": Kind(_TREE), "words, line": Kind(_TREE, line=True)}


@dataclass(frozen=True, slots=True)
class Fitted:
    """A map, and why it was taken: the log loss of every kind on sentences it was not fitted on."""

    map: _core.ProbabilityMap
    kind: str
    losses: dict[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        parts = ("bias", "columns", "deprels", "tags", "knots", "values")
        return {"kind": self.kind, "losses": self.losses} | {name: getattr(self.map, name) for name in parts}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        parts = ("bias", "columns", "deprels", "tags", "knots", "values")
        return cls(_core.ProbabilityMap(**{name: values[name] for name in parts}), values["kind"], values["losses"])


@dataclass(frozen=True, slots=True)
class Calibration:
    """What turns the evidence of a parser into probabilities. `words` is on how many it was fitted."""

    sharpness: float
    words: int
    transitions: Fitted
    arcs: Fitted
    labels: Fitted
    trees: Fitted

    def to_json(self) -> str:
        maps = {name: getattr(self, name).to_dict() for name in ("transitions", "arcs", "labels", "trees")}
        return json.dumps({"sharpness": self.sharpness, "words": self.words, **maps})

    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            values = json.loads(text)
            maps = {name: Fitted.from_dict(values[name]) for name in ("transitions", "arcs", "labels", "trees")}
            return cls(float(values["sharpness"]), int(values["words"]), **maps)
        except (KeyError, TypeError, ValueError) as error:
            raise ModelFormatError(f"its calibration is not one of this version of dynarc: {error!r}") from None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came true on sentences with known trees: evidence, and for each row whether it was right."""

    evidence: _core.Judged
    trees: list[tuple[list[int], list[str | None]]]  # as the parser gives them
    words: list[int]  # rows of words with a known head
    arcs: list[bool]  # whether the head is right
    labels: list[bool]  # and the label
    sentence: list[int]  # to which each row of words belongs


def judge(parser: "Parser", treebank: Treebank, threads: int) -> Judgement:
    """Parses a treebank and compares it with the trees that are in it."""
    document = treebank.document()
    found = _core.judged(parser.model, document, gold_trees(parser, treebank), threads)
    labelled = bool(parser.labels.names)
    words: list[int] = []
    arcs: list[bool] = []
    labels: list[bool] = []
    of_sentence: list[int] = []
    trees = []
    row = 0
    for number, (sentence, (heads, numbers)) in enumerate(zip(treebank, found.trees, strict=True)):
        final, names = parser.finished(heads, numbers)
        trees.append((final, names))
        for gold, deprel, head, name in zip(sentence.heads, sentence.deprels, final, names, strict=True):
            if gold is not None:
                words.append(row)
                arcs.append(gold == head)
                labels.append(gold == head and (not labelled or deprel == name))
                of_sentence.append(number)
            row += 1
    return Judgement(found, trees, words, arcs, labels, of_sentence)


def gold_trees(parser: "Parser", treebank: Treebank) -> list[tuple[list[int], list[int]]]:
    """Heads and labels by their numbers, lifted as the parser's training data were."""
    number = {name + str(mark): i for i, (name, mark) in enumerate(parser.labels.names)}
    out = []
    for sentence in treebank:
        tree = as_learned(parser, sentence.tree)
        labels = [UNKNOWN] * len(tree) if tree.deprels is None else [number.get(str(d), UNKNOWN) for d in tree.deprels]
        out.append(([UNKNOWN if head is None else head for head in tree.heads], labels))
    return out


def calibrate(parser: "Parser", treebank: Treebank, threads: int = 1) -> Calibration:
    """Fits the maps on a treebank that the parser has not learned from."""
    treebank = _at_most(treebank, MOST_WORDS)
    sharpness = 1.0
    if parser.config.learner != "adagrad-rda":  # whose scores are log-odds already
        gold = gold_trees(parser, treebank)
        sharpness = _core.likeliest_sharpness(parser.model, treebank.document(), gold, SHARPNESS_STATES)
    parser.model.sharpness = sharpness
    judged = judge(parser, treebank, threads)
    if not judged.words:
        raise TreeError(f"{treebank.path}: no word has a head, so there is nothing to calibrate on")
    evidence = judged.evidence
    states = list(range(len(evidence.states)))
    folds = [number * FOLDS // max(1, len(treebank)) for number in judged.sentence]
    transitions = _best(
        evidence.states, states, list(evidence.right), _blocks(len(states)), TRANSITION_KINDS
    )
    arcs = _best(evidence.words, judged.words, judged.arcs, folds, KINDS)
    labels = _best(evidence.words, judged.words, judged.labels, folds, KINDS)
    # Probabilities of trees are made of those of words that the maps were not fitted on.
    outside = _outside(evidence.words, judged.words, judged.labels, folds, KINDS[labels.kind])
    of_trees: dict[int, list[float]] = {}
    right: dict[int, bool] = {}
    for number, p, is_right in zip(judged.sentence, outside, judged.labels, strict=True):
        of_trees.setdefault(number, []).append(p)
        right[number] = right.get(number, True) and is_right
    rows = list(range(len(of_trees)))
    trees = _best(
        _core.tree_evidence(list(of_trees.values())), rows, list(right.values()), _blocks(len(rows)), TREE_KINDS
    )
    return Calibration(sharpness, len(judged.words), transitions, arcs, labels, trees)


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
    evidence: _core.Evidence, rows: list[int], right: list[bool], folds: list[int], kinds: dict[str, Kind]
) -> Fitted:
    losses = {}
    for name, kind in kinds.items():
        outside = _outside(evidence, rows, right, folds, kind)
        losses[name] = _log_loss(outside, right)
    chosen = min(kinds, key=lambda name: losses[name])
    return Fitted(_fit(evidence, rows, right, kinds[chosen]), chosen, losses)


def _fit(evidence: _core.Evidence, rows: Sequence[int], right: Sequence[bool], kind: Kind) -> _core.ProbabilityMap:
    columns = sum(1 << _core.evidence_columns.index(name) for name in kind.columns)
    return evidence.fit(rows, right, columns, kind.kinds, kind.line)


def _outside(
    evidence: _core.Evidence, rows: list[int], right: list[bool], folds: list[int], kind: Kind
) -> list[float]:
    """The probability of each row by a map that was fitted on the other folds."""
    out = [0.5] * len(rows)
    for fold in sorted(set(folds)):
        inside = [i for i, f in enumerate(folds) if f != fold]
        apart = [i for i, f in enumerate(folds) if f == fold]
        if not inside:
            continue
        fitted = _fit(evidence, [rows[i] for i in inside], [right[i] for i in inside], kind)
        for i, p in zip(apart, evidence.apply(fitted, [rows[i] for i in apart]), strict=True):
            out[i] = p
    return out


def _log_loss(probabilities: Sequence[float], right: Sequence[bool]) -> float:
    bounded: Callable[[float], float] = lambda p: min(max(p, 1e-6), 1 - 1e-6)  # noqa: E731
    total = sum(math.log(bounded(p) if r else 1 - bounded(p)) for p, r in zip(probabilities, right, strict=True))
    return -total / max(1, len(right))
