"""The command line. Nothing else in the package imports this, nor the libraries that it needs."""

from dynarc.cli.app import main

__all__ = ["main"]
