"""A scenario's switch as configuration: what SONiC's tables say of it is what the scenario says."""

from __future__ import annotations

import json
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xoff
from conftest import ROOT, examples
from strategies import RED, powers_of_two
from xoff.errors import InputError, ScenarioError
from xoff.switches import scenario_values
from xoff.switches.export.of_scenario import settings_of
from xoff.switches.lint import Tables, lint
from xoff.switches.plan.settings import Ecn
from xoff.switches.plan.simulate import scenario as scenario_of
from xoff.switches.plan.simulate import worst_case
from xoff.switches.switch_tables import SwitchTables

if TYPE_CHECKING:
    from pathlib import Path

ROCE = """
topology = { kind = "star", hosts = 8, host_link = { rate = "100Gbps", delay = "203ns" } }
class = [
    { priority = 0 }, { priority = 2 }, { priority = 3, lossless = true }, { priority = 4, lossless = true },
    { priority = 6 },
]

[[switch]]
total = "16MB"
reserved_per_queue = "1500B"
buffer = { policy = "dynamic_threshold", alpha_by_priority = [2, 1, 4, 1, 1, 1, 8, 1] }
scheduler = { kind = "deficit_round_robin", weights = [1, 1, 2, 30, 15, 1, 1, 1], strict = [6] }
marking.queue_by_priority.3 = { kind = "red", minimum = "100kB", maximum = "400kB", probability = 0.2 }
marking.queue_by_priority.0 = { kind = "threshold", threshold = "200kB" }

[switch.pfc]
xoff = { policy = "dynamic_threshold", alpha = "1/8" }
xon_offset = "5000B"
headroom = { scheme = "sih", size = "60kB" }
reserved = "3000B"
lossless_pool = "8MB"

[pfc]
detection_time = "300ms"
watchdog = { action = "forward", restoration_time = "400ms" }

[transport.roce]
kind = "roce"
control_priority = 6
congestion_control = { algorithm = "dcqcn" }

[[workload]]
kind = "incast"
transport = "roce"
priority = 3
fan_in = 4
size = "1MB"
every = "1ms"
groups = 2
"""


def imported(scenario: xoff.Scenario, folder: Path) -> scenario_values.Said:
    """Returns the settings that SONiC's tables of a scenario come to, for as many ports as it has."""
    path = folder / "config_db.json"
    path.write_text(scenario.export("sonic").text, encoding="utf-8")
    return scenario_values.of_part(SwitchTables.load(path).part_of_scenario("Ethernet0", 8))


POWERS = powers_of_two(-7)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "switch.buffer.alpha_by_priority": st.lists(POWERS, min_size=8, max_size=8),
        "switch.pfc.xoff.alpha": POWERS,
        "switch.scheduler.weights": st.lists(st.integers(1, 100), min_size=8, max_size=8),
        "switch.scheduler.strict": st.lists(st.sampled_from([0, 2, 3, 4, 6]), unique=True, max_size=4),
        "switch.reserved_per_queue": st.integers(0, 10_000).map("{}B".format),
        "switch.pfc.headroom": st.integers(30_000, 80_000).map(lambda size: {"scheme": "sih", "size": f"{size}B"})
        | st.just({"scheme": "oversubscribed", "size": "60kB", "ratio": "1/2"}),
        "switch.pfc.reserved": st.integers(0, 10_000).map("{}B".format),
        "switch.pfc.xon_offset": st.integers(1, 10_000).map("{}B".format),
        "switch.pfc.lossless_pool": st.integers(1_000_000, 4_000_000).map("{}B".format),
        "switch.marking.queue_by_priority.3": RED,
        "pfc.watchdog.action": st.sampled_from(["drop", "forward"]),
    },
)


