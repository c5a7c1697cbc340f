"""Performs work in processes of their own, some at a time; what has a result already is passed over."""

import functools
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from experiments.work import Result, Store, Work

Say = Callable[[str], None]


def order(works: Iterable[Work]) -> list[Work]:
    """Each once. Low seeds first and then what is quickly done, so that much is known early; timed work comes last."""
    return sorted(dict.fromkeys(works), key=lambda work: (work.timed, work.seed, work.estimate(), work.key))


def taken(result: Result) -> float:
    """Seconds of CPU that a piece of work took."""
    seconds = result["seconds"]
    return float(seconds["process"] if isinstance(seconds, dict) else seconds)


class Progress:
    """One line for each piece of work that ended, with the time that is left."""

    def __init__(self, works: Sequence[Work], jobs: int, say: Say) -> None:
        self.say = say
        self._jobs = jobs
        self._all = len(works)
        self._rest = dict.fromkeys(works)
        self._expected = self._taken = 0.0  # seconds of the finished ones: as they were estimated, and as they were

    def done(self, work: Work, seconds: float, result: Result) -> None:
        del self._rest[work]
        self._expected += work.estimate()
        self._taken += seconds
        self._line(f"{work}  {work.summary(result)}  {seconds:.0f} s")

    def failed(self, work: Work, status: int | None) -> None:
        del self._rest[work]
        self._line(f"{work}  FAILED, exit status {status}")

    def left(self) -> float:
        """Seconds until all are finished, if estimates stay as wrong as they were."""
        factor = self._taken / self._expected if self._expected else 1.0
        return factor * seconds_of(self._rest, self._jobs)

    def _line(self, text: str) -> None:
        self.say(f"{self._all - len(self._rest)}/{self._all}  {text}  {clock(self.left())} left")


def seconds_of(works: Iterable[Work], jobs: int) -> float:
    """About how long some work takes, this much at a time."""
    return sum(work.estimate() / (1 if work.timed else jobs) for work in works)


def clock(seconds: float) -> str:
    """
    >>> clock(42), clock(75), clock(7260)
    ('42 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def perform_all(
    works: Iterable[Work],
    store: Store,
    *,
    jobs: int = 1,
    again: bool = False,
    say: Say = functools.partial(print, flush=True),  # noqa: B008 - has no state
) -> list[Work]:
    """Performs what has no result yet, or everything `again`. Gives what failed; each has said why.

    On Ctrl-C the work under way ends, without results, and what is finished stays.
    """
    wanted = order(works)
    if again:
        for work in wanted:
            store.drop(work)
    missing = [work for work in wanted if store.get(work) is None]
    progress = Progress(missing, jobs, say)
    failed = _in_processes([work for work in missing if not work.timed], store, jobs, progress)
    return failed + _in_processes([work for work in missing if work.timed], store, 1, progress)


def _in_processes(works: list[Work], store: Store, jobs: int, progress: Progress) -> list[Work]:
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(works))
    working: dict[SpawnProcess, tuple[Work, float]] = {}
    failed = []
    try:
        while waiting or working:
            while waiting and len(working) < jobs:
                work = waiting.pop()
                process = context.Process(target=perform_in, args=(work, store.folder), daemon=True)
                process.start()
                working[process] = (work, time.monotonic())
            wait([process.sentinel for process in working])
            for process in [process for process in working if not process.is_alive()]:
                work, start = working.pop(process)
                process.join()
                result = store.get(work)
                if process.exitcode == 0 and result is not None:
                    progress.done(work, time.monotonic() - start, result)
                else:
                    failed.append(work)
                    progress.failed(work, process.exitcode)
    finally:
        for process in working:
            process.terminate()
        for process in working:
            process.join()
    return failed


def perform_in(work: Work, folder: Path) -> None:
    """What a process does. Ctrl-C is for the one that started it: training would make a parser of what it has."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Store(folder).obtain(work)
