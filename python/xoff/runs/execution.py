"""One run: calls the simulator, measures its cost, and makes a result of its columns."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from xoff.results import columns, series_statistics
from xoff.results.result import Result
from xoff.results.summary import SCHEMA_VERSION
from xoff.runs import cores, provenance
from xoff.runs.cost import Cost
from xoff.runs.interrupted import RunInterrupted
from xoff.runs.memory import MemoryWatch
from xoff.scenario import inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from xoff._xoff import Progress, RawResult
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
    if result.summary["interrupted"] and not told_to_stop:
        raise RunInterrupted(result)
    return result


def result_of(scenario: Scenario, files: Mapping[str, str], raw: RawResult, cost: Cost, threads: int) -> Result:
    """Makes the result of a run from its columns and its cost."""
    core = scenario._core
    resolved, named = scenario.portable(files)
    series = columns.series_table(raw)
    summary = {"schema_version": SCHEMA_VERSION, **json.loads(raw.summary)}
    return Result(
        summary={
            **summary,
            "title": scenario.title,
            "engine": summary["engine"] | _engine(cost, threads, summary["engine"]["packet_hops"]),
            "observed": series_statistics.summarise(series, resolved, _recorded(summary)),
            "scenario_digest": inputs.digest(resolved, named),
        },
        flow_rows=columns.FlowRows(raw),
        ports=columns.ports_table(raw),
        unfinished=columns.unfinished_table(raw),
        queries=columns.queries_table(raw),
        collectives=columns.collectives_table(raw),
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


def _recorded(summary: dict[str, Any]) -> dict[str, int]:
    """Returns begin and end of the measured time, as far as it was recorded."""
    start_ns, end_ns = summary["measured"]["start_ns"], summary["measured"]["end_ns"]
    until_ns = summary["recorded_until_ns"]
    return {"start_ns": start_ns, "end_ns": end_ns if until_ns is None else max(start_ns, min(end_ns, until_ns))}


def _engine(cost: Cost, threads: int, packet_hops: int) -> dict[str, float | int | None]:
    return {
        "cpu_seconds": cost.cpu_seconds,
        "wall_seconds": cost.wall_seconds,
        "added_rss_mb": cost.added_rss_mb,
        "threads": threads,
        "ns_per_packet_hop": cost.cpu_seconds * 1e9 / packet_hops if packet_hops else None,
    }
