"""The site: it builds without a warning, what is made from code is whole, and what is drawn is not stale."""

import importlib.util
import logging
from pathlib import Path
from types import ModuleType

import pytest

import dynarc
from dynarc.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]


def module(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, ROOT / path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def test_the_pages_of_the_systems_are_what_their_oracles_do() -> None:
    files: dict[Path, str] = module("docs/explanation/draw_systems.py").files()
    assert {path.stem for path in files if path.suffix == ".md"} == set(dynarc.systems())
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path.name} is stale: python docs/explanation/draw_systems.py"
        )


def test_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = pytest.importorskip("mkdocs.commands.build")
    config = pytest.importorskip("mkdocs.config")
    monkeypatch.chdir(ROOT)
    seen: list[str] = []
    handler = logging.Handler(logging.WARNING)
    handler.emit = lambda record: seen.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("mkdocs").addHandler(handler)
    try:
        build.build(config.load_config("mkdocs.yml", site_dir=str(tmp_path)))
    finally:
        logging.getLogger("mkdocs").removeHandler(handler)
    assert seen == []
    commands = (tmp_path / "reference" / "commands.html").read_text(encoding="utf-8")
    assert all(f"dynarc {name}</h2>" in commands for name in COMMANDS)
    names = (tmp_path / "reference" / "api.html").read_text(encoding="utf-8")
    assert all(f">{name}</h2>" in names for name in ("Parser", "TrainConfig", "load", "train", "evaluate"))
    for page in tmp_path.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert "https://fonts" not in text
        assert "cdn" not in text.lower(), page
