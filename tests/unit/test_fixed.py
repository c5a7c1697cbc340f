"""Fixed arcs and labels: what may be given, what is refused and how, and what is done where arcs were lifted."""

from dataclasses import replace
from typing import Any

import pytest

from dynarc import ConfigError, Parser, Sentence, TrainConfig, Treebank, TreeError, systems, train
from dynarc.data import english

SMALL = TrainConfig(features="zhang-nivre", epochs=3)
WORDS = ["the", "old", "dog", "saw", "a", "cat", "."]


@pytest.fixture(scope="module")
def parser() -> Parser:
    projective = Treebank([sentence for sentence in english("train") if sentence.tree.is_projective])
    return train(projective, config=SMALL)


def test_heads_labels_and_both(parser: Parser) -> None:
    assert parser.parse(WORDS, fixed={2: (6, None)}).heads[1] == 6
    both = parser.parse(WORDS, fixed={2: (6, "amod"), 6: (0, "root")})
    assert (both.heads[1], both.deprels[1], both.tree.roots) == (6, "amod", (6,))
    labels = parser.parse(WORDS, fixed={1: (None, "obl"), 6: (None, "nsubj")})
    assert (labels.deprels[0], labels.deprels[5]) == ("obl", "nsubj")
    # A label that only roots have makes a word the root.
    assert parser.parse(WORDS, fixed={3: (None, "root")}).tree.roots == (3,)
    # Asked for in so many words, anything can be a root.
    assert parser.parse(WORDS, fixed={3: (0, "obl")}).deprels[2] == "obl"


def test_one_mapping_for_each_sentence(parser: Parser) -> None:
    treebank = Treebank([Sentence(WORDS), Sentence(["Go", "!"]), Sentence(WORDS)])
    parsed = parser.parse(treebank, fixed=[{2: (6, None)}, None, {2: (1, None)}])
    assert [sentence.heads[1] for sentence in parsed] == [6, parser(["Go", "!"]).heads[1], 1]
    one = parser.parse(treebank[:1], fixed={2: (6, None)})
    assert one[0] == parsed[0]


@pytest.mark.parametrize("threads", [1, 2])
def test_partly_annotated_treebanks_are_filled_in(parser: Parser, threads: int) -> None:
    gold = Treebank([sentence for sentence in english("dev") if sentence.tree.is_projective])
    part = gold.copy()
    for sentence in part:
        for word in range(len(sentence)):
            if word % 2:
                sentence.heads[word] = None
            if word % 2:
                sentence.deprels[word] = None
    parsed = parser.parse(part, keep_heads=True, threads=threads)
    for got, given in zip(parsed, part, strict=True):
        assert None not in got.heads
        assert len(got.tree.roots) == 1
        for word, (head, label) in enumerate(zip(given.heads, given.deprels, strict=True)):
            assert head in (None, got.heads[word])
            assert label in (None, got.deprels[word])
    assert parser.parse(gold, keep_heads=True) == gold
    # What is fixed by name goes before what is in the treebank.
    assert parser.parse(gold[:1], keep_heads=True, fixed={1: (gold[0].heads[0], "obl")})[0].deprels[0] == "obl"


@pytest.mark.parametrize(
    ("fixed", "message"),
    [
        (
            {1: (3, None), 2: (5, None)},
            "sentence 1: the fixed arcs 3->1 and 5->2 cross, and arc-eager derives projective",
        ),
        ({1: (2, None), 2: (3, None), 3: (1, None)}, "the fixed arcs 2->1, 3->2 and 1->3 form a cycle"),
        ({2: (2, None)}, "the fixed arcs 2->2 form a cycle"),
        ({1: (0, None), 4: (0, None), 5: (4, None)}, "the fixed arcs 0->1 and 0->4 make two roots"),
        ({3: (1, None), 1: (2, None), 7: (4, None)}, "the fixed arcs 2->1 and 1->3 cannot stand together"),
        ({8: (1, None)}, "8 is no word of it: words are 1 to 7"),
        ({0: (1, None)}, "0 is no word"),
        ({1: (8, None)}, "word 1 has head 8, but heads are 0"),
        ({1: ("2", None)}, "word 1 has head '2'"),
        ({1: (2, 3)}, "word 1 has label 3"),
        ({1: (2, "nsub")}, "word 1 has label 'nsub', which the parser does not know; near to it are nsubj"),
        ({1: (None, "§")}, "word 1 has label '§', which the parser does not know; it knows acl"),
    ],
)
def test_what_cannot_be(parser: Parser, fixed: Any, message: str) -> None:
    with pytest.raises(TreeError) as caught:
        parser.parse(WORDS, fixed=fixed)
    assert message in str(caught.value)


