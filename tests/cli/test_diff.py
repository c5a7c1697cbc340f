"""dynarc diff."""

import json
from pathlib import Path

import pytest

from .conftest import Run
from .pages import Page

A = """\
# sent_id = one
1	She	_	PRON	_	_	2	nsubj	_	_
2	likes	_	VERB	_	_	0	root	_	_
3	cups	_	NOUN	_	_	2	obj	_	_
4	of	_	ADP	_	_	5	case	_	_
5	tea	_	NOUN	_	_	3	nmod	_	_

# sent_id = two
1	Go	_	VERB	_	_	0	root	_	_

"""
B = A.replace("3\tnmod", "2\tobl").replace("PRON", "NOUN").replace("id = two", "id = two\n# note = new")
GOLD = A.replace("PRON", "PROPN")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("a", A), ("b", B), ("gold", GOLD)):
        Path(f"{name}.conllu").write_text(text, encoding="utf-8")


def test_summary_and_sentences(run: Run) -> None:
    ended = run("diff", "a.conllu", "b.conllu")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == (
        "A a.conllu  B b.conllu\n"
        "2 sentences, 6 words compared, matched by position; columns FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, "
        "DEPS, MISC, comments\n"
        "\n"
        "  sentences that differ  2  100.00%\n"
        "  words that differ      2   33.33%\n"
        "\n"
        "  column    cells  sentences\n"
        "  UPOS          1          1\n"
        "  HEAD          1          1\n"
        "  DEPREL        1          1\n"
        "  comments      1          1\n"
        "\n"
        "sentences that differ\n"
        "\n"
        "  a.conllu:1 one\n"
        "  She likes cups of tea\n"
        '    word 1 "She": UPOS PRON -> NOUN\n'
        '    word 5 "tea": HEAD 3 cups -> 2 likes, DEPREL nmod -> obl\n'
        "\n"
        "  a.conllu:8 two\n"
        "  Go\n"
        "    comments: only in B: # note = new\n"
        "\n"
    )
    assert "word 5" in run("diff", "-", "b.conllu", stdin=A).out


def test_columns_and_number(run: Run) -> None:
    out = run("diff", "a.conllu", "b.conllu", "--columns", "UPOS, head").out
    assert "columns UPOS, HEAD\n" in out
    assert "DEPREL" not in out
    assert "comments" not in out
    out = run("diff", "a.conllu", "b.conllu", "--first", "1").out
    assert "sentences that differ, the first 1 of 2\n" in out
    assert "# note" not in out
    assert "word" not in run("diff", "a.conllu", "b.conllu", "--first", "0").out.split("column")[-1]


def test_gold(run: Run) -> None:
    out = run("diff", "a.conllu", "b.conllu", "--gold", "gold.conllu").out
    assert out.startswith("A a.conllu  B b.conllu  gold gold.conllu\n")
    assert (
        "  which is right  only A right  only B right  neither\n"
        "  arc                        1             0        0\n"
        "  UPOS                       0             0        1\n"
        "  HEAD                       1             0        0\n"
        "  DEPREL                     1             0        0\n"
        "\n"
        "  arcs, by gold label  only A right  only B right  neither\n"
        "  nmod                            1             0        0\n"
    ) in out
    assert '"She": UPOS PRON -> NOUN  (neither right)\n' in out
    assert "DEPREL nmod -> obl  (A right)\n" in out
    assert "DEPREL obl -> nmod  (B right)\n" in run("diff", "b.conllu", "a.conllu", "--gold", "gold.conllu").out
    half = GOLD.split("\n\n", maxsplit=1)[0] + "\n\n"
    assert "1 sentence not judged: gold does" in run("diff", "a.conllu", "b.conllu", "--gold", "-", stdin=half).out


def test_many_labels_are_added_up(run: Run) -> None:
    texts = []
    for label in ("x", "y"):
        words = [f"{i}\tw\t_\t_\t_\t_\t{i - 1}\tl{i}{label if i > 1 else ''}\t_\t_\n" for i in range(1, 31)]
        texts.append("".join(words) + "\n")
    Path("many.conllu").write_text(texts[0], encoding="utf-8")
    out = run("diff", "many.conllu", "-", "--gold", "many.conllu", stdin=texts[1]).out
    assert "  9 other labels                  9             0        0\n" in out
    Page(run("diff", "many.conllu", "-", "--gold", "many.conllu", "-o", "-", stdin=texts[1]).out)


def test_drawings(run: Run) -> None:
    out = run("diff", "a.conllu", "b.conllu", "--draw", "--first", "1").out
    assert "\n  A\n" in out
    assert "\n  B\n" in out
    assert "nmod" in out
    assert "✗" not in out  # neither is wrong
    assert "✗obl" in run("diff", "a.conllu", "b.conllu", "--draw", "--gold", "gold.conllu").out


def test_nothing_differs(run: Run) -> None:
    for options in ([], ["--strict"]):
        ended = run("diff", "a.conllu", "a.conllu", *options)
        assert (ended.status, ended.lines[-1]) == (0, "Nothing differs.")


@pytest.mark.parametrize("form", [[], ["--json"], ["-o", "x.html"]])
def test_strict(run: Run, form: list[str]) -> None:
    assert run("diff", "a.conllu", "b.conllu", *form).status == 0
    ended = run("diff", "a.conllu", "b.conllu", "--strict", *form)
    assert (ended.status, ended.err) == (1, "")
    assert Path("x.html").exists() == ("-o" in form)


