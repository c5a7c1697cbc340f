"""`nonprojective`: trees with crossing arcs, lifted for a projective system or derived as they are."""

from dataclasses import replace

from experiments.runs import Run
from experiments.tables import BASE, EXPLORING, Cell, Cells, Choice, Results, Table, figure, grid, spread

from dynarc import TrainConfig
from dynarc.config import Nonprojective

ENCODINGS: tuple[Nonprojective, ...] = ("drop", "projectivize", "head", "path", "head+path")
NATIVE = {"attardi": "stack", "covington": "covington", "arc-hybrid-swap": "stack"}


def ways() -> dict[str, TrainConfig]:
    """The rows of the table."""
    found = {
        f"arc-eager, {encoding}": replace(BASE, features="zhang-nivre", explore=EXPLORING, nonprojective=encoding)
        for encoding in ENCODINGS
    }
    for system, features in NATIVE.items():
        config = replace(BASE, system=system, features=features)
        # Attardi's system cannot derive every tree, but learns from all unless told to drop some.
        every = replace(config, nonprojective="auto") if system == "attardi" else config
        found[f"{system}, dynamic"] = replace(every, explore=EXPLORING)
        found[f"{system}, static"] = replace(config, oracle="static")
    return found


def plan(choice: Choice) -> Cells:
    return {
        (treebank, way, seed): Run(treebank, replace(config, epochs=15, seed=seed))
        for treebank in choice.treebanks
        for way, config in ways().items()
        for seed in choice.seeds
    }


def share(results: Results, cells: list[Cell], part: str, whole: str) -> str:
    """A percentage over all seeds."""
    some, all_ = results.figures(cells, "crossing", part), results.figures(cells, "crossing", whole)
    if some is None or all_ is None:
        return "-"
    return f"{100 * sum(some) / sum(all_):.1f}" if sum(all_) else "none"


def render(choice: Choice, results: Results) -> list[str]:
    lines = []
    for treebank in choice.treebanks:
        rows = []
        for way in ways():
            cells: list[Cell] = [(treebank, way, seed) for seed in choice.seeds]
            rows.append(
                [
                    way,
                    figure(results.mean(cells, "scores", "uas")),
                    figure(results.mean(cells, "scores", "las")),
                    share(results, cells, "heads", "gold"),
                    share(results, cells, "labelled", "gold"),
                    share(results, cells, "parsed_heads", "parsed"),
                    spread(results.figures(cells, "scores", "las")),
                ]
            )
        arcs = results.mean([(treebank, next(iter(ways())), choice.seeds[0])], "crossing", "gold")
        header = ["dev", "UAS", "LAS", "recall", "labelled", "precision", "LAS by seed"]
        lines += [f"## {treebank}: {figure(arcs, 0)} non-projective arcs", "", *grid(header, rows), ""]
    return lines


NONPROJECTIVE = Table(
    "nonprojective",
    "Non-projective trees",
    "15 epochs, gold tags, dynamic: k=1 p=0.9. Arc-eager with `zhang-nivre`: non-projective training sentences dropped, lifted, or "
    "lifted with marks by which the parser puts arcs back. The others derive crossing arcs: `stack` for attardi and "
    "arc-hybrid-swap, `covington`; sentences that a static oracle cannot derive are dropped. Recall: of the gold arcs that are "
    "non-projective, how many have the right head, and the right label too; precision: of the parser's non-projective "
    "arcs, how many are gold ones. Percentages over all seeds.",
    plan,
    render,
    ("la_perseus", "nl_lassysmall", "eu_bdt"),
)
