"""The page of `dynarc diff`, and the words in which both page and terminal say what differs."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from dynarc.cli import excerpts
from dynarc.cli.console import count, percent
from dynarc.difference import ARC, COLUMNS, Change, Difference, Verdict
from dynarc.draw import Drawing, html
from dynarc.draw.html import Figure, Html, Section, join, markup
from dynarc.sentence import Sentence

Numbers = list[tuple[int | None, int | None]]

# What could not be compared, and where it is on either side.
NAMES: dict[str, Callable[[Difference], Numbers]] = {
    "only in A": lambda found: [(number, None) for number in found.only_first],
    "only in B": lambda found: [(None, number) for number in found.only_second],
    "with other words": lambda found: [*found.other_words],
}

# Labels in a table before the rest is folded away, or on a terminal added up.
FEW = 20

CSS = """.changes { padding-left: 1.2rem; }
.changes b { font-weight: 600; }
.right { color: #1a7f37; } .neither { color: #cf222e; }
@media (prefers-color-scheme: dark) { .right { color: #56d364; } .neither { color: #ff7b72; } }
.side { font-weight: 600; margin: .6rem 0 0; }"""


def row_name(column: str) -> str:
    """As people write the names of columns."""
    return {"comments": "comments", ARC: "arc"}.get(column, column.upper())


def change_text(changes: Sequence[Change], first: Sentence, second: Sentence) -> tuple[str, list[str]]:
    """The changes of one line of a file: what has changed, and how.

    `word 3 "tea"` and `HEAD 2 likes -> 4 of`, `DEPREL obj -> nmod`.
    """
    head = changes[0]
    if head.id == "#":
        return "comments", [_comment(change) for change in changes]
    kind = "token" if "-" in head.id else "empty node" if "." in head.id else "word"
    name = f'{kind} {head.id} "{head.form}"'
    if head.column == "line":
        return name, ["only in B" if head.first is None else "only in A"]
    cells = []
    for change in changes:
        sides = change.first or "", change.second or ""
        if change.column == "head":
            sides = _head(sides[0], first), _head(sides[1], second)
        cells.append(f"{row_name(change.column)} {sides[0]} -> {sides[1]}")
    return name, cells


def _comment(change: Change) -> str:
    if change.first is None or change.second is None:
        return f"only in B: {change.second}" if change.first is None else f"only in A: {change.first}"
    return f"{change.first} -> {change.second}"


def _head(text: str, sentence: Sentence) -> str:
    """The number of a head, and the word."""
    if not text.isdigit():
        return text
    return f"{text} {sentence.forms[int(text) - 1] if text != '0' else 'ROOT'}"


def verdict_of(changes: Sequence[Change], first: Sentence, second: Sentence, gold: Sentence | None) -> str:
    """Which side has all that changed in this word as gold has it; nothing if that cannot be said."""
    if gold is None or not changes[0].id.isdigit() or changes[0].column == "line":
        return ""
    number = int(changes[0].id)
    token = next(token for token in gold.tokens if token.id == changes[0].id)
    if gold.heads[number - 1] is None and any(change.column == "head" for change in changes):
        return ""
    right = [
        all(getattr(token, change.column) == side for change, side in zip(changes, sides, strict=True))
        for sides in ([change.first for change in changes], [change.second for change in changes])
    ]
    return "A right" if right[0] else "B right" if right[1] else "neither right"


def page(found: Difference, first: int) -> str:
    """The whole page, with the first sentences that differ."""
    changed = found.changed
    sections = [Section("Summary", _summary(found), "summary")]
    if found.gold is not None:
        sections.append(Section("Which is right", _verdicts(found), "right"))
    for i, (title, places) in enumerate(NAMES.items(), start=1):
        if numbers := places(found):
            sections.append(Section(f"Sentences {title}", _unmatched(found, numbers, first), f"unmatched-{i}"))
    sections += [_sentence(found, pair) for pair in changed[:first]]
    lead = f"A is {found.first.path}, B is {found.second.path}"
    lead += f", gold is {found.gold.path}" if found.gold is not None else ""
    shown = f"the first {first:,} of {len(changed):,}" if first < len(changed) else "all"
    lead += f". Shown: {shown} sentences that differ."
    return html.page(f"{found.first.path} and {found.second.path}", sections, lead=lead, css=CSS)


def _summary(found: Difference) -> Html:
    rows: list[Sequence[object]] = [
        ("sentences compared", _number(found.sentences), Figure()),
        ("words compared", _number(found.words), Figure()),
        ("sentences that differ", _number(len(found.changed)), _share(len(found.changed), found.sentences)),
        ("words that differ", _number(found.words_changed), _share(found.words_changed, found.words)),
    ]
    rows += [
        (f"sentences {title}", _number(len(places(found))), Figure())
        for title, places in NAMES.items()
        if places(found)
    ]
    columns = [
        (row_name(name), _number(found.cells[name]), _number(found.by_column[name]))
        for name in found.columns
        if found.cells[name]
    ]
    if found.lines:
        columns.append(("lines on one side only", _number(found.lines), Figure()))
    return join(
        html.table(("", "", ""), rows),
        html.table(("column", "cells", "sentences"), columns) if columns else "",
        Html(f'<p class="key">Sentences were matched by {markup(found.matched)}.</p>\n'),
    )


def _number(number: int) -> Figure:
    return Figure(f"{number:,}")


def _share(part: int, whole: int) -> Figure:
    return Figure(percent(part, whole))


def _verdicts(found: Difference) -> Html:
    titles = ("only A right", "only B right", "neither")

    def rows(verdicts: Sequence[tuple[str, Verdict]]) -> list[Sequence[object]]:
        return [(name, *map(_number, (v.only_first, v.only_second, v.neither))) for name, v in verdicts]

    columns = [(row_name(name), found.verdicts[name]) for name in (ARC, *COLUMNS) if name in found.verdicts]
    labels = sorted(found.labels.items(), key=lambda item: (-item[1].all, item[0]))
    missing = found.sentences - found.judged
    note = f"{count(missing, 'sentence')} not judged: gold does not have them, or with other words." if missing else ""
    return join(
        html.table(("", *titles), rows(columns)),
        html.table(("arcs, by gold label", *titles), rows(labels[:FEW])) if labels else "",
        *(
            (Html("<details><summary>further labels</summary>\n"), html.table(("", *titles), rows(labels[FEW:])))
            if labels[FEW:]
            else ()
        ),
        Html("</details>\n") if labels[FEW:] else "",
        Html('<p class="key">'),
        note,
        Html("</p>\n"),
    )


def _unmatched(found: Difference, numbers: Numbers, first: int) -> Html:
    items: list[object] = [Html("<ul>\n")]
    for a, b in numbers[:first]:
        sides = [*([found.first[a]] if a is not None else []), *([found.second[b]] if b is not None else [])]
        text = " | ".join(f"{excerpts.title(side, 0)} {excerpts.words(side)}" for side in sides)
        items += [Html("<li>"), text, Html("</li>\n")]
    if first < len(numbers):
        items += [Html("<li>"), f"and {len(numbers) - first:,} more", Html("</li>\n")]
    return join(*items, Html("</ul>\n"))


def _sentence(found: Difference, pair: tuple[int, int]) -> Section:
    a, b = found.first[pair[0]], found.second[pair[1]]
    gold = found.gold_sentence(pair[0])
    if gold is not None:
        drawings = Drawing.of(a, gold), Drawing.of(b, gold)
        keys = "A, where it differs from gold", "B, where it differs from gold"
    else:
        drawings = Drawing.of(a), Drawing.of(b, a)
        keys = "A", "B; dashed green where A has it otherwise"
    body: list[object] = [Html('<ul class="changes">\n'), *_change_items(found, pair, gold), Html("</ul>\n")]
    for key, drawing in zip(keys, drawings, strict=True):
        body += [Html('<p class="side">'), key, Html("</p>\n"), html.drawing(drawing)]
    return Section(excerpts.title(a, pair[0] + 1), join(*body), f"s{pair[0] + 1}")


def _change_items(found: Difference, pair: tuple[int, int], gold: Sentence | None) -> Iterator[Html]:
    a, b = found.first[pair[0]], found.second[pair[1]]
    for _, group in groupby(found.changes(pair), key=lambda change: change.id):
        changes = list(group)
        what, cells = change_text(changes, a, b)
        verdict = verdict_of(changes, a, b, gold)
        kind = "neither" if verdict == "neither right" else "right"
        judged = Html(f' <span class="{kind}">({verdict})</span>') if verdict else Html("")
        yield join(Html("<li><b>"), what, Html("</b>: "), ", ".join(cells), judged, Html("</li>\n"))
