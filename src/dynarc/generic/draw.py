"""Pictures of automata: for Graphviz, and as SVG that stands alone."""

from collections import defaultdict
from html import escape

from dynarc.draw.svg import FONTS, text_width
from dynarc.draw.text import visible
from dynarc.generic.automaton import Automaton, arc_text

RADIUS, ACROSS, DOWN, MARGIN, FONT = 17, 110, 74, 34, 12
MOST_LINES = 9  # of the text at an arc


def to_dot(automaton: Automaton, *, title: str = "") -> str:
    """
    >>> from dynarc.generic import sequence
    >>> print(to_dot(sequence(["a"])))
    digraph automaton {
      rankdir=LR; node [shape=circle];
      start [shape=point, style=invis]; start -> 0;
      1 [shape=doublecircle];
      0 -> 1 [label="a"];
    }
    """

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = ["digraph automaton {", "  rankdir=LR; node [shape=circle];"]
    if title:
        lines.append(f"  label={quoted(visible(title))};")
    if automaton.start >= 0:
        lines.append(f"  start [shape=point, style=invis]; start -> {automaton.start};")
    for state, weight in automaton.finals.items():
        label = "" if weight == 0 else f", label={quoted(f'{state}/{weight:g}')}"
        lines.append(f"  {state} [shape=doublecircle{label}];")
    for arc in automaton.arcs():
        text = visible(arc_text(arc.input, arc.output, arc.weight))
        lines.append(f"  {arc.source} -> {arc.target} [label={quoted(text)}];")
    return "\n".join([*lines, "}"])


def to_svg(automaton: Automaton, *, title: str = "") -> str:
    """States stand in columns, by the number of arcs from the start. Arcs between the same two states are one line."""
    places = _places(automaton)
    texts: dict[tuple[int, int], list[str]] = defaultdict(list)
    for arc in automaton.arcs():
        texts[arc.source, arc.target].append(visible(arc_text(arc.input, arc.output, arc.weight)))
    labels = {pair: _shortened(some) for pair, some in texts.items()}
    widest = max((text_width(line, FONT) for lines in labels.values() for line in lines), default=0)
    across = max(ACROSS, 2 * RADIUS + widest + 26)
    rows = 1 + max((row for _, row in places.values()), default=0)
    # Lines of text stand above what they belong to, and loops above states.
    above = MARGIN + max((14 * len(lines) + (28 if a == b else 8) for (a, b), lines in labels.items()), default=0)
    down = max(DOWN, above + 20)
    spots = {
        state: (MARGIN + RADIUS + column * across, above + RADIUS + row * down)
        for state, (column, row) in places.items()
    }
    wide = max((x for x, _ in spots.values()), default=0) + RADIUS + MARGIN
    high = above + 2 * RADIUS + (rows - 1) * down + MARGIN + 24
    body: list[str] = []
    words: list[str] = []  # over all lines
    for pair, lines in sorted(labels.items()):
        line, *rest = _line(spots[pair[0]], spots[pair[1]], lines, pair[0] == pair[1], (pair[1], pair[0]) in labels)
        body.append(line)
        words += rest
    if automaton.start >= 0:
        x, y = spots[automaton.start]
        body.append(f'<path class="line" d="M{x - RADIUS - 24} {y} H{x - RADIUS - 6}"/>{_tip(x - RADIUS, y, 1, 0)}')
    for state, (x, y) in spots.items():
        final = automaton.final(state)
        body.append(f'<circle class="state" cx="{x}" cy="{y}" r="{RADIUS}"/>')
        if final is not None:
            body.append(f'<circle class="state" cx="{x}" cy="{y}" r="{RADIUS - 4}"/>')
        name = f"{state}" if not final else f"{state}/{final:g}"
        body.append(f'<text x="{x}" y="{y + 4}">{name}</text>')
    opening = '<svg xmlns="http://www.w3.org/2000/svg" class="automaton" role="img"'
    return "\n".join(
        [
            f'{opening} width="{wide}" height="{high}" viewBox="0 0 {wide} {high}">',
            f"<title>{escape(visible(title) or repr(automaton))}</title>",
            f"<style>{_STYLE}</style>",
            '<rect class="ground" width="100%" height="100%"/>',
            *body,
            *words,
            "</svg>\n",
        ]
    )


