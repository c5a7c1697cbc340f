"""dynarc beside other trainable dependency parsers: the same training data, the same file to parse, one run.

.venv/bin/python -m benchmarks.peers --write    writes docs/results/peers.md and peers.json

Trained models are kept in build/peers, so that a second run only parses. All parsers take turns, round by round: a
machine that is busy for a while is so for all of them. A peer that is not installed is passed over with a message; the
packages are ufal.udpipe, spacy and vowpalwabbit.
"""

import argparse
import importlib.metadata
import json
import os
import statistics
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT, machine

import dynarc

FOLDER = ROOT / "build" / "peers"


@dataclass(frozen=True)
class Result:
    name: str
    version: str
    settings: str
    uas: float
    las: float
    words_per_second: float  # the middle one of the rounds, one thread, what is read before does not count
    best: float
    training_seconds: float | None  # CPU; None if it was trained in an earlier run that kept no note of it
    bytes: int


class Peer(ABC):
    """A parser that is trained on a file and parses sentences that are in memory."""

    name: str
    package: str
    settings: str

    @property
    def version(self) -> str:
        return importlib.metadata.version(self.package)

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name.replace(' ', '-')}.model"

    @abstractmethod
    def train(self, train: Path) -> None:
        """Writes a model to `path`."""

    @abstractmethod
    def prepare(self, text: Path) -> None:
        """Loads the model, and reads the file as the parser wants it."""

    @abstractmethod
    def parse(self) -> None: ...

    @abstractmethod
    def trees(self) -> list[tuple[list[int], list[str]]]:
        """Heads and labels of what was parsed last."""


class Dynarc(Peer):
    package = "dynarc"

    def __init__(self, features: str, layout: str) -> None:
        self.name = f"dynarc {features} {layout}"
        self.config = dynarc.TrainConfig(features=features)
        self.layout = layout
        self.settings = f"features={features}, 64 classes, 15 epochs, dynamic oracle, layout {layout}"

    @property
    def path(self) -> Path:
        return FOLDER / f"dynarc-{self.config.features}.model"

    def train(self, train: Path) -> None:
        dynarc.train(upos_only(dynarc.read_conllu(train)), config=self.config, calibrate=False).save(self.path)

    def prepare(self, text: Path) -> None:
        self.parser = dynarc.load(self.path)
        self.treebank = upos_only(dynarc.read_conllu(text))
        self.document = self.treebank.document()

    def parse(self) -> None:
        self.parsed = self.parser.model.parsed(self.document, 1, self.parser.labels.texts, self.layout)

    def trees(self) -> list[tuple[list[int], list[str]]]:
        os.environ["DYNARC_LAYOUT"] = self.layout
        parsed = self.parser.parse(self.treebank, threads=1)
        return [([head or 0 for head in s.heads], [label or "_" for label in s.deprels]) for s in parsed]


class UDPipe(Peer):
    name, package = "UDPipe 1", "ufal.udpipe"

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        self.settings = f"greedy (beam 1), projective, dynamic oracle, {iterations} iterations, UPOS"

    def train(self, train: Path) -> None:
        from ufal.udpipe import InputFormat, ProcessingError, Sentence, Sentences, Trainer

        reader = InputFormat.newInputFormat("conllu")
        reader.setText(upos_only(dynarc.read_conllu(train)).to_bytes().decode())
        sentences, sentence, error = Sentences(), Sentence(), ProcessingError()
        while reader.nextSentence(sentence, error):
            sentences.push_back(sentence)
            sentence = Sentence()
        options = (
            f"iterations={self.iterations};embedding_upostag=20;embedding_feats=0;embedding_xpostag=0;"
            "embedding_form=50;embedding_lemma=0;embedding_deprel=20;transition_system=projective;"
            "transition_oracle=dynamic;structured_interval=0;hidden_layer=200;batch_size=10;use_gold_tags=1"
        )
        model = Trainer.train("morphodita_parsito", sentences, Sentences(), "none", "none", options, error)
        if error.occurred():
            raise RuntimeError(error.message)
        self.path.write_bytes(model)

    def prepare(self, text: Path) -> None:
        from ufal.udpipe import InputFormat, Model, ProcessingError, Sentence

        self.model = Model.load(str(self.path))
        reader = InputFormat.newInputFormat("conllu")
        reader.setText(upos_only(dynarc.read_conllu(text)).to_bytes().decode())
        self.sentences: list[Any] = []
        sentence, error = Sentence(), ProcessingError()
        while reader.nextSentence(sentence, error):
            self.sentences.append(sentence)
            sentence = Sentence()

    def parse(self) -> None:
        from ufal.udpipe import ProcessingError

        error = ProcessingError()
        for sentence in self.sentences:
            self.model.parse(sentence, "beam_search=1", error)

    def trees(self) -> list[tuple[list[int], list[str]]]:
        return [([w.head for w in list(s.words)[1:]], [w.deprel for w in list(s.words)[1:]]) for s in self.sentences]


