"""From one format to another: CoNLL-U, CoNLL-X, JSON lines, Parquet. Sentence by sentence, whatever the size."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO, Literal, get_args

from dynarc import _core
from dynarc.conllu import iter_treebanks
from dynarc.errors import ConfigError, FileError
from dynarc.files import Source, Target, name_of, plain_suffix, reading, writing
from dynarc.sentence import COLUMNS
from dynarc.tables import arrow_schema, from_records, iter_jsonl, library, to_arrow, to_jsonl
from dynarc.treebank import Treebank

Kind = Literal["conllu", "conllx", "jsonl", "parquet"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_SUFFIXES: dict[str, Kind] = {
    ".conllu": "conllu",
    ".conll": "conllx",
    ".conllx": "conllx",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}

Write = Callable[[Treebank], None]


def kind_of(name: str, default: Kind | None = None) -> Kind:
    """The format of a file by its name."""
    kind = _SUFFIXES.get(plain_suffix(name), default)
    if kind is None:
        known = ", ".join(_SUFFIXES)
        raise ConfigError(f"the name {name!r} does not tell the format ({known}): say it with --from or --to")
    return kind


def read_any(
    source: Source, kind: Kind, *, name: str | None = None, skip_bad: bool = False, check_trees: bool = True
) -> Iterator[Treebank]:
    """The sentences of a file of any format, some at a time."""
    path = name if name is not None else name_of(source)
    if kind in ("conllu", "conllx"):
        form: Literal["conllu", "conllx"] = "conllu" if kind == "conllu" else "conllx"
        yield from iter_treebanks(source, name=path, format=form, skip_bad=skip_bad, check_trees=check_trees)
        return
    if skip_bad:
        raise ConfigError(f"{path}: only sentences of CoNLL-U and CoNLL-X can be skipped")
    with reading(source, path) as stream:
        if kind == "jsonl":
            yield from iter_jsonl(stream, path)
        else:
            yield from _iter_parquet(stream, path)


@contextmanager
def write_any(target: Target, kind: Kind) -> Iterator[Write]:
    """What writes treebanks, one after the other, in a format. The file appears when all is written."""
    with writing(target) as out:
        if kind == "conllu":
            yield _Joined(out, _as_conllu)
        elif kind == "conllx":
            yield _Joined(out, _as_conllx)
        elif kind == "jsonl":
            yield _Joined(out, lambda treebank: to_jsonl(_blank_conllx(treebank)), blank_line=False)
        else:
            with _parquet_writer(out) as write:
                yield write


def convert(
    source: Source,
    target: Target,
    *,
    source_kind: Kind | None = None,
    target_kind: Kind | None = None,
) -> int:
    """Converts a file; formats are told by names if not given. Returns the number of sentences.

    CoNLL-X has no room for comments, multiword ranges and empty nodes: they are lost on the way to it. Its columns 9
    and 10 mean other things than those of CoNLL-U: they are blank on the way from it and to it.
    """
    source_kind = source_kind or kind_of(name_of(source))
    target_kind = target_kind or kind_of(os.fspath(target) if isinstance(target, str | os.PathLike) else "")
    sentences = 0
    with write_any(target, target_kind) as write:
        for treebank in read_any(source, source_kind):
            write(treebank)
            sentences += len(treebank)
    return sentences


class _Joined:
    """Writes the bytes of treebanks one after the other: as they are within a file, which is cut at blank lines, and
    with a blank line, where the format has them, and without a second byte-order mark where another file begins."""

    def __init__(self, out: BinaryIO, as_bytes: Callable[[Treebank], bytes], *, blank_line: bool = True) -> None:
        self._out = out
        self._as_bytes = as_bytes
        self._blank_line = blank_line
        self._first = True
        self._lacking = b""

    def __call__(self, treebank: Treebank) -> None:
        data = self._as_bytes(treebank)
        if not data:
            return
        if not self._first:
            data = data.removeprefix(b"\xef\xbb\xbf")
        self._out.write(self._lacking + data)
        self._first = False
        ended = not self._blank_line or _core.last_boundary(data) == len(data)
        self._lacking = b"" if ended else b"\n" if data.endswith(b"\n") else b"\n\n"


def _blank_conllx(treebank: Treebank) -> Treebank:
    """The treebank in CoNLL-U: PHEAD and PDEPREL would read as DEPS and MISC."""
    if treebank.format == "conllu":
        return treebank
    blank = treebank.copy()
    document = blank.document()
    for column in ("deps", "misc"):
        document.fill(COLUMNS.index(column), "_")
    return blank


def _as_conllu(treebank: Treebank) -> bytes:
    return _blank_conllx(treebank).to_bytes()


def _as_conllx(treebank: Treebank) -> bytes:
    if treebank.format == "conllx":
        return treebank.to_bytes()
    document = treebank.document()
    return document.write_conllx(0, document.sentences)


def _iter_parquet(stream: BinaryIO, path: str) -> Iterator[Treebank]:
    library("pyarrow", "arrow")
    import pyarrow
    from pyarrow import parquet

    try:
        file = parquet.ParquetFile(stream)
        wanted = [name for name in arrow_schema().names if name in file.schema_arrow.names]
        if "form" not in wanted:
            have = ", ".join(file.schema_arrow.names)
            raise FileError(path, None, f"has no column 'form', only {have}")
        for batch in file.iter_batches(batch_size=1000, columns=wanted):
            yield from_records(batch.to_pylist(), path=path)
    except pyarrow.ArrowException as error:
        raise FileError(path, None, f"is no Parquet file: {str(error).splitlines()[0]}") from None


@contextmanager
def _parquet_writer(out: BinaryIO) -> Iterator[Write]:
    library("pyarrow", "arrow")
    from pyarrow import parquet

    with parquet.ParquetWriter(out, arrow_schema(), compression="zstd") as writer:
        yield lambda treebank: writer.write_table(to_arrow(_blank_conllx(treebank)))
