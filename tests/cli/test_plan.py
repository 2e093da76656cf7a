"""`xoff plan`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Outcome

Command = Callable[..., Outcome]
PLANS = sorted((ROOT / "plans").glob("*.toml"))


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_shipped_plans_are_computed(command: Command, path: Path) -> None:
    outcome = command("plan", path)
    assert (outcome.status, outcome.err) == (0, "")
    printed = "[printed]" in path.read_text(encoding="utf-8")
    assert ("Printed numbers that follow from their formulas" in outcome.out) == printed
    assert not list(Path().iterdir())


def test_a_byte_order_mark_is_no_part_of_a_plan(command: Command) -> None:
    Path("plan.toml").write_text(PLANS[0].read_text(encoding="utf-8"), encoding="utf-8-sig")
    assert command("plan", "plan.toml", "--json") == command("plan", PLANS[0], "--json")


LEAF = """\
title = "A leaf"
chip = "trident_plus"
memory = "1MB"
[[ports]]
count = 8
cable = "40m"
[[class]]
name = "roce"
priorities = [3]
lossless = true
"""


def test_a_plan_that_fails_is_printed_and_says_so_by_its_status(command: Command) -> None:
    Path("late.toml").write_text(f'{LEAF}alpha = "1/64"\n[congestion]\nscheme = "dcqcn"\n', encoding="utf-8")
    outcome = command("plan", "late.toml")
    assert (outcome.status, outcome.err) == (1, "")
    (told,) = (line for line in outcome.out.splitlines() if line.startswith("Fails: "))
    assert told.startswith("Fails: greatest K_min for roce [t_ECN], 1,8")  # 1 MB less headroom / 64 / (8 x 65/64)
    assert command("plan", "late.toml", "--json").status == 1
    Path("early.toml").write_text(f'{LEAF}alpha = 1\n[congestion]\nscheme = "dcqcn"\n', encoding="utf-8")
    outcome = command("plan", "early.toml")
    assert outcome.status == 0
    assert "Fails" not in outcome.out


def test_what_fails_only_when_it_is_tried_fails_too(command: Command) -> None:
    text = f'{LEAF}[headroom]\nscheme = "oversubscribed"\nratio = "1/8"\n'
    Path("short.toml").write_text(text, encoding="utf-8")
    assert command("plan", "short.toml").status == 0
    outcome = command("plan", "short.toml", "--simulate")
    assert (outcome.status, outcome.err) == (1, "")
    (told,) = (line for line in outcome.out.splitlines() if line.startswith("Fails: "))
    assert told.endswith(" packets of lossless classes were lost")
    outcome = command("plan", "short.toml", "--simulate", "--json")
    assert outcome.status == 1
    assert json.loads(outcome.out)["simulation"]["failures"] == [told.removeprefix("Fails: ")]


def test_rows_and_settings_as_json(command: Command) -> None:
    data = json.loads(command("plan", ROOT / "plans" / "tomahawk_bcc.toml", "--json").out)
    row = next(row for row in data["rows"]["BCC"] if row["key"] == "bcc.minimum")
    assert (row["value"], row["unit"], row["verdict"], row["follows"]) == (1_802_000, "B", "holds", True)
    assert row["formula"] == "2,602,000 - 800,000 (C N h, 8 ports, 8 us)"
    assert data["settings"]["pools"]["ecn"]["maximum_bytes"] == 2_602_000


def test_brackets_of_symbols_are_printed(command: Command) -> None:
    assert "[t_ECN]" in command("plan", ROOT / "plans" / "trident2_dcqcn.toml").out


def test_a_plan_is_tried_out(command: Command) -> None:
    outcome = command("plan", ROOT / "plans" / "trident2_dcqcn.toml", "--simulate", "--out", "tried")
    assert (outcome.status, outcome.err) == (0, "")
    assert "ECN came before PFC\n" in outcome.out
    assert "Simulated: nothing was lost" in outcome.out
    assert "Simulated: 8 long flows into one port of 40 Gb/s, which start at once" in outcome.out
    assert f"Results: {Path('tried/settling')}\n" in outcome.out
    assert "Report:  `xoff report tried/settling` draws it\n" in outcome.out
    assert command("report", "tried/settling").status == 0
    assert "Rates over time" in Path("tried/settling/report.html").read_text(encoding="utf-8")
    assert command("run", Path("tried/settling/scenario.toml"), "--set", "stop.at=1ms").status == 0
    assert Path("tried/scenario.toml").exists()


def test_mmus_whose_headroom_fails_are_tried_out_too(command: Command) -> None:
    far = '[[ports]]\nname = "far"\ncount = 8\ncable = "4km"\n[[class]]'  # 50 kB on the cable
    leaf = LEAF.replace("1MB", '4MB"\nmmus = 2\nmtu = "1500B').replace("count = 8", "count = 24")
    Path("leaf.toml").write_text(leaf.replace("[[class]]", far), encoding="utf-8")
    outcome = command("plan", "leaf.toml", "--set", "headroom.size=40kB", "--simulate", "--out", "tried")
    assert (outcome.status, outcome.err) == (1, "")
    near, told = outcome.out.split(f"Results: {Path('tried')}\n")
    assert "Simulated: nothing was lost" in near
    assert "Fails: " in told.split(f"Results: {Path('tried/mmu1')}\n")[0]
    assert Path("tried/mmu1/summary.json").exists()
    data = json.loads(command("plan", "leaf.toml", "--set", "headroom.size=40kB", "--simulate", "--json").out)
    assert data["simulation"]["lost_lossless"] == 0 < data["simulation"]["mmu1"]["lost_lossless"]
    assert (
        "Not simulated: MMU 1 (8 far), whose headroom holds"
        in command("plan", "leaf.toml", "--set", "headroom.size=80kB", "--simulate").out
    )


def test_qcn_is_tried_out_on_hotspots(command: Command) -> None:
    outcome = command("plan", ROOT / "plans" / "trident_plus_qcn.toml", "--simulate", "--out", "tried")
    assert (outcome.status, outcome.err) == (0, "")
    assert "Simulated: 4 hotspots at once, each of 5 inputs into one output" in outcome.out
    assert "QCN came before PFC" in outcome.out
    assert "an innocent one 5,000 of 5,000 Mb/s" in outcome.out


def test_trials_say_what_is_lost(command: Command) -> None:
    """BCC's flows all begin at once, and slow start overshoots."""
    outcome = command("plan", ROOT / "plans" / "tomahawk_bcc.toml", "--simulate", "--json")
    found = json.loads(outcome.out)["simulation"]
    assert found["ecn_came_first"]
    assert found["first_pause_us"] is None
    assert found["dropped_packets"] > 0
    assert found["last_drop_us"] < 2000  # of 8000: none later
    assert found["slow_start"]["links_bytes"] == 32_000_000
    assert found["settling"]["settled_busy"] > 0.99
    assert Path(found["settling"]["results"], "summary.json").exists()


