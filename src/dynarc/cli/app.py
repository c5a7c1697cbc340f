"""The commands together: help, version, and how each of them ends."""

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import dynarc
from dynarc.cli.console import fail
from dynarc.errors import ConfigError, DynarcError

# As a shell counts them: 128 and the signal.
INTERRUPTED = 130
PIPE_CLOSED = 141

# Typer exports only this branch of the exceptions for wrong usage, and has moved their common base about.
UsageError: Any = typer.BadParameter.__mro__[1]


# The functions of the commands, in modules of this package that are loaded only for the command that is run.
COMMANDS = {
    "demo": "demo.demo",
    "train": "train.train",
    "parse": "parse.parse",
    "corpus": "corpus.corpus",
    "info": "info.info",
    "view": "view.view",
    "trace": "trace.trace",
    "audit": "audit.audit",
    "stats": "stats.stats",
    "convert": "convert.convert",
    "eval": "eval.evaluate_files",
    "errors": "errors.errors",
    "diff": "diff.diff",
    "calibrate": "calibrate.calibrate",
    "review": "review.review",
    "check": "check.check",
    "shrink": "shrink.shrink",
    "bench": "bench.bench",
    "experiment": "experiment.experiment",
    "fetch": "fetch.fetch",
    "serve": "serve.serve",
}


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

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        self.commands = dict.fromkeys(COMMANDS)  # type: ignore[assignment]  # what is suggested for a wrong name
        return super().resolve_command(ctx, args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].partition(".")
        alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
        alone.command(cmd_name)(getattr(import_module(f"dynarc.cli.{module}"), function))
        return typer.main.get_command(alone)

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
