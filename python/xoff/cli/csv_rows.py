"""`xoff csv`: a table of a result as CSV, for spreadsheets and scripts without Parquet."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from xoff.cli.files import check_free
from xoff.cli.options import FILE
from xoff.cli.results import opened
from xoff.cli.terminal import say
from xoff.errors import InputError, OutputError
from xoff.results.whole_file import written_whole
from xoff.text.units import counted

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa


@click.command("csv")
@click.argument("folder", type=FILE, metavar="RESULT", help="A result folder.")
@click.argument("table", required=False, metavar="[TABLE]", help="flows, ports, series, ...; left out, what there is.")
@click.option("--out", type=FILE, metavar="FILE", help="Write it there; left out, print it.")
@click.option("--force", is_flag=True, help="Replace the file that --out names.")
def csv_rows(folder: Path, table: str | None, out: Path | None, force: bool) -> None:
    """Print a table of a result as CSV: a row per flow, port, sample, drop or pause.

    The columns are those of the Parquet file of the same name, which is smaller and keeps the types.
    """
    from xoff.results.folder import tables_of

    tables = tables_of(opened(folder))
    if table is None:
        for name, rows in tables.items():
            say(f"{name:12} {counted(rows.num_rows, 'row')}")
        return
    if table not in tables:
        raise InputError(str(folder), table, "is no table of this result", f"expected one of {', '.join(tables)}")
    if out is None:
        _write(tables[table], sys.stdout.buffer)
        return
    check_free(out, "--out", force=force)
    try:
        with written_whole(out) as beside:
            _write(tables[table], beside)
    except OSError as error:
        message = f"{out}: --out: cannot write here: {(error.strerror or str(error)).lower()}; choose another file"
        raise OutputError(message) from None


def _write(table: pa.Table, to: object) -> None:
    """Writes a table with a heading; names stand as text, and what is unknown as nothing."""
    import pyarrow as pa
    from pyarrow import csv

    plain = pa.schema(
        [field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field for field in table.schema]
    )
    csv.write_csv(table.cast(plain), to)
