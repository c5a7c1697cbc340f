"""Tables as pages of docs/results: what was done, with what, what is missing, and the figures."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from benchmarks.oracles import ROOT
from experiments import data
from experiments.pool import clock, taken
from experiments.runs import ENGINE, Run
from experiments.tables import FOLDS, Cells, Choice, Results, Table, grid
from experiments.work import Result, Work

from dynarc.evaluation.protocols import PROTOCOLS

FOLDER = ROOT / "docs" / "results"

Found = Mapping[Work, Result | None]


def page(table: Table, choice: Choice, cells: Cells, found: Found) -> str:
    """The whole page."""
    results = results_of(choice, cells, found)
    how = ", ".join(f"{name}: {value}" for name, value in made(found).items())
    lines = [f"# {table.title}", "", f"Made by `{command(table, choice)}`. {how}.", "", table.about, ""]
    lines += [*protocols(cells), "", *state(cells, found), ""]
    if table.note:
        lines += [table.note, ""]
    if table.picture is not None:
        lines += [f"![{table.title}]({table.name}.svg)", ""]
    return "\n".join([*lines, *table.render(choice, results), *sizes(cells)]) + "\n"


def results_of(choice: Choice, cells: Cells, found: Found) -> Results:
    return Results({cell: found[work] for cell, work in cells.items()}, choice.draws)


def command(table: Table, choice: Choice) -> str:
    """What was typed, but for what has no influence on the figures."""
    words = ["dynarc experiment", table.name]
    if choice.seeds != table.seeds:
        words.append("--seeds " + ",".join(map(str, choice.seeds)))
    if choice.treebanks != table.treebanks:
        words.append("--treebanks " + ",".join(choice.treebanks))
    if choice.folds != FOLDS:
        words.append(f"--folds {choice.folds}")
    return " ".join(words)


def made(found: Found) -> dict[str, str]:
    """When, where and with what the cells were made."""
    results = [result["made"] for result in found.values() if result is not None]
    names = ("date", "commit", "machine", "python")
    each = {name: sorted({part for one in results for part in _parts(one[name])}) for name in names}
    known = {name: " and ".join(values) or "none yet" for name, values in each.items()}
    return {**known, "engine": str(ENGINE)}


def _parts(text: str) -> list[str]:
    return text.split(" and ") if text else ["not recorded"]


def protocols(cells: Cells) -> list[str]:
    seeds = sorted({work.seed for work in cells.values()})
    rules = sorted({work.protocol for work in cells.values() if isinstance(work, Run)})
    words = "; ".join(f"`{name}` ({PROTOCOLS[name].rules})" for name in rules)
    return [f"Seeds: {', '.join(map(str, seeds))}." + (f" Protocol: {words}." if words else "")]


def state(cells: Cells, found: Found) -> list[str]:
    """How much is finished, how long that took, and what is missing."""
    works = dict.fromkeys(cells.values())
    done = [result for work in works if (result := found[work]) is not None]
    text = f"{len(done)} of {len(works)} cells are finished; they took {clock(sum(map(taken, done)))} of CPU time."
    missing = [work for work in works if found[work] is None]
    if not missing:
        return [text]
    where = Counter(work.folder for work in missing)
    each = ", ".join(f"{name} {number}" for name, number in where.items())
    few = "Means are over the finished seeds; a number in brackets says how many, where some are missing."
    return [f"**{text} Missing: {each}.** {few} The same command goes on with what is missing."]


def sizes(cells: Cells) -> list[str]:
    """The treebanks, and how large the parts are that were learned from and scored."""
    rows = []
    for treebank, split in sorted({(run.treebank, run.split) for run in cells.values() if isinstance(run, Run)}):
        train, scored = data.size(treebank, "train"), data.size(treebank, split)
        rows.append([treebank, f"{train[0]:,}", f"{train[1]:,}", split, f"{scored[0]:,}", f"{scored[1]:,}"])
    if not rows:
        return []
    return ["## Data", "", *grid(["treebank", "training sentences", "words", "scored", "sentences", "words"], rows)]


def write(table: Table, choice: Choice, cells: Cells, found: Found, folder: Path = FOLDER) -> list[Path]:
    """Writes the page, and its picture beside it."""
    texts = {folder / f"{table.name}.md": page(table, choice, cells, found)}
    if table.picture is not None:
        texts[folder / f"{table.name}.svg"] = table.picture(choice, results_of(choice, cells, found))
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)
