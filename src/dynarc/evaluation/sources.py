"""What can be evaluated: files, bytes, treebanks, documents of the engine."""

import os
import typing

from dynarc._core import Document
from dynarc.conllu import _name_of, _open
from dynarc.errors import ConlluError


class HasDocument(typing.Protocol):
    """A treebank: whatever can give its sentences as one document of the engine."""

    def document(self) -> Document: ...


Source = str | os.PathLike[str] | bytes | Document | HasDocument


def document_of(source: Source, *, name: str | None = None, role: str = "") -> tuple[Document, str]:
    """The document, and what to call it in messages: its path, or <role> if it has none.

    Cycles and several roots are read: which protocol takes them is not decided here.
    """
    if isinstance(source, Document):
        return source, name or f"<{role}>"
    if not isinstance(source, str | bytes | os.PathLike):
        path = getattr(source, "path", None)
        return source.document(), name or (path if isinstance(path, str) else f"<{role}>")
    name = name or (f"<{role}>" if isinstance(source, bytes) else _name_of(source))
    with _open(source, name) as lines:
        data = b"".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    document = Document.read(data, check_trees=False)
    for line, _, reason in document.problems:
        raise ConlluError(name, line, reason)
    return document, name
