"""Ready-made feature sets and the values of their atoms: FEATURES.md 1 to 5, list by list and value by value."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import random_walk, seeds, stable

import dynarc
from dynarc import ConfigError, IllegalTransition, Sentence, _core, features
from dynarc.features import (
    COVINGTON,
    EASY_FIRST_2010,
    EASY_FIRST_2013,
    HYBRID_2013,
    LOWER,
    PAIR,
    STUDY,
    ZHANG_NIVRE,
    expand,
    feature_set,
    feature_sets,
    feature_values,
    filled_columns,
    resolve,
    stack_groups,
)

ALL_COLUMNS = ("xpos", "feats", "lemma", "morphology")
STACK_SYSTEMS = ("arc-standard", "arc-hybrid", "attardi", "arc-hybrid-swap")


def sizes(groups: dict[str, str]) -> list[int]:
    return [len(group.split()) for group in groups.values()]


def every_set() -> list[tuple[str, str, tuple[str, ...]]]:
    """Every set for every system that it is for, with as many columns as there can be."""
    found = []
    for name in feature_sets():
        for system in dynarc.systems():
            try:
                found.append((name, system, feature_set(name, system, columns=ALL_COLUMNS)))
            except ConfigError:
                continue
    return found


class TestNotation:
    @pytest.mark.parametrize(
        ("notation", "template"),
        [
            ("S0wp", "S0.form+S0.tag"),
            ("S0wp+N0p", "S0.form+S0.tag+B0.tag"),
            ("S0hp+S0p+N0p", "S0.head.tag+S0.tag+B0.tag"),
            ("S0h2w", "S0.head.head.form"),
            ("S0hL", "S0.head.deprel"),
            ("S0L", "S0.deprel"),
            ("N0l1L", "B0.left1.deprel"),
            ("S0r2p", "S0.right2.tag"),
            ("S0w+S0vr+N0vl", "S0.form+S0.valency_right+B0.valency_left"),
            ("S0p+S0sl+N0sr", "S0.tag+S0.labels_left+B0.labels_right"),
            ("S0s2p+N0s3", "S0.suffix2+S0.tag+B0.suffix3"),
            ("S0vp", "S0.feature+S0.tag"),
            ("S0>p+N0<w", "S0.next.tag+B0.previous.form"),
            ("S0w+d", "S0.form+dist(S0,B0)"),
            ("S1w+d(S1,S0)", "S1.form+dist(S1,S0)"),
            ("hd(S0,S1)+each(S0,N0)", "head_is(S0,S1)+each_between(S0,B0)"),
            ("N0wcmpxf", "B0.form+B0.lower+B0.lemma+B0.tag+B0.xpos+B0.feats"),
        ],
    )
    def test_expansion(self, notation: str, template: str) -> None:
        assert expand(notation) == template
        _core.check_templates([template])

    def test_other_places(self) -> None:
        assert expand("S0wp+N0l1p+d", LOWER) == "S1.form+S1.tag+S0.left1.tag+dist(S1,S0)"
        assert expand("S1w+N0p+N1p", LOWER) == "S2.form+S0.tag+B0.tag"
        assert expand("S0w+N0p+N1w+d", PAIR) == "F1.form+F2.tag+N1.form+dist(F1,F2)"
        assert expand("F1T+F1E+F2n+F2A+g(P2,P1)", PAIR) == "F1.refined+F1.leaf+F2.span+F2.adposition+gap(P2,P1)"

    @pytest.mark.parametrize("wrong", ["S0", "S0q", "S0w+", "T0w", "far(S0,N0)", "d(S0,q)"])
    def test_what_is_no_notation(self, wrong: str) -> None:
        with pytest.raises(ValueError, match="is not"):
            expand(wrong)


class TestSets:
    def test_zhang_nivre(self) -> None:
        """FEATURES 2: the number of templates in each row, and 72 in all."""
        assert sizes(ZHANG_NIVRE) == [12, 8, 6, 6, 6, 12, 16, 6]
        assert len(feature_set("zhang-nivre", "arc-eager", columns=())) == 72

    def test_hybrid_2013(self) -> None:
        """FEATURES 3: 49 distinct templates, without labels, distances and valencies."""
        assert sizes(HYBRID_2013) == [12, 14, 5, 16, 2]
        found = feature_set("hybrid-2013", "arc-hybrid", columns=())
        assert len(found) == 49
        assert not any(re.search(r"deprel|dist|valency|labels", template) for template in found)

    @pytest.mark.parametrize(
        ("system", "counts", "total"),
        [
            # singles, pairs, distance, tags, dependents' tags, valency, label sets, children, rows of children
            ("arc-standard", [18, 14, 12, 5, 8, 8, 8, 24, 4], 101),
            ("arc-hybrid", [18, 14, 12, 5, 8, 10, 10, 30, 4], 111),
            ("arc-hybrid-swap", [18, 14, 12, 5, 8, 10, 10, 30, 4], 111),
            ("attardi", [18, 21, 18, 6, 12, 8, 8, 24, 4], 119),
        ],
    )
    def test_stack(self, system: str, counts: list[int], total: int) -> None:
        """FEATURES 5: Attardi has a third pair; only arc-hybrid and SWAP have dependents of N0 to speak of."""
        assert sizes(stack_groups(system)) == counts
        found = feature_set("stack", system, columns=())
        assert len(found) == total
        assert ("S2.tag+S0.tag+B0.tag" in found) == (system == "attardi")
        assert ("B0.left2.deprel" in found) == (system.startswith("arc-hybrid"))

    def test_covington(self) -> None:
        """FEATURES 5: section 2, w and p of i-1 and i+1, N0.h and N0.r1, and who has a head."""
        assert sizes(COVINGTON) == [12, 8, 6, 6, 6, 12, 16, 6, 4, 3, 3, 2]
        found = feature_set("covington", "covington", columns=())
        assert len(found) == 84
        assert set(feature_set("zhang-nivre", "covington", columns=())) < set(found)

    def test_easy_first_2010(self) -> None:
        """FEATURES 4: 84 of the released file and 18 of the paper's table."""
        assert sizes(EASY_FIRST_2010) == [10, 6, 6, 12, 18, 20, 20, 10]
        assert len(feature_set("easy-first-2010", "easy-first", columns=())) == 102

    def test_easy_first_2013(self) -> None:
        """FEATURES 4: 65 templates of section 2 use no head; two of the nine in context are among the triples."""
        own = {name: group for name, group in EASY_FIRST_2013.items() if name not in ZHANG_NIVRE}
        assert sizes(own) == [20, 20, 9, 4, 4]
        found = feature_set("easy-first-2013", "easy-first", columns=())
        assert not any("head" in template for template in found)
        assert len(found) == 72 - 7 + 57 - 2

    def test_groups_of_the_study(self) -> None:
        """FEATURE_STUDY 2, with what it says of their sizes. `btwset` is two and one for each word between."""
        counts = dict(zip(STUDY, sizes(STUDY), strict=True))
        wanted = {"s1": 15, "n3": 15, "kase": 14, "btwset": 3, "suf": 20, "low": 11, "ispan": 8, "xpos": 22}
        assert counts == wanted | {"feats": 21, "feats1": 16, "featp": 3, "lemma": 16, "affix": 14}

    def test_default(self) -> None:
        """FEATURE_STUDY 2: 158 templates for arc-eager, 22 more for XPOS, 21 for FEATS, and rich morphology; 14 of our
        own where there are no FEATS."""

        def size(*columns: str) -> int:
            return len(feature_set("default", "arc-eager", columns=columns))

        assert size() == size("lemma") == 158 + 14
        assert size("xpos") == 158 + 22 + 14
        assert size("feats", "xpos") == 158 + 22 + 21
        assert size("feats", "morphology") == 158 + 21 + 16 + 3
        assert size("feats", "morphology", "lemma") == 158 + 21 + 16 + 3 + 16

    @pytest.mark.parametrize("system", dynarc.systems())
    def test_default_contains_the_systems_own_set(self, system: str) -> None:
        own = {"arc-eager": "zhang-nivre", "covington": "covington", "easy-first": "easy-first-2013"}
        found = set(feature_set("default", system, columns=ALL_COLUMNS))
        assert all(any(f".{column}" in template for template in found) for column in ("xpos", "feats", "lemma"))
        base = set(feature_set(own.get(system, "stack"), system, columns=()))
        if system == "easy-first":
            assert base - found == {"F1.deprel"}  # a word of the list has no head yet
        else:
            assert base < found

    @pytest.mark.parametrize(("name", "system", "templates"), every_set(), ids=lambda value: str(value)[:20])
    def test_accepted_and_without_duplicates(self, name: str, system: str, templates: tuple[str, ...]) -> None:
        _core.check_templates(templates)
        meanings = [frozenset(template.split("+")) for template in templates]
        assert len(set(meanings)) == len(meanings)
        assert all(
            len(meaning) == template.count("+") + 1 for meaning, template in zip(meanings, templates, strict=True)
        )
        # The engine also takes them for the system, and they have values in its first configuration.
        words = Sentence(["a", "b"], upos=["X", "Y"])
        focus = 0 if system == "easy-first" else None
        assert len(feature_values(words, templates, dynarc.system(system), focus=focus)) == len(templates)


