"""Pictures of tables as SVG: gains with their intervals, and figures as the colours of a map."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from experiments.tables import Compared

_ROW, _LEFT, _WIDTH, _RIGHT, _TOP = 22, 150, 360, 90, 44
_STYLE = (
    "<style>text{font:13px system-ui,sans-serif;fill:#222}.title{font-weight:600}.axis{stroke:#999}"
    ".zero{stroke:#444;stroke-dasharray:3 3}.range{stroke:#2563a8;stroke-width:2}.dot{fill:#2563a8}"
    ".unsure .range{stroke:#999}.unsure .dot{fill:#999}.small{font-size:11px}</style>"
)


@dataclass(frozen=True, slots=True)
class Panel:
    """Gains under one title, by name."""

    title: str
    gains: Mapping[str, Compared | None]


def forest(panels: Sequence[Panel]) -> str:
    """A dot for each gain, with the interval of 95 % where there is one; grey where that holds 0, or is not known."""
    panels = [panel for panel in panels if any(panel.gains.values())] or panels[:1]
    known = [one for panel in panels for one in panel.gains.values() if one is not None]
    edges = [0.0, *(one.difference for one in known)]
    edges += [edge for one in known if one.gain is not None for edge in (one.gain.lower, one.gain.upper)]
    low, high = min(edges), max(edges)
    scale = _WIDTH / ((high - low) or 1)
    pieces: list[str] = []
    y = 8
    for panel in panels:
        names = {name: one for name, one in panel.gains.items() if one is not None}
        pieces.append(f'<text class="title" x="{_LEFT}" y="{y + 16}">{escape(panel.title)}</text>')
        y += 26
        zero = _LEFT - low * scale
        pieces.append(f'<line class="zero" x1="{zero:.1f}" x2="{zero:.1f}" y1="{y}" y2="{y + _ROW * len(names)}"/>')
        for name, one in names.items():
            pieces.append(_gain(name, one, y + _ROW // 2, low, scale))
            y += _ROW
        y += 18
    return _svg(_LEFT + _WIDTH + _RIGHT, y, "; ".join(panel.title for panel in panels), pieces)


def _gain(name: str, one: Compared, y: int, low: float, scale: float) -> str:
    x = _LEFT + (one.difference - low) * scale
    sure = one.gain is not None and one.gain.p < 0.05
    line = ""
    if one.gain is not None:
        left, right = (_LEFT + (edge - low) * scale for edge in (one.gain.lower, one.gain.upper))
        line = f'<line class="range" x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}"/>'
    return (
        f'<g class="{"sure" if sure else "unsure"}"><text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(name)}</text>'
        f'{line}<circle class="dot" cx="{x:.1f}" cy="{y}" r="4"/>'
        f'<text class="small" x="{_LEFT + _WIDTH + 10}" y="{y + 4}">{escape(str(one))}</text></g>'
    )


def heat(
    titles: Sequence[str], rows: Sequence[str], columns: Sequence[str], maps: Sequence[Mapping[tuple[str, str], float]]
) -> str:
    """Maps side by side, two in a row of the picture: the higher the figure, the darker; each map has its own range."""
    wide, high = 58, 26
    across, down = 70 + wide * len(columns) + 20, _TOP + high * (len(rows) + 1) + 20
    pieces = []
    for place, (title, values) in enumerate(zip(titles, maps, strict=True)):
        left, top = across * (place % 2), down * (place // 2)
        pieces.append(f'<text class="title" x="{left + 10}" y="{top + 20}">{escape(title)}</text>')
        low, most = min(values.values(), default=0.0), max(values.values(), default=1.0)
        for j, column in enumerate(columns):
            x = left + 70 + wide * j
            pieces.append(
                f'<text class="small" x="{x + wide / 2}" y="{top + 38}" text-anchor="middle">{escape(column)}</text>'
            )
            for i, row in enumerate(rows):
                y = top + _TOP + high * i
                if j == 0:
                    pieces.append(
                        f'<text class="small" x="{left + 60}" y="{y + 17}" text-anchor="end">{escape(row)}</text>'
                    )
                if (row, column) in values:
                    pieces.append(_square(x, y, wide, high, values[row, column], low, most))
    return _svg(across * min(2, len(titles)), down * ((len(titles) + 1) // 2), "; ".join(titles), pieces)


def _square(x: int, y: int, wide: int, high: int, value: float, low: float, most: float) -> str:
    share = (value - low) / (most - low) if most > low else 0.5
    red, green, blue = (round(255 + (dark - 255) * share) for dark in (37, 99, 168))
    ink = "#fff" if share > 0.6 else "#222"
    return (
        f'<rect x="{x}" y="{y}" width="{wide - 2}" height="{high - 2}" fill="rgb({red},{green},{blue})"/>'
        f'<text class="small" x="{x + wide / 2 - 1}" y="{y + 16}" text-anchor="middle" style="fill:{ink}">{value:.2f}</text>'
    )


def _svg(width: float, height: float, title: str, pieces: Sequence[str]) -> str:
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size}>',
            f"<title>{escape(title)}</title>",
            _STYLE,
            '<rect width="100%" height="100%" fill="#fff"/>',
            *pieces,
            "</svg>\n",
        ]
    )
