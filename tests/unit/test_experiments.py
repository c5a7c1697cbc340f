"""Experiments: work is performed once and kept, tables go on where they were, and pages can be made of their cells."""

import doctest
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from benchmarks.oracles import ROOT, machine
from experiments import command as commands
from experiments import data, generic_2021, pages, paper_errors, pool, printed, runs, sentences, tables
from experiments.command import PAPERS, TABLES, Options, quick, same_part
from experiments.coverage import Coverage
from experiments.english_features import Alternative
from experiments.feature_tables import groups_of, without
from experiments.generic_2021 import GenericRun
from experiments.paper_errors import Formulas, OracleSets, every_state, printed_cost
from experiments.pcfg import Grammar, rules_of
from experiments.pool import clock, order, perform_all
from experiments.printed_attardi import loss
from experiments.raw_text import STAGES, Bundled, Command, Pipeline, Speed, Udpipe
from experiments.runs import Run, perform
from experiments.sentences import gain, packed, unpacked
from experiments.tables import BASE, Choice, Results, Table
from experiments.work import Result, Store, Work

import dynarc
from dynarc import AmbiguityExploration, ConfigError, State, System, TrainConfig, Transition, Tree
from dynarc.features import feature_set
from dynarc.generic.bracketing import f_score
from dynarc.generic.penn import read_penn

SMALL = replace(BASE, features=("S0.tag+B0.tag", "S0.form", "B0.form", "S0.tag+B0.tag+B1.tag"), epochs=1)
RUN = Run("english", SMALL)
SENTENCES = [(20, 16, 14)] * 50
MADE = {**machine(), "time": "2026-01-01T00:00:00+00:00"}


def fake(work: Work) -> Result:
    """A result as `perform` gives it, without performing anything."""
    made = dict(MADE)
    if isinstance(work, Run):
        return fake_run(work, made)
    if isinstance(work, GenericRun):
        rounds = [{"states": 200, "updates": 3, "explored": 1}]
        counts = {name: packed(SENTENCES) for name in ("dev", "test")}
        scores = {"dev": 70.0 + work.seed, "test": 60.0}
        return {"made": made, "scores": scores, "sentences": counts, "rounds": rounds, "seconds": 1.0}
    if isinstance(work, Coverage):
        sizes = {"mean": 3.5, "most": 20}
        return {
            "made": made,
            "sentences": {"all": 100, "nonprojective": 20, "underivable": 5},
            "arcs": {"all": 1000, "nonprojective": 30, "nonprojective, of underivable": 6},
            "sizes": {"stack": sizes, "buffer": sizes},
            "walks": {"stack": sizes, "reduced buffer": sizes},
            "seconds": 1.0,
        }
    if isinstance(work, OracleSets):
        names = ("too low", "too high", "wrong sets", "wrong move in the set", "good move left out")
        return {"made": made, "states": 100, "moves": 250, **dict.fromkeys(names, 2), "seconds": 1.0}
    if isinstance(work, Speed):
        return {"made": made, "rates": dict.fromkeys(STAGES, 1e6), "seconds": 1.0}
    if isinstance(work, Alternative):
        both = {"uas": 80.0, "las": 78.0}
        rates = {"compact": 1e5, "folded": 2e5}
        return {
            "made": made,
            "whole": both,
            "small": both,
            "templates": 72,
            "bytes": 10**7,
            "rates": rates,
            "seconds": 1.0,
        }
    if isinstance(work, Pipeline | Bundled | Udpipe | Command):
        figures = dict.fromkeys(
            ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS", "Words", "Sentences", "Tokens"), 90.0
        )
        columns = ["upos", "xpos", "feats", "lemma"]
        rates = {"all": 1e5}
        parts = {"tagged": figures, "raw": figures, "gold": figures}
        return {"made": made, "columns": columns, **parts, "rates": rates, "version": "1.3", "seconds": 1.0}
    return {"made": made, "construction 1": 1.0, "construction 2": 0.003, "preparation": 0.5, "seconds": 1.0}


