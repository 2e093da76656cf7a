"""What an exporter answers, and what several of them say and compute alike."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from xoff.plan.classes import exponent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xoff.plan.settings import Settings, TrafficClass


@dataclass(frozen=True)
class Export:
    """A configuration.

    Attributes:
        notes: What it does not say, or only nearly, and what is nearest.
        comment: What begins a comment in it; None where it can have none.
    """

    text: str
    notes: tuple[str, ...]
    comment: str | None = None


def alpha_text(alpha: float) -> str:
    """That power, as command lines have it: `1/8`, `4`."""
    power = exponent(alpha)
    return str(2**power) if power >= 0 else f"1/{2**-power}"


def percent(probability: float) -> int:
    """A probability in whole percent, at least 1."""
    return max(1, round(probability * 100))


def ranges(numbers: Iterable[int]) -> list[str]:
    """Numbers as `3-4`, `6`."""
    runs = groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0])
    ends = [[number for _, number in run] for _, run in runs]
    return [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in ends]


def port_names(settings: Settings, pattern: str, first: int) -> dict[str, str]:
    """Names as a system counts them, where the plan names none itself; otherwise the plan's."""
    planned = [port for group in settings.groups for port in group.ports]
    unnamed = names_nothing(settings)
    return {name: pattern.format(first + index) if unnamed else name for index, name in enumerate(planned)}


def names_nothing(settings: Settings) -> bool:
    """Whether the plan only counts its ports."""
    planned = [port for group in settings.groups for port in group.ports]
    return planned == [f"Ethernet{number}" for number in range(len(planned))]


def static_xoff(settings: Settings) -> int:
    """The threshold that every lossless queue of every port can reach at once [t_PFC] (DCQCN, section 4)."""
    lossless = sum(one.lossless for one in settings.classes)
    return settings.pools.lossless_bytes // (settings.pools.ports_per_mmu * lossless)


def rounding_notes(classes: Iterable[TrafficClass], *, alphas: bool = True) -> list[str]:
    """Numbers that a power of two, or whole percent, only comes near."""
    notes = []
    for one in classes:
        if alphas and 2.0 ** exponent(one.alpha) != one.alpha:
            notes.append(f"class {one.name}: alpha {one.alpha:g} is written as {alpha_text(one.alpha)}, a power of two")
        if one.ecn and percent(one.ecn.probability) / 100 != one.ecn.probability:
            exact, written = f"{one.ecn.probability * 100:g} %", percent(one.ecn.probability)
            notes.append(f"class {one.name}: probability {exact} is written as {written} %, whole percent")
    return notes


def pool_notes(settings: Settings, system: str) -> list[str]:
    """That a threshold on the pool (BCC) is not there, and what is nearest."""
    ecn = settings.pools.ecn
    if ecn is None:
        return []
    ports = settings.pools.ports_per_mmu
    return [
        f"ECN on the shared pool (K_min {ecn.minimum_bytes} B, K_max {ecn.maximum_bytes} B, "
        f"P_max {ecn.probability * 100:g} %) is left out: {system}. Nearest are thresholds of queues alone: "
        f"{ecn.minimum_bytes // ports} B on each of {ports} ports marks before the pool holds K_min, "
        "at the price of throughput when few are busy"
    ]


_SWITCHES_PART = {
    "qcn": "the congestion point (802.1Qau)",
    "hpcc": "in-band telemetry",
    "power_tcp": "in-band telemetry",
}
"""Of congestion controls that need more of switches than marks."""


def feedback_notes(settings: Settings) -> list[str]:
    """That what the hosts' congestion control needs of switches is not there, and what is nearest."""
    control = settings.hosts.congestion_control if settings.hosts else ""
    if control not in _SWITCHES_PART:
        return []
    return [
        f"{_SWITCHES_PART[control]} for {control} is left out: no form is known here. "
        'Nearest is ECN on the queues with DCQCN in the hosts (`scheme = "dcqcn"`)'
    ]
