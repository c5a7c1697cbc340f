"""What the server can be asked, without HTTP: from checked requests to answers."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal

import dynarc
from dynarc.conllu import iter_treebanks, read_conllu
from dynarc.errors import ConfigError
from dynarc.parser import Parser
from dynarc.player import Player
from dynarc.sentence import Sentence
from dynarc.systems import system, systems
from dynarc.transition import Transition
from dynarc.tree import Tree
from dynarc.treebank import Treebank
from dynarc.web.limits import Limits, check_words
from dynarc.web.schema import InvalidRequestError
from dynarc.web.shown import Json, drawn_json, parsed_json, position_json

Kind = Literal["text", "conllu"]
Fixed = dict[int, tuple[int | None, str | None]]

# Bytes of a stream that are parsed at a time.
BLOCK = 1 << 16
INPUTS = ("text", "tokens", "conllu")


class Service:
    """Models by name, the first one being that which is meant where none is named."""

    def __init__(self, models: Mapping[str, Parser], limits: Limits) -> None:
        self.models = dict(models)
        self.limits = limits

    @classmethod
    def load(cls, paths: Sequence[str], limits: Limits) -> "Service":
        """Loads the models: `en`, or paths, each known by the name of its file."""
        models: dict[str, Parser] = {}
        for path in paths:
            name = Path(path).name.removesuffix(".dynarc")
            if name in models:
                raise ConfigError(f"two models are called {name!r}: rename one of the files")
            models[name] = Parser.load(path)
        return cls(models, limits)

    def model(self, name: str | None) -> tuple[str, Parser]:
        if not self.models:
            raise ConfigError("this server has no model: start it with one, as in dynarc serve en")
        if name is None:
            name = next(iter(self.models))
        if name not in self.models:
            raise ConfigError(f"there is no model {name!r}", "model", self.models)
        return name, self.models[name]

    # /v1/models

    def describe(self) -> Json:
        return {"models": [describe_model(name, parser) for name, parser in self.models.items()]}

    # /v1/parse

    def sentences(self, request: Json, parser: Parser) -> Treebank:
        """The sentences of a request, not parsed."""
        given = [name for name in INPUTS if request.get(name) is not None]
        if len(given) != 1:
            what = "none is" if not given else f"{' and '.join(given)} are"
            raise InvalidRequestError(f"give one of text, tokens and conllu; {what} there")
        if "text" in given:
            found = parser.text.need_tokenizer().tokenize(request["text"], name="<request>")
        elif "tokens" in given:
            found = Treebank([Sentence(words) for words in request["tokens"]], path="<request>")
        else:
            found = read_conllu(request["conllu"].encode(), name="<request>", check_trees=False)
        return check_words(found, self.limits)

    def parse(self, request: Json) -> tuple[str, Treebank]:
        """The name of the model, and the sentences with its trees."""
        name, parser = self.model(request.get("model"))
        found = self.sentences(request, parser)
        fixed = _fixed(request.get("fixed") or (), len(found))
        keep = bool(request.get("keep_heads"))
        if fixed is not None or keep:
            if request.get("confidence"):
                raise InvalidRequestError("how sure the parser is of fixed arcs is not known: leave out confidence")
            return name, parser.parse(found, threads=1, fixed=fixed, keep_heads=keep)
        if not request.get("confidence"):
            return name, parser.parse(found, threads=1)
        if request.get("format") == "conllu":
            return name, parser.parse(found, threads=1, confidence=True)
        return name, parser.surely(found, threads=1)

    def stream(
        self, source: IO[bytes], kind: Kind, parser: Parser, *, confidence: bool, keep_heads: bool, marked: bool
    ) -> Iterator[Treebank]:
        """The sentences of a file with the parser's trees, some at a time; with `marked`, probabilities are in MISC."""
        for part in self._parts(source, kind, parser):
            check_words(part, self.limits)
            if keep_heads:
                yield parser.parse(part, threads=1, keep_heads=True)
            elif confidence and not marked:
                yield parser.surely(part, threads=1)
            else:
                yield parser.parse(part, threads=1, confidence=confidence)

    def check_stream(self, source: IO[bytes]) -> None:
        """Raises what is wrong with a file of CoNLL-U, before anything of it is parsed."""
        for part in iter_treebanks(source, name="<request>", check_trees=False):
            check_words(part, self.limits)

    def _parts(self, source: IO[bytes], kind: Kind, parser: Parser) -> Iterator[Treebank]:
        if kind == "text":
            return parser.text.need_tokenizer().iter_treebanks(source, threads=1, name="<request>", block=BLOCK)
        return iter_treebanks(source, name="<request>", check_trees=False, block=BLOCK)

    # /v1/step, /v1/trace, /v1/kbest, and what the page draws

    def sentence(self, request: Json, parser: Parser | None) -> Sentence:
        """The one sentence of a request."""
        if request.get("conllu") is not None and request.get("tokens") is not None:
            raise InvalidRequestError("give tokens or conllu, not both")
        if request.get("tokens") is not None:
            found = Treebank([Sentence(request["tokens"])], path="<request>")
        elif request.get("conllu") is not None:
            found = read_conllu(request["conllu"].encode(), name="<request>", check_trees=False)
        else:
            raise InvalidRequestError("give the sentence as tokens or as conllu")
        if len(found) != 1:
            raise InvalidRequestError(f"give one sentence; there are {len(found)}")
        return check_words(found, self.limits)[0]

    def player(self, request: Json) -> Player:
        name = request.get("system")
        if name is None:
            parser: Parser | None = self.model(request.get("model"))[1]
            ts = None
        else:
            if name not in systems():
                raise ConfigError(f"unknown transition system {name!r}", "system", systems())
            parser = self._parser_of(name, request.get("model"))
            ts = system(name, root=request.get("root"))
            if parser is not None and request.get("root") is not None and parser.config.root != ts.root:
                parser = None
        sentence = self.sentence(request, parser)
        gold = request.get("gold")
        tree = None if gold is None else Tree(gold["heads"], gold.get("deprels"))
        return Player(sentence, ts, parser=parser, gold=tree)

    def step(self, request: Json) -> Json:
        player = self.player(request)
        history = [Transition.parse(t) for t in request.get("history") or ()]
        position = player.position(history, follow_oracle=request.get("follow") == "oracle")
        found = {**position_json(player, position), "model": self._name_of(player.parser)}
        if request.get("losses"):
            found["losses"] = player.losses([*position.state.history, *position.ahead])
        return found

    def trace(self, request: Json) -> Json:
        player = self.player(request)
        follow_oracle = request.get("follow") == "oracle"
        if follow_oracle and player.gold is None:
            raise InvalidRequestError("to follow the oracle, give a gold tree")
        if player.parser is None and player.gold is None:
            raise InvalidRequestError("no model here has that system: give a gold tree, whose oracle is followed")
        steps = [position_json(player, position) for position in player.derivation(follow_oracle=follow_oracle)]
        for step in steps:
            step["chosen"] = step.pop("ahead")[:1]
            step["chosen"] = step["chosen"][0] if step["chosen"] else None
            step.pop("history")
        return {"model": self._name_of(player.parser), "system": player.system.describe(), "steps": steps}

    def kbest(self, request: Json) -> Json:
        name, parser = self.model(request.get("model"))
        sentence = self.sentence(request, parser)
        found = parser.kbest(sentence, request.get("k", 5), limit=request.get("limit", 2000))
        trees = [{"probability": tree.probability, **parsed_json(tree.sentence)} for tree in found]
        for tree, one in zip(trees, found, strict=True):
            tree["conllu"] = one.sentence.to_bytes().decode()
        return {"model": name, "proven": found.proven, "exact": found.exact, "trees": trees}

    def drawn(self, request: Json) -> Json:
        """Parsed sentences as the page draws them."""
        name, parser = self.model(request.get("model"))
        wanted = {**request, "confidence": parser.calibration is not None and not request.get("fixed")}
        _, found = self.parse(wanted)
        return {"model": name, "sentences": [drawn_json(sentence) for sentence in found]}

    def _parser_of(self, name: str, model: str | None) -> Parser | None:
        """A parser with that system, if there is one: that which was asked for, or the first."""
        chosen = self.model(model)[1] if model is not None else None
        for parser in [chosen, *self.models.values()]:
            if parser is not None and parser.config.system == name and parser.config.direction == "left-to-right":
                return parser
        return None

    def _name_of(self, parser: Parser | None) -> str | None:
        return next((name for name, own in self.models.items() if own is parser), None)


