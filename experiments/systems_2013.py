"""`systems-2013` and `exploration-2013`: what dynamic oracles gain in three systems, and how much to explore."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from experiments import papers
from experiments.pictures import Panel, forest, heat
from experiments.runs import Run
from experiments.tables import (
    BASE,
    EXPLORING,
    SIGNIFICANCE,
    Cell,
    Cells,
    Choice,
    Compared,
    Results,
    Table,
    at_least,
    average,
    figure,
    goal_met,
    grid,
    mean_gain,
    signed,
    told,
    verdict,
)

from dynarc import ErrorExploration, TrainConfig


@dataclass(frozen=True, slots=True)
class Block:
    """A system with what is compared in it: the first of `ways` is the baseline, the last the one with a goal."""

    system: str
    features: str
    metric: str
    goal: float
    ways: Mapping[str, TrainConfig]
    note: str

    def seeds(self, choice: Choice) -> tuple[int, ...]:
        """The larger features take several times as long: fewer seeds."""
        return choice.seeds[:DEFAULT_SEEDS] if self.features == "default" else choice.seeds

    def treebanks(self, choice: Choice) -> tuple[str, ...]:
        costly = LARGE if self.features == "default" and self.system == "easy-first" else ()
        return tuple(treebank for treebank in choice.treebanks if treebank not in costly)


DEFAULT_SEEDS = 2
LARGE = ("de_gsd_r12_lc", "en_ewt", "zh_gsd")


def _ways(system: str, features: str) -> dict[str, TrainConfig]:
    config = replace(BASE, system=system, features=features, epochs=15)
    if system == "easy-first":
        config = replace(config, epochs=20, labels=False)
    return {"static": replace(config, oracle="static"), "dynamic": replace(config, explore=EXPLORING)}


def _block(system: str, features: str, metric: str, goal: float) -> Block:
    how = "unlabelled, 20 epochs" if system == "easy-first" else "labelled, 15 epochs"
    return Block(system, features, metric, goal, _ways(system, features), f"`{features}`, {how}")


# There is no canonical order in easy-first: what is called static there are the gold arcs whose dependents are complete,
# the baseline of Goldberg & Nivre 2013.
BLOCKS = (
    _block("arc-eager", "zhang-nivre", "las", 1.0),
    _block("arc-hybrid", "stack", "las", 0.5),
    _block("easy-first", "easy-first-2013", "uas", 0.3),
    _block("arc-eager", "default", "las", 0.0),
    _block("arc-hybrid", "default", "las", 0.0),
    _block("easy-first", "default", "uas", 0.0),
)


def plan(choice: Choice) -> Cells:
    return {
        (treebank, block.system, block.features, way, seed): Run(treebank, replace(config, seed=seed))
        for block in BLOCKS
        for treebank in block.treebanks(choice)
        for way, config in block.ways.items()
        for seed in block.seeds(choice)
    }


KS = (0, 1, 2, 4, 8)
PS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_EXPLORED = replace(BASE, features="zhang-nivre", epochs=15)


def plan_exploration(choice: Choice) -> Cells:
    cells: Cells = {}
    for treebank in choice.treebanks:
        for seed in choice.seeds:
            cells[treebank, "static", seed] = Run(treebank, replace(_EXPLORED, oracle="static", seed=seed))
            for k in KS:
                for p in PS:
                    config = replace(_EXPLORED, explore=ErrorExploration(k, p), seed=seed)
                    cells[treebank, k, p, seed] = Run(treebank, config)
    return cells


def _cells(block: Block, treebank: str, way: str, choice: Choice) -> list[Cell]:
    return [(treebank, block.system, block.features, way, seed) for seed in block.seeds(choice)]


def gains(block: Block, choice: Choice, results: Results) -> dict[str, Compared | None]:
    first, *_, last = block.ways
    return {
        treebank: results.compared(
            _cells(block, treebank, first, choice), _cells(block, treebank, last, choice), block.metric
        )
        for treebank in block.treebanks(choice)
    }


def _block_lines(block: Block, choice: Choice, results: Results) -> list[str]:
    found = gains(block, choice, results)
    papers_own = papers.SYSTEMS_2013[block.system] if block.features != "default" else {}
    rows = []
    for treebank, compared in found.items():
        scores = [results.shown(_cells(block, treebank, way, choice), "scores", block.metric) for way in block.ways]
        theirs = papers_own.get(treebank)
        beside = ["", ""] if theirs is None else [f"{theirs[0]:.2f} / {theirs[1]:.2f}", signed(theirs[1] - theirs[0])]
        rows.append([treebank, *scores, told(compared), *(beside if papers_own else [])])
    header = ["dev", *block.ways, "gain", *(["paper, static / dynamic", "gain"] if papers_own else [])]
    mean = mean_gain(found)
    lines = [
        f"## {block.system}, {block.features}", "",
        f"{block.note}; {len(block.seeds(choice))} seeds. {block.metric.upper()}.", "",
        *grid(header, rows), "", f"- {verdict('dynamic', found)}",
    ]  # fmt: skip
    if papers_own:
        goal = goal_met(at_least(mean, block.goal), found)
        lines.append(
            f"- Goal: a mean gain of {block.goal:+.1f}{goal}. The paper's, over its ten treebanks: "
            f"{papers.MEANS_2013[block.system]:+.2f}."
        )
    return [*lines, ""]


def render(choice: Choice, results: Results) -> list[str]:
    lines = [line for block in BLOCKS for line in _block_lines(block, choice, results)]
    return [*lines, SIGNIFICANCE, ""]


def picture(choice: Choice, results: Results) -> str:
    return forest(
        [
            Panel(
                f"{block.system}, {block.features}: dynamic over static, {block.metric.upper()}",
                gains(block, choice, results),
            )
            for block in BLOCKS
        ]
    )


SYSTEMS_2013 = Table(
    "systems-2013",
    "Dynamic oracles in three systems (Goldberg and Nivre 2013)",
    "Averaged perceptron, gold tags, non-projective training sentences dropped, all words scored. Static: the canonical "
    "derivation (for easy-first the gold arcs whose dependents are complete, in any order); dynamic: errors are explored, k=1 "
    "p=0.9. First with feature sets after the papers', then with those that `dynarc train` takes by itself, with fewer seeds and without the "
    "largest treebanks for easy-first. The paper's figures are of CoNLL 2007: other treebanks of the same languages.",
    plan,
    render,
    seeds=(1, 2, 3, 4, 5),
    picture=picture,
)


def _map(treebank: str, choice: Choice, results: Results, metric: str) -> dict[tuple[str, str], float]:
    found = {
        (f"k={k}", f"p={p:g}"): results.mean([(treebank, k, p, seed) for seed in choice.seeds], "scores", metric)
        for k in KS
        for p in PS
    }
    return {place: value for place, value in found.items() if value is not None}


def render_exploration(choice: Choice, results: Results) -> list[str]:
    lines: list[str] = []
    for treebank in choice.treebanks:
        static: list[Cell] = [(treebank, "static", seed) for seed in choice.seeds]
        rows = []
        for k in KS:
            cells: list[list[Cell]] = [[(treebank, k, p, seed) for seed in choice.seeds] for p in PS]
            rows.append(
                [
                    f"k={k}",
                    *(f"{results.shown(c, 'scores', 'uas')} {told(results.compared(static, c, 'uas'))}" for c in cells),
                ]
            )
        lines += [
            f"## {treebank}", "",
            f"UAS (static: {results.shown(static, 'scores', 'uas')}), and the gain over static.", "",
            *grid(["dev", *(f"p={p:g}" for p in PS)], rows), "",
        ]  # fmt: skip
    return [*lines, *_summary(choice, results), SIGNIFICANCE, ""]


def _summary(choice: Choice, results: Results) -> list[str]:
    """Means over treebanks, of those that have the whole map."""
    maps = [_map(treebank, choice, results, "uas") for treebank in choice.treebanks]
    whole = [one for one in maps if len(one) == len(KS) * len(PS)]
    if not whole:
        return ["No map is whole yet.", ""]
    means = {place: average(one[place] for one in whole) or 0.0 for place in whole[0]}
    by_k = {k: average(means[f"k={k}", f"p={p:g}"] for p in PS) for k in KS}
    by_p = {p: average(means[f"k={k}", f"p={p:g}"] for k in KS) for p in PS}
    best = max(means, key=lambda place: means[place])
    return [
        f"## Means over {len(whole)} treebanks", "",
        *grid(["UAS", *(f"k={k}" for k in KS)], [["over all p", *map(figure, by_k.values())]]), "",
        *grid(["UAS", *(f"p={p:g}" for p in PS)], [["over all k", *map(figure, by_p.values())]]), "",
        (f"Best on average: {best[0]}, {best[1]} ({means[best]:.2f}); the default, k=1 p=0.9: {means['k=1', 'p=0.9']:.2f}. The paper finds "
        "smaller k and larger p better."), "",
    ]  # fmt: skip


def picture_exploration(choice: Choice, results: Results) -> str:
    maps = [_map(treebank, choice, results, "uas") for treebank in choice.treebanks]
    return heat([f"{t}, UAS" for t in choice.treebanks], [f"k={k}" for k in KS], [f"p={p:g}" for p in PS], maps)


EXPLORATION_2013 = Table(
    "exploration-2013",
    "How much to explore (Goldberg and Nivre 2013, Figure 1)",
    "Arc-eager, `zhang-nivre`, 15 epochs, non-projective training sentences dropped, all words scored. Errors are followed with "
    "probability p from epoch k + 1 on; UAS, as in the paper's figure, whose axes have no figures in its text.",
    plan_exploration,
    render_exploration,
    ("hu_szeged", "el_gdt", "tr_imst", "eu_bdt"),
    picture=picture_exploration,
)
