"""Systems and states: the stepping part of the public contract (DESIGN 3), line by line, and what it refuses."""

from dataclasses import dataclass
from typing import Any

import pytest

import dynarc
from dynarc import ConfigError, DynarcError, IllegalTransition, State, System, Transition, Tree, TreeError
from dynarc.verify import every_system

NAMES = ("arc-eager", "arc-hybrid", "arc-standard", "easy-first", "attardi", "covington", "arc-hybrid-swap")


def system(name: str, **options: Any) -> System:
    return dynarc.system(name, **options)


@dataclass(frozen=True)
class Layout:
    """How a system starts and ends, for three words."""

    name: str
    options: dict[str, Any]
    stack: list[int]
    buffer: list[int]
    legal: list[str]
    last_stack: list[int]
    last_buffer: list[int]

    def __str__(self) -> str:
        return system(self.name, **self.options).describe()


FIRST, LAST = {"root": "first"}, {"root": "last"}
LAYOUTS = [  # ORACLES 1.1, 2-7
    Layout("arc-eager", LAST, [], [1, 2, 3, 0], ["SHIFT"], [], [0]),
    Layout("arc-eager", FIRST, [0], [1, 2, 3], ["SHIFT", "RIGHT"], [0, 2, 3], []),
    Layout("arc-hybrid", LAST, [], [1, 2, 3, 0], ["SHIFT"], [], [0]),
    Layout("arc-hybrid", FIRST, [], [0, 1, 2, 3], ["SHIFT"], [0], []),
    Layout("arc-standard", FIRST, [], [0, 1, 2, 3], ["SHIFT"], [0], []),
    Layout("arc-standard", LAST, [], [1, 2, 3, 0], ["SHIFT"], [0], []),
    Layout("attardi", FIRST, [], [0, 1, 2, 3], ["SHIFT"], [0], []),
    Layout("attardi", LAST, [], [1, 2, 3, 0], ["SHIFT"], [0], []),
    Layout(
        "easy-first",
        {},
        [0, 1, 2, 3],
        [],
        ["RIGHT@0", "RIGHT@1", "LEFT@2", "RIGHT@2", "LEFT@3"],
        [0],
        [],
    ),
    Layout("covington", {}, [0], [1, 2, 3], ["SHIFT", "NOARC", "RIGHT"], [0, 1, 2, 3], []),
    Layout("arc-hybrid-swap", {}, [], [1, 2, 3, 0], ["SHIFT"], [], [0]),
]


