"""Generic oracles against brute force: every prefix of every sequence, every action (ORACLES 8)."""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from tests.exact import generic_force as force

import dynarc
from dynarc import generic
from dynarc.check import all_trees, reachable_states
from dynarc.generic import END, Bracketing, Chunking, Dependency, Oracle, ReferenceOracle, Simplification, Tagging
from dynarc.generic.bracketing import spans, top_down

Actions = tuple[str, ...]
Case = tuple[Any, Any, list[Actions], list[float]]  # input, gold, all sequences, their losses


def compared(oracle: Any, case: Case, prefixes: int | None = None) -> int:
    """Walks over all prefixes (or a sample of them) and compares all values; how many there were."""
    _, _, sequences, losses = case
    truth = force.Values(sequences, losses)
    count = 0
    chosen: set[Actions] | None = None
    if prefixes is not None:
        chosen = set(random.Random(len(sequences)).sample(sorted(truth.after), min(prefixes, len(truth.after))))
    todo: list[tuple[Actions, Any]] = [((), oracle)]
    while todo:
        prefix, now = todo.pop()
        if prefix and prefix[-1] == END:
            continue
        expected = truth.of(prefix)
        if chosen is None or prefix in chosen:
            values = now.values()
            assert values == expected, prefix
            assert now.loss == min(expected.values())
            assert now.costs() == {action: value - now.loss for action, value in values.items()}
            assert set(now.optimal()) == {action for action, value in expected.items() if value == now.loss}
            count += len(values)
        for action in expected:
            after = now.copy()
            after.advance(action)
            todo.append(((*prefix, action), after))
    return count


def tagging_cases(words: int, tags: Sequence[str]) -> Iterator[Case]:
    every = force.tag_sequences(words, tags)
    for gold in every:
        yield ["w"] * words, gold, every, [force.hamming(one, gold) for one in every]


def chunking_cases(words: int, types: Sequence[str]) -> Iterator[Case]:
    every = force.chunk_sequences(words, types)
    for gold in every:
        yield ["w"] * words, gold, every, [force.chunk_loss(one, gold) for one in every]


def bracketing_cases(
    words: int, labels: Sequence[str], closing: float, all_of: Callable[..., list[Actions]], step: int = 1
) -> Iterator[Case]:
    every = all_of(words, labels)
    loss = force.bracket_loss(closing)
    for gold in force.trees(words, labels)[::step]:
        yield ["w"] * words, gold, every, [loss(one, gold) for one in every]


REPLACEMENTS = {"a": ["b", "c"], "b": ["d"], "c": []}


def simplification_cases(words: int, count: int) -> Iterator[Case]:
    rng = random.Random(words)
    for x in itertools.islice(itertools.cycle(itertools.product("abc", repeat=words)), count):
        choices = [["KEEP", "DELETE", *(f"REPLACE:{other}" for other in REPLACEMENTS[word])] for word in x]
        every = list(itertools.product(*choices))
        golds = [[rng.choice("abcde") for _ in range(rng.randint(0, words + 1))] for _ in range(3)]

        def text(one: Actions, x: Actions = x) -> list[str]:
            pairs = zip(x, one, strict=True)
            return [w if a == "KEEP" else a.removeprefix("REPLACE:") for w, a in pairs if a != "DELETE"]

        yield list(x), golds, every, [min(force.levenshtein(text(one), gold) for gold in golds) for one in every]


# All values of construction 2: at least 200,000 in these four tests, and no mismatch.


def test_tagging() -> None:
    count = 0
    for words, tags in ((1, "AB"), (2, "ABC"), (3, "ABC"), (4, "ABC"), (5, "AB")):
        task = Tagging(list(tags))
        count += sum(compared(task.oracle(*case[:2]), case) for case in tagging_cases(words, list(tags)))
    task = Tagging(["A", "B", "C"])
    cases = itertools.islice(tagging_cases(5, ["A", "B", "C"]), 0, None, 4)
    count += sum(compared(task.oracle(*case[:2]), case) for case in cases)
    assert count > 55_000


