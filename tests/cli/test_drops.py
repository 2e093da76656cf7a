"""`xoff drops`, and the rows that it tells of."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import xoff
from conftest import Outcome
from xoff.explain.drops import title
from xoff.results import columns

Command = Callable[..., Outcome]
RECORDED = 'observe.drops={ every = "change" }'


@pytest.fixture
def run(command: Command, small_file: Path) -> Path:
    less = ("--set", "switch.total=20kB", "--set", "switch.marking.queue.threshold=5kB")
    command("run", small_file, *less, "--set", RECORDED, "--out", "out", "--report")
    return Path("out")


def test_every_drop_is_a_row(run: Path) -> None:
    result = xoff.Result.open(run)
    assert result.drops is not None
    assert result.drops.schema == columns.DROPS
    packets, rows = result.summary["packets"], result.drops.to_pylist()
    kinds = Counter(row["kind"] for row in rows)
    assert kinds == {"data": packets["dropped"]}
    reasons = {"threshold": packets["dropped_threshold"], "pool_full": packets["dropped_pool_full"]}
    assert Counter(row["reason"] for row in rows) == {reason: count for reason, count in reasons.items() if count}
    assert {row["port"] for row in rows} == {"switch0.port0"}
    for row in rows:
        full = row["held_bytes"] + row["frame_bytes"] > row["limit_bytes"]
        assert row["held_bytes"] >= row["limit_bytes"] if row["reason"] == "threshold" else full, row
    finished = {(row["source"], row["number"]) for row in result.flows.to_pylist()}
    assert {(row["source"], row["number"]) for row in rows} <= finished


def test_places_and_flows_are_printed(command: Command, run: Path) -> None:
    outcome = command("drops", run)
    assert (outcome.status, outcome.err) == (0, "")
    dropped = xoff.Result.open(run).summary["packets"]["dropped"]
    assert f"Drops: {dropped:,} packets, {dropped:,} of them data" in outcome.out
    assert "│ switch0.port0 │        0 │ at the threshold │" in outcome.out
    assert "Flows that lost most: host" in outcome.out


def test_the_packets_of_a_flow_are_printed(command: Command, run: Path) -> None:
    drops = xoff.Result.open(run).drops
    assert drops is not None
    first = drops.to_pylist()[0]
    flow = f"{first['source']}.flow{first['number']}"
    out = command("drops", run, "--flow", flow).out
    assert f"packets of {flow}" in out
    assert f"{first['time_ns'] / 1000:,.3f} us │ data from byte {first['sequence']:,}" in out


def test_one_packet_is_one(run: Path) -> None:
    drops = xoff.Result.open(run).drops
    assert drops is not None
    assert title(drops.slice(0, 1)) == "Drops: 1 packet, 1 of them data"


def test_the_same_as_data(command: Command, run: Path) -> None:
    data = json.loads(command("drops", run, "--json").out)
    dropped = xoff.Result.open(run).summary["packets"]["dropped"]
    assert data["packets"] == sum(place["packets"] for place in data["places"]) == dropped
    assert data["packets"] == sum(flow["packets"] for flow in data["flows"])
    assert {place["port"] for place in data["places"]} == {"switch0.port0"}
    most = data["flows"][0]
    of_flow = json.loads(command("drops", run, "--flow", most["flow"], "--json").out)
    assert (of_flow["flow"], len(of_flow["packets"])) == (most["flow"], most["packets"])


def test_the_report_has_the_table(run: Path) -> None:
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "of them data</h3>" in page
    assert "<td>switch0.port0</td><td>0</td><td>at the threshold</td>" in page


def test_a_run_without_drops_says_so_whether_they_were_recorded_or_not(command: Command, small_file: Path) -> None:
    command("run", small_file, "--set", RECORDED, "--out", "none", "--report")
    command("run", small_file, "--out", "unrecorded")
    for folder in ("none", "unrecorded"):
        assert command("drops", folder) == Outcome(0, "Nothing was dropped\n", "")
        data = json.loads(command("drops", folder, "--json").out)
        assert data == {"packets": 0, "places": [], "flows": []}
    assert "of them data</h3>" not in Path("none/report.html").read_text(encoding="utf-8")


def test_a_run_whose_drops_were_elsewhere_says_so(command: Command, run: Path, small_file: Path) -> None:
    less = (run / "scenario.toml").read_text(encoding="utf-8")
    Path("elsewhere.toml").write_text(less, encoding="utf-8")
    command("run", "elsewhere.toml", "--set", 'observe.drops.of=["host*"]', "--out", "elsewhere")
    assert command("drops", "elsewhere").out == "No packet was dropped at the ports whose drops were recorded\n"


def test_what_cannot_be_told_is_refused_in_a_line(command: Command, run: Path, small_file: Path) -> None:
    refusal = "nothing: RESULT: is no result folder; expected one that xoff run has written\n"
    assert command("drops", "nothing") == Outcome(2, "", refusal)
    refusal = "out: --flow: there is no flow host9.flow1; expected a name such as "
    assert command("drops", run, "--flow", "host9.flow1").err.startswith(refusal)
    result = xoff.Result.open(run)
    assert result.drops is not None
    finished, unlucky = (columns.flow_names(rows).to_pylist() for rows in (result.flow_rows, result.drops))
    lucky = min({*finished} - {*unlucky})
    refusal = f"out: --flow: {lucky} lost nothing at the ports whose drops were recorded\n"
    assert command("drops", run, "--flow", lucky) == Outcome(2, "", refusal)
    command("run", run / "scenario.toml", "--set", "observe.drops=", "--out", "small")
    refusal = (
        'small: drops: not every drop was recorded; observe.drops = { every = "change" } in the scenario records them\n'
    )
    assert command("drops", "small") == Outcome(2, "", refusal)
