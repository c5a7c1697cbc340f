"""Writes the inputs from which fuzzing starts, tests/fuzz/corpus: `python tests/fuzz/seeds.py`. Everything in them is
made of the small English treebank of the package, or written here."""

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path

import dynarc
from dynarc.data import english
from dynarc.features import feature_set, feature_sets
from dynarc.generic import sequence
from dynarc.generic.text import to_text
from dynarc.model_file import Tensor, unpack_weights
from dynarc.text.train import PipelineConfig

CORPUS = Path(__file__).with_name("corpus")
FEW = ("S0.tag", "B0.tag", "S0.form+B0.tag", "S0.left1.deprel", "dist(S0,B0)")
PAIRS = ("F1.tag", "F2.tag", "F1.form+F2.tag", "P1.tag+N1.tag", "gap(F1,F2)")
SYSTEMS = ("arc-eager", "arc-hybrid", "arc-standard", "attardi", "covington", "easy-first", "arc-hybrid-swap")

# A blank stands for a TAB.
TREEBANKS = {
    "empty": "",
    "blank": "\n\r\n",
    "bom": "\ufeff#sent_id=1\n1 Hi hi INTJ UH _ 0 root _ _\n\n",
    "crlf": "1 Hi _ _ _ _ 0 root _ _\r\n2 ! _ _ _ _ 1 punct _ _\r\n\r\n",
    "no-end": "1 Hi _ _ _ _ 0 root _ _",
    "ranges": "1-2 du _ _ _ _ _ _ _ _\n1 de _ _ _ _ 2 case _ _\n2 le _ _ _ _ 0 root _ _\n\n",
    "empties": "0.1 x _ _ _ _ _ _ _ _\n1 y _ _ _ _ 0 root _ _\n1.1 z _ _ _ _ _ _ 0:dep _\n1.2 z _ _ _ _ _ _ _ _\n\n",
    "cycle": "1 a _ _ _ _ 2 x _ _\n2 b _ _ _ _ 1 x _ _\n\n1 c _ _ _ _ 0 root _ _\n\n",
    "unknown": "1 a _ _ _ _ _ _ _ _\n2 b _ _ _ _ 1 x _ _\n\n",
    "no-utf8": "1 \udcff\udcc3 _ _ _ _ 0 root _ _\n\n1 \0 _ _ _ _ 0 root _ _\n\n",
    "columns": "1 a\n\n#\n#\n\n99999999999 a _ _ _ _ 0 root _ _\n",
}

AUTOMATA = {
    "empty": "",
    "arc": "0 1 a b 0.5\n1\n",
    "acceptor": "0\t1\ta\t2\n1\t0\t<eps>\t<eps>\n1\t-1e3\n",
    "weights": "2 2 x y inf\n2 1e-400\n0 1 z\n",
}


def main() -> None:
    few = english("dev")[:6]
    treebanks = {name: text.replace(" ", "\t").encode(errors="surrogateescape") for name, text in TREEBANKS.items()}
    _write("document", treebanks | {"story": few[:2].to_bytes()})
    _write("templates", {name: bytes([choice]) + "\n".join(lines).encode() for name, choice, lines in _templates()})
    automata = AUTOMATA | {"words": to_text(sequence(["a", "b"]))}
    _write("automata", {name: text.encode() for name, text in automata.items()})
    parsers = {name: _parser(few, name) for name in SYSTEMS}
    small = dynarc.TrainConfig(features=FEW, epochs=2, min_count=1)
    pipeline = dynarc.train_pipeline(few, config=PipelineConfig(parser=small), calibrate=False)
    models = {name: _native_parser(number, parser) for number, (name, parser) in enumerate(parsers.items())}
    _write("model", models | {"tagger": _native_tagger(pipeline), "tokenizer": _native_tokenizer(pipeline)})
    folder = _folder("model_file")
    parsers["arc-eager"].save(folder / "parser")
    _parser(few, "arc-hybrid", passes=2, calibrate=True).save(folder / "two-passes")
    pipeline.save(folder / "pipeline")


