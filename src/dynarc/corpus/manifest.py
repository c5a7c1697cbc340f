"""What a run over a corpus has finished: a file of checked lines, to which every finished part is added."""

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Literal, Self, get_args

from dynarc.errors import ConfigError, FileError
from dynarc.files import writing

NAME = "manifest.jsonl"
FORMAT = 1
_CHECK = b', "check": "'

InputKind = Literal["conllu", "conllx", "text", "jsonl", "parquet"]
INPUT_KINDS: tuple[InputKind, ...] = get_args(InputKind)


@dataclass(frozen=True, slots=True)
class Input:
    """A file of the corpus, as it was when the run began."""

    path: str
    kind: InputKind
    size: int
    mtime: int  # nanoseconds


@dataclass(frozen=True, slots=True)
class Part:
    """A finished part of the output: which stretch of which input it is of, and what it holds."""

    shard: int
    piece: int
    start: int  # bytes of the input as it is unpacked; of Parquet, rows
    end: int
    line: int  # where the stretch begins, from 1; of Parquet, the row
    lines: int
    packed: int  # bytes of the file that it took
    source: str  # SHA-256 of what was read
    sentences: int
    words: int
    bad: int  # in quarantine
    forms: str  # SHA-256 of IDs and forms, in order
    bytes: int
    sha256: str  # of the file


@dataclass(frozen=True, slots=True)
class Header:
    """What a run is of: with another model, other options or another version its parts would not fit together."""

    version: str
    model: str
    model_sha256: str
    options: Mapping[str, Any]
    shards: int


class Manifest:
    """Lines of JSON, each with a checksum of itself. A last line that is torn, as by a loss of power, counts as not
    written; damage anywhere else is an error."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.inputs: dict[int, Input] = {}
        self.parts: dict[int, dict[int, Part]] = {}  # by shard and piece
        self.ends: dict[int, int] = {}  # of shards that were read to their ends, how many pieces they have
        self.broken: dict[int, str] = {}  # of others, why not
        self._header: Header | None = None
        self._whole = 0  # bytes of lines that count
        self._file: int | None = None
        self._lock = Lock()

    @property
    def header(self) -> Header:
        assert self._header is not None
        return self._header

    @classmethod
    def create(cls, folder: Path, header: Header, inputs: Iterable[Input]) -> Self:
        """A new one, on the disk when this returns."""
        with writing(folder / NAME) as out:
            out.write(_line({"corpus": FORMAT, **asdict(header)}))
            for shard, one in enumerate(inputs):
                out.write(_line({"input": shard, **asdict(one)}))
        sync_folder(folder)
        return cls.read(folder)

    @classmethod
    def read(cls, folder: Path) -> Self:
        found = cls(folder)
        try:
            data = found.path.read_bytes()
        except OSError as problem:
            raise FileError(str(found.path), None, f"cannot be read: {problem.strerror or problem}") from None
        at = 0
        for number, line in enumerate(data.splitlines(keepends=True), start=1):
            record = _checked(line)
            if record is None:
                if at + len(line) == len(data) and number > 1:
                    break
                reason = "is damaged: parse the corpus anew, into another folder"
                raise FileError(str(found.path), number, reason)
            found._take(record, number)
            at += len(line)
        if found._header is None or len(found.inputs) != found.header.shards:
            raise FileError(str(found.path), None, "is no manifest of a corpus: it does not say what was to be parsed")
        found._whole = at
        return found

    def _take(self, record: dict[str, Any], number: int) -> None:
        try:
            if number == 1:
                if record.pop("corpus") != FORMAT:
                    reason = "is of another version of dynarc: go on with that one, or parse anew into another folder"
                    raise FileError(str(self.path), None, reason)
                self._header = Header(**record)
            elif "input" in record:
                shard = record.pop("input")
                self.inputs[shard] = Input(**record)
            elif "ended" in record:
                self.ends[record["ended"]] = record["pieces"]
                self.broken.pop(record["ended"], None)
            elif "broken" in record:
                self.broken[record["broken"]] = record["reason"]
            else:
                self._keep(Part(**record))
        except (KeyError, TypeError) as error:
            raise FileError(str(self.path), number, f"is no line of a manifest: {error}") from None

    def open(self) -> None:
        """Makes ready to add lines. ConfigError while another run does."""
        try:
            self._file = os.open(self.path, os.O_RDWR)
            _lock(self._file)
            if os.lseek(self._file, 0, os.SEEK_END) > self._whole:
                os.ftruncate(self._file, self._whole)
                os.lseek(self._file, 0, os.SEEK_END)
        except BlockingIOError:
            self.close()
            raise ConfigError(f"{self.path.parent}: another run is writing there: wait for its end") from None
        except OSError as problem:
            self.close()
            raise FileError(str(self.path), None, f"cannot be written: {problem.strerror or problem}") from None

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def add_part(self, part: Part) -> None:
        """The part counts from now on; its file must be on the disk."""
        self._add(asdict(part))
        self._keep(part)

    def add_end(self, shard: int, pieces: int) -> None:
        self._add({"ended": shard, "pieces": pieces})
        self.ends[shard] = pieces
        self.broken.pop(shard, None)

    def add_broken(self, shard: int, reason: str) -> None:
        if self.broken.get(shard) != reason:
            self._add({"broken": shard, "reason": reason})
            self.broken[shard] = reason

    def add_input(self, shard: int, one: Input) -> None:
        """The file has been replaced by another that begins with what was taken from it."""
        self._add({"input": shard, **asdict(one)})
        self.inputs[shard] = one

    def _add(self, record: dict[str, Any]) -> None:
        assert self._file is not None
        line = _line(record)
        with self._lock:
            try:
                while line:
                    line = line[os.write(self._file, line) :]
                os.fsync(self._file)
            except OSError as problem:
                raise FileError(str(self.path), None, f"cannot be written: {problem.strerror or problem}") from None

    def _keep(self, part: Part) -> None:
        self.parts.setdefault(part.shard, {})[part.piece] = part

    def parts_of(self, shard: int) -> dict[int, Part]:
        return self.parts.get(shard, {})

    def all_parts(self) -> Iterator[Part]:
        """In the order of the corpus."""
        for shard in sorted(self.parts):
            for piece in sorted(self.parts[shard]):
                yield self.parts[shard][piece]

    def is_finished(self, shard: int) -> bool:
        """All of it is in the output."""
        pieces = self.ends.get(shard)
        return pieces is not None and all(piece in self.parts_of(shard) for piece in range(pieces))


def _line(record: dict[str, Any]) -> bytes:
    text = json.dumps(record).encode()
    return text[:-1] + _CHECK + b'%08x"}\n' % zlib.crc32(text)


def _checked(line: bytes) -> dict[str, Any] | None:
    """The record of a line; None if it is not whole."""
    text, found, check = line.rpartition(_CHECK)
    if not found or check != b'%08x"}\n' % zlib.crc32(text + b"}"):
        return None
    record: dict[str, Any] = json.loads(text + b"}")
    return record


def sync_folder(folder: Path) -> None:
    """Names of files are on the disk from now on."""
    if os.name != "posix":
        return
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as problem:
        raise FileError(str(folder), None, f"cannot be written: {problem.strerror or problem}") from None


def _lock(file: int) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
