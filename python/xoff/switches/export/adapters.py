"""DCQCN of a scenario as NVIDIA's adapters have it: parameters in their units, and what no parameter says.

Sources: NVIDIA DOCA 3.4, DCQCN CC Parameters; for bytes and the stages of recovery mlxconfig (RPG_BYTE_RESET in bytes,
of 15 bits, RPG_THRESHOLD, CLAMP_TGT_RATE).
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from xoff.scenario.quantities import Time

_MOST_BYTES = (1 << 15) - 1
"""Largest value of the adapters' setting RPG_BYTE_RESET, in bytes."""
_WITHOUT = ("alpha_rises", "cut_by", "count_first", "hyper_when", "cnp_clock")
"""Keys of DCQCN that adapters have in one way alone."""


class Parameter(NamedTuple):
    """A parameter of adapters, and the key that it is for."""

    key: str
    name: str
    wanted: Fraction
    """In its unit."""
    unit: str
    """As it stands behind a number."""
    least: int = 0
    most: int | None = None

    @property
    def written(self) -> int:
        """In whole units, rounded up."""
        whole = max(self.least, ceil(self.wanted))
        return whole if self.most is None else min(whole, self.most)

    @property
    def rounding(self) -> list[str]:
        """Sentences that say how far the written value is off, if it is."""
        if self.written == self.wanted:
            return []
        return [f"{self.key} {float(self.wanted):g}{self.unit} is written as {self.written}{self.unit}"]


class _Form(NamedTuple):
    name: str
    unit: str
    wanted: Callable[[Any], Fraction]
    least: int = 0
    most: int | None = None


def _millions(value: int) -> Fraction:
    """Returns picoseconds as microseconds, or bits per second as megabits per second."""
    return Fraction(value, 10**6)


_FORMS = {
    "initial_alpha": _Form("initial_alpha_value", "/1024", lambda alpha: Fraction(1024 * alpha), 1, 1023),
    "alpha_period": _Form("dce_tcp_rtt", " us", _millions, 1, 131_071),
    "cut_period": _Form("rate_reduce_monitor_period", " us", _millions, 1),
    "minimum_rate": _Form("rpg_min_rate", " Mb/s", _millions, 1),
    "fast_recovery": _Form("rpg_threshold", "", Fraction),
    "clamp_target_rate": _Form("clamp_tgt_rate", "", lambda clamp: Fraction(clamp == "always")),
    "byte_counter": _Form("rpg_byte_reset", " B", Fraction),
}
_INCREASES = {
    "additive_increase": _Form("rpg_ai_rate", " Mb/s", _millions),
    "hyper_increase": _Form("rpg_hai_rate", " Mb/s", _millions),
    "timer": _Form("rpg_time_reset", " us", _millions),
}
"""Keys that plans have, too."""


def parameters(control: Mapping[str, Any]) -> dict[str, int]:
    """Returns the adapter settings that a scenario's DCQCN changes from its preset and that plans do not have."""
    return {one.name: one.written for one in _parameters(control, _FORMS)}


def _parameters(control: Mapping[str, Any], forms: Mapping[str, _Form]) -> Iterator[Parameter]:
    for key, form in forms.items():
        if key in control:
            yield Parameter(key, form.name, form.wanted(control[key]), form.unit, form.least, form.most)


def notes(control: Mapping[str, Any], cnp_spacing: Time) -> Iterator[str]:
    """Yields notes on settings of a scenario's DCQCN and CNPs that adapters get only nearly, or not at all.

    Increases and the timer are those that the preset comes to, too.
    """
    for parameter in _parameters(control, _INCREASES | _FORMS):
        if parameter.key != "clamp_target_rate":
            yield from parameter.rounding
    preset = control["preset"]
    left = [form.name for key, form in _FORMS.items() if key not in control]
    if left:
        yield f"{', '.join(left)}: left at the firmware's defaults, whatever preset {preset} has"
    own = "".join(f", {key} = {str(control[key]).lower()}" for key in _WITHOUT if key in control)
    scenarios = f"the scenario's are left out (preset {preset}{own})"
    yield f"{', '.join(_WITHOUT)}: adapters have no parameter for them, and {scenarios}"
    clamp = control.get("clamp_target_rate", "always")
    if clamp != "always":
        yield f"clamp_target_rate {clamp} is written as not always, and clamp_tgt_rate_after_time_inc is left as it is"
    counted = int(control.get("byte_counter", 0))
    if counted > _MOST_BYTES:
        yield f"byte_counter {counted} B is above {_MOST_BYTES}, the most of mlxconfig: adapters may refuse it"
    if cnp_spacing:
        yield f"host.cnp_spacing {cnp_spacing} is left out: adapters have no parameter for it"
