"""Headroom that hopes for a quick answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.headroom import QUANTUM_BYTES
from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.headrooms import headrooms, overfilled_at_once
from xoff.switches.lint.physics import bytes_on_cable, response_bytes
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def headroom_below_response(tables: Tables) -> Iterator[Fault]:
    """Headroom that holds the cable, and not what IEEE 802.3 (31B.3.7) lets the other end send before it stops."""
    for headroom in headrooms(tables):
        cable = bytes_on_cable(headroom.speed_mbps, headroom.cable_m)
        response = response_bytes(headroom.speed_mbps)
        if overfilled_at_once(tables, headroom):  # headroom_below_packets warns of it
            continue
        if response is not None and cable <= headroom.xoff_bytes < cable + response:
            left = headroom.xoff_bytes - cable
            yield Fault(
                Severity.NOTE,
                headroom.place,
                f"{headroom.of}{bytes_text(cable)} on {headroom.cable_m} m of cable leave {bytes_text(left)} for the "
                f"other end's answer; at {headroom.speed_mbps // 1000} Gb/s the standard lets it take "
                f"{response // QUANTUM_BYTES} quanta, {bytes_text(response)}, and packets under way come on top",
                f"xoff of at least {cable + response} and two packets, or a measurement of how soon that end stops",
            )