class TestResolve:
    def test_unknown_names(self) -> None:
        with pytest.raises(ConfigError, match="there is no feature set 'zhang'") as caught:
            feature_set("zhang", "arc-eager", columns=())
        assert caught.value.key == "features"
        assert caught.value.allowed == feature_sets()
        with pytest.raises(ConfigError, match="no file of that name"):
            resolve("zhang", "arc-eager")
        with pytest.raises(ConfigError, match="unknown transition system"):
            feature_set("default", "arc-lazy", columns=())
        with pytest.raises(ConfigError, match="'deps' is no column"):
            feature_set("default", "arc-eager", columns=("deps",))

    @pytest.mark.parametrize(
        ("name", "system"),
        [
            ("zhang-nivre", "easy-first"),
            ("stack", "arc-eager"),
            ("covington", "attardi"),
            ("easy-first-2010", "arc-hybrid"),
        ],
    )
    def test_sets_of_other_systems(self, name: str, system: str) -> None:
        with pytest.raises(ConfigError, match=f"'{name}' is not for {system}") as caught:
            feature_set(name, system, columns=())
        assert name not in caught.value.allowed
        assert "default" in caught.value.allowed

    def test_names_and_lists(self) -> None:
        assert resolve("zhang-nivre", "arc-eager") == feature_set("zhang-nivre", "arc-eager", columns=())
        assert resolve("default", "attardi", ["xpos"]) == feature_set("default", "attardi", columns=["xpos"])
        assert resolve(["S0.form", "B0.tag"], "arc-eager") == ("S0.form", "B0.tag")
        with pytest.raises(ConfigError, match="column 4: there is no attribute"):
            resolve(["S0.forn"], "arc-eager")
        with pytest.raises(ConfigError, match="at least one"):
            resolve([], "arc-eager")

    def test_files(self, tmp_path: Path) -> None:
        path = tmp_path / "mine.txt"
        path.write_text("# my own\n\nS0.form+B0.form   # the pair\n  B0.tag\r\n", encoding="utf-8")
        assert resolve(path, "arc-eager") == resolve(str(path), "arc-eager") == ("S0.form+B0.form", "B0.tag")

    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ("S0.form\nS0.tagg\n", ":2: feature template 'S0.tagg', column 4: there is no attribute"),
            ("S0.form\n#\nS0.form\n", ":3: feature template 'S0.form' stands in line 1 already"),
            ("# nothing\n", ": there is no feature template in it"),
        ],
    )
    def test_wrong_files(self, tmp_path: Path, text: str, why: str) -> None:
        path = tmp_path / "mine.txt"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            resolve(path, "arc-eager")
        assert str(caught.value).startswith(f"{path}{why}")

    def test_missing_file(self) -> None:
        with pytest.raises(dynarc.FileError, match="there is no such file"):
            resolve("there/is/none.txt", "arc-eager")

    def test_filled_columns(self) -> None:
        poor = Sentence(["a", "b"], xpos=["A", "B"], lemmas=["a", None], feats=["X=1", None])
        assert filled_columns([poor]) == {"xpos", "feats"}
        rich = Sentence(["a", "b"], lemmas=["a", "b"], feats=["X=1|Y=2|Z=3", "X=1"])
        assert filled_columns([rich, rich]) == {"lemma", "feats", "morphology"}
        assert filled_columns([]) == set()


