"""Files in and out: every kind of source, outputs that appear whole or not at all, one clear error for each fault."""

import gzip
import io
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dynarc import ConlluError, FileError, iter_treebanks, read_conllu
from dynarc.files import Source, plain_suffix, writing

DATA = "# text = Käse\n1\tKäse\t_\tX\t_\t_\t0\troot\t_\t_\n\n1\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n".encode()
LARGE = DATA * 30_000


@contextmanager
def fifo(folder: Path, data: bytes) -> Iterator[Path]:
    path = folder / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    yield path
    writer.join()


def both_ways(source: Callable[[], Source]) -> list[bytes]:
    return [
        read_conllu(source()).to_bytes(),
        b"".join(part.to_bytes() for part in iter_treebanks(source(), block=5000)),
    ]


# In.


class Stingy(io.RawIOBase):
    """Gives a byte or two at a time, as a slow connection does."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        part = self._data.read(min(2, len(buffer)))  # type: ignore[arg-type]
        buffer[: len(part)] = part  # type: ignore[index]
        return len(part)


class OnlyRead:
    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(size)


@pytest.mark.parametrize("data", [DATA, b"", LARGE], ids=["small", "empty", "large"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_sources(tmp_path: Path, data: bytes, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(pack(data))
    sources: list[Callable[[], Source]] = [
        lambda: path,
        lambda: str(path),
        path.read_bytes,
        lambda: io.BytesIO(path.read_bytes()),
        lambda: io.BufferedReader(io.BytesIO(path.read_bytes())),
        lambda: OnlyRead(path.read_bytes()),  # type: ignore[list-item, return-value]
    ]
    if len(data) < 1000:
        sources.append(lambda: Stingy(path.read_bytes()))  # type: ignore[arg-type, return-value]
        sources.append(lambda: io.BufferedReader(Stingy(path.read_bytes())))
    for source in sources:
        assert read_conllu(source()).to_bytes() == data
        assert b"".join(part.to_bytes() for part in iter_treebanks(source())) == data


def test_text_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(DATA.decode().encode("utf-16"))
    assert both_ways(lambda: io.StringIO(DATA.decode())) == [DATA, DATA]
    with path.open(encoding="utf-16") as file:
        assert read_conllu(file).to_bytes() == DATA
    text = tmp_path / "crlf.conllu"
    text.write_bytes(DATA.replace(b"\n", b"\r\n"))
    with text.open(encoding="utf-8", newline="") as file:
        assert read_conllu(file).to_bytes() == DATA.replace(b"\n", b"\r\n")


def test_open_files_are_read_from_where_they_are_to_their_end(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    for data in (DATA, LARGE):
        path.write_bytes(b"no treebank\n" + data)
        for mode in ("rb", "r+b"):
            with path.open(mode) as file:
                file.readline()
                assert read_conllu(file).to_bytes() == data
                assert file.read() == b""
        path.write_bytes(data)
        with path.open("rb") as file:
            assert read_conllu(file).to_bytes() == data
            assert read_conllu(file).to_bytes() == b""
            assert not file.closed
        with path.open("rb", buffering=0) as raw:
            assert read_conllu(raw).to_bytes() == data


def test_standard_input_of_a_process() -> None:
    command = [sys.executable, "-c", "import dynarc, sys; dynarc.read_conllu(sys.argv[1]).write('-')"]
    for source in ("-", "/dev/stdin"):
        for data in (DATA, gzip.compress(DATA)):
            done = subprocess.run([*command, source], input=data, capture_output=True, check=True, timeout=30)
            assert done.stdout == DATA


def test_no_standard_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ConlluError, match=r"<stdin>: cannot be read: there is no standard input"):
        read_conllu("-")
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(FileError, match=r"<stdout>: cannot be written: there is no standard output"):
        read_conllu(DATA).write("-")


def test_standard_streams_of_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(DATA.decode()))
    monkeypatch.setattr("sys.stdout", io.StringIO())
    read_conllu("-").write("-")
    assert isinstance(sys.stdout, io.StringIO)
    assert sys.stdout.getvalue().encode() == DATA


def test_pipes(tmp_path: Path) -> None:
    with fifo(tmp_path, LARGE) as path:
        assert read_conllu(path).to_bytes() == LARGE
    path.unlink()
    with fifo(tmp_path, gzip.compress(LARGE)) as path:
        assert b"".join(part.to_bytes() for part in iter_treebanks(path)) == LARGE


def test_a_file_may_be_cut_short_once_it_is_read(tmp_path: Path) -> None:
    """The obvious way to write a treebank back: the file is empty before the first sentence is written."""
    path = tmp_path / "a.conllu"
    path.write_bytes(LARGE)
    treebank = read_conllu(path)
    with path.open("wb") as file:
        treebank.write(file)
    assert path.read_bytes() == LARGE
    treebank.write(path)
    assert path.read_bytes() == LARGE


def test_files_that_give_text_where_bytes_are_due(tmp_path: Path) -> None:
    with tempfile.NamedTemporaryFile("w+", dir=tmp_path) as file:
        file.write("x")
        file.seek(0)
        with pytest.raises(ConlluError, match="the file gives text, not bytes: open it with mode 'rb'"):
            read_conllu(file)


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_names_no_file_can_have(name: str) -> None:
    with pytest.raises(ConlluError, match="cannot be read: no file can have this name"):
        read_conllu(name)
    with pytest.raises(FileError, match="cannot be written: no file can have this name"):
        read_conllu(DATA).write(name)


def test_suffix_of_the_format() -> None:
    assert [plain_suffix(name) for name in ("a", "a.b", "a.b.gz", "a.gz", "x/.b.xz")] == ["", ".b", ".b", "", ""]


# Out.


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz", "a.conllu.xz", "a.conllu.zst"])
def test_written_is_read(tmp_path: Path, name: str) -> None:
    for target in (tmp_path / name, str(tmp_path / name)):
        read_conllu(LARGE).write(target)
        assert list(content(tmp_path)) == [name]
        assert both_ways(lambda: tmp_path / name) == [LARGE, LARGE]


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz", "a.conllu.xz", "a.conllu.zst"])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, GeneratorExit])
def test_an_exception_leaves_things_as_they_were(tmp_path: Path, name: str, error: type[BaseException]) -> None:
    def fail() -> None:
        with writing(tmp_path / name) as out:
            out.write(LARGE)
            raise error

    with pytest.raises(error):
        fail()
    assert content(tmp_path) == {}
    (tmp_path / name).write_bytes(b"old")
    with pytest.raises(error):
        fail()
    assert content(tmp_path) == {name: b"old"}


def test_nothing_is_seen_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with writing(path) as out:
        out.write(b"new")
        out.flush()
        assert path.read_bytes() == b"old"
    assert content(tmp_path) == {"a": b"new"}


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "a"
    old = os.umask(mask)
    try:
        with writing(path) as out:
            out.write(b"x")
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
        path.chmod(0o640)
        with writing(path) as out:
            out.write(b"y")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(old)


def test_links_stay_links(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    link = tmp_path / "link.gz"
    link.symlink_to(folder / "target")
    for data in (b"x", b"y"):  # at first the target is not there
        with writing(link) as out:
            out.write(data)
        assert link.is_symlink()
        assert content(folder) == {"target": data}


def test_a_long_name(tmp_path: Path) -> None:
    path = tmp_path / ("ä" * 120 + ".conllu")
    read_conllu(DATA).write(path)
    assert path.read_bytes() == DATA


def test_packed_files_do_not_depend_on_name_or_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_conllu(DATA).write(tmp_path / "a.gz")
    monkeypatch.setattr("time.time", lambda: 1e9)
    read_conllu(DATA).write(tmp_path / "b.gz")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_standard_output() -> None:
    code = "import dynarc, sys; print('first'); dynarc.read_conllu('-').write(sys.argv[1])"
    for target in ("-", "/dev/stdout", "/proc/self/fd/1"):
        command = [sys.executable, "-c", code, target]
        done = subprocess.run(command, input=DATA, stdout=subprocess.PIPE, check=True, timeout=30)
        assert sorted(done.stdout.split(b"\n")) == sorted((b"first\n" + DATA).split(b"\n"))
        if target == "-":
            assert done.stdout == b"first\n" + DATA


def test_a_pipe_as_target(tmp_path: Path) -> None:
    path = tmp_path / "pipe.gz"
    os.mkfifo(path)
    writer = threading.Thread(target=read_conllu(LARGE).write, args=(path,))
    writer.start()
    assert read_conllu(path).to_bytes() == LARGE
    writer.join()
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".zst"])
@pytest.mark.parametrize("data", [DATA, LARGE], ids=["small", "large"])
def test_a_full_device(tmp_path: Path, suffix: str, data: bytes) -> None:
    path = tmp_path / f"full{suffix}"
    path.symlink_to("/dev/full")
    with pytest.raises(FileError) as caught:
        read_conllu(data).write(path)
    assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert Path("/dev/full").is_char_device()


def test_full_standard_output() -> None:
    code = """
