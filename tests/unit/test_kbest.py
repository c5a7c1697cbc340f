"""The most probable trees of a sentence, against every derivation there is."""

import functools
import math
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from dynarc import ConfigError, Parser, RankedTrees, Sentence, State, System, TrainConfig, Treebank, _core, train
from dynarc.data import english
from dynarc.transition import MOVES, Transition

from .test_decisions import SYSTEMS, chances, config_of, of_english

Shown = tuple[object, ...]  # heads, then labels
TAGS = ("N", "V", "D")
LABELS = "vwxy"


def nonsense(seed: int, count: int, *, crossing: bool = False) -> Treebank:
    """Sentences with one root and few kinds of words and labels."""
    rng = random.Random(seed)
    sentences = []
    for _ in range(count):
        length = rng.randint(2, 6)
        order = rng.sample(range(1, length + 1), length) if crossing else list(range(1, length + 1))
        heads = [0] * length
        for place in range(1, length):
            heads[order[place] - 1] = order[rng.randint(0, place - 1)]
        labels = ["root" if head == 0 else rng.choice(LABELS) for head in heads]
        sentences.append(
            Sentence(rng.choices("abcd", k=length), upos=rng.choices(TAGS, k=length), heads=heads, deprels=labels)
        )
    return Treebank(sentences)


def some_words(length: int, seed: int = 5) -> Sentence:
    rng = random.Random(seed)
    return Sentence(rng.choices("abcd", k=length), upos=rng.choices(TAGS, k=length))


def trained(config: TrainConfig, *, crossing: bool = False, sharpness: float = 0.05) -> Parser:
    parser = train(nonsense(1, 60, crossing=crossing), config=replace(config, min_count=1))
    parser.model.sharpness = sharpness
    return parser


class Here:
    """A state with one of the ways to it. It is the state that counts."""

    def __init__(self, state: State, places: tuple[int, ...] = ()) -> None:
        self.state, self.places, self.key = state, places, state.key()

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Here) and self.key == other.key


class Derivations:
    """All of a sentence."""

    def __init__(self, parser: Parser, sentence: Sentence) -> None:
        self.parser, self.sentence = parser, sentence
        self.system = parser.config.transition_system(single_root=parser.single_root)
        self.document = Treebank([sentence]).document()
        self.order = [MOVES.index(move) for move in self.system.moves]

    @property
    def start(self) -> Here:
        return Here(self.system.initial(len(self.sentence)))

    def options(self, here: Here) -> list[tuple[float, float, Here]]:
        """What is legal, as the parser prefers it: our log of its probability, the engine's, and where it leads."""
        steps = _core.Steps(self.parser.model, self.document, 0)
        for place in here.places:
            steps.offers()
            steps.take(place)
        if steps.is_final:
            return []
        offers, _ = steps.offers()
        ours = [math.log(p) for p in chances(self.parser, offers)]
        preferred = sorted(
            range(len(offers)), key=lambda i: (-offers[i][4], self.order.index(offers[i][0]), offers[i][2], i)
        )
        found = []
        for place in preferred:
            move, node, label, _, log = offers[place]
            state = here.state.copy()
            state.apply(Transition(MOVES[move], None if label < 0 else str(label), None if node < 0 else node))
            found.append((ours[place], log, Here(state, (*here.places, place))))
        return found

    def probabilities(self) -> dict[Shown, float]:
        """Of every tree, by every derivation. What follows from a state is the same, however it was reached."""

        @functools.cache
        def after(here: Here) -> dict[Shown, float]:
            options = self.options(here)
            if not options:
                return {shown(self.parser, self.sentence, here.state): 0.0}
            found: dict[Shown, float] = {}
            for log, _, to in options:
                for tree, rest in after(to).items():
                    found[tree] = max(log + rest, found.get(tree, -math.inf))
            return found

        return {tree: math.exp(log) for tree, log in after(self.start).items()}

    def shares(self) -> dict[Shown, float]:
        """Of every tree, the probability that a derivation ends with it."""

        @functools.cache
        def after(here: Here) -> dict[Shown, float]:
            options = self.options(here)
            if not options:
                return {shown(self.parser, self.sentence, here.state): 1.0}
            found: dict[Shown, float] = {}
            for log, _, to in options:
                for tree, rest in after(to).items():
                    found[tree] = found.get(tree, 0.0) + math.exp(log) * rest
            return found

        return after(self.start)

    def ranks(self) -> dict[Shown, tuple[float, list[int]]]:
        """Minus the log of every tree's probability, as the engine adds it up, and which options lead to it."""
        found: dict[Shown, tuple[float, list[int]]] = {}
        options = functools.cache(self.options)
        todo: list[tuple[Here, float, list[int]]] = [(self.start, 0.0, [])]
        while todo:
            here, log, path = todo.pop()
            following = options(here)
            if not following:
                tree = shown(self.parser, self.sentence, here.state)
                found[tree] = min((-log, path), found.get(tree, (math.inf, [])))
            for number, (_, more, to) in enumerate(following):
                todo.append((to, log + more, [*path, number]))
        return found


