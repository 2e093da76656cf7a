"""Outcome of a search."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from xoff.plot.figure_format import FigureFormat
from xoff.results import intervals
from xoff.results.folder import write_scenario
from xoff.results.staging import Staging
from xoff.text import json_text, toml_text
from xoff.text.units import percent

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from xoff.results.intervals import Estimate
    from xoff.scenario.scenario import Scenario
    from xoff.studies.comparison import Comparison
    from xoff.studies.plot.tuning import TunedPlots
    from xoff.studies.tuning.search import Tuning
    from xoff.studies.tuning.trial import Trial

BASE, TUNED = "as it stands", "tuned"
NUMBERS = "tune.json"


@dataclass(frozen=True, eq=False)
class Tuned:
    """The outcome of a search, or of the part of it that has run."""

    tuning: Tuning
    base: Trial
    """Trial of the unchanged scenario."""
    trials: tuple[Trial, ...] = ()
    """Trials, in the order of choice."""
    confirmed: Comparison | None = field(default=None, repr=False)
    """Best trial against the unchanged scenario with fresh seeds; None before that, and if no trial is better."""
    is_whole: bool = False
    """Whether the search has come to its end."""

    def __repr__(self) -> str:
        made = f"{len(self.trials)} of {self.tuning.trials} trials"
        return f"<xoff.Tuned {self.tuning.base.title!r}, {self.tuning.goal}; {made}>"

    @property
    def ranked(self) -> list[Trial]:
        """Trials that keep to all bounds, the best first."""
        allowed = [trial for trial in self.trials if trial.is_allowed]
        return sorted(allowed, key=self.value, reverse=self.tuning.is_maximized)

    @property
    def best(self) -> Trial | None:
        """Best trial; None if none keeps to the bounds, or none is better than the unchanged scenario."""
        first = next(iter(self.ranked), None)
        if first and self.base.is_allowed and not self.tuning.is_better(self.value(first), self.value(self.base)):
            return None
        return first

    @property
    def scenario(self) -> Scenario:
        """Scenario with the best values; unchanged if none are better."""
        return self.tuning.base.with_values(self.best.at) if self.best else self.tuning.base

    @property
    def settings(self) -> list[str]:
        """Changes that set the best values, each `KEY=VALUE` as `xoff run --set` takes it; empty if none are better."""
        best = self.best.at if self.best else {}
        return [
            f"{key}={value if isinstance(value, str) else toml_text.value(value, bare_keys=True)}"
            for key, value in best.items()
        ]

    def value(self, trial: Trial) -> float:
        """Returns the objective of a measured trial."""
        return trial.measured[self.tuning.objective].value

    @property
    def doubts(self) -> list[str]:
        """Returns a line for each finding that fresh seeds do not confirm."""
        if not self.confirmed:
            return []
        rows = self.confirmed.rows_by_measure
        doubts = []
        if self.base.is_allowed:  # otherwise the bounds are what the best trial is better in
            doubts += self._doubts_of_objective(rows[self.tuning.objective][TUNED].ratio, len(self.confirmed.seeds))
        for bound in self.tuning.bounds:
            of_it = rows[bound.measure]
            excess = bound.excess(of_it[TUNED].value.value, of_it[BASE].value.value) if of_it else 0
            if excess > 0:
                doubts.append(f"{bound.measure} is not {bound} with fresh seeds, by {percent(excess)} of that")
        return doubts

    def _doubts_of_objective(self, ratio: Estimate | None, seeds: int) -> list[str]:
        objective = self.tuning.objective
        if not ratio or not self.tuning.is_better(ratio.value, 1):
            return [f"{objective} is not better with fresh seeds: the search fitted its own"]
        if ratio.low is not None and ratio.high is not None and ratio.low <= 1 <= ratio.high:
            return [f"{objective} may be as it was: its interval holds x1; more fresh seeds tell more"]
        if seeds == 1:
            return [f"{objective} has no interval with one fresh seed; several tell how sure it is"]
        return []

    @property
    def plot(self) -> TunedPlots:
        """Figures of the search: `tuned.plot.trials()`."""
        from xoff.studies.plot.tuning import TunedPlots  # brings Matplotlib

        return TunedPlots(self)

    def as_dict(self) -> dict[str, Any]:
        """Returns the content of `tune.json`."""
        tuning = self.tuning
        return {
            "title": tuning.base.title,
            "space": {key: str(dimension) for key, dimension in tuning.space.items()},
            "objective": tuning.objective,
            "direction": "maximize" if tuning.is_maximized else "minimize",
            "bounds": [f"{bound.measure} {bound}" for bound in tuning.bounds],
            "seeds": list(tuning.seeds),
            "fresh_seeds": list(tuning.fresh_seeds),
            "confidence": intervals.CONFIDENCE,
            "interrupted": not self.is_whole,
            "base": self.base.as_dict(),
            "trials": [trial.as_dict() for trial in self.trials],
            "best": dict(self.best.at) if self.best else None,
            "confirmed": self.confirmed.as_dict() if self.confirmed else None,
        }

    def save(self, path: str | Path, *, force: bool = False, figures: str = FigureFormat.SVG) -> Path:
        """Writes `tune.json`, `tune.csv`, `tune.svg` and the best `scenario.toml` into a new folder; returns its path.

        Args:
            path: The folder to make.
            force: Whether a search already there is replaced.
            figures: `svg`, `pdf` or `png`, the format of the figure.

        Raises:
            OutputError: There is something at `path` already, or it cannot be written.
        """
        with prepare(path, force=force) as staging:
            return self.commit(staging, figures=figures)

    def commit(self, staging: Staging, *, figures: str = FigureFormat.SVG) -> Path:
        """Writes the files into a folder from `prepare`, and gives it its name. Raises OutputError."""
        figure = self.plot.trials()
        with staging.writing():
            json_text.write(staging.path / NUMBERS, self.as_dict())
            with (staging.path / "tune.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(self._rows())
            write_scenario(staging.path, *self.scenario.portable(self.scenario.read_files()))
            figure.savefig(staging.path / f"tune.{FigureFormat(figures)}", facecolor="white")
            if self.confirmed:
                self.confirmed.draw(staging.path, figures)
        return staging.commit()

    def _rows(self) -> Iterator[list[object]]:
        """Yields the rows of `tune.csv`."""
        measures = self.tuning.measures
        yield ["trial", *self.tuning.space, *measures, "allowed", "problem"]
        for trial in (self.base, *self.trials):
            values = [trial.measured[measure].value if trial.measured else None for measure in measures]
            of_keys = [trial.at.get(key) for key in self.tuning.space]
            yield [trial.number, *of_keys, *values, trial.is_allowed, trial.problem]

    def _repr_html_(self) -> str:
        from xoff.studies import grids

        tables = [grids.of_tuning(self), *([grids.of_comparison(self.confirmed)] if self.confirmed else [])]
        return "".join(table.as_html() for table in tables)


def prepare(out: str | Path | None, *, force: bool = False) -> Staging:
    """Begins the folder of a search: `out`, or by default a new numbered one, `results/tune-001`.

    Raises OutputError if it cannot be written or `out` exists. With `force`, an earlier search is replaced; an
    interrupted one is replaced without.
    """
    return Staging.of_numbers(out, "tune", NUMBERS, force=force)
