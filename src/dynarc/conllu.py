"""Reading CoNLL-U and CoNLL-X: the words of each sentence, their tags, heads and relations.

What makes a file unreadable is refused here, with its line. What makes a tree odd (cycles, several roots,
a word that is its own head) is not: such sentences are read, and it is for an audit to report them.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import BufferedIOBase, BytesIO
from pathlib import Path
from typing import IO

from dynarc.errors import ConlluError

Source = str | os.PathLike[str] | bytes | IO[bytes] | IO[str]

_COLUMNS = 10
_ID, _FORM, _UPOS, _HEAD, _DEPREL = 0, 1, 3, 6, 7


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of one sentence; multiword ranges and empty nodes are not words.

    Word i (from 1, as in the file) has the head `heads[i - 1]`: 0 is ROOT, None is unknown (`_`). A FORM
    or UPOS of `_` stays as it is, since `_` is also a word. `line` is the first line of the sentence,
    comments included.
    """

    forms: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int | None, ...]
    deprels: tuple[str | None, ...]
    sent_id: str | None
    text: str | None
    line: int
    path: str

    def __len__(self) -> int:
        return len(self.forms)


def read_conllu(source: Source, *, name: str | None = None) -> list[Sentence]:
    """All sentences of `source`: a path (.gz and .xz are unpacked), `-` for standard input, bytes, or a file.

    `name` stands in for the path in errors and in `Sentence.path`.

    >>> [s] = read_conllu(b"1\\tHello\\t_\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n")
    >>> s.forms, s.upos, s.heads, s.deprels
    (('Hello',), ('INTJ',), (0,), ('root',))
    """
    return list(iter_conllu(source, name=name))


def iter_conllu(source: Source, *, name: str | None = None) -> Iterator[Sentence]:
    """The sentences of `source` one at a time, so that a file of any size can be read. See read_conllu."""
    path = name if name is not None else _name_of(source)
    builder = _Builder(path)
    with _open(source, path) as raw:
        for number, line in _lines(raw, path):
            if not line:
                if builder.lines:
                    yield builder.finish()
                builder = _Builder(path)
            elif line[0] == "#":
                builder.comment(line, number)
            else:
                builder.token(line, number)
    if builder.lines:
        yield builder.finish()


