"""What is in a treebank: sizes, lengths, labels, tags, and the shape of its trees."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from dynarc.errors import TreeError
from dynarc.sentence import Sentence
from dynarc.tree import Tree

# The least length of each group of sentences.
LENGTHS = (1, 2, 6, 11, 16, 21, 31, 41, 51, 101)


@dataclass(slots=True)
class Stats:
    """Counts over sentences; `add` takes in one more.

    Tokens are what the text is made of: words, but a multiword token counts once for all its words. Trees are counted
    as they are: cyclic ones have no shape, and unknown heads make a partial tree, of which only the known arcs count.

    >>> s = Sentence(["They", "sing"], upos=["PRON", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> counts = Stats().add(s)
    >>> counts.words, counts.deprels["nsubj"], counts.nonprojective
    (2, 1, 0)
    """

    path: str = ""
    sentences: int = 0
    documents: int = 0
    paragraphs: int = 0
    words: int = 0
    multiword: int = 0
    multiword_words: int = 0
    empty_nodes: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    forms: set[str] = field(default_factory=set)
    lemmas: set[str] = field(default_factory=set)
    upos: Counter[str] = field(default_factory=Counter)
    xpos: Counter[str] = field(default_factory=Counter)
    feats: Counter[str] = field(default_factory=Counter)  # single features, Case=Nom
    deprels: Counter[str] = field(default_factory=Counter)
    missing: Counter[str] = field(default_factory=Counter)  # words without a value, by column
    nonprojective: int = 0
    nonprojective_arcs: int = 0
    gap_degrees: Counter[int] = field(default_factory=Counter)  # of projective trees 0
    multiple_roots: int = 0
    no_root: int = 0
    partial: int = 0
    cyclic: int = 0
    distances: Counter[int] = field(default_factory=Counter)  # word minus head: positive if the head comes first
    depths: Counter[int] = field(default_factory=Counter)  # arcs from ROOT to the lowest word

    @property
    def tokens(self) -> int:
        return self.words - self.multiword_words + self.multiword

    @property
    def mean_length(self) -> float:
        return self.words / self.sentences if self.sentences else 0.0

    @property
    def median_length(self) -> float:
        return float(median(self.lengths.elements())) if self.lengths else 0.0

    @property
    def longest(self) -> int:
        return max(self.lengths, default=0)

    @property
    def mean_distance(self) -> float:
        """Of words to their heads, arcs from ROOT not counted."""
        arcs = self.distances.total()
        return sum(abs(d) * n for d, n in self.distances.items()) / arcs if arcs else 0.0

    @property
    def arcs(self) -> int:
        """With a word as head."""
        return self.distances.total()

    @property
    def head_first(self) -> int:
        """Arcs whose head comes before its dependent."""
        return sum(n for d, n in self.distances.items() if d > 0)

    def length_groups(self) -> list[tuple[str, int]]:
        """How many sentences there are of short, longer and very long ones."""
        groups = []
        for low, high in pairwise((*LENGTHS, self.longest + 1)):
            name = f"{low}" if high == low + 1 else f"{low}-{high - 1}" if low != LENGTHS[-1] else f"{low}+"
            groups.append((name, sum(n for length, n in self.lengths.items() if low <= length < high)))
        return [group for group in groups if group[1]]

    def add(self, sentence: Sentence) -> "Stats":
        self.path = self.path or sentence.path
        self.sentences += 1
        self.words += len(sentence)
        self.lengths[len(sentence)] += 1
        for line in sentence.comments:
            key = line[1:].split("=")[0].split()
            self.documents += key[:1] == ["newdoc"]
            self.paragraphs += key[:1] == ["newpar"]
        ranges = sentence.ranges
        self.multiword += len(ranges)
        self.multiword_words += sum(last - first + 1 for first, last, _ in ranges)
        self.empty_nodes += len(sentence.empty_nodes)
        self._add_columns(sentence)
        self._add_tree(sentence.heads)
        return self

    def _add_columns(self, sentence: Sentence) -> None:
        self.forms.update(sentence.forms)
        self.lemmas.update(sentence.lemmas)
        self.lemmas.discard("_")
        for name, column in (("upos", self.upos), ("xpos", self.xpos), ("deprels", self.deprels)):
            column.update(value or "_" for value in getattr(sentence, name))
        for bundle in sentence.feats:
            self.feats.update(bundle.split("|"))
        for name in ("lemmas", "upos", "xpos", "feats"):
            self.missing[name] += getattr(sentence, name).count("_")
        self.missing["deprels"] += sentence.deprels.count(None)
        for column in (self.upos, self.xpos, self.deprels, self.feats):
            del column["_"]

    def _add_tree(self, heads: list[int | None]) -> None:
        roots = heads.count(0)
        unknown = heads.count(None)
        self.partial += unknown > 0
        self.missing["heads"] += unknown
        self.multiple_roots += roots > 1
        self.no_root += not roots and not unknown
        self.distances.update(word - head for word, head in enumerate(heads, start=1) if head)
        try:
            tree = Tree(heads)
        except TreeError:
            self.cyclic += 1
            return
        crossing = 0 if tree.is_projective else len(tree.nonprojective_arcs)
        self.nonprojective += not tree.is_projective
        self.nonprojective_arcs += crossing
        self.gap_degrees[tree.gap_degree if crossing else 0] += 1
        self.depths[_depth(heads)] += 1

    def merge(self, other: "Stats") -> "Stats":
        """Takes in the counts of another file."""
        for name in self.__dataclass_fields__:
            mine, theirs = getattr(self, name), getattr(other, name)
            if isinstance(mine, int):
                setattr(self, name, mine + theirs)
            elif not isinstance(mine, str):
                mine.update(theirs)
        return self


def stats(sentences: Iterable[Sentence], *, path: str = "") -> Stats:
    """Counts over sentences, whether they are read all at once or one at a time."""
    counts = Stats(path)
    for sentence in sentences:
        counts.add(sentence)
    return counts


def _depth(heads: list[int | None]) -> int:
    """Arcs to the lowest word from ROOT, or from a word whose head is not known."""
    depth = [0] * (len(heads) + 1)
    for start in range(1, len(depth)):
        way = []
        word = start
        while word and not depth[word]:
            way.append(word)
            word = heads[word - 1] or 0
        for above, node in enumerate(reversed(way), start=depth[word] + 1):
            depth[node] = above
    return max(depth)
