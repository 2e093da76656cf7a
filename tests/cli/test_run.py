"""`xoff run`: what is printed, what is written, what is refused."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import xoff
from conftest import PERMUTATION, SCENARIOS, Outcome
from xoff.results.table import loss

Command = Callable[..., Outcome]


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_results_are_numbered(command: Command, small_file: Path) -> None:
    for number in ("001", "002"):
        outcome = command("run", small_file)
        assert outcome.status == 0
        assert f"Results: results/small-{number}\n" in outcome.out
        assert outcome.err == ""
    assert names(Path("results")) == ["small-001", "small-002"]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("", r"Skipped: \d\d\.\d% of .* in \d+ skips? \(fast-forward; results are approximate\)"),
        (
            "slow_receiver = [{ hosts = ['host3'], rate = '1Gbps' }]",
            r"Skipped: nothing, because \[\[slow_receiver\]\] .*",
        ),
    ],
)
def test_the_table_says_what_was_skipped(command: Command, more: str, line: str) -> None:
    Path("long.toml").write_text(
        f"""
        engine = {{ fast_forward = {{}} }}
        topology = {{ kind = "star", hosts = 4, host_link = {{ rate = "100Gbps", delay = "1us" }} }}
        transport.tcp = {{ kind = "tcp", congestion_control = {{ algorithm = "dctcp" }} }}
        workload = [{{ kind = "long_lived", transport = "tcp", pairs = [["host0", "host1"]], size = "40MB" }}]
        {more}
        """,
        encoding="utf-8",
    )
    outcome = command("run", "long.toml")
    assert outcome.status == 0
    assert re.search(f"^{line}$", outcome.out, re.MULTILINE), outcome.out
    assert re.search("^Digest:  ~", outcome.out, re.MULTILINE)


@pytest.mark.parametrize("hosts", [4097, pytest.param(100_000, marks=pytest.mark.nightly)])
def test_a_star_of_any_size_runs(command: Command, hosts: int) -> None:
    Path("star.toml").write_text(
        f"""
        topology = {{ kind = "star", hosts = {hosts}, host_link = {{ rate = "100Gbps", delay = "1us" }} }}
        switch = [{{ total = "40MB" }}]
        transport.tcp = {{ kind = "tcp", congestion_control = {{ algorithm = "reno" }} }}
        workload = [{{ kind = "incast", transport = "tcp", fan_in = 2, size = "1kB", groups = 1 }}]
        """,
        encoding="utf-8",
    )
    outcome = command("run", "star.toml", "--json")
    assert outcome.status == 0
    assert json.loads(outcome.out)["flows"]["all"]["count"] == 2


def test_standard_input_names_files_relative_to_the_working_directory(command: Command) -> None:
    Path("trace.csv").write_text((SCENARIOS / "trace.csv").read_text(encoding="utf-8"), encoding="utf-8")
    run = [sys.executable, "-m", "xoff", "run", "-", "--out", "out"]
    with (SCENARIOS / "trace.toml").open(encoding="utf-8") as text:
        subprocess.run(run, stdin=text, check=True, capture_output=True)
    assert xoff.Result.open("out").flows.num_rows == 8
    assert command("check", "-").err.startswith("-: cannot read: no such file or directory; standard input is ")


def test_the_table_names_every_class(command: Command, small_file: Path) -> None:
    out = command("run", small_file).out
    for part in ("Small, seed 3", "small, below 100 KiB", "medium, below 10 MiB", "large, from 10 MiB", "packet-hops"):
        assert part in out
    assert "Report:  `xoff report results/small-001` draws it" in out


def test_several_workloads_are_told_apart(command: Command, small_file: Path) -> None:
    assert "workload[0]" not in command("run", small_file).out
    small_file.write_text(small_file.read_text(encoding="utf-8") + PERMUTATION, encoding="utf-8")
    out = command("run", small_file, "--out", "out", "--report").out
    assert "│ workload[0], incast      │    20 │" in out
    assert "│ workload[1], permutation │     4 │" in out
    incast, permutation = json.loads(Path("out/summary.json").read_text())["workloads"]
    assert (incast["kind"], incast["count"], permutation["count"]) == ("incast", 20, 4)
    flows = xoff.Result.open("out").flows.to_pylist()
    assert {(row["workload"], row["size_bytes"]) for row in flows} == {(0, 50_000), (1, 1_000_000)}
    assert "<td>workload[1], permutation</td>" in Path("out/report.html").read_text(encoding="utf-8")


def test_what_is_measured_is_told_if_it_is_not_the_whole_run(command: Command, small_file: Path) -> None:
    assert "Measured" not in command("run", small_file).out
    of_some = ("--set", "workload[0].groups=4", "--set", "workload[0].every=50us", "--set", "measure.start=75us")
    assert "Measured from 75.0 us to " in command("run", small_file, *of_some).out
    found = json.loads(command("run", small_file, *of_some, "--set", "measure.end=125us", "--json").out)
    assert (found["measured"]["start_ns"], found["measured"]["end_ns"]) == (75_000, 125_000)
    flows = xoff.Result.open("results/small-003").flows
    measured = [row["start_ns"] for row in flows.to_pylist() if row["measured"]]
    assert found["flows"]["all"]["count"] == len(measured) == flows.num_rows / 4
    assert set(measured) == {100_000}


def test_json_is_the_summary_and_nothing_else(command: Command, small_file: Path) -> None:
    outcome = command("run", small_file, "--json", "--out", "out")
    assert json.loads(outcome.out) == json.loads(Path("out/summary.json").read_text())
    assert outcome.err == ""
    assert names(Path("out")) == [
        "checksums.json",
        "flows.parquet",
        "ports.parquet",
        "provenance.json",
        "scenario.toml",
        "series.parquet",
        "summary.json",
    ]


def test_set_and_seed_change_the_scenario(command: Command, small_file: Path) -> None:
    outcome = command("run", small_file, "--json", "--seed", 9, "--set", "workload.fan_in=3", "--set", "title=other")
    summary = json.loads(outcome.out)
    assert (summary["seed"], summary["title"]) == (9, "other")
    assert summary["flows"]["all"]["count"] == 30


def test_drops_are_told_with_their_reasons(command: Command, small_file: Path) -> None:
    reno = "transport.dctcp.congestion_control.algorithm=reno"
    out = " ".join(command("run", small_file, "--out", "out", "--set", reno).out.split())
    packets = json.loads(Path("out/summary.json").read_text())["packets"]
    dropped = packets["dropped_not_ecn_capable"]
    assert packets["dropped"] == dropped > 0
    assert re.search(rf"{dropped:,} dropped \(loss [0-9.]+ %: {dropped:,} not ECN-capable\), ", out)
    every = {key: 1 for key in packets if key.startswith("dropped_")}
    told = loss({"loss_rate": 0.5, "packets": every})
    assert told.startswith("50 %: 1 at the threshold, 1 pool full, ")
    assert told.count(", ") == len(every) - 1


def test_a_run_that_is_too_long_says_that_it_was_cut_off(command: Command) -> None:
    text = """
        topology = { kind = "star", hosts = 2, host_link = { rate = "1kbps", delay = "0s" } }
        transport.slow = { kind = "constant_rate" }
        workload = [{ kind = "permutation", transport = "slow", size = "SIZE" }]
        switch = [{ total = "9MB" }]
    """
    for size, says in (("100kB", False), ("400kB", True)):
        Path("slow.toml").write_text(text.replace("SIZE", size), encoding="utf-8")
        out = command("run", "slow.toml", "--out", size).out
        assert ("Cut off: no run is longer than 1125.9 s" in out) is says
        assert json.loads(Path(size, "summary.json").read_text())["reached_time_limit"] is says


def test_records_that_fill_their_memory_end_before_the_run(command: Command) -> None:
    text = """
        topology = { kind = "star", hosts = 3, host_link = { rate = "10Gbps", delay = "1us", error_rate = 0.9 } }
        switch = [{ total = "1MB" }]
        transport.tcp = { kind = "tcp", congestion_control = { algorithm = "reno" } }
        workload = [{ kind = "long_lived", transport = "tcp", pairs = [["host1", "host0"]], size = "15kB" }]
    """
    Path("straggler.toml").write_text(text, encoding="utf-8")
    plain = command("run", "straggler.toml", "--out", "plain")
    watched = command(
        "run", "straggler.toml", "--out", "watched", "--set", 'observe={ memory = "1MB", queues = { every = "10us" } }'
    )
    assert (plain.status, watched.status) == (0, 0)
    line = (
        "Records: until 52.1 ms of 1,125.90 s, when they had taken observe.memory; record less, end earlier (stop.at), "
        "or give them more"
    )
    assert line in " ".join(watched.out.split())
    results = [xoff.Result.open(Path(name)) for name in ("plain", "watched")]
    assert results[0].digest == results[1].digest
    assert [result.summary["recorded_until_ns"] for result in results] == [None, 52_090_000]
    assert results[1].series is not None
    assert results[1].series["time_ns"].to_numpy().max() == 52_080_000
    drawn = command("plot", "watched", "queues")
    assert "Records: until" in drawn.err


def test_an_existing_folder_is_refused_before_the_run(command: Command, small_file: Path) -> None:
    Path("out").mkdir()
    outcome = command("run", small_file, "--out", "out")
    assert outcome == Outcome(
        2, "", "out: --out: exists already; choose another folder with --out, or replace it with --force\n"
    )


def test_force_replaces_a_result(command: Command, small_file: Path) -> None:
    command("run", small_file, "--out", "out", "--report")
    assert command("run", small_file, "--out", "out", "--force").status == 0
    assert "report.html" not in names(Path("out"))


def test_force_replaces_nothing_but_results(command: Command, small_file: Path) -> None:
    Path("out").mkdir()
    Path("out/precious").touch()
    outcome = command("run", small_file, "--out", "out", "--force")
    assert outcome.status == 2
    assert outcome.err == (
        "out: --out: exists and is no result folder, so --force does not replace it; choose another folder with --out\n"
    )
    assert names(Path("out")) == ["precious"]


def test_two_threads_print_the_same_digest(command: Command, small_file: Path) -> None:
    digests = [json.loads(command("run", small_file, "--json", "--threads", n).out)["digest"] for n in (1, 2)]
    assert digests[0] == digests[1]


@pytest.fixture
def long_run(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A run that nobody waits for, which leaves its results in out, and the terminal that shows its progress."""
    arguments = ["run", str(SCENARIOS / "web_search.toml"), "--set", "stop.arrivals_end=10s", "--out", "out"]
    command = [sys.executable, "-m", "xoff", *arguments]
    terminal, stderr = pty.openpty()
    with subprocess.Popen(command, cwd=tmp_path, text=True, stdout=subprocess.PIPE, stderr=stderr) as process:
        os.close(stderr)
        yield process, terminal
        process.kill()
    os.close(terminal)


