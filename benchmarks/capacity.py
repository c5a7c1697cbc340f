"""What a core does in a second with a corpus, format by format, and what a billion sentences cost by that.

.venv/bin/python -m benchmarks.capacity --model MODEL TREEBANK --write    writes docs/explanation/capacity.md

Every run is one thread of `dynarc corpus` in a process of its own, over copies of a treebank, each a file and a part of the
output: nothing is packed better because it is repeated. Processor time counts, so that other work on the machine does not.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.oracles import ROOT, machine

import dynarc
from dynarc.convert import convert
from dynarc.corpus import Options
from dynarc.corpus.run import opened, size_text
from dynarc.files import reading, write_text
from dynarc.text import raw_text

BILLION = 10**9
LENGTH = 20  # words of a sentence, for the arithmetic
OVERHEAD = 0.10  # of unfinished last rounds, stragglers, retries
COPIES = 3


@dataclass(frozen=True)
class Measured:
    what: str
    words: int
    seconds: float  # of the processor, without starting
    input_bytes: int
    output_bytes: int
    peak: int

    @property
    def rate(self) -> float:
        return self.words / self.seconds

    @property
    def core_hours(self) -> float:
        return BILLION * LENGTH / self.rate / 3600

    @property
    def output(self) -> float:
        """Bytes for a billion sentences."""
        return self.output_bytes / self.words * LENGTH * BILLION

    @property
    def input(self) -> float:
        return self.input_bytes / self.words * LENGTH * BILLION


def child(model: str, to: str, out: str, warm: str, files: list[str]) -> None:
    """Parses a file first, so that the weights are folded; then those that count."""
    options = Options(to=to)  # type: ignore[arg-type]
    with opened([warm], f"{out}-warm", model, options) as first, opened(files, out, model, options) as run:
        first.finish(1)
        run.parser = first.parser
        start = time.process_time()
        report = run.finish(1)
        seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    written = sum(path.stat().st_size for path in Path(out).glob("part-*"))
    print(json.dumps({"words": report.words, "seconds": seconds, "output": written, "peak": peak}))


def measured(what: str, model: str, to: str, files: list[Path], folder: Path) -> Measured:
    out = folder / f"out-{len(list(folder.glob('out-*')))}"
    command = [sys.executable, "-m", "benchmarks.capacity", "--child", to, "--model", model, "--out", str(out)]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=True, cwd=ROOT)
    found = json.loads(done.stdout.splitlines()[-1])
    size = sum(path.stat().st_size for path in files)
    return Measured(what, found["words"], found["seconds"], size, found["output"], found["peak"])


def unpacking(path: Path) -> float:
    """Unpacked bytes in a second of one core."""
    start, size = time.process_time(), 0
    for _ in range(5):
        with reading(path, path.name) as stream:
            while block := stream.read(1 << 20):
                size += len(block)
    return size / (time.process_time() - start)


def measure(model: str, treebank: Path) -> tuple[list[Measured], dict[str, float], float]:
    source = dynarc.read_conllu(treebank)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made: dict[str, list[Path]] = {}
        for suffix in ("conllu.zst", "conllu.gz", "parquet", "jsonl.zst", "txt.zst"):
            made[suffix] = [folder / f"{number}.{suffix}" for number in range(COPIES)]
            for path in made[suffix]:
                if suffix == "txt.zst":
                    write_text(raw_text(source), path)
                else:
                    convert(treebank, path)
        runs = [
            measured("CoNLL-U to CoNLL-U", model, "conllu", made["conllu.zst"], folder),
            measured("CoNLL-U to Parquet", model, "parquet", made["conllu.zst"], folder),
            measured("CoNLL-U to JSON lines", model, "jsonl", made["conllu.zst"], folder),
            measured("Parquet to Parquet", model, "parquet", made["parquet"], folder),
            measured("JSON lines to JSON lines", model, "jsonl", made["jsonl.zst"], folder),
            measured("raw text to CoNLL-U, `en`", "en", "conllu", made["txt.zst"], folder),
        ]
        rates = {suffix: unpacking(made[suffix][0]) for suffix in ("conllu.zst", "conllu.gz")}
        unpacked = len(source.to_bytes()) / source.words
    return runs, rates, unpacked


def page(runs: list[Measured], rates: dict[str, float], unpacked: float, model: str, treebank: str) -> str:
    about = machine()
    first = runs[0]
    rows = "\n".join(
        f"| {run.what} | {run.rate:,.0f} | {run.core_hours:,.0f} | {size_text(run.input)} | {size_text(run.output)} | "
        f"{size_text(run.peak)} |"
        for run in runs
    )
    hours = "\n".join(
        f"| {machines:,} | {machines * 32:,} | {_wall(runs[0], machines)} | {_wall(runs[-1], machines)} | "
        f"{size_text((first.input + first.output) / _seconds(first, machines))}/s |"
        for machines in (1, 4, 16, 64)
    )
    gz, zst = (rates[suffix] / unpacked / first.rate for suffix in ("conllu.gz", "conllu.zst"))
    parts = BILLION * LENGTH * unpacked / (1 << 24)
    json_share = 1 - runs[4].rate / first.rate  # of the time that is Python's
    return f"""# What a billion sentences cost

