"""dynarc calibrate: what is shown of a report; where reports come from is tested elsewhere."""

import doctest
import json
import random
import re
import sys
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

from dynarc import confidence
from dynarc.cli import calibrate_page, calibrate_tables, console
from dynarc.data import english_path
from dynarc.parser import Parser
from dynarc.reliability import CalibrationReport, Outcomes, figures
from dynarc.treebank import Treebank

from .conftest import Run
from .pages import Page

DEV = str(english_path("dev"))


def made_up(items: int, seed: int, too_sure: float = 0.0) -> Outcomes:
    rng = random.Random(seed)
    said = [round(rng.betavariate(4, 0.5), 3) for _ in range(items)]
    return Outcomes(said, [rng.random() < p - too_sure * (p - 0.5) for p in said])


SMALL = CalibrationReport(
    model="?",
    data="?",
    sentences=2,
    words=5,
    transitions=Outcomes([1.0, 0.95, 0.95, 0.45], [True, True, False, True]),
    fitted_transitions=None,
    arcs=Outcomes([0.99, 0.99, 0.7, 0.7, 0.3], [True, True, True, False, False]),
    labels=Outcomes([0.9, 0.9, 0.9, 0.9, 0.9], [True, True, True, True, False]),
)
LARGE = CalibrationReport(
    model="?",
    data="?",
    sentences=300,
    words=4000,
    transitions=made_up(8000, 1, too_sure=0.3),
    fitted_transitions=made_up(8000, 2),
    arcs=made_up(4000, 3),
    labels=made_up(4000, 4),
    trees=made_up(300, 5),
    notes=("The map was fitted on <dev>.",),
)


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A model whose report is made up."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(Parser, "load", lambda path: path)
    show(monkeypatch, LARGE)
    return "en.dynarc"


def show(monkeypatch: pytest.MonkeyPatch, made: CalibrationReport) -> None:
    def report(parser: Parser, treebank: Treebank, threads: int) -> CalibrationReport:
        assert treebank.words == 1281
        return made

    monkeypatch.setattr(confidence, "report", report)


