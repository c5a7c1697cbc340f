"""The API over HTTP: what it answers, what it refuses, and how."""

import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette

import dynarc
from dynarc.data import english
from dynarc.web.app import Settings, application
from dynarc.web.limits import Limits
from dynarc.web.service import Service

from .conftest import Ask, running

CONLLU = english("dev")[:3].to_bytes().decode()


def test_parse_text(post: Ask) -> None:
    answer = post("/v1/parse", {"text": "She saw the boat. It had left.", "confidence": True})
    assert answer.status_code == 200
    found = answer.json()
    assert found["model"] == "en"
    first, second = found["sentences"]
    assert first["forms"] == ["She", "saw", "the", "boat", "."]
    assert first["heads"] == [2, 0, 4, 2, 2]
    assert first["lemmas"][1] == "see"
    assert all(0 <= p <= 1 for p in first["arc_prob"])
    assert second["text"] == "It had left."


def test_parse_tokens_and_conllu(post: Ask, english_model: dynarc.Parser) -> None:
    tokens = post("/v1/parse", {"tokens": [["They", "slept"], ["Go"]]}).json()["sentences"]
    assert [sentence["forms"] for sentence in tokens] == [["They", "slept"], ["Go"]]
    assert tokens[0]["arc_prob"] is None
    out = post("/v1/parse", {"conllu": CONLLU, "format": "conllu"})
    assert out.headers["content-type"].startswith("text/x-conllu")
    assert out.content == english_model.parse(english("dev")[:3]).to_bytes()
    lines = post("/v1/parse", {"conllu": CONLLU, "format": "jsonl"}).text.splitlines()
    assert [json.loads(line)["sent_id"] for line in lines] == ["story-019", "story-020", "story-021"]
    sure = post("/v1/parse", {"conllu": CONLLU, "format": "conllu", "confidence": True}).text
    assert "ArcProb=" in sure


def test_fixed_arcs(post: Ask) -> None:
    body = {"tokens": [["They", "ate", "hot", "soup", "."]], "fixed": [{"word": 1, "head": 4, "label": "nmod"}]}
    sentence = post("/v1/parse", body).json()["sentences"][0]
    assert (sentence["heads"][0], sentence["deprels"][0]) == (4, "nmod")
    kept = post("/v1/parse", {"conllu": CONLLU, "keep_heads": True, "format": "conllu"})
    assert kept.text == CONLLU


def test_streams(client: httpx.Client, english_model: dynarc.Parser) -> None:
    """Many parts, one after the other, are what is parsed at once."""
    whole = english("train")
    data = whole.to_bytes() * 3
    answer = client.post("/v1/parse?format=conllu", content=data, headers={"Content-Type": "text/x-conllu"})
    assert answer.status_code == 200
    assert answer.headers["transfer-encoding"] == "chunked"
    assert answer.content == english_model.parse(dynarc.read_conllu(data)).to_bytes()
    text = "She saw the boat. It had left.\n\n" * 3000
    with client.stream("POST", "/v1/parse", content=text, headers={"Content-Type": "text/plain"}) as stream:
        parts = list(stream.iter_raw())
    assert len(parts) > 1
    assert len(json.loads(b"".join(parts))["sentences"]) == 6000
    lines = client.post(
        "/v1/parse", content="Go on.", headers={"Content-Type": "text/plain", "Accept": "application/x-ndjson"}
    )
    assert json.loads(lines.text)["forms"] == ["Go", "on", "."]


def test_what_breaks_off_does_not_look_whole(client: httpx.Client) -> None:
    text = "She saw the boat.\n\n" * 5000 + "very " * 400 + "\n\n"
    with pytest.raises(httpx.RemoteProtocolError):
        client.post("/v1/parse?format=conllu", content=text, headers={"Content-Type": "text/plain"})


