"""A switch's tables held against physics: what they set, what that comes to, and what would do."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xoff.switches.lint.checks import BY_SHARES, CHECKS
from xoff.switches.lint.finding import Finding, Severity
from xoff.switches.lint.memory import readings
from xoff.switches.lint.tables import Tables

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from xoff.switches.lint.checks import Check
    from xoff.switches.lint.finding import Fault, Place

__all__ = ["CHECKS", "Finding", "Severity", "Tables", "lint"]


def lint(switches: Iterable[Tables], ignored: Collection[str] = ()) -> list[Finding]:
    """Runs every check on the tables of all switches, and returns the findings: worst first, then by file and line."""
    checks = [check for check in CHECKS if check.__name__ not in ignored]
    judged = _as_judged(list(switches))
    found = [
        Finding(check.__name__, *fault) for tables in judged for check in checks for fault in _faults(check, tables)
    ]
    return sorted(dict.fromkeys(found), key=lambda finding: (finding.severity, finding.place.file, finding.place.line))


def _faults(check: Check, tables: Tables) -> list[Fault]:
    """Returns the faults of a check, and of one that judges by shares only those that every reading of pools has.

    Of such a fault the mildest form is told.
    """
    if check not in BY_SHARES:
        return list(check(tables))
    first, *others = readings(tables)
    faults = list(check(first))
    for reading in others if faults else ():
        worst: dict[Place, Fault] = {}
        for fault in check(reading):
            worst[fault.place] = min(fault, worst.get(fault.place, fault), key=_severity)
        faults = [max(fault, worst[fault.place], key=_severity) for fault in faults if fault.place in worst]
    return faults


def _severity(fault: Fault) -> Severity:
    return fault.severity


def _as_judged(switches: list[Tables]) -> list[Tables]:
    """With the chip of their model, its MMUs too, and with one another's tables."""
    return [
        replace(one, chip=one.chip_of_memory, beside=tuple(other for other in switches if other is not one))
        for one in switches
    ]
