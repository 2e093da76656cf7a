"""Verdicts on published values, from measured ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.scale import Scale


class Verdict(StrEnum):
    """Verdict on a claim."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NOT_SIMULATED = "not simulated"


@dataclass(frozen=True)
class Row:
    """One row of `expected.csv`, judged."""

    id: str
    """Id of the figure, such as `bcc/fig2`."""
    expected: Expected
    """Published row."""
    measured: float | None
    """Measured value; None if the row is not simulated."""
    scale: Scale

    @property
    def verdict(self) -> Verdict:
        """Verdict on the row."""
        if self.expected.allowed is None or self.measured is None:
            return Verdict.NOT_SIMULATED
        return Verdict.REPRODUCED if self.expected.allowed.holds(self.measured) else Verdict.DIFFERS

    @property
    def note(self) -> str:
        """Distance outside the tolerance, and the note of the figure's folder."""
        beyond = ""
        if self.verdict is Verdict.DIFFERS and self.expected.allowed and self.measured is not None:
            beyond = self.expected.allowed.distance(self.measured)
        return "; ".join(filter(None, (beyond, self.expected.note)))

    def as_dict(self) -> dict[str, Any]:
        """Returns the row as `xoff reproduce --json` prints it."""
        return {
            "id": self.id,
            "claim": self.expected.told,
            "published": self.expected.published,
            "measured": None if self.measured is None or math.isnan(self.measured) else self.measured,
            "tolerance": self.expected.tolerance,
            "verdict": self.verdict,
            "scale": self.scale,
            "note": self.note,
        }
