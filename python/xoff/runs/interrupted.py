"""A run that ended early."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xoff.results.result import Result


class RunInterrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. The flows that had finished are in `result`, whose `interrupted` is true."""

    def __init__(self, result: Result) -> None:
        super().__init__("the run was interrupted")
        self.result = result
