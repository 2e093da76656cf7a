"""Section 3.1 of BCC: ports that wait for a full round trip of buffer each, against the memory there is."""

from __future__ import annotations

from xoff.scenario import catalogue

ROUND_TRIP_NS = 80_000


def demand(chip: str) -> float:
    """Buffer that one port needs under ECN*: rate times round trip (kB)."""
    return _demand_bytes(_chip(chip)) / 1000


def share_of_ports(chip: str) -> float:
    """Share of all ports whose demands just fit into all memory."""
    found = _chip(chip)
    return found["memory_bytes"] // _demand_bytes(found) / found["ports"]


def ports_of_an_mmu(chip: str) -> float:
    """Ports whose demands just fit into the memory of one MMU."""
    found = _chip(chip)
    return found["memory_bytes"] // found["mmus"] // _demand_bytes(found)


def _demand_bytes(chip: catalogue.Entry) -> int:
    return chip["rate_bps"] * ROUND_TRIP_NS // (8 * 10**9)


def _chip(name: str) -> catalogue.Entry:
    return next(chip for chip in catalogue.chips() if chip["name"] == name)
