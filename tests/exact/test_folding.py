"""Folded weights on real treebanks: the trees of the compact layout.

DYNARC_FOLDING=all .venv/bin/python -m pytest tests/exact/test_folding.py    every system on every treebank, all of it
"""

import os
from pathlib import Path

import pytest

from dynarc import TrainConfig, Treebank, read_conllu, train

ALL = os.environ.get("DYNARC_FOLDING") == "all"
SYSTEMS = (
    ("arc-eager", "arc-hybrid", "arc-standard", "attardi", "arc-hybrid-swap", "covington") if ALL else ("arc-eager",)
)
NAMES = (
    "cs_cltt", "de_gsd_r12_lc", "el_gdt", "en_ewt", "eu_bdt", "fr_sequoia", "hu_szeged", "la_perseus", "nl_lassysmall",
    "tr_imst", "utb2_ko", "utb2_sv", "zh_gsd",
) if ALL else ("eu_bdt", "tr_imst")  # fmt: skip


def part(folder: Path, name: str, count: int) -> Treebank:
    path = folder / f"{name}.conllu"
    if not path.is_file():
        pytest.skip(f"there is no {path}")
    found = read_conllu(path)
    return found if ALL else found[:count]


@pytest.mark.slow
@pytest.mark.timeout(3600 if ALL else 120)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("features", ["zhang-nivre", "default"])
def test_the_same_trees(treebanks: Path, name: str, system: str, features: str) -> None:
    config = TrainConfig(system=system, features=features, epochs=1, passes=2 if features == "default" else 1)
    parser = train(part(treebanks / name, "train", 300), config=config, threads=1)
    for split in ("dev", "test"):
        document = part(treebanks / name, split, 300).document()
        compact, folded, again = (
            parser.model.parse(document, 0, document.sentences, threads, layout)
            for threads, layout in ((1, "compact"), (1, "folded"), (2, "folded"))
        )
        assert folded == compact
        assert again == compact
