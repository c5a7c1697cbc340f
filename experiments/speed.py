"""`attardi` and `training-speed`: what training takes. These runs have the machine for themselves."""

from dataclasses import replace

from experiments.runs import Result, Run
from experiments.tables import (
    BASE,
    EXPLORING,
    Cell,
    Cells,
    Choice,
    Results,
    Table,
    at_least,
    at_most,
    difference,
    figure,
    grid,
    signed,
)

_ATTARDI = replace(BASE, system="attardi", features="stack", epochs=5)
WAYS = {"static": replace(_ATTARDI, oracle="static"), "dynamic": replace(_ATTARDI, explore=EXPLORING)}


def plan_attardi(choice: Choice) -> Cells:
    return {
        (treebank, way, seed): Run(treebank, replace(config, seed=seed), timed=True)
        for treebank in choice.treebanks
        for way, config in WAYS.items()
        for seed in choice.seeds
    }


def skipped(result: Result | None, first: bool) -> tuple[int, int]:
    """States that were skipped and all states, in the first epoch or in the later ones."""
    epochs = [] if result is None else result["epochs"][:1] if first else result["epochs"][1:]
    return sum(epoch["skipped"] for epoch in epochs), sum(epoch["states"] for epoch in epochs)


def percent(counts: list[tuple[int, int]]) -> float | None:
    part, whole = (sum(numbers) for numbers in zip(*counts, strict=True))
    return 100 * part / whole if whole else None


def render_attardi(choice: Choice, results: Results) -> list[str]:
    rows = []
    worst: list[float] = []
    later: list[tuple[int, int]] = []
    for treebank in choice.treebanks:
        cells: dict[str, list[Cell]] = {way: [(treebank, way, seed) for seed in choice.seeds] for way in WAYS}
        seconds = {way: results.mean(cells[way], "seconds", "training") for way in WAYS}
        las = {way: results.mean(cells[way], "scores", "las") for way in WAYS}
        ratio = seconds["dynamic"] / seconds["static"] if seconds["dynamic"] and seconds["static"] else None
        dropped = results[cells["static"][0]]
        counts = {first: [skipped(results[cell], first) for cell in cells["dynamic"]] for first in (True, False)}
        worst += [] if ratio is None else [ratio]
        later += counts[False]
        rows.append(
            [
                treebank,
                "-" if dropped is None else str(dropped["prepared"].get("not derivable, dropped", 0)),
                figure(seconds["static"], 1),
                figure(seconds["dynamic"], 1),
                figure(ratio),
                *(f"{figure(percent(counts[first]), 4)}" for first in (True, False)),
                figure(las["static"]),
                signed(difference(las["dynamic"], las["static"])),
            ]
        )
    header = [
        "dev", "dropped", "static, s", "dynamic, s", "ratio", "skipped in epoch 1, %", "skipped later, %",
        "LAS, static", "dynamic",
    ]  # fmt: skip
    goals = []
    if worst:
        goals.append(f"Largest ratio: {max(worst):.2f}; goal at most 2: {at_most(max(worst), 2)}.")
    if (share := percent(later)) is not None:
        goals.append(f"States skipped after epoch 1, all treebanks: {share:.4f} %; goal below 0.01 %: "
                     f"{'met' if share < 0.01 else 'missed'}.")  # fmt: skip
    return [*grid(header, rows), "", " ".join(goals), ""]


ATTARDI = Table(
    "attardi",
    "Training with Attardi's system",
    "Attardi's system, `stack`, 5 epochs, labelled; dynamic: k=1 p=0.9. Seconds of CPU of one thread, preparing the data included. Sentences "
    "that the system cannot derive are dropped. Skipped: states whose costs were not found within the limit of the search. What "
    "dynamic training gains and loses, and why: derivations.md.",
    plan_attardi,
    render_attardi,
    seeds=(1,),
)


def plan_speed(choice: Choice) -> Cells:
    config = replace(BASE, features="zhang-nivre", epochs=15, explore=EXPLORING)
    return {
        (treebank, seed): Run(treebank, replace(config, seed=seed), timed=True, rounds=5)
        for treebank in choice.treebanks
        for seed in choice.seeds
    }


def render_speed(choice: Choice, results: Results) -> list[str]:
    rows = []
    for treebank in choice.treebanks:
        cells: list[Cell] = [(treebank, seed) for seed in choice.seeds]
        seconds = results.mean(cells, "seconds", "process")
        memory = results.mean(cells, "peak_memory")
        gigabytes = None if memory is None else memory / 1e9
        rates = {name: results.mean(cells, "parsing_rates", name) for name in ("compact", "folded", "again")}
        thousands = {name: None if rate is None else rate / 1000 for name, rate in rates.items()}
        rows += [
            [treebank, "CPU of the process that trains, s", figure(seconds, 1), "at most 20", at_most(seconds, 20, 1)],
            [treebank, "of that, training", figure(results.mean(cells, "seconds", "training"), 1), "", ""],
            [treebank, "peak memory, GB", figure(gigabytes), "at most 1", at_most(gigabytes, 1)],
            [treebank, "words parsed, thousands / s, compact", figure(thousands["compact"], 0), "", ""],
            [
                treebank,
                "folded",
                figure(thousands["folded"], 0),
                "at least 400",
                at_least(thousands["folded"], 400, 0),
            ],
            [treebank, "folded, text parsed before", figure(thousands["again"], 0), "", ""],
        ]
    return [*grid(["treebank", "what", "here", "goal", ""], rows), ""]


TRAINING_SPEED = Table(
    "training-speed",
    "What training takes",
    "Arc-eager, `zhang-nivre`, dynamic oracle, k=1 p=0.9, 15 epochs, non-projective training sentences dropped; a process of its own "
    "with one thread. CPU: user and system time of that process up to the trained parser, starting Python and reading included; "
    "memory: its peak up to then. Parsing: CPU time of the engine alone, without reading and writing, the fastest of 5 passes. The "
    "compact layout of weights: dev and test. The folded one: test, after train and dev were parsed, so of new text when much is kept "
    "already; and dev and test once more.",
    plan_speed,
    render_speed,
    ("en_ewt",),
    (1,),
)
