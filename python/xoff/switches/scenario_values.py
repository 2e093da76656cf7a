"""Settings of a scenario's switch as single values by key, whichever way the scenario writes them."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from xoff.errors import ScenarioError
from xoff.scenario.quantities import Quantity, written
from xoff.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from xoff.scenario.topology import Port
    from xoff.switches.importing import Part

Value: TypeAlias = int | Fraction | str | bool
"""Value of a key: bytes, a share or a probability, a name, yes or no."""

_ALONE = """
topology = { kind = "star", hosts = 2, host_link = { rate = "100Gbps", delay = "1us" } }
transport.any = { kind = "constant_rate" }
workload = [{ kind = "permutation", transport = "any", size = "1kB", priority = CLASS }]
"""
"""A scenario around the switch part that follows from tables."""
_COUNTS = ("switch.scheduler", "switch.trimming.priority")
"""Beginnings of keys whose whole numbers are no bytes."""


class Key(NamedTuple):
    """A key of a scenario, with its class if each class has a value of its own."""

    name: str
    one: int | None = None

    def __str__(self) -> str:
        return self.name.format(self.one)


SHAPERS = Key("switch.shapers")
"""Key of the shapers of ports, whose value is their text."""
TRIMMING = Key("switch.trimming")
"""Key whose value says whether packets are trimmed."""
TRIMMING_SIZE = Key("switch.trimming.size")
TRIMMING_PRIORITY = Key("switch.trimming.priority")


class Marks(NamedTuple):
    """Thresholds of a marker."""

    kind: str | None
    """Kind of the marker; None for a threshold or a ramp."""
    minimum: int | None
    maximum: int | None
    probability: Fraction | None
    marks_only: bool | None
    """Whether packets that are not ECN-capable pass; None for markers that have no such key."""

    @classmethod
    def of(cls, marker: dict[str, Any] | None) -> Marks:
        """Makes the thresholds of a marker of the scenario; all None if there is none."""
        if not marker:
            return cls(None, None, None, None, None)
        if marker["kind"] == "threshold":
            threshold = int(marker["threshold"])
            return cls(None, threshold, threshold, Fraction(1), marker["marks_only"])
        kind = None if marker["kind"] == "red" else marker["kind"]
        minimum, maximum = (int(marker[end]) if end in marker else None for end in ("minimum", "maximum"))
        probability = Fraction(str(marker["probability"])) if "probability" in marker else None  # 0.01 is 1/100
        return cls(kind, minimum, maximum, probability, marker.get("marks_only"))


class Said(NamedTuple):
    """All settings of a switch."""

    lossless: dict[int, bool]
    """Whether each class is lossless."""
    values: dict[Key, Value | None]
    """Value of each key; None where the scenario leaves it out."""
    marks: dict[str, Marks | None]
    """Markers of whole ports, `port`, and of pools, `pool`; None where there is none."""


def of_scenario(scenario: Scenario, node: str, rate_bps: int | None) -> Said:
    """Returns the settings of a scenario's switch, with those of its ports of one rate."""
    return _of_settings(scenario._core.settings(), scenario, node, rate_bps)


def _of_settings(settings: dict[str, Any], scenario: Scenario, node: str, rate_bps: int | None) -> Said:
    classes = settings["class"] or [{"priority": one, "lossless": False} for one in range(8)]
    lossless = {one["priority"]: one["lossless"] for one in classes}
    of_switch = scenario._core.switch_settings(node)
    values = {key: _plain(value) for key, value in _values(of_switch, settings["pfc"], lossless, rate_bps)}
    marking = of_switch["marking"]
    markers = {"port": _of_port(marking, rate_bps), "pool": marking.get("pool")}
    return Said(lossless, values, {place: marker and Marks.of(marker) for place, marker in markers.items()})


