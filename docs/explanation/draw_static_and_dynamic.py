"""Draws docs/explanation/static-and-dynamic.svg by running both oracles from the state of the example."""

from pathlib import Path

import dynarc

FORMS = ["Mum", "fed", "us", "hot", "soup", "."]
GOLD = dynarc.Tree([2, 0, 2, 5, 2, 2])
WIDTH, STEP, BASE, PANEL = 620, 82, 150, 215
RIGHT, WRONG, MISSED, INK = "#1a7f37", "#cf222e", "#8c959f", "#1f2328"


def follow(kind: str) -> tuple[list[int | None], list[str]]:
    """The heads and transitions when an oracle is followed from [ROOT fed us] [hot soup .]."""
    ts = dynarc.system("arc-eager", root="first")
    state = ts.state([0, 2, 3], [4, 5, 6], [2, 0, None, None, None, None])
    oracle = ts.oracle("static", strict=False) if kind == "static" else ts.oracle("dynamic")
    bound = oracle.bind(GOLD)
    while not state.is_final:
        state.apply(bound.optimal(state)[0])
    return state.heads, [str(t) for t in state.history]


def x(node: int) -> int:
    return 60 + STEP * node


def arc(head: int, dependent: int, y: int, colour: str, dashed: bool) -> str:
    reach = 22 + 17 * abs(head - dependent)
    start, end = x(head) + (5 if dependent > head else -5), x(dependent) + (-5 if dependent > head else 5)
    dash = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<path d="M{start} {y} C{start} {y - reach} {end} {y - reach} {end} {y - 4}" fill="none" stroke="{colour}" '
        f'stroke-width="1.8"{dash}/><path d="M{end - 4} {y - 9} L{end} {y - 1} L{end + 4} {y - 9} Z" fill="{colour}"/>'
    )


def panel(title: str, heads: list[int | None], moves: list[str], top: int) -> list[str]:
    y = top + BASE
    wrong = sum(head != gold for head, gold in zip(heads, GOLD.heads, strict=True))
    parts = [
        f'<text x="20" y="{top + 22}" font-weight="600">{title}: {wrong} arc{"s" * (wrong != 1)} lost</text>',
        f'<text x="20" y="{top + 42}" font-size="12" fill="#57606a">{" ".join(moves)}</text>',
    ]
    for word, (head, gold) in enumerate(zip(heads, GOLD.heads, strict=True), start=1):
        assert gold is not None
        if head != gold:
            parts.append(arc(gold, word, y, MISSED, dashed=True))
        if head is not None:
            parts.append(arc(head, word, y, RIGHT if head == gold else WRONG, dashed=False))
    for node, form in enumerate(["ROOT", *FORMS]):
        parts.append(f'<text x="{x(node)}" y="{y + 20}" text-anchor="middle">{form}</text>')
    return parts


def main() -> None:
    body: list[str] = []
    for number, (kind, title) in enumerate(
        [("static", "The static rules, applied literally"), ("dynamic", "The dynamic oracle")]
    ):
        body += panel(title, *follow(kind), PANEL * number)
    legend = PANEL * 2 + 18
    for place, (colour, text) in enumerate(
        [(RIGHT, "right"), (WRONG, "wrong arc built"), (MISSED, "gold arc missed (dashed)")]
    ):
        left = 20 + 160 * place
        body.append(f'<rect x="{left}" y="{legend - 9}" width="14" height="4" fill="{colour}"/>')
        body.append(f'<text x="{left + 20}" y="{legend - 3}" font-size="12">{text}</text>')
    height = PANEL * 2 + 34
    svg = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            f'font-family="system-ui, sans-serif" font-size="15" fill="{INK}">'
        ),
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
        *body,
        "</svg>",
    ]
    Path(__file__).with_name("static-and-dynamic.svg").write_text("\n".join(svg) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
