"""Whether scenarios have the same traffic: what a comparison between them takes for granted."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.scenario import Scenario

# Of these tables all counts, but for what only says how packets travel.
_DECIDING = ("seed", "workload", "topology", "stop", "measure")
_WITHOUT = {"transport", "routing", "hash_seed", "delay"}
_RATE = {"rate"}
"""What a link may differ in, too, where no load is a share of it."""
# An offered load that counts these of a packet, too, has other arrivals where they differ.
_COUNTED = {"payload": (), "frame": ("payload", "headers"), "wire": ("payload", "headers", "wire_overhead")}


def check_same(scenarios: Sequence[Scenario]) -> None:
    """Raises ScenarioError, which names the first key that differs, unless all scenarios have the first one's traffic.

    Seed, workloads, nodes and links, stop condition and size classes must be the same, and so must files that workloads
    name; where a load is offered, rates of links, too, and packet sizes if it counts headers. Switches, hosts, delays,
    routing and congestion controls are what may be compared.
    """
    base, *others = scenarios
    where = base.file or base.title
    expected, expected_sizes = _deciding(base)
    for other in others:
        found, sizes = _deciding(other)
        for key in {**found, **expected}:
            if found.get(key) != expected.get(key):
                problem = f"is {_told(found.get(key))}, but {_told(expected.get(key))} in {where}"
                raise ScenarioError(other.file, key, problem, "expected the same traffic in every scenario")
        for size, of_base in zip(sizes, expected_sizes, strict=True):
            if size.value != of_base.value:
                problem = f"is {size.value}, but {of_base.value} in {where}, and {size.workload}.load counts it"
                raise ScenarioError(other.file, size.key, problem, _ALIKE)


_ALIKE = 'expected payload and headers alike in every scenario, or load_counts = "payload" in all of them'


class _Size(NamedTuple):
    """A size of packets that an offered load counts."""

    workload: str
    key: str
    value: object


def _deciding(scenario: Scenario) -> tuple[dict[str, object], list[_Size]]:
    """Every key that decides the traffic, and its value; and packet sizes that do."""
    resolved, named = scenario.portable(scenario.read_files())
    tables = tomllib.loads(resolved)
    has_load = any(workload.get("load") is not None for workload in tables["workload"])
    left_out = _WITHOUT if has_load else _WITHOUT | _RATE
    keys = {path: value for key in _DECIDING for path, value in _flat(key, tables[key], left_out)}
    return {**keys, **named}, list(_counted(tables))


def _counted(tables: dict[str, Any]) -> Iterator[_Size]:
    for index, workload in enumerate(tables["workload"]):
        if workload.get("load") is None:
            continue
        name = workload["transport"]
        for key in _COUNTED[workload.get("load_counts") or "frame"]:
            yield _Size(f"workload[{index}]", f"transport.{name}.{key}", tables["transport"][name][key])


def _flat(path: str, value: Any, left_out: set[str]) -> Iterator[tuple[str, object]]:  # noqa: ANN401 as TOML nests
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in left_out:
                yield from _flat(f"{path}.{key}", inner, left_out)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(f"{path}[{index}]", inner, left_out)
    else:
        yield path, value


def _told(value: object) -> str:
    if value is None:
        return "left out"
    text = str(value)
    return text if len(text) <= 40 else "another file"
