"""Pauses explain one another, back to where they began."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from matplotlib.figure import Figure

import xoff
from conftest import SCENARIOS, SMALL, ring, storm
from xoff.explain import pause_tree
from xoff.explain.pauses import Cycle, Pauses, Queue
from xoff.report import render
from xoff.results import columns

# Two hosts of the second leaf send class 3 to a slow host of the first, a third class 0 to another; the spine has DSH.
PORT_PAUSES = """
class = [{ priority = 0, lossless = true }, { priority = 3, lossless = true }, { priority = 7 }]
transport.roce = { kind = "roce" }
switch = [
    { total = "2MB", pfc = {} },
    { nodes = "spine*", total = "600kB", pfc = { headroom = { scheme = "dsh", shared_headroom = false } } },
]
observe.pauses = true
stop.at = "3ms"

[topology]
kind = "leaf_spine"
leaves = 2
spines = 1
hosts_per_leaf = 4
host_link = { rate = "100Gbps", delay = "1us" }
fabric_link = { rate = "100Gbps", delay = "1us" }
links = [{ between = ["host0", "leaf0"], rate = "10Gbps" }]

[[workload]]
kind = "long_lived"
transport = "roce"
pairs = [["host4", "host0"], ["host5", "host0"]]
size = "3MB"
priority = 3

