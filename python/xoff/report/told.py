"""The run of a report in sentences: what happened, and why as far as counters tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xoff.explain import why
from xoff.results.table import loss
from xoff.text.units import counted, duration, percent

if TYPE_CHECKING:
    from xoff.results.result import Result

_BUSY, _IDLE = 0.95, 0.01
"""Utilization of a link from which it was full, and below which it was idle."""


def happened(result: Result) -> list[str]:
    """Returns sentences on flows: how many finished, how slow they were, and what was lost."""
    summary = result.summary
    flows, packets = summary["flows"], summary["packets"]
    of_all = flows["all"]
    finished = f"{counted(of_all['count'], 'flow')} finished in {duration(summary['end_ns'] / 1000)}"
    if flows["unfinished"]:
        finished += f", {flows['unfinished']:,} did not"
    sentences = [f"{finished}."]
    if of_all["count"]:
        sentences.append(
            f"Half of them took at most {of_all['slowdown_p50']:.3g} times as long as alone on the idle network, "
            f"99 % at most {of_all['slowdown_p99']:.3g} times."
        )
    lost = f"{counted(packets['dropped'], 'packet')} dropped ({loss(summary)})" if packets["dropped"] else ""
    sentences.append(f"{lost or 'No packet was dropped'}; {counted(flows['timeouts'], 'timeout')}.")
    return sentences


def reasons(result: Result) -> list[str]:
    """Returns sentences on links, marks, pauses and the slowest flow, each if there is something to say."""
    summary = result.summary
    found = [_links(result), _marks(summary["packets"]), _pauses(result), _slowest(result)]
    return [sentence for sentence in found if sentence]


def _links(result: Result) -> str | None:
    utilization = result.ports["utilization"].to_numpy()
    if not len(utilization) or not utilization.any():
        return None
    busiest = int(np.argmax(utilization))
    peers = {port.name: port.peer_node for port in result.topology.ports}
    name = result.ports["port"][busiest].as_py()
    used = utilization[utilization >= _IDLE]
    full = int((utilization >= _BUSY).sum())
    of_full = f" {counted(full, 'port')} sent for {percent(_BUSY)} of the run or more." if full > 1 else ""
    middle = (
        f"; the median of the {len(used):,} that were in use {percent(float(np.median(used)))}" if len(used) else ""
    )
    return (
        f"The busiest port, {name} to {peers[name]}, sent for {percent(float(utilization[busiest]))} of the run"
        f"{middle}.{of_full}"
    )


def _marks(packets: dict[str, Any]) -> str | None:
    if not packets["marked"]:
        return None
    return f"Switches marked {percent(packets['marked'] / packets['sent'])} of the packets."


def _pauses(result: Result) -> str | None:
    pfc = result.summary.get("pfc", {})  # summaries of before lack some
    if not pfc.get("pause_frames"):
        return "Nothing was paused." if result.pauses is not None else None
    return (
        f"Ports were paused by {counted(pfc['pause_frames'], 'frame')}, for {duration(pfc['paused_us'])} in all and "
        f"{duration(pfc['longest_pause_us'])} at the longest."
    )


def _slowest(result: Result) -> str | None:
    found = why.rows_of(result, why.slowest(result))
    if not found:
        return None
    [(flow, row)] = found.items()
    return (
        f"The slowest flow, {flow} to {row['destination']}, took {row['slowdown']:.3g} times as long as alone; "
        f"xoff why says what it waited for."
    )
