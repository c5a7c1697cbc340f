"""UDPipe 1 as a whole: tokenizer, tagger and parser trained on a treebank, to stand beside our pipelines.

The model is kept in build/peers. To train it with the package as published takes hours, most of them for
the tagger, one iteration of which takes some minutes on English.
"""

import time
from pathlib import Path

from benchmarks.peers import FOLDER, udpipe_sentences
from experiments import data

import dynarc
from dynarc import Treebank
from dynarc.text import raw_text

ITERATIONS = 10
PARSER = (
    f"iterations={ITERATIONS};structured_interval=0;transition_system=projective;transition_oracle=dynamic;"
    "hidden_layer=200;batch_size=10;embedding_form=50;embedding_deprel=20;embedding_upostag=20;embedding_feats=20;"
    "embedding_xpostag=0;embedding_lemma=0;use_gold_tags=0"
)
SETTINGS = (
    "tokenizer and tagger with its own defaults, dev held out; parser projective, dynamic oracle, "
    f"{ITERATIONS} iterations, forms, UPOS and FEATS, trained on tags of its own tagger, beam 1"
)


def model(treebank: str) -> Path:
    path = FOLDER / ("UDPipe-1-pipeline.model" if treebank == "en_ewt" else f"UDPipe-1-pipeline-{treebank}.model")
    if not path.exists():
        train(treebank, path)
    return path


def train(treebank: str, path: Path) -> None:
    from ufal.udpipe import ProcessingError, Sentences, Trainer

    parts = []
    for part in ("train", "dev"):
        read = Sentences()
        for sentence in udpipe_sentences(data.read(treebank, part).to_bytes().decode()):
            read.push_back(sentence)
        parts.append(read)
    error = ProcessingError()
    found = Trainer.train("morphodita_parsito", *parts, "", "", PARSER, error)
    if error.occurred():
        raise RuntimeError(error.message)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(found)


def outputs(treebank: str, test: Treebank) -> tuple[dict[str, Treebank], float]:
    """What it makes of gold tokens and of raw text, and words a second from text to CoNLL-U."""
    from ufal.udpipe import Model, Pipeline, ProcessingError

    loaded = Model.load(str(model(treebank)))

    def process(kind: str, text: str) -> Treebank:
        pipeline = Pipeline(loaded, kind, Pipeline.DEFAULT, "beam_search=1", "conllu")
        error = ProcessingError()
        out = pipeline.process(text, error)
        if error.occurred():
            raise RuntimeError(error.message)
        return dynarc.read_conllu(out.encode(), check_trees=False)

    text = raw_text(test)
    start = time.process_time()
    raw = process("tokenizer", text)
    rate = raw.words / (time.process_time() - start)
    return {"tagged": process("conllu", test.to_bytes().decode()), "raw": raw}, rate
