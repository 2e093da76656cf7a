"""Shared-buffer ECN beside that of ports (BCC, APNet 2017). Its formulas are the simulator's."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from xoff import _xoff
from xoff.errors import PlanError
from xoff.switches.plan import busy_ports, by_rate, headroom, pools
from xoff.switches.plan.classes import lossy_alpha
from xoff.switches.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from xoff.switches.plan.file import Bcc
    from xoff.switches.plan.switch import Switch

_SOURCE = "BCC, section 4.3"
_OF_A_PORT = "BCC, section 5"


class Thresholds(NamedTuple):
    """Of one shared pool, in bytes."""

    required: int
    """Bytes that a queue needs of the pool [B_R]."""
    minimum: int
    """[K_min]"""
    maximum: int
    """[K_max]"""


def thresholds(switch: Switch, own: Bcc) -> Thresholds:
    """Returns the thresholds of one pool. Raises PlanError if they do not fit into it."""
    try:
        required, minimum, maximum = _xoff.bcc_thresholds(
            shared_bytes=shared_bytes(switch, own),
            rate_bps=switch.fastest.rate_bps,
            together_bps=max(part.rate_bps for part in switch.parts),
            alpha=lossy_alpha(switch).as_integer_ratio(),
            reserved_bytes=_reserved(switch),
            round_trip_ps=own.round_trip,
            buffer_round_trips=_buffer_round_trips(own).as_integer_ratio(),
            ramp_ps=own.ramp,
        )
    except ValueError as infeasible:
        raise PlanError(
            None, "congestion", str(infeasible), "expected a larger pool or alpha, or a shorter round trip"
        ) from None
    return Thresholds(required, minimum, maximum)


def shared_bytes(switch: Switch, own: Bcc) -> int:
    """Returns the size of one shared pool: the plan's, or what reserves, headroom and lossless classes leave [B].

    Raises PlanError if they leave nothing.
    """
    if own.shared is not None:
        return own.shared
    left = pools.of(switch).lossy
    if left == 0:
        problem = f"reserves, headroom and lossless classes leave nothing of {switch.memory_bytes:,} B to share"
        raise PlanError(None, "memory", problem, "expected more of it, or smaller reserves and headroom")
    return left


def port_threshold(switch: Switch, own: Bcc, rate_bps: int) -> by_rate.Threshold:
    """Returns a port's threshold at a rate: the plan's, or what congestion control needs for full throughput [K]."""
    there = own.at_rate.get(rate_bps)
    if there is not None:
        return by_rate.Threshold(there.port_threshold, "the plan's", "plan")
    if own.port_threshold is not None:
        size = ceil(own.port_threshold * by_rate.proportion(switch, own, rate_bps))
        return by_rate.Threshold(size, *by_rate.told(switch, own, rate_bps, own.port_threshold))
    in_flight, needed = _in_flight(rate_bps if own.by_rate else switch.fastest_bps, own), _buffer_round_trips(own)
    return by_rate.Threshold(int(needed * in_flight), f"{float(needed):g} x {number(in_flight)}", _OF_A_PORT)


def rows(switch: Switch, own: Bcc) -> list[Row]:
    """Thresholds with their checks, and when memory is overfull."""
    shared, alpha, port = shared_bytes(switch, own), lossy_alpha(switch), _largest_of_a_port(switch, own)
    remedy = "the pool's threshold is for them"
    shares = busy_ports.rows(switch, "bcc", shared, alpha, port, remedy)
    return [*_port(switch, own), *_pool(switch, own), *shares, *_overfull(switch, own)]


def _port(switch: Switch, own: Bcc) -> list[Row]:
    in_flight = _in_flight(switch.fastest_bps, own)
    rate, trip = switch.fastest.rate_bps / 1e9, own.round_trip / 1e6
    return [
        Row("bcc.in_flight", "bytes in flight [C RTT]", float(in_flight), "B", f"{rate:g} Gb/s x {trip:g} us", _SOURCE),
        *_of_ports(switch, own),
        Row(
            "bcc.analysed_threshold",
            "threshold by DCTCP's analysis",
            float(in_flight * Fraction(17, 100)),
            "B",
            f"0.17 x {number(in_flight)}",
            "BCC, section 2",
        ),
    ]


def _of_ports(switch: Switch, own: Bcc) -> list[Row]:
    """Returns a row for K at each rate of ports, the fastest first."""
    found = []
    for rate in by_rate.rates_bps(switch, own):
        threshold = port_threshold(switch, own, rate)
        if rate == switch.fastest_bps:
            threshold = threshold._replace(source=_OF_A_PORT)
        key = by_rate.key(switch, "bcc.port_threshold", rate)
        found.append(Row(key, f"threshold of a port{by_rate.at(switch, own, rate)} [K]", *threshold.row))
    return found


def _largest_of_a_port(switch: Switch, own: Bcc) -> int:
    return max(port_threshold(switch, own, rate).size_bytes for rate in by_rate.rates_bps(switch, own))


def _pool(switch: Switch, own: Bcc) -> list[Row]:
    required, minimum, maximum = thresholds(switch, own)
    shared, alpha, port = shared_bytes(switch, own), lossy_alpha(switch), _largest_of_a_port(switch, own)
    in_flight, reserved, left = _in_flight(switch.fastest_bps, own), _reserved(switch), pools.of(switch).lossy
    ramp = maximum - minimum
    return [
        Row(
            "bcc.shared",
            "shared pool [B]",
            shared,
            "B",
            "the plan's" if own.shared else _left(switch),
            "BCC, section 5",
            *check(shared <= left, f"must be at most {left:,} B, {_left(switch)}"),
        ),
        Row(
            "bcc.required",
            "needed of the pool [B_R]",
            required,
            "B",
            f"{number(in_flight)} (1 + {float(_buffer_round_trips(own)):g}) - {reserved:,}",
            _SOURCE,
        ),
        Row(
            "bcc.maximum",
            "pool's upper threshold [K_max]",
            maximum,
            "B",
            f"{shared:,} - {required:,} / {alpha}",
            _SOURCE,
            *check(maximum < shared, "must be below the pool's size"),
        ),
        Row(
            "bcc.minimum",
            "pool's lower threshold [K_min]",
            minimum,
            "B",
            f"{maximum:,} - {ramp:,} (C N h, {switch.ports_per_mmu} ports, {own.ramp / 1e6:g} us)",
            _SOURCE,
            *check(minimum >= port, f"must reach the port's {port:,} B, or the pool marks one busy port"),
        ),
        Row(
            "bcc.at_maximum",
            "a queue may take at K_max",
            float(alpha * (shared - maximum)),
            "B",
            f"{alpha} x ({shared:,} - {maximum:,})",
            _SOURCE,
            *check(abs(alpha * (shared - maximum) - required) <= alpha, "must be what it needs, B_R"),
        ),
    ]


def _left(switch: Switch) -> str:
    """Spells out, in numbers, the bytes left for lossy classes."""
    part = pools.fullest(switch)
    formula = f"{part.memory_bytes:,} - {part.reserved_bytes:,} in reserves"
    if not part.lossless:
        return formula
    lossless = pools.of(switch).lossless
    return f"{formula} - {headroom.set_aside(part):,} in headroom - {lossless:,} for lossless classes"


def _overfull(switch: Switch, own: Bcc) -> list[Row]:
    needed = int(_in_flight(switch.fastest_bps, own))
    found = []
    for key, quantity, memory, ports in (
        ("bcc.ports_that_fit", "ports with C RTT each, of all memory", switch.memory_bytes, switch.ports),
        (
            "bcc.ports_that_fit_pool",
            "ports with C RTT each, of one MMU",
            switch.memory_bytes // switch.mmus,
            switch.ports_per_mmu,
        ),
    ):
        fit = _xoff.ports_that_fit(memory, needed)
        verdict = check(fit >= ports, f"must be all {ports} ports", Verdict.WARNS)
        found.append(Row(key, quantity, fit, "", f"{memory:,} / {needed:,}", "BCC, section 3.1", *verdict))
    return found


def _in_flight(rate_bps: int, own: Bcc) -> Fraction:
    return Fraction(rate_bps * own.round_trip, 8 * 10**12)


def _buffer_round_trips(own: Bcc) -> Fraction:
    if own.buffer_round_trips is not None:
        return own.buffer_round_trips
    return Fraction(*(_xoff.bcc_lambda(own.congestion_control) or (1, 1)))


def _reserved(switch: Switch) -> int:
    """Least reserve of a queue that may lose packets [S_min]."""
    return min((one.reserved for one in switch.plan.classes if not one.lossless), default=0)
