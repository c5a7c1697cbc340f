"""What an installed wheel must do, in an environment with nothing but it: `python smoke.py VERSION`, by `make package`.

Only the standard library and dynarc are imported; there is neither a compiler nor a checkout.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import dynarc


def program(*arguments: str, **environment: str) -> str:
    """What the installed command prints."""
    script = Path(sysconfig.get_path("scripts")) / "dynarc"
    env = {**os.environ, **environment}
    return subprocess.run([script, *arguments], check=True, capture_output=True, text=True, env=env).stdout


def main() -> None:
    assert dynarc.__file__.startswith(sysconfig.get_path("purelib")) or dynarc.__file__.startswith(
        sysconfig.get_path("platlib")
    ), f"{dynarc.__file__} is not what was installed"
    assert not any(shutil.which(name) for name in ("c++", "g++", "clang++", "cc", "gcc")), "there is a compiler"
    found = distribution("dynarc")
    assert found.version == dynarc.__version__ == sys.argv[1], (found.version, dynarc.__version__, sys.argv[1])
    names = {str(path) for path in found.files or ()}
    for licence in (
        "LICENSE",
        "NOTICE",
        "data/english/LICENSE",
        "data/models/README.md",
        "data/models/en.dynarc",
        "py.typed",
    ):
        assert any(name.endswith(licence) for name in names), f"the wheel has no {licence}"
    notice = next(path for path in found.files or () if str(path).endswith("NOTICE"))
    assert "CC BY-SA 4.0" in notice.read_text()

    parser = dynarc.load("en")
    she, it = parser("She saw the boat. It had left.")
    assert she.heads[:4] == [2, 0, 4, 2], she.heads
    assert it.forms[:2] == ["It", "had"]

    assert program("--version") == f"dynarc {dynarc.__version__}\n"
    completed = program(_DYNARC_COMPLETE="complete_bash", COMP_WORDS="dynarc tra", COMP_CWORD="1")
    assert completed.split() == ["train", "trace"], completed
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        said = program("demo")
        assert "dynamic oracle" in said
        assert Path("dynarc-demo.html").stat().st_size > 10_000
    sys.stdout.write(f"dynarc {dynarc.__version__} on Python {sys.version.split()[0]}: well\n")


if __name__ == "__main__":
    main()
