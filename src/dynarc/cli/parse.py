"""dynarc parse: from words to trees."""

import time
from collections.abc import Iterator
from typing import Annotated, Literal

import typer

from dynarc.cli.console import count, stderr, waiting, write
from dynarc.cli.inputs import InputsArgument, OutputOption, SkipBadOption, Skipped
from dynarc.cli.options import refuse
from dynarc.confidence import calibration_of
from dynarc.conllu import iter_treebanks
from dynarc.convert import write_any
from dynarc.files import check_target, name_of, reading
from dynarc.parser import Parser
from dynarc.sentence import Sentence
from dynarc.treebank import Treebank

# Sentences of plain tokens parsed at a time.
_BLOCK = 5000


def parse(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="What dynarc train has written.")],
    files: InputsArgument,
    output: OutputOption = "-",
    kind: Annotated[
        Literal["conllu", "tokens"],
        typer.Option("--input", help="Treebanks; or a sentence a line, its words separated by spaces."),
    ] = "conllu",
    threads: Annotated[int, typer.Option(min=0, help="Cores to use; 0 for all.")] = 0,
    keep_heads: Annotated[
        bool, typer.Option("--keep-heads", help="Keep every HEAD and DEPREL that is there; fill in those that are _.")
    ] = False,
    confidence: Annotated[
        bool,
        typer.Option("--confidence", help="Put into MISC how sure the parser is: ArcProb=0.973|LabelProb=0.951."),
    ] = False,
    skip_bad: SkipBadOption = False,
) -> None:
    """Parse files, of any size, into CoNLL-U.

    Of CoNLL-U only HEAD and DEPREL change; every other byte stays what it was.

        dynarc parse en.dynarc text.conllu.gz -o parsed.conllu.gz

        dynarc parse en.dynarc half-annotated.conllu --keep-heads -o parsed.conllu

        dynarc parse en.dynarc text.conllu --confidence -o parsed.conllu
    """
    if kind == "tokens":
        refuse("with --input tokens, which has no heads", keep_heads=keep_heads)
    refuse("with --confidence: what is fixed has no probability", keep_heads=keep_heads and confidence)
    parser = Parser.load(model)
    if confidence:
        calibration_of(parser)  # an error before anything is parsed
    if output != "-":
        check_target(output, [model])
    skipped = Skipped()
    words = sentences = 0
    start = time.perf_counter()
    with waiting(stderr(), "parsing"), write_any(output, "conllu") as put:
        for file in files:
            read = _tokens(file) if kind == "tokens" else iter_treebanks(file, skip_bad=skip_bad, check_trees=False)
            for treebank in read:
                skipped.report(treebank.problems)
                put(parser.parse(treebank, threads=threads, keep_heads=keep_heads, confidence=confidence))
                sentences += len(treebank)
                words += treebank.words
    skipped.total()
    seconds = time.perf_counter() - start
    speed = f"{words / seconds:,.0f} words/s" if seconds else ""
    write(stderr(), f"{count(sentences, 'sentence')}, {count(words, 'word')}, {seconds:.1f} s, {speed}")


def _tokens(file: str) -> Iterator[Treebank]:
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
