"""Whether a paused sender ever resumes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.switches.plan.classes import least_written

if TYPE_CHECKING:
    from xoff.switches.plan.file import Plan
    from xoff.switches.plan.settings import Settings


def xon_offset_bytes(plan: Plan) -> int:
    """Returns the bytes below the pause threshold at which senders resume: the plan's, or two largest packets."""
    own = plan.headroom.xon_offset
    return 2 * plan.mtu if own is None else own


def check_xon_offset(plan: Plan, settings: Settings) -> None:
    """XON lies below XOFF by the offset, and XOFF is never higher than in an empty pool. Raises PlanError."""
    offset, pool = plan.headroom.xon_offset, settings.pools.lossless_bytes
    lossless = [one for one in settings.classes if one.lossless]
    if offset is None or not lossless or not pool:
        return
    least = min(lossless, key=lambda one: one.alpha)
    highest = int(least_written(Fraction(least.alpha)) * pool)
    if offset > highest:
        problem = f"puts XON {offset:,} B below XOFF, which for {least.name} is never higher than {highest:,} B"
        raise PlanError(None, "headroom.xon_offset", problem, f"expected at most {highest:,} B")
