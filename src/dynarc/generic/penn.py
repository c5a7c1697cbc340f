"""Bracketed trees as the Penn Treebank has them, made ready for `Bracketing` and `Chunking`.

Empty elements (`-NONE-`) go, with the brackets that are left empty; so do function tags (`NP-SBJ`, `NP=2`) and the
outer bracket without a label. Chains of brackets over the same words become one bracket (`S+VP`). Words have tags.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dynarc.errors import FileError
from dynarc.generic.bracketing import CLOSE, SHIFT, spans

TaggedWord = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A sentence: words with their tags, and the actions that build its tree."""

    words: tuple[TaggedWord, ...]
    actions: tuple[str, ...]


@dataclass(slots=True)
class _Node:
    label: str
    children: list["_Node"]
    word: str | None = None


_TOKEN = re.compile(r"\(|\)|[^\s()]+")


def read_penn(text: str, *, path: str = "<text>") -> list[Bracketed]:
    """All trees of a text. Raises FileError, with the line, where brackets do not fit together.

    >>> read_penn("( (S (NP-SBJ (NNP John)) (VP (VBD slept) (NP (-NONE- *)))) )")
    ... # doctest: +NORMALIZE_WHITESPACE
    [Bracketed(words=(('John', 'NNP'), ('slept', 'VBD')),
               actions=('S(', 'NP(', 'SHIFT', ')', 'VP(', 'SHIFT', ')', ')'))]
    """
    return [made for node in _trees(text, path) if (made := _prepared(node)) is not None]


def _trees(text: str, path: str) -> Iterator[_Node]:
    stack: list[_Node] = []
    expects_label = False
    for match in _TOKEN.finditer(text):
        token = match.group()
        if token == "(":
            stack.append(_Node("", []))
            expects_label = True
        elif token == ")":
            if not stack:
                raise FileError(path, _line(text, match), "a bracket is closed that was not opened")
            node = stack.pop()
            expects_label = False
            if stack:
                stack[-1].children.append(node)
            else:
                yield node
        elif not stack:
            raise FileError(path, _line(text, match), f"{token!r} stands outside all brackets")
        elif expects_label:
            stack[-1].label = token
            expects_label = False
        elif stack[-1].word is None and not stack[-1].children and stack[-1].label:
            stack[-1].word = token
        else:
            raise FileError(path, _line(text, match), f"{token!r} is neither a label nor the one word of a tag")
    if stack:
        raise FileError(path, text.count("\n") + 1, f"{len(stack)} brackets are not closed at the end")


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


def _prepared(node: _Node) -> Bracketed | None:
    while not node.label and len(node.children) == 1:
        node = node.children[0]
    words: list[TaggedWord] = []
    actions: list[str] = []

    def strip(node: _Node) -> _Node | None:
        if node.word is not None:
            return None if node.label == "-NONE-" else node
        children = [kept for child in node.children if (kept := strip(child)) is not None]
        return _Node(_plain(node.label), children) if children else None

    def write(node: _Node) -> None:
        if node.word is not None:
            words.append((node.word, node.label))
            actions.append(SHIFT)
            return
        label = node.label
        while len(node.children) == 1 and node.children[0].word is None:
            node = node.children[0]
            label += f"+{node.label}"
        actions.append(f"{label}(")
        for child in node.children:
            write(child)
        actions.append(CLOSE)

    stripped = strip(node)
    if stripped is None:
        return None
    write(stripped if stripped.word is None else _Node("X", [stripped]))
    return Bracketed(tuple(words), tuple(actions))


def _plain(label: str) -> str:
    """
    >>> _plain("NP-SBJ-1"), _plain("NP=2"), _plain("-LRB-"), _plain("")
    ('NP', 'NP', '-LRB-', 'TOP')
    """
    if not label or label.startswith("-"):
        return label or "TOP"
    return re.split("[-=]", label, maxsplit=1)[0]


def noun_chunks(sentence: Bracketed) -> tuple[str, ...]:
    """The noun phrases that have no other in them, as B-NP, I-NP and O.

    >>> [sentence] = read_penn("(S (NP (NP (DT the) (NN end)) (PP (IN of) (NP (NN time)))) (VP (VBZ comes)))")
    >>> noun_chunks(sentence)
    ('B-NP', 'I-NP', 'O', 'B-NP', 'O')
    """
    phrases = sorted((last - first, first, last) for label, first, last in spans(sentence.actions) if label == "NP")
    tags = ["O"] * len(sentence.words)
    taken: list[tuple[int, int]] = []
    for _, first, last in phrases:
        if any(first <= a and b <= last for a, b in taken):
            continue
        taken.append((first, last))
        tags[first : last + 1] = ["B-NP", *["I-NP"] * (last - first)]
    return tuple(tags)
