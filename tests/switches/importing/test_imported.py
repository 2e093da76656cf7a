"""Tables of a switch in a scenario: what was planned comes back, and what cannot be said is told."""

from __future__ import annotations

import contextlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import xoff
from conftest import ROOT, two_rates
from xoff.errors import InputError
from xoff.scenario import catalogue
from xoff.starters import Switches, starter
from xoff.switches.export import Format
from xoff.switches.export.of_scenario import settings_of
from xoff.switches.importing import Part, imported
from xoff.switches.lint import Tables
from xoff.switches.lint.switches import parse
from xoff.switches.plan.file import Qcn
from xoff.switches.plan.file import parse as parse_plan
from xoff.switches.plan.outcome import Outcome, compute, outcome
from xoff.switches.plan.simulate.bursts import Bursts
from xoff.switches.plan.simulate.long_flows import LongFlows
from xoff.text import toml_text

PLANS = sorted((ROOT / "plans").glob("*.toml"))
GOOD = ROOT / "examples" / "sonic" / "good" / "config_db.json"


def exported(found: Outcome) -> Tables:
    """Returns the tables that `xoff export` writes for SONiC, with their chip, unless the plan has one pool."""
    chip = None if found.plan.mmus == 1 else next(chip for chip in catalogue.chips() if chip["name"] == found.plan.chip)
    return Tables.parse("config_db.json", Format.SONIC.write(found.settings).text, chip)


def part_of(
    tables: Any,  # noqa: ANN401 of JSON
    port: str | None = None,
    ports: int | None = None,
    uplink: str | None = None,
    uplinks: int | None = None,
) -> Part:
    return imported(Tables.parse("config_db.json", json.dumps(tables)), port, ports, uplink, uplinks)


def good() -> Any:  # noqa: ANN401
    return json.loads(GOOD.read_text(encoding="utf-8"))


def own_scenario(found: Outcome) -> Any:  # noqa: ANN401 tables of TOML
    """The planned switch as `xoff plan --simulate` has it."""
    case = LongFlows(found) if found.settings.headroom_scheme is None else Bursts.into_fullest_mmu(found)
    return case.table()


def spelled(policy: dict[str, Any]) -> dict[str, Any]:
    """A policy with every alpha as text."""
    return policy | {"alpha_by_priority": [str(alpha) for alpha in policy["alpha_by_priority"]]}


def markers(scenario: dict[str, Any], rate_bps: int | None = None) -> dict[int, Any]:
    """Returns the markers of the queues of each class, by rate if one is given, each with when it looks."""
    marking = scenario["switch"][0].get("marking", {})
    at_rate = marking.get("at_rate", {}).get(f"{rate_bps}bps", {})
    of_all, by_priority = (
        marking.get("queue", {}),
        marking.get("queue_by_priority", {}) | at_rate.get("queue_by_priority", {}),
    )
    found = {one["priority"]: by_priority.get(str(one["priority"]), of_all) for one in scenario["class"]}
    return {one: {key: value for key, value in marker.items() if key != "when"} for one, marker in found.items()}


@pytest.mark.parametrize("path", [path for path in PLANS if "_qcn" not in path.stem], ids=lambda path: path.stem)
def test_an_exported_plan_comes_back_as_its_own_scenario(path: Path) -> None:
    found = compute(path)
    planned, came_back = own_scenario(found), tomllib.loads(imported(exported(found)).text)
    (switch,) = came_back["switch"]
    (own,) = planned["switch"]
    if "buffer" in switch:  # some class is lossy
        assert spelled(switch["buffer"]) == own["buffer"]
    rate_bps = found.settings.groups[0].rate_bps
    assert markers(came_back, rate_bps) == markers(planned, rate_bps)
    assert {one["priority"]: one.get("lossless", False) for one in came_back["class"]} == {
        one["priority"]: one["lossless"] for one in planned["class"]
    }
    if "pfc" not in own:
        assert switch.get("reserved_per_queue", "0B") == own["reserved_per_queue"]
        return
    assert switch["pfc"]["headroom"]["size"] == own["pfc"]["headroom"]["size"]
    assert spelled(switch["pfc"]["xoff"]) == own["pfc"]["xoff"]
    for key in ("xon_offset", "lossless_pool"):
        assert switch["pfc"][key] == own["pfc"][key]
    assert switch["pfc"].get("reserved", "0B") == own["pfc"]["reserved"]


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_every_port_of_an_exported_plan_has_its_own_headroom(path: Path) -> None:
    found = compute(path)
    for group in found.settings.groups:
        part = tomllib.loads(imported(exported(found), group.ports[0]).text)
        if group.pause is not None:
            assert part["switch"][0]["pfc"]["headroom"]["size"] == f"{group.pause.headroom_bytes}B"


