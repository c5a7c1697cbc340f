"""The parser as a component of spaCy pipelines: nlp.add_pipe("dynarc", config={"model": "en"}).

Needs spaCy (pip install "dynarc[spacy]"), which finds it by its entry point; nothing else of the package imports it.
"""

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from spacy.attrs import DEP, HEAD, LEMMA, MORPH, POS, TAG
from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc, Token
from spacy.util import minibatch
from spacy.vocab import Vocab

from dynarc.errors import DynarcError
from dynarc.parser import Parser, load
from dynarc.sentence import Sentence
from dynarc.text.spaces import spaces, surface
from dynarc.treebank import Treebank

_FILE = "model.dynarc"
_ROOT = "ROOT"  # what spaCy calls the label of a root
_LAYOUT = re.compile(r"[\t\n\r\0]")  # no part of a form in CoNLL-U


@Language.factory(  # type: ignore[untyped-decorator]
    "dynarc",
    assigns=["token.head", "token.dep", "token.is_sent_start", "token.pos", "token.tag", "token.morph", "token.lemma"],
    default_config={"model": "en", "tags": True, "threads": 1},
)
def make_component(nlp: Language, name: str, model: str, tags: bool, threads: int) -> "DynarcParser":
    """What spaCy calls for nlp.add_pipe("dynarc")."""
    return DynarcParser(nlp.vocab, model, name=name, tags=tags, threads=threads)


