"""Odd data and odd sizes: training and parsing do the sensible thing, or say why not."""

import io
from dataclasses import replace

import pytest

from dynarc import ConlluError, Parser, Sentence, Treebank, TreeError, evaluate, read_conllu, systems, train
from dynarc.config import TrainConfig
from dynarc.data import english

SMALL = TrainConfig(features=("S0.form", "S0.tag", "B0.form", "B0.tag", "S0.tag+B0.tag"), epochs=2)
QUADRATIC = "covington"  # looks at every pair of words, as it must


def small(system: str) -> TrainConfig:
    features = "easy-first-2010" if system == "easy-first" else SMALL.features
    return replace(SMALL, system=system, features=features)


@pytest.fixture(scope="module")
def trained() -> Parser:
    return train(english("train"), config=SMALL)


TINY = {
    "one sentence": english("dev")[:1],
    "one word": Treebank([Sentence(["Go"], upos=["VERB"], heads=[0], deprels=["root"])]),
    "one label": Treebank(
        [Sentence(["a", "b", "c"], heads=[2, 0, 2], deprels=["x"] * 3), Sentence(["d"], heads=[0], deprels=["x"])]
    ),
    "words alone": Treebank(
        [
            Sentence([form], heads=[0], deprels=[label])
            for form, label in zip("abc", ("root", "dep", "root"), strict=True)
        ]
    ),
}


@pytest.mark.parametrize("system", systems())
@pytest.mark.parametrize("name", TINY)
def test_hardly_any_data(name: str, system: str) -> None:
    """What was learned is little, but every sentence gets a tree, with labels that were seen."""
    parser = train(TINY[name], config=small(system))
    labels = {label for sentence in TINY[name] for label in sentence.deprels}
    for treebank in (TINY[name], english("dev")[:3]):
        parsed = parser.parse(treebank)
        for sentence in parsed:
            assert None not in sentence.tree.heads
            assert len(sentence.tree.roots) >= 1
            assert set(sentence.deprels) <= labels


@pytest.mark.parametrize("oracle", ["static", "dynamic"])
def test_one_sentence_is_learned_by_heart(oracle: str) -> None:
    treebank = english("dev")[:1]
    config = TrainConfig(features="zhang-nivre", epochs=10, min_count=1, oracle=oracle)  # type: ignore[arg-type]
    assert evaluate(treebank, train(treebank, config=config).parse(treebank)).las == 100


def test_a_dev_that_cannot_be_scored_on_is_refused_before_training() -> None:
    def never(epoch: object) -> None:
        raise AssertionError("training has begun")

    unknown = Treebank([Sentence(["a", "b"], heads=[None, None])])
    for dev, size in ((Treebank(), 0), (unknown, 1)):
        with pytest.raises(TreeError, match=f"none of its {size} sentences has a head to score on"):
            train(english("dev"), dev=dev, config=SMALL, progress=never)


def test_what_was_never_seen(trained: Parser) -> None:
    """Tags, labels and scripts that training had none of are unknown values, not errors."""
    strange = Treebank(
        [
            Sentence(
                ["今日", "は", "。"], upos=["ZZZ", "YYY", "PUNCT"], heads=[0, 1, 1], deprels=["new", "newer", "punct"]
            ),
            Sentence(["שלום", "עולם"], upos=["_", "_"], heads=[0, 1], deprels=["root", "other:one"]),
            Sentence(["\U0001f389" * 50, "a\u0301\u0301\u0301", "x" * 10_000], heads=[2, 0, 2]),
        ]
    )
    parsed = trained.parse(strange)
    known = set(trained.labels.texts)
    for before, after in zip(strange, parsed, strict=True):
        assert after.forms == before.forms
        assert None not in after.tree.heads
        assert set(after.deprels) <= known
    assert evaluate(strange, parsed).words == 8
    seen = train(english("dev"), dev=strange, config=SMALL)
    assert seen.info["dev"]["las"] < 100


def test_nothing_to_parse(trained: Parser) -> None:
    for nothing in (Treebank(), read_conllu(b""), read_conllu(b"# a comment and no sentence\n")):
        assert len(trained.parse(nothing)) == 0


@pytest.mark.parametrize("system", [name for name in systems() if name != QUADRATIC])
def test_a_hundred_thousand_words_in_one_sentence(system: str) -> None:
    """Neither a deep stack nor a long row of pairs is too much."""
    parser = train(english("dev")[:40], config=small(system))
    sentence = parser(["w"] * 100_000)
    assert len(sentence) == 100_000
    assert None not in sentence.tree.heads
    assert (sentence.arc_prob is None) == (system == "easy-first")


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n%\xe2\xe3\n", b"\x7fELF\x02\x01\x01\0\0\0", b"just a line of text\n", b"{}"]
)
def test_no_treebank_is_one_error(data: bytes) -> None:
    with pytest.raises(ConlluError) as caught:
        train(io.BytesIO(data), config=SMALL)
    assert caught.value.line in (1, 2)
    assert "\n" not in str(caught.value)


def test_a_model_is_no_treebank(trained: Parser, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("model") / "m.dynarc"
    trained.save(path)
    with pytest.raises(ConlluError, match="no text in UTF-8"):
        train(path, config=SMALL)


def test_an_empty_form_is_a_word(trained: Parser) -> None:
    """The reader takes it, as the scorers of the shared tasks do; training says that there is one, and where."""
    treebank = read_conllu(b"1\t\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n", name="t.conllu")
    said: list[str] = []
    parser = train(treebank, config=SMALL, notice=said.append)
    assert said == ["1 sentence with a word without FORM, kept (the first: t.conllu:1)"]
    assert parser.parse(treebank)[0].forms == ["", "go"]
    assert None not in trained.parse(treebank)[0].tree.heads
