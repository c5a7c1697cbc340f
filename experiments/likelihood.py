"""`likelihood`: adagrad-rda beside the perceptron. `confidence`: what the probabilities of both are worth."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

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
    at_most,
    average,
    difference,
    figure,
    grid,
    signed,
    spread,
    within,
)

from dynarc import Sampling, TrainConfig

_PERCEPTRON = replace(BASE, features="zhang-nivre", epochs=15)
_RDA = replace(_PERCEPTRON, learner="adagrad-rda")
WAYS = {
    "perceptron, static": replace(_PERCEPTRON, oracle="static"),
    "perceptron, errors k=1": replace(_PERCEPTRON, explore=EXPLORING),
    "adagrad-rda, static": replace(_RDA, oracle="static"),
    "adagrad-rda, errors k=1": replace(_RDA, explore=EXPLORING),
    "adagrad-rda, sampling k=0": replace(_RDA, explore=Sampling(0)),
    "adagrad-rda, sampling k=1": replace(_RDA, explore=Sampling(1)),
}
PERCEPTRON, STATIC, ERRORS, SAMPLING, LATER = (
    "perceptron, errors k=1", "adagrad-rda, static", "adagrad-rda, errors k=1", "adagrad-rda, sampling k=0",
    "adagrad-rda, sampling k=1",
)  # fmt: skip
# Goldberg 2013, maximum entropy, UAS and LAS on the same data; how near we want to be.
PAPER = {
    ("utb2_sv", STATIC): (83.12, 79.36),
    ("utb2_sv", LATER): (84.56, 80.97),
    ("utb2_sv", SAMPLING): (84.17, 80.54),
    ("utb2_sv", ERRORS): (83.73, 80.03),
    ("utb2_ko", STATIC): (80.47, 72.15),
    ("utb2_ko", LATER): (80.92, 73.06),
    ("utb2_ko", SAMPLING): (81.17, 73.19),
    ("utb2_ko", ERRORS): (80.42, 71.97),
}
MARGIN = 0.7


def config_for(treebank: str, config: TrainConfig) -> TrainConfig:
    """The universal treebanks of 2013 have their tags in the fine column; the paper knew every word."""
    return replace(config, tag="xpos", min_count=1) if treebank.startswith("utb2") else config


# A class for every move and label takes the most memory.
JOINT: Cell = ("en_ewt", "joint", 1)
MOST_GIGABYTES = 2.5


def plan(choice: Choice) -> Cells:
    cells: dict[Cell, Run] = {
        (treebank, way, seed): Run(treebank, replace(config_for(treebank, config), seed=seed), protocol="nopunct")
        for treebank in choice.treebanks
        for way, config in WAYS.items()
        for seed in choice.seeds
    }
    if JOINT[0] in choice.treebanks:
        cells[JOINT] = Run(JOINT[0], replace(WAYS[SAMPLING], classes=0, seed=1), protocol="nopunct")
    return cells


def render(choice: Choice, results: Results) -> list[str]:
    def mean(treebank: str, way: str, *path: str) -> float | None:
        return results.mean([(treebank, way, seed) for seed in choice.seeds], *path)

    lines = []
    for metric in ("las", "uas"):
        rows = [[tb, *(figure(mean(tb, way, "scores", metric)) for way in WAYS)] for tb in choice.treebanks]
        lines += [f"## {metric.upper()}", "", *grid(["dev", *WAYS], rows), ""]

    def las(treebank: str, way: str) -> float | None:
        return mean(treebank, way, "scores", "las")

    rows = []
    for tb in choice.treebanks:
        near, better = (difference(las(tb, SAMPLING), las(tb, way)) for way in (PERCEPTRON, ERRORS))
        dynamic = [
            difference(las(tb, a), las(tb, b)) for a, b in ((PERCEPTRON, "perceptron, static"), (SAMPLING, STATIC))
        ]
        seeds: list[Cell] = [(tb, SAMPLING, seed) for seed in choice.seeds]
        rows.append(
            [tb, f"{signed(near)} {at_least(near, -0.3)}", f"{signed(better)} {at_least(better, 0)}",
             " / ".join(map(signed, dynamic)), spread(results.figures(seeds, "scores", "las"))]
        )  # fmt: skip
    header = ["dev, LAS", "sampling k=0 against perceptron (goal -0.3)", "against errors (goal above, 3 of 4)",
              "dynamic against static: perceptron / adagrad-rda (goal above)", "sampling k=0 by seed"]  # fmt: skip
    lines += ["## Differences", "", *grid(header, rows), ""]

    rows, shares = [], []
    for tb in choice.treebanks:
        weights = [mean(tb, way, "model", "weights") for way in (PERCEPTRON, SAMPLING)]
        shares.append(None if None in weights else weights[0] / weights[1])  # type: ignore[operator]
        memory = [mean(tb, way, "peak_memory") for way in (PERCEPTRON, SAMPLING)]
        seconds = [mean(tb, way, "seconds", "training") for way in (PERCEPTRON, SAMPLING)]
        rows.append(
            [tb, *(figure(w, 0) for w in weights), figure(shares[-1], 1),
             *(figure(None if m is None else m / 1e9) for m in memory), *(figure(s, 0) for s in seconds)]
        )  # fmt: skip
    header = ["dev", "weights, perceptron", "adagrad-rda", "times fewer", "peak GB, perceptron", "adagrad-rda",
              "CPU s, perceptron", "adagrad-rda"]  # fmt: skip
    goal = at_least(average(shares), 3)
    lines += [
        "## Weights that are not zero, memory, time", "", *grid(header, rows), "",
        f"Mean: {figure(average(shares), 1)} times fewer; goal 3{': ' + goal if goal else ''}.", "",
        *_joint(choice, results),
    ]  # fmt: skip

    rows = []
    for (tb, way), paper in PAPER.items():
        if tb in choice.treebanks:
            ours = [mean(tb, way, "scores", metric) for metric in ("uas", "las")]
            near_enough = " / ".join(within(v, g, MARGIN) for v, g in zip(ours, paper, strict=True))
            rows.append([tb, way, " / ".join(map(figure, paper)), " / ".join(map(figure, ours)), near_enough])
    header = ["dev", "way", "paper, UAS / LAS", "here", f"within {MARGIN} (goal for Swedish)"]
    return [*lines, "## Beside the paper", "", *grid(header, rows), ""]


def _joint(choice: Choice, results: Results) -> list[str]:
    if JOINT[0] not in choice.treebanks or (found := results[JOINT]) is None:
        return []
    memory = found["peak_memory"] / 1e9
    text = (
        f"{JOINT[0]} with a class for every move and label ({found['model']['classes']} classes; {SAMPLING}, seed 1): "
        f"peak {memory:.2f} GB, goal at most {MOST_GIGABYTES}: {at_most(memory, MOST_GIGABYTES)}; "
        f"{found['model']['weights']:,} weights, {found['seconds']['training']:.0f} s, LAS {found['scores']['las']:.2f}."
    )
    return [text, ""]


LIKELIHOOD = Table(
    "likelihood",
    "adagrad-rda beside the perceptron",
    "Goldberg 2013: arc-eager, `zhang-nivre`, 15 epochs, non-projective training sentences dropped, gold tags, punctuation not "
    "scored, dev sets. alpha = 36 / number of templates (0.5 here; the paper has 1), rho = 0.01, l1 = 1 / (20 words). For utb2: tags of the fine column, every "
    "word known.",
    plan,
    render,
    ("utb2_sv", "utb2_ko", "de_gsd_r12_lc", "en_ewt"),
    (1, 2, 3, 4, 5),
)


_DEFAULT = TrainConfig(keep="last", epochs=12)
LEARNERS = {"perceptron": _DEFAULT, "adagrad-rda": replace(_DEFAULT, learner="adagrad-rda")}
SURE = 0.8


def plan_confidence(choice: Choice) -> Cells:
    return {
        (treebank, learner, seed): Run(
            treebank, replace(config_for(treebank, config), seed=seed), split="test", calibrated=True
        )
        for treebank in choice.treebanks
        for learner, config in LEARNERS.items()
        for seed in choice.seeds
    }


def render_confidence(choice: Choice, results: Results) -> list[str]:
    lines = []
    for what, noun in (("arcs", "heads"), ("labels", "heads and labels"), ("trees", "whole trees")):
        rows, worst = [], 0.0
        for treebank in choice.treebanks:
            for learner in LEARNERS:
                cells: list[Cell] = [(treebank, learner, seed) for seed in choice.seeds]

                def mean(*path: str, cells: Sequence[Cell] = cells) -> float | None:
                    return results.mean(cells, "confidence", *path)

                ece = mean("figures", what, "ece")
                error, kept = (mean(*path) for path in (("figures", what, "accuracy"), ("surest", what)))
                wrong = None if error is None else 1 - error
                worst = max(worst, 0 if ece is None else 100 * ece)
                rows.append(
                    [treebank, learner, _percent(error), _percent(mean("figures", what, "said")), _percent(ece),
                     figure(mean("figures", what, "brier"), 3), figure(mean("figures", what, "log_loss"), 3),
                     _percent(wrong), _percent(kept), _halved(wrong, kept), _percent(mean("for_99", what))]
                )  # fmt: skip
        header = ["test", "learner", "right, %", "said, %", "ECE, %", "Brier", "log loss", "wrong, %",
                  "wrong of the surest 80 %", "halved", "kept for 99 % right"]  # fmt: skip
        lines += [f"## {noun.capitalize()}", "", *grid(header, rows), ""]
        if what == "arcs":
            lines += [f"Largest ECE: {worst:.2f} %; goal at most 1.5: {at_most(worst, 1.5)}.", ""]
            lines += _least_sure(choice, results)
    return [*lines, *_transitions(choice, results), *_speed(choice, results)]


LEAST_SURE = (
    "To halve the errors among the surest 80 %, three times as many of the least sure fifth must be wrong as of all: only "
    "then are so many errors in it. But an arc that a parser builds is the one that it holds to be the best. Where two heads "
    "are equally probable half of the arcs are wrong, and more only where three or more compete, or where the parser sees "
    "afterwards that it chose badly. The fewer arcs are right, the less a calibrated parser can do: with 25 % errors three "
    "of four in the fifth would have to be wrong, and arcs that are so surely wrong would better have been built otherwise."
)


def _least_sure(choice: Choice, results: Results) -> list[str]:
    """What keeping the surest 80 % asks of the others: if w of 100 are wrong and w / 2 of the surest are, then 3 w of the
    least sure must be."""
    rows = []
    for treebank in choice.treebanks:
        for learner in LEARNERS:
            cells: list[Cell] = [(treebank, learner, seed) for seed in choice.seeds]
            right, kept = (
                results.mean(cells, "confidence", *path)
                for path in (("figures", "arcs", "accuracy"), ("surest", "arcs"))
            )
            if right is None or kept is None:
                continue
            wrong = 1 - right
            rows.append(
                [treebank, learner, _percent((wrong - SURE * kept) / (1 - SURE)), _percent(3 * wrong),
                 _percent(max(0.0, wrong - (1 - SURE)) / SURE), _halved(wrong, kept)]
            )  # fmt: skip
    header = ["test", "learner", "wrong of the least sure fifth, %", "to halve the errors, %",
              "best possible ranking: wrong of the surest 80 %", "halved"]  # fmt: skip
    return [
        "### The least sure fifth", "",
        LEAST_SURE, "", *grid(header, rows), "",
    ]  # fmt: skip


def _speed(choice: Choice, results: Results) -> list[str]:
    rows = []
    for treebank in choice.treebanks:
        row = [treebank]
        for learner in LEARNERS:
            cells: list[Cell] = [(treebank, learner, seed) for seed in choice.seeds]
            row += [figure(results.mean(cells, "confidence", name), 0) for name in ("fitted_on", "rate")]
        rows.append(row)
    header = ["test", *(f"{learner}, {what}" for learner in LEARNERS for what in ("fitted on words", "words/s"))]
    return [
        "## Speed", "", "Words a second of one core, with probabilities, on a machine that also did other work.", "",
        *grid(header, rows), "",
    ]  # fmt: skip


def _percent(value: float | None) -> str:
    return figure(None if value is None else 100 * value)


def _halved(wrong: float | None, kept: float | None) -> str:
    return "" if wrong is None or kept is None else "met" if 2 * kept <= wrong else "missed"


def _transitions(choice: Choice, results: Results) -> list[str]:
    """Of the first seed: bins of the best action's probability, raw and fitted."""
    lines = [
        "## Transitions",
        "",
        "Seed " + str(choice.seeds[0]) + ": items of a bin, and how many of 100 are right.",
        "",
    ]
    worst = 0.0
    for treebank in choice.treebanks:
        rows: list[list[str]] = []
        for learner in LEARNERS:
            result = results[treebank, learner, choice.seeds[0]]
            if result is None:
                continue
            for kind, bins in result["confidence"]["bins"].items():
                rows.append([learner, kind, *(_bin(b) for b in bins)])
                if kind == "fitted":
                    gaps = [abs(100 * b["right"] / b["items"] - 100 * b["said"]) for b in bins
                            if b["low"] >= 0.5 and b["items"] >= 300]  # fmt: skip
                    worst = max([worst, *gaps])
        names = [f"{place / 10:.1f}" for place in range(11)]
        lines += [f"### {treebank}", "", *grid(["learner", "", *names], rows), ""]
    goal = f"largest distance of right and said, fitted, bins from 0.5 with 300 items: {worst:.1f} points"
    return [*lines, f"{goal[0].upper()}{goal[1:]}; goal at most 5: {at_most(worst, 5, 1)}.", ""]


def _bin(b: dict[str, Any]) -> str:
    return f"({b['items']:,}) {100 * b['right'] / b['items']:.0f}" if b["items"] else "-"


CONFIDENCE = Table(
    "confidence",
    "How far probabilities can be trusted",
    "Arc-eager, `default` features, 12 epochs, all gold columns; maps fitted on dev and, where that has fewer than 20,000 words, on "
    "halves of the training data, each parsed by what was learned from the other; everything measured on test, all words. "
    "ECE: expected calibration error, 15 bins of equal width.",
    plan_confidence,
    render_confidence,
    ("en_ewt", "eu_bdt", "de_gsd_r12_lc", "utb2_sv", "zh_gsd", "tr_imst"),
    (1,),
)
