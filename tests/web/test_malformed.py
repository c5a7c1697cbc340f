"""Requests that are wrong in every way: the server says so, and goes on."""

from collections import Counter

import httpx
from benchmarks.malformed import malformed, send


def test_nothing_that_is_sent_is_an_error_of_the_server(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    statuses: Counter[int] = Counter()
    for made in malformed(document, 400, seed=11):
        status = send(client.base_url.port or 0, made)
        statuses[status] += 1
        assert status < 500, made
    assert {200, 400, 404, 405, 413, 415, 422} <= set(statuses)
    assert client.get("/healthz").status_code == 200
