"""What `dynarc experiment` does: performs what a table needs and is not there yet, then writes its page."""

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT
from experiments import pages
from experiments.accuracy import ACCURACY
from experiments.confidence import CONFIDENCE
from experiments.data import MissingTreebankError
from experiments.derivations import DERIVATIONS
from experiments.english_features import ENGLISH_MODEL
from experiments.feature_tables import DEFAULT_FEATURES, FEATURE_SELECTION
from experiments.generic_2021 import GENERIC_2021
from experiments.nonprojective_2014 import NONPROJECTIVE_2014
from experiments.oracles_2012 import LEARNERS_2012, ORACLES_2012
from experiments.paper_errors import PAPER_ERRORS
from experiments.pool import clock, perform_all, seconds_of, taken
from experiments.probabilistic_2013 import PROBABILISTIC_2013
from experiments.raw_text import RAW_TEXT
from experiments.recipe import RECIPE
from experiments.systems_2013 import EXPLORATION_2013, SYSTEMS_2013
from experiments.tables import FOLDS, Cells, Choice, Table
from experiments.training_speed import TRAINING_SPEED
from experiments.work import Result, Store, Work

Say = Callable[[str], None]

# The tables of the papers, in the order in which they were written, and what to conclude; then further tables.
PAPERS = (
    ORACLES_2012,
    LEARNERS_2012,
    SYSTEMS_2013,
    EXPLORATION_2013,
    PROBABILISTIC_2013,
    NONPROJECTIVE_2014,
    GENERIC_2021,
    PAPER_ERRORS,
    RECIPE,
)
FURTHER = (
    ACCURACY,
    DEFAULT_FEATURES,
    FEATURE_SELECTION,
    CONFIDENCE,
    DERIVATIONS,
    TRAINING_SPEED,
    RAW_TEXT,
    ENGLISH_MODEL,
)
TABLES = {table.name: table for table in (*PAPERS, *FURTHER)}

# Of what was found, all but this is the same whenever work is performed again.
_CHANGING = (
    "made", "seconds", "peak_memory", "parsing_rates", "rates", "rate", "construction 1", "construction 2", "preparation",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

    names: tuple[str, ...]
    jobs: int = 1
    seeds: tuple[int, ...] | None = None
    treebanks: tuple[str, ...] | None = None
    folds: int = FOLDS
    cached: bool = False
    again: bool = False


def choice_of(table: Table, given: Options) -> Choice:
    return Choice(given.treebanks or table.treebanks, given.seeds or table.seeds, given.folds)


def listed(given: Options, store: Store | None = None) -> list[dict[str, Any]]:
    """How much there is of each table, and of all together."""
    store = store or Store()
    every: dict[Work, Result | None] = {}
    rows = []
    for name in given.names or TABLES:
        cells = TABLES[name].plan(choice_of(TABLES[name], given))
        found = {work: store.get(work) for work in dict.fromkeys(cells.values())}
        every |= found
        rows.append({"name": name, **_amounts(found, given.jobs)})
    return [*rows, {"name": "all of these", **_amounts(every, given.jobs)}]


def _amounts(found: dict[Work, Result | None], jobs: int) -> dict[str, float]:
    """Estimates of the time to go are corrected by what the finished work took."""
    done = {work: taken(result) for work, result in found.items() if result is not None}
    missing = [work for work, result in found.items() if result is None]
    factor = sum(done.values()) / sum(work.estimate() for work in done) if done else 1.0
    left = factor * seconds_of(missing, jobs)
    return {"cells": len(found), "finished": len(done), "cpu_seconds": sum(done.values()), "seconds_to_go": left}


def line(row: dict[str, Any]) -> str:
    spent, left = clock(row["cpu_seconds"]), clock(row["seconds_to_go"])
    to_go = f"about {left} to go" if row["finished"] < row["cells"] else "nothing to do"
    return f"{row['name']:18} {row['cells']:5} cells, {row['finished']:5} finished in {spent} of CPU time; {to_go}"


def run(given: Options, say: Say, store: Store | None = None, folder: Path = pages.FOLDER) -> int:
    """Performs and writes; 1 if something failed."""
    store = store or Store()
    choices = {name: choice_of(TABLES[name], given) for name in dict.fromkeys(given.names)}
    plans = {name: TABLES[name].plan(choice) for name, choice in choices.items()}
    if empty := [name for name, cells in plans.items() if not cells]:
        raise MissingTreebankError(f"the table {empty[0]!r} has nothing for these treebanks: leave --treebanks out")
    failed: list[Work] = []
    if not given.cached:
        works = [work for cells in plans.values() for work in cells.values()]
        failed = perform_all(works, store, jobs=given.jobs, again=given.again, say=say)
    for name, cells in plans.items():
        found = {work: store.get(work) for work in cells.values()}
        written = pages.write(TABLES[name], choices[name], cells, found, folder)
        (state,) = pages.state(cells, found)
        say(f"{', '.join(_short(path) for path in written)}: {state.replace('**', '')}")
    return int(bool(failed))


def quick(name: str, say: Say, store: Store | None = None, folder: Path | None = None, *, again: bool = False) -> int:
    """Every kind of cell of a table, small, on the treebank that comes with the package: is its page made, and are
    cells what was found before? Those that are kept are compared; 1 if one is different. `again` keeps the first one
    as it is now."""
    kept = store or Store()
    table = TABLES[name]
    choice = Choice(("english",), (1,), folds=2, draws=100)
    cells: Cells = {cell: work.quick() for cell, work in table.plan(choice).items()}
    different = compared = 0
    with tempfile.TemporaryDirectory() as scratch:
        fresh = Store(Path(scratch))
        for number, work in enumerate(dict.fromkeys(cells.values())):
            result = fresh.obtain(work)
            if again and number == 0:
                kept.put(work, result)
            if (before := kept.get(work)) is None:
                continue
            compared += 1
            if same_part(before) != same_part(result):
                different += 1
                say(f"{work}: {work.summary(result)}, but {_short(kept.path(work))} has {work.summary(before)}")
        found = {work: fresh.get(work) for work in cells.values()}
        written = pages.write(table, choice, cells, found, folder or Path(scratch))
        size = sum(path.stat().st_size for path in written)
    say(
        f"{name}: {len(found)} cells, {compared} compared with what is kept, {different} different; page of {size:,} bytes"
    )
    return int(different > 0)


def same_part(result: Result) -> Result:
    """What does not change when work is performed again."""
    return {
        name: same_part(value) if isinstance(value, dict) else value
        for name, value in result.items()
        if name not in _CHANGING
    }


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def use_data(folder: str) -> None:
    """Where treebanks are, for this process and those that it starts."""
    os.environ["DYNARC_TREEBANKS"] = folder
