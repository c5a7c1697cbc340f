"""Tokenizers: from text to sentences and words, learned from treebanks."""

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

from dynarc import _core
from dynarc.errors import ConlluError, FileError
from dynarc.files import Source, name_of, reading
from dynarc.model_file import (
    COMPACT,
    Contents,
    Storage,
    numbers,
    pack_texts,
    pack_weights,
    refusing,
    row,
    unpack_texts,
    unpack_weights,
)
from dynarc.sentence import Origin
from dynarc.treebank import Treebank

# Bytes read at a time, and how many may be waited for the end of a paragraph.
BLOCK = 1 << 20
_MOST = 1 << 24
_EPOCHS = 6

_PARTS = ("cuts", "ends", "splits")
_SENT_ID = re.compile(rb"^# sent_id = ", re.MULTILINE)


@dataclass(frozen=True)
class Tokenizer:
    """Finds sentences, tokens and words in text.

    Nothing is lost: tokens are parts of the text, and the spaces around them are in MISC wherever they are not one
    space (`dynarc.text.raw_text` puts them together again). A blank line ends a sentence; a single end of a line is a
    space like others.
    """

    model: _core.Tokenizer

    def tokenize(self, text: str, *, threads: int = 1, ranges: bool = False, name: str = "<text>") -> Treebank:
        """The sentences of a text, with forms only. `ranges` puts into MISC where each token stands in the text, in
        characters (`TokenRange=0:3`)."""
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            raise FileError(name, None, f"character {error.start} is a surrogate, which no text has") from None
        return _treebank(self.model.document(data, threads, ranges), name)

    def conllu(self, text: bytes, prefix: str = "", *, first: int = 1, threads: int = 1) -> bytes:
        """The sentences of a text in UTF-8 as CoNLL-U; their numbers, from `first` on, follow the prefix."""
        found = self.model.conllu(text, threads, False, first)
        return _SENT_ID.sub(b"# sent_id = " + prefix.encode(), found) if prefix else found

    def iter_treebanks(
        self, source: Source, *, threads: int = 0, ranges: bool = False, name: str | None = None, block: int = BLOCK
    ) -> Iterator[Treebank]:
        """The sentences of a file of text in UTF-8, of any size, some at a time."""
        path = name if name is not None else name_of(source)
        workers = threads or os.cpu_count() or 1
        sentences, characters, offset = 1, 0, 0
        starts = True
        rest = b""
        with reading(source, path) as stream:
            while True:
                more = stream.read(block)
                data = rest + more
                end = last_break(data) if more else len(data)
                if end == 0 and more and len(data) < _MOST:
                    rest = data
                    continue
                if end == 0:
                    end = last_space(data)
                part, rest = data[:end], data[end:]
                if (bad := _core.find_invalid_utf8(part)) != len(part):
                    where = f"byte {offset + bad:,} is not valid UTF-8: convert it first, with iconv -t UTF-8"
                    raise FileError(path, None, where)
                if part:
                    document = self.model.document(part, workers, ranges, sentences, characters, starts)
                    treebank = _treebank(document, path)
                    sentences += len(treebank)
                    characters += len(part.decode()) if ranges else 0
                    offset += len(part)
                    starts = part.endswith(b"\n")
                    yield treebank
                if not more:
                    return

    def contents(self, storage: Storage = COMPACT) -> Contents:
        """What a model file holds of it."""
        tensors = pack_texts("scripts", self.model.scripts)
        for part in _PARTS:
            packed = self.model.pack(part, storage.key_bits, storage.prune, storage.quantised)
            tensors |= pack_weights(part, packed, narrow=len(self.model.scripts) <= 250)
        tensors["never_ends"] = row("U64", self.model.never_ends)
        return Contents({}, tensors)

    @classmethod
    def of(cls, contents: Contents, name: str) -> Self:
        """The tokenizer of such contents; `name` is what messages call the file."""
        cuts, ends, splits = (unpack_weights(contents.tensors, part, name) for part in _PARTS)
        with refusing(name, "tokenizer"):
            scripts = unpack_texts(contents.tensors, "scripts", name)
            never_ends = numbers(contents.tensors, "never_ends", "U64", name)
            return cls(_core.Tokenizer.unpack(cuts, ends, never_ends, scripts, splits))


def train_tokenizer(
    treebank: Treebank, *, epochs: int = _EPOCHS, seed: int = 1, notice: Callable[[str], None] | None = None
) -> Tokenizer:
    """Trains a tokenizer on a treebank: on `# text`, `SpaceAfter` and multiword tokens."""
    training = _core.TokenizerTraining(treebank.document(), seed)
    for _ in range(epochs):
        report = training.epoch()
    if notice is not None:
        notice(
            f"tokens: {report.wrong_cuts:,} wrong ends of tokens, {report.wrong_ends:,} of sentences and "
            f"{report.wrong_splits:,} wrong splits in {report.tokens:,} tokens of training"
        )
    return Tokenizer(training.tokenizer())


def _treebank(document: _core.Document, name: str) -> Treebank:
    for line, column, reason in document.problems:
        raise ConlluError(name, line, reason, column)
    return Treebank.of(Origin(document, name))


def last_break(data: bytes) -> int:
    """Where the last paragraph begins; 0 if there is but one."""
    found = data.rstrip(b" \t\r\n").rfind(b"\n\n")
    return 0 if found < 0 else len(data) - len(data[found:].lstrip(b"\n"))


def last_space(data: bytes) -> int:
    """Where text that has no paragraphs can be cut: after white space, or, if there is none, between two characters."""
    for end in (data.rfind(b"\n") + 1, data.rfind(b" ") + 1):
        if end:
            return end
    end = len(data)
    while end and data[end - 1] & 0xC0 == 0x80:
        end -= 1
    return max(end - 1, 0) or len(data)
