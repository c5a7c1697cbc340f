"""The examples in the docstrings run and print what they say (STYLE 6)."""

import doctest
import importlib
import pkgutil

import pytest

import dynarc

# The command line imports what `import dynarc` must not; its own tests run its examples. spaCy need not be there.
MODULES = [
    "dynarc",
    *(
        f"dynarc.{m.name}"
        for m in pkgutil.iter_modules(dynarc.__path__)
        if not m.ispkg and m.name not in {"_core", "spacy_component"}
    ),
]


@pytest.mark.parametrize("name", MODULES)
def test_module(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", ["check", "conllu", "errors", "oracles", "systems", "transition", "tree"])
def test_there_are_examples(name: str) -> None:
    """So that the test above does not pass for want of any."""
    assert doctest.testmod(importlib.import_module(f"dynarc.{name}")).attempted > 0