def read_until(pattern: bytes, terminal: int) -> None:
    """Reads what appears on a terminal until this has."""
    shown = b""
    while not re.search(pattern, shown):
        shown += os.read(terminal, 65536)


def test_interrupted_it_keeps_the_finished_flows_and_says_so(
    tmp_path: Path, long_run: tuple[subprocess.Popen[str], int]
) -> None:
    process, terminal = long_run
    read_until(rb"[1-9][0-9,]* flows finished", terminal)
    process.send_signal(signal.SIGINT)
    read_until(rb"interrupted: .* finished flows are kept in out\r\n", terminal)
    out, _ = process.communicate()
    assert process.returncode == 130
    assert "Results: out" in out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert summary["interrupted"]
    assert summary["flows"]["all"]["count"] > 0
    assert names(tmp_path) == ["out"]


def test_a_closed_pipe_is_no_traceback(small_file: Path) -> None:
    command = f"{sys.executable} -m xoff list | head -1"
    done = subprocess.run(command, shell=True, cwd=small_file.parent, capture_output=True, text=True, check=False)
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [["run"], ["run", "a", "b"], ["run", "a", "--threads", "0"], ["frobnicate"]])
def test_wrong_usage_exits_with_2(command: Command, arguments: list[str]) -> None:
    assert command(*arguments).status == 2


