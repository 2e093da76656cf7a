"""Memory that each MMU of a chip must hold; an MMU is a part of memory with ports and headroom of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.switches.plan import headroom, pools
from xoff.switches.plan.file import Scheme
from xoff.switches.plan.rows import Row, check

if TYPE_CHECKING:
    from xoff.switches.plan.switch import Switch

_SOURCE = "xoff list chips"


def rows(switch: Switch) -> list[Row]:
    """Memory, ports and headroom of each MMU, alike ones together, and the pool that all of them get."""
    if switch.mmus == 1 or not switch.lossless:
        return []
    memory, each = switch.memory_bytes // switch.mmus, switch.ports_per_mmu
    found = [
        Row("mmu.memory", "memory of an MMU", memory, "B", f"{switch.memory_bytes:,} / {switch.mmus}", _SOURCE),
        Row("mmu.ports", "ports of an MMU", each, "", f"{switch.ports} in the order of the plan, {each} each", _SOURCE),
    ]
    alike: dict[str, list[int]] = {}
    for number, part in enumerate(switch.parts):
        alike.setdefault(ports(part), []).append(number)
    for numbers in alike.values():
        found += _of_part(switch.parts[numbers[0]], numbers)
    return [*found, _pool(switch)]


def check_shared(switch: Switch, memory: str = "memory") -> None:
    """Raises PlanError if lossless classes have nothing to share: then they are paused for good, or lose packets."""
    if not switch.lossless or pools.of(switch).lossless:
        return
    part = pools.fullest(switch)
    aside = headroom.set_aside(part)
    left = pools.left(part, aside)
    if part.plan.lossy_pool and left > 0:
        problem = f"takes all {left:,} B that headroom and reserves leave, and leaves lossless classes nothing to share"
        raise PlanError(None, "lossy_pool", problem, "expected a smaller one")
    whose = memory if switch.mmus == 1 else f"MMU {switch.parts.index(part)}"
    taken = f"takes {aside + part.reserved_bytes:,} B with reserves where {whose} has {part.memory_bytes:,} B"
    problem = f"{taken} ({ports(part)}), and leaves lossless classes nothing to share"
    raise PlanError(None, "headroom", problem, "expected less of it, or a larger chip")


def ports(part: Switch) -> str:
    """Names the ports of an MMU: `4 down, 4 up`."""
    return ", ".join(f"{group.count} {group.name}" for group in part.groups)


def _of_part(part: Switch, numbers: list[int]) -> list[Row]:
    aside, left = headroom.set_aside(part), pools.left(part, headroom.set_aside(part))
    called = f"MMU{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
    fits = f"must fit {part.memory_bytes:,} B with reserves, {aside + part.reserved_bytes:,} B"
    shared = f"{part.memory_bytes:,} - {aside:,} - {part.reserved_bytes:,} in reserves"
    return [
        Row(
            f"mmu.{numbers[0]}.headroom",
            f"headroom of {called}: {ports(part)}",
            aside,
            "B",
            _headroom(part),
            "plan",
            *check(left >= 0, fits),
        ),
        Row(f"mmu.{numbers[0]}.left", f"left to share in {called}", left, "B", shared, "plan"),
    ]


def _headroom(part: Switch) -> str:
    everything = headroom.spelled(part, len(part.lossless))
    match part.plan.headroom.scheme:
        case Scheme.DSH:
            return headroom.spelled(part)
        case Scheme.OVERSUBSCRIBED:
            return f"{float(part.plan.headroom.ratio or 1):g} x {everything}"
    return everything


def _pool(switch: Switch) -> Row:
    part, (lossless, lossy) = pools.fullest(switch), pools.of(switch)
    formula = f"{lossless + lossy:,} - {lossy:,} for lossy classes" if lossy else f"{lossless:,}"
    why = f"all MMUs get pools of one size, and MMU {switch.parts.index(part)} has least left"
    return Row("mmu.lossless_pool", "lossless pool of each MMU", lossless, "B", formula, "plan", why=why)
