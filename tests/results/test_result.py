"""Results in memory, on disk and back."""

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import xoff
from conftest import SCENARIOS, SMALL
from xoff.errors import ResultError
from xoff.results import columns

KEYS = {
    "flows": {"all", "small", "medium", "large", "unfinished", "timeouts"},
    "packets": {"sent", "delivered", "dropped", "marked", "retransmitted"},
    "pfc": {"pause_frames", "resume_frames", "paused_us"},
    "spraying": {"at_random", "recycled", "freezes"},
    "qcn": {
        "cnms_sent_by_inputs",
        "cnms_sent_by_outputs",
        "cnms_received",
        "cnms_dropped",
        "cnms_through_crossbars",
    },
    "buffer": {"peak_bytes"},
    "engine": {"events", "packet_hops", "cpu_seconds", "wall_seconds", "ns_per_packet_hop", "added_rss_mb", "threads"},
}
CLASS_KEYS = {
    "count",
    "fct_mean_us",
    "fct_p50_us",
    "fct_p95_us",
    "fct_p99_us",
    "fct_p999_us",
    "slowdown_mean",
    "slowdown_p50",
    "slowdown_p95",
    "slowdown_p99",
    "slowdown_p999",
}


def test_the_summary_has_the_keys_that_are_promised(small_result: xoff.Result) -> None:
    summary = small_result.summary
    assert {"loss_rate", "goodput_gbps", "deadlock", "digest", "scenario_digest", *KEYS} <= set(summary)
    for group, keys in KEYS.items():
        assert keys <= set(summary[group]), group
    for name in ("all", "small", "medium", "large"):
        assert set(summary["flows"][name]) == CLASS_KEYS


def test_flows_have_the_columns_that_are_promised(small_result: xoff.Result) -> None:
    flows = small_result.flows
    assert flows.schema == columns.FLOWS
    assert flows.num_rows == 20
    assert set(flows["destination"].to_pylist()) == {"host0"}
    assert set(flows["transport"].to_pylist()) == {"dctcp"}


def test_flows_say_how_their_losses_were_repaired() -> None:
    longer = ("transport.dctcp.congestion_control.algorithm=reno", "workload.size=500kB", "stop={at='8ms'}")
    result = xoff.Scenario(SMALL, None, longer).run()
    assert result.unfinished is not None
    names = ("retransmitted_bytes", "timeouts", "recoveries", "probes", "spurious_retransmissions")
    for table in (result.flows, result.unfinished):
        again, timeouts, recoveries, probes, spurious = (table[name].to_numpy() for name in names)
        assert np.any(again > 0)
        np.testing.assert_array_equal(again > 0, timeouts + recoveries + probes > 0)
        assert np.all(spurious * 1460 <= again)
    assert result.flows["recoveries"].to_numpy().sum() > 0


def test_a_completion_time_is_the_difference_of_the_times_beside_it() -> None:
    flows = xoff.Scenario.load(SCENARIOS / "fan_in.toml").run().flows
    start, received, finish, took, ideal = (
        flows[name].to_numpy() for name in ("start_ns", "received_ns", "finish_ns", "fct_ns", "ideal_fct_ns")
    )
    np.testing.assert_array_equal(took, finish - start)
    assert np.all((start < received) & (received <= finish) & (took >= ideal))
    assert np.all(flows["slowdown"].to_numpy() >= 1)


def test_so_is_that_of_a_query() -> None:
    text = """
    title = "Queries that begin at any time"
    topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us" } }
    transport.tcp = { kind = "tcp", congestion_control = { algorithm = "reno" } }
    workload = [{ kind = "query", transport = "tcp", response = "3kB", queries = 50, every = "1234567ps" }]
    """
    queries = xoff.Scenario.from_text(text).run().queries
    assert queries is not None
    start, finish = queries["start_ns"].to_numpy(), queries["finish_ns"].to_numpy()
    np.testing.assert_array_equal(queries["completion_ns"].to_numpy(), finish - start)


def test_series_are_in_long_format(small_result: xoff.Result) -> None:
    series = small_result.series
    assert series is not None
    assert series.schema == columns.SERIES
    assert set(series["quantity"].to_pylist()) == {"queue"}
    assert "switch0.port0" in series["name"].to_pylist()


