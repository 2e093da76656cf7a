"""Settings for exporters from a scenario's switch and its hosts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple, NotRequired, TypedDict

from xoff.errors import ScenarioError, known
from xoff.scenario import catalogue
from xoff.switches import scenario_values
from xoff.switches.ethernet import HEADER_AND_CHECK_BYTES
from xoff.switches.export import adapters
from xoff.switches.export.trimming import trimming_of
from xoff.switches.headroom import SONIC_CABLE_M_PER_S
from xoff.switches.plan.settings import (
    Ecn,
    HostSettings,
    Pause,
    Pools,
    PortGroup,
    Settings,
    TrafficClass,
    Watchdog,
)
from xoff.switches.scenario_values import Key, Marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xoff.scenario.scenario import Scenario
    from xoff.scenario.topology import Port

_MOST_DSCP = 63
_XOFF_ALPHA = "switch.pfc.xoff.alpha_by_priority[{}]"
_QUEUE = "switch.marking.queue_by_priority.{}"
_FOR_HOSTS = ("dcqcn", "dctcp", "ecn_star", "qcn", "hpcc", "power_tcp")
"""Congestion controls that exporters can write."""


class _Pool(TypedDict):
    ports: int
    shared: int
    marked_between: NotRequired[tuple[int, int]]


class _Lossless(TypedDict):
    shared: int
    reserved: int
    xon_offset: int
    headroom: int
    headroom_of_ports: list[int]


class _Memory(TypedDict):
    """Memory of a switch, as `_xoff.Scenario.switch_memory` returns it."""

    classes: list[int]
    """Classes in use; only these have reserves."""
    pools: list[_Pool]
    reserved_per_queue: int
    reserved_per_port: int
    lossless: NotRequired[_Lossless]


class Configured(NamedTuple):
    """Settings to write, and notes on parts of the scenario that are left out."""

    settings: Settings
    notes: tuple[str, ...]


def settings_of(
    scenario: Scenario, switch: str | None = None, chip: str | None = None, dscps: Mapping[int, int] | None = None
) -> Configured:
    """Returns the settings of one of a scenario's switches.

    Args:
        scenario: A scenario whose switches have shared memory and Dynamic Threshold.
        switch: Name of the switch; left out, the first, if the scenario sets all alike.
        chip: Name of the chip; left out, as in the scenario.
        dscps: DSCP of a class by its priority; left out, eight times the priority, the class selector.

    Raises:
        ScenarioError: The scenario cannot run, has no such switch, or one that cannot be configured.
        InputError: There is no such chip.
    """
    if chip is not None:
        known("chip", chip, [one["name"] for one in catalogue.chips()])
    found = _Switch.of(scenario, switch)
    found.check()
    dscps = dscps or {}
    for priority in dscps:
        if priority not in found.classes:
            problem, expected = f"{found.name} has no class {priority}", f"expected one of {_listed(found.classes)}"
            raise ScenarioError(scenario.file, f"--dscp {priority}={dscps[priority]}", problem, expected)
    classes = tuple(found.traffic_class(one, dscps) for one in found.classes)
    hosts = _hosts(scenario, classes, found.fastest_bps)
    trimming, notes = trimming_of(scenario, found.own, [one.priority for one in classes if not one.lossless])
    settings = Settings(
        title=scenario.title,
        chip=chip or found.chip,
        memory_bytes=found.memory_bytes,
        cell_bytes=None,
        mtu_bytes=scenario._core.largest_frame - HEADER_AND_CHECK_BYTES,
        headroom_scheme=str(found.value("switch.pfc.headroom.scheme")) if found.lossless else None,
        groups=tuple(found.groups()),
        classes=classes,
        pools=found.pools(),
        hosts=hosts,
        watchdog=found.watchdog(),
        trimming=trimming,
        source="scenario",
    )
    return Configured(settings, (*_notes(found, settings, dscps), *notes))


@dataclass(frozen=True)
class _Switch:
    """A switch of a scenario."""

    scenario: Scenario
    name: str
    ports: tuple[Port, ...]
    by_rate: dict[int, scenario_values.Said]
    """Settings by rate of ports."""
    classes: list[int]
    """Classes that the scenario names, or those in use if it names none."""
    memory: _Memory
    chip: str | None

    @classmethod
    def of(cls, scenario: Scenario, name: str | None) -> _Switch:
        name = scenario_values.one_switch(scenario, name)
        memory: _Memory = scenario._core.switch_memory(scenario.read_files(), name)
        ports = tuple(port for port in scenario.topology.ports if port.node == name)
        by_rate = {
            rate: scenario_values.of_scenario(scenario, name, rate) for rate in {port.rate_bps for port in ports}
        }
        named = sorted(one["priority"] for one in scenario._core.settings()["class"])
        chip = scenario._core.switch_settings(name).get("chip")
        return cls(scenario, name, ports, by_rate, named or memory["classes"], memory, chip)

    @property
    def fastest_bps(self) -> int:
        """Rate of the fastest ports."""
        return max(self.by_rate)

    @property
    def own(self) -> scenario_values.Said:
        """Settings of the fastest ports."""
        return self.by_rate[self.fastest_bps]

    @property
    def lossless(self) -> _Lossless | None:
        return self.memory.get("lossless")

    @property
    def memory_bytes(self) -> int:
        """Memory of the switch: pools, reserves and headroom."""
        lossy = len(self._lossy(self.memory["classes"]))
        reserved = self.memory["reserved_per_port"] or self.memory["reserved_per_queue"] * max(1, lossy)
        all_pools = sum(pool["shared"] for pool in self.memory["pools"]) + reserved * len(self.ports)
        if self.lossless is None:
            return all_pools
        queues = sum(self.own.lossless.values()) * len(self.ports)
        return all_pools + self.lossless["shared"] + self.lossless["headroom"] + self.lossless["reserved"] * queues

    def _lossy(self, classes: list[int]) -> list[int]:
        return [one for one in classes if not self.own.lossless[one]]

    def value(self, key: str, one: int | None = None) -> scenario_values.Value | None:
        """Returns the value of a key for the fastest ports; None if it is left out."""
        return self.own.values.get(Key(key, one))

    def check(self) -> None:
        """Raises ScenarioError where something cannot be configured at all."""
        scenario_values.check_links(self.scenario, self.name)
        for key, policies in (
            ("switch.buffer.policy", ("dynamic_threshold",)),
            ("switch.pfc.xoff.policy", ("dynamic_threshold", "static_threshold")),
        ):
            policy = self.value(key)
            if policy is not None and policy not in policies:
                problem = f"{policy} of {self.name} is a policy that no format can say"
                raise ScenarioError(self.scenario.file, key, problem, f"expected {' or '.join(policies)}")
        if len({(pool["ports"], pool["shared"]) for pool in self.memory["pools"]}) > 1:
            problem = f"{self.name} has pools that differ"
            raise ScenarioError(self.scenario.file, "switch.pools", problem, "expected equal ones, as MMUs have them")

    def traffic_class(self, one: int, dscps: Mapping[int, int]) -> TrafficClass:
        """Returns a class of traffic."""
        lossless = self.own.lossless[one]
        key = "switch.pfc.xoff" if lossless else "switch.buffer"
        weight = self.value("switch.scheduler.weights[{}]", one)
        reserved = self.lossless["reserved"] if lossless and self.lossless else self.memory["reserved_per_queue"]
        return TrafficClass(
            name=f"class{one}",
            priority=one,
            dscp=dscps.get(one, 8 * one),
            lossless=lossless,
            alpha=float(Fraction(self.value(f"{key}.alpha_by_priority[{{}}]", one) or 1)),
            reserved_bytes=reserved,
            ecn=_ecn(self.own, one),
            weight=int(Fraction(weight)) if weight is not None else None,
            strict=bool(self.value("switch.scheduler.strict[{}]", one)),
        )

    def groups(self) -> Iterator[PortGroup]:
        """Ports by what their links and their headroom are."""
        headroom = self.lossless["headroom_of_ports"] if self.lossless else [None] * len(self.ports)
        kinds: dict[tuple[int, float, int | None], list[int]] = {}
        for number, (port, own) in enumerate(zip(self.ports, headroom, strict=True)):
            kinds.setdefault((port.rate_bps, port.delay_ns, own), []).append(number)
        links = Counter((rate, delay) for rate, delay, _ in kinds)
        for (rate, delay_ns, own), numbers in kinds.items():
            link = f"{rate / 1e9:g}G-{delay_ns:g}ns"
            yield PortGroup(
                name=link if links[rate, delay_ns] == 1 else f"{link}-{own}B",
                ports=tuple(f"Ethernet{number}" for number in numbers),
                rate_bps=rate,
                delay_ps=round(delay_ns * 1000),
                # Delays of cables are rounded up to nanoseconds.
                cable_m=round(delay_ns * 1e-9 * SONIC_CABLE_M_PER_S),
                pause=None if own is None else self._pause(own, rate),
                ecn=tuple(self._differing_ecn(self.by_rate[rate])),
            )

    def _differing_ecn(self, there: scenario_values.Said) -> Iterator[tuple[int, Ecn | None]]:
        for one in self.classes:
            ecn = _ecn(there, one)
            if ecn != _ecn(self.own, one):
                yield one, ecn

    def _pause(self, headroom: int, rate_bps: int) -> Pause:
        assert self.lossless is not None, "it has headroom"
        fixed = self.value("switch.pfc.xoff.threshold")
        there = self.by_rate[rate_bps].values
        alphas = ((one, there.get(Key(_XOFF_ALPHA, one)), self.value(_XOFF_ALPHA, one)) for one in self.classes)
        differing = ((one, float(Fraction(alpha))) for one, alpha, own in alphas if alpha not in (None, own))
        xoff = None if fixed is None else int(Fraction(fixed))
        return Pause(headroom, xoff, self.lossless["xon_offset"], tuple(differing))

    def pools(self) -> Pools:
        """Returns the pools of each MMU, where each has pools of its own; lossless classes share one pool."""
        pools, classes = self.memory["pools"], self._lossy(self.classes)
        idle = len(classes) - len(self._lossy(self.memory["classes"]))  # which have their reserves from the pool
        reserves = self.memory["reserved_per_queue"] * idle * len(self.ports)
        lossy = sum(pool["shared"] for pool in pools) - reserves if classes else 0
        if self.lossless is not None:
            headroom = self.lossless["headroom"]
            return Pools(1, len(self.ports), self.lossless["shared"], lossy, headroom, self._ecn_of_pool)
        return Pools(len(pools), pools[0]["ports"], 0, lossy // len(pools), 0, self._ecn_of_pool)

    @property
    def _ecn_of_pool(self) -> Ecn | None:
        ends, marks = self.memory["pools"][0].get("marked_between"), self.own.marks["pool"]
        if ends is None or marks is None:
            return None
        return Ecn(*ends, float(1 if marks.probability is None else marks.probability))

    def watchdog(self) -> Watchdog | None:
        """Times are rounded up to milliseconds."""
        action = self.value("pfc.watchdog.action")
        if action is None:
            return None
        times = (self.value(key) or 0 for key in ("pfc.detection_time", "pfc.watchdog.restoration_time"))
        return Watchdog(str(action), *(ceil(Fraction(time)) for time in times))


def _ecn(there: scenario_values.Said, one: int) -> Ecn | None:
    """Returns the ECN marking of a class's queues, or else that of whole ports, on each queue."""
    of_queue: dict[str, Any] = {field: there.values.get(Key(f"{_QUEUE}.{field}", one)) for field in Marks._fields}
    return _ramp(Marks(**of_queue)) or _ramp(there.marks["port"])


