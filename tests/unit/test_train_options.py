"""What training can do besides: fewer classes, the other direction, two passes, averaged seeds, learning on."""

import struct
from collections import Counter
from dataclasses import replace

import pytest

from dynarc import Sentence, Treebank, evaluate, systems
from dynarc.config import TrainConfig
from dynarc.data import english
from dynarc.errors import ConfigError
from dynarc.features import guide_templates
from dynarc.parser import Parser
from dynarc.prepare import prepare
from dynarc.train import _first_pass, train

SMALL = TrainConfig(features="zhang-nivre", epochs=3)


def weights_of(parser: Parser) -> dict[tuple[int, int], float]:
    model = parser.model
    keys = struct.unpack(f"<{model.features}Q", model.keys)
    begin = struct.unpack(f"<{model.features + 1}I", model.begin)
    classes = struct.unpack(f"<{model.weights}H", model.labels)
    values = struct.unpack(f"<{model.weights}f", model.values)
    return {(key, classes[i]): values[i] for row, key in enumerate(keys) for i in range(begin[row], begin[row + 1])}


def features_for(system: str) -> str:
    return {"arc-eager": "zhang-nivre", "covington": "covington", "easy-first": "easy-first-2010"}.get(system, "stack")


@pytest.mark.parametrize("system", systems())
def test_fewer_classes(system: str) -> None:
    """PERFORMANCE.md 1: the commonest moves and labels, one class for the others, a second table for their labels."""
    config = replace(SMALL, system=system, features=features_for(system))
    joint, few = train(english("train"), config=config), train(english("train"), config=replace(config, classes=30))
    assert few.model.classes <= 30 < joint.model.classes
    assert few.labels.rest
    own = {label for move, label in few.labels.rest}
    rare = {few.labels.names[label][0] for label in own} - {
        name for label, (name, _) in enumerate(few.labels.names) if label not in own
    }
    parsed = few.parse(english("train"))
    found = Counter(deprel for sentence in parsed for deprel in sentence.deprels)
    assert sum(found[label or ""] for label in rare) > 0  # labels without a class are found all the same
    assert abs(evaluate(english("dev"), few.parse(english("dev"))).las
               - evaluate(english("dev"), joint.parse(english("dev"))).las) < 4  # fmt: skip


def test_all_classes_if_there_are_no_more() -> None:
    joint, enough = (train(english("dev"), config=replace(SMALL, classes=classes)) for classes in (0, 10_000))
    assert weights_of(joint) == weights_of(enough)
    assert not enough.labels.rest


def mirrored(treebank: Treebank) -> Treebank:
    def head(sentence: Sentence, value: int | None) -> int | None:
        return value if not value else len(sentence) + 1 - value

    return Treebank(
        [
            Sentence(
                s.forms[::-1],
                upos=s.upos[::-1],
                xpos=s.xpos[::-1],
                feats=s.feats[::-1],
                lemmas=s.lemmas[::-1],
                heads=[head(s, h) for h in reversed(s.heads)],
                deprels=s.deprels[::-1],
            )
            for s in treebank
        ]
    )


@pytest.mark.parametrize("system", ["arc-eager", "arc-standard", "easy-first", "covington"])
def test_right_to_left_is_left_to_right_in_the_mirror(system: str) -> None:
    config = replace(SMALL, system=system, features="default", classes=40)
    there = train(english("train")[:200], config=replace(config, direction="right-to-left"))
    here = train(mirrored(english("train")[:200]), config=config)
    dev = english("dev")
    assert mirrored(there.parse(dev)).to_bytes() == here.parse(mirrored(dev)).to_bytes()


