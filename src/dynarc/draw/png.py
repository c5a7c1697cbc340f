"""Figures as PNG, drawn by matplotlib, which comes with the extra `plot`."""

from io import BytesIO
from typing import TYPE_CHECKING

from dynarc.draw.plot import HEIGHT, WIDTH, Plot, of_lines
from dynarc.draw.svg import LIGHT
from dynarc.draw.text import visible
from dynarc.tables import library

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOTS = 100  # per inch
LARGER = 2  # than the same as SVG


def check() -> None:
    """A ConfigError if nothing can be drawn here."""
    library("matplotlib", "plot")


def to_png(*plots: Plot) -> bytes:
    """What `dynarc.draw.plot.to_svg` draws, one below the other."""
    check()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    size = (WIDTH / DOTS, HEIGHT * len(plots) / DOTS)
    figure = Figure(size, dpi=DOTS * LARGER, layout="constrained", facecolor=LIGHT[0])
    FigureCanvasAgg(figure)  # no window, whatever is configured
    for axes, plot in zip(figure.subplots(len(plots), squeeze=False)[:, 0], plots, strict=True):
        _draw(axes, plot)
    out = BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})  # the same figures give the same bytes
    return out.getvalue()


def _draw(axes: "Axes", plot: Plot) -> None:
    for line, colour in zip(plot.lines, of_lines(LIGHT), strict=False):
        x, y = [point[0] for point in line.points], [point[1] for point in line.points]
        axes.plot(x, y, color=colour, clip_on=False, label=_plain(line.text if line.points else line.name))
        if line.dots:
            areas = [(1.5 * line.radius(place)) ** 2 for place in range(len(x))]
            axes.scatter(x, y, s=areas, color=colour, clip_on=False, zorder=3)
    if plot.diagonal:
        axes.axline((0, 0), slope=1, color=LIGHT[3], linestyle="--", linewidth=1)
    if plot.x.log:
        axes.set_xscale("log", base=2)
    axes.set_xlim(plot.x.low, plot.x.high)
    axes.set_ylim(plot.y.low, plot.y.high)
    axes.margins(0.03)
    axes.set_title(_plain(plot.title), loc="left", fontsize="medium", fontweight="bold")
    axes.set_xlabel(_plain(plot.x.title))
    axes.set_ylabel(_plain(plot.y.title))
    axes.grid(alpha=0.35)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)


def _plain(text: str) -> str:
    """Dollars would begin a formula."""
    return visible(text).replace("$", r"\$")
