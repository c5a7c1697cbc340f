"""dynarc review: the arcs that a parser is least sure of, for those who put them right."""

import json
import math
from io import StringIO
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from dynarc.cli import excerpts
from dynarc.cli.console import PIPE_WIDTH, count, line_width, stderr, stdout, waiting, write, write_json
from dynarc.cli.options import JsonOption, refuse
from dynarc.cli.review_page import drawing, notes, page, remarks, summary
from dynarc.cli.view import show_drawings
from dynarc.draw.text import visible
from dynarc.errors import ConfigError
from dynarc.files import check_target, write_text
from dynarc.review import BELOW, LIMIT, By, Doubt, Worklist, worklist

PAGES = {".html", ".htm"}


def review(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="What dynarc parse --confidence has written; - is stdin.")
    ],
    below: Annotated[float, typer.Option(min=0, max=1, metavar="P", help="Show what is less sure than this.")] = BELOW,
    labels: Annotated[
        bool, typer.Option("--labels", help="By LabelProb, that head and label are right, instead of ArcProb.")
    ] = False,
    by: Annotated[By, typer.Option(help="An entry for each word, or for each sentence with all its words.")] = "word",
    limit: Annotated[int, typer.Option(min=0, metavar="N", help="Entries to show; the others are counted.")] = LIMIT,
    draw: Annotated[bool, typer.Option("--draw", help="Draw the trees.")] = False,
    as_html: Annotated[
        bool, typer.Option("--html", help="A page with the trees drawn.", show_default="if OUT ends in .html")
    ] = False,
    as_json: JsonOption = False,
    out: Annotated[str | None, typer.Option("--output", "-o", metavar="OUT", help="Write to this file.")] = None,
) -> None:
    """List the arcs that a parser doubts, least sure first.

    A worklist for those who correct parsed text: every word whose ArcProb is below the threshold, with its
    sentence, all doubtful words of which are marked: [pizza](obj, head ate, 0.412). Words that are equally
    sure come in the order of the file. Files may be of any size; only what is shown is kept.

    \b
      dynarc parse en.dynarc text.conllu --confidence | dynarc review - --below 0.5
      dynarc review parsed.conllu --by sentence --draw --limit 20
      dynarc review parsed.conllu --labels -o worklist.html
    """
    if math.isnan(below):
        raise ConfigError("--below nan: a probability from 0 to 1 is needed")
    as_html = as_html or (not as_json and out is not None and Path(out).suffix.lower() in PAGES)
    if as_html:
        refuse("with --html", json=as_json, draw=draw)
    if as_json:
        refuse("with --json", draw=draw)
    if out is not None and out != "-":
        check_target(out, [file])
    with waiting(stderr(), "reading"):
        found = worklist(file, below=below, labels=labels, by=by, limit=limit)
    if as_html:
        write_text(page(found), out)
    elif as_json and out is None:
        write_json(_json(found))
    elif as_json:
        write_text(json.dumps(_json(found), indent=2, ensure_ascii=False) + "\n", out)
    elif out is None:
        _show(stdout(), found, draw)
    else:
        text = StringIO()
        _show(Console(file=text, width=PIPE_WIDTH, highlight=False, emoji=False, markup=False), found, draw)
        write_text(text.getvalue(), out)


def _show(console: Console, found: Worklist, draw: bool) -> None:
    write(console, Text.assemble((visible(found.path), "bold"), f": {summary(found)}"))
    for remark in remarks(found):
        write(console, Text(remark, "dim"))
    wide = len(str(len(found.entries)))
    for place, doubt in enumerate(found.entries, start=1):
        indent = " " * (wide + 2)
        if place == 1 or not draw:  # a drawing ends with a blank line
            write(console, "")
        sure = (f"{doubt.prob:.3f}", "bold yellow")
        write(console, Text.assemble((f"{place:>{wide}}  ", "dim"), sure, _where(found, doubt)))
        line = excerpts.as_text(excerpts.excerpt(doubt.sentence, notes(doubt)))
        for part in line.wrap(console, max(line_width(console) - len(indent), 20)):
            part.rstrip()
            write(console, Text.assemble(indent, part))
        if draw:
            write(console, "")
            show_drawings(console, iter([drawing(doubt)]), width=line_width(console))


def _where(found: Worklist, doubt: Doubt) -> str:
    """Where to look, and what is there."""
    sentence, word = doubt.sentence, doubt.word
    if found.by == "sentence":
        return f"  {visible(excerpts.title(sentence, doubt.number))}, {count(len(doubt.doubtful), 'word')} in doubt"
    name = "" if sentence.sent_id is None else f" {sentence.sent_id}"
    where = f"{sentence.path}:{sentence.line_of(word)}{name}"
    arc = f"{word} {sentence.forms[word - 1]}, {sentence.deprels[word - 1] or '_'} of {_head(doubt, word)}"
    return f"  {visible(where)}  {visible(arc)}"


def _head(doubt: Doubt, word: int) -> str:
    head = doubt.sentence.heads[word - 1]
    return f"{head} {doubt.head_form(word)}" if head else doubt.head_form(word)


def _json(found: Worklist) -> dict[str, object]:
    def word_json(doubt: Doubt, word: int) -> dict[str, object]:
        sentence = doubt.sentence
        return {
            "line": sentence.line_of(word),
            "word": word,
            "form": sentence.forms[word - 1],
            "upos": sentence.upos[word - 1],
            "head": sentence.heads[word - 1],
            "head_form": doubt.head_form(word),
            "label": sentence.deprels[word - 1],
            "prob": doubt.prob_of(word),
        }

    def sentence_json(doubt: Doubt) -> dict[str, object]:
        sentence = doubt.sentence
        return {
            "sentence": doubt.number,
            "sent_id": sentence.sent_id,
            "sentence_line": sentence.line,
            "text": sentence.text,
            "forms": list(sentence.forms),
            "doubtful": list(doubt.doubtful),
        }

    def entry(doubt: Doubt) -> dict[str, object]:
        if found.by == "word":
            return {**word_json(doubt, doubt.word), **sentence_json(doubt)}
        words = [word_json(doubt, word) for word in doubt.doubtful]
        return {"prob": doubt.prob, **sentence_json(doubt), "words": words}

    return {
        "path": found.path,
        "key": found.key,
        "below": found.below,
        "by": found.by,
        "sentences": found.sentences,
        "words": found.words,
        "judged": found.judged,
        "doubtful_words": found.doubtful_words,
        "doubtful_sentences": found.doubtful_sentences,
        "left_out": found.left_out,
        "worklist": [entry(doubt) for doubt in found.entries],
    }