def test_steps(post: Ask) -> None:
    body = {
        "tokens": ["They", "ate", "pizza"],
        "system": "arc-hybrid",
        "gold": {"heads": [2, 0, 2], "deprels": ["nsubj", "root", "obj"]},
        "history": ["SHIFT"],
    }
    here = post("/v1/step", body).json()
    assert (here["model"], here["stack"], here["buffer"]) == (None, [1], [2, 3, 0])
    assert {option["transition"]: option["cost"] for option in here["options"]} == {"SHIFT": 1, "LEFT(nsubj)": 0}
    wrong = post("/v1/step", {**body, "history": ["SHIFT", "SHIFT"]}).json()
    assert wrong["loss"] == 1
    assert wrong["best"][1] == [0, "root"]
    trace = post("/v1/trace", {"tokens": ["They", "slept"]}).json()
    assert trace["model"] == "en"
    assert [step["chosen"] for step in trace["steps"]][:2] == ["SHIFT", "LEFT(nsubj)"]
    assert trace["steps"][-1]["heads"] == [2, 0]
    assert trace["steps"][0]["loss"] is None


def test_best_trees(post: Ask) -> None:
    found = post("/v1/kbest", {"tokens": ["She", "saw", "the", "man", "with", "a", "telescope", "."], "k": 3}).json()
    assert len(found["trees"]) == 3
    probabilities = [tree["probability"] for tree in found["trees"]]
    assert probabilities == sorted(probabilities, reverse=True)


def test_operations(client: httpx.Client) -> None:
    assert client.get("/healthz").json()["status"] == "ok"
    model = client.get("/v1/models").json()["models"][0]
    assert (model["name"], model["system"], model["tokenizer"]) == ("en", "arc-eager", True)
    client.post("/v1/parse", json={"tokens": [["Go"]]})
    metrics = client.get("/metrics").text
    assert re.search(
        r'^dynarc_requests_total\{route="/v1/parse",method="POST",status="200"\} \d+$', metrics, re.MULTILINE
    )
    assert re.search(r"^dynarc_words_total \d+$", metrics, re.MULTILINE)
    assert 'le="+Inf"' in metrics


def test_every_route_is_in_the_document(client: httpx.Client, address: str, english_model: dynarc.Parser) -> None:
    document = client.get("/openapi.json").json()
    app = application(Service({"en": english_model}, Limits()), Settings())
    routes = {re.sub(r":path\}", "}", getattr(route, "path", "")) for route in app.routes} - {"/", "/{name}"}
    assert routes == set(document["paths"])
    for path, operations in document["paths"].items():
        assert set(operations) <= {"get", "post"}, path


@pytest.mark.parametrize(
    ("path", "body", "status", "said"),
    [
        ("/v1/parse", {}, 422, "give one of text, tokens and conllu"),
        ("/v1/parse", {"text": "Go.", "tokens": [["Go"]]}, 422, "text and tokens are there"),
        ("/v1/parse", {"txt": "Go."}, 422, "'txt' is unknown; known are text"),
        ("/v1/parse", {"tokens": [["a", 1]]}, 422, "tokens[0][1] is 1, but must be of type string"),
        ("/v1/parse", {"tokens": [["a", ""]]}, 422, "tokens[0][1] is empty"),
        ("/v1/parse", {"tokens": [["a\tb"]]}, 422, "a"),
        ("/v1/parse", {"text": "Go.", "model": "de"}, 422, "model must be one of en"),
        ("/v1/parse", {"conllu": "1\tno"}, 422, "<request>:1"),
        ("/v1/parse", {"tokens": [["x"] * 201]}, 413, "has 201 words, but this server takes 200"),
        ("/v1/parse", {"tokens": [["a", "b"]], "fixed": [{"word": 1, "head": 1}]}, 422, "cycle"),
        ("/v1/parse", {"tokens": [["a"]], "fixed": [{"word": 1, "head": 0, "sentence": 4}]}, 422, "sentence 4"),
        ("/v1/step", {"tokens": ["a"], "system": "arc-lazy"}, 422, "must be one of"),
        ("/v1/step", {"tokens": ["a"], "history": ["JUMP"]}, 422, "unknown move 'JUMP'"),
        ("/v1/step", {"tokens": ["a"], "gold": {"heads": [0, 1]}}, 422, "1 words, but its gold tree 2"),
        ("/v1/step", {"tokens": ["a", "b"], "gold": {"heads": [2, 1]}}, 422, "cycle"),
        ("/v1/step", {"conllu": CONLLU}, 422, "give one sentence; there are 3"),
        ("/v1/trace", {"tokens": ["a"], "system": "covington"}, 422, "give a gold tree"),
        ("/v1/kbest", {"tokens": ["a"], "k": 0}, 422, "k is 0, but must be 1 or more"),
    ],
)
def test_refusals(post: Ask, path: str, body: object, status: int, said: str) -> None:
    answer = post(path, body)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert said in answer.json()["detail"]
    assert answer.json()["status"] == status


