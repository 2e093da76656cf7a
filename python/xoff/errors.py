"""Errors that xoff raises, the checks that raise the common ones, and signals held back."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from difflib import get_close_matches
from enum import StrEnum, auto
from typing import TYPE_CHECKING, Self, SupportsIndex

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path


class ErrorKind(StrEnum):
    """Kinds of mistakes in what the user gave."""

    SYNTAX = auto()
    """A text that is not of its format."""
    MISSING_KEY = auto()
    """A required key that is not set."""
    UNKNOWN_KEY = auto()
    """A key that its table does not have."""
    UNKNOWN_NAME = auto()
    """A word or a name that the key does not take."""
    UNEXPLAINED = auto()
    """A name that `xoff explain` does not know."""
    WRONG_TYPE = auto()
    """A value that cannot be read as what the key takes."""
    OUT_OF_RANGE = auto()
    """A value outside its range."""
    OTHER = auto()
    """Any other mistake, such as values that do not fit together."""


TERMINAL_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGHUP") if hasattr(signal, name))
"""Signals that reach every process of a terminal: Ctrl-C, and except on Windows that the terminal was closed."""
_INTERRUPTS = (*TERMINAL_SIGNALS, signal.SIGTERM)
_MOST_SEEDS = 10_000


def one_line(text: str) -> str:
    r"""Returns text as one line: each stretch of white space as a space, what cannot be seen as Python escapes it.

    White space is that of Unicode, with all ends of lines that any program may know.

    >>> one_line("Eth0\nusername evil \x1b[31m")
    'Eth0 username evil \\x1b[31m'
    """
    words = " ".join(text.split())
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in words)


class InputError(ValueError):
    """Input of the user that cannot be used.

    Its text is one line, `FILE: KEY: what is wrong; what is expected`. Code decides by `kind`, `key` and `candidates`;
    `problem` and `expected` are sentences for people.

    Attributes:
        file: The file at fault, or None for what came as text.
        key: Place in the file, such as `switch[0].total` or `line 3`; empty if it is the file as a whole.
        problem: What is wrong.
        expected: What would be right; empty if the problem says it.
        kind: Kind of mistake.
        candidates: Names that may be meant instead, the nearest first; empty where none is near.
    """

    def __init__(
        self,
        file: str | None,
        key: str,
        problem: str,
        expected: str = "",
        kind: ErrorKind | str = ErrorKind.OTHER,
        candidates: Sequence[str] = (),
    ) -> None:
        super().__init__(file, key, problem, expected, kind, candidates)
        self.file = file
        self.key = key
        self.problem = problem
        self.expected = expected
        self.kind = ErrorKind(kind)
        self.candidates = tuple(candidates)

    def in_file(self, file: str | None) -> Self:
        """Returns the same error of a file."""
        return type(self)(file, self.key, self.problem, self.expected, self.kind, self.candidates)

    def reworded(self, *, problem: str | None = None, expected: str | None = None) -> Self:
        """Returns an error of the same kind, key and candidates with other sentences."""
        return type(self)(
            self.file,
            self.key,
            self.problem if problem is None else problem,
            self.expected if expected is None else expected,
            self.kind,
            self.candidates,
        )

    def __str__(self) -> str:
        where = [part for part in (self.file, self.key) if part]
        what = f"{self.problem}; {self.expected}" if self.expected else self.problem
        return one_line(": ".join([*where, what]))


class ScenarioError(InputError):
    """A scenario, or a file it names, that cannot be used."""


class SchemeError(InputError):
    """A scheme in Python that has failed in the course of a run; it names the line."""


class PlanError(InputError):
    """A plan of a switch that cannot be used."""


class ResultError(InputError):
    """A result folder that is damaged, or that holds files xoff has not written."""


class ResultWarning(UserWarning):
    """Someone has edited a result that xoff wrote."""


class MachinesWarning(UserWarning):
    """Machines that do runs do not get on as usual."""


class OutputError(OSError):
    """A result folder that cannot be written or replaced; the text is one line with the folder and a way out.

    Attributes:
        on_command_line: The same line with options where the text has arguments.
        reason: The system's own reason; empty if xoff refuses.
    """

    def __init__(self, text: str, on_command_line: str = "", reason: str = "") -> None:
        super().__init__(text)
        self.on_command_line = on_command_line or text
        self.reason = reason


class OutOfMemoryError(MemoryError):
    """A run, or what is made of its result, for which memory has run out; the text is one line with a way out."""

    def __str__(self) -> str:
        return "; ".join([": ".join(["out of memory", *map(str, self.args)]), _LESS])


_LESS = "let fewer packets or flows be under way at once, record less (observe), or find a machine with more memory"


class HungUp(KeyboardInterrupt):
    """The terminal was closed (SIGHUP)."""


class RunError(RuntimeError):
    """Many runs cannot all be done; the text says why, in lines. Finished ones are kept."""


class WorkerLostError(RunError):
    """No worker process could begin.

    The call is likely in a script outside `if __name__ == "__main__":`, or in text that is piped to Python: workers
    import the script anew.
    """

    def __str__(self) -> str:
        return _NOT_BEGUN


class BuildError(RunError):
    """A worker on another machine that has another build of xoff; the text is one line."""

    def __init__(self, node: str) -> None:
        super().__init__(node)

    def __str__(self) -> str:
        return (
            f"{self.args[0]}: has another build of xoff than this machine, whose results would not be comparable; "
            "install one wheel on all (make wheel), or one environment in a folder that all of them see"
        )


class StoreNotSharedError(RunError):
    """A worker on another machine that does not see the folder of finished runs; the text is one line."""

    def __init__(self, node: str, root: Path) -> None:
        super().__init__(node, root)

    def __str__(self) -> str:
        node, root = self.args
        return f"{node}: does not see {root}, where finished runs are kept; expected a folder that all nodes share"


class RunsFailedError(RunError):
    """Some of many runs that failed, after all others have finished; the text has a line for each.

    Attributes:
        failures: Why each failed, in a line, by the folder that its result would have.
    """

    def __init__(self, failures: Mapping[Path, str]) -> None:
        super().__init__(failures)
        self.failures = dict(failures)

    def __str__(self) -> str:
        told = [f"{place.name}: {error}" for place, error in self.failures.items()]
        left = len(told) - _MOST_FAILURES
        return "\n".join(told[:_MOST_FAILURES] + ([f"and {left} more runs failed"] if left > 0 else []))


_MOST_FAILURES = 5

_NOT_BEGUN = (
    "no process for a run could begin; in a script a call with several workers must stand below "
    '`if __name__ == "__main__":`, and the script in a file, not in text piped to Python; workers=1 needs neither'
)


@contextmanager
def interrupts_held() -> Iterator[list[int]]:
    """Holds back Ctrl-C, SIGTERM and SIGHUP inside a block, and yields the list of those that came.

    The signals are then forgotten. The caller saves its finished work and ends the program as the signals demand.
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
    """Delays Ctrl-C, SIGTERM and SIGHUP until a block has ended."""
    came: list[int] = []
    try:
        with interrupts_held() as came:
            yield
    finally:
        for number in came[:1]:
            signal.raise_signal(number)


