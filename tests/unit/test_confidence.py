"""How sure parsers are: evidence against what a trace shows, maps against what is known of them, what is written."""

import json
import math
import random
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import dynarc
from dynarc import (
    ConfigError,
    ModelFormatError,
    Parser,
    Sampling,
    Sentence,
    System,
    TrainConfig,
    Treebank,
    _core,
    systems,
)
from dynarc.confidence import (
    KINDS,
    SAMPLES,
    Calibration,
    Fitted,
    Judgement,
    Names,
    _pooled,
    calibrate,
    fitted,
    gold_trees,
    judge,
    report,
)
from dynarc.data import english
from dynarc.reliability import figures, keep_share
from dynarc.train import Epoch

from . import test_kbest
from .test_decisions import SYSTEMS, config_of

SMALL = TrainConfig(epochs=3, features=("S0.form+B0.form", "S0.tag+B0.tag", "S0.tag", "B0.tag", "B0.form"))
PAIRS = ("F1.tag+F2.tag", "F1.form+F2.form", "P1.tag+F1.tag", "F2.tag+N1.tag")


@cache
def trained(system: str = "arc-eager", learner: str = "perceptron", direction: str = "left-to-right") -> Parser:
    config = TrainConfig.from_dict(
        {**SMALL.to_dict(), "system": system, "learner": learner, "direction": direction}
        | ({"features": list(PAIRS)} if system == "easy-first" else {})
    )
    data = english("train") if system == "arc-eager" else english("train")[:150]
    return dynarc.train(data, dev=english("dev")[:50], config=config)


@pytest.mark.parametrize("learner", ["perceptron", "adagrad-rda"])
@pytest.mark.parametrize("system", systems())
def test_trees_are_those_of_the_parser(system: str, learner: str) -> None:
    parser = trained(system, learner)
    plain, sure = parser.parse(english("test")), parser.parse(english("test"), confidence=True)
    for one, other in zip(plain, sure, strict=True):
        assert one.heads == other.heads
        assert one.deprels == other.deprels
        arcs, labels = other.arc_prob, other.label_prob
        assert arcs is not None
        assert labels is not None
        assert len(arcs) == len(labels) == len(other)
        assert all(0 <= q <= p <= 1 for p, q in zip(arcs, labels, strict=True) if p is not None and q is not None)
        assert other.tree_prob is not None
        assert 0 <= other.tree_prob <= 1


def test_from_right_to_left() -> None:
    parser = trained(direction="right-to-left")
    for one, other in zip(parser.parse(english("test")), parser.parse(english("test"), confidence=True), strict=True):
        assert one.heads == other.heads


def log_odds(p: float) -> float:
    return max(-10.0, min(10.0, math.log(p / (1 - p)))) if 0 < p < 1 else 10.0


