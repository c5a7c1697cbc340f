"""dynarc demo: what dynamic oracles are for, a treebank, parsers trained on it, and a text, in six short acts."""

import os
import shlex
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from dynarc.check import CheckReport, check_oracle
from dynarc.cli import demo_page
from dynarc.cli.check_one import wrong_costs
from dynarc.cli.console import (
    Column,
    Columns,
    count,
    has_boxes,
    interruptible,
    line_width,
    percent,
    stdout,
    waiting,
    write,
    write_paragraph,
)
from dynarc.cli.options import refuse
from dynarc.cli.parse import draw_text
from dynarc.cli.steps import step_lines
from dynarc.config import TrainConfig
from dynarc.data import english, english_path
from dynarc.draw import Drawing, html
from dynarc.draw.terminal import arcs
from dynarc.errors import FileError, OracleError
from dynarc.evaluation import evaluate
from dynarc.files import check_target, write_text
from dynarc.oracles import BoundOracle
from dynarc.parser import load
from dynarc.stats import stats
from dynarc.systems import State, System, system, systems
from dynarc.trace import Policy, attachments, given, optimal, ruled, trace
from dynarc.train import train
from dynarc.tree import Tree
from dynarc.treebank import Treebank
from dynarc.verify import every_system

FORMS = ("Mum", "fed", "us", "hot", "soup", ".")
# The tree of Goldberg & Nivre 2012, section 2.2, with words of our own.
TREE = Tree([2, 0, 2, 5, 2, 2], ["nsubj", "root", "iobj", "amod", "obj", "punct"])
BEFORE = ("SHIFT", "LEFT(nsubj)", "RIGHT(root)")
WRONG = "SHIFT"
TEXT = "She saw the man with a telescope."
MAX_WORDS = 4
EPOCHS = 8
SHOWN = "story-022"
REPORT = "dynarc-demo.html"


def demo(
    report: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Where to write a page about what was trained.", show_default=REPORT),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no page.")] = False,
) -> None:
    """Show what dynamic oracles are for, and train parsers with them, in a few seconds."""
    if no_report:
        refuse("with --no-report", report=report)
    target, remark = (None, "") if no_report else _target(report)
    console = stdout()
    ts = system("arc-eager", root="first")
    costs = ts.oracle("dynamic").bind(TREE)
    write(console, Text("dynarc: exact dynamic oracles for greedy dependency parsing", "bold"), "")
    _one_way(console, ts, costs)
    _wrong_move(console, ts, costs)
    _all_systems(console)
    _treebank(console)
    page = _training(console)
    _english(console)
    if target is not None:
        write_text(page, target)
    if not no_report:
        write_paragraph(console, remark)
        write(console, "")
    _further(console)


def _target(report: str | None) -> tuple[str | None, str]:
    """Where the report goes, and what is to be said of that. A file that is not ours is replaced only if named."""
    name = REPORT if report is None else report
    strange = Path(name).exists() and not html.is_page(name)
    if report is None:
        try:
            check_target(name)
        except FileError as error:
            return None, f"There is no report: {error}. Choose another place with --report."
        if strange:
            return None, f"There is no report: {name} is not one of ours and stays. Choose another name with --report."
        return name, f"The same as a page, with more sentences and the errors by label: {name}"
    check_target(name)
    replaced = ", in place of the file that was there" if strange else ""
    return name, f"The same as a page, with more sentences and the errors by label: {name}{replaced}"


def _one_way(console: Console, ts: System, costs: BoundOracle) -> None:
    _act(console, "1. The way to a tree")
    write_paragraph(
        console,
        "A greedy parser builds a tree with small moves on a stack and a buffer of words. A static oracle knows one "
        "sequence of moves that ends in the gold tree. Every line is a state; in brackets is what the other moves "
        "would have cost, in gold arcs lost.",
    )
    write(console, "")
    _show(console, ts.initial(FORMS), costs, given(ts.derivation(TREE)))


