"""`xoff export`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Outcome

Command = Callable[..., Outcome]

PLANS = sorted((ROOT / "plans").glob("*.toml"))


@pytest.mark.parametrize("plan", PLANS, ids=lambda path: path.stem)
@pytest.mark.parametrize("target", ["sonic", "eos", "nxos", "nvue"])
def test_every_shipped_plan_is_a_configuration(command: Command, plan: Path, target: str) -> None:
    outcome = command("export", plan, "--format", target)
    assert outcome.status == 0
    assert "error: " not in outcome.err


@pytest.mark.parametrize(
    ("plan", "chip", "found"),
    [
        ("tomahawk_bcc", "tomahawk", set()),
        (
            "tomahawk_dsh",
            "tomahawk",
            {"headroom_oversubscribed", "headroom_below_response", "xon_above_xoff", "cnps_lossless"},
        ),  # DSH shares it, prints 60 quanta, and resumes where it paused; all classes but 0 are lossless
        (
            "trident2_dcqcn",
            "trident_2",
            {"headroom_below_response", "default_lossless", "cnps_lossless"},
        ),  # 60 quanta, too, and every class is lossless
        ("trident_plus_qcn", "trident_plus", set()),
    ],
)
def test_tables_of_shipped_plans_have_no_faults_but_what_their_papers_have(
    command: Command, plan: str, chip: str, found: set[str]
) -> None:
    command("export", ROOT / "plans" / f"{plan}.toml", "--format", "sonic", "--out", "config_db.json")
    findings = json.loads(command("lint", "config_db.json", "--chip", chip, "--json").out)
    assert {finding["check"] for finding in findings} == found


def test_sonics_notes_are_beside_its_tables(command: Command) -> None:
    outcome = command("export", ROOT / "plans" / "tomahawk_bcc.toml", "--format", "sonic", "--out", "config_db.json")
    assert (outcome.status, outcome.out) == (0, "")
    assert "note: ECN on the shared pool (K_min 1802000 B" in outcome.err
    tables = json.loads(Path("config_db.json").read_text(encoding="utf-8"))
    assert tables["BUFFER_POOL"]["egress_lossy_pool"]["size"] == "16096000"  # 4 x 3 MB, and 32 x 128 kB reserved
    assert tables["WRED_PROFILE"]["DCTCP"]["green_min_threshold"] == "720000"
    assert command("lint", "config_db.json", "--chip", "tomahawk").status == 0


def test_other_formats_have_theirs_as_comments(command: Command) -> None:
    outcome = command("export", ROOT / "plans" / "tomahawk_bcc.toml", "--format", "eos")
    assert outcome.err == ""
    assert outcome.out.startswith("! ECN on the shared pool (K_min 1802000 B")
    script = command("export", ROOT / "plans" / "trident2_dcqcn.toml", "--format", "host").out
    assert script.startswith("#!/bin/sh\n# ")


def test_headroom_that_leaves_nothing_is_refused(command: Command) -> None:
    text = (ROOT / "plans" / "tomahawk_dsh.toml").read_text(encoding="utf-8")
    text = text.replace('"60000B"', '"700000B"').replace('scheme = "dsh"', 'scheme = "sih"')
    Path("large.toml").write_text(text, encoding="utf-8")
    refused = command("export", "large.toml", "--format", "sonic")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("large.toml: headroom: takes ")
    assert refused.err.endswith(
        " and leaves lossless classes nothing to share; expected less of it, or a larger chip\n"
    )
    assert command("export", "large.toml", "--format", "nxos") == refused


FAR = """
title = "Near and far"
chip = "tomahawk_3"
ports = [{ name = "near", count = 16, cable = "40m" }, { name = "far", count = 16, cable = "2000m" }]
class = [{ name = "roce", priorities = [3, 4], lossless = true }, { name = "lossy", priorities = [0] }]
congestion = { scheme = "dcqcn" }
"""


def test_an_mmu_that_headroom_overfills_is_named_alike_by_export_and_by_a_trial(command: Command) -> None:
    Path("far.toml").write_text(FAR, encoding="utf-8")
    refused = command("export", "far.toml", "--format", "sonic")
    # 2 classes of 16 ports with 2 (505,051 + 1,500) + 57,920 B each, in half of 64 MiB.
    of_mmu = (
        "headroom: takes 34,272,704 B with reserves where {} has 33,554,432 B (16 far), and leaves lossless classes"
    )
    assert (refused.status, refused.out) == (2, "")
    assert of_mmu.format("MMU 1") in refused.err
    tried = command("plan", "far.toml", "--simulate")
    assert tried.status == 1
    assert f"Not simulated: far.toml: {of_mmu.format('an MMU')}" in tried.out


def test_a_lossy_pool_that_leaves_lossless_classes_nothing_is_refused(command: Command) -> None:
    Path("far.toml").write_text(FAR, encoding="utf-8")
    changes = ("--set", "headroom.scheme=dsh", "--set", "lossy_pool=64MB")
    refused = command("export", "far.toml", "--format", "sonic", *changes)
    assert (refused.status, refused.out) == (2, "")
    # Half of 64 MiB, less 16 ports with 1,071,022 B each.
    assert refused.err.startswith("far.toml: lossy_pool: takes all 16,418,080 B that headroom and reserves leave")


def test_a_plan_that_fails_is_written_with_a_warning(command: Command) -> None:
    text = (ROOT / "plans" / "trident2_dcqcn.toml").read_text(encoding="utf-8")
    Path("late.toml").write_text(text.replace('minimum = "5kB"', 'minimum = "120kB"'), encoding="utf-8")
    outcome = command("export", "late.toml", "--format", "nxos", "--out", "late.nxos")
    assert (outcome.status, outcome.out) == (0, "")
    (warning,) = outcome.err.splitlines()
    assert warning == (
        "warning: late.toml fails, and is written all the same: marks_first.roce (greatest K_min for roce [t_ECN], "
        "21,756 B); see `xoff plan late.toml`"
    )
    assert Path("late.nxos").read_text(encoding="utf-8").startswith("! ")


def test_a_file_is_replaced_only_with_force(command: Command) -> None:
    arguments = ("export", ROOT / "plans" / "tomahawk_bcc.toml", "--format", "eos", "--out", "switch.eos")
    Path("switch.eos").write_text("precious", encoding="utf-8")
    refusal = "switch.eos: --out: exists already; choose another file with --out, or replace it with --force\n"
    assert command(*arguments) == Outcome(2, "", refusal)
    assert Path("switch.eos").read_text(encoding="utf-8") == "precious"
    assert command(*arguments, "--force") == Outcome(0, "", "")
    assert Path("switch.eos").read_text(encoding="utf-8").startswith("! ")


def test_what_cannot_be_exported_is_refused_in_a_line(command: Command) -> None:
    plan = ROOT / "plans" / "tomahawk_dsh.toml"
    refusal = (
        f"{plan}: congestion: is left out, and hosts are set by it; expected a table [congestion] with its scheme\n"
    )
    assert command("export", plan, "--format", "host") == Outcome(2, "", refusal)
    refusal = "none/a.json: --out: cannot write here: no such file or directory; choose another file with --out\n"
    assert command("export", plan, "--format", "eos", "--out", "none/a.json") == Outcome(2, "", refusal)
    assert command("export", "none.toml", "--format", "eos").status == 2


WEB_SEARCH = ROOT / "scenarios" / "web_search.toml"
GOOD = ROOT / "examples" / "sonic" / "good" / "config_db.json"


def test_a_scenarios_switch_goes_back_onto_the_tables_it_came_from(command: Command) -> None:
    command("init", "roce", "leaf_spine", "incast", "--from", GOOD, "--port", "Ethernet0", "--out", "roce.toml")
    onto = ("export", "roce.toml", "--onto", GOOD, "--port", "Ethernet0")
    unchanged = command(*onto)
    assert (unchanged.status, unchanged.out) == (0, "")
    assert "nothing changes" in unchanged.err

    more = ("--set", "switch.pfc.xon_offset=9kB")
    changed = command(*onto, *more)
    assert changed.status == 0
    lines = [line for line in changed.out.splitlines()[2:] if line.startswith(("+", "-"))]
    assert [line.partition('"xon_offset": "')[2].partition('"')[0] for line in lines] == ["4608"] * 2 + ["9000"] * 2

    assert command(*onto, *more, "--out", "new").status == 0
    text = Path("new/config_db.json").read_text(encoding="utf-8")
    assert text == GOOD.read_text(encoding="utf-8").replace('"xon_offset": "4608"', '"xon_offset": "9000"')
    again = command(*onto, *more, "--out", "new")
    assert (again.status, again.err) == (
        2,
        "new/config_db.json: --out: exists already; choose another file with --out, or replace it with --force\n",
    )
    assert command(*onto, *more, "--out", "new", "--force").status == 0

    patch = json.loads(command(*onto, *more, "--json").out)
    assert {step["value"] for step in patch} == {"9000"}


def test_without_a_port_one_is_chosen_whose_link_the_scenario_has(command: Command) -> None:
    command("init", "roce", "leaf_spine", "incast", "--from", GOOD, "--port", "Ethernet0", "--out", "roce.toml")
    unchanged = command("export", "roce.toml", "--onto", GOOD)
    assert (unchanged.status, unchanged.out) == (0, "")
    assert "nothing changes" in unchanged.err
    longer = ("--set", "topology.host_link.delay=1us", "--set", "topology.fabric_link.delay=1us")
    refused = command("export", "roce.toml", "--onto", GOOD, *longer)
    assert refused == Outcome(
        2,
        "",
        "roce.toml: topology: its links (100 Gb/s with 1000 ns) are those of no port of the tables; expected --port "
        "with one of that rate: Ethernet0 (100 Gb/s with 203 ns, 40 m of cable) and Ethernet4 (100 Gb/s with 1516 ns, "
        "300 m of cable)\n",
    )
    assert command("export", "roce.toml", "--onto", GOOD, "--port", "Ethernet0", *longer).status == 0


def test_what_tables_cannot_say_fails(command: Command) -> None:
    command("init", "roce", "leaf_spine", "incast", "--from", GOOD, "--port", "Ethernet0", "--out", "roce.toml")
    outcome = command("export", "roce.toml", "--onto", GOOD, "--port", "Ethernet0", "--set", "switch.buffer.policy=abm")
    assert outcome.status == 1
    assert "error: switch.buffer.policy = abm in the scenario, and the tables come to dynamic_threshold" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("roce.toml",), "--format: nothing says what is to be written"),
        (("roce.toml", "--format", "sonic", "--port", "Ethernet0"), "--port: is about tables of a switch"),
        (("roce.toml", "--onto", GOOD, "--dscp", "3=26"), "--dscp: is about new tables"),
        ((WEB_SEARCH, "--format", "eos", "--dscp", "3:26"), "--dscp 3:26: is no class with its DSCP"),
        ((WEB_SEARCH, "--format", "eos", "--dscp", "0=64"), "--dscp 0=64: is no class with its DSCP"),
        ((PLANS[0], "--format", "eos", "--switch", "leaf0"), "--switch: is about a scenario"),
        (("roce.toml", "--format", "sonic", "--json"), "--json: is about tables of a switch"),
        (("roce.toml", "--format", "eos", "--onto", GOOD), "--format eos: is not read"),
        (("roce.toml", "--onto", "missing.json"), "missing.json: cannot read: no such file"),
        ((ROOT / "plans" / "tomahawk_bcc.toml", "--onto", GOOD), "chip: is a key of plans"),
    ],
)
def test_options_that_do_not_go_together(command: Command, arguments: tuple[object, ...], told: str) -> None:
    outcome = command("export", *arguments)
    assert (outcome.status, outcome.out) == (2, "")
    assert told in outcome.err


def test_a_scenarios_switch_is_a_configuration(command: Command) -> None:
    options = ("--switch", "leaf0", "--dscp", "0=10", "--chip", "trident_2")
    outcome = command("export", WEB_SEARCH, "--format", "eos", *options, "--out", "switch.eos")
    assert (outcome.status, outcome.out, outcome.err) == (0, "", "")
    lines = Path("switch.eos").read_text(encoding="utf-8").splitlines()
    assert "qos map dscp 10 to traffic-class 0" in lines
    assert "   egress unicast queue 0 threshold 1" in lines
    assert any(line.startswith("      random-detect ecn minimum-threshold ") for line in lines)
