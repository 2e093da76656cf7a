"""Files of htsim and uet-htsim as scenarios."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from foreign_files import TWO_LINKS
from xoff import InputError, formats

if TYPE_CHECKING:
    from pathlib import Path

TREE = """# two pods of four hosts
Nodes 8
Tiers 3
Podsize 4

Tier 0
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 1000
Switch_Latency_ns 100

Tier 1
Downlink_speed_Gbps 200
Radix_Down 2
Radix_Up 4
Downlink_Latency_ns 500
Bundle 1

Tier 2
Downlink_speed_Gbps 100
Radix_Down 4
Downlink_Latency_ns 1000
Bundle 2
"""
CHAIN = """Nodes 8
Connections 3
Triggers 2
0->1 id 1 start 2500000 size 2000000 send_done_trigger 1
0->2 id 2 trigger 1 size 1000 recv_done_trigger 2
2->0 id 3 trigger 2 size 64
trigger id 1 oneshot
trigger id 2 oneshot
"""


def imported(folder: Path, **texts: str) -> formats.Imported:
    """Reads files of these texts, called `NAME.topo` or `NAME.cm`."""
    paths = []
    for name, text in texts.items():
        path = folder / f"{name}{'.topo' if 'Tiers' in text else '.cm'}"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return formats.read(paths)


def keys(of: formats.Imported) -> dict[str, Any]:
    """The scenario as a table."""
    return tomllib.loads(of.text)


def rows(folder: Path, of: formats.Imported) -> list[str]:
    """Rows of the only CSV."""
    return of.save(folder / "out", force=True)[1].read_text().splitlines()[1:]


def test_a_tree_of_three_tiers_is_wired_as_htsim_does(tmp_path: Path) -> None:
    of = imported(tmp_path, tree=TREE)
    assert [file.content for file in of.found] == ["fat tree of 3 tiers, 8 hosts, 12 switches, 32 links"]
    links = keys(of)["topology"]["links"]
    between = [link["between"] for link in links]
    assert between[:8] == [[f"host{host}", f"tor{host // 2}"] for host in range(8)]
    assert between[8:16] == [[f"tor{tor}", f"agg{tor // 2 * 2 + each}"] for tor in range(4) for each in range(2)]
    cores = [[f"agg{agg}", f"core{core}"] for agg in range(4) for core in (agg % 2, agg % 2 + 2) for _ in range(2)]
    assert between[16:] == cores


def test_a_switch_s_latency_is_in_the_links_on_either_side(tmp_path: Path) -> None:
    of = imported(tmp_path, tree=TREE)
    wires = {(link["rate"], link["delay"]) for link in keys(of)["topology"]["links"]}
    assert wires == {("200Gbps", "1050ns"), ("200Gbps", "550ns"), ("100Gbps", "1us")}
    assert [str(left) for left in of.left_out] == [
        "tree.topo:11: Switch_Latency_ns 100 of tier 0: in the delays of links, half of it on either side of the switch"
    ]
    assert 'rate = "100Gbps", delay = "1us" },  # tree.topo:21\n' in of.text


def test_connections_without_a_topology_get_htsim_s_own_tree(tmp_path: Path) -> None:
    of = imported(tmp_path, one="Nodes 16\nConnections 1\n0->13 start 1000000 size 2000000\n")
    topology = keys(of)["topology"]
    assert (len(topology["hosts"]), len(topology["switches"]), len(topology["links"])) == (16, 20, 48)
    assert rows(tmp_path, of) == ["host0,host13,2000000,1000,0"]
    assert of.left_out[0].content == "no topology"


def test_one_flow_takes_as_long_as_the_repository_of_htsim_says(tmp_path: Path) -> None:
    # validate_outputs/validate_uec_sender.out: "Tail FCT 176.2 us" for connection_matrices/one.cm.
    result = imported(tmp_path, one="Nodes 16\nConnections 1\n0->13 start 0 size 2000000\n").scenario().run()
    assert result.flows["fct_ns"][0].as_py() == pytest.approx(176_200, rel=0.001)


def test_timeouts_are_those_of_htsim_uec(tmp_path: Path) -> None:
    matrix = tmp_path / "one.cm"
    matrix.write_text("Nodes 16\nConnections 1\n0->13 start 0 size 2000000\n")
    of = keys(formats.read([matrix]))
    assert of["switch"][0]["buffer"]["threshold"] == "178450B"
    recovery = of["transport"]["rdma"]["recovery"]
    assert {recovery["timeout_low"], recovery["timeout_high"]} == {"100656ns"}  # 15 us, and six queues at 100 Gb/s


def test_triggers_become_a_job(tmp_path: Path) -> None:
    of = imported(tmp_path, chain=CHAIN, tree=TREE)
    assert of.found[1].content == "3 flows, 2 of them by triggers"
    assert rows(tmp_path, of) == [
        "line4,host0,host1,2000000,0,,2500",
        "line5,host0,host2,1000,0,line4,0",
        "line6,host2,host0,64,0,line5,0",
    ]
    flows = of.scenario().run().flows.sort_by("start_ns").to_pylist()
    assert [flow["size_bytes"] for flow in flows] == [2_000_000, 1000, 64]
    assert flows[1]["start_ns"] == flows[0]["finish_ns"]


def test_a_barrier_waits_for_all(tmp_path: Path) -> None:
    text = (
        "Nodes 8\nConnections 3\nTriggers 1\n1->0 start 0 size 9 recv_done_trigger 1\n"
        "2->0 start 0 size 9 recv_done_trigger 1\n0->3 trigger 1 size 9\ntrigger id 1 barrier count 2\n"
    )
    assert rows(tmp_path, imported(tmp_path, barrier=text, tree=TREE))[2] == "line6,host0,host3,9,0,line4 line5,0"


def test_a_job_of_hosts_with_two_links_runs_over_both(tmp_path: Path) -> None:
    network, matrix = tmp_path / "topology.txt", tmp_path / "ring.cm"
    network.write_text(TWO_LINKS)
    matrix.write_text(
        "Nodes 2\nConnections 2\nTriggers 1\n0->1 start 0 size 1001 recv_done_trigger 1\n1->0 trigger 1 size 64\n"
        "trigger id 1 oneshot\n"
    )
    of = formats.read([network, matrix])
    assert rows(tmp_path, of) == [
        "line4,host0,host1,501,0,,0",
        "line4_2,host0_2,host1_2,501,0,,0",
        "line5,host1,host0,32,0,line4,0",
        "line5_2,host1_2,host0_2,32,0,line4_2,0",
    ]
    of.check()


def test_a_multishot_trigger_starts_one_after_another(tmp_path: Path) -> None:
    text = (
        "Nodes 8\nConnections 3\nTriggers 1\n0->1 start 0 size 9 send_done_trigger 1\n"
        "0->2 trigger 1 size 9 send_done_trigger 1\n0->3 trigger 1 size 9 send_done_trigger 1\ntrigger id 1 multishot\n"
    )
    of = imported(tmp_path, shots=text, tree=TREE)
    assert [row.split(",")[5] for row in rows(tmp_path, of)] == ["", "line4", "line5"]
    assert [left.content for left in of.left_out if "shot" in left.content] == ["multishot (1 line)"]


def test_what_a_row_cannot_say_is_told(tmp_path: Path) -> None:
    text = (
        "Nodes 8\nConnections 2\nFailures 1\n0->1 id 1 msg start 3 size 9 prio 2\n0->1 id 1 msg 2 start 0.0015 size 9\n"
        "failure switch_type AGG switch_id 0 link_id 0\n"
    )
    of = imported(tmp_path, told=text, tree=TREE)
    assert rows(tmp_path, of) == ["host0,host1,9,3000,0", "host0,host1,9,1,0"]
    assert [left.content for left in of.left_out[1:]] == [
        "prio (1 line)",
        "msg (2 lines)",
        "start (1 line)",
        "failure (1 line)",
    ]


def test_flows_of_htsim_go_over_a_network_of_hpcc(tmp_path: Path) -> None:
    (tmp_path / "topology.txt").write_text("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n", encoding="utf-8")
    (tmp_path / "flow.txt").write_text("1\n1 2 3 100 5000 0\n", encoding="utf-8")
    (tmp_path / "one.cm").write_text("Nodes 2\nConnections 1\n1->0 start 0 size 7000\n", encoding="utf-8")
    of = formats.read([tmp_path / "one.cm", tmp_path / "topology.txt", tmp_path / "flow.txt"])
    flows = of.scenario().run().flows.to_pylist()
    assert sorted((flow["source"], flow["size_bytes"]) for flow in flows) == [("host1", 5000), ("host2", 7000)]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("Nodes 8", "Nodes 9"), "tree.topo: line 4: Nodes 9 is no multiple of Podsize 4; expected one"),
        (("Nodes 8", "Nodes many"), 'tree.topo: line 2: Nodes is "many"; expected a whole number'),
        (("Nodes 8", "Nodes 8000000"), "tree.topo: line 2: Nodes is 8,000,000; expected at most 1,000,000"),
        (("Tiers 3", "Tiers 4"), "tree.topo: line 3: Tiers is 4, and 3 are described; expected 2 or 3"),
        (("Tiers 3", "Tiers 2"), "tree.topo: line 3: Tiers is 2, and 3 are described; expected 2 or 3"),
        (("Podsize 4", ""), "tree.topo: line 1: Podsize is missing or 0; expected Nodes, Tiers and Podsize"),
        (("Radix_Up 4", "Radix_Up 3"), "tree.topo: line 16: Radix_Up of tier 1 3 is no multiple of Bundle of tier 2 2"),
        (("Radix_Down 4", "Radix_Down 8"), "tree.topo: line 22: radix_down is 8; expected 4, the links from all pods"),
        (("Radix_Down 4", "Radix_Down"), "tree.topo: line 22: has 1 fields; expected KEY NUMBER"),
        (("Radix_Down 4", "Radius 4"), 'tree.topo: line 22: there is no key "Radius" here; expected one of'),
        (("Downlink_Latency_ns 500", ""), "tree.topo: line 13: downlink_latency_ns of tier 1 is missing or 0"),
        (("Tier 2", "Tier 1"), "tree.topo: line 20: Tier 1 is there twice or too many; expected tiers 0, 1 and 2"),
    ],
)
def test_a_broken_tree_is_refused_with_its_line(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    with pytest.raises(InputError) as caught:
        imported(tmp_path, tree=TREE.replace(*change))
    assert problem in str(caught.value)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("Connections 3", "Connections 4"), "chain.cm: line 2: announces 4 connections, and the file has 3; expected"),
        (("Triggers 2", "Triggers 3"), "chain.cm: line 3: announces 3 triggers, and the file has 2; expected as many"),
        (("0->1", "0->9"), "chain.cm: line 4: there is no host 9; expected 0 to 7, as the topology has hosts"),
        (("0->1", "1->1"), "chain.cm: line 4: host 1 would send to itself; expected two different hosts"),
        (("0->1", "0-1"), 'chain.cm: line 4: begins with "0-1"; expected a flow such as 0->13'),
        (("size 64", "size 0"), "chain.cm: line 6: size is 0, a flow without end; expected bytes"),
        (("size 64", ""), "chain.cm: line 6: size is missing; expected size BYTES"),
        (("size 64", "size"), 'chain.cm: line 6: size is ""; expected a whole number from 0'),
        (("trigger 2 size 64", "size 64"), "chain.cm: line 6: has both start and trigger, or neither; expected one"),
        (("start 2500000", "start -1"), 'chain.cm: line 4: start is "-1"; expected a number from 0'),
        (("trigger 2 size 64", "trigger 5 size 64"), "chain.cm: line 6: there is no trigger 5; expected trigger id 5"),
        (
            ("2->0", "3->0"),
            "chain.cm: line 6: waits for line 5, a flow between other hosts; expected one from or to host 3",
        ),
        (("recv_done_trigger 2", ""), "chain.cm: line 8: trigger 2 is activated by 0 flows; expected 1"),
        (
            ("id 2 oneshot", "id 2 twoshot"),
            'chain.cm: line 8: there is no "twoshot" of a trigger; expected id, oneshot',
        ),
        (("id 2 oneshot", "id 1 oneshot"), "chain.cm: line 8: trigger 1 is there already; expected one; line 7 is it"),
        (("id 2 oneshot", "id 2 multishot"), ""),
        (("Nodes 8", "Nodes 99999999999"), 'chain.cm: line 1: Nodes is "99999999999"; expected a whole number'),
    ],
)
def test_broken_connections_are_refused_with_their_line(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    if not problem:
        imported(tmp_path, chain=CHAIN.replace(*change), tree=TREE).check()
        return
    with pytest.raises(InputError) as caught:
        imported(tmp_path, chain=CHAIN.replace(*change), tree=TREE)
    assert problem in str(caught.value)


def test_connections_for_which_htsim_has_no_tree_need_a_topology(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has no topology, and 8 nodes; expected a \.topo beside it"):
        imported(tmp_path, chain=CHAIN)