@settings(max_examples=examples(30), deadline=None)
@given(changes=CHANGES)
def test_the_tables_say_what_the_scenario_says(
    changes: dict[str, object], tmp_path_factory: pytest.TempPathFactory
) -> None:
    scenario = xoff.Scenario.from_text(ROCE).with_values(changes)
    wanted = scenario_values.of_scenario(scenario, "switch0", 100 * 10**9)
    found = imported(scenario, tmp_path_factory.mktemp("tables"))
    assert found.lossless == wanted.lossless
    left = {
        key: (wanted.values[key], found.values.get(key))
        for key in wanted.values
        if wanted.values[key] != found.values.get(key)
    }
    assert left == {}


@pytest.mark.parametrize("plan", ["tomahawk_bcc", "tomahawk_dsh", "trident2_dcqcn", "tomahawk_4_dcqcn"])
def test_a_plan_simulated_comes_back_as_its_settings(plan: str) -> None:
    found = xoff.SwitchPlan.load(ROOT / "plans" / f"{plan}.toml")._found
    case = worst_case(found)
    planned = case.found.settings
    back = settings_of(scenario_of(case)).settings
    for_acknowledgements = (
        0 if planned.pools.lossy_bytes else back.pools.lossy_bytes
    )  # where a plan leaves them nothing
    lossy = planned.pools.lossy_bytes + for_acknowledgements
    assert back.pools == replace(planned.pools, lossy_bytes=lossy)
    for own, other in zip(back.classes, sorted(planned.classes, key=attrgetter("priority")), strict=True):
        assert (own.priority, own.lossless, own.alpha) == (other.priority, other.lossless, other.alpha)
        assert (own.reserved_bytes, own.ecn) == (other.reserved_bytes, other.ecn)
    assert [(one.rate_bps, one.delay_ps, one.pause) for one in back.groups] == [
        (one.rate_bps, one.delay_ps, one.pause) for one in planned.groups
    ]
    assert back.headroom_scheme == planned.headroom_scheme


def test_ports_that_differ_are_groups_with_headroom_of_their_own() -> None:
    scenario = xoff.Scenario.from_text(ROCE).with_values(
        {"switch.pfc.headroom": {"scheme": "sih", "at_ports": [{"ports": [2, 5], "size": "90kB"}], "size": "60kB"}}
    )
    groups = settings_of(scenario).settings.groups
    assert [(one.name, one.ports, one.pause and one.pause.headroom_bytes) for one in groups] == [
        ("100G-203ns-60000B", ("Ethernet0", "Ethernet1", "Ethernet3", "Ethernet4", "Ethernet6", "Ethernet7"), 60_000),
        ("100G-203ns-90000B", ("Ethernet2", "Ethernet5"), 90_000),
    ]


def two_rates(hosts: int) -> dict[str, object]:
    """A topology: so many hosts with 100 Gb/s at either end of a link with 400."""
    return {
        "kind": "dumbbell",
        "left": hosts,
        "right": hosts,
        "host_link": {"rate": "100Gbps", "delay": "203ns"},
        "middle_link": {"rate": "400Gbps", "delay": "203ns"},
    }


def test_ports_of_two_rates_have_what_is_said_of_theirs(tmp_path: Path) -> None:
    scenario = xoff.Scenario.from_text(ROCE).with_values(
        {
            "topology": two_rates(4),
            'switch.pfc.at_rate."400Gbps"': {
                "xoff": {"policy": "dynamic_threshold", "alpha": "1/2"},
                "headroom": "190kB",
            },
            'switch.marking.at_rate."400Gbps"': {
                "queue_by_priority": {"3": {"kind": "threshold", "threshold": "700kB"}},
            },
        }
    )
    path = tmp_path / "config_db.json"
    path.write_text(scenario.export("sonic", switch="left").text, encoding="utf-8")
    for port, rate_gbps in (("Ethernet0", 100), ("Ethernet4", 400)):
        found = scenario_values.of_part(SwitchTables.load(path).part_of_scenario(port, 5)).values
        wanted = scenario_values.of_scenario(scenario, "left", rate_gbps * 10**9).values
        differing = {str(key) for key in wanted if wanted[key] != found.get(key)}
        assert differing == {"switch.total"}


