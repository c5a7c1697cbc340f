"""Parsers: what training makes, and what turns words into trees."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, overload

from dynarc import _core
from dynarc.config import TrainConfig
from dynarc.errors import ConfigError, ModelFormatError
from dynarc.model_file import (
    COMPACT,
    Contents,
    Storage,
    pack_model,
    parsed_json,
    read_model_file,
    refusing,
    under,
    unpack_model,
    write_model_file,
)
from dynarc.projective import ENCODINGS, Encoding, LiftedTree, Mark, deprojectivize
from dynarc.sentence import COLUMNS, Origin, Sentence, Sure
from dynarc.text.stages import Stages
from dynarc.tree import UNKNOWN, Tree
from dynarc.treebank import Treebank

# What not every run of the program needs is imported where it is.
if TYPE_CHECKING:
    from dynarc.confidence import Calibration
    from dynarc.decisions import RankedTrees
    from dynarc.fixed import FixedWords
    from dynarc.trace import Step

PLAIN = Mark()
_MISC = COLUMNS.index("misc")
_MOST_PAIRS = 1000  # of easy-first, whose probabilities take time that grows with their square
_FIRST = "first."  # begins the names of the first pass's tensors


@dataclass(frozen=True, slots=True)
class Labels:
    """What the numbers of a model's labels stand for: a label, and the marks of a lifted arc beside it.

    Labels of arcs between words come first, those of arcs from ROOT last: `words` is how many of the first there are,
    `first_root` where the last begin; in between are those that are both.
    """

    names: tuple[tuple[str, Mark], ...]
    words: int
    first_root: int
    other: int  # of words that end without a head
    rest: tuple[tuple[int, int], ...] = ()  # moves and labels without a class of their own
    values: tuple[int, ...] = ()  # by which features know the labels, if not by their numbers
    # Where several roots are to become one: for every tag the share of its words that are roots, and the label of those
    # that depend on the root.
    roots: tuple[tuple[str, float, int], ...] = ()

    @property
    def texts(self) -> list[str]:
        return [name for name, _ in self.names]

    @property
    def marked(self) -> bool:
        """Some labels say that an arc was lifted, or passed by one that was."""
        return any(mark != PLAIN for _, mark in self.names)

    def numbers_of(self, other: Self) -> list[int]:
        """What the labels of another parser are here; all of them must be."""
        place = {name: number for number, name in enumerate(self.names)}
        return [place[name] for name in other.names]

    def to_json(self) -> str:
        names = [[name, mark.lifted, mark.lifted_to, mark.passed] for name, mark in self.names]
        return json.dumps(
            {
                "names": names,
                "words": self.words,
                "first_root": self.first_root,
                "other": self.other,
                "rest": self.rest,
                "values": self.values,
                "roots": self.roots,
            }
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Of a model file, where anything may stand: ValueError if it is not what `to_json` writes."""
        values = parsed_json(text)
        names = tuple((_label(name), _mark(*marks)) for name, *marks in values["names"])
        if len(set(names)) != len(names):
            raise ValueError("a label is given twice")
        rest = tuple((move, label) for move, label in values.get("rest", ()))
        known_by = tuple(values.get("values", ()))
        roots = tuple((tag, share, label) for tag, share, label in values.get("roots", ()))
        return cls(names, values["words"], values["first_root"], values["other"], rest, known_by, roots)


