"""The experiment of generic oracles: its page can be made of results, and its floor is a parser."""

import re
from pathlib import Path

import pytest
from benchmarks.oracles import machine
from experiments import generic as experiment
from experiments.pcfg import Grammar, rules_of
from experiments.runs import Cache

from dynarc.generic.bracketing import f_score
from dynarc.generic.penn import read_penn

TREES = """
( (S (NP (DT the) (NN man)) (VP (VBZ sees) (NP (DT the) (JJ old) (NN sea))) (. .)) )
( (S (NP (NNS men)) (VP (VBP see) (NP (NNS men))) (. .)) )
"""


def test_the_grammar_parses_what_it_was_read_off() -> None:
    sentences = read_penn(TREES)
    grammar = Grammar(sentences)
    assert ("NP(", ("DT", "NP|DT|")) in set(rules_of(sentences[0]))
    outputs = [grammar.parse(one.words) for one in sentences]
    assert f_score(outputs, [one.actions for one in sentences]) == 100
    assert grammar.parse((("a", "XX"), ("b", "YY"))) == ("S(", "SHIFT", "SHIFT", ")")


def test_every_run_has_a_key_of_its_own() -> None:
    assert len({run.key for run in experiment.RUNS}) == len(experiment.RUNS)


def test_the_page(treebanks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (treebanks / experiment.SAMPLE).is_dir():
        pytest.skip("no WSJ sample")
    monkeypatch.setenv("DYNARC_TREEBANKS", str(treebanks))
    kept = Cache(tmp_path)
    assert len(experiment.Found(kept).missing()) == len(experiment.RUNS)
    for number, run in enumerate(experiment.RUNS):
        rounds = [{"states": 200, "updates": 3 + number, "explored": 1}]
        result = {"scores": {"dev": 70.0 + number, "test": 60.0}, "rounds": rounds, "seconds": 1.0, "made": machine()}
        kept.put(run, result)  # type: ignore[arg-type]
    found = experiment.Found(kept)
    assert found.missing() == []
    page = experiment.page(found)
    assert page.startswith("# Generic oracles on the WSJ sample\n")
    assert "| - |" not in page
    assert re.search(r"\| train \| 3,401 \| 81,938 \|", page)
    for row in ("PCFG (floor)", *experiment.VARIANTS):
        assert f"| {row} |" in page
