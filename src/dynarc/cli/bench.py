"""dynarc bench: how fast a model is here, and what it needs."""

from typing import Annotated

import typer

from dynarc.bench import Bench
from dynarc.bench import bench as measure
from dynarc.cli.console import Column, Columns, count, stderr, stdout, waiting, write, write_json
from dynarc.cli.options import JsonOption
from dynarc.draw.text import visible
from dynarc.errors import ConfigError


def bench(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What dynarc train has written.")],
    data: Annotated[str, typer.Argument(metavar="FILE", help="A CoNLL-U file to parse again and again.")],
    threads: Annotated[str, typer.Option(metavar="N,N", help="Numbers of threads; 1 and all cores if not given.")] = "",
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is measured.")] = 5,
    growth: Annotated[
        bool, typer.Option("--growth", help="Also how time grows with the length of sentences, to 100,000 words.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how fast a model parses a file on this machine.

    Parsing alone, in both layouts of weights, and from file to file; memory; how long the program takes to start.
    Machines are noisy: figures are the middle one of several rounds, with the best beside it.

        dynarc bench en.dynarc test.conllu

        dynarc bench en.dynarc test.conllu --growth --json
    """
    try:
        numbers = [int(number) for number in threads.split(",") if number]
    except ValueError:
        raise ConfigError(f"--threads {threads}: numbers with commas between them are needed, as in 1,2") from None
    with waiting(stderr(), "loading") as say:
        found = measure(model, data, threads=numbers, rounds=rounds, growth=growth, progress=say)
    if as_json:
        write_json(found.to_dict())
    else:
        _show(found)


def _show(found: Bench) -> None:
    console = stdout()
    write(console, f"{visible(found.data)}: {count(found.sentences, 'sentence')}, {count(found.words, 'word')}")
    write(console, f"{visible(found.model)}: {found.bytes / 1e6:.1f} MB; {found.machine}", "")
    rows = [[rate.what, str(rate.threads), f"{rate.median:,.0f}", f"{rate.best:,.0f}"] for rate in found.rates]
    columns = [Column("words/s"), Column("threads", True), Column("median", True), Column("best", True)]
    table = Columns.fitted(columns, rows)
    write(console, table.header(), *map(table.row, rows), "")
    others = [[f"memory, {memory.layout}", f"{memory.peak / 1e6:,.0f} MB"] for memory in found.memory]
    others += [
        ["model loaded in", f"{found.load_seconds:.3f} s"],
        ["import dynarc", f"{found.import_seconds:.3f} s"],
        ["one sentence by the program", f"{found.cold_start_seconds:.3f} s"],
    ]
    if found.las is not None:
        others.append(["UAS, LAS", f"{found.uas:.2f}, {found.las:.2f}"])
    plain = Columns.fitted([Column(""), Column("", True)], others)
    write(console, *map(plain.row, others))
    if found.growth:
        rows = [[f"{step.length:,}", f"{step.nanoseconds:,.0f}"] for step in found.growth]
        table = Columns.fitted([Column("words in a sentence", True), Column("ns for a word", True)], rows)
        write(console, "", table.header(), *map(table.row, rows))
