"""dynarc beside other trainable dependency parsers: the same training data, the same file to parse, one run.

.venv/bin/python -m benchmarks.peers --write    writes docs/results/peers.md, peers.json and peers.svg

Every parser has a process of its own. They take turns, round by round: a machine that is busy for a while is so for all
of them. Trained models are kept in build/peers (DYNARC_PEERS is another place), so that a second run only parses. A peer that is not installed is
passed over with a message; `pip install 'dynarc[peers]'` brings all of them.
"""

import argparse
import importlib.metadata
import json
import math
import os
import statistics
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT, TREEBANKS, machine

import dynarc
from dynarc.bench import from_file_to_file, peak_memory

FOLDER = Path(os.environ.get("DYNARC_PEERS", ROOT / "build" / "peers"))
RESULTS = ROOT / "docs" / "results"

Trees = list[tuple[list[int], list[str]]]


class Peer(ABC):
    """A parser that is trained on a file and parses sentences that are in memory."""

    name: str
    package: str
    settings: str
    threads: tuple[int, ...] = ()  # numbers of them that file to file can be done with, if it can
    most: int | None = None  # sentences that it parses; all if not said

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
    def parse(self) -> float | None:
        """Parses what was read. How long it took, where not all of the time of this call is to count."""

    @abstractmethod
    def trees(self) -> Trees:
        """Heads and labels of what was parsed last."""

    def convert(self, text: Path, target: Path, threads: int) -> None:
        """From a file to a file, with a model that is loaded already."""
        raise NotImplementedError


class Dynarc(Peer):
    package = "dynarc"
    threads = (1, 2)

    def __init__(self, features: str, layout: str) -> None:
        self.name = f"dynarc {features} {layout}"
        self.config = dynarc.TrainConfig(features=features)
        self.layout = layout
        self.settings = f"features={features}, 64 classes, 15 epochs, dynamic oracle, layout {layout}, UPOS"

    @property
    def path(self) -> Path:
        return FOLDER / f"dynarc-{self.config.features}.model"

    def train(self, train: Path) -> None:
        dynarc.train(upos_only(dynarc.read_conllu(train)), config=self.config, calibrate=False).save(self.path)

    def prepare(self, text: Path) -> None:
        os.environ["DYNARC_LAYOUT"] = self.layout
        self.parser = dynarc.load(self.path)
        self.treebank = upos_only(dynarc.read_conllu(text))
        self.document = self.treebank.document()

    def parse(self) -> None:
        self.parser.model.parsed(self.document, 1, self.parser.labels.texts, self.layout)

    def trees(self) -> Trees:
        parsed = self.parser.parse(self.treebank, threads=1)
        return [([head or 0 for head in s.heads], [label or "_" for label in s.deprels]) for s in parsed]

    def convert(self, text: Path, target: Path, threads: int) -> None:
        from_file_to_file(self.parser, str(text), str(target), threads)()


def udpipe_sentences(text: str) -> Iterator[Any]:
    """CoNLL-U as sentences of UDPipe."""
    from ufal.udpipe import InputFormat, ProcessingError, Sentence

    reader = InputFormat.newInputFormat("conllu")
    reader.setText(text)
    sentence, error = Sentence(), ProcessingError()
    while reader.nextSentence(sentence, error):
        yield sentence
        sentence = Sentence()


class UDPipe(Peer):
    name, package = "UDPipe 1", "ufal.udpipe"
    threads = (1,)

    def __init__(self, iterations: int) -> None:
        self.iterations = iterations
        self.settings = f"greedy (beam 1), projective, dynamic oracle, {iterations} iterations, UPOS"

    def train(self, train: Path) -> None:
        from ufal.udpipe import ProcessingError, Sentences, Trainer

        sentences, error = Sentences(), ProcessingError()
        for sentence in udpipe_sentences(upos_only(dynarc.read_conllu(train)).to_bytes().decode()):
            sentences.push_back(sentence)
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
        from ufal.udpipe import Model

        self.model = Model.load(str(self.path))
        self.sentences = list(udpipe_sentences(upos_only(dynarc.read_conllu(text)).to_bytes().decode()))

    def parse(self) -> None:
        from ufal.udpipe import ProcessingError

        error = ProcessingError()
        for sentence in self.sentences:
            self.model.parse(sentence, "beam_search=1", error)

    def trees(self) -> Trees:
        return [([w.head for w in list(s.words)[1:]], [w.deprel for w in list(s.words)[1:]]) for s in self.sentences]

    def convert(self, text: Path, target: Path, threads: int) -> None:
        from ufal.udpipe import Pipeline, ProcessingError

        pipeline = Pipeline(self.model, "conllu", Pipeline.NONE, "beam_search=1", "conllu")
        target.write_text(pipeline.process(text.read_text(encoding="utf-8"), ProcessingError()), encoding="utf-8")


