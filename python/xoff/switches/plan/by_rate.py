"""Marks of ports by their rate: by a scheme's formula, in proportion to those of the fastest ports, or as planned."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from xoff.errors import PlanError
from xoff.switches.plan.file import Bcc, Dcqcn, Dctcp

if TYPE_CHECKING:
    from xoff.switches.plan.switch import Switch

MarkingScheme: TypeAlias = Bcc | Dcqcn | Dctcp
"""Schemes by which switches mark."""
_PROPORTION = "HPCC, simulation/run.py"
"""Source of thresholds in proportion to rates: DCTCP 30 kB at 10 Gb/s, DCQCN 100 and 400 kB at 25 Gb/s."""


class Threshold(NamedTuple):
    """Of ports of one rate, and how it is found."""

    size_bytes: int
    formula: str
    source: str

    @property
    def row(self) -> tuple[int, str, str, str]:
        """Returns the value, unit, formula and source of a plan's row for one rate."""
        return self.size_bytes, "B", self.formula, self.source


def rates_bps(switch: Switch, own: MarkingScheme) -> list[int]:
    """Rates whose ports are planned by themselves, the highest first; where all mark alike, that of the fastest."""
    every = sorted({group.rate_bps for group in switch.groups}, reverse=True)
    return every if own.by_rate or own.at_rate else every[:1]


def proportion(switch: Switch, own: MarkingScheme, rate_bps: int) -> Fraction:
    """Returns the share of the fastest port's threshold that ports of a rate have."""
    return Fraction(rate_bps, switch.fastest_bps) if own.by_rate else Fraction(1)


def told(switch: Switch, own: MarkingScheme, rate_bps: int, planned: int) -> tuple[str, str]:
    """Formula and source of that."""
    if proportion(switch, own, rate_bps) == 1:
        return "the plan's", "plan"
    return f"{planned:,} x {rate_bps / 1e9:g} / {switch.fastest_bps / 1e9:g}", _PROPORTION


def name(rate_bps: int) -> str:
    """Formats a rate as keys of rows have it, such as `100Gbps`."""
    return f"{rate_bps / 1e9:g}Gbps"


def key(switch: Switch, of_fastest: str, rate_bps: int) -> str:
    """Returns the key of a row: `of_fastest` for the fastest ports, followed by the rate for other ports."""
    return of_fastest if rate_bps == switch.fastest_bps else f"{of_fastest}.{name(rate_bps)}"


def at(switch: Switch, own: MarkingScheme, rate_bps: int) -> str:
    """Names the rate that a row is about, where the plan has ports of several rates."""
    return f" at {rate_bps / 1e9:g} Gb/s" if len(rates_bps(switch, own)) > 1 else ""


def check(switch: Switch) -> None:
    """Raises PlanError for marks at a rate that no port has."""
    own = switch.plan.congestion
    if not isinstance(own, MarkingScheme):
        return
    there = dict.fromkeys(name(group.rate_bps) for group in switch.groups)
    for rate in own.at_rate:
        if name(rate) not in there:
            where, expected = f"congestion.at_rate.{name(rate)}", f"expected {' or '.join(there)}"
            raise PlanError(None, where, "no port has this rate", expected)
