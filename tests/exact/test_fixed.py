"""Fixed arcs against all trees that a system derives: a parse has them, or no tree does and the parser says so."""

import functools
import itertools
import random
from collections.abc import Iterator

import pytest

from dynarc import Parser, Sentence, State, System, TrainConfig, Treebank, TreeError, train
from dynarc.verify import every_system

Heads = tuple[int, ...]
Arcs = dict[int, int]  # heads by word

# What training can ask for; parsers attach headless words in any case.
SYSTEMS = [ts for ts in every_system() if ts.headless == "forest"]
FORMS = ("a", "b", "c", "d", "e")
LABELS = ("x", "y", "z")
WORDS = 4


@functools.cache
def derivable(ts: System, words: int) -> frozenset[Heads]:
    """The trees at the end of every sequence of legal moves."""
    found: set[Heads] = set()
    seen = set()
    todo: list[State] = [ts.initial(words)]
    while todo:
        state = todo.pop()
        if state.key() in seen:
            continue
        seen.add(state.key())
        if state.is_final:
            found.add(tuple(head or 0 for head in state.output))  # a parser attaches headless words to ROOT
        for t in state.legal():
            after = state.copy()
            after.apply(t)
            todo.append(after)
    return frozenset(found)


def random_sentence(rng: random.Random, heads: Heads) -> Sentence:
    labels = ["root" if head == 0 else rng.choice(LABELS) for head in heads]
    return Sentence(rng.choices(FORMS, k=len(heads)), heads=heads, deprels=labels)


@functools.cache
def trained(ts: System, seed: int = 1) -> Parser:
    """A parser that has learned nonsense, so that it wants to go any way at all."""
    rng = random.Random(seed)
    trees = sorted(derivable(ts, 3) | derivable(ts, WORDS))
    config = TrainConfig(
        system=ts.name,
        root=ts.root,  # type: ignore[arg-type]
        single_root=ts.single_root,
        epochs=2,
        min_count=1,
        nonprojective="drop",
    )
    return train(Treebank([random_sentence(rng, rng.choice(trees)) for _ in range(40)]), config=config)


def sets_of_arcs(words: int) -> Iterator[Arcs]:
    """Every one and every two arcs."""
    arcs = [(word, head) for word in range(1, words + 1) for head in range(words + 1) if head != word]
    for word, head in arcs:
        yield {word: head}
    for (word, head), (other, other_head) in itertools.combinations(arcs, 2):
        if word != other:
            yield {word: head, other: other_head}


def fits(heads: Heads, arcs: Arcs) -> bool:
    return all(heads[word - 1] == head for word, head in arcs.items())


@pytest.mark.parametrize("words", range(1, WORDS + 1))
@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_every_one_and_two_arcs(ts: System, words: int) -> None:
    """FEATURES 8.3. The trees are enumerated by legal moves alone, without any oracle."""
    parser, rng = trained(ts), random.Random(words)
    trees = derivable(ts, words)
    possible: list[Arcs] = []
    impossible: list[Arcs] = []
    for arcs in sets_of_arcs(words):
        (possible if any(fits(tree, arcs) for tree in trees) else impossible).append(arcs)
    sentences = Treebank([Sentence(rng.choices(FORMS, k=words)) for _ in possible])
    parsed = parser.parse(sentences, fixed=[{w: (h, None) for w, h in arcs.items()} for arcs in possible])
    for sentence, arcs in zip(parsed, possible, strict=True):
        heads = tuple(head or 0 for head in sentence.heads)
        assert fits(heads, arcs), (arcs, heads)
        assert heads in trees
    for arcs in impossible:
        with pytest.raises(TreeError, match="sentence 1: the fixed arcs"):
            parser.parse(rng.choices(FORMS, k=words), fixed={w: (h, None) for w, h in arcs.items()})


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_labels_with_and_without_heads(ts: System) -> None:
    """A label may be fixed on any word, also one that the parser never saw there."""
    parser, rng = trained(ts), random.Random(7)
    trees = sorted(derivable(ts, WORDS))
    sentences, fixed = [], []
    for _ in range(300):
        heads = rng.choice(trees)
        sentences.append(Sentence(rng.choices(FORMS, k=WORDS)))
        fixed.append(
            {
                word: (rng.choice((heads[word - 1], None)), rng.choice((*LABELS, "root", None)))
                for word in rng.sample(range(1, WORDS + 1), rng.randint(0, WORDS))
            }
        )
    for sentence, arcs in zip(parser.parse(Treebank(sentences), fixed=fixed), fixed, strict=True):
        for word, (head, label) in arcs.items():
            assert head in (None, sentence.heads[word - 1])
            assert label in (None, sentence.deprels[word - 1])
        assert tuple(head or 0 for head in sentence.heads) in trees


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_a_whole_tree_and_none(ts: System) -> None:
    """With every head fixed the parse is that tree; with none it is the parse."""
    parser, rng = trained(ts), random.Random(3)
    trees = [random_sentence(rng, heads) for heads in sorted(derivable(ts, WORDS))]
    assert parser.parse(Treebank(trees), keep_heads=True) == Treebank(trees)
    bare = Treebank([Sentence(sentence.forms) for sentence in trees])
    free = parser.parse(bare)
    assert parser.parse(bare, keep_heads=True) == free
    assert parser.parse(bare, fixed=[None] * len(bare)) == free
    own = [{1: (sentence.heads[0], None), 3: (None, sentence.deprels[2])} for sentence in free]
    same = parser.parse(bare, fixed=own)
    if ts.name not in ("arc-hybrid-swap", "covington") and (ts.name, ts.root) != ("arc-eager", "first"):
        # No move of its own loses an arc of its own tree. The others have words that end without a head, where ROOT has
        # to be chosen if it is fixed, or swaps that no fixed arc asks for.
        assert same == free
