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
    """The fixed point of a model: the state in which equal flows would stay for ever."""

    probability: float
    """Probability of a mark [p*]."""
    queue_bytes: float
    """Length of the queue; `maximum` where no shorter queue has that probability [q*]."""
    above_rate_bps: float
    """Target rate less rate of each flow."""
    alpha: float
    """Estimate of congestion (alpha) of each flow."""


@dataclass(frozen=True)
class Fluid:
    """A checked model, which never changes: `with_values` returns another one."""

    model: str
    """Name of the model, `dcqcn` or `dctcp`."""
    changes: tuple[str, ...] = ()
    """Changes to the default parameters, each `KEY=VALUE`."""
    _core: _xoff.Fluid = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_core", _xoff.Fluid(self.model, self.changes))

    @classmethod
    def of(cls, model: str, **parameters: object) -> Fluid:
        """Makes a model, with some parameters that differ from the defaults; quantities are text with a unit.

        Raises ScenarioError, one line that names key and remedy, for an invalid parameter.

        Examples:
            >>> from xoff import Fluid
            >>> Fluid.of("dctcp", flows=2).changes
            ('flows=2',)
        """
        return cls(model).with_values(parameters)

    def with_value(self, key: str, value: object) -> Fluid:
        """Returns the model with one parameter changed. Raises ScenarioError."""
        return self.with_values({key: value})

    def with_values(self, values: Mapping[str, object]) -> Fluid:
        """Returns the model with some parameters changed. Raises ScenarioError."""
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
        """Returns the fixed point of equal flows; None for a model that goes round in a cycle."""
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
            goes_on: Called now and then with the share that is done; if it returns False, the trajectory ends there.
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
    """A model over time, recorded at intervals of its parameter `every`."""

    seconds: Array
    """Times of the records."""
    values: Mapping[tuple[str, int | None], Array]
    """Values by quantity, and by flow where each flow has its own.

    They are bytes (`queue`, `window`), bits per second (`rate`, `target_rate`) or a share of one (`alpha`).
    """

    @property
    def queue_bytes(self) -> Array:
        """Length of the queue over time."""
        return self.values["queue", None]

    @property
    def rates_bps(self) -> Array:
        """Rates over time, a row per flow, 0 before it starts; no row where the model's flows are all alike."""
        rates = [values for (quantity, _), values in self.values.items() if quantity == "rate"]
        return np.array(rates).reshape(len(rates), len(self.seconds))

    @property
    def difference_bps(self) -> Array:
        """Greatest rate less least over time [z, of two flows]. Raises LookupError where flows have no own rates."""
        rates = self.rates_bps
        if not len(rates):
            message = "the model's flows are all alike: there is no difference of their rates"
            raise LookupError(message)
        greatest_less_least: Array = rates.max(axis=0) - rates.min(axis=0)
        return greatest_less_least

    def after(self, seconds: float) -> Trajectory:
        """Returns the part of the trajectory from a time on."""
        kept = self.seconds >= seconds
        return Trajectory(self.seconds[kept], {key: values[kept] for key, values in self.values.items()})
