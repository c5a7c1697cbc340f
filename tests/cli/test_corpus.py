"""dynarc corpus on the command line: what it says, how it ends, and what it refuses."""

import json
import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from dynarc import read_conllu
from dynarc.cli.corpus import duration
from dynarc.data import english, english_path
from dynarc.files import reading

DEV = str(english_path("dev"))


def test_parse_verify_and_go_on(run: Run, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    ended = run("corpus", DEV, "-o", out, "--to", "conllu", "--pack", "gz", "--threads", "2")
    assert ended.status == 0, ended.err
    assert "119 sentences, 1,281 words in 1 part of 1 file" in ended.err
    with reading(f"{out}/part-00000-000000.conllu.gz", "x") as stream:
        assert [s.forms for s in read_conllu(stream.read())] == [s.forms for s in english("dev")]
    again = run("corpus", DEV, "-o", out, "--pack", "gz")
    assert (again.status, "nothing was left to do" in again.err) == (0, True)
    proof = run("corpus", "--verify", out)
    assert (proof.status, proof.out) == (0, "complete: 119 sentences, 1,281 words in 1 part, all of 1 file\n")
    as_json = json.loads(run("corpus", "--verify", out, "--without-inputs", "--json").out)
    assert (as_json["complete"], as_json["with_inputs"], as_json["words"]) == (True, False, 1281)


def test_quarantine(run: Run, tmp_path: Path) -> None:
    bad, broken, out = tmp_path / "bad.conllu", tmp_path / "broken.conllu.gz", str(tmp_path / "out")
    bad.write_text("1\tone\n\n1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    broken.write_bytes(b"\x1f\x8b\x08")
    assert run("corpus", str(bad), "-o", out).status == 0
    assert run("corpus", str(bad), "-o", out, "--strict").status == 1
    ended = run("corpus", str(bad), str(broken), "-o", f"{out}-2", "--json")
    assert ended.status == 1
    assert f"dynarc: in quarantine: {broken}: cannot be read" in ended.err
    assert f"dynarc: 1 sentence is in quarantine, with reasons: {out}-2/quarantine" in ended.err
    assert json.loads(ended.out)["broken"].keys() == {str(broken)}
    proof = run("corpus", "--verify", f"{out}-2")
    assert proof.status == 1
    assert "not complete: 1 fault; 1 sentence in quarantine" in proof.out


def test_folders(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in/deep").mkdir(parents=True)
    (tmp_path / "in/README").write_text("no corpus", encoding="utf-8")
    for name in ("b.conllu", "deep/a.txt"):
        (tmp_path / "in" / name).write_text(
            "Go!" if name.endswith("txt") else "1\tGo\t_\t_\t_\t_\t_\t_\t_\t_\n\n", "utf-8"
        )
    ended = run("corpus", str(tmp_path / "in"), "-o", str(tmp_path / "out"))
    assert "2 sentences, 3 words in 2 parts of 2 files" in ended.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "which files are to be parsed? Name some, or folders"),
        ([DEV], "where to? Name a folder with -o"),
        (["-", "-o", "OUT"], "a corpus is read from files, which an interrupted run can return to"),
        ([DEV, DEV, "-o", "OUT"], "dev.conllu is named twice"),
        (["x.conllu", "-o", "OUT"], "x.conllu: there is no such file"),
        (["x.doc", "-o", "OUT"], "x.doc: there is no such file"),
        ([DEV, "-o", "OUT/a/b"], "OUT/a/b: there is no folder 'OUT/a' to make it in"),
        ([DEV, "-o", DEV], "dev.conllu: is a file: a corpus is written to a folder"),
        ([DEV, "-o", "."], ".: is a folder with other things in it, and no corpus that could be gone on with"),
        ([DEV, "-o", "/proc/dynarc"], "/proc/dynarc: "),
        ([DEV, "-o", "OUT", "-m", "none"], "none: there is no such file"),
        ([DEV, "-o", "OUT", "--ray", "auto"], "--ray does not go without --engine daft"),
        ([DEV, "-o", "OUT", "--without-inputs"], "--without-inputs does not go without --verify"),
        (["--verify", "OUT"], "OUT/manifest.jsonl: cannot be read: No such file or directory"),
        (["--verify", "OUT", DEV], "--verify takes a folder that was written"),
        (["--verify", "OUT", "-o", "X"], "--output does not go with --verify"),
    ],
)
def test_what_does_not_go(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("other").write_text("", encoding="utf-8")
    ended = run("corpus", *arguments)
    assert ended.status in (1, 2)
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not Path("OUT").exists()


def test_a_folder_that_is_not_open_to_writing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    ended = run("corpus", DEV, "-o", str(tmp_path / "out"))
    assert (ended.status, "out: cannot be written: the folder is not open to writing" in ended.err) == (1, True)


def test_without_the_engine(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "daft", None)
    ended = run("corpus", DEV, "-o", str(tmp_path / "out"), "--engine", "daft")
    assert ended.status == 2
    assert "this needs daft, which is not installed: pip install 'dynarc[cluster]'" in ended.err


def test_durations() -> None:
    assert [duration(s) for s in (0, 59.6, 3599, 3700)] == ["0:00", "1:00", "59:59", "1:01:40"]