def shown(parser: Parser, sentence: Sentence, state: State) -> Shown:
    """The tree of a final state, mended as the parser mends it."""
    labels, words = parser.labels, len(sentence)
    reverse = parser.config.direction == "right-to-left"
    tags = sentence.upos[::-1] if reverse else sentence.upos
    heads = state.heads
    numbers = [None if label is None else int(label) for label in state.labels]
    of_root = labels.first_root if labels.names else None
    other = labels.other if labels.names else None
    for word, head in enumerate(heads):
        if head is None:
            root = heads.index(0) + 1 if 0 in heads else None
            to_root = root is None or not parser.single_root
            heads[word], numbers[word] = (0, of_root) if to_root else (root, other)
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    if labels.roots and len(roots) > 1:
        share = {tag: value for tag, value, _ in labels.roots}
        label_of = {tag: label for tag, _, label in labels.roots}
        kept = max(roots, key=lambda word: (share.get(tags[word - 1], -1), -word))
        for word in roots:
            if word != kept:
                heads[word - 1] = kept
                numbers[word - 1] = label_of.get(tags[word - 1], other) if labels.names else None
    if reverse:
        heads = [0 if head == 0 else words + 1 - (head or 0) for head in reversed(heads)]
        numbers.reverse()
    final, names = parser.finished(
        [head or 0 for head in heads], [-1 if number is None else number for number in numbers]
    )
    return (*final, *names)


def key_of(sentence: Sentence) -> Shown:
    return (*sentence.heads, *sentence.deprels)


def check(parser: Parser, sentence: Sentence) -> dict[Shown, float]:
    """The whole list, and its beginnings."""
    truth = Derivations(parser, sentence).probabilities()
    ranked = parser.kbest(sentence, len(truth) + 10, limit=1_000_000)
    assert ranked.exact
    assert ranked.proven == len(ranked)
    found = {key_of(tree): p for tree, p in ranked}
    assert len(found) == len(ranked)  # all distinct
    assert found.keys() == truth.keys()
    for tree, p in found.items():
        assert p == pytest.approx(truth[tree], rel=1e-9)
    assert in_order(ranked)
    for k in (1, 2, 5):
        few = parser.kbest(sentence, k, limit=1_000_000)
        assert (few, few.exact, few.proven) == (ranked[:k], True, len(few))
    return truth


def in_order(ranked: RankedTrees) -> bool:
    ps = [tree.probability for tree in ranked]
    return ps == sorted(ps, reverse=True)


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_all_trees_without_labels(ts: System) -> None:
    parser = trained(replace(config_of(ts), labels=False))
    truth = check(parser, some_words(5))
    assert len(truth) > 100
    check(parser, some_words(1))


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
@pytest.mark.parametrize("classes", [0, 6])
def test_all_trees_with_labels(ts: System, classes: int) -> None:
    """With few classes most labels share one."""
    parser = trained(replace(config_of(ts), classes=classes))
    assert parser.model.has_rest == (classes > 0)
    assert len(check(parser, some_words(3))) > 100


@pytest.mark.parametrize("direction", ["left-to-right", "right-to-left"])
@pytest.mark.parametrize("classes", [0, 6])
def test_all_mended_trees(direction: str, classes: int) -> None:
    """Several roots become one: many derivations, few trees."""
    config = TrainConfig(single_root="mend", direction=direction, classes=classes, epochs=2)  # type: ignore[arg-type]
    parser = trained(config)
    assert parser.labels.roots
    for seed in range(3):
        truth = check(parser, some_words(3, seed))
        assert all(tree[:3].count(0) == 1 for tree in truth)


@pytest.mark.parametrize("system", ["arc-hybrid", "easy-first", "arc-standard"])
def test_all_trees_from_right_to_left(system: str) -> None:
    parser = trained(TrainConfig(system=system, direction="right-to-left", labels=False, epochs=2))
    check(parser, some_words(5))


