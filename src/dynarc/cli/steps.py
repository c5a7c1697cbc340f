"""A derivation as text: one state per line, in columns, cut to the width there is."""

from collections.abc import Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from dynarc.cli.console import GAP, Cell, Column, Columns
from dynarc.oracles import Price
from dynarc.systems import State
from dynarc.trace import Attachment, Step
from dynarc.transition import Transition

ELLIPSIS = "…"
# Narrower than this a column says nothing.
LEAST = 10
# Of the transitions that a parser did not take, the best are worth a look.
RIVALS = 4


def step_lines(start: State, loss: Price | None, steps: Sequence[Step], width: int) -> list[Text]:
    """A line for the first state and one for each step; a `width` of 0 cuts nothing.

    Where a parser chose, scores and probabilities stand before costs, and the other transitions are those that it
    thought best.
    """
    states = [start, *(step.after for step in steps)]
    moves = ["", *(str(step.chosen) for step in steps)]
    scored = any(step.scores is not None for step in steps)
    prices = ["" if loss is None else f"loss {loss:g}", *map(_price, steps)]
    others = [_legend(steps), *map(_alternatives, steps)]
    parts = [_parts(state) for state in states]

    first = len(start.history)
    fixed = [len(str(first + len(steps))), _widest(moves), _widest(prices)]
    state_widths = [_widest(texts) for texts in zip(*(map(_full, row) for row in parts), strict=True)]
    others_width = max(sum(cell_len(name) + 2 for name in names) for names in others)
    if width:
        room = width - sum(fixed) - len(GAP) * (len(fixed) + len(parts[0]))
        most = width * (4 if scored else 3) // 10
        others_width = min(others_width, most, max(0, room - LEAST * len(parts[0])))
        state_widths = share(state_widths, room - others_width)
    columns = Columns(
        [
            Column("", right=True, width=fixed[0]),
            Column("", width=fixed[1]),
            *(Column("", width=part) for part in state_widths),
            Column("", right=scored, width=fixed[2]),
            Column(""),
        ]
    )
    lines = []
    for number, (move, row, price, names) in enumerate(zip(moves, parts, prices, others, strict=True)):
        costly = number > 0 and bool(steps[number - 1].cost)
        cells: list[Cell] = [Text(str(first + number), "dim"), Text(move, "bold red" if costly else "bold cyan")]
        cells += [_cut(part, limit) for part, limit in zip(row, state_widths, strict=True)]
        cells += [
            Text(price, "bold red" if costly else "green"),
            Text(_others(names, others_width, more="" if scored else ELLIPSIS), "dim"),
        ]
        lines.append(columns.row(cells))
    return lines


def _price(step: Step) -> str:
    """The cost of a step; where a parser chose, after its score, and with a mark if it was wrong."""
    if step.scores is None:
        return f"cost {step.cost:g}"
    return ("! " if step.cost else "") + _rated(step, step.chosen)


def _rated(step: Step, t: Transition) -> str:
    score = step.scores[t] if step.scores else 0.0
    text = f"{score:.0f}" if abs(score) >= 100 else f"{score:.1f}"
    if step.probs is not None:
        text += f" {_percent(step.probs[t])}"
    return text if step.costs is None else f"{text}/{step.costs[t]:g}"


def _percent(p: float) -> str:
    """Whole, but neither certain nor impossible unless it is."""
    return "<1%" if 0 < p < 0.005 else ">99%" if 0.995 <= p < 1 else f"{p:.0%}"


def _alternatives(step: Step) -> list[str]:
    """What else could have been done. Where a parser chose wrongly, what was right comes first."""
    if step.scores is None:
        return [f"{t} {cost:g}" for t, cost in step.others]
    rivals = [t for t, _ in step.rivals]
    if step.cost and step.costs is not None:
        least = min(step.costs.values())
        rivals.sort(key=lambda t: step.costs is not None and step.costs[t] > least)
    return [f"{t} {_rated(step, t)}" for t in rivals[:RIVALS]]


def _legend(steps: Sequence[Step]) -> list[str]:
    """What stands in brackets, where it does not go without saying."""
    if not steps or steps[0].scores is None:
        return []
    named = "next best: score" + ("" if steps[0].probs is None else " probability")
    return [named if steps[0].costs is None else f"{named}/cost"]


