"""`raw-text`: from raw text to trees: pipelines trained on treebanks and scored on their test sets."""

import importlib.metadata
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments import data, udpipe
from experiments.runs import made_now
from experiments.tables import Cells, Choice, Results, Table, figure, grid, signed
from experiments.work import Result, Work

import dynarc
from dynarc import Parser, PipelineConfig, TrainConfig, Treebank
from dynarc.data import bundled
from dynarc.text import raw_text

ENGINE = 1  # to be raised when the taggers or the tokenizer change
TAGS = ("UPOS", "XPOS", "UFeats", "Lemmas")
TREES = ("UAS", "LAS")
RAW = ("Tokens", "Sentences", "Words", "UPOS", "Lemmas", "UAS", "LAS")
ROUNDS = 5  # of which the fastest counts
STAGES = {
    "tokenizer": "tokens, sentences and words, as a document",
    "UPOS": "UPOS alone",
    "tags": "UPOS, XPOS, FEATS and lemmas",
    "parser": "trees",
    "writing": "CoNLL-U",
    "but the parser": "text to CoNLL-U without trees",
    "all": "text to CoNLL-U",
}
_COLUMNS = dict(zip(TAGS, ("upos", "xpos", "feats", "lemma"), strict=True))


@dataclass(frozen=True, slots=True)
class Pipeline(Work):
    """Trains a pipeline and scores it on test, with gold tokens and on raw text."""

    treebank: str
    jackknife: int
    epochs: int = 12

    def known_by(self) -> dict[str, Any]:
        return {"raw text": ENGINE, "treebank": self.treebank, "jackknife": self.jackknife, "epochs": self.epochs}

    def quick(self) -> "Pipeline":
        return replace(self, treebank="english", jackknife=min(2, self.jackknife), epochs=1)

    def estimate(self) -> float:
        return 5.0 + 2e-3 * data.size(self.treebank, "train")[1]

    def summary(self, result: Result) -> str:
        return f"LAS {result['tagged']['LAS']:.2f} of gold tokens, {result['raw']['LAS']:.2f} of text"

    def __str__(self) -> str:
        return f"{self.treebank} pipeline jackknife={self.jackknife} epochs={self.epochs}"

    def perform(self) -> Result:
        train, dev, test = (data.read(self.treebank, part) for part in data.PARTS)
        config = PipelineConfig(TrainConfig(epochs=self.epochs, nonprojective="drop"), jackknife=self.jackknife)
        started = time.process_time()
        parser = dynarc.train_pipeline(train, dev=dev, config=config, threads=1, calibrate=False)
        seconds = time.process_time() - started
        tagger = parser.text.tagger
        assert tagger is not None
        tagged = official(test, parser.parse(tagger.tag(test, again=True), threads=1))
        raw = official(test, parser.parse(text_of(self.treebank, test), threads=1))
        gold = official(test, parser.parse(test, threads=1))
        return {
            "raw text": self.known_by(),
            "made": made_now(),
            "columns": list(tagger.columns),
            "tagged": {name: tagged[name] for name in (*TAGS, *TREES)},
            "gold": {name: gold[name] for name in TREES},
            "raw": {name: raw[name] for name in RAW},
            "seconds": seconds,
        }


@dataclass(frozen=True, slots=True)
class Bundled(Work):
    """The English model as it comes with the package, smaller than one that is just trained."""

    treebank: str = "en_ewt"

    def known_by(self) -> dict[str, Any]:
        path = bundled("en")
        assert path is not None
        return {"bundled": ENGINE, "treebank": self.treebank, "bytes": path.stat().st_size}

    def quick(self) -> "Bundled":
        return replace(self, treebank="english")

    def estimate(self) -> float:
        return 5.0

    def summary(self, result: Result) -> str:
        return f"LAS {result['tagged']['LAS']:.2f} of gold tokens, {result['raw']['LAS']:.2f} of text"

    def __str__(self) -> str:
        return f"{self.treebank} bundled model"

    def perform(self) -> Result:
        started = time.process_time()
        parser, test = dynarc.load("en"), data.read(self.treebank, "test")
        tagger = parser.text.tagger
        assert tagger is not None
        tagged = official(test, parser.parse(tagger.tag(test, again=True), threads=1))
        raw = official(test, parser.parse(raw_text(test), threads=1))
        return {
            "bundled": self.known_by(),
            "made": made_now(),
            "tagged": {name: tagged[name] for name in (*TAGS, *TREES)},
            "raw": {name: raw[name] for name in (*TAGS, *TREES, "Words", "Sentences")},
            "seconds": time.process_time() - started,
        }


