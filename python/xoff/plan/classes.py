"""Shares of the free pool that classes may take."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.plan.file import Dcqcn

if TYPE_CHECKING:
    from xoff.plan.file import Class
    from xoff.plan.switch import Switch


def alpha_of(one: Class, switch: Switch) -> Fraction:
    """Alpha of a class: its own, DCQCN's beta over the number of classes, or the default of scenarios."""
    if one.alpha is not None:
        return one.alpha
    if one.lossless and isinstance(switch.plan.congestion, Dcqcn):
        return switch.plan.congestion.beta / len(switch.lossless)
    return Fraction(1, 8) if one.lossless else Fraction(1)


def lossless_alpha(switch: Switch) -> Fraction:
    """The largest alpha of lossless classes."""
    return max(alpha_of(one, switch) for one in switch.plan.classes if one.lossless)


def lossy_alpha(switch: Switch) -> Fraction:
    """The least alpha of all classes that may lose packets, or of all if none may [alpha_min]."""
    lossy = [one for one in switch.plan.classes if not one.lossless]
    return min(alpha_of(one, switch) for one in lossy or switch.plan.classes)
