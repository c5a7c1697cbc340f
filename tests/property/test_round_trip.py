"""Documents in and out, against a reader of a few lines of plain Python that shares nothing with the package.

Documents are as hostile as valid ones can be; then bytes of them are changed at random, and whatever comes of that is
read or refused, never anything else.
"""

import copy
import io
import json
import pickle
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import seeds, stable

from dynarc import ConlluError, Sentence, Treebank, iter_treebanks, read_conllu
from dynarc.tables import from_arrow, from_records, iter_jsonl, record, to_jsonl

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
TEXT_COLUMNS = {"forms": FORM, "lemmas": LEMMA, "upos": UPOS, "xpos": XPOS, "feats": FEATS, "deps": DEPS, "misc": MISC}
BOM = b"\xef\xbb\xbf"

TAME = ["a", "Zug", "_", "#", "x=y", "A=b|C=d", "e\u0301", "\u0928\u092e\u0938\u094d\u0924\u0947", "😀", "\u200d"]
# Characters at which str.splitlines breaks, blanks that str.strip takes off, and nothing at all.
WILD = [
    *TAME, "", " ", "a b", " a ", "\xa0", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "a\rb", "\r", "\ufeff",
    "²",
]  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """What may stand in a document."""

    wild: bool = True  # cells and comments of any kind, and comments between words
    layout: bool = True  # any line ends, any blank lines, comments on their own, a byte-order mark, no end


PLAIN = Kind(layout=False)
TAME_AND_PLAIN = Kind(wild=False, layout=False)


def heads_of(rng: random.Random, words: int) -> list[str]:
    """Any forest, some heads unknown."""
    order = rng.sample(range(1, words + 1), words)
    heads = [""] * words
    for place, word in enumerate(order):
        heads[word - 1] = rng.choice(["0", "_", *(str(other) for other in order[:place])])
    return heads


def rows_of(rng: random.Random, kind: Kind, words: int) -> Iterator[list[str]]:
    texts = WILD if kind.wild else TAME

    def row(name: str, head: str) -> list[str]:
        cells = ["".join(rng.choices(texts, k=rng.choice([1, 1, 1, 3]))) for _ in range(10)]
        cells[ID], cells[HEAD], cells[MISC] = name, head, cells[MISC].rstrip("\r")
        return cells

    heads, covered = heads_of(rng, words), 0
    for minor in range(rng.choice([0, 0, 0, 2])):
        yield row(f"0.{minor + 1}", "_")
    for word in range(1, words + 1):
        if word > covered and rng.random() < 0.15:
            covered = min(words, word + rng.randrange(3))  # also of one word
            yield row(f"{word}-{covered}", "_")
        yield row(str(word), heads[word - 1])
        minor = 0
        while rng.random() < 0.07:
            minor += rng.randint(1, 2)
            yield row(f"{word}.{minor}", "_")


def comment(rng: random.Random, kind: Kind) -> str:
    texts = [*(WILD if kind.wild else TAME), "\t" if kind.wild else " ", " sent_id = ", "text=", " = "]
    return ("#" + "".join(rng.choices(texts, k=rng.randrange(5)))).rstrip("\r")


def document(seed: int, sentences: int, longest: int, kind: Kind) -> bytes:
    rng = random.Random(seed)
    ends = rng.choice([["\n"], ["\r\n"], ["\n", "\r\n"]]) if kind.layout else ["\n"]
    out = []

    def line(text: str) -> None:
        out.append(text + rng.choice(ends))

    def blank() -> None:
        line(" " * rng.choice([0, 0, 0, 1, 5]) if kind.layout else "")

    if kind.layout:
        for _ in range(rng.choice([0, 0, 1, 2])):
            blank()
    for _ in range(sentences):
        if kind.layout and rng.random() < 0.1:
            line(comment(rng, kind))
            blank()
        for _ in range(rng.choice([0, 1, 3])):
            line(comment(rng, kind))
        for cells in rows_of(rng, kind, rng.randint(1, longest)):
            line("\t".join(cells))
            if kind.layout and rng.random() < 0.03:
                line(comment(rng, kind))
        for _ in range(rng.choice([1, 1, 2, 3]) if kind.layout else 1):
            blank()
    if kind.layout and rng.random() < 0.2:
        line(comment(rng, kind))
    data = "".join(out)
    if kind.layout:
        data = rng.choice([data, data, data.rstrip(" \r\n") if data.strip() else data])
        if data and rng.random() < 0.3:
            data = data.removesuffix("\n")
        if rng.random() < 0.3:
            data = "\ufeff" + data
    return data.encode()


