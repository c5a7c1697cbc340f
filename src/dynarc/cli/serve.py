"""dynarc serve: parsers over HTTP, and the page."""

import socket
import sys
import webbrowser
from typing import Annotated, Any

import typer

from dynarc.cli.console import stderr, write
from dynarc.conllu import read_conllu
from dynarc.errors import ConfigError
from dynarc.parser import Parser
from dynarc.web.limits import MEGABYTE, Limits
from dynarc.web.service import Service
from dynarc.web.workspace import Workspace

# What is answered still after Ctrl-C, in seconds.
GRACE = 10
# Connections that may wait to be taken.
BACKLOG = 1024


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODEL]...", help="Models; en comes with the package.", show_default="en"),
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="A treebank for the page to open; its trees are gold.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at. Others than 127.0.0.1 are open to the network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 8000,
    show: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Without the page there is the API only.")] = True,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name by which the server is reached, as behind a proxy."),
    ] = None,
    cors: Annotated[
        list[str] | None,
        typer.Option(metavar="ORIGIN", help="A site whose pages may ask, as in https://example.org; * for all."),
    ] = None,
    max_body: Annotated[float, typer.Option(min=0.001, metavar="MB", help="The largest request.")] = 64,
    max_words: Annotated[int, typer.Option(min=1, help="The longest sentence.")] = 1000,
    max_requests: Annotated[int, typer.Option(min=1, help="Requests at a time; to others the answer is 429.")] = 64,
    timeout: Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="The longest time for an answer.")] = 60,
    threads: Annotated[int, typer.Option(min=0, help="Requests that are parsed at a time; 0: one for each core.")] = 0,
    log: Annotated[bool, typer.Option("--log", help="Write a line for each request to standard error.")] = False,
) -> None:
    """Serve parsers over HTTP, with a page on which parsing can be seen.

    The page and the API are at http://127.0.0.1:8000, what the API takes and gives at /openapi.json. Ctrl-C ends the
    server when it has answered what it was asked before.

        dynarc serve

        dynarc serve my.dynarc --file dev.conllu --open

        dynarc serve en --host 0.0.0.0 --no-page --allow-host parser.example.org
    """
    limits = Limits(round(max_body * MEGABYTE), max_words, max_requests, timeout)
    web = need_web()
    service = Service.load(models or ["en"], limits)
    parser = next(iter(service.models.values()))
    space = None if file is None else open_workspace(file, None, parser)
    hosts = (*web.LOOPBACK, *(allow_host or ())) if host in web.LOOPBACK or allow_host else ()
    settings = web.Settings(limits, tuple({*hosts, host}) if hosts else (), tuple(cors or ()), page)
    if threads:
        settings = web.Settings(limits, settings.hosts, settings.origins, page, threads)
    run(web.application(service, settings, space), host, port, show=show, log=log)


def need_web() -> Any:
    """The server's module, which needs what not everybody has installed."""
    try:
        import uvicorn  # noqa: F401

        from dynarc.web import app
    except ModuleNotFoundError as error:
        raise ConfigError(f"the server needs {error.name}: pip install 'dynarc[serve]'") from None
    return app


def open_workspace(file: str, gold: str | None, parser: Parser | None, first: int | None = None) -> Workspace:
    """A treebank for the page, or the first sentences of it, and what its trees are to be compared with."""
    if file == gold == "-":
        raise ConfigError("FILE and GOLD cannot both be standard input")
    right = None if gold is None else read_conllu(gold, check_trees=False)[:first]
    return Workspace(read_conllu(file, check_trees=False)[:first], name=file, parser=parser, gold=right)


def run(application: Any, host: str, port: int, *, show: bool, log: bool = False) -> None:
    """Runs the server until it is stopped."""
    import uvicorn

    config = uvicorn.Config(
        application,
        log_level="info" if log else "warning",
        access_log=log,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=GRACE,
        server_header=False,
        h11_max_incomplete_event_size=32 * 1024,
        backlog=BACKLOG,
        ws="none",
    )
    sock = _listening(host, port)
    where = f"[{host}]" if ":" in host else host
    address = f"http://{where}:{sock.getsockname()[1]}/"
    write(stderr(), f"dynarc: {address} (Ctrl-C ends it)")
    sys.stderr.flush()
    if show:
        webbrowser.open(address)
    uvicorn.Server(config).run([sock])


def _listening(host: str, port: int) -> socket.socket:
    sock = None
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        sock = socket.socket(family, kind, proto)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)  # whoever asks from now on is answered, if later
    except OSError as error:
        if sock is not None:
            sock.close()
        raise ConfigError(
            f"cannot listen at {host}, port {port}: {error.strerror or error}; try another --port"
        ) from None
    return sock
