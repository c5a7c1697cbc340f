"""What there is to verify: every system with every option, by every method, on every kind of gold tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from dynarc.check import CheckReport, Golds, check_oracle
from dynarc.errors import ConfigError
from dynarc.oracles import Method
from dynarc.systems import HEADLESS, ROOT_PLACES, System, system, systems

# Sampled states compared per length: enough for thousands of states each, few enough for minutes in all.
SAMPLES = 300
# Every state of every labelled or partial tree is many more than of bare trees, so these stop earlier.
MAX_WORDS_LABELS = 3
MAX_WORDS_PARTIAL = 4


def every_system(names: tuple[str, ...] | None = None) -> Iterator[System]:
    """Every system with every combination of options it accepts."""
    for name in names or systems():
        system(name)  # raises if there is none of that name: below, refusals only mean that options do not go together
        for root in ROOT_PLACES:
            for headless in HEADLESS:
                for single_root in (False, True):
                    try:
                        yield system(name, root=root, headless=headless, single_root=single_root)  # type: ignore[arg-type]
                    except ConfigError:
                        continue


@dataclass(frozen=True, slots=True)
class Job:
    """One family of comparisons."""

    system: System
    what: str
    max_words: int
    min_words: int = 1
    approximate: bool = False  # the oracle does not claim to be exact: its error rate is what is wanted
    method: Method = "auto"
    nonprojective: Literal["exact", "formula"] = "exact"
    golds: Golds = "all"
    partial: bool = False
    labels: int = 0
    label_cost: float = 1
    weights: int = 0
    samples: int = 0
    seed: int = 1

    def run(self, threads: int | None = None) -> CheckReport:
        return check_oracle(
            self.system,
            self.max_words,
            min_words=self.min_words,
            golds=self.golds,
            method=self.method,
            nonprojective=self.nonprojective,
            partial=self.partial,
            labels=self.labels,
            label_cost=self.label_cost,
            weights=self.weights,
            samples=self.samples,
            seed=self.seed,
            threads=threads,
        )

    def holds(self, report: CheckReport) -> bool:
        """An oracle that claims to be exact has no mismatch; one that does not must not claim it."""
        return not report.exact if self.approximate else report.exact and report.ok


def jobs(ts: System, max_words: int, samples: tuple[int, int] | None = None) -> Iterator[Job]:
    """Everything to compare for one system; `samples` adds random trees of those lengths, from and to."""
    approximate = ts.name == "arc-hybrid-swap" or (ts.name == "covington" and ts.single_root)
    reducing = ts.name in ("arc-standard", "attardi")
    exact: Method = "search" if approximate else "auto"
    if approximate:
        yield Job(ts, "derivable gold", max_words, approximate=True, golds="derivable")
    yield Job(ts, "all gold, by search" if approximate else "all gold", max_words, method=exact)
    if reducing and not (ts.name == "attardi" and ts.single_root):
        yield Job(ts, "derivable gold, by table", max_words, method="table", golds="derivable")
    elif not approximate and not reducing:
        yield Job(ts, "all gold, by search", max_words, method="search")
    short = min(max_words, MAX_WORDS_PARTIAL)
    yield Job(ts, "partial gold", short, method=exact, partial=True)
    yield Job(ts, "weighted gold", short, method=exact, weights=3)
    for label_cost in (0, 0.5, 1):
        yield Job(
            ts,
            f"2 labels, label_cost {label_cost:g}",
            min(max_words, MAX_WORDS_LABELS),
            method=exact,
            labels=2,
            label_cost=label_cost,
        )
    if samples is not None:
        low, high = samples
        # Brute force on Covington's configurations and on swapped buffers grows too fast for the longest sentences.
        high = min(high, {"covington": 7, "arc-hybrid-swap": 7}.get(ts.name, high))
        if low <= high:
            yield Job(ts, "random gold", high, low, method=exact, samples=SAMPLES)
            yield Job(ts, "random weighted gold", high, low, method=exact, samples=SAMPLES // 3, weights=3, seed=2)
            yield Job(ts, "random partial gold", high, low, method=exact, samples=SAMPLES // 3, partial=True, seed=3)
