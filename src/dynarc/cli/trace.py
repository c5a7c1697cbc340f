"""dynarc trace: a derivation, one state per line, with the cost of every move."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from dynarc import trace as core
from dynarc.cli.console import count, line_width, stdout, write, write_json
from dynarc.cli.options import (
    NAMES,
    HeadlessOption,
    JsonOption,
    RootOption,
    SingleRootOption,
    make_system,
    refuse,
    system_json,
)
from dynarc.cli.steps import attachment_lines, step_lines
from dynarc.conllu import iter_conllu
from dynarc.decisions import decisions, oracle_for
from dynarc.errors import (
    ConfigError,
    ConlluError,
    DynarcError,
    IllegalTransition,
    NonProjectiveError,
    OracleError,
    TreeError,
)
from dynarc.oracles import BoundOracle, Price
from dynarc.parser import Parser
from dynarc.sentence import Sentence
from dynarc.systems import State, System
from dynarc.trace import Attachment, Policy, Step, attachments
from dynarc.transition import Transition
from dynarc.tree import Tree

Follow = Literal["static", "dynamic", "random", "given"]


@dataclass(frozen=True, slots=True)
class Input:
    """A sentence with its gold tree, and where it is from."""

    tree: Tree
    forms: tuple[str, ...] | None
    where: str | None = None  # path:line
    sent_id: str | None = None
    source: Sentence | None = None  # in the file

    @property
    def title(self) -> str:
        if self.where is None:
            return "heads " + ",".join("_" if head is None else str(head) for head in self.tree.heads)
        return self.where if self.sent_id is None else f"{self.where} sent_id={self.sent_id}"


@dataclass(frozen=True, slots=True)
class Derivation:
    """What is shown."""

    start: State
    start_loss: Price | None
    steps: Sequence[Step]
    oracle: BoundOracle | None  # None without gold

    @property
    def end(self) -> State:
        return self.steps[-1].after if self.steps else self.start

    @property
    def loss(self) -> Price | None:
        return self.steps[-1].loss if self.steps else self.start_loss

    @property
    def tree(self) -> Tree:
        return Tree([None] * len(self.start.heads)) if self.oracle is None else self.oracle.tree

    @property
    def exact(self) -> bool:
        return self.oracle is None or self.oracle.exact

    @property
    def note(self) -> str:
        return "" if self.oracle is None else self.oracle.note

    @property
    def attachments(self) -> list[Attachment]:
        return attachments(self.end, self.tree)

    @property
    def wrong(self) -> list[int]:
        return [a.word for a in self.attachments if a.verdict in ("wrong head", "wrong label")]


def trace(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help="CoNLL-U or CoNLL-X; - is standard input.")] = None,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL", help="Follow a parser: what dynarc train has written. With scores and probabilities."
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            "--system", "-s", metavar="NAME", help=f"The transition system: {NAMES}.", show_default="arc-eager"
        ),
    ] = None,
    root: RootOption = None,
    headless: HeadlessOption = None,
    single_root: SingleRootOption = False,
    sent_id: Annotated[str | None, typer.Option(help="The sentence with this sent_id.")] = None,
    index: Annotated[int | None, typer.Option(min=1, help="The K-th sentence.", metavar="K", show_default="1")] = None,
    heads: Annotated[
        str | None, typer.Option(help="Instead of a file: the gold head of each word, as in 2,0,2; _ is unknown.")
    ] = None,
    forms: Annotated[str | None, typer.Option(help="With --heads: the words, separated by spaces or commas.")] = None,
    deprels: Annotated[str | None, typer.Option(help="With --heads: the label of each word's arc.")] = None,
    follow: Annotated[
        Follow | None,
        typer.Option(
            help="Whom: the static oracle; the dynamic one, which also takes non-projective and partial trees; "
            "at random; or the moves given.",
            show_default="dynamic",
        ),
    ] = None,
    moves: Annotated[
        str | None, typer.Option(help='The moves to follow, as in "SHIFT LEFT(nsubj) RIGHT"; they may stop early.')
    ] = None,
    errors: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="With --follow random: how often any legal move is taken, not a best one.",
            show_default="1",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Of the random choices. With --follow dynamic: any of the best moves, not the first."),
    ] = None,
    labels: Annotated[bool, typer.Option("--labels/--no-labels", help="Label the arcs and price the labels.")] = True,
    nonprojective: Annotated[
        Literal["exact", "formula"],
        typer.Option(help="Costs for gold that the system cannot derive: by search, or approximate and fast."),
    ] = "exact",
    width: Annotated[
        int | None,
        typer.Option(min=0, help="Columns to fit each line into; 0 cuts nothing.", show_default="the terminal's"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Print a derivation with the cost of every move.

    A line has the number of the step, the transition, the state after it, its cost in gold arcs lost, and in
    brackets the costs of the other legal moves. The words and their heads follow.

        dynarc trace dev.conllu --sent-id weblog-31 --system arc-hybrid

        dynarc trace --heads 2,0,2 --forms "She likes tea" --follow static

    With --model the steps are a parser's: with the score and the probability of the transition and, if the file has
    heads, its cost; ! marks errors. In brackets is what it thought next best; after an error, what would have been
    right comes first.

        dynarc trace dev.conllu --model en.dynarc --index 3
    """
    parser = None
    if model is None:
        follow = _follow(follow, moves, errors, seed)
        ts = make_system(system or "arc-eager", root, headless, single_root)
    else:
        if file is None:
            raise ConfigError("--model needs a FILE: a parser sees words with their tags")
        own: dict[str, object] = {"system": system, "root": root, "headless": headless, "single_root": single_root}
        refuse("with --model, which has its own system", **own)
        refuse("with --model: it is what is followed", follow=follow, moves=moves, errors=errors, seed=seed)
        parser = Parser.load(model)
        ts = parser.config.transition_system(single_root=parser.single_root)
    sentence = _sentence(file, sent_id, index, heads, forms, deprels, labels)
    try:
        if parser is not None:
            derivation = parse(parser, sentence, nonprojective)
        else:
            assert follow is not None
            derivation = derive(
                ts, sentence, follow, moves=moves, errors=errors, seed=seed, nonprojective=nonprojective
            )
    except ConfigError:
        raise
    except DynarcError as error:
        raise DynarcError(f"{sentence.title}: {error}{_advice(error, follow)}") from None
    if as_json:
        write_json(as_document(ts, sentence, follow or "model", derivation))
        return
    console = stdout()
    whom = model if follow is None else _following(follow)
    write(console, Text.assemble((sentence.title, "bold"), f", {ts.describe()}, following {whom}"))
    if not derivation.exact:
        write(console, Text(f"The costs are not exact: {derivation.note}.", "yellow"))
    write(console, "")
    show(console, derivation, line_width(console) if width is None else width)


