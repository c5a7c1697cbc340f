"""A server for the tests, on loopback and at a port that is free."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.applications import Starlette

import dynarc
from dynarc.data import english, english_path
from dynarc.web.app import Settings, application
from dynarc.web.limits import Limits
from dynarc.web.service import Service
from dynarc.web.workspace import Workspace

Ask = Callable[..., httpx.Response]


@contextmanager
def running(app: Starlette) -> Iterator[str]:
    """The address of a server that runs until the end of the block."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="critical", ws="none", timeout_graceful_shutdown=5))
        thread = threading.Thread(target=server.run, args=([sock],), daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{sock.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(10)


@pytest.fixture(scope="session")
def english_model() -> dynarc.Parser:
    return dynarc.load("en")


@pytest.fixture(scope="session")
def address(english_model: dynarc.Parser) -> Iterator[str]:
    """A server with the English model and a file."""
    space = Workspace(english("dev"), name=english_path("dev").name, parser=english_model)
    with running(
        application(Service({"en": english_model}, Limits(words=200)), Settings(Limits(words=200)), space)
    ) as it:
        yield it


@pytest.fixture(scope="session")
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=30) as found:
        yield found


@pytest.fixture
def post(client: httpx.Client) -> Ask:
    def ask(path: str, body: Any) -> httpx.Response:
        return client.post(path, json=body)

    return ask