def documents(kind: Kind = Kind(), sentences: int = 5) -> st.SearchStrategy[bytes]:
    longest = st.sampled_from([1, 2, 3, 8, 60])
    return st.builds(document, st.integers(0, 2**32), st.integers(0, sentences), longest, st.just(kind))


@dataclass(frozen=True)
class Plain:
    """A sentence as the reference has it. Lines are counted from 0."""

    line: int
    comments: list[str]
    rows: list[tuple[int, list[str]]]  # number of the line and cells

    @property
    def words(self) -> list[tuple[int, list[str]]]:
        return [(line, cells) for line, cells in self.rows if cells[ID].isdigit()]

    def cells(self, column: int) -> list[str]:
        return [cells[column] for _, cells in self.words]

    @property
    def heads(self) -> list[int | None]:
        return [None if head == "_" else int(head) for head in self.cells(HEAD)]

    def value(self, key: str) -> str | None:
        for line in self.comments:
            name, equals, value = line[1:].partition("=")
            if equals and name.strip(" \t") == key:
                return value.strip(" ")
        return None


def reference(data: bytes) -> list[Plain]:
    """Splits at line feeds and TABs, and nothing else."""
    sentences: list[Plain] = []
    new = True
    for number, raw in enumerate(data.removeprefix(BOM).split(b"\n")):
        text = raw.removesuffix(b"\r").decode()
        if not text.strip(" "):
            new = True
            continue
        if new:
            sentences.append(Plain(number, [], []))
            new = False
        if not text.startswith("#"):
            sentences[-1].rows.append((number, text.split("\t")))
        elif not sentences[-1].rows:
            sentences[-1].comments.append(text)
    return [sentence for sentence in sentences if sentence.rows]


def assert_same(sentence: Sentence, plain: Plain) -> None:
    assert len(sentence) == len(plain.words)
    for name, column in TEXT_COLUMNS.items():
        assert list(getattr(sentence, name)) == plain.cells(column)
    assert sentence.heads == plain.heads
    assert sentence.deprels == [None if cell == "_" else cell for cell in plain.cells(DEPREL)]
    assert [list(token) for token in sentence.tokens] == [cells for _, cells in plain.rows]
    assert sentence.comments == plain.comments
    assert (sentence.sent_id, sentence.text) == (plain.value("sent_id"), plain.value("text"))
    ids = [cells[ID] for _, cells in plain.rows]
    assert [f"{a}-{b}" for a, b, _ in sentence.ranges] == [name for name in ids if "-" in name]
    assert [f"{a}.{b}" for a, b, _ in sentence.empty_nodes] == [name for name in ids if "." in name]


def assert_all_same(treebank: Treebank | list[Sentence], plain: list[Plain]) -> None:
    assert len(treebank) == len(plain)
    for sentence, expected in zip(treebank, plain, strict=True):
        assert_same(sentence, expected)


@given(documents())
@stable(300)
def test_what_is_read_is_what_stands_there(data: bytes) -> None:
    treebank = read_conllu(data)
    plain = reference(data)
    assert_all_same(treebank, plain)
    assert [s.line for s in treebank] == [p.line + 1 for p in plain]
    assert treebank.words == sum(len(p.words) for p in plain)
    for sentence, expected in zip(treebank, plain, strict=True):
        for number, (line, _) in enumerate(expected.words, start=1):
            assert sentence.line_of(number) == line + 1
    assert treebank.to_bytes() == data


@given(documents(), st.integers(1, 3000))
@stable(300)
def test_in_parts(data: bytes, block: int) -> None:
    parts = list(iter_treebanks(data, block=block))
    assert b"".join(part.to_bytes() for part in parts) == data
    whole = read_conllu(data)
    sentences = [sentence for part in parts for sentence in part]
    assert [s.line for s in sentences] == [s.line for s in whole]
    assert_all_same(sentences, reference(data))


