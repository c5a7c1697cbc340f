"""dynarc check."""

import json
from dataclasses import replace
from typing import Any

import pytest

import dynarc
from dynarc import Tree
from dynarc.check import CheckReport, CounterExample, check_oracle
from dynarc.verify import every_system, jobs

from .conftest import Run

EXAMPLE = CounterExample(Tree([0]), (), "[] [1 ROOT]", None, 0, 1)


def broken(*args: Any, **options: Any) -> CheckReport:
    """A report of an oracle that says it is exact and is not."""
    report = check_oracle(*args, **options)
    report.rows[-1].wrong_losses += 2
    report.rows[-1].exact = True
    report.counterexample = EXAMPLE
    return report


def test_one_system(run: Run) -> None:
    ended = run("check", "arc-eager", "--max-words", "3")
    assert (ended.status, ended.err) == (0, "")
    assert ended.lines[0] == "arc-eager root=last, all gold trees, every state"
    assert ended.lines[2].split() == ["words", "gold", "trees", "states", "costs", "mismatches", "seconds"]
    assert [line.split()[:5] for line in ended.lines[3:6]] == [
        ["1", "1", "3", "2", "0"],
        ["2", "3", "33", "30", "0"],
        ["3", "16", "784", "784", "0"],
    ]
    assert ended.lines[7].startswith("Exact, as the oracle claims: 816 costs in 820 states compared in ")
    assert len(ended.lines) == 8


def test_the_default_is_four_words(run: Run) -> None:
    rows = json.loads(run("check", "easy-first", "--json").out)["rows"]
    assert [row["words"] for row in rows] == [1, 2, 3, 4]
    rows = json.loads(run("check", "easy-first", "--json", "--min-words", "5", "--samples", "3").out)["rows"]
    assert [row["words"] for row in rows] == [5]


def test_options_reach_the_check(run: Run) -> None:
    chosen = ["--root", "last", "--method", "search", "--golds", "projective", "--partial", "--weights", "3"]
    labels = ["--labels", "2", "--label-cost", "0.5"]
    sizes = ["--max-words", "2", "--samples", "5", "--seed", "7", "--threads", "1"]
    ended = run("check", "arc-standard", *chosen, *labels, *sizes)
    assert ended.status == 0
    assert ended.lines[0] == (
        "arc-standard root=last, 5 random gold trees of each length, projective, partial ones too, "
        "2 labels at 0.5 an error, arcs weighted 0 to 3, by search, every state"
    )
    ended = run("check", "covington", "--headless", "attach", "--max-words", "2")
    assert ended.lines[0].startswith("covington headless=attach,")


def test_an_oracle_that_makes_no_claim_may_be_wrong(run: Run) -> None:
    ended = run("check", "arc-hybrid-swap", "--max-words", "3")
    assert ended.status == 0
    text = " ".join(ended.lines)
    assert "The oracle does not claim to be exact: " in text
    assert "% of the costs wrong; in " in text
    assert "% of the states the cheapest moves include one that is not optimal." in text
    assert "The first counter-example" in text
    assert "brute force says" in text
    assert "but is so here" in run("check", "arc-hybrid-swap", "--max-words", "1").out


def test_a_false_claim_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynarc.verify.check_oracle", broken)
    ended = run("check", "arc-eager", "--max-words", "2")
    assert ended.status == 1
    assert "The oracle claims to be exact, but is not: " in ended.out
    assert "4 mismatches." in ended.out
    assert ended.lines[-5:] == ["The first counter-example", *str(EXAMPLE).splitlines()]
    ended = run("check", "arc-eager", "--max-words", "2", "--json")
    assert ended.status == 1
    assert json.loads(ended.out)["counterexample"]["state"] == "[] [1 ROOT]"


