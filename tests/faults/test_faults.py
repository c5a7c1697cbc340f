"""A little of every fault: files that are damaged, processes that are killed, disks that are full, models that mean
harm. `python -m tests.faults.run` does the rest."""

import ast
import errno
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.faults import injection as faults
from tests.fuzz import run

import dynarc
from dynarc.data import english_path
from dynarc.errors import ModelFormatError

SOURCE = Path(dynarc.__file__).parent


def test_damaged_models() -> None:
    assert faults.damaged_models(120).total() == 120


def test_damaged_treebanks() -> None:
    assert faults.damaged_treebanks(2000).total() == 2000


@pytest.mark.slow
def test_kills() -> None:
    assert faults.kills_while_saving(2)["killed"] == 2
    assert faults.kills_while_parsing(1)["killed"] == 1
    assert faults.kills_while_training(2)["killed"] == 2


@pytest.mark.parametrize("name", run.TARGETS)
def test_what_fuzzing_starts_from_and_once_found(name: str) -> None:
    target = run.target(name)
    known = list(run.inputs(name))
    assert known
    for _, data in known:
        target.one_input(data)
    assert run.at_random(name, seconds=3, seed=2) > 0


def test_a_crash_of_a_process_is_seen() -> None:
    with pytest.raises(AssertionError, match="numbers 0 to 4: the process ended with"):
        faults.in_batches(lambda first, count: 1 // 0, 5)  # type: ignore[arg-type, return-value]


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A disk with room for very little."""
    try:
        with faults.small_disk(64 << 10) as folder:
            yield folder
    except OSError as error:
        if error.errno in (errno.EPERM, None):
            pytest.skip(f"this user cannot mount a disk: {error}")
        raise


PARSE = ("parse", faults.CORPUS / "model_file" / "parser", english_path("train"), "-o")


def test_a_full_disk(full: Path) -> None:
    target = full / "out.conllu"
    target.write_text("before")
    assert "out.conllu: cannot be written: No space left on device" in faults.refused(faults.program(*PARSE, target))
    assert [path.name for path in full.iterdir()] == ["out.conllu"]
    assert target.read_text() == "before"


def test_a_disk_that_is_read_only(full: Path) -> None:
    target = full / "out.conllu"
    target.write_text("before")
    faults.read_only(full)
    assert "out.conllu: cannot be written" in faults.refused(faults.program(*PARSE, target))
    assert target.read_text() == "before"


def test_files_that_may_not_grow(tmp_path: Path) -> None:
    target = tmp_path / "out.conllu"
    target.write_text("before")
    assert "cannot be written: File too large" in faults.refused(faults.program(*PARSE, target), limit=1 << 16)
    assert [path.name for path in tmp_path.iterdir()] == ["out.conllu"]
    assert target.read_text() == "before"


def test_a_model_that_would_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "wide.dynarc"
    faults.wide_model(path)
    assert path.stat().st_size < 10 << 20
    with pytest.raises(ModelFormatError, match="few of them for so many classes"):
        dynarc.load(path)
    faults.wide_model(path, labels=400)  # about as many as there may be for so few weights
    assert faults.memory_to_load(path) < (1 << 30) + 100 * path.stat().st_size


def test_damage_by_hand(tmp_path: Path) -> None:
    """What was wrong before it was fuzzed: each of these ended with a traceback, or worse."""
    known = dict(run.inputs("model_file"))
    path = tmp_path / "model"

    def refused(seed: str, key: str, value: str, stage: str | None = None) -> str:
        path.write_bytes(faults.with_metadata(known[f"corpus/{seed}"], key, value, stage))
        with pytest.raises(ModelFormatError) as caught:
            dynarc.load(path)
        assert str(caught.value).startswith(f"{path}: ")
        return str(caught.value)

    assert "Recursion" in refused("parser", "info", "[" * 100_000)
    assert "too many entries" in refused("parser", "info", "[" + "0," * 300_000 + "0]")
    twice = ", ".join(2 * ['["a", false, null, false]'])
    assert "given twice" in refused("parser", "labels", f'{{"names": [{twice}]}}')
    label = '{"names": [["a\\n1", false, null, false]], "words": 1, "first_root": 0, "other": 0}'
    assert "no word can have the label" in refused("parser", "labels", label)
    for words, first_root, other in ((2, 0, 0), (1, 1, 0), (0, 0, 0), (-1, 0, 0), (1, 0, 1)):
        sizes = f'"words": {words}, "first_root": {first_root}, "other": {other}'
        refused("parser", "labels", '{"names": [["a", false, null, false]], ' + sizes + "}")
    refused("parser", "encoding", '["path"]')
    refused("parser", "single_root", "2")
    refused("parser", "features", '["S0.tag", 7]')
    assert "at most 2000" in refused("parser", "features", str([f"S0.tag{n}" for n in range(3000)]).replace("'", '"'))
    assert "longer than" in refused("parser", "features", '["S0' + ".head" * 200_000 + '.tag"]')
    refused("two-passes", "first", "{}")
    refused("pipeline", "columns", '["lemma"]', "tagger")
    refused("pipeline", "config", '{"beam": 1e9}', "tagger")
    refused("pipeline", "config", '{"beam": 1000000000}', "tagger")


FORBIDDEN = {"pickle", "cPickle", "marshal", "shelve", "dill", "joblib", "cloudpickle", "ctypes"}


def test_nothing_is_executed_that_was_read() -> None:
    files = sorted(SOURCE.rglob("*.py"))
    assert len(files) > 100
    for path in files:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name.partition(".")[0] for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [(node.module or "").partition(".")[0]]
            assert not FORBIDDEN & set(names), path
            if isinstance(node, ast.Call):
                called = node.func.id if isinstance(node.func, ast.Name) else ""
                assert called not in {"eval", "exec", "compile", "__import__"}, f"{path}:{node.lineno}"
                assert not any(keyword.arg == "shell" for keyword in node.keywords), f"{path}:{node.lineno}"
                assert ast.unparse(node.func) not in {"os.system", "os.popen"}, f"{path}:{node.lineno}"