class Spacy(Peer):
    name, package = "spaCy", "spacy"

    def __init__(self, epochs: int) -> None:
        self.epochs = epochs
        self.settings = f"blank English, parser with its own tok2vec, {epochs} epochs, no tags"

    def train(self, train: Path) -> None:
        import random

        import spacy
        from spacy.tokens import Doc
        from spacy.training import Example

        nlp = spacy.blank("en")
        nlp.add_pipe("parser")
        examples = []
        for sentence in dynarc.read_conllu(train):
            heads = [head - 1 if head else place for place, head in enumerate(sentence.tree.heads)]
            gold = Doc(
                nlp.vocab, words=sentence.forms, heads=heads, deps=[label or "dep" for label in sentence.deprels]
            )
            examples.append(Example(Doc(nlp.vocab, words=sentence.forms), gold))
        nlp.initialize(lambda: examples[:2000])
        rng = random.Random(1)
        for _ in range(self.epochs):
            rng.shuffle(examples)
            for batch in spacy.util.minibatch(examples, 64):
                nlp.update(batch)
        nlp.to_disk(self.path)

    def prepare(self, text: Path) -> None:
        import spacy

        self.nlp = spacy.load(self.path)
        self.treebank = dynarc.read_conllu(text)

    def parse(self) -> float:
        from spacy.tokens import Doc

        docs = [Doc(self.nlp.vocab, words=sentence.forms) for sentence in self.treebank]
        start = time.perf_counter()
        self.parsed = list(self.nlp.pipe(docs, batch_size=256))
        return time.perf_counter() - start

    def trees(self) -> Trees:
        return [([0 if t.head.i == t.i else t.head.i + 1 for t in doc], [t.dep_ for t in doc]) for doc in self.parsed]


class VowpalWabbit(Peer):
    """Its program, which reads a format of its own; the time in which it does the same with an empty file is taken off."""

    name, package = "Vowpal Wabbit", "vowpalwabbit"

    def __init__(self, passes: int) -> None:
        self.passes = passes
        self.settings = f"search task dep_parser with the options of its demonstration but no roll-outs, {passes} passes, UPOS, as shipped"

    @property
    def labels(self) -> Path:
        return self.path.with_suffix(".labels")

    def _write(self, source: Path, target: Path, numbers: dict[str, int]) -> None:
        with target.open("w", encoding="utf-8") as out:
            for sentence in dynarc.read_conllu(source):
                rows = zip(sentence.forms, sentence.upos, sentence.heads, sentence.deprels, strict=True)
                for form, tag, head, label in rows:
                    number = numbers.get(label or "_", 1)
                    word = form.replace(":", "COL").replace("|", "BAR").replace(" ", "_")
                    out.write(f"{(head or 0) + 1 + (number << 8)}:0 |w {word} |p {tag}\n")
                out.write("\n")

    @staticmethod
    def _run(*arguments: str) -> float:
        start = time.perf_counter()
        program = "import sys, vowpalwabbit; vowpalwabbit.Workspace(arg_list=sys.argv[1:]).finish()"
        subprocess.run([sys.executable, "-c", program, *arguments], check=True, capture_output=True)
        return time.perf_counter() - start

    def train(self, train: Path) -> None:
        found = sorted({label or "_" for sentence in dynarc.read_conllu(train) for label in sentence.deprels})
        numbers = {label: place for place, label in enumerate(found, 1)}
        self.labels.write_text(json.dumps(found), encoding="utf-8")
        data = self.path.with_suffix(".train")
        self._write(train, data, numbers)
        self._run(
            "-d", str(data), "-k", "-c", "--passes", str(self.passes), "--search_task", "dep_parser",
            "--search", str(len(found)), "--num_label", str(len(found)), "--root_label", str(numbers["root"]),
            "--search_alpha", "1e-5", "--search_rollin", "mix_per_roll", "--search_rollout", "none", "--holdout_off",
            "--search_history_length", "3", "--search_no_caching", "--old_style_labels", "-b", "24", "-f", str(self.path),
        )  # fmt: skip

    def prepare(self, text: Path) -> None:
        self.names: list[str] = json.loads(self.labels.read_text(encoding="utf-8"))
        self.source, self.empty = self.path.with_suffix(".test"), self.path.with_suffix(".empty")
        self._write(text, self.source, {label: place for place, label in enumerate(self.names, 1)})
        self.empty.write_text("")
        self.lengths = [len(sentence) for sentence in dynarc.read_conllu(text)]
        self.target = self.path.with_suffix(".predictions")

    def parse(self) -> float:
        common = ("-t", "-i", str(self.path), "-p", str(self.target))
        nothing = self._run(*common, "-d", str(self.empty))
        return max(1e-6, self._run(*common, "-d", str(self.source)) - nothing)

    def trees(self) -> Trees:
        lines = (line for line in self.target.read_text(encoding="utf-8").splitlines() if line.strip())
        out: Trees = []
        for length in self.lengths:
            pairs = [line.split()[0].split(":")[:2] for line in islice(lines, length)]
            names = [self.names[int(number) - 1] if 0 < int(number) <= len(self.names) else "_" for _, number in pairs]
            out.append(([int(head) for head, _ in pairs], names))
        return out