LETTER = Sentence(["He", "wrote", "her", "a", "letter", "."], upos=["PRP", "VBD", "PRP", "DT", "NN", "."])
LETTER_STEPS = ("SHIFT", "LEFT(SBJ)", "SHIFT", "RIGHT(IOBJ)", "SHIFT", "LEFT(DET)")


def test_self_test_of_zhang_nivre() -> None:
    """FEATURES 2, "Self-test": every one of the 72 values, by the values of the atoms given there."""
    atoms = {  # what the notation says -> value
        "S0w": "her", "S0p": "PRP", "N0w": "letter", "N0p": "NN", "N1w": ".", "N1p": ".", "N2w": "<root>",
        "N2p": "<root>", "d": "2", "S0hw": "wrote", "S0hp": "VBD", "S0h2w": "NULL", "S0h2p": "NULL", "S0L": "IOBJ",
        "S0hL": "NULL", "S0vl": "0", "S0vr": "0", "S0sl": "", "S0sr": "", "N0l1w": "a", "N0l1p": "DT", "N0l1L": "DET",
        "N0vl": "1", "N0sl": "DET",
        **{f"{node}{attribute}": "NULL" for node in ("S0l1", "S0r1", "S0l2", "S0r2", "N0l2") for attribute in "wpL"},
    }  # fmt: skip
    templates = feature_set("zhang-nivre", "arc-eager", columns=())
    arc_eager = dynarc.system("arc-eager", root="last")
    found = feature_values(LETTER, templates, arc_eager, LETTER_STEPS)
    by_atom = {expand(notation): value for notation, value in atoms.items()}
    wanted = {template: [tuple(by_atom[atom] for atom in template.split("+"))] for template in templates}
    assert len(wanted) == 72
    assert found == wanted
    assert found[expand("S0w+N0w+d")] == [("her", "letter", "2")]
    assert found[expand("S0hp+S0p+N0p")] == [("VBD", "PRP", "NN")]


