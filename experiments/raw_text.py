"""From raw text to trees, measured: pipelines trained on treebanks and scored on their test sets.

    python -m experiments.raw_text                       trains what is missing, prints the page
    python -m experiments.raw_text --write               writes docs/results/raw-text.md and .json
    python -m experiments.raw_text --treebanks el_gdt    some treebanks only

Finished runs are kept in build/experiments/raw-text and not repeated.
"""

import argparse
import importlib.metadata
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT, machine
from experiments import data, udpipe
from experiments.runs import FOLDER

import dynarc
from dynarc import Parser, PipelineConfig, TrainConfig, Treebank
from dynarc.data import bundled
from dynarc.text import raw_text

KEPT = FOLDER / "raw-text"
PAGE = ROOT / "docs" / "results" / "raw-text"
ENGINE = 1  # to be raised when the taggers or the tokenizer change
TREEBANKS = ("en_ewt", "el_gdt", "fr_sequoia", "hu_szeged", "tr_imst", "zh_gsd")
TAGS = ("UPOS", "XPOS", "UFeats", "Lemmas")
TREES = ("UAS", "LAS")
RAW = ("Tokens", "Sentences", "Words", "UPOS", "Lemmas", "UAS", "LAS")
ROUNDS = 3  # of which the fastest counts


def perform(treebank: str, jackknife: int) -> dict[str, Any]:
    """Trains a pipeline and scores it on test, with gold tokens and on raw text."""
    train, dev, test = (data.read(treebank, part) for part in ("train", "dev", "test"))
    config = PipelineConfig(TrainConfig(epochs=12, nonprojective="drop"), jackknife=jackknife)
    started = time.process_time()
    parser = dynarc.train_pipeline(train, dev=dev, config=config, threads=1, calibrate=False)
    seconds = time.process_time() - started
    tagger = parser.text.tagger
    assert tagger is not None
    tagged = official(test, parser.parse(tagger.tag(test, again=True), threads=1))
    text = text_of(treebank, test)
    raw = official(test, parser.parse(text, threads=1))
    return {
        "treebank": treebank,
        "jackknife": jackknife,
        "engine": ENGINE,
        "made": machine(),
        "columns": list(tagger.columns),
        "tagged": {name: tagged[name] for name in (*TAGS, *TREES)},
        "gold": {name: official(test, parser.parse(test, threads=1))[name] for name in TREES},
        "raw": {name: raw[name] for name in RAW},
        "seconds": seconds,
        "rates": rates(parser, train, text_of(treebank, train)),
    }


def official(gold: Treebank, found: Treebank) -> dict[str, float]:
    return {name: count.f1 for name, count in dynarc.evaluate(gold, found, protocol="ud").official.items()}


def text_of(treebank: str, source: Treebank) -> str:
    """The text; of a treebank of Chinese that does not know where spaces are, without any."""
    if treebank != "zh_gsd":
        return raw_text(source)
    return "".join("".join(sentence.forms) for sentence in source) + "\n"


def rates(parser: Parser, train: Treebank, text: str) -> dict[str, float]:
    """Words a second of CPU time on one core: tags of words that are there, and all from text to CoNLL-U."""
    tagger = parser.text.tagger
    assert tagger is not None
    upos = type(tagger)({"upos": tagger.columns["upos"]}, tagger.config)
    document = train.document().copy()
    words = parser.parse(text, threads=1).words
    return {
        "upos": fastest(train.words, lambda: upos.fill(document, 1, again=True)),
        "columns": fastest(train.words, lambda: tagger.fill(document, 1, again=True)),
        "tokenizer": fastest(words, lambda: parser.text.need_tokenizer().tokenize(text)),
        "all": fastest(words, lambda: whole(parser, text)),
    }


def whole(parser: Parser, text: str) -> int:
    tokenizer = parser.text.need_tokenizer()
    return sum(
        len(parser.parse(part, threads=1).to_bytes()) for part in tokenizer.iter_treebanks(text.encode(), threads=1)
    )


def fastest(words: int, work: Any) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return words / min(times)


def run(treebank: str, jackknife: int) -> dict[str, Any]:
    file = KEPT / f"{treebank}-{jackknife}-{ENGINE}.json"
    if not file.is_file():
        found = perform(treebank, jackknife)
        KEPT.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=1), encoding="utf-8")
    kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return kept


def row(*cells: object) -> str:
    return "| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |"


def bundled_section() -> list[str]:
    """The English model as it comes with the package, smaller than the one above."""
    parser, test, path = dynarc.load("en"), data.read("en_ewt", "test"), bundled("en")
    tagger = parser.text.tagger
    assert tagger is not None
    assert path is not None
    tagged = official(test, parser.parse(tagger.tag(test, again=True), threads=1))
    raw = official(test, parser.parse(raw_text(test), threads=1))
    return [
        "## The model that comes with the package",
        "",
        (
            f'`dynarc.load("en")`, {path.stat().st_size / 1e6:.1f} MB, made by `python -m experiments.english_model`: as '
            "above, small weights left out. en_ewt, test."
        ),
        "",
        row("", *TAGS, *TREES, "Words", "Sentences"),
        row(*["---"] * (len(TAGS) + len(TREES) + 3)),
        row("gold tokens", *(tagged[name] for name in (*TAGS, *TREES)), "", ""),
        row("raw text", *(raw[name] for name in (*TAGS, *TREES, "Words", "Sentences"))),
        "",
    ]


