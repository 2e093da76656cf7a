"""Packets that PFC has kept, and that a queue drops."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.limits import limit_of
from xoff.switches.lint.memory import ingress_pools, mmus_of
from xoff.switches.lint.physics import alpha, rounded_up
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from xoff.switches.lint.limits import Limit
    from xoff.switches.lint.tables import Buffer, Tables


_FEW = 3
"""Senders whose bytes fill a queue at once in everyday traffic, each up to its pause and beyond."""


class _Loss(NamedTuple):
    """Bytes that a queue holds beside lossy ones of its pool, and bytes that its senders put into it."""

    limit: Limit
    senders: int
    """The fewest that overfill it."""
    sent: int
    """By these, until they have stopped."""


def lossless_queue_drops(tables: Tables) -> Iterator[Fault]:
    """A queue of a lossless class that may hold less than comes in until senders have stopped: it drops what PFC keeps.

    A warning where it takes two or three senders. A note where it takes more, no row is about the queue, or tables
    leave it open how much senders share. Senders and queue are taken for ports of one MMU: which are, no table says. A
    packet is counted twice, as it comes in and as it waits: bytes of lossy queues leave less room to both. Not judged
    are queues of an ingress pool, which chips take in different ways.
    """
    if not tables.has_table("BUFFER_QUEUE") or tables.unplaced("BUFFER_QUEUE"):
        return
    queues = {(queue.port, queue.index): queue for queue in tables.queues}
    unset: dict[int, list[str]] = defaultdict(list)
    limited: dict[str, list[tuple[Buffer, int]]] = defaultdict(list)
    for port, priority in tables.qos.pausing:
        queue = queues.get((port, tables.qos.queue_of(port, priority)))
        if queue is None:
            unset[priority].append(port)
        elif queue.pool is None or queue.pool.type != "ingress":
            limited[queue.profile_name].append((queue, priority))
    senders = _Senders(tables)
    for its in limited.values():
        losses = [(loss, one) for one in its if (loss := senders.loss_in(*one))]
        if losses:
            worst, of = min(losses, key=lambda one: (one[0].senders, one[0].limit.size - one[0].sent))
            yield _dropped(tables, of, worst, len(losses) - 1)
    for priority, ports in unset.items():
        yield _unset(tables, ports, priority)


def _dropped(tables: Tables, of: tuple[Buffer, int], loss: _Loss, others: int) -> Fault:
    first, priority = of
    like = f" and {others} more like it" if others else ""
    feed = "one port that feeds it has sent" if loss.senders == 1 else f"{loss.senders} ports that feed it have sent"
    never = "" if loss.limit.is_pool else "a profile that never drops, with static_th of all its pool, or "
    unless = _unless(tables, first)
    return Fault(
        Severity.NOTE if unless else _severity(loss.senders),
        tables.place("BUFFER_QUEUE", first.row, "profile"),
        f"queue {first.index} of {first.port}, of lossless priority {priority}{like}, holds "
        f"{bytes_text(loss.limit.size)} at most: {loss.limit.formula}; {feed} up to {bytes_text(loss.sent)} until the "
        f"pause works, and {bytes_text(loss.sent - loss.limit.size)} may be dropped{unless}",
        f"{never}{loss.limit.more}",
    )


def _severity(senders: int) -> Severity:
    if senders > _FEW:
        return Severity.NOTE
    return Severity.ERROR if senders == 1 else Severity.WARNING


def _unless(tables: Tables, queue: Buffer) -> str:
    """Says why senders may share less than all of the pool; empty where no table limits them.

    That is so where a threshold is the part that one MMU has of its pool, or the pool is that part of ingress pools.
    Published sizes are rounded.
    """
    fixed, pool = queue.profile and queue.profile.static_th, queue.pool
    if pool is None or pool.size is None:
        return ""
    if pool.type == "both":
        return ", unless lossless classes share less than this pool of both directions, such as the memory on the chip"
    if tables.chip is not None:
        return ""
    if fixed and (mmus := mmus_of(fixed, pool.size)):
        return f", unless the chip has {mmus} MMUs, of which static_th is one's part of the pool: name it with --chip"
    if mmus := mmus_of(pool.size, sum(ingress_pools(tables).values())):
        return f", unless the chip has {mmus} MMUs, of which the pool is of one, and those of ingress are of all"
    return ""


def _unset(tables: Tables, ports: list[str], priority: int) -> Fault:
    found = tables.qos.row(ports[0])
    assert found is not None, "PFC is on by such a row"
    index = tables.qos.queue_of(ports[0], priority)
    return Fault(
        Severity.NOTE,
        tables.place("PORT_QOS_MAP", found[0], "pfc_enable"),
        f"priority {priority} of {several(ports)} is lossless and waits in queue {index}, of which no row of "
        "BUFFER_QUEUE says anything: what the chip lets it hold by itself may be less than what comes in",
        f"BUFFER_QUEUE|{ports[0]}|{index} with a profile that never drops: static_th of all its pool",
    )


class _Senders:
    """Ports that feed queues of lossless classes."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._groups = {(group.port, group.index): group for group in tables.priority_groups if group.lossless}
        self._most = max(1, tables.ports_of_mmu(len(tables.qos.pfc_ports)) - 1)
        self._lossy_queues, self._lossy_groups = (
            _lossy(tables, _lossy_queues(tables)),
            _lossy(tables, _lossy_of(tables)),
        )
        self._feeding: dict[int, list[Buffer]] = {}
        self._losses: dict[tuple[str, int, str | None], _Loss | None] = {}

    def loss_in(self, queue: Buffer, priority: int) -> _Loss | None:
        """Returns the loss of a queue with the fewest senders, none of which is the queue's own port."""
        feeding = self._feeding_in(priority)
        own = next((group.profile_name for group in feeding if group.port == queue.port), None)
        key = (queue.profile_name, priority, own)
        if key not in self._losses:
            others = [group for group in feeding if group.port != queue.port]
            self._losses[key] = next(self._losses_by(queue, others[: self._most]), None)
        return self._losses[key]

    def _losses_by(self, queue: Buffer, groups: Iterable[Buffer]) -> Iterator[_Loss]:
        """Yields losses by the group that sends most until it has stopped, by the first two and so on.

        Each with as many bytes in lossy queues as fit, or none: all is linear in between.
        """
        filled: dict[str, _Filled] = {}
        alone = limit_of(self._tables, queue)
        for count, group in enumerate(groups, start=1):
            assert group.profile is not None, "it is lossless"
            pool = group.profile.pool
            filled.setdefault(pool, _Filled(self._tables, group)).add(group)
            if alone is None:
                return
            sent = sum(one.sent() for one in filled.values())
            lossy = self._most_lossy(queue, filled) if queue.profile and queue.profile.static_th is None else 0
            beside = limit_of(self._tables, queue, lossy) if lossy else None
            cases = [(alone, sent)]
            if beside is not None:
                here = self._counted_beside(lossy, filled)
                cases.append((beside, sum(one.sent(here[pool]) for pool, one in filled.items())))
            limit, most = max(cases, key=lambda case: case[1] - case[0].size)
            if most > (rounded_up(limit.size) if limit.is_pool else limit.size):
                yield _Loss(limit, count, most)

    def _most_lossy(self, queue: Buffer, filled: Mapping[str, _Filled]) -> int:
        """Returns the most bytes that lossy queues of a queue's pool hold while that queue is at its limit."""
        assert queue.profile is not None, "it has a limit"
        own, pool = queue.profile, self._tables.shared(queue.profile.pool) or 0
        share = alpha(own.dynamic_th) if own.dynamic_th is not None else Fraction(0)
        waiting = self._lossy_queues[own.pool].most(pool, share)
        return min(waiting, sum(self._room(filled).values())) if self._lossy_groups else waiting

    def _room(self, filled: Mapping[str, _Filled]) -> dict[str, int]:
        """Returns the most bytes that lossy groups hold of each pool while senders are at their limits."""
        shared = {pool: self._tables.shared(pool) for pool in self._lossy_groups}
        return {
            pool: lossy.most(shared[pool] or 0, filled[pool].shares if pool in filled else Fraction(0))
            for pool, lossy in self._lossy_groups.items()
        }

    def _counted_beside(self, lossy: int, filled: Mapping[str, _Filled]) -> dict[str, int]:
        """Returns the bytes of lossy queues by the pools of senders, in which they count as they come in.

        As few as can be: those that fit go to other pools. Where no row is about lossy groups, they are in the first.
        """
        room = self._room(filled)
        rest = max(0, lossy - sum(size for pool, size in room.items() if pool not in filled))
        found = {}
        for pool in filled:
            found[pool] = min(rest, room.get(pool, 0)) if self._lossy_groups else rest
            rest -= found[pool]
        return found

    def _feeding_in(self, priority: int) -> list[Buffer]:
        if priority not in self._feeding:
            qos = self._tables.qos
            ports = [port for port in qos.pfc_ports if priority in qos.pfc_priorities(port)]
            numbered = ((port, qos.priority_group_of(port, priority)) for port in ports)
            groups = [self._groups[one] for one in numbered if one in self._groups]
            self._feeding[priority] = sorted(groups, key=self._alone, reverse=True)
        return self._feeding[priority]

    def _alone(self, group: Buffer) -> int:
        filled = _Filled(self._tables, group)
        filled.add(group)
        return filled.sent()