[[workload]]
kind = "long_lived"
transport = "roce"
pairs = [["host6", "host1"]]
size = "3MB"
"""


class Row(NamedTuple):
    """A pause of `paused` from `start` to `end`, decided at `xoff` because of `cause`."""

    paused: str
    cause: str
    xoff: int
    start: int
    end: int | None
    priority: int = 3
    cause_priority: int = 3


def table(rows: list[Row]) -> pa.Table:
    names = {
        "pause_id": list(range(len(rows))),
        "device": [row.cause.split(".")[0] for row in rows],
        "port": [f"{row.cause.split('.')[0]}.port9" for row in rows],
        "paused_device": [row.paused.split(".")[0] for row in rows],
        "paused_port": [row.paused for row in rows],
        "priority": [row.priority for row in rows],
        "xoff_ns": [row.xoff for row in rows],
        "start_ns": [row.start for row in rows],
        "end_ns": [row.end for row in rows],
        "reason": ["threshold"] * len(rows),
        "ingress_bytes": [0] * len(rows),
        "egress_port": [row.cause for row in rows],
        "cause_priority": [row.cause_priority for row in rows],
        "egress_bytes": [0] * len(rows),
        "queue_bytes": [0] * len(rows),
        "flows": [1] * len(rows),
        "stuck_behind_port": pa.nulls(len(rows), pa.string()),
        "stuck_behind_priority": pa.nulls(len(rows), pa.uint8()),
    }
    arrays = [pa.array(names[field.name]).cast(field.type) for field in columns.PAUSES]
    return pa.table(arrays, schema=columns.PAUSES)


FLOWS = pa.table(
    {"pause_id": [0, 1, 2], "source": ["x", "y", "y"], "number": [0, 1, 2], "bytes": [5, 6, 7]},
    schema=pa.schema([(name, columns.PAUSE_FLOWS.field(name).type) for name in ("pause_id",)])
    .append(pa.field("source", pa.string()))
    .append(pa.field("number", pa.uint32()))
    .append(pa.field("bytes", pa.int64())),
)


def tree_of(rows: list[Row], victim: str) -> pause_tree.PauseTree:
    pauses = Pauses(table(rows), 1000)
    considered = {Queue(victim, 3): pauses.of(Queue(victim, 3))}
    return pause_tree.build(pauses, FLOWS, victim, considered, (0, 1000), one_after_another=False)


@cache
def victim_result() -> xoff.Result:
    return xoff.Scenario.load(SCENARIOS / "pauses.toml").run()


def test_a_queue_that_was_never_paused_is_the_root() -> None:
    tree = tree_of([Row("host.port0", "a.port1", 90, 100, 300)], "host.port0")
    [root] = tree.roots
    assert (root.queue, root.paused_us, root.share, root.flows) == (Queue("a.port1", 3), 0.2, 1.0, ("x.flow0",))


def test_the_time_in_which_the_cause_was_paused_belongs_to_what_paused_it() -> None:
    rows = [Row("host.port0", "a.port1", 90, 100, 300), Row("a.port1", "b.port1", 240, 250, 400)]
    shares = {root.queue.port: root.share for root in tree_of(rows, "host.port0").roots}
    assert shares == pytest.approx({"a.port1": 0.75, "b.port1": 0.25})


def test_what_grew_behind_a_pause_belongs_to_it_as_a_whole() -> None:
    rows = [Row("a.port1", "b.port1", 10, 20, 80), Row("host.port0", "a.port1", 70, 100, 300)]
    assert {root.queue.port: root.share for root in tree_of(rows, "host.port0").roots} == {"b.port1": 1.0}


def test_a_pause_before_the_last_resume_is_no_reason() -> None:
    rows = [
        Row("a.port1", "b.port1", 5, 10, 40),
        Row("host.port0", "a.port1", 30, 40, 50),
        Row("host.port0", "a.port1", 90, 100, 110),
    ]
    shares = {root.queue.port: root.share for root in tree_of(rows, "host.port0").roots}
    assert shares == pytest.approx({"a.port1": 0.5, "b.port1": 0.5})


def test_roots_are_summed_over_ways_each_of_which_is_too_little_for_the_tree() -> None:
    """200 hosts are paused 100 ns each for queues of a leaf, half of that time for the queue that these wait for."""
    leaf = [Row(f"leaf.port{n}", "spine.port1", 140, 150, 300) for n in range(200)]
    hosts = [Row(f"host{n}.port0", f"leaf.port{n}", 90, 100, 200) for n in range(200)]
    pauses = Pauses(table(hosts + leaf), 1000)
    considered = {Queue(row.paused, 3): pauses.of(Queue(row.paused, 3)) for row in hosts}
    tree = pause_tree.build(pauses, FLOWS, "hosts", considered, (0, 1000), one_after_another=False)
    assert len(tree.graph) == 1
    assert tree.left_out_us == pytest.approx(tree.paused_us)
    assert str(tree).splitlines()[-1] == "Left out of the tree: ways below 1 % each, 20.0 us (100%) together"
    assert tree.rootless_us == pytest.approx(0)
    assert {root.queue.port: root.share for root in tree.roots} == pytest.approx(
        {"spine.port1": 0.5} | {f"leaf.port{n}": 0.0025 for n in range(200)}
    )


def test_what_waits_in_a_circle_begins_where_the_circle_closes() -> None:
    rows = [Row(f"{one}.port1", f"{other}.port1", 5, 10, None) for one, other in ("ab", "bc", "ca")]
    tree = tree_of([*rows, Row("host.port0", "a.port1", 5, 10, None)], "host.port0")
    assert {root.queue.port: root.share for root in tree.roots} == {"a.port1": 1.0}
    assert str(tree).splitlines()[-1].strip() == "└─ a.port1, which waits for itself  0.99 us (100%)  root: y.flow2"


def test_the_text_of_a_tree_says_it_line_by_line() -> None:
    rows = [Row("host.port0", "a.port1", 90, 100, 300), Row("a.port1", "b.port1", 240, 250, 400)]
    assert str(tree_of(rows, "host.port0")).splitlines() == [
        "host.port0  0.20 us (100%)",
        "└─ host.port0 priority 3  0.20 us (100%)",
        "   ├─ a.port1  0.15 us (75%)  root: x.flow0",
        "   └─ a.port1  0.05 us (25%)",
        "      └─ b.port1  0.05 us (25%)  root: y.flow1",
    ]


def test_a_class_may_be_paused_for_a_queue_of_another() -> None:
    rows = [Row("host.port0", "a.port1", 90, 100, 300, 3, 0), Row("a.port1", "b.port1", 50, 60, 400, 0, 0)]
    tree = tree_of(rows, "host.port0")
    assert [root.queue for root in tree.roots] == [Queue("b.port1", 0)]
    assert str(tree).splitlines()[2:] == [
        "   └─ a.port1 priority 0  0.20 us (100%)",
        "      └─ b.port1  0.20 us (100%)  root: y.flow1",
    ]


def test_a_port_that_pauses_as_a_whole_is_in_one_circle() -> None:
    rows = [
        Row(f"{paused}.port1", f"{cause}.port1", xoff, xoff + 5, None, priority)
        for xoff, paused, cause in ((5, "a", "b"), (15, "b", "c"), (25, "c", "a"))
        for priority in range(8)
    ]
    queues = tuple(Queue(f"{name}.port1", 3) for name in "abc")
    assert list(Pauses(table(rows), 1000).cycles()) == [Cycle(queues, 30, None)]


def test_a_circle_is_found_when_it_closes_and_ends_when_it_opens() -> None:
    rows = [
        Row("a.port1", "b.port1", 5, 10, 100),
        Row("b.port1", "c.port1", 15, 20, 90),
        Row("c.port1", "a.port1", 25, 30, None),
        Row("d.port1", "a.port1", 35, 40, 50),
    ]
    queues = tuple(Queue(f"{name}.port1", 3) for name in "abc")
    assert list(Pauses(table(rows), 1000).cycles()) == [Cycle(queues, 30, 90)]
    assert list(Pauses(table(rows[:2] + rows[3:]), 1000).cycles()) == []


def test_intervals_add_up_to_the_summary() -> None:
    result = victim_result()
    assert result.pauses is not None
    assert result.pauses.schema == columns.PAUSES
    pauses = Pauses(result.pauses, result.summary["end_ns"])
    pfc = result.summary["pfc"]
    assert result.pauses.num_rows == pfc["pause_frames"]
    assert sum(pauses.end_ns - pauses.start_ns) / 1000 == pytest.approx(
        pfc["paused_us"], abs=result.pauses.num_rows / 1e3
    )
    assert max(pauses.end_ns - pauses.start_ns) / 1000 == pytest.approx(pfc["longest_pause_us"], abs=0.002)


def test_a_victim_is_as_much_faster_without_a_root_as_the_tree_says() -> None:
    links = [("host15", "tor3"), ("leaf2", "tor3"), ("leaf3", "tor3")]
    links += [(f"leaf{leaf}", f"spine{spine}") for leaf in range(4) for spine in range(2)]
    faster = [{"between": list(link), "rate": "400Gbps"} for link in links]
    without = xoff.Scenario.load(SCENARIOS / "pauses.toml").with_value("topology.links", faster).run()
    time_us = [
        row["fct_ns"] / 1000
        for result in (victim_result(), without)
        for row in result.flows.to_pylist()
        if row["source"] == "host4"
    ]
    roots = {root.queue.port: root.paused_us for root in victim_result().pause_tree("host4.flow0").roots}
    assert time_us[0] - time_us[1] == pytest.approx(roots["tor3.port0"], rel=0.1)


def test_a_victim_of_a_port_that_paused_as_a_whole_waits_for_the_class_that_filled_it() -> None:
    result = xoff.Scenario.from_text(PORT_PAUSES).run()
    assert result.pauses is not None
    of_port = [
        row for row in result.pauses.to_pylist() if (row["paused_port"], row["reason"]) == ("leaf1.port4", "port")
    ]
    causes = {(row["egress_port"], row["cause_priority"]) for row in of_port if row["priority"] == 0}
    assert causes == {("spine0.port0", 3)}
    for flow in ("host6.flow0", "host4.flow0"):
        root = result.pause_tree(flow).roots[0]
        assert (root.queue, set(root.flows)) == (Queue("leaf0.port0", 3), {"host4.flow0", "host5.flow0"})
        assert root.share > 0.8


def test_victims_are_found_by_any_name() -> None:
    result = victim_result()
    flow = result.flows["source"].to_pylist().index("host4")
    by_flow = result.pause_tree("host4.flow0")
    assert str(result.pause_tree(flow)) == str(by_flow)
    assert by_flow.paused_us < result.flows["fct_ns"].to_pylist()[flow] / 1000
    host = result.pause_tree("host4")
    assert host.paused_us == pytest.approx(result.pause_tree("host4.port0").paused_us)
    first, second = (result.pause_tree("host4", between_ns=half).paused_us for half in ((0, 1e6), (1e6, 1e9)))
    assert first + second == pytest.approx(host.paused_us)
    for nobody in ("host77", "host4.flow9", 99):
        with pytest.raises(ValueError, match=r"no host, switch or port host77|no flow|no finished flow"):
            result.pause_tree(nobody)


def test_pauses_under_way_at_an_instant_count_as_a_whole() -> None:
    result = victim_result()
    assert result.pauses is not None
    pauses = [row for row in result.pauses.to_pylist() if row["paused_port"] == "host4.port0"]
    pause = pauses[len(pauses) // 2]
    length_us = (pause["end_ns"] - pause["start_ns"]) / 1000
    for at_ns in (pause["start_ns"], (pause["start_ns"] + pause["end_ns"]) / 2, pause["end_ns"] - 1):
        tree = result.pause_tree("host4.flow0", at_ns=at_ns)
        assert tree.paused_us == pytest.approx(length_us)
        assert tree.left_out_us + sum(root.paused_us for root in tree.roots) == pytest.approx(length_us)
    before_and_after = (pause["start_ns"] - 1, pause["end_ns"])
    assert [result.pause_tree("host4.flow0", at_ns=at_ns).paused_us for at_ns in before_and_after] == [0, 0]
    assert result.pause_tree("host4.flow0", at_ns=result.summary["end_ns"]).paused_us == 0


def test_a_pause_that_is_never_over_is_under_way_at_the_end() -> None:
    result = xoff.Scenario.from_text(ring()).run()
    assert result.pause_tree("s0.port1", at_ns=result.summary["end_ns"]).paused_us > 0


def test_what_was_not_observed_cannot_be_explained(small_result: xoff.Result) -> None:
    assert small_result.pauses is None
    for ask in (small_result.pause_tree, small_result.pause_cycles, small_result.plot.pauses):
        with pytest.raises(ValueError, match=r"observe\.pauses = true"):
            ask()


def test_a_run_without_pauses_has_none_and_says_so() -> None:
    result = xoff.Scenario.from_text(SMALL.replace("[observe]", "[observe]\npauses = true")).run()
    assert result.pauses is not None
    assert result.pauses.num_rows == 0
    assert result.pause_cycles() == []
    assert result.pause_tree().roots == []
    axes = result.plot.pauses(Figure().subplots())
    assert [text.get_text() for text in axes.texts] == ["nothing was paused"]
    assert axes.get_xlim() == (0, result.summary["end_ns"] / 1000)
    assert "Nothing was paused." in render(result)


def test_a_deadlock_is_a_circle_that_never_opens() -> None:
    result = xoff.Scenario.from_text(ring()).run()
    assert result.summary["deadlock"]
    assert result.summary["stood_still"]
    assert [queue["port"] for queue in result.summary["deadlock_cycle"]] == [
        "s0.port1", "s1.port2", "s2.port2", "s3.port2", "s4.port2"
    ]  # fmt: skip
    last = result.pause_cycles()[-1]
    assert last.until_ns is None
    assert [queue.port for queue in last.queues] == [queue["port"] for queue in result.summary["deadlock_cycle"]]
    assert last.since_ns == max(queue["since_ns"] for queue in result.summary["deadlock_cycle"])
    assert not victim_result().summary["deadlock"]


REROUTED = """
title = "Packets that turn round where links have failed"
seed = 0
[topology]
kind = "leaf_spine"
leaves = 4
spines = 2
hosts_per_leaf = 4
host_link = { rate = "100Gbps", delay = "1us" }
fabric_link = { rate = "100Gbps", delay = "1us" }
[transport.roce]
kind = "roce"
control_priority = 7
recovery = { kind = "go_back_n", timeout = "500us" }
[observe]
pauses = true
[stop]
arrivals_end = "500us"
[[link_event]]
at = "197us"
between = ["leaf0", "spine0"]
state = "down"
convergence = "10us"
[[link_event]]
at = "207us"
between = ["leaf1", "spine1"]
state = "down"
convergence = "10us"
[[class]]
priority = 3
lossless = true
[[class]]
priority = 7
[[switch]]
total = "4MB"
pfc = { xoff = { policy = "static_threshold", threshold = "30kB" } }
[[workload]]
kind = "permutation"
transport = "roce"
size = "1MB"
priority = 3
[[workload]]
kind = "incast"
transport = "roce"
fan_in = 6
size = "100kB"
every = "50us"
priority = 3
"""


def test_what_is_stuck_waits_for_the_deadlock_and_not_for_a_queue_that_has_drained() -> None:
    result = xoff.Scenario.from_text(REROUTED).run()
    deadlocked = {queue["port"] for queue in result.summary["deadlock_cycle"]}
    assert deadlocked
    last = result.pause_cycles()[-1]
    assert {queue.port for queue in last.queues} == deadlocked
    assert last.until_ns is None
    tree = result.pause_tree()
    assert sum(root.paused_us for root in tree.roots if root.queue.port in deadlocked) > 0.9 * tree.paused_us
    pauses = result.pauses
    assert pauses is not None
    stuck = pauses.filter(pauses["stuck_behind_port"].is_valid())
    assert stuck.num_rows > 0
    assert stuck["end_ns"].null_count == stuck.num_rows


def test_no_root_has_less_than_the_tree_shows_and_roots_have_all() -> None:
    for result in (victim_result(), xoff.Scenario.from_text(REROUTED).run()):
        tree = result.pause_tree()
        shown: Counter[Queue] = Counter()
        for _, node in tree.graph.nodes(data=True):
            shown[node["queue"]] += node["paused_us"] * node["is_root"]
        roots = {root.queue: root.paused_us for root in tree.roots}
        assert all(time <= roots.get(queue, 0) + 1e-6 for queue, time in shown.items())
        assert sum(roots.values()) == pytest.approx(tree.paused_us, rel=0.001)
        assert 0 < tree.left_out_us < tree.paused_us


def test_a_deadlock_that_nobody_speaks_of_lasts_until_the_last_timeout() -> None:
    roce = ring().replace('{ kind = "constant_rate", payload = "1000B" }', '{ kind = "roce", control_priority = 0 }')
    scenario = xoff.Scenario.from_text(roce).with_value("pfc.form", "on_off").with_value("pfc.detection_time", "1ms")
    summary = scenario.run().summary
    assert summary["stood_still"]
    assert summary["flows"]["timeouts"] > 0
    assert summary["end_ns"] > 1e6
    since = min(queue["since_ns"] for queue in summary["deadlock_cycle"])
    assert summary["pfc"]["longest_pause_us"] * 1000 >= summary["end_ns"] - since
    assert summary["pfc"]["storms"] == 10


def test_a_watchdog_breaks_a_deadlock() -> None:
    scenario = xoff.Scenario.from_text(ring()).with_value("pfc.detection_time", "1ms")
    summary = scenario.with_value("pfc.watchdog.action", "drop").run().summary
    assert not summary["deadlock"]
    assert not summary["stood_still"]
    assert summary["buffer"]["end_bytes"] == 0
    assert summary["packets"]["dropped"] == summary["packets"]["dropped_pfc_watchdog"] > 0
    assert summary["pfc"]["interventions"] == len(summary["watchdog"]) > 0
    assert sum(row["dropped"] for row in summary["watchdog"]) == summary["packets"]["dropped_pfc_watchdog"]
    first = summary["watchdog"][0]
    assert first["port"] in {"s0.port1", "s1.port2", "s2.port2", "s3.port2", "s4.port2"}
    assert first["restored_ns"] - first["detected_ns"] >= 2e6  # twice the detection time at the least


def test_a_slow_receiver_is_a_root() -> None:
    result = storm()
    tree = result.pause_tree("host0.flow1")
    assert [root.queue for root in tree.roots] == [Queue("host1 (slow receiver)", 0)]
    assert tree.roots[0].flows == ("host0.flow0",)
    [let_go] = result.summary["watchdog"]
    assert (let_go["port"], let_go["priority"]) == ("right.port0", 0)
    pauses = result.pauses
    assert pauses is not None
    [first, *_] = pauses.filter(pc.equal(pauses["reason"], "receiver")).to_pylist()
    assert (first["device"], first["paused_port"], first["egress_port"]) == ("host1", "right.port0", "host1.port0")
    assert let_go["detected_ns"] == first["start_ns"] + 100_000


def test_pauses_are_kept_in_the_folder(tmp_path: object) -> None:
    path = victim_result().save(f"{tmp_path}/out", report=True)
    opened = xoff.Result.open(path)
    assert opened.pauses == victim_result().pauses
    assert opened.pause_flows == victim_result().pause_flows
    assert str(opened.pause_tree("host4.flow0")) == str(victim_result().pause_tree("host4.flow0"))
    page = (path / "report.html").read_text(encoding="utf-8")
    assert "Pauses over time" in page
    assert "Why host" in page
