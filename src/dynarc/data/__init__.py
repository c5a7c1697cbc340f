"""Treebanks that come with the package."""

from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from dynarc.conllu import read_conllu
from dynarc.errors import ConfigError
from dynarc.treebank import Treebank

Split = Literal["train", "dev", "test"]


def english_path(split: Split) -> Path:
    """The file of a part of the English treebank, for commands."""
    if split not in get_args(Split):
        raise ConfigError(f"the English treebank has no part {split!r}", "split", get_args(Split))
    # A package in a folder, as ours is always installed: the core could not be loaded from an archive either.
    return Path(str(resources.files(__name__))) / "english" / f"{split}.conllu"


def english(split: Split) -> Treebank:
    """A part of the English treebank, written for this package and free of all rights (CC0).

    >>> english("dev")[0].forms[:3]
    ['Captain', 'Brandt', 'had']
    """
    return read_conllu(english_path(split))


def bundled(name: str) -> Path | None:
    """The file of a model that comes with the package, by its name; None if there is none."""
    if not name.isalpha():
        return None
    path = Path(str(resources.files(__name__))) / "models" / f"{name}.dynarc"
    return path if path.is_file() else None
