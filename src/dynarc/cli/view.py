"""dynarc view: sentences as drawings of their trees."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from dynarc import ConfigError, ConlluError, Sentence, iter_conllu
from dynarc.cli.console import PIPE_WIDTH, count, has_boxes, line_width, stdout, write
from dynarc.cli.options import refuse
from dynarc.draw import Drawing, html
from dynarc.draw.svg import Theme, to_svg
from dynarc.draw.terminal import arcs, fits, vertical
from dynarc.files import write_text

Style = Literal["arcs", "vertical", "svg", "html"]
SUFFIXES: dict[str, Style] = {".svg": "svg", ".html": "html", ".htm": "html"}


def view(
    file: Annotated[str, typer.Argument(metavar="FILE", help="CoNLL-U or CoNLL-X; - is standard input.")],
    sent_id: Annotated[str | None, typer.Option(help="The sentence with this sent_id.")] = None,
    number: Annotated[int | None, typer.Option(min=1, metavar="N", help="The N-th sentence.")] = None,
    first: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="The first N sentences.", show_default="all; of svg 1")
    ] = None,
    style: Annotated[
        Style | None,
        typer.Option(
            help="Words across the page and arcs above them; words down the page and the tree beside them; a "
            "picture; a page of pictures.",
            show_default="svg or html if OUT ends so, else arcs where they fit and vertical where not",
        ),
    ] = None,
    tags: Annotated[Literal["upos", "none"], typer.Option(help="What stands with the words.")] = "upos",
    gold: Annotated[str | None, typer.Option(metavar="GOLD", help="The same sentences, to mark what is wrong.")] = None,
    out: Annotated[str | None, typer.Option("--output", "-o", metavar="OUT", help="Write to this file.")] = None,
    ascii_only: Annotated[
        bool, typer.Option("--ascii", help="Draw lines with - and |.", show_default="if the terminal has no others")
    ] = False,
    width: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Columns, or pixels of svg and html, to fit each sentence into; 0 breaks nothing.",
            show_default="the terminal's; of svg 0, of html 1040",
        ),
    ] = None,
    theme: Annotated[
        Theme | None, typer.Option(help="Of svg: light, dark, or as the reader prefers it.", show_default="auto")
    ] = None,
    page: Annotated[
        bool,
        typer.Option(
            "--page",
            help="The page of dynarc serve with this file: in the browser or, with -o, as one HTML file to keep.",
        ),
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Of --page in the browser: its port.", show_default="any free")
    ] = None,
) -> None:
    """Draw the trees of sentences.

    Any heads can be drawn, also if they are not trees. Arcs that are not projective are drawn in another line
    or colour. With --gold, wrong arcs are marked and shown with the right ones.

        dynarc view dev.conllu --sent-id weblog-31

        dynarc view parsed.conllu --gold dev.conllu --first 20 -o parsed.html

    With --page, sentences can be browsed, searched, changed and followed step by step through every transition system:

        dynarc view dev.conllu --page

        dynarc view parsed.conllu --gold dev.conllu --page -o parsed.html
    """
    if page:
        refuse("with --page", sent_id=sent_id, number=number, style=style, ascii=ascii_only, width=width, theme=theme)
        _page(file, gold, first, out, port)
        return
    refuse("without --page", port=port)
    if style is None and out is not None:
        style = SUFFIXES.get(Path(out).suffix.lower())
    if style in ("svg", "html"):
        refuse(f"with --style {style}", ascii=ascii_only)
    if style != "svg":
        refuse("without --style svg", theme=theme)
    _check_choice(file, gold, sent_id, number, first)
    one = sent_id is not None or number is not None
    drawings = _drawings(file, gold, sent_id, number, 1 if style == "svg" and not one and first is None else first)
    if tags == "none":
        drawings = (replace(drawing, tags=None) for drawing in drawings)
    if style == "svg":
        found = list(drawings)
        if not found:
            raise ConlluError(file, None, "there is no sentence in it")
        if len(found) > 1:
            raise ConfigError("an SVG file holds one sentence: choose it by --sent-id or --number, or use --style html")
        write_text(to_svg(found[0], width=width or None, theme=theme or "auto"), out)
    elif style == "html":
        room = html.WIDTH if width is None else width or None
        sections = [
            html.Section(drawing.title or "", html.drawing(drawing, width=room), f"s{i}")
            for i, drawing in enumerate(drawings, start=1)
        ]
        write_text(html.page(f"{file} against {gold}" if gold else file, sections), out)
    elif out is not None:
        room = PIPE_WIDTH if width is None else width or None
        lines = [line.plain for drawing in drawings for line in _text(drawing, style, room, ascii_only)]
        write_text("".join(f"{line}\n" for line in lines), out)
    else:
        show_drawings(stdout(), drawings, style, width, ascii_only)


def _page(file: str, gold: str | None, first: int | None, out: str | None, port: int | None) -> None:
    from dynarc.cli.serve import need_web, open_workspace, run
    from dynarc.web.limits import Limits
    from dynarc.web.page import standalone
    from dynarc.web.service import Service

    if out is not None:
        refuse("with --page -o", port=port)
        write_text(standalone(open_workspace(file, gold, None, first)), out)
        return
    web = need_web()
    application = web.application(Service({}, Limits()), web.Settings(), open_workspace(file, gold, None, first))
    run(application, "127.0.0.1", port or 0, show=port is None)


def _check_choice(file: str, gold: str | None, sent_id: str | None, number: int | None, first: int | None) -> None:
    choices = {"--sent-id": sent_id, "--number": number, "--first": first}
    given = [name for name, value in choices.items() if value is not None]
    if len(given) > 1:
        raise ConfigError(f"{' and '.join(given)} both choose sentences; give one of them")
    if file == gold == "-":
        raise ConfigError("FILE and GOLD cannot both be standard input")


def show_drawings(
    console: Console,
    drawings: Iterator[Drawing],
    style: Style | None = None,
    width: int | None = None,
    ascii_only: bool = False,
) -> None:
    """Draws on a terminal, or for a file, with what it can show."""
    room = line_width(console) if width is None else width
    encoding = sys.stdout.encoding or "ascii"
    ascii_only = ascii_only or not has_boxes()
    for drawing in drawings:
        # Forms that will be escaped are measured as they will be seen.
        known = drawing.mapped(lambda text: text.encode(encoding, "backslashreplace").decode(encoding))
        write(console, *_text(known, style, room or None, ascii_only))


def _text(drawing: Drawing, style: Style | None, width: int | None, ascii_only: bool) -> list[Text]:
    if style is None:
        style = "arcs" if width is None or fits(drawing, width, ascii=ascii_only) else "vertical"
    draw = vertical if style == "vertical" else arcs
    title = [] if drawing.title == "" else [Text(drawing.title or "", "bold"), Text()]
    return [*title, *draw(drawing, width=width, ascii=ascii_only), Text()]


def _drawings(
    file: str, gold: str | None, sent_id: str | None, number: int | None, first: int | None
) -> Iterator[Drawing]:
    """The sentences that were asked for, as drawings, read while they are drawn."""
    pairs = _pairs(file, gold)
    seen, name = 0, file
    for seen, (sentence, right) in enumerate(islice(pairs, first), start=1):
        name = sentence.path
        if (number is None or seen == number) and (sent_id is None or sentence.sent_id == sent_id):
            yield _drawing(sentence, right)
            if number is not None or sent_id is not None:
                return
    if sent_id is not None:
        raise ConlluError(name, None, f"none of its {count(seen, 'sentence')} has sent_id {sent_id}; try --number")
    if number is not None:
        raise ConlluError(name, None, f"there is no sentence {number}: it has {count(seen, 'sentence')}")


def _pairs(file: str, gold: str | None) -> Iterator[tuple[Sentence, Sentence | None]]:
    others = None if gold is None else iter_conllu(gold, check_trees=False)
    for number, sentence in enumerate(iter_conllu(file, check_trees=False), start=1):
        other = None if others is None else next(others, None)
        if gold is not None and other is None:
            raise ConlluError(gold, None, f"has {count(number - 1, 'sentence')}, fewer than {file}")
        yield sentence, other


def _drawing(sentence: Sentence, gold: Sentence | None) -> Drawing:
    where = f"{sentence.path}:{sentence.line}"
    if gold is not None and tuple(gold.forms) != tuple(sentence.forms):
        raise ConlluError(gold.path, gold.line, f"this sentence has other words than the one at {where}")
    return Drawing.of(
        sentence, gold, title=where if sentence.sent_id is None else f"{where} sent_id={sentence.sent_id}"
    )