def test_static_thresholds_come_back() -> None:
    found = compute(ROOT / "plans" / "trident_plus_qcn.toml")
    assert isinstance(found.plan.congestion, Qcn)
    pfc = tomllib.loads(imported(exported(found)).text)["switch"][0]["pfc"]
    assert pfc["xoff"] == {"policy": "static_threshold", "threshold": "110000B"}
    assert pfc["xon_offset"] == "66000B"


@pytest.mark.parametrize(
    ("numbers", "offset", "told"),
    [
        # SONiC's senders resume at xon, or xon_offset below the pause, whichever is more.
        (
            {"xon": "200000", "xon_offset": "0"},
            "0B",
            "where they are paused, as on the switch, and xon = 200000, which",
        ),
        (
            {"xon": "0", "xon_offset": "0"},
            "0B",
            "xon_offset = 0: senders resume where they are paused, as on the switch",
        ),
        ({"xon": "4608", "xon_offset": "18432"}, "18432B", "xon = 4608 is left out"),
        ({"xon": "90000", "xon_offset": "18432", "static_th": "100000"}, "10000B", None),
        ({"xon": "50000", "xon_offset": "18432", "static_th": "100000"}, "18432B", None),
    ],
)
def test_senders_resume_as_far_below_the_pause_as_on_the_switch(
    numbers: dict[str, str], offset: str, told: str | None
) -> None:
    tables = good()
    profile = tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
    profile |= numbers
    if "static_th" in numbers:
        del profile["dynamic_th"]
    part = part_of(tables, "Ethernet0")
    assert tomllib.loads(part.text)["switch"][0]["pfc"]["xon_offset"] == offset
    notes = [note for note in part.notes if "xon" in note]
    assert len(notes) == (told is not None)
    assert told is None or told in notes[0]


def test_each_class_has_the_marker_of_its_own_queue() -> None:
    """Queue 3 marks by one profile and queue 4 by another; the others mark nothing."""
    tables = good()
    tables["WRED_PROFILE"]["OTHER"] = tables["WRED_PROFILE"]["AZURE_LOSSLESS"] | {"green_max_threshold": "3000000"}
    for row in [row for row in tables["QUEUE"] if "wred_profile" in tables["QUEUE"][row]]:
        port = row.split("|")[0]
        del tables["QUEUE"][row]["wred_profile"]
        for queue, profile in ((3, "AZURE_LOSSLESS"), (4, "OTHER")):
            tables["QUEUE"].setdefault(f"{port}|{queue}", {})["wred_profile"] = profile
    part = part_of(tables)
    found = markers(tomllib.loads(part.text))
    assert found[4] == found[3] | {"maximum": "3000000B"}
    assert all(not found[one] for one in found if one not in (3, 4))
    assert not any("marked" in note for note in part.notes)


@pytest.mark.parametrize("percent", ["0", "20", "100"])
def test_a_ramp_without_a_slope_is_a_threshold_whatever_its_probability(percent: str) -> None:
    """From the maximum on, every packet is marked."""
    tables = good()
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"] |= {
        "green_min_threshold": "409600",
        "green_max_threshold": "409600",
        "green_drop_probability": percent,
    }
    found = markers(tomllib.loads(part_of(tables).text))
    assert found[3] == found[4] == {"kind": "threshold", "threshold": "409600B"}


