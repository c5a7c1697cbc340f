"""Experiments: runs are performed once and kept, interrupted ones go on, and every table can be made of its results."""

import doctest
import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from benchmarks.oracles import machine
from experiments import data, feature_tables, pages, pool, runs, tables
from experiments.__main__ import TABLES, main
from experiments.feature_tables import groups_of, without
from experiments.pool import clock, estimate, order, perform_all
from experiments.runs import Cache, Result, Run, perform
from experiments.tables import BASE, Choice, Results, Table

import dynarc
from dynarc import ConfigError, TrainConfig
from dynarc.config import AmbiguityExploration
from dynarc.features import feature_set

SMALL = replace(BASE, features=("S0.tag+B0.tag", "S0.form", "B0.form", "S0.tag+B0.tag+B1.tag"), epochs=1)
RUN = Run("english", SMALL)


def fake(run: Run) -> Result:
    """A result as `perform` gives it, without training."""
    epoch = {"number": 1, "states": 100, "updates": 10, "explored": 5, "skipped": 0, "words": 50, "seconds": 0.1}
    return {
        "run": run.to_dict(),
        "engine": runs.ENGINE,
        "made": {**machine(), "time": "2026-01-01T00:00:00+00:00"},
        "scores": {"uas": 80.0 + run.config.seed, "las": 70.0 + run.config.seed, "words": 1000, "sentences": 50},
        "crossing": {"gold": 20, "heads": 10, "labelled": 5, "parsed": 16, "parsed_heads": 12},
        "epochs": [epoch] * run.config.epochs,
        "prepared": {"sentences": 50},
        "model": {"classes": 10, "features": 100, "weights": 200, "templates": 4},
        "seconds": {"training": 2.0, "process": 3.0, "parsing": 0.1},
        "peak_memory": 10**8,
        "parsing_rates": {"compact": 300_000.0, "folded": 500_000.0, "again": 600_000.0},
        "confidence": fake_confidence() if run.calibrated else None,
    }


def fake_confidence() -> dict[str, object]:
    names = ("transitions", "arcs", "labels", "trees")
    figures = {"items": 100, "accuracy": 0.8, "said": 0.81, "ece": 0.01, "brier": 0.1, "log_loss": 0.3}
    bins = [{"low": place / 10, "items": 400, "right": 300, "said": 0.75} for place in range(11)]
    return {
        "kinds": dict.fromkeys(names, "platt"),
        "losses": {name: {"platt": 0.3} for name in ("arcs", "labels")},
        "sharpness": 1.0,
        "fitted_on": 1000,
        "rate": 5000.0,
        "figures": dict.fromkeys(names, figures),
        "surest": dict.fromkeys(names, 0.09),
        "for_99": dict.fromkeys(names, 0.5),
        "bins": {"raw": bins, "fitted": bins},
    }


def broken(run: Run) -> Result:
    if run.config.seed == 2:
        raise SystemExit(3)
    return fake(run)


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_a_run_is_performed_once(cache: Cache) -> None:
    calls = []

    def counted(run: Run) -> Result:
        calls.append(run)
        return fake(run)

    first = cache.obtain(RUN, counted)
    assert cache.obtain(RUN, counted) == first
    assert calls == [RUN]
    cache.obtain(replace(RUN, config=replace(SMALL, seed=2)), counted)
    assert len(calls) == 2
    cache.drop(RUN)
    cache.obtain(RUN, counted)
    assert len(calls) == 3
    assert sorted(path.suffix for path in cache.folder.iterdir()) == [".json", ".json"]


def test_what_cannot_be_written_leaves_nothing(cache: Cache) -> None:
    with pytest.raises(TypeError):
        cache.put(RUN, {"scores": object()})
    assert list(cache.folder.iterdir()) == []
    cache.path(RUN).write_text("{", encoding="utf-8")
    assert cache.get(RUN) is None


CHANGES: dict[str, Any] = {
    "direction": "right-to-left",
    "arc_weight": (("punct", 0),),
    "normalize": "legal",
    "system": "arc-hybrid", "oracle": "nondeterministic", "learner": "passive-aggressive", "min_count": 3,
    "explore": AmbiguityExploration(), "features": "zhang-nivre", "tag": "xpos", "epochs": 9, "seed": 9,
    "nonprojective": "head", "root": "first", "single_root": False, "labels": False, "reduce": "can", "valency_cap": 5,
    "pseudo_min_count": 7, "keep": "best", "aggressiveness": 0.5, "cost_sensitive": False, "max_loss": True,
    "target": "canonical",
}  # fmt: skip