def replaced(lines: list[bytes], number: int, column: int, text: str) -> None:
    """The edit, made in a line of the file."""
    cells = lines[number].split(b"\t")
    end = b"\r" if column == MISC and cells[column].endswith(b"\r") else b""
    cells[column] = text.encode() + end
    lines[number] = b"\t".join(cells)


@given(documents(), seeds())
@stable(300)
def test_changes_change_nothing_else(data: bytes, seed: int) -> None:
    rng = random.Random(seed)
    treebank, plain, lines = read_conllu(data), reference(data), data.split(b"\n")
    untouched = treebank.copy()
    for _ in range(rng.randrange(12) if plain else 0):
        at = rng.randrange(len(plain))
        word = rng.randrange(len(plain[at].words))
        number = plain[at].words[word][0]
        if rng.random() < 0.4:
            head = rng.choice([None, *range(len(plain[at].words) + 1)])
            treebank[at].heads[word] = head
            replaced(lines, number, HEAD, "_" if head is None else str(head))
        elif rng.random() < 0.2:
            treebank[at].deprels[word] = None
            replaced(lines, number, DEPREL, "_")
        else:
            name = rng.choice(list(TEXT_COLUMNS))
            text = rng.choice([*TAME, f"new{rng.random()}", "a b", " ", "\u2028"])
            getattr(treebank[at], name)[word] = text
            replaced(lines, number, TEXT_COLUMNS[name], text)
    expected = b"\n".join(lines)
    assert treebank.to_bytes() == expected
    assert_all_same(treebank, reference(expected))
    assert untouched.to_bytes() == data
    assert_all_same(untouched, plain)
    assert pickle.loads(pickle.dumps(treebank)).to_bytes() == expected


@given(documents(sentences=3), seeds())
@stable(200)
def test_changed_comments_change_nothing_else(data: bytes, seed: int) -> None:
    rng = random.Random(seed)
    treebank, plain, lines = read_conllu(data), reference(data), data.split(b"\n")
    for at in reversed(range(len(plain))):  # from the end: the lines before stay where they are
        comments, first = plain[at].comments, plain[at].line
        if len(set(comments)) < len(comments):
            continue  # which of two equal lines went cannot be told
        end = b"\r" if lines[first].endswith(b"\r") else b""
        place = rng.randrange(len(comments) + 1)
        gone = rng.choice([0, 0, 1]) if place < len(comments) else 0
        new = rng.choice([[], ["# new"], ["# new = 1", "# new = 2"]])
        new = [text for text in new if text not in comments]
        treebank[at].comments = [*comments[:place], *new, *comments[place + gone :]]
        mark = BOM if first == 0 and lines[0].startswith(BOM) else b""
        lines[first] = lines[first].removeprefix(mark)
        lines[first + place : first + place + gone] = [text.encode() + end for text in new]
        lines[first] = mark + lines[first]
    expected = b"\n".join(lines)
    assert treebank.to_bytes() == expected
    assert [s.comments for s in treebank] == [p.comments for p in reference(expected)]


@given(documents(sentences=8), seeds())
@stable(150)
def test_parts_in_any_order(data: bytes, seed: int) -> None:
    rng = random.Random(seed)
    treebank, plain = read_conllu(data), reference(data)
    cut = slice(rng.randint(-9, 9), rng.choice([None, *range(-9, 9)]), rng.choice([None, 1, 2, -1, -2]))
    assert_all_same(treebank[cut], plain[cut])
    assert_all_same(read_conllu(treebank[cut].to_bytes()), plain[cut])
    order = rng.choices(range(len(plain)), k=len(plain))
    shuffled = Treebank(treebank[i] for i in order)
    assert_all_same(read_conllu(shuffled.to_bytes()), [plain[i] for i in order])
    at = rng.randrange(len(plain) + 1)
    joined = treebank[at:] + treebank[:at]
    assert_all_same(read_conllu(joined.to_bytes()), plain[at:] + plain[:at])
    assert joined == treebank[at:] + treebank[:at]
    shuffled.append(Sentence(["more"]))
    del shuffled[: len(plain)]
    assert [s.forms for s in shuffled] == [["more"]]
    assert treebank.to_bytes() == data


