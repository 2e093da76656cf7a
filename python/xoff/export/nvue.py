"""NVIDIA Cumulus Linux by NVUE commands."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from xoff.export.export import Export, PortNames, feedback_notes, percent, pool_notes, rounding_notes, watchdog_notes
from xoff.plan.file import identifier

if TYPE_CHECKING:
    from xoff.plan.settings import PortGroup, Settings

_MARKING = "xoff"
_NAMES = PortNames("Cumulus Linux", "swp{}", 1, "swp[0-9]+(s[0-9]+)?", "swp1 and on")


def nvue(settings: Settings) -> Export:
    """Profiles of marking and PFC, and the interfaces that have them."""
    names = _NAMES.of(settings)
    lines = ["nv set qos mapping default-global trust l3"]
    lines += [
        f"nv set qos mapping default-global dscp {one.dscp} switch-priority {one.priority}" for one in settings.classes
    ]
    for one in settings.classes:
        if one.ecn:
            base = f"nv set qos congestion-control {_MARKING} traffic-class {one.priority}"
            lines += [
                f"{base} ecn enable",
                f"{base} red disable",
                f"{base} min-threshold {one.ecn.minimum_bytes}",
                f"{base} max-threshold {one.ecn.maximum_bytes}",
                f"{base} probability {percent(one.ecn.probability)}",
            ]
    for group in settings.groups:
        lines += _pfc(settings, group) if group.pause else []
        for port in group.ports:
            if any(one.ecn for one in settings.classes):
                lines.append(f"nv set interface {names[port]} qos congestion-control profile {_MARKING}")
            if group.pause:
                lines.append(f"nv set interface {names[port]} qos pfc profile {_profile(group)}")
    return Export("\n".join([*lines, "nv config apply"]) + "\n", tuple(_notes(settings)), "#")


def _profile(group: PortGroup) -> str:
    return f"xoff-{identifier(group.name)}"


def _pfc(settings: Settings, group: PortGroup) -> list[str]:
    base = f"nv set qos pfc {_profile(group)}"
    priorities = ",".join(str(one.priority) for one in settings.classes if one.lossless)
    pause = group.pause
    assert pause is not None, "a plan with a lossless class has pauses"
    sizes = [f"{base} cable-length {ceil(group.cable_m)}"]
    if pause.xoff_bytes is not None:
        sizes = [
            f"{base} port-buffer {pause.xoff_bytes + pause.headroom_bytes}",
            f"{base} xoff-threshold {pause.xoff_bytes}",
            f"{base} xon-threshold {pause.xon_bytes}",
        ]
    return [
        f"{base} switch-priority {priorities}",
        *sizes,
        f"{base} rx enable",
        f"{base} tx enable",
    ]


def _notes(settings: Settings) -> list[str]:
    notes = rounding_notes(settings.classes, alphas=False)
    notes += feedback_notes(settings)
    notes += pool_notes(settings, "no command for it is known")
    for group in settings.groups:
        if group.pause and group.pause.xoff_bytes is None:
            notes.append(
                f"{group.name}: headroom is computed by the switch from the cable's length; "
                f"the plan has {group.pause.headroom_bytes} B for each class"
            )
    notes.append("alphas, reserves and sizes of pools are left out: the form of advance-buffer-config is not confirmed")
    if settings.headroom_scheme not in (None, "sih"):
        notes.append(f"headroom shared by {settings.headroom_scheme} is left out")
    notes += watchdog_notes(settings, "no command for it is confirmed")
    notes.append(
        "DSCPs of no class keep the priority that Cumulus Linux gives them, their highest three bits, even that of a "
        "lossless class"
    )
    return [*notes, *_NAMES.notes(settings)]