def _wrong_move(console: Console, ts: System, costs: BoundOracle) -> None:
    _act(console, "2. After a wrong move")
    write_paragraph(
        console,
        "A trained parser errs, and then it is in a state that no gold sequence goes through. Here it shifts “us” "
        "instead of attaching it, which loses one arc.",
    )
    write(console, "")
    before = ts.initial(FORMS)
    for move in BEFORE:
        before.apply(move)
    lost = _show(console, before, costs, given([WRONG]))
    static = ts.oracle("static")
    try:
        static.bind(TREE).optimal(lost)
    except OracleError as error:
        write_paragraph(console, Text.assemble("The static oracle says: ", (str(error), "yellow"), "."))
    write(console, "")
    write_paragraph(console, "Its rules, applied all the same:")
    write(console, "")
    literal = _show(console, lost, costs, ruled(static.bind(TREE, strict=False)))
    write_paragraph(console, "The dynamic oracle, which has an answer in every state:")
    write(console, "")
    best = _show(console, lost, costs, optimal(TREE))
    wrong = [sum(a.verdict == "wrong head" for a in attachments(end, TREE)) for end in (literal, best)]
    write_paragraph(
        console,
        Text.assemble(
            ("The static rules lose ", "bold"),
            (count(wrong[0], "arc"), "bold red"),
            (", the dynamic oracle ", "bold"),
            (str(wrong[1]), "bold green"),
            (".", "bold"),
            " A parser trained with it learns to make the best of its own mistakes.",
        ),
    )
    write(console, "")


def _all_systems(console: Console) -> None:
    _act(console, "3. Are the costs right?")
    write_paragraph(
        console,
        f"Every system with every option, every tree of up to {MAX_WORDS} words, every state that can be reached: "
        "each cost against brute force, which tries all that can follow and knows no cost.",
    )
    write(console, "")
    names = systems()
    numbers = [Column("options", True), Column("states", True, 7), Column("costs", True, 7), Column("wrong", True, 7)]
    table = Columns([Column("system", width=max(map(len, names))), *numbers, Column("")])
    write(console, table.header())
    start = time.perf_counter()
    found: list[CheckReport] = []
    with waiting(console, "") as doing:
        for name in names:
            doing(name)
            reports = [interruptible(lambda ts=ts: check_oracle(ts, MAX_WORDS)) for ts in every_system((name,))]  # type: ignore[misc]
            found += reports
            write(console, _system_row(table, name, reports))
    seconds = time.perf_counter() - start
    exact = [report for report in found if report.exact]
    states, costs, wrong = (sum(getattr(r, what) for r in exact) for what in ("states", "costs", "mismatches"))
    write(console, "")
    verdict = (
        f"{costs:,} costs in {states:,} states of oracles that claim to be exact: {wrong:,} wrong, {seconds:.1f} s."
    )
    write_paragraph(console, Text(verdict, "bold red" if wrong else "bold green"))
    write_paragraph(console, "The others say that they are not; in brackets is how many of their costs are wrong.")


def _treebank(console: Console) -> None:
    _act(console, "\n4. A treebank to try it on")
    treebank = english("dev")
    counts = stats(treebank)
    write_paragraph(
        console,
        f"The package brings a small English treebank, written for it and free to use. Its dev part has "
        f"{count(counts.sentences, 'sentence')} and {count(counts.words, 'word')}; "
        f"{count(counts.nonprojective, 'tree')} cannot be drawn without crossing arcs, such as this:",
    )
    write(console, "")
    crossing = [s for s in treebank if not s.tree.is_projective]
    write(console, *arcs(Drawing.of(min(crossing, key=len)), width=line_width(console), ascii=not has_boxes()), "")


def _english(console: Console) -> None:
    _act(console, "\n6. English, from raw text")
    write_paragraph(
        console,
        "A model trained on a larger treebank (UD English EWT) also comes with the package: it finds tokens, "
        "sentences, tags, lemmas and trees, and knows how sure it is.",
    )
    write(console, "", f"  dynarc parse en {shlex.quote(TEXT)}", "")
    draw_text(console, load("en"), TEXT)


