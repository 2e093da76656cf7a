"""A result as notebooks show it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from xoff.results import table
from xoff.text import html

if TYPE_CHECKING:
    from xoff.results.result import Result


def result_html(result: Result) -> str:
    """Title, the table of size classes, and one line of counters."""
    summary = result.summary
    heading = escape(summary["title"]) + (" (interrupted)" if result.interrupted else "")
    headings = [column.heading for column in table.COLUMNS]
    rows = [[name, *cells] for name, cells in (*table.class_rows(summary), *table.workload_rows(summary))]
    notes = " · ".join(f"{card.label} {card.value} ({card.note})" for card in table.cards(summary)[3:])
    return f"<b>{heading}</b>, seed {summary['seed']}{html.table([''], headings, rows)}<small>{notes}</small>"
