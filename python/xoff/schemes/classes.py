"""Classes that schemes in Python extend, and facts that their methods may ask for."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, is_dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

from xoff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xoff.schemes.flow import Flow
    from xoff.schemes.marking import Place

SIGNALS = {
    "losses": "acknowledgements and losses; switches drop its packets where they would mark them (TCP)",
    "marks": "each run of marks, echoed exactly, as for DCTCP (TCP)",
    "latched_marks": "an echo on every acknowledgement from a mark until the window has shrunk, as RFC 3168 (TCP)",
    "notifications": "congestion notification packets, at most one in 50 us, as for DCQCN (RoCE)",
    "delay": "the round-trip time of every acknowledged packet (RoCE)",
    "delay_and_marks": "round-trip times, and whether the acknowledged packet was marked (RoCE)",
    "telemetry": "round-trip times, and what every switch on the path wrote into the packet (RoCE)",
}
"""Words for `signals`, each with what the congestion control then hears of."""
OF_TCP = {"losses", "marks", "latched_marks"}

_ACK = "now newly_acked echo cumulative next_sequence in_flight window_limited rtt timed hops"
_CONTROL = {
    "on_ack": _ACK,
    "on_loss": "now in_flight timeout first_lost next_sequence",
    "on_trimmed": "now payload in_flight",
    "on_recovered": "now in_flight",
    "on_sent": "now size",
    "on_notification": "now",
    "on_quiet": "rested",
    "on_timer": "now",
    "on_idle": "restart_window",
    "window": "",
    "rate": "",
    "next_timer": "",
    "alpha": "",
    "threshold": "",
}
_POLICY = {"threshold": "priority shared used free queues"}
_MARKER = {
    "marks": "now length frame draw",
    "silent_up_to": "",
    "on_arrival": "now length frame",
    "on_departure": "now before after",
}


class Scheme:
    """A scheme in Python: what the three kinds share."""

    family: ClassVar[str] = ""
    """Family in the simulator."""
    facts: ClassVar[Mapping[str, str]] = {}
    """Methods that the simulator calls, each with the facts that its parameters may name."""

    @dataclass
    class Parameters:
        """Parameters of a scheme that has none."""


class CongestionControl(Scheme):
    """Decides how fast one flow may send; an object for each flow.

    A subclass says which `signals` it hears of, and has at least `window`, or under RoCE `rate`. It is made with its
    parameters and its flow. Its methods get the facts that their parameters name, such as
    `def on_ack(self, newly_acked, echo)`:

    - `on_ack`: now, newly_acked, echo, cumulative, next_sequence, in_flight, window_limited, rtt, timed, hops
    - `on_loss`: now, in_flight, timeout, first_lost, next_sequence
    - `on_recovered`: now, in_flight
    - `on_notification` and `on_timer`: now
    - `on_sent`: now, size
    - `on_trimmed`: now, payload, in_flight
    - `on_quiet`: rested
    - `on_idle`: restart_window

    After each event the simulator asks what the class has of `window`, `rate` and `next_timer`: bytes, bits per second
    (None where it is no limit) and picoseconds (None for never). Observers ask for `alpha` and `threshold`. The guide
    has a table of all facts.
    """

    family = "congestion_control"
    facts = _CONTROL
    signals: ClassVar[str] = "losses"
    """Signals that the algorithm reacts to: a key of `xoff.schemes.classes.SIGNALS`."""

    def __init__(self, parameters: Any, flow: Flow) -> None:  # noqa: ANN401 - each class has its own
        self.parameters = parameters
        self.flow = flow


class BufferPolicy(Scheme):
    """Decides how many bytes of the shared pool one queue may hold; one object for all switches, without state.

    A subclass has `threshold(self, ...)`, which names what it asks for: priority, shared (bytes of the pool), used,
    free, queues.
    """

    family = "buffer_policy"
    facts = _POLICY
    falls: ClassVar[bool] = False
    """Whether a fuller pool never raises a threshold; a half-free pool then admits packets without a call."""
    _is_made: bool = False

    def __init__(self, parameters: Any) -> None:  # noqa: ANN401 - each class has its own
        self.parameters = parameters

    def __setattr__(self, name: str, value: object) -> None:
        if self._is_made:
            message = f"a buffer policy keeps no state, and `{name}` is set"
            raise AttributeError(message)
        super().__setattr__(name, value)


class Marker(Scheme):
    """Decides which packets of a queue, port or pool are marked; an object for each place.

    A subclass has `marks(self, ...)`, which names what it asks for: now, length (bytes there without the packet),
    frame (bytes of the packet), draw (a random number from 0 to 1). `on_arrival` and `on_departure`, where it has them,
    hear of every packet: now, length, frame; now, before, after. `silent_up_to`, where it has one, is asked once for a
    length up to which nothing is marked. The marker is then asked about longer queues only.
    """

    family = "marking"
    facts = _MARKER
    when: ClassVar[str] = "enqueue"
    """Moment at which the marker is asked: "enqueue" or "dequeue"."""

    def __init__(self, parameters: Any, place: Place) -> None:  # noqa: ANN401 - each class has its own
        self.parameters = parameters
        self.place = place


KINDS = (CongestionControl, BufferPolicy, Marker)
SUBCLASS = "a subclass of xoff.schemes.CongestionControl, BufferPolicy or Marker"
"""Class that errors expect."""


def methods_of(cls: type[Scheme], file: str) -> dict[str, tuple[Any, tuple[str, ...]]]:
    """Returns each method that the simulator calls, with the names of its parameters.

    Raises InputError for a class that cannot be used, at the line of the method.
    """
    found = {}
    for name in [name for name in dir(cls) if name in cls.facts or name.startswith("on_")]:
        method = getattr(cls, name)
        line = f"line {method.__code__.co_firstlineno}" if inspect.isfunction(method) else cls.__name__
        if name not in cls.facts:
            events = [event for event in cls.facts if event.startswith("on_")]
            problem = f"`{cls.__name__}` has `{name}`, which is no event"
            raise InputError(file, line, problem, f"{meant(name, events)}expected one of {', '.join(events)}")
        if not inspect.isfunction(method):
            raise InputError(file, line, f"`{name}` is no method", f"expected `def {name}(self)`")
        found[name] = (method, _asked(method, cls.facts[name].split(), file, line))
    _check_answers(cls, found, file)
    return found


def _asked(method: Any, facts: list[str], file: str, line: str) -> tuple[str, ...]:  # noqa: ANN401 - any function
    """Returns the facts that a method asks for by its parameters."""
    asked = [*inspect.signature(method).parameters.values()]
    if not asked:
        raise InputError(file, line, f"`{method.__name__}` takes nothing", f"expected `def {method.__name__}(self)`")
    del asked[0]
    for one in asked:
        expected = f"expected some of {', '.join(facts)}" if facts else "expected none but `self`"
        if one.name not in facts:
            problem = f"`{method.__name__}` asks for `{one.name}`"
            raise InputError(file, line, problem, meant(one.name, facts) + expected)
        if one.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise InputError(file, line, f"`{one.name}` of `{method.__name__}` has no place of its own", expected)
    return tuple(one.name for one in asked)


def _check_answers(cls: type[Scheme], found: Mapping[str, object], file: str) -> None:
    """Rejects a class that does not answer what it must."""
    name = cls.__name__
    if not is_dataclass(cls.Parameters):
        raise InputError(file, name, "`Parameters` is no dataclass", "expected `@dataclass` above `class Parameters`")
    if issubclass(cls, CongestionControl):
        _check_control(cls, found, file)
    if issubclass(cls, BufferPolicy) and "threshold" not in found:
        raise InputError(file, name, "has no method `threshold`", "expected `def threshold(self, free)`")
    if issubclass(cls, Marker):
        if "silent_up_to" in found and {"on_arrival", "on_departure"}.intersection(found):
            raise InputError(file, name, "follows its place, and has `silent_up_to`", "expected one of them")
        if "marks" not in found:
            raise InputError(file, name, "has no method `marks`", "expected `def marks(self, length)`")
        if cls.when not in {"enqueue", "dequeue"}:
            raise InputError(file, name, f"when = {cls.when!r}", 'expected "enqueue" or "dequeue"')


def _check_control(cls: type[CongestionControl], found: Mapping[str, object], file: str) -> None:
    """Rejects a congestion control that does not answer what its transport asks."""
    name = cls.__name__
    if not isinstance(cls.signals, str) or cls.signals not in SIGNALS:
        expected = f"expected one of {', '.join(SIGNALS)}"
        raise InputError(file, name, f"there are no signals {cls.signals!r}", expected)
    is_of_tcp = cls.signals in OF_TCP
    if "window" not in found and (is_of_tcp or "rate" not in found):
        or_rate = "" if is_of_tcp else " or `def rate(self)`"
        raise InputError(file, name, "has no method `window`", f"expected `def window(self)`{or_rate}")
    if ("on_timer" in found) != ("next_timer" in found):
        lacks, has = ("next_timer", "on_timer") if "on_timer" in found else ("on_timer", "next_timer")
        raise InputError(file, name, f"has `{has}` and no method `{lacks}`", "expected both")
    if is_of_tcp and "next_timer" in found:
        problem = f'has a timer, which TCP does not run, and signals = "{cls.signals}"'
        raise InputError(file, name, problem, "expected no `on_timer`, or signals of RoCE")


def meant(name: str, known: list[str]) -> str:
    """Returns a question for the known name that is nearest to a wrong one; empty if none is near."""
    near = get_close_matches(name, known, n=1)
    return f"did you mean `{near[0]}`? " if near else ""
