"""The flow that a congestion control is made for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random


@dataclass(frozen=True)
class Flow:
    """Constants of a flow."""

    segment: int
    """Payload bytes of a full segment."""
    overhead: int
    """Bytes of a packet on the wire besides its payload; 0 under TCP, which does not pace."""
    initial_window: int | None
    """Bytes of the first window; None under RoCE, where the algorithm chooses it."""
    initial_threshold: int | None
    """Slow-start threshold in bytes, if the scenario sets one."""
    line_rate: int | None
    """Bits per second of the adapter's link; None under TCP."""
    base_rtt: int
    """Picoseconds of the fabric's longest round trip with empty queues; 0 unless `signals` are delay or telemetry."""
    switches: int
    """Switches on the path; 0 unless `signals` are delay or telemetry."""
    growth: str = "acknowledgements"
    """Amount by which an acknowledgement grows a window: "acknowledgements", "bytes" or "segments"."""
    window_unit: str = "bytes"
    """Unit in which windows grow and shrink: "bytes" or "segments"."""
    entropy: int = 0
    """Seed of `random`, from the run's seed and the flow."""

    @cached_property
    def random(self) -> Random:
        """The flow's own random numbers: the same for the same seed of the run, whatever the threads."""
        return Random(self.entropy)
