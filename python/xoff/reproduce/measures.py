"""Measures that several figures share.

Those of many points take the points last, so that `functools.partial` can fix the rest. What they compare is said as in
`Points.ratios`: `scheme=("dsh", "sih")` is DSH over SIH.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from xoff.reproduce.points import Measure, Point, Points, Value


def mean_fct_us(transport: str) -> Callable[[Point], float]:
    """Mean completion time of a transport's flows (us); flows after the stop stay out."""
    return lambda point: point.fct_means_us()[transport]


def mean_gbps(quantity: str, name: str, *, after_ms: float) -> Callable[[Point], float]:
    """Mean over time of what is observed in bits per second, such as a port's throughput, after the warm-up (Gbps)."""
    return lambda point: point.means(quantity, after_ms)[name] / 1e9


def greatest_ratio(measure: Measure, points: Points, **of: tuple[Value, Value]) -> float:
    """How many times a base it is, greatest of all positions on the other axes."""
    return max(ratio.value for ratio in points.ratios(measure, **of))


def most_saved(measure: Measure, points: Points, **of: tuple[Value, Value]) -> float:
    """What of a base is saved, greatest of all positions on the other axes (%); negative where nothing is."""
    return 100 * (1 - min(ratio.value for ratio in points.ratios(measure, **of)))


def least_saved(measure: Measure, points: Points, **of: tuple[Value, Value]) -> float:
    """The same, least of all (%)."""
    return 100 * (1 - greatest_ratio(measure, points, **of))


def most_dropped(points: Points) -> float:
    """Packets dropped, most of all runs."""
    return max(float(point.summary["packets"]["dropped"]) for point in points)
