"""Configuration that an exporter answers with, and the sentences and numbers that several exporters share."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass, replace
from itertools import accumulate, groupby
from math import ceil
from typing import TYPE_CHECKING

from xoff.errors import one_line
from xoff.switches.plan.classes import POWERS, exponent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xoff.switches.plan.settings import Ecn, PortGroup, Settings, TrafficClass, Watchdog


@dataclass(frozen=True)
class Marking:
    """Ports that mark alike.

    Attributes:
        suffix: What tells its name from those of others; empty for that of the fastest ports.
        classes: All classes, with the marks that their packets get there.
        groups: The ports.
    """

    suffix: str
    classes: tuple[TrafficClass, ...]
    groups: tuple[PortGroup, ...]

    @property
    def marked(self) -> list[tuple[TrafficClass, Ecn]]:
        """Classes that the switch marks, each with its thresholds."""
        return [(one, one.ecn) for one in self.classes if one.ecn]


def markings(settings: Settings) -> list[Marking]:
    """Returns all markings of a switch, that of the fastest ports first."""
    alike: dict[tuple[tuple[int, Ecn | None], ...], list[PortGroup]] = {(): []}
    for group in settings.groups:
        alike.setdefault(group.ecn, []).append(group)
    return [
        Marking(
            suffix=f"-{_rates(groups, '-')}" if own else "",
            classes=tuple(replace(one, ecn=dict(own).get(one.priority, one.ecn)) for one in settings.classes),
            groups=tuple(groups),
        )
        for own, groups in alike.items()
    ]


def markings_by_group(settings: Settings) -> dict[str, Marking]:
    """Returns the marking of each group of ports, by its name."""
    return {group.name: marking for marking in markings(settings) for group in marking.groups}


def marks(settings: Settings) -> dict[tuple[str, Ecn], Marking]:
    """Returns all marks of every class by the class's name, each with the first ports that have these marks."""
    found: dict[tuple[str, Ecn], Marking] = {}
    for marking in markings(settings):
        for one, ecn in marking.marked:
            found.setdefault((one.name, ecn), marking)
    return found


def told_marks(settings: Settings) -> list[tuple[str, Ecn]]:
    """Returns the markings, each with the words that notes have for the ports and classes concerned."""
    return [
        (f"class {name} at {_rates(marking.groups, ' and ')}" if marking.suffix else f"class {name}", ecn)
        for (name, ecn), marking in marks(settings).items()
    ]


def _rates(groups: Iterable[PortGroup], between: str) -> str:
    """Names the rates of these ports, by which their marking differs; no name can have the point of 2.5G."""
    rates = dict.fromkeys(group.rate_bps for group in groups)
    return between.join(f"{rate / 1e6:g}M" if rate % 10**9 else f"{rate / 1e9:g}G" for rate in rates)


_LEAST_CABLE_M = 1
"""SONiC makes no lossless profile for 0 m (sonic-swss, cfgmgr/buffermgr.cpp), and Cumulus Linux takes 1 m and more."""


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

    @classmethod
    def of_lines(cls, lines: Iterable[str], notes: Iterable[str], comment: str) -> Export:
        """Makes a configuration of commands, one a line: no name may end the line that it stands in."""
        lines = list(lines)
        assert all(map(str.isprintable, lines)), "names were checked where they were read"
        return cls("".join(f"{line}\n" for line in lines), tuple(notes), comment)

    @property
    def annotated(self) -> str:
        """Text with the notes as comments before it, behind a `#!` line; without them where it can have no comments."""
        if self.comment is None:
            return self.text
        notes = "".join(f"{self.comment} {one_line(note)}\n" for note in self.notes)
        first, end, rest = self.text.partition("\n")
        return f"{first}{end}{notes}{rest}" if first.startswith("#!") else notes + self.text


def alpha_text(alpha: float, powers: range = POWERS) -> str:
    """Returns the power of two nearest to an alpha, as command lines write it: `1/8`, `4`."""
    power = exponent(alpha, powers)
    return str(2**power) if power >= 0 else f"1/{2**-power}"


def percent(probability: float) -> int:
    """Formats a probability in whole percent, at least 1."""
    return max(1, round(probability * 100))


def from_one_byte(ecn: Ecn) -> Ecn:
    """Returns thresholds for switches that take no 0 B."""
    return replace(ecn, minimum_bytes=max(1, ecn.minimum_bytes), maximum_bytes=max(1, ecn.maximum_bytes))


def ranges(numbers: Iterable[int]) -> list[str]:
    """Numbers as `3-4`, `6`."""
    runs = groupby(enumerate(sorted(numbers)), key=lambda pair: pair[1] - pair[0])
    ends = [[number for _, number in run] for _, run in runs]
    return [f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in ends]


def cable_m(group: PortGroup) -> int:
    """Returns the length of a group's cables in whole metres, at least 1."""
    return max(_LEAST_CABLE_M, ceil(group.cable_m))


def cable_notes(settings: Settings) -> list[str]:
    """Says that cables without a length are written with one."""
    without = [group.name for group in settings.groups if group.cable_m <= 0]
    if not without:
        return []
    return [
        f"{', '.join(without)}: no cable is written as {_LEAST_CABLE_M} m of it: for 0 m SONiC makes no lossless "
        "profile, and Cumulus Linux takes no such length"
    ]


_KEPT = ": other names in the plan (names of [[ports]]) are kept"


