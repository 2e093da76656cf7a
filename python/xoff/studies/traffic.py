"""Check that scenarios have the same traffic, without which they cannot be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xoff import _xoff
from xoff.errors import ScenarioError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.scenario.scenario import Scenario
    from xoff.studies.sweep import Sweep

# Of these tables all counts, but for what only says how packets travel.
_DECIDING = ("seed", "workload", "topology", "scale_up", "stop", "measure")
_WITHOUT = {"transport", "routing", "hash_seed", "flowlet_gap", "delay", "link"}
_RATE = {"rate", "rate_back"}
"""Keys of a link that may differ if no load is a share of its rate."""
_OF_CORE = {"topology.fabric_link.rate", "topology.fabric_link.rate_back", "topology.spines"}
"""Keys of links between switches that may differ if no load is a share of these links."""
# An offered load that counts these of a packet, too, has other arrivals where they differ.
_COUNTED = {"payload": (), "frame": ("payload", "headers"), "wire": ("payload", "headers", "wire_overhead")}


def check_same(scenarios: Sequence[Scenario], names: Sequence[str] | None = None) -> None:
    """Raises ScenarioError, which names the first key that differs, unless all scenarios have the first one's traffic.

    Seed, workloads, their files, nodes, links, stop condition and size classes must be equal. If a load is offered, so
    must rates of links, and sizes of packets if the load counts headers. Switches, hosts, delays, routing and
    congestion controls may differ. So may spines and their links if no load is a share of these.

    Args:
        scenarios: Scenarios to check, at least one.
        names: Names of the scenarios in the error; left out, their files.
    """
    base, *others = zip(names or [one.file or one.title for one in scenarios], map(_Traffic.of, scenarios), strict=True)
    for name, traffic in others:
        if difference := traffic.first_difference(base[1]):
            raise ScenarioError(name, difference.key, difference.told(f"in {base[0]}"), difference.remedy)


def note_of_sizes(sweep: Sweep) -> str:
    """Returns a line on packet sizes by which combinations have other traffic than the first; empty if none do.

    Other keys of the traffic differ only where an axis varies them, which is intended.
    """
    base, *others = sweep.combinations
    of_base, found = _Traffic.of(base.runs[0]), []
    for combination in others:
        if difference := _Traffic.of(combination.runs[0]).first_size_that_differs(of_base):
            axes = [name for name, value in combination.at.items() if value != base.at[name]]
            here, there = (", ".join(sweep.told(name, at[name]) for name in axes) for at in (combination.at, base.at))
            found.append(f"with {here} the traffic is another: {difference.key} {difference.told(f'with {there}')}")
    remedy = 'load_counts = "payload" makes it the same'
    return f"{found[0]}; {remedy} ({len(found)} of {len(sweep.combinations)} combinations)" if found else ""


class _Difference(NamedTuple):
    """The first key that makes the traffic of a scenario another than that of the base."""

    key: str
    value: object
    of_base: object
    counted_by: str = ""
    """Key of the load that counts a size of packets; empty for other keys."""

    def told(self, where: str) -> str:
        """Returns the problem in words; `where` says which scenario is the base."""
        counted = f", and {self.counted_by} counts it" if self.counted_by else ""
        return f"is {_told(self.value)}, but {_told(self.of_base)} {where}{counted}"

    @property
    def remedy(self) -> str:
        """Remedy in words, where the traffic must be the same."""
        if not self.counted_by:
            return "expected the same traffic in every scenario"
        return 'expected payload and headers alike in every scenario, or load_counts = "payload" in all of them'


class _Size(NamedTuple):
    """A size of packets that an offered load counts."""

    key: str
    value: object


class _Traffic(NamedTuple):
    """The keys that decide the traffic of a scenario."""

    keys: dict[str, object]
    sizes: dict[tuple[str, str], _Size]
    """Sizes of packets that decide the traffic, by the load that counts them and the part of a packet."""

    @classmethod
    def of(cls, scenario: Scenario) -> _Traffic:
        """Returns every key of a scenario that decides its traffic, with its value, and the sizes of packets."""
        resolved, named = scenario.portable(scenario.read_files())
        core = _xoff.Scenario(resolved)
        of_workloads = {path for key, path in core.files() if key.startswith("workload")}
        named = {path: text for path, text in named.items() if path in of_workloads}
        tables = core.settings()
        has_load = any(workload.get("load") is not None for workload in tables["workload"])
        left_out = _WITHOUT if has_load else _WITHOUT | _RATE
        keys = {path: value for key in _DECIDING for path, value in _flat(key, tables.get(key, {}), left_out)}
        if not any(workload.get("of") == "core" for workload in tables["workload"]):
            keys = {path: value for path, value in keys.items() if path not in _OF_CORE}
        return cls({**keys, **named}, dict(_counted(tables)))

    def first_difference(self, base: _Traffic) -> _Difference | None:
        """Returns the first key that differs from the base; None if there is none."""
        for key in {**self.keys, **base.keys}:
            if self.keys.get(key) != base.keys.get(key):
                return _Difference(key, self.keys.get(key), base.keys.get(key))
        return self.first_size_that_differs(base)

    def first_size_that_differs(self, base: _Traffic) -> _Difference | None:
        """Returns the first size of packets that differs among those that the same load counts in both; or None."""
        for place, size in self.sizes.items():
            of_base = base.sizes.get(place, size)
            if size.value != of_base.value:
                return _Difference(size.key, size.value, of_base.value, counted_by=place[0])
        return None


def _counted(tables: dict[str, Any]) -> Iterator[tuple[tuple[str, str], _Size]]:
    for index, workload in enumerate(tables["workload"]):
        if workload.get("load") is None:
            continue
        name = workload["transport"]
        for key in _COUNTED[workload.get("load_counts") or "frame"]:
            yield (f"workload[{index}].load", key), _Size(f"transport.{name}.{key}", tables["transport"][name][key])


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
