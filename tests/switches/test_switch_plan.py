"""Plans from Python."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import xoff
from conftest import ROOT
from xoff.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Outcome

DCQCN = xoff.SwitchPlan.load(ROOT / "plans" / "tomahawk_4_dcqcn.toml")


def test_a_plan_has_its_numbers_by_key_and_as_a_table() -> None:
    rows = {row["key"]: row for row in DCQCN.table.to_pylist()}
    assert DCQCN["headroom.spines.chosen"] == rows["headroom.spines.chosen"]["value"] == 214_134
    assert (rows["headroom.spines.chosen"]["section"], rows["headroom.spines.chosen"]["verdict"]) == (
        "Headroom",
        "holds",
    )
    with pytest.raises(
        KeyError, match=r"headroom.spine.chosen is no row of this plan; there are headroom.spines.chosen"
    ):
        DCQCN["headroom.spine.chosen"]


def test_another_value_makes_another_plan() -> None:
    ieee = DCQCN.with_value("headroom.method", "ieee")
    assert (ieee["headroom.spines.chosen"], DCQCN["headroom.spines.chosen"]) == (212_436, 214_134)
    assert list(ieee.warned) == ["headroom.servers.chosen", "headroom.spines.chosen"]
    assert DCQCN.warned == DCQCN.failed == {}
    late = DCQCN.with_values({"congestion.minimum": "1MB", "congestion.maximum": "2MB"})
    assert "marks_first.roce" in late.failed
    with pytest.raises(
        PlanError, match=r"tomahawk_4_dcqcn.toml: congestion.minimun: there is no such key; expected minimum"
    ):
        DCQCN.with_value("congestion.minimun", "1MB")


def test_a_plan_is_exported_with_its_notes() -> None:
    written = DCQCN.export("sonic")
    assert json.loads(written.text)["WRED_PROFILE"]
    assert any("counted as the plan has them" in note for note in written.notes)
    with pytest.raises(PlanError, match="congestion: is left out, and hosts are set by it"):
        DCQCN.with_value("congestion", None).export("host")


def test_a_plan_is_simulated_as_on_the_command_line(command: Callable[..., Outcome]) -> None:
    data = json.loads(command("plan", DCQCN.file, "--simulate", "--json").out)["simulation"]
    numbers = DCQCN.simulate()
    del data["results"], data["settling"]["results"]
    assert json.loads(json.dumps(numbers)) == data
    assert numbers["failures"] == []
    settling = DCQCN.settling()
    assert settling is not None
    assert settling.title == "DCQCN on a Tomahawk 4: long flows into one port"
    assert DCQCN.with_value("congestion", None).settling() is None
    assert DCQCN.worst_case().title.endswith("all ports congested at once")


def test_notebooks_show_the_rows_and_a_line_says_how_many() -> None:
    shown = DCQCN._repr_html_()
    assert "<b>DCQCN on a Tomahawk 4</b>" in shown
    assert "all headroom [p n t_flight]" in shown
    assert repr(DCQCN) == f"<xoff.SwitchPlan 'DCQCN on a Tomahawk 4'; {DCQCN.table.num_rows} rows, 0 fail, 0 warn>"
