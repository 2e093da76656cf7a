"""What a run says of a switch whose ports share memory: what came first, and what was lost."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

if TYPE_CHECKING:
    from xoff.result import Result


@dataclass(frozen=True)
class SharedMemoryTrial:
    """What became of a plan."""

    first_mark_us: float | None
    """None if nothing was marked."""
    first_pause_us: float | None
    """None if nobody was paused."""
    marked_packets: int
    pause_frames: int
    dropped_packets: int
    """Data and acknowledgements."""
    first_drop_us: float | None
    """None if nothing was dropped."""
    last_drop_us: float | None
    peak_bytes: int
    """The most that the switch held."""

    @classmethod
    def of(cls, result: Result) -> SharedMemoryTrial:
        """Reads a result."""
        marks, drops = (times_us(result, quantity) for quantity in ("marks", "drops"))
        pauses = pauses_us(result)
        summary = result.summary
        return cls(
            first_mark_us=min(marks, default=None),
            first_pause_us=min(pauses, default=None),
            marked_packets=summary["packets"]["marked"],
            pause_frames=summary["pfc"]["pause_frames"],
            dropped_packets=summary["packets"]["dropped"] + summary["packets"]["acknowledgements_dropped"],
            first_drop_us=min(drops, default=None),
            last_drop_us=max(drops, default=None),
            peak_bytes=summary["buffer"]["peak_bytes"],
        )

    @property
    def ecn_came_first(self) -> bool:
        """Whether a packet was marked before any sender was paused."""
        if self.first_mark_us is None:
            return False
        return self.first_pause_us is None or self.first_mark_us < self.first_pause_us

    @property
    def sentences(self) -> list[str]:
        """What to tell."""
        lost = losses(self.dropped_packets, self.last_drop_us)
        return [
            order(("ECN", "mark", self.first_mark_us), ("PFC", "pause", self.first_pause_us)),
            f"{lost}; the switch held {self.peak_bytes:,} B at the most",
        ]

    def as_data(self) -> dict[str, object]:
        """Its numbers by name."""
        return asdict(self) | {"ecn_came_first": self.ecn_came_first}


def order(*signals: tuple[str, str, float | None]) -> str:
    """When two ways to slow senders down came first, each with its name, what it sends and the time in us."""
    times = [f"first {sent} after {us:.3f} us" if us is not None else f"no {sent}" for _, sent, us in signals]
    (one, _, first), (other, _, second) = signals
    if first is None and second is None:
        judged = f"neither {one} nor {other} was needed"
    elif first is None or second is None:
        judged = f"{other if first is None else one} alone"
    else:
        judged = f"{one} came before {other}" if first < second else f"{other} came before {one}"
    return f"{', '.join(times)}: {judged}"


def losses(packets: int, last_us: float | None) -> str:
    """What was lost, and until when."""
    return "nothing was lost" if last_us is None else f"{packets:,} packets were lost, the last after {last_us:.3f} us"


def times_us(result: Result, quantity: str) -> list[float]:
    """When a quantity that is recorded on change was not 0."""
    if result.series is None:
        return []
    of_it = pc.and_(pc.equal(result.series["quantity"], quantity), pc.not_equal(result.series["value"], 0))
    return [time_ns / 1000 for time_ns in result.series.filter(of_it)["time_ns"].to_pylist()]


def pauses_us(result: Result) -> list[float]:
    """When senders were told to pause."""
    return [] if result.pauses is None else [time_ns / 1000 for time_ns in result.pauses["xoff_ns"].to_pylist()]
