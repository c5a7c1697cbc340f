"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def treebanks() -> Path:
    """The folder of treebanks, which are not part of the repository: DYNARC_TREEBANKS says where they are."""
    folder = Path(os.environ.get("DYNARC_TREEBANKS", ROOT.parent / "shared" / "treebanks"))
    if not (folder / "INDEX.md").is_file():
        pytest.skip(f"no treebanks in {folder}: set DYNARC_TREEBANKS to the folder that holds their INDEX.md")
    return folder