class _Builder:
    """One sentence while its lines come in."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.first_line: int | None = None
        self.keys: dict[str, str] = {}
        self.lines: list[int] = []  # of each word: HEAD can be checked only when all words are there
        self.forms: list[str] = []
        self.upos: list[str] = []
        self.heads: list[int | None] = []
        self.deprels: list[str | None] = []

    def comment(self, line: str, number: int) -> None:
        self._start(number)
        key, equals, value = line[1:].partition("=")
        if equals:
            # Spaces only: a no-break space at the end of a text belongs to the text.
            self.keys[key.strip()] = value.strip(" ")

    def token(self, line: str, number: int) -> None:
        self._start(number)
        columns = line.split("\t")
        if len(columns) != _COLUMNS:
            raise self._error(number, _wrong_columns(line, len(columns)))
        expected = len(self.lines) + 1
        if columns[_ID] != str(expected):
            if _is_not_a_word(columns[_ID]):
                return
            raise self._error(number, _wrong_id(columns[_ID], expected))
        head, deprel = columns[_HEAD], columns[_DEPREL]
        self.lines.append(number)
        self.forms.append(columns[_FORM])
        self.upos.append(columns[_UPOS])
        self.heads.append(None if head == "_" else self._head(head, number))
        self.deprels.append(None if deprel == "_" else deprel)

    def finish(self) -> Sentence:
        words = len(self.lines)
        for head, number in zip(self.heads, self.lines, strict=True):
            if head is not None and head > words:
                raise self._error(number, f"HEAD is {head}, but the sentence has {_count(words, 'word')}")
        assert self.first_line is not None
        return Sentence(
            forms=tuple(self.forms),
            upos=tuple(self.upos),
            heads=tuple(self.heads),
            deprels=tuple(self.deprels),
            sent_id=self.keys.get("sent_id"),
            text=self.keys.get("text"),
            line=self.first_line,
            path=self.path,
        )

    def _start(self, number: int) -> None:
        if self.first_line is None:
            self.first_line = number

    def _head(self, text: str, number: int) -> int:
        # More digits than any sentence has words, and more than int() agrees to convert.
        if _is_number(text) and len(text) < 10:
            return int(text)
        raise self._error(number, f"HEAD is {_quoted(text)}, but must be the number of a word, 0 or _")

    def _error(self, number: int, reason: str) -> ConlluError:
        return ConlluError(self.path, number, reason)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()  # alone, isdigit() also takes superscripts


def _is_not_a_word(text: str) -> bool:
    """Whether an ID is that of a multiword range (3-4) or an empty node (8.1)."""
    return any(all(map(_is_number, parts)) for parts in (text.split("-"), text.split(".")) if len(parts) == 2)


def _wrong_id(found: str, expected: int) -> str:
    reason = f"ID is {_quoted(found)}, but word {expected} comes next"
    return f"{reason} (is the blank line before this sentence missing?)" if found == "1" else reason


def _wrong_columns(line: str, found: int) -> str:
    reason = f"expected {_COLUMNS} columns separated by TAB, found {found}"
    if not line.strip():
        return f"{reason} (a line between sentences must be empty, without spaces)"
    if found == 1 and len(line.split()) >= _COLUMNS:
        return f"{reason} (are they separated by spaces?): {_quoted(line)}"
    return f"{reason}: {_quoted(line)}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _quoted(text: str) -> str:
    """The text as it may stand in a one-line message, however long or strange it is."""
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _name_of(source: Source) -> str:
    if isinstance(source, bytes):
        return "<bytes>"
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<file>"


@contextmanager
def _open(source: Source, path: str) -> Iterator[Iterable[bytes | str]]:
    """The lines of `source`. Closes only what it opened; turns what goes wrong meanwhile into ConlluError."""
    if isinstance(source, bytes):
        yield BytesIO(source)  # not splitlines(), which also breaks at a lone CR
    elif isinstance(source, str | os.PathLike) and source != "-":
        reader, failures = _reader(Path(source))
        try:
            with reader() as file:
                yield file
        except IsADirectoryError:
            raise ConlluError(path, None, "is a directory, not a file") from None
        except FileNotFoundError:
            raise ConlluError(path, None, "there is no such file") from None
        except failures as error:
            why = getattr(error, "strerror", None) or str(error)
            raise ConlluError(path, None, f"cannot be read: {why}") from error
    else:
        try:
            yield getattr(sys.stdin, "buffer", sys.stdin) if isinstance(source, str) else source
        except UnicodeDecodeError as error:
            # From a text file, which decodes ahead of the lines it gives: the line is not known.
            raise ConlluError(path, None, _not_text(error)) from None


def _reader(path: Path) -> tuple[Callable[[], BufferedIOBase], tuple[type[Exception], ...]]:
    """What opens `path` for reading bytes, and the errors that opening and reading it can raise."""
    # Imported where used: not every Python is built with both.
    if path.suffix == ".gz":
        import gzip
        import zlib

        return partial(gzip.GzipFile, path), (OSError, EOFError, zlib.error)
    if path.suffix == ".xz":
        import lzma

        return partial(lzma.LZMAFile, path), (OSError, EOFError, lzma.LZMAError)
    return lambda: path.open("rb"), (OSError,)


def _lines(raw: Iterable[bytes | str], path: str) -> Iterator[tuple[int, str]]:
    """Numbered lines as text, without line ends and byte-order mark."""
    for number, line in enumerate(raw, start=1):
        try:
            text = line.decode() if isinstance(line, bytes) else line
        except UnicodeDecodeError as error:
            raise ConlluError(path, number, _not_text(error)) from None
        if "\0" in text:
            raise ConlluError(path, number, "holds a NUL byte, so this is no text in UTF-8")
        if number == 1:
            text = text.removeprefix("\ufeff")
        yield number, text.removesuffix("\n").removesuffix("\r")


def _not_text(error: UnicodeDecodeError) -> str:
    return f"byte 0x{error.object[error.start]:02x} is not valid {error.encoding.upper()}"
