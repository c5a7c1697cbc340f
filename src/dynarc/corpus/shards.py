"""The files of a corpus, cut into pieces: each a stretch of whole sentences that one worker parses into one part.

Where a piece ends depends on where it begins and on the file, and on nothing else: a run that goes on after an
interruption finds the same pieces.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from dynarc import _core
from dynarc.convert import kind_of
from dynarc.corpus.manifest import Input, InputKind, Part
from dynarc.errors import ConfigError, FileError
from dynarc.files import plain_suffix, reading
from dynarc.tables import arrow_schema, conllu_of_arrow, library
from dynarc.text.tokenizer import last_break, last_space

if TYPE_CHECKING:
    import pyarrow

# Bytes of unpacked input, and rows of Parquet, for a part of the output.
PIECE = 1 << 24
ROWS = 1 << 14
_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a file, in memory."""

    shard: int
    number: int
    path: str
    kind: InputKind
    start: int
    end: int
    line: int
    lines: int
    packed: int
    data: "bytes | pyarrow.RecordBatch"

    @property
    def stem(self) -> str:
        return stem(self.shard, self.number)


def stem(shard: int, piece: int) -> str:
    """The name of a part, without its format. Names sort as the corpus goes.

    >>> stem(3, 12)
    '00003-000012'
    """
    return f"{shard:05}-{piece:06}"


def inputs_of(files: Iterable[str], kind: InputKind | None = None) -> list[Input]:
    """The files, and those in folders, that there are; FileError if one is missing. Formats are told by names."""
    found = []
    for name in files:
        if name == "-":
            raise ConfigError("a corpus is read from files, which an interrupted run can return to: parse takes -")
        path = Path(name)
        if path.is_dir():
            own = sorted(p for p in path.rglob("*") if p.is_file() and (kind or _known(p.name)) and p.name[0] != ".")
            if not own:
                raise FileError(
                    name, None, "there is no file in it whose name tells a format (.conllu, .txt, .jsonl …)"
                )
            found += [_input(os.fspath(p), kind) for p in own]
        else:
            found.append(_input(name, kind))
    paths = [one.path for one in found]
    if twice := next((path for path in paths if paths.count(path) > 1), None) if len(set(paths)) < len(paths) else None:
        raise ConfigError(f"{twice} is named twice: its sentences would be in the output twice")
    return found


def _known(name: str) -> bool:
    try:
        return bool(_kind(name, None))
    except ConfigError:
        return False


def _kind(name: str, given: InputKind | None) -> InputKind:
    return given or ("text" if plain_suffix(name) == ".txt" else kind_of(name))


def _input(name: str, kind: InputKind | None) -> Input:
    try:
        status = Path(name).stat()
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        missing = isinstance(problem, FileNotFoundError)
        raise FileError(name, None, "there is no such file" if missing else f"cannot be read: {reason}") from None
    if not Path(name).is_file():
        raise FileError(name, None, "is no plain file: a corpus is read from files, which a run can return to")
    return Input(os.path.abspath(name), _kind(name, kind), status.st_size, status.st_mtime_ns)  # noqa: PTH100 - links stay


def pieces(shard: int, one: Input, size: int = PIECE, done: dict[int, Part] | None = None) -> Iterator[Piece]:
    """The pieces of a file that are not done. FileError, after those before it, where it cannot be read."""
    done = done or {}
    first = next(number for number in range(len(done) + 1) if number not in done)
    cut = _parquet_pieces if one.kind == "parquet" else _byte_pieces
    for piece in cut(shard, one, size, first, done.get(first - 1)):
        if (before := done.get(piece.number)) is None:
            yield piece
        elif (before.start, before.end) != (piece.start, piece.end):
            raise changed(one.path)


def changed(path: str) -> ConfigError:
    return ConfigError(
        f"{path} is not what it was when its first parts were parsed: put it back, or parse the corpus anew, into "
        "another folder"
    )


def _byte_pieces(shard: int, one: Input, size: int, number: int, before: Part | None) -> Iterator[Piece]:
    start, line = (before.end, before.line + before.lines) if before else (0, 1)
    with _opened(one.path) as file, reading(file, one.path) as stream:
        _pass_over(stream, start, is_plain=stream is file)
        at, rest, ended = file.tell(), b"", False
        while not ended:
            data, failure = _filled(rest, stream, size)
            wanted = size
            while not (end := _end(data, one.kind, wanted)) and len(data) >= wanted and wanted < _core.MAX_SENTENCE:
                wanted *= 2
                data, failure = _filled(data, stream, wanted)
            ended = len(data) < wanted
            if ended and failure is None:
                end = len(data)
            elif not ended and end == 0:  # longer than a sentence may be: it goes into quarantine, a piece at a time
                end = data.rfind(b"\n") + 1 or len(data)
            if end:
                part, rest = data[:end], data[end:]
                now, lines = file.tell(), part.count(b"\n")
                yield Piece(shard, number, one.path, one.kind, start, start + end, line, lines, now - at, part)
                number, start, at, line = number + 1, start + end, now, line + lines
            if failure is not None:
                raise failure


