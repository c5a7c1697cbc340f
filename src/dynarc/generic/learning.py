"""Learning to act: imitation of an oracle, online as the parser does it or by aggregating data (DAgger)."""

import importlib
import json
import os
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final, Literal, get_args

from dynarc import _core
from dynarc.config import (
    AmbiguityExploration,
    ErrorExploration,
    Exploration,
    LearnerName,
    NoExploration,
    Sampling,
    exploration,
)
from dynarc.errors import ConfigError, ModelFormatError, OracleError
from dynarc.generic.oracle import END, EQUAL, AnyOracle
from dynarc.generic.task import AnyTask, Seen
from dynarc.model_file import (
    EXACT,
    Contents,
    Storage,
    pack_weights,
    parsed_json,
    read_model_file,
    refusing,
    unpack_linear,
    write_model_file,
)

Example = tuple[Any, Any]  # an input and what is right
Method = Literal["online", "dagger"]
OracleName = Literal["dynamic", "static"]


@dataclass(frozen=True, slots=True)
class Config:
    """How to learn.

    `method="online"` learns from each state as it comes, in `epochs` passes; `explore` says where to go on, exactly as
    in `dynarc.TrainConfig`. The static oracle knows one sequence and never leaves it.

    `method="dagger"` goes through the data in `rounds` and keeps every state it has seen, with its costs; after each
    round it learns from all of them, from scratch (unless `warm`), in `epochs` passes (Ross et al. 2011). In round r,
    counted from 0, the model decides where to go on with probability 1 - `decay` ** r, else the oracle: the first round
    follows the oracle alone.

    `keep_oracles` keeps the oracle of every example, which makes all epochs but the first faster and takes memory: for
    a sentence of 24 words about half a megabyte in `Bracketing`.

    `aggressiveness`, `cost_sensitive`, `max_loss` are of the passive-aggressive learner, `alpha`, `rho`, `l1` of
    adagrad-rda; see `dynarc.TrainConfig`.
    """

    learner: LearnerName = "perceptron"
    method: Method = "online"
    oracle: OracleName = "dynamic"
    explore: Exploration | None = None
    epochs: int = 10
    rounds: int = 5
    decay: float = 0.5
    warm: bool = False
    seed: int = 1
    keep: Literal["best", "last"] = "best"
    keep_oracles: bool = False
    aggressiveness: float = 0.1
    cost_sensitive: bool = True
    max_loss: bool = False
    alpha: float = 1.0
    rho: float = 0.01
    l1: float = 0.0

    def __post_init__(self) -> None:
        for name, allowed in (
            ("learner", get_args(LearnerName)),
            ("method", get_args(Method)),
            ("oracle", get_args(OracleName)),
            ("keep", ("best", "last")),
        ):
            if getattr(self, name) not in allowed:
                raise ConfigError(f"{name} is {getattr(self, name)!r}", name, allowed)
        for name in ("epochs", "rounds"):
            if not isinstance(getattr(self, name), int) or getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)!r}, but must be a whole number, 1 or more", name)
        if not 0 <= self.decay <= 1:
            raise ConfigError(f"decay is {self.decay!r}, but must be between 0 and 1", "decay")
        if self.oracle == "static" and (self.method == "dagger" or self.explore not in (None, NoExploration())):
            raise ConfigError("the static oracle knows one way only, so there is nothing to explore", "oracle")
        if isinstance(self.explore, Sampling) and self.learner != "adagrad-rda":
            raise ConfigError(f"the scores of a {self.learner} are no probabilities to sample from", "explore")

    @property
    def policy(self) -> Exploration:
        """How errors are explored, if that was left open: by what fits."""
        if self.explore is not None:
            return self.explore
        if self.oracle == "static" or self.method == "dagger":
            return NoExploration()
        return Sampling() if self.learner == "adagrad-rda" else ErrorExploration()

    def to_dict(self) -> dict[str, Any]:
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        values["explore"] = None if self.explore is None else str(self.explore)
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Config":
        known = {f.name for f in fields(cls)}
        if unknown := set(values) - known:
            raise ConfigError(f"there is no option {min(unknown)!r}", "option", sorted(known))
        given = dict(values)
        if isinstance(given.get("explore"), str):
            given["explore"] = exploration(given["explore"])
        return cls(**given)