@pytest.mark.parametrize("ecn", ["ecn_all", "ecn_green", "ecn_yellow_red", "ecn_none"])
@pytest.mark.parametrize("on", [("green", "yellow", "red"), ("green",), ("yellow", "red"), ("yellow",), ()])
def test_ecn_marks_whether_wred_is_on_or_off_and_wred_decides_what_happens_to_others(
    ecn: str, on: tuple[str, ...]
) -> None:
    """By SAI, thresholds apply where WRED is on or ECN is on for the colour; without WRED nothing is dropped."""
    tables = good()
    enabled = {f"wred_{colour}_enable": str(colour in on).lower() for colour in ("green", "yellow", "red")}
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"] |= {"ecn": ecn} | enabled
    part = part_of(tables)
    marked = markers(tomllib.loads(part.text))
    assert bool(marked[3]) == bool(marked[4]) == (ecn in ("ecn_all", "ecn_green"))
    if marked[3]:
        assert marked[3].get("marks_only", False) == ("green" not in on)
    assert bool(marked[3]) or not on or any("left out" in note for note in part.notes if "AZURE_LOSSLESS" in note)


def test_ecn_without_wred_is_imported_and_comes_back() -> None:
    path = Path(__file__).parent / "ecn_without_wred.json"
    part = imported(Tables.parse(path.name, path.read_text(encoding="utf-8")), ports=8)
    ramp = {"kind": "red", "minimum": "200000B", "maximum": "400000B", "probability": 0.05, "marks_only": True}
    assert markers(tomllib.loads(part.text)) == {3: ramp, 4: ramp, 7: {}}
    scenario = xoff.Scenario.from_text(
        starter(["roce", "star"], Switches(part.text, part.data, part.control, part.link)).text
    )
    exported = Format.SONIC.write(settings_of(scenario).settings).text
    again = tomllib.loads(imported(Tables.parse("config_db.json", exported)).text)
    assert markers(again)[3] == ramp


def test_wred_that_drops_is_left_out_of_lossless_classes_alone() -> None:
    tables = good()
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"]["ecn"] = "ecn_none"
    tables["QUEUE"]["Ethernet0|2"] = {"wred_profile": "AZURE_LOSSLESS"}
    part = part_of(tables, "Ethernet0")
    found = markers(tomllib.loads(part.text))
    assert [one for one, marker in found.items() if marker] == [2]
    lossless, lossy = (note for note in part.notes if note.startswith("AZURE_LOSSLESS drops"))
    assert "packets of lossless classes without ECN (classes 3 and 4), which a scenario does not" in lossless
    assert "drops without ECN (class 2); a scenario marks" in lossy


def test_a_profile_for_coloured_packets_marks_none() -> None:
    tables = good()
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"] |= {"ecn": "ecn_yellow_red", "wred_green_enable": "false"}
    notes = [note for note in part_of(tables).notes if "AZURE_LOSSLESS" in note]
    assert notes == [
        "AZURE_LOSSLESS is for yellow and red packets alone, which a policer has coloured, and a scenario has none: "
        "it is left out (classes 3 and 4)"
    ]


def test_the_headroom_of_other_ports_is_a_line_to_take_in_place_of_that_of_all() -> None:
    tables = good()
    for table in ("PORT", "PORT_QOS_MAP"):
        tables[table]["Ethernet8"] = tables[table]["Ethernet0"]
    tables["BUFFER_PROFILE"]["other"] = tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] | {"xoff": "100000"}
    tables["BUFFER_PG"]["Ethernet8|3-4"] = {"profile": "other"}
    part = part_of(tables)
    offered = re.sub(r"^headroom = .*\n# headroom", "headroom", part.text, flags=re.MULTILINE)
    assert tomllib.loads(offered)["switch"][0]["pfc"]["headroom"] == {
        "scheme": "sih",
        "size": "120000B",
        "at_ports": [{"ports": [0], "size": "80000B"}, {"ports": [1], "size": "100000B"}],
    }
    scenario = xoff.Scenario.from_text(starter(["star"], Switches(offered, 3, part.control, part.link)).text)
    assert scenario.check() == ()


def test_the_headroom_of_ports_of_another_rate_is_a_line_of_that_rate() -> None:
    tables = good()
    for table in ("PORT", "PORT_QOS_MAP"):
        tables[table]["Ethernet8"] = dict(tables[table]["Ethernet0"])
    tables["PORT"]["Ethernet8"]["speed"] = "400000"
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet8"] = "40m"
    tables["BUFFER_PROFILE"]["other"] = tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] | {"xoff": "300000"}
    tables["BUFFER_PG"]["Ethernet8|3-4"] = {"profile": "other"}
    part = part_of(tables, "Ethernet0")
    (line,) = [line for line in part.text.splitlines() if line.startswith("# at_rate")]
    assert line == '# at_rate.400Gbps = { headroom = "300000B" }  # as Ethernet8, where links have this rate'
    text = part.text.replace("# at_rate.400Gbps", "at_rate.400Gbps")
    around = Switches(text, 3, part.control, part.link)
    scenario = xoff.Scenario.from_text(starter(["roce", "leaf_spine", "incast"], around).text)
    faster = scenario.with_values({"topology.fabric_link.rate": "400Gbps", "switch.total": "100MB"})
    sizes = {
        group.rate_bps: group.pause and group.pause.headroom_bytes for group in settings_of(faster).settings.groups
    }
    assert sizes == {100 * 10**9: 80_000, 400 * 10**9: 300_000}


