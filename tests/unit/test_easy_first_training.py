"""Easy-first in training and parsing, through the engine: what it learns, what it promises of trees, what it counts."""

import time
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import pytest

from dynarc import ConfigError, Tree, _core
from dynarc.data import english

PAIRS = (("F1", "F2"), ("P1", "F1"), ("F2", "N1"))
TEMPLATES = (
    [f"{x}.{a}" for x in ("P2", "P1", "F1", "F2", "N1", "N2") for a in ("form", "tag")]
    + [f"{x}.{a}+{y}.{b}" for x, y in PAIRS for a, b in product(["form", "tag"], repeat=2)]
    + [f"F1.tag+F2.tag+{x}.{side}.tag" for x in ("F1", "F2") for side in ("left1", "right1")]
    + ["P1.tag+F1.tag+F2.tag", "F1.tag+F2.tag+N1.tag", "dist(F1,F2)+F1.tag+F2.tag"]
    + ["F1.valency_left", "F2.valency_right"]
)


class Data(NamedTuple):
    document: _core.Document
    trees: list[tuple[int, list[int], list[int]]]
    labels: list[str]  # of arcs from ROOT last


@cache
def data(labelled: bool = False, projective: bool = True) -> Data:
    treebank = english("dev")
    labels = sorted({str(d) for s in treebank for d in s.deprels}, key=lambda d: (d == "root", d))
    trees = []
    for i, s in enumerate(treebank):
        heads = [int(h) for h in s.heads if h is not None]
        if not projective or Tree(heads).is_projective:
            trees.append((i, heads, [labels.index(str(d)) for d in s.deprels] if labelled else [-1] * len(heads)))
    return Data(treebank.document(), trees, labels if labelled else [])


def spec(labels: int = 0, *, single_root: bool = True, templates: Sequence[str] = tuple(TEMPLATES)) -> _core.ModelSpec:
    words = max(labels - 1, 0)
    other = 0 if labels else -1
    return _core.ModelSpec("easy-first", False, False, single_root, templates, False, 3, labels, words, words, other)


def options(
    *,
    fixed: bool = False,
    passive_aggressive: bool = False,
    max_loss: bool = False,
    random_best: bool = False,
    after_epoch: int = 1,
    probability: float = 0.9,
    seed: int = 1,
) -> _core.LearnOptions:
    learner = "passive-aggressive" if passive_aggressive else "perceptron"
    return _core.LearnOptions(
        fixed, learner, random_best, after_epoch, probability, False, 0.1, True, max_loss, 1, seed
    )


def training(
    of: Data,
    how: _core.LearnOptions,
    *,
    single_root: bool = True,
    templates: Sequence[str] = tuple(TEMPLATES),
) -> _core.Training:
    what = spec(len(of.labels), single_root=single_root, templates=templates)
    return _core.Training(what, of.document, of.trees, 1, how)


def learned(of: Data, how: _core.LearnOptions, epochs: int, *, single_root: bool = True) -> _core.Model:
    run = training(of, how, single_root=single_root)
    for _ in range(epochs):
        run.epoch()
    return run.model()


def right(model: _core.Model, of: Data) -> tuple[float, float]:
    """The shares of words with the right head, and with the right label too."""
    heads = both = words = 0
    found = model.parse(of.document, 0, of.document.sentences, 1)
    for sentence, gold, labels in of.trees:
        for head, label, gold_head, gold_label in zip(*found[sentence], gold, labels, strict=True):
            words += 1
            heads += head == gold_head
            both += head == gold_head and label == gold_label
    return heads / words, both / words


def document(*sentences: Sequence[str]) -> _core.Document:
    rows = ("\n".join(f"{i}\t{w}\t_\t{w[0]}\t_\t_\t_\t_\t_\t_" for i, w in enumerate(s, 1)) + "\n\n" for s in sentences)
    return _core.Document.read("".join(rows).encode(), check_trees=False)


def check_trees(model: _core.Model, text: _core.Document, *, single_root: bool, words: int, labels: int) -> None:
    for heads, labels_found in model.parse(text, 0, text.sentences, 2):
        tree = Tree(heads)  # refuses cycles
        assert tree.is_projective
        assert None not in tree.heads
        assert len(tree.roots) == 1 if single_root else len(tree.roots) >= 1
        for head, label in zip(heads, labels_found, strict=True):
            assert label == -1 if not labels else words <= label < labels if head == 0 else 0 <= label < words


@pytest.mark.parametrize("fixed", [True, False])
def test_learns_heads(fixed: bool) -> None:
    uas, _ = right(learned(data(), options(fixed=fixed), 6), data())
    assert uas > 0.95


@pytest.mark.parametrize("max_loss", [True, False])
def test_learns_by_passive_aggressive_updates(max_loss: bool) -> None:
    uas, _ = right(learned(data(), options(passive_aggressive=True, max_loss=max_loss), 6), data())
    assert uas > 0.95


def test_learns_labels() -> None:
    of = data(labelled=True)
    uas, las = right(learned(of, options(), 8), of)
    assert uas > 0.95
    assert las > 0.93


