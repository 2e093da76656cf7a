"""Each check finds the fault of its example and nothing else, with numbers that were computed by hand."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import ROOT
from xoff import catalogue
from xoff.errors import InputError
from xoff.lint import CHECKS, Severity, Tables, lint

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.lint import Finding

EXAMPLES = ROOT / "examples" / "sonic"
FAULTS = sorted((EXAMPLES / "faults").iterdir())
TOMAHAWK = next(chip for chip in catalogue.chips() if chip["name"] == "tomahawk")


def findings(path: Path) -> list[Finding]:
    return lint([Tables.parse(path.name, path.read_text(encoding="utf-8"), TOMAHAWK)])


def of(check: str) -> list[tuple[Severity, int, str]]:
    """What a check finds in its examples: how bad, where, and why."""
    found = [finding for path in FAULTS if path.stem == check for finding in findings(path)]
    return [(finding.severity, finding.place.line, finding.physics) for finding in found]


def test_every_check_has_an_example() -> None:
    assert {check.__name__ for check in CHECKS} == {path.stem for path in FAULTS}


@pytest.mark.parametrize("path", FAULTS, ids=lambda path: path.name)
def test_an_example_has_its_fault_and_no_other(path: Path) -> None:
    assert {finding.check for finding in findings(path)} == {path.stem}


def test_good_tables_have_no_faults() -> None:
    tables = [Tables.parse(path.name, path.read_text(encoding="utf-8")) for path in (EXAMPLES / "good").iterdir()]
    assert lint(tables) == []


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


def test_headroom_falls_with_cable() -> None:
    ((severity, line, physics),) = of("headroom_falls_with_cable")
    assert (severity, line) == (Severity.WARNING, 4)
    assert physics == "300 m have 180,000 B (line 2), and 1000 m hold 88,384 B more"  # 126,263 - 37,879


def test_headroom_oversubscribed() -> None:
    ((severity, _, physics),) = of("headroom_oversubscribed")
    assert severity == Severity.WARNING
    assert "4 lossless priority groups may put 360,000 B into it, 1.80 times" in physics
    assert "2 paused at once may overfill it, and all lose 160,000 B" in physics


def test_oversubscription_within_the_ratio_that_the_tables_name_is_a_note() -> None:
    tables = json.loads((EXAMPLES / "faults" / "headroom_oversubscribed.json").read_text(encoding="utf-8"))
    tables["DEFAULT_LOSSLESS_BUFFER_PARAMETER"] = {"AZURE": {"default_dynamic_th": "0", "over_subscribe_ratio": "2"}}
    (finding,) = lint([Tables.parse("t.json", json.dumps(tables))])
    assert finding.severity == Severity.NOTE


def test_threshold_cannot_fire() -> None:
    dynamic, static, ramp = of("threshold_cannot_fire")
    assert "holds 1,000,000 B at most" in dynamic[2]  # 1/9 of 9 MB
    assert "1,000,000 B at most, alone in its pool: static_th" in static[2]
    assert [dynamic[0], static[0], ramp[0]] == [Severity.ERROR, Severity.ERROR, Severity.WARNING]
    assert "holds 3,500,000 B at most" in ramp[2]  # 500,000 reserved, and 1/3 of 9 MB
    assert "comes to 5 % of the 10 %" in ramp[2]  # half of the way from 2.5 to 4.5 MB


def test_ecn_after_pfc() -> None:
    dynamic, static, sometimes = of("ecn_after_pfc")
    assert "paused from 1,000,000 B on" in dynamic[2]
    assert "only if 2 ports or more feed it" in dynamic[2]  # 524,288 B each, below (9 MB - 1,048,576 B)/8
    assert "only if 43 ports or more feed it" in static[2]  # 1,048,576 / 24,475 = 42.8
    assert sometimes[0] == Severity.NOTE
    assert "450,000 B" in sometimes[2]  # 9 MB / 8 / (2 x (1 + 2/8))


def test_memory_exceeded() -> None:
    together, alone = of("memory_exceeded")
    assert "18,000,000 B together; tomahawk has 16,777,216 B" in together[2]
    assert "222,784 B less" in alone[2]


def test_colours_without_their_switch() -> None:
    silent, green_only = of("wred_without_colour")
    assert [silent[0], green_only[0]] == [Severity.ERROR, Severity.NOTE]
    assert "green packets, all that no policer has coloured, are never marked" in silent[2]


def test_pfc_and_lossless_groups_go_together() -> None:
    assert [line for _, line, _ in of("lossless_without_pfc")] == [4, 5]
    assert [severity for severity, _, _ in of("pfc_without_lossless")] == [Severity.ERROR, Severity.WARNING]


def test_traffic_comes_in_and_waits_by_the_priority_that_pauses_it() -> None:
    no_class, another_queue, no_dscp = of("maps_disagree")
    assert [no_class[0], another_queue[0], no_dscp[0]] == [Severity.ERROR, Severity.ERROR, Severity.WARNING]
    assert "Ethernet0: priority 3 pauses for priority group 3, and no traffic class comes into that" in no_class[2]
    assert "waits in queue 1, while a neighbour's pause of priority 3 stops queue 3" in another_queue[2]
    assert "no DSCP leads to traffic class 3" in no_dscp[2]


def test_maps_say_which_group_a_priority_pauses() -> None:
    tables = {
        "BUFFER_POOL": {"pool": {"type": "ingress", "mode": "dynamic", "size": "9000000", "xoff": "1000000"}},
        "BUFFER_PROFILE": {"lossless": {"pool": "pool", "size": "0", "xoff": "80000", "dynamic_th": "0"}},
        "BUFFER_PG": {"Ethernet0|6": {"profile": "lossless"}},
        "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"MOVED": {"3": "6"}},
        "TC_TO_PRIORITY_GROUP_MAP": {"MOVED": {"3": "6"}},
        "PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3", "pfc_to_pg_map": "MOVED", "tc_to_pg_map": "MOVED"}},
    }
    assert lint([Tables.parse("t.json", json.dumps(tables))]) == []


def test_queues_of_other_line_cards_are_passed_over() -> None:
    tables = {"PORT": {"Ethernet0": {"speed": "100000"}}, "QUEUE": {"linecard2|asic0|Ethernet8|3": {}}}
    assert lint([Tables.parse("t.json", json.dumps(tables))]) == []


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


@given(damaged())
def test_damaged_tables_are_findings_or_refused(text: str) -> None:
    with contextlib.suppress(InputError):
        for finding in lint([Tables.parse("t.json", text, TOMAHAWK)]):
            assert finding.physics
            assert finding.remedy
