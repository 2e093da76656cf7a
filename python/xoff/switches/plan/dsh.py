"""Static and independent headroom against dynamic and shared (DSH, ICDCS 2023 and ToN 2025)."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from xoff.switches.plan import headroom, pools, ramps
from xoff.switches.plan.classes import alpha_of, largest_alphas, lossless
from xoff.switches.plan.file import Dcqcn, Qcn, Scheme
from xoff.switches.plan.rows import Row, Verdict, check, number

if TYPE_CHECKING:
    from xoff.switches.plan.switch import Switch

_SOURCE = "DSH, section 3"
_CALLED = {Scheme.SIH: "SIH", Scheme.DSH: "DSH", Scheme.OVERSUBSCRIBED: "the oversubscribed pool"}


def equilibrium(shared: int, alpha: Fraction, beside: Fraction, busy: int, margin: int = 0) -> Fraction:
    """Bytes that one of `busy` saturated queues [M] holds as it pauses, `margin` below its threshold [tau].

    `beside` is the sum of the others' alphas; where all have the same, this is (alpha B - tau) / (1 + alpha M).
    """
    return alpha * (shared + busy * margin) / (1 + alpha + beside) - margin


def rows(switch: Switch) -> list[Row]:
    """Budgets of both; what they leave to share, of several MMUs in the fullest, and what a queue gets of it."""
    if not switch.lossless:
        return []
    budgets = [*_budgets(switch), *_chosen(switch)]
    if isinstance(switch.plan.congestion, Qcn):  # inputs pause at STOP, whatever is left to share
        return budgets
    part = pools.fullest(switch)
    return [*budgets, *_shares(part), *_bursts(part)]


def _budgets(switch: Switch) -> list[Row]:
    ports, classes, memory = switch.ports, len(switch.lossless), switch.memory_bytes
    everything, insurance = headroom.of_all_classes(switch), headroom.of_all_ports(switch)
    left = memory - switch.reserved_bytes - everything
    fits = check(
        left >= 0,
        f"must fit {memory:,} B with reserves, {everything + switch.reserved_bytes:,} B",
        otherwise(switch, Scheme.SIH),
    )
    return [
        Row("sih.headroom", "SIH headroom", everything, "B", headroom.spelled(switch, classes), _SOURCE, *fits, "MiB"),
        Row(
            "sih.share",
            "SIH headroom of memory",
            everything / memory * 100,
            "%",
            f"{everything:,} / {memory:,}",
            "DSH, figure 4",
        ),
        Row("dsh.insurance", "DSH insurance", insurance, "B", headroom.spelled(switch), _SOURCE, shown_in="MiB"),
        Row(
            "dsh.saving",
            "memory that DSH saves",
            everything - insurance,
            "B",
            headroom.spelled(switch, classes - 1),
            _SOURCE,
            shown_in="MiB",
        ),
        Row(
            "reserved",
            "reserves of all queues",
            switch.reserved_bytes,
            "B",
            " + ".join(
                f"{one.reserved:,} x {ports * len(one.priorities)}" for one in switch.plan.classes if one.reserved
            )
            or "none",
            _SOURCE,
        ),
    ]


def _chosen(switch: Switch) -> list[Row]:
    own = switch.plan.headroom
    if own.scheme is not Scheme.OVERSUBSCRIBED:
        return []
    everything = headroom.of_all_classes(switch)
    ratio = float(own.ratio or 1)
    why = f"must be all of it, or {1 - ratio:.0%} of queues that all need headroom at once lose packets"
    verdict = check(ratio >= 1, why, Verdict.WARNS)
    pool, largest = headroom.set_aside(pools.fullest(switch)), _largest(switch)
    if pool < largest:
        where = "" if switch.mmus == 1 else " in each MMU"
        verdict = Verdict.FAILS, f"must be {largest:,} B{where}, what one queue alone needs, and is {pool:,} B"
    return [
        Row(
            "headroom_pool",
            "oversubscribed pool",
            headroom.set_aside(switch),
            "B",
            f"{ratio:g} x {everything:,}",
            "SONiC",
            *verdict,
            "MiB",
        )
    ]


def _shares(switch: Switch) -> list[Row]:
    alpha, memory, of = _alpha(switch), switch.memory_bytes, _of_class(switch)
    found = []
    for name, aside, margins in _schemes(switch):
        shared, lossy = pools.beside(switch, aside)
        formula = f"{memory:,} - {switch.reserved_bytes:,} in reserves - {aside:,}"
        found.append(
            Row(
                f"{name}.shared",
                f"shared pool under {_CALLED[name]}",
                shared,
                "B",
                f"{formula} - {lossy:,} for lossy classes" if lossy else formula,
                _SOURCE,
                *check(shared > 0, "must be above 0", otherwise(switch, name)),
                "MiB",
            )
        )
        found.append(
            Row(
                f"{name}.threshold",
                f"first threshold{of} under {_CALLED[name]} [T]",
                float(alpha * shared),
                "B",
                f"{alpha} x {shared:,}",
                "DSH, section 2",
            )
        )
        found += [_share(switch, name, shared, margin, busy) for margin in margins for busy in _busy(switch)]
    return found


def _share(switch: Switch, name: Scheme, shared: int, margin: int, busy: int) -> Row:
    alpha, mtu = _alpha(switch), switch.plan.mtu
    beside = largest_alphas(switch, busy - 1)
    share = equilibrium(shared, alpha, beside, busy, margin)
    tau = f", tau {margin:,}" if margin else ""
    quantity, formula = f"each of {busy} queues", f"({alpha} x {shared:,} - {margin:,}) / (1 + {alpha} x {busy})"
    if named := _of_class(switch):
        quantity = f"a queue{named} beside {busy - 1} others of largest alpha" if busy > 1 else f"a queue{named} alone"
        formula = f"{alpha} ({shared:,} + {busy} x {margin:,}) / (1 + {alpha} + {float(beside):g}) - {margin:,}"
    instead = otherwise(switch, name)
    verdict = check(share > 2 * mtu, f"must be above two packets, {2 * mtu:,} B", instead)
    if isinstance(switch.plan.congestion, Dcqcn) and share > 2 * mtu:
        minimum = ramps.largest_minimum(switch, switch.plan.congestion)
        verdict = check(share > minimum, f"must be above ECN's K_min, {minimum:,} B", instead)
    key = f"{name}.share.{busy}" + (".margin" if margin else "")
    return Row(key, f"{quantity} under {_CALLED[name]}{tau}", float(share), "B", formula, _SOURCE, *verdict)


def _bursts(switch: Switch) -> list[Row]:
    own, alpha = switch.plan.headroom, _alpha(switch)
    queues, busy = own.burst_queues, own.burst_queues + own.background_queues
    beside = alpha * (queues - 1) + largest_alphas(switch, own.background_queues)
    if busy > _queues(switch):
        return []
    found = []
    for name, aside, margins in _schemes(switch):
        shared = pools.beside(switch, aside).lossless
        for margin in margins:
            share = equilibrium(shared, alpha, beside, busy, margin)
            burst = queues * share * Fraction(queues, queues - 1) / switch.memory_bytes * 100
            formula = f"{queues} x {number(share)} x {queues}/{queues - 1} / {switch.memory_bytes:,}"
            key = f"{name}.burst" + (".margin" if margin else "")
            tau = f", tau {margin:,}" if margin else ""
            quantity = f"burst{_of_class(switch)} without a pause under {_CALLED[name]}{tau}, of memory"
            found.append(Row(key, quantity, float(burst), "%", formula, "DSH, ICDCS 2023"))
    by_key = {row.key: row.value for row in found}
    if by_key["sih.burst"] > 0 and "dsh.burst.margin" in by_key:
        ratio = by_key["dsh.burst.margin"] / by_key["sih.burst"]
        formula = f"{by_key['dsh.burst.margin']:.4g} / {by_key['sih.burst']:.4g}"
        found.append(Row("dsh.burst_ratio", "burst under DSH over SIH", ratio, "", formula, "DSH, ICDCS 2023"))
    return found


def _schemes(switch: Switch) -> list[tuple[Scheme, int, tuple[int, ...]]]:
    """SIH, DSH, and the plan's where it is another: what each sets aside, and the margins [tau] of its queues."""
    phi = _largest(switch)
    found: list[tuple[Scheme, int, tuple[int, ...]]] = [
        (Scheme.SIH, headroom.of_all_classes(switch), (0,)),
        (Scheme.DSH, headroom.of_all_ports(switch), (0, phi) if phi else (0,)),
    ]
    if switch.plan.headroom.scheme is Scheme.OVERSUBSCRIBED:
        found.append((Scheme.OVERSUBSCRIBED, headroom.set_aside(switch), (0,)))
    return found


def _largest(switch: Switch) -> int:
    return max(headroom.chosen_bytes(switch, group) for group in switch.groups)


def otherwise(switch: Switch, scheme: Scheme) -> Verdict:
    """Returns the verdict on a check that does not hold: a failure for the plan's own scheme, a warning for another."""
    return Verdict.FAILS if scheme is switch.plan.headroom.scheme else Verdict.WARNS


def _alpha(switch: Switch) -> Fraction:
    """Returns the alpha of the lossless class that may take least: what holds for that class holds for all."""
    return alpha_of(lossless(switch)[0], switch)


def _of_class(switch: Switch) -> str:
    """Names the class, where classes have different alphas."""
    least, *others = lossless(switch)
    return f" of {least.name}" if any(alpha_of(one, switch) != _alpha(switch) for one in others) else ""


def _busy(switch: Switch) -> list[int]:
    """Returns the plan's counts of busy queues, each at most the number of queues."""
    return sorted({min(busy, _queues(switch)) for busy in switch.plan.headroom.saturated_queues})


def _queues(switch: Switch) -> int:
    return switch.ports * len(switch.lossless)
