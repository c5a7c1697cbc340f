"""Bad input: one clear error, with file, line and column, and the same one however the file is read."""

import gzip
import io
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dynarc import ConlluError, iter_treebanks, read_conllu


def word(number: object, head: object, form: str = "w") -> str:
    return f"{number}\t{form}\t_\tX\t_\t_\t{head}\tdep\t_\t_"


def conllu(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


SOUND = conllu("# sent_id = sound", word(1, 0), word(2, 1), "")  # four lines
UTF8 = "is not valid UTF-8 (convert the file, for example with iconv)"
NUL = "holds a NUL byte, so this is no text in UTF-8 (if it is UTF-16, convert it with iconv)"


def complaints(source: Callable[[], Path | bytes]) -> set[str]:
    """Of every way to read. It is one error, one line, and the traceback is not its explanation."""
    found = set()
    for block in (None, 1, 7, 100, 1 << 20):
        with pytest.raises(ConlluError) as caught:
            read_conllu(source()) if block is None else list(iter_treebanks(source(), block=block))
        message = str(caught.value)
        assert "\n" not in message
        assert len(message) < 400
        found.add(message)
    return found


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        pytest.param(
            conllu(word(1, 2), word(2, 3), word(3, 1)),
            "5:13: the heads form a cycle: 1 <- 2 <- 3 <- 1",
            id="cycle",
        ),
        pytest.param(conllu(word(1, 0), word(2, 2)), "6:13: word 2 is its own head", id="own head"),
        pytest.param(
            conllu(word(1, 0), word(2, "1|3"), word(3, 1)),
            "6:13: HEAD is '1|3', but must be the number of one word, 0 for the root, or _ if unknown",
            id="two heads in a column",
        ),
        pytest.param(
            conllu(word(1, 0), word(2, 1), word(2, 3), word(3, 1)),
            "7:1: ID is '2', but word 3 comes next",
            id="a word twice",
        ),
        pytest.param(conllu(word(1, 0), word(3, 1)), "6:1: ID is '3', but word 2 comes next", id="missing ID"),
        pytest.param(conllu(word(2, 0)), "5:1: ID is '2', but word 1 comes next", id="missing first ID"),
        pytest.param(
            conllu(word("", 0)),
            "5:1: ID is '', but must be the number of a word, a range like 3-4 or an empty node like 8.1",
            id="empty ID",
        ),
        pytest.param(conllu(word(2, 0), word(1, 0)), "5:1: ID is '2', but word 1 comes next", id="IDs out of order"),
        pytest.param(
            conllu(word(1, 0), word("0.1", "_")),
            "6:1: ID is '0.1', but the next empty node here would be 1.1",
            id="empty node out of order",
        ),
        pytest.param(
            conllu(word(1, 0), word("1-2", "_"), word(2, 1)),
            "6:1: ID is '1-2', but the range of a multiword token stands before its first word, here 2, and overlaps "
            "with none",
            id="range out of order",
        ),
        pytest.param(
            conllu(word("1-3", "_"), word(1, 0), word(2, 1)),
            "5:1: the range of the multiword token ends at 3, but the sentence has 2 words",
            id="range without an end",
        ),
        pytest.param(conllu(word("0.1", "_")), "5:1: the sentence has no word", id="empty nodes only"),
        pytest.param(
            conllu("1\ta\t_\t_\t_\t_\t0\troot\t_"),
            "5:1: expected 10 columns separated by TAB, found 9: '1\\ta\\t_\\t_\\t_\\t_\\t0\\troot\\t_'",
            id="9 columns",
        ),
        pytest.param(
            conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\t_"),
            "5:1: expected 10 columns separated by TAB, found 11: '1\\ta\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\t_'",
            id="11 columns",
        ),
        pytest.param(conllu(word(1, 0)) + b"2\tab\xc0\xaf\n", f"6:5: byte 0xc0 {UTF8}", id="overlong"),
        pytest.param(conllu(word(1, 0)) + b"\xc3\xa4\t\xed\xa0\x80\n", f"6:3: byte 0xed {UTF8}", id="surrogate"),
        pytest.param(conllu(word(1, 0)) + b"# \xf4\x90\x80\x80\n", f"6:3: byte 0xf4 {UTF8}", id="beyond Unicode"),
        pytest.param(conllu(word(1, 0)).rstrip() + b"\xe2\x82", f"5:22: byte 0xe2 {UTF8}", id="cut off in a character"),
        pytest.param(conllu(word(1, 0)).replace(b"w", b"Caf\xe9"), f"5:6: byte 0xe9 {UTF8}", id="Latin-1"),
        pytest.param(conllu(word(1, 0, "ä\0")), f"5:4: {NUL}", id="NUL"),
        pytest.param(conllu("# a\0", word(1, 0)), f"5:4: {NUL}", id="NUL in a comment"),
    ],
)  # fmt: skip
def test_bad_sentence(tmp_path: Path, bad: bytes, message: str) -> None:
    path = tmp_path / "bad.conllu"
    path.write_bytes(SOUND + bad)
    assert complaints(lambda: path) == {f"{path}:{message}"}
    for data in (SOUND + bad + b"\n" + SOUND, (SOUND + bad).replace(b"\n", b"\r\n")):
        assert complaints(lambda data=data: data) == {f"<bytes>:{message}"}  # type: ignore[misc]
    packed = tmp_path / "bad.conllu.gz"
    packed.write_bytes(gzip.compress(SOUND + bad))
    assert complaints(lambda: packed) == {f"{packed}:{message}"}


