"""Speeds that no port has."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.ethernet import ETHERNET_MBPS, nearest_rates
from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.finding import Place
    from xoff.switches.lint.tables import Tables


def speed_of_no_ethernet(tables: Tables) -> Iterator[Fault]:
    """Speeds of ports, or of rows of the lookup table, that Ethernet does not have: a digit may be missing."""
    ports: dict[int, list[str]] = defaultdict(list)
    for port, row in tables.config.port.items():
        if row.speed not in ETHERNET_MBPS:
            ports[row.speed].append(port)
    for speed, its in ports.items():
        yield _fault(tables.place("PORT", its[0], "speed"), speed, f"{several(its)}: ")
    for looked_up in tables.lookup.rows if tables.lookup else ():
        if looked_up[1].speed not in ETHERNET_MBPS:
            yield _fault(tables.place_of_row(looked_up, "speed"), looked_up[1].speed, "")


def _fault(place: Place, speed: int, of: str) -> Fault:
    physics = f"{of}no Ethernet has {speed / 1000:g} Gb/s, and no port comes up with it; next to it are "
    return Fault(
        Severity.WARNING, place, f"{physics}{nearest_rates(speed)}", "a speed of IEEE 802.3 in Mb/s, such as 100000"
    )
