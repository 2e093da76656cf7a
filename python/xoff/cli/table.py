"""The summary as a table on the terminal."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from rich.table import Table

from xoff.cli.console import Console
from xoff.explain import pathologies
from xoff.results.folder import REPORT
from xoff.results.series_statistics import observed_in
from xoff.results.table import COLUMNS, class_rows, loss, measured, measured_time, others_dropped, workload_rows
from xoff.text.units import counted, duration, percent, size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from xoff.results.summary import Summary

_MOST_WORKLOADS = 12
_MOST_NOTES = 3
# What fits a terminal of ordinary width; the page and summary.json have them all.
_COLUMNS = tuple(column for column in COLUMNS if column.key not in {"fct_p95_us", "slowdown_mean"})


def print_summary(summary: Summary, path: Path, *, report: bool, notes: Sequence[str] = ()) -> None:
    """Prints completion times by size class, the counters that matter, notes, and where everything is."""
    console = Console(120)
    console.print(_classes(summary))
    if of_workloads := workload_rows(summary, _COLUMNS):
        console.print(_workloads(of_workloads))
    for line in (*_measured(summary), *_counters(summary)):
        console.print(line)
    for line in pathologies.lines(summary):
        console.print(line, soft_wrap=True)
    for note in notes[:_MOST_NOTES]:
        console.print(f"Note:    {note}", soft_wrap=True)
    if len(notes) > _MOST_NOTES:
        console.print(f"         and {len(notes) - _MOST_NOTES:,} more, which xoff check prints")
    console.print(f"Results: {path}", soft_wrap=True)
    console.print(f"Report:  {path / REPORT if report else told_of_report(path)}", soft_wrap=True)


def told_of_report(path: Path) -> str:
    """Returns the promise of a report that is drawn when it is asked for, as the command that draws it."""
    return f"`xoff report {shlex.quote(str(path))}` draws it"


def _classes(summary: Summary) -> Table:
    table = Table(title=f"{summary['title']}, seed {summary['seed']}", title_justify="left", title_style="bold")
    return _filled(table, "size class", class_rows(summary, _COLUMNS))


def _workloads(rows: list[tuple[str, list[str]]]) -> Table:
    left_out = len(rows) - _MOST_WORKLOADS
    caption = f"and {left_out:,} more in summary.json" if left_out > 0 else None
    table = Table(caption=caption, caption_justify="left")
    return _filled(table, "workload", rows[:_MOST_WORKLOADS])


def _filled(table: Table, heading: str, rows: list[tuple[str, list[str]]]) -> Table:
    table.add_column(heading, no_wrap=True)
    for column in _COLUMNS:
        table.add_column(column.heading, justify="right")
    for name, cells in rows:
        table.add_row(name, *cells)
    return table


def _measured(summary: Summary) -> list[str]:
    """Says which part of the run completion times and goodput are of, if not of all."""
    time = measured_time(summary)
    if time is None:
        return []
    time_ns, unfinished = summary["measured"], summary["measured"]["unfinished"]
    if time_ns["start_ns"] == time_ns["end_ns"]:
        return [f"Measured nothing: the run ended at {duration(summary['end_ns'] / 1000)}, before measure.start"]
    return [f"Measured from {time}: flows that started then, of which {unfinished:,} are unfinished, and goodput"]


_QUANTITIES = {"rtt": "RTT"}
"""Names of recorded quantities that are not written as they are."""


def _observed(summary: Summary) -> list[str]:
    """Lists the quantities recorded over time."""
    return [
        f"{_QUANTITIES.get(name, name.replace('_', ' ').capitalize()) + ':':<8} "
        + ", ".join(f"{statistic} {measured(unit, value)}" for statistic, value in statistics.items())
        for name, unit, statistics in observed_in(summary)
    ]


def _told(packets: dict[str, Any]) -> str:
    """Counts the packets that told senders of marks (DCQCN) or gave them credit (RCCC), if there were any."""
    cnps = f"{packets['cnps_sent']:,} CNPs, " if packets["cnps_sent"] else ""
    return cnps + (f"{packets['credits_sent']:,} of credit, " if packets["credits_sent"] else "")


def _pauses(summary: Summary) -> list[str]:
    pfc = summary["pfc"]
    if not pfc["pause_frames"]:
        return []
    return [
        f"Pauses:  {pfc['pause_frames']:,} frames, {duration(pfc['paused_us'])} of all ports together, "
        f"the longest {duration(pfc['longest_pause_us'])}"
    ]


def _spraying(summary: Summary) -> list[str]:
    """By which paths senders sprayed, if any chose otherwise than at random."""
    spraying = summary["spraying"]
    packets = spraying["at_random"] + spraying["recycled"]
    if not spraying["recycled"] and not spraying["freezes"]:
        return []
    frozen = f", flows frozen {counted(spraying['freezes'], 'time')}" if spraying["freezes"] else ""
    return [f"Spraying: {percent(spraying['recycled'] / packets)} of packets by recycled entropies{frozen}"]


def _queries(summary: Summary) -> list[str]:
    queries = summary["queries"]
    if not queries["finished"]:
        return []
    late = f", {queries['late']:,} late" if queries["late"] else ""
    return [
        f"Queries: {queries['finished']:,} complete, {queries['unfinished']:,} unfinished; "
        f"mean {duration(queries['completion_mean_us'])}, p50 {duration(queries['completion_p50_us'])}, "
        f"p99 {duration(queries['completion_p99_us'])}; {percent(queries['timeout_fraction'])} with a timeout{late}"
    ]


def _collectives(summary: Summary) -> list[str]:
    lines = []
    for each in summary["collectives"]:
        groups = f"{each['groups']:,} groups of " if each["groups"] > 1 else ""
        what = f"{each['operation']} ({each['algorithm']}, {groups}{each['ranks']:,} ranks, {size(each['size_bytes'])})"
        lines.append(f"Collectives: {what}: {each['finished']:,} complete, {each['unfinished']:,} unfinished")
        if each["finished"]:
            lines.append(
                f"         mean {duration(each['completion_mean_us'])}, longest {duration(each['completion_max_us'])}; "
                f"bus bandwidth mean {each['bus_bandwidth_mean_gbps']:,.1f} Gbps, "
                f"least {each['bus_bandwidth_min_gbps']:,.1f} Gbps"
            )
    return lines


def _jobs(summary: Summary) -> list[str]:
    lines = []
    for each in summary.get("jobs", []):  # summaries of before have none
        done, computing = each["completion_us"], f"its longest chain computes {duration(each['computing_us'])}"
        took = f"complete in {duration(done)}" if done is not None else f"{each['finished']:,} whole"
        computations = each.get("computations", 0)
        others = f" and {computations:,} computations" if computations else ""
        lines.append(f"Job:     workload[{each['workload']}], {each['flows']:,} flows{others}, {took}; {computing}")
    return lines


def _fast_forward(summary: Summary) -> list[str]:
    """Says which share of the time was skipped, or why none was."""
    skipped = summary.get("fast_forward")
    if skipped is None:
        return []
    if skipped["skips"] == 0:
        return [f"Skipped: nothing, because {skipped['because']}"]
    share, whole = skipped["skipped_ns"] / summary["end_ns"], duration(summary["end_ns"] / 1e3)
    times = "1 skip" if skipped["skips"] == 1 else f"{skipped['skips']:,} skips"
    return [f"Skipped: {share:.1%} of {whole} in {times} (fast-forward; results are approximate)"]


def _goodputs(flows: dict[str, Any]) -> str:
    """Says at which rates the unfinished flows have been sending."""
    least, most = flows["unfinished_goodput_min_gbps"], flows["unfinished_goodput_max_gbps"]
    if least is None:
        return ""
    fairness, each = flows["long_lived_jain_index"], f"{least:,.2f} to {most:,.2f} Gbps"
    is_one = flows["unfinished"] == 1
    goodput = f"{most:,.2f} Gbps" if is_one else f"{each} each"
    return f" (goodput {goodput}{'' if fairness is None else f', Jain index of long-lived flows {fairness:.3f}'})"


def _counters(summary: Summary) -> list[str]:
    flows, packets, engine = summary["flows"], summary["packets"], summary["engine"]
    added, lost = engine["added_rss_mb"], others_dropped(summary)
    memory = f", {added:,.1f} MB added" if added is not None else ""
    speed, threads = engine["ns_per_packet_hop"], engine["threads"]
    by_the_clock = f", {duration(engine['wall_seconds'] * 1e6)} on {threads} threads" if threads > 1 else ""
    return [
        f"Flows:   {flows['unfinished']:,} unfinished{_goodputs(flows)}, {flows['timeouts']:,} timeouts",
        *_queries(summary),
        *_collectives(summary),
        *_jobs(summary),
        f"Packets: {packets['sent']:,} sent, {packets['dropped']:,} dropped (loss {loss(summary)}), "
        f"{f'{lost}, ' if lost else ''}"
        f"{packets['marked']:,} marked, {_told(packets)}{packets['retransmitted']:,} retransmitted; "
        f"goodput {summary['goodput_gbps']:,.1f} Gbps",
        *_pauses(summary),
        *_spraying(summary),
        *_observed(summary),
        f"Buffers: {measured('peak_bytes', summary['buffer']['peak_bytes'])} at the most in one switch",
        f"Engine:  {engine['packet_hops']:,} packet-hops in {duration(engine['cpu_seconds'] * 1e6)} of CPU"
        f"{f' ({speed:.1f} ns each)' if speed is not None else ''}{by_the_clock}{memory}",
        *_fast_forward(summary),
        f"Digest:  {summary['digest'][:16]}",
    ]
