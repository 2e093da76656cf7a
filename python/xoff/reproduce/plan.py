"""`figure.toml`: what a figure runs.

    title = "Completion times under three ECN configurations"
    source = "BCC (APNet 2017), figure 2"

    [axes.threshold]             # an axis over the values of one key of scenario.toml
    key = "switch.marking.queue.threshold"
    values = [25, 50]
    unit = "kB"                  # left out if they have none

    [axes.scheme.values]         # an axis of names, or of numbers in quotes, each with the keys it changes
    standard = {}
    bcc = { "switch.marking.pool" = { kind = "bcc" } }

    [scales.quick]               # what the scale changes; both scales may be left out
    set = { "stop.after_flows" = 10_000 }
    only = { threshold = [50] }      # positions on an axis that run; left out, all
    seeds = 2                    # how many, from the scenario's own upwards; left out, one

A figure without axes is computed, and runs nothing.
"""

from __future__ import annotations

import itertools
import tomllib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from xoff import inputs
from xoff.errors import ScenarioError
from xoff.reproduce.points import Planned, position
from xoff.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from xoff.reproduce.points import Value

Changes = dict[str, Any]
"""Keys of a scenario with their new values."""


class Scale(StrEnum):
    """How large the runs are."""

    QUICK = "quick"
    """Smaller than published, large enough for the effect; for tests."""
    PAPER = "paper"
    """The paper's own size."""


@dataclass(frozen=True)
class AtScale:
    """What a scale changes."""

    set: Changes = field(default_factory=dict)
    only: Mapping[str, Sequence[Value]] = field(default_factory=dict)
    seeds: int = 1


@dataclass(frozen=True)
class Plan:
    """What `figure.toml` holds."""

    title: str
    source: str
    axes: Mapping[str, Mapping[Value, Changes]]
    """For each axis its positions, and what each changes."""
    scales: Mapping[Scale, AtScale]

    @classmethod
    def read(cls, path: Path) -> Plan:
        """Reads the file. Raises ScenarioError, which names what is wrong in it."""
        try:
            table = tomllib.loads(inputs.read(path, str(path)))
            axes = {name: _positions(axis) for name, axis in table.pop("axes", {}).items()}
            scales = {Scale(name): AtScale(**scale) for name, scale in table.pop("scales", {}).items()}
            return cls(axes=axes, scales=scales, **table)
        except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
            remedy = "expected what xoff.reproduce.plan describes"
            raise ScenarioError(str(path), "", f"cannot be used: {error}", remedy) from None

    def points(self, scenario: Path, overrides: tuple[str, ...], scale: Scale) -> Iterator[Planned]:
        """Every combination of positions, with every seed. Raises ScenarioError if one is no scenario."""
        if not self.axes:
            return
        settings = self.scales.get(scale, AtScale())
        base = Scenario.load(scenario, overrides)
        chosen = [
            [at for at in positions if at in settings.only.get(name, positions)]
            for name, positions in self.axes.items()
        ]
        for combination in itertools.product(*chosen):
            at = dict(zip(self.axes, combination, strict=True))
            changes = dict(settings.set)
            for axis, value in at.items():
                changes |= self.axes[axis][value]
            for seed in range(base.seed, base.seed + settings.seeds):
                yield Planned(at, base.with_values({**changes, "seed": seed}))


def _positions(axis: Mapping[str, Any]) -> dict[Value, Changes]:
    values = axis["values"]
    if isinstance(values, dict):
        return {position(name): changes for name, changes in values.items()}
    unit = axis.get("unit")
    return {value: {axis["key"]: f"{value}{unit}" if unit else value} for value in values}
