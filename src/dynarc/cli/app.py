"""The commands together: help, version, and how each of them ends."""

import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import dynarc
from dynarc.cli import (
    audit,
    bench,
    calibrate,
    check,
    convert,
    demo,
    diff,
    errors,
    fetch,
    info,
    parse,
    review,
    stats,
    trace,
    train,
    view,
)
from dynarc.cli import eval as eval_
from dynarc.cli.console import fail
from dynarc.errors import ConfigError, DynarcError

# As a shell counts them: 128 and the signal.
INTERRUPTED = 130
PIPE_CLOSED = 141

# Typer exports only this branch of the exceptions for wrong usage, and has moved their common base about.
UsageError: Any = typer.BadParameter.__mro__[1]


class Commands(TyperGroup):
    """Ends every command the same way: a user's mistake is one line and an exit status, never a traceback."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        try:
            result = super().main(args, "dynarc", complete_var, False, windows_expand_args, **extra)
            status = result if isinstance(result, int) else 0
        except UsageError as error:
            message = error.format_message().removesuffix(".").replace("Value error, ", "")
            command = error.ctx.command_path if error.ctx is not None else "dynarc"
            status = fail(f"{message} (see '{command} --help')", 2)
        except ConfigError as error:
            status = fail(str(error), 2)
        except DynarcError as error:
            status = fail(str(error), 1)
        except MemoryError:
            status = fail("out of memory: take shorter sentences (--max-words) or fewer threads (--threads 1)", 1)
        except (KeyboardInterrupt, typer.Abort):
            status = INTERRUPTED
        if standalone_mode:
            sys.exit(status)
        return status

    def invoke(self, ctx: Any) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:
            # Whoever read the output has seen enough. What is still buffered must not fail at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None


app = typer.Typer(
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # help without boxes reads the same everywhere
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback(invoke_without_command=True)
def dynarc_(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.")] = False,
) -> None:
    """Greedy dependency parsing with exact dynamic oracles.

    A dynamic oracle knows, in any state of a parser, right or wrong, how many gold arcs each next move would
    lose. dynarc has one for every common transition system and can prove each against brute force.

    Files are CoNLL-U or CoNLL-X, also .gz, .xz and .zst; - is standard input. Results go to standard output, all
    else to standard error. Exit status: 0 all well, 1 bad data or a failed check, 2 wrong usage.
    """
    if version:
        typer.echo(f"dynarc {dynarc.__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


app.command("demo")(demo.demo)
app.command("train")(train.train)
app.command("parse")(parse.parse)
app.command("info")(info.info)
app.command("view")(view.view)
app.command("trace")(trace.trace)
app.command("audit")(audit.audit)
app.command("stats")(stats.stats)
app.command("convert")(convert.convert)
app.command("eval")(eval_.evaluate_files)
app.command("errors")(errors.errors)
app.command("diff")(diff.diff)
app.command("calibrate")(calibrate.calibrate)
app.command("review")(review.review)
app.command("check")(check.check)
app.command("bench")(bench.bench)
app.command("fetch")(fetch.fetch)


def main() -> None:
    """What the program `dynarc` runs."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A character that the terminal cannot show is no reason to stop.
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except SystemExit as end:
        if end.code == INTERRUPTED and os.name == "posix":
            # To die of the signal itself is what tells a shell loop to stop; it also ends the engine's threads.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        raise