def values(
    notation: str,
    words: Sentence | int,
    system: str,
    steps: Iterable[str] = (),
    focus: int | None = None,
    **options: str,
) -> list[str]:
    """The values of single atoms, each by a template of its own. Words that are only counted are w1, w2 and so on."""
    if isinstance(words, int):
        numbers = range(1, words + 1)
        words = Sentence([f"w{i}" for i in numbers], upos=[f"t{i}" for i in numbers])
    places = PAIR if system == "easy-first" else features.STACK
    templates = [expand(atom, places) for atom in notation.split()]
    ts = dynarc.system(system, **options)  # type: ignore[arg-type]
    found = feature_values(words, templates, ts, steps, focus=focus)
    assert all(len(firings) == 1 for firings in found.values())
    return [",".join(firing) for firings in found.values() for firing in firings]


class TestAtoms:
    """FEATURES 1, atom by atom."""

    def test_missing_nodes_are_null_and_fire(self) -> None:
        missing = "S0w S0p S0L S0hw S0l1w S0vl S0vr S0sl S0sr S1w N3w S0m S0f S0s2 S0H S0n"
        assert values(missing, 2, "arc-eager") == ["NULL"] * 16
        assert values("S0w+N0w S0w+N0w+d", 2, "arc-eager") == ["NULL,w1", "NULL,w1,NA"]

    def test_root(self) -> None:
        """It has a form and a tag, no head, no features; distances from it are NA."""
        assert values("S0w S0p S0L S0hw d N0w", 2, "arc-eager", root="first") == [
            "<root>", "<root>", "NULL", "NULL", "NA", "w1",
        ]  # fmt: skip
        steps = ["SHIFT", "SHIFT"]
        assert values("N0w N0p d S0w N0l1w N1w", 2, "arc-eager", steps, root="last") == [
            "<root>", "<root>", "NA", "w2", "NULL", "NULL",
        ]  # fmt: skip

    @pytest.mark.parametrize(
        ("distance", "bucket"),
        [(1, "1"), (2, "2"), (3, "3"), (4, "4"), (5, "5"), (6, "6-10"), (10, "6-10"), (11, ">10"), (40, ">10")],
    )
    def test_distances(self, distance: int, bucket: str) -> None:
        steps = ["SHIFT"] * distance + ["NOARC"] * (distance - 1)
        assert values("d S0w N0w", 41, "covington", steps) == [bucket, "w1", f"w{distance + 1}"]

    def test_distance_is_that_of_the_words(self) -> None:
        """Not of places in the configuration: words in between may be gone."""
        assert values("d", 4, "arc-eager", ["SHIFT", "SHIFT", "LEFT(a)", "SHIFT", "LEFT(a)"]) == ["3"]

    @pytest.mark.parametrize(("dependents", "valency"), [(0, "0"), (1, "1"), (2, "2"), (3, "3"), (4, "3"), (6, "3")])
    def test_valency_and_its_cap(self, dependents: int, valency: str) -> None:
        right = ["SHIFT", *["RIGHT(a)", "REDUCE"] * dependents]
        assert values("S0vr S0vl N0vl", 9, "arc-eager", right) == [valency, "0", "0"]
        left = ["SHIFT"] * dependents + ["LEFT(a)"] * dependents
        assert values("N0vl N0vr", 9, "arc-eager", left) == [valency, "0"]

    def test_another_cap(self) -> None:
        steps = ["SHIFT", *["RIGHT(a)", "REDUCE"] * 5]
        words = Sentence([f"w{i}" for i in range(9)])
        found = feature_values(words, ["S0.valency_right"], dynarc.system("arc-eager"), steps, valency_cap=4)
        assert found == {"S0.valency_right": [("4",)]}

    def test_label_sets_have_neither_order_nor_multiplicity(self) -> None:
        def right(labels: str) -> list[str]:
            steps = ["SHIFT", *(step for label in labels for step in (f"RIGHT({label})", "REDUCE"))]
            return values("S0sr S0sl", 9, "arc-eager", steps)

        assert right("") == ["", ""]
        assert right("ba") == right("ab") == right("aabab") == ["a,b", ""]
        assert key_of_labels("ba") == key_of_labels("ab") == key_of_labels("abbaa")
        assert len({key_of_labels(labels) for labels in ("", "a", "b", "c", "ab", "ac", "bc", "abc")}) == 8

    def test_dependents_are_those_built_so_far(self) -> None:
        """Whatever the tree of the sentence is: word 4 has four left dependents in it, of which two are built."""
        gold = Sentence(["a", "b", "c", "d", "e"], heads=[4, 4, 4, 0, 4], deprels=["x", "x", "x", "root", "x"])
        steps = ["SHIFT", "SHIFT", "SHIFT"]
        atoms = "N0l1w N0l2w N0r1w N0r2w N0l1L N0vl S0hw S0L"
        assert values(atoms, gold, "arc-eager", steps) == ["NULL"] * 5 + ["0", "NULL", "NULL"]
        steps.append("LEFT(p)")
        assert values(atoms, gold, "arc-eager", steps) == ["c", *["NULL"] * 3, "p", "1", "NULL", "NULL"]
        steps.append("LEFT(q)")
        assert values(atoms, gold, "arc-eager", steps) == ["b", "c", "NULL", "NULL", "q", "2", "NULL", "NULL"]
        steps.append("LEFT(r)")
        assert values(atoms, gold, "arc-eager", steps) == ["a", "b", "NULL", "NULL", "r", "3", "NULL", "NULL"]

    def test_right_dependents_and_heads(self) -> None:
        steps = ["SHIFT", "RIGHT(p)", "REDUCE", "RIGHT(q)", "REDUCE", "RIGHT(r)"]
        assert values("S0w S0hw S0L S0h2w S0hL S1w S0hr1w S0hr2w S0hr2L", 5, "arc-eager", steps) == [
            "w4", "w1", "r", "NULL", "NULL", "w1", "w4", "w3", "q",
        ]  # fmt: skip
        steps = ["SHIFT", "RIGHT(p)", "RIGHT(q)"]
        assert values("S0h2w S0hL hd(S0,S1) hd(S1,S0)", 5, "arc-eager", steps) == ["w1", "p", "yes", "no"]

    def test_unlabelled(self) -> None:
        """FEATURES 2, note 9: labels and sets of labels are constant, and everything fires."""
        steps = [re.sub(r"\(.*\)", "", step) for step in LETTER_STEPS]
        assert values("S0L S0hL N0l1L N0sl S0sr S0hw", LETTER, "arc-eager", steps) == [
            "NULL", "NULL", "NULL", "", "", "wrote",
        ]  # fmt: skip

    def test_columns(self) -> None:
        words = Sentence(
            ["Houses", "go"], lemmas=["house", "go"], upos=["NOUN", "VERB"], xpos=["NNS", "VB"],
            feats=["Number=Plur", None],
        )  # fmt: skip
        atoms = "N0w N0c N0m N0p N0x N0f N0s1 N0s3 N1f N1s4"
        assert values(atoms, words, "arc-eager") == [
            "Houses", "houses", "house", "NOUN", "NNS", "Number=Plur", "s", "ses", "_", "go",
        ]  # fmt: skip
        found = feature_values(words, ["B0.tag", "B0.upos"], dynarc.system("arc-eager"), tag="xpos")
        assert found == {"B0.tag": [("NNS",)], "B0.upos": [("NOUN",)]}

    def test_many_values(self) -> None:
        """One firing for each value, and for each pair of values; none where there is no value."""
        words = Sentence(["a", "b", "c"], upos=["X", "Y", "Z"], feats=["A=1|B=2", "B=3", "A=1|B=3"])

        def firings(template: str, *steps: str) -> set[tuple[str, ...]]:
            found = feature_values(words, [template], dynarc.system("arc-eager"), steps)[template]
            assert len(set(found)) == len(found)
            return set(found)

        assert firings("B0.feature+B0.tag") == {("A=1", "X"), ("B=2", "X")}
        assert firings("S0.feature+B0.tag") == set()
        assert firings("S0.feature+B0.feature", "SHIFT") == {("A=1", "B=3"), ("B=2", "B=3")}
        assert firings("agree(S0,B0)+B0.tag", "SHIFT") == {("B:different", "Y")}
        gone = ("SHIFT", "SHIFT", "LEFT(a)")
        assert firings("agree(S0,B0)", *gone) == {("A:same",), ("B:different",)}
        assert firings("each_between(S0,B0)", *gone) == {("Y",)}
        assert firings("between(S0,B0)", *gone) == {("Y",)}
        assert firings("each_between(S0,B0)", "SHIFT") == set()
        assert firings("between(S0,B0)", "SHIFT") == {("",)}
        assert firings("between(S0,B0)") == {("NULL",)}

    def test_covington(self) -> None:
        """FEATURES 5: S0 is i and N0 is j, S1 is i-1, and the word after i may already have been passed."""
        steps = ["SHIFT", "SHIFT", "SHIFT", "RIGHT(a)", "NOARC"]
        assert values("S0w N0w S1w S0>w N0H S0H N0hw N0L d", 5, "covington", steps) == [
            "w1", "w4", "<root>", "w2", "yes", "no", "w3", "a", "3",
        ]  # fmt: skip
        assert values("S0w S1w N0w", 5, "covington", ["NOARC"]) == ["NULL", "NULL", "w1"]

    def test_illegal_transitions(self) -> None:
        with pytest.raises(IllegalTransition, match="after 1 transitions"):
            values("S0w", 2, "arc-eager", ["SHIFT", "REDUCE"])
        with pytest.raises(IllegalTransition, match="node 2 has no right neighbour"):
            values("F1w", 2, "easy-first", focus=2)
        with pytest.raises(ConfigError, match="for easy-first"):
            feature_values(LETTER, ["F1.form"], dynarc.system("arc-eager"))
        with pytest.raises(ConfigError, match="not about stack and buffer"):
            feature_values(LETTER, ["S0.form", "P1.form"], dynarc.system("easy-first"), focus=1)
        with pytest.raises(ConfigError, match="no column of tags"):
            feature_values(LETTER, ["S0.form"], dynarc.system("arc-eager"), tag="feats")


