"""Why flows took as long as they did: the run once more, with their packets recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from xoff.columns import flow_names
from xoff.critical_path import critical_path
from xoff.errors import ResultError
from xoff.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xoff.critical_path import CriticalPath
    from xoff.result import Result


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
    chosen = finished(result, flows)
    has_them = result.packets is not None and set(flows) <= set(flow_names(result.packets).unique().to_pylist())
    watched = result if has_them else _again(result, chosen, run)
    return [
        critical_path(watched.packets, watched.pauses, name, row["start_ns"], row["finish_ns"])
        for name, row in chosen.items()
    ]


def finished(result: Result, flows: Sequence[str]) -> dict[str, dict[str, Any]]:
    """The rows of `flows.parquet` of these flows, by their names. Raises ValueError if one is not among them."""
    names = flow_names(result.flow_rows.select(["source", "number"]))
    chosen = pc.is_in(names, pa.array(flows, pa.string()))
    rows = result.flow_rows.select(result.flow_rows.schema.names).filter(chosen)
    found = dict(zip(names.filter(chosen).to_pylist(), rows.to_pylist(), strict=True))
    for flow in flows:
        if flow not in found:
            raise ValueError(_why_there_is_none(result, flow, names))
    return {flow: found[flow] for flow in flows}


def _why_there_is_none(result: Result, flow: str, names: pa.ChunkedArray) -> str:
    if result.unfinished is not None and flow in flow_names(result.unfinished).to_pylist():
        return f"{flow} had not finished when the run ended"
    if not len(names):
        return "no flow had finished"
    return f"there is no flow {flow}; expected a name such as {names[0]}"


def _again(result: Result, chosen: dict[str, dict[str, Any]], run: Callable[[Scenario], Result]) -> Result:
    """The same run with the packets of some flows recorded."""
    last_ns = max(row["finish_ns"] for row in chosen.values())
    # What else is observed or measured takes memory, and changes nothing.
    scenario = Scenario(result.scenario, inputs=result.inputs).with_values({"observe": {}, "measure": {}})
    recorded = {"packets": list(chosen), "pauses": True}
    again = run(scenario.with_values({"observe": recorded, "stop.at": f"{last_ns + 1}ns"}))
    ends = again.flow_rows.select(["source", "number", "finish_ns"])
    finishes = dict(zip(flow_names(ends).to_pylist(), ends["finish_ns"].to_pylist(), strict=True))
    if any(finishes.get(name) != row["finish_ns"] for name, row in chosen.items()):
        problem = "does not give this result any longer: another version of xoff has run it"
        raise ResultError("scenario.toml", "", problem, "run it again")
    return again
