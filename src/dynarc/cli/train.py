"""dynarc train: from treebanks to a parser."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from rich.text import Text

from dynarc.cli import validate
from dynarc.cli.console import Column, Columns, count, stderr, write, write_json
from dynarc.cli.inputs import InputsArgument, SkipBadOption, Skipped
from dynarc.cli.options import JsonOption, refuse
from dynarc.config import (
    AUTO,
    Direction,
    Keep,
    LearnerName,
    Nonprojective,
    Normalize,
    OracleName,
    Target,
    TrainConfig,
    exploration,
)
from dynarc.conllu import read_conllu
from dynarc.errors import ConfigError
from dynarc.features import resolve
from dynarc.fitting import MANY_CROSSING, crossing_share, fitted
from dynarc.parser import Parser
from dynarc.text import TagConfig
from dynarc.text.train import JACKKNIFE, PipelineConfig, train_pipeline
from dynarc.train import Epoch, values_of
from dynarc.train import train as train_parser
from dynarc.treebank import Treebank

DEFAULT = TrainConfig()
_SINGLE_ROOT: dict[str, Any] = {"auto": "auto", "mend": "mend", "yes": True, "no": False}


def _shown(name: str) -> str:
    value = DEFAULT.to_dict().get(name, "what fits")
    return str(value).lower() if isinstance(value, bool) else str(value)


def _option(name: str, help_text: str, *flags: str) -> Any:
    return typer.Option(*(flags or ("--" + name.replace("_", "-"),)), help=help_text, show_default=_shown(name))


def train(
    files: InputsArgument,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="Where to write it. With --folds the parsed treebank, with --curve a page or picture; both optional.",
        ),
    ] = None,
    dev: Annotated[
        str | None, typer.Option(metavar="FILE", help="Score every epoch on this treebank, and keep the best one.")
    ] = None,
    folds: Annotated[
        int | None, typer.Option(metavar="N", help="Cross-validate: parse each of N parts by a parser of the others.")
    ] = None,
    curve: Annotated[
        bool, typer.Option("--curve", help="Train on 1/32, 1/16, ... of the sentences: what would more data bring?")
    ] = False,
    points: Annotated[
        int | None, typer.Option(metavar="N", help="How many points --curve has.", show_default="6")
    ] = None,
    config: Annotated[
        str | None, typer.Option(metavar="FILE", help="TOML with options; those of the command line come first.")
    ] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print the configuration as TOML, and train nothing.")
    ] = False,
    system: Annotated[
        str | None, _option("system", "The transition system; auto: the one that fits the data.", "--system", "-s")
    ] = None,
    oracle: Annotated[OracleName | None, _option("oracle", "What the parser learns from.")] = None,
    learner: Annotated[LearnerName | None, _option("learner", "How weights change.")] = None,
    explore: Annotated[
        str | None, _option("explore", "What to do after errors: none, ambiguity, error:k=1,p=0.9, sampling:k=0.")
    ] = None,
    features: Annotated[str | None, _option("features", "A set of templates, or a file of them.")] = None,
    tag: Annotated[Literal["upos", "xpos"] | None, _option("tag", "The column that `tag` means.")] = None,
    min_count: Annotated[int | None, _option("min_count", "Rarer words are unknown words.")] = None,
    epochs: Annotated[int | None, _option("epochs", "How often to go through the data.")] = None,
    seed: Annotated[int | None, _option("seed", "Of everything that is random.")] = None,
    nonprojective: Annotated[
        Nonprojective | None, _option("nonprojective", "What to do with trees that the system cannot derive.")
    ] = None,
    root: Annotated[Literal["first", "last"] | None, _option("root", "Where ROOT stands.")] = None,
    single_root: Annotated[
        Literal["auto", "yes", "no", "mend"] | None,
        _option("single_root", "Whether trees have one root: as the system builds them, or mended afterwards."),
    ] = None,
    labels: Annotated[bool | None, _option("labels", "Learn labels.", "--labels/--no-labels")] = None,
    keep: Annotated[Keep | None, _option("keep", "Which epoch's weights to keep, if there is --dev.")] = None,
    aggressiveness: Annotated[float | None, _option("aggressiveness", "C, if passive-aggressive.")] = None,
    cost_sensitive: Annotated[
        bool | None,
        _option("cost_sensitive", "Its margin grows with the cost.", "--cost-sensitive/--no-cost-sensitive"),
    ] = None,
    max_loss: Annotated[
        bool | None, _option("max_loss", "It updates against the worst violator.", "--max-loss/--no-max-loss")
    ] = None,
    target: Annotated[
        Target | None,
        _option("target", "Which of several right moves is learned: best-scoring, or the static oracle's."),
    ] = None,
    alpha: Annotated[float | None, _option("alpha", "Size of the steps, if adagrad-rda.")] = None,
    rho: Annotated[float | None, _option("rho", "What its sums of squares start from.")] = None,
    l1: Annotated[float | None, _option("l1", "How much each of its updates draws weights to zero.")] = None,
    normalize: Annotated[
        Normalize | None, _option("normalize", "Which moves compete in its likelihood: all, or legal ones.")
    ] = None,
    least_gradient: Annotated[
        float | None, _option("least_gradient", "What is nearer to 0 is taken for 0: saves memory.")
    ] = None,
    reduce: Annotated[
        Literal["must", "can"] | None, _option("reduce", "When arc-eager's static oracle reduces: late, or early.")
    ] = None,
    valency_cap: Annotated[int | None, _option("valency_cap", "More dependents than these count as these.")] = None,
    pseudo_min_count: Annotated[
        int | None, _option("pseudo_min_count", "Marks of lifted arcs that are rarer are not learned.")
    ] = None,
    classes: Annotated[
        int | None, _option("classes", "Moves with labels told apart at once; the rest takes a second look. 0: all.")
    ] = None,
    direction: Annotated[Direction | None, _option("direction", "Which word comes first.")] = None,
    passes: Annotated[int | None, _option("passes", "2: a parser in the other direction goes first.")] = None,
    average_seeds: Annotated[int | None, _option("average_seeds", "Parsers whose weights are averaged.")] = None,
    label_cost: Annotated[
        float | None, _option("label_cost", "The price of a wrong label on a right arc; a wrong arc costs 1.")
    ] = None,
    arc_weight: Annotated[
        list[str] | None,
        typer.Option(metavar="LABEL=PRICE", help="What arcs of a label cost instead of 1, as punct=0.5; repeatable."),
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Written after every epoch. If it is there, training goes on from it."),
    ] = None,
    start: Annotated[str | None, typer.Option(metavar="MODEL", help="A model that learns on from this data.")] = None,
    threads: Annotated[int, typer.Option(min=0, help="Cores to use for several parsers; 0 for all.")] = 0,
    calibrate: Annotated[
        bool,
        typer.Option(
            "--calibrate/--no-calibrate",
            help="Find out how sure the parser can be: on --dev and, if that is small or missing, by parsers of halves "
            "of the data.",
        ),
    ] = True,
    pipeline: Annotated[
        bool,
        typer.Option("--pipeline", help="Learn all from raw text to trees: tokens, sentences, tags, lemmas, parser."),
    ] = False,
    jackknife: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Of --pipeline: the parser learns from tags found in each of N parts by a tagger of the others; 0: "
            "from those of the treebank.",
            show_default=str(JACKKNIFE),
        ),
    ] = None,
    tagger_beam: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Of --pipeline: histories that the tagger keeps; 1 is greedy.", show_default="1"
        ),
    ] = None,
    skip_bad: SkipBadOption = False,
    as_json: JsonOption = False,
) -> None:
    """Train a parser on CoNLL-U treebanks.

    Every sentence is looked at first: what cannot be learned from is counted and said before the first epoch. Ctrl-C
    ends training and keeps what was learned.

        dynarc train train.conllu --dev dev.conllu -o en.dynarc

    With --checkpoint, a run that was stopped goes on where it stood, and ends with the same model, byte for byte.

        dynarc train train.conllu --dev dev.conllu -o en.dynarc --checkpoint en.checkpoint

    With --pipeline, the model takes raw text: it has a tokenizer, a tagger and a lemmatizer of the same treebank, and
    its parser has learned from tags as the tagger finds them.

        dynarc train train.conllu --dev dev.conllu --pipeline -o en.dynarc

    Two questions come before a model, and leave none behind. How good is a parser of this treebank? --folds scores
    every sentence by a parser that has not seen it. What would more data bring? --curve scores on --dev, or on every
    tenth sentence.

        dynarc train all.conllu --folds 10 -o parsed.conllu

        dynarc train train.conllu --dev dev.conllu --curve -o curve.html
    """
    if pipeline:
        refuse("with --pipeline", folds=folds, curve=curve, checkpoint=checkpoint, start=start)
    else:
        refuse("without --pipeline", jackknife=jackknife, tagger_beam=tagger_beam)
    chosen = _config(
        config,
        None if start is None else Parser.load(start),
        system=system,
        oracle=oracle,
        learner=learner,
        explore=None if explore is None else exploration(explore),
        features=features,
        tag=tag,
        min_count=min_count,
        epochs=epochs,
        seed=seed,
        nonprojective=nonprojective,
        root=root,
        single_root=None if single_root is None else _SINGLE_ROOT[single_root],
        labels=labels,
        keep=keep,
        aggressiveness=aggressiveness,
        cost_sensitive=cost_sensitive,
        max_loss=max_loss,
        target=target,
        alpha=alpha,
        rho=rho,
        l1=l1,
        normalize=normalize,
        least_gradient=least_gradient,
        reduce=reduce,
        valency_cap=valency_cap,
        pseudo_min_count=pseudo_min_count,
        classes=classes,
        direction=direction,
        passes=passes,
        average_seeds=average_seeds,
        label_cost=None if label_cost is None else _whole(label_cost),
        arc_weight=_arc_weight(arc_weight) if arc_weight else None,
    )
    if print_config:
        typer.echo(chosen.to_toml(), nl=False)
        return
    validate.check_options(files, folds, curve, points, dev, output, as_json)
    if output is None and folds is None and not curve:
        raise ConfigError("where to? Name the model with -o, as in -o en.dynarc")
    skipped = Skipped()
    treebank = _read(files, skipped, skip_bad)
    held_out = None if dev is None else _read([dev], skipped, skip_bad)
    skipped.total()
    chosen = _fitted(chosen, treebank)
    resolve(chosen.features, chosen.system)  # what is wrong is said before anything else
    write(stderr(), f"{count(len(treebank), 'sentence')}, {count(treebank.words, 'word')}; {_summary(chosen)}", "")
    if folds is not None:
        validate.run_folds(treebank, folds, chosen, output, as_json)
        return
    if curve:
        validate.run_curve(treebank, held_out, 6 if points is None else points, chosen, output, as_json)
        return
    assert output is not None
    report = _Report()
    notice = lambda text: write(stderr(), text)  # noqa: E731
    if pipeline:
        tagger = TagConfig(seed=chosen.seed, beam=1 if tagger_beam is None else tagger_beam)
        stages = PipelineConfig(chosen, tagger, JACKKNIFE if jackknife is None else jackknife)
        parser = train_pipeline(
            treebank,
            dev=held_out,
            config=stages,
            progress=report,
            notice=notice,
            threads=threads,
            calibrate=calibrate,
        )
    else:
        parser = train_parser(
            treebank,
            dev=held_out,
            config=chosen,
            progress=report,
            notice=notice,
            checkpoint=checkpoint,
            start=start,
            threads=threads,
            calibrate=calibrate,
        )
    parser.save(output)
    size = Path(output).stat().st_size
    write(stderr(), f"{output}: {parser.model.features:,} features, {size / 1e6:.1f} MB")
    if as_json:
        write_json({"config": chosen.to_dict(), "info": parser.info, "epochs": [values_of(e) for e in report.epochs]})


def _fitted(config: TrainConfig, treebank: Treebank) -> TrainConfig:
    """With the system that fits, if that was left open, and says why that one."""
    if config.system != AUTO:
        return config
    found = fitted(config, treebank)
    share = f"{100 * crossing_share(treebank):.1f} %"
    write(
        stderr(),
        f"{found.system}: arcs cross in {share} of the sentences (covington from {100 * MANY_CROSSING:g} % on)",
    )
    return found


def _whole(price: float) -> float:
    return int(price) if price.is_integer() else price


def _arc_weight(given: list[str]) -> tuple[tuple[str, float], ...]:
    found = []
    for text in given:
        label, _, price = text.rpartition("=")
        try:
            found.append((label, _whole(float(price))))
        except ValueError:
            label = ""
        if not label:
            raise ConfigError(f"--arc-weight {text!r}: a label and its price are wanted, as in punct=0.5")
    return tuple(found)


def _config(path: str | None, start: Parser | None, **given: Any) -> TrainConfig:
    base = DEFAULT if start is None else start.config
    if path is not None:
        try:
            base = TrainConfig.from_toml(Path(path).read_text(encoding="utf-8"), path=path)
        except OSError as error:
            raise ConfigError(f"{path} cannot be read: {error.strerror}") from None
    chosen = replace(base, **{name: value for name, value in given.items() if value is not None})
    # A model that learns on has its system already.
    return replace(chosen, system=start.config.system) if start is not None and chosen.system == AUTO else chosen


def _read(files: list[str], skipped: Skipped, skip_bad: bool) -> Treebank:
    treebanks = []
    for file in files:
        treebanks.append(read_conllu(file, skip_bad=skip_bad, check_trees=False))
        skipped.report(treebanks[-1].problems)
    return Treebank.joined(treebanks)


def _summary(config: TrainConfig) -> str:
    features = config.features if isinstance(config.features, str) else f"{len(config.features)} templates"
    return f"{config.system}, {config.oracle} oracle, {config.learner}, explore {config.policy}, features {features}"


class _Report:
    """One line for every epoch."""

    def __init__(self) -> None:
        self.epochs: list[Epoch] = []
        titles = ("epoch", "updates", "explored", "off path", "UAS", "LAS", "words/s")
        self._table = Columns([Column(title, True, 8) for title in titles])

    def __call__(self, epoch: Epoch) -> None:
        if not self.epochs:
            write(stderr(), self._table.header())
        self.epochs.append(epoch)
        cells = [
            str(epoch.number),
            f"{epoch.updates:,}",
            f"{100 * epoch.explored / max(1, epoch.states):.1f}%",
            f"{100 * epoch.off_path / max(1, epoch.states):.1f}%",
            "-" if epoch.uas is None else f"{epoch.uas:.2f}",
            "-" if epoch.las is None else f"{epoch.las:.2f}",
            f"{epoch.words / epoch.seconds:,.0f}",
        ]
        best = epoch.las is not None and epoch.las == max(e.las or 0 for e in self.epochs)
        line: Text = self._table.row(cells, "bold" if best else "")
        write(stderr(), line)