def changed(name: str) -> Run:
    """The run with another value of an option, also of one that this test does not know yet."""
    old = getattr(SMALL, name)
    options = [CHANGES[name]] if name in CHANGES else [not old] if isinstance(old, bool) else [2, 3, 0.5, "other"]
    for value in options:
        option: dict[str, Any] = {name: value}
        try:
            return replace(RUN, config=replace(SMALL, **option))
        except (ConfigError, TypeError):
            continue
    raise AssertionError(f"give CHANGES a value for {name}")


def test_every_option_is_in_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    others = [changed(field.name) for field in fields(TrainConfig)]
    others += [
        replace(RUN, treebank="en_ewt"),
        replace(RUN, split="test"),
        replace(RUN, protocol="nopunct"),
        replace(RUN, columns=frozenset({"upos"})),
        replace(RUN, timed=True),
        replace(RUN, rounds=1),
        replace(RUN, calibrated=True),
    ]
    keys = {run.key for run in [RUN, *others]}
    assert len(keys) == len(others) + 1
    assert Run("english", replace(SMALL)).key == RUN.key
    monkeypatch.setattr(runs, "ENGINE", runs.ENGINE + 1)
    assert RUN.key not in keys


def test_columns_are_known_and_tags_are_seen() -> None:
    with pytest.raises(ValueError, match="no columns"):
        Run("english", SMALL, columns=frozenset({"upos", "misc"}))
    with pytest.raises(ValueError, match="UPOS, which is hidden"):
        Run("english", SMALL, columns=frozenset({"lemma"}))


def test_hidden_columns_are_empty() -> None:
    whole, hidden = data.read("english", "dev"), data.read("english", "dev", {"upos"})
    assert any(lemma != "_" for lemma in whole[0].lemmas)
    for s, t in zip(whole, hidden, strict=True):
        assert set(t.lemmas) == set(t.xpos) == set(t.feats) == {"_"}
        assert (s.forms, s.upos, s.heads, s.deprels) == (t.forms, t.upos, t.heads, t.deprels)


def test_perform() -> None:
    result = perform(replace(RUN, rounds=1))
    assert json.loads(json.dumps(result)) == result
    assert result["scores"]["words"] == data.size("english", "dev")[1]
    assert 0 < result["scores"]["las"] <= result["scores"]["uas"] < 100
    assert [epoch["number"] for epoch in result["epochs"]] == [1]
    assert result["model"]["templates"] == 4
    assert result["crossing"]["heads"] <= result["crossing"]["gold"]
    assert perform(RUN)["scores"] == result["scores"]


def test_interrupted_training_is_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """`train` makes a parser of the epochs there were, which must not pass for the whole run."""
    real = dynarc.train

    def train(*given: Any, progress: Any, **more: Any) -> Any:
        def stop(epoch: Any) -> None:
            progress(epoch)
            raise KeyboardInterrupt

        return real(*given, progress=stop, **more)

    monkeypatch.setattr(dynarc, "train", train)
    with pytest.raises(KeyboardInterrupt):
        perform(replace(RUN, config=replace(SMALL, epochs=3)))


def test_a_pool_passes_over_what_is_finished_and_survives_failures(cache: Cache) -> None:
    some = [replace(RUN, config=replace(SMALL, seed=seed)) for seed in (1, 2, 3)]
    some.append(replace(RUN, timed=True))
    cache.put(some[0], fake(some[0]))
    said: list[str] = []
    failed = perform_all(some, cache, jobs=2, say=said.append, perform=broken)
    assert failed == [some[1]]
    assert [line[:4] for line in said] == ["1/3 ", "2/3 ", "3/3 "]
    assert sum("FAILED" in line for line in said) == 1
    said.clear()
    assert perform_all(some, cache, jobs=2, say=said.append, perform=fake) == []
    assert len(said) == 1
    assert all(cache.get(run) == fake(run) for run in some)


def test_timed_runs_come_last_and_long_ones_first() -> None:
    timed, short, long = replace(RUN, timed=True), RUN, replace(RUN, config=replace(SMALL, epochs=5))
    assert order([timed, short, long, short]) == [long, short, timed]


def test_clock() -> None:
    assert [clock(59.4), clock(60), clock(3600)] == ["59 s", "1 min 0 s", "1 h 0 min"]


