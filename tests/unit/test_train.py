"""Training and parsing: trees are trees, runs can be repeated, and odd data does the sensible thing."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest

from dynarc import Sentence, Treebank, TreeError, _core, evaluate, systems
from dynarc.config import TrainConfig
from dynarc.data import english
from dynarc.errors import ConfigError
from dynarc.parser import Parser
from dynarc.prepare import prepare
from dynarc.train import Epoch, train

FEATURES = (
    "S0.form", "S0.tag", "B0.form", "B0.tag", "S1.tag+S0.tag", "S0.tag+B0.tag", "S0.form+B0.form", "B0.tag+B1.tag",
    "S1.tag+S0.tag+B0.tag", "S0.tag+B0.tag+B1.tag", "S0.deprel+B0.tag", "S0.left1.tag+S0.tag", "dist(S0,B0)+S0.tag",
    "S1.form+S0.form", "S1.form+S0.tag", "S1.tag+S0.form", "S0.right1.deprel+S0.tag", "S0.labels_left+S0.tag+B0.tag",
)  # fmt: skip
SMALL = TrainConfig(features=FEATURES, epochs=3)


@pytest.fixture(scope="module")
def trained() -> Parser:
    return train(english("train"), config=SMALL)


@pytest.mark.parametrize("system", systems())
@pytest.mark.parametrize("single_root", [True, False])
def test_every_system_learns_and_makes_trees(system: str, single_root: bool) -> None:
    features = "easy-first-2010" if system == "easy-first" else FEATURES
    config = replace(SMALL, system=system, single_root=single_root, features=features)
    parser = train(english("train"), config=config)
    parts: tuple[Literal["dev"], Literal["test"]] = ("dev", "test")
    for part in parts:
        parsed = parser.parse(english(part))
        assert all(sentence.tree.heads == tuple(sentence.heads) and None not in sentence.heads for sentence in parsed)
        assert all(None not in sentence.deprels for sentence in parsed)
        if single_root:
            assert all(len(sentence.tree.roots) == 1 for sentence in parsed)
    assert evaluate(english("dev"), parser.parse(english("dev"))).uas > 70


def test_nothing_changes_but_heads_and_labels(trained: Parser) -> None:
    gold, parsed = english("dev"), trained.parse(english("dev"))
    for before, after in zip(gold, parsed, strict=True):
        after.heads, after.deprels = before.heads, before.deprels
    assert parsed.to_bytes() == gold.to_bytes()


def test_the_same_run_twice_and_with_other_threads(trained: Parser) -> None:
    again = train(english("train"), config=SMALL)
    assert again.model.keys == trained.model.keys
    assert again.model.values == trained.model.values
    assert train(english("train"), config=replace(SMALL, seed=2)).model.values != trained.model.values
    dev = english("dev")
    assert trained.parse(dev, threads=1) == trained.parse(dev, threads=2) == trained.parse(dev, threads=7)


def test_the_best_epoch_on_dev_is_kept() -> None:
    seen: list[Epoch] = []
    dev = english("dev")
    best = train(english("train"), dev=dev, config=replace(SMALL, epochs=6), progress=seen.append)
    assert [epoch.number for epoch in seen] == [1, 2, 3, 4, 5, 6]
    assert evaluate(dev, best.parse(dev)).las == max(epoch.las or 0 for epoch in seen)
    last = train(english("train"), dev=dev, config=replace(SMALL, epochs=6, keep="last"))
    assert evaluate(dev, last.parse(dev)).las == seen[-1].las


def test_an_interrupt_keeps_what_was_learned() -> None:
    def stop(epoch: Epoch) -> None:
        if epoch.number == 2:
            raise KeyboardInterrupt

    parser = train(english("train"), config=replace(SMALL, epochs=50), progress=stop)
    assert parser.info["epochs"] == 2
    assert parser.model.values == train(english("train"), config=replace(SMALL, epochs=2)).model.values


@pytest.mark.parametrize("choice", ["projectivize", "head", "path", "head+path"])
def test_lifted_arcs_are_put_back_and_no_mark_leaks(choice: str) -> None:
    config = replace(SMALL, nonprojective=choice, pseudo_min_count=1, epochs=8)  # type: ignore[arg-type]
    crossing = Treebank([sentence for sentence in english("train") if not sentence.tree.is_projective])
    parser = train(crossing, config=config)
    parsed = parser.parse(crossing)
    labels = {label for sentence in english("train") for label in sentence.deprels}
    assert {label for sentence in parsed for label in sentence.deprels} <= labels
    back = sum(not sentence.tree.is_projective for sentence in parsed)
    assert back == 0 if choice == "projectivize" else back > len(crossing) / 2


def test_nonprojective_sentences_are_dropped_or_lifted_as_their_share_says() -> None:
    """FEATURES.md 6: `auto`."""
    few = prepare(english("train"), SMALL)
    assert (few.encoding, few.counts["lifted"], len(few.trees)) == ("head+path", 52, 612)
    projective = [sentence for sentence in english("train") if sentence.tree.is_projective]
    crossing = [sentence for sentence in english("train") if not sentence.tree.is_projective]
    many = prepare(Treebank([*projective, *crossing[:2]]), SMALL)
    assert (many.encoding, many.counts["not derivable, dropped"], len(many.trees)) == (None, 2, len(projective))
    native = prepare(english("train"), replace(SMALL, system="arc-hybrid-swap"))
    assert (native.encoding, len(native.trees)) == (None, 612)


def test_single_root_is_what_the_data_has() -> None:
    two = Treebank([*english("dev"), Sentence(["a", "b"], heads=[0, 0], deprels=["root", "root"])])
    hybrid = replace(SMALL, system="arc-hybrid")
    assert prepare(english("dev"), hybrid).single_root
    assert not prepare(two, hybrid).single_root
    # Arc-eager leaves several roots, and they are mended.
    eager = prepare(english("dev"), SMALL)
    assert not eager.single_root
    assert eager.labels.roots
    assert not prepare(two, SMALL).labels.roots
    assert prepare(english("dev"), replace(SMALL, root="first")).labels.roots


def test_several_roots_are_mended() -> None:
    """The likeliest root by its tag stays, the others depend on it, with the label that most such words have."""
    free = train(english("train"), config=replace(SMALL, epochs=1, single_root=False))
    mended = train(english("train"), config=replace(SMALL, epochs=1))
    changed = 0
    for before, after in zip(free.parse(english("dev")), mended.parse(english("dev")), strict=True):
        roots = [word for word, head in enumerate(before.heads, start=1) if head == 0]
        [root] = [word for word, head in enumerate(after.heads, start=1) if head == 0]
        share = {tag: share for tag, share, _ in mended.labels.roots}
        assert root == max(roots, key=lambda word: (share[before.upos[word - 1]], -word))
        assert [a for a, b in zip(after.heads, before.heads, strict=True) if b != 0 and a != b] == []
        for other in set(roots) - {root}:
            changed += 1
            [label] = [label for tag, _, label in mended.labels.roots if tag == after.upos[other - 1]]
            assert (after.heads[other - 1], after.deprels[other - 1]) == (root, mended.labels.texts[label])
    assert changed > 5


def test_unlabelled() -> None:
    parser = train(english("train"), config=replace(SMALL, labels=False))
    parsed = parser.parse(english("dev"))
    assert parser.model.classes == 4
    assert all(label is None for sentence in parsed for label in sentence.deprels)
    assert evaluate(english("dev"), parsed).uas > 70


def test_partial_trees_teach_what_they_know() -> None:
    treebank = english("train").copy()
    for number, sentence in enumerate(treebank):
        if number % 2:
            sentence.heads[0] = None
    prepared = prepare(treebank, SMALL)
    assert prepared.counts["partial"] == 306
    assert evaluate(english("dev"), train(treebank, config=SMALL).parse(english("dev"))).uas > 70
    static = prepare(treebank, replace(SMALL, oracle="static"))
    assert len(static.trees) < len(prepared.trees)


@pytest.mark.parametrize(
    "treebank",
    [
        pytest.param([Sentence(["Go"], heads=[0], deprels=["root"])], id="one word"),
        pytest.param([Sentence(["a", "b"], heads=[2, 0], deprels=["x", "x"])], id="one label"),
        pytest.param([Sentence(["a", "b"], heads=[2, 0])], id="no labels"),
        pytest.param([Sentence(["a", "b", "c"], heads=[None, 0, None])], id="hardly any heads"),
    ],
)
def test_hardly_any_data(treebank: list[Sentence]) -> None:
    parser = train(Treebank(treebank), config=SMALL)
    for sentence in (*treebank, Sentence(["новый", "новое", "слово", "!"]), Sentence(["x"])):
        parsed = parser.parse(Treebank([sentence]))[0]
        assert None not in parsed.tree.heads


def test_what_cannot_be_learned_from() -> None:
    with pytest.raises(TreeError, match="none of its 0 sentences has a tree to learn from"):
        train(Treebank(), config=SMALL)
    with pytest.raises(ConfigError, match="column 4"):
        train(english("dev"), config=replace(SMALL, features=("S0.length",)))
    with pytest.raises(ConfigError, match="for easy-first"):
        train(english("dev"), config=replace(SMALL, features=("F1.form",)))


def test_words_and_text(trained: Parser) -> None:
    sentence = trained(["They", "sing", "."])
    assert sentence.forms == ["They", "sing", "."]
    assert len(sentence.tree.roots) == 1
    with pytest.raises(ConfigError, match="Split the text first"):
        trained.parse("They sing.")


def test_a_very_long_sentence(trained: Parser) -> None:
    words = 100_000
    parsed = trained(["w"] * words)
    assert len(parsed.tree) == words


def test_several_treebanks_are_one() -> None:
    halves = [english("train")[:300], english("train")[300:]]
    assert Treebank.joined(halves) == english("train")
    assert len(Treebank.joined([])) == 0
    whole, parts = (train(data, config=replace(SMALL, epochs=1)) for data in (english("train"), halves))
    assert whole.model.values == parts.model.values


def test_the_same_bytes_without_vectors(tmp_path: Path) -> None:
    """DESIGN.md 5: models and trees do not depend on what the processor can do."""
    paths = [tmp_path / "vectors", tmp_path / "portable"]
    parsed = []
    for path, vectors in zip(paths, ("auto", "portable"), strict=True):
        _core.use_simd(vectors)
        try:
            parser = train(english("train")[:200], config=SMALL)
            parser.save(path)
            parsed.append([(s.heads, s.deprels) for s in parser.parse(english("dev"))])
        finally:
            _core.use_simd("auto")
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert parsed[0] == parsed[1]
