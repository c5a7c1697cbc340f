"""Treebanks and sentences: sequences, views, changes, copies, and what is refused."""

import re
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from dynarc import ConlluError, Sentence, Tree, Treebank, TreeError, iter_treebanks, read_conllu
from dynarc.treebank import Format


def sentence(name: str, words: int = 2) -> bytes:
    rows = [f"{n}\t{name}{n}\tl\tX\tx\tA=b\t{n - 1}\tdep\t_\tm\n" for n in range(1, words + 1)]
    return f"# sent_id = {name}\n{''.join(rows)}\n".encode()


NAMES = ["a", "b", "c", "d", "e"]
DATA = b"".join(map(sentence, NAMES))


@pytest.fixture
def treebank() -> Treebank:
    return read_conllu(DATA, name="five.conllu")


def names(treebank: Treebank) -> list[str | None]:
    return [sentence.sent_id for sentence in treebank]


# A sequence.


@pytest.mark.parametrize("index", [0, 4, -1, -5])
def test_index(treebank: Treebank, index: int) -> None:
    assert treebank[index].sent_id == NAMES[index]


@pytest.mark.parametrize("index", [5, -6])
def test_index_out_of_range(treebank: Treebank, index: int) -> None:
    for one in (treebank, treebank[:], Treebank(treebank)):
        with pytest.raises(IndexError):
            one[index]


@pytest.mark.parametrize(
    "cut",
    [slice(1, 3), slice(-2, None), slice(None, None, 2), slice(None, None, -1), slice(3, 1), slice(9, 99), slice(None)],
    ids=str,
)
def test_slice(treebank: Treebank, cut: slice) -> None:
    for one in (treebank, Treebank(treebank)):
        part = one[cut]
        assert isinstance(part, Treebank)
        assert names(part) == NAMES[cut]
        assert len(part) == len(NAMES[cut])
        assert part.words == 2 * len(NAMES[cut])
        assert part.to_bytes() == b"".join(map(sentence, NAMES[cut]))
        assert names(part[1:][::-1]) == NAMES[cut][1:][::-1]


def test_iteration_contains_and_index(treebank: Treebank) -> None:
    assert [s.sent_id for s in treebank] == NAMES
    assert [s.sent_id for s in reversed(treebank)] == NAMES[::-1]
    assert treebank[2] in treebank
    assert Sentence(["x"]) not in treebank
    assert treebank.index(treebank[3]) == 3
    assert treebank.count(treebank[3]) == 1


def test_add_and_remove_sentences(treebank: Treebank) -> None:
    new = Sentence(["new"], sent_id="n")
    treebank.append(new)
    treebank.insert(1, new)
    assert names(treebank) == ["a", "n", "b", "c", "d", "e", "n"]
    del treebank[0]
    del treebank[-3:]
    assert names(treebank) == ["n", "b", "c"]
    treebank[0] = treebank[2]
    treebank[1:2] = [new, new]
    assert names(treebank) == ["c", "n", "n", "c"]
    treebank.extend([new])
    treebank.pop(0)
    treebank.remove(treebank[-2])
    treebank.reverse()
    assert names(treebank) == ["n", "n", "n"]
    treebank.clear()
    assert (len(treebank), treebank.words, treebank.to_bytes()) == (0, 0, b"")


def test_a_moved_sentence_is_written_where_it_is(treebank: Treebank) -> None:
    treebank.insert(0, treebank.pop())
    assert treebank.to_bytes() == b"".join(map(sentence, "eabcd"))


def test_join(treebank: Treebank) -> None:
    both = treebank[3:] + treebank[:1] + Treebank([Sentence(["x"], sent_id="x")])
    assert names(both) == ["d", "e", "a", "x"]
    assert names(treebank) == NAMES
    treebank += both
    assert names(treebank) == [*NAMES, "d", "e", "a", "x"]
    with pytest.raises(TypeError):
        treebank + "a"  # type: ignore[operator]


@pytest.mark.parametrize(
    "change",
    [
        lambda tb: tb.append("text"),
        lambda tb: tb.insert(0, None),
        lambda tb: tb.__setitem__(0, 1),
        lambda tb: tb.__setitem__(slice(0, 1), ["text"]),
        lambda tb: Treebank(["text"]),  # type: ignore[list-item]
    ],
)
def test_only_sentences(treebank: Treebank, change: Callable[[Treebank], object]) -> None:
    with pytest.raises(TypeError, match="a treebank holds sentences, not "):
        change(treebank)
    assert treebank.to_bytes() == DATA


