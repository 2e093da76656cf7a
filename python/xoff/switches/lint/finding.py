"""Findings of checks: severity, place, numbers and remedy."""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple


class Severity(IntEnum):
    """Severity of a finding, the worst first."""

    ERROR = 0
    """Cannot do what it is for: loss in a lossless class, a threshold that never fires, a table that SONiC refuses."""
    WARNING = 1
    """Fails under a load that can come."""
    NOTE = 2
    """A guarantee that is not given; it may be meant so."""

    def __str__(self) -> str:
        return self.name.lower()


class Place(NamedTuple):
    """Place of a setting: file, line, table, row and field."""

    file: str
    line: int
    key: str
    """Table, row and field, joined with `|`."""
    value: str
    """Value of the field; empty if it has none."""


class Fault(NamedTuple):
    """Fault that a check has found."""

    severity: Severity
    place: Place
    physics: str
    """Sentence that says what is wrong, with the numbers that show it."""
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
