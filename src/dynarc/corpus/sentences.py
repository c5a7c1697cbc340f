"""From a piece of a file to its sentences, some at a time; what is no sentence is kept apart, with the reason."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from dynarc import _core
from dynarc.corpus.shards import Piece
from dynarc.errors import FileError
from dynarc.sentence import Origin
from dynarc.tables import conllu_of_arrow, json_record, sentence_of
from dynarc.text.tokenizer import Tokenizer, last_break, last_space
from dynarc.treebank import Format, Treebank

# Bytes of CoNLL-U or text that are made into a treebank at a time.
BLOCK = 1 << 20
_PARAGRAPHS = re.compile(rb"(?<=\n)[ \t\r]*\n")
_LONGEST = 1 << 16  # characters of a bad sentence that are kept


@dataclass(frozen=True, slots=True)
class Bad:
    """What could not be parsed: where it begins or what is wrong stands, why, and what it is."""

    path: str
    line: int
    reason: str
    source: str

    def to_json(self) -> bytes:
        record = {"path": self.path, "line": self.line, "reason": self.reason, "source": self.source[:_LONGEST]}
        return json.dumps(record, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


@dataclass
class Sentences:
    """The sentences of a piece. What is bad is in `bad` when the sentences around it have been given."""

    piece: Piece
    tokenizer: Tokenizer | None = None
    bad: list[Bad] = field(default_factory=list)

    def __iter__(self) -> Iterator[Treebank]:
        data = self.piece.data
        if not isinstance(data, bytes):
            yield from self._of_table(data)
        elif self.piece.kind == "jsonl":
            yield from self._of_records(self._json_records(data))
        elif self.piece.kind == "text":
            yield from self._of_text(data)
        else:
            yield from self._of_conllu(data)

    def quarantine(self, line: int, reason: str, source: str) -> None:
        self.bad.append(Bad(self.piece.path, line, reason, source))

    # CoNLL-U and CoNLL-X.

    def _of_conllu(self, data: bytes, *, rows: bool = False) -> Iterator[Treebank]:
        """`rows`: each sentence is a row, and what is bad is named by its number."""
        form: Format = "conllx" if self.piece.kind == "conllx" else "conllu"
        line = 1 if rows else self.piece.line
        row = self.piece.line if rows else None
        for block in _blocks(data, _core.last_boundary):
            document = _core.Document.read(
                block, first_line=line, starts_file=line == 1, check_trees=False, skip_bad=True
            )
            if document.problems:
                self._bad_lines(block, line, document.problems, row)
            line += document.lines
            if row is not None:
                row += block.count(b"\n\n")
            yield Treebank.of(Origin(document, self.piece.path, block), format=form)

    def _bad_lines(self, block: bytes, first: int, problems: list[tuple[int, int, str]], row: int | None) -> None:
        """Lines of one sentence are one entry, with the first reason."""
        lines = block.split(b"\n")
        starts = [0, *(number + 1 for number, text in enumerate(lines) if not text.strip(b" \r"))]
        for place, group in groupby(problems, key=lambda problem: bisect_right(starts, problem[0] - first) - 1):
            line, column, reason = next(group)
            end = starts[place + 1] - 1 if place + 1 < len(starts) else len(lines)
            source = b"\n".join(lines[starts[place] : end]).decode("utf-8", "replace")
            self.quarantine(line if row is None else row + place, f"{reason} (column {column})", source)

    # Raw text.

    def _of_text(self, data: bytes) -> Iterator[Treebank]:
        assert self.tokenizer is not None
        number = 1
        line = self.piece.line
        for block in _blocks(data, lambda part: last_break(part) or last_space(part)):
            text = self._valid(block, line)
            line += block.count(b"\n")
            found = self.tokenizer.conllu(text, f"{self.piece.stem}-", first=number)
            treebank = self._made(found)
            number += len(treebank)
            yield treebank

    def _valid(self, block: bytes, line: int) -> bytes:
        """The paragraphs that are UTF-8."""
        if _core.find_invalid_utf8(block) == len(block):
            return block
        good, at = [], 0
        for end in [*(found.end() for found in _PARAGRAPHS.finditer(block)), len(block)]:
            paragraph = block[at:end]
            bad = _core.find_invalid_utf8(paragraph)
            if bad == len(paragraph):
                good.append(paragraph)
            else:
                where = line + block.count(b"\n", 0, at + bad)
                self.quarantine(where, "is not valid UTF-8", paragraph.decode("utf-8", "replace"))
            at = end
        return b"".join(good)

    def _made(self, conllu: bytes) -> Treebank:
        document = _core.Document.read(conllu, check_trees=False)
        for _, _, reason in document.problems:
            raise FileError(self.piece.path, self.piece.line, reason)
        return Treebank.of(Origin(document, self.piece.path, conllu))

    # Records: JSON lines and Parquet.

    def _json_records(self, data: bytes) -> Iterator[tuple[int, Mapping[str, Any] | FileError, bytes]]:
        for number, line in enumerate(data.split(b"\n"), start=self.piece.line):
            if line.strip():
                try:
                    yield number, json_record(line, self.piece.path, number), line
                except FileError as problem:
                    yield number, problem, line

    def _of_table(self, batch: Any) -> Iterator[Treebank]:
        conllu = conllu_of_arrow(batch) if "form" in batch.schema.names else None
        if conllu is not None:
            yield from self._of_conllu(conllu, rows=True)
            return
        rows = enumerate(batch.to_pylist(), start=self.piece.line)
        yield from self._of_records((number, row, json.dumps(row, default=str).encode()) for number, row in rows)

    def _of_records(self, records: Iterable[tuple[int, Mapping[str, Any] | FileError, bytes]]) -> Iterator[Treebank]:
        waiting: list[tuple[int, int, bytes]] = []  # where its lines begin, its number and what it was
        blocks: list[bytes] = []
        line, size, number = 1, 0, 1
        for where, fields, source in records:
            try:
                if isinstance(fields, FileError):
                    raise fields
                block, number = self._sentences_of(fields, where, number)
            except FileError as problem:
                self.quarantine(where, problem.reason, source.decode("utf-8", "replace"))
                continue
            waiting.append((line, where, source))
            blocks.append(block)
            line += block.count(b"\n")
            size += len(block)
            if size >= BLOCK:
                yield self._of_waiting(b"".join(blocks), waiting)
                waiting, blocks, line, size = [], [], 1, 0
        if waiting:
            yield self._of_waiting(b"".join(blocks), waiting)

    def _sentences_of(self, fields: Mapping[str, Any], where: int, number: int) -> tuple[bytes, int]:
        """The sentences of a record, and the number of the next sentence that is found in a text."""
        text = fields.get("text")
        if fields.get("form") is not None or self.tokenizer is None or not isinstance(text, str):
            if fields.get("form") is None and not isinstance(text, str):
                have = ", ".join(map(repr, fields)) or "nothing"
                raise FileError(self.piece.path, where, f"the record has neither 'form' nor 'text', only {have}")
            return sentence_of(fields, self.piece.path, where), number
        conllu, count = document_conllu(self.tokenizer, text, fields.get("id"), self.piece.stem, number)
        return conllu, number + count

    def _of_waiting(self, conllu: bytes, waiting: list[tuple[int, int, bytes]]) -> Treebank:
        document = _core.Document.read(conllu, check_trees=False, skip_bad=True)
        starts = [line for line, _, _ in waiting]
        for place, group in groupby(document.problems, key=lambda problem: bisect_right(starts, problem[0]) - 1):
            _, where, source = waiting[place]
            self.quarantine(where, next(group)[2], source.decode("utf-8", "replace"))
        return Treebank.of(Origin(document, self.piece.path))


def document_conllu(tokenizer: Tokenizer, text: str, name: object, prefix: str, number: int = 1) -> tuple[bytes, int]:
    """The sentences of a document in CoNLL-U, and how many. They are numbered within it if it has a name, else after
    `prefix`, from `number` on."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise FileError("", None, f"character {error.start} is a surrogate, which no text has") from None
    named = isinstance(name, str | int) and not isinstance(name, bool) and not set(str(name)) & set("\r\n\0")
    if named:
        conllu = tokenizer.conllu(data, f"{name}-")
    else:
        conllu = tokenizer.conllu(data, f"{prefix}-" if prefix else "", first=number)
    sentences = conllu.count(b"\n\n")
    begin = f"# newdoc id = {name}\n" if named else "# newdoc\n"
    return (begin.encode() + conllu if sentences else b""), sentences


def _blocks(data: bytes, end_of: Any) -> Iterator[bytes]:
    """The data in blocks that end where sentences do."""
    at = 0
    while at < len(data):
        size, end = BLOCK, 0
        while not end:
            part = data[at : at + size]
            end = len(part) if at + len(part) == len(data) else end_of(part)
            size *= 2
        yield data[at : at + end]
        at += end
