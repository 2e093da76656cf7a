"""Flows that share a port."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from xoff import _xoff
from xoff.results.columns import flow_names

if TYPE_CHECKING:
    from xoff.results.result import Result

_COLUMNS = ("source", "destination", "number", "priority", "transport", "size_bytes", "start_ns")
_OF_FINISHED = ("finish_ns", "fct_ns", "slowdown")


def flows_over(result: Result, port: str) -> pa.Table:
    """Returns the flows whose data may have left by a port, as packets are routed when the run begins.

    With ECMP, these are the flows whose path has the port; with load balancing, all flows that it may send there. Rows
    are in the order of start, with `flow` (`host0.flow3`) and some columns of `flows.parquet`. Unfinished flows have no
    `finish_ns`, `fct_ns` and `slowdown`.

    Raises ScenarioError if there is no such port.
    """
    finished = result.flow_rows.select([*_COLUMNS, *_OF_FINISHED])
    tables = [_plain(finished)]
    if result.unfinished is not None:
        tables.append(_plain(result.unfinished.select(_COLUMNS)))
    flows = pa.concat_tables(tables, promote_options="default")
    asked = [flows[name].to_pylist() for name in ("source", "destination", "transport", "number")]
    crosses = _xoff.Scenario(result.scenario).crosses(result.inputs, port, list(zip(*asked, strict=True)))
    found = flows.filter(pa.array(crosses, pa.bool_())).sort_by("start_ns")
    return found.drop_columns(["number"]).add_column(0, "flow", flow_names(found))


def _plain(flows: pa.Table) -> pa.Table:
    """Returns a table with names as text in place of dictionary indices, which differ between tables."""
    return pa.table(
        {
            name: column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            for name, column in zip(flows.column_names, flows.columns, strict=True)
        }
    )