def test_evidence_is_what_the_trace_shows() -> None:
    """Log-odds of the action that built an arc, of its label, of arcs passed over, of the states before and after."""
    parser = trained()
    sentence = next(s for s in english("test") if len(s) > 8)
    steps = [step for step in parser.trace(sentence) if len(step.legal) > 1]
    table = _core.judged(parser.model, Treebank([sentence]).document(), [], 0, 1).words
    names = _core.evidence_columns()
    checked = 0
    for word in range(1, len(sentence) + 1):
        built = [
            i for i, s in enumerate(steps) if s.after.heads[word - 1] is not None and s.state.heads[word - 1] is None
        ]
        if not built:
            continue
        step = steps[built[0]]
        assert step.probs is not None
        action = sum(p for t, p in step.probs.items() if t.move == step.chosen.move)
        assert shown(table, word - 1, names, "arc") == pytest.approx(log_odds(action), abs=1e-3)
        assert shown(table, word - 1, names, "label") == pytest.approx(
            log_odds(step.probs[step.chosen] / action), abs=1e-3
        )
        if built[0] > 0:
            before = steps[built[0] - 1]
            assert before.probs is not None
            assert shown(table, word - 1, names, "before") == pytest.approx(
                log_odds(before.probs[before.chosen]), abs=1e-3
            )
        head = step.after.heads[word - 1]
        others = [
            sum(p for t, p in s.probs.items() if t.move == move)
            for s in steps[: built[0] + 1] if s.probs is not None
            for move, arc in arcs_of(s.state).items() if arc[1] == word and arc[0] != head
            and any(t.move == move for t in s.legal) and s.chosen.move != move
        ]  # fmt: skip
        passed = math.prod(1 - q for q in others if q >= 1e-3)
        assert shown(table, word - 1, names, "passed") == pytest.approx(log_odds(passed), abs=1e-2)
        checked += 1
    assert checked > 5


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
@pytest.mark.parametrize("labels", [False, True])
def test_samples_have_arcs_as_often_as_all_derivations(ts: System, labels: bool) -> None:
    parser = test_kbest.trained(replace(config_of(ts), labels=labels), sharpness=0.01)
    sentence = test_kbest.some_words(3 if labels else 4)
    table, bare = (_core.judged(parser.model, Treebank([sentence]).document(), [], n, 1).words for n in (1000, 0))
    names = _core.evidence_columns()
    derivations = test_kbest.Derivations(parser, sentence).shares()
    assert sum(derivations.values()) == pytest.approx(1)
    [tree], words, differ = parser.parse(Treebank([sentence])), len(sentence), 0
    for word in range(words):
        with_head = [(found, p) for found, p in derivations.items() if found[word] == tree.heads[word]]
        with_label = [p for found, p in with_head if found[words + word] == tree.deprels[word]]
        for column, share in (("sampled", sum(p for _, p in with_head)), ("sampled_label", sum(with_label))):
            found = shown(table, word, names, column)
            assert 1 / (1 + math.exp(-found)) == pytest.approx(min(0.99, max(0.01, share)), abs=0.02)
            differ += abs(found - shown(bare, word, names, column)) > 0.1
    assert differ


def test_without_samples() -> None:
    parser = trained().stored()
    usual, quick = (calibrate(parser, english("dev"), samples=samples) for samples in (None, 0))
    assert (usual.samples, quick.samples) == (SAMPLES, 0)
    # Samples know more of what is right.
    assert min(usual.arcs.losses.values()) < min(quick.arcs.losses.values())
    sampled, unsampled = (replace(parser, calibration=found) for found in (usual, quick))
    assert sampled(["They", "ate"]).arc_prob != unsampled(["They", "ate"]).arc_prob
    old = json.loads(quick.to_json())
    del old["samples"]
    assert Calibration.from_json(json.dumps(old)) == quick
    assert calibrate(trained("easy-first").stored(), english("dev")[:30]).samples == 0
    with pytest.raises(ConfigError, match="samples is -1"):
        calibrate(parser, english("dev"), samples=-1)


def arcs_of(state: dynarc.State) -> dict[str, tuple[int, int]]:
    if not state.stack or not state.buffer:
        return {}
    return {"LEFT": (state.buffer[0], state.stack[-1]), "RIGHT": (state.stack[-1], state.buffer[0])}


def shown(table: _core.Evidence, row: int, names: list[str], column: str) -> float:
    """A column of evidence, by a map that gives nothing else."""
    weights = [1.0 if name == column else 0.0 for name in names]
    [p] = table.apply(_core.ProbabilityMap(0, weights, [], [], [], [], []), [row])
    return math.log(p / (1 - p)) if 0 < p < 1 else math.copysign(10, p - 0.5)


@pytest.mark.parametrize("system", ["arc-eager", "arc-standard", "arc-hybrid", "attardi", "easy-first"])
def test_states_are_judged_by_the_oracle(system: str) -> None:
    parser = trained(system)
    sentences = [s for s in english("test") if s.tree.is_projective][:15]
    treebank = Treebank(sentences)
    found = _core.judged(parser.model, treebank.document(), gold_trees(parser, treebank), 0, 1)
    expected = []
    for sentence in sentences:
        for step in parser.trace(sentence, gold=sentence):
            assert step.costs is not None
            if len(step.legal) > 1:
                expected.append(step.costs[step.chosen] == min(step.costs.values()))
    assert list(found.right) == expected
    assert 0 < sum(expected) < len(expected)


def synthetic(rows: int) -> tuple[_core.Evidence, list[bool], list[float]]:
    """Trees whose words have known probabilities; right as often as a logistic function of their sum says."""
    rng = random.Random(1)
    words = [[rng.uniform(0.2, 1.0) for _ in range(rng.randint(1, 4))] for _ in range(rows)]
    truth = [1 / (1 + math.exp(-(1.5 + 2.0 * sum(map(math.log, w))))) for w in words]
    return _core.tree_evidence(words), [rng.random() < p for p in truth], truth


