"""The configuration of training: what is refused, and there and back through TOML."""

import pytest

from dynarc.config import AmbiguityExploration, ErrorExploration, NoExploration, TrainConfig, exploration
from dynarc.errors import ConfigError

CONFIGS = [
    TrainConfig(),
    TrainConfig(system="attardi", oracle="static", root="last", single_root=True, epochs=3),
    TrainConfig(system="attardi", target="canonical"),
    TrainConfig(explore=ErrorExploration(2, 0.5, "random"), features=("S0.form", "dist(S0,B0)"), labels=False),
    TrainConfig(explore=AmbiguityExploration(), features='my "own" \\ set.txt', aggressiveness=0.025),
]


@pytest.mark.parametrize("config", CONFIGS)
def test_there_and_back_through_toml(config: TrainConfig) -> None:
    assert TrainConfig.from_toml(config.to_toml()) == config
    assert TrainConfig.from_dict(config.to_dict()) == config


@pytest.mark.parametrize(
    ("text", "policy"),
    [
        ("none", NoExploration()),
        ("ambiguity", AmbiguityExploration()),
        ("error", ErrorExploration(1, 0.9)),
        ("error:k=0,p=1", ErrorExploration(0, 1.0)),
        ("error:otherwise=random,p=0.5", ErrorExploration(1, 0.5, "random")),
    ],
)
def test_exploration_by_name(text: str, policy: object) -> None:
    assert exploration(text) == policy
    assert exploration(str(policy)) == policy


def test_default_exploration_fits_the_oracle() -> None:
    """FEATURES.md 9.3."""
    assert TrainConfig().policy == ErrorExploration(1, 0.9)
    assert TrainConfig(oracle="static").policy == NoExploration()
    assert TrainConfig(oracle="nondeterministic").policy == NoExploration()
    assert TrainConfig(explore=NoExploration()).policy == NoExploration()


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"system": "arc-lazy"}, "unknown transition system 'arc-lazy': system must be one of arc-eager, "),
        ({"oracle": "best"}, "oracle is 'best': oracle must be one of static, nondeterministic, dynamic"),
        ({"learner": "svm"}, "learner is 'svm'"),
        ({"tag": "lemma"}, "tag is 'lemma'"),
        ({"epochs": 0}, "epochs is 0, but must be a whole number, 1 or more"),
        ({"epochs": True}, "epochs is True"),
        ({"min_count": 1.5}, "min_count is 1.5"),
        ({"nonprojective": "lift"}, "nonprojective is 'lift'"),
        ({"single_root": "yes"}, "single_root is 'yes'"),
        ({"target": "worst"}, "target is 'worst': target must be one of best, canonical"),
        ({"target": "canonical", "system": "easy-first"}, "easy-first has no canonical derivation"),
        ({"aggressiveness": 0}, "aggressiveness is 0, but must be above 0"),
        ({"oracle": "static", "explore": ErrorExploration()}, "the static oracle knows one way only"),
        ({"system": "arc-eager", "root": "first", "single_root": True}, "single"),
        ({"epoch": 3}, "there is no option 'epoch': option must be one of aggressiveness, "),
        ({"explore": "sometimes"}, "there is no exploration 'sometimes'"),
        ({"explore": "error:k=x"}, "k is a whole number"),
        ({"explore": "error:p=2"}, "p between 0 and 1"),
        ({"explore": "error:otherwise=worst"}, "no exploration 'worst'"),
    ],
)
def test_refused(values: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        TrainConfig.from_dict(values)
    assert says in str(caught.value)


def test_what_is_not_toml() -> None:
    with pytest.raises(ConfigError, match=r"c\.toml is not TOML: "):
        TrainConfig.from_toml("epochs = ", path="c.toml")
