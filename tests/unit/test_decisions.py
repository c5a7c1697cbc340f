"""Parsers step by step: what they decide is what they do, with scores, probabilities and costs."""

import functools
import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from dynarc import (
    ConfigError,
    Parser,
    System,
    TrainConfig,
    Tree,
    Treebank,
    TreeError,
    _core,
    train,
)
from dynarc.data import english
from dynarc.verify import every_system

SYSTEMS = [ts for ts in every_system() if ts.headless == "forest"]
SMALL = TrainConfig(epochs=2)


def config_of(ts: System) -> TrainConfig:
    return TrainConfig(
        system=ts.name,
        root=ts.root,  # type: ignore[arg-type]
        single_root=ts.single_root,
        epochs=2,
        nonprojective="drop",
    )


@functools.cache
def of_english(ts: System) -> Parser:
    return train(english("dev"), config=config_of(ts))


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_a_trace_is_the_parse(ts: System) -> None:
    """In every system: the chosen transitions, applied one after the other, give the parse."""
    parser = of_english(ts)
    for sentence, parsed in zip(english("dev"), parser.parse(english("dev")), strict=True):
        steps = list(parser.trace(sentence))
        state = ts.initial(len(sentence))
        for number, step in enumerate(steps, start=1):
            assert (step.number, step.state) == (number, state)
            assert step.scores is not None
            assert step.chosen in step.legal
            assert step.scores[step.chosen] == max(step.scores.values())
            assert (step.costs, step.cost, step.loss) == (None, None, None)
            state.apply(step.chosen)
        assert state.is_final
        # Words that are left without a head are attached by the parser.
        for head, label, got, got_label in zip(state.heads, state.labels, parsed.heads, parsed.deprels, strict=True):
            assert head in (None, got)
            assert head is None or label == got_label


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_costs_are_those_of_the_oracle(ts: System) -> None:
    parser = of_english(ts)
    ts = parser.config.transition_system(single_root=ts.single_root)
    for sentence in [sentence for sentence in english("dev") if sentence.tree.is_projective][:10]:
        oracle = ts.oracle("dynamic").bind(sentence.tree)
        loss = 0.0
        for step in parser.trace(sentence, gold=sentence.tree):
            assert step.costs is not None
            assert step.cost is not None
            assert list(step.costs) == step.legal
            for t in random.Random(step.number).sample(step.legal, min(5, len(step.legal))):
                assert step.costs[t] == oracle.cost(step.state, t)
            loss += step.cost
            assert step.loss == oracle.loss(step.after)
            if oracle.exact:
                assert loss == step.loss
        assert [step.chosen for step in parser.trace(sentence, gold=sentence)] == [
            step.chosen for step in parser.trace(sentence)
        ]


def test_lifted_trees() -> None:
    """The parser builds lifted arcs, so its gold is lifted, too: what it learned costs nothing."""
    crossing = Treebank([sentence for sentence in english("train") if not sentence.tree.is_projective])
    parser = train(crossing, config=replace(SMALL, nonprojective="head+path", pseudo_min_count=1, epochs=15))
    assert parser.labels.marked
    right = 0
    for sentence, parsed in zip(crossing, parser.parse(crossing), strict=True):
        steps = list(parser.trace(sentence, gold=sentence))
        if all(step.cost == 0 for step in steps):
            right += parsed == sentence
    assert right > len(crossing) / 2


def test_words_and_gold_that_does_not_fit() -> None:
    parser = of_english(SYSTEMS[0])
    assert [str(step.chosen.move) for step in parser.trace(["Go"])] == ["RIGHT"]
    with pytest.raises(TreeError, match="the sentence has 1 words, but its gold tree 2"):
        parser.trace(["Go"], gold=Tree([2, 0]))
    with pytest.raises(ConfigError, match="split the text first"):
        parser.trace("Go home")


def test_rivals_are_ranked() -> None:
    step = next(step for step in of_english(SYSTEMS[0]).trace(["They", "saw", "it", "."]) if len(step.legal) > 5)
    scores = [score for _, score in step.rivals]
    assert scores == sorted(scores, reverse=True)
    assert len(scores) == len(step.legal) - 1
    assert step.chosen not in dict(step.rivals)


def softmax(values: Sequence[float]) -> list[float]:
    most = max(values)
    powers = [math.exp(value - most) for value in values]
    return [power / math.fsum(powers) for power in powers]


def chances(parser: Parser, offers: Sequence[tuple[int, int, int, float, float]]) -> list[float]:
    """The probability of each offer, from their scores alone.

    The scores of labels that share a class are the class's, less a difference: the best has that of the class.
    """
    sharpness, rest = parser.model.sharpness, set(parser.labels.rest)
    groups: dict[object, list[int]] = {}
    for place, (move, node, label, *_) in enumerate(offers):
        groups.setdefault((move, node) if (move, label) in rest else place, []).append(place)
    scores = [max(offers[place][3] for place in places) for places in groups.values()]
    found = [0.0] * len(offers)
    for places, p in zip(groups.values(), softmax([sharpness * score for score in scores]), strict=True):
        for place, share in zip(places, softmax([sharpness * offers[place][3] for place in places]), strict=True):
            found[place] = p * share
    return found


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
@pytest.mark.parametrize(("classes", "sharpness"), [(0, 0.1), (20, 0.02)])
def test_probabilities(ts: System, classes: int, sharpness: float) -> None:
    parser = train(english("dev")[:40], config=replace(config_of(ts), epochs=1, classes=classes))
    assert parser.model.has_rest == (classes > 0)
    parser.model.sharpness = sharpness
    assert parser.model.sharpness == sharpness
    unsure = 0
    for sentence in english("dev")[:5]:
        steps = _core.Steps(parser.model, Treebank([sentence]).document(), 0)
        for step in parser.trace(sentence):
            offers, best = steps.offers()
            expected = chances(parser, offers)
            assert step.probs is not None
            assert list(step.probs) == step.legal
            assert list(step.probs.values()) == pytest.approx(expected)
            assert math.fsum(step.probs.values()) == pytest.approx(1)
            assert [math.exp(log) for *_, log in offers] == list(step.probs.values())
            unsure += 0.01 < step.probs[step.chosen] < 0.99
            steps.take(best)
    assert unsure > 0


def test_a_sharpness_must_make_sense() -> None:
    model = of_english(SYSTEMS[0]).model
    for wrong in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ConfigError, match="a sharpness must be above 0"):
            model.sharpness = wrong
