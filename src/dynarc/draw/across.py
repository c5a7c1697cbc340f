"""A tree for a terminal, across the page: the words in a line, the arcs above them."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from dynarc.draw.boxes import ASCII, BOXES, STYLES, Glyphs, Line, style_of
from dynarc.draw.layout import Arc, arcs_of
from dynarc.draw.model import Drawing
from dynarc.draw.rows import Layout, Node, Row, Sizes, Span, nodes_of
from dynarc.draw.text import clip, in_order, visible

# Narrower than this, nothing can be drawn across.
LEAST_WIDTH = 20


def arcs(drawing: Drawing, *, width: int | None = None, ascii: bool = False) -> list[Text]:  # noqa: A002
    """The sentence across the page with its arcs above, in several stretches if it is wider than `width`.

    >>> drawing = Drawing(("She", "likes", "tea"), (2, 0, 2), ("nsubj", "root", "obj"))
    >>> print(*arcs(drawing), sep="\\n")
          root
     ╭nsubj╮│╭obj╮
     ▼     │▼│   ▼
    She   likes tea
    """
    g = ASCII if ascii else BOXES
    if width is not None:
        width = max(width, LEAST_WIDTH)
    drawing = _clipped(drawing.mapped(lambda text: visible(text, ascii=ascii)), width, ascii)
    layout = _across(drawing, g, width)
    blocks = [_draw_row(row, drawing, g) for row in layout.rows(width)]
    return [*_joined(blocks), *_legend(drawing, g)]


def fits(drawing: Drawing, width: int, *, ascii: bool = False) -> bool:  # noqa: A002
    """Whether `arcs` needs one stretch only."""
    drawing = drawing.mapped(lambda text: visible(text, ascii=ascii))
    return all(row.width <= width for row in _across(drawing, ASCII if ascii else BOXES, None).rows(None))


def _across(drawing: Drawing, g: Glyphs, width: int | None) -> Layout:
    sizes = Sizes(word=cell_len, label=cell_len, gap=1, stem=1, pad=1, edge=2)
    nodes = nodes_of(drawing, lambda form: f"[{form}]")
    brackets = [(first, last, f"{g.right_end}{form}{g.left_end}") for first, last, form in drawing.ranges]
    most = None if width is None else (width - 8) // 2
    labelled = []
    for arc in arcs_of(drawing):
        text = _label(drawing, arc, g)
        labelled.append((arc, text if most is None else clip(text, most, ascii=g is ASCII)))
    return Layout(nodes, labelled, ranges=brackets, sizes=sizes)


def _clipped(drawing: Drawing, width: int | None, ascii: bool) -> Drawing:  # noqa: A002
    return drawing if width is None else drawing.mapped(lambda text: clip(text, width - 8, ascii=ascii))


def _label(drawing: Drawing, arc: Arc, g: Glyphs) -> str:
    mark, label = drawing.mark(arc.word), drawing.deprels[arc.word - 1] or ""
    if arc.gold:
        return g.gold + ((mark and mark.label) or "")
    if mark:
        label = g.wrong + label if mark.wrong == "head" else f"{mark.label}{g.differs}{label}"
    elif arc.word in drawing.doubtful:
        label = g.doubtful + label
    return g.cycle + label if arc.head == arc.word else label


def _draw_row(row: Row, drawing: Drawing, g: Glyphs) -> list[Text]:
    lines = [Line() for _ in range(row.levels + 1)]  # the first holds the arrows, then level by level
    stems: dict[int, list[tuple[int, Span]]] = {}  # at each place the arcs that end there
    for span in row.spans:
        style = style_of(drawing, span.arc)
        for place in range(span.start, span.end):
            edge = (span.open_start and place < span.start + 2) or (span.open_end and place >= span.end - 2)
            lines[span.level].put(place, g.edge if edge else g.far if span.arc.crossing else g.line, style)
        if not span.open_start:
            stems.setdefault(span.start, []).append((span.level, span))
        if not span.open_end and not span.arc.upright:
            stems.setdefault(span.end, []).append((span.level, span))
    for place, ends in stems.items():
        _draw_stem(lines, place, sorted(ends, key=lambda end: end[0]), drawing=drawing, g=g)
    for span in row.spans:
        style = style_of(drawing, span.arc)
        lines[span.level].put(
            span.label, span.text, style or (STYLES["label"] if drawing.mark(span.arc.word) else "cyan")
        )
    drawn = [line for line in reversed(lines) if line.cells]  # with no arc at all not even arrows
    return [line.text() for line in [*drawn, *_word_lines(row, drawing, g)]]


def _draw_stem(
    lines: Sequence[Line], place: int, ends: Sequence[tuple[int, Span]], *, drawing: Drawing, g: Glyphs
) -> None:
    """Arcs down to their word. Drawn last, so that it passes over the lines that it crosses."""
    top = ends[-1][0]
    for level in range(top):
        # As the lowest of the arcs that come from above.
        span = next(span for at, span in ends if at > level)
        lines[level].put(place, g.up, style_of(drawing, span.arc))
    for level, span in ends:
        style = style_of(drawing, span.arc)
        if place == span.start and not span.arc.upright:
            lines[level].put(place, g.right_top if level == top else g.right_mid, style)
        elif not span.arc.upright:
            lines[level].put(place, g.left_top if level == top else g.left_mid, style)
        if place == (span.start if span.arc.word == span.arc.left else span.end):
            lines[0].put(place, g.down, style)


def _word_lines(row: Row, drawing: Drawing, g: Glyphs) -> list[Line]:
    words = [Line() for _ in range(2 if drawing.tags else 1)]
    for node, place in row.nodes:
        for line, text, style in zip(words, node.texts, ("bold" if node.word else "dim", "dim"), strict=False):
            line.put(place - cell_len(text) // 2, in_order(text), style)
    below = Line()
    for first, last, form in drawing.ranges:
        places = [(node, place) for node, place in row.nodes if first <= node.word <= last]
        if not places:
            continue
        start, end = _reach(*places[0])[0], _reach(*places[-1])[1]
        text = clip(form, row.width - 2, ascii=g is ASCII)
        wide = max(end - start, cell_len(text) + 2)
        start = max(0, min(start, row.width - wide))
        before = (wide - 2 - cell_len(text)) // 2
        after = wide - 2 - cell_len(text) - before
        below.put(start, g.right_end + g.line * before, "dim")
        below.put(start + 1 + before, in_order(text), "italic")
        below.put(start + wide - 1 - after, g.line * after + g.left_end, "dim")
    return [*words, below] if below.cells else words


def _reach(node: Node, place: int) -> tuple[int, int]:
    wide = max(map(cell_len, node.texts))
    return place - wide // 2, place - wide // 2 + wide


def _joined(blocks: Sequence[list[Text]]) -> list[Text]:
    lines: list[Text] = []
    for block in blocks:
        lines += [Text(), *block] if lines else block
    return lines


def _legend(drawing: Drawing, g: Glyphs) -> list[Text]:
    found = {mark.wrong for mark in drawing.marks or () if mark}
    notes = {"head": f"{g.wrong} wrong head, {g.gold} gold", "label": f"gold{g.differs}wrong label"}
    lines = [Text(note, "dim") for wrong, note in notes.items() if wrong in found]
    lines += [Text(f"{g.doubtful} doubtful", "dim")] if drawing.doubtful else []
    return [Text(), *lines] if lines else []
