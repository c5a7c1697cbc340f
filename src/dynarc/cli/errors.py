"""dynarc errors: what a system takes for what, and in which sentences."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from dynarc import ConfigError
from dynarc.cli import excerpts
from dynarc.cli.console import Column, Columns, count, line_width, percent, stderr, stdout, waiting, write, write_json
from dynarc.cli.errors_page import page
from dynarc.cli.options import JsonOption, refuse
from dynarc.cli.view import show_drawings
from dynarc.confusion import DISTANCE, KINDS, STRUCTURE, Cell, Confusions, LabelCell, Places, confusions
from dynarc.draw import Drawing
from dynarc.draw.text import visible
from dynarc.files import write_text

Sort = Literal["count", "rate", "label"]
ProtocolName = Literal["ud", "full", "nopunct", "conll", "ptb"]


def errors(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The gold standard; - is standard input.")],
    system: Annotated[str, typer.Argument(metavar="SYSTEM", help="What a system made of the same words.")],
    cell: Annotated[
        list[str] | None,
        typer.Option("--cell", metavar="CELL", help="Show the sentences behind this count; may be repeated."),
    ] = None,
    first: Annotated[int, typer.Option(min=0, metavar="N", help="Sentences of each cell to show.")] = 5,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Cells of each table to show.")] = 20,
    sort: Annotated[
        Sort,
        typer.Option(help="Order labels by words, by their share of the words with that gold label, or by name."),
    ] = "count",
    upos: Annotated[
        list[str] | None,
        typer.Option("--upos", metavar="TAG", help="Count words of this gold UPOS only; may be repeated."),
    ] = None,
    form: Annotated[str | None, typer.Option("--form", metavar="WORD", help="Count this word form only.")] = None,
    protocol: Annotated[ProtocolName, typer.Option("--protocol", "-p", help="As in dynarc eval.")] = "full",
    draw: Annotated[bool, typer.Option("--draw", help="Draw the trees of the sentences shown.")] = False,
    as_json: JsonOption = False,
    out: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT", help="Write a page of HTML to this file instead.")
    ] = None,
) -> None:
    """Show which labels and heads a system confuses, with the sentences.

    Words are counted, and labels compared, as dynarc eval does it by the same protocol. Labels are written
    gold>system: nmod>obl are words that are nmod in gold and obl in the system's file.

    Wrong heads are counted three times over. By where the predicted head stands in the gold tree:

    \b
      unattached  the system gives the word no head
      to-root     ROOT instead of a word
      from-root   a word instead of ROOT
      reversed    a word below it in the gold tree: head and dependent the wrong way round
      low         another dependent of the gold head: one step too low
      lower       a word further below the gold head
      high        the head of the gold head: one step too high
      higher      a word further above the gold head
      elsewhere   a word in another branch, neither above nor below the gold head

    By side and distance, where neither head is ROOT or missing:

    \b
      near        on the side of the gold head, but nearer to the word
      far         on the side of the gold head, but further from the word
      other-side  on the other side of the word

    And by parts of speech, all of gold: ADP:NOUN>VERB is an ADP attached to a VERB instead of a NOUN. Any of
    these names is a CELL; in the sentences, [pizza](nmod>obl, head ate>with) is a wrong label and a wrong head.

    \b
      dynarc errors gold.conllu out.conllu
      dynarc errors gold.conllu out.conllu --cell 'nmod>obl' --cell high --draw
      dynarc errors gold.conllu out.conllu --upos ADP --sort rate
      dynarc errors gold.conllu out.conllu -o errors.html
    """
    if gold == system == "-":
        raise ConfigError("GOLD and SYSTEM cannot both be standard input")
    if out is not None:
        refuse("with --output", json=as_json, draw=draw)
    if as_json:
        refuse("with --json", draw=draw)
    with waiting(stderr(), "reading"):
        found = confusions(gold, system, protocol=protocol, upos=upos or None, form=form)
    cells = [found.cell(name) for name in dict.fromkeys(cell or ())]
    ordered = _sorted(found, sort)
    if as_json:
        write_json(_json(found, ordered, cells))
    elif out is not None:
        write_text(page(found, ordered, cells, first=first, top=top), out)
    else:
        console = stdout()
        _show_totals(console, found)
        if cells:
            for chosen in cells:
                _show_cell(console, found, chosen, first, draw)
        else:
            _show_tables(console, found, ordered, top)


def _sorted(found: Confusions, sort: Sort) -> list[LabelCell]:
    cells = found.confused
    if sort == "label":
        return sorted(cells, key=lambda c: (c.gold, c.system))
    if sort == "rate":
        totals = found.gold_labels
        return sorted(cells, key=lambda c: -c.count / totals[c.gold])
    return cells


def _show_totals(console: Console, found: Confusions) -> None:
    scores = found.scores
    write(console, Text.assemble((scores.protocol.name, "bold"), f": {scores.protocol.rules}"))
    write(console, f"{scores.system} against {scores.gold}: {_sizes(found)}")
    for note in scores.notes:
        write(console, Text(f"  {note}", "dim"))
    write(console, "")
    words = found.words
    labels_only = found.errors - found.wrong_heads
    rows = [
        ["wrong heads", f"{found.wrong_heads:,}", percent(found.wrong_heads, words)],
        ["wrong labels", f"{found.wrong_labels:,}", percent(found.wrong_labels, words)],
        ["  with the right head", f"{labels_only:,}", percent(labels_only, words)],
        ["words with an error", f"{found.errors:,}", percent(found.errors, words)],
    ]
    table = Columns.fitted([Column(""), Column("", True), Column("", True)], rows, "  ")
    write(console, *(table.row(row) for row in rows), "")


def _sizes(found: Confusions) -> str:
    chosen = [] if found.upos is None else [f"gold UPOS {', '.join(sorted(found.upos))}"]
    chosen += [] if found.form is None else [f"form {visible(found.form)!r}"]
    words = count(found.words, "word")
    scored = f"{words} of {found.scores.words:,} scored ({'; '.join(chosen)})" if chosen else f"{words} scored"
    return f"{scored}, {count(found.scores.sentences, 'sentence')}"


def _show_tables(console: Console, found: Confusions, ordered: Sequence[LabelCell], top: int) -> None:
    if not found.errors:
        write(console, Text("Every word has the right head and label.", "green"))
        return
    if ordered:
        totals = found.gold_labels
        titles = ("words", "of gold", "head right", "head wrong")
        rows = [
            [
                visible(c.name),
                f"{c.count:,}",
                percent(c.count, totals[c.gold]),
                f"{len(c.head_right):,}",
                f"{len(c.head_wrong):,}",
            ]
            for c in ordered[:top]
        ]
        _heading(console, "labels", "gold>system", len(rows), len(ordered))
        _table(console, [Column("cell"), *(Column(t, True) for t in titles)], rows)
    if found.wrong_heads:
        for heading, names in (("by place in the gold tree", STRUCTURE), ("by side and distance", DISTANCE)):
            write(console, Text.assemble(("wrong heads", "bold"), f", {heading}"))
            _show_cells(console, found, [Cell(name, KINDS[name], found.attachment[name]) for name in names])
        tags = found.tag_cells
        _heading(console, "wrong heads", "by UPOS, word:gold head>predicted head", min(top, len(tags)), len(tags))
        _show_cells(console, found, tags[:top])
    example = ordered[0].name if ordered else next(name for name, words in found.attachment.items() if words)
    files = f"{found.scores.gold} {found.scores.system}"
    write(console, Text(f"See the sentences: dynarc errors {files} --cell '{visible(example)}'", "dim"))


def _heading(console: Console, name: str, what: str, shown: int, all_: int) -> None:
    how_many = f", the first {shown} of {count(all_, 'cell')}" if shown < all_ else ""
    write(console, Text.assemble((name, "bold"), f", {what}{how_many}"))


def _show_cells(console: Console, found: Confusions, cells: Sequence[Cell]) -> None:
    rows = [
        [visible(c.name), f"{len(c.words):,}", percent(len(c.words), found.wrong_heads), visible(c.meaning)]
        for c in cells
    ]
    _table(console, [Column("cell"), Column("words", True), Column("", True), Column("")], rows)


def _table(console: Console, columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> None:
    table = Columns.fitted(columns, rows, "  ")
    write(console, table.header())
    for row in rows:
        write(console, table.row(row, "dim" if row[1] == "0" else ""))
    write(console, "")


def _show_cell(console: Console, found: Confusions, cell: Cell, first: int, draw: bool) -> None:
    sentences = sum(1 for _ in cell.words.by_sentence())
    sizes = f"{count(len(cell.words), 'word')} in {count(sentences, 'sentence')}"
    shown = f", the first {first}" if 0 < first < sentences else ""
    write(console, Text.assemble((visible(cell.name), "bold"), f": {visible(cell.meaning)}; {sizes}{shown}"))
    for number, words in islice(cell.words.by_sentence(), first):
        gold, system = found.gold[number - 1], found.system[number - 1]
        write(console, Text(f"  {visible(excerpts.title(system, number))}", "dim"))
        notes = {word: excerpts.note(gold, system, word) for word in words}
        line = excerpts.as_text(excerpts.excerpt(system, notes, width=line_width(console) - 4))
        write(console, Text.assemble("    ", line))
        if draw:
            write(console, "")
            show_drawings(console, iter([Drawing.of(system, gold, title="")]))
    write(console, "")


def _json(found: Confusions, ordered: Sequence[LabelCell], cells: Sequence[Cell]) -> dict[str, object]:
    scores = found.scores
    totals = found.gold_labels
    document: dict[str, object] = {
        "gold": scores.gold,
        "system": scores.system,
        "protocol": asdict(scores.protocol),
        "notes": list(scores.notes),
        "upos": None if found.upos is None else sorted(found.upos),
        "form": found.form,
        "sentences": scores.sentences,
        "words": found.words,
        "wrong_heads": found.wrong_heads,
        "wrong_labels": found.wrong_labels,
        "errors": found.errors,
    }
    if cells:
        document["cells"] = [
            {"cell": c.name, "meaning": c.meaning, "words": [_word(found, place) for place in c.words]} for c in cells
        ]
        return document
    right = [cell for cell in found.labels.values() if cell.right]
    document["labels"] = [
        {
            "gold": c.gold,
            "system": c.system,
            "count": c.count,
            "of_gold_label": totals[c.gold],
            "head_right": len(c.head_right) if c.right else _where(c.head_right),
            "head_wrong": _where(c.head_wrong),
        }
        for c in [*ordered, *sorted(right, key=lambda c: (-c.count, c.gold))]
    ]
    for key, names in (("structure", STRUCTURE), ("distance", DISTANCE)):
        document[key] = [{"cell": n, "meaning": KINDS[n], "words": _where(found.attachment[n])} for n in names]
    document["tags"] = [{"cell": c.name, "words": _where(c.words)} for c in found.tag_cells]
    return document


def _where(words: Places) -> list[list[int]]:
    """Sentence and word, from 1."""
    return [list(place) for place in words]


def _word(found: Confusions, place: tuple[int, int]) -> dict[str, object]:
    number, word = place
    gold, system = found.gold[number - 1], found.system[number - 1]
    return {
        "sentence": number,
        "sent_id": system.sent_id,
        "word": word,
        "form": gold.forms[word - 1],
        "upos": gold.upos[word - 1],
        "gold_head": gold.heads[word - 1],
        "gold_label": gold.deprels[word - 1],
        "head": system.heads[word - 1],
        "label": system.deprels[word - 1],
    }
