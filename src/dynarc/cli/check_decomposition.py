"""Arc decomposition: whether gold arcs that are reachable one by one are reachable together."""

from collections.abc import Sequence

from rich.text import Text

from dynarc.check import DecompositionReport, Golds, check_decomposition
from dynarc.cli.check_one import counterexample_json
from dynarc.cli.console import (
    Cell,
    Column,
    Columns,
    count,
    interruptible,
    stderr,
    stdout,
    waiting,
    write,
    write_json,
    write_paragraph,
)
from dynarc.cli.options import system_json
from dynarc.systems import System
from dynarc.verify import every_system


def check_decompositions(ts: System | None, max_words: int, golds: Golds | None, *, as_json: bool) -> None:
    """Shows the test for one system, length by length, or for every system with every option."""
    found: list[tuple[System, list[DecompositionReport]]] = []
    with waiting(stderr(), "") as doing:
        for each in every_system() if ts is None else [ts]:
            doing(each.describe())
            found.append((each, interruptible(lambda: check_decomposition(each, max_words, golds=golds))))  # noqa: B023
    if as_json:
        write_json([_document(each, reports) for each, reports in found])
        return
    console = stdout()
    rows = [row for each, reports in found for row in _rows(each, reports, every_length=ts is not None)]
    columns = [
        Column("system"),
        Column("words", right=True),
        Column("states", right=True),
        Column("arcs exclude each other", right=True),
        Column("decomposable"),
    ]
    table = Columns.fitted(columns, rows)
    write(console, table.header(), *map(table.row, rows), "")
    examples = [(each, reports[-1]) for each, reports in found if not reports[-1].decomposable]
    for each, report in examples:
        write(console, Text.assemble((each.describe(), "bold"), ", the smallest counter-example"))
        write(console, *("  " + line for line in _example(report)), "")
    if not examples:
        write_paragraph(
            console,
            Text(f"Up to {count(max_words, 'word')}, arcs reachable one by one are reachable together.", "green"),
        )


def _rows(ts: System, reports: Sequence[DecompositionReport], *, every_length: bool) -> list[list[Cell]]:
    # For all systems the longest length says it: a test stops at the first that breaks.
    shown = reports if every_length else reports[-1:]
    return [
        [
            ts.describe(),
            str(report.words),
            f"{report.states:,}",
            f"{report.broken:,}",
            Text("yes", "green") if report.decomposable else Text("no", "bold yellow"),
        ]
        for report in shown
    ]


def _example(report: DecompositionReport) -> list[str]:
    example = report.counterexample
    assert example is not None
    arcs = ", ".join(f"{head}->{word}" for word, head in enumerate(example.tree.heads, start=1))
    alone, together = int(example.got), int(example.expected)
    if alone == 0:
        saying = f"each arc is reachable alone, together {together} must be lost"
    else:
        lost = "1 arc is lost already" if alone == 1 else f"{alone} arcs are lost already"
        saying = f"{lost}; each of the others is reachable alone, together {together - alone} more must be lost"
    return [
        f"gold arcs   {arcs}",
        f"derivation  {' '.join(map(str, example.derivation)) or '(the first state)'}",
        f"state       {example.state}",
        saying,
    ]


def _document(ts: System, reports: Sequence[DecompositionReport]) -> dict[str, object]:
    return {
        "system": system_json(ts),
        "decomposable": reports[-1].decomposable,
        "lengths": [
            {
                "words": report.words,
                "states": report.states,
                "broken": report.broken,
                "counterexample": None if report.counterexample is None else counterexample_json(report.counterexample),
            }
            for report in reports
        ],
    }
