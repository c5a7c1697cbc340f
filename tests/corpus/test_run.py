"""Corpora on one machine: every sentence once, whatever happens; what is bad is set apart; what changed is noticed."""

import doctest
import gzip
import importlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dynarc
from dynarc import ConfigError, FileError
from dynarc.convert import convert, read_any
from dynarc.corpus import Options, parse_corpus, verify_corpus
from dynarc.corpus.manifest import NAME, Manifest
from dynarc.corpus.run import Progress
from dynarc.corpus.shards import pieces
from dynarc.data import english, english_path
from dynarc.text import raw_text

SMALL = Options(size=8000)
TSV = "1\tword\t_\tNOUN\t_\t_\t_\t_\t_\t_\n"


def parts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("part-*"))}


def text_of(folder: Path, kind: Any = "conllu") -> bytes:
    """All parts, in CoNLL-U."""
    return b"".join(
        treebank.to_bytes() for path in sorted(folder.glob("part-*")) for treebank in read_any(str(path), kind)
    )


def quarantined(folder: Path) -> list[dict[str, Any]]:
    lines = b"".join(file.read_bytes() for file in sorted((folder / "quarantine").iterdir()))
    return [json.loads(line) for line in lines.splitlines()]


def parsed(model: str, paths: list[str]) -> bytes:
    """What `parse` makes of the files."""
    parser = dynarc.load(model)
    found = [parser.parse(dynarc.read_conllu(path, check_trees=False)).to_bytes() for path in paths]
    return b"".join(data if data.endswith(b"\n\n") else data + b"\n" for data in found)


@pytest.fixture
def whole(model: str, shards: list[str], tmp_path: Path) -> Path:
    """The output of a run that was not interrupted."""
    folder = tmp_path / "whole"
    report = parse_corpus(shards, folder, model=model, options=SMALL, threads=1)
    assert report.complete
    assert report.parts > 20
    return folder


def test_the_same_trees_as_parse_in_the_same_order(model: str, shards: list[str], whole: Path) -> None:
    assert text_of(whole).rstrip(b"\n") == parsed(model, shards).rstrip(b"\n")
    proof = verify_corpus(whole)
    assert proof.complete
    assert proof.sentences == sum(len(dynarc.read_conllu(path)) for path in shards)


def test_parts_do_not_depend_on_threads(model: str, shards: list[str], whole: Path, tmp_path: Path) -> None:
    seen: list[Progress] = []
    parse_corpus(shards, tmp_path / "two", model=model, options=SMALL, threads=3, progress=seen.append)
    assert parts(tmp_path / "two") == parts(whole)
    assert seen[-1].share == pytest.approx(1.0, abs=0.02)


def test_nothing_is_done_twice(model: str, shards: list[str], whole: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in whole.iterdir()}
    report = parse_corpus(shards, whole, model=model, options=SMALL)
    assert report.new_words == 0
    assert report.sentences == verify_corpus(whole).sentences
    assert {path.name: path.stat().st_mtime_ns for path in whole.iterdir()} == before


# Interruptions.


@pytest.mark.parametrize("kept", [0, 1, 4, 9])
def test_goes_on_from_what_is_in_the_manifest(
    model: str, shards: list[str], whole: Path, tmp_path: Path, kept: int
) -> None:
    """As after a crash: some parts are recorded, others only written, one is half written, the last line is torn."""
    again = tmp_path / "again"
    shutil.copytree(whole, again)
    lines = (again / NAME).read_bytes().splitlines(keepends=True)
    recorded = [line for line in lines[4:] if b'"piece"' in line]
    some = recorded[1 : 2 * kept : 2]  # with gaps, as several threads leave them
    (again / NAME).write_bytes(b"".join(lines[:4]) + b"".join(some) + recorded[0][:50])
    left = again / ".part-00000-000003.conllu.zst.0123abcd.tmp"
    left.write_bytes(b"half")
    (again / Options().name(*[json.loads(recorded[-2])[key] for key in ("shard", "piece")])).unlink()
    report = parse_corpus(shards, again, model=model, options=SMALL, threads=2)
    assert parts(again) == parts(whole)
    assert not left.exists()
    assert report.sentences == verify_corpus(again).sentences == verify_corpus(whole).sentences
    names = {(line["shard"], line["piece"]) for line in map(json.loads, recorded)}
    written = [json.loads(line) for line in (again / NAME).read_bytes().splitlines() if b'"piece"' in line]
    assert sorted((line["shard"], line["piece"]) for line in written) == sorted(names)


