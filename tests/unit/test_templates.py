"""The language of feature templates: what is accepted, and what is refused and where."""

from itertools import product

import pytest

from dynarc import ConfigError, Sentence, Tree, _core, system
from dynarc.features import feature_values


@pytest.mark.parametrize(
    "text",
    [
        "S0.form",
        "S0.form+S0.tag+B0.form",
        "S0.head.head.tag",
        "B0.left1.deprel+dist(S0,B0)",
        "dist(S0.left1,B0.next)",
        "S0.feature+B0.tag",
        "each_between(S0,B0)+head_is(S0,S1)",
        "F1.labels_left+N2.shape",
        "S0.feature+B0.feature+agree(S0,B0)",
        "F1.refined+F2.adposition+gap(P1,F1)",
        "S0.has_head+S0.leaf+B0.span",
    ],
)
def test_accepted(text: str) -> None:
    _core.check_templates([text])


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("", 1, "there is no place ''"),
        ("S0", 3, "expected '.' and an attribute"),
        ("S0.", 4, "there is no attribute or relation ''"),
        ("T0.form", 1, "there is no place 'T0'"),
        ("S10.form", 1, "there is no place 'S10'"),
        ("S0.form+B0.tagg", 12, "there is no attribute or relation 'tagg'"),
        ("S0.form B0.tag", 8, "expected '+' or the end"),
        ("S0.form.head", 8, "expected '+' or the end"),
        ("S0.form+", 9, "there is no place ''"),
        ("far(S0,B0)", 1, "there is no function 'far'"),
        ("dist(S0)", 8, "expected ',' and a second node"),
        ("dist(S0,B0", 11, "expected ')'"),
        ("dist(S0.form,B0)", 9, "expected a relation"),
    ],
)
def test_refused_with_the_column(text: str, column: int, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _core.check_templates(["S0.form+B1.form", text])
    assert str(caught.value).startswith(f"feature template '{text}', column {column}: {why}")


def test_no_template_twice() -> None:
    with pytest.raises(ConfigError, match=r"'S0\.form' is given twice"):
        _core.check_templates(["S0.form", "S0.tag", "S0.form"])


GUIDED = ["guide_arc(S0,B0)", "guide_side(S0,B0)", "guide_side(B0,S0)", "guide_reach(S0,B0)", "guide_reach(B0,S0)"]


def side(heads: list[int], node: int, other: int) -> str:
    """Where the head of a node is, seen from it and another."""
    head = heads[node - 1]
    if head == 0:
        return "root"
    if head == other:
        return "there"
    if (head - node) * (other - node) < 0:
        return "behind"
    return "before" if abs(head - node) < abs(other - node) else "beyond"


def reach(heads: list[int], node: int, other: int) -> str:
    """How far the dependents of a node reach towards another."""
    steps = [d - node for d, head in enumerate(heads, start=1) if head == node and (d - node) * (other - node) > 0]
    if not steps:
        return "none"
    farthest, there = max(map(abs, steps)), abs(other - node)
    return "there" if farthest == there else "before" if farthest < there else "beyond"


def test_what_templates_see_of_an_earlier_pass() -> None:
    """FEATURE_STUDY.md d. All trees of four words, all pairs that arc-eager meets on its way over them."""
    words = Sentence(["a", "b", "c", "d"], upos=["A", "B", "C", "D"], heads=[0, 1, 1, 1])
    trees = [heads for heads in product(range(5), repeat=4) if is_tree(heads)]
    assert len(trees) == 125
    for heads in trees:
        guide = Tree(heads, [f"l{head}" for head in heads])
        for shifts in range(1, 4):
            found = feature_values(
                words,
                [*GUIDED, "S0.guide_deprel", "B0.guide.tag"],
                system("arc-eager"),
                ["SHIFT"] * shifts,
                guide=guide,
            )
            top, front = shifts, shifts + 1
            arc = "head" if heads[top - 1] == front else "dependent" if heads[front - 1] == top else "none"
            assert [found[template][0][0] for template in GUIDED] == [
                arc,
                side(list(heads), top, front),
                side(list(heads), front, top),
                reach(list(heads), top, front),
                reach(list(heads), front, top),
            ], (heads, shifts)
            assert found["S0.guide_deprel"] == [(f"l{heads[top - 1]}",)]
            assert found["B0.guide.tag"] == [("<root>" if heads[front - 1] == 0 else "ABCD"[heads[front - 1] - 1],)]


def is_tree(heads: tuple[int, ...]) -> bool:
    for word in range(1, len(heads) + 1):
        at, steps = word, 0
        while at != 0 and steps <= len(heads):
            at, steps = heads[at - 1], steps + 1
        if at != 0:
            return False
    return True


def test_without_an_earlier_pass() -> None:
    words = Sentence(["a", "b"], upos=["A", "B"], heads=[2, 0])
    found = feature_values(words, [*GUIDED, "S0.guide_deprel", "S0.guide.tag"], system("arc-eager"), ["SHIFT"])
    assert [firings[0][0] for firings in found.values()] == ["none", "none", "none", "none", "none", "NULL", "NULL"]
