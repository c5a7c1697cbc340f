"""dynarc stats: one table for all files, and the same counts as JSON."""

import json
from pathlib import Path

import pytest

from .conftest import OWN, Run


@pytest.fixture
def own(tmp_path: Path) -> str:
    path = tmp_path / "own.conllu"
    path.write_text(OWN, encoding="utf-8")
    return str(path)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_one_file(run: Run, own: str) -> None:
    ended = run("stats", own)
    assert ended.status == 0
    # The first table comes last, since a line of the later ones begins like one of its own.
    table = {cells(line)[0]: cells(line)[1:] for line in reversed(ended.lines) if len(cells(line)) > 1}
    assert table["sentences"] == ["4"]
    assert table["words"] == ["14"]
    assert table["non-projective sentences"] == ["1 (25.00%)"]
    assert table["sentences with several roots"] == ["1 (25.00%)"]
    assert table["sentences with cycles"] == ["1 (25.00%)"]
    assert table["sentences without a root"] == ["1 (25.00%)"]
    assert "multiword tokens" not in table
    assert table["root"] == ["4", "28.57%"]
    assert (
        ended.lines[-1]
        == "No value: lemmas in 14 words, xpos in 14 words, feats in 14 words, deprels in 1 word, heads in 1 word"
    )


def test_several_files_and_all(run: Run, own: str) -> None:
    lines = run("stats", own, "-", "--top", "1", stdin=OWN).lines
    assert cells(lines[0])[-2:] == ["<stdin>", "all"]
    assert cells(lines[1]) == ["sentences", "4", "4", "8"]
    assert "UPOS, the first 1 of 8" in lines
    assert not any("Relations" in line for line in run("stats", own, "--top", "0").lines)


def test_names_without_the_common_folder(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/train.conllu", "b/dev.conllu"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(OWN, encoding="utf-8")
    lines = run("stats", str(tmp_path / "a/train.conllu"), str(tmp_path / "b/dev.conllu")).lines
    assert cells(lines[0]) == ["a/train.conllu", "b/dev.conllu", "all"]
    monkeypatch.chdir(tmp_path)
    lines = run("stats", "a/train.conllu", str(tmp_path / "b/dev.conllu")).lines
    assert cells(lines[0]) == ["a/train.conllu", str(tmp_path / "b/dev.conllu"), "all"]


def test_json(run: Run, own: str) -> None:
    document = json.loads(run("stats", own, own, "--json").out)
    assert [file["path"] for file in document["files"]] == [own, own]
    assert document["all"]["words"] == 28
    assert document["files"][0]["deprels"]["root"] == 4
    assert document["files"][0]["different_forms"] == 14
    assert document["files"][0]["lengths"] == {"2": 1, "3": 2, "6": 1}


def test_nothing_in_it(run: Run) -> None:
    ended = run("stats", "-", stdin="")
    assert ended.status == 0
    assert cells(ended.lines[1]) == ["sentences", "0"]


def test_a_bad_file_is_one_error_unless_it_is_skipped(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text("1\tx\n\n" + OWN, encoding="utf-8")
    ended = run("stats", str(path), "--json")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith(f"dynarc: error: {path}:1:1: expected 10 columns")
    ended = run("stats", str(path), "--json", "--skip-bad")
    assert ended.status == 0
    assert json.loads(ended.out)["all"]["sentences"] == 4
    assert ended.err.startswith(f"dynarc: skipped: {path}:1:1: expected 10 columns")
