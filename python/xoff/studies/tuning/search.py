"""The search: each trial is chosen by what those before it gave."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from xoff.errors import ScenarioError, check_at_least_one, check_seeds
from xoff.results import intervals, unfinished
from xoff.results.folder import read_summary
from xoff.results.measures import check_measures, check_workloads, why_nothing
from xoff.results.summary import value_at
from xoff.results.unfinished import Unfinished
from xoff.runs import executor
from xoff.runs.store import kept_in
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
    from xoff.runs.store import KeptRuns
    from xoff.studies.tuning.space import Dimension

AT_ONCE = 4
"""Trials that are chosen together, on any machine, so that the same search makes the same trials."""
_PAUSED, _PAUSES = "pfc.paused_us", "pfc.off_us"
"""Nearly the same, as senders and as those who pause them see it: the one is told in place of the other."""


@dataclass(frozen=True)
class Tuning:
    """What is to be searched."""

    base: Scenario
    space: Mapping[str, Dimension]
    objective: str
    """The measure that is to be least, or greatest."""
    is_maximized: bool
    bounds: tuple[Bound, ...]
    trials: int
    seeds: tuple[int, ...]
    """With which every trial runs."""
    fresh_seeds: tuple[int, ...]
    """With which the best one is held against the scenario as it stands: the search has not chosen by these."""

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
        """Raises ScenarioError for a key or measure that there is not, and for one that changes the traffic."""
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
        """The objective, and what there are bounds of."""
        return tuple(dict.fromkeys((self.objective, *(bound.measure for bound in self.bounds))))

    @cached_property
    def base_values(self) -> dict[str, object]:
        """What the scenario as it stands has for each key, as far as it has one value for it."""
        resolved = tomllib.loads(self.base.to_toml())
        found = {key: _all_at(resolved, key.split(".")) for key in self.space}
        return {key: values[0] for key, values in found.items() if len(set(map(str, values))) == 1}

    @property
    def goal(self) -> str:
        """The objective in words: `maximize goodput_gbps`."""
        return f"{'maximize' if self.is_maximized else 'minimize'} {self.objective}"

    @property
    def runs(self) -> int:
        """How many it takes at the most."""
        return (1 + self.trials) * len(self.seeds) + 2 * len(self.fresh_seeds)

    def is_better(self, value: float, other: float) -> bool:
        """Whether one value of the objective is better than another."""
        return value > other if self.is_maximized else value < other

    def search(
        self, kept: KeptRuns, *, workers: int = 1, on_finished: Callable[[], None] = lambda: None
    ) -> Iterator[Tuned]:
        """Runs trials, some at a time, and gives each time what has been found.

        Whatever ends it, runs that had finished are kept, and the same call goes on with the others.

        Args:
            kept: Where finished runs are.
            workers: How many run at once.
            on_finished: Called after each run.

        Raises:
            ScenarioError: The scenario as it stands cannot be simulated, or has nothing to count of a measure.
            WorkerLostError: A process was killed.
        """

        def folders_of(runs: Sequence[Scenario]) -> list[Path]:
            executor.run(runs, kept, workers=workers, on_finished=on_finished)
            return list(map(kept.place, runs))

        sampler = Sampler(self.space, is_maximized=self.is_maximized, seed=self.base.seed)
        of_base = folders_of(self._with_seeds({}))
        base = self._trial(0, {}, of_base)
        if base.problem:
            raise ScenarioError(self.base.file, "", base.problem, "expected a measure that the scenario has")
        summary_of_base = read_summary(of_base[0])
        found = Tuned(self, base)
        yield found
        while len(found.trials) < self.trials:
            chosen = sampler.choose(min(AT_ONCE, self.trials - len(found.trials)))
            trials = self._trials(dict(enumerate(chosen, len(found.trials) + 1)), base, folders_of)
            sampler.learn(trials, self.objective)
            found = replace(found, trials=(*found.trials, *trials))
            yield found
        if found.best:
            wanted = self._confirmation(found.best, summary_of_base)
            folders_of(wanted.all_runs)
            found = replace(found, confirmed=wanted.finished(kept))
        yield replace(found, is_whole=True)

    def _trials(
        self,
        chosen: Mapping[int, Mapping[str, object]],
        base: Trial,
        folders_of: Callable[[Sequence[Scenario]], Sequence[Path]],
    ) -> list[Trial]:
        """What some choices, by their numbers, give once all of them have run."""
        runs = list(map(self._runs_or_problem, chosen.values()))
        folders = iter(folders_of([run for of_one in runs if not isinstance(of_one, str) for run in of_one]))
        return [
            Trial(number, at, {}, {}, Unfinished(0, 0), of_one)
            if isinstance(of_one, str)
            else self._trial(number, at, list(islice(folders, len(of_one))), base)
            for (number, at), of_one in zip(chosen.items(), runs, strict=True)
        ]

    def _with_seeds(self, at: Mapping[str, object]) -> list[Scenario]:
        return [self.base.with_values({**at, "seed": seed}) for seed in self.seeds]

    def _runs_or_problem(self, at: Mapping[str, object]) -> list[Scenario] | str:
        """A trial with each seed, or why there is no such scenario: XON above XOFF, say."""
        try:
            runs = self._with_seeds(at)
            runs[0].check()
        except ScenarioError as error:
            return f"{error.key}: {error.problem}" if error.key else error.problem
        return runs

    def _trial(
        self, number: int, at: Mapping[str, object], folders: Sequence[Path], base: Trial | None = None
    ) -> Trial:
        """What was measured; over what the base has, if that is another."""
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
        """The best trial against the scenario as it stands, with seeds that the search has not seen."""
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
    keep: str | Path | None = None,
    on_finished: Callable[[], None] = lambda: None,
) -> Tuned:
    """Searches the values of some keys with which a measure is best, and confirms what it finds with fresh seeds.

    Args:
        scenario: A scenario or its file.
        space: For each key what it may be: `"20kB:400kB"` for all between, `"20kB:400kB:20kB"` for steps, or a list.
        minimize: The measure that is to be least, a key of `summary.json`; or
        maximize: that is to be greatest.
        at_most: For measures what they must not exceed: a number, or `"x1.05"` for so many times that as it stands.
        at_least: What they must not fall below.
        trials: How many choices are tried.
        seeds: How many seeds each trial runs with, from the scenario's own upwards.
        confirm: With how many seeds after those the best trial is held against the scenario as it stands.
        workers: How many run at once, each in a process of its own; 1 runs them in this one.
        keep: A folder in which finished runs are kept and never run again; left out, they are not kept.
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
        *_, found = tuning.search(kept, workers=workers, on_finished=on_finished)
    return found


