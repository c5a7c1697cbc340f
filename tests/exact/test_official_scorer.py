"""Protocol `ud` gives the numbers of the official scorer (udtools), every count of every metric (FEATURES 10)."""

import io
import random
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.outputs import OUTPUTS, Sentence, Token, first_sentences, from_conllx, random_heads, write
from udtools import udeval

from dynarc.evaluation import Scores, evaluate
from dynarc.evaluation.scores import OFFICIAL

CONLLU = [
    "cs_cltt",
    "de_gsd_r12_lc",
    "el_gdt",
    "en_ewt",
    "eu_bdt",
    "fr_sequoia",
    "hu_szeged",
    "la_perseus",
    "nl_lassysmall",
    "tr_imst",
    "zh_gsd",
]
CONLLX = ["utb2_ko", "utb2_sv"]
# The official scorer is slow: this many sentences of each, or of the long ones fewer.
SENTENCES = {"cs_cltt": 100}


def official(gold: str, system: str) -> dict[str, tuple[object, ...]]:
    """Counts and figures of every metric."""
    loaded = [udeval.load_conllu(io.StringIO(text), name, {}) for text, name in ((gold, "gold"), (system, "system"))]
    return {
        name: (
            score.correct,
            score.gold_total,
            score.system_total,
            score.aligned_total,
            100 * score.precision,
            100 * score.recall,
            100 * score.f1,
            score.aligned_accuracy if score.aligned_accuracy is None else 100 * score.aligned_accuracy,
        )
        for name, score in udeval.evaluate(*loaded).items()
    }


def ours(scores: Scores) -> dict[str, tuple[object, ...]]:
    return {
        name: (c.correct, c.gold, c.system, c.aligned, c.precision, c.recall, c.f1, c.aligned_accuracy)
        for name, c in scores.official.items()
    }


def check(gold: str, system: str) -> Scores:
    scores = evaluate(gold.encode(), system.encode(), "ud")
    expected = official(gold, system)
    assert ours(scores) == expected
    assert set(expected) == set(OFFICIAL)
    # What the bootstrap draws adds up to the same, and what is told of labels and lengths does too.
    uas, las = scores.counts["UAS"], scores.counts["LAS"]
    rows = scores.per_sentence
    assert [sum(column) for column in zip(*rows, strict=True)][:3] == [uas.gold, uas.system, uas.correct]
    assert all(row.heads <= min(row.words, row.system_words) for row in rows)  # so no draw is above 100 %
    labels = scores.per_label.values()
    assert [sum(s.gold for s in labels), sum(s.system for s in labels)] == [las.gold, las.system]
    for parts in (scores.by_distance, scores.by_length):
        assert [sum(b.words for b in parts), sum(b.heads for b in parts)] == [uas.gold, uas.correct]
        assert sum(b.correct for b in parts) == las.correct
    assert sum(s.correct for s in labels) == las.correct
    return scores


@cache
def gold_of(folder: Path, treebank: str) -> str:
    if treebank in CONLLX:
        text = from_conllx((folder / treebank / "dev.conll").read_text(encoding="utf-8"))
    else:
        text = (folder / treebank / "dev.conllu").read_text(encoding="utf-8")
    return first_sentences(text, SENTENCES.get(treebank, 300))


