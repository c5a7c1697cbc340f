"""Counts over treebanks: by hand, and all treebanks against their index."""

from pathlib import Path

from dynarc import Sentence, iter_conllu, read_conllu
from dynarc.stats import Stats, stats

SMALL = b"""\
# newdoc id = d
# newpar
# sent_id = a
1-2\tIt's\t_\t_\t_\t_\t_\t_\t_\t_
1\tIt\tit\tPRON\tPRP\tCase=Nom|Number=Sing\t3\tnsubj:outer\t_\t_
2\t's\tbe\tAUX\t_\t_\t3\tcop\t_\t_
3\there\there\tADV\tRB\t_\t0\troot\t_\t_
3.1\tnow\t_\tADV\t_\t_\t_\t_\t_\t_

1\ta\t_\tX\t_\t_\t3\tdep\t_\t_
2\tb\t_\tX\t_\t_\t4\tdep\t_\t_
3\tc\t_\tX\t_\t_\t0\troot\t_\t_
4\td\t_\tX\t_\t_\t3\tdep:x\t_\t_

1\ta\t_\tX\t_\t_\t2\tdep\t_\t_
2\tb\t_\tX\t_\t_\t1\tdep\t_\t_

1\ta\t_\tX\t_\t_\t0\troot\t_\t_
2\tb\t_\tX\t_\t_\t0\troot\t_\t_
3\tc\t_\tX\t_\t_\t_\t_\t_\t_

"""


def test_by_hand() -> None:
    counts = stats(read_conllu(SMALL, check_trees=False))
    assert (counts.sentences, counts.words, counts.tokens) == (4, 12, 11)
    assert (counts.multiword, counts.empty_nodes, counts.documents, counts.paragraphs) == (1, 1, 1, 1)
    assert counts.lengths == {3: 2, 4: 1, 2: 1}
    assert (counts.mean_length, counts.median_length, counts.longest) == (3.0, 3.0, 4)
    assert counts.deprels == {"nsubj:outer": 1, "cop": 1, "root": 4, "dep": 4, "dep:x": 1}
    assert counts.upos == {"PRON": 1, "AUX": 1, "ADV": 1, "X": 9}
    assert counts.xpos == {"PRP": 1, "RB": 1}
    assert counts.feats == {"Case=Nom": 1, "Number=Sing": 1}
    assert len(counts.forms) == 7
    assert counts.lemmas == {"it", "be", "here"}
    assert counts.missing == {"lemmas": 9, "upos": 0, "xpos": 10, "feats": 11, "deprels": 1, "heads": 1}
    assert (counts.nonprojective, counts.nonprojective_arcs) == (1, 1)
    assert counts.gap_degrees == {0: 2, 1: 1}
    assert (counts.multiple_roots, counts.no_root, counts.partial, counts.cyclic) == (1, 1, 1, 1)
    assert counts.distances == {-2: 3, -1: 2, 1: 2}
    assert (counts.arcs, counts.head_first) == (7, 2)
    assert counts.mean_distance == 10 / 7
    assert counts.depths == {2: 1, 3: 1, 1: 1}
    assert counts.length_groups() == [("2-5", 4)]


def test_merged_is_the_same_as_all_at_once() -> None:
    treebank = read_conllu(SMALL, check_trees=False)
    both = stats(treebank[:2]).merge(stats(treebank[2:]))
    assert both == stats(treebank)


def test_nothing() -> None:
    counts = Stats()
    assert (counts.mean_length, counts.median_length, counts.longest, counts.mean_distance) == (0, 0, 0, 0)
    assert counts.length_groups() == []


def test_a_long_chain_is_no_trouble() -> None:
    words = 20_000
    chain = Sentence(["w"] * words, heads=list(range(words)))
    assert stats([chain]).depths == {words: 1}


def index_rows(index: str) -> dict[str, dict[str, str]]:
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in index.splitlines() if "|" in line]
    return {row[0]: dict(zip(table[0], row, strict=True)) for row in table[2:]}


def test_treebanks_are_what_their_index_says(treebanks: Path) -> None:
    for code, row in index_rows((treebanks / "INDEX.md").read_text(encoding="utf-8")).items():
        whole = Stats()
        for split in ("train", "dev", "test"):
            [path] = (treebanks / code).glob(f"{split}.conll*")
            counts = stats(iter_conllu(path))
            assert f"{counts.sentences}/{counts.words}" == row[f"{split} s/tok"]
            if split == "train":
                sentences = round(100 * counts.nonprojective / counts.sentences, 2)
                arcs = round(100 * counts.nonprojective_arcs / counts.words, 2)
                assert f"{sentences:g} / {arcs:g}" == row["non-proj % sents / arcs (train)"], code
                base = {label.partition(":")[0] for label in counts.deprels}
                assert f"{len(counts.deprels)} ({len(base)})" == row["deprels (w/o subtype)"], code
                assert str(counts.longest) == row["max len"]
            whole.merge(counts)
        found = (whole.multiword, whole.empty_nodes, whole.multiple_roots)
        assert found == tuple(int(row[name]) for name in ("MWT", "empty nodes", "multi-root sents")), code
