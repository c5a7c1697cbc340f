"""All faults on purpose, many times: `python -m tests.faults.run [PART=COUNT ...]`, which writes
docs/results/reliability.json and, from that, docs/results/reliability.md.

Parts that are not named keep the figures they have; `python -m tests.faults.run all` does everything in full, and
`python -m tests.faults.run` alone writes the page anew, with what `make fuzz` has found (build/fuzz/runs.jsonl).
"""

import json
import os
import platform
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.faults import injection as faults
from tests.fuzz import run as fuzz

import dynarc
from dynarc.data import english_path
from dynarc.errors import ModelFormatError

RESULTS = fuzz.ROOT / "docs" / "results"
DATA, PAGE = RESULTS / "reliability.json", RESULTS / "reliability.md"


def disks(count: int) -> Counter[str]:
    """Every command that writes, on a disk that is full, on one that is read-only, and with files that may not grow."""
    seen: Counter[str] = Counter()
    model = faults.CORPUS / "model_file" / "parser"
    treebank = english_path("train")
    commands = {
        "train": ("train", english_path("dev"), *faults.FEW, "-o"),
        "parse": ("parse", model, treebank, "-o"),
        "convert": ("convert", treebank, "-o"),
        "stats": ("view", treebank, "-o"),
    }
    for name, command in list(commands.items())[:count]:
        target = {"stats": "out.html", "train": "out.dynarc"}.get(name, "out.conllu")
        with TemporaryDirectory() as folder:
            path = Path(folder) / target
            path.write_text("before")
            faults.refused(faults.program(*command, path), limit=1 << 12)
            assert path.read_text() == "before"
            assert len(list(path.parent.iterdir())) == 1
            seen["a file that may not grow: refused, the old file kept"] += 1
        with faults.small_disk(16 << 10) as disk:
            path = disk / target
            path.write_text("before")
            faults.refused(faults.program(*command, path))
            assert path.read_text() == "before"
            assert len(list(disk.iterdir())) == 1
            seen["a full disk: refused, the old file kept"] += 1
            faults.read_only(disk)
            faults.refused(faults.program(*command, path))
            assert path.read_text() == "before"
            seen["a read-only disk: refused, the old file kept"] += 1
    return seen


def memory(count: int) -> Counter[str]:
    """A model of 15,000 labels whose 4 MB would become 6 GB; and one of 400, about as far as it goes."""
    seen: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "wide.dynarc"
        faults.wide_model(path)

        def work(first: int, count: int) -> Counter[str]:
            try:
                dynarc.load(path)
            except ModelFormatError:
                return Counter({"refused": 1})
            return Counter()

        for _ in range(count):
            seen += faults.in_child(work, 0, 1)
        faults.wide_model(path, labels=400)
        took, size = faults.memory_to_load(path), path.stat().st_size
        assert took < (1 << 30) + 100 * size
        seen[f"400 labels: {size / 1e6:.1f} MB of file, loaded into {took / 1e6:.0f} MB"] += 1
    assert seen["refused"] == count
    return seen


PARTS: dict[str, tuple[str, int, Callable[[int], Counter[str]]]] = {
    "models": ("Damaged models", 10_000, faults.damaged_models),
    "treebanks": ("Damaged CoNLL-U files", 10_000, faults.damaged_treebanks),
    "train": ("Processes killed while they train", 40, faults.kills_while_training),
    "parse": ("Processes killed while they parse", 30, faults.kills_while_parsing),
    "save": ("Processes killed while they save a model", 30, faults.kills_while_saving),
    "disks": ("Disks that take nothing", 4, disks),
    "memory": ("A model that would fill the memory", 1, memory),
}


def fuzzed() -> list[tuple[str, float, int, int]]:
    """Of each target: processor seconds, inputs, and how many runs found something, in all runs that are on record."""
    path = fuzz.BUILD / "runs.jsonl"
    lines = path.read_text().splitlines() if path.is_file() else []
    records = [json.loads(line) for line in lines]
    out = []
    for name in (*fuzz.NATIVE, *fuzz.TARGETS):
        own = [record for record in records if record["target"] == name]
        last = max((place for place, record in enumerate(own) if record["status"]), default=-1)
        clean = own[last + 1 :]  # since something was last found, and mended
        seconds, inputs = sum(r["cpu_seconds"] for r in clean), sum(r["inputs"] for r in clean)
        out.append((name, seconds, inputs, sum(bool(r["status"]) for r in own)))
    return out


