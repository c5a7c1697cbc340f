"""dynarc.confusion: kinds of errors worked out by hand; totals that are those of evaluate; the right words."""

import random
from collections import Counter
from pathlib import Path

import pytest
from tests.exact.outputs import first_sentences, other_columns, other_heads, random_heads

import dynarc
from dynarc.confusion import DISTANCE, KINDS, STRUCTURE, Confusions, Place, confusions, distance_of, structure_of
from dynarc.errors import ConfigError, EvaluationError
from dynarc.evaluation import PROTOCOLS, evaluate


def conllu(*sentences: str) -> bytes:
    """Sentences of words `FORM HEAD DEPREL [UPOS [XPOS]]` with semicolons between them."""
    out = []
    for sentence in sentences:
        for number, word in enumerate(sentence.split("; "), start=1):
            form, head, deprel, upos, xpos, *_ = [*word.split(" "), "_", "_"]
            out.append("\t".join([str(number), form, "_", upos, xpos, "_", head, deprel, "_", "_"]) + "\n")
        out.append("\n")
    return "".join(out).encode()


#      4
#    2   5
#   1 3   6
#        7 8
GOLD = (2, 4, 2, 0, 4, 5, 6, 6)


@pytest.mark.parametrize(
    ("word", "head", "structure", "distance"),
    [
        (1, None, "unattached", "unattached"),
        (4, None, "unattached", "unattached"),
        (1, 0, "to-root", "to-root"),
        (4, 5, "from-root", "from-root"),
        (2, 3, "reversed", "near"),
        (2, 1, "reversed", "other-side"),
        (5, 8, "reversed", "other-side"),  # two steps below
        (1, 3, "low", "far"),
        (7, 8, "low", "other-side"),
        (8, 7, "low", "near"),
        (2, 6, "lower", "far"),
        (5, 3, "lower", "far"),
        (7, 5, "high", "far"),
        (3, 4, "high", "other-side"),
        (8, 4, "higher", "far"),
        (7, 3, "elsewhere", "far"),
        (1, 6, "elsewhere", "far"),
    ],
)
def test_kinds(word: int, head: int | None, structure: str, distance: str) -> None:
    gold = GOLD[word - 1]
    assert structure_of(word, GOLD, head) == structure
    assert distance_of(word, gold, head) == distance
    tree = "; ".join(f"w {h} dep" for h in GOLD)
    words = tree.split("; ")
    words[word - 1] = f"w {'_' if head is None else head} dep"
    found = confusions(conllu(tree), conllu("; ".join(words)))
    filled = {kind: list(places) for kind, places in found.attachment.items() if places}
    assert filled == {kind: [Place(1, word)] for kind in (structure, distance)}
    assert found.cell(structure).meaning == KINDS[structure]


def test_every_kind_has_an_example() -> None:
    marks = [mark for mark in test_kinds.pytestmark if mark.name == "parametrize"]  # type: ignore[attr-defined]
    cases = marks[0].args[1]
    assert {case[2] for case in cases} == set(STRUCTURE)
    assert {case[3] for case in cases} == set(DISTANCE)


def test_gold_that_is_no_tree() -> None:
    """Cycles are gone round once; where heads are unknown, nothing is above."""
    assert structure_of(1, [2, 1, 0], 3) == "elsewhere"
    assert structure_of(3, [2, 1, 1], 2) == "low"
    assert structure_of(1, [2, None, 2], 3) == "low"
    assert structure_of(3, [None, None, 2], 1) == "elsewhere"
    assert structure_of(1, [2, 0], 1) == "reversed"  # its own head
    assert distance_of(1, 2, 1) == distance_of(3, 2, 3) == "near"


