"""Sequence tagging: one tag for each word, and every wrong one costs 1. The shortest example of a task."""

from collections.abc import Sequence
from typing import Any

from dynarc.generic.automaton import Automaton, Symbols
from dynarc.generic.task import Prefix, Task
from dynarc.generic.words import WORD_TEMPLATES, word_values

Words = Sequence[str]


class Tagging(Task):
    """Words to tags, from left to right.

    >>> oracle = Tagging(["N", "V"]).oracle(["time", "flies"], ["N", "V"])
    >>> oracle.costs()
    {'N': 0.0, 'V': 1.0}
    """

    templates: tuple[str, ...] = (*WORD_TEMPLATES, "t-1", "t-2+t-1", "t-1+w0")
    metric = "tags right"

    def __init__(self, tags: Sequence[str]) -> None:
        self.actions = tuple(tags)
        self._symbols = Symbols(tags)
        self._hamming = Automaton(self._symbols)
        self._hamming.add_state(final=0)
        for tag in tags:
            for other in tags:
                self._hamming.add_arc(0, tag, 0, output=other, weight=tag != other)

    def constraints(self, x: Words) -> Automaton:
        automaton = Automaton(self._symbols)
        *places, end = automaton.add_states(len(x) + 1)
        for place in places:
            automaton.add_arcs(place, self.actions, place + 1)
        automaton.set_final(end)
        return automaton

    def loss(self, x: Words, y: Sequence[str]) -> Automaton:
        return self._hamming

    def gold(self, x: Words, y: Sequence[str]) -> Sequence[str]:
        return y

    def derivation(self, x: Words, y: Sequence[str]) -> Sequence[str]:
        return y

    def features(self, state: Prefix) -> dict[str, str | None]:
        at = len(state.actions)
        last, before = [None, None, *state.actions][-1], [None, None, *state.actions][-2]
        return {**word_values(state.x, at), "t-1": last, "t-2": before}

    def loss_of(self, state: Prefix, y: Sequence[str]) -> float:
        return sum(tag != right for tag, right in zip(state.actions, y, strict=False))

    def score(self, outputs: Sequence[Sequence[str]], golds: Sequence[Sequence[str]]) -> float:
        pairs = [pair for out, gold in zip(outputs, golds, strict=True) for pair in zip(out, gold, strict=True)]
        return 100 * sum(tag == right for tag, right in pairs) / max(1, len(pairs))

    def is_right(self, output: Any, y: Any) -> bool:
        return list(output) == list(y)

    def options(self) -> dict[str, Any]:
        return {"tags": list(self.actions)}
