"""The report: one self-contained page about one run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape

from xoff.explain import drops, pathologies, why
from xoff.report import exploring, figures, told
from xoff.results import table
from xoff.results.summary import CLASSES
from xoff.text.units import duration, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.results.result import Result


_MOST_ROWS = 20
_SLOWEST = 10
_SLOWEST_HEADINGS = ("flow", "to", "size", "start", "FCT", "slowdown", "timeouts")


def pages(package: str) -> Environment:
    """Returns an environment for templates of pages in a package; they can include `style.css` of the report."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package, "."), PackageLoader("xoff.report", ".")]),
        autoescape=select_autoescape(["html", "jinja"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render(result: Result) -> str:
    """Returns the page about a result as HTML, which loads no other file."""
    summary = result.summary
    drawn = figures.all_of(result)
    return (
        pages("xoff.report")
        .get_template("report.html.jinja")
        .render(
            result=result,
            summary=summary,
            pathologies=pathologies.lines(summary),
            happened=told.happened(result),
            reasons=told.reasons(result),
            cards=table.cards(summary),
            measured_time=table.measured_time(summary),
            classes=[
                (name, cells) for name, cells in table.class_rows(summary) if name == CLASSES[0] or cells[0] != "0"
            ],
            workloads=table.workload_rows(summary),
            columns=table.COLUMNS,
            counters=table.counters(summary),
            tables=_tables(result),
            figures=drawn,
            script=exploring.script()
            if any(figure.explored for figure in (*drawn.happened, *drawn.over_time))
            else None,
            provenance=result.provenance,
            command=shlex.join(result.provenance["command"]),
        )
    )


class _Table(NamedTuple):
    """A table of the page, besides that of size classes."""

    title: str
    headings: Sequence[str]
    rows: list[list[str]]


def _tables(result: Result) -> dict[str, list[_Table]]:
    """Returns the tables of slow flows, watchdogs and drops, and of collectives and jobs, each if it has rows."""
    summary = result.summary
    numbers = [
        _Table("Collectives", table.COLLECTIVE_HEADINGS, table.collective_rows(summary)),
        _Table("Jobs", table.JOB_HEADINGS, table.job_rows(summary)),
    ]
    causes = [
        _Table("Slowest flows (xoff why says what they waited for)", _SLOWEST_HEADINGS, _slowest_rows(result)),
        _shortened("PFC watchdog", pathologies.WATCHDOG_HEADINGS, pathologies.watchdog_rows(summary)),
    ]
    if result.drops is not None and result.drops.num_rows:
        places = drops.drop_rows(drops.places(result.drops))
        causes.append(_shortened(drops.title(result.drops), drops.DROP_HEADINGS, places))
    return {
        "why": [one for one in causes if one.rows],
        "numbers": [one for one in numbers if one.rows],
    }


def _slowest_rows(result: Result) -> list[list[str]]:
    flows = why.rows_of(result, why.slowest(result, _SLOWEST))
    return [
        [
            flow,
            row["destination"],
            size(row["size_bytes"]),
            duration(row["start_ns"] / 1000),
            duration(row["fct_ns"] / 1000),
            f"{row['slowdown']:.3g}",
            f"{row['timeouts']:,}",
        ]
        for flow, row in flows.items()
    ]


def _shortened(title: str, headings: Sequence[str], rows: list[list[str]]) -> _Table:
    left_out = f" (the {_MOST_ROWS} of {len(rows):,} rows with most)" if len(rows) > _MOST_ROWS else ""
    return _Table(title + left_out, headings, rows[:_MOST_ROWS])
