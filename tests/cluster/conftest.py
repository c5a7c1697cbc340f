"""What tests with engines share: a small model, a small corpus, and what `dynarc corpus` makes of it without them."""

import os
from pathlib import Path

import pytest

import dynarc
from dynarc.corpus import Options, parse_corpus
from dynarc.data import english

# Ray, and what it starts, stay on the loopback interface; workers are not to wait for every other process first.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_worker_niceness"] = "0"  # noqa: SIM112 - what Ray calls it
os.environ["RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO"] = "0"
os.environ["DO_NOT_TRACK"] = os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

SHARDS = 12


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "small.dynarc"
    config = dynarc.TrainConfig(features="zhang-nivre", epochs=1)
    dynarc.train(english("dev"), config=config, threads=1, calibrate=False).save(path)
    return str(path)


@pytest.fixture(scope="session")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of a few thousand sentences each, so that a worker is busy for a moment."""
    folder = tmp_path_factory.mktemp("corpus")
    data = english("train").to_bytes()
    paths = [folder / f"{number:02}.conllu" for number in range(SHARDS)]
    for path in paths:
        path.write_bytes(data * 12)
    return list(map(str, paths))


@pytest.fixture(scope="session")
def alone(model: str, shards: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone") / "out"
    parse_corpus(shards, folder, model=model, options=Options(size=1 << 20))
    return folder


def parts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("part-*"))}
