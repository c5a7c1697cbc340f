"""Where treebanks are, and what a parser may see of them."""

import os
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Literal

from benchmarks.oracles import ROOT

import dynarc
from dynarc.data import english_path
from dynarc.features import filled_columns

Part = Literal["train", "dev", "test"]

# Columns that a parser may see beside FORM, and their place in a row.
COLUMNS = {"lemma": 2, "upos": 3, "xpos": 4, "feats": 5}
ALL_COLUMNS = frozenset(COLUMNS)

TREEBANKS = (
    "cs_cltt", "de_gsd_r12_lc", "el_gdt", "en_ewt", "eu_bdt", "fr_sequoia", "hu_szeged", "la_perseus",
    "nl_lassysmall", "tr_imst", "utb2_ko", "utb2_sv", "zh_gsd",
)  # fmt: skip


class MissingTreebankError(Exception):
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
        "set DYNARC_TREEBANKS to the folder that has it, or choose others with --treebanks"
    )


def read(treebank: str, part: Part, columns: Collection[str] = ALL_COLUMNS) -> dynarc.Treebank:
    """A part of a treebank, of its own, with `_` in the columns that are not to be seen."""
    whole = dynarc.read_conllu(path(treebank, part), check_trees=False)
    document = whole.document()
    for name, place in COLUMNS.items():
        if name not in columns:
            document.fill(place, "_")
    return whole


@cache
def size(treebank: str, part: Part) -> tuple[int, int]:
    """How many sentences and words."""
    whole = read(treebank, part)
    return len(whole), whole.words


@cache
def filled(treebank: str) -> frozenset[str]:
    """The columns of the training part for which `default` has templates."""
    return filled_columns(read(treebank, "train"))
