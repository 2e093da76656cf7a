"""Comparisons: the same traffic through several scenarios, each measure with its ratio to the first scenario."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.errors import ResultError, check_at_least_one, check_seeds
from xoff.plot.figure_format import FigureFormat
from xoff.results import intervals, unfinished
from xoff.results.folder import SCENARIO, SUMMARY, read_scenario, read_summary, warn_if_edited
from xoff.results.measures import check_measures, check_workloads
from xoff.results.staging import Staging
from xoff.results.summary import CLASSES, counted, value_at
from xoff.runs.batch import run_all
from xoff.runs.dataset import Varied
from xoff.runs.machines.opening import chosen
from xoff.scenario.scenario import Scenario
from xoff.studies import slowdown_by_size, traffic
from xoff.studies.slowdown_by_size import OfSize, flows_in
from xoff.text import json_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow as pa

    from xoff.plot.workloads import Workloads
    from xoff.results.intervals import Estimate
    from xoff.results.summary import Summary
    from xoff.results.unfinished import Unfinished
    from xoff.runs.machines.given import Executor
    from xoff.runs.store import KeptRuns
    from xoff.studies.plot.comparison import ComparisonPlots

_OF_FLOWS = ("fct_mean_us", "fct_p99_us", "slowdown_mean", "slowdown_p99")
_OF_CLASSES = tuple(f"flows.{size_class}.{measure}" for size_class in CLASSES for measure in _OF_FLOWS)
FCTS = tuple(measure for measure in _OF_CLASSES if "fct" in measure)
"""Measures that `fct_ratios.svg` draws."""
_OF_WORKLOADS = (*_OF_FLOWS, "unfinished_goodput_mean_gbps")
_OF_COLLECTIVES = ("completion_mean_us", "bus_bandwidth_mean_gbps")
_OF_JOBS = ("completion_us",)
_OF_UNFINISHED = (unfinished.MEASURE, "flows.unfinished_goodput_min_gbps", "flows.long_lived_jain_index")
_OF_RUNS = ("loss_rate", "flows.timeouts", "goodput_gbps", *_OF_UNFINISHED, "pfc.off_us")
MEASURES = (*_OF_CLASSES, *_OF_RUNS)
"""Measures by default: keys of `summary.json`, which `xoff explain` explains."""

_MOST_WORKLOADS = 12
_ESTIMATES = ("value", "value_low", "value_high", "ratio", "ratio_low", "ratio_high")

NUMBERS = "comparison.json"


class Row(NamedTuple):
    """One measure of one scenario."""

    measure: str
    """Key of `summary.json`, such as `flows.all.fct_p99_us`, `workloads[1].fct_p99_us` or `loss_rate`."""
    scenario: str
    value: Estimate
    """Mean over the seeds."""
    ratio: Estimate | None
    """Ratio to the first scenario; None where that is zero for every seed."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Runs of several scenarios with the same seeds and the same traffic; the first scenario is the base."""

    names: tuple[str, ...]
    """Names of the scenarios."""
    seeds: tuple[int, ...]
    """Seeds with which every scenario has run."""
    summaries: tuple[tuple[Summary, ...], ...]
    """For each scenario, the summary of its run with each seed."""
    flows: tuple[tuple[pa.Table, ...], ...] = field(default=(), repr=False)
    """For each scenario, the finished flows of its run with each seed: some columns of `flows.parquet`."""
    unfinished: tuple[Unfinished, ...] = ()
    """For each scenario, the flows that had not finished, of all seeds together."""
    measures: tuple[str, ...] = MEASURES
    """Measures to compare; `MEASURES` includes those of several workloads, of collectives and of jobs."""
    interrupted: bool = False
    """Whether Ctrl-C left seeds out."""

    @classmethod
    def open(
        cls, folders: Sequence[str | Path] | Mapping[str, str | Path], *, measures: Sequence[str] = MEASURES
    ) -> Comparison:
        """Compares finished runs with the first of them, from result folders of one scenario each.

        Args:
            folders: Result folders of `xoff run`, at least one; a dictionary gives them names of their own.
            measures: Keys of `summary.json`.

        Raises:
            TypeError: The folders are no list.
            ValueError: There is no folder.
            FileNotFoundError: A folder is no result folder.
            ResultError: A folder is damaged, or of a run that was interrupted.
            ScenarioError: A run has other traffic or another seed than the first, or a measure is no number of
                summaries.
        """
        _check_list("folders", folders)
        check_measures(measures)
        paths = [Path(folder) for folder in (folders.values() if isinstance(folders, Mapping) else folders)]
        summaries = [_whole_summary(path) for path in paths]
        for path, summary in zip(paths, summaries, strict=True):
            read_scenario(path, summary)
            warn_if_edited(path)
        scenarios = [Scenario.load(path / SCENARIO) for path in paths]
        check_workloads(scenarios[0], measures)
        own = tuple(map(str, folders)) if isinstance(folders, Mapping) else None
        traffic.check_same(scenarios, own)
        names = own or _told_apart([path.name for path in paths], list(map(str, paths)))
        return cls(
            names,
            (scenarios[0].seed,),
            tuple((summary,) for summary in summaries),
            tuple((flows_in(path, summary),) for path, summary in zip(paths, summaries, strict=True)),
            tuple(map(unfinished.of_run, paths, summaries)),
            tuple(measures),
        )

    @property
    def rows(self) -> list[Row]:
        """Rows, measure by measure, with the scenarios in order; measures that count no flow or pause are left out."""
        measures = self.measures
        if measures == MEASURES:
            measures = (*_OF_CLASSES, *self._of_workloads, *self._of_applications, *_OF_RUNS)
        return [row for measure in measures for row in self._rows_of(measure)]

    @property
    def rows_by_measure(self) -> dict[str, dict[str, Row]]:
        """Rows by measure and scenario; a measure that was asked for is there even if it has no value."""
        asked_for = self.measures if self.measures != MEASURES else ()
        found: dict[str, dict[str, Row]] = {measure: {} for measure in asked_for}
        for row in self.rows:
            found.setdefault(row.measure, {})[row.scenario] = row
        return found

    @property
    def _of_workloads(self) -> list[str]:
        """Measures of each workload if there are several, of the first ones only if there are many."""
        count = self._least("workloads")
        told = range(min(count, _MOST_WORKLOADS)) if count > 1 else ()
        return [f"workloads[{index}].{measure}" for index in told for measure in _OF_WORKLOADS]

    @property
    def _of_applications(self) -> list[str]:
        """Measures of each workload of collectives and of each job, of the first ones only if there are many."""
        return [
            f"{key}[{index}].{measure}"
            for key, measures in (("collectives", _OF_COLLECTIVES), ("jobs", _OF_JOBS))
            for index in range(min(self._least(key), _MOST_WORKLOADS))
            for measure in measures
        ]

    def _least(self, key: str) -> int:
        """Returns the least length of a list in the summaries; old summaries lack it."""
        return min(len(summary.get(key, ())) for runs in self.summaries for summary in runs)

    @property
    def table(self) -> pa.Table:
        """Rows as an Arrow table: `measure`, `scenario`, `value`, `ratio`, and `_low` and `_high` of both."""
        import pyarrow as pa

        words = [(name, pa.string()) for name in ("measure", "scenario")]
        schema = pa.schema([*words, *((name, pa.float64()) for name in _ESTIMATES)])
        return pa.Table.from_pylist([_plain(row) for row in self.rows], schema)

    @cached_property
    def by_size(self) -> tuple[OfSize, ...]:
        """Slowdowns of each group of flows of similar size, in each scenario."""
        return tuple(slowdown_by_size.of_runs(self.names, self.flows))

    @cached_property
    def ideal_ns(self) -> tuple[float, ...]:
        """For each scenario, the sum of the completion times that its finished flows would have alone (ns)."""
        return tuple(sum(map(_ideal_ns, runs)) for runs in self.flows)

    @property
    def slowdown_by_size(self) -> pa.Table:
        """`by_size` as an Arrow table: `largest_bytes`, `scenario`, `flows`, `slowdown_p50`, `slowdown_p50_low`, ..."""
        import pyarrow as pa

        return pa.Table.from_pylist([row.as_dict() for row in self.by_size], OfSize.schema())

    @property
    def plot(self) -> ComparisonPlots:
        """Figures: `comparison.plot.fct_ratios()`, `slowdown_by_size()`, `fct_cdf()` and `slowdown_cdf()`."""
        from xoff.studies.plot.comparison import ComparisonPlots  # brings Matplotlib

        return ComparisonPlots(self)

    @property
    def size_classes_bytes(self) -> tuple[int, int]:
        """Flow sizes at which small ends and medium ends."""
        small, medium = self.summaries[0][0]["size_classes_bytes"]
        return small, medium

    def as_dict(self) -> dict[str, Any]:
        """Returns the content of `comparison.json`."""
        return {
            "scenarios": list(self.names),
            "seeds": list(self.seeds),
            "confidence": intervals.CONFIDENCE,
            "interrupted": self.interrupted,
            "unfinished": [
                {"scenario": name, **found._asdict()} for name, found in zip(self.names, self.unfinished, strict=True)
            ],
            "rows": [_plain(row) for row in self.rows],
            "slowdown_by_size": [row.as_dict() for row in self.by_size],
        }

    def save(self, path: str | Path, *, force: bool = False, figures: str = FigureFormat.SVG) -> Path:
        """Writes `comparison.json`, `fct_ratios.svg` and `slowdown_by_size.svg` into a new folder; returns its path.

        Figures are left out where there is nothing to draw, as with one scenario or flows of one size.

        Args:
            path: The folder to make.
            force: Whether a comparison already there is replaced.
            figures: `svg`, `pdf` or `png`, the format of the figures.

        Raises:
            OutputError: There is something at `path` already, or it cannot be written.
        """
        with prepare(path, "compare", force=force) as staging:
            return self.commit(staging, figures=figures)

    def commit(self, staging: Staging, *, figures: str = FigureFormat.SVG, workloads: Workloads = None) -> Path:
        """Writes the files into a folder from `prepare`, and gives it its name. Raises OutputError."""
        with staging.writing():
            json_text.write(staging.path / NUMBERS, self.as_dict())
            self.draw(staging.path, figures, workloads)
        return staging.commit()

    def draw(self, path: Path, figures: str, workloads: Workloads = None) -> None:
        """Writes the figures into an existing folder; slowdowns by size are of all or of some workloads."""
        ending = FigureFormat(figures)
        if any(row.ratio for row in self.rows if row.measure in FCTS and row.scenario != self.names[0]):
            self.plot.save(path / f"fct_ratios.{ending}")
        if len({row.largest_bytes for row in self.by_size}) > 1:
            self.plot.save_slowdown_by_size(path / f"slowdown_by_size.{ending}", workloads)

    def __repr__(self) -> str:
        return f"<xoff.Comparison of {', '.join(self.names)}; seeds {', '.join(map(str, self.seeds))}>"

    def _repr_html_(self) -> str:
        from xoff.studies import grids

        return grids.of_comparison(self).as_html()

    def values(self, measure: str) -> list[list[float | None]]:
        """Returns a measure's value for each scenario and seed. Raises ScenarioError if it is no summary's number."""
        check_measures([measure], key="measure")
        return [[value_at(summary, measure) for summary in runs] for runs in self.summaries]

    def _is_told(self, measure: str) -> bool:
        """Whether a default measure is shown; those of pauses and unfinished flows only are if there are any."""
        if measure == unfinished.MEASURE:
            return any(found.flows for found in self.unfinished)
        return measure != "pfc.off_us" or any(map(any, self.values(measure)))

    def _rows_of(self, measure: str) -> Iterator[Row]:
        if self.measures == MEASURES and not self._is_told(measure):
            return
        values = self.values(measure)
        for name, of_scenario in zip(self.names, values, strict=True):
            counted = [value for value in of_scenario if value is not None]
            base = [value for value in values[0] if value is not None]
            if len(counted) == len(base) == len(self.seeds):
                yield Row(measure, name, intervals.of_measure(measure, counted), intervals.ratio(counted, base))


