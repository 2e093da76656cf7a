"""Each check finds the fault of its example and nothing else, with numbers that were computed by hand."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from xoff.errors import InputError
from xoff.scenario import catalogue
from xoff.switches.lint import CHECKS, Severity, Tables, chips, lint
from xoff.switches.lint.switches import by_switch, parse

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.switches.lint import Finding

EXAMPLES = ROOT / "examples" / "sonic"
FAULTS = sorted((EXAMPLES / "faults").iterdir())
CHIPS = {chip["name"]: chip for chip in catalogue.chips()}
SIXTEEN_MIB = CHIPS["trident_2_plus"]


def findings(path: Path) -> list[Finding]:
    paths = sorted(path.iterdir()) if path.is_dir() else [path]
    files = [parse(file.name, file.read_text(encoding="utf-8")) for file in paths]
    return lint([Tables.of(its, SIXTEEN_MIB) for its in by_switch(files)])


def changed_good() -> Any:  # noqa: ANN401 tables of JSON
    """The good tables, to be broken."""
    return json.loads((EXAMPLES / "good" / "config_db.json").read_text(encoding="utf-8"))


def judged(tables: object, lookup: str | None = None, chip: str | None = None) -> list[Finding]:
    files = [parse("config_db.json", json.dumps(tables)), *([parse("pg.ini", lookup)] if lookup else [])]
    return lint([Tables.of(files, CHIPS[chip] if chip else None)])


def of(check: str) -> list[tuple[Severity, int, str]]:
    """Returns the findings of a check in its examples: severity, line and reason."""
    found = [finding for path in FAULTS if path.stem == check for finding in findings(path)]
    return [(finding.severity, finding.place.line, finding.physics) for finding in found]


def test_every_check_has_an_example() -> None:
    assert {check.__name__ for check in CHECKS} == {path.stem for path in FAULTS}


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.name)
def test_an_example_has_its_fault_and_no_other(path: Path) -> None:
    assert {finding.check for finding in findings(path)} == {path.stem}


def test_good_tables_have_no_faults() -> None:
    files = [parse(path.name, path.read_text(encoding="utf-8")) for path in (EXAMPLES / "good").iterdir()]
    assert lint([Tables.of([file]) for file in files]) == []
    assert lint([Tables.of(files)]) == []


def test_headroom_below_cable() -> None:
    cable_of_a_row, cable_of_a_port = of("headroom_below_cable")
    assert cable_of_a_row[:2] == (Severity.ERROR, 3)
    assert "757,576 B" in cable_of_a_row[2]
    assert "330,568 B of them" in cable_of_a_row[2]
    assert "Ethernet4: the cable alone holds 252,526 B" in cable_of_a_port[2]  # 2 x 2000 m / 1.98e8 m/s x 12.5e9 B/s


def test_headroom_below_response() -> None:
    ((severity, line, physics),) = of("headroom_below_response")
    assert (severity, line) == (Severity.NOTE, 2)
    assert "5,051 B on 40 m of cable leave 14,949 B" in physics
    assert "394 quanta, 25,216 B" in physics


def test_headroom_below_packets() -> None:
    ((severity, line, physics),) = of("headroom_below_packets")
    assert (severity, line) == (Severity.NOTE, 7)
    assert "37,879 B on 300 m of cable, and up to 25,216 B" in physics
    assert "leave 16,905 B for the packets that both ends have begun, which may be 9,100 B each" in physics


@pytest.mark.parametrize(("xoff", "mtu", "found"), [(81_294, 9100, True), (81_295, 9100, False), (80_000, 4096, False)])
def test_packets_are_those_of_the_port(xoff: int, mtu: int, *, found: bool) -> None:
    tables = json.loads((EXAMPLES / "faults" / "headroom_below_packets.json").read_text(encoding="utf-8"))
    tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["xoff"] = str(xoff)
    tables["PORT"]["Ethernet0"]["mtu"] = str(mtu)
    assert [finding.check for finding in judged(tables)] == ["headroom_below_packets"] * found


@pytest.mark.parametrize(
    ("xoff", "pattern", "severity"),
    [
        # 37,879 B on 300 m of cable, and 9,100 and 1,024 B, as SONiC's formula has them.
        (48_002, None, Severity.WARNING),
        (48_003, None, Severity.NOTE),
        # Lossless packets of 4,096 B, as the tables state.
        (51_074, 4096, Severity.WARNING),
        (51_075, 4096, Severity.NOTE),
        (47_043, 64, Severity.NOTE),
        # 25,216 B until the other end stops.
        (76_290, 4096, Severity.NOTE),
        (76_291, 4096, None),
    ],
)
def test_headroom_that_no_quick_answer_saves_is_warned_of(
    xoff: int, pattern: int | None, severity: Severity | None
) -> None:
    tables = json.loads((EXAMPLES / "faults" / "headroom_below_packets.json").read_text(encoding="utf-8"))
    tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"]["xoff"] = str(xoff)
    if pattern:
        tables["LOSSLESS_TRAFFIC_PATTERN"] = {"AZURE": {"mtu": str(pattern), "small_packet_percentage": "100"}}
    found = [(one.severity, one.check) for one in judged(tables)]
    if severity is None:
        assert found == []
        return
    is_said_of_packets = severity is Severity.WARNING or xoff >= 37_879 + 25_216
    check = "headroom_below_packets" if is_said_of_packets else "headroom_below_response"
    assert found == [(severity, check)]


def test_headroom_of_a_row_is_for_the_ports_that_look_it_up() -> None:
    tables = json.loads((EXAMPLES / "faults" / "headroom_below_packets.json").read_text(encoding="utf-8"))
    del tables["BUFFER_PG"], tables["PORT_QOS_MAP"]
    lookup = "100000 300m 4608 0 40000 -3 18432"
    assert not [one for one in judged(tables, lookup) if one.check == "headroom_below_packets"], "nothing pauses"
    tables["PORT_QOS_MAP"] = {"Ethernet0": {"pfc_enable": "3"}}
    (finding,) = [one for one in judged(tables, lookup) if one.check == "headroom_below_packets"]
    assert (finding.severity, finding.place.file) == (Severity.WARNING, "pg.ini")
    assert finding.physics.startswith("Ethernet0: 37,879 B on 300 m of cable leave 2,121 B; the pause may wait for")


def test_maximum_below_packet() -> None:
    ((severity, line, physics),) = of("maximum_below_packet")
    assert (severity, line) == (Severity.WARNING, 6)
    assert physics.startswith("less than one packet of Ethernet0, 9,100 B: every packet that waits in queue 3")


def test_lossless_without_ecn() -> None:
    beside_lossy, beside_lossless = of("lossless_without_ecn")
    assert (beside_lossy[0], beside_lossless[0]) == (Severity.WARNING, Severity.NOTE)
    assert beside_lossy[2].startswith("queue 3 of Ethernet0 is lossless, and nothing marks it, as queue 2 of Ethernet0")
    assert beside_lossless[2].startswith("queue 5 of Ethernet4 is lossless")
    tables = changed_good()
    del tables["QUEUE"]
    assert judged(tables) == [], "a switch that marks nothing may mean to"


def test_default_lossless() -> None:
    ((severity, line, physics),) = of("default_lossless")
    assert (severity, line) == (Severity.NOTE, 3)
    assert "has lossless priority 3 at Ethernet0 and 1 more: these share its queue" in physics


def test_cnps_lossless() -> None:
    ((severity, line, physics),) = of("cnps_lossless")
    assert (severity, line) == (Severity.NOTE, 3)
    assert physics.startswith("CNPs, to which adapters give DSCP 48 unless told otherwise, have lossless priority 3 at")


def test_what_is_lossless_is_so_by_the_port_and_not_by_the_number_of_the_class() -> None:
    tables = changed_good()
    tables["DSCP_TO_TC_MAP"]["OTHER"] = tables["DSCP_TO_TC_MAP"]["AZURE"] | {"0": "3", "48": "4"}
    tables["PORT_QOS_MAP"]["Ethernet4"]["dscp_to_tc_map"] = "OTHER"
    found = {one.check: one for one in judged(tables)}
    assert found.keys() == {"default_lossless", "cnps_lossless", "classes_disagree"}
    assert found["cnps_lossless"].place.key == "DSCP_TO_TC_MAP|OTHER|48"
    assert "have lossless priority 4 at Ethernet4:" in found["cnps_lossless"].physics
    for ports in tables["PORT_QOS_MAP"].values():
        ports["pfc_enable"] = "4"
    assert {one.check for one in judged(tables)} >= {"cnps_lossless"}
    assert not [one for one in judged(tables) if one.check == "default_lossless"]


def test_lossless_starves_others() -> None:
    ((severity, line, physics),) = of("lossless_starves_others")
    assert (severity, line) == (Severity.NOTE, 8)
    assert physics.startswith(
        "queue 3 of Ethernet0 and 1 more is lossless and goes before all that take turns, such as"
    )
    assert "such as queue 0 (scheduler.roce is STRICT)" in physics


def test_a_strict_queue_starves_none_that_are_strict_or_where_it_has_a_rate() -> None:
    tables = changed_good()
    tables["SCHEDULER"]["first"] = {"type": "STRICT"}
    for port in ("Ethernet0", "Ethernet4"):
        tables["QUEUE"][f"{port}|6"] = {"scheduler": "first"}
    assert judged(tables) == [], "queue 6 is lossy"
    tables["QUEUE"]["Ethernet0|3"]["scheduler"] = "first"
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.NOTE, "lossless_starves_others")
    assert "queue 3 of Ethernet0 is lossless and goes before all that take turns, such as queue 4" in finding.physics
    tables["SCHEDULER"]["first"]["pir"] = "1000000"
    assert judged(tables) == []
    del tables["SCHEDULER"]["first"]["pir"]
    tables["QUEUE"]["Ethernet0|4"]["scheduler"] = "first"
    assert judged(tables) == [], "no queue of the port takes turns"


def of_many_ports() -> Any:  # noqa: ANN401 tables of JSON
    """The good tables with 64 ports."""
    tables = changed_good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "20000000"
    tables["BUFFER_POOL"]["egress_lossless_pool"]["size"] = "60000000"
    tables["BUFFER_PROFILE"]["egress_lossless_profile"]["static_th"] = "60000000"
    many = [f"Ethernet{4 * number}" for number in range(2, 64)]
    for name in ("PORT", "PORT_QOS_MAP", "PFC_WD"):
        tables[name] |= {port: dict(tables[name]["Ethernet4"]) for port in many}
    tables["CABLE_LENGTH"]["AZURE"] |= dict.fromkeys(many, "300m")
    for name in ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE"):
        rows = {key.partition("|")[2]: row for key, row in tables[name].items() if key.startswith("Ethernet4|")}
        tables[name] |= {f"{port}|{index}": row for port in many for index, row in rows.items()}
    return tables


def test_a_fault_of_many_ports_is_told_of_once() -> None:
    tables = of_many_ports()
    assert judged(tables) == []
    tables["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "1000"
    found = judged(tables)
    assert [(one.check, one.place.key) for one in found] == [
        ("watchdog_below_poll", f"PFC_WD|Ethernet0|{name}_time") for name in ("detection", "restoration")
    ]
    assert {one.physics for one in found} == {
        "Ethernet0 and 63 more: 200 ms are over before the watchdog looks again, every 1000 ms"
    }
    tables["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "200"
    for row in tables["PORT_QOS_MAP"].values():
        del row["pfcwd_sw_enable"]
    (unwatched,) = judged(tables)
    assert (unwatched.severity, unwatched.check) == (Severity.WARNING, "lossless_unwatched")
    assert unwatched.physics.startswith("priority 3 and 4 of Ethernet0 and 63 more can be paused, and its watchdog")
    tables = of_many_ports()
    for port in tables["PORT"]:
        del tables["PFC_WD"][port]["detection_time"]
    (untimed,) = judged(tables)
    assert (untimed.severity, untimed.check) == (Severity.ERROR, "watchdog_without_time")
    assert "Ethernet0 and 63 more has no watchdog" in untimed.physics


def test_ports_that_differ_are_told_of_apart() -> None:
    tables = of_many_ports()
    tables["PFC_WD"]["GLOBAL"]["POLL_INTERVAL"] = "300"
    for row in tables["PFC_WD"].values():
        row["restoration_time"] = "400"
    del tables["PFC_WD"]["GLOBAL"]["restoration_time"]
    tables["PFC_WD"]["Ethernet8"]["detection_time"] = "250"
    tables["PORT_QOS_MAP"]["Ethernet4"]["pfcwd_sw_enable"] = "3"
    tables["PORT_QOS_MAP"]["Ethernet8"]["pfcwd_sw_enable"] = "3,4,5"
    assert [one.physics.partition(":")[0] for one in judged(tables) if one.check == "watchdog_below_poll"] == [
        "Ethernet0 and 62 more",
        "Ethernet8",
    ]
    assert [one.physics for one in judged(tables) if one.check == "lossless_unwatched"] == [
        "priority 4 of Ethernet4 can be paused, and its watchdog does not look after it",
        "the watchdog of Ethernet8 looks after priority 5, which has no PFC",
    ]


def test_lossless_unwatched() -> None:
    some, none, no_row, too_many = of("lossless_unwatched")
    assert some[2].startswith("priority 4 of Ethernet0 can be paused, and its watchdog")
    assert none[2].startswith("priority 3 and 4 of Ethernet4 can be paused")
    assert no_row[2].startswith("Ethernet8 can be paused and has no watchdog")
    assert too_many[::2] == (Severity.NOTE, "the watchdog of Ethernet0 looks after priority 2, which has no PFC")
    tables = changed_good()
    del tables["PFC_WD"]
    assert judged(tables) == [], "no watchdog at all is a choice"


def test_what_sonics_template_leaves_unwatched_is_a_note() -> None:
    tables = changed_good()
    row = tables["PORT_QOS_MAP"]["Ethernet0"]

    def unwatched() -> list[tuple[Severity, bool]]:
        found = [one for one in judged(tables) if one.check == "lossless_unwatched"]
        return [(one.severity, "SONiC's template" in one.physics) for one in found]

    row["pfc_enable"] = "2,3,4,6"
    assert unwatched() == [(Severity.NOTE, True)]
    row["pfc_enable"] = "2,3,4"
    assert unwatched() == [(Severity.WARNING, False)]


@pytest.mark.parametrize(
    ("field", "value"), [("detection_time", "50"), ("restoration_time", "60001"), ("action", "dropp")]
)
@pytest.mark.parametrize("ports", [("Ethernet0",), ("Ethernet0", "Ethernet4")])
def test_a_watchdog_that_is_invalid_is_not_missing(field: str, value: str, ports: tuple[str, ...]) -> None:
    tables = changed_good()
    for port in ports:
        tables["PFC_WD"][port][field] = value
    found = [(one.check, one.place.key) for one in judged(tables)]
    assert found == [("invalid_value", f"PFC_WD|{port}|{field}") for port in ports]


def test_a_watchdog_that_is_told_no_time_is_none() -> None:
    ((severity, line, physics),) = of("watchdog_without_time")
    assert (severity, line) == (Severity.ERROR, 9)
    assert "Ethernet4 has no watchdog" in physics
    tables = changed_good()
    tables["PFC_WD"] = {"GLOBAL": {"POLL_INTERVAL": "200"}}
    (finding,) = judged(tables)
    assert (finding.severity, finding.check, finding.place.key) == (Severity.NOTE, "lossless_unwatched", "PFC_WD")
    assert "pfcwd_sw_enable of Ethernet0 and 1 more names priorities, and nothing is watched there" in finding.physics
    for port in ("Ethernet0", "Ethernet4"):
        del tables["PORT_QOS_MAP"][port]["pfcwd_sw_enable"]
    assert judged(tables) == []


def test_profile_admits_nothing() -> None:
    ((severity, line, _),) = of("profile_admits_nothing")
    assert (severity, line) == (Severity.NOTE, 3)
    tables = changed_good()
    tables["BUFFER_PROFILE"]["ingress_lossy_profile"]["size"] = "9100"
    tables["BUFFER_PROFILE"]["ingress_lossy_profile"]["static_th"] = "0"
    assert judged(tables) == [], "a reserve admits packets"


def test_profile_below_packet() -> None:
    ethernet, jumbo = of("profile_below_packet")
    assert [ethernet[:2], jumbo[:2]] == [(Severity.ERROR, 11), (Severity.WARNING, 12)]
    assert ethernet[2].startswith("Ethernet0 and 1 more: 1,000 B and 0 B in reserve are less than one packet, which")
    assert "which may be 9,100 B: every one above 1,000 B is dropped" in ethernet[2]
    assert jumbo[2].startswith("Ethernet0: 4,096 B and 1,792 B in reserve are")


@pytest.mark.parametrize(
    ("size", "fixed", "mtu", "severity"),
    [
        ("0", "1000", "9100", Severity.ERROR),
        ("0", "9099", "9100", Severity.WARNING),
        ("8100", "999", "9100", Severity.WARNING),
        ("8100", "1000", "9100", None),
        ("0", "1000", "1000", None),
        ("0", "1499", None, Severity.ERROR),
        ("0", "1500", None, None),
    ],
)
def test_a_profile_admits_a_packet_of_its_ports(
    size: str, fixed: str, mtu: str | None, severity: Severity | None
) -> None:
    tables = changed_good()
    tables["BUFFER_PROFILE"]["ingress_lossy_profile"] |= {"size": size, "static_th": fixed}
    for port in tables["PORT"].values():
        port.pop("mtu")
        port |= {} if mtu is None else {"mtu": mtu}
    found = [(one.severity, one.place.key) for one in judged(tables) if one.check == "profile_below_packet"]
    assert found == ([(severity, "BUFFER_PROFILE|ingress_lossy_profile|static_th")] if severity is not None else [])


def test_a_profile_in_lists_alone_is_held_against_their_ports_and_one_in_none_against_ethernet() -> None:
    tables = changed_good()
    profiles = tables["BUFFER_PROFILE"]
    profiles["spare"] = profiles["ingress_lossy_profile"] | {"static_th": "1500", "packet_discard_action": "trim"}
    assert judged(tables) == []
    tables["BUFFER_PORT_INGRESS_PROFILE_LIST"] = {"Ethernet0,Ethernet4": {"profile_list": "spare"}}
    (finding,) = [one for one in judged(tables) if one.check == "profile_below_packet"]
    assert finding.physics.startswith("Ethernet0 and 1 more: 1,500 B and 0 B in reserve are")
    assert "every one above 1,500 B is cut down" in finding.physics
    assert finding.remedy.endswith("at least 9100")


def trimming(name: str) -> Any:  # noqa: ANN401
    """The tables of an example of trimming, to be changed."""
    return json.loads((EXAMPLES / "faults" / f"{name}.json").read_text(encoding="utf-8"))


def checks_of(tables: object) -> list[str]:
    return [finding.check for finding in judged(tables)]


def test_trimming_is_refused_of_profiles_that_are_not_of_queues_alone() -> None:
    ((severity, line, physics),) = of("trimming_refused")
    assert (severity, line) == (Severity.ERROR, 8)
    assert "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0,Ethernet4 names this profile" in physics
    tables = trimming("trimming_refused")
    del tables["BUFFER_PORT_EGRESS_PROFILE_LIST"]
    assert judged(tables) == []
    tables["BUFFER_PG"] = {"Ethernet0|0": {"profile": "q_lossy_trim_profile"}}
    assert "trimming_refused" in checks_of(tables)


def test_lossless_trimmed() -> None:
    ((severity, line, physics),) = of("lossless_trimmed")
    assert (severity, line) == (Severity.WARNING, 11)
    assert physics.startswith("queue 3 of Ethernet0, of lossless priority 3 and 1 more: packets that PFC has kept")


def test_trimming_and_the_profiles_that_ask_for_it_belong_together() -> None:
    (unset,), (unused,) = of("trimming_unset"), of("trimming_unused")
    assert unset[:2] == (Severity.WARNING, 8)
    assert unset[2].startswith("packets of queue 3 of Ethernet0 and 1 more are trimmed, and nothing says where")
    assert unused[:2] == (Severity.WARNING, 15)
    tables = trimming("trimming_unset")
    tables["SWITCH_TRIMMING"] = {"GLOBAL": {"size": "256"}}
    (finding,) = judged(tables)
    assert (finding.check, finding.place.key) == ("trimming_unset", "SWITCH_TRIMMING|GLOBAL")
    tables["SWITCH_TRIMMING"]["GLOBAL"]["queue_index"] = "6"
    assert judged(tables) == []
    del tables["BUFFER_QUEUE"]
    assert judged(tables) == [], "of no queue is it known whether it trims"


@pytest.mark.parametrize(
    ("size", "found"),
    # 14 + 20 + 8 + 12 B of headers; 9,100 B and 18 of a frame.
    [(53, True), (54, False), (206, False), (9117, False), (9118, True)],
)
def test_headers_are_whole_and_shorter_than_packets(size: int, *, found: bool) -> None:
    tables = trimming("trimming_size")
    tables["SWITCH_TRIMMING"]["GLOBAL"]["size"] = str(size)
    assert [(one.check, one.severity) for one in judged(tables)] == [("trimming_size", Severity.ERROR)] * found


def test_headers_paused() -> None:
    ((severity, line, physics),) = of("headers_paused")
    assert (severity, line) == (Severity.WARNING, 15)
    assert physics.startswith("queue 4 of Ethernet0 and 1 more is of lossless priority 4: a pause holds headers up")


def test_headers_have_room_and_go_first() -> None:
    (unset, bare) = of("headers_without_room")
    assert (unset[0], bare[0]) == (Severity.WARNING, Severity.NOTE)
    assert unset[2].startswith("no row of BUFFER_QUEUE is about queue 6 of Ethernet4")
    assert bare[2].startswith("nothing is reserved for headers, which go into queue 6 of Ethernet0")
    without, behind = of("headers_behind_data")
    assert without[2].startswith("no row of QUEUE names a scheduler for queue 6 of Ethernet4")
    assert behind[2].startswith("data goes before headers, in queue 6, at Ethernet0")
    tables = trimming("headers_behind_data")
    del tables["QUEUE"]["Ethernet4|3"]
    tables["QUEUE"]["Ethernet0|6"] = tables["QUEUE"]["Ethernet0|3"]
    assert judged(tables) == [], "both first, and the higher queue before the other"
    tables["SWITCH_TRIMMING"]["GLOBAL"]["queue_index"] = "1"
    tables["BUFFER_QUEUE"]["Ethernet0,Ethernet4|1"] = {"profile": "q_headers_profile"}
    tables["QUEUE"]["Ethernet0|1"] = tables["QUEUE"]["Ethernet0|3"]
    assert checks_of(tables) == ["headers_behind_data"]


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ({"dscp_value": "48", "queue_index": "6"}, ["headers_elsewhere"]),
        ({"dscp_value": "46", "queue_index": "6"}, []),
        ({"queue_index": "6"}, ["headers_elsewhere"]),  # DSCP 0
        ({"dscp_value": "46", "queue_index": "dynamic"}, []),
        ({"dscp_value": "46"}, []),
        ({"dscp_value": "48"}, ["headers_without_room"]),
        ({"dscp_value": "from-tc", "tc_value": "6", "queue_index": "6"}, []),
        ({"dscp_value": "from-tc", "tc_value": "6", "queue_index": "dynamic"}, []),
        ({"dscp_value": "from-tc", "tc_value": "5", "queue_index": "dynamic"}, ["headers_without_room"]),
        ({"dscp_value": "from-tc"}, ["trimming_unset"]),
    ],
)
def test_headers_stay_in_their_queue_at_the_next_switch(row: dict[str, str], found: list[str]) -> None:
    tables = trimming("headers_elsewhere")
    tables["SWITCH_TRIMMING"]["GLOBAL"] = {"size": "256"} | row
    assert checks_of(tables) == found


@pytest.mark.parametrize(
    ("key", "row", "told"),
    [
        ("GLOBAL", {"dscp_value": "64"}, "expected a number from 0 to 63, or from-tc"),
        ("GLOBAL", {"queue_index": "first"}, "expected a number from 0 to 255, or dynamic"),
        ("GLOBAL", {"size": "small"}, "expected digits only"),
        ("LOCAL", {"size": "128"}, "expected 'GLOBAL'"),
    ],
)
def test_values_that_sonic_refuses_of_trimming(key: str, row: dict[str, str], told: str) -> None:
    tables = trimming("trimming_unset")
    tables["SWITCH_TRIMMING"] = {key: row}
    (finding, *_) = judged(tables)
    assert (finding.check, finding.remedy) == ("invalid_value", told)


def test_a_misspelt_field_of_trimming_is_found() -> None:
    tables = trimming("trimming_size")
    tables["SWITCH_TRIMMING"]["GLOBAL"] = {"size": "256", "dscp_value": "48", "queue": "6", "queue_index": "6"}
    (finding,) = judged(tables)
    assert (finding.check, finding.remedy) == ("unknown_field", "did you mean queue_index?")


def test_headroom_falls_with_cable() -> None:
    ((severity, line, physics),) = of("headroom_falls_with_cable")
    assert (severity, line) == (Severity.NOTE, 4)
    assert physics == "300 m have 180,000 B (line 2), and 1000 m hold 88,384 B more"  # 126,263 - 37,879


def test_headroom_oversubscribed() -> None:
    ((severity, _, physics),) = of("headroom_oversubscribed")
    assert severity == Severity.WARNING
    assert "4 lossless priority groups may put 360,000 B into it, 1.80 times" in physics
    assert "2 paused at once may overfill it, and all lose 160,000 B" in physics


def test_a_headroom_pool_that_one_priority_group_overfills_is_an_error() -> None:
    tables = changed_good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "100000"
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.ERROR, "headroom_oversubscribed")
    assert "and one of them alone 120,000 B, 20,000 B more than it holds: these are lost" in finding.physics
    assert finding.remedy == "xoff of at least 120000; 400000 holds all"
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "400000"
    assert judged(tables) == []
    (finding,) = judged(tables, chip="tomahawk_2")
    assert "20,000 B more than it holds in one of 4 MMUs" in finding.physics
    assert finding.remedy == "xoff of at least 480000"


def test_oversubscription_within_the_ratio_that_the_tables_name_is_a_note() -> None:
    tables = json.loads((EXAMPLES / "faults" / "headroom_oversubscribed.json").read_text(encoding="utf-8"))
    tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {"AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}}
    (finding,) = lint([Tables.parse("t.json", json.dumps(tables))])
    assert finding.severity == Severity.NOTE


def test_a_shared_headroom_pool_is_for_few_that_are_paused_at_once() -> None:
    """Four groups of 80,000 and 120,000 B: 240,000 B hold the largest two, and 239,999 B do not."""
    tables = changed_good()
    for size, severity in (("399999", Severity.NOTE), ("240000", Severity.NOTE), ("239999", Severity.WARNING)):
        tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = size
        assert [(one.severity, one.check) for one in judged(tables)] == [(severity, "headroom_oversubscribed")]


@pytest.mark.parametrize(
    ("xoff", "ratio", "severity"),
    [("250000", "1", Severity.NOTE), ("200000", "1", Severity.WARNING), ("200000", "2", Severity.NOTE)],
)
def test_a_size_that_is_set_goes_before_the_ratio_that_the_tables_name(
    xoff: str, ratio: str, severity: Severity
) -> None:
    """SONiC's own template names 1."""
    tables = changed_good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = xoff
    tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {"AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": ratio}}
    (finding,) = judged(tables)
    assert finding.severity == severity
    more = " its size, and over_subscribe_ratio, which gives way to it, is 1; "
    assert (more in finding.physics) == (ratio == "1")


