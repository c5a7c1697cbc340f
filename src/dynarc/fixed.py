"""Parsing with some heads and labels given: what a parse must contain, and why it cannot where it cannot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from dynarc import _core
from dynarc.errors import ConfigError, OracleError, TreeError
from dynarc.sentence import Origin, Sentence
from dynarc.systems import System
from dynarc.tree import UNKNOWN, plain_head
from dynarc.treebank import Treebank

if TYPE_CHECKING:
    from dynarc.parser import Parser

# The head and the label of a word, None for what the parser is to choose.
FixedArc = tuple[int | None, str | None]
FixedWords = Mapping[int, FixedArc]

_ANY = -1  # any label will do


@dataclass(frozen=True, slots=True)
class Given:
    """What is fixed in one sentence, word by word."""

    where: str  # the sentence, as errors name it
    heads: list[int | None]
    labels: list[str | None]

    @property
    def arcs(self) -> dict[int, int]:
        """The fixed heads, by word."""
        return {word: head for word, head in enumerate(self.heads, start=1) if head is not None}

    def __bool__(self) -> bool:
        return any(value is not None for value in (*self.heads, *self.labels))


def parse_fixed(
    parser: "Parser",
    treebank: Treebank,
    fixed: FixedWords | Sequence[FixedWords | None] | None,
    *,
    keep_heads: bool,
    threads: int,
) -> Treebank:
    """The treebank with the parser's trees, each of which has the arcs and labels that are fixed for its sentence.

    Raises TreeError, naming the sentence and the words, where no tree of the parser's system has them all.
    """
    given = [
        _with_roots(parser, _check_roots(parser, _given(sentence, number, words or {}, keep_heads)))
        for number, (sentence, words) in enumerate(zip(treebank, _each(treebank, fixed), strict=True), start=1)
    ]
    labels = _LabelSets(parser)
    wanted = [_wanted(one, labels) for one in given]
    document = treebank.document()
    found = _core.parse_fixed(parser.model, document, wanted, labels.sets, threads)
    trees = []
    for one, (outcome, heads, numbers) in zip(given, found, strict=True):
        if outcome != "done":
            raise TreeError(_failure(parser, one, outcome))
        trees.append(_checked(parser, one, *parser.finished(heads, numbers)))
    parsed = document.copy()
    texts = sorted({label for _, names in trees for label in names if label is not None})
    place: dict[str | None, int] = {None: UNKNOWN, **{text: number for number, text in enumerate(texts)}}
    for number, (heads, names) in enumerate(trees):
        parsed.set_tree(number, heads, [place[name] for name in names], texts)
    return Treebank.of(Origin(parsed, treebank.path), format=treebank.format)


def _each(treebank: Treebank, fixed: FixedWords | Sequence[FixedWords | None] | None) -> Sequence[FixedWords | None]:
    """What is fixed, for each sentence."""
    if fixed is None:
        return [None] * len(treebank)
    if isinstance(fixed, Mapping):
        if len(treebank) != 1:
            raise ConfigError(
                f"fixed arcs of one sentence were given for {len(treebank)}: give a list, one mapping or None for each",
                "fixed",
            )
        return [fixed]
    if not isinstance(fixed, list | tuple):
        raise ConfigError(
            f"fixed={fixed!r} is neither a mapping from words to (head, label) nor a list of such", "fixed"
        )
    if len(fixed) != len(treebank):
        raise ConfigError(f"there are {len(treebank)} sentences, but fixed arcs for {len(fixed)}", "fixed")
    return fixed


def _given(sentence: Sentence, number: int, fixed: FixedWords, keep_heads: bool) -> Given:
    size = len(sentence)
    where = _where(sentence, number)
    heads: list[int | None] = list(sentence.heads) if keep_heads else [None] * size
    labels: list[str | None] = list(sentence.deprels) if keep_heads else [None] * size
    if not isinstance(fixed, Mapping):
        raise ConfigError(f"{where}: fixed arcs are a mapping from words to (head, label), not {fixed!r}", "fixed")
    for word, arc in fixed.items():
        if not isinstance(word, int) or not 1 <= word <= size:
            raise TreeError(f"{where}: {word!r} is no word of it: words are 1 to {size}")
        if not isinstance(arc, tuple) or len(arc) != 2:
            raise ConfigError(f"{where}: word {word} is fixed to {arc!r}, which is no (head, label)", "fixed")
        head, label = plain_head(arc[0]), arc[1]
        if head is not None and (not isinstance(head, int) or isinstance(head, bool) or not 0 <= head <= size):
            raise TreeError(f"{where}: word {word} has head {head!r}, but heads are 0 (ROOT) to {size}, or None")
        if label is not None and (not isinstance(label, str) or not label):
            raise TreeError(f"{where}: word {word} has label {label!r}, but labels are texts, or None")
        heads[word - 1], labels[word - 1] = head, label
    given = Given(where, heads, labels)
    if circle := _cycle(given.arcs):
        raise TreeError(f"{where}: the fixed arcs {_listed(circle)} form a cycle")
    return given


def _check_roots(parser: "Parser", given: Given) -> Given:
    """Where several roots are mended, the system would allow them."""
    roots = [(0, word) for word, head in given.arcs.items() if head == 0]
    if parser.labels.roots and len(roots) > 1:
        raise TreeError(f"{given.where}: {_two_roots(roots[:2])}")
    return given


def _two_roots(arcs: Sequence[tuple[int, int]]) -> str:
    return f"the fixed arcs {_listed(arcs)} make two roots, but the parser was trained to give one"


def _with_roots(parser: "Parser", given: Given) -> Given:
    """Words with a label that only roots have become roots, as far as they can: the label says so."""
    labels = parser.labels
    of_words = {name for name, _ in labels.names[: labels.words]}
    of_root = {name for name, _ in labels.names[labels.first_root :]} - of_words
    heads = list(given.heads)
    for place, label in enumerate(given.labels):
        if heads[place] is None and label in of_root and not (labels.roots and 0 in heads):
            heads[place] = 0
            if not _possible(parser.config.transition_system(single_root=parser.single_root), heads):
                heads[place] = None
    return replace(given, heads=heads)


def _where(sentence: Sentence, number: int) -> str:
    name = f"sentence {number if sentence.sent_id is None else sentence.sent_id}"
    return name if sentence.path.startswith("<") else f"{sentence.path}:{sentence.line}: {name}"


def _cycle(arcs: Mapping[int, int]) -> list[tuple[int, int]]:
    """The arcs (head, word) of a cycle, if there is one."""
    safe = {0}
    for start in arcs:
        way: dict[int, None] = {}
        at = start
        while at in arcs and at not in safe and at not in way:
            way[at] = None
            at = arcs[at]
        if at in way:
            circle = list(way)
            return [(arcs[word], word) for word in circle[circle.index(at) :]]
        safe.update(way)
    return []


class _LabelSets:
    """The labels that words may choose from, as the engine takes them: each set once."""

    def __init__(self, parser: "Parser") -> None:
        self.sets: list[list[int]] = []
        self._labels = parser.labels
        self._numbers: dict[tuple[str | None, bool], int] = {}

    def number(self, where: str, word: int, label: str | None, attached: bool) -> int:
        """The set for a word with that label. If its head is fixed, without labels of lifted arcs: those move."""
        if not self._labels.names or (label is None and not (attached and self._labels.marked)):
            return _ANY
        key = (label, attached)
        if key not in self._numbers:
            chosen = [
                number
                for number, (name, mark) in enumerate(self._labels.names)
                if label in (None, name) and not (attached and mark.lifted)
            ]
            if not chosen:
                raise TreeError(f"{where}: word {word} has label {label!r}, which {self._unknown(label)}")
            self._numbers[key] = len(self.sets)
            self.sets.append(chosen)
        return self._numbers[key]

    def _unknown(self, label: str | None) -> str:
        known = sorted(set(self._labels.texts))
        if label is None or label in known:
            return "the parser knows on lifted arcs only: leave its head open"
        near = get_close_matches(label, known, n=3, cutoff=0.5)
        return "the parser does not know; " + (
            f"near to it are {', '.join(near)}" if near else f"it knows {', '.join(known)}"
        )


def _wanted(given: Given, labels: _LabelSets) -> tuple[list[int], list[int]]:
    if not given:
        return [], []
    return [UNKNOWN if head is None else head for head in given.heads], [
        labels.number(given.where, word, label, head is not None)
        for word, (head, label) in enumerate(zip(given.heads, given.labels, strict=True), start=1)
    ]


def _checked(
    parser: "Parser", given: Given, heads: list[int], labels: list[str | None]
) -> tuple[list[int], list[str | None]]:
    """The tree, which must have what was fixed. Labels that an unlabelled parser was given are kept, too."""
    missed = [(head, word) for word, head in given.arcs.items() if heads[word - 1] != head]
    if missed:
        raise TreeError(_missed(parser, given, missed))
    return heads, [label if fixed is None else fixed for label, fixed in zip(labels, given.labels, strict=True)]


def _missed(parser: "Parser", given: Given, missed: Sequence[tuple[int, int]]) -> str:
    what = f"the fixed {'arc' if len(missed) == 1 else 'arcs'} {_listed(missed)} could not be built"
    return (
        f"{given.where}: {what}: costs in {parser.config.system} are not exact; fix fewer arcs, or use another system"
    )


def _failure(parser: "Parser", given: Given, outcome: str) -> str:
    system = parser.config.system
    if outcome == "missed":
        return _missed(parser, given, [(head, word) for word, head in given.arcs.items()])
    if outcome != "impossible":
        return f"{given.where}: it is too long for fixed arcs in {system}; arc-eager and arc-hybrid have no such limit"
    ts = parser.config.transition_system(single_root=parser.single_root)
    arcs = _conflict(ts, given)
    return f"{given.where}: {_why(ts, arcs)}"


def _conflict(ts: System, given: Given) -> list[tuple[int, int]]:
    """Fixed arcs (head, word) that cannot stand together, while any of them can be left out."""
    arcs = given.arcs
    for word in given.arcs:
        fewer = {other: head for other, head in arcs.items() if other != word}
        if not _possible(ts, [fewer.get(other) for other in range(1, len(given.heads) + 1)]):
            arcs = fewer
    return [(head, word) for word, head in arcs.items()]


def _possible(ts: System, heads: Sequence[int | None]) -> bool:
    """Some tree that the system derives has all these heads, as far as that can be found out."""
    try:
        return _core.can_contain(*ts.core_options, [UNKNOWN if head is None else head for head in heads])
    except OracleError:
        return False


def _why(ts: System, arcs: Sequence[tuple[int, int]]) -> str:
    named = f"the fixed arcs {_listed(arcs)}"
    if len(arcs) == 2:
        if ts.single_root and all(head == 0 for head, _ in arcs):
            return _two_roots(arcs)
        (first, last), (other_first, other_last) = sorted((min(arc), max(arc)) for arc in arcs)
        if ts.projective and first < other_first < last < other_last:
            return f"{named} cross, and {ts.name} derives projective trees only"
    if len(arcs) == 1:
        return f"no tree that {ts.describe()} derives has the fixed arc {_listed(arcs)}"
    return f"{named} cannot stand together: no tree that {ts.describe()} derives has them all"


def _listed(arcs: Iterable[tuple[int, int]]) -> str:
    texts = [f"{head}->{word}" for head, word in arcs]
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
