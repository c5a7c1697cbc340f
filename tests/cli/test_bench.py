"""dynarc bench: figures of all kinds, in both forms. How large they are is nobody's business here."""

import json
from pathlib import Path

import pytest

from dynarc import TrainConfig, read_conllu, train
from dynarc.bench import LENGTHS, bench
from dynarc.data import english_path
from dynarc.errors import ConfigError
from dynarc.parser import Parser, layout

from .conftest import Run

FILE = str(english_path("test"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("bench") / "small.model"
    config = TrainConfig(features=("S0.tag+B0.tag", "S0.form", "B0.form"), epochs=1)
    train(read_conllu(FILE)[:30], config=config, calibrate=False).save(path)
    return str(path)


def test_figures(run: Run, model: str) -> None:
    done = run("bench", model, FILE, "--threads", "1,2", "--rounds", "1", "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    assert [(rate["what"], rate["threads"]) for rate in found["rates"]] == [
        (what, threads) for what in ("compact", "folded", "file to file") for threads in (1, 2)
    ]
    assert all(0 < rate["median"] <= rate["best"] for rate in found["rates"])
    assert [memory["layout"] for memory in found["memory"]] == ["compact", "folded"]
    assert all(memory["peak"] > 10**6 for memory in found["memory"])
    assert found["words"] == read_conllu(FILE).words
    assert 0 < found["las"] <= found["uas"] <= 100
    assert found["bytes"] == Path(model).stat().st_size
    assert found["cold_start_seconds"] > found["import_seconds"] > 0
    assert found["growth"] == []


def test_a_table(run: Run, model: str) -> None:
    done = run("bench", model, FILE, "--threads", "1", "--rounds", "1")
    assert done.status == 0, done.err
    for line in ("words/s", "compact", "folded", "file to file", "memory, compact", "import dynarc", "UAS, LAS"):
        assert line in done.out


def test_growth(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynarc.bench.LENGTHS", LENGTHS[:3])
    found = bench(model, FILE, threads=[1], rounds=1, growth=True)
    assert [step.length for step in found.growth] == [10, 100, 1000]
    assert all(step.nanoseconds > 0 for step in found.growth)


def test_layouts_of_parsers_with_several_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their figures are of the layout they are called by, and the setting of the user stays."""
    path = tmp_path / "two.model"
    config = TrainConfig(features=("S0.tag+B0.tag", "S0.form"), epochs=1, passes=2)
    train(read_conllu(FILE)[:30], config=config, calibrate=False).save(path)
    seen: list[str] = []
    parse = Parser.parse

    def spied(self: Parser, *args: object, **options: object) -> object:
        seen.append(layout())
        return parse(self, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Parser, "parse", spied)
    monkeypatch.setenv("DYNARC_LAYOUT", "auto")
    bench(path, FILE, threads=[1], rounds=1)
    assert seen[:4] == ["compact", "compact", "folded", "folded"]
    assert set(seen[4:]) == {"auto"}


def test_words_without_trees(model: str, tmp_path: Path) -> None:
    path = tmp_path / "words.conllu"
    path.write_text("1\tGo\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8")
    found = bench(model, path, threads=[1], rounds=1)
    assert (found.words, found.uas, found.las) == (1, None, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threads", "two"], "numbers with commas between them"),
        (["--threads", "0"], "must be at least 1"),
        (["--rounds", "0"], "--rounds"),
    ],
)
def test_wrong_usage(run: Run, model: str, options: list[str], message: str) -> None:
    done = run("bench", model, FILE, *options)
    assert done.status == 2
    assert message in done.err


def test_nothing_to_parse(run: Run, model: str, tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_text("")
    done = run("bench", model, str(tmp_path / "empty.conllu"))
    assert done.status == 1
    assert "there is nothing to parse" in done.err


def test_rounds_of_python(model: str) -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        bench(model, FILE, rounds=0)
