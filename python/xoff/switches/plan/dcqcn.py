"""Buffer thresholds with which ECN comes before PFC (DCQCN, SIGCOMM 2015, section 4)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.switches.plan import by_rate, headroom, pools, ramps
from xoff.switches.plan.classes import alpha_of, least_written, lossless
from xoff.switches.plan.dsh import otherwise
from xoff.switches.plan.file import Scheme
from xoff.switches.plan.resuming import xon_offset_bytes
from xoff.switches.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from xoff.switches.plan.file import Class, Dcqcn
    from xoff.switches.plan.switch import Switch

_SOURCE = "DCQCN, section 4"
_SWEEP = (1, 2, 4, 8, 16, 32)
_FLOWS = 8
"""Flows for which a row says how soon they regain a port's rate."""
_INCREASE_BPS, _TIMER_PS = 40 * 10**6, 55 * 10**6
"""The paper's, where the plan leaves them out."""
_CNP_TIMES_US = (5, 1)
"""Longest and shortest time in us in which an adapter sends one CNP (section 3.3)."""


def static_pause(switch: Switch) -> Fraction:
    """Returns the largest threshold that all ingress queues can reach at once [t_PFC]."""
    return Fraction(pools.of(switch).lossless, _queues(switch))


def greatest_mark(switch: Switch, beta: Fraction) -> Fraction:
    """Below this, ECN comes first under the dynamic threshold [t_ECN], every class of every port just below marking."""
    return beta * pools.of(switch).lossless / (_queues(switch) * (beta + 1))


def _queues(switch: Switch) -> int:
    """Counts the queues that share a pool: every lossless class of every port of an MMU [p n]."""
    return len(switch.lossless) * switch.ports_per_mmu


def _shared(switch: Switch) -> str:
    """Spells out, in numbers, the bytes that lossless classes share [B - p n t_flight]."""
    part, lossy = pools.fullest(switch), pools.of(switch).lossy
    less = {"": headroom.set_aside(part), " in reserves": part.reserved_bytes, " for lossy classes": lossy}
    return " - ".join([f"{part.memory_bytes:,}", *(f"{size:,}{of}" for of, size in less.items() if size or not of)])


def rows(switch: Switch, own: Dcqcn) -> list[Row]:
    """Thresholds, static and dynamic, and what becomes of the plan's own."""
    if not switch.lossless:
        return []
    of_pool = _own(switch, own) if pools.of(switch).lossless else []
    return [*_static(switch), *_dynamic(switch, own), *of_pool, *_notifications(switch, own), _recovery(switch, own)]


def _static(switch: Switch) -> list[Row]:
    n, p, memory, mtu = switch.ports_per_mmu, len(switch.lossless), switch.memory_bytes, switch.plan.mtu
    total, pause = headroom.of_all_classes(switch), static_pause(switch)
    mark = pause / n
    phi = sorted({headroom.chosen_bytes(switch, group) for group in switch.groups})
    return [
        Row(
            "t_flight",
            "headroom of one queue [t_flight]",
            phi[-1],
            "B",
            f"headroom, {', '.join(f'{size:,}' for size in phi)} B",
            _SOURCE,
        ),
        Row(
            "headroom_total",
            "all headroom [p n t_flight]",
            total,
            "B",
            headroom.spelled(switch, p),
            _SOURCE,
            *check(total < memory, f"must be less than memory, {memory:,} B", otherwise(switch, Scheme.SIH)),
        ),
        Row(
            "t_pfc",
            "static pause threshold [t_PFC]",
            float(pause),
            "B",
            f"({_shared(switch)}) / ({p} x {n})",
            _SOURCE,
            *check(pause > 2 * mtu, f"must be above two packets, {2 * mtu:,} B", Verdict.WARNS),
        ),
        Row(
            "t_ecn_static",
            "static ECN threshold [t_ECN]",
            float(mark),
            "B",
            f"{number(pause)} / {n}",
            _SOURCE,
            *check(mark >= mtu, f"must be a packet, {mtu:,} B, for static thresholds to do", Verdict.WARNS),
        ),
        _resume(switch, pause),
    ]


def _resume(switch: Switch, pause: Fraction) -> Row:
    """Returns the row of the static threshold below which paused senders resume, for formats without alphas."""
    plan, offset = switch.plan, xon_offset_bytes(switch.plan)
    own = plan.headroom.xon_offset
    less = f"2 x {plan.mtu:,}" if own is None else f"{own:,}, the plan's xon_offset"
    why = (
        f"headroom.xon_offset must be below {number(pause)} B, or what pauses there resumes when it is empty, or never"
    )
    # Two packets that a plan does not ask for are no more its fault than static thresholds below a packet.
    verdict = check(offset < pause, why, Verdict.WARNS if own is None else Verdict.FAILS)
    formula = f"{number(pause)} - {less}"
    return Row("t_resume", "resume threshold", float(pause) - offset, "B", formula, _SOURCE, *verdict)


def _dynamic(switch: Switch, own: Dcqcn) -> list[Row]:
    n, p, mtu, beta = switch.ports_per_mmu, len(switch.lossless), switch.plan.mtu, own.beta
    left = pools.of(switch).lossless
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
            "dynamic ECN threshold, by beta [t_ECN]",
            float(mark),
            "B",
            f"{float(beta):g} x {left:,} / ({p} x {n} x ({float(beta):g} + 1))",
            _SOURCE,
            *check(mark >= mtu, f"must be a packet, {mtu:,} B", Verdict.WARNS),
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


_BEFORE_STATIC = "must be below 1, or under static thresholds one input pauses before its queue marks"