@dataclass(frozen=True, slots=True)
class Round:
    """What one epoch, or one round of DAgger, did. `score` is that on dev, None without one."""

    number: int
    states: int
    updates: int  # where the prediction was wrong
    explored: int  # where a wrong action was followed
    examples: int
    skipped: int  # examples whose oracle gave up
    seconds: float
    score: float | None

    def __str__(self) -> str:
        wrong = 100 * self.updates / max(1, self.states)
        off = 100 * self.explored / max(1, self.states)
        score = "" if self.score is None else f"  dev {self.score:.2f}"
        done = f"{self.number:3}  {self.states:,} states  {wrong:.1f}% wrong  {off:.1f}% explored"
        return f"{done}{score}  {self.seconds:.1f} s"


Progress = Callable[[Round], None]


class Extractor:
    """From what a task sees to what the engine learns from."""

    def __init__(self, templates: Sequence[str]) -> None:
        parts = [template.split("+") for template in templates]
        self.names = sorted({name for part in parts for name in part})
        number = {name: place for place, name in enumerate(self.names)}
        self._templates = _core.NamedTemplates([[number[n] for n in part] for part in parts], len(self.names))
        self._known = bool(templates)

    def __call__(self, seen: Seen) -> _core.FeatureKeys:
        if isinstance(seen, Mapping):
            if not self._known:
                raise ConfigError("features() gives values by name, but the task has no templates that use them")
            get = seen.get
            return self._templates.keys([get(name) for name in self.names])
        return _core.FeatureKeys(list(seen))

    def check(self, seen: Seen) -> None:
        """Raises ConfigError if a template is about a value that is never given."""
        if isinstance(seen, Mapping) and (missing := [name for name in self.names if name not in seen]):
            raise ConfigError(f"a template is about {missing[0]!r}, which features() does not give", "templates", seen)


@dataclass
class Predictor:
    """A trained model of a task."""

    task: AnyTask
    model: _core.LinearModel
    config: Config
    info: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._extract = Extractor(self.task.templates)
        self._classes = _classes(self.task)

    def __call__(self, x: Any) -> Any:
        return self.task.output(self.final_state(x))

    def predict(self, inputs: Iterable[Any]) -> list[Any]:
        """The outputs for some inputs."""
        return [self(x) for x in inputs]

    def final_state(self, x: Any) -> Any:
        """Where the best-scoring actions lead."""
        state = self.task.start(x)
        while not state.is_final:
            legal = state.legal()
            if len(legal) > 1:
                features = self._extract(self.task.features(state))
                state.apply(legal[self.model.best(features, _numbers(legal, self._classes))])
            else:
                state.apply(_only(legal, state))
        return state

    def score(self, examples: Iterable[Example]) -> float:
        """How good it is, by the measure of the task."""
        pairs = list(examples)
        return self.task.score(self.predict([x for x, _ in pairs]), [y for _, y in pairs])

    def save(self, path: str | os.PathLike[str], *, storage: Storage = EXACT) -> None:
        """Writes the model to a file, whole or not at all."""
        cls = type(self.task)
        metadata = {
            "kind": KIND,
            "task": json.dumps({"module": cls.__module__, "name": cls.__qualname__, "options": self.task.options()}),
            "actions": json.dumps(self.task.actions),
            "templates": json.dumps(self.task.templates),
            "config": json.dumps(self.config.to_dict()),
            "info": json.dumps(self.info),
        }
        packed = self.model.pack(storage.key_bits, storage.prune, storage.quantised)
        write_model_file(path, Contents(metadata, pack_weights("weights", packed, narrow=self.model.classes <= 256)))


KIND: Final = "generic"


def load(path: str | os.PathLike[str], task: AnyTask | None = None) -> Predictor:
    """A model that was saved. Tasks of this package are made anew; one of your own must be given: no code is loaded."""
    contents = read_model_file(path)
    name = os.fspath(path)
    if contents.metadata.get("kind") != KIND:
        raise ModelFormatError(f"{name}: is a parser, not a model of a generic task: use dynarc.load")
    with refusing(name, "generic model"):
        made, actions, templates, config_, info = (
            parsed_json(contents.metadata[key]) for key in ("task", "actions", "templates", "config", "info")
        )
        config = Config.from_dict(config_)
        if task is None:
            task = _ready_task(made, name)
    if (list(task.actions), list(task.templates)) != (actions, templates):
        raise ModelFormatError(f"{name}: was trained for a task with other actions or features than the one given")
    return Predictor(task, unpack_linear(contents.tensors, len(_classes(task)), name=name), config, info)


