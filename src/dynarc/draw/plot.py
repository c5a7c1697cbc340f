"""Figures as a picture: lines over an axis, as SVG that stands alone. `dynarc.draw.png` draws the same as PNG."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from dynarc.draw.svg import DARK, FONTS, LIGHT, text_width
from dynarc.draw.text import visible

# All in pixels.
WIDTH, HEIGHT = 600, 380
LEFT, RIGHT, TOP, BOTTOM = 48, 122, 36, 56
FONT = 14
LARGE = 18  # where the picture is shrunk to the width of a phone
APART = 20  # names of lines, at least
DOT, LEAST_DOT = 4.0, 1.5
MOST_TICKS = 8


@dataclass(frozen=True, slots=True)
class Axis:
    """What it shows; where it begins and ends, if not where the figures do. On a logarithmic axis, whose figures are
    amounts above 0, each is twice as far as half of it."""

    title: str
    low: float | None = None
    high: float | None = None
    log: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """Points (x, y) in the order of x, with a dot at each.

    `sizes`, from 0 to 1, make the areas of dots differ; `stories` say what there is to know of each point. `end` is
    what stands with the name where the line ends, if not its last figure.
    """

    name: str
    points: tuple[tuple[float, float], ...]
    dots: bool = True
    sizes: tuple[float, ...] | None = None
    stories: tuple[str, ...] | None = None
    end: str | None = None

    def radius(self, place: int) -> float:
        return DOT if self.sizes is None else LEAST_DOT + (2 * DOT - LEAST_DOT) * self.sizes[place] ** 0.5

    @property
    def text(self) -> str:
        """What stands where it ends."""
        return f"{self.name} {self.points[-1][1]:.2f}" if self.end is None else f"{self.name} {self.end}".rstrip()


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture of lines. The `diagonal`, if it is to be seen, is where both axes show the same."""

    title: str
    lines: tuple[Line, ...]
    x: Axis
    y: Axis
    diagonal: bool = False


def to_svg(*plots: Plot, alone: bool = False) -> str:
    """The picture, or several, one below the other, in one.

    If it is to stand `alone`, it has a background and its rules in it; else it is for a page that has `stylesheet`.

    >>> line = Line("LAS", ((10, 50.0), (20, 60.0)))
    >>> to_svg(Plot("t", (line,), Axis("sentences", log=True), Axis("percent"))).count("<circle")
    2
    """
    high = HEIGHT * len(plots)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" width="{WIDTH}" height="{high}"'
    own = [f"<style>\n{stylesheet()}\n</style>", '<rect class="ground" width="100%" height="100%"/>'] if alone else []
    bodies = [list(_body(plot, heading=len(plots) > 1)) for plot in plots]
    if len(plots) > 1:
        bodies = [
            [f'<g transform="translate(0 {HEIGHT * place})">', *body, "</g>"] for place, body in enumerate(bodies)
        ]
    return "\n".join(
        [
            f'{svg} viewBox="0 0 {WIDTH} {high}">',
            f"<title>{escape(visible('; '.join(plot.title for plot in plots)))}</title>",
            *own,
            *(piece for body in bodies for piece in body),
            "</svg>\n",
        ]
    )


def _body(plot: Plot, *, heading: bool) -> Iterator[str]:
    frame = _Frame.of(plot)
    if heading:
        yield f'<text class="name" x="{LEFT}" y="{TOP - 18}">{escape(visible(plot.title))}</text>'
    yield from _axes(frame, plot, heading)
    if plot.diagonal:
        low, high = max(frame.x_low, frame.low), min(frame.x_high, frame.high)
        path = f"M{frame.x(low):.1f} {frame.y(low):.1f} L{frame.x(high):.1f} {frame.y(high):.1f}"
        yield f'<path class="diagonal" d="{path}"/>'
    for number, line in enumerate(plot.lines):
        yield from _line(frame, line, number)
    yield from _names(frame, plot.lines)


def stylesheet() -> str:
    """The rules for every plot, in light and dark."""
    dark = f"@media (prefers-color-scheme: dark) {{\n{_colours(DARK)}\n}}"
    return f""".plot {{ max-width: 100%; height: auto; }}
.plot text {{ font-family: {FONTS}; font-size: {FONT}px; font-variant-numeric: tabular-nums; }}
@media (max-width: 500px) {{ .plot text {{ font-size: {LARGE}px; }} }}
.plot .name {{ font-weight: 600; }}
.plot .curve {{ fill: none; stroke-width: 2px; stroke-linejoin: round; }}
.plot .grid {{ stroke-width: 1px; opacity: .35; }}
.plot .diagonal {{ stroke-width: 1.5px; stroke-dasharray: 5 4; }}
{_colours(LIGHT)}
{dark}"""


def _colours(colours: tuple[str, ...]) -> str:
    ground, text, faint, rule = colours[:4]
    rules = [
        f".plot .ground {{ fill: {ground}; }}",
        f".plot text {{ fill: {text}; }} .plot .tick {{ fill: {faint}; }} .plot .grid {{ stroke: {rule}; }}",
        f".plot .diagonal {{ stroke: {rule}; }}",
    ]
    for number, colour in enumerate(of_lines(colours)):
        rules.append(f".plot .curve.c{number} {{ stroke: {colour}; }}")
        rules.append(f".plot .dot.c{number}, .plot .name.c{number} {{ fill: {colour}; }}")
    return "\n".join(rules)


