"""A damaged or missing file of a result folder is told in a line."""

import json
import re
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import xoff
from conftest import Outcome
from xoff.errors import ResultError, ResultWarning
from xoff.report import render
from xoff.results import checksums
from xoff.results.columns import SERIES

Command = Callable[..., Outcome]
Damage = Callable[[Path], object]

# A run that leaves every file there is.
WHOLE = """
title = "Whole"
class = [{ priority = 0 }, { priority = 1, lossless = true }]
topology = { kind = "star", hosts = 4, host_link = { rate = "10Gbps", delay = "1us" } }
switch = [{ total = "150kB", pfc = { xoff = { policy = "static_threshold", threshold = "10kB" } } }]
stop.at = "1ms"

[transport.rdma]
kind = "roce"
control_priority = 1

[transport.reno]
kind = "tcp"
congestion_control = { algorithm = "reno" }

[[workload]]
kind = "trace"
transport = "rdma"
file = "flows.csv"

[[workload]]
kind = "query"
transport = "reno"
response = "1kB"
queries = 2
every = "10us"

[[workload]]
kind = "collective"
transport = "rdma"
operation = "all_reduce"
algorithm = "ring"
size = "4kB"
iterations = 1
priority = 1

[[workload]]
kind = "long_lived"
transport = "reno"
pairs = [["host1", "host0"], ["host2", "host0"], ["host3", "host0"]]
start = "400us"

[observe]
pauses = true
headroom = true
drops = { every = "change" }
queues = { every = "10us" }
"""
TRACE = "source,destination,size_bytes,start_ns,priority\n" + "".join(
    f"host{sender},host0,100000,0,1\n" for sender in (1, 2, 3)
)
FILES = (
    "collectives.parquet",
    "drops.parquet",
    "flows.parquet",
    "headroom.parquet",
    "inputs/flows.csv",
    "off_times.parquet",
    "pause_flows.parquet",
    "pauses.parquet",
    "ports.parquet",
    "provenance.json",
    "queries.parquet",
    "scenario.toml",
    "series.parquet",
    "summary.json",
    "unfinished.parquet",
)


def halve(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Damage] = {
    "deleted": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "half": halve,
    "garbage": lambda path: path.write_bytes(b"\xff\x00garbage\n" * 20),
    "other text": lambda path: path.write_text("garbage\n", encoding="utf-8"),
    "other table": lambda path: pq.write_table(pa.table({"other": [1, 2]}), path),
    "folder": make_folder,
}

NOT_DAMAGED = {
    ("summary.json", "deleted"),  # no result folder
    ("series.parquet", "deleted"),  # nothing was sampled
}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A result folder with every file."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "flows.csv").write_text(TRACE, encoding="utf-8")
    (folder / "whole.toml").write_text(WHOLE, encoding="utf-8")
    return xoff.Scenario.load(folder / "whole.toml").run().save(folder / "out")


