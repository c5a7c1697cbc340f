"""Treebanks as tables: Arrow, pandas, Parquet, JSON lines. Nothing is lost on the way there and back.

A sentence is a record of lists: `id`, `form` … `misc` have an entry for every line of it, words or not, and
`comments` the lines above them; `sent_id` and `text` repeat what the comments say. `head` is a number, null where the
file has `_`, and in lines that are no words.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from dynarc import _core
from dynarc.errors import ConfigError, FileError
from dynarc.sentence import COLUMNS, Origin, Sentence, Token
from dynarc.treebank import Treebank

if TYPE_CHECKING:
    import pandas
    import pyarrow

By = Literal["sentence", "token"]

_HEAD = COLUMNS.index("head")


def record(sentence: Sentence) -> dict[str, Any]:
    """A sentence as a record of lists."""
    tokens = sentence.tokens
    columns = list(map(list, zip(*tokens, strict=True)))
    fields: dict[str, Any] = dict(zip(COLUMNS, columns, strict=True))
    fields["head"] = [_head(token) for token in tokens]
    return {"sent_id": sentence.sent_id, "text": sentence.text, "comments": sentence.comments, **fields}


def _head(token: Token) -> int | None:
    return int(token.head) if token.is_word and token.head != "_" else None


def sentence_of(fields: Mapping[str, Any], where: str, line: int | None = None) -> bytes:
    """The lines of a record in CoNLL-U, with the blank line after them. Only `form` must be there."""
    forms = _list(fields, "form", None, where, line)
    if forms is None:
        raise FileError(where, line, f"the record has no 'form', only {', '.join(map(repr, fields)) or 'nothing'}")
    if not forms:
        raise FileError(where, line, "a sentence needs at least one word, but 'form' is empty")
    columns = [_list(fields, name, len(forms), where, line) for name in COLUMNS]
    for name, column in zip(COLUMNS, columns, strict=True):
        for cell in column or ():
            if cell is not None and (isinstance(cell, bool) or not isinstance(cell, str | int)):
                raise FileError(where, line, f"{name!r} holds {cell!r}, which is neither text nor a whole number")
    columns[0] = columns[0] or [str(number) for number in range(1, len(forms) + 1)]
    rows = zip(*(column or ["_"] * len(forms) for column in columns), strict=True)
    lines = list(_list(fields, "comments", None, where, line) or _comments(fields))
    for text in lines:
        if not isinstance(text, str) or not text.startswith("#"):
            raise FileError(where, line, f"{text!r} is no comment: it must be text that begins with #")
    lines += ["\t".join("_" if cell is None else str(cell) for cell in row) for row in rows]
    # A carriage return is a part of the line end only where the line ends.
    if any("\n" in text or text.endswith("\r") for text in lines):
        raise FileError(where, line, "a value holds a line end")
    try:
        return "".join(f"{text}\n" for text in [*lines, ""]).encode()
    except UnicodeEncodeError:
        raise FileError(where, line, "a value holds half a surrogate pair, which is no character") from None


def _comments(fields: Mapping[str, Any]) -> Iterator[str]:
    for key in ("sent_id", "text"):
        if isinstance(fields.get(key), str | int):  # data frames have NaN for what is not there
            yield f"# {key} = {fields[key]}"


def _list(fields: Mapping[str, Any], name: str, length: int | None, where: str, line: int | None) -> list[Any] | None:
    values = fields.get(name)
    if values is None:
        return None
    if not isinstance(values, list) or length not in (None, len(values)):
        expected = "a list" if length is None else f"a list of {length} values, as many as 'form' has"
        raise FileError(where, line, f"{name!r} must be {expected}")
    return values


def from_records(records: Iterable[Mapping[str, Any]], *, path: str = "<records>") -> Treebank:
    """A treebank of records, as `record` makes them."""
    data = b"".join(sentence_of(fields, path, number) for number, fields in enumerate(records, start=1))
    return _read(data, path)


def _read(data: bytes, path: str) -> Treebank:
    document = _core.Document.read(data)
    for line, _, reason in document.problems:
        raise FileError(path, None, f"{reason} (line {line} of its CoNLL-U)")
    return Treebank.of(Origin(document, path))


# JSON lines.


def to_jsonl(treebank: Iterable[Sentence]) -> bytes:
    """A JSON object per line and sentence."""
    return b"".join(json.dumps(record(sentence), ensure_ascii=False).encode() + b"\n" for sentence in treebank)


def json_record(line: bytes, path: str, number: int) -> dict[str, Any]:
    """The record of a line of JSON lines."""
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(path, number, f"is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise FileError(path, number, "must be a JSON object for a sentence")
    return fields


def iter_jsonl(stream: BinaryIO, path: str, block: int = 1000) -> Iterator[Treebank]:
    """The sentences of a JSON lines file, some at a time."""
    waiting: list[bytes] = []
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        fields = json_record(line, path, number)
        lines = sentence_of(fields, path, number)
        for _, _, reason in _core.Document.read(lines).problems[:1]:
            raise FileError(path, number, reason)
        waiting.append(lines)
        if len(waiting) == block:
            yield _read(b"".join(waiting), path)
            waiting = []
    if waiting:
        yield _read(b"".join(waiting), path)


# Arrow, Parquet and pandas.


def library(name: str, extra: str) -> ModuleType:
    """A library that comes with an extra of the package."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        message = f"this needs {name}, which is not installed: pip install 'dynarc[{extra}]'"
        raise ConfigError(message) from None