def test_that_other_ports_give_packets_other_classes_is_told() -> None:
    tables = good()
    assert not any("classes_disagree" in note for note in part_of(tables).notes)
    tables["DSCP_TO_TC_MAP"]["OTHER"] = tables["DSCP_TO_TC_MAP"]["AZURE"] | {"26": "1"}
    tables["PORT_QOS_MAP"]["Ethernet4"]["dscp_to_tc_map"] = "OTHER"
    for port, says in (
        ("Ethernet0", "lossless priority 3 at Ethernet0, and no lossless priority at Ethernet4"),
        ("Ethernet4", "no lossless priority at Ethernet4, and lossless priority 3 at Ethernet0"),
    ):
        (note,) = [note for note in part_of(tables, port).notes if "classes_disagree" in note]
        assert note == f"DSCP 26 has {says}: all ports are as {port} (classes_disagree)"


def test_all_memory_of_a_chip_comes_back_where_pools_share_none() -> None:
    """Half of 113 MiB: the chip has two MMUs."""
    found = compute(ROOT / "plans" / "tomahawk_4_dcqcn.toml")
    assert tomllib.loads(imported(exported(found)).text)["switch"][0]["total"] == f"{(113 << 20) // 2}B"


def test_shared_headroom_is_the_part_of_what_all_may_need() -> None:
    plan = (ROOT / "plans" / "trident2_dcqcn.toml").read_text(encoding="utf-8")
    oversubscribed = plan.replace("[headroom]", '[headroom]\nscheme = "oversubscribed"\nratio = "1/2"')
    found = outcome(parse_plan(oversubscribed))
    own = own_scenario(found)["switch"][0]["pfc"]["headroom"]
    part = imported(exported(found))
    came_back = tomllib.loads(part.text)["switch"][0]["pfc"]["headroom"]
    assert came_back == {"scheme": "oversubscribed", "size": own["size"], "ratio": "1/2"}
    assert any(note.startswith("headroom is shared: 2,867,200 B are 1/2 of") for note in part.notes)


@pytest.mark.parametrize("pool", ["0", None])
def test_no_headroom_pool_leaves_each_its_own(pool: str | None) -> None:
    """0 is what SAI has where nothing is set."""
    tables = good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"] |= {} if pool is None else {"xoff": pool}
    part = part_of(tables)
    assert tomllib.loads(part.text)["switch"][0]["pfc"]["headroom"]["scheme"] == "sih"
    assert not any(note.startswith("headroom is shared") for note in part.notes)


def with_more_queues() -> Any:  # noqa: ANN401
    """The good tables with queues 5 to 7, of which 6 goes first."""
    tables = good()
    tables["SCHEDULER"]["first"] = {"type": "STRICT"}
    for port in ("Ethernet0", "Ethernet4"):
        tables["BUFFER_QUEUE"][f"{port}|5-7"] = {"profile": "egress_lossy_profile"}
        tables["QUEUE"][f"{port}|6"] = {"scheduler": "first"}
    return tables


def test_what_roce_answers_with_has_the_class_of_cnps() -> None:
    tables = with_more_queues()
    of_dscp = tables["DSCP_TO_TC_MAP"]["AZURE"]
    assert part_of(tables, "Ethernet0").control == 6
    of_dscp["48"] = "2"
    assert part_of(tables, "Ethernet0").control == 2
    tables["TC_TO_QUEUE_MAP"]["AZURE"]["2"] = "5"
    assert part_of(tables, "Ethernet0").control == 5
    of_dscp["48"] = "3"
    assert part_of(tables, "Ethernet0").control == 7, "class 3 pauses"
    del of_dscp["48"]
    assert part_of(tables, "Ethernet0").control == 7


