"""Files that are none, files that are in the way, and what is left behind when a command dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from dynarc import evaluate, read_conllu, train
from dynarc.config import TrainConfig
from dynarc.data import english, english_path

from .conftest import Run

TRAIN, DEV = str(english_path("train")), str(english_path("dev"))
QUICK = ("--epochs", "1", "--features", "zhang-nivre")
STRANGE = {
    "random.conllu": bytes(range(256)) * 20,
    "paper.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<< >>\n",
    "archive.zip": b"PK\x03\x04\x14\0\0\0\x08\0",
    "text.txt": b"Plain text, and no treebank.\n",
    "cut.conllu.gz": b"\x1f\x8b\x08\0\0\0\0\0",
}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "en.dynarc"
    train(english("train"), config=TrainConfig(features="zhang-nivre", epochs=1)).save(path)
    return str(path)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", [*STRANGE, "model"])
def test_what_is_no_treebank(run: Run, model: str, here: Path, name: str) -> None:
    file = model if name == "model" else name
    if name in STRANGE:
        Path(name).write_bytes(STRANGE[name])
    before = sorted(here.iterdir())
    for command in (
        ["train", file, "-o", "out"],
        ["train", TRAIN, "--dev", file, "-o", "out"],
        ["train", file, "--folds", "2", "-o", "out"],
        ["parse", model, file, "-o", "out"],
        ["parse", model, file],
    ):
        ended = run(*command)
        # By its name a file is text, which this model cannot take: that is wrong usage.
        untreatable = command[0] == "parse" and name.endswith(".txt")
        assert (ended.status, ended.out) == (2 if untreatable else 1, ""), command
        assert len(ended.err.splitlines()) == 1
        says = "this parser has no tokenizer" if untreatable else file
        assert ended.err.startswith(f"dynarc: error: {says}"), ended.err
    assert sorted(here.iterdir()) == before


def test_no_model_or_half_of_one(run: Run, model: str, here: Path) -> None:
    data = Path(model).read_bytes()
    Path("cut").write_bytes(data[:-100])
    Path("changed").write_bytes(data[:-100] + bytes([data[-100] ^ 1]) + data[-99:])
    Path("empty").write_bytes(b"")
    before = sorted(here.iterdir())
    for name in ("none", "cut", "changed", "empty", ".", DEV):
        for command in (["parse", name, DEV, "-o", "out.conllu"], ["info", name]):
            ended = run(*command)
            assert (ended.status, ended.out) == (1, ""), command
            assert len(ended.err.splitlines()) == 1
    assert sorted(here.iterdir()) == before


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("no/m", "there is no folder 'no'"),
        ("file/m", "there is no folder 'file'"),
        (".", "is a directory"),
        ("x" * 300, "cannot be written: File name too long"),
        ("m.dynarc.gz", "models are not packed"),
    ],
)
def test_where_nothing_can_be_written_is_said_before_training(run: Run, here: Path, target: str, says: str) -> None:
    Path("file").write_bytes(b"")
    ended = run("train", "not read.conllu", "-o", target)
    assert ended.status == 1
    assert says in ended.err
    assert "not read" not in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_is_closed(run: Run, here: Path) -> None:
    Path("closed").mkdir(mode=0o500)
    assert "is not open to writing" in run("train", "not read.conllu", "-o", "closed/m").err


def test_a_model_is_not_written_to_standard_output(run: Run, here: Path) -> None:
    assert run("train", TRAIN, "-o", "-").status == 2
    assert not list(here.iterdir())


def test_in_place(run: Run, model: str, here: Path) -> None:
    """Of `parse` the result replaces the file, when it is there; a link stays one."""
    Path("real.conllu").write_bytes(Path(DEV).read_bytes())
    Path("link.conllu").symlink_to("real.conllu")
    assert run("parse", model, "link.conllu", "-o", "real.conllu").status == 0
    assert Path("link.conllu").is_symlink()
    assert 50 < evaluate(english("dev"), read_conllu("link.conllu")).las < 100
    parsed = Path("real.conllu").read_bytes()
    assert run("parse", model, "real.conllu", "-o", "link.conllu").status == 0
    assert Path("real.conllu").read_bytes() == parsed


def test_what_is_trained_on_is_not_replaced(run: Run, here: Path) -> None:
    """A model, or trees of a parser, in place of a gold treebank: nobody means that."""
    Path("gold.conllu").write_bytes(Path(DEV).read_bytes())
    Path("link.conllu").symlink_to("gold.conllu")
    for command in (
        ["train", "gold.conllu", "-o", "gold.conllu"],
        ["train", "gold.conllu", "-o", "./link.conllu"],
        ["train", TRAIN, "--dev", "gold.conllu", "-o", "gold.conllu"],
        ["train", "gold.conllu", "--folds", "2", "-o", "gold.conllu"],
    ):
        ended = run(*command, *QUICK)
        assert ended.status == 1
        assert "is also what is read, and would be lost" in ended.err
    assert Path("gold.conllu").read_bytes() == Path(DEV).read_bytes()


def test_the_model_is_not_replaced_by_what_it_parses(run: Run, model: str) -> None:
    before = Path(model).read_bytes()
    ended = run("parse", model, DEV, "-o", model)
    assert ended.status == 1
    assert "would be lost" in ended.err
    assert Path(model).read_bytes() == before


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
@pytest.mark.parametrize("before", [None, b"what was there\n"])
def test_parse_killed_while_it_writes(model: str, here: Path, before: bytes | None) -> None:
    """It waits for more input when it dies, with some of its output written."""
    out = Path("out.conllu")
    if before is not None:
        out.write_bytes(before)
    command = [sys.executable, "-m", "dynarc.cli", "parse", model, "-", "-o", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        process.stdin.write(Path(TRAIN).read_bytes() * 8)
        process.stdin.flush()
        wait_for(lambda: any(path.stat().st_size > 100_000 for path in here.glob(".out.conllu.*.tmp")))
        process.kill()
        process.wait()
    assert process.returncode == -signal.SIGKILL
    assert (out.read_bytes() if out.exists() else None) == before


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_train_killed(here: Path) -> None:
    command = [sys.executable, "-m", "dynarc.cli", "train", DEV, "-o", "m", *QUICK, "--epochs", "100000"]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        while process.stderr.readline().split()[:1] != [b"2"]:  # the second epoch
            assert process.poll() is None
        process.kill()
        process.wait()
    assert not list(here.iterdir())


KILLED = """
import os, signal
from dynarc.files import writing
with writing("m") as out:
    out.write(b"half of a model")
    out.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_any_file_killed_while_it_is_written(here: Path) -> None:
    Path("m").write_bytes(b"before")
    assert subprocess.run([sys.executable, "-c", KILLED], check=False).returncode == -signal.SIGKILL
    assert Path("m").read_bytes() == b"before"


def wait_for(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
