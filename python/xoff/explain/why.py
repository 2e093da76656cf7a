"""Critical paths of flows, collectives and jobs, from running the scenario again with their packets recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xoff.errors import ResultError
from xoff.explain.critical_path import critical_path
from xoff.results.columns import flow_names, flow_place
from xoff.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from xoff.explain.critical_path import CriticalPath
    from xoff.results.result import Result

_OF_LEGS = ("source", "number", "destination", "workload", "start_ns", "received_ns", "finish_ns")
_OF_ORDER = ("number", "start_ns")
_FOR_GOOD_PS = 2**62
"""Stands for the end of an outage that does not end."""
_NOTHING = -1
"""Stands for the missing byte where the transport does not send lost data again."""
_OF_QUEUE_PAIRS = ("source", "destination", "transport", "priority", "number", "finish_ns")


def slowest(result: Result, count: int = 1) -> list[str]:
    """Returns the names of the `count` finished flows of the measured time with the greatest slowdown."""
    flows = result.flow_rows.select(["source", "number", "slowdown", "measured"])
    flows = flows.filter(flows["measured"]).sort_by([("slowdown", "descending")])  # those alike stay in their order
    names: list[str] = flow_names(flows.slice(0, count)).to_pylist()
    return names


def unfinished(result: Result, workload: int | None = None) -> list[str]:
    """Returns the names of unfinished flows in the order of start, of all workloads or of one."""
    flows = result.unfinished
    if flows is not None and workload is not None:
        flows = flows.filter(pc.equal(flows["workload"], workload))
    names: list[str] = [] if flows is None else flow_names(flows).to_pylist()
    return names


def critical_paths(
    result: Result,
    flows: Sequence[str],
    run: Callable[[Scenario], Result] = Scenario.run,
) -> list[CriticalPath]:
    """Returns the critical paths of flows; the path of an unfinished flow ends with the run.

    The scenario runs once more, up to when the last of the flows finished, with their packets recorded. It does not if
    the result has these packets already.

    Args:
        result: The result that has the flows.
        flows: Names of flows, such as `host0.flow3`.
        run: The function that runs a scenario.

    Raises:
        ValueError: There is no such flow.
        ResultError: The scenario no longer gives this result: another version of xoff has run it.
        RunInterrupted: Ctrl-C was pressed, unless `run` handles it.
    """
    return _paths(result, [_whole(result, name, row) for name, row in rows_of(result, flows).items()], run)


def _whole(result: Result, name: str, row: Mapping[str, Any]) -> Leg:
    if row["finish_ns"] is None:
        repairs = result._settings["transport"][row["transport"]]["kind"] != "constant_rate"
        missing = row["received_bytes"] if repairs else _NOTHING
        return Leg(name, row["start_ns"], result.summary["end_ns"], True, missing)
    return Leg(name, row["start_ns"], row["finish_ns"], True)


def collective_path(
    result: Result, collective: Mapping[str, Any], run: Callable[[Scenario], Result] = Scenario.run
) -> list[CriticalPath]:
    """Returns the critical paths of a collective: a chain of flows, each of which waited for the one before.

    Arguments and errors are those of `critical_paths`, except `collective`, a row of `result.collectives`.
    """
    return _paths(result, legs(result, collective), run)


def job_path(result: Result, workload: int, run: Callable[[Scenario], Result] = Scenario.run) -> list[CriticalPath]:
    """Returns the critical paths of a job: a chain of flows, each of which waited for the one before.

    Hosts compute between these flows. Arguments and errors are those of `critical_paths`, except `workload`, the
    position of the job's workload in the scenario. ValueError is also raised if the job is not complete.
    """
    return _paths(result, job_legs(result, workload), run)


def job_legs(result: Result, workload: int) -> list[Leg]:
    """Returns the chain of flows, each of which waited for the one before, that ends with the last operation of a job.

    Computations of the chain are left out.
    """
    rows = [] if result.job_flows is None else result.job_flows.to_pylist()
    by_name = {row["flow"]: row for row in rows if row["workload"] == workload}
    if not by_name:
        message = f"workload {workload} is no job"
        raise ValueError(message)
    missing = [name for name, row in by_name.items() if row["received_ns"] is None]
    if missing:
        message = (
            f"the job is not complete: {missing[0]} and {len(missing) - 1} more of its flows had not been received"
        )
        raise ValueError(message)
    host_of = result.topology.host_of
    row = max(by_name.values(), key=lambda row: row["received_ns"])
    found = [_leg_of(row, acknowledged=False)]
    while row["waited_for"] is not None:
        before = by_name[row["waited_for"]]
        found.append(_leg_of(before, acknowledged=host_of(before["destination"]) != host_of(row["source"])))
        row = before
    legs = [leg for leg in reversed(found) if leg is not None]
    if not legs:
        message = "the job waits for no flow: the longest chain of its operations computes only"
        raise ValueError(message)
    return legs


def _leg_of(row: Mapping[str, Any], *, acknowledged: bool) -> Leg | None:
    if row["number"] is None:  # no flow
        return None
    end_ns = row["finish_ns"] if acknowledged else row["received_ns"]
    return Leg(f"{row['source']}.flow{row['number']}", row["start_ns"], end_ns, acknowledged)


def named(result: Result, flows: Sequence[str]) -> list[str]:
    """Returns names of flows at their sources; names from the file of a job are replaced, others stay."""
    rows = [] if result.job_flows is None else result.job_flows.to_pylist()
    names = {row["flow"]: f"{row['source']}.flow{row['number']}" for row in rows if row["number"] is not None}
    return [names.get(flow, flow) for flow in flows]


def legs(result: Result, collective: Mapping[str, Any]) -> list[Leg]:
    """Returns the chain of flows, each of which waited for the one before, that ends with a collective's last flow."""
    rows = _flows_of(result, collective)
    flows = [row | {"flow": name} for row, name in zip(rows.to_pylist(), flow_names(rows).to_pylist(), strict=True)]
    host_of = result.topology.host_of
    received = {(host_of(row["destination"]), row["received_ns"]): row for row in flows}
    acknowledged = {(host_of(row["source"]), row["finish_ns"]): row for row in flows}
    began, done = collective["start_ns"], collective["finish_ns"]
    host, time, found = collective["last_host"], done, []
    while time > began:
        row = received.get((host, time)) or acknowledged.get((host, time))
        if row is None:
            break  # computing, or not done with the collective before
        found.append(Leg(row["flow"], row["start_ns"], time, (host, time) not in received))
        host, time = host_of(row["source"]), row["start_ns"]
    if not found:
        message = f"the last flow to {host} had not finished when the run ended"
        raise ValueError(message)
    return found[::-1]