def page(data: dict[str, Any]) -> str:
    lines = [
        "# Reliability",
        "",
        LEAD,
        "",
        "## Faults on purpose",
        "",
        "| fault | tried | what came of it | seconds | when |",
        "|---|---:|---|---:|---|",
    ]
    for key, (title, _, _) in PARTS.items():
        if key in data["parts"]:
            part = data["parts"][key]
            seen = "; ".join(f"{text}: {number:,}" for text, number in sorted(summary(part["seen"]).items()))
            lines.append(f"| {title} | {part['count']:,} | {seen} | {part['seconds']:,.0f} | {part['when']} |")
    lines += [
        "",
        HOW,
        "",
        "## Fuzzing",
        "",
        FUZZING,
        "",
        "| target | minutes of processor time | inputs | runs that found something before |",
        "|---|---:|---:|---:|",
        *(f"| {name} | {s / 60:.1f} | {inputs:,} | {found} |" for name, s, inputs, found in data["fuzzed"]),
        "",
        "## What was found, and is a test now",
        "",
        FOUND,
        "",
        f"Machine: {data['machine']}.",
    ]
    return "\n".join(lines) + "\n"


LEAD = """What was tried on purpose, and what came of it: `python -m tests.faults.run all` and `make fuzz`. A run ends at
the first thing that must not be: a crash, a hang, a sanitizer's report, a traceback, a file that is half-written. So every
count below is one of faults survived."""

HOW = """Damaged files are made from seeds 0, 1, 2 ...: bits flipped, the end cut off, pieces swapped, doubled or
overwritten. Models are tried as they are, and again with their checksums put right; in every other one a single value of
the header or a single tensor is damaged and all else made to fit. What loads must parse, and what it writes must be
CoNLL-U; all with 2 GiB of address space. Killed processes get SIGKILL at a random moment of their work; training then goes
on from its checkpoint to the bytes of a run in one piece."""

FUZZING = """Coverage-guided, under ASan and UBSan (readers in C++) or by atheris (readers in Python). Minutes and inputs are
those since something was last found. The goal is 30 minutes of processor time each; what is less was not reached yet."""

FOUND = """By reading the code for the targets, by the first minutes of fuzzing and by damaged files; each is refused in one
line now, or bounded:

- Models with labels out of range, a tagger of lemmas that is given no tags, and templates whose combinations overflow a
  number: places outside of arrays.
- Rows of nine weights for 32,768 classes: of 4 MB in a file, 6 GB would have become.
- Values of a wrong type, deep nesting or millions of entries in the metadata of a model: tracebacks, or memory.
- Labels, tags and words of a model that hold line ends: rows of a treebank could be forged.
- FEATS of thousands of features, templates of megabytes: time and memory without bound.
- Automata as text: a number of 5,000 digits and an infinite weight ended with a traceback, and one line that names state
  99,999,999 made as many states."""


def summary(seen: dict[str, int]) -> dict[str, int]:
    """Outcomes, whatever the kind of damage."""
    out: Counter[str] = Counter()
    for text, number in seen.items():
        out[text.rpartition(": ")[2] if text.count(": ") == 1 and not re.search("kept|MB", text) else text] += number
    return out


def main(arguments: Iterable[str]) -> None:
    wanted = dict(argument.partition("=")[::2] for argument in arguments)
    if "all" in wanted:
        wanted = dict.fromkeys(PARTS, "")
    if unknown := wanted.keys() - PARTS.keys():
        sys.exit(f"there are: all, {', '.join(PARTS)}; not {', '.join(unknown)}")
    for name, number in wanted.items():
        title, usual, work = PARTS[name]
        count = int(number or usual)
        start = time.monotonic()
        seen = work(count)
        seconds = time.monotonic() - start
        sys.stdout.write(f"{title}: {dict(seen)} in {seconds:.0f} s\n")
        sys.stdout.flush()
        when = datetime.now(UTC).date().isoformat()
        keep({name: {"count": count, "seen": dict(seen), "seconds": round(seconds), "when": when}})
    keep({})


def keep(parts: dict[str, Any]) -> None:
    """Puts figures into the file, and writes the page."""
    data: dict[str, Any] = json.loads(DATA.read_text()) if DATA.is_file() else {"parts": {}}
    data["parts"] |= parts
    found = fuzzed()
    if any(seconds for _, seconds, _, _ in found) or "fuzzed" not in data:
        data["fuzzed"] = found
    python = f"Python {platform.python_version()}"
    data["machine"] = f"{os.cpu_count()} processors ({platform.machine()}), shared with other work, {python}"
    DATA.write_text(json.dumps(data, indent=1) + "\n")
    PAGE.write_text(page(data), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