def _ready_task(made: dict[str, Any], name: str) -> AnyTask:
    package = __name__.rpartition(".")[0]
    module, _, part = made["module"].rpartition(".")
    if module != package or part not in READY:
        raise ModelFormatError(
            f"{name}: is of the task {made['name']} in {made['module']}, which is not part of dynarc: "
            "give the task as in load(path, task)"
        )
    options = dict(made["options"])
    task: AnyTask = getattr(importlib.import_module(made["module"]), READY[part])(**options)
    return task


READY: Final = {
    "tagging": "Tagging",
    "chunking": "Chunking",
    "bracketing": "Bracketing",
    "simplification": "Simplification",
    "dependency": "Dependency",
}


def _classes(task: AnyTask) -> dict[str, int]:
    if not task.actions:
        raise ConfigError("the task has no actions: set `actions` to all that there are", "actions")
    return {action: number for number, action in enumerate((*task.actions, END))}


def _numbers(legal: Sequence[str], classes: Mapping[str, int]) -> list[int]:
    try:
        return [classes[action] for action in legal]
    except KeyError as unknown:
        raise ConfigError(f"the action {unknown} is legal but not among the task's `actions`", "actions") from None


def _only(legal: Sequence[str], state: object) -> str:
    if not legal:
        raise OracleError(f"nothing is legal in {state!r}, which is not final: a dead end")
    return legal[0]


def learn_options(config: Config, seed: int | None = None) -> _core.LearnOptions:
    policy = config.policy
    explore = {
        NoExploration: (False, 0, 0.0, False),
        AmbiguityExploration: (True, 0, 0.0, False),
    }.get(type(policy))
    if isinstance(policy, ErrorExploration):
        explore = (policy.otherwise == "random", policy.k, policy.p, False)
    elif isinstance(policy, Sampling):
        explore = (False, policy.k, 1.0, True)
    assert explore is not None
    random_best, after_epoch, probability, sample = explore
    return _core.LearnOptions(
        fixed=False,
        learner=config.learner,
        random_best=random_best,
        after_epoch=after_epoch,
        probability=probability,
        reduce_when_possible=False,
        aggressiveness=config.aggressiveness,
        cost_sensitive=config.cost_sensitive,
        max_loss=config.max_loss,
        price_unit=1.0,
        seed=config.seed if seed is None else seed,
        sample=sample,
        alpha=config.alpha,
        rho=config.rho,
        l1=config.l1,
    )


def train(
    task: AnyTask,
    examples: Iterable[Example],
    *,
    dev: Iterable[Example] | None = None,
    config: Config | None = None,
    progress: Progress | None = None,
) -> Predictor:
    """Learns a task from examples, pairs of an input and what is right.

    `progress` is called after every epoch or round. With `dev`, the model of the best one is kept, unless the
    configuration says `keep="last"`. Ctrl-C ends training; what was learned so far is kept.
    """
    config = config or Config()
    data = list(examples)
    if not data:
        raise ConfigError("there is nothing to learn from: no examples were given", "examples")
    run = _Training(task, data, config)
    held_out = None if dev is None else list(dev)
    best: tuple[float, Predictor] | None = None
    rounds: list[Round] = []
    try:
        for number in range(1, (config.epochs if config.method == "online" else config.rounds) + 1):
            started = time.perf_counter()
            report = run.epoch() if config.method == "online" else run.dagger_round(number - 1)
            score = None
            if held_out is not None:
                predictor = run.predictor()
                score = predictor.score(held_out)
                if best is None or score > best[0] or config.keep == "last":
                    best = (score, predictor)
            seconds = time.perf_counter() - started
            rounds.append(Round(number, *report, len(data), run.skipped, seconds, score))
            if progress is not None:
                progress(rounds[-1])
    except KeyboardInterrupt:
        if not rounds:
            raise
    predictor = best[1] if best is not None else run.predictor()
    predictor.info.update({"examples": len(data), "rounds": [asdict(one) for one in rounds]})
    return predictor


