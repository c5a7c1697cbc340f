"""Automata as text, in AT&T's format, which OpenFst and others read.

One arc a line: source, target, input, output, weight; one final state a line: state, weight. Weights of 0 are left out,
and so may be, in acceptors, the output. The source of the first line is the start. Symbols are written as they are; the
empty one is `<eps>`. Columns are apart by TABs (or blanks, if the file has no TABs).
"""

import os
from pathlib import Path

from dynarc.errors import FileError
from dynarc.files import writing
from dynarc.generic.automaton import Automaton, Symbols

EMPTY = "<eps>"


def to_text(automaton: Automaton) -> str:
    """
    >>> from dynarc.generic import sequence
    >>> to_text(sequence(["a", "b"]))
    '0\\t1\\ta\\ta\\n1\\t2\\tb\\tb\\n2\\n'
    """
    if automaton.start < 0:
        return ""
    lines = []
    for state in (automaton.start, *(s for s in range(len(automaton)) if s != automaton.start)):
        for arc in automaton.arcs(state):
            names = [EMPTY if symbol is None else symbol for symbol in (arc.input, arc.output)]
            if bad := [name for name in names if any(char.isspace() for char in name)]:
                raise FileError("<text>", None, f"the symbol {bad[0]!r} has blanks in it, which the format cannot hold")
            lines.append("\t".join([str(state), str(arc.target), *names, *_weight(arc.weight)]))
        if (final := automaton.final(state)) is not None:
            lines.append("\t".join([str(state), *_weight(final)]))
    # A start without arcs that is no end: the empty automaton, of which the format can say nothing.
    return "".join(f"{line}\n" for line in lines)


def _weight(weight: float) -> list[str]:
    return [] if weight == 0 else [str(int(weight)) if weight.is_integer() else repr(weight)]


def write_text(automaton: Automaton, path: str | os.PathLike[str]) -> None:
    """Writes the file, whole or not at all."""
    text = to_text(automaton)
    with writing(Path(path)) as out:
        out.write(text.encode())


def read_text(path: str | os.PathLike[str], *, acceptor: bool = False, symbols: Symbols | None = None) -> Automaton:
    """The automaton in a file. Raises FileError, with the line, where it is none.

    In the file of an `acceptor`, what follows the symbol is the weight; else it is the output.
    """
    name = os.fspath(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FileError(name, None, "there is no such file") from None
    except UnicodeDecodeError:
        raise FileError(name, None, "is not a text in UTF-8") from None
    except OSError as problem:
        raise FileError(name, None, f"cannot be read: {problem.strerror}") from problem
    return from_text(text, path=name, acceptor=acceptor, symbols=symbols)


def from_text(text: str, *, path: str = "<text>", acceptor: bool = False, symbols: Symbols | None = None) -> Automaton:
    """
    >>> from_text("0 1 a b 0.5\\n1\\n").arcs()
    [Arc(source=0, input='a', output='b', weight=0.5, target=1)]
    """
    automaton = Automaton(symbols)
    separator = "\t" if "\t" in text else None
    begun = False
    lines = text.split("\n")
    most = _UNUSED_STATES + 2 * len(lines)
    for number, line in enumerate(lines, start=1):
        cells = line.rstrip("\r").split(separator)
        if not line.strip():
            continue
        if len(cells) not in (1, 2, 3, 4, 5):
            raise FileError(path, number, f"a line has 1 to 5 columns, not {len(cells)}")
        arc = len(cells) > 2
        states = [_state(cell, most, path, number) for cell in cells[: 2 if arc else 1]]
        if (missing := max(states) + 1 - len(automaton)) > 0:
            automaton.add_states(missing)
        if not begun:
            automaton.start = states[0]
            begun = True
        if not arc:
            automaton.set_final(states[0], _number(cells[1], path, number) if len(cells) == 2 else 0.0)
            continue
        symbol, *others = cells[2:]
        output = symbol if acceptor or not others else others.pop(0)
        if len(others) > 1:
            raise FileError(path, number, "a line of an acceptor has at most 4 columns: it names one symbol")
        weight = _number(others[0], path, number) if others else 0.0
        names = [None if name == EMPTY else name for name in (symbol, output)]
        if "" in names:
            raise FileError(path, number, f"a symbol is empty: write {EMPTY} for the empty one")
        automaton.add_arc(states[0], names[0], states[1], output=names[1], weight=weight)
    return automaton


# So many states may be named by no line: all that are up to the highest number take memory.
_UNUSED_STATES = 100_000


def _state(text: str, most: int, path: str, line: int) -> int:
    if not (text.isascii() and text.isdigit()):
        raise FileError(path, line, f"{text[:40]!r} is not the number of a state")
    if len(text) > len(str(most)) or int(text) > most:
        raise FileError(path, line, f"{text[:40]} is not the number of a state: it is too high (number them from 0)")
    return int(text)


def _number(text: str, path: str, line: int) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if number != number or number == float("-inf"):
        raise FileError(path, line, f"{text[:40]!r} is not a weight")
    return number
