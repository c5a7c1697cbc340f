"""How fast treebanks are read and written, beside the reader of UDPipe, and how much memory a large file takes.

.venv/bin/python -m benchmarks.treebanks --write    writes docs/results/treebank-speed.md

Every figure is the best of several rounds in which all readers take turns, on one core; the ratio is that of the
same run. Treebanks are found by DYNARC_TREEBANKS, or in ../shared/treebanks.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.oracles import ROOT, machine

import dynarc
from dynarc.files import writing

CODES = ("en_ewt", "de_gsd_r12_lc", "zh_gsd", "el_gdt", "fr_sequoia")
ROUNDS = 7


def train(code: str) -> Path:
    folder = Path(os.environ.get("DYNARC_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
    return folder / code / "train.conllu"


def read(path: Path, target: Path) -> None:
    dynarc.read_conllu(path)


def read_and_write(path: Path, target: Path) -> None:
    dynarc.read_conllu(path).write(target)


def stream_through(path: Path, target: Path) -> None:
    with writing(target) as out:
        for treebank in dynarc.iter_treebanks(path):
            treebank.write(out)


def change_every_word(path: Path, target: Path) -> None:
    """What a parser does: HEAD and DEPREL of every word are new."""
    treebank = dynarc.read_conllu(path)
    document = treebank.document()
    for column, text in ((6, "0"), (7, "dep")):
        document.fill(column, text)
    treebank.write(target)


def into_python(path: Path, target: Path) -> None:
    """Forms, tags, heads and labels of every word as Python objects."""
    for s in dynarc.read_conllu(path):
        s.forms, s.upos, s.heads, s.deprels  # noqa: B018


def udpipe_reader(path: Path, target: Path) -> None:
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    reader = InputFormat.newInputFormat("conllu")
    reader.setText(path.read_text(encoding="utf-8"))
    sentence, error = Sentence(), ProcessingError()
    while reader.nextSentence(sentence, error):
        pass
    assert not error.occurred()


JOBS: dict[str, Callable[[Path, Path], None]] = {
    "read": read,
    "read + write": read_and_write,
    "streamed through": stream_through,
    "read, every word changed, write": change_every_word,
    "read into Python lists": into_python,
    "UDPipe, read only": udpipe_reader,
}


def speeds() -> list[list[str]]:
    rows = []
    for code in CODES:
        path = train(code)
        words = dynarc.read_conllu(path).words
        best = dict.fromkeys(JOBS, float("inf"))
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(ROUNDS):
                for name, job in JOBS.items():
                    start = time.process_time()
                    job(path, Path(folder) / "out.conllu")
                    best[name] = min(best[name], time.process_time() - start)
        peer = best["UDPipe, read only"]
        million = [f"{words / seconds / 1e6:.2f}" for seconds in best.values()]
        rows.append([code, f"{words:,}", *million, f"{peer / best['read + write']:.1f}"])
        print(*rows[-1], sep="  ", flush=True)
    return rows


def memory(gigabytes: float) -> str:
    """Streams a file of this size through, in a process of its own, and says how much memory that process took."""
    data = train("en_ewt").read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.conllu"
        times = round(gigabytes * 1e9 / len(data))
        with path.open("wb") as out:
            for _ in range(times):
                out.write(data)
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.treebanks", "--stream", str(path), str(Path(folder) / "out.conllu")],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        seconds = time.perf_counter() - start
        same = subprocess.run(["cmp", path, Path(folder) / "out.conllu"], check=False).returncode == 0
        words, peak = map(int, done.stdout.split())
        return (
            f"A file of {path.stat().st_size / 1e9:.2f} GB ({words:,} words, en_ewt train {times} times) streamed "
            f"through to another in {seconds:.1f} s with a peak of {peak / 1024:.0f} MiB of memory, Python included; "
            f"the copy is {'byte-identical' if same else 'DIFFERENT'}."
        )


def stream(source: str, target: str) -> None:
    words = 0
    with writing(target) as out:
        for treebank in dynarc.iter_treebanks(source):
            treebank.write(out)
            words += treebank.words
    # Not ru_maxrss, which also knows the process that started this one.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    print(words, peak)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", action="store_true", help="write docs/results/treebank-speed.md")
    options.add_argument("--gigabytes", type=float, default=2.0)
    options.add_argument("--stream", nargs=2, metavar=("SOURCE", "TARGET"), help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.stream:
        stream(*given.stream)
        return
    rows = speeds()
    header = ["treebank", "words", *JOBS, "read + write against UDPipe's reading"]
    table = ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *rows]]
    large = memory(given.gigabytes)
    print(large)
    if given.write:
        how = (
            f"Million words per second of CPU time on one core, best of {ROUNDS} rounds in which all take turns. UDPipe is "
            "ufal.udpipe, whose reader is the fastest other one that we know; what it takes to write is not counted."
        )
        lines = [
            "# Reading and writing treebanks",
            "",
            "Made by `python -m benchmarks.treebanks --write`. "
            + ", ".join(f"{k}: {v}" for k, v in machine().items())
            + ".",
            "",
            how,
            "",
            *table,
            "",
            large,
            "",
        ]
        (ROOT / "docs" / "results" / "treebank-speed.md").write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