def resolved(scenario: Scenario, node: str, rate_bps: int | None, keys: Iterable[Key]) -> Said:
    """Returns the settings of a switch, with computed values of some keys that are left out. Raises ScenarioError."""
    found = of_scenario(scenario, node, rate_bps)
    memory = scenario._core.switch_memory(scenario.read_files(), node).get("lossless")
    if memory is None:
        return found
    sizes = {
        size
        for port, size in zip(_ports(scenario, node), memory["headroom_of_ports"], strict=True)
        if rate_bps in (None, port.rate_bps)
    }
    left = {
        Key("switch.pfc.xon_offset"): memory["xon_offset"],
        Key("switch.pfc.lossless_pool"): memory["shared"],
        Key("switch.pfc.headroom.size"): sizes.pop() if len(sizes) == 1 else None,
    }
    return found._replace(
        values=found.values | {key: left[key] for key in keys if key in left and found.values.get(key) is None}
    )


def _ports(scenario: Scenario, node: str) -> list[Port]:
    return [port for port in scenario.topology.ports if port.node == node]


def check_links(scenario: Scenario, node: str) -> None:
    """Raises ScenarioError if a switch has a link with a rate each way: a port of a switch's tables has one speed."""
    topology = scenario.topology
    for port in topology.ports:
        if port.node == node and port.rate_bps != topology.rate_back_bps(port):
            problem = f"{port.name} sends at another rate than it receives, and a port of tables has one speed"
            raise ScenarioError(scenario.file, "topology", problem, "expected links with one rate")


def one_switch(scenario: Scenario, name: str | None, rate_bps: int | None = None) -> str:
    """Returns the name of a switch: the given one, or the first if all switches, and their ports of a rate, are alike.

    Raises ScenarioError.
    """
    switches = scenario.topology.switches
    if name is not None:
        if name not in switches:
            expected = f"expected one of {switches[0]} to {switches[-1]}"
            raise ScenarioError(scenario.file, f"--switch {name}", "the scenario has no such switch", expected)
        return name
    settings = scenario._core.settings()
    kinds = {repr(_of_settings(settings, scenario, one, rate_bps)): one for one in reversed(switches)}
    if len(kinds) > 1:
        expected = f"expected --switch with one of them, such as {' or '.join(sorted(kinds.values()))}"
        raise ScenarioError(scenario.file, "switch", "has switches that differ", expected)
    return switches[0]


def of_part(part: Part) -> Said:
    """Returns the settings of the switch part that follows from tables."""
    some_class = next(setting.value for setting in part.tables[0].settings if setting.key == "priority")
    around = _ALONE.replace("CLASS", str(some_class))
    return of_scenario(Scenario.from_text(f"{around}\n{part.text}"), "switch0", None)


def spelled(key: Key, value: Value) -> str:
    """Spells a value as a scenario does."""
    if isinstance(value, str | bool):
        return str(value).lower() if isinstance(value, bool) else value
    if isinstance(value, int):
        return str(value) if key.name.startswith(_COUNTS) else f"{value}B"
    if key.name.startswith("pfc."):
        return f"{float(value):g}ms"
    return f"{float(value):g}" if key.name.endswith("probability") else str(value)


def _values(
    settings: dict[str, Any], pfc: dict[str, Any], lossless: dict[int, bool], rate_bps: int | None
) -> Iterator[tuple[Key, Value | None]]:
    yield Key("switch.total"), settings.get("total")
    yield Key("switch.reserved_per_queue"), settings.get("reserved_per_queue")
    yield Key("switch.reserved_per_port"), settings.get("reserved_per_port") or None
    for key in ("shared_per_pool", "ports_per_pool", "pools"):
        yield Key(f"switch.{key}"), _text(settings.get(key))
    yield Key("switch.scheduler.quantum"), _text(settings["scheduler"].get("quantum"))
    yield SHAPERS, _text(settings.get("shapers"))
    yield from _policy("switch.buffer", settings["buffer"], [one for one in lossless if not lossless[one]])
    yield from _trimming(settings.get("trimming"))
    for one in lossless:
        yield from _marking(settings["marking"], one, rate_bps)
        yield from _scheduling(settings["scheduler"], one)
    marking = settings["marking"]
    yield Key("switch.marking.port"), _text(_of_port(marking, rate_bps))
    yield Key("switch.marking.pool"), _text(marking.get("pool"))
    if settings.get("pfc") and any(lossless.values()):
        yield from _pausing(settings["pfc"], [one for one in lossless if lossless[one]], rate_bps)
        yield from _watching(pfc)


