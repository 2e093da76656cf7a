"""PFC headroom of one lossless class of one port, by every method in use."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from xoff import _xoff
from xoff.errors import PlanError
from xoff.switches.headroom import QUANTUM_BYTES, SONIC_CABLE_M_PER_S
from xoff.switches.plan.file import Method, Qcn, Scheme
from xoff.switches.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from collections.abc import Callable

    from xoff.switches.plan.switch import Group, Switch

PUBLISHED_QUANTA = 60
OF_PUBLISHED_REACTION = {Method.PUBLISHED, Method.WIRE, Method.REVERIE, Method.HPCC}
"""Methods that take senders to react within that."""
LONGEST_PAUSE_QUANTA = 65_535
ETHERNET_BYTES = 38
"""Ethernet header and check sequence, preamble and gap, around a packet of the MTU."""

_SONIC_MAC_AND_PHY = Fraction(8, 10) * 1024
_SMALL_PACKET_BYTES = 64
_DEFAULT_CELL_BYTES = 96

# IEEE 802.1Q's budget, in bits by Gb/s: a station's own interface, and what it may take to respond.
_INTERFACE_BITS = {10: 8192, 25: 6144, 40: 24_576, 100: 122_880}
_RESPONSE_BITS = {10: 30_720, 25: 40_960, 40: 60_416, 100: 201_728, 400: 463_360}
_ANNEX_FRAME_BITS = 9216 * 8 + 160
_ANNEX_PAUSE_BITS = 672
_ANNEX_PS_PER_METRE = 5000


class Budget(NamedTuple):
    """Headroom by one method."""

    size_bytes: int
    formula: str
    source: str


def published(switch: Switch, group: Group) -> Budget:
    """With the papers' 60 quanta."""
    mtu = switch.plan.mtu
    size = _xoff.headroom(group.rate_bps, group.delay_ps, mtu, PUBLISHED_QUANTA).published
    return Budget(size, f"2 (C D + L) + 3,840 = 2 ({number(group.on_the_cable)} + {mtu:,}) + 3,840", "DSH, equation 1")


def ieee(switch: Switch, group: Group) -> Budget:
    """With the reaction time that IEEE 802.3 allows at the rate."""
    mtu, quanta = switch.plan.mtu, _xoff.reaction_quanta(group.rate_bps)
    size = _xoff.headroom(group.rate_bps, group.delay_ps, mtu, quanta).published
    formula = f"2 (C D + L) + 64 x {quanta} = 2 ({number(group.on_the_cable)} + {mtu:,}) + {quanta * QUANTUM_BYTES:,}"
    return Budget(size, formula, "IEEE 802.3, 31B.3.7")


def wire(switch: Switch, group: Group) -> Budget:
    """With whole frames on the wire and the pause frame: the reading that gives DCQCN's 22.4 KB."""
    largest = switch.plan.mtu + ETHERNET_BYTES
    size = _xoff.headroom(group.rate_bps, group.delay_ps, largest, PUBLISHED_QUANTA).with_pause_frame
    formula = f"2 x {largest:,} + 84 + 3,840 + 2 C D = 2 x {largest:,} + 3,924 + 2 x {number(group.on_the_cable)}"
    return Budget(size, formula, "DCQCN, section 4")


def simulator(switch: Switch, group: Group) -> Budget:
    """Computes the headroom that a scenario sets aside by default under a dynamic threshold."""
    largest, quanta = switch.plan.mtu + ETHERNET_BYTES, _xoff.reaction_quanta(group.rate_bps)
    size = _xoff.headroom(group.rate_bps, group.delay_ps, largest, quanta).under_dynamic_threshold
    formula = f"3 x {largest:,} + 84 + 64 x {quanta} + 2 x {number(group.on_the_cable)}"
    return Budget(size, formula, "xoff, decision 14")


