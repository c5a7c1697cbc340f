"""Automata, generic oracles, learning: what they do, and what they say of what cannot be."""

import doctest
import importlib
import itertools
import math
import pkgutil
import random
from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import dynarc
from dynarc import (
    AmbiguityExploration,
    AutomatonError,
    ConfigError,
    ErrorExploration,
    FileError,
    IllegalTransition,
    ModelFormatError,
    NoExploration,
    OracleError,
    Sampling,
    generic,
)
from dynarc.generic import END, Automaton, Config, Oracle, Prefix, Symbols, Tagging, TransitionTask
from dynarc.generic.penn import noun_chunks, read_penn


def machine(text: str, **options: Any) -> Automaton:
    return generic.from_text(text.replace(";", "\n") + "\n", **options)


def random_automaton(
    rng: random.Random, *, states: int = 4, arcs: int = 8, least: float = 0, acceptor: bool = False
) -> Automaton:
    automaton = Automaton()
    automaton.add_states(states)
    for _ in range(arcs):
        read, written = rng.choice([None, "a", "b", "c"]), rng.choice([None, "a", "b", "c"])
        weight = rng.randint(int(least * 2), 6) / 2
        output = read if acceptor else written
        automaton.add_arc(rng.randrange(states), read, rng.randrange(states), output=output, weight=weight)
    for state in rng.sample(range(states), 2):
        automaton.set_final(state, rng.randint(0, 4) / 2)
    return automaton


def words(most: int) -> list[tuple[str, ...]]:
    return [one for length in range(most + 1) for one in itertools.product("abc", repeat=length)]


def weights_by_force(automaton: Automaton, sequence: Sequence[str], most: int = 40) -> dict[tuple[str, ...], float]:
    """By output, of reading a sequence: Bellman's equations over (state, place, output), short outputs only."""
    best: dict[tuple[int, int, tuple[str, ...]], float] = {(automaton.start, 0, ()): 0.0}
    for _ in range(most):
        changed = False
        for (state, place, out), weight in list(best.items()):
            for arc in automaton.arcs(state):
                if arc.input is not None and (place == len(sequence) or sequence[place] != arc.input):
                    continue
                after = (arc.target, place + (arc.input is not None), out if arc.output is None else (*out, arc.output))
                if len(after[2]) <= 3 and weight + arc.weight < best.get(after, math.inf):
                    best[after] = weight + arc.weight
                    changed = True
        if not changed:
            break
    found: dict[tuple[str, ...], float] = {}
    for (state, place, out), weight in best.items():
        final = automaton.final(state)
        if place == len(sequence) and final is not None:
            found[out] = min(found.get(out, math.inf), weight + final)
    return found


def composed_by_force(one: Automaton, other: Automaton, read: Sequence[str], written: Sequence[str]) -> float:
    """The least weight of reading one text and writing another by way of both: Bellman's equations over pairs."""
    best = {(one.start, other.start, 0, 0): 0.0}

    def moves(p: int, q: int, i: int, j: int) -> Iterator[tuple[tuple[int, int, int, int], float]]:
        steps = [(arc.output, arc.target, i + (arc.input is not None), arc.weight)
                 for arc in one.arcs(p) if arc.input is None or read[i : i + 1] == (arc.input,)]  # fmt: skip
        for middle, target, place, weight in steps:
            if middle is None:
                yield (target, q, place, j), weight
            for arc in other.arcs(q):
                if arc.input == middle is not None and (arc.output is None or written[j : j + 1] == (arc.output,)):
                    yield (target, arc.target, place, j + (arc.output is not None)), weight + arc.weight
        for arc in other.arcs(q):
            if arc.input is None and (arc.output is None or written[j : j + 1] == (arc.output,)):
                yield (p, arc.target, i, j + (arc.output is not None)), arc.weight

    todo = list(best)
    while todo:
        here = todo.pop()
        for there, weight in moves(*here):
            if best[here] + weight < best.get(there, math.inf):
                best[there] = best[here] + weight
                todo.append(there)
    return min(
        (
            weight + one.finals[p] + other.finals[q]
            for (p, q, i, j), weight in best.items()
            if (i, j) == (len(read), len(written)) and p in one.finals and q in other.finals
        ),
        default=math.inf,
    )


