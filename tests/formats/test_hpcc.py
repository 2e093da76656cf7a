"""Files of HPCC's ns-3 and its descendants as scenarios."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from foreign_files import CONFIG, FLOWS, TOPOLOGY, imported
from xoff import InputError, formats
from xoff.formats import fct

if TYPE_CHECKING:
    from pathlib import Path


def keys(of: formats.Imported) -> dict[str, Any]:
    """The scenario as a table."""
    return tomllib.loads(of.text)


def refused(folder: Path, **texts: str) -> str:
    """The line that refuses files of these texts, without the folder."""
    with pytest.raises(InputError) as caught:
        imported(folder, **texts)
    told = str(caught.value)
    assert "\n" not in told
    return told.replace(f"{folder}/", "")


def test_what_was_found_is_told_whatever_the_order(tmp_path: Path) -> None:
    found = imported(tmp_path, flow=FLOWS, config=CONFIG, topology=TOPOLOGY).found
    assert [(file.format, file.content) for file in found] == [
        ("HPCC topology", "4 hosts, 1 switch, 4 links"),
        ("HPCC settings", "22 keys"),
        ("HPCC flows", "3 flows"),
    ]


def test_links_have_rate_delay_errors_and_their_line(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY)
    assert keys(of)["topology"]["links"] == [
        {"between": ["switch0", "host1"], "rate": "100Gbps", "delay": "1us"},
        {"between": ["switch0", "host2"], "rate": "100Gbps", "delay": "1us"},
        {"between": ["switch0", "host3"], "rate": "25Gbps", "delay": "1us", "error_rate": 0.01},
        {"between": ["switch0", "host4"], "rate": "100Gbps", "delay": "1us"},
    ]
    assert 'rate = "25Gbps", delay = "1us", error_rate = 0.01 },  # topology.txt:5\n' in of.text


def test_flows_become_a_trace_with_their_own_times_and_classes(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, flow=FLOWS)
    scenario, csv = of.save(tmp_path / "out")
    assert csv.read_text() == (
        "source,destination,size_bytes,start_ns,priority\n"
        "host1,host2,5000000,2000000000,3\nhost2,host1,1000,2000000125,3\nhost4,host1,64,2500000000,1\n"
    )
    assert 'file = "flows.csv"  # flow.txt:2-4, a row for each flow, in order\n' in scenario.read_text()
    told = [str(left) for left in of.left_out]
    assert told[0].startswith("flow.txt:2: destination ports 100, 200: ")
    assert told[1].startswith("flow.txt:6: lines beyond the 3 flows that line 1 announces: not read")
    assert [each["priority"] for each in keys(of)["class"]] == [1, 3]
    assert keys(of)["measure"] == {"start": "2s"}


def test_the_scenario_runs_and_goes_on_from_the_folder(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, flow=FLOWS, config=CONFIG)
    (scenario, _) = of.save(tmp_path / "out")
    result = of.scenario().run()
    assert result.summary["flows"]["all"]["count"] == 3
    assert type(of.scenario()).load(scenario).run().digest == result.digest


def test_settings_are_those_of_the_file_and_name_their_lines(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, flow=FLOWS, config=CONFIG)
    table = keys(of)
    assert table["transport"]["rdma"]["congestion_control"] == {
        "algorithm": "dcqcn",
        "preset": "mellanox",
        "minimum_rate": "100Mbps",
        "alpha_period": "1us",
        "cut_period": "4us",
        "timer": "900us",
        "clamp_target_rate": "after_time_increase",
        "gain": 0.00390625,
        "fast_recovery": 1,
        "additive_increase": "50Mbps",
        "hyper_increase": "100Mbps",
    }
    (switch,) = table["switch"]
    assert switch["total"] == "32MiB"
    red = {"kind": "red", "minimum": "400kB", "maximum": "1600kB", "probability": 0.2, "when": "dequeue"}
    assert switch["marking"]["at_rate"]["100Gbps"]["queue"] == red
    assert switch["marking"]["at_rate"]["25Gbps"]["queue"]["minimum"] == "100kB"
    assert table["stop"] == {"at": "4s"}
    assert 'timer = "900us"  # config.txt:7 RP_TIMER 900\n' in of.text
    assert 'total = "32MiB"  # config.txt:16 BUFFER_SIZE 32\n' in of.text


def test_the_window_is_the_largest_bandwidth_delay_product(tmp_path: Path) -> None:
    # Two links of 1 us there and back, and 1,000 B at 100 Gb/s on each: 4.16 us at 100 Gb/s.
    window = keys(imported(tmp_path, topology=TOPOLOGY, config=CONFIG))["transport"]["rdma"]["maximum_window"]
    assert window == "52000B"


def test_hpcc_has_its_keys(tmp_path: Path) -> None:
    config = CONFIG.replace("CC_MODE 1", "CC_MODE 3") + "U_TARGET 0.9\nMI_THRESH 0\nMULTI_RATE 1\n"
    of = imported(tmp_path, topology=TOPOLOGY, config=config)
    # The slowest path has 1,000 B at 25 Gb/s and at 100 Gb/s: 4.4 us, in which 50 Mb/s are 27.5 B.
    assert keys(of)["transport"]["rdma"]["congestion_control"] == {
        "algorithm": "hpcc",
        "minimum_rate": "100Mbps",
        "target_utilization": 0.9,
        "maximum_stages": 0,
        "base_rtt": "4400ns",
        "additive_increase": "28B",
    }
    assert "config.txt:25: MULTI_RATE 1: one window for all hops" in [str(left) for left in of.left_out]


@pytest.mark.parametrize(("mode", "name"), [(7, "timely"), (8, "dctcp"), (10, "hpcc"), (12, None)])
def test_other_congestion_controls(tmp_path: Path, mode: int, name: str | None) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, config=CONFIG.replace("CC_MODE 1", f"CC_MODE {mode}"))
    control = keys(of)["transport"]["rdma"].get("congestion_control", {})
    assert control.get("algorithm") == name
    assert any(f"CC_MODE {mode}" in left.content for left in of.left_out) == (mode in (8, 10, 12))
    of.check()


def test_nothing_of_the_settings_is_dropped(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, config=CONFIG)
    told = of.text + "".join(map(str, of.left_out))
    silent = {"ENABLE_QCN", "KMAX_MAP", "KMIN_MAP", "PMAX_MAP", "GLOBAL_T"}  # of three maps one comment names all
    assert [key for line in CONFIG.splitlines() if (key := line.split()[0]) not in silent and key not in told] == []
    assert "config.txt:22: NEW_KEY 7: xoff knows no such key" in [str(left) for left in of.left_out]


def test_links_fail_and_lose_as_the_settings_say(tmp_path: Path) -> None:
    links = "0 1 100Gbps 1us 0\n4 2 100Gbps 1us 0\n5 3 100Gbps 1us 0\n0 4 100Gbps 1us 0\n4 5 100Gbps 1us 0.5\n"
    topology = f"6 3 5\n0 4 5\n{links}"
    config = CONFIG + "LINK_DOWN 10 0 4\nERROR_RATE_PER_LINK 0.001\n"
    table = keys(imported(tmp_path, topology=topology, config=config))
    assert table["link_event"] == [{"at": "2000010us", "between": ["switch0", "switch4"], "state": "down"}]
    assert [link["error_rate"] for link in table["topology"]["links"]] == [0.001] * 4 + [0.5]


def test_conweave_and_ns3_datacenter_write_flows_and_counts_their_own_way(tmp_path: Path) -> None:
    topology = TOPOLOGY.replace("5 1 4\n", "5 1 1 4\n")
    of = imported(tmp_path, topology=topology, flow="1\n1 2 3 1000 2.000000001\n", config=CONFIG + "LB_MODE 6\n")
    assert keys(of)["topology"]["routing"] == "flowlet"
    assert of.save(tmp_path / "out")[1].read_text().splitlines()[1] == "host1,host2,1000,2000000001,3"


def test_the_simulator_of_dcqcn_s_paper_counts_packets_and_has_its_own_keys(tmp_path: Path) -> None:
    flows = "2\n1 2 3 5000 2.0 9.5\n2 1 3 1000000 2 9\n"
    settings = (
        "ENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 1000\nRP_TIMER 60\nCNP_INTERVAL 50\nBYTE_COUNTER 300000000\n"
        "DCTCP_GAIN 0.00390625\nKMAX 1000\nKMIN 40\nPMAX 1.0\nRATE_AI 40Mb/s\n"
    )
    of = imported(tmp_path, topology=TOPOLOGY, flow=flows, config=settings)
    assert of.save(tmp_path / "out")[1].read_text().splitlines()[1:] == [
        "host1,host2,5000000,2000000000,3",
        "host2,host1,1000000000,2000000000,3",
    ]
    assert str(of.left_out[0]) == (
        "flow.txt:2: packets, and ends of flows: of 1,000 B each; a flow goes on until all are there, whatever its end"
    )
    keys = tomllib.loads(of.text)
    red = {"kind": "red", "minimum": "40kB", "maximum": "1000kB", "probability": 1.0, "when": "dequeue"}
    assert keys["switch"][0]["marking"]["queue"] == red
    control = keys["transport"]["rdma"]["congestion_control"]
    assert (control["preset"], control["cnp_interval"], control["byte_counter"]) == ("paper", "50us", "300000000B")
    of.check()


def test_servers_of_simai_become_a_scale_up_network(tmp_path: Path) -> None:
    links = "".join(f"{gpu} {4 + gpu // 2} 2880Gbps 0.000025ms 0\n{gpu} 6 400Gbps 0.0005ms 0\n" for gpu in range(4))
    of = imported(tmp_path, topology=f"7 2 2 1 8 H100\n4 5 6\n{links}")
    table = keys(of)
    assert table["scale_up"] == {"hosts_per_server": 2, "link": {"rate": "2880Gbps", "delay": "25ns"}}
    assert len(table["topology"]["links"]) == 4
    assert [left.content for left in of.left_out] == ['GPU type "H100"']
    of.check()


def test_a_host_with_two_links_is_two_hosts_of_one_number(tmp_path: Path) -> None:
    links = "".join(f"{host} {switch} 25Gbps 1us 0\n" for host in range(3) for switch in (3, 4))
    flows = "".join(f"{at % 3} {(at + 1) % 3} 3 100 9000 2\n" for at in range(64))
    of = imported(
        tmp_path, topology=f"6 3 8\n3 4 5\n{links}3 5 100Gbps 1us 0\n4 5 100Gbps 1us 0\n", flow=f"64\n{flows}"
    )
    assert keys(of)["topology"]["hosts"] == ["host0", "host0_2", "host1", "host1_2", "host2", "host2_2"]
    assert of.left_out[0].content == "a second link of host 0, and of 3 hosts in all"
    ends = [row.split(",")[:2] for row in of.save(tmp_path / "out")[1].read_text().splitlines()[1:]]
    assert [(source[4], destination[4]) for source, destination in ends[:3]] == [("0", "1"), ("1", "2"), ("2", "0")]
    pairs = Counter((source.endswith("_2"), destination.endswith("_2")) for source, destination in ends)
    assert len(pairs) == 4
    assert min(pairs.values()) >= 8
    addresses = {tuple(line.split()[:2]) for line in fct.lines(of.scenario().run())}
    assert addresses == {("0b000001", "0b000101"), ("0b000101", "0b000201"), ("0b000201", "0b000001")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "is of no format that xoff knows by its content"),
        ("3 1 2\n0\n0 1 100Gbps 1us 0\n", "topology.txt: line 3: the file ends after 1 of 2 links"),
        ("3 1 2\n0\n0 1 100Gbps 1us 0\n0 9 100Gbps 1us 0\n", 'topology.txt: line 4: a node is "9"; expected a whole'),
        ("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100 parsecs 0\n", 'topology.txt: line 4: the delay is "parsecs"; expected'),
        ("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 -1Gbps 1us 0\n", 'topology.txt: line 4: the rate is "-1Gbps"; expected'),
        ("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 1Gbps 1us 2\n", 'topology.txt: line 4: the error rate is "2"; expected'),
        ("3 1 2\n0\n0 1 100Gbps 1us 0\n1 2 1Gbps 1us 0\n", "topology.txt: line 4: joins the hosts 1 and 2; expected"),
        ("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 1Gbps 1us\n", "topology.txt: line 4: has 4 fields; expected NODE NODE"),
        ("4 1 2\n0\n0 1 100Gbps 1us 0\n0 2 1Gbps 1us 0\n", "topology.txt: line 1: no link joins host 3 to the fabric"),
        ("3 1 2\n7\n0 1 100Gbps 1us 0\n", 'topology.txt: line 2: a switch is "7"; expected a whole number from 0 to 2'),
        ("3 3 2\n0 1 2\n0 1 100Gbps 1us 0\n", "topology.txt: line 1: all of 3 nodes are switches"),
        ("99999999999 1 2\n0\n0 1 1Gbps 1us 0\n", 'topology.txt: line 1: nodes is "99999999999"; expected'),
    ],
)
def test_a_broken_topology_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in refused(tmp_path, topology=text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("2\n1 2 3 100 5000 2\n", "flow.txt: line 2: the file ends after 1 of 2 flows; expected as many as line 1"),
        ("1\n1 9 3 100 5000 2\n", "flow.txt: line 2: there is no host 9; hosts are 1 to 4 in the topology"),
        ("1\n1 0 3 100 5000 2\n", "flow.txt: line 2: there is no host 0; hosts are 1 to 4 in the topology"),
        ("1\n1 1 3 100 5000 2\n", "flow.txt: line 2: host 1 would send to itself; expected two different hosts"),
        ("1\n1 2 8 100 5000 2\n", 'flow.txt: line 2: the priority is "8"; expected 0 to 7'),
        ("1\n1 2 3 100 0 2\n", 'flow.txt: line 2: the size is "0"; expected a whole number from 1 to'),
        ("1\n1 2 3 100 99999999999999999999 2\n", 'flow.txt: line 2: the size is "99999999999999999999"'),
        ("2\n1 2 3 100 5 2\n1 2 3 100 5 1e9\n", 'flow.txt: line 3: the start is "1e9"; expected a number from 0 to'),
        ("2\n1 2 3 100 5 2\n1 2 3 100 5 -1\n", 'flow.txt: line 3: the start is "-1"; expected a number from 0 to'),
        ("2\n1 2 3 100 5 2\n1 2 3 100 5 1\n", "flow.txt: line 3: starts before the flow above"),
        ("2\n1 2 3 100 5 2\n1 2 3 5 2\n", "flow.txt: line 3: has 5 fields; expected SOURCE DESTINATION"),
    ],
)
def test_broken_flows_are_refused_with_their_line(tmp_path: Path, text: str, problem: str) -> None:
    assert problem in refused(tmp_path, topology=TOPOLOGY, flow=text)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("RP_TIMER 900", "RP_TIMER soon"), 'config.txt: line 7: RP_TIMER is "soon"; expected a number'),
        (("RP_TIMER 900", "RP_TIMER"), "config.txt: line 7: 'RP_TIMER' has no value; expected KEY VALUE"),
        (("RATE_AI 50Mb/s", "RATE_AI fast"), 'config.txt: line 10: RATE_AI is "fast"; expected a rate such as'),
        (("KMAX_MAP 2", "KMAX_MAP 3"), "config.txt: line 13: KMAX_MAP is of 3 rates and has 4 values behind that"),
        (("KMIN_MAP 2 25000000000", "KMIN_MAP 2 1"), "config.txt: line 14: KMIN_MAP is without 25Gbps; expected"),
        (("BUFFER_SIZE 32", "BUFFER_SIZE -1"), 'config.txt: line 16: BUFFER_SIZE is "-1"; expected a whole number'),
    ],
)
def test_broken_settings_are_refused_with_their_line(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    assert problem in refused(tmp_path, topology=TOPOLOGY, config=CONFIG.replace(*change))


def test_flows_and_settings_need_a_topology(tmp_path: Path) -> None:
    assert refused(tmp_path, flow=FLOWS) == (
        "flow.txt: has flows between hosts of no network; expected a topology beside it"
    )
    assert refused(tmp_path, config=CONFIG).endswith("expected a topology beside it")
    assert refused(tmp_path, a=TOPOLOGY, b=TOPOLOGY).startswith("b.txt: is a second topology; expected one; a.txt has")


def test_names_of_files_stay_on_their_line(tmp_path: Path) -> None:
    path = tmp_path / "topo\nlogy = 1.txt"
    path.write_text(TOPOLOGY, encoding="utf-8")
    of = formats.read([path])
    assert tomllib.loads(of.text)["title"] == "topo logy = 1"
    of.check()


def test_sizes_become_a_workload_that_draws_flows(tmp_path: Path) -> None:
    sizes = "0 0\n2000 0\n10000 50\n\n30000 100\n"
    config = (
        CONFIG.replace("SIMULATOR_STOP_TIME 4.00\n", "") + "LOAD 30\nFLOWGEN_START_TIME 2.0\nFLOWGEN_STOP_TIME 2.001\n"
    )
    of = imported(tmp_path, topology=TOPOLOGY, sizes=sizes, config=config)
    assert of.found[2].content == "3 points of a cumulative distribution"
    (workload,) = keys(of)["workload"]
    assert (workload["kind"], workload["sizes"], workload["load"]) == ("poisson", "sizes.csv", 0.3)
    assert keys(of)["stop"] == {"arrivals_end": "1ms"}
    both = imported(tmp_path, topology=TOPOLOGY, sizes=sizes, config=CONFIG)
    assert keys(both)["stop"] == {"at": "4s", "arrivals_end": "10ms"}
    assert of.save(tmp_path / "out")[1].read_text() == "size_bytes,cumulative_probability\n2000,0\n10000,0.5\n30000,1\n"
    of.check()
    shares = keys(imported(tmp_path, topology=TOPOLOGY, sizes="100 0\n1000 0.25\n9000 1\n"))
    assert (shares["workload"][0]["load"], shares["stop"]) == (0.5, {"arrivals_end": "10ms"})


def test_sizes_that_do_not_grow_are_refused(tmp_path: Path) -> None:
    told = refused(tmp_path, topology=TOPOLOGY, sizes="100 0\n1000 50\n900 100\n")
    assert told == "sizes.txt: line 3: is not above the line above; expected sizes and shares that grow"


@pytest.mark.parametrize("mode", [1, 3, 7, 8])
@pytest.mark.parametrize(
    "more", ["LB_MODE 3\n", "ENABLE_PFC 0\nENABLE_IRN 1\n", "ACK_HIGH_PRIO 1\n", "L2_ACK_INTERVAL 4\n", "LB_MODE 2\n"]
)
def test_settings_fit_together(tmp_path: Path, mode: int, more: str) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, flow=FLOWS, config=CONFIG.replace("CC_MODE 1", f"CC_MODE {mode}") + more)
    result = of.scenario().run()
    assert result.summary["flows"]["all"]["count"] == 3
    classes = {each["priority"]: each.get("lossless", False) for each in keys(of)["class"]}
    assert classes == {
        **({0: False} if "ACK" in more and "HIGH" in more else {}),
        1: "ENABLE_PFC" not in more,
        3: "ENABLE_PFC" not in more,
    }


def test_a_file_without_flows_leaves_them_to_the_user(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, flow="0")
    assert [left.content for left in of.left_out] == ["no flow"]
    assert keys(of)["workload"][0]["kind"] == "permutation"
    of.check()


def test_nodes_to_trace_are_told(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, flow=FLOWS, trace="3\n1 2 3\n\nFirst line: tracing node #\n")
    assert [(file.format, file.content) for file in of.found][2] == ("HPCC trace", "3 nodes")
    assert of.left_out[-1].content == "packets of 3 nodes"
