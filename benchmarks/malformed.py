"""Requests that no server should fail of: made from its OpenAPI document, by a seed, and broken in many ways."""

import json
import random
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

WORDS = [
    "They",
    "ate",
    "pizza",
    "",
    " ",
    "\t",
    "\n",
    "\x00",
    "é",
    "\u202e",
    "😀",
    "_",
    "a" * 300,
    "<b>",
    "0",
    "''",
    "%s",
    "{}",
]
TEXTS = [
    *WORDS,
    "She saw the boat. It had left.",
    "SHIFT",
    "LEFT(nsubj)",
    "RIGHT@99(obj)",
    "LEFT@",
    "arc-eager",
    "en",
    "first",
    "oracle",
]
ODD: list[Any] = [None, True, -1, 0, 1, 2**31, 2**63, 1e308, -0.5, "", [], {}, [[]], [None], {"a": 1}, "null", "\ud800"]
CONLLU = "# sent_id = x\n1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\ton\ton\tADV\t_\t_\t1\tadvmod\t_\t_\n\n"
TYPES = [
    "application/json",
    "text/plain",
    "text/x-conllu",
    "application/x-conllu",
    "image/png",
    "",
    "application/json; charset=x",
    "multipart/form-data",
    "text/plain; charset=utf-16",
]
METHODS = ["GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"]
RAW = [
    b"GET\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
    b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
    b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nx\r\n",
    b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: [::1\r\n\r\n",
    b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
    b"GET /%ff%fe%00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /page/files/first/cells/%00%ff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /page/files?name=%00%ff%2f HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/x-conllu\r\nContent-Length: 2\r\n\r\n\xff\xfe",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
]


@dataclass
class Made:
    """A request as it goes over the wire, and what it is about."""

    method: str
    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    raw: bytes | None = None

    def wire(self) -> bytes:
        if self.raw is not None:
            return self.raw
        headers = {"Host": "localhost", "Connection": "close", "Content-Length": str(len(self.body)), **self.headers}
        lines = [f"{self.method} {self.path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body


def malformed(document: dict[str, Any], number: int, seed: int) -> Iterator[Made]:
    """So many requests, most of them wrong in some way."""
    rng = random.Random(seed)
    paths = [
        (path, method, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    for _ in range(number):
        kind = rng.random()
        if kind < 0.05:
            raw = rng.choice(RAW)
            yield Made("RAW", "", raw=_flipped(rng, raw, 2) if rng.random() < 0.3 else raw)
            continue
        path, method, operation = rng.choice(paths)
        address = _filled(rng, path)
        content = operation.get("requestBody", {}).get("content", {})
        if rng.random() < 0.2:
            address += "?" + "&".join(
                f"{name}={quote(str(rng.choice(TEXTS)))}" for name in ("format", "model", "confidence", "keep_heads")
            )
        if kind < 0.12:
            method = rng.choice(METHODS)
        body, media = b"", ""
        if content:
            media = rng.choice([*content] * 3 + TYPES)
            schema = content.get("application/json", {}).get("schema")
            value = _value(rng, _resolved(document, schema), document) if schema else rng.choice(TEXTS)
            body = _written(rng, value) if "json" in media else _text(rng, media)
        yield Made(method.upper(), address, {"Content-Type": media} if media else {}, body)


def _resolved(document: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    name = schema.get("$ref")
    found: dict[str, Any] = document["components"]["schemas"][name.rsplit("/", 1)[-1]] if name else schema
    return found


def _value(rng: random.Random, schema: dict[str, Any], document: dict[str, Any], depth: int = 0) -> Any:
    """A value that is as the schema says, or, now and then, is not."""
    if rng.random() < 0.07:
        return rng.choice(ODD)
    kinds = schema.get("type", "string")
    kind = rng.choice(kinds) if isinstance(kinds, list) else kinds
    if "enum" in schema and rng.random() < 0.9:
        return rng.choice(schema["enum"])
    if kind == "object":
        names = schema.get("properties", {})
        value = {
            name: _value(rng, part, document, depth + 1)
            for name, part in names.items()
            if name in schema["required"] or rng.random() < 0.5
        }
        if rng.random() < 0.05:
            value[rng.choice(TEXTS)] = rng.choice(ODD)
        return value
    if kind == "array":
        return [
            _value(rng, schema.get("items", {}), document, depth + 1) for _ in range(rng.choice([0, 1, 2, 3, 5, 40]))
        ]
    if kind in ("integer", "number"):
        return rng.choice([0, 1, 2, 3, 5, 7, 50, 1000, -1, 10**9, 0.5])
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    if "CoNLL-U" in schema.get("description", ""):
        return _flipped(rng, CONLLU.encode() * rng.choice([1, 1, 1, 2]), rng.choice([0, 0, 1, 3])).decode(
            "utf-8", "replace"
        )
    return rng.choice(TEXTS)


def _written(rng: random.Random, value: Any) -> bytes:
    text = json.dumps(value).encode()
    kind = rng.random()
    if kind < 0.7:
        return text
    if kind < 0.8:
        return _flipped(rng, text, rng.choice([1, 2, 5]))
    if kind < 0.85:
        return text[: rng.randrange(len(text) + 1)]
    if kind < 0.9:
        return rng.choice(
            [b"[" * 50_000, b'{"a":' * 20_000, b"9" * 6000, b"", b"NaN", b'"\\ud800"', b"\xff\xfe{}", b"1e999"]
        )
    return rng.randbytes(rng.randrange(200))


def _text(rng: random.Random, media: str) -> bytes:
    base = CONLLU if "conllu" in media else "She saw the boat. It had left.\n\n"
    return rng.choice(
        [
            _flipped(rng, base.encode() * 3, rng.choice([0, 1, 4, 10])),
            rng.randbytes(rng.randrange(300)),
            b"",
            b"word " * 1500,
            base.encode("utf-16"),
        ]
    )


def _flipped(rng: random.Random, data: bytes, times: int) -> bytes:
    found = bytearray(data)
    for _ in range(times if found else 0):
        found[rng.randrange(len(found))] = rng.randrange(256)
    return bytes(found)


def _filled(rng: random.Random, path: str) -> str:
    for name in ("file", "number", "cell"):
        options = {
            "file": ["first", "f1", "f2", "x", "%00"],
            "number": ["0", "1", "5", "-1", "99999999999", "x", "٣", "1.5"],
        }
        value = rng.choice(options.get(name, ["nsubj>obj", "low", "x", ">", "NOUN:VERB>VERB", "%ff", "a/b"]))
        path = path.replace(f"{{{name}}}", quote(value, safe="%"))
    return path


def send(port: int, made: Made, timeout: float = 20.0) -> int:
    """The status of the answer; 0 if the server closed the connection without one."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as sock:
        try:
            sock.sendall(made.wire())
            if made.raw is not None:
                sock.shutdown(socket.SHUT_WR)
            answer = b""
            while part := sock.recv(65536):
                answer = (answer + part)[:64] if answer else part[:64]
        except ConnectionError:
            return 0
    return int(answer[9:12]) if answer.startswith(b"HTTP/") and answer[9:12].isdigit() else 0
