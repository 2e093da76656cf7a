"""`xoff import`."""

import tomllib
from collections.abc import Callable
from pathlib import Path

from conftest import ROOT, Outcome

Command = Callable[..., Outcome]

EXAMPLES = ROOT / "examples" / "sonic"


def test_the_part_of_a_scenario_is_printed_with_what_it_cannot_say(command: Command) -> None:
    outcome = command("import", EXAMPLES / "good" / "config_db.json", "--port", "Ethernet0")
    assert (outcome.status, outcome.err) == (0, "")
    # The comment is wrapped, and the path of the file decides where.
    head, _ = outcome.out.replace("\n# ", " ").split("Not as the switch has it:")
    assert "switches with ports like Ethernet0 (100 Gb/s, 40 m of cable)." in head
    assert "\n# Not as the switch has it:\n# - " in outcome.out
    assert tomllib.loads(outcome.out).keys() == {"class", "switch", "pfc"}


def test_left_out_the_port_is_that_with_most_headroom(command: Command) -> None:
    outcome = command("import", EXAMPLES / "good" / "config_db.json")
    assert "ports like Ethernet4 " in outcome.out.replace("\n# ", " ")


def test_errors_in_the_tables_are_told_of(command: Command) -> None:
    leaf = EXAMPLES / "faults" / "ecn_after_pfc.json"
    outcome = command("import", leaf)
    assert outcome.status == 0
    assert outcome.err == f"warning: 1 error in these tables; see `xoff lint {leaf}`\n"


def test_errors_by_the_chip_are_told_of_with_the_chip(command: Command) -> None:
    good = EXAMPLES / "good" / "config_db.json"
    told = command("import", good, "--chip", "trident_2").err
    assert told.endswith(f"; see `xoff lint {good} --chip trident_2`\n")
    assert command("lint", good).status == 0
    assert command("lint", good, "--chip", "trident_2").status == 1


def test_what_cannot_be_imported_is_refused_in_a_line(command: Command) -> None:
    good = EXAMPLES / "good" / "config_db.json"
    Path("other.json").write_text('{"PORT": {"Ethernet0": {"speed": "400000"}}}', encoding="utf-8")
    for arguments, says in (
        (
            [good, "--port", "Ethernet8"],
            f"{good}: --port Ethernet8: no row of BUFFER_PG or BUFFER_QUEUE is about it; did",
        ),
        ([good, "other.json"], "FILE: the files are those of 2 switches; expected those of one"),
        ([good, "--chip", "trident3"], "chip trident3: there is none of this name; did you mean trident_3"),
        ([], "FILE: no file is named; expected config_db.json or "),
    ):
        outcome = command("import", *arguments)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith(says)
        assert outcome.err.count("\n") == 1


def test_files_of_a_simulator_become_a_folder(command: Command) -> None:
    Path("topology.txt").write_text("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n", encoding="utf-8")
    Path("flow.txt").write_text("1\n1 2 3 100 5000 2\n", encoding="utf-8")
    outcome = command("import", "flow.txt", "topology.txt")
    assert (outcome.status, outcome.err) == (0, "")
    first, second, left, last = outcome.out.splitlines()
    assert first == "topology.txt: HPCC topology: 2 hosts, 1 switch, 2 links"
    assert second == "flow.txt: HPCC flows: 1 flow"
    assert left.startswith("left out: flow.txt:2: destination ports 100: ")
    assert last == "imported/scenario.toml and imported/flows.csv written; run it: xoff run imported/scenario.toml"
    assert command("check", "imported/scenario.toml").status == 0
    again = command("import", "flow.txt", "topology.txt")
    assert (
        again.err
        == "imported/scenario.toml: exists already; choose another folder with --out, or replace it with --force\n"
    )
    assert command("import", "flow.txt", "topology.txt", "--force").status == 0


def test_options_are_of_tables_or_of_simulators(command: Command) -> None:
    good = EXAMPLES / "good" / "config_db.json"
    Path("topology.txt").write_text("3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n", encoding="utf-8")
    for arguments, says in (
        (["topology.txt", "--chip", "tomahawk"], "--chip: is about a switch's tables; expected it with config_db.json"),
        ([good, "--out", "there"], "--out: is about files of other simulators; expected none"),
        ([good, "topology.txt"], f"{good}: is a switch's tables beside files of another kind; expected tables alone"),
    ):
        outcome = command("import", *arguments)
        assert (outcome.status, outcome.out) == (2, "")
        assert outcome.err.startswith(says)


def test_a_scenario_that_cannot_run_is_written_all_the_same(command: Command) -> None:
    Path("topology.txt").write_text("3 1 2\n0\n0 1 400Gbps 1us 0\n0 2 400Gbps 1us 0\n", encoding="utf-8")
    config = "CC_MODE 1\nENABLE_QCN 0\nPACKET_PAYLOAD_SIZE 900000\nBUFFER_SIZE 1\n"
    Path("config.txt").write_text(config, encoding="utf-8")
    outcome = command("import", "topology.txt", "config.txt")
    assert outcome.status == 1
    assert outcome.err.startswith("imported/scenario.toml: ")
    assert outcome.err.count("\n") == 1
    assert Path("imported/scenario.toml").is_file()


def test_init_points_to_import_for_files_of_simulators(command: Command) -> None:
    Path("topology.txt").write_text("3 1 2\n0\n0 1 400Gbps 1us 0\n0 2 400Gbps 1us 0\n", encoding="utf-8")
    outcome = command("init", "roce", "--from", "topology.txt")
    assert outcome.status == 2
    assert outcome.err == (
        "topology.txt: is of another simulator (HPCC topology), and no switch's table; "
        "expected `xoff import topology.txt`, which makes a whole scenario of such files\n"
    )
