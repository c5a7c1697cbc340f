"""Drawings on terminals, to the letter; what holds for any heads is in tests/property."""

import doctest
import importlib
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from rich.cells import cell_len

from dynarc.draw import Drawing, Mark
from dynarc.draw.terminal import arcs, fits, vertical
from dynarc.draw.text import clip, visible
from dynarc.errors import TreeError

Heads = Sequence[int | None]


@dataclass(frozen=True)
class Words:
    """What a reader gives."""

    forms: tuple[str, ...]
    heads: tuple[int | None, ...]
    deprels: tuple[str | None, ...]
    upos: tuple[str, ...] = ()
    sent_id: str | None = None


@dataclass(frozen=True)
class Surface(Words):
    """What a reader gives that knows of more than words."""

    ranges: tuple[tuple[int, int, str], ...] = ()
    empty_nodes: tuple[tuple[int, int, str], ...] = ()


def draw(forms: str, heads: Heads, deprels: str = "") -> Drawing:
    labels: list[str | None] = [*deprels.split()] or [None] * len(heads)
    return Drawing(tuple(forms.split()), tuple(heads), tuple(labels))


def across(drawing: Drawing, width: int | None = None, *, ascii: bool = False) -> str:  # noqa: A002
    return "\n" + "\n".join(line.plain for line in arcs(drawing, width=width, ascii=ascii))


def down(drawing: Drawing, width: int | None = None, *, ascii: bool = False) -> str:  # noqa: A002
    return "\n" + "\n".join(line.plain for line in vertical(drawing, width=width, ascii=ascii))


TEA = draw("We drank tea at noon", [2, 0, 2, 5, 2], "nsubj root obj case obl")
LETTER = draw("A letter came today from home", [2, 3, 0, 3, 6, 2], "det nsubj root advmod case nmod")


def test_a_projective_tree() -> None:
    assert (
        across(TEA)
        == """
      root
        │╭─────obl─────╮
 ╭nsubj╮│├obj╮   ╭case╮│
 ▼     │▼│   ▼   ▼    │▼
We    drank tea at  noon"""
    )
    assert (
        down(TEA)
        == """
1  ╭───▶ We     2  nsubj
2 ─┼───▶ drank  0  root
3  ├───▶ tea    2  obj
4  │ ╭─▶ at     5  case
5  ╰─┴─▶ noon   2  obl"""
    )


def test_crossing_arcs() -> None:
    """The arc that is to blame has a line of its own, and where lines cross, the upright one is whole."""
    assert (
        across(LETTER)
        == """
           root
      ╭╌╌╌╌╌╌│╌╌╌╌╌╌╌nmod╌╌╌╌╌╌╌╌╮
╭det╮╭│nsubj╮│╭advmod╮     ╭case╮│
▼   │▼│     │▼│      ▼     ▼    │▼
A letter   came    today from home"""
    )
    assert (
        down(LETTER)
        == """
1    ╭───▶ A       2  det
2  ╭─┼───▶ letter  3  nsubj
3 ─┼─│───▶ came    0  root
4  ╰─│───▶ today   3  advmod
5    │ ╭─▶ from    6  case
6    ╰╌┴╌▶ home    2  nmod"""
    )


def test_ascii() -> None:
    assert (
        across(LETTER, ascii=True)
        == """
           root
      .~~~~~~|~~~~~~~nmod~~~~~~~~.
.det..|nsubj.|.advmod.     .case.|
v   |v|     |v|      v     v    |v
A letter   came    today from home"""
    )
    assert (
        down(LETTER, ascii=True)
        == """
1    .---> A       2  det
2  .-+---> letter  3  nsubj
3 -+-|---> came    0  root
4  `-|---> today   3  advmod
5    | .-> from    6  case
6    `~+~> home    2  nmod"""
    )


def test_several_roots_and_unknown_heads() -> None:
    tree = draw("Yes no perhaps not now", [0, 0, None, 3, 3], "root root _ advmod advmod")
    assert (
        across(tree)
        == """
            ╭──advmod──╮
root root   ├advmod╮   │
  ▼    ▼    │      ▼   ▼
 Yes  no perhaps  not now"""
    )
    assert (
        down(tree)
        == """
1 ───▶ Yes      0  root
2 ───▶ no       0  root
3  ╭── perhaps  _  _
4  ├─▶ not      3  advmod
5  ╰─▶ now      3  advmod"""
    )


