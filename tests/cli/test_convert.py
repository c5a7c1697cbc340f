"""dynarc convert: nothing is lost but what a format has no room for, and nothing is left half-written."""

import json
from pathlib import Path

import pytest

from dynarc import read_conllu

from .conftest import Run

TREES = """\
# newdoc
# sent_id = a-1
# text = She's gone
1-2	She's	_	_	_	_	_	_	_	_
1	She	she	PRON	PRP	Case=Nom	3	nsubj	3:nsubj	_
2	's	be	AUX	VBZ	_	3	aux	3:aux	_
3	gone	go	VERB	VBN	_	0	root	0:root	SpaceAfter=No
3.1	away	_	ADV	_	_	_	_	3:advmod	_

1	in spite	_	X	_	_	_	_	_	a=b=c

"""
CONLLX = """\
1	Hej	_	IN	IN	_	2	d	2	d
2	du	_	PN	PN	_	0	ROOT	0	ROOT

"""


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    path = tmp_path / "trees.conllu"
    path.write_text(TREES, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["b.jsonl", "b.ndjson.gz", "b.parquet", "b.conllu.zst", "b.conllu"])
def test_there_and_back(run: Run, trees: Path, tmp_path: Path, name: str) -> None:
    there, back = tmp_path / name, tmp_path / "back.conllu"
    ended = run("convert", str(trees), "-o", str(there))
    assert (ended.status, ended.out, ended.err) == (0, "", f"2 sentences written to {there}\n")
    assert run("convert", str(there), "-o", str(back)).status == 0
    assert back.read_text(encoding="utf-8") == TREES


@pytest.mark.parametrize("change", [("\n", "\r\n"), ("\n\n", "\n  \n"), ("", "")])
def test_conllu_changes_no_byte(run: Run, tmp_path: Path, change: tuple[str, str]) -> None:
    data = b"\xef\xbb\xbf" + (TREES * 3).replace(*change).rstrip().encode()
    source, target = tmp_path / "a.conllu", tmp_path / "b.conllu"
    source.write_bytes(data)
    assert run("convert", str(source), "-o", str(target)).status == 0
    assert target.read_bytes() == data


def test_several_files_become_one(run: Run, tmp_path: Path) -> None:
    one = tmp_path / "one.conllu"
    one.write_bytes(b"\xef\xbb\xbf" + TREES.rstrip("\n").encode())
    ended = run("convert", str(one), str(one), "-", stdin=TREES)
    assert ended.out == "\ufeff" + TREES * 3


def test_conllx_has_words_only(run: Run, trees: Path) -> None:
    out = run("convert", str(trees), "--to", "conllx").out
    assert [line.split("\t")[0] for line in out.splitlines()] == ["1", "2", "3", "", "1", ""]
    assert all(line.endswith("\t_\t_") for line in out.splitlines() if line)
    assert "3\tgone\tgo\tVERB\tVBN\t_\t0\troot\t_\t_" in out.splitlines()


def test_the_last_columns_of_conllx_are_not_those_of_conllu(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.conll"
    path.write_text(CONLLX, encoding="utf-8")
    assert run("convert", str(path), "--to", "conllx").out == CONLLX
    assert run("convert", str(path)).out == CONLLX.replace("\t2\td\n", "\t_\t_\n").replace("\t0\tROOT\n", "\t_\t_\n")
    [line] = run("convert", str(path), "--to", "jsonl").lines
    assert json.loads(line)["misc"] == ["_", "_"]


def test_records_of_others(run: Run) -> None:
    record = json.dumps({"form": ["Go", "on"], "head": [0, None], "sent_id": "x", "other": 1})
    out = run("convert", "-", "--from", "jsonl", stdin=record + "\n\n").out
    assert out == "# sent_id = x\n1\tGo\t_\t_\t_\t_\t0\t_\t_\t_\n2\ton\t_\t_\t_\t_\t_\t_\t_\t_\n\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "<stdin>:2: is not JSON: "),
        ("[]", "<stdin>:2: must be a JSON object for a sentence"),
        ("{}", "<stdin>:2: the record has no 'form'"),
        ('{"form": "Go"}', "<stdin>:2: 'form' must be a list"),
        ('{"form": ["Go"], "upos": []}', "<stdin>:2: 'upos' must be a list of 1 values"),
        ('{"form": ["Go\\nto"]}', "<stdin>:2: a value holds a line end"),
        ('{"form": ["Go"], "head": [2]}', "<stdin>:2: HEAD is 2, but the sentence has 1 word"),
    ],
)
def test_bad_records(run: Run, tmp_path: Path, text: str, message: str) -> None:
    target = tmp_path / "b.conllu"
    ended = run("convert", "-", "--from", "jsonl", "-o", str(target), stdin=f'{{"form": ["Good"]}}\n{text}\n')
    assert ended.status == 1
    assert ended.err.startswith(f"dynarc: error: {message}")
    assert len(ended.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_parquet(run: Run, trees: Path, tmp_path: Path) -> None:
    ended = run("convert", str(trees), "--from", "parquet", "-o", str(tmp_path / "b.conllu"))
    assert ended.status == 1
    assert ended.err.startswith(f"dynarc: error: {trees}: is no Parquet file: ")
    assert [path.name for path in tmp_path.iterdir()] == ["trees.conllu"]


def test_nothing_is_half_written(run: Run, trees: Path, tmp_path: Path) -> None:
    target = tmp_path / "old.conllu"
    target.write_text("what was there", encoding="utf-8")
    bad = tmp_path / "bad.conllu"
    bad.write_text(TREES + "1\tbroken\n", encoding="utf-8")
    ended = run("convert", str(trees), str(bad), "-o", str(target))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == f"dynarc: error: {bad}:12:1: expected 10 columns separated by TAB, found 2: '1\\tbroken'\n"
    assert target.read_text(encoding="utf-8") == "what was there"
    assert len(list(tmp_path.iterdir())) == 3


def test_skip_bad(run: Run, tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\tx\n\n" * 25 + TREES, encoding="utf-8")
    ended = run("convert", str(bad), "--skip-bad")
    assert (ended.status, ended.out) == (0, TREES)
    lines = ended.err.splitlines()
    assert lines[0].startswith(f"dynarc: skipped: {bad}:1:1: expected 10 columns")
    assert len(lines) == 21
    assert lines[-1] == "dynarc: sentences with 25 bad lines were left out, 5 of them not named here"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["a.txt"], "the name 'a.txt' does not tell the format"),
        (["a.conllu", "-o", "b.xls"], "the name 'b.xls' does not tell the format"),
        (["a.jsonl", "--skip-bad"], "a.jsonl: only sentences of CoNLL-U and CoNLL-X can be skipped"),
        (["a.conllu", "--to", "xls"], "--to"),
    ],
)
def test_wrong_usage(run: Run, args: list[str], message: str) -> None:
    ended = run("convert", *args)
    assert ended.status == 2
    assert message in ended.err


def test_treebanks_survive_every_format(run: Run, treebanks: Path, tmp_path: Path) -> None:
    # The two with multiword tokens and empty nodes.
    for code in ("en_ewt", "cs_cltt"):
        source = treebanks / code / "dev.conllu"
        for name in ("a.jsonl.zst", "a.parquet"):
            there, back = tmp_path / name, tmp_path / "back.conllu"
            assert run("convert", str(source), "-o", str(there)).status == 0
            assert run("convert", str(there), "-o", str(back)).status == 0
            assert read_conllu(back) == read_conllu(source)
