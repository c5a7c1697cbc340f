"""What is drawn: the words of a sentence, their arcs, and what is known about each arc."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from dynarc.errors import TreeError


class Drawable(Protocol):
    """A sentence as the readers give it. Should it have `ranges` and `empty_nodes`, these are drawn as well."""

    @property
    def forms(self) -> Sequence[str]: ...
    @property
    def upos(self) -> Sequence[str]: ...
    @property
    def heads(self) -> Sequence[int | None]: ...
    @property
    def deprels(self) -> Sequence[str | None]: ...
    @property
    def sent_id(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Mark:
    """What is wrong with the arc of a word, and the arc that gold has for it."""

    wrong: Literal["head", "label"]
    head: int
    label: str | None


@dataclass(frozen=True, slots=True)
class Drawing:
    """A sentence to be drawn. Heads are those of words 1, 2, ...: 0 is ROOT, None is unknown.

    The arcs need not be a tree: cycles, several roots and words without a head are drawn as they are.

    `ranges` are multiword tokens (first word, last word, form), `empty` the empty nodes (the word before, the
    number after the dot, form). `prob` is how sure a parser was of each arc, from 0 to 1; `doubtful` are the words
    whose arcs are to stand out, because someone should look at them.

    >>> Drawing(("She", "likes", "tea"), (2, 0, 2), ("nsubj", "root", "obj")).arc(3)
    'likes -obj-> tea'
    """

    forms: tuple[str, ...]
    heads: tuple[int | None, ...]
    deprels: tuple[str | None, ...]
    tags: tuple[str, ...] | None = None
    ranges: tuple[tuple[int, int, str], ...] = ()
    empty: tuple[tuple[int, int, str], ...] = ()
    title: str | None = None
    marks: tuple[Mark | None, ...] | None = None
    prob: tuple[float | None, ...] | None = None
    doubtful: frozenset[int] = frozenset()

    def __post_init__(self) -> None:
        words = len(self.forms)
        columns = {"heads": self.heads, "labels": self.deprels, "tags": self.tags}
        for name, values in {**columns, "marks": self.marks, "probabilities": self.prob}.items():
            if values is not None and len(values) != words:
                raise TreeError(f"cannot draw {words} words with {len(values)} {name}")
        golds = [mark.head for mark in self.marks or () if mark]
        for head in [*(head for head in self.heads if head is not None), *golds]:
            if not 0 <= head <= words:
                raise TreeError(f"cannot draw an arc from word {head}: there are {words} words")
        for first, last, form in self.ranges:
            if not 1 <= first <= last <= words:
                raise TreeError(f"cannot draw the token {first}-{last} {form!r}: there are {words} words")
        for before, minor, form in self.empty:
            if not 0 <= before <= words:
                raise TreeError(f"cannot draw the node {before}.{minor} {form!r}: there are {words} words")

    @classmethod
    def of(cls, sentence: Drawable, gold: Drawable | None = None, *, title: str | None = None) -> "Drawing":
        """A sentence that has been read, each arc compared with that of `gold` if there is one."""
        # Readers that keep words only have no such attributes.
        ranges: Iterable[tuple[int, int, str]] = getattr(sentence, "ranges", ())
        empty: Iterable[tuple[int, int, str]] = getattr(sentence, "empty_nodes", ())
        return cls(
            forms=tuple(sentence.forms),
            heads=tuple(sentence.heads),
            deprels=tuple(sentence.deprels),
            tags=tuple(sentence.upos) or None,
            ranges=tuple(ranges),
            empty=tuple(empty),
            title=sentence.sent_id if title is None else title,
            marks=None if gold is None else compare(sentence, gold),
        )

    def __len__(self) -> int:
        return len(self.forms)

    def mark(self, word: int) -> Mark | None:
        return None if self.marks is None else self.marks[word - 1]

    def probability(self, word: int) -> float | None:
        return None if self.prob is None else self.prob[word - 1]

    def name(self, node: int) -> str:
        """The form of a word; of 0, ROOT."""
        return self.forms[node - 1] if node else "ROOT"

    def arc(self, word: int) -> str:
        """The arc of a word in words."""
        head, label = self.heads[word - 1], self.deprels[word - 1]
        if head is None:
            return f"{self.name(word)} without a head"
        return f"{self.name(head)} -{label or ''}-> {self.name(word)}"

    def mapped(self, change: Callable[[str], str]) -> "Drawing":
        """With every text changed: made harmless, or fit for an encoding."""

        def mark(mark: Mark | None) -> Mark | None:
            return mark if mark is None or mark.label is None else replace(mark, label=change(mark.label))

        return replace(
            self,
            forms=tuple(map(change, self.forms)),
            deprels=tuple(label if label is None else change(label) for label in self.deprels),
            tags=None if self.tags is None else tuple(map(change, self.tags)),
            ranges=tuple((first, last, change(form)) for first, last, form in self.ranges),
            empty=tuple((before, minor, change(form)) for before, minor, form in self.empty),
            title=None if self.title is None else change(self.title),
            marks=None if self.marks is None else tuple(map(mark, self.marks)),
        )


def compare(sentence: Drawable, gold: Drawable) -> tuple[Mark | None, ...]:
    """What is wrong with each arc. Where gold has no head or no label, nothing can be."""
    if len(sentence.forms) != len(gold.forms):
        raise TreeError(f"the sentence has {len(sentence.forms)} words, but gold has {len(gold.forms)}")
    marks: list[Mark | None] = []
    for head, label, right, name in zip(sentence.heads, sentence.deprels, gold.heads, gold.deprels, strict=True):
        if right is None or (head == right and (name is None or name == label)):
            marks.append(None)
        else:
            marks.append(Mark("head" if head != right else "label", right, name))
    return tuple(marks)
