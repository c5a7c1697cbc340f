"""What can be found out, and where it is kept: one small JSON file for each finished piece of work, never made twice."""

import hashlib
import json
import re
import tempfile
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT

FOLDER = ROOT / "docs" / "results" / "raw"
# What is made again at any time: treebanks with other tags, engines with other formulas.
SCRATCH = ROOT / "build" / "experiments"

Result = dict[str, Any]


class Work(ABC):
    """Something to find out. Subclasses are frozen dataclasses that hold all that decides what is found."""

    timed: bool = False  # has the machine for itself

    treebank: str

    @property
    def folder(self) -> str:
        """Where its file is."""
        return self.treebank

    @property
    def seed(self) -> int:
        return 1

    @abstractmethod
    def known_by(self) -> dict[str, Any]:
        """What it is known by: the same for the same work, and for no other."""

    @abstractmethod
    def perform(self) -> Result:
        """Finds it out."""

    @abstractmethod
    def estimate(self) -> float:
        """About how many seconds that takes."""

    @abstractmethod
    def quick(self) -> "Work":
        """The same, small enough for a test: on the treebank that comes with the package."""

    @abstractmethod
    def summary(self, result: Result) -> str:
        """What was found, in a few words."""

    @property
    def key(self) -> str:
        text = json.dumps(self.known_by(), sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def file(self) -> str:
        """Its file below the folder of results: in words, and by its key."""
        words = re.sub(r"[^a-z0-9_.=]+", "-", str(self).lower()).strip("-").removeprefix(f"{self.folder.lower()}-")
        return f"{self.folder}/{words[:80].rstrip('-.')}-{self.key[:12]}.json"


class Store:
    """Results of finished work."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.folder = folder

    def path(self, work: Work) -> Path:
        return self.folder / work.file

    def get(self, work: Work) -> Result | None:
        try:
            found: Result = json.loads(self.path(work).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return found

    def put(self, work: Work, result: Result) -> None:
        """Writes the result, whole or not at all."""
        path = self.path(work)
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", dir=path.parent, prefix=".", suffix=".part", delete=False, encoding="utf-8"
        ) as out:
            name = Path(out.name)
            try:
                out.write(text_of(result))
                out.close()
                name.chmod(0o644)
                name.replace(path)
            except BaseException:
                name.unlink(missing_ok=True)
                raise

    def drop(self, work: Work) -> None:
        self.path(work).unlink(missing_ok=True)

    def obtain(self, work: Work) -> Result:
        """What is kept of the work; performs it first if nothing is."""
        found = self.get(work)
        if found is None:
            found = work.perform()
            self.put(work, found)
        return found


def text_of(result: Result) -> str:
    """JSON with a line for each of its parts."""
    lines = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in result.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"
