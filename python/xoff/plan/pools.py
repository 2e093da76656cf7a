"""What reserves and headroom leave of memory, and which classes share it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from xoff.plan.switch import Switch


class Shared(NamedTuple):
    """Shared pools of one MMU, in bytes."""

    lossless: int
    """Of classes that pause."""
    lossy: int
    """Of all others."""


def beside(switch: Switch, headroom_bytes: int) -> Shared:
    """The pools of a switch that sets so much headroom aside, of all ports together."""
    left = max(0, switch.memory_bytes - headroom_bytes - switch.reserved_bytes) // switch.mmus
    if not switch.lossless:
        return Shared(0, left)
    if all(one.lossless for one in switch.plan.classes):
        return Shared(left, 0)
    asked = switch.plan.lossy_pool
    lossy = left - left // 4 * 3 if asked is None else min(left, asked // switch.mmus)
    return Shared(left - lossy, lossy)
