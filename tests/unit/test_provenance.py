"""What models say of their data."""

import gzip
import hashlib
from pathlib import Path

import pytest

from dynarc import Treebank, read_conllu
from dynarc.data import english, english_path
from dynarc.provenance import licence_of, provenance, sha256


def test_a_file_has_its_own_checksum(tmp_path: Path) -> None:
    data = english_path("dev").read_bytes()
    packed = tmp_path / "dev.conllu.gz"
    packed.write_bytes(gzip.compress(data))
    for treebank in (english("dev"), read_conllu(packed), read_conllu(data)):
        assert sha256(treebank) == hashlib.sha256(data).hexdigest()
    changed = english("dev").copy()
    changed[0].heads[0] = 0
    assert sha256(changed) == hashlib.sha256(changed.to_bytes()).hexdigest() != hashlib.sha256(data).hexdigest()


def test_several_files_are_all_named() -> None:
    both = Treebank.joined([english("dev"), english("test")])
    found = provenance(both)
    assert found["path"] == f"{english_path('dev')}, {english_path('test')}"
    assert found["sha256"] == hashlib.sha256(both.to_bytes()).hexdigest()
    assert found["licence"] == "CC0 1.0"


def test_nothing_at_all() -> None:
    assert provenance(Treebank()) == {
        "path": "<treebank>",
        "sentences": 0,
        "words": 0,
        "sha256": hashlib.sha256().hexdigest(),
    }


@pytest.mark.parametrize(
    ("name", "text", "licence"),
    [
        ("README.md", "=== Machine-readable metadata\nLicense: CC BY-SA 4.0\nGenre: news\n", "CC BY-SA 4.0"),
        ("README.txt", "Licence:  LGPL \n", "LGPL"),
        ("README.md", "License:\nsee LICENSE\n", None),
        ("readme", "License: MIT", None),
    ],
)
def test_licences(tmp_path: Path, name: str, text: str, licence: str | None) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert licence_of(str(tmp_path / "train.conllu")) == licence


def test_what_is_no_file_has_no_licence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("README.md").write_text("License: MIT\n", encoding="utf-8")
    for name in ("<stdin>", "<bytes>", "<treebank>", ""):
        assert licence_of(name) is None
