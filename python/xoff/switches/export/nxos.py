"""Cisco NX-OS (Nexus 9000): queuing and network-qos policies."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from xoff.switches.export.export import (
    Export,
    PortNames,
    beyond_memory,
    feedback_notes,
    markings,
    markings_by_group,
    percent,
    pool_notes,
    resuming_notes,
    rounding_notes,
    share_notes,
    told_marks,
    watchdog_notes,
)
from xoff.switches.export.trimming import left_out_notes
from xoff.switches.plan.file import identifier

if TYPE_CHECKING:
    from xoff.switches.export.export import Marking
    from xoff.switches.plan.settings import Ecn, Pause, PortGroup, Settings

_OUT = "XOFF-OUT"
_MTUS = range(576, 9216 + 1)
_BUFFER_BYTES = range(5000, 12_582_913 + 1)
"""Values of mtu and buffer-size that NX-OS takes (Cisco-NX-OS-device.yang of 9.3(1) and 10.3(10))."""
_NAMES = PortNames("NX-OS", "Ethernet1/{}", 1, "Ethernet[0-9]+(/[0-9]+){1,2}", "Ethernet1/1 and on")


def nxos(settings: Settings) -> Export:
    """Policies and the interfaces that have them."""
    lossless = [one for one in settings.classes if one.lossless]
    lines = _classification(settings)
    for marking in markings(settings):
        lines += _marks(marking)
    if lossless:
        lines.append("policy-map type network-qos XOFF-NETWORK")
        for one in lossless:
            lines += [
                f"  class type network-qos {_queue('8q-nq', one.priority)}",
                f"    pause pfc-cos {one.priority}",
                *([f"    mtu {settings.mtu_bytes}"] if _sets_mtu(settings) else []),
            ]
        for name, pause in {_policy(settings, group): group.pause for group in settings.groups}.items():
            assert pause is not None, "a plan with a lossless class has pauses"
            lines.append(f"policy-map type queuing {name}")
            for one in lossless:
                lines += [f"  class type queuing {_queue('in-q', one.priority)}", f"    {_pause(settings, pause)}"]
    lines += _applied(settings, lossless=bool(lossless))
    return Export.of_lines(lines, _notes(settings), "!")


def _classification(settings: Settings) -> list[str]:
    """Classifies packets as public configurations of RoCE on Nexus 9000 do; group 0 gets what no class matches."""
    classes = {f"XOFF-{identifier(one.name)}": one for one in settings.classes if one.priority}
    lines = []
    for name, one in classes.items():
        lines += [f"class-map type qos match-any {name}", f"  match dscp {one.dscp}"]
    lines.append("policy-map type qos XOFF-CLASSES")
    for name, one in classes.items():
        lines += [f"  class {name}", f"    set qos-group {one.priority}"]
    return [*lines, "  class class-default", "    set qos-group 0"]


def _marks(marking: Marking) -> list[str]:
    """Returns the queuing policy of ports that mark, or of all ports, if no group of ports has its own."""
    if not marking.marked and not marking.suffix:
        return []
    lines = [f"policy-map type queuing {_OUT}{marking.suffix}"]
    for one, ecn in marking.marked:
        minimum, maximum = _kbytes(ecn)
        lines += [
            f"  class type queuing {_queue('out-8q-q', one.priority)}",
            f"    random-detect minimum-threshold {minimum} kbytes maximum-threshold {maximum} kbytes "
            f"drop-probability {percent(ecn.probability)} weight 0 ecn",
        ]
    return lines


def _queue(kind: str, priority: int) -> str:
    return f"c-{kind}{priority}" if priority else f"c-{kind}-default"


def _policy(settings: Settings, group: PortGroup) -> str:
    """Names the input policy of a group's ports: one for all groups, or one each where headroom differs."""
    alike = len({other.pause for other in settings.groups}) == 1
    return "XOFF-IN" if alike else f"XOFF-IN-{identifier(group.name)}"