class TestNamesAndDefaults:
    def test_names(self) -> None:
        assert dynarc.systems() == NAMES

    @pytest.mark.parametrize("name", NAMES)
    def test_each_name_gives_its_system(self, name: str) -> None:
        ts = system(name)
        assert isinstance(ts, System)
        assert (ts.name, ts.headless, ts.single_root, ts.labels) == (name, "forest", False, None)

    @pytest.mark.parametrize(
        ("name", "root"),
        [
            ("arc-eager", "last"),
            ("arc-hybrid", "last"),
            ("arc-hybrid-swap", "last"),
            ("arc-standard", "first"),
            ("attardi", "first"),
            ("easy-first", "first"),
            ("covington", "first"),
        ],
    )
    def test_where_root_stands_by_default(self, name: str, root: str) -> None:
        assert system(name).root == root

    @pytest.mark.parametrize("name", NAMES)
    def test_which_derive_projective_trees_only(self, name: str) -> None:
        assert system(name).projective == (name not in ("attardi", "covington", "arc-hybrid-swap"))

    @pytest.mark.parametrize(
        ("name", "moves"),
        [
            ("arc-eager", "SHIFT LEFT RIGHT REDUCE"),
            ("arc-hybrid", "SHIFT LEFT RIGHT"),
            ("arc-standard", "SHIFT LEFT RIGHT"),
            ("easy-first", "LEFT RIGHT"),
            ("attardi", "SHIFT LEFT RIGHT LEFT2 RIGHT2"),
            ("covington", "SHIFT NOARC LEFT RIGHT"),
            ("arc-hybrid-swap", "SHIFT LEFT RIGHT SWAP"),
        ],
    )
    def test_moves(self, name: str, moves: str) -> None:
        assert system(name).moves == tuple(moves.split())

    def test_description(self) -> None:
        assert system("arc-eager").describe() == "arc-eager root=last"
        assert repr(system("attardi", single_root=True)) == "System(attardi root=first single root)"
        assert system("arc-eager", root="first", headless="attach").describe() == (
            "arc-eager root=first headless=attach"
        )


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
class TestLayouts:
    def test_start(self, layout: Layout) -> None:
        """Start configurations exactly as in ORACLES.md."""
        state = system(layout.name, **layout.options).initial(3)
        assert (state.stack, state.buffer) == (layout.stack, layout.buffer)
        assert (state.heads, state.labels, state.history) == ([None] * 3, [None] * 3, [])
        assert not state.is_final
        assert [str(t) for t in state.legal()] == layout.legal

    def test_end(self, layout: Layout) -> None:
        """The end of the derivation of 1<-2, 2<-0, 3<-2: nothing is legal, nothing can be applied."""
        ts = system(layout.name, **layout.options)
        tree = Tree([2, 0, 2])
        state = ts.initial(3)
        for t in ts.derivation(tree):
            assert not state.is_final
            assert state.is_legal(t)
            assert t in state.legal()
            state.apply(t)
        assert state.is_final
        assert (state.stack, state.buffer) == (layout.last_stack, layout.last_buffer)
        assert tuple(state.heads) == tuple(state.output) == tree.heads
        assert state.history == ts.derivation(tree)
        assert state.legal() == []
        with pytest.raises(IllegalTransition, match="the state is final"):
            state.apply(ts.derivation(tree)[-1])

    def test_forms_are_shown(self, layout: Layout) -> None:
        state = system(layout.name, **layout.options).initial(["eat", "it", "up"])
        assert "eat it up" in repr(state)
        assert state.forms == ("eat", "it", "up")


