"""dynarc experiment: the papers' tables, made again. The experiments are part of the repository, not of the package."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

import dynarc
from dynarc.cli.console import stderr, stdout, write, write_json
from dynarc.cli.options import JsonOption, refuse
from dynarc.errors import ConfigError


def experiment(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="The tables to make; all of them: all.")
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER",
            help="Treebanks, each in a folder of its own.",
            show_default="DYNARC_TREEBANKS, or ../shared/treebanks",
        ),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="Cells at a time; timed ones are always alone.")] = 2,
    seeds: Annotated[str | None, typer.Option(metavar="1,2", help="Other seeds than the table's own.")] = None,
    treebanks: Annotated[str | None, typer.Option(metavar="A,B", help="Other treebanks than its own.")] = None,
    folds: Annotated[
        int | None,
        typer.Option(metavar="N", help="Parts of a cross-validation, where there is one.", show_default="10"),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick", help="Seconds: every kind of cell, small, on the bundled treebank; compare, write nothing."
        ),
    ] = False,
    cached: Annotated[bool, typer.Option("--cached", help="Perform nothing: make pages of what there is.")] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Perform finished cells once more; with --quick, keep the first.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--list", help="List the tables: cells, how many are finished, time to go.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Make the tables of the papers again, on real treebanks.

    Each finished cell is a small file in docs/results/raw and is never performed again, so a long table can be
    finished over several sittings. The page of a table, docs/results/NAME.md, says which cells are missing.

        dynarc experiment --list

        dynarc experiment oracles-2012 --data ../shared/treebanks --jobs 2

        dynarc experiment recipe --quick
    """
    command = _command()
    every = names == ["all"]
    chosen: tuple[str, ...] = tuple(command.TABLES) if every else tuple(names or ())
    if unknown := [name for name in chosen if name not in command.TABLES]:
        raise ConfigError(f"there is no experiment {unknown[0]!r}", "experiment", (*command.TABLES, "all"))
    if not show:
        refuse("without --list", json=as_json)
        if not chosen:
            raise ConfigError(f"which experiment? One of {', '.join(command.TABLES)}, or all")
    if quick:
        refuse(
            "with --quick",
            data=data,
            seeds=seeds,
            treebanks=treebanks,
            folds=folds,
            cached=cached,
            list=show,
        )
    if cached:
        refuse("with --cached", again=again)
    if data is not None:
        if not Path(data).is_dir():
            raise ConfigError(f"--data {data}: there is no such folder", "data")
        command.use_data(data)
    say = lambda text: write(stderr(), text)  # noqa: E731
    if quick:
        raise typer.Exit(max(command.quick(name, say, again=again) for name in dict.fromkeys(chosen)))
    given = command.Options(
        chosen,
        jobs,
        None if seeds is None else _numbers(seeds),
        None if treebanks is None else tuple(treebanks.split(",")),
        10 if folds is None else _at_least_two(folds),
        cached,
        again,
    )
    if show:
        rows = command.listed(given)
        if as_json:
            write_json({"experiments": rows})
        else:
            write(stdout(), *map(command.line, rows))
        return
    raise typer.Exit(command.run(given, say))


def _command() -> Any:
    """The experiments of the checkout that this package is installed from, or in which the program is run."""
    places = (Path(dynarc.__file__).resolve().parents[2], Path.cwd(), *Path.cwd().parents)
    for place in places:
        if (place / "experiments" / "command.py").is_file() and (place / "src" / "dynarc").is_dir():
            if str(place) not in sys.path:
                sys.path.insert(0, str(place))
            return import_module("experiments.command")
    raise ConfigError(
        "the experiments are part of dynarc's repository, not of the package: clone it, run `make build`, "
        "and run .venv/bin/dynarc experiment there"
    )


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(number) for number in text.split(","))
    except ValueError:
        raise ConfigError(
            f"--seeds {text}: numbers with commas between them are needed, as in 1,2,3", "seeds"
        ) from None


def _at_least_two(folds: int) -> int:
    if folds < 2:
        raise ConfigError(f"--folds {folds}: to train on one part and score on another takes 2 or more", "folds")
    return folds
