"""A critical path: stretches of time, each with its cause."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Sequence


_SLOW_LINK = 0.25
"""Share of the time of a path from which bits on one link are told of by themselves."""


class Cause(StrEnum):
    """What a flow waits for at an instant of its critical path."""

    TRANSMISSION = "transmission"
    """Bits of its own go onto a wire: of the packet itself, or of those before it, of its flow or its queue pair."""
    PROPAGATION = "propagation"
    QUEUEING = "queueing"
    """Others go first at a port, or hold it."""
    PAUSED = "paused"
    """The other end of the link has paused the port (PFC)."""
    LINK_DOWN = "link_down"
    """The link has failed, and the host's adapter waits until it works again."""
    HOST = "host"
    """Between transport and adapter: the host's delay, jitter, interrupts, a receiver that is slow."""
    RATE = "rate"
    """Its congestion control, or a rate limiter (QCN), lets it send no sooner."""
    CREDIT = "credit"
    """Its receiver gives it no credit yet: others have their turn, or nothing has asked for it (RCCC)."""
    DELAYED_ACKNOWLEDGEMENT = "delayed_acknowledgement"
    """The receiver has the data and has not acknowledged it."""
    RECOVERY = "recovery"
    """Data is sent again, since acknowledgements say that it is missing; the time since it was first sent."""
    TIMEOUT = "timeout"
    """The same where the retransmission timer had to expire for it."""
    START = "start"
    """The flow is there, and its connection or its queue pair does not send it yet."""

    @property
    def words(self) -> str:
        """What tables and figures call it."""
        return _WORDS[self]


_WORDS = {
    Cause.TRANSMISSION: "own bits on the wire",
    Cause.PROPAGATION: "propagation",
    Cause.QUEUEING: "queue",
    Cause.PAUSED: "pause (PFC)",
    Cause.LINK_DOWN: "link that was down",
    Cause.HOST: "host",
    Cause.RATE: "rate",
    Cause.CREDIT: "credit",
    Cause.DELAYED_ACKNOWLEDGEMENT: "delayed acknowledgement",
    Cause.RECOVERY: "recovery of a loss",
    Cause.TIMEOUT: "retransmission timeout",
    Cause.START: "start of its connection",
}


class Stretch(NamedTuple):
    """A part of a critical path."""

    cause: Cause
    place: str | None
    """The port where it waits, or whose link it is on; of what is sent again, where a packet was dropped."""
    reason: str | None
    """Why that was dropped."""
    since_ps: int
    until_ps: int
    packet: int | None
    """Which packet of `packets.parquet` it is about; none while its sender has sent none and got no answer."""

    @property
    def time_ps(self) -> int:
        """How long it is."""
        return self.until_ps - self.since_ps


class Part(NamedTuple):
    """All stretches of a critical path that have one cause, at one place."""

    cause: Cause
    place: str | None
    reason: str | None
    time_ps: int
    share: float
    """Of the completion time."""


@dataclass(frozen=True)
class CriticalPath:
    """What one flow's completion time was spent on, or its time so far."""

    flow: str
    """Its name, `host0.flow3`."""
    stretches: tuple[Stretch, ...]
    """In order of time, each beginning where the one before ends."""
    round_trips: int
    """How many acknowledgements it waited for, one after another."""
    packets: pa.Table = field(repr=False, compare=False)
    """The flow's rows of `packets.parquet`."""

    @property
    def start_ps(self) -> int:
        """When the flow started."""
        return self.stretches[0].since_ps

    @property
    def finish_ps(self) -> int:
        """When it was complete."""
        return self.stretches[-1].until_ps

    @property
    def time_ps(self) -> int:
        """Its completion time, which is what the stretches add up to."""
        return self.finish_ps - self.start_ps

    @property
    def marked_at(self) -> dict[str, int]:
        """How many packets of data were marked at which ports, those with most first: why its rate or window is low."""
        is_data = pc.equal(self.packets["kind"].cast(pa.string()), "data")
        marked = self.packets.filter(pc.and_(is_data, self.packets["marked"]))
        first = np.unique(marked["packet"].to_numpy(), return_index=True)[1]  # a mark stays on the rest of the way
        return dict(Counter(marked["port"].cast(pa.string()).take(pa.array(first)).to_pylist()).most_common())

    @cached_property
    def parts(self) -> list[Part]:
        """What it was spent on, the most first."""
        return parts([self])


def parts(paths: Sequence[CriticalPath]) -> list[Part]:
    """What the completion times of several flows together were spent on, the most first."""
    sums: Counter[tuple[Cause, str | None, str | None]] = Counter()
    for path in paths:
        for stretch in path.stretches:
            place = None if stretch.cause is Cause.PROPAGATION else stretch.place
            sums[stretch.cause, place, stretch.reason] += stretch.time_ps
    whole = sums.total()
    for key, time_ps in list(sums.items()):
        # All links of a path have a share of its bits; only where one is what takes long is it news which.
        if key[0] is Cause.TRANSMISSION and time_ps < _SLOW_LINK * whole:
            del sums[key]
            sums[Cause.TRANSMISSION, None, None] += time_ps
    found = [Part(*key, time_ps, time_ps / whole) for key, time_ps in sums.items() if time_ps]
    return sorted(found, key=lambda part: -part.time_ps)
