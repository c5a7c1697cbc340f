"""A small model and small corpora."""

from pathlib import Path

import pytest

import dynarc
from dynarc.data import english


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A parser without tokenizer and tagger, trained in a moment."""
    path = tmp_path_factory.mktemp("model") / "small.dynarc"
    config = dynarc.TrainConfig(features="zhang-nivre", epochs=2)
    dynarc.train(english("dev"), config=config, threads=1, calibrate=False).save(path)
    return str(path)


@pytest.fixture
def shards(tmp_path: Path) -> list[str]:
    """Three files of one corpus: plain, packed, and one that ends without a blank line."""
    test, dev = english("test"), english("dev")
    paths = [tmp_path / name for name in ("a.conllu", "b.conllu.gz", "c.conllu.zst")]
    test.write(paths[0])
    (test + dev).write(paths[1])
    Path(tmp_path / "c.conllu").write_bytes(dev.to_bytes().rstrip(b"\n") + b"\n")
    dynarc.read_conllu(tmp_path / "c.conllu").write(paths[2])
    (tmp_path / "c.conllu").unlink()
    return [str(path) for path in paths]
