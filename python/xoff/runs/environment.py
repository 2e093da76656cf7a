"""An environment in Gymnasium's form for programs that learn congestion control.

It needs no gymnasium. With it installed, the spaces are gymnasium's own, so that its wrappers and checkers work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from xoff.errors import InputError
from xoff.runs.simulation import Simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from xoff.runs.simulation import Message
    from xoff.scenario.scenario import Scenario

    Floats = npt.NDArray[np.float32]

SEEN = ("window", "round_trip", "goodput", "in_flight")
"""Columns of an observation; `CongestionEnvironment` says in which units they are."""
_LEAST_WINDOW, _MOST_WINDOW = 1.0, 4096.0


class Box:
    """Space of arrays of 32-bit floats between two bounds, with what gymnasium's `Box` has of most use."""

    dtype = np.dtype(np.float32)

    def __init__(self, low: float, high: float, shape: tuple[int, ...]) -> None:
        self.low, self.high = np.full(shape, low, np.float32), np.full(shape, high, np.float32)
        self.shape = shape
        self._rng = np.random.default_rng()

    def seed(self, seed: int | None = None) -> None:
        """Begins the random stream of `sample` anew."""
        self._rng = np.random.default_rng(seed)

    def sample(self) -> Floats:
        """Draws an array; without an upper bound, up to 1 above the lower."""
        high = np.where(np.isfinite(self.high), self.high, self.low + 1)
        return self._rng.uniform(self.low, high).astype(np.float32)

    def contains(self, value: object) -> bool:
        """Whether an array is in the space."""
        array = np.asarray(value)
        return array.shape == self.shape and bool(((self.low <= array) & (array <= self.high)).all())


def _box(low: float, high: float, shape: tuple[int, ...]) -> Any:  # noqa: ANN401
    try:
        from gymnasium import spaces  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return Box(low, high, shape)
    return spaces.Box(low, high, shape, np.float32)


class _Sender:
    """Sender of packets that an agent steers by a window."""

    def __init__(self, simulation: Simulation, ends: tuple[str, str], packet_bytes: int) -> None:
        self._simulation, self._ends, self._packet_bytes = simulation, ends, packet_bytes
        self.window, self.in_flight = 10.0, 0
        self.least_ns = float("inf")
        self.begin()

    def begin(self) -> None:
        """Forgets what happened in the interval before."""
        self.acknowledged, self.round_trips_ns = 0, 0.0

    def fill(self) -> None:
        while self.in_flight < int(self.window):
            self.in_flight += 1
            packet = self._simulation.send(*self._ends, self._packet_bytes)
            self._simulation.on_complete(packet, self._on_acknowledged, "sender")

    def _on_acknowledged(self, packet: Message) -> None:
        round_trip_ns = self._simulation.now - packet.start_ns
        self.least_ns = min(self.least_ns, round_trip_ns)
        self.acknowledged += 1
        self.round_trips_ns += round_trip_ns
        self.in_flight -= 1
        self.fill()


