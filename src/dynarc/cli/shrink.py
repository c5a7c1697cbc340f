"""dynarc shrink: a smaller model file of a model."""

from pathlib import Path
from typing import Annotated

import typer

from dynarc.cli.console import Column, Columns, stdout, write, write_json
from dynarc.cli.options import JsonOption
from dynarc.conllu import read_conllu
from dynarc.evaluation import evaluate
from dynarc.files import check_target
from dynarc.model_file import COMPACT, Storage
from dynarc.parser import Parser, model_path


def shrink(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What dynarc train has written.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The new model file.")],
    prune: Annotated[
        float, typer.Option(min=0, help="Weights of the parser nearer to 0 than this are left out; 0 keeps all.")
    ] = 0.5,
    key_bits: Annotated[
        int, typer.Option(min=32, max=64, help="How many of the 64 bits of a feature's key are kept.")
    ] = COMPACT.key_bits,
    data: Annotated[
        str | None, typer.Option(metavar="FILE", help="A treebank, not a test set, to compare both models on.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write a smaller file of a model, with fewer weights.

    What is left out is gone. With --data both models parse a treebank, so that you see what it costs.

        dynarc shrink en.dynarc -o small.dynarc --prune 0.75 --data dev.conllu
    """
    check_target(output, [model, *([] if data is None else [data])])
    parser = Parser.load(model)
    treebank = None if data is None else read_conllu(data)
    parser.save(output, Storage(prune=prune, quantised=True, key_bits=key_bits))
    smaller = Parser.load(output)
    paths = (Path(model_path(model)), Path(output))
    figures: dict[str, list[float]] = {
        "bytes": [path.stat().st_size for path in paths],
        "features": [p.model.features for p in (parser, smaller)],
        "weights": [p.model.weights for p in (parser, smaller)],
    }
    if treebank is not None:
        scores = [evaluate(treebank, p.parse(treebank)) for p in (parser, smaller)]
        figures["uas"] = [found.uas for found in scores]
        figures["las"] = [found.las for found in scores]
    if as_json:
        write_json({name: dict(zip(("before", "after"), pair, strict=True)) for name, pair in figures.items()})
        return
    rows = [
        [name, *(f"{value:.2f}" if name in ("uas", "las") else f"{value:,.0f}" for value in pair)]
        for name, pair in figures.items()
    ]
    table = Columns.fitted([Column(""), Column("before", True), Column("after", True)], rows)
    write(stdout(), table.header(), *map(table.row, rows))
