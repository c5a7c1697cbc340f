"""dynarc: greedy transition-based dependency parsing with exact dynamic oracles."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

# What the package offers is loaded when somebody asks for it: a program that only parses does not wait for the rest.
if TYPE_CHECKING:
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

__version__ = "0.1.0"

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

_PLACES = {
    "check": (
        "check_decomposition",
        "check_oracle",
    ),
    "config": (
        "AmbiguityExploration",
        "ErrorExploration",
        "NoExploration",
        "Sampling",
        "TrainConfig",
    ),
    "conllu": (
        "iter_conllu",
        "iter_treebanks",
        "read_conllu",
    ),
    "decisions": (
        "RankedTree",
        "RankedTrees",
    ),
    "errors": (
        "AutomatonError",
        "ConfigError",
        "ConlluError",
        "DynarcError",
        "EvaluationError",
        "FileError",
        "IllegalTransition",
        "ModelFormatError",
        "NonProjectiveError",
        "OracleError",
        "TreeError",
    ),
    "evaluation": (
        "Comparison",
        "Scores",
        "compare",
        "evaluate",
    ),
    "parser": (
        "Parser",
        "load",
    ),
    "projective": (
        "LiftedTree",
        "Mark",
        "deprojectivize",
        "projectivize",
    ),
    "sentence": ("Sentence",),
    "systems": (
        "State",
        "System",
        "TransitionSystem",
        "system",
        "systems",
    ),
    "text.train": (
        "PipelineConfig",
        "train_pipeline",
    ),
    "train": ("train",),
    "transition": ("Transition",),
    "tree": ("Tree",),
    "treebank": ("Treebank",),
    "validation": (
        "CrossValidation",
        "CurvePoint",
        "cross_validate",
        "learning_curve",
    ),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
        return value
    if not name.startswith("_"):
        try:
            return import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


class _Package(ModuleType):
    """Where a function is called as the module that it is in, the package has the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in _MODULE_OF):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
