"""Packet trimming: what of a scenario's is to be written, and what is said where it is not.

Which sizes chips take is in no model of SONiC (uint32 in sonic-trimming.yang): Broadcom's take 206 B and queue 7 alone
(sonic-net/sonic-mgmt #20505), Spectrum's 256 to 1024 B (manual of Cumulus Linux, Packet Trimming).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.plan.settings import Trimming
from xoff.switches.scenario_values import TRIMMING_PRIORITY, TRIMMING_SIZE
from xoff.switches.trimmed_classes import trimmable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xoff.scenario.scenario import Scenario
    from xoff.switches.plan.settings import Settings
    from xoff.switches.scenario_values import Said

SPECTRUM_BYTES = range(256, 1024 + 1, 4)
"""Sizes in bytes to which Spectrum can trim."""


class Found(NamedTuple):
    """Trimming to write, and notes on it."""

    trimming: Trimming | None
    notes: tuple[str, ...]


def trimming_of(scenario: Scenario, said: Said, lossy: Iterable[int]) -> Found:
    """Returns the trimming of a scenario's switch; of its lossy classes, only those with data that is trimmed."""
    size, priority = said.values.get(TRIMMING_SIZE), said.values.get(TRIMMING_PRIORITY)
    if size is None or priority is None:
        return Found(None, ())
    classes, beside = trimmable(scenario, lossy)
    if not classes:
        nothing = "no lossy class has data of RoCE with selective repeat, and nothing else is trimmed"
        return Found(None, (f"trimming is left out: {nothing}",))
    return Found(Trimming(int(size), int(priority), classes, beside), ())


def dscp_of_headers(settings: Settings, trimming: Trimming) -> int:
    """Returns the DSCP of the class of trimmed headers, so that the next switch puts them there, too."""
    return next(one.dscp for one in settings.classes if one.priority == trimming.priority)


def spectrum_bytes(trimming: Trimming) -> int:
    """Returns the least size of Spectrum that is not smaller than the trimmed size, or the largest."""
    return next((size for size in SPECTRUM_BYTES if size >= trimming.size_bytes), SPECTRUM_BYTES[-1])


def written_notes(settings: Settings) -> list[str]:
    """Returns notes on the classes and transports whose packets are trimmed."""
    trimming = settings.trimming
    if trimming is None:
        return []
    classes = ", ".join(map(str, trimming.classes))
    notes = [
        f"trimmed are lossy classes with data of RoCE with selective repeat ({classes}), and all else in their queues, "
        "too"
    ]
    if trimming.beside:
        notes.append(
            f"such is data of {', '.join(trimming.beside)}, whose receivers know nothing of headers, and which in the "
            "scenario is dropped: it needs a class of its own"
        )
    return notes


def left_out_notes(settings: Settings, why: str) -> list[str]:
    """Returns a note that trimming is not written, with the reason."""
    if settings.trimming is None:
        return []
    told = f"headers of {settings.trimming.size_bytes} B in class {settings.trimming.priority}"
    return [f"trimming ({told}) is left out, and packets that have no room are dropped whole: {why}"]
