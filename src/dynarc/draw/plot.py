"""Figures over amounts as a picture: lines over a logarithmic axis, as SVG that stands alone."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from dynarc.draw.svg import DARK, FONTS, LIGHT
from dynarc.draw.text import visible

# All in pixels.
WIDTH, HEIGHT = 600, 380
LEFT, RIGHT, TOP, BOTTOM = 48, 122, 36, 56
FONT = 14
LARGE = 18  # where the picture is shrunk to the width of a phone
APART = 20  # names of lines, at least
MOST_TICKS = 8


@dataclass(frozen=True, slots=True)
class Line:
    """Points (x, y) in the order of x, which is above 0."""

    name: str
    points: tuple[tuple[int, float], ...]


def plot(lines: Sequence[Line], *, title: str, x: str, y: str, alone: bool = False) -> str:
    """The picture: amounts along the axis `x`, each twice as far as half of it, and figures along `y`.

    If it is to stand `alone`, it has a background and its rules in it; else it is for a page that has `stylesheet`.

    >>> plot([Line("LAS", ((10, 50.0), (20, 60.0)))], title="t", x="sentences", y="percent").count("<circle")
    2
    """
    frame = _Frame.of(lines)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" role="img" width="{WIDTH}" height="{HEIGHT}"'
    own = [f"<style>\n{stylesheet()}\n</style>", '<rect class="ground" width="100%" height="100%"/>'] if alone else []
    return "\n".join(
        [
            f'{svg} viewBox="0 0 {WIDTH} {HEIGHT}">',
            f"<title>{escape(visible(title))}</title>",
            *own,
            *_axes(frame, lines, x, y),
            *(piece for number, line in enumerate(lines) for piece in _line(frame, line, number)),
            *_names(frame, lines),
            "</svg>\n",
        ]
    )


def stylesheet() -> str:
    """The rules for every plot, in light and dark."""
    dark = f"@media (prefers-color-scheme: dark) {{\n{_colours(DARK)}\n}}"
    return f""".plot {{ max-width: 100%; height: auto; }}
.plot text {{ font-family: {FONTS}; font-size: {FONT}px; font-variant-numeric: tabular-nums; }}
@media (max-width: 500px) {{ .plot text {{ font-size: {LARGE}px; }} }}
.plot .name {{ font-weight: 600; }}
.plot .curve {{ fill: none; stroke-width: 2px; stroke-linejoin: round; }}
.plot .grid {{ stroke-width: 1px; opacity: .35; }}
{_colours(LIGHT)}
{dark}"""


def _colours(colours: tuple[str, ...]) -> str:
    ground, text, faint, rule = colours[:4]
    rules = [
        f".plot .ground {{ fill: {ground}; }}",
        f".plot text {{ fill: {text}; }} .plot .tick {{ fill: {faint}; }} .plot .grid {{ stroke: {rule}; }}",
    ]
    for number, colour in enumerate(_of_lines(colours)):
        rules.append(f".plot .curve.c{number} {{ stroke: {colour}; }}")
        rules.append(f".plot .dot.c{number}, .plot .name.c{number} {{ fill: {colour}; }}")
    return "\n".join(rules)


def _of_lines(colours: tuple[str, ...]) -> tuple[str, ...]:
    _, _, _, _, blue, violet, red, green, amber = colours
    return blue, amber, green, violet, red


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where amounts and figures lie in the picture."""

    first: float
    last: float
    low: float
    high: float
    step: float

    @classmethod
    def of(cls, lines: Sequence[Line]) -> "_Frame":
        amounts = [x for line in lines for x, _ in line.points] or [1]
        figures = [y for line in lines for _, y in line.points] or [0.0]
        step = _step(max(figures) - min(figures))
        low, high = math.floor(min(figures) / step) * step, math.ceil(max(figures) / step) * step
        return cls(math.log2(min(amounts)), math.log2(max(amounts)), low, high if high > low else low + step, step)

    def x(self, amount: float) -> float:
        share = (math.log2(amount) - self.first) / (self.last - self.first) if self.last > self.first else 0.5
        return LEFT + 12 + share * (WIDTH - LEFT - RIGHT - 24)

    def y(self, figure: float) -> float:
        return HEIGHT - BOTTOM - (figure - self.low) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)


def _step(extent: float) -> float:
    """A round distance of ticks, so that there are four to nine of them.

    >>> [_step(extent) for extent in (0.0, 3.0, 18.0, 60.0)]
    [0.2, 0.5, 5.0, 10.0]
    """
    rough = max(extent, 1.0) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.75)


def _axes(frame: _Frame, lines: Sequence[Line], x: str, y: str) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    digits = 0 if frame.step >= 1 else 1
    for tick in range(round((frame.high - frame.low) / frame.step) + 1):
        figure = frame.low + tick * frame.step
        place = frame.y(figure)
        yield f'<path class="grid" d="M{LEFT} {place:.1f} H{right}"/>'
        yield f'<text class="tick" x="{LEFT - 8}" y="{place + 4:.1f}" text-anchor="end">{figure:.{digits}f}</text>'
    amounts = sorted({amount for line in lines for amount, _ in line.points})
    shown = amounts[:: -(-len(amounts) // MOST_TICKS) or 1]
    for amount in shown:
        place = frame.x(amount)
        yield f'<path class="grid" d="M{place:.1f} {bottom} v5"/>'
        yield f'<text class="tick" x="{place:.1f}" y="{bottom + 20}" text-anchor="middle">{amount:,}</text>'
    middle = (LEFT + right) / 2
    yield f'<text class="tick" x="{middle:.0f}" y="{HEIGHT - 10}" text-anchor="middle">{escape(visible(x))}</text>'
    yield f'<text class="tick" x="{LEFT - 8}" y="{TOP - 18}" text-anchor="end">{escape(visible(y))}</text>'


def _line(frame: _Frame, line: Line, number: int) -> Iterator[str]:
    places = [(frame.x(amount), frame.y(figure)) for amount, figure in line.points]
    if places:
        path = " L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        yield f'<path class="curve c{number}" d="M{path}"/>'
    for (amount, figure), (x, y) in zip(line.points, places, strict=True):
        told = f"{escape(visible(line.name))} {figure:.2f} with {amount:,}"
        yield f'<circle class="dot c{number}" cx="{x:.1f}" cy="{y:.1f}" r="4"><title>{told}</title></circle>'


def _names(frame: _Frame, lines: Sequence[Line]) -> Iterator[str]:
    """The name of each line where it ends, and its last figure; moved apart where they would overlap."""
    ends = sorted((frame.y(line.points[-1][1]), number) for number, line in enumerate(lines) if line.points)
    lowest = -math.inf
    for place, number in ends:
        lowest = max(place, lowest + APART)
        amount, figure = lines[number].points[-1]
        text = f"{escape(visible(lines[number].name))} {figure:.2f}"
        yield f'<text class="name c{number}" x="{frame.x(amount) + 12:.1f}" y="{lowest + 4:.1f}">{text}</text>'
