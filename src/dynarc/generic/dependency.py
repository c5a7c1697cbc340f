"""Dependency parsing as a generic task: the configurations of a transition system are the states of an automaton.

That shows what the generic oracle is worth, because the closed forms of our systems must say the same; for parsing,
`dynarc.train` is what one wants.
"""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Any, Self

from dynarc.generic.automaton import Automaton
from dynarc.generic.oracle import END
from dynarc.generic.task import Task
from dynarc.systems import State, System, system
from dynarc.transition import Transition
from dynarc.tree import Tree


class Configuration:
    """A state of one of our systems, as a state of a task."""

    def __init__(self, x: Any, state: State) -> None:
        self.x = x
        self.state = state
        self.is_final = False
        self.actions: list[str] = []

    def legal(self) -> list[str]:
        return [END] if self.state.is_final else [str(t) for t in self.state.legal()]

    def apply(self, action: str) -> None:
        if action == END and self.state.is_final:
            self.is_final = True
        else:
            self.state.apply(action)
        self.actions.append(action)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.state, twin.actions = self.state.copy(), list(self.actions)
        return twin

    def key(self) -> Hashable:
        return self.is_final, self.state.key()


class Dependency(Task):
    """Words to transitions of a system of ours. `x` is a sequence of words, perhaps with tags, or their number.

    Every transition writes the arc it builds, so the loss is about arcs: one for each word whose head (or label) is not
    gold's. The automaton has a state for each configuration, so sentences must be short.

    >>> oracle = Dependency("arc-hybrid").oracle(2, Tree([2, 0]))
    >>> oracle.advance("SHIFT")
    >>> oracle.costs()
    {'SHIFT': 1.0, 'LEFT': 0.0}
    """

    templates: tuple[str, ...] = (
        "s0", "s0t", "b0", "b0t", "s0+b0", "s0t+b0t", "s1t+s0t+b0t", "s0t+b0t+b1t", "s0+b0t", "s0t+b0", "s1t", "b1t",
        "s1t+s0t",
    )  # fmt: skip
    metric = "UAS"
    strict = False  # a system may not be able to derive the tree

    def __init__(self, name: str | System = "arc-hybrid", *, labels: Sequence[str] = (), **options: Any) -> None:
        self.system = name if isinstance(name, System) else system(name, labels=labels or None, **options)
        self._options = {"name": self.system.name, "labels": list(labels), **options}
        labelled = [Transition(move, label) for move in self.system.moves for label in (None, *labels)]
        self.actions = tuple(dict.fromkeys(map(str, labelled)))
        self.constraints_of_length = lru_cache(maxsize=8)(self._configurations)

    def start(self, x: Any) -> Any:
        return Configuration(x, self.system.initial(_length(x)))

    def constraints(self, x: Any) -> Automaton:
        return self.constraints_of_length(_length(x))

    def _configurations(self, words: int) -> Automaton:
        automaton = Automaton()
        first = self.system.initial(words)
        numbers: dict[Hashable, int] = {_future(first): automaton.add_state()}
        todo = [first]
        while todo:
            state = todo.pop()
            source = numbers[_future(state)]
            if state.is_final:
                # Words that never got a head: nobody's, or what the system makes of them.
                given, made = state.heads, state.output
                for word in range(1, words + 1):
                    if given[word - 1] is None:
                        target = automaton.add_state()
                        automaton.add_arc(source, None, target, output=_arc(made[word - 1], word, None))
                        source = target
                automaton.set_final(source)
                continue
            for t in state.legal():
                after = state.copy()
                after.apply(t)
                if (key := _future(after)) not in numbers:
                    numbers[key] = automaton.add_state()
                    todo.append(after)
                built = state.arc(t)
                output = None if built is None else _arc(built[0], built[1], t.label)
                automaton.add_arc(source, str(t), numbers[key], output=output)
        return automaton

    def loss(self, x: Any, y: Tree) -> Automaton:
        automaton = Automaton()
        automaton.add_state(final=0)
        words = _length(x)
        for word in range(1, words + 1):
            arcs = self._arcs(word, words)
            for arc in arcs:
                for other in arcs:
                    automaton.add_arc(0, arc, 0, output=other, weight=arc != other)
        return automaton

    def gold(self, x: Any, y: Tree) -> Automaton:
        """Its arcs, in any order; of a word whose head is unknown, any arc."""
        automaton = Automaton()
        automaton.add_state(final=0)
        for word, head in enumerate(y.heads, start=1):
            if head is None:
                automaton.add_arcs(0, self._arcs(word, len(y)), 0)
            else:
                automaton.add_arc(0, _arc(head, word, y.deprels[word - 1] if y.deprels else None), 0)
        return automaton

    def _arcs(self, word: int, words: int) -> list[str]:
        labels = (None, *(self.system.labels or ()))
        return [_arc(head, word, label) for head in (None, *range(words + 1)) for label in labels]

    def features(self, state: Configuration) -> dict[str, str | None]:
        stack, buffer, words = state.state.stack, state.state.buffer, state.x
        values: dict[str, str | None] = {}
        for name, node in (
            ("s0", stack[-1] if stack else None),
            ("s1", stack[-2] if len(stack) > 1 else None),
            ("b0", buffer[0] if buffer else None),
            ("b1", buffer[1] if len(buffer) > 1 else None),
        ):
            word = None if node is None or isinstance(words, int) or node == 0 else words[node - 1]
            plain = "<none>" if node is None else "ROOT" if node == 0 else str(word)
            values[name] = word[0] if isinstance(word, tuple) else plain
            values[f"{name}t"] = word[1] if isinstance(word, tuple) else plain
        return values

    def output(self, state: Configuration) -> tuple[int | None, ...]:
        return tuple(state.state.output)

    def loss_of(self, state: Configuration, y: Tree) -> float:
        labels, right = state.state.labels, y.deprels
        wrong = 0
        for word, (head, gold) in enumerate(zip(state.state.output, y.heads, strict=True)):
            mislabelled = right is not None and labels[word] != right[word]
            wrong += int(gold is not None and (head != gold or mislabelled))
        return wrong

    def score(self, outputs: Sequence[Any], golds: Sequence[Tree]) -> float:
        pairs = [p for out, gold in zip(outputs, golds, strict=True) for p in zip(out, gold.heads, strict=True)]
        return 100.0 * [head == right for head, right in pairs].count(True) / max(1, len(pairs))

    def options(self) -> dict[str, Any]:
        return self._options


def _length(x: Any) -> int:
    return x if isinstance(x, int) else len(x)


def _arc(head: int | None, word: int, label: str | None) -> str:
    return f"{'none' if head is None else head}->{word}" + ("" if label is None else f":{label}")


def _future(state: State) -> Hashable:
    """The same for configurations after which the same can be done: arcs that are built no longer matter, but that
    there is a head does, and where cycles or roots are counted, which."""
    if state.system.name == "covington":
        return state.key()
    roots = sum(head == 0 for head in state.heads) if state.system.single_root else 0
    # Where headless words are dealt with at the end, which ones they are is all that counts.
    return tuple(state.stack), tuple(state.buffer), tuple(head is None for head in state.heads), roots