def test_equality(treebank: Treebank) -> None:
    assert treebank == read_conllu(DATA)
    assert treebank == Treebank(treebank)
    assert treebank != treebank[:4]
    assert treebank != treebank[::-1]
    assert treebank != list(treebank)
    assert treebank[0] != treebank[1]
    assert treebank[0] != "a"
    other = treebank.copy()
    other[4].upos[0] = "Y"
    assert treebank != other
    with pytest.raises(TypeError):
        hash(treebank)
    with pytest.raises(TypeError):
        hash(treebank[0])


def test_repr(treebank: Treebank) -> None:
    assert repr(treebank) == "<Treebank five.conllu: 5 sentences, 10 words>"
    assert repr(treebank[0]) == "<Sentence a: a1 a2>"
    assert repr(read_conllu(sentence("x", 9))[0]) == "<Sentence x: x1 x2 x3 x4 x5 x6 x7 x8 ...>"
    treebank[1].sent_id = None
    assert repr(treebank[1]) == "<Sentence five.conllu:5: b1 b2>"
    assert str(treebank[0]) == sentence("a").decode().strip()


def test_what_stands_around_sentences_goes_with_the_whole_only() -> None:
    data = b"\xef\xbb\xbf# alone\n\n\n" + sentence("a") + b"  \n# alone too\n\n" + sentence("b") + b"\n# at the end"
    treebank = read_conllu(data)
    assert treebank.to_bytes() == treebank[:].to_bytes() == data
    assert treebank[0:1].to_bytes() + treebank[1:].to_bytes() == sentence("a") + sentence("b")
    assert Treebank(treebank).to_bytes() == sentence("a") + sentence("b")


# Views.


def test_a_slice_shares_changes(treebank: Treebank) -> None:
    part = treebank[1:3]
    part[0].forms[0] = "changed"
    treebank[2].heads[1] = 0
    listed = Treebank(treebank)
    listed[0].deprels = ["x", "y"]
    assert treebank[1].forms == ["changed", "b2"]
    assert part[1].heads == [0, 0]
    assert treebank[0].deprels == ["x", "y"]
    assert treebank.to_bytes().count(b"changed") == part.to_bytes().count(b"changed") == 1


def test_a_copy_does_not(treebank: Treebank) -> None:
    for copied in (treebank.copy(), treebank[1:4].copy(), Treebank(treebank).copy(), treebank[::-1].copy()):
        for one in copied:
            one.forms = ["x", "y"]
            one.comments = []
        assert b"a1" not in copied.to_bytes()
    assert treebank.to_bytes() == DATA
    alone = treebank[0].copy()
    treebank[0].forms[0] = "here"
    assert alone.forms == ["a1", "a2"]


def test_a_copy_of_a_changed_treebank_has_the_changes(treebank: Treebank) -> None:
    treebank[0].forms[0] = "x"
    assert treebank.copy().to_bytes() == treebank.to_bytes() == DATA.replace(b"a1", b"x")


# Changes.


def test_change_columns(treebank: Treebank) -> None:
    one = treebank[0]
    one.forms = ["x", "y"]
    one.lemmas[:] = ["m", "n"]
    one.upos[-1] = "V"
    one.xpos[0:1] = ["z"]
    one.feats = [{"b": "2", "A": "1"}, None]
    one.heads = [2, None]
    one.deprels = [None, "root"]
    one.deps[0] = "0:root"
    one.misc[1] = {"SpaceAfter": "No"}
    changed = "# sent_id = a\n1\tx\tm\tX\tz\tA=1|b=2\t2\t_\t0:root\tm\n2\ty\tn\tV\tx\t_\t_\troot\t_\tSpaceAfter=No\n\n"
    assert treebank.to_bytes() == changed.encode() + DATA.removeprefix(sentence("a"))
    assert (one.heads, one.deprels, one.feats) == ([2, None], [None, "root"], ["A=1|b=2", "_"])


