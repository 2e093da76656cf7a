"""Notes on a scenario before it runs: those of the simulator on switches and links, and one on RoCE over loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from xoff import _xoff

_MUCH_BYTES = 10**9
"""Memory of a switch, in bytes, that stands for memory which never fills; no chip has as much."""


def of(core: _xoff.Scenario, files: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the notes on a scenario and its files, a line each. Raises ScenarioError if it cannot run."""
    return (*core.check(files), *_of_recoveries(core.settings()))


def _of_recoveries(settings: dict[str, Any]) -> Iterator[str]:
    """Yields a note for each RoCE transport with go-back-N that has flows in a lossy class."""
    if _has_much_memory(settings["switch"]):
        return
    lossless = {one["priority"] for one in settings["class"] if one["lossless"]}
    for name, transport in settings["transport"].items():
        if transport["kind"] != "roce" or transport["recovery"]["kind"] != "go_back_n":
            continue
        classes = {priority for workload in settings["workload"] for priority in _classes(workload, name)}
        if lossy := sorted(classes - lossless):
            which = (
                f"class {lossy[0]}, which is" if len(lossy) == 1 else f"classes {', '.join(map(str, lossy))}, which are"
            )
            yield (
                f"transport.{name}: packets may be lost in {which} not lossless, and go-back-N sends all that follows "
                "a lost one again"
            )


def _has_much_memory(switches: list[dict[str, Any]]) -> bool:
    sized = [table for table in switches if "total" in table or "chip" in table]
    return bool(sized) and all(table.get("total", 0) >= _MUCH_BYTES for table in sized)


def _classes(workload: dict[str, Any], transport: str) -> list[int]:
    """Returns the classes of a workload's flows of one transport; none if a file gives them."""
    if workload["transport"] != transport or workload["kind"] in ("trace", "job"):
        return []
    priority = workload.get("priority", 0)
    return priority if isinstance(priority, list) else [priority]
