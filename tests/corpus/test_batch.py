"""Batches of Arrow: columns in and out, what is passed on, and what is refused."""

import pickle
from typing import Any

import pytest

import dynarc
from dynarc import ConfigError, FileError
from dynarc.corpus import ParseBatch
from dynarc.data import english
from dynarc.tables import conllu_of_arrow, sentence_of

pa: Any = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def table() -> Any:
    return english("dev").to_arrow()


def test_the_same_trees_as_parse(model: str, table: Any) -> None:
    found = ParseBatch(model)(table)
    parsed = dynarc.load(model).parse(english("dev"))
    assert found["head"].to_pylist() == parsed.to_arrow()["head"].to_pylist()
    assert found["deprel"].to_pylist() == parsed.to_arrow()["deprel"].to_pylist()
    assert found.schema.names == table.schema.names


def test_other_columns_are_passed_on_without_a_copy(model: str) -> None:
    batch = pa.record_batch({"words": [["She", "sings"], ["Go"]], "n": [1, 2]})
    found = ParseBatch(model, words="words")(batch)
    assert isinstance(found, pa.RecordBatch)
    assert found.schema.names == ["words", "n", "head", "deprel"]
    assert found["n"].buffers()[1].address == batch["n"].buffers()[1].address
    assert [len(heads) for heads in found["head"].to_pylist()] == [2, 1]


def test_tags_are_filled_in() -> None:
    table = pa.table({"form": [list(s.forms) for s in english("dev")]})
    found = ParseBatch()(table)
    parsed = dynarc.load("en").parse(dynarc.Treebank([dynarc.Sentence(s.forms) for s in english("dev")]))
    assert found.schema.names == ["form", "lemma", "upos", "xpos", "feats", "head", "deprel"]
    assert found["upos"].to_pylist() == [list(s.upos) for s in parsed]
    sure = ParseBatch(confidence=True)(table.slice(0, 1))
    assert sure["misc"].to_pylist()[0][0].startswith("ArcProb=")


def test_texts() -> None:
    parse = ParseBatch()
    batch = pa.table({"id": ["a", "b", "c"], "text": ["She sings. It rains.", None, "Go!"], "page": [7, 8, 9]})
    found = parse(batch)
    assert found["sent_id"].to_pylist() == ["a-1", "a-2", "c-1"]
    assert found["page"].to_pylist() == [7, 7, 9]
    assert found["text"].to_pylist() == ["She sings.", "It rains.", "Go!"]
    assert parse.schema(batch.schema) == found.schema
    assert parse(batch.slice(0, 0)).num_rows == 0


def test_schema_and_empty_batches(model: str, table: Any) -> None:
    parse = ParseBatch(model)
    assert parse.schema(table.schema) == parse(table).schema
    assert parse(table.slice(0, 0)).num_rows == 0
    assert [batch.num_rows for batch in parse.batches(table.to_batches(max_chunksize=50))] == [50, 50, 19]


def test_the_model_is_loaded_once_and_not_sent(model: str) -> None:
    parse = ParseBatch(model)
    assert parse.parser is ParseBatch(model).parser
    sent = pickle.dumps(parse)
    assert len(sent) < 500
    assert pickle.loads(sent).parser is parse.parser


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"tokens": [["a"]]},
            "there is no column 'form', with lists of words, and no 'text', with text, only 'tokens'",
        ),
        ({"form": ["a b"]}, "the column 'form' holds string: it must have lists of words"),
        ({"text": [1]}, "the column 'text' holds int64: it must have text"),
    ],
)
def test_wrong_columns(columns: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ParseBatch()(pa.table(columns))
    assert said in str(caught.value)


def test_what_is_no_batch(model: str) -> None:
    with pytest.raises(ConfigError, match="takes batches and tables of Arrow, not list"):
        ParseBatch(model)([1])
    with pytest.raises(ConfigError, match="this parser has no tokenizer"):
        ParseBatch(model)(pa.table({"text": ["a"]}))
    with pytest.raises(ConfigError, match="bad must be one of error, null"):
        ParseBatch(model, bad="skip")  # type: ignore[arg-type]


def test_bad_rows(model: str) -> None:
    batch = pa.table({"form": [["She", "sings"], [], None, ["a\tb"], ["Go"]]})
    with pytest.raises(FileError, match="<batch>:2: a sentence needs at least one word"):
        ParseBatch(model)(batch)
    found = ParseBatch(model, bad="null")(batch)
    assert [None if heads is None else len(heads) for heads in found["head"].to_pylist()] == [2, None, None, None, 1]


@pytest.mark.parametrize(
    "columns",
    [
        {"form": [["a", "b"], ["c"]]},
        {"form": [["a", "b"], ["c"]], "sent_id": [None, "x"], "text": ["a b", None]},
        {"form": [["a"], ["c"]], "sent_id": ["y", "x"], "comments": [[], ["# z", "# w"]]},
        {"form": [["a", None], ["c"]], "head": [[2, None], [0]], "lemma": [["", "l"], [None]]},
        {"id": [["1-2", "1", "2", "2.1"]], "form": [["ab", "a", "b", "z"]], "other": [1]},
    ],
)
def test_tables_as_conllu(columns: dict[str, Any]) -> None:
    """The fast way gives what the slow way gives."""
    given = pa.table(columns)
    assert conllu_of_arrow(given) == b"".join(sentence_of(fields, "x") for fields in given.to_pylist())


def test_slices_as_conllu(table: Any) -> None:
    for start, length in ((0, 119), (7, 30), (118, 1)):
        assert conllu_of_arrow(table.slice(start, length)) == english("dev")[start : start + length].to_bytes()


@pytest.mark.parametrize(
    "columns",
    [
        {"form": [["a\tb"]]},
        {"form": [["a\nb"]]},
        {"form": [["a"]], "misc": [["b\r"]]},
        {"form": [[]]},
        {"form": [["a"], None]},
        {"form": ["a"]},
        {"form": [["a"]], "upos": [["A", "B"]]},
        {"form": [["a"]], "comments": [["no comment"]]},
        {"form": [["a"]], "comments": [["# a\n"]]},
        {"form": [["a"]], "sent_id": [1]},
        {"form": [[1.5]]},
    ],
)
def test_tables_that_have_to_be_read_row_by_row(columns: dict[str, Any]) -> None:
    assert conllu_of_arrow(pa.table(columns)) is None
