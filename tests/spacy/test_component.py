"""The component of spaCy pipelines, in real ones. Runs where spaCy is installed: make spacy."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

spacy: Any = pytest.importorskip("spacy")

import dynarc  # noqa: E402
from dynarc import PipelineConfig, TrainConfig  # noqa: E402
from dynarc.data import english  # noqa: E402
from dynarc.spacy_component import to_doc, to_treebank  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of spaCy's dependencies

TEXT = "Nora didn't see the boat.  It had left at six.\n\nShe went home."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "own.dynarc"
    config = PipelineConfig(TrainConfig(epochs=3, features="zhang-nivre"), jackknife=0)
    dynarc.train_pipeline(english("train"), dev=english("dev"), config=config, threads=1).save(path)
    return str(path)


@pytest.fixture
def nlp(model: str) -> Any:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("dynarc", config={"model": model})
    return pipeline


def test_found_by_its_entry_point(nlp: Any, model: str) -> None:
    assert "token.head" in nlp.get_factory_meta("dynarc").assigns
    code = f"import spacy; nlp = spacy.blank('en'); nlp.add_pipe('dynarc', config={{'model': {model!r}}})"
    assert subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=False).returncode == 0


def test_sets_everything(nlp: Any) -> None:
    doc = nlp(TEXT)
    assert doc.text == TEXT
    sentences = [[token.text for token in sent if not token.is_space] for sent in doc.sents]
    assert sentences[0] == ["Nora", "did", "n't", "see", "the", "boat", "."]
    assert len(sentences) == 3
    for sent in doc.sents:
        assert sent.root.dep_ == "ROOT"
        for token in sent:
            assert token.head in sent
            if token.is_space:
                continue
            assert token.pos_
            assert token.lemma_
            assert token.dep_
            assert 0 <= token._.label_prob <= token._.arc_prob + 1e-9
            assert token._.arc_prob <= 1
    for annotation in ("DEP", "POS", "LEMMA", "SENT_START"):
        assert doc.has_annotation(annotation)


def test_trees_are_those_of_the_parser(nlp: Any, model: str) -> None:
    words = ["She", "saw", "the", "boat", "."]
    doc = nlp(spacy.tokens.Doc(nlp.vocab, words=words))
    found = dynarc.load(model)(words)
    assert [0 if token.head.i == token.i else token.head.i + 1 for token in doc] == found.heads
    assert [token.pos_ for token in doc] == found.upos
    assert [token.lemma_ for token in doc] == found.lemmas


def test_preset_sentence_starts_stay(nlp: Any) -> None:
    doc = nlp.make_doc("It rains. We stay here now.")
    for token in doc:
        token.is_sent_start = token.i in (0, 1, 5)
    nlp.get_pipe("dynarc")(doc)
    assert [sent.start for sent in doc.sents] == [0, 1, 5]


def test_some_starts_are_set(nlp: Any) -> None:
    doc = nlp.make_doc("It rains. We stay. They go.")
    free = [sent.start for sent in nlp(doc.text).sents]
    assert free == [0, 3, 6]
    doc[3].is_sent_start = False
    doc[7].is_sent_start = True
    nlp.get_pipe("dynarc")(doc)
    assert [sent.start for sent in doc.sents] == [0, 6, 7]


def test_tags_that_are_set_stay(nlp: Any) -> None:
    doc = nlp.make_doc("It rains.")
    for token in doc:
        token.pos_ = "X"
        token.lemma_ = "own"
    nlp.get_pipe("dynarc")(doc)
    assert {token.pos_ for token in doc} == {"X"}
    assert {token.lemma_ for token in doc} == {"own"}


def test_without_tags(model: str) -> None:
    pipeline = spacy.blank("en")
    pipeline.add_pipe("dynarc", config={"model": model, "tags": False})
    doc = pipeline("It rains.")
    assert {token.pos_ for token in doc} == {""}
    assert doc.has_annotation("DEP")


@pytest.mark.parametrize("language", ["xx", "de", "fr", "el"])
def test_blank_pipelines_of_any_language(model: str, language: str) -> None:
    pipeline = spacy.blank(language)
    pipeline.add_pipe("dynarc", config={"model": model})
    assert all(sent.root.dep_ == "ROOT" for sent in pipeline("Nora sleeps. Tom eats.").sents)


def test_batches(nlp: Any) -> None:
    texts = [TEXT, "", "  \n ", "Go!", *(f"Tom saw {n} boats." for n in range(20))]
    whole = [doc.to_json() for doc in nlp.pipe(texts, batch_size=7)]
    assert whole == [nlp(text).to_json() for text in texts]


def test_white_space_hangs_from_a_word(nlp: Any) -> None:
    doc = nlp("\n Go  home \n")
    assert [token.is_space for token in doc].count(True) >= 2
    assert len(list(doc.sents)) == 1
    assert all(token.head.i in (0, 1, 2, 3) for token in doc)


def test_serialises_with_the_pipeline(nlp: Any, tmp_path: Path, model: str) -> None:
    before = nlp(TEXT).to_json()
    nlp.to_disk(tmp_path / "pipeline")
    data = nlp.to_bytes()
    # The model travels with the pipeline: the file it was made from may be gone.
    Path(model).rename(tmp_path / "elsewhere.dynarc")
    try:
        assert spacy.load(tmp_path / "pipeline")(TEXT).to_json() == before
        again = spacy.blank("en")
        again.add_pipe("dynarc", config={"model": model})
        with pytest.raises(dynarc.FileError, match="there is no such file"):
            again(TEXT)
        assert again.from_bytes(data)(TEXT).to_json() == before
    finally:
        (tmp_path / "elsewhere.dynarc").rename(model)


def test_displacy_draws_it(nlp: Any) -> None:
    picture = spacy.displacy.render(nlp("Nora sees the boat."), style="dep", jupyter=False)
    assert picture.count('class="displacy-arc"') == 3  # punctuation is left out
    assert "nsubj" in picture


def test_docs_and_treebanks(nlp: Any) -> None:
    gold = english("test")
    doc = to_doc(gold, nlp.vocab)
    assert len(list(doc.sents)) == len(gold)
    back = to_treebank(doc)
    for a, b in zip(gold, back, strict=True):
        assert list(a.forms) == list(b.forms)
        assert list(a.heads) == list(b.heads)
        assert list(a.upos) == list(b.upos)
        assert list(a.lemmas) == list(b.lemmas)
        assert [label for label in a.deprels if label != "root"] == [label for label in b.deprels if label != "root"]
    bare = to_treebank(nlp.make_doc("Go home."))
    assert bare[0].heads == [None, None, None]
    assert to_doc(bare, nlp.vocab).text == "Go home."


def test_a_model_without_tokenizer(tmp_path: Path) -> None:
    path = tmp_path / "plain.dynarc"
    dynarc.train(english("train")[:60], config=TrainConfig(epochs=1), calibrate=False).save(path)
    pipeline = spacy.blank("en")
    pipeline.add_pipe("dynarc", config={"model": str(path)})
    doc = pipeline("It rains. We stay.")
    assert len(list(doc.sents)) == 1
    assert doc[0]._.arc_prob is None
