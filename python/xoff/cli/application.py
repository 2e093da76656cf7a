"""The subcommands put together, and what becomes of errors."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import click

from xoff._xoff import __version__
from xoff.cli.commands import COMPLETE, Commands
from xoff.cli.terminal import give_up_output, reopen_closed, say
from xoff.errors import (
    TERMINAL_SIGNALS,
    HungUp,
    InputError,
    MachinesWarning,
    OutOfMemoryError,
    OutputError,
    ResultWarning,
    RunError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TOLD = (ResultWarning, MachinesWarning)
"""Kinds of warnings that are told as notes."""
_NOT_WRITTEN = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}
_NO_READER = 128 + 13
"""Exit status of a process that SIGPIPE ended, a signal that Windows does not have."""


@click.command(cls=Commands, no_args_is_help=True, context_settings={"show_default": True})
@click.version_option(__version__, prog_name="xoff", message="%(prog)s %(version)s", help="Print the version.")
def application() -> None:
    """Simulate datacenter fabrics, packet by packet."""


def main() -> None:
    """Runs the command.

    Exit status: 0 done, 1 a failed run or plan, or findings, 2 wrong input, 130 interrupted, 141 nobody reads on.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a batch system's Ctrl-C
    for number in TERMINAL_SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:  # as nohup leaves it
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else _hang_up)
    os.environ |= {"MPLBACKEND": "agg", "MATPLOTLIBRC": os.devnull}  # figures look alike for all, and open no window
    reopen_closed()
    try:
        with _warnings_told():
            _run()
    except BrokenPipeError:  # end as other tools do whose reader has gone: by SIGPIPE, as a shell tells of it
        give_up_output()
        sys.exit(_NO_READER)


def _hang_up(*_: object) -> NoReturn:
    raise HungUp


def _check_arguments() -> None:
    """Raises InputError for bytes that are not UTF-8: scenarios, results and what they name are."""
    for argument in sys.argv[1:]:
        if any("\ud800" <= character <= "\udfff" for character in argument):  # as Python writes such bytes
            raise InputError(None, argument, "is not UTF-8", "expected names and values in UTF-8")


@contextmanager
def _warnings_told() -> Iterator[None]:
    """Tells warnings of xoff as notes, each in a line."""

    def tell(message: Warning | str, category: type[Warning], *where: Any, **to: Any) -> None:  # noqa: ANN401
        if issubclass(category, _TOLD):
            say(f"Note: {message}", err=True)
        else:
            show(message, category, *where, **to)

    with warnings.catch_warnings():
        show = warnings.showwarning
        for category in _TOLD:
            warnings.simplefilter("always", category)
        warnings.showwarning = tell
        yield


def _run() -> None:
    """Runs the command, and says in a line what keeps it from its end."""
    try:
        _check_arguments()
        if instruction := os.environ.get(COMPLETE):
            from click.shell_completion import shell_complete

            from xoff.cli import completion as completion  # registers Bash's

            sys.exit(shell_complete(application, {}, "xoff", COMPLETE, instruction))
        with application.make_context("xoff", sys.argv[1:]) as context:  # Click's `main` hides Ctrl-C and readers gone
            application.invoke(context)
    except click.exceptions.Exit as ended:
        sys.exit(ended.exit_code)
    except click.ClickException as error:
        _end(error.show, error.exit_code)
    except InputError as error:
        _fail(str(error), 2)
    except OutputError as error:
        _fail(error.on_command_line, 2)
    except (RunError, MemoryError) as error:
        _fail(str(error if isinstance(error, RunError | OutOfMemoryError) else OutOfMemoryError()), 1)
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except OSError as error:
        if error.errno not in _NOT_WRITTEN:
            raise
        _fail(f"cannot write: {_why(error.errno)}", 2)


def _fail(line: str, status: int) -> NoReturn:
    """Says in lines what went wrong, and ends with a status."""
    _end(lambda: say(line, err=True), status)


def _end(tell: Callable[[], None], status: int) -> NoReturn:
    """Tells what went wrong, as far as standard error takes it, and ends with a status."""
    try:
        tell()
    except OSError as error:
        if error.errno not in _NOT_WRITTEN:
            raise
    give_up_output()
    sys.exit(status)


def _why(number: int) -> str:
    """Returns the reason why output was not written, and the remedy."""
    if number == errno.EBADF:
        return "standard output is closed; send it to a file, or to /dev/null"
    return f"{os.strerror(number).lower()}; make room, or send the output elsewhere"
