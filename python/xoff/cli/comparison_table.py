"""A comparison as a table on the terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.table import Table

from xoff.cli.terminal import Console
from xoff.table import class_labels
from xoff.units import duration, percent

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.comparison import Comparison, Row
    from xoff.intervals import Estimate

_MEASURES = {
    "fct_mean_us": "FCT mean",
    "fct_p99_us": "FCT p99",
    "slowdown_mean": "slowdown mean",
    "slowdown_p99": "slowdown p99",
    "loss_rate": "loss rate",
    "timeouts": "timeouts",
    "goodput_gbps": "goodput",
    "off_us": "pause duration",
}


def print_comparison(comparison: Comparison, path: Path) -> None:
    """Prints every measure of every scenario with its ratio to the first, and where the figures are."""
    console = Console(140)
    console.print(_table(comparison))
    console.print(_explanation(comparison))
    console.print(f"Results: {path}", soft_wrap=True)


def _table(comparison: Comparison) -> Table:
    table = Table()
    table.add_column("flows", no_wrap=True)
    table.add_column("measure", no_wrap=True)
    for name in comparison.names:
        table.add_column(name, justify="right")
    labels = class_labels(list(comparison.size_classes_bytes))
    previous = None
    for key, rows in groupby(comparison.rows, lambda row: row.measure):
        group, _, measure = key.rpartition(".")
        label = labels.get(group.removeprefix("flows."), "")
        if label != previous:
            table.add_section()
        base, *others = rows
        cells = [_compared(measure, row) for row in others] if others else []
        first = _told(measure, base.value.value) if others else _with_interval(measure, base.value)
        table.add_row(label if label != previous else "", _MEASURES[measure], first, *cells)
        previous = label
    return table


def _compared(measure: str, row: Row) -> str:
    """A value and how many times the base's it is."""
    value = _told(measure, row.value.value)
    return f"{value}  {_ratio(row.ratio)}" if row.ratio else value


def _ratio(ratio: Estimate) -> str:
    told = f"x{ratio.value:#.3g}"
    return told if ratio.low is None else f"{told} ({ratio.low:#.3g}-{ratio.high:#.3g})"


def _with_interval(measure: str, value: Estimate) -> str:
    told = _told(measure, value.value)
    if value.low is None or value.high is None:
        return told
    return f"{told} ({_told(measure, max(value.low, 0))} to {_told(measure, value.high)})"  # none of them is negative


def _told(measure: str, value: float) -> str:
    match measure:
        case "fct_mean_us" | "fct_p99_us" | "off_us":
            return duration(value)
        case "loss_rate":
            return percent(value)
        case "goodput_gbps":
            return f"{value:,.1f} Gbps"
        case _:
            return f"{value:,.4g}"


def _explanation(comparison: Comparison) -> str:
    seeds = comparison.seeds
    runs = f"Seed {seeds[0]}" if len(seeds) == 1 else f"Means over seeds {', '.join(map(str, seeds))}"
    ratios = f"; x: how many times {comparison.names[0]}" if len(comparison.names) > 1 else ""
    intervals = "; in brackets 95 % confidence" if len(seeds) > 1 else ""
    return f"{runs}{ratios}{intervals}."
