"""`default-features` and `feature-selection`: what templates are worth, on dev sets."""

from dataclasses import replace
from functools import cache

from experiments import data
from experiments.runs import Run
from experiments.tables import (
    BASE,
    EXPLORING,
    Cell,
    Cells,
    Choice,
    Results,
    Table,
    average,
    difference,
    figure,
    grid,
    signed,
)

from dynarc import systems
from dynarc.features import STUDY, ZHANG_NIVRE, expand, feature_set

CONFIG = replace(BASE, explore=EXPLORING)
SETS = ("zhang-nivre", "default")
# What `default` is compared with in the systems other than arc-eager.
BASES = dict.fromkeys(systems(), "stack") | {"covington": "covington", "easy-first": "easy-first-2013"}
del BASES["arc-eager"]


def plan_default(choice: Choice) -> Cells:
    return {
        (treebank, name, seed): Run(treebank, replace(CONFIG, features=name, epochs=12, seed=seed))
        for treebank in choice.treebanks
        for name in SETS
        for seed in choice.seeds
    }


def render_default(choice: Choice, results: Results) -> list[str]:
    las: dict[tuple[str, str], float | None] = {}
    rows = []
    for treebank in choice.treebanks:
        for name in SETS:
            las[treebank, name] = results.mean(_cells(treebank, name, choice), "scores", "las")
        less, more = las[treebank, "zhang-nivre"], las[treebank, "default"]
        columns = ", ".join(sorted(data.filled(treebank))) or "none"
        rows.append([treebank, columns, figure(less), figure(more), signed(difference(more, less))])
    less, more = (average(las[treebank, name] for treebank in choice.treebanks) for name in SETS)
    rows.append(["**mean**", "", figure(less), figure(more), signed(difference(more, less))])
    return [*grid(["dev", "columns beside UPOS", "LAS, `zhang-nivre`", "LAS, `default`", "difference"], rows), ""]


def _cells(treebank: str, name: str, choice: Choice) -> list[Cell]:
    return [(treebank, name, seed) for seed in choice.seeds]


DEFAULT_FEATURES = Table(
    "default-features",
    "The default features beside Zhang and Nivre's",
    "Arc-eager, dynamic oracle, k=1 p=0.9, 12 epochs, non-projective training sentences dropped, gold columns. Dev sets only.",
    plan_default,
    render_default,
    seeds=(1,),
)


@cache
def without(group: str, columns: frozenset[str]) -> tuple[str, ...]:
    """The templates of `default` for arc-eager but for those that only this group of the study asks for.

    >>> len(feature_set("default", "arc-eager", columns=())) - len(without("btwset", frozenset()))
    3
    """
    others = [ZHANG_NIVRE, {name: text for name, text in STUDY.items() if name != group}]
    wanted_by_others = {_parts(expand(t)) for groups in others for text in groups.values() for t in text.split()}
    gone = {_parts(expand(t)) for t in STUDY[group].split()} - wanted_by_others
    return tuple(t for t in feature_set("default", "arc-eager", columns=columns) if _parts(t) not in gone)


def _parts(template: str) -> frozenset[str]:
    """Two templates that differ in the order of their atoms are the same."""
    return frozenset(template.split("+"))


@cache
def groups_of(treebank: str) -> tuple[str, ...]:
    """The groups of the study that `default` has for a treebank."""
    columns = data.filled(treebank)
    whole = len(feature_set("default", "arc-eager", columns=columns))
    return tuple(group for group in STUDY if len(without(group, columns)) < whole)


def plan_selection(choice: Choice) -> Cells:
    cells: Cells = {}
    config = replace(CONFIG, epochs=8)
    for treebank in choice.treebanks:
        columns = data.filled(treebank)
        for seed in choice.seeds:
            for name in SETS:
                cells[treebank, name, seed] = Run(treebank, replace(config, features=name, seed=seed))
            for group in groups_of(treebank):
                features = without(group, columns)
                cells[treebank, f"- {group}", seed] = Run(treebank, replace(config, features=features, seed=seed))
            for system, base in BASES.items():
                for name in (base, "default"):
                    changed = replace(config, system=system, features=name, seed=seed)
                    cells[treebank, f"{system} {name}", seed] = Run(treebank, changed)
    return cells


def render_selection(choice: Choice, results: Results) -> list[str]:
    def las(treebank: str, name: str) -> float | None:
        return results.mean(_cells(treebank, name, choice), "scores", "las")

    groups = {treebank: groups_of(treebank) for treebank in choice.treebanks}
    rows = [[f"`{name}`", *(figure(las(treebank, name)) for treebank in choice.treebanks), ""] for name in SETS]
    for group in [group for group in STUDY if any(group in of_one for of_one in groups.values())]:
        have = [treebank for treebank in choice.treebanks if group in groups[treebank]]
        lost = {t: difference(las(t, f"- {group}"), las(t, "default")) for t in have}
        cells = [signed(lost[treebank]) if treebank in lost else "" for treebank in choice.treebanks]
        rows.append([f"without `{group}`", *cells, signed(average(lost.values()))])
    other = []
    for system, base in BASES.items():
        gains = [difference(las(t, f"{system} default"), las(t, f"{system} {base}")) for t in choice.treebanks]
        pairs = [
            f"{figure(las(t, f'{system} {base}'))} {signed(gain)}"
            for t, gain in zip(choice.treebanks, gains, strict=True)
        ]
        other.append([system, f"`{base}`", *pairs, signed(average(gains))])
    return [
        "## Arc-eager",
        "",
        "LAS of two sets, then what leaving out one group does to that of `default`. Empty: the treebank has no such column.",
        "",
        *grid(["dev", *choice.treebanks, "mean"], rows),
        "",
        "## Other systems",
        "",
        "LAS with the system's own set, and what `default` adds to it.",
        "",
        *grid(["system", "own set", *choice.treebanks, "mean gain"], other),
        "",
    ]


FEATURE_SELECTION = Table(
    "feature-selection",
    "What the groups of the default features are worth",
    "Dynamic oracle, k=1 p=0.9, 8 epochs, labelled, gold columns; projective systems learn from projective sentences only. Dev sets "
    "only. Differences of a few tenths in one treebank are within what another seed does.",
    plan_selection,
    render_selection,
    seeds=(1,),
)
