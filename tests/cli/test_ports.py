"""`xoff ports`, and the rows that it tells of."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from matplotlib.colorbar import Colorbar
from matplotlib.figure import Figure

import xoff
from conftest import SCENARIOS, Outcome
from xoff.results import columns

Command = Callable[..., Outcome]

# Ten frames of 1000 bytes from host0 to host1, 800 ns each at 10 Gb/s; the last bit is there after two links of 1 us
# and the time of eleven frames.
LONE = """
[topology]
kind = "star"
hosts = 3
host_link = { rate = "10Gbps", delay = "1us" }

[transport.blocks]
kind = "constant_rate"
payload = "942B"
wire_overhead = "0B"

[[workload]]
kind = "long_lived"
transport = "blocks"
pairs = [["host0", "host1"]]
size = "9420B"
"""


@pytest.fixture(scope="module")
def storm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose ports mark, drop and pause."""
    out = tmp_path_factory.mktemp("ports") / "out"
    scenario = xoff.Scenario.load(SCENARIOS / "pfc_storm.toml")
    scenario.run().save(out)
    return out


def test_counters_are_those_of_the_port() -> None:
    rows = {row["port"]: row for row in xoff.Scenario.from_text(LONE).run().ports.to_pylist()}
    assert list(rows) == [f"host{host}.port0" for host in range(3)] + [f"switch0.port{port}" for port in range(3)]
    sender, towards_receiver = rows["host0.port0"], rows["switch0.port1"]
    for row in (sender, towards_receiver):
        assert (row["packets"], row["wire_bytes"], row["rate_bps"]) == (10, 10_000, 10 * 10**9)
        assert row["utilization"] == pytest.approx(10 * 800 / (2 * 1000 + 11 * 800), rel=1e-3)
    assert (sender["device"], sender["peer"]) == ("host0", "switch0.port0")
    assert [row["packets"] for row in rows.values()] == [10, 0, 0, 0, 10, 0]


def test_rows_add_up_to_the_summary(storm: Path) -> None:
    result = xoff.Result.open(storm)
    assert result.ports.schema == columns.PORTS
    total = {name: sum(result.ports[name].to_pylist()) for name in result.ports.schema.names[5:]}
    summary = result.summary
    packets, pfc = summary["packets"], summary["pfc"]
    assert total["packets"] == summary["engine"]["packet_hops"]
    assert total["marked"] == packets["marked"]
    assert total["dropped"] == packets["dropped"] + packets["acknowledgements_dropped"]
    assert (total["pause_frames"], total["resume_frames"]) == (pfc["pause_frames"], pfc["resume_frames"])
    assert total["paused_ns"] / 1000 == pytest.approx(pfc["paused_us"], rel=1e-6)
    assert max(result.ports["longest_pause_ns"].to_pylist()) / 1000 == pfc["longest_pause_us"]
    assert pfc["paused_us"] > 0


def test_the_greatest_come_first_and_a_pattern_names_ports_or_devices(command: Command, storm: Path) -> None:
    rows = json.loads(command("ports", storm, "leaf*", "--by", "paused_ns", "--json").out)
    assert {row["device"].rstrip("0123456789") for row in rows} == {"leaf"}
    paused = [row["paused_ns"] for row in rows]
    assert paused == sorted(paused, reverse=True)
    [row] = json.loads(command("ports", storm, "leaf0.port1", "--json").out)
    assert row["port"] == "leaf0.port1"


def test_what_no_port_has_is_no_column(command: Command, storm: Path, tmp_path: Path) -> None:
    heading = command("ports", storm).out.splitlines()[2]
    assert "longest pause" in heading
    xoff.Scenario.from_text(LONE).run().save(tmp_path / "lone")
    outcome = command("ports", tmp_path / "lone")
    assert (outcome.status, outcome.err) == (0, "")
    assert not {"marked", "dropped", "pause"} & set(outcome.out.split())
    assert "host0.port0" in outcome.out.splitlines()[4]


def test_a_pattern_of_nothing_is_refused_in_a_line(command: Command, storm: Path) -> None:
    outcome = command("ports", storm, "leaf99")
    assert outcome.status == 2
    assert outcome.err.count("\n") == 1
    assert 'PORTS: nothing matches "leaf99"; expected a port such as ' in outcome.err


