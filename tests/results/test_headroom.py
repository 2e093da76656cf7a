"""Recorded headroom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pytest

from xoff import Result, Scenario

if TYPE_CHECKING:
    from pathlib import Path

INCAST = """
topology = { kind = "star", hosts = 9, host_link = { rate = "100Gbps", delay = "2us" } }
class = [{ priority = 1, lossless = true }, { priority = 2, lossless = true }, { priority = 0 }]
switch = [{ total = "2MB", pfc = { xoff = { policy = "dynamic_threshold", alpha = "1/16" }, HEADROOM } }]
transport.roce = { kind = "roce", control_priority = 0 }
observe.headroom = true
[[workload]]
kind = "incast"
transport = "roce"
fan_in = 8
size = "200kB"
receivers = ["host0"]
groups = 1
priority = 1
"""


def run(headroom: str) -> Result:
    return Scenario.from_text(INCAST.replace("HEADROOM", f"headroom = {{ {headroom} }}")).run()


def test_headroom_is_recorded_where_it_is_asked_for(tmp_path: Path) -> None:
    result = run('scheme = "sih"')
    assert result.headroom is not None
    assert result.off_times is not None
    assert pc.max(result.headroom["used_bytes"]).as_py() == result.summary["pfc"]["headroom_peak_bytes"] > 0
    assert pc.max(result.headroom["queues_off"]).as_py() == 8
    durations = pc.subtract(result.off_times["end_ns"], result.off_times["xoff_ns"])
    assert pc.sum(durations).as_py() / 1000 == pytest.approx(result.summary["pfc"]["off_us"], abs=0.1)
    assert result.plot.headroom().get_xlim()[0] == 0
    again = Result.open(result.save(tmp_path / "run"))
    assert again.headroom == result.headroom
    assert again.off_times == result.off_times
    reported = result.save(tmp_path / "reported", report=True)
    assert "Headroom in use" in (reported / "report.html").read_text(encoding="utf-8")


def test_what_was_not_observed_cannot_be_drawn() -> None:
    result = Scenario.from_text(INCAST.replace("HEADROOM", "").replace("observe.headroom = true", "")).run()
    assert result.headroom is None
    with pytest.raises(ValueError, match=r"observe\.headroom = true"):
        result.plot.headroom()


def test_nobody_arrives_faster_than_the_link() -> None:
    off_times = run('scheme = "sih"').off_times
    assert off_times is not None
    for row in off_times.to_pylist():
        # The packet that asked for the pause may just have come.
        assert row["arrived_bytes"] * 8 <= (row["last_arrival_ns"] - row["xoff_ns"]) * 100


def test_dsh_loses_nothing_and_pauses_less() -> None:
    sih, dsh = run('scheme = "sih"').summary, run('scheme = "dsh"').summary
    assert sih["packets"]["dropped"] == dsh["packets"]["dropped"] == 0
    assert dsh["pfc"]["off_port_as_one_us"] < sih["pfc"]["off_us"]
