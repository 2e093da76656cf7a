"""Classes whose packets a switch trims: lossy ones with data of RoCE with selective repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xoff.scenario.scenario import Scenario


class Trimmable(NamedTuple):
    """Classes with data that is trimmed, and other transports in them."""

    classes: tuple[int, ...]
    beside: tuple[str, ...]
    """Transports with data in these classes whose receivers do not answer trimmed headers."""


def trimmable(scenario: Scenario, lossy: Iterable[int]) -> Trimmable:
    """Returns the lossy classes with data that is trimmed; flows that are read from a file may be in any class."""
    document = scenario._core.settings()
    data = [(one["transport"], _priorities(one, lossy)) for one in document["workload"]]
    understood = {name for name, _ in data if _understands(document["transport"][name])}
    classes = {one for name, priorities in data if name in understood for one in priorities} & set(lossy)
    beside = {name: None for name, priorities in data if name not in understood and classes & priorities}
    return Trimmable(tuple(sorted(classes)), tuple(beside))


def _understands(transport: dict[str, Any]) -> bool:
    """Whether receivers of a transport answer a trimmed header."""
    return bool(transport["kind"] == "roce" and transport["recovery"]["kind"] == "selective_repeat")


def _priorities(workload: dict[str, Any], all_of_them: Iterable[int]) -> set[int]:
    given = workload.get("priority", list(all_of_them))
    return set(given) if isinstance(given, list) else {given}
