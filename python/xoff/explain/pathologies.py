"""Pathologies of a run in words: deadlocks, storms, interventions of watchdogs, runs cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from xoff.text.units import counted, duration

if TYPE_CHECKING:
    from xoff.results.summary import Summary


def lines(summary: Summary) -> list[str]:
    """Returns warnings of a run or records cut off, a deadlock or standstill, storms, interventions of watchdogs."""
    told = []
    if summary["reached_time_limit"]:
        told.append("Cut off: no run is longer than 1125.9 s; what was under way then did not finish")
    told.extend(records_cut_off(summary))
    if cycle := summary["deadlock_cycle"]:
        since = max(queue["since_ns"] for queue in cycle) / 1000
        ports = " -> ".join(queue["port"] for queue in [*cycle, cycle[0]])
        end = "; nothing could move any longer, which ended the run" if summary["stood_still"] else ""
        told.append(f"Deadlock: {ports} (priority {cycle[0]['priority']}) since {duration(since)}{end}")
    elif summary["stood_still"]:
        told.append(
            f"Stood still: nothing could move any longer, which ended the run at {duration(summary['end_ns'] / 1000)}"
        )
    if storms := summary["storms"]:
        worst = f"{storms[0]['port']} paused for {duration(storms[0]['paused_ns'] / 1000)} without a break"
        rest = f", and {counted(len(storms) - 1, 'more port')}" if len(storms) > 1 else ""
        told.append(f"Storm:   {worst}{rest}")
    if interventions := _interventions(summary):
        costliest, *others = interventions
        queue = f"{costliest['port']} (priority {costliest['priority']})"
        when = f"at {duration(costliest['detected_ns'] / 1000)} for {_let_go_for(costliest, summary)}"
        other_ports = len({other["port"] for other in others} - {costliest["port"]})
        elsewhere = f", on {counted(other_ports, 'other port')}" if other_ports else ""
        rest = f"; and {counted(len(others), 'more time')}{elsewhere}" if others else ""
        told.append(f"Watchdog: {queue} let go {when}, {counted(costliest['dropped'], 'packet')} dropped{rest}")
    return told


def records_cut_off(summary: Summary) -> list[str]:
    """Returns a warning if the records had taken all of their memory before the run was over."""
    if (until_ns := summary.get("recorded_until_ns")) is None:  # summaries of before have none
        return []
    until, end = duration(until_ns / 1000), duration(summary["end_ns"] / 1000)
    return [
        f"Records: until {until} of {end}, when they had taken observe.memory; record less, end earlier (stop.at), or "
        "give them more"
    ]


WATCHDOG_HEADINGS = ("port", "priority", "let go at", "for", "packets dropped")


def watchdog_rows(summary: Summary) -> list[list[str]]:
    """Returns a row for each time that a PFC watchdog let a queue go, most drops first."""
    return [
        [
            one["port"],
            str(one["priority"]),
            duration(one["detected_ns"] / 1000),
            _let_go_for(one, summary),
            f"{one['dropped']:,}",
        ]
        for one in _interventions(summary)
    ]


def _interventions(summary: Summary) -> list[dict[str, Any]]:
    """Returns the interventions of watchdogs, most drops first."""
    return sorted(summary.get("watchdog", []), key=lambda one: -one["dropped"])  # summaries of before have none


def _let_go_for(intervention: dict[str, Any], summary: Summary) -> str:
    end_ns = summary["end_ns"]
    until_ns = min(intervention["restored_ns"] or end_ns, end_ns)
    return duration((until_ns - intervention["detected_ns"]) / 1000)
