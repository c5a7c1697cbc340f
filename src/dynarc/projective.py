"""Pseudo-projective trees (Nivre & Nilsson 2005): non-projective arcs are lifted before training and put back after
parsing, by marks that the parser learns along with the labels.

>>> tree = Tree([2, 0, 5, 2, 2], ["nsubj", "root", "nmod", "advmod", "obj"])
>>> lifted = projectivize(tree, "head+path")
>>> lifted.heads
(2, 0, 2, 2, 2)
>>> print(*(f"{deprel}{mark}" for deprel, mark in zip(lifted.deprels, lifted.marks, strict=True)))
nsubj root nmod↑obj advmod obj↓
>>> deprojectivize(lifted) == tree
True
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

from dynarc import _core
from dynarc.errors import ConfigError, TreeError
from dynarc.tree import UNKNOWN, Tree

Encoding = Literal["baseline", "head", "path", "head+path"]
ChildOrder = Literal["left-to-right", "distance"]

ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
CHILD_ORDERS: tuple[ChildOrder, ...] = get_args(ChildOrder)

_CHILD_ORDER: ChildOrder = "distance"
_MIN_COUNT = 3

_Encoded = tuple[int, int, bool, bool]  # how the engine writes a label: label, lifted_to, lifted, passed


@dataclass(frozen=True, slots=True)
class Mark:
    """What became of the arc into a word. It stands beside the label, never inside it: labels may hold any character.

    `lifted`: the arc was lifted, from a head whose own label is `lifted_to` (None where the encoding does not say).
    `passed`: lifts have passed over the arc, that is, the word has lost dependents to its head.

    >>> print(Mark(lifted=True, lifted_to="nsubj", passed=True))  # for people only
    ↑nsubj↓
    """

    lifted: bool = False
    lifted_to: str | None = None
    passed: bool = False

    def __str__(self) -> str:
        up = f"↑{self.lifted_to or ''}" if self.lifted else ""
        return up + ("↓" if self.passed else "")


_PLAIN = Mark()


@dataclass(frozen=True, slots=True)
class LiftedTree:
    """A tree after lifting, or as a parser predicts it: heads, labels as they were, and the marks of each word."""

    heads: tuple[int, ...]
    deprels: tuple[str | None, ...] | None
    marks: tuple[Mark, ...]
    encoding: Encoding
    sent_id: str | None = None

    def __post_init__(self) -> None:
        _require_encoding(self.encoding)
        if self.deprels is not None and len(self.deprels) != len(self.heads):
            raise TreeError(f"{_where(self)}there are {len(self.heads)} heads but {len(self.deprels)} labels")
        if len(self.marks) != len(self.heads):
            raise TreeError(f"{_where(self)}there are {len(self.heads)} heads but {len(self.marks)} marks")

    @property
    def tree(self) -> Tree:
        """The tree without its marks, still lifted."""
        return Tree(self.heads, self.deprels, sent_id=self.sent_id)

    def __len__(self) -> int:
        return len(self.heads)


def projectivize(tree: Tree, encoding: Encoding = "head+path") -> LiftedTree:
    """Lifts non-projective arcs, always the shortest, to the head of their head, until the tree is projective.

    `encoding` says what the marks tell: "baseline" nothing (labels as they were, nothing to be undone), "head" the
    label of the original head, "path" that an arc was lifted and over which arcs, "head+path" both. Raises TreeError
    for partial trees, and for trees without the labels that "head" and "head+path" are made of.

    >>> projectivize(Tree([0, 4, 1, 1]), "path").marks[3]
    Mark(lifted=False, lifted_to=None, passed=True)
    """
    _require_encoding(encoding)
    if tree.deprels is None and encoding in ("head", "head+path"):
        raise TreeError(f"{_where(tree)}encoding {encoding!r} needs labels, and this tree has none")
    names = _Names()
    labels = [UNKNOWN] * len(tree) if tree.deprels is None else [names.number(deprel) for deprel in tree.deprels]
    try:
        heads, encoded = _core.projectivize(tree.engine_heads, labels, encoding)
    except TreeError as error:
        raise TreeError(f"{_where(tree)}{error}") from None
    marks = tuple(names.mark(label) for label in encoded)
    return LiftedTree(tuple(heads), tree.deprels, marks, encoding, tree.sent_id)


def deprojectivize(lifted: LiftedTree, *, children: ChildOrder = _CHILD_ORDER) -> Tree:
    """Moves every lifted word to the first node below its head that its mark fits, and strips the marks.

    The marks may be anything, since parsers err: the result is a tree in any case, and a word that fits nowhere stays
    where it is. `children` is the order in which the breadth-first search tries the dependents of a node: nearest to
    the lifted word first, or from left to right.
    """
    if children not in CHILD_ORDERS:
        raise ConfigError(f"unknown order {children!r}", "children", CHILD_ORDERS)
    try:
        heads = _core.deprojectivize(
            lifted.heads, _Names().encode(lifted), lifted.encoding, by_distance=children == "distance"
        )
    except TreeError as error:
        raise TreeError(f"{_where(lifted)}{error}") from None
    return Tree(heads, lifted.deprels, sent_id=lifted.sent_id)


class EncodedLabels:
    """The labels with marks that occur in lifted trees, each with a dense number: the classes of a parser.

    Those that occur fewer than `min_count` times are too rare to be learned: their arcs keep the label and lose the
    marks. Plain labels come first, by name, then the others; the order of the trees does not matter.

    >>> lifted = projectivize(Tree([2, 0, 5, 2, 2], ["nsubj", "root", "nmod", "advmod", "obj"]))
    >>> classes = EncodedLabels([lifted, lifted], min_count=2)
    >>> [deprel + str(mark) for deprel, mark in classes]
    ['advmod', 'nsubj', 'root', 'nmod↑obj', 'obj↓']
    >>> len(EncodedLabels([lifted, lifted], min_count=3))
    5
    """

    def __init__(self, trees: Iterable[LiftedTree], *, min_count: int = _MIN_COUNT) -> None:
        if min_count < 1:
            raise ConfigError(f"min_count is {min_count}, but must be 1 or more", "min_count")
        lifted = list(trees)
        self._names = _Names()
        for name in sorted({deprel for tree in lifted for deprel in tree.deprels or () if deprel is not None}):
            self._names.number(name)
        counter = _core.EncodedLabelCounter()
        for tree in lifted:
            counter.add(self._names.encode(tree))
        self._classes = counter.keep(min_count)

    def __len__(self) -> int:
        return len(self._classes)

    def __getitem__(self, number: int) -> tuple[str | None, Mark]:
        encoded = self._classes[number]
        return self._names.name(encoded[0]), self._names.mark(encoded)

    def __iter__(self) -> Iterator[tuple[str | None, Mark]]:
        return (self[number] for number in range(len(self)))

    def find(self, deprel: str | None, mark: Mark = _PLAIN) -> int | None:
        """The number of a label with its marks or, if that is rare, of the label alone; None if that is new too."""
        found = self._classes.find(self._names.encode_one(deprel, mark))
        return None if found < 0 else found

    def rewrite(self, tree: LiftedTree) -> LiftedTree:
        """The tree without the marks that are too rare."""
        encoded = self._classes.rewrite(self._names.encode(tree))
        return replace(tree, marks=tuple(self._names.mark(label) for label in encoded))


@dataclass(frozen=True, slots=True)
class Restoration:
    """What an encoding costs and what it is worth, with gold marks: the most that a parser could restore."""

    encoding: Encoding
    children: ChildOrder
    min_count: int
    sentences: int
    words: int
    lifted_sentences: int
    lifted: int  # arcs
    restored: int  # of these, how many have their original head again
    classes: int  # labels with their marks

    @property
    def share(self) -> float:
        """Of the lifted arcs, those that were restored; 1 where there was nothing to restore."""
        return self.restored / self.lifted if self.lifted else 1.0


def restorations(
    trees: Iterable[Tree], *, children: ChildOrder = _CHILD_ORDER, min_count: int = _MIN_COUNT
) -> tuple[Restoration, ...]:
    """Lifts a whole treebank and puts everything back, once with each encoding.

    >>> tree = Tree([2, 0, 5, 2, 2], ["nsubj", "root", "nmod", "advmod", "obj"])
    >>> for row in restorations([tree], min_count=1):
    ...     print(f"{row.encoding:9}  {row.classes} classes, {row.restored} of {row.lifted} restored")
    baseline   5 classes, 0 of 1 restored
    head       5 classes, 1 of 1 restored
    path       5 classes, 1 of 1 restored
    head+path  5 classes, 1 of 1 restored
    """
    gold = list(trees)
    return tuple(_restoration(gold, encoding, children, min_count) for encoding in ENCODINGS)


def _restoration(gold: list[Tree], encoding: Encoding, children: ChildOrder, min_count: int) -> Restoration:
    lifted = [projectivize(tree, encoding) for tree in gold]
    classes = EncodedLabels(lifted, min_count=min_count)
    sentences = arcs = restored = 0
    for before, between in zip(gold, lifted, strict=True):
        if between.heads == before.heads:
            continue
        after = deprojectivize(classes.rewrite(between), children=children)
        moved = [word for word, head in enumerate(before.heads) if between.heads[word] != head]
        sentences += 1
        arcs += len(moved)
        restored += sum(after.heads[word] == before.heads[word] for word in moved)
    return Restoration(
        encoding,
        children,
        min_count,
        sentences=len(gold),
        words=sum(map(len, gold)),
        lifted_sentences=sentences,
        lifted=arcs,
        restored=restored,
        classes=len(classes),
    )


class _Names:
    """Labels as the engine takes them: numbers, in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[str | None, int] = {None: UNKNOWN}
        self._names: list[str] = []

    def number(self, name: str | None) -> int:
        found = self._numbers.get(name)
        if found is None:
            assert name is not None
            found = self._numbers[name] = len(self._names)
            self._names.append(name)
        return found

    def name(self, number: int) -> str | None:
        return None if number == UNKNOWN else self._names[number]

    def encode_one(self, deprel: str | None, mark: Mark) -> _Encoded:
        # What an arc was lifted to means nothing if it was not lifted.
        return self.number(deprel), self.number(mark.lifted_to if mark.lifted else None), mark.lifted, mark.passed

    def encode(self, tree: LiftedTree) -> list[_Encoded]:
        deprels = tree.deprels or (None,) * len(tree)
        return [self.encode_one(deprel, mark) for deprel, mark in zip(deprels, tree.marks, strict=True)]

    def mark(self, encoded: _Encoded) -> Mark:
        _, lifted_to, lifted, passed = encoded
        return Mark(lifted, self.name(lifted_to), passed) if lifted or passed else _PLAIN


def _require_encoding(encoding: str) -> None:
    if encoding not in ENCODINGS:
        raise ConfigError(f"unknown encoding {encoding!r}", "encoding", ENCODINGS)


def _where(tree: Tree | LiftedTree) -> str:
    return "" if tree.sent_id is None else f"sentence {tree.sent_id}: "
