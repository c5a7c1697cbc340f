"""Model files: tensors and metadata in safetensors layout, and how a model becomes tensors and is made from them.

A file is the length of a header (8 bytes, little-endian), the header (JSON: `__metadata__`, all strings, and for each
tensor dtype, shape and place), and the tensors, which begin at a multiple of 64 bytes. Every reader of safetensors can
open it. Nothing in it is code, and nothing is believed before it is checked: two checksums, one of the header
(`dynarc.header`, in which its own 64 digits count as zeros) and one of the tensors (`sha256`), cover every byte.

Metadata: `dynarc.format`, `dynarc.version`, `config`, `labels`, `data`, `scores`, `calibration` (the last five JSON),
`licence`, `attribution`, `sha256`, `dynarc.header`. The format, the version and the checksums are set on writing.

How large a model is depends on `Storage`; docs/results/model-size.md compares. `EXACT`, the default of `pack_model`,
changes nothing; `COMPACT` stores each weight in 16 bits and 48 bits of each key.
"""

import hashlib
import json
import math
import os
import re
import stat
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, NoReturn, TypeGuard

from dynarc import _core
from dynarc.errors import DynarcError, FileError, ModelFormatError
from dynarc.files import PACKED_SUFFIXES, writing

FORMAT: Final = 1
MOST_HEADER: Final = 16 << 20
ALIGNMENT: Final = 64

_WIDTHS: Final = {1: "BOOL U8 I8", 2: "U16 I16 F16 BF16", 4: "U32 I32 F32", 8: "U64 I64 F64"}
_ITEM_SIZES: Final = {dtype: width for width, dtypes in _WIDTHS.items() for dtype in dtypes.split()}
_LENGTH: Final = struct.Struct("<Q")
# The checksum of the header comes first in it, so that its place is known before anything is parsed.
_START: Final = b'{"__metadata__":{"dynarc.header":"'
_DIGITS: Final = slice(len(_START), len(_START) + 64)
# Lists and dicts take up to a hundred bytes for each byte of JSON: a header of nothing else would fill the memory.
_MOST_ITEMS: Final = 200_000
_MOST_DIMENSIONS: Final = 8
_LONGEST_REASON: Final = 300
_MISFITS: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
_OTHER_FILES: Final = {
    b"PK\x03\x04": "a zip archive",
    b"\x80": "a pickle",
    b"\x1f\x8b": "packed with gzip: unpack it first",
    b"\xfd7zXZ": "packed with xz: unpack it first",
    b"\x28\xb5\x2f\xfd": "packed with zstd: unpack it first",
}
_AGAIN: Final = "the file is damaged: copy or download it again, or train the model anew"


