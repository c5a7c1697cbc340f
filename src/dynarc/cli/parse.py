"""dynarc parse: from text or words to trees."""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from dynarc.cli.console import count, stderr, stdout, waiting, write, write_paragraph
from dynarc.cli.inputs import OutputOption, SkipBadOption, Skipped
from dynarc.cli.options import refuse
from dynarc.conllu import iter_treebanks
from dynarc.convert import write_any
from dynarc.draw.text import visible
from dynarc.errors import ConfigError
from dynarc.files import check_target, name_of, plain_suffix, reading
from dynarc.parser import Parser
from dynarc.sentence import Sentence
from dynarc.treebank import Treebank

# Arcs that are less likely are marked where they are drawn.
DOUBTFUL = 0.7
# Sentences of plain tokens parsed at a time.
_BLOCK = 5000
# What a sentence of one word, or in a script without spaces, ends with.
_ENDS = (".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f")


Kind = Literal["conllu", "tokens", "text"]


def parse(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="What dynarc train has written; en: English, with the package.")
    ],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Treebanks or texts, also .gz, .xz or .zst; - is standard input. What has spaces or ends a sentence, "
            "and is no file, is text itself.",
        ),
    ],
    output: OutputOption = "-",
    kind: Annotated[
        Kind | None,
        typer.Option(
            "--input",
            help="Treebanks; a sentence a line, its words separated by spaces; or raw text.",
            show_default="text if a name ends with .txt, else conllu",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=0, help="Cores to use; 0 for all.")] = 0,
    keep_heads: Annotated[
        bool, typer.Option("--keep-heads", help="Keep every HEAD and DEPREL that is there; fill in those that are _.")
    ] = False,
    confidence: Annotated[
        bool,
        typer.Option("--confidence", help="Put into MISC how sure the parser is: ArcProb=0.973|LabelProb=0.951."),
    ] = False,
    ranges: Annotated[
        bool, typer.Option("--ranges", help="Put into MISC where tokens of raw text stand in it: TokenRange=0:3.")
    ] = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Parse text or treebanks, of any size, into CoNLL-U.

    Of CoNLL-U only HEAD and DEPREL change; every other byte stays what it was. A model with a tagger also fills in
    UPOS, XPOS, FEATS and LEMMA of sentences in which no word has them. A text that stands on the command line is
    drawn on a terminal.

        dynarc parse en "She saw the man with a telescope."

        dynarc parse en book.txt -o book.conllu

        dynarc parse my.dynarc text.conllu.gz --confidence -o parsed.conllu.gz

        dynarc parse my.dynarc half-annotated.conllu --keep-heads -o parsed.conllu
    """
    kinds = [_kind(file, kind) for file in files]
    if {"tokens", "text"} & set(kinds):
        refuse("with text or tokens, which have no heads", keep_heads=keep_heads)
    if "text" not in kinds:
        refuse("without raw text", ranges=ranges)
    refuse("with --confidence: what is fixed has no probability", keep_heads=keep_heads and confidence)
    parser = Parser.load(model)
    if "text" in kinds:
        parser.text.need_tokenizer()  # an error before anything is parsed
    if confidence:
        from dynarc.confidence import calibration_of

        calibration_of(parser)
    if output == "-" and all(map(_is_literal, files)) and sys.stdout.isatty() and not (confidence or ranges):
        for text in files:
            draw_text(stdout(), parser, text)
        return
    if output != "-":
        check_target(output, [model])
    skipped = Skipped()
    words = sentences = 0
    start = time.perf_counter()
    with waiting(stderr(), "parsing"), write_any(output, "conllu") as put:
        for file, what in zip(files, kinds, strict=True):
            for treebank in _read(parser, file, what, threads, ranges=ranges, skip_bad=skip_bad):
                skipped.report(treebank.problems)
                put(parser.parse(treebank, threads=threads, keep_heads=keep_heads, confidence=confidence))
                sentences += len(treebank)
                words += treebank.words
    skipped.total()
    if all(map(_is_literal, files)):
        return
    seconds = time.perf_counter() - start
    speed = f"{words / seconds:,.0f} words/s" if seconds else ""
    write(stderr(), f"{count(sentences, 'sentence')}, {count(words, 'word')}, {seconds:.1f} s, {speed}")


def _is_literal(argument: str) -> bool:
    """It is text itself, not the name of a file."""
    if not argument.strip():
        raise ConfigError("there is nothing to parse: the text is empty")
    if argument == "-" or not (any(map(str.isspace, argument)) or argument.endswith(_ENDS)):
        return False
    try:
        return not Path(argument).exists()
    except (OSError, ValueError):  # too long for a name, or with a zero byte
        return True


def _kind(file: str, given: Kind | None) -> Kind:
    if _is_literal(file):
        if given == "conllu":
            raise ConfigError(f"there is no file {file!r}; text can be --input text, or tokens")
        return given or "text"
    return given or ("text" if plain_suffix(file) == ".txt" else "conllu")


def draw_text(console: Console, parser: Parser, text: str) -> None:
    """Draws the trees of a text, and says how sure the parser is of each arc."""
    from dynarc.cli.view import show_drawings
    from dynarc.draw import Drawing

    for sentence in parser.parse(text, threads=1):
        sure = sentence.arc_prob or [None] * len(sentence)
        doubtful = frozenset(word for word, p in enumerate(sure, start=1) if p is not None and p < DOUBTFUL)
        drawing = replace(Drawing.of(sentence, title=""), prob=tuple(sure), doubtful=doubtful)
        show_drawings(console, iter([drawing]))
        known = [f"{visible(form)} {p:.2f}" for form, p in zip(sentence.forms, sure, strict=True) if p is not None]
        if known and sentence.tree_prob is not None:
            said = f"How sure it is of each head: {', '.join(known)}; of the whole tree: {sentence.tree_prob:.2f}."
            write_paragraph(console, Text(said, "dim"))
            write(console, "")


def _read(parser: Parser, file: str, kind: Kind, threads: int, *, ranges: bool, skip_bad: bool) -> Iterator[Treebank]:
    source = file.encode("utf-8", "surrogateescape") if _is_literal(file) else file
    name = "<argument>" if _is_literal(file) else None
    if kind == "text":
        tokenizer = parser.text.need_tokenizer()
        return tokenizer.iter_treebanks(source, threads=threads, ranges=ranges, name=name)
    if kind == "tokens":
        return _tokens(source)
    return iter_treebanks(source, skip_bad=skip_bad, check_trees=False)


def _tokens(file: str | bytes) -> Iterator[Treebank]:
    block: list[Sentence] = []
    with reading(file, name_of(file)) as stream:
        for line in stream:
            words = line.decode("utf-8", "replace").split()
            if words:
                block.append(Sentence(words))
            if len(block) == _BLOCK:
                yield Treebank(block)
                block = []
    if block:
        yield Treebank(block)
