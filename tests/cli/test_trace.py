"""dynarc trace: the form of a line is that of the documentation, so it is tested to the letter."""

import json
import random
from pathlib import Path

import pytest
from rich.cells import cell_len

import dynarc
from dynarc.cli.steps import share, shorten
from dynarc.data import english, english_path

from .conftest import OWN, Run

TREE = ["--heads", "2,0,2", "--forms", "She likes tea", "--deprels", "nsubj,root,obj"]


def test_static(run: Run, own: str) -> None:
    ended = run("trace", own, "--sent-id", "own-1", "--follow", "static", "--root", "first")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == (
        "own.conllu:1 sent_id=own-1, arc-eager root=first, following the static oracle\n"
        "\n"
        "0               [ROOT]            [She likes tea]  loss 0\n"
        "1  SHIFT        [ROOT She]        [likes tea]      cost 0  (RIGHT 1)\n"
        "2  LEFT(nsubj)  [ROOT]            [likes tea]      cost 0  (SHIFT 2, RIGHT 2)\n"
        "3  RIGHT(root)  [ROOT likes]      [tea]            cost 0  (SHIFT 1)\n"
        "4  RIGHT(obj)   [ROOT likes tea]  []               cost 0  (SHIFT 1, REDUCE 1)\n"
        "\n"
        "word  form   gold     built\n"
        "   1  She    2 nsubj  2 nsubj\n"
        "   2  likes  0 root   0 root\n"
        "   3  tea    2 obj    2 obj\n"
        "\n"
        "No wrong arc, 3 gold arcs built, loss 0.\n"
    )


def test_the_first_sentence_by_the_dynamic_oracle(run: Run, own: str) -> None:
    assert run("trace", own).lines[0].endswith("sent_id=own-1, arc-eager root=last, following the dynamic oracle")
    assert run("trace", own).out == run("trace", own, "--index", "1", "--follow", "dynamic").out
    assert run("trace", "-", stdin=OWN).out == run("trace", own).out.replace(own, "<stdin>")


def test_a_tree_of_the_command_line(run: Run, own: str) -> None:
    assert run("trace", *TREE).lines[1:] == run("trace", own).lines[1:]
    numbers = run("trace", "--heads", "2 0 2")
    assert numbers.lines[0] == "heads 2,0,2, arc-eager root=last, following the dynamic oracle"
    assert numbers.lines[3] == "1  SHIFT   [1]    [2 3 ROOT]    cost 0"


def test_given_moves(run: Run) -> None:
    ended = run("trace", *TREE, "--root", "first", "--moves", "SHIFT LEFT(obj) SHIFT")
    assert ended.lines[2:] == [
        "0             [ROOT]        [She likes tea]  loss 0",
        "1  SHIFT      [ROOT She]    [likes tea]      cost 0  (RIGHT 1)",
        "2  LEFT(obj)  [ROOT]        [likes tea]      cost 1  (SHIFT 2, RIGHT 2)",
        "3  SHIFT      [ROOT likes]  [tea]            cost 1  (RIGHT 0)",
        "",
        "word  form   gold     built",
        "   1  She    2 nsubj  2 obj  wrong label",
        "   2  likes  0 root   -      no head yet",
        "   3  tea    2 obj    -      no head yet",
        "",
        "Stopped before the end: loss 2, 1 of 3 gold arcs wrong so far.",
    ]
    ended = run("trace", "--heads", "2,0", "--moves", "SHIFT LEFT SHIFT LEFT SHIFT")
    assert ended.status == 1
    assert "transition 5: SHIFT comes after the end" in ended.err


def test_no_labels(run: Run, own: str) -> None:
    ended = run("trace", own, "--no-labels")
    assert "nsubj" not in ended.out
    assert "No wrong arc" in ended.out


