"""dynarc audit."""

import json
from pathlib import Path

from .conftest import OWN, Run


def test_counts_and_names(run: Run, own: str) -> None:
    ended = run("audit", own)
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == (
        "own.conllu: 4 sentences, 14 words, arc-eager root=last\n"
        "\n"
        "                  sentences          arcs\n"
        "  non-projective          1  25.00%     1   7.14%\n"
        "  not derivable           2  50.00%\n"
        "  multi-root              1  25.00%     1   7.14%\n"
        "  cyclic                  1  25.00%     2  14.29%\n"
        "  partial                 1  25.00%     1   7.14%\n"
        "  no root                 1  25.00%\n"
        "\n"
        "non-projective, 1\n"
        "  own.conllu:7  own-2  not projective: 2->6\n"
        "\n"
        "not derivable, 2\n"
        "  own.conllu:7   own-2  not projective, and arc-eager derives projective trees only\n"
        "  own.conllu:15  own-3  not a tree: cycle 1->2->1\n"
        "\n"
        "multi-root, 1\n"
        "  own.conllu:19  -  words 1, 2 have head 0\n"
        "\n"
        "cyclic, 1\n"
        "  own.conllu:15  own-3  cycle 1->2->1\n"
        "\n"
        "partial, 1\n"
        "  own.conllu:19  -  1 of 3 heads unknown\n"
        "\n"
        "no root, 1\n"
        "  own.conllu:15  own-3  no word has head 0\n"
        "\n"
    )


def test_the_system_decides_what_is_derivable(run: Run, own: str) -> None:
    documents = {
        system: json.loads(run("audit", own, "--system", system, "--json").out)["all"]["counts"]
        for system in ("arc-eager", "covington")
    }
    assert documents["arc-eager"]["underivable"] == {"sentences": 2, "arcs": None}
    assert documents["covington"]["underivable"] == {"sentences": 1, "arcs": None}
    single = json.loads(run("audit", own, "--single-root", "--json").out)
    assert single["system"]["single_root"] is True
    assert single["all"]["counts"]["underivable"]["sentences"] == 3


def test_several_files(run: Run, own: str) -> None:
    ended = run("audit", own, "-", own, "--first", "2", stdin=OWN)
    titles = [line.split(": ")[0] for line in ended.lines if "sentences, " in line]
    assert titles == ["own.conllu", "<stdin>", "own.conllu", "all 3 files"]
    assert "not derivable, the first 2 of 6" in ended.lines
    document = json.loads(run("audit", own, "-", "--json", "--first", "1", stdin=OWN).out)
    assert [file["path"] for file in document["files"]] == ["own.conllu", "<stdin>"]
    assert document["all"]["sentences"] == 8
    assert len(document["all"]["first"]["underivable"]) == 1
    assert document["all"]["first"]["underivable"][0]["sent_id"] == "own-2"


def test_strict(run: Run, own: str) -> None:
    assert run("audit", own, "--strict").status == 1
    assert run("audit", own, "--strict", "--json").status == 1
    clean = OWN.partition("\n\n")[0] + "\n\n"
    ended = run("audit", "-", "--strict", stdin=clean)
    assert ended.status == 0
    assert ended.lines[-1] == "Every sentence is a tree that the system derives."


def test_nothing_to_name(run: Run, own: str) -> None:
    assert "own-2" not in run("audit", own, "--first", "0").out
    assert run("audit", "-", stdin="").lines[-1] == "There is no sentence."


def test_a_malformed_file_is_one_error(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(OWN + "1\tbroken\n", encoding="utf-8")
    ended = run("audit", str(path))
    assert (ended.status, ended.out) == (1, "")
    assert ended.err == (f"dynarc: error: {path}:23:1: expected 10 columns separated by TAB, found 2: '1\\tbroken'\n")
    ended = run("audit", str(path), "--json")
    assert (ended.status, ended.out) == (1, "")
    ended = run("audit", str(path), "--skip-bad", "--json")
    assert ended.status == 0
    assert json.loads(ended.out)["all"]["sentences"] == 4
    assert ended.err.splitlines()[-1] == "dynarc: sentences with 1 bad line were left out"
