"""What a few seeds say: means and ratios with 95 % confidence intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

CONFIDENCE = 0.95


class Estimate(NamedTuple):
    """A value with its interval; without bounds where there is one seed, or a zero that has no logarithm."""

    value: float
    low: float | None = None
    high: float | None = None


def mean(values: Sequence[float]) -> Estimate:
    """The mean of independent values, one per seed, with Student's t interval."""
    centre = math.fsum(values) / len(values)
    if len(values) < 2:
        return Estimate(centre)
    from scipy import stats  # takes most of a second to load

    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(values) - 1) * stats.sem(values))
    return Estimate(centre, centre - half, centre + half)


def ratio(values: Sequence[float], base: Sequence[float]) -> Estimate | None:
    """How many times the base, paired by seed: the geometric mean of the ratios and the interval of their logarithms.

    Where a value is zero it is the ratio of the means, without an interval; None if the base is zero throughout.
    """
    if min(*values, *base) > 0:
        logarithms = [math.log(value / under) for value, under in zip(values, base, strict=True)]
        centre, low, high = mean(logarithms)
        return Estimate(
            math.exp(centre), None if low is None else math.exp(low), None if high is None else math.exp(high)
        )
    return Estimate(math.fsum(values) / math.fsum(base)) if any(base) else None
