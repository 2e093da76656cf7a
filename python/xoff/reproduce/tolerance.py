"""Tolerance of measured values around a published one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

_NUMBER = r"[-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
_FORMS = re.compile(
    rf"\+-(?P<around>{_NUMBER})(?P<percent> ?%)?"
    rf"|(?P<bound>[<>]=?) ?(?P<limit>{_NUMBER})"
    rf"|(?P<low>{_NUMBER})\.\.(?P<high>{_NUMBER})"
)


@dataclass(frozen=True)
class Tolerance:
    """The values that count as the published one."""

    low: float
    high: float

    @classmethod
    def parse(cls, text: str, published: float | None) -> Tolerance:
        """Reads `+-20 %` or `+-0.5` around the published value, `>= 3`, `< 1`, or `0.99..1.05`.

        Raises ValueError for anything else, and where `+-` has no published number to be around.
        """
        match = _FORMS.fullmatch(text)
        if match is None or (match["around"] and published is None):
            raise ValueError(text)
        if match["around"] and published is not None:
            around = float(match["around"])
            half = abs(published) * around / 100 if match["percent"] else around
            return cls(published - half, published + half)
        if match["bound"]:
            return cls._bounded(match["bound"], float(match["limit"]))
        return cls(float(match["low"]), float(match["high"]))

    @classmethod
    def _bounded(cls, bound: str, limit: float) -> Tolerance:
        match bound:
            case "<=":
                return cls(-math.inf, limit)
            case "<":
                return cls(-math.inf, math.nextafter(limit, -math.inf))
            case ">=":
                return cls(limit, math.inf)
            case _:
                return cls(math.nextafter(limit, math.inf), math.inf)

    def holds(self, measured: float) -> bool:
        """Whether a value is within the tolerance."""
        return self.low <= measured <= self.high

    def distance(self, measured: float) -> str:
        """Returns in words how far a value is outside the tolerance."""
        if math.isnan(measured):
            return "is undefined"
        limit, side = (self.low, "below") if measured < self.low else (self.high, "above")
        beyond = abs(measured - limit)
        return f"{beyond / abs(limit):.1%} {side} the limit" if limit else f"{beyond:.3g} {side} the limit"
