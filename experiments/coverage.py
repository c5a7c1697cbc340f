"""What Attardi's system can derive of a treebank, and how large its configurations are on the way."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import Any

from experiments import data
from experiments.runs import made_now
from experiments.work import Result, Work

import dynarc
from dynarc import Tree, _core

_ERRORS = 0.1  # share of random moves in walks: most configurations lie after errors, as in training


@dataclass(frozen=True, slots=True)
class Coverage(Work):
    treebank: str

    def known_by(self) -> dict[str, Any]:
        return {"coverage": 1, "treebank": self.treebank}

    def quick(self) -> "Coverage":
        return replace(self, treebank="english")

    def estimate(self) -> float:
        return 1.0 + 1e-4 * data.size(self.treebank, "train")[1]

    def summary(self, result: Result) -> str:
        return f"{result['sentences']['underivable']} of {result['sentences']['all']} sentences cannot be derived"

    def __str__(self) -> str:
        return f"{self.treebank} coverage of attardi"

    def perform(self) -> Result:
        started = time.process_time()
        system = dynarc.system("attardi")
        trees = [Tree(s.heads) for s in data.read(self.treebank, "train") if None not in s.heads]
        derivable = [tree for tree in trees if system.can_derive(tree)]
        stacks: list[int] = []
        buffers: list[int] = []
        for tree in derivable:
            stack, buffer = 0, len(tree) + 1
            for step in system.derivation(tree):
                stack, buffer = (stack + 1, buffer - 1) if step.move == "SHIFT" else (stack - 1, buffer)
                stacks.append(stack)
                buffers.append(buffer)
        golds = [[head for head in tree.heads if head is not None] for tree in derivable]
        walks = _core.time_walks(*system.core_options, golds, _ERRORS, 0.0, 1, 1, 0)
        crossing = [len(tree.nonprojective_arcs) for tree in trees]
        return {
            "coverage": self.known_by(),
            "made": made_now(),
            "sentences": {
                "all": len(trees),
                "nonprojective": sum(n > 0 for n in crossing),
                "underivable": len(trees) - len(derivable),
            },
            "arcs": {
                "all": sum(map(len, trees)),
                "nonprojective": sum(crossing),
                "of underivable": sum(map(len, trees)) - sum(map(len, derivable)),
                "nonprojective, of underivable": sum(crossing) - sum(len(t.nonprojective_arcs) for t in derivable),
            },
            "sizes": {"stack": _sizes(stacks), "buffer": _sizes(buffers)},
            "walks": {"stack": _sizes(walks["depth"]), "reduced buffer": _sizes(walks["reduced_buffer"])},
            "seconds": time.process_time() - started,
        }


def _sizes(numbers: Sequence[int]) -> dict[str, float]:
    known = [number for number in numbers if number >= 0]
    return {"mean": mean(known), "most": max(known)} if known else {"mean": 0.0, "most": 0}
