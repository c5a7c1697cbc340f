"""What a model says of the data it was trained on: where it was, how much, which exactly, and under which licence."""

import hashlib
import re
from pathlib import Path
from typing import IO, Any, cast

from dynarc.treebank import Treebank

_READMES = ("README.md", "README.txt")
_LICENCE = re.compile(r"^Licen[cs]e: *(\S.*?) *$", re.MULTILINE)
_MOST_README = 1 << 18
_LONGEST = 200


def provenance(treebank: Treebank) -> dict[str, Any]:
    """Path, sentences, words and `sha256` of a treebank; `licence` where a README beside it says so.

    The checksum is that of the treebank's bytes as `write` writes them. For a whole file it is that of the file, for a
    packed one that of what is in it: `zcat train.conllu.gz | sha256sum`.

    >>> from dynarc.data import english
    >>> found = provenance(english("dev"))
    >>> found["sentences"], found["sha256"][:8], found["licence"]
    (119, 'bc5725aa', 'CC0 1.0')
    """
    paths = list(dict.fromkeys(sentence.path for sentence in treebank)) or [treebank.path]
    found = {
        "path": ", ".join(paths),
        "sentences": len(treebank),
        "words": treebank.words,
        "sha256": sha256(treebank),
    }
    licences = list(dict.fromkeys(filter(None, map(licence_of, paths))))
    return {**found, "licence": "; ".join(licences)} if licences else found


def sha256(treebank: Treebank) -> str:
    """The checksum of what `write` writes."""
    digest = _Digest()
    treebank.write(cast(IO[bytes], digest))
    return digest.found.hexdigest()


def licence_of(path: str) -> str | None:
    """What the README in the folder of a file gives as `License:`, as those of Universal Dependencies do."""
    if not path or path.startswith("<"):  # standard input, bytes
        return None
    for name in _READMES:
        try:
            with Path(path).with_name(name).open(encoding="utf-8", errors="replace") as readme:
                text = readme.read(_MOST_README)
        except (OSError, ValueError):
            continue
        if found := _LICENCE.search(text):
            return found[1][:_LONGEST]
    return None


class _Digest:
    """Where a treebank can be written to be forgotten, but for its checksum."""

    def __init__(self) -> None:
        self.found = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self.found.update(data)
        return len(data)