class Spacy(Peer):
    name, package = "spaCy", "spacy"

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs
        self.settings = f"blank English, parser with its own tok2vec, {epochs} epochs, no tags"

    def _docs(self, path: Path) -> Iterator[Any]:
        from spacy.tokens import Doc

        for sentence in dynarc.read_conllu(path):
            tree = sentence.tree.heads
            heads = [head - 1 if head else number for number, head in enumerate(tree)]
            yield Doc(
                self.nlp.vocab, words=sentence.forms, heads=heads, deps=[label or "dep" for label in sentence.deprels]
            )

    def train(self, train: Path) -> None:
        import random

        import spacy

        self.nlp = spacy.blank("en")
        self.nlp.add_pipe("parser")
        examples = [_example(self.nlp, doc) for doc in self._docs(train)]
        self.nlp.initialize(lambda: examples)
        rng = random.Random(1)
        for _ in range(self.epochs):
            rng.shuffle(examples)
            for batch in spacy.util.minibatch(examples, 64):
                self.nlp.update(batch)
        self.nlp.to_disk(self.path)

    def prepare(self, text: Path) -> None:
        import spacy

        self.nlp = spacy.load(self.path)
        self.treebank = dynarc.read_conllu(text)

    def parse(self) -> None:
        from spacy.tokens import Doc

        docs = (Doc(self.nlp.vocab, words=sentence.forms) for sentence in self.treebank)
        self.parsed = list(self.nlp.pipe(docs, batch_size=256))

    def trees(self) -> list[tuple[list[int], list[str]]]:
        return [([0 if t.head.i == t.i else t.head.i + 1 for t in doc], [t.dep_ for t in doc]) for doc in self.parsed]


def _example(nlp: Any, doc: Any) -> Any:
    from spacy.tokens import Doc
    from spacy.training import Example

    return Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc)


def upos_only(treebank: dynarc.Treebank) -> dynarc.Treebank:
    """What all parsers see: forms and UPOS, and the tree."""
    copy = treebank.copy()
    for sentence in copy:
        sentence.xpos = sentence.feats = sentence.lemmas = [None] * len(sentence)
    return copy


def scores(gold: dynarc.Treebank, trees: list[tuple[list[int], list[str]]]) -> tuple[float, float]:
    """UAS and LAS of all words, whole labels."""
    words = heads = both = 0
    for sentence, (found, labels) in zip(gold, trees, strict=True):
        for head, label, their_head, their_label in zip(sentence.heads, sentence.deprels, found, labels, strict=True):
            words += 1
            heads += head == their_head
            both += head == their_head and label == their_label
    return 100 * heads / words, 100 * both / words


def run(peers: list[Peer], train: Path, test: Path, rounds: int) -> list[Result]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    gold = dynarc.read_conllu(test)
    seconds: dict[str, float | None] = {}
    ready = []
    for peer in peers:
        note = peer.path.with_suffix(".json")
        try:
            peer.version  # noqa: B018
            if not peer.path.exists():
                print(f"{peer.name}: training", file=sys.stderr)
                start = time.process_time()
                peer.train(train)
                note.write_text(json.dumps(time.process_time() - start))
            peer.prepare(test)
        except (ImportError, importlib.metadata.PackageNotFoundError) as error:
            print(f"{peer.name}: passed over, since it is not installed ({error})", file=sys.stderr)
            continue
        seconds[peer.name] = json.loads(note.read_text()) if note.exists() else None
        ready.append(peer)
    rates: dict[str, list[float]] = {peer.name: [] for peer in ready}
    for number in range(rounds + 1):
        for peer in ready:
            start = time.perf_counter()
            peer.parse()
            if number:  # what is only done once does not count
                rates[peer.name].append(gold.words / (time.perf_counter() - start))
        print(f"round {number} of {rounds}", file=sys.stderr)
    results = []
    for peer in ready:
        uas, las = scores(gold, peer.trees())
        size = sum(
            f.stat().st_size for f in ([peer.path] if peer.path.is_file() else peer.path.rglob("*")) if f.is_file()
        )
        rate = rates[peer.name]
        results.append(Result(peer.name, peer.version, peer.settings, uas, las, statistics.median(rate), max(rate),
                              seconds[peer.name], size))  # fmt: skip
    return results


def page(results: list[Result], rounds: int) -> str:
    peers = [r for r in results if not r.name.startswith("dynarc")]
    fastest = max(results, key=lambda r: r.words_per_second)
    lines = [
        "# dynarc beside other parsers", "",
        f"Made by `python -m benchmarks.peers --write`. date: {date.today()}, {machine()}.", "",
        "UD English EWT: trained on train, parsed test; gold words, gold UPOS where a parser uses tags, no other column.",
        f"One thread, sentences in memory, the middle one of {rounds} rounds in which all parsers take turns.", "",
        "| parser | version | UAS | LAS | words/s | best | training, CPU s | model, MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for r in results:
        trained = "-" if r.training_seconds is None else f"{r.training_seconds:,.0f}"
        lines.append(f"| {r.name} | {r.version} | {r.uas:.2f} | {r.las:.2f} | {r.words_per_second:,.0f} | {r.best:,.0f} "
                     f"| {trained} | {r.bytes / 1e6:.1f} |")  # fmt: skip
    lines += ["", "Settings", ""] + [f"- {r.name}: {r.settings}" for r in results] + [""]
    for peer in peers:
        lines.append(
            f"{fastest.name} is {fastest.words_per_second / peer.words_per_second:.0f} times as fast as {peer.name}."
        )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--udpipe-iterations", type=int, default=10)
    parser.add_argument("--spacy-epochs", type=int, default=10)
    parser.add_argument("--write", action="store_true", help="write docs/results/peers.md")
    options = parser.parse_args()
    folder = Path(os.environ.get("DYNARC_TREEBANKS", ROOT.parent / "shared" / "treebanks")) / "en_ewt"
    peers: list[Peer] = [
        Dynarc(features, layout) for features in ("zhang-nivre", "default") for layout in ("compact", "folded")
    ]
    peers += [UDPipe(options.udpipe_iterations), Spacy(options.spacy_epochs)]
    results = run(peers, folder / "train.conllu", folder / "test.conllu", options.rounds)
    text = page(results, options.rounds)
    print(text)
    if options.write:
        target = ROOT / "docs" / "results"
        (target / "peers.md").write_text(text, encoding="utf-8")
        (target / "peers.json").write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