@pytest.mark.parametrize(("of_cnps", "control"), [("6", 6), ("7", 7)])
def test_the_class_of_cnps_is_written_into_the_scenario(of_cnps: str, control: int) -> None:
    tables = with_more_queues()
    tables["DSCP_TO_TC_MAP"]["AZURE"]["48"] = of_cnps
    part = part_of(tables, "Ethernet0")
    assert f"control_priority = {control} in [transport.NAME]" in part.text.replace("\n# ", " ")
    switches = Switches(part.text, part.data, part.control, part.link)
    transport = tomllib.loads(starter(["roce", "star"], switches).text)["transport"]["roce"]
    assert transport["control_priority"] == control
    assert "control_priority" not in tomllib.loads(starter(["roce", "star"]).text)["transport"]["roce"]


def test_imported_tables_run_in_a_scenario(tmp_path: Path) -> None:
    part = tomllib.loads(part_of(good()).text)
    table = tomllib.loads(starter(["roce", "star"]).text) | part
    table["transport"]["roce"]["control_priority"] = 6
    (tmp_path / "scenario.toml").write_text(toml_text.document(table), encoding="utf-8")
    scenario = xoff.Scenario.load(tmp_path / "scenario.toml")
    assert scenario.check() == ()
    packets = scenario.run().summary["packets"]
    assert packets["dropped"] == 0
    assert packets["marked"] > 0


def test_a_row_of_the_lookup_table_is_as_good_as_a_profile() -> None:
    lookup = (GOOD.parent / "pg_profile_lookup.ini").read_text(encoding="utf-8")
    tables = good()
    del tables["BUFFER_PG"]["Ethernet0|3-4"], tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
    files = [parse("config_db.json", json.dumps(tables)), parse("pg_profile_lookup.ini", lookup)]
    pfc = tomllib.loads(imported(Tables.of(files), "Ethernet0").text)["switch"][0]["pfc"]
    assert pfc["xoff"]["alpha_by_priority"][3:5] == [1, 1]
    assert pfc["headroom"]["scheme"] == "sih"


def test_queues_of_a_line_card_are_those_of_its_ports() -> None:
    tables, chassis = good(), good()
    for table in ("QUEUE", "BUFFER_QUEUE"):
        chassis[table] = {f"linecard1|asic0|{key}": row for key, row in tables[table].items()}
    chassis["DEVICE_METADATA"] = {"localhost": {"hostname": "linecard1", "asic_name": "asic0"}}
    assert part_of(chassis, "Ethernet0").text == part_of(tables, "Ethernet0").text


def test_schedulers_are_weights_and_strict_classes() -> None:
    tables = good()
    tables["SCHEDULER"]["first"] = {"type": "STRICT", "pir": "1000"}
    tables["QUEUE"]["Ethernet0|6"] = {"scheduler": "first"}
    part = part_of(tables, "Ethernet0")
    scheduler = tomllib.loads(part.text)["switch"][0]["scheduler"]
    assert scheduler == {"kind": "deficit_round_robin", "weights": [1, 1, 1, 15, 15, 1, 1, 1], "strict": [6]}
    assert "pir of schedulers, rates of queues, are left out" in part.notes


def test_the_watchdog_comes_with_its_times() -> None:
    tables = good()
    tables["PFC_WD"]["Ethernet0"] = {"action": "forward", "detection_time": "300", "restoration_time": "900"}
    pfc = tomllib.loads(part_of(tables, "Ethernet0").text)["pfc"]
    assert pfc == {"detection_time": "300ms", "watchdog": {"action": "forward", "restoration_time": "900ms"}}
    tables["PFC_WD"]["Ethernet0"]["action"] = "alert"
    assert tomllib.loads(part_of(tables, "Ethernet0").text)["pfc"] == {"detection_time": "300ms"}


def test_what_a_scenario_has_not_is_noted() -> None:
    tables = good()
    tables["MAP_PFC_PRIORITY_TO_QUEUE"]["AZURE"]["4"] = "5"
    tables["BUFFER_PG"]["Ethernet0|0"]["profile"] = "egress_lossy_profile"
    tables["BUFFER_PROFILE"]["egress_lossless_profile"] = {
        "pool": "egress_lossless_pool",
        "size": "0",
        "dynamic_th": "0",
    }
    notes = " ".join(part_of(tables, "Ethernet0").notes)
    assert "priority 4 waits in queue 5: in a scenario both are class 4" in notes
    assert "egress_lossy_profile limits what comes in" in notes
    assert "egress_lossless_profile limits lossless queues" in notes


