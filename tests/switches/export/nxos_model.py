"""Lines of NX-OS as an instance of Cisco's YANG model for the device, for `yanglint` to validate.

The model bounds the values. Words of the pause and of the kind of a map are also its own, spelt otherwise
(`buffer-size`: bufferSize); other words are told apart here.
"""

from __future__ import annotations

from typing import Any

from avd_config import lines

MODEL = "Cisco-NX-OS-device"
_KINDS = {"qos": "dflt-items", "queuing": "queuing-items", "network-qos": "nw-items"}
_RANDOM_DETECT = {
    "minimum-threshold": ("minThreshold", "minThresholdUnit"),
    "maximum-threshold": ("maxThreshold", "maxThresholdUnit"),
    "drop-probability": ("dropAvail",),
    "weight": ("weight",),
}
UNJUDGED = {"priority-flow-control mode on", "priority-flow-control watch-dog-interval on"}
"""Lines of an interface whose values are bare numbers in the model."""


def instance(text: str) -> dict[str, Any]:
    """Returns what a configuration says in the shape of the model. Raises ValueError for a line that is none of its."""
    items: dict[str, Any] = {kind: {} for kind in _KINDS.values()}
    for section in sorted(lines(text)):
        _put(items, [line.split() for line in section], section[-1])
    return {f"{MODEL}:System": {"ipqos-items": items}}


def _put(items: dict[str, Any], section: list[list[str]], line: str) -> None:
    match section:
        case [["class-map", "type", kind, match, name]]:
            _class_map(items, kind, name)["matchType"] = match
        case [["class-map", "type", kind, _, name], ["match", "dscp", dscp]]:
            values = _class_map(items, kind, name).setdefault("dscp-items", {}).setdefault("Dscp-list", [])
            values.append({"val": int(dscp)})
        case [["policy-map", "type", kind, name]]:
            _policy_map(items, kind, name)
        case [["policy-map", "type", kind, name], [*_, class_name], *action]:
            row = _row(_policy_map(items, kind, name).setdefault("cmap-items", {}), "MatchCMap-list", class_name)
            if action:
                _act(row, action[0])
        case [["system", "qos"]] | [["interface", _]]:
            pass
        case [["system", "qos"], ["service-policy", "type", kind, *direction, name]]:
            _direction(items, kind, direction)["sys-items"] = {"pmap-items": {"name": name}}
        case [["interface", port], ["service-policy", "type", kind, *direction, name]]:
            interfaces = _direction(items, kind, direction).setdefault("intf-items", {})
            _row(interfaces, "If-list", port)["pmap-items"] = {"name": name}
        case [["interface", _], _] if line in UNJUDGED:
            pass
        case _:
            raise ValueError(line)


def _act(row: dict[str, Any], words: list[str]) -> None:
    """Puts what happens to the packets of a class."""
    match words:
        case ["set", "qos-group", number]:
            row["setGrp-items"] = {"id": int(number)}
        case ["mtu", size]:
            row["mtu-items"] = {"value": int(size)}
        case ["pause", "pfc-cos", priority]:
            row["pause-items"] = {f"pfcCos{priority}": True}
        case ["pause", *pairs]:
            row["pause-items"] = {_camel(name): value for name, value in zip(pairs[::2], pairs[1::2], strict=True)}
        case ["random-detect", *rest, "ecn"]:
            row["RandDet-items"] = {"ecn": True} | dict(_random_detect(rest))
        case _:
            raise ValueError(" ".join(words))


def _random_detect(words: list[str]) -> Any:  # noqa: ANN401
    while words:
        leaves = _RANDOM_DETECT.get(words[0])
        if leaves is None:
            raise ValueError(words[0])
        values, words = words[1 : 1 + len(leaves)], words[1 + len(leaves) :]
        for leaf, value in zip(leaves, values, strict=True):
            yield leaf, int(value) if value.isdigit() else value


def _camel(name: str) -> str:
    first, *rest = name.split("-")
    return first + "".join(part.capitalize() for part in rest)


def _class_map(items: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    return _row(_kind(items, kind).setdefault("c-items", {}).setdefault("name-items", {}), "CMapInst-list", name)


def _policy_map(items: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    return _row(_kind(items, kind).setdefault("p-items", {}).setdefault("name-items", {}), "PMapInst-list", name)


def _direction(items: dict[str, Any], kind: str, direction: list[str]) -> dict[str, Any]:
    """Policies at work; those of the whole network have no direction, and are the model's `out`."""
    ways = {("input",): "in-items", ("output",): "out-items", (): "out-items"}
    if tuple(direction) not in ways:
        raise ValueError(" ".join(direction))
    where: dict[str, Any] = _kind(items, kind).setdefault("policy-items", {}).setdefault(ways[tuple(direction)], {})
    return where


def _kind(items: dict[str, Any], kind: str) -> dict[str, Any]:
    if kind not in _KINDS:
        raise ValueError(kind)
    found: dict[str, Any] = items[_KINDS[kind]]
    return found


def _row(table: dict[str, Any], name: str, key: str) -> dict[str, Any]:
    """Returns the row of a list with this name, a new one if there is none."""
    rows: list[dict[str, Any]] = table.setdefault(name, [])
    for row in rows:
        if row["name"] == key:
            return row
    rows.append({"name": key})
    return rows[-1]
