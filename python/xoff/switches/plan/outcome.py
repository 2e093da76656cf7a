"""From a plan to its rows and to the settings that exporters and simulations start from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.switches.plan import bcc, by_rate, chip, dcqcn, dctcp, dsh, headroom, hpcc, mmus, pools, qcn, ramps
from xoff.switches.plan.classes import alpha_of
from xoff.switches.plan.file import Bcc, Dcqcn, Dctcp, Hpcc, Qcn, load
from xoff.switches.plan.resuming import check_xon_offset, xon_offset_bytes
from xoff.switches.plan.rows import Verdict, with_printed
from xoff.switches.plan.settings import (
    Ecn,
    HostSettings,
    Pause,
    Pools,
    PortGroup,
    Settings,
    TrafficClass,
    Watchdog,
)
from xoff.switches.plan.switch import Switch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from xoff.switches.plan.file import Class, Plan
    from xoff.switches.plan.rows import Row
    from xoff.switches.plan.switch import Group

_MOST_DSCP = 63


@dataclass(frozen=True)
class Outcome:
    """Results of a plan: its rows, and the settings of the switch."""

    plan: Plan
    sections: dict[str, list[Row]]
    """Rows by what they are about."""
    settings: Settings

    @property
    def rows(self) -> list[Row]:
        """All rows."""
        return [row for rows in self.sections.values() for row in rows]

    @property
    def failed(self) -> list[Row]:
        """Rows whose check does not hold."""
        return [row for row in self.rows if row.verdict is Verdict.FAILS]


def compute(path: str | Path, changes: Sequence[str] = ()) -> Outcome:
    """Reads a plan file, changed (`KEY=VALUE`), and computes it. Raises PlanError: a line with file, key and remedy."""
    return outcome(load(path, changes), str(path))


def outcome(plan: Plan, file: str | None = None) -> Outcome:
    """Computes a plan. Raises PlanError."""
    switch = Switch.of(plan, file)
    try:
        by_rate.check(switch)
        ramps.check(switch)
        sections = _sections(switch)
        _check_printed(plan, sections)
        sections = {name: with_printed(rows, plan.printed) for name, rows in sections.items()}
        settings = _settings(switch)
        check_xon_offset(plan, settings)
    except PlanError as error:
        raise error.in_file(file) from None
    return Outcome(plan, sections, settings)


def of_mmu(found: Outcome, part: Switch) -> Outcome:
    """Returns the plan of one MMU by itself, with pools of the size that all MMUs of the chip get."""
    settings, pools_of_all = _settings(part), found.settings.pools
    lossless, lossy = pools_of_all.lossless_bytes, pools_of_all.lossy_bytes
    aside = headroom.set_aside(part)
    memory = aside + part.reserved_bytes + lossless + lossy
    own_pools = replace(settings.pools, lossless_bytes=lossless, lossy_bytes=lossy)
    return replace(found, plan=part.plan, settings=replace(settings, memory_bytes=memory, pools=own_pools))


def _check_printed(plan: Plan, sections: dict[str, list[Row]]) -> None:
    keys = [row.key for rows in sections.values() for row in rows]
    for key in plan.printed:
        if key not in keys:
            near = get_close_matches(key, keys, 3)
            expected = f"expected a key of `xoff plan --json`{', such as ' + ', '.join(near) if near else ''}"
            raise PlanError(None, f"printed.{key}", "is no row of this plan", expected)


def _sections(switch: Switch) -> dict[str, list[Row]]:
    congestion = switch.plan.congestion
    sections = {
        "Chip": chip.rows(switch),
        "Headroom": headroom.rows(switch),
        "MMUs": mmus.rows(switch),
        "SIH and DSH": dsh.rows(switch),
    }
    match congestion:
        case None:
            pass
        case Bcc():
            sections["BCC"] = bcc.rows(switch, congestion)
        case Dcqcn():
            sections["DCQCN"] = dcqcn.rows(switch, congestion)
        case Dctcp():
            sections["DCTCP"] = dctcp.rows(switch, congestion)
        case Hpcc():
            sections["HPCC and PowerTCP"] = hpcc.rows(switch, congestion)
        case Qcn():
            sections["QCN"] = qcn.rows(switch, congestion)
    return {name: rows for name, rows in sections.items() if rows}


def _settings(switch: Switch) -> Settings:
    plan = switch.plan
    return Settings(
        title=plan.title,
        chip=plan.chip,
        memory_bytes=switch.memory_bytes,
        cell_bytes=switch.cell_bytes,
        mtu_bytes=plan.mtu,
        headroom_scheme=plan.headroom.scheme.value if switch.lossless else None,
        groups=tuple(_group(switch, group) for group in switch.groups),
        classes=tuple(_class(switch, one, priority) for one in plan.classes for priority in one.priorities),
        pools=_pools(switch),
        hosts=_hosts(switch),
        watchdog=_watchdog(plan),
    )


def _watchdog(plan: Plan) -> Watchdog | None:
    if plan.watchdog is None:
        return None
    detection = plan.watchdog.detection_time
    restoration = plan.watchdog.restoration_time or 2 * detection
    return Watchdog(plan.watchdog.action, *(-(-time // 10**9) for time in (detection, restoration)))


def _group(switch: Switch, group: Group) -> PortGroup:
    pause = _pause(switch, group) if switch.lossless else None
    cable = float(group.cable_m)
    ecn = tuple(_differing_ecn(switch, group.rate_bps))
    return PortGroup(group.name, group.ports, group.rate_bps, group.delay_ps, cable, pause, group.step, ecn)


def _differing_ecn(switch: Switch, rate_bps: int) -> Iterator[tuple[int, Ecn | None]]:
    """Yields the priorities that ports of a rate mark otherwise than the fastest ports do, with the marking there."""
    for one in switch.plan.classes:
        ecn = _queue_ecn(switch, one, rate_bps)
        if ecn != _queue_ecn(switch, one, switch.fastest_bps):
            yield from ((priority, ecn) for priority in one.priorities)


def _pause(switch: Switch, group: Group) -> Pause:
    congestion = switch.plan.congestion
    if isinstance(congestion, Qcn):
        return Pause(congestion.buffer - congestion.stop, congestion.stop, congestion.stop - congestion.go)
    return Pause(headroom.chosen_bytes(switch, group), None, xon_offset_bytes(switch.plan))


def _class(switch: Switch, one: Class, priority: int) -> TrafficClass:
    name, dscp, alpha = one.names[priority], one.dscp_of(priority), float(alpha_of(one, switch))
    ecn = _queue_ecn(switch, one, switch.fastest_bps)
    return TrafficClass(name, priority, dscp, one.lossless, alpha, one.reserved, ecn)


def _queue_ecn(switch: Switch, one: Class, rate_bps: int) -> Ecn | None:
    """Returns the ECN marking of a class's queues at ports of a rate."""
    match switch.plan.congestion:
        case Dcqcn() as own if one.lossless:
            return ramps.ramp(switch, own, rate_bps)
        case Bcc() as own if not one.lossless:
            threshold = bcc.port_threshold(switch, own, rate_bps).size_bytes
            return Ecn(threshold, threshold, 1.0)
        case Dctcp() as own if not one.lossless:
            threshold = dctcp.threshold_at(switch, own, rate_bps).size_bytes
            return Ecn(threshold, threshold, 1.0)
    return None


