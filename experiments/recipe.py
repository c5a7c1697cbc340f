"""`recipe`: one change at a time to the defaults of `dynarc train`, and what that does on every kind of treebank."""

from dataclasses import replace
from statistics import mean

from experiments import data
from experiments.pictures import Panel, forest
from experiments.runs import Run
from experiments.tables import (
    SIGNIFICANCE,
    Cell,
    Cells,
    Choice,
    Compared,
    Results,
    Table,
    at_least,
    figure,
    grid,
    mean_gain,
    signed,
    spread,
    told,
)

from dynarc import AmbiguityExploration, ErrorExploration, NoExploration, TrainConfig, systems

BASE = TrainConfig(keep="last")
# Whose trees have many derivations: docs/results/derivations.md.
_MANY = ("attardi", "arc-standard")


def _system(name: str) -> TrainConfig:
    return replace(BASE, system=name, target="canonical" if name in _MANY else None)


CHANGES: dict[str, dict[str, TrainConfig]] = {
    "system": {name: _system(name) for name in systems() if name != BASE.system},
    "oracle": {
        "static": replace(BASE, oracle="static"),
        "ambiguity": replace(BASE, oracle="nondeterministic", explore=AmbiguityExploration()),
    },
    "learner": {
        "passive-aggressive": replace(BASE, learner="passive-aggressive"),
        "adagrad-rda": replace(BASE, learner="adagrad-rda"),
    },
    "features": {"zhang-nivre": replace(BASE, features="zhang-nivre")},
    "exploration": {
        "none": replace(BASE, explore=NoExploration()),
        "k=0 p=1": replace(BASE, explore=ErrorExploration(0, 1.0)),
        "k=2 p=0.9": replace(BASE, explore=ErrorExploration(2, 0.9)),
        "canonical": replace(BASE, target="canonical"),
    },
    "non-projective": {
        "drop": replace(BASE, nonprojective="drop"),
        "projectivize": replace(BASE, nonprojective="projectivize"),
        "head": replace(BASE, nonprojective="head"),
    },
    "words": {"min_count 1": replace(BASE, min_count=1)},
}
# These take longest; on the largest treebanks they are left out.
COSTLY = ("easy-first", "covington")
LARGE = ("de_gsd_r12_lc", "en_ewt", "zh_gsd")
CONFIRMED: tuple[str, ...] = ()


def tried(way: str, treebank: str) -> bool:
    return treebank not in LARGE or way not in COSTLY


def ways() -> dict[str, TrainConfig]:
    return {"default": BASE, **{way: config for some in CHANGES.values() for way, config in some.items()}}


def plan(choice: Choice) -> Cells:
    return {
        (treebank, way, seed): Run(treebank, replace(config, seed=seed))
        for treebank in choice.treebanks
        for way, config in ways().items()
        if tried(way, treebank)
        for seed in (choice.seeds if way in ("default", *CONFIRMED) else choice.seeds[:1])
    }


def _cells(treebank: str, way: str, choice: Choice, *, one: bool = True) -> list[Cell]:
    return [(treebank, way, seed) for seed in (choice.seeds[:1] if one else choice.seeds)]


def gains(way: str, choice: Choice, results: Results) -> dict[str, Compared | None]:
    """Against the defaults, on the treebanks that the way is tried on."""
    return {
        treebank: results.compared(_cells(treebank, "default", choice), _cells(treebank, way, choice))
        for treebank in choice.treebanks
        if tried(way, treebank)
    }


def _columns(treebank: str) -> str:
    return ", ".join(sorted(data.filled(treebank))) or "none"


def render(choice: Choice, results: Results) -> list[str]:
    rows = [
        [treebank, _columns(treebank), results.shown(_cells(treebank, "default", choice, one=False), "scores", "las"),
         spread(results.figures(_cells(treebank, "default", choice, one=False), "scores", "las"))]
        for treebank in choice.treebanks
    ]  # fmt: skip
    lines = ["## The defaults", "", *grid(["dev", "columns beside UPOS", "LAS", "by seed"], rows), ""]
    for factor, ways in CHANGES.items():
        rows = []
        for way in ways:
            found = gains(way, choice, results)
            mean = signed(mean_gain(found))
            rows.append([way, *(told(found[t]) if t in found else "" for t in choice.treebanks), mean])
        lines += [
            f"## {factor.capitalize()}",
            "",
            *grid(["LAS over the defaults", *choice.treebanks, "mean"], rows),
            "",
        ]
    return [*lines, SIGNIFICANCE, "", *_best(choice, results)]


def _best(choice: Choice, results: Results) -> list[str]:
    """How far the defaults are from the best that was tried on each treebank."""
    rows, behind = [], []
    for treebank in choice.treebanks:
        scores = {way: results.mean(_cells(treebank, way, choice), "scores", "las") for way in ways()}
        known = {way: las for way, las in scores.items() if las is not None}
        if "default" not in known or len(known) < 2:
            rows.append([treebank, "-", "-", "-", str(len(known))])
            continue
        best = max(known, key=lambda way: known[way])
        behind.append(known["default"] - known[best])
        rows.append([treebank, best, figure(known[best]), signed(behind[-1]), str(len(known))])
    lines = ["## How far the defaults are from the best", "", "Seed 1; the best of so many cells is partly luck.", ""]
    lines += [*grid(["dev", "best", "LAS", "defaults", "cells"], rows), ""]
    overall = {
        way: [one.difference for one in gains(way, choice, results).values() if one is not None] for way in ways()
    }
    for_all = {
        way: mean(found) for way, found in overall.items() if way != "default" and len(found) == len(behind) and found
    }
    if for_all:
        best = max(for_all, key=lambda way: for_all[way])
        lines += [
            (f"One way for all treebanks: the best of those that were tried on all {len(behind)} is *{best}*, {for_all[best]:+.2f} over the "
            f"defaults; goal: defaults at most 0.3 below: {at_least(-for_all[best], -0.3)}. Against the best on each treebank by "
            f"itself the defaults are {mean(behind):+.2f}."), "",
        ]  # fmt: skip
    return lines


def picture(choice: Choice, results: Results) -> str:
    """The mean gain of every way over the treebanks it is finished on."""
    found: dict[str, Compared | None] = {}
    for way in ways():
        known = [one.difference for one in gains(way, choice, results).values() if one is not None]
        if way != "default" and known:
            found[way] = Compared(mean(known), 1, None)
    return forest([Panel("Mean over treebanks, LAS over the defaults", found)])


RECIPE = Table(
    "recipe",
    "What to train: one change at a time",
    "The defaults of `dynarc train` (arc-eager, dynamic oracle, k=1 p=0.9, averaged perceptron, `default` features, 15 epochs, "
    "`nonprojective=auto`), all gold columns, and what one change does, on dev, all words scored, the last epoch's weights. One seed; the "
    "defaults three. easy-first and Covington are left out on the three largest treebanks.",
    plan,
    render,
    (
        "hu_szeged",
        "el_gdt",
        "tr_imst",
        "utb2_sv",
        "fr_sequoia",
        "eu_bdt",
        "la_perseus",
        "cs_cltt",
        "utb2_ko",
        "nl_lassysmall",
        *LARGE,
    ),
    picture=picture,
)
