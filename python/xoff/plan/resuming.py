"""Whether a paused sender ever resumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import PlanError

if TYPE_CHECKING:
    from xoff.plan.file import Plan
    from xoff.plan.settings import Settings


def check_xon_offset(plan: Plan, settings: Settings) -> None:
    """XON lies below XOFF by the offset, and XOFF is never higher than in an empty pool. Raises PlanError."""
    offset, pool = plan.headroom.xon_offset, settings.pools.lossless_bytes
    highest = max((int(one.alpha * pool) for one in settings.classes if one.lossless), default=0)
    if offset is not None and highest and offset > highest:
        problem = f"puts XON {offset:,} B below XOFF, which is never higher than {highest:,} B"
        raise PlanError(None, "headroom.xon_offset", problem, f"expected at most {highest:,} B")
