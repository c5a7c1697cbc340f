"""What the site has besides the pages of this folder: a reference, made from the code when the site is built."""

import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from typer.testing import CliRunner

import dynarc
import dynarc.data
import dynarc.errors
import dynarc.generic
from dynarc.cli.app import COMMANDS, app

WIDTH = 100
# Pages: the module whose names they describe, and what is said first.
MODULES = {
    "api": (dynarc, "Everything that `import dynarc` offers."),
    "generic": (dynarc.generic, "Dynamic oracles for any left-to-right task: [how to](../how-to/own-task.md)."),
    "data": (dynarc.data, "What comes with the package."),
    "errors": (dynarc.errors, "All derive from `DynarcError`; each says what, where, why, and what to do next."),
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name, text in pages().items():
        files.append(File.generated(config, name, content=text))
    return files


def pages() -> dict[str, str]:
    """The pages of the reference by their paths."""
    found = {f"reference/{name}.md": module_page(*about) for name, about in MODULES.items()}
    return found | {"reference/commands.md": commands_page()}


def commands_page() -> str:
    parts = ["# Commands", "What `dynarc COMMAND --help` says."]
    for name in COMMANDS:
        said = CliRunner().invoke(app, [name, "--help"], env={"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH)})
        assert said.exit_code == 0, name
        parts += [f"## dynarc {name}", f"```text\n{said.output.rstrip()}\n```"]
    return "\n\n".join(parts) + "\n"


def module_page(module: ModuleType, lead: str) -> str:
    parts = [f"# {module.__name__}", lead]
    for name in sorted(public(module), key=lambda name: (not name[0].isupper(), name)):
        parts += [f"## {name}", *described(name, getattr(module, name))]
    return "\n\n".join(parts) + "\n"


def public(module: ModuleType) -> list[str]:
    names: list[str] = list(getattr(module, "__all__", [])) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", None) == module.__name__
    ]
    return [name for name in names if not name.startswith("_") and not inspect.ismodule(getattr(module, name))]


def described(name: str, value: Any) -> Iterator[str]:
    """Signature, what it does, and for a class its public methods and properties."""
    if not callable(value):
        yield f"```python\n{name} = {value!r}\n```" if len(repr(value)) < WIDTH else f"A `{type(value).__name__}`."
        return
    yield from signature(name, value)
    yield from documentation(value)
    if not inspect.isclass(value) or issubclass(value, BaseException):
        return
    for key, member in vars(value).items():
        if key.startswith("_"):
            continue
        method = member.__func__ if isinstance(member, classmethod | staticmethod) else member
        if isinstance(member, property):
            yield f"### {name}.{key}"
            yield from documentation(member.fget)
        elif inspect.isfunction(method):
            yield f"### {name}.{key}()"
            yield from signature(key, method)
            yield from documentation(method)


def signature(name: str, value: Callable[..., Any]) -> Iterator[str]:
    try:
        found = str(inspect.signature(value))
    except (TypeError, ValueError):
        return
    found = re.sub(r"<factory>|<object object at 0x[0-9a-f]+>", "...", found).replace("dynarc.", "")
    yield f"```python\n{name}{found}\n```"


def documentation(value: Any) -> Iterator[str]:
    """A docstring as paragraphs and examples."""
    text = inspect.getdoc(value) or ""
    if text.startswith(f"{getattr(value, '__name__', '')}("):  # a dataclass that says nothing repeats its signature
        return
    for block in re.split(r"\n\s*\n", text):
        if block.lstrip().startswith(">>>"):
            yield f"```pycon\n{inspect.cleandoc(block)}\n```"
        elif block.strip():
            before, mark, examples = block.partition(">>>")
            yield escaped(before.strip())
            if mark:
                yield f"```pycon\n{inspect.cleandoc(mark + examples)}\n```"


def escaped(text: str) -> str:
    """Text of a docstring, in which only backticks are Markdown."""
    return re.sub(r"(?m)^(\s*)([#*+-])(?=\s)", r"\1\\\2", text).replace("<", "&lt;").replace("[", "\\[")
