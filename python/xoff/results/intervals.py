"""Means and ratios over a few seeds, with 95 % confidence intervals."""

from __future__ import annotations

import math
import statistics
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95
_FAR = 10
"""Factor between value and bound beyond which an interval is too wide to tell anything."""


class Estimate(NamedTuple):
    """A value with its interval; it has no bounds for a single seed, nor for a ratio with a zero."""

    value: float
    low: float | None = None
    high: float | None = None

    @property
    def is_vague(self) -> bool:
        """Whether there were too few seeds for the interval to tell anything."""
        return (self.high or 0) > _FAR * self.value or 0 < _FAR * (self.low or 0) < self.value

    @property
    def unless_vague(self) -> Estimate:
        """The estimate, without its bounds if it is vague."""
        return Estimate(self.value) if self.is_vague else self


class Possible(NamedTuple):
    """The least and the greatest value that a measure can have."""

    least: float = 0.0
    most: float = math.inf


ANY = Possible()
SLOWDOWNS = Possible(least=1.0)
_SHARES = Possible(most=1.0)


def of_measure(measure: str, values: Sequence[float]) -> Estimate:
    """Returns the mean over seeds of a measure, a key of `summary.json`; its interval keeps to possible values."""
    name = measure.rpartition(".")[2]
    if name.startswith("slowdown"):
        return mean(values, SLOWDOWNS)
    return mean(values, _SHARES if name.endswith(("_rate", "_fraction", "_index")) else ANY)


def mean(values: Sequence[float], possible: Possible = ANY) -> Estimate:
    """Returns the arithmetic mean of independent values, one per seed, with the interval of `around`."""
    return around(math.fsum(values) / len(values), values, possible)


def around(centre: float, values: Sequence[float], possible: Possible = ANY) -> Estimate:
    """Returns a centre of independent values, one per seed, with a confidence interval around it.

    The interval is Student's t of the logarithms, and so the same factor below and above the centre. If a value is
    zero, it is Student's t of the values. The interval is cut to possible values. If a value lies below the least
    possible one, as slowdowns do where a link got faster, it is cut at 0 instead.
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
    """Returns the geometric mean of the ratios of values to base, paired by seed, with its interval.

    If a value is zero, returns the ratio of the means without an interval; None if the base is zero throughout.
    """
    if min(*values, *base) > 0:
        ratios = [value / under for value, under in zip(values, base, strict=True)]
        return around(math.exp(math.fsum(map(math.log, ratios)) / len(ratios)), ratios)
    return Estimate(math.fsum(values) / math.fsum(base)) if any(base) else None


def _half(values: Sequence[float]) -> float:
    """Returns half the width of Student's t interval of the mean."""
    return _standard_errors(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))


@cache
def _standard_errors(freedom: int) -> float:
    """Returns the t that Student's t stays within, on either side, with the probability of an interval.

    Args:
        freedom: Degrees of freedom, a whole number.
    """
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        if _probability_within(middle, freedom) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return math.tan(high) * math.sqrt(freedom)


def _probability_within(angle: float, freedom: int) -> float:
    """Returns the probability that Student's t lies between -t and t, with t = tan(angle) x sqrt(freedom).

    The finite sums for whole degrees of freedom are exact (Abramowitz and Stegun 1964, equations 26.7.3 and 26.7.4).
    They spare users SciPy, which is larger than all but one of the libraries that xoff needs.
    """
    is_odd, cosine = freedom % 2, math.cos(angle)
    total, term = 0.0, math.sin(angle) * (cosine if is_odd else 1)
    for divisor in range(2 + is_odd, freedom + 1, 2):
        total += term
        term *= (divisor - 1) / divisor * cosine * cosine
    return (angle + total) * 2 / math.pi if is_odd else total
