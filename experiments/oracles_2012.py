"""`oracles-2012` and `learners-2012`: what Goldberg and Nivre 2012 compare, on the treebanks there are."""

from dataclasses import replace

from experiments import papers
from experiments.data import GENRES
from experiments.pictures import Panel, forest
from experiments.runs import Run
from experiments.tables import (
    SIGNIFICANCE,
    Cell,
    Cells,
    Choice,
    Compared,
    Results,
    Table,
    at_least,
    average,
    difference,
    figure,
    goal_met,
    grid,
    mean_gain,
    signed,
    told,
    verdict,
)

from dynarc import AmbiguityExploration, ErrorExploration, TrainConfig

# Training trees are lifted, as in the paper, whose p is the probability of *not* following an error.
_PAPER = TrainConfig(features="zhang-nivre", epochs=15, nonprojective="projectivize", keep="last")
WAYS = {
    "static": replace(_PAPER, oracle="static"),
    "ambiguity": replace(_PAPER, oracle="nondeterministic", explore=AmbiguityExploration()),
    "explore": replace(_PAPER, explore=ErrorExploration(2, 0.9, otherwise="random")),
}
_PASSIVE = replace(WAYS["explore"], learner="passive-aggressive")
LEARNERS = {
    "perceptron": WAYS["explore"],
    "passive-aggressive": replace(_PASSIVE, cost_sensitive=False),
    "cost-sensitive": replace(_PASSIVE, cost_sensitive=True),
}
SEEN = frozenset({"upos"})


def plan(choice: Choice) -> Cells:
    cells: Cells = {
        (treebank, way, seed): Run(treebank, replace(config, seed=seed), protocol="nopunct")
        for treebank in choice.treebanks
        for way, config in WAYS.items()
        for seed in choice.seeds
    }
    for treebank in choice.treebanks:
        for genre in ("", *GENRES[treebank]) if treebank in GENRES else ():
            for way, config in WAYS.items():
                for seed in choice.seeds:
                    cells[treebank, f"without {genre}", way, seed] = Run(
                        treebank, replace(config, seed=seed), protocol="nopunct", columns=SEEN, tags="predicted",
                        without=genre,
                    )  # fmt: skip
    return cells


def plan_learners(choice: Choice) -> Cells:
    return {
        (treebank, learner, seed): Run(treebank, replace(config, seed=seed), protocol="nopunct")
        for treebank in choice.treebanks
        for learner, config in LEARNERS.items()
        for seed in choice.seeds
    }


def _cells(treebank: str, way: str, choice: Choice, *part: str) -> list[Cell]:
    return [(treebank, *part, way, seed) for seed in choice.seeds]


def gains(choice: Choice, results: Results) -> dict[str, dict[str, Compared | None]]:
    """What each way gains over static, by treebank."""
    return {
        way: {
            treebank: results.compared(_cells(treebank, "static", choice), _cells(treebank, way, choice))
            for treebank in choice.treebanks
        }
        for way in ("ambiguity", "explore")
    }


def render(choice: Choice, results: Results) -> list[str]:
    found = gains(choice, results)
    rows = []
    for treebank in choice.treebanks:
        scores = [
            " / ".join(results.shown(_cells(treebank, way, choice), "scores", metric) for metric in ("uas", "las"))
            for way in WAYS
        ]
        paper = papers.ORACLES_2012.get(treebank)
        theirs = "" if paper is None else " / ".join(signed(paper[i][1] - paper[0][1]) for i in (1, 2))
        rows.append([treebank, *scores, *(told(found[way][treebank]) for way in found), theirs])
    header = ["dev, UAS / LAS", *WAYS, "ambiguity", "explore", "paper, both gains"]
    explore = mean_gain(found["explore"])
    english, conll = zip(*papers.MEANS_2012.values(), strict=True)
    return [
        "## Gains over the static oracle", "",
        *grid(header, rows), "",
        *(f"- {verdict(way, of_one)}" for way, of_one in found.items()),
        (f"- Goal of explore: a mean gain of +1.0{goal_met(at_least(explore, 1.0), found['explore'])}. The paper's mean gains: "
        f"ambiguity {english[0]:+.2f} (English) and {conll[0]:+.2f} (CoNLL 2007), explore {english[1]:+.2f} and {conll[1]:+.2f}."),
        "", SIGNIFICANCE, "",
        *_genres(choice, results),
    ]  # fmt: skip


