"""`config_db.json` read and written."""

import json

import pytest

from conftest import ROOT
from xoff.errors import InputError
from xoff.switches.sonic import ConfigDb, ConfigFile
from xoff.switches.sonic.config_db import BufferPool, BufferProfile, PfcWatchdog, PortQosMap, WredProfile

GOOD = (ROOT / "examples" / "sonic" / "good" / "config_db.json").read_text(encoding="utf-8")


def test_every_value_knows_its_line() -> None:
    file = ConfigFile.parse("t.json", '{\n"BUFFER_POOL": {\n\t"pool": {"type": "ingress",\n"mode": "dynamic"}}}')
    assert file.line(["BUFFER_POOL"]) == 2
    assert file.line(["BUFFER_POOL", "pool", "type"]) == 3
    assert file.line(["BUFFER_POOL", "pool", "mode"]) == 4
    assert file.line(["BUFFER_POOL", "pool", "size"]) == 3  # is not there: that of its row


def test_what_is_read_and_written_is_the_same() -> None:
    tables = json.loads(GOOD)
    written = json.loads(ConfigFile.parse("t.json", GOOD).config.to_json())
    assert {name: rows for name, rows in written.items() if name not in ("DEVICE_METADATA", "PORT")} == {
        name: rows for name, rows in tables.items() if name not in ("DEVICE_METADATA", "PORT")
    }


def test_every_value_is_written_as_a_string() -> None:
    config = ConfigDb(
        cable_length={"AZURE": {"Ethernet0": 40}},
        buffer_pool={"pool": BufferPool(type="ingress", mode="dynamic", size=9_000_000)},
        buffer_profile={"lossy": BufferProfile(pool="pool", size=0, dynamic_th=-3)},
        wred_profile={"ROCE": WredProfile(ecn="ecn_all", wred_green_enable=True, green_min_threshold=150_000)},
        port_qos_map={"Ethernet0": PortQosMap(pfc_enable=(3, 4))},
        pfc_wd={"GLOBAL": PfcWatchdog(POLL_INTERVAL=200)},
    )
    assert json.loads(config.to_json()) == {
        "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m"}},
        "BUFFER_POOL": {"pool": {"type": "ingress", "mode": "dynamic", "size": "9000000"}},
        "BUFFER_PROFILE": {"lossy": {"pool": "pool", "size": "0", "dynamic_th": "-3"}},
        "WRED_PROFILE": {"ROCE": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "150000"}},
        "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,4"}},
        "PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}},
    }


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("BUFFER_POOL", {"pool": {"type": "ingress", "mode": "dynamic", "size": "1", "percentage": "50"}}),
        ("BUFFER_POOL", {"pool": {"type": "inside", "mode": "dynamic", "size": "1"}}),
        ("BUFFER_POOL", {"pool": {"type": "ingress", "mode": "dynamic", "size": "-1"}}),
        ("BUFFER_PROFILE", {"profile": {"pool": "pool", "size": "1_000"}}),
        ("BUFFER_PROFILE", {"profile": {"pool": "pool", "size": "0", "dynamic_th": "0", "static_th": "5"}}),
        ("BUFFER_PG", {"Ethernet0": {"profile": "NULL"}}),
        ("BUFFER_PG", {"Ethernet0|4-3": {"profile": "NULL"}}),
        ("BUFFER_PG", {"Ethernet0|03": {"profile": "NULL"}}),
        ("BUFFER_QUEUE", {"Ethernet0|16": {"profile": "profile"}}),
        ("BUFFER_QUEUE", {"Ethernet0|3-04": {"profile": "profile"}}),
        ("BUFFER_PORT_INGRESS_PROFILE_LIST", {"Ethernet0": {"profile_list": ["one", "other"]}}),
        ("BUFFER_PORT_INGRESS_PROFILE_LIST", {"Ethernet0": {"profile_list": "one, other"}}),
        ("BUFFER_PORT_EGRESS_PROFILE_LIST", {"Ethernet0": {"profile_list": "one,,other"}}),
        ("SCHEDULER", {"first": {"type": "SP"}}),
        ("SCHEDULER", {"first": {"type": "strict"}}),
        ("SCHEDULER", {"first": {"type": "DWRR", "weight": "0"}}),
        ("SCHEDULER", {"first": {"type": "DWRR", "weight": "101"}}),
        ("SCHEDULER", {"first": {"type": "DWRR", "weight": "half"}}),
        ("SCHEDULER", {"first": {"priority": "10"}}),
        ("SCHEDULER", {"first": {"meter_type": "bits"}}),
        ("SCHEDULER", {"first": {"cir": "1000", "pir": "999"}}),
        ("SCHEDULER", {"first": {"cir": "1", "cbs": "8", "pir": "1", "pbs": "7"}}),
        ("SCHEDULER", {"first": {"cbs": "8"}}),
        ("SCHEDULER", {"first": {"pir": "0", "pbs": "8"}}),
        ("WRED_PROFILE", {"W" * 33: {"ecn": "ecn_all"}}),
        ("WRED_PROFILE", {"ROCE": {"wred_green_enable": "yes"}}),
        ("PORT_QOS_MAP", {"Ethernet0": {"pfc_enable": "3,8"}}),
        ("PORT_QOS_MAP", {"Ethernet0": {"pfc_enable": "3, 4"}}),
        ("PORT_QOS_MAP", {"Ethernet0": {"pfc_enable": [3, 4]}}),
        ("PORT_QOS_MAP", {"Ethernet0": {"pfc_enable": 3}}),
        ("DSCP_TO_TC_MAP", {"AZURE": {"64": "3"}}),
        ("DSCP_TO_TC_MAP", {"AZURE": {"26": "16"}}),
        ("TC_TO_PRIORITY_GROUP_MAP", {"AZURE": {"3": "9"}}),
        ("TC_TO_QUEUE_MAP", {"AZURE": {"16": "3"}}),
        ("MAP_PFC_PRIORITY_TO_QUEUE", {"AZURE": {"8": "3"}}),
        ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", {"AZURE": {"3": "8"}}),
        ("PFC_WD", {"Ethernet0": {"action": "drop", "detection_time": "50"}}),
        ("PFC_WD", {"Ethernet0": {"detection_time": "200", "pfc_stat_history": "on"}}),
        ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", {"AZURE": {}}),
        ("BUFFER_PG", []),
    ],
)
def test_what_a_table_does_not_allow_is_told_and_left_out(table: str, row: object) -> None:
    file = ConfigFile.parse("t.json", json.dumps({table: row}))
    assert len(file.invalid) == 1
    assert file.invalid[0].path[0] == table
    assert file.config == ConfigDb()


