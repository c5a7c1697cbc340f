"""Scores: how far a system's trees are the gold ones, by which rules, and whether a difference means anything."""

from dynarc.evaluation.bootstrap import Comparison, Difference, Interval, compare, intervals
from dynarc.evaluation.protocols import PROTOCOLS, Protocol
from dynarc.evaluation.scores import Bin, Count, LabelScore, Scores, SentenceScore
from dynarc.evaluation.scoring import evaluate

__all__ = [
    "PROTOCOLS",
    "Bin",
    "Comparison",
    "Count",
    "Difference",
    "Interval",
    "LabelScore",
    "Protocol",
    "Scores",
    "SentenceScore",
    "compare",
    "evaluate",
    "intervals",
]
