"""Comparisons and sweeps as tables of text: shared by the terminal and the notebook."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from xoff import traffic
from xoff.alike import telling
from xoff.table import class_labels, measure_name, quantity_name, workload_names
from xoff.units import percent

if TYPE_CHECKING:
    from collections.abc import Callable

    from xoff.comparison import Comparison, Row
    from xoff.intervals import Estimate
    from xoff.sweeping import Swept


@dataclass(frozen=True)
class Grid:
    """A table of text, what of it is numbers to the right."""

    words: tuple[str, ...]
    """Headings of the first columns, which hold words."""
    numbers: tuple[str, ...]
    """Headings of the others."""
    sections: list[list[list[str]]]
    """Rows with a cell for each column, in groups."""
    note: str
    """What stands below."""
    notes: tuple[str, ...] = ()
    """What is worth knowing of it, a line each."""


def of_comparison(comparison: Comparison) -> Grid:
    """Every measure of every scenario with its ratio to the first."""
    names = workload_names(comparison.summaries[0][0])
    labels = class_labels(list(comparison.size_classes_bytes))
    labels |= {f"workloads[{index}]": name for index, name in enumerate(names)}
    collectives = comparison.summaries[0][0].get("collectives", [])  # results of before have none
    labels |= {f"collectives[{index}]": names[each["workload"]] for index, each in enumerate(collectives)}
    sections: dict[str, list[list[str]]] = {}
    for key, rows in groupby(comparison.rows, lambda row: row.measure):
        group, _, measure = key.rpartition(".")
        label = labels.get(group.removeprefix("flows."), "")
        section = sections.setdefault(label, [])
        base, *others = rows
        tell = telling(measure, [base.value.value, *(row.value.value for row in others)])
        first = tell(base.value.value) if others else _with_bounds(tell, base.value)
        told = "" if section else label
        name = quantity_name(measure) if label else measure_name(key)
        section.append([told, name, first, *(_compared(tell, row) for row in others)])
    what = _runs(comparison.seeds)
    ratios = f"; x: how many times {comparison.names[0]}" if len(comparison.names) > 1 else ""
    over_zero = any(row.ratio is None and row.value.value for row in comparison.rows)
    missing = f"; -: no ratio, {comparison.names[0]} has 0" if over_zero else ""
    note = f"{what}{ratios}{_brackets(comparison.seeds)}{missing}."
    return Grid(("flows", "measure"), comparison.names, list(sections.values()), note[0].upper() + note[1:])


def of_sweep(swept: Swept, *, ratios: bool = False) -> Grid:
    """What was measured at each combination, or how many times that at the first position it is."""
    sweep, measures = swept.sweep, swept.told
    headings = (*map(sweep.heading, sweep.axes), *map(measure_name, measures))
    tells = {measure: telling(measure, _values(swept, measure)) for measure in measures}
    rows = []
    for row in swept.rows:
        if ratios:
            cells = [_ratio(row.ratios.get(measure)) for measure in measures]
        else:
            cells = [_with_share(tell, row.measured.get(measure)) for measure, tell in tells.items()]
        rows.append([*(sweep.spelled(axis, value) for axis, value in row.at.items()), *cells])
    note = f"{sweep.title}, {_runs(sweep.seeds)}"
    if ratios:
        note += f"; x: how many times {sweep.base}{_brackets(sweep.seeds)}"
        if any(map(swept.over_zero, measures)):
            note += f"; -: no ratio, {sweep.base} has 0"
    elif len(sweep.seeds) > 1:
        note += "; ±: half of the 95 % confidence interval, or from where to where if it is wide"
    other_traffic = traffic.note_of_ratios(sweep) if ratios else ""
    return Grid((), headings, [rows], f"{note}.", (other_traffic,) if other_traffic else ())


def _runs(seeds: tuple[int, ...]) -> str:
    return f"seed {seeds[0]}" if len(seeds) == 1 else f"means over seeds {', '.join(map(str, seeds))}"


def _brackets(seeds: tuple[int, ...]) -> str:
    return "; in brackets 95 % confidence" if len(seeds) > 1 else ""


def _values(swept: Swept, measure: str) -> list[float]:
    return [row.measured[measure].value for row in swept.rows if measure in row.measured]


def _compared(tell: Callable[[float], str], row: Row) -> str:
    """A value and how many times the base's it is."""
    value = tell(row.value.value)
    return f"{value}  {_ratio(row.ratio)}" if row.ratio or row.value.value else value


def _ratio(ratio: Estimate | None) -> str:
    if ratio is None:
        return "-"
    value, *bounds = (f"{each:#.3g}".removesuffix(".") for each in ratio if each is not None)
    return f"x{value} ({'-'.join(bounds)})" if bounds else f"x{value}"


def _with_bounds(tell: Callable[[float], str], value: Estimate) -> str:
    told = tell(value.value)
    if value.low is None or value.high is None:
        return told
    low = tell(max(value.low, 0))  # none of them is negative
    return f"{told} ({low} to {tell(value.high)})"


_WIDE = 0.5
"""Intervals of more than this to either side, as a share of the value, are far from symmetric."""


def _with_share(tell: Callable[[float], str], found: Estimate | None) -> str:
    if found is None:
        return "-"
    value = tell(found.value)
    if found.low is None or found.high is None or not found.value:
        return value
    share = (found.high - found.low) / 2 / found.value
    return f"{value} ±{percent(share)}" if share < _WIDE else _with_bounds(tell, found)
