"""One run: calls the simulator, measures its cost, and makes a result of its columns."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from xoff.results import columns, series_statistics
from xoff.results.result import Result
from xoff.results.summary import (
    SCHEMA_VERSION,
    Summary,
    of_collectives,
    of_jobs,
    of_queries,
    of_workloads,
    summarise,
)
from xoff.runs import cores, provenance
from xoff.runs.cost import Cost
from xoff.runs.interrupted import RunInterrupted
from xoff.runs.memory import MemoryWatch
from xoff.scenario import inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    import pyarrow as pa

    from xoff._xoff import Progress, RawResult
    from xoff.results.columns import FlowRows
    from xoff.scenario.scenario import Scenario


def run(scenario: Scenario, threads: int, progress: Callable[[Progress], bool | None] | None) -> Result:
    """Simulates a scenario; see `Scenario.run`. Raises RunInterrupted if a signal (Ctrl-C) cuts it short."""
    files = scenario.read_files()
    threads = min(threads, cores.usable())  # they wait for one another so often that more take far longer
    told_to_stop, memory = False, MemoryWatch()

    def report(state: Progress) -> bool:
        nonlocal told_to_stop
        memory.check(state)
        told_to_stop = progress is not None and progress(state) is False
        return not told_to_stop

    cost = Cost()
    core = scenario._core
    with _watched() if core.has_schemes else nullcontext():
        raw = core.run(files, threads, report)
    cost.stop()
    result = result_of(scenario, files, raw, cost, threads)
    if raw.interrupted and not told_to_stop:
        raise RunInterrupted(result)
    return result


def result_of(scenario: Scenario, files: Mapping[str, str], raw: RawResult, cost: Cost, threads: int) -> Result:
    """Makes the result of a run from its columns and its cost."""
    core = scenario._core
    flows, unfinished = columns.FlowRows(raw), columns.unfinished_table(raw)
    queries, collectives = columns.queries_table(raw), columns.collectives_table(raw)
    totals = json.loads(raw.totals)
    of_applications = {
        "queries": of_queries(queries, totals["queries"]),
        "collectives": of_collectives(collectives, totals["collectives"]),
        "jobs": of_jobs(totals["jobs"]),
    }
    resolved, named = scenario.portable(files)
    series = columns.series_table(raw)
    recorded = {"observed": series_statistics.summarise(series, resolved, _recorded(totals))}
    engine = {
        "cpu_seconds": cost.cpu_seconds,
        "wall_seconds": cost.wall_seconds,
        "added_rss_mb": cost.added_rss_mb,
        "threads": threads,
    }
    return Result(
        summary=_summary(scenario, raw, flows, unfinished, totals, engine)
        | of_applications
        | recorded
        | {"scenario_digest": inputs.digest(resolved, named)},
        flow_rows=flows,
        ports=columns.ports_table(raw),
        unfinished=unfinished,
        queries=queries,
        collectives=collectives,
        job_flows=columns.job_flows_table(raw),
        series=series,
        drops=columns.drops_table(raw) if core.observes_drops else None,
        packets=columns.packets_table(raw) if core.observes_packets else None,
        pauses=columns.pauses_table(raw) if core.observes_pauses else None,
        pause_flows=columns.pause_flows_table(raw) if core.observes_pauses else None,
        headroom=columns.headroom_table(raw) if core.observes_headroom else None,
        off_times=columns.off_times_table(raw) if core.observes_headroom else None,
        scenario=resolved,
        provenance=provenance.collect(scenario, files, threads),
        inputs=named,
    )


def _watched() -> AbstractContextManager[None]:
    """Returns the context in which a method of a scheme in Python may not take long."""
    from xoff.schemes.watching import watched

    return watched()


def _recorded(totals: dict[str, Any]) -> dict[str, int]:
    """Returns begin and end of the measured time, as far as it was recorded."""
    start_ns, end_ns = totals["measured"]["start_ns"], totals["measured"]["end_ns"]
    until_ns = totals["recorded_until_ns"]
    return {"start_ns": start_ns, "end_ns": end_ns if until_ns is None else max(start_ns, min(end_ns, until_ns))}


def _summary(
    scenario: Scenario,
    raw: RawResult,
    flows: FlowRows,
    unfinished: pa.Table | None,
    totals: dict[str, Any],
    engine: dict[str, Any],
) -> Summary:
    found = summarise(flows, unfinished, totals, json.loads(raw.pathologies), scenario.size_classes, engine)
    return {
        "schema_version": SCHEMA_VERSION,
        "title": scenario.title,
        "seed": scenario.seed,
        "interrupted": raw.interrupted,
        "size_classes_bytes": list(scenario.size_classes),
        **found,
        "workloads": of_workloads(flows, unfinished, scenario._core.workloads, found["flows"]["all"]),
        "digest": raw.digest,
    }
