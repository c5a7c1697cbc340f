"""What the README says is what happens."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import pytest

from dynarc.cli.app import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "least"),
    [
        ("README.md", 8),
        ("docs/how-to/validation.md", 2),
        ("docs/how-to/confidence.md", 3),
        ("docs/how-to/best-trees.md", 4),
        ("docs/how-to/own-task.md", 7),
        ("docs/explanation/generic.md", 3),
        ("docs/how-to/raw-text.md", 6),
        ("docs/how-to/corpora.md", 4),
    ],
)
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


def test_commands_exist() -> None:
    named = set(re.findall(r"^dynarc (\w+)", README, re.MULTILINE))
    assert len(named) >= 9
    assert named <= set(COMMANDS)
