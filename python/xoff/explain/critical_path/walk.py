"""Critical paths that the simulator finds in rows of `packets.parquet`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from xoff import _xoff
from xoff.explain.critical_path.path import Cause, CriticalPath, Stretch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NUMBERS = (
    "packet",
    "number",
    "sequence",
    "payload_bytes",
    "priority",
    "ready_ps",
    "handed_ps",
    "arrived_ps",
    "started_ps",
    "ended_ps",
    "reached_ps",
    "received_ps",
)
_NAMES = ("kind", "release", "port", "drop_reason")


def critical_path(
    packets: pa.Table,
    pauses: pa.Table | None,
    flow: str,
    start_ns: int,
    end_ns: int,
    *,
    acknowledged: bool = True,
    missing: int | None = None,
    on_credit: bool = False,
    down_ps: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> CriticalPath:
    """Returns the critical path of a flow.

    Args:
        packets: Rows of `packets.parquet` of the flow, and of earlier flows on its queue pair.
        pauses: Rows of `pauses.parquet`, if there were any.
        flow: Name of the flow, such as `host0.flow3`.
        start_ns: Start of the flow, as in `flows.parquet`.
        end_ns: Completion of the flow, as in `flows.parquet`; for an incomplete flow, the end of the run.
        acknowledged: Whether `end_ns` is the flow's `finish_ns` and not its `received_ns`.
        missing: For an incomplete flow, the offset of the first byte that its receiver lacks; -1 where the transport
            does not repair losses.
        on_credit: Whether the flow sends on credit from its receiver.
        down_ps: Intervals in which the link of a port was down, in order, by the name of the port.

    Raises:
        ValueError: The rows have no received packet of a complete flow.
    """
    number = int(flow.rpartition(".flow")[2])
    outages = [(port, *span) for port, spans in (down_ps or {}).items() for span in spans]
    found = _xoff.critical_path(
        _columns(packets), _pauses(pauses), outages, number, start_ns, end_ns, acknowledged, missing, on_credit
    )
    if found is None:
        message = f"no packet of {flow} was received"
        raise ValueError(message)
    stretches = tuple(Stretch(Cause(stretch[0]), *stretch[1:]) for stretch in found[0])
    return CriticalPath(flow, stretches, found[1], packets.filter(pc.equal(packets["number"], number)))


def _columns(packets: pa.Table) -> dict[str, list[Any]]:
    numbers = {name: packets[name].cast(pa.int64()).fill_null(-1).to_pylist() for name in _NUMBERS}
    names = {name: packets[name].cast(pa.string()).to_pylist() for name in _NAMES}
    return numbers | names | {"retransmission": packets["retransmission"].to_pylist()}


def _pauses(pauses: pa.Table | None) -> list[tuple[str, int, int, int | None]]:
    if pauses is None:
        return []
    return [tuple(row.values()) for row in pauses.select(["paused_port", "priority", "start_ns", "end_ns"]).to_pylist()]
