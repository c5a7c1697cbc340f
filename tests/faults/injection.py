"""What can go wrong, done on purpose: files that are damaged, processes that are killed, disks that are full.

Each function tries so many times and returns what was seen; it raises AssertionError as soon as something is seen that
must not be. `python -m tests.faults.run` does all of it and writes docs/results/reliability.md; the tests beside it do
a little of each.
"""

import json
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz import model_file, run

import dynarc
from dynarc.data import english, english_path
from dynarc.errors import ConlluError
from dynarc.model_file import Contents, row, write_model_file

MOST_MEMORY = 2 << 30  # bytes of address space besides what there is already, for processes that work on damaged files
CORPUS = run.HERE / "corpus"


def address_space() -> int:
    """What this process has of it, which a child begins with."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()


def in_child(work: Callable[[int, int], Counter[str]], first: int, count: int) -> Counter[str]:
    """The work in a process of its own with little memory: a crash ends that process, and is seen."""
    context = get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def child() -> None:
        most = address_space() + MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        theirs.send(work(first, count))

    process = context.Process(target=child)
    process.start()
    theirs.close()
    try:
        found: Counter[str] = ours.recv()
    except EOFError:
        found = Counter()
    process.join()
    assert process.exitcode == 0, f"numbers {first} to {first + count - 1}: the process ended with {process.exitcode}"
    return found


def in_batches(work: Callable[[int, int], Counter[str]], count: int, batch: int = 250) -> Counter[str]:
    seen: Counter[str] = Counter()
    for first in range(0, count, batch):
        seen += in_child(work, first, min(batch, count - first))
    return seen


def damaged(data: bytes, number: int) -> tuple[str, bytes]:
    """The damage of that number: bits flipped, the end cut off, pieces swapped, bytes overwritten or doubled."""
    rng = random.Random(number)
    kind = ("bits flipped", "cut short", "pieces swapped", "bytes overwritten", "pieces doubled")[number % 5]
    out = bytearray(data)
    if kind == "cut short":
        return kind, data[: rng.randrange(len(data))]
    for _ in range(rng.choice((1, 1, 2, 8))):
        at, length = rng.randrange(len(out)), rng.randint(1, 200)
        match kind:
            case "bits flipped":
                out[at] ^= 1 << rng.randrange(8)
            case "pieces swapped":
                other = rng.randrange(len(out))
                first, second = out[at : at + length], out[other : other + length]
                out[at : at + length], out[other : other + length] = second, first
            case "bytes overwritten":
                out[at : at + length] = rng.randbytes(length)
            case _:
                out[at:at] = out[at : at + length]
    return kind, bytes(out)


def spoilt(number: int, data: bytes) -> bytes:
    return damaged(data or b"0", number)[1]


def damaged_models(count: int) -> Counter[str]:
    """Model files, each as it is and with its checksums put right: refused in one line, or the model works. In every
    other file only one value or tensor is damaged, and all else is made to fit."""
    known = [data for name, data in run.inputs("model_file") if name.startswith("corpus/")]

    def work(first: int, count: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        for number in range(first, first + count):
            rng = random.Random(number)
            if number % 2:
                kind, data = damaged(rng.choice(known), number)
            else:
                kind, data = "one part damaged", model_file.changed(rng.choice(known), number, partial(spoilt, number))
            try:
                outcome = "loaded, and parses" if model_file.one_input(data) else "refused"
            except BaseException as error:
                raise AssertionError(f"model number {number} ({kind})") from error
            seen[f"{kind}: {outcome}"] += 1
        return seen

    return in_batches(work, count)


def damaged_treebanks(count: int) -> Counter[str]:
    """CoNLL-U files: refused with a line number, or read, parsed, written, and read again."""
    known = [english("dev")[:12].to_bytes(), *(data for _, data in run.inputs("document") if len(data) > 40)]
    parser = dynarc.load(CORPUS / "model_file" / "parser")

    def work(first: int, count: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        for number in range(first, first + count):
            kind, data = damaged(random.Random(number).choice(known), number)
            try:
                treebank = dynarc.read_conllu(data)
                assert treebank.to_bytes() == data
                parsed = dynarc.read_conllu(parser.parse(treebank, threads=1).to_bytes())
                assert [s.forms[:] for s in parsed] == [s.forms[:] for s in treebank]
                seen[f"{kind}: read, and parsed"] += 1
            except ConlluError as error:
                if not error.reason or "\n" in str(error):
                    raise AssertionError(f"treebank number {number} ({kind})") from error
                seen[f"{kind}: refused"] += 1
            except BaseException as error:
                raise AssertionError(f"treebank number {number} ({kind})") from error
        return seen

    return in_batches(work, count)


# Processes that are killed.

FEW = ("--features", "zhang-nivre", "--no-calibrate", "--epochs", "4")


def program(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "dynarc.cli", *map(str, arguments)]


def killed(command: Sequence[str], after: float) -> bool:
    """Runs a command and kills it after so many seconds; whether it was still running."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True
    assert process.returncode == 0, f"{command} ended with {process.returncode}"
    return False


