"""What can go wrong before a run, and how a run can end early."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TYPE_CHECKING, SupportsIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_MOST_SEEDS = 10_000


class InputError(ValueError):
    """What the user gave cannot be used.

    Its text is one line: `FILE: KEY: what is wrong; what is expected`.

    Attributes:
        file: The file at fault, or None for what came as text.
        key: Where in it, such as `switch[0].total` or `line 3`; empty if it is the file as a whole.
        problem: What is wrong.
        expected: What would be right; empty if the problem says it.
    """

    def __init__(self, file: str | None, key: str, problem: str, expected: str = "") -> None:
        super().__init__(file, key, problem, expected)
        self.file = file
        self.key = key
        self.problem = problem
        self.expected = expected

    def __str__(self) -> str:
        where = [part for part in (self.file, self.key) if part]
        what = f"{self.problem}; {self.expected}" if self.expected else self.problem
        return " ".join(": ".join([*where, what]).split())


class ScenarioError(InputError):
    """A scenario, or a file it names, cannot be used."""


class PlanError(InputError):
    """A plan cannot be used."""


class ResultError(InputError):
    """A result folder is damaged, or holds what xoff has not written."""


class OutputError(OSError):
    """A result folder cannot be written or replaced. Its text is one line that names the folder and a way out.

    Attributes:
        on_command_line: The same line with options where the text has arguments.
        reason: Why the system refuses it; empty if xoff does.
    """

    def __init__(self, text: str, on_command_line: str = "", reason: str = "") -> None:
        super().__init__(text)
        self.on_command_line = on_command_line or text
        self.reason = reason


class WorkerLostError(RuntimeError):
    """A process that was to run one of many scenarios ended without; what had finished is kept.

    Attributes:
        begun: Whether any such process had begun. If none had, the call is likely in a script outside
            `if __name__ == "__main__":`, or in text that is piped to Python: processes import the script anew.
    """

    def __init__(self, *, begun: bool = True) -> None:
        super().__init__(_KILLED if begun else _NOT_BEGUN)
        self.begun = begun


_KILLED = (
    "a run's process was killed, perhaps for lack of memory; fewer workers take less, "
    "and doing the same again goes on with what is missing"
)
_NOT_BEGUN = (
    "no process for a run could begin; in a script a call with several workers must stand below "
    '`if __name__ == "__main__":`, and the script in a file, not in text piped to Python; workers=1 needs neither'
)


@contextmanager
def interrupts_held() -> Iterator[list[int]]:
    """Keeps Ctrl-C and its like from what is done within; gives the signals that have come, which then are forgotten.

    Whoever holds them so that nothing is lost that is finished ends as they demand.
    """
    came: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()  # no other has a say in what becomes of them
    handlers = {number: signal.getsignal(number) for number in _INTERRUPTS if is_main}
    held = {number: handler for number, handler in handlers.items() if callable(handler)}  # not what is ignored
    try:
        for number in held:
            signal.signal(number, lambda number, _: came.append(number))
        yield came
    finally:
        for number, handler in reversed(held.items()):  # Ctrl-C last, which may raise at once
            signal.signal(number, handler)


@contextmanager
def interrupts_delayed() -> Iterator[None]:
    """Keeps them waiting until what is done within is done."""
    came: list[int] = []
    try:
        with interrupts_held() as came:
            yield
    finally:
        for number in came[:1]:
            signal.raise_signal(number)


def check_seeds(count: int, file: str | None, key: str = "seeds") -> None:
    """Raises ScenarioError for more seeds than anyone waits for; all are in memory at once."""
    if count > _MOST_SEEDS:
        raise ScenarioError(file, key, f"{count:,} are too many", f"expected at most {_MOST_SEEDS:,}")


def check_at_least_one(name: str, count: int) -> None:
    """Raises ValueError for an argument that says how many there are, if there are none; TypeError if it does not."""
    if not isinstance(count, SupportsIndex):
        message = f"{name}: is a {type(count).__name__}; expected a whole number, at least 1"
        raise TypeError(message)
    if count < 1:
        message = f"{name}: {count} run nothing; expected at least 1"
        raise ValueError(message)


def known(key: str, name: str, names: Collection[str]) -> str:
    """A name that is one of several. Raises InputError that names the nearest."""
    if name in names:
        return name
    nearest = get_close_matches(name, names)
    expected = f"did you mean {' or '.join(nearest)}?" if nearest else f"expected one of {', '.join(names)}"
    raise InputError(None, f"{key} {name}", "there is none of this name", expected)
