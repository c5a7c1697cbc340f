"""`training-speed`: what training takes. These runs have the machine for themselves."""

from dataclasses import replace

from experiments.runs import Run
from experiments.tables import BASE, EXPLORING, Cell, Cells, Choice, Results, Table, at_least, at_most, figure, grid


def plan(choice: Choice) -> Cells:
    config = replace(BASE, features="zhang-nivre", epochs=15, explore=EXPLORING)
    return {
        (treebank, seed): Run(treebank, replace(config, seed=seed), timed=True, rounds=5)
        for treebank in choice.treebanks
        for seed in choice.seeds
    }


def render(choice: Choice, results: Results) -> list[str]:
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
    plan,
    render,
    ("en_ewt",),
    (1,),
)