def test_threshold_cannot_fire() -> None:
    dynamic, static, ramp = of("threshold_cannot_fire")
    assert "holds 1,000,000 B at most" in dynamic[2]  # 1/9 of 9 MB, which a reserve of 500,000 B leaves of 9.5 MB
    assert "1,000,000 B at most, alone in its pool: static_th" in static[2]
    assert [dynamic[0], static[0], ramp[0]] == [Severity.ERROR, Severity.ERROR, Severity.WARNING]
    assert "holds 3,500,000 B at most" in ramp[2]  # 500,000 reserved, and 1/3 of 9 MB
    assert "comes to 5 % of the 10 %" in ramp[2]  # half of the way from 2.5 to 4.5 MB


def test_ecn_after_pfc() -> None:
    static, dynamic, sometimes = of("ecn_after_pfc")
    assert [static[0], dynamic[0], sometimes[0]] == [Severity.ERROR, Severity.NOTE, Severity.NOTE]
    assert "paused from 1,000,000 B on" in dynamic[2]
    assert "marks first if 2 ports or more feed it; fewer" in dynamic[2]  # 524,288 B each, below (9 MB - 1,048,576 B)/8
    assert "only if 43 ports or more feed it, and there are fewer" in static[2]  # 1,048,576 / 24,475 = 42.8
    assert "450,000 B" in sometimes[2]  # 9 MB / 8 / (2 x (1 + 2/8))


