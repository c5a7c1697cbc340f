"""Oracles: kinds, options, what they say of themselves, where they are undefined, and what they refuse."""

import math
from typing import Any

import pytest

import dynarc
from dynarc import (
    ConfigError,
    IllegalTransition,
    NonProjectiveError,
    OracleError,
    State,
    System,
    Transition,
    Tree,
    TreeError,
)
from dynarc.oracles import BoundOracle, OracleFactory
from dynarc.verify import every_system

EAGER = dynarc.system("arc-eager")
HYBRID = dynarc.system("arc-hybrid")
STANDARD = dynarc.system("arc-standard")
ATTARDI = dynarc.system("attardi")
EASY = dynarc.system("easy-first")
COVINGTON = dynarc.system("covington")
SWAP = dynarc.system("arc-hybrid-swap")

GOLD = Tree([2, 0, 2], ["nsubj", "root", "obj"])
CROSSING = Tree([3, 4, 0, 3], sent_id="s7")  # 4->2 covers 3, which hangs from ROOT


def after(ts: System, *moves: str, words: int = 3) -> State:
    state = ts.initial(words)
    for move in moves:
        state.apply(move)
    return state


def written(transitions: list[Transition]) -> list[str]:
    return [str(t) for t in transitions]


class TestDynamic:
    """DESIGN 3: costs, cost, loss and optimal."""

    oracle = EAGER.oracle("dynamic").bind(GOLD)

    def test_costs_are_of_every_legal_transition(self) -> None:
        state = after(EAGER, "SHIFT")
        costs = self.oracle.costs(state)
        assert {str(t): cost for t, cost in costs.items()} == {"SHIFT": 1, "LEFT": 0, "RIGHT": 2}
        assert list(costs) == state.legal()
        assert all(type(cost) is int for cost in costs.values())

    def test_cost_takes_a_transition_or_its_text(self) -> None:
        state = after(EAGER, "SHIFT")
        assert self.oracle.cost(state, Transition("SHIFT")) == 1
        assert self.oracle.cost(state, "RIGHT") == 2
        assert self.oracle.cost(state, "LEFT(obj)") == 1

    def test_labels_are_priced_in_one_place(self) -> None:
        state = after(EAGER, "SHIFT")
        assert self.oracle.cost(state, Transition("LEFT", "nsubj")) == 0
        assert self.oracle.cost(state, Transition("LEFT", "obj")) == 1
        assert self.oracle.cost(state, Transition("RIGHT", "obj")) == 2

    def test_loss_and_optimal(self) -> None:
        assert self.oracle.loss(EAGER.initial(3)) == 0
        assert self.oracle.loss(after(EAGER, "SHIFT", "SHIFT")) == 1
        assert written(self.oracle.optimal(after(EAGER, "SHIFT"))) == ["LEFT"]

    def test_final_states_have_nothing_to_choose(self) -> None:
        end = after(EAGER, *map(str, EAGER.derivation(GOLD)))
        assert (self.oracle.costs(end), self.oracle.optimal(end), self.oracle.loss(end)) == ({}, [], 0)

    def test_dynamic_is_the_default(self) -> None:
        assert EAGER.oracle().kind == "dynamic"

    def test_the_state_is_not_touched(self) -> None:
        state = after(EAGER, "SHIFT")
        before = state.copy()
        self.oracle.costs(state)
        self.oracle.loss(state)
        assert state.identical(before)

    def test_one_oracle_serves_many_states(self) -> None:
        """Asked in any order it says the same: it keeps no position."""
        states = [after(SWAP, *moves) for moves in ([], ["SHIFT"], ["SHIFT", "SHIFT", "SWAP"], ["SHIFT", "SHIFT"])]
        oracle = SWAP.oracle().bind(GOLD)
        first = [oracle.costs(state) for state in states]
        assert [oracle.costs(state) for state in reversed(states)] == first[::-1]
        assert [SWAP.oracle().bind(GOLD).costs(state) for state in states] == first

    def test_repr_names_system_and_kind(self) -> None:
        assert repr(EAGER.oracle("static")) == "System(arc-eager root=last).oracle('static')"


