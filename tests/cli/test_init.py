"""`xoff init`."""

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, Outcome, two_rates
from xoff.starters import WORKLOADS

Command = Callable[..., Outcome]


def test_the_default_is_written_and_can_be_checked(command: Command) -> None:
    assert command("init") == Outcome(0, "scenario.toml written; run it: xoff run scenario.toml\n", "")
    assert command("check", "scenario.toml").status == 0


def test_nothing_is_overwritten(command: Command) -> None:
    Path("incast.toml").write_text("mine")
    outcome = command("init", "incast")
    assert outcome.status == 2
    assert outcome.err == "incast.toml: --out: exists already; choose another name with --out\n"
    assert Path("incast.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("kinds", "title"),
    [
        ("star roce incast permutation", "incast and permutation over roce on star"),
        ("ultra_ethernet query", "query over ultra_ethernet on leaf_spine"),
        ("constant_rate", "constant_rate on leaf_spine"),  # packets of no transport
    ],
)
def test_titles_name_what_was_asked_for(command: Command, kinds: str, title: str) -> None:
    assert tomllib.loads(command("init", *kinds.split(), "--out", "-").out)["title"] == title


def test_the_scenario_of_a_scheme_is_no_python_file(command: Command) -> None:
    outcome = command("init", "scheme", "--out", "mine.py")
    assert outcome.status == 2
    expected = "expected a name in .toml; the class goes into my_control.py beside it"
    assert outcome.err == f"--out mine.py: is for the scenario; {expected}\n"
    assert list(Path().iterdir()) == []


def test_a_trace_comes_with_its_file(command: Command) -> None:
    outcome = command("init", "trace", "star")
    assert outcome.out == "trace_star.toml and flows.csv written; run it: xoff run trace_star.toml\n"
    assert command("check", "trace_star.toml").status == 0


def test_another_trace_file_is_not_overwritten(command: Command) -> None:
    Path("flows.csv").write_text("mine")
    assert command("init", "trace").err.startswith("flows.csv: exists already and is another file; move it, or ")
    assert not Path("trace.toml").exists()


def test_a_trace_file_that_is_the_same_stays(command: Command) -> None:
    command("init", "trace")
    outcome = command("init", "trace", "--out", "second.toml")
    assert outcome.out == "second.toml written; run it: xoff run second.toml\n"


@pytest.mark.parametrize("kinds", [["tcp"], ["roce", "star"], ["fabric"], ["fabric", "roce"], ["ultra_ethernet"]])
def test_workloads_stand_one_after_another(command: Command, kinds: list[str]) -> None:
    over_tcp = not {"roce", "ultra_ethernet"} & {*kinds}
    workloads = [kind for kind in WORKLOADS if over_tcp or kind != "constant_rate"]
    command("init", *kinds, *workloads, "--out", "all.toml")
    table = tomllib.loads(Path("all.toml").read_text())
    assert len(table["workload"]) == len(workloads)
    assert table["stop"] == {"arrivals_end": "5ms", "at": "5ms"}
    assert command("check", "all.toml").status == 0


def test_a_dash_prints(command: Command, matches_snapshot: Callable[[str], None]) -> None:
    outcome = command("init", "dumbbell", "long_lived", "--out", "-")
    matches_snapshot(outcome.out)
    assert list(Path().iterdir()) == []


def test_queue_pairs_come_with_a_class_that_pauses(command: Command) -> None:
    assert command("init", "roce").out == "roce.toml written; run it: xoff run roce.toml\n"
    outcome = command("run", "roce.toml", "--out", "result")
    assert " 0 dropped" in outcome.out
    assert " 0 marked" not in outcome.out
    assert "Pauses:  " in outcome.out
    assert command("pauses", "result").out.startswith("Roots: all pauses, ")


@pytest.mark.parametrize("kinds", [["fabric", "incast"], ["fabric", "roce"], ["ultra_ethernet"]])
def test_what_goes_by_marks_gets_some(command: Command, kinds: list[str]) -> None:
    command("init", *kinds, "--out", "some.toml")
    checked = command("check", "some.toml")
    assert (checked.status, len(checked.out.splitlines()), checked.err) == (0, 1, "")
    ran = command("run", "some.toml").out
    assert " 0 dropped" in ran
    assert " 0 marked" not in ran


