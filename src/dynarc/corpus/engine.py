"""A corpus parsed by an engine: Daft on one machine, or on a Ray cluster whose machines share a file system.

The engine decides what runs where and when. What it runs is the same as on one machine, a file at a time: parts come
out to the byte as they would there, and one that is made twice, because a worker was lost, is the same both times.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dynarc.corpus.batch import ParseBatch
from dynarc.corpus.manifest import Input, Part
from dynarc.corpus.run import Progress, Report, opened
from dynarc.corpus.shards import pieces
from dynarc.corpus.work import Options, parse_piece
from dynarc.errors import ConfigError, DynarcError, FileError
from dynarc.parser import cores
from dynarc.tables import library

# So often the engine is asked again to do what is left, after it has failed.
_ATTEMPTS = 5


class ParseShard:
    """What a worker does: a file's pieces that are not yet parsed, one after the other."""

    def __init__(self, model: str, folder: str, options: dict[str, Any]) -> None:
        self._batch = ParseBatch(model)
        self._folder, self._options = Path(folder), Options(**options)

    def parse(self, task: str) -> str:
        """The records for the manifest, in JSON."""
        wanted = json.loads(task)
        shard, one = wanted["shard"], Input(**wanted["input"])
        done = {part["piece"]: Part(**part) for part in wanted["done"]}
        found: list[dict[str, Any]] = []
        count, broken = max(done, default=-1) + 1, None
        try:
            for piece in pieces(shard, one, self._options.size, done):
                found.append(asdict(parse_piece(self._batch.parser, piece, self._folder, self._options)))
                count = max(count, piece.number + 1)
        except FileError as problem:
            if problem.path != one.path:
                raise  # the output cannot be written
            broken = problem.reason
        return json.dumps({"shard": shard, "parts": found, "pieces": count, "broken": broken})


def need_engine(ray: str | None) -> None:
    """ConfigError if what the engine needs is not installed."""
    library("daft", "cluster")
    if ray is not None:
        library("ray", "cluster")


def finish_on_daft(run: opened, ray: str | None, progress: Callable[[Progress], None] = lambda how: None) -> Report:
    """Parses what is not yet parsed, on the Ray cluster with that address or, without one, on this machine."""
    need_engine(ray)
    how = run.progress()
    progress(how)
    tried: set[int] = set()  # and found to be broken: not again in this run
    for attempt in range(1, _ATTEMPTS + 1):
        left = [shard for shard in run.unfinished() if shard not in tried]
        if not left:
            break
        try:
            for answer in _answers(run, left, ray):
                tried.add(answer["shard"])
                _take(run, answer, how)
                progress(how)
        except DynarcError:
            raise
        except Exception as error:
            # Engines have errors of their own for workers that were lost; what was answered before stands.
            if attempt == _ATTEMPTS or not _was_lost(error):
                raise ConfigError(f"the engine has failed: {_last_line(error)}. The same command goes on") from error
    return run.report(how)


def _answers(run: opened, shards: list[int], ray: str | None) -> Iterator[dict[str, Any]]:
    import daft

    if ray is None:
        daft.set_runner_native()
    else:
        daft.set_runner_ray(ray, noop_if_initialized=True)
    worker = daft.cls(use_process=False, max_concurrency=cores() if ray is None else None)(ParseShard)(
        run.model, str(run.folder.absolute()), asdict(run.options)
    )
    tasks = [
        json.dumps(
            {
                "shard": shard,
                "input": asdict(run.manifest.inputs[shard]),
                "done": [asdict(part) for part in run.manifest.parts_of(shard).values()],
            }
        )
        for shard in shards
    ]
    frame = daft.from_pydict({"task": tasks})
    frame = frame.into_batches(1) if ray is None else frame.into_partitions(len(tasks))
    for row in frame.select(worker.parse(frame["task"]).alias("answer")).iter_rows():
        yield json.loads(row["answer"])


def _take(run: opened, answer: dict[str, Any], how: Progress) -> None:
    shard = answer["shard"]
    for fields in answer["parts"]:
        part = Part(**fields)
        run.manifest.add_part(part)
        how.add(part)
    if answer["broken"] is None:
        run.manifest.add_end(shard, answer["pieces"])
    else:
        run.manifest.add_broken(shard, answer["broken"])


def _was_lost(error: Exception) -> bool:
    """A worker, and not what it did."""
    text = f"{type(error).__name__} {error}"
    return any(word in text for word in ("ActorDied", "ActorUnavailable", "WorkerCrashed", "NodeDied", "worker died"))


def _last_line(error: Exception) -> str:
    return next((line.strip() for line in reversed(str(error).splitlines()) if line.strip()), type(error).__name__)
