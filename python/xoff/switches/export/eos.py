"""Arista EOS.

Sources: the templates of AVD (qos profile, service-profile, qos map, priority-flow-control pause watchdog), public
configurations (platform trident mmu).
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from xoff.switches.export.export import (
    Export,
    PortNames,
    alpha_text,
    beyond_memory,
    dropping_notes,
    feedback_notes,
    from_one_byte,
    from_one_byte_notes,
    markings,
    markings_by_group,
    percent,
    pool_notes,
    rounding_notes,
    share_notes,
)
from xoff.switches.export.trimming import left_out_notes

if TYPE_CHECKING:
    from xoff.switches.export.export import Marking
    from xoff.switches.plan.settings import PortGroup, Settings, TrafficClass, Watchdog

_PROFILE = "XOFF"
_NAMES = PortNames("EOS", "Ethernet{}", 1, "Ethernet[1-9][0-9]*(/[0-9]+){0,2}", "Ethernet1 or Ethernet1/1 and on")
_POWERS = range(-7, 3 + 1)
"""Exponents of alphas: `platform trident mmu` takes 1/128 to 8 (schema of AVD)."""
_LOSSLESS_EGRESS = 8
"""Share of the free pool for queues of lossless classes: what was let in is not dropped on the way out."""


def eos(settings: Settings) -> Export:
    """Profiles of classes, marking and, on a Trident, memory."""
    names = _NAMES.of(settings)
    lines = [f"qos map dscp {one.dscp} to traffic-class {one.priority}" for one in settings.classes]
    for marking in markings(settings):
        lines += ["!", *_qos_profile(settings, marking)]
    if _has_mmu(settings):
        widest = max(settings.groups, key=lambda group: group.pause.headroom_bytes if group.pause else 0)
        lines += ["!", *_mmu_profile(settings, widest)]
    by_group = markings_by_group(settings)
    for group in settings.groups:
        profile = f"{_PROFILE}{by_group[group.name].suffix}"
        for port in group.ports:
            lines += ["!", f"interface {names[port]}", f"   service-profile {profile}"]
    return Export.of_lines(lines, _notes(settings), "!")


def _has_mmu(settings: Settings) -> bool:
    return (settings.chip or "").startswith("trident")


def _qos_profile(settings: Settings, marking: Marking) -> list[str]:
    lines = [f"qos profile {_PROFILE}{marking.suffix}", "   qos trust dscp"]
    lossless = [one for one in settings.classes if one.lossless]
    if lossless:
        lines.append("   priority-flow-control on")
        lines += [f"   priority-flow-control priority {one.priority} no-drop" for one in lossless]
        lines += _watchdog(settings.watchdog) if settings.watchdog else []
    for one, planned in marking.marked:
        ecn = from_one_byte(planned)
        lines += [
            "   !",
            f"   uc-tx-queue {one.priority}",
            f"      random-detect ecn minimum-threshold {ecn.minimum_bytes} bytes "
            f"maximum-threshold {ecn.maximum_bytes} bytes "
            f"max-mark-probability {percent(ecn.probability)} weight 0",
            "      random-detect ecn count",
        ]
    return lines


def _watchdog(planned: Watchdog) -> list[str]:
    """Returns commands for the watchdog; they set the action, since EOS by default disables the port."""
    base = "   priority-flow-control pause watchdog"
    timeout, recovery = _seconds(planned.detection_ms), _seconds(planned.restoration_ms)
    timer = f"timeout {timeout} polling-interval auto recovery-time {recovery}"
    return [base, f"{base} port action drop", f"{base} port timer {timer}"]


def _seconds(milliseconds: int) -> str:
    """As EOS has them, rounded up to hundredths."""
    return f"{ceil(milliseconds / 10) / 100:.2f}"


def _mmu_profile(settings: Settings, group: PortGroup) -> list[str]:
    lines = [f"platform trident mmu queue profile {_PROFILE}"]
    lossless = [one for one in settings.classes if one.lossless]
    if group.pause and lossless:
        reserved = max(one.reserved_bytes for one in lossless)
        lines += [f"   ingress reserved bytes {reserved}"] if reserved else []
        lines.append(f"   ingress headroom bytes {group.pause.headroom_bytes}")
    lines += [f"   ingress priority-group {one.priority} threshold {_threshold(one)}" for one in lossless]
    for one in settings.classes:
        threshold = _LOSSLESS_EGRESS if one.lossless else _threshold(one)
        lines.append(f"   egress unicast queue {one.priority} threshold {threshold}")
    return [*lines, f"platform trident mmu queue profile {_PROFILE} apply"]


def _threshold(one: TrafficClass) -> str:
    return alpha_text(one.alpha, _POWERS)


def _notes(settings: Settings) -> list[str]:
    notes = rounding_notes(settings, _POWERS if _has_mmu(settings) else None)
    notes += from_one_byte_notes(settings, "EOS")
    notes += feedback_notes(settings)
    notes += pool_notes(settings, "no command for it is confirmed")
    pauses = [group.pause for group in settings.groups if group.pause]
    if not _has_mmu(settings):
        notes.append(
            "alphas, reserves and headroom are left out: `platform trident mmu` is confirmed for Trident, "
            f"{f'not for {settings.chip}' if settings.chip else f'and the {settings.source} names no chip (--chip)'}"
        )
    if any(pause.alphas for pause in pauses) and _has_mmu(settings):
        notes.append("alphas of lossless classes are those of the fastest ports: one memory profile holds for all")
    if _has_mmu(settings) and len({pause.headroom_bytes for pause in pauses}) > 1:
        notes.append(_widest_note(settings, max(pause.headroom_bytes for pause in pauses)))
    fixed = {pause.xoff_bytes for pause in pauses if pause.xoff_bytes is not None}
    if fixed and _has_mmu(settings):
        notes.append(
            f"the pause at a fixed {max(fixed)} B is left out, for a share of the free pool: no form is confirmed"
        )
    if pauses:
        notes.append(
            f"resuming {pauses[0].xon_offset_bytes} B below the pause is left out: `ingress resume` takes bytes, and "
            "from where they count is not confirmed"
        )
        notes += _watchdog_notes(settings)
    if settings.shares_headroom:
        notes.append(
            f"headroom shared by {settings.headroom_scheme} is left out: "
            "the form of `mmu headroom-pool` is not confirmed"
        )
    notes.append(
        "DSCPs of no class keep the traffic class that EOS's own map gives them, which may be that of a lossless class"
    )
    notes += share_notes(settings)
    notes += left_out_notes(settings, "EOS does it by ingress traffic policies, and no form of these is confirmed")
    notes.append("on Jericho, uc-tx-queue is tx-queue")
    return [*notes, *_NAMES.notes(settings)]


def _watchdog_notes(settings: Settings) -> list[str]:
    planned = settings.watchdog
    if planned is None:
        return [f"the pause watchdog is left out: the {settings.source} says nothing of it"]
    notes = dropping_notes(planned, "EOS's has no such action")
    if planned.detection_ms % 10 or planned.restoration_ms % 10:
        exact = f"{planned.detection_ms} and {planned.restoration_ms} ms"
        notes.append(f"times of the PFC watchdog, {exact}, are rounded up to hundredths of a second")
    return notes


def _widest_note(settings: Settings, widest: int) -> str:
    """Says how one number can hold for all ports."""
    classes = 1 if settings.headroom_scheme == "dsh" else sum(one.lossless for one in settings.classes)
    ports = sum(len(group.ports) for group in settings.groups)
    planned = settings.pools.headroom_bytes * settings.pools.mmus
    total = classes * ports * widest
    return (
        f"headroom is the largest of all ports, {widest:,} B, since one memory profile holds for the whole switch: "
        f"{total:,} B in all, {total - planned:,} B more than planned{beyond_memory(settings, total)}"
    )
