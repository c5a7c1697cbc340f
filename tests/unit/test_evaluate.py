"""dynarc.evaluate: the protocols of FEATURES 10, and what is counted under them, worked out by hand."""

import doctest
import importlib
import pickle
import random
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from tests.exact.outputs import first_sentences, other_columns, other_heads

import dynarc
from dynarc import _core
from dynarc.errors import ConfigError, ConlluError, EvaluationError
from dynarc.evaluation import PROTOCOLS, Scores, evaluate
from dynarc.evaluation.scores import ALL_METRICS, TREE_METRICS
from dynarc.evaluation.sources import Named

SAME_WORDS = [name for name in PROTOCOLS if name != "ud"]


def conllu(*sentences: str) -> bytes:
    """Sentences of words `FORM HEAD DEPREL [XPOS [UPOS]]` with semicolons between them."""
    out = []
    for sentence in sentences:
        for number, word in enumerate(sentence.split("; "), start=1):
            form, head, deprel, xpos, upos, *_ = [*word.split(" "), "_", "_"]
            out.append("\t".join([str(number), form, "_", upos, xpos, "_", head, deprel, "_", "_"]) + "\n")
        out.append("\n")
    return "".join(out).encode()


def counts(scores: Scores, *metrics: str) -> list[tuple[int, int, int]]:
    return [(c.correct, c.gold, c.system) for c in (scores.counts[metric] for metric in metrics)]


def test_full_and_ud_differ_by_subtypes() -> None:
    """FEATURES 10: `full` compares whole labels, `ud` cuts them at the colon."""
    gold = conllu("She 3 nsubj:pass; was 3 aux:pass; seen 0 root")
    system = conllu("She 3 nsubj; was 3 aux:pass; seen 0 root")
    full, ud = evaluate(gold, system), evaluate(gold, system, "ud")
    assert (full.protocol.name, ud.protocol.name) == ("full", "ud")
    assert (full.uas, ud.uas) == (100, 100)
    assert (full.las, ud.las) == (100 * (2 / 3), 100)
    # CLAS: nsubj and root are content words by their base label, aux is not.
    assert counts(full, "CLAS") == [(1, 2, 2)]
    assert counts(ud, "CLAS") == [(2, 2, 2)]
    assert full.exact_match_unlabelled == 100
    assert (full.exact_match, ud.exact_match) == (0, 100)
    assert list(full.per_label) == ["aux:pass", "root", "nsubj:pass", "nsubj"]
    assert list(ud.per_label) == ["aux", "nsubj", "root"]


# Every word is scored by some protocols and not by others.
MARKS = "-- 5 punct :; ( 5 punct:lb -LRB-; x 5 p .; ... 5 dep LS; go 0 root VB; <a> 5 obj ``; $ 5 dep $"
SCORED = {
    "full": {1, 2, 3, 4, 5, 6, 7},
    "nopunct": {4, 5, 6, 7},  # punct with or without a subtype, p
    "conll": {3, 5, 6, 7},  # $ is a symbol, < and > are too
    "ptb": {2, 4, 5, 7},
}


@pytest.mark.parametrize("protocol", SAME_WORDS)
def test_which_words_are_scored(protocol: str) -> None:
    """FEATURES 10, column `words scored`: one wrong head at a time is noticed exactly where the word is scored."""
    gold = conllu(MARKS)
    scores = evaluate(gold, gold, protocol)
    assert (scores.words, scores.uas, scores.exact_match) == (len(SCORED[protocol]), 100, 100)
    assert scores.punctuation == 7 - len(SCORED[protocol])
    assert {number for number, counted in enumerate(scores.scored, start=1) if counted} == SCORED[protocol]
    for word in (1, 2, 3, 4, 6, 7):
        words = MARKS.split("; ")
        words[word - 1] = words[word - 1].replace(" 5 ", " 0 ")
        scores = evaluate(gold, conllu("; ".join(words)), protocol)
        wrong = int(word in SCORED[protocol])
        n = len(SCORED[protocol])
        assert counts(scores, "UAS") == [(n - wrong, n, n)], word
        assert scores.exact_match == 100 * (1 - wrong)