def test_cycles() -> None:
    """Down the page the first arc of a cycle is cut: ↻ stands where it would begin."""
    tree = draw("round and round it goes", [3, 1, 2, 4, 0], "a b c d e")
    assert (
        across(tree)
        == """
  ╭────a────╮
  │╭─b─╮╭─c─│╮  ↻d   e
  ▼│   ▼│   │▼   ▼   ▼
round and round it goes"""
    )
    assert (
        down(tree)
        == """
1 ↻┬───▶ round  3  a
2  ╰─┬─▶ and    1  b
3    ╰─▶ round  2  c
4 ↻────▶ it     4  d
5 ─────▶ goes   0  e"""
    )


def test_one_word_or_none() -> None:
    assert across(draw("Yes", [0], "root")) == "\nroot\n  ▼\n Yes"
    assert down(draw("Yes", [0], "root")) == "\n1 ─▶ Yes  0  root"
    assert across(draw("Yes", [None])) == "\nYes"
    assert down(draw("Yes", [None])) == "\n1    Yes  _  _"
    assert across(draw("", [])) == down(draw("", [])) == "\n"


def test_multiword_tokens_and_empty_nodes() -> None:
    words = Surface(
        ("de", "le", "bois"),
        (3, 3, 0),
        ("case", "det", "root"),
        upos=("ADP", "DET", "NOUN"),
        ranges=((1, 2, "du"),),
        empty_nodes=((0, 1, "il"), (3, 1, "y")),
    )
    tree = Drawing.of(words)
    assert (
        across(tree)
        == """
              root
      ╭──case──╮│
      │   ╭det─┤│
      ▼   ▼    │▼
[il] de  le  bois [y]
     ADP DET NOUN
     ╰─du──╯"""
    )
    assert (
        down(tree)
        == """
0.1      [il]
1-2      du
  1  ╭─▶ de    ADP   3  case
  2  ├─▶ le    DET   3  det
  3 ─┴─▶ bois  NOUN  0  root
3.1      [y]"""
    )


def test_what_is_wrong() -> None:
    guess = Words(("She", "sells", "sea", "shells"), (2, 0, 2, 2), ("nsubj", "root", "obj", "iobj"))
    truth = Words(guess.forms, (2, 0, 4, 2), ("nsubj", "root", "compound", "obj"))
    tree = Drawing.of(guess, truth)
    assert tree.marks == (None, None, Mark("head", 4, "compound"), Mark("label", 2, "obj"))
    assert (
        across(tree)
        == """
      root
        │╭────obj≠iobj────╮
 ╭nsubj╮│├✗obj╮╭✓compound╮│
 ▼     │▼│    ▼▼         │▼
She   sells  sea      shells

✗ wrong head, ✓ gold
gold≠wrong label"""
    )
    assert (
        down(tree)
        == """
1  ╭─▶ She     2  nsubj
2 ─┼─▶ sells   0  root
3  ├─▶ sea     2  obj    ✗ gold 4 compound
4  ╰─▶ shells  2  iobj   ≠ gold obj"""
    )


def test_where_gold_says_nothing_nothing_is_wrong() -> None:
    guess = Words(("a", "b", "c"), (None, 1, 0), ("x", "x", None))
    truth = Words(guess.forms, (0, None, 0), ("root", "y", None))
    assert Drawing.of(guess, truth).marks == (Mark("head", 0, "root"), None, None)
    with pytest.raises(TreeError, match="has 3 words, but gold has 1"):
        Drawing.of(guess, Words(("a",), (0,), (None,)))


def test_wrapped() -> None:
    """An arc that goes on in the next stretch is dotted at the edge, and labelled in both."""
    assert (
        across(LETTER, 24)
        == """
           root
      ╭╌╌╌╌╌╌│╌nmod╌╌┄┄
╭det╮╭│nsubj╮│╭advmod┄┄
▼   │▼│     │▼│
A letter   came

┄┄╌╌╌╌╌╌╌╌nmod╌╌╌╌╌╌╌╮
┄┄─advmod╮     ╭case╮│
         ▼     ▼    │▼
       today from home"""
    )
    assert fits(LETTER, 34)
    assert not fits(LETTER, 33)
    assert across(LETTER, 34) == across(LETTER)


def test_probabilities() -> None:
    tree = Drawing(("a", "b"), (0, 1), ("root", "x"), prob=(0.987, None))
    assert (
        down(tree)
        == """
1 ─┬─▶ a  0  root  0.99
2  ╰─▶ b  1  x"""
    )


