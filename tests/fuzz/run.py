"""Fuzzing: `python -m tests.fuzz.run TARGET SECONDS`, or `all` for every target in turn (`make fuzz`).

Seconds are of processor time. Readers in C++ are fuzzed by what `make fuzz` builds of tests/fuzz/*.cpp; those in Python
here, guided by coverage if atheris is installed, else by chance. Whatever ends a run is written to build/fuzz/crashes;
once it is mended it belongs into tests/fuzz/findings. Each run adds a line to build/fuzz/runs.jsonl.

A new target is a module beside this one with `one_input(data)`, and perhaps `changed(data, seed, change)`, which knows
how to change an input; its name is added to TARGETS, and what it starts from to seeds.py.
"""

import gc
import importlib
import importlib.util
import json
import random
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType, ModuleType

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "fuzz"
NATIVE = ("document", "templates", "model")
TARGETS = ("automata", "model_file")
LIMITS = ("-timeout=60", "-rss_limit_mb=3072", "-print_final_stats=1")
SLICE = 300  # seconds of one process: what it has found by then, the next one starts from


def target(name: str) -> ModuleType:
    return importlib.import_module(f"tests.fuzz.{name}")


def inputs(name: str) -> Iterator[tuple[str, bytes]]:
    """The seeds of a target, and what was once found by fuzzing it."""
    for folder in ("corpus", "findings"):
        for path in sorted((HERE / folder / name).glob("*")):
            yield f"{folder}/{path.name}", path.read_bytes()


def shuffled(data: bytes, rng: random.Random) -> bytes:
    """A few bits flipped, bytes replaced, pieces cut, doubled or moved."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(out) + 1), rng.randint(1, 64)
        piece = out[at : at + length]
        match rng.randrange(6):
            case 0 if at < len(out):
                out[at] ^= 1 << rng.randrange(8)
            case 1 if at < len(out):
                out[at] = rng.randrange(256)
            case 2:
                del out[at : at + length]
            case 3:
                out[at:at] = piece
            case 4:
                del out[at : at + length]
                place = rng.randrange(len(out) + 1)
                out[place:place] = piece
            case _:
                out[at:at] = rng.choice((b"\t", b"\n", b"0", b"-1", b"1e9", b"[", b'"', b"null", b"\xff"))
    return bytes(out)


def changes(module: ModuleType) -> Callable[[bytes, random.Random], bytes]:
    """How inputs of a target are changed: as bytes, or as the target knows better."""
    if not hasattr(module, "changed"):
        return shuffled
    return lambda data, rng: module.changed(data, rng.getrandbits(32), lambda part: shuffled(part, rng))


def at_random(name: str, seconds: float, seed: int = 1) -> int:
    """Tries changed inputs until the time is over; how many."""
    module, rng = target(name), random.Random(seed)
    known = [data for _, data in inputs(name)]
    change, tried = changes(module), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        data = change(rng.choice(known), rng)
        try:
            module.one_input(data)
        except BaseException:
            Path("crash-input").write_bytes(data)
            raise
        tried += 1
    return tried


def guided(name: str, seconds: int) -> None:
    import atheris

    module = target(name)
    for _, data in inputs(name):  # everything that is loaded when it is needed is needed now
        module.one_input(data)
    for function in [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)]:
        if (function.__module__ or "").startswith("dynarc"):
            atheris.instrument_func(function)

    def mutate(data: bytes, size: int, seed: int) -> bytes:
        return bytes(
            module.changed(data, seed, lambda part: bytes(atheris.Mutate(part, max(len(part), 1) + 64)))[:size]
        )

    def one_input(data: bytes) -> None:
        module.one_input(data)

    own = {"custom_mutator": mutate} if hasattr(module, "changed") else {}
    atheris.Setup(
        [sys.argv[0], f"-max_total_time={seconds}", "-max_len=65536", *_options(name)], module.one_input, **own
    )
    atheris.Fuzz()


def _options(name: str) -> list[str]:
    """Limits and folders, as libFuzzer has them."""
    found, crashes = BUILD / "found" / name, BUILD / "crashes"
    for folder in (found, crashes):
        folder.mkdir(parents=True, exist_ok=True)
    folders = [folder for folder in (found, HERE / "corpus" / name, HERE / "findings" / name) if folder.is_dir()]
    return [*LIMITS, f"-artifact_prefix={crashes}/{name}-", *map(str, folders)]


def campaign(name: str, seconds: int) -> bool:
    """So many seconds of processor time; whether nothing was found."""
    used, tried, status = 0.0, 0, 0
    while used < seconds and status == 0:
        part = str(max(1, min(SLICE, round(seconds - used))))
        if name in NATIVE:
            command = [str(BUILD / f"fuzz_{name}"), f"-max_total_time={part}", "-max_len=16384", *_options(name)]
        else:
            command = [sys.executable, "-m", "tests.fuzz.run", name, part]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        tried += sum(int(number) for number in re.findall(rb"^Done ([0-9]+) runs", done.stdout, re.MULTILINE))
        status = done.returncode
    if status != 0:
        (BUILD / "crashes" / f"{name}.log").write_bytes(done.stdout)
    record = {
        "target": name,
        "cpu_seconds": round(used, 1),
        "inputs": tried,
        "status": status,
        "when": int(time.time()),
    }
    with (BUILD / "runs.jsonl").open("a") as log:
        log.write(json.dumps(record) + "\n")
    found = "nothing found" if status == 0 else f"FOUND SOMETHING: see {BUILD / 'crashes'}"
    sys.stdout.write(f"{name}: {tried:,} inputs in {used:.0f} s of processor time: {found}\n")
    sys.stdout.flush()
    return status == 0


def main() -> None:
    names, seconds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10
    if names == "all" or names in NATIVE:
        chosen = (*NATIVE, *TARGETS) if names == "all" else (names,)
        clean = [campaign(name, seconds) for name in chosen]
        sys.exit(0 if all(clean) else 1)
    if names not in TARGETS:
        sys.exit(f"there are: all, {', '.join((*NATIVE, *TARGETS))}")
    if importlib.util.find_spec("atheris") is not None:
        guided(names, seconds)
    else:
        sys.stdout.write(f"Done {at_random(names, seconds)} runs\n")


if __name__ == "__main__":
    main()
