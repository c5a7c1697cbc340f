"""The benchmark beside other parsers, as far as it needs no other parser: processes in turns, scores, the page."""

import os
import subprocess
import sys
from pathlib import Path

from benchmarks import peers
from benchmarks.oracles import ROOT

from dynarc.data import english


def run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    train, text = tmp_path / "train.conllu", tmp_path / "text.conllu"
    train.write_bytes(english("train")[:60].to_bytes())
    text.write_bytes(english("dev")[:20].to_bytes())
    command = [sys.executable, "-m", "benchmarks.peers", f"--train={train}", f"--text={text}", "--rounds=1", *arguments]
    env = {**os.environ, "DYNARC_PEERS": str(tmp_path / "models")}
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, env=env)


def test_processes_take_turns(tmp_path: Path) -> None:
    done = run(tmp_path, "--only=dynarc zhang-nivre compact,dynarc zhang-nivre folded")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("training") == 1  # both use one model
    rows = [line for line in done.stdout.splitlines() if line.startswith("| dynarc zhang-nivre")]
    compact, folded = ([cell.strip() for cell in row.split("|")[1:-1]] for row in rows[:2])
    assert compact[2:4] == folded[2:4]  # the same trees
    assert float(compact[3]) > 20
    assert all(int(cell.replace(",", "")) > 100 for cell in compact[4:8])
    assert (tmp_path / "models" / "dynarc-zhang-nivre.model").exists()


def test_a_peer_that_fails_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "dynarc-default.model").write_bytes(b"no model")
    done = run(tmp_path, "--only=dynarc default compact,dynarc zhang-nivre compact")
    assert done.returncode == 0, done.stderr
    assert "dynarc default compact: passed over: ModelFormatError" in done.stderr
    assert "| dynarc zhang-nivre compact |" in done.stdout


def test_unknown_names(tmp_path: Path) -> None:
    done = run(tmp_path, "--only=Parsey")
    assert done.returncode == 2
    assert "no such parser: Parsey" in done.stderr


def test_scores() -> None:
    gold = english("dev")[:5]
    same = [([head or 0 for head in s.heads], [label or "_" for label in s.deprels]) for s in gold]
    assert peers.scores(gold, same) == (100, 100)
    assert peers.scores(gold, [(heads, ["?"] * len(labels)) for heads, labels in same]) == (100, 0)


def test_picture() -> None:
    result = peers.Result("other", "1", "", 80.0, 75.0, 1000.0, 1100.0, {}, 0.1, None, 10**6, 10**6)
    assert peers.plot([result]).count("<circle") == 1
    assert "| other | 1 | 80.00 | 75.00 | 1,000 | 1,100 | - | - |" in peers.page([result], 3, "command")