def attachment_lines(found: Sequence[Attachment]) -> list[Text]:
    """A table of the words, the gold arc of each, if any is known, and the one that was built."""
    if all(a.verdict == "gold unknown" for a in found):
        bare = [[str(a.word), a.form, _arc(a.head, a.label)] for a in found]
        table = Columns.fitted([Column("word", right=True), Column("form"), Column("built")], bare)
        return [table.header(), *map(table.row, bare)]
    rows = [
        [
            str(a.word),
            a.form,
            _arc(a.gold_head, a.gold_label),
            _arc(a.head, a.label),
            "" if a.verdict == "right" else a.verdict,
        ]
        for a in found
    ]
    columns = [Column("word", right=True), Column("form"), Column("gold"), Column("built"), Column("")]
    table = Columns.fitted(columns, rows)
    styles = {"wrong head": "red", "wrong label": "red"}
    return [table.header(), *(table.row(row, styles.get(a.verdict, "")) for a, row in zip(found, rows, strict=True))]


def share(wanted: Sequence[int], room: int) -> list[int]:
    """Divides the room, but gives no column more than it wants, nor less than makes sense.

    The first column is the stack, where more happens than in the others: it weighs half as much again.
    """
    weights = [3] + [2] * (len(wanted) - 1)
    given = [0] * len(wanted)
    todo = sorted(range(len(wanted)), key=lambda column: wanted[column] / weights[column])
    while todo:
        fair = room * weights[todo[0]] // sum(weights[column] for column in todo)
        column = todo.pop(0)
        reserved = sum(min(wanted[other], LEAST) for other in todo)
        given[column] = min(wanted[column], max(min(fair, room - reserved), LEAST))
        room -= given[column]
    return given


# A part of a state: its brackets, its words, and the end at which the parser works.
_Part = tuple[str, list[str], str]


def _parts(state: State) -> list[_Part]:
    stack = [state.word(node) for node in state.stack]
    buffer = [state.word(node) for node in state.buffer]
    if state.system.name == "easy-first":
        return [("[]", stack, "left")]
    if state.i is not None and state.j is not None:
        passed = [state.word(node) for node in range(state.i + 1, state.j)]
        return [("[]", stack, "right"), ("()", passed, "left"), ("[]", buffer, "left")]
    return [("[]", stack, "right"), ("[]", buffer, "left")]


def _full(part: _Part) -> str:
    brackets, words, _ = part
    return f"{brackets[0]}{' '.join(words)}{brackets[1]}"


def _cut(part: _Part, width: int) -> str:
    brackets, words, end = part
    full = _full(part)
    return full if cell_len(full) <= width else f"{brackets[0]}{shorten(words, width - 2, end)}{brackets[1]}"


def shorten(words: Sequence[str], width: int, end: str) -> str:
    """The words with some left out in the middle; of those that stay, two in three are at the `end`."""
    words = [_clip(word, max(6, width // 2)) for word in words]
    if cell_len(" ".join(words)) <= width:
        return " ".join(words)
    room = width - cell_len(ELLIPSIS)
    first, last = 0, len(words)
    for turn in range(len(words)):
        from_left = (turn % 3 != 2) == (end == "left")
        word = words[first] if from_left else words[last - 1]
        room -= cell_len(word) + 1
        if room < 0:
            break
        if from_left:
            first += 1
        else:
            last -= 1
    return " ".join([*words[:first], ELLIPSIS, *words[last:]])


def _clip(text: str, width: int) -> str:
    return text if cell_len(text) <= width else set_cell_size(text, width - 1).rstrip() + ELLIPSIS


def _others(names: Sequence[str], width: int, more: str) -> str:
    """The other moves, as many as there is room for, and `more` if that is not all."""
    full = f"({', '.join(names)})" if names else ""
    if cell_len(full) <= width:
        return full
    end = [more] if more else []
    room = width - cell_len(f"({more})") + (0 if more else 2)  # the last name has no comma
    shown = []
    for name in names:
        room -= cell_len(name) + 2
        if room < 0:
            break
        shown.append(name)
    return f"({', '.join([*shown, *end])})" if shown else ""


def _arc(head: int | None, label: str | None) -> str:
    return " ".join(["-" if head is None else str(head), *([] if label is None else [label])])


def _widest(texts: Sequence[str]) -> int:
    return max(map(cell_len, texts), default=0)