def test_cells_by_hand() -> None:
    gold = conllu(
        "They 2 nsubj PRON; ate 0 root VERB; pizza 2 obj NOUN; with 5 case ADP; anchovies 3 nmod NOUN",
        "Pizza 2 nsubj NOUN; went 0 root VERB; with 4 case ADP; them 2 obl PRON",
    )
    system = conllu(
        "They 2 nsubj PRON; ate 0 root VERB; pizza 2 obj NOUN; with 5 case ADP; anchovies 2 obl NOUN",
        "Pizza 2 obj NOUN; went 0 root VERB; with 1 case ADP; them 2 nmod PRON",
    )
    found = confusions(gold, system)
    assert {pair: (list(c.head_right), list(c.head_wrong)) for pair, c in found.labels.items()} == {
        ("nsubj", "nsubj"): ([(1, 1)], []),
        ("root", "root"): ([(1, 2), (2, 2)], []),
        ("obj", "obj"): ([(1, 3)], []),
        ("case", "case"): ([(1, 4)], [(2, 3)]),
        ("nmod", "obl"): ([], [(1, 5)]),
        ("nsubj", "obj"): ([(2, 1)], []),
        ("obl", "nmod"): ([(2, 4)], []),
    }
    assert (found.words, found.wrong_heads, found.wrong_labels, found.errors) == (9, 2, 3, 4)
    assert [c.name for c in found.confused] == ["nmod>obl", "nsubj>obj", "obl>nmod"]  # as many each: by name
    assert {tags: list(places) for tags, places in found.tags.items()} == {
        ("NOUN", "NOUN", "VERB"): [(1, 5)],
        ("ADP", "PRON", "NOUN"): [(2, 3)],
    }
    assert list(found.cell("high").words) == [(1, 5)]
    assert list(found.cell("elsewhere").words) == [(2, 3)]
    assert list(found.cell("nmod>obl").words) == [(1, 5)]
    assert list(found.cell("case>case").words) == [(2, 3)]  # rightly labelled: only a wrong head is an error
    assert list(found.cell("NOUN:NOUN>VERB").words) == [(1, 5)]
    assert found.gold_labels == {"nsubj": 2, "root": 2, "obj": 1, "case": 2, "nmod": 1, "obl": 1}


def test_words_are_in_order_and_grouped() -> None:
    gold = conllu("a 0 x; b 1 x; c 1 x", "d 0 y", "e 0 x; f 1 x")
    system = conllu("a 0 z; b 3 z; c 1 z", "d 0 y", "e 2 z; f 1 x")
    cell = confusions(gold, system).cell("x>z")
    assert list(cell.words) == [(1, 1), (1, 2), (1, 3), (3, 1)]
    assert list(cell.words.by_sentence()) == [(1, [1, 2, 3]), (3, [1])]
    assert cell.words[-1] == Place(3, 1)
    assert list(cell.words[1:3]) == [(1, 2), (1, 3)]
    assert cell.words == [(1, 1), (1, 2), (1, 3), (3, 1)]
    assert cell.words != cell.words[:1]


def test_names_of_cells() -> None:
    gold = conllu("a 0 nsubj:pass X; b 1 a>b X; c 1 obj X; d 1 high X")
    system = conllu("a 0 nsubj X; b 1 c X; c 1 a X; d 1 x X")
    found = confusions(gold, system)
    assert list(found.cell("nsubj:pass>nsubj").words) == [(1, 1)]
    assert list(found.cell("a>b>c").words) == [(1, 2)]  # labels may hold the sign
    assert list(found.cell("obj>a").words) == [(1, 3)]
    empty = found.cell("obj>nsubj")  # could be, but is not
    assert (len(empty.words), list(empty.words.by_sentence())) == (0, [])
    with pytest.raises(
        ConfigError, match="there is no cell 'obj>nmod'; the largest cells of labels are 'a>b>c', 'high>x'"
    ):
        found.cell("obj>nmod")
    with pytest.raises(
        ConfigError, match=r"unknown cell 'obj': give labels as 'nmod>obl', or a kind: .*unattached, to-root"
    ):
        found.cell("obj")


def test_filters() -> None:
    gold = conllu("The 2 det DET; cat 0 root NOUN; the 2 x DET; THE 2 y X")
    system = conllu("The 2 x DET; cat 1 dep NOUN; the 2 y X; THE 2 z DET")
    only = confusions(gold, system, upos="DET")
    assert {pair: c.count for pair, c in only.labels.items()} == {("det", "x"): 1, ("x", "y"): 1}
    assert confusions(gold, system, upos=["X", "NOUN"]).words == 2
    form = confusions(gold, system, form="the")
    assert [c.name for c in form.confused] == ["det>x", "x>y", "y>z"]
    assert confusions(gold, system, form="the", upos=["X"]).words == 1
    assert confusions(gold, system, form="dog").words == 0
    assert form.scores.words == 4  # of all


def test_the_words_must_be_the_same() -> None:
    gold, other = conllu("I 2 nsubj; am 0 root"), conllu("I'm 0 root")
    for protocol in ("full", "nopunct", "conll", "ptb"):
        with pytest.raises(EvaluationError) as raised:
            confusions(gold, other, protocol=protocol)
        with pytest.raises(EvaluationError) as expected:
            evaluate(gold, other, protocol)
        assert str(raised.value) == str(expected.value)
    gold, other = conllu("ab 2 x; c 0 root"), conllu("a 2 x; bc 0 root")
    evaluate(gold, other, "ud")  # which can align them
    with pytest.raises(EvaluationError, match="confusions need the same words, by protocol ud too"):
        confusions(gold, other, protocol="ud")
    with pytest.raises(EvaluationError, match="exactly one root"):
        confusions(conllu("a 0 root"), conllu("a 1 root"), protocol="ud")
    with pytest.raises(ConfigError, match="unknown protocol"):
        confusions(gold, gold, protocol="all")


