"""Reaction points of DCQCN and QCN, and DCQCN's notification point, in plain numbers.

Sources: DCQCN, SIGCOMM 2015, section 3; IEEE 802.1Qau, and its state machine in `bobzhuyb/ns3-rdma`.
Rates are bits per second, times picoseconds, sizes bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NEVER = 1 << 62


@dataclass(frozen=True)
class Dcqcn:
    """Parameters of DCQCN, with the symbols of the paper."""

    line_rate: float
    gain: float
    """g."""
    alpha_period: int
    """K."""
    timer: int
    """T."""
    byte_counter: int
    """B, or 0 for none."""
    fast_recovery: int
    """F."""
    additive: float
    """R_AI."""
    hyper: float
    """R_HAI."""
    minimum: float


@dataclass(frozen=True)
class Qcn:
    """Parameters of QCN, with the names of the standard's state machine."""

    line_rate: float
    byte_counter: int
    """BC_LIMIT."""
    timer: int
    cycles: int
    additive: float
    hyper: float
    gain: float
    """GD."""
    decrease: float
    """rpgMinDecFac."""
    minimum: float
    extra_fast_recovery: bool


class ReactionPoint(Protocol):
    """Rate of one flow, which notifications lower, and timers and sent bytes raise."""

    rate: float

    def due(self) -> list[int]:
        """Times at which timers expire."""

    def notify(self, now: int, feedback: int) -> None:
        """Takes in a CNP, or a CNM with its feedback."""

    def expire(self, timer: int) -> None:
        """Takes in that a timer has expired, by its place among `due`."""

    def sent(self, size: int) -> None:
        """Counts bytes that were sent."""


class DcqcnPoint:
    """Reaction point of DCQCN."""

    def __init__(self, parameters: Dcqcn) -> None:
        self._of = parameters
        self.rate = self._target = parameters.line_rate
        self._alpha = 1.0
        self._by_time = self._by_bytes = self._sent = 0
        self._due = [NEVER, NEVER]

    def due(self) -> list[int]:
        """Ends of alpha's period and of the rate's timer."""
        return self._due

    def notify(self, now: int, feedback: int) -> None:
        """Cuts the rate by half of alpha (equation 1), and begins recovery anew."""
        del feedback
        of = self._of
        self._target = self.rate
        self.rate = max(of.minimum, self.rate * (1 - self._alpha / 2))
        self._alpha = (1 - of.gain) * self._alpha + of.gain
        self._by_time = self._by_bytes = self._sent = 0
        self._due = [now + of.alpha_period, now + of.timer]

    def expire(self, timer: int) -> None:
        """Lowers alpha after a period without a CNP (equation 2), or raises the rate by the timer."""
        if timer == 0:
            self._alpha *= 1 - self._of.gain
            self._due[0] += self._of.alpha_period
        else:
            self._increase()
            self._by_time += 1
            self._due[1] += self._of.timer

    def sent(self, size: int) -> None:
        """Counts bytes, which raise the rate every `byte_counter`. Before the first CNP nothing limits the flow."""
        if self._due[1] == NEVER or not self._of.byte_counter:
            return
        self._sent += size
        while self._sent >= self._of.byte_counter:
            self._sent -= self._of.byte_counter
            self._increase()
            self._by_bytes += 1

    def _increase(self) -> None:
        of, stages = self._of, (self._by_time, self._by_bytes)
        if max(stages) >= of.fast_recovery:
            # Equations 3 and 4; fast recovery leaves the target where it is.
            beyond = min(stages) - of.fast_recovery
            self._target += of.additive if beyond <= 0 else beyond * of.hyper
        self._target = min(of.line_rate, self._target)
        self.rate = min(of.line_rate, (self.rate + self._target) / 2)


class QcnPoint:
    """Reaction point of QCN."""

    def __init__(self, parameters: Qcn) -> None:
        self._of = parameters
        self.rate = self._target = parameters.line_rate
        self._release()

    def _release(self) -> None:
        self._by_time = self._by_bytes = 0
        self._budget, self._due = self._of.byte_counter, NEVER

    def due(self) -> list[int]:
        """End of the timer's cycle."""
        return [self._due]

    def notify(self, now: int, feedback: int) -> None:
        """Cuts the rate by the feedback; a target is kept until the byte counter has come round once."""
        of = self._of
        if self._by_bytes or self._due == NEVER:
            self._target, self._budget = self.rate, of.byte_counter
        self._by_time = self._by_bytes = 0
        self.rate = max(of.minimum, self.rate * max(of.decrease, 1 - of.gain * feedback))
        self._due = now + of.timer

    def expire(self, timer: int) -> None:
        """Raises the rate by the timer, whose cycles after fast recovery are half as long."""
        del timer
        self._increase()
        self._by_time += 1
        self._due += self._of.timer // (2 if self._by_time >= self._of.cycles else 1)
        self._end()

    def sent(self, size: int) -> None:
        """Counts bytes, which raise the rate cycle by cycle; cycles after fast recovery are half as long."""
        if self._due == NEVER:
            return
        self._budget -= size
        while self._budget <= 0 and self._due != NEVER:
            self._increase()
            self._by_bytes += 1
            self._budget = self._of.byte_counter // (2 if self._by_bytes >= self._of.cycles else 1)
            self._end()

    def _end(self) -> None:
        if self.rate >= self._of.line_rate:
            self._release()

    def _increase(self) -> None:
        of, stages = self._of, (self._by_time, self._by_bytes)
        if of.extra_fast_recovery and stages == (0, 0) and self._target > 10 * self.rate:
            self._target /= 8
        elif min(stages) >= of.cycles:
            self._target += of.hyper * (min(stages) - of.cycles + 1)
        elif max(stages) >= of.cycles:
            self._target += of.additive
        self.rate = min(of.line_rate, (self.rate + self._target) / 2)


def rates(
    point: ReactionPoint, notified: Iterable[tuple[int, int]], sent: Iterable[tuple[int, int]], end: int
) -> list[tuple[int, float]]:
    """Times and rates of a flow after each change up to `end`, by its notifications and its packets."""
    changes = [(0, point.rate)]
    events = sorted([(time, 0, feedback) for time, feedback in notified] + [(time, 2, size) for time, size in sent])
    index = 0
    while True:
        event = events[index] if index < len(events) else (NEVER, 0, 0)
        timers = point.due()
        first = min(range(len(timers)), key=timers.__getitem__)
        time, kind, size = min(event, (timers[first], 1, 0))
        if time > end:
            return changes
        if kind == 1:
            point.expire(first)
        else:
            index += 1
            point.sent(size) if kind else point.notify(time, size)
        if point.rate != changes[-1][1]:
            changes.append((time, point.rate))


def cnps(marked: Iterable[tuple[int, bool]], interval: int, end: int) -> list[int]:
    """Times at which a flow's notification point sends CNPs, by its packets and their marks (section 3.2).

    The first marked packet is answered at once. After that, each interval in which one came ends with a CNP.
    """
    sent: list[int] = []
    until, is_marked = NEVER, False

    def ends(now: int) -> Iterator[int]:
        nonlocal until, is_marked
        while until <= now:
            if not is_marked:
                until = NEVER
                return
            yield until
            until, is_marked = until + interval, False

    for time, marks in sorted(marked):
        sent += ends(time)
        if marks and until == NEVER:
            until, is_marked = time + interval, False
            sent.append(time)
        else:
            is_marked |= marks
    return sent + list(ends(end))