def test_what_is_shown(run: Run, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    show(monkeypatch, SMALL)
    ended = run("calibrate", model, DEV)
    assert (ended.status, ended.err) == (0, "")
    head = " ".join(ended.out.split("\n\n")[0].split())
    assert head == f"en.dynarc on {DEV}: 5 words, 2 sentences."
    assert ended.out.split("\n\n", maxsplit=1)[1] == (
        "transitions: the best action, by its probability; % right\n"
        "  bin  raw items   said  right\n"
        "  0.4          1   45.0  100.0\n"
        "  0.9          2   95.0   50.0\n"
        "  1.0          1  100.0  100.0\n"
        "Largest distance of right from said, in bins from 0.5 up with 300 items or more: raw none.\n"
        "\n"
        "figures\n"
        "                   arcs  labels\n"
        "  items               5       5\n"
        "  right, %        60.00   80.00\n"
        "  said, mean %    73.60   90.00\n"
        "  ECE, %          14.40   10.00\n"
        "  MCE, %          30.00   10.00\n"
        "  Brier          0.1340  0.1700\n"
        "  log loss       0.3875  0.5448\n"
        "  AUC of errors  0.9167  0.5000\n"
        "\n"
        "arcs: the probability that the head is right\n"
        "  15 bins    words  said  right    off  right, | said\n"
        "  0.27-0.33      1  30.0    0.0  -30.0         │\n"
        "  0.67-0.73      2  70.0   50.0  -20.0  ████████████▌    │\n"
        "  0.93-1.00      2  99.0  100.0   +1.0  ████████████████████████│\n"
        "\n"
        "  keep             from  words  of all   right\n"
        "  the surest 50%  0.700      4    80.0   75.00\n"
        "  the surest 80%  0.700      4    80.0   75.00\n"
        "  the surest 90%  0.300      5   100.0   60.00\n"
        "  all             0.300      5   100.0   60.00\n"
        "  95% right       0.990      2    40.0  100.00\n"
        "  99% right       0.990      2    40.0  100.00\n"
        "  99.5% right     0.990      2    40.0  100.00\n"
        "Among the surest 80.0 % of arcs, 25.00 % are wrong; of all, 40.00 %, 1.6 times as many.\n"
        "\n"
        "labels: the probability that head and label are right\n"
        "  15 bins    words  said  right    off  right, | said\n"
        "  0.87-0.93      5  90.0   80.0  -10.0  ████████████████████  │\n"
        "\n"
        "  keep             from  words  of all  right\n"
        "  the surest 50%  0.900      5   100.0  80.00\n"
        "  the surest 80%  0.900      5   100.0  80.00\n"
        "  the surest 90%  0.900      5   100.0  80.00\n"
        "  all             0.900      5   100.0  80.00\n"
        "  95% right           -      0     0.0      -\n"
        "  99% right           -      0     0.0      -\n"
        "  99.5% right         -      0     0.0      -\n"
        "Among the surest 100.0 % of labels, 20.00 % are wrong; of all, 20.00 %.\n"
    )


def test_beside_the_paper(run: Run, model: str) -> None:
    ended = run("calibrate", model, DEV, "--paper", "sv")
    table = ended.out.split("\n\n")[1].splitlines()[1:]
    end = next(place for place, line in enumerate(table) if line.startswith("Largest"))
    header, *rows = table[:end]
    assert header.split()[-3:] == ["paper", "(sv)", "right"]
    cells = {row.split()[0]: row.split() for row in rows}
    assert cells["0.9"][-2:] == ["14k", "96"]
    assert cells["1.0"][-2:] == ["493", "100"]
    assert len(cells["0.5"]) == 9
    assert max(map(len, table[:end])) <= 80
    said = " ".join(table[end:])
    assert re.search(r": raw -1\d\.\d \(bin [01]\.\d\), fitted [+-]?\d\.\d \(bin [01]\.\d\)\.$", said)
    assert "trees: the probability that all of the tree is right" in ended.lines
    assert "The map was fitted on <dev>." in ended.lines


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("utb2_sv/dev.conllu", "sv"),
        ("KO-test.conllu", "ko"),
        ("dev.conllu", None),
        ("svt.conllu", None),
        ("de_en", None),
    ],
)
def test_the_paper_is_offered(run: Run, model: str, name: str, offered: str | None) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_bytes(Path(DEV).read_bytes())
    out = run("calibrate", model, name).out
    assert ("--paper" in out) == (offered is not None)
    if offered:
        assert f" beside them: --paper {offered}" in out
        assert "beside them" not in run("calibrate", model, name, "--paper", offered).out


def test_bars_without_blocks(run: Run, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynarc.cli.calibrate.has_blocks", lambda: False)
    assert "  ########################|\n" in run("calibrate", model, DEV).out


def test_json(run: Run, model: str) -> None:
    document = json.loads(run("calibrate", model, DEV, "--json", "--paper", "ko").out)
    assert document["model"] == "en.dynarc"
    assert document["data"] == DEV
    assert document["transitions"].keys() == {"raw", "fitted"}
    for name, outcomes in LARGE.each():
        told = document[name]
        assert told["figures"]["ece"] == figures(outcomes).ece
        assert len(told["bins"]) == 15
        assert sum(b["items"] for b in told["bins"]) == len(outcomes)
        assert [row["wanted"] for row in told["surest"]] == [0.5, 0.8, 0.9, 1.0]
        assert [row["wanted"] for row in told["right"]] == [0.95, 0.99, 0.995]
        assert told["coverage"][-1]["items"] == len(outcomes)
    assert document["paper"]["bins"][-1] == {"low": 1.0, "items": 588, "right": 100}
    empty = [b for b in document["transitions"]["raw"]["bins"] if not b["items"]]
    assert empty
    assert all(b["said"] is None and b["accuracy"] is None for b in empty)


def test_a_page(run: Run, model: str) -> None:
    ended = run("calibrate", model, DEV, "-o", "r.html")
    assert (ended.status, ended.err) == (0, "")
    assert "arcs: the probability" in ended.out
    text = Path("r.html").read_text(encoding="utf-8")
    seen = Page(text)
    assert text.count("<svg") == 3
    assert seen.ids == ["transitions", "figures", "arcs", "labels", "trees"]
    assert "The map was fitted on <dev>." in seen.text
    assert calibrate_tables.verdict(LARGE) in seen.text
    for _, outcomes in LARGE.each():
        assert f"{100 * figures(outcomes).ece:.2f}" in seen.text
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)
    assert not re.search(r"<script|<link|@import|url\(|src=", text)


