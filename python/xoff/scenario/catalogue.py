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
    """Rate of each."""
    uplink_ports: NotRequired[int]
    """Ports of a chip that have another rate."""
    uplink_rate_bps: NotRequired[int | None]
    """Rate of each of these."""
    ecn: NotRequired[bool]
    """Whether a chip can mark packets."""
    memory_bytes: NotRequired[int]
    """All packet memory of a chip."""
    mmus: NotRequired[int]
    """Parts of it with ports of their own."""
    cell_bytes: NotRequired[int | None]
    """What memory is given out in; None where it is not known."""
    kibibytes_per_port: NotRequired[float]
    """Memory over ports."""
    kibibytes_per_port_per_gbps: NotRequired[float]
    """Memory over ports and their rate."""


def algorithms() -> list[Entry]:
    """Every algorithm, policy, marker, topology, transport and workload, family by family."""
    entries: list[Entry] = json.loads(_xoff.algorithms())
    return entries


def sizes() -> list[Entry]:
    """The flow-size distributions that come with xoff."""
    entries: list[Entry] = json.loads(_xoff.sizes())
    return entries


def chips() -> list[Entry]:
    """The chips that a switch can be built on: `chip = "tomahawk"`."""
    entries: list[Entry] = json.loads(_xoff.chips())
    return entries


def schema() -> dict[str, Any]:
    """The JSON Schema of a scenario."""
    found: dict[str, Any] = json.loads(_xoff.schema())
    return found


def fluid_schema() -> dict[str, Any]:
    """The JSON Schema of a table `fluid` with a fluid model's parameters."""
    found: dict[str, Any] = json.loads(_xoff.fluid_schema())
    return found


def described(key: str) -> list[dict[str, Any]]:
    """What the simulator says of a key or a name of scenarios. Raises ScenarioError if there is none of this name."""
    found: list[dict[str, Any]] = json.loads(_xoff.explain(key))
    return found