def test_a_group_is_paused_by_what_its_mmu_has_of_the_pool() -> None:
    tables = changed_good()
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"] |= {"green_min_threshold": "4000000", "green_max_threshold": "5000000"}
    assert judged(tables) == []
    (finding,) = judged(tables, chip="tomahawk_2")
    assert (finding.severity, finding.check) == (Severity.NOTE, "ecn_after_pfc")
    # A reserve of 4608 B, and half of what four such leave of 30 MB, in an MMU: 29,981,568 / 4 / 2.
    assert "paused from 3,752,304 B on" in finding.physics
    assert "of the pool's 7500000 B less 4608 B of reserves in one of 4 MMUs" in finding.physics
    assert "marks first if 2 ports or more feed it" in finding.physics  # 4 MB / (7.5 MB - 4 MB)
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"] |= {"green_min_threshold": "30000000", "green_max_threshold": "30000000"}
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.ERROR, "ecn_after_pfc")
    assert "no queue marks first, however many ports feed it" in finding.physics


def test_senders_fill_what_their_mmu_has_of_the_pool() -> None:
    tables = changed_good()
    tables["BUFFER_PROFILE"]["egress_lossless_profile"]["static_th"] = "4000000"
    assert [finding.check for finding in judged(tables)] == ["lossless_queue_drops"]  # 15,115,392 B of one port
    assert judged(tables, chip="tomahawk_2") == []  # half of what is shared of 7.5 MB, 4608 B and 120,000 B
    tables["BUFFER_PROFILE"]["egress_lossless_profile"]["static_th"] = "3800000"
    (finding,) = judged(tables, chip="tomahawk_2")
    assert "one port that feeds it has sent up to 3,872,304 B" in finding.physics


def lossless_ports(
    priorities: dict[str, str], pools: dict[str, dict[str, str]], kept: dict[str, str], sent: dict[str, str]
) -> dict[str, Any]:
    """Ports of 100G with priorities of each that are lossless, and what is theirs of the pools `in` and `out`."""
    return {
        "PORT": {port: {"speed": "100000"} for port in priorities},
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(priorities, "40m")},
        "BUFFER_POOL": pools,
        "BUFFER_PROFILE": {
            "kept": {"pool": "in", "size": "0", "xoff": "100000"} | kept,
            "sent": {"pool": "out", "size": "0"} | sent,
        },
        "BUFFER_PG": {f"{port}|{its}": {"profile": "kept"} for port, its in priorities.items()},
        "BUFFER_QUEUE": {f"{port}|{its}": {"profile": "sent"} for port, its in priorities.items()},
        "PORT_QOS_MAP": {port: {"pfc_enable": its.replace("-", ",")} for port, its in priorities.items()},
    }


def test_a_queue_is_fed_by_the_ports_of_its_mmu() -> None:
    tables = lossless_ports(
        {f"Ethernet{number}": "3" for number in range(64)},
        {
            "in": {"type": "ingress", "mode": "static", "size": "10000000"},
            "out": {"type": "egress", "mode": "static", "size": "20000000"},
        },
        kept={"static_th": "100000"},
        sent={"static_th": "5000000"},
    )
    (finding,) = judged(tables)
    assert "26 ports that feed it have sent up to 5,200,000 B" in finding.physics
    assert judged(tables, chip="tomahawk_2") == []  # 15 others of its MMU: 3,000,000 B


@pytest.mark.parametrize(("ports", "of_mmu"), [(2, 2), (64, 16), (128, 32)])
def test_an_mmu_has_its_part_of_the_ports(ports: int, of_mmu: int) -> None:
    assert Tables((), chip=CHIPS["tomahawk_2"]).ports_of_mmu(ports) == of_mmu
    assert Tables(()).ports_of_mmu(ports) == ports


def test_a_queue_holds_no_more_than_its_pool() -> None:
    ((severity, line, physics),) = of("threshold_above_pool")
    assert (severity, line) == (Severity.NOTE, 4)
    assert "egress_lossless_pool has 3,000,000 B, 29,000,000 B less" in physics
    tables = changed_good()
    tables["BUFFER_POOL"]["egress_lossless_pool"]["size"] = "3000000"
    dropped, above = judged(tables)
    assert (dropped.severity, dropped.check) == (Severity.ERROR, "lossless_queue_drops")
    assert "holds 3,000,000 B at most: the pool's 3000000 B, no more than static_th" in dropped.physics
    assert dropped.remedy == "a larger egress_lossless_pool"
    assert above.check == "threshold_above_pool"


def test_memory_exceeded() -> None:
    together, alone = of("memory_exceeded")
    assert "18,000,000 B together; trident_2_plus has 16,777,216 B" in together[2]
    assert "722,784 B less" in alone[2]


@pytest.mark.parametrize(("size", "found"), [(12_766_208, False), (12_834_571, True)])
def test_published_sizes_of_memory_are_rounded(size: int, *, found: bool) -> None:
    """61,440 cells of 208 B, 12,779,520 B, are published as 12 MiB; 2 % more than that are 12,834,570 B."""
    tables = {"BUFFER_POOL": {"out": {"type": "egress", "mode": "static", "size": str(size)}}}
    assert [one.check for one in judged(tables, chip="trident_2")] == ["memory_exceeded"] * found


def test_headroom_of_all_priority_groups_is_held_against_the_memory() -> None:
    # A shared headroom pool of 2 MB counts in the place of what its groups may put into it.
    tables = changed_good()
    pool, profile = tables["BUFFER_POOL"]["ingress_lossless_pool"], tables["BUFFER_PROFILE"]
    profile["pg_lossless_100000_40m_profile"]["xoff"] = "18000000"
    del pool["xoff"]
    (finding,) = [one for one in judged(tables, chip="trident_3") if one.check == "memory_exceeded"]
    assert finding.place.key == "BUFFER_PROFILE|pg_lossless_100000_40m_profile|xoff"
    # 2 x (18,000,000 + 4608) + 2 x (120,000 + 4608)
    assert "2 of 6 priority groups set aside 18,004,608 B each by it, and all 36,258,432 B" in finding.physics
    pool["xoff"] = "2000000"
    assert not [one for one in judged(tables, chip="trident_3") if one.check == "memory_exceeded"]


def test_reserves_of_all_queues_are_held_against_the_memory() -> None:
    tables = changed_good()
    tables["BUFFER_PROFILE"]["egress_lossy_profile"]["size"] = "6000000"
    finding, pool = judged(tables, chip="trident_3")
    assert (finding.check, pool.check) == ("memory_exceeded", "reserves_exceed_pool")
    assert "6 of 10 queues set aside 6,000,000 B each by it, and all 36,000,000 B" in finding.physics


