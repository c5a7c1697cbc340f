"""The reader: what it reads, what it refuses and how it says so, and the treebanks against their index."""

import gzip
import io
import lzma
import pickle
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import zstandard

from dynarc import Sentence, iter_conllu, read_conllu
from dynarc.errors import ConlluError


def word(number: object, head: object, *, form: str = "w", upos: str = "X", deprel: str = "dep") -> str:
    return "\t".join([str(number), form, "_", upos, "_", "_", str(head), deprel, "_", "_"])


def conllu(*lines: str) -> bytes:
    return "".join(line + "\n" for line in lines).encode()


SMALL = conllu(
    "# newdoc",
    "# sent_id = a-1",
    "# text = She's not here = gone",
    word("1-2", "_", form="She's", upos="_", deprel="_"),
    word(1, 4, form="She", upos="PRON", deprel="nsubj"),
    word(2, 4, form="is", upos="AUX", deprel="cop"),
    word(3, 4, form="not", upos="PART", deprel="advmod"),
    word(4, 0, form="here", upos="ADV", deprel="root"),
    word("4.1", "_", form="gone", upos="VERB", deprel="_"),
    "",
    word(1, "_", form="_", deprel="_"),
    "",
)
FORMS = [("She", "is", "not", "here"), ("_",)]


def forms(sentences: Iterable[Sentence]) -> list[tuple[str, ...]]:
    return [tuple(s.forms) for s in sentences]


def error_of(source: bytes) -> ConlluError:
    with pytest.raises(ConlluError) as caught:
        read_conllu(source, name="a.conllu")
    assert caught.value.path == "a.conllu"
    assert "\n" not in str(caught.value)
    return caught.value


def test_words_only() -> None:
    first, second = read_conllu(SMALL, name="a.conllu")
    assert first.forms == ["She", "is", "not", "here"]
    assert first.upos == ["PRON", "AUX", "PART", "ADV"]
    assert first.heads == [4, 4, 4, 0]
    assert first.deprels == ["nsubj", "cop", "advmod", "root"]
    assert (first.sent_id, first.text) == ("a-1", "She's not here = gone")
    assert (first.line, first.path) == (1, "a.conllu")
    assert len(first) == 4
    assert (second.forms, second.heads, second.deprels) == (["_"], [None], [None])
    assert (second.sent_id, second.text, second.line) == (None, None, 11)


def test_sentences_pickle() -> None:
    sentences = read_conllu(SMALL)
    assert pickle.loads(pickle.dumps(sentences)) == sentences


def test_iter_streams() -> None:
    first = next(iter_conllu(SMALL + b"not conllu\n"))  # the second sentence is never reached
    assert first.sent_id == "a-1"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda data: b"\xef\xbb\xbf" + data, id="byte-order mark"),
        pytest.param(lambda data: data.replace(b"\n", b"\r\n"), id="CRLF"),
        pytest.param(lambda data: data.removesuffix(b"\n"), id="no blank line at the end"),
        pytest.param(lambda data: data.removesuffix(b"\n\n"), id="no line end at the end"),
        pytest.param(lambda data: b"\n\n" + data.replace(b"\n\n", b"\n\n\n\n") + b"\n\n", id="blank lines"),
        pytest.param(lambda data: b"# a comment alone\n\n" + data, id="comment without a sentence"),
    ],
)
def test_accepted(change: Callable[[bytes], bytes]) -> None:
    assert forms(read_conllu(change(SMALL))) == FORMS


@pytest.mark.parametrize("source", [b"", b"\n", b"\r\n\r\n", b"\xef\xbb\xbf", b"# only\n"], ids=repr)
def test_no_sentences(source: bytes) -> None:
    assert len(read_conllu(source)) == 0
    assert read_conllu(source).to_bytes() == source


def test_split_on_tab_and_line_feed_only() -> None:
    strange = "a b\u2028c\x0bd\x85e\rf\xa0"
    [sentence] = read_conllu(conllu(word(1, 0, form=strange)))
    assert sentence.forms == [strange]


