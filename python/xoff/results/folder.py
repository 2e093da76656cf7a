"""The result folder: its files, writing it and reading it back."""

from __future__ import annotations

import warnings
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from xoff import facade
from xoff.errors import ResultWarning
from xoff.results import checksums, columns, folder_files
from xoff.results.staging import Staging
from xoff.results.summary import SCHEMA_VERSION
from xoff.scenario import inputs
from xoff.text import json_text, toml_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xoff.results.columns import FlowRows
    from xoff.results.result import Result
    from xoff.results.summary import Summary

SUMMARY = "summary.json"
FLOWS = "flows.parquet"
UNFINISHED = "unfinished.parquet"
QUERIES = "queries.parquet"
COLLECTIVES = "collectives.parquet"
JOB_FLOWS = "job_flows.parquet"
PORTS = "ports.parquet"
SERIES = "series.parquet"
DROPS = "drops.parquet"
PACKETS = "packets.parquet"
PAUSES = "pauses.parquet"
PAUSE_FLOWS = "pause_flows.parquet"
HEADROOM = "headroom.parquet"
OFF_TIMES = "off_times.parquet"
SCENARIO = "scenario.toml"
PROVENANCE = "provenance.json"
REPORT = "report.html"

_TABLES = {
    "flow_rows": (FLOWS, columns.FLOWS),
    "unfinished": (UNFINISHED, columns.UNFINISHED),
    "queries": (QUERIES, columns.QUERIES),
    "collectives": (COLLECTIVES, columns.COLLECTIVES),
    "job_flows": (JOB_FLOWS, columns.JOB_FLOWS),
    "ports": (PORTS, columns.PORTS),
    "series": (SERIES, columns.SERIES),
    "drops": (DROPS, columns.DROPS),
    "packets": (PACKETS, columns.PACKETS),
    "pauses": (PAUSES, columns.PAUSES),
    "pause_flows": (PAUSE_FLOWS, columns.PAUSE_FLOWS),
    "headroom": (HEADROOM, columns.HEADROOM),
    "off_times": (OFF_TIMES, columns.OFF_TIMES),
}
"""File and schema of each table, by the attribute of `Result` that holds it."""

ROW_GROUP = 1 << 16
"""Number of rows that are made and written at a time."""


def prepare(out: str | Path | None, name: str, *, force: bool = False) -> Staging:
    """Begins the folder of a result: `out`, or by default a new numbered one, `results/NAME-001`.

    Raises OutputError if it cannot be written or `out` exists; `force` lets an earlier result folder be replaced.
    """
    return Staging.chosen(out, name, force=force, replaces=is_result)


def is_result(path: Path) -> bool:
    """Whether a result folder, or an empty one, is at `path`."""
    return path.is_dir() and ((path / SUMMARY).is_file() or not any(path.iterdir()))


def commit(result: Result, staging: Staging, *, report: bool = False) -> Path:
    """Writes a result into its folder, gives the folder its name, and returns its path. Raises OutputError."""
    add(result, staging, ".", report=report)
    return staging.commit()


def add(result: Result, staging: Staging, inside: str, *, report: bool = False) -> None:
    """Writes a result into a folder inside a staged one. Raises OutputError."""
    with staging.writing():
        (staging.path / inside).mkdir(exist_ok=True)
        write(result, staging.path / inside, report=report)


def write(result: Result, path: Path, *, report: bool = False) -> None:
    """Writes the files of a result into an existing folder."""
    json_text.write(path / SUMMARY, result.summary)
    json_text.write(path / PROVENANCE, result.provenance)
    write_scenario(path, result.scenario, result.inputs)
    written = [SUMMARY, PROVENANCE, SCENARIO, *result.inputs]
    for attribute, (name, _) in _TABLES.items():
        table = getattr(result, attribute)
        if table is not None:
            _write_table(path / name, table)
            written.append(name)
    checksums.write(path, written)
    if report:
        (path / REPORT).write_text(facade.report(result), encoding="utf-8")


def write_scenario(path: Path, scenario: str, named: Mapping[str, str]) -> None:
    """Writes a scenario, and the files it names, into an existing folder."""
    (path / SCENARIO).write_text(scenario, encoding="utf-8")
    for name, text in named.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")


def read(path: str | Path) -> Result:
    """Reads a result folder, and warns if it was edited.

    Raises FileNotFoundError if there is none, ResultError if it is damaged or another's.
    """
    from xoff.results.result import Result

    path = Path(path)
    summary = read_summary(path)
    scenario, named = read_scenario(path, summary)
    written, rows = _written(summary, toml_text.parse(scenario)["observe"]), _rows(summary)
    tables = {
        attribute: folder_files.table(path / name, schema, rows.get(name))
        if name in written or (path / name).exists()
        else None
        for attribute, (name, schema) in _TABLES.items()
    }
    provenance = folder_files.document(path / PROVENANCE)
    folder_files.check_provenance(path / PROVENANCE, provenance)
    warn_if_edited(path)
    return Result(summary=summary, scenario=scenario, provenance=provenance, inputs=named, **tables)