def test_a_reserve_as_large_as_its_headroom_holds_it() -> None:
    """Spectrum's `size` is xon + xoff, 58,368 B of 19,456 and 38,912."""
    tables = changed_good()
    del tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"]
    for length in ("40m", "300m"):
        numbers = {"size": "8600000", "xoff": "8000000"}
        tables["BUFFER_PROFILE"][f"pg_lossless_100000_{length}_profile"] |= numbers
    (finding,) = [one for one in judged(tables, chip="trident_3") if one.severity == Severity.ERROR]
    assert "all 34,400,000 B" in finding.physics  # four of 8.6 MB


@pytest.mark.parametrize(
    ("xon", "shared", "reserve"), [("19456", "0", 10_000), ("0", "0", 58_368), ("19456", "1000000", 58_368)]
)
def test_a_reserve_holds_headroom_only_where_senders_resume_by_it_and_none_is_shared(
    xon: str, shared: str, reserve: int
) -> None:
    tables = changed_good()
    profile = {"size": "58368", "xon": xon, "xoff": "48368"}
    tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] |= profile
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = shared
    found = Tables.parse("config_db.json", json.dumps(tables))
    assert {group.reserve for group in found.priority_groups if group.port == "Ethernet0" and group.lossless} == {
        reserve
    }


def test_pools_that_only_fit_with_their_headroom_inside_are_a_note() -> None:
    tables = changed_good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"] |= {"size": "32732160", "xoff": "1622016"}
    assert judged(tables, chip="trident_3") == [], "a queue that never drops may hold 32,000,000 B"
    del tables["BUFFER_QUEUE"], tables["BUFFER_PROFILE"]["egress_lossless_profile"]
    for row in tables["BUFFER_PORT_EGRESS_PROFILE_LIST"].values():
        row["profile_list"] = "egress_lossy_profile"
    (finding,) = judged(tables, chip="trident_3")
    assert (finding.severity, finding.check) == (Severity.NOTE, "memory_exceeded")
    assert (
        "ingress_lossless_pool is 32,732,160 B, and headroom 1,622,016 B; trident_3 has 33,554,432 B" in finding.physics
    )


def test_headroom_that_a_pool_must_hold_is_not_shared() -> None:
    """Half of what a pool of 32,732,160 B shares, with its 1,622,016 B of headroom or without, and one group's."""
    tables = changed_good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"] |= {"size": "32732160", "xoff": "1622016"}
    tables["BUFFER_POOL"]["egress_lossless_pool"]["size"] = "33000000"
    profile = tables["BUFFER_PROFILE"]["egress_lossless_profile"]
    profile["static_th"] = "15700000"
    assert {one.check for one in judged(tables, chip="trident_3")} == {"memory_exceeded"}
    assert judged(tables) == [], "nothing says which it is"
    profile["static_th"] = "15600000"
    assert {one.check for one in judged(tables)} == {"lossless_queue_drops"}
    (dropped,) = [one for one in judged(tables, chip="trident_3") if one.check == "lossless_queue_drops"]
    assert "one port that feeds it has sent up to 15,670,464 B" in dropped.physics
    tables["BUFFER_PROFILE"]["never_drops"] = profile | {"static_th": "33000000"}
    assert [one for one in judged(tables) if one.check == "lossless_queue_drops"] == [dropped]


def test_a_limit_tells_what_headroom_leaves_of_its_pool() -> None:
    tables = changed_good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"] |= {"size": "32732160", "xoff": "1622016"}
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"] |= {"green_min_threshold": "16000000", "green_max_threshold": "16000000"}
    (finding,) = [one for one in judged(tables, chip="trident_3") if one.check == "ecn_after_pfc"]
    less = "less 18432 B of reserves and 1622016 B of headroom, which it must hold to fit the memory"
    assert f"the pool's 32732160 B {less} with alpha = 1" in finding.physics


@pytest.mark.parametrize(
    ("hwsku", "chip"),
    [
        ("Arista-7060CX-32S-C32", "tomahawk, the chip of Arista-7060CX-32S-C32, has 16,777,216 B"),
        ("Force10-S6100", "tomahawk, the chip of Force10-S6100, has 16,777,216 B"),
        ("ACS-MSN2700", "spectrum, the chip of ACS-MSN2700, has 13,945,824 B"),
        ("Arista-7050CX3-32S-C32", None),
        ("Arista-7060DX5-32", None),
        ("Nokia-7215", None),
        (None, None),
    ],
)
def test_the_chip_may_be_known_by_the_model(hwsku: str | None, chip: str | None) -> None:
    tables = changed_good()
    tables["BUFFER_POOL"]["egress_lossy_pool"]["size"] = "20000000"
    tables["DEVICE_METADATA"]["localhost"]["hwsku"] = hwsku
    if hwsku is None:
        del tables["DEVICE_METADATA"]["localhost"]["hwsku"]
    findings = judged(tables)
    assert {one.check for one in findings} == (set() if chip is None else {"memory_exceeded"})
    assert all(chip is not None and chip in one.physics for one in findings)
    assert "the chip of" not in "".join(one.physics for one in judged(tables, chip="trident_2_plus"))


def test_the_model_says_of_how_many_mmus_its_chip_is() -> None:
    """Half of a pool, as Tomahawk 5 has it, holds all that the ports of one of two MMUs share."""
    tables = lossless_ports(
        {"Ethernet0": "3", "Ethernet4": "3"},
        {
            "in": {"type": "ingress", "mode": "dynamic", "size": "20000000"},
            "out": {"type": "egress", "mode": "dynamic", "size": "10000000"},
        },
        kept={"xon": "0", "xon_offset": "20000", "dynamic_th": "-1"},
        sent={"static_th": "5000000"},
    )
    (finding,) = judged(tables)
    assert finding.physics.endswith(
        "unless the chip has 2 MMUs, of which static_th is one's part of the pool: name it with --chip"
    )
    assert judged(tables, chip="tomahawk_5") == []
    tables["DEVICE_METADATA"] = {"localhost": {"hwsku": "Arista-7060X6-64PE"}}
    assert judged(tables) == []


def test_every_model_has_a_chip_that_there_is() -> None:
    assert set(chips._CHIPS) <= CHIPS.keys()


def test_thresholds_of_either_kind_are_in_pools_of_either_mode() -> None:
    tables = changed_good()
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["mode"] = "static"
    assert judged(tables) == []
    severity, _, physics = of("profile_without_threshold")[0]
    assert (severity, "nothing says how much of ingress_lossy_pool" in physics) == (Severity.ERROR, True)


def test_packet_counting_has_a_direction() -> None:
    group, queue, ingress, egress = of("pool_of_other_direction")
    assert "priority group 0 of Ethernet4 is limited by egress_lossy_pool, an egress pool" in group[2]
    assert "queue 0 of Ethernet4 is limited by ingress_lossy_pool, an ingress pool" in queue[2]
    assert ingress[2] == "out is of egress_lossy_pool, an egress pool: this list counts packets as they come in"
    assert egress[2] == "in is of ingress_lossy_pool, an ingress pool: this list counts packets as they wait to leave"


def test_a_sender_resumes_below_where_it_was_paused() -> None:
    late, never = of("xon_above_xoff")
    assert "paused from 1,000,000 B on at the latest" in late[2]  # 1/9 of 9 MB
    assert "may resume at 1,000,000 B" in late[2]
    assert "30,000 B below where they are paused, which is at 24,475 B in an empty pool" in never[2]


@pytest.mark.parametrize(
    ("xon", "offset", "found"),
    [
        ("0", "0", [Severity.WARNING]),
        ("0", "1499", [Severity.WARNING]),
        ("4608", "4000", [Severity.NOTE]),
        ("0", "9100", []),
    ],
)
def test_between_pause_and_resume_is_a_packet(xon: str, offset: str, found: list[Severity]) -> None:
    tables = changed_good()
    tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] |= {"xon": xon, "xon_offset": offset}
    findings = judged(tables)
    assert [(one.severity, one.check) for one in findings] == [(severity, "xon_above_xoff") for severity in found]
    assert all("less than one packet" in one.physics and "9,100 B" in one.physics for one in findings)


@pytest.mark.parametrize(
    ("xon", "offset", "found"),
    [
        ("200000", "0", [("xon_offset", Severity.WARNING)]),  # as far below xon as that may be
        ("4608", "4200", []),  # a packet of RoCE
        ("4608", "4199", [("xon_offset", Severity.NOTE)]),
        # A group pauses at 15,004,608 B at most: a reserve of 4608 B and half of 30 MB, if reserves are not within.
        ("15000408", "18432", []),
        ("15000409", "18432", [("xon", Severity.NOTE)]),
        ("15003109", "18432", [("xon", Severity.WARNING)]),
        ("15004608", "18432", [("xon", Severity.ERROR)]),
    ],
)
def test_resume_is_at_the_higher_of_two_thresholds(xon: str, offset: str, found: list[tuple[str, Severity]]) -> None:
    tables = changed_good()
    for length in ("40m", "300m"):
        tables["BUFFER_PROFILE"][f"pg_lossless_100000_{length}_profile"] |= {"xon": xon, "xon_offset": offset}
    findings = [one for one in judged(tables) if one.place.key.startswith("BUFFER_PROFILE|pg_lossless_100000_40m")]
    assert [(one.place.key.rpartition("|")[2], one.severity) for one in findings] == found


@pytest.mark.parametrize(("mtu", "found"), [("3556", []), ("4096", [Severity.WARNING])])
def test_lossless_packets_may_be_smaller_than_those_of_their_port(mtu: str, found: list[Severity]) -> None:
    tables = changed_good()
    tables["BUFFER_PROFILE"]["pg_lossless_100000_40m_profile"] |= {"xon": "0", "xon_offset": "3556"}
    tables["LOSSLESS_TRAFFIC_PATTERN"] = {"AZURE": {"mtu": mtu, "small_packet_percentage": "100"}}
    assert [one.severity for one in judged(tables)] == found


def test_what_pfc_has_kept_a_queue_must_hold() -> None:
    shared, copied, unset = of("lossless_queue_drops")
    # Lossy groups of three ports hold 24/25 of 7 MB: lossy queues get no more of 9 MB, and this one 8/9 of the rest.
    assert "holds 2,026,666 B at most" in shared[2]
    assert "of the pool's 9000000 B less 6720000 B in lossy queues" in shared[2]
    # Two inputs up to their pauses, 9 MB x 2/4 / (1 + 2/4), and 80,000 B of headroom each.
    assert "2 ports that feed it have sent up to 3,160,000 B" in shared[2]
    assert "holds 2,400,000 B at most" in copied[2]  # 1/5 of 12 MB
    assert "waits in queue 3, of which no row of BUFFER_QUEUE says anything" in unset[2]
    assert [severity for severity, _, _ in (shared, copied, unset)] == [Severity.WARNING] * 2 + [Severity.NOTE]


def test_a_queue_that_one_sender_overfills_is_an_error() -> None:
    tables = changed_good()
    tables["BUFFER_PROFILE"]["egress_lossless_profile"]["static_th"] = "14000000"
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.ERROR, "lossless_queue_drops")
    # Half of what four reserves of 4608 B leave of 30 MB, one of these and 120,000 B of headroom.
    assert "of lossless priority 3 and 3 more like it" in finding.physics
    assert "one port that feeds it has sent up to 15,115,392 B" in finding.physics


def test_a_pool_shares_what_its_reserves_leave() -> None:
    """Three groups with 50,000 B each leave 8 of 8.15 MB: one with alpha 1 takes half of that, two a third each."""
    tables = lossless_ports(
        {"Ethernet0": "3", "Ethernet4": "3", "Ethernet8": "3"},
        {
            "in": {"type": "ingress", "mode": "dynamic", "size": "8150000"},
            "out": {"type": "egress", "mode": "dynamic", "size": "21000000"},
        },
        kept={"size": "50000", "xon": "0", "xon_offset": "20000", "dynamic_th": "0"},
        sent={"static_th": "4100000"},
    )
    tables["BUFFER_PROFILE"]["all"] = {"pool": "out", "size": "0", "static_th": "21000000"}
    (finding,) = judged(tables)
    # 50,000 B reserved, 4,000,000 shared and 100,000 of headroom.
    assert "one port that feeds it has sent up to 4,150,000 B" in finding.physics
    tables["BUFFER_PROFILE"]["sent"]["static_th"] = "4200000"
    (finding,) = judged(tables)
    assert "2 ports that feed it have sent up to 5,633,333 B" in finding.physics