@pytest.fixture
def folder(saved: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged, without checksums, of which nothing but a note comes."""
    return shutil.copytree(saved, tmp_path / "out", ignore=shutil.ignore_patterns(checksums.FILE))


def test_there_is_every_file(saved: Path) -> None:
    there = [path.relative_to(saved).as_posix() for path in sorted(saved.rglob("*")) if path.is_file()]
    assert there == sorted((*FILES, checksums.FILE))
    render(xoff.Result.open(saved))


@pytest.mark.parametrize(
    ("name", "damage"), [case for case in product(FILES, DAMAGES) if case not in NOT_DAMAGED], ids="-".join
)
def test_a_damaged_file_is_named(name: str, damage: str, folder: Path) -> None:
    DAMAGES[damage](folder / name)
    with pytest.raises(ResultError, match=r"expected what xoff run has written; name another folder, or") as refused:
        xoff.Result.open(folder)
    named = {str(folder / name)} | ({str(folder / "scenario.toml")} if name.startswith("inputs/") else set())
    assert refused.value.file in named
    assert Path(name).name in str(refused.value)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schema_version": 99}, "schema_version: is 99, and this xoff reads 1"),
        ({"scenario_digest": "0"}, "is not the scenario that was run, or inputs/flows.csv is not what it was"),
    ],
)
def test_a_summary_of_something_else_is_refused(change: dict[str, object], says: str, folder: Path) -> None:
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    (folder / "summary.json").write_text(json.dumps(summary | change), encoding="utf-8")
    with pytest.raises(ResultError, match=says):
        xoff.Result.open(folder)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("summary.json", ("engine",)),
        ("summary.json", ("flows", "all", "fct_p99_us")),
        ("summary.json", ("collectives", 0, "ranks")),
        ("provenance.json", ("versions",)),
    ],
)
def test_a_key_that_is_missing_is_named_with_its_file(name: str, path: tuple[str | int, ...], folder: Path) -> None:
    document = json.loads((folder / name).read_text(encoding="utf-8"))
    table = document
    for part in path[:-1]:
        table = table[part]
    del table[path[-1]]
    (folder / name).write_text(json.dumps(document), encoding="utf-8")
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    with pytest.raises(ResultError) as refused:
        render(xoff.Result.open(folder))
    assert (refused.value.file, refused.value.key) == (str(folder / name), key)


@pytest.mark.parametrize(
    ("path", "value", "kind"),
    [
        (("flows", "all", "fct_mean_us"), float("nan"), "number"),
        (("flows", "all", "count"), "x", "number"),
        (("collectives", 0, "bus_bandwidth_mean_gbps"), [1.0], "number"),
        (("size_classes_bytes", 1), "1MB", "number"),
        (("flows", "small"), None, "table"),
        (("workloads",), 3, "list"),
    ],
)
def test_what_is_of_another_kind_is_named_with_its_file(
    path: tuple[str | int, ...], value: object, kind: str, folder: Path
) -> None:
    document = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    table = document
    for part in path[:-1]:
        table = table[part]
    table[path[-1]] = value
    (folder / "summary.json").write_text(json.dumps(document), encoding="utf-8")
    key = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
    with pytest.raises(ResultError, match=rf"summary\.json: {re.escape(key)}: is no {kind}; expected what xoff run"):
        xoff.Comparison.open([folder])


@pytest.mark.parametrize(
    ("key", "value"),
    [("command", [1]), ("command", "xoff"), ("versions", []), ("machine", None), ("input_files", 3)],
)
def test_a_provenance_of_another_kind_is_named_with_its_file(key: str, value: object, folder: Path) -> None:
    file = folder / "provenance.json"
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | {key: value}), encoding="utf-8")
    with pytest.raises(ResultError) as refused:
        xoff.Result.open(folder)
    assert (refused.value.file, refused.value.key) == (str(file), key)


@pytest.mark.parametrize("path", ["flows.started", "flows.unfinished", "flows.all.count", "queries.finished", "end_ns"])
@pytest.mark.parametrize("read", [xoff.Result.open, lambda folder: xoff.Comparison.open([folder])])
def test_a_count_that_is_null_is_missing(path: str, read: Callable[[Path], object], folder: Path) -> None:
    document = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    *above, last = path.split(".")
    table = document
    for part in above:
        table = table[part]
    table[last] = None
    (folder / "summary.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ResultError, match=rf"summary\.json: {re.escape(path)}: is missing; expected what xoff run"):
        read(folder)


@pytest.mark.parametrize("name", ["flows.parquet", "unfinished.parquet"])
@pytest.mark.parametrize("read", [xoff.Result.open, lambda folder: xoff.Comparison.open([folder])])
def test_flows_of_another_run_are_refused(name: str, read: Callable[[Path], object], folder: Path) -> None:
    flows = pq.read_table(folder / name)
    pq.write_table(flows.slice(1), folder / name)
    rows = f"it has {flows.num_rows - 1} rows?, and the summary counts {flows.num_rows};"
    with pytest.raises(ResultError, match=rf"{name}: is of another run: {rows} expected what xoff run has written"):
        read(folder)


def test_bytes_that_have_changed_are_noticed(folder: Path) -> None:
    path = folder / "series.parquet"
    content = bytearray(path.read_bytes())
    values = pq.read_metadata(path).row_group(0).column(SERIES.get_field_index("value"))
    content[values.data_page_offset + values.total_compressed_size - 1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ResultError, match=r"series\.parquet: is damaged: "):
        xoff.Result.open(folder)


@pytest.mark.parametrize(
    "arguments", [("report",), ("pauses",), ("pauses", "--victim", "host1"), ("drops",), ("plot", "pauses")]
)
def test_commands_tell_it_in_a_line(arguments: tuple[str, ...], command: Command, saved: Path) -> None:
    shutil.copytree(saved, "out")
    Path("out/pause_flows.parquet").unlink()
    outcome = command(arguments[0], "out", *arguments[1:])
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("out/pause_flows.parquet: cannot read: no such file or directory; expected what xoff")
    assert outcome.err.count("\n") == 1


def test_samples_that_are_not_there_are_told_with_their_file(command: Command, saved: Path) -> None:
    shutil.copytree(saved, "out")
    Path("out/series.parquet").unlink()
    outcome = command("plot", "out", "queues")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == (
        "Note: out: no longer as xoff wrote it (series.parquet); it may not tell what was run\n"
        "out: queues: observe.queues recorded nothing; there is no series.parquet\n"
    )


def test_a_number_that_was_edited_is_read_with_a_note(saved: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(saved, tmp_path / "out")  # a copy is as good
    assert xoff.Result.open(folder).digest == xoff.Result.open(saved).digest
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    (folder / "summary.json").write_text(json.dumps(summary | {"title": "Mine"}), encoding="utf-8")
    with pytest.warns(ResultWarning, match=r"out: no longer as xoff wrote it \(summary\.json\)"):
        assert xoff.Result.open(folder).summary["title"] == "Mine"
    with pytest.warns(ResultWarning, match="out: no longer as xoff wrote it"):
        xoff.Comparison.open([folder])


def test_figures_and_reports_are_no_edit(command: Command, saved: Path) -> None:
    shutil.copytree(saved, "out")
    for arguments in (("plot", "out", "fct_cdf"), ("report", "out"), ("pauses", "out")):
        outcome = command(*arguments)
        assert (outcome.status, outcome.err) == (0, "")


@pytest.mark.parametrize("name", ["summary.json", "flows.parquet"])
def test_a_kept_run_that_is_damaged_runs_again(name: str, command: Command, small_file: Path) -> None:
    compare = ("compare", small_file, small_file, "--json")
    first = command(*compare)
    [kept] = Path("results/runs").iterdir()
    halve(kept / name)
    again = command(*compare)
    assert (again.status, again.out) == (0, first.out)
    told = f"1 kept run is no longer as xoff wrote it, and runs again: {kept.name} ({name})"
    assert again.err == f"Note: results/runs: {told}\n"
    assert command(*compare).err == "2 of 2 runs are kept from before\n"
