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
    """Verdict on a row of `expected.csv`: two words for a claim at the paper's size, two at the quick scale."""

    REPRODUCED = "reproduced"
    """At the paper's size, the published value within its tolerance."""
    DIFFERS = "differs"
    """At the paper's size, a value outside the tolerance."""
    EFFECT_SEEN = "effect seen"
    """At the quick scale, a value within the tolerance, which may ask for no more than a sign."""
    EFFECT_MISSING = "effect missing"
    """At the quick scale, a value outside the tolerance."""
    PASSED = "passed"
    """A check of the runs that holds."""
    FAILED = "failed"
    """A check of the runs that does not hold."""
    NOT_SIMULATED = "not simulated"
    """No run shows it."""

    @property
    def is_met(self) -> bool:
        """Whether the measured value is within its tolerance."""
        return self in {Verdict.REPRODUCED, Verdict.EFFECT_SEEN, Verdict.PASSED}

    @property
    def is_missed(self) -> bool:
        """Whether the measured value is outside its tolerance."""
        return self in {Verdict.DIFFERS, Verdict.EFFECT_MISSING, Verdict.FAILED}

    @classmethod
    def of(cls, measured: float | None, row: Expected, *, of_paper_size: bool) -> Verdict:
        """Returns the verdict on a measured value.

        Args:
            measured: Value; None if it is not simulated.
            row: Published row.
            of_paper_size: Whether the runs are of the paper's own size.
        """
        if row.allowed is None or measured is None:
            return cls.NOT_SIMULATED
        if row.is_check:
            met, missed = cls.PASSED, cls.FAILED
        elif of_paper_size:
            met, missed = cls.REPRODUCED, cls.DIFFERS
        else:
            met, missed = cls.EFFECT_SEEN, cls.EFFECT_MISSING
        return met if row.allowed.holds(measured) else missed


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
    of_paper_size: bool
    """Whether the runs are of the paper's own size: at the paper scale, or at both if a figure has one size."""

    @property
    def verdict(self) -> Verdict:
        """Verdict on the row."""
        return Verdict.of(self.measured, self.expected, of_paper_size=self.of_paper_size)

    @property
    def note(self) -> str:
        """Distance outside the tolerance, and the note of the figure's folder."""
        beyond = ""
        if self.verdict.is_missed and self.expected.allowed and self.measured is not None:
            beyond = self.expected.allowed.distance(self.measured)
        return "; ".join(filter(None, (beyond, self.expected.note)))

    def as_dict(self) -> dict[str, Any]:
        """Returns the row as `xoff reproduce --json` prints it."""
        return {
            "id": self.id,
            "kind": self.expected.kind,
            "claim": self.expected.told,
            "published": self.expected.published,
            "measured": None if self.measured is None or not math.isfinite(self.measured) else self.measured,
            "tolerance": self.expected.tolerance,
            "verdict": self.verdict,
            "scale": self.scale,
            "note": self.note,
        }
