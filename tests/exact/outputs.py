"""Outputs of imaginary systems, made from gold files: other trees, other tags, other words, other sentences.

Whatever is made here is readable by the official scorer: one root, no cycle, the same characters as the gold file.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

Columns = list[str]
ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)


@dataclass
class Token:
    """What is written in one piece, and the words it is made of: itself, unless it is a multiword token."""

    form: str
    words: list[Columns]
    multiword: bool = False


@dataclass
class Sentence:
    tokens: list[Token] = field(default_factory=list)

    @property
    def words(self) -> list[Columns]:
        return [word for token in self.tokens for word in token.words]


def parse(text: str) -> list[Sentence]:
    """The tokens of a file that is well-formed; empty nodes and comments are left out."""
    sentences, current, covered = [], Sentence(), 0
    for line in text.split("\n"):
        if not line:
            if current.tokens:
                sentences.append(current)
            current, covered = Sentence(), 0
        elif not line.startswith("#"):
            columns = line.split("\t")
            if "-" in columns[ID]:
                covered = int(columns[ID].split("-")[1])
                current.tokens.append(Token(columns[FORM], [], multiword=True))
            elif "." not in columns[ID]:
                if int(columns[ID]) <= covered:
                    current.tokens[-1].words.append(columns)
                else:
                    current.tokens.append(Token(columns[FORM], [columns]))
    return sentences


def from_conllx(text: str) -> str:
    """As FEATURES 10 says: columns 9 and 10 blanked, sentences with several roots left out."""
    out = []
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line]
        if rows and sum(row[HEAD] == "0" for row in rows) == 1:
            out += ["\t".join([*row[:DEPS], "_", "_"]) + "\n" for row in rows] + ["\n"]
    return "".join(out)


def write(sentences: list[Sentence]) -> str:
    """Numbers the words anew. Heads are taken to be numbers already."""
    out = []
    for sentence in sentences:
        number = 0
        for token in sentence.tokens:
            if token.multiword:
                out.append("\t".join([f"{number + 1}-{number + len(token.words)}", token.form, *"________"]) + "\n")
            for word in token.words:
                number += 1
                out.append("\t".join([str(number), *word[FORM:]]) + "\n")
        out.append("\n")
    return "".join(out)


def first_sentences(text: str, number: int) -> str:
    return "".join(block + "\n\n" for block in text.split("\n\n")[:number] if block.strip())


def one_tree(heads: list[int]) -> list[int]:
    """The heads, changed as little as may be, as a tree with one root. Numbers out of range become roots first."""
    n = len(heads)
    heads = [head if 0 <= head <= n else 0 for head in heads]
    safe: set[int] = set()
    for start in range(1, n + 1):
        way: list[int] = []
        at = start
        while at and at not in safe and at not in way:
            way.append(at)
            at = heads[at - 1]
        if at and at not in safe:
            heads[at - 1] = 0
        safe.update(way)
    roots = [i for i, head in enumerate(heads, start=1) if head == 0]
    for other in roots[1:]:
        heads[other - 1] = roots[0]
    return heads


def random_heads(n: int, rng: random.Random) -> list[int]:
    order = rng.sample(range(1, n + 1), n)
    heads = [0] * n
    for place, word in enumerate(order[1:], start=1):
        heads[word - 1] = rng.choice(order[max(0, place - 8) : place])
    return heads


def _set_heads(sentence: Sentence, heads: list[int]) -> None:
    for word, head in zip(sentence.words, heads, strict=True):
        word[HEAD] = str(head)


def itself(text: str, rng: random.Random) -> str:
    return text


def other_heads(text: str, rng: random.Random) -> str:
    """Some words attached elsewhere, some sentences with a tree that has nothing to do with theirs."""
    sentences = parse(text)
    for sentence in sentences:
        n = len(sentence.words)
        heads = [int(word[HEAD]) for word in sentence.words]
        if rng.random() < 0.3:
            heads = random_heads(n, rng)
        else:
            heads = one_tree([rng.randint(0, n) if rng.random() < 0.2 else head for head in heads])
        _set_heads(sentence, heads)
    return write(sentences)


def other_columns(text: str, rng: random.Random) -> str:
    """Labels, tags, features, lemmas and enhanced arcs of other words, or none, or with other subtypes."""
    sentences = parse(text)
    all_words = [word for sentence in sentences for word in sentence.words]
    values = {column: [word[column] for word in all_words] for column in (LEMMA, UPOS, XPOS, FEATS, DEPREL)}
    for sentence in sentences:
        n = len(sentence.words)
        for word in sentence.words:
            for column, seen in values.items():
                if rng.random() < 0.15:
                    word[column] = rng.choice(seen)
                elif rng.random() < 0.03:
                    word[column] = "_"
            if rng.random() < 0.1:
                word[DEPREL] = word[DEPREL].split(":")[0] + rng.choice(["", ":pass", ":x:y"])
            if rng.random() < 0.1:
                word[FEATS] = "|".join(reversed(word[FEATS].split("|")))  # the same, as a set
            if rng.random() < 0.3:
                word[DEPS] = "|".join(
                    f"{rng.choice([str(rng.randint(0, n)), '1.1'])}:{rng.choice(values[DEPREL])}"
                    + rng.choice(["", "", ">conj", ":and>obl:in"])
                    for _ in range(rng.randint(1, 3))
                )
    return write(sentences)


SPACES = " \u00a0\u3000"


class _Retokeniser:
    """Changes tokens one way or another, and keeps what can be kept of the trees."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def run(self, sentences: list[Sentence]) -> list[Sentence]:
        # Words keep their heads as objects while they move about.
        for sentence in sentences:
            words = sentence.words
            for word in words:
                head = int(word[HEAD])
                word.append(words[head - 1] if head else None)  # type: ignore[arg-type]
        for sentence in sentences:
            sentence.tokens = self._tokens(sentence.tokens)
        sentences = self._sentences(sentences)
        for sentence in sentences:
            words = sentence.words
            number = {id(word): i for i, word in enumerate(words, start=1)}
            _set_heads(sentence, one_tree([number.get(id(word[10]), 0) for word in words]))
            for word in words:
                del word[10:]
                word[DEPS] = self.rng.choice(["_", f"{word[HEAD]}:{word[DEPREL]}"])
        return sentences

    def _tokens(self, tokens: list[Token]) -> list[Token]:
        out: list[Token] = []
        for token in tokens:
            roll = self.rng.random()
            if roll < 0.06 and out:
                self._merge(out[-1], token)
            elif roll < 0.12 and len(token.form) > 1:
                out += self._split(token)
            elif roll < 0.18 and not token.multiword:
                out.append(self._make_multiword(token))
            elif roll < 0.3 and token.multiword and len(token.form) > 1:
                out += self._dissolve(token)
            else:
                if roll < 0.4 and token.multiword:
                    self._change_words(token)
                out.append(token)
        return out

    def _merge(self, before: Token, token: Token) -> None:
        gap = self.rng.choice(["", "", *SPACES])
        if before.multiword or token.multiword or self.rng.random() < 0.3:
            before.form += gap + token.form
            before.words += token.words
            before.multiword = True
        else:
            before.form += gap + token.form
            before.words[0][FORM] = before.form

    def _split(self, token: Token) -> list[Token]:
        cut = self.rng.randint(1, len(token.form) - 1)
        parts = [part for part in (token.form[:cut], token.form[cut:]) if part.strip(SPACES)]
        model = token.words[0]
        out = []
        for i, part in enumerate(parts):
            word = [*(model if i == 0 else [*model[:10], model])]
            word[FORM] = part
            out.append(Token(part, [word]))
        # The first keeps the object that others may have as their head.
        model[FORM] = out[0].form
        out[0].words = [model]
        return out

    def _make_multiword(self, token: Token) -> Token:
        [word] = token.words
        extra: list[Columns] = []
        for _ in range(self.rng.randint(0, 2)):
            other = [*word[:10], word]
            other[FORM] = self.rng.choice([token.form, token.form.upper(), token.form[-1:], "de", "a b"])
            extra.append(other)  # type: ignore[arg-type]
        return Token(token.form, [word, *extra], multiword=True)

    def _dissolve(self, token: Token) -> list[Token]:
        """Plain tokens instead, cut anywhere."""
        rest, out = token.form, []
        for i, word in enumerate(token.words):
            last = i == len(token.words) - 1 or len(rest) < 2
            cut = len(rest) if last else self.rng.randint(1, len(rest) - 1)
            if not rest[:cut].strip(SPACES):
                continue
            word[FORM] = rest[:cut]
            out.append(Token(rest[:cut], [word]))
            rest = rest[cut:]
            if not rest.strip(SPACES):
                break
        if rest.strip(SPACES):
            out[-1].form += rest
            out[-1].words[0][FORM] = out[-1].form
        return out

    def _change_words(self, token: Token) -> None:
        word = self.rng.choice(token.words)
        word[FORM] = self.rng.choice([word[FORM].upper(), word[FORM] + "x", token.words[0][FORM]])

    def _sentences(self, sentences: list[Sentence]) -> list[Sentence]:
        out: list[Sentence] = []
        for sentence in sentences:
            roll = self.rng.random()
            if roll < 0.15 and out:
                out[-1].tokens += sentence.tokens
            elif roll < 0.3 and len(sentence.tokens) > 1:
                cut = self.rng.randint(1, len(sentence.tokens) - 1)
                out += [Sentence(sentence.tokens[:cut]), Sentence(sentence.tokens[cut:])]
            else:
                out.append(sentence)
        return out


def other_words(text: str, rng: random.Random) -> str:
    """Words merged and split, multiword tokens added, removed and shifted, sentences merged and split."""
    return write(_Retokeniser(rng).run(parse(text)))


def everything(text: str, rng: random.Random) -> str:
    return other_words(other_columns(other_heads(text, rng), rng), rng)


OUTPUTS: tuple[Callable[[str, random.Random], str], ...] = (
    itself,
    other_heads,
    other_columns,
    other_words,
    everything,
)
