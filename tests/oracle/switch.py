"""A shared-memory switch in plain numbers, written from papers and decision records and not from the simulator.

It takes packets one by one, as they arrive and leave, and says what becomes of each: where it counts, whether it is
dropped or marked, and which senders pause or resume. Bytes are whole numbers, times are picoseconds.

Sources: Choudhury and Hahne, IEEE/ACM ToN 1998 (Dynamic Threshold); DSH, IEEE/ACM ToN 2025, algorithms 1, 2 and 4 and
equations 3, 10 and 11 (placement, SIH, DSH); DCQCN, SIGCOMM 2015, figure 5 (RED); DCTCP, SIGCOMM 2010, section 3.1
(cut-off marking). Where papers are silent, decisions 9, 14 and 17 of `docs/decisions` rule.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from fractions import Fraction

CLASSES = 8


class Pool:
    """Bytes that queues share, and the rule that divides them."""

    def __init__(self, size: int, policy: Policy, queues: int) -> None:
        self.size, self.used, self._policy, self._queues = size, 0, policy, queues

    def threshold(self, priority: int) -> int:
        """Bytes that one queue of a class may hold now."""
        policy = self._policy
        match policy.name:
            case "complete_sharing":
                return self.size
            case "static_partition":
                return self.size // self._queues
            case "static_threshold":
                return policy.bytes
            case _:
                alpha = policy.alphas[priority]
                return (self.size - self.used) * alpha.numerator // alpha.denominator


@dataclass(frozen=True)
class Policy:
    """Rule by which queues share a pool: its name in scenarios, and its numbers."""

    name: str
    bytes: int = 0
    """Threshold of `static_threshold`."""
    alphas: tuple[Fraction, ...] = ()
    """Alpha of each class of `dynamic_threshold`."""


@dataclass(frozen=True)
class Marker:
    """A marker: cut-off where `minimum` is `maximum`, else RED on the instantaneous length."""

    minimum: int
    maximum: int
    probability: float
    at_departure: bool
    marks_only: bool

    def chance(self, length: int) -> float:
        """Probability with which a packet beside `length` bytes is marked."""
        if length <= self.minimum:
            return 0.0
        if length > self.maximum or self.minimum == self.maximum:
            return 1.0
        return self.probability * (length - self.minimum) / (self.maximum - self.minimum)


@dataclass(frozen=True)
class Lossy:
    """Memory of lossy classes: pools with their ports, and reserves of queues or of ports."""

    pools: tuple[tuple[int, tuple[int, ...]], ...]
    policy: Policy
    reserved: int
    per_port: bool


@dataclass(frozen=True)
class Lossless:
    """Memory of lossless classes, by the ports where packets come in."""

    classes: tuple[int, ...]
    pool: int
    policy: Policy
    reserved: int
    xon_offset: int
    scheme: str
    phi: tuple[int, ...]
    """Bytes that one class of each port may need after a pause."""
    headroom_pool: int = 0
    """Bytes that all queues share, of `oversubscribed`."""
    insurance: tuple[int, ...] = ()
    """Bytes of each port, of `dsh`."""
    shared_headroom: bool = True
    window: int = 0
    """Picoseconds after which a queue that is alone needs no margin, of `dsh`."""


@dataclass(frozen=True)
class Settings:
    """Settings of one switch."""

    ports: int
    classes: tuple[int, ...]
    """Classes in use."""
    rates: tuple[int, ...]
    """Bits per second at which each port receives."""
    lossy: Lossy
    lossless: Lossless | None
    on_queue: Marker | None
    on_port: Marker | None
    on_pool: Marker | None
    cell: tuple[int, int] | None
    """Bytes of a cell, and of a frame's description in its first cell."""
    keeps: bool
    """Whether a packet keeps its memory until its last bit has left."""

    def taken(self, frame: int) -> int:
        """Bytes of memory that a frame takes."""
        if self.cell is None:
            return frame
        size, metadata = self.cell
        return -(-(frame + metadata) // size) * size


class Fate(NamedTuple):
    """Fate of a packet on its arrival."""

    drop: str | None
    """Reason to drop it, for lack of room."""
    held: int
    """Bytes held where it was dropped."""
    limit: int
    """Bytes allowed there."""
    chance: float
    """Probability with which it is marked as it enters."""


class Change(NamedTuple):
    """A sender that is told to pause, or to resume."""

    time: int
    port: int
    priority: int
    pauses: bool


@dataclass
class _LossyQueue:
    bytes: int = 0
    shared: int = 0


class Switch:
    """One switch, with everything that it counts."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        lossy = settings.lossy
        lossless = settings.lossless
        self._lossless_classes = frozenset(lossless.classes if lossless else ())
        lossy_classes = [priority for priority in settings.classes if priority not in self._lossless_classes]
        self._pools = [Pool(size, lossy.policy, len(ports) * len(lossy_classes)) for size, ports in lossy.pools]
        self._pool_of = {
            port: pool for pool, (_, ports) in zip(self._pools, lossy.pools, strict=True) for port in ports
        }
        self._queues = [[_LossyQueue() for _ in range(CLASSES)] for _ in range(settings.ports)]
        self._reserves = [[0] * (1 if lossy.per_port else CLASSES) for _ in range(settings.ports)]
        self.ingress = Ingress(settings, lossless) if lossless else None

    def is_lossless(self, priority: int) -> bool:
        """Whether a class is lossless."""
        return priority in self._lossless_classes

    def arrive(self, now: int, ingress: int, egress: int, priority: int, frame: int, *, waits: bool) -> Fate:
        """Takes in a packet, unless it is dropped. One that does not wait takes no memory (decision 9)."""
        taken, chance = self.settings.taken(frame), self._chance(egress, priority, 0, at_departure=False)
        takes = waits or self.settings.keeps
        if self.ingress and self.is_lossless(priority):
            if not takes:
                self.ingress.pass_by(now, ingress, priority, taken)
                return Fate(None, 0, 0, chance)
            room = self.ingress.arrive(now, ingress, priority, taken)
            if room:
                return Fate("headroom_full", *room, chance)
            self._queues[egress][priority].bytes += taken
            return Fate(None, 0, 0, chance)
        return self._arrive_lossy(egress, priority, taken, chance, takes=takes)

    def _arrive_lossy(self, egress: int, priority: int, taken: int, chance: float, *, takes: bool) -> Fate:
        lossy, queue, pool = self.settings.lossy, self._queues[egress][priority], self._pool_of[egress]
        reserves, index = self._reserves[egress], 0 if lossy.per_port else priority
        if reserves[index] + taken <= lossy.reserved:
            if takes:
                reserves[index] += taken
                queue.bytes += taken
            return Fate(None, 0, 0, chance)
        if pool.used + taken > pool.size:
            return Fate("pool_full", pool.used, pool.size, chance)
        threshold = pool.threshold(priority)
        if queue.shared >= threshold:
            return Fate("threshold", queue.shared, threshold, chance)
        if takes:
            queue.bytes += taken
            queue.shared += taken
            pool.used += taken
        return Fate(None, 0, 0, chance)

    def chance_at_departure(self, egress: int, priority: int, held: int) -> float:
        """Probability with which a packet is marked as it leaves, by what it leaves behind.

        Memory still counts a frame of `held` bytes for it.
        """
        taken = self.settings.taken(held) if held else 0
        return self._chance(egress, priority, taken, at_departure=True)

    def chance_of_drop(self, egress: int, priority: int) -> float:
        """Probability with which a packet that is not ECN-capable is dropped as it comes, by any marker."""
        return self._chance(egress, priority, 0, at_departure=None)

    def _chance(self, egress: int, priority: int, held: int, *, at_departure: bool | None) -> float:
        settings, own = self.settings, self._queues[egress]
        asked: list[tuple[Marker | None, int]] = [
            (settings.on_queue, own[priority].bytes - held),
            (settings.on_port, sum(queue.bytes for queue in own) - held),
        ]
        if not self.is_lossless(priority):
            asked.append((settings.on_pool, self._beside_in_pool(egress, priority, held)))
        unmarked = 1.0
        for marker, length in asked:
            if marker and (not marker.marks_only if at_departure is None else marker.at_departure == at_departure):
                unmarked *= 1.0 - marker.chance(length)
        return 1.0 - unmarked

    def _beside_in_pool(self, egress: int, priority: int, held: int) -> int:
        # What leaves is taken from the shared pool first.
        return self._pool_of[egress].used - min(held, self._queues[egress][priority].shared)

    def leave(self, now: int, ingress: int, egress: int, priority: int, frame: int) -> None:
        """Counts out a packet that took memory."""
        taken = self.settings.taken(frame)
        if self.ingress and self.is_lossless(priority):
            self._queues[egress][priority].bytes -= taken
            self.ingress.leave(now, ingress, priority, taken)
        else:
            self._leave_lossy(egress, priority, taken)

    def _leave_lossy(self, egress: int, priority: int, taken: int) -> None:
        queue, per_port = self._queues[egress][priority], self.settings.lossy.per_port
        from_pool = min(taken, queue.shared)
        queue.bytes -= taken
        queue.shared -= from_pool
        self._pool_of[egress].used -= from_pool
        self._reserves[egress][0 if per_port else priority] -= taken - from_pool


@dataclass
class _IngressQueue:
    reserved: int = 0
    shared: int = 0
    headroom: int = 0
    is_off: bool = False

    @property
    def bytes(self) -> int:
        return self.reserved + self.shared + self.headroom


@dataclass
class _IngressPort:
    queues: list[_IngressQueue] = field(default_factory=lambda: [_IngressQueue() for _ in range(CLASSES)])
    is_off: bool = False

    @property
    def shared(self) -> int:
        return sum(queue.shared for queue in self.queues)

    @property
    def headroom(self) -> int:
        return sum(queue.headroom for queue in self.queues)

    def off(self) -> set[int]:
        """Classes whose sender must pause: the two controls of DSH run side by side, and either pauses."""
        return {number for number, queue in enumerate(self.queues) if self.is_off or queue.is_off}


class Scheme(Protocol):
    """A headroom scheme."""

    def room(self, port: int, queue: int, of_port: int, of_all: int) -> tuple[int, int]:
        """Bytes of headroom held, and allowed, for a packet of a queue with `queue` bytes of it."""

    def margin(self, port: int, priority: int) -> int:
        """Bytes below its threshold at which a queue pauses."""

    def hear(self, now: int, port: int, priority: int, frame: int, shared: int) -> None:
        """Hears of a packet that has arrived, with the shared bytes of its queue."""


class Ingress:
    """Lossless bytes by the port where they came in, and the pauses of senders."""

    def __init__(self, settings: Settings, lossless: Lossless) -> None:
        self._settings = lossless
        self._pool = Pool(lossless.pool, lossless.policy, settings.ports * len(lossless.classes))
        self._ports = [_IngressPort() for _ in range(settings.ports)]
        self._headroom = 0
        self._is_dsh = lossless.scheme == "dsh"
        self.scheme: Scheme = Dsh(settings, lossless) if self._is_dsh else Static(lossless)
        self.changes: list[Change] = []
        """Pauses and resumes that senders were told, in order of time."""

    def bytes(self, port: int, priority: int) -> int:
        """Bytes of a class that came in by a port and are still there."""
        return self._ports[port].queues[priority].bytes

    def arrive(self, now: int, number: int, priority: int, frame: int) -> tuple[int, int] | None:
        """Counts in a packet; returns what headroom held and allowed where it had no room (DSH, algorithm 1)."""
        room = self._place(number, priority, frame)
        if room is None:
            self.scheme.hear(now, number, priority, frame, self._ports[number].queues[priority].shared)
        self._pause(now, number, priority, dropped=room is not None)
        return room

    def pass_by(self, now: int, number: int, priority: int, frame: int) -> None:
        """Hears of a packet that leaves as it comes; margins of DSH go by it, and pauses by them (decision 9)."""
        if self._is_dsh and self._settings.shared_headroom:
            port = self._ports[number]
            self.scheme.hear(now, number, priority, frame, port.queues[priority].shared)
            if port.queues[priority].bytes or port.shared:
                self._pause(now, number, priority, dropped=False)

    def _place(self, number: int, priority: int, frame: int) -> tuple[int, int] | None:
        port = self._ports[number]
        queue, settings, pool = port.queues[priority], self._settings, self._pool
        if queue.reserved + frame <= settings.reserved:
            queue.reserved += frame
            return None
        # After a pause, what comes above the threshold is not for the pool, unless headroom is shared.
        shares_when_off = self._is_dsh and settings.shared_headroom
        may_share = not queue.is_off or shares_when_off or queue.shared < pool.threshold(priority)
        # A port that is off as a whole turns to its insurance, if it has one.
        may_share &= not port.is_off or settings.insurance[number] == 0
        if may_share and pool.used + frame <= pool.size:
            queue.shared += frame
            pool.used += frame
            return None
        held, limit = self.scheme.room(number, queue.headroom, port.headroom, self._headroom)
        if held + frame > limit:
            return held, limit
        queue.headroom += frame
        self._headroom += frame
        return None

    def _levels(self, number: int, priority: int) -> tuple[int, int]:
        """Shared bytes at which a queue pauses (DSH, equation 10), and above which its port does (equation 11)."""
        threshold = self._pool.threshold(priority)
        of_port = sum(self._pool.threshold(other) for other in self._settings.classes)
        return max(0, threshold - self.scheme.margin(number, priority)), of_port

    def _pause(self, now: int, number: int, priority: int, *, dropped: bool) -> None:
        port, before = self._ports[number], self._ports[number].off()
        queue = port.queues[priority]
        level, port_level = self._levels(number, priority)
        # Nothing would let a queue without packets resume.
        is_above = queue.bytes > 0 and queue.shared >= level
        if self._is_dsh:
            port.is_off |= port.headroom > 0 or port.shared > port_level or (dropped and port.shared > 0)
            queue.is_off |= is_above
        else:
            queue.is_off |= is_above or queue.headroom > 0 or (dropped and queue.bytes > 0)
        self._tell(now, number, before)

    def leave(self, now: int, number: int, priority: int, frame: int) -> None:
        """Counts out a packet: from headroom first, then from the pool, from the reserve last."""
        port, before = self._ports[number], self._ports[number].off()
        queue = port.queues[priority]
        from_headroom = min(frame, queue.headroom)
        from_shared = min(frame - from_headroom, queue.shared)
        queue.headroom -= from_headroom
        queue.shared -= from_shared
        queue.reserved -= frame - from_headroom - from_shared
        self._headroom -= from_headroom
        self._pool.used -= from_shared
        level, port_level = self._levels(number, priority)
        offset = self._settings.xon_offset
        if queue.bytes == 0 or (queue.headroom == 0 and queue.shared + offset <= level):
            queue.is_off = False
        if port.headroom == 0 and (port.shared == 0 or port.shared + offset <= port_level):
            port.is_off = False
        self._tell(now, number, before)

    def _tell(self, now: int, number: int, before: set[int]) -> None:
        after = self._ports[number].off()
        for priority in sorted(before ^ after):
            self.changes.append(Change(now, number, priority, priority in after))


class Static:
    """Headroom of each queue (DSH, equation 3), or a pool that all queues share up to what each may need."""

    def __init__(self, lossless: Lossless) -> None:
        self._phi, self._pool = lossless.phi, lossless.headroom_pool

    def room(self, port: int, queue: int, of_port: int, of_all: int) -> tuple[int, int]:
        """The queue's own room, or that of the pool where less of the pool is free."""
        del of_port
        own, pool = (queue, self._phi[port]), (of_all, self._pool)
        return own if not self._pool or own[1] - own[0] < pool[1] - pool[0] else pool

    def margin(self, port: int, priority: int) -> int:
        """None."""
        del port, priority
        return 0

    def hear(self, now: int, port: int, priority: int, frame: int, shared: int) -> None:
        """Takes no notice."""


@dataclass
class _Estimate:
    """Growth of one queue, in parts of the rate of its link (DSH, algorithm 2; decision 17)."""

    time: int = 0
    shared: int = 0
    gradient: int = 0
    deviation: int = 0


def _parts(numerator: int, denominator: int) -> int:
    """A quotient in whole numbers, towards zero."""
    return numerator // denominator if numerator >= 0 else -(-numerator // denominator)


class Dsh:
    """Insurance of each port, and margins of its queues by how fast they grow."""

    LINE_RATE = 1 << 20
    """Parts of the line's rate."""
    WEIGHT = 4
    """Of this many gradients, the newest counts as one."""
    FACTOR = 4

    def __init__(self, settings: Settings, lossless: Lossless) -> None:
        self._rates, self._settings = settings.rates, lossless
        self._queues = [[_Estimate() for _ in range(CLASSES)] for _ in range(settings.ports)]
        self._last: list[int | None] = [None] * settings.ports
        self._since = [0] * settings.ports
        self._alternates = [False] * settings.ports

    def room(self, port: int, queue: int, of_port: int, of_all: int) -> tuple[int, int]:
        """Insurance of the port."""
        del queue, of_all
        return of_port, self._settings.insurance[port]

    def hear(self, now: int, port: int, priority: int, frame: int, shared: int) -> None:
        """Takes in how much the queue has grown since its packet before (algorithm 2), and whose turn it is (4)."""
        own = self._queues[port][priority]
        carried = max(frame, (now - own.time) * self._rates[port] // 8_000_000_000_000)
        gradient = _parts((shared - own.shared) * self.LINE_RATE, carried)
        deviation = abs(own.gradient - gradient)
        own.gradient += _parts(gradient - own.gradient, self.WEIGHT)
        own.deviation += _parts(deviation - own.deviation, self.WEIGHT)
        own.time, own.shared = now, shared
        if self._last[port] != priority:
            self._alternates[port] = self._last[port] is not None
            self._last[port], self._since[port] = priority, now
        elif now - self._since[port] > self._settings.window:
            self._alternates[port] = False

    def margin(self, port: int, priority: int) -> int:
        """Bytes that the queue may still need: its growth, overestimated, for as long as the worst case takes."""
        if not self._alternates[port] or not self._settings.shared_headroom:
            return 0
        own = self._queues[port][priority]
        parts = min(self.LINE_RATE, max(0, own.gradient + self.FACTOR * own.deviation))
        return self._settings.phi[port] * parts // self.LINE_RATE
