"""A sentence running across: where words, arcs and labels are, in one row or in several.

Everything is in whole units, cells of a terminal or pixels, which `Sizes` measures.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

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


class Layout:
    """Nodes and arcs of one sentence, to be laid out in rows. Multiword tokens are given as in a Drawing."""

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
        self.label_width = cache(sizes.label)
        self.index = {node.word: i for i, node in enumerate(nodes) if node.word}
        self.ranges = [(self.index[first], self.index[last], form) for first, last, form in ranges]
        self.between = [(self.index[arc.left], self.index[arc.right]) for arc, _ in arcs]
        self.offsets, stems = self._stems()
        self.before, self.after = [], []  # how much room a node takes on each side of its middle
        for node in nodes:
            wide = max(sizes.word(text) for text in node.texts)
            reach = (stems.get(node.word, 1) - 1) * sizes.stem
            self.before.append(max(wide // 2, reach // 2))
            self.after.append(max(wide - wide // 2, reach - reach // 2 + 1))
        self._stretches: dict[tuple[int, int], _Stretch] = {}

    def rows(self, width: int | None) -> list[Row]:
        """As few rows as there can be, and about as long as each other."""
        stretches = self._broken(width)
        if width is not None and len(stretches) > 1:
            # The narrowest width that needs no more rows leaves no word or two for the last.
            low, high = width // 2, width
            while high - low > max(1, width // 16):
                middle = (low + high) // 2
                narrower = self._broken(middle)
                if len(narrower) > len(stretches) or max(stretch.width for stretch in narrower) > width:
                    low = middle
                else:
                    stretches, high = narrower, middle
        return [stretch.row() for stretch in stretches]

    def _broken(self, width: int | None) -> "list[_Stretch]":
        """As many nodes in each row as fit, one at least."""
        stretches: list[_Stretch] = []
        first, end = 0, len(self.nodes) - 1
        while first <= end:
            stretches.append(self._stretch(first, end) if width is None else self._longest(first, width))
            first = stretches[-1].last + 1
        return stretches

    def _longest(self, first: int, width: int) -> "_Stretch":
        least, end = 0, first
        while end < len(self.nodes) and least <= width:
            least += self.sizes.gap + self.before[end] + self.after[end]
            end += 1
        torn = None
        for last in range(end - 1, first, -1):
            stretch = self._stretch(first, last)
            if stretch.fits(width):
                if not any(start <= last < end for start, end, _ in self.ranges):
                    return stretch
                torn = torn or stretch  # a multiword token is torn only if there is no other way
        return torn or self._stretch(first, first)

    def _stretch(self, first: int, last: int) -> "_Stretch":
        if (first, last) not in self._stretches:
            self._stretches[first, last] = _Stretch(self, first, last)
        return self._stretches[first, last]

    def _stems(self) -> tuple[dict[tuple[Arc, int], int], dict[int, int]]:
        """How far from the middle of its word each arc ends, and how many such places each word has.

        From left to right: one stem for all dependents on the left; heads on the left, the nearest first; ROOT;
        heads on the right, the farthest first; one stem for all dependents on the right. So arcs that nest do
        not cross each other where they end.
        """
        at: dict[int, dict[tuple[int, int], list[Arc]]] = {}
        for arc, _ in self.arcs:
            side, order = (0, 0) if arc.upright else (-1, arc.level) if arc.head < arc.word else (1, -arc.level)
            # Two of one word are on one level if gold and wrong arc come from different sides, or are upright.
            at.setdefault(arc.word, {}).setdefault((side, 2 * order + arc.gold), []).append(arc)
            if not arc.upright:
                at.setdefault(arc.head, {}).setdefault((-2 if arc.word < arc.head else 2, 0), []).append(arc)
        offsets = {}
        for word, stems in at.items():
            for i, key in enumerate(sorted(stems)):
                for arc in stems[key]:
                    offsets[arc, word] = i * self.sizes.stem - (len(stems) - 1) * self.sizes.stem // 2
        return offsets, {word: len(stems) for word, stems in at.items()}


# An end of an arc: an index of the nodes and how far from the middle of that node. The edges of a stretch are the
# nodes before and after it.
_End = tuple[int, int]
_Sloping = tuple[Arc, str, _End, _End]
_Upright = tuple[Arc, str, _End]


class _Stretch:
    """Nodes first to last, spread so that labels have room above them."""

    def __init__(self, layout: Layout, first: int, last: int) -> None:
        self.layout = layout
        self.first = first
        self.last = last
        self.sloping: list[_Sloping] = []
        self.upright: list[_Upright] = []
        for (arc, text), (left, right) in zip(layout.arcs, layout.between, strict=True):
            if left > last or right < first:
                continue
            start = (left, layout.offsets[arc, arc.left]) if left >= first else (first - 1, 0)
            if arc.upright:
                self.upright.append((arc, text, start))
            else:
                end = (right, layout.offsets[arc, arc.right]) if right <= last else (last + 1, 0)
                self.sloping.append((arc, text, start, end))
        self.upright.sort(key=lambda item: item[2])
        self.least = [*self._nodes_apart(), *self._tokens_apart(), *self._labels_apart()]
        self.places = self._solve()
        self.finished = False

    def fits(self, width: int) -> bool:
        # Most that do not fit can be told before labels that other arcs cross have found their places.
        return self.places[self.last + 1] <= width and self.width <= width

    @property
    def width(self) -> int:
        if not self.finished:
            self.finished = True
            self._make_room_where_arcs_cross()
        return self.places[self.last + 1]

    def row(self) -> Row:
        layout, width = self.layout, self.width
        stems = self._stem_levels()
        levels = {level: i for i, level in enumerate(sorted({arc.level for arc, _, _, _ in self.sloping}), start=1)}
        spans = []
        for arc, text, start, end in self.sloping:
            free = self._free(arc, start, end, stems)
            # At an edge the line is dotted, and a label would hide it.
            free_from = self._at(free[0]) + layout.sizes.edge * (free[0][0] < self.first)
            free_to = self._at(free[1]) - layout.sizes.edge * (free[1][0] > self.last)
            is_open = start[0] < self.first, end[0] > self.last
            label = free_from + (free_to - free_from - layout.label_width(text) + 1) // 2
            spans.append(Span(arc, text, levels[arc.level], self._at(start), self._at(end), label, *is_open))
        for arc, text, place in self.upright:
            wide = layout.label_width(text)
            label = self._at(place) - wide // 2
            under = [span.level for span in spans if span.start <= label + wide and span.end >= label]
            spans.append(Span(arc, text, max(under, default=0) + 1, self._at(place), self._at(place), label))
        nodes = tuple((layout.nodes[i], self.places[i]) for i in range(self.first, self.last + 1))
        return Row(nodes, tuple(spans), width, max((span.level for span in spans), default=0))

    # Distances that must be kept: from, to, at least.

    def _nodes_apart(self) -> Iterator[tuple[_End, _End, int]]:
        before, after = self.layout.before, self.layout.after
        yield (self.first - 1, 0), (self.first, 0), before[self.first]
        for i in range(self.first, self.last):
            yield (i, 0), (i + 1, 0), after[i] + self.layout.sizes.gap + before[i + 1]
        yield (self.last, 0), (self.last + 1, 0), after[self.last]

    def _tokens_apart(self) -> Iterator[tuple[_End, _End, int]]:
        for start, end, form in self.layout.ranges:
            left, right = max(start, self.first), min(end, self.last)
            wide = self.layout.sizes.word(form)
            if left < right:
                yield (left, -self.layout.before[left]), (right, self.layout.after[right]), wide
            elif left == right:
                yield (self.first - 1, 0), (left, 0), wide // 2
                yield (left, 0), (self.last + 1, 0), wide - wide // 2

    def _labels_apart(self) -> Iterator[tuple[_End, _End, int]]:
        for _, text, start, end in self.sloping:
            yield start, end, self._long_enough(text, start, end)
        previous, room = (self.first - 1, 0), 0
        for _, text, place in self.upright:
            wide = self.layout.label_width(text)
            if place[0] != previous[0]:
                yield previous, place, room + wide // 2
            previous, room = place, wide - wide // 2 + self.layout.sizes.gap
        yield previous, (self.last + 1, 0), max(0, room - self.layout.sizes.gap)

    def _make_room_where_arcs_cross(self) -> None:
        stems = self._stem_levels()
        for arc, text, start, end in self.sloping:
            free = self._free(arc, start, end, stems)
            if free != (start, end):
                self.least.append((*free, self._long_enough(text, *free)))
        self.places = self._solve()

    def _long_enough(self, text: str, start: _End, end: _End) -> int:
        sizes = self.layout.sizes
        edges = (start[0] < self.first) + (end[0] > self.last)
        return self.layout.label_width(text) + sizes.pad + edges * sizes.edge

    def _solve(self) -> dict[int, int]:
        """The places that keep all distances, each as far left as can be."""
        places = {self.first - 1: 0}
        for start, end, distance in sorted(self.least, key=lambda item: item[1][0]):
            place = places[start[0]] + start[1] + distance - end[1]
            places[end[0]] = max(places.get(end[0], 0), place)
        return places

    def _at(self, end: _End) -> int:
        return self.places[end[0]] + end[1]

    def _stem_levels(self) -> list[tuple[_End, int]]:
        """How high the arcs at each end go, from left to right."""
        stems = {place: len(self.layout.arcs) + 1 for _, _, place in self.upright}  # above all others
        for arc, _, *ends in self.sloping:
            for end in ends:
                stems[end] = max(stems.get(end, 0), arc.level)
        return sorted(stems.items())

    def _free(self, arc: Arc, start: _End, end: _End, stems: Sequence[tuple[_End, int]]) -> tuple[_End, _End]:
        """The longest stretch of an arc that no other one crosses; one that can be made longer if need be."""
        crossed = [stem for stem, level in stems if level > arc.level and start < stem < end]
        pairs = zip([start, *crossed], [*crossed, end], strict=True)
        return max(pairs, key=lambda pair: (pair[0][0] != pair[1][0], self._at(pair[1]) - self._at(pair[0])))
