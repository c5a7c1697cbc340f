"""A corpus parsed on one machine: all cores, memory that does not grow, and a manifest to go on from."""

import os
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import Any

from dynarc import __version__
from dynarc.corpus.manifest import NAME, Header, Input, InputKind, Manifest, Part
from dynarc.corpus.shards import Piece, check_unchanged, inputs_of, pieces
from dynarc.corpus.work import Options, Stopped, file_sha256, parse_piece
from dynarc.errors import ConfigError, FileError
from dynarc.files import PACKED_SUFFIXES
from dynarc.parser import Parser, cores, model_path

# Of each kind of input so many unpacked bytes are parsed first, to see what the output will need.
_SAMPLE = 1 << 22
_MARGIN = 1.2


@dataclass(slots=True)
class Progress:
    """How far a run is. Bytes are those of the files, packed as they are."""

    size: int = 0  # of all inputs
    before: int = 0  # what earlier runs had done of that
    done: int = 0  # what this one has
    sentences: int = 0  # in the output so far, those of earlier runs too
    words: int = 0
    bad: int = 0
    parts: int = 0
    new_words: int = 0  # of this run
    began: float = field(default_factory=time.perf_counter)

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.began

    @property
    def share(self) -> float:
        return min(1.0, (self.before + self.done) / self.size) if self.size else 1.0

    @property
    def words_per_second(self) -> float:
        return self.new_words / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        """As fast as until now; None before the first part."""
        left = max(0, self.size - self.before - self.done)
        return left * self.seconds / self.done if self.done else None

    def add(self, part: Part, *, earlier: bool = False) -> None:
        if earlier:
            self.before += part.packed
        else:
            self.done += part.packed
            self.new_words += part.words
        self.sentences += part.sentences
        self.words += part.words
        self.bad += part.bad
        self.parts += 1


@dataclass(frozen=True, slots=True)
class Report:
    """What a corpus has become."""

    folder: str
    shards: int
    parts: int
    sentences: int
    words: int
    bad: int  # sentences in quarantine
    broken: dict[str, str]  # files that could not be read, or not to their ends, and why
    seconds: float
    new_words: int  # of this run, if it went on after another

    @property
    def complete(self) -> bool:
        return not self.broken


