"""dynarc calibrate: whether a model is right as often as its probabilities say."""

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from dynarc import confidence
from dynarc.cli import calibrate_tables as tables
from dynarc.cli.calibrate_page import page, plots
from dynarc.cli.calibrate_tables import SUBJECTS, Table
from dynarc.cli.console import (
    Column,
    Columns,
    bar,
    has_blocks,
    interruptible,
    stderr,
    stdout,
    waiting,
    write,
    write_json,
    write_paragraph,
)
from dynarc.cli.options import JsonOption, refuse
from dynarc.conllu import read_conllu
from dynarc.draw import png
from dynarc.draw.plot import to_svg
from dynarc.draw.text import visible
from dynarc.errors import ConfigError, ConlluError
from dynarc.files import check_target, write_text, writing
from dynarc.parser import Parser, cores
from dynarc.published import GOLDBERG_2013, LANGUAGES
from dynarc.reliability import (
    BINS,
    CLIP,
    ONE,
    SHARES,
    TARGETS,
    Bin,
    CalibrationReport,
    Kept,
    Outcomes,
    action_bins,
    coverage,
    equal_bins,
    figures,
    keep_right,
    keep_share,
)

Paper = Literal["de", "en", "es", "fr", "ko", "sv"]
SUFFIXES = (".html", ".htm", ".svg", ".png")


def calibrate(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What dynarc train has written.")],
    data: Annotated[str, typer.Argument(metavar="DATA", help="A treebank that the model has not seen; - is stdin.")],
    paper: Annotated[
        Paper | None, typer.Option("--paper", help="Beside the transitions, Goldberg's (2013) of this language.")
    ] = None,
    fit: Annotated[
        str | None,
        typer.Option(metavar="MODEL", help="Fit the maps anew on DATA, and write the model with them here."),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=confidence.MOST_SAMPLES,
            help="With --fit, derivations to sample of each sentence: with more of them probabilities know more, and "
            f"take longer. If not given {confidence.SAMPLES}, and 0 for easy-first.",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=0, help="Cores to use; 0 for all.")] = 0,
    as_json: JsonOption = False,
    out: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="OUT", help="Also write a page (.html) or the diagrams (.svg, .png)."),
    ] = None,
) -> None:
    """Show how far a model's probabilities can be trusted.

    Transitions: the best action's probability in every state that the parser is in, and how often it is one of
    those that the dynamic oracle finds best; as the scores give it (raw) and after the map that the model has
    for it (fitted). Arcs and labels: the probabilities that dynarc parse --confidence writes.

    \b
      said      the mean probability of the words in a bin; | in the bars
      right     how many of them are right; what the bars show
      ECE       expected calibration error: the mean distance of the two, over 15 bins of equal width
      MCE       the largest of these distances
      Brier     mean squared distance of the probability from 1 if right, 0 if wrong
      log loss  mean of -log of what was said of the truth, which is taken as 0.000001 at least
      AUC       how often a wrong word is less sure than a right one

    Equal probabilities are kept or left together.

    \b
      dynarc calibrate sv.dynarc test.conllu --paper sv
      dynarc calibrate en.dynarc test.conllu -o report.html

    A model that was trained without calibration, or is used on texts of another kind, is calibrated by some sentences
    of that kind with their trees:

    \b
      dynarc calibrate en.dynarc letters.conllu --fit letters.dynarc
      dynarc calibrate en.dynarc dev.conllu --fit fast.dynarc --samples 0
    """
    if fit is not None:
        refuse("with --fit, which shows nothing", output=out, json=as_json, paper=paper)
        check_target(fit, [data])
    else:
        refuse("without --fit", samples=samples)
    _check_output(out, model, data)
    parser = Parser.load(model)
    with waiting(stderr(), "parsing"):
        treebank = read_conllu(data)
        if not treebank.words:
            raise ConlluError(treebank.path, None, "there is no sentence in it")
        if fit is not None:
            calibration = interruptible(
                lambda: confidence.calibrate(parser, treebank, threads or cores(), samples=samples)
            )
            replace(parser, calibration=calibration).save(fit)
            return
        found = interruptible(lambda: confidence.report(parser, treebank, threads))
    report = replace(found, model=model, data=treebank.path)
    if out is not None:
        _write(report, paper, out)
    if as_json:
        write_json(_json(report, paper))
    else:
        _show(stdout(), report, paper)


