"""dynarc corpus on Daft: on this machine, and on a Ray cluster of two nodes, one of whose workers is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.conftest import parts

from dynarc.corpus import ParseBatch, verify_corpus

daft: Any = pytest.importorskip("daft", reason="Daft is not installed: make cluster")
pa: Any = pytest.importorskip("pyarrow")

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(240), pytest.mark.slow]


def command(model: str, shards: list[str], out: Path, *more: str) -> list[str]:
    engine = ["--engine", "daft", "--part-size", "1", *more]
    return [sys.executable, "-m", "dynarc.cli", "corpus", *shards, "-m", model, "-o", str(out), *engine]


def test_on_this_machine(model: str, shards: list[str], alone: Path, tmp_path: Path) -> None:
    ended = subprocess.run(command(model, shards, tmp_path / "out"), capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert parts(tmp_path / "out") == parts(alone)
    assert verify_corpus(tmp_path / "out").complete


def test_files_that_cannot_be_read(model: str, shards: list[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.conllu.gz"
    bad.write_bytes(b"\x1f\x8b\x08")
    ended = subprocess.run(
        command(model, [str(bad), shards[0]], tmp_path / "out"), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1, ended.stderr
    assert f"in quarantine: {bad}: cannot be read" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_batches_in_a_frame(model: str) -> None:
    """ParseBatch within somebody's own Daft pipeline."""
    forms = [["She", "sings"], ["Go", "home", "!"], ["Yes"]]
    parse = ParseBatch(model)

    @daft.func.batch(return_dtype=daft.DataType.list(daft.DataType.int32()))  # type: ignore[untyped-decorator]
    def heads(words: Any) -> Any:
        return parse(pa.table({"form": words.to_arrow()}))["head"].combine_chunks()

    frame = daft.from_pydict({"form": forms})
    found = frame.with_column("head", heads(frame["form"])).to_pydict()
    assert found["head"] == parse(pa.table({"form": forms}))["head"].to_pylist()


@pytest.fixture
def cluster() -> Iterator[str]:
    pytest.importorskip("ray", reason="Ray is not installed: make cluster")
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": 80_000_000, "node_ip_address": "127.0.0.1"}
    found = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    found.add_node(**node)
    yield found.address
    found.shutdown()


def test_a_worker_is_killed(model: str, shards: list[str], alone: Path, tmp_path: Path, cluster: str) -> None:
    """Two nodes; the process that is just writing a part is killed. All is there in the end, and nothing twice."""
    out = tmp_path / "out"
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(command(model, shards, out, "--ray", cluster), stdout=log, stderr=log)
        killed = None
        while process.poll() is None:
            if killed is None and len(list(out.glob("part-*"))) >= 3 and (killed := writing(out)):
                os.kill(killed, signal.SIGKILL)
            time.sleep(0.005)
    said = (tmp_path / "log").read_text(encoding="utf-8", errors="replace")
    assert process.returncode == 0, said[-3000:]
    assert killed is not None
    assert parts(out) == parts(alone)
    assert verify_corpus(out).complete


def writing(folder: Path) -> int | None:
    """A process that has an unfinished part open."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(str(file.readlink()).startswith(f"{folder}/.part-") for file in (process / "fd").iterdir()):
                return int(process.name)
        except OSError:
            continue
    return None
