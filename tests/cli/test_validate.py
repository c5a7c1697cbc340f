"""dynarc train --folds and --curve."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from dynarc import evaluate, read_conllu
from dynarc.cli.curve_page import gained
from dynarc.data import english, english_path
from dynarc.validation import CurvePoint

from .conftest import OWN, Run
from .pages import Page

TRAIN, DEV = str(english_path("train")), str(english_path("dev"))
QUICK = ("--epochs", "1", "--features", "zhang-nivre")


def test_folds(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "parsed.conllu"
    ended = run("train", DEV, "--folds", "3", *QUICK, "-o", str(out))
    assert ended.status == 0
    lines = ended.lines
    assert lines[0].split() == ["fold", "sentences", "words", "UAS", "LAS", "seconds"]
    assert [line.split()[:2] for line in lines[1:4]] == [["1", "39"], ["2", "40"], ["3", "40"]]
    figures = [float(line.split()[4]) for line in lines[1:4]]
    assert lines[4] == ""
    assert re.match(r"mean ± sd of 3 folds: UAS \d+\.\d\d ± \d+\.\d\d, LAS \d+\.\d\d ± \d+\.\d\d$", lines[5])
    mean = float(lines[5].split("LAS ")[1].split()[0])
    assert mean == pytest.approx(sum(figures) / 3, abs=0.01)
    las = evaluate(english("dev"), read_conllu(out)).las
    assert lines[6].startswith("all 1,281 words together: UAS ")
    assert f"LAS {las:.2f} (full: " in lines[6]
    assert lines[7].startswith(f"{out}: the treebank, each sentence parsed by the fold that had not seen it")


def test_folds_as_json_and_to_standard_output(run: Run) -> None:
    ended = run("train", DEV, "--folds", "2", *QUICK, "--json")
    document = json.loads(ended.out)
    assert [fold["sentences"] for fold in document["folds"]] == [59, 60]
    assert document["pooled"]["words"] == 1281
    assert document["las"]["mean"] == pytest.approx(sum(fold["las"] for fold in document["folds"]) / 2)
    assert "mean ± sd" in ended.err
    parsed = run("train", DEV, "--folds", "2", *QUICK, "-o", "-")
    assert evaluate(english("dev"), read_conllu(parsed.out.encode())).las == document["pooled"]["las"]


def test_curve(run: Run, tmp_path: Path) -> None:
    page, picture = tmp_path / "curve.html", tmp_path / "curve.svg"
    ended = run("train", DEV, "--dev", str(english_path("test")), "--curve", "--points", "3", *QUICK, "-o", str(page))
    assert ended.status == 0
    assert ended.lines[0].split()[:5] == ["sentences", "words", "UAS", "LAS", "seconds"]
    assert [line.split()[0] for line in ended.lines[1:4]] == ["29", "59", "119"]
    assert all("█" in line for line in ended.lines[1:4])
    assert re.match(r"From 59 to 119 sentences, twice the data (gained|lost) \d+\.\d LAS\.$", ended.lines[5])
    text = page.read_text(encoding="utf-8")
    seen = Page(text)
    assert ended.lines[5] in seen.text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    again = run("train", DEV, "--curve", "--points", "2", *QUICK, "-o", str(picture), "--json")
    assert "no --dev: scored on every tenth sentence of it, which is not trained on (11 sentences)" in again.err
    document = json.loads(again.out)
    assert [point["sentences"] for point in document["points"]] == [54, 108]
    root = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    assert len(root.findall(".//{http://www.w3.org/2000/svg}circle")) == 4


@pytest.mark.parametrize(
    ("las", "says"),
    [
        ([70.0, 71.94], "twice the data gained 1.9 LAS."),
        ([70.0, 69.6], "twice the data lost 0.4 LAS."),
        ([70.0, 70.04], "twice the data changed nothing."),
        ([70.0], "too few sentences to halve them"),
    ],
)
def test_what_twice_the_data_gained(las: list[float], says: str) -> None:
    curve = [CurvePoint(10 * 2**i, 100, 80.0, figure, 1.0) for i, figure in enumerate(las)]
    assert says in gained(curve)


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        (["--folds", "3", "--dev", DEV], 2, "does not go with --dev"),
        (["--folds", "1"], 2, "takes 2 or more"),
        (["--folds", "700"], 2, "612 sentences cannot be cut into 700 folds"),
        (["--folds", "3", "--curve"], 2, "run one after the other"),
        (["--folds", "3", "-o", "no/such.conllu"], 1, "there is no folder 'no'"),
        (["--folds", "3", "-o", "-", "--json"], 2, "cannot both be standard output"),
        (["--curve", "-o", "m.dynarc"], 2, "-o names a picture (.svg) or a page (.html), not a model"),
        (["--curve", "--points", "1"], 2, "a curve has 2 or more"),
        (["--points", "4", "-o", "m"], 2, "--points does not go without --curve"),
    ],
)
def test_mistakes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], status: int, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run("train", TRAIN, *args)
    assert ended.status == status
    assert says in ended.err.splitlines()[-1]
    assert ended.out == ""
    assert not list(tmp_path.iterdir())


def test_too_few_to_hold_a_tenth_out(run: Run) -> None:
    ended = run("train", "-", "--curve", stdin=OWN)
    assert ended.status == 2
    assert "there are fewer than ten" in ended.err


def test_the_how_to_shows_what_comes(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """All but the seconds."""

    def timeless(text: str) -> list[str]:
        return [re.sub(r"^\d+\.\d$", "s", word) for word in text.split()]

    monkeypatch.chdir(english_path("dev").parent)
    text = (Path(__file__).resolve().parents[2] / "docs/how-to/validation.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n\$ dynarc (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    for command, shown in blocks:
        assert timeless(run(*command.split()).out) == timeless(shown)


def test_folds_of_odd_files(run: Run, tmp_path: Path) -> None:
    """Cycles are not learned from, but parsed; CoNLL-X becomes CoNLL-U."""
    own, out = tmp_path / "own.conllx", tmp_path / "out.conllu"
    own.write_text("\n".join(line for line in OWN.splitlines() if not line.startswith("#")) + "\n", encoding="utf-8")
    ended = run("train", str(own), "--folds", "2", *QUICK, "-o", str(out))
    assert ended.status == 0, ended.err
    assert len(read_conllu(out)) == 4
