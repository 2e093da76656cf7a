"""The subcommands put together, and what becomes of errors."""

from __future__ import annotations

import errno
import os
import signal
import sys
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from xoff._xoff import __version__
from xoff.cli.commands import Commands
from xoff.cli.terminal import give_up_output, say
from xoff.errors import InputError, OutputError, WorkerLostError

if TYPE_CHECKING:
    from collections.abc import Callable

application = typer.Typer(
    help="A packet-level simulator of datacenter fabrics.",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
)


_NOT_WRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


@cache
def _command() -> Callable[[], object]:
    """The command line as it is called, put together once: tests call it often."""
    return typer.main.get_command(application)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"xoff {__version__}")
        raise typer.Exit


@application.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Runs the command.

    Exit status: 0 done, 1 a failed run or plan, or findings, 2 wrong input, 130 interrupted, 141 nobody reads on.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a batch system's Ctrl-C
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup leaves it
        signal.signal(signal.SIGHUP, signal.default_int_handler)  # that of a terminal which is closed
    os.environ |= {"MPLBACKEND": "agg", "MATPLOTLIBRC": os.devnull}  # figures look alike for all, and open no window
    try:
        _run()
    except SystemExit as ended:
        if not isinstance(ended.__context__, BrokenPipeError):  # of which Typer and Rich make 1, here that of findings
            raise
        _leave_unread()
    except BrokenPipeError:
        _leave_unread()


def _check_arguments() -> None:
    """Raises InputError for bytes that are not UTF-8: scenarios, results and what they name are."""
    for argument in sys.argv[1:]:
        if any("\ud800" <= character <= "\udfff" for character in argument):  # as Python writes such bytes
            raise InputError(None, argument, "is not UTF-8", "expected names and values in UTF-8")


def _leave_unread() -> NoReturn:
    """Ends as other tools do whose reader has gone, as `head` does: by SIGPIPE, as a shell tells of it."""
    give_up_output()
    sys.exit(128 + signal.SIGPIPE)


def _run() -> None:
    """Runs the command, and says in a line what keeps it from its end."""
    try:
        _check_arguments()
        _command()()
    except InputError as error:
        say(str(error), err=True)
        sys.exit(2)
    except OutputError as error:
        say(error.on_command_line, err=True)
        sys.exit(2)
    except WorkerLostError as error:
        say(str(error), err=True)
        sys.exit(1)
    except KeyboardInterrupt:
        typer.echo("interrupted", err=True)
        sys.exit(130)
    except SystemExit as ended:
        if isinstance(getattr(ended.__context__, "__cause__", None), KeyboardInterrupt):  # of which Typer says nothing
            typer.echo("interrupted", err=True)
        raise
    except OSError as error:
        if error.errno not in _NOT_WRITTEN:
            raise
        with suppress(OSError):
            say(f"cannot write: {os.strerror(error.errno).lower()}; make room, or send the output elsewhere", err=True)
        give_up_output()
        sys.exit(2)