@given(documents(), seeds())
@stable(100)
def test_copies(data: bytes, seed: int) -> None:
    """However one is made, it is equal, and changes apart from what it was made of."""
    treebank, plain = read_conllu(data), reference(data)
    copies = [treebank.copy(), copy.copy(treebank), copy.deepcopy(treebank), pickle.loads(pickle.dumps(treebank))]
    for other in copies:
        assert other == treebank
        assert other.to_bytes() == data
    for sentence, expected in zip(treebank, plain, strict=True):
        for one in (sentence.copy(), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):
            assert one == sentence
            assert_same(one, expected)
            assert (one.path, one.line) == (sentence.path, sentence.line)
            one.forms[0] = "changed"
            assert_same(sentence, expected)
            assert one != sentence
    for other in (treebank.copy(), copy.deepcopy(treebank)):
        for sentence in other:
            sentence.comments = ["# changed"]
            sentence.heads = [None] * len(sentence)
        assert treebank.to_bytes() == data


@given(documents(TAME_AND_PLAIN))
@stable(100)
def test_sentences_from_lists(data: bytes) -> None:
    for sentence, plain in zip(read_conllu(data), reference(data), strict=True):
        if any("." in cells[ID] for _, cells in plain.rows):
            continue
        built = Sentence(
            sentence.forms,
            lemmas=sentence.lemmas,
            upos=sentence.upos,
            xpos=sentence.xpos,
            feats=sentence.feats,
            heads=sentence.heads,
            deprels=sentence.deprels,
            deps=sentence.deps,
            misc=sentence.misc,
            comments=sentence.comments,
            ranges=sentence.ranges,
        )
        assert [cells for _, cells in plain.words] == [list(token) for token in built.tokens if token.is_word]
        assert (built.comments, built.ranges) == (sentence.comments, sentence.ranges)


@given(documents(PLAIN))
@stable(150)
def test_json_lines(data: bytes) -> None:
    out = io.BytesIO(to_jsonl(read_conllu(data)))
    assert out.getvalue().count(b"\n") == len(reference(data))
    again = b"".join(part.to_bytes() for part in iter_jsonl(io.BytesIO(out.getvalue()), "x", block=2))
    assert again == data


@given(documents(PLAIN), seeds())
@stable(100)
def test_arrow_and_pandas(data: bytes, seed: int) -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    treebank = read_conllu(data)
    for sentence in treebank:  # tables show what was changed
        sentence.lemmas[random.Random(seed).randrange(len(sentence))] = "changed"
    data = treebank.to_bytes()
    plain = reference(data)
    assert from_arrow(treebank.to_arrow()).to_bytes() == data
    assert treebank.to_arrow().to_pylist() == [record(sentence) for sentence in treebank]
    frame = treebank.to_pandas(by="sentence")
    assert from_records(frame.to_dict("records") if len(plain) else []).to_bytes() == data
    rows = [(number, p, cells) for number, p in enumerate(plain) for _, cells in p.rows]
    for table in (treebank.to_arrow(by="token"), treebank.to_pandas()):
        columns = {name: table[name].to_numpy().tolist() for name in ("sentence", "sent_id", "id", "form", "misc")}
        columns["sent_id"] = [name if isinstance(name, str) else None for name in columns["sent_id"]]
        assert columns == {
            "sentence": [number for number, _, _ in rows],
            "sent_id": [p.value("sent_id") for _, p, _ in rows],
            "id": [cells[ID] for _, _, cells in rows],
            "form": [cells[FORM] for _, _, cells in rows],
            "misc": [cells[MISC] for _, _, cells in rows],
        }


@given(documents(PLAIN))
@stable(50)
def test_records_are_json(data: bytes) -> None:
    records = [record(sentence) for sentence in read_conllu(data)]
    assert json.loads(json.dumps(records)) == records
    assert [fields["head"] for fields in records] == [
        [int(cells[HEAD]) if cells[HEAD] != "_" else None for _, cells in p.rows] for p in reference(data)
    ]


# What was valid, with some bytes changed.