def test_averaged_seeds() -> None:
    config = replace(SMALL, average_seeds=3, seed=5)
    assert config.seeds[0] == 5
    assert len(set(config.seeds)) == 3
    together = train(english("train"), config=config)
    alone = [weights_of(train(english("train"), config=replace(SMALL, seed=seed))) for seed in config.seeds]
    found = weights_of(together)
    scale = max(abs(v) for v in found.values()) / 2**13  # what a file keeps of weights
    mean = {key: sum(run.get(key, 0.0) for run in alone) / 3 for key in set().union(*alone)}
    for key, value in mean.items():
        assert abs(found.get(key, 0.0) - value) <= 3 * scale
    assert train(english("train"), config=config, threads=1).model.values == together.model.values


@pytest.mark.parametrize("system", systems())
def test_two_passes(system: str) -> None:
    config = replace(SMALL, system=system, features=features_for(system), passes=2, epochs=2)
    parser = train(english("train")[:150], config=config)
    assert parser.first is not None
    assert parser.first.config.direction == "right-to-left"
    assert set(guide_templates(system)) <= set(parser.templates)
    assert evaluate(english("dev"), parser.parse(english("dev"))).uas > 55


def test_the_first_pass_has_not_seen_what_it_parses() -> None:
    """FEATURE_STUDY.md d: whatever its tree is, a sentence gets the same guide."""
    treebank = Treebank(list(english("train")[:60]))
    config = replace(SMALL, passes=2, epochs=2, nonprojective="drop", single_root=False)

    def guides(heads: list[int | None] | None) -> list[tuple[list[int], list[int]]]:
        sentences = [s.copy() if hasattr(s, "copy") else s for s in treebank]
        if heads is not None:
            sentences[30] = Sentence(
                treebank[30].forms, upos=treebank[30].upos, heads=heads, deprels=treebank[30].deprels
            )
        prepared = prepare(Treebank(sentences), config)
        numbers = [number for number, _, _ in prepared.trees]
        found = _first_pass(prepared, config, tuple(_templates()), 1, None, None)[1]
        return [found[numbers.index(30)]] if 30 in numbers else []

    other: list[int | None] = [0, *([1] * (len(treebank[30]) - 1))]
    assert guides(None)[0][0] == guides(other)[0][0]


def _templates() -> list[str]:
    return ["S0.form+B0.form", "S0.tag+B0.tag", "S0.tag", "B0.tag", "S0.tag+B0.tag+B1.tag", "S0.deprel+B0.tag"]


def test_learning_on() -> None:
    train_part, more = english("train")[:100], english("train")[100:]
    before = train(train_part, config=SMALL)
    after = train(more, config=SMALL, start=before)
    assert set(before.labels.names) < set(after.labels.names)
    for old, new in zip(before.model.texts, after.model.texts, strict=True):
        assert new[: len(old)] == old
    dev = english("dev")
    las = [evaluate(dev, parser.parse(dev)).las for parser in (before, after)]
    assert las[1] > las[0] + 1


def test_nothing_is_forgotten_where_there_is_nothing_to_learn() -> None:
    """Sentences that the parser gets right leave its weights as they are: no update, and averages of constants."""
    config = replace(SMALL, nonprojective="drop", single_root=False)  # mended trees are not what it decided
    treebank = Treebank([s for s in english("train") if s.tree.is_projective])
    before = train(treebank, config=config)
    after = train(before.parse(treebank), config=replace(config, epochs=1), start=before)
    dev = english("dev")
    assert after.parse(dev).to_bytes() == before.parse(dev).to_bytes()


def test_what_cannot_learn_on() -> None:
    before = train(english("dev"), config=SMALL)
    for change in ({"system": "arc-hybrid"}, {"valency_cap": 5}, {"features": "hybrid-2013"}, {"labels": False}):
        with pytest.raises(ConfigError, match="learn"):
            train(english("dev"), config=replace(SMALL, **change), start=before)


def test_templates_about_an_earlier_pass_need_one() -> None:
    with pytest.raises(ConfigError, match="passes=2"):
        train(english("dev"), config=replace(SMALL, features=("S0.tag", "guide_arc(S0,B0)")))
