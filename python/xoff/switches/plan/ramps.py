"""DCQCN's ramps at ports of each rate."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.switches.plan import by_rate
from xoff.switches.plan.at_rate import RampAtRate
from xoff.switches.plan.file import Dcqcn
from xoff.switches.plan.settings import Ecn

if TYPE_CHECKING:
    from xoff.switches.plan.switch import Switch


def ramp(switch: Switch, own: Dcqcn, rate_bps: int) -> Ecn:
    """Returns the marking ramp at ports of a rate; in proportion, its lower end is rounded down, its upper end up."""
    there, share = own.at_rate.get(rate_bps, RampAtRate()), by_rate.proportion(switch, own, rate_bps)
    return Ecn(
        there.minimum or max(1, floor(own.minimum * share)),
        there.maximum or ceil(own.maximum * share),
        there.probability or own.probability,
    )


def minimum(switch: Switch, own: Dcqcn, rate_bps: int) -> by_rate.Threshold:
    """Returns the lower end of the marking ramp of ports of a rate [K_min]."""
    there, size = own.at_rate.get(rate_bps), ramp(switch, own, rate_bps).minimum_bytes
    if there is not None and there.minimum is not None:
        return by_rate.Threshold(size, "the plan's", "plan")
    return by_rate.Threshold(size, *by_rate.told(switch, own, rate_bps, own.minimum))


def largest_minimum(switch: Switch, own: Dcqcn) -> int:
    """Returns the lower end of the ramp of the ports that mark last, in bytes [K_min]."""
    return max(ramp(switch, own, rate).minimum_bytes for rate in by_rate.rates_bps(switch, own))


def mean_minimum(switch: Switch, own: Dcqcn) -> Fraction:
    """Returns the mean of the ramps' lower ends over an MMU's ports, in the MMU where that sum is largest [K_min]."""
    filled = (
        sum(group.count * ramp(switch, own, group.rate_bps).minimum_bytes for group in part.groups)
        for part in switch.parts
    )
    return Fraction(max(filled), switch.ports_per_mmu)


def check(switch: Switch) -> None:
    """Raises PlanError where a ramp would end before it begins."""
    own = switch.plan.congestion
    if not isinstance(own, Dcqcn):
        return
    for rate in by_rate.rates_bps(switch, own):
        found = ramp(switch, own, rate)
        if found.maximum_bytes <= found.minimum_bytes:
            problem = f"maximum, {found.maximum_bytes:,} B, is not above minimum, {found.minimum_bytes:,} B"
            key = f"congestion.at_rate.{by_rate.name(rate)}" if rate in own.at_rate else "congestion"
            raise PlanError(None, key, f"{problem}, at these ports", "expected a ramp between")