def parse_corpus(
    files: Iterable[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    model: str | os.PathLike[str] = "en",
    options: Options | None = None,
    kind: InputKind | None = None,
    threads: int = 0,
    check_space: bool = True,
    progress: Callable[[Progress], None] = lambda how: None,
) -> Report:
    """Parses files into parts in a folder, and goes on where an earlier run with the same arguments has ended.

    Every sentence of the input is in the output once, in the order of files and of sentences in them, or in quarantine
    with a reason. Parts do not depend on `threads`, nor on how often the run was interrupted.
    """
    with opened(files, output, model, options or Options(), kind) as run:
        if check_space:
            run.check_space()
        return run.finish(threads or cores(), progress)


class opened:  # noqa: N801 - a context manager
    """A run that is begun, or gone on with: its folder is made ready, its manifest is open."""

    def __init__(
        self,
        files: Iterable[str | os.PathLike[str]],
        output: str | os.PathLike[str],
        model: str | os.PathLike[str],
        options: Options,
        kind: InputKind | None = None,
    ) -> None:
        inputs = inputs_of([os.fspath(file) for file in files], kind)
        self.parser = Parser.load(model)
        if any(one.kind == "text" for one in inputs):
            self.parser.text.need_tokenizer()
        if options.confidence:
            from dynarc.confidence import calibration_of

            calibration_of(self.parser)
        self.folder, self.options = Path(output), options
        self.model = os.path.abspath(model_path(model))  # noqa: PTH100 - links stay
        header = Header(__version__, self.model, file_sha256(self.model), asdict(options), len(inputs))
        make_folder(self.folder)
        if (self.folder / NAME).exists():
            self.manifest = Manifest.read(self.folder)
            _check_same(self.manifest, header, inputs)
        else:
            self.manifest = Manifest.create(self.folder, header, inputs)
        self.manifest.open()
        try:
            self._check_inputs()
            self._forget_lost_parts()
            _remove_unfinished(self.folder)
        except BaseException:
            self.manifest.close()
            raise

    def __enter__(self) -> "opened":
        return self

    def __exit__(self, *_: object) -> None:
        self.manifest.close()

    def _check_inputs(self) -> None:
        for shard, one in self.manifest.inputs.items():
            finished = self.manifest.is_finished(shard)
            now = check_unchanged(one, self.manifest.parts_of(shard), finished=finished, size=self.options.size)
            if now != one:
                self.manifest.add_input(shard, now)

    def _forget_lost_parts(self) -> None:
        """Parts that somebody has removed or cut short are parsed again."""
        for part in list(self.manifest.all_parts()):
            path = self.folder / self.options.name(part.shard, part.piece)
            if not path.exists() or path.stat().st_size != part.bytes:
                del self.manifest.parts[part.shard][part.piece]

    def unfinished(self) -> list[int]:
        return [shard for shard in sorted(self.manifest.inputs) if not self.manifest.is_finished(shard)]

    def check_space(self) -> None:
        """FileError if what is left to be written will hardly find room."""
        needed = self.bytes_needed()
        free = shutil.disk_usage(self.folder).free
        if needed > free:
            reason = (
                f"the output needs about {size_text(needed)}, but only {size_text(free)} are free there: make room, "
                "choose another disk, or go on regardless with --ignore-space"
            )
            raise FileError(os.fspath(self.folder), None, reason)

    def bytes_needed(self) -> int:
        """About what is still to be written, judged by what the beginning of a file of each kind becomes."""
        groups: dict[tuple[str, str], list[int]] = {}
        for shard in self.unfinished():
            one = self.manifest.inputs[shard]
            suffix = Path(one.path).suffix
            groups.setdefault((one.kind, suffix if suffix in PACKED_SUFFIXES else ""), []).append(shard)
        needed = 0.0
        for shards in groups.values():
            left = sum(self.manifest.inputs[shard].size for shard in shards)
            left -= sum(part.packed for shard in shards for part in self.manifest.parts_of(shard).values())
            needed += max(0, left) * next(filter(None, map(self._growth, shards)), 0.0)
        return int(needed * _MARGIN)

    def _growth(self, shard: int) -> float | None:
        """Bytes of output for a byte of input, if that can be told."""
        try:
            piece = next(pieces(shard, self.manifest.inputs[shard], min(_SAMPLE, self.options.size)), None)
        except FileError:
            return None
        if piece is None or not piece.packed:
            return None
        with tempfile.TemporaryDirectory(dir=self.folder, prefix=".sample-") as folder:
            return parse_piece(self.parser, piece, Path(folder), self.options).bytes / piece.packed

    def finish(self, threads: int, progress: Callable[[Progress], None] = lambda how: None) -> Report:
        """Parses what is not yet parsed."""
        how = self.progress()
        feeder = Feeder(self.manifest, self.unfinished(), self.options.size)
        stop = Event()

        def work() -> Iterator[Part]:
            while not stop.is_set() and (piece := feeder.take()) is not None:
                part = parse_piece(self.parser, piece, self.folder, self.options, stop.is_set)
                self.manifest.add_part(part)
                yield part

        lock = Lock()

        def note(part: Part) -> None:
            with lock:
                how.add(part)
                progress(how)

        progress(how)
        try:
            in_threads(work, note, threads, stop)
        except FileError as problem:
            reason = f"{problem.reason}. What is finished stays: put that right, and the same command goes on"
            raise FileError(problem.path, problem.line, reason) from None
        return self.report(how)

    def progress(self) -> Progress:
        how = Progress(size=sum(one.size for one in self.manifest.inputs.values()))
        for part in self.manifest.all_parts():
            how.add(part, earlier=True)
        return how

    def report(self, how: Progress) -> Report:
        broken = {self.manifest.inputs[shard].path: why for shard, why in sorted(self.manifest.broken.items())}
        return Report(
            folder=os.fspath(self.folder),
            shards=len(self.manifest.inputs),
            parts=how.parts,
            sentences=how.sentences,
            words=how.words,
            bad=how.bad,
            broken=broken,
            seconds=how.seconds,
            new_words=how.new_words,
        )


class Feeder:
    """Hands out the pieces of files to several workers. Each takes from the first file that nobody is reading just now;
    if there is none, another file is begun. So one large file keeps all busy, and so do many, however they are packed;
    and no more is in memory than a piece for each worker. `again` gives those that are done, too, and writes nothing
    into the manifest."""

    def __init__(self, manifest: Manifest, shards: Iterable[int], size: int, *, again: bool = False) -> None:
        self._manifest, self._size, self._again = manifest, size, again
        self._waiting = deque(shards)
        self._open: list[_Reader] = []
        self._lock = Lock()
        self.failures: dict[int, str] = {}  # of files that cannot be read to their ends, why

    def take(self) -> Piece | None:
        """The next piece for whoever asks; None when there are no more."""
        while True:
            with self._lock:
                reader = next((reader for reader in self._open if reader.lock.acquire(blocking=False)), None)
                if reader is None and self._waiting:
                    reader = self._begin(self._waiting.popleft())
                    reader.lock.acquire()
                    self._open.append(reader)
                if reader is None and not self._open:
                    return None
                busy = self._open[0] if self._open else None
            if reader is None:
                assert busy is not None
                busy.lock.acquire()
                reader = busy
            try:
                piece = None if reader.ended else self._next(reader)
            finally:
                reader.lock.release()
            if piece is not None:
                return piece

    def _begin(self, shard: int) -> "_Reader":
        one = self._manifest.inputs[shard]
        done = {} if self._again else self._manifest.parts_of(shard)
        return _Reader(shard, pieces(shard, one, self._size, dict(done)), max(done, default=-1) + 1)

    def _next(self, reader: "_Reader") -> Piece | None:
        try:
            piece = next(reader.pieces, None)
        except FileError as problem:
            self._end(reader)
            self.failures[reader.shard] = problem.reason
            if not self._again:
                self._manifest.add_broken(reader.shard, problem.reason)
            return None
        if piece is None:
            self._end(reader)
            if not self._again:
                self._manifest.add_end(reader.shard, reader.count)
            return None
        reader.count = max(reader.count, piece.number + 1)
        return piece

    def _end(self, reader: "_Reader") -> None:
        reader.ended = True
        with self._lock:
            self._open.remove(reader)


@dataclass(eq=False)
class _Reader:
    shard: int
    pieces: Iterator[Piece]
    count: int  # of pieces seen so far
    ended: bool = False
    lock: Lock = field(default_factory=Lock)


def in_threads(work: Callable[[], Iterator[Any]], note: Callable[[Any], None], threads: int, stop: Event) -> None:
    """Lets several threads work, and tells `note` what they give. The first error ends all of them, and is raised."""

    def run() -> None:
        try:
            for found in work():
                note(found)
        except Stopped:
            pass
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(threads) as pool:
        futures: set[Future[None]] = {pool.submit(run) for _ in range(threads)}
        waiting = futures
        try:
            while waiting:  # in short turns: Ctrl-C is heard between them
                _, waiting = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
        except BaseException:
            stop.set()
            raise
    for future in futures:
        future.result()


def make_folder(folder: Path) -> None:
    """The folder of the output: new, empty, or one with a manifest."""
    name = os.fspath(folder)
    try:
        folder.mkdir(exist_ok=True)
        if not (folder / NAME).exists() and any(folder.iterdir()):
            reason = "is a folder with other things in it, and no corpus that could be gone on with: choose a new name"
            raise FileError(name, None, reason)
        if not os.access(folder, os.W_OK):
            raise FileError(name, None, "cannot be written: the folder is not open to writing")
    except FileExistsError:
        raise FileError(name, None, "is a file: a corpus is written to a folder") from None
    except FileNotFoundError:
        raise FileError(name, None, f"there is no folder {os.fspath(folder.parent)!r} to make it in") from None
    except OSError as problem:
        raise FileError(name, None, f"cannot be written: {problem.strerror or problem}") from None


def _remove_unfinished(folder: Path) -> None:
    """What an interrupted run had begun to write."""
    for left in [*folder.glob(".part-*.tmp"), *folder.glob("quarantine/.*.tmp")]:
        left.unlink(missing_ok=True)
    for sample in folder.glob(".sample-*"):
        shutil.rmtree(sample, ignore_errors=True)


def _check_same(manifest: Manifest, header: Header, inputs: list[Input]) -> None:
    """ConfigError if the run that the manifest is of was another one."""
    before, folder = manifest.header, manifest.path.parent
    why = None
    if before.model_sha256 != header.model_sha256:
        why = f"another model ({before.model})"
    elif before.version != header.version:
        why = f"dynarc {before.version}"
    elif changes := [f"{k} = {before.options.get(k)}" for k, v in header.options.items() if before.options.get(k) != v]:
        why = f"other options ({', '.join(changes)})"
    elif [(one.path, one.kind) for one in inputs] != [
        (manifest.inputs[shard].path, manifest.inputs[shard].kind) for shard in sorted(manifest.inputs)
    ]:
        why = f"other files ({len(manifest.inputs):,} of them, {manifest.inputs[0].path} the first)"
    if why:
        raise ConfigError(f"{folder} was begun with {why}: go on with the same, or choose another folder")


def size_text(count: float) -> str:
    """
    >>> size_text(1_234_567_890)
    '1.2 GB'
    """
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"