MARKS_BY_RATE = xoff.Scenario.from_text(ROCE).with_values(
    {
        "topology": two_rates(2),
        "workload.fan_in": 2,
        'switch.marking.at_rate."400Gbps".queue_by_priority.3': {"kind": "threshold", "threshold": "700kB"},
    }
)
"""Class 3 is marked between 100 and 400 kB at ports of 100 Gb/s, and from 700 kB on at the one of 400 Gb/s."""


@pytest.mark.parametrize(
    ("form", "written"),
    [
        (
            "eos",
            [
                "qos profile XOFF",
                "minimum-threshold 700000 bytes maximum-threshold 700000 bytes max-mark-probability 100 ",
                "qos profile XOFF-100G",
                "minimum-threshold 100000 bytes maximum-threshold 400000 bytes max-mark-probability 20 ",
                "interface Ethernet1\n   service-profile XOFF-100G\n",
                "interface Ethernet3\n   service-profile XOFF\n",
            ],
        ),
        (
            "nxos",
            [
                "policy-map type queuing XOFF-OUT\n",
                "minimum-threshold 700 kbytes maximum-threshold 700 kbytes drop-probability 100 ",
                "policy-map type queuing XOFF-OUT-100G\n",
                "minimum-threshold 100 kbytes maximum-threshold 400 kbytes drop-probability 20 ",
                "system qos\n  service-policy type queuing output XOFF-OUT\n",
                "service-policy type queuing output XOFF-OUT-100G\n",
            ],
        ),
        (
            "nvue",
            [
                "congestion-control xoff traffic-class 3 min-threshold 700000",
                "congestion-control xoff-100G traffic-class 3 min-threshold 100000",
                "interface swp1 qos congestion-control profile xoff-100G\n",
                "interface swp3 qos congestion-control profile xoff\n",
            ],
        ),
    ],
)
def test_marks_of_ports_of_another_rate_have_profiles_of_their_own(form: str, written: list[str]) -> None:
    rest = MARKS_BY_RATE.export(form, switch="left").text
    for one in written:
        _, found, rest = rest.partition(one)
        assert found, one


def test_hosts_are_told_whose_marks_they_get() -> None:
    dctcp = {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}}
    written = MARKS_BY_RATE.with_values({"transport.roce": dctcp}).export("host", switch="left")
    assert "marks are those of the fastest ports; 100G-203ns have others" in written.notes


def test_what_whole_ports_of_a_rate_mark_by_is_on_their_queues() -> None:
    ramp = {"kind": "red", "minimum": "1MB", "maximum": "3MB", "probability": 0.25}
    found = settings_of(MARKS_BY_RATE.with_value('switch.marking.at_rate."100Gbps".port', ramp), "left").settings
    assert [one.ecn for one in found.classes[1:3]] == [None, Ecn(700_000, 700_000, 1)]
    slow, fast = found.groups
    assert dict(slow.ecn)[2] == Ecn(1_000_000, 3_000_000, 0.25)
    assert dict(slow.ecn)[3] == Ecn(100_000, 400_000, 0.2)
    assert fast.ecn == ()


def test_hosts_are_set_to_the_scenarios_congestion_control() -> None:
    scenario = xoff.Scenario.from_text(ROCE)
    script = scenario.export("host", dscps={3: 26}).text.splitlines()
    assert 'mlnx_qos -i "$device" --trust dscp --pfc 0,0,0,1,1,0,0,0 --cable_len 40' in script
    for name, value in {
        "roce_np/cnp_dscp": 48,
        "roce_np/min_time_between_cnps": 50,
        "roce_rp/rpg_ai_rate": 40,
        "roce_rp/rpg_hai_rate": 200,
        "roce_rp/rpg_time_reset": 55,
    }.items():
        assert f'echo {value} > "/sys/class/net/$device/ecn/{name}"' in script
    mellanox = scenario.with_value("transport.roce.congestion_control.preset", "mellanox").export("host").text
    assert "rpg_ai_rate" in mellanox  # 1/5000 of 100 Gb/s
    assert 'echo 20 > "/sys/class/net/$device/ecn/roce_rp/rpg_ai_rate"' in mellanox
    assert "min_time_between_cnps" not in mellanox  # of which that preset has none
    idle = scenario.with_value("transport.roce.congestion_control", None)
    with pytest.raises(ScenarioError, match="congestion_control of no workload is one that hosts are set to"):
        idle.export("host")