def _pools(switch: Switch) -> Pools:
    lossless, lossy = pools.of(switch)
    ecn = None
    if isinstance(switch.plan.congestion, Bcc):
        own = switch.plan.congestion
        found = bcc.thresholds(switch, own)
        lossy = min(lossy, bcc.shared_bytes(switch, own))
        ecn = Ecn(found.minimum, found.maximum, own.probability)
    aside = headroom.set_aside(pools.fullest(switch))
    return Pools(switch.mmus, switch.ports_per_mmu, lossless, lossy, aside, ecn)


def _hosts(switch: Switch) -> HostSettings | None:
    congestion = switch.plan.congestion
    if congestion is None:
        return None
    lossless = not isinstance(congestion, Bcc | Dctcp)
    fitting = [one for one in switch.plan.classes if one.lossless == lossless]
    one = (fitting or switch.plan.classes)[0]
    priority = one.priorities[0]
    dscp = one.dscp_of(priority)
    match congestion:
        case Dcqcn():
            of_cnps = next((c for c in switch.plan.classes if congestion.cnp_priority in c.priorities), None)
            of_own = of_cnps.dscp_of(congestion.cnp_priority) if of_cnps else 8 * congestion.cnp_priority
            cnp_dscp, interval = min(of_own, _MOST_DSCP), congestion.cnp_interval // 1000
            own = float(congestion.gain)
            increases = (congestion.additive_increase, congestion.hyper_increase, congestion.timer)
            in_millions = (None if one is None else -(-one // 10**6) for one in increases)  # Mb/s, Mb/s, us
            return HostSettings("dcqcn", priority, dscp, own, interval, cnp_dscp, congestion.cnp_priority, *in_millions)
        case Bcc():
            gain = float(congestion.gain) if congestion.congestion_control == "dctcp" else None
            return HostSettings(congestion.congestion_control, priority, dscp, gain, None, None)
        case Dctcp():
            return HostSettings("dctcp", priority, dscp, float(congestion.gain), None, None)
        case Hpcc():
            return HostSettings(congestion.congestion_control, priority, dscp, None, None, None)
    return HostSettings("qcn", priority, dscp, None, None, None)
