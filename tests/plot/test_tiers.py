"""Large networks are drawn by tier: every link is in a bundle, and the busiest is named."""

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

import xoff
from conftest import ANY_TRAFFIC, SCENARIOS
from xoff.plot import style, tiers, topology
from xoff.scenario.topology import Port

LINKS = 'host_link = { rate = "10Gbps", delay = "1us" }, fabric_link = { rate = "10Gbps", delay = "1us" }'
FAT_TREE = f'topology = {{ kind = "fat_tree", k = 8, {LINKS} }}'
LEAF_SPINE = f'topology = {{ kind = "leaf_spine", leaves = 16, spines = 8, hosts_per_leaf = 16, {LINKS} }}'
BROKEN = LEAF_SPINE.replace("{ kind", '{ failed_links = [["leaf3", "spine2"]], kind')


@pytest.mark.parametrize(("text", "rows", "bundles"), [(FAT_TREE, 4, 32 + 32 + 32), (LEAF_SPINE, 3, 16 + 16)])
def test_every_link_is_in_one_bundle(text: str, rows: int, bundles: int) -> None:
    network = xoff.Scenario.from_text(ANY_TRAFFIC + text).topology
    found, of_port = tiers._tiers(network)
    distinct = set(of_port.values())
    assert (len(found), len(distinct)) == (rows, bundles)
    assert sum(len(lower) * len(upper) for lower, upper in distinct) == len(network.ports) // 2
    assert of_port.keys() == {port.name for port in network.ports}


def test_nodes_of_a_bundle_stand_side_by_side() -> None:
    found, of_port = tiers._tiers(xoff.Scenario.from_text(ANY_TRAFFIC + FAT_TREE).topology)
    rows = [" ".join(tier) + " " for tier in found]
    for _, upper in set(of_port.values()):
        assert any(" ".join(upper) + " " in row for row in rows)


def test_a_failed_link_is_drawn_over_the_bundles() -> None:
    with style.context():
        ax = topology.draw(xoff.Scenario.from_text(ANY_TRAFFIC + BROKEN).topology, Figure().subplots())
    assert ax.get_legend_handles_labels()[1] == ["10 Gbps, 1 us: 383 links", "failed"]


def test_the_busiest_links_are_named_and_the_thickest() -> None:
    network = xoff.Scenario.from_text(ANY_TRAFFIC + LEAF_SPINE).topology
    busy = {"host77.port0": 0.98, "leaf3.port18": 0.5}

    def ranked(port: Port) -> tuple[float, str]:
        return max(busy.get(port.name, 0.01), busy.get(port.peer, 0.01)), "C0"

    with style.context():
        ax = topology.draw(network, Figure().subplots(), ranked)
    labels = ax.get_legend_handles_labels()[1]
    assert labels[:2] == ["1: host77 - leaf4, 98 %", "2: leaf3 - spine2, 50 %"]
    [lines] = [lines for lines in ax.collections if isinstance(lines, LineCollection) and lines.get_zorder() == 2]
    *_, second, widest = sorted(map(float, np.atleast_1d(lines.get_linewidth())))
    assert (widest, second < 1) == (3, True)


def test_networks_of_thousands_of_hosts_name_the_ends_of_their_tiers() -> None:
    ax = xoff.Scenario.load(SCENARIOS / "bench" / "reno_8192.toml").topology.plot(Figure().subplots())
    names = [text.get_text() for text in ax.texts]
    assert names[:2] == ["8,192 hosts", "host0 to host8191"]
    assert names[-2:] == ["256 switches", "core0 to core255"]