@dataclass(frozen=True)
class Tensor:
    """Numbers as they lie in a file: little-endian, the last dimension fastest."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes | memoryview


@dataclass(frozen=True)
class Contents:
    metadata: dict[str, str]
    tensors: dict[str, Tensor]


@dataclass(frozen=True)
class Storage:
    """How weights are stored.

    `prune` leaves out weights nearer to 0 than this. `quantised` stores a weight as a whole number of 16 bits times a
    power of two, one for all: the product is exact, so the model is the same wherever it is loaded. `key_bits` of the
    64 of a feature's key are kept: a feature without weights is taken for one that has some with probability
    rows / 2**key_bits, which with a million rows is 1 in 280 million at 48 bits, 1 in a million at 40.
    """

    prune: float = 0.0
    quantised: bool = False
    key_bits: int = 64


EXACT: Final = Storage()
COMPACT: Final = Storage(quantised=True, key_bits=48)


def write_model_file(path: str | os.PathLike[str], contents: Contents) -> None:
    """Writes a model file, whole or not at all. The same contents give the same bytes."""
    check_name(path)
    # Wide items first, as other writers do: each tensor then lies at a multiple of its item size.
    tensors = sorted(contents.tensors.items(), key=lambda item: (-_item_size(item[1].dtype), item[0]))
    table: dict[str, dict[str, Any]] = {}
    digest = hashlib.sha256()
    end = 0
    for name, tensor in tensors:
        size = len(memoryview(tensor.data).cast("B"))
        if name == "__metadata__" or size != math.prod(tensor.shape) * _item_size(tensor.dtype):
            raise ModelFormatError(f"tensor {name!r} of shape {tensor.shape} cannot be stored: it has {size} bytes")
        table[name] = {"dtype": tensor.dtype, "shape": list(tensor.shape), "data_offsets": [end, end + size]}
        digest.update(tensor.data)
        end += size
    from dynarc import __version__  # here, because the package imports this module

    own = {"dynarc.format": str(FORMAT), "sha256": digest.hexdigest()}
    metadata = {"dynarc.version": __version__, **contents.metadata, **own}
    header = _header_bytes({key: metadata[key] for key in sorted(metadata)}, table)
    with writing(Path(path)) as out:
        out.write(_LENGTH.pack(len(header)))
        out.write(header)
        for _, tensor in tensors:
            out.write(tensor.data)


def check_name(path: str | os.PathLike[str]) -> None:
    """Raises FileError for a name that promises a packed file."""
    if Path(path).suffix in PACKED_SUFFIXES:
        raise FileError(os.fspath(path), None, "models are not packed: choose a name that does not end so")


def read_model_file(path: str | os.PathLike[str]) -> Contents:
    """The contents of a model file. Raises ModelFormatError, which says what to do, for any file that is not a whole
    and undamaged one, and FileError if there is none or it may not be read."""
    name = os.fspath(path)
    try:
        if not stat.S_ISREG(Path(path).stat().st_mode):  # asked before it is opened: a pipe could keep us waiting
            kind = "a directory" if Path(path).is_dir() else "a device or a pipe"
            _refuse(name, f"is {kind}, not a model file: give the path of the file that `dynarc train -o` wrote")
        with Path(path).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            header = _read_header(file, size, name)
            metadata, tensors = _parsed(header, name)
            start = _LENGTH.size + len(header)
            end = _check_layout(tensors, name)
            if size != start + end:
                problem = "is cut short" if size < start + end else "goes on after its end"
                _refuse(name, f"{problem} ({size:,} bytes, not {start + end:,}): {_AGAIN}")
            digest = hashlib.sha256()
            found = {}
            for key, entry in sorted(tensors.items(), key=lambda item: tuple(item[1]["data_offsets"])):
                first, last = entry["data_offsets"]
                data = file.read(last - first)
                digest.update(data)
                found[key] = Tensor(entry["dtype"], tuple(entry["shape"]), data)
    except FileNotFoundError:
        raise FileError(name, None, "there is no such file") from None
    except (OSError, ValueError) as problem:  # ValueError: a path with a zero byte
        why = getattr(problem, "strerror", None) or str(problem)
        raise FileError(name, None, f"cannot be read: {why}") from problem
    if digest.hexdigest() != metadata.get("sha256"):
        _refuse(name, f"the checksum of its tensors is wrong: {_AGAIN}")
    return Contents(metadata, {key: found[key] for key in tensors})


@contextmanager
def refusing(name: str, what: str = "model") -> Iterator[None]:
    """While the contents of a file become a model: whatever does not fit becomes ModelFormatError. A checksum proves
    nothing about who made a file, so any value in it may be of any kind. `name` is what messages call the file."""
    try:
        yield
    except ModelFormatError as problem:
        if str(problem).startswith(f"{name}: "):
            raise
        _refuse(name, f"{problem}: {_AGAIN}")
    except (
        ArithmeticError,
        AttributeError,
        DynarcError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as problem:
        _refuse(name, f"is no {what} of this version of dynarc: {_shortened(repr(problem))}")


def parsed_json(text: str) -> Any:
    """A value of the metadata. ValueError if it is none, or one of so many parts that it would fill the memory."""
    if sum(map(text.count, ",[{")) > _MOST_ITEMS:
        raise ValueError("there are too many entries")
    return json.loads(text)


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON] + "..."


def pack_model(model: _core.Model, storage: Storage = EXACT, *, prefix: str = "") -> dict[str, Tensor]:
    """The vocabularies and weights of a model as tensors, whose names begin with `prefix`."""
    tensors: dict[str, Tensor] = {}
    for attribute, texts in zip(_core.attribute_names(), model.texts, strict=False):
        if texts:
            tensors |= pack_texts(f"vocabulary.{attribute}", texts)
    for name in ("weights", "rest") if model.has_rest else ("weights",):
        rest = name == "rest"
        packed = model.pack(storage.key_bits, storage.prune, storage.quantised, rest)
        tensors |= pack_weights(name, packed, narrow=model.classes <= 256 and not rest)
    return {prefix + name: tensor for name, tensor in tensors.items()}


def pack_texts(name: str, texts: Sequence[str]) -> dict[str, Tensor]:
    """A list of texts, all different, as tensors."""
    encoded = [text.encode() for text in texts]
    ends = [0]
    for text in encoded:
        ends.append(ends[-1] + len(text))
    begin = struct.pack(f"<{len(ends)}I", *ends)
    return {f"{name}.text": row("U8", b"".join(encoded)), f"{name}.begin": row("U32", begin)}


def unpack_texts(tensors: Mapping[str, Tensor], name: str, file: str) -> list[str]:
    """The texts that were packed. `file` is what messages call the file."""
    text = _data(tensors, f"{name}.text", ("U8",), file)
    return _texts(text, _data(tensors, f"{name}.begin", ("U32",), file), name.rpartition(".")[2], file)


def pack_weights(name: str, packed: _core.PackedWeights, *, narrow: bool) -> dict[str, Tensor]:
    """A table of weights as tensors; `narrow` if a byte is enough for the number of a class."""
    tensors = {
        f"{name}.key_bits": row("U8", bytes([packed.key_bits])),
        f"{name}.keys": row("U8", packed.keys),
        f"{name}.rows_of_size": row("U32", packed.rows_of_size),
        f"{name}.classes": row("U8" if narrow else "U16", packed.classes(1 if narrow else 2)),
        f"{name}.values": row("I16" if packed.scale else "F32", packed.values),
    }
    if packed.scale:
        tensors[f"{name}.scale"] = row("F32", struct.pack("<f", packed.scale))
    return tensors


def unpack_linear(tensors: Mapping[str, Tensor], classes: int, *, name: str) -> _core.LinearModel:
    """A table of weights that is a model by itself."""
    with refusing(name):
        return _core.LinearModel.unpack(unpack_weights(tensors, "weights", name), classes)


def unpack_model(
    spec: _core.ModelSpec,
    tensors: dict[str, Tensor],
    *,
    prefix: str = "",
    name: str = "the model",
    use_up: bool = False,
) -> _core.Model:
    """The model that was packed. `name` is what messages call the file. To `use_up` tensors is to take out those of the
    weights as soon as they were read, so that they need no memory while there is less of it."""
    if prefix:
        tensors = under(tensors, prefix)
    texts: list[list[str]] = []
    for attribute in _core.attribute_names()[: _core.word_attributes]:
        texts.append([])
        if f"vocabulary.{attribute}.text" in tensors:
            texts[-1] = unpack_texts(tensors, f"vocabulary.{attribute}", name)
    with refusing(name):
        weights = unpack_weights(tensors, "weights", name)
        rest = unpack_weights(tensors, "rest", name) if "rest.keys" in tensors else NOTHING
        if use_up:
            for key in [key for key in tensors if key.startswith("weights.")]:
                del tensors[key]
        return _core.Model.unpack(spec, texts, weights, rest)


NOTHING: Final = _core.PackedWeights(64, b"", b"", b"", 1, b"", 1.0)


def unpack_weights(tensors: Mapping[str, Tensor], table: str, name: str) -> _core.PackedWeights:
    """One table of weights."""
    key_bits = _data(tensors, f"{table}.key_bits", ("U8",), name)
    values = _data(tensors, f"{table}.values", ("F32", "I16"), name)
    scale = 0.0
    if tensors[f"{table}.values"].dtype == "I16":
        number = _data(tensors, f"{table}.scale", ("F32",), name)
        scale = struct.unpack("<f", number)[0] if len(number) == 4 else 0.0
        if not scale > 0:
            _refuse(name, f"its weights have no scale: {_AGAIN}")
    if len(key_bits) != 1:
        _refuse(name, f"its keys have no length: {_AGAIN}")
    rows_of_size = _data(tensors, f"{table}.rows_of_size", ("U32",), name)
    keys = _data(tensors, f"{table}.keys", ("U8",), name)
    classes = _data(tensors, f"{table}.classes", ("U8", "U16"), name)
    width = _item_size(tensors[f"{table}.classes"].dtype)
    return _core.PackedWeights(key_bits[0], rows_of_size, keys, classes, width, values, scale)


def _refuse(name: str, reason: str) -> NoReturn:
    raise ModelFormatError(f"{name}: {reason}")


def _item_size(dtype: str) -> int:
    if dtype not in _ITEM_SIZES:
        raise ModelFormatError(f"there is no type of numbers called {dtype!r}")
    return _ITEM_SIZES[dtype]


def numbers(tensors: Mapping[str, Tensor], key: str, dtype: str, name: str) -> bytes:
    """The bytes of a tensor of one dimension, checked. `name` is what messages call the file."""
    return _data(tensors, key, (dtype,), name)


def under(tensors: Mapping[str, Tensor], prefix: str) -> dict[str, Tensor]:
    """The tensors whose names begin so, without that beginning."""
    return {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}


def row(dtype: str, data: bytes) -> Tensor:
    """A tensor of one dimension."""
    return Tensor(dtype, (len(data) // _ITEM_SIZES[dtype],), data)


def _header_bytes(metadata: dict[str, str], table: dict[str, dict[str, Any]]) -> bytes:
    metadata.pop("dynarc.header", None)
    header = {"__metadata__": {"dynarc.header": "0" * 64, **metadata}, **table}
    if not all(isinstance(value, str) for value in metadata.values()):
        raise ModelFormatError("the metadata of a model are strings")
    try:
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise ModelFormatError("the metadata of a model must be valid Unicode") from None
    text += b" " * (-(_LENGTH.size + len(text)) % ALIGNMENT)
    if len(text) > MOST_HEADER:
        raise ModelFormatError(
            f"the metadata of a model take {len(text):,} bytes; at most {MOST_HEADER:,} can be stored"
        )
    return text[: _DIGITS.start] + hashlib.sha256(text).hexdigest().encode() + text[_DIGITS.stop :]


def _read_header(file: BinaryIO, size: int, name: str) -> bytes:
    start = file.read(_LENGTH.size)
    if not start:
        _refuse(name, f"is empty: {_AGAIN}")
    length = _LENGTH.unpack(start)[0] if len(start) == _LENGTH.size else MOST_HEADER + 1
    if length > MOST_HEADER or length < 2:
        for magic, kind in _OTHER_FILES.items():
            if start.startswith(magic):
                _refuse(name, f"is not a dynarc model, but {kind}")
        _refuse(name, "is not a dynarc model: give the path of the file that `dynarc train -o` wrote")
    header = file.read(min(length, size))
    if len(header) < length:
        _refuse(name, f"is cut short in its header, or is no dynarc model; {_AGAIN}")
    return header


def _parsed(header: bytes, name: str) -> tuple[dict[str, str], dict[str, dict[str, Any]]]:
    """Metadata and table of tensors; of the table only that it is one."""
    if sum(map(header.count, (b",", b"[", b"{"))) > _MOST_ITEMS:
        _refuse(name, "has a header with too many entries: it is no dynarc model")
    try:
        table = json.loads(header.decode(), object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        _refuse(name, f"its header is not valid JSON, so it is no dynarc model, or a damaged one; {_AGAIN}")
    if not isinstance(table, dict) or not all(isinstance(entry, dict) for entry in table.values()):
        _refuse(name, "its header is not that of a safetensors file, so it is no dynarc model")
    metadata = table.pop("__metadata__", {})
    version = metadata.get("dynarc.format")
    if not isinstance(version, str) or not re.fullmatch("[0-9]{1,9}", version):
        _refuse(name, "is a safetensors file, but not one of dynarc: give a model that `dynarc train` wrote")
    if int(version) > FORMAT:
        made = metadata.get("dynarc.version")
        by = f", written by dynarc {made}" if isinstance(made, str) and re.fullmatch(r"[\w.+-]{1,40}", made) else ""
        _refuse(
            name,
            f"has format {int(version)}{by}; this version reads up to {FORMAT}: upgrade dynarc (pip install -U dynarc)",
        )
    if int(version) < FORMAT:
        _refuse(name, f"has format {int(version)}, which is no longer read: train the model anew")
    zeroed = header[: _DIGITS.start] + b"0" * 64 + header[_DIGITS.stop :]
    if not header.startswith(_START) or header[_DIGITS] != hashlib.sha256(zeroed).hexdigest().encode():
        _refuse(name, f"the checksum of its header is wrong: {_AGAIN}")
    if not all(isinstance(value, str) for value in metadata.values()):
        _refuse(name, "its metadata are not strings, so it was not written by dynarc")
    return metadata, table


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _check_layout(tensors: dict[str, dict[str, Any]], name: str) -> int:
    """How many bytes the tensors take. Refuses those that overlap, leave gaps, or are not as long as they say."""
    places: list[tuple[int, int]] = []
    for key, entry in tensors.items():
        dtype, shape, offsets = entry.get("dtype"), entry.get("shape"), entry.get("data_offsets")
        if len(entry) != 3 or not isinstance(dtype, str) or dtype not in _ITEM_SIZES:
            _refuse(name, f"tensor {key!r} is not of a known type: {_AGAIN}")
        if not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
            _refuse(name, f"tensor {key!r} has no possible shape or place: {_AGAIN}")
        if offsets[1] - offsets[0] != math.prod(shape) * _ITEM_SIZES[dtype]:
            _refuse(name, f"tensor {key!r} is not as long as its shape says: {_AGAIN}")
        places.append((offsets[0], offsets[1]))
    end = 0
    for first, last in sorted(places):
        if first != end:
            _refuse(name, f"its tensors overlap or leave gaps: {_AGAIN}")
        end = last
    return end


def _are_sizes(numbers: object) -> TypeGuard[list[int]]:
    return (
        isinstance(numbers, list)
        and len(numbers) <= _MOST_DIMENSIONS
        and all(type(number) is int and 0 <= number < 1 << 63 for number in numbers)
    )


def _data(tensors: Mapping[str, Tensor], key: str, dtypes: tuple[str, ...], name: str) -> bytes:
    tensor = tensors.get(key)
    if tensor is None or tensor.dtype not in dtypes or len(tensor.shape) != 1:
        _refuse(name, f"has no tensor {key!r} of type {' or '.join(dtypes)}: it was not written by dynarc; train anew")
    data = bytes(tensor.data)
    if len(data) != tensor.shape[0] * _item_size(tensor.dtype):
        _refuse(name, f"tensor {key!r} is not as long as its shape says: {_AGAIN}")
    return data


def _texts(text: bytes, begins: bytes, attribute: str, name: str) -> list[str]:
    begin = struct.unpack(f"<{len(begins) // 4}I", begins)
    if not begin or begin[0] != 0 or begin[-1] != len(text) or any(a > b for a, b in pairwise(begin)):
        _refuse(name, f"its vocabulary of {attribute!r} does not fit together: {_AGAIN}")
    try:
        found = [text[a:b].decode() for a, b in pairwise(begin)]
    except UnicodeDecodeError:
        _refuse(name, f"its vocabulary of {attribute!r} is not valid UTF-8: {_AGAIN}")
    if len(set(found)) != len(found):  # values are numbers in this list: one less would shift all others
        _refuse(name, f"its vocabulary of {attribute!r} has a text twice: {_AGAIN}")
    return found
