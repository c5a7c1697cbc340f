"""What an evaluation has counted. Counts are exact; every figure made of them is in percent, 0 to 100."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from dynarc.evaluation.protocols import Protocol

# As the shared task's scorer prints them.
OFFICIAL = (
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "UAS",
    "LAS",
    "CLAS",
    "MLAS",
    "BLEX",
    "ELAS",
    "EULAS",
)
# Counted by every protocol.
TREE_METRICS = ("UAS", "LAS", "CLAS", "label accuracy", "exact match unlabelled", "exact match")


@dataclass(frozen=True, slots=True)
class Count:
    """How many were right, of how many in the gold standard and in the system; percentages of these.

    `aligned` is the number of words both have, where the metric is about words.

    >>> c = Count(correct=3, gold=4, system=5)
    >>> c.precision, c.recall, round(c.f1, 2)
    (60.0, 75.0, 66.67)
    """

    correct: int
    gold: int
    system: int
    aligned: int | None = None

    @property
    def precision(self) -> float:
        return _percent(self.correct, self.system)

    @property
    def recall(self) -> float:
        return _percent(self.correct, self.gold)

    @property
    def f1(self) -> float:
        """Twice the correct ones, of both sides together. The accuracy, if both sides have the same words."""
        return _percent(2 * self.correct, self.gold + self.system)

    @property
    def aligned_accuracy(self) -> float | None:
        return None if self.aligned is None else _percent(self.correct, self.aligned)


def _percent(part: int, whole: int) -> float:
    return 100 * (part / whole) if whole else 0.0


@dataclass(frozen=True, slots=True)
class LabelScore:
    """One label: the words that have it in the gold standard and in the system, and what was right of the gold ones.

    Precision, recall and F1 are those of labelled attachment: head and label right.
    """

    label: str
    gold: int
    system: int
    heads: int  # right heads
    labels: int  # right labels
    correct: int  # both

    @property
    def precision(self) -> float:
        return _percent(self.correct, self.system)

    @property
    def recall(self) -> float:
        return _percent(self.correct, self.gold)

    @property
    def f1(self) -> float:
        return _percent(2 * self.correct, self.gold + self.system)


@dataclass(frozen=True, slots=True)
class Bin:
    """The scored gold words with arcs of some length, or in sentences of some length: both limits included.

    Arcs from ROOT are apart: their `first` and `last` are 0. Without a limit, `last` is None. `sentences` and
    `exact` (those without any error) are counted by length of sentences only.
    """

    first: int
    last: int | None
    words: int
    heads: int
    correct: int
    sentences: int
    exact: int

    @property
    def name(self) -> str:
        if self.last == 0:
            return "ROOT"
        if self.last is None:
            return f"{self.first}-"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"

    @property
    def uas(self) -> float:
        return _percent(self.heads, self.words)

    @property
    def las(self) -> float:
        return _percent(self.correct, self.words)

    @property
    def exact_match(self) -> float:
        return _percent(self.exact, self.sentences)


class SentenceScore(NamedTuple):
    """A gold sentence: its scored words, the words of the system that begin in it, and what was right."""

    words: int
    system_words: int
    heads: int
    labels: int
    correct: int  # head and label


@dataclass(frozen=True, slots=True)
class Scores:
    """The result of `dynarc.evaluate`. Figures are percentages, 0 to 100, and come with their protocol.

    `counts` has the integers beneath every figure, by metric; `words` is the number of gold words scored,
    `sentences` that of all gold sentences. `table` holds the counts of every gold sentence, for the bootstrap.
    """

    protocol: Protocol
    gold: str
    system: str
    words: int
    sentences: int
    counts: Mapping[str, Count]
    per_label: Mapping[str, LabelScore]
    by_distance: tuple[Bin, ...]
    by_length: tuple[Bin, ...]
    columns: Mapping[str, Count]
    """Words whose LEMMA, UPOS, XPOS and FEATS are, as text, those of the gold standard: predicted or not."""
    punctuation: int
    """Gold words that the protocol leaves out."""
    unknown_heads: int
    """Gold words left out because their head is not known."""
    unattached: int
    """Scored words without a head in the system: wrong."""
    notes: tuple[str, ...]
    table: bytes = field(repr=False)
    scored: bytes = field(repr=False)
    """For each gold word, through all sentences, 1 if it was scored and 0 if not."""

    @property
    def uas(self) -> float:
        """Words with the right head."""
        return self.counts["UAS"].f1

    @property
    def las(self) -> float:
        """Words with the right head and label."""
        return self.counts["LAS"].f1

    @property
    def clas(self) -> float:
        """LAS of content words: F1, since the system may see content words elsewhere."""
        return self.counts["CLAS"].f1

    @property
    def label_accuracy(self) -> float:
        """Words with the right label, whatever their head."""
        return self.counts["label accuracy"].f1

    @property
    def exact_match_unlabelled(self) -> float:
        """Sentences in which every scored word has the right head."""
        return self.counts["exact match unlabelled"].f1

    @property
    def exact_match(self) -> float:
        """Sentences in which every scored word has the right head and label."""
        return self.counts["exact match"].f1

    @property
    def official(self) -> dict[str, Count]:
        """The metrics of the shared task, in its order; none but with protocol `ud`."""
        if self.protocol.same_words:
            return {}
        return {name: self.counts[name] for name in OFFICIAL if name in self.counts}

    @property
    def metrics(self) -> tuple[str, ...]:
        """What each row of `table` has three numbers for: correct, gold, system."""
        return TREE_METRICS if self.protocol.same_words else ALL_METRICS

    @property
    def per_sentence(self) -> tuple[SentenceScore, ...]:
        """The counts of every gold sentence, in order."""
        numbers = memoryview(self.table).cast("i")
        width = 3 * len(self.metrics)
        uas, las, label = (3 * TREE_METRICS.index(name) for name in ("UAS", "LAS", "label accuracy"))
        return tuple(
            SentenceScore(
                words=numbers[row + uas + 1],
                system_words=numbers[row + uas + 2],
                heads=numbers[row + uas],
                labels=numbers[row + label],
                correct=numbers[row + las],
            )
            for row in range(0, len(numbers), width)
        )

    def __str__(self) -> str:
        return (
            f"UAS {self.uas:.2f}  LAS {self.las:.2f}  CLAS {self.clas:.2f}  "
            f"({self.protocol}; {self.words:,} words, {self.sentences:,} sentences)"
        )


# In the order of the engine.
ALL_METRICS = (
    *TREE_METRICS,
    "Tokens",
    "Sentences",
    "Words",
    "UPOS",
    "XPOS",
    "UFeats",
    "AllTags",
    "Lemmas",
    "MLAS",
    "BLEX",
    "ELAS",
    "EULAS",
)
