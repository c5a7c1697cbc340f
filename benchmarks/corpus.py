"""A corpus of millions of sentences through `dynarc corpus`, killed and gone on with, beside `dynarc parse`.

.venv/bin/python -m benchmarks.corpus --generate FILE.conllu.zst --sentences 5000000 TREEBANK   makes a corpus
.venv/bin/python -m benchmarks.corpus --model MODEL --corpus FILE.conllu.zst --write            measures, and writes
                                                                            docs/results/corpus.md and corpus.json

The corpus repeats a treebank; every sentence gets a name of its own, `c-0`, `c-1` and so on, so that the output can be
looked through for sentences that are lost, doubled or out of place.
"""

import argparse
import hashlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

from benchmarks.oracles import ROOT, machine

import dynarc
from dynarc.corpus.run import size_text
from dynarc.files import reading, writing

FOLDER = ROOT / "build" / "corpus"
_NAME = re.compile(rb"^# sent_id = .*\n", re.MULTILINE)
_ID = re.compile(rb"^# sent_id = c-(\d+)\n", re.MULTILINE)
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Timed:
    """A command: its wall-clock time, the processor's, and the most memory it had, second by second."""

    what: str
    seconds: float
    cpu_seconds: float
    words: int
    memory: tuple[int, ...]  # bytes, a second apart

    @property
    def words_per_second(self) -> float:
        return self.words / self.seconds

    @property
    def words_per_cpu_second(self) -> float:
        return self.words / self.cpu_seconds


@dataclass(frozen=True)
class Result:
    machine: str
    date: str
    model: str
    features: str
    corpus_bytes: int
    unpacked_bytes: int
    sentences: int
    words: int
    longest: int  # words of the longest sentence
    parts: int
    output_bytes: int
    parse: Timed
    corpus: Timed
    kills: int
    interrupted_seconds: float
    identical: bool
    in_order: bool  # every name once, in order
    verified: str
    verify_seconds: float
    load: float  # average number of processes that wanted to run meanwhile


def generate(path: Path, treebank: Path, sentences: int, longest: int) -> None:
    """Writes a corpus that repeats the sentences of a treebank of at most so many words."""
    whole = dynarc.read_conllu(treebank)
    texts = []
    for sentence in whole:
        if len(sentence) <= longest:
            lines = [*sentence.comments, *("\t".join(token) for token in sentence.tokens), ""]
            texts.append(_NAME.sub(b"", "".join(f"{line}\n" for line in lines).encode()))
    with writing(path) as out:
        block = []
        for number, text in zip(range(sentences), cycle(texts), strict=False):
            block.append(b"# sent_id = c-%d\n%s" % (number, text))
            if len(block) == 5000:
                out.write(b"".join(block))
                block = []
        out.write(b"".join(block))


def timed(what: str, command: list[str], words: int) -> Timed:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    memory: list[int] = []
    while process.poll() is None:
        memory.append(_resident(process.pid))
        time.sleep(max(0.0, start + len(memory) - time.perf_counter()))
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timed(what, seconds, cpu, words, tuple(memory))


def _resident(process: int) -> int:
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def interrupted(command: list[str], kills: int, seconds: float, seed: int) -> tuple[int, float]:
    """Runs the command until it ends, killed at random moments: how often it was, and how long all runs took."""
    chance = random.Random(seed)
    start, done = time.perf_counter(), 0
    while True:
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        limit = chance.uniform(0.1, 1.6) * seconds / (kills + 1) if done < kills else None
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            done += 1
            continue
        if status:
            raise SystemExit(f"{' '.join(command)} ended with {status}")
        return done, time.perf_counter() - start


