"""What a server has done, in the text format of Prometheus."""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counts of requests, by what was asked and how it ended; only the event loop touches them."""

    def __init__(self) -> None:
        self.started = time.time()
        self.in_progress = 0
        self.requests: Counter[tuple[str, str, int]] = Counter()  # route, method, status
        self.refused: Counter[str] = Counter()
        self.sentences = 0
        self.words = 0
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: dict[str, float] = {}
        self._answers: Counter[str] = Counter()

    def finished(self, route: str, method: str, status: int, seconds: float) -> None:
        self.requests[route, method, status] += 1
        self._answers[route] += 1
        self._seconds[route] = self._seconds.get(route, 0.0) + seconds
        for bucket in BUCKETS:
            if seconds <= bucket:
                self._buckets[route, bucket] += 1

    def text(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        yield from _head("dynarc_requests_total", "counter", "Requests answered.")
        for (route, method, status), count in sorted(self.requests.items()):
            labels = f'route="{_quoted(route)}",method="{_quoted(method)}",status="{status}"'
            yield f"dynarc_requests_total{{{labels}}} {count}"
        yield from _head("dynarc_request_seconds", "histogram", "Time from a request to the end of its answer.")
        for route, count in sorted(self._answers.items()):
            name = f'route="{_quoted(route)}"'
            for bucket in BUCKETS:
                yield f'dynarc_request_seconds_bucket{{{name},le="{bucket:g}"}} {self._buckets[route, bucket]}'
            yield f'dynarc_request_seconds_bucket{{{name},le="+Inf"}} {count}'
            yield f"dynarc_request_seconds_sum{{{name}}} {self._seconds[route]:.6f}"
            yield f"dynarc_request_seconds_count{{{name}}} {count}"
        yield from _head("dynarc_refused_total", "counter", "Requests refused, by reason.")
        for reason, count in sorted(self.refused.items()):
            yield f'dynarc_refused_total{{reason="{_quoted(reason)}"}} {count}'
        for name, kind, meaning, value in (
            ("dynarc_requests_in_progress", "gauge", "Requests being worked on.", self.in_progress),
            ("dynarc_sentences_total", "counter", "Sentences parsed.", self.sentences),
            ("dynarc_words_total", "counter", "Words parsed.", self.words),
            ("process_start_time_seconds", "gauge", "When the server was started.", f"{self.started:.3f}"),
            ("process_resident_memory_bytes", "gauge", "Memory in use.", resident()),
        ):
            if value is not None:
                yield from _head(name, kind, meaning)
                yield f"{name} {value}"


def _head(name: str, kind: str, meaning: str) -> Iterator[str]:
    yield f"# HELP {name} {meaning}"
    yield f"# TYPE {name} {kind}"


def _quoted(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def resident(pid: int | str = "self") -> int | None:
    """Bytes of memory that a process has, where the system tells."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except OSError:
        return None
    return int(fields[1]) * 4096
