"""ECN that marks with probability 0."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import COLOURS, ramps
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def wred_without_probability(tables: Tables) -> Iterator[Fault]:
    """ECN whose ramp rises to 0 %: between its thresholds no packet is marked."""
    for name, wred in tables.config.wred_profile.items():
        silent = [ramp for ramp in ramps(wred) if ramp.marks and not ramp.probability and ramp.minimum < ramp.maximum]
        for ramp in silent:
            yield Fault(
                Severity.ERROR if ramp.colour == COLOURS[0] else Severity.NOTE,
                tables.place("WRED_PROFILE", name, f"{ramp.colour}_drop_probability"),
                f"from {bytes_text(ramp.minimum)} to {bytes_text(ramp.maximum)} no {ramp.colour} packet is marked: "
                "the probability rises from 0 to 0 %, and senders hear of nothing",
                f"{ramp.colour}_drop_probability of at least 1",
            )