def _training(console: Console) -> str:
    """The fifth act; gives the report back."""
    _act(console, "\n5. A parser trained on it, in seconds")
    write_paragraph(
        console,
        "The same parser, features and data, once by the static oracle and once by the dynamic one, which also visits "
        "states after errors. Scores are on dev, all words, whole labels; with so few sentences a point is not much.",
    )
    write(console, "")
    data, dev = english("train"), english("dev")
    runs = []
    for oracle in ("static", "dynamic"):
        with waiting(console, f"training with the {oracle} oracle"):
            runs.append(_run(data, dev, TrainConfig(oracle=oracle, features="zhang-nivre", epochs=EPOCHS)))
    rows = [
        [run.config.oracle, f"{run.scores.uas:.2f}", f"{run.scores.las:.2f}", f"{run.seconds:.1f} s"] for run in runs
    ]
    table = Columns.fitted([Column("oracle"), Column("UAS", True), Column("LAS", True), Column("", True)], rows)
    write(console, table.header(), *map(table.row, rows), "")
    shown = next(number for number, sentence in enumerate(dev) if sentence.sent_id == SHOWN)
    write_paragraph(console, "A sentence of dev as the second one parses it; what differs from gold is marked:")
    write(console, "")
    drawing = Drawing.of(runs[-1].parsed[shown], dev[shown])
    write(console, *arcs(drawing, width=line_width(console), ascii=not has_boxes()), "")
    return demo_page.page(runs, data, dev)


def _run(data: Treebank, dev: Treebank, config: TrainConfig) -> demo_page.Run:
    start = time.perf_counter()
    parser = interruptible(lambda: train(data, config=config, calibrate=False))
    seconds = time.perf_counter() - start
    parsed = parser.parse(dev)
    return demo_page.Run(config, evaluate(dev, parsed), parsed, seconds)


def _further(console: Console) -> None:
    write(console, "Now with sentences of your own:", "")
    shown, train_shown = (_shown(english_path(split)) for split in ("dev", "train"))
    for command in (
        f"dynarc train {train_shown} --dev {shown} -o english.dynarc",
        f"dynarc parse english.dynarc {shown} -o parsed.conllu",
        f"dynarc eval {shown} parsed.conllu",
        f"dynarc view parsed.conllu --gold {shown}",
        f"dynarc stats {shown}",
        f"dynarc audit {shown} --system arc-hybrid",
        f"dynarc trace {shown} --index 2",
        "dynarc trace --heads 2,0,2 --forms 'She likes tea'",
    ):
        write(console, f"  {command}")


def _shown(path: Path) -> str:
    """A path as it may be copied into a command."""
    return shlex.quote(os.path.relpath(path) if path.is_relative_to(Path.cwd()) else str(path))


def _system_row(table: Columns, name: str, reports: list[CheckReport]) -> Text:
    exact = [report for report in reports if report.exact]
    rough = [report for report in reports if not report.exact]
    wrong = sum(report.mismatches for report in exact) + sum(map(wrong_costs, rough))
    remark = Text("exact", "green")
    if rough:
        share = percent(sum(map(wrong_costs, rough)), sum(r.costs for r in rough))
        remark = Text(
            f"exact; {count(len(rough), 'option')} not ({share})" if exact else f"not exact ({share})", "yellow"
        )
    cells = [len(reports), sum(r.states for r in reports), sum(r.costs for r in reports), wrong]
    return table.row([name, *(f"{cell:,}" for cell in cells), remark])


def _act(console: Console, title: str) -> None:
    write(console, Text(title, "bold cyan"), "")


def _show(console: Console, start: State, oracle: BoundOracle, policy: Policy) -> State:
    """Prints a derivation and gives its last state back."""
    steps = list(trace(start, oracle, policy))
    write(console, *step_lines(start, oracle.loss(start), steps, line_width(console)), "")
    return steps[-1].after
