"""The page of `dynarc errors`: figures, the matrix of labels, kinds of wrong heads, and the sentences of each cell."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from dynarc.cli import excerpts
from dynarc.cli.console import count, percent
from dynarc.confusion import DISTANCE, KINDS, STRUCTURE, Cell, Confusions, LabelCell
from dynarc.draw import Drawing, html
from dynarc.draw.html import Figure, Html, Section, join, markup

# What keeps a page small, whatever the files: labels in the matrix, cells with sentences, trees drawn, all in all.
MATRIX = 20
TREES = 200

CSS = """:root { --hot: 207 34 46; --good: 26 127 55; }
@media (prefers-color-scheme: dark) { :root { --hot: 248 81 73; --good: 63 185 80; } }
mark { background: rgb(212 167 44 / .25); color: inherit; padding: 0 .2em; border-radius: 3px; }
mark small { color: var(--faint); margin-left: .4em; }
.matrix { border-collapse: separate; border-spacing: 1px; font-size: 12px; }
.matrix td { text-align: right; padding: .15rem .3rem; min-width: 1.7rem; border: 0; font-variant-numeric: tabular-nums;
  background: rgb(var(--hot) / var(--heat, 0)); }
.matrix td.right { background: rgb(var(--good) / var(--heat, 0)); }
.matrix td.sum { color: var(--faint); padding-left: .8rem; }
.matrix td a { color: inherit; display: block; text-decoration: underline; text-underline-offset: 2px; }
.matrix th { padding: .15rem .4rem .15rem 0; text-align: right; white-space: nowrap; border: 0; }
.matrix thead th { vertical-align: bottom; padding: 0; }
.matrix thead th span { writing-mode: vertical-rl; transform: rotate(180deg); }
.scroll { overflow-x: auto; }
.sentences { padding-left: 0; list-style: none; }
.sentences li { margin: .5rem 0; }
.where { color: var(--faint); font-size: 12px; }
details.tree > summary { cursor: pointer; }"""

KEY = Html(
    '<p class="key">Marked words carry gold&gt;system labels and, where the head is wrong, gold&gt;system heads. Click '
    f"a sentence to see its tree. {markup(html.MARKS)}</p>\n"
)


@dataclass
class _Page:
    """What has been put on the page so far."""

    found: Confusions
    first: int
    anchors: dict[str, str] = field(default_factory=dict)
    drawn: dict[int, str] = field(default_factory=dict)  # sentences that have been drawn, and where
    left_out: int = 0


def page(found: Confusions, ordered: Sequence[LabelCell], cells: Sequence[Cell], *, first: int, top: int) -> str:
    """The whole page. With `cells`, the sentences of these only; else those of the largest ones."""
    heads = [Cell(name, KINDS[name], found.attachment[name]) for name in KINDS]
    tags = found.tag_cells[:top]
    if not cells:
        own = sorted((c for c in found.labels.values() if c.right), key=lambda c: -len(c.head_wrong))
        cells = [*(c.cell for c in ordered[:top]), *(c.cell for c in own[: top // 2]), *heads, *tags]
        cells = [cell for cell in cells if cell.words]
    state = _Page(found, first, {cell.name: f"cell-{i}" for i, cell in enumerate(cells, start=1)})
    sections = [Section("Figures", _figures(found), "figures")]
    if found.words:
        sections.append(Section("Labels", _matrix(state), "labels"))
        sections.append(Section("Largest confusions of labels", _label_table(state, ordered[:top]), "confusions"))
    if found.wrong_heads:
        sections.append(Section("Wrong heads", _attachment(state, tags), "heads"))
    sections += [_section(state, cell) for cell in cells]
    return html.page(f"Errors of {found.scores.system}", sections, lead=_lead(state, cells), css=CSS)


def _lead(state: _Page, cells: Sequence[Cell]) -> Html:
    scores = state.found.scores
    text = f"{scores.system} against {scores.gold}. Protocol {scores.protocol}. "
    text += f"{count(len(cells), 'cell')} with up to {count(state.first, 'sentence')} each"
    text += f"; {count(len(state.drawn), 'tree')} drawn"
    if state.left_out:
        text += f", {state.left_out:,} left out, since a page holds {TREES}"
    return markup(text + ".")


def _figures(found: Confusions) -> Html:
    scores, words = found.scores, found.words
    if found.upos is None and found.form is None:
        figures = [("UAS", f"{scores.uas:.2f}"), ("LAS", f"{scores.las:.2f}"), ("CLAS", f"{scores.clas:.2f}")]
        figures += [("label accuracy", f"{scores.label_accuracy:.2f}")]
    else:
        chosen = [*sorted(found.upos or ()), *([repr(found.form)] if found.form is not None else [])]
        figures = [("only", ", ".join(chosen))]
    rows: list[Sequence[object]] = [
        ("sentences", _number(scores.sentences), Figure()),
        ("words counted", _number(words), Figure()),
        *((name, Figure(), Figure(figure)) for name, figure in figures),
        ("wrong heads", _number(found.wrong_heads), _share(found.wrong_heads, words)),
        ("wrong labels", _number(found.wrong_labels), _share(found.wrong_labels, words)),
        ("words with an error", _number(found.errors), _share(found.errors, words)),
    ]
    notes = [Html("<p class='key'>") + markup(note) + Html("</p>\n") for note in scores.notes]
    return join(html.table(("", "", ""), rows), *map(Html, notes))


def _number(number: int) -> Figure:
    return Figure(f"{number:,}")


def _share(part: int, whole: int) -> Figure:
    return Figure(percent(part, whole))


def _link(state: _Page, name: str, text: object) -> Html:
    anchor = state.anchors.get(name)
    return markup(text) if anchor is None else Html(f'<a href="#{anchor}">{markup(text)}</a>')


def _matrix(state: _Page) -> Html:
    """Gold labels down, system labels across, those with most errors first; each row is coloured by its shares."""
    found = state.found
    involved: dict[str, int] = dict.fromkeys((label for pair in found.labels for label in pair), 0)
    for cell in found.confused:
        involved[cell.gold] += cell.count
        involved[cell.system] += cell.count
    totals = found.gold_labels
    chosen = sorted(involved, key=lambda label: (-involved[label], -totals.get(label, 0), label))[:MATRIX]
    others = len(involved) > len(chosen)
    heads = "".join(f"<th><span>{markup(label)}</span></th>" for label in [*chosen, *(["other labels"] * others)])
    lines = [
        '<div class="scroll"><table class="matrix">',
        f"<thead><tr><th>gold ↓ system →</th>{heads}<th><span>words</span></th></tr></thead>",
        "<tbody>",
    ]
    for gold in chosen:
        if gold not in totals:
            continue  # only the system has it
        total = totals[gold]
        counts = {system: _count(found, gold, system) for system in chosen}
        boxes = [_box(state, gold, system, number, total) for system, number in counts.items()]
        boxes += [_heat("", total - sum(counts.values()), total, "other labels")] * others
        lines.append(f'<tr><th>{markup(gold)}</th>{"".join(boxes)}<td class="sum">{total:,}</td></tr>')
    lines.append("</tbody></table></div>\n")
    note = f"The {len(chosen)} labels with most errors, of {len(involved)}. " if others else ""
    note += "Red is the share of the gold label's words that got another label, green of those that got their own. "
    return join(Html("\n".join(lines)), Html(f'<p class="key">{note}Underlined numbers lead to their sentences.</p>\n'))


def _count(found: Confusions, gold: str, system: str) -> int:
    cell = found.labels.get((gold, system))
    return 0 if cell is None else cell.count


def _box(state: _Page, gold: str, system: str, number: int, total: int) -> str:
    name = f"{gold}>{system}"
    text = _link(state, name, f"{number:,}") if number else Html("")
    return _heat("right" if gold == system else "", number, total, name, text)


def _heat(kind: str, number: int, total: int, name: str, text: Html | None = None) -> str:
    share = number / total if total else 0.0
    # By the root, so that a few percent can be told from none.
    heat = 0.35 * share if kind == "right" else 0.85 * share**0.5
    shown = (Html(f"{number:,}") if number else Html("")) if text is None else text
    style = f' style="--heat: {heat:.2f}"' if number else ""
    css = f' class="{kind}"' if kind else ""
    story = f' title="{markup(name)}: {number:,} of {total:,}"' if number else ""
    return f"<td{css}{style}{story}>{shown}</td>"


def _label_table(state: _Page, ordered: Sequence[LabelCell]) -> Html:
    totals = state.found.gold_labels
    rows = [
        (
            _link(state, c.name, c.name),
            _number(c.count),
            _share(c.count, totals[c.gold]),
            _number(len(c.head_right)),
            _number(len(c.head_wrong)),
        )
        for c in ordered
    ]
    if not rows:
        return Html("<p>Every label is right.</p>\n")
    return html.table(("gold>system", "words", "of the gold label", "head right", "head wrong"), rows)


def _attachment(state: _Page, tags: Sequence[Cell]) -> Html:
    found = state.found

    def rows(cells: Sequence[Cell]) -> Html:
        lines = [
            (_link(state, c.name, c.name), _number(len(c.words)), _share(len(c.words), found.wrong_heads), c.meaning)
            for c in cells
        ]
        return html.table(("", "words", "of wrong heads", "predicted head"), lines)

    def kinds(names: Sequence[str]) -> Html:
        return rows([Cell(name, KINDS[name], found.attachment[name]) for name in names if found.attachment[name]])

    return join(
        Html("<h3>By place in the gold tree</h3>\n"),
        kinds(list(STRUCTURE)),
        Html("<h3>By side and distance</h3>\n"),
        kinds(list(DISTANCE)),
        Html("<h3>By parts of speech, word:gold head&gt;predicted head</h3>\n"),
        rows(tags),
    )


def _section(state: _Page, cell: Cell) -> Section:
    sentences = sum(1 for _ in cell.words.by_sentence())
    sizes = f"{count(len(cell.words), 'word')} in {count(sentences, 'sentence')}"
    shown = f", the first {state.first} shown" if state.first < sentences else ""
    items = [_sentence(state, *found, i == 0) for i, found in enumerate(islice(cell.words.by_sentence(), state.first))]
    key = [KEY] if next(iter(state.anchors)) == cell.name else []
    body = join(
        Html(f"<p>{markup(cell.meaning)}: {markup(sizes + shown)}</p>\n"),
        *key,
        Html('<ul class="sentences">\n'),
        *items,
        Html("</ul>\n"),
    )
    return Section(f"{cell.name}  ({len(cell.words):,})", body, state.anchors[cell.name])


def _sentence(state: _Page, number: int, words: Sequence[int], unfolded: bool) -> Html:
    gold, system = state.found.gold[number - 1], state.found.system[number - 1]
    notes = {word: excerpts.note(gold, system, word) for word in words}
    where = excerpts.title(system, number)
    line = join(excerpts.as_html(excerpts.excerpt(system, notes)), Html('<br><span class="where">'), where)
    if number in state.drawn:
        return Html(f'<li>{line}, <a href="#{state.drawn[number]}">tree above</a></span></li>\n')
    if len(state.drawn) >= TREES:
        state.left_out += 1
        return Html(f"<li>{line}</span></li>\n")
    state.drawn[number] = f"tree-{number}"
    tree = html.drawing(Drawing.of(system, gold, title=where))
    summary = f"<summary>{line}</span></summary>"
    return Html(f'<li id="tree-{number}"><details class="tree"{" open" * unfolded}>{summary}\n{tree}</details></li>\n')
