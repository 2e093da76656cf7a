"""Packets, notifications and rates of a run, flow by flow."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import TYPE_CHECKING

from .reaction_points import NEVER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff import Result

WIRE = 20
"""Bytes of preamble and gap."""


@dataclass
class Flow:
    """One flow, in the order of time."""

    sent: list[tuple[int, int]] = field(default_factory=list)
    """Times at which packets were handed to the adapter, and their bytes without preamble and gap."""
    received: list[tuple[int, bool]] = field(default_factory=list)
    """Times at which packets reached the receiver, and whether they were marked."""
    cnps_sent: list[int] = field(default_factory=list)
    cnps_received: list[int] = field(default_factory=list)
    cnms: list[tuple[int, int]] = field(default_factory=list)
    """Whole nanoseconds, in picoseconds, in which CNMs reached the sender, and their feedback."""
    rates: list[tuple[int, float]] = field(default_factory=list)
    """Times in whole nanoseconds, and the rates from then on."""


def flows_of(result: Result) -> dict[str, Flow]:
    """Flows of a run by name, as series have it (`host0.flow3`)."""
    flows: dict[str, Flow] = defaultdict(Flow)
    _add_packets(flows, result)
    series = result.series
    assert series is not None
    columns = (series[column].to_pylist() for column in ("time_ns", "quantity", "name", "value"))
    for time, quantity, name, value in zip(*columns, strict=True):
        if quantity == "rate":
            flows[name].rates.append((time, value))
        if quantity == "cnms":
            flows[name].cnms.append((time * 1000, int(value)))
    return flows


def moments(flow: Flow, cycle: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """Ways in which CNMs, of whose times the nanosecond is known, fall among packets.

    A packet in the nanosecond of a CNM counts before or after it. So does one in the nanosecond in which a timer ends
    that the CNM has set, some cycles later.
    """
    sent = [time for time, _ in flow.sent]
    choices = []
    for (time, feedback), (until, _) in pairwise([*flow.cnms, (NEVER, 0)]):
        packets = sent[bisect_left(sent, time) : bisect_left(sent, until)]
        after = {rest + 1 for packet in packets if (rest := (packet - time) % cycle) < 999}
        choices.append([(time + offset, feedback) for offset in sorted({0} | after)])
    return product(*choices)


def _add_packets(flows: dict[str, Flow], result: Result) -> None:
    packets = result.packets
    assert packets is not None
    names = ("source", "number", "kind", "hop", "frame_bytes", "handed_ps", "received_ps", "marked")
    for source, number, kind, hop, frame, handed, received, marked in zip(
        *(packets[name].to_pylist() for name in names), strict=True
    ):
        flow = flows[f"{source}.flow{number}"]
        if kind == "data":
            if hop == 0:
                flow.sent.append((handed, frame))
            if received is not None:
                flow.received.append((received, marked))
        if kind == "cnp":
            if hop == 0:
                flow.cnps_sent.append(handed)
            if received is not None:
                flow.cnps_received.append(received)
