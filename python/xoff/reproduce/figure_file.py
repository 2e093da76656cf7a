"""`figure.toml`: what a figure runs.

    title = "Completion times under three ECN configurations"
    source = "BCC (APNet 2017), figure 2"

    [axes.threshold]             # what is varied; see `xoff.studies.axes`
    key = "switch.marking.queue.threshold"
    values = [25, 50]
    unit = "kB"

    [scales.quick]               # what the scale changes; both scales may be left out
    set = { "stop.after_flows" = 10_000 }
    only = { threshold = [50] }      # positions on an axis that run; left out, all
    seeds = 2                    # how many, from the scenario's own upwards; left out, one
    nightly = true               # whether the tests run it by `make nightly` only; left out, CI does, too
    known_misses = ["A claim"]   # claims that differ here, for a reason that the README states; left out, none

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
    """What a scale changes."""

    set: Changes = Field(default_factory=dict)
    """Keys of the scenario."""
    only: dict[str, list[float | str]] = Field(default_factory=dict)
    """Positions on an axis that run; left out, all."""
    seeds: Annotated[StrictInt, Field(ge=1)] = 1
    """How many, from the scenario's own upwards."""
    nightly: bool = False
    """Whether only the nightly tests run it, since it takes more than 5 s of CPU time."""
    known_misses: list[str] = Field(default_factory=list)
    """Claims of `expected.csv` that are known to differ at this scale, for a reason that the README states."""


class FigureFile(Table):
    """What `figure.toml` holds."""

    title: str
    """What the figure shows."""
    source: str
    """Where it is printed."""
    axes: dict[str, Axis] = Field(default_factory=dict)
    """What is varied; left out, the figure is computed."""
    scales: dict[Scale, AtScale] = Field(default_factory=dict)
    """What a scale changes."""

    @classmethod
    def read(cls, path: Path) -> FigureFile:
        """Reads the file. Raises ScenarioError, which names what is wrong in it."""
        return _FIGURE.load(path)

    def at(self, scale: Scale) -> AtScale:
        """What a scale changes; nothing where the file does not name it."""
        return self.scales.get(scale, AtScale())

    def points(self, scenario: Path, overrides: tuple[str, ...], scale: Scale) -> Iterator[Planned]:
        """Every combination of positions, with every seed; overrides go over what the scale changes.

        Raises ScenarioError if one is no scenario, or if an override is of what an axis varies.
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
