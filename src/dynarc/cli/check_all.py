"""Every system with every option against brute force."""

import time
from dataclasses import dataclass, field
from itertools import compress

from rich.console import Console
from rich.text import Text

from dynarc.check import CheckReport
from dynarc.cli.check_one import error_rates, report_json
from dynarc.cli.console import (
    GAP,
    Cell,
    Column,
    Columns,
    count,
    interruptible,
    line_width,
    stderr,
    stdout,
    waiting,
    write,
    write_json,
    write_paragraph,
)
from dynarc.cli.options import system_json
from dynarc.systems import System
from dynarc.verify import Job, every_system, jobs


@dataclass(slots=True)
class Outcome:
    """Jobs that have been run, and what came out."""

    done: list[tuple[Job, CheckReport]] = field(default_factory=list)

    @property
    def states(self) -> int:
        return sum(report.states for _, report in self.done)

    @property
    def costs(self) -> int:
        return sum(report.costs for _, report in self.done)

    @property
    def mismatches(self) -> int:
        """Of oracles that claim to be exact."""
        return sum(report.mismatches for job, report in self.done if not job.approximate)

    @property
    def failed(self) -> list[tuple[Job, CheckReport]]:
        return [(job, report) for job, report in self.done if not job.holds(report)]

    @property
    def approximate(self) -> list[tuple[Job, CheckReport]]:
        return [(job, report) for job, report in self.done if job.approximate]


def check_all(
    names: tuple[str, ...] | None,
    max_words: int,
    samples: tuple[int, int] | None,
    threads: int | None,
    *,
    as_json: bool,
) -> bool:
    """Shows what becomes of each system (terminal) or each job (pipe). False if any job does not hold."""
    console = stdout()
    variants = list(every_system(names))
    table = _Table(variants, console)
    total = Outcome()
    start = time.perf_counter()
    if not as_json:
        write(console, table.columns.header())
    with waiting(stderr() if as_json else console, "") as doing:
        for ts in variants:
            mine = Outcome()
            for job in jobs(ts, max_words, samples):
                doing(f"{ts.describe()}: {_what(job)}")
                report = interruptible(lambda job=job: job.run(threads))  # type: ignore[misc]
                mine.done.append((job, report))
                if table.per_job and not as_json:
                    write(console, table.row(ts, _what(job), Outcome([(job, report)])))
            total.done += mine.done
            if not table.per_job and not as_json:
                write(console, table.row(ts, count(len(mine.done), "check"), mine))
    seconds = time.perf_counter() - start
    if as_json:
        write_json(_document(total, seconds))
    else:
        _show_total(console, total, len(variants), seconds)
    return not total.failed


class _Table:
    """A row for each system on a terminal, where the job at hand is shown below them; else one for each job."""

    def __init__(self, variants: list[System], console: Console) -> None:
        self.per_job = not console.is_terminal
        columns = [
            Column("", width=2),
            Column("system", width=max(len(ts.describe()) for ts in variants)),
            Column("checked", width=36 if self.per_job else 9),
            Column("states", right=True, width=11),
            Column("costs", right=True, width=11),
            Column("mismatches", right=True),
            Column("seconds", right=True),
        ]
        left_out = () if line_width(console) >= 100 else ("checked", "states")
        self._shown = [column.title not in left_out for column in columns]
        self.columns = Columns(list(compress(columns, self._shown)))

    def row(self, ts: System, what: str, outcome: Outcome) -> Text:
        mark = Text("NO", "bold red") if outcome.failed else Text("ok", "green")
        wrong = Text(f"{outcome.mismatches:,}", "bold red" if outcome.mismatches else "")
        if len(outcome.approximate) == len(outcome.done):
            wrong = Text("not exact", "yellow")
        seconds = sum(row.seconds for _, report in outcome.done for row in report.rows)
        cells: list[Cell] = [
            mark,
            ts.describe(),
            what,
            f"{outcome.states:,}",
            f"{outcome.costs:,}",
            wrong,
            f"{seconds:.1f}",
        ]
        return self.columns.row(compress(cells, self._shown))


def _what(job: Job) -> str:
    lengths = f"{job.min_words}-{job.max_words}" if job.min_words < job.max_words else str(job.max_words)
    return f"{job.what}, {lengths} words"


def _show_total(console: Console, total: Outcome, variants: int, seconds: float) -> None:
    write(console, "")
    wrong = count(total.mismatches, "mismatch", "mismatches") if total.mismatches else "no mismatch"
    text = (
        f"{count(len(total.done), 'check')} of {count(variants, 'system variant')}: {count(total.states, 'state')}, "
        f"{count(total.costs, 'cost')} compared, {wrong} in oracles that claim to be exact, {seconds:.1f} s."
    )
    write_paragraph(console, Text(text, "bold red" if total.failed else "bold green"))
    for job, report in total.approximate:
        write_paragraph(console, f"{job.system.describe()} does not claim to be exact: {error_rates(report)}.")
    for job, report in total.failed:
        write(console, "", Text(f"Failed: {job.system.describe()}, {_what(job)}", "bold red"))
        if report.counterexample is not None and not job.approximate:
            write(console, *(GAP + line for line in str(report.counterexample).splitlines()))
        elif job.approximate:
            write(console, f"{GAP}The oracle claims to be exact, but is known not to be.")
        elif not report.exact:
            write(console, f"{GAP}The oracle no longer claims to be exact.")


def _document(total: Outcome, seconds: float) -> dict[str, object]:
    return {
        "holds": not total.failed,
        "states": total.states,
        "costs": total.costs,
        "mismatches": total.mismatches,
        "seconds": seconds,
        "checks": [
            {
                "system": system_json(job.system),
                "what": job.what,
                "min_words": job.min_words,
                "max_words": job.max_words,
                "approximate": job.approximate,
                "holds": job.holds(report),
                **report_json(report),
            }
            for job, report in total.done
        ],
    }