def parts(folder: Path) -> dict[str, str]:
    """Checksums of all parts."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("part-*"))}


def names(folder: Path) -> Iterator[int]:
    """The numbers of all sentences, as they follow each other in the output."""
    for path in sorted(folder.glob("part-*")):
        with reading(path, path.name) as stream:
            yield from map(int, _ID.findall(stream.read()))


def measure(model: Path, corpus: Path, kills: int, seed: int) -> Result:
    out, again, single = FOLDER / "whole", FOLDER / "killed", FOLDER / "parsed.conllu.zst"
    for old in (out, again):
        shutil.rmtree(old, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    about = machine()
    program = [sys.executable, "-m", "dynarc.cli"]
    command = [*program, "corpus", str(corpus), "-m", str(model), "-o"]
    sentences, words, longest, size = counted(corpus)
    whole = timed("dynarc corpus", [*command, str(out)], words)
    plain = timed("dynarc parse", [*program, "parse", str(model), str(corpus), "-o", str(single)], words)
    single.unlink()
    done, seconds = interrupted([*command, str(again)], kills, whole.seconds, seed)
    identical = parts(out) == parts(again)
    in_order = all(number == wanted for wanted, number in enumerate(names(again))) and (
        sum(1 for _ in names(again)) == sentences
    )
    start = time.perf_counter()
    proof = subprocess.run([*program, "corpus", "--verify", str(again)], capture_output=True, text=True, check=False)
    return Result(
        machine=f"{about['machine']}, Python {about['python']}, commit {about['commit']}",
        date=str(about["date"]),
        model=model.name,
        features=str(dynarc.load(model).config.features),
        corpus_bytes=corpus.stat().st_size,
        unpacked_bytes=size,
        sentences=sentences,
        words=words,
        longest=longest,
        parts=len(parts(out)),
        output_bytes=sum(path.stat().st_size for path in out.glob("part-*")),
        parse=plain,
        corpus=whole,
        kills=done,
        interrupted_seconds=seconds,
        identical=identical,
        in_order=in_order,
        verified=proof.stdout.strip(),
        verify_seconds=time.perf_counter() - start,
        load=os.getloadavg()[2],
    )


def counted(corpus: Path) -> tuple[int, int, int, int]:
    """Sentences, words, words of the longest sentence, and unpacked bytes."""
    sentences = words = longest = size = 0
    for treebank in dynarc.iter_treebanks(corpus, check_trees=False):
        document = treebank.document()
        sentences += document.sentences
        words += document.words
        longest = max(longest, *map(document.length, range(document.sentences)), 0)
    with reading(corpus, corpus.name) as stream:
        while block := stream.read(1 << 22):
            size += len(block)
    return sentences, words, longest, size


def page(result: Result) -> str:
    def row(timed: Timed) -> str:
        settled = timed.memory[min(5, len(timed.memory) - 1) :]
        return (
            f"| `{timed.what}` | {timed.seconds:,.0f} | {timed.cpu_seconds:,.0f} | {timed.words_per_second:,.0f} | "
            f"{timed.words_per_cpu_second:,.0f} | {size_text(settled[len(settled) // 10])} | "
            f"{size_text(settled[len(settled) // 2])} | {size_text(max(timed.memory))} |"
        )

    ratio = result.corpus.words_per_second / result.parse.words_per_second
    cpu = result.corpus.words_per_cpu_second / result.parse.words_per_cpu_second
    return f"""# A corpus through `dynarc corpus`

{result.sentences:,} sentences, {result.words:,} words: one file, {size_text(result.corpus_bytes)} packed,
{size_text(result.unpacked_bytes)} unpacked, a treebank's sentences of at most {result.longest} words, repeated with new
names. The model is `{result.model}`
(features `{result.features}`). {result.machine}; {result.date}. While this ran, {result.load:.1f} processes wanted the
processor on average: wall-clock times are those of a machine that had other work, processor times are not.

```console
python -m benchmarks.corpus --generate build/corpus/in.conllu.zst --sentences {result.sentences} --longest {result.longest} TREEBANK
python -m benchmarks.corpus --model MODEL --corpus build/corpus/in.conllu.zst --write
```

| command | seconds | processor, s | words/s | words/s of a core | memory after a tenth | in the middle | most |
|---|---:|---:|---:|---:|---:|---:|---:|
{row(result.parse)}
{row(result.corpus)}

`corpus` does {ratio:.2f} times the words per second of `parse`, and {cpu:.2f} times those for a second of the processor. Both
unpack the same file and pack the output with Zstandard; `corpus` also computes checksums of what it reads and writes.

Killed (`kill -9`) at {result.kills} random moments and gone on with each time, {result.interrupted_seconds:,.0f} s in all:

| | |
|---|---|
| parts, {result.parts:,} of them, to the byte those of the run that was not interrupted | {"yes" if result.identical else "NO"} |
| every sentence once, in order, by the names in the output | {"yes" if result.in_order else "NO"} |
| `dynarc corpus --verify`, {result.verify_seconds:,.0f} s | {result.verified} |
| output | {size_text(result.output_bytes)} |
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebank", nargs="?", type=Path)
    parser.add_argument("--generate", type=Path, metavar="FILE")
    parser.add_argument("--sentences", type=int, default=5_000_000)
    parser.add_argument("--longest", type=int, default=1000, help="words of the longest sentence that is taken")
    parser.add_argument("--model", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true", help="write docs/results/corpus.md and corpus.json")
    given = parser.parse_args()
    if given.generate:
        given.generate.parent.mkdir(parents=True, exist_ok=True)
        generate(given.generate, given.treebank, given.sentences, given.longest)
        return
    result = measure(given.model, given.corpus, given.kills, given.seed)
    print(page(result))
    if given.write:
        (ROOT / "docs/results/corpus.json").write_text(json.dumps(asdict(result), indent=2) + "\n")
        (ROOT / "docs/results/corpus.md").write_text(page(result))


if __name__ == "__main__":
    main()