def test_composition_equals_its_definition() -> None:
    rng = random.Random(1)
    finite = 0
    for _ in range(150):
        one, other = random_automaton(rng, arcs=10), random_automaton(rng, arcs=10)
        composed = one.compose(other)
        for read, written in itertools.product(words(1), words(2)):
            pair = generic.sequence(read).compose(composed) if composed.start >= 0 else composed
            pair = pair.compose(generic.sequence(written)) if pair.start >= 0 else pair
            got = math.inf if pair.start < 0 else pair.shortest_path().weight
            assert got == composed_by_force(one, other, read, written)
            finite += got < math.inf
    assert finite > 200


def test_lazy_composition_is_the_eager_one() -> None:
    rng = random.Random(2)
    for _ in range(50):
        one, other = random_automaton(rng), random_automaton(rng)
        lazy, eager = one.compose_lazily(other), one.compose(other)
        least = math.inf if eager.start < 0 else eager.shortest_distance(reverse=True)[eager.start]
        assert lazy.least_weight() == least
        if least < math.inf:
            assert lazy.shortest_path().weight == least == eager.shortest_path().weight
            assert lazy.final(0) == eager.final(eager.start) or lazy.final(0) is None
            assert lazy.pair(0) == (0, 0)
            assert len(lazy) > 0
            assert lazy.arcs(0) is not None


def test_epsilons_and_determinism_change_no_weight() -> None:
    rng = random.Random(3)
    deterministic = 0
    for _ in range(60):
        automaton = random_automaton(rng, acceptor=True, arcs=7)
        plain = automaton.remove_epsilons()
        assert all(arc.input is not None for arc in plain.arcs())
        single = None
        with suppress(AutomatonError):
            single = automaton.determinize(limit=200)
        for sequence in words(3):
            expected = min(weights_by_force(automaton, sequence).values(), default=math.inf)
            assert automaton.weight(sequence) == expected
            assert (math.inf if plain.start < 0 else plain.weight(sequence)) == expected
            if single is not None and single.start >= 0:
                assert single.weight(sequence) == pytest.approx(expected)
        if single is not None:
            deterministic += 1
            for state in range(len(single)):
                read = [arc.input for arc in single.arcs(state)]
                assert len(read) == len(set(read))
    assert deterministic > 20


def test_distances_with_negative_weights() -> None:
    automaton = machine("0 1 a a 3;0 2 b b 1;2 1 c c -2;1 3 d d 1;3 -1".replace(";3 -1", ";3"))
    assert automaton.shortest_distance() == [0, -1, 1, 0]
    assert automaton.shortest_distance(reverse=True) == [0, 1, -1, 0]
    path = automaton.shortest_path()
    assert (path.weight, path.input) == (0, ("b", "c", "d"))
    with pytest.raises(AutomatonError, match="lazy composition must not have negative weights"):
        automaton.compose_lazily(machine("0 0 b b;0 0 c c;0 0 d d;0")).shortest_path()
    automaton.add_arc(1, "e", 2, weight=1)
    for call in (automaton.shortest_distance, automaton.remove_epsilons, automaton.shortest_path):
        with pytest.raises(AutomatonError, match="a cycle of negative weight"):
            call()
    zero = machine("0 1 a a -1;1 0 b b 1;1 2 c c;2")
    assert zero.shortest_path().input == ("a", "c")


def test_distances_against_bellman() -> None:
    rng = random.Random(4)
    for number in range(40):
        automaton = random_automaton(rng, least=-0.5 if number % 2 else 0, arcs=6)
        n = len(automaton)
        expected = [0.0 if s == automaton.start else math.inf for s in range(n)]
        for _ in range(n):
            for arc in automaton.arcs():
                expected[arc.target] = min(expected[arc.target], expected[arc.source] + arc.weight)
        if any(expected[arc.source] + arc.weight < expected[arc.target] for arc in automaton.arcs()):
            with pytest.raises(AutomatonError):
                automaton.shortest_distance()
        else:
            assert automaton.shortest_distance() == expected


