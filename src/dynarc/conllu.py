"""Reading CoNLL-U and CoNLL-X.

What makes a file unreadable is refused, with file, line and column. So are heads that form a cycle, unless the caller
wants to see them (`check_trees=False`, as an audit does). Several roots, unknown heads and crossing arcs are read.
"""

import re
from collections.abc import Iterator
from mmap import mmap
from typing import BinaryIO

from dynarc import _core
from dynarc.errors import ConlluError
from dynarc.files import Source, name_of, plain_suffix, read_all, reading
from dynarc.sentence import Origin, Sentence
from dynarc.treebank import Format, Treebank

# Bytes read at a time. Larger blocks are no faster.
BLOCK = 1 << 20
_MOST = 1 << 26
_BLANK = re.compile(rb"\n *\r?\n")


def read_conllu(
    source: Source,
    *,
    name: str | None = None,
    format: Format | None = None,  # noqa: A002 - what it is
    skip_bad: bool = False,
    check_trees: bool = True,
) -> Treebank:
    """All sentences of `source`: a path, `-` for standard input, bytes, or a file; .gz, .xz and .zst are unpacked.

    `name` stands in for the path in errors. The format is CoNLL-X for .conll and .conllx, else CoNLL-U. With
    `skip_bad`, sentences that cannot be read are left out and `problems` of the treebank says why, line by line.

    >>> tb = read_conllu(b"1\\tHello\\t_\\tINTJ\\t_\\t_\\t0\\troot\\t_\\t_\\n")
    >>> tb[0].forms, tb[0].upos, tb[0].heads, tb[0].deprels
    (['Hello'], ['INTJ'], [0], ['root'])
    """
    path = name if name is not None else name_of(source)
    data = read_all(source, path, ConlluError)
    document = _core.Document.read(data, check_trees=check_trees, skip_bad=skip_bad)
    return _treebank(document, path, data, format, skip_bad)


def treebank_of(source: Treebank | Source, role: str) -> Treebank:
    """A treebank as it is, or what is read from a source; bytes are called <role> in errors. Cycles are no errors."""
    if isinstance(source, Treebank):
        return source
    return read_conllu(source, name=f"<{role}>" if isinstance(source, bytes) else None, check_trees=False)


def iter_conllu(
    source: Source, *, name: str | None = None, skip_bad: bool = False, check_trees: bool = True
) -> Iterator[Sentence]:
    """The sentences of `source` one at a time, so that a file of any size can be read. See read_conllu."""
    for treebank in iter_treebanks(source, name=name, skip_bad=skip_bad, check_trees=check_trees):
        yield from treebank


def iter_treebanks(
    source: Source,
    *,
    name: str | None = None,
    format: Format | None = None,  # noqa: A002
    skip_bad: bool = False,
    check_trees: bool = True,
    block: int = BLOCK,
) -> Iterator[Treebank]:
    """The sentences of `source` some at a time: treebanks that, written one after the other, are what was read.

    About `block` bytes are read for each, and no more than one is kept, so memory does not grow with the file.
    """
    path = name if name is not None else name_of(source)
    line = 1
    rest = b""
    with reading(source, path, ConlluError) as stream:
        while True:
            # What has no end yet grows by doubling, or a long sentence would be searched over and over.
            more = stream.read(max(1, block, min(len(rest), _MOST)))
            data = rest + more
            end = _core.last_boundary(data) if more else len(data)
            if end == 0 and more:
                rest = data
                if problem := _early_problem(data, path, line, skip_bad):
                    if not skip_bad:
                        raise problem
                    yield Treebank(path=path, format=format or _format(path), problems=[problem])
                    passed, rest = _next_sentence(data, stream, block)
                    line += passed
                continue
            if data:
                part = data[:end]
                document = _core.Document.read(
                    part,
                    first_line=line,
                    starts_file=line == 1,
                    check_trees=check_trees,
                    skip_bad=skip_bad,
                )
                line += document.lines
                yield _treebank(document, path, part, format, skip_bad)
            if not more:
                return
            rest = data[end:]


def _early_problem(data: bytes, path: str, line: int, skip_bad: bool) -> ConlluError | None:
    """Looks at a sentence whose end has not come: a file that is no treebank should not be read to its end first."""
    end = data.rfind(b"\n") + 1
    # A carriage return at the end and a byte-order mark do not count.
    too_long = len(data) - end > _core.MAX_LINE + 4
    if skip_bad and not too_long and len(data) <= _core.MAX_SENTENCE:
        return None
    seen = data if too_long else data[:end]
    document = _core.Document.read(seen, first_line=line, starts_file=line == 1, ends_file=False, skip_bad=skip_bad)
    if not document.problems or (skip_bad and not too_long and end <= _core.MAX_SENTENCE):
        return None
    where, column, reason = document.problems[0]
    return ConlluError(path, where, reason, column)


def _next_sentence(data: bytes, stream: BinaryIO, block: int) -> tuple[int, bytes]:
    """Passes over what is left of a sentence that is too long to keep: how many lines those are, and what follows."""
    passed = 0
    while True:
        if found := _BLANK.search(data):
            return passed + data.count(b"\n", 0, found.end()), data[found.end() :]
        # Of the last line only the beginning of a blank one must be kept.
        tail = data[data.rfind(b"\n") :] if b"\n" in data else b""
        kept = b"" if tail.strip(b" \r\n") or len(tail) > _core.MAX_LINE else tail
        passed += data.count(b"\n") - kept.count(b"\n")
        more = stream.read(max(1, block))
        if not more:
            return passed + kept.count(b"\n"), b""
        data = kept + more


def _treebank(
    document: _core.Document,
    path: str,
    data: bytes | mmap,
    format: Format | None,  # noqa: A002
    skip_bad: bool,
) -> Treebank:
    problems = [ConlluError(path, line, reason, column) for line, column, reason in document.problems]
    if problems and not skip_bad:
        raise problems[0]
    return Treebank.of(Origin(document, path, data), format=format or _format(path), problems=problems)


def _format(path: str) -> Format:
    return "conllx" if plain_suffix(path) in {".conll", ".conllx"} else "conllu"
