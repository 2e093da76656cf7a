"""Numbers of a summary in words and rows of text, for terminal, notebook and report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.results.summary import CLASSES
from xoff.results.summary_keys import UNIT
from xoff.text.units import counted, decimal_size, duration, percent, quantity, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.results.summary import Summary


class Column(NamedTuple):
    """A column of the table of size classes."""

    heading: str
    key: str


COLUMNS = (
    Column("flows", "count"),
    Column("FCT mean", "fct_mean_us"),
    Column("FCT p50", "fct_p50_us"),
    Column("FCT p95", "fct_p95_us"),
    Column("FCT p99", "fct_p99_us"),
    Column("slowdown mean", "slowdown_mean"),
    Column("slowdown p50", "slowdown_p50"),
    Column("slowdown p99", "slowdown_p99"),
)


_NAMES = {column.key: column.heading for column in COLUMNS} | {
    "fct_p999_us": "FCT p99.9",
    "slowdown_p999": "slowdown p99.9",
    "off_us": "pause duration",
    "off_port_as_one_us": "pause duration, port as one",
    "unfinished_goodput_min_gbps": "least goodput of unfinished flows",
    "long_lived_jain_index": "Jain index of long-lived flows",
    **{f"rtt_{statistic}_us": f"RTT {statistic}" for statistic in ("mean", "p50", "p99", "max")},
}
_REASONS = {
    "threshold": "at the threshold",
    "pool_full": "pool full",
    "not_ecn_capable": "not ECN-capable",
    "adapter_full": "adapter full",
    "headroom_full": "headroom full",
    "link_error": "corrupted",
    "link_down": "link down",
    "receiver_full": "receiver full",
    "pfc_watchdog": "PFC watchdog",
    "pushed_out": "pushed out",
    "trimmed": "trimmed",
}


def reason_words(reason: str) -> str:
    """Returns the reason of a drop in words."""
    return _REASONS[reason]


def measure_name(key: str) -> str:
    """Returns the name of a measure for people: small FCT p99 for `flows.small.fct_p99_us`."""
    group, _, quantity = key.rpartition(".")
    parts = group.split(".")
    before = [part for part in parts if part in CLASSES or part.endswith("]") or quantity not in _NAMES]
    return " ".join([*before, quantity_name(quantity)]).removeprefix("flows ").strip()


def quantity_name(quantity: str) -> str:
    """Returns the name for people of the last part of a measure's key."""
    return _NAMES.get(quantity) or UNIT.sub("", quantity).replace("_", " ")


def measured(key: str, value: float) -> str:
    """Formats a number of the summary with its unit, given its key or the last part of it."""
    match key.rpartition(".")[2].rpartition("_")[2]:
        case "us":
            return duration(value)
        case "ns":
            return duration(value / 1000)
        case "bytes":
            return decimal_size(value)
        case "gbps":
            return f"{value:,.1f} Gbps"
        case "rate" | "fraction":
            return percent(value)
        case _:
            return _rounded(value)


class Card(NamedTuple):
    """A number for the top of the report."""

    label: str
    value: str
    note: str


def measured_time(summary: Summary) -> str | None:
    """Returns the begin and end of the measured time in words; None if that is the whole run."""
    measured = summary.get("measured")  # summaries of before have none
    if measured is None or (measured["start_ns"] == 0 and measured["end_ns"] == summary["end_ns"]):
        return None
    start = duration(measured["start_ns"] / 1000) if measured["start_ns"] else "the start"
    return f"{start} to {duration(measured['end_ns'] / 1000)}"


def class_rows(summary: Summary, columns: Sequence[Column] = COLUMNS) -> list[tuple[str, list[str]]]:
    """Returns for each size class its name with bounds, and a cell for each column."""
    flows = summary["flows"]
    labels = class_labels(summary["size_classes_bytes"])
    return [(labels[name], [_cell(column, flows[name][column.key]) for column in columns]) for name in CLASSES]


def workload_rows(summary: Summary, columns: Sequence[Column] = COLUMNS) -> list[tuple[str, list[str]]]:
    """Returns for each workload its name and a cell for each column; no rows for a single workload."""
    workloads = summary.get("workloads", [])  # results of before have none
    if len(workloads) < 2:
        return []
    cells = [[_cell(column, numbers[column.key]) for column in columns] for numbers in workloads]
    return list(zip(workload_names(summary), cells, strict=True))


def workload_names(summary: Summary) -> list[str]:
    """Returns the position and kind of each workload, and its transport where there are several."""
    workloads = summary.get("workloads", [])
    several = len({numbers.get("transport") for numbers in workloads}) > 1
    return [
        f"workload[{index}], {numbers['kind']}" + (f", {numbers['transport']}" if several else "")
        for index, numbers in enumerate(workloads)
    ]


def class_labels(limits: list[int]) -> dict[str, str]:
    """Returns the size classes with their bounds in binary or decimal units, whichever is round."""
    small, medium = (size(limit) for limit in limits)
    return {
        "all": "all",
        "small": f"small, below {small}",
        "medium": f"medium, below {medium}",
        "large": f"large, from {medium}",
    }


