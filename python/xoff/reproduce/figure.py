"""A published figure: a folder with runs, measures and published values.

- `figure.toml`: the runs; see `xoff.reproduce.figure_file`.
- `scenario.toml`: the scenario whose keys they change; left out if nothing is run.
- `expected.csv`: the published values; see `xoff.reproduce.expected`.
- `figure.py`: measures that are no key of `summary.json`, and the plot; see `Figure.measured` and `Figure.draw`.
- `measured.json`: the values measured at the paper's size; see `xoff.reproduce.measured`.
- `README.md`: the claims, the measurements, and the reasons for differences.
"""

from __future__ import annotations

import importlib.util
import math
import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from xoff.errors import OutputError, ResultError, ScenarioError
from xoff.reproduce import deciding, expected, measured
from xoff.reproduce.figure_file import FigureFile
from xoff.reproduce.measured import Measured, MeasuredRow, Source
from xoff.reproduce.points import Planned, Point, Points
from xoff.reproduce.scale import Scale
from xoff.reproduce.verdict import Row, Verdict
from xoff.results import intervals
from xoff.results.staging import unwritable
from xoff.results.whole_file import written_whole
from xoff.text import json_text

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from xoff.reproduce.expected import Expected
    from xoff.runs.store import KeptRuns


_NO_BOUNDS = intervals.Possible(least=-math.inf)
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Figure:
    """A figure's folder, read when it is first needed; a fault in it then raises ScenarioError."""

    id: str
    """Path below the folder of all figures, such as `bcc/fig2`."""
    folder: Path
    changes: tuple[str, ...] = ()
    """Changes of the scenario, each `KEY=VALUE`: another reading of points that a paper leaves open."""

    @cached_property
    def file(self) -> FigureFile:
        """Title, source, axes and scales."""
        return FigureFile.read(self.folder / "figure.toml")

    @cached_property
    def expected(self) -> list[Expected]:
        """Rows of `expected.csv`."""
        return expected.read(self.folder / "expected.csv")

    @cached_property
    def record(self) -> Measured | None:
        """Content of `measured.json`; None if there is none."""
        return measured.read(self.folder / measured.FILE)

    @property
    def is_older(self) -> bool:
        """Whether the measured values are older than what decides them, or may be."""
        return self.record is not None and self.record.digest != deciding.digest(self.folder)

    @property
    def judged_at_paper_size(self) -> list[Expected]:
        """Rows of `expected.csv` that are judged at the paper's scale."""
        return [row for row in self.expected if row.scale in ("", Scale.PAPER)]

    def recorded_verdict(self, row: Expected) -> Verdict | None:
        """Returns the verdict on a row from `measured.json`; None if it has not been measured."""
        found = self.record.of(row) if self.record else None
        if found is None:
            return None
        return found.verdict if found.measured is None else Verdict.of(found.measured, row, of_paper_size=True)

    def planned(self, scale: Scale) -> list[Planned]:
        """Returns the runs of the figure; none if it is computed."""
        return list(self.file.points(self.folder / "scenario.toml", self.changes, scale))

    def points(self, scale: Scale, kept: KeptRuns) -> Points | None:
        """Returns the points of all finished runs; None if one is missing."""
        planned = self.planned(scale)
        if not all(kept.has(point.scenario) for point in planned):
            return None
        return Points(Point(point.at, kept.place(point.scenario)) for point in planned)

    def rows(self, scale: Scale, points: Points) -> list[Row]:
        """Returns a verdict on every row that is judged at a scale, in the order of `expected.csv`."""
        judged = [row for row in self.expected if row.scale in ("", scale) and self._is_about(row, points)]
        of_paper_size = self.file.is_of_paper_size(scale)
        return [Row(self.id, row, self.measured(row, points), scale, of_paper_size) for row in judged]

    def measured(self, row: Expected, points: Points) -> float | None:
        """Returns the value of a row's measure.

        The measure is a function of `figure.py`, or else a key of `summary.json`. The function gets the points at the
        row's position, or, for a figure that runs nothing, the position itself as arguments, and returns a number.
        """
        if not row.measure:
            return None
        function = getattr(self._module, row.measure, None)
        try:
            if function is None:
                return points.mean(row.measure, **row.at)
            return float(function(points.where(**row.at)) if self.file.axes else function(**row.at))
        except (LookupError, ResultError) as error:
            problem = f"{row.measure} cannot be measured: {error}"
            expected = "expected a function of figure.py or a key of summary.json, and points to measure"
            raise ScenarioError(*row.where, problem, expected) from None

    def keep(self, rows: list[Row], points: Points) -> None:
        """Writes rows that are judged at the paper's scale as `measured.json`, and the plot as `paper.svg`.

        Raises OutputError.
        """
        found = Measured(
            command=f"xoff reproduce {self.id} --scale paper",
            source=Source.RUN,
            date=datetime.now(UTC).date().isoformat(),
            commit=_commit(self.folder),
            digest=deciding.digest(self.folder),
            cpu_seconds=float(f"{math.fsum(point.summary['engine']['cpu_seconds'] for point in points):.3g}"),
            rows=[self._measured_row(row, points) for row in rows],
        )
        try:
            with written_whole(self.folder / measured.FILE) as beside:
                found.write(beside)
            self.draw(points, self.folder / "paper.svg")
        except OSError as error:
            raise OutputError(str(unwritable(self.folder, error))) from None

    def _measured_row(self, row: Row, points: Points) -> MeasuredRow:
        value = row.as_dict()["measured"]
        by_seed = points.by_seed() if value is not None else []
        try:
            values = [self.measured(row.expected, of_seed) for of_seed in by_seed]
        except ScenarioError:  # some measures compare seeds
            values = []
        numbers = [one for one in values if one is not None and math.isfinite(one)]
        low, high = _interval(value, numbers) if 1 < len(numbers) == len(by_seed) else (None, None)
        return MeasuredRow(row=row.expected.told, measured=value, low=low, high=high, verdict=row.verdict)

    def save(self, path: Path, rows: list[Row], points: Points) -> None:
        """Writes `verdicts.json`, and the plot as `figure.svg`, into a folder. Raises OutputError."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            with written_whole(path / "verdicts.json") as beside:
                json_text.write(beside, [row.as_dict() for row in rows])
            self.draw(points, path / "figure.svg")
        except OSError as error:
            raise OutputError(str(unwritable(path, error))) from None  # no option names this folder

    def draw(self, points: Points, path: Path) -> None:
        """Writes the plot that `draw(points, expected)` of `figure.py` returns, if it has one, to a file."""
        function = getattr(self._module, "draw", None)
        if function is None:
            return
        import matplotlib as mpl

        from xoff.plot import style

        with style.context(), mpl.rc_context({"svg.hashsalt": self.id}):
            figure = function(points, self.expected)
            with written_whole(path) as beside:
                figure.savefig(beside, facecolor="white", metadata={"Date": None})

    def _is_about(self, row: Expected, points: Points) -> bool:
        return not self.file.axes or len(points.where(**row.at)) > 0

    @cached_property
    def _module(self) -> ModuleType | None:
        path = self.folder / "figure.py"
        if not path.exists():
            return None
        specification = importlib.util.spec_from_file_location(f"xoff.figures.{self.id.replace('/', '.')}", path)
        assert specification is not None
        assert specification.loader is not None
        module = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(module)
        return module


def _interval(value: float, of_seeds: list[float]) -> tuple[float | None, float | None]:
    """Returns the interval of a value from those of single seeds; none if it is no mean of them, such as a sum."""
    mean = intervals.mean(of_seeds, _NO_BOUNDS)
    half = max((mean.high or 0) - (mean.low or 0), _ROUNDING * abs(value)) / 2
    if abs(value - mean.value) > half:
        return None, None
    return intervals.around(value, of_seeds, _NO_BOUNDS)[1:]


def _commit(folder: Path) -> str:
    """Returns the commit that is checked out around a folder; empty where git does not say."""
    try:
        done = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=folder, capture_output=True, text=True)
    except OSError:
        return ""
    return done.stdout.strip()
