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
    assert "Its dev part has 119 sentences and 1,281 words; 11 trees cannot be drawn" in text
    [view] = [line.split() for line in ended.lines if line.startswith("  dynarc view ")]
    assert run(*view[1:], "--number", "1").status == 0
    for name in dynarc.systems():
        assert any(line.startswith(name + " ") for line in ended.lines)
    assert max(len(line) for line in ended.lines if not line.startswith("  dynarc ")) <= 100


def test_its_tree_is_the_published_example() -> None:
    ts = dynarc.system("arc-eager", root="first")
    state = ts.initial(len(demo.TREE))
    for move in (*demo.BEFORE, demo.WRONG):
        state.apply(move)
    assert demo.TREE.heads == (2, 0, 2, 5, 2, 2)
    assert (state.stack, state.buffer) == ([0, 2, 3], [4, 5, 6])
