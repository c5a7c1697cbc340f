"""dynarc train --folds and --curve: how good a parser would be, and what more data would bring."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from dynarc.cli import curve_page
from dynarc.cli.console import (
    Column,
    Columns,
    bar,
    count,
    has_blocks,
    interruptible,
    stderr,
    stdout,
    write,
    write_json,
    write_paragraph,
)
from dynarc.config import TrainConfig
from dynarc.convert import write_any
from dynarc.errors import ConfigError
from dynarc.files import check_target, write_text
from dynarc.model_file import check_name
from dynarc.treebank import Treebank
from dynarc.validation import CrossValidation, CurvePoint, Fold, Spread, cross_validate, learning_curve, tenth_apart


def check_options(
    files: Sequence[str],
    folds: int | None,
    curve: bool,
    points: int | None,
    dev: str | None,
    output: str | None,
    as_json: bool,
) -> None:
    """A ConfigError or FileError for what does not go together or could not be written, before anything is read."""
    if folds is not None and curve:
        raise ConfigError("--folds and --curve are two different things: run one after the other")
    if folds is not None and dev is not None:
        raise ConfigError("--folds scores on every part of FILES in turn: it does not go with --dev")
    if points is not None and not curve:
        raise ConfigError("--points does not go without --curve")
    if curve and output is not None and _suffix(output) not in (".html", ".htm", ".svg"):
        raise ConfigError(f"{output}: with --curve, -o names a picture (.svg) or a page (.html), not a model")
    if output == "-" and folds is None:
        raise ConfigError("a model is a file: name it with -o, as in -o en.dynarc")
    if output == "-" and as_json:
        raise ConfigError("-o - and --json cannot both be standard output")
    if output is not None and output != "-":
        check_target(output, [*files, *([] if dev is None else [dev])])
        if folds is None and not curve:
            check_name(output)


def run_folds(treebank: Treebank, folds: int, config: TrainConfig, output: str | None, as_json: bool) -> None:
    """Cross-validates; a line for every fold as it finishes, then what they come to."""
    console = stderr() if as_json or output == "-" else stdout()
    report = _Table(console, ["fold", "sentences", "words", "UAS", "LAS", "seconds"])

    def told(fold: Fold) -> None:
        report.row([str(fold.number), f"{fold.sentences:,}", f"{fold.words:,}", *_figures(fold)])

    found = interruptible(lambda: cross_validate(treebank, folds=folds, config=config, progress=told))
    scores = found.scores
    write(console, "", f"mean ± sd of {folds} folds: UAS {found.uas}, LAS {found.las}")
    words = count(scores.words, "word")
    write(console, f"all {words} together: UAS {scores.uas:.2f}, LAS {scores.las:.2f} ({scores.protocol})")
    if output is not None:
        with write_any(output, "conllu") as put:
            put(found.parsed)
        named = "standard output" if output == "-" else output
        write(console, f"{named}: the treebank, each sentence parsed by the fold that had not seen it (not a model)")
    if as_json:
        write_json(_folds_json(found, config))


def run_curve(
    treebank: Treebank,
    dev: Treebank | None,
    points: int,
    config: TrainConfig,
    output: str | None,
    as_json: bool,
) -> None:
    """Trains on more and more of the data; a line for every point, then what the last doubling brought."""
    console = stderr() if as_json else stdout()
    scored_on = "every tenth sentence of it, which is not trained on"
    if dev is None:
        treebank, dev = tenth_apart(treebank)
        if not len(dev):
            raise ConfigError("--curve without --dev scores on every tenth sentence, and there are fewer than ten")
        write(stderr(), f"no --dev: scored on {scored_on} ({count(len(dev), 'sentence')})", "")
    else:
        scored_on = dev.path
    gold = dev
    report = _Table(console, ["sentences", "words", "UAS", "LAS", "seconds"], "LAS, 0 to 100")
    blocks = has_blocks()

    def told(point: CurvePoint) -> None:
        report.row([f"{point.sentences:,}", f"{point.words:,}", *_figures(point)], bar(point.las, blocks))

    curve = interruptible(lambda: learning_curve(treebank, gold, config=config, points=points, progress=told))
    write(console, "")
    write_paragraph(console, curve_page.gained(curve))
    if output is not None:
        if _suffix(output) == ".svg":
            text = curve_page.picture(curve, alone=True)
        else:
            text = curve_page.page(curve, config, trained_on=treebank.path, scored_on=scored_on)
        write_text(text, output)
        write(stderr(), f"{output}: the curve (not a model)")
    if as_json:
        write_json(_curve_json(curve, config, treebank, scored_on))


class _Table:
    """Lines as they come; the first brings the titles with it."""

    def __init__(self, console: Console, titles: Sequence[str], last: str | None = None) -> None:
        columns = [Column(title, True, 7) for title in titles]
        self._table = Columns(columns if last is None else [*columns, Column(last)])
        self._console = console
        self._begun = False

    def row(self, cells: Sequence[str], last: str | None = None) -> None:
        if not self._begun:
            write(self._console, self._table.header())
        self._begun = True
        write(self._console, self._table.row(cells if last is None else [*cells, last]))


def _figures(found: Fold | CurvePoint) -> list[str]:
    return [f"{found.uas:.2f}", f"{found.las:.2f}", f"{found.seconds:.1f}"]


def _suffix(name: str) -> str:
    return Path(name).suffix.lower()


def _folds_json(found: CrossValidation, config: TrainConfig) -> dict[str, object]:
    def spread(of: Spread) -> dict[str, float]:
        return {"mean": of.mean, "sd": of.sd}

    return {
        "config": config.to_dict(),
        "folds": [
            {
                "fold": fold.number,
                "first_sentence": fold.first,
                "sentences": fold.sentences,
                "words": fold.words,
                "uas": fold.uas,
                "las": fold.las,
                "seconds": fold.seconds,
            }
            for fold in found.folds
        ],
        "uas": spread(found.uas),
        "las": spread(found.las),
        "pooled": {"words": found.scores.words, "uas": found.scores.uas, "las": found.scores.las},
    }


def _curve_json(
    curve: Sequence[CurvePoint], config: TrainConfig, treebank: Treebank, scored_on: str
) -> dict[str, object]:
    return {
        "config": config.to_dict(),
        "trained_on": treebank.path,
        "scored_on": scored_on,
        "points": [asdict(point) for point in curve],
        "last_gain": {"uas": curve[-1].uas - curve[-2].uas, "las": curve[-1].las - curve[-2].las}
        if len(curve) > 1
        else None,
    }