@pytest.mark.parametrize(("type_", "size"), [("egress", "10000000"), ("egress", "19900000"), ("both", "90000000")])
def test_a_threshold_that_may_be_of_one_mmu_or_of_the_chip_alone_is_no_error(type_: str, size: str) -> None:
    """As Tomahawk 5 has it, half of a pool, and a chassis, of which the pool counts memory beside the chip."""
    tables = lossless_ports(
        {"Ethernet0": "3", "Ethernet4": "3"},
        {
            "in": {"type": "ingress", "mode": "dynamic", "size": "20000000"},
            "out": {"type": type_, "mode": "dynamic", "size": size},
        },
        kept={"xon": "0", "xon_offset": "20000", "dynamic_th": "0"},
        sent={"static_th": "5000000"},
    )
    (finding,) = judged(tables)
    assert finding.check == "lossless_queue_drops"
    assert finding.severity == Severity.NOTE
    assert ("--chip" in finding.physics) == (type_ == "egress")
    tables["BUFFER_POOL"]["out"] |= {"type": "egress", "size": "12000000"}
    assert judged(tables)[0].severity == Severity.ERROR


def test_every_queue_is_judged_by_the_ports_that_feed_it() -> None:
    tables = lossless_ports(
        {"Ethernet0": "3-4", "Ethernet4": "4", "Ethernet8": "4", "Ethernet12": "4"},
        {
            "in": {"type": "ingress", "mode": "dynamic", "size": "10000000"},
            "out": {"type": "egress", "mode": "dynamic", "size": "10000000"},
        },
        kept={"xon": "20000", "dynamic_th": "0"},
        sent={"static_th": "500000"},
    )
    (finding,) = judged(tables)
    # Priority 3 comes in by no other port. One port sends half of 10 MB and 100,000 B of headroom.
    assert "queue 4 of Ethernet0, of lossless priority 4 and 3 more like it" in finding.physics
    assert "one port that feeds it has sent up to 5,100,000 B" in finding.physics


def test_wred_without_probability() -> None:
    green, yellow = of("wred_without_probability")
    assert [green[0], yellow[0]] == [Severity.ERROR, Severity.NOTE]
    assert "from 150,000 B to 1,500,000 B no green packet is marked" in green[2]


def test_wred_without_threshold() -> None:
    nowhere, refused, yellow = of("wred_without_threshold")
    assert [nowhere[:2], refused[:2], yellow[:2]] == [(Severity.ERROR, 3), (Severity.ERROR, 4), (Severity.NOTE, 8)]
    assert "green packets are to be marked, and nothing says where that begins or ends" in nowhere[2]
    assert "takes it for 0, below green_min_threshold = 150000, and refuses the profile" in refused[2]
    assert "yellow packets are to be dropped" in yellow[2]


@pytest.mark.parametrize(
    ("profile", "keys"),
    [
        ({"ecn": "ecn_all"}, ["green_min_threshold"]),
        ({"ecn": "ecn_none"}, []),
        ({"wred_green_enable": "true"}, ["green_min_threshold"]),
        ({"wred_red_enable": "true", "red_min_threshold": "1000"}, ["red_max_threshold"]),
        ({"ecn": "ecn_green", "green_min_threshold": "0", "green_max_threshold": "0"}, []),
    ],
)
def test_a_threshold_that_is_missing_is_named(profile: dict[str, str], keys: list[str]) -> None:
    found = judged({"WRED_PROFILE": {"ROCE": profile}})
    named = [finding.place.key for finding in found if finding.check == "wred_without_threshold"]
    assert named == [f"WRED_PROFILE|ROCE|{key}" for key in keys]


def test_what_stands_twice_is_named_with_its_line() -> None:
    table, field = findings(EXAMPLES / "faults" / "repeated_key.json")
    assert (table.place.line, table.place.key) == (4, "BUFFER_PG")
    assert "stands again in line 13" in table.physics
    assert (field.place.line, field.place.value) == (9, "20")
    assert "stands again in line 10" in field.physics


def test_of_rows_for_one_link_the_last_counts() -> None:
    twice = LOOKUP + "  100000  40m  4608  4608   60000  0  4608\n"
    lost, *others = sorted(judged(changed_good(), twice), key=lambda finding: finding.severity)
    assert (lost.severity, lost.check, lost.place) == (
        Severity.ERROR,
        "repeated_key",
        ("pg.ini", 1, "100000 40m xoff", "80000"),
    )
    assert "100000 40m stands again in line 3, with xoff = 60000, and only that counts" in lost.physics
    assert [finding.check for finding in others] == ["lookup_disagrees"]


def test_headroom_for_an_unknown_cable_is_told_once() -> None:
    ((severity, line, physics),) = of("headroom_unjudged")
    assert (severity, line) == (Severity.NOTE, 4)
    assert "nothing says the cable's length (CABLE_LENGTH) of Ethernet0" in physics
    assert "of Ethernet0 and 1 more, by roce" in physics


def computed(buffer_model: str) -> dict[str, Any]:
    """The good tables with pools, headroom and profiles left to the switch."""
    tables: dict[str, Any] = changed_good()
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = buffer_model
    for pool in tables["BUFFER_POOL"].values():
        pool.pop("size")
        pool.pop("xoff", None)
    profiles = tables["BUFFER_PROFILE"]
    profiles["lossless"] = {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "0", "headroom_type": "dynamic"}
    for length in ("40m", "300m"):
        del profiles[f"pg_lossless_100000_{length}_profile"]
    tables["BUFFER_PG"]["Ethernet0|3-4"]["profile"] = "NULL"
    tables["BUFFER_PG"]["Ethernet4|3-4"]["profile"] = "lossless"
    return tables


def test_what_the_switch_computes_is_named_as_not_judged() -> None:
    pool, headroom = judged(computed("dynamic"))
    assert (pool.severity, pool.check, pool.place.key) == (
        Severity.NOTE,
        "pool_unjudged",
        "BUFFER_POOL|ingress_lossless_pool|size",
    )
    assert pool.physics == (
        "the switch computes it (buffer_model dynamic): the size of ingress_lossless_pool and 2 more is not judged, "
        "nor are thresholds that are a share of it, by egress_lossy_profile and 1 more"
    )
    assert (headroom.severity, headroom.check) == (Severity.NOTE, "headroom_unjudged")
    assert headroom.physics == (
        "the switch computes it (buffer_model dynamic): not judged are headroom and pauses of priority group 3 of "
        "Ethernet0 and 3 more, nor whether marks come before them"
    )


def test_headroom_that_is_looked_up_elsewhere_is_named_as_not_judged() -> None:
    tables = computed("traditional")
    assert "no table says it" in judged(tables)[0].physics
    assert "from its pg_profile_lookup.ini, which is not named beside these tables" in judged(tables)[1].physics
    nearer = LOOKUP.replace(" 40m", " 30m")
    found = [one.physics for one in judged(tables, nearer) if one.check == "headroom_unjudged"]
    assert found[0].startswith("the switch takes it from pg.ini, which has no row for it: ")


LOOKUP = """\
  100000  40m  4608  4608   80000  0  4608
  100000 300m  4608  4608  120000  0  4608
"""


def test_headroom_that_the_switch_makes_is_that_of_its_lookup_table() -> None:
    tables = changed_good()
    for port in ("Ethernet0", "Ethernet4"):
        del tables["BUFFER_PG"][f"{port}|3-4"]
    for length in ("40m", "300m"):
        del tables["BUFFER_PROFILE"][f"pg_lossless_100000_{length}_profile"]
    assert {finding.check for finding in judged(tables)} == {"pfc_without_lossless"}
    assert judged(tables, LOOKUP) == []
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"] = "130000"
    (finding,) = judged(tables, LOOKUP)
    assert "may put 400,000 B into it" in finding.physics  # two groups of 80,000 B and two of 120,000


def test_a_port_for_which_the_lookup_table_has_no_row_gets_no_headroom() -> None:
    tables = changed_good()
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "30m"
    del tables["BUFFER_PG"]["Ethernet0|3-4"]
    found = judged(tables, LOOKUP)
    assert [(one.severity, one.check) for one in found] == [(Severity.ERROR, "pfc_without_lossless")] * 2
    assert "nor has pg.ini one for 100000 30m, so that the switch makes none" in found[0].physics
    assert found[0].remedy == "a row 100000 30m in pg.ini, or no 3 in pfc_enable"


@pytest.mark.parametrize("profile", [None, "NULL"])
def test_a_port_of_which_nothing_says_how_long_its_cable_is_gets_no_headroom(profile: str | None) -> None:
    tables = changed_good()
    del tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"]
    tables["BUFFER_PG"]["Ethernet0|3-4"] = {"profile": profile}
    if profile is None:
        del tables["BUFFER_PG"]["Ethernet0|3-4"]
    for lookup in (LOOKUP, None):
        found = [finding for finding in judged(tables, lookup) if finding.check == "pfc_without_lossless"]
        assert [finding.severity for finding in found] == [Severity.ERROR] * 2
        assert (
            "no CABLE_LENGTH says how long its cable is, without which the switch makes no profile" in found[0].physics
        )
        assert found[0].remedy == "CABLE_LENGTH|AZURE|Ethernet0 with that length, or no 3 in pfc_enable"


def test_a_profile_that_differs_from_its_row_in_the_lookup_table() -> None:
    less, other = of("lookup_disagrees")
    assert [less[0], other[0]] == [Severity.WARNING, Severity.NOTE]
    assert "pg_profile_lookup.ini:2 has 80000 for 100000 40m" in less[2]


def test_the_switch_puts_what_it_looks_up_in_the_place_of_a_row() -> None:
    kept, replaced, without = of("profile_of_other_link")
    assert [one[0] for one in (kept, replaced, without)] == [Severity.WARNING, Severity.NOTE, Severity.NOTE]
    assert replaced[2].startswith("Ethernet0: the switch puts pg_lossless_400000_40m_profile in the place of")
    assert replaced[2].endswith("(pg_profile_lookup.ini:3), with xoff = 120000, and not 80000")
    assert "has no row 200000 40m, and the switch keeps pg_lossless_100000_40m_profile" in kept[2]
    assert without[2].startswith("Ethernet8: CABLE_LENGTH says 0m, for which the switch makes no lossless profile")
    tables = changed_good()
    tables["BUFFER_PG"]["Ethernet0|3-4"]["profile"] = "ingress_lossy_profile"
    assert {one.check for one in judged(tables)} == {"pfc_without_lossless"}
    (finding,) = judged(tables, LOOKUP)
    assert (finding.check, finding.place.value) == ("profile_of_other_link", "ingress_lossy_profile")
    assert "with xoff = 80000, and not none" in finding.physics
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
    assert {one.check for one in judged(tables, LOOKUP)} == {"pfc_without_lossless"}, "nothing is looked up"


def test_headroom_is_judged_as_the_switch_looks_it_up() -> None:
    """Ports of 100G with a profile of their own and 80,000 B, for which the switch has a row with 20,000 B."""
    tables = changed_good()
    tables["BUFFER_PROFILE"]["roce"] = tables["BUFFER_PROFILE"].pop("pg_lossless_100000_40m_profile")
    tables["BUFFER_PG"]["Ethernet0|3-4"]["profile"] = "roce"
    assert judged(tables) == []
    found = judged(tables, LOOKUP.replace(" 80000", " 20000"))
    assert {one.check for one in found} == {"profile_of_other_link", "headroom_below_response"}


