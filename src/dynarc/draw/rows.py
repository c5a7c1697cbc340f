"""A sentence running across: where words, arcs and labels are, in one row or in several.

Everything is in whole units, cells of a terminal or pixels, which `Sizes` measures.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from dynarc.draw.layout import Arc
from dynarc.draw.model import Drawing


@dataclass(frozen=True, slots=True)
class Sizes:
    """How wide things are."""

    word: Callable[[str], int]
    label: Callable[[str], int]
    gap: int  # between words
    stem: int  # between two arcs that end at one word
    pad: int  # what the line of an arc is longer than its label
    edge: int  # how much longer where it goes on in another row


@dataclass(frozen=True, slots=True)
class Node:
    """A word or, with word 0, an empty node, and the texts below each other there."""

    word: int
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Span:
    """An arc in one row, or what can be seen of it there: an open end is in another row."""

    arc: Arc
    text: str
    level: int
    start: int
    end: int
    label: int  # where the label begins
    open_start: bool = False
    open_end: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Some nodes, each with the middle of its place, and the arcs above them, the lowest first."""

    nodes: tuple[tuple[Node, int], ...]
    spans: tuple[Span, ...]
    width: int
    levels: int

    @property
    def words(self) -> dict[int, int]:
        """The place of each word."""
        return {node.word: place for node, place in self.nodes if node.word}


def nodes_of(drawing: Drawing, empty: Callable[[str], str]) -> list[Node]:
    """Words with their tags, and the empty nodes between them, whose forms `empty` makes recognizable."""
    nodes = []
    for word in range(len(drawing) + 1):
        if word:
            tag = () if drawing.tags is None else (drawing.tags[word - 1],)
            nodes.append(Node(word, (drawing.forms[word - 1], *tag)))
        nodes += [Node(0, (empty(form),)) for before, _, form in sorted(drawing.empty) if before == word]
    return nodes


# The end of a span: an index of the nodes and how far from its middle.
_End = tuple[int, int]


