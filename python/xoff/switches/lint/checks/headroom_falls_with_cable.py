"""Headroom that falls as the cable grows."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.headrooms import headrooms
from xoff.switches.lint.physics import bytes_on_cable
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.headrooms import Headroom
    from xoff.switches.lint.tables import Tables


def headroom_falls_with_cable(tables: Tables) -> Iterator[Fault]:
    """Headroom that falls as the cable grows, at one speed; memory may be the reason, physics is not.

    A note: whether the longer cable has enough, other checks say.
    """
    ordered = sorted(headrooms(tables), key=lambda headroom: (*_at_one_speed(headroom), headroom.cable_m))
    for (_, speed), same in groupby(ordered, key=_at_one_speed):
        largest = None
        for headroom in same:
            if largest and largest.cable_m < headroom.cable_m and largest.xoff_bytes > headroom.xoff_bytes:
                cable = bytes_on_cable(speed, headroom.cable_m)
                more = cable - bytes_on_cable(speed, largest.cable_m)
                yield Fault(
                    Severity.NOTE,
                    headroom.place,
                    f"{largest.cable_m} m have {bytes_text(largest.xoff_bytes)} (line {largest.place.line}), and "
                    f"{headroom.cable_m} m hold {bytes_text(more)} more",
                    f"xoff of at least {max(cable, largest.xoff_bytes + more)}, or the reason for less in a comment",
                )
            if largest is None or headroom.xoff_bytes > largest.xoff_bytes:
                largest = headroom


def _at_one_speed(headroom: Headroom) -> tuple[str, int]:
    return headroom.place.file, headroom.speed_mbps
