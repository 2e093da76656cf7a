"""Laws that every scheme in Python is held to: `xoff check my_control.py`.

A congestion control is driven as its transport drives it, through random events; then it runs in a small network, alone
and on two threads. The laws are those that the built-in schemes are tested with.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import MISSING, dataclass, fields
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.errors import InputError, ScenarioError, SchemeError
from xoff.scenario.scenario import Scenario
from xoff.schemes import loading, placing
from xoff.schemes.classes import OF_TCP, SUBCLASS, BufferPolicy, CongestionControl
from xoff.schemes.flow import Flow
from xoff.schemes.watching import TookTooLong, limited

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.schemes.loading import Described

_SEQUENCES = 60
_EVENTS = 80
_SEGMENT = 1000
_ABSURD = 1 << 50
"""Bytes that no window reaches in so few events."""

_LATE = f"has not returned for {TookTooLong.seconds:g} s"

_NETWORK = """
title = "Check"
topology = { kind = "leaf_spine", leaves = 2, spines = 2, hosts_per_leaf = 3, host_link = LINK, fabric_link = LINK }
switch = [{ total = "200kB", marking.queue = { kind = "threshold", threshold = "30kB" } }]
transport.x = TRANSPORT
workload = [
    { kind = "incast", transport = "x", fan_in = 3, size = "100kB", every = "100us", groups = 3 },
    { kind = "permutation", transport = "x", size = "300kB" },
]
stop.at = "100ms"
"""
_LINK = '{ rate = "10Gbps", delay = "1us" }'
_TCP = '{ kind = "tcp", congestion_control.algorithm = "dctcp" }'
_ROCE = '{ kind = "roce" }'


class Verdict(NamedTuple):
    """A law, and whether a scheme keeps it."""

    scheme: str
    law: str
    broken_by: str
    """Reason, with an example; empty where the law is kept."""


class _BrokenError(Exception):
    """An example of a law that does not hold."""


def check(text: str, file: str) -> Iterator[Verdict]:
    """Yields a verdict on each law for each scheme of a file. Raises InputError for a file that cannot be used."""
    classes = loading.classes_of(loading.module_of(text, file))
    if not classes:
        raise InputError(file, "", "has no scheme", f"expected {SUBCLASS}")
    for cls in classes:
        described = loading.load(text, file, cls.__name__)
        for law, keeps in (*_laws(described), *_LAWS_OF_RUNS):
            try:
                # Runs have a watcher of their own, and take longer.
                with nullcontext() if (law, keeps) in _LAWS_OF_RUNS else limited():
                    broken_by = keeps(described, text)
            except (SchemeError, ScenarioError) as error:
                broken_by = str(error)
            except (Exception, SystemExit, TookTooLong) as error:
                where = ", ".join(part for part in (file, loading.line_of(error, file)) if part)
                broken_by = f"{where}: {_LATE if isinstance(error, TookTooLong) else loading.named(error)}"
            yield Verdict(cls.__name__, law, broken_by)
            if _LATE in broken_by:
                break  # the next law would wait for it again


_Law = Callable[["Described", str], str]


def _laws(described: Described) -> list[tuple[str, _Law]]:
    """Returns the laws of the kind of a scheme, each with what returns the reason why it is broken."""
    if issubclass(described.cls, BufferPolicy):
        laws: list[tuple[str, _Law]] = [("the same pool gives the same threshold", _answers_again)]
        return [*laws, ("a fuller pool never raises a threshold", _falls)] if described.cls.falls else laws
    if issubclass(described.cls, CongestionControl) and described.cls.signals in OF_TCP:
        return [(law, _of_window(law)) for law in _OF_WINDOWS]
    return []


_OF_WINDOWS = (
    "the window is at least one segment",
    "the window stays below a petabyte",
    "a loss never raises the window",
    "a timeout leaves one segment",
    "a window that is not the limit does not grow",
)


def _of_window(law: str) -> _Law:
    """Returns what looks for a sequence of events that breaks a law of windows."""

    def keeps(described: Described, _text: str) -> str:
        for seed in range(_SEQUENCES):
            try:
                _Sender(described, law, Random(seed)).run()
            except _BrokenError as broken:
                return str(broken)
        return ""

    return keeps


@dataclass(frozen=True)
class _Driven:
    """An object of a class, called as the simulator calls it."""

    described: Described
    instance: Any

    @classmethod
    def of(cls, described: Described, *constants: object) -> _Driven:
        """Makes an object with the parameters at their defaults."""
        made: Callable[..., object] = described.cls
        return cls(described, made(_defaults(described), *constants))

    def call(self, name: str, **facts: object) -> Any:  # noqa: ANN401 - whatever a method answers
        """Calls a method with the facts that it asks for, if the class has it."""
        if name not in self.described.methods:
            return None
        method, asked = self.described.methods[name]
        return method(self.instance, *(facts[fact] for fact in asked))


def _defaults(described: Described) -> object:
    """Returns the parameters at their defaults. Raises InputError for one that has none."""
    for field in fields(described.cls.Parameters):
        if field.default is MISSING:
            problem = f"`{field.name}` has no default"
            raise InputError(described.file, described.cls.__name__, problem, "expected one, for checks")
    return described.read("{}")[1]


class _Sender:
    """Sender of TCP, reduced to what its congestion control can see of it."""

    def __init__(self, described: Described, law: str, random: Random) -> None:
        self.law, self.random = law, random
        window = random.choice((1, 2, 10, 40)) * _SEGMENT
        self.control = _Driven.of(described, Flow(_SEGMENT, 0, window, None, None, 0, 0))
        self.now = self.unacknowledged = self.next = self.recover = 0
        self.is_limited, self.state = False, "open"
        self.told = [f"first window {window} B"]

    def window(self) -> int:
        return int(self.control.call("window"))

    def run(self) -> None:
        """Applies random events. Raises _BrokenError where the law does not hold."""
        self._hold("the window is at least one segment", self.window() >= _SEGMENT)
        for _ in range(_EVENTS):
            self.now += 10_000_000
            self.random.choices((self._send, self._acknowledge, self._lose, self._time_out), (4, 8, 1, 1))[0]()
            self._hold("the window is at least one segment", self.window() >= _SEGMENT)
            self._hold("the window stays below a petabyte", self.window() < _ABSURD)

    def _hold(self, law: str, holds: bool) -> None:
        if law == self.law and not holds:
            example = f"{', '.join(self.told[-4:])}: window {self.window()} B, segment {_SEGMENT} B"
            raise _BrokenError(example)

    def _send(self) -> None:
        room = max(self.window() - (self.next - self.unacknowledged), 0) // _SEGMENT
        segments = self.random.randint(1, 200)
        self.is_limited = segments > room
        self.next += min(segments, room) * _SEGMENT

    def _acknowledge(self) -> None:
        newly_acked = min(self.random.randint(1, 8) * _SEGMENT, self.next - self.unacknowledged)
        if not newly_acked:
            return
        self.unacknowledged += newly_acked
        if self.state != "open" and self.unacknowledged >= self.recover:
            if self.state == "recovery":
                self.control.call("on_recovered", now=self.now, in_flight=self.next - self.unacknowledged)
            self.state = "open"
        before, is_limited = self.window(), self.is_limited and self.state != "recovery"
        echo = self.random.random() < 0.3
        self.told.append(f"{newly_acked} B acknowledged{' with an echo' if echo else ''} at a window of {before} B")
        self.control.call(
            "on_ack",
            now=self.now,
            newly_acked=newly_acked,
            echo=echo,
            cumulative=self.unacknowledged,
            next_sequence=self.next,
            in_flight=0,
            window_limited=is_limited,
            rtt=None,
            timed=0,
            hops=(),
        )
        may_grow = is_limited or self.window() <= max(before, 2 * _SEGMENT)
        self._hold("a window that is not the limit does not grow", may_grow)

    def _lose(self) -> None:
        if self.state == "open" and self.next - self.unacknowledged > 3 * _SEGMENT:
            before = self.window()
            self._tell_of_loss(is_timeout=False)
            self.state = "recovery"
            self._hold("a loss never raises the window", self.window() <= max(before, 2 * _SEGMENT))

    def _time_out(self) -> None:
        if self.next > self.unacknowledged:
            self._tell_of_loss(is_timeout=True)
            self.state = "loss"
            self._hold("a timeout leaves one segment", self.window() == _SEGMENT)

    def _tell_of_loss(self, *, is_timeout: bool) -> None:
        self.recover = self.next
        self.told.append(f"{'timeout' if is_timeout else 'loss'} at a window of {self.window()} B")
        self.control.call(
            "on_loss",
            now=self.now,
            in_flight=self.next - self.unacknowledged,
            timeout=is_timeout,
            first_lost=self.unacknowledged,
            next_sequence=self.next,
        )


def _answers_again(described: Described, _text: str) -> str:
    """Returns a pool for which a buffer policy does not answer twice alike."""
    policy, random = _Driven.of(described), Random(1)
    for _ in range(_SEQUENCES * 10):
        shared = random.randint(1, 10**7)
        used = random.randint(0, shared)
        pool = {"priority": random.randint(0, 7), "shared": shared, "used": used, "free": shared - used, "queues": 8}
        first, second = policy.call("threshold", **pool), policy.call("threshold", **pool)
        if first != second:
            return f"{pool}: {first} B, then {second} B"
        if not first >= 0:
            return f"{pool}: {first} B"
    return ""


def _falls(described: Described, _text: str) -> str:
    """Returns a pool that raises a buffer policy's threshold as it fills."""
    policy, random = _Driven.of(described), Random(1)
    for _ in range(_SEQUENCES * 10):
        shared, priority = random.randint(1, 10**7), random.randint(0, 7)
        less, more = sorted(random.randint(0, shared) for _ in range(2))
        pool = {"priority": priority, "shared": shared, "queues": 8}
        before, after = (policy.call("threshold", used=used, free=shared - used, **pool) for used in (less, more))
        if after > before:
            return f"a pool of {shared} B with {less} B used: {before} B, with {more} B used: {after} B"
    return ""