def trimming(row: dict[str, str], queue: str = "Ethernet0|0-2") -> Part:
    """The good tables, of which a queue trims."""
    tables = good()
    trims = tables["BUFFER_PROFILE"]["egress_lossy_profile"] | {"packet_discard_action": "trim"}
    tables["BUFFER_PROFILE"]["q_lossy_trim_profile"] = trims
    tables["BUFFER_QUEUE"][queue] = {"profile": "q_lossy_trim_profile"}
    tables["SWITCH_TRIMMING"] = {"GLOBAL": row} if row else {}
    return part_of(tables, "Ethernet0")


@pytest.mark.parametrize(
    ("row", "value"),
    [
        ({"size": "256", "dscp_value": "48", "queue_index": "6"}, {"size": "256B", "priority": 6}),
        ({"size": "206", "queue_index": "7"}, {"size": "206B", "priority": 7}),
        # SONiC's default; DSCP 48 leads to queue 6, and DSCP 0 to queue 1.
        ({"dscp_value": "48"}, {"size": "128B", "priority": 6}),
        ({"size": "256", "dscp_value": "0", "queue_index": "dynamic"}, {"size": "256B", "priority": 1}),
        ({"size": "256", "dscp_value": "from-tc", "tc_value": "5"}, {"size": "256B", "priority": 5}),
    ],
)
def test_trimming_is_that_of_the_switch(row: dict[str, str], value: dict[str, object]) -> None:
    part = trimming(row)
    document = tomllib.loads(part.text)
    assert document["switch"][0]["trimming"] == value
    assert value["priority"] in [one["priority"] for one in document["class"]]
    switches = Switches(part.text, part.data, part.control, part.link)
    assert xoff.Scenario.from_text(starter(["roce", "star"], switches).text).to_toml()


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({}, "nothing says into which queue headers go (trimming_unset)"),
        ({"size": "256"}, "nothing says into which queue headers go (trimming_unset)"),
        ({"queue_index": "3"}, "headers go into queue 3, which is lossless, and not in a scenario (headers_paused)"),
        ({"queue_index": "9"}, "headers go into queue 9, and a scenario has classes up to 7"),
        ({"size": "0", "queue_index": "6"}, "nothing is left of packets (size)"),
    ],
)
def test_trimming_that_a_scenario_cannot_have_is_left_out(row: dict[str, str], why: str) -> None:
    part = trimming(row)
    assert "trimming" not in tomllib.loads(part.text)["switch"][0]
    assert f"trimming is left out: {why}" in part.notes


def test_queues_that_do_not_trim_are_told() -> None:
    tables = good()
    tables["SWITCH_TRIMMING"] = {"GLOBAL": {"size": "256", "queue_index": "6"}}
    part = part_of(tables, "Ethernet0")
    assert part.text == part_of(good(), "Ethernet0").text, "no profile asks for it"
    profiles, trimmed = tables["BUFFER_PROFILE"], {"profile": "egress_lossy_profile"}
    profiles["other"] = profiles["egress_lossy_profile"] | {"packet_discard_action": "drop"}
    profiles["egress_lossy_profile"]["packet_discard_action"] = "trim"
    tables["BUFFER_QUEUE"] |= {"Ethernet0|0-2": {"profile": "other"}, "Ethernet0|0": trimmed}
    notes = part_of(tables, "Ethernet0").notes
    assert "a scenario trims in all lossy classes, and the switch not in classes 1 and 2" in notes


def test_priorities_that_pause_without_headroom_are_lossy() -> None:
    tables = good()
    del tables["BUFFER_PG"]["Ethernet0|3-4"]
    part = part_of(tables, "Ethernet0")
    assert "pfc" not in tomllib.loads(part.text)["switch"][0]
    assert part.notes[0] == "priority 3 pauses, and its priority group has no headroom: it is lossy here (xoff lint)"


