"""dynarc corpus: corpora of any size, all cores, and runs that go on where they ended."""

import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Literal

import typer

from dynarc.cli.console import count, stderr, stdout, waiting, write, write_json
from dynarc.cli.options import JsonOption, refuse
from dynarc.corpus.manifest import InputKind
from dynarc.corpus.run import Progress, Report, opened
from dynarc.corpus.shards import PIECE
from dynarc.corpus.verify import verify_corpus
from dynarc.corpus.work import QUARANTINE, Options, OutputKind, Packing
from dynarc.errors import ConfigError
from dynarc.parser import cores

# Where nobody watches, how far it is is written so often, in seconds.
_SILENCE = 60.0
_NAMED = 20
_MIB = 1 << 20

Engine = Literal["threads", "daft"]


def corpus(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE...]", help="Treebanks, texts, JSON lines or Parquet, packed or not; or folders."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FOLDER", help="Where to write parts and the manifest.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", help="What dynarc train has written; en: English, with the package.")
    ] = "en",
    kind: Annotated[InputKind | None, typer.Option("--from", help="The format, where names do not tell.")] = None,
    to: Annotated[OutputKind, typer.Option("--to", help="The format to write.")] = "conllu",
    pack: Annotated[Packing, typer.Option("--pack", help="How parts are packed; Parquet packs itself.")] = "zst",
    confidence: Annotated[
        bool, typer.Option("--confidence", help="Put into MISC how sure the parser is: ArcProb=0.973|LabelProb=0.951.")
    ] = False,
    part_size: Annotated[
        int, typer.Option("--part-size", min=1, metavar="MIB", help="Unpacked input for each part of the output.")
    ] = PIECE // _MIB,
    threads: Annotated[int, typer.Option(min=0, help="Cores to use; 0 for all.")] = 0,
    engine: Annotated[
        Engine, typer.Option("--engine", help="Threads of this machine, or Daft, a file at a time.")
    ] = "threads",
    ray: Annotated[
        str | None, typer.Option("--ray", metavar="ADDRESS", help="With --engine daft: the Ray cluster to run on.")
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit status 1 also if sentences are in quarantine.")
    ] = False,
    ignore_space: Annotated[
        bool, typer.Option("--ignore-space", help="Do not ask first whether the output will find room.")
    ] = False,
    verify: Annotated[
        str | None, typer.Option("--verify", metavar="FOLDER", help="Prove that a parsed corpus is complete.")
    ] = None,
    without_inputs: Annotated[
        bool, typer.Option("--without-inputs", help="With --verify: only the output is read again.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Parse a corpus of any size into parts, which hold every sentence once and in order.

    A run that was interrupted goes on when the same command is given again, and ends with the same bytes. Sentences
    and files that cannot be read are put in quarantine, with path, line and reason; the rest goes on. Exit status 1 if
    a file could not be read.

        dynarc corpus crawl/*.txt.gz -o parsed

        dynarc corpus corpus.conllu.zst -m my.dynarc -o parsed --to parquet

        dynarc corpus --verify parsed
    """
    if verify is not None:
        refuse("with --verify", output=output, ray=ray, confidence=confidence)
        if files:
            raise ConfigError("--verify takes a folder that was written, and finds the inputs by its manifest")
        _verify(verify, inputs=not without_inputs, threads=threads, as_json=as_json)
        return
    refuse("without --verify", without_inputs=without_inputs)
    if not files:
        raise ConfigError("which files are to be parsed? Name some, or folders (see 'dynarc corpus --help')")
    if output is None:
        raise ConfigError("where to? Name a folder with -o")
    if engine == "threads":
        refuse("without --engine daft", ray=ray)
    else:
        from dynarc.corpus.engine import finish_on_daft, need_engine

        need_engine(ray)
    options = Options(to=to, pack=pack, confidence=confidence, size=part_size * _MIB)
    with waiting(stderr(), "making ready") as say, opened(files, output, model, options, kind) as run:
        if not ignore_space:
            run.check_space()
        show = _Progress(say)
        report = finish_on_daft(run, ray, show) if engine == "daft" else run.finish(threads or cores(), show)
    _tell(report, as_json=as_json)
    if report.broken or (strict and report.bad):
        raise typer.Exit(1)


class _Progress:
    """Says how far a run is: all the time on a terminal, else once a minute."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._said = say, time.monotonic()

    def __call__(self, how: Progress) -> None:
        left = how.seconds_left
        eta = "" if left is None else f", {duration(left)} left"
        text = f"{100 * how.share:.1f} %, {how.sentences:,} sentences, {how.words_per_second:,.0f} words/s{eta}"
        self._say(text)
        if not stderr().is_terminal and time.monotonic() - self._said >= _SILENCE:
            self._said = time.monotonic()
            write(stderr(), text)


def duration(seconds: float) -> str:
    """
    >>> duration(59.6), duration(3700)
    ('1:00', '1:01:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _tell(report: Report, *, as_json: bool) -> None:
    for path, reason in list(report.broken.items())[:_NAMED]:
        write(stderr(), f"dynarc: in quarantine: {path}: {reason}")
    if len(report.broken) > _NAMED:
        write(stderr(), f"dynarc: in quarantine: {len(report.broken) - _NAMED:,} more files")
    if report.bad:
        what = count(report.bad, "sentence is", "sentences are")
        write(stderr(), f"dynarc: {what} in quarantine, with reasons: {report.folder}/{QUARANTINE}")
    if as_json:
        write_json(asdict(report))
        return
    speed = f", {report.new_words / report.seconds:,.0f} words/s" if report.new_words else ", nothing was left to do"
    said = f"{count(report.sentences, 'sentence')}, {count(report.words, 'word')} in {count(report.parts, 'part')}"
    write(stderr(), f"{said} of {count(report.shards, 'file')}, {report.seconds:.1f} s{speed}")


def _verify(folder: str, *, inputs: bool, threads: int, as_json: bool) -> None:
    with waiting(stderr(), "verifying") as say:
        proof = verify_corpus(folder, inputs=inputs, threads=threads, progress=lambda how: say(f"{how.share:.0%}"))
    if as_json:
        write_json({**asdict(proof), "complete": proof.complete})
    else:
        for fault in proof.faults:
            write(stdout(), fault)
        said = f"{count(proof.sentences, 'sentence')}, {count(proof.words, 'word')} in {count(proof.parts, 'part')}"
        files = count(proof.shards, "file")
        against = f"all of {files}" if inputs else f"as written, of {files} that were not read again"
        result = (
            f"complete: {said}, {against}" if proof.complete else f"not complete: {count(len(proof.faults), 'fault')}"
        )
        bad = f"; {count(proof.bad, 'sentence')} in quarantine" if proof.bad else ""
        write(stdout(), result + bad)
    if not proof.complete:
        raise typer.Exit(1)