def _flows_of(result: Result, collective: Mapping[str, Any]) -> pa.Table:
    """Returns the finished flows of one iteration of a collective, found by their order.

    Each rank sends as many flows in every iteration. In an all-to-all, where ranks may send different numbers, each
    sends as many to each other.
    """
    rows = result.flow_rows.select(_OF_LEGS)
    rows = rows.filter(pc.equal(rows["workload"], collective["workload"]))
    settings = result._settings["workload"][collective["workload"]]
    if settings["operation"] == "all_to_all":
        ends, flows_each = ["source", "destination"], settings["flows_per_part"]
    else:
        [ranks] = {one["ranks"] for one in result.summary["collectives"] if one["workload"] == collective["workload"]}
        ends, flows_each = ["source"], collective["flows"] // ranks
    flows = rows.select([*ends, *_OF_ORDER])
    if result.unfinished is not None:
        of_workload = pc.equal(result.unfinished["workload"], collective["workload"])
        flows = pa.concat_tables([flows, result.unfinished.filter(of_workload).select(flows.column_names)])
    # By either adapter of a rank, in the order in which they start.
    host_of = result.topology.host_of
    of_ends = np.zeros(flows.num_rows, dtype=np.int64)
    for end in ends:
        adapters = flows[end].cast(pa.string()).combine_chunks().dictionary_encode()
        hosts, of_adapter = np.unique([host_of(name) for name in adapters.dictionary.to_pylist()], return_inverse=True)
        of_ends = of_ends * len(hosts) + of_adapter[adapters.indices.to_numpy()]
    order = np.lexsort((flows["number"].to_numpy(), flows["start_ns"].to_numpy(), of_ends))
    first = np.flatnonzero(np.diff(of_ends[order], prepend=-1))
    before = np.empty(len(order), dtype=np.int64)
    before[order] = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
    iteration = before[: rows.num_rows] // flows_each
    return rows.filter(pa.array(iteration == collective["iteration"]))


