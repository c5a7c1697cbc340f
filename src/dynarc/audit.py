"""What is odd about the trees of a treebank, and which of them a transition system cannot derive."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dynarc.conllu import iter_conllu
from dynarc.errors import OracleError, TreeError
from dynarc.files import Source
from dynarc.sentence import Sentence
from dynarc.systems import System
from dynarc.tree import Tree

Kind = Literal["nonprojective", "underivable", "multiple_roots", "cyclic", "partial", "no_root", "undecided"]

KINDS: tuple[Kind, ...] = (
    "nonprojective",
    "underivable",
    "multiple_roots",
    "cyclic",
    "partial",
    "no_root",
    "undecided",
)


@dataclass(frozen=True, slots=True)
class Oddity:
    """One thing about one sentence. `arcs` is how many arcs are concerned, None where that has no meaning."""

    kind: Kind
    arcs: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """An oddity and the sentence that has it."""

    path: str
    line: int
    sent_id: str | None
    reason: str


@dataclass(slots=True)
class Count:
    """Sentences of one kind. Arcs: those that are not projective; roots after the first; arcs in cycles; heads
    that are unknown. None where single arcs are not to blame."""

    sentences: int = 0
    arcs: int | None = None

    def add(self, sentences: int, arcs: int | None) -> None:
        self.sentences += sentences
        if arcs is not None:
            self.arcs = (self.arcs or 0) + arcs


def _zero() -> dict[Kind, Count]:
    counted: tuple[Kind, ...] = ("nonprojective", "multiple_roots", "cyclic", "partial")
    return {kind: Count(arcs=0 if kind in counted else None) for kind in KINDS}


@dataclass(slots=True)
class Audit:
    """The counts for one file, or for several, and the first findings of each kind."""

    path: str
    sentences: int = 0
    words: int = 0
    counts: dict[Kind, Count] = field(default_factory=_zero)
    first: dict[Kind, list[Finding]] = field(default_factory=lambda: {kind: [] for kind in KINDS})

    @property
    def clean(self) -> bool:
        """Nothing was found."""
        return not any(count.sentences for count in self.counts.values())

    def add(self, other: "Audit", first: int) -> None:
        """Takes another file in, keeping the first findings of each kind."""
        self.sentences += other.sentences
        self.words += other.words
        for kind in KINDS:
            self.counts[kind].add(other.counts[kind].sentences, other.counts[kind].arcs)
            self.first[kind] = (self.first[kind] + other.first[kind])[:first]


def audit(source: Source, ts: System, *, first: int = 10, name: str | None = None) -> Audit:
    """Examines every sentence of a CoNLL-U or CoNLL-X source. Unlike a reader of trees, it refuses none.

    >>> from dynarc import system
    >>> line = "{}\\tw\\t_\\t_\\t_\\t_\\t{}\\t_\\t_\\t_\\n"
    >>> text = "".join(line.format(word, head) for word, head in enumerate([0, 4, 1, 1], start=1))
    >>> report = audit(text.encode(), system("arc-eager"))
    >>> report.counts["nonprojective"]
    Count(sentences=1, arcs=1)
    """
    return audit_sentences(iter_conllu(source, name=name, check_trees=False), ts, first=first, path=name)


def audit_sentences(sentences: Iterable[Sentence], ts: System, *, first: int = 10, path: str | None = None) -> Audit:
    """As `audit`, for sentences that have been read."""
    report = Audit(path or "")
    for sentence in sentences:
        report.path = report.path or sentence.path
        report.sentences += 1
        report.words += len(sentence)
        for odd in examine(sentence.heads, ts):
            report.counts[odd.kind].add(1, odd.arcs)
            if len(report.first[odd.kind]) < first:
                finding = Finding(sentence.path, sentence.line, sentence.sent_id, odd.reason)
                report.first[odd.kind].append(finding)
    return report


def examine(heads: Sequence[int | None], ts: System) -> list[Oddity]:
    """Everything that is odd about one sentence."""
    found = []
    unknown = sum(head is None for head in heads)
    if unknown:
        found.append(Oddity("partial", unknown, f"{unknown} of {len(heads)} heads unknown"))
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if len(roots) > 1:
        found.append(Oddity("multiple_roots", len(roots) - 1, f"words {_listed(roots)} have head 0"))
    if not roots and not unknown:
        found.append(Oddity("no_root", None, "no word has head 0"))
    try:
        tree = Tree(heads)
    except TreeError:
        rings = cycles(heads)
        reason = _listed([_ring(ring) for ring in rings])
        found.append(Oddity("cyclic", sum(map(len, rings)), reason))
        found.append(Oddity("underivable", None, f"not a tree: {reason}"))
        return found
    projective = tree.is_projective
    if not projective:
        crossing = nonprojective_arcs(heads)
        arcs = _listed([f"{head}->{word}" for head, word in crossing])
        found.append(Oddity("nonprojective", len(crossing), f"not projective: {arcs}"))
    # With a projective system a partial tree that no projective tree completes needs no search.
    try:
        derivable = (projective or not ts.projective) and ts.can_derive(tree)
    except OracleError as error:
        found.append(Oddity("undecided", None, str(error)))
    else:
        if not derivable:
            found.append(Oddity("underivable", None, _why(tree, ts, projective)))
    return found


def _why(tree: Tree, ts: System, projective: bool) -> str:
    if ts.projective and not projective:
        return f"not projective, and {ts.name} derives projective trees only"
    if tree.is_partial:
        return f"{ts.name} derives no tree that has these heads"
    try:
        ts.derivation(tree)
    except TreeError as error:
        return str(error)
    raise AssertionError(f"{ts!r} derives {tree!r} after all")


def nonprojective_arcs(heads: Sequence[int | None]) -> list[tuple[int, int]]:
    """The arcs (head, dependent) with a word strictly between that the head does not dominate.

    That is the definition of Nivre & Nilsson 2005. A word whose head is unknown counts as dominated by ROOT
    alone, so for partial trees ask first whether the tree is projective.

    >>> nonprojective_arcs([0, 4, 1, 1])
    [(4, 2)]
    """
    words = range(1, len(heads) + 1)
    enter, leave = _walk([head or 0 for head in heads])

    def dominates(head: int, word: int) -> bool:
        return enter[head] <= enter[word] < leave[head]

    # right[h] is the first word after h that h does not dominate, left[h] the last before it. What a
    # dominated word dominates is dominated too, so each search leaps over the stretches found before it.
    right, left = [0] * (len(heads) + 1), [0] * (len(heads) + 1)
    for head in reversed(words):
        word = head + 1
        while word <= len(heads) and dominates(head, word):
            word = right[word]
        right[head] = word
    for head in words:
        word = head - 1
        while word >= 1 and dominates(head, word):
            word = left[word]
        left[head] = word
    return [
        (head, word)
        for word, head in enumerate(heads, start=1)
        if head and (right[head] < word if head < word else left[head] > word)
    ]


def _walk(heads: Sequence[int]) -> tuple[list[int], list[int]]:
    """When a depth-first walk of the tree enters each node, and how many it has entered on leaving it."""
    children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, start=1):
        children[head].append(word)
    enter, leave = [0] * len(children), [0] * len(children)
    entered = 0
    todo = [0]
    while todo:
        node = todo.pop()
        if node < 0:
            leave[~node] = entered
            continue
        enter[node] = entered
        entered += 1
        todo.append(~node)
        todo += children[node]
    return enter, leave


def cycles(heads: Sequence[int | None]) -> list[list[int]]:
    """The cycles among the heads, each from its first word and up, head after head.

    >>> cycles([2, 3, 1, 0, 5])
    [[1, 2, 3], [5]]
    """
    found = []
    seen = [False] * (len(heads) + 1)
    for start in range(1, len(heads) + 1):
        way: dict[int, int] = {}
        word: int | None = start
        while word and not seen[word]:
            seen[word] = True
            way[word] = len(way)
            word = heads[word - 1]
        if word and word in way:
            ring = list(way)[way[word] :]
            least = ring.index(min(ring))
            found.append(ring[least:] + ring[:least])
    return found


def _ring(ring: list[int]) -> str:
    if len(ring) == 1:
        return f"word {ring[0]} is its own head"
    return "cycle " + "->".join(str(word) for word in [ring[0], *reversed(ring)])


def _listed(items: Sequence[object], most: int = 5) -> str:
    more = f" and {len(items) - most} more" if len(items) > most else ""
    return ", ".join(map(str, items[:most])) + more