@pytest.mark.parametrize("model", ["traditional", "dynamic"])
@pytest.mark.parametrize("profile", [None, "NULL"])
def test_a_cable_of_no_length_gets_no_headroom(profile: str | None, model: str) -> None:
    tables = changed_good()
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = model
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "0m"
    tables["BUFFER_PG"]["Ethernet0|3-4"] = {"profile": profile}
    if profile is None:
        del tables["BUFFER_PG"]["Ethernet0|3-4"]
    found = [one for one in judged(tables, LOOKUP) if one.check == "pfc_without_lossless"]
    assert [one.severity for one in found] == [Severity.NOTE] * 2
    assert "and CABLE_LENGTH says 0m, for which the switch makes no lossless profile" in found[0].physics
    assert found[0].remedy == "CABLE_LENGTH with the length of Ethernet0's cable, or no 3 in pfc_enable"


@pytest.mark.parametrize(("length", "found"), [("0m", True), ("5m", False)])
def test_nor_does_one_with_a_profile_that_is_to_be_computed(length: str, *, found: bool) -> None:
    """The row names a profile that the switch computes (sonic-swss, cfgmgr/buffermgrdyn.cpp)."""
    tables = changed_good()
    tables["DEVICE_METADATA"]["localhost"]["buffer_model"] = "dynamic"
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = length
    tables["BUFFER_PROFILE"]["computed"] = {
        "pool": "ingress_lossless_pool",
        "size": "0",
        "headroom_type": "dynamic",
        "dynamic_th": "1",
    }
    tables["BUFFER_PG"]["Ethernet0|3-4"] = {"profile": "computed"}
    faults = [one for one in judged(tables) if one.check == "pfc_without_lossless"]
    assert [one.severity for one in faults] == [Severity.NOTE] * 2 * found
    assert all("set by computed, and CABLE_LENGTH says 0m" in one.physics for one in faults)


def test_ends_of_a_cable_are_held_against_each_other() -> None:
    found = {physics: severity for severity, _, physics in of("ends_disagree")}
    speed, pauses, mtu, cable, classes = found
    assert speed.startswith("Ethernet0: 100 Gb/s here, and 40 at Ethernet0 of spine (spine.json:5)")
    assert pauses.startswith("Ethernet0 and 1 more: PFC is on for 3 and 4 here, and for 3 at Ethernet0 of spine")
    assert "a pause of priority 4 stops nothing" in pauses
    assert mtu.startswith("Ethernet0: packets of up to 9,100 B here, and 1,500 B at Ethernet0 of spine")
    assert cable.startswith("Ethernet0: 40 m of cable here, and 5 m at Ethernet0 of spine (spine.json:8)")
    assert classes.startswith("Ethernet0 and 1 more: DSCP 3 has lossless priority 3 here, and no lossless priority at")
    assert list(found.values()) == [Severity.ERROR] * 2 + [Severity.WARNING] * 3


def two_switches(first: object, second: object) -> list[str]:
    """Returns the findings about the two ends of a link."""
    both = [Tables.of([parse(f"{name}.json", json.dumps(its))]) for name, its in (("a", first), ("b", second))]
    return [one.physics for one in lint(both) if one.check == "ends_disagree"]


def end(name: str, other: str, **port: str) -> dict[str, Any]:
    """A switch with one port, whose neighbour is another's."""
    return {
        "DEVICE_METADATA": {"localhost": {"hostname": name}},
        "DEVICE_NEIGHBOR": {"Ethernet0": {"name": other, "port": "Ethernet0"}},
        "PORT": {"Ethernet0": port},
    }


def test_a_link_is_told_of_once_from_either_end() -> None:
    slow, fast = end("x", "y", speed="10000"), end("y", "x", speed="25000")
    (physics,) = two_switches(slow, fast)
    assert two_switches(fast, slow) == [physics.replace("(b.json:1)", "(a.json:1)")]
    assert physics.startswith("Ethernet0: 10 Gb/s here, and 25 at Ethernet0 of y (b.json:1)")
    del slow["DEVICE_NEIGHBOR"]
    assert two_switches(slow, fast)[0].startswith("Ethernet0: 25 Gb/s here, and 10 at Ethernet0 of x (a.json:1)")


def test_ends_that_negotiate_their_speed_may_differ() -> None:
    assert two_switches(end("x", "y", speed="10000", autoneg="on"), end("y", "x", speed="25000")) == []


@pytest.mark.parametrize("name", ["z", "x", ""])
def test_a_neighbour_that_is_not_there_is_passed_over(name: str) -> None:
    """Nor is one known among several that have the same name."""
    assert two_switches(end("x", "y", speed="10000"), end(name, "elsewhere", speed="25000")) == []


def test_packets_are_of_one_class_wherever_they_come_in() -> None:
    ((severity, line, physics),) = of("classes_disagree")
    assert (severity, line) == (Severity.NOTE, 7)
    assert physics == (
        "DSCP 3 has no lossless priority at Ethernet0, and lossless priority 3 at Ethernet4 and 1 more, and 1 more "
        "differs: whether they may be dropped hangs on where they come in"
    )


def test_a_speed_that_ethernet_has_not_is_told_of() -> None:
    ((severity, line, physics),) = of("speed_of_no_ethernet")
    assert (severity, line) == (Severity.WARNING, 4)
    assert physics.startswith(
        "Ethernet4 and 1 more: no Ethernet has 123 Gb/s, and no port comes up with it; next to it"
    )
    (row,) = [one for one in judged(changed_good(), f"{LOOKUP} 60000 5m 0 0 90000 0") if "Ethernet has" in one.physics]
    assert (row.place.file, row.place.line) == ("pg.ini", 3)
    assert row.physics.endswith("next to it are 50 or 100 Gb/s")


def test_files_that_do_not_contradict_are_one_switch() -> None:
    """ConfigDB in two files, of which both have PORT; the lookup table may be in a folder of the platform's."""
    tables = changed_good()
    of_buffers = {name: rows for name, rows in tables.items() if name.startswith(("BUFFER", "PORT", "CABLE"))}
    of_classes = {name: rows for name, rows in tables.items() if name not in of_buffers or name == "PORT"}
    files = [parse("etc/buffers.json", json.dumps(of_buffers)), parse("etc/qos.json", json.dumps(of_classes))]
    lookup = parse("device/pg_profile_lookup.ini", LOOKUP)
    assert by_switch([*files, lookup]) == [(*files, lookup)]
    other = parse("etc/other.json", json.dumps(tables | {"PORT": {"Ethernet0": {"speed": "400000"}}}))
    assert by_switch([*files, other]) == [(files[0],), (files[1],), (other,)]


def test_of_several_switches_the_files_of_a_folder_are_one() -> None:
    leaves = [
        (
            parse(f"{leaf}/config_db.json", json.dumps({"DEVICE_METADATA": {"localhost": {"hostname": leaf}}})),
            parse(f"{leaf}/pg_profile_lookup.ini", LOOKUP),
        )
        for leaf in ("leaf1", "leaf2")
    ]
    assert by_switch([leaves[0][0], leaves[1][0], leaves[0][1], leaves[1][1]]) == leaves


def test_several_lookup_tables_are_told_apart_by_folders_or_refused() -> None:
    config, lookup = json.dumps(changed_good()), LOOKUP
    one, other = parse("leaf1/config_db.json", config), parse("leaf2/config_db.json", config)
    first, second = parse("leaf1/pg.ini", lookup), parse("leaf2/pg.ini", lookup)
    assert by_switch([one, other, first, second]) == [(one, first), (other, second)]
    assert by_switch([first, second]) == [(first,), (second,)]
    for files in ([one, first, second], [one, first, parse("leaf1/pg2.ini", lookup)], [other, first, second]):
        (together,) = by_switch(files)
        with pytest.raises(InputError, match="is a second lookup table beside leaf1/pg"):
            Tables.of(together)


def test_a_row_that_is_invalid_is_no_reason_for_other_findings() -> None:
    tables = changed_good()
    tables["PORT_QOS_MAP"]["Ethernet0"]["pfc_enable"] = "3, 4"
    assert [finding.check for finding in judged(tables)] == ["invalid_value"]


def test_colours_without_their_switch() -> None:
    ((severity, line, physics),) = of("wred_without_colour")
    assert (severity, line) == (Severity.NOTE, 4)
    assert physics.startswith("SILENT: ecn_all marks green, yellow and red packets, whose WRED is off: those that are")


def test_pfc_and_lossless_groups_go_together() -> None:
    assert [line for _, line, _ in of("lossless_without_pfc")] == [4, 5]
    assert [severity for severity, _, _ in of("pfc_without_lossless")] == [Severity.ERROR, Severity.NOTE]


def test_traffic_comes_in_and_waits_by_the_priority_that_pauses_it() -> None:
    no_class, another_queue, no_dscp = of("maps_disagree")
    assert [no_class[0], another_queue[0], no_dscp[0]] == [Severity.ERROR, Severity.ERROR, Severity.NOTE]
    assert "Ethernet0: priority 3 pauses for priority group 3, and no traffic class comes into that" in no_class[2]
    assert "waits in queue 1, while a neighbour's pause of priority 3 stops queue 3" in another_queue[2]
    assert "no DSCP or 802.1p priority leads to traffic class 3" in no_dscp[2]


def test_a_port_with_pfc_has_maps() -> None:
    groups, queues = of("map_missing")
    assert [groups[:2], queues[:2]] == [(Severity.ERROR, 10), (Severity.WARNING, 9)]
    assert "Ethernet4: PFC is on without tc_to_pg_map, such as Ethernet0 has: which priority group" in groups[2]
    assert "Ethernet0 and 1 more: PFC is on without tc_to_queue_map: all packets wait in queue 0" in queues[2]
    tables = changed_good()
    del tables["PORT_QOS_MAP"]["Ethernet4"]["dscp_to_tc_map"]
    (finding,) = judged(tables)
    assert (finding.severity, finding.place.key) == (Severity.ERROR, "PORT_QOS_MAP|Ethernet4|dscp_to_tc_map")
    assert finding.remedy == "dscp_to_tc_map of Ethernet0, AZURE"
    tables["PORT_QOS_MAP"]["global"] = {"dscp_to_tc_map": "AZURE"}
    assert judged(tables) == []
    for table in ("DSCP_TO_TC_MAP", "TC_TO_QUEUE_MAP"):
        del tables[table]
    for port in ("Ethernet0", "Ethernet4"):
        tables["PORT_QOS_MAP"][port] = {"pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
    del tables["PORT_QOS_MAP"]["global"]
    assert judged(tables) == [], "maps may be in another file"


def test_an_802_1p_priority_leads_to_a_traffic_class_as_a_dscp_does() -> None:
    tables = changed_good()
    tables["DSCP_TO_TC_MAP"]["NO_FOUR"] = {"26": "3"}
    tables["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"] = "NO_FOUR"
    assert {finding.check for finding in judged(tables)} == {"maps_disagree"}
    tables["DOT1P_TO_TC_MAP"] = {"TAGGED": {"4": "4"}}
    tables["PORT_QOS_MAP"]["Ethernet0"]["dot1p_to_tc_map"] = "TAGGED"
    assert judged(tables) == []
    tables["PORT_QOS_MAP"]["Ethernet0"]["dot1p_to_tc_map"] = "TAGED"
    assert {finding.check for finding in judged(tables)} == {"maps_disagree", "dangling_reference"}


def test_a_traffic_class_has_a_queue_at_every_port_and_a_priority_group_where_it_comes_in() -> None:
    queue, group = of("traffic_class_unmapped")
    assert [queue[:2], group[:2]] == [(Severity.WARNING, 5), (Severity.NOTE, 8)]
    assert "traffic class 5, of DSCP 46 and 1 more, has no queue in this map, used by Ethernet0 and 1 more" in queue[2]
    assert "traffic class 6, of 802.1p priority 6, has no priority group in this map, used by Ethernet4" in group[2]
    tables = changed_good()
    tables["DSCP_TO_TC_MAP"]["ELSEWHERE"] = {"0": "0", "26": "3", "4": "4", "46": "8"}
    tables["PORT_QOS_MAP"]["Ethernet0"]["dscp_to_tc_map"] = "ELSEWHERE"
    found = {finding.place.key: finding.physics for finding in judged(tables)}
    assert found.keys() == {"TC_TO_QUEUE_MAP|AZURE|8", "TC_TO_PRIORITY_GROUP_MAP|AZURE|8"}
    assert "used by Ethernet0 and 1 more" in found["TC_TO_QUEUE_MAP|AZURE|8"]
    assert "used by Ethernet0:" in found["TC_TO_PRIORITY_GROUP_MAP|AZURE|8"]
    for port in ("Ethernet0", "Ethernet4"):
        del tables["PORT_QOS_MAP"][port]["tc_to_queue_map"], tables["PORT_QOS_MAP"][port]["tc_to_pg_map"]
    assert {finding.check for finding in judged(tables)} == {"map_missing"}


def test_maps_say_which_group_a_priority_pauses() -> None:
    tables = {
        "BUFFER_POOL": {"pool": {"type": "ingress", "mode": "dynamic", "size": "9000000", "xoff": "1000000"}},
        "BUFFER_PROFILE": {"lossless": {"pool": "pool", "size": "0", "xoff": "80000", "dynamic_th": "0"}},
        "BUFFER_PG": {"Ethernet0|6": {"profile": "lossless"}},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"MOVED": {"3": "6"}},
        "TC_TO_PRIORITY_GROUP_MAP": {"MOVED": {"3": "6"}},
        "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3", "pfc_to_pg_map": "MOVED", "tc_to_pg_map": "MOVED"}},
        "PORT": {"Ethernet0": {"speed": "100000"}},
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
    }
    assert lint([Tables.parse("t.json", json.dumps(tables))]) == []