@pytest.mark.parametrize("encoding", ["head", "path", "head+path"])
def test_all_trees_with_lifted_arcs(encoding: str) -> None:
    """Two trees may be the same when lifted arcs are put back: the more probable counts."""
    config = TrainConfig(nonprojective=encoding, pseudo_min_count=1, epochs=2)  # type: ignore[arg-type]
    parser = trained(config, crossing=True)
    assert parser.labels.marked
    truth = check(parser, some_words(3))
    labels = len(parser.labels.names)
    assert len(truth) < 7 * labels**2  # fewer than the trees of the engine


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_equally_probable_trees(ts: System) -> None:
    """With hardly any sharpness all that is legal is equally probable: only the order of preference is left."""
    parser = trained(replace(config_of(ts), labels=False), sharpness=1e-300)
    words = some_words(4)
    truth = Derivations(parser, words).ranks()
    ranked = parser.kbest(words, len(truth), limit=1_000_000)
    assert len({cost for cost, _ in truth.values()}) < len(truth)
    assert [key_of(tree) for tree, _ in ranked] == sorted(truth, key=truth.__getitem__)
    for k in range(1, len(truth), 7):
        assert parser.kbest(words, k, limit=1_000_000) == ranked[:k]


def sentences(parser: Parser) -> Iterator[tuple[Sentence, Sentence]]:
    few = english("dev")[:8]
    yield from zip(few, parser.parse(few), strict=True)


def probability(parser: Parser, sentence: Sentence) -> float:
    """Of the greedy derivation."""
    return math.prod(step.probs[step.chosen] for step in parser.trace(sentence) if step.probs)


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
@pytest.mark.parametrize("limit", [1, 30, 300, 3000])
def test_a_limit(ts: System, limit: int) -> None:
    """Whatever it is: distinct trees in order, the first not worse than the greedy one."""
    parser = of_english(ts)
    for sharpness in (0.02, 1.0):
        parser.model.sharpness = sharpness
        for sentence, greedy in sentences(parser):
            ranked = parser.kbest(sentence, 5, limit=limit)
            assert 1 <= len(ranked) <= 5
            assert len({key_of(tree) for tree, _ in ranked}) == len(ranked)
            assert in_order(ranked)
            assert ranked[0].probability >= probability(parser, sentence) * (1 - 1e-9)
            assert ranked.exact == (ranked.proven == len(ranked) == 5)
            if limit == 1:
                assert [tree for tree, _ in ranked] == [greedy]
                assert not ranked.exact
            for tree, _ in ranked:
                assert tree.upos == sentence.upos
                assert None not in tree.heads
                assert tree.tree.is_projective or ts.name in ("covington", "arc-hybrid-swap", "attardi")
    parser.model.sharpness = 1.0


@pytest.mark.parametrize("ts", [SYSTEMS[1], SYSTEMS[3]], ids=System.describe)
def test_more_work_never_changes_what_is_proven(ts: System) -> None:
    parser = of_english(ts)
    parser.model.sharpness = 0.05
    proven, changed = set(), 0
    for sentence in english("dev")[:8]:
        best = parser.kbest(sentence, 20, limit=100_000)
        assert best.exact
        least = 0
        for limit in (30, 60, 100, 200, 500, 5000):
            ranked = parser.kbest(sentence, 20, limit=limit)
            assert ranked.proven >= least
            least = ranked.proven
            assert ranked[: ranked.proven] == best[: ranked.proven]
            assert all(p <= better for (_, p), (_, better) in zip(ranked, best, strict=False))
            proven.add(ranked.proven)
            changed += ranked != best
    parser.model.sharpness = 1.0
    assert min(proven) == 0
    assert any(0 < count < 20 for count in proven)
    assert changed


def test_more_trees_than_a_state_keeps() -> None:
    """States with many labels are scored again when the first of their options are used up."""
    sentence = Sentence(["They", "sing"])
    parser = of_english(SYSTEMS[1])
    parser.model.sharpness = 0.001
    assert len(check(parser, sentence)) > 64
    parser.model.sharpness = 1.0


def test_what_makes_no_sense() -> None:
    parser = of_english(SYSTEMS[2])
    for k, limit in ((0, 1), (1, 0), (True, 1), ("3", 1)):
        with pytest.raises(ConfigError, match="a whole number, 1 or more"):
            parser.kbest(["Go"], k, limit=limit)  # type: ignore[arg-type]
    assert parser.kbest(["Go"], 10**30, limit=10**30).exact
    with pytest.raises(ConfigError, match="split the text first"):
        parser.kbest("Go home", 1)
