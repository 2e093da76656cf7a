"""A plan as notebooks show it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from xoff.text import html

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from xoff.switches.plan.rows import Row


def plan_html(title: str, sections: Mapping[str, Sequence[Row]]) -> str:
    """Title, and a table for each section of a plan."""
    words, numbers = ("quantity",), ("value", "formula", "source", "verdict")
    tables = (
        f"<p>{escape(name)}</p>"
        + html.table(
            words, numbers, [[row.quantity, row.shown, row.formula, row.source, row.judgement] for row in rows]
        )
        for name, rows in sections.items()
    )
    return f"<b>{escape(title)}</b>{''.join(tables)}"
