"""Trimming of packets that have no room, where the profile of a lossy queue asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.importing.part import Setting
from xoff.switches.importing.port import CLASSES, classes, size
from xoff.switches.lint.tables import several
from xoff.switches.lint.trimming import size_of_headers, trims

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.importing.port import Port


def trimming(port: Port) -> Iterator[Setting]:
    """Yields the settings of trimming; none where no packets are trimmed, or where a scenario cannot have it."""
    trimmed = trimmed_classes(port)
    if trimmed and not _why_left_out(port):
        profiles = several(port.queues[one].profile_name for one in trimmed)
        where = f"SWITCH_TRIMMING|GLOBAL; BUFFER_PROFILE|{profiles}|packet_discard_action"
        value = {"size": size(size_of_headers(port.tables)), "priority": port.queue_of_headers}
        yield Setting("trimming", value, where)


def trimming_notes(port: Port) -> Iterator[str]:
    """Yields notes on trimming that the scenario has otherwise than the switch."""
    trimmed = trimmed_classes(port)
    if not trimmed:
        return
    if why := _why_left_out(port):
        yield f"trimming is left out: {why}"
        return
    yield (
        "packet_discard_action trim is for whatever has no room in a queue, and what has no more than "
        f"{size_of_headers(port.tables)} B goes on whole; a scenario trims larger data packets of RoCE with selective "
        "repeat, and drops all others"
    )
    if others := [one for one in port.lossy if one not in (*trimmed, port.queue_of_headers)]:
        yield f"a scenario trims in all lossy classes, and the switch not in {classes(others)}"


def trimmed_classes(port: Port) -> list[int]:
    """Lossy classes whose packets are trimmed."""
    return [one for one in port.lossy if one in port.queues and trims(port.queues[one])]


def _why_left_out(port: Port) -> str:
    """Says why a scenario cannot have this trimming; empty where it can."""
    queue = port.queue_of_headers
    if queue is None:
        return "nothing says into which queue headers go (trimming_unset)"
    if queue not in CLASSES:
        return f"headers go into queue {queue}, and a scenario has classes up to {CLASSES[-1]}"
    if queue not in port.lossy:
        return f"headers go into queue {queue}, which is lossless, and not in a scenario (headers_paused)"
    return "" if size_of_headers(port.tables) else "nothing is left of packets (size)"