def test_cnps_are_told_where_any_were_sent(command: Command, small_file: Path) -> None:
    assert "CNPs" not in command("run", small_file).out
    out = command("run", SCENARIOS / "dcqcn.toml", "--out", "out").out
    sent = json.loads(Path("out/summary.json").read_text())["packets"]["cnps_sent"]
    assert f" marked, {sent:,} CNPs, " in out
    [line] = [line for line in out.splitlines() if line.startswith("Packets: ")]
    assert line.endswith(" Gbps")


def test_what_check_notes_a_run_notes_once(command: Command, small_file: Path) -> None:
    assert "Note:" not in command("run", small_file).out
    unmarked = ("--set", "switch.marking=")
    note = "transport.dctcp: dctcp goes by marks, and nothing marks: no switch has `marking`"
    assert command("check", small_file, *unmarked).out.splitlines()[1:] == [note]
    assert command("run", small_file, *unmarked).out.count(f"\nNote:    {note}\nResults: ") == 1
    assert "Note" not in command("run", small_file, "--json", *unmarked).out


def test_what_another_kind_leaves_out_is_noted(command: Command, small_file: Path) -> None:
    policy = "switch.buffer.policy=abm"
    note = f"switch[0].{policy.removeprefix('switch.')} leaves out what the kind before had: alpha = 2"
    alpha = ("--set", "switch.buffer.policy=dynamic_threshold", "--set", "switch.buffer.alpha=2")
    scenario = small_file.with_name("alpha.toml")
    scenario.write_text(xoff.Scenario.load(small_file, alpha[1::2]).to_toml())
    assert note in command("check", scenario, "--set", policy).out
    assert f"Note:    {note}" in command("run", scenario, "--set", policy).out
    assert "leaves out" not in command("check", scenario, *alpha[:2]).out


