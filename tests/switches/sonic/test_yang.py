"""Tables against SONiC's own models, where they and `yanglint` are there, and the same faults against our checks."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from yang import instance, modules, unpack

import judges
from conftest import ROOT, examples
from switch_settings import drawn, plans, text_of_plan
from xoff.switches.export import Format
from xoff.switches.lint import Severity, Tables, lint

if TYPE_CHECKING:
    from xoff.switches.plan.settings import Settings

CLONE = os.environ.get("XOFF_SONIC_BUILDIMAGE")
GOOD = (ROOT / "examples" / "sonic" / "good" / "config_db.json").read_text(encoding="utf-8")

Breaks = Callable[[dict[str, Any]], None]
Says = Callable[[dict[str, Any]], str]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The models as the switch has them."""
    if CLONE is None:
        pytest.skip("XOFF_SONIC_BUILDIMAGE names no clone of sonic-buildimage, whose models no package has")
    folder = tmp_path_factory.mktemp("models")
    unpack(Path(CLONE), folder)
    return folder


@pytest.fixture
def says(models: Path, tmp_path: Path) -> Says:
    """Returns a function that runs `yanglint` on tables and answers its messages."""

    def validate(tables: dict[str, Any]) -> str:
        data = instance(tables)
        file = tmp_path / "config_db.json"
        file.write_text(json.dumps(data), encoding="utf-8")
        return judges.refused_by_models(file, models, modules(data))

    return validate


def on_a_switch(tables: dict[str, Any]) -> dict[str, Any]:
    """Exported tables over a switch's own: its ports have lanes, which are the platform's."""
    ports = {
        name: row | {"lanes": ",".join(str(4 * n + lane) for lane in range(1, 5))}
        for n, (name, row) in enumerate(tables["PORT"].items())
    }
    return tables | {"PORT": ports}


@plans
def test_exports_are_valid(plan: Path, says: Says) -> None:
    assert says(on_a_switch(json.loads(text_of_plan(plan, Format.SONIC)))) == ""


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(switch=drawn())
def test_any_switch_is_valid(switch: Settings, says: Says) -> None:
    assert says(on_a_switch(json.loads(Format.SONIC.write(switch).text))) == ""


def test_good_tables_are_valid(says: Says) -> None:
    assert says(json.loads(GOOD)) == ""


def dangling_pool(tables: dict[str, Any]) -> None:
    tables["BUFFER_PROFILE"]["egress_lossy_profile"]["pool"] = "egress_lost_pool"


def exponent_of_nine(tables: dict[str, Any]) -> None:
    tables["BUFFER_PROFILE"]["egress_lossy_profile"]["dynamic_th"] = "9"


def maximum_below_minimum(tables: dict[str, Any]) -> None:
    tables["WRED_PROFILE"]["AZURE_LOSSLESS"]["green_max_threshold"] = "102399"


def group_eight(tables: dict[str, Any]) -> None:
    tables["BUFFER_PG"]["Ethernet0|8"] = {"profile": "ingress_lossy_profile"}


def group_with_a_leading_zero(tables: dict[str, Any]) -> None:
    tables["BUFFER_PG"]["Ethernet0|05"] = {"profile": "ingress_lossy_profile"}


def unknown_wred(tables: dict[str, Any]) -> None:
    tables["QUEUE"]["Ethernet0|3"]["wred_profile"] = "AZURE_LOST"


def unknown_profile(tables: dict[str, Any]) -> None:
    tables["BUFFER_PORT_EGRESS_PROFILE_LIST"]["Ethernet0"]["profile_list"] = "egress_lossless_profile,egress_lost"


def unknown_kind_of_scheduler(tables: dict[str, Any]) -> None:
    tables["SCHEDULER"]["scheduler.0"]["type"] = "STRCT"


def weight_of_zero(tables: dict[str, Any]) -> None:
    tables["SCHEDULER"]["scheduler.0"]["weight"] = "0"


def detection_too_soon(tables: dict[str, Any]) -> None:
    tables["PFC_WD"]["Ethernet0"]["detection_time"] = "50"


def length_without_unit(tables: dict[str, Any]) -> None:
    tables["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "40"


FAULTS = [
    (dangling_pool, "dangling_reference", "BUFFER_PROFILE|egress_lossy_profile|pool", "egress_lost_pool"),
    (exponent_of_nine, "invalid_value", "BUFFER_PROFILE|egress_lossy_profile|dynamic_th", "Unsatisfied range"),
    (
        maximum_below_minimum,
        "maximum_below_minimum",
        "WRED_PROFILE|AZURE_LOSSLESS|green_max_threshold",
        "Green max threshold must be greater than or equal to min threshold",
    ),
    (group_eight, "invalid_value", "BUFFER_PG|Ethernet0|8", "Invalid Buffer PG number"),
    (group_with_a_leading_zero, "invalid_value", "BUFFER_PG|Ethernet0|05", "Invalid Buffer PG number"),
    (unknown_wred, "dangling_reference", "QUEUE|Ethernet0|3|wred_profile", "AZURE_LOST"),
    (
        unknown_profile,
        "dangling_reference",
        "BUFFER_PORT_EGRESS_PROFILE_LIST|Ethernet0|profile_list",
        "egress_lost",
    ),
    (unknown_kind_of_scheduler, "invalid_value", "SCHEDULER|scheduler.0|type", "STRCT"),
    (weight_of_zero, "invalid_value", "SCHEDULER|scheduler.0|weight", "Unsatisfied range"),
    (detection_too_soon, "invalid_value", "PFC_WD|Ethernet0|detection_time", "Unsatisfied range"),
    (length_without_unit, "invalid_value", "CABLE_LENGTH|AZURE|Ethernet0", "Invalid cable length"),
]
faults = pytest.mark.parametrize(
    ("breaks", "check", "key", "message"), FAULTS, ids=[fault[0].__name__ for fault in FAULTS]
)


@faults
def test_the_models_refuse(breaks: Breaks, check: str, key: str, message: str, says: Says) -> None:
    tables = json.loads(GOOD)
    breaks(tables)
    assert message in says(tables), f"{check}: {key}"


@faults
def test_lint_finds_what_the_models_refuse(breaks: Breaks, check: str, key: str, message: str) -> None:
    tables = json.loads(GOOD)
    breaks(tables)
    (finding,) = lint([Tables.parse("t.json", json.dumps(tables))])
    assert (finding.severity, finding.check, finding.place.key) == (Severity.ERROR, check, key), message
