"""What a check says."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Severity(IntEnum):
    """How bad it is, the worst first."""

    ERROR = 0
    """Cannot do what it is for: loss in a lossless class, a threshold that never fires, a table that SONiC refuses."""
    WARNING = 1
    """Fails under a load that can come."""
    NOTE = 2
    """A guarantee that is not given; it may be meant so."""

    def __str__(self) -> str:
        return self.name.lower()


class Place(NamedTuple):
    """Where something is set."""

    file: str
    line: int
    key: str
    """Table, row and field, joined with `|`."""
    value: str
    """What stands there; empty if nothing does."""


class Fault(NamedTuple):
    """What a check has found."""

    severity: Severity
    place: Place
    physics: str
    """What is wrong, with the numbers that say so."""
    remedy: str


class Finding(NamedTuple):
    """A fault, and by which check."""

    check: str
    severity: Severity
    place: Place
    physics: str
    remedy: str

    def as_data(self) -> dict[str, str | int]:
        """For `--json`."""
        return {
            "file": self.place.file,
            "line": self.place.line,
            "key": self.place.key,
            "value": self.place.value,
            "severity": str(self.severity),
            "check": self.check,
            "physics": self.physics,
            "remedy": self.remedy,
        }
