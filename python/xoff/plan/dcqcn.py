"""Buffer thresholds with which ECN comes before PFC (DCQCN, SIGCOMM 2015, section 4)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.plan import headroom
from xoff.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from xoff.plan.file import Dcqcn
    from xoff.plan.switch import Switch

_SOURCE = "DCQCN, section 4"
_SWEEP = (1, 2, 4, 8, 16, 32)
_CNP_TIMES_US = (5, 1)
"""What an adapter takes for one CNP, at most and at least (section 3.3)."""


def beside_headroom(switch: Switch) -> int:
    """Memory that headroom leaves [B - p n t_flight]."""
    return switch.memory_bytes - headroom.of_all_classes(switch)


def static_pause(switch: Switch) -> Fraction:
    """The largest threshold that all ingress queues can reach at once [t_PFC]."""
    return Fraction(beside_headroom(switch), len(switch.lossless) * switch.ports)


def greatest_mark(switch: Switch, beta: Fraction) -> Fraction:
    """Below this, ECN comes first under the dynamic threshold [t_ECN], every class of every port just below marking."""
    return beta * beside_headroom(switch) / (len(switch.lossless) * switch.ports * (beta + 1))


def rows(switch: Switch, own: Dcqcn) -> list[Row]:
    """Thresholds, static and dynamic, and what becomes of the plan's own."""
    if not switch.lossless:
        return []
    return [*_static(switch), *_dynamic(switch, own), *_own(switch, own), *_notifications(switch, own)]


def _static(switch: Switch) -> list[Row]:
    n, p, memory, mtu = switch.ports, len(switch.lossless), switch.memory_bytes, switch.plan.mtu
    total, left, pause = headroom.of_all_classes(switch), beside_headroom(switch), static_pause(switch)
    mark = pause / n
    phi = sorted({headroom.chosen_bytes(switch, group) for group in switch.groups})
    flight = ", ".join(f"{size:,}" for size in phi)
    return [
        Row("t_flight", "headroom of one queue [t_flight]", phi[-1], "B", f"headroom, {flight} B", _SOURCE),
        Row(
            "headroom_total",
            "all headroom [p n t_flight]",
            total,
            "B",
            f"{p} x {n} x {flight}",
            _SOURCE,
            *check(left > 0, f"must be less than memory, {memory:,} B"),
        ),
        Row(
            "t_pfc",
            "static pause threshold [t_PFC]",
            float(pause),
            "B",
            f"({memory:,} - {total:,}) / ({p} x {n})",
            _SOURCE,
            *check(pause > 2 * mtu, f"must be above two packets, {2 * mtu:,} B"),
        ),
        Row(
            "t_ecn_static",
            "static ECN threshold [t_ECN]",
            float(mark),
            "B",
            f"{number(pause)} / {n}",
            _SOURCE,
            *check(mark >= mtu, f"must be a packet, {mtu:,} B, for static thresholds to do"),
        ),
        Row(
            "t_resume",
            "resume threshold",
            float(pause) - 2 * mtu,
            "B",
            f"{number(pause)} - 2 x {mtu:,}",
            _SOURCE,
        ),
    ]


def _dynamic(switch: Switch, own: Dcqcn) -> list[Row]:
    n, p, mtu, left, beta = switch.ports, len(switch.lossless), switch.plan.mtu, beside_headroom(switch), own.beta
    mark = greatest_mark(switch, beta)
    pause = beta * (left - p * n * mark) / p
    one_queue = beta * left / (n * (beta + p))
    swept = [
        Row(
            f"t_ecn.beta_{value}",
            f"dynamic ECN threshold, beta {value}",
            float(greatest_mark(switch, Fraction(value))),
            "B",
            f"{value} x {left:,} / ({p} x {n} x {value + 1})",
            _SOURCE,
        )
        for value in _SWEEP
    ]
    return [
        Row(
            "t_ecn",
            "dynamic ECN threshold [t_ECN]",
            float(mark),
            "B",
            f"{float(beta):g} x {left:,} / ({p} x {n} x ({float(beta):g} + 1))",
            _SOURCE,
            *check(mark >= mtu, f"must be a packet, {mtu:,} B"),
        ),
        Row(
            "t_pfc_dynamic",
            "pause threshold, all queues at t_ECN",
            float(pause),
            "B",
            f"{float(beta):g} ({left:,} - {number(p * n * mark)}) / {p}",
            _SOURCE,
            *check(abs(pause - n * mark) < 1, f"must be {n} x t_ECN, so that ECN comes first"),
        ),
        Row(
            "t_ecn.one_queue_a_port",
            "t_ECN with one busy queue a port",
            float(one_queue),
            "B",
            f"{float(beta):g} x {left:,} / ({n} x ({float(beta):g} + {p})), s <= n t_ECN as the text has it",
            _SOURCE,
        ),
        *swept,
    ]


def _own(switch: Switch, own: Dcqcn) -> list[Row]:
    mark, pause = float(greatest_mark(switch, own.beta)), float(static_pause(switch))
    before = check(own.minimum <= mark, f"must be at most t_ECN, {number(mark)} B, for ECN to come before PFC")
    ramp = f"marks {own.probability * 100:g} % at K_max = {own.maximum:,} B"
    return [
        Row("minimum", "the plan's K_min", own.minimum, "B", ramp, "DCQCN, figure 14", *before),
        Row("minimum_margin", "t_ECN over K_min", mark / own.minimum, "", f"{number(mark)} / {own.minimum:,}", _SOURCE),
        Row(
            "minimum_over_pause",
            "K_min over static t_PFC",
            own.minimum / pause,
            "",
            f"{own.minimum:,} / {number(pause)}",
            "DCQCN, section 6",
            *check(own.minimum < pause, "must be below 1, or one input pauses before its queue marks"),
        ),
    ]


def _notifications(switch: Switch, own: Dcqcn) -> list[Row]:
    rate, interval, mtu = switch.fastest.rate_bps, own.cnp_interval / 1e6, switch.plan.mtu
    packets = rate * interval / 8e6 / mtu
    found = [
        Row(
            "packets_per_cnp",
            "packets in one CNP interval",
            packets,
            "",
            f"{rate / 1e9:g} Gb/s x {interval:g} us / 8 / {mtu:,} B",
            "DCQCN, section 3.3",
        )
    ]
    for time in _CNP_TIMES_US:
        formula = f"{interval:g} us / {time} us"
        found.append(
            Row(f"flows_per_adapter.{time}us", "flows with CNPs", interval / time, "", formula, "DCQCN, section 3.3")
        )
    if own.cnp_priority in switch.lossless:
        why = f"CNPs in lossless class {own.cnp_priority} wait behind its data and its pauses"
        found.append(
            Row(
                "cnp_priority",
                "class of CNPs",
                own.cnp_priority,
                "",
                "the plan's",
                "DCQCN, section 3.1",
                Verdict.WARNS,
                why,
            )
        )
    return found
