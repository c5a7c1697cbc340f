"""What a system takes for what: labels confused with labels, heads with other heads, and the words behind each count.

Which words count, and when two labels are the same, is decided by `dynarc.evaluate`; the totals here are its own. Wrong
heads are sorted three times over, and each time every wrong head is in exactly one kind: by where the predicted head
stands in the gold tree (`STRUCTURE`), by side and distance (`DISTANCE`), and by parts of speech.
"""

import heapq
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple, overload

from dynarc.conllu import treebank_of
from dynarc.errors import ConfigError, EvaluationError
from dynarc.evaluation import Scores, evaluate
from dynarc.files import Source
from dynarc.sentence import Sentence
from dynarc.treebank import Treebank

_OUTSIDE = {
    "unattached": "the system gives the word no head",
    "to-root": "ROOT instead of a word",
    "from-root": "a word instead of ROOT",
}
# In the order in which they are asked for: what fits an earlier kind is not asked for the later ones.
STRUCTURE = {
    **_OUTSIDE,
    "reversed": "a word below it in the gold tree: head and dependent the wrong way round",
    "low": "another dependent of the gold head: one step too low",
    "lower": "a word further below the gold head",
    "high": "the head of the gold head: one step too high",
    "higher": "a word further above the gold head",
    "elsewhere": "a word in another branch, neither above nor below the gold head",
}
DISTANCE = {
    **_OUTSIDE,
    "near": "on the side of the gold head, but nearer to the word",
    "far": "on the side of the gold head, but further from the word",
    "other-side": "on the other side of the word",
}
KINDS = {**STRUCTURE, **DISTANCE}

ROOT = "ROOT"
NOTHING = "_"


class Place(NamedTuple):
    """A word: the number of its sentence and its own, both from 1."""

    sentence: int
    word: int


class Places(Sequence[Place]):
    """Words in the order of the treebank, four bytes each."""

    __slots__ = ("_flat", "_starts")

    def __init__(self, starts: "array[int]", flat: "array[int] | None" = None) -> None:
        self._starts = starts  # for each sentence, how many words come before it
        self._flat = array("I") if flat is None else flat

    def add(self, flat: int) -> None:
        self._flat.append(flat)

    def __len__(self) -> int:
        return len(self._flat)

    @overload
    def __getitem__(self, index: int) -> Place: ...
    @overload
    def __getitem__(self, index: slice) -> "Places": ...
    def __getitem__(self, index: int | slice) -> "Place | Places":
        if isinstance(index, slice):
            return Places(self._starts, self._flat[index])
        flat = self._flat[index]
        sentence = bisect_right(self._starts, flat)
        return Place(sentence, flat - self._starts[sentence - 1] + 1)

    def __add__(self, other: "Places") -> "Places":
        return Places(self._starts, array("I", heapq.merge(self._flat, other._flat)))

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Places | list | tuple) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))

    def by_sentence(self) -> Iterator[tuple[int, list[int]]]:
        """Each sentence once, with its words."""
        for sentence, places in groupby(self, key=lambda place: place.sentence):
            yield sentence, [place.word for place in places]


@dataclass(frozen=True, slots=True)
class Cell:
    """Words that belong together for one reason. `name` is what `Confusions.cell` finds it by."""

    name: str
    meaning: str
    words: Places


@dataclass(frozen=True, slots=True)
class LabelCell:
    """The scored words that have one label in gold and one in the system, by whether their head is right."""

    gold: str
    system: str
    head_right: Places
    head_wrong: Places

    @property
    def right(self) -> bool:
        return self.gold == self.system

    @property
    def name(self) -> str:
        return f"{self.gold}>{self.system}"

    @property
    def count(self) -> int:
        return len(self.head_right) + len(self.head_wrong)

    @property
    def cell(self) -> Cell:
        """The errors in it: where the labels are the same, only words with a wrong head are any."""
        if self.right:
            return Cell(self.name, f"{self.gold}, rightly, but with a wrong head", self.head_wrong)
        return Cell(self.name, f"{self.gold} that the system calls {self.system}", self.head_right + self.head_wrong)


