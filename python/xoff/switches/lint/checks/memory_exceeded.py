"""Pools, reserves and headroom larger than the chip's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.chips import chip_of
from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.memory import (
    all_headroom,
    allowed_to_one,
    ingress_pools,
    most_of,
    own_headroom,
    shared_headroom,
)
from xoff.switches.lint.wording import bytes_text, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.finding import Place
    from xoff.switches.lint.tables import Buffer, Tables


def memory_exceeded(tables: Tables) -> Iterator[Fault]:
    """Pools, or reserves and headroom of all ports together, larger than the memory of the chip: `--chip`, or hwsku's.

    Every packet is counted twice, where it comes in and where it leaves: ingress pools share the memory, and so do
    egress pools; these are overbooked by design, so that only each alone is held against it. Whether `size` holds the
    pool's headroom differs from vendor to vendor: what is too large without is an error, what only fits with it a note,
    unless a queue that never drops says it by what it may hold.
    Sizes of chips are published rounded: nothing is said of what is no more than 2 % too large.
    """
    chip, most = tables.chip_of_memory, most_of(tables)
    if chip is None or most is None:
        return
    memory = chip["memory_bytes"]
    for key, pool in tables.config.buffer_pool.items():
        if (pool.size or 0) > most:
            problem = f"{_has(tables)} of packet memory in all, {bytes_text((pool.size or 0) - memory)} less"
            remedy = f"at most {memory}, less what is reserved"
            yield Fault(Severity.ERROR, tables.place("BUFFER_POOL", key, "size"), problem, remedy)
    yield from _guaranteed(tables, most)
    ingress = ingress_pools(tables)
    total, headroom = sum(ingress.values()), all_headroom(tables)
    if not ingress or max(ingress.values()) > most:
        return
    place = tables.place("BUFFER_POOL", list(ingress)[-1], "size")
    are = f"{listed(list(ingress))} {'are' if len(ingress) > 1 else 'is'} {bytes_text(total)}"
    if total > most:
        problem = f"{are} together; {_has(tables)}"
        yield Fault(Severity.ERROR, place, problem, f"{total - memory} less in them")
    elif tables.holds_headroom and allowed_to_one(tables) is None:
        problem = f"{are}, and headroom {bytes_text(headroom)}; {_has(tables)}, less than both together"
        remedy = f"{total + headroom - memory} less in them, unless size of this vendor's pools holds their headroom"
        yield Fault(Severity.NOTE, place, problem, remedy)


def _has(tables: Tables) -> str:
    chip, here = tables.chip_of_memory, tables.here
    assert chip is not None, "without one there is nothing to compare"
    by = f", the chip of {here.hwsku}," if here and chip_of(here.hwsku) == chip else ""
    return f"{chip['name']}{by} has {bytes_text(chip['memory_bytes'])}"


def _guaranteed(tables: Tables, most: int) -> Iterator[Fault]:
    """Yields a fault for memory set aside for each priority group or queue, which no other may use."""
    groups = [(group, group.reserve + own_headroom(group)) for group in tables.priority_groups if group.profile]
    of_groups = sum(size for _, size in groups) + shared_headroom(tables)
    if of_groups > most:
        yield _too_much(tables, groups, of_groups, "priority groups set aside", "headroom and reserves")
    queues = [(queue, queue.profile.size) for queue in tables.queues if queue.profile]
    of_queues = sum(size for _, size in queues)
    if of_queues > most:
        yield _too_much(tables, queues, of_queues, "queues set aside", "reserves")


def _too_much(tables: Tables, buffers: list[tuple[Buffer, int]], total: int, who: str, what: str) -> Fault:
    chip = tables.chip_of_memory
    largest, size = max(buffers, key=lambda one: one[1])
    like = sum(1 for buffer, _ in buffers if buffer.profile_name == largest.profile_name)
    return Fault(
        Severity.ERROR,
        _largest_part(tables, largest),
        f"{like} of {len(buffers)} {who} {bytes_text(size)} each by it, and all {bytes_text(total)}; {_has(tables)}",
        f"{total - chip['memory_bytes'] if chip else 0} less of {what}, or fewer of them",
    )


def _largest_part(tables: Tables, buffer: Buffer) -> Place:
    profile = buffer.profile
    assert profile is not None, "it sets something aside"
    return tables.place_of_profile(buffer.profile_name, "xoff" if (profile.xoff or 0) > profile.size else "size")