def test_a_trace_of_queue_pairs_is_of_their_class(command: Command) -> None:
    command("init", "roce", "trace")
    assert {line.rpartition(",")[2] for line in Path("flows.csv").read_text().splitlines()[1:]} == {"3"}


TABLES = ROOT / "examples" / "sonic" / "good" / "config_db.json"


def test_tables_of_a_switch_are_run_as_they_are(command: Command) -> None:
    outcome = command("init", "roce", "star", "--from", TABLES, "--port", "Ethernet0")
    assert outcome.out == "roce_star.toml written; run it: xoff run roce_star.toml\n"
    text = Path("roce_star.toml").read_text()
    assert 'host_link = { rate = "100Gbps", delay = "203ns" }' in text
    assert "control_priority = 6 " in text
    checked = command("check", "roce_star.toml")
    assert (checked.status, len(checked.out.splitlines()), checked.err) == (0, 1, "")
    assert " 0 dropped" in command("run", "roce_star.toml").out


def test_answers_of_imported_tables_have_the_class_of_cnps_where_a_higher_one_is_there(command: Command) -> None:
    text = TABLES.read_text().replace('"Ethernet0|0-2": {"profile": "egress', '"Ethernet0|5-7": {"profile": "egress')
    Path("more.json").write_text(text)
    command("init", "roce", "star", "--from", "more.json", "--port", "Ethernet0")
    table = tomllib.loads(Path("roce_star.toml").read_text())
    assert [one["priority"] for one in table["class"]][-2:] == [6, 7]
    assert table["transport"]["roce"]["control_priority"] == 6
    Path("more.json").write_text(text.replace('"48": "6"', '"48": "7"'))
    command("init", "roce", "star", "--from", "more.json", "--port", "Ethernet0", "--out", "seven.toml")
    assert tomllib.loads(Path("seven.toml").read_text())["transport"]["roce"]["control_priority"] == 7


def test_memory_of_imported_tables_is_for_all_ports_of_a_switch(command: Command) -> None:
    """The tables have three ports, and a leaf twelve: 5/6 of 80,000 B of headroom, 4608 B of reserve each."""
    command("init", "roce", "--from", ROOT / "examples" / "sonic" / "leaf" / "config_db.json")
    assert f'total = "{8_986_176 + 12 * 4608 + 12 * 80_000 * 5 // 6 + (256 << 10)}B"' in Path("roce.toml").read_text()
    assert command("check", "roce.toml").status == 0


def test_tables_of_a_switch_go_with_queue_pairs(command: Command) -> None:
    assert command("init", "tcp", "--from", TABLES).err.startswith("tcp: does not go with lossless switches; ")
    assert command("init", "roce", "fabric", "--from", TABLES, "--port", "Ethernet0").err == (
        "fabric: has crossbars for switches, and the tables are of a shared memory; expected another topology\n"
    )
    assert command("init", "plan", "--from", TABLES).err == "plan: is no part of a scenario; expected it alone\n"
    assert command("init", "--port", "Ethernet0").err == "--port: is of tables; expected --from FILE, too\n"
    assert command("init", "--uplink", "Ethernet0").err == "--uplink: is of tables; expected --from FILE, too\n"
    assert command("init", "roce", "star", "--from", TABLES, "--uplink", "Ethernet4").err == (
        "--uplink Ethernet4: the topology has no fabric_link; expected leaf_spine, clos3 or fat_tree, or no --uplink\n"
    )
    assert command("init", "roce", "--from", TABLES, TABLES).err == (
        f"{TABLES}: is a file; each file has a --from of its own; expected --from {TABLES}\n"
    )


