"""First window and additive increase of congestion controls by telemetry (HPCC, SIGCOMM 2019; PowerTCP, NSDI 2022)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.switches.plan import pools
from xoff.switches.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from xoff.switches.plan.file import Hpcc
    from xoff.switches.plan.switch import Switch

_LINKS = 8
"""Links of a round trip through leaf, spine and leaf."""


def round_trip_ps(switch: Switch, own: Hpcc) -> int:
    """Returns the round trip of an idle fabric: the plan's, or propagation between leaf and spine [T]."""
    return own.round_trip or _LINKS * switch.fastest.delay_ps


def first_window(switch: Switch, own: Hpcc) -> Fraction:
    """Bytes in flight at the rate of a port [W_init]."""
    return Fraction(switch.fastest.rate_bps * round_trip_ps(switch, own), 8 * 10**12)


def additive_increase(switch: Switch, own: Hpcc) -> Fraction:
    """Bytes by which a flow grows in a round trip, so that all together keep the target [W_AI]."""
    return first_window(switch, own) * (1 - own.utilization) / own.flows


def rows(switch: Switch, own: Hpcc) -> list[Row]:
    """Returns rows for the round trip, the first window, and what flows add to their windows."""
    trip, window, rate = round_trip_ps(switch, own), first_window(switch, own), switch.fastest.rate_bps
    increase, eta, shown = additive_increase(switch, own), float(own.utilization), number(window)
    shared = max(pools.of(switch))
    return [
        Row(
            "hpcc.round_trip",
            "base round trip [T]",
            trip / 1e6,
            "us",
            "the plan's" if own.round_trip else f"{_LINKS} x {switch.fastest.delay_ps / 1e6:g} us",
            "DSH, section 5",
        ),
        Row(
            "hpcc.window",
            "first window [W_init]",
            float(window),
            "B",
            f"{rate / 1e9:g} Gb/s x {trip / 1e6:g} us",
            "HPCC, section 3.2",
        ),
        Row(
            "hpcc.first_windows",
            "first windows of all flows",
            float(own.flows * window),
            "B",
            f"{own.flows} x {shown}",
            "HPCC, section 3.2",
            *check(own.flows * window <= shared, f"must fit a pool, {shared:,} B, if all begin at once", Verdict.WARNS),
        ),
        Row(
            "hpcc.increase",
            "HPCC's additive increase [W_AI]",
            float(increase),
            "B",
            f"{shown} x (1 - {eta:g}) / {own.flows}",
            "HPCC, section 3.3",
        ),
        Row(
            "power_tcp.increase",
            "PowerTCP's additive increase [beta]",
            float(window / own.flows),
            "B",
            f"{shown} / {own.flows}",
            "PowerTCP, section 3",
        ),
    ]
