"""One sentence of a treebank: a view of the bytes it was read from, through which it can be changed."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from mmap import mmap
from typing import Any, NamedTuple, Never, Self, TypeVar, overload

from dynarc import _core
from dynarc.errors import ConlluError, TreeError
from dynarc.tree import Tree, plain_head

T = TypeVar("T")

COLUMNS = tuple(name.lower() for name in _core.column_names())
_FORM, _LEMMA, _UPOS, _XPOS, _FEATS, _HEAD, _DEPREL, _DEPS, _MISC = range(1, 10)
_WORD, _RANGE, _EMPTY = range(3)

_PROBABILITY = re.compile(r"[0-9]*\.?[0-9]+(?:[eE]-?[0-9]+)?")

Features = str | Mapping[str, str] | None


class Sure(NamedTuple):
    """How sure a parser is of a tree: of each head, of each head and label, of all of them."""

    arc_prob: list[float]
    label_prob: list[float]
    tree_prob: float


@dataclass(frozen=True, slots=True)
class Origin:
    """A document and where it came from; what the sentences of a treebank are views of."""

    document: _core.Document
    path: str
    data: bytes | mmap | None = None  # what it was read from
    sure: Sequence[Sure] | None = None  # of the parser that made its trees, one for each sentence


class Column(list[T]):
    """One column of a sentence's words: a list that writes what is put into it back to the sentence.

    It keeps its length; to add or remove words, build a new Sentence.
    """

    __slots__ = ("_check", "_write")

    def __init__(self, values: Iterable[T], check: Callable[[int, Any], T], write: Callable[[int, T], None]) -> None:
        super().__init__(values)
        self._check = check  # gives the value as it will stand in the column, or says why it cannot
        self._write = write

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            places: Sequence[int] = range(*index.indices(len(self)))
            values = list(value)
            if isinstance(value, str) or len(values) != len(places):
                raise TreeError(f"{len(places)} values are to be replaced, but {len(values)} were given")
        else:
            places = [range(len(self))[index]]  # negative ones from the end; IndexError beyond
            values = [value]
        # All are checked before any is written: a column changes as asked, or not at all.
        checked = [self._check(place, one) for place, one in zip(places, values, strict=True)]
        for place, one in zip(places, checked, strict=True):
            self._write(place, one)
            super().__setitem__(place, one)

    def __eq__(self, other: object) -> bool:
        return list.__eq__(self, list(other)) if isinstance(other, list | tuple) else NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __reduce__(self) -> tuple[type[list[T]], tuple[list[T]]]:
        return list, (list(self),)

    def _fixed(self, *_: object) -> Never:
        raise TypeError("the columns of a sentence keep their length: build a new Sentence to add or remove words")

    append = extend = insert = pop = remove = clear = sort = reverse = _fixed  # type: ignore[assignment]
    __delitem__ = __iadd__ = __imul__ = _fixed


class _Cells:
    """A column of text as an attribute of Sentence."""

    def __init__(self, column: int) -> None:
        self._column = column

    @overload
    def __get__(self, sentence: None, owner: type) -> Self: ...
    @overload
    def __get__(self, sentence: "Sentence", owner: type) -> Column[str]: ...
    def __get__(self, sentence: "Sentence | None", owner: type) -> Self | Column[str]:
        if sentence is None:
            return self
        origin, index = sentence.origin
        cells = origin.document.cells(index, self._column)
        return Column(cells, partial(sentence._text, self._column), partial(sentence._write_cell, self._column))

    def __set__(self, sentence: "Sentence", values: Sequence[Features]) -> None:
        column: Column[Any] = self.__get__(sentence, type(sentence))
        column[:] = values


class Token(NamedTuple):
    """One line of a sentence as it stands in the file. `id` is that of a word (3), a multiword range (3-4) or an
    empty node (8.1)."""

    id: str
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    head: str
    deprel: str
    deps: str
    misc: str

    @property
    def is_word(self) -> bool:
        return self.id.isdigit()


class Sentence:
    """A sentence: its words, their columns, its comments.

    Multiword ranges and empty nodes are not words; they are kept, and `tokens` has them. Word i (from 1, as in the
    file) has the head `heads[i - 1]`: 0 is ROOT, None is unknown (`_`). A deprel of `_` is None; every other column is
    text as it stands. Columns can be assigned, whole or word by word, and the treebank changes with them.

    >>> s = Sentence(["They", "sing"], upos=["PRON", "VERB"], heads=[2, 0], deprels=["nsubj", "root"])
    >>> s.heads[0] = None
    >>> s.tokens[0].head, s.tokens[1].deprel
    ('_', 'root')
    """

    __slots__ = ("_index", "_origin")

    def __init__(
        self,
        forms: Sequence[str],
        *,
        lemmas: Sequence[str | None] | None = None,
        upos: Sequence[str | None] | None = None,
        xpos: Sequence[str | None] | None = None,
        feats: Sequence[Features] | None = None,
        heads: Sequence[int | None] | None = None,
        deprels: Sequence[str | None] | None = None,
        deps: Sequence[str | None] | None = None,
        misc: Sequence[Features] | None = None,
        sent_id: str | None = None,
        text: str | None = None,
        comments: Iterable[str] = (),
        ranges: Iterable[tuple[int, int, str]] = (),
    ) -> None:
        name = "<sentence>" if sent_id is None else f"<sentence {sent_id}>"
        columns: dict[str, Sequence[Any] | None] = {
            "FORM": forms, "LEMMA": lemmas, "UPOS": upos, "XPOS": xpos, "FEATS": feats,
            "HEAD": heads, "DEPREL": deprels, "DEPS": deps, "MISC": misc,
        }  # fmt: skip
        keys = {"sent_id": sent_id, "text": text}
        above = [*comments, *(f"# {key} = {value}" for key, value in keys.items() if value is not None)]
        lines = [_comment(line, name) for line in above] + _rows(columns, len(forms), ranges, name)
        document = _core.Document.read("".join(f"{line}\n" for line in lines).encode())
        for line, column, reason in document.problems:
            raise ConlluError(name, line, reason, column)
        self._origin = Origin(document, name)
        self._index = 0

    @classmethod
    def of(cls, origin: Origin, index: int) -> Self:
        """The sentence with this number in a document."""
        sentence = cls.__new__(cls)
        sentence._origin = origin
        sentence._index = index
        return sentence

    @property
    def origin(self) -> tuple[Origin, int]:
        return self._origin, self._index

    @property
    def path(self) -> str:
        return self._origin.path

    @property
    def line(self) -> int:
        """The number of its first line, comments included, in the file it was read from."""
        return self._origin.document.line(self._index)

    def line_of(self, word: int) -> int:
        """The number of the line of a word, counted from 1."""
        return self._origin.document.word_line(self._index, word - 1)

    def __len__(self) -> int:
        return self._origin.document.length(self._index)

    forms = _Cells(_FORM)
    lemmas = _Cells(_LEMMA)
    upos = _Cells(_UPOS)
    xpos = _Cells(_XPOS)
    feats = _Cells(_FEATS)
    deps = _Cells(_DEPS)  # in CoNLL-X, PHEAD
    misc = _Cells(_MISC)  # in CoNLL-X, PDEPREL

    @property
    def heads(self) -> Column[int | None]:
        return Column(self._origin.document.heads(self._index), self._head, self._write_head)

    @heads.setter
    def heads(self, values: Sequence[int | None]) -> None:
        self.heads[:] = values

    @property
    def deprels(self) -> Column[str | None]:
        cells = self._origin.document.cells(self._index, _DEPREL)
        return Column([None if cell == "_" else cell for cell in cells], self._deprel, self._write_deprel)

    @deprels.setter
    def deprels(self, values: Sequence[str | None]) -> None:
        self.deprels[:] = values

    @property
    def arc_prob(self) -> list[float | None] | None:
        """How sure the parser was that each head is right; else what `ArcProb` in MISC says. None if that is of no
        word."""
        sure = self._origin.sure
        return self._probabilities("ArcProb") if sure is None else list(sure[self._index].arc_prob)

    @property
    def label_prob(self) -> list[float | None] | None:
        """How sure the parser was that head and label are right; else what `LabelProb` in MISC says. None if that is of
        no word."""
        sure = self._origin.sure
        return self._probabilities("LabelProb") if sure is None else list(sure[self._index].label_prob)

    @property
    def tree_prob(self) -> float | None:
        """How sure the parser was that the whole tree is right. None for what was read from a file."""
        return None if self._origin.sure is None else self._origin.sure[self._index].tree_prob

    # What is not a word.

    @property
    def tokens(self) -> list[Token]:
        """Every line with columns: words, multiword ranges and empty nodes."""
        return [Token(*cells) for _, cells in self._origin.document.all_rows(self._index)]

    @property
    def ranges(self) -> list[tuple[int, int, str]]:
        """The multiword tokens: first word, last word, form."""
        return [
            (int(first), int(last), cells[_FORM])
            for kind, cells in self._rows_but_words()
            if kind == _RANGE
            for first, _, last in [cells[0].partition("-")]
        ]

    @property
    def empty_nodes(self) -> list[tuple[int, int, str]]:
        """The empty nodes: the word they follow, their number after it, form."""
        return [
            (int(word), int(minor), cells[_FORM])
            for kind, cells in self._rows_but_words()
            if kind == _EMPTY
            for word, _, minor in [cells[0].partition(".")]
        ]

    @property
    def comments(self) -> list[str]:
        """The comment lines before the first word, as they stand: `# sent_id = a-1`. Assign a list to change them."""
        lines = self._origin.document.comments(self._index).split("\n")[:-1]
        return [line.removesuffix("\r") for line in lines]

    @comments.setter
    def comments(self, lines: Iterable[str]) -> None:
        # Lines that stay keep their line end; others get that of the first line.
        old: dict[str, list[str]] = {}
        for line in self._origin.document.comments(self._index).split("\n")[:-1]:
            old.setdefault(line.removesuffix("\r"), []).append(line)
        end = "\r" if self.to_bytes().partition(b"\n")[0].endswith(b"\r") else ""
        raw = [old[line].pop(0) if old.get(line) else _comment(line, self.path) + end for line in lines]
        self._origin.document.set_comments(self._index, "".join(line + "\n" for line in raw))

    def comment(self, key: str) -> str | None:
        """The value of the first comment `# key = value`."""
        return self._origin.document.comment_value(self._index, key)

    def set_comment(self, key: str, value: str | None) -> None:
        """Gives the comment `# key = value` this value; adds it, or with None removes it."""
        lines = [line for line in self.comments if not _has_key(line, key)]
        if value is not None:
            place = next((i for i, line in enumerate(self.comments) if _has_key(line, key)), len(lines))
            lines.insert(place, f"# {key} = {value}")
        self.comments = lines

    @property
    def sent_id(self) -> str | None:
        return self.comment("sent_id")

    @sent_id.setter
    def sent_id(self, value: str | None) -> None:
        self.set_comment("sent_id", value)

    @property
    def text(self) -> str | None:
        """The comment `# text`, if there is one."""
        return self.comment("text")

    @text.setter
    def text(self, value: str | None) -> None:
        self.set_comment("text", value)

    # The whole.

    @property
    def tree(self) -> Tree:
        """Heads and labels. TreeError if they form no tree."""
        return Tree(self.heads, self.deprels, sent_id=self.sent_id)

    def to_bytes(self) -> bytes:
        """The sentence in CoNLL-U with the blank line after it."""
        return self._origin.document.write(self._index, self._index + 1, False)

    def copy(self) -> "Sentence":
        """A sentence of its own, that changes apart from this one."""
        return _from_bytes(self.to_bytes(), self.path, self.line)

    def __eq__(self, other: object) -> bool:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Sentence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Callable[[bytes, str, int], "Sentence"], tuple[bytes, str, int]]:
        return _from_bytes, (self.to_bytes(), self.path, self.line)

    def __str__(self) -> str:
        return self.to_bytes().decode().rstrip("\r\n")

    def __repr__(self) -> str:
        words = " ".join(self.forms[:8]) + (" ..." if len(self) > 8 else "")
        return f"<Sentence {self.sent_id or f'{self.path}:{self.line}'}: {words}>"

    def _probabilities(self, key: str) -> list[float | None] | None:
        cells = self._origin.document.cells(self._index, _MISC)
        begin = key + "="
        if not any(begin in cell for cell in cells):
            return None
        found: list[float | None] = []
        for word, cell in enumerate(cells, start=1):
            values = [entry for entry in cell.split("|") if entry.startswith(begin)]
            if len(values) > 1:
                raise ConlluError(self.path, self.line_of(word), f"MISC has {key} twice: {cell!r}")
            found.append(self._probability(word, values[0], len(begin)) if values else None)
        return found if any(value is not None for value in found) else None

    def _probability(self, word: int, entry: str, start: int) -> float:
        value = float(entry[start:]) if _PROBABILITY.fullmatch(entry, start) else math.nan
        if not value <= 1.0:
            raise ConlluError(self.path, self.line_of(word), f"{entry!r} in MISC is no probability from 0 to 1")
        return value

    def _rows_but_words(self) -> list[tuple[int, tuple[str, ...]]]:
        rows = self._origin.document.all_rows(self._index)
        return [] if len(rows) == len(self) else [row for row in rows if row[0] != _WORD]

    def _text(self, column: int, word: int, value: Features) -> str:
        try:
            return _cell(value, COLUMNS[column].upper(), self.path)
        except ConlluError:
            # Files hold what we would not write, an empty cell for one: it may stay.
            if value == self._origin.document.cells(self._index, column)[word]:
                return str(value)
            raise

    def _write_cell(self, column: int, word: int, text: str) -> None:
        self._origin.document.set_cell(self._index, word, column, text)

    def _deprel(self, word: int, value: str | None) -> str | None:
        text = self._text(_DEPREL, word, value)
        return None if text == "_" else text

    def _write_deprel(self, word: int, value: str | None) -> None:
        self._write_cell(_DEPREL, word, "_" if value is None else value)

    def _head(self, word: int, head: int | None) -> int | None:
        head = plain_head(head)
        if head is not None and (isinstance(head, bool) or not isinstance(head, int) or not 0 <= head <= len(self)):
            raise TreeError(f"word {word + 1} cannot have head {head!r}: heads are 0 (ROOT) to {len(self)} or None")
        return head

    def _write_head(self, word: int, head: int | None) -> None:
        self._origin.document.set_head(self._index, word, head)


def _from_bytes(data: bytes, path: str, line: int) -> Sentence:
    return Sentence.of(Origin(_core.Document.read(data, first_line=line, check_trees=False), path), 0)


def _rows(
    columns: Mapping[str, Sequence[Any] | None], words: int, ranges: Iterable[tuple[int, int, str]], path: str
) -> list[str]:
    """The lines of a sentence that is built from lists."""
    if not words:
        raise ConlluError(path, None, "a sentence needs at least one word")
    for column, values in columns.items():
        if isinstance(values, str):
            raise ConlluError(path, None, f"{column} is one text, not a list with a value for each word")
        if values is not None and len(values) != words:
            raise ConlluError(path, None, f"there are {words} words but {len(values)} values for {column}")
    before: dict[int, tuple[int, str]] = {}
    for first, last, form in ranges:
        if first in before:
            raise ConlluError(path, None, f"two multiword tokens begin at word {first}")
        before[first] = (last, form)
    lines = []
    for word in range(1, words + 1):
        if word in before:
            last, form = before.pop(word)
            lines.append("\t".join([f"{word}-{last}", _cell(form, "FORM", path), *["_"] * 8]))
        cells = [
            _cell(None if values is None else values[word - 1], column, path) for column, values in columns.items()
        ]
        lines.append("\t".join([str(word), *cells]))
    if before:
        raise ConlluError(path, None, f"a multiword token begins at word {min(before)}, which does not exist")
    return lines


def _has_key(line: str, key: str) -> bool:
    name, equals, _ = line[1:].partition("=")
    return bool(equals) and name.strip(" \t") == key  # as the engine has it


def _cell(value: Features | int, name: str, path: str) -> str:
    """The text of a cell. Features may come as a mapping, and are then sorted as CoNLL-U has them."""
    if value is None:
        return "_"
    if isinstance(value, Mapping):
        pairs = sorted(value.items(), key=lambda pair: pair[0].lower())
        value = "|".join(f"{key}={item}" for key, item in pairs) or "_"
    if name == "HEAD" and isinstance(number := plain_head(value), int) and not isinstance(number, bool):  # type: ignore[arg-type]
        return str(number)
    if not isinstance(value, str) or not value:
        raise ConlluError(path, None, f"{name} cannot be {value!r}: it must be text, or None if there is none")
    if any(c in value for c in "\t\n\r\0"):
        raise ConlluError(path, None, f"{name} cannot be {value!r}: a column holds neither TAB, line end nor NUL")
    if not _is_unicode(value):
        raise ConlluError(path, None, f"{name} cannot be {value!r}: half a surrogate pair is no character")
    return value


def _comment(line: str, path: str) -> str:
    if not line.startswith("#") or any(c in line for c in "\n\r\0"):
        raise ConlluError(path, None, f"{line!r} is no comment: it must begin with # and be one line")
    if not _is_unicode(line):
        raise ConlluError(path, None, f"{line!r} is no comment: half a surrogate pair is no character")
    return line


def _is_unicode(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= c <= "\udfff" for c in text)
