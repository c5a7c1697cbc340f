"""dynarc demo."""

import re
import shlex
from pathlib import Path

import pytest

import dynarc
from dynarc.cli import demo

from .conftest import Run
from .pages import Page


def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the acts that take time and write nothing."""
    monkeypatch.setattr(demo, "_all_systems", lambda console: None)
    monkeypatch.setattr(demo, "EPOCHS", 1)


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
    assert commands.pop(0)[:2] == ["parse", "en"]
    assert "How sure it is of each head: She" in text
    assert [command[0] for command in commands[:3]] == ["train", "parse", "eval"]
    for command in commands:
        assert run(*command).status == 0, command
    figures = [line.split() for line in ended.lines if line.startswith(("static ", "dynamic "))]
    assert [float(line[2]) > 75 for line in figures] == [True, True]
    for name in dynarc.systems():
        assert any(line.startswith(name + " ") for line in ended.lines)
    assert max(len(line) for line in ended.lines if not line.startswith("  dynarc ")) <= 100


def test_report(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quick(monkeypatch)
    ended = run("demo")
    assert "errors by label: dynarc-demo.html" in " ".join(ended.lines)
    text = Path("dynarc-demo.html").read_text(encoding="utf-8")
    page = Page(text)
    for heading in ("What was trained", "Static against dynamic", "Sentences", "Errors by label"):
        assert heading in page.text
    assert text.count("<svg") >= 3
    assert 'class="arc wrong"' in text
    assert 'class="arc gold"' in text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)  # nothing from elsewhere
    again = run("demo")  # our own page is made anew
    assert "There is no report" not in again.out
    assert list(tmp_path.iterdir()) == [tmp_path / "dynarc-demo.html"]


def test_a_file_that_is_not_ours_stays(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quick(monkeypatch)
    Path("dynarc-demo.html").write_text("<p>mine</p>", encoding="utf-8")
    ended = run("demo")
    assert ended.status == 0
    assert "There is no report: dynarc-demo.html is not one of ours and stays." in " ".join(ended.lines)
    assert Path("dynarc-demo.html").read_text(encoding="utf-8") == "<p>mine</p>"
    named = run("demo", "--report", "dynarc-demo.html")
    assert "dynarc-demo.html, in place of the file that was there" in " ".join(named.lines)
    assert "Static against dynamic" in Path("dynarc-demo.html").read_text(encoding="utf-8")


def test_no_report(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    quick(monkeypatch)
    assert "report" not in run("demo", "--no-report").out
    assert run("demo", "--no-report", "--report", "a.html").status == 2
    ended = run("demo", "--report", "no/a.html")
    assert (ended.status, ended.out) == (1, "")
    assert "there is no folder 'no'" in ended.err
    assert not list(tmp_path.iterdir())


def test_its_tree_is_the_published_example() -> None:
    ts = dynarc.system("arc-eager", root="first")
    state = ts.initial(len(demo.TREE))
    for move in (*demo.BEFORE, demo.WRONG):
        state.apply(move)
    assert demo.TREE.heads == (2, 0, 2, 5, 2, 2)
    assert (state.stack, state.buffer) == ([0, 2, 3], [4, 5, 6])