class _Training:
    """A run: the learner, and the data it has gathered."""

    def __init__(self, task: AnyTask, data: list[Example], config: Config) -> None:
        self.task = task
        self.data = data
        self.config = config
        self.classes = _classes(task)
        self.extract = Extractor(task.templates)
        self.random = random.Random(config.seed)
        self.learner = self._new_learner(0)
        self.decisions = _core.Decisions()
        self.skipped = 0
        self._oracles: dict[int, AnyOracle] = {}
        first = task.start(data[0][0])
        if not first.is_final:
            self.extract.check(task.features(first))

    def _new_learner(self, number: int) -> _core.LinearLearner:
        return _core.LinearLearner(len(self.classes), learn_options(self.config, self.config.seed + 1_000_003 * number))

    def epoch(self) -> tuple[int, int, int]:
        self.learner.start_epoch()
        order = list(range(len(self.data)))
        self.random.shuffle(order)
        self.skipped = 0
        for number in order:
            self._walk(number, self.learner.learn)
        report = self.learner.report
        return report.states, report.updates, report.explored

    def dagger_round(self, number: int) -> tuple[int, int, int]:
        follows = 1 - self.config.decay**number
        self.learner.start_epoch()
        self.skipped = 0

        def step(features: _core.FeatureKeys, allowed: list[int], costs: list[float]) -> int:
            self.decisions.add(features, allowed, costs)
            return self.learner.follow(features, allowed, costs, self.random.random() < follows)

        for example in range(len(self.data)):
            self._walk(example, step)
        explored = self.learner.report.explored
        if not self.config.warm:
            self.learner = self._new_learner(number + 1)
        for _ in range(self.config.epochs):
            self.learner.fit(self.decisions)
        report = self.learner.report
        return report.states, report.updates, explored

    def _walk(self, number: int, step: Callable[[_core.FeatureKeys, list[int], list[float]], int]) -> None:
        """Through one example, asking `step` at every state where there is a choice."""
        task, (x, y) = self.task, self.data[number]
        state = task.start(x)
        way = task.derivation(x, y) if self.config.oracle == "static" else None
        if way is not None:
            return self._walk_along(state, (*way, END), step)
        oracle = self._oracle(number)
        while not state.is_final:
            legal = state.legal()
            action = _only(legal, state)
            if len(legal) > 1:
                features = self.extract(task.features(state))
                try:
                    known = oracle.costs()
                except OracleError:
                    self.skipped += 1
                    return None
                costs = [known[one] for one in legal]
                if self.config.oracle == "static":
                    right = self._first(legal, costs)
                    costs = [float(one != right) for one in legal]
                action = legal[step(features, _numbers(legal, self.classes), costs)]
            state.apply(action)
            oracle.advance(action)
        return None

    def _walk_along(
        self, state: Any, way: Iterable[str], step: Callable[[_core.FeatureKeys, list[int], list[float]], int]
    ) -> None:
        """The same for an oracle that knows one way."""
        for right in way:
            if state.is_final:
                break
            legal = state.legal()
            if right not in legal:
                raise OracleError(f"{right!r} is not legal after {state!r}, but is what the derivation has there")
            if len(legal) > 1:
                features = self.extract(self.task.features(state))
                step(features, _numbers(legal, self.classes), [float(one != right) for one in legal])
            state.apply(right)

    def _oracle(self, number: int) -> AnyOracle:
        if not self.config.keep_oracles:
            return self.task.oracle(*self.data[number])
        if number not in self._oracles:
            self._oracles[number] = self.task.oracle(*self.data[number])
        return self._oracles[number].copy()

    def _first(self, legal: Sequence[str], costs: Sequence[float]) -> str:
        """Of what the oracle would do, the action that comes first in the task: one way, always the same."""
        least = min(costs)
        best = [action for action, cost in zip(legal, costs, strict=True) if cost <= least + EQUAL]
        return min(best, key=lambda action: self.classes[action])

    def predictor(self) -> Predictor:
        return Predictor(self.task, self.learner.model(), self.config)
