"""The page of `dynarc train --curve`, and the sentence that sums it up."""

from collections.abc import Sequence

from dynarc.config import TrainConfig
from dynarc.draw import html
from dynarc.draw.html import Figure, Html, Section, join
from dynarc.draw.plot import Axis, Line, Plot, stylesheet, to_svg
from dynarc.validation import CurvePoint

TITLE = "Learning curve"


def gained(curve: Sequence[CurvePoint]) -> str:
    """What the last doubling of the data brought, as it is."""
    if len(curve) < 2:
        return "There are too few sentences to halve them, so nothing can be said of twice the data."
    before, after = curve[-2], curve[-1]
    points = round(after.las - before.las, 1)
    what = "changed nothing" if points == 0 else f"{'gained' if points > 0 else 'lost'} {abs(points):.1f} LAS"
    return f"From {before.sentences:,} to {after.sentences:,} sentences, twice the data {what}."


def picture(curve: Sequence[CurvePoint], *, alone: bool) -> str:
    lines = (
        Line("UAS", tuple((point.sentences, point.uas) for point in curve)),
        Line("LAS", tuple((point.sentences, point.las) for point in curve)),
    )
    return to_svg(Plot(TITLE, lines, Axis("sentences trained on", log=True), Axis("%")), alone=alone)


def page(curve: Sequence[CurvePoint], config: TrainConfig, *, trained_on: str, scored_on: str) -> str:
    rows = [
        (
            Figure(f"{point.sentences:,}"),
            Figure(f"{point.words:,}"),
            Figure(f"{point.uas:.2f}"),
            Figure(f"{point.las:.2f}"),
            Figure(f"{point.seconds:.1f}"),
        )
        for point in curve
    ]
    options = [(name, str(value)) for name, value in config.to_dict().items()]
    drawn = Html(f'<div class="figure">{picture(curve, alone=False)}</div>\n<p>')
    shown = join(drawn, gained(curve), Html("</p>\n"))
    sections = [
        Section("Curve", shown, "curve"),
        Section("Figures", html.table(("sentences", "words", "UAS", "LAS", "seconds"), rows), "figures"),
        Section("Configuration", html.table(("option", "value"), options), "configuration"),
    ]
    lead = f"Trained on parts of {trained_on}, each holding the one before; scored on {scored_on}. "
    lead += "All words, whole labels."
    return html.page(TITLE, sections, lead=lead, css=stylesheet())
