"""DCTCP's steady state in closed form (SIGCOMM 2010, sections 3.3 and 3.4).

Long flows in step share one bottleneck. Windows and the queue are sawteeth: for one round trip of each period the queue
is above the marking threshold and every packet is marked, then every window is cut. Windows and queues are in packets,
periods in round trips.
"""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Bottleneck:
    """The link that all flows share, and the round trip over it."""

    rate_bps: float
    """Rate of the link [C]."""
    round_trip_ns: float
    """Round-trip time while the queue is empty [RTT]."""
    packet_bytes: int = 1500
    """Bytes of a packet on the link."""

    @property
    def in_flight(self) -> float:
        """Packets that fill the path while the queue is empty: the bandwidth-delay product [C x RTT]."""
        return self.rate_bps * self.round_trip_ns / (8e9 * self.packet_bytes)

    @property
    def least_threshold(self) -> float:
        """Threshold in packets above which the queue never runs empty, whatever the number of flows [equation 13]."""
        return self.in_flight / 7

    def greatest_gain(self, threshold: float) -> float:
        """Returns the gain below which a flow's average of marks spans more than one cut [equation 15].

        Args:
            threshold: Packets in the queue above which packets are marked [K].
        """
        return 2 * math.log(2) / math.sqrt(2 * (self.in_flight + threshold))


@dataclass(frozen=True, kw_only=True)
class SteadyState:
    """The sawtooth of several flows, with the paper's square root for the share of marked packets.

    Raises ValueError where a flow has no whole packet at the threshold: then there is no sawtooth.
    """

    bottleneck: Bottleneck
    flows: int
    """Number of flows that share the bottleneck [N]."""
    threshold: float
    """Packets in the queue above which packets are marked [K]."""

    def __post_init__(self) -> None:
        if self.window < 1:
            message = (
                f"{self.flows} flows: the window at the threshold is {self.window:.3g} packets; expected at least 1"
            )
            raise ValueError(message)

    @property
    def window(self) -> float:
        """Packets in a flow's window as the queue reaches the threshold [W*]."""
        return (self.bottleneck.in_flight + self.threshold) / self.flows

    @property
    def marked_share(self) -> float:
        """Share of packets that are marked, for large windows [alpha, equation 6]."""
        return math.sqrt(2 / self.window)

    @property
    def window_amplitude(self) -> float:
        """Packets by which a cut lowers a flow's window [D, equation 8]."""
        return self.window * self.marked_share / 2

    @property
    def amplitude(self) -> float:
        """Packets by which the queue rises and falls [A, equation 8]."""
        return self.flows * self.window_amplitude

    @property
    def period_round_trips(self) -> float:
        """Round trips from cut to cut, each of which adds a packet to a window [T_C, equation 9]."""
        return self.window_amplitude

    @property
    def queue_max(self) -> float:
        """Packets in the queue at most [Q_max, equation 10]."""
        return self.threshold + self.flows

    @property
    def queue_min(self) -> float:
        """Packets in the queue at least; below 0, it runs empty [Q_min, equation 12]."""
        return self.queue_max - self.amplitude


@dataclass(frozen=True, kw_only=True)
class ExactSteadyState(SteadyState):
    """The sawtooth without the approximation for large windows: equations 6 and 7 as they stand."""

    @property
    def marked_share(self) -> float:
        """The root between 0 and 1 of alpha^2 (1 - alpha / 4) = (2 W* + 1) / (W* + 1)^2 [alpha, equation 6]."""
        right = (2 * self.window + 1) / (self.window + 1) ** 2
        angle = math.asin(math.sqrt(27 * right) / 8) / 3  # Viete's solution of a cubic, without differences of cosines
        return 4 / 3 * (math.sqrt(3) * math.sin(2 * angle) + 2 * math.sin(angle) ** 2)

    @property
    def window_amplitude(self) -> float:
        """Packets by which a cut lowers a flow's window [D, equation 7]."""
        return (self.window + 1) * self.marked_share / 2
