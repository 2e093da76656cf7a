"""Settings of hosts: a shell script for NVIDIA adapters (RoCE) or for Linux's TCP."""

from __future__ import annotations

from math import ceil, log2
from typing import TYPE_CHECKING

from xoff.switches.export.export import Export, cable_m, cable_notes

if TYPE_CHECKING:
    from xoff.switches.plan.settings import HostSettings, Settings, TrafficClass

_MOST_SHIFT = 10
"""DCTCP's alpha has ten bits in Linux, which refuses more (net/ipv4/tcp_dctcp.c)."""
_LONGEST_CABLE_M = 65_535
"""Largest cable_len of mlnx_qos (Mellanox/mlnx-tools)."""
_HEAD = ["#!/bin/sh", "set -eu"]
_DEVICE = 'device="${1:?the name of the network device}"'


def host(settings: Settings) -> Export:
    """Returns a script for hosts; for an adapter it takes the name of the network device."""
    hosts = settings.hosts
    assert hosts is not None, "a plan without congestion control is refused before"
    if hosts.congestion_control == "dcqcn":
        lines, notes = _dcqcn(settings, hosts)
    elif hosts.congestion_control in ("dctcp", "ecn_star"):
        lines, notes = _tcp(settings, hosts)
    else:
        lines, notes = [], [f"{hosts.congestion_control} is set in adapters by no form that is known here"]
    return Export.of_lines([*_HEAD, *lines], notes, "#")


