"""Victims of pauses: the queues in which a flow, a host, a switch or a port may have waited."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff import _xoff
from xoff.explain import pause_tree
from xoff.explain.pauses import Pauses, Queue
from xoff.results.columns import flow_place

if TYPE_CHECKING:
    from xoff.explain.pause_tree import PauseTree
    from xoff.results.result import Result

_OF_VICTIMS = ("source", "number", "destination", "transport", "priority", "start_ns", "finish_ns")


class _Victim(NamedTuple):
    name: str
    queues: list[Queue]
    between_ns: tuple[float, float]
    is_one_path: bool = False


def pauses_of(result: Result) -> Pauses:
    """Returns the pauses of a run. Raises ValueError if they were not observed."""
    if result.pauses is None:
        message = "pauses were not observed; observe.pauses = true in the scenario records them"
        raise ValueError(message)
    return Pauses(result.pauses, result.summary["end_ns"])


def pause_tree_of(
    result: Result, victim: str | int | None, at_ns: float | None, between_ns: tuple[float, float] | None
) -> PauseTree:
    """Returns the pause tree of a victim; see `Result.pause_tree`."""
    pauses = pauses_of(result)
    found = _victim(result, pauses, victim)
    considered = {queue: pauses.of(queue) for queue in found.queues}
    if at_ns is not None:
        was_there = found.between_ns[0] <= at_ns <= found.between_ns[1]
        considered = {queue: pauses.under_way(queue, at_ns) for queue in found.queues if was_there}
        between_ns = (0.0, math.inf)
    return pause_tree.build(
        pauses,
        result.pause_flows,
        found.name,
        considered,
        between_ns or found.between_ns,
        one_after_another=found.is_one_path,
    )


def _victim(result: Result, pauses: Pauses, victim: str | int | None) -> _Victim:
    whole = (0.0, float(result.summary["end_ns"]))
    if victim is None:
        return _Victim("all pauses", pauses.queues(), whole)
    if isinstance(victim, int):
        victim = _name_of(result, victim)
    if flow := re.fullmatch(r"(.+)\.flow(\d+)", victim):
        return _flow(result, victim, flow[1], int(flow[2]), whole)
    queues = [queue for queue in pauses.queues() if victim in (queue.port, queue.port.rpartition(".")[0])]
    if not queues:
        ports = result.topology.ports
        is_known = victim in {name for port in ports for name in (port.name, port.node)}
        message = f"{victim} was never paused" if is_known else f"there is no host, switch or port {victim}"
        raise ValueError(message)
    return _Victim(victim, queues, whole)


def _name_of(result: Result, flow_id: int) -> str:
    if not 0 <= flow_id < result.flow_rows.num_rows:
        message = f"there is no finished flow {flow_id}"
        raise ValueError(message)
    row = result.flow_rows.select(["source", "number"]).slice(flow_id, 1).to_pylist()[0]
    return f"{row['source']}.flow{row['number']}"


def _flow(result: Result, name: str, source: str, number: int, whole: tuple[float, float]) -> _Victim:
    core, end_ns = _xoff.Scenario(result.scenario), whole[1]
    if row := _row(result, name):
        priority, start_ns, end_ns = row["priority"], row["start_ns"], row.get("finish_ns", end_ns)
        ports, is_one = core.ports_of(result.inputs, (source, row["destination"]), row["transport"], number)
    elif path := core.path(result.inputs, source, number):  # it had not started
        _, priority, start_ns, ports, is_one = path
    else:
        message = f"there is no flow {name}, or it had not started"
        raise ValueError(message)
    queues = [Queue(port, priority) for port in ports]
    if not is_one:
        name = f"{name}, on all {len(ports)} ports that it may take"
    return _Victim(name, queues, (start_ns, float(end_ns)), is_one_path=is_one)


def _row(result: Result, flow: str) -> dict[str, Any] | None:
    """Returns the row of a flow, finished or not; None if it had not started."""
    for flows in (result.flow_rows, result.unfinished):
        if flows is not None:
            columns = flows.select([name for name in _OF_VICTIMS if name in flows.schema.names])
            if (place := flow_place(columns, flow)) is not None:
                return dict(columns.slice(place, 1).to_pylist()[0])
    return None