def _fixed(arcs: Sequence[Json], sentences: int) -> list[Fixed | None] | None:
    if not arcs:
        return None
    found: list[Fixed | None] = [None] * sentences
    for arc in arcs:
        number = arc.get("sentence", 1)
        if number > sentences:
            raise InvalidRequestError(f"an arc is fixed in sentence {number}, but there are {sentences}")
        words = found[number - 1] or {}
        words[arc["word"]] = (arc.get("head"), arc.get("label"))
        found[number - 1] = words
    return found


def describe_model(name: str, parser: Parser) -> Json:
    """What /v1/models says of a model."""
    info = parser.info
    data = info.get("data") or {}
    scores = info.get("dev") or {}
    config = parser.config
    return {
        "name": name,
        "system": config.system,
        "root": config.transition_system(single_root=parser.single_root).root,
        "labels": sorted(set(parser.labels.texts)),
        "tokenizer": parser.text.tokenizer is not None,
        "tagger": [] if parser.text.tagger is None else list(parser.text.tagger.columns),
        "calibrated": parser.calibration is not None,
        "steps": config.direction == "left-to-right",
        "dev": {key: scores[key] for key in ("uas", "las") if key in scores},
        "licence": data.get("licence"),
        "attribution": info.get("attribution"),
    }


def describe_systems() -> list[Json]:
    """The transition systems that the player can be switched to."""
    return [
        {"name": name, "projective": ts.projective, "moves": list(ts.moves), "root": ts.root}
        for name in systems()
        for ts in [system(name)]
    ]


def version() -> str:
    return dynarc.__version__


def checked_name(value: Any) -> str:
    """The name of a file as it is shown: no path, not endless."""
    return Path(str(value or "file.conllu")).name[:120] or "file.conllu"