def test_parts_that_were_lost_are_made_again(model: str, shards: list[str], whole: Path) -> None:
    before = parts(whole)
    (whole / "part-00001-000002.conllu.zst").unlink()
    (whole / "part-00002-000000.conllu.zst").write_bytes(b"short")
    assert parse_corpus(shards, whole, model=model, options=SMALL).new_words > 0
    assert parts(whole) == before
    assert verify_corpus(whole).complete


def test_killed_again_and_again(model: str, shards: list[str], whole: Path, tmp_path: Path) -> None:
    """kill -9 after some parts of each run."""
    again = tmp_path / "again"
    code = (
        "import sys; from dynarc.corpus import *; "
        "parse_corpus(sys.argv[3:], sys.argv[2], model=sys.argv[1], options=Options(size=8000), threads=2)"
    )
    command = [sys.executable, "-c", code, model, str(again), *shards]
    kills = 0
    for wanted in (1, 5, 12, 10**6):
        process = subprocess.Popen(command)
        while process.poll() is None:
            if len(list(again.glob("part-*"))) >= wanted:
                process.send_signal(signal.SIGKILL)
                kills += process.wait() == -signal.SIGKILL
            time.sleep(0.005)
    assert process.returncode == 0
    assert kills
    assert parts(again) == parts(whole)
    assert verify_corpus(again).complete


@pytest.mark.parametrize("most", [30, 31, 32])
def test_an_error_ends_all_threads_and_leaves_what_was_finished(
    model: str, shards: list[str], whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """A disk that is full in the middle of the run: for a part, for the folder, or for the manifest."""
    real, calls = os.fsync, []

    def full(handle: int) -> None:
        calls.append(handle)
        if len(calls) > most:
            raise OSError(28, "No space left on device")
        real(handle)

    folder = tmp_path / "full"
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(FileError, match=r"No space left on device\. What is finished stays: .* goes on"):
            parse_corpus(shards, folder, model=model, options=SMALL, threads=2, check_space=False)
    assert 0 < len(Manifest.read(folder).parts) < len(parts(whole))
    assert not list(folder.glob(".part-*"))
    parse_corpus(shards, folder, model=model, options=SMALL)
    assert parts(folder) == parts(whole)


def test_no_room(model: str, shards: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(FileError, match=r"needs about \d+\.\d kB, but only 1\.0 kB are free there: make room"):
        parse_corpus(shards, tmp_path / "out", model=model)
    assert not list((tmp_path / "out").glob(".sample*"))
    assert parse_corpus(shards, tmp_path / "out", model=model, check_space=False).complete


def test_two_runs_at_once(model: str, shards: list[str], whole: Path) -> None:
    manifest = Manifest.read(whole)
    manifest.open()
    with pytest.raises(ConfigError, match="another run is writing there"):
        parse_corpus(shards, whole, model=model, options=SMALL)
    manifest.close()


# What has changed.


def grown(shards: list[str]) -> None:
    with Path(shards[0]).open("ab") as file:
        file.write(TSV.encode() + b"\n")


def other_words(shards: list[str]) -> None:
    path = Path(shards[0])
    path.write_bytes(path.read_bytes().replace(b"\tthe\t", b"\teht\t"))


def gone(shards: list[str]) -> None:
    Path(shards[2]).unlink()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (grown, "a.conllu is not what it was when its first parts were parsed"),
        (other_words, "a.conllu is not what it was"),
        (gone, "c.conllu.zst: there is no such file"),
        (lambda shards: shards.pop(), "was begun with other files (3 of them"),
    ],
)
def test_changed_inputs(
    model: str, shards: list[str], whole: Path, change: Callable[[list[str]], Any], reason: str
) -> None:
    change(shards)
    with pytest.raises((ConfigError, FileError)) as caught:
        parse_corpus(shards, whole, model=model, options=SMALL)
    assert reason in str(caught.value)


