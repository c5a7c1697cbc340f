"""dynarc eval."""

import json
from pathlib import Path

import pytest

from dynarc.evaluation import PROTOCOLS

from .conftest import Run

GOLD = """\
# sent_id = one
1	She	_	PRON	PRP	_	3	nsubj:pass	_	_
2	was	_	AUX	VBD	_	3	aux:pass	_	_
3	seen	_	VERB	VBN	_	0	root	_	_
4	.	_	PUNCT	.	_	3	punct	_	_

# sent_id = two
1	Go	_	VERB	VB	_	0	root	_	_
2	!	_	PUNCT	.	_	1	punct	_	_

"""
# One label without its subtype, one mark attached elsewhere, one tag of its own.
FIRST = GOLD.replace("nsubj:pass", "nsubj").replace(".\t_\t3", ".\t_\t2").replace("Go\t_\tVERB", "Go\t_\tNOUN")
SECOND = FIRST.replace("\t0\troot\t_\t_\n2\t!", "\t0\tdep\t_\t_\n2\t!")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("gold", GOLD), ("a", FIRST), ("b", SECOND)):
        Path(f"{name}.conllu").write_text(text, encoding="utf-8")


def test_figures_with_their_protocol(run: Run) -> None:
    ended = run("eval", "gold.conllu", "a.conllu", "--draws", "0")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == (
        "full: all words, whole labels, any roots\n"
        "a.conllu against gold.conllu: 6 words scored, 2 sentences\n"
        "\n"
        "                              %  right  gold  system\n"
        "  UAS                     83.33      5     6       6\n"
        "  LAS                     66.67      4     6       6\n"
        "  CLAS                    66.67      2     3       3\n"
        "  label accuracy          83.33      5     6       6\n"
        "  exact match unlabelled  50.00      1     2       2\n"
        "  exact match             50.00      1     2       2\n"
        "\n"
        "  LEMMA, XPOS, FEATS as in the gold file; UPOS in 83.33 % of the words\n"
        "\n"
    )
    other = GOLD.replace("\t_\tPRON\tPRP\t_", "\tshe\tNOUN\tNN\tCase=Nom")
    out = run("eval", "gold.conllu", "-", stdin=other).out
    assert "\n  as in the gold file: LEMMA in 83.33 %, UPOS in 83.33 %, XPOS in 83.33 %, FEATS in 83.33 % of" in out


def test_intervals(run: Run) -> None:
    out = run("eval", "gold.conllu", "a.conllu", "--draws", "50", "--seed", "4").out
    assert "95 % interval" in out
    assert "bootstrap over sentences: 50 draws, seed 4" in out
    # Two sentences: every draw is one of them twice, or both.
    assert "UAS                     83.33  75.00 to 100.00      5     6       6" in out


def test_official_figures(run: Run) -> None:
    lines = run("eval", "gold.conllu", "a.conllu", "--protocol", "ud", "--draws", "0").lines
    assert lines[0] == "ud: all words, aligned by the text, labels without subtypes, one root per sentence needed"
    titles = [line.split()[0] for line in lines if line.startswith("  ") and line.split()]
    assert titles[1:16] == [
        "Tokens", "Sentences", "Words", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas",
        "UAS", "LAS", "CLAS", "MLAS", "BLEX", "ELAS", "EULAS",
    ]  # fmt: skip
    [las] = [line for line in lines if line.startswith("  LAS")]
    assert las.split() == ["LAS", "83.33", "83.33", "83.33", "83.33"]  # the subtype does not count


def test_several_systems(run: Run) -> None:
    out = run("eval", "gold.conllu", "a.conllu", "b.conllu", "--draws", "20").out
    [las] = [line for line in out.splitlines() if line.startswith("  LAS")]
    # 4 and 3 of 6: mean 58.33, deviation with n - 1.
    assert las.split()[:3] == ["LAS", "58.33", "11.79"]
    assert las.split()[-2:] == ["66.67", "50.00"]
    assert "\n  1  a.conllu\n  2  b.conllu\n" in out
    assert "bootstrap over sentences and systems: 20 draws" in out


