"""Finished runs kept on disk, so that none is ever run twice."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING

from xoff import _xoff, columns, execution, folder, summary
from xoff.errors import OutputError, ResultError
from xoff.staging import Staging

if TYPE_CHECKING:
    from xoff.result import Result
    from xoff.scenario import Scenario

_DIGITS = 16  # of a digest in the name of a folder: 64 bits


def _build() -> str:
    """Digest of the simulator and of the modules that write its results: another build may leave something else."""
    modules = (_xoff, columns, execution, folder, summary)
    return hashlib.sha256(b"".join(Path(getfile(module)).read_bytes() for module in modules)).hexdigest()


@dataclass(frozen=True)
class KeptRuns:
    """A folder of result folders, named by what decides a run: its scenario, its files, and this very build of xoff."""

    root: Path
    build: str = field(default_factory=_build)
    """Digest of the build, as it was at the start: workers keep under it, whatever is installed meanwhile."""

    def place(self, scenario: Scenario) -> Path:
        """Where the result of a scenario is, or will be."""
        key = hashlib.sha256(f"{scenario.digest()} {self.build}".encode()).hexdigest()
        return self.root / f"{scenario.name}-{key[:_DIGITS]}"

    def has(self, scenario: Scenario) -> bool:
        """Whether it has run; what cannot be read any more is to run again."""
        try:
            folder.read_summary(self.place(scenario))
        except (FileNotFoundError, ResultError):
            return False
        return True

    def keep(self, scenario: Scenario, result: Result) -> None:
        """Writes the result of a scenario. Raises OutputError."""
        try:
            with Staging.at(self.place(scenario), replaces=folder.is_result) as staging:
                folder.commit(result, staging, report=False)
        except OutputError as error:
            raise OutputError(str(error)) from None  # no option names this folder
