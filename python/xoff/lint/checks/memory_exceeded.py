"""Pools, reserves and headroom larger than the chip's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.physics import rounded_up
from xoff.lint.wording import bytes_text, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.finding import Place
    from xoff.lint.tables import Buffer, Tables


def memory_exceeded(tables: Tables) -> Iterator[Fault]:
    """Pools, or reserves and headroom of all ports together, larger than the memory of the chip, which `--chip` names.

    Every packet is counted twice, where it comes in and where it leaves: ingress pools share the memory, and so do
    egress pools; these are overbooked by design, so that only each alone is held against it. Whether `size` holds the
    pool's headroom differs from vendor to vendor: what is too large without is an error, what only fits with it a note.
    Sizes of chips are published rounded: nothing is said of what is no more than 2 % too large.
    """
    if tables.chip is None:
        return
    memory = tables.chip["memory_bytes"]
    most = rounded_up(memory)
    pools = tables.config.buffer_pool
    for key, pool in pools.items():
        if (pool.size or 0) > most:
            problem = f"{_has(tables)} of packet memory in all, {bytes_text((pool.size or 0) - memory)} less"
            remedy = f"at most {memory}, less what is reserved"
            yield Fault(Severity.ERROR, tables.place("BUFFER_POOL", key, "size"), problem, remedy)
    yield from _guaranteed(tables, most)
    ingress = {key: pool.size for key, pool in pools.items() if pool.type == "ingress" and pool.size}
    total, headroom = sum(ingress.values()), _headroom(tables)
    if not ingress or max(ingress.values()) > most or total + headroom <= most:
        return
    place = tables.place("BUFFER_POOL", list(ingress)[-1], "size")
    are = f"{listed(list(ingress))} {'are' if len(ingress) > 1 else 'is'} {bytes_text(total)}"
    if total > most:
        problem = f"{are} together; {_has(tables)}"
        yield Fault(Severity.ERROR, place, problem, f"{total - memory} less in them")
    elif headroom <= most:
        problem = f"{are}, and headroom {bytes_text(headroom)}; {_has(tables)}, less than both together"
        remedy = f"{total + headroom - memory} less in them, unless size of this vendor's pools holds their headroom"
        yield Fault(Severity.NOTE, place, problem, remedy)


def _has(tables: Tables) -> str:
    assert tables.chip is not None, "without one there is nothing to compare"
    return f"{tables.chip['name']} has {bytes_text(tables.chip['memory_bytes'])}"


def _guaranteed(tables: Tables, most: int) -> Iterator[Fault]:
    """What is set aside for each priority group, or each queue, shared by nobody."""
    groups = [(group, group.reserve + _own_headroom(group)) for group in tables.priority_groups if group.profile]
    of_groups = sum(size for _, size in groups) + _shared_headroom(tables)
    if of_groups > most:
        yield _too_much(tables, groups, of_groups, "priority groups set aside", "headroom and reserves")
    queues = [(queue, queue.profile.size) for queue in tables.queues if queue.profile]
    of_queues = sum(size for _, size in queues)
    if of_queues > most:
        yield _too_much(tables, queues, of_queues, "queues set aside", "reserves")


def _too_much(tables: Tables, buffers: list[tuple[Buffer, int]], total: int, who: str, what: str) -> Fault:
    largest, size = max(buffers, key=lambda one: one[1])
    like = sum(1 for buffer, _ in buffers if buffer.profile_name == largest.profile_name)
    return Fault(
        Severity.ERROR,
        _largest_part(tables, largest),
        f"{like} of {len(buffers)} {who} {bytes_text(size)} each by it, and all {bytes_text(total)}; {_has(tables)}",
        f"{total - tables.chip['memory_bytes'] if tables.chip else 0} less of {what}, or fewer of them",
    )


def _largest_part(tables: Tables, buffer: Buffer) -> Place:
    profile = buffer.profile
    assert profile is not None, "it sets something aside"
    return tables.place_of_profile(buffer.profile_name, "xoff" if (profile.xoff or 0) > profile.size else "size")


def _own_headroom(group: Buffer) -> int:
    """Of one whose pool has no headroom for all together."""
    shared = group.pool is not None and group.pool.xoff
    return 0 if group.profile is None or shared else group.profile.xoff or 0


def _shared_headroom(tables: Tables) -> int:
    return sum(pool.xoff or 0 for pool in tables.config.buffer_pool.values())


def _headroom(tables: Tables) -> int:
    return _shared_headroom(tables) + sum(_own_headroom(group) for group in tables.priority_groups)
