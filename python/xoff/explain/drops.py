"""Dropped packets by port, class, reason and flow, from the rows of `drops.parquet`."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from xoff.results import columns
from xoff.results.columns import flow_names
from xoff.results.table import reason_words
from xoff.text.units import counted, decimal_size, duration

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.results.result import Result


class Place(NamedTuple):
    """Packets of one class that were dropped at one port for one reason."""

    port: str
    priority: int
    reason: str
    packets: int
    """Number of packets, acknowledgements and congestion notification messages included."""
    flows: int
    """Number of flows that lost packets here."""
    first_ns: int
    """Time of the first drop."""
    last_ns: int
    """Time of the last drop."""
    limits_bytes: tuple[int, int] | None
    """Least and greatest limit at a drop; None where room was not the reason."""


def drops_of(result: Result) -> pa.Table:
    """Returns the drops of a run. Raises ValueError if there were some that were not recorded."""
    if result.drops is None:
        if not any_dropped(result):
            return columns.DROPS.empty_table()
        message = 'not every drop was recorded; observe.drops = { every = "change" } in the scenario records them'
        raise ValueError(message)
    return result.drops


def any_dropped(result: Result) -> bool:
    """Whether a port dropped a packet, of any kind and for any reason."""
    return bool(pc.sum(result.ports["dropped"]).as_py())


def places(drops: pa.Table) -> list[Place]:
    """Returns the drops by port, class and reason, most packets first."""
    told = drops.select(["time_ns", "priority", "limit_bytes"])
    for name in ("port", "reason"):
        told = told.append_column(name, drops[name].cast(pa.string()))
    grouped = told.append_column("flow", flow_names(drops)).group_by(["port", "priority", "reason"])
    of = ("time_ns", "limit_bytes")
    extremes = [(name, function) for name in of for function in ("min", "max")]
    rows = grouped.aggregate([("flow", "count"), ("flow", "count_distinct"), *extremes]).to_pylist()
    found = [
        Place(
            row["port"],
            row["priority"],
            row["reason"],
            row["flow_count"],
            row["flow_count_distinct"],
            row["time_ns_min"],
            row["time_ns_max"],
            None if row["limit_bytes_min"] is None else (row["limit_bytes_min"], row["limit_bytes_max"]),
        )
        for row in rows
    ]
    return sorted(found, key=lambda place: (-place.packets, place.port, place.priority, place.reason))


def title(drops: pa.Table) -> str:
    """Returns a title with the number of dropped packets, and of data among them."""
    data = pc.sum(pc.equal(drops["kind"].cast(pa.string()), "data")).as_py() or 0
    return f"Drops: {counted(drops.num_rows, 'packet')}, {data:,} of them data"


def flows(drops: pa.Table, most: int) -> list[tuple[str, int]]:
    """Returns the `most` flows that lost most packets of data, each with their number."""
    data = drops.filter(pc.equal(drops["kind"].cast(pa.string()), "data"))
    counted = pa.table({"flow": flow_names(data)}).group_by("flow").aggregate([("flow", "count")])
    ordered = counted.sort_by([("flow_count", "descending"), ("flow", "ascending")]).slice(0, most)
    return list(zip(ordered["flow"].to_pylist(), ordered["flow_count"].to_pylist(), strict=True))


def of_flow(drops: pa.Table, flow: str) -> pa.Table:
    """Returns the rows of one flow, such as `host0.flow3`, in order of time."""
    return drops.filter(pc.equal(flow_names(drops), flow))


DROP_HEADINGS = ("port", "priority", "reason", "packets", "flows", "limit", "first", "last")


def drop_rows(places: Sequence[Place]) -> list[list[str]]:
    """Returns a row for each place where packets were dropped, under `DROP_HEADINGS`."""
    return [
        [
            place.port,
            str(place.priority),
            reason_words(place.reason),
            f"{place.packets:,}",
            f"{place.flows:,}",
            _range(place.limits_bytes),
            duration(place.first_ns / 1000),
            duration(place.last_ns / 1000),
        ]
        for place in places
    ]


PACKET_HEADINGS = ("time", "packet", "port", "priority", "reason", "held", "limit")


def packet_rows(drops: pa.Table) -> list[list[str]]:
    """Returns a row for each dropped packet, under `PACKET_HEADINGS`."""
    return [
        [
            f"{row['time_ns'] / 1000:,.3f} us",
            row["kind"] if row["sequence"] is None else f"{row['kind']} from byte {row['sequence']:,}",
            row["port"],
            str(row["priority"]),
            reason_words(row["reason"]),
            *("-" if row[key] is None else decimal_size(row[key]) for key in ("held_bytes", "limit_bytes")),
        ]
        for row in drops.to_pylist()
    ]


def _range(limits: tuple[int, int] | None) -> str:
    if limits is None:
        return "-"
    least, greatest = map(decimal_size, limits)
    return least if least == greatest else f"{least} to {greatest}"
