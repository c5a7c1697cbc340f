"""dynarc errors."""

import json
import random
from pathlib import Path

import pytest
from tests.exact.outputs import first_sentences, other_columns, other_heads

from dynarc.cli import errors_page
from dynarc.confusion import KINDS

from .conftest import Run
from .pages import Page
from .test_app import on_terminal

GOLD = """\
# sent_id = one
1	They	_	PRON	_	_	2	nsubj	_	_
2	ate	_	VERB	_	_	0	root	_	_
3	pizza	_	NOUN	_	_	2	obj	_	_
4	with	_	ADP	_	_	5	case	_	_
5	anchovies	_	NOUN	_	_	3	nmod	_	SpaceAfter=No
6	.	_	PUNCT	_	_	2	punct	_	_

# sent_id = two
1	Go	_	VERB	_	_	0	root	_	_
2	home	_	NOUN	_	_	1	obl	_	_

"""
SYSTEM = GOLD.replace("3\tnmod", "2\tobl").replace("1\tobl", "1\tobj").replace("2\tpunct", "3\tpunct")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("out", SYSTEM)):
        Path(f"{name}.conllu").write_text(text, encoding="utf-8")


TOTALS = """\
full: all words, whole labels, any roots
out.conllu against gold.conllu: 8 words scored, 2 sentences

  wrong heads            2  25.00%
  wrong labels           2  25.00%
    with the right head  1  12.50%
  words with an error    3  37.50%

"""


def test_tables(run: Run) -> None:
    ended = run("errors", "gold.conllu", "out.conllu")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.startswith(
        TOTALS
        + "labels, gold>system\n"
        + "  cell      words  of gold  head right  head wrong\n"
        + "  nmod>obl      1  100.00%           0           1\n"
        + "  obl>obj       1  100.00%           1           0\n\n"
        + "wrong heads, by place in the gold tree\n"
    )
    assert "  low             1  50.00%  another dependent of the gold head: one step too low\n" in ended.out
    rows = {line.split()[0]: line.split()[1:3] for line in ended.lines if line.startswith("  ") and "%" in line}
    assert rows["high"] == rows["low"] == ["1", "50.00%"]
    assert rows["far"] == rows["near"] == ["1", "50.00%"]
    assert rows["reversed"] == ["0", "0.00%"]
    assert rows["NOUN:NOUN>VERB"] == ["1", "50.00%"]
    assert ended.lines[-1] == "See the sentences: dynarc errors gold.conllu out.conllu --cell 'nmod>obl'"


def test_every_kind_is_explained(run: Run) -> None:
    text = " ".join(run("errors", "--help").out.split())
    for kind, meaning in KINDS.items():
        assert f"{kind} {meaning}" in text


def test_the_sentences_of_a_cell(run: Run) -> None:
    ended = run("errors", "gold.conllu", "out.conllu", "--cell", "nmod>obl", "--cell", "near", "--cell", "obj>obl")
    assert ended.out == TOTALS + (
        "nmod>obl: nmod that the system calls obl; 1 word in 1 sentence\n"
        "  out.conllu:1 one\n"
        "    They ate pizza with [anchovies](nmod>obl, head pizza>ate).\n"
        "\n"
        "near: on the side of the gold head, but nearer to the word; 1 word in 1 sentence\n"
        "  out.conllu:1 one\n"
        "    They ate pizza with anchovies[.](punct, head ate>pizza)\n"
        "\n"
        "obj>obl: obj that the system calls obl; 0 words in 0 sentences\n"
        "\n"
    )
    drawn = run("errors", "gold.conllu", "out.conllu", "--cell", "nmod>obl", "--draw").out
    assert "✗obl" in drawn
    assert "✓nmod" in drawn


def test_how_many(run: Run) -> None:
    gold, system = ("".join(text.replace("one", f"s{i}") for i in range(4)) for text in (GOLD, SYSTEM))
    Path("gold.conllu").write_text(gold, encoding="utf-8")
    out = run("errors", "gold.conllu", "-", "--cell", "high", "--first", "3", stdin=system).out
    assert "high: the head of the gold head: one step too high; 4 words in 4 sentences, the first 3\n" in out
    assert [line for line in out.splitlines() if line.startswith("  <stdin>")] == [
        "  <stdin>:1 s0",
        "  <stdin>:13 s1",
        "  <stdin>:25 s2",
    ]
    none = run("errors", "gold.conllu", "-", "--cell", "high", "--first", "0", stdin=system)
    assert "<stdin>:" not in none.out
    top = run("errors", "gold.conllu", "-", "--top", "1", stdin=system).out
    assert "labels, gold>system, the first 1 of 2 cells\n" in top
    assert "obl>obj" not in top


