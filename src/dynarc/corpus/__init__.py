"""Corpora of any size: parsed on one machine, or on an engine for many."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dynarc.corpus.batch import ParseBatch
    from dynarc.corpus.run import Progress, Report, parse_corpus
    from dynarc.corpus.verify import Proof, verify_corpus
    from dynarc.corpus.work import Options

__all__ = ["Options", "ParseBatch", "Progress", "Proof", "Report", "parse_corpus", "verify_corpus"]

_PLACES = {
    "Options": "work",
    "ParseBatch": "batch",
    "Progress": "run",
    "Proof": "verify",
    "Report": "run",
    "parse_corpus": "run",
    "verify_corpus": "verify",
}


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
