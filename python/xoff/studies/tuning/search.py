"""The search: earlier trials decide which values are tried next."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from xoff.errors import ScenarioError, check_at_least_one, check_seeds
from xoff.results import intervals, unfinished
from xoff.results.folder import read_summary
from xoff.results.measures import check_measures, check_workloads, why_nothing
from xoff.results.summary import value_at
from xoff.results.unfinished import Unfinished
from xoff.runs.batch import Batch
from xoff.runs.machines.opening import chosen, opened
from xoff.runs.store import kept_in
from xoff.scenario.quantities import written
from xoff.scenario.scenario import Scenario
from xoff.studies import traffic
from xoff.studies.bounds import Bound
from xoff.studies.comparison import MEASURES, WantedComparison
from xoff.studies.tuning import CONFIRMED, TRIALS
from xoff.studies.tuning import space as spaces
from xoff.studies.tuning.sampler import Sampler
from xoff.studies.tuning.trial import Trial
from xoff.studies.tuning.tuned import BASE, TUNED, Tuned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from xoff.results.summary import Summary
    from xoff.runs.machines.given import Executor
    from xoff.runs.machines.opening import On
    from xoff.runs.store import KeptRuns
    from xoff.studies.tuning.space import Dimension

AT_ONCE = 4
"""Trials under way together; see `Tuning.search`."""
_PAUSED, _PAUSES = "pfc.paused_us", "pfc.off_us"
"""Paused time as senders and as the switches that pause them count it; the first stands for the second."""


@dataclass(frozen=True)
class Tuning:
    """A search before it has run."""

    base: Scenario
    space: Mapping[str, Dimension]
    objective: str
    """Measure to minimize or maximize."""
    is_maximized: bool
    bounds: tuple[Bound, ...]
    trials: int
    seeds: tuple[int, ...]
    """Seeds of every trial."""
    fresh_seeds: tuple[int, ...]
    """Seeds that compare the best trial with the unchanged scenario; the search does not use them."""

    @classmethod
    def of(
        cls,
        base: Scenario,
        space: Mapping[str, Dimension],
        objective: str,
        *,
        is_maximized: bool = False,
        bounds: Iterable[Bound] = (),
        trials: int = TRIALS,
        seeds: int = 1,
        confirm: int = CONFIRMED,
    ) -> Tuning:
        """Prepares a search. Raises ScenarioError for an unknown key or measure, and for a key of the traffic."""
        if not space:
            raise ScenarioError(base.file, "", "nothing is tuned", "expected a key and its range: --tune KEY=START:END")
        check_seeds(seeds, base.file)
        check_seeds(confirm, base.file, "confirm")
        bounds = tuple(bounds)
        measures = (objective, *(bound.measure for bound in bounds))
        check_measures([objective], key="maximize" if is_maximized else "minimize")
        check_measures(measures)
        check_workloads(base, measures)
        for key, dimension in space.items():
            _check(base, key, dimension)
        first = base.seed + seeds
        return cls(
            base,
            space,
            objective,
            is_maximized,
            bounds,
            trials,
            tuple(range(base.seed, first)),
            tuple(range(first, first + confirm)),
        )

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures of the search: the objective, and those with bounds."""
        return tuple(dict.fromkeys((self.objective, *(bound.measure for bound in self.bounds))))

    @cached_property
    def base_values(self) -> dict[str, object]:
        """Values of the keys in the unchanged scenario, for keys that have one value."""
        resolved = written(self.base._core.settings())
        found = {key: _all_at(resolved, key.split(".")) for key in self.space}
        return {key: values[0] for key, values in found.items() if len(set(map(str, values))) == 1}

    @property
    def goal(self) -> str:
        """Objective in words, such as `maximize goodput_gbps`."""
        return f"{'maximize' if self.is_maximized else 'minimize'} {self.objective}"

    @property
    def runs(self) -> int:
        """Most runs that the search takes."""
        return (1 + self.trials) * len(self.seeds) + 2 * len(self.fresh_seeds)

    def is_better(self, value: float, other: float) -> bool:
        """Whether one value of the objective is better than another."""
        return value > other if self.is_maximized else value < other

    def search(
        self,
        kept: KeptRuns,
        *,
        on: On = 1,
        at_once: int = AT_ONCE,
        on_finished: Callable[[], None] = lambda: None,
    ) -> Iterator[Tuned]:
        """Runs trials, some at a time, and yields each time what has been found so far.

        Each trial is chosen as soon as the one `at_once` places before it is known, by all trials up to that one. The
        trials in between count as if they gave the worst value there is, so that the next ones look elsewhere. So a
        search makes the same trials on any machines, in whatever order they end, and waits for a slow trial only when
        `at_once` others have been chosen since. Finished runs stay kept whatever ends the search; the same call then
        goes on with the others.

        Args:
            kept: The store of finished runs.
            on: Where runs are done.
            at_once: Trials under way together; other numbers make other trials.
            on_finished: Called after each run.

        Raises:
            ScenarioError: The unchanged scenario cannot be simulated, or has no value of a measure.
            RunsFailedError: The runs of the unchanged scenario, or those that confirm the best trial, failed.
        """
        with opened(on, kept) as machines, machines.cancelled_by_errors():
            batch = Batch(kept, machines)
            of_base = self._with_seeds({})
            batch.do(of_base, on_finished)
            batch.check(of_base)
            base = self._trial(0, {}, list(map(kept.place, of_base)))
            if base.problem:
                raise ScenarioError(self.base.file, "", base.problem, "expected a measure that the scenario has")
            summary_of_base = read_summary(kept.place(of_base[0]))
            found = Tuned(self, base)
            yield found
            for trial in self._trials(batch, base, at_once, on_finished):
                found = replace(found, trials=(*found.trials, trial))
                yield found
            if found.best:
                wanted = self._confirmation(found.best, summary_of_base)
                batch.do(wanted.all_runs, on_finished)
                batch.check(wanted.all_runs)
                found = replace(found, confirmed=wanted.finished(kept))
        yield replace(found, is_whole=True)

    def _trials(self, batch: Batch, base: Trial, at_once: int, on_finished: Callable[[], None]) -> Iterator[Trial]:
        """Yields trials in the order in which they were chosen."""
        sampler = Sampler(self.space, is_maximized=self.is_maximized, seed=self.base.seed)
        under_way: deque[tuple[dict[str, object], list[Scenario] | str]] = deque()
        for number in range(1, self.trials + 1):
            while len(under_way) < min(at_once, self.trials + 1 - number):
                at = sampler.choose()
                under_way.append((at, runs := self._runs_or_problem(at)))
                if not isinstance(runs, str):
                    for _ in batch.add(runs):
                        on_finished()
            at, runs = under_way.popleft()
            trial = self._awaited(number, at, runs, batch, base, on_finished)
            sampler.learn(trial, self.objective)
            yield trial

    def _awaited(
        self,
        number: int,
        at: Mapping[str, object],
        runs: list[Scenario] | str,
        batch: Batch,
        base: Trial,
        on_finished: Callable[[], None],
    ) -> Trial:
        """Waits for the runs of a trial, and returns it; `runs` may be the reason why there are none."""
        if not isinstance(runs, str):
            while not all(map(batch.has_ended, runs)):
                for _ in batch.wait():
                    on_finished()
            folders = list(map(batch.kept.place, runs))
            failed = [batch.failures[place] for place in folders if place in batch.failures]
            if not failed:
                return self._trial(number, at, folders, base)
            runs = failed[0]
        return Trial(number, at, {}, {}, Unfinished(0, 0), runs)

    def _with_seeds(self, at: Mapping[str, object]) -> list[Scenario]:
        return [self.base.with_values({**at, "seed": seed}) for seed in self.seeds]

    def _runs_or_problem(self, at: Mapping[str, object]) -> list[Scenario] | str:
        """Returns a trial's run with each seed, or the reason why it is no valid scenario, such as XON above XOFF."""
        try:
            runs = self._with_seeds(at)
            runs[0].check()
        except ScenarioError as error:
            return f"{error.key}: {error.problem}" if error.key else error.problem
        return runs

    def _trial(
        self, number: int, at: Mapping[str, object], folders: Sequence[Path], base: Trial | None = None
    ) -> Trial:
        """Returns a trial with its measures; bounds that are multiples are of the base's measures."""
        summaries = list(map(read_summary, folders))
        left_out = unfinished.together(map(unfinished.of_run, folders, summaries))
        measured = {}
        for measure in self.measures:
            values = [value_at(summary, measure) for summary in summaries]
            counted = [value for value in values if value is not None]
            if len(counted) < len(values):
                return Trial(number, at, {}, {}, left_out, why_nothing(measure))
            measured[measure] = intervals.of_measure(measure, counted)
        of_base = base.measured if base else measured
        excess = {
            bound: bound.excess(measured[bound.measure].value, of_base[bound.measure].value) for bound in self.bounds
        }
        return Trial(number, at, measured, excess, left_out)

    def _confirmation(self, best: Trial, base: Summary) -> WantedComparison:
        """Returns the comparison of the best trial with the unchanged scenario, over fresh seeds."""
        usual = [measure for measure in MEASURES if measure in self.measures or value_at(base, measure)]
        if _PAUSED in self.measures:
            usual = [measure for measure in usual if measure != _PAUSES or measure in self.measures]
        measures = (*(measure for measure in self.measures if measure not in usual), *usual)
        first = self.base.with_value("seed", self.fresh_seeds[0])
        return WantedComparison.of([first, first.with_values(best.at)], len(self.fresh_seeds), (BASE, TUNED), measures)


