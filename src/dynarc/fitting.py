"""What fits a treebank: the transition system that `system="auto"` stands for."""

from dataclasses import replace

from dynarc.audit import cycles
from dynarc.config import AUTO, TrainConfig
from dynarc.tree import Tree
from dynarc.treebank import Treebank

# Where arcs cross in so many of the sentences, a system that derives them does better than one that has them lifted:
# docs/results/nonprojective-2014.md, docs/results/recipe.md.
MANY_CROSSING = 0.25
PROJECTIVE, CROSSING = "arc-eager", "covington"


def fitted(config: TrainConfig, treebank: Treebank) -> TrainConfig:
    """The configuration with the system that fits the treebank, if that was left open."""
    if config.system != AUTO:
        return config
    return replace(config, system=CROSSING if crossing_share(treebank) >= MANY_CROSSING else PROJECTIVE)


def crossing_share(treebank: Treebank) -> float:
    """The share of sentences with whole trees whose arcs cross."""
    crossing = whole = 0
    for sentence in treebank:
        if None not in sentence.heads and not cycles(sentence.heads):
            whole += 1
            crossing += not Tree(sentence.heads).is_projective
    return crossing / max(1, whole)