def test_whatever_is_observed_of_a_flow_has_the_flows_name() -> None:
    observe = {quantity: {"every": "10us", "of": ["host1"]} for quantity in ("windows", "flow_throughput")}
    series = xoff.Scenario(SMALL, "small.toml").with_value("observe", observe).run().series
    assert series is not None
    names = series["name"].combine_chunks().dictionary.to_pylist()
    assert len(names) == len(set(names))
    assert "host1.flow0" in names


def test_nothing_observed_is_no_series() -> None:
    result = xoff.Scenario.load(SCENARIOS / "permutation.toml").run()
    assert result.series is None
    with pytest.raises(ValueError, match=r"^observe\.queues is left out; expected"):
        result.plot.queues()


def test_tables_speak_the_arrow_capsule_interface(small_result: xoff.Result) -> None:
    class Reader:
        def __arrow_c_stream__(self, requested: object = None) -> object:
            return small_result.flows.__arrow_c_stream__(requested)

    assert pa.table(Reader()) == small_result.flows


def test_a_result_outlives_what_it_came_from(small_result: xoff.Result) -> None:
    sizes = xoff.Scenario.from_text(SMALL).run().flows["size_bytes"]
    assert sizes.to_pylist() == small_result.flows["size_bytes"].to_pylist()


def test_a_folder_reads_back_as_the_result(tmp_path: Path, small_result: xoff.Result) -> None:
    path = small_result.save(tmp_path / "out", report=True)
    opened = xoff.Result.open(path)
    assert opened.summary == small_result.summary
    assert opened.flows == small_result.flows
    assert opened.ports == small_result.ports
    assert opened.series == small_result.series
    assert opened.scenario == small_result.scenario
    assert opened.provenance == small_result.provenance
    assert {file.name for file in path.iterdir()} == {
        "checksums.json",
        "flows.parquet",
        "ports.parquet",
        "provenance.json",
        "report.html",
        "scenario.toml",
        "series.parquet",
        "summary.json",
    }


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("summary.json", b"", "is damaged: Expecting value"),
        ("summary.json", b"\xff", "is damaged: byte 0 is not UTF-8"),
        ("summary.json", b'{"name": "another"}', "is no summary of a run"),
        ("summary.json", b"[]", "is no table"),
        ("provenance.json", b"{", "is damaged: Expecting property name"),
        ("flows.parquet", b"PAR1", "is damaged: "),
        ("series.parquet", b"", "is damaged: "),
    ],
)
def test_a_damaged_or_foreign_folder_is_a_line(
    name: str, content: bytes, says: str, tmp_path: Path, small_result: xoff.Result
) -> None:
    path = small_result.save(tmp_path / "out")
    (path / name).write_bytes(content)
    with pytest.raises(ResultError) as refused:
        xoff.Result.open(path)
    assert str(refused.value).startswith(f"{path / name}: {says}")
    assert str(refused.value).endswith(
        "expected what xoff run has written; name another folder, or remove this one and run the scenario again"
    )


@pytest.mark.parametrize("copied", [lambda result: pickle.loads(pickle.dumps(result)), copy.deepcopy, copy.copy])
def test_a_copy_is_the_result(
    copied: Callable[[xoff.Result], xoff.Result], tmp_path: Path, small_result: xoff.Result
) -> None:
    again = copied(copied(small_result))
    assert (again.summary, again.flows, again.series) == (small_result.summary, small_result.flows, small_result.series)
    assert (again.scenario, again.provenance) == (small_result.scenario, small_result.provenance)
    path = again.save(tmp_path / "out")
    assert xoff.Result.open(path).flows == small_result.flows


def test_what_is_refused_is_remedied_in_the_words_of_whoever_asked(tmp_path: Path, small_result: xoff.Result) -> None:
    path = small_result.save(tmp_path / "out")
    with pytest.raises(xoff.OutputError) as refused:
        small_result.save(path)
    assert str(refused.value) == f"{path}: exists already; choose another folder, or replace it with force=True"
    (path / "summary.json").unlink()
    with pytest.raises(xoff.OutputError, match=r"no result folder, so force=True does not replace it; choose another"):
        small_result.save(path, force=True)