def parse(parser: Parser, sentence: Input, nonprojective: Literal["exact", "formula"]) -> Derivation:
    """What the parser does with a sentence of a file. Without a single head the file has no gold."""
    assert sentence.source is not None
    known = any(head is not None for head in sentence.tree.heads)
    oracle = oracle_for(parser, sentence.tree, nonprojective) if known else None
    steps = list(decisions(parser, sentence.source, oracle))
    start = steps[0].state
    return Derivation(start, None if oracle is None else oracle.loss(start), steps, oracle)


def derive(
    ts: System,
    sentence: Input,
    follow: Follow,
    *,
    moves: str | None = None,
    errors: float | None = None,
    seed: int | None = None,
    nonprojective: Literal["exact", "formula"] = "exact",
) -> Derivation:
    tree = sentence.tree
    oracle = ts.oracle("dynamic", nonprojective=nonprojective).bind(tree)
    start = ts.initial(len(tree) if sentence.forms is None else sentence.forms)
    wanted = [] if moves is None else [Transition.parse(move) for move in moves.split()]
    policy: Policy
    if follow == "static":
        policy = core.given(ts.derivation(tree))
    elif follow == "given":
        policy = core.given(wanted)
    elif follow == "random":
        policy = core.erring(tree, random.Random(1 if seed is None else seed), 1.0 if errors is None else errors)
    else:
        policy = core.optimal(tree, None if seed is None else random.Random(seed))
    derivation = Derivation(start, oracle.loss(start), list(core.trace(start, oracle, policy)), oracle)
    if len(derivation.steps) < len(wanted):
        done, extra = len(derivation.steps), wanted[len(derivation.steps)]
        raise IllegalTransition(f"transition {done + 1}: {extra} comes after the end, {derivation.end!r} is final")
    return derivation


def show(console: Console, derivation: Derivation, width: int) -> None:
    """The derivation and how it ended."""
    write(console, *step_lines(derivation.start, derivation.start_loss, derivation.steps, width), "")
    write(console, *attachment_lines(derivation.attachments), "", _ending(derivation))


def _ending(derivation: Derivation) -> Text:
    known = sum(head is not None for head in derivation.tree.heads)
    if derivation.loss is None:
        return Text(f"{count(len(derivation.steps), 'step')}; the file has no heads to compare with.")
    arcs, loss = count(known, "gold arc"), f"loss {derivation.loss:g}"
    wrong = len(derivation.wrong)
    if not derivation.end.is_final:
        return Text(f"Stopped before the end: {loss}, {wrong} of {arcs} wrong so far.", "yellow")
    if wrong:
        return Text(f"{wrong} of {arcs} wrong, {loss}.", "bold red")
    return Text(f"No wrong arc, {arcs} built, {loss}.", "bold green")


