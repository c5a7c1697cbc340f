"""A treebank on the page: its sentences, a parser's trees of them, what is wrong with these, and how sure it was."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from dynarc.confusion import DISTANCE, KINDS, STRUCTURE, Cell, Confusions, Places, confusions
from dynarc.draw.model import compare
from dynarc.errors import ConfigError, ConlluError, EvaluationError, TreeError
from dynarc.parser import Parser
from dynarc.player import Player
from dynarc.reliability import Outcomes, calibration_error, equal_bins
from dynarc.sentence import Sentence
from dynarc.systems import system, systems
from dynarc.treebank import Treebank
from dynarc.web.shown import Json, drawn_json, position_json, text_of

# Words whose probabilities make the reliability diagram: sampled derivations take their time.
MOST_WORDS = 10_000
# Labels in the matrix, and cells in lists.
MATRIX = 20
TOP = 40

Spots = list[tuple[int, list[int]]]  # sentences from 0, and words in them


class Workspace:
    """A file that somebody looks at. With a parser, its own trees are gold and the parser's are judged; without one its
    trees are what is looked at, and judged by `gold` if that is there."""

    def __init__(
        self, treebank: Treebank, *, name: str, parser: Parser | None = None, gold: Treebank | None = None
    ) -> None:
        if not len(treebank):
            raise ConlluError(name, None, "there is no sentence in it")
        self.name = name
        self.parser = parser
        self._read = treebank
        self._given_gold = gold
        self._lock = Lock()
        if gold is not None:
            _check_same(treebank, gold)

    @cached_property
    def has_trees(self) -> bool:
        """Some word of the file has a head."""
        return any(head is not None for sentence in self._read for head in sentence.heads)

    @cached_property
    def system(self) -> Treebank:
        """The trees that are looked at."""
        return self._read if self.parser is None else self.parser.parse(self._read, threads=0)

    @property
    def gold(self) -> Treebank | None:
        if self.parser is None:
            return self._given_gold
        return self._read if self.has_trees else None

    def info(self) -> Json:
        return {
            "name": self.name,
            "sentences": len(self._read),
            "words": self._read.words,
            "gold": self.gold is not None,
            "trees": self.has_trees,
            "probabilities": self._has_probabilities,
        }

    @property
    def _has_probabilities(self) -> bool:
        if self.parser is not None:
            return self.parser.calibration is not None
        return any(sentence.arc_prob is not None for sentence in self._read[:200])

    def prepare(self) -> "Workspace":
        """Parses and compares what the first look needs."""
        with self._lock:
            self.index  # noqa: B018 - computed once, kept
        return self

    @cached_property
    def index(self) -> list[list[Any]]:
        """One row for each sentence: sent_id, text, words, words with a wrong head, words with a wrong label only."""
        rows = []
        for sentence, gold in self.pairs():
            marks = [] if gold is None else [mark.wrong for mark in compare(sentence, gold) if mark]
            wrong = [marks.count("head"), marks.count("label")]
            rows.append([sentence.sent_id, text_of(sentence), len(sentence), *wrong])
        return rows

    def sentence(self, number: int) -> Json:
        """A sentence, from 0, with how sure the parser is of it."""
        if not 0 <= number < len(self._read):
            raise ConfigError(f"there is no sentence {number + 1}: the file has {len(self._read):,}")
        gold = None if self.gold is None else self.gold[number]
        shown = self._read[number]
        if self.parser is not None:
            alone = Treebank([shown])
            sure = self.parser.calibration is not None
            shown = (self.parser.surely(alone, threads=1) if sure else self.parser.parse(alone, threads=1))[0]
        return drawn_json(shown, gold)

    # Errors.

    @cached_property
    def confusions(self) -> Confusions:
        if self.gold is None:
            raise ConfigError("there is no gold standard to compare with")
        try:
            return confusions(self.gold, self.system)
        except EvaluationError as error:
            raise ConfigError(f"the trees cannot be compared: {error}") from None

    def errors(self) -> Json:
        """Scores, the matrix of labels, and wrong heads by kind; each cell by its name."""
        with self._lock:
            found = self.confusions
        scores = found.scores
        involved: dict[str, int] = dict.fromkeys((label for pair in found.labels for label in pair), 0)
        for cell in found.confused:
            involved[cell.gold] += cell.count
            involved[cell.system] += cell.count
        totals = found.gold_labels
        chosen = sorted(involved, key=lambda label: (-involved[label], -totals.get(label, 0), label))[:MATRIX]
        return {
            "scores": {"UAS": scores.uas, "LAS": scores.las, "CLAS": scores.clas, "label": scores.label_accuracy},
            "words": found.words,
            "wrong_heads": found.wrong_heads,
            "wrong_labels": found.wrong_labels,
            "errors": found.errors,
            "labels": chosen,
            "of_labels": len(involved),
            "totals": {label: totals.get(label, 0) for label in chosen},
            "matrix": [
                {
                    "gold": cell.gold,
                    "system": cell.system,
                    "count": cell.count,
                    "head_wrong": len(cell.head_wrong),
                    "name": cell.name,
                }
                for cell in found.labels.values()
                if cell.gold in chosen and cell.system in chosen
            ],
            "structure": [_kind_json(found, name) for name in STRUCTURE if found.attachment[name]],
            "distance": [_kind_json(found, name) for name in DISTANCE if found.attachment[name]],
            "tags": [_cell_json(cell) for cell in found.tag_cells[:TOP]],
        }

    def cell(self, name: str) -> Json:
        """The words behind a number of `errors`."""
        with self._lock:
            cell = self.confusions.cell(name)
        return {"name": cell.name, "meaning": cell.meaning, "spots": _spots(cell.words)}

    # Reliability.

    @cached_property
    def judged(self) -> "Judged":
        if self.gold is None:
            raise ConfigError("there is no gold standard to compare with")
        if not self._has_probabilities:
            raise ConfigError(
                "these trees have no probabilities: parse with dynarc parse --confidence, or calibrate the model"
            )
        return Judged.of(self)

    def reliability(self) -> Json:
        """How often arcs were right, by how probable they were said to be."""
        with self._lock:
            judged = self.judged
        outcomes = Outcomes(judged.probs, judged.right)
        bins = equal_bins(outcomes, 10)
        return {
            "words": len(judged.probs),
            "of": self._read.words,
            "ece": calibration_error(equal_bins(outcomes)),
            "accuracy": sum(judged.right) / len(judged.right),
            "said": sum(judged.probs) / len(judged.probs),
            "bins": [
                {
                    "low": b.low,
                    "high": b.high,
                    "items": b.items,
                    "right": b.right,
                    "said": b.said,
                    "accuracy": b.accuracy,
                }
                for b in bins
            ],
        }

    def bin(self, number: int) -> Json:
        """The words whose arcs are in one of the ten bins, wrong ones first."""
        if not 0 <= number < 10:
            raise ConfigError(f"there is no bin {number}: they are 0 to 9")
        with self._lock:
            judged = self.judged
        places = [place for p, place in zip(judged.probs, judged.places, strict=True) if min(int(p * 10), 9) == number]
        return {
            "name": f"bin-{number}",
            "meaning": f"arcs with a probability from 0.{number} to {(number + 1) / 10:.1f}",
            "spots": _grouped(places),
        }

    def pairs(self) -> Iterator[tuple[Sentence, Sentence | None]]:
        gold = self.gold
        for number, sentence in enumerate(self.system):
            yield sentence, None if gold is None else gold[number]


@dataclass(frozen=True, slots=True)
class Judged:
    """Probabilities of arcs, whether they were right, and where."""

    probs: list[float]
    right: list[bool]
    places: list[tuple[int, int]]

    @classmethod
    def of(cls, space: Workspace) -> "Judged":
        assert space.gold is not None
        numbers = list(range(len(space.gold)))
        if space.parser is not None:
            words = space.gold.words
            step = max(1, -(-words // MOST_WORDS))
            numbers = numbers[::step]
            trees = space.parser.surely(Treebank([space.gold[number] for number in numbers]), threads=0)
        else:
            trees = space.system
        found = cls([], [], [])
        for number, sentence in zip(numbers, trees, strict=True):
            probs = sentence.arc_prob or [None] * len(sentence)
            rows = zip(probs, sentence.heads, space.gold[number].heads, strict=True)
            for word, (p, head, right) in enumerate(rows, start=1):
                if p is not None and right is not None:
                    found.probs.append(p)
                    found.right.append(head == right)
                    found.places.append((number, word))
        if not found.probs:
            raise ConfigError("no word has both a probability and a gold head")
        return found


def recorded(sentence: Sentence, gold: Sentence | None, most_words: int) -> Json:
    """Answers of a player to be kept in a file: for each system the way of least cost, and one step off it."""
    target = gold or sentence
    if len(sentence) > most_words or any(head is None for head in target.heads):
        return {}
    try:
        tree = target.tree
    except TreeError:  # a cycle can be drawn, but nothing derives it
        return {}
    answers: Json = {}
    for name in systems():
        player = Player(sentence, system(name), gold=tree)
        of_system = answers[name] = {}
        way = [str(t) for t in player.position().ahead]
        for number in range(len(way) + 1):
            here = player.position(way[:number])
            of_system[" ".join(way[:number])] = {**position_json(player, here), "model": None}
            for option in here.options:
                if str(option.transition) not in way[number : number + 1]:
                    off = [*way[:number], str(option.transition)]
                    of_system[" ".join(off)] = {**position_json(player, player.position(off)), "model": None}
    return answers


def _check_same(treebank: Treebank, gold: Treebank) -> None:
    if len(treebank) != len(gold):
        raise ConlluError(gold.path, None, f"has {len(gold):,} sentences, but {treebank.path} has {len(treebank):,}")
    for sentence, right in zip(treebank, gold, strict=True):
        if list(sentence.forms) != list(right.forms):
            where = f"{sentence.path}:{sentence.line}"
            raise ConlluError(gold.path, right.line, f"this sentence has other words than the one at {where}")


def _kind_json(found: Confusions, name: str) -> Json:
    return _cell_json(Cell(name, KINDS[name], found.attachment[name]))


def _cell_json(cell: Cell) -> Json:
    return {"name": cell.name, "meaning": cell.meaning, "count": len(cell.words)}


def _spots(places: Places) -> Spots:
    return [(sentence - 1, words) for sentence, words in places.by_sentence()]


def _grouped(places: list[tuple[int, int]]) -> Spots:
    spots: Spots = []
    for sentence, word in places:
        if spots and spots[-1][0] == sentence:
            spots[-1][1].append(word)
        else:
            spots.append((sentence, [word]))
    return spots