def arrow_schema() -> "pyarrow.Schema":
    """The columns of a table with a row per sentence."""
    pa = library("pyarrow", "arrow")
    texts = pa.list_(pa.string())
    kinds = {name: pa.list_(pa.int32()) if name == "head" else texts for name in COLUMNS}
    return pa.schema({"sent_id": pa.string(), "text": pa.string(), "comments": texts, **kinds})


def to_arrow(treebank: Treebank, *, by: By = "sentence") -> "pyarrow.Table":
    """An Arrow table with a row per sentence, of lists, or a row per line, with the sentence's number and sent_id."""
    pa = library("pyarrow", "arrow")
    document = treebank.document()
    columns = {name: arrow_column(document, index) for index, name in enumerate(COLUMNS)}
    starts = sentence_starts(document)
    sentences = range(document.sentences)
    ids = [document.comment_value(sentence, "sent_id") for sentence in sentences]
    if by == "token":
        repeat = _number_of_sentence(starts)
        names = pa.array(ids, pa.string()).take(repeat)
        return pa.table({"sentence": repeat, "sent_id": names, **columns})
    if by != "sentence":
        raise ConfigError(f"there is no table by {by!r}", "by", ("sentence", "token"))
    lists = {name: pa.ListArray.from_arrays(starts, column) for name, column in columns.items()}
    whole = Treebank.of(Origin(document, treebank.path))
    comments = [sentence.comments for sentence in whole]
    texts = [document.comment_value(sentence, "text") for sentence in sentences]
    return pa.table({"sent_id": ids, "text": texts, "comments": comments, **lists}, schema=arrow_schema())


def _number_of_sentence(starts: Any) -> Any:
    """For each row the number of its sentence, from 0."""
    pa = library("pyarrow", "arrow")
    bounds = starts.to_pylist()
    numbers = [n for n, (a, b) in enumerate(pairwise(bounds)) for _ in range(b - a)]
    return pa.array(numbers, pa.int64())


def sentence_starts(document: _core.Document) -> Any:
    """Where the lists of sentences begin, and where the last one ends."""
    pa = library("pyarrow", "arrow")
    rows = pa.py_buffer(document.sentence_rows())
    return pa.Array.from_buffers(pa.int64(), document.sentences + 1, [None, rows]).cast(pa.int32())


def arrow_column(document: _core.Document, index: int) -> Any:
    """A column of all lines of a document."""
    pa = library("pyarrow", "arrow")
    if index == _HEAD:
        heads = pa.Array.from_buffers(pa.int32(), document.rows, [None, pa.py_buffer(document.row_heads())])
        import pyarrow.compute as pc

        return pc.if_else(pc.greater_equal(heads, 0), heads, pa.scalar(None, pa.int32()))
    offsets, data = map(pa.py_buffer, document.column_buffers(index))
    return pa.Array.from_buffers(pa.large_string(), document.rows, [None, offsets, data]).cast(pa.string())


def from_arrow(table: "pyarrow.Table | pyarrow.RecordBatch", *, path: str = "<table>") -> Treebank:
    """A treebank of a table with a row per sentence. Columns that are not ours are left aside."""
    wanted = [name for name in ("sent_id", "text", "comments", *COLUMNS) if name in table.schema.names]
    data = conllu_of_arrow(table) if "form" in wanted else None
    if data is not None:
        document = _core.Document.read(data)
        if not document.problems:
            return Treebank.of(Origin(document, path))
    return from_records(table.select(wanted).to_pylist() if wanted else [{}], path=path)