@pytest.mark.parametrize("name", dynarc.systems())
def test_every_system_traces_a_crossing_tree(run: Run, own: str, name: str) -> None:
    ended = run("trace", own, "--index", "2", "--system", name)
    assert ended.status == 0
    derives = name in ("attardi", "covington", "arc-hybrid-swap")
    assert ended.lines[-1] == (
        "No wrong arc, 6 gold arcs built, loss 0." if derives else "1 of 6 gold arcs wrong, loss 1."
    )
    assert ("The costs are not exact: " in ended.out) == (name == "arc-hybrid-swap")
    document = json.loads(run("trace", own, "--index", "2", "--system", name, "--json").out)
    assert document["final"] is True
    assert len(document["wrong"]) == document["loss"]


def test_other_forms_of_states(run: Run, own: str) -> None:
    lines = run("trace", own, "--index", "2", "--system", "covington").lines
    assert lines[4].startswith(" 2  LEFT(det) ")
    assert "  [ROOT] " in lines[4]
    assert "  (A) " in lines[4]
    assert "  [letter came today from home] " in lines[4]
    lines = run("trace", own, "--index", "2", "--system", "easy-first").lines
    assert lines[3].startswith("1  LEFT@2(det) ")
    assert "  [ROOT letter came today from home] " in lines[3]
    assert "  cost 0  (RIGHT@3 0, LEFT@6 0, RIGHT@0 1, " in lines[3]


def test_partial_gold(run: Run, own: str) -> None:
    ended = run("trace", own, "--index", "4")
    assert ended.status == 0
    assert "   3  perhaps  -       0       gold unknown" in ended.lines
    assert ended.lines[-1] == "No wrong arc, 2 gold arcs built, loss 0."


def test_random_moves(run: Run) -> None:
    def losses(*args: str) -> list[int]:
        return [
            json.loads(run("trace", *TREE, "--follow", "random", "--seed", str(seed), "--json", *args).out)["loss"]
            for seed in range(10)
        ]

    assert losses("--errors", "0") == [0] * 10
    assert max(losses()) > 0
    assert losses() == losses("--errors", "1")
    first = run("trace", *TREE, "--follow", "random")
    assert first.out == run("trace", *TREE, "--follow", "random", "--seed", "1").out


def test_json(run: Run, own: str) -> None:
    document = json.loads(run("trace", own, "--follow", "static", "--json").out)
    assert document["system"]["name"] == "arc-eager"
    assert (document["source"], document["sent_id"]) == ("own.conllu:1", "own-1")
    assert document["forms"] == ["She", "likes", "tea"]
    assert document["gold"] == {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]}
    assert document["start"]["state"]["buffer"] == [1, 2, 3, 0]
    second = document["steps"][1]
    assert second["transition"] == "LEFT(nsubj)"
    assert second["costs"] == {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}
    assert second["state"]["heads"] == [2, None, None]
    assert (document["final"], document["loss"], document["wrong"]) == (True, 0, [])
    assert [word["verdict"] for word in document["words"]] == ["right"] * 3


def test_long_sentences_are_cut_to_the_width(run: Run) -> None:
    heads = ",".join(map(str, range(60)))
    forms = " ".join(f"word{i}" for i in range(60))
    for system in dynarc.systems():
        for width in (60, 80, 100, 160):
            lines = run("trace", "--heads", heads, "--forms", forms, "--width", str(width), "-s", system).lines
            steps = [line for line in lines if "cost " in line]
            assert len(steps) >= 60
            assert max(map(len, steps)) <= width, system
    by_default = run("trace", "--heads", heads, "--forms", forms).lines
    assert max(len(line) for line in by_default if "cost " in line) <= 160
    uncut = run("trace", "--heads", heads, "--forms", forms, "--width", "0")
    assert "…" not in uncut.out
    assert f"[{forms} ROOT]" in uncut.out


def test_wide_characters_are_aligned(run: Run) -> None:
    lines = run("trace", "--heads", "2,0,2", "--forms", "我 喜欢 茶").lines[2:9]
    columns = {cell_len(line[: max(line.find("cost "), line.find("loss "))]) for line in lines}
    assert len(columns) == 1


