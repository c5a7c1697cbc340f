"""Texts of words as templates see them: lower case as Python has it, endings and beginnings in characters, shapes."""

import unicodedata

import pytest

from dynarc import Sentence
from dynarc.features import feature_values
from dynarc.systems import system

TEMPLATES = ["B0.lower", "B0.suffix2", "B0.suffix4", "B0.prefix1", "B0.prefix3", "B0.shape"]


def texts(form: str) -> dict[str, str]:
    found = feature_values(Sentence([form]), TEMPLATES, system("arc-eager"), [])
    return {template.partition(".")[2]: values[0][0] for template, values in found.items()}


def in_tables(c: str) -> bool:
    """Our table is that of Unicode 14; a later Python knows more characters, which came after the old ones."""
    return unicodedata.unidata_version.startswith("14.") or unicodedata.ucd_3_2_0.category(c) != "Cn"


def test_lower_case_is_pythons() -> None:
    """For every character whose lower case is one character; the others stay as they are."""
    changed = [c for c in map(chr, range(0x110000)) if c.lower() != c and in_tables(c)]
    assert len(changed) > 800
    # Some characters together: a word of them is as good as a word for each.
    for start in range(0, len(changed), 50):
        word = "x".join(changed[start : start + 50])
        assert texts(word)["lower"] == "".join(c.lower() if len(c.lower()) == 1 else c for c in word)


@pytest.mark.parametrize(
    ("form", "suffix2", "suffix4", "prefix1", "prefix3", "shape"),
    [
        ("a", "a", "a", "a", "a", "x"),
        ("Straße", "ße", "raße", "S", "Str", "Xxx"),
        ("日本語", "本語", "日本語", "日", "日本語", "xx"),
        ("McDonald's", "'s", "ld's", "M", "McD", "XxXxx'x"),
        ("3.14159", "59", "4159", "3", "3.1", "9.99"),
        ("😀😀", "😀😀", "😀😀", "😀", "😀😀", "xx"),
        ("ÉCOLE", "LE", "COLE", "É", "ÉCO", "XX"),
    ],
)
def test_parts_of_words(form: str, suffix2: str, suffix4: str, prefix1: str, prefix3: str, shape: str) -> None:
    found = texts(form)
    assert (found["suffix2"], found["suffix4"]) == (suffix2, suffix4)
    assert (found["prefix1"], found["prefix3"]) == (prefix1, prefix3)
    assert found["shape"] == shape
