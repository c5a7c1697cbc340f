"""Treebanks of Universal Dependencies from where they are published: https://github.com/UniversalDependencies."""

import hashlib
import http.client
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from dynarc.errors import ConfigError, FileError

API = "https://api.github.com/repos/UniversalDependencies"

_NAME = re.compile(r"UD_[A-Za-z_]{1,60}-[A-Za-z0-9]{1,60}")
_RELEASE = re.compile(r"[0-9]+\.[0-9]+")
_FILE = re.compile(r"[\w-][\w.-]{0,120}")
_BESIDE = ("README.md", "README.txt", "LICENSE.txt")  # who made it, and what one may do with it
_BLOCK = 1 << 16
_PATIENCE = 30  # seconds without an answer
_MOST_LISTING = 1 << 24

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file as the source lists it. `digest` is that of git: SHA-1 of "blob", the size, a zero byte and the file."""

    name: str
    size: int
    digest: str
    url: str


def fetch(
    treebank: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    release: str | None = None,
    progress: Progress | None = None,
    source: str = API,
) -> list[Path]:
    """Downloads a treebank, with its README and licence, into a folder, by default one of its name. Gives the paths of
    its files. `release` is one like "2.15"; without it, the newest.

    Every file is compared with the checksum of the source and appears under its name only then. What was interrupted
    goes on where it stopped; what is there already, and is the same, is not loaded again. `progress` is called with
    the name of a file, the bytes that are there, and those it will have.
    """
    if not _NAME.fullmatch(treebank):
        raise ConfigError(f"{treebank!r} is no name of a treebank; they are like UD_English-EWT")
    if release is not None and not _RELEASE.fullmatch(release):
        raise ConfigError(f"{release!r} is no release of Universal Dependencies; they are like 2.15", "release")
    target = Path(treebank if folder is None else folder)
    files = _listed(treebank, release, source)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(os.fspath(target), None, f"cannot be made: {error.strerror}") from None
    for file in files:
        _get(file, target, progress)
    return [target / file.name for file in files]


def _listed(treebank: str, release: str | None, source: str) -> list[RemoteFile]:
    ref = "master" if release is None else f"r{release}"
    url = f"{source}/{quote(treebank)}/contents?ref={ref}"
    what = treebank if release is None else f"{treebank} of release {release}"
    with _opened(url, missing=f"there is no treebank {what} at the source") as answer:
        data = answer.read(_MOST_LISTING)
    try:
        entries = [entry for entry in json.loads(data) if entry["type"] == "file"]
        found = [_remote(entry, source) for entry in entries if _is_wanted(str(entry["name"]))]
    except (ValueError, KeyError, TypeError):
        raise FileError(url, None, "the answer is no list of files: try again later") from None
    if not any(file.name.endswith(".conllu") for file in found):
        raise FileError(url, None, f"{what} has no files in CoNLL-U there")
    return found


def _is_wanted(name: str) -> bool:
    return name.endswith(".conllu") or name in _BESIDE


def _remote(entry: dict[str, Any], source: str) -> RemoteFile:
    name, url, digest = str(entry["name"]), str(entry["download_url"]), str(entry["sha"])
    # A listing decides neither where on this machine a file goes nor that it comes over an open line.
    if not _FILE.fullmatch(name) or urlsplit(url).scheme != urlsplit(source).scheme:
        raise ValueError(name)
    if not re.fullmatch("[0-9a-f]{40}", digest):
        raise ValueError(digest)
    return RemoteFile(name, int(entry["size"]), digest, url)


def _get(file: RemoteFile, folder: Path, progress: Progress | None) -> None:
    path, part = folder / file.name, folder / f".{file.name}.part"
    try:
        if path.is_file() and path.stat().st_size == file.size and _digest(path) == file.digest:
            if progress is not None:
                progress(file.name, file.size, file.size)
            return
        for resume in (True, False):
            begun = _download(file, part, progress, resume=resume)
            if part.stat().st_size == file.size and _digest(part) == file.digest:
                part.replace(path)
                return
            part.unlink()
            if not begun:  # all of it came at once, and is wrong: once more would not help
                break
    except OSError as error:
        raise FileError(os.fspath(path), None, f"cannot be written: {error.strerror or error}") from None
    raise FileError(file.url, None, "the checksum of what was received is wrong: try again later")


def _download(file: RemoteFile, part: Path, progress: Progress | None, *, resume: bool) -> bool:
    """Whether something was there already that the download went on from."""
    there = part.stat().st_size if resume and part.is_file() else 0
    if there >= file.size:
        there = 0
    with _opened(file.url, start=there, missing="there is no such file any more: try again") as answer:
        goes_on = there > 0 and answer.status == http.client.PARTIAL_CONTENT
        got = there if goes_on else 0
        with part.open("ab" if goes_on else "wb") as out:
            while True:
                try:
                    block = answer.read(_BLOCK)
                except (OSError, http.client.HTTPException) as error:
                    raise _broken(file.url, error, out.tell()) from None
                if not block:
                    break
                got += len(block)
                if got > file.size:
                    raise FileError(file.url, None, f"is longer than the {file.size:,} bytes it should have")
                out.write(block)
                if progress is not None:
                    progress(file.name, got, file.size)
            if got < file.size:
                raise _broken(file.url, None, got)
    return goes_on


def _broken(url: str, error: Exception | None, got: int) -> FileError:
    why = "" if error is None else f" ({error})"
    return FileError(url, None, f"the connection broke after {got:,} bytes{why}: run the command again to go on")


def _opened(url: str, *, start: int = 0, missing: str) -> Any:
    headers = {"User-Agent": "dynarc", "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=_PATIENCE)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == http.client.NOT_FOUND:
            raise FileError(url, None, missing) from None
        limit = error.code in (http.client.FORBIDDEN, http.client.TOO_MANY_REQUESTS)
        why = "it answers no more for now (too many requests): try again in an hour" if limit else "try again later"
        raise FileError(url, None, f"the source says {error.code} {error.reason}: {why}") from None
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or error
        raise FileError(url, None, f"cannot be reached ({reason}): is there a connection to the network?") from None


def _digest(path: Path) -> str:
    found = hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            found.update(block)
    return found.hexdigest()