def _dcqcn(settings: Settings, hosts: HostSettings) -> tuple[list[str], list[str]]:
    lossless = [one for one in settings.classes if one.lossless]
    paused = {one.priority for one in lossless}
    pfc = ",".join(str(int(priority in paused)) for priority in range(8))
    cables = {cable_m(group) for group in settings.groups}
    longest = min(max(cables), _LONGEST_CABLE_M)
    # Adapters take the highest three bits of a DSCP for its priority.
    mapped = [one for one in settings.classes if one.lossless or one.dscp // 8 != one.priority]
    lines = [
        _DEVICE,
        f'mlnx_qos -i "$device" --trust dscp --pfc {pfc} --cable_len {longest}',
        *(f'mlnx_qos -i "$device" --dscp2prio set,{one.dscp},{one.priority}' for one in mapped),
        *(_marking(hosts.dscp) if len(lossless) < 2 else []),
    ]
    base = "/sys/class/net/$device/ecn"
    if hosts.cnp_dscp is not None:
        lines.append(f'echo {hosts.cnp_dscp} > "{base}/roce_np/cnp_dscp"')
    if hosts.cnp_interval_ns is not None:
        lines.append(f'echo {ceil(hosts.cnp_interval_ns / 1000)} > "{base}/roce_np/min_time_between_cnps"')
    if hosts.gain is not None:
        lines.append(f'echo {_kept_of_1024(hosts.gain)} > "{base}/roce_rp/dce_tcp_g"')
    increases = {
        "rpg_ai_rate": hosts.additive_increase_mbps,
        "rpg_hai_rate": hosts.hyper_increase_mbps,
        "rpg_time_reset": hosts.timer_us,
    }
    values = {**increases, **hosts.parameters}
    lines += [f'echo {value} > "{base}/roce_rp/{name}"' for name, value in values.items() if value is not None]
    left = ", ".join(name for name, value in increases.items() if value is None)
    notes = ["`dcb pfc`, `dcb app` and `dcb buffer` of iproute2 are the form of other vendors"]
    notes.append(_who_marks(lossless, hosts.dscp))
    if left:
        notes.append(f"{left}: left at the firmware's defaults, which are not the paper's")
    notes += cable_notes(settings)
    if len(cables) > 1:
        notes.append(
            f"--cable_len is the longest of the {settings.source}, {longest} m; hosts on shorter cables put theirs"
        )
    if max(cables) > longest:
        notes.append(f"--cable_len {max(cables):,} m is written as {longest:,} m, the most of mlnx_qos")
    if hosts.gain is not None and _kept_of_1024(hosts.gain) != 1024 * (1 - hosts.gain):
        notes.append(f"gain {hosts.gain:g} is written as {1024 - _kept_of_1024(hosts.gain)}/1024")
    notes += _interval_notes(hosts.cnp_interval_ns)
    return lines, [*notes, *hosts.notes]


def _interval_notes(interval_ns: int | None) -> list[str]:
    if interval_ns is None:
        left = "left at the firmware's default, though every marked packet is to be answered"
        return [f"min_time_between_cnps: {left} (cnp_interval 0)"]
    if interval_ns % 1000:
        return [f"cnp_interval {interval_ns / 1000:g} us is written as {ceil(interval_ns / 1000)} us"]
    return []


def _marking(dscp: int) -> list[str]:
    """Returns commands that set the ToS of RoCE packets: their DSCP, and ECT(0), which makes them ECN-capable."""
    tos = dscp << 2 | 2
    return [
        'roce="$(ls "/sys/class/net/$device/device/infiniband")"',
        f'cma_roce_tos -d "$roce" -t {tos}',
        f'echo {tos} > "/sys/class/infiniband/$roce/tc/1/traffic_class"',
    ]


def _who_marks(lossless: list[TrafficClass], dscp: int) -> str:
    if len(lossless) < 2:
        return f"all RoCE of the adapter gets DSCP {dscp}, whatever applications ask for (tc/1/traffic_class)"
    each = ", ".join(f"{one.dscp} for {one.name}" for one in lossless)
    return f"applications mark their RoCE packets with DSCPs, of which an adapter sets one for all: {each}"


def _kept_of_1024(gain: float) -> int:
    """Returns g as adapters take it: the share of the old average that is kept, in 1024ths, below 1024."""
    return min(round(1024 * (1 - gain)), 1023)


def _tcp(settings: Settings, hosts: HostSettings) -> tuple[list[str], list[str]]:
    control = "dctcp" if hosts.congestion_control == "dctcp" else "reno"
    lines = [
        f"sysctl -w net.ipv4.tcp_congestion_control={control}",
        "sysctl -w net.ipv4.tcp_ecn=1",
        "sysctl -w net.ipv4.tcp_ecn_fallback=0",
    ]
    notes = []
    if control == "reno":
        notes.append("ECN* is written as Reno with ECN (RFC 3168), which halves once a window as it does")
    if hosts.gain is not None:
        shift = min(round(-log2(hosts.gain)), _MOST_SHIFT)
        lines.append(f"echo {shift} > /sys/module/tcp_dctcp/parameters/dctcp_shift_g")
        if 2.0**-shift != hosts.gain:
            finest = ", the least that Linux takes" if shift == _MOST_SHIFT else ""
            notes.append(f"gain {hosts.gain:g} is written as 1/{2**shift}, a power of two{finest}")
    marked = next((one.ecn for one in settings.classes if one.priority == hosts.priority and one.ecn), None)
    if marked:
        lines.append(_queue(marked.minimum_bytes, settings.mtu_bytes))
        notes.append("the line of tc makes a Linux box mark as the switch would, for a laboratory; it is untested")
    slower = [group.name for group in settings.groups if hosts.priority in dict(group.ecn)]
    if slower:
        notes.append(f"marks are those of the fastest ports; {', '.join(slower)} have others")
    notes.append(f"applications mark their packets with DSCP {hosts.dscp}")
    return lines, notes


def _queue(threshold: int, mtu: int) -> str:
    """Returns a command, commented out, for a queue that marks all packets above a threshold.

    `tc` takes only thresholds of more than one average packet, which is smaller than the MTU then.
    """
    least = max(2, threshold)
    packet = min(mtu, least // 2)
    most = least + packet
    burst = ceil((2 * least + most) / (3 * packet))
    return (
        f"# tc qdisc add dev DEVICE root red limit {max(1_000_000, 2 * most)} min {least} max {most} "
        f"avpkt {packet} burst {burst} probability 1 ecn"
    )
