"""The class Simulation: a simulation that a program drives, sending messages and reacting where they arrive."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import iscoroutinefunction, isgeneratorfunction
from operator import index
from typing import TYPE_CHECKING, Literal, Self

from xoff import _xoff
from xoff.errors import InputError
from xoff.runs import execution
from xoff.runs.callback_watch import CallbackWatch
from xoff.runs.cost import Cost
from xoff.runs.memory import MemoryWatch
from xoff.scenario.quantities import quantity
from xoff.scenario.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import TracebackType

    from xoff.results.result import Result

End = Literal["receiver", "sender"]
"""End of a message: where it is whole, or where it is acknowledged."""
_DUE, _RECEIVED = 0, 1
_MOST_NS = 2e12
"""More nanoseconds than any run has."""
_MOST_BYTES = 1 << 48
_PRIORITIES = 8


class Message:
    """A message that a program has sent: a flow of the result."""

    __slots__ = ("_number", "_simulation", "destination", "size", "source", "start_ns")

    def __init__(
        self, source: str, destination: str, size: int, start_ns: float, number: int, simulation: Simulation
    ) -> None:
        self.source = source
        """Name of the sending host."""
        self.destination = destination
        """Name of the receiving host."""
        self.size = size
        """Bytes."""
        self.start_ns = start_ns
        """Time at which the message starts, in nanoseconds."""
        self._number, self._simulation = number, simulation

    def __repr__(self) -> str:
        return f"<xoff.Message {self.source} to {self.destination}, {self.size} B, starts at {self.start_ns:g} ns>"


class Simulation:
    """A simulation that a program drives.

    The scenario has a workload of kind `driven`, beside which others may run. The program sends messages, and its
    callbacks react to them: at the host where a message is complete, at that time. What a reaction sends from its host
    starts there and then, as exactly as the steps of a job do. Results do not depend on how the program goes on, step
    by step or at once. A driven simulation runs on one thread.

    Times are numbers of nanoseconds, as in all tables, or text with a unit such as `"10us"`. Sizes are numbers of
    bytes, or text such as `"1MB"`.

    Examples:
        >>> import xoff
        >>> scenario = xoff.Scenario.from_dict(
        ...     {
        ...         "topology": {"kind": "star", "hosts": 3, "host_link": {"rate": "100Gbps", "delay": "1us"}},
        ...         "transport": {"tcp": {"kind": "tcp", "congestion_control": {"algorithm": "dctcp"}}},
        ...         "workload": [{"kind": "driven", "transport": "tcp"}],
        ...     }
        ... )
        >>> simulation = xoff.Simulation(scenario)
        >>> def answer(question):
        ...     simulation.send(question.destination, question.source, "1MB")
        >>> question = simulation.send("host0", "host1", 1000)
        >>> simulation.on_complete(question, answer)
        >>> simulation.run()
        >>> [row["source"] for row in simulation.finish().flows.to_pylist()]
        ['host0', 'host1']
    """

    def __init__(self, scenario: Scenario | Mapping[str, object] | str | Path, *, keep_flows: bool = True) -> None:
        """Lays out a scenario.

        Args:
            scenario: The scenario, its keys as nested dictionaries, or its file.
            keep_flows: Whether each finished flow becomes a row of the result. Without rows, memory does not grow with
                the number of messages: a few bytes remain of each.

        Raises:
            ScenarioError: The scenario cannot be simulated, or has no driven workload.
        """
        self._scenario = _scenario(scenario)
        self._files = self._scenario.read_files()
        self._cost = Cost()
        memory = MemoryWatch()
        self._core = _xoff.Driven(self._scenario._core, self._files, memory.check)
        if not keep_flows:
            self._core.forget_flows()
        self._names = self._scenario.topology.hosts
        self._hosts = {name: number for number, name in enumerate(self._names)}
        self._at_receiver: dict[int, tuple[Message, Callable[[Message], object]]] = {}
        self._at_sender: dict[int, tuple[Message, Callable[[Message], object]]] = {}
        self._due: dict[int, Callable[[], object]] = {}
        self._now_ps = 0
        self._here: int | None = None
        self._is_running = False
        self._broken = ""
        self._result: Result | None = None
        self._watch = CallbackWatch(self._place)

    @property
    def scenario(self) -> Scenario:
        """The scenario that is simulated."""
        return self._scenario

    @property
    def now(self) -> float:
        """Simulated time in nanoseconds; inside a callback, the time of its event."""
        return self._now_ps / 1000

    @property
    def reach(self) -> float:
        """Time in nanoseconds from a reaction at one host to the first that the program may do anywhere else."""
        return self._core.reach_ps / 1000

    @property
    def is_over(self) -> bool:
        """Whether nothing can be sent any more: the scenario has ended the run (`stop.at`), or `finish` has."""
        return self._result is not None or self._core.is_over

    def send(
        self,
        source: str,
        destination: str,
        size: int | str,
        *,
        priority: int | None = None,
        transport: str | None = None,
        at: float | str | None = None,
        on_complete: Callable[[Message], object] | None = None,
    ) -> Message:
        """Sends a message. Its start is now, or later with `at`.

        Args:
            source: Name of the sending host. Inside a reaction at a host, another may send from `now + reach` on.
            destination: Name of the receiving host.
            size: Bytes, or text with a unit.
            priority: Traffic class; left out, the first of the driven workload.
            transport: Name of the transport, where several driven workloads have different ones.
            at: Time at which the message starts.
            on_complete: Callback for the message when it is whole at its receiver; see `on_complete` below.

        Raises:
            InputError: A host does not exist, the size is zero, or the start is past or too soon for the host.
        """
        self._check()
        bytes_ = _bytes(size)
        if priority is not None and not (isinstance(priority, int) and 0 <= priority < _PRIORITIES):
            raise InputError(None, "priority", f"{priority!r} is no traffic class", "expected 0 to 7")
        if on_complete is not None:
            _check_callback("on_complete", on_complete)
        start_ps = None if at is None else _picoseconds("at", at)
        number = self._core.send(
            self._host("source", source), self._host("destination", destination), bytes_, priority, transport, start_ps
        )
        start_ns = (self._now_ps if start_ps is None else start_ps) / 1000
        message = Message(source, destination, bytes_, start_ns, number, self)
        if on_complete is not None:
            self.on_complete(message, on_complete)
        return message

    def on_complete(self, message: Message, callback: Callable[[Message], object], end: End = "receiver") -> None:
        """Has `callback(message)` called when a message is complete at one end, at that host and that time.

        Args:
            message: A message that has just been sent, before time goes on. Each end has one callback.
            callback: Called with the message.
            end: `"receiver"`, where the last byte arrives, or `"sender"`, where all is acknowledged. A constant-rate
                sender, which nothing is acknowledged to, is done when it has sent all.

        Raises:
            InputError: The message is under way or complete, or the end has a callback.
        """
        self._check()
        if end not in ("receiver", "sender"):
            raise InputError(None, "end", f'"{end}" is no end of a message', 'expected "receiver" or "sender"')
        if not isinstance(message, Message) or message._simulation is not self:
            raise InputError(
                None, "message", f"{message!r} is none of this simulation", "expected one that it has sent"
            )
        _check_callback("callback", callback)
        at_sender = end == "sender"
        self._core.listen(message._number, at_sender)
        (self._at_sender if at_sender else self._at_receiver)[message._number] = (message, callback)

    def at(self, time: float | str, callback: Callable[[], object], host: str | None = None) -> None:
        """Has `callback()` called at a time, at a host or everywhere.

        Args:
            time: Nanoseconds, or text with a unit.
            callback: Called without arguments.
            host: Host at which the callback reacts. Left out, it is the host of the reaction that sets it, and outside
                reactions none: then every host has run up to the time, and the callback may send from any.

        Raises:
            InputError: The time is past, or too soon for the host.
        """
        self._check()
        self._at(_picoseconds("time", time), callback, host)

    def after(self, delay: float | str, callback: Callable[[], object], host: str | None = None) -> None:
        """Has `callback()` called some time from now; see `at`."""
        self._check()
        self._at(self._now_ps + _picoseconds("delay", delay), callback, host)

    def _at(self, time_ps: int, callback: Callable[[], object], host: str | None) -> None:
        _check_callback("callback", callback)
        place = self._here if host is None else self._host("host", host)
        self._due[self._core.at(time_ps, place)] = callback

    def run_until(self, time: float | str) -> None:
        """Goes on to a time, and calls every callback on the way. What is due at that very time happens later.

        Raises:
            InputError: The time is past, or the run was over before the call.
            RuntimeError: A callback calls it.
        """
        until_ps = _picoseconds("time", time)
        if until_ps < self._now_ps:
            raise InputError(None, "time", f"{_us(until_ps)} is past", f"expected {_us(self._now_ps)} or later")
        if self.is_over and not self._is_running:
            self._check()
            over = f"the run is over since {_us(self._now_ps)}"
            raise InputError(None, "time", over, "expected a loop that ends once `is_over` is true")
        self._run(until_ps)

    def run(self) -> None:
        """Goes on until nothing is left to do, or to an end that the scenario sets, and calls every callback."""
        self._run(None)

    def _run(self, until_ps: int | None) -> None:
        self._check()
        if self._is_running:
            problem = "a callback cannot run the simulation; it reacts, and returns"
            raise RuntimeError(problem)
        self._is_running = True
        step, watch, due = self._core.next, self._watch, self._due
        at_ends = {_RECEIVED: self._at_receiver}
        try:
            while (event := step(until_ps)) is not None:
                kind, number, self._now_ps, self._here = event
                if kind == _DUE:
                    callback = due.pop(number)
                    watch.enter(callback)
                    callback()
                else:
                    message, react = at_ends.get(kind, self._at_sender).pop(number)
                    watch.enter(react)
                    react(message)
                watch.leave()
            self._now_ps = self._core.now_ps
        except BaseException as error:
            self._broken, self._now_ps = type(error).__name__, self._core.now_ps
            raise
        finally:
            watch.leave()
            self._is_running, self._here = False, None

    def finish(self) -> Result:
        """Ends the run now, and returns its result, as `Scenario.run` does. Called again, it returns the same."""
        if self._result is None:
            if self._is_running:
                message = "a callback cannot finish the simulation; it reacts, and returns"
                raise RuntimeError(message)
            raw = self._core.finish()
            self._cost.stop()
            self._result = execution.result_of(self._scenario, self._files, raw, self._cost, 1)
        return self._result

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._watch.leave()

    def _host(self, argument: str, name: str) -> int:
        if not isinstance(name, str):
            raise InputError(
                None, argument, f"{name!r} is no name of a host", f'expected text such as "{self._names[0]}"'
            )
        number = self._hosts.get(name)
        return self._core.host(argument, name) if number is None else number

    def _place(self) -> str:
        """Host and time of the callback that is running."""
        where = "" if self._here is None else f"at {self._names[self._here]}, "
        return f"{where}{self.now / 1000:g} us"

    def _check(self) -> None:
        if self._broken:
            message = (
                f"the run has ended by {self._broken}; `finish` has what there is, and another Simulation begins anew"
            )
            raise RuntimeError(message)
        if self._result is not None:
            message = "the simulation has been finished; another Simulation begins anew"
            raise RuntimeError(message)

    def __repr__(self) -> str:
        return f"<xoff.Simulation of {self._scenario.title!r} at {self.now / 1000:g} us>"


def _us(time_ps: int) -> str:
    return f"{time_ps / 1e6:g} us"


def _picoseconds(argument: str, time: float | str) -> int:
    """Converts nanoseconds, or text with a unit, to picoseconds. Raises InputError."""
    if isinstance(time, str):
        return _quantity(argument, "time", time)
    nanoseconds = _plain(time)
    if nanoseconds is None:
        problem, expected = f"{time!r} is no time", 'expected nanoseconds, or text such as "10us"'
        raise InputError(None, argument, problem, expected)
    if not 0 <= nanoseconds < _MOST_NS:
        raise InputError(None, argument, f"{time} ns is none of the run", "expected at least 0, at most 1125s")
    return round(nanoseconds * 1000)


def _plain(number: object) -> int | float | None:
    """A number as one of Python's own, whose products do not overflow as those of arrays do; None for anything else."""
    try:
        return index(number)  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _bytes(size: int | str) -> int:
    if isinstance(size, str):
        found: int | float | None = _quantity("size", "size", size)
    else:
        found = _plain(size)
    if found is None or found != found // 1:
        problem, expected = f"{size!r} is no number of bytes", 'expected a whole number, or text such as "1MB"'
        raise InputError(None, "size", problem, expected)
    if not 1 <= found <= _MOST_BYTES:
        raise InputError(None, "size", f"a message of {size} bytes", f"expected at least 1, at most {_MOST_BYTES}")
    return int(found)


def _scenario(scenario: Scenario | Mapping[str, object] | str | Path) -> Scenario:
    if isinstance(scenario, Scenario):
        return scenario
    return Scenario.from_dict(scenario) if isinstance(scenario, Mapping) else Scenario.load(scenario)


def _check_callback(argument: str, callback: object) -> None:
    """Refuses what a call would not run. Raises InputError."""
    if not callable(callback):
        raise InputError(None, argument, f"{callback!r} cannot be called", "expected a function")
    if iscoroutinefunction(callback) or isgeneratorfunction(callback):
        problem = f"{getattr(callback, '__name__', callback)} is a coroutine or a generator, which a call does not run"
        raise InputError(None, argument, problem, "expected a plain function")


def _quantity(argument: str, dimension: str, text: str) -> int:
    try:
        return quantity(dimension, text)
    except InputError as error:
        raise InputError(None, argument, error.problem, error.expected, error.kind) from None
