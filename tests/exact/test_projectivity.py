"""Non-projective arcs and gap degrees against their definitions (FEATURES.md section 6; Kuhlmann & Nivre 2006)."""

import itertools
import random
from collections.abc import Sequence

import pytest

from dynarc import Tree
from dynarc.check import all_trees

# Far more than any machine needs for linear work, far less than quadratic work takes.
SECONDS = 20


def is_below(heads: Sequence[int], word: int, head: int) -> bool:
    while word != head and word != 0:
        word = heads[word - 1]
    return word == head


def arcs_by_definition(heads: Sequence[int]) -> tuple[tuple[int, int], ...]:
    """Arcs with a word strictly between their ends that is not below the head, found the long way."""
    return tuple(
        (head, word)
        for word, head in enumerate(heads, start=1)
        if not all(is_below(heads, between, head) for between in range(min(head, word) + 1, max(head, word)))
    )


def gaps_by_definition(heads: Sequence[int]) -> tuple[int, ...]:
    """Of the words below each word, in order: how many are not followed by their right neighbour, less the last."""
    words = range(1, len(heads) + 1)
    projections = [[word for word in words if is_below(heads, word, head)] for head in words]
    return tuple(sum(b != a + 1 for a, b in itertools.pairwise(projection)) for projection in projections)


def random_heads(words: int, rng: random.Random, *, roots: int = 1) -> list[int]:
    order = rng.sample(range(1, words + 1), words)
    heads = [0] * words
    for place, word in enumerate(order):
        heads[word - 1] = rng.choice(order[:place]) if place >= roots else 0
    return heads


def whole(tree: Tree) -> list[int]:
    return [head for head in tree.heads if head is not None]


@pytest.mark.parametrize("words", [1, 2, 3, 4, 5])
def test_every_small_tree(words: int) -> None:
    for tree in all_trees(words):
        heads = whole(tree)
        assert tree.nonprojective_arcs == arcs_by_definition(heads)
        assert tree.gap_degrees == gaps_by_definition(heads)
        assert tree.gap_degree == max(gaps_by_definition(heads))
        assert tree.is_projective == (tree.gap_degree == 0) == (tree.nonprojective_arcs == ())


@pytest.mark.parametrize("roots", [1, 3])
def test_larger_trees(roots: int) -> None:
    rng = random.Random(1)
    for words in range(6, 60):
        heads = random_heads(words, rng, roots=roots)
        assert Tree(heads).nonprojective_arcs == arcs_by_definition(heads)
        assert Tree(heads).gap_degrees == gaps_by_definition(heads)


@pytest.mark.timeout(SECONDS)
def test_very_long_sentences() -> None:
    """Not quadratic, and without recursion: a chain, everything under the first word, a chain in random order."""
    words = 100_000
    chain = Tree([0, *range(1, words)])
    assert chain.nonprojective_arcs == ()
    assert chain.gap_degree == 0
    star = [0] + [1] * (words - 1)
    star[1] = words
    assert Tree(star).nonprojective_arcs == ((words, 2),)
    assert Tree(star).gap_degree == 1
    order = random.Random(1).sample(range(1, words + 1), words)
    heads = [0] * words
    for head, word in itertools.pairwise(order):
        heads[word - 1] = head
    assert Tree(heads).gap_degree > words / 5


def test_gaps_are_counted_not_measured() -> None:
    assert Tree([0, 0, 0, 1]).gap_degrees == (1, 0, 0, 0)  # one gap of two words
    assert Tree([0, 0, 1, 0, 1]).gap_degrees == (2, 0, 0, 0, 0)
    assert Tree([0, 0, 1, 0, 1]).gap_degree == 2


def test_parts_of_trees() -> None:
    """A word whose head is unknown counts as a dependent of ROOT, and its missing arc as no arc."""
    assert Tree([None, None, 1, 2]).nonprojective_arcs == ((1, 3), (2, 4))
    assert Tree([None, None, 1, 2]).gap_degrees == (1, 1, 0, 0)
    assert Tree([None, 1, None]).nonprojective_arcs == ()
