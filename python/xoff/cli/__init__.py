"""The command `xoff`: one file per subcommand."""

from xoff.cli.application import main

__all__ = ["main"]
