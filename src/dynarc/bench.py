"""How fast a parser is, and what it needs: what `dynarc bench` measures."""

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from dynarc.conllu import iter_treebanks, read_conllu
from dynarc.convert import write_any
from dynarc.errors import ConfigError, FileError
from dynarc.evaluation import evaluate
from dynarc.parser import Parser, cores
from dynarc.sentence import Sentence
from dynarc.treebank import Treebank

LAYOUTS = ("compact", "folded")
LENGTHS = (10, 100, 1_000, 10_000, 100_000)
_FEWEST_WORDS = 20_000  # parsed for a figure of `growth`
_IMPORT = "import time; start = time.perf_counter(); import dynarc; print(time.perf_counter() - start)"


@dataclass(frozen=True, slots=True)
class Rate:
    """Words per second of wall-clock time: the middle one of the rounds, and the best."""

    what: str  # "compact" and "folded" parse what is in memory; "file to file" reads and writes
    threads: int
    median: float
    best: float


@dataclass(frozen=True, slots=True)
class Memory:
    """The most memory that a process had which did nothing but load the model and parse the file, in bytes."""

    layout: str
    peak: int


@dataclass(frozen=True, slots=True)
class Growth:
    """Time for a word in sentences of a length, in nanoseconds, with compact weights."""

    length: int
    nanoseconds: float


@dataclass(frozen=True, slots=True)
class Bench:
    model: str
    bytes: int
    data: str
    sentences: int
    words: int
    uas: float | None  # None where the file has no trees
    las: float | None
    rates: tuple[Rate, ...]
    memory: tuple[Memory, ...]
    load_seconds: float
    import_seconds: float
    cold_start_seconds: float  # of `dynarc parse` with one sentence
    growth: tuple[Growth, ...]
    rounds: int
    machine: str

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def bench(
    model: str | os.PathLike[str],
    data: str | os.PathLike[str],
    *,
    threads: Sequence[int] = (),
    rounds: int = 5,
    growth: bool = False,
    progress: Callable[[str], None] = lambda what: None,
) -> Bench:
    """Measures a model on a CoNLL-U file. `threads` are 1 and all cores, if none are given."""
    if rounds < 1:
        raise ConfigError(f"rounds must be at least 1, not {rounds}")
    if any(number < 1 for number in threads):
        raise ConfigError(f"a number of threads must be at least 1, not {min(threads)}")
    model, data = os.fspath(model), os.fspath(data)
    start = time.perf_counter()
    parser = Parser.load(model)
    loaded = time.perf_counter() - start
    treebank = read_conllu(data, check_trees=False)
    if not treebank.words:
        raise FileError(data, None, "there is nothing to parse")
    numbers = sorted(set(threads) or {1, cores()})
    rates = []
    for layout in LAYOUTS:
        for number in numbers:
            progress(f"parsing, {layout}, threads: {number}")
            rates.append(_rate(layout, number, treebank.words, rounds, _parsing(parser, treebank, layout, number)))
    for number in numbers:
        progress(f"from file to file, threads: {number}")
        with tempfile.TemporaryDirectory() as folder:
            work = from_file_to_file(parser, data, str(Path(folder) / "out.conllu"), number)
            rates.append(_rate("file to file", number, treebank.words, rounds, work))
    progress("memory")
    memory = tuple(Memory(layout, _child("memory", model, data, layout)["peak"]) for layout in LAYOUTS)
    progress("starting")
    scored = all(None not in sentence.heads for sentence in treebank)
    scores = evaluate(treebank, parser.parse(treebank)) if scored else None
    return Bench(
        model=model,
        bytes=Path(model).stat().st_size,
        data=data,
        sentences=len(treebank),
        words=treebank.words,
        uas=None if scores is None else scores.uas,
        las=None if scores is None else scores.las,
        rates=tuple(rates),
        memory=memory,
        load_seconds=loaded,
        import_seconds=_median(rounds, lambda: float(_python("-c", _IMPORT))),
        cold_start_seconds=_median(rounds, lambda: _cold_start(model, treebank[0])),
        growth=tuple(_growth(parser, treebank, rounds, progress)) if growth else (),
        rounds=rounds,
        machine=machine(),
    )


def machine() -> str:
    """The processor, in words."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {cores()} cores"


def peak_memory() -> int:
    """The most memory that this process had, in bytes.

    Linux's ru_maxrss also knows the process that started this one; the status file does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _parsing(parser: Parser, treebank: Treebank, layout: str, threads: int) -> Callable[[], object]:
    document = treebank.document()
    if parser.first is None and not parser.labels.marked:
        return lambda: parser.model.parsed(document, threads, parser.labels.texts, layout)

    def work() -> None:  # several steps, of which the engine is one
        before = os.environ.get("DYNARC_LAYOUT")
        os.environ["DYNARC_LAYOUT"] = layout
        try:
            parser.parse(treebank, threads=threads)
        finally:
            del os.environ["DYNARC_LAYOUT"]
            if before is not None:
                os.environ["DYNARC_LAYOUT"] = before

    return work


def from_file_to_file(parser: Parser, source: str, target: str, threads: int) -> Callable[[], object]:
    def work() -> None:
        with write_any(target, "conllu") as put:
            for treebank in iter_treebanks(source, check_trees=False):
                put(parser.parse(treebank, threads=threads))

    return work


def _rate(what: str, threads: int, words: int, rounds: int, work: Callable[[], object]) -> Rate:
    work()  # what is only done once does not count
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return Rate(what, threads, words / statistics.median(seconds), words / min(seconds))


def _growth(parser: Parser, treebank: Treebank, rounds: int, progress: Callable[[str], None]) -> Iterator[Growth]:
    """Sentences of the file's own words in order, cut to one length."""
    tokens = [token for sentence in treebank for token in sentence.tokens if token.is_word]
    for length in LENGTHS:
        progress(f"sentences of {length:,} words")
        endless = cycle(tokens)
        parts = [list(islice(endless, length)) for _ in range(max(1, _FEWEST_WORDS // length))]
        same = Treebank(
            Sentence([t.form for t in part], upos=[t.upos for t in part], xpos=[t.xpos for t in part],
                     feats=[t.feats for t in part], lemmas=[t.lemma for t in part])
            for part in parts
        )  # fmt: skip
        rate = _rate("growth", 1, same.words, rounds, _parsing(parser, same, "compact", 1))
        yield Growth(length, 1e9 / rate.best)


def _cold_start(model: str, sentence: Sentence) -> float:
    start = time.perf_counter()
    _python("-m", "dynarc.cli", "parse", model, "-", given=Treebank([sentence]).to_bytes())
    return time.perf_counter() - start


def _median(rounds: int, measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(rounds))


def _child(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_python("-m", "dynarc.bench", *arguments))
    return found


def _python(*arguments: str, given: bytes = b"") -> bytes:
    done = subprocess.run([sys.executable, *arguments], input=given, capture_output=True, check=False)
    if done.returncode:
        raise ConfigError(f"python {arguments[1]} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


def _main(_what: str, model: str, data: str, layout: str) -> None:
    """The process whose memory is measured."""
    os.environ["DYNARC_LAYOUT"] = layout
    parser = Parser.load(model)
    for treebank in iter_treebanks(data, check_trees=False):
        parser.parse(treebank, threads=1)
    sys.stdout.write(json.dumps({"peak": peak_memory()}))


if __name__ == "__main__":
    _main(*sys.argv[1:])
