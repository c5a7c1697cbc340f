"""The tables of `dynarc eval`. Figures have two decimals; what is exact is in the JSON."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from rich.console import Console
from rich.text import Text

from dynarc.cli.console import Cell, Column, Columns, count, line_width, write
from dynarc.errors import EvaluationError
from dynarc.evaluation import Bin, Comparison, Count, Difference, Interval, Scores
from dynarc.evaluation.scores import TREE_METRICS

INDENT = "  "
KEY_METRIC = "LAS"


@dataclass(frozen=True)
class Report:
    """Everything about one protocol."""

    first: Sequence[Scores]
    second: Sequence[Scores]
    intervals: Mapping[str, Interval]
    comparison: Comparison | None
    draws: int
    seed: int


def show(console: Console, report: Report, breakdowns: Sequence[str]) -> None:
    head = report.first[0]
    _title(console, report)
    if report.comparison:
        _compared(console, report, report.comparison)
    elif len(report.first) > 1:
        _several(console, report)
    elif head.official:
        _official(console, head, report)
    else:
        _one(console, head, report)
    _remarks(console, report)
    for scores in [*report.first, *report.second]:
        several = len(report.first) + len(report.second) > 1
        for kind in breakdowns:
            _breakdown(console, scores, kind, scores.system if several else "")


def show_overview(console: Console, reports: Sequence[Report], refused: Mapping[str, EvaluationError]) -> None:
    """One line per protocol, and what each of them means."""
    head = reports[0].first[0]
    write(console, Text.assemble((head.system, "bold"), f" against {head.gold}"), "")
    columns = [Column("protocol"), *(Column(short(metric), True) for metric in TREE_METRICS), Column("words", True)]
    rows = [
        [s.protocol.name, *(f"{s.counts[metric].f1:.2f}" for metric in TREE_METRICS), f"{s.words:,}"]
        for s in (report.first[0] for report in reports)
    ]
    _table(console, columns, rows)
    names = Columns.fitted([Column(""), Column("")], [[row[0], ""] for row in rows], INDENT)
    for report in reports:
        write(console, names.row([report.first[0].protocol.name, report.first[0].protocol.rules], "dim"))
    for name, error in refused.items():
        write(console, Text.assemble(INDENT, (name, "yellow"), f" not scored: {error}"))
    write(console, "")
    _remark(console, _columns(head))
    for report in reports:
        for note in report.first[0].notes:
            _remark(console, f"{report.first[0].protocol.name}: {note}")


def short(metric: str) -> str:
    return metric.replace("exact match unlabelled", "exact heads").replace("label accuracy", "label acc.")


def _title(console: Console, report: Report) -> None:
    scores = report.first[0]
    write(console, Text.assemble((scores.protocol.name, "bold"), f": {scores.protocol.rules}"))
    left_out = f", {scores.punctuation:,} left out" if scores.punctuation else ""
    sizes = f"{count(scores.words, 'word')} scored{left_out}, {count(scores.sentences, 'sentence')}"
    alone = len(report.first) == 1 and not report.second
    write(console, f"{f'{scores.system} against ' if alone else ''}{scores.gold}: {sizes}", "")


def _one(console: Console, scores: Scores, report: Report) -> None:
    columns = [Column(""), Column("%", True), *_interval_column(report)]
    columns += [Column("right", True), Column("gold", True), Column("system", True)]
    rows = []
    for metric in TREE_METRICS:
        c = scores.counts[metric]
        counts = [f"{number:,}" for number in (c.correct, c.gold, c.system)]
        rows.append([metric, f"{c.f1:.2f}", *_interval_cell(report, metric), *counts])
    _table(console, columns, rows)


def _official(console: Console, scores: Scores, report: Report) -> None:
    columns = [Column(""), Column("precision", True), Column("recall", True), Column("F1", True)]
    columns += [*_interval_column(report), Column("aligned", True)]
    rows = []
    metrics = {**scores.official, **{metric: scores.counts[metric] for metric in TREE_METRICS}}
    for metric, c in metrics.items():
        aligned = "" if c.aligned_accuracy is None else f"{c.aligned_accuracy:.2f}"
        figures = [f"{c.precision:.2f}", f"{c.recall:.2f}", f"{c.f1:.2f}"]
        rows.append([metric, *figures, *_interval_cell(report, metric), aligned])
    _table(console, columns, rows)


def _several(console: Console, report: Report) -> None:
    columns = [Column(""), Column("mean", True), Column("deviation", True), *_interval_column(report)]
    columns += [Column(str(i + 1), True) for i in range(len(report.first))]
    rows = []
    metrics = dict.fromkeys([*report.first[0].official, *TREE_METRICS])
    for metric in metrics:
        values = [scores.counts[metric].f1 for scores in report.first if metric in scores.counts]
        if len(values) == len(report.first):
            mean, deviation = statistics.fmean(values), statistics.stdev(values)
            figures = [f"{mean:.2f}", f"{deviation:.2f}", *_interval_cell(report, metric)]
            rows.append([metric, *figures, *(f"{value:.2f}" for value in values)])
    _table(console, columns, rows)
    _legend(console, "", report.first)


def _compared(console: Console, report: Report, comparison: Comparison) -> None:
    names = ["first", "second"] if comparison.over_seeds else [report.first[0].system, report.second[0].system]
    columns = [Column("")]
    for name, side in zip(names, (report.first, report.second), strict=True):
        columns += [Column(name, True), *([Column("deviation", True)] if len(side) > 1 else [])]
    columns += [Column("difference", True), Column("95 % interval", True), Column("p", True)]
    rows: list[list[Cell]] = []
    for metric, d in comparison.differences.items():
        row: list[Cell] = [metric]
        for mean, side in ((d.first, report.first), (d.second, report.second)):
            row.append(f"{mean:.2f}")
            if len(side) > 1:
                row.append(f"{statistics.stdev(scores.counts[metric].f1 for scores in side):.2f}")
        row += [f"{d.difference:+.2f}", f"{d.interval.lower:+.2f} to {d.interval.upper:+.2f}", _p(d, comparison.draws)]
        rows.append(row)
    _table(console, columns, rows)
    if comparison.over_seeds:
        _legend(console, "first", report.first)
        _legend(console, "second", report.second)


def _p(d: Difference, draws: int) -> Text:
    text = f"{d.p:.4f}" if d.flips else f"< {2 / draws:.4f}"
    return Text(text, style="bold" if d.p < 0.05 else "dim")


def _legend(console: Console, title: str, side: Sequence[Scores]) -> None:
    for number, scores in enumerate(side, start=1):
        figure = f"  {KEY_METRIC} {scores.las:.2f}" if title else ""
        write(console, Text.assemble(INDENT, (f"{title} {number}".strip(), "bold"), f"  {scores.system}{figure}"))
    write(console, "")


def _remarks(console: Console, report: Report) -> None:
    everyone = [*report.first, *report.second]
    texts = {_columns(scores): scores for scores in everyone}
    for text, scores in texts.items():
        where = "" if len(texts) == 1 else f"{scores.system}: "
        _remark(console, where + text)
    for note in dict.fromkeys(note for scores in everyone for note in scores.notes):
        _remark(console, note)
    if report.draws:
        over = "sentences"
        if len(report.first) > 1 or len(report.second) > 1:
            over += f" and systems ({len(report.first)} and {len(report.second)})" if report.second else " and systems"
        text = f"bootstrap over {over}: {report.draws:,} draws, seed {report.seed}"
        if report.comparison:
            text += "; paired, p two-sided: twice the share of draws without the sign of the difference"
        _remark(console, text)
    write(console, "")


def _remark(console: Console, text: str) -> None:
    for line in wrap(text, min(line_width(console), 100) - len(INDENT)):
        write(console, Text(INDENT + line, style="dim"))


def _columns(scores: Scores) -> str:
    """Whether the system was given gold tags, or made its own."""
    same = [name for name, c in scores.columns.items() if c.correct == c.gold]
    other = [f"{name} in {c.recall:.2f} %" for name, c in scores.columns.items() if c.correct != c.gold]
    parts = [f"{', '.join(same)} as in the gold file"] if same else []
    if other:
        parts.append(f"{'' if same else 'as in the gold file: '}{', '.join(other)} of the words")
    return "; ".join(parts)


def _interval_column(report: Report) -> list[Column]:
    return [Column("95 % interval", True)] if report.intervals else []


def _interval_cell(report: Report, metric: str) -> list[str]:
    if not report.intervals:
        return []
    found = report.intervals[metric]
    return [f"{found.lower:.2f} to {found.upper:.2f}"]


def _breakdown(console: Console, scores: Scores, kind: str, title: str) -> None:
    name = {"label": "by label", "distance": "by length of the gold arc", "length": "by words in the sentence"}[kind]
    where = f"{title}, " if title else ""
    write(console, Text.assemble((name, "bold"), f" ({where}protocol {scores.protocol})"), "")
    titles: tuple[str, ...]
    if kind == "label":
        titles = ("gold", "system", "precision", "recall", "F1", "head", "label")
        rows = [
            [
                label,
                f"{s.gold:,}",
                f"{s.system:,}",
                *(f"{value:.2f}" for value in (s.precision, s.recall, s.f1)),
                _share(s.heads, s.gold),
                _share(s.labels, s.gold),
            ]
            for label, s in scores.per_label.items()
        ]
    elif kind == "distance":
        titles = ("words", "UAS", "LAS")
        rows = [[b.name, f"{b.words:,}", *_attachment(b)] for b in scores.by_distance]
    else:
        titles = ("sentences", "words", "UAS", "LAS", "exact match")
        rows = [
            [b.name, f"{b.sentences:,}", f"{b.words:,}", *_attachment(b), _share(b.exact, b.sentences)]
            for b in scores.by_length
        ]
    _table(console, [Column(""), *(Column(text, True) for text in titles)], rows, key="")


def _attachment(b: Bin) -> list[str]:
    return [_share(b.heads, b.words), _share(b.correct, b.words)]


def _share(part: int, whole: int) -> str:
    return f"{Count(part, whole, whole).recall:.2f}" if whole else "-"


def _table(console: Console, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], key: str = KEY_METRIC) -> None:
    table = Columns.fitted(columns, rows, INDENT)
    write(console, table.header())
    for row in rows:
        write(console, table.row(row, "bold" if row[0] == key else ""))
    write(console, "")