def test_changed_model_and_options(model: str, shards: list[str], whole: Path) -> None:
    with pytest.raises(ConfigError, match=r"was begun with another model \(.*small.dynarc\): go on with the same"):
        parse_corpus(shards, whole, options=SMALL)
    with pytest.raises(ConfigError, match=r"was begun with other options \(to = conllu, size = 8000\)"):
        parse_corpus(shards, whole, model=model, options=Options(to="jsonl"))


def test_a_touched_file_is_the_same(model: str, shards: list[str], whole: Path) -> None:
    for path in shards:
        os.utime(path, ns=(1, 1))
    assert parse_corpus(shards, whole, model=model, options=SMALL).new_words == 0


@pytest.mark.parametrize("place", [0, 2, 6])
def test_a_damaged_manifest(whole: Path, place: int) -> None:
    lines = (whole / NAME).read_bytes().splitlines(keepends=True)
    lines[place] = lines[place].replace(b"0", b"1", 1)
    (whole / NAME).write_bytes(b"".join(lines))
    with pytest.raises(FileError, match=f"{NAME}:{place + 1}: is damaged"):
        verify_corpus(whole)


# Quarantine.


def test_bad_sentences_are_set_apart(model: str, tmp_path: Path) -> None:
    good = english("dev").to_bytes()
    bad = b"# sent_id = bad-1\n1\tone\ttwo\n2\ttoo\tfew\n\n", b"1\ta\t_\t_\t_\t_\t9\t_\t_\t_\n\n"
    middle = good.index(b"\n\n", len(good) // 2) + 2
    path = tmp_path / "x.conllu"
    path.write_bytes(good[:middle] + bad[0] + good[middle:] + bad[1])
    report = parse_corpus([path], tmp_path / "out", model=model, options=SMALL)
    assert (report.sentences, report.bad, report.complete) == (len(english("dev")), 2, True)
    found = quarantined(tmp_path / "out")
    assert [(one["path"], one["line"]) for one in found] == [
        (str(path), good[:middle].count(b"\n") + 2),
        (str(path), (good + bad[0]).count(b"\n") + 1),
    ]
    assert found[0]["reason"].startswith("expected 10 columns separated by TAB, found 3")
    assert found[0]["source"] == bad[0].decode().rstrip("\n")
    assert found[1]["reason"].startswith("HEAD is 9, but the sentence has 1 word")
    proof = verify_corpus(tmp_path / "out")
    assert (proof.complete, proof.bad) == (True, 2)


def test_a_sentence_that_the_parser_refuses(model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = dynarc.Parser.parse

    def picky(self: Any, source: Any, **options: Any) -> Any:
        if any(sentence.sent_id == refused for sentence in source):
            raise ConfigError("not that one")
        return real(self, source, **options)

    refused = english("dev")[7].sent_id
    monkeypatch.setattr(dynarc.Parser, "parse", picky)
    report = parse_corpus([english_path("dev")], tmp_path / "out", model=model, options=SMALL, check_space=False)
    assert (report.sentences, report.bad) == (len(english("dev")) - 1, 1)
    [entry] = quarantined(tmp_path / "out")
    assert (entry["line"], entry["reason"]) == (english("dev")[7].line, "not that one")
    assert verify_corpus(tmp_path / "out").complete


def test_a_file_cut_short(model: str, shards: list[str], whole: Path, tmp_path: Path) -> None:
    """What can be read of it is parsed; when it is whole again, the same command goes on with the rest."""
    packed = Path(shards[1]).read_bytes()
    Path(shards[1]).write_bytes(packed[: len(packed) * 2 // 3])
    folder = tmp_path / "out"
    report = parse_corpus(shards, folder, model=model, options=SMALL, threads=2)
    assert list(report.broken) == [shards[1]]
    assert "ended before" in report.broken[shards[1]]
    proof = verify_corpus(folder)
    assert any(f"{shards[1]}: is in quarantine" in fault for fault in proof.faults)
    Path(shards[1]).write_bytes(packed)
    report = parse_corpus(shards, folder, model=model, options=SMALL, threads=2)
    assert report.complete
    assert verify_corpus(folder).complete
    assert text_of(folder) == text_of(whole)


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("x.conllu.gz", b"\x1f\x8b\x08 no gzip", "cannot be read"),
        ("x.parquet", b"PAR1 none", "is no Parquet file"),
    ],
)
def test_a_file_that_cannot_be_read(model: str, tmp_path: Path, name: str, data: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(data)
    report = parse_corpus([tmp_path / name, english_path("dev")], tmp_path / "out", model=model)
    assert reason in report.broken[str(tmp_path / name)]
    assert report.sentences == len(english("dev"))
    assert not verify_corpus(tmp_path / "out").complete


def test_wrong_columns_of_parquet(model: str, tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"tokens": [["a"]]}), tmp_path / "x.parquet")
    report = parse_corpus([tmp_path / "x.parquet"], tmp_path / "out", model=model)
    assert list(report.broken.values()) == ["has neither a column 'form', with words, nor 'text', only tokens"]


# Formats.


@pytest.mark.parametrize("to", ["conllu", "jsonl", "parquet"])
@pytest.mark.parametrize("source", ["conllu", "jsonl", "parquet"])
def test_formats_in_and_out(model: str, tmp_path: Path, source: Any, to: Any) -> None:
    given = tmp_path / f"in.{source}"
    convert(english_path("test"), given)
    options = Options(to=to, size=20_000 if source == "conllu" else 60_000)
    report = parse_corpus([given], tmp_path / "out", model=model, options=options, threads=2)
    assert report.parts > 1
    assert text_of(tmp_path / "out", to) == parsed(model, [str(english_path("test"))])
    assert verify_corpus(tmp_path / "out").complete


@pytest.mark.parametrize("pack", ["gz", "xz", "none"])
def test_packings(model: str, tmp_path: Path, pack: Any) -> None:
    report = parse_corpus([english_path("dev")], tmp_path / "out", model=model, options=Options(pack=pack))
    assert report.parts == 1
    assert text_of(tmp_path / "out") == parsed(model, [str(english_path("dev"))])


def test_raw_text(tmp_path: Path) -> None:
    text = raw_text(english("test")) + "\n\n"
    (tmp_path / "book.txt").write_text(text * 3, encoding="utf-8")
    report = parse_corpus([tmp_path / "book.txt"], tmp_path / "out", options=Options(size=6000), threads=2)
    found = dynarc.read_conllu(text_of(tmp_path / "out"))
    alone = dynarc.load("en").parse(text * 3)
    assert report.parts > 2
    assert [(s.forms, s.heads, s.text) for s in found] == [(s.forms, s.heads, s.text) for s in alone]
    names = [s.sent_id for s in found]
    assert len(set(names)) == len(names)
    assert names[0] == "00000-000000-1"
    assert verify_corpus(tmp_path / "out").complete


def test_text_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_bytes(b"She sings.\n\nHe \xff cries.\nLoud.\n\nIt rains.")
    report = parse_corpus([tmp_path / "book.txt"], tmp_path / "out")
    assert (report.sentences, report.bad) == (2, 1)
    [entry] = quarantined(tmp_path / "out")
    assert (entry["line"], entry["reason"]) == (3, "is not valid UTF-8")


def test_documents_as_records(tmp_path: Path) -> None:
    records = [{"id": "a", "text": "She sings. It rains."}, {"text": "Go home!"}, {"other": 1}, {"form": ["Go", "!"]}]
    data = "".join(json.dumps(record) + "\n" for record in records) + "{\n"
    with gzip.open(tmp_path / "x.jsonl.gz", "wt") as file:
        file.write(data)
    report = parse_corpus([tmp_path / "x.jsonl.gz"], tmp_path / "out", options=Options(to="jsonl"))
    assert (report.sentences, report.bad) == (4, 2)
    found = dynarc.read_conllu(text_of(tmp_path / "out", "jsonl"))
    assert [s.sent_id for s in found] == ["a-1", "a-2", "00000-000000-3", None]
    entries = quarantined(tmp_path / "out")
    assert [(one["line"], one["reason"][:40]) for one in entries] == [
        (3, "the record has neither 'form' nor 'text'"),
        (5, "is not JSON: Expecting property name enc"),
    ]
    assert verify_corpus(tmp_path / "out").complete


def test_pieces_do_not_depend_on_where_reading_began(shards: list[str]) -> None:
    from dynarc.corpus.manifest import Part
    from dynarc.corpus.shards import inputs_of

    words = "".join(f"{n}\tw\t_\t_\t_\t_\t_\t_\t_\t_\n" for n in range(1, 400))
    Path(shards[0]).write_text(f"{TSV}\n{words}\n{TSV}\n" * 3 + f"{TSV}\n" * 500)  # longer than a piece, and shorter
    for shard, one in enumerate(inputs_of(shards)):
        found = list(pieces(shard, one, 5000))
        for number in range(1, len(found)):
            before = found[number - 1]
            part = Part(shard, number - 1, before.start, before.end, before.line, before.lines, *[0] * 8)  # type: ignore[arg-type]
            done = {**dict.fromkeys(range(number - 1), part), number - 1: part}
            first = next(pieces(shard, one, 5000, done))
            assert (first.start, first.line, first.data) == (
                found[number].start,
                found[number].line,
                found[number].data,
            )


def test_a_long_sentence_is_one_piece(model: str, tmp_path: Path) -> None:
    words = "".join(f"{n}\tw\t_\tNOUN\t_\t_\t_\t_\t_\t_\n" for n in range(1, 3000))
    (tmp_path / "x.conllu").write_text(f"{TSV}\n{words}\n{TSV}\n")
    report = parse_corpus([tmp_path / "x.conllu"], tmp_path / "out", model=model, options=Options(size=100))
    assert (report.sentences, report.words, report.bad) == (3, 3001, 0)


@pytest.mark.parametrize("name", ["corpus.batch", "corpus.run", "corpus.shards", "cli.corpus"])
def test_examples_in_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"dynarc.{name}"))
    assert (found.failed, found.attempted > 0) == (0, True)


# Verification.


def test_verification_finds_what_is_wrong(model: str, shards: list[str], whole: Path) -> None:
    first, *_, last = sorted(whole.glob("part-*"))
    assert verify_corpus(whole).complete
    kept = first.read_bytes()
    first.write_bytes(kept[:-1] + b"x")
    assert [fault.partition(": ")[2] for fault in verify_corpus(whole).faults] == [
        "is not what was written: its checksum is another"
    ]
    first.write_bytes(kept)
    last.rename(last.with_name("part-00009-000000.conllu.zst"))
    faults = verify_corpus(whole, inputs=False).faults
    assert len(faults) == 2
    assert any("is not in the manifest" in fault for fault in faults)
    last.with_name("part-00009-000000.conllu.zst").rename(last)
    other_words(shards)
    assert any("the file is not what it was when it was parsed" in fault for fault in verify_corpus(whole).faults)
    assert verify_corpus(whole, inputs=False).complete


def test_verification_of_a_run_that_was_not_finished(whole: Path) -> None:
    lines = (whole / NAME).read_bytes().splitlines(keepends=True)
    (whole / NAME).write_bytes(b"".join(lines[:6]))
    assert any("has not been parsed to its end" in fault for fault in verify_corpus(whole).faults)
