"""Treebanks on the command line: the arguments that name them, and what is said of sentences left out."""

from collections.abc import Iterable, Iterator
from typing import Annotated

import typer

from dynarc.cli.console import count, stderr, write
from dynarc.convert import kind_of, read_any
from dynarc.errors import ConlluError
from dynarc.treebank import Treebank

InputsArgument = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Treebanks, also .gz, .xz or .zst; - is standard input.")
]
OutputOption = Annotated[
    str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
]
SkipBadOption = Annotated[
    bool, typer.Option("--skip-bad", help="Report sentences that cannot be read, and go on without them.")
]

# Lines named before the rest is only counted.
_NAMED = 20


class Skipped:
    """Says which lines could not be read, and at the end how many."""

    def __init__(self) -> None:
        self.lines = 0

    def report(self, problems: Iterable[ConlluError]) -> None:
        for problem in problems:
            self.lines += 1
            if self.lines <= _NAMED:
                write(stderr(), f"dynarc: skipped: {problem}")

    def total(self) -> None:
        if self.lines:
            more = self.lines - _NAMED
            unnamed = f", {more:,} of them not named here" if more > 0 else ""
            what = "bad line" if self.lines == 1 else "bad lines"
            write(stderr(), f"dynarc: sentences with {count(self.lines, what, what)} were left out{unnamed}")


def treebanks(file: str, skipped: Skipped, *, skip_bad: bool, check_trees: bool = True) -> Iterator[Treebank]:
    """The sentences of a file of any format, some at a time; standard input is CoNLL-U."""
    for treebank in read_any(file, kind_of(file, "conllu"), skip_bad=skip_bad, check_trees=check_trees):
        skipped.report(treebank.problems)
        yield treebank