@dataclass(frozen=True)
class WantedComparison:
    """The runs of a comparison, before they have run."""

    names: tuple[str, ...]
    seeds: tuple[int, ...]
    runs: tuple[tuple[Scenario, ...], ...]
    """For each seed, every scenario with that seed."""
    measures: tuple[str, ...]

    @classmethod
    def of(
        cls,
        scenarios: Sequence[Scenario],
        seeds: int,
        names: tuple[str, ...] | None = None,
        measures: Sequence[str] = MEASURES,
    ) -> WantedComparison:
        """Prepares the runs of every scenario with each seed, from the first scenario's own seed upwards.

        Scenarios are named by their files unless `names` are given.

        Raises ScenarioError if the scenarios do not have the same traffic, or a measure is no number of summaries.
        """
        check_seeds(seeds, scenarios[0].file)
        check_measures(measures)
        check_workloads(scenarios[0], measures)
        files = [scenario.file or scenario.title for scenario in scenarios]
        traffic.check_same(scenarios, names or _told_apart(files, files))
        chosen = tuple(range(scenarios[0].seed, scenarios[0].seed + seeds))
        runs = tuple(tuple(scenario.with_value("seed", seed) for scenario in scenarios) for seed in chosen)
        return cls(names or _names(scenarios), chosen, runs, tuple(measures))

    @property
    def all_runs(self) -> list[Scenario]:
        """Every run, seed by seed, so that an interrupt leaves whole seeds."""
        return [run for runs in self.runs for run in runs]

    @property
    def run_names(self) -> list[str]:
        """Name of the scenario of each run, in the order of `all_runs`."""
        return [name for _ in self.runs for name in self.names]

    @property
    def varied(self) -> Varied:
        """The names of the scenarios as the only axis, if there are several."""
        if len(self.names) == 1:
            return Varied(self.runs[0][0], {}, {}, [{} for _ in self.all_runs])
        at = [{"scenario": name} for _ in self.runs for name in self.names]
        return Varied(self.runs[0][0], {}, {"scenario": None}, at)

    @property
    def parts(self) -> list[tuple[str, Sequence[Scenario]]]:
        """Seeds, each with the run of every scenario."""
        return [(f"seed {seed}", runs) for seed, runs in zip(self.seeds, self.runs, strict=True)]

    def so_far(self, kept: KeptRuns, parts: Sequence[int]) -> Comparison | None:
        """Returns the comparison over all seeds with which every scenario has run."""
        return self.finished(kept)

    def progress(self, found: Comparison | None) -> str:
        """Returns in words how many of the seeds have run."""
        return f"{len(found.seeds) if found else 0} of {len(self.seeds)} seeds"

    def finished(self, kept: KeptRuns) -> Comparison | None:
        """Returns the comparison over the seeds with which every scenario has run; None if there is no such seed."""
        complete = [index for index, runs in enumerate(self.runs) if all(map(kept.has, runs))]
        if not complete:
            return None
        folders = list(zip(*(map(kept.place, self.runs[index]) for index in complete), strict=True))
        summaries = tuple(tuple(map(read_summary, runs)) for runs in folders)
        of_each = list(zip(folders, summaries, strict=True))
        return Comparison(
            self.names,
            tuple(self.seeds[index] for index in complete),
            summaries,
            tuple(tuple(map(flows_in, *runs)) for runs in of_each),
            tuple(unfinished.together(map(unfinished.of_run, *runs)) for runs in of_each),
            self.measures,
            interrupted=len(complete) < len(self.runs),
        )


