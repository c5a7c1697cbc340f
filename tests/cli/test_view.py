"""dynarc view."""

import os
from pathlib import Path
from xml.etree import ElementTree

import pytest

from .conftest import OWN, Run
from .test_app import on_terminal

OWN_1 = """\
own.conllu:1 sent_id=own-1

       root
  ╭nsubj╮│╭obj─╮
  ▼     │▼│    ▼
 She   likes  tea
PRON   VERB  NOUN

"""


def test_a_sentence(run: Run, own: str) -> None:
    ended = run("view", own, "--sent-id", "own-1")
    assert (ended.status, ended.out, ended.err) == (0, OWN_1, "")
    assert run("view", own, "--number", "1").out == run("view", own, "--first", "1").out == OWN_1
    assert run("view", "-", "--first", "1", stdin=OWN).out == OWN_1.replace(own, "<stdin>")


def test_all_sentences(run: Run, own: str) -> None:
    ended = run("view", own)
    titles = [line for line in ended.lines if line.startswith(own)]
    assert titles == [
        "own.conllu:1 sent_id=own-1",
        "own.conllu:7 sent_id=own-2",
        "own.conllu:15 sent_id=own-3",
        "own.conllu:19",
    ]
    assert "".join(run("view", own, "--number", str(n)).out for n in range(1, 5)) == ended.out


def test_what_does_not_fit_across_is_drawn_down(run: Run, own: str) -> None:
    narrow = run("view", own, "--number", "1", "--width", "12")
    assert narrow.lines[2:] == [
        "1  ╭─▶ She    PRON  2  nsubj",
        "2 ─┼─▶ likes  VERB  0  root",
        "3  ╰─▶ tea    NOUN  2  obj",
        "",
    ]
    assert run("view", own, "--number", "1", "--width", "17").out == OWN_1
    assert run("view", own, "--number", "1", "--width", "16").lines[2:] == narrow.lines[2:]
    wrapped = run("view", own, "--number", "2", "--width", "24", "--style", "arcs")
    assert "┄┄" in wrapped.out
    assert max(map(len, wrapped.lines[1:])) <= 24
    assert "┄" not in run("view", own, "--number", "2", "--width", "0").out
    assert "├" not in run("view", own, "--number", "1", "--style", "vertical", "--ascii").out


def test_tags(run: Run, own: str) -> None:
    assert "VERB" not in run("view", own, "--tags", "none").out
    assert run("view", own, "--number", "1", "--tags", "none").lines[2:] == [
        "      root",
        " ╭nsubj╮│╭obj╮",
        " ▼     │▼│   ▼",
        "She   likes tea",
        "",
    ]


def test_gold(run: Run, own: str) -> None:
    Path("parsed.conllu").write_text(OWN.replace("2\tobj", "1\tobj").replace("2\tdet", "2\tamod"), encoding="utf-8")
    ended = run("view", "parsed.conllu", "--gold", own, "--first", "2")
    assert "✗obj" in ended.out
    assert "✓obj" in ended.out
    assert "det≠amod" in ended.out
    assert "✗" not in run("view", own, "--gold", own).out
    down = run("view", "parsed.conllu", "--gold", own, "--number", "1", "--style", "vertical")
    assert down.lines[4].endswith("✗ gold 2 obj")


def test_gold_must_be_the_same_sentences(run: Run, own: str) -> None:
    Path("other.conllu").write_text(OWN.replace("letter", "card"), encoding="utf-8")
    ended = run("view", own, "--gold", "other.conllu", "--number", "2")
    assert ended.status == 1
    assert "other.conllu:7: this sentence has other words than the one at own.conllu:7" in ended.err
    Path("short.conllu").write_text(OWN.split("\n\n", maxsplit=1)[0] + "\n\n", encoding="utf-8")
    ended = run("view", own, "--gold", "short.conllu")
    assert ended.status == 1
    assert "short.conllu: has 1 sentence, fewer than own.conllu" in ended.err


def test_pictures_and_pages(run: Run, own: str) -> None:
    svg = run("view", own, "--style", "svg", "--sent-id", "own-2")
    assert ElementTree.fromstring(svg.out).get("class") == "dynarc"
    assert ">nmod</text>" in svg.out
    assert "own-1" in run("view", own, "--style", "svg").out
    assert "#0d1117" in run("view", own, "--style", "svg", "--theme", "dark").out
    html = run("view", own, "--style", "html")
    assert html.out.startswith("<!DOCTYPE html>")
    assert html.out.count("<svg") == 4


def test_files(run: Run, own: str) -> None:
    for name, start in (("a.svg", "<svg "), ("b.HTML", "<!DOCTYPE html>"), ("c.txt", "own.conllu:1")):
        ended = run("view", own, "-o", name)
        assert (ended.status, ended.out, ended.err) == (0, "", "")
        assert Path(name).read_text(encoding="utf-8").startswith(start)
    assert Path("c.txt").read_text(encoding="utf-8") == run("view", own).out
    assert sorted(map(str, Path().iterdir())) == ["a.svg", "b.HTML", "c.txt", "own.conllu"]


def test_a_file_is_written_whole_or_not_at_all(run: Run, own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("old.html").write_text("old", encoding="utf-8")
    Path("bad.conllu").write_text(OWN + "1\tbad\n", encoding="utf-8")
    assert run("view", "bad.conllu", "-o", "old.html").status == 1
    assert Path("old.html").read_text(encoding="utf-8") == "old"

    def fail(source: str, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        ended = run("view", own, "-o", "old.html")
    assert ended.status == 1
    assert "old.html: cannot be written: No space left on device" in ended.err
    assert Path("old.html").read_text(encoding="utf-8") == "old"
    assert sorted(map(str, Path().iterdir())) == ["bad.conllu", "old.html", "own.conllu"]


def test_links_and_devices_are_written_to(run: Run, own: str) -> None:
    Path("real.html").write_text("old", encoding="utf-8")
    Path("link.html").symlink_to("real.html")
    assert run("view", own, "-o", "link.html").status == 0
    assert Path("link.html").is_symlink()
    assert "<svg" in Path("real.html").read_text(encoding="utf-8")
    assert run("view", own, "-o", os.devnull).status == 0
    assert not Path(os.devnull).is_file()


def test_no_escape_reaches_the_terminal(own: str, run: Run, plain: None) -> None:
    Path("evil.conllu").write_text(OWN.replace("She", "\x1b]0;owned\x07"), encoding="utf-8")
    written = on_terminal(["view", "evil.conllu", "--number", "1"])
    assert "␛]0;owned␇" in written
    assert "\x1b]" not in written
    assert "\x07" not in written
    assert "\x1b[" in written  # colours


def test_a_terminal_without_box_characters(program: Run, own: str) -> None:
    Path("own.conllu").write_text(OWN.replace("tea", "thé"), encoding="utf-8")
    ended = program("view", own, "--number", "1", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (ended.status, ended.err) == (0, "")
    assert ended.lines[2:] == [
        "       root",
        "  .nsubj.|.-obj-.",
        "  v     |v|     v",
        " She   likes th\\xe9",
        "PRON   VERB   NOUN",
        "",
    ]