_STYLE = f"""
.automaton text {{ font-family: {FONTS}; font-size: {FONT}px; text-anchor: middle; fill: #1f2328; }}
.automaton .label {{ fill: #0550ae; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }}
.automaton .ground {{ fill: #ffffff; }}
.automaton .state {{ fill: #ffffff; stroke: #1f2328; stroke-width: 1.4px; }}
.automaton .line {{ fill: none; stroke: #7d8590; stroke-width: 1.3px; }}
.automaton .tip {{ fill: #7d8590; }}
"""


def _shortened(texts: list[str]) -> list[str]:
    """A few lines at most."""
    if len(texts) <= MOST_LINES:
        return texts
    return [*texts[: MOST_LINES - 1], f"and {len(texts) - MOST_LINES + 1} more"]


def _places(automaton: Automaton) -> dict[int, tuple[int, int]]:
    """Column and row of every state: columns by the arcs from the start, rows so that neighbours are near."""
    column: dict[int, int] = {}
    layer = [automaton.start] if automaton.start >= 0 else []
    while layer:
        after: dict[int, None] = {}
        for state in layer:
            column.setdefault(state, 0)
        for state in layer:
            for arc in automaton.arcs(state):
                if arc.target not in column and arc.target not in layer:
                    after[arc.target] = None
        for state in after:
            column[state] = max(column[s] for s in layer) + 1
        layer = list(after)
    unreached = 1 + max(column.values(), default=-1)
    for state in range(len(automaton)):
        column.setdefault(state, unreached)
    rows: dict[int, int] = {}
    used: dict[int, int] = defaultdict(int)
    for state in sorted(column, key=lambda s: (column[s], s)):
        rows[state] = used[column[state]]
        used[column[state]] += 1
    return {state: (column[state], rows[state]) for state in range(len(automaton))}


def _line(a: tuple[int, int], b: tuple[int, int], lines: list[str], loop: bool, both: bool) -> list[str]:
    (x, y), (u, v) = a, b
    if loop:
        edge = y - RADIUS
        path = f"M{x - 9} {edge + 2} C{x - 26} {edge - 34} {x + 26} {edge - 34} {x + 9} {edge + 1}"
        top = edge - 29
        return [f'<path class="line" d="{path}"/>{_tip(x + 8, y - RADIUS + 3, -0.45, 0.9)}', *_texts(lines, x, top)]
    length = ((u - x) ** 2 + (v - y) ** 2) ** 0.5
    dx, dy = (u - x) / length, (v - y) / length
    # Bent to the left of its way, if there is one back or others are passed on the way.
    bend = 26 if both else 0.28 * abs(u - x) if abs(u - x) > 260 and y == v else 0
    # Sloped lines cross half-way, so what they say stands nearer to where they begin.
    share = 0.5 if bend or y == v else 0.36
    mx, my = x + share * (u - x) + dy * bend, y + share * (v - y) - dx * bend
    cx, cy = (x + u) / 2 + 2 * dy * bend, (y + v) / 2 - 2 * dx * bend
    # Where the line leaves one circle and meets the other, in the direction of the bend.
    (ax, ay), (bx, by) = _edge(x, y, cx, cy), _edge(u, v, cx, cy)
    way = ((u - cx) ** 2 + (v - cy) ** 2) ** 0.5
    tip = _tip(bx, by, (u - cx) / way, (v - cy) / way)
    path = f"M{ax:.1f} {ay:.1f} Q{cx:.1f} {cy:.1f} {bx:.1f} {by:.1f}"
    return [f'<path class="line" d="{path}"/>{tip}', *_texts(lines, mx, my - 6)]


def _edge(x: float, y: float, cx: float, cy: float) -> tuple[float, float]:
    length = ((cx - x) ** 2 + (cy - y) ** 2) ** 0.5
    return x + RADIUS * (cx - x) / length, y + RADIUS * (cy - y) / length


def _tip(x: float, y: float, dx: float, dy: float) -> str:
    back, side = 8, 3.5
    left = (x - back * dx + side * dy, y - back * dy - side * dx)
    right = (x - back * dx - side * dy, y - back * dy + side * dx)
    return f'<path class="tip" d="M{x:.1f} {y:.1f} L{left[0]:.1f} {left[1]:.1f} L{right[0]:.1f} {right[1]:.1f} Z"/>'


def _texts(lines: list[str], x: float, y: float) -> list[str]:
    """Lines of text that end at a height."""
    first = y - 14 * (len(lines) - 1)
    return [f'<text class="label" x="{x:.1f}" y="{first + 14 * i:.1f}">{escape(t)}</text>' for i, t in enumerate(lines)]