def test_conll_x_has_its_own_last_columns() -> None:
    [sentence] = read_conllu(b"1\tHej\t_\tIN\tIN\t_\t0\tROOT\t0\tROOT\n")
    assert (sentence.upos, sentence.heads, sentence.deprels) == (["IN"], [0], ["ROOT"])


@pytest.mark.parametrize(
    ("comment", "sent_id"),
    [
        ("# sent_id = a=b", "a=b"),
        ("#sent_id=a", "a"),
        ("# sent_id =", ""),
        ("# sent_id", None),
        ("# orig_sent_id = a", None),
        ("#", None),
    ],
)
def test_sent_id(comment: str, sent_id: str | None) -> None:
    [sentence] = read_conllu(conllu(comment, word(1, 0)))
    assert sentence.sent_id == sent_id


def test_odd_trees() -> None:
    odd = conllu(word(1, 2), word(2, 1), word(3, 3), word(4, 0), word(5, 0))
    [sentence] = read_conllu(odd, check_trees=False)
    assert sentence.heads == [2, 1, 3, 0, 0]
    assert str(error_of(odd)) == "a.conllu:1:13: the heads form a cycle: 1 <- 2 <- 1"
    assert str(error_of(conllu(word(1, 0), word(2, 2)))) == "a.conllu:2:13: word 2 is its own head"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (word(2, 1) + "\tx", "a.conllu:2:1: expected 10 columns separated by TAB, found 11: "),
        (word(2, 1).rpartition("\t")[0], "a.conllu:2:1: expected 10 columns separated by TAB, found 9: "),
        (
            word(2, 1).replace("\t", " "),
            "a.conllu:2:1: expected 10 columns separated by TAB, found 1 (are",
        ),
        (word(1, 0), "a.conllu:2:1: ID is '1', but word 2 comes next (is the blank line before"),
        (word(3, 0), "a.conllu:2:1: ID is '3', but word 2 comes next"),
        (word("02", 0), "a.conllu:2:1: ID is '02', but must be the number of a word, a range"),
        (word("x", 0), "a.conllu:2:1: ID is 'x', but must be the number of a word, a range"),
        (word("", 0), "a.conllu:2:1: ID is '', but must be the number of a word, a range"),
        (word("2-", 0), "a.conllu:2:1: ID is '2-', but must be the number of a word, a range"),
        (word("-2", 0), "a.conllu:2:1: ID is '-2', but must be the number of a word, a range"),
        (word("2-3-4", 0), "a.conllu:2:1: ID is '2-3-4', but must be the number of a word, a range"),
        (word("2.x", 0), "a.conllu:2:1: ID is '2.x', but must be the number of a word, a range"),
        (word(2, 3), "a.conllu:2:13: HEAD is 3, but the sentence has 2 words"),
        (word(2, "-1"), "a.conllu:2:13: HEAD is '-1', but must be the number of one word, 0 for"),
        (word(2, ""), "a.conllu:2:13: HEAD is '', but must be"),
        (word(2, "x"), "a.conllu:2:13: HEAD is 'x', but must be"),
        (word(2, " 1"), "a.conllu:2:13: HEAD is ' 1', but must be"),
        (word(2, "1_0"), "a.conllu:2:13: HEAD is '1_0', but must be"),
        (word(2, "²"), "a.conllu:2:13: HEAD is '²', but must be"),
        (word(2, "１"), "a.conllu:2:13: HEAD is '１', but must be"),  # noqa: RUF001 - int() would take it
        (word(2, "9" * 5000), "a.conllu:2:13: HEAD is '9999999999999999999999999999999999999999...', but must be"),
    ],
)
def test_bad_line(line: str, message: str) -> None:
    error = error_of(conllu(word(1, 0), line))
    assert str(error).startswith(message)
    assert error.line == 2


def test_head_is_checked_against_words_and_named_by_its_line() -> None:
    error = error_of(conllu("# c", word("1-2", "_"), word(1, 3), word("1.1", "_"), word(2, 0)))
    assert str(error) == "a.conllu:3:13: HEAD is 3, but the sentence has 2 words"


def test_bad_utf8() -> None:
    error = error_of(conllu(word(1, 0)) + b"2\t\xff\n")
    assert str(error) == "a.conllu:2:3: byte 0xff is not valid UTF-8 (convert the file, for example with iconv)"


