"""The English treebank of the package: how much there is, of what, and that the official validator accepts it."""

import importlib.util
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

import dynarc
from dynarc.data import english
from dynarc.errors import ConfigError

FOLDER = Path(dynarc.__file__).parent / "data" / "english"
SPLITS = ("train", "dev", "test")

# What README.md of the treebank says, too.
SENTENCES = {"train": 612, "dev": 119, "test": 119}
WORDS = {"train": 6499, "dev": 1281, "test": 1299}
NONPROJECTIVE = {"train": 52, "dev": 11, "test": 14}
MULTIWORD_TOKENS = {"train": 79, "dev": 13, "test": 11}
EMPTY_NODES = {"train": 3, "dev": 2, "test": 1}
DOCUMENTS = {"train": 44, "dev": 14, "test": 15}
LONGEST = {"train": 34, "dev": 31, "test": 34}
GENRES = {"dialogue", "howto", "list", "mail", "news", "recipe", "review", "science", "social", "story"}
UPOS = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
DEPRELS = (
    "acl acl:relcl advcl advcl:relcl advmod amod appos aux aux:pass case cc cc:preconj ccomp compound "
    "compound:prt conj cop csubj csubj:pass dep det det:predet discourse dislocated expl fixed flat goeswith "
    "iobj list mark nmod nmod:poss nmod:unmarked nsubj nsubj:outer nsubj:pass nummod obj obl obl:agent "
    "obl:unmarked orphan parataxis punct reparandum root vocative xcomp"
)


class Sentence(NamedTuple):
    comments: dict[str, str]
    rows: list[list[str]]

    @property
    def words(self) -> list[list[str]]:
        return [row for row in self.rows if row[0].isdigit()]

    @property
    def ranges(self) -> list[list[str]]:
        return [row for row in self.rows if "-" in row[0]]

    @property
    def empty_nodes(self) -> list[list[str]]:
        return [row for row in self.rows if "." in row[0]]

    @property
    def heads(self) -> list[int]:
        return [int(row[6]) for row in self.words]


@cache
def read(split: str) -> tuple[Sentence, ...]:
    """Plain splitting, so that a fault of the package's own reader cannot hide one of the data."""
    text = (FOLDER / f"{split}.conllu").read_text(encoding="utf-8")
    assert text.endswith("\n\n")
    sentences = []
    for block in text[:-2].split("\n\n"):
        lines = block.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        pairs = [line.removeprefix("#").partition(" = ") for line in comments]
        rows = [line.split("\t") for line in lines[len(comments) :]]
        sentences.append(Sentence({key.strip(): value for key, _, value in pairs}, rows))
    return tuple(sentences)


def ancestors(heads: list[int], word: int) -> set[int]:
    """The words above a word, the word itself among them; a set with 0 in it, or the tree has a cycle."""
    seen: set[int] = set()
    while word and word not in seen:
        seen.add(word)
        word = heads[word - 1]
    return seen | {word} if not word else seen


def is_nonprojective(heads: list[int]) -> bool:
    """Some word strictly between a head and its dependent is not below the head."""
    return any(
        head not in ancestors(heads, between)
        for dependent, head in enumerate(heads, start=1)
        for between in range(min(head, dependent) + 1, max(head, dependent))
    )


def surface(sentence: Sentence) -> str:
    """The text that the tokens spell."""
    inside: set[str] = set()
    text = ""
    for row in sentence.rows:
        if row[0] in inside or "." in row[0]:
            continue
        if "-" in row[0]:
            first, last = row[0].split("-")
            inside |= {str(word) for word in range(int(first), int(last) + 1)}
        text += row[1] + ("" if "SpaceAfter=No" in row[9].split("|") else " ")
    return text.removesuffix(" ")


@pytest.mark.parametrize("split", SPLITS)
def test_counts(split: str) -> None:
    sentences = read(split)
    assert len(sentences) == SENTENCES[split]
    assert sum(len(sentence.words) for sentence in sentences) == WORDS[split]
    assert sum(len(sentence.ranges) for sentence in sentences) == MULTIWORD_TOKENS[split]
    assert sum(len(sentence.empty_nodes) for sentence in sentences) == EMPTY_NODES[split]
    assert sum("newdoc id" in sentence.comments for sentence in sentences) == DOCUMENTS[split]


@pytest.mark.parametrize("split", SPLITS)
def test_share_of_nonprojective_sentences(split: str) -> None:
    count = sum(is_nonprojective(sentence.heads) for sentence in read(split))
    assert count == NONPROJECTIVE[split]
    assert count / SENTENCES[split] >= 0.07


def test_nonprojectivity_as_defined() -> None:
    assert not is_nonprojective([0])
    assert not is_nonprojective([2, 0, 2, 3])
    assert is_nonprojective([2, 0, 2, 1])
    assert is_nonprojective([3, 0, 2])