def test_long_sentences_are_cut_around_the_word(plain: None) -> None:
    rows = [f"{i}\tw{i}\t_\tX\t_\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_\n" for i in range(1, 101)]
    Path("gold.conllu").write_text("".join(rows) + "\n", encoding="utf-8")
    rows[49] = rows[49].replace("dep", "obj")
    Path("out.conllu").write_text("".join(rows) + "\n", encoding="utf-8")
    written = on_terminal(["errors", "gold.conllu", "out.conllu", "--cell", "dep>obj"], NO_COLOR="1")
    assert "    … w43 w44 w45 w46 w47 w48 w49 [w50](dep>obj) w51 w52 w53 w54 w55 w56 w57 …\r\n" in written.replace(
        "\x1b[1m", ""
    ).replace("\x1b[0m", "")


def test_order_and_choice(run: Run) -> None:
    gold = (GOLD.replace("obl", "obl2") + GOLD.replace("punct", "nmod")).replace("nmod", "zmod")
    system = SYSTEM.replace("1\tobj", "1\tx") + SYSTEM.replace("3\tpunct", "3\tobl")
    Path("gold.conllu").write_text(gold, encoding="utf-8")

    def cells(*options: str) -> list[str]:
        lines = run("errors", "gold.conllu", "-", *options, stdin=system).lines
        start = next(i for i, line in enumerate(lines) if line.startswith("labels")) + 2
        return [line.split()[0] for line in lines[start : lines.index("", start)]]

    assert cells() == ["zmod>obl", "obl>obj", "obl2>x"]
    assert cells("--sort", "label") == ["obl>obj", "obl2>x", "zmod>obl"]
    assert cells("--upos", "PUNCT") == ["zmod>obl"]
    assert cells("--form", "HOME") == ["obl>obj", "obl2>x"]
    out = run("errors", "gold.conllu", "-", "--form", "home", "--upos", "NOUN", stdin=system).out
    assert "2 words of 16 scored (gold UPOS NOUN; form 'home'), 4 sentences" in out


def test_rates(run: Run) -> None:
    gold = GOLD + GOLD.replace("nmod", "case") + GOLD
    system = SYSTEM.replace("1\tobj", "1\tobl") + SYSTEM.replace("1\tobj", "1\tobl") + GOLD.replace("1\tobl", "1\tx")
    Path("gold.conllu").write_text(gold.replace("2\tobj", "2\tobl"), encoding="utf-8")
    Path("out.conllu").write_text(system.replace("2\tobj", "2\tobl"), encoding="utf-8")
    lines = [
        line.split()[:3] for line in run("errors", "gold.conllu", "out.conllu", "--sort", "rate").lines if ">" in line
    ]
    assert lines[1:4] == [["nmod>obl", "1", "50.00%"], ["case>obl", "1", "25.00%"], ["obl>x", "1", "16.67%"]]


def test_protocols(run: Run) -> None:
    out = run("errors", "gold.conllu", "out.conllu", "--protocol", "nopunct").out
    assert "7 words scored" in out
    assert "wrong heads            1" in out
    assert run("errors", "gold.conllu", "out.conllu", "-p", "ud").out.startswith("ud: all words, aligned by the text")


def test_no_errors(run: Run) -> None:
    ended = run("errors", "gold.conllu", "gold.conllu")
    assert ended.lines[-1] == "Every word has the right head and label."
    page = Page(run("errors", "gold.conllu", "gold.conllu", "-o", "-").out)
    assert "Every label is right." in page.text


def test_json(run: Run) -> None:
    document = json.loads(run("errors", "gold.conllu", "out.conllu", "--json").out)
    assert [document[key] for key in ("words", "wrong_heads", "wrong_labels", "errors")] == [8, 2, 2, 3]
    assert document["protocol"]["name"] == "full"
    assert document["labels"][0] == {
        "gold": "nmod",
        "system": "obl",
        "count": 1,
        "of_gold_label": 1,
        "head_right": [],
        "head_wrong": [[1, 5]],
    }
    assert {cell["cell"]: cell["words"] for cell in document["structure"] if cell["words"]} == {
        "high": [[1, 5]],
        "low": [[1, 6]],
    }
    assert {cell["cell"]: cell["words"] for cell in document["distance"] if cell["words"]} == {
        "far": [[1, 5]],
        "near": [[1, 6]],
    }
    assert [cell["cell"] for cell in document["tags"]] == ["NOUN:NOUN>VERB", "PUNCT:VERB>NOUN"]
    one = json.loads(run("errors", "gold.conllu", "out.conllu", "--json", "--cell", "obl>obj").out)
    assert one["cells"][0]["words"] == [
        {
            "sentence": 2,
            "sent_id": "two",
            "word": 2,
            "form": "home",
            "upos": "NOUN",
            "gold_head": 1,
            "gold_label": "obl",
            "head": 1,
            "label": "obj",
        }
    ]


