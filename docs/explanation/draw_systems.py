"""Writes docs/explanation/systems: a page for each transition system, its derivation and its worked error made by running
its oracle, and drawn by what draws everywhere else."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import dynarc
from dynarc.cli.steps import step_lines
from dynarc.draw import Drawing, Mark
from dynarc.draw.svg import picture, stylesheet
from dynarc.trace import Step, optimal, trace

FOLDER = Path(__file__).with_name("systems")
COMMAND = "python docs/explanation/draw_systems.py"


@dataclass(frozen=True)
class Example:
    forms: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]

    @property
    def tree(self) -> dynarc.Tree:
        return dynarc.Tree(self.heads, self.deprels)

    def drawing(self, heads: Sequence[int | None], deprels: Sequence[str | None]) -> Drawing:
        """What was built, with what gold has instead where it is wrong."""
        marks: list[Mark | None] = []
        for head, label, gold, wanted in zip(heads, deprels, self.heads, self.deprels, strict=True):
            right = head is None or (head, label) == (gold, wanted)
            marks.append(None if right else Mark("head" if head != gold else "label", gold, wanted))
        return Drawing(self.forms, tuple(heads), tuple(deprels), marks=tuple(marks))


PROJECTIVE = Example(
    ("Mum", "fed", "us", "hot", "soup", "."), (2, 0, 2, 5, 2, 2), ("nsubj", "root", "iobj", "amod", "obj", "punct")
)
CROSSING = Example(
    ("A", "letter", "came", "today", "from", "home"),
    (2, 3, 0, 3, 6, 2),
    ("det", "nsubj", "root", "advmod", "case", "nmod"),
)


@dataclass(frozen=True)
class Page:
    system: str
    title: str
    about: str
    moves: tuple[tuple[str, str, str], ...]  # name, when it is legal, what it does
    oracle: str
    error: tuple[str, ...]  # the moves up to and with the mistake
    lesson: str
    example: Example = PROJECTIVE


PAGES = (
    Page(
        "arc-eager",
        "Arc-eager",
        "Arc-eager (Nivre 2003) attaches a word as soon as its head is known, before its own dependents are: a word that "
        "has a head stays on the stack until it is reduced. It is the default here. With ROOT last every derivation ends "
        "in a projective tree after exactly 2n moves; with ROOT first words may be left without a head.",
        (
            ("SHIFT", "the front is not ROOT", "the front of the buffer goes onto the stack"),
            ("LEFT", "the top has no head", "the front becomes head of the top, which leaves the stack"),
            (
                "RIGHT",
                "there is a top, the front is not ROOT",
                "the top becomes head of the front, which goes onto the stack",
            ),
            ("REDUCE", "the top has a head", "the top leaves the stack"),
        ),
        "Gold arcs that can each still be built can all be built together (for projective gold), so the loss is a count of "
        "arcs out of reach, and the cost of a move is a handful of additions, kept up to date at O(1) a move. SHIFT loses "
        "the front's arc to its head on the stack, and its dependents there that have no head yet. RIGHT loses those, and a "
        "head of the front elsewhere. LEFT loses the top's dependents in the buffer, and a head of the top behind the front. "
        "REDUCE loses the top's dependents in the buffer.",
        ("SHIFT", "LEFT(nsubj)", "SHIFT", "SHIFT"),
        "Shifted without a head, *us* can only be attached by LEFT, to a word after it: its own arc is lost, and nothing "
        "else. The oracle knows that a wrong arc for *us* is free now, takes it out of the way, and builds all the rest.",
    ),
    Page(
        "arc-hybrid",
        "Arc-hybrid",
        "Arc-hybrid (Kuhlmann, Gómez-Rodríguez & Satta 2011) takes LEFT from arc-eager and RIGHT from arc-standard: a word "
        "gets its head when it is finished, from the front of the buffer or from the word below it on the stack. Every "
        "derivation has 2n moves and ends in a projective tree.",
        (
            ("SHIFT", "the front is not the last ROOT", "the front of the buffer goes onto the stack"),
            ("LEFT", "the top is not ROOT", "the front becomes head of the top, which leaves the stack"),
            ("RIGHT", "two nodes on the stack", "the second becomes head of the top, which leaves the stack"),
        ),
        "Arc by arc, like arc-eager: the loss is a count. LEFT loses the top's head below it on the stack or behind the "
        "front, and its dependents in the buffer. RIGHT loses the top's head in the buffer, and its dependents there. SHIFT "
        "loses the front's head below the top, and its dependents on the stack.",
        ("SHIFT", "SHIFT"),
        "Once *fed* is above *Mum*, only a word after *fed* could take *Mum* by LEFT, or a word below it by RIGHT: the arc from "
        "*fed* is lost.",
    ),
    Page(
        "arc-standard",
        "Arc-standard",
        "Arc-standard (Nivre 2004) builds from the bottom up: both arcs are between the two topmost nodes of the stack, and a "
        "word must have all its dependents before it gets its head.",
        (
            ("SHIFT", "the buffer is not empty", "the front of the buffer goes onto the stack"),
            (
                "LEFT",
                "two nodes on the stack, the second is not ROOT",
                "the top becomes head of the second, which leaves",
            ),
            (
                "RIGHT",
                "two nodes on the stack, the top is not ROOT",
                "the second becomes head of the top, which leaves",
            ),
        ),
        "Not arc-decomposable: of three nodes on the stack, arcs that can each be built may exclude each other. So a cost is "
        "not a sum. Here it is found by a search with a limit, else by a cubic table (dynamic programming over what the stack "
        "and the reduced buffer can become; Goldberg, Sartorio & Satta 2014); both are exact, the table where all arcs have "
        "one price.",
        ("SHIFT", "SHIFT", "SHIFT", "RIGHT(root)"),
        "*fed* was attached to ROOT before it had a single one of its dependents. It has left the stack, and each of them is "
        "lost with it.",
    ),
    Page(
        "easy-first",
        "Easy-first",
        "Easy-first (Goldberg & Elhadad 2010) has neither stack nor buffer. A list holds all nodes; an action attaches one of "
        "two neighbours to the other, anywhere in the list, and the easiest attachment comes first.",
        (
            ("LEFT@w", "w has a left neighbour that is not ROOT", "w becomes head of its left neighbour, which leaves"),
            ("RIGHT@w", "w has a right neighbour", "w becomes head of its right neighbour, which leaves"),
        ),
        "A node that leaves loses its dependents that are still in the list, and its own arc if the head it gets is wrong and "
        "the right one is still there. Exact for projective gold, O(1) an action. There is no canonical order: any action of "
        "cost 0 is right, which is why the oracle's freedom matters most here.",
        ("RIGHT@5(punct)",),
        "The full stop is attached to its neighbour *soup*, and leaves the list with a wrong head. That arc is lost and no "
        "other: all other words are where they were.",
    ),
    Page(
        "attardi",
        "Attardi",
        "Attardi's system (2006) is arc-standard with two more moves, which skip a word: LEFT2 and RIGHT2 build arcs between "
        "the top and the third node of the stack. That derives most trees with crossing arcs, though not all; `dynarc audit` "
        "says which of a treebank it cannot derive.",
        (
            ("SHIFT", "the buffer is not empty", "the front of the buffer goes onto the stack"),
            ("LEFT, RIGHT", "as in arc-standard", "between the top and the second"),
            (
                "LEFT2",
                "three nodes on the stack, the third is not ROOT",
                "the top becomes head of the third, which leaves",
            ),
            (
                "RIGHT2",
                "three nodes on the stack, the top is not ROOT",
                "the third becomes head of the top, which leaves",
            ),
        ),
        "As in arc-standard arcs exclude each other, so costs come from a search, else from the polynomial Algorithm 1 of "
        "Gómez-Rodríguez, Sartorio & Satta (2014), corrected in four places ([where this differs from the papers](../papers.md)).",
        ("SHIFT", "SHIFT", "SHIFT", "LEFT(det)", "SHIFT", "LEFT(nsubj)"),
        "*letter* left the stack before it had *home*, whose arc crosses that of *today*: that arc is lost, and no other.",
        CROSSING,
    ),
    Page(
        "covington",
        "Covington",
        "Covington's system (2001; Nivre 2008) looks at every pair of words: each new word is compared with those before it, "
        "from the nearest to the farthest. It derives every tree, at the price of a number of moves that may grow with the "
        "square of the length.",
        (
            ("SHIFT", "always", "the next word becomes the right one of the pair, its neighbour the left one"),
            ("NOARC", "there is a left word", "the left one is passed over"),
            ("LEFT", "the left word has no head and no cycle arises", "the right word becomes head of the left one"),
            ("RIGHT", "the right word has no head and no cycle arises", "the left word becomes head of the right one"),
        ),
        "The loss is the number of gold arcs whose pair has gone by, and one for each cycle that arcs still to come would close "
        "with those that were built; a cost is the difference of two losses, found in O(n) (Gómez-Rodríguez & "
        "Fernández-González 2015).",
        ("SHIFT", "LEFT(det)", "SHIFT", "NOARC"),
        "The pair of *letter* and *came* has gone by, and it comes only once: the arc is lost.",
        CROSSING,
    ),
    Page(
        "arc-hybrid-swap",
        "Arc-hybrid with SWAP",
        "Arc-hybrid with one more move: SWAP puts the top of the stack back behind the front of the buffer, so words can be "
        "brought into an order in which the tree is projective. It derives every tree.",
        (
            ("SHIFT, LEFT, RIGHT", "as in arc-hybrid", ""),
            (
                "SWAP",
                "the top comes before the front in the sentence",
                "the top goes back behind the front of the buffer",
            ),
        ),
        "Static-dynamic (de Lhoneux, Stymne & Nivre 2017): whether to swap is decided by the order that words must end in, the "
        "costs of the other moves as in arc-hybrid, with what swaps will still bring about. After errors this is approximate; "
        "how often it errs is in [exactness](../../results/exactness.md). On short sentences the search gives exact costs.",
        ("SHIFT", "LEFT(det)", "SHIFT", "LEFT(nsubj)"),
        "*letter* got its head, and left, before it had *home*: it should have stayed until swaps had brought *home* beside it.",
        CROSSING,
    ),
)


def derivation(page: Page, moves: Iterable[str] = ()) -> tuple[dynarc.State, list[Step], str]:
    """The given moves, then those of the oracle: where it starts, its steps, and all as text."""
    ts = dynarc.system(page.system)
    tree = page.example.tree
    oracle = ts.oracle("dynamic").bind(tree)
    start = ts.initial(list(page.example.forms))
    left = iter(list(moves))
    follow = optimal(tree)

    def choose(state: dynarc.State, costs: object) -> dynarc.Transition | None:
        move = next(left, None)
        if move is not None:
            return dynarc.Transition.parse(move)
        return follow(state, oracle.costs(state))

    steps = list(trace(start, oracle, choose))
    lines = [line.plain.rstrip() for line in step_lines(start, oracle.loss(start), steps, 0)]
    return start, steps, "\n".join(lines)


def figure(page: Page, steps: Sequence[Step]) -> str:
    """The states in which an arc was built, one under the other, as one picture."""
    parts: list[str] = []
    y, width = 12, 0
    built: tuple[int | None, ...] = ()
    for step in steps:
        heads = tuple(step.after.heads)
        if heads == built or all(head is None for head in heads):
            continue
        built = heads
        drawn = page.example.drawing(heads, tuple(step.after.labels))
        cost = "" if not step.cost else f", cost {step.cost:g}"
        text = escape(f"{step.number}  {step.chosen}  {step.after}{cost}")
        inner = picture(replace(drawn, title=None))
        found = re.match(r'<svg[^>]* width="(\d+)" height="(\d+)"', inner)
        assert found is not None
        colour = "#cf222e" if step.cost else "#57606a"
        parts.append(
            f'<text x="12" y="{y + 14}" style="text-anchor: start; font-size: 13px; fill: {colour}">{text}</text>'
        )
        parts.append(inner.replace("<svg ", f'<svg x="12" y="{y + 20}" ', 1))
        width = max(width, int(found[1]), 8 * len(text))
        y += int(found[2]) + 34
    size = f'width="{width + 24}" height="{y}" viewBox="0 0 {width + 24} {y}"'
    style = f"<style>{stylesheet('light')}</style>"
    ground = f'<rect width="{width + 24}" height="{y}" fill="white"/>'
    body = "\n".join(
        [f'<svg xmlns="http://www.w3.org/2000/svg" class="dynarc" {size}>', style, ground, *parts, "</svg>"]
    )
    return body + "\n"


def text_of(page: Page) -> tuple[str, dict[str, str]]:
    """The page, and its pictures by name."""
    _, steps, lines = derivation(page)
    _, wrong_steps, wrong = derivation(page, page.error)
    mistake = wrong_steps[len(page.error) - 1]
    lost = wrong_steps[-1].loss
    moves = "\n".join(f"| `{name}` | {legal} | {does} |" for name, legal, does in page.moves)
    sentence = " ".join(page.example.forms)
    assert mistake.cost, f"{page.system}: {mistake.chosen} costs nothing"
    text = f"""<!-- Written by `{COMMAND}`. -->

# {page.title}

{page.about}

| move | when | what it does |
|---|---|---|
{moves}

```python
import dynarc

ts = dynarc.system("{page.system}")
print(ts.name, ts.projective)                         # {page.system} {dynarc.system(page.system).projective}
```

## A derivation

*{sentence}*, as the oracle builds it. A line has the move, the state after it, what the move costs, and in brackets what the
others would.

```text
{lines}
```

![The arcs as they are built]({page.system}.svg)

## Its oracle

{page.oracle}

## A worked error

Here move {mistake.number} is {mistake.chosen}, which costs {mistake.cost:g}. From then on the dynamic oracle is followed; at the
end {lost:g} of {len(page.example.forms)} arcs {"is" if lost == 1 else "are"} wrong.

```text
{wrong}
```

![The same with the error]({page.system}-error.svg)

{page.lesson}
"""
    return text, {page.system: figure(page, steps), f"{page.system}-error": figure(page, wrong_steps)}


def files() -> dict[Path, str]:
    """All that is written."""
    found: dict[Path, str] = {}
    for page in PAGES:
        text, pictures = text_of(page)
        found[FOLDER / f"{page.system}.md"] = text
        found |= {FOLDER / f"{name}.svg": svg for name, svg in pictures.items()}
    return found


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
