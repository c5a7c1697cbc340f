"""A tree as a picture: SVG that stands alone, without scripts, fonts or anything else from elsewhere."""

from collections.abc import Iterator
from html import escape
from typing import Literal
from unicodedata import category, east_asian_width

from dynarc.draw.layout import Arc, arcs_of
from dynarc.draw.model import Drawing
from dynarc.draw.rows import Layout, Node, Row, Sizes, Span, nodes_of
from dynarc.draw.text import visible

Theme = Literal["auto", "light", "dark"]

# All in pixels.
WORD, TAG, LABEL = 16, 11, 12  # sizes of fonts
LEVEL = 21  # from one level of arcs to the next
FOOT = 14  # from the words to where the lowest arc bends
CORNER = 6
TIP = 6  # the head of an arrow
EDGE = 16
MARGIN = 12
BETWEEN = 26  # rows
FONTS = "system-ui, 'Segoe UI', 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"

# Background, words, tags, lines, labels, then arcs: crossing, wrong, gold, wrongly labelled or doubtful.
LIGHT = ("#ffffff", "#1f2328", "#656d76", "#7d8590", "#0550ae", "#8250df", "#cf222e", "#1a7f37", "#9a6700")
DARK = ("#0d1117", "#e6edf3", "#8b949e", "#7d8590", "#79c0ff", "#d2a8ff", "#ff7b72", "#56d364", "#e3b341")


def to_svg(drawing: Drawing, *, width: int | None = None, theme: Theme = "auto") -> str:
    """The picture as a document of its own, in several rows if it would be wider than `width` pixels.

    >>> svg = to_svg(Drawing(("Tea", "?"), (0, 1), ("root", "punct")))
    >>> svg.startswith("<svg xmlns") and svg.count('class="line"')
    2
    """
    return picture(drawing, width=width, style=stylesheet(theme))


def stylesheet(theme: Theme) -> str:
    """The rules for every picture; `auto` is as the reader prefers it."""
    if theme == "auto":
        return f"{_rules(LIGHT)}\n@media (prefers-color-scheme: dark) {{\n{_colours(DARK)}\n}}"
    return _rules(LIGHT if theme == "light" else DARK)


def _rules(colours: tuple[str, ...]) -> str:
    return f""".dynarc text {{ font-family: {FONTS}; text-anchor: middle; }}
.dynarc .word {{ font-size: {WORD}px; }}
.dynarc .tag {{ font-size: {TAG}px; }}
.dynarc .label {{ font-size: {LABEL}px; }}
.dynarc .empty, .dynarc .range {{ font-size: {WORD - 3}px; font-style: italic; }}
.dynarc .line, .dynarc .stub, .dynarc .bracket, .dynarc .box {{ fill: none; stroke-width: 1.3px; }}
.dynarc .stub {{ stroke-dasharray: 2 3; }}
.dynarc .box {{ stroke-dasharray: 3 2; stroke-width: 1px; }}
.dynarc .gold .line {{ stroke-dasharray: 5 3; }}
.dynarc .doubtful .line {{ stroke-width: 2.2px; }}
{_colours(colours)}"""


def _colours(colours: tuple[str, ...]) -> str:
    ground, words, tags, lines, labels, crossing, wrong, gold, mislabelled = colours
    rules = [
        f".dynarc .ground {{ fill: {ground}; }}",
        f".dynarc .word {{ fill: {words}; }}",
        f".dynarc .tag, .dynarc .empty, .dynarc .range {{ fill: {tags}; }}",
        f".dynarc .line, .dynarc .stub, .dynarc .bracket, .dynarc .box {{ stroke: {lines}; }}",
        f".dynarc .tip {{ fill: {lines}; }}",
        f".dynarc .label {{ fill: {labels}; }}",
    ]
    arcs = {"crossing": crossing, "doubtful": mislabelled, "wrong": wrong, "gold": gold}
    for name, colour in arcs.items():
        rules.append(f".dynarc .{name} .line, .dynarc .{name} .stub {{ stroke: {colour}; }}")
        rules.append(f".dynarc .{name} .tip, .dynarc .{name} .label {{ fill: {colour}; }}")
    rules.append(f".dynarc .mislabelled .label {{ fill: {mislabelled}; }}")
    return "\n".join(rules)