def test_chunking() -> None:
    count = 0
    for words in (1, 2, 3, 4):
        task = Chunking(["X", "Y"])
        count += sum(compared(task.oracle(*case[:2]), case) for case in chunking_cases(words, ["X", "Y"]))
    assert count > 59_000


def test_simplification() -> None:
    count = 0
    for words, number in ((0, 1), (1, 3), (2, 9), (3, 27), (4, 40)):
        task = Simplification(REPLACEMENTS)
        count += sum(compared(task.oracle(*case[:2]), case) for case in simplification_cases(words, number))
    assert count > 10_000


@pytest.mark.parametrize("closing", [0, 0.5, 1])
def test_bracketing(closing: float) -> None:
    task = Bracketing(["S", "N"], closing=closing, successor="exact")
    count = 0
    for words in (1, 2, 3, 4):
        cases = bracketing_cases(words, ["S", "N"], closing, force.trees)
        count += sum(compared(task.oracle(*case[:2]), case) for case in cases)
    cases = bracketing_cases(5, ["S", "N"], closing, force.trees, step=60)
    count += sum(compared(task.oracle(*case[:2]), case) for case in cases)
    assert count > 40_000


@pytest.mark.parametrize(("words", "labels"), [(1, "SN"), (2, "SN"), (3, "S")])
def test_quadratic_brackets(words: int, labels: str) -> None:
    task = Bracketing(list(labels), closing=0.5, successor="quadratic")
    for case in bracketing_cases(words, list(labels), 0.5, force.nested):
        x, gold, *_ = case
        assert compared(task.oracle(x, gold), case) > 0
        assert compared(Oracle(task.constraints(x), task.loss(x, gold), gold), case, prefixes=50) > 0


def test_brackets_over_one_word() -> None:
    task = Bracketing(["S", "N"], successor="exact", single=True)
    loss = force.bracket_loss(0.5)
    every = force.trees(3, ["S", "N"], 1)
    assert sorted(every) == sorted(generic.enumerate_sequences(task.constraints("abc")))
    for gold in every[::97]:
        assert compared(task.oracle("abc", gold), ("abc", gold, every, [loss(one, gold) for one in every])) > 0


def every_task() -> Iterator[tuple[Any, Case]]:
    for case in itertools.islice(tagging_cases(3, ["A", "B"]), 0, None, 3):
        yield Tagging(["A", "B"]), case
    for case in itertools.islice(chunking_cases(3, ["X"]), 0, None, 3):
        yield Chunking(["X"]), case
    for case in simplification_cases(2, 4):
        yield Simplification(REPLACEMENTS), case
    for closing in (0, 0.5):
        for case in bracketing_cases(3, ["S", "N"], closing, force.trees, step=5):
            yield Bracketing(["S", "N"], closing=closing, successor="exact"), case


def test_construction_1() -> None:
    count = 0
    for task, case in every_task():
        x, gold, *_ = case
        automata = task.constraints(x), task.loss(x, gold), task.gold(x, gold)
        count += compared(ReferenceOracle(*automata, strict=False), case, prefixes=60)
    assert count > 500


def test_deterministic() -> None:
    deterministic = 0
    for task, case in every_task():
        x, gold, *_ = case
        automata = task.constraints(x), task.loss(x, gold), task.gold(x, gold)
        oracle = Oracle(*automata, strict=False, determinize=10_000)
        deterministic += oracle.deterministic
        compared(oracle, case)
        fallen_back = Oracle(*automata, strict=False, determinize=2)
        assert not fallen_back.deterministic
        compared(fallen_back, case)
    assert deterministic > 10