def test_ptb_takes_upos_if_there_is_no_xpos() -> None:
    gold = conllu("a 2 dep _ NOUN; go 0 root _ VERB; . 2 punct _ .")
    scores = evaluate(gold, gold, "ptb")
    assert (scores.words, scores.punctuation) == (2, 1)
    assert scores.notes == ("tags are those of the gold UPOS, since XPOS is empty",)
    # One XPOS anywhere, and UPOS is no longer asked.
    gold = conllu("a 2 dep NN NOUN; go 0 root _ VERB; . 2 punct _ .")
    scores = evaluate(gold, gold, "ptb")
    assert scores.words == 3
    assert scores.notes == (
        "tags are those of the gold XPOS",
        "no gold tag is one of `` '' , . : so nothing was left out",
    )


@pytest.mark.parametrize(
    ("form", "scored"),
    [("", True), ("_", False), ("\u3002", False), ("\u00a7", False), ("\u00a3", True), (".a", True), (". .", True)],
)
def test_conll_looks_at_unicode_categories(form: str, scored: bool) -> None:
    """Only one character or more, all of category P*: an empty FORM, a symbol and a space are no punctuation."""
    gold = f"1\t{form}\t_\t_\t_\t_\t2\tdep\t_\t_\n2\tgo\t_\t_\t_\t_\t0\troot\t_\t_\n".encode()
    assert evaluate(gold, gold, "conll").words == 1 + scored


CONTENT = """nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl
    amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep"""


