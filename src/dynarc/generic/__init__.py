"""Dynamic oracles for any left-to-right task: describe it by automata, get exact costs, learn to do it.

`Automaton` is what tasks are described by, `Oracle` what says the cost of every action, `Task` (or `TransitionTask`,
for a transition system of one's own) what can be trained: `train`, `load`. Ready tasks: `Tagging`, `Chunking`,
`Bracketing`, `Simplification`, `Dependency`.
"""

from dynarc.generic.automaton import (
    EPSILON,
    Arc,
    Automaton,
    LazyComposition,
    Path,
    Symbols,
    golds,
    sequence,
    union,
)
from dynarc.generic.bracketing import Bracketing
from dynarc.generic.chunking import Chunking
from dynarc.generic.dependency import Dependency
from dynarc.generic.learning import Config, Predictor, Round, load, train
from dynarc.generic.oracle import (
    END,
    LossCounterExample,
    LossReport,
    Oracle,
    ReferenceOracle,
    check_loss,
    enumerate_sequences,
)
from dynarc.generic.simplification import Simplification
from dynarc.generic.tagging import Tagging
from dynarc.generic.task import AnyTask, Prefix, SearchOracle, Task, TaskReport, TransitionTask, check_oracle
from dynarc.generic.text import from_text, read_text, to_text, write_text

__all__ = [
    "END",
    "EPSILON",
    "AnyTask",
    "Arc",
    "Automaton",
    "Bracketing",
    "Chunking",
    "Config",
    "Dependency",
    "LazyComposition",
    "LossCounterExample",
    "LossReport",
    "Oracle",
    "Path",
    "Predictor",
    "Prefix",
    "ReferenceOracle",
    "Round",
    "SearchOracle",
    "Simplification",
    "Symbols",
    "Tagging",
    "Task",
    "TaskReport",
    "TransitionTask",
    "check_loss",
    "check_oracle",
    "enumerate_sequences",
    "from_text",
    "golds",
    "load",
    "read_text",
    "sequence",
    "to_text",
    "train",
    "union",
    "write_text",
]