def test_g1() -> None:
    """ORACLES 8: gold S( John VP( hit NP( the ball ) ) ), prefix S( John NP(."""
    task = Bracketing(["S", "VP", "NP"], closing=0, successor="quadratic")
    x, gold = ["John", "hit", "the", "ball"], ["S(", "SHIFT", "VP(", "SHIFT", "NP(", "SHIFT", "SHIFT", ")", ")", ")"]
    plain = task.constraints(x), task.loss(x, gold), gold
    for oracle in (task.oracle(x, gold), Oracle(*plain), ReferenceOracle(*plain), Oracle(*plain, determinize=100_000)):
        for action in ("S(", "SHIFT", "NP("):
            oracle.advance(action)
        assert oracle.values() == {"S(": 2, "VP(": 1, "NP(": 2, "SHIFT": 1}
        assert oracle.costs() == {"S(": 1, "VP(": 0, "NP(": 1, "SHIFT": 0}
        assert set(oracle.optimal()) == {"VP(", "SHIFT"}


def test_the_unary_automaton_is_not_harmless() -> None:
    """On legal prefixes the best legal actions differ for 178 of 23,374 pairs of prefix and gold (n=4, 2 labels)."""
    exact = Bracketing(["S", "N"], closing=0, successor="exact")
    quadratic = Bracketing(["S", "N"], closing=0, successor="quadratic")
    pairs = different = 0
    for gold in force.trees(4, ["S", "N"]):
        todo = [(exact.start("abcd"), exact.oracle("abcd", gold), quadratic.oracle("abcd", gold))]
        while todo:
            state, *oracles = todo.pop()
            legal = state.legal()
            best = []
            for oracle in oracles:
                values = {action: value for action, value in oracle.values().items() if action in legal}
                best.append({action for action, value in values.items() if value == min(values.values())})
            pairs += 1
            different += best[0] != best[1]
            for action in legal if legal != [END] else ():
                twins = state.copy(), oracles[0].copy(), oracles[1].copy()
                twins[0].apply(action)
                twins[1].advance(action)
                twins[2].advance(action)
                todo.append(twins)
    assert (different, pairs) == (178, 23_374)


@pytest.mark.parametrize(("closing", "wrong"), [(0, 510), (0.5, 158), (1, 376)])
def test_check_loss_of_brackets(closing: float, wrong: int) -> None:
    """The counts of ORACLES 8: no price of a closing bracket makes the transducer agree with the F-score."""
    task = Bracketing(["S", "N"], closing=closing, successor="exact")
    every = generic.enumerate_sequences(task.constraints("abcd"))
    report = generic.check_loss(task.loss("abcd", ()), force.f1_loss, every)
    assert (report.wrong, report.prefixes, report.pairs) == (wrong, 23_374, 3_844)
    assert not report.ok
    assert report.counterexample is not None
    assert report.counterexample.losses[0] > report.counterexample.losses[1]
    assert report.blind == (16 if closing == 0 else 0)


def test_check_loss_finds_nothing_wrong_with_what_is_right() -> None:
    task = Tagging(["A", "B"])
    every = force.tag_sequences(3, ["A", "B"])
    assert generic.check_loss(task.loss("abc", ()), force.hamming, every).ok
    chunking = Chunking(["X"])
    every = force.chunk_sequences(3, ["X"])
    assert generic.check_loss(chunking.loss("abc", ()), force.chunk_loss, every).ok


@pytest.mark.parametrize("closing", [0, 0.5])
def test_decided_from_the_top(closing: float) -> None:
    """A constraint that is no prefix: some brackets are known, the others may come anywhere within."""
    task = Bracketing(["S", "N"], closing=closing, successor="exact")
    every = force.trees(4, ["S", "N"])
    loss = force.bracket_loss(closing)

    decisions: list[list[tuple[str, int, int]]] = [
        [],
        [("N", 0, 3)],
        [("S", 0, 3), ("N", 0, 1), ("S", 2, 3)],
        [("S", 0, 3), ("N", 1, 3)],
        [("N", 0, 3), ("N", 0, 2), ("S", 1, 2)],
    ]
    for gold in every[::5]:
        oracle = task.oracle("abcd", gold)
        for decided in decisions:
            language = top_down(4, decided, ["S(", "N("])
            leaves = [s for s in decided if not any(o != s and s[1] <= o[1] and o[2] <= s[2] for o in decided)]

            def fits(one: Actions, decided: Any = decided, leaves: Any = leaves) -> bool:
                extra = set(spans(one)) - set(decided)
                inside = all(any(leaf[1] <= s[1] and s[2] <= leaf[2] for leaf in leaves) for s in extra)
                return set(decided) <= set(spans(one)) and (inside or not decided)

            fitting = [one for one in every if fits(one)]
            assert fitting
            assert oracle.value(language) == min(loss(one, gold) for one in fitting), (gold, decided)


