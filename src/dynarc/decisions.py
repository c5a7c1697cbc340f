"""What a parser decides, and what else it could have done: its steps with their scores, and the most probable trees."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from dynarc import _core
from dynarc.errors import ConfigError, TreeError
from dynarc.oracles import DynamicOracle, Nonprojective
from dynarc.projective import projectivize
from dynarc.sentence import Origin, Sentence
from dynarc.trace import Step
from dynarc.transition import MOVES, Transition
from dynarc.tree import UNKNOWN, Tree
from dynarc.treebank import Treebank

if TYPE_CHECKING:
    from dynarc.parser import Parser

MOST = 2**31  # more states than any machine has room for


def decisions(
    parser: "Parser", source: Sentence | Sequence[str], oracle: DynamicOracle | None = None
) -> Iterator[Step]:
    """The steps by which the parser parses a sentence; priced, if there is an oracle (`oracle_for`)."""
    sentence = as_sentence(source)
    if parser.config.direction == "right-to-left":
        raise ConfigError("a parser that goes from right to left cannot be followed step by step", "direction")
    ts = parser.config.transition_system(single_root=parser.single_root)
    names = [name + str(mark) for name, mark in parser.labels.names]
    steps = _core.Steps(parser.model, Treebank([sentence]).document(), 0)
    state, number = ts.initial(sentence.forms), 0
    while not steps.is_final:
        offers, best = steps.offers()
        steps.take(best)
        legal = [
            Transition(MOVES[move], None if label == UNKNOWN else names[label], None if node == UNKNOWN else node)
            for move, node, label, *_ in offers
        ]
        scores = {t: score for t, (*_, score, _) in zip(legal, offers, strict=True)}
        probs = {t: math.exp(log) for t, (*_, log) in zip(legal, offers, strict=True)}
        chosen = legal[best]
        costs = None if oracle is None else oracle.costs_of(state, scores)
        after = state.copy()
        after.apply(chosen)
        number += 1
        yield Step(
            number,
            state,
            costs,
            chosen,
            None if costs is None else costs[chosen],
            after,
            None if oracle is None else oracle.loss(after),
            scores,
            probs,
        )
        state = after


class RankedTree(NamedTuple):
    """One of the best trees of a sentence, with the probability of its best derivation."""

    sentence: Sentence
    probability: float


class RankedTrees(list[RankedTree]):
    """The best trees of a sentence, the most probable first.

    The first `proven` of them are the best that there are, in their order. All of them are if it is `exact`, and if
    they are fewer than were asked for, there are no others.
    """

    def __init__(self, trees: Iterable[RankedTree], *, proven: int, exact: bool) -> None:
        super().__init__(trees)
        self.proven = proven
        self.exact = exact


def best_trees(parser: "Parser", source: Sentence | Sequence[str], k: int, limit: int) -> RankedTrees:
    """See `Parser.kbest`."""
    for name, value in (("k", k), ("limit", limit)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ConfigError(f"{name} is {value!r}, but must be a whole number, 1 or more", name)
    sentence = as_sentence(source)
    document = Treebank([sentence]).document()
    search = _core.TreeSearch(parser.model, document, 0, min(k, MOST), min(limit, MOST))
    # Trees of the engine are distinct; with lifted arcs put back, two may be the same.
    found: dict[tuple[object, ...], RankedTree] = {}
    proven = 0
    while len(found) < k and (ranked := search.next()) is not None:
        heads, names = parser.finished(ranked[0], ranked[1])
        if (key := (*heads, *names)) not in found:
            found[key] = RankedTree(_with_tree(document, sentence.path, heads, names), math.exp(ranked[2]))
            proven += ranked[3]
    exact = proven == len(found) and (len(found) == k or search.exhausted)
    return RankedTrees(found.values(), proven=proven, exact=exact)


def _with_tree(document: _core.Document, path: str, heads: list[int], labels: list[str | None]) -> Sentence:
    texts = sorted({label for label in labels if label is not None})
    parsed = document.copy()
    parsed.set_tree(0, heads, [UNKNOWN if label is None else texts.index(label) for label in labels], texts)
    return Sentence.of(Origin(parsed, path), 0)


def oracle_for(parser: "Parser", gold: Tree, nonprojective: Nonprojective = "exact") -> DynamicOracle:
    """The dynamic oracle of a parser for a gold tree, which is lifted as the parser's training data were."""
    ts = parser.config.transition_system(single_root=parser.single_root)
    bound = ts.oracle("dynamic", nonprojective=nonprojective).bind(as_learned(parser, gold))
    assert isinstance(bound, DynamicOracle)
    return bound


def as_learned(parser: "Parser", gold: Tree) -> Tree:
    if not parser.labels.names:
        return Tree(gold.heads, sent_id=gold.sent_id)
    if parser.encoding is None or gold.is_partial or gold.is_projective:
        return gold
    lifted = projectivize(gold, parser.encoding)
    if lifted.deprels is None:
        return lifted.tree
    known = set(parser.labels.names)
    labels = [
        f"{name}{mark}" if (name, mark) in known else name  # marks that are too rare are not learned
        for name, mark in zip(lifted.deprels, lifted.marks, strict=True)
    ]
    return Tree(lifted.heads, labels, sent_id=gold.sent_id)


def as_sentence(source: Sentence | Sequence[str]) -> Sentence:
    if isinstance(source, Sentence):
        return source
    if isinstance(source, str):
        raise ConfigError("a parser takes a sentence, or a list of words: split the text first")
    return Sentence(source)


def gold_tree(gold: Tree | Sentence | None, words: int) -> Tree | None:
    tree = gold.tree if isinstance(gold, Sentence) else gold
    if tree is not None and len(tree) != words:
        raise TreeError(f"the sentence has {words} words, but its gold tree {len(tree)}")
    return tree
