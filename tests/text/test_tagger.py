"""Taggers: what they learn, what they leave alone, and that search finds what it should."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dynarc
from dynarc import ConfigError, Sentence, Treebank, _core
from dynarc.data import english
from dynarc.model_file import EXACT, Contents
from dynarc.text import TagConfig, Tagger, jackknifed, train_tagger
from dynarc.text.tagger import TAGGED, taggable

COLUMNS = {"upos": "upos", "xpos": "xpos", "feats": "feats", "lemma": "lemmas"}


def share_right(gold: Treebank, found: Treebank, column: str) -> float:
    pairs = [
        pair for a, b in zip(gold, found, strict=True)
        for pair in zip(getattr(a, COLUMNS[column]), getattr(b, COLUMNS[column]), strict=True)
    ]  # fmt: skip
    return 100 * [a == b for a, b in pairs].count(True) / len(pairs)


def blank(treebank: Treebank, *columns: str) -> Treebank:
    own = treebank.copy()
    for sentence in own:
        for column in columns:
            setattr(sentence, COLUMNS[column], ["_"] * len(sentence))
    return own


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return train_tagger(english("train"))


def test_learns_every_column(tagger: Tagger) -> None:
    assert list(tagger.columns) == [column for column in TAGGED if column in taggable(english("train"))]
    found = tagger.tag(blank(english("test"), *tagger.columns))
    most_frequent = {"upos": 30, "xpos": 30, "feats": 40, "lemma": 60}
    for column in tagger.columns:
        assert share_right(english("test"), found, column) > most_frequent[column] + 20


def test_what_is_there_stays(tagger: Tagger) -> None:
    test = english("test")
    assert tagger.tag(test) == test
    # Gold UPOS: the other columns are found within it.
    found = tagger.tag(blank(test, *[c for c in tagger.columns if c != "upos"]))
    assert share_right(test, found, "upos") == 100
    again = tagger.tag(test, again=True)
    assert share_right(test, again, "upos") < 100
    assert [s.heads for s in again] == [s.heads for s in test]


def test_the_same_whatever_the_threads(tagger: Tagger) -> None:
    blanked = blank(english("dev"), *tagger.columns)
    assert tagger.tag(blanked, threads=1) == tagger.tag(blanked, threads=3)


def test_sentences_are_tagged_together_as_alone(tagger: Tagger) -> None:
    """Some with tags, some without, neighbours of different lengths, and more of them than one batch."""
    test = english("test")
    mixed = [s for pair in zip(test, blank(test, *tagger.columns), strict=True) for s in pair]
    mixed += list(blank(test, "xpos", "lemma"))
    some = sorted(mixed, key=lambda s: sum(map(ord, s.forms[0] + s.forms[-1])) % 97) * (1 + 1200 // len(mixed))
    together = tagger.tag(Treebank(some), threads=1)
    alone = [tagger.tag(Treebank([sentence]), threads=1)[0] for sentence in mixed]
    expected = {(tuple(s.forms), tuple(s.upos), tuple(s.xpos)): found for s, found in zip(mixed, alone, strict=True)}
    for sentence, found in zip(some, together, strict=True):
        assert found == expected[tuple(sentence.forms), tuple(sentence.upos), tuple(sentence.xpos)]


def test_same_seed_same_tagger() -> None:
    few = english("train")[:100]
    one, two = (train_tagger(few, TagConfig(epochs=2, seed=3)).contents(EXACT) for _ in range(2))
    assert {key: bytes(t.data) for key, t in one.tensors.items()} == {
        key: bytes(t.data) for key, t in two.tensors.items()
    }


def test_stored_taggers_tag_alike(tagger: Tagger) -> None:
    loaded = Tagger.of(tagger.contents(), "model")
    dev = english("dev")
    assert loaded.tag(dev, again=True) == tagger.tag(dev, again=True)


def test_jackknifed_tags_have_errors_of_unseen_text(tagger: Tagger) -> None:
    train = english("train")
    found = jackknifed(train, 4)
    assert len(found) == len(train)
    assert [s.heads for s in found] == [s.heads for s in train]
    by_itself = tagger.tag(train, again=True)
    assert share_right(train, found, "upos") < share_right(train, by_itself, "upos") - 2


def test_jackknife_is_of_two_parts_or_more() -> None:
    with pytest.raises(ConfigError, match="from 2 to"):
        jackknifed(english("dev"), 1)


def test_no_tags_to_learn_from() -> None:
    with pytest.raises(ConfigError, match="no word has a UPOS"):
        train_tagger(Treebank([Sentence(["a", "b"])]))


@pytest.mark.parametrize("bad", [{"epochs": 0}, {"beam": 0}, {"min_count": 0}, {"fixed_count": -1}])
def test_impossible_configurations(bad: dict[str, int]) -> None:
    with pytest.raises(ConfigError, match="is the least"):
        TagConfig(**bad)


def test_unknown_upos_gets_no_features(tagger: Tagger) -> None:
    found = tagger.tag(Treebank([Sentence(["walks"], upos=["NEW"])]))[0]
    assert (found.upos, found.feats, found.lemmas) == (["NEW"], ["_"], ["walks"])


def test_words_that_always_have_one_tag_get_it() -> None:
    sentences = [Sentence(["the", "cat"], upos=["DET", "NOUN"]) for _ in range(30)]
    fixed = train_tagger(Treebank(sentences), TagConfig(fixed_count=30))
    assert memoryview(fixed.columns["upos"].fixed).cast("i").tolist() == [0, 1]
    free = train_tagger(Treebank(sentences), TagConfig(fixed_count=31))
    assert memoryview(free.columns["upos"].fixed).cast("i").tolist() == [-1, -1]


def test_a_beam_as_wide_as_all_pairs_loses_nothing() -> None:
    """Two tags have four pairs: a wider beam cannot change anything."""
    train, seen = english("train")[:60], english("dev")[:40]
    tags = len({tag for sentence in train for tag in sentence.upos})
    contents = train_tagger(train, TagConfig(epochs=2, beam=tags**2), columns=["upos"]).contents(EXACT)
    found = []
    for beam in (tags**2, 4 * tags**2):
        other = Contents({**contents.metadata, "config": json.dumps({"beam": beam})}, contents.tensors)
        found.append(Tagger.of(other, "model").tag(seen, again=True))
    assert found[0] == found[1]


def test_structured_perceptron_learns_sequences() -> None:
    """Words say nothing, only what came before: tags in turn."""
    sentences = [Sentence(["w"] * 6, upos=["A", "B"] * 3), Sentence(["v"] * 6, upos=["B", "A"] * 3)]
    for beam in (1, 4):
        tagger = train_tagger(Treebank(sentences * 5), TagConfig(beam=beam, fixed_count=0))
        found = tagger.tag(Treebank(sentences), again=True)
        assert [s.upos for s in found] == [s.upos for s in sentences]


@given(st.text(min_size=1), st.text(min_size=1))
@settings(max_examples=300)
def test_edit_scripts_give_back_the_lemma(form: str, lemma: str) -> None:
    form, lemma = (text.encode("utf-8", "ignore").decode() for text in (form, lemma))
    if form and lemma:
        assert _core.apply_script(_core.edit_script(form, lemma), form) == lemma


def test_edit_scripts_go_over_to_other_words() -> None:
    script = _core.edit_script("Cities", "city")
    assert script == "l0//3/y"
    assert _core.apply_script(script, "Parties") == "party"
    assert _core.apply_script(script, "is") is None  # too short
    assert _core.edit_script("is", "be") == "=be"
    assert _core.apply_script(_core.edit_script("GOOGLE", "Google"), "YAHOO") == "Yahoo"


@pytest.mark.parametrize("bad", ["", "x0//0/", "l", "l0", "l0/", "lx//0/", "l9999999999999999999999//0/"])
def test_no_scripts(bad: str) -> None:
    assert _core.apply_script(bad, "word") is None


@pytest.mark.slow
def test_accuracy_on_ewt(treebanks: Path) -> None:
    train = dynarc.read_conllu(treebanks / "en_ewt" / "train.conllu")
    dev = dynarc.read_conllu(treebanks / "en_ewt" / "dev.conllu")
    tagger = train_tagger(train, TagConfig(epochs=5), columns=["upos"])
    assert share_right(dev, tagger.tag(dev, again=True), "upos") > 94.0