def test_shorten_keeps_both_ends() -> None:
    words = [f"w{i}" for i in range(10)]
    assert shorten(words, 100, "left") == " ".join(words)
    assert shorten(words, 13, "left") == "w0 w1 w2 … w9"
    assert shorten(words, 13, "right") == "w0 … w7 w8 w9"
    assert shorten(words, 4, "left") == "w0 …"
    assert shorten(["extraordinarily", "long"], 12, "left") == "extra… long"
    rng = random.Random(1)
    for _ in range(1000):
        many = ["x" * rng.randint(1, 20) for _ in range(rng.randint(1, 12))]
        width = rng.randint(10, 60)
        assert cell_len(shorten(many, width, rng.choice(["left", "right"]))) <= width


def test_share_fills_the_room() -> None:
    assert share([10, 10], 50) == [10, 10]
    assert share([40, 40], 50) == [30, 20]
    assert share([15, 100], 50) == [15, 35]
    assert share([100, 15], 50) == [35, 15]
    assert share([100, 100, 100], 70) == [30, 20, 20]
    assert share([100, 100], 0) == [10, 10]


def test_a_file_without_sentences(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty.conllu").write_bytes(b"")
    ended = run("trace", str(tmp_path / "empty.conllu"))
    assert ended.status == 1
    assert "empty.conllu: there is no sentence 1: it has 0 sentences" in ended.err


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "en.dynarc"
    config = dynarc.TrainConfig(epochs=3, features="zhang-nivre", nonprojective="drop")
    dynarc.train(english("train"), config=config).save(path)
    return str(path)


def test_a_parser(run: Run, model: str) -> None:
    dev = str(english_path("dev"))
    steps = {}
    for number in range(1, 15):
        ended = run("trace", dev, "--model", model, "--index", str(number))
        assert ended.status == 0, ended.err
        assert ended.lines[0].endswith(f"arc-eager root=last, following {model}")
        assert "(next best: score probability/cost)" in ended.lines[2]
        document = json.loads(run("trace", dev, "--model", model, "--index", str(number), "--json").out)
        assert document["follow"] == "model"
        parsed = dynarc.load(model).parse(english("dev")[number - 1 : number])[0]
        assert [word["head"] for word in document["words"]] == parsed.heads
        for step, line in zip(document["steps"], ended.lines[3:], strict=False):
            assert step["probs"].keys() == step["scores"].keys()
            assert sum(step["probs"].values()) == pytest.approx(1)
            assert step["scores"].keys() == step["costs"].keys()
            assert max(step["scores"].values()) == step["scores"][step["transition"]]
            assert step["costs"][step["transition"]] == step["cost"]
            assert ("! " in line) == (step["cost"] > 0)
            steps[line] = step
    wrong = next(line for line, step in steps.items() if step["cost"] > 0)
    assert wrong.split("  (")[1].split(",")[0].endswith("/0")  # what was right is first in the brackets
    for width in ("80", "120"):
        ended = run("trace", dev, "--model", model, "--width", width)
        assert all(cell_len(line) <= int(width) for line in ended.lines[1:])


def test_a_parser_without_gold(run: Run, model: str, tmp_path: Path) -> None:
    bare = tmp_path / "bare.conllu"
    dynarc.Treebank([dynarc.Sentence(["They", "sing", "."])]).write(bare)
    ended = run("trace", str(bare), "--model", model)
    assert "(next best: score probability)" in ended.lines[2]
    assert ended.lines[-1] == "6 steps; the file has no heads to compare with."
    assert "loss" not in ended.out
    assert "word  form  built" in ended.lines
    document = json.loads(run("trace", str(bare), "--model", model, "--json").out)
    assert document["loss"] is None
    assert document["steps"][0]["costs"] is None


def test_what_does_not_go_with_a_parser(run: Run, own: str, model: str) -> None:
    for option in (["--system", "arc-eager"], ["--follow", "static"], ["--single-root"], ["--seed", "3"]):
        ended = run("trace", own, "--model", model, *option)
        assert ended.status == 2
        assert f"{option[0]} does not go with --model" in ended.err
    assert run("trace", "--heads", "2,0", "--model", model).status == 2
