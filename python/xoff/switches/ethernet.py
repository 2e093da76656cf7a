"""Constants of Ethernet: the rates of its ports, and the smallest MTU that carries IP."""

from __future__ import annotations

ETHERNET_MBPS = (
    10,
    100,
    1000,
    2500,
    5000,
    10_000,
    25_000,
    40_000,
    50_000,
    100_000,
    200_000,
    400_000,
    800_000,
    1_600_000,
)
"""Rates of IEEE 802.3, P802.3dj among them."""
HEADER_AND_CHECK_BYTES = 18
"""Bytes that an Ethernet frame adds to its packet: header and check sequence."""
LEAST_MTU = 68
"""Bytes of a packet that every link of IP must carry (RFC 791)."""


def nearest_rates(speed_mbps: int) -> str:
    """Returns the Ethernet rates next below and above a speed that Ethernet does not have, for a sentence."""
    below = [f"{rate / 1000:g}" for rate in ETHERNET_MBPS if rate < speed_mbps][-1:]
    above = [f"{rate / 1000:g}" for rate in ETHERNET_MBPS if rate > speed_mbps][:1]
    return f"{' or '.join(below + above)} Gb/s"