@dataclass(frozen=True)
class PortNames:
    """Names that a system has for its ports.

    Attributes:
        counted: The names of ports that a plan only counts.
        first: The number of the first.
        known: What the system's names are like, as a regular expression.
        like: The same for people.
        by_lanes: Whether they are counted by their first lanes, and not one by one.
    """

    system: str
    counted: str
    first: int
    known: str
    like: str
    by_lanes: bool = False

    def of(self, settings: Settings) -> dict[str, str]:
        """Returns the system's name of each port by the plan's name; a plan that names ports itself keeps its names."""
        planned = _planned(settings)
        if not _counts_only(planned):
            return {name: name for name in planned}
        steps = [group.step if self.by_lanes else 1 for group in settings.groups for _ in group.ports]
        numbers = accumulate(steps, initial=self.first)
        return {name: self.counted.format(number) for name, number in zip(planned, numbers, strict=False)}

    def notes(self, settings: Settings) -> list[str]:
        """Says where the names come from, if not from the plan, or which of the plan's the system cannot have."""
        planned = _planned(settings)
        if _counts_only(planned):
            names = dict.fromkeys(list(self.of(settings).values())[:: len(planned) - 1 or 1])
            return [
                f"ports are {' to '.join(names)}, counted as the {settings.source} has them; {self.system} "
                f"calls them {self.like}{_KEPT if settings.source == 'plan' else ''}"
            ]
        foreign = [name for name in planned if not re.fullmatch(self.known, name)]
        if not foreign:
            return []
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        return [
            f"{foreign[0]}{more}, as the plan names ports, cannot be in {self.system}, which calls them {self.like}: "
            "this does not load before they are renamed"
        ]


def _planned(settings: Settings) -> list[str]:
    return [port for group in settings.groups for port in group.ports]


def _counts_only(planned: list[str]) -> bool:
    return planned == [f"Ethernet{number}" for number in range(len(planned))]


def reserved(settings: Settings, *, lossless: bool) -> int:
    """Returns the reserves of all queues in bytes, counted on the MMU with most ports."""
    ports = settings.pools.ports_per_mmu * settings.pools.mmus
    return sum(one.reserved_bytes for one in settings.classes if one.lossless is lossless) * ports


def beyond_memory(settings: Settings, all_bytes: int) -> str:
    """Returns a text on the bytes beyond the chip's memory, to put behind a sum; empty if the bytes fit."""
    over = all_bytes - settings.memory_bytes
    return f", {over:,} B more than the chip's {settings.memory_bytes:,} B" if over > 0 else ""


def rounding_notes(settings: Settings, powers: range | None = POWERS) -> list[str]:
    """Says which numbers a power of two, or whole percent, only comes near; without `powers`, no alpha is written."""
    notes = [_alpha_note(one, powers) for one in settings.classes if powers and _is_off(one.alpha, powers)]
    for name, ecn in told_marks(settings):
        if percent(ecn.probability) / 100 != ecn.probability:
            exact, written = f"{ecn.probability * 100:g} %", percent(ecn.probability)
            notes.append(f"{name}: probability {exact} is written as {written} %, whole percent")
    return notes


def _is_off(alpha: float, powers: range) -> bool:
    return 2.0 ** exponent(alpha, powers) != alpha


def _alpha_note(one: TrafficClass, powers: range) -> str:
    why = "a power of two"
    if not 2.0 ** powers[0] <= one.alpha <= 2.0 ** powers[-1]:
        why = f"the {'least' if one.alpha < 1 else 'largest'} there is"
    return f"class {one.name}: alpha {one.alpha:g} is written as {alpha_text(one.alpha, powers)}, {why}"


def from_one_byte_notes(settings: Settings, system: str) -> list[str]:
    """Says which thresholds are written as 1 B, since a system takes no 0 B."""
    return [
        f"{name}: a threshold of 0 B is written as 1 B, the least of {system}"
        for name, ecn in told_marks(settings)
        if from_one_byte(ecn) != ecn
    ]


def watchdog_notes(settings: Settings, why: str) -> list[str]:
    """Says that the plan's PFC watchdog is not written."""
    if settings.watchdog is None:
        return []
    action, detection, restoration = astuple(settings.watchdog)
    planned = f"{action} after {detection} ms, restored after {restoration} ms"
    return [f"the {settings.source}'s PFC watchdog ({planned}) is left out: {why}"]


def dropping_notes(watchdog: Watchdog, why: str) -> list[str]:
    """Says that the PFC watchdog drops, where the plan has it do something else."""
    if watchdog.action == "drop":
        return []
    return [f"the PFC watchdog drops, and does not {watchdog.action} as planned: {why}"]


def resuming_notes(settings: Settings) -> list[str]:
    """Says that senders resume where they paused, if they do."""
    if all(group.pause is None or group.pause.xon_offset_bytes for group in settings.groups):
        return []
    whose = "in the simulations of DSH's paper" if settings.headroom_scheme == "dsh" else "planned"
    return [
        f"senders resume 0 B below the pause, as {whose}: without hysteresis, they may be paused anew by each packet"
    ]


def share_notes(settings: Settings) -> list[str]:
    """Says that shares of the link are not written, and lists them."""
    turns = [one for one in settings.classes if one.weight is not None and not one.strict]
    strict = [one for one in settings.classes if one.strict]
    told = [f"{one.weight} of {one.name}" for one in turns] + [f"{one.name} before all others" for one in strict]
    return [f"shares of the link are left out{': ' if told else ''}{', '.join(told)}"]


def pool_notes(settings: Settings, system: str) -> list[str]:
    """Says that a threshold on the pool (BCC) is not written, and what is nearest."""
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
    """Says that switch features which the hosts' congestion control needs are not written, and what is nearest."""
    control = settings.hosts.congestion_control if settings.hosts else ""
    if control not in _SWITCHES_PART:
        return []
    return [
        f"{_SWITCHES_PART[control]} for {control} is left out: no form is known here. "
        'Nearest is ECN on the queues with DCQCN in the hosts (`scheme = "dcqcn"`)'
    ]
