"""Pools whose size no table says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def pool_unjudged(tables: Tables) -> Iterator[Fault]:
    """Pools without a size, which the switch computes: thresholds that are a share of them are held against nothing."""
    config = tables.config
    pools = [name for name, pool in config.buffer_pool.items() if pool.size is None]
    if not pools:
        return
    shares = [name for name, row in config.buffer_profile.items() if row.pool in pools and row.dynamic_th is not None]
    of_shares = f", nor are thresholds that are a share of it, by {several(shares)}" if shares else ""
    why = "the switch computes it (buffer_model dynamic)" if tables.computes else "no table says it"
    yield Fault(
        Severity.NOTE,
        tables.place("BUFFER_POOL", pools[0], "size"),
        f"{why}: the size of {several(pools)} is not judged{of_shares}",
        "size as the switch has it (show buffer information), to have it judged",
    )
