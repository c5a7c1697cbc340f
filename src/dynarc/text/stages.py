"""What a parser does before it parses: optional stages of one model file."""

import json
from dataclasses import dataclass
from typing import Self

from dynarc.errors import ConfigError
from dynarc.model_file import COMPACT, Contents, Storage, Tensor, parsed_json, refusing, under
from dynarc.text.tagger import Tagger
from dynarc.text.tokenizer import Tokenizer


@dataclass(frozen=True)
class Stages:
    """A tokenizer, a tagger, both or neither."""

    tokenizer: Tokenizer | None = None
    tagger: Tagger | None = None

    def need_tokenizer(self) -> Tokenizer:
        if self.tokenizer is None:
            raise ConfigError(
                "this parser has no tokenizer: it takes a treebank, or a list of words. Split the text first, or train "
                "a pipeline: dynarc train TRAIN --dev DEV --pipeline"
            )
        return self.tokenizer

    def contents(self, storage: Storage = COMPACT) -> Contents:
        """What a model file holds of them."""
        metadata: dict[str, str] = {}
        tensors: dict[str, Tensor] = {}
        for name, stage in (("tokenizer", self.tokenizer), ("tagger", self.tagger)):
            if stage is not None:
                found = stage.contents(storage)
                metadata[name] = json.dumps(found.metadata)
                tensors |= {f"{name}.{key}": tensor for key, tensor in found.tensors.items()}
        return Contents(metadata, tensors)

    @classmethod
    def of(cls, contents: Contents, name: str) -> Self:
        """The stages of the contents of a model file; none, if it has none."""
        found: dict[str, Contents] = {}
        for stage in ("tokenizer", "tagger"):
            if stage in contents.metadata:
                with refusing(name, stage):
                    metadata = dict(parsed_json(contents.metadata[stage]))
                found[stage] = Contents(metadata, under(contents.tensors, f"{stage}."))
        return cls(
            Tokenizer.of(found["tokenizer"], name) if "tokenizer" in found else None,
            Tagger.of(found["tagger"], name) if "tagger" in found else None,
        )