def edited(path: Path) -> list[str]:
    """Returns the names of the files of a result folder that are not as xoff wrote them, figures and report aside."""
    return checksums.changed(path, (name for name, _ in _TABLES.values()))


def warn_if_edited(path: Path) -> None:
    """Warns, with a ResultWarning, of files that are not as xoff wrote them; of older folders nothing is known."""
    names = edited(path) if checksums.are_there(path) else []
    if names:
        told = f"{path}: no longer as xoff wrote it ({', '.join(names)}); it may not tell what was run"
        warnings.warn(told, ResultWarning, stacklevel=4)


def tables_of(result: Result) -> dict[str, pa.Table]:
    """Returns the tables that a result has, by the names of their files without ending."""
    found = {name.removesuffix(".parquet"): getattr(result, attribute) for attribute, (name, _) in _TABLES.items()}
    found[FLOWS.removesuffix(".parquet")] = result.flows
    return {name: table for name, table in found.items() if table is not None}


def read_scenario(path: Path, summary: Summary) -> tuple[str, dict[str, str]]:
    """Returns the scenario of a result folder, and the text of its input files.

    Raises ResultError if they are not those of the run.
    """
    scenario, named = folder_files.scenario(path / SCENARIO)
    if inputs.digest(scenario, named) != summary["scenario_digest"]:
        or_files = f", or {' or '.join(named)} is not what it was" if named else ""
        raise folder_files.refusal(path / SCENARIO, f"is not the scenario that was run{or_files}")
    return scenario, named


def flow_table(path: Path, summary: Summary, names: Sequence[str], file: str = FLOWS) -> pa.Table:
    """Returns some columns of `flows.parquet`, or of `unfinished.parquet`. Raises ResultError."""
    [schema] = (schema for name, schema in _TABLES.values() if name == file)
    chosen = pa.schema([schema.field(name) for name in names])
    return folder_files.table(path / file, chosen, _rows(summary)[file]).select(chosen.names)


def _rows(summary: Summary) -> dict[str, int]:
    """Returns the number of rows that each table of flows must have."""
    flows = summary["flows"]
    finished = flows["started"] - flows["unfinished"] - flows.get("without_row", 0)
    return {FLOWS: finished, UNFINISHED: flows["unfinished"]}


def _written(summary: Summary, observe: dict[str, Any]) -> set[str]:
    """Returns the tables that a run must have left by its summary and its `observe`; samples are not among them."""
    was_written = {
        FLOWS: True,
        PORTS: True,
        UNFINISHED: summary["flows"].get("unfinished_goodput_max_gbps") is not None,
        QUERIES: summary.get("queries", {}).get("finished", 0) > 0,
        COLLECTIVES: any(one["finished"] for one in summary.get("collectives", [])),
        DROPS: observe.get("drops", {}).get("every") == "change",
        PACKETS: bool(observe.get("packets")),
        PAUSES: observe["pauses"],
        PAUSE_FLOWS: observe["pauses"],
        HEADROOM: observe["headroom"],
        OFF_TIMES: observe["headroom"],
    }
    return {name for name, is_there in was_written.items() if is_there}


def read_summary(path: Path) -> Summary:
    """Returns the summary of a result folder, `summary.json`.

    Raises FileNotFoundError if there is none, ResultError if it is damaged or another's.
    """
    file = path / SUMMARY
    if not folder_files.is_there(file):
        raise FileNotFoundError(ENOENT, "no result of xoff; expected a folder that xoff run has written", str(file))
    found = folder_files.document(file)
    if "schema_version" not in found or "digest" not in found:
        raise folder_files.refusal(file, "is no summary of a run")
    if found["schema_version"] != SCHEMA_VERSION:
        problem = f"is {found['schema_version']}, and this xoff reads {SCHEMA_VERSION}"
        raise folder_files.refusal(file, problem, "schema_version")
    folder_files.check_summary(file, found)
    return found


def _write_table(path: Path, table: pa.Table | FlowRows) -> None:
    """Writes a table; whole numbers are stored as differences, a third smaller than Parquet's own choice."""
    whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    named = [field.name for field in table.schema if pa.types.is_dictionary(field.type)]
    differences = dict.fromkeys(whole, "DELTA_BINARY_PACKED")
    with pq.ParquetWriter(
        path,
        table.schema,
        compression="zstd",
        use_dictionary=named,
        column_encoding=differences,
        write_page_checksum=True,
    ) as writer:
        for batch in table.to_batches(max_chunksize=ROW_GROUP):
            writer.write_batch(batch)