def test_a_map_finds_what_is_there() -> None:
    evidence, right, truth = synthetic(20_000)
    rows = list(range(len(right)))
    column = 1 << _core.evidence_columns().index("path")
    found = evidence.fit(rows, right, column, False, False)
    assert found.bias == pytest.approx(1.5, abs=0.1)
    assert found.columns[_core.evidence_columns().index("path")] == pytest.approx(2.0, abs=0.1)
    said = evidence.apply(found, rows)
    assert sum(said) == pytest.approx(sum(right), rel=1e-4)  # of a likeliest map with a bias this is always so
    assert max(abs(p - q) for p, q in zip(said, truth, strict=True)) < 0.03
    line = evidence.fit(rows, right, column, False, True)
    assert line.knots == sorted(set(line.knots))
    assert line.values == sorted(line.values)
    assert max(abs(p - q) for p, q in zip(evidence.apply(line, rows), truth, strict=True)) < 0.1


def test_maps_of_what_never_fails() -> None:
    evidence, right, _ = synthetic(50)
    for outcome in (True, False):
        for line in (True, False):
            found = evidence.fit(list(range(50)), [outcome] * 50, 1 << 8, False, line)
            assert all(0 <= p <= 1 for p in evidence.apply(found, list(range(50))))
    with pytest.raises(dynarc.TreeError, match="outcome"):
        evidence.fit([0], right, 1, False, False)


def test_probabilities_come_true() -> None:
    """On what the maps were fitted on they must; on test they should."""
    parser = trained()
    on_dev, on_test = report(parser, english("dev")[:50]), report(parser, english("test"))
    for name in ("arcs", "labels"):
        said = figures(getattr(on_dev, name))
        assert said.said == pytest.approx(said.accuracy, abs=0.02)
        assert figures(getattr(on_test, name)).ece < 0.1
    arcs = on_test.arcs
    assert keep_share(arcs, 0.5).error_rate < 0.7 * (1 - figures(arcs).accuracy)
    assert on_test.fitted_transitions is not None
    assert len(on_test.fitted_transitions) == len(on_test.transitions)


def test_the_kind_with_the_least_loss_is_taken() -> None:
    found = trained().calibration
    assert found is not None
    assert set(found.arcs.losses) == set(KINDS)
    assert found.arcs.kind == min(KINDS, key=lambda kind: found.arcs.losses[kind])
    assert found.sharpness != 1
    rda = trained(learner="adagrad-rda").calibration
    assert rda is not None
    assert rda.sharpness == 1


def test_only_misc_changes_besides_the_tree() -> None:
    parser = trained()
    treebank = english("test")
    before = treebank.to_bytes().decode().splitlines()
    once = parser.parse(treebank, confidence=True)
    after = once.to_bytes().decode().splitlines()
    assert len(before) == len(after)
    changed = 0
    for old, new in zip(before, after, strict=True):
        if old.startswith("#") or not old or "-" in old.split("\t")[0] or "." in old.split("\t")[0]:
            assert old == new
            continue
        a, b = old.split("\t"), new.split("\t")
        assert a[:6] + a[8:9] == b[:6] + b[8:9]
        kept = [] if a[9] == "_" else a[9].split("|")
        assert b[9].split("|")[: len(kept)] == kept
        arc, label = b[9].split("|")[len(kept) :]
        assert arc.startswith("ArcProb=")
        assert label.startswith("LabelProb=")
        assert len(arc) == len("ArcProb=0.123")
        changed += 1
    assert changed == treebank.words
    assert parser.parse(once, confidence=True).to_bytes() == once.to_bytes()  # old ones are replaced
    assert parser.parse(treebank, threads=2, confidence=True).to_bytes() == once.to_bytes()
    read = dynarc.read_conllu(once.to_bytes())
    for own, again in zip(once, read, strict=True):
        assert own.arc_prob is not None
        assert again.arc_prob == pytest.approx(own.arc_prob, abs=5e-4)
        assert again.tree_prob is None