All figures are made by

```console
python -m benchmarks.capacity --model MODEL {treebank} --write
```

on {about["machine"]}, Python {about["python"]}, {about["date"]}, commit {about["commit"]}; the model is `{model}`, for raw text `en`, which
also finds sentences, words, tags and lemmas. They are per second of one core's own time, with folded weights, and include
reading, unpacking, parsing, packing, checksums and writing. The data are {COPIES} copies of {treebank}, packed with Zstandard.

## One core

| | words/s | core-hours for 10⁹ sentences | input | output | most memory |
|---|---:|---:|---:|---:|---:|
{rows}

The arithmetic, for the first row, with {LENGTH} words to a sentence:

```text
10⁹ sentences x {LENGTH} words                        = {BILLION * LENGTH:,} words
{BILLION * LENGTH:,} words / {first.rate:,.0f} words/s  = {BILLION * LENGTH / first.rate:,.0f} s of a core
{BILLION * LENGTH / first.rate:,.0f} s / 3,600                            = {first.core_hours:,.1f} core-hours
{first.output_bytes:,} bytes / {first.words:,} words       = {first.output_bytes / first.words:.1f} bytes of output a word
{first.output_bytes / first.words:.1f} bytes x {BILLION * LENGTH:,} words     = {size_text(first.output)}
{unpacked:.1f} bytes of CoNLL-U x {BILLION * LENGTH:,} words / 16 MiB = {parts:,.0f} parts, and lines of the manifest
```

Memory is that of one thread. Another thread adds its piece of the input, 16 MiB, a copy of it while it is read, and a block of a
megabyte in work; the model and its folded weights are shared. How flat it stays: [results](../results/corpus.md).

## Many machines

Machines of 32 cores, and {OVERHEAD:.0%} more for stragglers and what is done twice:
`core-hours x {1 + OVERHEAD:.2f} / (machines x 32)`.

| machines | cores | CoNLL-U to CoNLL-U | raw text to CoNLL-U | read and written, all together, for the first |
|---:|---:|---:|---:|---:|
{hours}

This is arithmetic: nothing larger than two cores was measured. It supposes that cores are as fast as this one when all of a
machine are busy, and that storage keeps up, whose rate is in the last column.

## What is the bottleneck

- **Parsing**, on one machine, for CoNLL-U; of raw text, sentences, words and tags have to be found, too. Unpacking takes
  {1 / zst:.0%} of the first row's time, and would take {1 / gz:.0%} with gzip.
- **Unpacking one file**, when it is the only one: a file is unpacked by one thread at a time, {size_text(rates["conllu.gz"])}/s for gzip and
  {size_text(rates["conllu.zst"])}/s for Zstandard here, which feeds about {gz:.0f} and {zst:.0f} cores. With as many files as cores that is no limit.
- **Python's lock**, with JSON lines: records are made by Python, one thread at a time. Beside CoNLL-U they take
  {json_share:.0%} of the time ({runs[4].rate:,.0f} instead of {first.rate:,.0f} words/s), so threads can be at most {1 / json_share:.1f} times as
  fast as one. Take CoNLL-U or Parquet, or `--engine daft` on Ray, whose workers are processes.
- **Storage**, on many machines: see the last column above. All machines write to one file system.
- **The manifest** is none: a line of about 600 bytes for a part, some {size_text(parts * 600)} in all, read once when a run begins.
"""


def _seconds(run: Measured, machines: int) -> float:
    return run.core_hours * 3600 * (1 + OVERHEAD) / (machines * 32)


def _wall(run: Measured, machines: int) -> str:
    seconds = _seconds(run, machines)
    return f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.0f} min"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, help="a treebank")
    parser.add_argument("--model", required=True)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    parser.add_argument("--write", action="store_true", help="write docs/explanation/capacity.md")
    given = parser.parse_args()
    if given.child:
        files = [os.fspath(path) for path in given.files]
        child(given.model, given.child, given.out, files[0], files)
        return
    found = page(*measure(given.model, given.files[0]), Path(given.model).name, given.files[0].name)
    print(found)
    if given.write:
        (ROOT / "docs/explanation/capacity.md").write_text(found, encoding="utf-8")


if __name__ == "__main__":
    main()
