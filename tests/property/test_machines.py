"""Parsers and trainers under any sequence of what one can do with them: after each step it is asked what must hold."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from tests.property.strategies import EVERY_SYSTEM, EXACT, tree_heads

import dynarc
from dynarc.data import english
from dynarc.errors import IllegalTransition

FEATURES = ("S0.tag", "B0.tag", "S0.tag+B0.tag", "S0.form", "B0.form")
QUICK = settings(
    max_examples=12,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Configurations(RuleBasedStateMachine):
    """A configuration of any system: whatever is applied and undone, costs are differences of losses, and what was
    undone is as it was."""

    @initialize(ts=st.sampled_from(EVERY_SYSTEM), heads=tree_heads(6))
    def start(self, ts: dynarc.System, heads: list[int]) -> None:
        self.ts = ts
        self.oracle = ts.oracle("dynamic").bind(dynarc.Tree(heads))
        self.state = ts.initial(len(heads))
        self.before: list[dynarc.State] = []

    @precondition(lambda self: not self.state.is_final)
    @rule(data=st.data())
    def apply(self, data: st.DataObject) -> None:
        move = data.draw(st.sampled_from(self.state.legal()))
        self.before.append(self.state.copy())
        self.state.apply(move)
        assert self.state.history[-1] == move

    @precondition(lambda self: self.before)
    @rule()
    def undo(self) -> None:
        self.state.undo()
        assert self.state.identical(self.before.pop())

    @rule(move=st.sampled_from(("SHIFT", "LEFT", "RIGHT", "REDUCE", "LEFT2", "RIGHT2", "NOARC", "SWAP")))
    def what_is_not_legal_changes_nothing(self, move: str) -> None:
        transition = dynarc.Transition(move)
        if not self.state.is_legal(transition):
            copy = self.state.copy()
            try:
                self.state.apply(transition)
            except IllegalTransition:
                assert self.state.identical(copy)
            else:
                raise AssertionError(f"{move} was applied to {copy}")

    @invariant()
    def costs_are_differences(self) -> None:
        if self.state.is_final:
            return
        costs = self.oracle.costs(self.state)
        assert set(costs) == set(self.state.legal())
        assert len(self.oracle.optimal(self.state)) >= 1
        if self.ts in EXACT:
            assert min(costs.values()) == 0
            for move, cost in costs.items():
                after = self.state.copy()
                after.apply(move)
                assert self.oracle.loss(after) - self.oracle.loss(self.state) == cost


@cache
def parser() -> dynarc.Parser:
    config = dynarc.TrainConfig(features=FEATURES, epochs=2)
    return dynarc.train(english("dev")[:40], config=config, calibrate=False)


class Parsing(RuleBasedStateMachine):
    """A parser that is saved, loaded and used in any order gives each sentence the tree it gave it first."""

    sentences = Bundle("sentences")

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.path = Path(self.folder.name) / "model.dynarc"
        self.parser = parser().stored()
        self.trees: dict[tuple[str, ...], list[int]] = {}

    def teardown(self) -> None:
        self.folder.cleanup()

    @rule(
        target=sentences, words=st.lists(st.sampled_from(("the", "ship", "left", "Rain", ".", "x y", "é")), min_size=1)
    )
    def sentence(self, words: list[str]) -> tuple[str, ...]:
        return tuple(words)

    @rule(words=sentences)
    def parse(self, words: tuple[str, ...]) -> None:
        found = self.parser.parse(list(words)).heads[:]
        heads = [head for head in found if head is not None]
        assert heads == self.trees.setdefault(tuple(words), heads)
        assert len(heads) == len(words)
        assert dynarc.Tree(heads).heads == tuple(heads)  # which refuses cycles
        assert heads.count(0) >= 1

    @rule(words=sentences, data=st.data())
    def parse_with_an_arc_that_is_given(self, words: tuple[str, ...], data: st.DataObject) -> None:
        word = data.draw(st.integers(1, len(words)))
        tree = self.trees.get(tuple(words))
        if tree is not None:  # an arc of its own changes nothing
            given = self.parser.parse(list(words), fixed={word: (tree[word - 1], None)})
            assert given.heads[word - 1] == tree[word - 1]

    @rule()
    def save(self) -> None:
        self.parser.save(self.path)

    @precondition(lambda self: self.path.exists())
    @rule()
    def load(self) -> None:
        self.parser = dynarc.load(self.path)

    @precondition(lambda self: self.path.exists())
    @rule(cut=st.floats(0, 0.99))
    def a_damaged_file_is_refused_and_the_parser_goes_on(self, cut: float) -> None:
        whole = self.path.read_bytes()
        self.path.write_bytes(whole[: int(cut * len(whole))])
        try:
            dynarc.load(self.path)
        except dynarc.ModelFormatError:
            self.path.write_bytes(whole)
        else:
            raise AssertionError("a model that is cut short was loaded")


class Stop(Exception):  # noqa: N818
    """What ends a run of training from outside."""


class Training(RuleBasedStateMachine):
    """Training with a checkpoint, ended at any epoch and begun again any number of times, gives the same model as in
    one piece; data or options that are not the same are refused, and do no harm."""

    EPOCHS = 3

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.checkpoint = Path(self.folder.name) / "checkpoint"
        self.done = False

    def teardown(self) -> None:
        self.folder.cleanup()

    @staticmethod
    @cache
    def wanted() -> tuple[bytes, bytes]:
        model = dynarc.train(Training.treebank(), config=Training.config(), calibrate=False).model
        return model.keys, model.values

    @staticmethod
    @cache
    def treebank() -> dynarc.Treebank:
        return english("dev")[:25]

    @staticmethod
    def config(seed: int = 1) -> dynarc.TrainConfig:
        return dynarc.TrainConfig(features=FEATURES, epochs=Training.EPOCHS, seed=seed)

    def train(self, progress: Callable[[object], None] | None = None) -> dynarc.Parser:
        return dynarc.train(
            self.treebank(), config=self.config(), checkpoint=self.checkpoint, progress=progress, calibrate=False
        )

    @rule(epochs=st.integers(1, 2))
    def is_stopped(self, epochs: int) -> None:
        seen = 0

        def progress(report: object) -> None:
            nonlocal seen
            seen += 1
            if seen == epochs:
                raise Stop

        try:
            self.train(progress)
            self.done = True
        except Stop:
            pass

    @rule()
    def goes_on_to_the_end(self) -> None:
        model = self.train().model
        assert (model.keys, model.values) == self.wanted()
        self.done = True

    @precondition(lambda self: self.checkpoint.exists())
    @rule(seed=st.integers(2, 9))
    def another_run_is_refused(self, seed: int) -> None:
        before = self.checkpoint.read_bytes()
        try:
            dynarc.train(self.treebank(), config=self.config(seed), checkpoint=self.checkpoint, calibrate=False)
        except dynarc.ModelFormatError:
            assert self.checkpoint.read_bytes() == before
        else:
            raise AssertionError("the checkpoint of another run was used")


TestConfigurations = Configurations.TestCase
TestConfigurations.settings = settings(QUICK, max_examples=40, stateful_step_count=25)
TestParsing = Parsing.TestCase
TestParsing.settings = QUICK
TestTraining = Training.TestCase
TestTraining.settings = settings(QUICK, max_examples=8, stateful_step_count=6)