def conllu_of_arrow(table: "pyarrow.Table | pyarrow.RecordBatch") -> bytes | None:
    """The sentences of a table in CoNLL-U, as `sentence_of` writes them, without a Python object for each cell; None
    where a table is not so plain, and has to be read row by row."""
    pa = library("pyarrow", "arrow")
    import pyarrow.compute as pc

    own = {name: _whole(table.column(name)) for name in table.schema.names}
    columns = {name: own[name] for name in COLUMNS if name in own}
    if any(not pa.types.is_list(c.type) and not pa.types.is_large_list(c.type) for c in columns.values()):
        return None
    if any(c.null_count or not _plain(c.type.value_type) for c in columns.values()) or not table.num_rows:
        return None
    lengths = pc.list_value_length(columns["form"]).cast(pa.int64())
    if pc.min(lengths).as_py() == 0 or any(
        not pc.list_value_length(c).cast(pa.int64()).equals(lengths) for c in columns.values()
    ):
        return None
    ends = pc.cumulative_sum(lengths)
    flat = {name: pc.list_flatten(column).cast(pa.string()) for name, column in columns.items()}
    if "id" not in flat:
        before = pc.subtract(ends, lengths).take(pc.list_parent_indices(columns["form"]))
        flat["id"] = pc.add(pc.subtract(pa.array(range(ends[-1].as_py()), pa.int64()), before), 1).cast(pa.string())
    cells = [flat.get(name, "_") for name in COLUMNS]
    lines = pc.binary_join_element_wise(*cells, "\t", null_handling="replace", null_replacement="_")
    if not pc.all(pc.equal(pc.count_substring(lines, "\t"), len(COLUMNS) - 1)).as_py() or _line_ends(lines):
        return None
    comments = _arrow_comments(own, table.num_rows)
    if comments is None:
        return None
    offsets = pa.concat_arrays([pa.array([0], pa.int64()), ends])
    sentences = pc.binary_join(pa.LargeListArray.from_arrays(offsets, lines), "\n")
    text = pc.binary_join_element_wise(comments, sentences, "\n\n", "").cast(pa.large_string())
    buffer = text.buffers()[2]
    return bytes(buffer) if buffer is not None else b""


def _whole(column: Any) -> Any:
    return column.combine_chunks() if hasattr(column, "combine_chunks") else column


def _plain(kind: Any) -> bool:
    pa = library("pyarrow", "arrow")
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind) or types.is_null(kind))


def _line_ends(texts: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.any(pc.or_(pc.match_substring(texts, "\n"), pc.ends_with(texts, "\r"))).as_py())


def _arrow_comments(own: Mapping[str, Any], rows: int) -> Any:
    """For each row the lines above the words; None if they have to be looked at one by one."""
    pa = library("pyarrow", "arrow")
    import pyarrow.compute as pc

    found = pa.array([""] * rows, pa.string())
    for key in ("sent_id", "text"):
        if key not in own or pa.types.is_null(own[key].type):
            continue
        if not (pa.types.is_string(own[key].type) or pa.types.is_large_string(own[key].type)) or _line_ends(own[key]):
            return None
        line = pc.binary_join_element_wise(f"# {key} = ", own[key].cast(pa.string()), "\n", "")
        found = pc.binary_join_element_wise(found, pc.fill_null(line, ""), "")
    if "comments" not in own or pa.types.is_null(own["comments"].type):
        return found
    lists = own["comments"]
    if not pa.types.is_list(lists.type) or not pa.types.is_string(lists.type.value_type):
        return None
    each = pc.list_flatten(lists)
    if each.null_count or not pc.all(pc.starts_with(each, "#")).as_py() or _line_ends(each):
        return None
    lines = pc.binary_join_element_wise(pc.binary_join(lists, "\n"), "\n", "")
    return pc.if_else(pc.greater(pc.fill_null(pc.list_value_length(lists), 0), 0), lines, found)


def to_pandas(treebank: Treebank, *, by: By = "token") -> "pandas.DataFrame":
    """A data frame with a row per line, as the file has them, or per sentence."""
    pandas = library("pandas", "pandas")
    if by == "sentence":
        return pandas.DataFrame([record(sentence) for sentence in treebank])
    if by != "token":
        raise ConfigError(f"there is no table by {by!r}", "by", ("sentence", "token"))
    rows: list[Sequence[Any]] = [
        (number, sentence.sent_id, *token._replace(head=_head(token)))  # type: ignore[arg-type]
        for number, sentence in enumerate(treebank)
        for token in sentence.tokens
    ]
    frame = pandas.DataFrame(rows, columns=["sentence", "sent_id", *COLUMNS])
    frame["head"] = frame["head"].astype("Int32")
    return frame
