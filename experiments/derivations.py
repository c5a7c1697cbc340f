"""`derivations`: which of several right moves to learn, in systems that derive a tree in many ways."""

from collections.abc import Mapping
from dataclasses import replace

from experiments.runs import Run
from experiments.tables import (
    BASE,
    EXPLORING,
    Cell,
    Cells,
    Choice,
    Results,
    Table,
    average,
    difference,
    figure,
    grid,
    signed,
)

from dynarc import TrainConfig
from dynarc.config import ErrorExploration, NoExploration

FEATURES = {"attardi": "stack", "arc-standard": "stack", "arc-eager": "zhang-nivre"}

# The first is what the others are compared with.
_WAYS = {
    "static": replace(BASE, oracle="static"),
    "none": replace(BASE, explore=NoExploration()),
    "k=1 p=0.1": replace(BASE, explore=ErrorExploration(1, 0.1)),
    "k=0 p=1": replace(BASE, explore=ErrorExploration(0, 1.0)),
    "k=1 p=0.9": replace(BASE, explore=EXPLORING),
    "none, canonical": replace(BASE, explore=NoExploration(), target="canonical"),
    "k=1 p=0.9, canonical": replace(BASE, explore=EXPLORING, target="canonical"),
}
_CHECK = ("static", "none", "k=1 p=0.9", "none, canonical", "k=1 p=0.9, canonical")
WAYS: dict[str, Mapping[str, TrainConfig]] = {
    "attardi": _WAYS,
    "arc-standard": _WAYS,
    "arc-eager": {way: _WAYS[way] for way in _CHECK},
}
EPOCHS = {"attardi": (5, 15), "arc-standard": (15,), "arc-eager": (15,)}


def plan(choice: Choice) -> Cells:
    return {
        (system, treebank, epochs, way, seed): Run(
            treebank, replace(config, system=system, features=FEATURES[system], epochs=epochs, seed=seed)
        )
        for system, ways in WAYS.items()
        for treebank in choice.treebanks
        for epochs in EPOCHS[system]
        for way, config in ways.items()
        for seed in choice.seeds
    }


def render(choice: Choice, results: Results) -> list[str]:
    lines: list[str] = []
    for system, ways in WAYS.items():

        def las(treebank: str, epochs: int, way: str, system: str = system) -> float | None:
            cells: list[Cell] = [(system, treebank, epochs, way, seed) for seed in choice.seeds]
            return results.mean(cells, "scores", "las")

        rows = []
        for epochs in EPOCHS[system]:
            scores = {way: [las(treebank, epochs, way) for treebank in choice.treebanks] for way in ways}
            for i, treebank in enumerate(choice.treebanks):
                rows.append([treebank, str(epochs), *(figure(scores[way][i]) for way in ways)])
            means = {way: average(scores[way]) for way in ways}
            gains = [signed(difference(mean, means["static"])) for way, mean in means.items() if way != "static"]
            rows.append(["**mean**", str(epochs), figure(means["static"]), *gains])
        lines += [f"## {system}", "", f"`{FEATURES[system]}`.", "", *grid(["dev", "epochs", *ways], rows), ""]
    return lines


DERIVATIONS = Table(
    "derivations",
    "Which of several right moves to learn",
    "LAS; non-projective (Attardi: not derivable) training sentences dropped. In Attardi's system and in arc-standard a tree has many derivations: "
    "a word that could be attached at once can often be attached later as well. The static oracle knows one of "
    "them; a dynamic one accepts all. `none`: no errors are explored, so it sees right moves only, as the static oracle does, and "
    "differs from it by accepting every derivation; an error is corrected to the right move that scores best. What it loses or gains, "
    "the freedom of derivation does, not the exploration of errors (`k`, `p`). `canonical` (`target=\"canonical\"`): "
    "all derivations are accepted, but an error is corrected to the static oracle's move where that is right. Means: "
    "static, and what the others gain over it. One seed and three treebanks: differences of some tenths mean little; `canonical` "
    "was the best of five ways to prefer the static oracle's move, compared on hu_szeged.",
    plan,
    render,
    ("hu_szeged", "eu_bdt", "nl_lassysmall"),
    (1,),
)  # fmt: skip
