"""Raw text on the command line: training a pipeline, parsing texts and arguments."""

from pathlib import Path

import pytest
from tests.cli.conftest import Run
from typer.testing import CliRunner

from dynarc import load, read_conllu
from dynarc.cli.app import app
from dynarc.data import english, english_path
from dynarc.text import raw_text

TRAIN, DEV = str(english_path("train")), str(english_path("dev"))


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("model") / "own.dynarc")
    flags = ["--pipeline", "--jackknife", "2", "--epochs", "3", "--features", "zhang-nivre", "--tagger-beam", "2"]
    ended = CliRunner().invoke(app, ["train", TRAIN, "--dev", DEV, "-o", path, *flags])
    assert ended.exit_code == 0, ended.stderr
    assert "tags for the parser: 2 taggers" in ended.stderr
    return path


def test_text_to_conllu(run: Run, pipeline: str, tmp_path: Path) -> None:
    text = raw_text(english("test"))
    book, out = tmp_path / "book.txt", tmp_path / "book.conllu"
    book.write_text(text, encoding="utf-8", newline="")
    assert run("parse", pipeline, str(book), "-o", str(out), "--ranges").status == 0
    found = read_conllu(out)
    assert raw_text(found) == text
    assert all(head is not None for sentence in found for head in sentence.heads)
    assert "TokenRange=0:" in found[0].tokens[0].misc
    as_python = load(pipeline).parse(text)
    assert [s.heads for s in found] == [s.heads for s in as_python]


def test_text_as_an_argument(run: Run, pipeline: str) -> None:
    ended = run("parse", pipeline, "The dog sleeps. It snores.")
    assert ended.status == 0, ended.err
    assert [len(s) for s in read_conllu(ended.out.encode())] == [4, 3]
    tokens = run("parse", pipeline, "The dog sleeps .", "--input", "tokens")
    assert read_conllu(tokens.out.encode())[0].upos[0] != "_"


def test_a_text_of_one_word(run: Run, pipeline: str) -> None:
    ended = run("parse", pipeline, "Sleep!")
    assert ended.status == 0, ended.err
    assert ended.err == ""  # how fast one sentence is parsed says nothing
    assert read_conllu(ended.out.encode())[0].forms[0].startswith("Sleep")
    missing = run("parse", pipeline, "Sleep")
    assert "Sleep: there is no such file" in missing.err


def test_text_from_standard_input(run: Run, pipeline: str) -> None:
    ended = run("parse", pipeline, "-", "--input", "text", stdin="Go on!\n\nNow.")
    assert len(read_conllu(ended.out.encode())) == 2


def test_info_tells_stages(run: Run, pipeline: str) -> None:
    said = run("info", pipeline).out
    assert "tagger" in said
    assert "jackknifed, 2 parts" in said
    assert '"tokenizer": true' in run("info", pipeline, "--json").out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["parse", "MODEL", "x.txt"], "x.txt: there is no such file"),
        (["parse", "MODEL", ""], "there is nothing to parse: the text is empty"),
        (["parse", "MODEL", "a b", "--keep-heads"], "--keep-heads does not go with text or tokens"),
        (["parse", "MODEL", "a b", "--input", "conllu"], "there is no file 'a b'"),
        (["parse", "MODEL", DEV, "--ranges"], "--ranges does not go without raw text"),
        (["train", TRAIN, "-o", "x", "--jackknife", "3"], "--jackknife does not go without --pipeline"),
        (["train", TRAIN, "-o", "x", "--pipeline", "--start", "y"], "--start does not go with --pipeline"),
        (["train", TRAIN, "-o", "x", "--pipeline", "--jackknife", "1"], "2 parts or more"),
    ],
)
def test_what_does_not_go(run: Run, pipeline: str, arguments: list[str], said: str) -> None:
    ended = run(*[pipeline if argument == "MODEL" else argument for argument in arguments])
    assert ended.status in (1, 2)
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_bytes_that_are_no_text(run: Run, pipeline: str, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"fine\n\n\xff\xfe")
    ended = run("parse", pipeline, str(bad))
    assert ended.status == 1
    assert "byte 6 is not valid UTF-8" in ended.err
