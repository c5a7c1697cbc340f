"""Drawings as SVG and on HTML pages: well-formed, complete, escaped, and without anything from elsewhere."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from dynarc.draw import Drawing, Mark
from dynarc.draw.html import Html, Section, drawing, join, markup, page, table
from dynarc.draw.svg import Theme, text_width, to_svg

EVIL = "<script>alert('&')</script>\x1b\x00\ufffe\ud800"
SHOWN = "<script>alert('&')</script>␛␀\\ufffe\ufffd"
LETTER = Drawing(
    ("A", "letter", "came", "today", "from", "home"),
    (2, 3, 0, 3, 6, 2),
    ("det", "nsubj", "root", "advmod", "case", "nmod"),
    tags=("DET", "NOUN", "VERB", "ADV", "ADP", "NOUN"),
    title="own-2",
)


def parsed(svg: str) -> ElementTree.Element:
    """The tree of elements, without the namespace in their names."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
    return root


def texts(root: ElementTree.Element, kind: str) -> list[str]:
    return [element.text or "" for element in root.iter("text") if element.get("class") == kind]


def classes(root: ElementTree.Element) -> dict[str, str]:
    """What is said of the arc of each word."""
    found = {}
    for group in root.iter("g"):
        found[group.get("data-word", "")] = group.get("class", "")
    return found


def test_every_arc_has_a_line_a_tip_and_a_label() -> None:
    root = parsed(to_svg(LETTER))
    kinds = [element.get("class") for element in root.iter("path")]
    assert (kinds.count("line"), kinds.count("tip"), len(kinds)) == (6, 6, 12)
    assert sorted(texts(root, "label")) == sorted(label or "" for label in LETTER.deprels)
    assert texts(root, "word") == list(LETTER.forms)
    assert texts(root, "tag") == list(LETTER.tags or ())
    assert classes(root) == {**dict.fromkeys("12345", "arc"), "6": "arc crossing"}


def test_it_can_be_read_aloud() -> None:
    root = parsed(to_svg(LETTER))
    assert root.get("role") == "img"
    assert [root[0].tag, root[0].text] == ["title", "own-2"]
    assert root[1].tag == "desc"
    assert (root[1].text or "").startswith("letter -det-> A; came -nsubj-> letter; ROOT -root-> came; ")
    stories = [title.text for title in root.iter("title")]
    assert "letter -nmod-> home, not projective" in stories


def test_everything_is_inside() -> None:
    for width in (None, 300, 200):
        root = parsed(to_svg(LETTER, width=width))
        wide, high = int(root.get("width", "")), int(root.get("height", ""))
        assert root.get("viewBox") == f"0 0 {wide} {high}"
        assert width is None or wide <= width
        for text in root.iter("text"):
            assert 0 < float(text.get("x", "")) < wide
            assert 0 < float(text.get("y", "")) < high


def test_rows() -> None:
    """Arcs that go on in another row have a stub in each, and one tip in all."""
    root = parsed(to_svg(LETTER, width=200))
    kinds = [element.get("class") for element in root.iter("path")]
    assert kinds.count("tip") == 6
    assert kinds.count("stub") >= 2
    assert len({text.get("y") for text in root.iter("text") if text.get("class") == "word"}) > 1
    assert not [e for e in parsed(to_svg(LETTER)).iter("path") if e.get("class") == "stub"]


def test_what_is_wrong_is_shown_with_what_is_right() -> None:
    guess = Drawing(
        ("She", "sells", "sea", "shells"),
        (2, 0, 2, 2),
        ("nsubj", "root", "obj", "iobj"),
        marks=(None, None, Mark("head", 4, "compound"), Mark("label", 2, "obj")),
    )
    root = parsed(to_svg(guess))
    found = sorted((g.get("data-word"), g.get("data-head"), g.get("class")) for g in root.iter("g"))
    assert found == [
        ("1", "2", "arc"),
        ("2", "0", "arc"),
        ("3", "2", "arc wrong"),
        ("3", "4", "arc gold"),
        ("4", "2", "arc mislabelled"),
    ]
    assert "obj≠iobj" in texts(root, "label")
    assert "gold: shells -compound-> sea" in [title.text for title in root.iter("title")]


def test_tokens_empty_nodes_and_probabilities() -> None:
    tree = Drawing(
        ("de", "le"), (2, 0), ("case", "root"), ranges=((1, 2, "du"),), empty=((2, 1, "y"),), prob=(0.25, None)
    )
    svg = to_svg(tree)
    root = parsed(svg)
    assert (texts(root, "range"), texts(root, "empty")) == (["du"], ["y"])
    kinds = [element.get("class") for element in root.iter()]
    assert (kinds.count("bracket"), kinds.count("box")) == (1, 1)
    assert re.findall(r"stroke-width: ([0-9.]+)px\"", svg) == ["1.1"]
    assert "probability 0.25" in svg


