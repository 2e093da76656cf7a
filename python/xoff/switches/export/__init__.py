"""Settings of a plan, or of a scenario's switch, as configuration: one file per format, and its limits in words."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xoff.scenario.scenario import Scenario
    from xoff.switches.export.export import Export
    from xoff.switches.plan.outcome import Outcome
    from xoff.switches.plan.settings import Settings


class Format(StrEnum):
    """Format of configuration: the name of a module here and of its writer."""

    SONIC = "sonic"
    EOS = "eos"
    NXOS = "nxos"
    NVUE = "nvue"
    HOST = "host"

    def write_plan(self, found: Outcome, file: str | None) -> Export:
        """Returns the configuration of a plan. Raises PlanError where there is nothing to write."""
        from xoff.errors import PlanError
        from xoff.switches.plan.mmus import check_shared
        from xoff.switches.plan.switch import Switch

        try:
            check_shared(Switch.of(found.plan))
        except PlanError as error:
            raise error.in_file(file) from None
        settings = found.settings
        if self is Format.HOST and settings.hosts is None:
            problem, expected = "is left out, and hosts are set by it", "expected a table [congestion] with its scheme"
            raise PlanError(file, "congestion", problem, expected)
        return self.write(settings)

    def write_scenario(
        self, scenario: Scenario, switch: str | None, chip: str | None, dscps: Mapping[int, int] | None
    ) -> Export:
        """Returns the configuration of one of a scenario's switches: see `of_scenario.settings_of`."""
        from xoff.errors import ScenarioError
        from xoff.switches.export.of_scenario import settings_of

        settings, notes = settings_of(scenario, switch, chip, dscps)
        if self is Format.HOST and settings.hosts is None:
            problem = "of no workload is one that hosts are set to, or of several that differ"
            raise ScenarioError(scenario.file, "transport", f"congestion_control {problem}", "expected one")
        written = self.write(settings)
        return replace(written, notes=(*notes, *written.notes))

    def write(self, settings: Settings) -> Export:
        """Returns the configuration."""
        from xoff.switches.export.cnps import with_cnps

        module = import_module(f"{__name__}.{self}")  # now: SONiC's brings pydantic, which other commands do not need
        settings, notes = with_cnps(settings)
        written: Export = getattr(module, self)(settings)
        return replace(written, notes=(*notes, *written.notes))