def test_a_column_shows_what_was_written(treebank: Treebank) -> None:
    feats, deprels, heads = treebank[0].feats, treebank[0].deprels, treebank[0].heads
    feats[0], deprels[0], heads[0] = {"A": "1"}, "_", None
    assert (feats[0], deprels[0], heads[0]) == ("A=1", None, None)
    feats[1], deprels[1] = None, "x"
    assert (feats, deprels) == (treebank[0].feats, treebank[0].deprels) == (["A=1", "_"], [None, "x"])


@pytest.mark.parametrize("column", ["forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels", "deps", "misc"])
def test_columns_keep_their_length(treebank: Treebank, column: str) -> None:
    for values in ([], [None], [None] * 3):
        with pytest.raises(TreeError, match=rf"2 values are to be replaced, but {len(values)} were given"):
            setattr(treebank[0], column, values)
    values = getattr(treebank[0], column)
    changes: list[Callable[[], object]] = [
        lambda: values.append("x"),
        lambda: values.extend("x"),
        lambda: values.insert(0, "x"),
        lambda: values.pop(),
        lambda: values.remove(values[0]),
        lambda: values.clear(),
        lambda: values.sort(),
        lambda: values.reverse(),
        lambda: values.__delitem__(0),
        lambda: values.__iadd__(["x"]),
        lambda: values.__imul__(2),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="keep their length"):
            change()
    with pytest.raises(IndexError):
        values[2] = "x"
    assert treebank.to_bytes() == DATA


@pytest.mark.parametrize("column", ["forms", "lemmas", "upos", "xpos", "feats", "deprels", "deps", "misc"])
@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("a\tb", "a column holds neither TAB, line end nor NUL"),
        ("a\nb", "a column holds neither TAB, line end nor NUL"),
        ("a\r", "a column holds neither TAB, line end nor NUL"),
        ("\0", "a column holds neither TAB, line end nor NUL"),
        ("", "it must be text, or None if there is none"),
        (1.5, "it must be text, or None if there is none"),
        (True, "it must be text, or None if there is none"),
        (["a"], "it must be text, or None if there is none"),
        ("\ud800", "half a surrogate pair is no character"),
    ],
)
def test_refused_values(treebank: Treebank, column: str, value: object, reason: str) -> None:
    changes: list[Callable[[], object]] = [
        lambda: getattr(treebank[0], column).__setitem__(1, value),
        lambda: setattr(treebank[0], column, ["fine", value]),  # and then nothing of it is done
    ]
    for change in changes:
        with pytest.raises(ConlluError, match=reason) as caught:
            change()
        assert str(caught.value).startswith(f"five.conllu: {column.removesuffix('s').upper()[:4]}")
    assert treebank.to_bytes() == DATA


def test_a_text_is_no_column(treebank: Treebank) -> None:
    with pytest.raises(TreeError):
        treebank[0].forms = "xy"
    assert treebank.to_bytes() == DATA


@pytest.mark.parametrize("head", [3, -1, True, "1", 1.0])
def test_refused_heads(treebank: Treebank, head: object) -> None:
    changes: list[Callable[[], object]] = [
        lambda: treebank[0].heads.__setitem__(0, head),
        lambda: setattr(treebank[0], "heads", [0, head]),
    ]
    for change in changes:
        with pytest.raises(TreeError, match=r"word [12] cannot have head .*: heads are 0 \(ROOT\) to 2 or None"):
            change()
    assert treebank.to_bytes() == DATA


def test_odd_values_of_the_file_may_stay() -> None:
    data = b"1\ta\rb\t\t_\t_\t_\t0\t\t_\t\n2\tc\t\t_\t_\t_\t1\tx\t_\t_\n\n"
    [one] = treebank = read_conllu(data)
    one.forms = list(one.forms)
    one.lemmas, one.deprels, one.misc = list(one.lemmas), list(one.deprels), list(one.misc)
    assert treebank.to_bytes() == data
    one.forms = [form.upper() if form == "c" else form for form in one.forms]
    assert treebank.to_bytes() == data.replace(b"c", b"C")
    with pytest.raises(ConlluError, match="FORM cannot be 'a"):
        one.forms[1] = one.forms[0]


