"""What someone should look at in a parsed file: the words whose probability is low, least sure first."""

import heapq
from dataclasses import dataclass
from typing import Literal

from dynarc.conllu import iter_treebanks
from dynarc.errors import ConfigError, ConlluError
from dynarc.files import Source, name_of
from dynarc.sentence import Sentence

By = Literal["word", "sentence"]
Key = Literal["ArcProb", "LabelProb"]

BELOW = 0.6
LIMIT = 1000


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sentence with words in doubt, and the one that it is about; of all in the sentence, the least sure."""

    sentence: Sentence
    number: int  # of the sentence in the file, from 1
    probs: tuple[float | None, ...]
    doubtful: tuple[int, ...]  # all words of it that are in doubt
    word: int

    @property
    def prob(self) -> float:
        return self.prob_of(self.word)

    def prob_of(self, word: int) -> float:
        prob = self.probs[word - 1]
        assert prob is not None
        return prob

    def head_form(self, word: int) -> str:
        """The form of a word's head, ROOT, or _ if it has none."""
        head = self.sentence.heads[word - 1]
        return "_" if head is None else self.sentence.forms[head - 1] if head else "ROOT"


@dataclass(frozen=True, slots=True)
class Worklist:
    """The least sure words or sentences of a file, as many as were asked for, and how many there are in all."""

    path: str
    key: Key
    below: float
    by: By
    sentences: int
    words: int
    judged: int  # words that have a probability
    doubtful_words: int
    doubtful_sentences: int
    entries: tuple[Doubt, ...]

    @property
    def left_out(self) -> int:
        every = self.doubtful_words if self.by == "word" else self.doubtful_sentences
        return every - len(self.entries)


def worklist(
    source: Source, *, below: float = BELOW, labels: bool = False, by: By = "word", limit: int = LIMIT
) -> Worklist:
    """The words of `source` that have a probability below `below`: `ArcProb`, or with `labels` `LabelProb`, in MISC.

    Least sure first; of equal ones, those that come first in the file. `by="sentence"` puts all words of a sentence
    together, at the place of the least sure. At most `limit` entries are kept, so files of any size can be read.
    """
    if not 0.0 <= below <= 1.0:
        raise ConfigError(f"{below} is no probability: it must be from 0 to 1", "below")
    path = name_of(source)
    key: Key = "LabelProb" if labels else "ArcProb"
    least = _Least(limit)
    sentences = words = judged = doubtful_words = doubtful_sentences = 0
    for treebank in iter_treebanks(source, check_trees=False):
        for sentence in treebank:
            sentences += 1
            words += len(sentence)
            probs = sentence.label_prob if labels else sentence.arc_prob
            if probs is None:
                continue
            known = [(prob, word) for word, prob in enumerate(probs, start=1) if prob is not None]
            doubts = [doubt for doubt in known if doubt[0] < below]
            judged += len(known)
            doubtful_words += len(doubts)
            doubtful_sentences += bool(doubts)
            if doubts:
                least.offer(sentence, sentences, probs, doubts if by == "word" else [min(doubts)], doubts)
    if not sentences:
        raise ConlluError(path, None, "there is no sentence in it")
    if not judged:
        why = f"no word has {key} in MISC: write it with `dynarc parse --confidence`"
        raise ConlluError(path, None, why)
    return Worklist(
        path, key, below, by, sentences, words, judged, doubtful_words, doubtful_sentences, least.in_order()
    )


class _Least:
    """Keeps the least sure entries. Sentences are copied when they are kept: a view would keep all that was read."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._heap: list[tuple[float, int, int, Doubt]] = []  # the surest first, so all signs are turned

    def offer(
        self,
        sentence: Sentence,
        number: int,
        probs: list[float | None],
        offers: list[tuple[float, int]],
        doubts: list[tuple[float, int]],
    ) -> None:
        copy: Sentence | None = None
        every = tuple(probs)
        words = tuple(word for _, word in doubts)
        for prob, word in offers:
            place = (-prob, -number, -word)
            if len(self._heap) >= self._limit and (not self._heap or place < self._heap[0][:3]):
                continue
            copy = sentence.copy() if copy is None else copy
            entry = (*place, Doubt(copy, number, every, words, word))
            if len(self._heap) < self._limit:
                heapq.heappush(self._heap, entry)
            else:
                heapq.heapreplace(self._heap, entry)

    def in_order(self) -> tuple[Doubt, ...]:
        return tuple(entry[3] for entry in sorted(self._heap, key=lambda entry: entry[:3], reverse=True))