def of_lines(colours: tuple[str, ...]) -> tuple[str, ...]:
    """The colours of lines, in their order."""
    _, _, _, _, blue, violet, red, green, amber = colours
    return blue, amber, green, violet, red


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where amounts and figures lie in the picture."""

    x_low: float
    x_high: float
    log: bool
    low: float
    high: float
    step: float

    @classmethod
    def of(cls, plot: Plot) -> "_Frame":
        amounts = [x for line in plot.lines for x, _ in line.points] or [1]
        figures = [y for line in plot.lines for _, y in line.points] or [0.0]
        low, high, step = _reach(plot.y, figures)
        first, last, _ = (min(amounts), max(amounts), 0.0) if plot.x.log else _reach(plot.x, amounts)
        return cls(first, last, plot.x.log, low, high, step)

    def x(self, amount: float) -> float:
        first, last, place = (math.log2(x) if self.log else x for x in (self.x_low, self.x_high, amount))
        share = (place - first) / (last - first) if last > first else 0.5
        return LEFT + 12 + share * (WIDTH - LEFT - RIGHT - 24)

    def y(self, figure: float) -> float:
        return HEIGHT - BOTTOM - (figure - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def _reach(axis: Axis, figures: Sequence[float]) -> tuple[float, float, float]:
    """Where an axis begins and ends, and the distance of its ticks."""
    least = min(figures) if axis.low is None else axis.low
    most = max(figures) if axis.high is None else axis.high
    step = _step(most - least)
    low, high = math.floor(least / step) * step, math.ceil(most / step) * step
    return low, high if high > low else low + step, step


def _step(extent: float) -> float:
    """A round distance of ticks, so that there are four to nine of them.

    >>> [_step(extent) for extent in (0.0, 3.0, 18.0, 60.0)]
    [0.2, 0.5, 5.0, 10.0]
    """
    rough = max(extent, 1.0) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.75)


def _axes(frame: _Frame, plot: Plot, heading: bool) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for figure in _round(frame.low, frame.high, frame.step):
        place = frame.y(figure)
        yield f'<path class="grid" d="M{LEFT} {place:.1f} H{right}"/>'
        text = _number(figure, frame.step)
        yield f'<text class="tick" x="{LEFT - 8}" y="{place + 4:.1f}" text-anchor="end">{text}</text>'
    if frame.log:
        amounts = sorted({amount for line in plot.lines for amount, _ in line.points})
        shown = [(amount, f"{amount:,}") for amount in amounts[:: -(-len(amounts) // MOST_TICKS) or 1]]
    else:
        step = _step(frame.x_high - frame.x_low)
        shown = [(amount, _number(amount, step)) for amount in _round(frame.x_low, frame.x_high, step)]
    for amount, text in shown:
        place = frame.x(amount)
        yield f'<path class="grid" d="M{place:.1f} {bottom} v5"/>'
        yield f'<text class="tick" x="{place:.1f}" y="{bottom + 20}" text-anchor="middle">{text}</text>'
    middle = (LEFT + right) / 2
    title = escape(visible(plot.x.title))
    yield f'<text class="tick" x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{title}</text>'
    title = visible(plot.y.title)
    # Above the figures; where the heading is, or where there is no room, at the other end.
    x = right if heading or text_width(title, FONT) > LEFT - 8 else LEFT - 8
    yield f'<text class="tick" x="{x}" y="{TOP - 18}" text-anchor="end">{escape(title)}</text>'


def _round(low: float, high: float, step: float) -> list[float]:
    return [low + tick * step for tick in range(round((high - low) / step) + 1)]


def _number(figure: float, step: float) -> str:
    return f"{figure:.{0 if step >= 1 else 1}f}"


def _line(frame: _Frame, line: Line, number: int) -> Iterator[str]:
    places = [(frame.x(amount), frame.y(figure)) for amount, figure in line.points]
    if places:
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        yield f'<path class="curve c{number}" d="M{path}"/>'
    for place, (x, y) in enumerate(places if line.dots else ()):
        amount, figure = line.points[place]
        story = f"{figure:.2f} with {amount:,}" if line.stories is None else line.stories[place]
        told = escape(visible(f"{line.name} {story}"))
        dot = f'<circle class="dot c{number}" cx="{x:.1f}" cy="{y:.1f}" r="{line.radius(place):.3g}">'
        yield f"{dot}<title>{told}</title></circle>"


def _names(frame: _Frame, lines: Sequence[Line]) -> Iterator[str]:
    """The name of each line where it ends, and its last figure; moved apart where they would overlap."""
    ends = sorted((frame.y(line.points[-1][1]), number) for number, line in enumerate(lines) if line.points)
    lowest = -math.inf
    for place, number in ends:
        lowest = max(place, lowest + APART)
        amount, _ = lines[number].points[-1]
        text = escape(visible(lines[number].text))
        yield f'<text class="name c{number}" x="{frame.x(amount) + 12:.1f}" y="{lowest + 4:.1f}">{text}</text>'
