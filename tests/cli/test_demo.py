"""dynarc demo."""

import shlex
from pathlib import Path

import pytest

import dynarc
from dynarc.cli import demo

from .conftest import Run


def test_demo(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the commands it ends with leave files behind
    ended = run("demo")
    assert (ended.status, ended.err) == (0, "")
    text = " ".join(ended.lines)
    assert "undefined here: [ROOT fed us] [hot soup .]" in text
    assert "The static rules lose 3 arcs, the dynamic oracle 1." in text
    assert "of oracles that claim to be exact: 0 wrong" in text
    assert "Its dev part has 119 sentences and 1,281 words; 11 trees cannot be drawn" in text
    commands = [shlex.split(line)[1:] for line in ended.lines if line.startswith("  dynarc ")]
    assert [command[0] for command in commands[:3]] == ["train", "parse", "eval"]
    for command in commands:
        assert run(*command).status == 0, command
    figures = [line.split() for line in ended.lines if line.startswith(("static ", "dynamic "))]
    assert [float(line[2]) > 75 for line in figures] == [True, True]
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