def test_utf16() -> None:
    assert (
        str(error_of(SMALL.decode().encode("utf-16")))
        == "a.conllu:1:4: holds a NUL byte, so this is no text in UTF-8 (if it is UTF-16, convert it with iconv)"
    )


def test_nul() -> None:
    error = error_of(conllu(word(1, 0, form="a\0b")))
    assert (
        str(error)
        == "a.conllu:1:4: holds a NUL byte, so this is no text in UTF-8 (if it is UTF-16, convert it with iconv)"
    )


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [("conllu", bytes), ("conllu.gz", gzip.compress), ("conllu.xz", lzma.compress), ("conllu.zst", zstandard.compress)],
    ids=["plain", "gz", "xz", "zst"],
)
def test_paths(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"a.{suffix}"
    path.write_bytes(pack(SMALL))
    for source in (path, str(path)):
        sentences = read_conllu(source)
        assert forms(sentences) == FORMS
        assert {s.path for s in sentences} == {str(path)}
    assert {s.path for s in read_conllu(path, name="b")} == {"b"}


@pytest.mark.parametrize(
    ("suffix", "pack"), [("gz", gzip.compress), ("xz", lzma.compress), ("zst", zstandard.compress)]
)
@pytest.mark.parametrize("damage", ["cut off", "overwritten"])
def test_damaged_archives(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes], damage: str) -> None:
    packed = pack(SMALL * 50)
    half = len(packed) // 2
    path = tmp_path / f"a.conllu.{suffix}"
    path.write_bytes(
        {
            "cut off": packed[:half],
            "overwritten": packed[:half] + b"\xff" * 8 + packed[half + 8 :],
        }[damage]
    )
    with pytest.raises(ConlluError, match=r"a\.conllu\.\w+: cannot be read: \w+") as caught:
        read_conllu(path)
    assert (caught.value.path, caught.value.line) == (str(path), None)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_missing_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"none{suffix}"
    with pytest.raises(ConlluError) as caught:
        read_conllu(path)
    assert str(caught.value) == f"{path}: there is no such file"


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
def test_directory(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"folder{suffix}"
    path.mkdir()
    with pytest.raises(ConlluError) as caught:
        read_conllu(path)
    assert str(caught.value) == f"{path}: is a directory, not a file"


def test_open_files_stay_open(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(SMALL)
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        for file in (binary, text):
            sentences = read_conllu(file)
            assert forms(sentences) == FORMS
            assert sentences[0].path == str(path)
            assert not file.closed


def test_files_in_memory() -> None:
    assert forms(read_conllu(io.BytesIO(SMALL))) == FORMS
    assert forms(read_conllu(io.StringIO(SMALL.decode()))) == FORMS
    assert read_conllu(io.BytesIO(SMALL))[0].path == "<file>"
    assert read_conllu(SMALL)[0].path == "<bytes>"


def test_text_file_of_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(conllu(word(1, 0, form="Käse")).decode().encode("latin-1"))
    with path.open(encoding="utf-8") as file, pytest.raises(ConlluError) as caught:
        read_conllu(file)
    assert str(caught.value) == f"{path}: is not valid UTF-8"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SMALL), encoding="ascii"))
    sentences = read_conllu("-")
    assert forms(sentences) == FORMS
    assert sentences[0].path == "<stdin>"


def index_counts(index: str, split: str) -> dict[str, tuple[int, int]]:
    """Sentences and words of `split` for each treebank of the table in INDEX.md."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in index.splitlines() if "|" in line]
    column = rows[0].index(f"{split} s/tok")
    counts = {}
    for row in rows[2:]:
        sentences, words = row[column].split("/")
        counts[row[0]] = (int(sentences), int(words))
    return counts


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_treebanks_have_the_sizes_of_their_index(treebanks: Path, split: str) -> None:
    expected = index_counts((treebanks / "INDEX.md").read_text(encoding="utf-8"), split)
    found = {}
    for code in expected:
        [path] = (treebanks / code).glob(f"{split}.conll*")
        lengths = [len(sentence) for sentence in iter_conllu(path)]
        found[code] = (len(lengths), sum(lengths))
    assert found == expected