def sonic(switch: Switch, group: Group) -> Budget:
    """SONiC's dynamic model: cells that small packets do not fill, and lengths instead of delays."""
    own = switch.plan.headroom
    cell = own.cell or switch.cell_bytes or _DEFAULT_CELL_BYTES
    whose = "" if own.cell or switch.cell_bytes else f" (Spectrum's: {switch.plan.chip}'s are not known; set `cell`)"
    cable = Fraction(2 * group.rate_bps, 8 * SONIC_CABLE_M_PER_S) * group.cable_m
    response = _xoff.reaction_quanta(group.rate_bps) * QUANTUM_BYTES
    propagation = own.port_mtu + cable + _SONIC_MAC_AND_PHY + response
    worst = _worst_case(cell)
    mixed = own.small_packets * _SMALL_PACKET_BYTES + (100 - own.small_packets) * own.lossless_mtu
    small = Fraction(100 * _SMALL_PACKET_BYTES, mixed) if own.small_packets else Fraction(0)
    occupancy = 1 - small + small * worst
    size, most = (_whole_kib(own.lossless_mtu + propagation * factor) for factor in (occupancy, Fraction(worst)))
    if own.ratio is None and own.small_packets < 100 and size + 2048 < most:
        size += 2048
    formula = (
        f"{own.lossless_mtu:,} + {float(occupancy):.4g} ({own.port_mtu:,} + {number(cable)} + 819.2 + {response:,}), "
        f"whole KiB; cells of {cell} B{whose}, {own.small_packets} % small packets"
    )
    return Budget(size, formula, "SONiC, buffer_headroom_mellanox.lua")


def annex(switch: Switch, group: Group) -> Budget | None:
    """Returns the budget of IEEE 802.1Q as data-centre guides quote it, with the interface's delay at each end.

    None for rates that it does not give.
    """
    gbps = group.rate_bps // 10**9
    if gbps not in _INTERFACE_BITS or gbps not in _RESPONSE_BITS or group.rate_bps % 10**9:
        return None
    interface, response = _INTERFACE_BITS[gbps], _RESPONSE_BITS[gbps]
    cable = 2 * group.cable_m * _ANNEX_PS_PER_METRE * group.rate_bps / 10**12
    largest = (switch.plan.mtu + ETHERNET_BYTES) * 8
    bits = _ANNEX_FRAME_BITS + _ANNEX_PAUSE_BITS + 2 * interface + cable + response + largest
    formula = (
        f"({_ANNEX_FRAME_BITS:,} + {_ANNEX_PAUSE_BITS} + 2 x {interface:,} + {number(cable)} + {response:,} "
        f"+ {largest:,}) / 8"
    )
    return Budget(math.ceil(bits / 8), formula, "IEEE 802.1Q, annex, as quoted")


def reverie(switch: Switch, group: Group) -> Budget:
    """Reverie's simulator."""
    mtu = switch.plan.mtu
    size = 2 * (mtu + 48) + 3860 + 2 * group.on_the_cable
    formula = f"2 ({mtu:,} + 48) + 3,860 + 2 x {number(group.on_the_cable)}"
    return Budget(math.ceil(size), formula, "Reverie, ns3-datacenter")


def hpcc(_: Switch, group: Group) -> Budget:
    """HPCC's simulator."""
    return Budget(math.ceil(3 * group.on_the_cable), f"3 C D = 3 x {number(group.on_the_cable)}", "HPCC's simulator")


METHODS: dict[Method, Callable[[Switch, Group], Budget | None]] = {
    Method.PUBLISHED: published,
    Method.IEEE: ieee,
    Method.WIRE: wire,
    Method.SONIC: sonic,
    Method.ANNEX: annex,
    Method.REVERIE: reverie,
    Method.HPCC: hpcc,
    Method.SIMULATOR: simulator,
}