def test_tables_without_a_lossless_class_give_roce_that_repairs_losses(command: Command) -> None:
    text = TABLES.read_text().replace('"pfc_enable": "3,4", ', "")
    Path("lossy.json").write_text(text)
    assert command("init", "roce", "star", "--from", "lossy.json", "--out", "lossy.toml").status == 0
    told = " ".join(Path("lossy.toml").read_text().replace("#", "").split())
    assert "PORT_QOS_MAP has no pfc_enable for Ethernet0" in told
    assert "of its classes 3 is the first whose queue marks, by WRED_PROFILE|AZURE_LOSSLESS" in told
    scenario = tomllib.loads(Path("lossy.toml").read_text())
    assert scenario["transport"]["roce"]["recovery"] == {"kind": "selective_repeat", "window": "100kB"}
    assert [one["priority"] for one in scenario["workload"]] == [3]
    assert "pfc" not in scenario
    assert "pfc" not in scenario["switch"][0]
    assert not any(one.get("lossless") for one in scenario["class"])
    assert command("check", "lossy.toml").status == 0
    assert command("run", "lossy.toml").status == 0


def test_the_plan_holds_and_can_be_exported(command: Command) -> None:
    assert command("init", "plan") == Outcome(0, "plan.toml written; compute it: xoff plan plan.toml\n", "")
    outcome = command("plan", "plan.toml", "--simulate")
    assert outcome.status == 0
    assert "\nEvery check holds.\n" in outcome.out
    assert "Simulated: nothing was lost" in outcome.out
    assert command("export", "plan.toml", "--format", "sonic").status == 0


def test_the_plan_has_room_for_the_headers_of_roce(command: Command) -> None:
    """4096 B of data, and of headers 40 for IPv6, 8 for UDP, 12 + 16 + 4 for RoCE, 4 for its check sequence."""
    command("init", "plan")
    assert tomllib.loads(Path("plan.toml").read_text())["mtu"] == "4200B"


def test_what_the_plan_suggests_may_be_taken_up(command: Command) -> None:
    command("init", "plan")
    text, suggestions = re.subn(r"^# (?=\w+ = )", "", Path("plan.toml").read_text(), flags=re.MULTILINE)
    assert suggestions >= 3
    Path("plan.toml").write_text(text)
    assert command("plan", "plan.toml").status == 0


def test_unknown_and_doubled_kinds_are_refused(command: Command) -> None:
    assert command("init", "ring").err.startswith(
        "ring: no such topology, transport or workload; expected some of leaf_spine"
    )
    assert "; did you mean roce? expected" in command("init", "lossless").err
    assert command("init", "plan", "star").err == "plan: is no part of a scenario; expected it alone\n"
    assert "; did you mean ultra_ethernet? expected" in command("init", "uet").err
    assert command("init", "roce", "constant_rate").err == (
        "constant_rate: is not for roce: it has a transport of its own; expected another, or tcp\n"
    )
    assert command("init", "ultra_ethernet", "fabric").err == (
        "fabric: is not for ultra_ethernet: crossbars trim nothing, and their links with credits keep packets in "
        "order; expected another, or roce or tcp\n"
    )
    assert "; did you mean dumbbell? expected" in command("init", "dumbell").err
    assert command("init", "star", "custom").err.startswith("custom: star is of the same sort; expected one of")
    assert command("init", "incast", "incast").err == "incast: stands twice; expected each kind once\n"


def test_a_folder_that_does_not_exist_is_named(command: Command) -> None:
    outcome = command("init", "--out", "none/x.toml")
    assert outcome == Outcome(
        2, "", "none/x.toml: --out: cannot write: no such file or directory; choose another with --out\n"
    )


@pytest.mark.parametrize("topology", ["leaf_spine", "clos3", "fat_tree"])
def test_links_between_switches_are_as_an_uplink(command: Command, topology: str) -> None:
    tables = json.loads(TABLES.read_text(encoding="utf-8"))
    two_rates(tables)
    Path("two.json").write_text(json.dumps(tables), encoding="utf-8")
    ports = ("--port", "Ethernet0", "--uplink", "Ethernet8")
    assert command("init", "roce", topology, "--from", "two.json", *ports, "--out", "two.toml").status == 0
    checked = command("check", "two.toml")
    assert (checked.status, checked.err) == (0, "")
    printed = command("topology", "two.toml", "leaf0", "--json").out
    assert {port["rate_bps"] // 10**9 for port in json.loads(printed)} == ({400} if topology == "clos3" else {100, 400})
