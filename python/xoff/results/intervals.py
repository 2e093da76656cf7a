"""What a few seeds say: means and ratios with 95 % confidence intervals."""

from __future__ import annotations

import math
import statistics
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95
_FAR = 10
"""An interval that goes on for more times the value, or for less than one part of so many, tells nothing."""


class Estimate(NamedTuple):
    """A value with its interval; without bounds where there is one seed, or a zero that has no logarithm."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def is_vague(self) -> bool:
        """Whether there were too few seeds for the interval to tell anything."""
        return (self.high or 0) > _FAR * self.value or 0 < _FAR * (self.low or 0) < self.value

    @property
    def unless_vague(self) -> Estimate:
        """Without bounds if these tell nothing."""
        return Estimate(self.value) if self.is_vague else self


class Possible(NamedTuple):
    """The least and the greatest value that a measure can have."""

    least: float = 0.0
    most: float = math.inf


ANY = Possible()
SLOWDOWNS = Possible(least=1.0)
_SHARES = Possible(most=1.0)


def of_measure(measure: str, values: Sequence[float]) -> Estimate:
    """The mean of a measure, a key of `summary.json`, over seeds; its interval holds what the measure can be."""
    name = measure.rpartition(".")[2]
    if name.startswith("slowdown"):
        return mean(values, SLOWDOWNS)
    return mean(values, _SHARES if name.endswith(("_rate", "_fraction", "_index")) else ANY)


def mean(values: Sequence[float], possible: Possible = ANY) -> Estimate:
    """The arithmetic mean of independent values, one per seed, with the interval that is `around` it."""
    return around(math.fsum(values) / len(values), values, possible)


def around(centre: float, values: Sequence[float], possible: Possible = ANY) -> Estimate:
    """A centre of independent values, one per seed, with an interval that holds it and only what is possible.

    The interval is Student's t of the logarithms, as many times below the centre as above it; where a value is zero
    it is that of the values. It ends where what is possible ends, but at 0 if a value itself lies below that: slowdowns
    do where a link got faster.
    """
    if len(values) < 2:
        return Estimate(centre)
    if min(values) > 0:
        times = math.exp(_half([math.log(value) for value in values]))
        low, high = centre / times, centre * times
    else:
        half = _half(values)
        low, high = centre - half, centre + half
    least = possible.least if min(values) >= possible.least else ANY.least
    return Estimate(centre, min(centre, max(low, least)), max(centre, min(high, possible.most)))


def ratio(values: Sequence[float], base: Sequence[float]) -> Estimate | None:
    """How many times the base, paired by seed: the geometric mean of the ratios and the interval of their logarithms.

    Where a value is zero it is the ratio of the means, without an interval; None if the base is zero throughout.
    """
    if min(*values, *base) > 0:
        ratios = [value / under for value, under in zip(values, base, strict=True)]
        return around(math.exp(math.fsum(map(math.log, ratios)) / len(ratios)), ratios)
    return Estimate(math.fsum(values) / math.fsum(base)) if any(base) else None


def _half(values: Sequence[float]) -> float:
    """Half the width of Student's t interval of the mean."""
    from scipy import special  # takes a third of a second to load

    quantile = special.stdtrit(len(values) - 1, (1 + CONFIDENCE) / 2)
    return float(quantile * statistics.stdev(values) / math.sqrt(len(values)))