def fake_run(run: Run, made: dict[str, str]) -> Result:
    epoch = {"states": 100, "updates": 10, "explored": 5, "skipped": 0}
    bins = [{"low": place / 10, "items": 400, "right": 300, "said": 0.75} for place in range(11)]
    return {
        "run": run.to_dict(),
        "engine": runs.ENGINE,
        "made": made,
        "scores": {"uas": 80.0 + run.seed, "las": 70.0 + run.seed, "words": 1000, "sentences": 50},
        "sentences": packed(SENTENCES),
        "genres": {genre: [200, 160, 140] for genre in data.GENRES["en_ewt"]},
        "crossing": {"gold": 20, "heads": 10, "labelled": 5, "parsed": 16, "parsed_heads": 12},
        "epochs": {"first": epoch, "later": epoch},
        "prepared": {"sentences": 50},
        "model": {"classes": 10, "features": 100, "weights": 200, "templates": 4},
        "seconds": {"training": 2.0, "process": 3.0, "parsing": 0.1},
        "peak_memory": 10**8,
        "parsing_rates": {"compact": 300_000.0, "folded": 500_000.0, "again": 600_000.0},
        "confidence": fake_confidence(bins) if run.calibrated else None,
        "bins": bins,
    }


def fake_confidence(bins: list[dict[str, float]]) -> dict[str, object]:
    names = ("transitions", "arcs", "labels", "trees")
    figures = {"items": 100, "accuracy": 0.8, "said": 0.81, "ece": 0.01, "brier": 0.1, "log_loss": 0.3}
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


@dataclass(frozen=True, slots=True)
class Pretended(Work):
    """Work whose result is there at once, and with seed 2 never."""

    number: int
    timed: bool = False
    longer: float = 1.0

    @property
    def folder(self) -> str:
        return "pretended"

    @property
    def seed(self) -> int:
        return self.number

    def known_by(self) -> dict[str, Any]:
        return {"pretended": self.number, "timed": self.timed, "longer": self.longer}

    def quick(self) -> "Pretended":
        return self

    def estimate(self) -> float:
        return self.longer

    def summary(self, result: Result) -> str:
        return f"found {result['found']}"

    def __str__(self) -> str:
        return f"pretended {self.number}"

    def perform(self) -> Result:
        if self.number == 2:
            raise SystemExit(3)
        return {"found": self.number, "seconds": 1.0}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "raw")


def test_work_is_performed_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(run: Run) -> Result:
        calls.append(run)
        return fake(run)

    monkeypatch.setattr(runs, "perform", counted)
    first = store.obtain(RUN)
    assert store.obtain(RUN) == first
    assert calls == [RUN]
    store.obtain(replace(RUN, config=replace(SMALL, seed=2)))
    assert len(calls) == 2
    store.drop(RUN)
    store.obtain(RUN)
    assert len(calls) == 3
    assert sorted(path.suffix for path in (store.folder / "english").iterdir()) == [".json", ".json"]


def test_what_cannot_be_written_leaves_nothing(store: Store) -> None:
    with pytest.raises(TypeError):
        store.put(RUN, {"scores": object()})
    assert list(store.path(RUN).parent.iterdir()) == []
    store.path(RUN).write_text("{", encoding="utf-8")
    assert store.get(RUN) is None


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
        replace(RUN, bins=True),
        replace(RUN, tags="predicted"),
        replace(RUN, without="weblog"),
        replace(RUN, folds=2),
        replace(RUN, printed="2012"),
    ]
    assert len(others) == len(fields(TrainConfig)) + len(fields(Run)) - 1
    keys = {run.key for run in [RUN, *others]}
    assert len(keys) == len(others) + 1
    assert Run("english", replace(SMALL)).key == RUN.key
    with monkeypatch.context() as patch:
        patch.setitem(runs.LEARNERS, "perceptron", 2)
        assert RUN.key not in keys
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
    result = perform(replace(RUN, rounds=1, bins=True))
    assert json.loads(json.dumps(result)) == result
    assert result["scores"]["words"] == data.size("english", "dev")[1]
    assert 0 < result["scores"]["las"] <= result["scores"]["uas"] < 100
    counts = unpacked(result["sentences"])
    assert len(counts) == result["scores"]["sentences"]
    assert 100 * sum(row[2] for row in counts) / sum(row[0] for row in counts) == pytest.approx(result["scores"]["las"])
    assert result["epochs"]["later"]["states"] == 0
    assert result["model"]["templates"] == 4
    assert result["crossing"]["heads"] <= result["crossing"]["gold"]
    assert sum(b["items"] for b in result["bins"]) > result["scores"]["words"]
    again = perform(RUN)
    assert {name for name in again if same_part(again).get(name) != same_part(result).get(name)} <= {
        "made",
        "seconds",
        "run",
        "peak_memory",
    }