def _kbytes(ecn: Ecn) -> tuple[int, int]:
    """Both thresholds, rounded outward, so that a ramp stays one."""
    minimum, maximum = max(1, ecn.minimum_bytes // 1000), ceil(ecn.maximum_bytes / 1000)
    return minimum, max(maximum, minimum + (ecn.minimum_bytes < ecn.maximum_bytes))


def _static_xoff(settings: Settings) -> int:
    """Returns the threshold that all lossless queues can reach beside their own headroom [t_PFC] (DCQCN, section 4)."""
    pools, lossless = settings.pools, sum(one.lossless for one in settings.classes)
    sizes = [group.pause.headroom_bytes for group in settings.groups for _ in group.ports if group.pause]
    mmus = range(0, len(sizes), pools.ports_per_mmu)
    own = lossless * max(sum(sizes[first : first + pools.ports_per_mmu]) for first in mmus)
    left = pools.lossless_bytes + pools.headroom_bytes - own
    return max(0, left) // (pools.ports_per_mmu * lossless)


def _planned_xoff(settings: Settings, pause: Pause) -> int:
    return _static_xoff(settings) if pause.xoff_bytes is None else pause.xoff_bytes


def _xoff(settings: Settings, pause: Pause) -> int:
    """Returns the pause-threshold: as planned, or the largest for which a buffer has room beside the headroom."""
    return max(0, min(_planned_xoff(settings, pause), _BUFFER_BYTES[-1] - pause.headroom_bytes))


def _buffer(settings: Settings, pause: Pause) -> int:
    """Returns the buffer-size: threshold and headroom, or what NX-OS takes of it."""
    return min(max(_xoff(settings, pause) + pause.headroom_bytes, _BUFFER_BYTES[0]), _BUFFER_BYTES[-1])


def _sets_mtu(settings: Settings) -> bool:
    return settings.sets_mtu and settings.mtu_bytes in _MTUS


def _resume(settings: Settings, pause: Pause) -> int:
    return max(0, _xoff(settings, pause) - pause.xon_offset_bytes)


def _pause(settings: Settings, pause: Pause) -> str:
    xoff, resume = _xoff(settings, pause), _resume(settings, pause)
    return f"pause buffer-size {_buffer(settings, pause)} pause-threshold {xoff} resume-threshold {resume}"


def _applied(settings: Settings, *, lossless: bool) -> list[str]:
    own, by_group = markings(settings)[0], markings_by_group(settings)
    lines = ["system qos"] if own.marked or lossless else []
    lines += [f"  service-policy type queuing output {_OUT}"] if own.marked else []
    lines += ["  service-policy type network-qos XOFF-NETWORK"] if lossless else []
    names = _NAMES.of(settings)
    for group in settings.groups:
        suffix = by_group[group.name].suffix
        for port in group.ports:
            lines += [f"interface {names[port]}", "  service-policy type qos input XOFF-CLASSES"]
            lines += [f"  service-policy type queuing output {_OUT}{suffix}"] if suffix else []
            if lossless:
                lines += [
                    "  priority-flow-control mode on",
                    "  priority-flow-control watch-dog-interval on",
                    f"  service-policy type queuing input {_policy(settings, group)}",
                ]
    return lines


def _notes(settings: Settings) -> list[str]:
    notes = rounding_notes(settings, powers=None)
    notes += feedback_notes(settings)
    notes += pool_notes(
        settings,
        "`wred-queue` suggests that marking can look at more than a queue, and no form for the pool is confirmed",
    )
    if any(ecn.marks_only for _, ecn in told_marks(settings)):
        notes.append("marks_only is left out: random-detect with ecn drops packets that are not ECN-capable")
    for name, ecn in told_marks(settings):
        if ecn.minimum_bytes % 1000 or ecn.maximum_bytes % 1000:
            notes.append(
                f"{name}: thresholds {ecn.minimum_bytes} B and {ecn.maximum_bytes} B are rounded to "
                "whole kbytes of 1000 B, the lower one down and the upper one up: no form in bytes is confirmed"
            )
    pauses = [group.pause for group in settings.groups if group.pause]
    if any(pause.xoff_bytes is None for pause in pauses):
        notes.append(
            "alphas are left out: written are the static thresholds that all lossless queues can reach at once, "
            f"{_static_xoff(settings)} B; buffer-size is that and the headroom"
        )
    if settings.shares_headroom:
        notes.append(f"headroom is each queue's own: {settings.headroom_scheme} has no form here")
    if over := beyond_memory(settings, total := _of_all_queues(settings)):
        notes.append(f"buffer-size of all queues is {total:,} B together{over}")
    if any(one.reserved_bytes for one in settings.classes):
        notes.append("reserves of queues are left out")
    notes += resuming_notes(settings)
    notes += _buffer_notes(settings, pauses)
    notes += _empty_notes(settings, pauses)
    notes.append(f"DSCPs of no class are of priority 0{_beside(settings)}")
    if pauses and not _sets_mtu(settings):
        notes.append(_mtu_note(settings))
    notes += share_notes(settings)
    notes.append("queues are named by their priority")
    notes += left_out_notes(settings, "no command for it is known")
    notes += watchdog_notes(settings, "one is switched on, and the form of its intervals is not confirmed")
    return [*notes, *_NAMES.notes(settings)]


def _mtu_note(settings: Settings) -> str:
    bounds = f", and NX-OS takes {_MTUS[0]} to {_MTUS[-1]:,}" if settings.sets_mtu else ""
    return f"mtu is left out: the {settings.source}'s headroom is for packets of {settings.mtu_bytes:,} B{bounds}"


def _buffer_notes(settings: Settings, pauses: list[Pause]) -> list[str]:
    """Says which buffers are not as planned, since NX-OS takes no such size."""
    notes = []
    for pause in dict.fromkeys(pauses):
        planned, xoff = _planned_xoff(settings, pause), _xoff(settings, pause)
        size, written = planned + pause.headroom_bytes, _buffer(settings, pause)
        if size != written:
            bound = "most" if size > written else "least"
            note = f"buffer-size {size:,} B is written as {written:,} B, the {bound} of NX-OS"
            note += f", and pause-threshold {planned:,} B as {xoff:,} B" if xoff != planned else ""
            short = pause.headroom_bytes > written
            notes.append(f"{note}: headroom, {pause.headroom_bytes:,} B, does not fit" if short else note)
    return notes


def _empty_notes(settings: Settings, pauses: list[Pause]) -> list[str]:
    """Says that senders resume only at empty buffers, if they do."""
    low = next((pause for pause in pauses if not _resume(settings, pause)), None)
    if low is None:
        return []
    xoff, offset = _xoff(settings, low), low.xon_offset_bytes
    return [f"resume-threshold is 0: xon_offset, {offset:,} B, reaches the pause-threshold of {xoff:,} B"]


def _beside(settings: Settings) -> str:
    own = next((one for one in settings.classes if one.priority == 0), None)
    return f", as those of {own.name}" if own else ""


def _of_all_queues(settings: Settings) -> int:
    """Buffers of all lossless queues of all ports."""
    lossless = sum(one.lossless for one in settings.classes)
    pauses = [(len(group.ports), group.pause) for group in settings.groups if group.pause]
    return lossless * sum(count * _buffer(settings, pause) for count, pause in pauses)
