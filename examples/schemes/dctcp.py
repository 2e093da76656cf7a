"""DCTCP as a class in Python (SIGCOMM 2010), step for step as the built-in one: both give the same digest.

Use it as `congestion_control = { algorithm = "dctcp.py:Dctcp" }` in a scenario of this folder.
"""

from dataclasses import dataclass

from xoff.schemes import CongestionControl, Flow, parameter


class Dctcp(CongestionControl):
    """DCTCP: cuts the window in proportion to the share of marked bytes (SIGCOMM 2010)."""

    signals = "marks"

    @dataclass
    class Parameters:
        """Keys of the scenario."""

        gain: float = parameter(1 / 16, "Weight of the newest window [g].", above=0, at_most=1)

    def __init__(self, parameters: Parameters, flow: Flow) -> None:
        self.gain = parameters.gain
        self.segment = flow.segment
        self.cwnd = flow.initial_window
        self.ssthresh = flow.initial_threshold or float("inf")
        self.share = 1.0  # alpha: running share of marked bytes
        self.acked = self.marked = 0  # bytes since the window of data began
        self.window_end = 0
        self.reduced_until = 0  # once a window of data, over marks and losses
        self.remainder = 0  # fraction of a byte by which the window has grown

    def on_ack(self, newly_acked: int, echo: bool, cumulative: int, next_sequence: int, window_limited: bool) -> None:
        self.acked += newly_acked
        if echo:
            self.marked += newly_acked
        if cumulative > self.window_end:
            if self.acked:  # equation 1
                self.share = (1 - self.gain) * self.share + self.gain * (self.marked / self.acked)
            self.acked = self.marked = 0
            self.window_end = next_sequence
        if echo:
            if cumulative > self.reduced_until:
                self.reduced_until = next_sequence
                before = self.cwnd
                self.cut(int(self.cwnd * (1 - self.share / 2)))  # equation 2
                self.cwnd = min(self.cwnd, before)
        elif window_limited:
            if self.cwnd < self.ssthresh:  # slow start
                self.cwnd += min(newly_acked, self.segment)
            else:
                grown, self.remainder = divmod(self.remainder + self.segment * self.segment, self.cwnd)
                self.cwnd += grown

    def on_loss(self, in_flight: int, timeout: bool, first_lost: int, next_sequence: int) -> None:
        if timeout or first_lost >= self.reduced_until:
            self.reduced_until = next_sequence
            self.cut(in_flight // 2)
            if timeout:
                self.cwnd = self.segment

    def on_recovered(self, in_flight: int) -> None:
        self.cwnd = min(self.ssthresh, max(in_flight, self.segment) + self.segment)

    def on_idle(self, restart_window: int) -> None:
        self.cwnd = min(self.cwnd, restart_window)

    def cut(self, window: int) -> None:
        """Sets window and threshold, to two segments at least."""
        self.cwnd = self.ssthresh = max(window, 2 * self.segment)
        self.remainder = 0

    def window(self) -> int:
        return self.cwnd

    def alpha(self) -> float:
        return self.share
