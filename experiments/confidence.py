"""`confidence`: what the probabilities of both learners are worth."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from experiments.probabilistic_2013 import config_for
from experiments.runs import Run
from experiments.tables import Cell, Cells, Choice, Results, Table, at_most, figure, grid

from dynarc import TrainConfig

_DEFAULT = TrainConfig(keep="last", epochs=12)
LEARNERS = {"perceptron": _DEFAULT, "adagrad-rda": replace(_DEFAULT, learner="adagrad-rda")}
SURE = 0.8


def plan(choice: Choice) -> Cells:
    return {
        (treebank, learner, seed): Run(
            treebank, replace(config_for(treebank, config), seed=seed), split="test", calibrated=True
        )
        for treebank in choice.treebanks
        for learner, config in LEARNERS.items()
        for seed in choice.seeds
    }


def render(choice: Choice, results: Results) -> list[str]:
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
    "ECE: expected calibration error, 15 bins of equal width. The cells of de_gsd_r12_lc, utb2_sv, zh_gsd and tr_imst were made "
    "before what the halves say was told apart from what dev says: `--again` makes them anew.",
    plan,
    render,
    ("en_ewt", "eu_bdt", "de_gsd_r12_lc", "utb2_sv", "zh_gsd", "tr_imst"),
    (1,),
)