class _Lossy:
    """Lossy groups, or queues, of one pool."""

    def __init__(self, shares: Fraction = Fraction(0), fixed: int = 0) -> None:
        self._shares, self._fixed = shares, fixed

    def most(self, pool: int, beside: Fraction) -> int:
        """Returns the most bytes that they hold of a pool, beside others with alphas in it, all at their limits."""
        return min(pool, int(self._shares * pool / (1 + self._shares + beside)) + self._fixed)


def _lossy_queues(tables: Tables) -> Iterator[Buffer]:
    lossless = {(port, tables.qos.queue_of(port, priority)) for port, priority in tables.qos.pausing}
    return (queue for queue in tables.queues if (queue.port, queue.index) not in lossless)


def _lossy_of(tables: Tables) -> Iterator[Buffer]:
    return (group for group in tables.priority_groups if not group.lossless)


def _lossy(tables: Tables, buffers: Iterable[Buffer]) -> defaultdict[str, _Lossy]:
    """Lossy buffers by pool, of as many ports as an MMU has: of those with most."""
    found: dict[str, dict[str, list[Buffer]]] = defaultdict(lambda: defaultdict(list))
    for buffer in buffers:
        if buffer.profile is not None:
            found[buffer.profile.pool][buffer.port].append(buffer)
    ports = tables.ports_of_mmu(len({port for its in found.values() for port in its}))
    lossy: defaultdict[str, _Lossy] = defaultdict(_Lossy)
    for pool, of_ports in found.items():
        busiest = sorted(map(_thresholds, of_ports.values()), reverse=True)[:ports]
        lossy[pool] = _Lossy(sum((share for share, _ in busiest), Fraction(0)), sum(fixed for _, fixed in busiest))
    return lossy


