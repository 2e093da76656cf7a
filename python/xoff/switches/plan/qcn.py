"""Range of QCN's feedback, its sampling, and PFC beside it (802.1Qau; QCN with occupancy sampling, QCN-OS)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xoff import _xoff
from xoff.switches.plan import headroom
from xoff.switches.plan.rows import Row, check, number

if TYPE_CHECKING:
    from xoff.switches.plan.file import Qcn
    from xoff.switches.plan.switch import Switch

_SOURCE = "802.1Qau"
STEPS = 63
"""Steps of quantised feedback."""
_CNM_WIRE_BYTES = 84
_CYCLES = 5
"""Cycles of fast recovery."""
_TAGGED_BYTES = headroom.ETHERNET_BYTES + 4
_PREAMBLE_AND_GAP = 20


def greatest_feedback(own: Qcn) -> float:
    """Returns the greatest feedback of QCN, at which the feedback saturates [Fb_max]."""
    return float((2 * own.weight + 1) * own.set_point)


def full_at_rest(own: Qcn) -> int:
    """Steps of feedback of a full buffer that neither grows nor shrinks."""
    return _sample(own, own.buffer, own.buffer)[0]


def rows(switch: Switch, own: Qcn) -> list[Row]:
    """Feedback, sampling, thresholds of PFC, recovery, and what a hotspot leaves."""
    return [*_feedback(own), *_sampling(switch, own), *_pauses(switch, own), *_rates(switch, own)]


def _feedback(own: Qcn) -> list[Row]:
    greatest, weight = greatest_feedback(own), float(own.weight)
    return [
        Row(
            "qcn.greatest_feedback",
            "feedback that saturates [Fb_max]",
            greatest,
            "B",
            f"(2 x {weight:g} + 1) x {own.set_point:,}",
            _SOURCE,
        ),
        Row(
            "qcn.still_feedback",
            "feedback of a full buffer at rest",
            own.buffer - own.set_point,
            "B",
            f"{own.buffer:,} - {own.set_point:,}",
            _SOURCE,
            *check(own.buffer > own.set_point, "must be above 0"),
        ),
        Row(
            "qcn.still_steps",
            "the same, quantised",
            full_at_rest(own),
            "",
            f"{STEPS} x {own.buffer - own.set_point:,} / {number(greatest)}",
            _SOURCE,
        ),
        Row("qcn.strongest_cut", "rate left by the strongest CNM", 100 * (1 - STEPS / 128), "%", "1 - 63/128", _SOURCE),
    ]


def _sampling(switch: Switch, own: Qcn) -> list[Row]:
    rate = switch.fastest.rate_bps
    found = []
    for index in range(8):
        beyond = math.ceil(8 * index * greatest_feedback(own) / STEPS)
        _, interval = _sample(own, own.set_point + beyond, own.set_point + beyond)
        period = interval * 8e6 / rate
        steps, prefix = f"feedback {8 * index} to {8 * index + 7}", f"qcn.interval.{index}"
        found += [
            Row(f"{prefix}.bytes", f"interval, {steps}", interval, "B", f"{own.interval:,} by table", _SOURCE),
            Row(
                f"{prefix}.period", f"period, {steps}", period, "us", f"8 x {interval:,} / {rate / 1e9:g} Gb/s", _SOURCE
            ),
            Row(f"{prefix}.cnms", f"CNMs a second, {steps}", 1e6 / period, "", f"1 / {period:.4g} us", _SOURCE),
            Row(
                f"{prefix}.load",
                f"load of CNMs, {steps}",
                _CNM_WIRE_BYTES * 8 / period,
                "Mb/s",
                f"8 x {_CNM_WIRE_BYTES} / {period:.4g} us",
                _SOURCE,
            ),
        ]
    return found


def _pauses(switch: Switch, own: Qcn) -> list[Row]:
    group = switch.fastest
    rate, left, drained = group.rate_bps, own.buffer - own.stop, own.stop - own.go
    needed = headroom.published(switch, group).size_bytes
    buffers = 2 * switch.ports * own.buffer
    return [
        Row(
            "qcn.buffers",
            "buffers of all inputs and outputs",
            buffers,
            "B",
            f"2 x {switch.ports} x {own.buffer:,}",
            "QCN-OS, table I",
            *check(buffers <= switch.memory_bytes, f"must fit memory, {switch.memory_bytes:,} B"),
        ),
        Row(
            "qcn.above_stop",
            "room above STOP",
            left,
            "B",
            f"{own.buffer:,} - {own.stop:,}",
            "QCN-OS",
            *check(left >= needed, f"must hold what still arrives, {needed:,} B"),
        ),
        Row(
            "qcn.above_stop_time",
            "the same in time",
            left * 8e6 / rate,
            "us",
            f"8 x {left:,} / {rate / 1e9:g} Gb/s",
            "QCN-OS",
        ),
        Row(
            "qcn.above_stop_ratio",
            "room above STOP over headroom",
            left / needed,
            "",
            f"{left:,} / {needed:,}",
            "QCN-OS",
        ),
        Row(
            "qcn.stop_to_go",
            "drain from STOP to GO",
            drained * 8e6 / rate,
            "us",
            f"8 x ({own.stop:,} - {own.go:,}) / {rate / 1e9:g} Gb/s",
            "QCN-OS",
            *check(drained > 0, "must be above 0"),
        ),
        Row(
            "qcn.stop_above_set_point",
            "STOP over the set point",
            own.stop / own.set_point,
            "",
            f"{own.stop:,} / {own.set_point:,}",
            "QCN-OS",
            *check(own.stop > own.set_point, "must be above 1, so that QCN works before PFC"),
        ),
    ]


def _rates(switch: Switch, own: Qcn) -> list[Row]:
    rate, mtu = switch.fastest.rate_bps, switch.plan.mtu
    wire = mtu + _TAGGED_BYTES
    frame = wire - _PREAMBLE_AND_GAP
    hot = rate / (own.hot_inputs - 1)
    return [
        Row("qcn.frames", "frames a second", rate / 8 / wire, "", f"{rate / 1e9:g} Gb/s / 8 / {wire:,}", "QCN-OS"),
        Row("qcn.frame_share", "frames' share of the wire", 100 * frame / wire, "%", f"{frame:,} / {wire:,}", "QCN-OS"),
        Row(
            "qcn.hot_flow",
            "rate of a hot flow",
            hot / 1e6,
            "Mb/s",
            f"{rate / 1e9:g} Gb/s / ({own.hot_inputs} - 1)",
            "QCN-OS",
        ),
        Row(
            "qcn.recovery",
            "fast recovery at line rate",
            _CYCLES * own.interval * 8e6 / rate,
            "us",
            f"{_CYCLES} x 8 x {own.interval:,} / {rate / 1e9:g} Gb/s",
            _SOURCE,
        ),
        Row(
            "qcn.hot_recovery",
            "fast recovery of a hot flow",
            _CYCLES * own.interval * 8e6 / hot,
            "us",
            f"{_CYCLES} x 8 x {own.interval:,} / {hot / 1e9:g} Gb/s",
            _SOURCE,
        ),
        Row(
            "qcn.timer_recovery",
            "fast recovery by timer",
            _CYCLES * own.timer / 1e6,
            "us",
            f"{_CYCLES} x {own.timer / 1e9:g} ms",
            _SOURCE,
        ),
    ]


def _sample(own: Qcn, occupancy: int, before: int) -> tuple[int, int]:
    return _xoff.qcn_sample(own.set_point, own.weight.as_integer_ratio(), own.interval, occupancy, before)
