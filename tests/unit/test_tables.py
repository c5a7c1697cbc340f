"""Tables and records: there and back, and what cannot be a sentence."""

import io
import json
import re
import sys

import pytest

from dynarc import ConfigError, FileError, Treebank, read_conllu
from dynarc.tables import from_arrow, from_records, iter_jsonl, record, sentence_of, to_jsonl

DATA = (
    "# newdoc\n# sent_id = a\n# text = x \u2028 y\n"
    "1-2\txy\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tx\tX\tNOUN\tN\tA=b\t2\tdep\t_\tM=1\n"
    "2\ty\t\tVERB\t_\t_\t0\troot\t0:root\ta\rb \x85\n"
    "2.1\tz\t_\t_\t_\t_\t_\t_\t2:dep\t_\n\n"
    "1\tw\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
).encode()


@pytest.fixture
def treebank() -> Treebank:
    return read_conllu(DATA, name="a.conllu")


def test_record(treebank: Treebank) -> None:
    assert record(treebank[0]) == {
        "sent_id": "a",
        "text": "x \u2028 y",
        "comments": ["# newdoc", "# sent_id = a", "# text = x \u2028 y"],
        "id": ["1-2", "1", "2", "2.1"],
        "form": ["xy", "x", "y", "z"],
        "lemma": ["_", "X", "", "_"],
        "upos": ["_", "NOUN", "VERB", "_"],
        "xpos": ["_", "N", "_", "_"],
        "feats": ["_", "A=b", "_", "_"],
        "head": [None, 2, 0, None],
        "deprel": ["_", "dep", "root", "_"],
        "deps": ["_", "_", "0:root", "2:dep"],
        "misc": ["_", "M=1", "a\rb \x85", "_"],
    }
    assert record(treebank[1])["sent_id"] is None


def test_form_is_enough() -> None:
    row = "\t_\t_\t_\t_\t_\t_\t_\t_\n"
    assert sentence_of({"form": ["a", "b"]}, "x") == f"1\ta{row}2\tb{row}\n".encode()
    assert sentence_of({"form": ["a"], "sent_id": "s", "text": "a", "comments": None}, "x").startswith(
        b"# sent_id = s\n# text = a\n1\ta\t"
    )
    [one] = from_records([{"form": ["a", "b"], "head": [2, 0], "id": [1, 2], "lemma": [None, "l"], "other": 1}])
    assert (one.heads, one.lemmas) == ([2, 0], ["_", "l"])


def test_json_lines(treebank: Treebank) -> None:
    out = io.BytesIO(to_jsonl(treebank))
    lines = out.getvalue().decode().split("\n")
    assert [json.loads(line) for line in lines[:-1]] == [record(sentence) for sentence in treebank]
    assert lines[-1] == ""
    spaced = io.BytesIO(b"\n" + out.getvalue().replace(b"\n", b"\r\n \n"))
    parts = list(iter_jsonl(spaced, "a.jsonl", block=1))
    assert [len(part) for part in parts] == [1, 1]
    assert b"".join(part.to_bytes() for part in parts) == DATA
    assert parts[0].path == "a.jsonl"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is not JSON: "),
        (b"\xff", "is not JSON: "),
        (b"[" * 100_000, "is not JSON: "),
        (b"[1]", "must be a JSON object for a sentence"),
        (b"null", "must be a JSON object for a sentence"),
        (b"{}", "the record has no 'form', only nothing"),
        (b'{"a": 1}', "the record has no 'form', only 'a'"),
        (b'{"form": null}', "the record has no 'form', only 'form'"),
        (b'{"form": "ab"}', "'form' must be a list"),
        (b'{"form": []}', "a sentence needs at least one word, but 'form' is empty"),
        (b'{"form": ["a"], "upos": "X"}', "'upos' must be a list of 1 values, as many as 'form' has"),
        (b'{"form": ["a"], "upos": []}', "'upos' must be a list of 1 values, as many as 'form' has"),
        (b'{"form": ["a"], "comments": "# a"}', "'comments' must be a list"),
        (b'{"form": ["a"], "comments": [1]}', "1 is no comment: it must be text that begins with #"),
        (b'{"form": ["a"], "comments": [""]}', "'' is no comment: it must be text that begins with #"),
        (b'{"form": ["a"], "comments": ["# a\\n# b"]}', "a value holds a line end"),
        (b'{"form": ["a"], "comments": ["# a\\r"]}', "a value holds a line end"),
        (b'{"form": ["a"], "sent_id": "a\\nb"}', "a value holds a line end"),
        (b'{"form": ["a\\nb"]}', "a value holds a line end"),
        (b'{"form": ["a\\tb"]}', "expected 10 columns separated by TAB, found 11: "),
        (b'{"form": ["a\\u0000"]}', "holds a NUL byte"),
        (b'{"form": ["\\ud800"]}', "a value holds half a surrogate pair, which is no character"),
        (b'{"form": [["a"]]}', "'form' holds ['a'], which is neither text nor a whole number"),
        (b'{"form": [true]}', "'form' holds True, which is neither text nor a whole number"),
        (b'{"form": ["a"], "head": [0.0]}', "'head' holds 0.0, which is neither text nor a whole number"),
        (b'{"form": ["a"], "head": [-1]}', "HEAD is '-1', but must be"),
        (b'{"form": ["a"], "head": [2]}', "HEAD is 2, but the sentence has 1 word"),
        (b'{"form": ["a"], "head": [1]}', "word 1 is its own head"),
        (b'{"form": ["a"], "id": ["2"]}', "ID is '2', but word 1 comes next"),
        (b'{"form": ["a"], "id": ["0.1"]}', "the sentence has no word"),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_bad_records(line: bytes, reason: str) -> None:
    stream = io.BytesIO(b'{"form": ["fine"]}\n\n' + line + b"\n")
    with pytest.raises(FileError) as caught:
        list(iter_jsonl(stream, "a.jsonl"))
    assert str(caught.value).startswith(f"a.jsonl:3: {reason}")