def compare(
    scenarios: Sequence[Scenario | str | Path] | Mapping[str, Scenario | str | Path],
    *,
    seeds: int = 1,
    measures: Sequence[str] = MEASURES,
    workers: int = 1,
    on: str | Executor | None = None,
    keep: str | Path | None = None,
    dataset: str | Path | None = None,
    on_finished: Callable[[], None] = lambda: None,
) -> Comparison:
    """Runs the same traffic through several scenarios and compares them with the first.

    Args:
        scenarios: Scenarios or their files, at least one; a dictionary gives them names of its own.
        seeds: Number of seeds of each scenario, from the first scenario's own seed upwards.
        measures: Keys of `summary.json`.
        workers: Number of runs at once, each in a process of its own; 1 runs them in this one. In a script, a call with
            more must stand below `if __name__ == "__main__":`, and the script in a file, not in text piped to Python.
        on: Other machines: "slurm" or "dask:tcp://host:8786", as `--on` takes it, or an executor, such as those of
            `concurrent.futures`, a Dask client or one of submitit.
        keep: Folder in which finished runs are kept and never run again; left out, they are not kept.
        dataset: Folder of Parquet files to which each run is added: measures in `runs`, its flows in `flows`, by
            scenario and seed. A comparison with the same first scenario extends it.
        on_finished: Called after each run.

    Raises:
        TypeError: The scenarios are no list.
        ValueError: There is no scenario, no seed or no worker.
        ScenarioError: A scenario cannot be simulated, or has other traffic than the first, or a measure is no number
            of summaries.
        RunsFailedError: Some runs failed; all others have finished.
        InputError: There are no such machines, or they do not answer; or the dataset cannot take these runs.
        OutputError: The dataset cannot be written.
        KeyboardInterrupt: Ctrl-C. With `keep`, the same call goes on where it stopped.
    """
    _check_list("scenarios", scenarios)
    check_at_least_one("seeds", seeds)
    given = scenarios.values() if isinstance(scenarios, Mapping) else scenarios
    loaded = [one if isinstance(one, Scenario) else Scenario.load(one) for one in given]
    names = tuple(map(str, scenarios)) if isinstance(scenarios, Mapping) else None
    wanted = WantedComparison.of(loaded, seeds, names, measures)
    return run_all(wanted, on=chosen(workers, on), keep=keep, dataset=dataset, on_finished=on_finished)


