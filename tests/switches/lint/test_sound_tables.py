"""Tables that are sound, or may be meant so, and were once called wrong: nothing worse than a note is found.

Each is of a kind that vendors ship.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xoff.scenario import catalogue
from xoff.switches.lint import Severity, Tables, lint
from xoff.switches.lint.switches import parse

CASES = Path(__file__).parent / "cases"
CHIPS = {chip["name"]: chip for chip in catalogue.chips()}


def found_in(*texts: tuple[str, str], chip: str | None = None) -> list[tuple[str, Severity]]:
    """Returns checks and severities of the findings in files of one switch."""
    files = [parse(name, text) for name, text in texts]
    return [(one.check, one.severity) for one in lint([Tables.of(files, CHIPS[chip] if chip else None)])]


def case(*names: str) -> list[tuple[str, Severity]]:
    return found_in(*[(name, (CASES / name).read_text(encoding="utf-8")) for name in names])


def tables_of(name: str) -> Any:  # noqa: ANN401 tables of JSON
    return json.loads((CASES / name).read_text(encoding="utf-8"))


def found_in_tables(tables: object, chip: str | None = None) -> list[tuple[str, Severity]]:
    return found_in(("config_db.json", json.dumps(tables)), chip=chip)


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["base.json"], []),
        (["nokia_like.json"], []),
        (["static_lookup.json", "static_lookup.ini"], []),
        (["static_lookup.ini"], []),
        (["empty_lookup.ini"], []),
        (["ecn_without_wred.json"], [("wred_without_colour", Severity.NOTE)]),
        (["static_lookup.json", "empty_lookup.ini"], [("pfc_without_lossless", Severity.NOTE)] * 2),
    ],
)
def test_what_vendors_ship_is_not_called_wrong(names: list[str], found: list[tuple[str, Severity]]) -> None:
    assert case(*names) == found


@pytest.mark.parametrize(
    ("mode", "threshold", "found"),
    [
        ("static", 82880, []),
        ("static", -3, [("invalid_value", Severity.ERROR)]),
        ("dynamic", -3, []),
        ("dynamic", 7, []),
        ("dynamic", 8, [("invalid_value", Severity.ERROR)]),
    ],
)
def test_the_last_column_of_a_lookup_table_is_what_its_pool_takes(
    mode: str, threshold: int, found: list[tuple[str, Severity]]
) -> None:
    tables = tables_of("static_lookup.json")
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["mode"] = mode
    lookup = f"100000 40m 3584 78400 132160 {threshold}\n"
    assert found_in(("config_db.json", json.dumps(tables)), ("pg_profile_lookup.ini", lookup)) == found


def test_a_static_row_pauses_at_its_bytes() -> None:
    """Senders resume at 90,000 B, above 3,584 reserved and 82,880."""
    lookup = "100000 40m 3584 90000 132160 82880\n"
    text = (CASES / "static_lookup.json").read_text(encoding="utf-8")
    assert found_in(("config_db.json", text), ("pg_profile_lookup.ini", lookup)) == [("xon_above_xoff", Severity.ERROR)]


def test_what_reserves_leave_is_not_judged_where_they_do_not_fit() -> None:
    """Groups whose `size` holds xon + xoff beside a pool with headroom: 4 x 184,320 B do not fit into 700,000 B."""
    tables = tables_of("ecn_without_wred.json")
    tables["BUFFER_POOL"]["ingress_lossless_pool"] |= {"size": "700000", "xoff": "700000"}
    assert {check for check, _ in found_in_tables(tables)} == {"wred_without_colour", "reserves_exceed_pool"}
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "738000"
    assert ("ecn_after_pfc", Severity.ERROR) not in found_in_tables(tables), "reserves may come on top"


@pytest.mark.parametrize(("static_th", "more"), [("31000000", False), ("31000000", True), ("40000000", False)])
def test_a_threshold_that_never_limits_is_a_note(static_th: str, *, more: bool) -> None:
    tables = {
        "BUFFER_POOL": {"out": {"type": "egress", "mode": "static", "size": "31000000"}},
        "BUFFER_PROFILE": {"never": {"pool": "out", "size": "0", "static_th": str(int(static_th) + more)}},
    }
    found = [("threshold_above_pool", Severity.NOTE)] if more or static_th == "40000000" else []
    assert found_in_tables(tables) == found


@pytest.mark.parametrize("hwsku", ["none", "Arista-7050CX3-32S-C32"])
@pytest.mark.parametrize("xoff", [1_622_016, 4_000_000])
def test_tables_say_themselves_whether_pools_hold_their_headroom(hwsku: str, xoff: int) -> None:
    """A queue that never drops may hold 32.7 MB: then ports let in no more, headroom included."""
    tables = tables_of("nokia_like.json")
    tables["DEVICE_METADATA"]["localhost"]["hwsku"] = hwsku
    tables["BUFFER_POOL"] |= {
        "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "32700000", "xoff": str(xoff)},
        "never": {"type": "egress", "mode": "static", "size": "32700000"},
    }
    tables["BUFFER_POOL"]["egress_lossless_pool"]["size"] = "32700000"
    tables["BUFFER_PROFILE"]["egress_lossless_profile"] = {"pool": "never", "size": "0", "static_th": "32700000"}
    assert {check for check, severity in found_in_tables(tables) if severity != Severity.NOTE} == set()
    read = Tables.of([parse("config_db.json", json.dumps(tables))])
    assert read.shared("ingress_lossless_pool") == 32_700_000 - xoff
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = str(32_700_000 - xoff)
    read = Tables.of([parse("config_db.json", json.dumps(tables))])
    assert read.shared("ingress_lossless_pool") == 32_700_000 - xoff, "both fit, one beside the other"


@given(
    pool=st.integers(10_000_000, 200_000_000),
    headroom=st.integers(500_000, 20_000_000),
    lossless=st.integers(-8, 3),
    lossy_in=st.integers(-8, 7),
    lossy_out=st.integers(-8, 7),
    ports=st.integers(2, 24),
)
def test_bytes_that_wait_in_lossy_queues_came_in(
    pool: int, headroom: int, lossless: int, lossy_in: int, lossy_out: int, ports: int
) -> None:
    """No port fills a queue with alpha 128, whatever waits beside it in a pool as large as what comes in.

    One port puts at most 8/9 of what lossy groups leave of the pool into it, and 400,000 B of headroom; it holds
    128/129 of what the same bytes leave of pool and headroom.
    """
    names = [f"Ethernet{number}" for number in range(ports)]
    row = ",".join(names)
    tables = {
        "PORT": {name: {"speed": "400000", "mtu": "9100"} for name in names},
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(names, "40m")},
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": str(pool), "xoff": str(headroom)},
            "out": {"type": "egress", "mode": "dynamic", "size": str(pool + headroom)},
        },
        "BUFFER_PROFILE": {
            "kept": {"pool": "ingress_lossless_pool", "size": "0", "xoff": "400000", "dynamic_th": str(lossless)},
            "lossy_in": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": str(lossy_in)},
            "lossy_out": {"pool": "out", "size": "0", "dynamic_th": str(lossy_out)},
            "sent": {"pool": "out", "size": "0", "dynamic_th": "7"},
        },
        "BUFFER_PG": {f"{row}|0": {"profile": "lossy_in"}, f"{row}|3": {"profile": "kept"}},
        "BUFFER_QUEUE": {f"{row}|0-2": {"profile": "lossy_out"}, f"{row}|3": {"profile": "sent"}},
        "PORT_QOS_MAP": {row: {"pfc_enable": "3"}},
    }
    assert ("lossless_queue_drops", Severity.ERROR) not in found_in_tables(tables)


def test_a_reading_that_tables_rule_out_hides_no_fault() -> None:
    """Headroom of their own, 8 x 5 MB, cannot be inside a pool of 20 MB: a queue of 1 MB drops in any case."""
    tables = tables_of("nokia_like.json")
    del tables["BUFFER_POOL"]["ingress_lossless_pool"]["xoff"]
    tables["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "20000000"
    tables["BUFFER_PROFILE"]["pg_lossless_400000_40m_profile"]["xoff"] = "5000000"
    tables["BUFFER_PROFILE"]["egress_lossless_profile"] = {
        "pool": "egress_lossless_pool",
        "size": "0",
        "static_th": "1000000",
    }
    assert ("lossless_queue_drops", Severity.ERROR) in found_in_tables(tables)