def _scenario(described: Described, text: str) -> Scenario:
    """Returns a small network under a scheme."""
    cls = described.cls
    is_tcp = not issubclass(cls, CongestionControl) or cls.signals in OF_TCP
    network = _NETWORK.replace("LINK", _LINK).replace("TRANSPORT", _TCP if is_tcp else _ROCE)
    scenario = Scenario(network, None, (), {described.file: text})
    name = f"{described.file}:{cls.__name__}"
    return scenario.with_values(placing.keys(cls, name, {}, scenario._core.settings()))


def _finishes(described: Described, text: str) -> str:
    summary = _scenario(described, text).run().summary
    done = summary["flows"]["all"]["count"]
    return "" if done == _FLOWS else f"{done} of {_FLOWS} flows are done after 100 ms"


def _repeats(described: Described, text: str) -> str:
    scenario = _scenario(described, text)
    first, second = (scenario.run().summary["digest"] for _ in range(2))
    return "" if first == second else "two runs differ: is anything shared between flows, or a set of text in order?"


def _is_the_same_on_two_threads(described: Described, text: str) -> str:
    scenario = _scenario(described, text)
    one, two = (scenario.run(threads=threads).summary["digest"] for threads in (1, 2))
    return "" if one == two else "one and two threads differ: is anything shared between flows?"


_FLOWS = 15
"""Flows of the small network: three groups of three, and one of each host."""
_LAWS_OF_RUNS: tuple[tuple[str, _Law], ...] = (
    ("every flow is done", _finishes),
    ("two runs give one digest", _repeats),
    ("one and two threads give one digest", _is_the_same_on_two_threads),
)