def official(gold: Treebank, found: Treebank) -> dict[str, float]:
    return {name: count.f1 for name, count in dynarc.evaluate(gold, found, protocol="ud").official.items()}


def text_of(treebank: str, source: Treebank) -> str:
    """The text; of a treebank of Chinese that does not know where spaces are, without any."""
    if treebank != "zh_gsd":
        return raw_text(source)
    return "".join("".join(sentence.forms) for sentence in source) + "\n"


@dataclass(frozen=True, slots=True)
class Command(Work):
    """`dynarc train TRAIN --dev DEV --pipeline -o MODEL`, no other option, then `dynarc parse MODEL` of the test set's text."""

    treebank: str

    def known_by(self) -> dict[str, Any]:
        return {"train --pipeline": ENGINE, "treebank": self.treebank}

    def quick(self) -> "Command":
        return replace(self, treebank="english")

    def estimate(self) -> float:
        return 10.0 + 4e-3 * data.size(self.treebank, "train")[1]

    def summary(self, result: Result) -> str:
        return f"LAS {result['raw']['LAS']:.2f} of text"

    def __str__(self) -> str:
        return f"{self.treebank} train --pipeline"

    def perform(self) -> Result:
        train, dev, _ = (str(data.path(self.treebank, part)) for part in data.PARTS)
        test = data.read(self.treebank, "test")
        started = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        with tempfile.TemporaryDirectory() as folder:
            model, text, trees = (str(Path(folder) / name) for name in ("model.dynarc", "test.txt", "test.conllu"))
            Path(text).write_text(text_of(self.treebank, test), encoding="utf-8")
            dynarc_command("train", train, "--dev", dev, "--pipeline", "-o", model)
            dynarc_command("parse", model, text, "-o", trees)
            raw = official(test, dynarc.read_conllu(trees))
            tagger = dynarc.load(model).text.tagger
        assert tagger is not None
        return {
            "train --pipeline": self.known_by(),
            "made": made_now(),
            "columns": list(tagger.columns),
            "raw": {name: raw[name] for name in RAW},
            "seconds": resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - started,
        }


def dynarc_command(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "dynarc.cli", *arguments], check=True, capture_output=True)


@dataclass(frozen=True, slots=True)
class Speed(Work):
    """How fast the English model of the package is, and each of its stages."""

    treebank: str = "en_ewt"

    def known_by(self) -> dict[str, Any]:
        path = bundled("en")
        assert path is not None
        return {"speed from text": 1, "treebank": self.treebank, "bytes": path.stat().st_size}

    def quick(self) -> "Speed":
        return replace(self, treebank="english")

    def estimate(self) -> float:
        return 60.0

    def summary(self, result: Result) -> str:
        return f"{result['rates']['all']:,.0f} words/s from text"

    def __str__(self) -> str:
        return f"{self.treebank} speed from text"

    def perform(self) -> Result:
        started = time.process_time()
        text = "".join(raw_text(data.read(self.treebank, part)) + "\n" for part in ("dev", "test")) * 5
        found = rates(dynarc.load("en"), text)
        return {
            "speed": self.known_by(),
            "made": made_now(),
            "rates": found,
            "seconds": time.process_time() - started,
        }


def rates(parser: Parser, text: str) -> dict[str, float]:
    """Words a second of CPU time on one core, by stage."""
    tokenizer, tagger = parser.text.need_tokenizer(), parser.text.tagger
    assert tagger is not None
    whole = tokenizer.tokenize(text)
    upos = type(tagger)({"upos": tagger.columns["upos"]}, tagger.config)
    tagged = tagger.tag(whole, threads=1)
    parsed = parser.parse(tagged, threads=1)

    def written(work: Callable[[Treebank], Treebank]) -> int:
        parts = tokenizer.iter_treebanks(text.encode(), threads=1)
        return sum(len(work(part).to_bytes()) for part in parts)

    works: dict[str, Callable[[], object]] = {
        "tokenizer": lambda: tokenizer.tokenize(text),
        "UPOS": lambda: upos.tag(whole, threads=1),
        "tags": lambda: tagger.tag(whole, threads=1),
        "parser": lambda: parser.parse(tagged, threads=1),
        "writing": parsed.to_bytes,
        "but the parser": lambda: written(lambda part: tagger.tag(part, threads=1)),
        "all": lambda: written(lambda part: parser.parse(part, threads=1)),
    }
    return {name: fastest(whole.words, work) for name, work in works.items()}


