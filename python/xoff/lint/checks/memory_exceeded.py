"""Pools larger than the chip's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.wording import bytes_text, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def memory_exceeded(tables: Tables) -> Iterator[Fault]:
    """Pools larger than the memory of the chip, which `--chip` names.

    Every packet is counted twice, where it comes in and where it leaves: ingress pools share the memory, and so do
    egress pools; these are overbooked by design, so that only each alone is held against it. Whether `size` holds the
    pool's `xoff` differs from vendor to vendor: what is too large without is too large.
    """
    if tables.chip is None:
        return
    name, memory = tables.chip["name"], tables.chip["memory_bytes"]
    pools = tables.config.buffer_pool
    for key, pool in pools.items():
        if (pool.size or 0) > memory:
            problem = (
                f"{name} has {bytes_text(memory)} of packet memory in all, {bytes_text((pool.size or 0) - memory)} less"
            )
            remedy = f"at most {memory}, less what is reserved"
            yield Fault(Severity.ERROR, tables.place("BUFFER_POOL", key, "size"), problem, remedy)
    ingress = {key: pool.size for key, pool in pools.items() if pool.type == "ingress" and pool.size}
    total = sum(ingress.values())
    if total > memory and all(size <= memory for size in ingress.values()):
        last = list(ingress)[-1]
        problem = f"{listed(list(ingress))} are {bytes_text(total)} together; {name} has {bytes_text(memory)}"
        remedy = f"{total - memory} less in them"
        yield Fault(Severity.ERROR, tables.place("BUFFER_POOL", last, "size"), problem, remedy)
