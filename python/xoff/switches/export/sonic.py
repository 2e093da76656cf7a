"""SONiC's config_db.json, by the tables that `xoff lint` reads."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Literal

from xoff.switches.export.export import (
    Export,
    PortNames,
    cable_m,
    cable_notes,
    feedback_notes,
    markings_by_group,
    marks,
    percent,
    pool_notes,
    ranges,
    reserved,
    resuming_notes,
    rounding_notes,
)
from xoff.switches.export.trimming import SPECTRUM_BYTES, dscp_of_headers, written_notes
from xoff.switches.plan.classes import exponent
from xoff.switches.plan.file import identifier
from xoff.switches.plan.settings import Watchdog
from xoff.switches.sonic import ConfigDb
from xoff.switches.sonic.config_db import (
    DETECTION_MS,
    RESTORATION_MS,
    BufferPg,
    BufferPool,
    BufferProfile,
    BufferQueue,
    DeviceMetadata,
    PfcWatchdog,
    Port,
    PortQosMap,
    Queue,
    Scheduler,
    SwitchTrimming,
    WredProfile,
)

if TYPE_CHECKING:
    from xoff.switches.plan.settings import Ecn, PortGroup, Settings, TrafficClass

_MAP = "AZURE"
_PAUSED = "ingress_lossless_pool"
_INGRESS = "ingress_lossy_pool"
_LOSSLESS = "egress_lossless_pool"
_LOSSY = "egress_lossy_pool"
_WATCHDOG = Watchdog("drop", 200, 200)
"""Watchdog that is written where the plan has none."""
_POLL_MS = 200
"""The watchdog looks as often as this, or as it must."""
_MTUS = range(68, 9216 + 1)
"""MTUs of PORT in bytes, without the Ethernet header, which orchagent adds (PortsOrch::setPortMtu)."""
_DEFAULT_MTU = 9100
_LARGEST_WEIGHT = 100
_LONGEST_WRED_NAME = 32
"""Characters (sonic-wred-profile.yang)."""
_LIKE = "Ethernet0, Ethernet4 and on, by their first lane (step of [[ports]])"
_NAMES = PortNames("SONiC", "Ethernet{}", 0, "Ethernet[0-9]+", _LIKE, by_lanes=True)


def sonic(settings: Settings) -> Export:
    """Returns SONiC's tables of buffers, marking and pauses."""
    return Export(config_db(settings).to_json(), tuple(_notes(settings)))


