"""Pools and headroom that SONiC computes on Spectrum, where its tables leave both to the switch.

With `buffer_model` dynamic, profiles of lossless priority groups are `NULL` and pools have no size. SONiC gives each
group what follows from speed, cable and packets, and the pools what all groups, queues and the chip's own needs leave.
Sizes of pools are therefore net of reserves, which come on top of them.

Source: sonic-swss e6b0c5b, cfgmgr/buffer_headroom_mellanox.lua and buffer_pool_mellanox.lua; sonic-buildimage 086b03b,
platform/mellanox/asic_table.j2. Left out: gearboxes, and ports that are not up. All ports of PORT count as up.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from xoff import _xoff
from xoff.switches.headroom import QUANTUM_BYTES, SONIC_CABLE_M_PER_S
from xoff.switches.lint.chips import has_reserves_apart
from xoff.switches.lint.headrooms import link_of, set_by_switch
from xoff.switches.sonic import ConfigFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Buffer, Tables

_KIB = 1024
_LATENCY = 19 * _KIB
"""Bytes that a group needs to resume in time, and that the chip keeps for each lossy group (pipeline_latency)."""
_MAC_AND_PHY = Fraction(8, 10) * _KIB
_ON_TILE = {"spectrum_4": 15, "spectrum_5": 15}
"""Bytes for each Gb/s of a port in its tile of the chip."""
_MIRROR = 10 * _KIB
"""For mirrored packets of a port."""
_PRIVATE = 10 * _KIB
"""Headroom that a port with lossless groups keeps for itself where headroom is shared."""
_MANAGEMENT = 256 * _KIB
_LEAST_SHARED_HEADROOM = 655_360
_COMPENSATION = 2 * _KIB
_SMALL_PACKET = 64
_EIGHT = 8
_USUAL_MTU = 9100
"""Packets of a port where PORT says nothing, in SONiC's default of `port_mtu`."""
_LOSSLESS = "ingress_lossless_pool"
"""Pool of the profiles that SONiC makes."""


class Headroom(NamedTuple):
    """Profile that SONiC makes for a lossless priority group, in bytes."""

    size: int
    xon: int
    xoff: int