def test_genres_and_predicted_tags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "SCRATCH", tmp_path)
    whole = data.read("english", "train")
    genre = data.genre(whole[0])
    seen = frozenset({"upos"})
    train = data.for_training("english", seen, "predicted", genre)
    scored = data.for_scoring("english", "dev", seen, "predicted", genre)
    gold = data.for_scoring("english", "dev", data.ALL_COLUMNS, "gold", genre)
    assert genre not in {data.genre(s) for s in train}
    assert len(train) == sum(data.genre(s) != genre for s in whole)
    assert {data.genre(s) for s in scored} <= {genre}
    assert [s.forms for s in scored] == [s.forms for s in gold]
    files = sorted(path.name for path in (tmp_path / "tagged").iterdir())
    assert files == [f"english-{genre}-upos-dev.conllu", f"english-{genre}-upos-train.conllu"]
    assert data.for_training("english", seen, "predicted", genre).to_bytes() == train.to_bytes()


def test_cross_validation_scores_every_training_sentence() -> None:
    result = replace(RUN, folds=2, split="train").perform()
    assert result["scores"]["sentences"] == data.size("english", "train")[0]
    assert len(unpacked(result["sentences"])) == result["scores"]["sentences"]


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


def test_a_pool_passes_over_what_is_finished_and_survives_failures(store: Store) -> None:
    some: list[Work] = [Pretended(number) for number in (1, 2, 3)]
    some.append(Pretended(4, timed=True))
    store.put(some[0], {"found": 1, "seconds": 1.0})
    said: list[str] = []
    assert perform_all(some, store, jobs=2, say=said.append) == [some[1]]
    assert [line[:4] for line in said] == ["1/3 ", "2/3 ", "3/3 "]
    assert sum("FAILED, exit status 3" in line for line in said) == 1
    assert {work.seed for work in some if store.get(work)} == {1, 3, 4}
    said.clear()
    perform_all(some, store, jobs=2, say=said.append)
    assert len(said) == 1


def test_low_seeds_and_short_work_come_first_and_timed_work_last() -> None:
    timed, long, short, late = (
        Pretended(1, timed=True),
        Pretended(1, longer=9.0),
        Pretended(1),
        Pretended(3, longer=0.1),
    )
    assert order([timed, late, long, short, late]) == [short, long, late, timed]


def test_clock() -> None:
    assert [clock(59.4), clock(60), clock(3600)] == ["59 s", "1 min 0 s", "1 h 0 min"]


