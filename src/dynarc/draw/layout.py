"""Where arcs go, whatever they are drawn with: their levels, which of them cross, how a sentence is broken."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dynarc.draw.model import Drawing


@dataclass(frozen=True, slots=True)
class Arc:
    """From `head` to `word`, drawn `level` steps above the words, 1 being the lowest.

    Arcs from ROOT and from a word to itself have no length: they come down from a level of their own, which
    is not known before the words have places. `gold` is for the arc that should be there and is not.
    """

    head: int
    word: int
    level: int = 0
    crossing: bool = False
    gold: bool = False

    @property
    def left(self) -> int:
        return min(self.head, self.word) if self.head else self.word

    @property
    def right(self) -> int:
        return max(self.head, self.word)

    @property
    def upright(self) -> bool:
        return self.left == self.right


def arcs_of(drawing: Drawing) -> list[Arc]:
    """The arcs of a drawing by length, gold ones where the head is wrong, with their levels."""
    crossing = crossing_words(drawing.heads)
    arcs = [
        Arc(head, word, crossing=word in crossing)
        for word, head in enumerate(drawing.heads, start=1)
        if head is not None
    ]
    for word in range(1, len(drawing) + 1):
        mark = drawing.mark(word)
        if mark and mark.wrong == "head":
            arcs.append(Arc(mark.head, word, gold=True))
    return with_levels(arcs)


def with_levels(arcs: Sequence[Arc]) -> list[Arc]:
    """Each arc as low as it can be above all shorter ones that it shares a stretch with.

    So nested arcs nest, and arcs that cross have different levels. Arcs that meet at a word share none.
    """
    top: dict[int, int] = {}  # of each gap between two words, by the word before it
    placed = []
    for arc in sorted(arcs, key=lambda arc: (arc.right - arc.left, arc.left, arc.gold)):
        gaps = range(arc.left, arc.right)
        level = max((top.get(gap, 0) for gap in gaps), default=-1) + 1
        top.update(dict.fromkeys(gaps, level))
        placed.append(replace(arc, level=level))
    return placed


def crossing_words(heads: Sequence[int | None]) -> set[int]:
    """The words whose arcs are not projective: some word under the arc hangs outside of it, and not on its head.

    For trees that is the definition of Nivre & Nilsson 2005. A word without a head hangs nowhere, and words
    in a cycle may hang on each other, so no arc is blamed for covering them.

    >>> crossing_words([0, 4, 1, 1])
    {2}
    """
    found = set()
    for word, head in enumerate(heads, start=1):
        if not head:
            continue
        left, right = min(word, head), max(word, head)
        for inner in range(left + 1, right):
            above = heads[inner - 1]
            if above is not None and not left <= above <= right and not _hangs_on(heads, above, head):
                found.add(word)
                break
    return found


def _hangs_on(heads: Sequence[int | None], word: int | None, ancestor: int) -> bool:
    for _ in heads:  # in a cycle the way up has no end
        if not word or word == ancestor:
            break
        word = heads[word - 1]
    return word == ancestor


def cut_words(heads: Sequence[int | None]) -> set[int]:
    """The first word of every cycle: without their arcs the others are a forest.

    >>> cut_words([2, 3, 1, 0, 5])
    {1, 5}
    """
    found = set()
    seen: dict[int, int] = {}  # in which walk
    for start in range(1, len(heads) + 1):
        word: int | None = start
        while word and word not in seen:
            seen[word] = start
            word = heads[word - 1]
        if word and seen[word] == start:
            ring = [word]
            while (above := heads[ring[-1] - 1]) and above != word:
                ring.append(above)
            found.add(min(ring))
    return found
