"""How the server and its page hold up: first paint, stepping, a large file, many clients, broken requests.

.venv/bin/python -m benchmarks.server --write    writes docs/results/server.md

Needs Playwright and Chromium (`make web` installs both). The server is a process of its own, on loopback; who asks it
runs on the same cores.
"""

import argparse
import asyncio
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from benchmarks.malformed import malformed, send
from benchmarks.oracles import ROOT, machine
from tests.web.browser import ARGUMENTS, chromium

import dynarc
from dynarc import Sentence, Treebank
from dynarc.data import english
from dynarc.web.metrics import resident

PAGE = ROOT / "docs" / "results" / "server.md"
LONG = 60
MANY = 10_000
SEED = 1


@contextmanager
def serving(*arguments: str) -> Iterator[tuple[int, int]]:
    """A server; yields its port and the number of its process."""
    command = [sys.executable, "-m", "dynarc.cli", "serve", "en", "--port", "0", *arguments]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    try:
        assert server.stderr is not None
        line = server.stderr.readline()
        found = re.search(r":(\d+)/", line)
        assert found, line
        yield int(found[1]), server.pid
    finally:
        server.terminate()
        server.communicate()


def long_sentence(words: int) -> Sentence:
    """Sentences of the English treebank in a row, each hung on the first, as long as asked for."""
    forms: list[str] = []
    upos: list[str | None] = []
    heads: list[int | None] = []
    deprels: list[str | None] = []
    root = 0
    for sentence in english("dev"):
        if len(forms) + len(sentence) > words:
            continue
        before = len(forms)
        for head, deprel in zip(sentence.heads, sentence.deprels, strict=True):
            own = before + head if head else root
            deprels.append(deprel if head or not root else "parataxis")
            heads.append(own)
        forms += sentence.forms
        upos += sentence.upos
        root = root or heads.index(0) + 1
        if len(forms) == words:
            break
    return Sentence(forms, upos=upos, heads=heads, deprels=deprels, sent_id="long")


def large_file(path: Path) -> None:
    """As many sentences as asked for, each with a name of its own."""
    whole = english("train") + english("dev")
    with path.open("wb") as out:
        for number in range(MANY):
            sentence = whole[number % len(whole)].copy()
            sentence.sent_id = f"s{number + 1:05}"
            out.write(sentence.to_bytes())


@dataclass
class Steps:
    """Of one derivation: milliseconds of each step by the clock; of processor a step, in the page and in the server."""

    wall: list[float]
    page: float
    server: float


@dataclass
class Figures:
    """What was measured, ready for the page."""

    paint: list[float] = field(default_factory=list)
    ready: list[float] = field(default_factory=list)
    steps: dict[str, Steps] = field(default_factory=dict)
    large: dict[str, float] = field(default_factory=dict)
    load: dict[str, Any] = field(default_factory=dict)
    malformed: dict[str, Any] = field(default_factory=dict)


# In the browser.


def in_browser(figures: Figures, rounds: int) -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        file = Path(folder) / "long.conllu"
        Treebank([long_sentence(LONG)]).write(file)
        large = Path(folder) / "large.conllu"
        large_file(large)
        browser = driver.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        with serving("--file", str(file)) as (port, pid):
            address = f"http://127.0.0.1:{port}/"
            for _ in range(rounds):
                page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
                page.goto(address)
                page.wait_for_selector("svg.tree .word")
                figures.ready.append(page.evaluate("performance.now()"))
                page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
                figures.paint.append(
                    page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
                )
                page.context.close()
            for name in dynarc.systems():
                figures.steps[name] = stepping(browser, address, name, pid)
            figures.large = looking(browser, address, large)
        browser.close()


