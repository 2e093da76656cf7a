"""The names that a scenario may use, as the simulator describes them: algorithms, flow sizes, chips, all keys."""

from __future__ import annotations

import json
from typing import Any, NotRequired, TypedDict

from xoff import _xoff


class Entry(TypedDict):
    """One line of a list."""

    name: str
    about: str
    """One sentence."""
    family: NotRequired[str]
    """The family of an algorithm or kind, such as `congestion_control`."""
    source: NotRequired[str | None]
    """Paper or standard."""
    mean_bytes: NotRequired[float]
    """Mean of a flow-size distribution."""
    ports: NotRequired[int]
    """Ports of a chip."""
    rate_bps: NotRequired[int]
    """Rate of each port."""
    uplink_ports: NotRequired[int]
    """Ports of a chip that have another rate."""
    uplink_rate_bps: NotRequired[int | None]
    """Rate of each uplink port."""
    ecn: NotRequired[bool]
    """Whether a chip can mark packets."""
    memory_bytes: NotRequired[int]
    """All packet memory on a chip; left out where it is not public."""
    off_chip_bytes: NotRequired[int | None]
    """Packet memory behind that, for virtual output queues."""
    mmus: NotRequired[int]
    """Parts of the memory that have ports of their own."""
    cell_bytes: NotRequired[int | None]
    """Unit in which memory is given out; None where it is not known."""
    kibibytes_per_port: NotRequired[float]
    """Memory over ports."""
    kibibytes_per_port_per_gbps: NotRequired[float]
    """Memory over ports and their rate."""


def algorithms() -> list[Entry]:
    """Returns every algorithm, policy, marker, topology, transport and workload, family by family."""
    entries: list[Entry] = json.loads(_xoff.algorithms())
    return entries


def sizes() -> list[Entry]:
    """Returns the flow-size distributions that come with xoff."""
    entries: list[Entry] = json.loads(_xoff.sizes())
    return entries


def chips() -> list[Entry]:
    """Returns the chips that a switch can be built on, as in `chip = "tomahawk"`."""
    entries: list[Entry] = json.loads(_xoff.chips())
    return entries


def schema() -> dict[str, Any]:
    """Returns the JSON Schema of a scenario."""
    found: dict[str, Any] = json.loads(_xoff.schema())
    return found


def fluid_schema() -> dict[str, Any]:
    """Returns the JSON Schema of a table `fluid`, which holds a fluid model's parameters."""
    found: dict[str, Any] = json.loads(_xoff.fluid_schema())
    return found


def described(key: str) -> list[dict[str, Any]]:
    """Returns the simulator's description of a key or a name; several where it is not unique. Raises ScenarioError."""
    found: list[dict[str, Any]] = json.loads(_xoff.explain(key))
    return found
