"""dynarc review."""

import json
import re
from pathlib import Path

import pytest

from .conftest import Run
from .pages import Page
from .test_app import on_terminal

PARSED = """\
# sent_id = one
1	They	_	PRON	_	_	2	nsubj	_	ArcProb=0.990|LabelProb=0.980
2	ate	_	VERB	_	_	0	root	_	ArcProb=0.950|LabelProb=0.940
3	pizza	_	NOUN	_	_	2	obj	_	ArcProb=0.900|LabelProb=0.590
4	with	_	ADP	_	_	5	case	_	ArcProb=0.597|LabelProb=0.590
5	anchovies	_	NOUN	_	_	2	obl	_	ArcProb=0.412|LabelProb=0.300|SpaceAfter=No
6	.	_	PUNCT	_	_	2	punct	_	ArcProb=0.999|LabelProb=0.999

1	Go	_	VERB	_	_	0	root	_	ArcProb=0.500|LabelProb=0.500
2	<b>	_	X	_	_	_	_	_	_

"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out.conllu").write_text(PARSED, encoding="utf-8")


def test_by_word(run: Run) -> None:
    ended = run("review", "out.conllu")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == (
        "out.conllu: 3 of 7 words (42.86%), in 2 of 2 sentences, have ArcProb below 0.6.\n"
        "1 word without ArcProb is not counted.\n"
        "\n"
        "1  0.412  out.conllu:6 one  5 anchovies, obl of 2 ate\n"
        "   They ate pizza [with](case, head anchovies, 0.597) [anchovies](obl, head ate, 0.412).\n"
        "\n"
        "2  0.500  out.conllu:9  1 Go, root of ROOT\n"
        "   [Go](root, head ROOT, 0.500) <b>\n"
        "\n"
        "3  0.597  out.conllu:5 one  4 with, case of 5 anchovies\n"
        "   They ate pizza [with](case, head anchovies, 0.597) [anchovies](obl, head ate, 0.412).\n"
    )
    assert run("review", "-", stdin=PARSED).out == ended.out.replace("out.conllu", "<stdin>")


def test_by_sentence_and_by_label(run: Run) -> None:
    ended = run("review", "out.conllu", "--by", "sentence", "--labels")
    assert ended.lines[0] == "out.conllu: 4 of 7 words (57.14%), in 2 of 2 sentences, have LabelProb below 0.6."
    assert ended.lines[3] == "1  0.300  out.conllu:1 one, 3 words in doubt"
    marked = "[pizza](obj, head ate, 0.590) [with](case, head anchovies, 0.590) [anchovies](obl, head ate, 0.300)."
    assert ended.lines[4] == f"   They ate {marked}"
    assert ended.lines[6] == "2  0.500  out.conllu:9, 1 word in doubt"


def test_limits(run: Run) -> None:
    ended = run("review", "out.conllu", "--limit", "1", "--below", "0.55")
    assert ended.lines[0].startswith("out.conllu: 2 of 7 words (28.57%)")
    assert ended.lines[2] == "Shown: the 1 least sure word; 1 more with a higher --limit."
    assert sum(line.startswith("1  ") for line in ended.lines) == 1
    assert len(run("review", "out.conllu", "--limit", "0").lines) == 3
    nothing = run("review", "out.conllu", "--below", "0.1")
    assert nothing.status == 0
    assert nothing.lines[0] == "out.conllu: 0 of 7 words (0.00%), in 0 of 2 sentences, have ArcProb below 0.1."


def test_drawings(run: Run) -> None:
    ended = run("review", "out.conllu", "--by", "sentence", "--draw")
    assert "?obl" in ended.out
    assert "?case" in ended.out
    assert "?nsubj" not in ended.out
    assert ended.out.count("? doubtful") == 2
    assert "\n\n\n" not in ended.out
    Path("plain.txt").write_text("", encoding="utf-8")
    assert run("review", "out.conllu", "--by", "sentence", "--draw", "-o", "plain.txt").out == ""
    assert Path("plain.txt").read_text(encoding="utf-8") == ended.out


def test_long_sentences_are_wrapped_on_terminals(plain: None) -> None:
    words = [f"{i}\tword{i}\t_\tX\t_\t_\t{i - 1}\tdep\t_\tArcProb=0.{i:03}\n" for i in range(1, 41)]
    Path("long.conllu").write_text("".join(words) + "\n", encoding="utf-8")
    written = on_terminal(["review", "long.conllu", "--below", "0.002"], columns=60)
    assert "word40" in written
    assert max(len(line) for line in written.splitlines()[2:]) < 100  # with colours


def test_json(run: Run) -> None:
    document = json.loads(run("review", "out.conllu", "--json", "--limit", "1").out)
    entry = document.pop("worklist")[0]
    assert document == {
        "path": "out.conllu",
        "key": "ArcProb",
        "below": 0.6,
        "by": "word",
        "sentences": 2,
        "words": 8,
        "judged": 7,
        "doubtful_words": 3,
        "doubtful_sentences": 2,
        "left_out": 2,
    }
    assert entry == {
        "line": 6,
        "word": 5,
        "form": "anchovies",
        "upos": "NOUN",
        "head": 2,
        "head_form": "ate",
        "label": "obl",
        "prob": 0.412,
        "sentence": 1,
        "sent_id": "one",
        "sentence_line": 1,
        "text": None,
        "forms": ["They", "ate", "pizza", "with", "anchovies", "."],
        "doubtful": [4, 5],
    }
    by_sentence = run("review", "out.conllu", "--json", "--by", "sentence")
    first = json.loads(by_sentence.out)["worklist"][0]
    assert [(word["word"], word["prob"]) for word in first["words"]] == [(4, 0.597), (5, 0.412)]
    assert run("review", "out.conllu", "--json", "--by", "sentence", "-o", "list.json").out == ""
    assert json.loads(Path("list.json").read_text(encoding="utf-8")) == json.loads(by_sentence.out)


@pytest.mark.parametrize("by", ["word", "sentence"])
def test_a_page(run: Run, by: str) -> None:
    ended = run("review", "out.conllu", "--by", by, "-o", "list.html")
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    text = Path("list.html").read_text(encoding="utf-8")
    seen = Page(text)
    assert "3 of 7 words (42.86%), in 2 of 2 sentences, have ArcProb below 0.6." in seen.text
    assert text.count("<svg") == 2  # each sentence once
    assert {"#s1", "#s2"} <= set(seen.links)
    assert seen.links.count("#s1") == 2
    assert '<g class="arc doubtful" data-word="5" data-head="2">' in text
    assert ">obl 0.41</text>" in text
    assert text.count('<g class="arc doubtful"') == 3
    assert "<b>" not in text
    assert "<script" not in text
    assert run("review", "out.conllu", "--by", by, "--html").out == text


def test_an_empty_page(run: Run) -> None:
    text = run("review", "out.conllu", "--below", "0", "--html").out
    assert "0 of 7 words (0.00%)" in Page(text).text
    assert "<svg" not in text


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        (["none.conllu"], 1, "none.conllu: there is no such file"),
        (["plain.conllu"], 1, "plain.conllu: no word has ArcProb in MISC: write it with `dynarc parse --confidence`"),
        (["bad.conllu"], 1, "bad.conllu:6: 'ArcProb=1.412' in MISC is no probability from 0 to 1"),
        (["out.conllu", "--below", "1.5"], 2, "--below"),
        (["out.conllu", "--below", "nan"], 2, "--below"),
        (["out.conllu", "--by", "label"], 2, "'label' is not one of"),
        (["out.conllu", "--limit", "-1"], 2, "--limit"),
        (["out.conllu", "--html", "--json"], 2, "--json does not go with --html"),
        (["out.conllu", "-o", "x.html", "--draw"], 2, "--draw does not go with --html"),
        (["out.conllu", "--json", "--draw"], 2, "--draw does not go with --json"),
        (["out.conllu", "-o", "out.conllu"], 1, "is also what is read, and would be lost"),
        (["out.conllu", "-o", "no/such.html"], 1, "there is no folder 'no'"),
    ],
)
def test_mistakes(run: Run, args: list[str], status: int, says: str) -> None:
    Path("plain.conllu").write_text(PARSED.replace("Prob=", "Proof="), encoding="utf-8")
    Path("bad.conllu").write_text(PARSED.replace("0.412", "1.412"), encoding="utf-8")
    ended = run("review", *args)
    assert ended.status == status
    assert ended.out == ""
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_the_how_to_shows_what_comes(run: Run) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/how-to/confidence.md").read_text(encoding="utf-8")
    (parsed,) = re.findall(r"```conllu\n(.*?)```", text, re.DOTALL)
    Path("parsed.conllu").write_text(parsed, encoding="utf-8")
    blocks = re.findall(r"```console\n\$ dynarc (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 1
    for command, shown in blocks:
        assert run(*command.split()).out.rstrip() == shown.rstrip()


def test_no_escape_reaches_the_terminal(plain: None) -> None:
    Path("out.conllu").write_text(PARSED.replace("anchovies", "\x1b]0;owned\x07"), encoding="utf-8")
    written = on_terminal(["review", "out.conllu"])
    assert "␛]0;owned␇" in written
    assert "\x1b]" not in written
