"""Transitions as people write them: SHIFT, LEFT(nsubj), RIGHT@3(obj)."""

import re
from dataclasses import dataclass

from dynarc import _core
from dynarc.errors import IllegalTransition

MOVES: tuple[str, ...] = tuple(_core.move_names())
MOVE_NUMBER: dict[str, int] = {name: number for number, name in enumerate(MOVES)}
MAX_NODE = 2**31 - 1  # what the engine can number

_WRITTEN = re.compile(r"(?P<move>[A-Z0-9]+)(?:@(?P<node>\d+))?(?:\((?P<label>.+)\))?")


@dataclass(frozen=True, slots=True, order=True)
class Transition:
    """One step of a derivation. `node` is used by easy-first only: the word that becomes the head.

    >>> str(Transition("LEFT", "nsubj"))
    'LEFT(nsubj)'
    >>> Transition.parse("RIGHT@3(obj)")
    Transition(move='RIGHT', label='obj', node=3)
    """

    move: str
    label: str | None = None
    node: int | None = None

    def __post_init__(self) -> None:
        if self.move not in MOVE_NUMBER:
            raise IllegalTransition(f"unknown move {self.move!r}; the moves are {', '.join(MOVES)}")
        if self.node is not None and not 0 <= self.node <= MAX_NODE:
            raise IllegalTransition(f"{self.node!r} is not a node: nodes are 0 (ROOT), 1, 2 and so on")

    def __str__(self) -> str:
        node = "" if self.node is None else f"@{self.node}"
        label = "" if self.label is None else f"({self.label})"
        return f"{self.move}{node}{label}"

    @classmethod
    def parse(cls, text: str) -> "Transition":
        """The transition written as `text`, the inverse of str()."""
        found = _WRITTEN.fullmatch(text.strip())
        if not found:
            raise IllegalTransition(f"{text!r} is not a transition; write SHIFT, LEFT(nsubj) or RIGHT@3(obj)")
        node = found["node"]
        return cls(found["move"], found["label"], None if node is None else int(node))