def test_of_the_whole_switch_only_the_map_of_dscps_is_applied() -> None:
    """As qosorch.cpp of sonic-swss does: a port's own map goes first, and PFC is a matter of ports."""
    tables = changed_good()
    ports = tables["PORT_QOS_MAP"]
    tables["DSCP_TO_TC_MAP"]["NO_FOUR"] = {"26": "3"}
    ports["global"] = {"dscp_to_tc_map": "NO_FOUR"}
    assert judged(tables) == []
    del ports["Ethernet4"]["dscp_to_tc_map"]
    (finding,) = judged(tables)
    assert (finding.check, finding.place.key) == ("maps_disagree", "PORT_QOS_MAP|global|dscp_to_tc_map")
    assert "Ethernet4: no DSCP or 802.1p priority leads to traffic class 4" in finding.physics
    ports["global"]["dscp_to_tc_map"] = "AZURE"
    assert judged(tables) == []
    ports["global"] |= {"pfc_enable": "3,4", "tc_to_queue_map": "AZURE"}
    assert {finding.check for finding in judged(tables)} == {"unknown_field"}
    for port in ("Ethernet0", "Ethernet4"):
        del ports[port]["pfc_enable"]
    assert {finding.check for finding in judged(tables)} == {"unknown_field", "lossless_without_pfc"}
    ports["global"]["dscp_to_tc_map"] = "NONE"
    assert "dangling_reference" in {finding.check for finding in judged(tables)}


def in_brackets(tables: dict[str, Any]) -> dict[str, Any]:
    """Returns the tables with references in brackets, as images before 2021 have them."""
    targets = {"profile": "BUFFER_PROFILE", "pool": "BUFFER_POOL", "wred_profile": "WRED_PROFILE"} | {
        field: field.upper() for field in ("scheduler", "dscp_to_tc_map", "tc_to_queue_map")
    }
    return {
        table: {
            key: {field: f"[{targets[field]}|{value}]" if field in targets else value for field, value in row.items()}
            for key, row in rows.items()
        }
        for table, rows in tables.items()
    }


def test_names_in_brackets_are_told_of_once_and_judged_as_the_names_alone() -> None:
    tables = changed_good()
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet4"] = "3000m"
    plain = judged(tables)
    assert [finding.check for finding in plain] == ["headroom_below_cable"]
    old, *others = sorted(judged(in_brackets(tables)), key=lambda finding: finding.check)
    assert (old.severity, old.check) == (Severity.ERROR, "bracketed_reference")
    assert old.place.key == "BUFFER_PROFILE|ingress_lossy_profile|pool"
    assert ", and 24 more like it:" in old.physics
    assert others == plain
    tables["BUFFER_PG"]["Ethernet0|0"]["profile"] = "[BUFFER_POOL|ingress_lossless_pool]"
    found = {finding.place.value: finding.check for finding in judged(tables)}
    assert found["[BUFFER_POOL|ingress_lossless_pool]"] == "dangling_reference"


@pytest.mark.parametrize(
    ("version", "found"),
    [
        (None, {("bracketed_reference", Severity.ERROR), ("lossless_unwatched", Severity.WARNING)}),
        ("version_3_0_2", {("bracketed_reference", Severity.NOTE)}),
        ("version_3_0_4", {("bracketed_reference", Severity.ERROR)}),
        ("version_3_0_5", {("bracketed_reference", Severity.ERROR), ("lossless_unwatched", Severity.WARNING)}),
        ("version_202405_01", {("bracketed_reference", Severity.ERROR), ("lossless_unwatched", Severity.WARNING)}),
    ],
)
def test_tables_of_an_earlier_version_are_in_its_form(version: str | None, found: set[tuple[str, Severity]]) -> None:
    """SONiC's db_migrator.py takes brackets away from 3_0_2 on, and gives pfcwd_sw_enable from 3_0_4 on."""
    tables = changed_good()
    tables["BUFFER_PROFILE"]["egress_lossy_profile"]["pool"] = "[BUFFER_POOL|egress_lossy_pool]"
    for row in tables["PORT_QOS_MAP"].values():
        row.pop("pfcwd_sw_enable", None)
    if version:
        tables["VERSIONS"] = {"DATABASE": {"VERSION": version}}
    assert {(one.check, one.severity) for one in judged(tables)} == found


def test_a_table_by_another_name_is_told_of() -> None:
    lower, shorter = of("misspelt_table")
    assert [lower[:2], shorter[:2]] == [(Severity.WARNING, 3), (Severity.WARNING, 4)]
    for table, spelled in [
        ("BUFFER_PROFILE", "BUFFER_PROFILES"),
        ("BUFFER_POOL", "BufferPool"),
        ("WRED_PROFILE", "WRED_PROFIL"),
        ("QUEUE", "QUEUES"),
        ("PFC_WD", "PFCWD"),
    ]:
        tables = changed_good()
        tables[spelled] = tables.pop(table)
        told = [finding for finding in judged(tables) if finding.check == "misspelt_table"]
        assert [(finding.place.key, finding.remedy) for finding in told] == [(spelled, f"did you mean {table}?")]


def test_other_tables_of_sonic_are_passed_over() -> None:
    tables = changed_good()
    others = "BFD_PROFILE DSCP_TO_FC_MAP EXP_TO_FC_MAP MPLS_TC_TO_TC_MAP TC_TO_DSCP_MAP TC_TO_DOT1P_MAP PORTCHANNEL"
    more = "BUFFER_PORT_INGRESS_PROFILE_LIST BUFFER_PORT_EGRESS_PROFILE_LIST DEVICE_NEIGHBOR_METADATA POLICER MUX_CABLE"
    assert judged(tables | {name: {} for name in f"{others} {more}".split()}) == []


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("egress_lossless_pool", "add it to BUFFER_POOL"),
        ("egress_losless_pool", "add it to BUFFER_POOL"),
        ("egress_losy_pool", "did you mean egress_lossy_pool?"),
        ("ingress_losless_pool", "did you mean ingress_lossless_pool?"),
    ],
)
def test_what_may_have_been_meant_is_of_the_same_kind(name: str, remedy: str) -> None:
    tables = changed_good()
    del tables["BUFFER_POOL"]["egress_lossless_pool"]
    tables["BUFFER_PROFILE"]["egress_lossless_profile"]["pool"] = name
    assert [one.remedy for one in judged(tables) if one.check == "dangling_reference"] == [remedy]


def test_every_table_that_names_rows_names_what_is_there() -> None:
    example = EXAMPLES / "faults" / "dangling_reference.json"
    named = {(finding.place.key, finding.physics.rpartition(" ")[2]) for finding in findings(example)}
    assert named == {
        ("BUFFER_PROFILE|ingress_lossy_profile|pool", "ingress_losless_pool"),
        ("BUFFER_PG|Ethernet0|0|profile", "ingress_losy_profile"),
        ("BUFFER_PORT_INGRESS_PROFILE_LIST|Ethernet0|profile_list", "ingress_lossless_profile"),
        ("QUEUE|Ethernet0|3|scheduler", "scheduler.1"),
        ("QUEUE|Ethernet0|3|wred_profile", "RDMA"),
        ("PORT_QOS_MAP|Ethernet0|scheduler", "scheduler.port"),
        ("PORT_QOS_MAP|Ethernet0|tc_to_dscp_map", "AZUR"),
        ("BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet4", "Ethernet4"),
        ("CABLE_LENGTH|AZURE|Ethernet4", "Ethernet4"),
        ("QUEUE|Ethernet4|3", "Ethernet4"),
        ("PORT_QOS_MAP|Ethernet4", "Ethernet4"),
        ("PFC_WD|Ethernet4", "Ethernet4"),
    }


@pytest.mark.parametrize("table", ["BUFFER_PG", "BUFFER_QUEUE", "QUEUE", "PORT_QOS_MAP", "PFC_WD", "CABLE_LENGTH"])
def test_ports_that_are_named_are_there(table: str) -> None:
    tables = changed_good()
    rows = tables[table]["AZURE"] if table == "CABLE_LENGTH" else tables[table]
    key = next(key for key in rows if key.startswith("Ethernet4"))
    rows[key.replace("Ethernet4", "Ethernet8")] = rows.pop(key)
    found = [one.physics for one in judged(tables) if one.check == "dangling_reference"]
    assert found == ["PORT has no row Ethernet8"]


def test_every_name_of_a_list_is_looked_for() -> None:
    tables = changed_good()
    lists = tables["BUFFER_PORT_EGRESS_PROFILE_LIST"]
    lists["Ethernet0"]["profile_list"] = "egress_lossless_profile,egress_losy_profile,other"
    found = [(one.check, one.physics, one.remedy) for one in judged(tables)]
    assert found == [
        ("dangling_reference", "BUFFER_PROFILE has no row egress_losy_profile", "did you mean egress_lossy_profile?"),
        ("dangling_reference", "BUFFER_PROFILE has no row other", "add it to BUFFER_PROFILE"),
    ]
    names = ("egress_lossless_profile", "egress_lossy_profile")
    lists["Ethernet0"]["profile_list"] = ",".join(f"[BUFFER_PROFILE|{name}]" for name in names)
    (old,) = judged(tables)
    assert (old.check, old.place.key) == (
        "bracketed_reference", "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0|profile_list"
    )  # fmt: skip


def test_a_scheduler_or_a_watchdog_with_a_field_that_sonic_does_not_know_is_refused_by_it() -> None:
    found = [(severity, line) for severity, line, physics in of("unknown_field") if "refuses the whole row" in physics]
    assert found == [(Severity.ERROR, 9), (Severity.ERROR, 21)]


@pytest.mark.parametrize(
    ("table", "key", "field", "spelled", "severity"),
    [
        ("QUEUE", "Ethernet0|3", "scheduler", "schedular", Severity.WARNING),
        ("QUEUE", "Ethernet0|3", "wred_profile", "wred_profle", Severity.WARNING),
        ("PORT_QOS_MAP", "Ethernet0", "tc_to_pg_map", "tc_to_pg_mp", Severity.WARNING),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_to_queue_map", "pfc_to_queue", Severity.WARNING),
        ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "pfc_enble", Severity.WARNING),
        ("PFC_WD", "Ethernet0", "action", "acton", Severity.ERROR),
        ("PFC_WD", "Ethernet0", "restoration_time", "restoration_tme", Severity.ERROR),
        ("PFC_WD", "Ethernet0", "detection_time", "Detection_Time", Severity.ERROR),
        ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "POLL_INTERVALL", Severity.WARNING),
        ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "poll_interval", Severity.WARNING),
    ],
)
def test_a_misspelt_field_is_named_with_the_one_that_may_have_been_meant(
    table: str, key: str, field: str, spelled: str, severity: Severity
) -> None:
    tables = changed_good()
    tables[table][key][spelled] = tables[table][key].pop(field)
    (finding,) = [one for one in judged(tables) if one.check == "unknown_field"]
    assert (finding.severity, finding.place.key) == (severity, f"{table}|{key}|{spelled}")
    assert finding.remedy == f"did you mean {field}?"