def test_links_are_drawn_by_utilization(storm: Path) -> None:
    result = xoff.Result.open(storm)
    figure = result.plot.links().get_figure(root=True)
    assert isinstance(figure, Figure)
    drawn, bar = figure.axes
    [links] = [each for each in drawn.collections if len(each.get_edgecolor()) == len(result.topology.ports) // 2]
    assert len({str(colour) for colour in links.get_edgecolor()}) > 1
    assert isinstance(getattr(bar, "_colorbar", None), Colorbar)
    assert "utilization" in bar.get_xlabel()


# Flows without acknowledgements over two spines, some of which end after the run.
SHARED = """
seed = 4
[topology]
kind = "leaf_spine"
leaves = 3
spines = 2
hosts_per_leaf = 4
host_link = { rate = "10Gbps", delay = "1us" }
fabric_link = { rate = "40Gbps", delay = "1us" }

[transport.blocks]
kind = "constant_rate"
payload = "1000B"

[[workload]]
kind = "permutation"
transport = "blocks"
size = "50kB"

[[workload]]
kind = "incast"
transport = "blocks"
fan_in = 3
size = "20kB"
groups = 4
every = "10us"
"""


def test_the_flows_over_a_port_are_those_whose_packets_it_sent() -> None:
    result = xoff.Scenario.from_text(SHARED).run()
    packets = {row["port"]: row["packets"] for row in result.ports.to_pylist()}
    for port, sent in packets.items():
        assert sum(result.flows_over(port)["size_bytes"].to_pylist()) == 1000 * sent, port
    assert any(packets.values())
    with pytest.raises(xoff.ScenarioError, match="there is no leaf9"):
        result.flows_over("leaf9.port0")


def test_flows_that_had_not_finished_are_among_them() -> None:
    result = xoff.Scenario.from_text(SHARED + '[stop]\nat = "30us"\n').run()
    rows = result.flows_over("host0.port0").to_pylist()
    assert {row["flow"].partition(".")[0] for row in rows} == {"host0"}
    assert [row["fct_ns"] for row in rows if row["size_bytes"] == 50_000] == [None]
    assert rows == sorted(rows, key=lambda row: row["start_ns"])


def test_the_flows_of_a_port_are_printed(command: Command, storm: Path) -> None:
    outcome = command("ports", storm, "leaf0.port0", "--flows")
    rows = xoff.Result.open(storm).flows_over("leaf0.port0").to_pylist()
    pairs = {(row["source"], row["destination"]) for row in rows}
    assert outcome.out.startswith(f"{len(rows)} flow")
    assert sum(line.startswith("│") for line in outcome.out.splitlines()) == len(pairs)
    assert all(re.search(rf"│ {source} +│ {destination} +│", outcome.out) for source, destination in pairs)
    assert json.loads(command("ports", storm, "leaf0.port0", "--flows", "--json").out) == rows
    refused = command("ports", storm, "leaf0", "--flows")
    assert refused.status == 2
    assert "ports are named with --flows; expected one, such as leaf0.port" in refused.err


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            'at = "20us"\nstate = "down"\n[[link_event]]\nat = "10us"\nbetween = ["leaf1", "spine0"]\nstate = "down"',
            True,
        ),
        ('at = "10us"\nrate = "10Gbps"', False),
        ('at = "1s"\nstate = "down"', False),
    ],
)
def test_that_routes_change_after_the_begin_is_told(
    command: Command, tmp_path: Path, event: str, *, told: bool
) -> None:
    link = f'[[link_event]]\nbetween = ["leaf0", "spine0"]\n{event}\n'
    xoff.Scenario.from_text(SHARED + link).run().save(tmp_path / "out")
    note = "note: by the routes of the begin; a link fails or comes back at 10.0 us, and routes may be others then\n"
    outcome = command("ports", tmp_path / "out", "leaf0.port0", "--flows")
    assert (outcome.status, outcome.err, note in outcome.out) == (0, "", told)
    as_data = command("ports", tmp_path / "out", "leaf0.port0", "--flows", "--json")
    assert (as_data.status, as_data.err) == (0, note if told else "")
