"""Networks as graphs of NetworkX, and GraphML as scenarios."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import networkx as nx
import pytest

from conftest import SCENARIOS
from foreign_files import STAR, ZOO
from xoff import InputError, Scenario, Topology, formats

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "name", ["web_search", "shaper", "rails", "pauses", "fabric", "dumbbell", "partition_aggregate"]
)
def test_a_network_comes_back_from_its_graph_port_by_port(name: str) -> None:
    topology = Scenario.load(SCENARIOS / f"{name}.toml").topology
    again = Topology.from_graph(topology.graph())
    assert again.hosts == topology.hosts
    assert sorted(again.ports) == sorted(topology.ports)


@pytest.mark.parametrize("name", ["spraying", "rails", "permutation"])
def test_a_custom_network_runs_like_the_one_that_it_was(name: str) -> None:
    scenario = Scenario.load(SCENARIOS / f"{name}.toml").with_value("stop.at", "50us")
    table = scenario.topology.as_custom()
    custom = scenario.with_value("topology", table)
    assert sorted(custom.topology.ports) == sorted(scenario.topology.ports)
    assert custom.run().digest == scenario.run().digest


def test_a_graph_has_what_links_have() -> None:
    scenario = Scenario.load(SCENARIOS / "dumbbell.toml")
    graph = scenario.topology.graph()
    assert graph.nodes["host0"] == {"kind": "host"}
    assert nx.shortest_path_length(graph, "host0", scenario.topology.hosts[-1]) == 3
    assert (
        sum(of_edge["rate_bps"] for *_, of_edge in graph.edges(data=True))
        == sum(port.rate_bps for port in scenario.topology.ports) / 2
    )
    assert {"adapter"} < set(
        nx.get_node_attributes(Scenario.load(SCENARIOS / "servers.toml").topology.graph(), "kind").values()
    )


def test_any_graph_of_networkx_becomes_a_network() -> None:
    graph = nx.random_regular_graph(3, 8, seed=1)
    graph.add_edges_from((f"host{switch}", switch) for switch in range(8))
    nx.set_edge_attributes(graph, "40Gbps", "rate")
    nx.set_edge_attributes(graph, "500ns", "delay")
    topology = Topology.from_graph(graph)
    assert str(topology) == "8 hosts, 8 switches, 20 links"
    assert {port.rate_bps for port in topology.ports} == {40 * 10**9}


def test_two_directed_edges_are_one_link_with_two_rates() -> None:
    graph = nx.DiGraph()
    for one, other, rate in (("a", "s", 10), ("s", "a", 40), ("b", "s", 100), ("s", "b", 100)):
        graph.add_edge(one, other, rate_bps=rate * 10**9, delay_ns=250)
    rates = {port.name: (port.rate_bps, port.delay_ns) for port in Topology.from_graph(graph).ports}
    assert rates == {
        "a.port0": (10**10, 250),
        "b.port0": (10**11, 250),
        "s.port0": (4 * 10**10, 250),
        "s.port1": (10**11, 250),
    }


@pytest.mark.parametrize(
    ("attributes", "problem"),
    [
        ({"delay": "1us"}, "edge a - s: rate is missing; expected one such as 100Gbps"),
        ({"rate": "fast", "delay": "1us"}, 'edge a - s: rate is "fast"; expected one such as 100Gbps'),
        ({"rate": "1Gbps"}, "edge a - s: delay is missing; expected one such as 1us"),
        ({"rate": "1Gbps", "delay": "-1us"}, 'edge a - s: delay is "-1us"; expected one such as 1us'),
        ({"rate_bps": -1, "delay": "1us"}, 'edge a - s: rate is "-1"; expected one such as 100Gbps'),
    ],
)
def test_a_graph_without_rates_or_delays_is_refused(attributes: dict[str, object], problem: str) -> None:
    graph = nx.Graph()
    graph.add_edge("a", "s", **attributes)
    graph.add_edge("s", "b", rate="1Gbps", delay="1us")
    with pytest.raises(InputError) as caught:
        Topology.from_graph(graph)
    assert problem in str(caught.value)


def test_graphml_is_a_network_with_lines(tmp_path: Path) -> None:
    path = tmp_path / "star.graphml"
    path.write_text(STAR, encoding="utf-8")
    of = formats.read([path])
    assert [file.content for file in of.found] == ["2 hosts, 1 switch, 2 links"]
    assert tomllib.loads(of.text)["topology"]["links"] == [
        {"between": ["s", "web"], "rate": "100Gbps", "delay": "500ns"},
        {"between": ["s", "store"], "rate": "25Gbps", "delay": "1000500ps"},
    ]
    assert 'delay = "1000500ps" },  # star.graphml:7\n' in of.text
    of.check()


def test_graphs_of_the_topology_zoo_get_hosts_and_delays(tmp_path: Path) -> None:
    path = tmp_path / "zoo.graphml"
    path.write_text(ZOO, encoding="utf-8")
    of = formats.read([path])
    topology = tomllib.loads(of.text)["topology"]
    # A quarter of a circle of 6371 km: 10007.543 km, 5 us each.
    assert [(*link["between"], link["rate"], link["delay"]) for link in topology["links"]] == [
        ("Sankt_Ort", "Sankt_Ort_2", "100Gbps", "50037717ns"),
        ("Sankt_Ort", "host_Sankt_Ort", "100Gbps", "1us"),
        ("Sankt_Ort_2", "Far_away", "10Gbps", "1ms"),
        ("Sankt_Ort_2", "host_Sankt_Ort_2", "100Gbps", "1us"),
        ("Far_away", "host_Far_away", "10Gbps", "1us"),
    ]
    assert 'delay = "1ms" },  # zoo.graphml:14\n' in of.text
    assert [left.content for left in of.left_out] == [
        "1 point that no link joins to the others",
        "1 link from a point to itself",
        "hosts",
        "delays of links",
        "LinkSpeedRaw of 1 link",
        "coordinates of ends of 1 link",
    ]
    of.check()


def test_what_networkx_writes_comes_back(tmp_path: Path) -> None:
    topology = Scenario.load(SCENARIOS / "web_search.toml").topology
    nx.write_graphml(topology.graph(), tmp_path / "fabric.graphml")
    assert sorted(formats.read([tmp_path / "fabric.graphml"]).scenario().topology.ports) == sorted(topology.ports)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("<graphml", '<!DOCTYPE x [<!ENTITY a "b">]><graphml'), "x.graphml: line 1: has a document type; expected"),
        (("</graph>", ""), "x.graphml: line 8: is no XML: mismatched tag; expected a whole file"),
        (("100Gbps", "fast"), 'x.graphml: edge s - web: rate is "fast"; expected one such as 100Gbps'),
        (("1000.5", "soon"), "x.graphml: is no graph that NetworkX can read: "),
        (('id="web"', 'id="web\n1"'), ""),
    ],
)
def test_broken_graphml_is_refused_in_a_line(tmp_path: Path, change: tuple[str, str], problem: str) -> None:
    path = tmp_path / "x.graphml"
    path.write_text(STAR.replace(*change), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        formats.read([path]).check()
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)
