"""Training everything from raw text to trees: one parser with its stages, in one file."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from dynarc.config import TrainConfig
from dynarc.errors import ConfigError
from dynarc.parser import Parser, cores
from dynarc.provenance import provenance
from dynarc.text.stages import Stages
from dynarc.text.tagger import TagConfig, jackknifed, taggable, train_tagger
from dynarc.text.tokenizer import train_tokenizer
from dynarc.train import Progress, train
from dynarc.treebank import Treebank

JACKKNIFE = 4


@dataclass(frozen=True, slots=True)
class PipelineConfig:
    """How a pipeline is trained: its parser, its tagger, and on whose tags the parser learns.

    With a `jackknife` of 4, the tags that the parser learns from are found as they will be in new text: in each of 4
    parts of the treebank by a tagger that has learned from the others. 0: it learns from those of the treebank.
    """

    parser: TrainConfig = field(default_factory=TrainConfig)
    tagger: TagConfig = field(default_factory=TagConfig)
    jackknife: int = JACKKNIFE

    def __post_init__(self) -> None:
        if self.jackknife < 0 or self.jackknife == 1:
            raise ConfigError(f"jackknife is {self.jackknife}: 0, or 2 parts or more", "jackknife")


def train_pipeline(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    config: PipelineConfig | None = None,
    progress: Progress | None = None,
    notice: Callable[[str], None] | None = None,
    threads: int = 0,
    calibrate: bool = True,
) -> Parser:
    """A parser with tokenizer and tagger.

    Dev is tagged by the tagger that will be used: what is chosen on it, and what the parser knows of its errors, is of
    words with predicted tags.
    """
    config = config or PipelineConfig()
    workers = threads or cores()
    columns = taggable(treebank)
    tokenizer = train_tokenizer(treebank, seed=config.tagger.seed, notice=notice)
    tagger = train_tagger(treebank, config.tagger, columns=columns, notice=notice)
    # As they are after saving and loading: weights are rounded to what a file keeps of them.
    stages = Stages.of(Stages(tokenizer, tagger).contents(), "the pipeline")
    assert stages.tagger is not None
    learned = treebank
    if config.jackknife:
        folds = min(config.jackknife, len(treebank))
        learned = jackknifed(treebank, folds, config.tagger, threads=workers, notice=notice)
    held_out = None if dev is None else stages.tagger.tag(dev, threads=workers, again=True)
    parser = train(
        learned,
        dev=held_out,
        config=config.parser,
        progress=progress,
        notice=notice,
        threads=threads,
        calibrate=calibrate,
    )
    # What it was trained on is the treebank as it is, not with other tags.
    data = {**provenance(treebank), "dev": None if dev is None else provenance(dev)}
    how = {"columns": columns, "jackknife": config.jackknife}
    return replace(parser, info={**parser.info, "data": data, "pipeline": how}, text=stages)