def _policy(key: str, policy: dict[str, Any], classes: list[int]) -> Iterator[tuple[Key, Value | None]]:
    if not classes:
        return
    yield Key(f"{key}.policy"), policy["policy"]
    if policy["policy"] == "dynamic_threshold":
        alphas = policy.get("alpha_by_priority") or [policy["alpha"]] * 8
        for one in classes:
            yield Key(f"{key}.alpha_by_priority[{{}}]", one), alphas[one]
    elif policy["policy"] == "static_threshold":
        yield Key(f"{key}.threshold"), policy["threshold"]


def _trimming(trimming: dict[str, Any] | None) -> Iterator[tuple[Key, Value | None]]:
    yield TRIMMING, trimming is not None
    yield TRIMMING_SIZE, trimming["size"] if trimming else None
    yield TRIMMING_PRIORITY, trimming["priority"] if trimming else None


def _marking(marking: dict[str, Any], one: int, rate_bps: int | None) -> Iterator[tuple[Key, Value | None]]:
    at_rate = _at_rate(marking, rate_bps)
    marker = (
        at_rate.get("queue_by_priority", {}).get(one)
        or marking.get("queue_by_priority", {}).get(one)
        or at_rate.get("queue")
        or marking.get("queue")
    )
    for field, value in Marks.of(marker)._asdict().items():
        yield Key(f"switch.marking.queue_by_priority.{{}}.{field}", one), value


def _of_port(marking: dict[str, Any], rate_bps: int | None) -> dict[str, Any] | None:
    """Returns the marker of whole ports of a rate, if there is one."""
    found: dict[str, Any] | None = _at_rate(marking, rate_bps).get("port") or marking.get("port")
    return found


def _at_rate(table: dict[str, Any], rate_bps: int | None) -> dict[str, Any]:
    """Returns the settings of a table for ports of a rate; empty if there are none."""
    found: dict[str, Any] = table.get("at_rate", {}).get(rate_bps, {})
    return found


def _scheduling(scheduler: dict[str, Any], one: int) -> Iterator[tuple[Key, Value | None]]:
    strict = scheduler["kind"] == "strict_priority" or one in scheduler["strict"]
    yield Key("switch.scheduler.strict[{}]", one), strict
    yield Key("switch.scheduler.weights[{}]", one), None if strict else scheduler["weights"][one]


def _pausing(pfc: dict[str, Any], classes: list[int], rate_bps: int | None) -> Iterator[tuple[Key, Value | None]]:
    own = _at_rate(pfc, rate_bps)
    yield from _policy("switch.pfc.xoff", own.get("xoff") or pfc["xoff"], classes)
    headroom = pfc["headroom"]
    yield Key("switch.pfc.headroom.scheme"), headroom["scheme"]
    yield Key("switch.pfc.headroom.size"), own.get("headroom") or headroom.get("size")
    yield Key("switch.pfc.headroom.ratio"), headroom.get("ratio", Fraction(1))
    yield Key("switch.pfc.headroom.at_ports"), _text(headroom.get("at_ports"))
    for key in ("xon_offset", "reserved", "lossless_pool"):
        yield Key(f"switch.pfc.{key}"), pfc.get(key)


def _watching(pfc: dict[str, Any]) -> Iterator[tuple[Key, Value | None]]:
    watchdog = pfc.get("watchdog", {})
    yield Key("pfc.watchdog.action"), watchdog.get("action")
    detection, restoration = pfc.get("detection_time"), watchdog.get("restoration_time")
    yield Key("pfc.detection_time"), _milliseconds(detection) if watchdog else None
    yield Key("pfc.watchdog.restoration_time"), _milliseconds(restoration)


def _plain(value: Value | None) -> Value | None:
    """Returns a quantity as the number alone, whatever unit the scenario spells it in."""
    return int(value) if isinstance(value, Quantity) else value


def _text(value: object) -> str | None:
    """Returns a value of the scenario as text; None if it is empty."""
    return json.dumps(written(value)) if value else None


def _milliseconds(time_ps: int | None) -> Fraction | None:
    return None if time_ps is None else Fraction(time_ps, 10**9)
