"""`xoff ports`: what every port sent, marked and dropped, and for how long it was paused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xoff import json_text
from xoff.cli.options import DataOnly
from xoff.cli.results import opened
from xoff.cli.terminal import Console, say
from xoff.errors import InputError
from xoff.ports import Order, ordered
from xoff.units import RATES, counted, duration, percent, quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

_MOST_ROWS = 40
_SIZES = ("B", "kB", "MB", "GB", "TB")
_ALWAYS: dict[str, tuple[str, Callable[..., str]]] = {
    "port": ("port", str),
    "peer": ("leads to", str),
    "rate_bps": ("rate", lambda rate: quantity(rate, tuple(RATES))),
    "utilization": ("utilization", percent),
    "packets": ("packets", "{:,}".format),
    "wire_bytes": ("on the wire", lambda count: quantity(count, _SIZES)),
}
"""Columns with their heading, and how a value reads."""
_WHERE_ANY: dict[str, tuple[str, Callable[..., str]]] = {
    "marked": ("marked", "{:,}".format),
    "dropped": ("dropped", "{:,}".format),
    "pause_frames": ("pause frames", "{:,}".format),
    "paused_ns": ("paused", lambda nanoseconds: duration(nanoseconds / 1000)),
    "longest_pause_ns": ("longest pause", lambda nanoseconds: duration(nanoseconds / 1000)),
}
"""Those that are shown only where some port has a value."""


def ports(
    folder: Annotated[Path, typer.Argument(metavar="RESULT", help="A result folder.")],
    pattern: Annotated[
        str | None, typer.Argument(help="Only these, such as leaf0.port3, leaf0 or 'leaf*'.", metavar="PORTS")
    ] = None,
    order: Annotated[Order, typer.Option("--by", help="What the greatest of comes first.")] = Order.UTILIZATION,
    as_json: DataOnly = False,
) -> None:
    """Print what every port sent, marked and dropped over the run, and for how long its classes were paused.

    Utilization is the share of what the link could carry from the begin of the run to its end. `xoff plot RESULT links`
    draws it.
    """
    result = opened(folder)
    rows = ordered(result, order, pattern)
    if not rows.num_rows:
        every = result.ports["port"].to_pylist()
        expected = f"expected a port such as {every[-1]}, or all of a device: {every[-1].partition('.')[0]}"
        raise InputError(str(folder), "PORTS", f'nothing matches "{pattern}"', expected)
    if as_json:
        typer.echo(json_text.document(rows.to_pylist()))
    else:
        _print(rows)


def _print(rows: pa.Table) -> None:
    import pyarrow.compute as pc
    from rich.table import Table

    shown = _ALWAYS | {name: how for name, how in _WHERE_ANY.items() if pc.max(rows[name]).as_py()}
    table = Table(title=f"{counted(rows.num_rows, 'port')}", title_justify="left", title_style="bold")
    for heading, _ in shown.values():
        table.add_column(heading, justify="left" if heading in {"port", "leads to"} else "right", no_wrap=True)
    for row in rows.slice(0, _MOST_ROWS).to_pylist():
        table.add_row(*(reads(row[name]) for name, (_, reads) in shown.items()))
    Console(140).print(table)
    if rows.num_rows > _MOST_ROWS:
        say(f"and {rows.num_rows - _MOST_ROWS:,} ports more; ports.parquet and --json have all")