@pytest.mark.parametrize(
    ("content", "kind", "status", "said"),
    [
        (b"{", "application/json", 400, "no JSON"),
        (b'{"text": NaN}', "application/json", 400, "NaN is no number"),
        (b"[" * 100_000, "application/json", 400, "nested too deeply"),
        (b"\xff\xfe", "application/json", 400, "no JSON"),
        (b'{"text": "\\ud800"}', "application/json", 422, "surrogate"),
        (b"Go.", "image/png", 415, "application/json"),
        (b"\xff", "text/plain", 422, "not valid UTF-8"),
        (b"1\tx\n", "text/x-conllu", 422, "<request>:1"),
        (b"9" * 5000, "application/json", 400, "no JSON"),
    ],
)
def test_broken_bodies(client: httpx.Client, content: bytes, kind: str, status: int, said: str) -> None:
    answer = client.post("/v1/parse", content=content, headers={"Content-Type": kind})
    assert (answer.status_code, said in answer.json()["detail"]) == (status, True), answer.text


def test_addresses(client: httpx.Client) -> None:
    assert "openapi.json" in client.get("/v2/parse").json()["detail"]
    assert client.get("/v1/parse").status_code == 405
    assert client.get("/page/files/f99/index").status_code == 404
    assert client.get("/page/files/first/sentences/9999").status_code == 422
    assert client.get("/page/files/first/sentences/-1").status_code == 404
    assert client.get("/page/files/first/cells/nothing").status_code == 422
    assert client.get("/../../etc/passwd").status_code == 404
    assert client.get("/%2e%2e%2fapp.py").status_code == 404


