"""Trees: what they say of themselves, and one clear sentence for whatever is not one."""

import copy
import pickle
from typing import Any

import pytest

from dynarc import NonProjectiveError, Tree, TreeError
from dynarc.check import all_trees


def test_attributes() -> None:
    tree = Tree([2, 0, 2], ["nsubj", "root", None], sent_id="s1")
    assert tree.heads == (2, 0, 2)
    assert tree.deprels == ("nsubj", "root", None)
    assert tree.sent_id == "s1"
    assert len(tree) == 3
    assert tree.roots == (2,)
    assert not tree.is_partial
    assert Tree([2, 0]).deprels is None
    assert Tree((None, 0)).is_partial
    assert Tree([None, None]).roots == ()


def test_the_callers_lists_are_not_kept() -> None:
    heads: list[int | None] = [2, 0]
    deprels: list[str | None] = ["a", "b"]
    tree = Tree(heads, deprels)
    heads[0], deprels[0] = 0, "c"
    assert tree == Tree([2, 0], ["a", "b"])


def test_equality_and_hash() -> None:
    """Heads and labels count; the name of the sentence does not."""
    tree = Tree([2, 0], ["a", "b"], sent_id="s1")
    assert tree == Tree([2, 0], ["a", "b"])
    assert hash(tree) == hash(Tree([2, 0], ["a", "b"]))
    assert len({tree, Tree([2, 0], ["a", "b"]), Tree([2, 0]), Tree([0, 1])}) == 3
    assert tree != Tree([2, 0])
    assert tree != (2, 0)


@pytest.mark.parametrize("tree", [Tree([2, 0]), Tree([None, 0], ["a", None], sent_id="s1")], ids=repr)
def test_pickle_and_copy(tree: Tree) -> None:
    for back in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
        assert back == tree
        assert back.sent_id == tree.sent_id


def test_repr_can_be_read_back() -> None:
    for tree in (Tree([2, 0]), Tree([None, 0], ["a", None])):
        assert eval(repr(tree)) == tree


@pytest.mark.parametrize(
    ("heads", "projective"),
    [
        ([0], True),
        ([2, 0, 2], True),
        ([0, 0, 0], True),
        ([3, 0, 0], False),  # 3->1 covers 2, whose head is ROOT
        ([0, 0, 1], False),  # 1->3 covers 2, whose head is ROOT
        ([3, 4, 0, 3], False),  # 3->1 and 4->2 cross
        ([None, 0, 1], False),  # 1->3 covers 2, whatever the head of 1
        ([None, None, 1], True),
        ([3, None, None], True),
        ([None, 1, None], True),
        ([2, None, 1], False),  # 1->3 covers 2, which its own arcs hang from
    ],
)
def test_projectivity(heads: list[int | None], projective: bool) -> None:
    """ORACLES 0: ROOT may stand first or last; a partial tree asks whether some projective tree contains it."""
    assert Tree(heads).is_projective == projective


def test_partial_projectivity_is_that_of_some_completion() -> None:
    """By the definition, for every part of every tree of four words."""
    projective = {tree.heads for tree in all_trees(4, projective=True)}
    parts: set[tuple[int | None, ...]] = {()}
    for _ in range(4):
        parts = {(*part, head) for part in parts for head in (None, 0, 1, 2, 3, 4)}
    seen = 0
    for part in parts:
        try:
            tree = Tree(part)
        except TreeError:
            continue
        seen += 1
        within = any(all(h in (None, w) for h, w in zip(part, whole, strict=True)) for whole in projective)
        assert tree.is_projective == within, part
    assert seen == 432  # forests of rooted trees on four nodes and ROOT


@pytest.mark.parametrize(
    ("heads", "why"),
    [
        ([], "at least one word"),
        ([3, 0], "word 1 has head 3, but heads are 0 (ROOT) to 2 or None"),
        ([-1, 0], "word 1 has head -1, but heads are 0 (ROOT) to 2 or None"),
        ([0, 2], "word 2 is its own head"),
        ([2, 1], "the heads form a cycle: 1 <- 2 <- 1"),
        ([0, 3, 4, 2], "the heads form a cycle"),
        ([None, 3, 2], "the heads form a cycle"),
        (["1", 0], "word 1 has head '1', which is neither a number nor None"),
        ([1.0, 0], "word 1 has head 1.0, which is neither a number nor None"),
        ([2, False], "word 2 has head False, which is neither a number nor None"),
    ],
)
def test_what_is_not_a_tree(heads: list[Any], why: str) -> None:
    with pytest.raises(TreeError) as refused:
        Tree(heads)
    assert why in str(refused.value)
    with pytest.raises(TreeError) as named:
        Tree(heads, sent_id="weblog-31")
    assert str(named.value).startswith("sentence weblog-31: ")
    assert why in str(named.value)


def test_labels_must_be_as_many_as_heads() -> None:
    with pytest.raises(TreeError, match="there are 2 heads but 3 labels"):
        Tree([2, 0], ["a", "b", "c"])


def test_require_projective() -> None:
    """The error names the sentence and the arc, says what it crosses and who needs projectivity (STYLE 6)."""
    Tree([2, 0, 2]).require_projective("nobody cares")
    with pytest.raises(NonProjectiveError, match="arc-hybrid derives projective trees only") as refused:
        Tree([3, 4, 0, 3], sent_id="s9").require_projective("arc-hybrid derives projective trees only")
    assert refused.value.sent_id == "s9"
    assert refused.value.arc == (4, 2)
    assert str(refused.value).startswith("sentence s9: arc 4->2 is not projective: it crosses 3->1")
    with pytest.raises(NonProjectiveError, match="it covers word 2") as refused:
        Tree([2, None, 1]).require_projective("it")
    assert (refused.value.sent_id, refused.value.arc) == (None, (1, 3))


def test_the_arc_named_is_the_one_at_fault() -> None:
    """Of two arcs that cross, the one that covers a word which does not descend from its head."""
    named = 0
    for tree in all_trees(4):
        try:
            tree.require_projective("the test")
        except NonProjectiveError as refused:
            head, word = refused.arc
            assert tree.heads[word - 1] == head
            assert any(not descends(tree, x, head) for x in range(min(head, word) + 1, max(head, word)))
            named += 1
    assert named == 125 - 55


def descends(tree: Tree, word: int | None, head: int) -> bool:
    while word and word != head:
        word = tree.heads[word - 1]
    return word == head