def literal(gold: dynarc.Treebank, system: dynarc.Treebank, protocol: str) -> dict[str, object]:
    """The protocols for the same words as FEATURES 10 states them, in plain Python."""
    content = set(CONTENT.split())
    xpos = any(tag not in (None, "_") for sentence in gold for tag in sentence.xpos)
    out: Counter[str] = Counter()
    distances: Counter[tuple[str, bool]] = Counter()
    lengths: Counter[tuple[int, bool]] = Counter()
    labels: Counter[tuple[str, bool]] = Counter()
    for g, s in zip(gold, system, strict=True):
        right = []
        gold_heads, gold_labels, tags = g.heads, g.deprels, g.xpos if xpos else g.upos
        heads, labels_found = s.heads, s.deprels
        for i, form in enumerate(g.forms):
            label, other, tag = str(gold_labels[i]), str(labels_found[i]), tags[i]
            match protocol:
                case "nopunct":
                    skip = label.split(":")[0] in ("punct", "p")
                case "conll":
                    skip = bool(form) and all(unicodedata.category(c).startswith("P") for c in form)
                case "ptb":
                    skip = tag in ("``", "''", ",", ".", ":")
                case _:
                    skip = False
            if skip:
                continue
            head = gold_heads[i] == heads[i]
            both = head and label == other
            right.append((head, both))
            out["words"] += 1
            out["UAS"] += head
            out["LAS"] += both
            out["label accuracy"] += label == other
            if label.split(":")[0] in content:
                out["CLAS gold"] += 1
                out["CLAS"] += both
            out["CLAS system"] += other.split(":")[0] in content
            distance = abs((gold_heads[i] or i + 1) - i - 1)
            name = "ROOT" if not distance else str(distance) if distance < 3 else "3-6" if distance < 7 else "7-"
            distances[name, both] += 1
            lengths[min((len(g) - 1) // 10, 5), both] += 1
            labels[label, both] += 1
        if right:
            out["sentences"] += 1
            out["exact match unlabelled"] += all(head for head, _ in right)
            out["exact match"] += all(both for _, both in right)
    return {"counts": out, "distances": distances, "lengths": lengths, "labels": labels}


@pytest.mark.parametrize("protocol", SAME_WORDS)
@pytest.mark.parametrize("treebank", ["en_ewt", "cs_cltt", "tr_imst", "zh_gsd"])
def test_same_as_the_literal_rule(treebanks: Path, treebank: str, protocol: str) -> None:
    gold = first_sentences((treebanks / treebank / "dev.conllu").read_text(encoding="utf-8"), 300)
    rng = random.Random(treebank)
    system = other_columns(other_heads(gold, rng), rng)
    sides = [dynarc.read_conllu(text.encode()) for text in (gold, system)]
    expected = literal(sides[0], sides[1], protocol)
    scores = evaluate(sides[0], sides[1], protocol)
    c = expected["counts"]
    assert isinstance(c, Counter)
    n = c["words"]
    assert counts(scores, "UAS", "LAS", "label accuracy") == [
        (c[metric], n, n) for metric in ("UAS", "LAS", "label accuracy")
    ]
    assert counts(scores, "CLAS") == [(c["CLAS"], c["CLAS gold"], c["CLAS system"])]
    for metric in ("exact match unlabelled", "exact match"):
        assert counts(scores, metric) == [(c[metric], c["sentences"], c["sentences"])]
    assert 10 < scores.las < 90
    ours: Counter[object] = Counter()
    for b in scores.by_distance:
        ours += Counter({(b.name, True): b.correct, (b.name, False): b.words - b.correct})
    assert ours == expected["distances"]
    ours = Counter()
    for i, b in enumerate(scores.by_length):
        ours += Counter({(i, True): b.correct, (i, False): b.words - b.correct})
    assert ours == expected["lengths"]
    ours = Counter()
    for s in scores.per_label.values():
        ours += Counter({(s.label, True): s.correct, (s.label, False): s.gold - s.correct})
    assert ours == expected["labels"]


def test_labels_distances_and_lengths() -> None:
    gold = conllu("a 2 det; b 0 root; c 2 obj; d 2 obl; e 12 dep; f 5 x; g 6 x; h 7 x; i 8 x; j 9 x; k 10 x; l 2 obj")
    system = conllu("a 3 det; b 0 root; c 2 obl; d 3 obj; e 12 dep; f 5 x; g 6 x; h 7 x; i 8 x; j 9 x; k 10 x; l 2 obj")
    scores = evaluate(gold, system)
    obj = scores.per_label["obj"]
    assert (obj.gold, obj.system, obj.heads, obj.labels, obj.correct) == (2, 2, 2, 1, 1)
    assert (obj.precision, obj.recall, obj.f1) == (50, 50, 50)
    det = scores.per_label["det"]
    assert (det.heads, det.labels, det.correct) == (0, 1, 0)
    assert list(scores.per_label)[:2] == ["x", "obj"]
    # By gold arcs: a<-b 1 wrong, b root, c<-b 1 label, d<-b 2 wrong, e<-l 7, f..k 1 each, l<-b 10.
    assert [(b.name, b.words, b.heads, b.correct) for b in scores.by_distance] == [
        ("ROOT", 1, 1, 1),
        ("1", 8, 7, 6),
        ("2", 1, 0, 0),
        ("3-6", 0, 0, 0),
        ("7-", 2, 2, 2),
    ]
    assert [b.name for b in scores.by_length] == ["1-10", "11-20", "21-30", "31-40", "41-50", "51-"]
    assert [(b.sentences, b.words, b.heads, b.exact) for b in scores.by_length[:3]] == [
        (0, 0, 0, 0),
        (1, 12, 10, 0),
        (0, 0, 0, 0),
    ]
    assert scores.by_distance[1].uas == 100 * (7 / 8)
    assert scores.by_length[0].exact_match == 0


def test_per_sentence_and_exact_match() -> None:
    gold = conllu("a 2 x; b 0 root", "c 0 root", "d 0 root; . 1 punct", "! 0 punct")
    system = conllu("a 2 y; b 0 root", "c 0 root", "d 0 root; . 0 punct", "! 0 punct")
    scores = evaluate(gold, system)
    assert [tuple(row) for row in scores.per_sentence] == [
        (2, 2, 2, 1, 1),
        (1, 1, 1, 1, 1),
        (2, 2, 1, 2, 1),
        (1, 1, 1, 1, 1),
    ]
    assert counts(scores, "exact match unlabelled", "exact match") == [(3, 4, 4), (2, 4, 4)]
    # Of the last sentence nothing is scored without punctuation: it is neither right nor wrong.
    scores = evaluate(gold, system, "nopunct")
    assert counts(scores, "exact match unlabelled", "exact match") == [(3, 3, 3), (2, 3, 3)]
    assert scores.sentences == 4


def test_unknown_heads() -> None:
    """Nobody can be wrong about a head that is not known; a system that gives none is."""
    gold = conllu("a 2 x; b 0 root; c _ _")
    system = conllu("a _ x; b 0 root; c 1 y")
    scores = evaluate(gold, system)
    assert counts(scores, "UAS", "LAS", "label accuracy") == [(1, 2, 2), (1, 2, 2), (2, 2, 2)]
    assert (scores.unknown_heads, scores.unattached) == (1, 1)
    assert scores.notes == (
        "1 words without a head in <gold> are not scored",
        "1 words without a head in <system> count as wrong",
    )
    with pytest.raises(EvaluationError, match=r"<gold>:3: sentence 1: word 3 has no head, but protocol ud"):
        evaluate(gold, system, "ud")


def test_raw_text() -> None:
    """Words, sentences and tokens as F1 where the system has cut the text itself."""
    gold = b"1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + conllu("de 3 case; le 3 det; pain 0 root", "non 0 root")
    system = conllu("du 2 case; pain 0 root; no 2 obj; n 3 dep")
    scores = evaluate(gold, system, "ud")
    assert counts(scores, "Tokens", "Words", "Sentences") == [(2, 3, 4), (1, 4, 4), (0, 2, 1)]
    assert counts(scores, "UAS", "LAS") == [(1, 4, 4), (1, 4, 4)]  # pain is the root on both sides
    # What only the system has is counted where it begins.
    assert [tuple(row)[:3] for row in scores.per_sentence] == [(3, 2, 1), (1, 2, 0)]
    assert scores.counts["UAS"].aligned == 1
    assert scores.counts["UAS"].aligned_accuracy == 100
    with pytest.raises(EvaluationError, match=r"word 1 is 'du', but 'de' at <gold>:2; to score text .* protocol ud"):
        evaluate(gold, system)


def test_a_word_too_many_is_no_exact_match() -> None:
    gold = conllu("du 0 root")
    system = b"1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n" + conllu("du 0 root; le 1 det")
    scores = evaluate(gold, system, "ud")
    assert counts(scores, "UAS", "LAS") == [(1, 1, 2), (1, 1, 2)]
    assert counts(scores, "exact match unlabelled", "exact match") == [(0, 1, 1), (0, 1, 1)]
    assert evaluate(gold, gold, "ud").exact_match == 100


def test_deps_that_are_none() -> None:
    """CoNLL-X keeps other things in column 9: enhanced graphs are then not scored, all else is."""
    gold = conllu("a 0 root")
    system = gold.replace(b"root\t_\t_", b"root\t0\troot")
    scores = evaluate(gold, system, "ud")
    assert scores.las == 100
    assert "ELAS" not in scores.official
    assert scores.notes == ("no ELAS and EULAS: DEPS of <system>:1 is no list of enhanced dependencies",)
    assert "ELAS" in evaluate(gold, gold, "ud").official


def test_predicted_columns_are_told() -> None:
    gold = conllu("a 0 root NN NOUN", "b 0 root NN NOUN")
    system = conllu("a 0 root NN NOUN", "b 0 root NN VERB")
    columns = evaluate(gold, system).columns
    assert {name: (c.correct, c.gold) for name, c in columns.items()} == {
        "LEMMA": (2, 2),
        "UPOS": (1, 2),
        "XPOS": (2, 2),
        "FEATS": (2, 2),
    }


ONE_ROOT = "a 2 x; b 0 root"


@pytest.mark.parametrize(
    ("gold", "system", "protocol", "message"),
    [
        ("", ONE_ROOT, "full", "<gold>: there is no sentence to score"),
        (ONE_ROOT, "", "full", "<system>: there is no sentence to score"),
        ("", "", "ud", "<gold>: there is no sentence to score"),
        (ONE_ROOT, "", "ud", "<system>: there is no sentence to score"),
        (
            ONE_ROOT,
            "a 0 x; b 0 root",
            "ud",
            "<system>:1: sentence 1: 2 words have head 0, but protocol ud takes sentences with exactly one root; ",
        ),
        ("a 2 x; b 1 x", ONE_ROOT, "ud", "<gold>:1: sentence 1: no word has head 0, but protocol ud takes sentences"),
        ("c 0 r; a 3 x; b 2 x", "c 0 r; a 1 x; b 1 x", "ud", "<gold>:2: sentence 1: word 2 is its own ancestor"),
        (ONE_ROOT, "a 2 x; c 0 root", "ud", "<system>:2: the text is 'c' here, but 'b' at <gold>:2; nothing but"),
        (ONE_ROOT, "a 0 x", "ud", "<system>:1: the text is at its end here, but 'b' at <gold>:2"),
        (ONE_ROOT, "a 2 x; c 0 root", "full", "<system>:2: sentence 1: word 2 is 'c', but 'b' at <gold>:2; to score"),
        (ONE_ROOT, "a 0 x", "full", "<system>:1: sentence 1: after word 1 it ends, but at <gold>:1 goes on with 'b'"),
        ("a 0 x", ONE_ROOT, "ptb", "<system>:1: sentence 1: after word 1 it goes on with 'b', but not at <gold>:1"),
    ],
)
def test_what_cannot_be_compared(gold: str, system: str, protocol: str, message: str) -> None:
    """What differs, where it differs first, and what to do."""
    with pytest.raises(EvaluationError) as caught:
        evaluate(conllu(gold) if gold else b"", conllu(system) if system else b"", protocol)
    assert str(caught.value).startswith(message)


def test_more_sentences_on_one_side() -> None:
    one, two, three = (conllu(*[ONE_ROOT] * n) for n in (1, 2, 3))
    with pytest.raises(EvaluationError, match=r"^<system>:4: from here on there are 2 more sentences than in <gold>; "):
        evaluate(one, three)
    with pytest.raises(EvaluationError, match=r"^<gold>:7: from here on there is one more sentence than in <system>; "):
        evaluate(three, two)


def test_errors_name_the_sentence() -> None:
    gold = b"# sent_id = first\n" + conllu("a 0 root")
    with pytest.raises(EvaluationError, match=r"<gold>:1: sentence 1 \(first\): no word has head 0"):
        evaluate(gold.replace(b"\t0\t", b"\t1\t"), gold, "ud")
    with pytest.raises(EvaluationError, match=r"^<gold>:2: FORM has no characters"):
        evaluate(gold.replace(b"\ta\t", b"\t\xc2\xa0\t"), gold, "ud")


def test_other_protocols_take_any_heads() -> None:
    """Several roots and cycles are scored as they are."""
    gold, system = conllu("a 2 x; b 1 x; c 0 r; d 0 r"), conllu("a 2 x; b 0 x; c 0 r; d 3 r")
    for protocol in SAME_WORDS:
        assert counts(evaluate(gold, system, protocol), "UAS") == [(2, 4, 4)]


def test_unknown_protocol() -> None:
    with pytest.raises(ConfigError, match="unknown protocol 'conll18': protocol must be one of ud, full, nopunct"):
        evaluate(b"", b"", "conll18")


def test_sources(tmp_path: Path) -> None:
    """Paths, bytes, treebanks with their changes, and documents of the engine."""
    data = conllu(ONE_ROOT, ONE_ROOT)
    path = tmp_path / "gold.conllu"
    path.write_bytes(data)
    treebank = dynarc.read_conllu(path)
    for source in (path, str(path), data, treebank, treebank[:], _core.Document.read(data)):
        assert evaluate(source, data).uas == 100
    assert evaluate(path, treebank).gold == evaluate(path, treebank).system == str(path)
    assert evaluate(Named(_core.Document.read(data), "here"), data).gold == "here"
    assert evaluate(treebank[:1], treebank[1:]).words == 2
    treebank[0].deprels = ["y", "root"]
    assert evaluate(path, treebank).las == 75
    with pytest.raises(ConlluError, match="there is no such file"):
        evaluate(tmp_path / "none.conllu", data)


def test_scores_are_values() -> None:
    scores = evaluate(conllu(ONE_ROOT), conllu(ONE_ROOT), "ud")
    again = pickle.loads(pickle.dumps(scores))
    assert again == scores
    assert again.per_sentence == scores.per_sentence
    assert "table" not in repr(scores)
    assert str(scores) == (
        "UAS 100.00  LAS 100.00  CLAS 100.00  (ud: all words, aligned by the text, labels without subtypes, "
        "one root per sentence needed; 2 words, 1 sentences)"
    )


def test_metrics_are_in_the_order_of_the_engine() -> None:
    pair = _core.Pair(*[_core.Document.read(conllu(ONE_ROOT))] * 2)
    official = pair.official(pair.forms(), [0, 1], [0, 1])
    same = pair.same_words("full", [])
    assert isinstance(official, _core.Evaluation)
    assert isinstance(same, _core.Evaluation)
    assert tuple(official.metrics) == ALL_METRICS
    assert tuple(same.metrics) == TREE_METRICS
    with pytest.raises(ValueError, match="one entry per distinct form"):
        pair.official([], [], [])
    with pytest.raises(ValueError, match="no protocol"):
        pair.same_words("ud", [])


@pytest.mark.parametrize("name", ["protocols", "scores", "scoring"])
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"dynarc.evaluation.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
