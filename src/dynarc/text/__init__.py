"""From raw text: tokens and sentences, tags and lemmas, learned from treebanks and kept in the file of a parser."""

from dynarc.text.spaces import raw_text
from dynarc.text.stages import Stages
from dynarc.text.tagger import TagConfig, Tagger, jackknifed, train_tagger
from dynarc.text.tokenizer import Tokenizer, train_tokenizer

__all__ = [
    "Stages",
    "TagConfig",
    "Tagger",
    "Tokenizer",
    "jackknifed",
    "raw_text",
    "train_tagger",
    "train_tokenizer",
]
