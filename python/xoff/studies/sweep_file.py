"""Sweep files, which say what to vary in a scenario.

title = "Where to mark"              # left out, the scenario's
scenario = "../web_search.toml"      # relative to this file
seeds = 3                            # how many, from the scenario's own upwards; left out, one
set = { "stop.arrivals_end" = "2ms" }        # what is changed in all
measures = ["flows.small.fct_p99_us", "goodput_gbps"]        # keys of summary.json; left out, `MEASURES`

[axes.threshold]                     # an axis; see `xoff.studies.axes`
key = "switch.marking.queue.threshold"
values = [25, 50, 100]
unit = "kB"
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, StrictInt

from xoff.errors import ScenarioError
from xoff.results.measures import check_measures
from xoff.scenario.scenario import Scenario
from xoff.studies.axes import Axis, Changes, check_unvaried
from xoff.studies.sweep import MEASURES, Sweep
from xoff.text import text_file, toml_text
from xoff.text.model_file import Kind, Line, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


class SweepFile(Table):
    """The content of a sweep file."""

    scenario: str
    """The scenario file that is varied, relative to this file."""
    axes: Annotated[dict[Line, Axis], Field(min_length=1)]
    """Axes of the sweep, by name."""
    title: Line | None = None
    """Title of the sweep; left out, the scenario's title."""
    seeds: Annotated[StrictInt, Field(ge=1)] = 1
    """Number of seeds, from the scenario's own seed upwards."""
    set: Changes = Field(default_factory=dict)
    """Keys of the scenario with values for all runs."""
    measures: Annotated[tuple[str, ...], Field(min_length=1)] = MEASURES
    """Measures of each run: keys of `summary.json`."""


_REMEDY = "expected a scenario, as `xoff init` writes, or a sweep file that names one"
_SWEEP = Kind(SweepFile, ScenarioError, "sweeps/ has some to start from")


def load(
    path: Path,
    axes: Mapping[str, Axis],
    *,
    changes: Sequence[str] = (),
    measures: Sequence[str] = (),
    seeds: int | None = None,
) -> Sweep:
    """Reads a sweep file, or a scenario file without axes. Raises ScenarioError.

    Args:
        path: The file.
        axes: Further axes, by key; each replaces the file's axis of the same key or name.
        changes: Changes to all runs, each `KEY=VALUE`, applied after those of the file.
        measures: Measures in place of those of the file.
        seeds: Number of seeds in place of that of the file.
    """
    if measures:
        check_measures(measures, key="--measure")
    text = text_file.read(path, str(path), remedy=_REMEDY)
    if _is_sweep(text):
        file = _SWEEP.parse(text, str(path))
        scenario = path.parent / file.scenario
        text = text_file.read(scenario, str(path), "scenario", "expected a file, relative to this one's folder")
    else:
        file, scenario = SweepFile.model_construct(axes={}), path
    check_measures(file.measures, str(path))
    given = {name: _of_file(name, axis, file.axes[name]) if name in file.axes else axis for name, axis in axes.items()}
    kept = {name: axis for name, axis in file.axes.items() if axis.key not in axes}
    varied = {**kept, **given}
    try:
        check_unvaried(varied, changes)
        base = Scenario(text, str(scenario), (*toml_text.changes(file.set), *changes))
        wanted = Sweep.of(base, varied, seeds or file.seeds, measures or file.measures)
    except ScenarioError as error:
        if not file.axes:
            raise
        where = ": ".join(part for part in (error.file, error.key) if part)
        raise ScenarioError(str(path), where, error.problem, error.expected) from None
    return replace(wanted, title=file.title or base.title)


def _of_file(name: str, given: Axis, axis: Axis) -> Axis:
    """Returns an axis of the file with given positions: other values of its key, or some of its own names."""
    if axis.key is None:
        strange = [text for text in given.values if text not in axis.values]
        if strange:
            expected = f"expected one of {', '.join(axis.values)}"
            raise ScenarioError(None, f"--sweep {name}", f"the axis {name} has no {strange[0]}", expected)
        return Axis(values={text: axis.values[text] for text in given.values})
    literals = [changes[name] for changes in given.positions.values()]
    if all(isinstance(literal, int | float) and not isinstance(literal, bool) for literal in literals):
        return Axis(key=axis.key, values=literals, unit=axis.unit)
    return Axis.spelled(axis.key, given.values)


def _is_sweep(text: str) -> bool:
    try:
        return not {"scenario", "axes"}.isdisjoint(toml_text.parse(text))
    except ScenarioError:
        return False  # whoever reads it as a scenario says what is wrong
