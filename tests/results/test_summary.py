"""The numbers of a summary against ones worked out by hand, and its keys against what is said of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xoff
from conftest import ring, storm
from xoff.results import measures, summary
from xoff.results.summary_keys import KEYS


def flows(sizes: list[int], fct_ns: list[int], measured: list[bool] | None = None) -> pa.Table:
    """A table of flows with just the columns that a summary reads."""
    return pa.table(
        {
            "size_bytes": sizes,
            "fct_ns": fct_ns,
            "slowdown": [time / 1000 for time in fct_ns],
            "measured": measured or [True] * len(sizes),
        }
    )


def test_a_size_on_a_bound_belongs_to_the_class_above() -> None:
    classes = summary.flow_classes(flows([99, 100, 999, 1000], [1000] * 4), (100, 1000))
    assert [classes[name]["count"] for name in summary.CLASSES] == [4, 1, 2, 1]


def test_flows_after_the_stop_stay_out() -> None:
    classes = summary.flow_classes(flows([1, 1], [1000, 9000], [True, False]), (100, 1000))
    assert classes["all"]["count"] == 1
    assert classes["all"]["fct_mean_us"] == 1.0


def test_an_empty_class_has_no_numbers() -> None:
    classes = summary.flow_classes(flows([1], [1000]), (100, 1000))
    assert classes["large"]["count"] == 0
    assert classes["large"]["fct_p99_us"] is None
    assert classes["large"]["slowdown_mean"] is None


def test_completion_times_are_in_microseconds() -> None:
    classes = summary.flow_classes(flows([1] * 100, [1000 * n for n in range(100)]), (100, 1000))
    assert classes["all"]["fct_p50_us"] == 50.0
    assert classes["all"]["fct_p99_us"] == 99.0
    assert classes["all"]["fct_mean_us"] == 49.5


def test_workloads_have_the_numbers_of_their_flows() -> None:
    table = flows([1] * 4, [1000, 9000, 5000, 7000], [True, True, True, False])
    table = table.append_column("workload", pa.array([1, 0, 1, 1], pa.uint32()))
    workloads = [("poisson", "dctcp"), ("incast", "dcqcn"), ("trace", "dctcp")]
    first, second, third = summary.of_workloads(table, None, workloads, {})
    assert (first["kind"], first["count"], first["fct_p50_us"]) == ("poisson", 1, 9.0)
    assert (second["kind"], second["count"], second["fct_mean_us"]) == ("incast", 2, 3.0)
    assert (third["kind"], third["count"], third["slowdown_mean"]) == ("trace", 0, None)
    assert [one["transport"] for one in (first, second, third)] == ["dctcp", "dcqcn", "dctcp"]
    (alone,) = summary.of_workloads(table, None, [("query", "dctcp")], {"count": 3})
    assert (alone["kind"], alone["count"], alone["unfinished"]) == ("query", 3, 0)


def test_workloads_have_the_goodputs_of_their_unfinished_flows() -> None:
    unfinished = pa.table({"workload": [1, 0, 1, 1], "goodput_gbps": [1.0, 8.0, 3.0, None], "size_bytes": [None] * 4})
    workloads = [("long_lived", "dctcp"), ("long_lived", "cubic"), ("poisson", "cubic")]
    none = flows([], []).append_column("workload", pa.array([], pa.uint32()))
    first, second, third = summary.of_workloads(none, unfinished, workloads, {})
    assert [one["unfinished"] for one in (first, second, third)] == [1, 3, 0]
    assert [one["unfinished_goodput_mean_gbps"] for one in (first, second, third)] == [8, 2, None]
    assert second["long_lived_jain_index"] == (1 + 3) ** 2 / (2 * (1 + 9))


def test_a_number_is_found_by_its_path() -> None:
    table = {"end_ns": 7, "flows": {"small": {"fct_p99_us": None}}, "workloads": [{"count": 3}, {"count": 4}]}
    paths = ("end_ns", "flows.small.fct_p99_us", "workloads[1].count", "workloads[2].count")
    assert [summary.value_at(table, path) for path in paths] == [7.0, None, 4.0, None]
    for path in ("flows.huge.count", "workloads[1].size", "workloads.count", "end_ns[0]", "workloads[x].count"):
        with pytest.raises((KeyError, TypeError, ValueError)):
            summary.value_at(table, path)


@pytest.mark.parametrize(("count", "index"), [(1, 0), (99, 98), (100, 99), (101, 99), (200, 198)])
def test_a_quantile_is_element_floor_of_p_n(count: int, index: int) -> None:
    assert summary.quantile(np.arange(count), 99) == index


@pytest.mark.parametrize(("count", "index"), [(1, 0), (999, 998), (1000, 999), (2000, 1998)])
def test_percentages_may_have_a_tenth(count: int, index: int) -> None:
    assert summary.quantile(np.arange(count), 99.9) == index


@given(st.lists(st.integers(0, 10**9), min_size=1), st.sampled_from([50, 95, 99, 99.9]))
def test_at_least_the_percentage_is_not_above_a_quantile(values: list[int], percent: float) -> None:
    quantile = summary.quantile(np.sort(np.array(values)), percent)
    assert quantile is not None
    assert 100 * sum(value <= quantile for value in values) >= percent * len(values)


def test_the_engine_line_divides_cpu_time_by_hops() -> None:
    totals = {
        "packets": {"sent": 200, "delivered": 199, "dropped": 1, "marked": 0, "retransmitted": 1},
        "pfc": {
            "pause_frames": 2,
            "resume_frames": 1,
            "paused_ns": 1500,
            "longest_pause_ns": 900,
            "off_ns": 2000,
            "off_port_as_one_ns": 1900,
            "headroom_peak_bytes": 7,
            "storms": 0,
            "interventions": 0,
        },
        "qcn": {"cnms_received": 0},
        "spraying": {"at_random": 0, "recycled": 0, "freezes": 0},
        "buffer": {"peak_bytes": 5},
        "end_ns": 8000,
        "events": 5000,
        "flows_started": 3,
        "flows_unfinished": 2,
        "packet_hops": 1000,
        "measured": {"start_ns": 2000, "end_ns": 6000, "payload_delivered_bytes": 1000},
        "timeouts": 1,
        "recorded_until_ns": None,
    }
    engine = {"cpu_seconds": 0.001, "wall_seconds": 0.001, "added_rss_mb": None, "threads": 1}
    pathologies = {
        "deadlock": [],
        "stuck_queues": 0,
        "stood_still": False,
        "reached_time_limit": False,
        "storms": [],
        "watchdog": [],
    }
    found = summary.summarise(flows([1], [1000]), None, totals, pathologies, (100, 1000), engine)
    assert found["engine"]["ns_per_packet_hop"] == 1000.0
    assert found["loss_rate"] == 0.005
    assert (found["flows"]["unfinished"], found["flows"]["timeouts"]) == (2, 1)
    assert found["goodput_gbps"] == 2.0


def test_flows_without_end_share_as_jains_index_says() -> None:
    unfinished = pa.table({"goodput_gbps": [1.0, 3.0, 5.0], "size_bytes": pa.array([None, None, 1000], pa.int64())})
    found = summary.of_unfinished(unfinished)
    assert (found["unfinished_goodput_min_gbps"], found["unfinished_goodput_max_gbps"]) == (1.0, 5.0)
    assert (found["unfinished_goodput_mean_gbps"], found["long_lived_jain_index"]) == (3.0, 16 / 20)
    assert summary.of_unfinished(unfinished.slice(1))["long_lived_jain_index"] is None, "there is one"
    assert set(summary.of_unfinished(None).values()) == {None}
    late = pa.table({"goodput_gbps": [None, 1.0, 3.0], "size_bytes": pa.array([None, None, None], pa.int64())})
    assert summary.of_unfinished(late)["long_lived_jain_index"] == 16 / 20, "one started after the measured time"


def test_queries_are_summed_up_by_completion_time_and_timeouts() -> None:
    measured = [True] * 4 + [False]
    queries = pa.table(
        {"completion_ns": [4000, 1000, 3000, 2000, 9000], "timeouts": [0, 2, 0, 1, 0], "measured": measured}
    )
    found = summary.of_queries(queries, {"started": 5, "late": 1})
    assert (found["started"], found["late"], found["timeout_fraction"]) == (5, 1, 0.5)
    assert (found["completion_mean_us"], found["completion_p50_us"], found["completion_p99_us"]) == (2.5, 3.0, 4.0)
    assert summary.of_queries(None, {})["timeout_fraction"] is None


def test_collectives_are_summed_up_by_workload() -> None:
    collectives = pa.table(
        {
            "workload": [1, 1, 2, 1, 1],
            "group": [0, 0, 0, 1, 0],
            "start_ns": [0, 3000, 0, 500, 9000],
            "finish_ns": [4000, 4000, 9000, 1500, 18000],
            "completion_ns": [4000, 1000, 9000, 1000, 9000],
            "bus_bandwidth_gbps": [20.0, 80.0, 5.0, 80.0, 7.0],
            "measured": [True] * 4 + [False],
        }
    )
    [first, second, none] = summary.of_collectives(collectives, [{"workload": index} for index in (1, 2, 3)])
    assert (first["completion_mean_us"], first["completion_p50_us"], first["completion_max_us"]) == (2, 1, 4)
    assert (first["bus_bandwidth_mean_gbps"], first["bus_bandwidth_min_gbps"]) == (60, 20)
    assert (first["iteration_mean_us"], none["iteration_mean_us"]) == ((4 / 2 + 1) / 2, None)
    assert (second["completion_mean_us"], second["bus_bandwidth_min_gbps"]) == (9, 5)
    assert none["completion_max_us"] is none["bus_bandwidth_mean_gbps"] is None
    assert summary.of_collectives(None, [{"workload": 0}])[0]["completion_mean_us"] is None


def keys(table: dict[str, Any], before: str = "") -> Iterator[str]:
    """Paths of keys, those of the tables of a list included: `storms[].port`."""
    for key, value in table.items():
        match value:
            case dict():
                yield from keys(value, f"{before}{key}.")
            case [dict() as first, *_]:
                yield from keys(first, f"{before}{key}[].")
            case _:
                yield before + key


def test_every_key_is_told_of_once_and_no_other(tmp_path: Path) -> None:
    collective = 'kind = "collective", transport = "blocks", operation = "all_to_all", size = "1kB"'
    job = 'kind = "job", transport = "blocks", file = "job.csv"'
    text = ring().replace("workload = [", f"workload = [{{ {collective} }}, {{ {job} }}, ")
    (tmp_path / "ring.toml").write_text(text, encoding="utf-8")
    rows = "flow,source,destination,size_bytes,priority,after,delay_ns\nonly,h0,h1,1000,0,,0\n"
    (tmp_path / "job.csv").write_text(rows, encoding="utf-8")
    result = xoff.Scenario.load(tmp_path / "ring.toml").with_value("pfc.detection_time", "1ms").run()
    told = [key.removesuffix("[]") for entry in KEYS for path in entry.keys for key in measures.spelled_out(path)]
    found = result.summary | {"watchdog": storm().summary["watchdog"], "flows": without_rows().summary["flows"]}
    assert sorted(told) == sorted(keys(found))


def without_rows() -> xoff.Result:
    """The result of a driven simulation that keeps no row of its flows."""
    tables = {
        "topology": {"kind": "star", "hosts": 2, "host_link": {"rate": "10Gbps", "delay": "1us"}},
        "transport": {"tcp": {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}}},
        "workload": [{"kind": "driven", "transport": "tcp"}],
    }
    simulation = xoff.Simulation(xoff.Scenario.from_dict(tables), keep_flows=False)
    simulation.send("host0", "host1", 1)
    simulation.run()
    return simulation.finish()