def test_the_same_line_numbers_after_a_million_lines() -> None:
    data = SOUND * 250_000 + word(1, 7).encode()
    for found in (lambda: read_conllu(data), lambda: list(iter_treebanks(data))):
        with pytest.raises(ConlluError) as caught:
            found()
        assert (caught.value.line, caught.value.column) == (1_000_001, 13)


def test_utf16() -> None:
    for encoding in ("utf-16", "utf-16-le", "utf-16-be"):
        [message] = complaints(lambda encoding=encoding: SOUND.decode().encode(encoding))  # type: ignore[misc]
        assert message.startswith("<bytes>:1:")
        assert message.endswith(f": {NUL}")


# Too long.


class Endless(io.RawIOBase):
    """A start, then the same bytes over and over until so many were asked for; counts what was taken."""

    def __init__(self, start: bytes, repeated: bytes, size: int) -> None:
        self._start = io.BytesIO(start)
        self._repeated = repeated * (65_536 // len(repeated))
        self.left = size
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        part = self._start.read(len(buffer)) or self._repeated[: min(self.left, len(buffer))]
        self.left -= len(part)
        self.taken += len(part)
        buffer[: len(part)] = part
        return len(part)


LONG_LINE = "the line has more than the 16 MiB that any line may have (is this a treebank?)"


@pytest.mark.parametrize(
    ("start", "repeated"),
    [
        (b"1\t", b"x"),
        (b"", b"\t"),
        (b"", b" "),  # not even a blank line may be as long
        (b"#", b"\r"),
        (b"", b"\0"),
        (b"\xef\xbb\xbf", "ä".encode()),
    ],
)
def test_a_line_of_100_megabytes(start: bytes, repeated: bytes) -> None:
    began = time.perf_counter()
    line = 5 if start != b"\xef\xbb\xbf" else 1
    before = SOUND if line == 5 else b""
    data = before + start + repeated * (100_000_000 // len(repeated))
    expected = f"<bytes>:{line}:1: {LONG_LINE}"
    with pytest.raises(ConlluError) as caught:
        read_conllu(data)
    assert str(caught.value) == expected
    endless = Endless(before + start, repeated, 10**12)
    sources: list[Any] = [data, endless]
    for source in sources:
        with pytest.raises(ConlluError) as caught:
            list(iter_treebanks(source, name="<bytes>"))
        assert str(caught.value) == expected
    assert endless.taken < 40_000_000  # it was not read to its end
    assert time.perf_counter() - began < 20


def test_a_line_of_100_megabytes_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    path.write_bytes(SOUND + b"1\t" + b"x" * 100_000_000 + b"\n")
    for found in (lambda: read_conllu(path), lambda: list(iter_treebanks(path, block=4096))):
        with pytest.raises(ConlluError) as caught:
            found()
        assert str(caught.value) == f"{path}:5:1: {LONG_LINE}"


@pytest.mark.parametrize("block", [4096, 1 << 20, 1 << 25])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n2\tx\n"], ids=repr)
def test_a_long_line_is_passed_over(block: int, end: bytes) -> None:
    """The rest is read on, and lines are counted on."""
    bad = b"# c\n1\t" + b"x" * 40_000_000 + end
    for data in (SOUND + bad, SOUND + bad + b"\n \r\n" + SOUND + word(1, 2).encode()):
        whole = read_conllu(data, skip_bad=True)
        parts = list(iter_treebanks(data, block=block, skip_bad=True))
        assert [(s.line, s.to_bytes()) for part in parts for s in part] == [(s.line, s.to_bytes()) for s in whole]
        problems = [(p.line, p.reason) for part in parts for p in part.problems]
        assert problems[0] == (6, LONG_LINE)
        assert {problems[0], problems[-1]} <= {(p.line, p.reason) for p in whole.problems}
        assert str(whole.problems[0]) == f"<bytes>:6:1: {LONG_LINE}"


def test_a_line_just_short_enough() -> None:
    longest = 16 << 20
    for end in (b"", b"\n", b"\r\n", b"\r"):
        for extra, fine in ((0, True), (1, False)):
            comment = b"#" + b"x" * (longest - 1 + extra) + end
            data = comment if end in (b"", b"\r") else comment + SOUND
            for read in (read_conllu, lambda data: list(iter_treebanks(data, block=longest + 1))):
                if fine:
                    read(data)
                    continue
                with pytest.raises(ConlluError, match="16 MiB"):
                    read(data)


@pytest.mark.slow
def test_blank_lines_left_out_everywhere() -> None:
    """A file in which the blank lines were lost is refused before it fills the memory."""
    rows = Endless(b"", word(1, 0).encode() + b"\n", 10**12)
    with pytest.raises(ConlluError) as caught:
        list(iter_treebanks(rows))  # type: ignore[arg-type]
    assert str(caught.value).startswith("<file>:2:1: ID is '1', but word 2 comes next (is the blank line before")
    assert rows.taken < 10_000_000
    comments = Endless(b"", b"# c\n", 10**12)
    with pytest.raises(ConlluError, match=r"the sentence has more than the 256 MiB that any may have"):
        list(iter_treebanks(comments))  # type: ignore[arg-type]
    assert comments.taken < 600_000_000


# No file.


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_directory_and_a_missing_file(tmp_path: Path, suffix: str) -> None:
    folder = tmp_path / f"folder{suffix}"
    folder.mkdir()
    assert complaints(lambda: folder) == {f"{folder}: is a directory, not a file"}
    missing = tmp_path / "none" / f"a{suffix}"
    assert complaints(lambda: missing) == {f"{missing}: there is no such file"}
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert complaints(lambda: tmp_path / "loop") == {
        f"{tmp_path / 'loop'}: cannot be read: Too many levels of symbolic links"
    }


@pytest.mark.parametrize("cut", [5, 12, -1, -9])
def test_an_archive_cut_short(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(SOUND * 100)[:cut])
    assert complaints(lambda: path) == {
        f"{path}: cannot be read: Compressed file ended before the end-of-stream marker was reached"
    }


def test_no_archive_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(b"\x1f\x8b" + b"x" * 50)
    [message] = complaints(lambda: path)
    assert message.startswith(f"{path}: cannot be read: ")


# Memory.

STREAM = """
import io, sys
import dynarc

def peak():  # not ru_maxrss, which a process inherits from the one that started it
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))

row = "{}\\t\\u00e4form\\tlemma\\tNOUN\\tNN\\tCase=Nom|Number=Sing\\t{}\\tnmod\\t_\\tSpaceAfter=No\\n"
SENTENCES = ("".join(row.format(n, n - 1) for n in range(1, 21)) + "\\n").encode()

class Generated(io.RawIOBase):
    at, left = 0, int(sys.argv[1]) // len(SENTENCES) * len(SENTENCES)

    def readable(self):
        return True

    def readinto(self, buffer):
        part = SENTENCES[self.at :][: min(len(buffer), self.left)]
        self.at = (self.at + len(part)) % len(SENTENCES)
        self.left -= len(part)
        buffer[: len(part)] = part
        return len(part)

base = peak()
words = size = 0
kept = []
for treebank in dynarc.iter_treebanks(io.BufferedReader(Generated(), len(SENTENCES))):
    words += treebank.words
    treebank[0].forms[0] = "changed"
    size += len(treebank.to_bytes())
    if len(sys.argv) > 2:
        kept.append(treebank)
assert size > 0.9 * int(sys.argv[1])
print(words * len(SENTENCES) // 20, peak() - base)
"""


def streamed(size: int, *keep: str) -> int:
    """How many MiB it takes to stream so many bytes."""
    command = [sys.executable, "-c", STREAM, str(size), *keep]
    done = subprocess.run(command, capture_output=True, check=True, text=True, timeout=50)
    read, mebibytes = map(int, done.stdout.split())
    assert read > 0.99 * size
    return mebibytes


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak of a process's memory is read from /proc")
def test_memory_does_not_grow_with_the_stream() -> None:
    assert 0 < streamed(300_000_000) < 50
    assert streamed(100_000_000, "keep") > 100  # the measure measures