def picture(drawing: Drawing, *, width: int | None = None, style: str | None = None) -> str:
    """The picture; without a style it is for a page that has the rules of `stylesheet`, and a background."""
    drawing = drawing.mapped(visible)
    sizes = Sizes(
        word=lambda text: text_width(text, WORD),
        label=lambda text: text_width(text, LABEL),
        gap=12,
        stem=7,
        pad=2 * CORNER + 6,
        edge=EDGE,
    )
    labelled = [(arc, _label(drawing, arc)) for arc in arcs_of(drawing)]
    layout = Layout(nodes_of(drawing, str), labelled, ranges=drawing.ranges, sizes=sizes)
    rows = list(layout.rows(None if width is None else max(1, width - 2 * MARGIN)))
    wide = max((row.width for row in rows), default=0) + 2 * MARGIN
    below = WORD + 6 + (TAG + 5 if drawing.tags else 0) + (WORD + 8 if drawing.ranges else 0)
    top = MARGIN
    body: list[str] = []
    for row in rows:
        ground = top + (row.levels * LEVEL + FOOT - LEVEL // 2 if row.levels else 0)
        body += _row(row, drawing, ground)
        top = ground + below + BETWEEN
    high = top - BETWEEN + MARGIN if rows else 2 * MARGIN
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" class="dynarc" role="img" width="{wide}" height="{high}"'
    return "\n".join(
        [
            f'{opening} viewBox="0 0 {wide} {high}">',
            f"<title>{escape(drawing.title or ' '.join(drawing.forms))}</title>",
            f"<desc>{escape('; '.join(drawing.arc(word) for word in range(1, len(drawing) + 1)))}</desc>",
            *(
                []
                if style is None
                else [f"<style>\n{style}\n</style>", '<rect class="ground" width="100%" height="100%"/>']
            ),
            *body,
            "</svg>\n",
        ]
    )


def _label(drawing: Drawing, arc: Arc) -> str:
    mark, label = drawing.mark(arc.word), drawing.deprels[arc.word - 1] or ""
    if mark and arc.gold:
        return mark.label or ""
    if mark and mark.wrong == "label":
        return f"{mark.label}≠{label}"
    if arc.word in drawing.doubtful:
        sure = drawing.probability(arc.word)
        label = f"{label}?" if sure is None else f"{label} {sure:.2f}"
    return f"↻ {label}" if arc.head == arc.word else label


def _row(row: Row, drawing: Drawing, ground: int) -> Iterator[str]:
    # What is wrong is drawn last, over the lines that it crosses.
    for span in sorted(row.spans, key=lambda span: (span.arc.gold, _kind(drawing, span.arc), span.level)):
        yield from _arc(span, drawing, ground)
    for node, place in row.nodes:
        yield from _node(node, place + MARGIN, ground + WORD)
    foot = ground + WORD + 6 + (TAG + 5 if drawing.tags else 0)
    for first, last, form in drawing.ranges:
        words = [(node, place + MARGIN) for node, place in row.nodes if first <= node.word <= last]
        if words:
            halves = [max(text_width(text, WORD) for text in node.texts) // 2 for node, _ in (words[0], words[-1])]
            start, end = words[0][1] - halves[0], words[-1][1] + halves[1]
            yield f'<path class="bracket" d="M{start} {foot} v4 H{end} v-4"/>'
            yield f'<text class="range" x="{(start + end) // 2}" y="{foot + WORD + 2}">{escape(form)}</text>'


def _node(node: Node, x: int, y: int) -> Iterator[str]:
    if not node.word:
        half = text_width(node.texts[0], WORD - 3) // 2 + 3
        yield f'<rect class="box" x="{x - half}" y="{y - WORD + 1}" width="{2 * half}" height="{WORD + 4}" rx="4"/>'
        yield f'<text class="empty" x="{x}" y="{y - 1}">{escape(node.texts[0])}</text>'
        return
    yield f'<text class="word" x="{x}" y="{y}">{escape(node.texts[0])}</text>'
    for tag in node.texts[1:]:
        yield f'<text class="tag" x="{x}" y="{y + TAG + 5}">{escape(tag)}</text>'


def _kind(drawing: Drawing, arc: Arc) -> str:
    mark = drawing.mark(arc.word)
    if arc.gold:
        return "gold"
    if mark and mark.wrong == "head":
        return "wrong"
    doubtful = mark is None and arc.word in drawing.doubtful
    return " ".join(["crossing"] * arc.crossing + ["doubtful"] * doubtful + ["mislabelled"] * (mark is not None))


def _arc(span: Span, drawing: Drawing, ground: int) -> Iterator[str]:
    arc = span.arc
    left, right, y = span.start + MARGIN, span.end + MARGIN, ground - FOOT - (span.level - 1) * LEVEL
    start, end = span.label + MARGIN, span.label + MARGIN + text_width(span.text, LABEL)
    x = left if arc.word == arc.left else right
    sure = drawing.probability(arc.word)
    plain = sure is None or arc.gold or arc.word in drawing.doubtful
    thick = "" if plain else f' style="stroke-width: {0.6 + 1.8 * (sure or 0.0):.1f}px"'
    ends_here = arc.upright or not (span.open_start if x == left else span.open_end)
    yield f'<g class="{" ".join(["arc", *_kind(drawing, arc).split()])}" data-word="{arc.word}" data-head="{arc.head}">'
    yield f"<title>{escape(_story(drawing, arc))}</title>"
    yield f'<path class="line" d="{_line(span, left, right, y, start, end, ground)}"{thick}/>'
    for edge, is_open, inward in ((left, span.open_start, 1), (right, span.open_end, -1)):
        if is_open:
            yield f'<path class="stub" d="M{edge} {y} h{inward * EDGE}"/>'
    if ends_here:
        yield f'<path class="tip" d="M{x} {ground} l{-TIP // 2} {-TIP} h{TIP} z"/>'
    if span.text:
        yield f'<text class="label" x="{(start + end) / 2:g}" y="{y + LABEL // 3}">{escape(span.text)}</text>'
    yield "</g>"


def _line(span: Span, left: int, right: int, y: int, start: int, end: int, ground: int) -> str:
    """The line of an arc, with a gap for its label; at the dependent it ends in the head of the arrow."""
    arc = span.arc
    if arc.upright:
        return f"M{left} {ground - TIP} V{y + LABEL // 2}"
    from_left = ground - TIP if arc.word == arc.left else ground
    from_right = ground - TIP if arc.word == arc.right else ground
    c = CORNER
    line = f"M{left + EDGE} {y}" if span.open_start else f"M{left} {from_left} V{y + c} q0 {-c} {c} {-c}"
    if span.text:
        line += f" H{start - 2} M{end + 2} {y}"
    return line + (f" H{right - EDGE}" if span.open_end else f" H{right - c} q{c} 0 {c} {c} V{from_right}")


def _story(drawing: Drawing, arc: Arc) -> str:
    """What there is to say of an arc, for those who point at it or cannot see it."""
    mark, sure = drawing.mark(arc.word), drawing.probability(arc.word)
    if mark and arc.gold:
        return f"gold: {drawing.name(mark.head)} -{mark.label or ''}-> {drawing.name(arc.word)}"
    parts = [drawing.arc(arc.word)]
    if mark:
        parts.append(f"wrong {mark.wrong}")
    if arc.crossing:
        parts.append("not projective")
    if sure is not None:
        parts.append(f"probability {sure:.2f}")
    if arc.word in drawing.doubtful:
        parts.append("doubtful")
    return ", ".join(parts)


# How wide characters are in the usual fonts, in thousandths of the size, and generously: no font can be asked.
_NARROW, _MIDDLE, _CAPITAL, _BROAD, _FULL = 340, 620, 720, 960, 1050
_WIDTHS = {
    **dict.fromkeys("ijlI.,:;'|!`()[]{}/\\· \u00a0\u2018\u2019", _NARROW),
    **dict.fromkeys('frt-"*“”', 430),
    **dict.fromkeys("mwMW@%—…≠", _BROAD),
}


def text_width(text: str, size: int) -> int:
    """About how many pixels a text takes."""
    return -(-sum(map(_char_width, text)) * size // 1000)


def _char_width(char: str) -> int:
    if char in _WIDTHS:
        return _WIDTHS[char]
    if char.isascii():
        return _CAPITAL if char.isupper() else _MIDDLE
    if category(char) in ("Mn", "Me", "Cf"):
        return 0
    if east_asian_width(char) in ("W", "F"):
        return _FULL
    return _CAPITAL if char.isupper() else _MIDDLE + 40
