"""The report: one self-contained page about one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from xoff import drops, table
from xoff.report import figures

if TYPE_CHECKING:
    from xoff.result import Result


_MOST_PLACES = 20


def render(result: Result) -> str:
    """The page as HTML; it loads nothing from anywhere."""
    environment = Environment(
        loader=PackageLoader("xoff.report", "."),
        autoescape=select_autoescape(["html", "jinja"]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    summary = result.summary
    return environment.get_template("report.html.jinja").render(
        result=result,
        summary=summary,
        pathologies=table.pathologies(summary),
        cards=table.cards(summary),
        classes=table.class_rows(summary),
        workloads=table.workload_rows(summary),
        columns=table.COLUMNS,
        counters=table.counters(summary),
        dropped=_drops(result),
        drop_columns=table.DROP_HEADINGS,
        figures=figures.all_of(result),
        provenance=result.provenance,
    )


def _drops(result: Result) -> tuple[str, list[list[str]]] | None:
    if result.drops is None or not result.drops.num_rows:
        return None
    found = drops.places(result.drops)
    left_out = f" (the {_MOST_PLACES} of {len(found):,} rows with most)" if len(found) > _MOST_PLACES else ""
    return drops.title(result.drops) + left_out, table.drop_rows(found[:_MOST_PLACES])