def _thresholds(buffers: Iterable[Buffer]) -> tuple[Fraction, int]:
    """Returns the sum of alphas of buffers, and the sum of bytes of those with a static_th."""
    profiles = [buffer.profile for buffer in buffers if buffer.profile is not None]
    shares = (alpha(profile.dynamic_th) for profile in profiles if profile.dynamic_th is not None)
    return sum(shares, Fraction(0)), sum(profile.static_th or 0 for profile in profiles)


class _Filled:
    """Priority groups of one pool, filled to where they pause, and their headroom."""

    def __init__(self, tables: Tables, first: Buffer) -> None:
        assert first.profile is not None, "it is lossless"
        self._together = tables.part(first.pool.xoff if first.pool else None)
        self._pool = tables.shared(first.profile.pool)
        self._reserved = self._fixed = self._headroom = 0
        self.shares = Fraction(0)
        """Sum of their alphas."""

    def add(self, group: Buffer) -> None:
        assert group.profile is not None, "it is lossless"
        self._reserved += group.reserve
        self._headroom += group.profile.xoff or 0
        if group.profile.static_th is not None:
            self._fixed += group.profile.static_th
        elif group.profile.dynamic_th is not None:
            self.shares += alpha(group.profile.dynamic_th)

    def sent(self, beside: int = 0) -> int:
        """Returns the bytes that come in until all senders have stopped, beside bytes of lossy groups in the pool."""
        rest = max(0, (self._pool or 0) - beside)
        shared = self._fixed + int(self.shares * rest / (1 + self.shares))
        held = shared if self._pool is None else min(shared, rest)
        return self._reserved + held + min(self._headroom, self._together or self._headroom)
