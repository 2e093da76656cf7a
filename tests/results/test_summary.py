"""Quantiles, numbers found by their paths, and the keys of a summary against what is said of them."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import xoff
from conftest import SCENARIOS, ring, storm
from xoff.results import measures, summary
from xoff.results.summary_keys import KEYS


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


def test_workloads_have_the_numbers_of_their_flows() -> None:
    text = (SCENARIOS / "mixed_classes.toml").read_text(encoding="utf-8")
    result = xoff.Scenario.from_text(text).run()
    assert len(result.summary["workloads"]) > 1
    for index, told in enumerate(result.summary["workloads"]):
        own = result.flows.filter(pc.and_(pc.equal(result.flows["workload"], index), result.flows["measured"]))
        fct_us = np.sort(own["fct_ns"].to_numpy() / 1000)
        assert told["count"] == len(fct_us)
        assert told["fct_mean_us"] == (math.fsum(fct_us) / len(fct_us) if len(fct_us) else None)
        assert told["slowdown_p99"] == summary.quantile(np.sort(own["slowdown"].to_numpy()), 99)


def test_the_engine_line_divides_cpu_time_by_hops() -> None:
    engine = xoff.Scenario.from_text(ring()).run().summary["engine"]
    assert engine["ns_per_packet_hop"] == engine["cpu_seconds"] * 1e9 / engine["packet_hops"]


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
    text = "engine = { fast_forward = {} }\n" + text
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
