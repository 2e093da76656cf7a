"""Networks, logical topologies and systems of ASTRA-sim."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from foreign_files import ASTRA_NETWORK, ASTRA_SYSTEM, ASTRA_TRACES, WORKLOAD
from xoff import InputError, formats

if TYPE_CHECKING:
    from pathlib import Path


def imported(folder: Path, **texts: str) -> formats.Imported:
    """Reads files of these texts, whose names have an underscore for the dot."""
    paths = []
    for name, text in texts.items():
        paths.append(folder / name.replace("_", "."))
        paths[-1].write_text(text, encoding="utf-8")
    return formats.read(paths)


def network(shape: str, npus: str, bandwidth: str = "50", latency: str = "500") -> str:
    """A network of these lists."""
    return f"topology: [{shape}]\nnpus_count: [{npus}]\nbandwidth: [{bandwidth}]\nlatency: [{latency}]\n"


def links(of: formats.Imported) -> set[tuple[str, str, str, str]]:
    """Both ends, rate and delay of all links."""
    told: dict[str, Any] = tomllib.loads(of.text)["topology"]
    return {(*sorted(link["between"]), link["rate"], link["delay"]) for link in told["links"]}


def test_a_switch_is_a_star(tmp_path: Path) -> None:
    of = imported(tmp_path, network_yml=network("Switch", "3"))
    assert of.found[0].content == "Switch 3: 3 hosts, 1 switch, 3 links"
    # 50 * 2^30 * 8 = 429,496,729,600
    assert links(of) == {(f"host{npu}", "switch0", "429496729600bps", "500ns") for npu in range(3)}
    assert not of.left_out
    of.check()


def test_npus_of_rings_and_of_full_connection_forward(tmp_path: Path) -> None:
    ring = imported(tmp_path, network_yml=network("Ring", "4"))
    inside = {("host0", "npu0"), ("host1", "npu1"), ("host2", "npu2"), ("host3", "npu3")}
    around = {("npu0", "npu1"), ("npu1", "npu2"), ("npu2", "npu3"), ("npu0", "npu3")}
    assert links(ring) == {(*ends, "858993459200bps", "0s") for ends in inside} | {
        (*ends, "429496729600bps", "500ns") for ends in around
    }
    assert ring.left_out[0].content == "NPUs that forward"
    full = imported(tmp_path, network_yml=network("FullyConnected", "4"))
    across = around | {("npu0", "npu2"), ("npu1", "npu3")}
    assert links(full) == {(*ends, "1288490188800bps", "0s") for ends in inside} | {
        (*ends, "429496729600bps", "500ns") for ends in across
    }
    assert imported(tmp_path, network_yml=network("Ring", "2")).found[0].content.endswith("2 switches, 3 links")


def test_npus_are_numbered_along_the_first_dimension_first(tmp_path: Path) -> None:
    of = imported(tmp_path, network_yml=ASTRA_NETWORK)
    assert of.found[0].content == "Ring 2 x Switch 2: 4 hosts, 6 switches, 10 links"
    assert {link for link in links(of) if not link[0].startswith("host")} == {
        ("npu0", "npu1", "429496729600bps", "500ns"),
        ("npu2", "npu3", "429496729600bps", "500ns"),
        ("npu0", "switch0", "107374182400bps", "2us"),
        ("npu2", "switch0", "107374182400bps", "2us"),
        ("npu1", "switch1", "107374182400bps", "2us"),
        ("npu3", "switch1", "107374182400bps", "2us"),
    }
    assert "order of dimensions on a route" in [left.content for left in of.left_out]
    of.check()


def test_json_and_lists_below_a_key_are_the_network_of_brackets(tmp_path: Path) -> None:
    told = links(imported(tmp_path, a_yml=ASTRA_NETWORK))
    values: dict[str, list[Any]] = {
        "topology": ["Ring", "Switch"],
        "npus_count": [2, 2],
        "bandwidth": [50.0, 12.5],
        "latency": [500, 2e3],
    }
    assert links(imported(tmp_path, b_json=json.dumps(values))) == told
    below = "".join(f"{key}:\n" + "".join(f"  - {each}\n" for each in lists) for key, lists in values.items())
    assert links(imported(tmp_path, c_yml=below)) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (network("Custom", "8"), 'line 1: topology is "Custom"; expected one of Ring, FullyConnected, Switch'),
        (network("Ring", "8, 2"), "line 2: npus_count has 2 values, and topology 1; expected one for each dimension"),
        (network("Ring", "0"), 'line 2: npus_count is "0"; expected a whole number from 1 to 65,536'),
        (network("Ring", "1"), "line 2: npus_count makes 1 NPUs and 0 links; expected 2 to 65,536 NPUs"),
        (network("FullyConnected", "9999"), "line 2: npus_count makes 9,999 NPUs and 49,985,001 links"),
        (network("FullyConnected", "99", "9999"), "line 3: the links of an NPU come to"),
        (network("Ring", "8", "0"), 'line 3: bandwidth is "0"'),
        (network("Ring", "8", "50", "-1"), 'line 4: latency is "-1"'),
        (network("Ring", "8").replace("latency", "delay"), "latency: is missing"),
        (network("Ring", "8") + "latency: 5\n", 'line 5: "latency: 5" is no key with values, or there already'),
        (network("Ring", "8") + "more: [1\n", 'line 5: "more: [1" is no key with values'),
        ('{"npus_count": [8], }', "line 1: is no JSON"),
        ('{"npus_count": ' + "[" * 100_000, "is nested too deeply"),
        ('{"logical-dims": ["0"]}', 'line 1: logical-dims is "0"'),
        ('{"logical-dims": ["8"]}', "has no network; expected a topology beside it"),
    ],
)
def test_what_is_wrong_is_named_by_its_line(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as refused:
        imported(tmp_path, network_yml=text)
    assert told in str(refused.value)


def test_keys_that_are_not_carried_over_are_told(tmp_path: Path) -> None:
    of = imported(tmp_path, network_yml=network("Switch", "2") + "width: 4\nnon_recursive_topo: [1]\n")
    assert [str(left) for left in of.left_out] == [
        'network.yml:5: "width": not carried over',
        'network.yml:6: "non_recursive_topo": not carried over',
    ]
    odd = imported(tmp_path, a_yml=ASTRA_NETWORK, b_json='{"scheduling-policy": 1, "\\ud800\\n\\u001b[0m": {}}')
    assert all(str(left).isprintable() for left in odd.left_out)
    odd.check()


def test_a_second_network_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is a second topology"):
        imported(tmp_path, a_yml=ASTRA_NETWORK, b_yml=ASTRA_NETWORK)
    with pytest.raises(InputError, match="is a second system"):
        imported(tmp_path, a_json=ASTRA_SYSTEM, b_json=ASTRA_SYSTEM)


def test_a_system_chooses_how_collectives_go(tmp_path: Path) -> None:
    of = imported(
        tmp_path, network_yml=ASTRA_NETWORK, system_json=ASTRA_SYSTEM, logical_json='{"logical-dims": ["2", "2"]}',
        **ASTRA_TRACES,
    )  # fmt: skip
    assert of.found[1].content == "all_reduce direct, all_gather ring, all_to_all direct"
    assert of.found[2].content == "logical dimensions 2 x 2"
    assert [str(left) for left in of.left_out if left.place.startswith(("system", "logical"))] == [
        'system.json:3: all-reduce-implementation "direct, direct": over all ranks at once, not dimension by dimension',
        'system.json:4: all-gather-implementation "doubleBinaryTree": carried out as ring',
        'system.json:5: all-to-all-implementation "ring": carried out as direct',
        'system.json: "scheduling-policy", "endpoint-delay": not carried over; a collective is one chunk, and its '
        "flows go as soon as they can",
        "logical.json:1: logical dimensions 2 x 2: a collective goes over all its ranks at once, "
        "not dimension by dimension",
    ]
    found = of.save(tmp_path / "out")[1].read_text().splitlines()[1:]
    assert [row for row in found if row.startswith("0.")] == [
        "0.0,host0,host1,1000,3,,0,,",
        "0.1,host0,host0,0,,3.0,0,,",
        "0.2,host0,host2,1000,3,,0,,",
        "0.3,host0,host0,0,,2.2,0,,",
        "0.4,host0,host3,1000,3,,0,,",
        "0.5,host0,host0,0,,1.4,0,,",
        "0.6,host0,host0,0,,0.1 0.3 0.5,0,,",
        "0.7,host0,host1,1000,3,0.6,0,,",
        "0.8,host0,host0,0,,3.7 0.6,0,,",
        "0.9,host0,host2,1000,3,0.6,0,,",
        "0.10,host0,host0,0,,2.9 0.6,0,,",
        "0.11,host0,host3,1000,3,0.6,0,,",
        "0.12,host0,host0,0,,1.11 0.6,0,,",
        "0.13,host0,host0,0,,0.0 0.1 0.2 0.3 0.4 0.5 0.7 0.8 0.9 0.10 0.11 0.12,0,,",
    ]
    run = of.scenario().run()
    assert run.summary["flows"]["unfinished"] == 0


@pytest.mark.parametrize(
    ("shape", "implementation", "links_in_turn", "parts"),
    [("Ring", "ring", 1, 6), ("FullyConnected", "direct", 1, 2), ("Switch", "ring", 2, 6), ("Switch", "direct", 2, 6)],
)
def test_an_all_reduce_takes_the_time_of_the_analytical_backend(
    tmp_path: Path, shape: str, implementation: str, links_in_turn: int, parts: int
) -> None:
    size = 4 << 20
    system = json.dumps({"all-reduce-implementation": [implementation]})
    traces = {name: text.replace("4000", str(size)) for name, text in ASTRA_TRACES.items()}
    of = imported(tmp_path, network_yml=network(shape, "4"), system_json=system, **traces)
    flows = of.scenario().run().flows.to_pylist()
    took = max(flow["start_ns"] + flow["fct_ns"] for flow in flows)
    # Parts of a quarter one after another, at 50 GB/s of 2^30 B, and 500 ns for each link of each step.
    steps = 6 if implementation == "ring" else 2
    told = parts * size / 4 / (50 * 2**30 / 1e9) + steps * links_in_turn * 500
    assert told <= took <= 1.06 * told  # headers and ACKs


def test_implementations_are_for_traces_alone(tmp_path: Path) -> None:
    of = imported(tmp_path, network_yml=ASTRA_NETWORK, system_json=ASTRA_SYSTEM, workload_txt=WORKLOAD)
    assert of.left_out[-1].content == "implementations of collectives"