def _ramp(marks: Marks | None) -> Ecn | None:
    """Returns marks as a ramp; nothing where they are none."""
    if marks is None or marks.kind is not None or marks.minimum is None or marks.maximum is None:
        return None
    probability = float(1 if marks.probability is None else marks.probability)
    return Ecn(marks.minimum, marks.maximum, probability, bool(marks.marks_only))


def _hosts(scenario: Scenario, classes: tuple[TrafficClass, ...], rate_bps: int) -> HostSettings | None:
    """Returns the host settings of the transport that adapts to congestion, if exactly one does.

    Where a file has the classes of flows, theirs is taken to be the first, of RoCE the first lossless one.
    """
    document = scenario._core.settings()
    adapting = {
        one["transport"]: _first(one["priority"]) if "priority" in one else _usual(one["transport"], document, classes)
        for one in document["workload"]
        if _algorithm(document["transport"][one["transport"]]) in _FOR_HOSTS
    }
    if len(adapting) != 1:
        return None
    ((name, priority),) = adapting.items()
    transport = document["transport"][name]
    dscps = {one.priority: one.dscp for one in classes}
    algorithm, control = _algorithm(transport), transport["congestion_control"]
    dcqcn = scenario._core.dcqcn_of_adapters(name, rate_bps)
    if dcqcn is None:
        gain = float(control["gain"]) if "gain" in control else None
        return HostSettings(algorithm, priority, dscps[priority], gain, None, None)
    gain, timer_ns, additive_bps, hyper_bps, between_cnps_ns = dcqcn
    cnps = transport.get("cnp_priority", transport["control_priority"])
    in_millions = (ceil(additive_bps / 10**6), ceil(hyper_bps / 10**6), ceil(timer_ns / 1000))
    cnp_dscp = dscps.get(cnps, min(8 * cnps, _MOST_DSCP))
    interval = between_cnps_ns or None  # of adapters, at their own
    exact = {"additive_increase": additive_bps, "hyper_increase": hyper_bps, "timer": 1000 * timer_ns}
    return HostSettings(
        *(algorithm, priority, dscps[priority], gain, interval, cnp_dscp, cnps, *in_millions),
        parameters=adapters.parameters(control),
        notes=tuple(adapters.notes(exact | control, document["host"]["cnp_spacing"])),
    )