class TestState:
    def test_repr_as_in_a_trace(self) -> None:
        """STYLE 6: the same text in traces, docs and tests."""
        ts = system("arc-eager", root="first")
        state = ts.initial(["eat", "quickly", "."])
        state.apply("RIGHT")
        assert repr(state) == "[ROOT eat] [quickly .]"
        assert repr(ts.initial(2)) == "[ROOT] [1 2]"
        assert repr(system("easy-first").initial(["a", "b"])) == "[ROOT a b]"

    def test_repr_of_covington_shows_what_was_passed(self) -> None:
        state = system("covington").initial(["a", "b", "c"])
        for t in ("SHIFT", "SHIFT", "NOARC"):
            state.apply(t)
        assert (state.i, state.j) == (1, 3)
        assert repr(state) == "[ROOT a] (b) [c]"

    def test_i_and_j_are_covingtons(self) -> None:
        assert (system("covington").initial(2).i, system("covington").initial(2).j) == (0, 1)
        assert (system("arc-eager").initial(2).i, system("arc-eager").initial(2).j) == (None, None)

    def test_labels_and_history(self) -> None:
        state = system("arc-eager").initial(2)
        state.apply(Transition("SHIFT"))
        state.apply("LEFT(nsubj)")
        assert state.heads == [2, None]
        assert state.labels == ["nsubj", None]
        assert state.history == [Transition("SHIFT"), Transition("LEFT", "nsubj")]
        state.undo()
        assert state.labels == [None, None]

    def test_arc(self) -> None:
        state = system("arc-hybrid").state([1, 2], [3, 0], [None] * 3)
        assert state.arc("LEFT") == (3, 2)
        assert state.arc("RIGHT") == (1, 2)
        assert state.arc("SHIFT") is None
        with pytest.raises(IllegalTransition):
            state.arc("REDUCE")

    def test_easy_first_moves_name_the_head(self) -> None:
        """DESIGN 3: LEFT@3 attaches 3's left neighbour to 3, RIGHT@3 its right neighbour; 0 is ROOT."""
        state = system("easy-first").state([0, 1, 3, 4], heads=[None, 1, None, None])
        assert state.arc("LEFT@3") == (3, 1)
        assert state.arc("RIGHT@3") == (3, 4)
        assert state.arc("RIGHT@0") == (0, 1)
        for illegal in ("LEFT@0", "LEFT@1", "RIGHT@4", "LEFT@2", "RIGHT@9", "LEFT"):
            assert not state.is_legal(illegal)

    def test_equality_is_of_configurations(self) -> None:
        """However they were reached; `identical` asks for the way too."""
        ts = system("arc-eager", root="first")
        one, other = ts.initial(2), ts.initial(2)
        for t in ("RIGHT", "RIGHT"):
            one.apply(t)
        other.apply("RIGHT")
        assert one != other
        other.apply("RIGHT")
        assert one == other
        assert one.identical(other)
        by_hand = ts.state([0, 1, 2], [], [0, 1])
        assert by_hand == one
        assert by_hand.key() == one.key()
        assert not by_hand.identical(one)
        assert one != "another thing"
        assert one != system("arc-eager", root="first", labels=["obj"]).state([0, 1, 2], [], [0, 1])

    def test_the_same_options_are_the_same_system(self) -> None:
        """States and oracles of two calls of `system` go together."""
        assert system("arc-eager") is system("arc-eager", root="last")
        oracle = system("arc-hybrid").oracle("dynamic").bind(Tree([0]))
        assert oracle.loss(system("arc-hybrid").initial(1)) == 0

    def test_states_are_not_hashable(self) -> None:
        with pytest.raises(TypeError, match="unhashable"):
            hash(system("arc-eager").initial(1))

    def test_headless_words_in_the_output(self) -> None:
        """ORACLES 1.3 and 6: they stay headless or become children of ROOT, as the option says."""
        for name, options in (("arc-eager", {"root": "first"}), ("covington", {})):
            for headless, output in (("forest", [None]), ("attach", [0])):
                state = system(name, headless=headless, **options).initial(1)
                state.apply("SHIFT")
                assert state.is_final
                assert state.heads == [None]
                assert state.output == output

    def test_headless_words_go_to_the_one_root_of_covington(self) -> None:
        """FEATURES 8.1: to the root word, or the first headless word becomes the root."""
        ts = system("covington", single_root=True)
        assert ts.state(i=3, j=4, heads=[None, None, None]).output == [0, 1, 1]
        assert ts.state(i=3, j=4, heads=[None, 0, None]).output == [2, 0, 2]


@dataclass(frozen=True)
class OneRoot:
    """A single-root rule of FEATURES 8.1 at work: what is legal with it and without."""

    name: str
    root: str
    stack: list[int]
    buffer: list[int]
    heads: list[int | None]
    without: str
    forbidden: str

    def __str__(self) -> str:
        return f"{self.name} {self.root} {self.stack} {self.buffer}"


ONE_ROOT = [
    OneRoot("arc-eager", "last", [1], [2, 0], [None, None], "SHIFT LEFT RIGHT", "SHIFT"),
    OneRoot("arc-eager", "last", [1, 2], [3, 0], [None] * 3, "SHIFT LEFT RIGHT", "SHIFT RIGHT"),
    OneRoot("arc-hybrid", "last", [1, 2], [0], [None, None], "LEFT RIGHT", "LEFT"),
    OneRoot("arc-hybrid", "last", [1], [0], [None], "LEFT", ""),
    OneRoot("arc-hybrid", "first", [0, 1], [2], [None, None], "SHIFT LEFT RIGHT", "RIGHT"),
    OneRoot("arc-hybrid", "first", [0, 1], [], [None], "RIGHT", ""),
    OneRoot("easy-first", "first", [0, 1, 2], [], [None, None], "RIGHT@0 RIGHT@1 LEFT@2", "RIGHT@0"),
    OneRoot("easy-first", "first", [0, 2], [], [2, None], "RIGHT@0", ""),
    OneRoot("arc-standard", "first", [0, 1], [2], [None, None], "SHIFT RIGHT", "RIGHT"),
    OneRoot("arc-standard", "last", [1, 2], [0], [None, None], "SHIFT LEFT RIGHT", "SHIFT"),
    OneRoot("attardi", "first", [0, 1], [2], [None, None], "SHIFT RIGHT", "RIGHT"),
    OneRoot("attardi", "first", [0, 1, 2], [], [None, None], "LEFT RIGHT RIGHT2", "RIGHT2"),
    OneRoot("attardi", "last", [1, 2], [0], [None, None], "SHIFT LEFT RIGHT", "SHIFT"),
    OneRoot("arc-hybrid-swap", "last", [1, 2], [0], [None, None], "LEFT RIGHT", "LEFT"),
]


