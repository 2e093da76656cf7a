"""The port whose rows are taken: a scenario's switch has the same settings at all of its ports."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.switches.headroom import SONIC_CABLE_M_PER_S
from xoff.switches.lint import trimming
from xoff.switches.lint.headrooms import link_of, set_by_switch
from xoff.switches.lint.qos import DSCP_OF_CNPS
from xoff.switches.lint.wording import listed
from xoff.switches.sonic.fields import indices_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from xoff.switches.lint.tables import Buffer, Tables

CLASSES = range(8)
"""Priorities of scenarios."""


@dataclass(frozen=True)
class Port:
    """A port of a switch, and what its rows come to."""

    tables: Tables
    name: str

    @classmethod
    def of(cls, tables: Tables, name: str | None = None) -> Port:
        """Returns the port called `name`, or without a name the first port with most headroom. Raises InputError."""
        there = with_buffers(tables)
        file = tables.sources[0].name if tables.sources else None
        if not there:
            expected = "expected config_db.json with BUFFER_PG or BUFFER_QUEUE"
            raise InputError(file, "", "says nothing of buffers of any port", expected)
        if name is None:
            return most_headroom(cls(tables, port) for port in there)
        if name not in there:
            near = get_close_matches(name, there)
            expected = f"did you mean {' or '.join(near)}?" if near else f"expected one of {there[0]} to {there[-1]}"
            raise InputError(file, f"--port {name}", "no row of BUFFER_PG or BUFFER_QUEUE is about it", expected)
        return cls(tables, name)

    @cached_property
    def lossless(self) -> dict[int, Buffer]:
        """Priority groups, by PFC priority, that pause and have headroom, or are to get headroom from the switch."""
        left = {id(group) for group in set_by_switch(self.tables)}
        groups = {group.index: group for group in self.tables.priority_groups if group.port == self.name}
        found = {one: groups.get(self.tables.qos.priority_group_of(self.name, one)) for one in self.paused}
        return {one: group for one, group in found.items() if group and (group.lossless or id(group) in left)}

    @property
    def paused(self) -> tuple[int, ...]:
        """Priorities with PFC."""
        return self.tables.qos.pfc_priorities(self.name)

    @cached_property
    def queues(self) -> dict[int, Buffer]:
        """Queues that a row of BUFFER_QUEUE is about."""
        return {queue.index: queue for queue in self.tables.queues if queue.port == self.name}

    @cached_property
    def classes(self) -> tuple[int, ...]:
        """Classes for the scenario: priorities that pause, and the other queues."""
        keys = [key for key in self.tables.config.queue if self.name in self.tables.ports_of(key)]
        rows = [index for key in keys for index in indices_of(key)]
        given = [self._waits(traffic_class) for traffic_class in self.tables.qos.classes_given(self.name) or ()]
        used = {self.queue_of(one) for one in self.lossless}
        of_headers = () if self.queue_of_headers is None else (self.queue_of_headers,)
        numbers = (*self.queues, *rows, *given, *of_headers)
        lossy = {queue for queue in numbers if queue in CLASSES and queue not in used}
        return tuple(sorted({*self.lossless, *(lossy or {max(set(CLASSES) - set(self.lossless), default=0)})}))

    @property
    def queue_of_headers(self) -> int | None:
        """Queue of trimmed headers, where packets of lossy queues are trimmed and a row names it."""
        used = {self.queue_of(one) for one in self.lossless}
        trims = any(trimming.trims(queue) for index, queue in self.queues.items() if index not in used)
        return trimming.queue_of_headers(self.tables, self.name) if trims else None

    @property
    def lossy(self) -> tuple[int, ...]:
        """Classes that do not pause."""
        return tuple(one for one in self.classes if one not in self.lossless)

    @property
    def control(self) -> int:
        """The class of CNPs; where no map has their DSCP, or their class pauses, the highest that does not."""
        of_cnps = (one for one in self.lossy if f"DSCP {DSCP_OF_CNPS}" in self.dscps(one))
        return next(of_cnps, max(self.lossy or self.classes))

    def queue_of(self, one: int) -> int:
        """Returns the queue of a class."""
        return self.tables.qos.queue_of(self.name, one) if one in self.lossless else one

    def scheduler_of(self, one: int) -> str | None:
        """Returns the name of the SCHEDULER row of a class's queue."""
        key = self.tables.row_of_queue(self.name, self.queue_of(one))
        return self.tables.config.queue[key].scheduler if key else None

    def dscps(self, one: int) -> list[str]:
        """Returns the DSCPs of packets of a class."""
        given = self.tables.qos.classes_given(self.name) or {}
        queue = self.queue_of(one)
        return [carried for given_class, its in given.items() if self._waits(given_class) == queue for carried in its]

    def _waits(self, traffic_class: int) -> int:
        return self.tables.qos.queue_of_class(self.name, traffic_class)

    @property
    def headroom_bytes(self) -> int:
        """The largest of its priority groups; 0 where the switch is to set it."""
        return max((group.profile.xoff or 0 for group in self.lossless.values() if group.profile), default=0)

    @property
    def link(self) -> tuple[int, int] | None:
        """Speed in Mb/s and cable in metres."""
        return link_of(self.tables, self.name)

    @property
    def described(self) -> str:
        """Name of the port, and its link if that is known."""
        if self.link is None:
            return self.name
        return f"{self.name} ({self.link[0] / 1000:g} Gb/s, {self.link[1]} m of cable)"

    @property
    def link_of_scenario(self) -> tuple[str, str] | None:
        """Rate and delay."""
        if self.link is None:
            return None
        delay = -(-self.link[1] * 10**9 // SONIC_CABLE_M_PER_S)
        return (self.rate, f"{delay}ns")

    @property
    def rate_bps(self) -> int | None:
        """Rate of the port's link, if the link is known."""
        return None if self.link is None else self.link[0] * 10**6

    @property
    def rate(self) -> str:
        """Rate of the port as scenarios spell it, where it is known."""
        assert self.link is not None, "its rate is known"
        speed = self.link[0]
        return f"{speed}Mbps" if speed % 1000 else f"{speed // 1000}Gbps"

    @cached_property
    def of_other_rates(self) -> dict[int, list[Port]]:
        """Ports whose links have another rate, by that in bits per second, as far as rates are known."""
        found: dict[int, list[Port]] = {}
        for port in (Port(self.tables, name) for name in with_buffers(self.tables)):
            if self.rate_bps and port.rate_bps and port.rate_bps != self.rate_bps:
                found.setdefault(port.rate_bps, []).append(port)
        return found

    def has_classes_of(self, other: Port) -> bool:
        """Whether both have the same classes, of which the same pause."""
        return self.classes == other.classes and set(self.lossless) == set(other.lossless)

    @cached_property
    def others(self) -> dict[int, list[str]]:
        """Ports with other headroom, by its size."""
        found: dict[int, list[str]] = {}
        for name in with_buffers(self.tables):
            size = Port(self.tables, name).headroom_bytes
            if size and size != self.headroom_bytes:
                found.setdefault(size, []).append(name)
        return found


def with_buffers(tables: Tables) -> list[str]:
    """Ports that rows of buffers are about, in the order of their numbers."""
    names = {buffer.port for buffer in (*tables.priority_groups, *tables.queues)}
    return sorted(names, key=lambda name: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)])


def most_headroom(ports: Iterable[Port]) -> Port:
    """Returns the port with most headroom, the first of several."""
    return max(ports, key=lambda port: port.headroom_bytes)


def takes_all(buffer: Buffer) -> bool:
    """Whether a buffer may hold all of its pool."""
    profile, pool = buffer.profile, buffer.pool
    if profile is None or pool is None or pool.size is None:
        return True
    return profile.static_th is not None and profile.static_th >= pool.size


def ports_of_each(tables: Tables) -> int:
    """Counts the ports that share one part of the memory."""
    return -(-len(with_buffers(tables)) // tables.mmus)


def size(count: int) -> str:
    """As scenarios spell it."""
    return f"{count}B"


def classes(numbers: Iterable[int]) -> str:
    """As a sentence has them."""
    named = [str(number) for number in numbers]
    return f"class{'es' if len(named) > 1 else ''} {listed(named)}"


def ratio(share: Fraction) -> str | int:
    """As scenarios spell it."""
    return share.numerator if share.denominator == 1 else str(share)
