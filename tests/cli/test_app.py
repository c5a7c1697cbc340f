"""What all commands share: help, version, errors on one line, exit statuses, pipes, interrupts, colours."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import dynarc
from dynarc.cli import app

from .conftest import Run

COMMANDS = (
    "demo",
    "train",
    "parse",
    "corpus",
    "info",
    "view",
    "trace",
    "audit",
    "stats",
    "convert",
    "eval",
    "errors",
    "diff",
    "calibrate",
    "review",
    "check",
    "shrink",
    "bench",
    "experiment",
    "fetch",
    "serve",
)


def test_version(run: Run, program: Run) -> None:
    assert run("--version").out == program("--version").out == f"dynarc {dynarc.__version__}\n"


def test_help(run: Run) -> None:
    help_text = run("--help")
    assert (help_text.status, help_text.err) == (0, "")
    for command in COMMANDS:
        assert f"\n  {command} " in help_text.out
        of_command = run(command, "--help")
        assert of_command.status == 0
        assert f"Usage: dynarc {command} [OPTIONS]" in of_command.out
    assert run("-h").out == help_text.out


def test_no_command_shows_the_help(run: Run) -> None:
    ended = run()
    assert ended.status == 2
    assert "Commands:" in ended.out


def test_every_command_is_tested() -> None:
    assert tuple(app.COMMANDS) == COMMANDS


@pytest.mark.parametrize(
    ("args", "status", "says"),
    [
        ("audits", 2, "Did you mean 'audit'?"),
        ("--bogus", 2, "(see 'dynarc --help')"),
        ("check", 2, "which system? Name one of arc-eager, "),
        ("check arc-lazy", 2, "unknown transition system 'arc-lazy': system must be one of arc-eager, "),
        ("check --all arc-lazy", 2, "unknown transition system 'arc-lazy'"),
        ("check arc-eager --root middle", 2, "'middle' is not one of 'first', 'last' (see 'dynarc check --help')"),
        ("check arc-eager --root first --single-root", 2, "cannot enforce a single root"),
        ("check arc-eager --max-words 0", 2, "--max-words"),
        ("check arc-eager --min-words 4 --max-words 3", 2, "nothing to check from 4 to 3 words"),
        ("check arc-eager --samples 6-9", 2, "as in --samples 300"),
        ("check arc-eager --samples 0", 2, "as in --samples 300"),
        ("check arc-eager --method table", 2, "arc-eager has no table"),
        ("check arc-eager more", 2, "unexpected extra argument"),
        ("check --all --samples 300", 2, "as in --samples 6-9"),
        ("check --all --samples 9-6", 2, "as in --samples 6-9"),
        ("check --all --root first --golds all", 2, "--root, --golds do not go with --all"),
        ("check --all --decomposition", 2, "--decomposition does not go with --all"),
        ("check --decomposition --root first", 2, "--root does not go without a SYSTEM"),
        ("check --decomposition --samples 3", 2, "--samples does not go with --decomposition"),
        ("audit", 2, "Missing argument 'FILE"),
        ("audit own.conllu --system arc-lazy", 2, "unknown transition system"),
        ("audit own.conllu missing.conllu", 1, "missing.conllu: there is no such file"),
        ("audit .", 1, ".: is a directory, not a file"),
        ("view", 2, "Missing argument 'FILE"),
        ("view missing.conllu", 1, "missing.conllu: there is no such file"),
        ("view own.conllu --sent-id own-9", 1, "none of its 4 sentences has sent_id own-9; try --number"),
        ("view own.conllu --number 5", 1, "there is no sentence 5: it has 4 sentences"),
        ("view own.conllu --number 1 --sent-id own-1", 2, "--sent-id and --number both choose sentences"),
        ("view own.conllu --number 1 --first 2", 2, "--number and --first both choose sentences"),
        ("view own.conllu --style svg --first 2", 2, "an SVG file holds one sentence"),
        ("view own.conllu --style svg --ascii", 2, "--ascii does not go with --style svg"),
        ("view own.conllu --theme dark", 2, "--theme does not go without --style svg"),
        ("view own.conllu --style tikz", 2, "'tikz' is not one of"),
        ("view own.conllu --gold missing.conllu", 1, "missing.conllu: there is no such file"),
        ("view - --gold -", 2, "FILE and GOLD cannot both be standard input"),
        ("view - --style svg", 1, "there is no sentence in it"),
        ("view own.conllu -o no/such/folder.txt", 1, "no/such/folder.txt: there is no folder"),
        ("view own.conllu -o .", 1, ".: is a directory, not a file"),
        ("trace", 2, "nothing to trace: name a FILE, or give a tree"),
        ("trace missing.conllu", 1, "missing.conllu: there is no such file"),
        ("trace own.conllu --sent-id own-9", 1, "none of its 4 sentences has sent_id own-9"),
        ("trace own.conllu --index 5", 1, "there is no sentence 5: it has 4 sentences"),
        ("trace own.conllu --index 1 --sent-id own-1", 2, "give one of them"),
        ("trace own.conllu --index 2 --follow static", 1, "own.conllu:7 sent_id=own-2: arc "),
        ("trace own.conllu --index 2 --follow static", 1, "use --follow dynamic, or --system arc-hybrid-swap"),
        ("trace own.conllu --index 3", 1, "own.conllu:15: the heads form a cycle"),
        ("trace own.conllu --index 4 --follow static", 1, "use --follow dynamic"),
        ("trace own.conllu --heads 0", 2, "--heads does not go with FILE"),
        ("trace --heads 0 --index 1", 2, "--index does not go with --heads"),
        ("trace --heads 2,x", 2, "--heads has 'x'"),
        ("trace --heads 2,1", 1, "the heads form a cycle"),
        ("trace --heads 2,9", 1, "word 2 has head 9"),
        ("trace --heads 2,0 --forms a", 2, "--heads has 2 words, but --forms has 1"),
        ("trace --heads 0 --deprels a,b", 2, "--heads has 1 word, but --deprels has 2"),
        ("trace --heads 0 --follow given", 2, "--follow given needs the moves"),
        ("trace --heads 0 --follow static --moves SHIFT", 2, "--moves does not go with --follow static"),
        ("trace --heads 0 --follow static --seed 0", 2, "--seed does not go with --follow static"),
        ("trace --heads 0 --errors 0", 2, "--errors does not go with --follow dynamic"),
        ("trace --heads 0 --follow random --errors 2", 2, "--errors"),
        ("trace --heads 0 --moves JUMP", 1, "unknown move 'JUMP'; the moves are SHIFT, "),
        ("trace --heads 0 --moves SHIFT,LEFT", 1, "'SHIFT,LEFT' is not a transition"),
        ("trace --heads 0 --moves REDUCE", 1, "transition 1, from [] [1 ROOT]: REDUCE is not legal here"),
    ],
)
def test_mistakes_are_one_line(run: Run, own: str, args: str, status: int, says: str) -> None:
    ended = run(*args.split())
    assert ended.status == status
    assert ended.err.startswith("dynarc: error: ")
    assert ended.err.count("\n") == 1
    assert says in ended.err
    assert "error" not in ended.out


def test_mistakes_show_no_traceback(program: Run, own: str) -> None:
    for args, status in ((["audit", "missing.conllu"], 1), (["check", "arc-lazy"], 2), (["check", "--bogus"], 2)):
        ended = program(*args)
        assert (ended.status, ended.out) == (status, "")
        assert ended.err.startswith("dynarc: error: ")
        assert ended.err.count("\n") == 1


def test_shells_complete_commands_and_their_options(program: Run) -> None:
    def completed(*words: str) -> list[str]:
        place = str(len(words) - 1)
        return program(_DYNARC_COMPLETE="complete_bash", COMP_WORDS=" ".join(words), COMP_CWORD=place).out.split()

    assert completed("dynarc", "tr") == ["train", "trace"]
    assert completed("dynarc", "train", "--epo") == ["--epochs"]
    assert completed("dynarc", "") == list(COMMANDS)


def test_the_installed_program() -> None:
    script = Path(sys.executable).with_name("dynarc")
    if not script.exists():
        pytest.skip("the package is not installed in this environment")
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"dynarc {dynarc.__version__}\n"


def test_the_package_does_without_the_command_line() -> None:
    code = "import dynarc, sys; sys.exit(any(m.split('.')[0] in ('typer', 'click', 'rich') for m in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    "args",
    [["trace", "--heads", "2,0,2"], ["check", "arc-eager"], ["audit", "-", "--json"], ["view", "own.conllu"]],
    ids=str,
)
def test_a_closed_pipe_is_no_error(plain: None, own: str, args: list[str]) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "dynarc.cli", *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_head_gets_what_it_wants(plain: None) -> None:
    command = f"'{sys.executable}' -m dynarc.cli trace --heads {','.join(map(str, range(300)))} | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("heads 0,1,2,")
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""


def test_an_interrupt_is_quiet(plain: None) -> None:
    """Even while the engine computes, which would take minutes here."""
    with subprocess.Popen(
        [sys.executable, "-m", "dynarc.cli", "check", "covington", "--max-words", "7", "--threads", "1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Whoever runs the tests in the background may have told them to ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while not process.stdout.readline().startswith("    4 "):
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == -signal.SIGINT
        assert process.stderr.read() == ""


def test_colours_are_for_terminals(plain: None, program: Run) -> None:
    args = ["check", "arc-eager", "--max-words", "2"]
    assert "\x1b" not in program(*args).out
    assert "\x1b[" in on_terminal(args)
    assert "\x1b[1;32m" not in on_terminal(args, NO_COLOR="1")


def on_terminal(args: list[str], columns: int = 80, **environment: str) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "dynarc.cli", *args],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), **environment},
    ) as process:
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 65536):
                written += chunk
        except OSError:  # how Linux says that the other end is closed
            pass
        os.close(ours)
        assert process.wait() == 0
    return written.decode()


def test_a_narrow_terminal_is_respected(plain: None) -> None:
    forms = " ".join(["word"] * 40)
    heads = ",".join(map(str, range(40)))
    written = on_terminal(["trace", "--heads", heads, "--forms", forms], columns=90, NO_COLOR="1")
    shown = re.sub(r"\x1b\[[0-9;]*m|\r", "", written)
    steps = [line for line in shown.split("\n") if "cost " in line]
    assert len(steps) > 40
    assert all("…" in line or len(line) < 90 for line in steps)
    assert max(map(len, steps)) <= 90


def test_a_terminal_without_unicode(program: Run) -> None:
    forms = " ".join(["wörd"] * 40)
    heads = ",".join(map(str, range(40)))
    ended = program("trace", "--heads", heads, "--forms", forms, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (ended.status, ended.err) == (0, "")
    assert "w\\xf6rd" in ended.out
    ended = program("trace", "--json", "--heads", "0", "--forms", "wörd", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert json.loads(ended.out)["forms"] == ["wörd"]