def _usual(transport: str, document: dict[str, Any], classes: tuple[TrafficClass, ...]) -> int:
    is_roce = document["transport"][transport]["kind"] == "roce"
    lossless = [one.priority for one in classes if one.lossless and is_roce]
    return next(iter(lossless), classes[0].priority)


def _first(priority: int | list[int]) -> int:
    """Returns the first of the classes among which flows are spread."""
    return priority if isinstance(priority, int) else priority[0]


def _algorithm(transport: dict[str, Any]) -> str:
    return str(transport.get("congestion_control", {}).get("algorithm", ""))


def _notes(found: _Switch, settings: Settings, dscps: Mapping[int, int]) -> Iterator[str]:
    others = [one for one in found.scenario.topology.switches if one != found.name]
    if others:
        yield f"ports, pools and reserves are those of {found.name}; --switch names another"
    told = [f"{one.dscp} of class {one.priority}" for one in settings.classes if one.priority not in dscps]
    if told:
        yield f"DSCPs are eight times the priority, where --dscp says nothing else: {_listed(told)}"
    for one in found.classes:
        kinds = {there.values.get(Key(f"{_QUEUE}.kind", one)): None for there in found.by_rate.values()}
        for kind in filter(None, kinds):
            yield f"class {one}: marks by {kind} are left out: switches have thresholds and ramps"
    if any(_ramp(there.marks["port"]) for there in found.by_rate.values()):
        yield "marks by what a whole port holds are written for each of its queues: no format has them for ports"
    if found.memory["reserved_per_port"]:
        yield f"the reserve of each port, {found.memory['reserved_per_port']:,} B, is left out: queues have theirs"
    if shapers := found.own.values.get(scenario_values.SHAPERS):
        yield f"shapers of ports are left out, as no exporter has commands for them: {shapers}"


def _listed(values: list[Any]) -> str:
    return ", ".join(str(value) for value in values)
