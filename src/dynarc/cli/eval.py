"""dynarc eval: how good a system's trees are, by which protocol, and whether another system's are better."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from typing import Annotated, Literal

import typer

from dynarc.cli.console import interruptible, stderr, stdout, waiting, write_json
from dynarc.cli.eval_tables import Report, show, show_overview
from dynarc.cli.options import JsonOption
from dynarc.errors import ConfigError, EvaluationError
from dynarc.evaluation import PROTOCOLS, Count, Interval, Scores, compare, evaluate, intervals
from dynarc.evaluation.bootstrap import DRAWS, LEVEL, SEED, default_metrics
from dynarc.evaluation.sources import Named, document_of

ProtocolName = Literal["ud", "full", "nopunct", "conll", "ptb", "all"]


class Breakdown(StrEnum):
    """An option that may be repeated cannot be a Literal."""

    LABEL = "label"
    DISTANCE = "distance"
    LENGTH = "length"


def evaluate_files(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The gold standard; - is standard input.")],
    systems: Annotated[
        list[str],
        typer.Argument(metavar="SYSTEM", help="What a system made of it; several, such as seeds, are averaged."),
    ],
    vs: Annotated[
        list[str] | None, typer.Option("--vs", metavar="OTHER", help="Compare with this output; may be repeated.")
    ] = None,
    protocol: Annotated[ProtocolName, typer.Option("--protocol", "-p", help="The rules of scoring.")] = "full",
    by: Annotated[
        list[Breakdown] | None,
        typer.Option("--by", metavar="label|distance|length", help="Break the figures down; may be repeated."),
    ] = None,
    details: Annotated[bool, typer.Option("--details", help="Break the figures down in every way.")] = False,
    draws: Annotated[int, typer.Option(min=0, help="Draws of the bootstrap; 0: no intervals.")] = DRAWS,
    seed: Annotated[int, typer.Option(help="Where the random numbers of the bootstrap start.")] = SEED,
    as_json: JsonOption = False,
) -> None:
    """Score a system's trees against the gold ones.

    Every figure is a percentage and stands under its protocol:

    \b
      ud       as the official scorer of Universal Dependencies (CoNLL 2018): the text may be cut into
               other words and sentences; labels without subtypes; one root per sentence
      full     all words, whole labels (the default)
      nopunct  without words whose gold label is punct or p
      conll    without words that are all punctuation, as eval.pl of CoNLL-X and 2007
      ptb      without words whose gold tag is one of `` '' , . :

    Intervals are 95 % bootstrap intervals over sentences. With --vs, p says how often the difference would
    not have its sign if the sentences were drawn anew, two-sided; with several files on a side, these are
    drawn anew too.

    \b
      dynarc eval gold.conllu out.conllu --protocol ud
      dynarc eval gold.conllu a1.conllu a2.conllu --vs b1.conllu --vs b2.conllu
      dynarc eval gold.conllu out.conllu --by label --by distance
    """
    others = vs or []
    if [gold, *systems, *others].count("-") > 1:
        raise ConfigError("standard input (-) can be read only once: give the other files by name")
    if others and not draws:
        raise ConfigError("--vs needs --draws 1 or more")
    names = list(PROTOCOLS) if protocol == "all" else [protocol]
    chosen = tuple(Breakdown) if details else tuple(by or ())
    overview = len(names) > 1 and len(systems) == 1 and not (others or chosen or as_json)
    with waiting(stderr(), "reading") as say:
        gold_side = document_of(gold, "gold")
        sides = [[document_of(path, "system") for path in paths] for paths in (systems, others)]
        reports: list[Report] = []
        refused: dict[str, EvaluationError] = {}
        for name in names:
            say(f"scoring by protocol {name}")
            try:
                reports.append(_report(name, gold_side, sides, 0 if overview else draws, seed))
            except EvaluationError as why:
                refused[name] = why
    if not reports:
        raise refused[names[-1]]
    if as_json:
        document: dict[str, object] = {"gold": gold_side.path, "protocols": [_json(report) for report in reports]}
        write_json({**document, "refused": {name: str(error) for name, error in refused.items()}})
        return
    if overview:
        show_overview(stdout(), reports, refused)
        return
    for report in reports:
        show(stdout(), report, chosen)
    for name, error in refused.items():
        stdout().print(f"{name}: {error}", soft_wrap=True)


def _report(name: str, gold: Named, sides: Sequence[Sequence[Named]], draws: int, seed: int) -> Report:
    first, second = ([evaluate(gold, system, name) for system in side] for side in sides)

    def draw() -> Report:
        if second:
            comparison = compare(first, second, draws=draws, seed=seed)
            found = {metric: d.first_interval for metric, d in comparison.differences.items()}
            return Report(first, second, found, comparison, draws, seed)
        # Every figure that is shown gets its interval.
        wanted = dict.fromkeys([*default_metrics(first[0]), *first[0].official])
        common = [metric for metric in wanted if all(metric in scores.counts for scores in first)]
        found = intervals(first, draws=draws, seed=seed, metrics=common) if draws else {}
        return Report(first, [], found, None, draws, seed)

    return interruptible(draw)


def _json(report: Report) -> dict[str, object]:
    """Full precision, and the counts beneath."""
    head = report.first[0]
    document: dict[str, object] = {
        "protocol": asdict(head.protocol),
        "systems": [_scores_json(scores) for scores in report.first],
        "others": [_scores_json(scores) for scores in report.second],
        "bootstrap": {"draws": report.draws, "seed": report.seed, "level": LEVEL},
        "intervals": {metric: _pair(interval) for metric, interval in report.intervals.items()},
    }
    for side, key in ((report.first, "systems"), (report.second, "others")):
        if len(side) > 1:
            document[f"{key}_mean"] = {
                metric: {"mean": statistics.fmean(values), "deviation": statistics.stdev(values)}
                for metric in side[0].counts
                if len(values := [scores.counts[metric].f1 for scores in side if metric in scores.counts]) == len(side)
            }
    if report.comparison:
        document["over"] = "sentences and systems" if report.comparison.over_seeds else "sentences"
        document["differences"] = {
            metric: {
                "first": d.first,
                "second": d.second,
                "difference": d.difference,
                "interval": _pair(d.interval),
                "first_interval": _pair(d.first_interval),
                "second_interval": _pair(d.second_interval),
                "p": d.p,
                "flips": d.flips,
            }
            for metric, d in report.comparison.differences.items()
        }
    return document


def _pair(interval: Interval) -> list[float]:
    return [interval.lower, interval.upper]


def _count_json(count: Count) -> dict[str, object]:
    return {
        "f1": count.f1,
        "precision": count.precision,
        "recall": count.recall,
        "aligned_accuracy": count.aligned_accuracy,
        **asdict(count),
    }


def _scores_json(scores: Scores) -> dict[str, object]:
    return {
        "path": scores.system,
        "words": scores.words,
        "sentences": scores.sentences,
        "punctuation": scores.punctuation,
        "unknown_heads": scores.unknown_heads,
        "unattached": scores.unattached,
        "notes": list(scores.notes),
        "metrics": {metric: _count_json(count) for metric, count in scores.counts.items()},
        "columns": {column: asdict(count) for column, count in scores.columns.items()},
        "labels": [
            {**asdict(s), "precision": s.precision, "recall": s.recall, "f1": s.f1} for s in scores.per_label.values()
        ],
        "distances": [{**asdict(b), "uas": b.uas, "las": b.las} for b in scores.by_distance],
        "lengths": [{**asdict(b), "uas": b.uas, "las": b.las, "exact_match": b.exact_match} for b in scores.by_length],
    }
