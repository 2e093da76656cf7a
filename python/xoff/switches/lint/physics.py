"""The formulas that checks need, in whole bytes."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from xoff import _xoff
from xoff.switches.headroom import QUANTUM_BYTES, SONIC_CABLE_M_PER_S

_STATED_MBPS = {10_000, 25_000, 40_000, 50_000, 100_000, 200_000, 400_000, 800_000}
"""Speeds of which IEEE 802.3 says how fast an end stops (31B.3.7)."""


ROCE_BYTES = 4200
"""The largest packet of RoCE, from its IP header on: 4096 B of data, and up to 84 B of headers."""

ROCE_HEADER_BYTES = 14 + 20 + 8 + 12
"""Bytes of a RoCE packet's headers: Ethernet, IPv4, UDP and BTH."""

_ROUNDED = Fraction(2, 100)
"""By how much published sizes of memory may be rounded: the 12 MiB of a Trident II are 61,440 cells, 1.6 % more."""


def rounded_up(size: int) -> int:
    """Returns the largest size that may have been rounded down to a published one."""
    return size + int(_ROUNDED * size)


def bytes_on_cable(speed_mbps: int, cable_m: int) -> int:
    """Returns the bytes in flight while a pause crosses a cable, and the last bit comes back: 2 L/c times the rate."""
    return ceil(Fraction(2 * cable_m * speed_mbps * 1_000_000, 8 * SONIC_CABLE_M_PER_S))


def response_bytes(speed_mbps: int) -> int | None:
    """Returns the bytes that the other end may send before it stops; None at speeds that the standard leaves out."""
    if speed_mbps not in _STATED_MBPS:
        return None
    return _xoff.reaction_quanta(speed_mbps * 10**6) * QUANTUM_BYTES


def alpha(exponent: int) -> Fraction:
    """Returns the share of the free pool that `dynamic_th` stands for."""
    return Fraction(2) ** exponent


def dynamic_limit(exponent: int, pool_bytes: int) -> int:
    """Returns the bytes that one queue alone may hold of a pool under Dynamic Threshold, alpha B/(1 + alpha)."""
    share = alpha(exponent)
    return int(share * pool_bytes / (1 + share))


def guaranteed_minimum(exponent: int, pool_bytes: int, ports: int, classes: int) -> int:
    """Returns the largest K_min at which a queue marks before any port is paused, wherever its bytes came in.

    One port may fill a queue at each of `ports` up to K_min, while all queues of all classes hold as much:
    n K_min <= alpha (B - p n K_min). With alpha = beta/8 and p = 8 that is beta B/(8 n (1 + beta)) of DCQCN, section 4.
    """
    share = alpha(exponent)
    return int(share * pool_bytes / (ports * (1 + classes * share)))