class TestExactness:
    """DESIGN 3: `exact` is False where costs are approximate, and then `note` says how far."""

    @pytest.mark.parametrize("ts", list(every_system()), ids=System.describe)
    def test_on_trees_the_system_derives(self, ts: System) -> None:
        oracle = ts.oracle("dynamic").bind(GOLD)
        approximate = ts.name == "arc-hybrid-swap" or (ts.name == "covington" and ts.single_root)
        assert oracle.exact == (not approximate)
        assert bool(oracle.note) == approximate
        by_search = ts.oracle("dynamic", method="search").bind(GOLD)
        assert by_search.exact
        assert by_search.note == ""

    @pytest.mark.parametrize("ts", [EAGER, HYBRID, EASY], ids=System.describe)
    def test_on_non_projective_gold(self, ts: System) -> None:
        """DESIGN 3: the stepping API searches; "formula" is the approximation of training; "error" refuses."""
        assert ts.oracle("dynamic").bind(CROSSING).exact
        assert ts.oracle("dynamic", nonprojective="exact").bind(CROSSING).exact
        formula = ts.oracle("dynamic", nonprojective="formula").bind(CROSSING)
        assert not formula.exact
        assert "never too low" in formula.note
        assert ts.oracle("dynamic", nonprojective="formula").bind(GOLD).exact
        with pytest.raises(NonProjectiveError) as refused:
            ts.oracle("dynamic", nonprojective="error").bind(CROSSING)
        assert (refused.value.sent_id, refused.value.arc) == ("s7", (4, 2))
        assert f"{ts.name} derives projective trees only" in str(refused.value)

    @pytest.mark.parametrize("ts", [STANDARD, ATTARDI], ids=System.describe)
    def test_reducing_systems_search_whatever_the_gold(self, ts: System) -> None:
        for way in ("exact", "formula"):
            assert ts.oracle("dynamic", nonprojective=way).bind(CROSSING).exact

    @pytest.mark.parametrize("ts", [ATTARDI, COVINGTON, SWAP], ids=System.describe)
    def test_non_projective_systems_take_any_gold(self, ts: System) -> None:
        ts.oracle("dynamic", nonprojective="error").bind(CROSSING)

    def test_a_single_root_and_gold_with_two(self) -> None:
        """FEATURES 8.1 is about single-root gold; for other gold the formula is an approximation."""
        ts = dynarc.system("arc-hybrid", single_root=True)
        assert ts.oracle("dynamic").bind(Tree([0, 0])).exact
        assert ts.oracle("dynamic").bind(Tree([0, 0])).loss(ts.initial(2)) == 1
        assert not ts.oracle("dynamic", method="formula").bind(Tree([0, 0])).exact