class DynarcParser:
    """Sets heads, labels and sentence starts of a Doc, and with `tags` also parts of speech, tags, morphology and
    lemmas where it has none; `Token._.arc_prob` and `label_prob` say how sure the parser is.

    Sentence starts that are set stay: a sentence begins where `is_sent_start` is True and nowhere that it is False.
    Where nothing is set, the model's tokenizer says where sentences end; without one, the Doc is one sentence. Words
    are spaCy's own.
    """

    def __init__(self, vocab: Vocab, model: str, *, name: str = "dynarc", tags: bool = True, threads: int = 1) -> None:
        self.vocab, self.name, self.model, self.tags, self.threads = vocab, name, model, tags, threads
        self._parser: Parser | None = None
        self._problem: DynarcError | None = None
        try:
            self._parser = load(model)
        except DynarcError as problem:  # a pipeline that is being loaded brings the model with it
            self._problem = problem
        for extension in ("arc_prob", "label_prob"):
            if not Token.has_extension(extension):
                Token.set_extension(extension, default=None)

    @property
    def parser(self) -> Parser:
        if self._parser is None:
            assert self._problem is not None
            raise self._problem
        return self._parser

    def __call__(self, doc: Doc) -> Doc:
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Docs some at a time: `batch_size` of them are parsed at once."""
        for batch in minibatch(stream, size=batch_size):
            docs = list(batch)
            self._annotate(docs)
            yield from docs

    def _annotate(self, docs: Sequence[Doc]) -> None:
        sentences = [words for doc in docs for words in self._sentences(doc)]
        if not sentences:
            return
        parser = self.parser
        given = Treebank([_sentence(words) for words in sentences])
        found = iter(parser.parse(given, threads=self.threads, confidence=parser.calibration is not None))
        for doc in docs:
            self._set(doc, [(words, next(found)) for words in self._sentences(doc)])

    def _sentences(self, doc: Doc) -> list[list[Token]]:
        """The words of each sentence; white space is in none."""
        predicted = self._starts(doc)
        parts: list[list[Token]] = []
        for token in doc:
            if token.is_space:
                continue
            # Unset in a Doc that is being built, or by a component that is sure of some places only.
            set_here = token.is_sent_start if token.i else None
            if not parts or set_here or (set_here is None and token.i in predicted):
                parts.append([])
            parts[-1].append(token)
        return parts

    def _starts(self, doc: Doc) -> set[int]:
        """Where the tokenizer of the model has sentences begin, as numbers of tokens."""
        tokenizer = self.parser.text.tokenizer
        if tokenizer is None or doc.has_annotation("SENT_START", require_complete=True):
            return set()
        starts, place = set(), 0
        for sentence in tokenizer.tokenize(doc.text):
            first = True
            for token in surface(sentence):
                before, after = spaces(token.misc)
                place += len(before)
                if first:
                    starts.add(place)
                first = False
                place += len(token.form) + (1 if after is None else len(after))
        words = [token for token in doc if not token.is_space]
        # A sentence that begins within a word of spaCy begins with the next one.
        begins = sorted(starts)
        found, at = set(), 0
        for token in words:
            begun = False
            while at < len(begins) and begins[at] <= token.idx:
                begun, at = True, at + 1
            if begun:
                found.add(token.i)
        return found

    def _set(self, doc: Doc, parsed: list[tuple[list[Token], Sentence]]) -> None:
        import numpy

        heads = [0] * len(doc)  # as spaCy has them: how far away
        names = [""] * len(doc)
        strings = self.vocab.strings
        columns: dict[int, list[int]] = {
            POS: [token.pos for token in doc],
            TAG: [token.tag for token in doc],
            MORPH: [token.morph.key for token in doc],
            LEMMA: [token.lemma for token in doc],
        }
        for words, sentence in parsed:
            arc_prob, label_prob = sentence.arc_prob, sentence.label_prob
            rows = zip(words, sentence.heads, sentence.deprels, strict=True)
            for number, (token, head, label) in enumerate(rows):
                heads[token.i] = words[head - 1].i - token.i if head else 0
                names[token.i] = _ROOT if not head else label or "dep"
                token._.arc_prob = None if arc_prob is None else arc_prob[number]
                token._.label_prob = None if label_prob is None else label_prob[number]
            if self.tags:
                for number, token in enumerate(words):
                    _fill(columns, self.vocab, token, sentence, number)
        # White space hangs from the word before it, or from the first one.
        for token in doc:
            if token.is_space and parsed:
                before = token.i - 1
                heads[token.i] = -1 if before >= 0 else parsed[0][0][0].i - token.i
                names[token.i] = "dep"
        columns[HEAD], columns[DEP] = heads, [strings.add(name) for name in names]
        table = numpy.array([[value % (1 << 64) for value in column] for column in columns.values()], dtype="uint64")
        doc.from_array(list(columns), table.T)

    # spaCy's protocol for what is saved with a pipeline: the model itself, so that it can be taken anywhere.

    def to_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> None:
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        self.parser.save(folder / _FILE)

    def from_disk(self, path: Any, *, exclude: Iterable[str] = ()) -> "DynarcParser":
        self._parser = load(Path(path) / _FILE)
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            self.to_disk(folder)
            return (Path(folder) / _FILE).read_bytes()

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "DynarcParser":
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / _FILE).write_bytes(data)
            return self.from_disk(folder)


def to_treebank(docs: Doc | Iterable[Doc]) -> Treebank:
    """Docs as a treebank, with all that spaCy knows of their words. White space is no word; it is in MISC."""
    sentences: list[Sentence] = []
    for doc in [docs] if isinstance(docs, Doc) else docs:
        spans = [list(span) for span in doc.sents] if doc.has_annotation("SENT_START") else [list(doc)]
        for span in spans:
            words = [token for token in span if not token.is_space]
            if words:
                sentences.append(_sentence(words, parsed=doc.has_annotation("DEP")))
    return Treebank(sentences)


def to_doc(treebank: Treebank, vocab: Vocab) -> Doc:
    """A treebank as one Doc: words, trees, tags, morphology, lemmas and sentences. Multiword tokens are their words."""
    words: list[str] = []
    after: list[bool] = []
    kept = ("pos", "tags", "morphs", "lemmas")
    columns: dict[str, list[Any]] = {name: [] for name in (*kept, "heads", "deps", "starts")}
    trees = all(head is not None for sentence in treebank for head in sentence.heads)
    for sentence in treebank:
        first = len(words)
        spaced = _spaced(sentence)
        for number in range(len(sentence)):
            head, label = sentence.heads[number], sentence.deprels[number]
            words.append(sentence.forms[number])
            after.append(spaced[number])
            columns["pos"].append(sentence.upos[number] if sentence.upos[number] in IDS else "")
            columns["tags"].append(_known(sentence.xpos[number]))
            columns["morphs"].append(_known(sentence.feats[number]))
            columns["lemmas"].append(_known(sentence.lemmas[number], sentence.forms[number]))
            columns["heads"].append(first + (head - 1 if head else number))
            columns["deps"].append(_ROOT if head == 0 else label or "dep")
            columns["starts"].append(number == 0)
    tree = {"heads": columns["heads"], "deps": columns["deps"]} if trees else {"sent_starts": columns["starts"]}
    known = {name: columns[name] for name in kept}
    return Doc(vocab, words=words, spaces=after, **known, **tree)


def _fill(columns: dict[int, list[int]], vocab: Vocab, token: Token, sentence: Sentence, number: int) -> None:
    """The tags of a word where it has none."""
    i = token.i
    if not columns[POS][i] and sentence.upos[number] in IDS:
        columns[POS][i] = IDS[sentence.upos[number]]
    if not columns[TAG][i] and sentence.xpos[number] != "_":
        columns[TAG][i] = vocab.strings.add(sentence.xpos[number])
    if not token.has_morph() and sentence.feats[number] != "_":
        columns[MORPH][i] = vocab.morphology.add(sentence.feats[number])
    if not columns[LEMMA][i]:
        lemma = _known(sentence.lemmas[number], token.text if sentence.lemmas[number] == token.text else "")
        columns[LEMMA][i] = vocab.strings.add(lemma) if lemma else 0


def _sentence(words: list[Token], *, parsed: bool = False) -> Sentence:
    """Words as a sentence: with the tags that all of them have, and their tree if so wished."""
    place = {token.i: number for number, token in enumerate(words, start=1)}
    tree: dict[str, Any] = {}
    if parsed:
        roots = [token.head.i == token.i or token.head.i not in place for token in words]
        tree["heads"] = [0 if root else place[token.head.i] for token, root in zip(words, roots, strict=True)]
        tree["deprels"] = ["root" if root else token.dep_ or None for token, root in zip(words, roots, strict=True)]
    spaced = ["_" if token.whitespace_ else "SpaceAfter=No" for token in words]

    def values(column: list[str]) -> list[str | None] | None:
        return [value or None for value in column] if any(column) else None

    upos = [token.pos_ for token in words]
    return Sentence(
        [_LAYOUT.sub(" ", token.text) for token in words],
        upos=list(upos) if all(upos) else None,
        xpos=values([token.tag_ for token in words]),
        feats=values([str(token.morph) for token in words]),
        lemmas=values([_LAYOUT.sub(" ", token.lemma_) for token in words]),
        misc=spaced,
        **tree,
    )


def _spaced(sentence: Sentence) -> list[bool]:
    """Whether a space follows each word. Within a multiword token there is none."""
    found = [spaces(misc)[1] != "" for misc in sentence.misc]
    for first, last, _ in sentence.ranges:
        token = next(token for token in sentence.tokens if token.id == f"{first}-{last}")
        found[first - 1 : last] = [False] * (last - first) + [spaces(token.misc)[1] != ""]
    return found


def _known(value: str, form: str = "") -> str:
    """Spelled out: `_` is nothing, unless the word is that."""
    return "" if value == "_" and form != "_" else value