def test_a_picture(run: Run, model: str) -> None:
    assert run("calibrate", model, DEV, "-o", "r.svg").status == 0
    root = ElementTree.fromstring(Path("r.svg").read_text(encoding="utf-8"))
    kinds = [element.get("class", "").split(" ")[0] for element in root.iter()]
    assert kinds.count("curve") == 2 + 3 + 3
    assert kinds.count("diagonal") == 2
    dots = sum(len(line.points) for plot in calibrate_page.plots(LARGE)[:2] for line in plot.lines)
    assert kinds.count("dot") == dots


def test_lines_show_what_the_tables_say() -> None:
    actions, arcs, kept = calibrate_page.plots(SMALL)
    assert [line.name for line in actions.lines] == ["raw"]
    assert actions.lines[0].points == ((45.0, 100.0), (95.0, 50.0), (100.0, 100.0))
    assert list(arcs.lines[0].points) == [pytest.approx(point) for point in ((30, 0), (70, 50), (99, 100))]
    assert (arcs.title, kept.title) == ("Arcs and labels", "Coverage")
    assert calibrate_page.plots(LARGE)[1].title == "Arcs, labels and trees"
    assert kept.lines[0].points == ((100.0, 60.0),)  # too few for more
    curve = calibrate_page.plots(LARGE)[2].lines[0].points
    assert len(curve) > 100
    assert curve[-1] == pytest.approx((100.0, 100 * figures(LARGE.arcs).accuracy))


def test_png(run: Run, model: str) -> None:
    pytest.importorskip("matplotlib")
    for name in ("a.png", "b.PNG"):
        assert run("calibrate", model, DEV, "-o", name).status == 0
    data = Path("a.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data == Path("b.PNG").read_bytes()
    assert (int.from_bytes(data[16:20]), int.from_bytes(data[20:24])) == (1200, 2280)


def test_png_without_matplotlib(run: Run, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Said before anything is parsed."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setattr(confidence, "report", None)
    ended = run("calibrate", model, DEV, "-o", "r.png")
    assert (ended.status, ended.out) == (2, "")
    assert "this needs matplotlib, which is not installed: pip install 'dynarc[plot]'" in ended.err
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        ([DEV, "-o", "r.pdf"], 2, "r.pdf: -o names a page (.html) or a picture (.svg, .png)"),
        ([DEV, "-o", "no/r.svg"], 1, "there is no folder 'no'"),
        ([DEV, "--paper", "fi"], 2, "'fi' is not one of"),
        (["none.conllu"], 1, "none.conllu: there is no such file"),
        (["-"], 1, "<stdin>: there is no sentence in it"),
    ],
)
def test_mistakes(run: Run, model: str, args: list[str], status: int, says: str) -> None:
    ended = run("calibrate", model, *args)
    assert (ended.status, ended.out) == (status, "")
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_a_model_that_is_none(run: Run) -> None:
    ended = run("calibrate", "none.dynarc", DEV)
    assert (ended.status, ended.out) == (1, "")
    assert "none.dynarc" in ended.err


@pytest.mark.parametrize("module", [console, calibrate_tables])
def test_examples(module: ModuleType) -> None:
    found = doctest.testmod(module)
    assert found.failed == 0
    assert found.attempted > 0
