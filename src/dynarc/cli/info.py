"""dynarc info: what a model is."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from dynarc.cli.console import Column, Columns, count, stdout, write, write_json
from dynarc.cli.options import JsonOption
from dynarc.draw.text import visible
from dynarc.model_file import refusing
from dynarc.parser import Parser, model_path

# Digits of a checksum that people compare; --json has them all.
SHORT = 12


def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What dynarc train has written.")],
    as_json: JsonOption = False,
) -> None:
    """Say what a model is: how it was trained, on what, and how well it did."""
    parser = Parser.load(model)
    size = Path(model_path(model)).stat().st_size
    figures: dict[str, Any] = {
        "classes": parser.model.classes,
        "labels": len(set(parser.labels.texts)),
        "templates": len(parser.templates),
        "features": parser.model.features,
        "weights": parser.model.weights,
        "bytes": size,
    }
    if as_json:
        found = None if parser.calibration is None else json.loads(parser.calibration.to_json())
        values = {"config": parser.config.to_dict(), "figures": figures, "info": dict(parser.info)}
        stages = {"tokenizer": parser.text.tokenizer is not None, "tagger": _tagged(parser)}
        write_json({**values, "stages": stages, "calibration": found})
        return
    rows = [[name, f"{value:,}"] for name, value in figures.items()]
    rows += [
        ["single root", "yes" if parser.single_root else "mended" if parser.labels.roots else "no"],
        ["lifted arcs", parser.encoding or "none"],
    ]
    rows += [[name, _shown(value)] for name, value in parser.config.to_dict().items()]
    with refusing(model):
        rows += _data_rows(parser.info)
        rows += _stage_rows(parser)
    rows.append(["calibrated on", _calibration(parser)])
    table = Columns.fitted([Column(""), Column("")], rows)
    write(stdout(), *map(table.row, rows))


def _tagged(parser: Parser) -> list[str]:
    return [] if parser.text.tagger is None else list(parser.text.tagger.columns)


def _calibration(parser: Parser) -> str:
    if (found := parser.calibration) is None:
        return "nothing: it does not know how sure it is"
    return f"{found.words:,} words of {visible(found.data)}; {found.arcs.kind}"


def _stage_rows(parser: Parser) -> list[list[str]]:
    """What the model does before it parses."""
    rows = []
    if (tokenizer := parser.text.tokenizer) is not None:
        rows.append(["tokenizer", f"{len(tokenizer.model.scripts):,} ways to split tokens into words"])
    if (tagger := parser.text.tagger) is not None:
        rows.append(["tagger", ", ".join(f"{name} ({len(tagger.columns[name].texts):,})" for name in tagger.columns)])
        parts = (parser.info.get("pipeline") or {}).get("jackknife")
        rows.append(["tags of training", f"jackknifed, {parts} parts" if parts else "gold"])
    return rows


def _shown(value: object) -> str:
    return f"{len(value)} templates" if isinstance(value, list) else str(value)


def _data_rows(info: Mapping[str, Any]) -> list[list[str]]:
    """What it was trained and scored on. Models that others made may lack any of it."""
    data, scores = info.get("data") or {}, info.get("dev")
    rows = [["trained on", _treebank(data)]] if data else []
    if licence := data.get("licence"):
        rows.append(["licence of data", visible(licence)])
    if attribution := info.get("attribution"):
        rows.append(["attribution", visible(str(attribution))])
    if dev := data.get("dev"):
        rows.append(["dev", _treebank(dev)])
    if scores:
        rows.append(["on dev", f"UAS {scores['uas']:.2f}, LAS {scores['las']:.2f} (full), epoch {scores['epoch']}"])
    return rows


def _treebank(data: Mapping[str, Any]) -> str:
    sizes = f"{count(data['sentences'], 'sentence')}, {count(data['words'], 'word')}"
    digest = f", sha256 {data['sha256'][:SHORT]}…" if "sha256" in data else ""
    return f"{visible(data['path'])}: {sizes}{digest}"