DCQCN = "transport.roce.congestion_control"


def test_adapters_are_told_what_the_scenario_itself_says_of_dcqcn() -> None:
    own = {
        "initial_alpha": 0.5,
        "alpha_period": "20us",
        "cut_period": "4us",
        "minimum_rate": "5Gbps",
        "fast_recovery": 3,
        "clamp_target_rate": "always",
        "byte_counter": "20kB",
    }
    scenario = xoff.Scenario.from_text(ROCE).with_values({f"{DCQCN}.{key}": value for key, value in own.items()})
    written = scenario.export("host")
    for name, value in {
        "initial_alpha_value": 512,
        "dce_tcp_rtt": 20,
        "rate_reduce_monitor_period": 4,
        "rpg_min_rate": 5000,
        "rpg_threshold": 3,
        "clamp_tgt_rate": 1,
        "rpg_byte_reset": 20_000,
    }.items():
        assert f'echo {value} > "/sys/class/net/$device/ecn/roce_rp/{name}"' in written.text
    assert not [note for note in written.notes if "is written as" in note]


@pytest.mark.parametrize(
    ("key", "value", "note"),
    [
        ("timer", "1500ns", "timer 1.5 us is written as 2 us"),
        ("additive_increase", "500kbps", "additive_increase 0.5 Mb/s is written as 1 Mb/s"),
        ("hyper_increase", "1500kbps", "hyper_increase 1.5 Mb/s is written as 2 Mb/s"),
        ("minimum_rate", "500kbps", "minimum_rate 0.5 Mb/s is written as 1 Mb/s"),
        ("cut_period", "0s", "cut_period 0 us is written as 1 us"),
        ("alpha_period", "200ms", "alpha_period 200000 us is written as 131071 us"),
        ("initial_alpha", 1, "initial_alpha 1024/1024 is written as 1023/1024"),
        ("cnp_interval", "1500ns", "cnp_interval 1.5 us is written as 2 us"),
        ("cnp_interval", "0s", "min_time_between_cnps: left at the firmware's default, though every marked packet is"),
        ("byte_counter", "1MB", "byte_counter 1000000 B is above 32767, the most of mlxconfig"),
        ("clamp_target_rate", "after_increase", "clamp_target_rate after_increase is written as not always"),
        (
            "count_first",
            True,
            "adapters have no parameter for them, and the scenario's are left out (preset paper, count",
        ),
        (
            "timer",
            "55us",
            "initial_alpha_value, dce_tcp_rtt, rate_reduce_monitor_period, rpg_min_rate, rpg_threshold, ",
        ),
    ],
)
def test_what_adapters_are_told_only_nearly_or_not_at_all_is_told(key: str, value: object, note: str) -> None:
    scenario = xoff.Scenario.from_text(ROCE)
    assert note in "\n".join(scenario.with_value(f"{DCQCN}.{key}", value).export("host").notes)
    spaced = "\n".join(scenario.with_value("host.cnp_spacing", "2us").export("host").notes)
    assert "host.cnp_spacing 2us is left out: adapters have no parameter for it" in spaced
    assert "cnp_spacing" not in "\n".join(scenario.export("host").notes)


