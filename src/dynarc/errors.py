"""The errors dynarc raises. All derive from DynarcError, so one except clause catches them and nothing else.

Each keeps the arguments of its constructor in `args`, which is what pickle rebuilds it from: an error
raised in a worker process reaches the parent whole.
"""

from collections.abc import Iterable


class DynarcError(Exception):
    """Raised as one of its subclasses, for everything dynarc refuses or cannot do."""


class FileError(DynarcError):
    """Raised when a file cannot be opened, read or written.

    `path` is the file as the caller named it; `line` and `column` are where it is wrong, counted from 1, in lines and
    characters (None if the whole file is at fault); `reason` is what is wrong.

    >>> print(FileError("train.conllu", None, "there is no such file"))
    train.conllu: there is no such file
    """

    def __init__(self, path: str, line: int | None, reason: str, column: int | None = None) -> None:
        super().__init__(path, line, reason, column)
        self.path = path
        self.line = line
        self.reason = reason
        self.column = column

    def __str__(self) -> str:
        where = [self.path, *(str(place) for place in (self.line, self.column) if place is not None)]
        return f"{':'.join(where)}: {self.reason}"


class ConlluError(FileError):
    """Raised when a CoNLL-U or CoNLL-X source cannot be opened, decoded or read.

    >>> print(ConlluError("train.conllu", 7, "HEAD is 'x', but must be a number or _", 21))
    train.conllu:7:21: HEAD is 'x', but must be a number or _
    """


class EvaluationError(FileError):
    """Raised when a system's output cannot be compared with the gold standard, or not by the protocol asked for.

    >>> print(EvaluationError("out.conllu", 31, "2 words have head 0"))
    out.conllu:31: 2 words have head 0
    """


class TreeError(DynarcError):
    """Raised when heads do not form a tree, or a stack and a buffer do not form a configuration."""


class NonProjectiveError(TreeError):
    """Raised when a tree has crossing arcs and what was asked for exists for projective trees only.

    `sent_id` names the sentence (None if it has no name), `arc` is the offending (head, dependent), and
    `reason` says what needs projectivity or what to do instead.

    >>> print(NonProjectiveError("weblog-31", (4, 7), "arc-hybrid derives projective trees only"))
    sentence weblog-31: arc 4->7 is not projective: arc-hybrid derives projective trees only
    """

    def __init__(self, sent_id: str | None, arc: tuple[int, int], reason: str = "") -> None:
        super().__init__(sent_id, arc, reason)
        self.sent_id = sent_id
        self.arc = arc
        self.reason = reason

    def __str__(self) -> str:
        where = "" if self.sent_id is None else f"sentence {self.sent_id}: "
        why = f": {self.reason}" if self.reason else ""
        return f"{where}arc {self.arc[0]}->{self.arc[1]} is not projective{why}"


class OracleError(DynarcError):
    """Raised when an oracle is asked about a configuration or a tree for which it is not defined."""


class AutomatonError(DynarcError):
    """Raised when an automaton is none (a state that does not exist, no start), accepts nothing, or cannot do what is
    asked of it, such as to say which of its paths is the lightest when a cycle makes them ever lighter."""


class IllegalTransition(DynarcError):  # noqa: N818 - part of the public contract, and what it is
    """Raised when a transition is applied to, or priced in, a configuration that does not allow it."""


class ModelFormatError(DynarcError):
    """Raised when a model file is damaged, truncated, of another format, or of a version not known here."""


class ConfigError(DynarcError):
    """Raised when an option does not exist, has a value it cannot have, or does not go with the others.

    `key` is the option (None if no single one is at fault), `allowed` the values it can have, where they
    can be listed.

    >>> print(ConfigError("unknown system 'arc-lazy'", "system", ("arc-eager", "arc-hybrid")))
    unknown system 'arc-lazy': system must be one of arc-eager, arc-hybrid
    """

    def __init__(self, message: str, key: str | None = None, allowed: Iterable[str] = ()) -> None:
        self.message = message
        self.key = key
        self.allowed = tuple(allowed)
        super().__init__(self.message, self.key, self.allowed)

    def __str__(self) -> str:
        if not self.allowed:
            return self.message
        return f"{self.message}: {self.key or 'it'} must be one of {', '.join(self.allowed)}"