@pytest.mark.parametrize("rule", ONE_ROOT, ids=str)
def test_one_root_rules(rule: OneRoot) -> None:
    def legal(*, single_root: bool) -> list[str]:
        ts = system(rule.name, root=rule.root, single_root=single_root)
        return [str(t) for t in ts.state(rule.stack, rule.buffer, rule.heads).legal()]

    assert legal(single_root=False) == rule.without.split()
    assert legal(single_root=True) == [t for t in rule.without.split() if t not in rule.forbidden.split()]


def test_one_root_of_covington() -> None:
    """FEATURES 8.1: RIGHT from ROOT only if no word has head ROOT."""
    for heads, allowed in (([None, None], True), ([0, None], False)):
        state = system("covington", single_root=True).state(i=0, j=2, heads=heads)
        assert state.is_legal("RIGHT") == allowed


class TestLabels:
    ts = system("arc-hybrid", labels=["nsubj", "obj", "nsubj"])

    def state(self) -> State:
        return self.ts.state([1, 2], [3, 0], [None] * 3)

    def test_inventory(self) -> None:
        assert self.ts.labels == ("nsubj", "obj")

    def test_every_label_is_listed(self) -> None:
        assert [str(t) for t in self.state().legal()] == [
            "SHIFT",
            "LEFT(nsubj)",
            "LEFT(obj)",
            "RIGHT(nsubj)",
            "RIGHT(obj)",
        ]

    def test_other_labels_are_refused(self) -> None:
        state = self.state()
        assert not state.is_legal("LEFT(det)")
        with pytest.raises(IllegalTransition, match="labels are nsubj, obj"):
            state.apply("LEFT(det)")
        with pytest.raises(TreeError, match="word 1 has label 'det', which is not among the system's labels"):
            self.ts.state([1], [2, 0], [None, None], ["det", None])
        with pytest.raises(TreeError, match="word 2 has label 'det'"):
            self.ts.oracle("dynamic").bind(Tree([2, 0], ["obj", "det"]))

    def test_moves_without_an_arc_take_no_label(self) -> None:
        for ts in (self.ts, system("arc-hybrid")):
            state = ts.initial(2)
            assert not state.is_legal("SHIFT(nsubj)")
            with pytest.raises(IllegalTransition, match="SHIFT builds no arc, so it takes no label"):
                state.apply("SHIFT(nsubj)")
            assert state.history == []

    def test_without_an_inventory_any_label_goes(self) -> None:
        ts = system("arc-hybrid")
        state = ts.initial(2)
        state.apply("SHIFT")
        assert [str(t) for t in state.legal()] == ["SHIFT", "LEFT"]
        state.apply("LEFT(whatever: it is)")
        assert state.labels == ["whatever: it is", None]

    def test_one_string_is_not_a_list_of_labels(self) -> None:
        with pytest.raises(ConfigError, match="not one string") as refused:
            system("arc-eager", labels="nsubj")
        assert refused.value.key == "labels"