PIECES = [
    b"\t", b"\n", b"\n\n", b"\r", b" ", b"#", b"-", b".", b"_", b"0", b"1", b"2", b"9", b"|", b"\0", b"\xff", b"\xc3",
    b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xe2\x80", BOM, b"1-2\t", b"1.1\t", b"3\t",
]  # fmt: skip


def damaged(data: bytes, seed: int) -> bytes:
    rng = random.Random(seed)
    for _ in range(rng.choice([1, 1, 1, 2, 3, 10])):
        at = rng.randrange(len(data) + 1)
        choice = rng.randrange(6)
        if choice == 0:
            data = data[:at] + data[at + rng.choice([1, 1, 2, 30]) :]
        elif choice == 1:
            data = data[:at] + rng.choice(PIECES) + data[at:]
        elif choice == 2:
            data = data[:at] + rng.randbytes(1) + data[at + 1 :]
        else:  # one cell of one line, or the line itself
            lines = data.split(b"\n")
            line = rng.randrange(len(lines))
            cells = lines[line].split(b"\t")
            if choice == 3 and len(cells) == 10:
                cells[rng.choice([ID, HEAD])] = rng.choice([*PIECES, b"4", b"5", b"4-5", b"99", b"1-99", b"2|3"])
                lines[line] = b"\t".join(cells)
            elif choice == 4:
                del lines[line]
            else:
                lines.insert(rng.randrange(len(lines)), lines[line])
            data = b"\n".join(lines)
    return data


def damaged_documents() -> st.SearchStrategy[bytes]:
    return st.builds(damaged, documents(sentences=3), st.integers(0, 2**32))


def problem(read: object) -> tuple[int, int, str]:
    assert isinstance(read, ConlluError)
    assert read.line is not None
    assert read.column is not None
    assert "\n" not in read.reason
    return read.line, read.column, read.reason


def attempt(data: bytes, block: int | None) -> tuple[int, int, str] | list[bytes]:
    """The sentences, or why there are none."""
    try:
        parts = [read_conllu(data)] if block is None else list(iter_treebanks(data, block=block))
    except ConlluError as error:
        return problem(error)
    return [sentence.to_bytes() for part in parts for sentence in part]


def assert_inside(data: bytes, line: int, column: int) -> None:
    lines = data.removeprefix(BOM).split(b"\n")
    assert 1 <= line <= len(lines)
    characters = sum(byte & 0xC0 != 0x80 for byte in lines[line - 1])
    assert 1 <= column <= characters + 1


@given(damaged_documents(), st.integers(1, 3000))
@stable(1000)
def test_damaged_documents_are_read_or_refused(data: bytes, block: int) -> None:
    found = attempt(data, None)
    assert attempt(data, block) == found
    kept = read_conllu(data, skip_bad=True)
    problems = [problem(error) for error in kept.problems]
    if isinstance(found, tuple):
        assert_inside(data, *found[:2])
        assert problems[0] == found
    else:
        assert problems == []
        assert [s.to_bytes() for s in kept] == found
        assert kept.to_bytes() == data
    assert [line for line, _, _ in problems] == sorted(line for line, _, _ in problems)
    for line, column, _ in problems:
        assert_inside(data, line, column)
    assert read_conllu(kept.to_bytes()) == kept
    parts = list(iter_treebanks(data, block=block, skip_bad=True))
    assert [s for part in parts for s in part] == list(kept)
    assert [problem(error) for part in parts for error in part.problems] == problems


@given(damaged_documents(), seeds())
@stable(200)
def test_only_damaged_sentences_are_left_out(data: bytes, seed: int) -> None:
    """Between sound ones, whatever the damaged part is, the sound ones are read."""
    sound = b"1\tsound\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
    treebank = read_conllu(sound + data + b"\n\n" + sound, skip_bad=True)
    assert [treebank[0].to_bytes(), treebank[-1].to_bytes()] == [sound, sound]


@given(st.binary(max_size=200).map(b"\n".__add__), st.integers(1, 50))  # not what compressed files begin with
@stable(500)
def test_any_bytes(data: bytes, block: int) -> None:
    assert attempt(data, block) == attempt(data, None)
    kept = read_conllu(data, skip_bad=True)
    assert read_conllu(kept.to_bytes()) == kept
