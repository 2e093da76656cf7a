"""Text from users, written to the terminal as it is: no markup, and no control character by itself."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from typing import TextIO

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with its control characters, except ends of lines and tabs, as Python escapes them."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: str, *, err: bool = False) -> None:
    """Prints a line."""
    click.echo(printable(text), err=err)


def is_terminal(stream: TextIO | None) -> bool:
    """Whether someone looks on; there is no stream where it was closed before Python began."""
    return stream is not None and stream.isatty()


def give_up_output() -> None:
    """Drops what output and errors have not taken, where they take no more: Python would try again as it ends."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None: closed before Python began
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
