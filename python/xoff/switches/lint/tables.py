"""Tables of one switch as checks see them, with the memory and the thresholds that their rows come to."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from xoff.errors import InputError
from xoff.switches.lint import memory
from xoff.switches.lint.chips import chip_of, has_reserves_apart, with_all_memory
from xoff.switches.lint.finding import Place
from xoff.switches.lint.qos import Qos
from xoff.switches.lint.switches import configs_of, lookups_of, parse
from xoff.switches.sonic import ConfigDb, ConfigFile, Invalid, PgProfileLookup
from xoff.switches.sonic.config_db import BufferProfile
from xoff.switches.sonic.fields import card_of, indices_of, ports_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from xoff.scenario.catalogue import Entry
    from xoff.switches.lint.switches import SwitchFile
    from xoff.switches.sonic import PgProfile
    from xoff.switches.sonic.config_db import BufferPool, DeviceMetadata, WredProfile

COMPUTED = "NULL"
"""For the profile of a priority group that the switch makes itself."""
POOL_OF_LOOKUP = "ingress_lossless_pool"
"""Pool of the profiles that the switch makes of rows of its lookup table (sonic-swss, cfgmgr/buffermgr.cpp)."""

MTU_BYTES = 1500
"""Largest packet of Ethernet, for ports whose row says nothing."""


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
        """Whether the buffer has headroom."""
        return self.profile is not None and self.profile.xoff is not None

    @property
    def reserve(self) -> int:
        """Bytes that a buffer has for itself.

        On Spectrum a `size` of at least `xon` + `xoff` holds the headroom, which is taken off here. That is not done
        where headroom is shared, since `size` is `xon` there, nor where senders resume by `xon_offset` alone.
        """
        if self.profile is None:
            return 0
        size, headroom = self.profile.size, self.profile.xoff or 0
        shares_headroom = self.pool is not None and self.pool.xoff
        holds_headroom = self.profile.xon and not shares_headroom and size >= headroom
        return size - headroom if holds_headroom else size


@dataclass(frozen=True)
class Tables:
    """Tables of one switch; one that no file has is empty.

    Attributes:
        lookup: What the switch takes headroom from where no row of BUFFER_PG sets it.
        chip: What the tables are for, if that was said. Each of its MMUs has an equal part of every pool.
        beside: Tables of other switches, which may be at the other ends of links.
        reserves_apart: Whether reserves come on top of the sizes of pools, as on Spectrum; SAI has them inside.
        headroom_inside: Whether headroom is inside the sizes of pools; None for what the tables and the chip say.
    """

    sources: tuple[ConfigFile, ...]
    lookup: PgProfileLookup | None = None
    chip: Entry | None = None
    beside: tuple[Tables, ...] = ()
    reserves_apart: bool = False
    headroom_inside: bool | None = None

    @classmethod
    def of(cls, files: Sequence[SwitchFile], chip: Entry | None = None) -> Tables:
        """Builds tables of files that do not contradict one another. Raises InputError for a second lookup table."""
        lookups = lookups_of(files)
        if len(lookups) > 1:
            problem = f"is a second lookup table beside {lookups[0].name}, and a switch has one"
            expected = "expected one of them, or the files of each switch in a folder of its own"
            raise InputError(lookups[1].name, "", problem, expected)
        return cls(tuple(configs_of(files)), lookups[0] if lookups else None, chip)

    @classmethod
    def parse(cls, name: str, text: str, chip: Entry | None = None) -> Tables:
        """Parses the tables of one file. Raises InputError."""
        return cls.of([parse(name, text)], chip)

    @cached_property
    def config(self) -> ConfigDb:
        """The rows of all files, as far as they are valid."""
        tables: dict[str, Any] = defaultdict(dict)
        for source in self.sources:
            for table in source.config.model_fields_set:
                tables[table] |= getattr(source.config, table)
        return ConfigDb.model_construct(**tables)

    @property
    def invalid(self) -> tuple[Invalid, ...]:
        """Values that their table does not allow."""
        return tuple(invalid for source in self.sources for invalid in source.invalid)

    def place(self, *path: str) -> Place:
        """Returns the place of a table, a row or a field."""
        source = max(self.sources, key=lambda source: sum(source.has(*path[:end]) for end in range(1, len(path) + 1)))
        return Place(source.name, source.line(path), "|".join(path), source.value(path))

    def place_of_profile(self, name: str, field: str) -> Place:
        """Returns the place of a field of a buffer profile: in its row, or in a row of the lookup table."""
        looked_up = None if self.has("BUFFER_PROFILE", name) else self._row_called(name)
        return self.place("BUFFER_PROFILE", name, field) if looked_up is None else self.place_of_row(looked_up, field)

    def place_of_row(self, looked_up: tuple[int, PgProfile], field: str) -> Place:
        """Returns the place of a field of the lookup table."""
        assert self.lookup is not None, "it has rows"
        line, row = looked_up
        return Place(self.lookup.name, line, f"{row.key} {field}", str(getattr(row, field)))

    @property
    def here(self) -> DeviceMetadata | None:
        """Row of DEVICE_METADATA about the switch itself."""
        return self.config.device_metadata.get("localhost")

    def is_before(self, *version: int) -> bool:
        """Whether tables say that they are of an earlier version, such as 3, 0, 3 (`VERSIONS|DATABASE|VERSION`).

        Versions named after a release, such as `version_202405_01`, are later than all of three numbers.
        """
        said = [source.value(("VERSIONS", "DATABASE", "VERSION")) for source in self.sources]
        found = next((match for one in said if (match := re.fullmatch(r"version_(\d+)_(\d+)_(\d+)", one))), None)
        return found is not None and tuple(map(int, found.groups())) < version

    @cached_property
    def chip_of_memory(self) -> Entry | None:
        """The chip whose memory pools must fit: the one that was said, or that of the switch's model."""
        return with_all_memory(self.chip or chip_of(self.here.hwsku if self.here else None))

    @cached_property
    def holds_headroom(self) -> bool | None:
        """Whether the size of pools must hold their headroom, too, for both to fit; None where that is not known."""
        return memory.holds_headroom(self)

    @property
    def mmus(self) -> int:
        """Number of the chip's MMUs; one where no chip is named."""
        return 1 if self.chip is None else self.chip["mmus"]

    def ports_of_mmu(self, ports: int) -> int:
        """Returns the most of so many ports that one MMU has."""
        if self.chip is None:
            return ports
        of_chip = self.chip["ports"] + self.chip.get("uplink_ports", 0)
        return min(ports, -(-max(ports, of_chip) // self.mmus))

    def part(self, size: int | None) -> int | None:
        """Returns the part of a pool that one MMU has."""
        return None if size is None else size // self.mmus

    @property
    def card(self) -> tuple[str, ...] | None:
        """Host and chip by which keys of a chassis' queues name this line card; None where no row says both."""
        here = self.here
        return (here.hostname, here.asic_name) if here and here.hostname and here.asic_name else None

    def ports_of(self, key: str) -> list[str]:
        """Returns the ports that a key is about; none for other line cards, whose ports are in other tables."""
        return ports_of(key) if card_of(key) in ((), self.card) else []

    def unplaced(self, table: str) -> list[str]:
        """Keys of line cards' queues, where no row says which card this is."""
        return [key for key in getattr(self.config, table.lower()) if card_of(key)] if self.card is None else []

    @cached_property
    def reserves(self) -> Counter[str]:
        """Bytes of each pool that priority groups and queues have for themselves, and do not share."""
        found: Counter[str] = Counter()
        for buffer in (*self.priority_groups, *self.queues):
            if buffer.profile is not None:
                found[buffer.profile.pool] += buffer.reserve
        return found

    def shared(self, pool: str) -> int | None:
        """Returns the shared bytes of a pool in an MMU, its size less all reserves (SAI saibuffer.h).

        None where no table says the size, and where reserves do not fit into it: what is shared then, is not known.
        """
        row = self.config.buffer_pool.get(pool)
        if row is None or row.size is None:
            return None
        rest = row.size - self.reserves_within(pool) - self.headroom_within(pool)
        return None if rest < 0 else rest // self.mmus

    def reserves_within(self, pool: str) -> int:
        """Returns the bytes of a pool's size that are reserves."""
        return 0 if self.reserves_apart or has_reserves_apart(self.chip_of_memory) else self.reserves[pool]

    def headroom_within(self, pool: str) -> int:
        """Returns the bytes of a pool's size that are headroom: 0 where headroom comes on top."""
        return memory.headroom_within(self, pool)

    def has(self, table: str, row: str) -> bool:
        """Whether there is such a row, valid or not."""
        return any(source.has(table, row) for source in self.sources)

    def left_out(self, table: str) -> set[str]:
        """Keys of rows that are there and invalid."""
        return {invalid.path[1] for invalid in self.invalid if invalid.path[0] == table and invalid.path[1:]}

    def has_table(self, table: str) -> bool:
        """Whether a file has it, in whatever state."""
        return any(source.has(table) for source in self.sources)

    def cable_m(self, port: str) -> int | None:
        """Returns the length of a port's cable."""
        return next((lengths[port] for lengths in self.config.cable_length.values() if port in lengths), None)

    @property
    def stated_packet(self) -> int | None:
        """The largest packet of lossless classes, if the tables state one."""
        return max((row.mtu for row in self.config.lossless_traffic_pattern.values()), default=None)

    def mtu_bytes(self, port: str) -> int:
        """Returns the largest packet of a port; that of Ethernet where no row says."""
        row = self.config.port.get(port)
        return row.mtu if row and row.mtu else MTU_BYTES

    @cached_property
    def groups_of_rows(self) -> dict[tuple[str, int], Buffer]:
        """Every priority group that a row is about, by port and number."""
        rows = {key: row.profile for key, row in self.config.buffer_pg.items()}
        return {(group.port, group.index): group for group in self._buffers(rows)}

    @cached_property
    def groups_made(self) -> dict[tuple[str, int], Buffer]:
        """Priority groups that the switch makes of its lookup table, whatever a row says (sonic-swss buffermgr.cpp)."""
        return {(made.port, made.index): made for made in self._made()}

    @cached_property
    def priority_groups(self) -> tuple[Buffer, ...]:
        """Every priority group as the switch has it."""
        return tuple((self.groups_of_rows | self.groups_made).values())

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
            for port in self.ports_of(key)
            for index in indices_of(key)
        }

    def row_of_queue(self, port: str, queue: int) -> str | None:
        """Returns the key of the row of QUEUE that is about a queue."""
        return self._rows_of_queues.get((port, queue))

    @cached_property
    def _rows_of_queues(self) -> dict[tuple[str, int], str]:
        """The first row about each."""
        found: dict[tuple[str, int], str] = {}
        for key in self.config.queue:
            for port, index in product(self.ports_of(key), indices_of(key)):
                found.setdefault((port, index), key)
        return found

    def wred_name(self, port: str, queue: int) -> str | None:
        """Returns the WRED profile that a row names for a queue, whether the profile is there or not."""
        key = self.row_of_queue(port, queue)
        return None if key is None else self.config.queue[key].wred_profile

    @cached_property
    def qos(self) -> Qos:
        """Priorities in which ports pause, and their maps."""
        return Qos(self.config, self.invalid)

    def looked_up(self, port: str) -> tuple[int, PgProfile] | None:
        """Returns the lookup table's row that the switch takes for a port, and its line.

        None for a cable of 0 m, and where the pool of such rows is not there.
        """
        if self.lookup is None or self.computes or not self.cable_m(port) or self.lacks_pool_of_lookup:
            return None
        row = self.config.port.get(port)
        return self.lookup.row(row.speed if row else None, self.cable_m(port))

    @property
    def lacks_pool_of_lookup(self) -> bool:
        """Whether there are pools, and not that of lookup tables: the switch makes no profile then."""
        return self.has_table("BUFFER_POOL") and not self.has("BUFFER_POOL", POOL_OF_LOOKUP)

    def threshold_field(self, row: PgProfile) -> str | None:
        """Names the field that a row's threshold is for; None if the mode of the pool does not allow the number."""
        pool = self.config.buffer_pool.get(POOL_OF_LOOKUP)
        return row.threshold_field(pool.mode if pool else None)

    @property
    def computes(self) -> bool:
        """Whether the switch computes headroom, and looks it up nowhere."""
        return any(row.buffer_model == "dynamic" for row in self.config.device_metadata.values())

    def _row_called(self, profile: str) -> tuple[int, PgProfile] | None:
        return next((found for found in self.lookup.rows if found[1].name == profile), None) if self.lookup else None

    def _made(self) -> Iterator[Buffer]:
        """Yields the buffers that the switch makes for ports that pause; a profile that is there already stays."""
        for port in self.qos.pfc_ports:
            found = self.looked_up(port)
            if found is None:
                continue
            row = found[1]
            profile = self.config.buffer_profile.get(row.name) or _made_of(row, self.threshold_field(row))
            pool = self.config.buffer_pool.get(profile.pool)
            for priority in self.qos.pfc_priorities(port):
                index = self.qos.priority_group_of(port, priority)
                yield Buffer(f"{port}|{index}", port, index, row.name, profile, pool)

    def _buffers(self, rows: dict[str, str]) -> Iterable[Buffer]:
        for key, name in rows.items():
            profile = self.config.buffer_profile.get(name)
            pool = self.config.buffer_pool.get(profile.pool) if profile else None
            for port in self.ports_of(key):
                for index in indices_of(key):
                    yield Buffer(key, port, index, name, profile, pool)


def _made_of(row: PgProfile, threshold_field: str | None) -> BufferProfile:
    made = BufferProfile(pool=POOL_OF_LOOKUP, size=row.size, xon=row.xon, xoff=row.xoff, xon_offset=row.xon_offset)
    return made if threshold_field is None else made.model_copy(update={threshold_field: row.threshold})


def several(names: Iterable[str]) -> str:
    """Returns the first of some names, and how many more there are."""
    first, *others = list(dict.fromkeys(names)) or [""]
    return f"{first} and {len(others)} more" if others else first
