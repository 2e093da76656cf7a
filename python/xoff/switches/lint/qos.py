"""Priorities in which ports pause, and the maps from packets to priority groups and queues."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from xoff.switches.sonic import ConfigDb, Invalid
    from xoff.switches.sonic.config_db import PortQosMap

T = TypeVar("T")

WHOLE_SWITCH = "global"
"""Key of a row of PORT_QOS_MAP that is about no port of its own."""
OF_WHOLE_SWITCH = "dscp_to_tc_map"
"""The one field of that row that is applied, where a port's own row has none (sonic-swss, orchagent/qosorch.cpp)."""

DSCP_OF_CNPS = 48
"""DSCP that adapters give congestion notification packets by default (NVIDIA's `cnp_dscp`)."""


@dataclass(frozen=True)
class Qos:
    """PORT_QOS_MAP, and the maps that its rows name."""

    _config: ConfigDb
    _invalid: tuple[Invalid, ...]

    def row(self, port: str) -> tuple[str, PortQosMap] | None:
        """Returns the row that says what a port does by class, and the row's key."""
        return self._row_by_port.get(port)

    @cached_property
    def _row_by_port(self) -> dict[str, tuple[str, PortQosMap]]:
        """The first row about each."""
        found: dict[str, tuple[str, PortQosMap]] = {}
        for key, row in self._config.port_qos_map.items():
            for port in key.split(","):
                found.setdefault(port, (key, row))
        return found

    def row_of(self, port: str, field: str) -> tuple[str, PortQosMap] | None:
        """Returns the row with a port's value of a field, and the row's key: the port's row, or the whole switch's."""
        own, whole = self.row(port), self._config.port_qos_map.get(WHOLE_SWITCH)
        if whole is None or field != OF_WHOLE_SWITCH or (own and own[1].dscp_to_tc_map):
            return own
        return WHOLE_SWITCH, whole

    def is_known(self, port: str) -> bool:
        """Whether no row of it has been left out as invalid."""
        left_out = (
            invalid.path[1] for invalid in self._invalid if invalid.path[0] == "PORT_QOS_MAP" and invalid.path[1:]
        )
        return not any(port in key.split(",") for key in left_out)

    @cached_property
    def ports(self) -> tuple[str, ...]:
        """Ports that have a row in PORT_QOS_MAP."""
        keys = (key for key in self._config.port_qos_map if key != WHOLE_SWITCH)
        return tuple(port for key in keys for port in key.split(","))

    @cached_property
    def pfc_ports(self) -> tuple[str, ...]:
        """Ports that pause in some priority."""
        return tuple(port for port in self.ports if self.pfc_priorities(port))

    def pfc_priorities(self, port: str) -> tuple[int, ...]:
        """Returns the priorities in which a port pauses."""
        found = self.row(port)
        return found[1].pfc_enable or () if found else ()

    @cached_property
    def pausing(self) -> tuple[tuple[str, int], ...]:
        """Every port with every priority in which it pauses."""
        return tuple((port, priority) for port in self.pfc_ports for priority in self.pfc_priorities(port))

    def priority_group_of(self, port: str, priority: int) -> int:
        """Returns the priority group that a PFC priority pauses; the group of that number where no map says other."""
        groups = self._map(port, "pfc_to_pg_map", self._config.pfc_priority_to_priority_group_map) or {}
        return groups.get(str(priority), priority)

    def names_group_of(self, port: str, priority: int) -> bool:
        """Whether a map names the priority group that a PFC priority pauses."""
        groups = self._map(port, "pfc_to_pg_map", self._config.pfc_priority_to_priority_group_map) or {}
        return str(priority) in groups

    def queue_of(self, port: str, priority: int) -> int:
        """Returns the queue that a PFC priority pauses; the queue of the same number where no map says other."""
        queues = self._map(port, "pfc_to_queue_map", self._config.map_pfc_priority_to_queue) or {}
        return queues.get(str(priority), priority)

    def classes_of_group(self, port: str, group: int) -> tuple[int, ...]:
        """Traffic classes whose packets come into a priority group; the one of the same number where no map says."""
        groups = self._map(port, "tc_to_pg_map", self._config.tc_to_priority_group_map)
        return (group,) if groups is None else tuple(int(one) for one, its in groups.items() if its == group)

    def queue_of_class(self, port: str, traffic_class: int) -> int:
        """Returns the queue in which a traffic class waits; the queue of the same number where no map says other."""
        queues = self._map(port, "tc_to_queue_map", self._config.tc_to_queue_map) or {}
        return queues.get(str(traffic_class), traffic_class)

    def classes_given(self, port: str) -> dict[int, list[str]] | None:
        """Traffic classes that packets come in by at a port, and what they carry then; None where no map says."""
        by_dscp = self._map(port, "dscp_to_tc_map", self._config.dscp_to_tc_map)
        by_dot1p = self._map(port, "dot1p_to_tc_map", self._config.dot1p_to_tc_map)
        if by_dscp is None and by_dot1p is None:
            return None
        found: dict[int, list[str]] = defaultdict(list)
        for carried, classes in (("DSCP", by_dscp), ("802.1p priority", by_dot1p)):
            for value, traffic_class in (classes or {}).items():
                found[traffic_class].append(f"{carried} {value}")
        return found

    def _map(self, port: str, field: str, maps: dict[str, dict[str, T]]) -> dict[str, T] | None:
        """Returns the map that a port has by a field; None if no row names a map that is there."""
        found = self.row_of(port, field)
        return maps.get(getattr(found[1], field) or "") if found else None
