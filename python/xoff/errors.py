"""What can go wrong before a run, and how a run can end early."""

from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

if TYPE_CHECKING:
    from xoff.result import Result


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
    """

    def __init__(self, text: str, on_command_line: str = "") -> None:
        super().__init__(text)
        self.on_command_line = on_command_line or text


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


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. The flows that had finished are in `result`, whose `interrupted` is true."""

    def __init__(self, result: Result) -> None:
        super().__init__("the run was interrupted")
        self.result = result


def check_at_least_one(name: str, count: int) -> None:
    """Raises ValueError for an argument that says how many there are, if there are none; TypeError if it does not."""
    if not isinstance(count, SupportsIndex):
        message = f"{name}: is a {type(count).__name__}; expected a whole number, at least 1"
        raise TypeError(message)
    if count < 1:
        message = f"{name}: {count} run nothing; expected at least 1"
        raise ValueError(message)
