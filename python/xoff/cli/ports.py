"""`xoff ports`: what every port sent, marked and dropped, and for how long it was paused."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import click

from xoff.cli import named_ports, options
from xoff.cli.options import FILE, OneOf
from xoff.cli.results import opened
from xoff.cli.rows import MOST_ROWS, print_rows
from xoff.cli.terminal import say
from xoff.errors import InputError
from xoff.text import json_text
from xoff.text.units import RATES, counted, duration, percent, quantity

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

    from xoff.results.result import Result

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
"""Columns that are shown only where some port has a value."""


class Order(StrEnum):
    """Columns by which ports are put in order, the greatest first."""

    UTILIZATION = "utilization"
    PACKETS = "packets"
    MARKED = "marked"
    DROPPED = "dropped"
    PAUSE_FRAMES = "pause_frames"
    PAUSED = "paused_ns"
    LONGEST_PAUSE = "longest_pause_ns"


@click.command
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder.")
@named_ports.ports_pattern
@click.option(
    "--by",
    "order",
    type=OneOf(Order),
    metavar="MEASURE",
    default=str(Order.UTILIZATION),
    help=f"Print first the port with most of {', '.join(Order)}.",
)
@click.option("--flows", is_flag=True, help="Print instead which flows' data went by one port.")
@options.data_only
def ports(folder: Path, pattern: str | None, order: Order, flows: bool, as_json: bool) -> None:
    """Print what every port sent, marked and dropped over the run, and for how long its classes were paused.

    Utilization is the share of what the link, or its shaper, could let pass from the begin of the run to its end. `xoff
    plot RESULT links` draws it. With --flows, whose data shared a port: by ECMP, whose path it is on, as packets were
    routed at the begin.
    """
    result = opened(folder)
    if flows:
        _print_flows(result, _one_port(result, pattern, folder), as_json=as_json)
        return
    rows = _of_ports(result, [port.name for port in named_ports.named_ports(result.topology, pattern, folder)])
    rows = rows.sort_by([(order.value, "descending")])  # where it is equal, ports stay in their order
    if as_json:
        click.echo(json_text.document(rows.to_pylist()))
    else:
        _print(rows)


def _one_port(result: Result, pattern: str | None, folder: Path) -> str:
    named = named_ports.named_ports(result.topology, pattern, folder)
    if len(named) > 1:
        busiest = _of_ports(result, [port.name for port in named]).sort_by([("utilization", "descending")])
        expected = f"expected one, such as {busiest['port'][0]}, the busiest of them"
        raise InputError(str(folder), "PORTS", f"{len(named)} ports are named with --flows", expected)
    return named[0].name


def _print_flows(result: Result, port: str, *, as_json: bool) -> None:
    found = result.flows_over(port).to_pylist()
    if (rerouted_ns := _rerouted_from_ns(result)) is not None:
        since = duration(rerouted_ns / 1000)
        note = f"note: by the routes of the begin; a link fails or comes back at {since}, and routes may be others then"
        say(note, err=as_json)
    if as_json:
        click.echo(json_text.document(found))
        return
    pairs: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for flow in found:
        pairs.setdefault((flow["source"], flow["destination"]), []).append(flow)
    of_each = sorted(pairs.values(), key=_bytes_of, reverse=True)
    print_rows(
        f"{counted(len(found), 'flow')} of {counted(len(pairs), 'pair')} of hosts over {port}, the most bytes first",
        ("from", "to", "flows", "bytes", "first", "finished", "FCT mean", "slowdown mean"),
        map(_of_pair, of_each),
        of=len(pairs),
        words={"from", "to"},
        rest="pairs more; --json has every flow",
    )


def _rerouted_from_ns(result: Result) -> float | None:
    """Returns the time at which a link first failed or came back; None if none did."""
    times = [event["at"] / 1000 for event in result._settings["link_event"] if "state" in event]
    return min((time for time in times if time < result.summary["end_ns"]), default=None)


def _bytes_of(flows: list[dict[str, Any]]) -> float:
    return sum(flow["size_bytes"] or math.inf for flow in flows)


def _of_pair(flows: list[dict[str, Any]]) -> list[str]:
    finished = [flow for flow in flows if flow["fct_ns"] is not None]
    fct, slowdown = (sum(flow[name] for flow in finished) / max(len(finished), 1) for name in ("fct_ns", "slowdown"))
    size = _bytes_of(flows)
    return [
        flows[0]["source"],
        flows[0]["destination"],
        f"{len(flows):,}",
        "without end" if math.isinf(size) else quantity(size, _SIZES),
        duration(flows[0]["start_ns"] / 1000),
        f"{len(finished):,}",
        duration(fct / 1000) if finished else "-",
        f"{slowdown:,.2f}" if finished else "-",
    ]


def _of_ports(result: Result, names: list[str]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    return result.ports.filter(pc.is_in(result.ports["port"].cast(pa.string()), pa.array(names)))


def _print(rows: pa.Table) -> None:
    import pyarrow.compute as pc

    shown = _ALWAYS | {name: how for name, how in _WHERE_ANY.items() if pc.max(rows[name]).as_py()}
    print_rows(
        counted(rows.num_rows, "port"),
        (heading for heading, _ in shown.values()),
        ([reads(row[name]) for name, (_, reads) in shown.items()] for row in rows.slice(0, MOST_ROWS).to_pylist()),
        of=rows.num_rows,
        words={"port", "leads to"},
        rest="ports more; ports.parquet and --json have all",
        width=140,
    )
