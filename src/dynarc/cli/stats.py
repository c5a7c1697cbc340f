"""dynarc stats: what is in a treebank."""

from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from dynarc.cli.console import Column, Columns, count, percent, stderr, stdout, waiting, write, write_json
from dynarc.cli.inputs import InputsArgument, SkipBadOption, Skipped, treebanks
from dynarc.cli.options import JsonOption
from dynarc.stats import Stats

BAR = 30


def stats(
    files: InputsArgument,
    top: Annotated[int, typer.Option(min=0, metavar="N", help="How many labels, tags and features to list.")] = 20,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
) -> None:
    """Count what is in treebanks: sizes, lengths, labels, tags, and the shape of trees.

    Sentences with cycles are counted like others; trees that a system cannot derive are found by dynarc audit.

        dynarc stats train.conllu dev.conllu test.conllu
    """
    skipped = Skipped()
    found = []
    for file in files:
        counts = Stats("<stdin>" if file == "-" else file)
        with waiting(stderr(), f"reading {file}"):
            for treebank in treebanks(file, skipped, skip_bad=skip_bad, check_trees=False):
                for sentence in treebank:
                    counts.add(sentence)
        found.append(counts)
    skipped.total()
    whole = Stats("all")
    for counts in found:
        whole.merge(counts)
    if as_json:
        write_json({"files": [_json(counts) for counts in found], "all": _json(whole)})
        return
    console = stdout()
    _show_sizes(console, [*found, whole] if len(found) > 1 else found)
    if whole.sentences:
        _show_lengths(console, whole)
        _show_labels(console, whole, top)


def _show_sizes(console: Console, all_counts: list[Stats]) -> None:
    rows: list[tuple[str, list[str]]] = []

    def row(title: str, *cells: str, optional: bool = False) -> None:
        if not optional or any(cell.split()[0] != "0" for cell in cells):
            rows.append((title, list(cells)))

    def share(title: str, name: str, of: str) -> None:
        parts = [(getattr(c, name), getattr(c, of)) for c in all_counts]
        row(title, *(f"{part:,} ({percent(part, whole)})" if part else "0" for part, whole in parts), optional=True)

    row("sentences", *(f"{c.sentences:,}" for c in all_counts))
    row("words", *(f"{c.words:,}" for c in all_counts))
    row("tokens of the text", *(f"{c.tokens:,}" for c in all_counts))
    row("multiword tokens", *(f"{c.multiword:,}" for c in all_counts), optional=True)
    row("empty nodes", *(f"{c.empty_nodes:,}" for c in all_counts), optional=True)
    row("documents", *(f"{c.documents:,}" for c in all_counts), optional=True)
    row("paragraphs", *(f"{c.paragraphs:,}" for c in all_counts), optional=True)
    row("length, mean", *(f"{c.mean_length:.2f}" for c in all_counts))
    row("length, median and longest", *(f"{c.median_length:g}, {c.longest}" for c in all_counts))
    row("different forms", *(f"{len(c.forms):,}" for c in all_counts))
    row("different lemmas", *(f"{len(c.lemmas):,}" for c in all_counts), optional=True)
    row("different UPOS, XPOS", *(f"{len(c.upos)}, {len(c.xpos)}" for c in all_counts))
    row("different features", *(f"{len(c.feats):,}" for c in all_counts), optional=True)
    row("different relations", *(_relations(c.deprels) for c in all_counts))
    share("non-projective sentences", "nonprojective", "sentences")
    share("non-projective arcs", "nonprojective_arcs", "words")
    row("gap degree, highest", *(f"{max(c.gap_degrees, default=0)}" for c in all_counts), optional=True)
    share("sentences with several roots", "multiple_roots", "sentences")
    share("sentences without a root", "no_root", "sentences")
    share("sentences with unknown heads", "partial", "sentences")
    share("sentences with cycles", "cyclic", "sentences")
    row("distance to the head, mean", *(f"{c.mean_distance:.2f}" for c in all_counts))
    row("head before its dependent", *(percent(c.head_first, c.arcs) for c in all_counts))
    row("depth of trees, highest", *(f"{max(c.depths, default=0)}" for c in all_counts))
    cells: list[list[Any]] = [[title, *values] for title, values in rows]
    titles = _short([c.path for c in all_counts])
    table = Columns.fitted([Column(""), *(Column(title, True) for title in titles)], cells)
    write(console, table.header(), *map(table.row, cells), "")


def _short(paths: list[str]) -> list[str]:
    """Paths without the folder that they have in common."""
    files = [Path(path) for path in paths if path not in ("<stdin>", "all")]
    common = set.intersection(*(set(file.parents) for file in files)) if files else set()
    if not common:  # or one is absolute and one is not
        return paths
    folder = max(common, key=lambda folder: len(folder.parts))
    return [str(Path(path).relative_to(folder)) if Path(path) in files else path for path in paths]


def _relations(deprels: Counter[str]) -> str:
    base = {label.partition(":")[0] for label in deprels}
    return f"{len(deprels)} ({len(base)} without subtypes)" if len(base) < len(deprels) else f"{len(deprels)}"


def _show_lengths(console: Console, counts: Stats) -> None:
    groups = counts.length_groups()
    most = max(number for _, number in groups)
    rows: list[list[Any]] = [
        [name, f"{number:,}", percent(number, counts.sentences), Text("█" * max(1, BAR * number // most), "blue")]
        for name, number in groups
    ]
    columns = [Column("words"), Column("sentences", True), Column("", True), Column("")]
    table = Columns.fitted(columns, rows)
    write(console, Text("Length of sentences", "bold"), table.header(), *map(table.row, rows), "")


def _show_labels(console: Console, counts: Stats, top: int) -> None:
    kinds = {"relations": counts.deprels, "UPOS": counts.upos, "XPOS": counts.xpos, "features": counts.feats}
    for title, counter in kinds.items():
        if not counter or not top:
            continue
        shown = counter.most_common(top)
        some = f", the first {len(shown)} of {len(counter)}" if len(counter) > len(shown) else ""
        # Features are many to a word, so their share is of words, as is that of the others.
        rows = [[name, f"{number:,}", percent(number, counts.words)] for name, number in shown]
        table = Columns.fitted([Column(""), Column("words", True), Column("", True)], rows)
        write(console, Text(f"{title.capitalize() if title.islower() else title}{some}", "bold"))
        write(console, table.header(), *map(table.row, rows), "")
    missing = {name: number for name, number in counts.missing.items() if number}
    if missing:
        listed = ", ".join(f"{name} in {count(number, 'word')}" for name, number in missing.items())
        write(console, Text(f"No value: {listed}", "dim"))


def _json(counts: Stats) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for name in (field.name for field in fields(counts)):
        value = getattr(counts, name)
        if isinstance(value, set):
            document[f"different_{name}"] = len(value)
        elif isinstance(value, Counter):
            by_number = all(isinstance(key, int) for key in value)
            items = sorted(value.items()) if by_number else value.most_common()
            document[name] = {str(key): number for key, number in items}
        else:
            document[name] = value
    document["tokens"] = counts.tokens
    for name in ("mean_length", "median_length", "longest", "mean_distance"):
        document[name] = getattr(counts, name)
    return document
