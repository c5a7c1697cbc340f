"""How good a parser would be: cross-validation, and what more data would bring."""

import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynarc.config import TrainConfig
from dynarc.conllu import treebank_of
from dynarc.errors import ConfigError
from dynarc.evaluation import Scores, evaluate
from dynarc.files import Source
from dynarc.fitting import fitted
from dynarc.parser import Parser
from dynarc.train import train
from dynarc.treebank import Treebank

# Without a treebank to score on, this many sentences give one.
_EVERY = 10


@dataclass(frozen=True, slots=True)
class Fold:
    """One part of a treebank, parsed by a parser that was trained on all the others. `seconds` are of both."""

    number: int
    first: int  # sentence of the treebank, counted from 1
    sentences: int
    scores: Scores
    seconds: float

    @property
    def words(self) -> int:
        """How many words were scored."""
        return self.scores.words

    @property
    def uas(self) -> float:
        return self.scores.uas

    @property
    def las(self) -> float:
        return self.scores.las


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean of the folds' figures and their standard deviation (that of a sample: n - 1)."""

    mean: float
    sd: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.sd:.2f}"


@dataclass(frozen=True, slots=True)
class CrossValidation:
    """What `cross_validate` found.

    `scores` are of all sentences together, each parsed by a parser that had not seen it; `uas` and `las` say how the
    folds differ. `parsed` is the treebank with those trees, in its own order.
    """

    folds: tuple[Fold, ...]
    scores: Scores
    parsed: Treebank

    @property
    def uas(self) -> Spread:
        return _spread([fold.uas for fold in self.folds if fold.words])

    @property
    def las(self) -> Spread:
        return _spread([fold.las for fold in self.folds if fold.words])


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A parser trained on so many sentences and words, its scores, and the seconds that training it took."""

    sentences: int
    words: int
    uas: float
    las: float
    seconds: float


def cross_validate(
    treebanks: Treebank | Source | Sequence[Treebank],
    *,
    folds: int = 10,
    config: TrainConfig | None = None,
    progress: Callable[[Fold], None] | None = None,
) -> CrossValidation:
    """Parses every sentence with a parser that was trained without it: the treebank is cut into `folds` parts, and each
    is parsed by a parser trained on the others.

    The parts are stretches of neighbours, not a random choice: treebanks keep the sentences of a document together, and
    a parser that has seen half of a document does better on the other half than it ever will on a new text. Their
    lengths differ by a sentence at most. The last epoch's weights are kept, since nothing is left to choose one by.

    `progress` is called after every fold. Raises ConfigError for fewer than two folds, or more than sentences.
    """
    treebank = _treebank(treebanks)
    config = fitted(config or TrainConfig(), treebank)
    if folds < 2:
        raise ConfigError(f"folds is {folds}, but to train on one part and score on another takes 2 or more", "folds")
    if folds > len(treebank):
        raise ConfigError(f"{treebank.path}: {len(treebank)} sentences cannot be cut into {folds} folds", "folds")
    parsed = treebank.copy()
    done: list[Fold] = []
    for number in range(folds):
        first, last = (len(treebank) * edge // folds for edge in (number, number + 1))
        start = time.perf_counter()
        held_out = treebank[first:last]
        trees = _trained(treebank[:first] + treebank[last:], config).parse(held_out)
        scores = evaluate(held_out, trees)
        done.append(Fold(number + 1, first + 1, last - first, scores, time.perf_counter() - start))
        for place, tree in enumerate(trees, start=first):
            sentence = parsed[place]
            sentence.heads, sentence.deprels = tree.heads, tree.deprels
        if progress is not None:
            progress(done[-1])
    return CrossValidation(tuple(done), evaluate(treebank, parsed), parsed)


def learning_curve(
    treebank: Treebank | Source | Sequence[Treebank],
    dev: Treebank | Source,
    *,
    config: TrainConfig | None = None,
    points: int = 6,
    progress: Callable[[CurvePoint], None] | None = None,
) -> list[CurvePoint]:
    """What a parser scores on `dev` if it is trained on 1/32, 1/16, 1/8, 1/4, 1/2 and all of the sentences (`points`
    says how many of these); fewer points where there are too few sentences to halve them so often.

    Sentences are drawn at random by `config.seed`, and each set holds the one before. The last epoch's weights are kept
    in every point: `dev` is here to score, not to choose by, so the last point is a little below what
    `train(..., dev=dev)` reports.
    """
    if points < 2:
        raise ConfigError(f"points is {points}, but a curve has 2 or more", "points")
    whole, gold = _treebank(treebank), _treebank(dev)
    config = fitted(config or TrainConfig(), whole)
    order = list(range(len(whole)))
    random.Random(config.seed).shuffle(order)
    sizes = sorted({len(whole) >> halvings for halvings in range(points)} - {0}) or [0]
    curve: list[CurvePoint] = []
    for size in sizes:
        # In the order of the treebank: all of it is then what `train` would get.
        part = whole if size == len(whole) else Treebank([whole[place] for place in sorted(order[:size])])
        start = time.perf_counter()
        parser = _trained(part, config)
        seconds = time.perf_counter() - start
        scores = evaluate(gold, parser.parse(gold))
        curve.append(CurvePoint(len(part), part.words, scores.uas, scores.las, seconds))
        if progress is not None:
            progress(curve[-1])
    return curve


def tenth_apart(treebank: Treebank) -> tuple[Treebank, Treebank]:
    """The treebank without every tenth sentence, and these: for those who have nothing else to score on.

    >>> from dynarc import Sentence
    >>> rest, tenth = tenth_apart(Treebank(Sentence([str(number)]) for number in range(1, 26)))
    >>> len(rest), [sentence.forms for sentence in tenth]
    (23, [['10'], ['20']])
    """
    rest = Treebank(
        (sentence for number, sentence in enumerate(treebank, start=1) if number % _EVERY),
        path=treebank.path,
        format=treebank.format,
    )
    return rest, treebank[_EVERY - 1 :: _EVERY]


def _treebank(source: Treebank | Source | Sequence[Treebank]) -> Treebank:
    if isinstance(source, list | tuple):
        return Treebank.joined(source)
    return treebank_of(source, "treebank")  # type: ignore[arg-type]


def _trained(treebank: Treebank, config: TrainConfig) -> Parser:
    """A parser of all epochs. After Ctrl-C `train` makes do with fewer, but here that is to end everything."""
    parser = train(treebank, config=config, calibrate=False)
    if parser.info["epochs"] < config.epochs:
        raise KeyboardInterrupt
    return parser


def _spread(figures: Sequence[float]) -> Spread:
    if not figures:
        return Spread(0.0, 0.0)
    return Spread(statistics.fmean(figures), statistics.stdev(figures) if len(figures) > 1 else 0.0)
