"""dynarc parse --confidence and dynarc calibrate --fit, from a treebank to a worklist."""

from pathlib import Path

import pytest

import dynarc
from dynarc.confidence import SAMPLES
from dynarc.data import english_path

from .conftest import Run

TRAIN, DEV, TEST = (str(english_path(part)) for part in ("train", "dev", "test"))


@pytest.fixture
def model(tmp_path: Path, program: Run) -> str:
    path = str(tmp_path / "m.dynarc")
    program("train", TRAIN, "--dev", DEV, "-o", path, "--epochs", "2", "--learner", "adagrad-rda")
    return path


def test_from_training_to_a_worklist(model: str, tmp_path: Path, program: Run) -> None:
    parsed = str(tmp_path / "parsed.conllu")
    program("parse", model, TEST, "--confidence", "-o", parsed)
    plain = program("parse", model, TEST).out
    sure = Path(parsed).read_text(encoding="utf-8")
    for old, new in zip(plain.splitlines(), sure.splitlines(), strict=True):
        assert old.split("\t")[:9] == new.split("\t")[:9]
    treebank = dynarc.read_conllu(parsed)
    assert all(p is not None for s in treebank for p in s.arc_prob or [None])
    assert "ArcProb below 0.5" in program("review", parsed, "--below", "0.5").out
    shown = program("calibrate", model, TEST).out
    assert "ECE" in shown
    assert f"Fitted on 7,780 words of {DEV} and halves of {TRAIN}" in " ".join(shown.split())
    assert "calibrated on" in program("info", model).out


def test_a_model_without_calibration(tmp_path: Path, program: Run) -> None:
    model, fitted = str(tmp_path / "m.dynarc"), str(tmp_path / "fitted.dynarc")
    program("train", DEV, "-o", model, "--epochs", "1", "--no-calibrate")
    target = tmp_path / "out.conllu"
    failed = program("parse", model, TEST, "--confidence", "-o", str(target))
    assert failed.status == 2
    assert "does not know how sure it is" in failed.err
    assert not target.exists()
    assert "nothing" in program("info", model).out
    program("calibrate", model, TEST, "--fit", fitted)
    found = dynarc.load(fitted).calibration
    assert found is not None
    assert found.samples == SAMPLES
    program("calibrate", model, TEST, "--fit", fitted, "--samples", "0")
    found = dynarc.load(fitted).calibration
    assert found is not None
    assert found.samples == 0
    assert "--samples does not go without --fit" in program("calibrate", model, TEST, "--samples", "3").err
    assert dynarc.load(fitted).parse(dynarc.read_conllu(TEST)) == dynarc.load(model).parse(dynarc.read_conllu(TEST))
    for wrong in (["--json"], ["-o", str(tmp_path / "x.html")], ["--paper", "sv"]):
        assert "--fit" in program("calibrate", model, TEST, "--fit", fitted, *wrong).err


def test_heads_are_not_kept_with_confidence(model: str, program: Run) -> None:
    assert "--keep-heads" in program("parse", model, TEST, "--confidence", "--keep-heads").err
