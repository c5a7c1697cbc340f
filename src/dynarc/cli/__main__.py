"""So that `python -m dynarc.cli` is `dynarc`."""

from dynarc.cli import main

if __name__ == "__main__":
    main()
