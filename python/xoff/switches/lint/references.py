"""Names of rows of other tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, get_args

from xoff.switches.sonic import ConfigDb
from xoff.switches.sonic.config_db import Row
from xoff.switches.sonic.fields import RowOf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


class Reference(NamedTuple):
    """A field that names a row."""

    table: str
    key: str
    field: str
    target: str
    """The table of the row that is named."""
    name: str


def references(tables: Tables) -> Iterator[Reference]:
    """Returns all names of rows, whether the rows are there or not."""
    for table, field, target in _FIELDS:
        for key, row in getattr(tables.config, table.lower()).items():
            value = getattr(row, field)
            for name in value if isinstance(value, tuple) else (value,):
                if name and name != "NULL":
                    yield Reference(table, key, field, target, name)


def _fields() -> Iterator[tuple[str, str, str]]:
    for table, rows in ConfigDb.model_fields.items():
        row = get_args(rows.annotation)[1]
        for name, field in row.model_fields.items() if isinstance(row, type) and issubclass(row, Row) else ():
            yield from ((table.upper(), name, of.table) for of in field.metadata if isinstance(of, RowOf))


_FIELDS = tuple(_fields())
"""Table, field, and the table of the rows that it names."""