class TestStatic:
    def test_one_transition_and_no_costs(self) -> None:
        oracle = EAGER.oracle("static").bind(GOLD)
        assert written(oracle.optimal(EAGER.initial(3))) == ["SHIFT"]
        assert written(oracle.optimal(after(EAGER, "SHIFT"))) == ["LEFT(nsubj)"]
        for question in (oracle.costs, oracle.loss):
            with pytest.raises(OracleError, match="only dynamic oracles have costs"):
                question(EAGER.initial(3))
        with pytest.raises(OracleError, match="only dynamic oracles have costs"):
            oracle.cost(EAGER.initial(3), Transition("SHIFT"))

    def test_undefined_off_its_sequence(self) -> None:
        """FEATURES 7: a static oracle is a sequence; off it there is no answer, also where the tree is not lost."""
        ts = dynarc.system("arc-eager", root="first")
        tree = Tree([2, 0, 2])
        oracle = ts.oracle("static").bind(tree)
        path = ts.derivation(tree)
        assert written(path) == ["SHIFT", "LEFT", "RIGHT", "RIGHT"]
        wrong = after(ts, "RIGHT")
        with pytest.raises(OracleError, match=r"undefined here: \[ROOT 1\] \[2 3\] is not on the canonical derivation"):
            oracle.optimal(wrong)

    def test_strict_by_factory_and_by_bind(self) -> None:
        lost = after(EAGER, "SHIFT", "SHIFT")
        for loose in (
            EAGER.oracle("static", strict=False).bind(GOLD),
            EAGER.oracle("static").bind(GOLD, strict=False),
        ):
            assert written(loose.optimal(lost)) == ["RIGHT(obj)"]
        for strict in (
            EAGER.oracle("static").bind(GOLD),
            EAGER.oracle("static", strict=False).bind(GOLD, strict=True),
        ):
            with pytest.raises(OracleError, match="undefined here"):
                strict.optimal(lost)

    @pytest.mark.parametrize(
        "ts", [ts for ts in every_system() if ts.name not in ("attardi", "easy-first")], ids=System.describe
    )
    def test_loose_rules_come_to_an_end(self, ts: System) -> None:
        """With strict=False the rules are applied literally, from any state and for any gold."""
        for gold in dynarc.check.all_trees(3):
            oracle = ts.oracle("static").bind(gold, strict=False)
            for first in range(len(ts.initial(3).legal())):
                state = ts.initial(3)
                state.apply(state.legal()[first])
                while not state.is_final:
                    assert len(state.history) < 40
                    [t] = oracle.optimal(state)
                    state.apply(t)

    @pytest.mark.parametrize("ts", [ATTARDI, EASY], ids=System.describe)
    def test_rules_that_only_build_gold_arcs_may_not_apply(self, ts: System) -> None:
        oracle = ts.oracle("static").bind(Tree([2, 3, 0]), strict=False)
        stuck = ts.state([0, 1], [], [None, 3, 0])  # 2 is gone, and with it the head of 1
        with pytest.raises(OracleError, match=r"undefined here: no rule applies to \[ROOT 1\]"):
            oracle.optimal(stuck)

    def test_reduce_must_or_can(self) -> None:
        """FEATURES 7: both sequences derive the tree; they differ in when a finished word is popped."""
        tree = Tree([0, 1, 2, 0])
        must, can = (written(EAGER.derivation(tree, reduce=rule)) for rule in ("must", "can"))
        assert must == ["SHIFT", "RIGHT", "RIGHT", "SHIFT", "LEFT", "REDUCE", "REDUCE", "LEFT"]
        assert can == ["SHIFT", "RIGHT", "RIGHT", "REDUCE", "REDUCE", "SHIFT", "LEFT", "LEFT"]
        for rule, sequence in (("must", must), ("can", can)):
            oracle = EAGER.oracle("static", reduce=rule).bind(tree)  # type: ignore[arg-type]
            state = EAGER.initial(4)
            for t in sequence:
                assert written(oracle.optimal(state)) == [t]
                state.apply(t)
            assert tuple(state.heads) == tree.heads

    def test_partial_trees_have_no_canonical_sequence(self) -> None:
        with pytest.raises(OracleError, match="a static oracle needs every head"):
            EAGER.oracle("static").bind(Tree([None, 0]))
        with pytest.raises(OracleError, match="a static oracle needs every head"):
            EAGER.derivation(Tree([None, 0]))

    def test_closed_labels(self) -> None:
        """On the gold path the gold label; off it, where an arc is wrong anyway, any label."""
        ts = dynarc.system("arc-eager", labels=["nsubj", "root", "obj"])
        oracle = ts.oracle("static").bind(GOLD, strict=False)
        assert written(oracle.optimal(after(ts, "SHIFT"))) == ["LEFT(nsubj)"]
        stuck = after(ts, "SHIFT", "SHIFT", "SHIFT")
        assert written(oracle.optimal(stuck)) == ["LEFT(nsubj)", "LEFT(root)", "LEFT(obj)"]


class TestNondeterministic:
    def test_every_way_that_keeps_the_tree(self) -> None:
        """FEATURES 7: 2->1 and 2->3 may be built in either order."""
        oracle = EASY.oracle("nondeterministic").bind(Tree([2, 0, 2]))
        assert sorted(written(oracle.optimal(EASY.initial(3)))) == ["LEFT@2", "RIGHT@2"]

    def test_no_costs(self) -> None:
        oracle = EASY.oracle("nondeterministic").bind(Tree([2, 0, 2]))
        with pytest.raises(OracleError, match="only dynamic oracles have costs"):
            oracle.costs(EASY.initial(3))
        with pytest.raises(OracleError, match="only dynamic oracles have costs"):
            oracle.loss(EASY.initial(3))

    def test_undefined_once_the_tree_is_lost(self) -> None:
        oracle = EAGER.oracle("nondeterministic").bind(GOLD)
        with pytest.raises(OracleError, match="undefined here: the gold tree can no longer be reached"):
            oracle.optimal(after(EAGER, "SHIFT", "SHIFT"))

    def test_loose(self) -> None:
        lost = after(EAGER, "SHIFT", "SHIFT")
        for oracle in (
            EAGER.oracle("nondeterministic", strict=False).bind(GOLD),
            EAGER.oracle("nondeterministic").bind(GOLD, strict=False),
        ):
            assert written(oracle.optimal(lost)) == ["RIGHT"]

    def test_partial_trees(self) -> None:
        oracle = HYBRID.oracle("nondeterministic").bind(Tree([None, 0]))
        assert written(oracle.optimal(after(HYBRID, "SHIFT", words=2))) == ["SHIFT", "LEFT"]