def chosen_bytes(switch: Switch, group: Group) -> int:
    """Returns the headroom in bytes that the plan sets aside for one class of one port of the group [Phi].

    Raises PlanError if its method says nothing of the port's rate.
    """
    own, congestion = switch.plan.headroom, switch.plan.congestion
    if isinstance(congestion, Qcn):
        return congestion.buffer - congestion.stop
    if own.size is not None:
        return own.size
    budget = METHODS[own.method](switch, group)
    if budget is None:
        problem = f"{own.method} says nothing of {group.rate_bps / 1e9:g} Gb/s"
        raise PlanError(None, "headroom.method", problem, "expected another method, such as ieee")
    return -(-budget.size_bytes // own.round_up) * own.round_up


def of_all_classes(switch: Switch) -> int:
    """Bytes for every lossless class of every port [N_p N_q Phi]."""
    return len(switch.lossless) * of_all_ports(switch)


def of_all_ports(switch: Switch) -> int:
    """Bytes for one class of every port [N_p Phi]."""
    return sum(group.count * chosen_bytes(switch, group) for group in switch.groups)


def spelled(switch: Switch, classes: int | None = None) -> str:
    """Spells out the sum of the headroom of one class of every port, or of `classes` classes, in numbers."""
    terms = " + ".join(f"{group.count} x {chosen_bytes(switch, group):,}" for group in switch.groups)
    if classes is None:
        return terms
    return f"{classes} x ({terms})" if len(switch.groups) > 1 else f"{classes} x {terms}"


def set_aside(switch: Switch) -> int:
    """Returns the bytes of headroom that the plan's scheme sets aside on the whole switch."""
    if not switch.lossless:
        return 0
    everything = of_all_classes(switch)
    match switch.plan.headroom.scheme:
        case Scheme.DSH:
            return of_all_ports(switch)
        case Scheme.OVERSUBSCRIBED:
            return int(everything * (switch.plan.headroom.ratio or 1))
    return everything


def rows(switch: Switch) -> list[Row]:
    """Returns rows for the headroom of each group of ports by every method, and for what the plan takes."""
    return [row for group in switch.groups for row in _of_group(switch, group)] if switch.lossless else []


def _of_group(switch: Switch, group: Group) -> list[Row]:
    prefix = f"headroom.{group.name}" if len(switch.groups) > 1 else "headroom"
    of = f" of {group.name}" if len(switch.groups) > 1 else ""
    found = []
    for method, formula in METHODS.items():
        budget = formula(switch, group)
        if budget is None:
            continue
        why = _remark(switch, group, budget.size_bytes) if method in OF_PUBLISHED_REACTION else ""
        found.append(Row(f"{prefix}.{method}", f"headroom{of}, {method}", budget.size_bytes, "B", *budget[1:], why=why))
    return [*found, _chosen(switch, group, prefix, of), *_pause(group, prefix, of)]


def _chosen(switch: Switch, group: Group, prefix: str, of: str) -> Row:
    own, size = switch.plan.headroom, chosen_bytes(switch, group)
    formula = f"the plan's method, {own.method}"
    if isinstance(switch.plan.congestion, Qcn):
        formula = "the plan's buffer, less stop"
    elif own.size is not None:
        formula = "the plan's size"
    elif own.round_up > 1:
        formula += f", rounded up to {own.round_up:,} B"
    least = _xoff.headroom(group.rate_bps, group.delay_ps, switch.plan.mtu, 0).published
    verdict = check(size >= least, f"must be {least:,} B: what is in flight, and a packet that has begun at each end")
    if size >= least:
        verdict = _for_the_reaction(switch, group, size)
    return Row(f"{prefix}.chosen", f"headroom{of} [Phi]", size, "B", formula, "plan", *verdict)


def _remark(switch: Switch, group: Group, size: int) -> str:
    """Says by how much a method's headroom falls short of IEEE 802.3's reaction time; empty if it does not."""
    needed = ieee(switch, group).size_bytes
    return "" if size >= needed else f"below the {needed:,} B for a sender that reacts as late as IEEE 802.3 allows"


def _for_the_reaction(switch: Switch, group: Group, size: int) -> tuple[Verdict, str]:
    """Whether a headroom is enough for a sender that takes as long as it may, and for all that a switch has by then."""
    needed, simulated = ieee(switch, group).size_bytes, simulator(switch, group).size_bytes
    allowed = _xoff.reaction_quanta(group.rate_bps) * QUANTUM_BYTES
    reacts = f"IEEE 802.3 lets the sender react for {allowed:,} B"
    if needed <= size < simulated and not isinstance(switch.plan.congestion, Qcn):
        why = f"{reacts}, and with whole frames and the packet that finds the pool full it must be {simulated:,} B"
        return Verdict.WARNS, f'{why}: method = "{Method.SIMULATOR}" sets that aside'
    return check(size >= needed, f"must be {needed:,} B: {reacts}", Verdict.WARNS)


def _pause(group: Group, prefix: str, of: str) -> list[Row]:
    quanta, rate = LONGEST_PAUSE_QUANTA, group.rate_bps
    longest = quanta * QUANTUM_BYTES * 8 / rate * 1e6
    reaction = PUBLISHED_QUANTA * QUANTUM_BYTES * 8 / rate * 1e6
    return [
        Row(
            f"{prefix}.longest_pause",
            f"longest pause{of}",
            longest,
            "us",
            f"65,535 x 512 bit / {rate / 1e9:g} Gb/s",
            "IEEE 802.1Qbb",
        ),
        Row(
            f"{prefix}.published_reaction",
            f"60 quanta{of}",
            reaction,
            "us",
            f"3,840 B / {rate / 1e9:g} Gb/s",
            "DSH, section 2",
        ),
    ]


def _worst_case(cell: int) -> int:
    small = _SMALL_PACKET_BYTES
    return math.ceil(Fraction(cell, small) if cell > 2 * small else Fraction(2 * cell, 1 + cell))


def _whole_kib(size: Fraction) -> int:
    return math.ceil(size / 1024) * 1024
