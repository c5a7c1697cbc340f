"""dynarc shrink: fewer weights, the same file otherwise, and what it costs."""

import json
from pathlib import Path

import pytest

from dynarc import TrainConfig, read_conllu, train
from dynarc.data import english_path
from dynarc.parser import Parser

from .conftest import Run

FILE = str(english_path("dev"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("shrink") / "large.model"
    config = TrainConfig(features=("S0.tag+B0.tag", "S0.form", "B0.form", "S0.form+B0.tag"), epochs=3)
    train(read_conllu(FILE)[:60], config=config, calibrate=False).save(path)
    return str(path)


def test_fewer_weights(run: Run, model: str, tmp_path: Path) -> None:
    small = tmp_path / "small.model"
    done = run("shrink", model, "-o", str(small), "--prune", "0.7", "--data", FILE, "--json")
    assert done.status == 0, done.err
    found = json.loads(done.out)
    before, after = Parser.load(model).model, Parser.load(small).model
    assert found["weights"] == {"before": before.weights, "after": after.weights}
    assert after.weights < before.weights
    assert found["bytes"]["after"] == small.stat().st_size < found["bytes"]["before"]
    assert 0 < found["las"]["after"] <= found["uas"]["after"] <= 100


def test_nothing_left_out_is_the_same_model(run: Run, model: str, tmp_path: Path) -> None:
    done = run("shrink", model, "-o", str(tmp_path / "same.model"), "--prune", "0")
    assert done.status == 0, done.err
    assert (tmp_path / "same.model").read_bytes() == Path(model).read_bytes()
    assert "before" in done.out
    assert "las" not in done.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--prune", "-1"), "--prune"),
        (("--key-bits", "8"), "--key-bits"),
        (("--data", "no.conllu"), "no such file"),
    ],
)
def test_wrong_usage(run: Run, model: str, tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    done = run("shrink", model, "-o", str(tmp_path / "out.model"), *arguments)
    assert done.status in (1, 2)
    assert says in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out.model").exists()


def test_no_model(run: Run, tmp_path: Path) -> None:
    done = run("shrink", FILE, "-o", str(tmp_path / "out.model"))
    assert done.status == 1
    assert "not a dynarc model" in done.err
    assert not (tmp_path / "out.model").exists()
