"""What checks look at: the tables of one file, and what its rows come to when they are followed from one to another."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from xoff.lint.finding import Place
from xoff.sonic import ConfigDb, ConfigFile, Invalid, PgProfileLookup
from xoff.sonic.fields import indices_of, ports_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xoff.catalogue import Entry
    from xoff.sonic.config_db import BufferPool, BufferProfile, PortQosMap, WredProfile


T = TypeVar("T")


class Headroom(NamedTuple):
    """Headroom that is set for a speed and a cable."""

    place: Place
    speed_mbps: int
    cable_m: int
    xoff_bytes: int
    of: str
    """Ports that have it, to put before a sentence; empty where the row itself names speed and cable."""


@dataclass(frozen=True)
class Buffer:
    """A priority group, or a queue, and the profile that limits it."""

    row: str
    port: str
    index: int
    profile_name: str
    profile: BufferProfile | None
    """None if it is computed, invalid or not there; so is its pool."""
    pool: BufferPool | None

    @property
    def lossless(self) -> bool:
        """Whether it has headroom."""
        return self.profile is not None and self.profile.xoff is not None


@dataclass(frozen=True)
class Tables:
    """One file; a table that it does not have is empty.

    Attributes:
        chip: What the tables are for, if that was said.
    """

    file: str
    config: ConfigDb = field(default_factory=ConfigDb)
    source: ConfigFile | None = None
    lookup: PgProfileLookup | None = None
    chip: Entry | None = None

    @classmethod
    def parse(cls, name: str, text: str, chip: Entry | None = None) -> Tables:
        """Reads `config_db.json` or, where the text does not look like JSON, `pg_profile_lookup.ini`.

        Raises:
            InputError: It is neither.
        """
        if name.endswith(".json") or text.lstrip().startswith("{"):
            source = ConfigFile.parse(name, text)
            return cls(name, source.config, source, chip=chip)
        return cls(name, lookup=PgProfileLookup.parse(name, text), chip=chip)

    @property
    def invalid(self) -> tuple[Invalid, ...]:
        """Values that their table does not allow."""
        return self.source.invalid if self.source else ()

    def place(self, *path: str) -> Place:
        """Where a table, row or field is."""
        assert self.source is not None, "a lookup table's rows know their places"
        return Place(self.source.line(path), "|".join(path), self.source.value(path))

    def has(self, table: str, row: str) -> bool:
        """Whether there is such a row, valid or not."""
        return self.source is not None and self.source.has(table, row)

    def has_table(self, table: str) -> bool:
        """Whether the file has it, in whatever state."""
        return self.source is not None and self.source.has(table)

    def cable_m(self, port: str) -> int | None:
        """The length of a port's cable."""
        return next((lengths[port] for lengths in self.config.cable_length.values() if port in lengths), None)

    @cached_property
    def priority_groups(self) -> tuple[Buffer, ...]:
        """Every priority group that a row is about."""
        rows = {key: row.profile for key, row in self.config.buffer_pg.items()}
        return tuple(self._buffers(rows))

    @cached_property
    def queues(self) -> tuple[Buffer, ...]:
        """Every queue whose buffer a row is about."""
        rows = {key: row.profile for key, row in self.config.buffer_queue.items()}
        return tuple(self._buffers(rows))

    @cached_property
    def wred(self) -> dict[tuple[str, int], tuple[str, WredProfile]]:
        """For a port and a queue, its WRED profile and that one's name."""
        profiles = self.config.wred_profile
        return {
            (port, index): (row.wred_profile, profiles[row.wred_profile])
            for key, row in self.config.queue.items()
            if row.wred_profile in profiles
            for port in ports_of(key)
            for index in indices_of(key)
        }

    def qos(self, port: str) -> tuple[str, PortQosMap] | None:
        """The row that says what a port does by class, and its key."""
        rows = self.config.port_qos_map
        return next(((key, row) for key, row in rows.items() if port in key.split(",")), None)

    def pfc_priorities(self, port: str) -> tuple[int, ...]:
        """Those in which a port pauses."""
        found = self.qos(port)
        return found[1].pfc_enable or () if found else ()

    @cached_property
    def pfc_ports(self) -> tuple[str, ...]:
        """Ports that pause in some priority."""
        ports = (port for key in self.config.port_qos_map for port in key.split(","))
        return tuple(port for port in ports if self.pfc_priorities(port))

    def _map(self, port: str, field: str, maps: dict[str, dict[str, T]]) -> dict[str, T] | None:
        """The map that a port's row names in a field; None if it names none that is there."""
        found = self.qos(port)
        return maps.get(getattr(found[1], field) or "") if found else None

    def priority_group_of(self, port: str, priority: int) -> int:
        """The priority group that a PFC priority pauses; the one of the same number where no map says other."""
        groups = self._map(port, "pfc_to_pg_map", self.config.pfc_priority_to_priority_group_map) or {}
        return groups.get(str(priority), priority)

    def queue_of(self, port: str, priority: int) -> int:
        """The queue that a PFC priority pauses; the one of the same number where no map says other."""
        queues = self._map(port, "pfc_to_queue_map", self.config.map_pfc_priority_to_queue) or {}
        return queues.get(str(priority), priority)

    def classes_of_group(self, port: str, group: int) -> tuple[int, ...]:
        """Traffic classes whose packets come into a priority group; the one of the same number where no map says."""
        groups = self._map(port, "tc_to_pg_map", self.config.tc_to_priority_group_map)
        return (group,) if groups is None else tuple(int(one) for one, its in groups.items() if its == group)

    def queue_of_class(self, port: str, traffic_class: int) -> int:
        """The queue in which packets of a traffic class wait; the one of the same number where no map says other."""
        queues = self._map(port, "tc_to_queue_map", self.config.tc_to_queue_map) or {}
        return queues.get(str(traffic_class), traffic_class)

    def has_dscp(self, port: str, classes: Iterable[int]) -> bool:
        """Whether some DSCP leads to one of these traffic classes, as far as a map says."""
        dscps = self._map(port, "dscp_to_tc_map", self.config.dscp_to_tc_map)
        return dscps is None or not {str(one) for one in classes}.isdisjoint(map(str, dscps.values()))

    @cached_property
    def headrooms(self) -> tuple[Headroom, ...]:
        """All headroom of which speed and cable are known."""
        return tuple(self._looked_up() if self.lookup else self._used())

    def _looked_up(self) -> Iterable[Headroom]:
        assert self.lookup is not None
        for line, row in self.lookup.rows:
            place = Place(line, f"{row.speed} {row.cable}m xoff", str(row.xoff))
            yield Headroom(place, row.speed, row.cable, row.xoff, "")

    def _used(self) -> Iterable[Headroom]:
        users: dict[tuple[str, int, int], list[str]] = defaultdict(list)
        for group in self.priority_groups:
            port, cable = self.config.port.get(group.port), self.cable_m(group.port)
            if group.lossless and port and port.speed is not None and cable is not None:
                users[group.profile_name, port.speed, cable].append(group.port)
        used = {name for name, _, _ in users}
        for name in self.config.buffer_profile:
            if name not in used and (match := re.fullmatch(r"pg_lossless_([0-9]+)_([0-9]+)m_profile", name)):
                users[name, int(match[1]), int(match[2])] = []
        for (name, speed, cable), ports in users.items():
            xoff = self.config.buffer_profile[name].xoff
            if xoff is not None:
                yield Headroom(
                    self.place("BUFFER_PROFILE", name, "xoff"),
                    speed,
                    cable,
                    xoff,
                    f"{several(ports)}: " if ports else "",
                )

    def _buffers(self, rows: dict[str, str]) -> Iterable[Buffer]:
        for key, name in rows.items():
            profile = self.config.buffer_profile.get(name)
            pool = self.config.buffer_pool.get(profile.pool) if profile else None
            for port in ports_of(key):
                for index in indices_of(key):
                    yield Buffer(key, port, index, name, profile, pool)


def several(names: Iterable[str]) -> str:
    """The first of some names, and how many more there are."""
    first, *others = list(dict.fromkeys(names)) or [""]
    return f"{first} and {len(others)} more" if others else first
