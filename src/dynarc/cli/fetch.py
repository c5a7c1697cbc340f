"""dynarc fetch: a treebank of Universal Dependencies from the network."""

from typing import Annotated

import typer

from dynarc.cli.console import count, stderr, stdout, waiting, write
from dynarc.draw.text import visible
from dynarc.fetch import API
from dynarc.fetch import fetch as fetch_treebank


def fetch(
    treebank: Annotated[str, typer.Argument(metavar="NAME", help="As Universal Dependencies calls it.")],
    folder: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to put it.", show_default="a folder of its name"),
    ] = None,
    release: Annotated[
        str | None, typer.Option(metavar="VERSION", help="A release, as 2.15.", show_default="the newest")
    ] = None,
    source: Annotated[str, typer.Option(metavar="URL", help="Ask this server instead.", hidden=True)] = API,
) -> None:
    """Download a treebank of Universal Dependencies, with its README and licence.

    Files are compared with the checksums of the source. A download that was interrupted goes on where it stopped.

        dynarc fetch UD_English-EWT

        dynarc train UD_English-EWT/en_ewt-ud-train.conllu --dev UD_English-EWT/en_ewt-ud-dev.conllu -o en.dynarc
    """
    with waiting(stderr(), treebank) as say:
        found = fetch_treebank(
            treebank,
            folder,
            release=release,
            progress=lambda name, got, size: say(f"{visible(name)}: {got:,} of {size:,} bytes"),
            source=source,
        )
    write(stdout(), *map(str, found))
    size = sum(path.stat().st_size for path in found)
    write(stderr(), f"{count(len(found), 'file')}, {size / 1e6:.1f} MB")
