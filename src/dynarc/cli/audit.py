"""dynarc audit: what is odd about the trees of a treebank."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from dynarc import audit as core
from dynarc.audit import KINDS, Audit, Kind
from dynarc.cli.console import Column, Columns, count, percent, stderr, stdout, waiting, write, write_json
from dynarc.cli.inputs import InputsArgument, SkipBadOption, Skipped, treebanks
from dynarc.cli.options import (
    HeadlessOption,
    JsonOption,
    RootOption,
    SingleRootOption,
    SystemOption,
    make_system,
    system_json,
)
from dynarc.systems import System

TITLES: dict[Kind, str] = {
    "nonprojective": "non-projective",
    "underivable": "not derivable",
    "multiple_roots": "multi-root",
    "cyclic": "cyclic",
    "partial": "partial",
    "no_root": "no root",
    "undecided": "not decided",
}


def audit(
    files: InputsArgument,
    system: SystemOption = "arc-eager",
    root: RootOption = None,
    headless: HeadlessOption = None,
    single_root: SingleRootOption = False,
    first: Annotated[int, typer.Option(min=0, help="How many sentences of each kind to name.")] = 10,
    skip_bad: SkipBadOption = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 1 if anything was found.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the sentences that a system cannot derive.

    Counts and names those that are non-projective, not derivable, cyclic or partial, or that have several
    roots or none.

    Arcs are counted where they are to blame: an arc is non-projective if some word between its ends is not
    below its head; of several roots each after the first counts, of a cycle every arc, of a partial tree every
    unknown head.

        dynarc audit train.conllu dev.conllu --system arc-hybrid
    """
    ts = make_system(system, root, headless, single_root)
    console = stdout()
    total = Audit("all files")
    reports = []
    skipped = Skipped()
    for file in files:
        with waiting(stderr(), f"reading {file}"):
            read = treebanks(file, skipped, skip_bad=skip_bad, check_trees=False)
            sentences = (sentence for treebank in read for sentence in treebank)
            report = core.audit_sentences(sentences, ts, first=first, path="<stdin>" if file == "-" else file)
        total.add(report, first)
        reports.append(report)
        if not as_json:
            _show_counts(console, report, report.path, ts)
    skipped.total()
    if as_json:
        write_json({"system": system_json(ts), "files": [asdict(r) for r in reports], "all": asdict(total)})
    else:
        if len(files) > 1:
            _show_counts(console, total, f"all {len(files)} files", ts)
        _show_findings(console, total)
    if strict and not total.clean:
        raise typer.Exit(1)


def _show_counts(console: Console, report: Audit, title: str, ts: System) -> None:
    sizes = f"{count(report.sentences, 'sentence')}, {count(report.words, 'word')}"
    write(console, Text.assemble((title, "bold"), f": {sizes}, {ts.describe()}"), "")
    kinds = [kind for kind in KINDS if kind != "undecided" or report.counts[kind].sentences]
    rows = []
    for kind in kinds:
        found = report.counts[kind]
        row = [TITLES[kind], f"{found.sentences:,}", percent(found.sentences, report.sentences)]
        row += ["", ""] if found.arcs is None else [f"{found.arcs:,}", percent(found.arcs, report.words)]
        rows.append(row)
    columns = [Column(""), Column("sentences", True), Column("", True), Column("arcs", True), Column("", True)]
    table = Columns.fitted(columns, rows, "  ")
    write(console, table.header())
    for kind, row in zip(kinds, rows, strict=True):
        write(console, table.row(row, "" if report.counts[kind].sentences else "dim"))
    write(console, "")


def _show_findings(console: Console, report: Audit) -> None:
    for kind in KINDS:
        findings, found = report.first[kind], report.counts[kind].sentences
        if not findings:
            continue
        how_many = f"the first {len(findings)} of {found:,}" if found > len(findings) else f"{found:,}"
        write(console, Text.assemble((TITLES[kind], "bold"), f", {how_many}"))
        rows = [[f"{f.path}:{f.line}", f.sent_id or "-", f.reason] for f in findings]
        table = Columns.fitted([Column(""), Column(""), Column("")], rows, "  ")
        write(console, *map(table.row, rows), "")
    if report.clean:
        verdict = "Every sentence is a tree that the system derives." if report.sentences else "There is no sentence."
        write(console, Text(verdict, "green" if report.sentences else "yellow"))