class TestEasyFirst:
    """FEATURES 4."""

    def test_window(self) -> None:
        """NULL outside, and ROOT only as one of the pair."""
        window = "P2w P1w F1w F2w N1w N2w"
        assert values(window, 7, "easy-first", focus=3) == ["w1", "w2", "w3", "w4", "w5", "w6"]
        assert values(window, 7, "easy-first", focus=1) == ["NULL", "NULL", "w1", "w2", "w3", "w4"]
        assert values(window, 3, "easy-first", focus=0) == ["NULL", "NULL", "<root>", "w1", "w2", "w3"]
        assert values(window, 3, "easy-first", focus=2) == ["NULL", "w1", "w2", "w3", "NULL", "NULL"]
        assert values(window, 5, "easy-first", ["LEFT@3(a)"], focus=1) == ["NULL", "NULL", "w1", "w3", "w4", "w5"]

    def test_gaps_leaves_and_spans(self) -> None:
        steps = ["LEFT@3(a)", "RIGHT@3(b)", "LEFT@5(c)"]  # 2 and 4 hang from 3, and 3 from 5
        atoms = "g(F1,F2) g(P1,F1) g(F2,N1) F1E F2E F1n F2n N1n"
        assert values(atoms, 6, "easy-first", steps, focus=1) == ["4", "NULL", "1", "yes", "no", "0", "3", "0"]
        assert values("g(F1,F2) F1n F1E", 6, "easy-first", steps, focus=0) == ["1", "0", "yes"]

    def test_spans_where_heads_come_before_dependents(self) -> None:
        steps = ["SHIFT", "RIGHT(a)", "RIGHT(b)", "RIGHT(c)"]
        assert values("S0hn S0h2n S0hhhn S0n", 5, "arc-eager", steps) == ["1", "2", "3", "0"]

    @pytest.mark.parametrize("ud", [False, True])
    def test_refined_tags(self, ud: bool) -> None:
        """Prepositions and coordinators with their form, infinitives as such, coordinators with what they join."""
        penn = ["DT", "NN", "CC", "DT", "NN", "IN", "TO", "VB"]
        universal = ["DET", "NOUN", "CCONJ", "DET", "NOUN", "ADP", "PART", "VERB"]
        tags = universal if ud else penn
        det, noun, cc, _, _, adp, to, verb = tags
        words = Sentence(["a", "cat", "and", "a", "dog", "of", "to", "go"], upos=tags)

        def at(focus: int, *steps: str) -> list[str]:
            return values("P2T P1T F1T F2T N1T N2T", words, "easy-first", steps, focus)

        assert at(3) == [det, noun, f"{cc}/and/NULL/NULL", det, noun, f"{adp}/of"]
        assert at(5) == [f"{cc}/and", det, noun, f"{adp}/of", to, verb]
        assert at(6, "LEFT@8(x)")[:4] == [det, noun, f"{adp}/of", f"{verb}_TO"]
        joined = ("LEFT@2(x)", "LEFT@5(x)", "LEFT@3(x)", "RIGHT@3(x)")
        assert at(3, *joined) == ["NULL", "NULL", f"{cc}/and/{noun}/{noun}", f"{adp}/of", to, verb]
        # At the rim, the form alone: whatever hangs from the word.
        assert at(7, *joined)[:2] == [f"{cc}/and", f"{adp}/of"]

    def test_templates_of_adpositions(self) -> None:
        words = Sentence(["cat", "of", "mine"], upos=["NN", "IN", "PRP"])
        templates = ["F1.form+F2.adposition+F2.right1.tag", "F1.adposition+F2.form"]
        ts = dynarc.system("easy-first")
        assert list(feature_values(words, templates, ts, focus=1).values()) == [[("cat", "of", "NULL")], []]
        assert list(feature_values(words, templates, ts, focus=2).values()) == [[], [("of", "mine")]]
        found = feature_values(words, templates, ts, ["RIGHT@2(x)"], focus=1)
        assert list(found.values()) == [[("cat", "of", "PRP")], []]


