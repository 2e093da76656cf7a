"""The error for a run that Ctrl-C ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xoff.results.result import Result


class RunInterrupted(KeyboardInterrupt):
    """A run that Ctrl-C ended; `result` has the flows that had finished, and its `interrupted` is true."""

    def __init__(self, result: Result) -> None:
        super().__init__("the run was interrupted")
        self.result = result