def test_headers(client: httpx.Client) -> None:
    for path in ("/", "/healthz", "/nothing", "/main.js"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers or "uvicorn" in headers["server"]  # tests run uvicorn with its own default


def test_other_sites_and_names_are_refused(client: httpx.Client) -> None:
    other = client.get("/v1/models", headers={"Origin": "https://example.org"})
    assert (other.status_code, "--cors https://example.org" in other.json()["detail"]) == (403, True)
    assert client.get("/v1/models", headers={"Origin": str(client.base_url)}).status_code == 200
    assert client.get("/v1/models", headers={"Host": "rebound.example.org"}).status_code == 403
    assert client.get("/v1/models", headers={"Origin": "null"}).status_code == 403


def small(parser: dynarc.Parser, **limits: float) -> Starlette:
    allowed = Limits(**limits)  # type: ignore[arg-type]
    return application(
        Service({"en": parser}, allowed), Settings(allowed, origins=("https://example.org",), page=False)
    )


def test_cors_when_told(english_model: dynarc.Parser) -> None:
    with running(small(english_model)) as address, httpx.Client(base_url=address) as client:
        asked = {"Origin": "https://example.org", "Access-Control-Request-Method": "POST"}
        before = client.request("OPTIONS", "/v1/parse", headers=asked)
        assert (before.status_code, before.headers["access-control-allow-origin"]) == (204, "https://example.org")
        answer = client.post("/v1/parse", json={"tokens": [["Go"]]}, headers={"Origin": "https://example.org"})
        assert answer.headers["access-control-allow-origin"] == "https://example.org"
        assert client.get("/v1/models", headers={"Origin": "https://example.com"}).status_code == 403
        assert client.get("/").status_code == 404
        assert "/page/start" not in client.get("/openapi.json").json()["paths"]


def test_size_of_requests(english_model: dynarc.Parser) -> None:
    with running(small(english_model, body=10_000)) as address, httpx.Client(base_url=address) as client:
        for kind in ("application/json", "text/plain", "text/x-conllu"):
            answer = client.post("/v1/parse", content=b"x" * 20_000, headers={"Content-Type": kind})
            assert (answer.status_code, "larger than 10,000 bytes" in answer.json()["detail"]) == (413, True)
        chunks = (b"word " * 100 for _ in range(100))
        answer = client.post("/v1/parse", content=chunks, headers={"Content-Type": "text/plain"})
        assert answer.status_code == 413


def test_requests_at_a_time(english_model: dynarc.Parser) -> None:
    text = "She saw the boat that had left. " * 400
    statuses: list[int] = []
    with running(small(english_model, requests=2)) as address:

        def ask() -> None:
            answer = httpx.post(f"{address}/v1/parse", json={"text": text, "confidence": True}, timeout=30)
            statuses.append(answer.status_code)
            if answer.status_code == 429:
                assert answer.headers["retry-after"] == "1"
                assert "2 requests" in answer.json()["detail"]

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        # The event loop answers while the threads are busy.
        assert httpx.get(f"{address}/healthz", timeout=5).status_code == 200
        for thread in threads:
            thread.join()
        assert set(statuses) == {200, 429}
        assert httpx.post(f"{address}/v1/parse", json={"tokens": [["Go"]]}).status_code == 200


def test_time(english_model: dynarc.Parser) -> None:
    with running(small(english_model, seconds=0.05)) as address:
        text = "She saw the boat that had left. " * 2000
        answer = httpx.post(f"{address}/v1/parse", json={"text": text, "confidence": True}, timeout=30)
        assert (answer.status_code, "longer than the 0.05 s" in answer.json()["detail"]) == (503, True)


def test_without_a_model() -> None:
    with running(application(Service({}, Limits()), Settings())) as address, httpx.Client(base_url=address) as client:
        assert client.get("/v1/models").json() == {"models": []}
        assert "this server has no model" in client.post("/v1/parse", json={"text": "Go."}).json()["detail"]
        step = client.post("/v1/step", json={"tokens": ["Go"], "system": "attardi", "gold": {"heads": [0]}})
        assert step.json()["loss"] == 0


def test_files_of_the_page(client: httpx.Client) -> None:
    sent = client.post("/page/files?name=../own.conllu", content=CONLLU, headers={"Content-Type": "text/x-conllu"})
    info = sent.json()
    assert (info["name"], info["sentences"], info["gold"]) == ("own.conllu", 3, True)
    index = client.get(f"/page/files/{info['id']}/index").json()
    assert [row[0] for row in index] == ["story-019", "story-020", "story-021"]
    shown = client.get(f"/page/files/{info['id']}/sentences/1").json()
    assert shown["gold"]["heads"] == list(english("dev")[1].heads)
    errors = client.get(f"/page/files/{info['id']}/errors").json()
    assert errors["words"] == sum(row[2] for row in index)
    cells = [cell for cell in errors["matrix"] if cell["gold"] != cell["system"]]
    for cell in cells:
        spots = client.get(f"/page/files/{info['id']}/cells/{cell['name']}").json()["spots"]
        assert sum(len(words) for _, words in spots) == cell["count"]
    bins = client.get(f"/page/files/{info['id']}/reliability").json()["bins"]
    assert sum(b["items"] for b in bins) == errors["words"]
    full = next(i for i, b in enumerate(bins) if b["items"])
    spots = client.get(f"/page/files/{info['id']}/bins/{full}").json()["spots"]
    assert sum(len(words) for _, words in spots) == bins[full]["items"]


def test_only_some_files_are_kept(client: httpx.Client) -> None:
    def send() -> str:
        answer = client.post("/page/files", content=CONLLU, headers={"Content-Type": "text/x-conllu"})
        name: str = answer.json()["id"]
        return name

    first = send()
    for _ in range(Limits().files):
        send()
    assert "open it again" in client.get(f"/page/files/{first}/index").json()["detail"]


def test_the_command_ends_when_it_has_answered(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dynarc.cli", "serve", "en", "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line
        answers: list[int] = []
        body = {"text": "She saw the boat that had left. " * 1500, "confidence": True}
        asked = threading.Thread(
            target=lambda: answers.append(httpx.post(f"{found[0]}/v1/parse", json=body, timeout=30).status_code)
        )
        httpx.get(f"{found[0]}/healthz", timeout=30)
        asked.start()
        while "dynarc_requests_in_progress 1" not in httpx.get(f"{found[0]}/metrics", timeout=30).text:
            assert asked.is_alive()
        server.terminate()
        asked.join()
        server.wait(20)
        assert answers == [200]
    finally:
        server.kill()
        server.communicate()


def test_a_body_that_does_not_come(english_model: dynarc.Parser, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynarc.web.app.BODY_PAUSE", 0.2)
    head = b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\nGo."
    with running(small(english_model)) as address:
        port = int(address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as slow:
            slow.sendall(head)
            assert slow.recv(1000).startswith(b"HTTP/1.1 408 ")
