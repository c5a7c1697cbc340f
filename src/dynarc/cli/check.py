"""dynarc check: oracles against brute force. Its three ways of working are in the modules check_*."""

from typing import Annotated, Literal

import typer

from dynarc.check import Golds
from dynarc.cli.check_all import check_all
from dynarc.cli.check_decomposition import check_decompositions
from dynarc.cli.check_one import Task, check_one
from dynarc.cli.options import (
    NAMES,
    HeadlessOption,
    JsonOption,
    RootOption,
    SingleRootOption,
    make_system,
    refuse,
)
from dynarc.errors import ConfigError
from dynarc.oracles import Method
from dynarc.systems import system

# What is done in seconds: one system with all its trees, or all of them in a few minutes.
MAX_WORDS, MAX_WORDS_ALL = 4, 5


def check(
    name: Annotated[str | None, typer.Argument(metavar="SYSTEM", help=f"One of {NAMES}.", show_default=False)] = None,
    max_words: Annotated[
        int | None,
        typer.Option(min=1, max=15, metavar="N", help="Up to this length.", show_default="4; 5 with --all"),
    ] = None,
    min_words: Annotated[
        int | None, typer.Option(min=1, max=15, metavar="N", help="From this length.", show_default="1")
    ] = None,
    root: RootOption = None,
    headless: HeadlessOption = None,
    single_root: SingleRootOption = False,
    golds: Annotated[
        Golds | None, typer.Option(help="Which gold trees.", show_default="all; derivable with --decomposition")
    ] = None,
    method: Annotated[Method | None, typer.Option(help="How costs are computed.", show_default="auto")] = None,
    nonprojective: Annotated[
        Literal["exact", "formula"] | None,
        typer.Option(help="Gold that the formula is not exact for: search, or use it.", show_default="exact"),
    ] = None,
    partial: Annotated[bool, typer.Option("--partial", help="Also gold trees with unknown heads.")] = False,
    labels: Annotated[
        int | None, typer.Option(min=1, max=9, metavar="L", help="Gold trees with L labels.", show_default="none")
    ] = None,
    label_cost: Annotated[
        float | None, typer.Option(min=0, help="Price of a wrong label; a wrong head costs 1.", show_default="1")
    ] = None,
    weights: Annotated[
        int | None,
        typer.Option(min=1, max=1000, metavar="W", help="Prices of arcs drawn from 0 to W.", show_default="all 1"),
    ] = None,
    samples: Annotated[
        str | None,
        typer.Option(metavar="N", help="N random trees of each length, not all. With --all: of lengths LOW-HIGH."),
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, max=2**31 - 1, help="Of the samples.", show_default="1")] = None,
    threads: Annotated[int | None, typer.Option(min=1, max=1024, help="At most.", show_default="one per core")] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Every system (or this one) with every option, by every method.")
    ] = False,
    decomposition: Annotated[
        bool, typer.Option("--decomposition", help="Instead: can arcs that are reachable alone be had together?")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Compare oracles with brute force.

    Every gold tree, every state that can be reached, every cost that the dynamic oracle gives. The brute force
    tries all that can follow and knows nothing of costs. Exits with status 1 if an oracle that claims to be
    exact is not.

        dynarc check arc-eager --max-words 5

        dynarc check --all --samples 6-9
    """
    choices = {"root": root, "headless": headless, "single_root": single_root}
    details = {
        "min_words": min_words,
        "method": method,
        "nonprojective": nonprojective,
        "partial": partial,
        "labels": labels,
        "label_cost": label_cost,
        "weights": weights,
        "seed": seed,
    }
    if everything:
        refuse("with --all, which takes every option itself", **choices, golds=golds, **details)
        refuse("with --all: choose one of them", decomposition=decomposition)
        names = None if name is None else (system(name).name,)
        holds = check_all(names, max_words or MAX_WORDS_ALL, _lengths(samples), threads, as_json=as_json)
    elif decomposition:
        refuse("with --decomposition", **details, samples=samples, threads=threads)
        if name is None:
            refuse("without a SYSTEM: then every option is taken", **choices)
        chosen = None if name is None else make_system(name, root, headless, single_root)
        check_decompositions(chosen, max_words or MAX_WORDS, golds, as_json=as_json)
        holds = True
    elif name is None:
        raise ConfigError(f"which system? Name one of {NAMES}, or use --all")
    else:
        shortest = min_words or 1
        task = Task(
            make_system(name, root, headless, single_root),
            max_words=max_words or max(MAX_WORDS, shortest),
            min_words=shortest,
            golds=golds or "all",
            method=method or "auto",
            nonprojective=nonprojective or "exact",
            partial=partial,
            labels=labels or 0,
            label_cost=1 if label_cost is None else label_cost,
            weights=weights or 0,
            samples=_number(samples),
            seed=1 if seed is None else seed,
            threads=threads,
        )
        holds = check_one(task, as_json=as_json)
    if not holds:
        raise typer.Exit(1)


def _number(samples: str | None) -> int:
    if samples is None:
        return 0
    if samples.isascii() and samples.isdigit() and 0 < len(samples) < 10 and int(samples) > 0:
        return int(samples)
    raise ConfigError(f"--samples {samples}: give the number of random trees of each length, as in --samples 300")


def _lengths(samples: str | None) -> tuple[int, int] | None:
    if samples is None:
        return None
    low, dash, high = samples.partition("-")
    if dash and all(part.isascii() and part.isdigit() and len(part) < 3 for part in (low, high)):
        lengths = int(low), int(high)
        if 1 <= lengths[0] <= lengths[1] <= 15:
            return lengths
    raise ConfigError(f"--samples {samples}: with --all give the lengths to draw random trees of, as in --samples 6-9")