def test_sentences_that_do_not_match(run: Run) -> None:
    one, two = (block + "\n\n" for block in A.strip().split("\n\n"))
    other = "# sent_id = three\n1\tStop\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    one = one.replace("5\tcase", "3\tcase")
    shorter = one.replace("5\ttea\t_\tNOUN\t_\t_\t3\tnmod\t_\t_\n", "")
    Path("a.conllu").write_text(one + two, encoding="utf-8")
    Path("b.conllu").write_text(other + shorter, encoding="utf-8")
    ended = run("diff", "a.conllu", "b.conllu", "--strict")
    assert (ended.status, ended.err) == (1, "")
    assert "0 sentences, 0 words compared, matched by sent_id" in ended.out
    assert "  only in A              1\n  only in B              1\n  with other words       1\n" in ended.out
    assert "only in A, 1\n  a.conllu:8 two  Go\n" in ended.out
    assert "only in B, 1\n  b.conllu:1 three  Stop\n" in ended.out
    assert (
        "with other words, 1\n  a.conllu:1 one  She likes cups of tea\n  b.conllu:4 one  She likes cups of\n"
        in ended.out
    )
    page = Page(run("diff", "a.conllu", "b.conllu", "-o", "-").out)
    assert "Sentences only in A" in page.text
    document = json.loads(run("diff", "a.conllu", "b.conllu", "--json").out)
    assert document["only_second"] == [{"sentence": 1, "sent_id": "three", "line": 1}]
    assert document["other_words"][0]["second"]["sentence"] == 2


def test_json(run: Run) -> None:
    document = json.loads(run("diff", "a.conllu", "b.conllu", "--gold", "gold.conllu", "--json").out)
    assert (document["sentences_changed"], document["words_changed"], document["matched_by"]) == (2, 2, "position")
    assert document["cells"]["head"] == document["sentences_by_column"]["upos"] == 1
    assert document["verdicts"]["arc"] == {"only_first": 1, "only_second": 0, "neither": 0}
    assert document["labels"] == {"nmod": {"only_first": 1, "only_second": 0, "neither": 0}}
    assert document["changes"][0]["first"] == {"sentence": 1, "sent_id": "one", "line": 1}
    assert document["changes"][0]["changes"][1] == {
        "id": "5",
        "form": "tea",
        "column": "head",
        "first": "3",
        "second": "2",
    }


def test_page(run: Run) -> None:
    ended = run("diff", "a.conllu", "b.conllu", "-o", "d.html")
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    page = Page(Path("d.html").read_text(encoding="utf-8"))
    assert page.tags.count("svg") == 4
    assert 'word 5 "tea" : HEAD 3 cups -> 2 likes, DEPREL nmod -> obl' in page.text
    assert "B; dashed green where A has it otherwise" in page.text
    judged = Page(run("diff", "a.conllu", "b.conllu", "--gold", "gold.conllu", "-o", "-", "--first", "1").out)
    assert judged.tags.count("svg") == 2
    assert "(A right)" in judged.text
    assert "(neither right)" in judged.text
    assert "Shown: the first 1 of 2 sentences that differ." in judged.text


def test_nothing_is_unescaped(run: Run) -> None:
    evil = {"tea": "<script>x</script>", "one": "<i>&amp;", "nmod": "<b>\"'"}
    for name in ("a", "b", "gold"):
        text = Path(f"{name}.conllu").read_text(encoding="utf-8")
        for old, new in evil.items():
            text = text.replace(old, new)
        Path(f"<s>{name}.conllu").write_text(text.replace("= new", "= <u>"), encoding="utf-8")
    page = Page(run("diff", "<s>a.conllu", "<s>b.conllu", "--gold", "<s>gold.conllu", "-o", "-").out)
    assert not {"script", "i", "u", "s"} & set(page.tags)
    assert page.tags.count("b") == 3  # ours
    for text in ("<script>x</script>", "<i>&amp;", "<b>\"'", "# note = <u>", "<s>a.conllu"):
        assert text in page.text
    Path("a.conllu").write_text(A.replace("tea", "\x1b[31mx"), encoding="utf-8")
    out = run("diff", "a.conllu", "b.conllu").out
    assert "\x1b" not in out
    assert "FORM ␛[31mx -> tea" in out


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        ("- -", 2, "standard input (-) can be read only once"),
        ("- a.conllu --gold -", 2, "standard input (-) can be read only once"),
        ("a.conllu missing.conllu", 1, "missing.conllu: there is no such file"),
        ("a.conllu b.conllu --columns head,tag", 2, "there is no column 'tag': columns must be one of form, lemma"),
        ("a.conllu b.conllu --json -o x.html", 2, "--json does not go with --output"),
        ("a.conllu b.conllu --draw -o x.html", 2, "--draw does not go with --output"),
        ("a.conllu b.conllu -o no/such.html", 1, "there is no folder"),
    ],
)
def test_mistakes(run: Run, args: str, status: int, says: str) -> None:
    ended = run("diff", *args.split())
    assert (ended.status, ended.out, ended.err.count("\n")) == (status, "", 1)
    assert says in ended.err
