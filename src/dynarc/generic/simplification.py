"""Simplification: each word is kept, deleted or replaced; the loss is the edit distance to the nearest gold text."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dynarc.generic.automaton import Automaton, Symbols, sequence, union
from dynarc.generic.oracle import END
from dynarc.generic.tagging import Words
from dynarc.generic.task import Prefix, Task
from dynarc.generic.words import WORD_TEMPLATES, word_values

KEEP, DELETE = "KEEP", "DELETE"


def edit_distance(a: Sequence[str], b: Sequence[str]) -> int:
    """How many words have to be inserted, deleted or replaced (Levenshtein)."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, start=1):
        before, row[0] = row[0], i
        for j, other in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (one != other))
    return row[-1]


class Simplification(Task):
    """Words to KEEP, DELETE and REPLACE:other; `replacements` says which other words there are for a word.

    `constraints` reads actions and writes the words they stand for, so `loss` is about words: the edit distance,
    whatever the actions are. `y` is a list of texts, each a list of words; the nearest one counts. None of them need be
    one that the actions can make.

    >>> task = Simplification({"purchase": ["buy"]})
    >>> oracle = task.oracle("they purchase old houses".split(), ["they buy houses".split(), "they buy".split()])
    >>> oracle.advance("KEEP")
    >>> oracle.costs()
    {'KEEP': 1.0, 'DELETE': 1.0, 'REPLACE:buy': 0.0}
    """

    templates: tuple[str, ...] = (*WORD_TEMPLATES, "a-1", "a-2+a-1", "a-1+w0", "a-1+pos0", "out-1+w0")
    metric = "texts right"
    strict = False

    def __init__(self, replacements: Mapping[str, Iterable[str]]) -> None:
        self.replacements = {word: tuple(others) for word, others in replacements.items()}
        all_others = sorted({other for others in self.replacements.values() for other in others})
        self.actions = (KEEP, DELETE, *(f"REPLACE:{other}" for other in all_others))

    def constraints(self, x: Words) -> Automaton:
        automaton = Automaton(Symbols(self.actions))
        *places, end = automaton.add_states(len(x) + 1)
        for place, word in zip(places, x, strict=True):
            automaton.add_arc(place, KEEP, place + 1, output=f"={word}")
            automaton.add_arc(place, DELETE, place + 1, output=None)
            for other in self.replacements.get(word, ()):
                automaton.add_arc(place, f"REPLACE:{other}", place + 1, output=f"={other}")
        automaton.set_final(end)
        return automaton

    def loss(self, x: Words, y: Sequence[Words]) -> Automaton:
        """The edit distance from texts of the words that can be made to texts of the words of gold."""
        ours = {*x, *(other for word in x for other in self.replacements.get(word, ()))}
        theirs = {word for text in y for word in text}
        automaton = Automaton()
        automaton.add_state(final=0)
        for word in sorted(ours):
            automaton.add_arc(0, f"={word}", 0)
            automaton.add_arc(0, f"={word}", 0, output=None, weight=1)
            for other in sorted(theirs - {word}):
                automaton.add_arc(0, f"={word}", 0, output=f"={other}", weight=1)
        for other in sorted(theirs):
            automaton.add_arc(0, None, 0, output=f"={other}", weight=1)
        return automaton

    def gold(self, x: Words, y: Sequence[Words]) -> Automaton:
        return union([sequence([f"={word}" for word in text]) for text in y])

    def features(self, state: Prefix) -> dict[str, str | None]:
        last, before = [None, None, *state.actions][-1], [None, None, *state.actions][-2]
        out = self.output(state)
        values = {"a-1": last, "a-2": before, "out-1": out[-1] if out else "<none>"}
        return {**word_values(state.x, len(state.actions)), **values}

    def output(self, state: Prefix) -> tuple[str, ...]:
        made = []
        for word, action in zip(state.x, state.actions, strict=False):
            if action not in (DELETE, END):
                made.append(word if action == KEEP else action.removeprefix("REPLACE:"))
        return tuple(made)

    def loss_of(self, state: Prefix, y: Sequence[Words]) -> float:
        return min(edit_distance(self.output(state), text) for text in y)

    def is_right(self, output: Any, y: Any) -> bool:
        return list(output) in [list(text) for text in y]

    def options(self) -> dict[str, Any]:
        return {"replacements": {word: list(others) for word, others in self.replacements.items()}}
