"""Settings of a plan as configuration of switches and hosts: one file per format; what one cannot express, in words."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xoff.export.export import Export
    from xoff.plan.outcome import Outcome
    from xoff.plan.settings import Settings


class Format(StrEnum):
    """What is configured: the name of a module here and of its writer."""

    SONIC = "sonic"
    EOS = "eos"
    NXOS = "nxos"
    NVUE = "nvue"
    HOST = "host"

    def write_plan(self, found: Outcome, file: str | None) -> Export:
        """The configuration of a plan. Raises PlanError where there is nothing to write."""
        from xoff.errors import PlanError
        from xoff.plan.mmus import check_shared
        from xoff.plan.switch import Switch

        try:
            check_shared(Switch.of(found.plan))
        except PlanError as error:
            raise PlanError(file, error.key, error.problem, error.expected) from None
        settings = found.settings
        if self is Format.HOST and settings.hosts is None:
            problem, expected = "is left out, and hosts are set by it", "expected a table [congestion] with its scheme"
            raise PlanError(file, "congestion", problem, expected)
        return self.write(settings)

    def write(self, settings: Settings) -> Export:
        """The configuration."""
        from xoff.export.cnps import with_cnps

        module = import_module(f"{__name__}.{self}")  # now: SONiC's brings pydantic, which other commands do not need
        settings, notes = with_cnps(settings)
        written: Export = getattr(module, self)(settings)
        return replace(written, notes=(*notes, *written.notes))
