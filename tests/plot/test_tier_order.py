"""Nodes of a network in their tiers: by number, hosts below their switch, links beside one another."""

from __future__ import annotations

import pytest

import xoff
from conftest import ANY_TRAFFIC
from xoff.plot.tier_order import ordered

HOST_LINK = 'host_link = { rate = "10Gbps", delay = "1us" }'
FABRIC_LINK = 'fabric_link = { rate = "40Gbps", delay = "1us" }'
BUILT_IN = (
    f'kind = "star", hosts = 12, {HOST_LINK}',
    f'kind = "dumbbell", left = 11, right = 2, {HOST_LINK}, middle_link = {{ rate = "40Gbps", delay = "1us" }}',
    f'kind = "leaf_spine", leaves = 11, spines = 3, hosts_per_leaf = 11, {HOST_LINK}, {FABRIC_LINK}',
    f'kind = "fat_tree", k = 6, {HOST_LINK}, {FABRIC_LINK}',
    f'kind = "clos3", pods = 3, tors_per_pod = 4, leaves_per_pod = 2, spines = 2, hosts_per_tor = 3, '
    f"{HOST_LINK}, {FABRIC_LINK}",
)


def custom(hosts: str, switches: str, links: str) -> list[list[str]]:
    """The order of a network whose nodes and links (`a-b`) are listed."""
    listed = [", ".join(f'"{name}"' for name in names.split()) for names in (hosts, switches)]
    ends = [link.split("-") for link in links.split()]
    joined = [f'{{ between = ["{one}", "{other}"], rate = "10Gbps", delay = "1us" }}' for one, other in ends]
    topology = f'kind = "custom", hosts = [{listed[0]}], switches = [{listed[1]}], links = [{", ".join(joined)}]'
    return ordered(xoff.Scenario.from_text(f"{ANY_TRAFFIC}topology = {{ {topology} }}").topology)


@pytest.mark.parametrize("topology", BUILT_IN, ids=lambda topology: topology.split('"')[1])
def test_networks_that_are_built_in_order_stay_so(topology: str) -> None:
    network = xoff.Scenario.from_text(f"{ANY_TRAFFIC}topology = {{ {topology} }}").topology
    assert ordered(network) == [list(tier) for tier in network.tiers]


def test_hosts_stand_below_their_switch_by_number() -> None:
    hosts, leaves, _ = custom(
        "h1 h10 h11 h2 h3", "leaf1 leaf10 leaf2 spine",
        "h1-leaf1 h10-leaf1 h2-leaf1 h11-leaf2 h3-leaf10 leaf1-spine leaf2-spine leaf10-spine",
    )  # fmt: skip
    assert leaves == ["leaf1", "leaf2", "leaf10"]
    assert hosts == ["h1", "h2", "h10", "h11", "h3"]


def test_names_without_numbers_stand_as_they_are_listed() -> None:
    hosts, switches = custom("web store", "west east", "web-west store-east west-east")
    assert (hosts, switches) == (["web", "store"], ["west", "east"])


def test_links_cross_only_where_they_must() -> None:
    _, leaves, spines = custom("h0 h1 h2 h3", "a b c d x y", "h0-a h1-b h2-c h3-d a-x c-x b-y d-y x-y")
    assert (leaves, spines) == (["a", "c", "b", "d"], ["x", "y"])


def test_a_switch_that_leads_nowhere_else_keeps_its_place() -> None:
    _, leaves, spines = custom("h0 h1 h2", "a b c x", "h0-a h1-b h2-c a-x c-x b-c")
    assert (leaves, spines) == (["a", "b", "c"], ["x"])
