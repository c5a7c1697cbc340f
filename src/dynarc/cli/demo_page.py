"""The report of `dynarc demo`: what was trained, static against dynamic, some sentences, errors by label."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dynarc.cli.console import count
from dynarc.config import TrainConfig
from dynarc.draw import Drawing, html
from dynarc.draw.html import Figure, Html, Section, join, markup
from dynarc.evaluation import Scores, compare
from dynarc.treebank import Treebank

# Sentences drawn, and how long and how wrong they may be: for a look, not for a study.
DRAWN = 6
LONGEST = 13
MOST_ERRORS = 3
LABELS = 15

CSS = """figure { margin: 1.2rem 0; }
figcaption { color: var(--faint); }"""


@dataclass(frozen=True, slots=True)
class Run:
    """A parser that the demo has trained, and what it made of dev."""

    config: TrainConfig
    scores: Scores
    parsed: Treebank
    seconds: float


def page(runs: Sequence[Run], train: Treebank, dev: Treebank) -> str:
    """The whole page; the last run is the one that is looked at more closely."""
    static, last = runs[0], runs[-1]
    sections = [
        Section("What was trained", _trained(last.config, train, dev), "trained"),
        Section("Static against dynamic", _oracles(static, last, runs), "oracles"),
        Section("Sentences", _sentences(last, dev), "sentences"),
        Section("Errors by label", _labels(last.scores), "labels"),
    ]
    lead = (
        "Two parsers, trained in a few seconds by dynarc demo on the small English treebank that comes with the "
        "package. They differ in what they learned from: a static oracle, which knows one way to each gold tree, or a "
        "dynamic one, which knows the best way on from any state, also after errors."
    )
    return html.page("dynarc demo", sections, lead=lead, css=CSS)


def _trained(config: TrainConfig, train: Treebank, dev: Treebank) -> Html:
    def sizes(treebank: Treebank) -> str:
        return f"{count(len(treebank), 'sentence')}, {count(treebank.words, 'word')}"

    rows = [
        ("system", config.system),
        ("learner", config.learner),
        ("features", str(config.features)),
        ("epochs", str(config.epochs)),
        ("seed", str(config.seed)),
        ("trained on", sizes(train)),
        ("scored on dev", sizes(dev)),
    ]
    return html.table(("", ""), rows)


def _oracles(static: Run, dynamic: Run, runs: Sequence[Run]) -> Html:
    rows = [
        (
            run.config.oracle,
            Figure(f"{run.scores.uas:.2f}"),
            Figure(f"{run.scores.las:.2f}"),
            Figure(f"{run.scores.exact_match:.2f}"),
            Figure(f"{run.seconds:.1f} s"),
        )
        for run in runs
    ]
    table = html.table(("oracle", "UAS", "LAS", "whole trees", "time"), rows)
    return join(table, Html('<p class="key">'), _verdict(static.scores, dynamic.scores), Html("</p>\n"))


def _verdict(static: Scores, dynamic: Scores) -> str:
    """What the difference is worth, by the bootstrap."""
    found = compare(dynamic, static, draws=2000, metrics=("LAS",)).differences["LAS"]
    low, high = found.interval.lower, found.interval.upper
    sure = "more than chance gives" if low > 0 or high < 0 else "with so few sentences that can be chance"
    return (
        f"{dynamic.protocol.words.capitalize()}, {dynamic.protocol.labels}. The dynamic oracle's parser is "
        f"{abs(found.difference):.2f} LAS {'better' if found.difference >= 0 else 'worse'} than the static one's (95 % "
        f"interval over sentences: {low:+.2f} to {high:+.2f}): {sure}."
    )


def _sentences(run: Run, dev: Treebank) -> Html:
    drawings = list(_drawings(run, dev))
    figures = [
        join(
            Html("<figure><figcaption>"),
            f"{drawing.title}: {count(sum(mark is not None for mark in drawing.marks or ()), 'error')}",
            Html("</figcaption>\n"),
            html.drawing(drawing),
            Html("</figure>\n"),
        )
        for drawing in drawings
    ]
    key = f"Of dev, as the {run.config.oracle} one parses it: short sentences with wrong heads. {html.MARKS}"
    return join(Html(f'<p class="key">{markup(key)}</p>\n'), *figures)


def _drawings(run: Run, dev: Treebank) -> Iterator[Drawing]:
    """The first sentences of dev that are short and have a few errors, heads among them."""
    left = DRAWN
    for gold, parsed, scores in zip(dev, run.parsed, run.scores.per_sentence, strict=True):
        wrong = scores.heads < scores.words and scores.words - scores.correct <= MOST_ERRORS
        if left and wrong and len(gold) <= LONGEST:
            left -= 1
            yield Drawing.of(parsed, gold)


def _labels(scores: Scores) -> Html:
    found = sorted(scores.per_label.values(), key=lambda label: (label.correct - label.gold, label.label))
    rows = [
        (
            label.label,
            *(Figure(f"{number:,}") for number in (label.gold, label.gold - label.heads, label.gold - label.labels)),
            Figure(f"{label.gold - label.correct:,}"),
            Figure(f"{label.f1:.1f}"),
        )
        for label in found[:LABELS]
        if label.gold > label.correct
    ]
    titles = ("gold label", "words", "wrong head", "wrong label", "either", "F1")
    more = len([label for label in found if label.gold > label.correct]) - len(rows)
    note = f"The {len(rows)} labels with most errors; {more} more have some." if more else "Every label with errors."
    return join(html.table(titles, rows), Html('<p class="key">'), note, Html("</p>\n"))
