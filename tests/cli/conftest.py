"""Running commands: inside this process, or as a user does."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dynarc.cli.app import app

OWN = """\
# sent_id = own-1
# text = She likes tea
1	She	_	PRON	_	_	2	nsubj	_	_
2	likes	_	VERB	_	_	0	root	_	_
3	tea	_	NOUN	_	_	2	obj	_	_

# sent_id = own-2
1	A	_	DET	_	_	2	det	_	_
2	letter	_	NOUN	_	_	3	nsubj	_	_
3	came	_	VERB	_	_	0	root	_	_
4	today	_	ADV	_	_	3	advmod	_	_
5	from	_	ADP	_	_	6	case	_	_
6	home	_	NOUN	_	_	2	nmod	_	_

# sent_id = own-3
1	round	_	ADV	_	_	2	dep	_	_
2	and	_	CCONJ	_	_	1	dep	_	_

1	Yes	_	INTJ	_	_	0	root	_	_
2	no	_	INTJ	_	_	0	root	_	_
3	perhaps	_	ADV	_	_	_	_	_	_

"""


@dataclass(frozen=True)
class Ended:
    """What a command has left behind."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


Run = Callable[..., Ended]


@pytest.fixture
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """No variable of the environment that asks for colours or a width."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(plain: None) -> Run:
    """Runs a command in this process; what is not handled there fails the test."""

    def run(*args: str, stdin: str = "") -> Ended:
        result = CliRunner().invoke(app, list(args), input=stdin, catch_exceptions=False)
        return Ended(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def program(plain: None) -> Run:
    """Runs a command in a process of its own."""

    def run(*args: str, stdin: str = "", **environment: str) -> Ended:
        done = subprocess.run(
            [sys.executable, "-m", "dynarc.cli", *args],
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            env={**os.environ, **environment},
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file in the working directory with a plain tree, a crossing one, a cycle, and a partial one of two roots."""
    monkeypatch.chdir(tmp_path)
    Path("own.conllu").write_text(OWN, encoding="utf-8")
    return "own.conllu"
