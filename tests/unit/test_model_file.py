"""Model files: what is written is read again, and whatever is not such a file is refused, for a reason and unharmed."""

import hashlib
import json
import os
import pickle
import struct
import tracemalloc
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynarc import FileError, ModelFormatError
from dynarc.data import english_path
from dynarc.model_file import ALIGNMENT, MOST_HEADER, Contents, Tensor, read_model_file, write_model_file

SMALL = Contents(
    {"config": '{"system": "arc-eager"}', "labels": '["nsubj", "obj"]', "licence": "CC0", "attribution": "Zoë"},
    {
        "b.bytes": Tensor("U8", (5,), b"\x00\x01\x02\x03\xff"),
        "a.floats": Tensor("F32", (2, 3), struct.pack("<6f", *range(6))),
        "longs": Tensor("U64", (2,), struct.pack("<2Q", 7, 2**64 - 1)),
        "nothing": Tensor("I16", (0,), b""),
        "one": Tensor("I16", (), struct.pack("<h", -3)),
    },
)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small.dynarc"
    write_model_file(path, SMALL)
    return path


def refused(path: Path, reason: str = "") -> str:
    with pytest.raises(ModelFormatError) as caught:
        read_model_file(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: "), message
    assert reason in message
    return message


def test_what_is_written_is_read(small: Path) -> None:
    found = read_model_file(small)
    assert SMALL.metadata.items() <= found.metadata.items()
    assert found.metadata["dynarc.format"] == "1"
    assert found.metadata.keys() - SMALL.metadata == {"dynarc.format", "dynarc.version", "dynarc.header", "sha256"}
    assert {name: (t.dtype, t.shape, bytes(t.data)) for name, t in found.tensors.items()} == {
        name: (t.dtype, t.shape, bytes(t.data)) for name, t in SMALL.tensors.items()
    }


def test_same_contents_same_bytes(small: Path, tmp_path: Path) -> None:
    backwards = Contents(
        dict(reversed(SMALL.metadata.items())), {k: SMALL.tensors[k] for k in reversed(list(SMALL.tensors))}
    )
    write_model_file(tmp_path / "b", backwards)
    write_model_file(tmp_path / "c", read_model_file(small))
    assert small.read_bytes() == (tmp_path / "b").read_bytes() == (tmp_path / "c").read_bytes()


def test_layout(small: Path) -> None:
    data = small.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    assert start % ALIGNMENT == 0
    header = json.loads(data[8:start])
    assert header["__metadata__"]["sha256"] == hashlib.sha256(data[start:]).hexdigest()
    assert all(isinstance(value, str) for value in header["__metadata__"].values())
    del header["__metadata__"]
    assert list(header) == ["longs", "a.floats", "nothing", "one", "b.bytes"]  # wide first: all are aligned


def test_others_can_read_it(small: Path) -> None:
    safetensors = pytest.importorskip("safetensors")
    with safetensors.safe_open(os.fspath(small), "np") as file:
        assert file.metadata()["attribution"] == "Zoë"
        assert sorted(file.keys()) == sorted(SMALL.tensors)
        for name, tensor in SMALL.tensors.items():
            array = file.get_tensor(name)
            assert array.shape == tensor.shape
            assert array.tobytes() == bytes(tensor.data)


def test_every_truncation_is_noticed(small: Path, tmp_path: Path) -> None:
    data = small.read_bytes()
    cut = tmp_path / "cut.dynarc"
    for length in range(len(data)):
        cut.write_bytes(data[:length])
        refused(cut)


def test_every_flipped_bit_is_noticed(small: Path) -> None:
    data = bytearray(small.read_bytes())
    with small.open("r+b") as file:
        for at in range(len(data)):
            for bit in range(8):
                file.seek(at)
                file.write(bytes([data[at] ^ 1 << bit]))
                file.flush()
                refused(small)
            file.seek(at)
            file.write(data[at : at + 1])
            file.flush()
    read_model_file(small)


def test_more_at_the_end(small: Path) -> None:
    small.write_bytes(small.read_bytes() + b"\0")
    refused(small, "goes on after its end")


def test_other_files(tmp_path: Path) -> None:
    path = tmp_path / "other"
    path.write_bytes(b"")
    refused(path, "is empty")
    refused(tmp_path, "is a directory")
    refused(english_path("dev"), "is not a dynarc model")
    path.write_bytes(pickle.dumps({"weights": [1.0] * 100}))
    refused(path, "a pickle")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights", "0" * 1000)
    refused(path, "a zip archive")
    path.write_bytes(b"\x1f\x8b" + bytes(range(100)))
    refused(path, "unpack it first")
    os.mkfifo(tmp_path / "pipe")
    refused(tmp_path / "pipe", "is a device or a pipe")
    with pytest.raises(FileError, match="there is no such file"):
        read_model_file(tmp_path / "missing")
    with pytest.raises(FileError, match="cannot be read"):
        read_model_file("a\0b")


def signed(header: bytes, data: bytes = b"") -> bytes:
    """A file whose checksum of the header is right, whatever is in it."""
    start = b'{"__metadata__":{"dynarc.header":"'
    header = header.replace(b"@", b"0" * 64, 1)
    if header.startswith(start):
        digits = hashlib.sha256(header).hexdigest().encode()
        header = start + digits + header[len(start) + 64 :]
    return len(header).to_bytes(8, "little") + header + data


def hostile(tensors: str, data: bytes = b"", metadata: str = "", version: str = "1") -> bytes:
    checksum = hashlib.sha256(data).hexdigest()
    text = f'{{"__metadata__":{{"dynarc.header":"@","dynarc.format":"{version}","sha256":"{checksum}"{metadata}}}'
    return signed((text + (f",{tensors}" if tensors else "") + "}").encode("utf-8", "surrogatepass"), data)


def tensor(offsets: str = "[0,8]", shape: str = "[1]", dtype: str = '"U64"', name: str = "a", more: str = "") -> str:
    return f'"{name}":{{"dtype":{dtype},"shape":{shape},"data_offsets":{offsets}{more}}}'


def test_the_hostile_files_are_wrong_in_one_thing_only(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(hostile(tensor(), bytes(8)))
    assert read_model_file(path).tensors["a"].shape == (1,)
    path.write_bytes(hostile(""))
    assert read_model_file(path).tensors == {}


EIGHT = bytes(8)
HOSTILE = {
    "huge shape": hostile(tensor(shape="[9223372036854775807]"), EIGHT),
    "shape that wraps to 8 bytes": hostile(tensor(shape="[2305843009213693953]"), EIGHT),
    "shape of many dimensions": hostile(tensor(shape=f"[{','.join(['1'] * 9)}]"), EIGHT),
    "shape of long numbers": hostile(tensor(shape=f"[{'9' * 5000}]"), EIGHT),
    "negative shape": hostile(tensor(shape="[-1,-1]"), EIGHT),
    "shape of fractions": hostile(tensor(shape="[1.0]"), EIGHT),
    "shape of truths": hostile(tensor(shape="[true]"), EIGHT),
    "shape that is none": hostile(tensor(shape='"1"'), EIGHT),
    "huge place": hostile(tensor("[0,9223372036854775800]", "[1152921504606846975]"), EIGHT),
    "backward place": hostile(tensor("[8,0]"), EIGHT),
    "place of three": hostile(tensor("[0,4,8]"), EIGHT),
    "no place": hostile('"a":{"dtype":"U8","shape":[0]}'),
    "gap": hostile(tensor("[8,16]"), bytes(16)),
    "overlap": hostile(tensor() + "," + tensor("[4,12]", name="b"), bytes(12)),
    "twice the same": hostile(tensor() + "," + tensor(name="b"), EIGHT),
    "rest": hostile(tensor(), bytes(9)),
    "too short": hostile(tensor(), bytes(7)),
    "unknown type": hostile(tensor(dtype='"C128"'), EIGHT),
    "type that is none": hostile(tensor(dtype="[]"), EIGHT),
    "more than there is": hostile(tensor(more=',"code":"import os"'), EIGHT),
    "tensor that is none": hostile('"a":[]'),
    "duplicate tensor": hostile(tensor() + "," + tensor(), EIGHT),
    "duplicate metadata": hostile("", metadata=',"x":"1","x":"2"'),
    "metadata that are numbers": hostile("", metadata=',"x":1'),
    "metadata twice": hostile('"__metadata__":{}'),
    "not a number": hostile(tensor(shape="[NaN]"), EIGHT),
    "wrong checksum": hostile(tensor(), EIGHT)[:-1] + b"\1",
    "no format": signed(b'{"__metadata__":{"dynarc.header":"@"}}'),
    "no metadata": signed(b"{}"),
    "metadata that are none": signed(b'{"__metadata__":[]}'),
    "a list": signed(b"[]"),
    "a number": signed(b"12"),
    "deep lists": signed(b"[" * 100_000),
    "deep objects": signed(b'{"a":' * 50_000),
    "many lists": signed(b'{"a":[' + b"[]," * 1_000_000 + b"[]]}"),
    "not UTF-8": signed(b'{"a\xff":{}}'),
    "UTF-16": signed('{"a":{}}'.encode("utf-16")),
    "header longer than the file": (MOST_HEADER).to_bytes(8, "little") + b"{}",
    "header too long": (MOST_HEADER + 1).to_bytes(8, "little") + b" " * (MOST_HEADER + 1),
    "header longer than any file": b"\xff" * 8 + b"{}",
    "no header": bytes(8),
    "another's checksum": signed(b'{"__metadata__":{"dynarc.format":"1","dynarc.header":"@"}}'),
    "format that is no number": hostile("", version="one"),
    "format in other digits": hostile("", version="\u0661"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile(name: str, tmp_path: Path) -> None:
    path = tmp_path / "hostile.dynarc"
    path.write_bytes(HOSTILE[name])
    tracemalloc.start()
    try:
        refused(path)
        assert tracemalloc.get_traced_memory()[1] < 6 * len(HOSTILE[name]) + (1 << 20)
    finally:
        tracemalloc.stop()


def test_newer_and_older_formats_say_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.write_bytes(hostile("", metadata=',"dynarc.version":"9.1"', version="2"))
    refused(path, "has format 2, written by dynarc 9.1; this version reads up to 1: upgrade dynarc")
    path.write_bytes(hostile("", version="0"))
    refused(path, "has format 0, which is no longer read: train the model anew")


@given(st.binary(max_size=300))
def test_random_bytes(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "random"
    path.write_bytes(data)
    refused(path)


_NUMBERS = st.integers(-3, 20) | st.integers() | st.booleans() | st.none() | st.floats()
_JSON = st.recursive(
    _NUMBERS | st.text(max_size=5), lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner)
)
_ENTRY = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["U8", "F32", "U64", "I16", "X"]) | _JSON,
        "shape": st.lists(_NUMBERS, max_size=3) | _JSON,
        "data_offsets": st.tuples(st.integers(0, 20), st.integers(0, 20)) | _JSON,
    }
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from("abc"), _ENTRY | _JSON, max_size=3), st.binary(max_size=24))
def test_random_headers(tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any], data: bytes) -> None:
    """Refused, or a file in which every tensor has its bytes."""
    path = tmp_path_factory.getbasetemp() / "headers"
    path.write_bytes(hostile(json.dumps(table)[1:-1], data))
    with suppress(ModelFormatError):
        assert sum(len(t.data) for t in read_model_file(path).tensors.values()) == len(data)


@pytest.mark.parametrize(
    "contents",
    [
        Contents({}, {"a": Tensor("U64", (2,), bytes(8))}),
        Contents({}, {"a": Tensor("U7", (1,), bytes(1))}),
        Contents({}, {"__metadata__": Tensor("U8", (1,), bytes(1))}),
        Contents({"a": 1}, {}),  # type: ignore[dict-item]
        Contents({"a": "\ud800"}, {}),
        Contents({"a": "x" * MOST_HEADER}, {}),
    ],
    ids=["length", "type", "name", "metadata", "unicode", "size"],
)
def test_what_cannot_be_written_leaves_the_old_file(contents: Contents, small: Path) -> None:
    before = small.read_bytes()
    with pytest.raises(ModelFormatError):
        write_model_file(small, contents)
    assert small.read_bytes() == before
    assert list(small.parent.iterdir()) == [small]


def test_writing_is_atomic(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = small.read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match="No space left"):
        write_model_file(small, Contents({}, {}))
    assert small.read_bytes() == before
    assert list(small.parent.iterdir()) == [small]


def test_no_packed_models(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="not packed"):
        write_model_file(tmp_path / "en.dynarc.gz", SMALL)
