"""`exploration` and `papers-2013b`: what dynamic oracles and exploration of errors are worth."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from experiments.runs import Run
from experiments.tables import (
    BASE,
    EXPLORING,
    Cell,
    Cells,
    Choice,
    Results,
    Table,
    at_least,
    average,
    difference,
    figure,
    grid,
    signed,
    spread,
    within,
)

from dynarc import TrainConfig


@dataclass(frozen=True, slots=True)
class Block:
    """A system with what is compared in it: the first of `ways` is the baseline, the last the one with a goal."""

    system: str
    metric: str
    goal: float
    ways: Mapping[str, TrainConfig]
    note: str


def _left_to_right(system: str, features: str) -> dict[str, TrainConfig]:
    config = replace(BASE, system=system, features=features, epochs=15)
    return {
        "static": replace(config, oracle="static"),
        "dynamic": replace(config, oracle="dynamic", explore=EXPLORING),
    }


# There is no canonical order in easy-first: what is called static there are the gold arcs whose dependents are complete,
# the baseline of Goldberg & Nivre 2013.
_EASY_FIRST = replace(BASE, system="easy-first", features="easy-first-2013", epochs=20, labels=False)

BLOCKS = (
    Block("arc-eager", "las", 1.0, _left_to_right("arc-eager", "zhang-nivre"), "`zhang-nivre`, labelled, 15 epochs"),
    Block("arc-hybrid", "las", 0.5, _left_to_right("arc-hybrid", "stack"), "`stack`, labelled, 15 epochs"),
    Block(
        "easy-first",
        "uas",
        0.3,
        {
            "gold arcs only": replace(_EASY_FIRST, oracle="static"),
            "dynamic": replace(_EASY_FIRST, oracle="dynamic", explore=EXPLORING),
        },
        "`easy-first-2013`, unlabelled, 20 epochs",
    ),
)


def plan(choice: Choice) -> Cells:
    return {
        (treebank, block.system, way, seed): Run(treebank, replace(config, seed=seed))
        for block in BLOCKS
        for treebank in choice.treebanks
        for way, config in block.ways.items()
        for seed in choice.seeds
    }


def block_lines(block: Block, choice: Choice, results: Results) -> list[str]:
    def score(treebank: str, way: str) -> float | None:
        cells: list[Cell] = [(treebank, block.system, way, seed) for seed in choice.seeds]
        return results.mean(cells, "scores", block.metric)

    first, *_, last = block.ways
    rows, gains = [], []
    for treebank in choice.treebanks:
        gains.append(difference(score(treebank, last), score(treebank, first)))
        rows.append([treebank, *(figure(score(treebank, way)) for way in block.ways), signed(gains[-1])])
    means = [average(score(treebank, way) for treebank in choice.treebanks) for way in block.ways]
    rows.append(["**mean**", *map(figure, means), f"**{signed(average(gains))}**"])
    goal = at_least(average(gains), block.goal)
    return [
        f"## {block.system}",
        "",
        f"{block.note}. {block.metric.upper()}; goal: a mean gain of {block.goal:+.1f}{', ' + goal if goal else ''}.",
        "",
        *grid(["dev", *block.ways, "gain"], rows),
        "",
    ]


def render(choice: Choice, results: Results) -> list[str]:
    return [line for block in BLOCKS for line in block_lines(block, choice, results)]


EXPLORATION = Table(
    "exploration",
    "What exploration of errors gains",
    "Averaged perceptron, gold tags, non-projective training sentences dropped. Static: the canonical derivation (for easy-first "
    "the gold arcs whose dependents are complete, in any order); dynamic: errors are explored, k=1 p=0.9. The gain is that of the last column over the first.",
    plan,
    render,
)


# Goldberg & Nivre 2013 on the same data, UAS and LAS; how near we want to be.
PAPER = {
    ("utb2_sv", "static"): (83.21, 79.40, 0.6),
    ("utb2_sv", "dynamic"): (84.16, 80.48, 0.6),
    ("utb2_ko", "static"): (79.96, 71.90, 1.5),
    ("utb2_ko", "dynamic"): (80.59, 72.66, 1.5),
}
_PAPER_CONFIG = replace(BASE, features="zhang-nivre", epochs=15, tag="xpos", min_count=1)
_PAPER_WAYS = {
    "static": replace(_PAPER_CONFIG, oracle="static"),
    "dynamic": replace(_PAPER_CONFIG, oracle="dynamic", explore=EXPLORING),
}


def plan_paper(choice: Choice) -> Cells:
    return {
        (treebank, way, seed): Run(treebank, replace(_PAPER_WAYS[way], seed=seed), protocol="nopunct")
        for treebank, way in PAPER
        if treebank in choice.treebanks
        for seed in choice.seeds
    }


def render_paper(choice: Choice, results: Results) -> list[str]:
    rows = []
    for (treebank, way), (uas, las, margin) in PAPER.items():
        if treebank not in choice.treebanks:
            continue
        cells: list[Cell] = [(treebank, way, seed) for seed in choice.seeds]
        ours = [results.mean(cells, "scores", metric) for metric in ("uas", "las")]
        rows.append(
            [
                treebank,
                way,
                f"{uas:.2f} / {las:.2f}",
                " / ".join(map(figure, ours)),
                f"within {margin}: " + " / ".join(within(v, g, margin) for v, g in zip(ours, (uas, las), strict=True)),
                spread(results.figures(cells, "scores", "las")),
            ]
        )
    header = ["dev", "oracle", "paper, UAS / LAS", "here, UAS / LAS", "goal", "LAS by seed"]
    return [*grid(header, rows), ""]


PAPERS_2013B = Table(
    "papers-2013b",
    "Swedish and Korean of the 2013 paper",
    "Arc-eager, `zhang-nivre`, 15 epochs, tags of the fine column, every word known (`min_count=1`), non-projective training "
    "sentences dropped, punctuation not scored; dynamic: k=1 p=0.9. Dev sets, as in the paper.",
    plan_paper,
    render_paper,
    ("utb2_sv", "utb2_ko"),
    (1, 2, 3, 4, 5),
)
