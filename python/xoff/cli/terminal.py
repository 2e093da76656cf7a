"""Text from users, written to the terminal as it is: no markup, and no control character by itself."""

from __future__ import annotations

import os
import re
import shutil
import sys
from textwrap import fill
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from typing import TextIO

_LEAST_WIDTH = 30
"""Columns of text in the narrowest terminal that text is broken for."""
_OUTPUT, _ERRORS = 1, 2
"""Numbers of standard output and of standard error."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with its control characters, except ends of lines and tabs, as Python escapes them."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: str, *, err: bool = False, hang: int = 0) -> None:
    """Prints lines; a terminal breaks those that are too long at spaces, and indents what follows by `hang` columns."""
    text = printable(text)
    if is_terminal(sys.stderr if err else sys.stdout):
        width = max(shutil.get_terminal_size().columns, hang + _LEAST_WIDTH)
        text = "\n".join(_broken(line, width, " " * hang) for line in text.split("\n"))
    click.echo(text, err=err)


def _broken(line: str, width: int, indent: str) -> str:
    """Breaks a line at spaces where it is too long."""
    if len(line) <= width:
        return line
    begin = line[: len(line) - len(line.lstrip(" "))]
    head = line[: len(indent)] if indent else begin
    return fill(
        line[len(head) :].strip(),
        width,
        initial_indent=head,
        subsequent_indent=indent or begin,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def is_terminal(stream: TextIO | None) -> bool:
    """Whether someone looks on; there is no stream where it was closed before Python began."""
    return stream is not None and stream.isatty()


def reopen_closed() -> None:
    """Opens streams that the shell has closed (`>&-`): none of a result's files may get the number of one.

    Errors and input come from and go to nowhere. Standard output is opened for reading alone, so that a command that
    prints fails as on a full disk, and one that prints nothing does not.
    """
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            opened = os.open(os.devnull, os.O_WRONLY if number == _ERRORS else os.O_RDONLY)
            if number == _OUTPUT:
                sys.stdout = os.fdopen(opened, "w", encoding="utf-8")


def give_up_output() -> None:
    """Drops what output and errors have not taken, where they take no more: Python would try again as it ends."""
    for stream in filter(None, (sys.stdout, sys.stderr)):  # None: closed before Python began
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
