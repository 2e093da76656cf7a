"""Fields that SONiC does not know."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def unknown_field(tables: Tables) -> Iterator[Fault]:
    """Fields of buffers and WRED that SONiC's models do not have, such as misspelt ones or ECN on a pool."""
    config = tables.config
    for table, rows in (
        ("BUFFER_POOL", config.buffer_pool),
        ("BUFFER_PROFILE", config.buffer_profile),
        ("BUFFER_PG", config.buffer_pg),
        ("BUFFER_QUEUE", config.buffer_queue),
        ("WRED_PROFILE", config.wred_profile),
    ):
        for key, row in rows.items():
            for name in row.model_extra or {}:
                nearest = get_close_matches(name, type(row).model_fields, n=1)
                remedy = f"did you mean {nearest[0]}?" if nearest else "remove it"
                place = tables.place(table, key, name)
                yield Fault(Severity.WARNING, place, f"{table} has no such field, so that nothing follows", remedy)