class Leg(NamedTuple):
    """A flow in a chain, and the time in which the next flow waited for it."""

    flow: str
    start_ns: int
    end_ns: int
    acknowledged: bool
    """Whether that time ends with the acknowledgement of the flow, and not with its receipt."""
    missing: int | None = None
    """Offset of the first byte that the receiver of an unfinished flow lacks; None for a finished flow."""


def _paths(result: Result, asked: Sequence[Leg], run: Callable[[Scenario], Result]) -> list[CriticalPath]:
    if not asked:
        return []
    recorded = set() if result.packets is None else set(flow_names(result.packets).unique().to_pylist())
    transports = result._settings["transport"]
    rows = rows_of(result, [leg.flow for leg in asked])
    before = _before(result, transports, rows)
    names = list(dict.fromkeys(name for leg in asked for name in (leg.flow, *before[leg.flow])))
    is_whole = recorded.issuperset(names) and result.summary.get("recorded_until_ns") is None
    watched = result if is_whole else _again(result, names, run)
    assert watched.packets is not None
    of_flows, down_ps, paths = flow_names(watched.packets), _links_down(result), []
    for leg in asked:
        own = watched.packets.filter(pc.is_in(of_flows, pa.array([leg.flow, *before[leg.flow]])))
        pauses = None if watched.pauses is None else _between(watched.pauses, leg.start_ns, leg.end_ns)
        path = critical_path(
            own,
            pauses,
            *leg[:3],
            acknowledged=leg.acknowledged,
            missing=leg.missing,
            on_credit=_is_on_credit(transports[rows[leg.flow]["transport"]]),
            down_ps=down_ps,
        )
        paths.append(path)
    return paths


def _is_on_credit(transport: Mapping[str, Any]) -> bool:
    """Whether flows of a transport send on credit from their receivers."""
    return bool(transport.get("congestion_control", {}).get("algorithm") == "rccc")


def _links_down(result: Result) -> dict[str, list[tuple[int, int]]]:
    """Returns the intervals (ps) in which links of hosts were down, by the hosts' ports, where packets wait meanwhile.

    Switches are left out: they lose the packets for a link that fails.
    """
    changes = [
        (int(event["at"]), event["state"], frozenset(event["between"]))
        for event in result._settings["link_event"]
        if "state" in event
    ]
    ports = {frozenset((port.node, port.peer_node)): port.name for port in result.topology.of_hosts} if changes else {}
    spans: dict[str, list[tuple[int, int]]] = {}
    for at_ps, state, between in sorted(changes, key=lambda change: change[0]):
        if (port := ports.get(between)) is None:
            continue
        if state == "down":
            spans.setdefault(port, []).append((at_ps, _FOR_GOOD_PS))
        else:
            spans[port][-1] = (spans[port][-1][0], at_ps)
    return spans


def _between(pauses: pa.Table, start_ns: int, end_ns: int) -> pa.Table:
    """Returns the pauses under way between two instants."""
    goes_on = pc.or_kleene(pc.is_null(pauses["end_ns"]), pc.greater_equal(pauses["end_ns"], start_ns))
    return pauses.filter(pc.and_(goes_on, pc.less_equal(pauses["start_ns"], end_ns)))


def _before(result: Result, transports: Mapping[str, Any], rows: Mapping[str, dict[str, Any]]) -> dict[str, list[str]]:
    """Returns for each flow the earlier flows on its queue pair that were unfinished when it started, by name."""
    lasting = {
        name: transport["queue_pairs"]
        for name, transport in transports.items()
        if transport["kind"] == "roce" and transport["connections"] == "persistent"
    }
    found: dict[str, list[str]] = {flow: [] for flow in rows}
    waiting = {flow: row for flow, row in rows.items() if row["transport"] in lasting}
    if not waiting:
        return found
    flows = result.flow_rows.select(_OF_QUEUE_PAIRS)
    if result.unfinished is not None:
        still = result.unfinished.append_column("finish_ns", pa.nulls(result.unfinished.num_rows, pa.uint64()))
        flows = pa.concat_tables([flows, still.select(_OF_QUEUE_PAIRS)], promote_options="permissive")
    for end in ("source", "destination"):
        hosts = pa.array({row[end] for row in waiting.values()}, pa.string())
        flows = flows.filter(pc.is_in(flows[end].cast(pa.string()), hosts))
    of_pairs: dict[tuple[object, ...], list[dict[str, Any]]] = {}
    for row in flows.to_pylist():
        of_pairs.setdefault(_queue_pair(row, lasting), []).append(row)
    for flow, own in waiting.items():
        earlier = (row for row in of_pairs[_queue_pair(own, lasting)] if row["number"] < own["number"])
        found[flow] = [f"{row['source']}.flow{row['number']}" for row in earlier if _lasts(row, own["start_ns"])]
    return found


