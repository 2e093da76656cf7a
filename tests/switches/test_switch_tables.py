"""A switch's tables in Python say what `xoff lint` says."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import xoff
from conftest import ROOT
from xoff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Outcome

SONIC = ROOT / "examples" / "sonic"
LEAF = (SONIC / "leaf" / "config_db.json", SONIC / "leaf" / "pg_profile_lookup.ini")
TOO_MUCH = SONIC / "faults" / "memory_exceeded.json"


def test_they_find_what_the_command_finds(command: Callable[..., Outcome]) -> None:
    printed = json.loads(command("lint", *LEAF, "--json").out)
    found = xoff.SwitchTables.load(*LEAF).lint()
    assert printed
    assert [finding.as_data() for finding in found] == printed


def test_both_files_are_of_one_switch() -> None:
    (files,) = xoff.SwitchTables.load(*LEAF).switches
    assert [file.name for file in files] == list(map(str, LEAF))
    assert repr(xoff.SwitchTables.load(*LEAF)) == f"<xoff.SwitchTables {LEAF[0]}, {LEAF[1]}>"


def test_a_chip_bounds_the_pools() -> None:
    assert xoff.SwitchTables.load(TOO_MUCH).lint() == []
    tables = xoff.SwitchTables.load(str(TOO_MUCH), chip="tomahawk")
    assert {finding.check for finding in tables.lint()} == {"memory_exceeded"}
    assert tables.lint(ignore=["memory_exceeded"]) == []


@pytest.mark.parametrize(
    ("chip", "ignore", "says"),
    [
        ("tomahawk9", [], "chip tomahawk9: there is none of this name; did you mean tomahawk"),
        (None, ["memory_exceded"], "ignore memory_exceded: there is none of this name; did you mean memory_exceeded"),
    ],
)
def test_what_there_is_not_is_refused(chip: str | None, ignore: list[str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        xoff.SwitchTables.load(TOO_MUCH, chip=chip).lint(ignore)
