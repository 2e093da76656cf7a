"""Packets of a flow, and of earlier flows on its queue pair, as arrays for the walk along its critical path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Packets:
    """Columns of `packets.parquet`, and indices of the packets by kind and fate."""

    def __init__(self, rows: pa.Table, flow: int) -> None:
        """Takes rows of `packets.parquet`, and the number of the flow at its source."""

        def numbers(name: str) -> NDArray[np.int64]:
            found: NDArray[np.int64] = rows[name].cast(pa.int64()).fill_null(-1).to_numpy().copy()
            return found

        def names(name: str) -> list[str | None]:
            found: list[str | None] = rows[name].cast(pa.string()).to_pylist()
            return found

        self.number = numbers("packet")
        self.first_row = np.flatnonzero(np.diff(self.number, prepend=-1))
        """First row of each packet."""
        self.last_row = np.append(self.first_row[1:], len(self.number)) - 1
        self.port, self.drop_reason = names("port"), names("drop_reason")
        self.arrived, self.started, self.ended = numbers("arrived_ps"), numbers("started_ps"), numbers("ended_ps")
        self.reached, self.ready = numbers("reached_ps"), numbers("ready_ps")[self.first_row]
        self.priority, self.sequence = numbers("priority"), numbers("sequence")[self.first_row]
        self.payload = numbers("payload_bytes")[self.first_row]
        self.again = numbers("retransmission")[self.first_row] == 1
        self.handed = numbers("handed_ps")[self.first_row]
        self.received = numbers("received_ps")[self.last_row]
        release, kind = names("release"), names("kind")
        self.release = [release[row] for row in self.first_row]
        self.flow_of_row = numbers("number")
        self.flow = self.flow_of_row[self.first_row]
        """Number of each packet's flow."""
        self.data = np.flatnonzero([kind[row] == "data" for row in self.first_row])
        """Indices of packets of data, in the order of departure."""
        self.own = self.data[self.flow[self.data] == flow]
        """Indices of the flow's own packets of data, in the order of departure."""
        answers = np.flatnonzero([kind[row] in {"acknowledgement", "nack"} for row in self.first_row])
        nacks = np.flatnonzero([kind[row] == "nack" for row in self.first_row])
        self.is_credit = np.array([kind[row] == "credit" for row in self.first_row], dtype=bool)
        """Whether each packet gives credit."""
        self.is_dropped = np.array([self.drop_reason[row] is not None for row in self.last_row], dtype=bool)
        """Whether each packet was dropped."""
        dropped = self.last_row[self.is_dropped]
        self.dropped = dropped[np.argsort(self.arrived[dropped], kind="stable")]
        """Last rows of dropped packets, in the order of arrival at the place of the drop."""
        self._data_received, self._answers_received = self._in_order(self.data), self._in_order(answers)
        self._own_received = self._in_order(self.own)
        self._own_answers = answers[self.flow[answers] == flow]
        self._own_answered = self._in_order(self._own_answers)
        self._nacks_received = self._in_order(nacks)
        self._credits_received = self._in_order(np.flatnonzero(self.is_credit))

    def cut(self, packet: int, end_ps: int) -> None:
        """Ends a packet at `end_ps`: events in its last row that had not happened by then happen then."""
        row = self.last_row[packet]
        for times in (self.arrived, self.started, self.ended, self.reached):
            times[row] = end_ps if times[row] < 0 else min(times[row], end_ps)
        self.received[packet] = end_ps

    def _in_order(self, among: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the received ones among some packets, in the order of receipt."""
        received = among[self.received[among] >= 0]
        ordered: NDArray[np.int64] = received[np.argsort(self.received[received], kind="stable")]
        return ordered

    def latest_data(self, until_ps: int) -> int | None:
        """Returns the data that was received last by `until_ps`; of packets at the same time, the last to depart."""
        return _latest(self._data_received, self.received, until_ps)

    def latest_answer(self, until_ps: int) -> int | None:
        """Returns the acknowledgement or NACK that was received last by `until_ps`."""
        return _latest(self._answers_received, self.received, until_ps)

    def latest_credit(self, until_ps: int) -> int | None:
        """Returns the credit that was received last by `until_ps`."""
        return _latest(self._credits_received, self.received, until_ps)

    def told_to_be_missing(self, packet: int, until_ps: int) -> int | None:
        """Returns the time (ps) at which the sender of a dropped packet got a NACK for it; None if it got none."""
        nacks = self._nacks_received
        own = nacks[(self.flow[nacks] == self.flow[packet]) & (self.sequence[nacks] == self.sequence[packet])]
        times = self.received[own]
        times = times[(times >= self.arrived[self.last_row[packet]]) & (times <= until_ps)]
        return int(times[0]) if times.size else None

    def awaited(self, missing: int) -> int | None:
        """Returns the last packet that brings the byte at offset `missing`, which the flow waits for.

        If none has departed, returns the first data under way, or else the last acknowledgement under way, or None.
        """
        own = self.own[self.received[self.own] < 0]
        length = np.maximum(self.payload[own], 1)  # of a SYN, which has none
        brings = own[(self.sequence[own] <= missing) & (missing < self.sequence[own] + length)]
        if brings.size:
            return int(brings[-1])
        data, answers = (self._under_way(among) for among in (own, self._own_answers))
        return int(data[0]) if data.size else int(answers[-1]) if answers.size else None

    def last_lost(self, since_ps: int) -> int | None:
        """Returns the last dropped packet of the flow that departed at `since_ps` or later."""
        own = np.concatenate((self.own, self._own_answers))
        lost = own[self.is_dropped[own] & (self.handed[own] >= since_ps)]
        return int(lost[np.argmax(self.handed[lost])]) if lost.size else None

    def _under_way(self, among: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the packets among some that were neither received nor dropped."""
        found: NDArray[np.int64] = among[(self.received[among] < 0) & ~self.is_dropped[among]]
        return found

    def end(self, until_ps: int, *, acknowledged: bool) -> int | None:
        """Returns the flow's last acknowledgement by `until_ps`, or its last data.

        The data is returned if there is no acknowledgement or `acknowledged` is false.
        """
        answer = _latest(self._own_answered, self.received, until_ps) if acknowledged else None
        return _latest(self._own_received, self.received, until_ps) if answer is None else answer


def _latest(in_order: NDArray[np.int64], received_ps: NDArray[np.int64], until_ps: int) -> int | None:
    """Returns the last packet received by `until_ps`, from packets in the order of receipt."""
    place = int(np.searchsorted(received_ps[in_order], until_ps, "right"))
    return int(in_order[place - 1]) if place else None