@pytest.mark.parametrize("module", [pool, tables, sentences, data, generic_2021, paper_errors])
def test_examples(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


def test_counts_of_sentences_survive_packing() -> None:
    counts = [(300, 250, 240), (1, 0, 0), (5, 7, 4), (0, 0, 0)]
    assert unpacked(packed(counts)) == counts
    assert len(packed([(25, 20, 18)] * 2000)) < 200


def test_the_bootstrap_of_cells_is_that_of_compare() -> None:
    """The same draws as `dynarc.compare` makes of the scores themselves."""
    gold = data.read("english", "dev")
    sides = []
    for seed in (1, 2):
        parser = dynarc.train(
            data.read("english", "train"), config=replace(SMALL, seed=seed), threads=1, calibrate=False
        )
        sides.append(dynarc.evaluate(gold, parser.parse(gold, threads=1)))
    wanted = dynarc.compare(sides[1], sides[0], draws=500).differences["LAS"]
    found = gain([sentences.counts_of(sides[0])], [sentences.counts_of(sides[1])], "las", draws=500)
    assert found is not None
    assert (found.difference, found.p) == (wanted.difference, wanted.p)
    assert (found.lower, found.upper) == (wanted.interval.lower, wanted.interval.upper)
    assert gain([[(3, 1, 1)]], [[(4, 1, 1)]], "las") is None


@pytest.fixture
def small_treebanks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every treebank is the one that comes with the package."""
    for name in data.TREEBANKS:
        suffix = "conll" if name.startswith("utb2") else "conllu"
        (tmp_path / name).mkdir()
        for part in data.PARTS:
            text = data.path("english", part).read_bytes()
            (tmp_path / name / f"{part}.{suffix}").write_bytes(text)
    monkeypatch.setenv("DYNARC_TREEBANKS", str(tmp_path))
    known = (data.size, data.filled, groups_of, runs._seconds, generic_2021.part)
    for function in known:
        function.cache_clear()
    yield
    for function in known:
        function.cache_clear()


def rectangular(page: str) -> bool:
    """All rows of a table have as many cells as its header."""
    blocks = [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)]
    return bool(blocks) and all(len({row.count(" | ") for row in block}) == 1 for block in blocks)


@pytest.mark.usefixtures("small_treebanks")
@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_tables_render(table: Table, tmp_path: Path) -> None:
    choice = Choice(table.treebanks, table.seeds, draws=20)
    cells = table.plan(choice)
    assert cells
    assert all(run.config.keep == "last" for run in cells.values() if isinstance(run, Run))
    assert len({work.file for work in cells.values()}) == len(set(cells.values()))
    nothing = pages.page(table, choice, cells, dict.fromkeys(cells.values()))
    assert nothing.startswith(f"# {table.title}\n")
    assert f"**0 of {len(set(cells.values()))} cells are finished" in nothing
    found: dict[Work, Result | None] = {work: fake(work) for work in cells.values()}
    for path in pages.write(table, choice, cells, found, tmp_path):
        assert path.read_text(encoding="utf-8").endswith("\n")
    page = (tmp_path / f"{table.name}.md").read_text(encoding="utf-8")
    assert f"`dynarc experiment {table.name}`" in page
    assert table.treebanks == (generic_2021.SAMPLE,) or all(treebank in page for treebank in table.treebanks)
    assert "| - |" not in page  # every figure is there
    assert "Missing" not in page
    assert rectangular(page)
    assert rectangular(nothing)
    half = {work: result if number % 2 else None for number, (work, result) in enumerate(found.items())}
    assert "Missing: " in pages.page(table, choice, cells, half)


@pytest.mark.parametrize("table", PAPERS, ids=lambda table: table.name)
def test_the_tables_of_papers_have_pictures_and_significance(table: Table) -> None:
    assert table.picture is not None
    choice = Choice(("english",), (1,), draws=20)
    cells = table.plan(choice)
    results = Results({cell: fake(work) for cell, work in cells.items()}, 20)
    picture = table.picture(choice, results)
    assert picture.startswith("<svg ")
    assert picture.endswith("</svg>\n")
    assert "paired bootstrap over sentences and seeds" in "\n".join(table.render(choice, results))


@pytest.mark.parametrize("name", [table.name for table in PAPERS])
def test_quick(name: str, tmp_path: Path) -> None:
    """A small table from beginning to end; its first cell is kept, and what is found now is what was found then."""
    said: list[str] = []
    assert quick(name, said.append, folder=tmp_path) == 0, said
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {TABLES[name].title}\n")
    assert "Missing" not in page
    assert re.search(r"[1-9]\d* compared with what is kept, 0 different", said[-1])


def test_quick_notices_a_difference(store: Store) -> None:
    (work, *_) = [work.quick() for work in TABLES["default-features"].plan(Choice(("english",), (1,), 2)).values()]
    kept = Store().get(work)
    assert kept is not None
    store.put(work, {**kept, "scores": {**kept["scores"], "las": 1.0}})
    said: list[str] = []
    assert quick("default-features", said.append, store) == 1
    assert "but" in said[0]
    assert "LAS 1.00" in said[0]


def test_every_kept_cell_is_called_what_it_is() -> None:
    """Files of docs/results/raw: small, named after their key, and with all that pages say of them."""
    files = sorted((ROOT / "docs" / "results" / "raw").rglob("*.json"))
    assert len(files) > 600
    for path in files:
        cell = json.loads(path.read_text(encoding="utf-8"))
        assert {"made", "seconds"} <= set(cell), path
        assert {"date", "commit", "machine", "python"} <= set(cell["made"]), path
        assert path.stat().st_size < 16_000, path
        given = cell.get("run")
        if given is not None and isinstance(given["config"]["features"], str | list) and "sha256" not in str(given):
            config = TrainConfig.from_dict(given["config"])
            more = {name: value for name, value in given.items() if name not in ("treebank", "config", "columns")}
            run = Run(
                given["treebank"],
                config,
                columns=frozenset(given["columns"]),
                **{**more, "calibrated": "calibrated" in given},
            )
            assert path.parent.name == run.treebank
            assert path.name.endswith(f"-{run.key[:12]}.json"), path


@pytest.mark.usefixtures("small_treebanks")
def test_test_sets_are_for_few_tables_only() -> None:
    others = ("accuracy", "confidence", "generic-2021", "raw-text")
    for name in [name for name in TABLES if name not in others]:
        cells = TABLES[name].plan(Choice(TABLES[name].treebanks, (1,)))
        assert "test" not in {run.split for run in cells.values() if isinstance(run, Run)}


def test_leaving_out_a_group_of_features() -> None:
    columns = frozenset({"xpos", "feats", "lemma", "morphology"})
    whole = feature_set("default", "arc-eager", columns=columns)
    for group in ("s1", "n3", "lemma"):
        assert set(without(group, columns)) < set(whole)
    assert set(feature_set("zhang-nivre", "arc-eager", columns=())) <= set(without("s1", columns))
    assert without("xpos", frozenset()) == feature_set("default", "arc-eager", columns=())


def test_figures_are_of_what_is_finished() -> None:
    results = Results({("a",): fake(RUN), ("b",): None, ("c",): fake(replace(RUN, config=replace(SMALL, seed=3)))}, 20)
    assert results.mean([("a",)], "scores", "las") == 71.0
    assert results.mean([("a",), ("b",), ("c",)], "scores", "las") == 72.0
    assert results.shown([("a",), ("b",), ("c",)], "scores", "las") == "72.00 (2)"
    assert results.mean([("b",)], "scores", "las") is None
    compared = results.compared([("a",), ("b",)], [("c",), ("c",)])
    assert compared is not None
    assert (compared.difference, compared.seeds) == (2.0, 1)
    assert results.compared([("b",)], [("a",)]) is None
    assert tables.figure(None) == tables.signed(None) == tables.spread(None) == "-"
    assert tables.average([1.0, None]) == 1.0


def test_a_difference_without_counts_is_not_tested() -> None:
    old = {name: value for name, value in fake(RUN).items() if name != "sentences"}
    compared = Results({("a",): old, ("b",): fake(RUN)}).compared([("a",)], [("b",)])
    assert compared is not None
    assert compared.gain is None


def test_a_table_goes_on_where_it_was(store: Store, tmp_path: Path) -> None:
    """One cell is there already and stays as it is; the other is performed; the page says when both are there."""
    table = TABLES["default-features"]
    cells = table.plan(Choice(("english",), (1,)))
    first, second = cells.values()
    store.put(first, fake(first))
    given = Options(("default-features",), treebanks=("english",), seeds=(1,))
    said: list[str] = []
    assert commands.run(replace(given, cached=True), said.append, store, tmp_path) == 0
    assert "1 of 2 cells are finished" in said[-1]
    assert store.get(second) is None
    store.put(second, fake(second))
    assert commands.run(given, said.append, store, tmp_path) == 0
    assert "2 of 2 cells are finished" in said[-1]
    assert store.get(first) == fake(first)
    (row, every) = commands.listed(given, store)
    assert (row["cells"], row["finished"], row["seconds_to_go"]) == (2, 2, 0)
    assert "nothing to do" in commands.line(every)


def test_printed_formulas_can_be_put_into_the_sources() -> None:
    for name, changes in printed.CHANGES.items():
        text = (ROOT / "src" / "native" / name).read_text(encoding="utf-8")
        assert printed.changed(text, changes) != text
        with pytest.raises(ValueError, match="the formulas have changed"):
            printed.changed(printed.changed(text, changes), changes[-1:])


def test_printed_costs_of_named_configurations() -> None:
    """E1 to E4 of ORACLES 1.2: what is printed, and what is true."""
    last, first = (dynarc.system("arc-eager", root=root) for root in ("last", "first"))
    start = last.state(stack=[1], buffer=[2, 0], heads=[None, None])
    first_start = first.state(stack=[0, 1], buffer=[2], heads=[None, None])
    built = first.state(stack=[0, 1], buffer=[2], heads=[0, None])
    cases: list[tuple[System, State, list[int], Transition, Formulas, int, int]] = [
        (last, start, [0, 1], Transition("LEFT"), "2013", 1, 2),
        (last, start, [2, 0], Transition("RIGHT"), "2013", 1, 2),
        (first, first_start, [0, 1], Transition("LEFT"), "2013", 0, 1),
        (first, built, [2, 0], Transition("SHIFT"), "2012", 2, 1),
    ]
    for ts, state, heads, move, paper, wrong, true in cases:
        assert printed_cost(state, Tree(heads), move, paper) == wrong
        assert ts.oracle("dynamic").bind(Tree(heads)).cost(state, move) == true


def test_the_corrected_algorithm_is_exact_and_the_printed_one_is_not() -> None:
    """Every state of every derivable tree of three words; then A1 of ORACLES 5.3."""
    ts = dynarc.system("attardi")
    wrong = dict.fromkeys(("corrected", "printed", "literal"), 0)
    for state, gold, _ in every_state(ts, 3):
        exact = ts.oracle("dynamic").bind(gold).loss(state)
        for reading in wrong:
            wrong[reading] += loss(state, gold, reading) != exact  # type: ignore[arg-type]
    assert wrong["corrected"] == 0
    assert wrong["printed"] > 0
    gold, state = Tree([2, 0, 1]), ts.state(stack=[0], buffer=[2, 3], heads=[0, None, None])
    assert [loss(state, gold, reading) for reading in ("printed", "corrected")] == [1, 2]


TREES = """
( (S (NP (DT the) (NN man)) (VP (VBZ sees) (NP (DT the) (JJ old) (NN sea))) (. .)) )
( (S (NP (NNS men)) (VP (VBP see) (NP (NNS men))) (. .)) )
"""


def test_the_grammar_parses_what_it_was_read_off() -> None:
    trees = read_penn(TREES)
    grammar = Grammar(trees)
    assert ("NP(", ("DT", "NP|DT|")) in set(rules_of(trees[0]))
    outputs = [grammar.parse(one.words) for one in trees]
    golds = [one.actions for one in trees]
    assert f_score(outputs, golds) == 100
    assert grammar.parse((("a", "XX"), ("b", "YY"))) == ("S(", "SHIFT", "SHIFT", ")")
    wrong = [golds[0], ("S(", *["SHIFT"] * 4, ")")]
    assert generic_2021.f1(generic_2021.counted("brackets", wrong, golds)) == f_score(wrong, golds)


def test_without_the_sample_generic_tables_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DYNARC_TREEBANKS", str(tmp_path))
    generic_2021.part.cache_clear()
    with pytest.raises(data.MissingTreebankError, match="0 of the 199 files"):
        GenericRun("chunks", "static", 1).perform()
