"""What the ports of a run did: the rows of `ports.parquet`, those that matter first."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from xoff import patterns

if TYPE_CHECKING:
    import pyarrow as pa

    from xoff.result import Result


class Order(StrEnum):
    """Columns by which ports are put in order, the greatest first."""

    UTILIZATION = "utilization"
    PACKETS = "packets"
    MARKED = "marked"
    DROPPED = "dropped"
    PAUSE_FRAMES = "pause_frames"
    PAUSED = "paused_ns"
    LONGEST_PAUSE = "longest_pause_ns"


def ordered(result: Result, order: Order, pattern: str | None = None) -> pa.Table:
    """The ports that a pattern names, `leaf0.port3`, or those of the devices, `leaf*`; left out, all."""
    import pyarrow as pa

    table = result.ports
    if pattern is not None:
        named = zip(*(table[name].cast(pa.string()).to_pylist() for name in ("port", "device")), strict=True)
        table = table.filter(pa.array([any(patterns.matches(pattern, name) for name in names) for names in named]))
    # Where a column is equal, ports stay in the order of their numbers.
    return (
        table.append_column("place", pa.array(range(table.num_rows)))
        .sort_by([(order.value, "descending"), ("place", "ascending")])
        .drop_columns("place")
    )