CLOSED_FORMS = [
    ("arc-eager", {"root": "last"}),
    ("arc-eager", {"root": "first"}),
    ("arc-eager", {"root": "first", "headless": "attach"}),
    ("arc-hybrid", {"root": "last"}),
    ("arc-hybrid", {"root": "first"}),
    ("arc-standard", {"root": "first"}),
    ("arc-standard", {"root": "last"}),
]


def as_closed_form(name: str, options: dict[str, Any], words: int, step: int = 1) -> int:
    """Both oracles at every state and for every tree; how many costs were compared."""
    task = Dependency(name, **options)
    ts = dynarc.system(name, **options)
    count = 0
    for tree in itertools.islice(all_trees(words), 0, None, step):
        closed, first = ts.oracle("dynamic").bind(tree), ts.initial(words)
        seen = {first.key()}
        todo: list[tuple[dynarc.State, Any]] = [(first, task.oracle(words, tree))]
        while todo:
            state, oracle = todo.pop()
            assert oracle.loss == closed.loss(state)
            if state.is_final:
                assert oracle.costs() == {END: 0}
                continue
            costs = {str(t): cost for t, cost in closed.costs(state).items()}
            assert oracle.costs() == costs, (tree, state)
            count += len(costs)
            for t in state.legal():
                after = state.copy()
                after.apply(t)
                if after.key() not in seen:
                    seen.add(after.key())
                    twin = oracle.copy()
                    twin.advance(str(t))
                    todo.append((after, twin))
    return count


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize(("name", "options"), CLOSED_FORMS, ids=str)
def test_equals_the_closed_forms(name: str, options: dict[str, Any], words: int) -> None:
    assert as_closed_form(name, options, words) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("name", "options"), [case for case in CLOSED_FORMS if len(case[1]) == 1], ids=str)
def test_equals_the_closed_forms_of_four_words(name: str, options: dict[str, Any]) -> None:
    assert as_closed_form(name, options, 4) > 20_000


@pytest.mark.parametrize(
    ("name", "options"),
    [("easy-first", {}), ("covington", {}), ("attardi", {}), ("arc-hybrid", {"single_root": True})],
)
def test_other_systems_agree_with_brute_force(name: str, options: dict[str, Any]) -> None:
    task = Dependency(name, **options)
    trees = [tree for tree in all_trees(3) if not options or len(tree.roots) == 1]
    report = generic.check_oracle(task, [(3, tree) for tree in trees[::3]])
    assert report.ok, report
    assert report.costs > 100


def test_labels_and_unknown_heads() -> None:
    task = Dependency("arc-hybrid", labels=["a", "b"])
    trees = [dynarc.Tree([2, 0], ["a", "b"]), dynarc.Tree([0, 1], ["b", "b"])]
    assert generic.check_oracle(task, [(2, tree) for tree in trees]).ok
    plain = Dependency("arc-eager")
    assert generic.check_oracle(plain, [(3, dynarc.Tree([2, None, 2])), (3, dynarc.Tree([None, None, 0]))]).ok


def test_reachable_states_are_those_of_the_automaton() -> None:
    """Configurations that differ only in arcs are one state."""
    task = Dependency("arc-standard", root="first")
    found = [s for s, _ in reachable_states(dynarc.system("arc-standard"), 3) if isinstance(s, dynarc.State)]
    states = {(tuple(s.stack), tuple(s.buffer)) for s in found}
    assert len(task.constraints(3)) == len(states)