def _check(base: Scenario, key: str, dimension: Dimension) -> None:
    """Raises ScenarioError unless the key takes some of the values, and leaves the traffic as it is with them."""
    if key == "seed":
        raise ScenarioError(base.file, key, "cannot be tuned", "expected a key that says how the network works")
    refused, possible = None, {}
    for value in dimension.examples:
        called = f"with {key} = {value}"
        try:
            changed = base.with_value(key, value)
            changed.check()
        except ScenarioError as error:
            refused = refused or ScenarioError(error.file, error.key, f"{error.problem} ({called})", error.expected)
        else:
            possible[called] = changed
    if refused and not possible:
        raise _of_one_table(base, key, refused)
    traffic.check_same([base, *possible.values()], [BASE, *possible])


def _of_one_table(base: Scenario, key: str, refused: ScenarioError) -> ScenarioError:
    """The same refusal, with the key of one table where the key is of several."""
    name, _, inside = key.partition(".")
    tables = tomllib.loads(base.to_toml()).get(name)
    if not isinstance(tables, list) or len(tables) < 2:
        return refused
    of_one = f"for one of {len(tables)} [[{name}]] tables alone write {name}[0].{inside}"
    return ScenarioError(refused.file, refused.key, refused.problem, f"{refused.expected}; {of_one}")


def _all_at(table: object, path: Sequence[str]) -> list[object]:
    """Every value at a path, of which a part without an index means all of a list."""
    if not path:
        return [table]
    if isinstance(table, list):
        return [value for each in table for value in _all_at(each, path)]
    name, _, index = path[0].partition("[")
    if not isinstance(table, dict) or name not in table:
        return []
    inside = table[name]
    return _all_at(inside[int(index.rstrip("]"))] if index else inside, path[1:])
