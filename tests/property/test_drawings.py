"""Whatever the heads and the words are, a drawing shows them all, and what it shows is what there is."""

import re
import unicodedata
from collections.abc import Sequence
from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from dynarc import Tree
from dynarc.audit import cycles
from dynarc.draw import Drawing, Mark
from dynarc.draw.layout import arcs_of, crossing_words, cut_words
from dynarc.draw.rows import Layout, Sizes, nodes_of
from dynarc.draw.svg import to_svg
from dynarc.draw.terminal import arcs, vertical
from dynarc.draw.text import visible

from .strategies import stable, tree_heads

Heads = Sequence[int | None]

any_heads = st.integers(1, 14).flatmap(
    lambda words: st.lists(st.none() | st.integers(0, words), min_size=words, max_size=words)
)


def drawn(heads: Heads, marks: Sequence[Mark | None] | None = None) -> Drawing:
    """Words w01, w02, ... and labels x01, x02, ..., so that each can be found again."""
    numbers = [f"{word:02}" for word in range(1, len(heads) + 1)]
    forms, labels = tuple(f"w{n}" for n in numbers), tuple(f"x{n}" for n in numbers)
    return Drawing(forms, tuple(heads), labels, marks=None if marks is None else tuple(marks))


@st.composite
def compared(draw: st.DrawFn) -> Drawing:
    """Any heads, some of them wrong."""
    heads = draw(any_heads)
    marks = []
    for head in heads:
        gold = draw(st.integers(0, len(heads)))
        marks.append(draw(st.sampled_from([None, Mark("head" if head != gold else "label", gold, "gold")])))
    return drawn(heads, marks)


# Down the page.

UP, DOWN = "╰├┴┼│", "╭├┬┼│"
JOINS = "╭├╰┬┴┼"


def read_down(lines: Sequence[str], heads: Heads) -> list[int | None]:
    """The heads of a drawing down the page, from its lines alone; where ↻ cuts a cycle, from the column."""
    number = len(str(len(heads)))
    grid = [line[number + 1 : line.index("w") - 1] for line in lines]
    into: list[tuple[int, int] | None] = []  # where the arc of each word begins
    own: dict[tuple[int, int], int] = {}  # where the line of its dependents does
    found: list[int | None] = []
    for row, cells in enumerate(grid):
        start = len(cells.rstrip()) - 1
        while start >= 0 and cells[start] != " ":
            start -= 1
        run = range(start + 1, len(cells))
        joins = [(row, x) for x in run if cells[x] in JOINS]
        has_head, from_edge = cells.endswith("▶"), cells[0] not in " │" and start < 0
        hangs = has_head and not from_edge
        into.append(joins.pop(0) if hangs else None)
        own.update(dict.fromkeys(joins, row + 1))
        cut = int(lines[row].split()[-2]) if cells.startswith("↻") else 0
        found.append(cut if from_edge and has_head else None)
        assert len(joins) <= 1
    for row, place in enumerate(into):
        if place is not None:
            found[row] = own[_follow(grid, place, own)]
    return found


def _follow(grid: Sequence[str], place: tuple[int, int], own: dict[tuple[int, int], int]) -> tuple[int, int]:
    """The place on the same upright line where a word has its own join."""
    row, x = place
    rows = [row]
    while grid[rows[0]][x] in UP:
        rows.insert(0, rows[0] - 1)
    while grid[rows[-1]][x] in DOWN:
        rows.append(rows[-1] + 1)
    [at] = [(row, x) for row in rows if (row, x) in own]
    return at


@stable(100)
@given(any_heads)
def test_what_is_drawn_down_the_page_can_be_read_back(heads: Heads) -> None:
    lines = [line.plain for line in vertical(drawn(heads))]
    assert read_down(lines, heads) == list(heads)
    for word, (line, head) in enumerate(zip(lines, heads, strict=True), start=1):
        assert line.split()[0] == str(word)
        assert line.split()[-3:] == [f"w{word:02}", "_" if head is None else str(head), f"x{word:02}"]


@stable(100)
@given(any_heads)
def test_ascii_is_the_same_in_other_characters(heads: Heads) -> None:
    for style in (vertical, arcs):
        lines = [line.plain for line in style(drawn(heads), ascii=True)]
        assert all(map(str.isascii, lines))
        assert list(map(len, lines)) == [len(line.plain) for line in style(drawn(heads))]


# Across the page.


