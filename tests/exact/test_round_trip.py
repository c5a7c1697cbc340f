"""Every file of every treebank: what is read and not changed is written as it was, byte for byte."""

import os
from functools import cache
from pathlib import Path

import pytest
from tests.conftest import ROOT

from dynarc import Treebank, iter_treebanks, read_conllu

FOLDER = Path(os.environ.get("DYNARC_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
NAMES = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.conll*")) or ["none"]
ONE_OF_EACH = [name for name in NAMES if Path(name).stem == "dev"] or NAMES


@cache
def read(path: Path) -> Treebank:
    return read_conllu(path)


def streamed(path: Path, block: int) -> bytes:
    return b"".join(part.to_bytes() for part in iter_treebanks(path, block=block))


@pytest.mark.parametrize("name", NAMES)
def test_whole(treebanks: Path, name: str) -> None:
    assert read_conllu(treebanks / name).to_bytes() == (treebanks / name).read_bytes()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("block", [4096, 1 << 20])
def test_streamed(treebanks: Path, name: str, block: int) -> None:
    assert streamed(treebanks / name, block) == (treebanks / name).read_bytes()


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_streamed_a_few_bytes_at_a_time(treebanks: Path, name: str) -> None:
    assert streamed(treebanks / name, 100) == (treebanks / name).read_bytes()


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_streamed_sentences_are_where_they_are_in_the_whole(treebanks: Path, name: str) -> None:
    parts = iter_treebanks(treebanks / name, block=10_000)
    whole = read(treebanks / name)
    assert [(s.line, s.sent_id, len(s)) for part in parts for s in part] == [(s.line, s.sent_id, len(s)) for s in whole]


@pytest.mark.parametrize("name", ONE_OF_EACH)
@pytest.mark.parametrize("suffix", ["gz", "xz", "zst"])
def test_packed(treebanks: Path, name: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"{Path(name).name}.{suffix}"
    whole = read(treebanks / name)
    whole.write(path)
    size = (treebanks / name).stat().st_size
    assert path.stat().st_size < size / 2
    assert read_conllu(path).to_bytes() == (treebanks / name).read_bytes() == streamed(path, 10_000)
    assert read_conllu(path).format == whole.format


@pytest.mark.parametrize("name", ONE_OF_EACH)
@pytest.mark.parametrize("cut", [slice(5, 100), slice(None, None, 7), slice(None, None, -3), slice(0, 0)], ids=str)
def test_slices(treebanks: Path, name: str, cut: slice, tmp_path: Path) -> None:
    path = tmp_path / "slice.conllu"
    part = read(treebanks / name)[cut]
    part.write(path)
    again = read_conllu(path)
    assert again == part
    assert [list(s.forms) for s in again] == [list(s.forms) for s in list(read(treebanks / name))[cut]]


@pytest.mark.parametrize("name", ONE_OF_EACH)
def test_other_ways_to_write_the_same_columns(treebanks: Path, name: str) -> None:
    """With CRLF and a byte-order mark it is another file, with the same sentences, that comes back as it was."""
    data = (treebanks / name).read_bytes()
    assert b"\r" not in data
    other = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    again = read_conllu(other)
    assert again.to_bytes() == other
    assert b"".join(s.to_bytes() for s in again).replace(b"\r\n", b"\n") == b"".join(
        s.to_bytes() for s in read(treebanks / name)
    )
