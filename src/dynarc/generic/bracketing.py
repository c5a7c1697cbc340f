"""Constituency parsing by bracketing: a sentence is read from left to right, brackets are opened and closed on the way.

Actions are `X(` for each label X, `SHIFT` for the next word, and `)`. A tree is its sequence of actions:
`S( John VP( hit NP( the ball ) ) )` is S( SHIFT VP( SHIFT NP( SHIFT SHIFT ) ) ).
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple, Self

from dynarc.errors import ConfigError, IllegalTransition
from dynarc.generic.automaton import Automaton, Symbols
from dynarc.generic.oracle import END, Oracle
from dynarc.generic.task import Task
from dynarc.generic.words import Word, form, tag

SHIFT, CLOSE = "SHIFT", ")"
NONE, ONE_WORD, ONE_BRACKET, MORE = range(4)  # children of the innermost open bracket

Span = tuple[str, int, int]


# Words that the innermost open bracket needs until it can be closed, by its children; the second row is for `single`.
NEEDS = ((2, 1, 1, 0), (1, 0, 1, 0))


class Brackets(NamedTuple):
    """Which brackets are open, as far as that decides what may follow: the exact successor function.

    No bracket is empty, none has a bracket as its only child and, unless `single`, none has a word as its only child.
    One bracket spans the sentence.
    """

    left: int  # words
    single: bool  # brackets over one word are allowed
    filled: tuple[bool, ...] = ()  # of the open brackets but the innermost, outermost first: has it children yet?
    children: int = NONE
    depth: int = 0
    begun: bool = False

    @property
    def is_done(self) -> bool:
        return self.begun and not self.depth and not self.left

    def _if_possible(self) -> "Brackets | None":
        """None if there are not words enough until all open brackets can be closed."""
        need = NEEDS[self.single][self.children] + self.filled.count(False) if self.depth else 0
        return self if need <= self.left else None

    def opened(self) -> "Brackets | None":
        """After opening a bracket, None if that may not be."""
        if self.begun and not self.depth:
            return None
        filled = (*self.filled, self.children != NONE) if self.depth else ()
        return Brackets(self.left, self.single, filled, NONE, self.depth + 1, True)._if_possible()

    def shifted(self) -> "Brackets | None":
        if not self.depth or not self.left:
            return None
        children = ONE_WORD if self.children == NONE else MORE
        return Brackets(self.left - 1, self.single, self.filled, children, self.depth, True)._if_possible()

    def closed(self) -> "Brackets | None":
        may = self.children == MORE or (self.single and self.children == ONE_WORD)
        if not self.depth or not may or (self.depth == 1 and self.left):
            return None
        if self.depth == 1:
            return Brackets(self.left, self.single, begun=True)
        children = MORE if self.filled[-1] else ONE_BRACKET
        return Brackets(self.left, self.single, self.filled[:-1], children, self.depth - 1, True)


class BracketState:
    """What was built so far, for the features, and what may follow."""

    def __init__(self, x: Sequence[Word], opens: Sequence[str], single: bool) -> None:
        self.x = x
        self.actions: list[str] = []
        self.is_final = False
        self.at = 0  # the next word
        self.open: list[tuple[str, int, list[str]]] = []  # label, first word, labels or tags of children
        # With neighbours that are not there, for the features.
        before, after = ["<none>"] * 2, ["<none>"] * 4
        self.forms = [*before, *map(form, x), *after]
        self.tags = [*before, *(tag(word) or form(word) for word in x), *after]
        self._opens = opens
        self._go(Brackets(len(x), single or len(x) == 1))

    def _go(self, brackets: Brackets) -> None:
        self._brackets = brackets
        self._after = brackets.opened(), brackets.shifted(), brackets.closed()

    def legal(self) -> list[str]:
        opened, shifted, closed = self._after
        legal = [*self._opens] if opened is not None else []
        if shifted is not None:
            legal.append(SHIFT)
        if closed is not None:
            legal.append(CLOSE)
        return [END] if self._brackets.is_done else legal

    def apply(self, action: str) -> None:
        opened, shifted, closed = self._after
        if action == SHIFT and shifted is not None:
            self.open[-1][2].append(self.tags[self.at + 2])
            self.at += 1
            self._go(shifted)
        elif action == CLOSE and closed is not None:
            label = self.open.pop()[0]
            if self.open:
                self.open[-1][2].append(label)
            self._go(closed)
        elif opened is not None and action in self._opens:
            self.open.append((action[:-1], self.at, []))
            self._go(opened)
        elif action == END and self._brackets.is_done:
            self.is_final = True
        else:
            raise IllegalTransition(f"{action!r} is not legal here; legal are {', '.join(self.legal())}")
        self.actions.append(action)

    def copy(self) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.actions = list(self.actions)
        twin.open = [(label, first, list(children)) for label, first, children in self.open]
        return twin

    def key(self) -> Hashable:
        return tuple(self.actions)

    def __repr__(self) -> str:
        words = iter(self.x)
        return " ".join(form(next(words)) if action == SHIFT else action for action in self.actions) or "(nothing)"


class Bracketing(Task):
    """Words, perhaps with tags, to brackets. `y` is the sequence of actions of the right tree.

    A bracket that is missing, or too many, costs 1, and a wrong label too; a closing bracket too many or missing costs
    `closing`. Brackets are compared as sequences, not as spans, so the loss is not the F-score, only near it:
    `check_loss` finds where. 0 is what Teichmann and Venant print, and the worst of 0, 0.5 and 1 (ORACLES 8).

    `successor="exact"` has an automaton that knows which brackets have children, exponential in the depth, so for short
    sentences; `"quadratic"` counts open brackets only: it also admits brackets whose only child is a bracket, which is
    cheaper and sometimes wrong about what can still be had. What may be *done* is exact either way. With `single`,
    brackets over one word are allowed, as treebanks have them.

    >>> task = Bracketing(["S", "VP", "NP"], closing=0, successor="quadratic")
    >>> oracle = task.oracle("John hit the ball".split(), "S( SHIFT VP( SHIFT NP( SHIFT SHIFT ) ) )".split())
    >>> for action in ("S(", "SHIFT", "NP("):
    ...     oracle.advance(action)
    >>> oracle.values()
    {'SHIFT': 1.0, 'S(': 2.0, 'VP(': 1.0, 'NP(': 2.0}
    """

    metric = "F1 of brackets"

    def __init__(
        self,
        labels: Sequence[str],
        *,
        closing: float = 0.5,
        successor: Literal["exact", "quadratic"] = "quadratic",
        single: bool = False,
    ) -> None:
        if successor not in ("exact", "quadratic"):
            raise ConfigError(f"there is no successor function {successor!r}", "successor", ("exact", "quadratic"))
        self.labels = tuple(labels)
        self.closing = closing
        self.successor = successor
        self.single = single
        self.actions = (*(f"{label}(" for label in labels), SHIFT, CLOSE)
        self.templates = TEMPLATES
        self._opens = tuple(f"{label}(" for label in labels)
        self._symbols = Symbols(self.actions)
        # The automata are the same for all sentences of one length and trees with so many labels: see `oracle`.
        self._placeholders = Symbols([SHIFT, CLOSE])
        self._structure = lru_cache(maxsize=256)(self._admissible)
        self._edits = lru_cache(maxsize=64)(self._edit_distance)

    def start(self, x: Sequence[Word]) -> BracketState:
        return BracketState(x, self._opens, self.single)

    def constraints(self, x: Sequence[Word]) -> Automaton:
        return self._admissible(len(x), self._opens, self._symbols)

    def loss(self, x: Sequence[Word], y: Sequence[str]) -> Automaton:
        return self._edit_distance(self._opens, self._symbols)

    def gold(self, x: Sequence[Word], y: Sequence[str]) -> Sequence[str]:
        return y

    def derivation(self, x: Sequence[Word], y: Sequence[str]) -> Sequence[str]:
        return y

    def oracle(self, x: Sequence[Word], y: Sequence[str]) -> Oracle:
        """As for any task, but the labels that are not in the tree are all alike, and the others have numbers."""
        opens = [action for action in dict.fromkeys(y) if action.endswith("(")]
        numbers = {action: f"{number}(" for number, action in enumerate(opens)}
        others = tuple(action for action in self.actions if action.endswith("(") and action not in numbers)
        alike: dict[str, tuple[str, ...]] = {
            SHIFT: (SHIFT,),
            CLOSE: (CLOSE,),
            **{name: (action,) for action, name in numbers.items()},
        }
        names = tuple(numbers.values())
        if others:
            names = (*names, "*(")
            alike["*("] = others
        return Oracle(
            self._structure(len(x), names, self._placeholders),
            self._edits(names, self._placeholders),
            [numbers.get(action, action) for action in y],
            alike=alike,
        )

    def _admissible(self, words: int, opens: tuple[str, ...], symbols: Symbols) -> Automaton:
        single = self.single or words == 1
        if self.successor == "exact":
            return self._exact(Brackets(words, single), opens, symbols)
        # (open, words, has the innermost a child?); nothing is open at the start and at the end.
        automaton = Automaton(symbols)
        start, end = automaton.add_state(), automaton.add_state(final=0)
        first = automaton.add_states(2 * words * (words + 1))[0]

        def state(depth: int, done: int, child: bool) -> int:
            return first + 2 * ((depth - 1) * (words + 1) + done) + child

        if words:
            automaton.add_arcs(start, opens, state(1, 0, False))
        for depth in range(1, words + 1):
            for done in range(words + 1):
                for child in (False, True):
                    source = state(depth, done, child)
                    if depth < words and done < words:
                        automaton.add_arcs(source, opens, state(depth + 1, done, False))
                    if done < words:
                        automaton.add_arc(source, SHIFT, state(depth, done + 1, True))
                    if child and depth > 1:
                        automaton.add_arc(source, CLOSE, state(depth - 1, done, True))
                    elif child and done == words:
                        automaton.add_arc(source, CLOSE, end)
        return automaton.trim()

    def _exact(self, first: Brackets, opens: tuple[str, ...], symbols: Symbols) -> Automaton:
        automaton = Automaton(symbols)
        numbers = {first: automaton.add_state()}
        todo = [first]
        while todo:
            brackets = todo.pop()
            if brackets.is_done:
                automaton.set_final(numbers[brackets])
            ways = (opens, brackets.opened()), ((SHIFT,), brackets.shifted()), ((CLOSE,), brackets.closed())
            for actions, after in ways:
                if after is None:
                    continue
                if after not in numbers:
                    numbers[after] = automaton.add_state()
                    todo.append(after)
                automaton.add_arcs(numbers[brackets], actions, numbers[after])
        return automaton

    def _edit_distance(self, opens: tuple[str, ...], symbols: Symbols) -> Automaton:
        automaton = Automaton(symbols)
        automaton.add_state(final=0)
        automaton.add_arcs(0, (SHIFT, CLOSE), 0)
        automaton.add_arc(0, CLOSE, 0, output=None, weight=self.closing)
        automaton.add_arc(0, None, 0, output=CLOSE, weight=self.closing)
        for action in opens:
            automaton.add_arc(0, action, 0, output=None, weight=1)
            automaton.add_arc(0, None, 0, output=action, weight=1)
            for other in opens:
                automaton.add_arc(0, action, 0, output=other, weight=action != other)
        return automaton

    def features(self, state: BracketState) -> dict[str, str | None]:
        return values_of(state)

    def loss_of(self, state: BracketState, y: Sequence[str]) -> float:
        return bracket_edits([a for a in state.actions if a != END], list(y), self.closing)

    def score(self, outputs: Sequence[Sequence[str]], golds: Sequence[Sequence[str]]) -> float:
        return f_score(outputs, golds)

    def is_right(self, output: Any, y: Any) -> bool:
        return list(output) == list(y)

    def options(self) -> dict[str, Any]:
        rest = {"closing": self.closing, "successor": self.successor, "single": self.single}
        return {"labels": list(self.labels), **rest}


def spans(actions: Iterable[str]) -> list[Span]:
    """Label, first and last word of every bracket, as they are closed; a label such as `S+VP` is two brackets.

    >>> spans("S( SHIFT VP( SHIFT SHIFT ) )".split())
    [('VP', 1, 2), ('S', 0, 2)]
    """
    found: list[Span] = []
    stack: list[tuple[str, int]] = []
    at = 0
    for action in actions:
        if action == SHIFT:
            at += 1
        elif action == CLOSE:
            labels, first = stack.pop()
            found += [(label, first, at - 1) for label in reversed(labels.split("+"))]
        elif action != END:
            stack.append((action[:-1], at))
    return found


def f_score(outputs: Iterable[Sequence[str]], golds: Iterable[Sequence[str]]) -> float:
    """F1 of labelled brackets in percent, over all sentences: the root and punctuation count like all others."""
    found = right = wanted = 0
    for out, gold in zip(outputs, golds, strict=True):
        ours, theirs = Counter(spans(out)), Counter(spans(gold))
        found, wanted, right = found + ours.total(), wanted + theirs.total(), right + (ours & theirs).total()
    return 200 * right / max(1, found + wanted)


def bracket_edits(a: Sequence[str], b: Sequence[str], closing: float) -> float:
    """The least price of turning one sequence into the other; words stay what they are."""

    def price(action: str) -> float:
        return float("inf") if action == SHIFT else closing if action == CLOSE else 1

    def swap(one: str, other: str) -> float:
        return 0 if one == other else 1 if one.endswith("(") and other.endswith("(") else float("inf")

    row = [0.0]
    for other in b:
        row.append(row[-1] + price(other))
    for one in a:
        before, row[0] = row[0], row[0] + price(one)
        for j, other in enumerate(b, start=1):
            before, row[j] = row[j], min(row[j] + price(one), row[j - 1] + price(other), before + swap(one, other))
    return row[-1]


def top_down(words: int, decided: Iterable[Span], opens: Sequence[str]) -> Automaton:
    """All sequences with the brackets that were decided from the top: those that are not yet decided may come anywhere
    within the smallest decided ones. That is what a parser knows that splits spans instead of reading from left to
    right.

    `opens` are the actions that open brackets. `Oracle.value` says what loss can be had with it.
    """
    automaton = Automaton()
    known = sorted(decided, key=lambda span: (span[1], -span[2]))
    state = automaton.add_state()

    def within(state: int, first: int, last: int) -> int:
        """Words with balanced brackets anywhere: states count the open ones."""
        most = last - first + 1
        columns = [automaton.add_states(most + 1) for _ in range(most + 1)]
        automaton.add_arc(state, None, columns[0][0])
        for done, column in enumerate(columns):
            for depth, here in enumerate(column):
                if depth < most:
                    automaton.add_arcs(here, opens, column[depth + 1])
                if depth:
                    automaton.add_arc(here, CLOSE, column[depth - 1])
                if done < most:
                    automaton.add_arc(here, SHIFT, columns[done + 1][depth])
        return columns[-1][0]

    def bracket(state: int, number: int) -> tuple[int, int]:
        """A decided bracket and all within it; the state after it, and the next decided one."""
        label, first, last = known[number]
        inner = automaton.add_state()
        automaton.add_arc(state, f"{label}(", inner)
        number += 1
        if number == len(known) or known[number][1] > last:
            inner = within(inner, first, last)
        else:
            at = first
            while at <= last:
                if number < len(known) and known[number][1] == at:
                    at = known[number][2] + 1
                    inner, number = bracket(inner, number)
                else:
                    after = automaton.add_state()
                    automaton.add_arc(inner, SHIFT, after)
                    inner, at = after, at + 1
        after = automaton.add_state()
        automaton.add_arc(inner, CLOSE, after)
        return after, number

    if not known:
        end = within(state, 0, words - 1)
    else:
        if known[0][1:] != (0, words - 1):
            raise ConfigError("the first bracket that is decided from the top spans the sentence")
        end, _ = bracket(state, 0)
    automaton.set_final(end)
    return automaton


def _bucket(number: int) -> str:
    return str(number) if number < 4 else "4-6" if number < 7 else "7-12" if number < 13 else "13+"


NOTHING: tuple[str, int, list[str]] = ("<none>", 0, [])


def values_of(state: BracketState) -> dict[str, str | None]:
    """What is seen: the next words and the last, the open brackets with their children, the last actions."""
    at, open_, actions = state.at, state.open, state.actions
    w2, w3, w4 = state.forms[at + 1 : at + 4]
    t1, t2, t3, t4, t5, t6 = state.tags[at : at + 6]
    depth = len(open_)
    label, first, children = open_[-1] if depth else NOTHING
    outer = open_[-2] if depth > 1 else NOTHING
    count, done = len(children), len(actions)
    return {
        "w-1": w2, "w0": w3, "w1": w4, "t-2": t1, "t-1": t2, "t0": t3, "t1": t4, "t2": t5, "t3": t6,
        "l0": label, "l1": outer[0], "l2": open_[-3][0] if depth > 2 else "<none>",
        "k0": children[-1] if count else "<none>",
        "j0": children[-2] if count > 1 else "<none>",
        "i0": children[-3] if count > 2 else "<none>",
        "first": children[0] if count else "<none>",
        "k1": outer[2][-1] if outer[2] else "<none>",
        "n0": "0123"[min(count, 3)],
        "f0": state.tags[first + 2],
        "d0": _bucket(at - first),
        "a1": actions[-1] if done else "<none>",
        "a2": actions[-2] if done > 1 else "<none>",
        "a3": actions[-3] if done > 2 else "<none>",
        "left": _bucket(len(state.x) - at),
        "depth": _bucket(depth),
    }  # fmt: skip


TEMPLATES = (
    "l0", "l0+l1", "l0+l1+l2", "a1", "a1+a2", "a1+a2+a3", "a1+a2+t0", "a1+a2+a3+t0", "t0", "w0", "t0+t1", "t0+t1+t2",
    "t-1+t0", "t-1+t0+t1", "w-1", "w0+t1", "t0+w1", "w-1+w0", "w-1+t0", "t-1+w0", "t-2+t-1+t0", "t0+t1+t2+t3",
    "a1+t0+t1", "a1+t0+t1+t2", "a1+w0", "a1+a2+w0", "a1+a2+t0+t1", "a1+w0+t1", "a1+l0+l1+t0+t1", "a1+a2+a3+t0+t1",
    "l0+t0", "l0+w0", "l0+t-1", "l0+w-1", "l0+t0+t1", "l0+t-1+t0", "l0+l1+t0", "l0+l1+t0+t1", "l0+l1+l2+t0", "l1+t0",
    "l0+k0", "l0+j0+k0", "l0+i0+j0+k0", "l0+k0+t0", "l0+k0+w0", "l0+j0+k0+t0", "l0+i0+j0+k0+t0", "l0+k0+t0+t1",
    "l0+j0+k0+t0+t1",
    "l0+n0", "l0+n0+t0", "l0+n0+t0+t1", "l0+d0", "l0+d0+t0", "l0+f0+t0", "l0+first+k0+t0", "l0+first+t0+t1",
    "l0+l1+k0", "l0+l1+k0+t0", "l0+l1+k0+k1", "l0+l1+k1+t0", "l0+k0+l1+k1+t0", "l0+l1+k0+t0+t1", "l0+w-1+t0",
    "l0+k0+w-1+t0",
    "l0+l1+w0", "l0+left", "l0+l1+left+t0", "depth+l0+t0", "l0+w1", "l0+t-1+t0+t1", "l0+t-2+t-1+t0", "l0+w-1+w0",
)  # fmt: skip
