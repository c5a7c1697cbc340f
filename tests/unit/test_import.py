"""`import dynarc` is light and complete (DESIGN 5)."""

import subprocess
import sys

import pytest

import dynarc
from dynarc import errors

# What DESIGN 3 names and this part of the package provides.
CONTRACT = [
    "ConfigError",
    "ConlluError",
    "DynarcError",
    "IllegalTransition",
    "ModelFormatError",
    "NonProjectiveError",
    "OracleError",
    "Transition",
    "Tree",
    "TreeError",
    "check_oracle",
    "evaluate",
    "read_conllu",
    "system",
    "systems",
]


def test_it_imports_the_standard_library_and_the_engine_only() -> None:
    code = "import sys, dynarc; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "dynarc" in loaded
    assert not set(loaded) & {"numpy", "rich", "typer", "click", "spacy", "hypothesis", "pytest"}


@pytest.mark.parametrize("name", CONTRACT)
def test_public_names(name: str) -> None:
    assert name in dynarc.__all__
    assert hasattr(dynarc, name)


def test_everything_that_is_offered_exists() -> None:
    assert sorted(dynarc.__all__) == sorted(set(dynarc.__all__))
    assert all(hasattr(dynarc, name) for name in dynarc.__all__)


def test_errors_derive_from_one() -> None:
    """DESIGN 3: one except clause catches them all."""
    for name in dynarc.__all__:
        if name in vars(errors):
            assert issubclass(getattr(dynarc, name), dynarc.DynarcError)


def test_version() -> None:
    assert dynarc.__version__.count(".") >= 2