def test_page(run: Run) -> None:
    ended = run("errors", "gold.conllu", "out.conllu", "-o", "errors.html")
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    page = Page(Path("errors.html").read_text(encoding="utf-8"))
    assert "Protocol full: all words, whole labels, any roots." in page.text
    assert {"figures", "labels", "confusions", "heads"} <= set(page.ids)
    assert page.tags.count("svg") == 2  # each sentence once
    assert "anchovies nmod>obl, head pizza>ate" in page.text
    assert "tree above" in page.text
    assert not {"script", "link", "img"} & set(page.tags)
    one = Page(run("errors", "gold.conllu", "out.conllu", "-o", "-", "--cell", "obl>obj").out)
    assert one.tags.count("svg") == 1
    assert [name for name in one.ids if name.startswith("cell-")] == ["cell-1"]


def test_the_page_stays_small(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errors_page, "TREES", 1)
    page = Page(run("errors", "gold.conllu", "out.conllu", "-o", "-").out)
    assert page.tags.count("svg") == 1
    assert "1 tree drawn, 1 left out, since a page holds 1." in page.text


def test_nothing_is_unescaped(run: Run) -> None:
    evil = {"pizza": "<script>alert(1)</script>", "one": "<i>&amp;", "nmod": "<b>&\"'", "obl": "<u>"}
    for name in ("gold", "out"):
        text = Path(f"{name}.conllu").read_text(encoding="utf-8")
        for old, new in evil.items():
            text = text.replace(old, new)
        Path(f"<s>{name}.conllu").write_text(text, encoding="utf-8")
    page = Page(run("errors", "<s>gold.conllu", "<s>out.conllu", "-o", "-").out)
    assert not {"script", "i", "b", "u", "s"} & set(page.tags)
    for text in ("<script>alert(1)</script>", "<i>&amp;", "<b>&\"'><u>", "<s>out.conllu"):
        assert text in page.text


def test_no_escape_reaches_the_terminal(run: Run) -> None:
    for name in ("gold", "out"):
        text = Path(f"{name}.conllu").read_text(encoding="utf-8")
        Path(f"{name}.conllu").write_text(
            text.replace("pizza", "\x1b[31mx").replace("nmod", "\x1b]0;l"), encoding="utf-8"
        )
    out = (
        run("errors", "gold.conllu", "out.conllu").out
        + run("errors", "gold.conllu", "out.conllu", "--cell", "high").out
    )
    assert "\x1b" not in out
    assert "␛]0;l>obl, head ␛[31mx>ate" in out


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        ("- -", 2, "GOLD and SYSTEM cannot both be standard input"),
        ("gold.conllu missing.conllu", 1, "missing.conllu: there is no such file"),
        ("gold.conllu out.conllu --cell nmod", 2, "unknown cell 'nmod': give labels as 'nmod>obl', or a kind"),
        ("gold.conllu out.conllu --cell nmod>x", 2, "there is no cell 'nmod>x'; the largest cells of labels are 'nmod"),
        ("gold.conllu out.conllu --json -o x.html", 2, "--json does not go with --output"),
        ("gold.conllu out.conllu --json --draw", 2, "--draw does not go with --json"),
        ("gold.conllu out.conllu -o no/such.html", 1, "there is no folder"),
        ("gold.conllu other.conllu", 1, "sentence 1 (one): word 3 is 'pasta', but 'pizza' at gold.conllu:4; to score"),
        ("gold.conllu out.conllu -p all", 2, "'all' is not one of"),
    ],
)
def test_mistakes(run: Run, args: str, status: int, says: str) -> None:
    Path("other.conllu").write_text(SYSTEM.replace("pizza", "pasta"), encoding="utf-8")
    ended = run("errors", *args.split())
    assert (ended.status, ended.out, ended.err.count("\n")) == (status, "", 1)
    assert says in ended.err


def test_a_treebank(run: Run, treebanks: Path) -> None:
    """A page of a real file: within bounds, and every link leads somewhere."""
    rng = random.Random(2)
    gold = first_sentences((treebanks / "en_ewt" / "dev.conllu").read_text(encoding="utf-8"), 400)
    Path("gold.conllu").write_text(gold, encoding="utf-8")
    Path("out.conllu").write_text(other_columns(other_heads(gold, rng), rng), encoding="utf-8")
    run("errors", "gold.conllu", "out.conllu", "-o", "errors.html")
    text = Path("errors.html").read_text(encoding="utf-8")
    page = Page(text)
    assert 50 < page.tags.count("svg") <= errors_page.TREES
    assert len(text) < 5_000_000
