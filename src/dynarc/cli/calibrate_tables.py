"""The tables of `dynarc calibrate` as texts, for terminals and pages."""

from collections.abc import Sequence
from typing import NamedTuple

from dynarc.cli.console import count
from dynarc.published import GOLDBERG_2013, short_count
from dynarc.reliability import (
    BINS,
    SHARES,
    TARGETS,
    Bin,
    CalibrationReport,
    Figures,
    Kept,
    Outcomes,
    action_bins,
    equal_bins,
    figures,
    keep_right,
    keep_share,
    largest_gap,
)

# What is judged, what of it is said to be right, and what one of it is.
SUBJECTS = {
    "arcs": ("the head is right", "word"),
    "labels": ("head and label are right", "word"),
    "trees": ("all of the tree is right", "sentence"),
}
# The share whose errors are compared with those of all.
SURE = 0.8


class Table(NamedTuple):
    """The first column is for names, all others for numbers."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]


def points(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f}"


def signed(share: float) -> str:
    """In points; never -0.0.

    >>> signed(-0.0001), signed(0.0123)
    ('0.0', '+1.2')
    """
    text = f"{100 * share:+.1f}"
    return "0.0" if float(text) == 0 else text


def lead(report: CalibrationReport) -> str:
    sizes = f"{count(report.words, 'word')}, {count(report.sentences, 'sentence')}"
    return f"{report.model} on {report.data}: {sizes}."


def heading(name: str) -> str:
    """What the probability of something is about."""
    return f"{name.capitalize()}: the probability that {SUBJECTS[name][0]}"


def transitions(report: CalibrationReport, paper: str | None) -> Table:
    """The paper's table: raw, fitted, and the paper's own."""
    titles = ["bin"]
    columns: list[dict[float, list[str]]] = []
    for name, outcomes in transition_outcomes(report):
        titles += [f"{name} items", "said", "right"]
        columns.append({b.low: _cells(b) for b in action_bins(outcomes) if b.items})
    if paper is not None:
        titles += [f"paper ({paper})", "right"]
        columns.append({b.low: [short_count(b.items), str(b.right)] for b in GOLDBERG_2013[paper] if b.items})
    lows = sorted({low for column in columns for low in column})
    widths = [3] * (len(columns) - (paper is not None)) + [2] * (paper is not None)
    rows = [
        [f"{low:.1f}", *(c for column, wide in zip(columns, widths, strict=True) for c in column.get(low, [""] * wide))]
        for low in lows
    ]
    return Table(titles, rows)


def transition_outcomes(report: CalibrationReport) -> list[tuple[str, Outcomes]]:
    """As the scores give them and, if the model has a map for them, as that does."""
    fitted = report.fitted_transitions
    return [("raw", report.transitions), *([] if fitted is None else [("fitted", fitted)])]


def _cells(b: Bin) -> list[str]:
    return [f"{b.items:,}", points(b.said), points(b.accuracy)]


def verdict(report: CalibrationReport) -> str:
    """How far the bins of transitions are off where there are enough items to tell."""
    said = []
    for name, outcomes in transition_outcomes(report):
        worst = largest_gap(action_bins(outcomes))
        said.append(f"{name} none" if worst is None else f"{name} {signed(worst.gap)} (bin {worst.low:.1f})")
    return f"Largest distance of right from said, in bins from 0.5 up with 300 items or more: {', '.join(said)}."


def reliability(outcomes: Outcomes, noun: str) -> tuple[Table, list[Bin]]:
    """A row for each bin that has items, and these bins."""
    bins = [b for b in equal_bins(outcomes) if b.items]
    rows = [[f"{b.low:.2f}-{b.high:.2f}", *_cells(b), signed(b.gap)] for b in bins]
    return Table([f"{BINS} bins", f"{noun}s", "said", "right", "off"], rows), bins


def summary(report: CalibrationReport) -> Table:
    """Every figure of what is judged, side by side."""
    judged = [(name, figures(outcomes)) for name, outcomes in report.each()]
    rows = [
        ["items", *(f"{f.items:,}" for _, f in judged)],
        ["right, %", *(points(f.accuracy, 2) for _, f in judged)],
        ["said, mean %", *(points(f.said, 2) for _, f in judged)],
        ["ECE, %", *(points(f.ece, 2) for _, f in judged)],
        ["MCE, %", *(points(f.mce, 2) for _, f in judged)],
        ["Brier", *(f"{f.brier:.4f}" for _, f in judged)],
        ["log loss", *(f"{f.log_loss:.4f}" for _, f in judged)],
        ["AUC of errors", *(_auc(f) for _, f in judged)],
    ]
    return Table(["", *(name for name, _ in judged)], rows)


def _auc(f: Figures) -> str:
    return "-" if f.auc is None else f"{f.auc:.4f}"


def kept(outcomes: Outcomes, noun: str) -> Table:
    """What is kept of the surest, and how much of it is right: by share, then by what is wanted to be right."""
    rows = [[f"the surest {share:.0%}", *_kept(keep_share(outcomes, share))] for share in SHARES]
    rows.append(["all", *_kept(keep_share(outcomes, 1.0))])
    for target in TARGETS:
        found = keep_right(outcomes, target)
        rows.append([f"{100 * target:g}% right", *(["-", "0", "0.0", "-"] if found is None else _kept(found))])
    return Table(["keep", "from", f"{noun}s", "of all", "right"], rows)


def _kept(k: Kept) -> list[str]:
    return [f"{k.threshold:.3f}", f"{k.items:,}", points(k.share), points(k.accuracy, 2)]


def surest(outcomes: Outcomes, name: str) -> str:
    """How many errors are left among the surest."""
    sure, every = keep_share(outcomes, SURE), keep_share(outcomes, 1.0)
    text = f"Among the surest {points(sure.share)} % of {name}, {points(sure.error_rate, 2)} % are wrong; "
    text += f"of all, {points(every.error_rate, 2)} %"
    if sure.error_rate and every.error_rate > sure.error_rate:
        text += f", {every.error_rate / sure.error_rate:.1f} times as many"
    return f"{text}."
