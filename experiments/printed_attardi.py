"""Algorithm 1 of Gómez-Rodríguez, Sartorio and Satta 2014: the loss of a configuration of Attardi's parser, as corrected and as printed.

What the printed text leaves out (ORACLES 5.3): a subtree of the buffer may be reduced only if the heads of its nodes are in the buffer,
too; and lines 18 to 27 ask of the head of the *new* arc whether it is there, where the gold head of the dependent is meant.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Literal

from dynarc import State, Tree

Reading = Literal["corrected", "printed", "literal"]
_NOTHING = -2  # what the paper writes as $
Item = tuple[int, int, int]


def reduced_buffer(
    stack: Sequence[int], buffer: Sequence[int], head: Sequence[int | None], reading: Reading
) -> list[int]:
    """Stage 1: gold subtrees that lie ready in the buffer are represented by their highest node."""
    below: dict[int, list[int]] = {}
    for word, its_head in enumerate(head):
        if its_head is not None:
            below.setdefault(its_head, []).append(word)
    place = {node: i for i, node in enumerate(buffer)}
    removed: set[int] = set()
    for top in buffer:
        tree = {node for node in _subtree(top, below) if node in place}
        others = tree - {top}
        places = sorted(place[node] for node in tree)
        if any(child in stack for node in others for child in below.get(node, ())):
            continue
        if places[-1] - places[0] != len(places) - 1:
            continue
        if reading == "corrected" and any(head[node] not in place for node in others):
            continue
        removed |= others
    return [node for node in buffer if node not in removed]


def _subtree(top: int, below: dict[int, list[int]]) -> Iterator[int]:
    waiting = [top]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += below.get(node, ())


def loss(state: State, gold: Tree, reading: Reading) -> float:
    """Wrong arcs that are built, and those that will have to be."""
    head: list[int | None] = [None, *gold.heads]
    wrong = sum(built is not None and built != wanted for built, wanted in zip(state.heads, gold.heads, strict=True))
    stack = list(state.stack)
    nodes = stack + reduced_buffer(stack, state.buffer, head, reading)
    depth, size = len(stack), len(nodes)
    table: dict[tuple[int, int], dict[Item, int]] = {(0, 1): {(_NOTHING, _NOTHING, nodes[0]): 0}}
    for i in range(1, depth):
        table[i, i + 1] = {(nodes[i - 1], nodes[i - 1], nodes[i]): 0}
    for i in range(max(depth, 1), size):
        table[i, i + 1] = {(nodes[h], nodes[h], nodes[i]): 0 for h in range(i)}
    known = set(nodes)

    def allowed(i: int, its_head: int, dependent: int) -> bool:
        if dependent in (0, _NOTHING) or its_head == _NOTHING:
            return False
        return i < depth or head[dependent] == its_head or (reading != "literal" and head[dependent] not in known)

    def combine(i: int, k: int, j: int) -> None:
        into = table.setdefault((i, j), {})
        for (h1, h2, h3), left in table.get((i, k), {}).items():
            for (first, h4, h5), right in table.get((k, j), {}).items():
                if first != h3:
                    continue
                arcs = ((h5, h4, (h1, h2, h5)), (h4, h5, (h1, h2, h4)), (h5, h2, (h1, h4, h5)), (h2, h5, (h1, h2, h4)))
                for its_head, dependent, item in arcs:
                    if allowed(i, its_head, dependent):
                        value = left + right + (head[dependent] != its_head)
                        into[item] = min(value, into.get(item, value))

    for width in range(2, size + 1):
        for i in range(max(0, depth - width), size - width + 1):
            combine(i, i + 1, i + width)
            for k in range(max(i + 2, depth), i + width):
                combine(i, k, i + width)
    return wrong + table.get((0, size), {}).get((_NOTHING, _NOTHING, 0), math.inf)
