"""Parsers step by step: what they decide is what they do, with scores and costs; and the best few trees."""

import functools
import math
import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from dynarc import (
    ConfigError,
    Parser,
    Sentence,
    System,
    TrainConfig,
    Transition,
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
FORMS = ("a", "b", "c", "d")


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
    assert model.sharpness == 1
    for wrong in (0.0, -1.0, math.inf, math.nan):
        with pytest.raises(ConfigError, match="a sharpness must be above 0"):
            model.sharpness = wrong


@functools.cache
def of_nonsense(ts: System) -> Parser:
    """With two labels for words, so that all derivations of three words can be listed."""
    rng = random.Random(1)
    sentences = []
    for _ in range(40):
        heads = [0, *(rng.randint(1, word - 1) for word in range(2, rng.randint(2, 5)))]
        labels = ["root" if head == 0 else rng.choice("xy") for head in heads]
        sentences.append(Sentence(rng.choices(FORMS, k=len(heads)), heads=heads, deprels=labels))
    return train(Treebank(sentences), config=replace(config_of(ts), min_count=1))


def every_tree(parser: Parser, words: Sequence[str]) -> dict[tuple[object, ...], float]:
    """The least regret of each tree, by going every way."""
    ts = parser.config.transition_system(single_root=parser.single_root)
    document = Treebank([Sentence(words)]).document()
    root = parser.labels.names[parser.labels.first_root][0]
    other = parser.labels.names[parser.labels.other][0]
    found: dict[tuple[object, ...], float] = {}
    todo: list[tuple[list[int], float]] = [([], 0.0)]
    while todo:
        places, regret = todo.pop()
        steps = _core.Steps(parser.model, document, 0)
        state = ts.initial(len(words))
        for place in places:
            offers, _ = steps.offers()
            move, node, label, *_ = offers[place]
            name = None if label < 0 else parser.labels.names[label][0]
            state.apply(Transition(_core.move_names()[move], name, None if node < 0 else node))
            steps.take(place)
        if steps.is_final:
            heads = [0 if head is None else head for head in state.output]
            labels = [label or (root if head == 0 else other) for label, head in zip(state.labels, heads, strict=True)]
            key = (*heads, *labels)
            found[key] = min(regret, found.get(key, regret))
            continue
        offers, best = steps.offers()
        for place, offer in enumerate(offers):
            todo.append(([*places, place], regret + offers[best][3] - offer[3]))
    return found


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_the_best_trees_of_all(ts: System) -> None:
    """Against every derivation there is."""
    parser, rng = of_nonsense(ts), random.Random(5)
    # Covington and SWAP have many more derivations of a tree than the others.
    words = rng.choices(FORMS, k=2 if ts.name in ("covington", "arc-hybrid-swap") else 3)
    truth = every_tree(parser, words)
    ranked = parser.kbest(words, len(truth) + 10, limit=100_000)
    found = {(*tree.heads, *tree.deprels): regret for tree, regret in ranked}
    assert len(found) == len(ranked)  # all distinct
    assert found.keys() == truth.keys()
    assert all(regret == pytest.approx(truth[tree]) for tree, regret in found.items())
    regrets = [regret for _, regret in ranked]
    assert regrets == sorted(regrets)
    for k in (1, 2, 5):
        assert parser.kbest(words, k) == ranked[:k]


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
def test_the_greedy_parse_comes_first(ts: System) -> None:
    parser = of_english(ts)
    for sentence in english("dev")[:10]:
        best = parser.kbest(sentence, 3)
        assert best[0] == (parser.parse(Treebank([sentence]))[0], 0.0)
        assert len(best) == 3
        assert best[0][0].upos == sentence.upos


def test_a_bound_on_the_search_leaves_trees_out_but_changes_none() -> None:
    parser, sentence = of_english(SYSTEMS[2]), english("dev")[3]
    many = parser.kbest(sentence, 50)
    few = parser.kbest(sentence, 50, limit=20)
    assert 5 < len(few) <= 20
    assert few == many[: len(few)]
    for k, limit in ((0, 1), (1, 0), (True, 1), ("3", 1)):
        with pytest.raises(ConfigError, match="a whole number, 1 or more"):
            parser.kbest(sentence, k, limit=limit)  # type: ignore[arg-type]


def test_trees_are_distinct_when_lifted_arcs_are_put_back() -> None:
    crossing = Treebank([sentence for sentence in english("train") if not sentence.tree.is_projective])
    parser = train(crossing, config=replace(SMALL, nonprojective="head+path", pseudo_min_count=1, epochs=5))
    ranked = parser.kbest(crossing[0], 200)
    assert len({(*tree.heads, *tree.deprels) for tree, _ in ranked}) == len(ranked) == 200
    assert ranked[0][0] == parser.parse(crossing[:1])[0]
