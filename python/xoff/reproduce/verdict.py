"""Verdicts: what was published and what was measured, held against each other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.scale import Scale


class Verdict(StrEnum):
    """What becomes of a claim."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    NOT_SIMULATED = "not simulated"


@dataclass(frozen=True)
class Row:
    """One row of `expected.csv`, judged."""

    id: str
    """Of the figure, `bcc/fig2`."""
    expected: Expected
    """What was published."""
    measured: float | None
    """None if it is not simulated."""
    scale: Scale

    @property
    def verdict(self) -> Verdict:
        """Whether what was measured is near enough to what was published."""
        if self.expected.allowed is None or self.measured is None:
            return Verdict.NOT_SIMULATED
        return Verdict.REPRODUCED if self.expected.allowed.holds(self.measured) else Verdict.DIFFERS

    @property
    def note(self) -> str:
        """How far beyond the tolerance it is, and what the figure's folder says of it."""
        beyond = ""
        if self.verdict is Verdict.DIFFERS and self.expected.allowed and self.measured is not None:
            beyond = self.expected.allowed.distance(self.measured)
        return "; ".join(filter(None, (beyond, self.expected.note)))

    def as_dict(self) -> dict[str, Any]:
        """What `xoff reproduce --json` prints."""
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
