"""A fluid model at every combination of some values of its parameters, with the outcome of each."""

from __future__ import annotations

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from xoff.errors import check_at_least_one
from xoff.fluid.model import Fluid
from xoff.results.staging import Staging
from xoff.text import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from xoff.fluid.model import FixedPoint, Trajectory
    from xoff.runs.machines.given import Executor

NUMBERS = "fluid.json"


@dataclass(frozen=True)
class Row:
    """Outcome of one combination."""

    at: Mapping[str, str]
    """Values of the varied parameters."""
    difference_bps: float | None
    """Greatest rate less least, as a mean over the last tenth of the time; None where flows are all alike."""
    queue_mean_bytes: float
    """Mean queue in the second half of the time."""
    queue_low_bytes: float
    """Least queue in the second half of the time; 0 if it ran empty."""
    queue_high_bytes: float
    """Greatest queue in the second half of the time."""
    fixed_point: FixedPoint | None
    """Fixed point of equal flows; None for a model that goes round in a cycle."""
    sawtooth_bytes: tuple[float, float] | None
    """Least and greatest queue of that cycle, in closed form."""

    def as_dict(self) -> dict[str, Any]:
        """Returns the outcome as `fluid.json` holds it."""
        fixed_point = self.fixed_point and self.fixed_point._asdict()
        return {**asdict(self), "at": dict(self.at), "fixed_point": fixed_point}


@dataclass(frozen=True, eq=False)
class Point:
    """One combination, with its trajectory."""

    at: Mapping[str, str]
    """Values of the varied parameters."""
    model: Fluid
    trajectory: Trajectory

    @property
    def label(self) -> str:
        """Values of the combination, as a legend has them."""
        return ", ".join(f"{key} {value}" for key, value in self.at.items())

    @cached_property
    def row(self) -> Row:
        """Outcome of the combination."""
        end = self.trajectory.seconds[-1]
        late = self.trajectory.after(end / 2).queue_bytes
        last = self.trajectory.after(0.9 * end)
        difference = float(last.difference_bps.mean()) if len(last.rates_bps) else None
        return Row(
            self.at,
            difference,
            float(late.mean()),
            float(late.min()),
            float(late.max()),
            self.model.fixed_point(),
            self.model.sawtooth_bytes(),
        )


@dataclass(frozen=True)
class Sweep:
    """A sweep of a fluid model before it has run."""

    model: str
    axes: Mapping[str, Sequence[str]]
    """Values of each parameter, as a scenario would spell them."""
    models: tuple[tuple[Mapping[str, str], Fluid], ...]
    """Every combination, in the order of the axes; each is checked."""

    @classmethod
    def of(cls, base: Fluid, axes: Mapping[str, Sequence[str]]) -> Sweep:
        """Prepares every combination of the values. Raises ScenarioError if one is invalid."""
        combinations = (dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values()))
        models = ((at, Fluid(base.model, (*base.changes, *map("=".join, at.items())))) for at in combinations)
        return cls(base.model, axes, tuple(models))

    def run(
        self, *, workers: int = 1, on: Executor | None = None, on_finished: Callable[[], None] = lambda: None
    ) -> Swept:
        """Integrates all combinations, some at a time; Ctrl-C ends that, and finished ones are returned.

        Args:
            workers: Number of threads.
            on: Executor of other machines, such as a Dask client, in place of threads.
            on_finished: Called after each combination.

        Raises:
            ValueError: There are no workers.
        """
        check_at_least_one("workers", workers)
        if on is not None:
            return self._elsewhere(on, on_finished)
        cancelled = threading.Event()
        points: dict[int, Point] = {}

        def integrate(place: int) -> None:
            at, model = self.models[place]
            trajectory = model.run(lambda _share: not cancelled.is_set())
            if not cancelled.is_set():
                points[place] = Point(at, model, trajectory)
                on_finished()

        with ThreadPoolExecutor(workers) as pool:
            tasks = [pool.submit(integrate, place) for place in range(len(self.models))]
            try:
                for task in tasks:
                    task.result()
            except KeyboardInterrupt:
                cancelled.set()
                pool.shutdown(wait=False, cancel_futures=True)
        return Swept(self, tuple(points[place] for place in sorted(points)))

    def _elsewhere(self, executor: Executor, on_finished: Callable[[], None]) -> Swept:
        jobs = [executor.submit(Fluid.run, model) for _, model in self.models]
        points = []
        try:
            for (at, model), job in zip(self.models, jobs, strict=True):
                points.append(Point(at, model, job.result()))
                on_finished()
        except KeyboardInterrupt:
            for job in jobs:
                job.cancel()
        return Swept(self, tuple(points))


@dataclass(frozen=True, eq=False)
class Swept:
    """A sweep of a fluid model that has run, or the part of it that has."""

    sweep: Sweep
    points: tuple[Point, ...]
    """Integrated combinations, in the order of the sweep; all of them unless Ctrl-C ended it."""

    @property
    def rows(self) -> list[Row]:
        """Outcomes, in the order of the sweep."""
        return [point.row for point in self.points]

    @property
    def is_whole(self) -> bool:
        """Whether every combination was integrated."""
        return len(self.points) == len(self.sweep.models)

    @property
    def series(self) -> pa.Table:
        """Every record: the values of its combination, `time_us`, `quantity`, `flow` (or null), `value`."""
        import pyarrow as pa

        return pa.concat_tables(_series(point) for point in self.points)

    def as_dict(self) -> dict[str, Any]:
        """Returns the content of `fluid.json`."""
        return {
            "model": self.sweep.model,
            "axes": {key: list(values) for key, values in self.sweep.axes.items()},
            "interrupted": not self.is_whole,
            "rows": [row.as_dict() for row in self.rows],
        }

    def commit(self, staging: Staging) -> Path:
        """Writes `fluid.json`, `series.parquet` and `fluid.svg` and gives the folder its name. Raises OutputError."""
        import pyarrow.parquet as pq

        from xoff.fluid.plot import save

        with staging.writing():
            json_text.write(staging.path / NUMBERS, self.as_dict())
            pq.write_table(self.series, staging.path / "series.parquet", compression="zstd")
            save(self, staging.path / "fluid.svg")
        return staging.commit()


def prepare(out: str | Path | None, *, force: bool = False) -> Staging:
    """Begins the folder of a sweep: `out`, or by default a new numbered one, `results/fluid-001`.

    Raises OutputError if it cannot be written or `out` exists. With `force`, an earlier sweep is replaced; an
    interrupted one is replaced without.
    """
    return Staging.of_numbers(out, "fluid", NUMBERS, force=force)


def _series(point: Point) -> pa.Table:
    import pyarrow as pa

    count = len(point.trajectory.seconds)
    parts = []
    for (quantity, flow), values in point.trajectory.values.items():
        columns: dict[str, Any] = {key: pa.repeat(value, count).dictionary_encode() for key, value in point.at.items()}
        columns["time_us"] = point.trajectory.seconds * 1e6
        columns["quantity"] = pa.repeat(quantity, count).dictionary_encode()
        columns["flow"] = pa.array(np.full(count, flow)) if flow is not None else pa.nulls(count, pa.int64())
        columns["value"] = values
        parts.append(pa.table(columns))
    return pa.concat_tables(parts)
