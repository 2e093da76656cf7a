"""NVIDIA Cumulus Linux by NVUE commands.

Source: the manual of Cumulus Linux (CumulusNetworks/docs), Quality of Service; of trimming that of 5.14.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING

from xoff.switches.export.export import (
    Export,
    PortNames,
    cable_m,
    cable_notes,
    dropping_notes,
    feedback_notes,
    from_one_byte,
    from_one_byte_notes,
    markings,
    markings_by_group,
    percent,
    pool_notes,
    reserved,
    rounding_notes,
    share_notes,
)
from xoff.switches.export.trimming import dscp_of_headers, spectrum_bytes, written_notes
from xoff.switches.plan.file import identifier

if TYPE_CHECKING:
    from xoff.switches.export.export import Marking
    from xoff.switches.plan.settings import PortGroup, Settings, Watchdog

_MARKING = "xoff"
_LONGEST_CABLE_M = 100_000
"""Largest value of cable-length (NVUE's schema)."""
_CHIPS = "spectrum"
"""Family of chips that Cumulus Linux 5 runs on: its packages have no other firmware (manual of 5.10)."""
_NAMES = PortNames("Cumulus Linux", "swp{}", 1, "swp[0-9]+(s[0-9]+)?", "swp1 and on")


def nvue(settings: Settings) -> Export:
    """Profiles of marking and PFC, and the interfaces that have them."""
    names = _NAMES.of(settings)
    lines = ["nv set qos mapping default-global trust l3"]
    lines += [
        f"nv set qos mapping default-global dscp {one.dscp} switch-priority {one.priority}" for one in settings.classes
    ]
    for marking in markings(settings):
        lines += _congestion_control(marking)
    lines += _flow_control(settings)
    lines += _trimming(settings)
    by_group = markings_by_group(settings)
    for group in settings.groups:
        lines += _pfc(settings, group) if group.pause else []
        marking = by_group[group.name]
        for port in group.ports:
            if marking.marked:
                profile = f"{_MARKING}{marking.suffix}"
                lines.append(f"nv set interface {names[port]} qos congestion-control profile {profile}")
            if group.pause:
                lines.append(f"nv set interface {names[port]} qos pfc profile {_profile(group)}")
                lines.append(f"nv set interface {names[port]} qos pfc-watchdog state enable")
            lines += _eligible(settings, names[port])
    return Export.of_lines([*lines, "nv config apply"], _notes(settings), "#")


def _congestion_control(marking: Marking) -> list[str]:
    lines = []
    for one, planned in marking.marked:
        ecn = from_one_byte(planned)
        base = f"nv set qos congestion-control {_MARKING}{marking.suffix} traffic-class {one.priority}"
        lines += [
            f"{base} ecn enable",
            f"{base} red disable",
            f"{base} min-threshold {ecn.minimum_bytes}",
            f"{base} max-threshold {ecn.maximum_bytes}",
            f"{base} probability {percent(ecn.probability)}",
        ]
    return lines


def _trimming(settings: Settings) -> list[str]:
    trimming = settings.trimming
    if trimming is None:
        return []
    base = "nv set system forwarding packet-trim"
    return [
        f"{base} state enabled",
        f"{base} remark dscp {dscp_of_headers(settings, trimming)}",
        f"{base} size {spectrum_bytes(trimming)}",
        f"{base} switch-priority {trimming.priority}",
    ]


def _eligible(settings: Settings, port: str) -> list[str]:
    """Traffic classes whose packets are trimmed there."""
    classes = settings.trimming.classes if settings.trimming else ()
    return [f"nv set interface {port} packet-trim egress-eligibility traffic-class {one}" for one in classes]


def _flow_control(settings: Settings) -> list[str]:
    """Returns commands for memory of lossless classes, which have none by default, and for the watchdog's times."""
    if not _pauses(settings):
        return []
    lossless = _lossless_percent(settings)
    lines = [
        f"nv set qos traffic-pool default-lossless memory-percent {lossless}",
        f"nv set qos traffic-pool default-lossy memory-percent {100 - lossless}",
    ]
    if settings.watchdog:
        interval = _polling_ms(settings.watchdog)
        lines += [
            f"nv set qos pfc-watchdog polling-interval {interval}",
            f"nv set qos pfc-watchdog robustness {settings.watchdog.detection_ms // interval}",
        ]
    return lines


def _pauses(settings: Settings) -> bool:
    return any(group.pause for group in settings.groups)


def _lossless_percent(settings: Settings) -> int:
    """Returns the memory of lossless classes in percent, rounded up; at most 99, since control traffic needs some."""
    pools = settings.pools
    lossless = (pools.lossless_bytes + pools.headroom_bytes) * pools.mmus + reserved(settings, lossless=True)
    lossy = pools.lossy_bytes * pools.mmus + reserved(settings, lossless=False)
    return min(99, ceil(100 * lossless / (lossless + lossy)))


def _polling_ms(watchdog: Watchdog) -> int:
    """Several such intervals are the time of detection, and one that of restoration.

    Where these do not go together, detection is one interval.
    """
    detection, restoration = watchdog.detection_ms, watchdog.restoration_ms
    return detection if detection % restoration else restoration


def _profile(group: PortGroup) -> str:
    return f"xoff-{identifier(group.name)}"


def _pfc(settings: Settings, group: PortGroup) -> list[str]:
    base = f"nv set qos pfc {_profile(group)}"
    priorities = ",".join(str(one.priority) for one in settings.classes if one.lossless)
    pause = group.pause
    assert pause is not None, "a plan with a lossless class has pauses"
    sizes = [f"{base} cable-length {min(cable_m(group), _LONGEST_CABLE_M)}"]
    if pause.xoff_bytes is not None:
        sizes = [
            f"{base} port-buffer {pause.xoff_bytes + pause.headroom_bytes}",
            f"{base} xoff-threshold {pause.xoff_bytes}",
            f"{base} xon-threshold {pause.xon_bytes or 1}",
        ]
    return [
        f"{base} switch-priority {priorities}",
        *sizes,
        f"{base} rx enable",
        f"{base} tx enable",
    ]


def _notes(settings: Settings) -> list[str]:
    notes = rounding_notes(settings, powers=None)
    notes += from_one_byte_notes(settings, "Cumulus Linux")
    if not (settings.chip or "").startswith(_CHIPS):
        runs_on = "Cumulus Linux 5, whose commands these are, runs on NVIDIA Spectrum alone"
        notes.append(
            f"{runs_on}, and the {settings.source} {f'is of {settings.chip}' if settings.chip else 'names no chip'}"
        )
    notes += feedback_notes(settings)
    notes += pool_notes(settings, "no command for it is known")
    for group in settings.groups:
        notes += _pause_notes(settings, group)
    if _lengths_are_written(settings):
        notes += cable_notes(settings)
    notes.append("alphas and reserves are left out: the form of advance-buffer-config is not confirmed")
    if _pauses(settings):
        notes.append(
            "sizes of pools are whole percents of memory (traffic-pool), headroom and reserves with the pool of their "
            "classes, the lossless one rounded up and the lossy one at least 1"
        )
    if settings.shares_headroom:
        notes.append(f"headroom shared by {settings.headroom_scheme} is left out")
    notes += _watchdog_notes(settings)
    notes += share_notes(settings)
    notes += _trimming_notes(settings)
    notes.append(
        "DSCPs of no class keep the priority that Cumulus Linux gives them, their highest three bits, even that of a "
        "lossless class"
    )
    return [*notes, *_NAMES.notes(settings)]


def _pause_notes(settings: Settings, group: PortGroup) -> list[str]:
    pause = group.pause
    if pause is None:
        return []
    if pause.xoff_bytes is not None:
        least = f"{group.name}: senders resume at 1 B, the least of Cumulus Linux, and not at 0 B"
        return [] if pause.xon_bytes else [least]
    notes = [
        f"{group.name}: headroom is computed by the switch from the cable's length; "
        f"the {settings.source} has {pause.headroom_bytes} B for each class"
    ]
    if cable_m(group) > _LONGEST_CABLE_M:
        notes.append(
            f"{group.name}: a cable of {cable_m(group):,} m is written as {_LONGEST_CABLE_M:,} m, the most of "
            "Cumulus Linux: headroom will be too small"
        )
    return notes


def _trimming_notes(settings: Settings) -> list[str]:
    trimming = settings.trimming
    if trimming is None:
        return []
    notes = [*written_notes(settings), "packets are trimmed by Spectrum-4 and later, from Cumulus Linux 5.14 on"]
    written = spectrum_bytes(trimming)
    if written != trimming.size_bytes:
        notes.append(f"headers of {trimming.size_bytes} B are written as {written} B, the nearest that Spectrum has")
    return notes


def _lengths_are_written(settings: Settings) -> bool:
    return any(group.pause and group.pause.xoff_bytes is None for group in settings.groups)


def _watchdog_notes(settings: Settings) -> list[str]:
    if not _pauses(settings):
        return []
    if settings.watchdog is None:
        return [
            f"times of the PFC watchdog are none of the {settings.source}'s: "
            "Cumulus Linux's own are 3 intervals of 100 ms"
        ]
    planned, interval = settings.watchdog, _polling_ms(settings.watchdog)
    notes = dropping_notes(planned, "Cumulus Linux's has no other way")
    if interval != planned.restoration_ms:
        notes.append(
            f"the PFC watchdog restores a queue after a polling interval without pauses, {interval} ms, and not after "
            f"{planned.restoration_ms} ms as planned"
        )
    return notes
