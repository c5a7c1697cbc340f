"""dynarc.difference: what differs, how sentences are matched, and which side is right, worked out by hand."""

import random
from pathlib import Path

import pytest
from tests.exact.outputs import first_sentences, other_columns, other_heads

import dynarc
from dynarc.difference import COLUMNS, Change, Verdict, difference
from dynarc.errors import ConfigError

A = """\
# sent_id = one
# text = Don't go
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VB	_	3	aux	_	_
2	n't	not	PART	RB	_	3	advmod	_	_
3	go	go	VERB	VB	Mood=Imp	0	root	_	_

# sent_id = two
1	Tea	tea	NOUN	NN	_	2	nsubj	_	_
2	helps	help	VERB	VBZ	_	0	root	_	SpaceAfter=No
2.1	us	_	_	_	_	_	_	_	_
3	.	.	PUNCT	.	_	2	punct	_	_

"""


def changed(*replacements: tuple[str, str], text: str = A) -> bytes:
    for old, new in replacements:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text.encode()


def test_nothing_differs() -> None:
    found = difference(A.encode(), A.encode())
    assert found.same
    assert (found.sentences, found.words, found.words_changed, found.matched) == (2, 6, 0, "position")
    assert (found.changed, found.other_words, list(found.only_first), list(found.only_second)) == ([], [], [], [])
    assert not found.cells


CELLS = [
    ("form", "1\tTea", "1\tCoffee", Change("1", "Tea", "form", "Tea", "Coffee")),
    ("lemma", "\ttea\t", "\tTea\t", Change("1", "Tea", "lemma", "tea", "Tea")),
    ("upos", "tea\tNOUN", "tea\tPROPN", Change("1", "Tea", "upos", "NOUN", "PROPN")),
    ("xpos", "VBZ", "VBP", Change("2", "helps", "xpos", "VBZ", "VBP")),
    ("feats", "Mood=Imp", "_", Change("3", "go", "feats", "Mood=Imp", "_")),
    ("head", "2\tpunct", "1\tpunct", Change("3", ".", "head", "2", "1")),
    ("deprel", "nsubj", "obj", Change("1", "Tea", "deprel", "nsubj", "obj")),
    ("deps", "nsubj\t_", "nsubj\t2:nsubj", Change("1", "Tea", "deps", "_", "2:nsubj")),
    ("misc", "SpaceAfter=No", "_", Change("2", "helps", "misc", "SpaceAfter=No", "_")),
    ("comments", "# text = Don't go", "# text = Do not go",
     Change("#", "text", "comments", "# text = Don't go", "# text = Do not go")),
]  # fmt: skip


@pytest.mark.parametrize(("column", "old", "new", "change"), CELLS, ids=[cell[0] for cell in CELLS])
def test_one_cell(column: str, old: str, new: str, change: Change) -> None:
    other = changed((old, new))
    found = difference(A.encode(), other)
    number = 0 if change.id == "#" or change.form == "go" else 1
    assert found.changed == [(number, number)]
    assert found.changes((number, number)) == [change]
    assert (dict(found.cells), dict(found.by_column)) == ({column: 1}, {column: 1})
    assert found.words_changed == (column != "comments")
    assert not found.same
    assert difference(A.encode(), other, columns=[name for name in COLUMNS if name != column]).same
    assert difference(A.encode(), other, columns=[column]).changes((number, number)) == [change]


def test_several_cells_of_one_word_are_one_word() -> None:
    found = difference(A.encode(), changed(("2\tnsubj", "3\tobj"), ("2\tpunct", "1\tpunct"), ("3\taux", "2\taux")))
    assert dict(found.cells) == {"head": 3, "deprel": 1}
    assert dict(found.by_column) == {"head": 2, "deprel": 1}
    assert found.words_changed == 3
    assert found.changed == [(0, 0), (1, 1)]


def test_lines_that_are_no_words() -> None:
    without = changed(("1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n", ""), ("2.1\tus", "2.1\tyou"))
    found = difference(A.encode(), without)
    assert found.changes((0, 0)) == [Change("1-2", "Don't", "line", "Don't", None)]
    assert found.changes((1, 1)) == [Change("2.1", "us", "form", "us", "you")]
    assert (found.lines, found.words_changed, dict(found.cells)) == (1, 0, {"form": 1})
    back = difference(without, A.encode())
    assert back.changes((0, 0)) == [Change("1-2", "Don't", "line", None, "Don't")]


def test_comments() -> None:
    other = changed(("# sent_id = two", "# newpar\n# sent_id = two\n# note = x"), ("# text = Don't go\n", ""))
    found = difference(A.encode(), other)
    assert found.changes((0, 0)) == [Change("#", "text", "comments", "# text = Don't go", None)]
    assert found.changes((1, 1)) == [
        Change("#", "", "comments", None, "# newpar"),
        Change("#", "note", "comments", None, "# note = x"),
    ]
    assert found.cells["comments"] == 3
    swapped = changed(("# sent_id = one\n# text = Don't go", "# text = Don't go\n# sent_id = one"))
    assert difference(A.encode(), swapped).same  # in another order


ONE, TWO = (block + "\n\n" for block in A.strip().split("\n\n"))
THREE = "# sent_id = three\n1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n\n"


