"""`english-model`: which templates the parser of the English model should have, chosen on dev."""

import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments import data
from experiments.english_model import CONFIG, MOST_BYTES, PARSER, STAGES
from experiments.runs import ENGINE, made_now
from experiments.tables import Cells, Choice, Results, Table, figure, grid
from experiments.work import Result, Work

import dynarc
from dynarc import Treebank

ROUNDS = 5  # of which the fastest counts
# Templates, and whether the parser sees XPOS, FEATS and lemmas.
ALTERNATIVES = {
    "zhang-nivre": ("zhang-nivre", False),
    "default, UPOS only": ("default", False),
    "default, all columns": ("default", True),
}


@dataclass(frozen=True, slots=True)
class Alternative(Work):
    """A parser trained on jackknifed tags, small weights left out, scored on dev with predicted tags."""

    treebank: str
    name: str

    def known_by(self) -> dict[str, Any]:
        return {"english model": ENGINE, "treebank": self.treebank, "parser": self.name, "prune": PARSER.prune}

    def quick(self) -> "Alternative":
        return replace(self, treebank="english")

    def estimate(self) -> float:
        return 5.0 + 5e-4 * data.size(self.treebank, "train")[1]

    def summary(self, result: Result) -> str:
        return f"LAS {result['small']['las']:.2f}, {result['bytes'] / 1e6:.1f} MB, {result['rates']['folded']:,.0f} words/s"

    def __str__(self) -> str:
        return f"{self.treebank} english model {self.name}"

    def perform(self) -> Result:
        features, columns = ALTERNATIVES[self.name]
        train = data.for_training(self.treebank, data.ALL_COLUMNS, "predicted", "")
        dev = data.for_scoring(self.treebank, "dev", data.ALL_COLUMNS, "predicted", "")
        if not columns:
            for part in (train, dev):
                for column in ("lemma", "xpos", "feats"):
                    part.document().fill(data.COLUMNS[column], "_")
        started = time.process_time()
        whole = dynarc.train(
            train, dev=dev, config=replace(CONFIG.parser, features=features), threads=1, calibrate=False
        )
        seconds = time.process_time() - started
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.dynarc"
            replace(whole, text=dynarc.load("en").text).save(path, PARSER, STAGES)
            size = path.stat().st_size
            small = dynarc.load(path)
        document = dev.document()
        rates = {}
        for layout in ("compact", "folded"):
            times = []
            for _ in range(1 + ROUNDS):
                start = time.process_time()
                small.model.parsed(document, 1, small.labels.texts, layout)
                times.append(time.process_time() - start)
            rates[layout] = dev.words / min(times[1:])
        return {
            "alternative": self.known_by(),
            "made": made_now(),
            "whole": scores(dev, whole.parse(dev, threads=1)),
            "small": scores(dev, small.parse(dev, threads=1)),
            "templates": len(whole.templates),
            "bytes": size,
            "rates": rates,
            "seconds": seconds,
        }


def scores(gold: Treebank, found: Treebank) -> dict[str, float]:
    result = dynarc.evaluate(gold, found)
    return {"uas": result.uas, "las": result.las}


def plan(choice: Choice) -> Cells:
    return {(treebank, name): Alternative(treebank, name) for treebank in choice.treebanks for name in ALTERNATIVES}


def render(choice: Choice, results: Results) -> list[str]:
    finished = {cell: one for cell in plan(choice) if (one := results[cell]) is not None}
    rows = [
        [str(treebank), str(name), str(found["templates"]), figure(found["whole"]["las"]), figure(found["small"]["uas"]),
         figure(found["small"]["las"]), figure(found["bytes"] / 1e6, 1),
         *(f"{found['rates'][layout] / 1e3:,.0f}" for layout in ("compact", "folded")), figure(found["seconds"], 0)]
        for (treebank, name), found in finished.items()
    ]  # fmt: skip
    return [
        *grid(["dev", "templates", "how many", "LAS, all weights", "UAS", "LAS", "MB", "compact", "folded", "training, CPU s"], rows), "",
        (f"UAS, LAS, megabytes (at most {MOST_BYTES / 1e6:.0f}; tokenizer and tagger are in them) and thousands of words a second are those of "
        f"the small model; trees alone, dev parsed again and again, CPU time on one core, the fastest of {ROUNDS}."), "",
    ]  # fmt: skip


ENGLISH_MODEL = Table(
    "english-model",
    "The parser of the English model",
    "What the parser of the model that comes with the package could see, as `python -m experiments.english_model` trains it: on "
    "jackknifed tags, the epoch chosen on dev; then weights below 2 are left out. Dev, gold tokens, predicted tags; test is not "
    "looked at.",
    plan,
    render,
    ("en_ewt",),
    (1,),
)
