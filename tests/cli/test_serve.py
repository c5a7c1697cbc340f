"""dynarc serve and dynarc view --page, as far as they do not serve yet."""

import base64
import gzip
import json
import re
import socket
import sys
from pathlib import Path

import pytest

from dynarc.data import english
from dynarc.web.page import bundle, files

from .conftest import Run


def test_a_page_is_written_whole(run: Run, own: str) -> None:
    ended = run("view", own, "--page", "-o", "page.html", "--first", "2")
    assert (ended.status, ended.out, ended.err) == (0, "", "")
    text = Path("page.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "unsafe" not in text.partition("<style>")[0]
    assert not re.findall(r'(?:src|href)="(?!#|data:)', text)
    packed = re.search(r'<template id="data">(.*?)</template>', text)
    assert packed
    data = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    assert [row[0] for row in data["index"]] == ["own-1", "own-2"]
    assert set(data["steps"]) == {"0", "1"}
    assert data["errors"] is None


def test_a_page_against_gold(run: Run, own: str) -> None:
    text = english("dev")[:4].to_bytes()
    Path("gold.conllu").write_bytes(text)
    Path("found.conllu").write_bytes(text.replace(b"\tnsubj\t", b"\tobj\t"))
    assert run("view", "found.conllu", "--gold", "gold.conllu", "--page", "-o", "page.html").status == 0
    Path("other.conllu").write_bytes(english("dev")[1:5].to_bytes())
    ended = run("view", "found.conllu", "--gold", "other.conllu", "--page", "-o", "other.html")
    assert (ended.status, "has other words than" in ended.err) == (1, True)
    assert not Path("other.html").exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ("view own.conllu --page --style svg", "--style does not go with --page"),
        ("view own.conllu --port 8000", "--port does not go without --page"),
        ("view own.conllu --page -o a.html --port 1", "--port does not go with --page -o"),
        ("serve no-such-model", "no-such-model"),
        ("serve en en", "two models are called 'en'"),
        ("serve --max-words 0", "--max-words"),
        ("serve en --file no-such-file.conllu", "no-such-file.conllu: there is no such file"),
    ],
)
def test_bad_usage(run: Run, own: str, args: str, said: str) -> None:
    ended = run(*args.split())
    assert ended.status in (1, 2)
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_what_is_missing_is_named(run: Run, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    for args in (("serve",), ("view", own, "--page")):
        ended = run(*args)
        assert (ended.status, "pip install 'dynarc[serve]'" in ended.err) == (2, True)
    assert run("view", own, "--page", "-o", "page.html").status == 0


def test_a_port_that_is_taken(run: Run, own: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ended = run("serve", "en", "--port", str(taken.getsockname()[1]))
    assert (ended.status, "try another --port" in ended.err) == (2, True)


def test_all_modules_are_in_the_bundle() -> None:
    text = bundle("main.js")
    for name in files():
        if name.endswith(".js"):
            assert text.count(f'modules["{name}"] = ') == 1, name
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)
