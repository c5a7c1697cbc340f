"""Training against a plain reading of its definitions (FEATURES.md 9.1, 9.2 and 9.3), which shares no code with it.

The reference steps through the public API, takes features from states by hand and keeps weights in dictionaries. Its
counts of updates and explored states must be the engine's in every epoch, and its parser must give the same trees.
"""

import math
import struct
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest

import dynarc
from dynarc.config import AmbiguityExploration, ErrorExploration, Exploration, NoExploration, TrainConfig
from dynarc.data import english
from dynarc.prepare import prepare
from dynarc.train import Epoch, train
from dynarc.treebank import Treebank

TEMPLATES = ("S0.form", "B0.form", "S0.tag+B0.tag", "S0.tag+B0.tag+B1.tag", "S0.deprel+B0.tag", "S0.left1.tag+S0.form")
EPOCHS = 4
MASK = (1 << 64) - 1


def single(value: float) -> float:
    """In single precision, as the engine keeps weights: where equals compete, the last bit decides."""
    rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    return rounded


class Random:
    """SplitMix64 (Steele, Lea & Flood 2014)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def next(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound: int) -> int:
        return ((self.next() >> 32) * bound) >> 32

    def uniform(self) -> float:
        return (self.next() >> 11) * 2.0**-53


@dataclass
class Reference:
    """A perceptron over labelled transitions, written as FEATURES.md 9 says it."""

    treebank: Treebank
    config: TrainConfig
    explore: Exploration
    weights: dict[tuple[object, ...], dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    sums: dict[tuple[object, ...], dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    clock: int = 0
    epoch: int = 0

    def __post_init__(self) -> None:
        prepared = prepare(self.treebank, self.config)
        self.ts = prepared.ts
        self.labels = [name for name, _ in prepared.labels.names]
        self.words, self.first_root = prepared.labels.words, prepared.labels.first_root
        kept = {number for number, _, _ in prepared.trees}
        self.sentences = [sentence for number, sentence in enumerate(self.treebank) if number in kept]
        forms: dict[str, int] = defaultdict(int)
        for sentence in self.sentences:
            for form in sentence.forms:
                forms[form] += 1
        self.known = {form for form, n in forms.items() if n >= self.config.min_count}
        self.random = Random(self.config.seed)
        self.order = list(range(len(self.sentences)))
        moves = ("SHIFT", "LEFT", "RIGHT", "REDUCE") if self.ts.name == "arc-eager" else ("SHIFT", "LEFT", "RIGHT")
        # What has no class of its own (PERFORMANCE.md 1) shares one before and one after the others of its move: for
        # arcs between words, and from ROOT.
        moved = {"LEFT": 1, "RIGHT": 2}
        rest = {(move, label) for move in moved for label in range(len(self.labels))
                if (moved[move], label) in prepared.labels.rest}  # fmt: skip
        self.rest = rest
        self.classes: list[tuple[str, int | str | None]] = []
        for move in sorted(moves, key=self.move_order):
            if move not in moved:
                self.classes.append((move, None))
                continue
            if any((move, label) in rest for label in range(self.words)):
                self.classes.append((move, "rest of words"))
            self.classes += [(move, label) for label in range(len(self.labels)) if (move, label) not in rest]
            if any((move, label) in rest for label in range(self.first_root, len(self.labels))):
                self.classes.append((move, "rest of root"))
        self.number = {found: i for i, found in enumerate(self.classes)}
        self.rest_weights: dict[tuple[object, ...], dict[int, float]] = defaultdict(dict)
        self.rest_sums: dict[tuple[object, ...], dict[int, float]] = defaultdict(dict)
        self.rest_clock = 0
        length = math.ceil(len(self.classes) / 32) * 32
        self.many = next(size for size in (2, 4, 8, 16, 32, 64) if 8 * size >= length)

    @staticmethod
    def move_order(move: str) -> int:
        return ("SHIFT", "LEFT", "RIGHT", "REDUCE").index(move)

    def legal(self, state: dynarc.State) -> list[int]:
        found = []
        for t in state.legal():
            if t.move not in ("LEFT", "RIGHT"):
                found.append(self.number[t.move, None])
                continue
            head = state.buffer[0] if t.move == "LEFT" else self.right_head(state)
            labels = range(self.first_root, len(self.labels)) if head == 0 else range(self.words)
            rest = "rest of root" if head == 0 else "rest of words"
            found += [self.number[t.move, rest if (t.move, label) in self.rest else label] for label in labels]
        return sorted(set(found))

    def possible(self, number: int, state: dynarc.State) -> list[int | None]:
        """The labels that a class stands for."""
        move, label = self.classes[number]
        if label == "rest of root":
            return [n for n in range(self.first_root, len(self.labels)) if (move, n) in self.rest]
        if label == "rest of words":
            return [n for n in range(self.words) if (move, n) in self.rest]
        assert not isinstance(label, str)
        return [label]

    def rest_label(self, keys: list[tuple[object, ...]], possible: list[int | None], averaged: bool) -> int | None:
        """The best of them by the second table."""
        scores = dict.fromkeys(possible, 0.0)
        for key in keys:
            for label, weight in self.rest_weights.get(key, {}).items():
                if label in scores:
                    average = self.rest_sums[key][label] / self.rest_clock if averaged else 0.0
                    scores[label] = single(scores[label] + single(weight - average))
        return max(possible, key=lambda label: (scores[label], -(label or 0)))

    def right_head(self, state: dynarc.State) -> int:
        return state.stack[-1] if self.ts.name == "arc-eager" else state.stack[-2]

    def transition(self, number: int, label: int | None) -> dynarc.Transition:
        return dynarc.Transition(self.classes[number][0], None if label is None else self.labels[label])

    def features(self, state: dynarc.State, sentence: dynarc.Sentence) -> list[tuple[object, ...]]:
        forms = ["<root>", *(form if form in self.known else "<unknown>" for form in sentence.forms)]
        tags = ["<root>", *sentence.upos]
        s0 = state.stack[-1] if state.stack else None
        b0 = state.buffer[0] if state.buffer else None
        b1 = state.buffer[1] if len(state.buffer) > 1 else None
        left = None
        if s0 is not None:
            left = min((d for d, h in enumerate(state.heads, start=1) if h == s0 and d < s0), default=None)
        label = state.labels[s0 - 1] if s0 else None

        def form(node: int | None) -> object:
            return None if node is None else forms[node]

        def tag(node: int | None) -> object:
            return None if node is None else tags[node]

        values: list[tuple[object, ...]] = [
            (form(s0),),
            (form(b0),),
            (tag(s0), tag(b0)),
            (tag(s0), tag(b0), tag(b1)),
            (label, tag(b0)),
            (tag(left), form(s0)),
        ]
        return [(template, *value) for template, value in zip(TEMPLATES, values, strict=True)]

    def scores(self, keys: list[tuple[object, ...]], averaged: bool) -> list[float]:
        scores = [0.0] * len(self.classes)
        # Features with weights for many classes are added last: in single precision the order matters.
        for key in sorted(keys, key=lambda key: len(self.weights.get(key, {})) > self.many):
            for number, weight in self.weights.get(key, {}).items():
                average = self.sums[key][number] / self.clock if averaged else 0.0
                scores[number] = single(scores[number] + single(weight - average))
        return scores

    def best(self, numbers: list[int], scores: list[float]) -> int:
        return max(numbers, key=lambda number: (scores[number], -number))

    def run_epoch(self) -> tuple[int, int, int]:
        """Scored states, updates, explored states."""
        self.epoch += 1
        for i in range(len(self.order), 1, -1):
            j = self.random.below(i)
            self.order[i - 1], self.order[j] = self.order[j], self.order[i - 1]
        totals = [0, 0, 0]
        for i in self.order:
            for kind in self.learn(self.sentences[i]):
                totals[kind] += 1
        return totals[0], totals[1], totals[2]

    def learn(self, sentence: dynarc.Sentence) -> Iterator[int]:
        tree = sentence.tree
        prices = dict(self.config.arc_weight) or None
        dynamic = self.ts.oracle(
            "dynamic", nonprojective="formula", label_cost=self.config.label_cost, arc_weight=prices
        ).bind(tree)
        static = self.ts.oracle("static", strict=False).bind(tree)
        state = self.ts.initial(len(sentence))
        while not state.is_final:
            legal = self.legal(state)
            chosen = legal[0]
            keys = self.features(state, sentence)
            if len(legal) > 1 or isinstance(self.classes[legal[0]][1], str):
                yield 0
                self.clock += 1
                scores = self.scores(keys, averaged=False)
                predicted = self.best(legal, scores)
                if self.config.oracle == "static":
                    [wanted] = static.optimal(state)
                    costs: dict[int, float] = {
                        n: min(int(self.transition(n, label) != wanted) for label in self.possible(n, state))
                        for n in legal
                    }
                else:
                    costs = {
                        n: min(dynamic.cost(state, self.transition(n, label)) for label in self.possible(n, state))
                        for n in legal
                    }
                least = min(costs.values())
                zero = [n for n in legal if costs[n] == least]
                right = self.best(zero, scores)
                if self.config.target == "canonical":
                    moves = {t.move for t in static.optimal(state)}
                    right = self.best([n for n in zero if self.classes[n][0] in moves] or zero, scores)
                chosen = predicted if predicted in zero else right
                if predicted not in zero:
                    yield 1
                    self.update(keys, scores, right, predicted, {n: costs[n] - least for n in legal})
                    explore = self.explore
                    if (
                        isinstance(explore, ErrorExploration)
                        and self.epoch > explore.k
                        and self.random.uniform() < explore.p
                    ):
                        yield 2
                        chosen = predicted
                    elif isinstance(explore, AmbiguityExploration) or (
                        isinstance(explore, ErrorExploration) and explore.otherwise == "random"
                    ):
                        chosen = zero[self.random.below(len(zero))]
            [label, *more] = possible = self.possible(chosen, state)
            if more or isinstance(self.classes[chosen][1], str):
                label = self.learn_rest(keys, chosen, possible, state, tree)
            state.apply(self.transition(chosen, label))

    def learn_rest(
        self,
        keys: list[tuple[object, ...]],
        chosen: int,
        possible: list[int | None],
        state: dynarc.State,
        tree: dynarc.Tree,
    ) -> int | None:
        """A perceptron of its own for the labels that share a class, where the arc is right."""
        move = self.classes[chosen][0]
        label = self.rest_label([(move, *key) for key in keys], possible, averaged=False)
        head, word = (state.buffer[0], state.stack[-1]) if move == "LEFT" else (self.right_head(state), state.buffer[0])
        if move == "RIGHT" and self.ts.name != "arc-eager":
            word = state.stack[-1]
        assert tree.deprels is not None
        right = self.labels.index(str(tree.deprels[word - 1]))
        if tree.heads[word - 1] != head or (move, right) not in self.rest:
            return label
        self.rest_clock += 1
        if label != right:
            for number, delta in ((right, 1.0), (label, -1.0)):
                assert number is not None
                for key in keys:
                    # One table for both moves: a class is a move and a label.
                    self.rest_weights[(move, *key)][number] = self.rest_weights[(move, *key)].get(number, 0.0) + delta
                    self.rest_sums[(move, *key)][number] = (
                        self.rest_sums[(move, *key)].get(number, 0.0) + delta * self.rest_clock
                    )
        explore = self.explore
        exploring = isinstance(explore, ErrorExploration) and explore.p > 0 and self.epoch > explore.k
        return label if exploring else right

    def update(
        self,
        keys: list[tuple[object, ...]],
        scores: list[float],
        right: int,
        wrong: int,
        costs: dict[int, float],
    ) -> None:
        change = 1.0
        if self.config.learner == "passive-aggressive":

            def loss(number: int) -> float:
                price = math.sqrt(costs[number]) if self.config.cost_sensitive else 1.0
                return scores[number] - scores[right] + price

            if self.config.max_loss:
                wrong = max((n for n in costs if costs[n]), key=lambda n: (loss(n), -n))
            change = min(self.config.aggressiveness, loss(wrong) / (2 * len(keys)))
        for number, delta in ((right, change), (wrong, -change)):
            for key in keys:
                self.weights[key][number] = single(self.weights[key].get(number, 0.0) + single(delta))
                self.sums[key][number] = self.sums[key].get(number, 0.0) + delta * self.clock

    def parse(self, sentence: dynarc.Sentence) -> list[int | None]:
        state = self.ts.initial(len(sentence))
        while not state.is_final:
            legal = self.legal(state)
            keys = self.features(state, sentence)
            chosen = self.best(legal, self.scores(keys, averaged=True))
            [label, *more] = possible = self.possible(chosen, state)
            if more:
                label = self.rest_label([(self.classes[chosen][0], *key) for key in keys], possible, averaged=True)
            state.apply(self.transition(chosen, label))
        return list(state.heads)


CASES = {
    "perceptron, errors explored": TrainConfig(explore=ErrorExploration(1, 0.9)),
    "always the prediction": TrainConfig(explore=ErrorExploration(0, 1.0)),
    "otherwise a random one": TrainConfig(explore=ErrorExploration(1, 0.5, "random"), seed=3),
    "ambiguity": TrainConfig(explore=AmbiguityExploration()),
    "no exploration": TrainConfig(explore=NoExploration()),
    "static": TrainConfig(oracle="static"),
    "arc-hybrid": TrainConfig(system="arc-hybrid"),
    "passive-aggressive": TrainConfig(learner="passive-aggressive"),
    "passive-aggressive, plain": TrainConfig(learner="passive-aggressive", cost_sensitive=False, aggressiveness=0.05),
    "passive-aggressive, max-loss": TrainConfig(learner="passive-aggressive", max_loss=True),
    "the static oracle's move": TrainConfig(target="canonical"),
    "the static oracle's move, arc-hybrid": TrainConfig(target="canonical", system="arc-hybrid", seed=2),
    "the static oracle's move, passive-aggressive": TrainConfig(target="canonical", learner="passive-aggressive"),
    "joint classes": TrainConfig(classes=0),
    "few classes": TrainConfig(classes=20),
    "few classes, static": TrainConfig(classes=20, oracle="static"),
    "few classes, arc-hybrid": TrainConfig(classes=12, system="arc-hybrid"),
    "few classes, passive-aggressive": TrainConfig(classes=16, learner="passive-aggressive"),
    "labels cost less (9.4)": TrainConfig(label_cost=0.5),
    "arcs have prices (9.4)": TrainConfig(arc_weight=(("punct", 0), ("det", 3))),
    "passive-aggressive, prices": TrainConfig(
        learner="passive-aggressive", label_cost=0.25, arc_weight=(("punct", 0.5),)
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("single_root", [True, False])
def test_every_epoch_is_that_of_the_definitions(case: str, single_root: bool) -> None:
    config = replace(CASES[case], features=TEMPLATES, epochs=EPOCHS, nonprojective="drop", single_root=single_root)
    treebank = Treebank([sentence for sentence in english("train") if len(sentence) <= 12][:60])
    reference = Reference(treebank, config, config.policy)
    seen: list[Epoch] = []
    parser = train(treebank, config=config, progress=seen.append)
    for epoch in seen:
        assert (epoch.states, epoch.updates, epoch.explored) == reference.run_epoch(), epoch.number
    assert seen[-1].updates > 0
    held_out = Treebank([sentence for sentence in english("dev") if len(sentence) <= 15][:30])
    assert [reference.parse(sentence) for sentence in held_out] == [s.heads for s in parser.parse(held_out)]