def test_a_field_that_is_misspelt_in_many_rows_is_told_of_once() -> None:
    tables = of_many_ports()
    tables["QUEUE"] = {key: {"scheduler": "scheduler.1", "wred_profle": "AZURE_LOSSLESS"} for key in tables["QUEUE"]}
    (finding,) = judged(tables)
    assert finding.place.key == "QUEUE|Ethernet0|3|wred_profle"
    assert finding.physics == "Ethernet0|3 and 127 more of QUEUE has no such field, so that nothing follows"


@pytest.mark.parametrize(
    ("key", "field", "severity", "remedy"),
    [
        ("Ethernet0", "POLL_INTERVAL", Severity.ERROR, "POLL_INTERVAL in PFC_WD|GLOBAL"),
        ("GLOBAL", "detection_time", Severity.WARNING, "detection_time in the rows of ports"),
    ],
)
def test_watchdogs_of_ports_have_other_fields_than_that_of_all(
    key: str, field: str, severity: Severity, remedy: str
) -> None:
    tables = changed_good()
    tables["PFC_WD"][key][field] = "200"
    (finding,) = judged(tables)
    assert (finding.severity, finding.check, finding.remedy) == (severity, "unknown_field", remedy)


def test_every_field_that_sonic_takes_is_known() -> None:
    """As in qosorch.cpp and pfcwdorch.cpp of sonic-swss."""
    tables = changed_good()
    maps = "dot1p_to_tc_map mpls_tc_to_tc_map pfc_to_pg_map tc_to_dscp_map tc_to_dot1p_map dscp_to_fc_map exp_to_fc_map"
    tables["PORT_QOS_MAP"]["Ethernet0"] |= dict.fromkeys(maps.split(), "AZURE") | {"scheduler": "scheduler.0"}
    tables["PFC_WD"]["Ethernet0"]["pfc_stat_history"] = "enable"
    tables["PFC_WD"]["GLOBAL"]["BIG_RED_SWITCH"] = "disable"
    assert not [one for one in judged(tables) if one.check in ("unknown_field", "invalid_value")]


def test_a_table_that_is_named_and_not_there_is_noted_once() -> None:
    tables = changed_good()
    del tables["SCHEDULER"]
    (finding,) = judged(tables)
    assert (finding.check, finding.severity) == ("dangling_reference", Severity.NOTE)
    assert finding.place.key == "QUEUE|Ethernet0|3|scheduler"
    assert finding.physics == "there is no SCHEDULER, so that nothing is known of scheduler.1"


@pytest.mark.parametrize(
    ("table", "field", "says"),
    [
        (
            "MAP_PFC_PRIORITY_TO_QUEUE",
            "pfc_to_queue_map",
            "has no queue in this map: which one a neighbour's pause stops",
        ),
        ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "pfc_to_pg_map", "has no priority group in this map: for which one the"),
    ],
)
def test_a_priority_that_pauses_has_a_row_in_the_maps_of_priorities(table: str, field: str, says: str) -> None:
    tables = changed_good()
    tables[table] = {"AZURE": {str(priority): str(priority) for priority in range(8)}}
    for row in tables["PORT_QOS_MAP"].values():
        row[field] = "AZURE"
    del tables[table]["AZURE"]["5"]
    assert judged(tables) == [], "nothing pauses priority 5"
    del tables[table]["AZURE"]["4"]
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.WARNING, "maps_disagree")
    assert finding.place.key == f"{table}|AZURE|4"
    assert finding.physics.startswith(f"priority 4, for which Ethernet0 and 1 more has PFC on, {says}")


def test_a_port_without_a_length_where_others_have_one_is_noted() -> None:
    tables = changed_good()
    del tables["CABLE_LENGTH"]["AZURE"]["Ethernet4"]
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.NOTE, "headroom_unjudged")
    assert finding.place.key == "CABLE_LENGTH|AZURE|Ethernet4"
    assert "Ethernet4 has none: held against the 300 m that its profile is named for" in finding.physics
    del tables["CABLE_LENGTH"]
    assert judged(tables) == [], "lengths may be in a file of their own"


@pytest.mark.parametrize("length", ["40", 40, "40ft", True])
def test_a_length_without_its_unit_is_none_whether_text_or_number(length: object) -> None:
    tables = changed_good()
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet4"] = length
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.ERROR, "invalid_value")
    assert finding.physics == "is no length"


def test_a_port_has_a_speed() -> None:
    """SONiC's model requires the speed (sonic-port.yang)."""
    tables = changed_good()
    del tables["PORT"]["Ethernet0"]["speed"]
    (finding,) = judged(tables)
    assert (finding.severity, finding.place.key) == (Severity.ERROR, "PORT|Ethernet0|speed")


def test_ports_without_a_row_of_classes_are_told_of_once() -> None:
    tables = of_many_ports()
    tables["PORT_QOS_MAP"] = {"Ethernet0": tables["PORT_QOS_MAP"]["Ethernet0"]}
    (finding,) = [one for one in judged(tables) if one.check == "lossless_without_pfc"]
    assert finding.severity == Severity.ERROR
    assert finding.physics.startswith(
        "PORT_QOS_MAP has no row for Ethernet4 and 62 more, whose priority groups 3 and 4 have headroom: no pause is"
    )
    assert finding.remedy.startswith("a row PORT_QOS_MAP|Ethernet4 with pfc_enable")


def test_rows_of_buffers_that_overlap_are_warned_of_where_they_differ() -> None:
    tables = of_many_ports()
    for port in tables["PORT"]:
        tables["BUFFER_QUEUE"][f"{port}|2"] = {"profile": "egress_lossy_profile"}
    assert judged(tables) == [], "BUFFER_QUEUE|PORT|0-2 sets the same"
    for port in tables["PORT"]:
        tables["BUFFER_QUEUE"][f"{port}|2"] = {"profile": "egress_lossless_profile"}
    (finding,) = judged(tables)
    assert (finding.severity, finding.check) == (Severity.WARNING, "repeated_key")
    assert finding.place.key == "BUFFER_QUEUE|Ethernet0|2"
    assert finding.physics.startswith(
        "rows overlap, Ethernet0|0-2 and Ethernet0|2: queue 2 of Ethernet0 and 63 more is set by egress_lossy_profile "
        "and egress_lossless_profile, and the order"
    )


def test_values_are_shown_as_json_has_them() -> None:
    tables = changed_good()
    tables["BUFFER_POOL"]["egress_lossy_pool"]["a"] = ["b"]
    tables["PFC_WD"] = None
    found = {finding.place.key: finding.place.value for finding in judged(tables)}
    assert found == {"BUFFER_POOL|egress_lossy_pool|a": '["b"]', "PFC_WD": "null"}


def in_chassis(tables: dict[str, Any], card: str) -> dict[str, Any]:
    """Returns the tables with queues by line card and chip, as qos_config.j2 of sonic-buildimage writes them."""
    queues = {
        table: {f"{card}|{key}": row for key, row in tables[table].items()} for table in ("QUEUE", "BUFFER_QUEUE")
    }
    return tables | queues | {"DEVICE_METADATA": {"localhost": {"hostname": "linecard1", "asic_name": "asic0"}}}


def test_queues_of_this_line_card_are_those_of_its_ports() -> None:
    tables = changed_good()
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"] |= {"green_min_threshold": "20000000", "green_max_threshold": "20000000"}
    tables["BUFFER_PROFILE"]["egress_lossless_profile"]["static_th"] = "14000000"
    plain, here = judged(tables), judged(in_chassis(tables, "linecard1|asic0"))
    assert [finding.physics for finding in here] == [finding.physics for finding in plain]
    assert {"ecn_after_pfc", "lossless_queue_drops"} <= {finding.check for finding in plain}


@pytest.mark.parametrize("card", ["linecard1|asic1", "linecard2|asic0"])
def test_queues_of_other_line_cards_are_passed_over(card: str) -> None:
    tables = in_chassis(changed_good(), card)
    tables["QUEUE"] = {key.replace("Ethernet4", "Ethernet8"): row for key, row in tables["QUEUE"].items()}
    assert {finding.check for finding in judged(tables)} == {"lossless_queue_drops"}  # of which no row says anything


def test_queues_of_an_unknown_line_card_are_not_judged() -> None:
    ((severity, line, physics),) = of("queue_unjudged")
    assert (severity, line) == (Severity.NOTE, 11)
    assert physics.startswith("no queue of a line card is judged, linecard1|asic0|Ethernet0|3 and 1 more: no hostname")
    tables = in_chassis(changed_good(), "linecard1|asic0")
    del tables["DEVICE_METADATA"]
    assert [finding.check for finding in judged(tables)] == ["queue_unjudged"] * 2


@pytest.mark.parametrize(
    ("table", "key"),
    [("BUFFER_PG", "|3"), ("BUFFER_PG", "|0|3"), ("QUEUE", "Ethernet0,|3"), ("PFC_WD", ""), ("PORT_QOS_MAP", "")],
)
def test_a_key_without_a_port_is_none(table: str, key: str) -> None:
    tables = changed_good()
    tables[table][key] = next(iter(tables[table].values()))
    (finding,) = judged(tables)
    assert (finding.check, finding.place.key) == ("invalid_value", f"{table}|{key}")
    assert finding.remedy.startswith("expected ")


@pytest.mark.parametrize(
    ("table", "index", "remedy"),
    [
        ("BUFFER_PG", "05", "expected 5"),
        ("BUFFER_PG", "03", "expected 3"),
        ("BUFFER_PG", "5-06", "expected 5-6"),
        ("BUFFER_QUEUE", "00", "expected 0"),
        ("BUFFER_QUEUE", "05-010", "expected 5-10"),
    ],
)
def test_numbers_in_keys_of_buffers_have_no_leading_zeros(table: str, index: str, remedy: str) -> None:
    """As sonic-buffer-pg.yang and sonic-buffer-queue.yang have it; sonic-queue.yang takes any text."""
    tables = changed_good()
    tables[table][f"Ethernet0|{index}"] = tables[table]["Ethernet0|3-4"]
    (finding,) = judged(tables)
    assert (finding.severity, finding.check, finding.remedy) == (Severity.ERROR, "invalid_value", remedy)
    assert finding.place.key == f"{table}|Ethernet0|{index}"


def test_numbers_in_keys_may_be_zero_or_have_two_digits() -> None:
    tables = changed_good()
    tables["BUFFER_QUEUE"]["Ethernet0|10-15"] = tables["BUFFER_QUEUE"]["Ethernet0|0-2"]
    tables["QUEUE"]["Ethernet0|05"] = {"scheduler": "scheduler.0"}
    assert judged(tables) == []


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """A file of which some value is something else."""
    tables = json.loads(draw(st.sampled_from([path for path in FAULTS if path.suffix == ".json"])).read_text())
    place, key = tables, draw(st.sampled_from(list(tables)))
    while isinstance(place[key], dict) and place[key] and draw(st.booleans()):
        place, key = place[key], draw(st.sampled_from(list(place[key])))
    texts = st.sampled_from(["", "-1", "3-4", "99999999999999999999", "0", "true", "[X|y]", "Ethernet0"])
    place[draw(texts) if draw(st.booleans()) else key] = draw(
        texts | st.none() | st.integers() | st.just({}) | st.just([])
    )
    return json.dumps(tables)


@given(damaged(), st.sampled_from([None, SIXTEEN_MIB, CHIPS["tomahawk"]]))
def test_damaged_tables_are_findings_or_refused(text: str, chip: catalogue.Entry | None) -> None:
    with contextlib.suppress(InputError):
        for finding in lint([Tables.parse("t.json", text, chip)]):
            assert finding.physics
            assert finding.remedy