class CongestionEnvironment:
    """Some senders, each with packets without end, whose windows an agent steers.

    Every packet is a message of a driven workload, best of a transport that acknowledges and has no congestion control
    of its own, such as RoCE with none. A step takes an interval of simulated time.

    The *action* has a number from -1 to 1 for each sender: its window is multiplied by 2 to that power.

    The *observation* has a row for each sender, with the columns of `SEEN`. These are the binary logarithm of the
    window in packets; the mean round trip of the interval over the least one seen, less 1; the goodput over the rate of
    the sender's link; and packets in flight over the window.

    The *reward* is the sum of the goodputs less a tenth of the sum of the round trips, unless `reward` says otherwise.
    The same scenario and actions give the same observations.

    Examples:
        >>> import xoff
        >>> scenario = xoff.Scenario.from_dict(
        ...     {
        ...         "topology": {"kind": "star", "hosts": 3, "host_link": {"rate": "10Gbps", "delay": "1us"}},
        ...         "transport": {"roce": {"kind": "roce"}},
        ...         "workload": [{"kind": "driven", "transport": "roce"}],
        ...     }
        ... )
        >>> environment = xoff.CongestionEnvironment(scenario, [("host0", "host2"), ("host1", "host2")])
        >>> observation, info = environment.reset()
        >>> observation, reward, terminated, truncated, info = environment.step([0.5, -0.5])
        >>> observation.shape
        (2, 4)
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}
    render_mode = None
    spec = None

    def __init__(
        self,
        scenario: Scenario,
        senders: Sequence[tuple[str, str]],
        *,
        interval_ns: float = 50_000,
        steps: int = 200,
        packet_bytes: int = 1024,
        reward: Callable[[Floats], float] | None = None,
    ) -> None:
        """Takes a scenario, and source and destination of each sender.

        Args:
            scenario: A scenario with a driven workload. Others may run beside it.
            senders: Names of the hosts that send and receive; a pair may stand there several times.
            interval_ns: Simulated time of a step.
            steps: Number of steps after which an episode is truncated.
            packet_bytes: Payload of each packet.
            reward: Function from the observation to the reward.

        Raises:
            InputError: A sender is no pair of hosts, or a number is not above 0.
        """
        for name, number in (("interval_ns", interval_ns), ("steps", steps), ("packet_bytes", packet_bytes)):
            if not (isinstance(number, int | float | np.number) and number >= 1):
                raise InputError(None, name, f"{number!r} is no number of at least 1", "expected a larger number")
        self.scenario, self.senders = scenario, [_pair(pair, scenario.topology.hosts) for pair in senders]
        if not self.senders:
            raise InputError(None, "senders", "there are none", 'expected pairs such as ("host0", "host1")')
        self.interval_ns, self.steps, self.packet_bytes = interval_ns, steps, packet_bytes
        self._reward = reward or _goodput_less_delay
        self.action_space = _box(-1.0, 1.0, (len(self.senders),))
        self.observation_space = _box(0.0, float("inf"), (len(self.senders), len(SEEN)))
        rates = {port.node: port.rate_bps for port in scenario.topology.ports}
        self._rates = [rates[source] for source, _ in self.senders]
        self._simulation: Simulation | None = None
        self._running: list[_Sender] = []
        self._step = 0

    @property
    def unwrapped(self) -> CongestionEnvironment:
        """The environment itself."""
        return self

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begins an episode. `seed` is the scenario's seed, where one is given."""
        del options
        scenario = self.scenario if seed is None else self.scenario.with_value("seed", seed)
        self._simulation, self._step = Simulation(scenario, keep_flows=False), 0
        self._running = [_Sender(self._simulation, ends, self.packet_bytes) for ends in self.senders]
        return self._go_on()

    def step(self, action: Sequence[float] | Floats) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Changes the windows, and lets an interval pass.

        Returns:
            The observation, the reward, whether the run is over, whether the episode has had its steps, and `now_ns`.

        Raises:
            InputError: The action has not one number for each sender.
            RuntimeError: No episode has begun.
        """
        self._begun()
        powers = np.asarray(action, dtype=np.float64)
        if powers.shape != (len(self._running),) or not np.isfinite(powers).all():
            expected = f"expected {len(self._running)} finite numbers, one for each sender"
            raise InputError(None, "action", f"{action!r} is no action", expected)
        for sender, power in zip(self._running, np.clip(powers, -1, 1), strict=True):
            sender.window = min(max(sender.window * 2 ** float(power), _LEAST_WINDOW), _MOST_WINDOW)
        self._step += 1
        observation, info = self._go_on()
        is_over = self._begun().is_over
        return observation, self._reward(observation), is_over, self._step >= self.steps, info

    def close(self) -> None:
        """Ends the episode."""
        self._simulation, self._running = None, []

    def _go_on(self) -> tuple[Floats, dict[str, Any]]:
        simulation, begin_ns = self._begun(), self._begun().now
        for sender in self._running:
            sender.begin()
            if not simulation.is_over:
                sender.fill()
        if not simulation.is_over:
            simulation.run_until(simulation.now + self.interval_ns)
        # The last interval of a run may be shorter.
        span_ns = simulation.now - begin_ns or self.interval_ns
        rows = [self._seen(sender, rate, span_ns) for sender, rate in zip(self._running, self._rates, strict=True)]
        return np.array(rows, np.float32), {"now_ns": simulation.now}

    def _begun(self) -> Simulation:
        if self._simulation is None:
            message = "no episode has begun; call reset() first"
            raise RuntimeError(message)
        return self._simulation

    def _seen(self, sender: _Sender, rate_bps: int, span_ns: float) -> list[float]:
        goodput_bps = sender.acknowledged * self.packet_bytes * 8e9 / span_ns
        longer = sender.round_trips_ns / sender.acknowledged / sender.least_ns - 1 if sender.acknowledged else 0.0
        in_flight = sender.in_flight / sender.window
        return [float(np.log2(sender.window)), max(longer, 0.0), goodput_bps / rate_bps, in_flight]


def _pair(pair: tuple[str, str], hosts: Sequence[str]) -> tuple[str, str]:
    """Checks that a sender is two hosts. Raises InputError."""
    if isinstance(pair, str) or len(pair) != 2 or any(name not in hosts for name in pair):
        expected = f'expected pairs of hosts such as ("{hosts[0]}", "{hosts[-1]}")'
        raise InputError(None, "senders", f"{pair!r} is no pair of hosts of the scenario", expected)
    return pair[0], pair[1]


def _goodput_less_delay(observation: Floats) -> float:
    return float(observation[:, 2].sum() - 0.1 * observation[:, 1].sum())
