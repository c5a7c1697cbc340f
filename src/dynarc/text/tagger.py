"""Taggers: UPOS, XPOS, FEATS and lemmas of words, learned from treebanks."""

import json
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Self

from dynarc import _core
from dynarc.errors import ConfigError, ModelFormatError
from dynarc.features import filled_columns
from dynarc.model_file import (
    COMPACT,
    Contents,
    Storage,
    Tensor,
    numbers,
    pack_texts,
    pack_weights,
    parsed_json,
    refusing,
    row,
    under,
    unpack_texts,
    unpack_weights,
)
from dynarc.sentence import COLUMNS, Origin
from dynarc.treebank import Treebank

# In the order in which they are found: each is given those before it.
TAGGED = ("upos", "xpos", "feats", "lemma")

Notice = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TagConfig:
    """How a tagger is trained.

    Words seen less often than `min_count` are known by their letters only. Those seen `fixed_count` times or more, in a
    share of at least `fixed_share` with the same tag, always get it; with a count of 0 none does. The tagger learns on
    its own tags from epoch `explore_after` + 1 on. A `beam` of 1 is greedy; a wider one learns and finds sequences of
    tags as wholes, by beam search with early updates, which is Viterbi's algorithm if it is as wide as there are pairs
    of tags.
    """

    epochs: int = 8
    min_count: int = 2
    fixed_count: int = 10
    fixed_share: float = 0.995
    explore_after: int = 1
    beam: int = 1
    seed: int = 1

    def __post_init__(self) -> None:
        least = {"epochs": 1, "min_count": 1, "beam": 1}
        for name, value in asdict(self).items():
            if value < least.get(name, 0):
                raise ConfigError(f"{name} of a tagger is {value}: {least.get(name, 0)} is the least", name)


@dataclass(frozen=True)
class Tagger:
    """Finds the tags of words, and their lemmas. `columns` has a tagger of the engine for each column."""

    columns: Mapping[str, _core.ColumnTagger]
    config: TagConfig

    def tag(self, treebank: Treebank, *, threads: int = 0, again: bool = False) -> Treebank:
        """A treebank like the given one, tagged. In each sentence, a column in which no word has a value is filled, the
        others stay; `again` finds all of them anew."""
        document = treebank.document().copy()
        self.fill(document, threads or os.cpu_count() or 1, again=again)
        return Treebank.of(Origin(document, treebank.path), format=treebank.format)

    def fill(self, document: _core.Document, threads: int, *, again: bool = False) -> None:
        """The same, in a document of the engine."""
        self._together.tag(document, threads, again)

    @cached_property
    def _together(self) -> _core.ColumnTaggers:
        return _core.ColumnTaggers(list(self.columns.values()))

    def contents(self, storage: Storage = COMPACT) -> Contents:
        """What a model file holds of it."""
        tensors: dict[str, Tensor] = {}
        for name, tagger in self.columns.items():
            found: dict[str, Tensor] = {}
            sizes = [last - first for first, last in pairwise(tagger.begin)]
            groups = [group for group, size in zip(tagger.groups, sizes, strict=True) for _ in range(size)]
            classes = [f"{group}\t{text}" for group, text in zip(groups, tagger.texts, strict=True)]
            found |= pack_texts("classes", classes)
            found["forms"] = row("U64", tagger.forms)
            found["ambiguity"] = row("U16", tagger.ambiguity)
            found["fixed"] = row("I32", tagger.fixed)
            packed = tagger.pack(storage.key_bits, storage.prune, storage.quantised)
            found |= pack_weights("weights", packed, narrow=len(tagger.texts) <= 256)
            tensors |= {f"{name}.{key}": tensor for key, tensor in found.items()}
        return Contents({"columns": json.dumps(list(self.columns)), "config": json.dumps(asdict(self.config))}, tensors)

    @classmethod
    def of(cls, contents: Contents, name: str) -> Self:
        """The tagger of such contents; `name` is what messages call the file."""
        with refusing(name, "tagger"):
            columns = [str(column) for column in parsed_json(contents.metadata["columns"])]
            config = TagConfig(**parsed_json(contents.metadata["config"]))
            if columns != [column for column in TAGGED if column in columns]:
                raise ModelFormatError(f"{name}: has a tagger of columns that are none: {', '.join(columns)}")
            found: dict[str, _core.ColumnTagger] = {}
            for place, column in enumerate(columns):
                tensors = under(contents.tensors, f"{column}.")
                classes = [text.partition("\t") for text in unpack_texts(tensors, "classes", name)]
                sizes = Counter(group for group, _, _ in classes)
                found[column] = _core.ColumnTagger.unpack(
                    _spec(column, columns[:place], config),
                    list(sizes),
                    list(accumulate(sizes.values(), initial=0)),
                    [text for _, _, text in classes],
                    numbers(tensors, "forms", "U64", name),
                    numbers(tensors, "ambiguity", "U16", name),
                    numbers(tensors, "fixed", "I32", name),
                    unpack_weights(tensors, "weights", name),
                )
            return cls(found, config)


