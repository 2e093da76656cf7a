"""Whether scenarios have the same traffic: what a comparison between them takes for granted."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from xoff.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.scenario import Scenario

# Of these tables all counts, but for what only says how packets travel.
_DECIDING = ("seed", "workload", "topology", "stop", "measure")
_WITHOUT = {"transport", "routing", "hash_seed", "delay"}
_SIZES_OF_PACKETS = ("payload", "headers", "wire_overhead")  # an offered load may count headers


def check_same(scenarios: Sequence[Scenario]) -> None:
    """Raises ScenarioError, which names the first key that differs, unless all scenarios have the first one's traffic.

    Seed, workloads, packet sizes, rates of links, stop condition and size classes must be the same, and so must files
    that workloads name. Switches, hosts, delays, routing and congestion controls are what may be compared.
    """
    base, *others = scenarios
    expected = dict(_deciding(base))
    for other in others:
        found = dict(_deciding(other))
        for key in {**found, **expected}:
            if found.get(key) != expected.get(key):
                where = base.file or base.title
                problem = f"is {_told(found.get(key))}, but {_told(expected.get(key))} in {where}"
                raise ScenarioError(other.file, key, problem, "expected the same traffic in every scenario")


def _deciding(scenario: Scenario) -> Iterator[tuple[str, object]]:
    """Every key that decides the traffic, and its value."""
    resolved, named = scenario.portable(scenario.read_files())
    tables = tomllib.loads(resolved)
    for key in _DECIDING:
        yield from _flat(key, tables[key])
    for index, workload in enumerate(tables["workload"]):
        transport = tables["transport"][workload["transport"]]
        for key in _SIZES_OF_PACKETS:
            yield f"workload[{index}].transport.{key}", transport[key]
    yield from named.items()


def _flat(path: str, value: Any) -> Iterator[tuple[str, object]]:  # noqa: ANN401 as TOML nests
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in _WITHOUT:
                yield from _flat(f"{path}.{key}", inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _flat(f"{path}[{index}]", inner)
    else:
        yield path, value


def _told(value: object) -> str:
    if value is None:
        return "left out"
    text = str(value)
    return text if len(text) <= 40 else "another file"