@pytest.mark.parametrize("split", SPLITS)
def test_lengths(split: str) -> None:
    lengths = [len(sentence.words) for sentence in read(split)]
    assert min(lengths) == 1
    assert max(lengths) == LONGEST[split] <= 35
    assert 10 <= sum(lengths) / len(lengths) <= 12


@pytest.mark.parametrize("split", SPLITS)
def test_every_part_of_speech_in_every_split(split: str) -> None:
    assert " ".join(sorted({word[3] for sentence in read(split) for word in sentence.words})) == UPOS


def test_relations() -> None:
    seen = {split: {word[7] for sentence in read(split) for word in sentence.words} for split in SPLITS}
    assert " ".join(sorted(seen["train"])) == DEPRELS
    assert seen["dev"] | seen["test"] <= seen["train"], "what is asked in the other splits can be learned"


def test_sentence_ids() -> None:
    ids = [sentence.comments["sent_id"] for split in SPLITS for sentence in read(split)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+-\d{3}", name) for name in ids)
    assert {name[:-4] for name in ids} == GENRES


def test_no_text_in_two_splits() -> None:
    texts = {split: {sentence.comments["text"] for sentence in read(split)} for split in SPLITS}
    for first, second in (("train", "dev"), ("train", "test"), ("dev", "test")):
        assert not texts[first] & texts[second]


def test_no_text_twice() -> None:
    texts = Counter(sentence.comments["text"] for split in SPLITS for sentence in read(split))
    assert [text for text, count in texts.items() if count > 1] == []


@pytest.mark.parametrize("split", SPLITS)
def test_rows(split: str) -> None:
    for sentence in read(split):
        assert all(len(row) == 10 and all(row) for row in sentence.rows), sentence.comments["sent_id"]
        assert [int(word[0]) for word in sentence.words] == list(range(1, len(sentence.words) + 1))
        assert all(row[8] != "_" for row in sentence.words + sentence.empty_nodes)
        ranges = [[int(end) for end in row[0].split("-")] for row in sentence.ranges]
        assert all(first < last for first, last in ranges)
        assert all(before[1] < after[0] for before, after in pairwise(ranges))


@pytest.mark.parametrize("split", SPLITS)
def test_one_root_and_no_cycle(split: str) -> None:
    for sentence in read(split):
        name = sentence.comments["sent_id"]
        assert sentence.heads.count(0) == 1, name
        assert [word[7] for word in sentence.words if word[6] == "0"] == ["root"], name
        assert sum(word[7] == "root" for word in sentence.words) == 1, name
        assert all(0 in ancestors(sentence.heads, word) for word in range(1, len(sentence.heads) + 1)), name


@pytest.mark.parametrize("split", SPLITS)
def test_the_text_is_what_the_tokens_spell(split: str) -> None:
    for sentence in read(split):
        assert surface(sentence) == sentence.comments["text"], sentence.comments["sent_id"]


def test_the_readme_says_the_same() -> None:
    """One row of the table for each split."""
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for split in SPLITS:
        row = [split, *(counts[split] for counts in (SENTENCES, WORDS, DOCUMENTS, NONPROJECTIVE))]
        row += [MULTIWORD_TOKENS[split], EMPTY_NODES[split], LONGEST[split]]
        assert f"| {' | '.join(map(str, row))} |" in readme
    assert f"{len(DEPRELS.split())} relations" in readme


def test_dedication() -> None:
    text = (FOLDER / "LICENSE").read_text(encoding="utf-8")
    assert "CC0 1.0 Universal" in text
    assert "https://creativecommons.org/publicdomain/zero/1.0/" in text


@pytest.mark.skipif(importlib.util.find_spec("udtools") is None, reason="udtools, the official validator, is missing")
def test_official_validator() -> None:
    """Level 3 is all that does not depend on the lists of one language; a process of its own keeps its warnings."""
    command = [sys.executable, "-c", "import sys, udtools.cli; sys.exit(udtools.cli.main())"]
    command += ["--lang", "en", "--level", "3", "--no-warnings"]
    files = [str(FOLDER / f"{split}.conllu") for split in SPLITS]
    done = subprocess.run([*command, *files], capture_output=True, text=True, timeout=55, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "*** PASSED ***" in done.stdout + done.stderr


@pytest.mark.parametrize("split", SPLITS)
def test_the_package_reads_it(split: Literal["train", "dev", "test"]) -> None:
    assert len(english(split)) == SENTENCES[split]
    assert english(split).words == WORDS[split]


def test_there_are_no_other_parts() -> None:
    with pytest.raises(ConfigError, match="has no part 'all': split must be one of train, dev, test"):
        english("all")  # type: ignore[arg-type]