def config_db(settings: Settings) -> ConfigDb:
    """Returns the settings as rows of ConfigDB."""
    lossless = _lossless(settings)
    return ConfigDb(
        device_metadata={"localhost": DeviceMetadata(buffer_model="traditional")},
        port={port: Port(speed=group.rate_bps // 10**6, mtu=_mtu(settings)) for group, port in _ports(settings)},
        cable_length={_MAP: {port: cable_m(group) for group, port in _ports(settings)}},
        buffer_pool=_pools(settings),
        buffer_profile=_profiles(settings),
        buffer_pg=_priority_groups(settings),
        buffer_queue=_queues(settings),
        switch_trimming=_trimming(settings),
        dscp_to_tc_map={_MAP: {str(one.dscp): one.priority for one in settings.classes}},
        tc_to_queue_map={_MAP: {str(number): number for number in range(8)}},
        tc_to_priority_group_map={_MAP: {str(number): _group_of(settings, number) for number in range(8)}},
        map_pfc_priority_to_queue={_MAP: {str(number): number for number in range(8)}},
        wred_profile={name: _wred(ecn) for (_, ecn), name in _wred_names(settings).items()},
        scheduler={name: row for name, row in map(_scheduler, settings.classes) if row},
        queue=_marked_queues(settings),
        port_qos_map={port: _qos([one.priority for one in lossless]) for _, port in _ports(settings)},
        pfc_wd=_watchdog(settings) if lossless else {},
    )


def _ports(settings: Settings) -> list[tuple[PortGroup, str]]:
    names = _NAMES.of(settings)
    return [(group, names[port]) for group in settings.groups for port in group.ports]


def _mtu(settings: Settings) -> int | None:
    """For which headroom is; where nothing pauses, or nothing is said of ports, they may keep theirs."""
    said = settings.sets_mtu and _pauses(settings)
    return settings.mtu_bytes if said and settings.mtu_bytes in _MTUS else None


def _pauses(settings: Settings) -> bool:
    return bool(_lossless(settings))


def _lossless(settings: Settings) -> list[TrafficClass]:
    return [one for one in settings.classes if one.lossless]


def _pools(settings: Settings) -> dict[str, BufferPool]:
    pools = settings.pools
    paused = pools.lossless_bytes * pools.mmus + reserved(settings, lossless=True)
    lossy = pools.lossy_bytes * pools.mmus + reserved(settings, lossless=False)
    found = {}
    if paused:
        xoff = pools.headroom_bytes * pools.mmus if settings.shares_headroom else None
        found[_PAUSED] = BufferPool(type="ingress", mode="dynamic", size=paused, xoff=xoff)
        found[_LOSSLESS] = BufferPool(type="egress", mode="static", size=settings.memory_bytes)
    if lossy:
        found[_INGRESS] = BufferPool(type="ingress", mode="dynamic", size=lossy)
    if any(not one.lossless for one in settings.classes):
        found[_LOSSY] = BufferPool(type="egress", mode="dynamic", size=lossy or paused)
    return found


def _profiles(settings: Settings) -> dict[str, BufferProfile]:
    pools = _pools(settings)
    found = {}
    for one in settings.classes:
        if one.lossless:
            size = pools[_LOSSLESS].size
            found["egress_lossless_profile"] = BufferProfile(pool=_LOSSLESS, size=0, static_th=size)
            for group in settings.groups:
                found[_paused_name(settings, group, one)] = _paused(group, one)
        else:
            ingress = _INGRESS if _INGRESS in pools else _PAUSED
            found["ingress_lossy_profile"] = BufferProfile(pool=ingress, size=0, static_th=pools[ingress].size)
            found[f"egress_{one.name}_profile"] = _lossy(settings, one)
    return found


def _lossy(settings: Settings, one: TrafficClass) -> BufferProfile:
    trims = settings.trimming is not None and one.priority in settings.trimming.classes
    own = {"pool": _LOSSY, "size": one.reserved_bytes, "dynamic_th": exponent(one.alpha)}
    return BufferProfile.model_validate(own | ({"packet_discard_action": "trim"} if trims else {}))


def _trimming(settings: Settings) -> dict[Literal["GLOBAL"], SwitchTrimming]:
    trimming = settings.trimming
    if trimming is None:
        return {}
    dscp = dscp_of_headers(settings, trimming)
    return {"GLOBAL": SwitchTrimming(size=trimming.size_bytes, dscp_value=dscp, queue_index=trimming.priority)}


def _paused(group: PortGroup, one: TrafficClass) -> BufferProfile:
    pause = group.pause
    assert pause is not None, "a plan with a lossless class has pauses"
    fixed, alpha = pause.xoff_bytes, dict(pause.alphas).get(one.priority, one.alpha)
    return BufferProfile(
        pool=_PAUSED,
        size=one.reserved_bytes,
        xon=0,
        xoff=pause.headroom_bytes,
        xon_offset=pause.xon_offset_bytes,
        dynamic_th=exponent(alpha) if fixed is None else None,
        static_th=fixed,
    )


def _paused_name(settings: Settings, group: PortGroup, one: TrafficClass) -> str:
    """As the switch itself names them, with the group and the class where that is not enough to tell them apart."""
    name = _name_of_switch(group)
    alike = [other for other in settings.groups if _link(other) == _link(group)]
    if len({other.pause for other in alike}) > 1:
        name += f"_{identifier(group.name)}"
    kinds = {(other.alpha, other.reserved_bytes) for other in _lossless(settings)}
    return name if len(kinds) == 1 else f"{name}_{one.name}"


def _name_of_switch(group: PortGroup) -> str:
    megabits, metres = _link(group)
    return f"pg_lossless_{megabits}_{metres}m_profile"


def _link(group: PortGroup) -> tuple[int, int]:
    """Returns speed and cable length, after which the switch names a profile."""
    return group.rate_bps // 10**6, cable_m(group)


def _group_of(settings: Settings, priority: int) -> int:
    """Lossless classes have priority groups of their own; all others share one."""
    lossless = {one.priority for one in _lossless(settings)}
    if priority in lossless:
        return priority
    return next(number for number in range(8) if number not in lossless)


def _priority_groups(settings: Settings) -> dict[str, BufferPg]:
    found: dict[str, BufferPg] = {}
    for group, port in _ports(settings):
        named: dict[str, set[int]] = {}
        for one in settings.classes:
            name = _paused_name(settings, group, one) if one.lossless else "ingress_lossy_profile"
            named.setdefault(name, set()).add(_group_of(settings, one.priority))
        found |= {f"{port}|{part}": BufferPg(profile=name) for name, of in named.items() for part in ranges(of)}
    return found


def _queues(settings: Settings) -> dict[str, BufferQueue]:
    named: dict[str, set[int]] = {}
    for one in settings.classes:
        name = "egress_lossless_profile" if one.lossless else f"egress_{one.name}_profile"
        named.setdefault(name, set()).add(one.priority)
    return {
        f"{port}|{part}": BufferQueue(profile=name)
        for _, port in _ports(settings)
        for name, of in named.items()
        for part in ranges(of)
    }


def _marked_queues(settings: Settings) -> dict[str, Queue]:
    """Queues by what marks their packets and when they have their turn."""
    names, by_group = _wred_names(settings), markings_by_group(settings)
    return {
        f"{port}|{one.priority}": Queue(
            wred_profile=names[one.name, one.ecn] if one.ecn else None, scheduler=_scheduler(one)[0] or None
        )
        for group, port in _ports(settings)
        for one in by_group[group.name].classes
        if one.ecn or _scheduler(one)[0]
    }


def _wred_names(settings: Settings) -> dict[tuple[str, Ecn], str]:
    """Returns the WRED profile's name for each class's marks; it names the ports where other ports mark otherwise.

    If that is too long for SONiC, the class's priority stands for its name, which begins with a letter.
    """
    priorities = {one.name: one.priority for one in settings.classes}
    found = {}
    for (name, ecn), marking in marks(settings).items():
        suffix = marking.suffix.replace("-", "_")
        fits = len(name) + len(suffix) <= _LONGEST_WRED_NAME
        found[name, ecn] = f"{name if fits else priorities[name]}{suffix}".upper()
    return found


def _wred(ecn: Ecn) -> WredProfile:
    colours = {
        f"{colour}_{field}": value
        for colour in ("green", "yellow", "red")
        for field, value in (
            ("min_threshold", ecn.minimum_bytes),
            ("max_threshold", ecn.maximum_bytes),
            ("drop_probability", percent(ecn.probability)),
        )
    }
    switches = {f"wred_{colour}_enable": not ecn.marks_only for colour in ("green", "yellow", "red")}
    return WredProfile.model_validate({"ecn": "ecn_all", **switches, **colours})


def _scheduler(one: TrafficClass) -> tuple[str, Scheduler | None]:
    """Returns the name and the row of a class's scheduler; an empty name and none without a share of the link."""
    if one.strict:
        return "strict", Scheduler(type="STRICT")
    if one.weight is None:
        return "", None
    weight = min(one.weight, _LARGEST_WEIGHT)
    return f"weight_{weight}", Scheduler(type="DWRR", weight=weight)


def _qos(lossless: list[int]) -> PortQosMap:
    priorities = tuple(sorted(lossless)) or None
    return PortQosMap(
        dscp_to_tc_map=_MAP,
        tc_to_queue_map=_MAP,
        tc_to_pg_map=_MAP,
        pfc_to_queue_map=_MAP,
        pfc_enable=priorities,
        pfcwd_sw_enable=priorities,
    )


def _watchdog(settings: Settings) -> dict[str, PfcWatchdog]:
    action, detection, restoration = astuple(_of_sonic(settings.watchdog or _WATCHDOG))
    own = PfcWatchdog.model_validate({"action": action, "detection_time": detection, "restoration_time": restoration})
    poll = PfcWatchdog(POLL_INTERVAL=min(_POLL_MS, detection, restoration))
    return {"GLOBAL": poll, **{port: own for _, port in _ports(settings)}}


def _of_sonic(planned: Watchdog) -> Watchdog:
    """Returns the watchdog with times that SONiC takes."""
    detection = _within(DETECTION_MS, planned.detection_ms)
    return Watchdog(planned.action, detection, _within(RESTORATION_MS, planned.restoration_ms))


def _within(bounds: tuple[int, int], value: int) -> int:
    least, most = bounds
    return min(max(value, least), most)


def _watchdog_notes(settings: Settings) -> list[str]:
    planned = settings.watchdog
    if planned is None:
        its = f"{settings.source}'s"
        return [f"times of the PFC watchdog are none of the {its}: {_WATCHDOG.detection_ms} ms each"]
    written = _of_sonic(planned)
    if written == planned:
        return []
    exact, others = ((one.detection_ms, one.restoration_ms) for one in (planned, written))
    return [
        f"times of the PFC watchdog, {exact[0]} and {exact[1]} ms, are written as {others[0]} and {others[1]} ms: "
        f"SONiC detects in {DETECTION_MS[0]} to {DETECTION_MS[1]} ms, "
        f"and restores in {RESTORATION_MS[0]} to {RESTORATION_MS[1]}"
    ]


def _notes(settings: Settings) -> list[str]:
    notes = rounding_notes(settings)
    notes += feedback_notes(settings)
    notes += pool_notes(
        settings,
        "SAI has an attribute for it (SAI_BUFFER_POOL_ATTR_WRED_PROFILE_ID), SONiC's tables and its orchagent have not",
    )
    if settings.pools.mmus > 1:
        notes.append(
            f"sizes of pools are those of all {settings.pools.mmus} MMUs together; each has an equal part, "
            "for which the MMU with most headroom has room"
        )
    if settings.headroom_scheme == "dsh":
        notes.append(
            "DSH keeps headroom for each port and shares the rest, which SONiC has not; written is its shared headroom "
            f"pool of {settings.pools.headroom_bytes * settings.pools.mmus} B, which guarantees no port its part"
        )
    if _pauses(settings):
        notes.append(_size_note(settings))
    notes += cable_notes(settings)
    notes += _name_notes(settings)
    notes += resuming_notes(settings)
    if _pauses(settings):
        notes += _watchdog_notes(settings)
    notes.append(
        f"DSCP_TO_TC_MAP has DSCPs of the {settings.source}'s classes alone: others have no traffic class by it, "
        f"and merged into a switch's own {_MAP} they keep the one they have there, even that of a lossless class"
    )
    notes += _NAMES.notes(settings)
    notes += _mtu_notes(settings)
    notes.append(
        f"PORT has {'speeds alone' if _mtu(settings) is None else 'speeds and mtu alone'}, and SONiC's models ask for "
        "lanes: load this over the switch's own rows of PORT"
    )
    return notes + _scheduler_notes(settings) + _trimming_notes(settings)


def _scheduler_notes(settings: Settings) -> list[str]:
    if not any(_scheduler(one)[0] for one in settings.classes):
        return [f"schedulers are left out: the {settings.source} says nothing of shares of the link"]
    if any((one.weight or 0) > _LARGEST_WEIGHT for one in settings.classes):
        return [f"weights above {_LARGEST_WEIGHT} are written as that, the most of SONiC"]
    return []


def _trimming_notes(settings: Settings) -> list[str]:
    if settings.trimming is None:
        return []
    least, most, step = SPECTRUM_BYTES.start, SPECTRUM_BYTES[-1], SPECTRUM_BYTES.step
    return [
        *written_notes(settings),
        f"SWITCH_TRIMMING has size and queue of the {settings.source}, which a chip may refuse: Broadcom's SAI takes "
        f"206 B and queue 7 alone, and Spectrum has {least} to {most} B in steps of {step}",
    ]


def _size_note(settings: Settings) -> str:
    where = "xoff of that pool" if settings.shares_headroom else "xoff of its profiles"
    headroom = settings.pools.headroom_bytes * settings.pools.mmus
    return (
        f"size of {_PAUSED} is what classes share and their reserves, headroom comes on top ({where}): on chips whose "
        f"size of a pool holds xoff, too, {headroom:,} B more are to be added to it, or less is shared"
    )


def _name_notes(settings: Settings) -> list[str]:
    """Says that the switch may replace profiles whose names are not as it makes them."""
    for group in settings.groups:
        for one in _lossless(settings):
            own, made = _paused_name(settings, group, one), _name_of_switch(group)
            if own != made:
                return [
                    f"a switch whose pg_profile_lookup.ini has a row for the speed and cable of {group.name} puts "
                    f"{made} in the place of {own} (sonic-swss, cfgmgr/buffermgr.cpp): take that row out there"
                ]
    return []


def _mtu_notes(settings: Settings) -> list[str]:
    if not _pauses(settings):
        return []
    mtu = f"{settings.mtu_bytes:,} B without the Ethernet header"
    if not settings.sets_mtu:
        return [f"mtu of PORT is left out: the scenario's headroom is for packets of {mtu}, and larger ones need more"]
    if _mtu(settings) is None:
        return [
            f"mtu of PORT is left out, which is {_MTUS[0]} to {_MTUS[-1]}: headroom holds only for packets of {mtu}"
        ]
    more = f": ports that keep SONiC's {_DEFAULT_MTU} need more" if settings.mtu_bytes < _DEFAULT_MTU else ""
    return [f"mtu of PORT is the plan's, {mtu}, for which headroom is{more}"]