def test_cycles_may_be_made_but_are_no_tree(treebank: Treebank) -> None:
    treebank[0].heads = [2, 1]
    with pytest.raises(TreeError, match="cycle"):
        _ = treebank[0].tree
    with pytest.raises(ConlluError, match="cycle"):
        read_conllu(treebank.to_bytes())
    assert treebank.copy()[0].heads == [2, 1]


# Comments.


def test_comments() -> None:
    [one] = treebank = read_conllu(b"#\n# newdoc\n# a = 1\n#b=2\n# a = 3\n" + sentence("x"))
    assert one.comments == ["#", "# newdoc", "# a = 1", "#b=2", "# a = 3", "# sent_id = x"]
    assert (one.comment("a"), one.comment("b"), one.comment("newdoc"), one.comment("c")) == ("1", "2", None, None)
    one.set_comment("a", "4")
    one.set_comment("b", None)
    one.set_comment("c", "5")
    one.text = "T"
    assert one.comments == ["#", "# newdoc", "# a = 4", "# sent_id = x", "# c = 5", "# text = T"]
    one.text = one.sent_id = None
    one.comments = []
    assert treebank.to_bytes() == sentence("x").removeprefix(b"# sent_id = x\n")
    one.sent_id = "y"
    assert treebank.to_bytes() == sentence("x").replace(b" = x", b" = y")


@pytest.mark.parametrize("line", ["text", "", "# a\nb", "# a\r", "# \0", "# \udc80"])
def test_refused_comments(treebank: Treebank, line: str) -> None:
    with pytest.raises(ConlluError, match="is no comment"):
        treebank[0].comments = ["# fine", line]
    assert treebank.to_bytes() == DATA


def test_comments_that_stay_keep_their_bytes() -> None:
    data = b"# a\r\n# lone \r here\n#\xc2\xa0sent_id = no\r\n" + sentence("x")
    [one] = treebank = read_conllu(data)
    assert one.sent_id == "x"
    one.sent_id = "y"
    assert treebank.to_bytes() == data.replace(b"= x\n", b"= y\r\n")  # a new line ends as the first one does


def test_new_comments_have_the_line_ends_of_the_file() -> None:
    rows = sentence("x").removeprefix(b"# sent_id = x\n").replace(b"\n", b"\r\n")
    [one] = treebank = read_conllu(rows)
    one.sent_id = "x"
    assert treebank.to_bytes() == b"# sent_id = x\r\n" + rows


def test_comments_between_and_after_words_stay() -> None:
    data = b"1\ta\t_\t_\t_\t_\t0\t_\t_\t_\n# between\n2\tb\t_\t_\t_\t_\t1\t_\t_\t_\n# after\n\n"
    [one] = treebank = read_conllu(data)
    assert (one.forms, one.comments, one.line_of(2)) == (["a", "b"], [], 3)
    one.forms[1] = "c"
    one.comments = ["# before"]
    assert treebank.to_bytes() == b"# before\n" + data.replace(b"\tb\t", b"\tc\t")


# Sentences from lists.


def test_sentence_from_lists() -> None:
    one = Sentence(
        ["a", "b"],
        lemmas=["x", None],
        upos=["X", "Y"],
        feats=[{"B": "2", "a": "1"}, {}],
        heads=[2, 0],
        deprels=["dep", None],
        misc=["M=1", None],
        sent_id="s",
        text="ab",
        comments=["# first"],
        ranges=[(1, 2, "ab")],
    )
    assert str(one).split("\n") == [
        "# first",
        "# sent_id = s",
        "# text = ab",
        "1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_",
        "1\ta\tx\tX\t_\ta=1|B=2\t2\tdep\t_\tM=1",
        "2\tb\t_\tY\t_\t_\t0\t_\t_\t_",
    ]
    assert one.ranges == [(1, 2, "ab")]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"forms": []}, "a sentence needs at least one word"),
        ({"forms": "ab"}, "FORM is one text, not a list"),
        ({"forms": ["a"], "heads": [0, 0]}, "there are 1 words but 2 values for HEAD"),
        ({"forms": ["a"], "heads": [2]}, "HEAD is 2, but the sentence has 1 word"),
        ({"forms": ["a", "b"], "heads": [2, 1]}, "the heads form a cycle: 1 <- 2 <- 1"),
        ({"forms": ["a"], "heads": [True]}, "HEAD cannot be True"),
        ({"forms": ["a\tb"]}, "a column holds neither TAB"),
        ({"forms": ["\ud800"]}, "half a surrogate pair"),
        ({"forms": ["a"], "sent_id": "a\nb"}, "is no comment"),
        ({"forms": ["a"], "text": "\ud800"}, "is no comment"),
        ({"forms": ["a"], "ranges": [(2, 3, "x")]}, "a multiword token begins at word 2, which does not exist"),
        ({"forms": ["a"], "ranges": [(1, 2, "x")]}, "the range of the multiword token ends at 2"),
        ({"forms": ["a"], "ranges": [(1, 1, "x"), (1, 1, "y")]}, "two multiword tokens begin at word 1"),
        ({"forms": ["a", "b", "c"], "ranges": [(1, 2, "x"), (2, 3, "y")]}, "overlaps with none"),
    ],
)
def test_refused_sentences(arguments: dict[str, object], reason: str) -> None:
    with pytest.raises(ConlluError, match=re.escape(reason)):
        Sentence(**arguments)  # type: ignore[arg-type]


