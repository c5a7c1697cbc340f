"""dynarc: greedy transition-based dependency parsing with exact dynamic oracles."""

from dynarc.check import check_decomposition, check_oracle
from dynarc.conllu import Sentence, iter_conllu, read_conllu
from dynarc.errors import (
    ConfigError,
    ConlluError,
    DynarcError,
    IllegalTransition,
    ModelFormatError,
    NonProjectiveError,
    OracleError,
    TreeError,
)
from dynarc.projective import LiftedTree, Mark, deprojectivize, projectivize
from dynarc.systems import State, System, TransitionSystem, system, systems
from dynarc.transition import Transition
from dynarc.tree import Tree

__version__ = "0.1.0.dev0"

__all__ = [
    "ConfigError",
    "ConlluError",
    "DynarcError",
    "IllegalTransition",
    "LiftedTree",
    "Mark",
    "ModelFormatError",
    "NonProjectiveError",
    "OracleError",
    "Sentence",
    "State",
    "System",
    "Transition",
    "TransitionSystem",
    "Tree",
    "TreeError",
    "check_decomposition",
    "check_oracle",
    "deprojectivize",
    "iter_conllu",
    "projectivize",
    "read_conllu",
    "system",
    "systems",
]
