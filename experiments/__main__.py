"""Trains parsers on real treebanks and makes tables of how well they do.

    python -m experiments --list                             what there is, and how long it would take
    python -m experiments accuracy --jobs 2 --write          docs/results/accuracy.md and .json
    python -m experiments exploration --treebanks el_gdt     prints the table for one treebank

Finished runs are kept in build/experiments and never repeated: a table that was interrupted goes on where it was.
"""

import argparse
import sys
from collections.abc import Sequence

from benchmarks.oracles import ROOT
from experiments import pages
from experiments.accuracy import ACCURACY
from experiments.data import MissingTreebankError
from experiments.derivations import DERIVATIONS
from experiments.exploration import EXPLORATION, PAPERS_2013B
from experiments.feature_tables import DEFAULT_FEATURES, FEATURE_SELECTION
from experiments.likelihood import CONFIDENCE, LIKELIHOOD
from experiments.nonprojective import NONPROJECTIVE
from experiments.pool import clock, perform_all, seconds_of
from experiments.runs import Cache
from experiments.speed import ATTARDI, TRAINING_SPEED
from experiments.tables import Cells, Choice, Table

TABLES = {
    table.name: table
    for table in (
        ACCURACY,
        DEFAULT_FEATURES,
        FEATURE_SELECTION,
        EXPLORATION,
        PAPERS_2013B,
        LIKELIHOOD,
        CONFIDENCE,
        NONPROJECTIVE,
        DERIVATIONS,
        ATTARDI,
        TRAINING_SPEED,
    )
}


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m experiments", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--list", action="store_true", help="list the tables, their runs and an estimate of time")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="runs at a time; timed ones are always alone")
    parser.add_argument("--seeds", type=_seeds, metavar="1,2,3", help="other seeds than the table's own")
    parser.add_argument("--treebanks", type=_names, metavar="A,B", help="other treebanks than the table's own")
    parser.add_argument("--write", action="store_true", help="write docs/results/TABLE.md and .json")
    parser.add_argument("--again", action="store_true", help="perform finished runs once more")
    parser.add_argument("--cached", action="store_true", help="perform nothing: show what there is")
    chosen = parser.parse_args(given)
    if unknown := [name for name in chosen.tables if name not in TABLES]:
        parser.error(f"there is no table {unknown[0]!r}; there are {', '.join(TABLES)}")
    if not chosen.tables and not chosen.list:
        parser.error(f"name a table, or --list: {', '.join(TABLES)}")
    if chosen.jobs < 1:
        parser.error("--jobs is 1 or more")
    return chosen


def _seeds(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(",")))


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def choice_of(table: Table, given: argparse.Namespace) -> Choice:
    return Choice(given.treebanks or table.treebanks, given.seeds or table.seeds)


def listed(given: argparse.Namespace, cache: Cache) -> None:
    """One line for each table."""
    for name in given.tables or TABLES:
        cells = TABLES[name].plan(choice_of(TABLES[name], given))
        runs = dict.fromkeys(cells.values())
        missing = [run for run in runs if cache.get(run) is None]
        time = f"about {clock(seconds_of(missing, given.jobs))}" if missing else "nothing to do"
        timed = ", timed" if any(run.timed for run in runs) else ""
        print(f"{name:18} {len(runs):4} runs{timed}, {len(runs) - len(missing)} finished: {time}")


def show(table: Table, choice: Choice, cells: Cells, cache: Cache, *, write: bool) -> int:
    """Prints a table, and writes it if all its runs are there."""
    found = {run: cache.get(run) for run in cells.values()}
    missing = sum(result is None for result in found.values())
    print(pages.page(table, choice, cells, found))
    if missing:
        print(f"{table.name}: {missing} of {len(found)} runs have no result{', not written' if write else ''}")
    elif write:
        print("wrote", *(path.relative_to(ROOT) for path in pages.write(table, choice, cells, found)))
    return int(missing > 0)


def main(given: Sequence[str] | None = None, cache: Cache | None = None) -> int:
    chosen, cache = arguments(given), cache or Cache()
    try:
        if chosen.list:
            listed(chosen, cache)
            return 0
        choices = {name: choice_of(TABLES[name], chosen) for name in dict.fromkeys(chosen.tables)}
        plans = {name: TABLES[name].plan(choice) for name, choice in choices.items()}
        if empty := [name for name, cells in plans.items() if not cells]:
            print(f"error: the table {empty[0]!r} has nothing for these treebanks", file=sys.stderr)
            return 2
        if not chosen.cached:
            runs = [run for cells in plans.values() for run in cells.values()]
            perform_all(runs, cache, jobs=chosen.jobs, again=chosen.again)
        return max(show(TABLES[n], choices[n], plans[n], cache, write=chosen.write) for n in plans)
    except MissingTreebankError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted: finished runs are kept; the same command goes on from here", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
