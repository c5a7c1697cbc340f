"""adagrad-rda against a dense textbook version of it (ORACLES.md 10, FEATURES.md 9.3), which shares no code with it.

The textbook keeps g and G for every feature and class, in double precision, and makes all weights anew at every state.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.exact.test_training import EPOCHS, TEMPLATES, Reference

import dynarc
from dynarc import _core
from dynarc.config import AmbiguityExploration, ErrorExploration, NoExploration, Sampling, TrainConfig
from dynarc.data import english
from dynarc.train import Epoch, train
from dynarc.treebank import Treebank

Keys = list[tuple[object, ...]]


def softmax(scores: dict[int, float]) -> dict[int, float]:
    most = max(scores.values())
    powers = {c: math.exp(score - most) for c, score in scores.items()}
    total = sum(powers.values())
    return {c: power / total for c, power in powers.items()}


def log_likelihood(scores: dict[int, float], wanted: list[int]) -> float:
    p = softmax(scores)
    return math.log(sum(p[c] for c in wanted))


def gradient(scores: dict[int, float], wanted: list[int]) -> dict[int, float]:
    """f_y - p_y: the share in the wanted ones, less the share in all."""
    p, f = softmax(scores), softmax({c: scores[c] for c in wanted})
    return {c: f.get(c, 0.0) - p[c] for c in scores}


def test_gradient_is_that_of_the_likelihood() -> None:
    scores = {0: 0.3, 1: -1.2, 2: 2.0, 3: 0.9, 4: -0.1}
    step = 1e-6
    for wanted in ([2], [0, 1], [1, 3, 4], [0, 1, 2, 3, 4]):
        found = gradient(scores, wanted)
        for c in scores:
            up, down = ({**scores, c: scores[c] + delta} for delta in (step, -step))
            slope = (log_likelihood(up, wanted) - log_likelihood(down, wanted)) / (2 * step)
            assert found[c] == pytest.approx(slope, abs=1e-8)


@pytest.mark.parametrize("wanted", [[2], [0, 1], [1, 3, 4], [0, 1, 2, 3, 4], [0]])
@pytest.mark.parametrize("shift", [0.0, 300.0, -300.0])
def test_engine_has_that_gradient(wanted: list[int], shift: float) -> None:
    scores = [0.25 + shift, -1.5 + shift, 2.0 + shift, 0.75 + shift, -30.0 + shift]
    expected = gradient(dict(enumerate(scores)), wanted)
    found = _core.likelihood_gradient(scores, [c in wanted for c in range(5)])
    assert found == pytest.approx([expected[c] for c in range(5)], abs=1e-14)


def test_engine_has_that_exponential() -> None:
    for i in range(-7000, 7001):
        x = i / 10 + i * 1e-7
        if abs(x) <= 700:
            assert _core.exponential(x) == pytest.approx(math.exp(x), rel=5e-16)
    assert _core.exponential(-1e9) == 0.0
    assert _core.exponential(0.0) == 1.0


class Textbook(Reference):
    """AdaGrad-RDA over all classes: w = alpha * shrink(g, j * lambda) / sqrt(G + rho)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.table = Sums(self.config, sum(len(sentence) for sentence in self.sentences))
        self.rest_table = Sums(self.config, sum(len(sentence) for sentence in self.sentences))

    @property
    def exploring(self) -> bool:
        explore = self.explore
        return isinstance(explore, Sampling | ErrorExploration) and self.epoch > explore.k

    def draw(self, probabilities: dict[int, float]) -> int:
        drawn, below = self.random.uniform(), 0.0
        for c, p in sorted(probabilities.items()):
            below += p
            if drawn < below:
                return c
        raise AssertionError("a draw on the edge")

    def scores(self, keys: Keys, averaged: bool) -> list[float]:
        return [self.table.score(keys, c) for c in range(len(self.classes))]

    def learn(self, sentence: dynarc.Sentence) -> Iterator[int]:
        oracle = self.ts.oracle("dynamic", nonprojective="formula").bind(sentence.tree)
        static = self.ts.oracle("static").bind(sentence.tree)
        state = self.ts.initial(len(sentence))
        while not state.is_final:
            legal, keys = self.legal(state), self.features(state, sentence)
            chosen = legal[0]
            if len(legal) > 1 or isinstance(self.classes[legal[0]][1], str):
                yield 0
                scores = self.scores(keys, averaged=False)
                costs = {
                    c: min(
                        int(self.transition(c, label) != static.optimal(state)[0])
                        if self.config.oracle == "static"
                        else oracle.cost(state, self.transition(c, label))
                        for label in self.possible(c, state)
                    )
                    for c in legal
                }
                wanted = [c for c in legal if costs[c] == min(costs.values())]
                predicted, best = self.best(legal, scores), self.best(wanted, scores)
                if predicted not in wanted:
                    yield 1
                chosen = predicted if predicted in wanted else best
                if isinstance(self.explore, Sampling) and self.exploring:
                    chosen = self.draw(softmax({c: scores[c] for c in legal}))
                elif predicted not in wanted:
                    if self.exploring:
                        assert isinstance(self.explore, ErrorExploration)
                        if self.random.uniform() < self.explore.p:
                            chosen = predicted
                    elif isinstance(self.explore, AmbiguityExploration):
                        chosen = wanted[self.random.below(len(wanted))]
                if chosen not in wanted:
                    yield 2
                competing = legal if self.config.normalize == "legal" else range(len(self.classes))
                self.table.update(keys, gradient({c: scores[c] for c in competing}, wanted))
            [label, *more] = possible = self.possible(chosen, state)
            if more or isinstance(self.classes[chosen][1], str):
                label = self.learn_rest(keys, chosen, possible, state, sentence.tree)
            state.apply(self.transition(chosen, label))

    def rest_label(self, keys: Keys, possible: list[int | None], averaged: bool) -> int | None:
        scores = {label or 0: self.rest_table.score(keys, label or 0) for label in possible}
        return max(scores, key=lambda label: (scores[label], -label))

    def learn_rest(
        self, keys: Keys, chosen: int, possible: list[int | None], state: dynarc.State, tree: dynarc.Tree
    ) -> int | None:
        move = self.classes[chosen][0]
        assert tree.deprels is not None
        head, word = (state.buffer[0], state.stack[-1]) if move == "LEFT" else (self.right_head(state), state.buffer[0])
        if move == "RIGHT" and self.ts.name != "arc-eager":
            word = state.stack[-1]
        own = [(move, *key) for key in keys]
        predicted = self.rest_label(own, possible, averaged=False)
        right = self.labels.index(str(tree.deprels[word - 1]))
        if tree.heads[word - 1] != head or (move, right) not in self.rest:
            return predicted
        scores = {label or 0: self.rest_table.score(own, label or 0) for label in possible}
        taken = predicted if self.exploring else right
        if self.exploring and isinstance(self.explore, Sampling):
            taken = self.draw(softmax(scores))
        self.rest_table.update(own, gradient(scores, [right]))
        return taken


