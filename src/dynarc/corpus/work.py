"""Parsing one piece of a corpus into one part of the output."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from dynarc.convert import write_any
from dynarc.corpus.manifest import Part, sync_folder
from dynarc.corpus.sentences import Sentences
from dynarc.corpus.shards import PIECE, Piece, source_of, stem
from dynarc.errors import ConfigError, DynarcError, FileError
from dynarc.files import writing
from dynarc.parser import Parser
from dynarc.treebank import Treebank

OutputKind = Literal["conllu", "jsonl", "parquet"]
OUTPUT_KINDS: tuple[OutputKind, ...] = get_args(OutputKind)
Packing = Literal["zst", "gz", "xz", "none"]
PACKINGS: tuple[Packing, ...] = get_args(Packing)

QUARANTINE = "quarantine"
_ID, _FORM = 0, 1


@dataclass(frozen=True, slots=True)
class Options:
    """What decides what is written, besides the model and the inputs."""

    to: OutputKind = "conllu"
    pack: Packing = "zst"
    confidence: bool = False
    size: int = PIECE  # bytes of unpacked input for a part

    def __post_init__(self) -> None:
        if self.to not in OUTPUT_KINDS:
            raise ConfigError(f"a corpus cannot be written as {self.to!r}", "to", OUTPUT_KINDS)
        if self.pack not in PACKINGS:
            raise ConfigError(f"there is no packing {self.pack!r}", "pack", PACKINGS)
        if self.size < 1:
            raise ConfigError(f"a part cannot be of {self.size} bytes: 1 is the least")

    @property
    def suffix(self) -> str:
        # Parquet packs its columns itself.
        return f".{self.to}" if self.to == "parquet" or self.pack == "none" else f".{self.to}.{self.pack}"

    def name(self, shard: int, piece: int) -> str:
        return f"part-{stem(shard, piece)}{self.suffix}"


class Stopped(Exception):  # noqa: N818 - no error: somebody wants the work to end
    """Raised within a piece when the run is to end."""


class Forms:
    """A checksum of the words of sentences, and their numbers. It depends on their order, and not on how many are
    taken at a time, nor on the format they are in."""

    def __init__(self) -> None:
        self._ids, self._forms = hashlib.sha256(), hashlib.sha256()
        self.sentences = self.words = 0

    def add(self, treebank: Treebank) -> None:
        document = treebank.document()
        self._ids.update(document.column_buffers(_ID)[1])
        self._forms.update(document.column_buffers(_FORM)[1])
        self.sentences += len(treebank)
        self.words += treebank.words

    def sha256(self) -> str:
        return hashlib.sha256(self._ids.digest() + self._forms.digest()).hexdigest()


def parse_piece(
    parser: Parser, piece: Piece, folder: Path, options: Options, stop: Callable[[], bool] = lambda: False
) -> Part:
    """Writes the part of a piece, and what is bad in it, if anything is. Both are on the disk when this returns, or,
    after an error, neither is."""
    target = folder / options.name(piece.shard, piece.number)
    sentences = Sentences(piece, parser.text.tokenizer)
    forms = Forms()
    with ExitStack() as stack:
        put = stack.enter_context(write_any(target, options.to))
        bad = _Quarantine(folder / QUARANTINE / f"{piece.stem}.jsonl", stack)
        for treebank in sentences:
            if stop():
                raise Stopped
            for parsed in _parsed(parser, treebank, options, sentences):
                forms.add(parsed)
                put(parsed)
            bad.take(sentences)
        bad.take(sentences)
    sync_folder(folder)
    return Part(
        shard=piece.shard,
        piece=piece.number,
        start=piece.start,
        end=piece.end,
        line=piece.line,
        lines=piece.lines,
        packed=piece.packed,
        source=source_of(piece),
        sentences=forms.sentences,
        words=forms.words,
        bad=bad.count,
        forms=forms.sha256(),
        bytes=target.stat().st_size,
        sha256=file_sha256(target),
    )


def _parsed(parser: Parser, treebank: Treebank, options: Options, sentences: Sentences) -> Iterator[Treebank]:
    """The treebank, parsed; if the parser refuses it, sentence by sentence, without those that it refuses."""
    try:
        yield parser.parse(treebank, threads=1, confidence=options.confidence)
    except (DynarcError, MemoryError):
        for sentence in treebank:
            alone = Treebank([sentence], path=treebank.path, format=treebank.format)
            try:
                yield parser.parse(alone, threads=1, confidence=options.confidence)
            except (DynarcError, MemoryError) as error:
                sentences.quarantine(sentence.line or 0, str(error) or "out of memory", alone.to_bytes().decode())


class _Quarantine:
    """The file of what is bad in a piece, begun when there is something."""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self.count = 0
        self._path, self._stack = path, stack
        self._out: BinaryIO | None = None

    def take(self, sentences: Sentences) -> None:
        if not sentences.bad:
            return
        if self._out is None:
            try:
                self._path.parent.mkdir(exist_ok=True)
            except OSError as problem:
                reason = f"cannot be written: {problem.strerror or problem}"
                raise FileError(os.fspath(self._path.parent), None, reason) from None
            self._out = self._stack.enter_context(writing(self._path))
        for one in sentences.bad:
            self._out.write(one.to_json())
        self.count += len(sentences.bad)
        sentences.bad.clear()


def file_sha256(path: str | os.PathLike[str]) -> str:
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as problem:
        raise FileError(os.fspath(path), None, f"cannot be read: {problem.strerror or problem}") from None