def test_bad_records_without_lines() -> None:
    with pytest.raises(FileError, match=re.escape("r: HEAD is 2, but the sentence has 1 word (line 3 of its CoNLL-U)")):
        from_records([{"form": ["a"]}, {"form": ["a"], "head": [2]}], path="r")


def test_heads_of_lines_that_are_no_words() -> None:
    """A file may have anything there; a table has null."""
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    data = "".join(
        f"{name}\tx\t_\t_\t_\t_\t{head}\t_\t_\t_\n"
        for name, head in [("0.1", "²"), ("1-1", "9" * 5000), ("1", "0"), ("1.1", "1.5"), ("1.2", "1")]
    )
    treebank = read_conllu(data.encode())
    expected = [None, None, 0, None, None]
    assert record(treebank[0])["head"] == expected
    assert treebank.to_arrow().to_pylist()[0]["head"] == expected
    assert treebank.to_arrow(by="token")["head"].to_pylist() == expected
    assert treebank.to_pandas()["head"].isna().to_list() == [head is None for head in expected]


def test_arrow(treebank: Treebank) -> None:
    pa = pytest.importorskip("pyarrow")
    table = treebank.to_arrow()
    assert table.to_pylist() == [record(sentence) for sentence in treebank]
    assert from_arrow(table).to_bytes() == DATA
    assert from_arrow(table.append_column("other", pa.array([1, 2]))).to_bytes() == DATA
    assert from_arrow(table.select(["form"]))[0].forms == ["xy", "x", "y", "z"]
    tokens = treebank.to_arrow(by="token")
    assert tokens["sentence"].to_pylist() == [0, 0, 0, 0, 1]
    assert tokens["sent_id"].to_pylist() == ["a", "a", "a", "a", None]
    assert tokens["head"].to_pylist() == [None, 2, 0, None, None]
    assert tokens["form"].to_pylist() == ["xy", "x", "y", "z", "w"]
    with pytest.raises(FileError, match="'form' must be a list"):
        from_arrow(tokens)
    with pytest.raises(FileError, match="the record has no 'form'"):
        from_arrow(pa.table({"a": [1]}))


def test_tables_show_changes_and_order(treebank: Treebank) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    treebank[1].forms[0] = "changed"
    treebank[1].sent_id = "b"
    part = treebank[::-1]
    assert from_arrow(part.to_arrow()).to_bytes() == part.to_bytes()
    for tokens in (part.to_arrow(by="token").to_pylist(), part.to_pandas().to_dict("records")):
        assert [(row["sentence"], row["sent_id"], row["form"]) for row in tokens[:2]] == [
            (0, "b", "changed"),
            (1, "a", "xy"),
        ]


def test_pandas(treebank: Treebank) -> None:
    pytest.importorskip("pandas")
    frame = treebank.to_pandas()
    assert list(frame.columns[:4]) == ["sentence", "sent_id", "id", "form"]
    assert frame["form"].to_list() == ["xy", "x", "y", "z", "w"]
    assert str(frame["head"].dtype) == "Int32"
    assert frame["head"].sum() == 2
    sentences = treebank.to_pandas(by="sentence")
    assert from_records(sentences.to_dict("records")).to_bytes() == DATA


def test_no_sentences() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    for empty in (read_conllu(b""), Treebank(), read_conllu(DATA)[:0], read_conllu(b"# alone\n")):
        assert (empty.to_arrow().num_rows, empty.to_arrow(by="token").num_rows) == (0, 0)
        assert from_arrow(empty.to_arrow()).to_bytes() == b""
        assert (len(empty.to_pandas()), len(empty.to_pandas(by="sentence"))) == (0, 0)
        assert list(empty.to_pandas().columns) == list(read_conllu(DATA).to_pandas().columns)


@pytest.mark.parametrize("table", ["to_arrow", "to_pandas"])
def test_no_such_table(treebank: Treebank, table: str) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    with pytest.raises(ConfigError, match="there is no table by 'word': by must be one of sentence, token"):
        getattr(treebank, table)(by="word")


@pytest.mark.parametrize(
    ("library", "extra", "table"), [("pyarrow", "arrow", "to_arrow"), ("pandas", "pandas", "to_pandas")]
)
def test_libraries_that_are_not_there(
    treebank: Treebank, monkeypatch: pytest.MonkeyPatch, library: str, extra: str, table: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    for by in ("sentence", "token"):
        with pytest.raises(ConfigError) as caught:
            getattr(treebank, table)(by=by)
        assert str(caught.value) == f"this needs {library}, which is not installed: pip install 'dynarc[{extra}]'"
