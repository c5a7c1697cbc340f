"""Files in and out: paths, streams and standard streams, compressed or not; outputs that appear whole or not at all."""

import io
import mmap
import os
import secrets
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from dynarc.errors import FileError

Source = str | os.PathLike[str] | bytes | IO[bytes] | IO[str]
Target = str | os.PathLike[str] | IO[bytes]

# How compressed files begin. Looking at that, and not at names, also serves pipes and files with other names.
_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_LONGEST_MAGIC = max(map(len, _MAGIC))
PACKED_SUFFIXES = {".gz", ".xz", ".zst"}
_LARGE = 1 << 20
_HUGE = 1 << 30


def name_of(source: Source) -> str:
    """What to call a source in messages."""
    if isinstance(source, bytes):
        return "<bytes>"
    if isinstance(source, str | os.PathLike):
        return "<stdin>" if source == "-" else os.fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<file>"


def plain_suffix(name: str) -> str:
    """The suffix that tells the format, without that of a compression.

    >>> plain_suffix("train.conllu.gz")
    '.conllu'
    """
    path = Path(name)
    return Path(path.stem).suffix if path.suffix in PACKED_SUFFIXES else path.suffix


@contextmanager
def reading(source: Source, name: str, error: type[FileError] = FileError) -> Iterator[BinaryIO]:
    """The bytes of a source, unpacked. Closes only what it opened; what goes wrong meanwhile becomes `error`."""
    import zlib

    failures: list[type[Exception]] = [OSError, EOFError, zlib.error]
    with ExitStack() as stack:
        try:
            stream = _unpacked(_opened(source, stack), failures)
            yield stream
        except FileError:
            raise
        except IsADirectoryError:
            raise error(name, None, "is a directory, not a file") from None
        except FileNotFoundError:
            raise error(name, None, "there is no such file") from None
        except UnicodeDecodeError as problem:
            # From a text file, which decodes ahead of the lines it gives: the line is not known.
            raise error(name, None, f"is not valid {problem.encoding.upper()}") from None
        except Exception as problem:
            if not isinstance(problem, tuple(failures)):
                raise
            why = getattr(problem, "strerror", None) or str(problem)
            raise error(name, None, f"cannot be read: {why}") from problem


def read_all(source: Source, name: str, error: type[FileError] = FileError) -> bytes | mmap.mmap:
    """All bytes of a source, unpacked. Files of a gigabyte and more are mapped into memory and must not be cut short
    while they are in use; smaller ones are copied, and may be."""
    with reading(source, name, error) as stream:
        if isinstance(stream, io.BufferedReader) and isinstance(stream.raw, io.FileIO):
            status = os.fstat(stream.fileno())
            if stat.S_ISREG(status.st_mode) and status.st_size >= _LARGE and stream.tell() == 0:
                if status.st_size >= _HUGE:
                    return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
                return _copied(stream, status.st_size)
        return stream.read()


def _copied(stream: io.BufferedReader, size: int) -> bytes | mmap.mmap:
    """A large file in memory. To map the file itself would save the copy, a fifth of the time, but whoever then cuts
    it short, such as a program that writes a changed treebank back with open(path, "wb"), would end by a bus error."""
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_ANONYMOUS") else {}
    memory = mmap.mmap(-1, size, **private)
    if hasattr(mmap, "MADV_HUGEPAGE"):  # the time goes into getting the memory; large pages halve it
        with suppress(OSError):
            memory.madvise(mmap.MADV_HUGEPAGE)
    filled = 0
    with memoryview(memory) as view:
        while count := stream.readinto(view[filled:]):
            filled += count
    more = stream.read()  # a file that grows or shrinks meanwhile
    return memory if filled == size and not more else memory[:filled] + more


@contextmanager
def writing(target: Target) -> Iterator[BinaryIO]:
    """Where to write bytes: `-` is standard output; .gz, .xz and .zst are packed.

    A file appears under its name only when all has been written; after an error, or a crash, whatever was there
    before is still there.
    """
    if not isinstance(target, str | os.PathLike):
        yield cast(BinaryIO, target)
        return
    name = "<stdout>" if target == "-" else os.fspath(target)
    try:
        if target == "-":
            with _standard_output() as out:
                yield out
            return
        path = Path(os.path.realpath(_path(name)))  # a link stays a link
        if path.is_dir():
            raise FileError(name, None, "is a directory, not a file")
        # A device or a pipe cannot be replaced. Asked by the given name: where /dev/stdout leads may have no path.
        if Path(name).exists() and not Path(name).is_file():
            with Path(name).open("wb") as out, _packed(out, path.suffix) as packed:
                yield packed
            return
        if not path.parent.is_dir():
            raise FileError(name, None, f"there is no folder {os.fspath(Path(name).parent)!r} to write it to")
        temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}.tmp")
        try:
            with temporary.open("xb") as out:
                with _packed(out, path.suffix) as packed:
                    yield packed
                out.flush()
                os.fsync(out.fileno())
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise FileError(name, None, f"cannot be written: {problem.strerror or problem}") from problem


def check_target(path: str | os.PathLike[str], inputs: Iterable[str] = ()) -> None:
    """Raises FileError if nothing could be written there: to be asked before the work, not after it.

    Nor may it be one of the `inputs`, if these are given, under whatever name: they would be lost.
    """
    name = os.fspath(path)
    folder = Path(name).parent
    try:
        Path(name).stat()
    except FileNotFoundError:
        pass
    except NotADirectoryError:
        raise FileError(name, None, f"there is no folder {os.fspath(folder)!r} to write it to") from None
    except (OSError, ValueError) as problem:
        raise FileError(name, None, f"cannot be written: {getattr(problem, 'strerror', problem)}") from None
    if Path(name).is_dir():
        raise FileError(name, None, "is a directory, not a file")
    if Path(name).is_file() and any(Path(source).exists() and Path(name).samefile(source) for source in inputs):
        raise FileError(name, None, "is also what is read, and would be lost: choose another name")
    if not folder.is_dir():
        raise FileError(name, None, f"there is no folder {os.fspath(folder)!r} to write it to")
    if not os.access(folder, os.W_OK):
        raise FileError(name, None, f"cannot be written: the folder {os.fspath(folder)!r} is not open to writing")


