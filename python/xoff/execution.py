"""One run: the simulator called, its cost measured, its columns made into a result."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from xoff import columns, inputs, provenance
from xoff.measured import Cost
from xoff.result import Result
from xoff.summary import SCHEMA_VERSION, Summary, summarise

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from xoff._xoff import Progress, RawResult
    from xoff.scenario import Scenario


def run(scenario: Scenario, threads: int, progress: Callable[[Progress], bool | None] | None) -> tuple[Result, bool]:
    """The result, and whether a signal (Ctrl-C) and not `progress` cut it short."""
    files = scenario.read_files()
    told_to_stop = False

    def report(state: Progress) -> bool:
        nonlocal told_to_stop
        told_to_stop = progress is not None and progress(state) is False
        return not told_to_stop

    cost = Cost()
    raw = scenario._core.run(files, threads, report if progress else None)
    cost.stop()
    flows = columns.flows_table(raw)
    observes_pauses, observes_headroom = scenario._core.observes_pauses, scenario._core.observes_headroom
    resolved, named = scenario.portable(files)
    result = Result(
        summary=_summary(scenario, raw, flows, cost, threads) | {"scenario_digest": inputs.digest(resolved, named)},
        flows=flows,
        series=columns.series_table(raw),
        pauses=columns.pauses_table(raw) if observes_pauses else None,
        pause_flows=columns.pause_flows_table(raw) if observes_pauses else None,
        headroom=columns.headroom_table(raw) if observes_headroom else None,
        off_times=columns.off_times_table(raw) if observes_headroom else None,
        scenario=resolved,
        provenance=provenance.collect(scenario, files, threads),
        inputs=named,
    )
    return result, raw.interrupted and not told_to_stop


def _summary(scenario: Scenario, raw: RawResult, flows: pa.Table, cost: Cost, threads: int) -> Summary:
    engine = {"cpu_seconds": cost.cpu_seconds, "added_rss_mb": cost.added_rss_mb, "threads": threads}
    return {
        "schema_version": SCHEMA_VERSION,
        "title": scenario.title,
        "seed": scenario.seed,
        "interrupted": raw.interrupted,
        "size_classes_bytes": list(scenario.size_classes),
        **summarise(flows, json.loads(raw.totals), json.loads(raw.pathologies), scenario.size_classes, engine),
        "digest": raw.digest,
    }
