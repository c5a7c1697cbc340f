"""Folded weights: whatever is kept of sums, trees are those of the compact layout."""

import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.unit.test_train import FEATURES

from dynarc import Treebank, _core
from dynarc.config import TrainConfig
from dynarc.data import english
from dynarc.errors import ConfigError
from dynarc.features import feature_sets, resolve
from dynarc.model_file import EXACT, pack_model, unpack_model
from dynarc.parser import Parser, model_spec
from dynarc.train import train

SMALL = TrainConfig(features=FEATURES, epochs=2)
STACK_SYSTEMS = ("arc-eager", "arc-hybrid", "arc-standard", "attardi", "arc-hybrid-swap", "covington")


@cache
def part() -> Treebank:
    return english("train")[:200]


def trees(parser: Parser, source: Treebank, layout: str, threads: int = 1) -> list[tuple[list[int], list[int]]]:
    document = source.document()
    return parser.model.parse(document, 0, document.sentences, threads, layout)


def assert_same(parser: Parser) -> None:
    dev = english("dev")
    compact = trees(parser, dev, "compact")
    for threads in (1, 1, 3):  # the second time most sums are known
        assert trees(parser, dev, "folded", threads) == compact
    assert parser.model.folded == (parser.config.system != "easy-first")


def sets() -> Iterator[tuple[str, str]]:
    for system in STACK_SYSTEMS:
        for features in feature_sets():
            with suppress(ConfigError):  # not for this system
                resolve(features, system)
                yield system, features


@pytest.mark.parametrize(("system", "features"), list(sets()))
def test_every_system_and_set(system: str, features: str) -> None:
    assert_same(train(part(), config=replace(SMALL, system=system, features=features, epochs=1)))


@pytest.mark.parametrize(
    "change",
    [
        {"passes": 2, "features": "default"},
        {"direction": "right-to-left"},
        {"tag": "xpos"},
        {"labels": False},
        {"classes": 0},
        {"classes": 5},
        {"single_root": True},
        {"single_root": False},
        {"single_root": "mend"},
        {"root": "first", "single_root": False},
        {"system": "easy-first", "features": "easy-first-2010"},
        {"valency_cap": 0},
    ],
    ids=str,
)
def test_every_kind_of_parser(change: dict[str, Any]) -> None:
    assert_same(train(part(), config=replace(SMALL, **change)))


RELATIONS = ("", "", "", ".left1", ".left2", ".right1", ".right2", ".head", ".head.head", ".previous", ".next")
NODES = [f"{place}{relation}" for place in ("S0", "S1", "S2", "B0", "B1", "B2") for relation in RELATIONS]
ATTRIBUTES = [name for name in _core.attribute_names() if name != "guide_deprel"]
FUNCTIONS = ("dist", "head_is", "between", "each_between", "gap", "agree")


def drawn(seed: int) -> tuple[str, ...]:
    rng = random.Random(seed)

    def atom() -> str:
        if rng.random() < 0.15:
            return f"{rng.choice(FUNCTIONS)}({rng.choice(NODES)},{rng.choice(NODES)})"
        common = ["form", "tag", "deprel"] if rng.random() < 0.6 else ATTRIBUTES
        return f"{rng.choice(NODES)}.{rng.choice(common)}"

    return tuple({"+".join(atom() for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))) for _ in range(rng.randint(5, 60))})


@pytest.mark.parametrize("seed", range(12))
def test_templates_drawn_at_random(seed: int) -> None:
    rng = random.Random(seed)
    config = replace(
        SMALL, system=rng.choice(STACK_SYSTEMS), features=drawn(seed), epochs=1, classes=rng.choice((0, 9, 64))
    )
    assert_same(train(part()[:80], config=config))


@pytest.mark.parametrize("times", [1, 3])
def test_sums_of_more_than_16_bits(times: int) -> None:
    """All weights as large as can be: what is kept needs two rows, or cannot be kept at all."""
    features = [
        f"{node}.{name}" for node in ("S0", "B0") for name in ("form", "lower", "suffix3", "suffix2", "prefix1")
    ]
    parser = train(
        part(), config=replace(SMALL, features=(*features, "S0.tag", "B0.tag", "S0.tag+B0.tag")[: 5 * times])
    )
    spec = model_spec(parser.config, parser.single_root, parser.templates, parser.labels)
    tensors = pack_model(parser.model, EXACT)
    found = unpack_model(spec, tensors)
    assert found.values == parser.model.values
    for name, tensor in tensors.items():
        if name.endswith("values") and tensor.data:
            values = memoryview(bytearray(tensor.data)).cast("f")
            for i, value in enumerate(values):
                values[i] = 32767.0 if value > 0 else -32767.0
            tensors[name] = replace(tensor, data=values.tobytes())
    assert_same(replace(parser, model=unpack_model(spec, tensors)))


def test_folds_when_there_is_enough_to_do() -> None:
    parser = train(part(), config=replace(SMALL, features="zhang-nivre"))
    dev = english("dev")
    first = parser.parse(dev, threads=1)
    states = [parser.model.folded]
    for _ in range(100_000 // dev.words + 2):
        assert parser.parse(dev, threads=1) == first
        states.append(parser.model.folded)
    assert states == sorted(states)
    assert (states[0], states[-1]) == (False, True)
    assert parser.parse(dev[0].forms) == parser.parse(dev[0].forms)  # a sentence is not worth it


@pytest.mark.parametrize(
    ("features", "pays"), [("zhang-nivre", True), (("S0.form+B0.form", "S0.tag+B0.tag"), False)], ids=str
)
def test_folds_where_that_pays(features: str | tuple[str, ...], pays: bool) -> None:
    parser = train(part(), config=replace(SMALL, features=features))
    much = Treebank.joined([english("train")] * (100_000 // english("train").words + 1))
    parser.parse(much, threads=1)
    assert parser.model.folded == pays


def test_several_threads_of_python() -> None:
    parser = train(part(), config=SMALL)
    dev = english("dev")
    compact = trees(parser, dev, "compact")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda layout: trees(parser, dev, layout), ["folded"] * 8))
    assert all(other == compact for other in found)


def test_the_layout_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = train(part(), config=SMALL)
    compact = parser.parse(english("dev"))
    monkeypatch.setenv("DYNARC_LAYOUT", "folded")
    assert parser.parse(english("dev")) == compact
    assert parser.model.folded
    monkeypatch.setenv("DYNARC_LAYOUT", "flat")
    with pytest.raises(ConfigError, match="no layout 'flat'"):
        parser.parse(english("dev"))


def test_no_sentences_and_no_words() -> None:
    parser = train(part(), config=SMALL)
    assert trees(parser, english("dev")[:0], "folded") == []
    assert trees(parser, english("dev")[:1], "folded") == trees(parser, english("dev")[:1], "compact")


def test_vectors_by_name() -> None:
    best = _core.simd()
    try:
        parser = train(part(), config=SMALL)
        compact = trees(parser, english("dev"), "compact")
        for name in ("portable", "avx2", "avx512")[: ("portable", "avx2", "avx512").index(best) + 1]:
            _core.use_simd(name)
            assert _core.simd() == name
            assert trees(parser, english("dev"), "folded") == trees(parser, english("dev"), "compact") == compact
        with pytest.raises(ConfigError, match="no vectors 'sse9'"):
            _core.use_simd("sse9")
    finally:
        _core.use_simd("auto")
