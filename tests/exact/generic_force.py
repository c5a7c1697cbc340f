"""Brute force for generic oracles: all sequences written out, losses by their definitions. No automata."""

import functools
import itertools
from collections.abc import Callable, Iterator, Sequence

END = "</s>"
Actions = tuple[str, ...]


def tag_sequences(words: int, tags: Sequence[str]) -> list[Actions]:
    return list(itertools.product(tags, repeat=words))


def hamming(one: Actions, other: Actions) -> float:
    return sum(a != b for a, b in zip(one, other, strict=True))


def chunk_sequences(words: int, types: Sequence[str]) -> list[Actions]:
    tags = ["O", *(f"{place}-{kind}" for place in "BI" for kind in types)]

    def sound(tags: Actions) -> bool:
        return all(
            tag[0] != "I" or (before != "O" and before[1:] == tag[1:])
            for before, tag in zip(("O", *tags), tags, strict=False)
        )

    return [one for one in itertools.product(tags, repeat=words) if sound(one)]


def found_chunks(tags: Actions) -> set[tuple[str, int, int]]:
    """Every stretch that begins with B and goes on as long as there are I."""
    out = set()
    for first, tag in enumerate(tags):
        if tag[0] == "B":
            last = first
            while last + 1 < len(tags) and tags[last + 1][0] == "I":
                last += 1
            out.add((tag[2:], first, last))
    return out


def chunk_loss(one: Actions, other: Actions) -> float:
    ours, theirs = found_chunks(one), found_chunks(other)
    return len(ours - theirs) + len(theirs - ours)


def trees(words: int, labels: Sequence[str], least: int = 2) -> list[Actions]:
    """All bracketings without unary brackets: every bracket has two children at least (`least` 1: or one word)."""

    def items(size: int) -> list[Actions]:
        return ([("SHIFT",)] if size == 1 else []) + spanning(size)

    @functools.cache
    def row(size: int) -> list[Actions]:
        """Words and brackets side by side, one at least."""
        split = [(*a, *b) for first in range(1, size) for a in items(first) for b in row(size - first)]
        return items(size) + split

    @functools.cache
    def spanning(size: int) -> list[Actions]:
        """Brackets over so many words."""
        inner = [(*a, *b) for first in range(1, size) for a in items(first) for b in row(size - first)]
        if size == 1 and (least == 1 or words == 1):
            inner.append(("SHIFT",))
        return [(f"{label}(", *children, ")") for children in inner for label in labels]

    return spanning(words)


def nested(words: int, labels: Sequence[str]) -> list[Actions]:
    """All that the quadratic automaton admits: no empty bracket, at most as many open as there are words."""

    def go(done: Actions, depth: int, left: int, empty: bool) -> Iterator[Actions]:
        if depth == 0 and done:
            if left == 0:
                yield done
            return
        if left and depth < words:
            for label in labels:
                yield from go((*done, f"{label}("), depth + 1, left, True)
        if depth and left:
            yield from go((*done, "SHIFT"), depth, left - 1, False)
        if depth and not empty and (depth > 1 or left == 0):
            yield from go((*done, ")"), depth - 1, left, False)

    return list(go((), 0, words, True))


def bracket_loss(closing: float) -> Callable[[Actions, Actions], float]:
    def loss(one: Actions, other: Actions) -> float:
        @functools.cache
        def rest(i: int, j: int) -> float:
            if i == len(one) and j == len(other):
                return 0
            options = []
            if i < len(one) and one[i] != "SHIFT":
                options.append(rest(i + 1, j) + (closing if one[i] == ")" else 1))
            if j < len(other) and other[j] != "SHIFT":
                options.append(rest(i, j + 1) + (closing if other[j] == ")" else 1))
            if i < len(one) and j < len(other):
                if one[i] == other[j]:
                    options.append(rest(i + 1, j + 1))
                elif one[i][-1] == other[j][-1] == "(":
                    options.append(rest(i + 1, j + 1) + 1)
            return min(options, default=float("inf"))

        return rest(0, 0)

    return loss


def f1_loss(one: Actions, other: Actions) -> float:
    def brackets(actions: Actions) -> list[tuple[str, int, int]]:
        out: list[tuple[str, int, int]] = []
        stack: list[tuple[str, int]] = []
        at = 0
        for action in actions:
            if action == "SHIFT":
                at += 1
            elif action == ")":
                label, first = stack.pop()
                out.append((label, first, at))
            else:
                stack.append((action, at))
        return out

    ours, theirs = brackets(one), brackets(other)
    rest = list(theirs)
    right = 0
    for bracket in ours:
        if bracket in rest:
            rest.remove(bracket)
            right += 1
    return 1 - 2 * right / (len(ours) + len(theirs))


def levenshtein(one: Sequence[str], other: Sequence[str]) -> float:
    @functools.cache
    def rest(i: int, j: int) -> int:
        if i == len(one) or j == len(other):
            return len(one) - i + len(other) - j
        return min(rest(i + 1, j) + 1, rest(i, j + 1) + 1, rest(i + 1, j + 1) + (one[i] != other[j]))

    return rest(0, 0)


class Values:
    """Of every prefix of every sequence, the least loss of what can follow each action."""

    def __init__(self, sequences: Sequence[Actions], losses: Sequence[float]) -> None:
        self.best: dict[Actions, float] = {}
        self.after: dict[Actions, set[str]] = {}
        for one, loss in zip(sequences, losses, strict=True):
            whole = (*one, END)
            for end in range(len(whole) + 1):
                self.best[whole[:end]] = min(self.best.get(whole[:end], float("inf")), loss)
                if end < len(whole):
                    self.after.setdefault(whole[:end], set()).add(whole[end])

    def of(self, prefix: Actions) -> dict[str, float]:
        return {action: self.best[*prefix, action] for action in self.after[prefix]}
