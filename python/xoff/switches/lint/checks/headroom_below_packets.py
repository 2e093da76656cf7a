"""Headroom that the last packets overfill."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.headrooms import headrooms, overfilled_at_once
from xoff.switches.lint.physics import bytes_on_cable, response_bytes
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.headrooms import Headroom
    from xoff.switches.lint.tables import Tables


def headroom_below_packets(tables: Tables) -> Iterator[Fault]:
    """Headroom that holds the cable and the other end's answer, and not the packet that each end has begun to send.

    A warning where these do not fit even if the other end stops at once, and its packets are as small as SONiC's own
    formula takes them to be; a note where a port's largest packets do not fit, if those are of a lossless class.
    """
    for headroom in headrooms(tables):
        cable, response = bytes_on_cable(headroom.speed_mbps, headroom.cable_m), response_bytes(headroom.speed_mbps)
        if not headroom.ports or headroom.xoff_bytes < cable:
            continue
        if at_once := overfilled_at_once(tables, headroom):
            yield _at_once(headroom, *at_once)
        elif response is not None and headroom.xoff_bytes >= cable + response:
            yield from _in_time(tables, headroom, cable, response)


def _at_once(headroom: Headroom, own: int, others: int) -> Fault:
    cable = bytes_on_cable(headroom.speed_mbps, headroom.cable_m)
    return Fault(
        Severity.WARNING,
        headroom.place,
        f"{headroom.of}{bytes_text(cable)} on {headroom.cable_m} m of cable leave "
        f"{bytes_text(headroom.xoff_bytes - cable)}; the pause may wait for a packet of {bytes_text(own)}, and the "
        f"other end finish a lossless one of {bytes_text(others)}, however soon it stops",
        f"xoff of at least {cable + own + others} and what that end sends until it stops, or a smaller mtu",
    )


def _in_time(tables: Tables, headroom: Headroom, cable: int, response: int) -> Iterator[Fault]:
    mtu = max(tables.mtu_bytes(port) for port in headroom.ports)
    needed = cable + response + mtu + (tables.stated_packet or mtu)
    if headroom.xoff_bytes < needed:
        left = bytes_text(headroom.xoff_bytes - cable - response)
        yield Fault(
            Severity.NOTE,
            headroom.place,
            f"{headroom.of}{bytes_text(cable)} on {headroom.cable_m} m of cable, and up to {bytes_text(response)} "
            f"until the other end stops, leave {left} for the packets that both ends have begun, which may be "
            f"{bytes_text(mtu)} each",
            f"xoff of at least {needed}, or packets of lossless classes that are smaller than the ports' mtu",
        )
