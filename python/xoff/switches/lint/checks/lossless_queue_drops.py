"""Packets that PFC has kept, and that a queue drops."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.limits import limit_of
from xoff.switches.lint.physics import alpha, rounded_up
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xoff.switches.lint.limits import Limit
    from xoff.switches.lint.tables import Buffer, Tables


_MMUS = (2, 4)
"""Of chips that have several (`xoff list chips`)."""


class _Loss(NamedTuple):
    """Bytes that a queue holds while all lossy queues of its pool are busy, and bytes that its senders put into it."""

    limit: Limit
    senders: int
    """The fewest that overfill it."""
    sent: int
    """By these, until they have stopped."""


def lossless_queue_drops(tables: Tables) -> Iterator[Fault]:
    """A queue of a lossless class that may hold less than comes in until senders have stopped: it drops what PFC keeps.

    A warning where it takes several senders, where no row is about the queue, or where tables leave it open how
    much senders share. Senders and queue are taken for ports of one MMU: which are, no table says.
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
        else:
            limited[queue.profile_name].append((queue, priority))
    busy, senders = _lossy_alphas(tables), _Senders(tables)
    for its in limited.values():
        losses = [(loss, one) for one in its if (loss := _loss(tables, *one, busy[id(one[0].pool)], senders))]
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
        Severity.ERROR if loss.senders == 1 and not unless else Severity.WARNING,
        tables.place("BUFFER_QUEUE", first.row, "profile"),
        f"queue {first.index} of {first.port}, of lossless priority {priority}{like}, holds "
        f"{bytes_text(loss.limit.size)} at most: {loss.limit.formula}; {feed} up to {bytes_text(loss.sent)} until the "
        f"pause works, and {bytes_text(loss.sent - loss.limit.size)} may be dropped{unless}",
        f"{never}{loss.limit.more}",
    )


def _unless(tables: Tables, queue: Buffer) -> str:
    """Says why senders may share less than all of the pool; empty where no table limits them.

    That is so where a threshold is the part that one MMU has of its pool, to the rounding of published sizes.
    """
    fixed, pool = queue.profile and queue.profile.static_th, queue.pool
    if pool is None or pool.size is None or not fixed:
        return ""
    if pool.type == "both":
        return ", unless lossless classes share less than this pool of both directions, such as the memory on the chip"
    mmus = next((mmus for mmus in _MMUS if pool.size <= fixed * mmus <= rounded_up(pool.size)), None)
    if mmus is None or tables.chip is not None:
        return ""
    return f", unless the chip has {mmus} MMUs, of which static_th is one's part of the pool: name it with --chip"


def _unset(tables: Tables, ports: list[str], priority: int) -> Fault:
    found = tables.qos.row(ports[0])
    assert found is not None, "PFC is on by such a row"
    index = tables.qos.queue_of(ports[0], priority)
    return Fault(
        Severity.WARNING,
        tables.place("PORT_QOS_MAP", found[0], "pfc_enable"),
        f"priority {priority} of {several(ports)} is lossless and waits in queue {index}, of which no row of "
        "BUFFER_QUEUE says anything: what the chip lets it hold by itself may be less than what comes in",
        f"BUFFER_QUEUE|{ports[0]}|{index} with a profile that never drops: static_th of all its pool",
    )


def _loss(tables: Tables, queue: Buffer, priority: int, busy: list[Fraction], senders: _Senders) -> _Loss | None:
    limit = limit_of(tables, queue, busy)
    if limit is None:
        return None
    sent = senders.sent_beside(queue.port, priority)
    if not sent or sent[-1] <= limit.size:
        return None
    fewest = bisect_right(sent, limit.size)
    return _Loss(limit, fewest + 1, sent[fewest])


def _lossy_alphas(tables: Tables) -> dict[int, list[Fraction]]:
    """By pool, the alphas of its lossy queues, of as many ports as an MMU has."""
    lossless = {(port, tables.qos.queue_of(port, priority)) for port, priority in tables.qos.pausing}
    found: dict[int, dict[str, list[Fraction]]] = defaultdict(lambda: defaultdict(list))
    for queue in tables.queues:
        is_lossy = (queue.port, queue.index) not in lossless
        if is_lossy and queue.profile is not None and queue.profile.dynamic_th is not None:
            found[id(queue.pool)][queue.port].append(alpha(queue.profile.dynamic_th))
    ports = tables.ports_of_mmu(len({queue.port for queue in tables.queues}))
    busiest = {pool: sorted(of_ports.values(), key=sum, reverse=True)[:ports] for pool, of_ports in found.items()}
    return defaultdict(list, {pool: [one for its in of_ports for one in its] for pool, of_ports in busiest.items()})


class _Senders:
    """Bytes that arrive for a queue by the ports that feed it."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._groups = {(group.port, group.index): group for group in tables.priority_groups if group.lossless}
        self._most = max(1, tables.ports_of_mmu(len(tables.qos.pfc_ports)) - 1)
        self._feeding: dict[int, list[Buffer]] = {}
        self._sent: dict[tuple[int, str | None], list[int]] = {}

    def sent_beside(self, port: str, priority: int) -> list[int]:
        """By the port that sends most until it has stopped, by the first two and so on; not by the queue's own."""
        feeding = self._feeding_in(priority)
        own = next((group.profile_name for group in feeding if group.port == port), None)
        if (priority, own) not in self._sent:
            others = [group for group in feeding if group.port != port]
            self._sent[priority, own] = list(_cumulated(self._tables, others[: self._most]))
        return self._sent[priority, own]

    def _feeding_in(self, priority: int) -> list[Buffer]:
        if priority not in self._feeding:
            qos = self._tables.qos
            ports = [port for port in qos.pfc_ports if priority in qos.pfc_priorities(port)]
            numbered = ((port, qos.priority_group_of(port, priority)) for port in ports)
            groups = [self._groups[one] for one in numbered if one in self._groups]
            self._feeding[priority] = sorted(groups, key=lambda group: -next(_cumulated(self._tables, [group])))
        return self._feeding[priority]


def _cumulated(tables: Tables, groups: Iterable[Buffer]) -> Iterator[int]:
    """Yields the bytes of one priority group filled to its pause and what follows, of two such groups, and so on."""
    by_pool: dict[int, _Filled] = {}
    for group in groups:
        by_pool.setdefault(id(group.pool), _Filled(tables, group)).add(group)
        yield sum(filled.sent for filled in by_pool.values())


class _Filled:
    """Priority groups of one pool."""

    def __init__(self, tables: Tables, first: Buffer) -> None:
        assert first.profile is not None, "it is lossless"
        self._together = tables.part(first.pool.xoff if first.pool else None)
        self._pool = tables.shared(first.profile.pool)
        self._reserved = self._fixed = self._headroom = 0
        self._shares = Fraction(0)

    def add(self, group: Buffer) -> None:
        assert group.profile is not None, "it is lossless"
        self._reserved += group.reserve
        self._headroom += group.profile.xoff or 0
        if group.profile.static_th is not None:
            self._fixed += group.profile.static_th
        elif group.profile.dynamic_th is not None:
            self._shares += alpha(group.profile.dynamic_th)

    @property
    def sent(self) -> int:
        shared = self._fixed + int(self._shares * (self._pool or 0) / (1 + self._shares))
        held = shared if self._pool is None else min(shared, self._pool)
        return self._reserved + held + min(self._headroom, self._together or self._headroom)
