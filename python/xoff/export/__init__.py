"""Settings of a plan as configuration of switches and hosts: one file per format; what one cannot express, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.export.eos import eos
from xoff.export.host import host
from xoff.export.nvue import nvue
from xoff.export.nxos import nxos
from xoff.export.sonic import sonic

if TYPE_CHECKING:
    from collections.abc import Callable

    from xoff.export.export import Export
    from xoff.plan.settings import Settings

FORMATS: dict[str, Callable[[Settings], Export]] = {
    writer.__name__: writer for writer in (sonic, eos, nxos, nvue, host)
}
"""By the name that `xoff export --format` takes."""
