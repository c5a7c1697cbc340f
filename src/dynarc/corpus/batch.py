"""Parsing batches of Arrow: what engines for many machines call in their workers."""

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dynarc import _core
from dynarc.corpus.sentences import document_conllu
from dynarc.errors import ConfigError, FileError
from dynarc.parser import Parser, model_path
from dynarc.sentence import COLUMNS, Origin
from dynarc.tables import (
    arrow_column,
    arrow_schema,
    conllu_of_arrow,
    library,
    sentence_of,
    sentence_starts,
    to_arrow,
)
from dynarc.treebank import Treebank

if TYPE_CHECKING:
    import pyarrow

Batch = TypeVar("Batch")


class ParseBatch:
    """Parses record batches, or tables, of Arrow.

    A batch with a column `form`, lists of words, comes back row for row, with `head` and `deprel`, and with `upos`,
    `xpos`, `feats` and `lemma` where the model has a tagger and a sentence none of its own; all other columns are
    passed on as they are, without a copy. Rows that are no sentences are an error, or, with `bad="null"`, have null
    there. A batch with a column `text` instead, raw documents, comes back with a row for each sentence: the columns of
    `Treebank.to_arrow`, and those of the document beside them. `words` and `text` say what these columns are called;
    `id`, if it is there, names documents and begins the names of their sentences.

    What is sent to other processes is the name of the model; each loads it once. For Ray Data and Daft it is a
    callable, for Spark's `mapInArrow` there is `batches`.

    >>> import pyarrow as pa
    >>> parse = ParseBatch("en")
    >>> parse(pa.table({"form": [["She", "sings"]]}))["head"].to_pylist()
    [[2, 0]]
    """

    def __init__(
        self,
        model: str | os.PathLike[str] = "en",
        *,
        words: str = "form",
        text: str = "text",
        confidence: bool = False,
        threads: int = 1,
        bad: Literal["error", "null"] = "error",
    ) -> None:
        if bad not in ("error", "null"):
            raise ConfigError(f"bad rows cannot become {bad!r}", "bad", ("error", "null"))
        self.model, self.bad = os.fspath(model), bad
        self.words, self.text = words, text
        self.confidence, self.threads = confidence, threads

    @property
    def parser(self) -> Parser:
        """The one of this process."""
        return _loaded(self.model)

    def __call__(self, batch: Batch) -> Batch:
        pa = library("pyarrow", "arrow")
        if not isinstance(batch, pa.RecordBatch | pa.Table):
            raise ConfigError(f"ParseBatch takes batches and tables of Arrow, not {type(batch).__name__}")
        found = self._of_words(batch) if self.words in batch.schema.names else self._of_texts(batch)
        if isinstance(batch, pa.Table):
            return found  # type: ignore[no-any-return]
        rows = found.combine_chunks().to_batches()
        return rows[0] if rows else pa.RecordBatch.from_pylist([], schema=found.schema)  # type: ignore[no-any-return]

    def batches(self, batches: Iterable[Batch]) -> Iterator[Batch]:
        """One after the other, as Spark's `mapInArrow` has them."""
        for batch in batches:
            yield self(batch)

    def schema(self, given: "pyarrow.Schema") -> "pyarrow.Schema":
        """The columns that come out if these go in."""
        pa = library("pyarrow", "arrow")
        empty = pa.Table.from_pylist([], schema=given)
        return self(empty).schema

    def filled(self) -> list[str]:
        """The columns that are filled in rows of words."""
        tagger = self.parser.text.tagger
        tags = () if tagger is None else tuple(tagger.columns)
        changed = {*tags, "head", "deprel", *(["misc"] if self.confidence else [])}
        return [name for name in COLUMNS if name in changed]

    def _of_words(self, batch: Any) -> Any:
        pa = library("pyarrow", "arrow")
        table = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
        kind = table.schema.field(self.words).type
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
            raise ConfigError(
                f"the column {self.words!r} holds {kind}: it must have lists of words, or call it the text"
            )
        own = table.rename_columns(["form" if name == self.words else name for name in table.schema.names])
        own = own.select([name for name in COLUMNS if name in own.schema.names])
        data, places = self._conllu(own)
        document = self._parsed(data).document()
        starts = sentence_starts(document)
        for name in self.filled():
            column = pa.ListArray.from_arrays(starts, arrow_column(document, COLUMNS.index(name)))
            if places is not None:
                column = column.take(pa.array(places, pa.int64()))
            if name in table.schema.names:
                table = table.set_column(table.schema.get_field_index(name), name, column)
            else:
                table = table.append_column(name, column)
        return table

    def _conllu(self, table: Any) -> tuple[Treebank, list[int | None] | None]:
        """The sentences of a table; and, if not all rows are sentences, which one each row is."""
        data = conllu_of_arrow(table)
        if data is not None or not table.num_rows:
            document = _core.Document.read(data or b"", check_trees=False)
            if not document.problems:
                return Treebank.of(Origin(document, "<batch>")), None
        blocks: list[bytes] = []
        places: list[int | None] = []
        for row, fields in enumerate(table.to_pylist(), start=1):
            try:
                block = sentence_of(fields, "<batch>", row)
                for _, _, reason in _core.Document.read(block, check_trees=False).problems:
                    raise FileError("<batch>", row, reason)
            except FileError:
                if self.bad == "error":
                    raise
                places.append(None)
                continue
            places.append(len(blocks))
            blocks.append(block)
        return Treebank.of(Origin(_core.Document.read(b"".join(blocks), check_trees=False), "<batch>")), places

    def _of_texts(self, batch: Any) -> Any:
        pa = library("pyarrow", "arrow")
        names = batch.schema.names
        if self.text not in names:
            have = ", ".join(map(repr, names)) or "none"
            raise ConfigError(
                f"there is no column {self.words!r}, with lists of words, and no {self.text!r}, with text, only "
                f"{have}: say what it is called with words= or text="
            )
        kind = batch.schema.field(self.text).type
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise ConfigError(f"the column {self.text!r} holds {kind}: it must have text")
        tokenizer = self.parser.text.need_tokenizer()
        texts = batch.column(self.text).to_pylist()
        ids = batch.column("id").to_pylist() if "id" in names else [None] * len(texts)
        blocks, rows = [], []
        for row, (text, name) in enumerate(zip(texts, ids, strict=True)):
            try:
                block, sentences = document_conllu(tokenizer, text or "", name, "")
            except FileError as problem:
                raise FileError("<batch>", row + 1, problem.reason) from None
            blocks.append(block)
            rows += [row] * sentences
        document = _core.Document.read(b"".join(blocks), check_trees=False)
        parsed = self._parsed(Treebank.of(Origin(document, "<batch>")))
        table = to_arrow(parsed) if rows else pa.Table.from_pylist([], schema=arrow_schema())
        others = [name for name in names if name not in (*table.schema.names, self.text)]
        repeated = batch.select(others).take(pa.array(rows, pa.int64()))
        for name in others:
            table = table.append_column(name, repeated.column(name))
        return table

    def _parsed(self, treebank: Treebank) -> Treebank:
        return self.parser.parse(treebank, threads=self.threads, confidence=self.confidence)


def _loaded(model: str) -> Parser:
    status = os.stat(model_path(model)) if os.path.exists(model_path(model)) else None  # noqa: PTH110, PTH116
    return _load(model, None if status is None else (status.st_mtime_ns, status.st_size))


@lru_cache(maxsize=2)
def _load(model: str, _: tuple[int, int] | None) -> Parser:
    return Parser.load(model)