def _genres(choice: Choice, results: Results) -> list[str]:
    lines: list[str] = []
    for treebank in [treebank for treebank in choice.treebanks if treebank in GENRES]:
        rows, rows_without = [], []
        for genre in GENRES[treebank]:
            inside = {way: _genre_las(results, _cells(treebank, way, choice, "without "), genre) for way in WAYS}
            gained = [signed(difference(inside[way], inside["static"])) for way in ("ambiguity", "explore")]
            rows.append([genre, *map(figure, inside.values()), *gained])
            part = f"without {genre}"
            outside = [results.shown(_cells(treebank, way, choice, part), "scores", "las") for way in WAYS]
            first = _cells(treebank, "static", choice, part)
            compared = [
                results.compared(first, _cells(treebank, way, choice, part)) for way in ("ambiguity", "explore")
            ]
            paper = papers.GENRES_2012[genre]
            theirs = [f"{paper[0][1]:.2f}", *(signed(paper[i][1] - paper[0][1]) for i in (1, 2))]
            rows_without.append([genre, *outside, *map(told, compared), *theirs])
        header = ["LAS", *WAYS, "ambiguity", "explore"]
        lines += [
            f"## Genres of {treebank}, predicted tags", "",
            "Tags are found by jackknifing (4 parts). Trained on all genres:", "",
            *grid(header, rows), "",
            ("Trained on the other four genres, as on a text of a new kind. The paper trains on the Wall Street Journal and tests "
            "on the same five genres (other sentences, Stanford dependencies):"), "",
            *grid([*header, "paper, static", "ambiguity", "explore"], rows_without), "",
        ]  # fmt: skip
    return lines


def _genre_las(results: Results, cells: list[Cell], genre: str) -> float | None:
    found = [one["genres"][genre] for cell in cells if (one := results[cell]) is not None]
    return average(100 * correct / words for words, _, correct in found)


def picture(choice: Choice, results: Results) -> str:
    names = {"ambiguity": "Ambiguity over static, LAS", "explore": "Exploration over static, LAS"}
    return forest([Panel(names[way], of_one) for way, of_one in gains(choice, results).items()])


ORACLES_2012 = Table(
    "oracles-2012",
    "Static, non-deterministic and dynamic oracles (Goldberg and Nivre 2012)",
    "Arc-eager, averaged perceptron, `zhang-nivre`, 15 epochs, gold tags, training trees lifted (`projectivize`), scored trees "
    "untouched, punctuation not scored. *static*: one derivation; *ambiguity*: all derivations of the gold tree, one at random "
    "after an error; *explore*: errors are followed with probability 0.9 from the third epoch on (the paper's k = 2, p = 0.1). "
    "The paper's figures are of other treebanks (CoNLL 2007), so only gains can be compared.",
    plan,
    render,
    picture=picture,
)


def learner_gains(choice: Choice, results: Results) -> dict[str, dict[str, Compared | None]]:
    pairs = {
        "cost-sensitive over plain": ("passive-aggressive", "cost-sensitive"),
        "perceptron over cost-sensitive": ("cost-sensitive", "perceptron"),
    }
    return {
        name: {
            treebank: results.compared(_cells(treebank, first, choice), _cells(treebank, second, choice))
            for treebank in choice.treebanks
        }
        for name, (first, second) in pairs.items()
    }


def render_learners(choice: Choice, results: Results) -> list[str]:
    found = learner_gains(choice, results)
    rows = [
        [
            treebank,
            *(results.shown(_cells(treebank, learner, choice), "scores", "las") for learner in LEARNERS),
            *(told(of_one[treebank]) for of_one in found.values()),
        ]
        for treebank in choice.treebanks
    ]
    return [
        *grid(["dev, LAS", *LEARNERS, *found], rows), "",
        *(f"- {verdict(name, of_one)}" for name, of_one in found.items()),
        "- The paper (no figures): cost-sensitive is better than plain, both are below the averaged perceptron.",
        "", SIGNIFICANCE, "",
    ]  # fmt: skip


def picture_learners(choice: Choice, results: Results) -> str:
    return forest([Panel(f"{name}, LAS", of_one) for name, of_one in learner_gains(choice, results).items()])


LEARNERS_2012 = Table(
    "learners-2012",
    "Perceptron and passive-aggressive learners (Goldberg and Nivre 2012)",
    "As *explore* of oracles-2012. The margin of the passive-aggressive learner (C = 0.1, averaged) is 1, or, if cost-sensitive, the "
    "square root of the cost of the wrong move.",
    plan_learners,
    render_learners,
    picture=picture_learners,
)