def check_seeds(count: int, file: str | None, key: str = "seeds") -> None:
    """Raises ScenarioError for more than 10,000 seeds; all results are in memory at once."""
    if count > _MOST_SEEDS:
        raise ScenarioError(file, key, f"{count:,} are too many", f"expected at most {_MOST_SEEDS:,}")


def check_at_least_one(name: str, count: int) -> None:
    """Raises ValueError for a count below 1, and TypeError for one that is no whole number."""
    if not isinstance(count, SupportsIndex):
        message = f"{name}: is a {type(count).__name__}; expected a whole number, at least 1"
        raise TypeError(message)
    if count < 1:
        message = f"{name}: {count} run nothing; expected at least 1"
        raise ValueError(message)


def known(key: str, name: str, names: Collection[str]) -> str:
    """Returns a name if it is one of `names`; else raises InputError, which offers the nearest names."""
    if name in names:
        return name
    nearest = get_close_matches(name, names)
    expected = f"did you mean {' or '.join(nearest)}?" if nearest else f"expected one of {', '.join(names)}"
    raise InputError(None, f"{key} {name}", "there is none of this name", expected)


def spelled(error: BaseException) -> str:
    """Returns kind and text of an error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def unfit(problem: str, expected: str) -> InputError:
    """Returns the error that a validator of a model raises; the reader of the file adds its name and the key."""
    return InputError(None, "", problem, expected)
