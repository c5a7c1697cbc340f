"""What the package says of itself: one version everywhere, licences that are there, nothing for one processor only."""

import re
import tomllib
from pathlib import Path

import dynarc

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_one_version() -> None:
    version = PROJECT["project"]["version"]
    assert dynarc.__version__ == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(
        rf"^## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )


def test_licences() -> None:
    for name in PROJECT["project"]["license-files"]:
        assert (ROOT / name).is_file()
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    for path in (ROOT / "src" / "dynarc" / "data").glob("*/*.dynarc"):
        assert path.relative_to(ROOT).as_posix() in notice


def test_wheels() -> None:
    wheels = PROJECT["tool"]["cibuildwheel"]
    assert wheels["build"] == ["cp311-*", "cp312-*"]
    assert PROJECT["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    assert PROJECT["project"]["requires-python"] == ">=3.11"
    assert {"linux", "macos", "windows"} <= wheels.keys()


def test_no_processor_is_compiled_in() -> None:
    """Wheels run on every machine of their kind: vectors are chosen when the program runs."""
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    assert "-march" not in text
    assert "-mtune" not in text
    assert "native_sources" in text  # it is the file that builds the engine
