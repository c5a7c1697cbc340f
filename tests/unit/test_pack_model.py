"""A model as tensors and back: the same parser, or one that differs as little as was asked for."""

import struct
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from dynarc import ModelFormatError, Treebank, _core
from dynarc.data import english
from dynarc.model_file import (
    COMPACT,
    EXACT,
    Contents,
    Storage,
    Tensor,
    pack_model,
    read_model_file,
    unpack_model,
    write_model_file,
)

TEMPLATES = ["S0.form", "B0.form", "S0.tag+B0.tag", "S0.form+B0.form", "S0.left1.deprel+B0.tag", "S0.suffix3+B0.lower"]
Weights = dict[int, dict[int, float]]
Trees = list[tuple[list[int], list[int]]]


@pytest.fixture(scope="module")
def treebank() -> Treebank:
    return english("train")


@pytest.fixture(scope="module")
def labels(treebank: Treebank) -> list[str]:
    return sorted({str(deprel) for sentence in treebank for deprel in sentence.deprels})


@pytest.fixture(scope="module")
def spec(labels: list[str]) -> _core.ModelSpec:
    count = len(labels)
    return _core.ModelSpec("arc-eager", True, False, False, TEMPLATES, False, 3, count, count, 0, 0)


@pytest.fixture(scope="module")
def model(treebank: Treebank, labels: list[str], spec: _core.ModelSpec) -> _core.Model:
    number = {label: i for i, label in enumerate(labels)}
    trees = [
        (i, [head or 0 for head in sentence.heads], [number[str(deprel)] for deprel in sentence.deprels])
        for i, sentence in enumerate(treebank)
    ]
    options = _core.LearnOptions(False, "perceptron", False, 1, 0.9, False, 1.0, False, False, 1.0, 1)
    training = _core.Training(spec, treebank.document(), trees, 1, options)
    for _ in range(3):
        training.epoch()
    return training.model()


def weights(model: _core.Model) -> Weights:
    keys = struct.unpack(f"<{model.features}Q", model.keys)
    begin = struct.unpack(f"<{model.features + 1}I", model.begin)
    classes = struct.unpack(f"<{model.weights}H", model.labels)
    values = struct.unpack(f"<{model.weights}f", model.values)
    return {
        key: dict(zip(classes[first:last], values[first:last], strict=True))
        for key, first, last in zip(keys, begin[:-1], begin[1:], strict=True)
    }


def parses(model: _core.Model, treebank: Treebank) -> Trees:
    return model.parse(treebank.document(), 0, len(treebank), 1)


def test_exact_by_default(model: _core.Model, spec: _core.ModelSpec, treebank: Treebank, tmp_path: Path) -> None:
    write_model_file(tmp_path / "m", Contents({}, pack_model(model)))
    again = unpack_model(spec, read_model_file(tmp_path / "m").tensors)
    assert again.texts == model.texts
    assert weights(again) == weights(model)
    assert parses(again, treebank) == parses(model, treebank)
    assert parses(again, english("dev")) == parses(model, english("dev"))
    assert pack_model(again) == pack_model(model) == pack_model(model, EXACT)


def test_compact(model: _core.Model, spec: _core.ModelSpec, treebank: Treebank) -> None:
    tensors = pack_model(model, COMPACT)
    again = unpack_model(spec, tensors)
    (scale,) = struct.unpack("<f", tensors["weights.scale"].data)
    found = weights(again)
    for key, row in weights(model).items():
        for number, value in row.items():
            stored = found.get(key & (1 << 48) - 1, {}).get(number, 0.0)
            assert abs(stored - value) <= scale / 2
            assert (stored / scale).is_integer()
    assert scale < 0.01
    assert pack_model(again, COMPACT) == tensors  # nothing is lost the second time
    before, after = parses(model, treebank), parses(again, treebank)
    assert sum(a != b for a, b in zip(before, after, strict=True)) <= 0.01 * len(before)
    exact = pack_model(model)
    assert sum(len(t.data) for t in tensors.values()) < 0.75 * sum(len(t.data) for t in exact.values())


def test_pruning(model: _core.Model, spec: _core.ModelSpec) -> None:
    pruned = unpack_model(spec, pack_model(model, Storage(prune=0.5)))
    kept = {key: {n: v for n, v in row.items() if abs(v) >= 0.5} for key, row in weights(model).items()}
    assert weights(pruned) == {key: row for key, row in kept.items() if row}
    nothing = unpack_model(spec, pack_model(model, Storage(prune=1e9, quantised=True)))
    assert (nothing.features, nothing.weights) == (0, 0)


@pytest.mark.parametrize("bits", [32, 40, 47, 63])
def test_keys_stay_apart(model: _core.Model, spec: _core.ModelSpec, bits: int) -> None:
    tensors = pack_model(model, Storage(key_bits=bits))
    assert tensors["weights.key_bits"].data[0] >= bits
    again = unpack_model(spec, tensors)
    assert again.features == model.features
    mask = (1 << tensors["weights.key_bits"].data[0]) - 1
    assert weights(again) == {key & mask: row for key, row in weights(model).items()}
    assert pack_model(again, EXACT)["weights.keys"] == tensors["weights.keys"]


