"""Headroom below what is in flight on the cable."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.headrooms import headrooms
from xoff.switches.lint.physics import bytes_on_cable
from xoff.switches.lint.wording import bytes_text, cable_formula

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def headroom_below_cable(tables: Tables) -> Iterator[Fault]:
    """Headroom below the bytes in flight on the cable: a sender at line rate loses packets at every pause.

    A note where ports are there, and none of them has this speed and cable.
    """
    for headroom in headrooms(tables):
        needed = bytes_on_cable(headroom.speed_mbps, headroom.cable_m)
        if headroom.xoff_bytes < needed:
            is_unused = bool(tables.config.port) and not headroom.ports
            yield Fault(
                Severity.NOTE if is_unused else Severity.ERROR,
                headroom.place,
                f"{headroom.of}the cable alone holds {bytes_text(needed)} while a pause goes out and the last packet "
                f"before it comes in: {cable_formula(headroom.speed_mbps, headroom.cable_m)}; "
                f"{bytes_text(needed - headroom.xoff_bytes)} of them find no room"
                f"{', if a port comes to have such a link' if is_unused else ''}",
                f"xoff of at least {needed}, what that end sends until it stops, and two packets; or a shorter cable",
            )
