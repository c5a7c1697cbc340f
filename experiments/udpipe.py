"""The tagger of UDPipe 1 trained on the same part of a treebank, for docs/results/raw-text.md.

    python -m experiments.udpipe en_ewt      takes long; the result is kept in build/experiments/raw-text

Its default options; its tokenizer and parser, which take hours, are not trained.
"""

import argparse
import json
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import ufal.udpipe as udpipe
from experiments import data
from experiments.raw_text import KEPT, TAGS, official

import dynarc


def sentences(path: Path) -> Any:
    found, reader, error = udpipe.Sentences(), udpipe.InputFormat.newConlluInputFormat(), udpipe.ProcessingError()
    reader.setText(path.read_text(encoding="utf-8"))
    sentence = udpipe.Sentence()
    while reader.nextSentence(sentence, error):
        found.append(sentence)
        sentence = udpipe.Sentence()
    if error.occurred():
        raise RuntimeError(error.message)
    return found


def perform(treebank: str) -> dict[str, Any]:
    train, dev, test = (data.path(treebank, part) for part in ("train", "dev", "test"))
    error = udpipe.ProcessingError()
    started = time.process_time()
    trainer = udpipe.Trainer
    trained = trainer.train(
        "morphodita_parsito", sentences(train), sentences(dev), trainer.NONE, trainer.DEFAULT, trainer.NONE, error
    )
    if error.occurred():
        raise RuntimeError(error.message)
    seconds = time.process_time() - started
    with tempfile.NamedTemporaryFile() as file:
        file.write(trained)
        file.flush()
        model = udpipe.Model.load(file.name)
    writer = udpipe.OutputFormat.newConlluOutputFormat()
    out = []
    for sentence in sentences(test):
        heads = [(word.head, word.deprel) for word in sentence.words]
        model.tag(sentence, model.DEFAULT)
        for word, (head, deprel) in zip(sentence.words, heads, strict=True):
            word.head, word.deprel = head, deprel
        out.append(writer.writeSentence(sentence))
    found = dynarc.read_conllu("".join(out).encode(), check_trees=False)
    scores = official(data.read(treebank, "test"), found)
    return {
        "treebank": treebank,
        "version": version("ufal.udpipe"),
        "tagged": {name: scores[name] for name in TAGS},
        "seconds": seconds,
    }


def main() -> int:
    options = argparse.ArgumentParser(
        prog="python -m experiments.udpipe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("treebank")
    treebank: str = options.parse_args().treebank
    found = perform(treebank)
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / f"udpipe-{treebank}.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
