"""The speed limit: words per second on three treebanks, what it takes, and how cost grows.

.venv/bin/python -m benchmarks.speed --write    writes docs/results/speed.md and speed.json

Models are trained once and kept in build/speed. Machines are noisy: compare figures of one run.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT, TREEBANKS, machine

import dynarc
from dynarc.bench import Bench, bench
from dynarc.parser import Parser

FOLDER = ROOT / "build" / "speed"
PAGE = ROOT / "docs" / "results" / "speed"
CASES = (("en_ewt", "zhang-nivre"), ("en_ewt", "default"), ("eu_bdt", "default"), ("tr_imst", "default"))
COPIES = (1, 4, 16)
LABELS = (1, 5, 10, 20, 50)
# Goals: words per second with one thread, sentences in memory, on a processor with AVX-512.
GOALS = {"zhang-nivre": 2_500_000, "default": 800_000}


def model(treebank: str, features: str, labels: int | None = None) -> Path:
    """A trained model. With `labels`, only so many of them are told apart."""
    path = FOLDER / f"{treebank}-{features}{'' if labels is None else f'-{labels}'}.dynarc"
    if not path.exists():
        print(f"training {path.stem}", file=sys.stderr)
        data = dynarc.read_conllu(TREEBANKS / treebank / "train.conllu")
        epochs = 15
        if labels is not None:
            data, epochs = merged(data, labels), 3
        config = dynarc.TrainConfig(features=features, epochs=epochs, nonprojective="drop")
        FOLDER.mkdir(parents=True, exist_ok=True)
        dynarc.train(data, config=config, calibrate=False).save(path)
    return path


def merged(treebank: dynarc.Treebank, labels: int) -> dynarc.Treebank:
    """The most frequent labels; all others are one."""
    counts: dict[str, int] = {}
    for sentence in treebank:
        for label in sentence.deprels:
            counts[label or "_"] = counts.get(label or "_", 0) + 1
    kept = set(sorted(counts, key=lambda label: -counts[label])[: labels - 1])
    copy = treebank.copy()
    for sentence in copy:
        sentence.deprels = [label if label in kept else "dep" for label in sentence.deprels]
    return copy


def text(treebank: str) -> Path:
    """Dev and test, which the parser has not learned from, as one file."""
    path = FOLDER / f"{treebank}.conllu"
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join((TREEBANKS / treebank / f"{part}.conllu").read_bytes() for part in ("dev", "test")))
    return path


def rate(parser: Parser, document: dynarc._core.Document, words: int, threads: int = 1, rounds: int = 3) -> float:
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        parser.model.parsed(document, threads, parser.labels.texts, "compact")
        seconds.append(time.perf_counter() - start)
    return words / statistics.median(seconds)


def by_corpus() -> Iterator[tuple[int, float]]:
    """Words of a corpus, and nanoseconds for each."""
    parser, treebank = Parser.load(model("en_ewt", "zhang-nivre")), dynarc.read_conllu(text("en_ewt"))
    for copies in COPIES:
        many = dynarc.Treebank([sentence for _ in range(copies) for sentence in treebank])
        yield many.words, 1e9 / rate(parser, many.document(), many.words)


def by_labels() -> Iterator[tuple[int, int, float]]:
    """Labels, classes, and nanoseconds for a word."""
    treebank = dynarc.read_conllu(text("en_ewt"))
    for labels in LABELS:
        parser = Parser.load(model("en_ewt", "zhang-nivre", labels))
        yield labels, parser.model.classes, 1e9 / rate(parser, treebank.document(), treebank.words)


def table(header: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(cells) + " |" for cells in (header, ["---"] * len(header), *rows)] + [""]


def page(found: dict[str, Any], benches: dict[tuple[str, str], Bench]) -> str:
    made = ", ".join(f"{name}: {value}" for name, value in found["made"].items())
    lines = [
        "# How fast", "",
        f"Made by `python -m benchmarks.speed --write`. {made}; load when it began: {found['load']:.1f}.", "",
        ("Arc-eager, dynamic oracle, 15 epochs, 64 classes, all columns of the treebank. Dev and test, which were not "
        "learned from; words per second of wall-clock time, the middle one of the rounds (and the best). Parsing: sentences "
        "in memory. Folded: of text parsed before. Goals are for one thread on a processor with AVX-512; this one has what "
        "the line above says."), "",
    ]  # fmt: skip
    rows = []
    for (treebank, features), one in benches.items():
        for r in one.rates:
            what = r.what if r.what == "file to file" else f"parsing, {r.what}"
            goal = f"{GOALS[features]:,}" if r.threads == 1 and r.what == "folded" else ""
            rows.append([treebank, features, what, str(r.threads), f"{r.median:,.0f}", f"{r.best:,.0f}", goal])
    lines += table(["dev and test", "features", "what", "threads", "words/s", "best", "goal"], rows)
    lines += ["## Two threads", ""]
    rows = []
    for (treebank, features), one in benches.items():
        rates = {(r.what, r.threads): r.best for r in one.rates}
        ratios = [f"{rates[what, 2] / rates[what, 1]:.2f}" if (what, 2) in rates else "-"
                  for what in ("compact", "folded", "file to file")]  # fmt: skip
        rows.append([treebank, features, *ratios])
    lines += table(["dev and test", "features", "compact", "folded", "file to file"], rows)
    lines += ["## What it takes", ""]
    rows = [
        [treebank, features, f"{one.bytes / 1e6:.1f}", *(f"{m.peak / 1e6:,.0f}" for m in one.memory),
         f"{one.load_seconds:.3f}", f"{one.import_seconds:.3f}", f"{one.cold_start_seconds:.3f}"]
        for (treebank, features), one in benches.items()
    ]  # fmt: skip
    header = ["dev and test", "features", "model, MB", "memory, compact, MB", "folded, MB", "load, s", "import, s"]
    lines += table([*header, "one sentence by the program, s"], rows)
    lines += ["## How cost grows", "", "Nanoseconds for a word, compact, one thread, English, `zhang-nivre`.", ""]
    growth = benches[CASES[0]].growth
    lines += table(["words in a sentence", "ns"], [[f"{g.length:,}", f"{g.nanoseconds:,.0f}"] for g in growth])
    lines += table(["words in the corpus", "ns"], [[f"{words:,}", f"{ns:,.0f}"] for words, ns in found["corpus"]])
    lines += ["Labels: the most frequent ones are kept, all others are one; 3 epochs.", ""]
    labels = [[str(count), str(classes), f"{ns:,.0f}"] for count, classes, ns in found["labels"]]
    return "\n".join([*lines, *table(["labels", "classes", "ns"], labels)])


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--write", action="store_true", help="write docs/results/speed.md and speed.json")
    options.add_argument("--train", action="store_true", help="only train what is missing")
    chosen = options.parse_args()
    paths = {case: model(*case) for case in CASES}
    for labels in LABELS:
        model("en_ewt", "zhang-nivre", labels)
    if chosen.train:
        return
    load = float(Path("/proc/loadavg").read_text().split()[0]) if Path("/proc/loadavg").exists() else 0.0
    benches = {
        case: bench(path, text(case[0]), threads=(1, 2), rounds=chosen.rounds, growth=case == CASES[0],
                    progress=lambda what: print(what, file=sys.stderr))
        for case, path in paths.items()
    }  # fmt: skip
    found = {"made": machine(), "load": load, "corpus": list(by_corpus()), "labels": list(by_labels())}
    out = page(found, benches)
    print(out)
    if chosen.write:
        PAGE.with_suffix(".md").write_text(out, encoding="utf-8")
        cases = [
            {"case": case, **one.to_dict(), **{name: Path(getattr(one, name)).name for name in ("model", "data")}}
            for case, one in benches.items()
        ]
        every = {**found, "cases": cases}
        PAGE.with_suffix(".json").write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
