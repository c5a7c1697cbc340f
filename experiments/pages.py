"""Tables as pages of docs/results: what was done, with what, and the figures."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT
from experiments import data
from experiments.runs import ENGINE, Result, Run
from experiments.tables import Cells, Choice, Results, Table, grid

from dynarc.evaluation.protocols import PROTOCOLS

FOLDER = ROOT / "docs" / "results"

Found = Mapping[Run, Result | None]


def page(table: Table, choice: Choice, cells: Cells, found: Found) -> str:
    """The whole page."""
    body = table.render(choice, Results({cell: found[run] for cell, run in cells.items()}))
    how = ", ".join(f"{name}: {value}" for name, value in made(found).items())
    lines = [f"# {table.title}", "", f"Made by `{command(table, choice)}`. {how}.", "", table.about, ""]
    lines += [*protocols(cells), "", *body, "## Data", "", *sizes(cells)]
    return "\n".join(lines) + "\n"


def command(table: Table, choice: Choice) -> str:
    """What was typed, but for what has no influence on the figures."""
    words = ["python -m experiments", table.name]
    if choice.seeds != table.seeds:
        words.append("--seeds " + ",".join(map(str, choice.seeds)))
    if choice.treebanks != table.treebanks:
        words.append("--treebanks " + ",".join(choice.treebanks))
    return " ".join([*words, "--write"])


def made(found: Found) -> dict[str, str]:
    """When, where and with what the runs were made."""
    results = [result["made"] for result in found.values() if result is not None]
    names = ("date", "commit", "machine", "python")
    known = {name: " and ".join(sorted({result[name] or "not recorded" for result in results})) for name in names}
    return {**known, "engine": str(ENGINE)}


def protocols(cells: Cells) -> list[str]:
    seeds = sorted({run.config.seed for run in cells.values()})
    rules = sorted({run.protocol for run in cells.values()})
    words = "; ".join(f"`{name}` ({PROTOCOLS[name].rules})" for name in rules)
    return [f"Seeds: {', '.join(map(str, seeds))}. Protocol: {words}."]


def sizes(cells: Cells) -> list[str]:
    """The treebanks, and how large the parts are that were learned from and scored."""
    rows = []
    for treebank, split in sorted({(run.treebank, run.split) for run in cells.values()}):
        train, scored = data.size(treebank, "train"), data.size(treebank, split)
        rows.append([treebank, f"{train[0]:,}", f"{train[1]:,}", split, f"{scored[0]:,}", f"{scored[1]:,}"])
    return grid(["treebank", "training sentences", "words", "scored", "sentences", "words"], rows)


def raw(table: Table, choice: Choice, cells: Cells, found: Found) -> str:
    """The figures of every run, as JSON."""
    runs = [
        {"cell": list(cell), "run": short(run), **figures(result)}
        for cell, run in cells.items()
        if (result := found[run]) is not None
    ]
    head = json.dumps({"table": table.name, "command": command(table, choice), **made(found)}, indent=1)
    each = ",\n".join("  " + json.dumps(run, ensure_ascii=False) for run in runs)
    return f'{head[:-2]},\n "runs": [\n{each}\n ]\n}}\n'


def short(run: Run) -> dict[str, Any]:
    """A run as it is, but a long list of templates by its number and checksum."""
    known = run.to_dict()
    features = known["config"]["features"]
    if isinstance(features, list):
        checksum = hashlib.sha256("\n".join(features).encode()).hexdigest()[:16]
        known["config"]["features"] = f"{len(features)} templates, sha256 {checksum}"
    return known


def figures(result: Result) -> dict[str, Any]:
    """What is kept of a result: all but the single epochs, which are summed: the first, and those after it."""
    parts = {"first": result["epochs"][:1], "later": result["epochs"][1:]}
    names = ("states", "updates", "explored", "skipped")
    epochs = {part: {name: sum(epoch[name] for epoch in some) for name in names} for part, some in parts.items()}
    kept = ("scores", "crossing", "prepared", "model", "seconds", "peak_memory", "parsing_rates")
    return {**{name: result.get(name) for name in kept}, "epochs": epochs, "made": result["made"]["time"]}


def write(table: Table, choice: Choice, cells: Cells, found: Found, folder: Path = FOLDER) -> list[Path]:
    """Writes the page and the figures beside it."""
    paths = [folder / f"{table.name}.md", folder / f"{table.name}.json"]
    for path, text in zip(paths, (page, raw), strict=True):
        path.write_text(text(table, choice, cells, found), encoding="utf-8")
    return paths