def read_across(lines: Sequence[str]) -> dict[int, tuple[int, str]]:
    """The head and the label of each word that has one, by following lines."""
    wide = max(map(len, lines))
    *grid, words = [line.ljust(wide) for line in lines]
    at = {x: int(found[1]) for found in re.finditer(r"w(\d\d)", words) for x in range(*found.span())}
    found = {}
    for x in [x for x in range(wide) if grid and grid[-1][x] == "▼"]:
        row = len(grid) - 2
        while grid[row][x] == "│":
            row -= 1
        if grid[row][x] in "╭╮":
            step, ends = (1, "╮┤") if grid[row][x] == "╭" else (-1, "╭├")
            end = x + step
            while grid[row][end] not in ends:
                end += step
            [label] = re.findall(r"x\d\d", grid[row][min(x, end) : max(x, end)])
            found[at[x]] = at[end], label
        else:
            label = re.findall(r"↻?x\d\d", grid[row][max(0, x - 3) : x + 4])
            found[at[x]] = (at[x] if "↻" in label[0] else 0), label[0].lstrip("↻")
    return found


@stable(100)
@given(any_heads)
def test_what_is_drawn_across_the_page_can_be_read_back(heads: Heads) -> None:
    known = {word: (head, f"x{word:02}") for word, head in enumerate(heads, start=1) if head is not None}
    assert read_across([line.plain for line in arcs(drawn(heads))]) == known


@stable(100)
@given(compared(), st.integers(26, 60))
def test_wrapped_lines_keep_to_the_width(drawing: Drawing, width: int) -> None:
    lines = [line.plain for line in arcs(drawing, width=width)]
    assert max(map(cell_len, lines)) <= width
    text = "\n".join(lines)
    for form, head, label in zip(drawing.forms, drawing.heads, drawing.deprels, strict=True):
        assert text.count(form) == 1
        assert label is not None
        assert head is None or label in text
    for word in range(1, len(drawing) + 1):
        mark = drawing.mark(word)
        if mark and mark.wrong == "head":
            assert "✓gold" in text


@stable(100)
@given(compared(), st.none() | st.integers(20, 60))
def test_labels_have_room(drawing: Drawing, width: int | None) -> None:
    """No label touches another one, nor an arc that crosses its own; arcs of one level do not overlap."""
    sizes = Sizes(word=len, label=len, gap=1, stem=1, pad=1, edge=2)
    labelled = [(arc, f"x{arc.word:02}") for arc in arcs_of(drawing)]
    rows = Layout(nodes_of(drawing, str), labelled, ranges=(), sizes=sizes).rows(width)
    assert [node.word for row in rows for node, _ in row.nodes] == list(range(1, len(drawing) + 1))
    for row in rows:
        spans = [span for span in row.spans if not span.arc.upright]
        tops: dict[int, int] = {}
        for span in row.spans:
            for x, is_open in ((span.start, span.open_start), (span.end, span.open_end)):
                tops[x] = max(tops.get(x, 0), 0 if is_open else span.level)
        for span in spans:
            assert span.start < span.label or (span.open_start and span.start <= span.label)
            assert span.label + len(span.text) <= span.end
            assert all(tops.get(x, 0) <= span.level for x in range(span.label, span.label + len(span.text)))
            same = [other for other in spans if other.level == span.level and other is not span]
            assert all(other.end < span.start or other.start > span.end for other in same)


@stable(100)
@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=12)), min_size=1, max_size=6), st.integers(20, 40))
def test_any_text_is_harmless_and_keeps_to_the_width(texts: Sequence[tuple[str, str]], width: int) -> None:
    forms, labels = zip(*texts, strict=True)
    heads = tuple(range(len(forms)))
    drawing = Drawing(forms, heads, labels, tags=labels, ranges=((1, len(forms), forms[0]),), empty=((0, 1, forms[0]),))
    across = [line.plain for line in arcs(drawing, width=width)]
    assert max(map(cell_len, across)) <= width
    for line in [*across, *(line.plain for line in vertical(drawing))]:
        assert not [char for char in line if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")]
    picture = ElementTree.fromstring(to_svg(drawing))
    words = [text.text or "" for text in picture.iter() if text.get("class") == "word"]
    assert words == [visible(form) for form in forms]


@stable(100)
@given(compared(), st.none() | st.integers(100, 600))
def test_pictures_have_every_arc(drawing: Drawing, width: int | None) -> None:
    picture = ElementTree.fromstring(to_svg(drawing, width=width))
    kinds = [(group.get("class"), group.get("data-head"), group.get("data-word")) for group in picture.iter()]
    found = {(kind.split()[-1] == "gold", head, word) for kind, head, word in kinds if kind and kind.startswith("arc")}
    assert found == {(arc.gold, str(arc.head), str(arc.word)) for arc in arcs_of(drawing)}


# What arcs are blamed for.


@stable(100)
@given(tree_heads(12))
def test_crossing_is_what_the_audit_calls_not_projective(heads: Heads) -> None:
    assert crossing_words(heads) == {word for _, word in Tree(heads).nonprojective_arcs}


@stable(100)
@given(any_heads)
def test_every_cycle_is_cut_once(heads: Heads) -> None:
    assert cut_words(heads) == {min(ring) for ring in cycles(heads)}
