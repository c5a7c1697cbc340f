"""Downloads, from a server of our own."""

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from dynarc import ConfigError, FileError, read_conllu
from dynarc.cli.app import app
from dynarc.data import english_path
from dynarc.fetch import fetch
from dynarc.provenance import licence_of

NAME = "UD_Own-Test"
README = b"# A treebank\n\nLicense: CC0 1.0\n"


def git_digest(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


@dataclass
class Server:
    """What the source has, and how it behaves."""

    files: dict[str, bytes]
    url: str = ""
    break_after: int | None = None  # bytes of a file, once
    ranges: bool = True
    status: int = 200
    digest: str | None = None
    scheme: str = "http"
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    def listing(self) -> bytes:
        entries = [
            {
                "type": "file",
                "name": name,
                "size": len(data),
                "sha": self.digest or git_digest(data),
                "download_url": f"{self.scheme}{self.url.removeprefix('http')}/files/{name}",
            }
            for name, data in self.files.items()
        ]
        return json.dumps([*entries, {"type": "dir", "name": "not-to-release"}]).encode()


@pytest.fixture
def server() -> Iterator[Server]:
    data = english_path("dev").read_bytes()
    state = Server({"own_test-ud-dev.conllu": data, "README.md": README, "stats.xml": b"<x/>"})

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            state.asked.append((self.path, wanted))
            if state.status != 200:
                self.answer(state.status, b"")
            elif self.path.startswith(f"/{NAME}/contents?ref="):
                self.answer(200, state.listing())
            elif (name := self.path.removeprefix("/files/")) in state.files:
                body = state.files[name]
                start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and state.ranges else 0
                self.answer(206 if start else 200, body[start:])
            else:
                self.answer(404, b"")

        def answer(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if state.break_after is not None and "/files/" in self.path:
                self.wfile.write(body[: state.break_after])
                state.break_after = None
                self.close_connection = True
                return
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        state.url = f"http://127.0.0.1:{http.server_port}"
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield state
        http.shutdown()
        thread.join()


def test_files_come_whole(server: Server, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    found = fetch(NAME, tmp_path / "a", source=server.url, progress=lambda *step: seen.append(step))
    assert [path.name for path in found] == ["own_test-ud-dev.conllu", "README.md"]
    assert read_conllu(found[0]).to_bytes() == english_path("dev").read_bytes()
    assert licence_of(str(found[0])) == "CC0 1.0"
    assert seen[-1] == ("README.md", len(README), len(README))
    assert sorted(path.name for path in (tmp_path / "a").iterdir()) == ["README.md", "own_test-ud-dev.conllu"]


def test_what_is_there_is_not_loaded_again(server: Server, tmp_path: Path) -> None:
    fetch(NAME, tmp_path, source=server.url)
    (tmp_path / "README.md").write_bytes(b"changed")
    server.asked.clear()
    fetch(NAME, tmp_path, source=server.url)
    assert [path for path, _ in server.asked] == [f"/{NAME}/contents?ref=master", "/files/README.md"]
    assert (tmp_path / "README.md").read_bytes() == README


@pytest.mark.parametrize("ranges", [True, False])
def test_interrupted_downloads_go_on(server: Server, tmp_path: Path, ranges: bool) -> None:
    server.break_after, server.ranges = 1000, ranges
    with pytest.raises(FileError, match="the connection broke after 1,000 bytes"):
        fetch(NAME, tmp_path, source=server.url)
    assert not (tmp_path / "own_test-ud-dev.conllu").exists()
    fetch(NAME, tmp_path, source=server.url)
    assert ("/files/own_test-ud-dev.conllu", "bytes=1000-") in server.asked
    assert (tmp_path / "own_test-ud-dev.conllu").read_bytes() == english_path("dev").read_bytes()


def test_what_was_begun_may_be_of_another_version(server: Server, tmp_path: Path) -> None:
    (tmp_path / ".own_test-ud-dev.conllu.part").write_bytes(b"something else")
    fetch(NAME, tmp_path, source=server.url)
    assert (tmp_path / "own_test-ud-dev.conllu").read_bytes() == english_path("dev").read_bytes()


def test_wrong_checksums(server: Server, tmp_path: Path) -> None:
    server.digest = "0" * 40
    with pytest.raises(FileError, match="the checksum of what was received is wrong"):
        fetch(NAME, tmp_path, source=server.url)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["../own.conllu", "a/b.conllu", ".hidden.conllu"])
def test_names_that_lead_elsewhere(server: Server, tmp_path: Path, name: str) -> None:
    server.files = {name: b"x"}
    with pytest.raises(FileError, match="no list of files"):
        fetch(NAME, tmp_path, source=server.url)


def test_files_from_another_kind_of_place(server: Server, tmp_path: Path) -> None:
    server.scheme = "file"
    with pytest.raises(FileError, match="no list of files"):
        fetch(NAME, tmp_path, source=server.url)


def test_no_such_treebank(server: Server, tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"there is no treebank UD_Own-Other of release 2\.15"):
        fetch("UD_Own-Other", tmp_path, release="2.15", source=server.url)
    server.status = 403
    with pytest.raises(FileError, match="too many requests"):
        fetch(NAME, tmp_path, source=server.url)


def test_offline(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cannot be reached .* is there a connection to the network"):
        fetch(NAME, tmp_path, source="http://127.0.0.1:9")


@pytest.mark.parametrize(("name", "release"), [("EWT", None), ("UD_English-EWT/..", None), (NAME, "newest")])
def test_impossible_names(name: str, release: str | None) -> None:
    with pytest.raises(ConfigError):
        fetch(name, release=release, source="http://127.0.0.1:9")


def test_command(server: Server, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    ended = CliRunner().invoke(app, ["fetch", NAME, "-o", str(tmp_path), "--source", server.url, "--release", "2.15"])
    assert ended.exit_code == 0, ended.stderr
    assert ended.stdout.splitlines()[1] == str(tmp_path / "README.md")
    assert server.asked[0][0].endswith("ref=r2.15")
    offline = CliRunner().invoke(app, ["fetch", NAME, "-o", str(tmp_path), "--source", "http://127.0.0.1:9"])
    assert offline.exit_code == 1
    assert "is there a connection" in offline.stderr