def _opened(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as problem:
        raise FileError(path, None, f"cannot be read: {problem.strerror or problem}") from None


def _pass_over(stream: BinaryIO, count: int, *, is_plain: bool) -> None:
    if is_plain:
        stream.seek(count)
        return
    while count and (data := stream.read(min(count, _READ))):
        count -= len(data)


def _filled(data: bytes, stream: BinaryIO, size: int) -> tuple[bytes, Exception | None]:
    """As much as is asked for, or all there is; and what went wrong, if something did: what came before is good."""
    blocks, missing = [data], size - len(data)
    try:
        while missing > 0 and (block := stream.read(min(missing, _READ))):
            blocks.append(block)
            missing -= len(block)
    except Exception as problem:  # raised again by the caller, where files.reading knows what to make of it
        return b"".join(blocks), problem
    return b"".join(blocks), None


def _end(data: bytes, kind: InputKind, size: int) -> int:
    """Where the last whole sentence, line or paragraph of the data ends; 0 if there is none."""
    if kind == "jsonl":
        return data.rfind(b"\n") + 1
    if kind == "text":
        return last_break(data) or (last_space(data) if len(data) >= size else 0)
    return _core.last_boundary(data)


def _parquet_pieces(shard: int, one: Input, size: int, number: int, before: Part | None) -> Iterator[Piece]:
    library("pyarrow", "arrow")
    import pyarrow
    from pyarrow import parquet

    rows = min(ROWS, max(1, size // 2048))
    begin = before.end if before else 0
    try:
        with parquet.ParquetFile(one.path) as file:
            wanted = columns_to_read(file.schema_arrow.names, one.path)
            counts = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            total, start, at = max(1, sum(counts)), 0, 0
            for group, count in enumerate(counts):
                if start + count <= begin:  # all of it is done
                    start += count
                    at += -(-count // rows)
                    continue
                for batch in file.iter_batches(rows, row_groups=[group], columns=wanted):
                    end = start + batch.num_rows
                    if at >= number:
                        packed = one.size * end // total - one.size * start // total
                        yield Piece(shard, at, one.path, one.kind, start, end, start + 1, end - start, packed, batch)
                    start, at = end, at + 1
    except pyarrow.ArrowException as error:
        raise FileError(one.path, None, f"is no Parquet file: {str(error).splitlines()[0]}") from None
    except OSError as problem:
        reason = problem.strerror or (str(problem).splitlines() or [""])[0]
        raise FileError(one.path, None, f"cannot be read: {reason}") from None


def columns_to_read(names: list[str], path: str) -> list[str]:
    """Those of a table with words; without them, the text and what it is called."""
    if "form" in names:
        return [name for name in arrow_schema().names if name in names]
    if "text" in names:
        return [name for name in ("id", "text") if name in names]
    have = ", ".join(names)
    raise FileError(path, None, f"has neither a column 'form', with words, nor 'text', only {have}")


def source_of(piece: Piece) -> str:
    """A checksum of what a piece was read from."""
    if isinstance(piece.data, bytes):
        return hashlib.sha256(piece.data).hexdigest()
    found = conllu_of_arrow(piece.data) if "form" in piece.data.schema.names else None
    data = json.dumps(piece.data.to_pylist()).encode() if found is None else found
    return hashlib.sha256(data).hexdigest()


def check_unchanged(one: Input, done: dict[int, Part], *, finished: bool, size: int = PIECE) -> Input:
    """The file as it is now. ConfigError if what was parsed of it is no longer in it: if it has another size or time
    than before, that is read again. A file that was not finished may have got another end."""
    now = _input(one.path, one.kind)
    if now == one:
        return one
    same = _same_rows if one.kind == "parquet" else _same_bytes
    try:
        if (finished and now.size != one.size) or not same(now, [done[piece] for piece in sorted(done)], size):
            raise changed(one.path)
    except FileError:
        raise changed(one.path) from None
    return now


def _same_bytes(one: Input, parts: list[Part], _: int) -> bool:
    at = 0
    with reading(one.path, one.path) as stream:
        for part in parts:
            _pass_over(stream, part.start - at, is_plain=False)
            data, problem = _filled(b"", stream, part.end - part.start)
            if problem is not None or hashlib.sha256(data).hexdigest() != part.source:
                return False
            at = part.end
    return True


def _same_rows(one: Input, parts: list[Part], size: int) -> bool:
    wanted = {part.piece: (part.start, part.end, part.source) for part in parts}
    for piece in pieces(0, one, size) if wanted else ():
        if wanted.pop(piece.number, (piece.start, piece.end, source_of(piece))) != (
            piece.start,
            piece.end,
            source_of(piece),
        ):
            return False
        if not wanted:
            break
    return not wanted
