"""Makes the English model that comes with the package: src/dynarc/data/models/en.dynarc.

    python -m experiments.english_model

It learns from the train part of UD English EWT (the folder of treebanks has it as en_ewt). The dev part chooses the epoch
and says how sure the parser can be, with predicted tags. Small weights are left out, so that the file has less than 10 MB;
what that costs is printed.
"""

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.oracles import ROOT
from experiments import data

import dynarc
from dynarc import Parser, PipelineConfig, TrainConfig, Treebank
from dynarc.confidence import calibrate
from dynarc.model_file import COMPACT, Contents, write_model_file
from dynarc.text import raw_text

TARGET = ROOT / "src" / "dynarc" / "data" / "models" / "en.dynarc"
MOST_BYTES = 10_000_000

# Arcs that cross are not put back, which would take most of the time: 1.5 % of the sentences have any.
CONFIG = PipelineConfig(TrainConfig(epochs=12, nonprojective="drop"))
# Weights of a perceptron are sums of +1 and -1; chosen on dev, docs/how-to/raw-text.md.
PARSER = replace(COMPACT, prune=2.0)
STAGES = replace(COMPACT, prune=0.75)

LICENCE = "CC BY-SA 4.0"
ATTRIBUTION = (
    "Made from the train part of Universal Dependencies English EWT (https://github.com/UniversalDependencies/"
    "UD_English-EWT), by Natalia Silveira, Timothy Dozat, Christopher Manning, Sebastian Schuster, Ethan Chi, John Bauer, "
    "Miriam Connor, Marie-Catherine de Marneffe, Nathan Schneider, Sam Bowman, Hanzhi Zhu, Daniel Galbraith and others, "
    "licensed under CC BY-SA 4.0 (https://creativecommons.org/licenses/by-sa/4.0/). The model, which holds statistics of "
    "that treebank, is distributed under the same licence."
)


def named(parser: Parser) -> Parser:
    """Without the paths of this machine, with licence and attribution."""
    found = {**parser.info["data"], "path": "UD_English-EWT, train", "licence": LICENCE}
    found["dev"] = {**found["dev"], "path": "UD_English-EWT, dev"}
    calibration = parser.calibration
    assert calibration is not None
    return replace(
        parser,
        info={**parser.info, "data": found, "attribution": ATTRIBUTION},
        calibration=replace(calibration, data="UD_English-EWT, dev, with predicted tags"),
    )


def scores(parser: Parser, gold: Treebank) -> str:
    tagger = parser.text.tagger
    assert tagger is not None
    tagged = dynarc.evaluate(gold, parser.parse(tagger.tag(gold, again=True)), protocol="ud").official
    raw = dynarc.evaluate(gold, parser.parse(raw_text(gold)), protocol="ud").official
    of_gold = ", ".join(f"{name} {tagged[name].f1:.2f}" for name in ("UPOS", "XPOS", "UFeats", "Lemmas", "LAS"))
    of_raw = ", ".join(f"{name} {raw[name].f1:.2f}" for name in ("Words", "Sentences", "UPOS", "LAS"))
    return f"dev, gold tokens: {of_gold}; raw text: {of_raw}"


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m experiments.english_model",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("--output", type=Path, default=TARGET, metavar="FILE")
    output: Path = options.parse_args().output
    train, dev = data.read("en_ewt", "train"), data.read("en_ewt", "dev")
    whole = dynarc.train_pipeline(
        train,
        dev=dev,
        config=CONFIG,
        progress=lambda epoch: print(f"epoch {epoch.number}: LAS {epoch.las:.2f}", flush=True),
        notice=print,
    )
    print("whole:", scores(whole, dev))
    with tempfile.TemporaryDirectory() as folder:
        whole.save(Path(folder) / "small.dynarc", PARSER, STAGES)
        small = dynarc.load(Path(folder) / "small.dynarc")
    tagger = small.text.tagger
    assert tagger is not None
    small = named(replace(small, calibration=calibrate(small, tagger.tag(dev, again=True))))
    contents = small.contents()
    metadata = {**contents.metadata, "licence": LICENCE, "attribution": ATTRIBUTION}
    write_model_file(output, Contents(metadata, contents.tensors))
    size = output.stat().st_size
    print(f"small: {scores(dynarc.load(output), dev)}; {size / 1e6:.2f} MB")
    return 0 if size <= MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