@dataclass(frozen=True, slots=True)
class Confusions:
    """The result of `confusions`.

    `labels` has a cell for every pair (gold label, system label) that occurs, right ones included. `attachment` has the
    wrong heads by kind: those named in STRUCTURE are all of them, and so are those named in DISTANCE. `tags` has them
    by UPOS, all of gold: (dependent, gold head, predicted head); ROOT is "ROOT", no head is "_".
    """

    scores: Scores
    gold: Treebank
    system: Treebank
    upos: frozenset[str] | None
    form: str | None
    labels: dict[tuple[str, str], LabelCell] = field(default_factory=dict)
    attachment: dict[str, Places] = field(default_factory=dict)
    tags: dict[tuple[str, str, str], Places] = field(default_factory=dict)

    @property
    def words(self) -> int:
        return sum(cell.count for cell in self.labels.values())

    @property
    def wrong_heads(self) -> int:
        return sum(len(cell.head_wrong) for cell in self.labels.values())

    @property
    def wrong_labels(self) -> int:
        return sum(cell.count for cell in self.labels.values() if not cell.right)

    @property
    def errors(self) -> int:
        """Words with a wrong head or label or both."""
        return sum(cell.count if not cell.right else len(cell.head_wrong) for cell in self.labels.values())

    @property
    def gold_labels(self) -> dict[str, int]:
        """How many words have each gold label."""
        totals: dict[str, int] = {}
        for (gold, _), cell in self.labels.items():
            totals[gold] = totals.get(gold, 0) + cell.count
        return totals

    @property
    def confused(self) -> list[LabelCell]:
        """The cells of wrong labels, largest first."""
        return sorted((c for c in self.labels.values() if not c.right), key=lambda c: (-c.count, c.gold, c.system))

    @property
    def tag_cells(self) -> list[Cell]:
        """Wrong heads by UPOS, largest first."""
        found = sorted(self.tags.items(), key=lambda item: (-len(item[1]), item[0]))
        return [Cell(tag_name(tags), _tag_meaning(*tags), words) for tags, words in found]

    def cell(self, name: str) -> Cell:
        """The cell of that name: labels (`nmod>obl`), a kind (`high`), or parts of speech (`ADP:NOUN>VERB`).

        Raises ConfigError if there can be no such cell; one that could be, but holds no word, is empty.
        """
        if name in KINDS:
            return Cell(name, KINDS[name], self.attachment[name])
        # Labels may hold any character: the pair is looked for, not read out of the text.
        for pair, cell in self.labels.items():
            if ">".join(pair) == name:
                return cell.cell
        for tags, words in self.tags.items():
            if tag_name(tags) == name:
                return Cell(name, _tag_meaning(*tags), words)
        gold, arrow, system = name.partition(">")
        known = {label for pair in self.labels for label in pair}
        if arrow and gold in known and system in known:
            return Cell(name, f"{gold} that the system calls {system}", Places(array("I")))
        if not arrow:
            raise ConfigError(f"unknown cell {name!r}: give labels as 'nmod>obl', or a kind", "cell", KINDS)
        largest = ", ".join(f"'{cell.name}'" for cell in self.confused[:5]) or "none"
        raise ConfigError(f"there is no cell {name!r}; the largest cells of labels are {largest}")


def tag_name(tags: tuple[str, str, str]) -> str:
    """The name of a cell of parts of speech.

    >>> tag_name(("ADP", "NOUN", "VERB"))
    'ADP:NOUN>VERB'
    """
    dependent, gold, system = tags
    return f"{dependent}:{gold}>{system}"


def _tag_meaning(dependent: str, gold: str, system: str) -> str:
    predicted = "left without a head" if system == NOTHING else f"attached to {system}"
    return f"{dependent} {predicted} instead of {f'another {gold}' if gold == system else gold}"


def confusions(
    gold: Treebank | Source,
    system: Treebank | Source,
    *,
    protocol: str = "full",
    upos: str | Iterable[str] | None = None,
    form: str | None = None,
) -> Confusions:
    """Counts what `system` takes for what, with the words behind every count, in one pass.

    `protocol` is one of `dynarc.evaluate`; the words must be the same on both sides, by `ud` too. With `upos`, only
    words of these gold tags are counted; with `form`, only words written so, in upper or lower case.

    >>> gold = b"1\\tI\\t_\\t_\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsleep\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n"
    >>> found = confusions(gold, gold.replace(b"nsubj", b"obj"))
    >>> [(cell.name, cell.count) for cell in found.confused]
    [('nsubj>obj', 1)]
    >>> found.cell("nsubj>obj").words
    [Place(sentence=1, word=1)]
    """
    sides = treebank_of(gold, "gold"), treebank_of(system, "system")
    scores = _evaluated(*sides, protocol)
    tags = None if upos is None else frozenset([upos] if isinstance(upos, str) else upos)
    found = Confusions(scores, *sides, tags, form)
    _Counting(found).run()
    return found