class TestOptionsThatDoNotExist:
    @pytest.mark.parametrize("name", ["arc-lazy", "", "Arc-Eager", "arc_eager"])
    def test_unknown_system(self, name: str) -> None:
        with pytest.raises(ConfigError, match="unknown transition system") as refused:
            system(name)
        assert refused.value.key == "system"
        assert refused.value.allowed == NAMES
        assert all(valid in str(refused.value) for valid in NAMES)

    @pytest.mark.parametrize(
        ("options", "key", "allowed"),
        [
            ({"root": "middle"}, "root", ("first", "last")),
            ({"headless": "guess"}, "headless", ("forest", "attach")),
            ({"single_root": "auto"}, "single_root", ("True", "False")),
            ({"single_root": 1}, "single_root", ("True", "False")),
        ],
    )
    def test_unknown_value(self, options: dict[str, Any], key: str, allowed: tuple[str, ...]) -> None:
        with pytest.raises(ConfigError) as refused:
            system("arc-eager", **options)
        assert (refused.value.key, refused.value.allowed) == (key, allowed)
        assert ", ".join(allowed) in str(refused.value)

    @pytest.mark.parametrize(
        ("name", "options", "why"),
        [
            ("arc-eager", {"root": "first", "single_root": True}, 'use root="last"'),
            ("arc-eager", {"headless": "attach"}, 'needs root="first"'),
            ("arc-hybrid", {"headless": "attach"}, "leaves no word headless"),
            ("arc-standard", {"headless": "attach"}, "leaves no word headless"),
            ("attardi", {"headless": "attach"}, "leaves no word headless"),
            ("easy-first", {"headless": "attach"}, "leaves no word headless"),
            ("arc-hybrid-swap", {"headless": "attach"}, "leaves no word headless"),
            ("easy-first", {"root": "last"}, "keeps ROOT first"),
            ("covington", {"root": "last"}, "keeps ROOT first"),
            ("arc-hybrid-swap", {"root": "first"}, "keeps ROOT last"),
            ("covington", {"single_root": True, "headless": "attach"}, "does not go with single_root=True"),
        ],
    )
    def test_options_that_do_not_go_together(self, name: str, options: dict[str, Any], why: str) -> None:
        """DESIGN 3; FEATURES 8.1 for arc-eager with ROOT first."""
        with pytest.raises(ConfigError, match=why):
            system(name, **options)


class TestBadInput:
    @pytest.mark.parametrize("words", [0, -3, []])
    def test_sentences_without_words(self, words: Any) -> None:
        for name in NAMES:
            with pytest.raises(TreeError, match="at least one word"):
                system(name).initial(words)

    def test_one_string_is_not_a_sentence(self) -> None:
        with pytest.raises(TreeError, match="the number of words or a list of forms, not 'They ate pizza'"):
            system("arc-eager").initial("They ate pizza")
        with pytest.raises(TreeError, match=r"not 2\.5"):
            system("arc-eager").initial(2.5)  # type: ignore[arg-type]
        with pytest.raises(IllegalTransition, match="neither a Transition nor"):
            system("arc-eager").initial(2).apply(3)  # type: ignore[arg-type]

    @pytest.mark.parametrize("ts", list(every_system()), ids=System.describe)
    def test_nothing_to_undo(self, ts: System) -> None:
        with pytest.raises(IllegalTransition, match="nothing to undo"):
            ts.initial(2).undo()

    def test_an_illegal_transition_names_the_legal_ones(self) -> None:
        state = system("arc-eager").initial(3)
        state.apply("SHIFT")
        with pytest.raises(IllegalTransition, match="REDUCE is not legal here: legal are SHIFT, LEFT, RIGHT"):
            state.apply("REDUCE")
        with pytest.raises(IllegalTransition, match="LEFT@1 is not legal here"):
            state.apply("LEFT@1")

    @pytest.mark.parametrize("text", ["", "left", "LEFT(", "LEFT()", "LEFT@", "LEFT@x", "LEFT nsubj"])
    def test_text_that_is_no_transition(self, text: str) -> None:
        state = system("arc-eager").initial(1)
        for use in (state.apply, state.is_legal, state.arc):
            with pytest.raises(IllegalTransition, match="is not a transition; write SHIFT"):
                use(text)


