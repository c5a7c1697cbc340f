"""Where treebanks are, and what a parser may see of them."""

import os
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Literal

from benchmarks.oracles import ROOT
from experiments.work import SCRATCH

import dynarc
from dynarc import Sentence, Treebank
from dynarc.data import english_path
from dynarc.errors import DynarcError
from dynarc.features import filled_columns
from dynarc.text import train_tagger
from dynarc.text.tagger import jackknifed
from dynarc.text.train import JACKKNIFE

Part = Literal["train", "dev", "test"]
PARTS: tuple[Part, ...] = ("train", "dev", "test")
Tags = Literal["gold", "predicted"]

# Columns that a parser may see beside FORM, and their place in a row.
COLUMNS = {"lemma": 2, "upos": 3, "xpos": 4, "feats": 5}
ALL_COLUMNS = frozenset(COLUMNS)

TREEBANKS = (
    "cs_cltt", "de_gsd_r12_lc", "el_gdt", "en_ewt", "eu_bdt", "fr_sequoia", "hu_szeged", "la_perseus",
    "nl_lassysmall", "tr_imst", "utb2_ko", "utb2_sv", "zh_gsd",
)  # fmt: skip

# Treebanks whose sentences say of what kind they are: the beginning of sent_id.
GENRES = {"en_ewt": ("answers", "email", "newsgroup", "reviews", "weblog")}


class MissingTreebankError(DynarcError):
    """A treebank is not where it is looked for."""


def folder() -> Path:
    """DYNARC_TREEBANKS, or shared/treebanks beside the repository."""
    return Path(os.environ.get("DYNARC_TREEBANKS", ROOT.parent / "shared" / "treebanks"))


def path(treebank: str, part: Part) -> Path:
    """The file of a part, CoNLL-U or CoNLL-X; `english` is the treebank that comes with the package."""
    if treebank == "english":
        return english_path(part)
    for suffix in ("conllu", "conll"):
        if (file := folder() / treebank / f"{part}.{suffix}").is_file():
            return file
    raise MissingTreebankError(
        f"there is no {part} part of the treebank {treebank!r} in {folder()}: "
        "name the folder that has it with --data or DYNARC_TREEBANKS, or choose others with --treebanks"
    )


def read(treebank: str, part: Part, columns: Collection[str] = ALL_COLUMNS) -> Treebank:
    """A part of a treebank, of its own, with `_` in the columns that are not to be seen."""
    whole = dynarc.read_conllu(path(treebank, part), check_trees=False)
    document = whole.document()
    for name, place in COLUMNS.items():
        if name not in columns:
            document.fill(place, "_")
    return whole


def genre(sentence: Sentence) -> str:
    """The beginning of its sent_id.

    >>> genre(Sentence(["a"], sent_id="weblog-blogspot.com_x-0001"))
    'weblog'
    """
    return (sentence.sent_id or "").partition("-")[0]


def for_training(treebank: str, columns: Collection[str], tags: Tags, without: str) -> Treebank:
    """The train part; predicted tags are those of taggers of other parts of it."""
    if tags == "predicted":
        return dynarc.read_conllu(_tagged(treebank, "train", columns, without), check_trees=False)
    train = read(treebank, "train", columns)
    return Treebank([s for s in train if genre(s) != without], path=train.path) if without else train


def for_scoring(treebank: str, part: Part, columns: Collection[str], tags: Tags, without: str) -> Treebank:
    """What is parsed: all sentences, or those of the genre that the parser has not seen."""
    if tags == "predicted":
        return dynarc.read_conllu(_tagged(treebank, part, columns, without), check_trees=False)
    whole = read(treebank, part, columns)
    return Treebank([s for s in whole if genre(s) == without], path=whole.path) if without else whole


def _tagged(treebank: str, part: Part, columns: Collection[str], without: str) -> Path:
    """A file of a part with predicted tags, made once: train by jackknifing, the others by a tagger of all of train."""
    name = "-".join([treebank, without or "all", *sorted(columns), part])
    file = SCRATCH / "tagged" / f"{name}.conllu"
    if not file.is_file():
        train = for_training(treebank, columns, "gold", without)
        if part == "train":
            tagged = jackknifed(train, JACKKNIFE)
        else:
            tagged = train_tagger(train).tag(
                for_scoring(treebank, part, columns, "gold", without), again=True, threads=1
            )
        file.parent.mkdir(parents=True, exist_ok=True)
        tagged.write(file)
    return file


@cache
def size(treebank: str, part: Part) -> tuple[int, int]:
    """How many sentences and words."""
    whole = read(treebank, part)
    return len(whole), whole.words


@cache
def filled(treebank: str) -> frozenset[str]:
    """The columns of the training part for which `default` has templates."""
    return filled_columns(read(treebank, "train"))
