"""What differs between two treebanks: two parsers' outputs, or two versions of an annotation.

Sentences are matched by position, if both sides have the same words in the same order; else by sent_id, if every
sentence on both sides has one of its own; else by position all the same. Lines are matched by their ID, so that
multiword tokens and empty nodes are compared too. Counts and numbers of sentences are kept; `changes` looks again.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from dynarc.conllu import treebank_of
from dynarc.errors import ConfigError
from dynarc.files import Source
from dynarc.sentence import COLUMNS as FILE_COLUMNS
from dynarc.sentence import Sentence
from dynarc.treebank import Treebank

# As a file has them, but for ID; comments stand for the lines above the words.
COLUMNS = (*FILE_COLUMNS[1:], "comments")
ARC = "arc"  # HEAD and DEPREL together, as far as they are compared
NOTHING = "_"

Matched = Literal["position", "sent_id"]


class Change(NamedTuple):
    """One cell, comment or line that is not the same. What only one side has is None on the other.

    `id` is that of the line: a word (3), a multiword token (3-4), an empty node (8.1); of comments it is "#".
    """

    id: str
    form: str
    column: str
    first: str | None
    second: str | None


@dataclass(slots=True)
class Verdict:
    """Of the words that the two sides have differently: on which side gold agrees."""

    only_first: int = 0
    only_second: int = 0
    neither: int = 0

    @property
    def all(self) -> int:
        return self.only_first + self.only_second + self.neither

    def add(self, first: bool, second: bool) -> None:
        self.only_first += first
        self.only_second += second
        self.neither += not first and not second


@dataclass(slots=True)
class Difference:
    """The result of `difference`. Numbers of sentences count from 0, as `first[n]` and `second[n]` do."""

    first: Treebank
    second: Treebank
    columns: tuple[str, ...]
    gold: Treebank | None
    matched: Matched = "position"
    sentences: int = 0  # compared
    words: int = 0  # in these
    words_changed: int = 0
    cells: Counter[str] = field(default_factory=Counter)  # by column; comments by line
    by_column: Counter[str] = field(default_factory=Counter)  # sentences
    lines: int = 0  # multiword tokens and empty nodes that only one side has
    only_first: "array[int]" = field(default_factory=lambda: array("I"))
    only_second: "array[int]" = field(default_factory=lambda: array("I"))
    judged: int = 0  # sentences that gold has too
    verdicts: dict[str, Verdict] = field(default_factory=dict)  # by column, and of arcs
    labels: dict[str, Verdict] = field(default_factory=dict)  # of arcs, by gold label
    _changed: "array[int]" = field(default_factory=lambda: array("I"))  # pairs, one after the other
    _other_words: "array[int]" = field(default_factory=lambda: array("I"))
    _gold_of: "array[int]" = field(default_factory=lambda: array("l"))  # for each sentence of `first`; -1 is none

    @property
    def changed(self) -> list[tuple[int, int]]:
        """The numbers of the sentences that differ, on both sides."""
        return _pairs(self._changed)

    @property
    def other_words(self) -> list[tuple[int, int]]:
        """The numbers of sentences that have another number of words, and were not compared."""
        return _pairs(self._other_words)

    @property
    def same(self) -> bool:
        return not (self._changed or self._other_words or self.only_first or self.only_second)

    def changes(self, pair: tuple[int, int]) -> list[Change]:
        """What is not the same in two sentences."""
        return _changes(self.first[pair[0]], self.second[pair[1]], self.columns)

    def gold_sentence(self, number: int) -> Sentence | None:
        """What gold has for a sentence of the first side, if it has the same words."""
        if self.gold is None or self._gold_of[number] < 0:
            return None
        return self.gold[self._gold_of[number]]


def difference(
    first: Treebank | Source,
    second: Treebank | Source,
    *,
    columns: Iterable[str] = COLUMNS,
    gold: Treebank | Source | None = None,
) -> Difference:
    """Compares two treebanks, column by column; with `gold`, says which of the two has it as gold does.

    >>> a = b"1\\tI\\t_\\tPRON\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsleep\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n"
    >>> found = difference(a, a.replace(b"nsubj", b"obj"))
    >>> found.cells
    Counter({'deprel': 1})
    >>> found.changes(found.changed[0])
    [Change(id='1', form='I', column='deprel', first='nsubj', second='obj')]
    """
    wanted = dict.fromkeys(columns)
    for name in wanted:
        if name not in COLUMNS:
            raise ConfigError(f"there is no column {name!r}", "columns", COLUMNS)
    if not wanted:
        raise ConfigError("no column to compare", "columns", COLUMNS)
    found = Difference(
        treebank_of(first, "first"),
        treebank_of(second, "second"),
        tuple(name for name in COLUMNS if name in wanted),
        None if gold is None else treebank_of(gold, "gold"),
    )
    match = _match(found.first, found.second)
    found.matched = match.by
    found.only_first.extend(match.only_first)
    found.only_second.extend(match.only_second)
    if found.gold is not None:
        found._gold_of.extend([-1] * len(found.first))
        for a, b in _match(found.first, found.gold).pairs:
            if list(found.first[a].forms) == list(found.gold[b].forms):
                found._gold_of[a] = b
    for a, b in match.pairs:
        _compare(found, a, b)
    return found


def _pairs(flat: "array[int]") -> list[tuple[int, int]]:
    return list(zip(flat[::2], flat[1::2], strict=True))


class _Match(NamedTuple):
    """Which sentence goes with which, and those that go with none."""

    by: Matched
    pairs: Iterable[tuple[int, int]]
    only_first: Iterable[int]
    only_second: Iterable[int]


def _match(a: Treebank, b: Treebank) -> _Match:
    if len(a) != len(b) or any(list(x.forms) != list(y.forms) for x, y in zip(a, b, strict=True)):
        ids, others = _ids(a), _ids(b)
        if ids is not None and others is not None:
            pairs = [(n, others[name]) for name, n in ids.items() if name in others]
            only_a = [n for name, n in ids.items() if name not in others]
            return _Match("sent_id", pairs, only_a, [n for name, n in others.items() if name not in ids])
    common = min(len(a), len(b))
    return _Match("position", ((n, n) for n in range(common)), range(common, len(a)), range(common, len(b)))


def _ids(treebank: Treebank) -> dict[str, int] | None:
    """The number of each sent_id; None unless every sentence has one of its own."""
    ids: dict[str, int] = {}
    for number, sentence in enumerate(treebank):
        name = sentence.sent_id
        if name is None or name in ids:
            return None
        ids[name] = number
    return ids


def _compare(found: Difference, a: int, b: int) -> None:
    first, second = found.first[a], found.second[b]
    if len(first) != len(second):
        found._other_words.extend((a, b))
        return
    found.sentences += 1
    found.words += len(first)
    gold = found.gold_sentence(a)
    if gold is not None:
        found.judged += 1
    changes = _changes(first, second, found.columns)
    if not changes:
        return
    found._changed.extend((a, b))
    found.words_changed += len({change.id for change in changes if change.id.isdigit()})
    cells = [change for change in changes if change.column in found.columns]
    found.lines += len(changes) - len(cells)
    found.cells.update(change.column for change in cells)
    found.by_column.update({change.column for change in cells})
    if gold is not None:
        _judge(found, changes, first, second, gold)


def _changes(first: Sentence, second: Sentence, columns: Sequence[str]) -> list[Change]:
    out: list[Change] = []
    if "comments" in columns:
        out += _comment_changes(first.comments, second.comments)
    rows = first.tokens, second.tokens
    if rows[0] == rows[1]:
        return out
    others = {token.id: token for token in rows[1]}
    places = [(name, FILE_COLUMNS.index(name)) for name in columns if name != "comments"]
    for token in rows[0]:
        other = others.pop(token.id, None)
        if other is None:
            out.append(Change(token.id, token.form, "line", token.form, None))
            continue
        if token != other:
            changed = [(name, token[i], other[i]) for name, i in places if token[i] != other[i]]
            out += [Change(token.id, token.form, name, x, y) for name, x, y in changed]
    return out + [Change(token.id, token.form, "line", None, token.form) for token in others.values()]


def _comment_changes(first: Sequence[str], second: Sequence[str]) -> list[Change]:
    """Comments with the same key are one that was changed; others are gone or new. Their order does not matter."""
    gone, new = Counter(first), Counter(second)
    left, added = list((gone - new).elements()), list((new - gone).elements())
    out = []
    for line in left:
        key = _key(line)
        match = None if key is None else next((other for other in added if _key(other) == key), None)
        if match is not None:
            added.remove(match)
        out.append(Change("#", key or "", "comments", line, match))
    return out + [Change("#", _key(line) or "", "comments", None, line) for line in added]


def _key(comment: str) -> str | None:
    key, equals, _ = comment[1:].partition("=")
    return key.strip() if equals else None


def _judge(found: Difference, changes: Sequence[Change], first: Sentence, second: Sentence, gold: Sentence) -> None:
    rows = [{token.id: token for token in side.tokens if token.is_word} for side in (first, second, gold)]
    parts = [FILE_COLUMNS.index(name) for name in ("head", "deprel") if name in found.columns]
    arcs: dict[str, None] = {}
    for change in changes:
        if change.id not in rows[2] or change.column not in FILE_COLUMNS:
            continue
        if change.column in ("head", "deprel"):
            arcs[change.id] = None
        right = rows[2][change.id][FILE_COLUMNS.index(change.column)]
        if change.column == "head" and right == NOTHING:
            continue  # nobody knows
        found.verdicts.setdefault(change.column, Verdict()).add(change.first == right, change.second == right)
    for word in arcs:
        a, b, right_arc = ([row[word][part] for part in parts] for row in rows)
        if rows[2][word].head == NOTHING:
            continue
        for verdict in (
            found.verdicts.setdefault(ARC, Verdict()),
            found.labels.setdefault(rows[2][word].deprel, Verdict()),
        ):
            verdict.add(a == right_arc, b == right_arc)