def tune(
    scenario: Scenario | str | Path,
    space: Mapping[str, str | Iterable[object]],
    *,
    minimize: str | None = None,
    maximize: str | None = None,
    at_most: Mapping[str, float | str] | None = None,
    at_least: Mapping[str, float | str] | None = None,
    trials: int = TRIALS,
    seeds: int = 1,
    confirm: int = CONFIRMED,
    workers: int = 1,
    on: str | Executor | None = None,
    keep: str | Path | None = None,
    on_finished: Callable[[], None] = lambda: None,
) -> Tuned:
    """Searches for the values of some keys with which a measure is best, and confirms them with fresh seeds.

    Args:
        scenario: A scenario or its file.
        space: For each key its range, `"20kB:400kB"`, or `"20kB:400kB:20kB"` with a step, or a list of values.
        minimize: Measure to minimize, a key of `summary.json`.
        maximize: Measure to maximize, in place of `minimize`.
        at_most: Upper limits of measures: a number, or `"x1.05"` for a multiple of the unchanged scenario's value.
        at_least: Lower limits of measures, likewise.
        trials: Number of trials.
        seeds: Number of seeds of each trial, from the scenario's own seed upwards.
        confirm: Number of further seeds that compare the best trial with the unchanged scenario.
        workers: Number of runs at once, each in a process of its own; 1 runs them in this one.
        on: Other machines: "slurm" or "dask:tcp://host:8786", as `--on` takes it, or an executor.
        keep: Folder in which finished runs are kept and never run again; left out, they are not kept.
        on_finished: Called after each run.

    Raises:
        TypeError: The space is no dictionary.
        ValueError: There is no trial, no seed or no worker, or not one of `minimize` and `maximize`.
        ScenarioError: A key or measure is unknown, a range has no values, or a key changes the traffic.
        KeyboardInterrupt: Ctrl-C. With `keep`, the same call goes on where it stopped.
    """
    for name, count in (("trials", trials), ("seeds", seeds), ("confirm", confirm)):
        check_at_least_one(name, count)
    if (minimize is None) == (maximize is None):
        message = "minimize, maximize: expected one of them, such as minimize='flows.small.fct_p99_us'"
        raise ValueError(message)
    base = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    tuning = Tuning.of(
        base,
        spaces.given(space),
        minimize or maximize or "",
        is_maximized=maximize is not None,
        bounds=[
            Bound.given(measure, limit, is_least=is_least, where=measure)
            for limits, is_least in ((at_most, False), (at_least, True))
            for measure, limit in (limits or {}).items()
        ],
        trials=trials,
        seeds=seeds,
        confirm=confirm,
    )
    with kept_in(keep) as kept:
        *_, found = tuning.search(kept, on=chosen(workers, on), on_finished=on_finished)
    return found


