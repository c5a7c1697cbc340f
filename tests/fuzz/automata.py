"""The reader of automata in AT&T's text format: a FileError that names the line, or an automaton that is written and
read as the same."""

from dynarc.errors import FileError
from dynarc.generic.text import from_text, to_text


def one_input(data: bytes) -> None:
    try:
        text = data[1:].decode()
    except UnicodeDecodeError:
        return
    acceptor = data[:1] < b"\x80"
    try:
        automaton = from_text(text, acceptor=acceptor)
    except FileError as error:
        if error.line is None:
            raise
        return
    assert len(automaton) <= 100_002 + 2 * len(text)
    try:
        written = to_text(automaton)
    except FileError:  # a symbol with a blank in it
        return
    assert to_text(from_text(written)) == written
