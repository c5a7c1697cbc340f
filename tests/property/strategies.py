"""Random trees and walks for the property tests, made without any of the package's own generators.

The one exception is Attardi, whose derivable trees only its own moves can enumerate.
"""

import random
from collections.abc import Iterator, Sequence

from hypothesis import settings
from hypothesis import strategies as st

from dynarc import State, System, Transition, Tree, _core
from dynarc.oracles import BoundOracle
from dynarc.verify import every_system

EVERY_SYSTEM = list(every_system())
# The two that say of themselves that they are not exact (ORACLES 7, FEATURES 8.1).
APPROXIMATE = [ts for ts in EVERY_SYSTEM if ts.name == "arc-hybrid-swap" or (ts.name == "covington" and ts.single_root)]
EXACT = [ts for ts in EVERY_SYSTEM if ts not in APPROXIMATE]

LABELS = ("a", "b", "c")


def stable(examples: int = 60) -> settings:
    """The same examples in every run, so that CI says the same thing twice; no deadline on a shared machine."""
    return settings(max_examples=examples, deadline=None, derandomize=True, database=None)


@st.composite
def tree_heads(draw: st.DrawFn, max_words: int = 30, *, one_root: bool = False) -> list[int]:
    """Heads of any tree: words are hung one after the other, in any order, under ROOT or a word that hangs."""
    words = draw(st.integers(1, max_words))
    order = draw(st.permutations(range(1, words + 1)))
    heads = [0] * words
    for place, word in enumerate(order):
        least = 1 if one_root and place > 0 else 0
        choice = draw(st.integers(least, place))
        heads[word - 1] = 0 if choice == 0 else order[choice - 1]
    return heads


@st.composite
def projective_heads(draw: st.DrawFn, max_words: int = 30, *, one_root: bool = False) -> list[int]:
    """Heads of any projective tree: a stack is reduced to the left or to the right, in any order."""
    words = draw(st.integers(1, max_words))
    heads = [0] * words
    stack: list[int] = []
    for front in range(1, words + 2):
        head = front if front <= words else 0
        while stack:
            move = draw(st.sampled_from(("SHIFT", "LEFT", "RIGHT")))
            if move == "SHIFT":
                break
            word = stack.pop()
            heads[word - 1] = stack[-1] if stack and move == "RIGHT" else head
        if head:
            stack.append(head)
    for word in stack:  # what no arc has taken hangs from ROOT, as if each had been taken when ROOT was in front
        heads[word - 1] = 0
    if one_root:
        first, *others = (word for word, head in enumerate(heads, start=1) if head == 0)
        for word in others:  # no arc crosses: only whole subtrees lie between two roots
            heads[word - 1] = first
    return heads


def trees(max_words: int = 30, *, one_root: bool = False) -> st.SearchStrategy[Tree]:
    return tree_heads(max_words, one_root=one_root).map(Tree)


def projective_trees(max_words: int = 30, *, one_root: bool = False) -> st.SearchStrategy[Tree]:
    return projective_heads(max_words, one_root=one_root).map(Tree)


def attardi_trees(ts: System, max_words: int = 30) -> st.SearchStrategy[Tree]:
    """Trees that a random run of Attardi's parser builds: derivable by definition."""
    return st.builds(
        lambda words, seed: Tree(_core.random_derivable_tree(ts.name, ts.root == "last", ts.single_root, words, seed)),
        st.integers(1, max_words),
        seeds(),
    )


def derivable_trees(ts: System, max_words: int = 30) -> st.SearchStrategy[Tree]:
    if ts.name == "attardi":
        return attardi_trees(ts, max_words)
    return (projective_trees if ts.projective else trees)(max_words, one_root=ts.single_root)


@st.composite
def partial_trees(draw: st.DrawFn, whole: st.SearchStrategy[Tree]) -> Tree:
    """A tree with any of its heads forgotten."""
    heads = draw(whole).heads
    known = draw(st.lists(st.booleans(), min_size=len(heads), max_size=len(heads)))
    return Tree([head if keep else None for head, keep in zip(heads, known, strict=True)])


@st.composite
def labelled_trees(draw: st.DrawFn, whole: st.SearchStrategy[Tree]) -> Tree:
    heads = draw(whole).heads
    size = len(heads)
    return Tree(heads, draw(st.lists(st.sampled_from([*LABELS, None]), min_size=size, max_size=size)))


def seeds() -> st.SearchStrategy[int]:
    """What the random moves of a walk are drawn from."""
    return st.integers(0, 2**32 - 1)


def with_label(state: State, t: Transition, rng: random.Random) -> Transition:
    return t if state.arc(t) is None else Transition(t.move, rng.choice(LABELS), t.node)


def random_walk(state: State, seed: int) -> Iterator[State]:
    """The state itself at each stop of a walk of random labelled moves, the last stop being final."""
    rng = random.Random(seed)
    yield state
    while not state.is_final:
        state.apply(with_label(state, rng.choice(state.legal()), rng))
        yield state


def near_gold_walk(state: State, oracle: BoundOracle, seed: int, *, errors: float = 0.2) -> Iterator[State]:
    """As above, but most moves follow the oracle: the states that training meets."""
    rng = random.Random(seed)
    yield state
    while not state.is_final:
        state.apply(rng.choice(state.legal() if rng.random() < errors else oracle.optimal(state)))
        yield state


def wrong_arcs(heads: Sequence[int | None], gold: Tree) -> int:
    """The loss of a finished tree, by the definition of ORACLES 0; unknown heads cannot be wrong."""
    return sum(want is not None and head != want for head, want in zip(heads, gold.heads, strict=True))
