"""Chunking: tags B-X, I-X and O, and the loss counts whole chunks: those missed and those that are wrong."""

from collections.abc import Sequence
from typing import Any

from dynarc.generic.automaton import Automaton, Symbols
from dynarc.generic.oracle import END
from dynarc.generic.tagging import Words
from dynarc.generic.task import Prefix, Task
from dynarc.generic.words import WORD_TEMPLATES, word_values


def chunks(tags: Sequence[str]) -> list[tuple[str, int, int]]:
    """Type, first word and last word of every chunk.

    >>> chunks(["B-NP", "I-NP", "O", "B-NP"])
    [('NP', 0, 1), ('NP', 3, 3)]
    """
    found: list[tuple[str, int, int]] = []
    for place, tag in enumerate(tags):
        if tag.startswith("B-"):
            found.append((tag[2:], place, place))
        elif tag.startswith("I-") and found:
            found[-1] = (*found[-1][:2], place)
    return found


class Chunking(Task):
    """Words to B-X, I-X and O. An I-X continues a chunk of its type, so that every sequence means some chunks.

    A chunk counts as found if type, first and last word are right. The transducer reads both sequences side by side and
    knows whether each is within a chunk, and whether it is the same one so far; what ends and is not the same costs 1.

    >>> oracle = Chunking(["NP"]).oracle(["the", "old", "man"], ["B-NP", "I-NP", "I-NP"])
    >>> oracle.advance("B-NP")
    >>> oracle.costs()
    {'O': 2.0, 'B-NP': 3.0, 'I-NP': 0.0}
    """

    templates: tuple[str, ...] = (
        *WORD_TEMPLATES, "t-1", "t-2+t-1", "t-1+w0", "t-1+pos0", "t-1+pos0+pos1", "t-1+pos-1+pos0", "begun+pos0",
    )  # fmt: skip
    metric = "F1 of chunks"

    def __init__(self, types: Sequence[str]) -> None:
        self.types = tuple(types)
        self.actions = ("O", *(f"{place}-{kind}" for kind in types for place in "BI"))
        self._symbols = Symbols(self.actions)
        self._transducer = self._spans()

    def constraints(self, x: Words) -> Automaton:
        # For each place a state outside, and one within a chunk of each type.
        automaton = Automaton(self._symbols)
        width = 1 + len(self.types)
        states = automaton.add_states(width * (len(x) + 1))
        for place in range(len(x)):
            for within in range(width):
                source, after = place * width + within, (place + 1) * width
                automaton.add_arc(source, "O", after)
                for number, kind in enumerate(self.types, start=1):
                    automaton.add_arc(source, f"B-{kind}", after + number)
                    if within == number:
                        automaton.add_arc(source, f"I-{kind}", after + number)
        for state in states[-width:]:
            automaton.set_final(state)
        return automaton

    def loss(self, x: Words, y: Sequence[str]) -> Automaton:
        return self._transducer

    def _spans(self) -> Automaton:
        # States: is a chunk of ours open, one of gold, are both the same one so far?
        kinds = [(ours, gold, False) for ours in (False, True) for gold in (False, True)] + [(True, True, True)]
        automaton = Automaton(self._symbols)
        number = dict(zip(kinds, automaton.add_states(len(kinds)), strict=True))

        def price(kind: tuple[bool, bool, bool], ours_ends: bool, gold_ends: bool) -> int:
            ours, gold, same = kind
            ended = [ours and ours_ends, gold and gold_ends]
            return 0 if same and all(ended) else sum(ended)

        for kind in kinds:
            automaton.set_final(number[kind], price(kind, True, True))
            for tag in self.actions:
                for right in self.actions:
                    goes_on = [tag[0] == "I", right[0] == "I"]
                    if any(more and not was for more, was in zip(goes_on, kind[:2], strict=True)):
                        continue  # nothing to continue
                    starts_same = tag[0] == "B" and tag == right
                    after = (tag != "O", right != "O", starts_same or (kind[2] and all(goes_on)))
                    cost = price(kind, not goes_on[0], not goes_on[1])
                    automaton.add_arc(number[kind], tag, number[after], output=right, weight=cost)
        return automaton

    def gold(self, x: Words, y: Sequence[str]) -> Sequence[str]:
        return y

    def derivation(self, x: Words, y: Sequence[str]) -> Sequence[str]:
        return y

    def features(self, state: Prefix) -> dict[str, str | None]:
        at, done = len(state.actions), state.actions
        last, before = [None, None, *done][-1], [None, None, *done][-2]
        first = next((place for place in range(at - 1, -1, -1) if done[place][0] == "B"), None)
        begun = None if last in (None, "O") or first is None else str(state.x[first])
        return {**word_values(state.x, at), "t-1": last, "t-2": before, "begun": begun}

    def loss_of(self, state: Prefix, y: Sequence[str]) -> float:
        return len(set(chunks([tag for tag in state.actions if tag != END])) ^ set(chunks(y)))

    def score(self, outputs: Sequence[Sequence[str]], golds: Sequence[Sequence[str]]) -> float:
        found = right = wanted = 0
        for out, gold in zip(outputs, golds, strict=True):
            ours, theirs = set(chunks(out)), set(chunks(gold))
            found, wanted, right = found + len(ours), wanted + len(theirs), right + len(ours & theirs)
        return 200 * right / max(1, found + wanted)

    def is_right(self, output: Any, y: Any) -> bool:
        return list(output) == list(y)

    def options(self) -> dict[str, Any]:
        return {"types": list(self.types)}