@pytest.mark.parametrize(
    ("changes", "note"),
    [
        ({"switch.marking.queue_by_priority.0": {"kind": "codel"}}, "class 0: marks by codel are left out"),
        ({"switch.marking.port": {"kind": "threshold", "threshold": "1MB"}}, "marks by what a whole port holds are"),
        ({"switch.reserved_per_queue": "0B", "switch.reserved_per_port": "9kB"}, "the reserve of each port, 9,000 B"),
        ({"switch.shapers.host1": {"rate": "1Gbps", "burst": "9kB"}}, "shapers of ports are left out"),
        ({"switch.marking.pool": {"kind": "threshold", "threshold": "1MB"}}, "ECN on the shared pool (K_min 1000000 B"),
    ],
)
def test_what_is_not_written_is_told(changes: dict[str, object], note: str) -> None:
    written = xoff.Scenario.from_text(ROCE).with_values(changes).export("eos")
    assert note in "\n".join(written.notes)


def test_a_watchdog_faster_than_sonics_is_written_as_fast_as_that_is() -> None:
    fast = {"pfc.detection_time": "300us", "pfc.watchdog": {"action": "drop", "restoration_time": "70s"}}
    written = xoff.Scenario.from_text(ROCE).with_values(fast).export("sonic")
    row = json.loads(written.text)["PFC_WD"]["Ethernet0"]
    assert row == {"action": "drop", "detection_time": "100", "restoration_time": "60000"}
    assert "times of the PFC watchdog, 1 and 70000 ms, are written as 100 and 60000 ms" in "\n".join(written.notes)


@pytest.mark.parametrize(("name", "priority"), [("trace", 0), ("pipeline", 3)])
def test_hosts_whose_flows_have_classes_of_a_file_are_set_to_the_usual_one(name: str, priority: int) -> None:
    scenario = xoff.Scenario.load(ROOT / "scenarios" / f"{name}.toml")
    hosts = settings_of(scenario, scenario.topology.switches[0]).settings.hosts
    assert hosts is not None
    assert hosts.priority == priority


def test_a_ramp_that_stays_at_zero_is_not_written_as_one_that_marks_all() -> None:
    written = xoff.Scenario.from_text(ROCE.replace("probability = 0.2", "probability = 0.0")).export("sonic")
    assert '"green_drop_probability": "1"' in written.text
    assert "class class3: probability 0 % is written as 1 %, whole percent" in written.notes


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"switch.buffer.policy": "abm"}, "switch.buffer.policy: abm of switch0 is a policy that no format can say"),
        ({"switch.pfc.xoff": {"policy": "complete_sharing"}}, "switch.pfc.xoff.policy: complete_sharing of switch0"),
        ({"topology.host_link.rate_back": "10Gbps"}, "topology: switch0.port0 sends at another rate than it receives"),
    ],
)
def test_what_cannot_be_configured_is_refused(changes: dict[str, object], told: str) -> None:
    with pytest.raises(ScenarioError, match=told):
        xoff.Scenario.from_text(ROCE).with_values(changes).export("sonic")


TRIMMING = xoff.Scenario.load(ROOT / "scenarios" / "trimming.toml")
"""Data of RoCE with selective repeat in class 0, headers of 64 B in class 6, acknowledgements in class 7."""
SELECTIVE = {"kind": "roce", "recovery": {"kind": "selective_repeat", "window": "1MB"}}


def trimmed(tables: dict[str, Any]) -> list[str]:
    """Profiles that trim."""
    profiles = tables["BUFFER_PROFILE"].items()
    return [name for name, row in profiles if row.get("packet_discard_action") == "trim"]


def test_trimming_comes_back_from_the_tables(tmp_path: Path) -> None:
    written = TRIMMING.export("sonic", switch="leaf0").text
    tables = json.loads(written)
    assert tables["SWITCH_TRIMMING"] == {"GLOBAL": {"size": "64", "dscp_value": "48", "queue_index": "6"}}
    assert trimmed(tables) == ["egress_class0_profile"]
    assert lint([Tables.parse("config_db.json", written)]) == []
    path = tmp_path / "config_db.json"
    path.write_text(written, encoding="utf-8")
    there = scenario_values.of_part(SwitchTables.load(path).part_of_scenario("Ethernet0", 16)).values
    wanted = scenario_values.of_scenario(TRIMMING, "leaf0", 400 * 10**9).values
    assert {str(key): there[key] for key in wanted if "trimming" in str(key)} == {
        "switch.trimming": True,
        "switch.trimming.size": 64,
        "switch.trimming.priority": 6,
    }
    differing = [str(key) for key in there if wanted[key] != there[key]]
    assert differing == ["switch.scheduler.quantum"], "whose classes are all strict"