@pytest.mark.parametrize("output", OUTPUTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("treebank", CONLLU + CONLLX)
def test_treebank(treebanks: Path, treebank: str, output: Callable[[str, random.Random], str]) -> None:
    gold = gold_of(treebanks, treebank)
    system = output(gold, random.Random(treebank))
    scores = check(gold, system)
    name = output.__name__
    # The outputs are what they say: some right, some wrong.
    assert (scores.las == 100) == (name == "itself")
    assert (scores.counts["Words"].f1 < 100) == (name in ("other_words", "everything"))
    if name != "itself":
        assert 10 < scores.las < 95


LETTERS = "aAbß\u0130\u0131\ufb01\u03a3\u03c3\u03c2\u0049\u0307"
SPACES = " \u00a0\u2003"
COLUMNS = [
    ("a", "A", "_"),
    ("NOUN", "VERB", "_"),
    ("x", "_"),
    ("_", "Case=Nom|X=1", "X=1|Case=Nom", "Number=Sing|Case=Nom", "Case=Nom|Number=Sing", "Case", "Typo=Yes"),
]
LABELS = ("nsubj", "nsubj:pass", "obj", "det", "case:x", "punct", "_", "aux", "acl:")


@st.composite
def forms(draw: st.DrawFn, text: str) -> str:
    """The text with spaces in it, which are no part of what is compared."""
    out: str = draw(st.sampled_from(["", "", "", *SPACES]))
    for c in text:
        out += c + draw(st.sampled_from(["", "", "", "", "", *SPACES]))
    return out


@st.composite
def documents(draw: st.DrawFn, text: str) -> str:
    """The text cut into tokens and sentences, with trees and columns, all at random."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    sentences = [Sentence()]
    for piece in _cut(text, draw(st.sets(st.integers(1, len(text))))):
        form = draw(forms(piece))
        if sentences[-1].tokens and draw(st.integers(0, 4)) == 0:
            sentences.append(Sentence())
        if draw(st.booleans()):
            # Also words of the text that do not lie here.
            pieces = st.tuples(st.integers(0, len(text)), st.integers(0, 4)).map(lambda p: text[p[0] : p[0] + p[1]])
            words = draw(st.lists(pieces | st.text(LETTERS + " ", max_size=2), min_size=1, max_size=3))
            if draw(st.booleans()):
                words = _cut(piece, draw(st.sets(st.integers(1, len(piece)))))
            sentences[-1].tokens.append(Token(form, [["", w, *"________"] for w in words], multiword=True))
        else:
            sentences[-1].tokens.append(Token(form, [["", form, *"________"]]))
    for sentence in sentences:
        heads = random_heads(len(sentence.words), rng)
        for word, head in zip(sentence.words, heads, strict=True):
            word[2:6] = [rng.choice(values) for values in COLUMNS]
            word[6:8] = [str(head), "root" if head == 0 else rng.choice(LABELS)]
            edges = [f"{rng.randint(0, len(heads))}:{rng.choice(['a', 'a:b', 'a>b:c', 'a:c>b'])}" for _ in range(3)]
            word[8] = "|".join(edges[: rng.randint(0, 3)]) or "_"
    return write(sentences)


def _cut(text: str, places: set[int]) -> list[str]:
    ends = [0, *sorted(places), len(text)]
    return [text[a:b] for a, b in pairwise(ends) if a < b]


@settings(max_examples=250, deadline=None)
@given(data=st.data(), text=st.text(LETTERS, min_size=1, max_size=12))
def test_any_text_cut_in_any_way(data: st.DataObject, text: str) -> None:
    check(data.draw(documents(text), label="gold"), data.draw(documents(text), label="system"))


def test_a_word_that_sticks_out_of_a_multiword_span_where_it_begins() -> None:
    """It takes part in the alignment by form all the same."""
    gold = "1\tabc\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    system = _multiword("ab", "abc", "x").rstrip("\n") + "\n3\tc\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    assert check(gold, system).counts["Words"].correct == 1


def _multiword(form: str, *inner: str) -> str:
    rows = [f"1-{len(inner)}\t{form}\t" + "\t".join("_" * 8)]
    for i, word in enumerate(inner, start=1):
        rows.append("\t".join([str(i), word, *"____", "0" if i == 1 else "1", "root" if i == 1 else "dep", "_", "_"]))
    return "\n".join(rows) + "\n\n"


@pytest.mark.parametrize(
    ("one", "other", "aligned"),
    [
        ("A", "a", 1),
        ("A\u03a3", "a\u03c2", 1),  # sigma at the end of a word
        ("A\u03a3", "a\u03c3", 0),
        ("\u0130", "i\u0307", 1),  # dotted I is i and a dot
        ("\u0130", "i", 0),
        ("\u1e9e", "\u00df", 1),  # sharp s, large and small
        ("\u00df", "ss", 0),
        ("\ufb01", "fi", 0),  # a ligature
        ("a b", "ab", 0),  # spaces count in words of multiword tokens
    ],
)
def test_words_of_multiword_tokens_are_aligned_by_lower_case(one: str, other: str, aligned: int) -> None:
    scores = check(_multiword("x", one, "z"), _multiword("x", "y", other))
    assert scores.counts["Words"].correct == aligned