def as_document(
    ts: System, sentence: Input, follow: Follow | Literal["model"], derivation: Derivation
) -> dict[str, object]:
    def state(state: State) -> dict[str, object]:
        pair = {} if state.i is None else {"i": state.i, "j": state.j}
        return {"stack": state.stack, "buffer": state.buffer, "heads": state.heads, "labels": state.labels, **pair}

    tree = sentence.tree
    return {
        "system": system_json(ts),
        "follow": follow,
        "source": sentence.where,
        "sent_id": sentence.sent_id,
        "forms": sentence.forms,
        "gold": {"heads": tree.heads, "deprels": tree.deprels},
        "exact": derivation.exact,
        "note": derivation.note,
        "start": {"state": state(derivation.start), "loss": derivation.start_loss},
        "steps": [
            {
                "step": step.number,
                "transition": str(step.chosen),
                "cost": step.cost,
                "costs": _by_text(step.costs),  # of what was legal before it
                **({} if step.scores is None else {"scores": _by_text(step.scores), "probs": _by_text(step.probs)}),
                "state": state(step.after),
                "loss": step.loss,
            }
            for step in derivation.steps
        ],
        "final": derivation.end.is_final,
        "loss": derivation.loss,
        "words": [asdict(a) for a in derivation.attachments],
        "wrong": derivation.wrong,
    }


def _by_text(values: Mapping[Transition, float] | None) -> dict[str, float] | None:
    return None if values is None else {str(t): value for t, value in values.items()}


def _follow(follow: Follow | None, moves: str | None, errors: float | None, seed: int | None) -> Follow:
    if follow is None:
        follow = "dynamic" if moves is None else "given"
    if follow == "given" and moves is None:
        raise ConfigError('--follow given needs the moves: --moves "SHIFT LEFT(nsubj) ..."')
    if follow != "given":
        refuse(f"with --follow {follow}", moves=moves)
    if follow != "random":
        refuse(f"with --follow {follow}; use --follow random", errors=errors)
    if follow in ("static", "given"):
        refuse(f"with --follow {follow}, which leaves no choice", seed=seed)
    return follow


def _following(follow: Follow) -> str:
    return {
        "static": "the static oracle",
        "dynamic": "the dynamic oracle",
        "random": "random moves",
        "given": "the moves given",
    }[follow]


def _sentence(
    file: str | None,
    sent_id: str | None,
    index: int | None,
    heads: str | None,
    forms: str | None,
    deprels: str | None,
    labels: bool,
) -> Input:
    if file is not None:
        refuse("with FILE, which has them", heads=heads, forms=forms, deprels=deprels)
        if sent_id is not None and index is not None:
            raise ConfigError("--sent-id and --index both choose the sentence; give one of them")
        found = _find(file, sent_id, index or 1)
        where = f"{found.path}:{found.line}"
        try:
            tree = Tree(found.heads, found.deprels if labels else None)
        except TreeError as error:
            raise TreeError(f"{where}: {error}; 'dynarc audit {file}' lists every such sentence") from None
        return Input(tree, tuple(found.forms), where, found.sent_id, found)
    if heads is None:
        raise ConfigError("nothing to trace: name a FILE, or give a tree as in --heads 2,0,2 --forms 'She likes tea'")
    refuse("with --heads: it chooses a sentence of a FILE", sent_id=sent_id, index=index)
    tree_heads = [_head(text) for text in _listed(heads)]
    words = None if forms is None else tuple(_listed(forms))
    tree_labels = None if deprels is None else tuple(_listed(deprels))
    for name, values in (("--forms", words), ("--deprels", tree_labels)):
        if values is not None and len(values) != len(tree_heads):
            raise ConfigError(f"--heads has {count(len(tree_heads), 'word')}, but {name} has {len(values)}")
    return Input(Tree(tree_heads, tree_labels if labels else None), words)


def _find(file: str, sent_id: str | None, index: int) -> Sentence:
    number = 0
    name = file
    for number, sentence in enumerate(iter_conllu(file, check_trees=False), start=1):
        name = sentence.path
        if sentence.sent_id == sent_id if sent_id is not None else number == index:
            return sentence
    if sent_id is not None:
        raise ConlluError(name, None, f"none of its {count(number, 'sentence')} has sent_id {sent_id}; try --index")
    raise ConlluError(name, None, f"there is no sentence {index}: it has {count(number, 'sentence')}")


def _advice(error: DynarcError, follow: Follow | None) -> str:
    """What to do next, where the error does not say it in terms of options."""
    if isinstance(error, NonProjectiveError):
        return "; use --follow dynamic, or --system arc-hybrid-swap or covington"
    if isinstance(error, OracleError):
        return "; use --follow dynamic" if follow == "static" else "; try --nonprojective formula or another --system"
    return ""


def _listed(text: str) -> list[str]:
    """Items as people list them: with spaces if there are any, else with commas."""
    return text.split() if any(map(str.isspace, text.strip())) else text.strip().split(",")


def _head(text: str) -> int | None:
    text = text.rstrip(",")
    if text == "_":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ConfigError(f"--heads has {text!r}, but heads are numbers, 0 is ROOT and _ is unknown: --heads 2,0,2")
    return int(text)