def _check_output(out: str | None, model: str, data: str) -> None:
    """A ConfigError or FileError for what could not be written, before anything is parsed."""
    if out is None:
        return
    suffix = Path(out).suffix.lower()
    if suffix not in SUFFIXES:
        raise ConfigError(f"{out}: -o names a page (.html) or a picture (.svg, .png)")
    if suffix == ".png":
        png.check()
    check_target(out, [model, data])


def _write(report: CalibrationReport, paper: Paper | None, out: str) -> None:
    suffix = Path(out).suffix.lower()
    if suffix == ".png":
        with writing(out) as file:
            file.write(png.to_png(*plots(report)))
    else:
        write_text(to_svg(*plots(report), alone=True) if suffix == ".svg" else page(report, paper), out)


def _show(console: Console, report: CalibrationReport, paper: Paper | None) -> None:
    write_paragraph(console, visible(tables.lead(report)))
    for note in report.notes:
        write_paragraph(console, Text(visible(note), "dim"))
    write(console, "", Text.assemble(("transitions", "bold"), ": the best action, by its probability; % right"))
    _table(console, tables.transitions(report, paper))
    write_paragraph(console, tables.verdict(report))
    if paper is None and (language := _language(report.data)):
        write(console, Text(f"The paper's figures for {LANGUAGES[language]} beside them: --paper {language}", "dim"))
    write(console, "", Text("figures", "bold"))
    _table(console, tables.summary(report))
    for name, outcomes in report.each():
        _, noun = SUBJECTS[name]
        what, _, rest = tables.heading(name).partition(":")
        write(console, "", Text.assemble((what.lower(), "bold"), f":{rest}"))
        table, bins = tables.reliability(outcomes, noun)
        blocks = has_blocks()
        _table(console, table, [bar(100 * b.accuracy, blocks, 100 * b.said) for b in bins])
        write(console, "")
        _table(console, tables.kept(outcomes, noun))
        write_paragraph(console, tables.surest(outcomes, name))


def _table(console: Console, table: Table, bars: Sequence[str] | None = None) -> None:
    columns = [Column(title, place > 0) for place, title in enumerate(table.titles)]
    rows = [list(row) for row in table.rows]
    if bars is not None:
        columns.append(Column("right, | said"))
        rows = [[*row, drawn] for row, drawn in zip(rows, bars, strict=True)]
    fitted = Columns.fitted(columns, rows, "  ")
    write(console, fitted.header(), *(fitted.row(row) for row in rows))


def _language(data: str) -> str | None:
    """A language of the paper that the name of a file speaks of, as in utb2_sv/dev.conll."""
    found = {part for part in re.split(r"[^a-z]+", data.lower()) if part in GOLDBERG_2013}
    return found.pop() if len(found) == 1 else None


def _json(report: CalibrationReport, paper: Paper | None) -> dict[str, object]:
    document: dict[str, object] = {
        "model": report.model,
        "data": report.data,
        "sentences": report.sentences,
        "words": report.words,
        "notes": list(report.notes),
        "bins": BINS,
        "log_loss_clip": CLIP,
        "one_digits": ONE,
        "transitions": {
            name: {"figures": asdict(figures(outcomes)), "bins": _bins_json(action_bins(outcomes))}
            for name, outcomes in tables.transition_outcomes(report)
        },
    }
    document.update((name, _outcomes_json(outcomes)) for name, outcomes in report.each())
    if paper is not None:
        document["paper"] = {"language": paper, "bins": [b._asdict() for b in GOLDBERG_2013[paper]]}
    return document


def _outcomes_json(outcomes: Outcomes) -> dict[str, object]:
    return {
        "figures": asdict(figures(outcomes)),
        "bins": _bins_json(equal_bins(outcomes)),
        "surest": [{"wanted": share, **_kept_json(keep_share(outcomes, share))} for share in (*SHARES, 1.0)],
        "right": [
            {"wanted": target, **({} if (kept := keep_right(outcomes, target)) is None else _kept_json(kept))}
            for target in TARGETS
        ],
        "coverage": [_kept_json(kept) for kept in coverage(outcomes)],
    }


def _bins_json(bins: Sequence[Bin]) -> list[dict[str, object]]:
    """Of empty bins nothing is said but that they are."""
    return [
        {
            "low": b.low,
            "high": b.high,
            "items": b.items,
            "right": b.right,
            "said": b.said if b.items else None,
            "accuracy": b.accuracy if b.items else None,
        }
        for b in bins
    ]


def _kept_json(kept: Kept) -> dict[str, object]:
    return {
        "threshold": kept.threshold,
        "items": kept.items,
        "share": kept.share,
        "right": kept.right,
        "accuracy": kept.accuracy,
    }