# Reading.


def test_skip_bad() -> None:
    bad = b"1\tx\n\n"
    cyclic = b"# c\n1\tx\t_\t_\t_\t_\t1\t_\t_\t_\n\n"
    data = bad + sentence("a") + cyclic + b"# alone\n\n" + sentence("b") + bad
    treebank = read_conllu(data, name="x", skip_bad=True)
    assert names(treebank) == ["a", "b"]
    assert [s.line for s in treebank] == [3, 12]
    assert [str(problem) for problem in treebank.problems] == [
        "x:1:1: expected 10 columns separated by TAB, found 2: '1\\tx'",
        "x:8:13: word 1 is its own head",
        "x:16:1: expected 10 columns separated by TAB, found 2: '1\\tx'",
    ]
    assert treebank.to_bytes() == sentence("a") + sentence("b")
    assert treebank[:1].problems == ()
    assert len(read_conllu(data, skip_bad=True, check_trees=False)) == 3


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.conllu", "conllu"),
        ("a.conll", "conllx"),
        ("a.conllx", "conllx"),
        ("a.conll.gz", "conllx"),
        ("a.conllx.zst", "conllx"),
        ("a.conllu.xz", "conllu"),
        ("conll", "conllu"),
        ("-", "conllu"),
    ],
)
def test_format(name: str, format: Format) -> None:  # noqa: A002
    treebank = read_conllu(DATA, name=name)
    assert treebank.format == treebank[1:].format == treebank.copy().format == format
    assert [part.format for part in iter_treebanks(DATA, name=name)] == [format]
    assert read_conllu(DATA, name=name, format="conllx").format == "conllx"


def test_format_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.conllx.gz"
    read_conllu(DATA).write(path)
    assert read_conllu(path).format == "conllx"
    assert read_conllu(path).to_bytes() == DATA


@pytest.mark.parametrize("block", [-1, 0, 1, 2, 50, 10**9])
def test_any_size_of_block(block: int) -> None:
    assert b"".join(part.to_bytes() for part in iter_treebanks(DATA, block=block)) == DATA


def test_eight_threads_read_the_same() -> None:
    treebank = read_conllu(b"".join(sentence(f"s{n}", 1 + n % 30) for n in range(500)))
    treebank[3].forms[0] = "changed"

    def everything() -> list[object]:
        seen: list[object] = [treebank.to_bytes(), treebank.words, treebank.document().column_buffers(1)]
        for one in treebank:
            seen += [list(one.forms), list(one.heads), list(one.deprels), one.tokens, one.comments, one.line]
        return seen

    expected = everything()
    found: list[bool] = []
    start = threading.Barrier(8)

    def run() -> None:
        start.wait()
        found.append(everything() == expected)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_numbers_of_other_libraries_are_heads() -> None:
    numpy = pytest.importorskip("numpy")
    heads = numpy.array([2, 0])
    sentence = Sentence(["a", "b"], heads=heads)
    assert sentence.heads == [2, 0]
    sentence.heads = heads[::-1] + numpy.array([0, -1])
    assert sentence.heads == [0, 1]
    assert sentence.tree == Tree(numpy.array([0, 1]), [None, None])
    for wrong in (True, 1.0, "1"):
        with pytest.raises(TreeError):
            sentence.heads[0] = wrong