def cards(summary: Summary) -> list[Card]:
    """Returns the cards at the top of a run's page, a number each."""
    flows, packets, engine = summary["flows"], summary["packets"], summary["engine"]
    tail = "small" if flows["small"]["count"] else "all"
    lost = others_dropped(summary)
    return [
        Card("flows finished", f"{flows['all']['count']:,}", f"{flows['unfinished']:,} unfinished"),
        _card_of_collectives(summary)
        or Card(
            "median slowdown",
            _ratio(flows["all"]["slowdown_p50"]),
            f"p99 {_ratio(flows['all']['slowdown_p99'])}",
        ),
        Card(f"{tail} flows, p99", duration(flows[tail]["fct_p99_us"]), f"{flows['timeouts']:,} timeouts"),
        Card(
            "goodput",
            quantity(1000 * summary["goodput_gbps"], ("Mbps", "Gbps", "Tbps")),
            f"{packets['delivered']:,} packets delivered",
        ),
        Card(
            "loss",
            percent(summary["loss_rate"]),
            f"{packets['dropped']:,} packets{f', {lost}' if lost else ' dropped'}",
        ),
        Card("engine", _speed(engine["ns_per_packet_hop"]), f"{engine['packet_hops']:,} packet-hops"),
    ]


def _card_of_collectives(summary: Summary) -> Card | None:
    """Returns the card of the first collectives that completed in the measured time; None without any."""
    key = "bus_bandwidth_mean_gbps"
    found = [each for each in summary.get("collectives", []) if each[key] is not None]  # summaries of before have none
    if not found:
        return None
    return Card("mean bus bandwidth", measured(key, found[0][key]), f"{found[0]['operation']}, {found[0]['algorithm']}")


JOB_HEADINGS = ("workload", "flows", "whole", "completion", "longest chain of computing")


def job_rows(summary: Summary) -> list[list[str]]:
    """Returns a row for each job."""
    return [
        [
            f"workload[{each['workload']}]",
            f"{each['flows']:,}",
            f"{each['finished']:,}",
            duration(each["completion_us"]),
            duration(each["computing_us"]),
        ]
        for each in summary.get("jobs", [])  # summaries of before have none
    ]


COLLECTIVE_HEADINGS = (
    "workload",
    "collective",
    "groups",
    "ranks",
    "size",
    "complete",
    "completion mean",
    "longest",
    "bus bandwidth mean",
    "least",
)


def collective_rows(summary: Summary) -> list[list[str]]:
    """Returns a row for each workload of collectives."""
    return [
        [
            f"workload[{each['workload']}]",
            f"{each['operation']}, {each['algorithm']}",
            f"{each['groups']:,}",
            f"{each['ranks']:,}",
            size(each["size_bytes"]),
            f"{each['finished']:,} of {each['finished'] + each['unfinished']:,}",
            *(
                "-" if each[key] is None else measured(key, each[key])
                for key in (
                    "completion_mean_us",
                    "completion_max_us",
                    "bus_bandwidth_mean_gbps",
                    "bus_bandwidth_min_gbps",
                )
            ),
        ]
        for each in summary.get("collectives", [])  # summaries of before have none
    ]


def others_dropped(summary: Summary) -> str:
    """Returns the number of dropped ACKs and trimmed headers in words; the loss rate does not count them."""
    packets = summary["packets"]
    headers = packets.get("trimmed_dropped", 0)  # summaries of before have none
    of_each = ((packets["acknowledgements_dropped"], "acknowledgement"), (headers, "trimmed header"))
    return ", ".join(f"{counted(dropped, name)} dropped" for dropped, name in of_each if dropped)


def loss(summary: Summary) -> str:
    """Returns the share of dropped packets with the reasons, such as `24 %: 9 not ECN-capable`."""
    packets = summary["packets"]
    counts = {reason: packets.get(f"dropped_{reason}", 0) for reason in _REASONS}  # summaries of before lack some
    reasons = ", ".join(f"{count:,} {_REASONS[reason]}" for reason, count in counts.items() if count)
    return percent(summary["loss_rate"]) + (f": {reasons}" if reasons else "")


def counters(summary: Summary) -> dict[str, dict[str, str]]:
    """Returns the counters of the summary that are not zero, in their groups, written out."""
    groups = {name: group for name, group in summary.items() if isinstance(group, dict) and name != "flows"}
    told = {name: {key: _plain(value) for key, value in _flat(group) if value} for name, group in groups.items()}
    return {name: group for name, group in told.items() if group}


def _cell(column: Column, value: float | None) -> str:
    if value is None:
        return "-"
    if column.key == "count":
        return f"{value:,}"
    return duration(value) if column.key.startswith("fct") else _ratio(value)


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _speed(nanoseconds: float | None) -> str:
    return "-" if nanoseconds is None else f"{nanoseconds:.1f} ns/hop"


def _plain(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return _rounded(value)
        case _:
            return str(value)


def _rounded(value: float) -> str:
    return f"{value:,.4g}" if value < 1e4 else f"{value:,.0f}"


def _flat(group: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in group.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{key}.")
        else:
            rows.append((f"{prefix}{key}", value))
    return rows
