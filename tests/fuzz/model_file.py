"""Model files: a ModelFormatError, or a model that parses. Files are tried as they come, and with their checksums put
right, as whoever means harm would."""

import hashlib
import json
import os
import random
import re
import struct
from collections.abc import Callable
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import dynarc
from dynarc.errors import ConfigError, FileError, ModelFormatError
from dynarc.model_file import _header_bytes

LENGTH = struct.Struct("<Q")
SENTENCES = dynarc.read_conllu(
    "\n".join(
        f"{i}\t{form}\t_\t{tag}\t_\t_\t_\t_\t_\t_"
        for i, (form, tag) in enumerate((("The", "DET"), ("ship", "NOUN"), ("left", "VERB"), (".", "PUNCT")), start=1)
    ).encode()
    + b"\n\n1\tRain\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)


def one_input(data: bytes) -> bool:
    """Whether there was a model in it."""
    loaded = False
    for some in (data, mended(data)):
        with NamedTemporaryFile(dir=_folder()) as file:
            file.write(some)
            file.flush()
            try:
                parser = dynarc.load(file.name)
            except (ModelFormatError, FileError) as error:
                assert str(error).startswith(file.name), error  # noqa: PT017
                continue
            use(parser)
            loaded = True
    return loaded


def use(parser: dynarc.Parser) -> None:
    """Whatever was loaded works: what it writes can be read."""
    for layout in ("compact", "folded"):
        os.environ["DYNARC_LAYOUT"] = layout
        dynarc.read_conllu(parser.parse(SENTENCES).to_bytes())
    parser.parse(["It", "rained"])
    if parser.calibration is not None:
        dynarc.read_conllu(parser.parse(SENTENCES[:1], confidence=True).to_bytes())
    if parser.text.tokenizer is not None:
        try:
            dynarc.read_conllu(parser.parse("The ship left. Don't!").to_bytes())
        except ConfigError:
            assert parser.text.tagger is None
    parser.contents()


def mended(data: bytes) -> bytes:
    """The same with the right checksums, where it is still clear where they belong."""
    if len(data) < LENGTH.size:
        return data
    end = LENGTH.size + LENGTH.unpack_from(data)[0]
    header, tensors = data[LENGTH.size : end], data[end:]
    digest = hashlib.sha256(tensors).hexdigest().encode()
    header = re.sub(rb'"sha256":"[0-9a-f]{64}"', b'"sha256":"' + digest + b'"', header, count=1)
    place = re.match(rb'\{"__metadata__":\{"dynarc.header":"', header)
    if place is None or len(header) < place.end() + 64:
        return data
    start, rest = header[: place.end()], header[place.end() + 64 :]
    own = hashlib.sha256(start + b"0" * 64 + rest).hexdigest().encode()
    return data[: LENGTH.size] + start + own + rest + tensors


def changed(data: bytes, seed: int, change: Callable[[bytes], bytes]) -> bytes:
    """A file in which one value of the header, or one tensor, was changed, and all else fits."""
    rng = random.Random(seed)
    try:
        end = LENGTH.size + LENGTH.unpack_from(data)[0]
        header: dict[str, Any] = json.loads(data[LENGTH.size : end])
        metadata: dict[str, str] = header.pop("__metadata__")
        tensors = {name: data[end:][slice(*entry["data_offsets"])] for name, entry in header.items()}
        kind = rng.randrange(4)
        if kind == 0:
            return change(data)
        if kind == 1:
            key = rng.choice([key for key in metadata if key != "sha256"])
            metadata[key] = change(metadata[key].encode()).decode(errors="replace")
        elif kind == 2:
            name = rng.choice(list(tensors))
            item = len(tensors[name]) // max(1, header[name]["shape"][0])
            tensors[name] = change(tensors[name])
            tensors[name] = tensors[name][: len(tensors[name]) // item * item] if item else b""
            header[name]["shape"] = [len(tensors[name]) // max(1, item)]
        else:
            name, other = rng.choice(list(tensors)), rng.choice(list(tensors))
            tensors[name], header[name] = tensors[other], dict(header[other])
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error):
        return change(data)
    at = 0
    for name, entry in header.items():
        entry["data_offsets"] = [at, at + len(tensors[name])]
        at += len(tensors[name])
    body = b"".join(tensors[name] for name in header)
    metadata["sha256"] = hashlib.sha256(body).hexdigest()
    text = _header_bytes(metadata, header)
    return LENGTH.pack(len(text)) + text + body


def _folder() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None
