"""The result folder: what is written where, and reading it back."""

from __future__ import annotations

import json
from errno import ENOENT
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from xoff import json_text
from xoff.errors import ResultError
from xoff.staging import Staging, unwritable

if TYPE_CHECKING:
    from xoff.columns import FlowRows
    from xoff.result import Result
    from xoff.summary import Summary

SUMMARY = "summary.json"
FLOWS = "flows.parquet"
UNFINISHED = "unfinished.parquet"
QUERIES = "queries.parquet"
COLLECTIVES = "collectives.parquet"
SERIES = "series.parquet"
DROPS = "drops.parquet"
PAUSES = "pauses.parquet"
PAUSE_FLOWS = "pause_flows.parquet"
HEADROOM = "headroom.parquet"
OFF_TIMES = "off_times.parquet"
SCENARIO = "scenario.toml"
PROVENANCE = "provenance.json"
REPORT = "report.html"

_REMEDY = "expected what xoff run has written; run the scenario again, or name another folder"

ROW_GROUP = 1 << 16
"""Rows that are made and written at a time."""


def prepare(out: str | Path | None, name: str, *, force: bool = False) -> Staging:
    """A place for a result: the folder `out`, or by default a new numbered one, `results/NAME-001`.

    Raises OutputError if it cannot be written or `out` exists; `force` lets an earlier result folder be replaced.
    """
    return Staging.chosen(out, name, force=force, replaces=is_result)


def is_result(path: Path) -> bool:
    """Whether a result folder, or an empty one, is at `path`."""
    return path.is_dir() and ((path / SUMMARY).is_file() or not any(path.iterdir()))


def commit(result: Result, staging: Staging, *, report: bool = True) -> Path:
    """Writes a result to its place and gives the folder its name, which is returned. Raises OutputError."""
    add(result, staging, ".", report=report)
    return staging.commit()


def add(result: Result, staging: Staging, inside: str, *, report: bool = False) -> None:
    """Writes a result into a folder inside a place for results. Raises OutputError."""
    try:
        (staging.path / inside).mkdir(exist_ok=True)
        write(result, staging.path / inside, report=report)
    except OSError as error:
        raise unwritable(staging.path.parent, error) from None


def write(result: Result, path: Path, *, report: bool = True) -> None:
    """Writes the files of a result into an existing folder."""
    json_text.write(path / SUMMARY, result.summary)
    json_text.write(path / PROVENANCE, result.provenance)
    (path / SCENARIO).write_text(result.scenario, encoding="utf-8")
    tables = {
        FLOWS: result.flow_rows,
        UNFINISHED: result.unfinished,
        QUERIES: result.queries,
        COLLECTIVES: result.collectives,
        SERIES: result.series,
        DROPS: result.drops,
        PAUSES: result.pauses,
        PAUSE_FLOWS: result.pause_flows,
        HEADROOM: result.headroom,
        OFF_TIMES: result.off_times,
    }
    for name, table in tables.items():
        if table is not None:
            _write_table(path / name, table)
    for name, text in result.inputs.items():
        (path / name).parent.mkdir(exist_ok=True)
        (path / name).write_text(text, encoding="utf-8")
    if report:
        from xoff.report import render  # brings Matplotlib and Jinja

        (path / REPORT).write_text(render(result), encoding="utf-8")


def read(path: str | Path) -> Result:
    """Reads a result folder. Raises FileNotFoundError if there is none, ResultError if it is damaged or another's."""
    from xoff.result import Result

    path = Path(path)
    summary = read_summary(path)
    if "schema_version" not in summary or "digest" not in summary:
        raise ResultError(str(path / SUMMARY), "", "is no summary of a run", _REMEDY)
    return Result(
        summary=summary,
        flow_rows=_read_table(path / FLOWS),
        unfinished=_optional(path / UNFINISHED),
        queries=_optional(path / QUERIES),
        collectives=_optional(path / COLLECTIVES),
        series=_optional(path / SERIES),
        drops=_optional(path / DROPS),
        pauses=_optional(path / PAUSES),
        pause_flows=_optional(path / PAUSE_FLOWS),
        headroom=_optional(path / HEADROOM),
        off_times=_optional(path / OFF_TIMES),
        scenario=(path / SCENARIO).read_text(encoding="utf-8"),
        provenance=_read_json(path / PROVENANCE),
        inputs={f"inputs/{file.name}": file.read_text(encoding="utf-8") for file in path.glob("inputs/*")},
    )


def _optional(path: Path) -> pa.Table | None:
    return _read_table(path) if path.exists() else None


def read_summary(path: Path) -> Summary:
    """What `summary.json` of a result folder holds.

    Raises FileNotFoundError if there is none, ResultError if it is damaged.
    """
    return _read_json(path / SUMMARY)


def _read_json(path: Path) -> dict[str, Any]:
    if not path.exists():
        raise FileNotFoundError(ENOENT, "no result of xoff; " + _REMEDY, str(path))
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of JSON, or of UTF-8
        raise ResultError(str(path), "", f"is damaged: {error}", _REMEDY) from None
    if not isinstance(found, dict):
        raise ResultError(str(path), "", "is no table", _REMEDY)
    return found


def _read_table(path: Path) -> pa.Table:
    try:
        return pq.read_table(path).unify_dictionaries()  # each row group has its own
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise
        raise ResultError(str(path), "", f"is damaged: {error}", _REMEDY) from None


def _write_table(path: Path, table: pa.Table | FlowRows) -> None:
    """Whole numbers as differences, most of which are small: a third less than Parquet's own choice."""
    whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    named = [field.name for field in table.schema if pa.types.is_dictionary(field.type)]
    differences = dict.fromkeys(whole, "DELTA_BINARY_PACKED")
    options = {"compression": "zstd", "use_dictionary": named, "column_encoding": differences}
    with pq.ParquetWriter(path, table.schema, **options) as writer:
        for batch in table.to_batches(max_chunksize=ROW_GROUP):
            writer.write_batch(batch)