@pytest.mark.parametrize("fixed", [{1: 2}, {1: (2, None, 3)}, [{}], [{}, {}, {}], [{}, 3], "ab", 3, {1: (2, None)}])
def test_what_is_no_fixed_arc(parser: Parser, fixed: Any) -> None:
    with pytest.raises(ConfigError):
        parser.parse(Treebank([Sentence(WORDS), Sentence(WORDS)]), fixed=fixed)


def test_errors_name_the_sentence_that_is_wrong(parser: Parser) -> None:
    treebank = Treebank([Sentence(WORDS), Sentence(WORDS, sent_id="dogs-2"), Sentence(WORDS)])
    crossing = {1: (3, None), 2: (5, None), 7: (5, None)}
    with pytest.raises(TreeError, match=r"^sentence dogs-2: the fixed arcs 3->1 and 5->2 cross"):
        parser.parse(treebank, fixed=[None, crossing, crossing])


@pytest.mark.parametrize("choice", ["head", "path", "head+path"])
def test_fixed_arcs_are_never_lifted(choice: Any) -> None:
    """They are arcs of the final tree: words that are put back elsewhere must not be among them."""
    config = replace(SMALL, nonprojective=choice, pseudo_min_count=1, epochs=8)
    crossing = Treebank([sentence for sentence in english("train") if not sentence.tree.is_projective])
    parser = train(crossing, config=config)
    free = parser.parse(crossing)
    assert any(not sentence.tree.is_projective for sentence in free)
    fixed = []
    for sentence in free:
        lifted = {dependent for _, dependent in sentence.tree.nonprojective_arcs}
        words = [word for word in range(1, len(sentence) + 1) if word not in lifted][::2]
        fixed.append({word: (sentence.heads[word - 1], sentence.deprels[word - 1]) for word in words})
    parsed = parser.parse(crossing, fixed=fixed)
    for sentence, arcs in zip(parsed, fixed, strict=True):
        for word, (head, label) in arcs.items():
            assert (sentence.heads[word - 1], sentence.deprels[word - 1]) == (head, label)
    # Labels alone do not hold a word where it is.
    assert any(not sentence.tree.is_projective for sentence in parsed)


def test_unlabelled_parsers_keep_labels() -> None:
    parser = train(english("train"), config=replace(SMALL, labels=False))
    parsed = parser.parse(WORDS, fixed={2: (6, "whatever")})
    assert (parsed.heads[1], parsed.deprels[1], parsed.deprels[0]) == (6, "whatever", None)


@pytest.mark.parametrize("system", systems())
def test_right_heads_help_the_others(system: str) -> None:
    """Fixed arcs take no more freedom than they must: words that are left open are parsed better, not worse. In
    Attardi's system, with so little data, about the same."""
    parser = train(english("train"), config=TrainConfig(system=system, epochs=4, nonprojective="drop"))
    gold = Treebank([sentence for sentence in english("dev") if sentence.tree.is_projective])
    part = gold.copy()
    for sentence in part:
        for word in range(len(sentence)):
            if word % 2:
                sentence.heads[word] = sentence.deprels[word] = None

    def right(parsed: Treebank) -> int:
        return sum(
            head == want and known is None
            for a, b, c in zip(parsed, gold, part, strict=True)
            for head, want, known in zip(a.heads, b.heads, c.heads, strict=True)
        )

    less = 0.02 * gold.words if system == "attardi" else 0
    assert right(parser.parse(part, keep_heads=True)) > right(parser.parse(part)) - less


@pytest.mark.parametrize("system", ["arc-eager", "arc-standard", "easy-first", "attardi", "covington"])
def test_long_sentences(system: str) -> None:
    parser = train(english("dev"), config=TrainConfig(system=system, epochs=1))
    words = WORDS * 40
    fixed: dict[int, tuple[int | None, str | None]] = {word: (word - 1, None) for word in range(10, 280, 9)}
    parsed = parser.parse(words, fixed={**fixed, 150: (0, None)})
    assert parsed.tree.roots == (150,)
    assert all(parsed.heads[word - 1] == word - 1 for word in fixed)
