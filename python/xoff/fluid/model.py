"""Fluid models: rates, windows and queues that follow delay differential equations.

    slow = xoff.Fluid.of("dcqcn", timer="1500us", flows=2)
    slow.run().difference_bps[-1]

`xoff explain dcqcn` has the parameters; `xoff.fluid.sweep` tries many values of them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from xoff import _xoff
from xoff.fluid.dctcp import Bottleneck, SteadyState
from xoff.text import toml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Array = npt.NDArray[np.float64]


class FixedPoint(NamedTuple):
    """Where equal flows would stay for ever."""

    probability: float
    """Of a mark [p*]."""
    queue_bytes: float
    """`maximum` where no length below it has that probability [q*]."""
    above_rate_bps: float
    """Target rate less rate of each flow."""
    alpha: float
    """Of each flow."""


@dataclass(frozen=True)
class Fluid:
    """A checked model. It never changes: `with_values` gives another one."""

    model: str
    """`dcqcn` or `dctcp`."""
    changes: tuple[str, ...] = ()
    """What differs from the defaults, each `KEY=VALUE`."""
    _core: _xoff.Fluid = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_core", _xoff.Fluid(self.model, self.changes))

    @classmethod
    def of(cls, model: str, **parameters: object) -> Fluid:
        """A model with some parameters that differ from the defaults; quantities are text with a unit.

        Raises ScenarioError, one line that names key and remedy, for what cannot be a parameter.
        """
        return cls(model).with_values(parameters)

    def with_value(self, key: str, value: object) -> Fluid:
        """The same with one parameter changed. Raises ScenarioError."""
        return self.with_values({key: value})

    def with_values(self, values: Mapping[str, object]) -> Fluid:
        """The same with some parameters changed. Raises ScenarioError."""
        changes = [f"{key}={toml_text.value(value)}" for key, value in values.items()]
        return replace(self, changes=(*self.changes, *changes))

    def __reduce__(self) -> tuple[type[Fluid], tuple[object, ...]]:
        return Fluid, (self.model, self.changes)  # the core checks it again in the other process

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter as a scenario would spell it."""
        parameters: dict[str, Any] = json.loads(self._core.parameters())
        return parameters

    def fixed_point(self) -> FixedPoint | None:
        """The fixed point of equal flows; None for a model that goes round in a cycle."""
        found = self._core.fixed_point()
        return None if found is None else FixedPoint(*found)

    def sawtooth_bytes(self) -> tuple[float, float] | None:
        """Least and greatest queue of the closed form (`xoff.fluid.dctcp`).

        None for another model, or where a flow has no whole packet at the threshold.
        """
        if self.model != "dctcp":
            return None
        said = self.parameters
        packet = _base("size", said["packet"])
        link = Bottleneck(
            rate_bps=_base("rate", said["rate"]),
            round_trip_ns=_base("time", said["round_trip"]) / 1e3,
            packet_bytes=packet,
        )
        try:
            form = SteadyState(
                bottleneck=link, flows=said["flows"], threshold=_base("size", said["threshold"]) / packet
            )
        except ValueError:
            return None
        return max(form.queue_min, 0) * packet, form.queue_max * packet

    def run(self, goes_on: Callable[[float], bool] = lambda _share: True) -> Trajectory:
        """Integrates the equations, without holding Python's lock.

        Args:
            goes_on: Called now and then with the share that is done; the trajectory ends where it answers False.
        """
        seconds, series = self._core.run(goes_on)
        values = {(quantity, flow): _array(column) for quantity, flow, column in series}
        return Trajectory(_array(seconds), values)


def _array(column: _xoff.Column) -> Array:
    import pyarrow as pa

    return np.frombuffer(pa.py_buffer(column))


def _base(dimension: str, quantity: str) -> int:
    return _xoff.quantity(dimension, json.dumps(quantity))


@dataclass(frozen=True, eq=False)
class Trajectory:
    """A model over time, recorded `every` so often."""

    seconds: Array
    """When."""
    values: Mapping[tuple[str, int | None], Array]
    """By quantity, and by flow where each flow has its own: bytes (`queue`, `window`), bits per second (`rate`,
    `target_rate`) or a share of one (`alpha`)."""

    @property
    def queue_bytes(self) -> Array:
        """Of the one queue."""
        return self.values["queue", None]

    @property
    def rates_bps(self) -> Array:
        """A row for each flow, 0 before it starts; no row where the model's flows are all alike."""
        rates = [values for (quantity, _), values in self.values.items() if quantity == "rate"]
        return np.array(rates).reshape(len(rates), len(self.seconds))

    @property
    def difference_bps(self) -> Array:
        """Greatest rate less least [z, of two flows]. Raises LookupError where flows have no rates of their own."""
        rates = self.rates_bps
        if not len(rates):
            message = "the model's flows are all alike: there is no difference of their rates"
            raise LookupError(message)
        greatest_less_least: Array = rates.max(axis=0) - rates.min(axis=0)
        return greatest_less_least

    def after(self, seconds: float) -> Trajectory:
        """What was recorded from then on."""
        kept = self.seconds >= seconds
        return Trajectory(self.seconds[kept], {key: values[kept] for key, values in self.values.items()})
