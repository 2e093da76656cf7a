"""`xoff lint`."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Outcome

Command = Callable[..., Outcome]

EXAMPLES = ROOT / "examples" / "sonic"
UNJUDGED = "; pools are held against no chip's memory (--chip names one)"


def test_findings_have_line_key_value_physics_and_remedy(command: Command) -> None:
    outcome = command("lint", EXAMPLES / "faults" / "headroom_below_cable.ini")
    assert (outcome.status, outcome.err) == (1, "")
    head, *text = outcome.out.splitlines()
    assert head.endswith("headroom_below_cable.ini:3: error: 400000 1500m xoff = 427008 [headroom_below_cable]")
    assert "2 x 1500 m / 1.98e8 m/s x 400 Gb/s / 8" in " ".join(line.strip() for line in text)
    assert text[-1] == "1 error in 1 file"


def test_the_worst_comes_first(command: Command) -> None:
    outcome = command("lint", *sorted(path for path in (EXAMPLES / "faults").rglob("*") if path.is_file()), "--json")
    found = [finding["severity"] for finding in json.loads(outcome.out)]
    assert set(found) == {"error", "warning", "note"}
    assert found == sorted(found, key=["error", "warning", "note"].index)


def test_the_status_tells_what_was_found(command: Command) -> None:
    good, note = EXAMPLES / "good" / "config_db.json", EXAMPLES / "faults" / "headroom_below_response.ini"
    assert command("lint", good, "--strict") == Outcome(0, f"Nothing found in 1 file{UNJUDGED}\n", "")
    assert command("lint", note).status == 0
    assert command("lint", note, "--strict").status == 1
    assert command("lint", note, "--strict", "--ignore", "headroom_below_response").status == 0


def test_files_of_one_switch_are_judged_together(command: Command) -> None:
    leaf = EXAMPLES / "leaf"
    together = command("lint", leaf / "config_db.json", leaf / "pg_profile_lookup.ini")
    assert together.out.endswith(f" in 2 files of one switch{UNJUDGED}\n")
    good = EXAMPLES / "good" / "config_db.json"
    assert command("lint", leaf / "config_db.json", good).out.endswith(f" in 2 files of 2 switches{UNJUDGED}\n")


def test_what_pools_are_held_against_is_told(command: Command) -> None:
    good, lookup = EXAMPLES / "good" / "config_db.json", EXAMPLES / "good" / "pg_profile_lookup.ini"
    assert command("lint", good, "--chip", "tomahawk_2").out == "Nothing found in 1 file\n"
    assert command("lint", lookup).out == "Nothing found in 1 file\n", "it has no pools"
    tables = json.loads(good.read_text(encoding="utf-8"))
    tables["DEVICE_METADATA"]["localhost"]["hwsku"] = "Arista-7260CX3-C64"
    Path("known.json").write_text(json.dumps(tables), encoding="utf-8")
    assert command("lint", "known.json").out == "Nothing found in 1 file\n"
    assert command("lint", good, "known.json").out.endswith(UNJUDGED + "\n"), "one of the two is not known"


def test_switches_at_two_ends_of_a_cable_are_held_against_each_other(command: Command) -> None:
    faults = ROOT / "examples" / "sonic" / "faults" / "ends_disagree"
    outcome = command("lint", faults / "leaf.json", faults / "spine.json")
    assert outcome.status == 1
    assert outcome.out.endswith("2 errors, 3 warnings in 2 files of 2 switches\n")
    assert command("lint", faults / "leaf.json").out == "Nothing found in 1 file\n"


def test_who_stops_reading_has_not_found_anything() -> None:
    """141 is what a shell says of a command that the closed pipe has ended."""
    path = EXAMPLES / "good" / "config_db.json"
    for more in ([], ["--json"]):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [sys.executable, "-m", "xoff", "lint", path, *more], stdout=writing, stderr=subprocess.PIPE, check=False
        )
        os.close(writing)
        assert (done.returncode, done.stderr) == (141, b"")


def test_which_lookup_table_is_whose_is_not_guessed(command: Command) -> None:
    config = EXAMPLES / "good" / "config_db.json"
    lookups = [EXAMPLES / folder / "pg_profile_lookup.ini" for folder in ("good", "leaf")]
    outcome = command("lint", config, config, *lookups)
    assert (outcome.status, outcome.out) == (2, ""), "its switch alone is left out, and there is no other"
    second = f"{lookups[1]}: is a second lookup table beside {lookups[0]}, and a switch has one"
    assert outcome.err == f"{second}; expected one of them, or the files of each switch in a folder of its own\n"
    Path("one.json").write_text(config.read_text(encoding="utf-8"), encoding="utf-8")
    Path("other.json").write_text('{"PORT": {"Ethernet0": {"speed": "400000"}}}', encoding="utf-8")
    outcome = command("lint", "one.json", "other.json", lookups[0])
    assert outcome.status == 0
    assert outcome.err.startswith(f"{lookups[0]}: held against no config_db.json; ")


@pytest.mark.parametrize("name", ["config_db.json", "pg_profile_lookup.ini"])
def test_a_byte_order_mark_is_no_part_of_a_file(command: Command, name: str) -> None:
    Path(name).write_text((EXAMPLES / "good" / name).read_text(encoding="utf-8"), encoding="utf-8-sig")
    outcome = command("lint", name)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("Nothing found in 1 file")


def test_data_only(command: Command) -> None:
    outcome = command("lint", EXAMPLES / "faults" / "maximum_below_minimum.json", "--json")
    (finding,) = json.loads(outcome.out)
    assert finding == finding | {
        "line": 5,
        "key": "WRED_PROFILE|BACKWARDS|green_max_threshold",
        "value": "102400",
        "severity": "error",
        "check": "maximum_below_minimum",
        "remedy": "at least 409600",
    }


def test_a_chip_bounds_the_pools(command: Command) -> None:
    path = EXAMPLES / "faults" / "memory_exceeded.json"
    assert command("lint", path).status == 0
    assert command("lint", path, "--chip", "tomahawk").status == 1
    assert command("lint", path, "--chip", "trident_3").status == 0


def test_checks_are_listed(command: Command) -> None:
    outcome = command("lint", "--checks")
    assert outcome.status == 0
    assert "headroom_below_cable       Headroom below the bytes in flight on the cable" in outcome.out


def test_a_file_that_cannot_be_read_keeps_no_other_from_being_checked(command: Command) -> None:
    fault = EXAMPLES / "faults" / "maximum_below_minimum.json"
    outcome = command("lint", "none.json", fault)
    assert outcome.status == 2
    assert outcome.err.startswith("none.json: cannot read: no such file or directory; ")
    assert outcome.out.endswith("1 error in 1 file\n")
    for folder in ("one", "other"):
        Path(folder).mkdir()
        for name in ("config_db.json", "pg_profile_lookup.ini"):
            text = (EXAMPLES / "good" / name).read_text(encoding="utf-8")
            Path(folder, name).write_text(text.replace("leaf1", folder), encoding="utf-8")
    Path("one", "second.ini").write_text("100000 5m 1 2 3 0\n", encoding="utf-8")
    outcome = command("lint", *Path("one").iterdir(), *Path("other").iterdir(), "--json")
    assert (outcome.status, outcome.out) == (2, "[]\n")
    assert outcome.err.startswith("one/")
    assert "is a second lookup table beside one/" in outcome.err


def test_nothing_to_check_is_no_verdict(command: Command) -> None:
    Path("ports.json").write_text('{"PORT": {"Ethernet0": {"speed": "400000"}}}', encoding="utf-8")
    Path("empty.ini").write_text("# speed cable size xon xoff threshold\n", encoding="utf-8")
    outcome = command("lint", "ports.json", "empty.ini")
    assert (outcome.status, outcome.out) == (2, "Nothing to check in 2 files of one switch\n")
    nothing = "nothing to check: no row is about buffers, marks or pauses"
    assert outcome.err == f"ports.json: {nothing}\nempty.ini: {nothing}\n"
    good = EXAMPLES / "good" / "config_db.json"
    outcome = command("lint", good, "empty.ini")
    assert outcome.err == "", "a table without rows is one"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["none.json"], "none.json: cannot read: no such file or directory; expected config_db.json or "),
        (["bad.json"], "bad.json: line 1, column 9: is no JSON: expecting value; expected config_db.json of SONiC"),
        (["bad.ini"], "bad.ini: line 1: the row lacks xon, xoff, threshold; expected speed cable size "),
        (
            ["eos.cfg"],
            "eos.cfg: is no table of SONiC, and no others are read; expected config_db.json or pg_profile_lo",
        ),
        (["none.ini"], "none.ini: line 1: the row lacks xon, xoff, threshold; expected speed cable size "),
        ([], "FILE: no file is named; expected config_db.json or "),
        (["bad.ini", "--chip", "trident3"], "chip trident3: there is none of this name; did you mean trident_3"),
        (
            [str(EXAMPLES / "good" / "config_db.json"), "--ignore", "cable"],
            "ignore cable: there is none of this name; expected one of invalid_value",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_line(command: Command, arguments: list[str], says: str) -> None:
    Path("bad.json").write_text('{"PORT":', encoding="utf-8")
    Path("bad.ini").write_text("100000 5m 1248\n", encoding="utf-8")
    Path("none.ini").write_text("100G 5m 1248\n", encoding="utf-8")
    Path("eos.cfg").write_text("! a comment\nqos profile XOFF\n", encoding="utf-8")
    outcome = command("lint", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(says)
    assert outcome.err.count("\n") == 1
