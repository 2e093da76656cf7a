"""Settings of a switch and of its hosts in plain numbers, as a plan or a scenario gives them and formats write them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class Ecn:
    """Marking ramp: no packet is marked up to `minimum_bytes`, every one above `maximum_bytes`.

    A step, as DCTCP has it, has both at one place and probability 1.
    """

    minimum_bytes: int
    """[K_min]"""
    maximum_bytes: int
    """[K_max]"""
    probability: float
    """Probability of a mark at `maximum_bytes` [P_max]."""
    marks_only: bool = False
    """Whether packets that are not ECN-capable pass where they would be dropped instead of marked."""


@dataclass(frozen=True)
class Pause:
    """Thresholds at which senders into a port pause, for each of its lossless classes, in bytes."""

    headroom_bytes: int
    """For what still arrives after a pause [Phi]; DSH sets it aside once for each port, others for each class."""
    xoff_bytes: int | None
    """Occupancy above which the sender pauses, where it is fixed; None where `TrafficClass.alpha` decides."""
    xon_offset_bytes: int
    """Bytes that the occupancy must fall below the pause threshold before senders resume."""
    alphas: tuple[tuple[int, float], ...] = ()
    """Priorities of classes whose `TrafficClass.alpha` is another at these ports, and that."""

    @property
    def xon_bytes(self) -> int | None:
        """Occupancy at which the sender may resume, where the one for pausing is fixed."""
        return None if self.xoff_bytes is None else max(0, self.xoff_bytes - self.xon_offset_bytes)


@dataclass(frozen=True)
class PortGroup:
    """Ports that are alike."""

    name: str
    ports: tuple[str, ...]
    """Names of the ports, such as `Ethernet0`."""
    rate_bps: int
    delay_ps: int
    """Propagation, one way."""
    cable_m: float
    """The cable of that delay."""
    pause: Pause | None
    """None where no class is lossless."""
    step: int = 1
    """Lanes of each, by which SONiC counts ports that the plan does not name."""
    ecn: tuple[tuple[int, Ecn | None], ...] = ()
    """Priorities of classes whose `TrafficClass.ecn` is another at these ports, and that."""


@dataclass(frozen=True)
class TrafficClass:
    """A class of traffic: one queue of every port."""

    name: str
    priority: int
    """0 to 7: of 802.1p, of the queue and of PFC."""
    dscp: int
    """DSCP that packets of the class carry."""
    lossless: bool
    alpha: float
    """Share of the free pool that one queue may take [alpha]."""
    reserved_bytes: int
    """Guaranteed to its queue at each port [rho, S_min]."""
    ecn: Ecn | None
    """On each queue of it."""
    weight: int | None = None
    """Share of the link among classes that take turns; None where the plan gives none."""
    strict: bool = False
    """Whether it goes before those that take turns, the highest first."""


@dataclass(frozen=True)
class Pools:
    """Packet memory of each MMU, as that with most headroom and reserves has room for it, in bytes.

    Reserves are in none of these pools, and what a plan does not use is 0.
    """

    mmus: int
    """Number of such parts of the chip, each with up to `ports_per_mmu` ports of its own."""
    ports_per_mmu: int
    lossless_bytes: int
    """Shared by lossless classes."""
    lossy_bytes: int
    """Shared by lossy classes."""
    headroom_bytes: int
    """All headroom together of the MMU with most of it."""
    ecn: Ecn | None
    """On the occupancy of the whole pool (BCC)."""


@dataclass(frozen=True)
class HostSettings:
    """Settings of the hosts' adapters."""

    congestion_control: str
    """As `xoff list algorithms` names it."""
    priority: int
    dscp: int
    gain: float | None
    """Weight of the newest sample in the average share of marks [g]."""
    cnp_interval_ns: int | None
    """Least time between two CNPs of a flow (DCQCN)."""
    cnp_dscp: int | None
    """DSCP that CNPs carry."""
    cnp_priority: int | None = None
    """Priority that CNPs have."""
    additive_increase_mbps: int | None = None
    """Increase of DCQCN's rates after fast recovery [R_AI]; None for what hosts have by default, as below."""
    hyper_increase_mbps: int | None = None
    """[R_HAI]."""
    timer_us: int | None = None
    """From one increase to the next [T]."""
    parameters: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    """More of the reaction point, by the names that adapters have for it, if a scenario says it."""
    notes: tuple[str, ...] = field(default=(), kw_only=True)
    """Settings that a format writes only nearly, or not at all, a sentence each."""


@dataclass(frozen=True)
class Watchdog:
    """Watchdog of queues that are paused for too long, times in milliseconds."""

    action: str
    """`drop` or `forward`: what becomes of its packets."""
    detection_ms: int
    """For how long it must have been paused [T0]."""
    restoration_ms: int
    """Milliseconds for which pauses must be over before the queue is used again [T1]."""


@dataclass(frozen=True)
class Trimming:
    """Trimming: a packet that has no room loses its payload, and its header goes on."""

    size_bytes: int
    """Frame of a header."""
    priority: int
    """Priority of the class into which the header goes."""
    classes: tuple[int, ...]
    """Priorities of the classes whose packets are trimmed."""
    beside: tuple[str, ...] = ()
    """Other traffic in these classes, whose receivers know nothing of trimmed headers."""


@dataclass(frozen=True)
class Settings:
    """The outcome of a plan."""

    title: str
    chip: str | None
    """As `xoff list chips` names it; None where a scenario names none."""
    memory_bytes: int
    """All packet memory of the chip."""
    cell_bytes: int | None
    """Bytes of the cells in which memory is given out, where that is known."""
    mtu_bytes: int
    """The largest packet, without its Ethernet header."""
    headroom_scheme: str | None
    """`sih`, `dsh`, `oversubscribed`, or None where no class is lossless."""
    groups: tuple[PortGroup, ...]
    classes: tuple[TrafficClass, ...]
    pools: Pools
    hosts: HostSettings | None
    """Settings of the hosts that send; None where the plan says nothing of hosts."""
    watchdog: Watchdog | None = None
    """None where the plan says nothing of it."""
    trimming: Trimming | None = None
    """None where packets that have no room are dropped."""
    source: str = "plan"
    """Kind of file that these settings come from: a plan, or a scenario."""

    @property
    def sets_mtu(self) -> bool:
        """Whether it is said what ports are to take; a scenario only has the packets that its hosts send."""
        return self.source == "plan"

    @property
    def shares_headroom(self) -> bool:
        """Whether headroom is less than what each lossless class of each port may need of it at once."""
        return self.headroom_scheme not in (None, "sih")
