"""Jobs: flows that wait for one another, from the file to tables."""

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import SCENARIOS, Outcome
from xoff.results import folder

Command = Callable[..., Outcome]
JOB = "flow,source,destination,size_bytes,priority,after,delay_ns\n"
SCENARIO = """\
title = "job"
topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us" } }
transport.roce = { kind = "roce", connections = "persistent" }
workload = [{ kind = "job", transport = "roce", file = "job.csv" }]
"""


def written(folder: Path, rows: str) -> Path:
    (folder / "job.csv").write_text(JOB + rows, encoding="utf-8")
    path = folder / "job.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


def test_a_job_is_told_with_what_it_computes(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, "there,host0,host1,10000,0,,20000\nback,host1,host0,10000,0,there,30000\n")
    out = command("run", path, "--out", "told", "--report").out
    assert "Job:     workload[0], 2 flows, complete in 73.1 us" in out
    assert "its longest chain computes 50.0 us" in out
    assert "<th>longest chain of computing</th>" in Path("told/report.html").read_text(encoding="utf-8")
    [job] = json.loads(Path("told/summary.json").read_text(encoding="utf-8"))["jobs"]
    assert (job["flows"], job["started"], job["finished"], job["computing_us"]) == (2, 2, 2, 50.0)
    cut = command("run", path, "--set", "stop.at=40us").out
    assert "Job:     workload[0], 2 flows, 1 whole; its longest" in cut


def test_jobs_are_compared_and_swept(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, "there,host0,host1,10000,0,,20000\n")
    other = tmp_path / "slower.toml"
    other.write_text(SCENARIO.replace("10Gbps", "1Gbps"), encoding="utf-8")
    compared = command("compare", path, other).out
    assert "workload[0], job" in compared
    swept = command("sweep", path, "--sweep", "topology.host_link.rate=1Gbps,10Gbps").out
    assert "jobs[0] completion" in swept


def test_a_file_of_a_job_is_refused_by_its_line(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, "there,host0,host1,10000,0,bck,20000\nback,host1,host0,10000,0,there,30000\n")
    outcome = command("check", path)
    assert (outcome.status, outcome.out) == (2, "")
    assert 'line 2: after: there is no flow "bck"; did you mean "back"? expected names of flows' in outcome.err


@pytest.mark.parametrize("rate", ["100Gbps", "200Gbps"])
def test_no_pipeline_is_faster_than_it_computes(command: Command, rate: str) -> None:
    command("run", SCENARIOS / "pipeline.toml", "--set", f"topology.host_link.rate={rate}", "--out", "pipeline")
    [job] = json.loads(Path("pipeline/summary.json").read_text(encoding="utf-8"))["jobs"]
    assert job["completion_us"] > job["computing_us"] == 3300


def test_a_job_that_computes_is_told_and_followed(command: Command, tmp_path: Path) -> None:
    rows = (
        "forward,host0,,,,,0,20000,0",
        "gradient,host0,,,,forward,0,30000,0",
        "there,host0,host1,10000,0,gradient,0,,",
        "here,host1,host1,500,,there,0,,",
        "next,host1,,,,here,0,40000,1",
    )
    path = written(tmp_path, "")
    (tmp_path / "job.csv").write_text("\n".join((JOB.strip() + ",compute_ns,stream", *rows)), encoding="utf-8")
    out = command("run", path, "--out", "told").out
    assert "Job:     workload[0], 1 flows and 4 computations, complete in 101." in out
    assert "its longest chain computes 90.0 us" in out
    [job] = json.loads(Path("told/summary.json").read_text(encoding="utf-8"))["jobs"]
    assert (job["flows"], job["finished"], job["computations"], job["computed"]) == (1, 1, 4, 4)
    why = command("why", "told", "--job", "0").out
    assert "1 flows of which each waited for the one before" in why
    assert "90.0 us of" in why
    table = pq.read_table("told/job_flows.parquet").to_pylist()
    assert [row["stream"] for row in table] == [0, 0, None, None, 1]
    assert [row["waited_for"] for row in table] == [None, "forward", "gradient", "there", "here"]
    assert [row["number"] for row in table] == [None, None, 0, None, None]


def test_a_job_that_only_computes_has_no_flow_to_follow(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, "")
    (tmp_path / "job.csv").write_text(f"{JOB.strip()},compute_ns,stream\none,host0,,,,,0,500,\n", encoding="utf-8")
    command("run", path, "--out", "alone")
    assert "the job waits for no flow" in command("why", "alone", "--job", "0").err


def test_a_result_of_before_streams_is_read(command: Command, tmp_path: Path) -> None:
    command("run", written(tmp_path, "there,host0,host1,10000,0,,20000\n"), "--out", "older")
    file = Path("older/job_flows.parquet")
    pq.write_table(pq.read_table(file).drop_columns(["stream"]), file)
    Path("older/checksums.json").unlink(missing_ok=True)
    table = folder.read("older").job_flows
    assert table is not None
    assert table["stream"].to_pylist() == [None]
