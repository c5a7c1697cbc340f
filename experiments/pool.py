"""Performs runs in processes of their own, some at a time; those that have results already are passed over."""

import functools
import multiprocessing
import signal
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from pathlib import Path

from experiments import data
from experiments.runs import Cache, Perform, Run, perform

from dynarc.features import resolve

Say = Callable[[str], None]

# Seconds for a word, an epoch and a template, to start a process, and how much more than arc-eager the systems take, the
# dynamic oracles of some once more. Guesses: they order the runs, and are corrected by what runs really took.
_UNIT = 1e-7
_START = 1.0
_SYSTEMS = {"easy-first": 3.0, "covington": 2.5, "attardi": 1.5, "arc-standard": 1.5, "arc-hybrid-swap": 1.5}
_DYNAMIC = {"covington": 4.0, "attardi": 1.8, "arc-standard": 1.8}


@functools.cache
def estimate(run: Run) -> float:
    """About how many seconds a run takes."""
    config = run.config
    columns = data.ALL_COLUMNS & {"xpos", "feats", "lemma"} & run.columns
    templates = len(resolve(config.features, config.system, columns))
    words = data.size(run.treebank, "train")[1]
    times = int(getattr(config, "average_seeds", 1)) * (1 if getattr(config, "passes", 1) == 1 else 4)
    more = _SYSTEMS.get(config.system, 1.0) * (_DYNAMIC.get(config.system, 1.0) if config.oracle == "dynamic" else 1.0)
    return _START + _UNIT * words * config.epochs * templates * more * times


def order(runs: Iterable[Run]) -> list[Run]:
    """Each run once, the longest first, timed ones last: they have the machine for themselves."""
    return sorted(dict.fromkeys(runs), key=lambda run: (run.timed, -estimate(run), run.key))


class Progress:
    """One line for each run that ended, with the time that is left."""

    def __init__(self, runs: Sequence[Run], jobs: int, say: Say) -> None:
        self.say = say
        self._jobs = jobs
        self._all = len(runs)
        self._rest = dict.fromkeys(runs)
        self._expected = self._taken = 0.0  # seconds of the finished ones: as they were estimated, and as they were

    def done(self, run: Run, seconds: float, scores: Mapping[str, float]) -> None:
        del self._rest[run]
        self._expected += estimate(run)
        self._taken += seconds
        self._line(f"{run}  UAS {scores['uas']:.2f} LAS {scores['las']:.2f}  {seconds:.0f} s")

    def failed(self, run: Run, status: int | None) -> None:
        del self._rest[run]
        self._line(f"{run}  FAILED, exit status {status}")

    def left(self) -> float:
        """Seconds until all are finished, if estimates stay as wrong as they were."""
        factor = self._taken / self._expected if self._expected else 1.0
        return factor * seconds_of(self._rest, self._jobs)

    def _line(self, text: str) -> None:
        self.say(f"{self._all - len(self._rest)}/{self._all}  {text}  {clock(self.left())} left")


def seconds_of(runs: Iterable[Run], jobs: int) -> float:
    """About how long some runs take, this many at a time."""
    return sum(estimate(run) / (1 if run.timed else jobs) for run in runs)


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
    runs: Iterable[Run],
    cache: Cache,
    *,
    jobs: int = 1,
    again: bool = False,
    say: Say = functools.partial(print, flush=True),  # noqa: B008 - has no state
    perform: Perform = perform,
) -> list[Run]:
    """Performs what has no result yet, or everything `again`. Gives the runs that failed; each has said why.

    On Ctrl-C the runs under way end, without results, and those that are finished stay.
    """
    wanted = order(runs)
    if again:
        for run in wanted:
            cache.drop(run)
    missing = [run for run in wanted if cache.get(run) is None]
    progress = Progress(missing, jobs, say)
    failed = _in_processes([run for run in missing if not run.timed], cache, jobs, progress, perform)
    return failed + _in_processes([run for run in missing if run.timed], cache, 1, progress, perform)


def _in_processes(runs: list[Run], cache: Cache, jobs: int, progress: Progress, perform: Perform) -> list[Run]:
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(runs))
    working: dict[SpawnProcess, tuple[Run, float]] = {}
    failed = []
    try:
        while waiting or working:
            while waiting and len(working) < jobs:
                run = waiting.pop()
                process = context.Process(target=work, args=(run, cache.folder, perform), daemon=True)
                process.start()
                working[process] = (run, time.monotonic())
            wait([process.sentinel for process in working])
            for process in [process for process in working if not process.is_alive()]:
                run, start = working.pop(process)
                process.join()
                result = cache.get(run)
                if process.exitcode == 0 and result is not None:
                    progress.done(run, time.monotonic() - start, result["scores"])
                else:
                    failed.append(run)
                    progress.failed(run, process.exitcode)
    finally:
        for process in working:
            process.terminate()
        for process in working:
            process.join()
    return failed


def work(run: Run, folder: Path, perform: Perform) -> None:
    """What a process does. Ctrl-C is for the one that started it: training would make a parser of what it has."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Cache(folder).obtain(run, perform)
