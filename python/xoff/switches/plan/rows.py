"""The rows of a plan: a number, the formula that it came from, and whether it can hold."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from xoff.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

_UNITS = {
    "B": {"B": 1, "kB": 10**3, "MB": 10**6, "KiB": 1 << 10, "MiB": 1 << 20},
    "us": {"us": 1, "ms": 10**3},
    "Mb/s": {"Mbps": 1, "Gbps": 10**3},
    "%": {"%": 1},
    "": {"": 1},
}


class Verdict(StrEnum):
    """Whether what a row is checked for holds."""

    HOLDS = "holds"
    FAILS = "fails"
    WARNS = "warns"
    UNCHECKED = ""


@dataclass(frozen=True)
class Row:
    """One number of a plan."""

    key: str
    """Name of the row in `--json` and in the table `printed` of a plan."""
    quantity: str
    value: float
    """In `unit`."""
    unit: str
    """B, us, Mb/s, %, packets, or none."""
    formula: str
    """With the numbers in it."""
    source: str
    verdict: Verdict = Verdict.UNCHECKED
    why: str = ""
    """Condition that must hold."""
    shown_in: str = ""
    """The unit that its source prints it in, where that is another."""
    printed: str = ""
    """Value that the source prints."""

    @property
    def shown(self) -> str:
        """The value as people read it."""
        plain = f"{number(self.value)} {self.unit}".rstrip()
        if not self.shown_in:
            return plain
        return f"{plain} ({self.value / _UNITS[self.unit][self.shown_in]:.4g} {self.shown_in})"

    @property
    def follows(self) -> bool | None:
        """Whether what is printed is the value, rounded or truncated; None where nothing is printed."""
        return follows(self.value, self.unit, self.printed) if self.printed else None

    @property
    def judgement(self) -> str:
        """The verdict with its reason, and what becomes of the printed number."""
        parts = [": ".join(part for part in (self.verdict.value, self.why) if part)]
        if self.follows:
            parts.append(f"printed {_spaced(self.printed)}: follows")
        elif self.printed:
            unit = _spaced(self.printed).partition(" ")[2]
            gives = f"{self.value / _UNITS[self.unit][unit]:,.4g} {unit}" if unit else number(self.value)
            parts.append(f"printed {_spaced(self.printed)}, the formula gives {gives}: does not follow")
        return "; ".join(part for part in parts if part)

    def as_dict(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self) | {"follows": self.follows}


def check(holds: bool, why: str, otherwise: Verdict = Verdict.FAILS) -> tuple[Verdict, str]:
    """Returns the verdict on a condition, and the condition in words."""
    return (Verdict.HOLDS if holds else otherwise), why


def follows(value: float, unit: str, printed: str) -> bool:
    """Whether a printed number with its unit is the value, rounded or truncated to as many digits.

    Raises ValueError for what is no number with a unit of that kind.
    """
    match = re.fullmatch(r"([\d,]+(?:\.\d+)?) ?([A-Za-z%]*)", printed)
    units = _UNITS.get(unit, {unit: 1})
    if match is None or match[2] not in units:
        message = f'"{printed}" is no number in one of {", ".join(units) or "no unit"}'
        raise ValueError(message)
    digits = match[1].replace(",", "")
    step = 10.0 ** -len(digits.partition(".")[2])
    return abs(value / units[match[2]] - float(digits)) < step


def with_printed(rows: list[Row], printed: Mapping[str, str]) -> list[Row]:
    """Returns the rows with numbers that a paper prints, by key. Raises PlanError for what is in no unit of its row."""
    for row in rows:
        if row.key in printed:
            try:
                follows(row.value, row.unit, printed[row.key])
            except ValueError as error:
                expected = "expected the unit of its row"
                raise PlanError(None, f"printed.{row.key}", str(error), expected) from None
    return [replace(row, printed=printed.get(row.key, "")) for row in rows]


def _spaced(printed: str) -> str:
    return re.sub(r"(?<=\d)(?=[A-Za-z%])", " ", printed)


def number(value: float | Fraction) -> str:
    """Formats a number with separators: whole from 1000 on, else with four digits."""
    value = float(value)
    return f"{value:,.0f}" if value.is_integer() or abs(value) >= 1000 else f"{value:.4g}"