def test_a_list_of_words(tmp_path: Path) -> None:
    parser = trained()
    found = parser(["They", "ate", "the", "pizza", "."])
    assert found.misc == ["_"] * 5
    assert found.arc_prob is not None
    parser.save(tmp_path / "m.dynarc")
    again = dynarc.load(tmp_path / "m.dynarc")(["They", "ate", "the", "pizza", "."])
    assert again.arc_prob == found.arc_prob
    assert again.label_prob == found.label_prob
    assert again.tree_prob == found.tree_prob
    assert parser.parse(["They", "ate"], confidence=True).misc[0].startswith("ArcProb=")
    assert parser.parse(["They", "ate"], fixed={1: (2, None)}).arc_prob is None


def test_lifted_arcs() -> None:
    config = replace(SMALL, nonprojective="head+path", pseudo_min_count=1)
    parser = dynarc.train(english("train"), dev=english("dev"), config=config)
    for one, other in zip(parser.parse(english("test")), parser.parse(english("test"), confidence=True), strict=True):
        assert (one.heads, one.deprels) == (other.heads, other.deprels)
    assert judge(parser, english("dev"), 4, 1).words


def test_two_passes() -> None:
    parser = dynarc.train(english("train")[:100], dev=english("dev"), config=replace(SMALL, passes=2))
    assert parser(["They", "ate"]).arc_prob is not None


def test_parsers_of_halves_find_out() -> None:
    treebank = english("train")[:120]
    parsers = [dynarc.train(treebank, config=SMALL, threads=threads) for threads in (1, 2)]
    alone = dynarc.train(treebank, config=SMALL, calibrate=False)
    assert alone.calibration is None
    found = [parser.calibration for parser in parsers]
    assert found[0] == found[1]
    assert found[0] is not None
    assert found[0].words == treebank.words  # each is in one of the halves
    assert found[0].data.startswith("halves of ")
    with_dev = dynarc.train(treebank, dev=english("dev")[:20], config=SMALL).calibration
    assert with_dev is not None
    assert with_dev.words == treebank.words + english("dev")[:20].words
    # Trees do not depend on it.
    assert [p.parse(english("dev")).to_bytes() for p in parsers] == [alone.parse(english("dev")).to_bytes()] * 2
    # Too few for halves.
    assert dynarc.train(treebank[:5], config=SMALL).calibration is None


def test_enough_dev_needs_no_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["dynarc.train"], "ENOUGH_WORDS", 100)
    found = dynarc.train(english("train")[:60], dev=english("dev"), config=SMALL).calibration
    assert found is not None
    assert (found.words, found.data) == (english("dev").words, english("dev").path)


def test_labels_and_tags_of_other_parsers() -> None:
    """What one parser was judged by counts for another one under the names of labels and tags."""
    parsers = [dynarc.train(english("train")[at : at + 40], config=SMALL, calibrate=False) for at in (0, 300)]
    one, two = (judge(parser, english("dev"), 0, 1) for parser in parsers)
    assert one.names != two.names
    pooled = _pooled([one, two])
    assert pooled.words == [*one.words, *(word + len(one.evidence.words) for word in two.words)]
    for kind in ("deprels", "tags", "head_tags"):
        for name in set(getattr(one.names, "deprels" if kind == "deprels" else "tags")):
            found = [
                [p > 0.6 for p in each.evidence.words.apply(map_of(each.names, kind, name), each.words)]
                for each in (one, two)
            ]
            assert [
                p > 0.6 for p in pooled.evidence.words.apply(map_of(pooled.names, kind, name), pooled.words)
            ] == found[0] + found[1]


def map_of(names: Names, kind: str, name: str) -> _core.ProbabilityMap:
    """What is above a half for one label or tag only."""
    return replace(Fitted("", {}, 0.0, {}), **{kind: {name: 1.0}}).map(names)  # type: ignore[arg-type]


def test_other_parsers_may_be_more_often_wrong() -> None:
    """What came true elsewhere has a say in the map, but not in how many are right here."""
    parser = trained()
    here = judge(parser, english("dev"), 0, 1)
    wrong = replace(here, arcs=[not right for right in here.arcs])

    def said(other: Judgement) -> float:
        of_arcs = fitted("dev", [here, other], 0).arcs.map(here.names)
        probs = here.evidence.words.apply(of_arcs, here.words)
        return sum(probs) / len(probs)

    right = sum(here.arcs) / len(here.arcs)
    assert said(replace(wrong, elsewhere=True)) == pytest.approx(right, abs=0.02)
    assert abs(said(wrong) - right) > 0.1


