"""Headroom that the last packets overfill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.headrooms import headrooms
from xoff.lint.physics import bytes_on_cable, response_bytes
from xoff.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def headroom_below_packets(tables: Tables) -> Iterator[Fault]:
    """Headroom that holds the cable and the other end's answer, and not the packet that each end has begun to send."""
    for headroom in headrooms(tables):
        cable, response = bytes_on_cable(headroom.speed_mbps, headroom.cable_m), response_bytes(headroom.speed_mbps)
        if response is None or not headroom.ports:
            continue
        mtu = max(tables.mtu_bytes(port) for port in headroom.ports)
        needed = cable + response + 2 * mtu
        if cable + response <= headroom.xoff_bytes < needed:
            left = bytes_text(headroom.xoff_bytes - cable - response)
            yield Fault(
                Severity.NOTE,
                headroom.place,
                f"{headroom.of}{bytes_text(cable)} on {headroom.cable_m} m of cable, and up to {bytes_text(response)} "
                f"until the other end stops, leave {left} for the packets that both ends have begun, which may be "
                f"{bytes_text(mtu)} each",
                f"xoff of at least {needed}, or packets of lossless classes that are smaller than the ports' mtu",
            )