@dataclass(frozen=True)
class Spectrum:
    """Spectrum, and the tables of a switch that leave pools or headroom to it."""

    tables: Tables
    chip: str
    memory: int
    cell: int

    @classmethod
    def of(cls, tables: Tables) -> Spectrum | None:
        """Returns the chip of the tables; None where it is not known, or not of this family."""
        chip = tables.chip_of_memory
        if chip is None or not has_reserves_apart(chip):
            return None
        return cls(tables, chip["name"], chip["memory_bytes"], chip["cell_bytes"] or 0)

    def completed(self) -> Tables:
        """Returns the tables with the headroom and the pools that the switch computes, if it does."""
        if not self.tables.computes:
            return self.tables
        tables = self._with({"BUFFER_PROFILE": self._profiles, "BUFFER_PG": self._groups})
        return replace(self, tables=tables)._with_pools()

    def headroom(self, port: str) -> Headroom | None:
        """Computes what a lossless priority group of a port gets; None where no table says speed and cable."""
        link = link_of(self.tables, port)
        pattern = next(iter(self.tables.config.lossless_traffic_pattern.values()), None)
        if link is None or pattern is None or not link[1]:
            return None
        row = self.tables.config.port[port]
        mtu = row.mtu or _USUAL_MTU
        response = _xoff.reaction_quanta(link[0] * 10**6) * QUANTUM_BYTES
        on_tile = _ON_TILE.get(self.chip, 0) * Fraction(link[0], 1000)
        on_cable = Fraction(2 * link[1] * link[0] * 10**6, 8 * SONIC_CABLE_M_PER_S)
        delayed = mtu + on_cable + _MAC_AND_PHY + response + on_tile
        xoff = _whole_kib(pattern.mtu + delayed * self._occupancy(pattern.small_packet_percentage, pattern.mtu))
        if not self.shares_headroom and pattern.small_packet_percentage != 100:
            worst = _whole_kib(pattern.mtu + delayed * self._worst_case)
            xoff += _COMPENSATION if xoff + _COMPENSATION < worst else 0
        eight = self._has_eight_lanes(port)
        xon = _LATENCY * (2 if eight else 1)
        size = xon if self.shares_headroom else xoff + xon + (mtu if eight else 0)
        return Headroom(_whole_kib(Fraction(size)), xon, xoff)

    @property
    def shares_headroom(self) -> bool:
        """Whether headroom is a pool for all groups: the pool has a size, or a ratio says how large it is."""
        return bool(self._shared_headroom or self._ratio)

    @property
    def _shared_headroom(self) -> int:
        row = self.tables.config.buffer_pool.get(_LOSSLESS)
        return (row.xoff or 0) if row else 0

    @property
    def _ratio(self) -> int:
        rows = self.tables.config.default_lossless_buffer_parameter.values()
        return next((row.over_subscribe_ratio or 0 for row in rows), 0)

    @property
    def _worst_case(self) -> int:
        """Cells of a small packet, as a multiple of its bytes."""
        cell = Fraction(self.cell)
        return ceil(cell / _SMALL_PACKET if cell > 2 * _SMALL_PACKET else 2 * cell / (1 + cell))

    def _occupancy(self, small: int, mtu: int) -> Fraction:
        share = Fraction(100 * _SMALL_PACKET, small * _SMALL_PACKET + (100 - small) * mtu)
        return 1 - share + share * self._worst_case

    def _has_eight_lanes(self, port: str) -> bool:
        row = self.tables.config.port.get(port)
        return row is not None and len((row.lanes or "").split(",")) == _EIGHT

    @property
    def _made(self) -> Iterator[tuple[Buffer, Headroom]]:
        for group in set_by_switch(self.tables):
            headroom = self.headroom(group.port)
            if headroom is not None:
                yield group, headroom

    @property
    def _profiles(self) -> dict[str, dict[str, str]]:
        return {
            self._name(group): {
                "pool": group.profile.pool if group.profile else _LOSSLESS,
                "size": str(headroom.size),
                "xon": str(headroom.xon),
                "xoff": str(headroom.xoff),
                "dynamic_th": str(self._exponent(group)),
            }
            for group, headroom in self._made
        }

    @property
    def _groups(self) -> dict[str, dict[str, str]]:
        return {f"{group.port}|{group.index}": {"profile": self._name(group)} for group, _ in self._made}

    def _name(self, group: Buffer) -> str:
        """Names the profile as SONiC does, with what makes it another one than that of its speed and cable."""
        speed, cable = link_of(self.tables, group.port) or (0, 0)
        mtu = self.tables.config.port[group.port].mtu or _USUAL_MTU
        parts = [f"pg_lossless_{speed}_{cable}m"]
        parts += [f"mtu{mtu}"] if mtu != _USUAL_MTU else []
        parts += ["8lane"] if self._has_eight_lanes(group.port) else []
        parts += [f"th{self._exponent(group)}"] if group.profile else []
        return "_".join([*parts, "profile"])

    def _exponent(self, group: Buffer) -> int:
        if group.profile is not None and group.profile.dynamic_th is not None:
            return group.profile.dynamic_th
        rows = self.tables.config.default_lossless_buffer_parameter.values()
        return next((row.default_dynamic_th for row in rows), 0)

    def _with(self, rows: dict[str, dict[str, dict[str, str]]]) -> Tables:
        extra = ConfigFile.parse(f"SONiC's formulas for {self.chip}", json.dumps(rows))
        return replace(self.tables, sources=(*self.tables.sources, extra))

    def _with_pools(self) -> Tables:
        pools = self.tables.config.buffer_pool
        open_pools = {name: row for name, row in pools.items() if row.size is None}
        if not open_pools:
            return self.tables
        taken, shared = self.taken()
        left = self.memory - taken - shared
        parts = 1 if sum(row.type == "ingress" for row in open_pools.values()) == 1 else 2
        rows = {}
        for name, row in open_pools.items():
            size = Fraction(left, parts) if row.percentage is None else Fraction(left * row.percentage, 100)
            rows[name] = {"type": row.type, "mode": row.mode, "size": str(max(0, ceil(size)))}
            if name == _LOSSLESS and shared:
                rows[name]["xoff"] = str(shared)
        return self._with({"BUFFER_POOL": rows})

    def taken(self) -> tuple[int, int]:
        """Bytes of the chip that no pool has: reserves of all kinds, and the headroom that all ports share."""
        tables, ports = self.tables, self.tables.config.port
        lossless = [group for group in tables.priority_groups if group.lossless and group.profile]
        taken = sum(group.profile.size for group in lossless if group.profile)
        taken += sum(
            group.profile.size + self._of_lossy(group.port)
            for group in tables.priority_groups
            if group.profile and not group.lossless
        )
        taken += sum(queue.profile.size for queue in tables.queues if queue.profile)
        taken += self._of_lists()
        taken += sum(self._of_lossy(port) + _MIRROR for port in ports) + _MANAGEMENT
        if not self.shares_headroom:
            return taken, 0
        private = _PRIVATE * len({group.port for group in lossless})
        beyond = [
            max(0, group.profile.xon + (group.profile.xoff or 0) - group.profile.size)
            for group in lossless
            if group.profile and group.profile.xon is not None
        ]
        computed = ceil(Fraction(max(0, sum(beyond) - private), self._ratio or 1)) or _LEAST_SHARED_HEADROOM
        return taken + private, self._shared_headroom or computed

    def _of_lossy(self, port: str) -> int:
        """Bytes that the chip keeps for a lossy group of a port, and for its packets to the switch itself."""
        return 2 * _LATENCY - _KIB if self._has_eight_lanes(port) else _LATENCY

    def _of_lists(self) -> int:
        """Bytes that ports reserve in egress pools by their lists of profiles."""
        config = self.tables.config
        profiles = (
            config.buffer_profile.get(name)
            for row in config.buffer_port_egress_profile_list.values()
            for name in row.profile_list
        )
        return sum(profile.size for profile in profiles if profile)


def _whole_kib(size: Fraction) -> int:
    return ceil(size / _KIB) * _KIB
