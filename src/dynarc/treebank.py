"""Treebanks: sequences of sentences that write what was read, byte for byte, but for what was changed."""

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from io import BytesIO
from typing import IO, TYPE_CHECKING, Any, Literal, overload

from dynarc import _core
from dynarc.errors import ConlluError
from dynarc.files import Target, writing
from dynarc.sentence import Origin, Sentence

if TYPE_CHECKING:
    import pandas
    import pyarrow

Format = Literal["conllu", "conllx"]

# Sentences written at a time: enough to be fast, few enough to need no memory.
_BLOCK = 8192


class Treebank(MutableSequence[Sentence]):
    """Sentences in order. Indexing, slicing and iteration give views: to change one is to change it here, in slices and
    in every treebank that shares it. `copy` gives a treebank of its own.

    Reading is safe from several threads at once; changing is not.

    >>> tb = Treebank([Sentence(["Go"], heads=[0]), Sentence(["Stop"], heads=[0])])
    >>> tb[1:][0].forms
    ['Stop']
    >>> tb.words
    2
    """

    def __init__(
        self,
        sentences: Iterable[Sentence] = (),
        *,
        path: str = "<treebank>",
        format: Format = "conllu",  # noqa: A002 - what it is
        problems: Iterable[ConlluError] = (),
    ) -> None:
        self.path = path
        self.format: Format = format
        self.problems = tuple(problems)  # of sentences left out when it was read
        # Either a stretch of one document, as read, or a list of single sentences.
        self._origin: Origin | None = None
        self._stretch = range(0)
        self._list: list[tuple[Origin, int]] = []
        for sentence in sentences:
            self._list.append(_checked(sentence).origin)

    @classmethod
    def of(cls, origin: Origin, *, format: Format = "conllu", problems: Iterable[ConlluError] = ()) -> "Treebank":  # noqa: A002
        """All sentences of a document."""
        treebank = cls(path=origin.path, format=format, problems=problems)
        treebank._origin = origin
        treebank._stretch = range(origin.document.sentences)
        return treebank

    @classmethod
    def joined(cls, treebanks: Sequence["Treebank"]) -> "Treebank":
        """All sentences of some treebanks, in order; of one, that one."""
        whole = treebanks[0] if treebanks else cls()
        for more in treebanks[1:]:
            whole = whole + more
        return whole

    def __len__(self) -> int:
        return len(self._list) if self._origin is None else len(self._stretch)

    @overload
    def __getitem__(self, index: int) -> Sentence: ...
    @overload
    def __getitem__(self, index: slice) -> "Treebank": ...
    def __getitem__(self, index: int | slice) -> "Sentence | Treebank":
        if isinstance(index, slice):
            part = Treebank(path=self.path, format=self.format)
            part._origin, part._stretch, part._list = self._origin, self._stretch[index], self._list[index]
            return part
        if self._origin is None:
            return Sentence.of(*self._list[index])
        return Sentence.of(self._origin, self._stretch[index])

    def __iter__(self) -> Iterator[Sentence]:
        for origin, index in self._references():
            yield Sentence.of(origin, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        references = self._as_list()
        if isinstance(index, slice):
            references[index] = [_checked(sentence).origin for sentence in value]
        else:
            references[index] = _checked(value).origin

    def __delitem__(self, index: int | slice) -> None:
        del self._as_list()[index]

    def insert(self, index: int, value: Sentence) -> None:
        self._as_list().insert(index, _checked(value).origin)

    def __add__(self, other: "Treebank") -> "Treebank":
        if not isinstance(other, Treebank):
            return NotImplemented
        both = Treebank(path=self.path, format=self.format)
        both._list = [*self._references(), *other._references()]
        return both

    def __eq__(self, other: object) -> bool:
        """The same sentences, to the byte."""
        if not isinstance(other, Treebank):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Treebank {self.path}: {len(self):,} sentences, {self.words:,} words>"

    def __reduce__(self) -> Any:
        return _from_bytes, (self.to_bytes(), self.path, self.format, self.problems)

    @property
    def words(self) -> int:
        """How many words it has; multiword ranges and empty nodes are none."""
        if self._origin is not None and len(self) == self._origin.document.sentences:
            return self._origin.document.words
        return sum(map(len, self))

    def copy(self) -> "Treebank":
        """A treebank that changes apart from this one."""
        copies: dict[int, Origin] = {}
        own = Treebank(path=self.path, format=self.format, problems=self.problems)
        for origin, index in self._references():
            if id(origin) not in copies:
                copies[id(origin)] = Origin(origin.document.copy(), origin.path)
            own._list.append((copies[id(origin)], index))
        if self._origin is not None:
            own._origin = next(iter(copies.values()), Origin(self._origin.document.copy(), self._origin.path))
            own._stretch, own._list = self._stretch, []
        return own

    def document(self) -> _core.Document:
        """All sentences in one document of the engine."""
        if self._is_whole():
            assert self._origin is not None
            return self._origin.document
        return _core.Document.read(self.to_bytes(), check_trees=False)

    def write(self, target: Target) -> None:
        """Writes to a path (.gz, .xz and .zst are packed), `-` for standard output, or a binary file.

        A file appears under its name only when all is written.
        """
        with writing(target) as out:
            self._write(out)

    def to_bytes(self) -> bytes:
        """What `write` writes."""
        out = BytesIO()
        self._write(out)
        return out.getvalue()

    def to_arrow(self, *, by: Literal["sentence", "token"] = "sentence") -> "pyarrow.Table":
        """An Arrow table: a row per sentence, with lists, or a row per line. Needs pyarrow."""
        from dynarc.tables import to_arrow

        return to_arrow(self, by=by)

    def to_pandas(self, *, by: Literal["sentence", "token"] = "token") -> "pandas.DataFrame":
        """A data frame: a row per line (words, multiword ranges, empty nodes) or per sentence. Needs pandas."""
        from dynarc.tables import to_pandas

        return to_pandas(self, by=by)

    def _write(self, out: IO[bytes]) -> None:
        whole = self._is_whole()
        if whole and self._origin is not None and self._origin.data is not None and not self._origin.document.changed:
            out.write(self._origin.data)
            return
        if whole and self._origin is not None and not len(self):
            out.write(self._origin.document.write(0, 0, True))
        for origin, first, last in self._runs():
            for start in range(first, last, _BLOCK):
                out.write(origin.document.write(start, min(start + _BLOCK, last), whole))

    def _is_whole(self) -> bool:
        """It is a document as it was read, nothing left out, nothing moved."""
        return (
            self._origin is not None
            and self._stretch == range(self._origin.document.sentences)
            and self._origin.document.whole
        )

    def _references(self) -> Iterator[tuple[Origin, int]]:
        if self._origin is None:
            return iter(self._list)
        origin = self._origin
        return ((origin, index) for index in self._stretch)

    def _as_list(self) -> list[tuple[Origin, int]]:
        if self._origin is not None:
            self._list = list(self._references())
            self._origin = None
        return self._list

    def _runs(self) -> Iterator[tuple[Origin, int, int]]:
        """Stretches of neighbours in one document."""
        if self._origin is not None and self._stretch.step == 1:
            yield self._origin, self._stretch.start, self._stretch.stop
            return
        run: tuple[Origin, int, int] | None = None
        for origin, index in self._references():
            if run is not None and run[0] is origin and run[2] == index:
                run = (origin, run[1], index + 1)
                continue
            if run is not None:
                yield run
            run = (origin, index, index + 1)
        if run is not None:
            yield run


def _checked(sentence: object) -> Sentence:
    if not isinstance(sentence, Sentence):
        raise TypeError(f"a treebank holds sentences, not {type(sentence).__name__}")
    return sentence


def _from_bytes(data: bytes, path: str, format: Format, problems: tuple[ConlluError, ...]) -> Treebank:  # noqa: A002
    return Treebank.of(Origin(_core.Document.read(data, check_trees=False), path), format=format, problems=problems)