def stepping(browser: Any, address: str, system: str, pid: int) -> Steps:
    """From a key to the drawn position, for every step of a derivation."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto(f"{address}#view=steps&system={system}&follow=oracle")
    page.wait_for_selector('.player[data-step="0"]')
    page.evaluate("performance.clearMeasures()")
    inside = page.context.new_cdp_session(page)
    inside.send("Performance.enable", {"timeDomain": "threadTicks"})
    before, served = _busy(inside), cpu_seconds(pid)
    number = 0
    while page.locator('[data-key="next"]:not([disabled])').count():
        number += 1
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f'.player[data-step="{number}"]')
    drawn, served = _busy(inside) - before, cpu_seconds(pid) - served
    wall: list[float] = page.evaluate("performance.getEntriesByName('dynarc-step').map(e => e.duration)")
    page.context.close()
    return Steps(wall, 1000 * drawn / number, 1000 * served / number)


def _busy(inside: Any) -> float:
    """Seconds of processor that the page has taken."""
    metrics = {metric["name"]: metric["value"] for metric in inside.send("Performance.getMetrics")["metrics"]}
    found: float = metrics["TaskDuration"]
    return found


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


TIMED = """async (act) => {
  const start = performance.now();
  await eval(act);
  await new Promise(requestAnimationFrame);
  return performance.now() - start;
}"""


def looking(browser: Any, address: str, file: Path) -> dict[str, float]:
    """Milliseconds that things take with a large file; `bypass_csp` lets the clock into the page."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True).new_page()
    page.goto(address)
    page.wait_for_selector("svg.tree .word")
    start = time.perf_counter()
    page.locator("#file").set_input_files(file)
    page.wait_for_function(f"document.querySelector('.found').textContent.startsWith('{MANY:,} ')")
    found = {"opened, parsed and listed": 1000 * (time.perf_counter() - start)}
    type_in = "(() => { const f = document.getElementById('find'); f.value = 'captain'; f.dispatchEvent(new Event('input')); })()"
    found["search"] = page.evaluate(TIMED, type_in)
    clear = type_in.replace("'captain'", "''")
    found["search ended"] = page.evaluate(TIMED, clear)
    scroll = "(() => { const s = document.querySelector('.scroller'); s.scrollTop = s.scrollHeight / 2; })()"
    found["scroll to the middle"] = page.evaluate(TIMED, scroll)
    page.wait_for_timeout(200)
    start = time.perf_counter()
    name = page.locator(".entry .id").nth(6).text_content()
    page.locator(".entry").nth(6).click()
    page.wait_for_function(f"document.querySelector('.heading h2')?.textContent.startsWith('{name}')")
    found["another sentence, parsed and drawn"] = 1000 * (time.perf_counter() - start)
    start = time.perf_counter()
    page.locator("#tab-errors").click()
    page.wait_for_selector(".matrix")
    found["errors of the whole file, the first time"] = 1000 * (time.perf_counter() - start)
    found["entries in the document"] = page.locator(".entry").count()
    page.context.close()
    return found


# Many clients.


@dataclass
class Load:
    """What clients have met."""

    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    failures: Counter[str] = field(default_factory=Counter)


def questions(number: int) -> list[tuple[str, bytes]]:
    """What clients ask: mostly for one sentence, also for short texts with probabilities, steps and several trees."""
    rng = random.Random(SEED)
    sentences = list(english("dev"))
    found: list[tuple[str, bytes]] = []
    for _ in range(number):
        sentence, kind = rng.choice(sentences), rng.random()
        words = list(sentence.forms)
        body: dict[str, Any]
        if kind < 0.7:
            path, body = "/v1/parse", {"tokens": [words]}
        elif kind < 0.85:
            path, body = "/v1/parse", {"text": sentence.text, "confidence": True}
        elif kind < 0.95:
            path, body = "/v1/step", {"tokens": words, "gold": {"heads": list(sentence.heads)}, "history": ["SHIFT"]}
        else:
            path, body = "/v1/kbest", {"tokens": words, "k": 3, "limit": 500}
        found.append((path, json.dumps(body).encode()))
    return found


async def client(port: int, asked: list[tuple[str, bytes]], until: float, load: Load) -> None:
    """One connection that asks as fast as it is answered."""
    number = random.randrange(len(asked))
    reader: asyncio.StreamReader | None = None
    while time.perf_counter() < until:
        path, body = asked[number % len(asked)]
        number += 1
        start = time.perf_counter()
        try:
            if reader is None:
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
            head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            writer.write(head.encode() + body)
            answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            length = re.search(rb"(?i)content-length: (\d+)", answer)
            await reader.readexactly(int(length[1]) if length else 0)
        except (OSError, TimeoutError, asyncio.IncompleteReadError) as error:
            load.failures[type(error).__name__] += 1
            reader = None
            continue
        status = int(answer[9:12])
        load.statuses[status] += 1
        if status == 429:
            await asyncio.sleep(0.05)
        else:
            load.seconds.append(time.perf_counter() - start)


async def crowd(port: int, pid: int, clients: int, seconds: float) -> tuple[Load, list[float]]:
    load, asked = Load(), questions(2000)
    until = time.perf_counter() + seconds
    tasks = [asyncio.create_task(client(port, asked, until, load)) for _ in range(clients)]
    memory = []
    while time.perf_counter() < until:
        await asyncio.sleep(min(5.0, seconds / 6))
        memory.append((resident(pid) or 0) / 2**20)
    await asyncio.gather(*tasks)
    return load, memory