class Nltk(Peer):
    """The parser of NLTK, in Python with scikit-learn. All of the training data would take it hours."""

    name, package = "NLTK", "nltk"
    most = 100

    def __init__(self, sentences: int) -> None:
        self.sentences = sentences
        self.settings = (
            f"TransitionParser, arc-standard, learns from the first {sentences} projective sentences of train and parses "
            f"the first {self.most} of test, UPOS"
        )

    # What its own model file leaves out.
    _DICTIONARIES = ("_dictionary", "_transition", "_match_transition")

    @property
    def _numbers(self) -> Path:
        return self.path.with_suffix(".numbers")

    @staticmethod
    def _graph(sentence: dynarc.Sentence) -> Any:
        from nltk.parse import DependencyGraph

        rows = zip(sentence.forms, sentence.upos, sentence.heads, sentence.deprels, strict=True)
        lines = [f"{form.replace(' ', '_')}\t{tag}\t{head}\t{label}" for form, tag, head, label in rows]
        return DependencyGraph("\n".join(lines), top_relation_label="root", cell_separator="\t")

    def train(self, train: Path) -> None:
        import nltk
        from nltk.parse.transitionparser import TransitionParser

        nltk.data.path.append(str(FOLDER))  # elsewhere it writes nothing
        some = [s for s in dynarc.read_conllu(train) if s.tree.is_projective and len(s) > 1][: self.sentences]
        parser = TransitionParser("arc-standard")
        parser.train([self._graph(s) for s in some], str(self.path), verbose=False)
        self._numbers.write_text(json.dumps({name: getattr(parser, name) for name in self._DICTIONARIES}))

    def prepare(self, text: Path) -> None:
        import nltk
        from nltk.parse.transitionparser import TransitionParser

        nltk.data.path.append(str(FOLDER))
        self.parser = TransitionParser("arc-standard")
        for name, numbers in json.loads(self._numbers.read_text()).items():
            setattr(self.parser, name, {int(k) if k.isdigit() else k: v for k, v in numbers.items()})
        self.graphs = [self._graph(sentence) for sentence in dynarc.read_conllu(text)[: self.most]]

    def parse(self) -> None:
        self.parsed = self.parser.parse(self.graphs, str(self.path))

    def trees(self) -> Trees:
        out: Trees = []
        for graph in self.parsed:
            nodes = [graph.nodes[number] for number in range(1, len(graph.nodes))]
            out.append(([node["head"] or 0 for node in nodes], [node["rel"] or "_" for node in nodes]))
        return out


def peers(options: argparse.Namespace) -> dict[str, Peer]:
    found: list[Peer] = [
        Dynarc(features, layout) for features in ("zhang-nivre", "default") for layout in ("compact", "folded")
    ]
    found += [UDPipe(options.udpipe_iterations), Spacy(options.spacy_epochs)]
    found += [VowpalWabbit(options.vw_passes), Nltk(options.nltk_sentences)]
    return {peer.name: peer for peer in found}