def test_doubtful_arcs_stand_out() -> None:
    doubts = replace(LETTER, prob=(0.9, None, 0.9, 0.9, 0.8, 0.4), doubtful=frozenset({2, 6}))
    svg = to_svg(doubts)
    root = parsed(svg)
    assert classes(root) == {**dict.fromkeys("1345", "arc"), "2": "arc doubtful", "6": "arc crossing doubtful"}
    assert texts(root, "label").count("nmod 0.40") == texts(root, "label").count("nsubj?") == 1
    assert svg.count(' style="stroke-width') == 4  # the others are as thick as the rules say
    stories = [title.text for title in root.iter("title")]
    assert "letter -nmod-> home, not projective, probability 0.40, doubtful" in stories
    # What gold says comes before what is in doubt.
    marked = replace(doubts, marks=(None, Mark("label", 3, "obj"), None, None, None, Mark("head", 4, "obl")))
    found = [g.get("class") for g in parsed(to_svg(marked)).iter("g")]
    assert "arc wrong" in found
    assert "arc mislabelled" in found
    assert not any("doubtful" in (kind or "") for kind in found)


@pytest.mark.parametrize("heads", [(None, None), (2, 1), (1, 2), (0, 0)])
def test_heads_that_are_no_tree(heads: tuple[int | None, ...]) -> None:
    root = parsed(to_svg(Drawing(("a", "b"), heads, ("x", None))))
    assert len(list(root.iter("g"))) == sum(head is not None for head in heads)


def test_no_words() -> None:
    assert parsed(to_svg(Drawing((), (), ()))).tag == "svg"


def test_everything_is_escaped() -> None:
    tree = Drawing((EVIL,), (0,), (EVIL,), tags=(EVIL,), ranges=((1, 1, EVIL),), empty=((1, 1, EVIL),), title=EVIL)
    root = parsed(to_svg(tree))
    for kind in ("word", "tag", "label", "range", "empty"):
        assert texts(root, kind) == [SHOWN]
    assert root[0].text == SHOWN
    assert not list(root.iter("script"))


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_themes(theme: Theme) -> None:
    svg = to_svg(LETTER, theme=theme)
    assert ("prefers-color-scheme" in svg) == (theme == "auto")
    assert ("#ffffff" in svg) == (theme != "dark")
    assert ("#0d1117" in svg) == (theme != "light")


def test_nothing_comes_from_elsewhere() -> None:
    for text in (to_svg(LETTER), page("t", [Section("h", drawing(LETTER), "a")])):
        assert set(re.findall(r"https?://[^\"' ]*", text)) == {"http://www.w3.org/2000/svg"}
        assert not re.search(r"<script|<link|@import|url\(|src=", text)


def test_widths_are_plausible() -> None:
    assert text_width("", 16) == 0
    assert text_width("iii", 16) < text_width("abc", 16) < text_width("WWW", 16)
    assert text_width("茶", 16) >= 16
    assert text_width("e\u0301", 16) == text_width("e", 16)


class Tags(HTMLParser):
    """Fails on tags that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [value or "" for name, value in attrs if name == "id"]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


def test_a_page() -> None:
    body = join(drawing(LETTER), table(["name", "n"], [["a<b", 3], [Html("<b>bold</b>"), 0.5]]), "5 < 6")
    sections = [Section("First & last", body, "first"), Section(EVIL, EVIL, 'a"b')]
    html = page(EVIL, sections, lead="Two <sections>.")
    found = read(html)
    assert html.startswith("<!DOCTYPE html>")
    assert found.ids == ["first", 'a"b']
    for text in (SHOWN, "First & last", "Two <sections>.", "a<b", "bold", "5 < 6", "letter"):
        assert text in found.text
    assert html.count('<td class="number">') == 2
    assert "<b>bold</b>" in html
    assert html.count("<svg") == 1
    assert html.count("<style>") == 1
    assert 'href="#first"' in html


def test_the_contents_are_there_when_needed_and_folded_when_long() -> None:
    def of(count: int) -> str:
        return page("t", [Section(f"h{i}", "", f"a{i}") for i in range(count)])

    assert "<nav>" not in of(1)
    assert "<details open>" in of(2)
    assert "<details>" in of(13)
    assert read(of(13)).ids == [f"a{i}" for i in range(13)]


def test_markup() -> None:
    assert markup("<&\t") == "&lt;&amp;␉"
    assert markup(Html("<b>")) == "<b>"
    assert markup(3) == "3"