def duration(command: Sequence[str]) -> float:
    start = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    return time.monotonic() - start


def only_whole(folder: Path, target: Path, wholes: Sequence[bytes]) -> None:
    """What has the target's name is whole; anything else is a hidden file that says of itself that it is temporary."""
    if target.exists():
        assert target.read_bytes() in wholes, f"{target} is half-written"
    for path in folder.iterdir():
        if path != target and path.name.startswith(f".{target.name[:40]}."):
            assert path.suffix == ".tmp"
            path.unlink()


def kills_while_training(count: int, seed: int = 1) -> Counter[str]:
    """Training with a checkpoint is killed and started again until it is done: the model has the same bytes as that of
    a run in one piece."""
    rng, seen = random.Random(seed), Counter[str]()
    with TemporaryDirectory() as name:
        folder = Path(name)
        treebank = folder / "train.conllu"
        treebank.write_bytes(english("train")[:80].to_bytes())
        whole, target, checkpoint = (folder / part for part in ("whole.dynarc", "model.dynarc", "checkpoint"))
        takes = duration(program("train", treebank, *FEW, "-o", whole))
        wanted = whole.read_bytes()
        command = program("train", treebank, *FEW, "-o", target, "--checkpoint", checkpoint)
        while seen["killed"] < count:
            if killed(command, rng.uniform(0, 1.3 * takes)):
                seen["killed"] += 1
                only_whole(folder, target, (wanted,))
            else:
                seen["finished, with the bytes of a run in one piece"] += 1
                assert target.read_bytes() == wanted
                target.unlink()
                checkpoint.unlink()
        subprocess.run(command, check=True, capture_output=True)
        assert target.read_bytes() == wanted
        seen["finished, with the bytes of a run in one piece"] += 1
    return seen


def kills_while_parsing(count: int, seed: int = 2) -> Counter[str]:
    """A parse is killed: the file of an earlier one is still there, whole, or the new one is."""
    rng, seen = random.Random(seed), Counter[str]()
    with TemporaryDirectory() as name:
        folder = Path(name)
        source, target = folder / "many.conllu", folder / "out.conllu.gz"
        source.write_bytes(english_path("train").read_bytes() * 4)
        before = folder / "before.conllu.gz"
        command = program("parse", CORPUS / "model_file" / "parser", source, "-o", target)
        takes = duration(command)
        wanted = target.read_bytes()
        dynarc.read_conllu(target)[:100].write(before)
        old = before.read_bytes()
        while seen["killed"] < count:
            shutil.copyfile(before, target)
            seen["killed" if killed(command, rng.uniform(0, 1.1 * takes)) else "finished"] += 1
            only_whole(folder, target, (old, wanted))
            seen["what was there before is there" if target.read_bytes() == old else "the new file is there"] += 1
    return seen


SAVE = """
import sys, dynarc
parser = dynarc.load(sys.argv[1])
print("ready", flush=True)
while True:
    parser.save(sys.argv[2])
"""