N2: list[int | None] = [None, None]
N3: list[int | None] = [None, None, None]
Named = tuple[str, dict[str, Any]]
HYBRID_FIRST: Named = ("arc-hybrid", {"root": "first"})
SWAP: Named = ("arc-hybrid-swap", {})
COVINGTON: Named = ("covington", {})

INCONSISTENT: list[tuple[Named, dict[str, Any], str]] = [
    # What every stack system shares.
    (("arc-eager", {}), {"stack": [1], "buffer": [1, 2, 0], "heads": N2}, "word 1 stands twice"),
    (("arc-eager", {}), {"stack": [0], "buffer": [1, 2, 0], "heads": N2}, "ROOT (0) stands twice"),
    (("arc-eager", {}), {"stack": [3], "buffer": [0], "heads": N2}, "3 is not a node: nodes are 0 (ROOT) to 2"),
    (("arc-eager", {}), {"stack": [-1], "buffer": [0], "heads": N2}, "-1 is not a node"),
    (("arc-eager", {}), {"stack": ["1"], "buffer": [0], "heads": N2}, "'1' is not a node"),
    (("arc-eager", {}), {"stack": [1], "buffer": [0], "heads": N2}, "word 2 is neither on the stack nor in"),
    (("arc-eager", {}), {"stack": [1], "buffer": [2, 0], "heads": [None, 1]}, "word 2 is in the buffer, but has"),
    (("arc-eager", {}), {"stack": [1], "buffer": [0, 2], "heads": N2}, "the buffer must be the rest of the sentence"),
    (("arc-eager", {}), {"stack": [2, 1], "buffer": [3, 0], "heads": N3}, "the stack must be in sentence order"),
    (("arc-eager", {}), {"stack": [1, 2], "buffer": [], "heads": N2}, "ROOT (0)"),
    (("arc-eager", {}), {"stack": [1], "buffer": [2, 0], "heads": [2, 1]}, "the heads form a cycle"),
    (("arc-eager", {}), {"stack": [1], "buffer": [2, 0], "heads": [1, None]}, "word 1 is its own head"),
    (("arc-eager", {}), {"stack": [1], "buffer": [2, 0], "heads": [7, None]}, "word 1 has head 7"),
    (("arc-eager", {}), {"stack": [], "buffer": [0], "heads": []}, "at least one word"),
    (("arc-eager", {}), {"stack": [1], "buffer": [2, 0], "heads": N2, "labels": ["a"]}, "2 heads but 1 labels"),
    (("arc-eager", {}), {"stack": [1], "buffer": [2, 0], "heads": N2, "forms": ["a"]}, "2 heads but 1 forms"),
    (("arc-eager", {}), {"heads": N2}, "a state of arc-eager needs its stack and buffer"),
    (("arc-eager", {}), {"stack": [1], "heads": N2}, "a state of arc-eager needs its stack and buffer"),
    (("arc-eager", {}), {"i": 1, "j": 2, "heads": N2}, "i and j are for covington"),
    # Each system's own.
    (("arc-eager", {}), {"stack": [1], "buffer": [2, 0], "heads": [0, None]}, "can only hang from the node just below"),
    (
        ("arc-eager", {"root": "first"}),
        {"stack": [0, 1, 2, 3], "buffer": [], "heads": [0, None, 1]},
        "word 3 is on the stack with head 1",
    ),
    (("arc-eager", {"root": "first"}), {"stack": [1], "buffer": [2], "heads": N2}, "ROOT (0)"),
    (HYBRID_FIRST, {"stack": [1], "buffer": [2], "heads": N2}, "ROOT (0) is neither on the stack nor in the buffer"),
    (HYBRID_FIRST, {"stack": [0, 1], "buffer": [2], "heads": [0, None]}, "word 1 has a head but is still on the stack"),
    (("arc-hybrid", {}), {"stack": [1, 2, 0], "buffer": [], "heads": N2}, "ROOT (0) must stand last in the buffer"),
    (("arc-standard", {}), {"stack": [0, 1], "buffer": [2], "heads": [2, None]}, "word 1 has a head but is still on"),
    (("attardi", {}), {"stack": [0, 1], "buffer": [2], "heads": [2, None]}, "word 1 has a head but is still on"),
    (("attardi", {}), {"stack": [1, 0], "buffer": [2], "heads": N2}, "the stack must be in sentence order"),
    (("attardi", {"root": "last"}), {"stack": [0, 1, 2], "buffer": [], "heads": N2}, "the stack must be in sentence"),
    (SWAP, {"stack": [1, 2], "buffer": [], "heads": N2}, "ROOT (0) must stand last in the buffer"),
    (SWAP, {"stack": [1], "buffer": [0, 2], "heads": N2}, "ROOT (0) must stand last in the buffer"),
    (SWAP, {"stack": [1], "buffer": [2, 0], "heads": [2, None]}, "word 1 has a head but is still on the stack"),
    (("easy-first", {}), {"stack": [0, 1], "buffer": [2], "heads": N2}, "easy-first has no buffer"),
    (("easy-first", {}), {"stack": [1, 2], "heads": N2}, "the list must start with ROOT (0)"),
    (("easy-first", {}), {"stack": [], "heads": [2, 0]}, "the list must start with ROOT (0)"),
    (("easy-first", {}), {"stack": [0, 2, 1], "heads": N2}, "in sentence order; found 1"),
    (("easy-first", {}), {"stack": [0, 1, 2], "heads": [2, None]}, "word 1 has a head but is still in the list"),
    (("easy-first", {}), {"stack": [0, 2], "heads": N2}, "word 1 is not in the list, but has no head"),
    (COVINGTON, {"stack": [0], "buffer": [1, 2], "heads": N2}, "given by i=, j= and heads="),
    (COVINGTON, {"i": 0, "heads": N2}, "given by i=, j= and heads="),
    (COVINGTON, {"i": 0, "j": 4, "heads": N2}, "j must be 1 to 3, not 4"),
    (COVINGTON, {"i": 0, "j": 0, "heads": N2}, "j must be 1 to 3, not 0"),
    (COVINGTON, {"i": 1, "j": 1, "heads": N2}, "i must be -1 to j-1 = 0, not 1"),
    (COVINGTON, {"i": -2, "j": 1, "heads": N2}, "i must be -1 to j-1 = 0, not -2"),
    (COVINGTON, {"i": 0, "j": 1, "heads": [2, None]}, "arc 2 -> 1 cannot be there yet"),
    (COVINGTON, {"i": 1, "j": 2, "heads": [2, None]}, "arc 2 -> 1 cannot be there yet"),
    (("covington", {"single_root": True}), {"i": 2, "j": 3, "heads": [0, 0]}, "ROOT has 2 children"),
]


@pytest.mark.parametrize(("ts", "given", "why"), INCONSISTENT, ids=[why for _, _, why in INCONSISTENT])
def test_inconsistent_configurations(ts: Named, given: dict[str, Any], why: str) -> None:
    """DESIGN 3: `ts.state` takes any configuration, checked for consistency."""
    name, options = ts
    with pytest.raises(TreeError) as refused:
        system(name, **options).state(**given)
    assert why in str(refused.value)
    assert "\n" not in str(refused.value)
    assert isinstance(refused.value, DynarcError)


def test_consistent_configurations() -> None:
    """The ones that the documents write down, and odd but possible ones."""
    assert repr(system("arc-eager").state(stack=[1], buffer=[2, 3, 0], heads=N3)) == "[1] [2 3 ROOT]"
    system("arc-eager", root="first").state([0, 2, 3], [4, 5, 6], [2, 0, None, None, None, None])
    system("arc-hybrid-swap").state([3], [2, 1, 0], N3)
    labelled = system("arc-standard").state([0, 2], [], [2, None], ["det", None], forms=["the", "end"])
    assert labelled.labels == ["det", None]
    assert repr(labelled) == "[ROOT end] []"
