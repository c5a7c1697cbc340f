"""What can be evaluated: files, bytes, treebanks, documents of the engine."""

import os
import typing
from dataclasses import dataclass

from dynarc._core import Document
from dynarc.conllu import read_conllu


class HasDocument(typing.Protocol):
    """A treebank, or whatever else can give its sentences as one document of the engine."""

    def document(self) -> Document: ...


@dataclass(frozen=True, slots=True)
class Named:
    """A document that knows where it comes from, to be evaluated more than once."""

    read: Document
    path: str

    def document(self) -> Document:
        return self.read


Source = str | os.PathLike[str] | bytes | Document | HasDocument


def document_of(source: Source, role: str) -> Named:
    """The document, and what to call it in messages: its path, or <role> if it has none.

    Cycles and several roots are read: which protocol takes them is not decided here.
    """
    if isinstance(source, Document):
        return Named(source, f"<{role}>")
    if isinstance(source, str | bytes | os.PathLike):
        source = read_conllu(source, name=f"<{role}>" if isinstance(source, bytes) else None, check_trees=False)
    path = getattr(source, "path", None)
    return Named(source.document(), path if isinstance(path, str) else f"<{role}>")
