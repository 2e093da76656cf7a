"""A scenario's switch put onto the tables it began with: they then come to what it says, and to nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import xoff
from conftest import ROOT, examples, two_rates
from strategies import RED, powers_of_two
from xoff.errors import InputError, ScenarioError
from xoff.scenario import catalogue
from xoff.starters import Switches, starter
from xoff.switches.sonic import ConfigFile
from xoff.switches.switch_tables import SwitchTables

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from xoff.switches.importing import Part
    from xoff.switches.onto import Onto

EXAMPLES = ROOT / "examples" / "sonic"
GOOD = EXAMPLES / "good" / "config_db.json"
LOOKUP = EXAMPLES / "good" / "pg_profile_lookup.ini"
BY_RATE = ROOT / "plans" / "trident_3_dctcp.toml"
OF_ONE_RATE = sorted({*(ROOT / "plans").glob("*.toml")} - {BY_RATE})
MARKING = "switch.marking.queue_by_priority"


def part_of(tables: SwitchTables, port: str | None = None) -> Part:
    """For as many ports as the leaves of `scenario_of` have."""
    return tables.part_of_scenario(port, 12)


def scenario_of(part: Part) -> xoff.Scenario:
    if part.lossless is None:
        around = xoff.Scenario.from_text((ROOT / "scenarios" / "web_search.toml").read_text(encoding="utf-8"))
        document = tomllib.loads(around.to_toml()) | tomllib.loads(part.text)
        for workload in document["workload"]:
            workload["priority"] = part.control
        for link in ("host_link", "fabric_link"):
            document["topology"][link] |= dict(zip(("rate", "delay"), part.link or (), strict=False))
        return xoff.Scenario.from_dict(document)
    return xoff.Scenario.from_text(
        starter(["roce", "leaf_spine", "incast"], Switches(part.text, part.lossless, part.control, part.link)).text
    )


def switch_part(part: Part) -> Any:  # noqa: ANN401 tables of TOML
    return tomllib.loads(part.text)


def put(tables: SwitchTables, changes: Mapping[str, object], port: str | None = None) -> Onto:
    return tables.with_switch_of(scenario_of(part_of(tables, port)).with_values(changes), port=port)


def written(found: Onto, folder: Path) -> SwitchTables:
    for name, text in found.texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return SwitchTables.load(*(folder / name for name in found.texts))


def memory(tables: SwitchTables) -> int:
    """Of all pools, and of the headroom beside them."""
    ((file,),) = tables.switches
    assert isinstance(file, ConfigFile)
    pools = file.config.buffer_pool
    return sum(
        (pools[name].size or 0) + (pools[name].xoff or 0) for name in ("ingress_lossless_pool", "egress_lossy_pool")
    )


@pytest.fixture
def exported(tmp_path: Path, request: pytest.FixtureRequest) -> SwitchTables:
    """Returns the tables that a plan is exported to."""
    path = tmp_path / "config_db.json"
    path.write_text(xoff.SwitchPlan.load(request.param).export("sonic").text, encoding="utf-8")
    return SwitchTables.load(path)


@pytest.mark.parametrize("exported", OF_ONE_RATE, indirect=True, ids=lambda path: path.stem)
def test_a_scenario_as_it_was_imported_changes_nothing(exported: SwitchTables) -> None:
    for tables in (exported, SwitchTables.load(GOOD, LOOKUP), SwitchTables.load(*(EXAMPLES / "leaf").iterdir())):
        found = put(tables, {})
        assert (found.puts, found.undone, found.notes, found.findings, found.diff) == ((), (), (), (), "")


@pytest.mark.parametrize("exported", [BY_RATE], indirect=True, ids=lambda path: path.stem)
@pytest.mark.parametrize("port", ["Ethernet0", "Ethernet48"])
def test_nor_does_it_where_ports_of_each_rate_have_marks_of_their_own(exported: SwitchTables, port: str) -> None:
    found = put(exported, {}, port)
    assert (found.puts, found.undone, found.findings, found.diff) == ((), (), (), "")


POWERS = powers_of_two(-8)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        f"{MARKING}.3": RED
        | st.builds(lambda threshold: {"kind": "threshold", "threshold": f"{threshold}B"}, st.integers(1, 1 << 20)),
        "switch.buffer.alpha_by_priority": POWERS.map(lambda alpha: [alpha] * 3 + [1] * 5),
        "switch.pfc.xoff.alpha_by_priority": POWERS.map(lambda alpha: [1] * 3 + [alpha] * 2 + [1] * 3),
        "switch.reserved_per_queue": st.integers(1, 10_000).map("{}B".format),
        "switch.pfc.headroom.size": st.integers(1, 200_000).map("{}B".format),
        "switch.pfc.reserved": st.integers(1, 20_000).map("{}B".format),
        "switch.pfc.xon_offset": st.integers(0, 50_000).map("{}B".format),
        "switch.pfc.lossless_pool": st.integers(20_000_000, 40_000_000).map("{}B".format),
        "pfc.detection_time": st.integers(100, 5000).map("{}ms".format),
        "pfc.watchdog.action": st.sampled_from(["drop", "forward"]),
        "pfc.watchdog.restoration_time": st.integers(100, 5000).map("{}ms".format),
    },
)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=CHANGES)
@example(changes={"switch.pfc.lossless_pool": "30621569B"})  # more than egress_lossless_profile lets a queue hold
def test_what_a_scenario_says_comes_back_from_the_tables(changes: dict[str, object], tmp_path: Path) -> None:
    if f"{MARKING}.3" in changes:
        changes |= {f"{MARKING}.4": changes[f"{MARKING}.3"]}  # which has the same profile
    tables = SwitchTables.load(GOOD)
    found = put(tables, changes, "Ethernet0")
    assert found.undone == ()
    assert "switch.total" not in str(found.notes)
    after = written(found, tmp_path)
    wanted = scenario_of(part_of(tables, "Ethernet0")).with_values(changes | {"switch.total": "60MB"})
    there = scenario_of(part_of(after, "Ethernet0")).with_value("switch.total", "60MB")
    assert wanted.digest() == there.digest()
    assert memory(after) == memory(tables)
    assert put(after, {}, "Ethernet0").puts == ()


def test_nothing_but_the_values_changes_in_the_text() -> None:
    found = put(
        SwitchTables.load(GOOD), {"switch.pfc.headroom.size": "90kB", "switch.pfc.xoff.alpha_by_priority": [2] * 8}
    )
    before, after = GOOD.read_text(encoding="utf-8"), found.texts["config_db.json"]
    number = re.compile(r"-?\d+")
    assert number.sub("#", before) == number.sub("#", after)


def test_ports_that_said_the_same_change_and_others_do_not() -> None:
    changes = {"switch.pfc.headroom.size": "90kB", "switch.pfc.xoff.alpha_by_priority": [2] * 8}
    found = put(SwitchTables.load(GOOD), changes, "Ethernet0")
    profiles = json.loads(found.texts["config_db.json"])["BUFFER_PROFILE"]
    near, far = (profiles[f"pg_lossless_100000_{length}m_profile"] for length in (40, 300))
    assert (near["dynamic_th"], far["dynamic_th"]) == ("1", "1")
    assert (near["xoff"], far["xoff"]) == ("90000", "120000")
    assert found.notes == ("Ethernet4 said otherwise of switch.pfc.headroom.size before, and still says so",)


@pytest.mark.parametrize(("xoff", "more"), [("2000000", 0), (None, 2 * 10_000)])
def test_lossy_classes_have_what_others_leave_of_the_memory(xoff: str | None, more: int, tmp_path: Path) -> None:
    """A pool becomes 1 MB smaller; lossless classes of Ethernet0 get 10 kB more headroom each, from a pool or not."""
    tables = json.loads(GOOD.read_text(encoding="utf-8"))
    tables["BUFFER_POOL"]["ingress_lossless_pool"] |= {"xoff": xoff}
    if xoff is None:
        del tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"]
    path = tmp_path / "config_db.json"
    path.write_text(json.dumps(tables), encoding="utf-8")
    found = put(
        SwitchTables.load(path),
        {"switch.pfc.headroom.size": "90kB", "switch.pfc.lossless_pool": "28981568B"},
        "Ethernet0",
    )
    pools = json.loads(found.texts["config_db.json"])["BUFFER_POOL"]
    assert pools["ingress_lossless_pool"]["size"] == str(30_000_000 - 1_000_000)
    assert pools["egress_lossy_pool"]["size"] == str(24_000_000 + 1_000_000 - more)
    whole = json.loads(found.texts["config_db.json"])["BUFFER_PROFILE"]["ingress_lossy_profile"]
    assert whole["static_th"] == "29000000"  # it may have all of its pool, as before


def test_memory_of_another_switch_leaves_the_pools_as_they_are() -> None:
    found = put(SwitchTables.load(GOOD), {"switch.total": "64MB", "switch.pfc.headroom.size": "90kB"}, "Ethernet0")
    assert [put.path[0] for put in found.puts] == ["BUFFER_PROFILE"]
    assert found.notes[-1].startswith("switch.total: 64000000B is not what the tables have")


def test_what_a_profile_has_for_two_classes_cannot_be_said_of_one() -> None:
    maximum = f"{MARKING}.{{}}.maximum".format
    found = put(SwitchTables.load(GOOD), {maximum(3): "500kB"}, "Ethernet0")
    assert found.undone == ()
    assert found.notes[0].startswith(f"{maximum(4)} becomes 500000B, too, and not 409600B as in the scenario")
    (undone,) = put(SwitchTables.load(GOOD), {maximum(3): "500kB", maximum(4): "600kB"}, "Ethernet0").undone
    assert undone.told == f"{maximum(3)} = 500000B in the scenario, and the tables come to 600000B"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"switch.buffer": {"policy": "abm"}}, "switch.buffer.policy = abm in the scenario, and the tables come to"),
        ({"switch.pfc.xoff.alpha_by_priority": [3] * 8}, "xoff.alpha_by_priority[3] = 3 in the scenario, and the"),
        ({f"{MARKING}.3.probability": 0.123, f"{MARKING}.4.probability": 0.123}, "probability = 0.123 in the scenario"),
        ({"switch.marking.pool": {"kind": "threshold", "threshold": "1MB"}}, "switch.marking.pool = "),
        ({f"{MARKING}.1": {"kind": "threshold", "threshold": "1MB"}}, "1.minimum = 1000000B in the scenario, and the"),
    ],
)
def test_what_tables_cannot_say_is_told(changes: dict[str, object], told: str) -> None:
    found = put(SwitchTables.load(GOOD), changes, "Ethernet0")
    assert told in "\n".join(undone.told for undone in found.undone)


def test_a_lookup_table_changes_where_the_switch_makes_its_profiles_from_it(tmp_path: Path) -> None:
    tables = json.loads(GOOD.read_text(encoding="utf-8"))
    tables["BUFFER_PROFILE"] = {
        name: row for name, row in tables["BUFFER_PROFILE"].items() if not name.startswith("pg_lossless")
    }
    tables["BUFFER_PG"] = {key: row for key, row in tables["BUFFER_PG"].items() if not key.endswith("3-4")}
    config, lookup = tmp_path / "config_db.json", tmp_path / "pg_profile_lookup.ini"
    config.write_text(json.dumps(tables), encoding="utf-8")
    lookup.write_text(LOOKUP.read_text(encoding="utf-8"), encoding="utf-8")
    changes = {"switch.pfc.headroom.size": "91kB", "switch.pfc.xoff.alpha_by_priority": ["1/4"] * 8}
    found = put(SwitchTables.load(config, lookup), changes, "Ethernet0")
    assert found.undone == ()
    before, after = (text.splitlines() for text in (lookup.read_text("utf-8"), found.texts[lookup.name]))
    changed = [(old.split(), new.split()) for old, new in zip(before, after, strict=True) if old != new]
    near = next((old, new) for old, new in changed if old[:2] == ["100000", "40m"])
    assert [new for old, new in zip(*near, strict=True) if old != new] == ["91000", "-2"]
    assert (found.json_patch(), found.beside_config) == ([], [str(lookup)])


def test_each_mmu_has_its_part(tmp_path: Path) -> None:
    path = tmp_path / "config_db.json"
    plan = xoff.SwitchPlan.load(ROOT / "plans" / "tomahawk_4_dcqcn.toml")
    path.write_text(plan.export("sonic").text, encoding="utf-8")
    tables = SwitchTables.load(path, chip="tomahawk_4")
    before = switch_part(part_of(tables))["switch"][0]["pfc"]["lossless_pool"]
    less = f"{int(before.removesuffix('B')) - 100_000}B"
    found = put(tables, {"switch.pfc.lossless_pool": less})
    pools = (json.loads(text)["BUFFER_POOL"] for text in (path.read_text("utf-8"), found.texts[path.name]))
    sizes = [int(pool["ingress_lossless_pool"]["size"]) for pool in pools]
    mmus = next(chip["mmus"] for chip in catalogue.chips() if chip["name"] == "tomahawk_4")
    assert mmus > 1
    assert sizes[0] - sizes[1] == 100_000 * mmus
    (note,) = SwitchTables.load(path).with_switch_of(scenario_of(part_of(tables))).notes
    assert note.endswith("pools stay as they are; if the scenario was made with --chip, give it here, too")


def test_a_size_that_holds_headroom_grows_with_it(tmp_path: Path) -> None:
    """As Spectrum has it."""
    tables = json.loads(GOOD.read_text(encoding="utf-8"))
    del tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"]
    tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] |= {"size": "100000", "xon": "20000", "xoff": "80000"}
    path = tmp_path / "config_db.json"
    path.write_text(json.dumps(tables), encoding="utf-8")
    found = put(SwitchTables.load(path), {"switch.pfc.headroom.size": "90kB"}, "Ethernet0")
    profile = json.loads(found.texts[path.name])["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
    assert (profile["size"], profile["xoff"], found.undone) == ("110000", "90000", ())


@pytest.mark.parametrize("before", ["80000", 80_000])
def test_a_patch_does_what_the_text_does(before: str | int, tmp_path: Path) -> None:
    def lacks_a_field(tables: Any) -> None:  # noqa: ANN401
        profile = tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
        del profile["xon_offset"]
        profile["xoff"] = before

    changes = {"switch.pfc.headroom.size": "90kB", "switch.pfc.xon_offset": "9kB"}
    tables = config(tmp_path, lacks_a_field)
    found = tables.with_switch_of(scenario_of(part_of(SwitchTables.load(GOOD), "Ethernet0")).with_values(changes))
    patched = json.loads((tmp_path / "config_db.json").read_text(encoding="utf-8"))
    for step in found.json_patch():
        table, row, field = step["path"].strip("/").split("/")
        assert step["op"] == ("replace" if field in patched[table][row] else "add")
        patched[table][row][field] = step["value"]
    assert patched == after(found)
    assert type(patched["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["xoff"]) is type(before)


def test_what_makes_tables_worse_is_found() -> None:
    found = put(SwitchTables.load(GOOD), {"switch.pfc.headroom.size": "2kB"}, "Ethernet0")
    assert {finding.check for finding in found.findings} == {"headroom_below_cable"}


def test_other_classes_are_refused() -> None:
    scenario = scenario_of(part_of(SwitchTables.load(GOOD), "Ethernet0"))
    text = scenario.to_toml().replace("priority = 1\nlossless = false", "priority = 1\nlossless = true", 1)
    with pytest.raises(
        ScenarioError, match=r"class: has classes 0, 1 lossless, 2, 3 lossless.* Ethernet0 has classes 0, 1, 2"
    ):
        SwitchTables.load(GOOD).with_switch_of(xoff.Scenario.from_text(text), port="Ethernet0")


def test_switches_that_differ_are_named() -> None:
    scenario = scenario_of(part_of(SwitchTables.load(GOOD), "Ethernet0"))
    tables = SwitchTables.load(GOOD)
    both = tomllib.loads(scenario.to_toml())
    both["switch"].append({"nodes": "spine*", "pfc": {"xon_offset": "9kB"}})
    differing = xoff.Scenario.from_dict(both)
    with pytest.raises(
        ScenarioError, match=r"switch: has switches that differ; expected --switch with one of them, such as leaf0 or"
    ):
        tables.with_switch_of(differing, port="Ethernet0")
    assert tables.with_switch_of(differing, "leaf0", "Ethernet0").puts == ()
    assert {put.after for put in tables.with_switch_of(differing, "spine0", "Ethernet0").puts} == {"9000"}
    with pytest.raises(
        ScenarioError, match="--switch tor0: the scenario has no such switch; expected one of leaf0 to spine3"
    ):
        tables.with_switch_of(differing, "tor0", "Ethernet0")


def config(folder: Path, change: Callable[[Any], None], **options: object) -> SwitchTables:
    """The good tables with some change."""
    tables = json.loads(GOOD.read_text(encoding="utf-8"))
    change(tables)
    path = folder / "config_db.json"
    path.write_text(json.dumps(tables, **options), encoding="utf-8")  # type: ignore[arg-type]
    return SwitchTables.load(path)


def after(found: Onto) -> Any:  # noqa: ANN401 tables of JSON
    return json.loads(found.texts["config_db.json"])


def test_another_policy_changes_nothing(tmp_path: Path) -> None:
    """A row has one kind of threshold, and two would be none."""
    static = {"switch.pfc.xoff": {"policy": "static_threshold", "threshold": "200kB"}}
    found = put(SwitchTables.load(GOOD), static, "Ethernet0")
    assert found.puts == ()
    assert {undone.key.name for undone in found.undone} == {
        "switch.pfc.xoff.policy",
        "switch.pfc.xoff.threshold",
        "switch.pfc.xoff.alpha_by_priority[{}]",
    }


@pytest.mark.parametrize(
    ("key", "told"),
    [
        (
            "switch.marking.queue_by_priority.4",
            f"{MARKING}.4.minimum is not in the scenario, and the tables come to 102400B",
        ),
        ("pfc.watchdog", "pfc.watchdog.action is not in the scenario, and the tables come to drop"),
    ],
)
def test_what_the_scenario_turns_off_is_told(key: str, told: str) -> None:
    found = put(SwitchTables.load(GOOD), {key: None}, "Ethernet0")
    assert told in [undone.told for undone in found.undone]
    assert found.puts == ()


def test_what_the_scenario_leaves_to_formulas_is_put() -> None:
    found = put(SwitchTables.load(GOOD), {"switch.pfc.headroom.size": None}, "Ethernet0")
    assert found.undone == ()
    (size,) = [put.after for put in found.puts if put.path[-1] == "xoff"]
    assert 0 < int(size) < 80_000  # both packets and the reaction by IEEE 802.3, at 1 KiB of payload


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("switch.reserved_per_port", "5kB"),
        ("switch.ports_per_pool", 6),
        ("switch.scheduler.quantum", "3000B"),
        ("switch.pfc.headroom.at_ports", [{"ports": [0], "size": "500kB"}]),
    ],
)
def test_what_no_row_says_is_told(key: str, value: object) -> None:
    changes = {key: value}
    if key == "switch.reserved_per_port":
        changes["switch.reserved_per_queue"] = "0B"
    assert key in {undone.key.name for undone in put(SwitchTables.load(GOOD), changes, "Ethernet0").undone}


def test_headroom_and_reserve_in_one_field_change_together(tmp_path: Path) -> None:
    def spectrum(tables: Any) -> None:  # noqa: ANN401
        del tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"]
        tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] |= {"size": "84608", "xon": "4608"}

    changes = {"switch.pfc.headroom.size": "100kB", "switch.pfc.reserved": "6000B"}
    found = put(config(tmp_path, spectrum), changes, "Ethernet0")
    profile = after(found)["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
    assert (profile["size"], profile["xoff"], found.undone) == ("106000", "100000", ())


def test_what_stands_in_the_way_is_changed_too(tmp_path: Path) -> None:
    """A static threshold has an XON of its own, which stays as far below it."""

    def static(tables: Any) -> None:  # noqa: ANN401
        for name in ("pg_lossless_100000_40m_profile", "pg_lossless_100000_300m_profile"):
            profile = tables["BUFFER_PROFILE"][name]
            del profile["dynamic_th"], profile["xon_offset"]
            profile |= {"static_th": "300000", "xon": "18000"}

    found = put(config(tmp_path, static), {"switch.pfc.xoff.threshold": "400kB"}, "Ethernet0")
    profile = after(found)["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]
    assert (profile["static_th"], profile["xon"], found.undone) == ("400000", "118000", ())


def test_ports_with_other_classes_that_share_rows_are_named(tmp_path: Path) -> None:
    def third(tables: Any) -> None:  # noqa: ANN401
        for table in ("PORT", "PORT_QOS_MAP", "PFC_WD"):
            tables[table]["Ethernet8"] = dict(tables[table]["Ethernet0"])
        tables["CABLE_LENGTH"]["AZURE"]["Ethernet8"] = "40m"
        tables["PORT_QOS_MAP"]["Ethernet8"] |= {"pfc_enable": "3", "pfcwd_sw_enable": "3"}
        tables["BUFFER_PG"] |= {
            "Ethernet8|0": {"profile": "ingress_lossy_profile"},
            "Ethernet8|3": {"profile": "pg_lossless_100000_40m_profile"},
        }

    tables = config(tmp_path, third)
    found = put(tables, {"switch.pfc.headroom.size": "60kB"}, "Ethernet0")
    assert "Ethernet8 has other classes and changes with these rows: switch.pfc.headroom.size" in found.notes
    found = put(tables, {"pfc.watchdog.restoration_time": "300ms"}, "Ethernet0")
    assert "Ethernet8 has other classes and stays as it is" in found.notes


def test_fields_go_into_rows_that_have_none(tmp_path: Path) -> None:
    found = put(config(tmp_path, lambda tables: tables["PFC_WD"].update({"Ethernet0": {}})), {}, "Ethernet0")
    assert found.puts == ()
    changes = {"pfc.watchdog": {"action": "forward", "restoration_time": "300ms"}, "pfc.detection_time": "400ms"}
    found = put(config(tmp_path, lambda tables: tables["PFC_WD"].update({"Ethernet0": {}})), changes, "Ethernet0")
    own = {"action": "forward", "detection_time": "400", "restoration_time": "300"}
    assert after(found)["PFC_WD"]["Ethernet0"] == own


def test_what_sonic_would_refuse_stays_as_it_is() -> None:
    changes = {
        "pfc.detection_time": "0.4ms",
        "pfc.watchdog.restoration_time": "50ms",
        f"{MARKING}.3.probability": 0.001,
    }
    found = put(SwitchTables.load(GOOD), changes, "Ethernet0")
    assert found.puts == ()
    assert {str(undone.key) for undone in found.undone} == changes.keys()


def test_pools_of_a_switch_with_other_memory_stay() -> None:
    changes = {"switch.total": "40MB", "switch.pfc.lossless_pool": "15MB"}
    found = put(SwitchTables.load(GOOD), changes, "Ethernet0")
    assert found.puts == ()
    assert [str(undone.key) for undone in found.undone] == ["switch.pfc.lossless_pool"]


def test_ends_of_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "config_db.json"
    path.write_bytes(GOOD.read_bytes().replace(b"\n", b"\r\n"))
    found = put(SwitchTables.load(path), {"switch.pfc.headroom.size": "90kB"}, "Ethernet0")
    assert found.texts[path.name].encode() == path.read_bytes().replace(b'"xoff": "80000"', b'"xoff": "90000"')


def scenario_of_two_rates(tables: SwitchTables) -> xoff.Scenario:
    part = tables.part_of_scenario("Ethernet0", 12, "Ethernet8", 4)
    assert part.lossless is not None
    switches = Switches(part.text, part.lossless, part.control, part.link, part.uplink)
    return xoff.Scenario.from_text(starter(["roce", "leaf_spine", "incast"], switches).text)


def test_ports_of_two_rates_are_put_one_rate_after_the_other(tmp_path: Path) -> None:
    tables = config(tmp_path, two_rates)
    scenario = scenario_of_two_rates(tables)
    for port in ("Ethernet0", "Ethernet8"):
        unchanged = tables.with_switch_of(scenario, port=port)
        assert (unchanged.puts, unchanged.undone) == ((), ())
        assert "is put with --port" in unchanged.notes[0]
    assert unchanged.notes[0] == (
        "Ethernet0 and 1 more: what the scenario says of links of 100 Gb/s is left out here, and is put with --port "
        "Ethernet0"
    )
    at_rate = 'switch.pfc.at_rate."400Gbps"'
    changed = scenario.with_values({f"{at_rate}.headroom": "370kB", "switch.pfc.headroom.size": "90kB"})
    for port, value in (("Ethernet0", "90000"), ("Ethernet8", "370000")):
        assert [put.after for put in tables.with_switch_of(changed, port=port).puts] == [value]


def faster(tables: Any) -> None:  # noqa: ANN401
    """Ethernet4 has 400 Gb/s."""
    tables["PORT"]["Ethernet4"]["speed"] = "400000"
    profile = tables["BUFFER_PROFILE"].pop("pg_lossless_100000_300m_profile")
    tables["BUFFER_PROFILE"]["pg_lossless_400000_300m_profile"] = profile | {"xoff": "300000"}
    tables["BUFFER_PG"]["Ethernet4|3-4"] = {"profile": "pg_lossless_400000_300m_profile"}


@pytest.mark.parametrize("change", [lambda _: None, faster], ids=["another_cable", "another_rate"])
def test_headroom_goes_to_the_port_whose_link_the_scenario_has(change: Callable[[Any], None], tmp_path: Path) -> None:
    tables = config(tmp_path, change)
    scenario = scenario_of(part_of(tables, "Ethernet0"))
    assert tables.with_switch_of(scenario).puts == ()
    changed = tables.with_switch_of(scenario.with_value("switch.pfc.headroom.size", "90kB"))
    assert [(put.path[1], put.after) for put in changed.puts] == [("pg_lossless_100000_40m_profile", "90000")]


def test_of_several_such_ports_it_goes_to_the_one_with_most_headroom(tmp_path: Path) -> None:
    def near(tables: Any) -> None:  # noqa: ANN401
        tables["CABLE_LENGTH"]["AZURE"]["Ethernet4"] = "40m"

    found = put(config(tmp_path, near), {"switch.pfc.headroom.size": "130kB"})
    assert [(put.path[1], put.after) for put in found.puts] == [("pg_lossless_100000_300m_profile", "130000")]
    assert found.notes[0].startswith("the rows are those of Ethernet4, since --port says nothing else")


def test_a_link_with_a_rate_each_way_is_refused() -> None:
    tables = SwitchTables.load(GOOD)
    changed = scenario_of(part_of(tables, "Ethernet0")).with_values({"topology.fabric_link.rate_back": "40Gbps"})
    with pytest.raises(ScenarioError, match=r"topology: leaf0\.port\d+ sends at another rate than it receives"):
        tables.with_switch_of(changed, "leaf0", "Ethernet0")


def test_a_port_whose_rate_the_scenario_has_not_is_refused(tmp_path: Path) -> None:
    tables = config(tmp_path, faster)
    scenario = scenario_of(part_of(tables, "Ethernet0"))
    told = "--port Ethernet4: its rate, 400 Gb/s, is that of no link of the scenario (100 Gb/s with 203 ns); expected "
    with pytest.raises(InputError, match=re.escape(f"{told}--port with one of that rate: Ethernet0 (100 Gb/s")):
        tables.with_switch_of(scenario, port="Ethernet4")
    links = {f"topology.{link}.rate": "200Gbps" for link in ("host_link", "fabric_link")}
    with pytest.raises(ScenarioError, match=r"topology: its links .* expected links as the ports have them: Ethernet0"):
        tables.with_switch_of(scenario.with_values(links))


def test_a_port_with_another_cable_is_told() -> None:
    tables = SwitchTables.load(GOOD)
    found = tables.with_switch_of(scenario_of(part_of(tables, "Ethernet0")), port="Ethernet4")
    assert [put.after for put in found.puts] == ["80000"]
    told = (
        "Ethernet4 (100 Gb/s with 1516 ns, 300 m of cable) has another cable than the scenario (100 Gb/s with 203 ns)"
    )
    assert f"{told}, whose headroom is put all the same" in found.notes


@pytest.mark.parametrize("delay", ["0ns", "200ns", "600ns"])
def test_a_delay_of_no_whole_metres_has_the_cable_that_is_exported(delay: str, tmp_path: Path) -> None:
    links = {f"topology.{link}.delay": delay for link in ("host_link", "fabric_link")}
    scenario = scenario_of(part_of(SwitchTables.load(GOOD), "Ethernet0")).with_values(links)
    path = tmp_path / "config_db.json"
    path.write_text(scenario.export("sonic", switch="leaf0").text, encoding="utf-8")
    assert SwitchTables.load(path).with_switch_of(scenario, "leaf0").puts == ()


def trimming_scenario(tables: SwitchTables, changes: Mapping[str, object]) -> xoff.Scenario:
    """Data of RoCE with selective repeat, in class 1."""
    selective = {"kind": "selective_repeat", "window": "1MB"}
    own = {"workload.priority": 1, "transport.roce.recovery": selective}
    return scenario_of(part_of(tables, "Ethernet0")).with_values(own | dict(changes))


HEADERS = {"switch.trimming": {"size": "256B", "priority": 6}}


def test_trimming_goes_onto_tables_that_have_none(tmp_path: Path) -> None:
    tables = SwitchTables.load(GOOD)
    scenario = trimming_scenario(tables, HEADERS)
    found = tables.with_switch_of(scenario, port="Ethernet0")
    assert found.undone == ()
    assert {finding.check for finding in found.findings} == {"headers_without_room"}, (
        "as import told: no row of queue 6"
    )
    new = after(found)
    assert new["SWITCH_TRIMMING"] == {"GLOBAL": {"size": "256", "queue_index": "6", "dscp_value": "48"}}
    own = json.loads(GOOD.read_text(encoding="utf-8"))["BUFFER_PROFILE"]["egress_lossy_profile"]
    assert new["BUFFER_PROFILE"]["egress_lossy_profile"] == own, "ports name it, too, for which SONiC trims nothing"
    assert new["BUFFER_PROFILE"]["egress_lossy_profile_trim"] == own | {"packet_discard_action": "trim"}
    assert {new["BUFFER_QUEUE"][f"{port}|0-2"]["profile"] for port in ("Ethernet0", "Ethernet4")} == {
        "egress_lossy_profile_trim"
    }
    there = written(found, tmp_path)
    assert there.with_switch_of(scenario, port="Ethernet0").puts == ()
    assert put(there, {}, "Ethernet0").puts == ()


def test_trimming_that_was_exported_stays_as_it_is(tmp_path: Path) -> None:
    scenario = xoff.Scenario.load(ROOT / "scenarios" / "trimming.toml")
    path = tmp_path / "config_db.json"
    path.write_text(scenario.export("sonic", switch="leaf0").text, encoding="utf-8")
    tables = SwitchTables.load(path)
    found = put(tables, {})
    assert (found.puts, found.undone, found.findings, found.diff) == ((), (), (), "")
    changes = {"class": [{"priority": one} for one in (0, 6, 7)], "switch.trimming.size": "256B"}
    found = tables.with_switch_of(scenario.with_values(changes), "leaf0")
    assert [(one.path[-1], one.after) for one in found.puts] == [("size", "256")]


def test_a_profile_that_queues_alone_have_trims_itself(tmp_path: Path) -> None:
    def of_queues_alone(tables: Any) -> None:  # noqa: ANN401
        del tables["BUFFER_PORT_EGRESS_PROFILE_LIST"]

    tables = config(tmp_path, of_queues_alone)
    found = tables.with_switch_of(trimming_scenario(tables, HEADERS), port="Ethernet0")
    assert after(found)["BUFFER_PROFILE"]["egress_lossy_profile"]["packet_discard_action"] == "trim"
    assert [one.path[0] for one in found.puts].count("BUFFER_QUEUE") == 0


@pytest.mark.parametrize("row", [[], {"GLOBAL": "on"}, {"GLOBAL": {"size": "small"}}])
def test_trimming_that_is_invalid_stays_as_it_is(row: object, tmp_path: Path) -> None:
    tables = config(tmp_path, lambda tables: tables.update({"SWITCH_TRIMMING": row}))
    found = tables.with_switch_of(trimming_scenario(tables, HEADERS), port="Ethernet0")
    assert found.puts == ()
    assert "switch.trimming = true in the scenario, and the tables come to false" in [one.told for one in found.undone]


def test_a_copy_of_a_profile_has_a_name_of_its_own(tmp_path: Path) -> None:
    def has_one(tables: Any) -> None:  # noqa: ANN401
        tables["BUFFER_PROFILE"]["egress_lossy_profile_trim"] = tables["BUFFER_PROFILE"]["egress_lossless_profile"]

    tables = config(tmp_path, has_one)
    new = after(tables.with_switch_of(trimming_scenario(tables, HEADERS), port="Ethernet0"))
    assert new["BUFFER_QUEUE"]["Ethernet0|0-2"]["profile"] == "egress_lossy_profile_trim_2"
    assert new["BUFFER_PROFILE"]["egress_lossy_profile_trim"] == new["BUFFER_PROFILE"]["egress_lossless_profile"]


def test_queues_beside_a_lossless_one_in_a_row_do_not_trim(tmp_path: Path) -> None:
    def in_one_row(tables: Any) -> None:  # noqa: ANN401
        for port in ("Ethernet0", "Ethernet4"):
            del tables["BUFFER_QUEUE"][f"{port}|3-4"]
            tables["BUFFER_QUEUE"][f"{port}|0-4"] = tables["BUFFER_QUEUE"].pop(f"{port}|0-2")

    tables = config(tmp_path, in_one_row)
    found = tables.with_switch_of(trimming_scenario(tables, HEADERS), port="Ethernet0")
    assert found.puts == ()


def test_a_patch_adds_rows_and_tables_as_a_whole() -> None:
    tables = SwitchTables.load(GOOD)
    found = tables.with_switch_of(trimming_scenario(tables, HEADERS), port="Ethernet0")
    patched = json.loads(GOOD.read_text(encoding="utf-8"))
    for step in found.json_patch():
        *parents, last = step["path"].strip("/").split("/")
        place = patched
        for parent in parents:
            place = place[parent]
        assert step["op"] == ("replace" if last in place else "add")
        place[last] = step["value"]
    assert patched == after(found)


def trimming_tables(folder: Path, row: Mapping[str, str]) -> SwitchTables:
    """The good tables, whose lossy queues trim, with a buffer for headers."""

    def trims(tables: Any) -> None:  # noqa: ANN401
        profile = tables["BUFFER_PROFILE"]["egress_lossy_profile"] | {"packet_discard_action": "trim"}
        tables["BUFFER_PROFILE"]["q_lossy_trim_profile"] = profile
        for port in ("Ethernet0", "Ethernet4"):
            tables["BUFFER_QUEUE"][f"{port}|0-2"] = {"profile": "q_lossy_trim_profile"}
            tables["BUFFER_QUEUE"][f"{port}|5-6"] = {"profile": "egress_lossy_profile"}
        tables["SWITCH_TRIMMING"] = {"GLOBAL": dict(row)}

    return config(folder, trims)


@pytest.mark.parametrize(
    ("row", "changed"),
    [
        (
            {"size": "256", "dscp_value": "48", "queue_index": "6"},
            {"size": "512", "dscp_value": "40", "queue_index": "5"},
        ),
        ({"size": "256", "dscp_value": "from-tc", "tc_value": "6"}, {"size": "512", "queue_index": "5"}),
    ],
)
def test_trimming_changes_row_by_row(row: dict[str, str], changed: dict[str, str], tmp_path: Path) -> None:
    tables = trimming_tables(tmp_path, row)
    found = put(tables, {}, "Ethernet0")
    assert (found.puts, found.undone, found.diff) == ((), (), "")
    found = put(tables, {"switch.trimming": {"size": "512B", "priority": 5}}, "Ethernet0")
    assert found.undone == ()
    assert after(found)["SWITCH_TRIMMING"]["GLOBAL"] == row | changed


def test_trimming_ends_with_the_profiles_that_ask_for_it(tmp_path: Path) -> None:
    """SONiC removes no row of SWITCH_TRIMMING."""
    tables = trimming_tables(tmp_path, {"size": "256", "dscp_value": "48", "queue_index": "6"})
    scenario = scenario_of(part_of(tables, "Ethernet0"))
    found = tables.with_switch_of(scenario.with_value("switch.trimming", None), port="Ethernet0")
    assert [(one.path, one.after) for one in found.puts] == [
        (("BUFFER_PROFILE", "q_lossy_trim_profile", "packet_discard_action"), "drop")
    ]
    assert found.undone == ()
    assert {finding.check for finding in found.findings} == {"trimming_unused"}


def test_trimming_without_data_that_is_trimmed_is_not_put() -> None:
    found = put(SwitchTables.load(GOOD), HEADERS, "Ethernet0")
    assert found.puts == ()
    assert [one.told for one in found.undone] == [
        "switch.trimming = true in the scenario, and the tables come to false",
        "switch.trimming.size = 256B in the scenario, and the tables say nothing of it",
        "switch.trimming.priority = 6 in the scenario, and the tables say nothing of it",
    ]


@pytest.mark.parametrize("marks_only", [True, False])
def test_what_happens_to_packets_that_cannot_be_marked_goes_onto_the_switch_of_wred(
    tmp_path: Path, marks_only: bool
) -> None:
    text = GOOD.read_text(encoding="utf-8").replace('_enable": "true"', f'_enable": "{str(marks_only).lower()}"')
    path = tmp_path / "config_db.json"
    path.write_text(text, encoding="utf-8")
    ramp = {"kind": "red", "minimum": "102400B", "maximum": "409600B", "probability": 0.2, "marks_only": marks_only}
    found = put(SwitchTables.load(path), dict.fromkeys((f"{MARKING}.3", f"{MARKING}.4"), ramp))
    assert found.undone == ()
    after = written(found, tmp_path)
    assert switch_part(part_of(after))["switch"][0]["marking"]["queue_by_priority"]["3"].get("marks_only", False) == (
        marks_only
    )
