"""Offered load of a scenario, and the time that its run will take."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff import _xoff
from xoff.text.units import counted, decimal_size

if TYPE_CHECKING:
    from collections.abc import Iterable


class Offered(NamedTuple):
    """Flows, bytes and packet-hops that the workloads of a scenario offer until it stops.

    The numbers are exact where all flows are drawn beforehand and nothing is lost. They are estimates for flows without
    end, which get their share of their hosts' links, and for queries that wait for the query before.
    """

    flows: int
    bytes: int
    """Payload of applications."""
    packet_hops: int
    """Packets times links that they cross, acknowledgements as well as data."""

    @property
    def cpu_seconds(self) -> tuple[float, float]:
        """Least and greatest time of the run on one core: with simple switches and hosts, and with elaborate ones."""
        return _xoff.cpu_seconds(self.flows, self.packet_hops)

    @classmethod
    def together(cls, loads: Iterable[Offered]) -> Offered:
        """Returns the sum over several runs."""
        return cls(*map(sum, zip(*loads, strict=True)))

    def told(self) -> str:
        """Returns the offered load in words, as one line."""
        least, most = self.cpu_seconds
        time = f"{_two_digits(least)} to {_two_digits(most)} s" if most >= 1 else "less than a second"
        hops = f"about {_rounded(self.packet_hops)} packet-hops, {time} on a core"
        return f"{counted(self.flows, 'flow')} of {decimal_size(self.bytes)} together: {hops}"


def _two_digits(seconds: float) -> str:
    return f"{float(f'{seconds:.2g}'):,g}"


def _rounded(count: int) -> str:
    for scale, word in ((10**9, " billion"), (10**6, " million")):
        if count >= scale:
            return f"{count / scale:.3g}{word}"
    return f"{count:,}"