class Sums:
    def __init__(self, config: TrainConfig, words: int) -> None:
        self.config = config
        self.l1 = 1 / (20 * words) if config.l1 is None else config.l1
        self.g: dict[tuple[object, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.squares: dict[tuple[object, ...], dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self.updates = 0

    def weight(self, key: tuple[object, ...], c: int) -> float:
        g = self.g[key][c]
        over = abs(g) - self.updates * self.l1
        if over <= 0:
            return 0.0
        return math.copysign((self.config.alpha or 0) * over / math.sqrt(self.squares[key][c] + self.config.rho), g)

    def score(self, keys: Keys, c: int) -> float:
        return sum(self.weight(key, c) for key in keys)

    def update(self, keys: Keys, change: dict[int, float]) -> None:
        for key in keys:
            for c, d in change.items():
                if abs(d) > self.config.least_gradient:
                    self.g[key][c] += d
                    self.squares[key][c] += d * d
        self.updates += 1


RDA = TrainConfig(learner="adagrad-rda", least_gradient=0, alpha=1)
CASES = {
    "sampling": RDA,
    "sampling after an epoch": replace(RDA, explore=Sampling(1)),
    "errors": replace(RDA, explore=ErrorExploration(1, 0.9)),
    "ambiguity": replace(RDA, explore=AmbiguityExploration()),
    "no exploration": replace(RDA, explore=NoExploration()),
    "static": replace(RDA, oracle="static"),
    "legal ones compete": replace(RDA, normalize="legal"),
    "other constants": replace(RDA, alpha=0.5, rho=0.2, l1=1e-3),
    "small gradients are left out": replace(RDA, least_gradient=1e-3),
    "joint classes": replace(RDA, classes=0),
    "few classes": replace(RDA, classes=20),
    "few classes, no exploration": replace(RDA, classes=20, explore=NoExploration()),
    "arc-hybrid": replace(RDA, system="arc-hybrid"),
}


@pytest.mark.parametrize("case", CASES)
def test_every_epoch_is_that_of_the_textbook(case: str) -> None:
    config = replace(CASES[case], features=TEMPLATES, epochs=EPOCHS, nonprojective="drop", single_root=False)
    treebank = Treebank([sentence for sentence in english("train") if len(sentence) <= 10][:40])
    textbook = Textbook(treebank, config, config.policy)
    seen: list[Epoch] = []
    parser = train(treebank, config=config, progress=seen.append)
    for epoch in seen:
        assert (epoch.states, epoch.updates, epoch.explored) == textbook.run_epoch(), epoch.number
    assert seen[-1].updates < seen[0].updates
    held_out = Treebank([sentence for sentence in english("dev") if len(sentence) <= 15][:30])
    assert [textbook.parse(sentence) for sentence in held_out] == [s.heads for s in parser.parse(held_out)]
    # The weights themselves: as many are not zero, and they are as great.
    own = sorted(w for key, row in textbook.table.g.items() for c in row if (w := textbook.table.weight(key, c)) != 0)
    found = sorted(memoryview(parser.model.values).cast("f"))
    assert len(own) == pytest.approx(len(found), rel=0.01)
    assert sum(map(abs, own)) == pytest.approx(sum(map(abs, found)), rel=1e-3)
    assert own[0] == pytest.approx(found[0], rel=1e-2)
    assert own[-1] == pytest.approx(found[-1], rel=1e-2)
