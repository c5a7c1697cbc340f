"""The page: its files, and all of it in one file that opens from disk."""

import base64
import gzip
import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib import resources
from pathlib import Path
from typing import Any

from dynarc.errors import ConfigError
from dynarc.web.service import Service, describe_systems, version
from dynarc.web.shown import Json
from dynarc.web.workspace import Workspace, recorded

# Nothing but the page's own files, and pictures that it makes itself.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Sentences whose derivations a file on disk can play, and how long they may be.
PLAYED = 25
PLAYED_WORDS = 40
_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function\*?|const|class) (\w+)", re.MULTILINE)


@cache
def files() -> dict[str, tuple[bytes, str]]:
    """The files of the page and their media types, by name."""
    folder = Path(str(resources.files("dynarc.web"))) / "static"
    return {
        path.name: (path.read_bytes(), MEDIA[path.suffix]) for path in sorted(folder.iterdir()) if path.suffix in MEDIA
    }


def start(service: Service) -> Json:
    """What the page begins with, whatever it shows."""
    limits = {"words": service.limits.words, "body": service.limits.body}
    return {"version": version(), "limits": limits, **service.describe()}


def standalone(space: Workspace, *, played: int = PLAYED) -> str:
    """The page with a file in it: one document that needs no server and no network.

    The player has the first `played` sentences of up to 40 words, along the way of least cost and one step off it.
    """
    data = {
        "start": {
            "version": version(),
            "limits": {},
            "models": [],
            "systems": describe_systems(),
            "file": {"id": "first", **space.info()},
        },
        "index": space.index,
        "sentences": [space.sentence(number) for number in range(len(space.index))],
        **_judged(space),
        "steps": _played(space, played),
    }
    packed = base64.b64encode(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), mtime=0)).decode()
    script, style = bundle("main.js"), files()["style.css"][0].decode()
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    whole = files()["index.html"][0].decode()
    changes = {
        '<link rel="stylesheet" href="style.css">': f"<style>{style}</style>",
        '<script type="module" src="main.js"></script>': f'<script type="module">{script}</script>',
        '<link rel="icon" href="icon.svg" type="image/svg+xml">': f'<link rel="icon" href="{_icon()}">',
        '<meta name="generator" content="dynarc">': '<meta name="generator" content="dynarc">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        "</body>": f'<template id="data">{packed}</template>\n</body>',
        "<title>dynarc</title>": f"<title>{escape(space.name)} - dynarc</title>",
    }
    for old, new in changes.items():
        assert whole.count(old) == 1, old
        whole = whole.replace(old, new)
    return whole


def bundle(first: str) -> str:
    """The modules that `first` imports, and itself, as one script: each a function that returns what it exports."""
    done: dict[str, str] = {}

    def add(name: str) -> None:
        text = files()[name][0].decode()
        for _, needed in _IMPORT.findall(text):
            if needed not in done:
                done[needed] = ""  # a ring of imports would end here
                add(needed)
        exported = ", ".join(found for _, found in _EXPORT.findall(text))
        text = _IMPORT.sub(lambda m: f'const {{{m[1].replace(" as ", ": ")}}} = modules["{m[2]}"];\n', text)
        text = _EXPORT.sub(r"\1 \2", text)
        if re.search(r"^(import|export) ", text, re.MULTILINE):
            raise ConfigError(f"{name} has an import or export that cannot be bundled")
        done.pop(name, None)
        done[name] = f'modules["{name}"] = (() => {{\n{text}\nreturn {{{exported}}};\n}})();\n'

    add(first)
    return "\nconst modules = {};\n" + "".join(done.values())


def _judged(space: Workspace) -> Json:
    """Errors and reliability with all that their cells hold, where there is gold to judge by."""
    if space.gold is None:
        return {"errors": None, "cells": {}, "reliability": None, "bins": []}
    errors = space.errors()
    listed = (errors["matrix"], errors["structure"], errors["distance"], errors["tags"])
    names = {cell["name"] for cells in listed for cell in cells}
    found: dict[str, Any] = {"errors": errors, "cells": {name: space.cell(name) for name in sorted(names)}}
    sure = space.info()["probabilities"]
    found["reliability"] = space.reliability() if sure else None
    found["bins"] = [space.bin(number) for number in range(10)] if sure else []
    return found


def _played(space: Workspace, most: int) -> Mapping[str, Json]:
    answers: dict[str, Json] = {}
    for number, (sentence, gold) in enumerate(space.pairs()):
        if len(answers) == most:
            break
        if found := recorded(sentence, gold, PLAYED_WORDS):
            answers[str(number)] = found
    return answers


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _icon() -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(files()['icon.svg'][0]).decode()}"