def test_headroom_that_the_switch_computes_is_that_of_the_scenario() -> None:
    tables = good()
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
    tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {"AZURE": {"default_dynamic_th": "-2"}}
    tables["BUFFER_PG"]["Ethernet0|3-4"]["profile"] = "NULL"
    part = part_of(tables, "Ethernet0")
    pfc = tomllib.loads(part.text)["switch"][0]["pfc"]
    assert pfc["headroom"] == {"scheme": "sih"}
    assert pfc["xoff"]["alpha_by_priority"][3:5] == ["1/4", "1/4"]
    assert "headroom is set by the switch, and in a scenario by its own formula: classes 3 and 4" in part.notes


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """The good tables, of which some value is something else, or not there."""
    tables = place = good()
    key = draw(st.sampled_from(list(tables)))
    while isinstance(place[key], dict) and place[key] and draw(st.booleans()):
        place, key = place[key], draw(st.sampled_from(list(place[key])))
    if draw(st.booleans()):
        del place[key]
    else:
        place[key] = draw(st.sampled_from(["", "0", "1", "-1", "3-4", "7", "99999999999999999999", "NULL", {}]))
    return json.dumps(tables)


@given(damaged(), st.sampled_from(["Ethernet0", "Ethernet4", None]))
def test_damaged_tables_are_checked_scenarios_or_refused(text: str, port: str | None) -> None:
    with contextlib.suppress(InputError):
        part = imported(Tables.parse("t.json", text), port)
        switches = Switches(part.text, part.data, part.control, part.link, pauses=part.lossless is not None)
        xoff.Scenario.from_text(starter(["star"], switches).text).check()


def test_a_pool_without_a_size_is_refused_with_its_place() -> None:
    tables = good()
    del tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"]
    with pytest.raises(InputError) as refused:
        part_of(tables)
    assert (refused.value.file, refused.value.key) == ("config_db.json", "BUFFER_POOL|ingress_lossless_pool|size")
    assert "no table says it" in refused.value.problem


def test_a_pool_that_reserves_do_not_fit_into_is_refused() -> None:
    tables = good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "10000"
    with pytest.raises(
        InputError, match=r"size: does not hold the 18,432 B that priority groups and queues reserve of it"
    ):
        part_of(tables)


def test_a_port_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no row of BUFFER_PG or BUFFER_QUEUE is about it; did you mean Ethernet4"):
        part_of(good(), "Ethernet44")
    with pytest.raises(InputError, match="says nothing of buffers of any port"):
        part_of({"PORT": {"Ethernet0": {"speed": "100000"}}})


def test_ports_of_two_rates_are_one_switch() -> None:
    tables = good()
    two_rates(tables)
    part = part_of(tables, "Ethernet0", ports=12, uplink="Ethernet8", uplinks=4)
    assert (part.link, part.uplink) == (("100Gbps", "203ns"), ("400Gbps", "1516ns"))
    switch = tomllib.loads(part.text)["switch"][0]
    assert switch["pfc"]["at_rate"]["400Gbps"] == {
        "headroom": "350000B",
        "xoff": {"policy": "dynamic_threshold", "alpha_by_priority": [1, 1, 1, 2, 2, 1, 1, 1]},
    }
    faster = switch["marking"]["at_rate"]["400Gbps"]["queue_by_priority"]
    assert {one: marker["maximum"] for one, marker in faster.items()} == {"3": "1638400B", "4": "1638400B"}
    of_one_rate = tomllib.loads(part_of(tables, "Ethernet0", ports=12).text)["switch"][0]
    more = int(switch["total"][:-1]) - int(of_one_rate["total"][:-1])
    assert more == 4 * 2 * (350_000 - 80_000)


@pytest.mark.parametrize(
    ("uplink", "told"),
    [
        ("Ethernet4", "--uplink Ethernet4: has no link of another rate than Ethernet0"),
        ("Ethernet9", "--port Ethernet9: no row of BUFFER_PG or BUFFER_QUEUE is about it"),
    ],
)
def test_an_uplink_must_be_another_port_with_the_same_classes(uplink: str, told: str) -> None:
    tables = good()
    two_rates(tables)
    with pytest.raises(InputError, match=told):
        part_of(tables, "Ethernet0", uplink=uplink)
    tables["PORT_QOS_MAP"]["Ethernet8"]["pfc_enable"] = "3"
    with pytest.raises(InputError, match="--uplink Ethernet8: has other classes than Ethernet0; expected the same"):
        part_of(tables, "Ethernet0", uplink="Ethernet8")