def test_stopped_training_leaves_a_parser() -> None:
    def stop(epoch: Epoch) -> None:
        raise KeyboardInterrupt

    parser = dynarc.train(english("train")[:60], config=replace(SMALL, epochs=50), progress=stop)
    assert parser.info["epochs"] == 1


def test_what_cannot_be() -> None:
    unsure = dynarc.train(english("train")[:30], config=SMALL, calibrate=False)
    assert unsure(["They", "ate"]).arc_prob is None
    with pytest.raises(ConfigError, match="does not know how sure it is"):
        unsure.parse(english("dev"), confidence=True)
    with pytest.raises(ConfigError, match="does not know how sure it is"):
        report(unsure, english("dev"))
    with pytest.raises(ConfigError, match="fixed arcs"):
        trained().parse(english("dev"), confidence=True, keep_heads=True)
    conllx = Treebank([Sentence(["a", "b"])], format="conllx")
    with pytest.raises(ConfigError, match="CoNLL-X has no column"):
        trained().parse(conllx, confidence=True)
    headless = Treebank([Sentence(["a", "b"])])
    with pytest.raises(dynarc.TreeError, match="nothing to calibrate on"):
        calibrate(unsure, headless)


def test_calibrations_as_text() -> None:
    parser = trained()
    assert parser.calibration is not None
    text = parser.calibration.to_json()
    assert Calibration.from_json(text) == parser.calibration
    for broken in ("", "[]", "{}", text.replace('"line"', '"lime"'), text.replace('"arcs"', '"arks"')):
        with pytest.raises(ModelFormatError, match="calibration"):
            Calibration.from_json(broken)
    names = Names.of(parser)
    assert len(names.deprels) == len(parser.labels.names)
    assert "NOUN" in names.tags


def test_sampling_is_for_probabilities() -> None:
    with pytest.raises(ConfigError, match="no probabilities to sample from"):
        TrainConfig(explore=Sampling(0))
    assert TrainConfig(learner="adagrad-rda").policy == Sampling(0)
    assert TrainConfig(learner="adagrad-rda", oracle="static").policy == dynarc.NoExploration()
    assert dynarc.config.exploration("sampling:k=1") == Sampling(1)
    for wrong in ("sampling:k=x", "sampling:p=1"):
        with pytest.raises(ConfigError):
            dynarc.config.exploration(wrong)


@pytest.mark.parametrize("system", systems())
def test_adagrad_rda_learns_in_every_system(system: str) -> None:
    seen: list[Epoch] = []
    features = PAIRS if system == "easy-first" else SMALL.features
    config = replace(SMALL, system=system, learner="adagrad-rda", features=features, epochs=4)
    one, two = (dynarc.train(english("train"), config=config, progress=seen.append, calibrate=False) for _ in range(2))
    assert (one.model.keys, one.model.values) == (two.model.keys, two.model.values)
    assert seen[3].updates < seen[0].updates
    assert seen[0].off_path > 0
    assert all(e.off_path >= e.explored - e.states // 2 for e in seen)


def test_portable_sums_are_the_same() -> None:
    config = replace(SMALL, learner="adagrad-rda", classes=0)
    models = []
    for vectors in ("auto", "portable"):
        _core.use_simd(vectors)
        try:
            models.append(dynarc.train(english("train")[:100], config=config, calibrate=False).model)
        finally:
            _core.use_simd("auto")
    assert models[0].values == models[1].values


def test_adagrad_rda_goes_on_from_a_checkpoint_and_from_a_model(tmp_path: Path) -> None:
    config = replace(SMALL, learner="adagrad-rda", epochs=4)
    whole = dynarc.train(english("train")[:100], config=config, calibrate=False)

    def stop(epoch: Epoch) -> None:
        if epoch.number == 2:
            raise KeyboardInterrupt

    path = tmp_path / "c"
    dynarc.train(english("train")[:100], config=config, calibrate=False, checkpoint=path, progress=stop)
    resumed = dynarc.train(english("train")[:100], config=config, calibrate=False, checkpoint=path)
    assert resumed.model.values == whole.model.values
    more = dynarc.train(english("train")[100:130], config=config, calibrate=False, start=whole)
    untouched = dynarc.evaluate(english("dev"), whole.parse(english("dev"))).las
    assert dynarc.evaluate(english("dev"), more.parse(english("dev"))).las > untouched - 10