class Layout:
    """Nodes and arcs of one sentence, to be laid out in rows."""

    def __init__(
        self,
        nodes: Sequence[Node],
        arcs: Sequence[tuple[Arc, str]],
        *,
        ranges: Sequence[tuple[int, int, str]],
        sizes: Sizes,
    ) -> None:
        self.nodes = nodes
        self.arcs = arcs
        self.sizes = sizes
        self.index = {node.word: i for i, node in enumerate(nodes) if node.word}
        self.ranges = [(self.index[first], self.index[last], form) for first, last, form in ranges]
        self.offsets, stems = self._stems()
        self.before, self.after = [], []  # how much room a node takes on each side of its middle
        for node in nodes:
            wide = max(sizes.word(text) for text in node.texts)
            reach = (stems.get(node.word, 1) - 1) * sizes.stem
            self.before.append(max(wide // 2, reach // 2))
            self.after.append(max(wide - wide // 2, reach - reach // 2 + 1))

    def rows(self, width: int | None) -> Iterator[Row]:
        """As many nodes in each row as fit, one at least."""
        first = 0
        while first < len(self.nodes):
            row, last = self._row(first, len(self.nodes) - 1), len(self.nodes) - 1
            if width is not None and row.width > width:
                row, last = self._longest(first, width)
            yield row
            first = last + 1

    def _longest(self, first: int, width: int) -> tuple[Row, int]:
        best, whole = (self._row(first, first), first), None
        used = 0
        for last in range(first + 1, len(self.nodes)):
            used += self.before[last - 1] + self.after[last - 1] + self.sizes.gap
            if used > width:
                break
            # One word more can need less room: arcs that end in this row need no edges.
            row = self._row(first, last)
            if row.width <= width:
                best = row, last
                if not any(start <= last < end for start, end, _ in self.ranges):
                    whole = best
        return whole or best

    def _row(self, first: int, last: int) -> Row:
        here = [
            (arc, text)
            for arc, text in self.arcs
            if self.index[arc.left] <= last
            and self.index[arc.right] >= first
            and not (arc.upright and not first <= self.index[arc.left] <= last)
        ]
        sloping = [(arc, text, self._ends(arc, first, last)) for arc, text in here if not arc.upright]
        upright = [(arc, text, self._end(arc, arc.word)) for arc, text in here if arc.upright]
        upright.sort(key=lambda item: item[2])
        least = [
            *self._apart(first, last),
            *self._room(sloping, first, last),
            *self._upright_room(upright, first, last),
        ]
        places = self._solve(least, first, last)
        levels = {level: i for i, level in enumerate(sorted({arc.level for arc, _, _ in sloping}), start=1)}

        stems: dict[_End, int] = {end: len(self.arcs) + 1 for _, _, end in upright}
        for arc, _, ends in sloping:
            for end in ends:
                stems[end] = max(stems.get(end, 0), arc.level)
        ordered = sorted(stems)

        def free(arc: Arc, start: _End, end: _End) -> tuple[_End, _End]:
            """The longest stretch of an arc that no other one crosses."""
            crossed = [stem for stem in ordered if start < stem < end and stems[stem] > arc.level]
            pairs = list(zip([start, *crossed], [*crossed, end], strict=True))
            return max(
                pairs,
                key=lambda pair: (pair[0][0] != pair[1][0], self._at(pair[1], places) - self._at(pair[0], places)),
            )

        for arc, text, (start, end) in sloping:
            pair = free(arc, start, end)
            if pair != (start, end):
                least.append((*pair, self._long_enough(text, pair, first, last)))
        places = self._solve(least, first, last)

        spans = []
        for arc, text, (start, end) in sloping:
            x, y = (self._at(end, places) for end in free(arc, start, end))
            x += self.sizes.edge * (start[0] < first)
            y -= self.sizes.edge * (end[0] > last)
            label = x + (y - x - self.sizes.label(text) + 1) // 2
            open_ends = start[0] < first, end[0] > last
            spans.append(
                Span(arc, text, levels[arc.level], self._at(start, places), self._at(end, places), label, *open_ends)
            )
        for arc, text, place in upright:
            x = self._at(place, places)
            wide = self.sizes.label(text)
            label = x - wide // 2
            under = [s.level for s in spans if s.start <= label + wide and s.end >= label]
            spans.append(Span(arc, text, max(under, default=0) + 1, x, x, label))
        nodes = tuple((self.nodes[i], places[i]) for i in range(first, last + 1))
        return Row(nodes, tuple(spans), places[last + 1], max((span.level for span in spans), default=0))

    # Distances. Each is (end, end, least distance); the edges of the row are the nodes before and after it.

    def _apart(self, first: int, last: int) -> Iterator[tuple[_End, _End, int]]:
        yield (first - 1, 0), (first, 0), self.before[first]
        for i in range(first, last):
            yield (i, 0), (i + 1, 0), self.after[i] + self.sizes.gap + self.before[i + 1]
        yield (last, 0), (last + 1, 0), self.after[last]
        for start, end, form in self.ranges:
            if start <= last and end >= first:
                i, j = max(start, first), min(end, last)
                wide = self.sizes.word(form)
                if i < j:
                    yield (i, -self.before[i]), (j, self.after[j]), wide
                else:
                    yield (first - 1, 0), (i, 0), wide // 2
                    yield (i, 0), (last + 1, 0), wide - wide // 2

    def _room(
        self, spans: Sequence[tuple[Arc, str, tuple[_End, _End]]], first: int, last: int
    ) -> Iterator[tuple[_End, _End, int]]:
        for _, text, (start, end) in spans:
            yield start, end, self._long_enough(text, (start, end), first, last)

    def _upright_room(
        self, spans: Sequence[tuple[Arc, str, _End]], first: int, last: int
    ) -> Iterator[tuple[_End, _End, int]]:
        previous, room = (first - 1, 0), 0
        for _, text, place in spans:
            wide = self.sizes.label(text)
            if place[0] != previous[0]:
                yield previous, place, room + wide // 2
            previous, room = place, wide - wide // 2 + self.sizes.gap
        yield previous, (last + 1, 0), max(0, room - self.sizes.gap)

    def _long_enough(self, text: str, pair: tuple[_End, _End], first: int, last: int) -> int:
        edges = (pair[0][0] < first) + (pair[1][0] > last)
        return self.sizes.label(text) + self.sizes.pad + edges * self.sizes.edge

    def _solve(self, least: Sequence[tuple[_End, _End, int]], first: int, last: int) -> dict[int, int]:
        """The places that keep all distances, each as far left as can be."""
        places = {first - 1: 0}
        for start, end, distance in sorted(least, key=lambda item: item[1][0]):
            place = places[start[0]] + start[1] + distance - end[1]
            places[end[0]] = max(places.get(end[0], 0), place)
        return places

    def _at(self, end: _End, places: dict[int, int]) -> int:
        return places[end[0]] + end[1]

    # Where arcs end.

    def _ends(self, arc: Arc, first: int, last: int) -> tuple[_End, _End]:
        left, right = self._end(arc, arc.left), self._end(arc, arc.right)
        return left if left[0] >= first else (first - 1, 0), right if right[0] <= last else (last + 1, 0)

    def _end(self, arc: Arc, word: int) -> _End:
        return self.index[word], self.offsets[arc, word]

    def _stems(self) -> tuple[dict[tuple[Arc, int], int], dict[int, int]]:
        """How far from the middle of its word each arc ends, and how many such places each word has.

        From left to right: one stem for all dependents on the left; heads on the left, the nearest first; ROOT;
        heads on the right, the farthest first; one stem for all dependents on the right. So arcs that nest do
        not cross each other where they end.
        """
        at: dict[int, dict[tuple[int, int], list[Arc]]] = {}
        for arc, _ in self.arcs:
            into = (0, 0) if arc.upright else (-1, arc.level) if arc.head < arc.word else (1, -arc.level)
            at.setdefault(arc.word, {}).setdefault((into[0], into[1] * 2 + arc.gold), []).append(arc)
            if not arc.upright:
                out = (-2, 0) if arc.word < arc.head else (2, 0)
                at.setdefault(arc.head, {}).setdefault(out, []).append(arc)
        offsets = {}
        for word, stems in at.items():
            for i, key in enumerate(sorted(stems)):
                for arc in stems[key]:
                    offsets[arc, word] = i * self.sizes.stem - (len(stems) - 1) * self.sizes.stem // 2
        return offsets, {word: len(stems) for word, stems in at.items()}