def train_tagger(
    treebank: Treebank,
    config: TagConfig | None = None,
    *,
    sentences: Sequence[int] | None = None,
    columns: Sequence[str] | None = None,
    notice: Notice | None = None,
) -> Tagger:
    """Trains a tagger of the columns that the treebank has, or of some of them, on all sentences or on some."""
    config = config or TagConfig()
    wanted = taggable(treebank) if columns is None else [c for c in TAGGED if c in columns]
    document = treebank.document()
    chosen = list(range(len(treebank)) if sentences is None else sentences)
    found: dict[str, _core.ColumnTagger] = {}
    for place, column in enumerate(wanted):
        training = _core.ColumnTraining(
            _spec(column, wanted[:place], config),
            document,
            chosen,
            config.min_count,
            config.fixed_count,
            config.explore_after,
            config.seed,
            config.fixed_share,
        )
        for _ in range(config.epochs):
            report = training.epoch()
        if notice is not None:
            notice(f"{column}: {100 * (1 - report.wrong / max(1, report.words)):.2f} % right in training")
        found[column] = training.tagger()
    return Tagger(found, config)


def taggable(treebank: Treebank) -> list[str]:
    """The columns of a treebank that can be learned. ConfigError if UPOS is not among them."""
    filled = filled_columns(treebank)
    if not any(tag != "_" for sentence in treebank for tag in sentence.upos):
        raise ConfigError(f"{treebank.path}: no word has a UPOS to learn from")
    return [column for column in TAGGED if column == "upos" or column in filled]


def jackknifed(
    treebank: Treebank, folds: int, config: TagConfig | None = None, *, threads: int = 1, notice: Notice | None = None
) -> Treebank:
    """The treebank with tags as a parser will meet them: each of `folds` parts is tagged by a tagger of the others."""
    if folds < 2 or folds > len(treebank):
        raise ConfigError(f"{folds} parts of {len(treebank)} sentences: from 2 to as many as there are", "jackknife")
    columns = taggable(treebank)
    bounds = [len(treebank) * fold // folds for fold in range(folds + 1)]
    parts = [range(first, last) for first, last in pairwise(bounds)]

    def tagged(part: range) -> bytes:
        others = [i for i in range(len(treebank)) if i not in part]
        tagger = train_tagger(treebank, config, sentences=others, columns=columns)
        return tagger.tag(treebank[part.start : part.stop], threads=1, again=True).to_bytes()

    if notice is not None:
        notice(f"tags for the parser: {folds} taggers, each of the other parts")
    with ThreadPoolExecutor(max(1, min(threads, folds))) as pool:
        data = b"".join(pool.map(tagged, parts))
    return Treebank.of(Origin(_core.Document.read(data, check_trees=False), treebank.path), format=treebank.format)


def _spec(column: str, before: Sequence[str], config: TagConfig) -> _core.ColumnSpec:
    # A lemma depends on the word and its tags alone: there is no sequence to search.
    beam = 1 if column == "lemma" else config.beam
    return _core.ColumnSpec(_place(column), [_place(other) for other in before], beam)


def _place(column: str) -> int:
    return COLUMNS.index(column)
