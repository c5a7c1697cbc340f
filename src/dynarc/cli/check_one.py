"""One oracle against brute force, a row per sentence length."""

from dataclasses import asdict, dataclass, replace
from functools import partial

from rich.text import Text

from dynarc.check import CheckReport, CheckRow, CounterExample
from dynarc.cli.console import (
    Column,
    Columns,
    count,
    interruptible,
    percent,
    stderr,
    stdout,
    waiting,
    write,
    write_json,
    write_paragraph,
)
from dynarc.cli.options import system_json
from dynarc.errors import ConfigError
from dynarc.verify import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class Task(Job):
    """One comparison as the command line asks for it."""

    what: str = ""
    threads: int | None = None

    def describe(self) -> str:
        parts = [f"{self.samples:,} random gold trees of each length" if self.samples else f"{self.golds} gold trees"]
        if self.samples and self.golds != "all":
            parts.append(self.golds)
        if self.partial:
            parts.append("partial ones too")
        if self.labels:
            parts.append(f"{count(self.labels, 'label')} at {self.label_cost:g} an error")
        if self.weights:
            parts.append(f"arcs weighted 0 to {self.weights}")
        if self.method != "auto":
            parts.append(f"by {self.method}")
        if self.nonprojective != "exact":
            parts.append(f"{self.nonprojective} for all gold")
        return ", ".join([*parts, "every state"])


TABLE = Columns(
    [
        Column("words", right=True),
        Column("gold trees", right=True),
        Column("states", right=True, width=13),
        Column("costs", right=True, width=13),
        Column("mismatches", right=True),
        Column("seconds", right=True),
    ]
)


def check_one(task: Task, *, as_json: bool) -> bool:
    """Shows the outcome. False if the oracle claims to be exact and is not."""
    if task.max_words < task.min_words:
        raise ConfigError(f"there is nothing to check from {task.min_words} to {task.max_words} words")
    total = CheckReport(task.system.describe())
    console = stdout()
    with waiting(stderr() if as_json else console, "") as doing:
        # One length at a time, so that each can be read while the next is compared.
        for words in range(task.min_words, task.max_words + 1):
            doing(count(words, "word"))
            report = interruptible(partial(replace(task, min_words=words, max_words=words).run, task.threads))
            total.rows += report.rows
            total.counterexample = total.counterexample or report.counterexample
            if as_json:
                continue
            if words == task.min_words:
                # Not before: options that do not go together are refused by the first comparison.
                write(console, Text.assemble((total.system, "bold"), f", {task.describe()}"), "", TABLE.header())
            write(console, *map(_row, report.rows))
    if as_json:
        write_json({"system": system_json(task.system), **report_json(total)})
    else:
        write(console, "")
        write_paragraph(console, verdict(total))
        if total.counterexample is not None:
            write(console, "", Text("The first counter-example", "bold"), str(total.counterexample))
    return total.ok or not total.exact


def _row(row: CheckRow) -> Text:
    wrong = Text(f"{row.mismatches:,}", "" if row.mismatches == 0 else "bold red" if row.exact else "yellow")
    numbers = [str(row.words), f"{row.golds:,}", f"{row.states:,}", f"{row.costs:,}"]
    return TABLE.row([*numbers, wrong, f"{row.seconds:.2f}"])


def verdict(report: CheckReport) -> Text:
    """What the oracle says of itself and what came out, in one sentence."""
    seconds = sum(row.seconds for row in report.rows)
    compared = f"{count(report.costs, 'cost')} in {count(report.states, 'state')} compared in {seconds:.1f} s"
    if report.exact and report.ok:
        return Text(f"Exact, as the oracle claims: {compared}, no mismatch.", "bold green")
    if report.exact:
        how_many = count(report.mismatches, "mismatch", "mismatches")
        return Text(f"The oracle claims to be exact, but is not: {compared}, {how_many}.", "bold red")
    if report.ok:
        return Text(f"The oracle does not claim to be exact, but is so here: {compared}, no mismatch.", "green")
    return Text(f"The oracle does not claim to be exact: {compared}, {error_rates(report)}.", "yellow")


def wrong_costs(report: CheckReport) -> int:
    return sum(row.wrong_costs for row in report.rows)


def error_rates(report: CheckReport) -> str:
    costs = percent(wrong_costs(report), report.costs)
    sets = percent(report.wrong_sets, report.states)
    return f"{costs} of the costs wrong; in {sets} of the states the cheapest moves include one that is not optimal"


def report_json(report: CheckReport) -> dict[str, object]:
    example = report.counterexample
    return {
        "claims_exact": report.exact,
        "golds": report.golds,
        "states": report.states,
        "costs": report.costs,
        "mismatches": report.mismatches,
        "wrong_costs": wrong_costs(report),
        "wrong_sets": report.wrong_sets,
        "seconds": sum(row.seconds for row in report.rows),
        "rows": [{**asdict(row), "mismatches": row.mismatches} for row in report.rows],
        "counterexample": None if example is None else counterexample_json(example),
    }


def counterexample_json(example: CounterExample) -> dict[str, object]:
    return {
        "heads": example.tree.heads,
        "labels": example.tree.deprels,
        "weights": example.weights,
        "derivation": list(map(str, example.derivation)),
        "state": example.state,
        "transition": None if example.transition is None else str(example.transition),
        "expected": example.expected,
        "got": example.got,
    }
