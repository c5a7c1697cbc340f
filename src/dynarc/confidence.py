"""How sure a parser is of its arcs, and whether it is right to be."""

from dynarc.parser import Parser
from dynarc.reliability import CalibrationReport
from dynarc.treebank import Treebank


def report(parser: Parser, treebank: Treebank, threads: int = 0) -> CalibrationReport:
    """How far the probabilities of a parser can be trusted on a treebank with gold trees."""
    raise NotImplementedError
