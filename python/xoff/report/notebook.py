"""How scenarios, results, comparisons and sweeps show themselves in a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from xoff.results import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xoff.results.result import Result
    from xoff.scenario.scenario import Scenario
    from xoff.studies.grids import Grid
    from xoff.switches.plan.rows import Row


def result_html(result: Result) -> str:
    """Title, the table of size classes, and one line of counters."""
    summary = result.summary
    heading = escape(summary["title"]) + (" (interrupted)" if result.interrupted else "")
    headings = [column.heading for column in table.COLUMNS]
    rows = [[name, *cells] for name, cells in (*table.class_rows(summary), *table.workload_rows(summary))]
    notes = " · ".join(f"{card.label} {card.value} ({card.note})" for card in table.cards(summary)[3:])
    return f"<b>{heading}</b>, seed {summary['seed']}{_table([''], headings, rows)}<small>{notes}</small>"


def scenario_html(scenario: Scenario) -> str:
    """Title and the resolved scenario, folded away."""
    return (
        f"<details><summary><b>{escape(scenario.title)}</b>, seed {scenario.seed}</summary>"
        f"<pre>{escape(scenario.to_toml())}</pre></details>"
    )


def plan_html(title: str, sections: Mapping[str, Sequence[Row]]) -> str:
    """Title, and a table for each section of a plan."""
    words, numbers = ("quantity",), ("value", "formula", "source", "verdict")
    tables = (
        f"<p>{escape(name)}</p>"
        + _table(words, numbers, [[row.quantity, row.shown, row.formula, row.source, row.judgement] for row in rows])
        for name, rows in sections.items()
    )
    return f"<b>{escape(title)}</b>{''.join(tables)}"


def grid_html(grid: Grid) -> str:
    """A table with its notes below."""
    rows = [row for section in grid.sections for row in section]
    notes = "<br>".join(map(escape, (grid.note, *(f"Note: {note}" for note in grid.notes))))
    return f"{_table(grid.words, grid.numbers, rows)}<small>{notes}</small>"


def _table(words: Sequence[str], numbers: Sequence[str], rows: list[list[str]]) -> str:
    """A table whose first columns, of words, are to the left."""
    headings = "".join(f"<th>{escape(heading)}</th>" for heading in (*words, *numbers))
    told = "".join(f"<tr>{_cells(row, len(words))}</tr>" for row in rows)
    return f"<table><thead><tr>{headings}</tr></thead><tbody>{told}</tbody></table>"


def _cells(row: list[str], words: int) -> str:
    left = "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row[:words])
    return left + "".join(f"<td>{escape(cell)}</td>" for cell in row[words:])