def prepare(out: str | Path | None, name: str, *, force: bool = False) -> Staging:
    """Begins the folder of a comparison: `out`, or by default a new numbered one, `results/NAME-001`.

    Raises OutputError if it cannot be written or `out` exists. With `force`, an earlier comparison is replaced; an
    interrupted one is replaced without.
    """
    return Staging.of_numbers(out, name, NUMBERS, force=force)


def _check_list(name: str, given: object) -> None:
    """Raises TypeError unless an argument is a list or dictionary, and ValueError if it is empty."""
    if isinstance(given, str) or not isinstance(given, Collection):
        message = f"{name}: is a {type(given).__name__}; expected a list of {name}, or a dictionary that names them"
        raise TypeError(message)
    check_at_least_one(name, len(given))


def _names(scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    """Returns a unique name for each scenario, from its file."""
    return _told_apart(
        [scenario.name for scenario in scenarios], [scenario.file or scenario.title for scenario in scenarios]
    )


def _told_apart(names: Sequence[str], paths: Sequence[str]) -> tuple[str, ...]:
    """Returns the names if they are unique, else the paths, else the paths with their position."""
    for told in (names, paths):
        if len(set(told)) == len(told):
            return tuple(told)
    return tuple(f"{path} ({place})" for place, path in enumerate(paths, 1))


def _whole_summary(folder: Path) -> Summary:
    summary = read_summary(folder)
    if summary["interrupted"]:
        expected = "expected one that ran to its end; run the scenario again"
        raise ResultError(str(folder / SUMMARY), "interrupted", "the run was cut short", expected)
    return summary


def _ideal_ns(flows: pa.Table) -> float:
    return float((counted(flows, "fct_ns") / counted(flows, "slowdown")).sum())


def _plain(row: Row) -> dict[str, Any]:
    """Returns a row as a flat dictionary."""
    estimates = (*row.value, *(row.ratio or (None, None, None)))
    return {"measure": row.measure, "scenario": row.scenario, **dict(zip(_ESTIMATES, estimates, strict=True))}