def under_load(figures: Figures, clients: int, seconds: float) -> None:
    for limit in (clients, clients // 2):
        with serving("--max-requests", str(limit)) as (port, pid):
            asyncio.run(crowd(port, pid, 4, 2))  # so that nothing is done for the first time
            load, memory = asyncio.run(crowd(port, pid, clients, seconds))
        ordered = sorted(load.seconds)
        figures.load[str(limit)] = {
            "clients": clients,
            "seconds": seconds,
            "answers": dict(load.statuses),
            "failures": dict(load.failures),
            "per second": round(load.statuses[200] / seconds),
            "p50": 1000 * statistics.median(ordered),
            "p99": 1000 * ordered[int(0.99 * (len(ordered) - 1))],
            "memory": [round(m) for m in memory],
        }


def broken(figures: Figures, number: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "dev.conllu"
        english("dev").write(file)
        with serving("--file", str(file)) as (port, pid):
            with urlopen(f"http://127.0.0.1:{port}/openapi.json") as answer:
                document = json.load(answer)
            statuses: Counter[int] = Counter(send(port, made) for made in malformed(document, number, SEED))
            with urlopen(f"http://127.0.0.1:{port}/healthz") as answer:
                alive = answer.status == 200
            memory = (resident(pid) or 0) / 2**20
    figures.malformed = {
        "number": number,
        "statuses": dict(sorted(statuses.items())),
        "alive": alive,
        "memory": round(memory),
    }


# The page.


def page(figures: Figures) -> str:
    facts = ", ".join(f"{name}: {value}" for name, value in machine().items())
    lines = [
        "# The server and its page",
        "",
        f"Made by `python -m benchmarks.server --write`. {facts}, load of the machine: {os.getloadavg()[0]:.1f}.",
        "",
        "The model is `en`; sentences are those of the English treebank of the package. The server, the browser (Chromium,",
        "1280x900) and the clients share the cores.",
        "",
        "## The page",
        "",
        (
            f"First paint: {statistics.median(figures.paint):.0f} ms (median of {len(figures.paint)} fresh visits, worst {max(figures.paint):.0f});"
            f" the tree of a sentence of {LONG} words is there after {statistics.median(figures.ready):.0f} ms (worst {max(figures.ready):.0f})."
        ),
        "",
        f"From a key to the next position of a sentence of {LONG} words, drawn, with exact costs and the best tree within reach, in ms:",
        "",
        "| system | steps | median | 95 % | worst | processor, page | processor, server |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, steps in figures.steps.items():
        ordered = sorted(steps.wall)
        lines.append(
            f"| {name} | {len(ordered)} | {statistics.median(ordered):.1f} | {ordered[int(0.95 * (len(ordered) - 1))]:.1f} | "
            f"{ordered[-1]:.1f} | {steps.page:.1f} | {steps.server:.1f} |"
        )
    lines += [
        "",
        "Processor is what one step takes on average, in the page (with what the driver of the browser asks it) and in the server.",
    ]
    lines += ["", f"A file of {MANY:,} sentences opened on the page:", "", "| what | ms |", "| --- | --- |"]
    lines += [f"| {name} | {value:.0f} |" for name, value in figures.large.items() if not name.startswith("entries")]
    lines += ["", f"Of its sentences {figures.large['entries in the document']:.0f} are in the document at a time."]
    lines += [
        "",
        "## Many clients",
        "",
        "Each asks again as soon as it is answered: 70 % one sentence as tokens, 15 % a sentence as text with probabilities,",
    ]
    lines += [
        "10 % a step with costs, 5 % three best trees. After a 429 a client waits 50 ms. Times are of answers other than 429.",
        "",
    ]
    lines += [
        "| clients | `--max-requests` | seconds | answers 200 | 429 | others | broken connections | 200 a second | p50 ms | p99 ms | memory, MiB, over the time |"
    ]
    lines += ["| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"]
    for limit, found in figures.load.items():
        others = sum(number for status, number in found["answers"].items() if int(status) not in (200, 429))
        lines.append(
            f"| {found['clients']} | {limit} | {found['seconds']:.0f} | {found['answers'].get(200, 0):,} | {found['answers'].get(429, 0):,} | {others} | "
            f"{sum(found['failures'].values())} | {found['per second']:,} | {found['p50']:.1f} | {found['p99']:.1f} | {', '.join(map(str, found['memory']))} |"
        )
    wrong = figures.malformed
    fives = sum(number for status, number in wrong["statuses"].items() if status >= 500)
    told = ", ".join(
        f"{number:,} times {'no answer' if status == 0 else status}" for status, number in wrong["statuses"].items()
    )
    lines += ["", "## Malformed requests", ""]
    lines += [
        f"{wrong['number']:,} requests made from the OpenAPI document and broken (`benchmarks/malformed.py`): {fives} answers of 5xx; {told}."
    ]
    lines += [
        f"The server {'goes on' if wrong['alive'] else 'is gone'}, with {wrong['memory']} MiB. No answer is what connections get that do not speak HTTP."
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="write docs/results/server.md")
    options.add_argument("--seconds", type=float, default=30, help="of the load")
    options.add_argument("--clients", type=int, default=64)
    options.add_argument("--malformed", type=int, default=5000)
    options.add_argument("--rounds", type=int, default=5, help="of first paint")
    chosen = options.parse_args()
    figures = Figures()
    for part, amounts in (
        (in_browser, (chosen.rounds,)),
        (under_load, (chosen.clients, chosen.seconds)),
        (broken, (chosen.malformed,)),
    ):
        part(figures, *amounts)
        print(json.dumps(asdict(figures)), file=sys.stderr)
    text = page(figures)
    if chosen.write:
        PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
