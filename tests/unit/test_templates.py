"""The language of feature templates: what is accepted, and what is refused and where."""

import pytest

from dynarc import ConfigError, _core


@pytest.mark.parametrize(
    "text",
    [
        "S0.form",
        "S0.form+S0.tag+B0.form",
        "S0.head.head.tag",
        "B0.left1.deprel+dist(S0,B0)",
        "dist(S0.left1,B0.next)",
        "S0.feature+B0.tag",
        "each_between(S0,B0)+head_is(S0,S1)",
        "F1.labels_left+N2.shape",
        "S0.feature+B0.feature+agree(S0,B0)",
        "F1.refined+F2.adposition+gap(P1,F1)",
        "S0.has_head+S0.leaf+B0.span",
    ],
)
def test_accepted(text: str) -> None:
    _core.check_templates([text])


@pytest.mark.parametrize(
    ("text", "column", "why"),
    [
        ("", 1, "there is no place ''"),
        ("S0", 3, "expected '.' and an attribute"),
        ("S0.", 4, "there is no attribute or relation ''"),
        ("T0.form", 1, "there is no place 'T0'"),
        ("S10.form", 1, "there is no place 'S10'"),
        ("S0.form+B0.tagg", 12, "there is no attribute or relation 'tagg'"),
        ("S0.form B0.tag", 8, "expected '+' or the end"),
        ("S0.form.head", 8, "expected '+' or the end"),
        ("S0.form+", 9, "there is no place ''"),
        ("far(S0,B0)", 1, "there is no function 'far'"),
        ("dist(S0)", 8, "expected ',' and a second node"),
        ("dist(S0,B0", 11, "expected ')'"),
        ("dist(S0.form,B0)", 9, "expected a relation"),
    ],
)
def test_refused_with_the_column(text: str, column: int, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        _core.check_templates(["S0.form+B1.form", text])
    assert str(caught.value).startswith(f"feature template '{text}', column {column}: {why}")


def test_no_template_twice() -> None:
    with pytest.raises(ConfigError, match=r"'S0\.form' is given twice"):
        _core.check_templates(["S0.form", "S0.tag", "S0.form"])
