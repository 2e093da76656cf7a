"""Headers of a length that helps nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.ethernet import HEADER_AND_CHECK_BYTES
from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.physics import ROCE_HEADER_BYTES
from xoff.switches.lint.trimming import settings
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables

_LARGEST_MTU = 9216
"""Of ports whose row has none."""


def trimming_size(tables: Tables) -> Iterator[Fault]:
    """A size that leaves less than the header of a RoCE packet, or that no packet exceeds."""
    row = settings(tables)
    if row is None or row.size is None:
        return
    mtu = max((port.mtu or _LARGEST_MTU for port in tables.config.port.values()), default=_LARGEST_MTU)
    place = tables.place("SWITCH_TRIMMING", "GLOBAL", "size")
    if row.size < ROCE_HEADER_BYTES:
        yield Fault(
            Severity.ERROR,
            place,
            f"below the {ROCE_HEADER_BYTES} B of a RoCE header (Ethernet, IPv4, UDP, BTH): receivers cannot tell what "
            "they have lost",
            f"size of at least {ROCE_HEADER_BYTES}, and of what the chip takes",
        )
    elif row.size >= mtu + HEADER_AND_CHECK_BYTES:
        yield Fault(
            Severity.ERROR,
            place,
            f"no packet is larger, with an mtu of {bytes_text(mtu)} and {HEADER_AND_CHECK_BYTES} B of Ethernet: "
            "nothing is trimmed, and what has no room goes whole into the queue of headers",
            "size of a header, such as 128, SAI's own, and of what the chip takes",
        )
