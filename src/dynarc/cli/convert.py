"""dynarc convert: from one format to another."""

from typing import Annotated

import typer

from dynarc import convert as core
from dynarc.cli.console import count, stderr, waiting, write
from dynarc.cli.inputs import InputsArgument, OutputOption, SkipBadOption, Skipped
from dynarc.convert import Kind


def convert(
    files: InputsArgument,
    output: OutputOption = "-",
    source: Annotated[Kind | None, typer.Option("--from", help="The format, where the name does not tell.")] = None,
    target: Annotated[Kind | None, typer.Option("--to", help="The format to write, if not by the name.")] = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Convert between CoNLL-U, CoNLL-X, JSON lines and Parquet.

    Formats are told by names: .conllu, .conll and .conllx, .jsonl, .parquet; all but the last also .gz, .xz or .zst.
    Several files become one. CoNLL-U to CoNLL-U changes no byte, unless sentences are skipped. CoNLL-X has no room for
    comments, multiword ranges and empty nodes, and its last two columns are not those of CoNLL-U: they are left out.

        dynarc convert train.conllu -o train.parquet

        zcat corpus.conllu.gz | dynarc convert - --to jsonl > corpus.jsonl
    """
    target = target or core.kind_of(output, "conllu" if output == "-" else None)
    kinds = [source or core.kind_of(file, "conllu" if file == "-" else None) for file in files]
    sentences = 0
    skipped = Skipped()
    with waiting(stderr(), "converting"), core.write_any(output, target) as put:
        for file, kind in zip(files, kinds, strict=True):
            for treebank in core.read_any(file, kind, skip_bad=skip_bad):
                skipped.report(treebank.problems)
                put(treebank)
                sentences += len(treebank)
    skipped.total()
    if output != "-":
        write(stderr(), f"{count(sentences, 'sentence')} written to {output}")