def test_headers_carry_the_dscp_of_their_class() -> None:
    written = TRIMMING.with_value("switch.trimming.priority", 7).export("sonic", switch="leaf0", dscps={7: 46})
    assert json.loads(written.text)["SWITCH_TRIMMING"]["GLOBAL"] == {
        "size": "64",
        "dscp_value": "46",
        "queue_index": "7",
    }


def test_only_lossy_classes_with_data_that_is_trimmed_are() -> None:
    changes = {
        "switch.trimming": {"size": "256B", "priority": 6},
        "transport.irn": SELECTIVE | {"control_priority": 6},
        "transport.tcp": {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}},
    }
    flows = [
        {"kind": "permutation", "transport": name, "priority": priority, "size": "1MB"}
        for name, priority in (("irn", [2, 3]), ("tcp", 0))
    ]
    scenario = xoff.Scenario.from_text(ROCE).with_values(changes)
    in_two = scenario.with_value("workload", flows).export("sonic")
    assert trimmed(json.loads(in_two.text)) == ["egress_class2_profile"]
    assert "of RoCE with selective repeat (2), and all else in their queues, too" in "\n".join(in_two.notes)
    shared = scenario.with_value("workload", [*flows, flows[1] | {"priority": 2}]).export("sonic")
    assert "such is data of tcp, whose receivers know nothing of headers" in "\n".join(shared.notes)
    nowhere = scenario.with_value("workload", flows[1:]).export("sonic")
    assert "SWITCH_TRIMMING" not in nowhere.text
    assert trimmed(json.loads(nowhere.text)) == []
    assert "trimming is left out: no lossy class has data of RoCE with selective repeat" in "\n".join(nowhere.notes)


@pytest.mark.parametrize(("size", "written"), [(64, 256), (257, 260), (528, 528), (2000, 1024)])
def test_cumulus_linux_trims_to_what_spectrum_has(size: int, written: int) -> None:
    found = TRIMMING.with_value("switch.trimming.size", f"{size}B").export("nvue", switch="leaf0")
    lines = [line for line in found.text.splitlines() if "packet-trim" in line]
    assert lines[:5] == [
        "nv set system forwarding packet-trim state enabled",
        "nv set system forwarding packet-trim remark dscp 48",
        f"nv set system forwarding packet-trim size {written}",
        "nv set system forwarding packet-trim switch-priority 6",
        "nv set interface swp1 packet-trim egress-eligibility traffic-class 0",
    ]
    assert len(lines) == 4 + 16
    note = f"headers of {size} B are written as {written} B, the nearest that Spectrum has"
    assert (note in found.notes) == (size != written)


@pytest.mark.parametrize("form", ["eos", "nxos"])
def test_formats_without_trimming_say_so(form: str) -> None:
    (note,) = [note for note in TRIMMING.export(form, switch="leaf0").notes if "trimm" in note]
    assert note.startswith("trimming (headers of 64 B in class 6) is left out, and packets that have no room are")


def test_names_that_are_none_are_refused() -> None:
    scenario = xoff.Scenario.from_text(ROCE)
    with pytest.raises(ScenarioError, match="--switch leaf7: the scenario has no such switch"):
        scenario.export("eos", switch="leaf7")
    with pytest.raises(ScenarioError, match="--dscp 1=26: switch0 has no class 1; expected one of 0, 2, 3, 4, 6"):
        scenario.export("eos", dscps={1: 26})
    with pytest.raises(InputError, match="chip trident: there is none of this name; did you mean trident_3 or"):
        scenario.export("eos", chip="trident")
