"""Where a training run stands, in a file, so that it can go on after whatever stopped it."""

import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any, Self

from dynarc import _core
from dynarc.config import TrainConfig
from dynarc.errors import ModelFormatError
from dynarc.model_file import (
    EXACT,
    Contents,
    Tensor,
    pack_model,
    read_model_file,
    unpack_model,
    write_model_file,
)
from dynarc.parser import Parser
from dynarc.provenance import sha256
from dynarc.treebank import Treebank


class Checkpoint:
    """A file of the layout of model files: the states of all runs, the best parser so far, and what epochs said.

    It belongs to a configuration and to data; with others it is refused. With more epochs, training that was finished
    goes on from there.
    """

    def __init__(self, path: str, metadata: dict[str, str], tensors: dict[str, Tensor]) -> None:
        self.path, self._metadata, self._tensors = path, metadata, tensors

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        config: TrainConfig,
        treebank: Treebank,
        dev: Treebank | None,
        start: Parser | None = None,
    ) -> Self:
        name = os.fspath(path)
        identity = {"config": _lasting(config), "train": sha256(treebank), "dev": dev and sha256(dev)}
        if start is not None:
            identity["start"] = hashlib.sha256(start.model.keys + start.model.values).hexdigest()
        checksum = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()
        metadata = {"checkpoint": checksum, "checkpoint.config": json.dumps(_lasting(config))}
        if not Path(path).exists():
            return cls(name, metadata, {})
        contents = read_model_file(path)
        found = contents.metadata
        if "checkpoint" not in found:
            raise ModelFormatError(f"{name}: is a model, not a checkpoint: choose another name for the checkpoint")
        if found["checkpoint"] != checksum:
            why = _difference(found, metadata)
            raise ModelFormatError(f"{name}: belongs to another training run ({why}): remove it, or name another")
        return cls(name, dict(found), dict(contents.tensors))

    @property
    def has_first_pass(self) -> bool:
        return "guides.heads" in self._tensors

    def save_first_pass(self, model: _core.Model, guides: list[tuple[list[int], list[int]]]) -> None:
        self._tensors |= pack_model(model, EXACT, prefix="first.")
        self._tensors["guides.heads"] = _numbers([head for heads, _ in guides for head in heads])
        self._tensors["guides.labels"] = _numbers([label for _, labels in guides for label in labels])
        self._tensors["guides.sizes"] = _numbers([len(heads) for heads, _ in guides])
        self._write()

    def first(self, spec: _core.ModelSpec) -> _core.Model:
        return unpack_model(spec, self._tensors, prefix="first.", name=self.path)

    def guides(self) -> list[tuple[list[int], list[int]]]:
        heads, labels, sizes = (self._read_numbers(f"guides.{what}") for what in ("heads", "labels", "sizes"))
        found, at = [], 0
        for size in sizes:
            found.append((heads[at : at + size], labels[at : at + size]))
            at += size
        return found

    @property
    def has_epochs(self) -> bool:
        return "epochs" in self._metadata

    @property
    def epochs(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self._metadata["epochs"])
        return found

    def save(self, epochs: list[dict[str, Any]], best: _core.Model | None, states: list[bytes]) -> None:
        self._metadata["epochs"] = json.dumps(epochs)
        for name in [name for name in self._tensors if name.startswith(("best.", "state."))]:
            del self._tensors[name]
        if best is not None:
            self._tensors |= pack_model(best, EXACT, prefix="best.")
        for number, state in enumerate(states):
            self._tensors[f"state.{number}"] = Tensor("U8", (len(state),), state)
        self._write()

    def best(self, spec: _core.ModelSpec) -> _core.Model | None:
        if "best.weights.keys" not in self._tensors:
            return None
        return unpack_model(spec, self._tensors, prefix="best.", name=self.path)

    def states(self) -> list[bytes]:
        names = sorted((name for name in self._tensors if name.startswith("state.")), key=lambda n: int(n[6:]))
        return [bytes(self._tensors[name].data) for name in names]

    def _write(self) -> None:
        write_model_file(self.path, Contents(self._metadata, self._tensors))

    def _read_numbers(self, name: str) -> list[int]:
        data = bytes(self._tensors[name].data)
        return list(struct.unpack(f"<{len(data) // 4}i", data))


def _numbers(values: list[int]) -> Tensor:
    return Tensor("I32", (len(values),), struct.pack(f"<{len(values)}i", *values))


def _lasting(config: TrainConfig) -> dict[str, Any]:
    """With more epochs a run goes on just the same, unless they change the first pass."""
    values = {name: value for name, value in config.to_dict().items() if name != "epochs"}
    return values if config.passes == 1 else {**values, "first epochs": config.first_epochs}


def _difference(found: dict[str, str], wanted: dict[str, str]) -> str:
    before, now = (json.loads(metadata["checkpoint.config"]) for metadata in (found, wanted))
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            was, is_ = repr(before.get(name)), repr(now.get(name))
            return f"{name} was {was}, now it is {is_}" if len(was + is_) < 100 else f"{name} is not the same"
    return "the treebanks, or the model it starts from, are not the same"
