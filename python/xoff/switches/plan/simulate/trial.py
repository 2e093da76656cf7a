"""Outcome of a run for a switch whose ports share memory: marks, pauses and losses, and which came first."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from xoff.results.result import Result
    from xoff.switches.plan.settings import TrafficClass


@dataclass(frozen=True)
class ClassTrial:
    """Time of the first mark and of the first pause of a lossless class that the plan marks."""

    name: str
    first_mark_us: float | None
    first_pause_us: float | None

    @classmethod
    def of(cls, result: Result, one: TrafficClass) -> ClassTrial:
        """Reads a result."""
        marks, pauses = times_us(result, "marks", one.priority), pauses_us(result, one.priority)
        return cls(one.name, min(marks, default=None), min(pauses, default=None))

    @property
    def pfc_came_first(self) -> bool:
        """Whether a sender was paused before any packet was marked."""
        return came_before(self.first_pause_us, self.first_mark_us)

    @property
    def sentence(self) -> str:
        """Sentence that says when the class was first marked and first paused."""
        return f"{self.name}: {order(('ECN', 'mark', self.first_mark_us), ('PFC', 'pause', self.first_pause_us))}"


@dataclass(frozen=True)
class SharedMemoryTrial:
    """Outcome of a plan for a switch whose ports share memory."""

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
    lost_lossless: int
    """Packets of lossless classes that were dropped."""
    classes: tuple[ClassTrial, ...]
    """Lossless classes that the plan marks."""

    @classmethod
    def of(cls, result: Result, classes: Iterable[TrafficClass]) -> SharedMemoryTrial:
        """Reads a result; these are the plan's classes."""
        marks, drops = (times_us(result, quantity) for quantity in ("marks", "drops"))
        pauses = pauses_us(result)
        summary = result.summary
        lossless = [one for one in classes if one.lossless]
        return cls(
            first_mark_us=min(marks, default=None),
            first_pause_us=min(pauses, default=None),
            marked_packets=summary["packets"]["marked"],
            pause_frames=summary["pfc"]["pause_frames"],
            dropped_packets=summary["packets"]["dropped"] + summary["packets"]["acknowledgements_dropped"],
            first_drop_us=min(drops, default=None),
            last_drop_us=max(drops, default=None),
            peak_bytes=summary["buffer"]["peak_bytes"],
            lost_lossless=sum(len(times_us(result, "drops", one.priority)) for one in lossless),
            classes=tuple(ClassTrial.of(result, one) for one in lossless if one.ecn is not None),
        )

    @property
    def ecn_came_first(self) -> bool:
        """Whether a packet was marked before any sender was paused."""
        return self.first_mark_us is not None and not came_before(self.first_pause_us, self.first_mark_us)

    @property
    def sentences(self) -> list[str]:
        """Sentences that tell the outcome."""
        lost = losses(self.dropped_packets, self.last_drop_us)
        return [
            order(("ECN", "mark", self.first_mark_us), ("PFC", "pause", self.first_pause_us)),
            f"{lost}; the switch held {self.peak_bytes:,} B at the most",
        ]

    @property
    def failures(self) -> list[str]:
        """Lossless classes that were paused before they were marked, and what was lost of such classes."""
        late = [one.sentence for one in self.classes if one.pfc_came_first]
        return late + lost_lossless(self.lost_lossless)

    def as_data(self) -> dict[str, object]:
        """Returns the numbers of the outcome by name."""
        return asdict(self) | {"ecn_came_first": self.ecn_came_first}


def came_before(first_us: float | None, second_us: float | None) -> bool:
    """Whether the first of two signals came, and no later than the second."""
    return first_us is not None and (second_us is None or first_us <= second_us)


def order(*signals: tuple[str, str, float | None]) -> str:
    """Says in which order two ways to slow senders came, each given as name, signal and first time in us."""
    times = [f"first {sent} after {us:.3f} us" if us is not None else f"no {sent}" for _, sent, us in signals]
    (one, _, first), (other, _, second) = signals
    if first is None and second is None:
        judged = f"neither {one} nor {other} was needed"
    elif first is None or second is None:
        judged = f"{other if first is None else one} alone"
    else:
        judged = f"{other} came before {one}" if came_before(second, first) else f"{one} came before {other}"
    return f"{', '.join(times)}: {judged}"


def losses(packets: int, last_us: float | None) -> str:
    """Says how many packets were lost, and until when."""
    return "nothing was lost" if last_us is None else f"{packets:,} packets were lost, the last after {last_us:.3f} us"


def lost_lossless(packets: int) -> list[str]:
    """Returns a sentence that packets of lossless classes were lost, or none if none were."""
    return [f"{packets:,} packets of lossless classes were lost"] if packets else []


def times_us(result: Result, quantity: str, priority: int | None = None) -> list[float]:
    """Returns the times at which a quantity recorded on change was not 0, of one class or of all."""
    if result.series is None:
        return []
    of_it = pc.and_(pc.equal(result.series["quantity"], quantity), pc.not_equal(result.series["value"], 0))
    return _times_us(result.series.filter(of_it), "time_ns", priority)


def pauses_us(result: Result, priority: int | None = None) -> list[float]:
    """Returns the times at which senders were told to pause, of one class or of all."""
    return [] if result.pauses is None else _times_us(result.pauses, "xoff_ns", priority)


def _times_us(table: pa.Table, column: str, priority: int | None) -> list[float]:
    of_it = table if priority is None else table.filter(pc.equal(table["priority"], priority))
    return [time_ns / 1000 for time_ns in of_it[column].to_pylist()]
