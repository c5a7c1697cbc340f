"""dynarc: greedy transition-based dependency parsing with exact dynamic oracles."""

from dynarc.check import check_decomposition, check_oracle
from dynarc.conllu import iter_conllu, iter_treebanks, read_conllu
from dynarc.errors import (
    ConfigError,
    ConlluError,
    DynarcError,
    EvaluationError,
    FileError,
    IllegalTransition,
    ModelFormatError,
    NonProjectiveError,
    OracleError,
    TreeError,
)
from dynarc.evaluation import Comparison, Scores, compare, evaluate
from dynarc.projective import LiftedTree, Mark, deprojectivize, projectivize
from dynarc.sentence import Sentence
from dynarc.systems import State, System, TransitionSystem, system, systems
from dynarc.transition import Transition
from dynarc.tree import Tree
from dynarc.treebank import Treebank

__version__ = "0.1.0.dev0"

__all__ = [
    "Comparison",
    "ConfigError",
    "ConlluError",
    "DynarcError",
    "EvaluationError",
    "FileError",
    "IllegalTransition",
    "LiftedTree",
    "Mark",
    "ModelFormatError",
    "NonProjectiveError",
    "OracleError",
    "Scores",
    "Sentence",
    "State",
    "System",
    "Transition",
    "TransitionSystem",
    "Tree",
    "TreeError",
    "Treebank",
    "check_decomposition",
    "check_oracle",
    "compare",
    "deprojectivize",
    "evaluate",
    "iter_conllu",
    "iter_treebanks",
    "projectivize",
    "read_conllu",
    "system",
    "systems",
]
