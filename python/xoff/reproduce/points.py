"""The points of a figure: its runs, and the measures of each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import pyarrow.compute as pc

from xoff.results import folder, intervals
from xoff.results.intervals import Estimate
from xoff.results.summary import value_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from xoff.results.result import Result
    from xoff.results.summary import Summary
    from xoff.scenario.scenario import Scenario
    from xoff.studies.axes import Value

Measure: TypeAlias = "str | Callable[[Point], float]"
"""A key of `summary.json`, such as `flows.small.fct_p99_us`, or a function of a point."""


class Planned(NamedTuple):
    """A point before it has run."""

    at: Mapping[str, Value]
    """Position on each axis."""
    scenario: Scenario


class Samples(NamedTuple):
    """Samples of an observed quantity over time."""

    time_ms: npt.NDArray[np.float64]
    value: npt.NDArray[np.float64]
    """Values in the units of `Result.series`: bytes, bits per second."""


@dataclass(frozen=True)
class Point:
    """A point that has run."""

    at: Mapping[str, Value]
    """Position on each axis."""
    folder: Path
    """Result folder of the run."""

    @cached_property
    def summary(self) -> Summary:
        """Summary of the run."""
        return folder.read_summary(self.folder)

    def result(self) -> Result:
        """Returns the whole result; it is read each time, because a figure may have many and large ones."""
        return folder.read(self.folder)

    def queries(self) -> pa.Table:
        """Returns the complete queries. Raises LookupError if there is none."""
        return _queries(self.folder)

    def background(self) -> pa.Table:
        """Returns the finished flows that belong to no complete query."""
        return _background(self.folder)

    def fct_means_us(self) -> dict[str, float]:
        """Returns the mean completion time of flows by transport, without flows after the stop."""
        return _fct_means_us(self.folder)

    def samples(
        self, quantity: str, name: str, *, priority: int = 0, after_ms: float = 0, until_ms: float = math.inf
    ) -> Samples:
        """Returns the samples of a quantity of one name over time.

        Args:
            quantity: Quantity, such as `queue`.
            name: Name of a port, a pool or a flow, such as `switch0.port3`.
            priority: Traffic class, if the quantity is of one.
            after_ms: Time up to which samples are left out.
            until_ms: Time after which samples are left out.

        Raises:
            LookupError: The quantity was not observed.
        """
        samples = _samples(self.folder, quantity, name, priority)
        within = (samples.time_ms > after_ms) & (samples.time_ms <= until_ms)
        return Samples(samples.time_ms[within], samples.value[within])

    def means(self, quantity: str, after_ms: float, until_ms: float = math.inf) -> dict[str, float]:
        """Returns the mean of a quantity's samples after `after_ms` and until `until_ms`, by name.

        Raises:
            LookupError: The quantity was not observed.
        """
        return _means(self.folder, quantity, after_ms, until_ms)


@cache
def _fct_means_us(path: Path) -> dict[str, float]:
    flows = folder.read(path).flows
    means = flows.filter(flows["measured"]).group_by("transport").aggregate([("fct_ns", "mean")])
    of_each = zip(means["transport"].to_pylist(), means["fct_ns_mean"].to_pylist(), strict=True)
    return {transport: mean / 1000 for transport, mean in of_each}


@cache
def _background(path: Path) -> pa.Table:
    flows = folder.read(path).flows
    return flows.filter(pc.is_null(flows["query_id"]))


@cache
def _queries(path: Path) -> pa.Table:
    queries = folder.read(path).queries
    if queries is None:
        message = f"{path} has no complete query"
        raise LookupError(message)
    return queries


@cache
def _samples(path: Path, quantity: str, name: str, priority: int) -> Samples:
    series = _observed(path, quantity)
    of_it = pc.and_(pc.equal(series["quantity"], quantity), pc.equal(series["name"], name))
    found = series.filter(pc.and_(of_it, pc.equal(series["priority"], priority)))
    if not len(found):
        message = f"{path} observed no {quantity} of {name}"
        raise LookupError(message)
    return Samples(found["time_ns"].to_numpy() / 1e6, found["value"].to_numpy())


@cache
def _means(path: Path, quantity: str, after_ms: float, until_ms: float) -> dict[str, float]:
    series = _observed(path, quantity)
    time_ms = pc.divide(pc.cast(series["time_ns"], "double"), 1e6)
    within = pc.and_(pc.greater(time_ms, after_ms), pc.less_equal(time_ms, until_ms))
    of_it = series.filter(pc.and_(pc.equal(series["quantity"], quantity), within))
    means = of_it.group_by("name").aggregate([("value", "mean")])
    return dict(zip(means["name"].to_pylist(), means["value_mean"].to_pylist(), strict=True))


def _observed(path: Path, quantity: str) -> pa.Table:
    series = folder.read(path).series
    if series is None:
        message = f"{path} observed no {quantity}"
        raise LookupError(message)
    return series


class Points:
    """Points that have run: all of a figure, or some of them."""

    def __init__(self, points: Iterable[Point]) -> None:
        self._points = tuple(points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self._points)

    def __len__(self) -> int:
        return len(self._points)

    def where(self, **at: Value) -> Points:
        """Returns the points at some positions: `points.where(scheme="BCC", load=0.9)`."""
        return Points(point for point in self if all(point.at[axis] == value for axis, value in at.items()))

    def excluding(self, **at: Value) -> Points:
        """Returns the points that `where` leaves out."""
        return Points(point for point in self if any(point.at[axis] != value for axis, value in at.items()))

    def axis(self, name: str) -> list[Value]:
        """Returns the positions on an axis, in the order of `figure.toml`."""
        return list(dict.fromkeys(point.at[name] for point in self))

    def by_seed(self) -> list[Points]:
        """Returns the points of each seed."""
        seeds = sorted({point.summary["seed"] for point in self})
        return [Points(point for point in self if point.summary["seed"] == seed) for seed in seeds]

    def mean(self, measure: Measure, **at: Value) -> float:
        """Returns the mean over the seeds at one position.

        Args:
            measure: A key of `summary.json`, such as `flows.small.fct_p99_us`, or a function of a point.
            at: The position, on axes where the points are not all at one already.

        Raises:
            LookupError: There is no point at the position, or they are at several.
        """
        found = self.where(**at)
        if len({tuple(point.at.items()) for point in found}) != 1:
            message = f"{len(found)} points at {at}; expected one position"
            raise LookupError(message)
        values = [_value(point, measure) for point in found]
        return math.fsum(values) / len(values)

    def ratios(self, measure: Measure, **of: tuple[Value, Value]) -> list[Estimate]:
        """Returns the ratios to a base at each position on the other axes, in the order of `figure.toml`.

        `points.ratios("loss_rate", scheme=("BCC", "K720"))` is BCC's loss over that of K720, load by load. Intervals
        are of pairs of seeds.

        Args:
            measure: A key of `summary.json`, or a function of a point.
            of: One axis, with the position and the base.

        Raises:
            LookupError: There are no points at one of the two.
        """
        [(axis, (above, base))] = of.items()
        others = dict.fromkeys(tuple(item for item in point.at.items() if item[0] != axis) for point in self)
        return [
            intervals.ratio(
                self._values(measure, {**dict(at), axis: above}), self._values(measure, {**dict(at), axis: base})
            )
            or Estimate(math.nan)
            for at in others
        ]

    def _values(self, measure: Measure, at: Mapping[str, Value]) -> list[float]:
        """Returns a measure's value for each seed."""
        found = [_value(point, measure) for point in self.where(**at)]
        if not found:
            message = f"no points at {at}"
            raise LookupError(message)
        return found


def _value(point: Point, measure: Measure) -> float:
    value = value_at(point.summary, measure) if isinstance(measure, str) else measure(point)
    return math.nan if value is None else value