def _evaluated(gold: Treebank, system: Treebank, protocol: str) -> Scores:
    scores = evaluate(gold, system, protocol)
    if not scores.protocol.same_words:
        try:
            evaluate(gold, system, "full")
        except EvaluationError as error:
            reason = f"{error.reason}; but confusions need the same words, by protocol {protocol} too"
            raise EvaluationError(error.path, error.line, reason) from None
    return scores


class _Counting:
    """One pass over both treebanks."""

    def __init__(self, found: Confusions) -> None:
        self._found = found
        self._starts = array("I")
        self._form = None if found.form is None else found.form.lower()
        for kind in KINDS:
            found.attachment[kind] = Places(self._starts)

    def run(self) -> None:
        flat = 0
        for gold, system in zip(self._found.gold, self._found.system, strict=True):
            self._starts.append(flat)
            scored = self._found.scores.scored[flat : flat + len(gold)]
            if any(scored):
                self._sentence(gold, system, scored, flat)
            flat += len(gold)

    def _sentence(self, gold: Sentence, system: Sentence, scored: bytes, flat: int) -> None:
        found, label = self._found, self._found.scores.protocol.label
        heads, others, tags = gold.heads, system.heads, gold.upos
        forms = gold.forms if self._form is not None else []
        pairs = zip(gold.deprels, system.deprels, strict=True)
        for i, (right, other) in enumerate(pairs):
            if not scored[i] or (found.upos is not None and tags[i] not in found.upos):
                continue
            if self._form is not None and forms[i].lower() != self._form:
                continue
            pair = label(right or NOTHING), label(other or NOTHING)
            cell = found.labels.get(pair)
            if cell is None:
                cell = found.labels[pair] = LabelCell(*pair, Places(self._starts), Places(self._starts))
            if heads[i] == others[i]:
                cell.head_right.add(flat + i)
                continue
            cell.head_wrong.add(flat + i)
            gold_head, head = heads[i], others[i]
            assert gold_head is not None  # not scored otherwise
            for kind in {structure_of(i + 1, heads, head), distance_of(i + 1, gold_head, head)}:
                found.attachment[kind].add(flat + i)
            triple = tags[i], _tag(tags, gold_head), _tag(tags, head)
            found.tags.setdefault(triple, Places(self._starts)).add(flat + i)


def _tag(tags: Sequence[str], head: int | None) -> str:
    if head is None:
        return NOTHING
    return tags[head - 1] if head else ROOT


def structure_of(word: int, gold: Sequence[int | None], head: int | None) -> str:
    """The kind of STRUCTURE of a wrong head, given all gold heads.

    >>> structure_of(3, [2, 0, 2], 1)
    'low'
    """
    outside = _outside(gold[word - 1], head)
    if outside is not None or head is None:
        return outside or "unattached"
    above, right = _ancestors(head, gold), gold[word - 1]
    if word == head or word in above:
        return "reversed"
    if right in above:
        return "low" if gold[head - 1] == right else "lower"
    assert right
    if head in _ancestors(right, gold):
        return "high" if gold[right - 1] == head else "higher"
    return "elsewhere"


def distance_of(word: int, gold: int, head: int | None) -> str:
    """The kind of DISTANCE of a wrong head.

    >>> distance_of(5, 3, 1), distance_of(5, 3, 6)
    ('far', 'other-side')
    """
    outside = _outside(gold, head)
    if outside is not None or head is None:
        return outside or "unattached"
    if head != word and (gold < word) != (head < word):
        return "other-side"
    return "near" if abs(head - word) < abs(gold - word) else "far"


def _outside(gold: int | None, head: int | None) -> str | None:
    """The kinds that both ways of sorting share: where one of the heads is no word."""
    if head is None:
        return "unattached"
    if head == 0:
        return "to-root"
    return "from-root" if gold == 0 else None


def _ancestors(node: int, heads: Sequence[int | None]) -> set[int]:
    """What is above a word, as far as that is known; a cycle is gone round once."""
    seen: set[int] = set()
    above = heads[node - 1]
    while above and above not in seen:
        seen.add(above)
        above = heads[above - 1]
    return seen
