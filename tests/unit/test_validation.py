"""Cross-validation and learning curves: who saw what, and what the figures are made of."""

import statistics
from dataclasses import replace
from itertools import pairwise

import pytest

from dynarc import (
    ConfigError,
    CurvePoint,
    Sentence,
    Treebank,
    TreeError,
    cross_validate,
    evaluate,
    learning_curve,
    train,
    validation,
)
from dynarc.config import TrainConfig
from dynarc.data import english
from dynarc.train import Epoch
from dynarc.validation import Fold, tenth_apart

SMALL = TrainConfig(features=("S0.form", "S0.tag", "B0.form", "B0.tag", "S0.tag+B0.tag", "S0.form+B0.form"), epochs=2)


def test_every_sentence_is_parsed_by_a_parser_that_has_not_seen_it(monkeypatch: pytest.MonkeyPatch) -> None:
    treebank = english("dev")[:23]
    seen: list[set[str | None]] = []

    def spied(data: Treebank, *, config: TrainConfig, calibrate: bool) -> object:
        seen.append({sentence.sent_id for sentence in data})
        return train(data, config=config, calibrate=calibrate)

    monkeypatch.setattr(validation, "train", spied)
    found = cross_validate(treebank, folds=4, config=SMALL)
    assert [fold.sentences for fold in found.folds] == [5, 6, 6, 6]
    assert [fold.first for fold in found.folds] == [1, 6, 12, 18]
    names = [sentence.sent_id for sentence in treebank]
    for fold, known in zip(found.folds, seen, strict=True):
        held_out = names[fold.first - 1 : fold.first - 1 + fold.sentences]
        assert known == set(names) - set(held_out)


def test_what_was_parsed_is_the_treebank_with_other_trees() -> None:
    treebank, told = english("dev"), list[Fold]()
    before = treebank.to_bytes()
    found = cross_validate(treebank, folds=3, config=SMALL, progress=told.append)
    assert treebank.to_bytes() == before
    assert tuple(told) == found.folds
    for fold in found.folds:
        part = slice(fold.first - 1, fold.first - 1 + fold.sentences)
        again = train(treebank[: part.start] + treebank[part.stop :], config=SMALL).parse(treebank[part])
        assert again == found.parsed[part]
        assert (fold.uas, fold.las) == (fold.scores.uas, evaluate(treebank[part], found.parsed[part]).las)
    assert found.scores.las == evaluate(treebank, found.parsed).las
    assert found.scores.words == treebank.words == sum(fold.words for fold in found.folds)
    assert found.las.mean == pytest.approx(statistics.fmean(fold.las for fold in found.folds))
    assert found.uas.sd == pytest.approx(statistics.stdev(fold.uas for fold in found.folds))
    back = found.parsed.copy()
    for sentence, gold in zip(back, treebank, strict=True):
        sentence.heads, sentence.deprels = gold.heads, gold.deprels
    assert back.to_bytes() == before


def test_several_treebanks_and_files_are_one() -> None:
    parts = [english("dev")[:12], english("dev")[12:20]]
    found = cross_validate(parts, folds=2, config=SMALL)
    same = cross_validate(english("dev")[:20].to_bytes(), folds=2, config=SMALL)
    assert [fold.las for fold in found.folds] == [fold.las for fold in same.folds]
    assert [s.forms for s in found.parsed] == [s.forms for s in english("dev")[:20]]


@pytest.mark.parametrize("folds", [-1, 0, 1])
def test_one_part_is_none(folds: int) -> None:
    with pytest.raises(ConfigError, match="takes 2 or more"):
        cross_validate(english("dev"), folds=folds, config=SMALL)


def test_more_folds_than_sentences() -> None:
    with pytest.raises(ConfigError, match="2 sentences cannot be cut into 3 folds"):
        cross_validate(english("dev")[:2], folds=3, config=SMALL)
    assert len(cross_validate(english("dev")[:2], folds=2, config=SMALL).folds) == 2


def test_folds_without_a_known_head_do_not_count() -> None:
    unknown = [Sentence(["a", "b"], heads=[None, None]) for _ in range(3)]
    found = cross_validate([english("dev")[:6], Treebank(unknown)], folds=3, config=SMALL)
    assert [fold.words > 0 for fold in found.folds] == [True, True, False]
    assert found.las.mean == pytest.approx((found.folds[0].las + found.folds[1].las) / 2)


def test_an_interrupt_ends_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in training would be a parser of fewer epochs; here it is no result at all."""

    def stopped(data: Treebank, *, config: TrainConfig, calibrate: bool) -> object:
        def stop(epoch: Epoch) -> None:
            raise KeyboardInterrupt

        return train(data, config=config, progress=stop, calibrate=calibrate)

    monkeypatch.setattr(validation, "train", stopped)
    with pytest.raises(KeyboardInterrupt):
        cross_validate(english("dev"), folds=2, config=SMALL)


def test_a_curve_has_nested_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[str | None]] = []

    def spied(data: Treebank, *, config: TrainConfig, calibrate: bool) -> object:
        seen.append({sentence.sent_id for sentence in data})
        return train(data, config=config, calibrate=calibrate)

    monkeypatch.setattr(validation, "train", spied)
    told: list[CurvePoint] = []
    treebank = english("dev")
    curve = learning_curve(treebank, english("test"), config=SMALL, points=4, progress=told.append)
    assert [point.sentences for point in curve] == [14, 29, 59, 119]
    assert curve == told
    assert all(smaller < larger for smaller, larger in pairwise(seen))
    assert seen[0] != {sentence.sent_id for sentence in treebank[:14]}
    assert curve[-1].words == treebank.words
    whole = evaluate(english("test"), train(treebank, config=SMALL).parse(english("test")))
    assert (curve[-1].uas, curve[-1].las) == (whole.uas, whole.las)
    first, seen = seen[0], []
    monkeypatch.setattr(validation, "train", spied)
    learning_curve(treebank, english("test"), config=replace(SMALL, seed=2), points=4)
    assert seen
    assert seen[0] != first


def test_few_sentences_give_few_points() -> None:
    few = english("dev")[:3]
    assert [p.sentences for p in learning_curve(few, english("test"), config=SMALL, points=6)] == [1, 3]
    assert len(learning_curve(few[:1], english("test"), config=SMALL)) == 1
    with pytest.raises(ConfigError, match="a curve has 2 or more"):
        learning_curve(few, english("test"), config=SMALL, points=1)
    with pytest.raises(TreeError, match="none of its 0 sentences"):
        learning_curve(Treebank(), english("test"), config=SMALL)


def test_a_tenth_is_held_out() -> None:
    rest, tenth = tenth_apart(english("dev"))
    assert (len(rest), len(tenth)) == (108, 11)
    assert tenth[0] == english("dev")[9]
    assert not {s.sent_id for s in rest} & {s.sent_id for s in tenth}