def test_the_rows_are_ordered_by_size(model: _core.Model, spec: _core.ModelSpec) -> None:
    data = bytes(pack_model(model)["weights.rows_of_size"].data)
    sizes = struct.unpack(f"<{len(data) // 4}I", data)
    assert {size + 1: n for size, n in enumerate(sizes) if n} == Counter(map(len, weights(model).values()))


@pytest.mark.parametrize("storage", [EXACT, COMPACT], ids=["exact", "compact"])
def test_damaged_tensors(model: _core.Model, spec: _core.ModelSpec, storage: Storage) -> None:
    """With the right checksum: every tensor left out, cut, lengthened, of another type, or with other bytes."""
    tensors = pack_model(model, storage)
    unpack_model(spec, tensors, name="m")
    for key, tensor in tensors.items():
        data = bytes(tensor.data)
        damaged: dict[str, Tensor | None] = {
            "cut": of_bytes(tensor, data[: -len(data) // tensor.shape[0]]),
            "longer": of_bytes(tensor, data + bytes(8)),
            "ones": of_bytes(tensor, b"\xff" * len(data)),
            "cut, but not its shape": replace(tensor, data=data[:-1]),
            "type": replace(tensor, dtype="F64"),
            "square": replace(tensor, shape=(1, *tensor.shape)),
            "missing": None,
        }
        if key.endswith(".text"):
            del damaged["missing"]  # no template may need it
        if tensor.dtype == "I16":
            del damaged["ones"]  # weights like any others
        for how, instead in damaged.items():
            other = {name: instead if name == key else t for name, t in tensors.items()}
            assert "ModelFormatError" in outcome(spec, {k: t for k, t in other.items() if t is not None}), (key, how)


def of_bytes(tensor: Tensor, data: bytes) -> Tensor:
    return Tensor(tensor.dtype, (len(data) * tensor.shape[0] // len(tensor.data),), data)


def outcome(spec: _core.ModelSpec, tensors: dict[str, Tensor]) -> str:
    try:
        unpack_model(spec, tensors, name="m")
    except ModelFormatError as problem:
        return "ModelFormatError" if str(problem).startswith("m: ") else str(problem)
    return "a model"


@pytest.mark.parametrize(
    ("key", "dtype", "data", "why"),
    [
        ("weights.scale", "F32", struct.pack("<f", 0.3), "not a power of two"),
        ("weights.scale", "F32", struct.pack("<f", float("nan")), "no scale"),
        ("weights.scale", "F32", struct.pack("<f", -1.0), "no scale"),
        ("weights.scale", "F32", struct.pack("<f", float("inf")), "not a power of two"),
        ("weights.scale", "F32", struct.pack("<f", 1e-42), "not a power of two"),
        ("weights.key_bits", "U8", b"\x1f", "32 to 64 bits"),
        ("weights.key_bits", "U8", b"\x41", "32 to 64 bits"),
        ("weights.rows_of_size", "U32", b"\xff" * 4000, "not as many weights"),
        ("weights.rows_of_size", "U32", b"", "not as many weights"),
        ("vocabulary.form.begin", "U32", b"", "does not fit together"),
        ("vocabulary.form.text", "U8", b"", "does not fit together"),
    ],
)
def test_impossible_tensors(
    model: _core.Model, spec: _core.ModelSpec, key: str, dtype: str, data: bytes, why: str
) -> None:
    tensors = pack_model(model, COMPACT)
    tensors[key] = Tensor(dtype, (len(data) // (1 if dtype == "U8" else 4),), data)
    with pytest.raises(ModelFormatError, match=f"^m: .*{why}"):
        unpack_model(spec, tensors, name="m")


def test_a_text_twice(model: _core.Model, spec: _core.ModelSpec) -> None:
    tensors = pack_model(model)
    tensors["vocabulary.form.text"] = Tensor("U8", (2,), b"aa")
    tensors["vocabulary.form.begin"] = Tensor("U32", (3,), struct.pack("<3I", 0, 1, 2))
    with pytest.raises(ModelFormatError, match="has a text twice"):
        unpack_model(spec, tensors)


def test_fewer_labels_than_weights(model: _core.Model) -> None:
    narrow = _core.ModelSpec("arc-eager", True, False, False, TEMPLATES, False, 3, 2, 2, 0, 0)
    with pytest.raises(ModelFormatError, match="a class that does not exist"):
        unpack_model(narrow, pack_model(model))


def test_options_out_of_range(model: _core.Model) -> None:
    from dynarc import ConfigError

    for storage in (Storage(key_bits=31), Storage(key_bits=65), Storage(prune=-1.0), Storage(prune=float("nan"))):
        with pytest.raises(ConfigError):
            pack_model(model, storage)
