"""Parts of random trees of up to 20 words, fixed in parsers of every system."""

import functools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.property.strategies import projective_heads, seeds, stable, tree_heads

from dynarc import Parser, Sentence, System, TrainConfig, Treebank, train
from dynarc.data import english
from dynarc.verify import every_system

SYSTEMS = [ts for ts in every_system() if ts.headless == "forest"]
FORMS = [form for sentence in english("dev") for form in sentence.forms]


@functools.cache
def trained(ts: System) -> Parser:
    config = TrainConfig(
        system=ts.name,
        root=ts.root,  # type: ignore[arg-type]
        single_root=ts.single_root,
        epochs=1,
        nonprojective="drop",
    )
    return train(english("dev"), config=config)


@pytest.mark.parametrize("ts", SYSTEMS, ids=System.describe)
@given(data=st.data(), seed=seeds())
@stable(30)
def test_part_of_a_tree_stays(ts: System, data: st.DataObject, seed: int) -> None:
    """FEATURES 8.3: whatever part of a derivable tree is fixed, the parse has it."""
    if ts.name in ("covington", "arc-hybrid-swap"):
        heads = data.draw(tree_heads(20, one_root=ts.single_root))
    else:  # Attardi derives all of these, and others
        heads = data.draw(projective_heads(20, one_root=ts.single_root))
    rng = random.Random(seed)
    share = rng.random()
    fixed = {word: (head, None) for word, head in enumerate(heads, start=1) if rng.random() < share}
    sentence = Sentence(rng.choices(FORMS, k=len(heads)))
    parsed = trained(ts).parse(Treebank([sentence]), fixed=fixed)[0]
    assert all(parsed.heads[word - 1] == head for word, (head, _) in fixed.items())
    assert not ts.single_root or len(parsed.tree.roots) == 1
    assert not ts.projective or parsed.tree.is_projective
