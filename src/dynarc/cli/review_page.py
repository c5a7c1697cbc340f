"""The page of `dynarc review`, and what is said of a worklist there and on terminals."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from dynarc.cli import excerpts
from dynarc.cli.console import count, percent
from dynarc.draw import Drawing, html
from dynarc.draw.html import Figure, Html, Section, join, markup
from dynarc.review import Doubt, Worklist

CSS = """mark { background: rgb(212 167 44 / .25); color: inherit; padding: 0 .2em; border-radius: 3px; }
mark small { color: var(--faint); margin-left: .4em; }
.sentences { padding-left: 0; list-style: none; }
.sentences > li { margin: 1.4rem 0; }
.where { color: var(--faint); font-size: 12px; }"""


def summary(found: Worklist) -> str:
    """How much there is to do."""
    words = f"{found.doubtful_words:,} of {count(found.judged, 'word')} ({percent(found.doubtful_words, found.judged)})"
    sentences = f"in {found.doubtful_sentences:,} of {count(found.sentences, 'sentence')}"
    return f"{words}, {sentences}, {'has' if found.doubtful_words == 1 else 'have'} {found.key} below {found.below:g}."


def remarks(found: Worklist) -> Iterator[str]:
    """What else there is to know."""
    unjudged = found.words - found.judged
    if unjudged:
        yield f"{count(unjudged, 'word')} without {found.key} {'is' if unjudged == 1 else 'are'} not counted."
    if found.left_out:
        shown = f"the {count(len(found.entries), f'least sure {found.by}')}" if found.entries else "none"
        yield f"Shown: {shown}; {found.left_out:,} more with a higher --limit."


def note(doubt: Doubt, word: int) -> str:
    """What a marked word has: `obl, head ate, 0.412`."""
    label = doubt.sentence.deprels[word - 1] or "_"
    return f"{label}, head {doubt.head_form(word)}, {doubt.prob_of(word):.3f}"


def notes(doubt: Doubt) -> dict[int, str]:
    return {word: note(doubt, word) for word in doubt.doubtful}


def drawing(doubt: Doubt, title: str = "") -> Drawing:
    """The tree, its doubtful arcs marked."""
    plain = Drawing.of(doubt.sentence, title=title)
    return replace(plain, prob=doubt.probs, doubtful=frozenset(doubt.doubtful))


def page(found: Worklist) -> str:
    """The words in a table, least sure first, then the sentences, each once and where its least sure word comes."""
    by_sentence: dict[int, Doubt] = {}
    for doubt in found.entries:
        by_sentence.setdefault(doubt.number, doubt)
    shown = [(doubt, word) for doubt in found.entries for word in _words(found, doubt)]
    sections = []
    if shown:
        key = "Marked words and amber arcs are in doubt; thin arcs are less sure than thick ones."
        items = join(*(_item(doubt) for doubt in by_sentence.values()))
        sentences = join(Html(f'<p class="key">{key}</p>\n<ul class="sentences">\n'), items, Html("</ul>\n"))
        sections = [
            Section("Words", _table(shown), "words"),
            Section("Sentences", sentences, "sentences"),
        ]
    lead = " ".join([f"{found.path}: {summary(found)}", *remarks(found)])
    return html.page(f"Worklist for {found.path}", sections, lead=lead, css=CSS)


def _words(found: Worklist, doubt: Doubt) -> Sequence[int]:
    return [doubt.word] if found.by == "word" else doubt.doubtful


def _table(shown: Sequence[tuple[Doubt, int]]) -> Html:
    rows = []
    for place, (doubt, word) in enumerate(shown, start=1):
        sentence = doubt.sentence
        rows.append(
            (
                Figure(f"{place:,}"),
                Figure(f"{doubt.prob_of(word):.3f}"),
                Html(f'<a href="#s{doubt.number}">{markup(sentence.forms[word - 1])}</a>'),
                sentence.deprels[word - 1] or "_",
                doubt.head_form(word),
                Figure(f"{sentence.line_of(word):,}"),
                sentence.sent_id or "",
            )
        )
    return html.table(("", "probability", "word", "label", "head", "line", "sent_id"), rows)


def _item(doubt: Doubt) -> Html:
    where = excerpts.title(doubt.sentence, doubt.number)
    line = excerpts.as_html(excerpts.excerpt(doubt.sentence, notes(doubt)))
    tree = html.drawing(drawing(doubt, where))
    return join(
        Html(f'<li id="s{doubt.number}">'), line, Html('<br><span class="where">'), where, Html("</span>\n"), tree,
        Html("</li>\n"),
    )  # fmt: skip
