"""Tokenizers: nothing of a text is lost, whatever it is; what they learn."""

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dynarc
from dynarc import FileError, Sentence, Treebank
from dynarc.data import english
from dynarc.text import Tokenizer, raw_text, train_tokenizer
from dynarc.text.spaces import spaces, surface

PIECES = [
    "The cat", "don't", "can't!", " ", "  ", "\n", "\n\n", "\r\n", "\t", "e.g.", "https://a.example/b?c=d", "\0",
    "\U0001f600\U0001f44d\U0001f3fd", "\u00a0", "\u2028", "\u3000", "\ufeff", "_", "-", "...", "1,000.5", "他們代表",
    "#", "|", "\\", "a" * 300,
]  # fmt: skip


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(english("train"))


@given(st.lists(st.sampled_from(PIECES) | st.text()).map("".join))
@settings(max_examples=400, deadline=None)
@example("\0")
@example("\x85a\x85")
@example(" a\n\n\n b ")
def test_nothing_is_lost(tokenizer: Tokenizer, text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    found = tokenizer.tokenize(text, ranges=True)
    tokens = [token for sentence in found for token in surface(sentence)]
    if not tokens:  # nothing but white space: there is nothing to put it beside
        assert not text.replace("\ufeff", " ").replace("\0", " ").strip()
        return
    assert raw_text(found) == text
    for token in tokens:  # each stands where it says
        place = token.misc.rpartition("TokenRange=")[2]
        first, _, last = place.partition(":")
        assert text[int(first) : int(last)] == token.form
    assert [s.sent_id for s in found] == [str(i + 1) for i in range(len(found))]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.integers(1, 40))
@settings(max_examples=100, deadline=None)
def test_parts_of_a_file_are_the_whole(tokenizer: Tokenizer, text: str, block: int) -> None:
    """A file is read some bytes at a time, and cut at blank lines only."""
    parts = list(tokenizer.iter_treebanks(io.BytesIO(text.encode()), ranges=True, block=block, name="text"))
    whole = tokenizer.tokenize(text, ranges=True)
    forms = [[token[:2] for token in sentence.tokens] for part in parts for sentence in part]
    assert forms == [[token[:2] for token in sentence.tokens] for sentence in whole]
    found = [token.misc.rpartition("TokenRange=")[2] for p in parts for s in p for token in surface(s)]
    assert found == [token.misc.rpartition("TokenRange=")[2] for s in whole for token in surface(s)]
    assert [s.sent_id for p in parts for s in p] == [s.sent_id for s in whole]


def test_the_same_whatever_the_threads(tokenizer: Tokenizer) -> None:
    text = raw_text(english("test")).replace(" The", "\n\nThe")
    assert tokenizer.tokenize(text, threads=3) == tokenizer.tokenize(text, threads=1)


def test_learns_words_and_sentences(tokenizer: Tokenizer) -> None:
    gold = english("test")
    found = tokenizer.tokenize(raw_text(gold))
    for sentence in found:  # any tree will do
        sentence.heads = [0] + [1] * (len(sentence) - 1)
        sentence.deprels = ["root"] + ["dep"] * (len(sentence) - 1)
    scores = dynarc.evaluate(gold, found, protocol="ud").official
    assert scores["Words"].f1 > 97
    assert scores["Sentences"].f1 > 75


def test_multiword_tokens(tokenizer: Tokenizer) -> None:
    sentence = tokenizer.tokenize("They don't know.")[0]
    assert sentence.ranges == [(2, 3, "don't")]
    assert sentence.forms == ["They", "do", "n't", "know", "."]
    # The ending is known, the word is not; its letters stay what they are.
    assert tokenizer.tokenize("It MUSTN'T do.")[0].forms == ["It", "MUST", "N'T", "do", "."]


def test_fused_words_are_a_lexicon() -> None:
    french = [
        Sentence(
            ["Il", "vient", "de", "le", "port", "."],
            ranges=[(3, 4, "du")],
            misc=["_", "_", "_", "_", "SpaceAfter=No", "_"],
        ),
        Sentence(["Le", "mur", "."], misc=["_", "SpaceAfter=No", "_"]),
    ]
    tokenizer = train_tokenizer(Treebank(french * 20))
    found = tokenizer.tokenize("Le port du mur. Du port.")
    assert found[0].forms == ["Le", "port", "de", "le", "mur", "."]
    assert found[1].forms[:2] == ["De", "le"]


def test_text_without_spaces() -> None:
    """A treebank that says nothing of spaces, in a script that has none."""
    words = [["他", "看", "書", "。"], ["我", "看", "他", "。"], ["書", "好", "。"]]
    tokenizer = train_tokenizer(Treebank([Sentence(w) for w in words] * 20))
    found = tokenizer.tokenize("".join("".join(w) for w in words))
    assert [list(s.forms) for s in found] == words
    assert found[0].misc[0] == "SpaceAfter=No"


def test_long_lines(tokenizer: Tokenizer) -> None:
    text = "x" * 200_000 + " " + "word " * 12_000 + "。" * 1000
    found = tokenizer.tokenize(text)
    assert raw_text(found) == text
    assert max(map(len, found)) <= 5000


def test_packed_files(tokenizer: Tokenizer, tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"One. Two."))
    assert sum(part.words for part in tokenizer.iter_treebanks(path)) == 4


def test_bytes_that_are_no_text(tokenizer: Tokenizer) -> None:
    with pytest.raises(FileError, match="byte 3 is not valid UTF-8"):
        list(tokenizer.iter_treebanks(b"abc\xff", name="x.txt"))
    with pytest.raises(FileError, match="character 1 is a surrogate"):
        tokenizer.tokenize("a\ud800")


def test_stored_tokenizers_are_the_same(tokenizer: Tokenizer) -> None:
    text = raw_text(english("test"))
    assert Tokenizer.of(tokenizer.contents(), "model").tokenize(text) == tokenizer.tokenize(text)


def test_spaces_in_misc() -> None:
    assert spaces("SpacesAfter=\\s\\n\\p\\\\|X=1") == ("", " \n|\\")
    assert spaces("SpacesBefore=\\t|SpaceAfter=No") == ("\t", "")
    assert spaces("_") == ("", None)
    assert spaces("SpacesAfter=\\u00A0\\x") == ("", "\u00a0\\x")
