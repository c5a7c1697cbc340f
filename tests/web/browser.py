"""The browser that tests and benchmarks of the page run in: that of the system, or what DYNARC_CHROMIUM names."""

import os
import shutil
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# A container has no user namespaces to shut a browser into, and little shared memory.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage"]


def chromium() -> str | None:
    """Where it is; None if there is none."""
    if named := os.environ.get("DYNARC_CHROMIUM"):
        return named
    return next((path for name in NAMES if (path := shutil.which(name))), None)


if __name__ == "__main__":
    sys.exit(0 if chromium() else 1)
