"""How a parser is trained: one frozen value that says it all, in Python, in TOML and on the command line."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, Self, get_args

from dynarc.errors import ConfigError
from dynarc.oracles import MAX_PRICE
from dynarc.systems import System, system, systems

OracleName = Literal["static", "nondeterministic", "dynamic"]
LearnerName = Literal["perceptron", "passive-aggressive", "adagrad-rda"]
Nonprojective = Literal["auto", "drop", "projectivize", "head", "path", "head+path"]
Keep = Literal["best", "last"]
Normalize = Literal["all", "legal"]
Direction = Literal["left-to-right", "right-to-left"]
Target = Literal["best", "canonical"]

AUTO = "auto"


@dataclass(frozen=True, slots=True)
class NoExploration:
    """Only states on the way to the gold tree: after a wrong prediction, the best-scoring move of the oracle's."""

    def __str__(self) -> str:
        return "none"


@dataclass(frozen=True, slots=True)
class AmbiguityExploration:
    """As NoExploration, but after a wrong prediction any of the oracle's moves (Goldberg & Nivre 2012, AMB)."""

    def __str__(self) -> str:
        return "ambiguity"


@dataclass(frozen=True, slots=True)
class ErrorExploration:
    """From epoch k + 1 on, follows a wrong prediction with probability p; otherwise the best-scoring, or a random, one
    of the oracle's moves (Goldberg & Nivre 2012 and 2013)."""

    k: int = 1
    p: float = 0.9
    otherwise: Literal["best", "random"] = "best"

    def __post_init__(self) -> None:
        if self.k < 0 or not 0 <= self.p <= 1:
            raise ConfigError(f"error exploration with k={self.k}, p={self.p}: k is 0 or more, p between 0 and 1")
        if self.otherwise not in ("best", "random"):
            raise ConfigError(f"no exploration {self.otherwise!r}", "otherwise", ("best", "random"))

    def __str__(self) -> str:
        return f"error:k={self.k},p={self.p:g}" + ("" if self.otherwise == "best" else ",otherwise=random")


@dataclass(frozen=True, slots=True)
class Sampling:
    """From epoch k + 1 on, goes on with any legal move, each as often as it is likely; before that with the
    best-scoring one of the oracle's. For the learner whose scores are probabilities, adagrad-rda (Goldberg 2013)."""

    k: int = 0

    def __post_init__(self) -> None:
        if self.k < 0:
            raise ConfigError(f"sampling with k={self.k}: k is 0 or more")

    def __str__(self) -> str:
        return f"sampling:k={self.k}"


Exploration = NoExploration | AmbiguityExploration | ErrorExploration | Sampling


def exploration(text: str) -> Exploration:
    """A policy by its name: none, ambiguity, error:k=1,p=0.9,otherwise=random or sampling:k=0.

    >>> exploration("error:k=2,p=1")
    ErrorExploration(k=2, p=1.0, otherwise='best')
    """
    name, _, rest = text.partition(":")
    given = dict(part.partition("=")[::2] for part in rest.split(",")) if rest else {}
    if name in ("none", "ambiguity") and not given:
        return NoExploration() if name == "none" else AmbiguityExploration()
    if name == "error" and set(given) <= {"k", "p", "otherwise"}:
        try:
            k, p = int(given.get("k", "1")), float(given.get("p", "0.9"))
        except ValueError:
            raise ConfigError(f"exploration {text!r}: k is a whole number, p a number") from None
        return ErrorExploration(k, p, given.get("otherwise", "best"))  # type: ignore[arg-type]
    if name == "sampling" and set(given) <= {"k"}:
        try:
            return Sampling(int(given.get("k", "0")))
        except ValueError:
            raise ConfigError(f"exploration {text!r}: k is a whole number") from None
    known = ("none", "ambiguity", "error:k=1,p=0.9", "sampling:k=0")
    raise ConfigError(f"there is no exploration {text!r}", "explore", known)


