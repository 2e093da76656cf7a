"""The network of a scenario, seen from Python."""

from itertools import pairwise

import pytest
from matplotlib.text import Annotation

import xoff
from conftest import ANY_TRAFFIC, SCENARIOS
from xoff import _xoff

FAULTS = """
[topology]
kind = "leaf_spine"
leaves = 2
spines = 2
hosts_per_leaf = 1
host_link = { rate = "10Gbps", delay = "1500ps" }
fabric_link = { rate = "40Gbps", delay = "1us" }
links = [{ between = ["leaf0", "spine0"], rate = "25Gbps", delay = "2us", error_rate = 0.001 }]
failed_links = [["leaf1", "spine1"]]
"""


def topology(name: str) -> xoff.Topology:
    return xoff.Scenario.load(SCENARIOS / f"{name}.toml").topology


@pytest.mark.parametrize(
    ("scenario", "tiers"),
    [
        ("dcqcn", ["host0 ... host8", "switch0"]),
        ("dumbbell", ["host0 ... host3", "left ... right"]),
        ("web_search", ["host0 ... host31", "leaf0 ... leaf3", "spine0 ... spine3"]),
        ("fabric", ["host0 ... host3", "card0 ... card3", "element0 ... element1"]),
        ("bench/reno_8192", ["host0 ... host8191", "leaf0 ... leaf511", "spine0 ... spine511", "core0 ... core255"]),
    ],
)
def test_tiers_begin_with_the_hosts(scenario: str, tiers: list[str]) -> None:
    network = topology(scenario)
    assert [" ... ".join(dict.fromkeys((tier[0], tier[-1]))) for tier in network.tiers] == tiers
    assert network.tiers[0] == network.hosts
    assert sorted(node for tier in network.tiers[1:] for node in tier) == sorted(network.switches)


def test_servers_are_below_their_hosts() -> None:
    network = topology("servers")
    assert network.tiers == (network.hosts, *network.tiers[1:])
    assert network.servers == tuple(f"server{number}" for number in range(16))
    assert {node for tier in network.tiers[1:] for node in tier} == set(network.switches) - set(network.servers)
    assert network.inside == {f"{host}/scale_up": host for host in network.hosts}
    assert repr(network) == "<xoff.Topology 128 hosts, 32 switches, 320 links>"
    ax = network.plot()
    places = {text.get_text(): text.xy for text in ax.texts if isinstance(text, Annotation)}
    assert places["server0"][1] < places["host0"][1] < places["leaf0"][1] < places["spine0"][1]
    lowest, highest = ax.get_ylim()
    assert lowest < places["server15"][1]
    assert highest > places["spine7"][1]


@pytest.mark.parametrize("scenario", ["dumbbell", "fabric", "web_search", "servers"])
def test_both_ends_of_a_link_lead_to_each_other(scenario: str) -> None:
    network = topology(scenario)
    by_name = {port.name: port for port in network.ports}
    assert len(by_name) == len(network.ports)
    for port in network.ports:
        assert by_name[port.peer] == port._replace(name=port.peer, peer=port.name)


def test_a_flow_goes_where_ports_lead() -> None:
    scenario = SCENARIOS / "web_search.toml"
    path = _xoff.Scenario(scenario.read_text(encoding="utf-8")).path({}, "host0", 0)
    assert path is not None
    destination, _, _, names, is_one = path
    leads_to = {port.name: port.peer_node for port in topology("web_search").ports}
    assert [name.rpartition(".")[0] for name in names[1:]] == [leads_to[name] for name in names[:-1]]
    assert leads_to[names[-1]] == destination
    assert is_one


def test_a_flow_of_a_host_with_a_rank_is_known_from_a_run_only() -> None:
    text = (SCENARIOS / "servers.toml").read_text(encoding="utf-8")
    more = 'kind = "long_lived"\ntransport = "dcqcn"\npairs = [["host1", "host17"]]\nsize = "1MB"\npriority = 3\n'
    both = f"{text}[[workload]]\n{more}"
    for scenario, flow in ((both, "host1/scale_up"), (both, "host1"), (text, "host17/scale_up")):
        assert _xoff.Scenario(scenario).path({}, flow, 0) is None
    alone = "[[workload]]".join((both.split("[[workload]]")[0], both.split("[[workload]]")[2]))
    path = _xoff.Scenario(alone).path({}, "host1/scale_up", 0)
    assert path is not None
    assert (path[0], path[3]) == ("host17/scale_up", ["host1/scale_up.port0", "server1.port1"])


def test_links_that_have_failed_or_corrupt_packets_are_told() -> None:
    network = xoff.Scenario.from_text(ANY_TRAFFIC + FAULTS).topology
    faulty = {(port.node, port.peer_node): port.faults for port in network.ports if port.faults}
    assert faulty == {
        ("leaf0", "spine0"): "corrupts 0.1 % of packets",
        ("leaf1", "spine1"): "failed",
        ("spine0", "leaf0"): "corrupts 0.1 % of packets",
        ("spine1", "leaf1"): "failed",
    }
    links = {frozenset((port.node, port.peer_node)): (port.rate_bps, port.delay_ns) for port in network.ports}
    assert links[frozenset(("host0", "leaf0"))] == (10e9, 1.5)
    assert links[frozenset(("leaf0", "spine0"))] == (25e9, 2000)
    assert links[frozenset(("leaf0", "spine1"))] == (40e9, 1000)


def test_the_table_has_a_row_for_each_port() -> None:
    network = topology("dumbbell")
    rows = network.table.to_pylist()
    assert [row["name"] for row in rows] == [port.name for port in network.ports]
    assert rows[0] == {
        "name": "host0.port0",
        "peer": "left.port0",
        "rate_bps": 10_000_000_000,
        "delay_ns": 1000,
        "error_rate": 0,
        "failed": False,
    }


def test_a_topology_says_what_it_is_in_a_line() -> None:
    assert repr(topology("dcqcn")) == "<xoff.Topology 9 hosts, 1 switch, 9 links>"


def test_there_is_none_of_nodes_that_are_not_joined() -> None:
    apart = '{ kind = "custom", hosts = ["a", "b"], switches = ["s"], links = [] }'
    scenario = xoff.Scenario.from_text(f"{ANY_TRAFFIC}topology = {apart}\n")
    with pytest.raises(xoff.ScenarioError, match=r'^topology\.links: host "a" has no link; expected exactly one'):
        _ = scenario.topology


def test_pairs_of_tiers_hold_all_links() -> None:
    network = topology("bench/reno_8192")
    tier_of = {node: tier for tier, nodes in enumerate(network.tiers) for node in nodes}
    joined = {frozenset((tier_of[port.node], tier_of[port.peer_node])) for port in network.ports}
    assert joined == {frozenset(pair) for pair in pairwise(range(4))}