def test_a_plan_that_cannot_be_simulated_is_refused_with_its_file(command: Command) -> None:
    Path("small.toml").write_text(LEAF.replace("count = 8", "count = 1"), encoding="utf-8")
    assert command("plan", "small.toml").status == 0
    outcome = command("plan", "small.toml", "--simulate")
    assert outcome.status == 2
    assert outcome.err.startswith("small.toml: ports: 1 ports are too few")
    assert outcome.err.count("\n") == 1
    assert not Path("results").exists()


def test_a_plan_whose_checks_fail_and_that_cannot_be_simulated_says_both(command: Command) -> None:
    text = (ROOT / "plans" / "trident2_dcqcn.toml").read_text(encoding="utf-8")
    Path("far.toml").write_text(text.replace('"300m"', '"2km"'), encoding="utf-8")
    outcome = command("plan", "far.toml", "--simulate")
    assert (outcome.status, outcome.err) == (1, "")
    assert "Fails: all headroom [p n t_flight], 28,057,600 B: must be less than memory" in outcome.out
    assert (
        "Not simulated: far.toml: headroom: takes 28,057,600 B with reserves where memory has 12,000,000 B"
        in outcome.out
    )
    assert "refused" in json.loads(command("plan", "far.toml", "--simulate", "--json").out)["simulation"]


def test_a_plan_is_changed_without_a_file_of_its_own(command: Command) -> None:
    path = ROOT / "plans" / "tomahawk_bcc.toml"
    data = json.loads(command("plan", path, "--set", "congestion.ramp=4us", "--set", "title=Short ramp", "--json").out)
    row = next(row for row in data["rows"]["BCC"] if row["key"] == "bcc.minimum")
    assert (data["title"], row["value"]) == ("Short ramp", 2_602_000 - 400_000)
    outcome = command("export", path, "--set", "congestion.gain=1/32", "--format", "host")
    assert "echo 5 > /sys/module/tcp_dctcp/parameters/dctcp_shift_g" in outcome.out
    refused = command("plan", path, "--set", "congestion.rampp=4us")
    assert (refused.status, refused.err.split(": ", 2)[1:]) == (
        2,
        ["congestion.rampp", "there is no such key; expected ramp\n"],
    )


def test_a_scenario_is_no_plan(command: Command) -> None:
    outcome = command("plan", ROOT / "scenarios" / "web_search.toml")
    assert outcome.status == 2
    assert outcome.err.endswith(
        "topology: is a key of scenarios, which xoff run takes; `xoff init plan` writes one to start from\n"
    )


def test_a_folder_without_a_simulation_is_refused(command: Command) -> None:
    refusal = "--out: is for what is simulated; expected --simulate, too\n"
    assert command("plan", ROOT / "plans" / "tomahawk_bcc.toml", "--out", "x") == Outcome(2, "", refusal)


def test_a_wrong_plan_is_refused_in_a_line(command: Command) -> None:
    assert command("plan", "none.toml") == Outcome(
        2, "", "none.toml: cannot read: no such file or directory; `xoff init plan` writes one to start from\n"
    )
    Path("bad.toml").write_text('title = "x"\nchip = "tomahawk"\nports = [{ cable = "-4m" }]\n', encoding="utf-8")
    outcome = command("plan", "bad.toml")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith('bad.toml: ports[0].cable: "-4m" is negative; ')
    assert outcome.err.count("\n") == 1
