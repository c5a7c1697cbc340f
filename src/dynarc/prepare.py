"""From treebanks to what a parser learns from: trees that the system can derive, with numbers for their labels."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from dynarc import _core
from dynarc.audit import cycles
from dynarc.config import TrainConfig
from dynarc.errors import TreeError
from dynarc.oracles import FRACTION_UNIT, Prices
from dynarc.parser import PLAIN, Labels, Parser
from dynarc.projective import Encoding, LiftedTree, Mark, projectivize
from dynarc.systems import System
from dynarc.transition import MOVE_NUMBER
from dynarc.tree import UNKNOWN, Tree
from dynarc.treebank import Treebank

# Below this share of sentences, non-projective ones are not worth the classes that lifting them makes (FEATURES 6).
_WORTH_LIFTING = 0.01

PreparedTree = tuple[int, list[int], list[int]]  # sentence, heads, labels
# On which side of a word its head is; "far" is what only moves over a word in between can build.
Side = Literal["left", "right", "root", "far left", "far right"]


_Marked = tuple[int, tuple[int | None, ...], list[tuple[str | None, Mark]]]  # sentence, heads, labels with marks


@dataclass(slots=True)
class Prepared:
    """Sentences made ready: trees with the labels that are learned, and what was done to them."""

    document: _core.Document
    ts: System
    single_root: bool
    encoding: Encoding | None
    labels: Labels
    trees: list[PreparedTree]
    sides: Counter[tuple[Side, int]]  # of arcs, by their label
    prices: list[tuple[list[int], list[int]]]  # of heads and labels of every tree; none if all are 1
    price_unit: int
    counts: Counter[str] = field(default_factory=Counter)
    first: dict[str, str] = field(default_factory=dict)  # where the first sentence is that each count is about

    def remarks(self) -> list[str]:
        """What was done to sentences that could not be learned from as they are."""
        return [
            f"{number:,} {'sentence' if number == 1 else 'sentences'} {what} (the first: {self.first[what]})"
            for what, number in self.counts.items()
            if number and what in self.first
        ]


def prepare(treebank: Treebank, config: TrainConfig, start: Parser | None = None) -> Prepared:
    """The trees to learn from, and how many sentences were dropped, lifted or partial. `start` is the parser that is to
    learn on: its labels are kept, and features know them by the same numbers."""
    tally = _Tally(treebank)
    usable: list[tuple[int, Tree]] = []
    for number, sentence in enumerate(treebank):
        heads = sentence.heads
        if "" in sentence.forms:  # no word by CoNLL-U's rules, yet one with a head: better said than refused
            tally.add("with a word without FORM, kept", number)
        if cycles(heads):
            tally.add("cyclic, dropped", number)
        elif None in heads and config.oracle == "static":
            tally.add("partial, dropped: the static oracle needs whole trees", number)
        else:
            if None in heads:
                tally.add("partial", number)
            usable.append((number, Tree(heads, sentence.deprels, sent_id=sentence.sent_id)))
    if not usable:
        raise TreeError(f"{treebank.path}: none of its {len(treebank)} sentences has a tree to learn from")
    single, mended = config.single_root is True, config.single_root == "mend"
    if start is not None:
        single, mended = start.single_root, bool(start.labels.roots)
    elif config.single_root == "auto" and all(len(tree.roots) == 1 for _, tree in usable):
        # To have the last word settle it costs arc-eager more right arcs than to mend its trees afterwards.
        single, mended = config.system != "arc-eager", config.system == "arc-eager"
    ts = config.transition_system(single_root=single)
    kept, encoding = _derivable(usable, ts, config, tally)
    if not kept:
        raise TreeError(f"{treebank.path}: no sentence is left to learn from: {dict(tally.counts)}")
    labels, numbered = _numbered(kept, config, None if start is None else start.labels)
    sides = _sides(numbered, ts)
    if start is None:
        labels = replace(labels, rest=rest_labels(sides, ts, config, len(labels.names)))
    else:
        labels = _continued(labels, start.labels, ts)
    if mended:
        labels = replace(labels, roots=_roots(treebank, numbered, config, labels.other))
    prices, unit = _prices(kept, config)
    return Prepared(
        treebank.document(), ts, single, encoding, labels, numbered, sides, prices, unit, tally.counts, tally.first
    )


class _Tally:
    """How many sentences there are of each kind, and where the first is."""

    def __init__(self, treebank: Treebank) -> None:
        self.treebank = treebank
        self.counts: Counter[str] = Counter(sentences=len(treebank))
        self.first: dict[str, str] = {}

    def add(self, what: str, number: int) -> None:
        self.counts[what] += 1
        if what not in self.first:
            sentence = self.treebank[number]
            self.first[what] = f"{sentence.path}:{sentence.line}"


def _roots(
    treebank: Treebank, trees: list[PreparedTree], config: TrainConfig, other: int
) -> tuple[tuple[str, float, int], ...]:
    """For every tag the share of its words that are roots, and the commonest label of those that depend on the root."""
    words: Counter[str] = Counter()
    roots: Counter[str] = Counter()
    labels: dict[str, Counter[int]] = {}
    for number, heads, of_words in trees:
        sentence = treebank[number]
        tags = sentence.upos if config.tag == "upos" else sentence.xpos
        words.update(tags)
        for tag, head, label in zip(tags, heads, of_words, strict=True):
            roots[tag] += head == 0
            if head > 0 and heads[head - 1] == 0 and label != UNKNOWN:
                labels.setdefault(tag, Counter())[label] += 1
    return tuple(
        (tag, roots[tag] / words[tag], labels[tag].most_common(1)[0][0] if tag in labels else other)
        for tag in sorted(words)
    )


def _sides(trees: list[PreparedTree], ts: System) -> Counter[tuple[Side, int]]:
    """How often each label is on each side."""
    counts: Counter[tuple[Side, int]] = Counter()
    for _, heads, labels in trees:
        far = set()
        if "LEFT2" in ts.moves:
            far = {dependent for _, dependent in _core.nonprojective_arcs(heads)}
        for word, (head, label) in enumerate(zip(heads, labels, strict=True), start=1):
            if head == UNKNOWN or label == UNKNOWN:
                continue
            side: Side = "root" if head == 0 else "left" if head < word else "right"
            if word in far and head != 0:
                side = "far left" if head < word else "far right"
            counts[side, label] += 1
    return counts


def rest_labels(
    sides: Counter[tuple[Side, int]], ts: System, config: TrainConfig, labels: int
) -> tuple[tuple[int, int], ...]:
    """The moves and labels that get no class of their own: all but the commonest, if there are more than wanted."""
    # A move to the left gives a word a head on its right; from right to left the other way round.
    mirrored = config.direction == "right-to-left"
    built: dict[str, tuple[Side, ...]] = {
        "LEFT": ("left",) if mirrored else ("right",),
        "RIGHT": ("right",) if mirrored else ("left",),
        "LEFT2": ("far left",) if mirrored else ("far right",),
        "RIGHT2": ("far right",) if mirrored else ("far left",),
    }
    built["LEFT" if ts.root == "last" else "RIGHT"] += ("root",)
    arcs = [move for move in ts.moves if move in built]
    others = len(ts.moves) - len(arcs)
    if config.classes == 0 or others + len(arcs) * labels <= config.classes:
        return ()
    every = [(move, label) for move in arcs for label in range(labels)]
    every.sort(key=lambda pair: -sum(sides[side, pair[1]] for side in built[pair[0]]))
    room = max(len(arcs), config.classes - others - 2 * len(arcs))  # up to two classes of a move are for the rest
    return tuple(sorted((MOVE_NUMBER[move], label) for move, label in every[room:]))


def _prices(kept: list[_Marked], config: TrainConfig) -> tuple[list[tuple[list[int], list[int]]], int]:
    """What heads and labels cost (FEATURES 9.4), in parts of a whole where that is not enough."""
    if config.label_cost == 1 and not config.arc_weight:
        return [], 1
    whole = all(isinstance(price, int) for price in (config.label_cost, *(price for _, price in config.arc_weight)))
    label_cost = config.label_cost if whole else float(config.label_cost)
    weights = {label: price if whole else float(price) for label, price in config.arc_weight}
    found = []
    for _, heads, marked in kept:
        tree = Tree(heads, [name for name, _ in marked])
        prices = Prices.of(tree, label_cost, weights)
        found.append((prices.arcs, prices.labels))
    return found, 1 if whole else FRACTION_UNIT


def _derivable(
    usable: list[tuple[int, Tree]], ts: System, config: TrainConfig, tally: _Tally
) -> tuple[list[_Marked], Encoding | None]:
    """The trees as they are to be learned: lifted where the system cannot derive them, or dropped."""
    crossing = {number for number, tree in usable if not tree.is_projective}
    choice = config.nonprojective
    if not ts.projective:
        choice = "drop" if choice == "auto" else choice
        # Attardi's system derives most trees, not all. From the others it can learn too, at the price of long searches,
        # unless they are to be dropped, as Gómez-Rodríguez, Sartorio & Satta (2014) do.
        if config.oracle == "dynamic" and (ts.name != "attardi" or config.nonprojective == "auto"):
            crossing = set()
        else:
            crossing = {number for number, tree in usable if number in crossing and not ts.can_derive(tree)}
    elif choice == "auto":
        choice = "drop" if len(crossing) < _WORTH_LIFTING * len(usable) else "head+path"
    encoding: Encoding | None = None
    if choice != "drop" and crossing:
        encoding = "baseline" if choice == "projectivize" else choice
    kept: list[_Marked] = []
    for number, tree in usable:
        if number not in crossing:
            deprels = tree.deprels or (None,) * len(tree)
            kept.append((number, tree.heads, [(deprel, PLAIN) for deprel in deprels]))
        elif encoding is None or tree.is_partial:
            tally.add("not derivable, dropped", number)
        else:
            lifted: LiftedTree = projectivize(tree, encoding)
            tally.add("lifted", number)
            assert lifted.deprels is not None
            kept.append((number, lifted.heads, list(zip(lifted.deprels, lifted.marks, strict=True))))
    return kept, encoding


def _continued(labels: Labels, before: Labels, ts: System) -> Labels:
    """What features call the labels, and which have a class, as before; new labels are called by new numbers."""
    place = {name: number for number, name in enumerate(labels.names)}
    old = {name: before.values[number] if before.values else number for number, name in enumerate(before.names)}
    fresh = iter(range(len(old), len(labels.names)))
    values = tuple(old[name] if name in old else next(fresh) for name in labels.names)
    rest = {(move, place[before.names[label]]) for move, label in before.rest}
    if rest:
        arcs = [MOVE_NUMBER[move] for move in ts.moves if move in ("LEFT", "RIGHT", "LEFT2", "RIGHT2")]
        rest |= {(move, place[name]) for name in labels.names if name not in old for move in arcs}
    return replace(labels, rest=tuple(sorted(rest)), values=values)


def _numbered(
    kept: list[_Marked], config: TrainConfig, before: Labels | None
) -> tuple[Labels, list[tuple[int, list[int], list[int]]]]:
    """Labels with numbers, and the trees with those. Labels from `before` are there even if no tree has them."""
    seen = Counter(label for _, _, labels in kept for label in labels)
    # Rare marks are not learned: the arc keeps its label and loses them.
    rare = {label for label, n in seen.items() if label[1] != PLAIN and n < config.pseudo_min_count}
    of_words: Counter[tuple[str, Mark]] = Counter()
    of_root: Counter[tuple[str, Mark]] = Counter()
    trees: list[tuple[int, list[int], list[tuple[str, Mark] | None]]] = []
    for number, heads, labels in kept:
        chosen: list[tuple[str, Mark] | None] = []
        for head, label in zip(heads, labels, strict=True):
            name, mark = label
            known = None if name is None or not config.labels else (name, PLAIN if label in rare else mark)
            chosen.append(known)
            if known is not None and head is not None:
                (of_root if head == 0 else of_words)[known] += 1
        trees.append((number, [UNKNOWN if head is None else head for head in heads], chosen))

    if before is not None:
        of_words.update(dict.fromkeys(before.names[: before.words], 0))
        of_root.update(dict.fromkeys(before.names[before.first_root :], 0))

    def ordered(some: Iterable[tuple[str, Mark]]) -> list[tuple[str, Mark]]:
        return sorted(some, key=lambda label: (-of_words[label] - of_root[label], label[0], str(label[1])))

    only_words, both, only_root = (
        ordered(of_words.keys() - of_root.keys()),
        ordered(of_words.keys() & of_root.keys()),
        ordered(of_root.keys() - of_words.keys()),
    )
    names = tuple(only_words + both + only_root)
    place = {name: number for number, name in enumerate(names)}
    plain = [name for name in (*only_words, *both) if name[1] == PLAIN]
    other = place.get(("dep", PLAIN), place[plain[0]] if plain else -1)
    labels_ = Labels(names, len(only_words) + len(both), len(only_words), other)
    if names and (not of_words or not of_root):
        # One-word sentences only, or trees without roots: every label may stand anywhere.
        labels_ = Labels(names, len(names), 0, max(other, 0))
    numbered = [
        (number, heads, [UNKNOWN if label is None else place[label] for label in chosen])
        for number, heads, chosen in trees
    ]
    return labels_, numbered