def test_comparison(run: Run) -> None:
    out = run("eval", "gold.conllu", "a.conllu", "--vs", "b.conllu", "--draws", "100").out
    [las] = [line for line in out.splitlines() if line.startswith("  LAS")]
    assert las.split()[:4] == ["LAS", "66.67", "50.00", "+16.67"]
    [uas] = [line for line in out.splitlines() if line.startswith("  UAS")]
    assert uas.split() == ["UAS", "83.33", "83.33", "+0.00", "+0.00", "to", "+0.00", "1.0000"]
    assert "bootstrap over sentences: 100 draws, seed 1; paired, p two-sided" in out
    same = run("eval", "gold.conllu", "a.conllu", "--vs", "b.conllu", "--draws", "100")
    assert same.out == out
    both = run("eval", "gold.conllu", "a.conllu", "b.conllu", "--vs", "b.conllu", "--vs", "gold.conllu", "--draws", "9")
    assert "bootstrap over sentences and systems (2 and 2): 9 draws" in both.out
    assert "  second 2  gold.conllu  LAS 100.00\n" in both.out
    better = run("eval", "gold.conllu", "gold.conllu", "--vs", "b.conllu", "--draws", "1000").out
    [las] = [line for line in better.splitlines() if line.startswith("  LAS")]
    assert las.endswith("< 0.0020")


def test_all_protocols(run: Run) -> None:
    ended = run("eval", "gold.conllu", "a.conllu", "--protocol", "all")
    assert ended.status == 0
    rows = [line.split() for line in ended.lines if line.startswith("  ")]
    las = {row[0]: row[2] for row in rows if len(row) == 8 and row[0] in PROTOCOLS}
    assert las == {"ud": "83.33", "full": "66.67", "nopunct": "75.00", "conll": "75.00", "ptb": "75.00"}
    assert "  nopunct  words whose gold label is not punct or p, whole labels, any roots\n" in ended.out
    assert "  ptb: tags are those of the gold XPOS\n" in ended.out


def test_a_protocol_that_refuses_among_all(run: Run) -> None:
    two_roots = FIRST.replace("2\t!\t_\tPUNCT\t.\t_\t1", "2\t!\t_\tPUNCT\t.\t_\t0")
    args = ("eval", "gold.conllu", "-", "--protocol", "all")
    ended = run(*args, stdin=two_roots)
    assert ended.status == 0
    assert "  ud not scored: <stdin>:7: sentence 2 (two): 2 words have head 0, but protocol ud" in ended.out
    assert "  full  " in ended.out
    assert "\nud: <stdin>:7: sentence 2 (two)" in run(*args, "--by", "length", stdin=two_roots).out
    document = json.loads(run(*args, "--json", stdin=two_roots).out)
    assert [p["protocol"]["name"] for p in document["protocols"]] == ["full", "nopunct", "conll", "ptb"]
    assert document["refused"]["ud"].startswith("<stdin>:7: sentence 2 (two): 2 words have head 0")


def test_breakdowns(run: Run) -> None:
    out = run("eval", "gold.conllu", "a.conllu", "--details").out
    for title in ("by label", "by length of the gold arc", "by words in the sentence"):
        assert f"{title} (protocol full: all words, whole labels, any roots)" in out
    rows = [line.split() for line in out.splitlines()]
    assert ["punct", "2", "2", "50.00", "50.00", "50.00", "50.00", "100.00"] in rows
    assert ["nsubj:pass", "1", "0", "0.00", "0.00", "0.00", "100.00", "0.00"] in rows
    assert ["nsubj", "0", "1", "0.00", "0.00", "0.00", "-", "-"] in rows
    assert ["1", "3", "66.67", "66.67"] in rows
    assert ["1-10", "2", "6", "83.33", "66.67", "50.00"] in rows
    only = run("eval", "gold.conllu", "a.conllu", "b.conllu", "--by", "distance").out
    assert "by length of the gold arc (a.conllu, protocol full" in only
    assert "by length of the gold arc (b.conllu, protocol full" in only
    assert "by label" not in only


