"""Probabilities in MISC, and the worklists made of them."""

import io
import random

import pytest

import dynarc
from dynarc import ConlluError, Sentence, Treebank
from dynarc.errors import ConfigError
from dynarc.review import worklist


def sentence(*misc: str | None, sent_id: str | None = None) -> Sentence:
    forms = [f"w{i}" for i in range(1, len(misc) + 1)]
    return Sentence(forms, heads=range(len(misc)), deprels=["dep"] * len(misc), misc=misc, sent_id=sent_id)


def data(*sentences: Sentence) -> bytes:
    return Treebank(sentences).to_bytes()


THREE = data(
    sentence("ArcProb=0.500|LabelProb=0.400", "ArcProb=0.9|LabelProb=0.3", sent_id="a"),
    sentence("ArcProb=0.500|LabelProb=0.500", "SpaceAfter=No|ArcProb=0.100|LabelProb=0.1", None, sent_id="b"),
    sentence("ArcProb=1.000|LabelProb=0.999", sent_id="c"),
)


def test_probabilities_of_a_sentence() -> None:
    both = sentence("ArcProb=0.973|LabelProb=0.951", "LabelProb=1|SpaceAfter=No", "NoArcProb=2|ArcProb=1e-3")
    assert both.arc_prob == [0.973, None, 0.001]
    assert both.label_prob == [0.951, 1.0, None]
    assert sentence("SpaceAfter=No", None).arc_prob is None
    assert sentence("NoArcProb=0.5").arc_prob is None
    assert sentence("ArcProb=.5").arc_prob == sentence("ArcProb=0.50").arc_prob == [0.5]


@pytest.mark.parametrize(
    "value", ["", "x", "1.5", "-0.1", "nan", "inf", "1e3", "0,5", "0_1", " 0.5", "0.5 ", "\u0660", "5%"]
)
def test_what_is_no_probability(value: str) -> None:
    text = data(sentence("_"), sentence("_", f"A=b|ArcProb={value}"))
    with pytest.raises(ConlluError) as refused:
        worklist(text)
    assert str(refused.value) == f"<bytes>:4: 'ArcProb={value}' in MISC is no probability from 0 to 1"
    assert dynarc.read_conllu(text)[1].label_prob is None


def test_two_probabilities_of_one_word() -> None:
    with pytest.raises(ConlluError, match="<bytes>:1: MISC has ArcProb twice"):
        worklist(data(sentence("ArcProb=0.5|ArcProb=0.5")))


def test_the_least_sure_come_first() -> None:
    found = worklist(THREE)
    assert [(d.number, d.word, d.prob) for d in found.entries] == [(2, 2, 0.1), (1, 1, 0.5), (2, 1, 0.5)]
    assert (found.sentences, found.words, found.judged) == (3, 6, 5)
    assert (found.doubtful_words, found.doubtful_sentences, found.left_out) == (3, 2, 0)
    first = found.entries[0]
    assert first.sentence.sent_id == "b"
    assert first.sentence.line_of(first.word) == 7
    assert first.doubtful == (1, 2)
    assert [first.head_form(word) for word in (1, 2)] == ["ROOT", "w1"]
    assert worklist(THREE, below=0.5).entries[0].doubtful == (2,)  # below is below


def test_labels() -> None:
    found = worklist(THREE, labels=True, below=0.45)
    assert found.key == "LabelProb"
    assert [(d.number, d.word, d.prob) for d in found.entries] == [(2, 2, 0.1), (1, 2, 0.3), (1, 1, 0.4)]


def test_by_sentence() -> None:
    found = worklist(THREE, by="sentence", below=0.95)
    assert [(d.number, d.word, d.doubtful) for d in found.entries] == [(2, 2, (1, 2)), (1, 1, (1, 2))]
    assert found.doubtful_words == 4
    short = worklist(THREE, by="sentence", below=0.95, limit=1)
    assert (len(short.entries), short.left_out) == (1, 1)


@pytest.mark.parametrize("by", ["word", "sentence"])
@pytest.mark.parametrize("limit", [0, 1, 3, 10, 100])
def test_a_limit_cuts_the_whole_list(by: dynarc.review.By, limit: int) -> None:
    rng = random.Random(limit)
    text = data(
        *(sentence(*(f"ArcProb={rng.randrange(10) / 10}" for _ in range(rng.randint(1, 4)))) for _ in range(40))
    )
    whole, part = worklist(text, by=by), worklist(text, by=by, limit=limit)

    def places(found: dynarc.review.Worklist) -> list[tuple[float, int, int]]:
        return [(d.prob, d.number, d.word) for d in found.entries]

    assert places(whole) == sorted(places(whole))
    assert places(part) == places(whole)[:limit]
    assert part.left_out == len(whole.entries) - len(part.entries)
    assert (part.doubtful_words, part.judged) == (whole.doubtful_words, whole.judged)


def test_what_is_kept_does_not_keep_the_file() -> None:
    """A sentence that is kept is a copy: the block that it was read with can go."""
    found = worklist(io.BytesIO(THREE), limit=1)
    origin, index = found.entries[0].sentence.origin
    assert (origin.document.sentences, index) == (1, 0)


def test_nothing_to_work_with() -> None:
    with pytest.raises(ConlluError, match=r"<bytes>: no word has ArcProb in MISC: .*dynarc parse --confidence"):
        worklist(data(sentence("LabelProb=0.5")))
    with pytest.raises(ConlluError, match="no word has LabelProb"):
        worklist(data(sentence("ArcProb=0.5")), labels=True)
    with pytest.raises(ConlluError, match="there is no sentence in it"):
        worklist(b"")
    for below in (-0.1, 1.1, float("nan")):
        with pytest.raises(ConfigError, match="is no probability"):
            worklist(THREE, below=below)


def test_odd_trees() -> None:
    """Cycles and words without heads are listed too."""
    rows = [
        f"{i}\t{form}\t_\t_\t_\t_\t{head}\tdep\t_\tArcProb=0.1\n"
        for i, form, head in [(1, "a", 2), (2, "b", 1), (3, "c", "_")]
    ]
    found = worklist("".join(rows).encode())
    assert [d.head_form(d.word) for d in found.entries] == ["b", "a", "_"]
