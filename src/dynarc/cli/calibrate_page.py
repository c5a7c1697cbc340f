"""The diagrams of `dynarc calibrate`, and its page."""

from dynarc.cli import calibrate_tables as tables
from dynarc.cli.calibrate_tables import SUBJECTS, Table
from dynarc.draw import html
from dynarc.draw.html import Figure, Html, Section, join
from dynarc.draw.plot import Axis, Line, Plot, stylesheet, to_svg
from dynarc.reliability import CalibrationReport, Outcomes, action_bins, coverage, equal_bins

SAID = Axis("probability said, %", 0, 100)
RIGHT = Axis("% right", 0, 100)
KEPT = Axis("% kept, the surest first", 0, 100)
# Fewer of the surest than this are no curve yet.
LEAST = 20
GUIDE = (
    "Dots on the dashed line are right as often as was said; below it, the model was too sure. The larger a dot, the "
    "more items it stands for."
)


def plots(report: CalibrationReport) -> tuple[Plot, Plot, Plot]:
    """Reliability of transitions, and of what they build; coverage against precision."""
    lines = tuple(_reliability(name, outcomes, actions=True) for name, outcomes in tables.transition_outcomes(report))
    judged = tuple(report.each())
    return (
        Plot("Transitions", lines, SAID, RIGHT, diagonal=True),
        Plot(
            " and ".join([", ".join(name for name, _ in judged[:-1]), judged[-1][0]]).capitalize(),
            tuple(_reliability(name, outcomes) for name, outcomes in judged),
            SAID,
            RIGHT,
            diagonal=True,
        ),
        Plot(
            "Coverage", tuple(_coverage(name, outcomes) for name, outcomes in judged), KEPT, Axis("% right", high=100)
        ),
    )


def _reliability(name: str, outcomes: Outcomes, *, actions: bool = False) -> Line:
    bins = [b for b in (action_bins(outcomes) if actions else equal_bins(outcomes)) if b.items]
    most = max(b.items for b in bins)
    return Line(
        name,
        tuple((100 * b.said, 100 * b.accuracy) for b in bins),
        sizes=tuple(b.items / most for b in bins),
        stories=tuple(f"{b.items:,}: {100 * b.said:.1f} said, {100 * b.accuracy:.1f} right" for b in bins),
        end="",
    )


def _coverage(name: str, outcomes: Outcomes) -> Line:
    curve = coverage(outcomes)
    curve = [kept for kept in curve if kept.items >= LEAST] or curve[-1:]
    return Line(name, tuple((100 * kept.share, 100 * kept.accuracy) for kept in curve), dots=False)


def page(report: CalibrationReport, paper: str | None) -> str:
    """Tables and diagrams, each where it belongs."""
    actions, reliability, kept = (Html(f'<div class="figure">{to_svg(plot)}</div>\n') for plot in plots(report))
    guide = Html(f'<p class="key">{GUIDE}</p>\n')
    first = join(_table(tables.transitions(report, paper)), _paragraph(tables.verdict(report)), actions, guide)
    second = join(_table(tables.summary(report)), reliability, guide, kept)
    sections = [
        Section("Transitions", first, "transitions"),
        Section("Figures", second, "figures"),
    ]
    for name, outcomes in report.each():
        _, noun = SUBJECTS[name]
        body = join(
            _table(tables.reliability(outcomes, noun)[0]),
            _table(tables.kept(outcomes, noun)),
            _paragraph(tables.surest(outcomes, name)),
        )
        sections.append(Section(tables.heading(name), body, name))
    lead = " ".join([tables.lead(report), *report.notes])
    return html.page(f"Calibration of {report.model}", sections, lead=lead, css=stylesheet())


def _table(table: Table) -> Html:
    return html.table(table.titles, [[row[0], *map(Figure, row[1:])] for row in table.rows])


def _paragraph(text: str) -> Html:
    return join(Html("<p>"), text, Html("</p>\n"))