def test_openfst_agrees() -> None:
    """Compositions and distances, where `pynini` is installed."""
    pynini = pytest.importorskip("pynini")
    rng = random.Random(5)
    for _ in range(30):
        ours = [random_automaton(rng), random_automaton(rng)]
        theirs = []
        for automaton in ours:
            fst = pynini.Fst()
            fst.add_states(len(automaton))
            fst.set_start(automaton.start)
            for arc in automaton.arcs():
                labels = [0 if symbol is None else ord(symbol) for symbol in (arc.input, arc.output)]
                fst.add_arc(arc.source, pynini.Arc(*labels, arc.weight, arc.target))
            for state, weight in automaton.finals.items():
                fst.set_final(state, weight)
            theirs.append(fst)
        distances = [float(str(w)) for w in pynini.shortestdistance(theirs[0])]
        distances += [math.inf] * (len(ours[0]) - len(distances))
        assert distances == pytest.approx(ours[0].shortest_distance())
        composed = pynini.compose(theirs[0].arcsort("olabel"), theirs[1])
        least = math.inf
        if composed.start() != -1:
            least = float(str(pynini.shortestdistance(composed, reverse=True)[composed.start()]))
        assert ours[0].compose_lazily(ours[1]).least_weight() == pytest.approx(least)


def test_what_has_no_deterministic_equivalent() -> None:
    """Two loops of different weight on the same symbol: the difference grows for ever (no twins)."""
    automaton = machine("0 1 a a;0 2 a a;1 1 b b 1;2 2 b b 2;1 3 c c;2 3 d d;3")
    with pytest.raises(AutomatonError, match="more than 200 states, or is endless"):
        automaton.determinize(limit=200)


def test_sides_unions_and_symbols() -> None:
    transducer = machine("0 1 a b 1;1 2 c <eps>;2 0.5")
    assert not transducer.is_acceptor
    assert repr(transducer) == "Transducer(3 states, 2 arcs)"
    assert transducer.project("output").weight(["b"]) == 1.5
    assert transducer.invert().transduce(["b"]).output == ("a", "c")
    assert transducer.alphabet() == {"a", "c"}
    assert transducer.alphabet("output") == {"b"}
    with pytest.raises(AutomatonError, match="only acceptors can be intersected"):
        transducer.intersect(transducer)
    with pytest.raises(AutomatonError, match="only an acceptor can be determinised"):
        transducer.determinize()
    with pytest.raises(AutomatonError, match="project to 'input' or to 'output'"):
        transducer.project("up")  # type: ignore[arg-type]
    both = generic.sequence(["x"]) | generic.sequence(["y", "y"])
    assert [both.weight(one) for one in (["x"], ["y", "y"], ["y"], ["z"])] == [0, 0, math.inf, math.inf]
    assert (both & generic.sequence(["x"])).weight(["x"]) == 0
    assert (both @ generic.sequence(["x"])).weight(["y", "y"]) == math.inf
    assert not both.is_empty
    assert len(both.copy().trim()) == len(both)
    assert generic.golds({("a",): 0.25, ("b",): 0}).weight(["a"]) == 0.25
    with pytest.raises(AutomatonError, match="at least one"):
        generic.union([])
    with pytest.raises(AutomatonError, match="2 automata but 1 weights"):
        generic.union([both, both], [1])
    with pytest.raises(AutomatonError, match="not one text"):
        generic.sequence("abc")
    table = Symbols(["a", "b"])
    assert (len(table), list(table), "a" in table, table.find("c")) == (2, ["a", "b"], True, None)
    with pytest.raises(AutomatonError, match="symbols are texts"):
        table.add(7)  # type: ignore[arg-type]


def test_malformed_automata() -> None:
    automaton = Automaton()
    with pytest.raises(AutomatonError, match="no start state"):
        automaton.shortest_distance()
    automaton.add_state()
    with pytest.raises(AutomatonError, match="there is no state 3: there are 1, counted from 0"):
        automaton.add_arc(0, "a", 3)
    with pytest.raises(AutomatonError, match="there is no state -1"):
        automaton.set_final(-1)
    with pytest.raises(AutomatonError, match="must be a number"):
        automaton.add_arc(0, "a", 0, weight=math.nan)
    with pytest.raises(AutomatonError, match="must be a number"):
        automaton.set_final(0, -math.inf)
    with pytest.raises(AutomatonError, match="accepts nothing"):
        automaton.shortest_path()
    automaton.add_arc(0, "a", 0, weight=math.inf)
    assert automaton.arc_count == 0


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("0 x a b", 1, "'x' is not the number of a state"),
        ("0 1 a b\n1 1 a b c d", 2, "1 to 5 columns, not 6"),
        ("0 1 a b heavy", 1, "'heavy' is not a weight"),
        ("0 nan", 1, "'nan' is not a weight"),
        ("0\t1\ta\t\t1", 1, "a symbol is empty"),
        ("99999999999 1 a b", 1, "is not the number of a state"),
    ],
)
def test_malformed_text(text: str, line: int, reason: str) -> None:
    with pytest.raises(FileError) as problem:
        generic.from_text(text, path="t.fst")
    assert (problem.value.path, problem.value.line) == ("t.fst", line)
    assert reason in problem.value.reason