@pytest.mark.parametrize("forms", [("给", "我", "一杯茶"), ("e\u0301te\u0301", "x", "👩‍🚀"), ("سلام", "x", "שלום")])
def test_columns_line_up_whatever_the_script(forms: tuple[str, ...]) -> None:
    tree = Drawing(forms, (2, 0, 2), ("nsubj", "root", "obj"), tags=("A", "B", "C"))
    widest = max(map(cell_len, forms))
    for line, form, tag in zip(vertical(tree), forms, "ABC", strict=True):
        before, after = line.plain.split(form)
        assert cell_len(before) == 7
        assert cell_len(form) + after.replace("\u200e", "").index(tag) == widest + 2
    middle = [line.plain for line in arcs(tree)][-3:]
    for form in forms:  # the arrow is above the middle of the word
        start = cell_len(middle[1].replace("\u200e", "").split(form)[0])
        assert middle[0][start + cell_len(form) // 2] == "▼"


def test_text_from_right_to_left_turns_nothing_else() -> None:
    """Without the mark a terminal that turns text would move the numbers that follow to its other side."""
    assert "שלום\u200e  0" in down(Drawing(("שלום",), (0,), (None,)))
    assert "\u200e" not in down(TEA) + across(TEA)


@pytest.mark.parametrize(
    ("text", "shown", "in_ascii"),
    [
        ("a\tb", "a␉b", "a\\x09b"),
        ("\x1b[31m", "␛[31m", "\\x1b[31m"),
        ("\x9b0m\x7f", "\\x9b0m\\x7f", "\\x9b0m\\x7f"),
        ("a\u2028b\u202ec\u00ad", "a\\u2028b\\u202ec\\xad", "a\\u2028b\\u202ec\\xad"),
        ("\ud800\uffff\U000e0001", "\ufffd\\uffff\\U000e0001", "?\\uffff\\U000e0001"),
        ("10\u00a0000 é", "10\u00a0000 é", "10\u00a0000 é"),
        ("نمی\u200cشد", "نمی\u200cشد", "نمی\u200cشد"),
    ],
)
def test_nothing_harmful_is_written(text: str, shown: str, in_ascii: str) -> None:
    assert (visible(text), visible(text, ascii=True)) == (shown, in_ascii)


def test_clip() -> None:
    assert clip("abcdef", 6) == "abcdef"
    assert clip("abcdef", 4) == "abc…"
    assert clip("一二三", 4) == "一…"
    assert clip("abc", 1) == "…"
    assert clip("abcdef", 4, ascii=True) == "abc."


def test_forms_are_cut_to_the_width_down_the_page() -> None:
    tree = draw("x" * 50 + " b", [0, 1], "root dep")
    assert max(cell_len(line) for line in down(tree, 40).split("\n")) == 40
    assert "x…" in down(tree, 40)
    assert "x" * 50 in down(tree)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"heads": (2,)}, "2 words with 1 heads"),
        ({"heads": (3, 0)}, "an arc from word 3"),
        ({"heads": (-1, 0)}, "an arc from word -1"),
        ({"deprels": ("a",)}, "2 words with 1 labels"),
        ({"tags": ("A",)}, "2 words with 1 tags"),
        ({"prob": (1.0,)}, "2 words with 1 probabilities"),
        ({"marks": (None,)}, "2 words with 1 marks"),
        ({"marks": (None, Mark("head", 3, None))}, "an arc from word 3"),
        ({"ranges": ((2, 3, "bc"),)}, "the token 2-3 'bc'"),
        ({"empty": ((3, 1, "e"),)}, "the node 3.1 'e'"),
    ],
)
def test_what_cannot_be_drawn(change: dict[str, tuple[object, ...]], message: str) -> None:
    fields = {"forms": ("a", "b"), "heads": (2, 0), "deprels": ("x", "y"), **change}
    with pytest.raises(TreeError, match=message):
        Drawing(**fields)  # type: ignore[arg-type]


def test_doubtful_arcs_stand_out() -> None:
    tree = Drawing(
        ("She", "likes", "tea"), (2, 0, 2), ("nsubj", "root", "obj"), prob=(0.9, None, 0.4), doubtful=frozenset({2, 3})
    )
    assert [line.plain for line in arcs(tree)] == [
        "      ?root",
        " ╭nsubj╮│╭?obj╮",
        " ▼     │▼│    ▼",
        "She   likes  tea",
        "",
        "? doubtful",
    ]
    assert any("yellow" in str(span.style) for span in arcs(tree)[0].spans)
    assert [line.plain for line in vertical(tree)] == [
        "1  ╭─▶ She    2  nsubj  0.90",
        "2 ─┼─▶ likes  0  root   ?",
        "3  ╰─▶ tea    2  obj    0.40?",
    ]


@pytest.mark.parametrize("name", ["across", "down", "layout", "model", "plot", "svg", "text"])
def test_examples_in_docstrings(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"dynarc.draw.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
