"""Proof that a parsed corpus is complete: inputs and outputs read again, and both compared with the manifest."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Lock

from dynarc.convert import read_any
from dynarc.corpus.manifest import Manifest, Part
from dynarc.corpus.run import Feeder, Progress, in_threads
from dynarc.corpus.sentences import Sentences
from dynarc.corpus.shards import Piece, source_of, stem
from dynarc.corpus.work import QUARANTINE, Forms, Options, file_sha256
from dynarc.errors import ConfigError, DynarcError, FileError
from dynarc.parser import Parser, cores


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found. Without `faults`, every sentence of the inputs is in the output once, in order, or in
    quarantine."""

    shards: int
    parts: int
    sentences: int
    words: int
    bad: int
    with_inputs: bool
    faults: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return not self.faults


def verify_corpus(
    folder: str | os.PathLike[str],
    *,
    inputs: bool = True,
    threads: int = 0,
    progress: Callable[[Progress], None] = lambda how: None,
) -> Proof:
    """Counts the sentences of every part again, and those of the inputs, if these are to be read again, too.

    The parts of a file must follow each other from its beginning to its end without gap or overlap; each must be, to
    the byte, what was written; the words in it, in their order, must be those of its stretch of the input.
    """
    where = Path(folder)
    manifest = Manifest.read(where)
    options = Options(**manifest.header.options)
    faults = [*_missing(manifest), *_strangers(where, manifest, options)]
    how = Progress(size=sum(part.bytes for part in manifest.all_parts()))
    stop, lock = Event(), Lock()
    parts = iter(list(manifest.all_parts()))

    def outputs() -> Iterator[tuple[Part, list[str]]]:
        while not stop.is_set():
            with lock:
                part = next(parts, None)
            if part is None:
                return
            yield part, _faults_of_part(where, part, options)

    def note(found: tuple[Part, list[str]]) -> None:
        part, wrong = found
        with lock:
            faults.extend(wrong)
            how.add(part)
            how.done += part.bytes - part.packed
            progress(how)

    in_threads(outputs, note, threads or cores(), stop)
    if inputs:
        faults += _faults_of_inputs(manifest, options, threads or cores())
    return Proof(
        shards=len(manifest.inputs),
        parts=how.parts,
        sentences=how.sentences,
        words=how.words,
        bad=how.bad,
        with_inputs=inputs,
        faults=tuple(sorted(faults)),
    )


def _missing(manifest: Manifest) -> Iterator[str]:
    for shard, one in sorted(manifest.inputs.items()):
        parts, at, line = manifest.parts_of(shard), 0, 1
        for number, piece in enumerate(sorted(parts)):
            part = parts[piece]
            if piece != number or (part.start, part.line) != (at, line):
                yield f"{one.path}: what is before part {stem(shard, piece)} has not been parsed"
                break
            at, line = part.end, part.line + part.lines
        if shard in manifest.broken:
            yield f"{one.path}: is in quarantine: {manifest.broken[shard]}"
        elif not manifest.is_finished(shard):
            yield f"{one.path}: has not been parsed to its end: run the command again that was interrupted"


def _strangers(folder: Path, manifest: Manifest, options: Options) -> Iterator[str]:
    """Files that are no part of the output, and would be taken for one."""
    own = {options.name(part.shard, part.piece) for part in manifest.all_parts()}
    for path in sorted(folder.glob("part-*")):
        if path.name not in own:
            yield f"{path}: is not in the manifest"


def _faults_of_part(folder: Path, part: Part, options: Options) -> list[str]:
    path = folder / options.name(part.shard, part.piece)
    faults = []
    try:
        if path.stat().st_size != part.bytes or file_sha256(path) != part.sha256:
            return [f"{path}: is not what was written: its checksum is another"]
        found = Forms()
        for treebank in read_any(path, options.to, check_trees=False):
            found.add(treebank)
        faults = _differences(path, found, part)
        bad = folder / QUARANTINE / f"{stem(part.shard, part.piece)}.jsonl"
        lines = bad.read_bytes().count(b"\n") if bad.exists() else 0
        if lines != part.bad:
            faults.append(f"{bad}: has {lines:,} sentences in quarantine, not {part.bad:,}")
    except OSError as problem:
        faults.append(f"{path}: cannot be read: {problem.strerror or problem}")
    except FileError as problem:
        faults.append(str(problem))
    return faults


def _differences(where: str | os.PathLike[str], found: Forms, part: Part) -> list[str]:
    if (found.sentences, found.words) != (part.sentences, part.words):
        have = f"{found.sentences:,} sentences and {found.words:,} words"
        return [f"{where}: has {have}, not {part.sentences:,} and {part.words:,}"]
    if found.sha256() != part.forms:
        return [f"{where}: has other words, or words in another order, than were parsed"]
    return []


def _faults_of_inputs(manifest: Manifest, options: Options, threads: int) -> list[str]:
    parser = None
    if any(one.kind not in ("conllu", "conllx") for one in manifest.inputs.values()):  # which may hold raw text
        parser = _same_model(manifest)
    tokenizer = None if parser is None else parser.text.tokenizer
    seen: dict[int, int] = {}
    faults: list[str] = []
    stop, lock = Event(), Lock()
    shards = [shard for shard in sorted(manifest.inputs) if shard not in manifest.broken]
    feeder = Feeder(manifest, shards, options.size, again=True)

    def work() -> Iterator[tuple[Piece, list[str]]]:
        while not stop.is_set() and (piece := feeder.take()) is not None:
            yield (
                piece,
                _faults_of_piece(piece, manifest.parts_of(piece.shard).get(piece.number), Sentences(piece, tokenizer)),
            )

    def note(found: tuple[Piece, list[str]]) -> None:
        piece, wrong = found
        with lock:
            seen[piece.shard] = max(seen.get(piece.shard, 0), piece.end)
            faults.extend(wrong)

    in_threads(work, note, threads, stop)
    faults += [f"{manifest.inputs[shard].path}: {reason}" for shard, reason in feeder.failures.items()]
    for shard in shards:
        parts = manifest.parts_of(shard).values()
        if shard not in feeder.failures and seen.get(shard, 0) != max((part.end for part in parts), default=0):
            faults.append(f"{manifest.inputs[shard].path}: is longer or shorter than what was parsed")
    return faults


def _faults_of_piece(piece: Piece, part: Part | None, sentences: Sentences) -> list[str]:
    where = f"{piece.path}:{piece.line}"
    if part is None:
        return [f"{where}: what begins here has not been parsed"]
    if (part.start, part.end) != (piece.start, piece.end) or source_of(piece) != part.source:
        return [f"{where}: the file is not what it was when it was parsed"]
    found = Forms()
    for treebank in sentences:
        found.add(treebank)
    if found.sentences + len(sentences.bad) != part.sentences + part.bad:
        total = f"{found.sentences + len(sentences.bad):,}"
        return [f"{where}: has {total} sentences, but {part.sentences + part.bad:,} were parsed or put in quarantine"]
    if len(sentences.bad) == part.bad:
        return _differences(where, found, part)
    return []  # the parser itself refused some, which are in quarantine


def _same_model(manifest: Manifest) -> Parser:
    """The model that has parsed the corpus: it also found the sentences of raw text."""
    path = manifest.header.model
    try:
        if file_sha256(path) == manifest.header.model_sha256:
            return Parser.load(path)
    except DynarcError as error:
        raise ConfigError(f"the model that parsed the corpus cannot be read ({error}): verify without inputs") from None
    raise ConfigError(f"{path} is no longer the model that parsed the corpus: verify without inputs")