def write_text(text: str, target: Target | None) -> None:
    """Writes text in UTF-8; None is standard output."""
    with writing("-" if target is None else target) as out:
        out.write(text.encode("utf-8", "surrogatepass"))


@contextmanager
def _standard_output() -> Iterator[BinaryIO]:
    if sys.stdout is None:
        raise OSError("there is no standard output")
    if hasattr(sys.stdout, "buffer"):
        sys.stdout.flush()  # what was printed before comes before
        yield cast(BinaryIO, sys.stdout.buffer)
    else:  # replaced by something that takes only text, such as a StringIO
        out = io.BytesIO()
        yield out
        sys.stdout.write(out.getvalue().decode())
    sys.stdout.flush()


def _path(name: str) -> Path:
    try:
        possible = b"\0" not in os.fsencode(name)
    except ValueError:
        possible = False
    if not possible:
        raise OSError("no file can have this name")
    return Path(name)


def _opened(source: Source, stack: ExitStack) -> BinaryIO:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    if isinstance(source, str | os.PathLike):
        if source == "-":
            if sys.stdin is None:
                raise OSError("there is no standard input")
            return _opened(getattr(sys.stdin, "buffer", sys.stdin), stack)
        return stack.enter_context(_path(os.fspath(source)).open("rb"))
    if isinstance(source, io.TextIOBase):
        return cast(BinaryIO, io.BufferedReader(_Encoded(source)))
    return cast(BinaryIO, source)


class _Encoded(io.RawIOBase):
    """A text file as bytes."""

    def __init__(self, text: io.TextIOBase) -> None:
        self._text = text
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        # A character takes up to four bytes: what does not fit waits.
        data = self._rest or self._text.read(len(buffer)).encode("utf-8", "surrogatepass")
        part, self._rest = data[: len(buffer)], data[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


def _unpacked(stream: BinaryIO, failures: list[type[Exception]]) -> BinaryIO:
    """The stream, or what unpacks it. Adds to `failures` what unpacking can raise."""
    # Imported where used: not every Python is built with all of them.
    if isinstance(stream, io.BytesIO):
        start = bytes(stream.getbuffer()[stream.tell() :][:_LONGEST_MAGIC])
    else:
        if not hasattr(stream, "peek"):
            stream = cast(BinaryIO, io.BufferedReader(_Readable(stream)))
        start = cast(io.BufferedReader, stream).peek(_LONGEST_MAGIC)
    kind = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
    if kind == "gz":
        import gzip

        return cast(BinaryIO, gzip.GzipFile(fileobj=stream))
    if kind == "xz":
        import lzma

        failures.append(lzma.LZMAError)
        return cast(BinaryIO, lzma.LZMAFile(stream))
    if kind == "zst":
        reader = _Zstandard(stream)
        failures.append(reader.error)
        return cast(BinaryIO, io.BufferedReader(reader, 1 << 17))
    return stream


class _Readable(io.RawIOBase):
    """Whatever has a `read`, as a raw stream."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data: bytes | str | None = self._stream.read(len(buffer))
        if data is None:
            raise OSError("nothing can be read from it yet (it was opened as non-blocking)")
        if isinstance(data, str):
            raise OSError("the file gives text, not bytes: open it with mode 'rb'")
        buffer[: len(data)] = data
        return len(data)


class _Zstandard(io.RawIOBase):
    """Zstandard frames one after the other. Unlike the library's own reader, notices that the last one is cut short."""

    def __init__(self, stream: BinaryIO) -> None:
        self.error: type[Exception]
        if sys.version_info >= (3, 14):
            from compression import zstd

            self._new = zstd.ZstdDecompressor
            self.error = zstd.ZstdError
        else:
            import zstandard

            self._new = zstandard.ZstdDecompressor().decompressobj
            self.error = zstandard.ZstdError
        self._stream = stream
        self._frame: Any = None
        self._input = self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            if not self._input:
                self._input = self._stream.read(1 << 17)
                if not self._input:
                    if self._frame is not None:
                        raise EOFError("the compressed file ends too early")
                    return 0
            if self._frame is None:
                self._frame = self._new()
            self._rest, self._input = self._frame.decompress(self._input), b""
            if self._frame.eof:
                self._input, self._frame = self._frame.unused_data, None
        part, self._rest = self._rest[: len(buffer)], self._rest[len(buffer) :]
        buffer[: len(part)] = part
        return len(part)


@contextmanager
def _packed(out: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".gz":
        import gzip

        # Neither name nor time: the same content gives the same file.
        with gzip.GzipFile("", "wb", 6, out, 0) as packed:
            yield cast(BinaryIO, packed)
    elif suffix == ".xz":
        import lzma

        with lzma.LZMAFile(out, "wb") as packed_xz:
            yield cast(BinaryIO, packed_xz)
    elif suffix == ".zst":
        if sys.version_info >= (3, 14):
            from compression import zstd

            with zstd.ZstdFile(out, "wb") as packed_zst:
                yield cast(BinaryIO, packed_zst)
        else:
            import zstandard

            with zstandard.ZstdCompressor().stream_writer(out, closefd=False) as packed_zst:
                yield cast(BinaryIO, packed_zst)
    else:
        yield out