def test_text_round_trip(tmp_path: Path) -> None:
    rng = random.Random(6)
    for number in range(20):
        automaton = random_automaton(rng)
        path = tmp_path / f"{number}.txt"
        automaton.write(path)
        again = generic.read_text(path)
        assert again.to_text() == automaton.to_text() == path.read_text(encoding="utf-8")
        assert again.arcs() == automaton.arcs()
        assert again.finals == automaton.finals
    acceptor = generic.from_text("0 1 a 0.5\n1\n", acceptor=True)
    assert acceptor.arcs()[0].weight == 0.5
    with pytest.raises(FileError, match="at most 4 columns"):
        generic.from_text("0 1 a b 0.5", acceptor=True)
    with pytest.raises(FileError, match="no such file"):
        generic.read_text(tmp_path / "none")
    (tmp_path / "bad").write_bytes(b"\xff\xfe")
    with pytest.raises(FileError, match="UTF-8"):
        generic.read_text(tmp_path / "bad")
    assert Automaton().to_text() == ""
    with pytest.raises(FileError, match="blanks"):
        generic.sequence(["a b"]).to_text()


def test_pictures() -> None:
    automaton = machine("0 1 a b 1;1 2 c <eps>;0 2 x\\ x;1 0 d d;2 2 <eps> <eps> 0.5;2 0.5")
    for number in range(12):
        automaton.add_arc(0, f"s{number}<", 1)
    svg = ElementTree.fromstring(automaton.to_svg(title="a & b"))
    texts = ["".join(element.itertext()) for element in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert {"0", "1", "2/0.5", "a:b/1", "c:ε", "ε/0.5", "d"} <= set(texts)
    assert any(text.startswith("and ") for text in texts)
    dot = automaton.to_dot(title='say "a"')
    assert dot.count("->") == automaton.arc_count + 1
    assert '2 [shape=doublecircle, label="2/0.5"];' in dot
    assert automaton._repr_svg_().startswith("<svg")
    assert ElementTree.fromstring(Automaton().to_svg()) is not None


def test_examples() -> None:
    attempted = 0
    for module in pkgutil.iter_modules(generic.__path__, "dynarc.generic."):
        result = doctest.testmod(importlib.import_module(module.name))
        assert result.failed == 0
        attempted += result.attempted
    assert attempted > 30


# Oracles.

NOTHING = machine("0 1 a a")
ANY = machine("0 0 a a;0 0 a b 1;0 0 b a 1;0 0 b b;0")
TWO = machine("0 1 a a;0 1 b b;1 2 a a;1 2 b b;2")


@pytest.mark.parametrize("kind", [Oracle, generic.ReferenceOracle])
def test_what_is_wrong_with_an_oracle(kind: Any) -> None:
    with pytest.raises(AutomatonError, match="constraints: no sequence is admissible"):
        kind(NOTHING, ANY, ["a", "a"])
    with pytest.raises(AutomatonError, match="gold: no sequence is accepted"):
        kind(TWO, ANY, NOTHING)
    with pytest.raises(AutomatonError, match="loss: the automaton has no states"):
        kind(TWO, Automaton(), ["a", "a"])
    with pytest.raises(AutomatonError, match="reserved for stopping"):
        kind(machine("0 1 </s> </s>;1"), ANY, ["a"])
    with pytest.raises(OracleError, match="the gold sequence is nothing that `loss` can write"):
        kind(TWO, ANY, ["a", "z"])
    with pytest.raises(OracleError, match="does `loss` read what `constraints` write"):
        kind(machine("0 1 x x;1"), ANY, ["a"])
    with pytest.raises(OracleError, match=r"no gold sequence is admissible: the best that is has loss 1"):
        kind(machine("0 1 b b;1"), ANY, ["a"])
    assert kind(machine("0 1 b b;1"), ANY, ["a"], strict=False).loss == 1
    oracle = kind(TWO, ANY, ["a", "b"])
    with pytest.raises(IllegalTransition, match="'z' is not in the alphabet of the constraints; possible are a, b"):
        oracle.advance("z")
    with pytest.raises(IllegalTransition, match="'</s>' is not admissible here"):
        oracle.advance(END)
    assert oracle.values() == {"a": 0, "b": 1}
    for action in ("b", "b", END):
        oracle.advance(action)
    assert oracle.finished
    assert (oracle.loss, oracle.costs(), oracle.optimal()) == (1, {}, [])
    with pytest.raises(IllegalTransition, match="the end was reached before"):
        oracle.advance("a")


def test_a_negative_cycle_is_an_error() -> None:
    loop = machine("0 0 a a;0 0 <eps> <eps> -1;0")
    with pytest.raises(AutomatonError, match="a cycle of negative weight"):
        Oracle(generic.sequence(["a"]), loop, ["a"])


def test_negative_weights_without_a_cycle() -> None:
    reward = machine("0 1 a a -1;0 1 b b;1 2 a a;1 2 b a 2;2")
    gold = generic.golds([("a", "a"), ("b", "a")])
    for kind in (Oracle, generic.ReferenceOracle):
        oracle = kind(TWO, reward, gold)
        assert oracle.values() == {"a": -1, "b": 0}
        oracle.advance("b")
        assert oracle.costs() == {"a": 0, "b": 2}


def test_several_golds_with_weights() -> None:
    oracle = Oracle(TWO, ANY, generic.golds({("a", "a"): 0.5, ("b", "b"): 0.0}))
    assert oracle.values() == {"a": 0.5, "b": 0}
    assert repr(oracle) == "Oracle(after nothing: loss 0)"


def test_copies_go_their_own_way() -> None:
    oracle = Oracle(TWO, ANY, ["a", "b"])
    twin = oracle.copy()
    twin.advance("b")
    assert (oracle.actions, twin.actions, oracle.loss, twin.loss) == ([], ["b"], 0, 1)
    assert oracle.states > 0
    assert oracle.reached == 1


def test_endless_languages_are_not_enumerated() -> None:
    with pytest.raises(AutomatonError, match="more than 10 sequences"):
        generic.enumerate_sequences(ANY, limit=10)
    assert generic.enumerate_sequences(NOTHING) == []


# Tasks and learning.

TEXTS = [
    ("the old man", "DT JJ NN"),
    ("the man sleeps", "DT NN VB"),
    ("old men sleep", "JJ NN VB"),
    ("the sleep", "DT NN"),
]
DATA = [(words.split(), tags.split()) for words, tags in TEXTS]
TAGS = ["DT", "JJ", "NN", "VB"]


@pytest.mark.parametrize(
    "config",
    [
        Config(epochs=5),
        Config(oracle="static", epochs=5),
        Config(explore=NoExploration(), epochs=5),
        Config(explore=AmbiguityExploration(), epochs=5),
        Config(explore=ErrorExploration(0, 1.0, "random"), epochs=5, keep_oracles=True),
        Config(learner="passive-aggressive", epochs=5),
        Config(learner="passive-aggressive", cost_sensitive=False, max_loss=True, epochs=5),
        Config(learner="adagrad-rda", epochs=8),
        Config(learner="adagrad-rda", explore=Sampling(1), epochs=8),
        Config(method="dagger", rounds=3, epochs=4),
        Config(method="dagger", rounds=3, epochs=4, warm=True),
        Config(method="dagger", learner="adagrad-rda", rounds=3, epochs=4),
    ],
    ids=lambda config: f"{config.method}-{config.learner}-{config.policy}-{config.oracle}",
)
def test_learning_to_tag(config: Config) -> None:
    seen: list[generic.Round] = []
    predictor = generic.train(Tagging(TAGS), DATA, config=config, progress=seen.append)
    assert predictor.score(DATA) == 100
    assert predictor(["the", "old", "sleep"])[0] == "DT"
    assert [one.number for one in seen] == list(range(1, len(seen) + 1))
    assert seen[0].states == 11
    again = generic.train(Tagging(TAGS), DATA, config=config)
    assert again.model.pack(64, 0, False).values == predictor.model.pack(64, 0, False).values


def test_dev_decides_which_epoch_is_kept() -> None:
    seen: list[generic.Round] = []
    predictor = generic.train(Tagging(TAGS), DATA, dev=DATA, config=Config(epochs=4), progress=seen.append)
    assert predictor.score(DATA) == max(one.score or 0 for one in seen)
    assert "dev" in str(seen[0])
    last = generic.train(Tagging(TAGS), DATA, dev=DATA, config=Config(epochs=4, keep="last"))
    assert last.info["rounds"][-1]["score"] == last.score(DATA)


def test_other_tasks_learn() -> None:
    chunks = generic.Chunking(["NP"])
    data = [(x, ["B-NP", *["I-NP"] * (len(x) - 2), "O"]) for x, _ in DATA]
    assert generic.train(chunks, data, config=Config(epochs=8)).score(data) == 100
    simple = generic.Simplification({"purchase": ["buy"], "large": ["big"]})
    texts = ["we purchase large houses", "they purchase it now", "large men sleep"]
    golds = [
        [["we", "buy", "big", "houses"], ["we", "buy", "houses"]],
        [["they", "buy", "it"]],
        [["big", "men", "sleep"]],
    ]
    pairs = list(zip(map(str.split, texts), golds, strict=True))
    predictor = generic.train(simple, pairs, config=Config(epochs=10))
    assert predictor.score(pairs) == 100
    parse = generic.Dependency("arc-eager")
    trees = [(tuple(zip(x, t, strict=True)), dynarc.Tree([0, *range(1, len(x))])) for x, t in DATA]
    assert generic.train(parse, trees, config=Config(epochs=5)).score(trees) == 100
    brackets = generic.Bracketing(["S", "NP"])
    tree = ["S(", "NP(", "SHIFT", "SHIFT", ")", "SHIFT", ")"]
    assert list(generic.train(brackets, [(DATA[1][0], tree)], config=Config(epochs=3))(DATA[1][0])) == tree


def test_saved_models(tmp_path: Path) -> None:
    predictor = generic.train(Tagging(TAGS), DATA, config=Config(epochs=3, explore=ErrorExploration(2, 0.5)))
    path = tmp_path / "tags.dynarc"
    predictor.save(path)
    again = generic.load(path)
    assert isinstance(again.task, Tagging)
    assert again.config == predictor.config
    assert again.info == predictor.info
    assert again.predict(x for x, _ in DATA) == predictor.predict(x for x, _ in DATA)
    predictor.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    with pytest.raises(ModelFormatError, match="other actions or features"):
        generic.load(path, Tagging(["A"]))
    with pytest.raises(ModelFormatError):
        dynarc.load(path)
    damaged = path.read_bytes()[:-9]
    (tmp_path / "damaged").write_bytes(damaged)
    with pytest.raises(ModelFormatError):
        generic.load(tmp_path / "damaged")


def test_a_parser_is_no_generic_model(tmp_path: Path) -> None:
    from dynarc.data import english_path

    treebank = dynarc.read_conllu(english_path("dev"))
    parser = dynarc.train(treebank[:20], config=dynarc.TrainConfig(epochs=1, features=("S0.form",)), calibrate=False)
    parser.save(tmp_path / "parser")
    with pytest.raises(ModelFormatError, match=r"is a parser.*use dynarc.load"):
        generic.load(tmp_path / "parser")


class Sorting(TransitionTask):
    """Letters into a row by appending them at either end of it; the loss counts neighbours that are out of order."""

    actions = ("LEFT", "RIGHT")

    class State:
        def __init__(self, x: str) -> None:
            self.left, self.row = list(x), ""

        @property
        def is_final(self) -> bool:
            return not self.left

        def legal(self) -> list[str]:
            return ["LEFT", "RIGHT"]

        def apply(self, action: str) -> None:
            letter = self.left.pop(0)
            self.row = letter + self.row if action == "LEFT" else self.row + letter

        def copy(self) -> "Sorting.State":
            twin = Sorting.State("")
            twin.left, twin.row = list(self.left), self.row
            return twin

        def key(self) -> Hashable:
            return tuple(self.left), self.row

    def initial(self, x: str) -> "Sorting.State":
        return Sorting.State(x)

    def loss_of(self, state: "Sorting.State", y: object) -> float:
        return sum(a > b for a, b in itertools.pairwise(state.row))

    def features(self, state: "Sorting.State") -> list[str | None]:
        ends = state.row[:1], state.row[-1:]
        return [f"first {state.left[0] < ends[0]}", f"last {state.left[0] > ends[1]}", None]

    def output(self, state: "Sorting.State") -> str:
        return state.row

    def is_right(self, output: str, y: str) -> bool:
        return output == y


class SortingFaster(Sorting):
    def loss_so_far(self, state: Sorting.State, y: object) -> float:
        return self.loss_of(state, y)


@pytest.mark.parametrize("task", [Sorting(), SortingFaster()], ids=["plain", "with a bound"])
def test_a_transition_system_of_ones_own(task: Sorting, tmp_path: Path) -> None:
    inputs = ["".join(one) for one in itertools.permutations("abcd")] + ["hgfedcba"]
    report = generic.check_oracle(task, [(x, "") for x in inputs])
    assert report.ok, report
    assert report.costs > 500
    easy = [(x, "".join(sorted(x))) for x in ("bac", "cab"[::-1], "cba", "abc", "bca", "dcba")]
    easy = [(x, y) for x, y in easy if task.oracle(x, y).loss == 0]
    predictor = generic.train(task, easy, config=Config(epochs=5))
    assert predictor.score(easy) == 100
    predictor.save(tmp_path / "sort")
    with pytest.raises(ModelFormatError, match=r"is not part of dynarc: give the task as in load\(path, task\)"):
        generic.load(tmp_path / "sort")
    assert generic.load(tmp_path / "sort", task)("edcba") == "abcde"
    oracle = task.oracle("ba", "")
    oracle.advance("LEFT")
    assert (oracle.costs(), oracle.optimal(), oracle.loss) == ({"LEFT": 0, "RIGHT": 1}, ["LEFT"], 0)
    with pytest.raises(IllegalTransition):
        oracle.advance("UP")


def test_search_has_a_limit() -> None:
    task = Sorting()
    task.search_limit = 10
    oracle = task.oracle("hgfedcba", "")
    with pytest.raises(OracleError, match="more than 10 states"):
        oracle.costs()
    predictor = generic.train(task, [("hgfedcba", "abcdefgh")], config=Config(epochs=1))
    assert predictor.info["rounds"][0]["skipped"] == 1


class Wrong(Tagging):
    """Its loss is not what its transducer says."""

    def loss_of(self, state: Prefix, y: Sequence[str]) -> float:
        return 2 * super().loss_of(state, y)


def test_check_oracle_finds_what_is_wrong() -> None:
    assert generic.check_oracle(Tagging(TAGS), [(["a", "b"], ["DT", "NN"])]).ok
    report = generic.check_oracle(Wrong(TAGS), [(["a", "b"], ["DT", "NN"])])
    assert not report.ok
    assert report.counterexample is not None
    assert "by brute force" in str(report)
    with pytest.raises(ConfigError, match="more than 5 states"):
        generic.check_oracle(Tagging(TAGS), [(["a", "b"], ["DT", "NN"])], limit=5)


def test_every_ready_task_checks_out() -> None:
    x = ["a", "b", "c"]
    tasks: list[tuple[Any, Any, Any]] = [
        (Tagging(["A", "B"]), x, ["A", "B", "A"]),
        (generic.Chunking(["X", "Y"]), x, ["B-X", "I-X", "B-Y"]),
        (generic.Bracketing(["S", "N"], successor="exact"), x, ["S(", "N(", "SHIFT", "SHIFT", ")", "SHIFT", ")"]),
        (generic.Simplification({"a": ["b"]}), x, [["b", "c"], ["c", "c", "c", "c"]]),
        (generic.Dependency("arc-standard"), 3, dynarc.Tree([2, 0, 2])),
    ]
    for task, given, gold in tasks:
        report = generic.check_oracle(task, [(given, gold)])
        assert report.ok, (task, report)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learner": "winnow"}, "learner"),
        ({"method": "guess"}, "method"),
        ({"epochs": 0}, "epochs is 0"),
        ({"decay": 2}, "decay is 2"),
        ({"oracle": "static", "method": "dagger"}, "static oracle"),
        ({"oracle": "static", "explore": ErrorExploration()}, "static oracle"),
        ({"explore": Sampling()}, "no probabilities"),
    ],
)
def test_configurations_that_cannot_be(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Config(**options)
    with pytest.raises(ConfigError, match="no option 'depth'"):
        Config.from_dict({"depth": 1})


def test_tasks_that_cannot_be_learned() -> None:
    class NoActions(Tagging):
        actions = ()

        def __init__(self) -> None:
            super().__init__(TAGS)
            self.actions = ()

    class Missing(Tagging):
        templates = ("w0+colour",)

    class Unnamed(Tagging):
        templates = ()

    for task, message in (
        (NoActions(), "no actions"),
        (Missing(TAGS), "'colour', which features"),
        (Unnamed(TAGS), "no templates"),
    ):
        with pytest.raises(ConfigError, match=message):
            generic.train(task, DATA)
    with pytest.raises(ConfigError, match="no examples"):
        generic.train(Tagging(TAGS), [])
    few = Tagging(TAGS)
    few.actions = ("DT",)
    with pytest.raises((ConfigError, OracleError)):
        generic.train(few, DATA)
    with pytest.raises(ConfigError, match="successor"):
        generic.Bracketing(["S"], successor="none")  # type: ignore[arg-type]


def test_illegal_brackets() -> None:
    state = generic.Bracketing(["S"]).start(["a", "b"])
    assert state.legal() == ["S("]
    for wrong in ("SHIFT", ")", END, "X("):
        with pytest.raises(IllegalTransition, match="legal are S"):
            state.apply(wrong)
    assert repr(state) == "(nothing)"
    state.apply("S(")
    state.apply("SHIFT")
    assert repr(state) == "S( a"
    one = generic.Bracketing(["S"]).start(["a"])
    for action in ("S(", "SHIFT", ")", END):
        one.apply(action)
    assert one.is_final


def test_penn_trees() -> None:
    text = """
    ( (S (NP-SBJ-1 (-NONE- *)) (NP=2 (NP (DT the) (NN end)) (PP (IN of) (NP (NN time))))
         (VP (VBZ is) (ADJP-PRD (S (VP (JJ near))))) (-LRB- -LRB-) (. .)) )
    (FRAG (NP (NN Yes)))
    ( (X (-NONE- *)) )
    ((NN word))
    """
    first, second, third = read_penn(text)
    assert [word for word, _ in first.words] == ["the", "end", "of", "time", "is", "near", "-LRB-", "."]
    assert " ".join(first.actions) == (
        "S( NP( NP( SHIFT SHIFT ) PP( SHIFT NP( SHIFT ) ) ) VP( SHIFT ADJP+S+VP( SHIFT ) ) SHIFT SHIFT )"
    )
    assert second.actions == ("FRAG+NP(", "SHIFT", ")")
    assert third.actions == ("X(", "SHIFT", ")")
    assert noun_chunks(first) == ("B-NP", "I-NP", "O", "B-NP", "O", "O", "O", "O")
    for wrong, line, message in (
        ("(S (NN a)", 1, "1 brackets are not closed"),
        ("(S (NN a)))", 1, "closed that was not opened"),
        ("(S\n (NN a b))", 2, "'b' is neither"),
        ("word", 1, "outside all brackets"),
    ):
        with pytest.raises(FileError, match=message) as problem:
            read_penn(wrong, path="t.mrg")
        assert problem.value.line == line


def test_the_wsj_sample_can_be_built(treebanks: Path) -> None:
    """Every tree of some files is admissible, by the exact successor function and by the automaton."""
    files = sorted((treebanks / "ptb_sample_mrg").glob("wsj_00[01]*.mrg"))
    if not files:
        pytest.skip("no WSJ sample")
    count = 0
    for file in files:
        for sentence in read_penn(file.read_text(encoding="latin-1")):
            labels = {action[:-1] for action in sentence.actions if action.endswith("(")}
            task = generic.Bracketing(sorted(labels), single=True)
            state = task.start(sentence.words)
            for action in (*sentence.actions, END):
                state.apply(action)
            assert state.is_final
            if len(sentence.words) < 25:
                assert task.oracle(sentence.words, sentence.actions).loss == 0
            count += 1
    assert count > 100
