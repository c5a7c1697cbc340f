"""dynarc experiment: what it says of its tables, of names it does not know, and of data that is not there."""

import json
from pathlib import Path

import pytest

import dynarc

from .conftest import Run


def test_list(run: Run) -> None:
    ended = run("experiment", "--list", "default-features", "--treebanks", "english", "--seeds", "1")
    assert ended.status == 0
    assert ended.lines[0].startswith("default-features       2 cells,     0 finished")
    found = json.loads(run("experiment", "--list", "recipe", "--treebanks", "english", "--seeds", "1", "--json").out)
    assert [row["name"] for row in found["experiments"]] == ["recipe", "all of these"]
    assert found["experiments"][0]["cells"] == 20


def test_quick(run: Run) -> None:
    ended = run("experiment", "training-speed", "--quick")
    assert ended.status == 0
    assert ended.out == ""
    assert "1 compared with what is kept, 0 different" in ended.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "which experiment?"),
        (("oracles-2013",), "there is no experiment 'oracles-2013'"),
        (("recipe", "--seeds", "one"), "numbers with commas"),
        (("recipe", "--folds", "1"), "takes 2 or more"),
        (("recipe", "--data", "no-such-folder"), "there is no such folder"),
        (("recipe", "--quick", "--seeds", "1"), "--seeds does not go with --quick"),
        (("recipe", "--cached", "--again"), "--again does not go with --cached"),
        (("recipe", "--json"), "--json does not go without --list"),
    ],
)
def test_wrong_usage_is_one_line(run: Run, arguments: tuple[str, ...], words: str) -> None:
    ended = run("experiment", *arguments)
    assert (ended.status, ended.out) == (2, "")
    assert words in ended.err
    assert ended.err.count("\n") == 1


def test_missing_data_is_one_line(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNARC_TREEBANKS", str(tmp_path))
    ended = run("experiment", "learners-2012", "--treebanks", "xx_none", "--seeds", "1", "--data", str(tmp_path))
    assert ended.status == 1
    assert ended.err.count("\n") == 1
    assert "'xx_none'" in ended.err
    assert "--data or DYNARC_TREEBANKS" in ended.err


def test_without_a_checkout_it_says_where_experiments_are(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if the package were installed from a wheel."""
    monkeypatch.setattr(dynarc, "__file__", str(tmp_path / "site-packages" / "dynarc" / "__init__.py"))
    monkeypatch.chdir(tmp_path)
    ended = run("experiment", "recipe")
    assert ended.status == 2
    assert "part of dynarc's repository, not of the package" in ended.err
