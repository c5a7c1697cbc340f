"""Sentences and positions of derivations as JSON: what the API answers, and what the page draws."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from dynarc.player import Option, Player, Position
from dynarc.sentence import Sentence
from dynarc.text.spaces import raw_text
from dynarc.treebank import Treebank

Json = dict[str, Any]

# Labelled transitions that one answer lists; easy-first may have thousands.
MOST_OPTIONS = 600
# Labels of each action where there are more than that.
BEST_LABELS = 4
DIGITS = 4


def text_of(sentence: Sentence) -> str:
    """What the sentence says, by its comment or by its tokens."""
    return sentence.text or raw_text(Treebank([sentence])).strip()


def parsed_json(sentence: Sentence) -> Json:
    """A sentence as /v1/parse gives it back."""
    return {
        "sent_id": sentence.sent_id,
        "text": text_of(sentence),
        "forms": list(sentence.forms),
        "lemmas": list(sentence.lemmas),
        "upos": list(sentence.upos),
        "xpos": list(sentence.xpos),
        "feats": list(sentence.feats),
        "heads": list(sentence.heads),
        "deprels": list(sentence.deprels),
        "ranges": [list(r) for r in sentence.ranges],
        "arc_prob": rounded(sentence.arc_prob),
        "label_prob": rounded(sentence.label_prob),
        "tree_prob": None if sentence.tree_prob is None else round(sentence.tree_prob, DIGITS),
    }


def drawn_json(sentence: Sentence, gold: Sentence | None = None) -> Json:
    """A sentence as the page draws it; `gold` is what its tree is compared with."""
    return {
        "sent_id": sentence.sent_id,
        "text": text_of(sentence),
        "forms": list(sentence.forms),
        "upos": list(sentence.upos),
        "heads": list(sentence.heads),
        "deprels": list(sentence.deprels),
        "ranges": [list(r) for r in sentence.ranges],
        "empty": [list(e) for e in sentence.empty_nodes],
        "arc_prob": rounded(sentence.arc_prob),
        "label_prob": rounded(sentence.label_prob),
        "tree_prob": None if sentence.tree_prob is None else round(sentence.tree_prob, DIGITS),
        "gold": None if gold is None else {"heads": list(gold.heads), "deprels": list(gold.deprels)},
        "conllu": sentence.to_bytes().decode(),
    }


def rounded(values: Sequence[float | None] | None) -> list[float | None] | None:
    return None if values is None else [None if value is None else round(value, DIGITS) for value in values]


def position_json(player: Player, position: Position) -> Json:
    """Where a derivation has come to, as /v1/step gives it back."""
    state = position.state
    options = position.options
    return {
        "system": player.system.describe(),
        "name": player.system.name,
        "stack": state.stack,
        "buffer": state.buffer,
        "passed": list(range(state.i + 1, state.j)) if state.i is not None and state.j is not None else [],
        "heads": state.output if state.is_final else state.heads,
        "deprels": state.labels,
        "history": [str(t) for t in state.history],
        "final": state.is_final,
        "options": [_option_json(option) for option in _shown(options)],
        "left_out": len(options) - len(_shown(options)),
        "loss": position.loss,
        "best": None if position.best is None else [list(arc) for arc in position.best],
        "ahead": [str(t) for t in position.ahead],
        "exact": player.exact,
        "note": player.note,
    }


def _option_json(option: Option) -> Json:
    t = option.transition
    return {
        "transition": str(t),
        "move": t.move,
        "label": t.label,
        "node": t.node,
        "arc": None if option.arc is None else list(option.arc),
        "prob": None if option.prob is None else round(option.prob, 6),
        "cost": option.cost,
    }


def _shown(options: Sequence[Option]) -> list[Option]:
    """All, or of each action the most probable."""
    if len(options) <= MOST_OPTIONS:
        return list(options)
    shown: list[Option] = []
    for _, group in groupby(options, key=lambda option: (option.transition.move, option.transition.node)):
        shown += sorted(group, key=lambda option: -(option.prob or 0.0))[:BEST_LABELS]
    return shown