def test_json(run: Run) -> None:
    args = ("eval", "gold.conllu", "a.conllu", "b.conllu", "--vs", "gold.conllu", "--draws", "30", "--json")
    document = json.loads(run(*args).out)
    assert (document["gold"], document["refused"]) == ("gold.conllu", {})
    [full] = document["protocols"]
    assert full["protocol"]["labels"] == "whole labels"
    first = full["systems"][0]
    assert (first["path"], first["words"], first["sentences"]) == ("a.conllu", 6, 2)
    assert first["metrics"]["LAS"] == {
        "f1": 100 * (4 / 6),
        "precision": 100 * (4 / 6),
        "recall": 100 * (4 / 6),
        "aligned_accuracy": 100 * (4 / 6),
        "correct": 4,
        "gold": 6,
        "system": 6,
        "aligned": 6,
    }
    assert full["systems_mean"]["LAS"]["mean"] == pytest.approx(100 * 7 / 12)
    assert full["bootstrap"] == {"draws": 30, "seed": 1, "level": 95.0}
    assert full["over"] == "sentences and systems"
    assert full["differences"]["LAS"]["difference"] == pytest.approx(-100 * 5 / 12)
    assert set(full["differences"]["LAS"]) == {
        "first", "second", "difference", "interval", "first_interval", "second_interval", "p", "flips",
    }  # fmt: skip
    assert [b["words"] for b in first["distances"]] == [2, 3, 1, 0, 0]
    assert first["labels"][0]["label"] == "punct"


def test_unreadable_deps_in_one_of_several(run: Run) -> None:
    odd = FIRST.replace("root\t_\t_", "root\tx\t_")
    ended = run("eval", "gold.conllu", "a.conllu", "-", "-p", "ud", "--draws", "5", stdin=odd)
    assert ended.status == 0
    assert "no ELAS and EULAS: DEPS of <stdin>:4 is no list of enhanced dependencies" in ended.out
    assert "\n  BLEX " in ended.out
    assert "\n  ELAS " not in ended.out


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        ("eval", 2, "Missing argument 'GOLD'"),
        ("eval gold.conllu", 2, "Missing argument 'SYSTEM'"),
        ("eval gold.conllu a.conllu --protocol conll18", 2, "'conll18' is not one of 'ud', 'full'"),
        ("eval gold.conllu a.conllu --by word", 2, "'word' is not one of 'label', 'distance', 'length'"),
        ("eval gold.conllu a.conllu --draws -1", 2, "--draws"),
        ("eval gold.conllu a.conllu --vs b.conllu --draws 0", 2, "--vs needs --draws 1 or more"),
        ("eval - a.conllu --vs -", 2, "standard input (-) can be read only once"),
        ("eval gold.conllu missing.conllu", 1, "missing.conllu: there is no such file"),
        ("eval gold.conllu -", 1, "<stdin>: there is no sentence to score"),
        ("eval gold.conllu - --protocol all", 1, "<stdin>: there is no sentence to score"),
    ],
)
def test_errors(run: Run, args: str, status: int, says: str) -> None:
    ended = run(*args.split())
    assert (ended.status, ended.out) == (status, "")
    assert ended.err.startswith("dynarc: error: ")
    assert says in ended.err
    assert ended.err.count("\n") == 1


def test_other_words_are_refused(run: Run) -> None:
    ended = run("eval", "gold.conllu", "-", stdin=FIRST.replace("seen", "SEEN"))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (
        "dynarc: error: <stdin>:4: sentence 1 (one): word 3 is 'SEEN', but 'seen' at gold.conllu:4; "
        "to score text that was cut into other words or sentences, use protocol ud\n"
    )
