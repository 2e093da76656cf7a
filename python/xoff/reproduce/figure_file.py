"""The file `figure.toml`, which has the runs of a figure.

    title = "Completion times under three ECN configurations"
    source = "BCC (APNet 2017), figure 2"

    [axes.threshold]             # an axis; see `xoff.studies.axes`
    key = "switch.marking.queue.threshold"
    values = [25, 50]
    unit = "kB"

    [scales.quick]               # changes at a scale; both scales may be left out
    set = { "stop.after_flows" = 10_000 }
    only = { threshold = [50] }      # positions on an axis that run; left out, all
    seeds = 2                    # how many, from the scenario's own upwards; left out, one
    nightly = true               # whether the tests run it by `make nightly` only; left out, CI does, too
    known_misses = ["A claim"]   # claims that are missed here, for a reason that the README states; left out, none

A figure without axes is computed, and runs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field, StrictInt

from xoff.errors import ScenarioError
from xoff.reproduce.points import Planned
from xoff.reproduce.scale import Scale
from xoff.scenario.scenario import Scenario
from xoff.studies.axes import Axis, Changes, check_unvaried, combinations
from xoff.text import toml_text
from xoff.text.model_file import Kind, Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class AtScale(Table):
    """Changes to a figure's scenario at one scale."""

    set: Changes = Field(default_factory=dict)
    """Keys of the scenario with their values."""
    only: dict[str, list[float | str]] = Field(default_factory=dict)
    """Positions on an axis that run; left out, all."""
    seeds: Annotated[StrictInt, Field(ge=1)] = 1
    """Number of seeds, from the scenario's own seed upwards."""
    nightly: bool = False
    """Whether only the nightly tests run it, since it takes more than 3 s of CPU time and its paper has others."""
    known_misses: list[str] = Field(default_factory=list)
    """Claims of `expected.csv` that are known to be missed at this scale, for a reason that the README states."""

    @property
    def runs(self) -> tuple[object, ...]:
        """All that decides which runs there are."""
        return self.set, self.only, self.seeds


class FigureFile(Table):
    """The content of `figure.toml`."""

    title: str
    """Title of the figure."""
    source: str
    """Source: the paper and the number of the figure in it."""
    axes: dict[str, Axis] = Field(default_factory=dict)
    """Axes of the runs; left out, the figure is computed."""
    scales: dict[Scale, AtScale] = Field(default_factory=dict)
    """Changes at a scale."""

    @classmethod
    def read(cls, path: Path) -> FigureFile:
        """Reads the file. Raises ScenarioError, which names the fault."""
        return _FIGURE.load(path)

    def at(self, scale: Scale) -> AtScale:
        """Returns the changes at a scale; none if the file does not name it."""
        return self.scales.get(scale, AtScale())

    def is_of_paper_size(self, scale: Scale) -> bool:
        """Whether the runs at a scale are of the paper's own size: some figures are small enough to have one size."""
        return self.at(scale).runs == self.at(Scale.PAPER).runs

    def points(self, scenario: Path, overrides: tuple[str, ...], scale: Scale) -> Iterator[Planned]:
        """Yields every combination of positions with every seed; overrides apply after the changes of the scale.

        Raises ScenarioError if a combination is no valid scenario, or if an override is of a key that an axis varies.
        """
        if not self.axes:
            return
        check_unvaried(self.axes, overrides, str(scenario.with_name("figure.toml")))
        settings = self.at(scale)
        base = Scenario.load(scenario, (*toml_text.changes(settings.set), *overrides))
        chosen = {
            name: {
                at: changes for at, changes in axis.positions.items() if at in settings.only.get(name, axis.positions)
            }
            for name, axis in self.axes.items()
        }
        for at, changes in combinations(chosen):
            for seed in range(base.seed, base.seed + settings.seeds):
                yield Planned(at, base.with_values({**changes, "seed": seed}))


_FIGURE = Kind(FigureFile, ScenarioError, "figures/ has some")
