"""A published figure: a folder with runs, measures and published values.

- `figure.toml`: the runs; see `xoff.reproduce.figure_file`.
- `scenario.toml`: the scenario whose keys they change; left out if nothing is run.
- `expected.csv`: the published values; see `xoff.reproduce.expected`.
- `figure.py`: measures that are no key of `summary.json`, and the plot; see `Figure.measured` and `Figure.draw`.
- `README.md`: the claims, the measurements, and the reasons for differences.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from xoff.errors import OutputError, ResultError, ScenarioError
from xoff.reproduce import expected
from xoff.reproduce.figure_file import FigureFile
from xoff.reproduce.points import Planned, Point, Points
from xoff.reproduce.verdict import Row
from xoff.results.staging import unwritable
from xoff.results.whole_file import written_whole
from xoff.text import json_text

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.scale import Scale
    from xoff.runs.store import KeptRuns


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
