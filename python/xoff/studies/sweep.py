"""Sweeps: a scenario at every combination of positions on axes, with measures and their intervals over seeds."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from xoff.errors import ScenarioError, check_at_least_one, check_seeds
from xoff.plot.figure_format import FigureFormat
from xoff.results import intervals, unfinished
from xoff.results.folder import read_summary
from xoff.results.measures import check_measures, check_workloads
from xoff.results.staging import Staging
from xoff.results.summary import value_at
from xoff.runs.batch import run_all
from xoff.runs.dataset import Varied
from xoff.runs.machines.opening import chosen
from xoff.scenario.scenario import Scenario
from xoff.studies.axes import Axis, Changes, combinations, headings
from xoff.studies.slowdown_by_size import OfSize, flows_in, of_runs
from xoff.text import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa

    from xoff.results.intervals import Estimate
    from xoff.results.summary import Summary
    from xoff.results.unfinished import Unfinished
    from xoff.runs.machines.given import Executor
    from xoff.runs.store import KeptRuns
    from xoff.studies.axes import Value
    from xoff.studies.plot.sweep import SweptPlots

MEASURES = (
    "flows.all.fct_mean_us",
    "flows.small.fct_p99_us",
    "flows.large.fct_mean_us",
    "flows.all.slowdown_p99",
    "collectives[0].completion_mean_us",
    "collectives[0].bus_bandwidth_mean_gbps",
    "jobs[0].completion_us",
    "loss_rate",
    "flows.timeouts",
    "pfc.off_us",
    "goodput_gbps",
    "flows.unfinished_goodput_min_gbps",
    "flows.long_lived_jain_index",
)
"""Measures by default: keys of `summary.json`, which `xoff explain` explains."""

NUMBERS = "sweep.json"
_MOST_COMBINATIONS = 10_000
_MOST_BY_SIZE, _MOST_FLOWS = 64, 5_000_000
"""Most combinations, and most flows of all runs, for slowdowns by flow size; all are in memory at once."""


@dataclass(frozen=True)
class Combination:
    """A combination of one position on each axis, before it has run."""

    at: Mapping[str, Value]
    runs: tuple[Scenario, ...]
    """The scenario with each seed."""


Values: TypeAlias = "dict[str, list[float]]"
"""Values of each measure, one per seed."""


class _Measured(NamedTuple):
    """Measures of one combination, over all seeds."""

    values: Values
    unfinished: Unfinished
    flows: int
    """Number of finished flows."""


@dataclass(frozen=True)
class Sweep:
    """A sweep before it has run."""

    title: str
    axes: Mapping[str, Axis]
    seeds: tuple[int, ...]
    measures: tuple[str, ...]
    combinations: tuple[Combination, ...] = field(repr=False)
    scenario: Scenario = field(repr=False)
    """The scenario that is varied."""

    @classmethod
    def of(cls, base: Scenario, axes: Mapping[str, Axis], seeds: int = 1, measures: Sequence[str] = MEASURES) -> Sweep:
        """Prepares every combination of positions. Raises ScenarioError if one is no valid scenario."""
        if not axes:
            raise ScenarioError(
                base.file, "", "nothing is varied", "expected an axis: --sweep KEY=A,B,C, or {KEY: [A, B, C]}"
            )
        check_seeds(seeds, base.file)
        check_measures(measures)
        check_workloads(base, measures)
        chosen = tuple(range(base.seed, base.seed + seeds))
        positions = {name: axis.positions for name, axis in axes.items()}
        count = prod(map(len, positions.values()))
        if count > _MOST_COMBINATIONS:
            problem = f"{count:,} combinations are to run"
            raise ScenarioError(base.file, "", problem, f"expected at most {_MOST_COMBINATIONS:,} in one sweep")
        if any("seed" in changes for axis in positions.values() for changes in axis.values()):
            raise ScenarioError(base.file, "seed", "cannot be varied", "expected how many there are, --seeds N")
        varied = tuple(
            Combination(at, _with_seeds(base, changes, chosen, _spelled(at, axes)))
            for at, changes in combinations(positions)
        )
        return cls(base.title, axes, chosen, tuple(measures), varied, base)

    def heading(self, axis: str) -> str:
        """Returns the heading of an axis: the last part of its key where that is unique."""
        return headings(self.axes)[axis]

    def spelled(self, axis: str, value: Value) -> str:
        """Returns a position on an axis with its unit."""
        return f"{value}{self.axes[axis].unit or ''}"

    def told(self, axis: str, value: Value) -> str:
        """Returns a position as the label of a line: a number with the axis, a name alone."""
        spelled = self.spelled(axis, value)
        return f"{self.heading(axis)} {spelled}" if spelled[:1].isdigit() else spelled

    def told_apart(self, axes: Iterable[str]) -> str:
        """Returns the names of those axes that tell lines apart although labels by `told` do not name them."""
        several = {axis: list(self.axes[axis].positions) for axis in axes if len(self.axes[axis].positions) > 1}
        return ", ".join(
            self.heading(axis)
            for axis, positions in several.items()
            if any(self.told(axis, value) == self.spelled(axis, value) for value in positions)
        )

    @property
    def chose_measures(self) -> bool:
        """Whether the measures were chosen, and are not the default ones."""
        return self.measures != MEASURES

    @property
    def base(self) -> str:
        """Base of ratios in words: the first position of the first axis."""
        return self.told(next(iter(self.axes)), self.first_position)

    @property
    def all_runs(self) -> list[Scenario]:
        """Every run, combination by combination, so that an interrupt leaves whole combinations."""
        return [run for combination in self.combinations for run in combination.runs]

    @property
    def run_names(self) -> list[str]:
        """Combination of each run in words, in the order of `all_runs`."""
        return [self.named(combination.at) for combination in self.combinations for _ in combination.runs]

    @property
    def varied(self) -> Varied:
        """Axes and positions of the runs, as a dataset has them."""
        _, first = next(combinations({name: axis.positions for name, axis in self.axes.items()}))
        units = {name: axis.unit for name, axis in self.axes.items()}
        at = [combination.at for combination in self.combinations for _ in combination.runs]
        return Varied(self.scenario, first, units, at)

    def progress(self, found: Swept | None) -> str:
        """Returns in words how many of the combinations have run."""
        return f"{len(found.rows) if found else 0} of {len(self.combinations)} combinations"

    def finished(self, kept: KeptRuns) -> Swept | None:
        """Returns the sweep over the combinations that have run with every seed; None if there is none."""
        done = [one for one in self.combinations if all(map(kept.has, one.runs))]
        if not done:
            return None
        measured = self._measured(done, kept)
        is_little = len(done) <= _MOST_BY_SIZE and sum(of_one.flows for of_one in measured.values()) <= _MOST_FLOWS
        return Swept(self, self._rows(done, measured), tuple(self._by_size(done, kept)) if is_little else ())

    @property
    def parts(self) -> list[tuple[str, Sequence[Scenario]]]:
        """Combinations with their names."""
        return [(self.named(one.at), one.runs) for one in self.combinations]

    def so_far(self, kept: KeptRuns, parts: Sequence[int]) -> Swept | None:
        """Returns the sweep over some combinations, as far as they have run; slowdowns by size are left out."""
        of_each_first = len(self.combinations) // len(next(iter(self.axes.values())).positions)
        done = {
            part: self.combinations[part]
            for chosen in parts
            for part in (chosen, chosen % of_each_first)  # the base of its ratios
            if all(map(kept.has, self.combinations[part].runs))
        }
        shown = [done[part] for part in parts if part in done]
        if not shown:
            return None
        rows = self._rows(shown, self._measured(done.values(), kept))
        return Swept(replace(self, combinations=tuple(shown)), rows)

    def _measured(self, done: Iterable[Combination], kept: KeptRuns) -> dict[tuple[Value, ...], _Measured]:
        """Returns what was measured, by positions; one after another, since all summaries would take 20 kB each."""
        found = {}
        for one in done:
            folders = list(map(kept.place, one.runs))
            summaries = list(map(read_summary, folders))
            left_out = unfinished.together(map(unfinished.of_run, folders, summaries))
            flows = sum(summary["flows"]["all"]["count"] for summary in summaries)
            found[tuple(one.at.values())] = _Measured(self._values(summaries), left_out, flows)
        return found

    def _rows(self, done: Iterable[Combination], measured: Mapping[tuple[Value, ...], _Measured]) -> tuple[Row, ...]:
        """Returns the rows of combinations, with ratios where their base was measured."""
        rows = []
        for one in done:
            _, *others = one.at.values()
            of_one, base = measured[tuple(one.at.values())], measured.get((self.first_position, *others))
            rows.append(_row(one.at, of_one.values, base.values if base else {}, of_one.unfinished))
        return tuple(rows)

    def named(self, at: Mapping[str, Value]) -> str:
        """Returns a combination in words: `scheme = hpcc, workload.load = 0.8`."""
        return _spelled(at, self.axes)

    def _by_size(self, done: Sequence[Combination], kept: KeptRuns) -> Sequence[OfSize]:
        """Returns the slowdowns by flow size; empty if there is one group."""
        folders = [list(map(kept.place, one.runs)) for one in done]
        tables = [[flows_in(folder, read_summary(folder)) for folder in of_one] for of_one in folders]
        rows = of_runs([self.named(one.at) for one in done], tables)
        groups = Counter(row.scenario for row in rows)
        return rows if max(groups.values(), default=0) > 1 else []

    def _values(self, summaries: Sequence[Summary]) -> Values:
        found = {measure: [value_at(summary, measure) for summary in summaries] for measure in self.measures}
        return {
            measure: [value for value in values if value is not None]
            for measure, values in found.items()
            if None not in values
        }

    @property
    def first_position(self) -> Value:
        """First position of the first axis."""
        first, *_ = self.axes.values()
        return next(iter(first.positions))


@dataclass(frozen=True)
class Row:
    """Measures of one combination; a measure without a value in some run is left out."""

    at: Mapping[str, Value]
    """Position on each axis."""
    measured: Mapping[str, Estimate]
    """Mean of each measure over seeds."""
    ratios: Mapping[str, Estimate]
    """Ratio of each measure to its value at the first position of the first axis, paired by seed."""
    unfinished: Unfinished
    """Unfinished flows, over all seeds."""


@dataclass(frozen=True, eq=False)
class Swept:
    """A sweep that has run, or the part of it that has."""

    sweep: Sweep
    rows: tuple[Row, ...]
    """Measured combinations, in the order of the sweep; all of them unless Ctrl-C ended it."""
    by_size: tuple[OfSize, ...] = ()
    """Slowdowns of each group of flows of similar size at each combination, called as by `Sweep.named`.

    Empty if there is one group, or if there are more than 64 combinations or 5 million flows.
    """

    def __repr__(self) -> str:
        runs = f"{len(self.rows)} of {len(self.sweep.combinations)} combinations"
        return f"<xoff.Swept {self.sweep.title!r} over {', '.join(self.sweep.axes)}; {runs}>"

    @property
    def is_whole(self) -> bool:
        """Whether every combination has run."""
        return len(self.rows) == len(self.sweep.combinations)

    @property
    def table(self) -> pa.Table:
        """Row for each combination: positions, measures and `_ratio`s, with `_low` and `_high`, and `unfinished`."""
        import pyarrow as pa

        # A column is of one type: where some positions are text, such as "1/8", all are.
        text = [name for name, axis in self.sweep.axes.items() if any(isinstance(at, str) for at in axis.positions)]
        fields = {
            name: pa.string() if name in text else pa.array(list(axis.positions)).type
            for name, axis in self.sweep.axes.items()
        }
        fields |= dict.fromkeys((name for measure in self.sweep.measures for name in _names(measure)), pa.float64())
        fields |= {f"unfinished.{name}": pa.int64() for name in unfinished.Unfinished._fields}
        rows = [row | {name: str(row[name]) for name in text} for row in self._flat()]
        return pa.Table.from_pylist(rows, pa.schema(fields))

    @property
    def plot(self) -> SweptPlots:
        """Figures: `swept.plot.measures()`, `ratios()` and `slowdown_by_size()`."""
        from xoff.studies.plot.sweep import SweptPlots  # brings Matplotlib

        return SweptPlots(self)

    @property
    def told(self) -> tuple[str, ...]:
        """Measures to show: the chosen ones, or the default ones that have a value at some combination."""
        if self.sweep.chose_measures:
            return self.sweep.measures
        return tuple(measure for measure in MEASURES if any(_counts(row, measure) for row in self.rows))

    def over_zero(self, measure: str) -> list[Row]:
        """Returns the combinations where a measure has no ratio because its base is zero."""
        first = (row for row in self.rows if row.at[self._first_axis] == self.sweep.first_position)
        bases = {self._others(row) for row in first if measure in row.measured}
        rows = [row for row in self.rows if measure in row.measured and self._others(row) in bases]
        return [row for row in rows if measure not in row.ratios]

    @property
    def _first_axis(self) -> str:
        return next(iter(self.sweep.axes))

    def _others(self, row: Row) -> tuple[Value, ...]:
        """Returns the positions on all axes but the first."""
        return tuple(position for axis, position in row.at.items() if axis != self._first_axis)

    def as_dict(self) -> dict[str, Any]:
        """Returns the content of `sweep.json`."""
        return {
            "title": self.sweep.title,
            "axes": {name: list(axis.positions) for name, axis in self.sweep.axes.items()},
            "units": {name: axis.unit for name, axis in self.sweep.axes.items() if axis.unit},
            "seeds": list(self.sweep.seeds),
            "confidence": intervals.CONFIDENCE,
            "interrupted": not self.is_whole,
            "rows": [
                {
                    "at": dict(row.at),
                    "measured": _plain(row.measured),
                    "ratios": _plain(row.ratios),
                    "unfinished": row.unfinished._asdict(),
                }
                for row in self.rows
            ],
            "slowdown_by_size": [row.as_dict() for row in self.by_size],
        }

    def save(self, path: str | Path, *, force: bool = False, figures: str = FigureFormat.SVG) -> Path:
        """Writes `sweep.json`, `sweep.csv` and figures into a new folder, whole or not at all; returns its path.

        The figures are `sweep.svg` and, if flows have several sizes, `slowdown_by_size.svg`.

        Args:
            path: The folder to make.
            force: Whether a sweep already there is replaced.
            figures: `svg`, `pdf` or `png`, the format of the figures.

        Raises:
            OutputError: There is something at `path` already, or it cannot be written.
        """
        with prepare(path, force=force) as staging:
            return self.commit(staging, figures=figures)

    def commit(self, staging: Staging, *, ratios: bool = False, figures: str = FigureFormat.SVG) -> Path:
        """Writes the files into a folder from `prepare`, with ratios drawn on request, and gives it its name.

        Raises OutputError.
        """
        drawn = {"sweep": self.plot.ratios() if ratios else self.plot.measures()}
        if self.by_size:
            drawn["slowdown_by_size"] = self.plot.slowdown_by_size()
        with staging.writing():
            json_text.write(staging.path / NUMBERS, self.as_dict())
            with (staging.path / "sweep.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, next(self._flat()))
                writer.writeheader()
                writer.writerows(self._flat())
            for name, figure in drawn.items():
                figure.savefig(staging.path / f"{name}.{FigureFormat(figures)}", facecolor="white")
        return staging.commit()

    def _repr_html_(self) -> str:
        from xoff.studies import grids

        return grids.of_sweep(self).as_html()

    def _flat(self) -> Iterator[dict[str, Any]]:
        for row in self.rows:
            left_out = {f"unfinished.{name}": count for name, count in row.unfinished._asdict().items()}
            yield dict(row.at) | _columns(row, self.sweep.measures) | left_out


def sweep(
    scenario: Scenario | str | Path,
    axes: Mapping[str, Iterable[Value] | Mapping[str, Changes]],
    *,
    seeds: int = 1,
    measures: Sequence[str] = MEASURES,
    workers: int = 1,
    on: str | Executor | None = None,
    keep: str | Path | None = None,
    dataset: str | Path | None = None,
    on_finished: Callable[[], None] = lambda: None,
) -> Swept:
    """Runs a scenario at every combination of positions on some axes.

    Args:
        scenario: A scenario or its file.
        axes: For each key its values, `{"workload.load": [0.4, 0.8]}`; or a name of an axis, and for each of its
            positions the keys that change, `{"scheme": {"sih": {}, "dsh": {"switch.pfc.headroom": ...}}}`.
        seeds: Number of seeds of each combination, from the scenario's own seed upwards.
        measures: Keys of `summary.json`.
        workers: Number of runs at once, each in a process of its own; 1 runs them in this one. In a script, a call with
            more must stand below `if __name__ == "__main__":`, and the script in a file, not in text piped to Python.
        on: Other machines: "slurm" or "dask:tcp://host:8786", as `--on` takes it, or an executor, such as those of
            `concurrent.futures`, a Dask client or one of submitit.
        keep: Folder in which finished runs are kept and never run again; left out, they are not kept.
        dataset: Folder of Parquet files to which each run is added: measures in `runs`, its flows in `flows`, by
            positions and seed. A sweep of the same scenario with the same axes extends it.
        on_finished: Called after each run.

    Raises:
        TypeError: The axes are no dictionary.
        ValueError: There is no seed or no worker.
        ScenarioError: A combination cannot be simulated, nothing is varied, an axis has no values or one twice, or a
            measure is no number of summaries.
        RunsFailedError: Some runs failed; all others have finished.
        InputError: There are no such machines, or they do not answer; or the dataset cannot take these runs.
        OutputError: The dataset cannot be written.
        KeyboardInterrupt: Ctrl-C. With `keep`, the same call goes on where it stopped.
    """
    if not isinstance(axes, Mapping):
        message = f"axes: is a {type(axes).__name__}; expected a dictionary of what is varied: {{KEY: [A, B, C]}}"
        raise TypeError(message)
    check_at_least_one("seeds", seeds)
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    wanted = Sweep.of(base, {name: Axis.given(name, values) for name, values in axes.items()}, seeds, measures)
    return run_all(wanted, on=chosen(workers, on), keep=keep, dataset=dataset, on_finished=on_finished)


def prepare(out: str | Path | None, *, force: bool = False) -> Staging:
    """Begins the folder of a sweep: `out`, or by default a new numbered one, `results/sweep-001`.

    Raises OutputError if it cannot be written or `out` exists. With `force`, an earlier sweep is replaced; an
    interrupted one is replaced without.
    """
    return Staging.of_numbers(out, "sweep", NUMBERS, force=force)


def _with_seeds(base: Scenario, changes: Changes, seeds: Sequence[int], called: str) -> tuple[Scenario, ...]:
    """Returns a combination with each seed. Raises ScenarioError, which names it, if it cannot be simulated."""
    try:
        changed = base.with_values(changes)
        runs = tuple(changed.with_value("seed", seed) for seed in seeds)
        runs[0].check()
    except ScenarioError as error:
        raise error.reworded(problem=f"{error.problem} (with {called})") from None
    return runs


def _spelled(at: Mapping[str, Value], axes: Mapping[str, Axis]) -> str:
    """Returns a combination in words: `scheme = hpcc, workload.load = 0.8`."""
    return ", ".join(f"{name} = {position}{axes[name].unit or ''}" for name, position in at.items())


def _counts(row: Row, measure: str) -> bool:
    """Whether a combination has a value, or, of pauses, one that is not zero."""
    found = row.measured.get(measure)
    return found is not None and (found.value > 0 or measure != "pfc.off_us")


def _row(at: Mapping[str, Value], values: Values, base: Values, left_out: Unfinished) -> Row:
    ratios = {name: intervals.ratio(found, base[name]) for name, found in values.items() if name in base}
    return Row(
        at,
        {measure: intervals.of_measure(measure, found) for measure, found in values.items()},
        {measure: ratio for measure, ratio in ratios.items() if ratio},
        left_out,
    )


def _plain(estimates: Mapping[str, Estimate]) -> dict[str, dict[str, float | None]]:
    return {measure: found._asdict() for measure, found in estimates.items()}


def _columns(row: Row, measures: Sequence[str]) -> dict[str, float | None]:
    columns: dict[str, float | None] = {}
    for measure in measures:
        estimates = (of.get(measure) or (None, None, None) for of in (row.measured, row.ratios))
        columns |= zip(_names(measure), chain(*estimates), strict=True)
    return columns


def _names(measure: str) -> list[str]:
    """Returns the names of a measure's columns."""
    return [f"{measure}{of}{end}" for of in ("", "_ratio") for end in ("", "_low", "_high")]
