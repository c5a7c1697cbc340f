"""dynarc: greedy transition-based dependency parsing with exact dynamic oracles."""

from dynarc.check import check_decomposition, check_oracle
from dynarc.config import (
    AmbiguityExploration,
    ErrorExploration,
    NoExploration,
    Sampling,
    TrainConfig,
)
from dynarc.conllu import iter_conllu, iter_treebanks, read_conllu
from dynarc.decisions import RankedTree, RankedTrees
from dynarc.errors import (
    AutomatonError,
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
from dynarc.parser import Parser, load
from dynarc.projective import LiftedTree, Mark, deprojectivize, projectivize
from dynarc.sentence import Sentence
from dynarc.systems import State, System, TransitionSystem, system, systems
from dynarc.text.train import PipelineConfig, train_pipeline
from dynarc.train import train
from dynarc.transition import Transition
from dynarc.tree import Tree
from dynarc.treebank import Treebank
from dynarc.validation import CrossValidation, CurvePoint, cross_validate, learning_curve

__version__ = "0.1.0.dev0"

__all__ = [
    "AmbiguityExploration",
    "AutomatonError",
    "Comparison",
    "ConfigError",
    "ConlluError",
    "CrossValidation",
    "CurvePoint",
    "DynarcError",
    "ErrorExploration",
    "EvaluationError",
    "FileError",
    "IllegalTransition",
    "LiftedTree",
    "Mark",
    "ModelFormatError",
    "NoExploration",
    "NonProjectiveError",
    "OracleError",
    "Parser",
    "PipelineConfig",
    "RankedTree",
    "RankedTrees",
    "Sampling",
    "Scores",
    "Sentence",
    "State",
    "System",
    "TrainConfig",
    "Transition",
    "TransitionSystem",
    "Tree",
    "TreeError",
    "Treebank",
    "check_decomposition",
    "check_oracle",
    "compare",
    "cross_validate",
    "deprojectivize",
    "evaluate",
    "iter_conllu",
    "iter_treebanks",
    "learning_curve",
    "load",
    "projectivize",
    "read_conllu",
    "system",
    "systems",
    "train",
    "train_pipeline",
]
