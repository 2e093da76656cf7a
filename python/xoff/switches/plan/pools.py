"""Memory that reserves and headroom leave, and the classes that share it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.plan import headroom

if TYPE_CHECKING:
    from xoff.switches.plan.switch import Switch


class Shared(NamedTuple):
    """Shared pools of one MMU, in bytes."""

    lossless: int
    """Bytes that classes that pause share."""
    lossy: int
    """Bytes that all other classes share."""


def of(switch: Switch) -> Shared:
    """Returns the pools of each MMU: chips give all MMUs equal pools, for which the fullest MMU must have room."""
    part = fullest(switch)
    return beside(part, headroom.set_aside(part))


def fullest(switch: Switch) -> Switch:
    """Returns the MMU in which reserves and headroom leave least memory."""
    return min(switch.parts, key=lambda part: left(part, headroom.set_aside(part)))


def left(part: Switch, headroom_bytes: int) -> int:
    """Returns the bytes of an MMU that reserves and this headroom leave; below 0 where they do not fit."""
    return part.memory_bytes - headroom_bytes - part.reserved_bytes


def beside(part: Switch, headroom_bytes: int) -> Shared:
    """Returns the pools of an MMU that sets `headroom_bytes` aside."""
    free = max(0, left(part, headroom_bytes))
    if not part.lossless:
        return Shared(0, free)
    if all(one.lossless for one in part.plan.classes):
        return Shared(free, 0)
    asked = part.plan.lossy_pool
    lossy = free - free // 4 * 3 if asked is None else min(free, asked)
    return Shared(free - lossy, lossy)
