"""`xoff topology`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ANY_TRAFFIC, SCENARIOS, Outcome
from xoff import Scenario

Command = Callable[..., Outcome]

WEB_SEARCH = SCENARIOS / "web_search.toml"
RACKS = """
[topology]
kind = "custom"
hosts = ["rack[0]", "rack0"]
switches = ["switch"]
links = [
    { between = ["rack[0]", "switch"], rate = "1Gbps", delay = "1us" },
    { between = ["rack0", "switch"], rate = "1Gbps", delay = "1us" },
]
"""


def rows(out: str) -> list[list[str]]:
    """The cells of a table."""
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]


def test_ports_are_printed_with_where_they_lead(command: Command) -> None:
    outcome = command("topology", SCENARIOS / "fabric.toml")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.splitlines()[0].rstrip() == "4 hosts, 6 switches, 9 links"
    ports = rows(outcome.out)
    assert ports[0] == ["card0.port0", "host0.port0", "10 Gbps", "50 ns"]
    assert ["element0.port2", "element1.port2", "2.5 Gbps", "10 ns"] in ports
    assert len(ports) == 18
    assert list(Path().iterdir()) == []


TWO_RATES = """
[topology]
kind = "dumbbell"
left = 1
right = 1
host_link = { rate = "10Gbps", rate_back = "40Gbps", delay = "1us" }
middle_link = { rate = "50Mbps", rate_back = "10Gbps", delay = "5ms" }
"""


def test_of_links_with_two_rates_both_are_printed_and_drawn(command: Command) -> None:
    Path("two.toml").write_text(ANY_TRAFFIC + TWO_RATES)
    outcome = command("topology", "two.toml")
    assert ["left.port1", "right.port1", "50 Mbps", "10 Gbps", "5 ms"] in rows(outcome.out)
    assert ["right.port1", "left.port1", "10 Gbps", "50 Mbps", "5 ms"] in rows(outcome.out)
    assert ["host0.port0", "left.port0", "10 Gbps", "40 Gbps", "1 us"] in rows(outcome.out)
    labels = [line.get_label() for line in Scenario.load("two.toml").topology.plot().get_lines()]
    assert labels == ["10 Gbps up, 40 Gbps down, 1 us", "50 Mbps to the right, 10 Gbps to the left, 5 ms"]


@pytest.mark.parametrize(
    ("pattern", "ports"),
    [
        ("leaf0", [f"leaf0.port{number}" for number in range(12)]),
        ("leaf?.port8", [f"leaf{leaf}.port8" for leaf in range(4)]),
        ("*.port11", [f"leaf{leaf}.port11" for leaf in range(4)]),
        ("host1", ["host1.port0"]),
    ],
)
def test_a_pattern_names_ports_or_nodes(command: Command, pattern: str, ports: list[str]) -> None:
    assert [row[0] for row in rows(command("topology", WEB_SEARCH, pattern).out)] == ports
    found = json.loads(command("topology", WEB_SEARCH, pattern, "--json").out)
    assert [port["name"] for port in found] == ports


def test_the_same_as_data(command: Command) -> None:
    [port] = json.loads(command("topology", WEB_SEARCH, "leaf3.port9", "--json").out)
    assert port == {
        "name": "leaf3.port9",
        "peer": "spine1.port3",
        "rate_bps": 100_000_000_000,
        "delay_ns": 1000,
        "error_rate": 0,
        "failed": False,
    }
    assert len(json.loads(command("topology", WEB_SEARCH, "--json").out)) == 96


def test_of_many_ports_the_rest_is_counted(command: Command) -> None:
    out = command("topology", WEB_SEARCH).out
    assert len(rows(out)) == 40
    assert out.splitlines()[-1] == "and 56 more; name some, such as spine3, or ask for all with --json"


def test_what_is_set_is_seen_and_so_is_a_failed_link(command: Command) -> None:
    changes = ("--set", 'topology.host_link.rate="25Gbps"', "--set", 'topology.failed_links=[["leaf0", "spine1"]]')
    ports = {row[0]: row[1:] for row in rows(command("topology", WEB_SEARCH, "leaf0", *changes).out)}
    assert ports["leaf0.port0"] == ["host0.port0", "25 Gbps", "1 us", ""]
    assert ports["leaf0.port8"] == ["spine0.port0", "100 Gbps", "1 us", ""]
    assert ports["leaf0.port9"] == ["spine1.port0", "100 Gbps", "1 us", "failed"]


@pytest.mark.parametrize(
    ("pattern", "likely"),
    [
        ("laef3", "leaf3.port11, which leads to spine3, or all of a node: leaf3"),
        ("host2.port1", "host2.port0, which leads to leaf0, or all of a node: host2"),
        ("", "leaf0.port11, which leads to spine3, or all of a node: leaf0"),
    ],
)
def test_a_port_that_is_not_there_is_answered_with_one_that_is(command: Command, pattern: str, likely: str) -> None:
    refusal = f'{WEB_SEARCH}: PORTS: nothing matches "{pattern}"; expected a port such as {likely}\n'
    assert command("topology", WEB_SEARCH, pattern, "--plot", "network.svg") == Outcome(2, "", refusal)
    assert list(Path().iterdir()) == []


def test_brackets_in_names_are_no_ranges(command: Command) -> None:
    Path("racks.toml").write_text(ANY_TRAFFIC + RACKS, encoding="utf-8")
    assert [row[0] for row in rows(command("topology", "racks.toml", "rack[0]").out)] == ["rack[0].port0"]


@pytest.mark.parametrize(("ending", "begins"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_a_network_is_drawn(command: Command, ending: str, begins: bytes) -> None:
    path = Path(f"network.{ending}")
    outcome = command("topology", WEB_SEARCH, "spine0", "--plot", path)
    assert (outcome.status, outcome.err) == (0, "")
    assert path.read_bytes().startswith(begins)


def test_a_picture_is_replaced_only_with_force(command: Command) -> None:
    Path("network.svg").write_text("precious", encoding="utf-8")
    refusal = "network.svg: --plot: exists already; choose another file with --plot, or replace it with --force\n"
    assert command("topology", WEB_SEARCH, "--plot", "network.svg") == Outcome(2, "", refusal)
    assert command("topology", WEB_SEARCH, "--plot", "network.svg", "--force").status == 0
    assert "spine3" in Path("network.svg").read_text(encoding="utf-8")


def test_a_picture_that_cannot_be_written_is_refused_in_a_line(command: Command) -> None:
    refusal = "network.gif: --plot: no format of figures; expected a file that ends with .svg, .pdf or .png\n"
    assert command("topology", WEB_SEARCH, "--plot", "network.gif") == Outcome(2, "", refusal)
    refusal = (
        "none/network.svg: --plot: No such file or directory; "
        "expected a file in a folder that is there and can be written\n"
    )
    assert command("topology", WEB_SEARCH, "--plot", "none/network.svg") == Outcome(2, "", refusal)