def upos_only(treebank: dynarc.Treebank) -> dynarc.Treebank:
    """What all parsers see: forms and UPOS, and the tree."""
    copy = treebank.copy()
    for sentence in copy:
        sentence.xpos = sentence.feats = sentence.lemmas = [None] * len(sentence)
    return copy


def scores(gold: dynarc.Treebank, trees: Trees) -> tuple[float, float]:
    """UAS and LAS of all words, whole labels."""
    words = heads = both = 0
    for sentence, (found, labels) in zip(gold, trees, strict=True):
        for head, label, their_head, their_label in zip(sentence.heads, sentence.deprels, found, labels, strict=True):
            words += 1
            heads += head == their_head
            both += head == their_head and label == their_label
    return 100 * heads / words, 100 * both / words


# Each parser in a process of its own, which does as it is told, line by line.


def work(peer: Peer, train: Path, text: Path) -> None:
    """The process of a parser. What it says of itself are the lines on its standard output."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # parsers may print what they like

    def timed(what: Callable[[], float | None]) -> float:
        start = time.perf_counter()
        own = what()
        return time.perf_counter() - start if own is None else own

    def do(what: str, *arguments: Any) -> Any:
        if what == "train":
            start = os.times()
            peer.train(train)
            return sum(os.times()[:4]) - sum(start[:4])
        if what == "prepare":
            peer.prepare(text)
            return dynarc.read_conllu(text)[: peer.most].words
        if what == "parse":
            return timed(peer.parse)
        if what == "convert":
            return timed(lambda: peer.convert(text, Path(arguments[0]), arguments[1]))
        if what == "scores":
            return [*scores(dynarc.read_conllu(text)[: peer.most], peer.trees()), peak_memory()]
        raise ValueError(what)

    for line in sys.stdin:
        try:
            answer.write(json.dumps({"found": do(*json.loads(line))}) + "\n")
        except Exception as error:  # whatever a peer does, the others go on
            answer.write(json.dumps({"error": f"{type(error).__name__}: {error}"}) + "\n")
        answer.flush()


class PeerError(Exception):
    """A peer cannot do what it should."""


class Worker:
    def __init__(self, name: str, arguments: list[str]) -> None:
        command = [sys.executable, "-m", "benchmarks.peers", "--work", name, *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    def __call__(self, *command: Any) -> Any:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise PeerError(f"its process ended with status {self.process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise PeerError(answer["error"])
        return answer["found"]

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()


@dataclass(frozen=True)
class Result:
    name: str
    version: str
    settings: str
    uas: float
    las: float
    words_per_second: float  # the middle one of the rounds, one thread, what is read before does not count
    best: float
    file_to_file: dict[str, float]  # by number of threads
    ready_seconds: float  # from the start of a process to what is read and loaded: with imports
    training_seconds: float | None  # CPU; None if nobody noted it
    peak_memory: int
    bytes: int


def train(peer: Peer, arguments: list[str]) -> None:
    if peer.path.exists():
        return
    print(f"{peer.name}: training", file=sys.stderr)
    worker = Worker(peer.name, arguments)
    try:
        peer.path.with_suffix(".json").write_text(json.dumps(worker("train")))
    finally:
        worker.stop()


def run(chosen: dict[str, Peer], rounds: int, arguments: list[str]) -> list[Result]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    words: dict[str, int] = {}
    workers: dict[str, Worker] = {}
    ready: dict[str, float] = {}
    rates: dict[str, list[float]] = {}
    converted: dict[str, dict[str, list[float]]] = {}

    def leave(name: str, why: Exception) -> None:
        print(f"{name}: passed over: {why}", file=sys.stderr)
        if name in workers:
            workers.pop(name).stop()

    def each(do: Callable[[str, Worker], None]) -> None:
        for name, worker in list(workers.items()):
            try:
                do(name, worker)
            except PeerError as error:
                leave(name, error)

    def parse(name: str, worker: Worker) -> None:
        rates.setdefault(name, []).append(words[name] / worker("parse"))

    def convert(name: str, worker: Worker) -> None:
        for threads in chosen[name].threads:
            seconds = worker("convert", str(FOLDER / "out.conllu"), threads)
            converted.setdefault(name, {}).setdefault(str(threads), []).append(words[name] / seconds)

    for name, peer in chosen.items():
        try:
            _ = peer.version
            train(peer, arguments)
            start = time.perf_counter()
            workers[name] = Worker(name, arguments)
            words[name] = workers[name]("prepare")
            ready[name] = time.perf_counter() - start
        except (PeerError, importlib.metadata.PackageNotFoundError) as error:
            leave(name, error)
    for number in range(rounds + 1):  # the first does not count: something is only done once
        each(parse)
        each(convert)
        print(f"round {number} of {rounds}", file=sys.stderr)
    results = []

    def finish(name: str, worker: Worker) -> None:
        uas, las, peak = worker("scores")
        peer = chosen[name]
        note = peer.path.with_suffix(".json")
        files = [peer.path] if peer.path.is_file() else [f for f in peer.path.rglob("*") if f.is_file()]
        results.append(
            Result(
                name, peer.version, peer.settings, uas, las, statistics.median(rates[name][1:]), max(rates[name][1:]),
                {threads: statistics.median(rate[1:]) for threads, rate in converted.get(name, {}).items()}, ready[name],
                json.loads(note.read_text()) if note.exists() else None, peak, sum(f.stat().st_size for f in files),
            )
        )  # fmt: skip

    each(finish)
    for worker in workers.values():
        worker.stop()
    return results


WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 56, 48, 24, 52
LINE = 16  # of text


def plot(results: list[Result]) -> str:
    """LAS against words per second, by powers of ten, as SVG that stands alone."""
    low = math.floor(math.log10(min(r.words_per_second for r in results)))
    high = max(low + 1, math.ceil(math.log10(max(r.words_per_second for r in results))))
    bottom, top = 5 * math.floor(min(r.las for r in results) / 5), 5 * math.ceil(max(r.las for r in results) / 5 + 0.01)

    def x(rate: float) -> float:
        return LEFT + (math.log10(rate) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(las: float) -> float:
        return HEIGHT - BOTTOM - (las - bottom) / (top - bottom) * (HEIGHT - TOP - BOTTOM)

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" role="img" font-size="12" '
            'font-family="sans-serif">'
        ),
        (
            "<style>svg{background:#fff;color:#222}.grid{stroke:#ccc}text{fill:currentColor}.ours{fill:#1d5fbf}"
            ".theirs{fill:#777}@media(prefers-color-scheme:dark){svg{background:#16181d;color:#ddd}.grid{stroke:#444}"
            ".ours{fill:#7aa9ff}.theirs{fill:#999}}</style>"
        ),
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">words per second</text>',
        f'<text x="12" y="{TOP - 8}">LAS</text>',
    ]
    for power in range(low, high + 1):
        at = x(10.0**power)
        parts.append(f'<line class="grid" x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}"/>')
        parts.append(f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + LINE}" text-anchor="middle">{10**power:,}</text>')
    for las in range(bottom, top + 1, 5):
        parts.append(f'<line class="grid" x1="{LEFT}" y1="{y(las):.1f}" x2="{WIDTH - RIGHT}" y2="{y(las):.1f}"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y(las) + 4:.1f}" text-anchor="end">{las}</text>')
    # What is taken by dots and names: from, to, and the line of text.
    taken = [(x(r.words_per_second) - 6, x(r.words_per_second) + 6, y(r.las) + 4) for r in results]
    for r in sorted(results, key=lambda r: -r.las):
        px, py, width = x(r.words_per_second), y(r.las), 6.8 * len(r.name)
        free = [
            (start, name)
            for shift in range(8)
            for start in (px + 9, px - 9 - width)
            for name in dict.fromkeys((py + 4 - shift * LINE, py + 4 + shift * LINE))
            if LEFT < start < WIDTH - width and name > LINE
            and not any(start < b and a < start + width and abs(name - at) < LINE for a, b, at in taken)
        ]  # fmt: skip
        start, name = free[0] if free else (px + 9, py + 4)
        taken.append((start, start + width, name))
        kind = "ours" if r.name.startswith("dynarc") else "theirs"
        parts.append(f'<circle class="{kind}" cx="{px:.1f}" cy="{py:.1f}" r="5"/>')
        parts.append(f'<text x="{start:.1f}" y="{name:.1f}">{escape(r.name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


PREFACE = (
    "UD English EWT: trained on train, parsed test; gold words, gold UPOS where a parser uses tags, no other column. "
    "Words per second with one thread and sentences in memory: the middle one of {rounds} rounds in which all parsers take "
    "turns. From file to file: with reading and writing, without loading. Ready: from the start of a process to where it "
    "has imported, loaded the model and read the file. Memory: the most that the process had, the file in it."
)
AFTERWARDS = (
    "UDPipe was trained by its own sources, compiled with `-O3 -march=native -ffast-math` and with the inner loops of the "
    "network's training written so that they are vectorised, which takes about a fifth of the time; it parses with the package "
    "as published. None of the others was tuned: their accuracy is what these settings give, with UPOS only, not the best "
    "that they can do."
)


def page(results: list[Result], rounds: int, command: str) -> str:
    def rate(value: float | None) -> str:
        return "-" if value is None else f"{value:,.0f}"

    lines = [
        "# dynarc beside other parsers", "",
        f"Made by `{command}`. " + ", ".join(f"{name}: {value}" for name, value in machine().items() if name != "seed") + ".",
        "",
        PREFACE.format(rounds=rounds),
        "",
        "![LAS against words per second](peers.svg)", "",
        "| parser | version | UAS | LAS | words/s | best | file to file | two threads | ready, s | training, CPU s | memory, MB | model, MB |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    lines += [
        f"| {r.name} | {r.version} | {r.uas:.2f} | {r.las:.2f} | {rate(r.words_per_second)} | {rate(r.best)} "
        f"| {rate(r.file_to_file.get('1'))} | {rate(r.file_to_file.get('2'))} | {r.ready_seconds:.2f} "
        f"| {rate(r.training_seconds)} | {r.peak_memory / 1e6:,.0f} | {r.bytes / 1e6:.1f} |"
        for r in results
    ]
    lines += ["", "## How many times as fast", ""]
    ours = [r for r in results if r.name.startswith("dynarc")]
    others = [r for r in results if r not in ours]
    if ours and others:
        lines += ["| | " + " | ".join(r.name for r in others) + " |", "| --- |" + " --- |" * len(others)]
        lines += [
            f"| {our.name} | " + " | ".join(f"{our.words_per_second / r.words_per_second:,.0f}" for r in others) + " |"
            for our in ours
        ]
    lines += ["", "## Settings", "", *(f"- {r.name}: {r.settings}" for r in results), ""]
    lines += [AFTERWARDS]
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", help="names of parsers, with commas between them")
    parser.add_argument("--train", type=Path, default=TREEBANKS / "en_ewt" / "train.conllu")
    parser.add_argument("--text", type=Path, default=TREEBANKS / "en_ewt" / "test.conllu")
    parser.add_argument("--udpipe-iterations", type=int, default=10)
    parser.add_argument("--spacy-epochs", type=int, default=3)
    parser.add_argument("--vw-passes", type=int, default=6)
    parser.add_argument("--nltk-sentences", type=int, default=300)
    parser.add_argument("--write", action="store_true", help="write docs/results/peers.md, .json and .svg")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    options = parser.parse_args()
    every = peers(options)
    if options.work:
        work(every[options.work], options.train, options.text)
        return
    wanted = options.only.split(",") if options.only else list(every)
    if unknown := set(wanted) - set(every):
        parser.error(f"no such parser: {', '.join(sorted(unknown))}; there are {', '.join(every)}")
    arguments = [
        f"--{name}={getattr(options, name.replace('-', '_'))}"
        for name in ("train", "text", "udpipe-iterations", "spacy-epochs", "vw-passes", "nltk-sentences")
    ]
    results = run({name: every[name] for name in wanted}, options.rounds, arguments)
    text = page(results, options.rounds, "python -m benchmarks.peers --write")
    print(text)
    if options.write:
        (RESULTS / "peers.md").write_text(text, encoding="utf-8")
        (RESULTS / "peers.json").write_text(json.dumps([asdict(r) for r in results], indent=1) + "\n", encoding="utf-8")
        (RESULTS / "peers.svg").write_text(plot(results), encoding="utf-8")


if __name__ == "__main__":
    main()
