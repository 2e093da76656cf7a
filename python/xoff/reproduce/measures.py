"""Measures that several figures share.

Measures of many points take the points last, so that `functools.partial` can fix the other arguments. Positions to
compare are given as to `Points.ratios`: `scheme=("dsh", "sih")` is DSH over SIH.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from xoff.reproduce.points import Measure, Point, Points
    from xoff.studies.axes import Value


def mean_fct_us(transport: str) -> Callable[[Point], float]:
    """Returns the measure: mean completion time of a transport's flows (us), without flows after the stop."""
    return lambda point: point.fct_means_us()[transport]


def background_ms(low_bytes: float, high_bytes: float, share: float | None = None) -> Callable[[Point], float]:
    """Returns the measure: mean or quantile of completion times (ms) of flows in a range of sizes.

    Flows of complete queries are left out; the upper size is excluded.
    """

    def measure(point: Point) -> float:
        flows = point.background()
        size = flows["size_bytes"]
        of_size = pc.and_(pc.greater_equal(size, low_bytes), pc.less(size, high_bytes))
        return _statistic_ms(flows.filter(of_size)["fct_ns"], share)

    return measure


def background_timeouts(point: Point) -> float:
    """Returns the share of flows, without those of complete queries, whose retransmission timer expired."""
    timeouts = point.background()["timeouts"].to_numpy()
    return float(np.mean(timeouts > 0))


def completion_ms(share: float | None = None) -> Callable[[Point], float]:
    """Returns the measure: mean or quantile of the completion times (ms) of queries."""
    return lambda point: _statistic_ms(point.queries()["completion_ns"], share)


def throughputs_gbps(transport: str, least_bytes: int, point: Point) -> npt.NDArray[np.float64]:
    """Returns size over completion time (Gbps) of each finished flow of a transport, from a size up."""
    flows = point.result().flows
    chosen = pc.and_(pc.equal(flows["transport"], transport), pc.greater_equal(flows["size_bytes"], least_bytes))
    flows = flows.filter(chosen)
    throughputs: npt.NDArray[np.float64] = flows["size_bytes"].to_numpy() * 8 / flows["fct_ns"].to_numpy()
    return throughputs


def sizes_and_slowdowns(flows: pa.Table) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns size (bytes) and FCT slowdown of each flow of the measured time."""
    flows = flows.filter(flows["measured"])
    sizes, slowdowns = (np.asarray(flows[column], dtype=np.float64) for column in ("size_bytes", "slowdown"))
    return sizes, slowdowns


def _statistic_ms(times_ns: pa.ChunkedArray, share: float | None) -> float:
    times = times_ns.to_numpy() / 1e6
    if not len(times):
        return math.nan
    return float(np.mean(times) if share is None else np.quantile(times, share))


def mean_gbps(quantity: str, name: str, *, after_ms: float, until_ms: float = math.inf) -> Callable[[Point], float]:
    """Returns the measure: mean over a time (Gbps) of a quantity in bits per second, such as a port's throughput."""
    return lambda point: point.means(quantity, after_ms, until_ms)[name] / 1e9


def quantile(quantity: str, name: str, share: float, *, after_ms: float = 0) -> Callable[[Point], float]:
    """Returns the measure: a quantile of an observed quantity's samples, in the units of `Result.series`.

    Raises LookupError if it was not observed.
    """
    return lambda point: float(np.quantile(point.samples(quantity, name, after_ms=after_ms).value, share))


def last_pause_ms(*, since_ms: float = 0) -> Callable[[Point], float]:
    """Returns the measure: time (ms) from `since_ms` until the last pause or the run is over; 0 without pauses.

    Raises LookupError if pauses were not observed.
    """

    def measure(point: Point) -> float:
        result = point.result()
        if result.pauses is None:
            message = f"{point.folder} observed no pauses"
            raise LookupError(message)
        ends = result.pauses["end_ns"].fill_null(result.summary["end_ns"]).to_pylist()
        return float(max(ends, default=since_ms * 1e6)) / 1e6 - since_ms

    return measure


def mean(measure: Measure, points: Points) -> float:
    """Returns the mean over the seeds of points at one position."""
    return points.mean(measure)


def least_mean(measure: Measure, axis: str, points: Points) -> float:
    """Returns the least mean over the seeds among the positions of the only axis."""
    return min(points.mean(measure, **{axis: at}) for at in points.axis(axis))


def greatest_mean(measure: Measure, axis: str, points: Points) -> float:
    """Returns the greatest mean over the seeds among the positions of the only axis."""
    return max(points.mean(measure, **{axis: at}) for at in points.axis(axis))


def ratio_of_means(measure: Measure, points: Points, **of: tuple[Value, Value]) -> float:
    """Returns the mean over the seeds at a position over that at a base, where there is no other axis."""
    [(axis, (above, base))] = of.items()
    return points.mean(measure, **{axis: above}) / points.mean(measure, **{axis: base})


def greatest_ratio(measure: Measure, points: Points, **of: tuple[Value, Value]) -> float:
    """Returns the greatest ratio to a base among all positions on the other axes."""
    return max(ratio.value for ratio in points.ratios(measure, **of))


def most_saved(measure: Measure, points: Points, **of: tuple[Value, Value]) -> float:
    """Returns the greatest saving (%) over a base among all positions on the other axes; negative for a loss."""
    return 100 * (1 - min(ratio.value for ratio in points.ratios(measure, **of)))


def least_saved(measure: Measure, points: Points, **of: tuple[Value, Value]) -> float:
    """Returns the least saving (%) over a base among all positions on the other axes; negative for a loss."""
    return 100 * (1 - greatest_ratio(measure, points, **of))


def most_dropped(points: Points) -> float:
    """Returns the most packets dropped in a run."""
    return max(float(point.summary["packets"]["dropped"]) for point in points)


def most_dropped_but_oversubscribed(points: Points) -> float:
    """Returns the most packets dropped in a run of a headroom scheme that must not drop any."""
    return most_dropped(points.excluding(scheme="oversubscribed").excluding(scheme="oversubscribed_queues"))


def widest_interval(measures: Sequence[Measure], points: Points, **of: tuple[Value, Value]) -> float:
    """Returns half the widest 95 % interval of ratios to a base, among measures and positions on the other axes."""
    ratios = [ratio for measure in measures for ratio in points.ratios(measure, **of)]
    return max((ratio.high - ratio.low) / 2 for ratio in ratios if ratio.high is not None and ratio.low is not None)