def _templates() -> Iterable[tuple[str, int, Iterable[str]]]:
    for name in feature_sets():
        system = {"covington": "covington", "stack": "arc-hybrid"}.get(name, "arc-eager")
        pairs = name.startswith("easy-first")
        yield name, int(pairs), feature_set(name, "easy-first" if pairs else system, columns=())
    every = ("S0.feature+B0.feature", "each_between(S0,B0)+agree(S0,B0)", "S0.adposition", "S0.head.left2.labels_left")
    yield "many-values", 14, every
    for number, wrong in enumerate(("S0", "S0.", "dist(S0", "X.y", "+", "B0.tag+", "head_is(S0,S1")):
        yield f"wrong-{number}", 0, (wrong,)


def _parser(sentences: dynarc.Treebank, system: str, passes: int = 1, calibrate: bool = False) -> dynarc.Parser:
    features = PAIRS if system == "easy-first" else FEW
    config = dynarc.TrainConfig(
        system=system, features=features, epochs=2, min_count=1, classes=12, passes=passes, single_root=True
    )
    return dynarc.train(sentences, config=config, calibrate=calibrate, threads=1)


def _piece(data: bytes | str | Iterable[str]) -> bytes:
    if not isinstance(data, bytes):
        data = (data if isinstance(data, str) else "\n".join(data)).encode()
    return struct.pack("<H", len(data)) + data


def _weights(tensors: Mapping[str, Tensor], table: str) -> bytes:
    packed = unpack_weights(tensors, table, "the seed")
    parts = (packed.rows_of_size, packed.keys, packed.classes(2), packed.values)
    return struct.pack("<Bf", packed.key_bits, packed.scale) + b"".join(map(_piece, parts))


NO_WEIGHTS = struct.pack("<Bf", 64, 1.0) + 4 * _piece(b"")


def _native_parser(system: int, parser: dynarc.Parser) -> bytes:
    """As tests/fuzz/model.cpp reads it."""
    tensors = parser.contents().tensors
    labels = parser.labels
    choices = system | (0x400 if parser.single_root else 0)
    rest = b"".join(struct.pack("<H", (label + 1) * 8 + move) for move, label in labels.rest)
    sizes = (len(labels.names), labels.words, labels.first_root, labels.other)
    numbers = struct.pack("<BHbBbbb", 0, choices, parser.config.valency_cap, *sizes)
    texts = {text for texts in parser.model.texts for text in texts}
    pieces = (_piece(parser.templates), _piece(rest), _piece("NOUN\nVERB"), _piece(b""), _piece(sorted(texts)[:40]))
    second = _weights(tensors, "rest") if "rest.keys" in tensors else NO_WEIGHTS
    return numbers + b"".join(pieces) + _weights(tensors, "weights") + second


def _dictionary(forms: bytes, ambiguity: bytes, fixed: bytes) -> bytes:
    return _piece(forms) + _piece(ambiguity) + _piece(fixed)


def _native_tagger(pipeline: dynarc.Parser) -> bytes:
    assert pipeline.text.tagger is not None
    tensors = pipeline.text.tagger.contents().tensors
    out = b"\1"
    for name, tagger in pipeline.text.tagger.columns.items():
        out += b"\0" + _piece(tagger.groups or "\n")
        out += _piece(struct.pack(f"<{len(tagger.begin)}H", *tagger.begin)) + _piece(tagger.texts)
        out += _dictionary(tagger.forms, tagger.ambiguity, tagger.fixed)
        out += _weights(tensors, f"{name}.weights") + b"\1"
    return out


def _native_tokenizer(pipeline: dynarc.Parser) -> bytes:
    assert pipeline.text.tokenizer is not None
    tokenizer = pipeline.text.tokenizer
    tensors = tokenizer.contents().tensors
    out = b"\2" + b"".join(_weights(tensors, part) for part in ("cuts", "ends", "splits"))
    never = tokenizer.model.never_ends
    out += _dictionary(never, bytes(len(never) // 4), bytes(len(never) // 2))
    return out + _piece(tokenizer.model.scripts)


def _folder(name: str) -> Path:
    folder = CORPUS / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _write(target: str, inputs: Mapping[str, bytes]) -> None:
    for name, data in inputs.items():
        (_folder(target) / name).write_bytes(data)


if __name__ == "__main__":
    main()
