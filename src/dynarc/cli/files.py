"""Files that commands write."""

import os
import sys
from pathlib import Path

from dynarc.errors import DynarcError


def write_whole(text: str, out: str | None) -> None:
    """Writes to standard output (None or -), or to a file that is there whole or stays as it was."""
    if out is None or out == "-":
        sys.stdout.write(text)
        return
    path = Path(out)
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")  # a device or a pipe, which nothing can take the place of
            return
        path = path.resolve()  # a link goes on to be one
        temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        try:
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise DynarcError(f"{out}: cannot be written: {error.strerror}") from None
