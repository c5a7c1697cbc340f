"""dynarc train, parse and info: a model, trees, and what was done."""

import hashlib
import json
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from dynarc import Sentence, Treebank, evaluate, load, read_conllu, train
from dynarc.config import TrainConfig
from dynarc.data import english, english_path

from .conftest import OWN, Run

TRAIN, DEV = str(english_path("train")), str(english_path("dev"))
QUICK = ("--epochs", "2", "--features", "zhang-nivre")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    from typer.testing import CliRunner

    from dynarc.cli.app import app

    path = tmp_path_factory.mktemp("model") / "en.dynarc"
    result = CliRunner().invoke(app, ["train", TRAIN, "--dev", DEV, "-o", str(path), *QUICK], catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    return str(path)


def test_train_says_what_it_does(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "en.dynarc"
    ended = run("train", TRAIN, "--dev", DEV, "-o", str(path), *QUICK, "--json")
    assert ended.status == 0
    lines = ended.err.splitlines()
    assert lines[0].startswith("612 sentences, 6,499 words; arc-eager, dynamic oracle, perceptron, ")
    assert lines[2].startswith("52 sentences lifted (the first: ")
    assert lines[3].split() == ["epoch", "updates", "explored", "off", "path", "UAS", "LAS", "words/s"]
    assert [line.split()[0] for line in lines[4:6]] == ["1", "2"]
    document = json.loads(ended.out)
    assert document["config"]["features"] == "zhang-nivre"
    assert len(document["epochs"]) == 2
    las = [epoch["las"] for epoch in document["epochs"]]
    assert document["info"]["dev"]["las"] == max(las) > 70
    assert lines[5].split()[5] == f"{las[1]:.2f}"


def test_the_same_run_gives_the_same_file(run: Run, model: str, tmp_path: Path) -> None:
    again = tmp_path / "again.dynarc"
    assert run("train", TRAIN, "--dev", DEV, "-o", str(again), *QUICK).status == 0
    assert again.read_bytes() == Path(model).read_bytes()


def test_parse(run: Run, model: str, tmp_path: Path) -> None:
    out = tmp_path / "dev.conllu.gz"
    ended = run("parse", model, DEV, "-o", str(out), "--threads", "2")
    assert (ended.status, ended.out) == (0, "")
    assert ended.err.startswith("119 sentences, 1,281 words, ")
    parsed = read_conllu(out)
    assert evaluate(english("dev"), parsed).las > 70
    for before, after in zip(english("dev"), parsed, strict=True):
        after.heads, after.deprels = before.heads, before.deprels
    assert parsed.to_bytes() == english_path("dev").read_bytes()


def test_parse_what_comes_in(run: Run, model: str) -> None:
    both = run("parse", model, "-", stdin=OWN)
    assert both.status == 0
    assert len(read_conllu(both.out.encode())) == 4
    tokens = run("parse", model, "-", "--input", "tokens", stdin="They sing .\n\nGo !\n")
    assert [s.forms for s in read_conllu(tokens.out.encode())] == [["They", "sing", "."], ["Go", "!"]]


def test_info(run: Run, model: str) -> None:
    lines = [line.split(maxsplit=1) for line in run("info", model).lines]
    shown = {line[0]: line[1] for line in lines}
    assert shown["templates"] == "72"
    assert shown["system"] == "arc-eager"
    document = json.loads(run("info", model, "--json").out)
    assert TrainConfig.from_dict(document["config"]) == TrainConfig(features="zhang-nivre", epochs=2)
    assert document["figures"]["bytes"] == Path(model).stat().st_size
    data = document["info"]["data"]
    assert data["sentences"] == 612
    assert data["sha256"] == hashlib.sha256(Path(TRAIN).read_bytes()).hexdigest()
    assert data["dev"]["sha256"] == hashlib.sha256(Path(DEV).read_bytes()).hexdigest()
    assert shown["trained"].endswith(f"train.conllu: 612 sentences, 6,499 words, sha256 {data['sha256'][:12]}…")
    assert shown["licence"].endswith("CC0 1.0")
    assert f"sha256 {data['dev']['sha256'][:12]}…" in shown["dev"]


def test_info_of_a_model_that_tells_little(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "m.dynarc")
    replace(train(english("dev")[:5], config=TrainConfig(epochs=1)), info={}).save(path)
    ended = run("info", path)
    assert ended.status == 0
    assert "trained on" not in ended.out


def test_options_and_their_file(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "c.toml"
    printed = run(
        "train", TRAIN, "--print-config", "--system", "arc-hybrid", "--explore", "error:k=2,p=0.5", "--seed", "7"
    )
    assert printed.status == 0
    config.write_text(printed.out, encoding="utf-8")
    again = run("train", TRAIN, "--print-config", "--config", str(config), "--seed", "8")
    assert again.out == printed.out.replace("seed = 7", "seed = 8")
    flags = {"--" + name.replace("_", "-") for name in TrainConfig().to_dict()} - {
        "--reduce", "--valency-cap", "--pseudo-min-count", "--cost-sensitive", "--max-loss",
    }  # fmt: skip
    text = run("train", "--help").out
    assert not [flag for flag in flags if flag not in text]


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        (["train", TRAIN], 2, "where to? Name the model with -o"),
        (["train", TRAIN, "-o", "m", "--system", "arc-lazy"], 2, "unknown transition system 'arc-lazy'"),
        (["train", TRAIN, "-o", "m", "--features", "best"], 2, "there is no feature set 'best'"),
        (["train", TRAIN, "-o", "m", "--oracle", "static", "--explore", "error"], 2, "knows one way only"),
        (["train", TRAIN, "-o", "m", "--explore", "wild"], 2, "there is no exploration 'wild'"),
        (["train", TRAIN, "-o", "m", "--config", "none.toml"], 2, "none.toml cannot be read"),
        (["train", TRAIN, "-o", "no/folder/m"], 1, "no/folder/m: there is no folder 'no/folder'"),
        (["train", TRAIN, "-o", "."], 1, ".: is a directory, not a file"),
        (["train", "none.conllu", "-o", "m"], 1, "none.conllu: there is no such file"),
        (["parse", "none.dynarc", DEV], 1, "none.dynarc: there is no such file"),
        (["parse", DEV, DEV], 1, "dev.conllu"),
        (["info", DEV], 1, "dev.conllu"),
    ],
)
def test_mistakes_are_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: list[str], status: int, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended = run(*args)
    assert ended.status == status
    assert says in ended.err
    assert len(ended.err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_nothing_is_written_if_there_is_nothing_to_learn(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "m.dynarc"
    ended = run("train", "-", "-o", str(path), stdin="")
    assert ended.status == 1
    assert "none of its 0 sentences has a tree to learn from" in ended.err
    assert not path.exists()


def test_every_key_of_the_configuration_is_a_flag(run: Run) -> None:
    """DESIGN.md 3."""
    shown = run("train", "--help").out
    for field in fields(TrainConfig):
        assert "--" + field.name.replace("_", "-") in shown, field.name


def test_prices_on_the_command_line(run: Run) -> None:
    given = ("--label-cost", "0.5", "--arc-weight", "punct=0", "--arc-weight", "a=b=2.5")
    printed = run("train", TRAIN, *given, "--print-config").out
    config = TrainConfig.from_toml(printed)
    assert (config.label_cost, config.arc_weight) == (0.5, (("punct", 0), ("a=b", 2.5)))
    for wrong in ("punct", "=1", "punct=", "punct=many", "punct=-1"):
        ended = run("train", TRAIN, "--arc-weight", wrong, "-o", "never")
        assert ended.status == 2, wrong
        assert "price" in ended.err


@pytest.mark.parametrize("options", [(), ("--passes", "2"), ("--average-seeds", "2", "--classes", "40")], ids=str)
def test_a_run_that_is_stopped_goes_on_to_the_same_bytes(run: Run, tmp_path: Path, options: tuple[str, ...]) -> None:
    """Killed after each epoch in turn, and started again with the same command."""
    whole, parts, checkpoint = tmp_path / "whole", tmp_path / "parts", tmp_path / "checkpoint"
    command = ["train", DEV, "--dev", DEV, "--epochs", "4", "--features", "zhang-nivre", *options]
    assert run(*command, "-o", str(whole)).status == 0
    for epochs in ("1", "2", "3", "4"):  # a run of fewer epochs leaves what one that was killed then would leave
        if options == ("--passes", "2") and epochs != "4":
            continue
        ended = run(*command, "--epochs", epochs, "-o", str(parts), "--checkpoint", str(checkpoint))
        assert ended.status == 0, ended.err
    assert run(*command, "-o", str(parts), "--checkpoint", str(checkpoint)).status == 0
    assert parts.read_bytes() == whole.read_bytes()


def test_a_killed_run_leaves_its_checkpoint(tmp_path: Path) -> None:
    """SIGKILL in the middle: no model under its name, and the next run ends with the bytes of an undisturbed one."""
    whole, model, checkpoint = tmp_path / "whole", tmp_path / "model", tmp_path / "checkpoint"
    command = [sys.executable, "-m", "dynarc.cli", "train", TRAIN, "--dev", DEV, "--epochs", "6", "--passes", "2"]
    subprocess.run([*command, "-o", whole], check=True, capture_output=True)
    with subprocess.Popen([*command, "-o", model, "--checkpoint", checkpoint], stderr=subprocess.PIPE) as killed:
        assert killed.stderr is not None
        for line in killed.stderr:
            if line.split()[:1] == [b"2"]:
                break
        killed.kill()
    assert not model.exists()
    assert checkpoint.exists()
    ended = subprocess.run([*command, "-o", model, "--checkpoint", checkpoint], check=True, capture_output=True)
    assert model.read_bytes() == whole.read_bytes()
    assert b"first pass" not in ended.stderr  # that was done


def test_a_checkpoint_of_another_run(run: Run, tmp_path: Path) -> None:
    checkpoint, model = str(tmp_path / "checkpoint"), str(tmp_path / "model")
    assert run("train", DEV, *QUICK, "-o", model, "--checkpoint", checkpoint).status == 0
    for others, why in (
        (("train", DEV, *QUICK, "--seed", "2"), "seed was 1, now it is 2"),
        (("train", TRAIN, *QUICK), "the treebanks, or the model it starts from, are not the same"),
        (("train", DEV, *QUICK, "--start", model), "features is not the same"),
    ):
        ended = run(*others, "-o", str(tmp_path / "other"), "--checkpoint", checkpoint)
        assert ended.status == 1
        assert why in ended.err
    wrong = run("train", DEV, *QUICK, "-o", str(tmp_path / "other"), "--checkpoint", model)
    assert "is a model, not a checkpoint" in wrong.err
    assert "is a checkpoint of a training run" in run("parse", checkpoint, DEV).err


def test_a_model_learns_on(run: Run, model: str, tmp_path: Path) -> None:
    more = tmp_path / "more.dynarc"
    ended = run("train", DEV, "--start", model, "-o", str(more), "--epochs", "2")
    assert ended.status == 0, ended.err
    shown = json.loads(run("info", str(more), "--json").out)
    assert shown["config"]["system"] == "arc-eager"
    wrong = run("train", DEV, "--start", model, "-o", str(more), "--system", "arc-hybrid")
    assert wrong.status == 2
    assert "system is 'arc-hybrid', but the parser that is to learn on has 'arc-eager'" in wrong.err


def test_parse_keeps_heads(run: Run, model: str, tmp_path: Path) -> None:
    part = english("dev").copy()
    for sentence in part:
        for word in range(0, len(sentence), 2):
            sentence.heads[word] = None
    kept = [sentence for sentence in part if sentence.tree.is_projective]
    source, out = tmp_path / "part.conllu", tmp_path / "out.conllu"
    Treebank(kept).write(source)
    ended = run("parse", model, str(source), "--keep-heads", "-o", str(out))
    assert ended.status == 0, ended.err
    for given, parsed in zip(kept, read_conllu(out), strict=True):
        assert all(head in (None, got) for head, got in zip(given.heads, parsed.heads, strict=True))
        assert parsed.deprels == given.deprels


def test_heads_that_cannot_be_kept(run: Run, model: str, tmp_path: Path) -> None:
    source, out = tmp_path / "cross.conllu", tmp_path / "out.conllu"
    Treebank([Sentence(["a", "b", "c", "d", "e"], heads=[3, 5, None, None, None], sent_id="x-1")]).write(source)
    ended = run("parse", model, str(source), "--keep-heads", "-o", str(out))
    assert ended.status == 1
    assert f"{source}:1: sentence x-1: the fixed arcs 3->1 and 5->2 cross, and arc-eager derives" in ended.err
    assert not out.exists()
    assert run("parse", model, "-", "--input", "tokens", "--keep-heads", stdin="a b\n").status == 2


def test_the_system_that_fits_is_said(run: Run, tmp_path: Path) -> None:
    model = str(tmp_path / "m.dynarc")
    options = ("--system", "auto", "--epochs", "1", "--features", "zhang-nivre", "--no-calibrate", "-o", model)
    ended = run("train", DEV, *options)
    assert ended.status == 0
    assert re.search(
        r"^arc-eager: arcs cross in \d+\.\d % of the sentences \(covington from 25 % on\)$", ended.err, re.MULTILINE
    )
    assert load(model).config.system == "arc-eager"
    assert run("train", DEV, "--start", model, "--system", "auto", "--epochs", "1", "-o", model).status == 0
    assert run("train", "x", "--print-config", "--system", "auto").out.startswith('system = "auto"')