def test_sentences_in_another_order_are_matched_by_sent_id() -> None:
    found = difference((ONE + TWO + THREE).encode(), (THREE + ONE.replace("advmod", "neg")).encode())
    assert found.matched == "sent_id"
    assert found.changed == [(0, 1)]
    assert (list(found.only_first), list(found.only_second)) == ([1], [])
    assert (found.sentences, found.words) == (2, 4)
    assert difference((ONE + TWO).encode(), (TWO + ONE).encode()).same


def test_without_sent_ids_position_is_all_there_is() -> None:
    nameless = [block.replace("# sent_id = ", "# name = ") for block in (ONE, TWO, THREE)]
    found = difference("".join(nameless).encode(), (nameless[0] + nameless[2]).encode())
    assert found.matched == "position"
    assert found.other_words == [(1, 1)]
    assert (list(found.only_first), list(found.only_second)) == ([2], [])
    assert not found.same
    twice = difference((ONE + TWO + ONE).encode(), (ONE + TWO).encode())  # one name for two sentences
    assert (twice.matched, list(twice.only_first)) == ("position", [2])


def test_other_words() -> None:
    longer = changed(
        (
            "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n",
            "3\t.\t.\t_\t_\t_\t2\tpunct\t_\t_\n4\t!\t!\t_\t_\t_\t2\tpunct\t_\t_\n",
        )
    )
    found = difference(A.encode(), longer)
    assert (found.matched, found.other_words, found.sentences) == ("sent_id", [(1, 1)], 1)
    assert (found.changed, found.same) == ([], False)


def test_empty_files() -> None:
    assert difference(b"", b"").same
    assert list(difference(A.encode(), b"").only_first) == [0, 1]


def test_gold() -> None:
    """Gold is A with one other tag. Arcs are right if head and label are."""
    gold = changed(("do\tAUX", "do\tVERB"))
    a = changed(("2\tpunct", "1\tpunct"), ("2\tnsubj", "3\tnsubj"))
    b = changed(("2\tnsubj", "2\tobj"), ("do\tAUX", "do\tX"), ("3\taux", "2\taux"))
    found = difference(a, b, gold=gold)
    assert found.judged == 2
    # HEAD: "." B right; "Tea" 3 -> 2 B right; "Do" 3 -> 2 A right. DEPREL: nsubj -> obj, A right. UPOS: neither.
    assert found.verdicts == {
        "head": Verdict(1, 2, 0),
        "deprel": Verdict(1, 0, 0),
        "upos": Verdict(0, 0, 1),
        "arc": Verdict(1, 1, 1),
    }
    assert found.labels == {"punct": Verdict(0, 1, 0), "nsubj": Verdict(0, 0, 1), "aux": Verdict(1, 0, 0)}
    heads = difference(a, b, gold=gold, columns=["head"])
    assert heads.verdicts == {"head": Verdict(1, 2, 0), "arc": Verdict(1, 2, 0)}
    assert found.verdicts["arc"].all == 3
    sentence = found.gold_sentence(1)
    assert sentence is not None
    assert sentence.sent_id == "two"


def test_gold_that_does_not_know() -> None:
    gold = changed(("2\tnsubj", "_\tnsubj"))
    found = difference(A.encode(), changed(("2\tnsubj", "3\tnsubj")), gold=gold)
    assert (found.verdicts, found.labels, found.judged) == ({}, {}, 2)


def test_gold_with_other_sentences() -> None:
    found = difference(A.encode(), changed(("nsubj", "obj"), ("advmod", "neg")), gold=(THREE + TWO).encode())
    assert found.judged == 1
    assert found.verdicts == {"deprel": Verdict(1, 0, 0), "arc": Verdict(1, 0, 0)}
    assert found.gold_sentence(0) is None


def test_unknown_columns() -> None:
    with pytest.raises(ConfigError, match="there is no column 'tag': columns must be one of form, lemma"):
        difference(A.encode(), A.encode(), columns=["head", "tag"])
    with pytest.raises(ConfigError, match="no column"):
        difference(A.encode(), A.encode(), columns=[])


def test_treebanks(treebanks: Path) -> None:
    """Against the rule in plain Python, and mirrored if the sides are exchanged."""
    rng = random.Random(3)
    text = first_sentences((treebanks / "en_ewt" / "dev.conllu").read_text(encoding="utf-8"), 300)
    a, b = (dynarc.read_conllu(other_columns(other_heads(text, rng), rng).encode()) for _ in range(2))
    found = difference(a, b, gold=text.encode())
    cells = dict.fromkeys(COLUMNS[:-1], 0)
    words, verdicts = 0, [0, 0, 0]
    for x, y, g in zip(a, b, dynarc.read_conllu(text.encode()), strict=True):
        rows = [[token for token in side.tokens if token.is_word] for side in (x, y, g)]
        for s, t, right in zip(*rows, strict=True):
            words += s != t
            for column in cells:
                cells[column] += getattr(s, column) != getattr(t, column)
            arcs = [(token.head, token.deprel) for token in (s, t, right)]
            if arcs[0] != arcs[1]:
                verdicts[0 if arcs[0] == arcs[2] else 1 if arcs[1] == arcs[2] else 2] += 1
    assert words > 1000
    assert found.words_changed == words
    assert {column: found.cells[column] for column in cells} == cells
    assert found.verdicts["arc"] == Verdict(*verdicts)
    assert min(verdicts) > 100
    mirrored = difference(b, a, gold=text.encode())
    assert mirrored.cells == found.cells
    assert mirrored.verdicts["arc"] == Verdict(verdicts[1], verdicts[0], verdicts[2])
    assert sum(v.all for v in found.labels.values()) == found.verdicts["arc"].all
