"""The plan file: what an operator knows of chip, fabric and classes, checked before anything is computed."""

from __future__ import annotations

import re
from difflib import get_close_matches
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    AfterValidator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    ValidationInfo,
    field_validator,
    model_validator,
)

from xoff.errors import PlanError, unfit
from xoff.scenario import catalogue
from xoff.switches.ethernet import ETHERNET_MBPS, LEAST_MTU, nearest_rates
from xoff.switches.plan.at_rate import AtRate, PortThresholdAtRate, RampAtRate, ThresholdAtRate
from xoff.switches.plan.quantities import Length, Rate, Ratio, Size, Time
from xoff.text.line import quoted
from xoff.text.model_file import Kind, Line, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LIGHT_METRES_PER_SECOND = 300_000_000
"""Speed of light in a vacuum, as the papers round it [c]."""


class Method(StrEnum):
    """Formula that headroom is computed by."""

    PUBLISHED = "published"
    IEEE = "ieee"
    WIRE = "wire"
    SONIC = "sonic"
    ANNEX = "annex"
    REVERIE = "reverie"
    HPCC = "hpcc"
    SIMULATOR = "simulator"


class Scheme(StrEnum):
    """Scheme that headroom is set aside by."""

    SIH = "sih"
    DSH = "dsh"
    OVERSUBSCRIBED = "oversubscribed"


_LONGEST_NAME = 30
"""Letters of a group's name: with what formats put before it, NX-OS takes 40."""
_PORT_NAME = re.compile(r"[A-Za-z][A-Za-z0-9./:_-]{0,62}")
"""One word for every format.

Spaces, quotes, `$`, `;`, `|`, `!` and `?` mean something to shells, command lines or keys of SONiC's tables.
"""


def _group_name(name: str) -> str:
    if not name.isprintable() or not 0 < len(name) <= _LONGEST_NAME:
        problem = f"{quoted(name)} is no name of a group"
        raise unfit(problem, f"expected 1 to {_LONGEST_NAME} characters in one line, all of which can be seen")
    return name


def _port_name(name: str) -> str:
    if not _PORT_NAME.fullmatch(name):
        expected = "expected a letter, then at most 62 letters, digits and ./:_-, such as Ethernet1/1 or swp1s0"
        raise unfit(f"no switch has a port called {quoted(name)}", expected)
    return name