def _own(switch: Switch, own: Dcqcn) -> list[Row]:
    greatest = float(min(_marks_first(switch, one) for one in lossless(switch)))
    mean, largest, pause = ramps.mean_minimum(switch, own), ramps.largest_minimum(switch, own), static_pause(switch)
    return [
        *(_minimum(switch, own, rate) for rate in by_rate.rates_bps(switch, own)),
        *(_of_class(switch, own, one) for one in lossless(switch)),
        Row(
            "minimum_margin",
            "the least of these over K_min",
            greatest / float(mean),
            "",
            f"{number(greatest)} / {number(mean)}",
            _SOURCE,
        ),
        Row(
            "minimum_over_pause",
            "K_min over static t_PFC of the pool",
            largest / float(pause),
            "",
            f"{largest:,} / {number(pause)}",
            "DCQCN, section 6",
            *check(largest < pause, _BEFORE_STATIC, Verdict.WARNS),
        ),
    ]


def _minimum(switch: Switch, own: Dcqcn, rate_bps: int) -> Row:
    """Returns a row for the ramp of ports of a rate, and whether a queue can be as long as the ramp's upper end."""
    found, (size, formula, source) = ramps.ramp(switch, own, rate_bps), ramps.minimum(switch, own, rate_bps)
    ramp = f"marks {found.probability * 100:g} % at K_max = {found.maximum_bytes:,} B"
    most = switch.memory_bytes // switch.mmus
    why = f"K_max must be below the memory of its ports, {most:,} B"
    verdict = check(found.maximum_bytes < most, why, Verdict.WARNS)
    key = by_rate.key(switch, "minimum", rate_bps)
    if rate_bps == switch.fastest_bps:
        formula, source = ramp, "DCQCN, figure 14"
    else:
        formula = f"{formula}, {ramp}"
    return Row(key, f"the plan's K_min{by_rate.at(switch, own, rate_bps)}", size, "B", formula, source, *verdict)


def _of_class(switch: Switch, own: Dcqcn, one: Class) -> Row:
    """Whether K_min is low enough for the alpha and the pool that exporters write for a class.

    Where ports of each rate have their own, it is that of an MMU's ports on average: one port feeds the queues of all.
    """
    minimum, several = ramps.mean_minimum(switch, own), len(by_rate.rates_bps(switch, own)) > 1
    shared, n, p = pools.of(switch).lossless, switch.ports_per_mmu, len(switch.lossless)
    alpha, margin, greatest = least_written(alpha_of(one, switch)), _margin(switch), _marks_first(switch, one)
    paused = f"{alpha} x {shared:,}" if not margin else f"({alpha} x {shared:,} - {margin:,})"
    written = "" if alpha == alpha_of(one, switch) else f", {alpha_of(one, switch)} as a power of two"
    feeds = f"or a port that feeds {n} queues of {one.name} is paused before they mark"
    remedy = "" if minimum <= greatest else f"; {_remedy(switch, minimum, greatest)}"
    planned = f"the plan's, {number(minimum)} B{' on average over the ports of an MMU' if several else ''},"
    return Row(
        f"marks_first.{one.name}",
        f"greatest K_min for {one.name} [t_ECN]",
        float(greatest),
        "B",
        f"{paused} / ({n} x (1 + {p} x {alpha})){written}",
        _SOURCE,
        *check(minimum <= greatest, f"{planned} must be at most that, {feeds}{remedy}"),
    )


def _marks_first(switch: Switch, one: Class) -> Fraction:
    """Returns the largest K_min at which a class always marks before it pauses.

    n K <= alpha (B - p n K) - tau: one port feeds the queues of all, and every class of every port has as much. B is
    the pool of an MMU, n its ports. With alpha = beta / p and all memory in the pool this is the paper's formula.
    """
    alpha = least_written(alpha_of(one, switch))
    per_queue = switch.ports_per_mmu * (1 + len(switch.lossless) * alpha)
    return (alpha * pools.of(switch).lossless - _margin(switch)) / per_queue


def _margin(switch: Switch) -> int:
    """Returns the bytes below its threshold at which a queue may pause: DSH keeps room for a worst case [tau]."""
    if switch.plan.headroom.scheme is not Scheme.DSH:
        return 0
    return max(headroom.chosen_bytes(switch, group) for group in switch.groups)


def _remedy(switch: Switch, minimum: Fraction, greatest: Fraction) -> str:
    """Names a change that lets a class mark before it pauses: a lower K_min, or the smallest alpha of switches."""
    filled = switch.ports_per_mmu * minimum
    free = pools.of(switch).lossless - len(switch.lossless) * filled
    enough = (power for power in range(-8, 8) if Fraction(2) ** power * free >= filled + _margin(switch))
    alphas = [f"alpha of {Fraction(2) ** power}" for power in enough][:1]
    sizes = [f"K_min of at most {int(greatest):,} B"] if greatest >= 1 else []
    return "expected " + (" or ".join(sizes + alphas) or "more memory, or fewer lossless classes")


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


def _recovery(switch: Switch, own: Dcqcn) -> Row:
    """Returns the row of the time that additive increase takes to fill a port whose flows began at once."""
    rate, increase, timer = switch.fastest.rate_bps, own.additive_increase or _INCREASE_BPS, own.timer or _TIMER_PS
    formula = f"{rate / 1e9:g} Gb/s / ({_FLOWS} x {increase / 1e6:g} Mb/s) x {timer / 1e6:g} us"
    time_us = Fraction(rate, _FLOWS * increase) * timer / 10**6
    quantity = f"time for {_FLOWS} flows to regain a port, R_AI a timer"
    return Row("recovery_time", quantity, float(time_us), "us", formula, "DCQCN, section 3.2", shown_in="ms")