def kills_while_saving(count: int, seed: int = 3) -> Counter[str]:
    """A model is written again and again over itself until the process is killed: it can always be loaded."""
    rng, seen = random.Random(seed), Counter[str]()
    with TemporaryDirectory() as name:
        target = Path(name) / "model.dynarc"
        model = CORPUS / "model_file" / "pipeline"
        parser = dynarc.load(model)
        parser.save(target)
        wanted = target.read_bytes()
        for _ in range(count):
            command = [sys.executable, "-c", SAVE, str(model), str(target)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE)
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
            process.wait()
            process.stdout.close()
            only_whole(target.parent, target, (wanted,))
            dynarc.load(target)
            seen["killed"] += 1
    return seen


# Models that mean harm.


def with_metadata(data: bytes, key: str, value: str, stage: str | None = None) -> bytes:
    """A model file with another value in its metadata, or in those of a stage, and with checksums that fit."""
    end = model_file.LENGTH.size + model_file.LENGTH.unpack_from(data)[0]
    header = json.loads(data[model_file.LENGTH.size : end])
    metadata = header["__metadata__"]
    if stage is None:
        metadata[key] = value
    else:
        metadata[stage] = json.dumps(json.loads(metadata[stage]) | {key: value})
    text = json.dumps(header, separators=(",", ":")).encode()
    return model_file.mended(model_file.LENGTH.pack(len(text)) + text + data[end:])


def wide_model(path: Path, labels: int = 15_000) -> None:
    """A model of so many labels, with rows of nine weights, which are kept for all classes: of 15,000, some forty bytes
    each would become 60,000."""
    parser = dynarc.load(CORPUS / "model_file" / "parser")
    contents = parser.contents()
    names = [[f"l{number}", False, None, False] for number in range(labels)]
    contents.metadata["labels"] = json.dumps({"names": names, "words": labels, "first_root": 0, "other": 0})
    rows, rng = 100_000, random.Random(1)
    # A zero says that none of the high bits of the gap to the next key is set, 31 bits are the rest of it.
    keys = struct.pack(f"<{rows}I", *(rng.getrandbits(31) << 1 for _ in range(rows)))
    table = {
        "weights.rows_of_size": row("U32", struct.pack("<9I", *[0] * 8, rows)),
        "weights.keys": row("U8", keys),
        "weights.classes": row("U16", struct.pack("<9H", *range(9)) * rows),
        "weights.values": row("I16", b"\1\0" * 9 * rows),
    }
    others = {name: tensor for name, tensor in contents.tensors.items() if not name.startswith("rest.")}
    write_model_file(path, Contents(contents.metadata, {**others, **table}))


def memory_to_load(path: Path) -> int:
    """Bytes that a process needs at most to load a model, above those that it needs to load a small one."""
    peak = "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss"
    code = f"import dynarc, resource, sys; dynarc.load(sys.argv[1]); print({peak})"
    needs = []
    for model in (CORPUS / "model_file" / "parser", path):
        done = subprocess.run([sys.executable, "-c", code, str(model)], check=True, capture_output=True, text=True)
        needs.append(int(done.stdout) * 1024)
    return needs[1] - needs[0]


# Disks that take nothing.


@contextmanager
def small_disk(size: int) -> Iterator[Path]:
    """A disk of so many bytes. OSError where this user may not mount one."""
    with TemporaryDirectory() as name:
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", name], capture_output=True)
        if done.returncode != 0:
            raise OSError(done.stderr.decode().strip())
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", name], check=True)


def read_only(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True, capture_output=True)


def refused(command: Sequence[str], *, limit: int | None = None) -> str:
    """The one line in which a command says why it failed; `limit` is how long a file it may write."""

    def prepare() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=prepare, check=False)
    lines = [line for line in done.stderr.splitlines() if line.startswith("dynarc: error: ")]
    assert done.returncode == 1, (done.returncode, done.stderr)
    assert "Traceback" not in done.stderr
    assert len(lines) == 1, done.stderr
    return lines[0]