def fastest(words: int, work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return words / min(times)


@dataclass(frozen=True, slots=True)
class Udpipe(Work):
    """UDPipe 1, trained and scored on the same data. Its model, which takes an hour to train, is kept in build/peers."""

    treebank: str

    def known_by(self) -> dict[str, Any]:
        return {"udpipe": 1, "treebank": self.treebank, "settings": udpipe.SETTINGS}

    def quick(self) -> "Udpipe":
        return self

    def estimate(self) -> float:
        return 3600.0

    def summary(self, result: Result) -> str:
        return f"LAS {result['tagged']['LAS']:.2f} of gold tokens, {result['raw']['LAS']:.2f} of text"

    def __str__(self) -> str:
        return f"{self.treebank} udpipe"

    def perform(self) -> Result:
        started = time.process_time()
        test = data.read(self.treebank, "test")
        found, rate = udpipe.outputs(self.treebank, test)
        scores = {kind: official(test, found[kind]) for kind in ("tagged", "raw")}
        return {
            "udpipe": self.known_by(),
            "made": made_now(),
            "version": importlib.metadata.version("ufal.udpipe"),
            **scores,
            "rates": {"all": rate},
            "seconds": time.process_time() - started,
        }


ENGLISH = ("en_ewt", "english")


def plan(choice: Choice) -> Cells:
    cells: Cells = {(treebank, 4): Pipeline(treebank, 4) for treebank in choice.treebanks}
    for treebank in [treebank for treebank in choice.treebanks if treebank in ENGLISH]:
        cells[treebank, 0] = Pipeline(treebank, 0)
        cells[treebank, "bundled"] = Bundled(treebank)
        cells[treebank, "speed"] = Speed(treebank)
    for treebank in choice.treebanks:
        if treebank != "en_ewt":
            cells[treebank, "command"] = Command(treebank)
    if "en_ewt" in choice.treebanks:
        cells["en_ewt", "udpipe"] = Udpipe("en_ewt")
    return cells


def _known(result: Result, part: str, name: str) -> str:
    """A dash: the treebank has no such column, or hardly."""
    return figure(result[part][name]) if _COLUMNS.get(name, "upos") in result["columns"] else "-"


def render(choice: Choice, results: Results) -> list[str]:
    found = {treebank: one for treebank in choice.treebanks if (one := results[treebank, 4]) is not None}
    tagged = [
        [treebank, *(_known(one, "tagged", name) for name in (*TAGS, *TREES)), figure(one["gold"]["LAS"])]
        for treebank, one in found.items()
    ]
    raw = [[treebank, *(_known(one, "raw", name) for name in RAW)] for treebank, one in found.items()]
    by_command = {treebank: one for treebank in choice.treebanks if (one := results[treebank, "command"]) is not None}
    commands = [
        [treebank, *(_known(one, "raw", name) for name in RAW), figure(one["seconds"], 0)]
        for treebank, one in by_command.items()
    ]
    return [
        "## Gold tokens, predicted tags", "", *grid(["test", *TAGS, *TREES, "LAS, gold tags"], tagged), "",
        "A dash: the treebank has no such column, or hardly.", "",
        "## Raw text", "", *grid(["test", *RAW], raw), "",
        ("The text is made of the treebank's `SpaceAfter`, with a blank line between paragraphs where it knows of them. "
        "zh_gsd says nothing of spaces: its text has none."), "",
        "## Raw text, by the bare command", "",
        ("`dynarc train TRAIN --dev DEV --pipeline -o MODEL` without any other option (15 epochs, a calibrated parser), then "
        "`dynarc parse MODEL text.txt`; CPU time of both."), "",
        *grid(["test", *RAW, "CPU s"], commands), "",
        *_bundled(choice, results), *_beside_udpipe(choice, results), *_jackknifing(choice, results), *_speed(choice, results),
    ]  # fmt: skip


def _speed(choice: Choice, results: Results) -> list[str]:
    found = {treebank: one for treebank in choice.treebanks if (one := results[treebank, "speed"]) is not None}
    rows = [
        [treebank, stage, what, f"{one['rates'][stage] / 1e3:,.0f}", f"{1e9 / one['rates'][stage]:,.0f}"]
        for treebank, one in found.items() for stage, what in STAGES.items()
    ]  # fmt: skip
    return [
        "## Speed", "",
        (f"The English model of the package on the text of dev and test, five times over: CPU time on one core, the fastest of {ROUNDS}; the "
        "machine was in use by others."), "",
        *grid(["text", "stage", "", "thousand words a second", "ns a word"], rows), "",
    ]  # fmt: skip


def _bundled(choice: Choice, results: Results) -> list[str]:
    path = bundled("en")
    assert path is not None
    rows = []
    for treebank in [treebank for treebank in choice.treebanks if treebank in ENGLISH]:
        if (found := results[treebank, "bundled"]) is not None:
            rows.append([f"{treebank}, gold tokens", *(figure(found["tagged"][n]) for n in (*TAGS, *TREES)), "", ""])
            rows.append(
                [f"{treebank}, raw text", *(figure(found["raw"][n]) for n in (*TAGS, *TREES, "Words", "Sentences"))]
            )
    if not rows:
        return []
    return [
        "## The model that comes with the package", "",
        (f'`dynarc.load("en")`, {path.stat().st_size / 1e6:.1f} MB, made by `python -m experiments.english_model`: as above, small weights left '
        "out. Test."), "",
        *grid(["", *TAGS, *TREES, "Words", "Sentences"], rows), "",
    ]  # fmt: skip


def _beside_udpipe(choice: Choice, results: Results) -> list[str]:
    ours, theirs = results["en_ewt", 4], results["en_ewt", "udpipe"]
    if "en_ewt" not in choice.treebanks or ours is None or theirs is None:
        return []
    rows = [
        [name, *(figure(found["tagged"][metric]) for metric in (*TAGS, *TREES)),
         *(figure(found["raw"][metric]) for metric in ("Words", "Sentences", "UPOS", "LAS"))]
        for name, found in (("dynarc", ours), ("UDPipe 1", theirs))
    ]  # fmt: skip
    return [
        "## Beside UDPipe 1", "", f"en_ewt, test. UDPipe {theirs['version']}: {udpipe.SETTINGS}; the same data.", "",
        *grid(["", *TAGS, *TREES, "raw: Words", "Sentences", "UPOS", "LAS"], rows), "",
        f"UDPipe makes CoNLL-U of text at {theirs['rates']['all']:,.0f} words a second of CPU time. {udpipe.NOTE}", "",
    ]  # fmt: skip


def _jackknifing(choice: Choice, results: Results) -> list[str]:
    rows = []
    for treebank in choice.treebanks:
        with_it, without = (results[treebank, parts] for parts in (4, 0))
        if with_it is not None and without is not None:
            las, before = with_it["tagged"]["LAS"], without["tagged"]["LAS"]
            rows.append([treebank, figure(las), figure(before), signed(las - before)])
    if not rows:
        return []
    return [
        "## What jackknifing brings", "",
        ("The parser learns from tags that taggers of other parts of the treebank have found, or from those of the treebank. Test, gold "
        "tokens, predicted tags."), "",
        *grid(["test", "LAS, jackknife 4", "LAS, gold tags in training", "difference"], rows), "",
    ]  # fmt: skip


RAW_TEXT = Table(
    "raw-text",
    "From raw text",
    "Tokenizer, tagger, lemmatizer and parser of one file, trained by `dynarc train TRAIN --dev DEV --pipeline` on the train part (12 "
    "epochs, non-projective sentences dropped, seed 1; dev chooses the epoch) and scored on test by the counts of the official "
    "scorer (protocol `ud`).",
    plan,
    render,
    ("en_ewt", "el_gdt", "fr_sequoia", "hu_szeged", "tr_imst", "zh_gsd"),
    (1,),
)
