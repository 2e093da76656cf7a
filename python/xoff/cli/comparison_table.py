"""A comparison as a table on the terminal."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich.table import Table

from xoff.cli.terminal import Console
from xoff.table import class_labels, measured, quantity_name

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.comparison import Comparison, Row
    from xoff.intervals import Estimate


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
        first = measured(measure, base.value.value) if others else _with_interval(measure, base.value)
        table.add_row(label if label != previous else "", quantity_name(measure), first, *cells)
        previous = label
    return table


def _compared(measure: str, row: Row) -> str:
    """A value and how many times the base's it is."""
    value = measured(measure, row.value.value)
    return f"{value}  {told_ratio(row.ratio)}" if row.ratio else value


def told_ratio(ratio: Estimate) -> str:
    """How many times something else a value is, with the interval."""
    told = f"x{ratio.value:#.3g}"
    return told if ratio.low is None else f"{told} ({ratio.low:#.3g}-{ratio.high:#.3g})"


def _with_interval(measure: str, value: Estimate) -> str:
    told = measured(measure, value.value)
    if value.low is None or value.high is None:
        return told
    low = measured(measure, max(value.low, 0))  # none of them is negative
    return f"{told} ({low} to {measured(measure, value.high)})"


def _explanation(comparison: Comparison) -> str:
    seeds = comparison.seeds
    runs = f"Seed {seeds[0]}" if len(seeds) == 1 else f"Means over seeds {', '.join(map(str, seeds))}"
    ratios = f"; x: how many times {comparison.names[0]}" if len(comparison.names) > 1 else ""
    intervals = "; in brackets 95 % confidence" if len(seeds) > 1 else ""
    return f"{runs}{ratios}{intervals}."