@pytest.mark.parametrize("module", [pool, tables, feature_tables])
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.fixture
def small_treebanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every treebank is the one that comes with the package."""
    for name in data.TREEBANKS:
        suffix = "conll" if name.startswith("utb2") else "conllu"
        (tmp_path / name).mkdir()
        for part in ("train", "dev", "test"):
            text = data.path("english", part).read_bytes()
            (tmp_path / name / f"{part}.{suffix}").write_bytes(text)
    monkeypatch.setenv("DYNARC_TREEBANKS", str(tmp_path))
    known = (data.size, data.filled, groups_of, estimate)
    for function in known:
        function.cache_clear()
    yield
    for function in known:
        function.cache_clear()


@pytest.mark.usefixtures("small_treebanks")
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_render(table: Table, tmp_path: Path) -> None:
    choice = Choice(table.treebanks, table.seeds)
    cells = table.plan(choice)
    assert cells
    assert all(run.config.keep == "last" for run in cells.values())
    nothing = pages.page(table, choice, cells, dict.fromkeys(cells.values()))
    assert nothing.startswith(f"# {table.title}\n")
    found = {run: fake(run) for run in cells.values()}
    for path in pages.write(table, choice, cells, found, tmp_path):
        assert path.read_text(encoding="utf-8").endswith("\n")
    page = (tmp_path / f"{table.name}.md").read_text(encoding="utf-8")
    assert f"`python -m experiments {table.name} --write`" in page
    assert all(treebank in page for treebank in table.treebanks)
    assert "| - |" not in page  # every figure is there
    assert all(line.count("|") > 2 for line in page.splitlines() if line.startswith("|"))
    raw = json.loads((tmp_path / f"{table.name}.json").read_text(encoding="utf-8"))
    assert len(raw["runs"]) == len(cells)
    assert raw["runs"][0]["scores"] == fake(next(iter(cells.values())))["scores"]


def test_test_sets_are_for_the_last_table_only() -> None:
    for name in ("exploration", "papers-2013b", "nonprojective", "derivations", "attardi", "default-features"):
        cells = TABLES[name].plan(Choice(TABLES[name].treebanks, (1,)))
        assert {run.split for run in cells.values()} == {"dev"}


def test_leaving_out_a_group_of_features() -> None:
    columns = frozenset({"xpos", "feats", "lemma", "morphology"})
    whole = feature_set("default", "arc-eager", columns=columns)
    for group in ("s1", "n3", "lemma"):
        assert set(without(group, columns)) < set(whole)
    assert set(feature_set("zhang-nivre", "arc-eager", columns=())) <= set(without("s1", columns))
    assert without("xpos", frozenset()) == feature_set("default", "arc-eager", columns=())


def test_figures_of_missing_runs_are_unknown() -> None:
    results = Results({("a",): fake(RUN), ("b",): None})
    assert results.mean([("a",)], "scores", "las") == 71.0
    assert results.mean([("a",), ("b",)], "scores", "las") is None
    assert results.mean([], "scores", "las") is None
    assert tables.figure(None) == tables.signed(None) == tables.spread(None) == "-"
    assert tables.average([1.0, None]) is None


def test_options_that_do_not_exist() -> None:
    assert tables.with_options(SMALL, no_such_option=1) is None
    assert tables.with_options(SMALL, epochs=3) == replace(SMALL, epochs=3)


def test_a_missing_treebank_is_one_clear_message(
    tmp_path: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DYNARC_TREEBANKS", str(tmp_path))
    assert main(["exploration", "--treebanks", "xx_none"], cache) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "'xx_none'" in error
    assert "DYNARC_TREEBANKS" in error


def test_command_line(cache: Cache, capsys: pytest.CaptureFixture[str]) -> None:
    chosen = ["--treebanks", "english", "--seeds", "1"]
    assert main(["--list", "nonprojective", *chosen], cache) == 0
    assert "11 runs, 0 finished: about" in capsys.readouterr().out
    assert main(["nonprojective", "--cached", "--write", *chosen], cache) == 1
    assert "11 of 11 runs have no result, not written" in capsys.readouterr().out
    for run in TABLES["nonprojective"].plan(Choice(("english",), (1,))).values():
        cache.put(run, fake(run))
    assert main(["nonprojective", *chosen], cache) == 0  # nothing is left to be performed
    assert "## english: 20 non-projective arcs" in capsys.readouterr().out
    assert main(["accuracy", "--treebanks", "english"], cache) == 2
    for wrong in (["no-table"], [], ["accuracy", "--jobs", "0"]):
        with pytest.raises(SystemExit):
            main(wrong, cache)
