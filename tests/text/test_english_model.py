"""The English model that comes with the package."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import dynarc
from dynarc.data import bundled, english
from dynarc.model_file import read_model_file
from dynarc.text import raw_text

MOST_BYTES = 10_000_000


def test_is_small_and_says_where_it_comes_from() -> None:
    path = bundled("en")
    assert path is not None
    assert path.stat().st_size <= MOST_BYTES
    metadata = read_model_file(path).metadata
    assert metadata["licence"] == "CC BY-SA 4.0"
    assert "UD_English-EWT" in metadata["attribution"]
    assert "CC BY-SA 4.0" in (path.parent / "README.md").read_text(encoding="utf-8")
    info = json.loads(metadata["info"])
    assert info["data"]["path"] == "UD_English-EWT, train"
    assert json.loads(metadata["calibration"])["data"].startswith("UD_English-EWT, dev")


def test_parses_other_texts() -> None:
    gold = english("test")  # another treebank, of other texts
    found = dynarc.load("en").parse(raw_text(gold))
    scores = dynarc.evaluate(gold, found, protocol="ud").official
    assert scores["Words"].f1 > 98
    assert scores["UPOS"].f1 > 90
    assert scores["LAS"].f1 > 75


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("en").write_text("no model", encoding="utf-8")
    with pytest.raises(dynarc.ModelFormatError):
        dynarc.load("en")
    with pytest.raises(dynarc.FileError):
        dynarc.load("xx")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_text_is_drawn_on_a_terminal() -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "dynarc.cli", "parse", "en", "She saw the man with a telescope."]
    with subprocess.Popen(command, stdout=theirs, env={**os.environ, "COLUMNS": "100", "TERM": "dumb"}) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                block = os.read(ours, 4096)
            except OSError:  # Linux says so that the other side is closed
                break
            if not block:
                break
            seen += block
    os.close(ours)
    assert process.returncode == 0
    assert b"nsubj" in seen
    assert b"of the whole tree" in seen
    assert b"\t" not in seen