@pytest.mark.parametrize("number", ['"18446744073709551616"', "18446744073709551616", f'"{"9" * 5000}"'])
def test_a_number_is_no_more_than_64_bits_hold(number: str) -> None:
    row = f'{{"type": "ingress", "mode": "dynamic", "size": {number}}}'
    (invalid,) = ConfigFile.parse("t.json", f'{{"BUFFER_POOL": {{"pool": {row}}}}}').invalid
    assert invalid.path == ("BUFFER_POOL", "pool", "size")
    assert (invalid.problem, invalid.expected) == ("is more than 64 bits hold", "expected at most 18446744073709551615")


def test_one_wrong_length_leaves_the_others() -> None:
    file = ConfigFile.parse("t.json", '{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40", "Ethernet4": "300m"}}}')
    assert file.config.cable_length == {"AZURE": {"Ethernet4": 300}}


def test_a_length_may_be_unknown() -> None:
    file = ConfigFile.parse("t.json", '{"CABLE_LENGTH": {"AZURE": {"Ethernet0": "None", "Ethernet4": "300m"}}}')
    assert (file.config.cable_length, file.invalid) == ({"AZURE": {"Ethernet0": None, "Ethernet4": 300}}, ())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"PORT": {},\n  }', "t.json: line 2, column 3: is no JSON: "),
        ('{"PORT": {\n"a": {"alias": "\\ud800"}}}', "t.json: line 2, column 16: is no JSON: a string has one"),
        ('{"PORT":\n{"\\udfff": {}}}', "t.json: line 2, column 1: is no JSON: a string has one escape of the two"),
        ("[]", "t.json: is no object of tables; expected config_db.json of SONiC"),
        ('{"name": "xoff"}', "t.json: holds none of the tables about buffers; expected config_db.json of SONiC, with"),
        (
            '{"localhost": {}, "asic0": {"BUFFER_POOL": {}}}',
            "t.json: holds tables of several namespaces, such as asic0; expected those of each in a file of its own",
        ),
        ("[" * 100_000, "t.json: "),
        (
            f'{{"BUFFER_POOL": {"9" * 5000}}}',
            "t.json: holds a number of more than 4300 digits; expected config_db.json",
        ),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        ConfigFile.parse("t.json", text)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize(
    ("text", "edited"),
    [
        (
            '{\n "BUFFER_PG": {\n  "Ethernet0|0": {"profile": "NULL"}\n }\n}\n',
            '{\n "BUFFER_PG": {\n  "Ethernet0|0": {"profile": "NULL"},\n  "Ethernet4|0": {"profile": "lossy"}\n },\n'
            ' "SWITCH_TRIMMING": {"GLOBAL": {"size": "256", "queue_index": "6"}}\n}\n',
        ),
        (
            '{"PORT": {}, "BUFFER_PG": {}}',
            '{"PORT": {}, "BUFFER_PG": {"Ethernet4|0": {"profile": "lossy"}}, '
            '"SWITCH_TRIMMING": {"GLOBAL": {"size": "256", "queue_index": "6"}}}',
        ),
    ],
)
def test_rows_and_tables_come_after_the_others(text: str, edited: str) -> None:
    values: dict[tuple[str, ...], str] = {
        ("BUFFER_PG", "Ethernet4|0", "profile"): "lossy",
        ("SWITCH_TRIMMING", "GLOBAL", "size"): "256",
        ("SWITCH_TRIMMING", "GLOBAL", "queue_index"): "6",
    }
    assert ConfigFile.parse("t.json", text).edited(values) == edited
