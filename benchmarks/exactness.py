"""How exact every oracle is: the comparison of `make verify`, summed by system, and the error rates of approximate ones.

.venv/bin/python -m benchmarks.exactness --write    writes docs/results/exactness.md
"""

import argparse
import time
from collections.abc import Iterator

from benchmarks.oracles import ROOT, machine

import dynarc
from dynarc.check import CheckReport, check_decomposition, check_oracle
from dynarc.verify import every_system, jobs

MAX_WORDS = 5
SAMPLES = (6, 9)


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} %"


def exact_rows() -> Iterator[list[str]]:
    total = [0, 0, 0]
    for ts in every_system():
        reports = [job.run() for job in jobs(ts, MAX_WORDS, SAMPLES) if not job.approximate]
        assert all(report.exact for report in reports)
        sums = [sum(getattr(r, name) for r in reports) for name in ("states", "costs", "mismatches")]
        total = [a + b for a, b in zip(total, sums, strict=True)]
        by = "formula where exact, else search"
        if ts.name in ("arc-standard", "attardi"):
            by = "search" if ts.name == "attardi" and ts.single_root else "search; table"
        elif any(job.approximate for job in jobs(ts, 1)):
            by = "search"
        yield [ts.describe(), by, *(f"{x:,}" for x in sums)]
    yield ["**all**", "", *(f"**{x:,}**" for x in total)]


def rates(report: CheckReport) -> list[str]:
    row = report.rows[-1]
    return [
        f"{row.golds:,}",
        f"{row.states:,}",
        percent(row.wrong_costs, row.costs),
        percent(row.wrong_sets, row.states),
        percent(row.no_free_move, row.states),
    ]


def approximate_rows() -> Iterator[list[str]]:
    for ts in every_system():
        for job in jobs(ts, MAX_WORDS):
            if job.approximate:
                for words in (4, 5):
                    report = check_oracle(ts, words, min_words=words, golds=job.golds)
                    yield [ts.describe(), str(words), *rates(report)]


def formula_rows() -> Iterator[list[str]]:
    """Rates over non-projective gold only: all gold less projective gold, for which the formulas are exact."""
    for name, root in (
        ("arc-eager", "last"),
        ("arc-eager", "first"),
        ("arc-hybrid", "first"),
        ("arc-hybrid", "last"),
        ("easy-first", "first"),
    ):
        ts = dynarc.system(name, root=root)  # type: ignore[arg-type]
        everything, fine = (
            check_oracle(ts, MAX_WORDS, min_words=MAX_WORDS, golds=golds, nonprojective="formula").rows[0]
            for golds in ("all", "projective")
        )
        states, costs = everything.states - fine.states, everything.costs - fine.costs
        yield [
            ts.describe(),
            f"{everything.golds - fine.golds:,}",
            percent(everything.wrong_costs, costs),
            percent(everything.no_free_move, states),
            percent(everything.wrong_sets, states),
        ]


def decomposition_rows() -> Iterator[list[str]]:
    for ts in every_system():
        last = check_decomposition(ts, 4)[-1]
        verdict = "yes, up to 4 words" if last.decomposable else f"no, from {last.words} words on"
        example = "" if last.counterexample is None else f"`{last.counterexample.state}`"
        yield [ts.describe(), verdict, f"{last.states:,}", f"{last.broken:,}", example]


def table(head: list[str], rows: Iterator[list[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in rows:
        lines.append("| " + " | ".join(row) + " |")
        print(lines[-1], flush=True)
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/results/exactness.md")
    arguments = parser.parse_args()
    start = time.perf_counter()
    text = [
        "# How exact the oracles are",
        "",
        "Made by `python -m benchmarks.exactness --write`. "
        + ", ".join(f"{k}: {v}" for k, v in machine().items())
        + ".",
        "",
        "Brute force knows the legal transitions of a system and what they do, and nothing of costs.",
        "",
        "## Oracles that claim to be exact",
        "",
        (
            f"All gold trees and all reachable states of 1 to {MAX_WORDS} words, projective or not; partial and weighted "
            "gold to 4 words, two labels with `label_cost` 0, 0.5 and 1 to 3 words; random whole, weighted and partial gold "
            f"of {SAMPLES[0]} to {SAMPLES[1]} words (covington and arc-hybrid-swap: to 7). Each state's loss and the cost of "
            "each legal transition were compared."
        ),
        "",
        *table(["system", "costs by", "states", "costs", "mismatches"], exact_rows()),
        "",
        "## Oracles that do not",
        "",
        (
            "Gold trees that the system derives, all reachable states. Wrong sets: the set of least cost holds a transition "
            "that is not optimal. No cost 0: no transition has cost 0 by the oracle, though one always has in truth. "
            "Shares of sets are of all states, final ones included. The "
            "costs of arc-hybrid-swap depend on the way to a state; one way to each was taken."
        ),
        "",
        *table(
            ["system", "words", "gold trees", "states", "wrong costs", "wrong sets", "no cost 0"], approximate_rows()
        ),
        "",
        "## Formulas on non-projective gold",
        "",
        (
            f'What `nonprojective="formula"` gives up, {MAX_WORDS} words, non-projective gold trees only. The default is the '
            "exact search."
        ),
        "",
        *table(["system", "gold trees", "wrong costs", "no cost 0", "wrong sets"], formula_rows()),
        "",
        "## Arc decomposition",
        "",
        (
            "Are gold arcs that can be reached one by one always reachable together? Gold trees that the system derives; the "
            "last length tried, with the smallest state where they are not."
        ),
        "",
        *table(["system", "decomposable", "states", "broken", "smallest example"], decomposition_rows()),
        "",
        f"Taken together this took {time.perf_counter() - start:.0f} s.",
    ]
    if arguments.write:
        (ROOT / "docs" / "results" / "exactness.md").write_text("\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
