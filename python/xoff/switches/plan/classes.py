"""Shares of the free pool that classes may take."""

from __future__ import annotations

from fractions import Fraction
from math import log2
from typing import TYPE_CHECKING

from xoff.switches.plan.file import Dcqcn

if TYPE_CHECKING:
    from xoff.switches.plan.file import Class
    from xoff.switches.plan.switch import Switch


def alpha_of(one: Class, switch: Switch) -> Fraction:
    """Returns the alpha of a class: its own, DCQCN's beta over the number of classes, or the default of scenarios."""
    if one.alpha is not None:
        return one.alpha
    if one.lossless and isinstance(switch.plan.congestion, Dcqcn):
        return switch.plan.congestion.beta / len(switch.lossless)
    return Fraction(1, 8) if one.lossless else Fraction(1)


POWERS = range(-8, 7 + 1)
"""Exponents of the alphas that switches have (SAI)."""


def exponent(alpha: float, powers: range = POWERS) -> int:
    """Returns the exponent of the power of two nearest to an alpha, of those that there are."""
    return min(powers[-1], max(powers[0], round(log2(alpha))))


def least_written(alpha: Fraction) -> Fraction:
    """Returns the alpha that an exported configuration can hold: this one, or the next smaller power of two."""
    return min(alpha, Fraction(2) ** exponent(float(alpha)))


def lossless(switch: Switch) -> list[Class]:
    """Classes that pause, that with the smallest alpha first."""
    return sorted((one for one in switch.plan.classes if one.lossless), key=lambda one: alpha_of(one, switch))


def largest_alphas(switch: Switch, queues: int) -> Fraction:
    """Returns the sum of the alphas of the `queues` lossless queues with the largest alphas."""
    every = [alpha_of(one, switch) for one in lossless(switch) for _ in range(len(one.priorities) * switch.ports)]
    return sum(every[len(every) - queues :], Fraction(0))


def lossy_alpha(switch: Switch) -> Fraction:
    """Returns the least alpha of classes that may lose packets, or of all classes if none may [alpha_min]."""
    lossy = [one for one in switch.plan.classes if not one.lossless]
    return min(alpha_of(one, switch) for one in lossy or switch.plan.classes)