def test_of_many_notes_a_few_are_printed(command: Command, small_file: Path) -> None:
    late = '[[slow_receiver]]\nhosts = ["host{}"]\nrate = "1Gbps"\nstart = "2s"\n'
    all_late = "".join(late.format(host) for host in range(4))
    small_file.write_text(small_file.read_text(encoding="utf-8") + all_late, encoding="utf-8")
    out = command("run", small_file, "--set", "stop.at=1s").out
    assert out.count("Note:    slow_receiver[") == 3
    assert "\n         and 1 more, which xoff check prints\nResults: " in out


def test_a_result_beyond_its_bounds_is_kept_and_fails(command: Command, small_file: Path) -> None:
    kept = command(
        "run", small_file, "--at-most", "packets.dropped=0", "--at-least", "flows.all.count=20", "--out", "a"
    )
    assert (kept.status, kept.err) == (0, "")
    bounds = (
        "--at-most",
        "packets.marked=3",
        "--at-least",
        "flows.all.count=21",
        "--at-most",
        "flows.large.fct_p99_us=1",
    )
    broken = command("run", small_file, *bounds, "--json", "--out", "b")
    marked = json.loads(broken.out)["packets"]["marked"]
    assert broken.status == 1
    assert broken.err.splitlines() == [
        f"packets.marked: is {marked}; expected at most 3",
        "flows.large.fct_p99_us: in some run no such flow both started in the measured time and finished; "
        "expected at most 1",
        "flows.all.count: is 20; expected at least 21",
    ]
    assert (Path("b") / "summary.json").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--at-most", "loss=1"), "--at-most: `loss` is no number of summary.json; expected a key such as loss_rate"),
        (("--at-most", "loss_rate"), "--at-most loss_rate: has no limit; expected KEY=LIMIT, such as --at-most loss"),
        (("--at-least", "goodput_gbps=x2"), "goodput_gbps at least x2: there is nothing that it is so many times of"),
        (("--at-least", "goodput_gbps=2", "--seeds", 2), "--seeds: bounds are of one run; expected --at-most and --at"),
    ],
)
def test_bounds_that_say_nothing_are_refused_before_the_run(
    command: Command, small_file: Path, options: tuple[str, ...], says: str
) -> None:
    outcome = command("run", small_file, *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(says)
    assert not Path("results").exists()


def test_notes_stand_beside_the_data(command: Command, small_file: Path) -> None:
    reno = "transport.dctcp.congestion_control.algorithm=reno"
    outcome = command("run", small_file, "--set", reno, "--json")
    assert json.loads(outcome.out)["flows"]["all"]["count"] == 20
    assert outcome.err.startswith("Note: transport.dctcp: its packets are not ECN-capable")