class Ports(Table):
    """Ports that are alike."""

    name: Annotated[str, AfterValidator(_group_name)] = "ports"
    """Name of the group in rows and in exported configuration, where there are several groups."""
    count: Annotated[StrictInt, Field(ge=1)] | None = None
    """Number of ports; left out, as many as there are names, or all of the chip."""
    names: tuple[Annotated[str, AfterValidator(_port_name)], ...] | None = None
    """Names of the ports, a letter and then letters, digits and ./:_-; left out, `Ethernet0` and on."""
    step: Annotated[StrictInt, Field(ge=1, le=16)] | None = None
    """Lanes of each port, by which SONiC counts names that are left out: with 4, `Ethernet0`, `Ethernet4` and on."""
    rate: Annotated[Rate, Field(ge=10**6)] | None = None
    """Left out, that of the chip's ports [C]."""
    cable: Length | None = None
    """Length of the cable; instead of `delay`."""
    delay: Time | None = None
    """Propagation, one way; instead of `cable` [D]."""
    velocity_factor: Annotated[Ratio, Field(gt=0, le=1)] = Fraction(66, 100)
    """Speed of a signal in the cable, as a share of that of light."""

    @field_validator("rate")
    @classmethod
    def _of_ethernet(cls, rate: int | None) -> int | None:
        if rate is not None and Fraction(rate, 10**6) not in ETHERNET_MBPS:
            near = nearest_rates(rate // 10**6)
            raise unfit(f"no Ethernet has {rate / 1e9:g} Gb/s", f"expected a rate of IEEE 802.3, such as {near}")
        return rate

    @model_validator(mode="after")
    def _one_of_two(self) -> Ports:
        if (self.cable is None) == (self.delay is None):
            problem = "has neither cable nor delay" if self.cable is None else "has both cable and delay"
            raise unfit(problem, "expected one of them")
        if self.names is not None and self.count is not None and len(self.names) != self.count:
            raise unfit(f"names {len(self.names)} ports and counts {self.count}", "expected one of names and count")
        if self.names is not None and self.step is not None:
            raise unfit("has names and a step between names", "expected one of them")
        return self

    @property
    def delay_ps(self) -> int:
        """Propagation, one way, rounded up."""
        if self.cable is None:
            return self.delay or 0
        seconds = self.cable / (self.velocity_factor * LIGHT_METRES_PER_SECOND)
        return -(-seconds * 10**12 // 1)

    @property
    def cable_m(self) -> Fraction:
        """Length of the cable, or of one with that delay."""
        if self.cable is not None:
            return self.cable
        return Fraction(self.delay or 0, 10**12) * self.velocity_factor * LIGHT_METRES_PER_SECOND


class Class(Table):
    """A class of traffic, or several that are alike."""

    name: Annotated[str, Field(pattern="^[A-Za-z][A-Za-z0-9_-]*$", max_length=30)]
    """Name of the class in exported configuration, followed by the priority where there are several."""
    priorities: Annotated[tuple[Annotated[StrictInt, Field(ge=0, le=7)], ...], Field(min_length=1)]
    """Of 802.1p, of the queue and of PFC."""
    lossless: StrictBool = False
    """Whether its senders are paused (PFC) rather than its packets dropped."""
    dscp: Annotated[StrictInt, Field(ge=0, le=63)] | None = None
    """Left out, the class selector: eight times the priority."""
    alpha: Annotated[Ratio, Field(gt=0)] | None = None
    """Share of the free pool that one queue may take; left out, 1/8 if lossless (DCQCN says its own), else 1."""
    reserved: Size = 0
    """Guaranteed to its queue at each port."""

    @model_validator(mode="after")
    def _dscp_of_one(self) -> Class:
        if self.dscp is not None and len(self.priorities) > 1:
            raise unfit(f"has one dscp for {len(self.priorities)} priorities", "expected a class for each, or no dscp")
        return self

    @property
    def names(self) -> dict[int, str]:
        """Returns the names of the class in exported configuration, by priority."""
        several = len(self.priorities) > 1
        return {priority: f"{self.name}{priority}" if several else self.name for priority in self.priorities}

    def dscp_of(self, priority: int) -> int:
        """The one that stands for a priority."""
        return 8 * priority if self.dscp is None else self.dscp


class Headroom(Table):
    """Memory set aside for what still arrives after a pause."""

    method: Method = Method.IEEE
    """By which formula."""
    scheme: Scheme = Scheme.SIH
    """For each class of each port, or shared."""
    size: Annotated[Size, Field(gt=0)] | None = None
    """Bytes for each class of each port, instead of by formula [Phi]."""
    round_up: Annotated[Size, Field(gt=0)] = 1
    """The formula's bytes are rounded up to a multiple of this."""
    ratio: Annotated[Ratio, Field(gt=0, le=1)] | None = None
    """Share that is set aside of what all queues may need; only with `scheme = "oversubscribed"`."""
    xon_offset: Size | None = None
    """Bytes below the pause threshold at which a sender resumes; left out, two packets of `mtu`."""
    saturated_queues: tuple[Annotated[StrictInt, Field(ge=1)], ...] = (1, 8, 16, 32)
    """Numbers of busy queues for which the share of each is computed [M]."""
    background_queues: Annotated[StrictInt, Field(ge=0)] = 2
    """Queues that are busy while a burst comes."""
    burst_queues: Annotated[StrictInt, Field(ge=2)] = 16
    """Queues by which a burst comes."""
    cell: Annotated[Size, Field(gt=0)] | None = None
    """Size of a memory cell in SONiC's formula; left out, the chip's."""
    port_mtu: Annotated[Size, Field(gt=0)] = 9100
    """Largest packet of the port in SONiC's formula."""
    lossless_mtu: Annotated[Size, Field(gt=0)] = 1024
    """Largest packet of lossless classes in SONiC's formula."""
    small_packets: Annotated[StrictInt, Field(ge=0, le=100)] = 100
    """Share of small packets in SONiC's formula, in percent."""

    @model_validator(mode="after")
    def _ratio_with_its_scheme(self) -> Headroom:
        if (self.ratio is not None) != (self.scheme is Scheme.OVERSUBSCRIBED):
            problem = 'has a ratio without scheme = "oversubscribed"' if self.ratio else "is oversubscribed by no ratio"
            raise unfit(problem, "expected both or neither")
        return self


class Bcc(Table):
    """Shared-buffer ECN beside that of queues (BCC)."""

    scheme: Literal["bcc"]
    round_trip: Annotated[Time, Field(gt=0)]
    """Base round trip [RTT]."""
    congestion_control: Literal["dctcp", "ecn_star"] = "dctcp"
    """Of the hosts."""
    buffer_round_trips: Annotated[Ratio, Field(gt=0)] | None = None
    """Buffer for full throughput, in round trips at a port's rate; left out, as the paper has it [lambda]."""
    shared: Annotated[Size, Field(gt=0)] | None = None
    """Size of one shared pool; left out, what reserves leave [B]."""
    port_threshold: Annotated[Size, Field(gt=0)] | None = None
    """At which a port marks; left out, lambda C RTT, C of the fastest ports [K]."""
    by_rate: StrictBool = False
    """Whether ports mark by their own rate: at its lambda C RTT, or in proportion to the fastest's `port_threshold`."""
    at_rate: AtRate[PortThresholdAtRate] = Field(default_factory=dict)
    """Instead of all this at ports of a rate, such as `at_rate.25Gbps = { port_threshold = "180kB" }`."""
    ramp: Annotated[Time, Field(gt=0)] = 8_000_000
    """Time by which the two thresholds lie apart, at the rate of all ports together [h]."""
    probability: Annotated[StrictFloat, Field(gt=0, le=1)] = 0.1
    """Of a mark at the upper threshold [P_max]."""
    gain: Annotated[Ratio, Field(gt=0, le=1)] = Fraction(1, 16)
    """Of DCTCP [g]."""


class Dcqcn(Table):
    """ECN that comes before PFC (DCQCN)."""

    scheme: Literal["dcqcn"]
    beta: Annotated[Ratio, Field(gt=0)] = Fraction(8)
    """Share of the free buffer at which senders are paused, of all classes of a port together [beta]."""
    minimum: Annotated[Size, Field(gt=0)] = 5000
    """Length of a queue up to which no packet is marked [K_min]."""
    maximum: Annotated[Size, Field(gt=0)] = 200_000
    """Length above which every packet is marked [K_max]."""
    probability: Annotated[StrictFloat, Field(gt=0, le=1)] = 0.01
    """Of a mark at `maximum` [P_max]."""
    by_rate: StrictBool = False
    """Whether `minimum` and `maximum` are those of the fastest ports, and of others in proportion to their rate."""
    at_rate: AtRate[RampAtRate] = Field(default_factory=dict)
    """Instead of all this at ports of a rate, such as `at_rate.25Gbps = { minimum = "20kB", maximum = "80kB" }`."""
    gain: Annotated[Ratio, Field(gt=0, le=1)] = Fraction(1, 256)
    """Weight of the newest period in alpha [g]."""
    cnp_interval: Annotated[Time, Field(gt=0)] = 50_000_000
    """Least time between two CNPs of a flow [N]."""
    cnp_priority: Annotated[StrictInt, Field(ge=0, le=7)] = 7
    """Class of CNPs."""
    additive_increase: Annotated[Rate, Field(ge=10**6)] | None = None
    """Added to the target rate after fast recovery; left out, what hosts have, and simulated as the paper's [R_AI]."""
    hyper_increase: Annotated[Rate, Field(ge=10**6)] | None = None
    """Added to it by a hyper increase; left out, likewise [R_HAI]."""
    timer: Annotated[Time, Field(ge=10**6)] | None = None
    """Time from one increase to the next; left out, likewise [T]."""

    @model_validator(mode="after")
    def _maximum_above_minimum(self) -> Dcqcn:
        if self.maximum <= self.minimum:
            raise unfit(
                f"maximum, {self.maximum:,} B, is not above minimum, {self.minimum:,} B", "expected a ramp between"
            )
        return self


class Dctcp(Table):
    """Marking above one threshold (DCTCP)."""

    scheme: Literal["dctcp"]
    round_trip: Annotated[Time, Field(gt=0)]
    """Base round trip [RTT]."""
    threshold: Annotated[Size, Field(gt=0)] | None = None
    """At which a queue marks; left out, the least number of packets that the bound allows [K]."""
    by_rate: StrictBool = False
    """Whether ports mark by their own rate: by its bound, or in proportion to the fastest's `threshold`."""
    at_rate: AtRate[ThresholdAtRate] = Field(default_factory=dict)
    """Instead of all this at ports of a rate, such as `at_rate.25Gbps = { threshold = "20kB" }`."""
    gain: Annotated[Ratio, Field(gt=0, le=1)] = Fraction(1, 16)
    """Weight of the newest window in alpha [g]."""
    flows: tuple[Annotated[StrictInt, Field(ge=1)], ...] = (2, 10, 40)
    """Numbers of flows whose steady state is computed [N]."""
    initial_window: Annotated[StrictInt, Field(ge=1)] = 2
    """First window, in packets."""
    port_buffer: Annotated[Size, Field(gt=0)] | None = None
    """Bytes that one port may hold, for the bound on incast; left out, its share of memory."""


class Qcn(Table):
    """Congestion notification messages (QCN, 802.1Qau)."""

    scheme: Literal["qcn"]
    set_point: Annotated[Size, Field(gt=0)] = 26_000
    """Bytes that the buffer is to hold [Q_eq]."""
    weight: Annotated[Ratio, Field(gt=0)] = Fraction(2)
    """Weight of the change since the sample before [w]."""
    interval: Annotated[Size, Field(ge=64)] = 150_000
    """Bytes between samples without congestion [I_s], a smallest frame or more."""
    sampling: Literal["arrival", "occupancy"] = "arrival"
    """Frame that is to blame: the one that arrives (802.1Qau), or one that occupies the buffer (QCN-OS)."""
    buffer: Annotated[Size, Field(gt=0)]
    """Of one input."""
    stop: Annotated[Size, Field(gt=0)]
    """Occupancy at which the sender is paused."""
    go: Size
    """Occupancy at which it resumes."""
    hot_inputs: Annotated[StrictInt, Field(ge=3)] = 6
    """Flows of a hotspot, one of them innocent [K]."""
    timer: Annotated[Time, Field(gt=0)] = 15_000_000_000
    """Of the reaction point."""

    @model_validator(mode="after")
    def _in_order(self) -> Qcn:
        for less, more in (("go", "stop"), ("stop", "buffer")):
            if getattr(self, less) >= getattr(self, more):
                message = f"{less}, {getattr(self, less):,} B, is not below {more}, {getattr(self, more):,} B"
                raise unfit(message, "expected go below stop, and stop below buffer")
        return self


class Hpcc(Table):
    """Windows by in-band telemetry (HPCC, PowerTCP)."""

    scheme: Literal["hpcc"]
    congestion_control: Literal["hpcc", "power_tcp"] = "hpcc"
    """Of the hosts."""
    round_trip: Annotated[Time, Field(gt=0)] | None = None
    """Base round trip; left out, the propagation of eight links, from leaf to spine to leaf and back [T]."""
    utilization: Annotated[Ratio, Field(gt=0, lt=1)] = Fraction(95, 100)
    """Share of a link that flows use together [eta]."""
    flows: Annotated[StrictInt, Field(ge=1)] = 100
    """Flows that are expected to share a link [N]."""


Congestion = Annotated[Bcc | Dcqcn | Dctcp | Qcn | Hpcc, Field(discriminator="scheme")]


_MILLISECOND = 10**9


class Watchdog(Table):
    """Watchdog of queues that are paused for too long; `[pfc.watchdog]` of a scenario tries it out."""

    action: Literal["drop", "forward"] = "drop"
    """Treatment of the packets of such a queue."""
    detection_time: Time = 200 * _MILLISECOND
    """For how long it must have been paused, 100 ms to 5 s as SONiC has it [T0]."""
    restoration_time: Time | None = None
    """Time for which pauses must be over, 100 ms to 60 s; left out, twice the `detection_time` [T1]."""

    @field_validator("detection_time", "restoration_time")
    @classmethod
    def _in_range(cls, time: int | None, info: ValidationInfo) -> int | None:
        longest = 5000 if info.field_name == "detection_time" else 60_000
        if time is not None and not 100 * _MILLISECOND <= time <= longest * _MILLISECOND:
            raise unfit(f"no switch takes {time / _MILLISECOND:g} ms", f"expected 100ms to {longest // 1000}s")
        return time


class Plan(Table):
    """A plan as it was written."""

    title: Line
    """Title of the plan."""
    chip: str
    """As `xoff list chips` names it."""
    memory: Annotated[Size, Field(gt=0)] | None = None
    """Instead of the chip's, where a paper counts it otherwise."""
    mmus: Annotated[StrictInt, Field(ge=1)] | None = None
    """Parts of memory with ports of their own; instead of the chip's, where a paper takes memory as one pool."""
    mtu: Annotated[Size, Field(gt=0)] = 1500
    """The largest packet, without its Ethernet header [L_MTU]."""
    lossy_pool: Size | None = None
    """Bytes of memory for lossy classes; left out, a quarter of what reserves and headroom leave."""
    ports: Annotated[tuple[Ports, ...], Field(min_length=1)]
    """Groups of ports, in the order in which MMUs take them, as many each."""
    classes: Annotated[tuple[Class, ...], Field(min_length=1, alias="class")]
    """Classes of traffic."""
    headroom: Headroom = Headroom()
    """Memory set aside for what still arrives after a pause; its rows come where a class is lossless."""
    congestion: Congestion | None = None
    """Scheme by which the switch signals congestion; left out, none."""
    watchdog: Watchdog | None = None
    """Watchdog of queues that are paused for too long; left out, the default of the switch's system."""
    printed: dict[str, str] = Field(default_factory=dict)
    """Values that a paper prints, by the key of a row."""

    @field_validator("chip")
    @classmethod
    def _known(cls, name: str) -> str:
        names = [chip["name"] for chip in catalogue.chips()]
        if name not in names:
            near = get_close_matches(name, names, 3, 0.5)
            asked = f"did you mean {' or '.join(near)}? " if near else ""
            raise unfit(f'there is no chip "{name}"', f"{asked}`xoff list chips` names them")
        return name

    @field_validator("mtu")
    @classmethod
    def _carries_ip(cls, mtu: int) -> int:
        if mtu < LEAST_MTU:
            raise unfit(
                f"no link carries IP in packets of {mtu} B at the most", f"expected at least {LEAST_MTU}B (RFC 791)"
            )
        return mtu

    @field_validator("ports")
    @classmethod
    def _told_apart(cls, ports: tuple[Ports, ...]) -> tuple[Ports, ...]:
        names = (identifier(group.name).lower() for group in ports)
        _once("a group called", names, "names that differ in letters or digits")
        stepped = next((group.name for group in ports if group.step is not None), None)
        named = next((group.name for group in ports if group.names is not None), None)
        if stepped is not None and named is not None:
            raise unfit(
                f"are counted by a step in {stepped} and named in {named}", "expected names in all groups or in none"
            )
        return ports

    @field_validator("classes")
    @classmethod
    def _disjoint(cls, classes: tuple[Class, ...]) -> tuple[Class, ...]:
        _once("priority", (priority for one in classes for priority in one.priorities), "each in one class")
        _once("a class called", (name.lower() for one in classes for name in one.names.values()), "names that differ")
        _once("dscp", (one.dscp_of(priority) for one in classes for priority in one.priorities), "each in one class")
        return classes


def identifier(name: str) -> str:
    """A name of the plan as a part of one of a switch."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", name)


def _once(what: str, found: Iterable[int | str], expected: str) -> None:
    taken = set()
    for value in found:
        if value in taken:
            raise unfit(f"has {what} {value} twice", f"expected {expected}")
        taken.add(value)


_SCHEMES: dict[str, type[Table]] = {"bcc": Bcc, "dcqcn": Dcqcn, "dctcp": Dctcp, "qcn": Qcn, "hpcc": Hpcc}
START = "`xoff init plan` writes one to start from"
_PLAN = Kind(
    Plan,
    PlanError,
    START,
    {"congestion": _SCHEMES},
)


def load(path: str | Path, changes: Sequence[str] = ()) -> Plan:
    """Reads a plan file, changed (`KEY=VALUE`). Raises PlanError, one line that names file, key and remedy."""
    return _PLAN.load(Path(path), changes)


def parse(text: str, file: str | None = None, changes: Sequence[str] = ()) -> Plan:
    """A plan from TOML, changed (`KEY=VALUE`). Raises PlanError."""
    return _PLAN.parse(text, file, changes)
