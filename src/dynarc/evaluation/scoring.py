"""evaluate(): two documents in, Scores out. The counting is done by the engine, src/native/score."""

import unicodedata
from collections.abc import Sequence

from dynarc import _core
from dynarc.evaluation.protocols import Protocol, protocol_of
from dynarc.evaluation.refusals import error_of
from dynarc.evaluation.scores import Bin, Count, LabelScore, Scores
from dynarc.evaluation.sources import Named, Source, document_of

# Metrics about words that both have; the others are about spans of text or arcs of graphs.
_OF_ALL_WORDS = frozenset({"UAS", "LAS", "label accuracy", "UPOS", "XPOS", "UFeats", "AllTags", "Lemmas"})
_OF_CONTENT_WORDS = frozenset({"CLAS", "MLAS", "BLEX"})


def evaluate(gold: Source, system: Source, protocol: str = "full") -> Scores:
    """Scores the trees of `system` against those of `gold`: paths, bytes, treebanks or documents.

    The protocols are those of docs/explanation/scores.md. `ud` gives the figures of the official scorer of
    Universal Dependencies and takes text that was cut into other words and sentences; `full`, `nopunct`,
    `conll` and `ptb` need the same words on both sides. Raises EvaluationError where the two cannot be compared.

    >>> gold = b"1\\tI\\t_\\t_\\t_\\t_\\t2\\tnsubj\\t_\\t_\\n2\\tsleep\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n"
    >>> scores = evaluate(gold, gold.replace(b"nsubj", b"obj"))
    >>> scores.uas, scores.las
    (100.0, 50.0)
    >>> print(scores)
    UAS 100.00  LAS 50.00  CLAS 50.00  (full: all words, whole labels, any roots; 2 words, 1 sentences)
    """
    rules = protocol_of(protocol)
    sides = document_of(gold, "gold"), document_of(system, "system")
    pair = _core.Pair(sides[0].read, sides[1].read)
    if rules.same_words:
        punctuation = [_is_punctuation(form) for form in pair.forms()] if protocol == "conll" else []
        outcome = pair.same_words(protocol, punctuation)
    else:
        outcome = pair.official(*_form_table(pair.forms()))
    if isinstance(outcome, _core.Refusal):
        raise error_of(outcome, *sides)
    return _scores(outcome, rules, *sides)


def _is_punctuation(form: str) -> bool:
    """As in the scorer of CoNLL-X: one character or more, all of a Unicode category P*."""
    return form != "" and all(unicodedata.category(c)[0] == "P" for c in form)


def _form_table(forms: Sequence[str]) -> tuple[list[str], list[int], list[int]]:
    """Every form without its spaces, and numbers for it and for that, equal where only upper and lower case differ."""
    bare = [
        form if form.isascii() and " " not in form else "".join(c for c in form if unicodedata.category(c) != "Zs")
        for form in forms
    ]
    numbers: dict[str, int] = {}
    lowered = [numbers.setdefault(form.lower(), len(numbers)) for form in forms]
    bare_lowered = [numbers.setdefault(form.lower(), len(numbers)) for form in bare]
    return bare, lowered, bare_lowered


def _scores(outcome: _core.Evaluation, rules: Protocol, gold: Named, system: Named) -> Scores:
    table = outcome.table
    numbers = memoryview(table).cast("i")
    width = 3 * len(outcome.metrics)
    counts = {}
    for i, metric in enumerate(outcome.metrics):
        correct, in_gold, in_system = (sum(numbers[3 * i + k :: width]) for k in range(3))
        aligned = None
        if metric in _OF_ALL_WORDS:
            aligned = outcome.aligned
        elif metric in _OF_CONTENT_WORDS:
            aligned = outcome.aligned_content
        counts[metric] = Count(correct, in_gold, in_system, aligned)
    notes = []
    if outcome.bad_deps_line:
        del counts["ELAS"], counts["EULAS"]
        where = f"{(system if outcome.bad_deps_in_system else gold).path}:{outcome.bad_deps_line}"
        notes.append(f"no ELAS and EULAS: DEPS of {where} is no list of enhanced dependencies")
    if rules.name == "ptb":
        column = "XPOS" if outcome.tags_from_xpos else "UPOS, since XPOS is empty"
        notes.append(f"tags are those of the gold {column}")
        if not outcome.punctuation:
            notes.append("no gold tag is one of `` '' , . : so nothing was left out")
    if outcome.unknown_heads:
        notes.append(f"{outcome.unknown_heads:,} words without a head in {gold.path} are not scored")
    if outcome.unattached:
        notes.append(f"{outcome.unattached:,} words without a head in {system.path} count as wrong")
    labels = sorted(outcome.labels, key=lambda label: (-label[1], -label[2], label[0]))
    return Scores(
        protocol=rules,
        gold=gold.path,
        system=system.path,
        words=outcome.words,
        sentences=gold.read.sentences,
        counts=counts,
        per_label={label[0]: LabelScore(*label) for label in labels},
        by_distance=tuple(_bin(*bounds) for bounds in outcome.distances),
        by_length=tuple(_bin(*bounds) for bounds in outcome.lengths),
        columns={name: Count(equal, words, words) for name, equal, words in outcome.columns},
        punctuation=outcome.punctuation,
        unknown_heads=outcome.unknown_heads,
        unattached=outcome.unattached,
        notes=tuple(notes),
        table=table,
        scored=outcome.scored,
    )


def _bin(first: int, last: int, words: int, heads: int, correct: int, sentences: int, exact: int) -> Bin:
    return Bin(first, None if last < 0 else last, words, heads, correct, sentences, exact)