def test_learns_from_nonprojective_trees() -> None:
    of = data(projective=False)
    assert len(of.trees) > len(data().trees)
    for how in (options(), options(fixed=True)):
        uas, _ = right(learned(of, how, 6), of)
        assert uas > 0.93


def test_learns_from_partial_trees() -> None:
    of = data()
    partial = [(i, [-1 if d % 3 == 0 else h for d, h in enumerate(heads)], labels) for i, heads, labels in of.trees]
    for how in (options(), options(fixed=True), options(random_best=True)):
        model = learned(Data(of.document, partial, []), how, 3)
        check_trees(model, of.document, single_root=True, words=0, labels=0)


def test_same_seed_same_model() -> None:
    def model(seed: int) -> tuple[bytes, bytes, bytes]:
        m = learned(data(labelled=True), options(seed=seed), 3)
        return m.keys, m.labels, m.values

    assert model(1) == model(1)
    assert model(1) != model(2)


def test_same_trees_whatever_the_number_of_threads() -> None:
    model = learned(data(), options(), 1)
    text = data().document
    assert model.parse(text, 0, text.sentences, 1) == model.parse(text, 0, text.sentences, 3)


@pytest.mark.parametrize("single_root", [True, False])
@pytest.mark.parametrize("labelled", [True, False])
def test_every_output_is_a_tree(single_root: bool, labelled: bool) -> None:
    of = data(labelled)
    unseen = document(["a"], ["b"] * 2, ["c", "d"] * 20, ["the", "cat", "sleeps"], ["x"] * 100)
    for epochs in (0, 1, 3):
        model = learned(of, options(), epochs, single_root=single_root)
        for text in (of.document, unseen):
            n = len(of.labels)
            check_trees(model, text, single_root=single_root, words=max(n - 1, 0), labels=n)


def test_equal_scores_go_to_the_lowest_class_of_the_leftmost_pair() -> None:
    untrained = training(data(), options()).model()
    # LEFT comes before RIGHT, and the first pair that has it is (1, 2): each word is attached to the next.
    assert untrained.parse(document("abcde"), 0, 1, 1) == [([2, 3, 4, 5, 0], [-1] * 5)]


def test_explores_only_after_epoch_k() -> None:
    run = training(data(), options(after_epoch=2, probability=1.0))
    reports = [run.epoch() for _ in range(4)]
    assert [r.explored > 0 for r in reports] == [False, False, True, True]
    assert all(r.explored == r.updates for r in reports[2:])


def test_static_oracle_never_leaves_gold() -> None:
    run = training(data(), options(fixed=True, after_epoch=0, probability=1.0))
    words = sum(len(heads) for _, heads, _ in data().trees)
    for _ in range(3):
        report = run.epoch()
        assert report.explored == 0
        # On the way to gold every configuration is scored once for each update in it and once for the step. The last
        # step of a sentence, which has no alternative, is not scored.
        assert report.given_up == 0
        assert report.states == words - report.sentences + report.updates


def test_same_features_for_right_and_wrong_are_given_up() -> None:
    def report(heads: list[int], how: _core.LearnOptions) -> _core.EpochReport:
        trees = [(0, heads, [-1] * 3)]
        return _core.Training(spec(templates=["F1.form+F2.form"]), document("aaa"), trees, 1, how).epoch()

    # Both pairs of words look alike, and of equals the left one comes first: 1 <- 2 is found, 2 <- 3 never is.
    assert report([2, 0, 2], options(probability=0.0)).given_up == 0
    stuck = report([0, 3, 1], options(probability=0.0))
    assert (stuck.given_up, stuck.updates, stuck.states) == (1, 200, 201)
    assert report([0, 3, 1], options(after_epoch=0, probability=1.0)).given_up == 0


@pytest.mark.parametrize("words", [20_000, 100_000])
def test_long_sentences(words: int) -> None:
    model = learned(data(), options(), 1)
    forms = [w for s in english("train") for w in s.forms]
    text = document((forms * (words // len(forms) + 1))[:words])
    start = time.perf_counter()
    [(heads, _)] = model.parse(text, 0, 1, 1)
    # A second; more on busy machines and under the sanitizers. In quadratic time it would be hours.
    assert time.perf_counter() - start < 30
    assert len(Tree(heads).roots) == 1


@pytest.mark.parametrize("templates", [["F1.form", "S0.form"], ["S0.form"], ["P1.form", "B0.tag"]])
def test_easy_first_has_no_stack(templates: list[str]) -> None:
    with pytest.raises(ConfigError, match="features for easy-first are about P2 P1 F1 F2 N1 N2"):
        training(data(), options(), templates=templates)


def test_pairs_are_for_easy_first_also_where_only_what_is_before_them_is_used() -> None:
    training(data(), options(), templates=["P1.form"])
    with pytest.raises(ConfigError, match="are for easy-first"):
        _core.Training(
            _core.ModelSpec("arc-eager", True, False, False, ["S0.form", "P1.form"], False, 3, 0, 0, 0, -1),
            data().document,
            data().trees,
            1,
            options(),
        )