class TestUnderivableGold:
    """`can_derive` and `derivation`: what cannot be derived is refused with the reason and what to do."""

    @pytest.mark.parametrize("kind", ["static", "nondeterministic"])
    def test_crossing_arcs(self, kind: Any) -> None:
        assert not EAGER.can_derive(CROSSING)
        for refuse in (lambda: EAGER.oracle(kind).bind(CROSSING), lambda: EAGER.derivation(CROSSING)):
            with pytest.raises(NonProjectiveError) as refused:
                refuse()
            assert (refused.value.sent_id, refused.value.arc) == ("s7", (4, 2))
            assert "it crosses 3->1" in str(refused.value)
            assert "arc-eager derives projective trees only" in str(refused.value)

    def test_two_roots_where_one_is_allowed(self) -> None:
        ts = dynarc.system("arc-hybrid", single_root=True)
        assert not ts.can_derive(Tree([0, 0]))
        with pytest.raises(TreeError, match=r"sentence s3: ROOT has 2 children, .* use single_root=False"):
            ts.derivation(Tree([0, 0], sent_id="s3"))

    def test_attardis_limits(self) -> None:
        """ORACLES 5.1: 8 of the 125 trees of four words are beyond it."""
        hard = [tree for tree in dynarc.check.all_trees(4) if not ATTARDI.can_derive(tree)]
        assert len(hard) == 8
        for tree in hard:
            with pytest.raises(TreeError, match="attardi cannot derive this tree; arc-hybrid-swap and covington"):
                ATTARDI.derivation(tree)
            assert COVINGTON.can_derive(tree)
            assert SWAP.can_derive(tree)

    def test_parts(self) -> None:
        assert EAGER.can_derive(Tree([None, 0]))
        assert not EAGER.can_derive(Tree([3, None, None, None, 2]))
        for name in dynarc.systems():
            ts = dynarc.system(name, single_root=True)
            assert not ts.can_derive(Tree([0, 0, None]))
            assert ts.can_derive(Tree([0, None, None]))


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "key"),
        [
            ({"kind": "psychic"}, "kind"),
            ({"kind": None}, "kind"),
            ({"nonprojective": "maybe"}, "nonprojective"),
            ({"method": "guess"}, "method"),
            ({"reduce": "never"}, "reduce"),
        ],
    )
    def test_unknown_options_list_the_known(self, options: dict[str, Any], key: str) -> None:
        with pytest.raises(ConfigError, match=f"{key}=.* is unknown") as refused:
            EAGER.oracle(**options)
        assert refused.value.key == key
        assert len(refused.value.allowed) >= 2
        assert ", ".join(refused.value.allowed) in str(refused.value)

    @pytest.mark.parametrize("limit", [0, -5])
    def test_limit(self, limit: int) -> None:
        with pytest.raises(ConfigError, match="leaves nothing to search"):
            EAGER.oracle(limit=limit)

    @pytest.mark.parametrize(
        ("ts", "method", "why"),
        [
            (EAGER, "table", 'arc-eager has no table; use method="formula" or "search"'),
            (EASY, "table", "easy-first has no table"),
            (COVINGTON, "table", "covington has no table"),
            (SWAP, "table", "arc-hybrid-swap has no table"),
            (STANDARD, "formula", "arc-standard has no formula"),
            (ATTARDI, "formula", "attardi has no formula"),
        ],
    )
    def test_methods_that_a_system_does_not_have(self, ts: System, method: Any, why: str) -> None:
        with pytest.raises(ConfigError, match=why):
            ts.oracle("dynamic", method=method).bind(GOLD)

    @pytest.mark.parametrize(
        ("ts", "gold", "why"),
        [
            (STANDARD, CROSSING, "takes whole projective trees"),
            (STANDARD, Tree([None, 0]), "takes whole projective trees"),
            (ATTARDI, Tree([None, 0]), "takes whole derivable trees"),
            (dynarc.system("attardi", single_root=True), GOLD, "without the single-root demand"),
        ],
    )
    def test_tables_say_what_they_need(self, ts: System, gold: Tree, why: str) -> None:
        """ORACLES 4 and 5.3, point 7."""
        with pytest.raises(OracleError, match=why):
            ts.oracle("dynamic", method="table").bind(gold)

    def test_a_search_that_gives_up_says_so(self) -> None:
        """FEATURES 8.5: the state is skipped, not guessed."""
        gold = Tree([11, 9, 6, 9, 10, 12, 12, 12, 8, 3, 0, 11])
        oracle = EAGER.oracle("dynamic", limit=3).bind(gold)
        with pytest.raises(OracleError, match='gave up after 3 states; nonprojective="formula"'):
            oracle.loss(EAGER.initial(12))
        search = ATTARDI.oracle("dynamic", method="search", limit=1).bind(gold)
        with pytest.raises(OracleError, match="gave up after 1 states"):
            search.loss(ATTARDI.initial(12))

    @pytest.mark.parametrize("kind", ["dynamic", "nondeterministic", "static"])
    def test_states_of_another_system(self, kind: Any) -> None:
        oracle = EAGER.oracle(kind).bind(GOLD)
        for other in (HYBRID, dynarc.system("arc-eager", root="first"), EASY):
            with pytest.raises(OracleError, match="this state belongs to System"):
                oracle.optimal(other.initial(3))

    @pytest.mark.parametrize("kind", ["dynamic", "nondeterministic", "static"])
    def test_states_of_another_length(self, kind: Any) -> None:
        oracle = EAGER.oracle(kind).bind(GOLD)
        with pytest.raises(OracleError, match="the state has 5 words, but the gold tree has 3"):
            oracle.optimal(EAGER.initial(5))

    def test_illegal_transitions_have_no_cost(self) -> None:
        """STYLE 5: no 9000, no -1; an error."""
        oracle = EAGER.oracle("dynamic").bind(GOLD)
        for t in (Transition("REDUCE"), Transition("SWAP"), Transition("LEFT", node=1), Transition("SHIFT", "obj")):
            with pytest.raises(IllegalTransition, match="is not legal here, so it has no cost"):
                oracle.cost(after(EAGER, "SHIFT"), t)

    def test_labels_outside_the_inventory_have_no_cost(self) -> None:
        ts = dynarc.system("arc-eager", labels=["nsubj", "root", "obj"])
        oracle = ts.oracle("dynamic").bind(GOLD)
        with pytest.raises(IllegalTransition, match=r"LEFT\(det\) is not legal here"):
            oracle.cost(after(ts, "SHIFT"), Transition("LEFT", "det"))

    def test_heads_are_not_a_tree(self) -> None:
        with pytest.raises(TreeError, match=r"bound to a dynarc\.Tree, not to list"):
            EAGER.oracle("dynamic").bind([2, 0, 2])  # type: ignore[arg-type]

    @pytest.mark.parametrize("price", [-1, -0.5, math.nan, math.inf, 1e300, True, "1", None])
    def test_what_is_not_a_price(self, price: Any) -> None:
        """FEATURES 9.4."""
        ways: list[dict[str, Any]] = [
            {"label_cost": price},
            {"arc_weight": [1, price, 1]},
            {"arc_weight": {"obj": price}},
            {"arc_weight": lambda tree, word: price},
        ]
        for way in ways:
            with pytest.raises(ConfigError, match="is not a price: prices are numbers from 0 to 1,000,000"):
                EAGER.oracle("dynamic", **way).bind(GOLD)

    def test_as_many_weights_as_words(self) -> None:
        with pytest.raises(ConfigError, match="there are 2 arc weights for 3 words"):
            EAGER.oracle("dynamic", arc_weight=[1, 1]).bind(GOLD)


