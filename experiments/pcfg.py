"""The floor of constituency parsing: an unlexicalised PCFG, read off the training trees, and its most probable parse.

Tags are given. Rules are binarised from the left with the last child as memory, so that brackets of any length have a
probability. Probabilities are relative frequencies. A sentence without a parse gets one bracket.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from dynarc.generic.bracketing import CLOSE, SHIFT
from dynarc.generic.penn import Bracketed, TaggedWord

Rule = tuple[str, tuple[str, ...]]


def rules_of(sentence: Bracketed) -> Iterable[Rule]:
    """The rules of a tree: a label and two children, or one tag."""
    stack: list[tuple[str, list[str]]] = [("", [])]
    tags = iter(sentence.words)
    for action in sentence.actions:
        if action == SHIFT:
            stack[-1][1].append(next(tags)[1])
        elif action == CLOSE:
            label, children = stack.pop()
            stack[-1][1].append(f"{label}(")
            name = f"{label}("
            while len(children) > 2:
                rest = f"{label}|{children[0]}|"  # no bracket: those end in "("
                yield name, (children[0], rest)
                name, children = rest, children[1:]
            yield name, tuple(children)
        else:
            stack.append((action[:-1], []))
    yield "", (stack[0][1][0],)


class Grammar:
    def __init__(self, sentences: Iterable[Bracketed]) -> None:
        counts = Counter(rule for sentence in sentences for rule in rules_of(sentence))
        totals: Counter[str] = Counter()
        for (parent, _), count in counts.items():
            totals[parent] += count
        names = {name for parent, children in counts for name in (parent, *children)}
        self.names = sorted(names)
        number = {name: place for place, name in enumerate(self.names)}
        binary = [
            (number[p], number[c[0]], number[c[1]], np.log(n / totals[p]))
            for (p, c), n in counts.items()
            if len(c) == 2
        ]
        binary.sort()
        self.number = number
        self.parent, self.left, self.right = (np.array([rule[i] for rule in binary]) for i in range(3))
        self.weight = np.array([rule[3] for rule in binary])
        # Rules of one parent stand together: the best of each group is found at once.
        self.starts = np.flatnonzero(np.r_[True, self.parent[1:] != self.parent[:-1]])
        self.groups = self.parent[self.starts]
        self.over_tag: dict[str, list[tuple[int, float]]] = defaultdict(list)
        self.roots = np.full(len(self.names), -np.inf)
        for (parent, children), count in counts.items():
            if len(children) == 1:
                chance = float(np.log(count / totals[parent]))
                if parent:
                    self.over_tag[children[0]].append((number[parent], chance))
                else:
                    self.roots[number[children[0]]] = chance

    def parse(self, words: Sequence[TaggedWord]) -> tuple[str, ...]:
        """The actions of the most probable tree."""
        n = len(words)
        # What is over the words from i to j (not included): best[i, j] by symbol, where each is split, and by which rule.
        best = np.full((n, n + 1, len(self.names)), -np.inf)
        how: dict[tuple[int, int], tuple[Any, Any]] = {}
        for i, (_, tag) in enumerate(words):
            if tag in self.number:
                best[i, i + 1, self.number[tag]] = 0.0
            for parent, chance in self.over_tag[tag]:
                best[i, i + 1, parent] = chance
        for width in range(2, n + 1):
            for i in range(n - width + 1):
                j = i + width
                middles = np.arange(i + 1, j)
                scores = best[i, middles][:, self.left] + best[middles, j][:, self.right]
                split = scores.argmax(axis=0)
                top = scores[split, np.arange(len(split))] + self.weight
                most = np.maximum.reduceat(top, self.starts)
                best[i, j, self.groups] = most
                how[i, j] = (top, split + i + 1)
        scores = best[0, n] + self.roots
        root = int(scores.argmax())
        if not np.isfinite(scores[root]):
            return ("S(", *[SHIFT] * n, CLOSE)
        return tuple(self._actions(0, n, root, how))

    def _actions(self, i: int, j: int, symbol: int, how: dict[tuple[int, int], tuple[Any, Any]]) -> list[str]:
        name = self.names[symbol]
        if j == i + 1:
            return [name, SHIFT, CLOSE] if name.endswith("(") and name != "(" else [SHIFT]
        top, splits = how[i, j]
        group = int(np.searchsorted(self.groups, symbol))
        end = self.starts[group + 1] if group + 1 < len(self.starts) else len(self.parent)
        rule = int(self.starts[group] + top[self.starts[group] : end].argmax())
        middle = int(splits[rule])
        inner = [
            *self._actions(i, middle, int(self.left[rule]), how),
            *self._actions(middle, j, int(self.right[rule]), how),
        ]
        return [name, *inner, CLOSE] if name.endswith("(") else inner
