"""How large models are, by what is stored of each weight and key, and what that does to parses.

.venv/bin/python -m benchmarks.model_size --write    writes docs/results/model-size.md
"""

import argparse
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.oracles import ROOT, machine
from benchmarks.treebanks import train as train_file

import dynarc
from dynarc.model_file import COMPACT, EXACT, Contents, Storage, pack_model, unpack_model, write_model_file
from dynarc.parser import Parser, model_spec
from dynarc.prepare import prepare
from dynarc.train import _training

CONFIG = dynarc.TrainConfig(features="zhang-nivre", nonprojective="drop")
STORED = {
    "`EXACT`: 64-bit keys, 32-bit weights": EXACT,
    "48-bit keys": Storage(key_bits=48),
    "16-bit weights": Storage(quantised=True),
    "**`COMPACT`**: 48-bit keys, 16-bit weights": COMPACT,
    "40-bit keys, 16-bit weights": Storage(quantised=True, key_bits=40),
    **{f"`COMPACT`, pruned below {least}": replace(COMPACT, prune=least) for least in (0.1, 0.3, 0.5, 0.75, 1.0, 2.0)},
}
LAYOUTS = ("compact", "folded")
ROUNDS = 5


def trained() -> Parser:
    """The parser of the last epoch, with its weights as they were learned."""
    from dynarc.features import resolve

    prepared = prepare(dynarc.read_conllu(train_file("en_ewt")), CONFIG)
    templates = resolve(CONFIG.features, CONFIG.system)
    training = _training(prepared, CONFIG, templates)
    for _ in range(CONFIG.epochs):
        training.epoch()
    return Parser(training.model(), CONFIG, prepared.labels, prepared.single_root, templates, prepared.encoding)


def rates(parser: Parser, document: dynarc._core.Document, words: int) -> list[str]:
    """Thousands of words a second of one thread in each layout, the fastest round; the first fills what is kept."""
    found = []
    for layout in LAYOUTS:
        seconds = []
        for _ in range(ROUNDS):
            start = time.thread_time()
            parser.model.parsed(document, 1, parser.labels.texts, layout)
            seconds.append(time.thread_time() - start)
        found.append(f"{words / min(seconds) / 1e3:,.0f}")
    return found


def rows(parser: Parser) -> list[list[str]]:
    dev = dynarc.read_conllu(train_file("en_ewt").with_name("dev.conllu"))
    before = parser.parse(dev)
    spec = model_spec(parser.config, parser.single_root, parser.templates, parser.labels)
    found = []
    for name, storage in STORED.items():
        tensors = pack_model(parser.model, storage)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            write_model_file(path, Contents({}, tensors))
            size = path.stat().st_size
        after = replace(parser, model=unpack_model(spec, tensors))
        parsed = after.parse(dev)
        changed = sum(a != b for a, b in zip(before, parsed, strict=True))
        las = dynarc.evaluate(dev, parsed).las
        model = after.model
        figures = [f"{model.features:,}", f"{model.weights:,}", f"{size / 1e6:.2f}", f"{las:.2f}", f"{changed:,}"]
        found.append([name, *figures, *rates(after, dev.document(), dev.words)])
        print(*found[-1], sep="  ", flush=True)
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", action="store_true", help="write docs/results/model-size.md")
    given = options.parse_args()
    table = rows(trained())
    if given.write:
        header = ["stored", "rows", "weights", "MB", "LAS", "changed", "k words/s, compact", "folded"]
        how = (
            f"Made by `python -m benchmarks.model_size --write`. {', '.join(f'{k}: {v}' for k, v in machine().items())}. "
            "English EWT, gold UPOS; arc-eager, dynamic oracle, averaged perceptron, `zhang-nivre`, exploration k=1 p=0.9, "
            f"{CONFIG.epochs} epochs, seed {CONFIG.seed}, non-projective sentences dropped. LAS (all words, whole labels) on "
            "dev, of the model as it is loaded; changed: sentences of dev that are parsed otherwise than by the weights as "
            "they were learned. `dynarc train` writes `COMPACT`. A feature without weights is taken for one that has some "
            "with probability rows / 2^bits: 3e-9 at 48 bits, 7e-7 at 40. Words per second: dev in memory, one thread, the "
            f"fastest of {ROUNDS}; folded: of text parsed before. `dynarc shrink MODEL -o FILE --prune 0.5` makes such files."
        )
        lines = ["| " + " | ".join(row) + " |" for row in [header, ["---"] * len(header), *table]]
        text = "\n".join(["# How large models are", "", how, "", *lines, ""])
        (ROOT / "docs" / "results" / "model-size.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
