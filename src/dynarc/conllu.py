"""Reading CoNLL-U and CoNLL-X.

What makes a file unreadable is refused, with file, line and column. So are heads that form a cycle, unless the caller
wants to see them (`check_trees=False`, as an audit does). Several roots, unknown heads and crossing arcs are read.
"""

from collections.abc import Iterator
from mmap import mmap

from dynarc import _core
from dynarc.errors import ConlluError
from dynarc.files import Source, name_of, plain_suffix, read_all, reading
from dynarc.sentence import Origin, Sentence
from dynarc.treebank import Format, Treebank

# Bytes read at a time. Larger blocks are no faster.
BLOCK = 1 << 20


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
            more = stream.read(max(block, len(rest)))
            data = rest + more
            end = _core.last_boundary(data) if more else len(data)
            if end == 0 and more:
                _refuse_early(data, path, line, skip_bad)
                rest = data
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


def _refuse_early(data: bytes, path: str, line: int, skip_bad: bool) -> None:
    """Looks at a sentence whose end has not come: a file that is no treebank should not be read to its end first."""
    end = data.rfind(b"\n") + 1
    if len(data) - end > _core.MAX_LINE:
        end = len(data)  # a line that is too long already
    if len(data) <= _core.MAX_SENTENCE and skip_bad:
        return
    document = _core.Document.read(data[:end], first_line=line, starts_file=line == 1, ends_file=False)
    for where, column, reason in document.problems:
        raise ConlluError(path, where, reason, column)


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
    told: Format = "conllx" if plain_suffix(path) in {".conll", ".conllx"} else "conllu"
    return Treebank.of(Origin(document, path, data), format=format or told, problems=problems)
