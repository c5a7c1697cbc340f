"""The options that several commands share."""

from typing import Annotated, Literal

import typer

import dynarc
from dynarc.errors import ConfigError
from dynarc.systems import System

RootPlace = Literal["first", "last"]
Headless = Literal["forest", "attach"]

NAMES = ", ".join(dynarc.systems())

SystemOption = Annotated[str, typer.Option("--system", "-s", metavar="NAME", help=f"The transition system: {NAMES}.")]
RootOption = Annotated[
    RootPlace | None, typer.Option("--root", help="Where ROOT stands, if not where it usually does.")
]
HeadlessOption = Annotated[
    Headless | None,
    typer.Option(
        "--headless", help="Words left without a head count as wrong (forest, the default) or are attached to ROOT."
    ),
]
SingleRootOption = Annotated[bool, typer.Option("--single-root", help="Allow ROOT one child only.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]


def make_system(name: str, root: RootPlace | None, headless: Headless | None, single_root: bool) -> System:
    return dynarc.system(name, root=root, headless=headless or "forest", single_root=single_root)


def system_json(ts: System) -> dict[str, object]:
    return {"name": ts.name, "root": ts.root, "headless": ts.headless, "single_root": ts.single_root}


def refuse(reason: str, **options: object) -> None:
    """A ConfigError if any of the options, named as in Python, was given: it does not go `reason`."""
    names = [
        "--" + name.replace("_", "-") for name, value in options.items() if value is not None and value is not False
    ]
    if names:
        raise ConfigError(f"{', '.join(names)} {'does' if len(names) == 1 else 'do'} not go {reason}")