def run_udpipe(treebank: str) -> dict[str, Any]:
    """UDPipe 1, trained and scored on the same data; kept like the other runs."""
    file = KEPT / f"{treebank}-udpipe.json"
    if not file.is_file():
        test = data.read(treebank, "test")
        found, rate = udpipe.outputs(treebank, test)
        tagged, raw = (official(test, found[kind]) for kind in ("tagged", "raw"))
        KEPT.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps({"tagged": tagged, "raw": raw, "rate": rate}, indent=1), encoding="utf-8")
    kept: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return kept


def beside_udpipe(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    return [
        "## Beside UDPipe 1",
        "",
        f"{ours['treebank']}, test. UDPipe {importlib.metadata.version('ufal.udpipe')}: {udpipe.SETTINGS}; the same data.",
        "",
        row("", *TAGS, *TREES, "raw: Words", "Sentences", "UPOS", "LAS", "words/s"),
        row(*["---"] * (len(TAGS) + len(TREES) + 6)),
        *(
            row(name, *(found["tagged"][metric] for metric in (*TAGS, *TREES)),
                *(found["raw"][metric] for metric in ("Words", "Sentences", "UPOS", "LAS")), f"{rate:,.0f}")
            for name, found, rate in (("dynarc", ours, ours["rates"]["all"]), ("UDPipe 1", theirs, theirs["rate"]))
        ),
        "",
    ]  # fmt: skip


def page(runs: list[dict[str, Any]], theirs: dict[str, Any] | None = None) -> str:
    commits = dict.fromkeys(found["made"]["commit"] for found in runs)
    made = {**runs[0]["made"], "commit": " and ".join(commits)}
    jackknifed = [found for found in runs if found["jackknife"]]
    lines = [
        "# From raw text",
        "",
        f"Made by `python -m experiments.raw_text --udpipe --write`. {', '.join(f'{k}: {v}' for k, v in made.items())}.",
        "",
        (
            "Tokenizer, tagger, lemmatizer and parser of one file, trained by `dynarc train TRAIN --dev DEV --pipeline` on "
            "the train part (12 epochs, non-projective sentences dropped, seed 1; dev chooses the epoch) and scored on "
            "test by the counts of the official scorer (protocol `ud`)."
        ),
        "",
        "## Gold tokens, predicted tags",
        "",
        row("test", *TAGS, *TREES, "LAS, gold tags"),
        row(*["---"] * (len(TAGS) + len(TREES) + 2)),
    ]
    names = dict(zip(TAGS, ("upos", "xpos", "feats", "lemma"), strict=True))
    for found in jackknifed:
        tags = [found["tagged"][name] if names[name] in found["columns"] else "-" for name in TAGS]
        lines.append(row(found["treebank"], *tags, *(found["tagged"][name] for name in TREES), found["gold"]["LAS"]))
    lines += ["", "A dash: the treebank has no such column, or hardly.", "", "## Raw text", ""]
    lines += [row("test", *RAW), row(*["---"] * (len(RAW) + 1))]
    for found in jackknifed:
        known = [found["raw"][name] if names.get(name, "upos") in found["columns"] else "-" for name in RAW]
        lines.append(row(found["treebank"], *known))
    lines += [
        "",
        (
            "The text is made of the treebank's `SpaceAfter`, with a blank line between paragraphs where it knows of them. "
            "zh_gsd says nothing of spaces: its text has none."
        ),
        "",
    ]
    if any(found["treebank"] == "en_ewt" for found in runs):
        lines += bundled_section()
    if theirs is not None:
        lines += beside_udpipe(jackknifed[0], theirs)
    plain = {found["treebank"]: found for found in runs if not found["jackknife"]}
    if plain:
        lines += [
            "## What jackknifing brings",
            "",
            (
                "The parser learns from tags that taggers of other parts of the treebank have found, or from those of the "
                "treebank. Test, gold tokens, predicted tags."
            ),
            "",
            row("test", "LAS, jackknife 4", "LAS, gold tags in training", "difference"),
            row(*["---"] * 4),
        ]
        for found in jackknifed:
            if (other := plain.get(found["treebank"])) is not None:
                las, before = found["tagged"]["LAS"], other["tagged"]["LAS"]
                lines.append(row(found["treebank"], las, before, f"{las - before:+.2f}"))
        lines.append("")
    lines += [
        "## Speed",
        "",
        (
            "Thousands of words a second of CPU time on one core, the text of the train part, the fastest of "
            f"{ROUNDS}; the machine was in use by others. UPOS alone; all columns; tokens and sentences; text to CoNLL-U, most "
            "of which is the parser with the templates of `default`."
        ),
        "",
        row("train", "UPOS", "all columns", "tokenizer", "text to CoNLL-U", "training, s"),
        row(*["---"] * 6),
    ]
    for found in jackknifed:
        speeds = [f"{found['rates'][name] / 1e3:,.0f}" for name in ("upos", "columns", "tokenizer", "all")]
        lines.append(row(found["treebank"], *speeds, f"{found['seconds']:.0f}"))
    return "\n".join([*lines, ""])


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m experiments.raw_text",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--treebanks", default=",".join(TREEBANKS), metavar="A,B")
    options.add_argument("--udpipe", action="store_true", help="also UDPipe 1, which may have to be trained first")
    options.add_argument("--write", action="store_true", help="write docs/results/raw-text.md and .json")
    chosen = options.parse_args()
    wanted = [(name, 4) for name in chosen.treebanks.split(",")]
    wanted += [("en_ewt", 0)] if ("en_ewt", 4) in wanted else []
    runs = [run(*one) for one in wanted]
    text = page(runs, run_udpipe("en_ewt") if chosen.udpipe and ("en_ewt", 4) in wanted else None)
    print(text)
    if chosen.write:
        Path(f"{PAGE}.md").write_text(text, encoding="utf-8")
        Path(f"{PAGE}.json").write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
