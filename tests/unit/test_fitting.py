"""system="auto": the transition system that fits the data, settled before training and named by the parser."""

from dataclasses import replace

import pytest

import dynarc
from dynarc import ConfigError, Sentence, TrainConfig, Treebank
from dynarc.fitting import MANY_CROSSING, crossing_share, fitted

AUTO = TrainConfig(system="auto", features=("S0.tag+B0.tag", "B0.form"), epochs=1, keep="last")
FLAT, CROSSED = [2, 0, 2, 3], [3, 4, 0, 3]


def treebank(flat: int, crossed: int) -> Treebank:
    heads = [FLAT] * flat + [CROSSED] * crossed
    words, tags = ["a", "b", "c", "d"], ["DET", "NOUN", "VERB", "ADV"]
    return Treebank(Sentence(words, upos=tags, heads=some, deprels=["dep"] * 4) for some in heads)


def test_the_system_follows_the_share_of_crossing_trees() -> None:
    assert crossing_share(treebank(3, 1)) == MANY_CROSSING == 0.25
    assert fitted(AUTO, treebank(3, 1)).system == "covington"
    assert fitted(AUTO, treebank(4, 1)).system == "arc-eager"
    assert fitted(AUTO, treebank(5, 0)) == replace(AUTO, system="arc-eager")
    named = replace(AUTO, system="arc-hybrid")
    assert fitted(named, treebank(0, 4)) is named


def test_sentences_without_whole_trees_do_not_count() -> None:
    rows = [["1\tx" + "\t_" * 4 + f"\t{head}\tdep\t_\t_", "2\ty" + "\t_" * 4 + "\t1\tdep\t_\t_"] for head in ("2", "_")]
    text = "".join("\n".join(lines) + "\n\n" for lines in rows)
    other = dynarc.read_conllu(text.encode(), check_trees=False)
    assert len(other) == 2
    assert crossing_share(Treebank([*treebank(3, 1), *other])) == 0.25
    assert crossing_share(other) == 0.0


@pytest.mark.parametrize(("data", "system"), [(treebank(4, 0), "arc-eager"), (treebank(2, 2), "covington")])
def test_the_parser_names_its_system(data: Treebank, system: str) -> None:
    parser = dynarc.train(data, config=AUTO, calibrate=False)
    assert parser.config == replace(AUTO, system=system)
    assert parser.parse(data)[0].heads == list(FLAT)
    more = dynarc.train(data, config=AUTO, start=parser, calibrate=False)
    assert more.config.system == system
    assert dynarc.cross_validate(data, folds=2, config=AUTO).scores.words == 16


def test_auto_in_text_and_what_does_not_go_with_it() -> None:
    assert TrainConfig.from_toml(AUTO.to_toml()) == AUTO
    with pytest.raises(ConfigError, match="where ROOT stands depends on the system"):
        replace(AUTO, root="first")
    with pytest.raises(ConfigError, match=r"unknown transition system 'best'.*covington.*auto"):
        TrainConfig(system="best")
