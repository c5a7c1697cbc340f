"""dynarc diff: what differs between two treebanks with the same words."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from dynarc import ConfigError, Sentence
from dynarc.cli import excerpts
from dynarc.cli.console import Column, Columns, count, percent, stderr, stdout, waiting, write, write_json
from dynarc.cli.diff_page import FEW, NAMES, change_text, page, row_name, verdict_of
from dynarc.cli.options import JsonOption, refuse
from dynarc.cli.view import show_drawings
from dynarc.difference import COLUMNS, Difference, Verdict, difference
from dynarc.draw import Drawing
from dynarc.draw.text import visible
from dynarc.files import write_text


def diff(
    first_file: Annotated[str, typer.Argument(metavar="A", help="CoNLL-U or CoNLL-X; - is standard input.")],
    second_file: Annotated[str, typer.Argument(metavar="B", help="The same words, annotated otherwise.")],
    gold: Annotated[
        str | None, typer.Option("--gold", metavar="GOLD", help="Say which of A and B is right, by this file.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", metavar="NAMES", help=f"Compare these only: {','.join(COLUMNS)}.", show_default="all"
        ),
    ] = None,
    first: Annotated[int, typer.Option(min=0, metavar="N", help="Sentences to show.")] = 10,
    draw: Annotated[bool, typer.Option("--draw", help="Draw both trees of the sentences shown.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with status 1 if anything differs.")] = False,
    as_json: JsonOption = False,
    out: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT", help="Write a page of HTML to this file instead.")
    ] = None,
) -> None:
    """Show what differs between two treebanks.

    Two parsers' outputs, say, or two versions of an annotation. Sentences are matched by position; if their
    words differ, by sent_id, where every sentence has one of its own. Multiword tokens and empty nodes are
    compared too.

    With --gold, each difference is judged: only A has it as gold, only B, or neither. Arcs are HEAD and DEPREL
    together.

    \b
      dynarc diff old.conllu new.conllu --columns head,deprel --draw
      dynarc diff parser1.conllu parser2.conllu --gold dev.conllu
      dynarc diff old.conllu new.conllu -o changes.html
    """
    if [first_file, second_file, gold].count("-") > 1:
        raise ConfigError("standard input (-) can be read only once: give the other files by name")
    if out is not None:
        refuse("with --output", json=as_json, draw=draw)
    if as_json:
        refuse("with --json", draw=draw)
    chosen = COLUMNS if columns is None else tuple(name.strip().lower() for name in columns.split(","))
    with waiting(stderr(), "reading"):
        found = difference(first_file, second_file, columns=chosen, gold=gold)
    if as_json:
        write_json(_json(found))
    elif out is not None:
        write_text(page(found, first), out)
    else:
        _show(stdout(), found, first, draw)
    if strict and not found.same:
        raise typer.Exit(1)


def _show(console: Console, found: Difference, first: int, draw: bool) -> None:
    names = Text.assemble(("A", "bold"), f" {found.first.path}  ", ("B", "bold"), f" {found.second.path}")
    if found.gold is not None:
        names.append_text(Text.assemble("  ", ("gold", "bold"), f" {found.gold.path}"))
    write(console, names)
    sizes = f"{count(found.sentences, 'sentence')}, {count(found.words, 'word')} compared"
    write(console, f"{sizes}, matched by {found.matched}; columns {', '.join(map(row_name, found.columns))}", "")
    rows = [
        ["sentences that differ", f"{len(found.changed):,}", percent(len(found.changed), found.sentences)],
        ["words that differ", f"{found.words_changed:,}", percent(found.words_changed, found.words)],
    ]
    for title, places in NAMES.items():
        number = len(places(found))
        rows += [[title, f"{number:,}", ""]] if number else []
    _table(console, [Column(""), Column("", True), Column("", True)], rows, header=False)
    if found.same:
        write(console, Text("Nothing differs.", "green"))
        return
    _show_columns(console, found)
    _show_verdicts(console, found)
    _show_unmatched(console, found, first)
    _show_sentences(console, found, first, draw)


def _show_columns(console: Console, found: Difference) -> None:
    rows = [
        [row_name(name), f"{found.cells[name]:,}", f"{found.by_column[name]:,}"]
        for name in found.columns
        if found.cells[name]
    ]
    if found.lines:
        rows.append(["lines on one side only", f"{found.lines:,}", ""])
    if rows:
        _table(console, [Column("column"), Column("cells", True), Column("sentences", True)], rows)


def _show_verdicts(console: Console, found: Difference) -> None:
    if found.gold is None:
        return
    titles = [Column("only A right", True), Column("only B right", True), Column("neither", True)]
    missing = found.sentences - found.judged
    if missing:
        text = f"{count(missing, 'sentence')} not judged: gold does not have them, or with other words"
        write(console, Text(text, "yellow"), "")
    if found.verdicts:
        names = [name for name in ("arc", *COLUMNS) if name in found.verdicts]
        rows = [[row_name(name), *_figures(found.verdicts[name])] for name in names]
        _table(console, [Column("which is right"), *titles], rows)
    if found.labels:
        labels = sorted(found.labels.items(), key=lambda item: (-item[1].all, item[0]))
        rows = [[visible(label), *_figures(verdict)] for label, verdict in labels[:FEW]]
        if rest := [verdict for _, verdict in labels[FEW:]]:
            sums = [sum(v.only_first for v in rest), sum(v.only_second for v in rest), sum(v.neither for v in rest)]
            rows.append([f"{len(rest)} other labels", *_figures(Verdict(*sums))])
        _table(console, [Column("arcs, by gold label"), *titles], rows)


def _figures(verdict: Verdict) -> list[str]:
    return [f"{number:,}" for number in (verdict.only_first, verdict.only_second, verdict.neither)]


def _show_unmatched(console: Console, found: Difference, first: int) -> None:
    for title, places in NAMES.items():
        numbers = places(found)
        if not numbers or not first:
            continue
        shown = f", the first {first}" if first < len(numbers) else ""
        write(console, Text.assemble((title, "bold"), f", {len(numbers):,}{shown}"))
        for pair in numbers[:first]:
            sides = [(found.first, pair[0]), (found.second, pair[1])]
            there = [tree[number] for tree, number in sides if number is not None]
            texts = [f"{excerpts.title(s, 0)}  {excerpts.words(s)}" for s in there]
            write(console, *(Text(f"  {visible(text)}") for text in texts))
        write(console, "")


def _show_sentences(console: Console, found: Difference, first: int, draw: bool) -> None:
    changed = found.changed
    if not changed or not first:
        return
    shown = f", the first {first} of {len(changed):,}" if first < len(changed) else ""
    write(console, Text.assemble(("sentences that differ", "bold"), shown), "")
    for pair in changed[:first]:
        a, b = found.first[pair[0]], found.second[pair[1]]
        gold = found.gold_sentence(pair[0])
        write(console, Text.assemble(("  " + visible(excerpts.title(a, pair[0] + 1)), "bold")))
        write(console, Text(f"  {visible(excerpts.words(a))}", "dim"))
        for line in change_lines(found, pair, gold):
            write(console, Text.assemble("    ", line))
        write(console, "")
        if draw:
            # Without gold neither is wrong, and nothing is marked so.
            both = [Drawing.of(side, gold, title=f"  {name}") for name, side in (("A", a), ("B", b))]
            show_drawings(console, iter(both))


def change_lines(found: Difference, pair: tuple[int, int], gold: Sentence | None) -> Iterator[Text]:
    """A line per word, or other line, of the file that differs."""
    a, b = found.first[pair[0]], found.second[pair[1]]
    for _, group in groupby(found.changes(pair), key=lambda change: change.id):
        changes = list(group)
        what, cells = change_text(changes, a, b)
        line = Text.assemble((visible(what), "bold"), ": ", visible(", ".join(cells)))
        verdict = verdict_of(changes, a, b, gold)
        if verdict:
            line.append(f"  ({verdict})", "green" if verdict != "neither right" else "red")
        yield line


def _table(console: Console, columns: Sequence[Column], rows: Sequence[Sequence[str]], *, header: bool = True) -> None:
    table = Columns.fitted(columns, rows, "  ")
    write(console, *([table.header()] if header else []), *map(table.row, rows), "")


def _json(found: Difference) -> dict[str, object]:
    document: dict[str, object] = {
        "first": found.first.path,
        "second": found.second.path,
        "gold": None if found.gold is None else found.gold.path,
        "columns": list(found.columns),
        "matched_by": found.matched,
        "sentences": found.sentences,
        "words": found.words,
        "sentences_changed": len(found.changed),
        "words_changed": found.words_changed,
        "cells": {name: found.cells[name] for name in found.columns},
        "sentences_by_column": {name: found.by_column[name] for name in found.columns},
        "lines": found.lines,
        "only_first": [_name(found.first, number) for number in found.only_first],
        "only_second": [_name(found.second, number) for number in found.only_second],
        "other_words": [
            {"first": _name(found.first, a), "second": _name(found.second, b)} for a, b in found.other_words
        ],
    }
    if found.gold is not None:
        document["judged"] = found.judged
        document["verdicts"] = {name: asdict(verdict) for name, verdict in found.verdicts.items()}
        document["labels"] = {label: asdict(verdict) for label, verdict in found.labels.items()}
    document["changes"] = [
        {
            "first": _name(found.first, a),
            "second": _name(found.second, b),
            "changes": [change._asdict() for change in found.changes((a, b))],
        }
        for a, b in found.changed
    ]
    return document


def _name(treebank: Sequence[Sentence], number: int) -> dict[str, object]:
    """Sentences count from 1 here, as those who look into the file count them."""
    return {"sentence": number + 1, "sent_id": treebank[number].sent_id, "line": treebank[number].line}