def _lasts(row: Mapping[str, Any], until_ns: int) -> bool:
    return row["finish_ns"] is None or row["finish_ns"] > until_ns


def _queue_pair(row: Mapping[str, Any], counts: Mapping[str, int]) -> tuple[object, ...]:
    """Returns the key of the persistent queue pair of a flow."""
    number = row["number"] % counts.get(row["transport"], 1)
    return (row["source"], row["destination"], row["transport"], row["priority"], number)


def rows_of(result: Result, flows: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Returns the rows of flows in `flows.parquet`, or else `unfinished.parquet`, by name.

    Unfinished flows have a `finish_ns` of None. Raises ValueError if a flow is in neither.
    """
    ends = result.flow_rows.select(["source", "number"])
    places = {flow: flow_place(ends, flow) for flow in flows}
    finished = {flow: place for flow, place in places.items() if place is not None}
    rows = _taken(result.flow_rows.select(result.flow_rows.schema.names), finished)
    if others := [flow for flow in flows if flow not in finished]:
        left = pa.table({}) if result.unfinished is None else result.unfinished
        of_others = {flow: flow_place(left, flow) for flow in others}
        if (unknown := next((flow for flow, place in of_others.items() if place is None), None)) is not None:
            raise ValueError(_why_there_is_none(ends, left, unknown))
        rows |= {flow: row | {"finish_ns": None} for flow, row in _taken(left, of_others).items()}
    return {flow: rows[flow] for flow in flows}


def _taken(table: pa.Table, places: Mapping[str, int | None]) -> dict[str, dict[str, Any]]:
    """Returns the rows of a table at some places, by name."""
    return dict(zip(places, table.take(list(places.values())).to_pylist(), strict=True)) if places else {}


def _why_there_is_none(finished: pa.Table, left: pa.Table, flow: str) -> str:
    some = finished if finished.num_rows else left
    return (
        f"there is no flow {flow}; expected a name such as {flow_names(some.slice(0, 1))[0]}"
        if some.num_rows
        else "no flow had started"
    )


def _again(result: Result, names: list[str], run: Callable[[Scenario], Result]) -> Result:
    """Runs the scenario again, with the packets of some flows recorded, until the last of them was acknowledged."""
    rows = rows_of(result, names)
    end_ns = max(
        result.summary["end_ns"] if row["finish_ns"] is None else row["finish_ns"] + 1 for row in rows.values()
    )
    # What else is observed or measured takes memory, and changes nothing.
    scenario = Scenario(result.scenario, inputs=result.inputs).with_values({"observe": {}, "measure": {}})
    recorded = {"packets": names, "pauses": True, "memory": str(result._settings["observe"]["memory"])}
    again = run(scenario.with_values({"observe": recorded, "stop.at": f"{end_ns}ns"}))
    try:
        is_same = {name: _end(row) for name, row in rows_of(again, names).items()} == {
            name: _end(row) for name, row in rows.items()
        }
    except ValueError:
        is_same = False
    if not is_same:
        problem = "does not give this result any longer: another version of xoff has run it"
        raise ResultError("scenario.toml", "", problem, "run it again")
    if again.summary["recorded_until_ns"] is not None:
        problem = "the packets of these flows take more memory"
        raise ResultError(
            "scenario.toml", "observe.memory", problem, "ask about fewer flows, or run it again with more"
        )
    return again


def _end(row: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Returns the finish time of a flow, or its received bytes if it did not finish."""
    return row["finish_ns"], row["received_bytes"] if row["finish_ns"] is None else None
