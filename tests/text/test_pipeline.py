"""Everything from raw text to trees in one model file."""

from dataclasses import replace
from pathlib import Path

import pytest

import dynarc
from dynarc import ConfigError, ModelFormatError, Parser, PipelineConfig, Sentence, TrainConfig, Treebank
from dynarc.data import english
from dynarc.model_file import read_model_file, write_model_file
from dynarc.text import raw_text

TEXT = "Nora didn't see the boat. It had left at six."


@pytest.fixture(scope="module")
def parser() -> Parser:
    config = PipelineConfig(TrainConfig(epochs=4, features="zhang-nivre"), jackknife=2)
    return dynarc.train_pipeline(english("train"), dev=english("dev"), config=config, threads=1)


def test_text_becomes_trees(parser: Parser) -> None:
    found = parser(TEXT)
    assert [len(s) for s in found] == [7, 6]
    assert found[0].forms[:3] == ["Nora", "did", "n't"]
    for sentence in found:
        assert sentence.tree.heads.count(0) == 1
        assert "_" not in sentence.upos
        assert "_" not in sentence.lemmas
        assert sentence.arc_prob is not None
    assert raw_text(found) == TEXT


def test_every_stage_can_be_fed_gold(parser: Parser) -> None:
    gold = english("test")
    as_given = parser.parse(gold)
    assert [s.upos for s in as_given] == [s.upos for s in gold]
    blank = gold.copy()
    for sentence in blank:
        sentence.upos = sentence.xpos = sentence.feats = sentence.lemmas = ["_"] * len(sentence)
    tagged = parser.parse(blank)
    raw = parser.parse(raw_text(gold))
    las = [dynarc.evaluate(gold, found, protocol="ud").las for found in (as_given, tagged, raw)]
    assert las[0] > las[1] > 40
    assert las[2] > 40
    assert parser(list(gold[0].forms)).heads == tagged[0].heads


def test_one_file(parser: Parser, tmp_path: Path) -> None:
    path = tmp_path / "m.dynarc"
    parser.save(path)
    loaded = dynarc.load(path)
    assert loaded.parse(TEXT).to_bytes() == parser.parse(TEXT).to_bytes()
    assert loaded.info["pipeline"]["jackknife"] == 2
    assert (
        loaded.info["data"]["sha256"]
        == dynarc.train(english("train"), config=TrainConfig(epochs=1), calibrate=False).info["data"]["sha256"]
    )  # of the treebank, not of what jackknifing made of it


def test_trace_and_kbest_see_tags(parser: Parser) -> None:
    words = ["She", "sleeps", "."]
    heads = parser(words).heads
    *_, last = parser.trace(words)
    assert parser.kbest(words, 2)[0].sentence.upos == parser(words).upos
    assert last.after.is_final
    assert len(heads) == 3


def test_a_parser_without_stages_takes_no_text() -> None:
    plain = dynarc.train(english("train")[:50], config=TrainConfig(epochs=1), calibrate=False)
    with pytest.raises(ConfigError, match="has no tokenizer"):
        plain.parse(TEXT)


def test_text_has_no_arcs_to_fix(parser: Parser) -> None:
    with pytest.raises(ConfigError, match="tokenize the text first"):
        parser.parse(TEXT, fixed={1: (2, None)})


def test_jackknife_of_one_part() -> None:
    with pytest.raises(ConfigError, match="2 parts or more"):
        PipelineConfig(jackknife=1)


@pytest.mark.parametrize("damage", ["tagger", "tokenizer"])
def test_damaged_stages(parser: Parser, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "m.dynarc"
    parser.save(path)
    contents = read_model_file(path)
    metadata = {key: value for key, value in contents.metadata.items() if not key.startswith("dynarc.")}
    lost = {key: tensor for key, tensor in contents.tensors.items() if key != f"{damage}.upos.forms"}
    lost.pop("tokenizer.ends.keys" if damage == "tokenizer" else "tagger.upos.forms", None)
    write_model_file(path, replace(contents, metadata=metadata, tensors=lost))
    with pytest.raises(ModelFormatError, match="has no tensor"):
        dynarc.load(path)


def test_without_jackknife_and_dev() -> None:
    config = PipelineConfig(TrainConfig(epochs=1, features="zhang-nivre"), jackknife=0)
    found = dynarc.train_pipeline(english("train")[:80], config=config, threads=1, calibrate=False)
    assert found.calibration is None
    assert len(found.parse("One. Two.")) >= 1
    assert found.parse(Treebank([Sentence(["Go", "!"])]))[0].upos[1] != "_"
