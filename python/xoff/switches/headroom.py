"""Formulas of headroom that an operator computes before anything runs."""

from __future__ import annotations

import json
from typing import TypedDict

from xoff import _xoff

QUANTUM_BYTES = 64
"""In which pauses and reactions to them are counted (IEEE 802.1Qbb)."""
SONIC_CABLE_M_PER_S = 198_000_000
"""Speed of light in a cable (sonic-swss e6b0c5b, cfgmgr/buffer_headroom_mellanox.lua)."""


class PublishedHeadroom(TypedDict):
    """The parts of the headroom of one class of one port, in bytes on the wire (DSH, section II-C, equation 1)."""

    wait_bytes: int
    """The pause frame waits for the packet that has just started."""
    propagation_bytes: int
    """Bytes on the link while the pause frame crosses it."""
    reaction_bytes: int
    """The other end reacts: 60 quanta, 3840 bytes."""
    response_bytes: int
    """The other end completes the packet that it has just started."""
    last_propagation_bytes: int
    """The last bit of that crosses the link."""
    total_bytes: int
    """All of them [Phi]."""


def published_headroom(*, rate_bps: int, delay_ns: int, largest_bytes: int) -> PublishedHeadroom:
    """Computes headroom as papers count it; scenarios add the pause frame and a packet (decision 14).

    Args:
        rate_bps: Rate of the link [C].
        delay_ns: Its propagation delay [D_prop].
        largest_bytes: The largest packet on it [L_MTU].

    Raises:
        ValueError: The rate is 0.
    """
    parts: PublishedHeadroom = json.loads(_xoff.published_headroom(rate_bps, delay_ns, largest_bytes))
    return parts
