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

from xoff import _xoff

if TYPE_CHECKING:
    from collections.abc import Sequence


class Cause(StrEnum):
    """The cause of a flow's wait at an instant of its critical path."""

    TRANSMISSION = "transmission"
    """Bits of the packet go onto a wire, or bits of earlier packets of its flow or queue pair."""
    PROPAGATION = "propagation"
    QUEUEING = "queueing"
    """Packets of other flows go first at a port, or hold it."""
    PAUSED = "paused"
    """The other end of the link has paused the port (PFC)."""
    LINK_DOWN = "link_down"
    """The link has failed, and the host's adapter waits until it works again."""
    HOST = "host"
    """Time between transport and adapter: the host's delay, jitter, interrupts, a slow receiver."""
    RATE = "rate"
    """The flow's congestion control, or a rate limiter (QCN), lets it send no sooner."""
    CREDIT = "credit"
    """The receiver gives no credit yet: other senders have their turn, or none was asked for (RCCC)."""
    DELAYED_ACKNOWLEDGEMENT = "delayed_acknowledgement"
    """The receiver has the data and has not acknowledged it."""
    RECOVERY = "recovery"
    """Time from when data was first sent until it is sent again because acknowledgements say that it is missing."""
    TIMEOUT = "timeout"
    """Time from when data was first sent until it is sent again because the retransmission timer expired."""
    START = "start"
    """The flow has arrived, and its connection or queue pair does not send it yet."""

    @property
    def words(self) -> str:
        """Name of the cause in tables and figures."""
        return _WORDS[self]


_WORDS = dict(_xoff.causes())


class Stretch(NamedTuple):
    """A stretch of a critical path that has one cause."""

    cause: Cause
    place: str | None
    """Port of the wait or of the link; for data sent again, the port where a packet was dropped."""
    reason: str | None
    """Reason of that drop."""
    since_ps: int
    until_ps: int
    packet: int | None
    """Number of the packet in `packets.parquet`; None while the sender has sent nothing and got no answer."""

    @property
    def time_ps(self) -> int:
        """Length of the stretch."""
        return self.until_ps - self.since_ps


class Part(NamedTuple):
    """All stretches of a critical path that have one cause, at one place."""

    cause: Cause
    place: str | None
    reason: str | None
    time_ps: int
    share: float
    """Share of the completion time."""


@dataclass(frozen=True)
class CriticalPath:
    """The critical path of a flow: the causes of its completion time, or of its time so far."""

    flow: str
    """Name of the flow, such as `host0.flow3`."""
    stretches: tuple[Stretch, ...]
    """Stretches in order of time; each begins where the one before ends."""
    round_trips: int
    """Number of acknowledgements that the flow waited for, one after another."""
    packets: pa.Table = field(repr=False, compare=False)
    """Rows of the flow in `packets.parquet`."""

    @property
    def start_ps(self) -> int:
        """Start of the flow."""
        return self.stretches[0].since_ps

    @property
    def finish_ps(self) -> int:
        """Completion of the flow."""
        return self.stretches[-1].until_ps

    @property
    def time_ps(self) -> int:
        """Completion time, the sum of all stretches."""
        return self.finish_ps - self.start_ps

    @property
    def marked_at(self) -> dict[str, int]:
        """Number of marked packets of data by port, most first; marks explain a low rate or window."""
        is_data = pc.equal(self.packets["kind"].cast(pa.string()), "data")
        marked = self.packets.filter(pc.and_(is_data, self.packets["marked"]))
        first = np.unique(marked["packet"].to_numpy(), return_index=True)[1]  # a mark stays on the rest of the way
        return dict(Counter(marked["port"].cast(pa.string()).take(pa.array(first)).to_pylist()).most_common())

    @cached_property
    def parts(self) -> list[Part]:
        """Parts of the completion time, the longest first."""
        return parts([self])


def parts(paths: Sequence[CriticalPath]) -> list[Part]:
    """Returns the parts of the completion times of several flows together, the longest first."""
    stretches = [(*stretch[:3], stretch.time_ps) for path in paths for stretch in path.stretches]
    return [Part(Cause(part[0]), *part[1:]) for part in _xoff.parts_of_paths(stretches)]