def test_a_saved_scenario_runs_again_to_the_same_digests(tmp_path: Path) -> None:
    first = xoff.Scenario.load(SCENARIOS / "trace.toml").run()
    path = first.save(tmp_path / "out")
    second = xoff.Scenario.load(path / "scenario.toml").run()
    assert second.digest == first.digest
    assert second.summary["scenario_digest"] == first.summary["scenario_digest"]
    assert xoff.Result.open(path).inputs == first.inputs


def test_a_changed_input_file_changes_the_scenario_digest(tmp_path: Path) -> None:
    digests = []
    for size in (1000, 2000):
        (tmp_path / "flows.csv").write_text(
            f"source,destination,size_bytes,start_ns,priority\nhost0,host1,{size},0,0\n"
        )
        (tmp_path / "x.toml").write_text(
            SMALL.split("[[workload]]")[0] + '[[workload]]\nkind = "trace"\ntransport = "dctcp"\nfile = "flows.csv"\n'
        )
        digests.append(xoff.Scenario.load(tmp_path / "x.toml").run().summary["scenario_digest"])
    assert digests[0] != digests[1]


def test_the_seed_decides_and_the_threads_do_not() -> None:
    scenario = xoff.Scenario.load(SCENARIOS / "web_search.toml").with_value("stop.arrivals_end", "200us")
    one, two, other = scenario.run(), scenario.run(threads=2), scenario.run(seed=2)
    assert one.digest == two.digest
    assert one.flows == two.flows
    assert one.digest != other.digest
    assert other.summary["seed"] == 2


def test_a_watcher_can_end_the_run() -> None:
    seen = []

    def watch(progress: object) -> bool:
        seen.append(progress)
        return False

    scenario = xoff.Scenario.load(SCENARIOS / "web_search.toml").with_value("stop.arrivals_end", "1s")
    result = scenario.run(progress=watch)
    assert len(seen) == 1
    assert result.interrupted
    assert result.flows.num_rows > 0


def test_what_a_watcher_raises_comes_through() -> None:
    def watch(_: object) -> None:
        message = "enough"
        raise RuntimeError(message)

    scenario = xoff.Scenario.load(SCENARIOS / "web_search.toml").with_value("stop.arrivals_end", "1s")
    with pytest.raises(RuntimeError, match="enough"):
        scenario.run(progress=watch)


def test_provenance_says_what_made_it(small_result: xoff.Result) -> None:
    provenance = small_result.provenance
    assert provenance["versions"]["xoff"] == xoff.__version__
    assert provenance["seed"] == 3
    json.dumps(provenance)


def test_a_notebook_shows_the_table(small_result: xoff.Result) -> None:
    html = small_result._repr_html_()
    assert "<b>Small</b>" in html
    assert "small, below 100 KiB" in html


def test_cnps_have_the_class_that_is_asked_for() -> None:
    """ACKs go in the class of the data, as adapters send them, and CNPs of 98 bytes in one that nobody pauses."""
    text = """
        class = [{ priority = 3, lossless = true }, { priority = 6 }]
        topology = { kind = "star", hosts = 5, host_link = { rate = "10Gbps", delay = "1us" } }
        observe.class_throughput = { every = "10us", of = ["host0.port0"] }
        [[workload]]
        kind = "incast"
        transport = "roce"
        fan_in = 4
        receivers = ["host0"]
        size = "1MB"
        groups = 1
        every = "1ms"
        priority = 3
        [[switch]]
        total = "1MB"
        pfc = {}
        marking.queue = { kind = "threshold", threshold = "20kB" }
        [transport.roce]
        kind = "roce"
        control_priority = 3
        congestion_control = { algorithm = "dcqcn" }
    """
    scenario = xoff.Scenario.from_text(text)

    def sent_and_cnps(result: xoff.Result) -> tuple[dict[int, float], int]:
        assert result.series is not None
        sent = {3: 0.0, 6: 0.0}
        for row in result.series.to_pylist():
            sent[row["priority"]] += row["value"] * 10e-6 / 8
        return sent, result.summary["packets"]["cnps_sent"]

    together, _ = sent_and_cnps(scenario.run())
    apart, cnps = sent_and_cnps(scenario.with_value("transport.roce.cnp_priority", 6).run())
    assert together[6] == 0 < together[3]
    assert apart[6] == pytest.approx(98 * cnps, abs=98)  # the last may come after the last whole interval
    assert apart[3] > 0 < cnps