def test_weights_by_predicate() -> None:
    """FEATURES 9.4: punctuation for nothing, by a function of tree and word or by label."""
    gold = Tree([2, 0, 2], ["nsubj", "root", "punct"])

    def no_punctuation(tree: Tree, word: int) -> int:
        assert tree.deprels is not None
        return int(tree.deprels[word - 1] != "punct")

    state = after(HYBRID, "SHIFT", "SHIFT", "RIGHT", "LEFT")  # 1->2 and 3->1: all wrong, and 3 has lost its head
    assert HYBRID.oracle().bind(gold).loss(state) == 3
    for weights in (no_punctuation, {"punct": 0}, [1, 1, 0]):
        assert HYBRID.oracle(arc_weight=weights).bind(gold).loss(state) == 2


def test_factories_can_be_bound_again_and_again() -> None:
    factory: OracleFactory = EAGER.oracle("dynamic")
    oracles: list[BoundOracle] = [factory.bind(Tree(heads)) for heads in ([2, 0], [0, 1], [0, 0])]
    assert [oracle.tree.heads for oracle in oracles] == [(2, 0), (0, 1), (0, 0)]
    state = after(EAGER, "SHIFT", words=2)
    assert [written(oracle.optimal(state)) for oracle in oracles] == [["LEFT"], ["RIGHT"], ["SHIFT"]]