def _check(base: Scenario, key: str, dimension: Dimension) -> None:
    """Raises ScenarioError unless the key takes some of the values, and does not change the traffic with them."""
    if key == "seed":
        raise ScenarioError(base.file, key, "cannot be tuned", "expected a key that says how the network works")
    refused, possible = None, {}
    for value in dimension.examples:
        called = f"with {key} = {value}"
        try:
            changed = base.with_value(key, value)
            changed.check()
        except ScenarioError as error:
            refused = refused or error.reworded(problem=f"{error.problem} ({called})")
        else:
            possible[called] = changed
    if refused and not possible:
        raise _of_one_table(base, key, refused)
    traffic.check_same([base, *possible.values()], [BASE, *possible])


def _of_one_table(base: Scenario, key: str, refused: ScenarioError) -> ScenarioError:
    """Adds to the refusal of a key that several tables have how to write the key of one of them."""
    name, _, inside = key.partition(".")
    tables = base._core.settings().get(name)
    if not isinstance(tables, list) or len(tables) < 2:
        return refused
    of_one = f"for one of {len(tables)} [[{name}]] tables alone write {name}[0].{inside}"
    return refused.reworded(expected=f"{refused.expected}; {of_one}")


def _all_at(table: object, path: Sequence[str]) -> list[object]:
    """Returns every value at a path; a part without an index means all of a list."""
    if not path:
        return [table]
    if isinstance(table, list):
        return [value for each in table for value in _all_at(each, path)]
    name, _, index = path[0].partition("[")
    if not isinstance(table, dict) or name not in table:
        return []
    inside = table[name]
    return _all_at(inside[int(index.rstrip("]"))] if index else inside, path[1:])