_LEAST = {
    "min_count": 1,
    "epochs": 1,
    "seed": 0,
    "valency_cap": 0,
    "pseudo_min_count": 1,
    "classes": 0,
    "average_seeds": 1,
}


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Everything that decides what a model will be, but for the data.

    `system="auto"` takes the transition system that fits the training data: arc-eager, or Covington's where arcs cross
    in a quarter of the sentences or more (docs/results/nonprojective-2014.md); the parser's own configuration names it.

    `explore`, `root` and `single_root` may be left to what fits: exploration of errors for a dynamic oracle, ROOT where
    the system usually has it, a single root if every training sentence has one. `features` is the name of a set, a
    tuple of templates, or the path of a file with one template a line. `single_root="mend"` lets the system leave
    several roots, and attaches all of them to the likeliest one afterwards; arc-eager does that if left to what fits.

    The learner adagrad-rda makes the oracle's moves likely: few weights are not zero, and scores are probabilities.
    `alpha` is the size of its steps, 36 / number of templates if left out, `rho` what its sums of squares start from,
    `l1` how much every update draws weights to zero, 1 / (20 * training words) if left out. `normalize="legal"` leaves
    illegal moves out of the likelihood.
    Gradients nearer to 0 than `least_gradient` are taken for 0; 0 keeps all of them, in several times the memory.

    `classes` is how many moves with their labels are told apart at once, the commonest ones; the labels of the others
    are found by a second, rarely used table of weights. 0 tells all of them apart. `passes=2` trains a parser that goes
    in the other direction first; its trees are features of the second. `average_seeds` trains so many parsers, which
    differ in what is random, and averages their weights. `label_cost` is the price of a wrong label on a right arc, and
    `arc_weight` says which labels' arcs have another price than 1, such as `(("punct", 0.5),)` (FEATURES 9.4).

    `target` is what an error is corrected to where several moves are right: the one that scores best, which is what
    papers do, or "canonical", the static oracle's, if it is one of them. The latter did better in Attardi's system
    and in arc-standard, where trees have many derivations (docs/results/derivations.md).
    """

    system: str = "arc-eager"
    oracle: OracleName = "dynamic"
    learner: LearnerName = "perceptron"
    explore: Exploration | None = None
    features: str | tuple[str, ...] = "default"
    tag: Literal["upos", "xpos"] = "upos"
    min_count: int = 2
    epochs: int = 15
    seed: int = 1
    nonprojective: Nonprojective = "auto"
    root: Literal["first", "last"] | None = None
    single_root: bool | Literal["auto", "mend"] = "auto"
    labels: bool = True
    reduce: Literal["must", "can"] = "must"
    valency_cap: int = 3
    pseudo_min_count: int = 3
    keep: Keep = "best"
    aggressiveness: float = 0.1
    cost_sensitive: bool = True
    max_loss: bool = False
    alpha: float | None = None
    rho: float = 0.01
    l1: float | None = None
    normalize: Normalize = "all"
    least_gradient: float = 1e-4
    classes: int = 64
    direction: Direction = "left-to-right"
    passes: int = 1
    average_seeds: int = 1
    label_cost: float = 1
    arc_weight: tuple[tuple[str, float], ...] = ()
    target: Target | None = None

    def __post_init__(self) -> None:
        if self.system not in (*systems(), AUTO):
            raise ConfigError(f"unknown transition system {self.system!r}", "system", (*systems(), AUTO))
        _one_of("oracle", self.oracle, get_args(OracleName))
        _one_of("learner", self.learner, get_args(LearnerName))
        _one_of("tag", self.tag, ("upos", "xpos"))
        _one_of("nonprojective", self.nonprojective, get_args(Nonprojective))
        _one_of("reduce", self.reduce, ("must", "can"))
        _one_of("keep", self.keep, get_args(Keep))
        _one_of("single_root", self.single_root, (True, False, "auto", "mend"))
        _one_of("normalize", self.normalize, get_args(Normalize))
        _one_of("direction", self.direction, get_args(Direction))
        _one_of("passes", self.passes, (1, 2))
        if self.target is not None:
            _one_of("target", self.target, get_args(Target))
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ConfigError(f"{name} is {value!r}, but must be a whole number, {least} or more", name)
        for name, price in (("label_cost", self.label_cost), *(("arc_weight", p) for _, p in self.arc_weight)):
            if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price <= MAX_PRICE:
                raise ConfigError(f"{name} has the price {price!r}; prices are numbers from 0 to {MAX_PRICE:,}", name)
        for name in ("aggressiveness", "alpha", "rho"):
            if getattr(self, name) is not None and not 0 < getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be above 0", name)
        for name in ("l1", "least_gradient"):
            if getattr(self, name) is not None and not 0 <= getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} is {getattr(self, name)}, but must be 0 or more", name)
        if isinstance(self.explore, Sampling) and self.learner != "adagrad-rda":
            raise ConfigError(
                f"the scores of a {self.learner} are no probabilities to sample from: "
                "use learner='adagrad-rda', or explore='error:k=1,p=0.9'",
                "explore",
            )
        if self.oracle == "static" and self.explore not in (None, NoExploration()):
            raise ConfigError(
                f"the static oracle knows one way only, so there is nothing to explore ({self.explore}): "
                "use oracle='dynamic', or leave explore out",
                "explore",
            )
        if self.target == "canonical" and self.system == "easy-first":
            raise ConfigError("easy-first has no canonical derivation: use target='best'", "target")
        if self.system != AUTO:
            system(self.system, root=self.root, single_root=self.single_root is True)  # what does not go together
        elif self.root is not None:
            raise ConfigError("where ROOT stands depends on the system: name one, or leave root out", "root")

    @property
    def policy(self) -> Exploration:
        """How errors are explored, if that was left open: by what fits the oracle."""
        if self.explore is not None:
            return self.explore
        if self.oracle != "dynamic":
            return NoExploration()
        return Sampling() if self.learner == "adagrad-rda" else ErrorExploration()

    @property
    def first_epochs(self) -> int:
        """Of the first of two passes (FEATURE_STUDY.md d)."""
        return min(6, self.epochs)

    @property
    def seeds(self) -> list[int]:
        """Of the runs whose weights are averaged; the first is `seed`."""
        return [self.seed + 1_000_003 * i for i in range(self.average_seeds)]

    def transition_system(self, *, single_root: bool) -> System:
        return system(self.system, root=self.root, single_root=single_root)

    def to_dict(self) -> dict[str, Any]:
        """As TOML and JSON have it; what was left open is left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["explore"] = None if self.explore is None else str(self.explore)
        if isinstance(self.features, tuple):
            values["features"] = list(self.features)
        values["arc_weight"] = dict(self.arc_weight) or None
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        known = {field.name for field in fields(cls)}
        if unknown := set(values) - known:
            raise ConfigError(f"there is no option {min(unknown)!r}", "option", sorted(known))
        given = dict(values)
        if isinstance(given.get("explore"), str):
            given["explore"] = exploration(given["explore"])
        if isinstance(given.get("features"), list):
            given["features"] = tuple(given["features"])
        if isinstance(given.get("arc_weight"), Mapping):
            given["arc_weight"] = tuple(given["arc_weight"].items())
        return cls(**given)

    def to_toml(self) -> str:
        return "".join(f"{name} = {_toml(value)}\n" for name, value in self.to_dict().items())

    @classmethod
    def from_toml(cls, text: str, *, path: str = "<toml>") -> Self:
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{path} is not TOML: {error}") from None
        return cls.from_dict(values)


def _one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    if value not in allowed:
        raise ConfigError(f"{name} is {value!r}", name, map(str, allowed))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items()) + " }"
    if isinstance(value, list):
        return "[\n" + "".join(f"  {_toml(item)},\n" for item in value) + "]"
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
