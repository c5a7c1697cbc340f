"""Figures as pictures: where points lie, what is said of them, several in one."""

from xml.etree import ElementTree

import pytest

from dynarc.draw.plot import HEIGHT, WIDTH, Axis, Line, Plot, to_svg

SHARE = Axis("said", 0, 100)
DIAGONAL = Plot(
    "Reliability",
    (Line("a", ((0.0, 0.0), (50.0, 25.0), (100.0, 100.0)), sizes=(0.0, 0.25, 1.0), stories=("x", "y<", "z"), end=""),),
    SHARE,
    Axis("% right", 0, 100),
    diagonal=True,
)


def parsed(svg: str) -> ElementTree.Element:
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        element.tag = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
    return root


def of_class(root: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [element for element in root.iter() if kind in element.get("class", "").split()]


def test_points_lie_where_their_figures_are() -> None:
    root = parsed(to_svg(DIAGONAL))
    dots = [(float(dot.get("cx", "")), float(dot.get("cy", ""))) for dot in of_class(root, "dot")]
    assert dots[1][0] == pytest.approx((dots[0][0] + dots[2][0]) / 2, abs=0.1)
    assert dots[1][1] == pytest.approx(dots[0][1] + (dots[2][1] - dots[0][1]) / 4, abs=0.1)
    # The first and the last lie on the diagonal.
    (diagonal,) = of_class(root, "diagonal")
    (x0, y0), (x1, y1) = dots[0], dots[2]
    assert diagonal.get("d") == f"M{x0:.1f} {y0:.1f} L{x1:.1f} {y1:.1f}"


def test_dots_grow_with_what_they_stand_for() -> None:
    radii = [float(dot.get("r", "")) for dot in of_class(parsed(to_svg(DIAGONAL)), "dot")]
    assert radii == sorted(radii)
    assert radii[0] < radii[1] < radii[2]
    line = Line("b", ((1, 1.0), (2, 2.0)))
    plain = parsed(to_svg(Plot("t", (line,), Axis("n", log=True), Axis("%"))))
    assert [dot.get("r") for dot in of_class(plain, "dot")] == ["4", "4"]


def test_what_is_said() -> None:
    root = parsed(to_svg(DIAGONAL))
    assert [title.text for title in root.iter("title")] == ["Reliability", "a x", "a y<", "a z"]
    texts = [text.text for text in of_class(root, "tick")]
    for shown in ("0", "20", "100", "said", "% right"):
        assert shown in texts
    assert [name.text for name in of_class(root, "name")] == ["a"]


def test_a_logarithmic_axis() -> None:
    line = Line("LAS", ((10, 50.0), (20, 60.0), (40, 65.0)))
    root = parsed(to_svg(Plot("t", (line,), Axis("sentences", log=True), Axis("%"))))
    first, second, third = (float(dot.get("cx", "")) for dot in of_class(root, "dot"))
    assert second - first == pytest.approx(third - second, abs=0.1)
    assert [name.text for name in of_class(root, "name")] == ["LAS 65.00"]


def test_everything_is_inside() -> None:
    root = parsed(to_svg(DIAGONAL))
    for text in root.iter("text"):
        x, y = float(text.get("x", "")), float(text.get("y", ""))
        wide = 7 * len(text.text or "")
        left = x - {"end": wide, "middle": wide / 2}.get(text.get("text-anchor", ""), 0)
        assert left > 0
        assert left + wide < WIDTH
        assert 0 < y < HEIGHT


def test_several_in_one() -> None:
    lines = Plot("Without dots", (Line("c", ((0, 1.0), (3, 2.0)), dots=False),), Axis("x"), Axis("y"))
    root = parsed(to_svg(DIAGONAL, lines, alone=True))
    assert (root.get("width"), root.get("height")) == (str(WIDTH), str(2 * HEIGHT))
    assert [group.get("transform") for group in root.iter("g")] == ["translate(0 0)", f"translate(0 {HEIGHT})"]
    assert [name.text for name in of_class(root, "name")] == ["Reliability", "a", "Without dots", "c 2.00"]
    assert len(of_class(root, "dot")) == 3
    assert len(of_class(root, "ground")) == 1
    assert next(root.iter("title")).text == "Reliability; Without dots"


def test_no_points() -> None:
    assert parsed(to_svg(Plot("t", (Line("a", ()),), Axis("x"), Axis("y")))).tag == "svg"
