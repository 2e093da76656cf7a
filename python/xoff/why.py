"""Why flows took as long as they did: the run once more, with their packets recorded."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from xoff.columns import flow_names
from xoff.critical_path import critical_path
from xoff.errors import ResultError
from xoff.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xoff.critical_path import CriticalPath
    from xoff.result import Result

_OF_LEGS = ("source", "number", "destination", "workload", "start_ns", "received_ns", "finish_ns")
_OF_QUEUE_PAIRS = ("source", "destination", "transport", "priority", "number", "finish_ns")
_NUMBERS = 1 << 32
"""A flow's number at its source is below."""


def slowest(result: Result, count: int = 1) -> list[str]:
    """The names of the finished flows of the measured time with the greatest slowdown, so many of them."""
    flows = result.flow_rows.select(["source", "number", "slowdown", "measured"])
    flows = flows.filter(flows["measured"]).sort_by([("slowdown", "descending")])  # those alike stay in their order
    names: list[str] = flow_names(flows.slice(0, count)).to_pylist()
    return names


def critical_paths(
    result: Result,
    flows: Sequence[str],
    run: Callable[[Scenario], Result] = Scenario.run,
) -> list[CriticalPath]:
    """Where the time of finished flows went.

    Their packets are recorded in a run of the same scenario, which gives the same result, up to when the last of them
    finished; unless the result has them already.

    Args:
        result: The result that they are of.
        flows: Their names, `host0.flow3`.
        run: What runs a scenario.

    Raises:
        ValueError: There is no such flow, or it had not finished.
        ResultError: The scenario no longer gives this result: another version of xoff has run it.
        RunInterrupted: Ctrl-C was pressed, and `run` has not heard of it.
    """
    rows = finished(result, flows)
    return _paths(result, [Leg(name, row["start_ns"], row["finish_ns"], True) for name, row in rows.items()], run)


def collective_path(
    result: Result, collective: Mapping[str, Any], run: Callable[[Scenario], Result] = Scenario.run
) -> list[CriticalPath]:
    """Where the time of a collective went: the critical paths of flows of which each waited for the one before.

    Arguments and errors are as those of `critical_paths`, but for `collective`, which is a row of `result.collectives`.
    """
    return _paths(result, legs(result, collective), run)


def legs(result: Result, collective: Mapping[str, Any]) -> list[Leg]:
    """The flows of a collective of which each waited for the one before, up to the last one of all."""
    rows = result.flow_rows.select(_OF_LEGS)
    began, done = collective["start_ns"], collective["finish_ns"]
    then = pc.and_(pc.greater_equal(rows["received_ns"], began), pc.less_equal(rows["received_ns"], done))
    rows = rows.filter(pc.and_(then, pc.equal(rows["workload"], collective["workload"])))
    flows = [row | {"flow": name} for row, name in zip(rows.to_pylist(), flow_names(rows).to_pylist(), strict=True)]
    received = {(row["destination"], row["received_ns"]): row for row in flows}
    acknowledged = {(row["source"], row["finish_ns"]): row for row in flows}
    host, time, found = collective["last_host"], done, []
    while time > began:
        row = received.get((host, time)) or acknowledged.get((host, time))
        if row is None:
            break  # computing, or not done with the collective before
        found.append(Leg(row["flow"], row["start_ns"], time, (host, time) not in received))
        host, time = row["source"], row["start_ns"]
    if not found:
        message = f"the last flow to {host} had not finished when the run ended"
        raise ValueError(message)
    return found[::-1]


class Leg(NamedTuple):
    """A flow, and the part of its life that others waited for."""

    flow: str
    start_ns: int
    end_ns: int
    acknowledged: bool
    """Whether that ends as it is acknowledged, and not as it is received."""


def _paths(result: Result, asked: Sequence[Leg], run: Callable[[Scenario], Result]) -> list[CriticalPath]:
    recorded = set() if result.packets is None else set(flow_names(result.packets).unique().to_pylist())
    before = _before(result, asked)
    names = list(dict.fromkeys(name for leg in asked for name in (leg.flow, *before[leg.flow])))
    watched = result if recorded.issuperset(names) else _again(result, names, run)
    assert watched.packets is not None
    of_flows, paths = flow_names(watched.packets), []
    for leg in asked:
        own = watched.packets.filter(pc.is_in(of_flows, pa.array([leg.flow, *before[leg.flow]])))
        pauses = None if watched.pauses is None else _between(watched.pauses, leg.start_ns, leg.end_ns)
        paths.append(critical_path(own, pauses, *leg[:3], acknowledged=leg.acknowledged))
    return paths


