"""Thresholds of section 4 of DCQCN, from the planner of switches."""

from __future__ import annotations

from functools import cache

from xoff.switches.plan.file import parse
from xoff.switches.plan.outcome import outcome

SWITCH = """
title = "DCQCN's switch"
chip = "trident_2"
memory = "12MB"
[[ports]]
count = 32
rate = "40Gbps"
delay = "1.5us"
[[class]]
name = "rdma"
priorities = [0, 1, 2, 3, 4, 5, 6, 7]
lossless = true
[headroom]
size = "22400B"
[congestion]
scheme = "dcqcn"
"""
PACKET_KB = 1.5


@cache
def _kilobytes(key: str) -> float:
    return {row.key: row.value for row in outcome(parse(SWITCH)).rows}[key] / 1000


def t_pfc() -> float:
    """Greatest threshold of PFC without dynamic thresholds (kB)."""
    return _kilobytes("t_pfc")


def t_ecn() -> float:
    """Greatest threshold of ECN with dynamic thresholds (kB)."""
    return _kilobytes("t_ecn")


def t_ecn_static() -> float:
    """Greatest threshold of ECN without dynamic thresholds (kB)."""
    return _kilobytes("t_ecn_static")


def t_ecn_static_packets() -> float:
    """Greatest threshold of ECN without dynamic thresholds, in packets."""
    return t_ecn_static() / PACKET_KB