def test_ud_cuts_subtypes() -> None:
    gold, system = conllu("a 2 nsubj:pass; b 0 root"), conllu("a 2 nsubj; b 0 root")
    assert confusions(gold, system).wrong_labels == 1
    found = confusions(gold, system, protocol="ud")
    assert (found.wrong_labels, found.labels["nsubj", "nsubj"].count) == (0, 1)


def check(found: Confusions) -> None:
    """The totals are those of evaluate, and each cell holds the words it says."""
    scores, words = found.scores, found.words
    assert words == scores.words
    correct = {name: scores.counts[name].correct for name in ("UAS", "LAS", "label accuracy")}
    assert correct == {
        "UAS": words - found.wrong_heads,
        "LAS": words - found.errors,
        "label accuracy": words - found.wrong_labels,
    }
    for partition in (STRUCTURE, DISTANCE):
        seen = Counter(place for kind in partition for place in found.attachment[kind])
        assert len(seen) == seen.total() == found.wrong_heads
    assert sum(map(len, found.tags.values())) == found.wrong_heads
    assert len(found.attachment["unattached"]) == scores.unattached
    totals: dict[str, Counter[str]] = {}
    label = scores.protocol.label
    for (right, other), cell in found.labels.items():
        own = totals.setdefault(right, Counter())
        own.update(gold=cell.count, heads=len(cell.head_right))
        own.update(labels=cell.count, correct=len(cell.head_right)) if right == other else None
        totals.setdefault(other, Counter()).update(system=cell.count)
        for places, same in ((cell.head_right, True), (cell.head_wrong, False)):
            for sentence, word in places:
                gold, system = found.gold[sentence - 1], found.system[sentence - 1]
                assert label(gold.deprels[word - 1] or "_") == right
                assert label(system.deprels[word - 1] or "_") == other
                assert (gold.heads[word - 1] == system.heads[word - 1]) is same
    per_label = {
        name: {key: getattr(s, key) for key in ("gold", "system", "heads", "labels", "correct")}
        for name, s in scores.per_label.items()
    }
    assert {name: {key: own[key] for key in per_label[name]} for name, own in totals.items()} == per_label


def random_document(rng: random.Random) -> tuple[bytes, bytes]:
    labels = ["nsubj", "nsubj:pass", "punct", "punct:x", "obj", "_", "p"]
    sides: list[list[str]] = [[], []]
    for _ in range(30):
        n = rng.randint(1, 12)
        forms = [rng.choice([".", "a", "...", "B", "$"]) for _ in range(n)]
        tags = [rng.choice(["NOUN _", "PUNCT .", "VERB ,", "X NN"]) for _ in range(n)]
        for side in sides:
            heads: list[object] = [*random_heads(n, rng)]
            heads = [rng.choice(["_", head, head, head, rng.randint(0, n)]) for head in heads]
            side.append(
                "; ".join(f"{f} {h} {rng.choice(labels)} {t}" for f, h, t in zip(forms, heads, tags, strict=True))
            )
    return conllu(*sides[0]), conllu(*sides[1])


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "ud"])
def test_totals_of_random_documents(protocol: str) -> None:
    rng = random.Random(5)
    for _ in range(20):
        gold, system = random_document(rng)
        found = confusions(gold, system, protocol=protocol)
        assert found.wrong_heads > 20
        check(found)


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("name", ["en_ewt", "fr_sequoia"])
def test_totals_of_treebanks(treebanks: Path, name: str, protocol: str) -> None:
    rng = random.Random(f"{name} {protocol}")
    text = first_sentences((treebanks / name / "dev.conllu").read_text(encoding="utf-8"), 300)
    system = other_columns(other_heads(text, rng), rng)
    found = confusions(text.encode(), system.encode(), protocol=protocol)
    assert found.wrong_heads > 500
    assert found.wrong_labels > 500
    check(found)


def test_a_treebank_may_be_given(tmp_path: Path) -> None:
    gold = conllu("a 0 root; b 1 x")
    path = tmp_path / "system.conllu"
    path.write_bytes(gold.replace(b"x", b"y"))
    found = confusions(dynarc.read_conllu(gold), path)
    assert [c.name for c in found.confused] == ["x>y"]
    assert found.scores.system == str(path)