@dataclass(frozen=True)
class Parser:
    """A trained parser. `info` says what it was trained on and how well it did."""

    model: _core.Model
    config: TrainConfig
    labels: Labels
    single_root: bool
    templates: tuple[str, ...]
    encoding: Encoding | None = None  # how lifted arcs are marked, if they are
    info: Mapping[str, Any] = field(default_factory=dict)
    first: Self | None = None  # the parser of the first pass, if there are two
    calibration: "Calibration | None" = None  # what makes probabilities of what it knows
    text: Stages = field(default_factory=Stages)  # what it does with raw text, and with words that have no tags

    def __post_init__(self) -> None:
        if self.calibration is not None:
            self.model.sharpness = self.calibration.sharpness
        if self.first is not None:
            self.model.set_guide(self.first.model, self.labels.numbers_of(self.first.labels))

    @overload
    def parse(
        self,
        source: Treebank,
        *,
        threads: int = 0,
        fixed: "FixedWords | Sequence[FixedWords | None] | None" = None,
        keep_heads: bool = False,
        confidence: bool = False,
    ) -> Treebank: ...
    @overload
    def parse(  # type: ignore[overload-overlap]  # a string is a sequence of strings
        self, source: str, *, threads: int = 0, confidence: bool = False
    ) -> Treebank: ...
    @overload
    def parse(
        self, source: Sequence[str], *, threads: int = 0, fixed: "FixedWords | None" = None, confidence: bool = False
    ) -> Sentence: ...
    def parse(
        self,
        source: Treebank | str | Sequence[str],
        *,
        threads: int = 0,
        fixed: "FixedWords | Sequence[FixedWords | None] | None" = None,
        keep_heads: bool = False,
        confidence: bool = False,
    ) -> Treebank | Sentence:
        """A treebank like the given one, with the parser's trees; of a text, its sentences; of a list of words, the
        sentence they make.

        Nothing but HEAD and DEPREL changes; a parser with a tagger fills in UPOS, XPOS, FEATS and LEMMA of sentences in
        which no word has them. `threads` is how many cores to use, 0 for all; trees do not depend on it.

        `fixed` are arcs that the tree must have, as in {3: (2, "obj")}: word 3 hangs from word 2 as its object. A head
        or a label of None is left to the parser. Of several sentences it is a list, with such a mapping or None for
        each. `keep_heads` fixes the heads and labels that are in the treebank and fills in the others (`_`); where both
        speak of a word, `fixed` decides. TreeError if no tree of the parser's system has them all.

        `confidence` puts into MISC how sure the parser is of every word, as in `ArcProb=0.973|LabelProb=0.951`: the
        probabilities that the head is right, and that head and label are. Sentences then have them as `arc_prob`,
        `label_prob` and `tree_prob`; that of a list of words has them always, if the parser is calibrated. (Easy-first
        weighs every pair of neighbours against all others: for more than a thousand words only if asked for.)
        """
        if isinstance(source, str):
            if fixed is not None or keep_heads:
                raise ConfigError("arcs can be fixed between words that are known: tokenize the text first")
            source = self.text.need_tokenizer().tokenize(source, threads=threads or cores())
            sure = confidence or self.calibration is not None
            ready = self.tagged(source, threads)
            return (
                self._surely(ready, threads or cores(), mark=confidence) if sure else self.parse(ready, threads=threads)
            )
        if isinstance(source, Treebank):
            source = self.tagged(source, threads)
            if confidence:
                if fixed is not None or keep_heads:
                    raise ConfigError("how sure the parser is of fixed arcs is not known: leave out confidence")
                return self._surely(source, threads or cores(), mark=True)
            if fixed is not None or keep_heads:
                from dynarc.fixed import parse_fixed

                return parse_fixed(self, source, fixed, keep_heads=keep_heads, threads=threads or cores())
            document = source.document()
            parsed = self._parsed(document, threads or cores())
            return Treebank.of(Origin(parsed, source.path), format=source.format)
        treebank = self.tagged(Treebank([Sentence(source)]), 1)
        quick = self.config.system != "easy-first" or len(source) <= _MOST_PAIRS
        if self.calibration is not None and fixed is None and (confidence or quick):
            return self._surely(treebank, 1, mark=confidence)[0]
        return self.parse(treebank, threads=1, fixed=fixed, confidence=confidence)[0]

    def tagged(self, source: Treebank, threads: int = 0) -> Treebank:
        """The treebank as it is parsed: with the tags of the parser's tagger, if it has one, where there are none."""
        tagger = self.text.tagger
        return source if tagger is None else tagger.tag(source, threads=threads or cores())

    def _tagged_sentence(self, source: Sentence | Sequence[str]) -> Sentence:
        from dynarc.decisions import as_sentence

        return self.tagged(Treebank([as_sentence(source)]), 1)[0]

    def surely(self, source: Treebank, *, threads: int = 0) -> Treebank:
        """As `parse`, with sentences that have `arc_prob`, `label_prob` and `tree_prob`, and nothing put into MISC."""
        return self._surely(self.tagged(source, threads), threads or cores(), mark=False)

    def trace(self, source: Sentence | Sequence[str], gold: Tree | Sentence | None = None) -> "Iterator[Step]":
        """The steps by which `parse` comes to its tree: each with the state, the score and the probability of every
        legal transition, and the one that was taken. With `gold` also with their costs, exact where the system's oracle
        is.

        A parser that lifts arcs builds a lifted tree; its labels have marks, and gold is lifted as well.
        """
        from dynarc.decisions import decisions, gold_tree, oracle_for

        sentence = self._tagged_sentence(source)
        tree = gold_tree(gold, len(sentence))
        return decisions(self, sentence, None if tree is None else oracle_for(self, tree))

    def kbest(self, source: Sentence | Sequence[str], k: int, *, limit: int = 10_000) -> "RankedTrees":
        """The k most probable trees of a sentence, best first, all distinct: a list of (sentence, probability).

        In a state, the probability of a transition is softmax over all that are legal of `model.sharpness` times the
        score. That of a derivation is the product over its transitions, and that of a tree the one of its most probable
        derivation: there can be others, which are not added up. Of equally probable trees that one is first whose
        derivation, where the two part, takes the transition that is more probable or, of equals, that the parser would
        choose.

        The search takes at most `limit` steps from one state to another, besides those of the greedy parse, and keeps
        no more in memory. With fewer than it needs, the list has `exact=False` and ends with trees that were completed
        greedily: distinct, in order, and the first at least as probable as what `parse` returns, but there may be
        better ones. The first `proven` trees are the best even then.
        """
        from dynarc.decisions import best_trees

        return best_trees(self, self._tagged_sentence(source), k, limit)

    def save(self, path: str | os.PathLike[str], storage: Storage = COMPACT, stages: Storage = COMPACT) -> None:
        """Writes the model to a file, whole or not at all. At the price of some accuracy a file can be smaller than
        usual (`Storage.prune`): `storage` is that of the parser, `stages` that of its tokenizer and tagger."""
        write_model_file(path, self.contents(storage, stages))

    def contents(self, storage: Storage = COMPACT, stages: Storage = COMPACT) -> Contents:
        """What a model file holds."""
        metadata = {
            "config": json.dumps(self.config.to_dict()),
            "labels": self.labels.to_json(),
            "features": json.dumps(self.templates),
            "single_root": json.dumps(self.single_root),
            "encoding": json.dumps(self.encoding),
            "info": json.dumps(self.info),
        }
        if self.calibration is not None:
            metadata["calibration"] = self.calibration.to_json()
        tensors = pack_model(self.model, storage)
        text = self.text.contents(stages)
        metadata |= text.metadata
        tensors |= text.tensors
        if self.first is not None:
            first = self.first.contents(storage)
            metadata["first"] = json.dumps(first.metadata)
            tensors |= {_FIRST + name: tensor for name, tensor in first.tensors.items()}
        return Contents(metadata, tensors)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The parser that `save` has written, or, by its name, one that comes with the package ("en").
        ModelFormatError if the file is damaged, or is none."""
        return cls.of(read_model_file(model_path(path)), os.fspath(path), use_up=True)

    @classmethod
    def of(cls, contents: Contents, name: str, *, use_up: bool = False) -> Self:
        """The parser of the contents of a model file, which may be used up by that. `name` is what messages call it."""
        if "config" not in contents.metadata and "checkpoint" in contents.metadata:
            raise ModelFormatError(f"{name}: is a checkpoint of a training run, not a model: finish the run with it")
        with refusing(name, "parser"):
            return cls._of(contents, name, use_up=use_up)

    @classmethod
    def _of(cls, contents: Contents, name: str, *, use_up: bool = False, is_first: bool = False) -> Self:
        metadata = contents.metadata
        first = None
        if "first" in metadata:
            if is_first:
                raise ValueError("the first pass has a pass before it")
            earlier = dict(parsed_json(metadata["first"]))
            first = cls._of(Contents(earlier, under(contents.tensors, _FIRST)), name, is_first=True)
        stored = {key: parsed_json(metadata[key]) for key in ("config", "features", "single_root", "info", "encoding")}
        single_root, encoding, info = stored["single_root"], stored["encoding"], stored["info"]
        if not isinstance(single_root, bool) or not (encoding is None or encoding in ENCODINGS):
            raise ValueError("what it says of roots and of lifted arcs is not understood")
        config = TrainConfig.from_dict(stored["config"])
        labels = Labels.from_json(metadata["labels"])
        templates = tuple(stored["features"])
        spec = model_spec(config, single_root, templates, labels)
        model = unpack_model(spec, contents.tensors, name=name, use_up=use_up)
        calibration = None
        if "calibration" in metadata:
            from dynarc.confidence import Calibration

            calibration = Calibration.from_json(metadata["calibration"])
        text = Stages.of(contents, name)
        return cls(model, config, labels, single_root, templates, encoding, dict(info), first, calibration, text)

    def stored(self) -> Self:
        """The parser as it is after saving and loading: weights are rounded to what a file keeps of them."""
        spec = model_spec(self.config, self.single_root, self.templates, self.labels)
        first = None if self.first is None else self.first.stored()
        return replace(self, model=unpack_model(spec, pack_model(self.model, COMPACT)), first=first)

    @overload
    def __call__(self, source: str) -> Treebank: ...  # type: ignore[overload-overlap]
    @overload
    def __call__(self, source: Sequence[str]) -> Sentence: ...
    def __call__(self, source: str | Sequence[str]) -> Treebank | Sentence:
        """The sentence that the words make, with its tree; of a text, its sentences."""
        return self.parse(source)

    def _surely(self, source: Treebank, threads: int, *, mark: bool) -> Treebank:
        """Parsed with probabilities, which are put into MISC if so wished."""
        if mark and source.format == "conllx":
            raise ConfigError(f"{source.path}: CoNLL-X has no column for probabilities: convert it to CoNLL-U first")
        from dynarc.confidence import sure_trees

        document = source.document()
        found = sure_trees(self, document, threads)
        parsed = document.copy()
        place: dict[str | None, int] = {name: number for number, name in enumerate(self._plain_texts)}
        place[None] = UNKNOWN
        for number, (heads, names, sure) in enumerate(found):
            parsed.set_tree(number, heads, [place[name] for name in names], self._plain_texts)
            if mark:
                for word, cell in enumerate(document.cells(number, _MISC)):
                    parsed.set_cell(number, word, _MISC, _with_sureness(cell, sure, word))
        return Treebank.of(Origin(parsed, source.path, sure=[sure for _, _, sure in found]), format=source.format)

    def _parsed(self, document: _core.Document, threads: int) -> _core.Document:
        if not self.labels.marked or self.encoding is None:
            return self.model.parsed(document, threads, self.labels.texts, layout())
        parsed = document.copy()
        place: dict[str | None, int] = {name: number for number, name in enumerate(self._plain_texts)}
        for number, (heads, labels) in enumerate(self.model.parse(document, 0, document.sentences, threads, layout())):
            final, names = self.finished(heads, labels)
            parsed.set_tree(number, final, [place[name] for name in names], self._plain_texts)
        return parsed

    def finished(self, heads: list[int], labels: list[int]) -> tuple[list[int], list[str | None]]:
        """A tree of the engine as it is shown: lifted arcs put back, labels by their names."""
        found = [(None, PLAIN) if label < 0 else self.labels.names[label] for label in labels]
        deprels, marks = zip(*found, strict=True)
        if self.encoding is not None and any(mark.lifted for mark in marks):
            lifted = LiftedTree(tuple(heads), deprels, marks, self.encoding)
            heads = [head or 0 for head in deprojectivize(lifted).heads]
        return heads, list(deprels)

    @cached_property
    def _plain_texts(self) -> list[str]:
        return sorted(set(self.labels.texts))


def _label(name: object) -> str:
    """A label that a model names: it will stand in a column of what is written."""
    if not isinstance(name, str) or not name or any(char in name for char in "\t\n\r\0"):
        raise ValueError(f"no word can have the label {name!r}")
    name.encode()
    return name


def _mark(lifted: object, lifted_to: object, passed: object) -> Mark:
    if isinstance(lifted, bool) and isinstance(lifted_to, str | None) and isinstance(passed, bool):
        return Mark(lifted, lifted_to, passed)
    raise ValueError("a label has marks that are none")


def _with_sureness(misc: str, sure: Sure, word: int) -> str:
    """MISC with the probabilities of a word; those of an earlier parse are replaced."""
    kept = [] if misc == "_" else [e for e in misc.split("|") if not e.startswith(("ArcProb=", "LabelProb="))]
    return "|".join([*kept, f"ArcProb={sure.arc_prob[word]:.3f}", f"LabelProb={sure.label_prob[word]:.3f}"])


def load(path: str | os.PathLike[str]) -> Parser:
    """The parser of a model file; `load("en")` is the one for English that comes with the package."""
    return Parser.load(path)


def model_path(name: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Where a model is: that of the package, if it is called so and there is no such file."""
    from dynarc.data import bundled

    own = None if Path(name).exists() else bundled(os.fspath(name))
    return name if own is None else own


def model_spec(config: TrainConfig, single_root: bool, templates: tuple[str, ...], labels: Labels) -> _core.ModelSpec:
    """What the engine needs to know of a parser, besides its vocabularies and weights."""
    ts = config.transition_system(single_root=single_root)
    return _core.ModelSpec(
        config.system,
        ts.root == "last",
        ts.headless == "attach",
        single_root,
        list(templates),
        config.tag == "xpos",
        config.valency_cap,
        len(labels.names),
        labels.words,
        labels.first_root,
        labels.other,
        list(labels.rest),
        config.direction == "right-to-left",
        list(labels.values),
        list(labels.roots),
    )


def layout() -> str:
    """How weights are laid out for parsing: DYNARC_LAYOUT is auto, compact or folded. Trees do not depend on it."""
    return os.environ.get("DYNARC_LAYOUT", "auto")


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
