"""The audit: what is found in odd trees, and the treebanks against their index."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import dynarc
from dynarc import OracleError, System
from dynarc.audit import Audit, Count, Kind, audit, cycles, examine


def conllu(*trees: Sequence[int | None]) -> bytes:
    lines = []
    for number, heads in enumerate(trees, start=1):
        lines.append(f"# sent_id = s{number}")
        for word, head in enumerate(heads, start=1):
            lines.append(f"{word}\tw{word}\t_\t_\t_\t_\t{'_' if head is None else head}\tdep\t_\t_")
        lines.append("")
    return "".join(line + "\n" for line in lines).encode()


def kinds(heads: Sequence[int | None], ts: System) -> dict[Kind, int | None]:
    return {odd.kind: odd.arcs for odd in examine(heads, ts)}


@pytest.mark.parametrize(
    ("heads", "found"),
    [
        ([0, 1, 2], []),
        ([], []),
        ([1], [[1]]),
        ([2, 1], [[1, 2]]),
        ([2, 3, 1, 0, 3], [[1, 2, 3]]),
        ([4, 2, None, 1, 1], [[1, 4], [2]]),
    ],
)
def test_cycles(heads: list[int | None], found: list[list[int]]) -> None:
    assert cycles(heads) == found


def test_what_is_found() -> None:
    eager = dynarc.system("arc-eager")
    assert kinds([2, 0, 2], eager) == {}
    assert kinds([0, 4, 1, 1], eager) == {"nonprojective": 1, "underivable": None}
    assert kinds([0, 0, 0], eager) == {"multiple_roots": 2}
    assert kinds([2, 1, 0], eager) == {"cyclic": 2, "underivable": None}
    assert kinds([2, 1, 3], eager) == {"cyclic": 3, "underivable": None, "no_root": None}
    assert kinds([None, 0, None], eager) == {"partial": 2}
    assert kinds([None, 1], eager) == {"partial": 1}
    assert kinds([None, None, 1, 2], eager) == {"partial": 2, "nonprojective": 2, "underivable": None}


def test_what_a_system_derives_decides() -> None:
    crossing = [0, 4, 1, 1]
    assert kinds(crossing, dynarc.system("covington")) == {"nonprojective": 1}
    assert kinds(crossing, dynarc.system("arc-hybrid-swap")) == {"nonprojective": 1}
    assert kinds(crossing, dynarc.system("attardi")) == {"nonprojective": 1}
    assert kinds([0, 0], dynarc.system("arc-hybrid", single_root=True)) == {"multiple_roots": 1, "underivable": None}
    assert kinds([0, 0, None], dynarc.system("arc-hybrid", single_root=True)) == {
        "multiple_roots": 1,
        "partial": 1,
        "underivable": None,
    }


def test_reasons() -> None:
    def reasons(heads: Sequence[int | None], **options: bool) -> list[str]:
        return [odd.reason for odd in examine(heads, dynarc.system("arc-eager", single_root=bool(options)))]

    assert reasons([0, 4, 1, 1]) == [
        "not projective: 4->2",
        "not projective, and arc-eager derives projective trees only",
    ]
    assert reasons([3, 1, 2, 4]) == [
        "no word has head 0",
        "cycle 1->2->3->1, word 4 is its own head",
        "not a tree: cycle 1->2->3->1, word 4 is its own head",
    ]
    assert reasons([None, 0]) == ["1 of 2 heads unknown"]
    assert reasons([0] * 7) == ["words 1, 2, 3, 4, 5 and 2 more have head 0"]
    assert reasons([0, 0], single_root=True)[1].startswith("ROOT has 2 children")


def test_a_search_that_gives_up_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(self: System, tree: dynarc.Tree) -> bool:
        raise OracleError("the search gave up")

    monkeypatch.setattr(System, "can_derive", gives_up)
    assert [(odd.kind, odd.reason) for odd in examine([0], dynarc.system("attardi"))] == [
        ("undecided", "the search gave up")
    ]


def test_counts_and_first_findings() -> None:
    ts = dynarc.system("arc-eager")
    text = conllu([0, 1], [0, 4, 1, 1], [0, 0], [0, 4, 1, 1], [0, 4, 1, 1])
    report = audit(text, ts, first=2, name="own.conllu")
    assert (report.path, report.sentences, report.words) == ("own.conllu", 5, 16)
    assert report.counts["nonprojective"] == Count(3, 3)
    assert report.counts["underivable"] == Count(3, None)
    assert report.counts["multiple_roots"] == Count(1, 1)
    assert report.counts["cyclic"] == Count(0, 0)
    found = report.first["nonprojective"]
    assert [(f.path, f.line, f.sent_id) for f in found] == [("own.conllu", 5, "s2"), ("own.conllu", 15, "s4")]
    assert not report.clean
    assert audit(conllu([0, 1]), ts).clean
    assert audit(conllu([0, 1]), ts).path == "<bytes>"


def test_several_files_add_up() -> None:
    ts = dynarc.system("arc-eager")
    total = Audit("all")
    for heads in ([0, 4, 1, 1], [0, 0], [2, 1]):
        total.add(audit(conllu(heads, heads), ts, first=3), first=3)
    assert (total.sentences, total.words) == (6, 16)
    assert total.counts["underivable"] == Count(4, None)
    assert total.counts["cyclic"] == Count(2, 4)
    assert len(total.first["underivable"]) == 3


@pytest.mark.slow
def test_treebanks_have_the_rates_of_their_index(treebanks: Path) -> None:
    index = (treebanks / "INDEX.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in index.splitlines() if "|" in line]
    rates, roots = rows[0].index("non-proj % sents / arcs (train)"), rows[0].index("multi-root sents")
    ts = dynarc.system("arc-eager")
    for row in rows[2:]:
        total = Audit(row[0])
        for split in ("train", "dev", "test"):
            [path] = (treebanks / row[0]).glob(f"{split}.conll*")
            report = audit(path, ts)
            total.add(report, 0)
            if split == "train":
                found = report.counts["nonprojective"]
                assert found.arcs is not None
                shares = [100 * found.sentences / report.sentences, 100 * found.arcs / report.words]
                assert shares == pytest.approx([float(rate) for rate in row[rates].split("/")], abs=0.005), row[0]
        assert total.counts["multiple_roots"].sentences == int(row[roots]), row[0]
        assert total.counts["cyclic"].sentences == total.counts["partial"].sentences == 0
        assert total.counts["no_root"].sentences == total.counts["undecided"].sentences == 0
        # arc-eager derives exactly the projective trees.
        assert total.counts["underivable"].sentences == total.counts["nonprojective"].sentences
