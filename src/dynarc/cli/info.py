"""dynarc info: what a model is."""

from pathlib import Path
from typing import Annotated, Any

import typer

from dynarc.cli.console import Column, Columns, stdout, write, write_json
from dynarc.cli.options import JsonOption
from dynarc.parser import Parser


def info(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What dynarc train has written.")],
    as_json: JsonOption = False,
) -> None:
    """Say what a model is: how it was trained, on what, and how well it did."""
    parser = Parser.load(model)
    size = Path(model).stat().st_size
    figures: dict[str, Any] = {
        "classes": parser.model.classes,
        "labels": len(set(parser.labels.texts)),
        "templates": len(parser.templates),
        "features": parser.model.features,
        "weights": parser.model.weights,
        "bytes": size,
    }
    if as_json:
        write_json({"config": parser.config.to_dict(), "figures": figures, "info": dict(parser.info)})
        return
    rows = [[name, f"{value:,}"] for name, value in figures.items()]
    rows += [["single root", "yes" if parser.single_root else "no"], ["lifted arcs", parser.encoding or "none"]]
    rows += [[name, str(value)] for name, value in parser.config.to_dict().items()]
    data, dev = parser.info.get("data"), parser.info.get("dev")
    if data:
        rows.append(["trained on", f"{data['path']}: {data['sentences']:,} sentences, {data['words']:,} words"])
    if dev:
        rows.append(["on dev", f"UAS {dev['uas']:.2f}, LAS {dev['las']:.2f} (full), epoch {dev['epoch']}"])
    table = Columns.fitted([Column(""), Column("")], rows)
    write(stdout(), *map(table.row, rows))
