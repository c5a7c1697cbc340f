"""Cost formulas as the papers print them: an engine built with them, apart from the package, and runs in it.

Goldberg and Nivre 2012 and 2013 leave out two terms of arc-eager: LEFT does not count a gold arc from the top to the front, RIGHT none from
the front to the top. The paper of 2012 also counts words on the stack that have a head already. The sources are copied, the
formulas changed there, and the copy is built once into build/experiments; the package itself knows nothing of this.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from benchmarks.oracles import ROOT
from experiments.work import SCRATCH, Result

VARIABLE = "DYNARC_PRINTED"
_HOME = SCRATCH / "printed"

# What is replaced in the copy, each once. The engine asks once per process which paper it is to follow; 0 is the exact costs.
_WHICH = """
inline int printed_paper() {
  static const int paper = [] {
    const char* text = std::getenv("DYNARC_PRINTED");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return paper;
}
"""
CHANGES = {
    "systems/arc_counts.hpp": [
        ("#include <vector>", "#include <cstdlib>\n#include <vector>"),
        ("class ArcCounts {", f"{_WHICH}\nclass ArcCounts {{"),
        ("if (s.headless(x) && gold_", "if ((s.headless(x) || printed_paper() == 2012) && gold_"),
    ],
    "systems/arc_eager.hpp": [
        (
            "return price_if(head_lost, front) + on_stack_[front];\n      }\n      case Move::left",
            (
                "const Node top = s.stack(0);\n"
                "        const bool counted = s.headless(top) || printed_paper() == 2012;\n"
                "        const Cost forgotten =\n"
                "            printed_paper() != 0 && counted && gold_.wanted(top) == front ? gold_.price(top) : 0;\n"
                "        return price_if(head_lost, front) + on_stack_[front] - forgotten;\n      }\n      case Move::left"
            ),
        ),
        (
            "return price_if(head_lost || root_lost, top) + in_buffer_[top];",
            (
                "const Cost forgotten = printed_paper() != 0 && front_head == top ? gold_.price(front) : 0;\n"
                "        return price_if(head_lost || root_lost, top) + in_buffer_[top] - forgotten;"
            ),
        ),
        ("if (a.move == Move::shift) on_stack_", "if (a.move == Move::shift || printed_paper() == 2012) on_stack_"),
        (
            "if (a.move == Move::left && head != kNone)",
            "if ((a.move == Move::left || printed_paper() == 2012) && head != kNone)",
        ),
    ],
}


def changed(text: str, changes: list[tuple[str, str]]) -> str:
    for old, new in changes:
        if text.count(old) != 1:
            raise ValueError(f"the formulas have changed: {old!r} is there {text.count(old)} times, not once")
        text = text.replace(old, new)
    return text


def checksum() -> str:
    """Of the sources of the engine and of what is changed in them."""
    found = hashlib.sha256(repr(CHANGES).encode())
    for path in sorted((ROOT / "src" / "native").rglob("*.[ch]pp")):
        found.update(path.read_bytes())
    return found.hexdigest()


def engine() -> Path:
    """A folder with the package and an engine that knows the printed formulas; built when the sources have changed."""
    home = _HOME / "source"
    library = _HOME / "lib"
    stamp = _HOME / "stamp"
    now = checksum()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == now:
        return library
    for folder in (home, library):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "src", home / "src", ignore=shutil.ignore_patterns("__pycache__", "*.dynarc"))
    for name in ("CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy2(ROOT / name, home / name)
    for name, changes in CHANGES.items():
        file = home / "src" / "native" / name
        file.write_text(changed(file.read_text(encoding="utf-8"), changes), encoding="utf-8")
    # Built in place, as the package is: a compiler's cache then has what is the same in both.
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-qq",
        "--no-build-isolation",
        "--no-deps",
        "--target",
        str(library),
    ]
    subprocess.run([*command, str(home)], check=True)
    stamp.write_text(now, encoding="utf-8")
    return library


def perform_elsewhere(run: Any) -> Result:
    """What a run finds with the printed formulas, in a process of its own that has the other engine."""
    paths = [str(engine()), str(ROOT), sysconfig.get_paths()["purelib"]]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), VARIABLE: run.printed}
    # -S: no site, so that the package which is installed for editing does not come first.
    command = [sys.executable, "-S", "-m", "experiments.printed"]
    given = json.dumps({**run.to_dict(), "columns": sorted(run.columns)})
    done = subprocess.run(command, input=given, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: Result = json.loads(done.stdout)
    return found


def main() -> None:
    from experiments.runs import Run, perform

    from dynarc import TrainConfig

    given = json.loads(sys.stdin.read())
    config = TrainConfig.from_dict(given.pop("config"))
    run = Run(given.pop("treebank"), config, columns=frozenset(given.pop("columns")), **given)
    print(json.dumps(perform(run)))


if __name__ == "__main__":
    main()
