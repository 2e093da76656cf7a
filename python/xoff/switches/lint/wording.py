"""Numbers and formulas as findings print them."""

from __future__ import annotations

from xoff.switches.headroom import SONIC_CABLE_M_PER_S
from xoff.switches.lint.physics import alpha


def bytes_text(count: int) -> str:
    """Formats a number of bytes, exactly."""
    return f"{count:,} B"


def cable_formula(speed_mbps: int, cable_m: int) -> str:
    """Spells out the bytes in flight on a cable."""
    return f"2 x {cable_m} m / {SONIC_CABLE_M_PER_S / 1e8:.2f}e8 m/s x {speed_mbps / 1000:g} Gb/s / 8"


def listed(names: list[str]) -> str:
    """Names as a sentence has them."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def alpha_text(exponent: int) -> str:
    """Formats the alpha of `dynamic_th` as switches' manuals write it."""
    return str(alpha(exponent))
