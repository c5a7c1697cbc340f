"""What the README and the pages of docs say is what happens."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dynarc import systems
from dynarc.cli.app import COMMANDS, app

ROOT = Path(__file__).resolve().parents[2]


# Pages with Python in them, and how much each must print at least.
PAGES = {
    "README.md": 8,
    "docs/how-to/validation.md": 2,
    "docs/how-to/confidence.md": 3,
    "docs/how-to/best-trees.md": 4,
    "docs/how-to/own-task.md": 7,
    "docs/explanation/generic.md": 3,
    "docs/explanation/oracles.md": 2,
    "docs/explanation/scores.md": 4,
    "docs/how-to/raw-text.md": 6,
    "docs/how-to/corpora.md": 4,
    "docs/tutorial.md": 6,
    **{f"docs/explanation/systems/{name}.md": 1 for name in systems()},
}


def test_no_page_with_python_is_left_out() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    with_python = {
        page.relative_to(ROOT).as_posix() for page in pages if "```python\n" in page.read_text(encoding="utf-8")
    }
    assert with_python == set(PAGES)


@pytest.mark.parametrize(("page", "least"), PAGES.items())
def test_snippets_print_what_they_say(page: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks run one after the other; `print(...)  # text` prints that text."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    said = 0
    for block in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL):
        expected = re.findall(r"^print\(.*\) +# (.*)$", block, re.MULTILINE)
        out = io.StringIO()
        with redirect_stdout(out):
            exec(block, names)
        assert out.getvalue().splitlines() == expected
        said += len(expected)
    assert said >= least


@pytest.mark.parametrize(("page", "least"), [("README.md", 9), ("docs/tutorial.md", 9)])
def test_commands_and_their_options_exist(page: str, least: int) -> None:
    named = re.findall(r"^dynarc (\w+)(.*)", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert len({name for name, _ in named}) >= least
    for name, rest in named:
        assert name in COMMANDS
        said = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": "200"}).output
        for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest.partition("#")[0]):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", said), f"{page}: dynarc {name} has no {option}"