def _between(pauses: pa.Table, start_ns: int, end_ns: int) -> pa.Table:
    """Pauses under way in a time."""
    goes_on = pc.or_kleene(pc.is_null(pauses["end_ns"]), pc.greater_equal(pauses["end_ns"], start_ns))
    return pauses.filter(pc.and_(goes_on, pc.less_equal(pauses["start_ns"], end_ns)))


def _before(result: Result, asked: Sequence[Leg]) -> dict[str, list[str]]:
    """For each of these flows those that had its queue pair before it and were not done as it started."""
    lasting = {
        name: transport["queue_pairs"]
        for name, transport in tomllib.loads(result.scenario)["transport"].items()
        if transport["kind"] == "roce" and transport["connections"] == "persistent"
    }
    rows = finished(result, [leg.flow for leg in asked])
    found: dict[str, list[str]] = {flow: [] for flow in rows}
    waiting = {flow: row for flow, row in rows.items() if row["transport"] in lasting}
    if not waiting:
        return found
    flows = result.flow_rows.select(_OF_QUEUE_PAIRS)
    for end in ("source", "destination"):
        hosts = pa.array({row[end] for row in waiting.values()}, pa.string())
        flows = flows.filter(pc.is_in(flows[end].cast(pa.string()), hosts))
    of_pairs: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for row in flows.to_pylist():
        of_pairs.setdefault(_queue_pair(row, lasting), []).append(row)
    for flow, own in waiting.items():
        earlier = (row for row in of_pairs[_queue_pair(own, lasting)] if row["number"] < own["number"])
        found[flow] = [f"{row['source']}.flow{row['number']}" for row in earlier if row["finish_ns"] > own["start_ns"]]
    return found


def _queue_pair(row: Mapping[str, Any], counts: Mapping[str, int]) -> tuple[object, ...]:
    """What tells the persistent queue pair of a flow from others."""
    number = row["number"] % counts.get(row["transport"], 1)
    return (row["source"], row["destination"], row["transport"], row["priority"], number)


def finished(result: Result, flows: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The rows of `flows.parquet` of these flows, by their names. Raises ValueError if one is not among them."""
    ends = result.flow_rows.select(["source", "number"])
    places = [_place(result, ends, flow) for flow in flows]
    rows = result.flow_rows.select(result.flow_rows.schema.names).take(places) if places else pa.table({})
    return dict(zip(flows, rows.to_pylist(), strict=True))


def _place(result: Result, ends: pa.Table, flow: str) -> int:
    """Which of the finished flows it is; there may be millions. Raises ValueError if it is none."""
    source, _, number = flow.rpartition(".flow")
    if number.isdecimal() and int(number) < _NUMBERS:
        alike = pc.indices_nonzero(pc.equal(ends["number"], pa.scalar(int(number), pa.uint32())))
        sources = ends["source"].take(alike).to_pylist()
        if source in sources:
            return int(alike[sources.index(source)].as_py())
    raise ValueError(_why_there_is_none(result, ends, flow))


def _why_there_is_none(result: Result, ends: pa.Table, flow: str) -> str:
    if result.unfinished is not None and flow in flow_names(result.unfinished).to_pylist():
        return f"{flow} had not finished when the run ended"
    if not ends.num_rows:
        return "no flow had finished"
    return f"there is no flow {flow}; expected a name such as {flow_names(ends.slice(0, 1))[0]}"


def _again(result: Result, names: list[str], run: Callable[[Scenario], Result]) -> Result:
    """The same run with the packets of some flows recorded, up to when the last of them was acknowledged."""
    ends = {name: row["finish_ns"] for name, row in finished(result, names).items()}
    # What else is observed or measured takes memory, and changes nothing.
    scenario = Scenario(result.scenario, inputs=result.inputs).with_values({"observe": {}, "measure": {}})
    recorded = {"packets": names, "pauses": True}
    again = run(scenario.with_values({"observe": recorded, "stop.at": f"{max(ends.values()) + 1}ns"}))
    try:
        is_same = {name: row["finish_ns"] for name, row in finished(again, names).items()} == ends
    except ValueError:
        is_same = False
    if not is_same:
        problem = "does not give this result any longer: another version of xoff has run it"
        raise ResultError("scenario.toml", "", problem, "run it again")
    return again