import dynarc, os, sys
try:
    dynarc.read_conllu("-").write("-")
except dynarc.FileError as error:
    print(error, file=sys.stderr)
    os._exit(3)
"""
    for data in (DATA, LARGE):
        with Path("/dev/full").open("wb") as full:
            command = [sys.executable, "-c", code]
            done = subprocess.run(command, input=data, stdout=full, stderr=subprocess.PIPE, check=False, timeout=30)
        assert (done.returncode, done.stderr) == (3, b"<stdout>: cannot be written: No space left on device\n")


def test_targets_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "folder.gz").mkdir()
    (tmp_path / "file").touch()
    for target, reason in {
        tmp_path / "folder.gz": "is a directory, not a file",
        tmp_path / "none" / "a": f"there is no folder '{tmp_path / 'none'}' to write it to",
        tmp_path / "file" / "a": f"there is no folder '{tmp_path / 'file'}' to write it to",
        Path("/proc/a.conllu"): "cannot be written: No such file or directory",  # where nobody may make a file
        tmp_path / ("x" * 300): "cannot be written: File name too long",
    }.items():
        with pytest.raises(FileError) as caught:
            read_conllu(DATA).write(target)
        assert str(caught.value) == f"{target}: {reason}"
        assert caught.value.path == str(target)
    assert sorted(content(tmp_path / "folder.gz")) == []


def test_a_folder_without_permission() -> None:
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o555)
        if user == 0:  # root may write everywhere
            os.seteuid(65534)
        try:
            with pytest.raises(FileError) as caught:
                read_conllu(DATA).write(folder / "a")
        finally:
            os.seteuid(user)
            folder.chmod(0o700)
        assert str(caught.value) == f"{folder / 'a'}: cannot be written: Permission denied"
        assert content(folder) == {}


def test_a_disk_that_fills_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "a"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(FileError, match="cannot be written: No space left on device"):
        read_conllu(DATA).write(path)
    assert content(tmp_path) == {"a": b"old"}


def test_open_targets_stay_open(tmp_path: Path) -> None:
    memory = io.BytesIO()
    treebank = read_conllu(DATA)
    with (tmp_path / "a").open("wb") as plain, gzip.open(tmp_path / "b", "wb") as packed:
        for out in (memory, plain, packed):
            treebank.write(out)  # type: ignore[arg-type]
            treebank[:1].write(out)  # type: ignore[arg-type]
            assert not out.closed
    expected = DATA + DATA.partition(b"\n\n")[0] + b"\n\n"
    assert memory.getvalue() == expected
    assert (tmp_path / "a").read_bytes() == gzip.decompress((tmp_path / "b").read_bytes()) == expected