def keys_of(
    templates: Sequence[str], words: Sentence | int, system: str, steps: Iterable[str], focus: int | None = None
) -> list[int]:
    if isinstance(words, int):
        words = Sentence([f"w{i}" for i in range(1, words + 1)])
    spec, labels, given = features._described(templates, dynarc.system(system), steps, "upos", 3, None)
    origin, index = words.origin
    return _core.feature_keys(spec, origin.document, index, labels, given, -1 if focus is None else focus)


def key_of_labels(labels: str) -> int:
    """Of the set of right labels of word 5, after the labels a, b and c have been given in this order to words 1-3."""
    steps = ["SHIFT", "LEFT(a)", "SHIFT", "LEFT(b)", "SHIFT", "LEFT(c)", "SHIFT", "SHIFT"]
    steps += [step for label in labels for step in (f"RIGHT({label})", "REDUCE")]
    assert values("S0w", 12, "arc-eager", steps) == ["w5"]
    return keys_of(["S0.labels_right"], 12, "arc-eager", steps)[0]


MANY = re.compile(r"\.feature\b|\.adposition|each_between|agree")


@pytest.mark.parametrize("system", dynarc.systems())
@given(words=st.lists(st.sampled_from(("in", "and", "cat", "dog", "go")), min_size=2, max_size=6), seed=seeds())
@stable(25)
def test_keys_are_equal_where_values_are(system: str, words: list[str], seed: int) -> None:
    """Over all configurations of random derivations: template by template, equal keys for equal values and for no
    others. Words are repeated, so that different places often have the same values."""
    tags = {"in": "ADP", "and": "CCONJ", "cat": "NOUN", "dog": "NOUN", "go": "VERB"}
    feats = {"cat": "Case=Nom|Number=Sing", "dog": "Case=Acc|Number=Sing", "go": "Number=Plur"}
    sentence = Sentence(words, upos=[tags[w] for w in words], lemmas=words, feats=[feats.get(w) for w in words])
    templates = feature_set("default", system, columns=ALL_COLUMNS)
    once = [template for template in templates if not MANY.search(template)]
    often = [template for template in templates if MANY.search(template)]
    ts = dynarc.system(system)
    # Labels are numbered in the order of their first use: the beginnings of one walk agree on their numbers.
    key_of: dict[tuple[str, tuple[str, ...]], int] = {}
    last: list[str] = []
    for state in random_walk(ts.initial(words), seed):
        last = [str(t) for t in state.history]
    for length in range(len(last) + 1):
        steps = last[:length]
        focuses: Sequence[int | None] = [None]
        if system == "easy-first":
            focuses = _listed(ts, words, steps)[:-1]
        for focus in focuses:
            values_now = feature_values(sentence, templates, ts, steps, focus=focus)
            keys = keys_of(templates, sentence, system, steps, focus)
            position = len(once)
            for template, key in zip(once, keys, strict=False):
                (firing,) = values_now[template]
                assert key_of.setdefault((template, firing), key) == key
            for template in often:
                firings = values_now[template]
                some = keys[position : position + len(firings)]
                position += len(firings)
                for firing, key in zip(firings, some, strict=True):
                    assert key_of.setdefault((template, firing), key) == key
            assert position == len(keys)
    assert len(set(key_of.values())) == len(key_of)


def _listed(ts: dynarc.System, words: list[str], steps: Sequence[str]) -> list[int]:
    state = ts.initial(words)
    for step in steps:
        state.apply(step)
    return state.stack


def test_keys_of_many_values_follow_the_others() -> None:
    """What the test above relies on; and a template without values has no key."""
    words = Sentence(["a", "b"], feats=["A=1|B=2", None])
    templates = ["B0.feature", "B0.form", "B1.feature"]
    keys = keys_of(templates, words, "arc-eager", [])
    assert len(keys) == 3
    assert keys[0] == keys_of(["B0.lemma", "B0.form"], words, "arc-eager", [])[1]
