"""Ramps that end before they begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import COLOURS
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def maximum_below_minimum(tables: Tables) -> Iterator[Fault]:
    """A maximum threshold below the minimum: SONiC's models refuse it."""
    for name, wred in tables.config.wred_profile.items():
        for colour in COLOURS:
            minimum, maximum = (getattr(wred, f"{colour}_{end}_threshold") for end in ("min", "max"))
            if minimum is not None and maximum is not None and maximum < minimum:
                yield Fault(
                    Severity.ERROR,
                    tables.place("WRED_PROFILE", name, f"{colour}_max_threshold"),
                    f"{bytes_text(minimum - maximum)} below {colour}_min_threshold = {minimum}: the ramp would end "
                    "before it begins",
                    f"at least {minimum}",
                )
