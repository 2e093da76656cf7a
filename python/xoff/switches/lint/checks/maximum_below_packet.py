"""Marking thresholds in another unit than bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import ramps
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def maximum_below_packet(tables: Tables) -> Iterator[Fault]:
    """K_max below one packet of the port: whatever waits is marked, or dropped; kilobytes may have been meant."""
    seen = set()
    for (port, queue), (name, wred) in tables.wred.items():
        mtu = tables.mtu_bytes(port)
        for ramp in ramps(wred):
            if ramp.maximum >= mtu or (name, ramp.colour) in seen:
                continue
            seen.add((name, ramp.colour))
            becomes = "marked" if ramp.marks else "dropped"
            yield Fault(
                Severity.WARNING,
                tables.place("WRED_PROFILE", name, f"{ramp.colour}_max_threshold"),
                f"less than one packet of {port}, {bytes_text(mtu)}: every packet that waits in queue {queue} behind "
                f"another is {becomes}",
                f"{ramp.colour}_max_threshold in bytes, of several packets",
            )
