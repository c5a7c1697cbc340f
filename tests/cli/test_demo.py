"""dynarc demo."""

import dynarc
from dynarc.cli import demo

from .conftest import Run


def test_demo(run: Run) -> None:
    ended = run("demo")
    assert (ended.status, ended.err) == (0, "")
    text = " ".join(ended.lines)
    assert "undefined here: [ROOT fed us] [hot soup .]" in text
    assert "The static rules lose 3 arcs, the dynamic oracle 1." in text
    assert "of oracles that claim to be exact: 0 wrong" in text
    for name in dynarc.systems():
        assert any(line.startswith(name + " ") for line in ended.lines)
    assert max(map(len, ended.lines)) <= 100


def test_its_tree_is_the_published_example() -> None:
    ts = dynarc.system("arc-eager", root="first")
    state = ts.initial(len(demo.TREE))
    for move in (*demo.BEFORE, demo.WRONG):
        state.apply(move)
    assert demo.TREE.heads == (2, 0, 2, 5, 2, 2)
    assert (state.stack, state.buffer) == ([0, 2, 3], [4, 5, 6])