def test_json(run: Run) -> None:
    ended = run("check", "arc-hybrid", "--max-words", "3", "--single-root", "--json")
    document = json.loads(ended.out)
    assert document["system"] == {"name": "arc-hybrid", "root": "last", "headless": "forest", "single_root": True}
    assert document["claims_exact"] is True
    assert document["mismatches"] == document["wrong_costs"] == document["wrong_sets"] == 0
    assert document["counterexample"] is None
    report = check_oracle(dynarc.system("arc-hybrid", single_root=True), 3)
    assert document["costs"] == report.costs == sum(row["costs"] for row in document["rows"])


def test_everything(run: Run) -> None:
    ended = run("check", "--all", "--max-words", "2", "--samples", "3-3")
    assert (ended.status, ended.err) == (0, "")
    expected = [(ts.describe(), job.what) for ts in every_system() for job in jobs(ts, 2, (3, 3))]
    rows = ended.lines[1 : len(expected) + 1]
    for (system, what), row in zip(expected, rows, strict=True):
        assert row.startswith(f"ok  {system} ")
        assert f" {what}, " in row
    assert "no mismatch in oracles that claim to be exact" in " ".join(ended.lines)
    assert "arc-hybrid-swap does not claim to be exact: " in ended.out


def test_everything_of_one_system(run: Run) -> None:
    document = json.loads(run("check", "--all", "easy-first", "--max-words", "3", "--json").out)
    assert document["holds"] is True
    assert {check["system"]["name"] for check in document["checks"]} == {"easy-first"}
    assert {check["system"]["single_root"] for check in document["checks"]} == {False, True}
    assert document["costs"] == sum(check["costs"] for check in document["checks"])
    assert document["mismatches"] == 0


def test_everything_fails_if_one_check_does(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynarc.verify.check_oracle", broken)
    ended = run("check", "--all", "arc-hybrid-swap", "--max-words", "1")
    assert ended.status == 1
    assert ended.lines[1].startswith("NO  arc-hybrid-swap ")
    assert "claims to be exact, but is known not to be" in ended.out
    assert "brute force says 0, the oracle 1" in ended.out

    def modest(*args: Any, **options: Any) -> CheckReport:
        report = check_oracle(*args, **options)
        report.rows = [replace(row, exact=False) for row in report.rows]
        return report

    monkeypatch.setattr("dynarc.verify.check_oracle", modest)
    ended = run("check", "--all", "easy-first", "--max-words", "1")
    assert ended.status == 1
    assert "The oracle no longer claims to be exact." in ended.out


def test_decomposition_of_one_system(run: Run) -> None:
    ended = run("check", "arc-standard", "--decomposition")
    assert ended.status == 0
    assert [line.split() for line in ended.lines[1:3]] == [
        ["arc-standard", "root=first", "1", "4", "0", "yes"],
        ["arc-standard", "root=first", "2", "33", "1", "no"],
    ]
    assert ended.lines[4:9] == [
        "arc-standard root=first, the smallest counter-example",
        "  gold arcs   0->1, 0->2",
        "  derivation  SHIFT SHIFT SHIFT",
        "  state       [ROOT 1 2] []",
        "  each arc is reachable alone, together 1 must be lost",
    ]
    ended = run("check", "covington", "--decomposition")
    assert "1 arc is lost already; each of the others is reachable alone, together 1 more must be lost" in ended.out
    ended = run("check", "arc-eager", "--decomposition", "--max-words", "3")
    assert ended.lines[-1] == "Up to 3 words, arcs reachable one by one are reachable together."


def test_decomposition_of_all_systems(run: Run) -> None:
    ended = run("check", "--decomposition", "--max-words", "3")
    names = [ts.describe() for ts in every_system()]
    for name, row in zip(names, ended.lines[1 : len(names) + 1], strict=True):
        assert row.startswith(name + " ")
    documents = json.loads(run("check", "--decomposition", "--max-words", "3", "--json").out)
    assert len(documents) == len(names)
    for document, row in zip(documents, ended.lines[1:], strict=False):
        assert row.endswith("yes" if document["decomposable"] else "no")
        assert (document["lengths"][-1]["counterexample"] is None) == document["decomposable"]
